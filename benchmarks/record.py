"""Committed tables: new rows replace old ones, and a file beside the table says what made it."""

import datetime
import json
import platform
from importlib.metadata import version

import pandas as pd

from .method_costs import processor

PACKAGES = ("mtclib", "numpy", "scipy", "scikit-learn", "pandas")


def merge(table, path):
    """Write `table` into the CSV file `path`, in place of the rows of its methods."""
    if path.exists():
        old = pd.read_csv(path)
        table = pd.concat([old[~old["method"].isin(table["method"])], table])
    table = table.sort_values("method", kind="stable")
    table.to_csv(path, index=False, float_format="%.3g", lineterminator="\n")
    text = json.dumps(made_by(), indent=1, sort_keys=True) + "\n"
    path.with_suffix(".json").write_text(text, encoding="utf-8")


def made_by():
    """What made a table: machine, date and versions."""
    return {"date": datetime.date.today().isoformat(), "machine": platform.machine(),
            "processor": processor(), "python": platform.python_version(), "threads": 1,
            "packages": {name: version(name) for name in PACKAGES}}
