"""A user's own tasks or views: loaded from files, aligned by name, checked, described and scaled."""

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp

from mtclib.datafiles import DataFileError, Table, listed, read_table
from mtclib.datasets import Dataset
from mtclib.datasets.text import WEIGHTINGS, weigh
from mtclib.usage import choose
from mtclib.usercolumns import aligned, matrix, plain, same_features, split_columns
from mtclib.userlabels import class_codes, labels_beside
from mtclib.viewscaling import SCALINGS, scale_views

__all__ = ["DataFileError", "KINDS", "SCALES", "Table", "UserData", "describe", "load", "load_tasks",
           "load_views", "read_table", "scale"]  # fmt: skip

KINDS = ("tasks", "views")
SCALES = (*SCALINGS, *(name for name in WEIGHTINGS if name != "counts"))


@dataclass(frozen=True, eq=False)
class UserData(Dataset):
    """A `Dataset` from files, with the names of features and samples where the files give them.

    Attributes
    ----------
    feature_names : tuple of (tuple of str or None)
        One entry a task or view.
    sample_names : tuple of (ndarray of str or None)
        One entry a task, or one in all for views.
    """

    feature_names: tuple = ()
    sample_names: tuple = ()

    @property
    def labelled(self) -> bool:
        """Whether the class of any sample is known."""
        return any((y >= 0).any() for y in self._labels_of_each())


def load(kind, paths, label_column=None, **options) -> UserData:
    """Load tasks or views; see :func:`load_tasks` and :func:`load_views`.

    Parameters
    ----------
    kind : {"tasks", "views"}
    paths, label_column
        As in these; "" stands for None.
    **options
        ``labels``, ``id_column`` and ``header`` as in these.

    Returns
    -------
    UserData

    Raises
    ------
    ValueError
        If `kind` or an option is unknown, or as in these.
    """
    function = {"tasks": load_tasks, "views": load_views}[choose(kind, KINDS, "kind")]
    for name in options:
        choose(name, ("labels", "id_column", "header"), "option")
    return function(paths, label_column or None, **options)


def load_tasks(paths, label_column=None, *, labels=None, id_column=None, header=True) -> UserData:
    """Load tasks: files with samples of their own and one set of features.

    Parameters
    ----------
    paths : list of path-like
        One file a task, see :func:`mtclib.datafiles.read_table`.
    label_column : str, optional
        Column (npz, mat: array) of every file with the class of each sample, for scoring only; an empty
        cell is a sample of unknown class.  With `labels`: column of those files.
    labels : list of path-like, optional
        Files with the classes, one a task, where they are not in the files of the tasks.
    id_column : str, optional
        Column with the name of each sample, for the files of results.
    header : bool, default=True
        Whether the first line of CSV files names the columns; without, they are "1", "2", ...

    Returns
    -------
    UserData
        ``kind="multitask"``; dense float64 arrays, or CSR arrays where the file is sparse.  Columns are in
        the order of the first file.  Classes of samples without label are -1.

    Raises
    ------
    DataFileError
        A `ValueError`: a file cannot be read, holds text, NaN or infinity, or other columns than the first.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from mtclib.userexample import write_example
    >>> with TemporaryDirectory() as folder:
    ...     paths, options = write_example("tasks", folder)
    ...     [X.shape for X in load_tasks(paths, **options).Xs]
    [(60, 40), (75, 40), (60, 40)]
    """
    tables = _read_all(paths, "task", header)
    parts = [split_columns(table, None if labels else label_column, id_column) for table in tables]
    features = same_features(parts)
    if labels is not None:
        files = _label_files(labels, len(parts), "task", header)
        parts = [replace(part, labels=labels_beside(file, label_column, id_column, part))
                 for part, file in zip(parts, files)]
    coded = [class_codes(part.labels, part.rows, part.name) for part in parts]
    return UserData(
        name="your data", kind="multitask", Xs=[matrix(part) for part in features],
        labels=[codes for codes, _ in coded], class_names=tuple(names for _, names in coded),
        task_names=_names(paths), edition="files", sources=tuple(map(_source, paths)),
        feature_names=tuple(part.columns for part in features),
        sample_names=tuple(part.ids for part in parts))  # fmt: skip


def load_views(paths, label_column=None, *, labels=None, id_column=None, header=True) -> UserData:
    """Load views: files that describe the same samples by features of their own.

    Parameters
    ----------
    paths : list of path-like
        One file a view, see :func:`mtclib.datafiles.read_table`.
    label_column : str, optional
        Column (npz, mat: array) with the class of each sample, for scoring only, in one view or more; they
        must agree.  With `labels`: column of that file.
    labels : path-like or list with one path, optional
        File with the classes, where they are not in a view.
    id_column : str, optional
        Column of every file with the name of each sample: rows are then matched by it.  Without, row i of
        all files is taken to be the same sample.
    header : bool, default=True
        Whether the first line of CSV files names the columns; without, they are "1", "2", ...

    Returns
    -------
    UserData
        ``kind="multiview"``; arrays and labels as in :func:`load_tasks`, rows in the order of the first file.

    Raises
    ------
    DataFileError
        A `ValueError`: a file cannot be read, holds text, NaN or infinity, or other samples than the first.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from mtclib.userexample import write_example
    >>> with TemporaryDirectory() as folder:
    ...     paths, options = write_example("views", folder)
    ...     [X.shape for X in load_views(paths, **options).Xs]
    [(120, 4), (120, 30), (120, 3)]
    """
    tables = _read_all(paths, "view", header)
    inside = None if labels else label_column
    parts = [split_columns(table, inside, id_column, optional=True) for table in tables]
    parts = [aligned(part, parts[0]) for part in parts]
    known = _agreed_labels(parts, inside)
    if labels is not None:
        labels = [labels] if isinstance(labels, str | Path) else labels
        known = labels_beside(_label_files(labels, 1, "set of views", header)[0], label_column, id_column,
                               parts[0])
    codes, classes = class_codes(known, parts[0].rows, parts[0].name)
    return UserData(
        name="your data", kind="multiview", Xs=[matrix(part) for part in parts], labels=codes,
        class_names=(classes,), task_names=_names(paths), edition="files",
        sources=tuple(map(_source, paths)), feature_names=tuple(part.columns for part in parts),
        sample_names=(parts[0].ids,))  # fmt: skip


