"""All comparisons, one after the other, as one table; also written to build/bench.csv."""

from importlib import import_module

import pandas as pd

from mtclib.core import paths

from .timing import collect, one_thread

SCRIPTS = ("spmtc", "mspl", "mbc", "mtcmrl", "lmsc", "awp_wmsc", "clr_mtsc", "coreg", "dmtc", "samtc",
           "smbc_smkc", "subspace_clustering")  # fmt: skip


def main():
    with one_thread():
        rows = [row for name in SCRIPTS for row in collect(import_module(f"benchmarks.{name}").RATIOS)]
    table, file = pd.DataFrame(rows), paths.build_dir() / "bench.csv"
    file.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(file, index=False, float_format="%.4g", lineterminator="\n")
    print(table.to_string(index=False, na_rep="", float_format="{:.3g}".format))
    print(f"written to {file}")


if __name__ == "__main__":
    main()
