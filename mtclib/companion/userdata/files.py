"""Reading tables of a user's own: CSV, TSV, parquet, npy, npz and mat files, with errors that say what to do.

A path may end in ``::name`` to choose one of several arrays of an npz or mat file; ``::name{2}`` is the
second entry of a MATLAB cell array.  Columns of labels and names are text, as written.
"""

import csv
import io
import math
import os
import pickle
import re
import subprocess
import sys
import tokenize
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp
from psutil import virtual_memory

from mtclib.companion.parameters import UsageError
from mtclib.core import large
from mtclib.core.checks import check_indices

_SHOWN, _LONGEST = 5, 60
SMALL = 2**24  # bytes of an array that is read beside another
_NUMBERS = "biufc"
_HDF5 = b"\x89HDF"
# What damaged archives make numpy, zipfile, zlib and scipy raise; RuntimeError asks for a password.
_DAMAGE = (ValueError, TypeError, KeyError, IndexError, EOFError, MemoryError, OSError, RuntimeError,
           SyntaxError, tokenize.TokenError, zipfile.BadZipFile, zlib.error)


class DataFileError(UsageError):
    """A file that cannot be used; the message names the file, the place in it, and the remedy."""


@dataclass(frozen=True, eq=False)
class Table:
    """One file as it was read, and what was found in it."""

    name: str  # the path as given, for messages
    values: pd.DataFrame | np.ndarray | sp.csr_array  # the features; in a frame they may be text
    vectors: dict = field(default_factory=dict)  # what may be labels, names or texts of the samples
    columns: tuple = ()  # of a text file or parquet: names of the features, or their numbers, from 1
    named: bool = False  # whether the file gives these names
    labels: Sequence | None = None
    ids: np.ndarray | pd.Index | None = None  # names of the samples, as an index that of parquet

    def __len__(self):
        """Number of samples."""
        return self.values.shape[0]

    @property
    def known(self) -> tuple:
        """Names of all that a column may be asked for by."""
        return (*self.vectors, *self.columns)


def short(name) -> str:
    """Text for a message, of at most sixty characters."""
    text = str(name)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST - 3]}..."


def listed(names) -> str:
    """Up to five names, quoted, and how many more there are."""
    names = [short(name) for name in names]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(map(repr, names[:_SHOWN])) + more


def own_path(path, argument, wrong=DataFileError) -> Path:
    """The path with ``~`` resolved; an error about the argument if it can be none on this machine."""
    if not isinstance(path, str | Path) or not str(path).strip():
        raise wrong(f"{argument}: {path!r} is no path; give text such as 'data/first.csv'")
    try:
        file = Path(path).expanduser()
        with suppress(FileNotFoundError, NotADirectoryError):
            os.stat(file)
    except (OSError, RuntimeError, ValueError) as error:  # too long, no such user, a loop of links
        raise wrong(f"{argument}: {listed([path])} cannot be a path here "
                    f"({getattr(error, 'strerror', None) or error})") from error
    return file


def split_path(path) -> tuple:
    """File and array of ``file::array``; both may themselves have ``::`` in their names."""
    name = str(path)
    for found in re.finditer("(?=::)", name):
        place, variable = name[:found.start()], name[found.start() + 2:]
        first, second = (Path(part).suffix.lower() in _READERS for part in (place, variable))
        if first and not second:
            return place, variable
    return name, ""


def read_table(path, header=None, argument="paths", text=()) -> Table:
    """Read one file, by its ending: .csv, .tsv, .parquet, .npy, .npz or .mat; samples are rows.

    A large npy file stays where it is, and blocks of it are read as they are needed: leave it as it is until
    the results are there.  ``::name`` after an npz or mat file chooses an array; sparse ones stay sparse.
    Columns of a .csv are separated by ``,``, ``;``, ``|`` or tabs, whichever the first line has most of;
    ``header`` says whether that line names the columns: True, False, or None for yes unless it may be data.
    The columns `text`, with None all, are kept as written.  DataFileError for a first line that may be data,
    a file that is not there, empty, damaged, of another format, or has several matrices, for a column without
    a name or with that of another, and for a missing package.
    """
    name = str(path)
    place, variable = split_path(name)
    file = own_path(place if isinstance(path, str | Path) else path, argument)
    if why := _unreadable(file, variable):
        raise DataFileError(f"{name}: {why}")
    read = _READERS[file.suffix.lower()]
    if read in (_read_npy, _read_npz, _read_mat):
        return _choose(read(file, name, variable), variable, name, text is None)
    frame = read(file, name, header, text)
    if 0 in frame.shape:
        raise DataFileError(f"{name}: there are {frame.shape[0]} rows and {frame.shape[1]} columns; a line "
                            f"with the names of the columns must be followed by one line per sample")
    vectors = {column: frame[column] for column in frame if text is None or column in text}
    # Repeated entries of an index are no names.
    ids = frame.index if read is _read_parquet and frame.index.is_unique else None
    frame = frame.drop(columns=list(vectors)).reset_index(drop=True)
    return Table(name, frame, vectors, tuple(frame), read is _read_parquet or header is not False, ids=ids)


