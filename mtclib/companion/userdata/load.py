"""A user's own tasks or views: loaded from files, aligned by name, checked, described and scaled."""

import logging
import re
import tempfile
import unicodedata
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.io
import scipy.sparse as sp

from mtclib.companion.parameters import choose
from mtclib.companion.userdata.files import DataFileError, listed, read_table, sha256, short, split_path
from mtclib.core.base import ConstantViewWarning
from mtclib.core.large import extremes, row_blocks
from mtclib.datasets import Dataset
from mtclib.datasets.preparation import AUTOMATIC, SCALES, entries_of, prepare
from mtclib.datasets.synthetic import toy_multitask
from mtclib.datasets.tasks import vectorize_tasks
from mtclib.maths.linalg import as_dense

_log = logging.getLogger(__name__)
KINDS = ("tasks", "views")
LARGEST = 1e100
"""Squares of larger entries, summed, are beyond floating point."""

_WORD = r"[^\W\d_]+"  # letters of any alphabet; those of the papers' data are English
_NUMBER = re.compile(r"[-+]?\d+(\.\d*)?")
# Numbers as people and programs of other languages write them.
_WRITTEN = re.compile(r"[-+\u2212]?[$\u20ac\xa3]?\d[\d.,' \xa0]*([eEdD][-+]?\d+)?\s?[%$\u20ac\xa3]?")
_IDS, _CLASSES, _FEW = ("id", "index", "sample", "row"), ("class", "label", "target"), 5
AUTO = "auto"
_WORDS = {"tfidf-l2": "as tf-idf with rows of unit length",
          "sqrt-l2": "as square roots with rows of unit length",
          "minmax": "each feature scaled to a range of 2"}


@dataclass(frozen=True, eq=False)
class UserData(Dataset):
    """A `Dataset` from files, with the names of features and samples where the files give them."""

    feature_names: tuple = ()  # one entry per task or view: a tuple of str, or None
    sample_names: tuple = ()  # one entry per task, or one in all for views: an array of str, or None
    files: tuple = ()  # absolute paths of all that was read

    @property
    def labelled(self) -> bool:
        """Whether the class of any sample is known."""
        return any((y >= 0).any() for y in self._labels_of_each())


@dataclass(frozen=True, eq=False)
class Part:
    """The features of one file, and what was taken out of it."""

    name: str  # the path as given
    values: pd.DataFrame | np.ndarray | sp.csr_array
    columns: tuple | None = None  # names of the features
    labels: object = None
    ids: object = None  # names of the samples

    @property
    def rows(self) -> int:
        """Number of samples."""
        return self.values.shape[0]


def load(kind, paths, label_column=None, **options) -> UserData:
    """Load tasks or views, see :func:`load_tasks` and :func:`load_views`; ``label_column`` "" is None."""
    function = {"tasks": load_tasks, "views": load_views}[choose(kind, KINDS, "kind")]
    for name in options:
        choose(name, ("labels", "id_column", "text_column", "header"), "option")
    return function(paths, label_column or None, **options)


