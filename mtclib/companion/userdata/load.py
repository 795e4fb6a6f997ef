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
from typing import Any

import numpy as np
import pandas as pd
import scipy.io
import scipy.sparse as sp

from mtclib.companion.parameters import choose
from mtclib.companion.userdata.files import DataFileError, Table, listed, read_table, short, split_path
from mtclib.core.base import ConstantViewWarning
from mtclib.core.checks import empty_samples
from mtclib.core.large import extremes, row_blocks
from mtclib.core.paths import file_hash
from mtclib.datasets import Dataset
from mtclib.datasets.preparation import AUTOMATIC, SCALES, entries_of, prepare
from mtclib.datasets.synthetic import toy_multitask
from mtclib.datasets.tasks import vectorize_tasks
from mtclib.maths.linalg import as_dense

_log = logging.getLogger(__name__)
KINDS = ("tasks", "views")
LARGEST = 1e100  # squares of larger entries, summed, are beyond floating point; so are those of its inverse
_WORD = r"[^\W\d_]+"  # letters of any alphabet; those of the papers' data are English
_NUMBER = re.compile(r"[-+]?\d+(\.\d*)?([eE][-+]?\d+)?")
# Numbers as people and programs of other languages write them.
_WRITTEN = re.compile(r"[-+\u2212]?[$\u20ac\xa3]?\d[\d.,'_\u2019\s]*([eEdD][-+]?\d+)?\s?[%$\u20ac\xa3]?")
# What programs write for a missing value: all nines, and the ends of whole numbers of 16 and 32 bits.
_MISSING = np.append(10.0 ** np.arange(3, 16) - 1, 2.0 ** np.array([15, 31])[:, None] - [1, 0])
_IDS, _CLASSES, _FEW = ("id", "index", "sample", "row"), ("class", "cluster", "label", "target"), 5
AUTO = "auto"
_WORDS = {"tfidf-l2": "as tf-idf with rows of unit length",
          "sqrt-l2": "as square roots with rows of unit length",
          "minmax": "each feature scaled to a range of 2"}


@dataclass(frozen=True, eq=False, repr=False)
class UserData(Dataset):
    """A `Dataset` from files, with the names of features and samples where the files give them."""

    feature_names: tuple = ()  # one entry per task or view: a tuple of str, or None
    sample_names: tuple = ()  # one entry per task, or one in all for views: an array of str, or None
    files: tuple = ()  # absolute paths of all that was read

    @property
    def labelled(self) -> bool:
        """Whether the class of any sample is known."""
        return any((y >= 0).any() for y in self._labels_of_each())


def load(kind: str, paths: Sequence, label_column: str | None = None, *,
         labels: Any = None, id_column: str | None = None, text_column: str | None = None,
         header: bool | None = None, **unknown: Any) -> UserData:
    """Load tasks, files with samples of their own and one set of features, or views of the same samples.

    `paths` has one file per task or view, see :func:`mtclib.companion.userdata.files.read_table`.

    - `label_column` (npz, mat: array) has the class of each sample, for scoring only, and an empty cell where
      it is unknown (-1).  Every task has it; those views that have it must agree.
    - `labels`: files with the classes, and that column, one per task or one for all views.
    - `id_column` of every file has the names of the samples, by which rows of views are matched; without, the
      index of parquet has, and row i of views without names is taken to be the same sample.
    - `text_column` has texts: the features are how often a sample has each word, but for English stop words,
      and nothing else.
    - `header`: whether the first line of CSV files names the columns; without, they are "1", "2", ...  None
      takes it for names, but refuses a line that may be data, as one of numbers alone.

    Arrays are float64, memory maps of npy files, or CSR where the file is sparse; columns of tasks, and rows
    of views, are in the order of the first file that names them.  DataFileError, a `ValueError`, if a file
    cannot be read, holds text, NaN or infinity, or does not fit to the first.
    """
    what = choose(kind, KINDS, "kind").removesuffix("s")
    for name in unknown:
        choose(name, ("labels", "id_column", "text_column", "header"), "option")
    label_column = label_column or None
    parts = _read_all(what, paths, label_column, labels, id_column, text_column, header)
    if kind == "tasks":
        parts = owners = same_features(parts)
    else:
        first = next((part for part in parts if part.ids is not None), parts[0])
        parts = [aligned(part, first) for part in parts]
        owners = [replace(first, labels=_agreed_labels(parts, label_column))]
    if labels is not None:
        labels = [labels] if kind == "views" and isinstance(labels, str | Path) else labels
        beside = _label_files(labels, len(owners), what if kind == "tasks" else "set of views", header)
        owners = [replace(part, labels=labels_beside(file, label_column, id_column, part))
                  for part, file in zip(owners, beside)]
    codes, class_names = zip(*map(class_codes, owners))
    ids = tuple(map(_as_written, owners))
    for part in parts:
        _tell_what_are_no_features(part, all(one is None for one in ids), not any(class_names))
        _tell_what_may_be_missing(part)
    files = [Path(split_path(path)[0]).expanduser().resolve() for path in [*paths, *(labels or ())]]
    return UserData(
        name="your data", kind="multitask" if kind == "tasks" else "multiview",
        Xs=[part.values for part in parts], labels=list(codes) if kind == "tasks" else codes[0],
        class_names=class_names, task_names=_names(paths), edition="files",
        sources=tuple({"file": file.name, "sha256": file_hash(file)} for file in files),
        feature_names=tuple(part.columns if part.named else None for part in parts), sample_names=ids,
        files=tuple(map(str, files)))


