"""Claims about curves, counts, matrices and running times.

The rule is that of :mod:`mtclib.companion.claims.methods`: two-sided, 5%, undecided below six observations.
Where no test in closed form exists the runs are resampled, with a fixed seed.
"""

import json

import numpy as np
import pandas as pd
from scipy import stats

from mtclib.companion.claims.methods import ALPHA, FEWEST, ClaimResult, inside, majority, wilcoxon

RESAMPLES = 2000


def span_within(frame, parameter, metric, dataset, low=0.0, high=1.0, method=None, task="avg") -> ClaimResult:
    """Does the score span a given range while one parameter runs over its grid?

    Holds if the 95% bootstrap interval of the span (over runs, the same runs at each grid value) lies in
    [low, high], fails if it lies outside.

    The span of noisy means is too large on average, and that of resampled noisy means more so. The interval
    (2 x observed - upper, 2 x observed - lower resampled quantile) takes that bias out once.
    """
    curve = sweep(frame, parameter, metric, dataset, method, task)
    observed = float(np.ptp(curve.mean(axis=0)))
    ends = np.clip(_interval(observed, np.ptp(_resampled(curve), axis=1), len(curve)), 0, None)
    counts = (
        f"span {100 * observed:.1f} points (95% interval {100 * ends[0]:.1f} to {100 * ends[1]:.1f}) over "
        f"{curve.shape[1]} values of {parameter}; claimed {100 * low:g} to {100 * high:g}")
    return ClaimResult(inside(ends, low, high, len(curve)), counts, observed, len(curve))


def rises_then_falls(frame, parameter, metric, dataset, method=None, task="avg") -> ClaimResult:
    """Is a score higher between the ends of a parameter's grid than at the better of both ends? Signed-rank
    test over runs of the mean over inner values minus the better end; ``statistic`` is its mean. A flat
    curve, whose better end is better by chance, speaks against the claim, as it should."""
    curve = sweep(frame, parameter, metric, dataset, method, task)
    ends, inner = curve.iloc[:, [0, -1]], curve.iloc[:, 1:-1].mean(axis=1)
    gaps = inner - ends.max(axis=1)
    status, p = wilcoxon(gaps.to_numpy())
    first, last = 100 * ends.mean()
    counts = f"{first:.1f} and {last:.1f} at the ends of {parameter}, {100 * inner.mean():.1f} between"
    return ClaimResult(status, counts, float(gaps.mean()), len(gaps), p)


def more_sensitive_than(frame, parameter, than, metric, dataset, method=None, task="avg") -> ClaimResult:
    """Does the score move more with one parameter than with another? Bootstrap over the runs, the same runs
    for both sweeps: holds if the 95% interval of the difference of spans lies above 0, fails if it lies
    below."""
    first, second = (sweep(frame, name, metric, dataset, method, task) for name in (parameter, than))
    runs = first.index.intersection(second.index)
    first, second = first.loc[runs], second.loc[runs]
    gaps = np.ptp(_resampled(first), axis=1) - np.ptp(_resampled(second), axis=1)
    spans = [float(np.ptp(curve.mean(axis=0))) for curve in (first, second)]
    ends = _interval(spans[0] - spans[1], gaps, len(runs))
    status = "undecided"
    if len(runs) >= FEWEST:
        status = "holds" if ends[0] > 0 else "fails" if ends[1] < 0 else "undecided"
    counts = f"span {100 * spans[0]:.1f} points for {parameter}, {100 * spans[1]:.1f} for {than}"
    return ClaimResult(status, counts, spans[0] - spans[1], len(runs))


def sweep(frame, parameter, metric, dataset, method=None, task="avg") -> pd.DataFrame:
    """Scores along the grid of one parameter, all other parameters fixed. Complete runs only. Of all settings
    of the other parameters the one with most values of `parameter` is taken: the line of the sweep."""
    rows = frame[(frame["dataset"] == dataset) & (frame["metric"] == metric) & (frame["task"] == task)]
    rows = rows[rows["method"] == method] if method else rows
    if rows["method"].nunique() > 1:
        raise ValueError(f"method: name one of {', '.join(sorted(rows['method'].unique()))}")
    settings = [json.loads(text) for text in rows["params"]]
    rows = rows.assign(
        at=[setting.get(parameter) for setting in settings],
        rest=[json.dumps({k: v for k, v in s.items() if k != parameter}, sort_keys=True) for s in settings],
    ).dropna(subset=["at", "value"])
    widths = rows.groupby("rest")["at"].nunique()
    if widths.empty or widths.max() < 2:
        raise ValueError(f"frame: no sweep over {parameter!r} on {dataset!r}: two values, all else equal")
    line = rows[rows["rest"] == widths.idxmax()]
    return line.pivot_table(index="run", columns="at", values="value").dropna()


def iterations_within(frame, method, dataset, low, high) -> ClaimResult:
    """Do most runs converge after a number of iterations in a given range? Sign test over runs; ``statistic``
    is the median number of iterations."""
    rows = frame[(frame["method"] == method) & (frame["dataset"] == dataset)].drop_duplicates("run")
    if rows.empty:
        raise ValueError(f"frame: no run of {method!r} on {dataset!r}")
    hits = int((rows["converged"].astype(bool) & rows["n_iter"].between(low, high)).sum())
    status, p = majority(hits, len(rows))
    median = float(rows["n_iter"].median())
    counts = f"{hits} of {len(rows)} runs converge within {low} to {high} iterations; median {median:g}"
    return ClaimResult(status, counts, median, len(rows), p)


