"""The list of data files: what each is, how it is checked and where it comes from.

The list itself is ``registry.toml`` beside this module; its head comment describes the fields.
"""

import difflib
import tomllib
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files

_REGISTRY = files(__package__) / "registry.toml"


@dataclass(frozen=True)
class Entry:
    """One data file, with the fields of ``registry.toml``; None is what is not known, or does not apply.

    `bytes` and `sha256` are of the file as mirrored (for a packed folder: of that archive), `members` and
    `content_bytes` the number and total size of the files in a packed folder, `folders` its top folders, and
    `loaders` the data sets of :func:`mtclib.datasets.load` that are made from the file.
    """

    name: str
    bytes: int | None = None
    sha256: str | None = None
    git_blob: str | None = None
    content_sha256: str | None = None
    members: int | None = None
    content_bytes: int | None = None
    wheel: str | None = None
    member: str | None = None
    url: str | None = None
    inside: str = ""
    folders: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    title: str = ""
    edition: str = ""
    licence: str = ""
    citation: str = ""
    note: str = ""
    loaders: tuple[str, ...] = ()

    @property
    def zipped(self) -> bool:
        """Whether `url` gives a zip archive that holds the file."""
        return bool(self.member and self.url and self.url.endswith(".zip"))

    @property
    def identity(self) -> str:
        """What the bytes are checked against, for messages and records."""
        if self.content_sha256:
            return f"content SHA-256 {self.content_sha256} over {self.members} files"
        return f"SHA-256 {self.sha256}" if self.sha256 else f"Git blob id {self.git_blob}"


def _entry(group, file) -> Entry:
    merged = {**group, **file}
    if "base" in group and "url" not in file:
        merged["url"] = group["base"] + file.get("path", file["name"])
    merged["name"] = f"{group['folder']}/{file['name']}"
    merged = {key: tuple(value) if isinstance(value, list) else value for key, value in merged.items()}
    return Entry(**{f.name: merged[f.name] for f in fields(Entry) if f.name in merged})


@cache
def registry() -> dict[str, Entry]:
    """All known data files.

    Returns
    -------
    dict of str to Entry
        Keyed by name, in the order of the registry file.  Do not change it.

    Examples
    --------
    >>> from mtclib.datasets import registry
    >>> registry()["tdt2/TDT2.mat"].bytes
    2694157
    """
    groups = tomllib.loads(_REGISTRY.read_text(encoding="utf-8"))["set"]
    entries = [_entry(group, file) for group in groups for file in group["files"]]
    return {entry.name: entry for entry in entries}


def lookup(name: str) -> Entry:
    """Return the entry called `name`.

    Parameters
    ----------
    name : str
        A key of :func:`registry`.

    Returns
    -------
    Entry

    Raises
    ------
    ValueError
        If there is no such file; the message proposes the nearest names.

    Examples
    --------
    >>> lookup("WebKB/texas.cites").bytes
    24174
    """
    known = registry()
    if not isinstance(name, str) or name not in known:
        near = difflib.get_close_matches(str(name), known, n=3, cutoff=0.4)
        hint = f"Did you mean {' or '.join(map(repr, near))}?" if near else "registry() lists the names."
        raise ValueError(f"name: no data file is called {name!r}. {hint}")
    return known[name]
