"""Results as one bundle: a folder, checked before the fits, written beside its place and swapped in whole.

Its manifest says what made it and hashes what was read and written, so that an earlier bundle is known again.
"""

import hashlib
import json
import logging
import os
import re
import shutil
import tempfile
import uuid
from contextlib import contextmanager, suppress
from pathlib import Path

import pandas as pd

from mtclib import __version__
from mtclib.companion.userdata.files import listed, own_path
from mtclib.core.errors import MtclibError
from mtclib.core.paths import file_hash

MANIFEST = "manifest.json"
_WRITER = "mtclib cluster"
# What a spreadsheet takes for the beginning of a formula (the last four in other scripts), and what is none.
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r]")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


class BundleError(MtclibError, ValueError):
    """A folder that may not be replaced by results; it is as it was."""


class WriteError(MtclibError, OSError):
    """Results could not be written; what was in their place is as it was."""


def check(folder, inputs=()) -> Path:
    """The folder as an absolute path, if results may be written there: it is absent, empty, or an earlier
    bundle to which nothing was added and in which nothing was changed, and no input lies in it."""
    if not str(folder).strip():
        raise BundleError("output: the name of the folder is empty; give one, such as 'clusters'")
    place = own_path(folder, "output", BundleError).resolve()
    if why := _refusal(place, inputs):
        raise BundleError(f"output: {folder!s} {why}")
    return place


def _refusal(place, inputs):
    """Why results may not be written to a place, and what to do; "" if they may."""
    if place in (Path.cwd(), *Path.cwd().parents):
        return "is the current folder or holds it; name a new one in it, such as 'clusters'"
    if place.is_mount():
        return (f"is where a disk is mounted, and a mounted folder cannot be replaced; name a new one in it, "
                f"such as {str(place / 'clusters')!r}")
    if place.is_dir() and not os.access(place, os.W_OK):  # it could be moved aside, but not removed
        return "may not be changed by you; choose another folder, or make it writable"
    if within := [file for file in inputs if Path(file).resolve().is_relative_to(place)]:
        return f"holds the input {listed(within)}; choose another folder"
    _put_back(place)
    if _not_ours(place) and (why := _not_ours(place)):  # twice, as another run may just change places
        return f"{why}; nothing there is replaced: choose another folder, or move what is there"
    try:
        with tempfile.TemporaryDirectory(dir=next(each for each in place.parents if each.exists())):
            return ""
    except OSError as error:
        return f"cannot be written ({error.strerror}); choose another folder"


def _not_ours(place):
    """Why what stands in a place is no earlier bundle as it was written; "" too if nothing does."""
    if not place.is_dir():
        return "is a file" if place.exists() else ""
    try:
        held = {path.name for path in place.iterdir()}
    except FileNotFoundError:  # moved aside in this moment
        return ""
    try:
        manifest = json.loads((place / MANIFEST).read_text(encoding="utf-8"))
        known = dict(manifest["outputs"]) | {MANIFEST: None} if manifest["writer"] == _WRITER else {}
    except (ValueError, KeyError, TypeError, OSError, RecursionError):
        known = {}
    if foreign := sorted(held - set(known)):
        return f"holds {listed(foreign)}, which this command has not written"
    changed = sorted(name for name in held - {MANIFEST}
                     if known[name] is None or file_hash(place / name) != known[name])
    return f"holds {listed(changed)}, changed since this command wrote it" if changed else ""


@contextmanager
def bundle(folder, parameters, sources=(), inputs=()):
    """The final folder, and a new one to write to, which takes its place once all is written.

    `sources` are the records of the `inputs` for the manifest.  Raises `BundleError` as :func:`check` does,
    and `WriteError` with the path where the disk is full or the like; then nothing half-written stays."""
    place = check(folder, inputs)
    partial = place.with_name(f"{_mark(place)}{uuid.uuid4().hex}.part")
    try:
        partial.mkdir(parents=True)
        yield place, partial
        manifest = {"writer": _WRITER, "version": __version__, "parameters": parameters, "inputs": sources,
                    "outputs": {path.name: file_hash(path) for path in sorted(partial.iterdir())}}
        (partial / MANIFEST).write_text(json.dumps(manifest, indent=1, default=str) + "\n", encoding="utf-8")
        _swap(partial, place)
    except OSError as error:
        raise WriteError(f"{place}: the results could not be written ({error.strerror or error}); make room "
                         f"or choose another folder. What was there is as it was") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _swap(partial, place):
    """Put a folder into its place.  What is there is moved aside before it is judged, and again where another
    run was faster: the last one stays."""
    older = partial.with_suffix(".old")
    while partial.exists():
        why = ""
        try:
            place.rename(older)
        except FileNotFoundError:
            pass
        except OSError as error:
            why = f"cannot be replaced ({error.strerror})"
        if older.exists() and (why := _not_ours(older)):  # by now
            older.rename(place)
        if why:
            kept = partial.rename(place.with_name(f"{place.name}-{older.stem[-8:]}"))
            raise BundleError(f"output: {place} {why}; the results are in {kept}")
        try:
            partial.rename(place)
        except OSError:
            if not place.exists():
                raise
        finally:  # after Ctrl-C, too
            if not place.exists():
                with suppress(FileNotFoundError):
                    older.rename(place)
        if older.exists():
            logging.getLogger(__name__).info("replaced the earlier results in %s", place)
        shutil.rmtree(older, ignore_errors=True)


def _mark(place):
    """How the names of hidden folders begin that wait for a place, however long its own name is."""
    return f".{hashlib.sha256(os.fsencode(place.name)).hexdigest()[:12]}-"


def _put_back(place):
    """If a writer was killed after it had moved earlier results aside, put them into their place again."""
    for older in sorted(place.parent.glob(f"{_mark(place)}*.old")):
        with suppress(OSError, ValueError, KeyError):
            named = json.loads((older / MANIFEST).read_text(encoding="utf-8"))["outputs"]
            whole = not _not_ours(older) and all((older / name).exists() for name in named)
            if whole and not place.exists():
                older.rename(place)
                name = os.fsencode(place).decode("utf-8", "backslashreplace")  # logs may not take all names
                logging.getLogger(__name__).info("put back the earlier results in %s", name)


def safe(frame):
    """A table that is safe to open in a spreadsheet, and how many cells this changed: text that would be run
    as a formula gets ``'`` in front; numbers stay."""
    safe_frame, changed = frame.copy(), 0
    for place in range(frame.shape[1]):
        column = frame.iloc[:, place]
        if pd.api.types.is_numeric_dtype(column):
            continue
        marks = {text: f"'{text}" for text in pd.unique(column) if isinstance(text, str) and is_formula(text)}
        changed += int(column.isin(marks).sum())
        safe_frame.isetitem(place, column.map(lambda cell, marks=marks: marks.get(cell, cell)))
    return safe_frame, changed


def is_formula(text) -> bool:
    """Whether a spreadsheet would run a text.

    >>> is_formula("=1+1"), is_formula("-x"), is_formula("-1.5e3"), is_formula("a=b")
    (True, True, False, False)
    """
    return bool(_FORMULA.match(text)) and not _NUMBER.fullmatch(text)