def load_tasks(paths: Sequence, label_column: str | None = None, **options: Any) -> UserData:
    """Tasks as :func:`load` gives them, with its options.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths, options = write_example("tasks", folder)
    ...     [X.shape for X in load_tasks(paths, **options).Xs]
    [(60, 40), (75, 40), (60, 40)]
    """
    return load("tasks", paths, label_column, **options)


def load_views(paths: Sequence, label_column: str | None = None, **options: Any) -> UserData:
    """Views as :func:`load` gives them, with its options.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths, options = write_example("views", folder)
    ...     [X.shape for X in load_views(paths, **options).Xs]
    [(120, 4), (120, 30), (120, 3)]
    """
    return load("views", paths, label_column, **options)


def _tell_what_are_no_features(part, unnamed, unlabelled):
    """Say which column looks like names or classes of samples, where none are given, and counts as a feature;
    of several that number the samples none is told, for they may be ranks."""
    X = part.values
    if not part.named or sp.issparse(X):
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


def _tell_what_may_be_missing(part):
    """Say which columns have a code of missing values farther from all other numbers than these lie apart."""
    X = part.values
    if sp.issparse(X):
        return
    found = []
    edges = [edge for rows in row_blocks(X) for edge in (X[rows].min(axis=0), X[rows].max(axis=0))]
    for j in np.flatnonzero(np.isin(np.abs(edges), _MISSING).any(axis=0)):
        codes = np.isin(np.abs(X[:, j]), _MISSING)
        others = X[~codes, j]
        if len(others) and np.abs(X[codes, j] - np.median(others)).min() > 2 * np.ptp(others) > 0:
            found.append((part.columns[j] if part.named else int(j) + 1, X[codes, j][0]))
    if found:
        _log.warning("%s: the column %r%s holds %.0f, far from all its other numbers; if this says that "
                     "a value is missing, fill such cells or leave out their rows", part.name, found[0][0],
                     f", like {len(found) - 1} more," if found[1:] else "", found[0][1])


def _agreed_labels(parts, label_column):
    """The labels that some views hold; None if none does."""
    found = [part for part in parts if part.labels is not None]
    for part in found[1:]:
        if list(map(plain, part.labels)) != list(map(plain, found[0].labels)):
            raise DataFileError(f"{part.name}: the labels in {label_column!r} differ from those of "
                                f"{found[0].name}; all views have the same samples in the same order")
    return found[0].labels if found else None


def _read_all(what, paths, label_column, labels, id_column, text_column, header):
    """The files with their features as numbers, names of samples and, unless others are given, labels."""
    asked = {"label_column": label_column, "id_column": id_column, "text_column": text_column}
    for argument, value in asked.items():
        if not isinstance(value, str | None):
            raise DataFileError(f"{argument} must be the name of one column, as text; got {value!r}")
    if not isinstance(header, bool | None):
        raise DataFileError(f"header must be True, False or None; got {header!r}")
    if not isinstance(paths, list | tuple) or not paths:
        raise DataFileError(f"paths must be a list with one file per {what}, not {paths!r}")
    tables = [read_table(path, header, text=(label_column, id_column, text_column)) for path in paths]
    label_column = None if labels else label_column  # beside other labels it is no feature either
    if label_column and what == "view" and not any(label_column in table.vectors for table in tables):
        raise DataFileError(f"label_column: no view has a column {label_column!r}; the first has "
                            f"{listed(tables[0].known) or 'no names'}")
    if text_column and what == "task":
        tables = _worded(tables, text_column)
    elif text_column:
        for i in [i for i, table in enumerate(tables) if text_column in table.vectors] or [0]:
            tables[i : i + 1] = _worded(tables[i : i + 1], text_column)
    parts = []
    for table in tables:
        known = _vector(table, label_column, "label_column", what == "view")
        ids = _sample_names(table, id_column)
        if table.values.shape[1] == 0:
            raise DataFileError(f"{table.name}: no column of features is left beside labels and names; add "
                                f"them")
        parts.append(replace(table, values=numbers(table), labels=known, ids=ids))
    return parts


