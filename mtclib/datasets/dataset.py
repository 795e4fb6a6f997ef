"""What every loader returns, and the figures that a paper prints of it beside ours."""

import hashlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

from mtclib.core.large import row_blocks

_KINDS = ("multitask", "multiview", "lifelong")

_PRINTED = {
    "n_samples": "samples", "n_features": "features", "class_sizes": "class sizes", "n_classes": "classes",
    "n_samples_in_all": "samples in all tasks", "scores": "scores",
}
"""What `Dataset.published` may hold of a task or view, and the column of the summary that shows it."""


def _hash_matrix(digest, X) -> None:
    """Feed a matrix in a form that no platform, storage order or explicit zero can change."""
    if sparse.issparse(X):
        X = sparse.csr_array(X, copy=True)
        X.sum_duplicates()
        X.eliminate_zeros()
        digest.update(f"csr {X.shape[0]} {X.shape[1]}\n".encode())
        for part, kind in ((X.indptr, "<i4"), (X.indices, "<i4"), (X.data, "<f8")):
            digest.update(part.astype(kind).tobytes())
        return
    X = np.asanyarray(X)
    digest.update(f"dense {X.shape[0]} {X.shape[1]}\n".encode())
    for rows in row_blocks(X):
        digest.update((np.asarray(X[rows], dtype="<f8") + 0.0).tobytes())


def _class_sizes(labels, n_classes) -> list[int]:
    return np.bincount(labels[labels >= 0], minlength=n_classes).tolist()


def _spaced(numbers) -> str:
    return " ".join(map(str, numbers))


