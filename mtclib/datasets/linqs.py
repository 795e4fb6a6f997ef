"""WebKB as prepared by LINQS: the pages of four universities, by their words and by their links.

Not the pages of :mod:`mtclib.datasets.webkb`: LINQS kept fewer pages, five classes and a fixed vocabulary.
"""

import numpy as np
from scipy import sparse

from mtclib.validation import check_option

from .corpora import source_record
from .dataset import Dataset
from .fetching import fetch
from .multiview import with_printed
from .text import weigh

CLASSES = ("course", "faculty", "project", "staff", "student")
LINKS = ("both", "out", "in", "all")
WEIGHTINGS = ("stored", "stored-l2")


def read_pages(university):
    """Words and classes of a university's pages.

    Parameters
    ----------
    university : {"cornell", "texas", "washington", "wisconsin"}

    Returns
    -------
    ids : list of str
        Addresses of the pages, in the order of the file.
    words : csr_array of float64, shape (n, 1703)
        1 where a page has a word.
    labels : ndarray of int, shape (n,)
        Positions in :data:`CLASSES`.

    Raises
    ------
    FetchError
        If the file cannot be had.
    """
    lines = fetch(f"WebKB/{university}.content").read_text(encoding="utf-8").splitlines()
    ids, *words, classes = zip(*(line.split("\t") for line in lines))
    labels = np.array([CLASSES.index(label) for label in classes])
    return list(ids), sparse.csr_array(np.array(words, dtype=np.float64).T), labels


def read_links(university, ids) -> sparse.csr_array:
    """Links between a university's pages.

    Parameters
    ----------
    university : {"cornell", "texas", "washington", "wisconsin"}
    ids : list of str
        Of :func:`read_pages`.

    Returns
    -------
    csr_array of float64, shape (n, n)
        Entry (i, j) is 1 if page i links to page j.  A page may link to itself.

    Raises
    ------
    FetchError
        If the file cannot be had.
    """
    place = {page: i for i, page in enumerate(ids)}
    lines = fetch(f"WebKB/{university}.cites").read_text(encoding="utf-8").splitlines()
    # A line names the cited page first, then the page that has the link.
    targets, pages = np.array([[place[page] for page in line.split()] for line in lines], dtype=np.int32).T
    return sparse.csr_array((np.ones(len(lines)), (pages, targets)), shape=(len(ids), len(ids)))


def link_view(A, links) -> sparse.csr_array:
    """Return the link view made from the matrix of links.

    Parameters
    ----------
    A : csr_array, shape (n, n)
        Of :func:`read_links`.
    links : {"both", "out", "in", "all"}
        Which links describe a page; see :func:`webkb_cornell`.

    Returns
    -------
    csr_array, shape (n, n), or (n, 3 n) for "all"

    Raises
    ------
    ValueError
        If `links` is unknown.

    Examples
    --------
    >>> A = sparse.csr_array([[1.0, 1.0], [0.0, 0.0]])
    >>> link_view(A, "both").toarray().tolist()
    [[2.0, 1.0], [1.0, 0.0]]
    """
    check_option("links", links, LINKS)
    incoming = sparse.csr_array(A.T)
    views = {"out": [A], "in": [incoming], "both": [A + incoming], "all": [A + incoming, A, incoming]}
    return sparse.csr_array(sparse.hstack(views[links], format="csr"))


def _university(university, links, weighting) -> Dataset:
    check_option("links", links, LINKS)
    check_option("weighting", weighting, WEIGHTINGS)
    ids, words, labels = read_pages(university)
    Xs = [words, link_view(read_links(university, ids), links)]
    if weighting == "stored-l2":
        Xs = weigh(Xs, "counts-l2")
    files = [f"WebKB/{university}.{ending}" for ending in ("content", "cites")]
    data = Dataset(
        name=f"webkb-{university}", kind="multiview", edition="linqs", Xs=Xs, labels=labels,
        task_names=("content", "link"), class_names=(CLASSES,), sources=tuple(map(source_record, files)),
        preprocessing=({"step": "links", "links": links}, {"step": "weigh", "weighting": weighting}),
    )  # fmt: skip
    alone = [name for name, size in zip(CLASSES, np.bincount(labels)) if size == 1]
    return with_printed(data, f"{alone[0]} has a single page." if alone else "", n_classes=5)


def webkb_cornell(links="both", *, weighting="stored") -> Dataset:
    """WebKB of the MSPL paper, Cornell: 195 web pages by words and by links.

    The paper does not say how links make a view.

    Parameters
    ----------
    links : {"both", "out", "in", "all"}, default="both"
        With A[i, j] = 1 where page i links to page j, the view is A + A^T ("both"; a link to itself counts
        2), A ("out"), A^T ("in"), or the three side by side, [A + A^T, A, A^T] ("all"), as in .mat files
        that circulate.
    weighting : {"stored", "stored-l2"}, default="stored"
        The words are 0 or 1; "stored-l2" divides each row of both views by its Euclidean norm.

    Returns
    -------
    Dataset
        Sparse views "content" (1703 words) and "link".  A page without links of the chosen sort has a zero
        row there; with "both" and "all" no page is.

    Raises
    ------
    ValueError
        If an option is unknown.
    FetchError
        If the files cannot be had.

    Examples
    --------
    >>> [X.shape for X in webkb_cornell().Xs]  # doctest: +SKIP
    [(195, 1703), (195, 195)]
    """
    return _university("cornell", links, weighting)


def webkb_texas(links="both", *, weighting="stored") -> Dataset:
    """WebKB of the MSPL paper, Texas: 187 web pages by words and by links.

    The class staff has a single page.  Parameters, returns and errors are those of :func:`webkb_cornell`.

    Examples
    --------
    >>> [X.shape for X in webkb_texas().Xs]  # doctest: +SKIP
    [(187, 1703), (187, 187)]
    """
    return _university("texas", links, weighting)


def webkb_washington(links="both", *, weighting="stored") -> Dataset:
    """WebKB of the MSPL paper, Washington: 230 web pages by words and by links.

    Parameters, returns and errors are those of :func:`webkb_cornell`.

    Examples
    --------
    >>> [X.shape for X in webkb_washington().Xs]  # doctest: +SKIP
    [(230, 1703), (230, 230)]
    """
    return _university("washington", links, weighting)


def webkb_wisconsin(links="both", *, weighting="stored") -> Dataset:
    """WebKB of the MSPL paper, Wisconsin: 265 web pages by words and by links.

    Parameters, returns and errors are those of :func:`webkb_cornell`.

    Examples
    --------
    >>> [X.shape for X in webkb_wisconsin().Xs]  # doctest: +SKIP
    [(265, 1703), (265, 265)]
    """
    return _university("wisconsin", links, weighting)
