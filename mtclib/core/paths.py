"""Where the companion keeps its files, and how a file gets to its place whole.

The repository is the home: `mtclib` is installed from it in place.  Each location can be moved by an
environment variable, so that a cluster node or a test can keep its files elsewhere.
"""

import errno
import hashlib
import os
import shutil
import subprocess
import tempfile
import time
import tomllib
import uuid
from contextlib import contextmanager, suppress
from pathlib import Path
from pkgutil import get_data

HOME = Path(__file__).resolve().parents[2]
A_DAY = 86_400  # seconds after which nobody works on a file any more


def beside(package, name):
    """Content of a TOML file that stands beside the modules of a package, in a zip archive, too."""
    return tomllib.loads(get_data(package, name).decode())


def told(variable: str) -> Path | None:
    """The folder that an environment variable names, or None; a ``~`` that no shell expanded is the home.
    NotADirectoryError if a file stands there, or in the way to it."""
    if not (folder := os.environ.get(variable)):
        return None
    place = Path(folder).expanduser()
    found = next((part for part in (place, *place.parents) if os.path.exists(part)), None)
    if found and not found.is_dir():
        raise NotADirectoryError(f"{variable} is {folder}, but {found} is a file; "
                                 f"set it to a folder, or unset it")
    return place


def root() -> Path:
    """Repository root: ``MTCLIB_ROOT`` if set, else the folder that holds the package."""
    return told("MTCLIB_ROOT") or HOME


def data_dir() -> Path:
    """Committed data: a folder per paper."""
    return root() / "data"


def paper_dir(paper) -> Path:
    """All that is committed about a paper, e.g. "mbc", or a comparison, e.g. "comparison/many-tasks"."""
    return data_dir() / paper


def results_dir(paper) -> Path:
    """Committed results of a paper or a comparison."""
    return paper_dir(paper) / "results"


def papers() -> list[str]:
    """Papers that can be run: those whose folder has a protocol.

    >>> papers()
    ['lmsc', 'mbc', 'mspl', 'mtcmrl', 'spmtc']
    """
    return sorted(path.parent.name for path in data_dir().glob("*/protocol.toml"))


def runs_dir() -> Path:
    """The run store (``MTCLIB_RUNS``), never committed."""
    return told("MTCLIB_RUNS") or data_dir() / "runs"


def build_dir() -> Path:
    """Executed notebooks, figures and the HTML report (``MTCLIB_BUILD``), never committed."""
    return told("MTCLIB_BUILD") or root() / "build"


def figures_dir() -> Path | None:
    """Where notebooks put their figures (``MTCLIB_FIGURES``): under ``build`` unless told otherwise;
    with ``none`` nowhere, and not even shown, as in tests that only look at what notebooks say."""
    folder = told("MTCLIB_FIGURES") or build_dir() / "figures"
    return None if folder == Path("none") else folder


def remedy(error) -> str:
    """What to set where one of our folders cannot be written to, as in a clone that many people share, or
    what to do where the current one is gone: the end of a sentence, or nothing."""
    if isinstance(error, OSError) and error.errno == errno.ENOENT and error.filename is None:  # of getcwd
        return ": the current folder was removed; change to another one"
    if isinstance(error, OSError) and error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        places = {"MTCLIB_CACHE": told("MTCLIB_CACHE") or data_dir() / "cache", "MTCLIB_RUNS": runs_dir(),
                  "MTCLIB_BUILD": build_dir()}
        for variable, folder in places.items():
            if Path(str(error.filename)).is_relative_to(folder):
                return f"; set {variable} to a folder that you may write to"
    return ""


@contextmanager
def replacing(path):
    """A file to be written, beside `path`, whose place it takes at once when it is whole, or it goes."""
    path = Path(path)
    partial = path.with_name(f".{path.name}.{os.getpid()}.{uuid.uuid4().hex}.tmp")
    try:
        yield partial
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def tidied(folder, pattern):
    """A folder, made if need be, without what writers that were killed left there more than a day ago."""
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.glob(pattern):
        with suppress(OSError):  # another process takes it away, or finishes it, in the meantime
            if time.time() - left.stat().st_mtime > A_DAY:
                shutil.rmtree(left) if left.is_dir() else left.unlink()
    return folder


@contextmanager
def incoming(folder):
    """A new folder in one that is tidied, so that moving a file from it into place is atomic."""
    with tempfile.TemporaryDirectory(prefix=".incoming-", dir=tidied(folder, ".incoming-*")) as scratch:
        yield Path(scratch)


def file_hash(path) -> str | None:
    """SHA-256 of a file, None for what is no file."""
    if Path(path).is_file():
        with suppress(FileNotFoundError), open(path, "rb") as file:  # it may be moved in this moment
            return hashlib.file_digest(file, "sha256").hexdigest()
    return None


def digest(arrays) -> str:
    """SHA-256 of arrays by name, whatever their order: of their names, types, shapes and entries."""
    found = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        found.update(f"{name} {array.dtype.str} {array.shape}\n".encode() + array.tobytes())
    return found.hexdigest()


def git(*command) -> str:
    """What git says of the repository, or "" where there is no git or no repository."""
    try:
        return subprocess.check_output(["git", "-C", root(), *command], text=True,
                                       stderr=subprocess.DEVNULL).strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
