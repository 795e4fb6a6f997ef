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
from mtclib.core.paths import beside

_KINDS = ("multitask", "multiview", "lifelong")

_PRINTED = {
    "n_samples": "samples", "n_features": "features", "class_sizes": "class sizes", "n_classes": "classes",
    "n_samples_in_all": "samples in all tasks", "scores": "scores"}
"""What `Dataset.published` may hold of a task or view, and the column of the summary that shows it."""

SETS = beside(__package__, "sets.toml")
"""What is known of a set before a file is read, by its name; the head of the file says what."""


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


def _codes(name, given, names) -> np.ndarray:
    """Labels as integers; ValueError unless they number the classes, which names would else be read for."""
    y = np.asarray(given)
    with np.errstate(invalid="ignore"):
        codes = y.astype(int) if y.dtype.kind in "biuf" else np.empty(0)
    largest = len(names) - 1 if names else np.inf
    if y.ndim != 1 or not np.array_equal(codes, y) or ((codes < -1) | (codes > largest)).any():
        raise ValueError(f"{name} must number the classes from 0, in the order of class_names, one number for"
                         f" each sample, -1 where the class is unknown; numpy.unique(y, return_inverse=True) "
                         f"gives names and numbers.")
    return codes


def _figures(X, y, n_classes) -> dict:
    """What a paper may print of a task or view, of ours."""
    return {"n_samples": len(y), "n_features": X.shape[1], "n_classes": len(np.unique(y[y >= 0])),
            "class_sizes": np.bincount(y[y >= 0], minlength=n_classes).tolist()}


def _spaced(numbers) -> str:
    return " ".join(map(str, numbers))


@dataclass(frozen=True, eq=False, repr=False)
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
        Names of the tasks, or of the views where there are no tasks; numbers from 1 where none are given.
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
    >>> data
    <Dataset 'toy-multitask', multitask: 1 (60 x 40), 2 (75 x 40), 3 (60 x 40)>
    >>> data.n_clusters
    [3, 3, 3]
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
        names = tuple(self.task_names or (str(t + 1) for t in range(len(self.Xs))))
        object.__setattr__(self, "task_names", names)
        if len(names) != len(self.Xs):
            parts = "views" if self.kind == "multiview" else "tasks"
            raise ValueError(f"task_names: {len(names)} names for {len(self.Xs)} {parts}.")
        self._check_labels()
        for t, (Xs, y) in enumerate(zip(self._matrices_of_each(), self._labels_of_each(), strict=True)):
            for v, X in enumerate(Xs):
                if X.shape[0] != len(y):
                    where = f"Xs[{t}][{v}]" if self.kind == "lifelong" else f"Xs[{t}]"
                    raise ValueError(f"labels: {len(y)} labels for the {X.shape[0]} samples of {where}.")

    def __repr__(self) -> str:
        sizes = [" and ".join("{} x {}".format(*X.shape) for X in Xs) for Xs in self._matrices_of_each()]
        parts = ", ".join(f"{name} ({size})" for name, size in zip(self.task_names, sizes))
        return f"<{type(self).__name__} {self.name!r}, {self.kind}: {parts}>"

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

    def _check_labels(self):
        views = self.kind == "multiview"
        each, parts = [self.labels] if views else list(self.labels), 1 if views else len(self.Xs)
        classes = self.class_names or ((),) * parts
        if (len(each), len(classes)) != (parts, parts) or any(isinstance(names, str) for names in classes):
            raise ValueError(f"labels, class_names: give {parts} of each, all labels or names of a "
                             f"{'set of views' if views else 'task'} together.")
        codes = [_codes(f"labels[{t}]", y, names) for t, (y, names) in enumerate(zip(each, classes))]
        object.__setattr__(self, "labels", codes[0] if views else codes)

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

    def _classes_of(self, t) -> tuple:
        return self.class_names[0 if self.kind == "multiview" else t] if self.class_names else ()

    def _row(self, t, Xs, y) -> dict:
        ours = _figures(Xs[0], y, len(self._classes_of(t)))
        ours |= {"n_features": _spaced(X.shape[1] for X in Xs) if len(Xs) > 1 else Xs[0].shape[1],
                 "class_sizes": _spaced(ours["class_sizes"]),
                 "n_samples_in_all": sum(map(len, self._labels_of_each()))}
        printed = {key for of_each in self.published for key in of_each}
        shown = {"n_samples", "n_features", "class_sizes", *printed}
        row = {column: ours[key] for key, column in _PRINTED.items() if key in shown and key in ours}
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
        return pd.DataFrame(rows, index=pd.Index(self.task_names, name=label))