@dataclass(frozen=True, eq=False)
class Dataset:
    """Tasks or views with their labels, and how they were made.

    Attributes
    ----------
    name : str
        The name given to :func:`mtclib.datasets.load`.
    kind : {"multitask", "multiview", "lifelong"}
        Tasks have their own samples and share the features; views share the samples; a lifelong set is a
        sequence of tasks, each seen through the same views.
    Xs : list of ndarray or csr_array of float64, or list of lists of them
        Task t is (n_t, d); view v is (n, d_v); in a lifelong set ``Xs[t][v]`` is (n_t, d_v).  Rows are
        samples.  A matrix too large for memory is a memory-mapped array of float32.
    labels : list of ndarray of int, or ndarray of int
        One array per task; for views one array.  Classes are numbered from 0 in the order of `class_names`;
        -1 marks a sample of no class, which is clustered with the others but not scored.
    task_names : tuple of str
        Names of the tasks, or of the views where there are no tasks.
    class_names : tuple of tuple of str
        Class names, one tuple per task (for views one tuple in all).
    edition : str
        Which edition of the source was used.
    preprocessing : tuple of dict
        The steps from source to matrix, in order, as data.
    sources : tuple of dict
        ``file`` and ``sha256`` of each file that was read.
    published : tuple of dict
        What the paper prints of each task or view, as far as it does: ``n_samples``, ``n_features``,
        ``class_sizes``, ``n_classes``, ``n_samples_in_all``, ``scores`` (whether a table scores the task).
    differences : tuple of str
        Why ours differs from `published`, one sentence per task or view.
    view_names : tuple of str
        Names of the views of a lifelong set.

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
    view_names: tuple = ()

    def __post_init__(self):
        if self.kind not in _KINDS:
            raise ValueError(f"kind must be one of {_KINDS}, not {self.kind!r}.")
        self._check_views()
        for t, (Xs, y) in enumerate(zip(self._matrices_of_each(), self._labels_of_each(), strict=True)):
            for v, X in enumerate(Xs):
                if X.shape[0] != len(y):
                    where = f"Xs[{t}][{v}]" if self.kind == "lifelong" else f"Xs[{t}]"
                    raise ValueError(f"labels: {len(y)} labels for the {X.shape[0]} samples of {where}.")

    def _check_views(self):
        if self.kind != "lifelong":
            return
        for t, views in enumerate(self.Xs):
            if not isinstance(views, list | tuple) or not views:
                raise ValueError(f"Xs: Xs[{t}] must be a list with the views of task {t + 1}.")
            widths, first = ([X.shape[1] for X in each] for each in (views, self.Xs[0]))
            if widths != first:
                raise ValueError(f"Xs: the views of task {t + 1} have {widths} features, those of task 1 "
                                 f"{first}; all tasks of a lifelong set have the same views.")

    def _matrices_of_each(self):
        return self.Xs if self.kind == "lifelong" else [[X] for X in self.Xs]

    def _labels_of_each(self):
        return [self.labels] * len(self.Xs) if self.kind == "multiview" else self.labels

    @property
    def n_clusters(self):
        """Number of classes: a list of int for tasks, an int for views."""
        sizes = [len(np.unique(y[y >= 0])) for y in self._labels_of_each()]
        return sizes[0] if self.kind == "multiview" else sizes

    @property
    def sha256(self) -> str:
        """SHA-256 over `kind`, `Xs` and `labels`: the same on every platform.

        Matrices enter as little-endian float64 (sparse ones in canonical CSR order, with int32 indices),
        labels as little-endian int32; a lifelong set also with the number of views of each task.  Names and
        notes do not enter.
        """
        digest = hashlib.sha256(f"{self.kind} {len(self.Xs)}\n".encode())
        for Xs in self._matrices_of_each():
            if self.kind == "lifelong":
                digest.update(f"task {len(Xs)}\n".encode())
            for X in Xs:
                _hash_matrix(digest, X)
        for y in [self.labels] if self.kind == "multiview" else self.labels:
            digest.update(f"labels {len(y)}\n".encode() + np.asarray(y, dtype="<i4").tobytes())
        return digest.hexdigest()

    def _row(self, t, Xs, y) -> dict:
        names = self.class_names[0 if self.kind == "multiview" else t] if self.class_names else ()
        widths = [X.shape[1] for X in Xs]
        ours = {
            "samples": len(y), "features": widths[0] if len(Xs) == 1 else _spaced(widths),
            "class sizes": _spaced(_class_sizes(y, len(names))), "classes": len(np.unique(y[y >= 0])),
            "samples in all tasks": sum(map(len, self._labels_of_each())),
        }
        printed = {key for of_each in self.published for key in of_each}
        shown = {"samples", "features", "class sizes", *(_PRINTED[key] for key in printed)}
        row = {column: value for column, value in ours.items() if column in shown}
        for key, column in _PRINTED.items():
            if key in printed:
                value = self.published[t].get(key, "")
                row[f"{column} (paper)"] = _spaced(value) if key == "class_sizes" else value
        if self.published:
            row["difference"] = self.differences[t] if self.differences else ""
        return row

    def summary(self) -> pd.DataFrame:
        """Sizes of each task or view, beside the ones that the paper prints.

        Returns
        -------
        DataFrame
            One row per task or view: samples, features (of each view, in a lifelong set), class sizes; then
            the figures that a paper prints and why ours differ.

        Examples
        --------
        >>> from mtclib.datasets import load
        >>> load("toy-multitask", random_state=0).summary()["class sizes"].tolist()
        ['20 20 20', '25 25 25', '20 20 20']
        """
        each = zip(self._matrices_of_each(), self._labels_of_each(), strict=True)
        rows = [self._row(t, Xs, y) for t, (Xs, y) in enumerate(each)]
        label = "view" if self.kind == "multiview" else "task"
        names = self.task_names or tuple(str(t + 1) for t in range(len(rows)))
        return pd.DataFrame(rows, index=pd.Index(names, name=label))


def differing(figures, reason="") -> str:
    """One sentence on the figures (what, ours, printed) that differ, and why; "none" if all agree."""
    parts = [f"{what}: {ours}, printed {printed}" for what, ours, printed in figures if ours != printed]
    return f"{'; '.join(parts)}. {reason}".rstrip() if parts else "none"


def printed_sizes(class_sizes, n_features) -> tuple[dict, ...]:
    """What a paper prints of tasks, as `Dataset.published` has it: the sizes of all classes of each."""
    return tuple({"n_samples": sum(row), "n_features": n_features, "class_sizes": list(row)}
                 for row in class_sizes)


def printed_table(n_samples, n_features, n_classes) -> tuple[dict, ...]:
    """The same of a table that has the numbers of samples and of classes of each task."""
    return tuple({"n_samples": n, "n_features": n_features, "n_classes": k}
                 for n, k in zip(n_samples, n_classes))


def with_printed(data: Dataset, rows=None, reason="", further=()) -> Dataset:
    """Return data with what a paper prints of each task, or of all views, and how ours differ from it.

    `rows` are those of `Dataset.published`, by default those that the data have; `further` are more figures
    to compare (what, ours, printed), a list for each task.  Of views a reason is told in any case.

    >>> data = Dataset("x", "multiview", [np.ones((3, 2))], np.array([0, 1, 1]))
    >>> with_printed(data, {"n_samples": 4}).differences
    ('samples: 3, printed 4.',)
    """
    rows = (rows,) * len(data.Xs) if isinstance(rows, dict) else rows or data.published
    sentences = []
    for t, (row, X, y) in enumerate(zip(rows, data.Xs, data._labels_of_each())):
        names = data.class_names[t] if "class_sizes" in row else ()
        figures = [*zip(names, _class_sizes(y, len(names)), row.get("class_sizes", ()))]
        ours = {"n_samples": len(y), "n_features": X.shape[1], "n_classes": len(np.unique(y[y >= 0]))}
        figures += [(key[2:], ours[key], row[key]) for key in ours
                    if key in row and not (names and key == "n_samples")]
        sentences.append(differing([*figures, *(further[t] if further else ())], reason))
    if data.kind == "multiview" and reason:
        sentences = [reason if sentence == "none" else sentence for sentence in sentences]
    return replace(data, published=tuple(rows), differences=tuple(sentences))


def call(name, function, params):
    """Call a function; a parameter that it does not have is a ValueError that lists those that it has."""
    signature = inspect.signature(function)
    try:
        signature.bind(**params)
    except TypeError as error:
        raise ValueError(f"{name}: {error}; it takes {', '.join(signature.parameters)}.") from error
    return function(**params)


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


LOADERS = {}
"""Data sets that :func:`mtclib.datasets.load` knows, by name."""


def loader(sets=None):
    """Decorator of a function that makes the data set of its own name, with ``-`` for ``_``; or, given a line
    about each, several `sets`, of whose names the last part is the first argument."""
    def register(function):
        for name, line in (sets or {function.__name__.replace("_", "-"): ""}).items():
            LOADERS[name] = Loader(function, name.rpartition("-")[2] if sets else "", line)
        return function

    return register
