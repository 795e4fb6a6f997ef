"""The numbers that a paper prints, read from ``data/<paper>/published.csv``, and sizes from ``sizes.csv``.

A csv keeps each number as printed, in the paper's own unit.  Here they become fractions, with the printed
string beside them and half a unit of its last digit, which is all that rounding can hide.
"""

import numpy as np
import pandas as pd

from mtclib.core.errors import MtclibError, check_option
from mtclib.core.paths import paper_dir

REQUIRED = ("paper", "table", "dataset", "task", "method", "metric", "mean", "std", "unit")
PERCENT_OR_FRACTION = ("ACC", "NMI", "ARI", "purity", "RI", "s_nmi")
KEY = REQUIRED[:6]
UNITS = ("percent", "fraction", "distance")


class PublishedError(MtclibError, ValueError):
    """A published csv is missing, incomplete or holds a number that cannot be read."""


def sizes(paper):
    """Sizes that a paper prints, as text: its ``sizes.csv``."""
    return _read(paper, "sizes", ("dataset", "task", "quantity", "value"))


def class_sizes(paper):
    """Class sizes that a paper prints, a dict from (data set, task)."""
    rows = sizes(paper).query("quantity == 'class_size'")
    return {key: group.astype(int).tolist() for key, group in rows.groupby(["dataset", "task"])["value"]}


def size_cells(paper):
    """Sizes that a paper prints, in the columns of `load`; the n-th class of a task, in the printed
    order, is its "method"."""
    rows = sizes(paper)
    rows = rows[rows["value"].str.fullmatch(r"\d+")]
    order = rows.groupby(["dataset", "task", "quantity"]).cumcount() + 1
    place = np.where(rows["quantity"] == "class_size", order.astype(str), "")
    cells = rows.assign(paper=paper, method=place, metric=rows["quantity"], mean=rows["value"].astype(float),
                        half_unit=0.5, std=np.nan)
    rest = [cells[name] for name in ("task", "metric", "method")]
    return cells.assign(cell=f"{paper}:" + cells["dataset"].str.cat(rest, sep=":")).drop_duplicates("cell")


def load(paper):
    """Printed numbers of one paper, one row per cell, as from :func:`from_printed`."""
    return from_printed(_read(paper, "published", REQUIRED), origin=f"{paper}/published.csv")


def _read(paper, name, columns):
    """The table ``data/<paper>/<name>.csv`` as text."""
    try:
        frame = pd.read_csv(paper_dir(paper) / f"{name}.csv", dtype=str, keep_default_na=False)
    except ValueError as error:  # of pandas and of text that is not UTF-8
        raise PublishedError(f"{paper}/{name}.csv is no table: {error}") from None
    if missing := [column for column in columns if column not in frame]:
        raise PublishedError(f"{paper}/{name}.csv: missing column(s) {', '.join(missing)}; "
                             f"required: {', '.join(columns)}")
    return frame


def from_printed(frame, origin="frame"):
    """Printed strings with numeric columns: ``mean`` and ``std`` are fractions for `PERCENT_OR_FRACTION`, NaN
    where nothing is printed."""
    out = frame.astype(str).apply(lambda column: column.str.strip())
    out["cell"] = out[KEY[0]].str.cat(out[list(KEY[1:])], sep=":")
    twice = out.loc[out["cell"].duplicated(), "cell"].unique()
    if len(twice):
        raise PublishedError(f"{origin}: more than one row for {', '.join(twice[:3])}; keep one row per cell")
    out["printed_mean"], out["printed_std"] = out["mean"], out["std"]
    for unit in out["unit"].unique():
        check_option(f"{origin}: unit", unit, UNITS, PublishedError)
    scale = np.where(out["unit"] == "percent", 0.01, 1.0)
    for column in ("mean", "std"):
        values = pd.to_numeric(out[column].where(out[column] != ""), errors="coerce").astype(float)
        if len(bad := out[~np.isfinite(values) & (out[column] != "")]):
            raise PublishedError(f"{origin}: {column}={bad[column].iloc[0]!r} of {bad['cell'].iloc[0]} is no "
                                 f"number")
        out[column] = values * scale
    out["decimals"] = _decimals(out["printed_mean"])
    out["half_unit"] = 0.5 * 10.0 ** -out["decimals"] * scale
    out["half_unit_std"] = (0.5 * 10.0 ** -_decimals(out["printed_std"]) * scale).where(out["std"].notna())
    return out


def _decimals(printed):
    return printed.str.partition(".")[2].str.len().astype(int)


def matching(frame, wanted):
    """Rows with these values, as text, by column; None stands for any."""
    for name, value in wanted.items():
        frame = frame if value is None else frame[frame[name].astype(str) == value]
    return frame
