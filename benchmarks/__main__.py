"""What was promised, and whether it holds; then all comparisons as tables; the last one names every method.

    python -m benchmarks                            prints them, and writes the last one to build/bench.csv
    python -m benchmarks --output data/bench.csv    keeps it
    python -m benchmarks targets [--full] [--ten]   what was promised of scale alone; --full: what takes long
    python -m benchmarks floors --help              the floors alone
    python -m benchmarks growth --help              how time and memory grow

In the last table ``literal`` is the time of the literal transcription over ours, ``library`` that of the
routine that a user would take instead; the ``floor`` columns are our time over what the mathematics cannot
avoid (see `floors`), of an iteration and of a whole fit.
"""

import argparse
import sys
from importlib import import_module
from pathlib import Path

import pandas as pd

from mtclib.core import paths

from . import floors, growth, targets
from .record import merge
from .timing import collect, one_thread

SCRIPTS = ("spmtc", "mspl", "mbc", "mtcmrl", "lmsc", "awp_wmsc", "clr_mtsc", "coreg", "dmtc", "samtc",
           "smbc_smkc", "subspace_clustering")  # fmt: skip
PARTS = {"floors": floors.main, "growth": growth.main, "targets": targets.main}


def main(arguments):
    if arguments[:1] and arguments[0] in PARTS:
        PARTS[arguments[0]](arguments[1:])
        return
    parser = argparse.ArgumentParser("python -m benchmarks", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter,
                                     parents=[targets.options()])
    parser.add_argument("--output", type=Path, default=paths.build_dir() / "bench.csv")
    options = parser.parse_args(arguments)
    file = options.output
    targets.report(options)
    with one_thread():
        rows = [row for name in SCRIPTS for row in collect(import_module(f"benchmarks.{name}").RATIOS)]
    details = pd.DataFrame(rows)
    print(details.to_string(index=False, na_rep="", float_format="{:.3g}".format))
    table = with_literal(floors.table(floors.SPECS), details)
    file.parent.mkdir(parents=True, exist_ok=True)
    merge(table, file)
    print(table.to_string(index=False, na_rep="", float_format="{:.3g}".format))
    print(f"written to {file}")


def with_literal(table, details):
    """The table with the ratio to the literal transcription, of the method's first row that has one."""
    found = {}
    for row in details.dropna(subset="literal / ours").itertuples(index=False):
        label = row.method.replace("-", "")
        names = [name for name in table["method"] if label.startswith(name)]
        found.setdefault(max(names, key=len), row[details.columns.get_loc("literal / ours")])
    table.insert(table.columns.get_loc("library"), "literal", table["method"].map(found))
    return table


if __name__ == "__main__":
    main(sys.argv[1:])