def _worded(tables, text_column):
    """The same tables with the words of a column as features, counted over one vocabulary."""
    found = [_vector(table, text_column, "text_column") for table in tables]
    texts = [[unicodedata.normalize("NFC", plain(text)) for text in one] for one in found]
    try:
        counts, _, words, _ = vectorize_tasks(texts, token_pattern=_WORD, weighting="counts", min_terms=0)
    except ValueError as error:
        raise DataFileError(f"{tables[0].name}: text_column {text_column!r} has no word beside English stop "
                            f"words; choose the column with the texts") from error
    for table in tables:
        if table.values.shape[1]:
            _log.warning("%s: beside the texts, %s is left out: their words alone count", table.name,
                         listed(table.columns) or "the matrix")
    return [replace(table, values=X, columns=tuple(words), named=True) for table, X in zip(tables, counts)]


def _label_files(labels, number, what, header):
    if not isinstance(labels, list | tuple) or len(labels) != number:
        given = f"{len(labels)} file(s)" if isinstance(labels, list | tuple) else repr(labels)
        raise DataFileError(f"labels: {given} given; pass a list with one file per {what}, {number} in all")
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
            said = with_names(error, names).rstrip(".")
            raise DataFileError(f"{', '.join(names)}: cannot be scaled by {how!r}: {said}; or choose another "
                                f"--scaling, such as none") from error
    constant = [issubclass(one.category, ConstantViewWarning) for one in caught]
    for one in (one for one, known in zip(caught, constant) if not known):
        warnings.warn(one.message, stacklevel=3)
    for X in (X for X in found if not (sp.issparse(X) or any(constant) or how.startswith("rows"))):
        X[empty_samples(X)] = np.finfo(float).eps  # not empty but lowest in all features, which start at 0
    return found, any(constant)


def with_names(error, names) -> str:
    """What an error says of ``Xs[0]``, ... with names of tasks or views."""
    return re.sub(r"Xs\[(\d+)\]( \(\w+ \d+\))?", lambda match: names[int(match[1])], str(error))


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


def _sample_names(table, id_column):
    if id_column is None:
        return table.ids
    ids = np.array([plain(value) for value in _vector(table, id_column, "id_column")])
    if "" in ids:
        raise DataFileError(f"{table.name}: row {list(ids).index('') + 1} has no name in {id_column!r}; "
                            f"each sample has one row and a name of its own")
    twice = pd.unique(ids[pd.Index(ids).duplicated()])
    if len(twice):
        raise DataFileError(f"{table.name}: names in {id_column!r} occur more than once: "
                            f"{listed(twice)}; each sample has one row and a name of its own")
    return ids


def _as_written(part):
    """Names of the samples as text; the numbers from 0 that pandas gives are none."""
    if not isinstance(part.ids, pd.Index):
        return part.ids
    return None if part.ids.equals(pd.RangeIndex(len(part))) else np.array([*map(plain, part.ids)])


def _vector(table, name, argument, optional=False):
    """The column or array of that name; None if no name is given."""
    if name is None or optional and name not in table.vectors:
        return None
    if name not in table.vectors:
        held = listed(table.known) or "a matrix without names only"
        raise DataFileError(f"{table.name}: there is no {argument} {name!r}; it has {held}")
    found = table.vectors[name]
    if len(found) != len(table):
        raise DataFileError(f"{table.name}: {argument} {name!r} has {len(found)} entries for {len(table)} "
                            f"samples; it needs one for each")
    return pd.Series(found)


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
    return str(value).strip().encode("utf-8", "backslashreplace").decode()  # halves of letters have no bytes


def same_features(parts) -> list:
    """Reorder all tasks' columns like those of the first that names its own; raise DataFileError if the sets
    differ."""
    first, result = next((part for part in parts if part.named), parts[0]), []
    for part in parts:
        if part.named:
            _check_names(part, first, "columns", "all tasks have the same features: add columns (zeros for "
                         "absent words), or drop them")
            order = pd.Index(part.columns).get_indexer(first.columns)
            part = replace(part, values=part.values[:, order], columns=first.columns)
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


def aligned(part, first) -> Table:
    """Bring the rows of a view into the order of the first, by the names of samples where both have them."""
    if part.ids is None or first.ids is None:
        if len(part) != len(first):
            raise DataFileError(f"{part.name}: has {len(part)} samples, but {first.name} has {len(first)}; "
                                f"all files have the same samples in rows. Give id_column to match them by "
                                f"name; use header=False if first lines are data; transpose a matrix with "
                                f"samples in columns")
        return part
    _check_names(part, first, "samples", "keep the samples that all files have")
    order = pd.Index(part.ids).get_indexer(first.ids)
    labels = None if part.labels is None else np.asarray(part.labels, dtype=object)[order]
    return replace(part, values=part.values[order], labels=labels, ids=first.ids)


