"""Reading packed folders without unpacking them, and the hash of their content.

Members are read from the archive into memory, never written under a name that the archive chose.
"""

import hashlib
import io
import lzma
import tarfile
import zlib
from pathlib import PurePosixPath

DAMAGED = (tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, OSError)
"""What reading a damaged archive raises."""


class UnsafeArchive(ValueError):
    """A member has an absolute path, climbs out with ``..``, or is neither a file nor a folder."""


def _safe_path(info: tarfile.TarInfo) -> PurePosixPath:
    path = PurePosixPath(info.name)
    if path.is_absolute() or ".." in path.parts:
        raise UnsafeArchive(f"member {info.name!r} would leave its folder")
    return path


def _inner_path(path, folders, inside):
    """Path from the data folder on, or None for what is not data."""
    if path.parts and path.parts[0] in folders:
        return path
    depth = 1 + len(PurePosixPath(inside).parts)
    if path.parts[1:depth] == PurePosixPath(inside).parts and path.parts[depth : depth + 1]:
        return PurePosixPath(*path.parts[depth:]) if path.parts[depth] in folders else None
    return None


def read_folders(path, folders, inside="", ignore=()) -> dict[str, bytes]:
    """Read the files of some top folders from a tar archive.

    Parameters
    ----------
    path : path-like
        A tar archive with any compression that `tarfile` knows.
    folders : sequence of str
        Folders to take.  They are at the top of the archive or, as in an archive of a repository, below
        one folder of any name and `inside`.
    inside : str, default=""
        Where a repository keeps the folders.
    ignore : sequence of str
        File names that are not part of the data.

    Returns
    -------
    dict of str to bytes
        Contents by path (from the top folder on, with forward slashes), in sorted order.

    Raises
    ------
    UnsafeArchive
        If any member has an absolute path or ``..``, or if one in `folders` is a link or a device.
    tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, OSError
        If the archive is damaged.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_folders(Path(folder) / "a.tar.xz", {"news/1": b"text"})
    ...     read_folders(Path(folder) / "a.tar.xz", ["news"])
    {'news/1': b'text'}
    """
    found = {}
    with tarfile.open(path, "r:*") as archive:
        for info in archive:
            inner = _inner_path(_safe_path(info), folders, inside)
            if inner is None or info.isdir():
                continue
            if not info.isfile():
                raise UnsafeArchive(f"member {info.name!r} is a link or a device")
            if inner.name not in ignore:
                found[str(inner)] = archive.extractfile(info).read()
    return dict(sorted(found.items()))


def content_hash(files: dict[str, bytes]) -> str:
    """SHA-256 of a folder's content, whatever it is wrapped in.

    It is taken over the sorted lines ``<path> NUL <SHA-256 of the bytes> LF``.

    Parameters
    ----------
    files : dict of str to bytes

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> content_hash({"b": b"", "a": b"x"}) == content_hash({"a": b"x", "b": b""})
    True
    """
    lines = [
        name.encode("utf-8", "surrogateescape") + b"\0" + hashlib.sha256(data).hexdigest().encode() + b"\n"
        for name, data in files.items()
    ]
    return hashlib.sha256(b"".join(sorted(lines))).hexdigest()


def write_folders(path, files: dict[str, bytes]) -> None:
    """Pack `files` into a ``.tar.xz`` archive that depends on nothing but their names and bytes.

    Parameters
    ----------
    path : path-like
        File to write.
    files : dict of str to bytes
    """
    with tarfile.open(path, "w:xz", format=tarfile.GNU_FORMAT, preset=1) as archive:
        for name, data in sorted(files.items()):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
