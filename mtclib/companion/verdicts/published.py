"""The numbers that a paper prints, read from ``data/<paper>/published.csv``.

A csv keeps each number as printed, in the paper's own unit.  This module turns the numbers into fractions and
keeps what the verdicts need beside them: the printed string and half a unit of its last digit, which is all
that rounding can hide.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from mtclib.core.paths import data_dir, paper_dir

REQUIRED = ("paper", "table", "dataset", "task", "method", "metric", "mean", "std", "decimals")
PERCENT_OR_FRACTION = ("ACC", "NMI", "ARI", "purity", "RI", "s_nmi")
KEY = ("paper", "table", "dataset", "task", "method", "metric")
UNITS = ("percent", "fraction", "distance", "raw")


class PublishedError(ValueError):
    """A published csv is missing, incomplete or holds a number that cannot be read."""


def papers(directory=None) -> list[str]:
    """Names of the papers whose numbers are there, sorted.

    Parameters
    ----------
    directory : path-like, optional
        Folder of the papers' folders; the repository's ``data`` by default.

    Returns
    -------
    list of str

    Examples
    --------
    >>> "mtcmrl" in papers()
    True
    """
    folder = data_dir() if directory is None else Path(directory)
    return sorted(path.parent.name for path in folder.glob("*/published.csv"))


def class_sizes(paper: str, directory=None) -> dict[tuple[str, str], list[int]]:
    """Class sizes that a paper prints, from ``sizes.csv`` beside the published numbers.

    Parameters
    ----------
    paper : str
        Name of the paper.
    directory : path-like, optional
        Folder of the papers' folders; the repository's ``data`` by default.

    Returns
    -------
    dict of (dataset, task) to list of int
        Empty if the paper prints none.

    Raises
    ------
    PublishedError
        There is no ``sizes.csv``.

    Examples
    --------
    >>> class_sizes("mtcmrl")["20NewsGroups", "1"]
    [387, 395, 395]
    """
    rows = _quantities(paper, "class_size", directory)
    return {key: group.astype(int).tolist() for key, group in rows.groupby(["dataset", "task"])["value"]}


def sample_sizes(paper: str, directory=None) -> dict[tuple[str, str], int]:
    """Numbers of samples that a paper prints, given or as the sum of the class sizes.

    Parameters
    ----------
    paper : str
        Name of the paper.
    directory : path-like, optional
        Folder of the papers' folders; the repository's ``data`` by default.

    Returns
    -------
    dict of (dataset, task) to int

    Raises
    ------
    PublishedError
        There is no ``sizes.csv``.

    Examples
    --------
    >>> sample_sizes("mtcmrl")["Reuters", "2"]
    130
    """
    rows = _quantities(paper, "n_samples", directory)
    summed = {key: sum(counts) for key, counts in class_sizes(paper, directory).items()}
    return summed | {(row.dataset, row.task): int(row.value) for row in rows.itertuples()}


def load(paper: str, directory=None) -> pd.DataFrame:
    """Printed numbers of one paper, one row a cell.

    Parameters
    ----------
    paper : str
        Name of the paper, e.g. ``"mtcmrl"``.
    directory : path-like, optional
        Folder of the papers' folders; the repository's ``data`` by default.

    Returns
    -------
    DataFrame
        The columns of the csv and, from them: ``cell`` (unique id), ``printed_mean`` and ``printed_std``
        (text as printed), ``mean`` and ``std`` (float64; fractions for ACC, NMI, ARI, purity, RI and s_nmi,
        as printed for other metrics; NaN where nothing is printed), ``unit`` (one of `UNITS`), ``half_unit``
        and ``half_unit_std`` (half of the last printed digit, in the unit of ``mean``).

    Raises
    ------
    PublishedError
        Unknown paper, missing column, a number that cannot be read, two rows for one cell.

    Notes
    -----
    The unit is the csv's ``unit`` column if there is one.  Otherwise a table counts as percent when any of
    its proportions is larger than 1: no paper mixes the two units within one table.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> row = "demo,1,toy,1,SNMF,ACC,80.90,0.00,2"
    >>> (folder / "demo").mkdir()
    >>> _ = (folder / "demo" / "published.csv").write_text(",".join(REQUIRED) + "\\n" + row)
    >>> load("demo", folder)[["cell", "mean", "half_unit"]].to_numpy().tolist()
    [['demo:1:toy:1:SNMF:ACC', 0.809, 5e-05]]
    """
    path = _folder(paper, directory) / "published.csv"
    if not path.is_file():
        known = ", ".join(papers(directory)) or "none"
        raise PublishedError(f"paper={paper!r}: no published numbers; known papers: {known}")
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    return from_printed(frame, origin=f"{paper}/{path.name}")


def from_printed(frame: pd.DataFrame, origin: str = "frame") -> pd.DataFrame:
    """Add the numeric columns of :func:`load` to a frame of printed strings.

    Parameters
    ----------
    frame : DataFrame
        Columns `REQUIRED` as text; further columns are kept.
    origin : str, default="frame"
        Name shown in errors.

    Returns
    -------
    DataFrame
        A new frame, see :func:`load`.

    Raises
    ------
    PublishedError
        As in :func:`load`.

    Examples
    --------
    >>> row = ("demo", "1", "toy", "1", "IND", "NMI", ".40", ".02", "2")
    >>> from_printed(pd.DataFrame([row], columns=list(REQUIRED)))[["mean", "unit"]].values.tolist()
    [[0.4, 'fraction']]
    """
    missing = [name for name in REQUIRED if name not in frame.columns]
    if missing:
        needed = f"required: {', '.join(REQUIRED)}"
        raise PublishedError(f"{origin}: missing column(s) {', '.join(missing)}; {needed}")
    out = frame.astype(str).apply(lambda column: column.str.strip())
    out["task"] = out["task"].str.replace(r"^[Tt]ask\s*", "", regex=True)
    out["cell"] = out[list(KEY)].agg(":".join, axis=1)
    twice = out.loc[out["cell"].duplicated(), "cell"].unique()
    if len(twice):
        raise PublishedError(f"{origin}: more than one row for {', '.join(twice[:3])}; keep one row a cell")
    out["printed_mean"], out["printed_std"] = out["mean"], out["std"]
    means, stds = (_numbers(out, column, origin) for column in ("mean", "std"))
    out["unit"] = _units(out, means, origin)
    scale = np.where(out["unit"] == "percent", 0.01, 1.0)
    out["mean"], out["std"] = means * scale, stds * scale
    out["decimals"] = _decimals(out["printed_mean"])
    out["half_unit"] = 0.5 * 10.0 ** -out["decimals"] * scale
    out["half_unit_std"] = (0.5 * 10.0 ** -_decimals(out["printed_std"]) * scale).where(out["std"].notna())
    return out


def _folder(paper, directory) -> Path:
    return paper_dir(paper) if directory is None else Path(directory) / paper


def _quantities(paper, quantity, directory):
    path = _folder(paper, directory) / "sizes.csv"
    if not path.is_file():
        raise PublishedError(f"{path.name} is missing beside the published numbers: no sizes for {paper!r}")
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    return frame[frame["quantity"] == quantity]


def _numbers(frame, column, origin):
    values = pd.to_numeric(frame[column].where(frame[column] != ""), errors="coerce").astype(float)
    bad = frame[~np.isfinite(values) & (frame[column] != "")]
    if len(bad):
        first = bad.iloc[0]
        raise PublishedError(f"{origin}: {column}={first[column]!r} of {first['cell']} is no number")
    return values


def _decimals(printed):
    return printed.str.partition(".")[2].str.len().astype(int)


def _units(frame, means, origin):
    proportion = frame["metric"].isin(PERCENT_OR_FRACTION)
    largest = means.abs().where(proportion).groupby([frame["paper"], frame["table"]]).transform("max")
    guessed = np.where(~proportion, "raw", np.where(largest > 1, "percent", "fraction"))
    if "unit" not in frame:
        return guessed
    unknown = sorted(set(frame["unit"]) - {*UNITS, ""})
    if unknown:
        raise PublishedError(f"{origin}: unit {unknown[0]!r} is unknown; use one of {', '.join(UNITS)}")
    return np.where(frame["unit"] == "", guessed, frame["unit"])
