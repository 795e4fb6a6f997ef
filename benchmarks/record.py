"""Committed tables: new rows replace old ones, and a file beside the table says what made it."""

import datetime
import json
import platform
from importlib.metadata import version
from pathlib import Path

import pandas as pd

PACKAGES = ("mtclib", "numpy", "scipy", "scikit-learn", "pandas")


def merge(table, path, by=("method",), digits=3, **made):
    """Write `table` into the CSV file `path`, in place of the rows with its methods; other columns stay."""
    if path.exists():
        old = pd.read_csv(path)
        others = old[["method", *old.columns.difference(table.columns)]].drop_duplicates("method")
        table = table.merge(others, on="method", how="left")
        columns = list(dict.fromkeys([*old, *table]))
        replaced = pd.MultiIndex.from_frame(old[list(by)]).isin(pd.MultiIndex.from_frame(table[list(by)]))
        table = pd.concat([table, old[~replaced]])[columns]
    table = table.sort_values("method", kind="stable")
    table.to_csv(path, index=False, float_format=f"%.{digits}g", lineterminator="\n")
    text = json.dumps(made_by() | made, indent=1, sort_keys=True) + "\n"
    path.with_suffix(".json").write_text(text, encoding="utf-8")


def processor():
    """Name of the processor, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def made_by():
    """What made a table: machine, date and versions."""
    return {"date": datetime.date.today().isoformat(), "machine": platform.machine(),
            "processor": processor(), "python": platform.python_version(), "threads": 1,
            "packages": {name: version(name) for name in PACKAGES}}