def load_tasks(paths: Sequence, label_column: str | None = None, *,
               labels: str | Path | Sequence | None = None, id_column: str | None = None,
               text_column: str | None = None, header: bool | None = None) -> UserData:
    """Load tasks: files with samples of their own and one set of features.

    Parameters
    ----------
    paths : list of path-like
        One file per task, see :func:`mtclib.companion.userdata.files.read_table`.
    label_column : str, optional
        Column (npz, mat: array) of every file with the class of each sample, for scoring only; an empty
        cell is a sample of unknown class.  With `labels`: column of those files.
    labels : list of path-like, optional
        Files with the classes, one per task, where they are not in the files of the tasks.
    id_column : str, optional
        Column with the name of each sample, for the files of results.
    text_column : str, optional
        Column with a text for each sample: the features are how often it has each word, but for English stop
        words, and nothing else.
    header : bool or None, default=None
        Whether the first line of CSV files names the columns; without, they are "1", "2", ...  None takes it
        for names, but refuses a line that may be data, as one of numbers alone.

    Returns
    -------
    UserData
        ``kind="multitask"``; dense float64 arrays, memory maps of npy files, or CSR arrays where the file is
        sparse.  Columns are in the order of the first file.  Classes of samples without label are -1.

    Raises
    ------
    DataFileError
        A `ValueError`: a file cannot be read, holds text, NaN or infinity, or other columns than the first.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     paths, options = write_example("tasks", folder)
    ...     [X.shape for X in load_tasks(paths, **options).Xs]
    [(60, 40), (75, 40), (60, 40)]
    """
    tables = _read_all(paths, "task", label_column, id_column, header, text_column)
    inside = None if labels else label_column
    parts = [split_columns(table, inside, id_column) for table in tables]
    features = _worded(parts, tables, text_column) if text_column else same_features(parts)
    if labels is not None:
        files = _label_files(labels, len(parts), "task", header)
        parts = [replace(part, labels=labels_beside(file, label_column, id_column, part))
                 for part, file in zip(parts, files)]
    codes, names = zip(*(class_codes(part.labels, part.rows, part.name) for part in parts))
    return _loaded("multitask", features, list(codes), names, [part.ids for part in parts], paths, labels)


def load_views(paths: Sequence, label_column: str | None = None, *,
               labels: str | Path | Sequence | None = None, id_column: str | None = None,
               text_column: str | None = None, header: bool | None = None) -> UserData:
    """Load views: files that describe the same samples by features of their own.

    Parameters
    ----------
    paths, label_column, header
        As for :func:`load_tasks`, one file per view; the labels of all views that have them must agree.
    labels : path-like or list with one path, optional
        File with the classes, where they are not in a view.
    id_column : str, optional
        Column of every file with the name of each sample: rows are then matched by it.  Without, row i of
        all files is taken to be the same sample.
    text_column : str, optional
        As for :func:`load_tasks`, of the views that have it.

    Returns
    -------
    UserData
        ``kind="multiview"``; arrays, labels and errors as in :func:`load_tasks`, rows in the order of the
        first file.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     paths, options = write_example("views", folder)
    ...     [X.shape for X in load_views(paths, **options).Xs]
    [(120, 4), (120, 30), (120, 3)]
    """
    tables = _read_all(paths, "view", label_column, id_column, header, text_column)
    inside = None if labels else label_column
    parts = [split_columns(table, inside, id_column, optional=True) for table in tables]
    if text_column:
        for i in [i for i, table in enumerate(tables) if text_column in (table.columns or ())] or [0]:
            parts[i : i + 1] = _worded(parts[i : i + 1], tables[i : i + 1], text_column)
    parts = [aligned(part, parts[0]) for part in parts]
    known = _agreed_labels(parts, inside)
    if labels is not None:
        labels = [labels] if isinstance(labels, str | Path) else labels
        known = labels_beside(_label_files(labels, 1, "set of views", header)[0], label_column, id_column,
                               parts[0])
    codes, classes = class_codes(known, parts[0].rows, parts[0].name)
    return _loaded("multiview", parts, codes, [classes], [parts[0].ids], paths, labels)


def _loaded(kind, parts, codes, class_names, ids, paths, labels):
    """The data of some parts, with names, hashes and places of all files that were read."""
    files = [Path(split_path(path)[0]).expanduser().resolve() for path in [*paths, *(labels or ())]]
    sources = tuple({"file": file.name, "sha256": sha256(file)} for file in files)
    Xs = [matrix(part) for part in parts]
    for part, X in zip(parts, Xs):
        _tell_what_are_no_features(part, X, all(one is None for one in ids), not any(class_names))
    return UserData(
        name="your data", kind=kind, Xs=Xs, labels=codes,
        class_names=tuple(class_names), task_names=_names(paths), edition="files", sources=sources,
        feature_names=tuple(part.columns for part in parts), sample_names=tuple(ids),
        files=tuple(map(str, files)))


