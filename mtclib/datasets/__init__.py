"""Data sets: fetching, loading, and building your own.

`load` gives a `Dataset` by its name (`available` lists them); `from_texts` and `build_tasks` make one of
documents, of your own or of a corpus (`load_corpus`); `split_into_tasks` cuts views into a sequence of tasks.
`fetch`, `fetch_all`, `registry`, `lookup` and `status` are about the files behind them.  Inside, one module
per source or paper reads and cuts, `text` and `tasks` count and weigh words, `fetching` and `entries` get and
verify files; what a module marks with `dataset.loader` can be loaded by name (`catalogue`).

>>> from mtclib.datasets import load
>>> load("toy-multitask").name
'toy-multitask'
"""

try:
    from mtclib.datasets.catalogue import available, load, load_corpus
    from mtclib.datasets.dataset import Dataset
    from mtclib.datasets.entries import Entry, lookup, registry
    from mtclib.datasets.fetching import FetchError, fetch, fetch_all, status
    from mtclib.datasets.lmsc import split_into_tasks
    from mtclib.datasets.tasks import Corpus, build_tasks, from_texts
except ModuleNotFoundError as error:
    if error.name.startswith("mtclib"):
        raise
    raise ModuleNotFoundError(f"mtclib.datasets needs {error.name}; install mtclib with the extra that "
                              "brings it: mtclib[datasets]", name=error.name) from error

__all__ = ["Corpus", "Dataset", "Entry", "FetchError", "available", "build_tasks", "fetch", "fetch_all",
           "from_texts", "load", "load_corpus", "lookup", "registry", "split_into_tasks", "status"]
