"""``make adversary``: every family for an equal share of the time, a line for each; faults are shown."""

import argparse
import sys

import pandas as pd
from adversary.families import FAMILIES
from adversary.hunt import hunt

from mtclib.core import paths


def main():
    """Hunt, print, and with --write keep the counts; 1 if there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=f"default: {', '.join(FAMILIES)}")
    parser.add_argument("--seconds", type=float, default=3600, help="for all together (default 3600)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="keep the counts in data/adversary.csv")
    given = parser.parse_args()
    names, rows = given.families or list(FAMILIES), []
    for name in names:
        found = hunt(name, given.seconds / len(names), given.seed)
        rows.append({"family": name, "attacks": FAMILIES[name].__doc__.strip("."), "tried": found.tried,
                     "refused": found.refused, "faults": found.faults.total(),
                     "seconds": round(found.seconds), "seed": given.seed})  # fmt: skip
        print("{family}: {tried} tried, {refused} refused by name, {faults} faults".format(**rows[-1]),
              flush=True)
        for fault, count in found.faults.most_common(20):
            print(f"    {count} times, first in {found.first[fault]}", flush=True)
    if given.write:
        pd.DataFrame(rows).to_csv(paths.data_dir() / "adversary.csv", index=False, lineterminator="\n")
    return int(any(row["faults"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
