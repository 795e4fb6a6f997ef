"""What `cluster` gives on the comparison's sets as raw files, beside what was promised, and whether the order
of the samples matters: data/comparison/command.csv, which ``python -m benchmarks.as_the_command`` writes."""

import numpy as np
import pandas as pd

from mtclib.companion import tables
from mtclib.companion.comparison.advice import evidence, spread
from mtclib.companion.comparison.sources import PLAIN, summary
from mtclib.core import paths


def scores(kind):
    """ARI in percent, (set, method): of ``cluster``; of the ``comparison``, with the first preparation;
    ``orders``, the largest minus the smallest over random orders of the samples (rule 10)."""
    found = pd.read_csv(paths.paper_dir("comparison") / "command.csv").query("kind == @kind")
    cases = ["set", "method"]
    page = evidence(kind).scores().droplevel(["source", "kind", "preparation"]).stack().rename("comparison")
    frame = found[found["order"] == 0].set_index(cases)[["ARI"]].set_axis(["cluster"], axis=1).join(page)
    return frame.assign(orders=found[found["order"] > 0].groupby(cases)["ARI"].agg(np.ptp))


def table(kind):
    """The advised methods over all sources, and folded below it every set."""
    found, source = scores(kind), evidence(kind).table.drop_duplicates("set").set_index("set")["source"]
    ways = {"the command": found["cluster"], "the comparison": found["comparison"]}
    wide, rows = {way: values.unstack("method", sort=False) for way, values in ways.items()}, []
    for method in wide["the command"].columns.drop(PLAIN):
        gains = {f"gain by {way}": summary((frame[method] - frame[PLAIN]).groupby(source).mean())
                 for way, frame in wide.items()}
        orders = found.xs(method, level="method")["orders"].dropna()
        rows.append({"method": method, "sets": len(wide["the command"]),
                     **{name: spread(row, "gain", "low", "high") for name, row in gains.items()},
                     "sets with five orders": len(orders), "they differ at most by": orders.max(),
                     "in half of the sets by": orders.median()})  # fmt: skip
    caption = f"Many {kind}: what the command gives on raw files, and in other orders of the samples"
    told = f"{', '.join(row['method'] for row in rows)} and k-means on {rows[0]['sets']} sets"
    return tables.Tables((
        tables.frame_table(rows, caption, notes=["Points of ARI over k-means."]),
        tables.frame_table(found.round(1), f"Many {kind}: every set, ARI in percent", folded=told)))
