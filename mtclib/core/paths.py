"""Where the companion keeps its files.

The repository is the home: `mtclib` is installed from it in place.  Each location can be moved by an
environment variable, so that a cluster node or a test can keep its files elsewhere.
"""

import os
from pathlib import Path


def root() -> Path:
    """Repository root: ``MTCLIB_ROOT`` if set, else the folder that holds the package."""
    return Path(os.environ.get("MTCLIB_ROOT") or Path(__file__).resolve().parents[2])


def data_dir() -> Path:
    """Committed data: published numbers, protocols, decisions, claims, results."""
    return root() / "data"


def cache_dir() -> Path:
    """Downloaded data sets (``MTCLIB_CACHE``), never committed."""
    return Path(os.environ.get("MTCLIB_CACHE") or data_dir() / "cache")


def runs_dir() -> Path:
    """The run store (``MTCLIB_RUNS``), never committed."""
    return Path(os.environ.get("MTCLIB_RUNS") or data_dir() / "runs")


def build_dir() -> Path:
    """Executed notebooks, figures and the HTML report (``MTCLIB_BUILD``), never committed."""
    return Path(os.environ.get("MTCLIB_BUILD") or root() / "build")


def figures_dir() -> Path:
    """Where notebooks put their figures (``MTCLIB_FIGURES``): under ``build`` unless told otherwise."""
    return Path(os.environ.get("MTCLIB_FIGURES") or build_dir() / "figures")