def printed(name, n_parts) -> tuple[dict, ...]:
    """What a paper prints of so many tasks or views of a set, as `Dataset.published` has it.

    >>> printed("mtcmrl-reuters", 1)
    ({'n_features': 6439, 'class_sizes': [63, 90, 53], 'n_samples': 206},)
    """
    figures = {key: value for key, value in SETS.get(name, {}).items() if key in _PRINTED}
    rows = [{key: value[min(t, len(value) - 1)] if isinstance(value, list) else value
             for key, value in figures.items()} for t in range(n_parts if figures else 0)]
    return tuple({**row, "n_samples": sum(row["class_sizes"])} if "class_sizes" in row else row
                 for row in rows)


def with_printed(data: Dataset, reason=None, further=()) -> Dataset:
    """Return data with what a paper prints of each task, or of all views, and how ours differ from it.

    A reason of None is the one that `SETS` gives; of views a reason is told in any case.  `further` are more
    figures to compare (what, ours, printed), a list for each task.

    >>> with_printed(Dataset("awa", "multiview", [np.ones((3, 2))], np.arange(3) % 2)).differences
    ('samples: 3, printed 30475; classes: 2, printed 50.',)
    """
    rows = data.published or printed(data.name, len(data.Xs))
    if reason is None:
        reason = SETS.get(data.name, {}).get("reason", "")
        reason = reason if isinstance(reason, str) else reason.get(data.edition, "")
    agreeing = reason if reason and data.kind == "multiview" else "none"
    sentences = []
    for t, (row, X, y) in enumerate(zip(rows, data.Xs, data._labels_of_each())):
        names = data._classes_of(t) if "class_sizes" in row else ()
        ours = _figures(X, y, len(names))
        figures = [*zip(names, ours.pop("class_sizes"), row.get("class_sizes", ()))]
        figures += [(_PRINTED[key], value, row[key]) for key, value in ours.items()
                    if key in row and not (names and key == "n_samples")]
        figures += further[t] if further else ()
        differ = "; ".join(f"{what}: {value}, printed {theirs}" for what, value, theirs in figures
                           if value != theirs)
        sentences.append(f"{differ}. {reason}".rstrip() if differ else agreeing)
    return replace(data, published=tuple(rows), differences=tuple(sentences))


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
        """Make the data set called `name`; a parameter that there is not is a ValueError that lists them."""
        function = partial(self.function, *filter(None, [self.argument]))
        signature = inspect.signature(function)
        try:
            signature.bind(**params)
        except TypeError as error:
            raise ValueError(f"{name}: {error}; it takes {', '.join(signature.parameters)}.") from error
        return function(**params)


LOADERS = {}
"""Data sets that :func:`mtclib.datasets.load` knows, by name."""


def loader(*names):
    """Decorator of a function that makes the data set of its own name, with ``-`` for ``_``; or several, of
    whose names the last part is its first argument, and of which `SETS` has a line."""
    def register(function):
        for name in names:
            LOADERS[name] = Loader(function, name.rpartition("-")[2], SETS[name]["line"])
        if not names:
            LOADERS[function.__name__.replace("_", "-")] = Loader(function)
        return function

    return register