def _unreadable(file, variable):
    """Why a file cannot be read, or ""."""
    read = _READERS.get(file.suffix.lower())
    if file.is_dir():
        return "is a folder; name the files in it"
    if not file.exists():
        return f"there is no such file; relative paths start in {Path.cwd()}"
    if read is None:
        return (f"the ending {file.suffix!r} is not one of {', '.join(_READERS)}; save the table as one of "
                f"these")
    if not file.is_file():
        return "is a pipe or a device; write what comes from it to a file"
    if not os.access(file, os.R_OK):
        return "you may not read this file; change that with chmod u+r, or copy it"
    if file.stat().st_size == 0:
        return "the file is empty"
    if variable and read not in (_read_npz, _read_mat):
        return f"only npz and mat files hold several arrays; leave out '::{variable}'"
    return ""


def _read_csv(file, name, header, text, separator=None):
    try:
        with file.open(newline="", encoding="utf-8-sig") as handle:
            line = next(filter(str.strip, handle), "")
            if "\0" in line:
                raise UnicodeDecodeError("utf-8", b"\0", 0, 1, "as in UTF-16")
            separator = separator or max(",;\t|", key=re.sub('"[^"]*"', "", line).count)
            handle.seek(0)
            cells = csv.reader(handle, delimiter=separator, skipinitialspace=True)
            lines = ([cell.strip() for cell in line] for line in cells)
            usual = csv.field_size_limit(2**31 - 1)  # a text may be long
            try:
                first = next((line for line in lines if line not in ([], [""])), [])
            finally:
                csv.field_size_limit(usual)
        if not first:
            raise DataFileError(f"{name}: the file is empty")
        if header is not False:
            _check_header(first, name, known=header)
        names = first if header is not False else [str(i + 1) for i in range(len(first))]
        kept = [column for column in names if text is None or column in text]
        several = len(first) > 1  # in a single column an empty line is an empty cell
        with warnings.catch_warnings():
            # A line that is longer than the header would lose its end.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            values = pd.read_csv(file if several else io.StringIO(file.read_text("utf-8-sig").strip()),
                                 sep=separator, header=None if header is False else 0, names=names,
                                 index_col=False, skipinitialspace=True, skip_blank_lines=several,
                                 encoding="utf-8-sig", converters=dict.fromkeys(kept, "'".__add__),
                                 low_memory=False)
    except UnicodeDecodeError as error:
        raise DataFileError(f"{name}: the text is not UTF-8; unpack it if it is packed, and save it as UTF-8 "
                            f"in the program that wrote it (Excel: CSV UTF-8)") from error
    except pd.errors.ParserWarning as error:
        raise DataFileError(f"{name}: the lines are not a table: they have more fields than the first, which "
                            f"has {len(first)}, separated by {separator!r}; delete a title above the names "
                            f"of the columns, and name a column with names of the rows, too") from error
    except (pd.errors.ParserError, pd.errors.EmptyDataError, csv.Error) as error:
        reason = " ".join(str(error).split())
        raise DataFileError(f"{name}: the lines are not a table ({reason}); every line must have as many "
                            f"fields as the first, separated by {separator!r}") from error
    if header is None and len(numbers := _numbers(first)):
        held = values.iloc[:, numbers.index].apply(pd.to_numeric, errors="coerce")
        # A sample whose numbers count up, or are years, as those of others are.
        if (held == numbers.to_numpy()).any().all() or _are_years(held.to_numpy()):
            raise _like_data(name, first)
    for column in kept:  # with a mark in front, no word was taken for a missing value and none for a number
        values[column] = values[column].str[1:].str.strip()
    return values.copy()  # one block of memory per type: as read, a wide table has one per column


