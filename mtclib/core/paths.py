"""Where the companion keeps its files.

The repository is the home: `mtclib` is installed from it in place.  Each location can be moved by an
environment variable, so that a cluster node or a test can keep its files elsewhere.
"""

import os
import subprocess
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]


def told(variable: str) -> Path | None:
    """The folder that an environment variable names, or None; a ``~`` that no shell expanded is the home."""
    folder = os.environ.get(variable)
    return Path(folder).expanduser() if folder else None


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


def cache_dir() -> Path:
    """Downloaded data sets (``MTCLIB_CACHE``), never committed."""
    return told("MTCLIB_CACHE") or data_dir() / "cache"


def runs_dir() -> Path:
    """The run store (``MTCLIB_RUNS``), never committed."""
    return told("MTCLIB_RUNS") or data_dir() / "runs"


def build_dir() -> Path:
    """Executed notebooks, figures and the HTML report (``MTCLIB_BUILD``), never committed."""
    return told("MTCLIB_BUILD") or root() / "build"


def figures_dir() -> Path | None:
    """Where notebooks put their figures (``MTCLIB_FIGURES``): under ``build`` unless told otherwise;
    with ``none`` nowhere, as in tests that only look at what notebooks show."""
    folder = told("MTCLIB_FIGURES") or build_dir() / "figures"
    return None if folder == Path("none") else folder


def git(*command) -> str:
    """What git says of the repository, or "" where there is no git or no repository."""
    try:
        return subprocess.check_output(["git", "-C", root(), *command], text=True,
                                       stderr=subprocess.DEVNULL).strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