def _tell_what_are_no_features(part, X, unnamed, unlabelled):
    """Say which column looks like names or classes of samples, where none are given, and counts as a feature;
    of several that number the samples none is told, for they may be ranks."""
    if part.columns is None or not isinstance(part.values, pd.DataFrame):
        return
    n, spans, numbering = len(X), np.ptp(X, axis=0), []
    for j in np.flatnonzero((np.floor(X) == X).all(axis=0)):
        name, different = part.columns[j].casefold(), partial(lambda x: len(np.unique(x)), X[:, j])
        if unnamed and n >= _FEW and (spans[j] == n - 1 or name in _IDS) and different() == n:
            numbering.append(part.columns[j])
        elif unlabelled and name in _CLASSES and 1 < different() <= n / 2:
            _log.warning("%s: the column %r counts as a feature; if it holds known classes, give it as "
                         "--label-column (label_column)", part.name, part.columns[j])
    if len(numbering) == 1:
        _log.warning("%s: the column %r numbers the samples and counts as a feature; if it only names them, "
                     "give it as --id-column (id_column)", part.name, numbering[0])


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


def _read_all(paths, what, label_column, id_column, header, text_column):
    for argument, value in (("label_column", label_column), ("id_column", id_column),
                            ("text_column", text_column)):
        if not isinstance(value, str | None):
            raise DataFileError(f"{argument} must be the name of one column, as text; got {value!r}")
    if not isinstance(header, bool | None):
        raise DataFileError(f"header must be True, False or None; got {header!r}")
    if not isinstance(paths, list | tuple) or not paths:
        raise DataFileError(f"paths must be a list with one file per {what}, not {paths!r}")
    return [read_table(path, header, text=(label_column, id_column, text_column)) for path in paths]


def _worded(parts, tables, text_column):
    """The same parts with the words of a column as features, counted over one vocabulary."""
    found = [_find_column(table, text_column, "text_column") for table in tables]
    texts = [[unicodedata.normalize("NFC", plain(text)) for text in one] for one in found]
    try:
        counts, _, words, _ = vectorize_tasks(texts, token_pattern=_WORD, weighting="counts", min_terms=0)
    except ValueError as error:
        raise DataFileError(f"{tables[0].name}: text_column {text_column!r}: {error}") from error
    return [replace(part, values=X, columns=tuple(words)) for part, X in zip(parts, counts)]


def _label_files(labels, number, what, header):
    if not isinstance(labels, list | tuple) or len(labels) != number:
        given = f"{len(labels)} file(s)" if isinstance(labels, list | tuple) else repr(labels)
        raise DataFileError(f"labels: {given} given; a list with one file per {what} is needed, "
                            f"in all {number}")
    return [read_table(path, header, "labels", text=None) for path in labels]


def _names(paths):
    """Short names: the array where one is chosen, else the file without ending; numbers make them differ."""
    given = [variable or Path(place).stem for place, variable in map(split_path, paths)]
    # What is no text in the name of a file, no picture can show.
    given = [name.encode("utf-8", "replace").decode() for name in given]
    names = []
    for i, name in enumerate(given, 1):
        numbered = (f"{name} ({j})" for j in count(i))
        names.append(name if given.count(name) == 1 else
                     next(new for new in numbered if new not in (*given, *names)))
    return tuple(names)


def describe(data: Dataset) -> pd.DataFrame:
    """What was loaded, and what bears on the choice of method and scaling: one row per task or view. Samples,
    features, whether stored sparse, zeros in percent, smallest and largest entry, features that are constant,
    samples that are all zero, and class sizes ("" if unknown)."""
    sizes, rows = data.summary()["class sizes"], []
    for X in data.Xs:
        lows, highs, stored, empty = zip(*(_figures(X[rows]) for rows in row_blocks(X)))
        low, high = np.min(lows, axis=0), np.max(highs, axis=0)
        rows.append({
            "samples": X.shape[0], "features": X.shape[1], "sparse": sp.issparse(X),
            "zeros (%)": round(100 * (1 - sum(stored) / (X.shape[0] * X.shape[1])), 1),
            "smallest": round(float(low.min()), 3), "largest": round(float(high.max()), 3),
            "constant features": int((low == high).sum()), "zero rows": sum(empty)})
    return pd.DataFrame(rows, index=sizes.index).assign(**{"class sizes": sizes})