def numbers(table):
    """The features as float64, dense or CSR, shape (n, d). The error for an entry that is no finite number
    names its column and row, from 1 without the header."""
    X = _from_frame(table) if isinstance(table.values, pd.DataFrame) else table.values
    if X.dtype.kind not in "biuf":
        raise DataFileError(f"{table.name}: the entries are of type {X.dtype}; save real numbers")
    # What is mapped from a file stays there.
    if not (isinstance(X, np.memmap) and X.dtype in (np.float32, np.float64)):
        with np.errstate(over="ignore"):  # what is too large for it is said below
            X = (X if sp.issparse(X) else np.asarray(X)).astype(np.float64)
    held = X.data if sp.issparse(X) else X
    largest = float(np.abs(extremes(held)).max())
    if 1 / LARGEST <= largest <= LARGEST or largest == 0:
        return X
    if np.isfinite(largest):
        raise DataFileError(f"{table.name}: the largest entry is {largest:.3g}, and squares leave the range "
                            f"of numbers; divide the columns by a power of ten")
    wrong = ~np.isfinite(held)
    rows, columns = (place[wrong] for place in sp.coo_array(X).coords) if sp.issparse(X) else wrong.nonzero()
    names = [table.columns[j] if table.columns else str(j + 1) for j in dict.fromkeys(columns.tolist())]
    value = "an empty cell or NaN" if np.isnan(held[wrong][0]) else "infinity"
    raise DataFileError(f"{table.name}: {value} in row {rows[0] + 1} of column {names[0]!r} "
                        f"(such entries: {wrong.sum()}, in {listed(names)}); fill them in, or drop these "
                        f"rows or columns")


def _from_frame(table):
    frame, bad = table.values.copy(deep=False), {}
    for name, values in frame.loc[:, [kind.kind not in "biuf" for kind in frame.dtypes]].items():
        converted = pd.to_numeric(values.astype(str), errors="coerce")
        if len(wrong := values[converted.isna() & values.notna()]):
            bad[name] = wrong
        else:  # numbers stored as text, or too large for integers
            frame[name] = converted
    if bad:
        wrong = next(iter(bad.values()))
        value, row = wrong.iloc[0], wrong.index[0] + 1
        what = f"the columns {listed(bad)} do" if len(bad) > 1 else f"the column {listed(bad)} does"
        remedy = _remedy(value, listed(bad), len(bad) == 1, 2 * len(wrong) <= len(frame) > 1,
                         frame.shape[1] == 1)
        raise DataFileError(f"{table.name}: {what} not hold numbers ({short(value)!r} in row {row}); "
                            f"{remedy}")
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


# ---- labels, from a column or from a file of their own -----------------------------------------------------


def class_codes(table):
    """Number the classes from 0, -1 where the cell is empty; the codes and the names, as written, in order.
    Numbers are ordered by size, text by the alphabet; labels that are fractional numbers are refused."""
    if table.labels is None:
        return np.full(len(table), -1), ()
    text = [plain(value) for value in table.labels]
    names = sorted(set(text) - {""})
    if all(map(_NUMBER.fullmatch, names)):
        if broken := [name for name in names if set(name) & set(".eE") and not float(name).is_integer()]:
            raise DataFileError(f"{table.name}: the labels are fractional numbers, such as "
                                f"{short(broken[0])}, and so no classes; choose another label column, or "
                                f"round them")
        names.sort(key=float)
        if (sizes := [float(name) for name in names])[:1] == [-1] and sizes[1:] != [1]:
            _log.warning("%s: the label %s counts as a class; where it says that the class is unknown, leave "
                         "the cell empty (NaN)", table.name, names[0])
    code = {label: place for place, label in enumerate(names)} | {"": -1}
    return np.array([code[label] for label in text]), tuple(names)


def labels_beside(table, label_column, id_column, part):
    """Labels of the samples of `part` from a file of their own. `label_column` is needed if there are several
    columns; rows are matched by `id_column` where both have it, without by the index of parquet."""
    if id_column and getattr(table.ids, "name", None) == id_column:
        table.vectors[id_column] = table.ids
    indexed, id_column = id_column is None, id_column if id_column in table.vectors else None
    named = isinstance(table.values, pd.DataFrame) or id_column is not None
    left = [name for name in table.vectors if name != id_column] if named else range(table.values.shape[1])
    if label_column is None and len(left) != 1:
        raise DataFileError(f"{table.name}: has {len(left)} columns ({listed(left) or 'beside names'}); name "
                            f"the one with the labels as label_column")
    if named or label_column is not None:
        found = _vector(table, label_column or left[0], "label_column")
    else:
        found = as_dense(table.values).ravel()
    ids = _sample_names(table, id_column) if id_column or indexed else None
    return aligned(replace(table, values=np.empty((len(table), 0)), labels=found, ids=ids), part).labels


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