def _agreed_labels(parts, label_column):
    """The labels that some views hold; None if none was asked for."""
    found = [part for part in parts if part.labels is not None]
    if label_column and not found:
        raise DataFileError(f"label_column: no view has a column {label_column!r}; the first has "
                            f"{listed(parts[0].columns or ()) or 'no names'}")
    for part in found[1:]:
        if list(map(plain, part.labels)) != list(map(plain, found[0].labels)):
            raise DataFileError(f"{part.name}: the labels in {label_column!r} differ from those of "
                                f"{found[0].name}; all views have the same samples in the same order")
    return found[0].labels if found else None


def _read_all(paths, what, header):
    if isinstance(paths, str | Path) or not isinstance(paths, list | tuple) or not paths:
        raise DataFileError(f"paths must be a list with one file a {what}, not {paths!r}")
    return [read_table(path, header) for path in paths]


def _label_files(labels, number, what, header):
    if isinstance(labels, str | Path) or len(labels) != number:
        given = 1 if isinstance(labels, str | Path) else len(labels)
        raise DataFileError(f"labels: {given} file(s) given; a list with one file a {what} is needed, in all "
                            f"{number}")
    return [read_table(path, header) for path in labels]


def _names(paths):
    """Short names: the array where one is chosen, else the file without ending; numbers make them differ."""
    chosen = [str(path).partition("::") for path in paths]
    names = [variable or Path(place).stem for place, _, variable in chosen]
    return tuple(name if names.count(name) == 1 else f"{name} ({i})" for i, name in enumerate(names, 1))


def _source(path):
    file = Path(str(path).partition("::")[0]).expanduser()
    with file.open("rb") as handle:
        return {"file": file.name, "sha256": hashlib.file_digest(handle, "sha256").hexdigest()}


def describe(data) -> pd.DataFrame:
    """What was loaded, and what bears on the choice of method and scaling.

    Parameters
    ----------
    data : Dataset

    Returns
    -------
    DataFrame
        One row a task or view: samples, features, whether stored sparse, zeros in percent, smallest and
        largest entry, features that are constant, samples that are all zero, and class sizes ("" if unknown).

    Examples
    --------
    >>> from mtclib.userexample import example
    >>> describe(example("tasks"))["class sizes"].tolist()
    ['20 20 20', '25 25 25', '20 20 20']
    """
    sizes = data.summary()["class sizes"]
    rows = [_described(X) for X in data.Xs]
    return pd.DataFrame(rows, index=sizes.index).assign(**{"class sizes": sizes})


def _described(X):
    ends = (extreme(axis=0) for extreme in (X.min, X.max))
    low, high = (np.ravel(end.toarray() if sp.issparse(end) else end) for end in ends)
    stored = X.count_nonzero() if sp.issparse(X) else np.count_nonzero(X)
    lengths = np.asarray(abs(X).sum(axis=1)).ravel()
    return {
        "samples": X.shape[0], "features": X.shape[1], "sparse": sp.issparse(X),
        "zeros (%)": round(100 * (1 - stored / (X.shape[0] * X.shape[1])), 1),
        "smallest": round(float(low.min()), 3), "largest": round(float(high.max()), 3),
        "constant features": int((low == high).sum()), "zero rows": int((lengths == 0).sum()),
    }  # fmt: skip


def scale(data, scaling) -> UserData:
    """Scale the features or samples.

    Parameters
    ----------
    data : UserData
    scaling : str
        One of `SCALES`: "none"; those of :func:`mtclib.viewscaling.scale_views`, such as "rows" (each sample
        to length 1), "minmax" and "zscore"; for counts those of :func:`mtclib.datasets.text.weigh`, such as
        "tfidf-l2".  Tasks get one scale for all, so that they keep one feature space.

    Returns
    -------
    UserData
        The scaling is a step of its `preprocessing`.  Sparse matrices stay sparse.

    Raises
    ------
    ValueError
        If `scaling` is unknown, or is for counts and an entry is negative.

    Examples
    --------
    >>> from mtclib.userexample import example
    >>> data = scale(example("tasks"), "rows")
    >>> bool(np.allclose(np.linalg.norm(data.Xs[0], axis=1), 1))
    True
    """
    choose(scaling, SCALES, "scaling")
    if scaling == "none":
        return data
    tasks = data.kind == "multitask"
    if scaling not in SCALINGS:
        Xs = weigh(data.Xs, scaling) if tasks else [weigh([X], scaling)[0] for X in data.Xs]
    elif tasks:
        ends = np.cumsum([0, *(X.shape[0] for X in data.Xs)])
        stack = sp.vstack(data.Xs, format="csr") if any(map(sp.issparse, data.Xs)) else np.vstack(data.Xs)
        (X,) = scale_views([stack], scaling)
        Xs = [X[start:end] for start, end in zip(ends, ends[1:])]
    else:
        Xs = scale_views(data.Xs, scaling)
    return replace(data, Xs=Xs, preprocessing=(*data.preprocessing, {"step": "scale", "scaling": scaling}))
