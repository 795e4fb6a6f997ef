"""What every loader returns."""

import hashlib
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse

_KINDS = ("multitask", "multiview")


def _data_bytes(X) -> bytes:
    """Bytes of a matrix in a form that no platform, storage order or explicit zero can change."""
    if sparse.issparse(X):
        X = sparse.csr_array(X, copy=True)
        X.sum_duplicates()
        X.eliminate_zeros()
        parts = (X.indptr.astype("<i4"), X.indices.astype("<i4"), X.data.astype("<f8"))
        head = f"csr {X.shape[0]} {X.shape[1]}\n".encode()
        return head + b"".join(part.tobytes() for part in parts)
    X = np.asarray(X, dtype="<f8") + 0.0
    return f"dense {X.shape[0]} {X.shape[1]}\n".encode() + np.ascontiguousarray(X).tobytes()


def _class_sizes(labels, n_classes) -> list[int]:
    return np.bincount(labels, minlength=n_classes).tolist()


@dataclass(frozen=True, eq=False)
class Dataset:
    """Tasks or views with their labels, and how they were made.

    Attributes
    ----------
    name : str
        The name given to :func:`mtclib.datasets.load`.
    kind : {"multitask", "multiview"}
        Tasks have their own samples and share the features; views share the samples.
    Xs : list of ndarray or csr_array of float64
        Task t is (n_t, d); view v is (n, d_v).  Rows are samples.
    labels : list of ndarray of int, or ndarray of int
        One array a task; for views one array.  Classes are numbered from 0 in the order of `class_names`.
    task_names : tuple of str
        Names of the tasks or views.
    class_names : tuple of tuple of str
        Class names, one tuple a task (for views one tuple in all).
    edition : str
        Which edition of the source was used.
    preprocessing : tuple of dict
        The steps from source to matrix, in order, as data.
    sources : tuple of dict
        ``file`` and ``sha256`` of each file that was read.
    published : tuple of dict
        What the paper prints of each task or view: ``n_samples``, ``n_features``, ``class_sizes``.
    differences : tuple of str
        Why ours differs from `published`, one sentence a task or view.

    Examples
    --------
    >>> from mtclib.datasets import load
    >>> data = load("toy-multitask", random_state=0)
    >>> [X.shape for X in data.Xs], data.n_clusters
    ([(60, 40), (75, 40), (60, 40)], [3, 3, 3])
    """

    name: str
    kind: str
    Xs: list
    labels: list | np.ndarray
    task_names: tuple = ()
    class_names: tuple = ()
    edition: str = ""
    preprocessing: tuple = ()
    sources: tuple = ()
    published: tuple = ()
    differences: tuple = ()

    def __post_init__(self):
        if self.kind not in _KINDS:
            raise ValueError(f"kind must be one of {_KINDS}, not {self.kind!r}.")
        for t, (X, y) in enumerate(zip(self.Xs, self._labels_of_each(), strict=True)):
            if X.shape[0] != len(y):
                raise ValueError(f"labels: {len(y)} labels for the {X.shape[0]} samples of Xs[{t}].")

    def _labels_of_each(self):
        return self.labels if self.kind == "multitask" else [self.labels] * len(self.Xs)

    @property
    def n_clusters(self):
        """Number of classes: a list of int for tasks, an int for views."""
        sizes = [len(np.unique(y)) for y in self._labels_of_each()]
        return sizes if self.kind == "multitask" else sizes[0]

    @property
    def sha256(self) -> str:
        """SHA-256 over `kind`, `Xs` and `labels`: the same on every platform.

        Matrices enter as little-endian float64 (sparse ones in canonical CSR order, with int32 indices),
        labels as little-endian int32.  Names and notes do not enter.
        """
        digest = hashlib.sha256(f"{self.kind} {len(self.Xs)}\n".encode())
        for X in self.Xs:
            digest.update(_data_bytes(X))
        for y in self.labels if self.kind == "multitask" else [self.labels]:
            digest.update(f"labels {len(y)}\n".encode() + np.asarray(y, dtype="<i4").tobytes())
        return digest.hexdigest()

    def _published(self, t, field):
        return self.published[t].get(field) if self.published else None

    def _row(self, t, X, y) -> dict:
        names = self.class_names[t if self.kind == "multitask" else 0] if self.class_names else ()
        sizes = _class_sizes(y, len(names))
        row = {"samples": X.shape[0], "features": X.shape[1], "class sizes": " ".join(map(str, sizes))}
        if self.published:
            printed = self._published(t, "class_sizes")
            row["samples (paper)"] = self._published(t, "n_samples")
            row["features (paper)"] = self._published(t, "n_features")
            row["class sizes (paper)"] = " ".join(map(str, printed)) if printed else ""
            row["difference"] = self.differences[t] if self.differences else ""
        return row

    def summary(self) -> pd.DataFrame:
        """Sizes of each task or view, beside the ones that the paper prints.

        Returns
        -------
        DataFrame
            One row a task or view: samples, features, class sizes; then, where a paper prints them, its
            figures and why ours differ.

        Examples
        --------
        >>> from mtclib.datasets import load
        >>> load("toy-multitask", random_state=0).summary()["class sizes"].tolist()
        ['20 20 20', '25 25 25', '20 20 20']
        """
        each = self._labels_of_each()
        rows = [self._row(t, X, y) for t, (X, y) in enumerate(zip(self.Xs, each, strict=True))]
        label = "task" if self.kind == "multitask" else "view"
        names = self.task_names or tuple(str(t + 1) for t in range(len(rows)))
        return pd.DataFrame(rows, index=pd.Index(names, name=label))
