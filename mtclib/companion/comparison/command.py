"""What `cluster` gives on the comparison's sets as raw files, beside what was promised, and whether the order
of the samples matters: data/comparison/command.csv, which ``python -m benchmarks.as_the_command`` writes.
And which rule for the number of clusters loses least: candidates.csv, by ``python -m benchmarks.candidates``.
"""

from functools import cache

import numpy as np
import pandas as pd

from mtclib.companion import tables
from mtclib.companion.comparison.advice import evidence, spread
from mtclib.companion.comparison.sources import PLAIN, summary
from mtclib.core import paths

RULES = {
    "smallest": "the smallest of the three candidates", "middle": "the middle one",
    "largest": "the largest", "agreeing": "the one whose clusters agree most with k-means, as `cluster` does",
    "stable": "the one whose clusters are most stable", "stablest": "of all numbers the most stable",
    "predicted": "the largest number with a prediction strength of .8",
}
"""How the number of clusters may be chosen."""
USED = "agreeing"


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
    found, source = scores(kind), evidence(kind).source_of
    ways = {"the command": found["cluster"], "the comparison": found["comparison"]}
    wide, rows = {way: values.unstack("method", sort=False) for way, values in ways.items()}, []
    for method in wide["the command"].columns.drop(PLAIN):
        gains = {f"gain by {way}": summary((frame[method] - frame[PLAIN]).groupby(source).mean())
                 for way, frame in wide.items()}
        orders = found.xs(method, level="method")["orders"].dropna()
        rows.append({"method": method, "sets": wide["the command"][method].count(),
                     **{name: spread(row) for name, row in gains.items()},
                     "sets with five orders": len(orders), "they differ at most by": orders.max(),
                     "in half of the sets by": orders.median()})
    caption = f"Many {kind}: what the command gives on raw files, and in other orders of the samples"
    told = f"{', '.join(row['method'] for row in rows)} and k-means on {len(wide['the command'])} sets"
    return tables.Tables((
        tables.frame_table(rows, caption, notes=["Points of ARI over k-means, on finished sets."]),
        tables.frame_table(found.round(1), f"Many {kind}: every set, ARI in percent", folded=told)))


@cache
def without_k(kind):
    """Points of ARI that the advised method loses by each of the `RULES`, and with the ``best`` of the three
    candidates; sources by rules."""
    found = pd.read_csv(paths.paper_dir("comparison") / "candidates.csv").query("kind == @kind")
    wide = found.pivot_table("ARI", "set", "rule")
    wide["best"] = wide[["smallest", "middle", "largest"]].max(axis=1)
    lost = wide.rsub(wide["known"], axis=0).groupby(evidence(kind).source_of).mean()
    return lost[[*RULES, "best"]]


def lost_without_k(kind):
    """What is lost if the number is not known, in a sentence."""
    lost = without_k(kind).mean()
    return (f"On {len(evidence(kind).done)} sets of {kind} this choice lost {lost[USED]:.0f} points of ARI "
            f"against the true number; the best of the three candidates lost {lost['best']:.0f}.")


def rules_table(kind):
    """All rules, the one that loses least first."""
    lost, rows = without_k(kind), []
    for rule in lost[list(RULES)].mean().sort_values(kind="stable").index:
        more = spread(summary(lost[rule] - lost[USED])) if rule != USED else ""
        rows.append({"rule": RULES[rule], "points of ARI lost": f"{lost[rule].mean():.1f}",
                     "more than by the command": more})
    caption = f"Many {kind}: what is lost where the number of clusters is not known"
    told = f"seven rules; the best of the three candidates loses {lost['best'].mean():.1f}"
    return tables.frame_table(rows, caption, folded=told)
