"""Does a reproduced number agree with the printed one?

A difference test cannot answer this: with few runs it calls a large miss "not significant".  The rule here is
an equivalence test.  A cell *agrees* when the 90% interval of (ours - published) lies inside +-delta, which
is two one-sided tests at 5% each; it is *higher* or *lower* when the whole interval lies outside; else, and
for a single run that is not declared deterministic, it is *inconclusive*.  No correction for the number of
cells is made.  `mtclib.companion.tables.MEANINGS` has each verdict in words.
"""

import numpy as np
import pandas as pd

from mtclib.companion.runs import our_name
from mtclib.companion.verdicts import intervals
from mtclib.core.paths import beside

STATUSES = beside(__package__, "statuses.toml")
SYMBOLS = {verdict: look[0] for verdict, look in STATUSES["verdicts"].items()}
JUDGED = ("exact", "agrees", "higher", "lower", "inconclusive")
COUNTED = {"counted": JUDGED, "agreeing": ("exact", "agrees"), "undecided": ("inconclusive",),
           "deviating": ("higher", "lower")}
CAUSES = ("preprocessing", "data-version", "metric-variant", "initialisation", "stopping", "tuned-on-labels",
          "misprint", "underspecified", "unknown")
SCOPE = ("table", "dataset", "task", "method", "metric")
OUTPUT = ("cell", "paper", *SCOPE, "printed_mean", "printed_std", "published", "published_std", "published_n",
          "ours", "ours_std", "n", "n_failed", "difference", "relative_difference", "low", "high", "radius",
          "delta", "uncertainty", "selection", "within_prediction", "expected", "verdict", "misprint",
          "calibration", "counted", "cause", "reason")


def judge(published, results, *, n_published=None, deterministic=(), not_run=None, misprints=(),
          calibration=(), causes=()):
    """Set each printed number beside ours, with a verdict: a row per printed cell with the columns `OUTPUT`.
    ``radius`` is the smallest margin at which the cell would agree. ``uncertainty`` says whose spread is in
    the interval: "both", "ours for both" (the paper prints none), "one split" (the same, and the print is one
    draw), "published only" (ours is deterministic) or "none". ``within_prediction``: print lies in the 90%
    prediction interval of our runs. ``counted`` cells are judged, and neither in `calibration` nor averages
    of tasks that are judged. `published` may have a column ``selection``."""
    cells = with_interval(joined(published, results), n_published, deterministic)
    names = ["own_sd", "own_n", "sd_used", "published_n", "half_unit", "delta", "selection"]
    cells["expected"] = intervals.expected(*(cells[name] for name in names))
    cells["misprint"] = cells["cell"].isin(set(misprints))
    decided = [_decide(row, not_run or {}, causes) for row in cells.to_dict("records")]
    cells[["verdict", "cause", "reason"]] = pd.DataFrame(decided, index=cells.index, columns=[0, 1, 2])
    cells["calibration"] = cells["cell"].isin(set(calibration))
    judged, average = cells["verdict"].isin(JUDGED), cells["task"] == "avg"
    rows = (judged | average).groupby([cells[name] for name in ("table", "dataset", "method", "metric")])
    covered = average & rows.transform("all") & (rows.transform("size") > 1)
    cells["counted"] = judged & ~covered & ~cells["calibration"]
    return cells[list(OUTPUT)]


def verdict_counts(verdicts, by):
    """Counts of the cells that count by some columns: `COUNTED`, and the ``ceiling``, how many a perfect
    re-run would be expected to have agreeing."""
    counted = verdicts["counted"]
    told = {name: counted & verdicts["verdict"].isin(members) for name, members in COUNTED.items()}
    told["ceiling"] = verdicts["expected"].where(counted, 0.0)
    return pd.DataFrame(told).groupby([verdicts[name] for name in by]).sum().round({"ceiling": 1})


def tasks_of(cells, metrics, results):
    """The task of the results, under our metrics, that each cell is of: on views there is one, which has no
    name, and so of measures of a whole fit; otherwise a cell without a task is the mean over tasks."""
    unnamed = results.loc[results["task"] == "", "metric"].unique()
    return cells["task"].where(np.isin(metrics, unnamed), cells["task"].replace("", "avg"))


def joined(published, results):
    """Printed cells with our mean, spread and counts beside them, in the printed order. The cells with
    ``ours, ours_std, n, n_failed, error, lacking``; NaN where nothing was run."""
    cells = published.rename(columns={"mean": "published", "std": "published_std"}).reset_index(drop=True)
    metrics = [our_name(*names) for names in zip(cells["paper"], cells["metric"])]
    key = cells[["dataset", "method"]].assign(task=tasks_of(cells, metrics, results), metric=metrics)
    ours = _statistics(results[results["metric"].isin(key["metric"]) & results["method"].isin(key["method"])])
    return pd.concat([cells, key.merge(ours, how="left", on=list(key)).drop(columns=list(key))], axis=1)


