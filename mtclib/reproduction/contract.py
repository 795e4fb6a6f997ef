"""Reading the toml files of the ledger and checking their keys."""

import tomllib
from pathlib import Path

from mtclib.paths import data_dir


class LedgerError(ValueError):
    """A decisions or claims file is missing or breaks its contract."""


def read_tables(paper, directory, folder, tables):
    """Content of ``data/<folder>/<paper>.toml``: a dict of lists of tables.

    Parameters
    ----------
    paper : str
        Name of the paper.
    directory : path-like or None
        Folder of the toml files; the repository's ``data/<folder>`` if None.
    folder : str
        "decisions" or "claims".
    tables : collection of str
        Names of tables that the file may have.

    Returns
    -------
    dict

    Raises
    ------
    LedgerError
        No such file, not TOML, an unknown table.
    """
    path = (data_dir() / folder if directory is None else Path(directory)) / f"{paper}.toml"
    if not path.is_file():
        known = ", ".join(sorted(other.stem for other in path.parent.glob("*.toml"))) or "none"
        raise LedgerError(f"paper={paper!r}: no {folder} file; known papers: {known}")
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise LedgerError(f"{folder}/{path.name}: {error}") from None
    unknown = set(content) - set(tables)
    if unknown:
        raise LedgerError(f"{folder}/{path.name}: unknown table {sorted(unknown)[0]!r}")
    return content


def check_keys(entry, contract, name):
    """Refuse unknown, empty and missing keys; returns `name` with the id of the entry.

    Parameters
    ----------
    entry : dict
        One table.
    contract : mapping of str to bool
        Known keys and whether each must be there.
    name : str
        What the entry is, for the error.

    Returns
    -------
    str

    Raises
    ------
    LedgerError
        A key breaks the contract.
    """
    name = f"{name} {entry['id']}" if "id" in entry else name
    for key in entry:
        if key not in contract:
            raise LedgerError(f"{name}: unknown key {key!r}; known: {', '.join(contract)}")
        if entry[key] in ("", []):
            raise LedgerError(f"{name}: {key} is empty")
    missing = [key for key, needed in contract.items() if needed and key not in entry]
    if missing:
        raise LedgerError(f"{name}: missing {', '.join(missing)}")
    return name


def check_one_of(value, known, name):
    """Raise a LedgerError that names the known values unless `value` is one of `known`."""
    if value not in known:
        raise LedgerError(f"{name}: {value!r} is unknown; use one of {', '.join(known)}")


def check_unique(entries, paper):
    """Return `entries`; raise a LedgerError if two have the same id."""
    seen = set()
    for entry in entries:
        if entry["id"] in seen:
            raise LedgerError(f"{paper}: id {entry['id']} is used twice")
        seen.add(entry["id"])
    return entries
