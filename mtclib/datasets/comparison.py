"""Views and tasks of many kinds and many sources, which the comparison of all methods has beside the papers'.

They are the files that circulate between authors.  The table ``comparison.toml`` says what is taken from
each, and what is odd about it.
"""

from io import StringIO

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from mtclib.core.checks import check_option
from mtclib.core.paths import beside
from mtclib.datasets.dataset import LOADERS, Dataset, Loader
from mtclib.datasets.fetching import fetch
from mtclib.datasets.formats import as_codes, read_mat
from mtclib.datasets.preparation import AUTOMATIC, entries_of, prepare
from mtclib.datasets.tasks import source_record

TABLE = beside(__package__, "comparison.toml")
"""All that is known of each data set, by its name."""

PREPARATIONS = {
    "stored": {"counts": "counts", "ready": "counts", "measured": "none"},
    "first": AUTOMATIC,
    "second": {"counts": "log-l2", "ready": "counts", "measured": "zscore"},
}
"""What is done to each kind of entries, see :func:`mtclib.datasets.preparation.prepare`."""

MISSING = 1 / 3
"""A feature that lacks more than this share of the samples of a task is left out of all tasks."""

WINDOWS, EACH = 200, 5
"""Least windows of a person of WISDM, activities, and windows of each of these."""

ZERO_IS_MISSING = [3, 4]
"""Blood pressure and cholesterol among the columns of Heart."""


def circulating(name, preparation="stored") -> Dataset:
    """Views or tasks as they circulate; see :func:`mtclib.datasets.available` for what each set is.

    Parameters
    ----------
    name : str
        In `TABLE`.
    preparation : {"stored", "first", "second"}, default="stored"
        As in the file; or by the kind of entries, the same for every set and never by labels.  "first": as
        `cluster` prepares a user's files, by the kind of entries that the data show.  "second": logarithms of
        counts with rows of unit length; 0 or 1, links and weights as stored; measurements with variance 1.
        Over the samples of a view, or of all tasks.

    Returns
    -------
    Dataset
        Matrices are sparse, but those of measurements dense; samples as in the file.  A class that a task
        lacks is not among its clusters.
    """
    row, how = TABLE[name], PREPARATIONS[check_option("preparation", preparation, PREPARATIONS)]
    paths = [f"comparison/{file}" for file in row["files"]]
    views = "variables" in row
    Xs, stored = _views(row, paths) if views else zip(*READERS[row["read"]](paths))
    stored = [np.ravel(y).astype(int) for y in stored]
    first = min(map(np.min, stored))
    names = tuple(row.get("classes", map(str, np.unique(np.concatenate(stored)))))
    labels = [as_codes(y, range(first, first + len(names))) for y in stored]
    same = row["entries"]
    entries = same if isinstance(same, list) else [same] * len(row["names"])
    groups = [[part] for part in zip(Xs, entries)] if views else [list(zip(Xs, entries))]
    notes = [{"step": "choose", "note": row["note"]}] if "note" in row else []
    return Dataset(
        name=name, kind="multiview" if views else "multitask", edition="as it circulates",
        Xs=[X for group in groups for X in _prepared(group, how)], labels=labels[0] if views else labels,
        task_names=tuple(row["names"]), class_names=(names,) * len(labels),
        sources=tuple(map(source_record, paths)),
        preprocessing=(*notes, {"step": "prepare", "preparation": preparation}))


LOADERS.update((name, Loader(circulating, name, row["line"])) for name, row in TABLE.items())


def _views(row, paths):
    cells, classes = (variable.ravel() for variable in read_mat(*paths, *row["variables"]))
    Xs = [X.T for X in cells] if row.get("columns") else cells
    return Xs, [classes[0] if classes.dtype == object else classes]


def _prepared(parts, how):
    """Matrices with their kind of entries, which share a scale."""
    measured = parts[0][1] == "measured"
    Xs = [np.ascontiguousarray(X, dtype=np.float64) if measured else sparse.csr_array(X, dtype=np.float64)
          for X, _ in parts]
    Xs = prepare(Xs, how[entries_of(Xs) if how is AUTOMATIC else parts[0][1]])
    # Rounded, so that the last bit of a platform's sum does not show.
    return [X if sparse.issparse(X) or how is PREPARATIONS["stored"] else np.round(X, 9) + 0.0 for X in Xs]


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


def _regions(paths):
    table = pd.read_csv(fetch(*paths))
    codes, _ = pd.factorize(table["area"], sort=True)
    return [(rows.loc[:, "palmitic":].to_numpy(), codes[rows.index]) for _, rows in table.groupby("region")]


def _persons(paths):
    lines = fetch(*paths).read_text().partition("@data")[2]
    table = pd.read_csv(StringIO(lines), header=None, na_values="?")
    codes, _ = pd.factorize(table.iloc[:, -1], sort=True)
    found = [(rows.iloc[:, 2:-1], codes[rows.index]) for _, rows in table.groupby(1)
             if len(rows) >= WINDOWS and (rows.iloc[:, -1].value_counts() >= EACH).sum() >= EACH]
    filled = [X.fillna(X.median()) for X, _ in found]
    spread = np.ptp(pd.concat(filled).to_numpy(), axis=0) > 0
    return [(X.to_numpy()[:, spread], y) for X, (_, y) in zip(filled, found)]


def _fields(paths):
    for cells, classes in (read_mat(path, "features", "labels") for path in paths):
        yield [np.vstack([vector.ravel() for part in cells.ravel() for vector in part.ravel()]),
               np.concatenate([part.ravel() for part in classes.ravel()])]


READERS = {"domains": _domains, "source_and_target": _source_and_target, "batches": _batches,
           "speakers": _speakers, "hospitals": _hospitals, "regions": _regions, "persons": _persons,
           "fields": _fields}
