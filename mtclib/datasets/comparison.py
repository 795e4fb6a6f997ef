"""Views and tasks of many kinds and many sources, which the comparison of all methods has beside the papers'.

They are the files that circulate between authors.  The table ``comparison.toml`` says what is taken from
each, and what is odd about it.
"""

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from mtclib.core.checks import check_option
from mtclib.datasets.dataset import Dataset
from mtclib.datasets.fetching import fetch
from mtclib.datasets.formats import as_codes, read_mat
from mtclib.datasets.tasks import source_record
from mtclib.datasets.text import weigh
from mtclib.maths.scaling import apply_scale, find_scale

TABLE = tomllib.loads(Path(__file__).with_name("comparison.toml").read_text(encoding="utf-8"))
"""All that is known of each data set, by its name."""

PREPARATIONS = {
    "stored": {"counts": "counts", "ready": "counts", "measured": "none"},
    "first": {"counts": "tfidf-l2", "ready": "counts-l2", "measured": "minmax"},
    "second": {"counts": "log-l2", "ready": "counts", "measured": "zscore"},
}
"""What is done to each kind of entries: weights (`datasets.text.weigh`) or scales (`maths.scaling`)."""

MISSING = 1 / 3
"""A feature that lacks more than this share of the samples of a task is left out of all tasks."""

ZERO_IS_MISSING = [3, 4]
"""Blood pressure and cholesterol among the columns of Heart."""


def views(name, preparation="stored") -> Dataset:
    """Views of the same samples; see :func:`mtclib.datasets.available` for what each set is.

    Parameters
    ----------
    name : str
        With ``views`` in `TABLE`.
    preparation : {"stored", "first", "second"}, default="stored"
        As in the file; or by the kind of entries, the same for every set and never by labels.  "first":
        counts as tf-idf with rows of unit length; what is 0 or 1, a link or a weight with rows of unit
        length; measurements with each feature in a range of length 2.  "second": logarithms of counts with
        rows of unit length; 0 or 1, links and weights as stored; measurements with variance 1.

    Returns
    -------
    Dataset
        Sparse views, dense ones where entries are measurements; samples as in the file.
    """
    row, how = TABLE[name], PREPARATIONS[check_option("preparation", preparation, PREPARATIONS)]
    (path,) = _paths(row)
    cells, classes = (variable.ravel() for variable in read_mat(path, *row["variables"]))
    Xs = [_prepared([_matrix(cells[place], row, entries)], how, entries)[0]
          for place, _, entries in row["views"]]
    stored = np.ravel(classes[0] if classes.dtype == object else classes).astype(int)
    names = _class_names(row, [stored])
    return _dataset(name, "multiview", Xs, as_codes(stored, range(1, len(names) + 1)), (names,),
                    [view for _, view, _ in row["views"]], preparation)


def tasks(name, preparation="stored") -> Dataset:
    """Tasks with the same features; see :func:`mtclib.datasets.available` for what each set is.

    Parameters
    ----------
    name : str
        With ``read`` in `TABLE`.
    preparation : {"stored", "first", "second"}, default="stored"
        As for :func:`views`, over the samples of all tasks.

    Returns
    -------
    Dataset
        Tasks of counts are sparse.  A class that a task lacks is not among its clusters.
    """
    row, how = TABLE[name], PREPARATIONS[check_option("preparation", preparation, PREPARATIONS)]
    Xs, stored = zip(*READERS[row["read"]](_paths(row)))
    stored = [np.ravel(y).astype(int) for y in stored]
    names, lowest = _class_names(row, stored), min(map(np.min, stored))
    labels = [as_codes(y, range(lowest, lowest + len(names))) for y in stored]
    Xs = _prepared([_matrix(X, row, row["entries"]) for X in Xs], how, row["entries"])
    return _dataset(name, "multitask", Xs, labels, (names,) * len(Xs), row["names"], preparation)


def _paths(row):
    return [f"comparison/{file}" for file in row["files"]]


def _class_names(row, stored):
    return tuple(row.get("classes", map(str, np.unique(np.concatenate(stored)))))


def _matrix(X, row, entries):
    X = X.T if row.get("columns") else X
    if entries == "measured":
        return np.ascontiguousarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
    return sparse.csr_array(X, dtype=np.float64)


def _prepared(Xs, how, entries):
    if entries != "measured":
        return weigh(Xs, how[entries])
    scale = find_scale(np.vstack(Xs), how[entries])
    # Rounded, so that the last bit of a platform's sum does not show.
    return Xs if how[entries] == "none" else [np.round(apply_scale(X, scale), 9) + 0.0 for X in Xs]


def _dataset(name, kind, Xs, labels, class_names, names, preparation):
    row = TABLE[name]
    steps = [{"step": "choose", "note": row["note"]}] if "note" in row else []
    return Dataset(
        name=name, kind=kind, Xs=Xs, labels=labels, task_names=tuple(names), class_names=class_names,
        edition="as it circulates", sources=tuple(map(source_record, _paths(row))),
        preprocessing=(*steps, {"step": "prepare", "preparation": preparation}),
    )  # fmt: skip


# Readers of tasks: matrix and stored classes of each.


def _domains(paths):
    return [read_mat(path, "fts", "labels") for path in paths]


def _source_and_target(paths):
    first, first_y, second, second_y = read_mat(*paths, "X_src", "Y_src", "X_tar", "Y_tar")
    return [(first.T, first_y), (second.T, second_y)]


def _batches(paths):
    for path in paths:
        X, y = load_svmlight_file(fetch(path))
        yield X.toarray(), y


def _speakers(paths):
    table = np.loadtxt(fetch(*paths), delimiter=",")
    of_each = [table[table[:, 1] == speaker] for speaker in np.unique(table[:, 1])]
    return [(rows[:, 3:-1], rows[:, -1]) for rows in of_each]


def _hospitals(paths):
    tables = [pd.read_csv(fetch(path), header=None, na_values="?") for path in paths]
    for table in tables:
        table[ZERO_IS_MISSING] = table[ZERO_IS_MISSING].replace(0, np.nan)
    often = pd.concat([table.isna().mean() for table in tables], axis=1).max(axis=1) <= MISSING
    kept = often.index[often][:-1]
    return [(table[kept].fillna(table[kept].median()).to_numpy(), table.iloc[:, -1]) for table in tables]


READERS = {"domains": _domains, "source_and_target": _source_and_target, "batches": _batches,
           "speakers": _speakers, "hospitals": _hospitals}  # fmt: skip
