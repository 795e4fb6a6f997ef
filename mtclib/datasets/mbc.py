"""The data sets of the MBC paper (Table 2): seven document-term matrices, and what they share with NG20.

The paper takes its data from the collection of Zhong and Ghosh (2003) and cuts each set into two tasks that
share categories.  The documents of a shared category are in both tasks, for the printed sizes of the two add
up to more than the set; only NG20-1 is cut into disjoint halves.  The terms are those in at least three
documents of the whole set and in at most half of them, which gives every printed number of terms.  The paper
does not state its weighting, so that is a parameter of every loader.  The three sets made of NG20 are in
:mod:`mtclib.datasets.mbc_ng20`.
"""

import numpy as np

from .corpora import source_record
from .dataset import Dataset
from .matfiles import as_codes, as_rows, read_mat
from .text import weigh

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
        As in :func:`mtclib.datasets.mbc_ng20.mbc_ng20_1`.

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
        As in :func:`mtclib.datasets.mbc_ng20.mbc_ng20_1`; returns and errors as :func:`mbc_reviews`.

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
        As in :func:`mtclib.datasets.mbc_ng20.mbc_ng20_1`; returns and errors as :func:`mbc_reviews`.

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