def _check_header(names, name, known):
    """Refuse a first line that is no list of names: repeated or empty names and, unless `known`, data.
    Beside names in words there may be years, or 0, 1, 2, ...; alone these may as well be a sample, which
    would be lost without a word."""
    if names[:1] == ["sep="]:
        raise DataFileError(f"{name}: the first line says to Excel what separates columns; delete this line")
    numbers = _numbers(names).tolist()
    counted = any(numbers == list(range(start, start + len(numbers))) for start in (0, 1))
    numbered = counted or (sorted(set(numbers)) == numbers and _are_years(numbers))
    if not known and numbers and (len(numbers) == len(names) or not numbered):
        raise _like_data(name, names)
    if "" in names:
        raise DataFileError(f"{name}: column {names.index('') + 1} has no name; if it holds the numbers of "
                            f"the rows, leave it out (pandas: to_csv(..., index=False)), else name it"
                            f"{', or end no line with a separator' * (names.index('') + 1 == len(names))}")
    if repeated := sorted(text for text, times in Counter(names).items() if times > 1):
        raise DataFileError(f"{name}: columns have the same name: {listed(repeated)}; rename or drop them")


def _numbers(texts):
    """Those of some texts that are numbers, by place."""
    return pd.to_numeric(pd.Series(texts, dtype=str), errors="coerce").dropna()


def _are_years(values):
    return bool(np.isin(values, np.arange(1000, 3000)).all())


def _like_data(name, names):
    return DataFileError(f"{name}: the first line looks like data ({listed(names)}); put a line with the "
                         f"names of the columns in front, or say header=False if no file has one, "
                         f"header=True if these are the names")


def _read_parquet(file, name, header, text):
    try:
        with suppress(ImportError):  # another engine
            from pyarrow import parquet

            held = parquet.read_metadata(file)
            _check_room(name, 16 * held.num_rows * held.num_columns)
        values = pd.read_parquet(file)
    except DataFileError:
        raise
    except ImportError as error:
        raise DataFileError(f"{name}: reading parquet needs a package that is not installed: "
                            f"pip install pyarrow; or save the table as CSV") from error
    except Exception as error:  # the engines' own errors share no base class
        raise DataFileError(f"{name}: no parquet file, or damaged ({type(error).__name__}: {error}); "
                            f"write it again, each column with a name of its own") from error
    # An index may have the name of a column, from which it was taken.
    asked = sorted({*values.index.names} & {*(text or ())} - {None, *values})
    values = values.reset_index(asked) if asked else values
    return values.set_axis([str(column) for column in values], axis=1)


def _read_npy(file, name, variable):
    with _whole(file, name, "npy file", "numpy.save"):
        if file.stat().st_size > large.IN_MEMORY:
            return {"": np.lib.format.open_memmap(file, mode="r")}
        with file.open("rb") as handle:
            return {"": np.lib.format.read_array(handle, allow_pickle=False)}


def _read_npz(file, name, variable):
    writers = "numpy.savez or scipy.sparse.save_npz, whose indices count from 0"
    with _whole(file, name, "npz file", writers), np.load(file, allow_pickle=False) as archive:
        sizes = {info.filename.removesuffix(".npy"): info.file_size for info in archive.zip.infolist()}
        # Beside the matrix that is asked for only what may be labels or names of its rows.
        most = max(sizes[variable], SMALL) if variable in sizes else math.inf
        _check_room(name, sum(size for size in sizes.values() if size <= most))
        if {"format", "shape", "data"} <= set(archive.files) and archive["format"].ndim == 0:
            return {"": sp.load_npz(file)}
        members = {key: archive[key] for key in archive.files if sizes.get(key, 0) <= most}
        return {key: X for key, X in members.items() if isinstance(X, np.ndarray)}


def _check_room(name, size, free=None):
    """Refuse what takes more memory than is free."""
    free = virtual_memory().available if free is None else free
    if size > free:
        raise DataFileError(f"{name}: to read it takes {size / 2**30:.1f} GB, and {free / 2**30:.1f} GB of "
                            f"memory are free; save the matrix alone, with numpy.save, to be read in parts")


@contextmanager
def _whole(file, name, what, writers):
    """Say of a file that numpy cannot read what is wrong with it."""
    try:
        yield
    except DataFileError:
        raise
    except _DAMAGE as error:
        said = f"{type(error).__name__}: {error}"
        with file.open("rb") as handle:
            pickled = handle.read(1) == b"\x80"
        if pickled or re.search("Object arrays|Python objects", said):
            raise DataFileError(f"{name}: holds Python objects, which are not read since they may run code; "
                                f"save arrays of numbers or text with {writers.partition(' ')[0]}") from error
        if "pickle" in said:  # numpy's advice for any file without an archive in it
            said = "the file is no archive"
        raise DataFileError(f"{name}: no {what}, or damaged ({said}); write it again with {writers}"
                            ) from error