def largest_entry_names_counterpart(frame, dataset) -> ClaimResult:
    """Is the largest entry of a row of a relation matrix that of the related class? One observation per row
    of the matrix averaged over runs, each pair of tasks once; sign test against one half ("generally"). Ties
    for the largest entry count against the claim."""
    rows = frame[frame["dataset"] == dataset]
    rows = rows[rows["task"].astype(str) < rows["other"].astype(str)]
    cells = rows.groupby(["task", "other", "row", "column"], as_index=False)["value"].mean()
    hits = []
    for (_, _, name), row in cells.groupby(["task", "other", "row"]):
        own, rest = row[row["column"] == name]["value"], row[row["column"] != name]["value"]
        if len(own):
            hits.append(bool(own.iloc[0] > rest.max()) if len(rest) else True)
    if not hits:
        raise ValueError(f"frame: no cluster of {dataset!r} has a counterpart in another task")
    status, p = majority(sum(hits), len(hits))
    counts = f"{sum(hits)} of {len(hits)} rows have their largest entry at the related class"
    return ClaimResult(status, counts, sum(hits) / len(hits), len(hits), p)


def _resampled(curve):
    """Means over resampled runs, shape (RESAMPLES, grid values); same draws for curves of equal length."""
    draws = np.random.default_rng(0).integers(len(curve), size=(RESAMPLES, len(curve)))
    return curve.to_numpy()[draws].mean(axis=1)


def _interval(observed, resampled, n):
    """Basic bootstrap interval; unlike the percentiles it does not count the noise of the runs twice.
    Resampling n values spreads too little by sqrt((n - 1) / n), and its quantiles are those of a normal
    distribution, not of a t distribution: both are put right, as for a mean."""
    if n < 2:
        return np.array([-np.inf, np.inf])
    center = 2 * observed - np.median(resampled)
    widen = np.sqrt(n / (n - 1)) * stats.t.ppf(1 - ALPHA / 2, n - 1) / stats.norm.ppf(1 - ALPHA / 2)
    return center + widen * (np.median(resampled) - np.quantile(resampled, [1 - ALPHA / 2, ALPHA / 2]))


def time_ratio_within(frame, method, than, low, high) -> ClaimResult:
    """Does one method take about as long as another? Holds if the 95 % t interval of the mean log ratio lies
    within [low, high], fails if it lies outside; ``statistic`` is the geometric mean of the ratios."""
    table = frame.pivot(index="repeat", columns="method", values="seconds")
    if not {method, than} <= set(table) or table[[method, than]].dropna().empty:
        raise ValueError(f"frame: no repeat has both {method!r} and {than!r}")
    logs = np.log(table[method] / table[than]).dropna()
    ends = np.exp([logs.mean()] * 2)
    if len(logs) > 1 and logs.std() > 0:
        ends = np.exp(stats.t.interval(1 - ALPHA, len(logs) - 1, logs.mean(), stats.sem(logs)))
    status, ratio = inside(ends, low, high, len(logs)), float(np.exp(logs.mean()))
    between = f"95% interval {ends[0]:.2f} to {ends[1]:.2f}"
    counts = f"{ratio:.2f} times as long ({between}); claimed {low:g} to {high:g}"
    return ClaimResult(status, counts, ratio, len(logs))


def rises_sharply_after(frame, solver, knee, factor=3.0) -> ClaimResult:
    """Is a running time much steeper beyond a number of clusters than before it? Sign test over repeats;
    ``statistic`` is the median ratio of the slopes."""
    before, after = (_slopes(frame, solver, side) for side in ((-np.inf, knee), (knee, np.inf)))
    hits = int((after > factor * before.clip(lower=0)).sum())
    status, p = majority(hits, len(after))
    ratio = float((after / before).median())
    counts = f"{hits} of {len(after)} repeats are more than {factor:g} times steeper beyond {knee:g} clusters"
    return ClaimResult(status, counts, ratio, len(after), p)


def rises_slower_than(frame, solver, than, knee, factor=3.0) -> ClaimResult:
    """Is the running time of one solver flatter than that of another beyond a number of clusters? Sign test
    over repeats; ``statistic`` is the median ratio of the slopes (`than` over `solver`)."""
    slow, fast = (_slopes(frame, name, (knee, np.inf)) for name in (solver, than))
    hits = int((fast > factor * slow.clip(lower=0)).sum())
    status, p = majority(hits, len(slow))
    counts = f"in {hits} of {len(slow)} repeats {than} is more than {factor:g} times steeper than {solver}"
    return ClaimResult(status, counts, float((fast / slow).median()), len(slow), p)


def _slopes(frame, solver, side):
    rows = frame[(frame["solver"] == solver) & frame["n_clusters"].between(*side)]
    if rows["n_clusters"].nunique() < 2:
        raise ValueError(f"frame: {solver!r} needs two sizes between {side[0]:g} and {side[1]:g} clusters")
    repeats = rows.groupby("repeat")
    return pd.Series({name: np.polyfit(r["n_clusters"], r["seconds"], 1)[0] for name, r in repeats})
