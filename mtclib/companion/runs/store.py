"""The run store: one small file per job, written at once or not at all."""

import errno
import json
import logging
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mtclib.core.paths import digest, replacing, tidied

log = logging.getLogger(__name__)

MOST = 2**30  # bytes of a record's content, which are hundreds of times what any fit leaves
# RuntimeError: flags of a damaged zip file ask for a password, or for what zipfile has not implemented.
UNREADABLE = (OSError, ValueError, TypeError, KeyError, AttributeError, EOFError, RuntimeError, MemoryError,
              zipfile.BadZipFile, zlib.error)


@dataclass(frozen=True)
class Record:
    """What is kept of one job."""

    info: dict  # JSON data that the job determines: key, status, error, scores, n_iter, objective, ...
    cost: dict = field(default_factory=dict)  # JSON data that differ between two runs: seconds, date, ...
    arrays: dict = field(default_factory=dict)  # labels/<task>, objective, model/relation_/0/1, ...

    @property
    def key(self):
        """Key of the job."""
        return self.info["key"]

    @property
    def status(self):
        """"ok", "failed" or "unavailable"."""
        return self.info["status"]


class RunStore:
    """A folder with one ``<key>.npz`` per job, for any number of processes: a record appears under its name
    only when it is whole. Files that killed writers left behind are removed after a day."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = tidied(Path(folder), ".*.npz.*.tmp")

    def path(self, key: str) -> Path:
        """File of a job's record, whether it exists or not."""
        return self.folder / f"{key}.npz"

    def keys(self) -> list[str]:
        """Sorted keys of all stored jobs."""
        return sorted(file.stem for file in self.folder.glob("*.npz"))

    def get(self, key: str, *, arrays: bool = True) -> Record | None:
        """The record of a job, or None; a damaged file counts as absent, with a warning. With arrays=False
        only the header is checked. OSError if a folder or a file that may not be read has the name."""
        path = self.path(key)
        try:
            if path.exists() and not path.is_file():  # a folder, or a pipe that would be waited for
                raise PermissionError(errno.EISDIR, "it is no file")
            return _read(path, arrays)
        except FileNotFoundError:
            return None
        except PermissionError as error:
            # Not damage: it would stand in the way of the new record, after the whole of the fit.
            raise OSError(f"{path} cannot be read ({error.strerror}); move away what is there, or "
                          f"make it readable") from error
        except UNREADABLE as error:
            log.warning("record %s is damaged (%s: %s); it counts as absent and will be computed again",
                        self.path(key).name, type(error).__name__, error)
            return None

    def put(self, record: Record) -> None:
        """Write a record, replacing an earlier one; ``ValueError`` if an array holds Python objects."""
        for name, array in record.arrays.items():
            if np.asarray(array).dtype.hasobject:
                raise ValueError(f"array {name!r} of record {record.key} holds Python objects, not numbers")
        members = _members(record)
        members["cost"] = _to_bytes({**record.cost, "digest": digest(members)})
        with replacing(self.path(record.key)) as partial, open(partial, "wb") as file:
            np.savez_compressed(file, **members)


def record_digest(path: str | Path) -> str:
    """SHA-256 of a record's content without its ``cost`` part: equal for two runs of one job, bit for bit."""
    with np.load(path, allow_pickle=False) as members:
        return digest({name: members[name] for name in members.files if name != "cost"})


def _members(record):
    arrays = {name: np.asarray(array) for name, array in record.arrays.items()}
    return {"record": _to_bytes(record.info), "cost": _to_bytes(record.cost), **arrays}


def _to_bytes(value):
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return np.frombuffer(text.encode(), dtype=np.uint8)


def _read(path, with_arrays):
    with np.load(path, allow_pickle=False) as members:
        names = members.files if with_arrays else ("record", "cost")
        if (size := sum(info.file_size for info in members.zip.infolist())) > MOST:
            raise ValueError(f"it would take {size / 2**30:.1f} GB")
        found = {name: members[name] for name in names}
    for name, array in found.items():
        if not isinstance(array, np.ndarray):  # bytes, where the directory of the zip file gives another size
            raise ValueError(f"{name} is no array")
    info, cost = (json.loads(found.pop(name).tobytes()) for name in ("record", "cost"))
    written = cost.pop("digest", "")  # records of earlier versions have none
    record = Record(info, cost, found)
    if with_arrays and written and written != digest(_members(record)):
        raise ValueError("its content does not match its digest")
    if record.key != Path(path).stem:
        raise ValueError(f"it holds the record of {record.key}")
    return record