def _figures(X):
    """Smallest and largest entry of each feature, numbers of entries other than zero and of empty rows."""
    count = X.count_nonzero if sp.issparse(X) else partial(np.count_nonzero, X)
    low, high = (np.ravel(as_dense(extreme(axis=0))) for extreme in (X.min, X.max))
    return low, high, int(count()), int((count(axis=1) == 0).sum())


def scale(data, scaling=AUTO) -> UserData:
    """Prepare the entries: by "auto", the kind of entries of the tasks together, or of each view, decides,
    as in the comparison of methods; else by one of `SCALES`. Tasks get one scale for all, so that they keep
    one feature space. What was done becomes a step of the ``preprocessing``."""
    choose(scaling, (AUTO, *SCALES), "scaling")
    if scaling == "none":
        return data
    groups = [data.Xs] if data.kind == "multitask" else [[X] for X in data.Xs]
    kinds = [entries_of(Xs) for Xs in groups] if scaling == AUTO else []
    done = [AUTOMATIC[kind] for kind in kinds] or [scaling] * len(groups)
    names = [data.task_names] if data.kind == "multitask" else [[name] for name in data.task_names]
    prepared, constant = zip(*map(_prepared, groups, done, names))
    step = {"step": "scale", "scaling": scaling} | ({"entries": kinds, "done": done} if kinds else {})
    equal = [name for group, known in zip(names, constant) for name in group if known]
    step |= {"all samples equal": equal} if equal else {}
    return replace(data, Xs=[X for Xs in prepared for X in Xs], preprocessing=(*data.preprocessing, step))