# Entries become numbers of 8 bytes, of which there are three copies at a time.
_LOAD_MAT = """import math, pickle, sys, scipy.io
size = 24 * sum(math.prod(shape) for _, shape, kind in scipy.io.whosmat(sys.argv[1]) if kind != "sparse")
content = size if size > int(sys.argv[2]) else scipy.io.loadmat(sys.argv[1])
pickle.dump(content, sys.stdout.buffer, protocol=5)"""


def _read_mat(file, name, variable):
    with file.open("rb") as handle:
        start = handle.read(128)
    # The version of a MATLAB file is in bytes 124 to 126; 7.3 has 0x0200, in either byte order.
    new = start.startswith(b"MATLAB") and start[124:126] in (b"\x00\x02", b"\x02\x00")
    if new or start.startswith(_HDF5):
        raise DataFileError(f"{name}: a MATLAB 7.3 (HDF5) file, which is not read here; save it in MATLAB "
                            f"with save('{file.name}', '-v7'), or convert it (h5py reads it) to npz or CSV")
    # In a process of its own: compiled code of scipy dies of some damaged files.
    free = virtual_memory().available
    done = subprocess.run([sys.executable, "-c", _LOAD_MAT, file, str(free)], capture_output=True)
    if done.returncode:
        said = (done.stderr.decode(errors="replace").strip().splitlines() or ["its reader died"])[-1]
        raise DataFileError(f"{name}: no MATLAB file, or damaged ({said[:200]}); save it again")
    content = pickle.loads(done.stdout)
    if isinstance(content, int):
        _check_room(name, content, free)
    return {key: X for variable, value in content.items() if not variable.startswith("__")
            for key, X in _unpacked(variable, value).items()}


def _unpacked(key, value):
    """A variable; the entries of a cell array as ``key{1}``, ...; a cell array of words as one vector."""
    if sp.issparse(value) or value.dtype != object:
        return {key: value}
    cells = list(value.ravel())
    if all(getattr(cell, "dtype", np.dtype(float)).kind == "U" for cell in cells):
        return {key: np.array([str(cell.item()) if cell.size else "" for cell in cells])}
    return {f"{key}{{{i}}}": cell for i, cell in enumerate(cells, 1)}


def _choose(arrays, variable, name, labels):
    """The matrix of an archive, and what else in it has one entry per row; of labels, the matrix as well."""
    dense = {key: X for key, X in arrays.items() if not sp.issparse(X) and not X.dtype.names}
    vectors = {key: X.ravel() for key, X in dense.items()
               if X.ndim == 1 or (X.ndim == 2 and min(X.shape) == 1)}
    numeric = [key for key, X in arrays.items()
               if X.dtype.kind in _NUMBERS and X.ndim in ((2,) if sp.issparse(X) else (1, 2))]
    matrices = [key for key in numeric if key not in vectors]
    if variable and variable not in numeric:
        raise DataFileError(f"{name}: has no matrix {short(variable)!r}; it has {listed(numeric) or 'none'}")
    usable = [variable] if variable else matrices or numeric
    if not usable:
        raise DataFileError(f"{name}: has no matrix of numbers; save one with a row per sample")
    if len(usable) > 1:
        raise DataFileError(f"{name}: has several matrices: {listed(usable)}; choose one with "
                            f"'{name}::{min(usable, key=len)}'")
    X = arrays[usable[0]]
    check_indices(X, f"{name}: the matrix", DataFileError)
    if sp.issparse(X):
        _check_room(name, 24 * sum(X.shape))  # three copies of a place for each, without entries too
        X = sp.csr_array(X.astype(float) if X.dtype.kind in "iu" else X)  # sums of small types would wrap
        X.sum_duplicates()  # as where each word of a text is an entry; the kind of entries is told by these
    elif X.ndim == 1:
        X = X.reshape(-1, 1)
    if 0 in X.shape:
        raise DataFileError(f"{name}: the matrix {short(usable[0])!r} has the shape {X.shape}; it needs a "
                            f"row per sample")
    return Table(name, X, {key: vector for key, vector in vectors.items() if labels or key != usable[0]})


_READERS: dict = {".csv": _read_csv, ".tsv": partial(_read_csv, separator="\t"), ".parquet": _read_parquet,
                  ".npy": _read_npy, ".npz": _read_npz, ".mat": _read_mat}
