"""Data sets: fetching, loading, and building your own.

>>> from mtclib.datasets import load
>>> load("toy-multitask").name
'toy-multitask'
"""

from .catalogue import available, load, load_corpus
from .corpora import Corpus
from .dataset import Dataset
from .entries import Entry, lookup, registry
from .fetching import FetchError, fetch, fetch_all, status
from .lifelong import split_into_tasks
from .tasks import build_tasks, from_texts

__all__ = [
    "Corpus", "Dataset", "Entry", "FetchError", "available", "build_tasks", "fetch", "fetch_all",
    "from_texts", "load", "load_corpus", "lookup", "registry", "split_into_tasks", "status",
]  # fmt: skip