def _prepared(Xs, how, names):
    """Prepared matrices, and whether all their samples are equal."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = prepare(Xs, how)
        except ValueError as error:
            said = re.sub(r"Xs\[(\d+)\]( \(\w+ \d+\))?", lambda match: names[int(match[1])], str(error))
            raise DataFileError(f"{', '.join(names)}: cannot be scaled by {how!r}: {said.rstrip('.')}; or "
                                f"choose another --scaling, such as none") from error
    constant = [issubclass(one.category, ConstantViewWarning) for one in caught]
    for one in (one for one, known in zip(caught, constant) if not known):
        warnings.warn(one.message, stacklevel=3)
    return found, any(constant)


def preparation(data) -> list[str]:
    """What was done to the entries of the files, in words: a sentence for those to which it was the same.

    >>> preparation(scale(example("tasks")))
    ['north, south, west: measurements, each feature scaled to a range of 2']
    """
    said = dict.fromkeys(data.task_names, "as in the file")
    for step in (step for step in data.preprocessing if step.get("step") == "scale"):
        several = len(data.task_names) // len(step.get("done", [0]))
        for i, name in enumerate(data.task_names):
            how, kind = (step[key][i // several] if key in step else "" for key in ("done", "entries"))
            said[name] = f"{kind}, {_WORDS[how]}" if kind else step["scaling"]
            if name in step.get("all samples equal", ()):
                said[name] += "; all samples are equal, so that they tell no clusters apart"
    together = {words: [name for name in said if said[name] == words] for words in said.values()}
    return [f"{', '.join(names)}: {words}" for words, names in together.items()]


# ---- from a table to numbers: columns taken out, rows and columns matched, entries checked -----------------


def split_columns(table, label_column=None, id_column=None, optional=False) -> Part:
    """Take labels and names of samples out of a table; it may lack the labels if they are optional."""
    labels = _find_column(table, label_column, "label_column", optional)
    ids = _find_column(table, id_column, "id_column")
    if ids is not None:
        ids = np.array([plain(value) for value in ids])
        if "" in ids:
            raise DataFileError(f"{table.name}: row {list(ids).index('') + 1} has no name in {id_column!r}; "
                                f"each sample has one row and a name of its own")
        twice = pd.unique(ids[pd.Index(ids).duplicated()])
        if len(twice):
            raise DataFileError(f"{table.name}: names in {id_column!r} occur more than once: "
                                f"{listed(twice)}; each sample has one row and a name of its own")
    values, columns = table.values, table.columns
    if isinstance(values, pd.DataFrame):
        taken = [position for position, name in enumerate(map(str, values.columns))
                 if name not in (label_column, id_column)]
        values = values.iloc[:, taken]
        columns = tuple(map(str, values.columns)) if columns is not None else None
    if values.shape[1] == 0:
        raise DataFileError(f"{table.name}: no column of features is left beside labels and names; add them")
    return Part(table.name, values, columns, labels, ids)


def _find_column(table, name, argument, optional=False):
    if name is None:
        return None
    if name in table.vectors:
        found, rows = table.vectors[name], table.values.shape[0]
        if len(found) != rows:
            raise DataFileError(f"{table.name}: {argument} {name!r} has {len(found)} entries for {rows} "
                                f"samples; it needs one for each")
        return pd.Series(found)
    frame = isinstance(table.values, pd.DataFrame)
    known = list(map(str, table.values.columns)) if frame else list(table.vectors)
    if frame and name in known:
        return table.values.iloc[:, known.index(name)]
    if optional:
        return None
    held = f"it has {listed(known)}" if known else "it has a matrix without names only"
    raise DataFileError(f"{table.name}: there is no {argument} {name!r}; {held}")


def plain(value) -> str:
    """A label or name as text: the number 2.0 is "2", a missing one is ""; text stays, but for outer blanks.

    >>> plain(2.0), plain(float("nan")), plain(" NA "), plain("01")
    ('2', '', 'NA', '01')
    """
    if np.ndim(value) == 0 and pd.isna(value):
        return ""
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value).strip()


def same_features(parts) -> list:
    """Reorder all tasks' columns like those of the first that names its own; raise DataFileError if the sets
    differ."""
    first, result = next((part for part in parts if part.columns is not None), parts[0]), []
    for part in parts:
        if part.columns is not None:
            _check_names(part, first, "columns", "all tasks have the same features: add columns (zeros for "
                         "absent words), or drop them")
            values = part.values.set_axis(list(part.columns), axis=1)[list(first.columns)]
            part = replace(part, values=values, columns=first.columns)
        elif part.values.shape[1] != first.values.shape[1]:
            raise DataFileError(f"{part.name}: has {part.values.shape[1]} columns of features, but "
                                f"{first.name} has {first.values.shape[1]}; all tasks have the same "
                                f"features, and samples in rows")
        result.append(part)
    return result


def _check_names(part, first, what, remedy):
    """Raise DataFileError unless both parts have the same column (or sample) names, ignoring order."""
    wanted, held = (pd.Index(one.columns if what == "columns" else one.ids) for one in (first, part))
    missing, more = wanted.difference(held, sort=False), held.difference(wanted, sort=False)
    said = [f"lacks the {what} {listed(missing)}"] * bool(len(missing))
    said += [f"has the further {what} {listed(more)}"] * bool(len(more))
    if said:
        raise DataFileError(f"{part.name}: {' and '.join(said)}, compared with {first.name}; {remedy}")


def aligned(part, first) -> Part:
    """Bring the rows of a view into the order of the first, by the names of samples where both have them."""
    if part.rows != first.rows and (part.ids is None or first.ids is None):
        raise DataFileError(f"{part.name}: has {part.rows} samples, but {first.name} has {first.rows}; "
                            f"all files have the same samples in rows. Give id_column to match them by name; "
                            f"use header=False if first lines are data; transpose a matrix with samples in "
                            f"columns")
    if part.ids is None or first.ids is None:
        return part
    _check_names(part, first, "samples", "keep the samples that all files have")
    order = pd.Index(part.ids).get_indexer(first.ids)
    values = part.values.iloc[order] if isinstance(part.values, pd.DataFrame) else part.values[order]
    labels = None if part.labels is None else np.asarray(part.labels, dtype=object)[order]
    return replace(part, values=values, labels=labels, ids=first.ids)


def matrix(part):
    """The features as float64, dense or CSR, shape (n, d). The error for an entry that is no finite number
    names its column and row, from 1 without the header."""
    X = _from_frame(part) if isinstance(part.values, pd.DataFrame) else part.values
    if X.dtype.kind not in "biuf":
        raise DataFileError(f"{part.name}: the entries are of type {X.dtype}; save real numbers")
    # What is mapped from a file stays there.
    if not (isinstance(X, np.memmap) and X.dtype in (np.float32, np.float64)):
        with np.errstate(over="ignore"):  # what is too large for it is said below
            X = (X if sp.issparse(X) else np.asarray(X)).astype(np.float64)
    largest = float(np.abs(extremes(X.data if sp.issparse(X) else X)).max())
    if largest <= LARGEST:
        return X
    if np.isfinite(largest):
        raise DataFileError(f"{part.name}: has entries as large as {largest:.3g}, which overflow; divide "
                            f"the columns by a power of ten, or drop these rows")
    finite = np.isfinite(X.data if sp.issparse(X) else X)
    rows, columns = sp.coo_array(X).coords if sp.issparse(X) else np.nonzero(~finite)
    if sp.issparse(X):
        rows, columns = rows[~finite], columns[~finite]
    names = [_name(part, column) for column in dict.fromkeys(columns.tolist())]
    value = "an empty cell or NaN" if np.isnan(X[rows[0], columns[0]]) else "infinity"
    raise DataFileError(f"{part.name}: {value} in row {rows[0] + 1} of column {_name(part, columns[0])!r} "
                        f"(such entries: {(~finite).sum()}, in {listed(names)}); fill them in, or drop these "
                        f"rows or columns")


def _from_frame(part):
    frame, bad = part.values.copy(deep=False), {}
    for i, kind in enumerate(frame.dtypes):
        if not pd.api.types.is_numeric_dtype(kind):
            values = frame.iloc[:, i]
            numbers = pd.to_numeric(values.astype(str), errors="coerce")
            if len(wrong := values[numbers.isna() & values.notna()]):
                bad[i] = wrong
            else:  # numbers stored as text, or too large for integers
                frame.isetitem(i, numbers)
    if bad:
        wrong = next(iter(bad.values()))
        value, row = wrong.iloc[0], wrong.index[0] + 1
        names = listed(_name(part, i) for i in bad)
        what = f"the columns {names} do" if len(bad) > 1 else f"the column {names} does"
        remedy = _remedy(value, names, len(bad) == 1, 2 * len(wrong) <= len(frame) > 1,
                         frame.shape[1] == 1)
        raise DataFileError(f"{part.name}: {what} not hold numbers ({short(value)!r} in row {row}); {remedy}")
    return frame.to_numpy(dtype=np.float64, na_value=np.nan)


def _remedy(value, names, single, few, alone):
    """What to do about text in place of numbers: in a few places of a column, or in all of it."""
    cells, heads = (re.split(r"[\s,;|]+", str(text).strip()) for text in (value, names))
    if alone and all(map(_NUMBER.fullmatch, cells)) and (len(cells) == len(heads) > 1 or " " in str(value)):
        return "separate the columns by commas in a .csv file, by tabs in a .tsv file"
    if _WRITTEN.fullmatch(str(value)):
        return "write numbers with a decimal point, nothing between thousands, and no unit"
    if few and single:
        return "write a number there, or drop the row"
    if single:
        return (f"if it names the samples, give id_column {names}; if it holds classes, label_column "
                f"{names}; if it holds texts, text_column {names}; otherwise drop it")
    return ("give the one with the samples' names as id_column, the one with the classes as label_column, "
            "one with texts as text_column, and drop the others or turn them into numbers")


def _name(part, position):
    return str(part.values.columns[position] if isinstance(part.values, pd.DataFrame) else position + 1)


# ---- labels, from a column or from a file of their own -----------------------------------------------------


def class_codes(labels, rows, name):
    """Number the classes from 0, -1 where the cell is empty; the codes and the names, as written, in order.
    Numbers are ordered by size, text by the alphabet; labels that are fractional numbers are refused."""
    if labels is None:
        return np.full(rows, -1), ()
    text = [plain(value) for value in labels]
    names = sorted(set(text) - {""})
    if all(map(_NUMBER.fullmatch, names)):
        if broken := [name for name in names if not float(name).is_integer()]:
            raise DataFileError(f"{name}: the labels are fractional numbers, such as {broken[0]}, and so no "
                                f"classes; choose another label column, or round them")
        names.sort(key=float)
    code = {label: place for place, label in enumerate(names)} | {"": -1}
    return np.array([code[label] for label in text]), tuple(names)


def labels_beside(table, label_column, id_column, part):
    """Labels of the samples of `part` from a file of their own. `label_column` is needed if there are several
    columns; rows are matched by `id_column` where both have it."""
    known = list(map(str, table.values.columns)) if isinstance(table.values, pd.DataFrame) else None
    id_column = id_column if known and id_column in known and part.ids is not None else None
    if label_column is None:
        left = [name for name in known or range(table.values.shape[1]) if name != id_column]
        if len(left) > 1:
            raise DataFileError(f"{table.name}: has {len(left)} columns ({listed(left)}); name the one with "
                                f"the labels as label_column")
    if label_column is not None:
        found = _find_column(table, label_column, "label_column")
    elif known:
        found = next(table.values[name] for name in table.values.columns if str(name) != id_column)
    else:
        found = as_dense(table.values).ravel()
    ids = None if id_column is None else split_columns(table, None, id_column).ids
    found = Part(table.name, table.values, labels=found, ids=ids)
    return aligned(found, part if id_column else replace(part, ids=None)).labels


# ---- a small planted data set as files, to try the notebook ------------------------------------------------


def example(kind="tasks", seed=0) -> UserData:
    """The data of :func:`write_example`, written to a temporary folder and loaded from there."""
    with tempfile.TemporaryDirectory() as folder:
        paths, options = write_example(kind, folder, seed)
        return load(kind, paths, **options)


def write_example(kind, folder, seed=0):
    """Write a small planted data set; the paths, and the options for :func:`load`. Three tasks of word counts
    with three of five topics each, as CSV; or three views of four clusters, each view blind to something, as
    CSV, sparse npz and mat."""
    write = {"tasks": _write_tasks, "views": _write_views}[choose(kind, KINDS, "kind")]
    return list(map(str, write(Path(folder), seed))), {"label_column": "class"}


def _write_tasks(folder, seed):
    data = toy_multitask(random_state=seed, sharpness=0.4, weighting="counts")
    for name, X, y, classes in zip(("north", "south", "west"), data.Xs, data.labels, data.class_names):
        frame = pd.DataFrame(X.toarray().astype(int)).rename(columns=lambda j: f"word {j + 1}")
        frame["class"] = np.array(classes)[y]
        frame.to_csv(folder / f"{name}.csv", index=False)
        yield folder / f"{name}.csv"


def _write_views(folder, seed):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(4), 30)
    measured = rng.normal(size=(120, 4)) + 4.0 * np.eye(4)[np.minimum(y, 2)]
    words = rng.poisson(0.3 + 2.0 * np.repeat(np.eye(3)[np.maximum(y, 1) - 1], 10, axis=1))
    signals = rng.normal(size=(120, 3)) + 2.0 * (y % 2)[:, None]
    paths = [folder / name for name in ("measured.csv", "words.npz", "signals.mat")]
    frame = pd.DataFrame(measured.round(3), columns=["height", "width", "depth", "weight"])
    frame.assign(**{"class": [f"class {code + 1}" for code in y]}).to_csv(paths[0], index=False)
    sp.save_npz(paths[1], sp.csr_array(words))
    scipy.io.savemat(paths[2], {"signals": signals})
    return paths