def _statistics(results):
    grids = results.groupby(["dataset", "method"])["params"].nunique()
    if (grids > 1).any():
        dataset, method = grids[grids > 1].index[0]
        raise ValueError(f"results: {grids.max()} grid points for method {method!r} on {dataset!r}; "
                         "keep one (chosen with the labels, or the default) before judging")
    ok = (results["status"] == "ok") & results["value"].notna()
    keys = ["dataset", "method", "task", "metric"]
    lacking = results["status"] == "unavailable"
    table = results[[*keys, "error"]].assign(
        value=results["value"].where(ok), failed=~ok & ~lacking, lacking=lacking)
    found = table.groupby(keys).agg(ours=("value", "mean"), ours_std=("value", "std"), n=("value", "count"),
                                    n_failed=("failed", "sum"), lacking=("lacking", "all"))
    # Of those alone that failed: pandas compares text slowly.
    errors = "" if ok.all() else table[~ok].groupby(keys)["error"].max().reindex(found.index).fillna("")
    return found.assign(error=errors).reset_index()


def with_interval(cells, n_published, deterministic):
    """`cells` with the interval of the difference, the margin and what the interval says about it,
    ``statistical``. A deterministic method is exact."""
    fixed = cells["method"].isin(set(deterministic))
    varies = fixed & (cells["ours_std"] > 1e-12)
    if varies.any():
        raise ValueError(f"deterministic: runs of {cells.loc[varies, 'method'].iloc[0]!r} differ; remove it")
    cells["published_n"] = float(n_published or 1)
    # A printed 0.00 may hide up to half a unit of the last digit.
    printed_sd = cells["published_std"].where(cells["published_std"] != 0, cells["half_unit_std"])
    theirs = printed_sd.notna() & (cells["published_n"] > 1)
    cells["sd_used"] = printed_sd.where(theirs)
    cells["delta"] = list(map(intervals.margin, cells["metric"], cells["half_unit"], cells["published"]))
    cells["own_sd"], cells["own_n"] = cells["ours_std"].mask(fixed, 0.0), cells["n"].mask(fixed, np.inf)
    if "selection" not in cells:
        cells["selection"] = 0.0
    sides = cells["ours"], cells["own_sd"], cells["own_n"].astype(float), cells["published"]
    rest = cells["published_n"], cells["half_unit"], cells["selection"]
    cells["low"], cells["high"] = intervals.difference_interval(*sides, cells["sd_used"], *rest)
    least, most = intervals.difference_interval(*sides, np.nan, *rest)
    cells["within_prediction"] = (least <= 0) & (most >= 0)
    cells["difference"] = cells["ours"] - cells["published"]
    cells["relative_difference"] = cells["difference"] / cells["published"].where(cells["published"] != 0)
    cells["radius"] = np.maximum(cells["low"].abs(), cells["high"].abs())
    cells["uncertainty"] = np.select([fixed & theirs, fixed, theirs, cells["published_n"] == 1], [
        "published only", "none", "both", "one split"], "ours for both")
    cells["statistical"] = intervals.classify(cells["low"], cells["high"], cells["delta"])
    return cells


def _decide(row, not_run, causes):
    if np.isnan(row["published"]):
        return "unavailable", "", "the paper prints no number here"
    if np.isnan(row["n_failed"]):
        reasons = (not_run.get(row[name]) for name in ("method", "dataset"))
        return "not-run", "", next(filter(None, reasons), "no run of this method, data set and metric")
    if row["lacking"]:
        return "unavailable", "", row["error"] or "the data cannot be had"
    lost = int(row["n_failed"])
    note = f"{lost} of {lost + int(row['n'])} runs failed" if lost else ""
    if row["n"] == 0:
        return "failed", "", row["error"] or "every run failed"
    if row["misprint"]:
        return "misprint", "misprint", "contradicts other printed numbers; not counted"
    if abs(row["difference"]) <= row["half_unit"] * (1 + 1e-9):
        return "exact", "", note
    verdict, cause, why = row["statistical"], "", ""
    if verdict in ("higher", "lower"):
        fitting = (rule for rule in causes
                   if all(str(rule[name]) == row[name] for name in SCOPE if name in rule))
        rule = next(fitting, {"cause": "unknown", "evidence": ""})
        cause, why = rule["cause"], rule["evidence"]
    elif verdict == "inconclusive":
        side = "within" if row["within_prediction"] else "outside"
        why = f"print lies {side} our prediction interval"
        why = "one run has no spread" if np.isnan(row["low"]) else why
    return verdict, cause, "; ".join(filter(None, [why, note]))
