"""Claims about whole tables: who is best, or comparable to the best, column by column, and pairs of methods.

A column is a task of a data set, scored by one metric.  Averages over tasks are left out: they are no further
observation.  The rule is that of :mod:`mtclib.companion.claims.methods`.
"""

import numpy as np
import pandas as pd
from scipy import stats

from mtclib.companion.claims.methods import ALPHA, FEWEST, ClaimResult, _gaps, inside, majority, mean_greater

COLUMN = ["dataset", "task"]


def better_in_most_columns(frame, methods_a, methods_b, metric, datasets) -> ClaimResult:
    """Do some methods do better than others in more than half of the columns? Sign test over columns, which
    are what the sentence counts; ``statistic`` is the share of columns."""
    means = _means(frame, [*methods_a, *methods_b], metric, datasets)
    gaps = (means[list(methods_a)].mean(axis=1) - means[list(methods_b)].mean(axis=1)).round(12)
    hits, n = int((gaps > 0).sum()), int((gaps != 0).sum())
    status, p = majority(hits, n)
    behind = [f"{task} of {dataset}" for (dataset, task), gap in gaps.items() if gap < 0]
    counts = f"better in {hits} of {len(gaps)} columns"
    counts += f"; not in task {', '.join(behind)}" if behind else ""
    return ClaimResult(status, counts, hits / len(gaps), n, p)


def best_or_comparable(frame, method, others, metric, datasets) -> ClaimResult:
    """Is a method in every column the best, or not significantly worse than the best? Holds if no Welch
    t-test at 5 % finds the method below the best of the column, as the paper bolds its tables; fails if one
    does at 5 % divided by the number of columns. ``statistic`` is the share of columns in which it is best or
    comparable."""
    _means(frame, [method, *others], metric, datasets)
    marked = comparable_to_best(frame[frame["dataset"].isin(datasets)], metric, [method, *others])
    rows = marked[marked["method"] == method]
    good = rows["comparable"]
    behind = [f"{row.task} of {row.dataset}" for row in rows[~good].itertuples()]
    counts = f"best or comparable in {good.sum()} of {len(rows)} columns (best in {rows['best'].sum()})"
    counts += f"; not in task {', '.join(behind)}" if behind else ""
    status = "undecided"
    if rows["n"].min() >= FEWEST:
        lost = rows["p"].min() <= ALPHA / len(rows)
        status = "holds" if good.all() else "fails" if lost else "undecided"
    p = rows["p"].min() * (len(rows) if status == "fails" else 1)
    return ClaimResult(status, counts, float(good.mean()), int(rows["n"].min()), float(p))


def among_best(frame, method, others, metric, datasets, places=2) -> ClaimResult:
    """Is a method among the best few in more than half of the columns, run by run?

    Sign test over runs; those with just half of the columns are left out. The counts and ``statistic``, the
    share of columns, are of the means over runs.

    >>> rows = [("toy", m, str(t), "ACC", 0, "ABC".index(m)) for m in "ABC" for t in range(8)]
    >>> frame = pd.DataFrame(rows, columns=["dataset", "method", "task", "metric", "run", "value"])
    >>> among_best(frame, "B", ["A", "C"], "ACC", ["toy"]).counts
    'among the best 2 of 3 methods in 8 of 8 columns; in most columns in 1 of 1 runs'
    """
    rank = _rank(_means(frame, [method, *others], metric, datasets), method, others)
    share = (_rank(_means(frame, [method, *others], metric, datasets, "run"), method, others) <= places)
    share = share.groupby("run").mean()
    told = share[share != 0.5] > 0.5
    status, p = majority(int(told.sum()), len(told))
    hits, n = int((rank <= places).sum()), len(rank)
    places_behind = {column: place for column, place in rank.items() if place > places}
    behind = [f"{task} of {dataset} (place {place})" for (dataset, task), place in places_behind.items()]
    counts = f"among the best {places} of {len(others) + 1} methods in {hits} of {n} columns"
    counts += f"; not in task {', '.join(behind)}" if behind else ""
    counts += f"; in most columns in {told.sum()} of {len(share)} runs"
    return ClaimResult(status, counts, hits / n, len(told), p)


def _rank(scores, method, others):
    return 1 + scores[list(others)].gt(scores[method], axis=0).sum(axis=1)


def ends_lower(frame, method_a, method_b, datasets) -> ClaimResult:
    """Does one method end at a lower objective than another from the same start? Sign test over runs and data
    sets; equal ends, to 1e-6 of their size, are left out. ``statistic`` is the mean relative difference."""
    rows = frame[frame["dataset"].isin(datasets) & frame["method"].isin([method_a, method_b])]
    table = rows.drop_duplicates(["dataset", "run", "method"]).pivot(
        index=["dataset", "run"], columns="method", values="objective").dropna()
    if table.shape != (len(table), 2) or table.empty:
        raise ValueError(f"frame: no run has both {method_a!r} and {method_b!r}")
    gaps = (table[method_a] - table[method_b]) / table[method_b].abs()
    told = gaps[gaps.abs() > 1e-6]
    status, p = majority(int((told < 0).sum()), len(told))
    counts = f"lower in {(told < 0).sum()} of {len(gaps)} runs, equal in {len(gaps) - len(told)}"
    return ClaimResult(status, counts, float(gaps.mean()), len(told), p)


def comparable_to_best(frame, metric, methods=None):
    """The bold rule of many papers: in each column the best mean, and those not significantly below it.
    ``dataset, task, method, mean, n, p, best, comparable``; p is 1 for the best itself and NaN where a side
    has a single run (such a method is comparable only if it is the best)."""
    rows = frame[(frame["metric"] == metric) & (frame["task"] != "avg")]
    rows = rows if methods is None else rows[rows["method"].isin(methods)]
    found = []
    for (dataset, task), column in rows.groupby(COLUMN, sort=False):
        runs = {method: group["value"].dropna() for method, group in column.groupby("method", sort=False)}
        best = max(runs, key=lambda method: runs[method].mean())
        for method, values in runs.items():
            p = 1.0 if method == best else _welch(values, runs[best])
            found.append((dataset, task, method, values.mean(), len(values), p, method == best, p > ALPHA))
    names = [*COLUMN, "method", "mean", "n", "p", "best", "comparable"]
    return pd.DataFrame(found, columns=names)


def paired_differences(frame, pairs, metric):
    """Differences between methods over the same starts, one row per data set and pair. ``dataset, comparison,
    difference`` (points, mean over tasks and runs), ``low, high`` (95 % t interval over runs), ``p``
    (Wilcoxon), ``record`` (wins, ties, losses over runs) and ``status`` of "the first is better"."""
    rows, task = [], "avg" if (frame["task"] == "avg").any() else ""
    for dataset in frame["dataset"].unique():
        for one, other in pairs:
            result = mean_greater(frame, one, other, metric, dataset, (task,))
            low, high = _interval(frame, one, other, metric, dataset, task)
            rows.append({"dataset": dataset, "comparison": f"{one} - {other}",
                         "difference": 100 * result.statistic, "low": low, "high": high, "p": result.p,
                         "record": result.counts.partition(" (")[0], "status": result.status})
    return pd.DataFrame(rows)


def _interval(frame, one, other, metric, dataset, task):
    gaps = 100 * _gaps(frame, one, other, metric, dataset, task, ())
    if len(gaps) < 2 or gaps.std() == 0:
        return gaps.mean(), gaps.mean()
    return stats.t.interval(1 - ALPHA, len(gaps) - 1, gaps.mean(), stats.sem(gaps))


def _means(frame, methods, metric, datasets, *each):
    """Mean scores, one row per column of the tables (and run, if `each` says so), one column per method."""
    rows = frame[frame["dataset"].isin(datasets) & (frame["metric"] == metric) & (frame["task"] != "avg")]
    means = rows.pivot_table("value", [*COLUMN, *each], "method", sort=False)
    missing = [name for name in methods if name not in means or means[name].isna().any()]
    absent = sorted(set(datasets) - set(rows["dataset"]))
    if missing or absent:
        raise ValueError(f"frame: no {metric} of {', '.join(missing + absent)} in some column")
    return means


def _welch(values, best):
    if min(len(values), len(best)) < 2:
        return float("nan")
    # Runs that all end alike differ by rounding only.
    spreads = [0.0 if np.ptp(runs) < 1e-12 else float(runs.std()) for runs in (values, best)]
    if not any(spreads):
        return 0.0 if values.mean() < best.mean() - 1e-12 else 1.0
    found = stats.ttest_ind_from_stats(values.mean(), spreads[0], len(values), best.mean(), spreads[1],
                                       len(best), equal_var=False)
    return float(found.pvalue)


def greater_in_each_column(frame, method_a, method_b, metric, datasets, deterministic=()) -> ClaimResult:
    """Does one method have the greater score on every task of every data set? Wilcoxon tests over runs,
    paired by run. Holds if every column is won at 5 %; fails if one is lost at 5 % divided by the number of
    columns. ``statistic`` is the smallest mean difference."""
    rows = frame[frame["dataset"].isin(datasets) & (frame["metric"] == metric) & (frame["task"] != "avg")]
    absent = sorted(set(datasets) - set(rows["dataset"]))
    if absent:
        raise ValueError(f"frame: no {metric} on {', '.join(absent)}")
    found = {(dataset, task): mean_greater(rows, method_a, method_b, metric, dataset, (task,), deterministic)
             for dataset, task in rows[["dataset", "task"]].drop_duplicates().itertuples(index=False)}
    won = sum(result.status == "holds" for result in found.values())
    lost = any(result.status == "fails" and result.p <= ALPHA / len(found) for result in found.values())
    status = "holds" if won == len(found) else "fails" if lost else "undecided"
    gaps = [result.statistic for result in found.values()]
    behind = [f"{dataset}{f' task {task}' if task else ''}" for (dataset, task), result in found.items()
              if result.statistic <= 0]
    counts = f"greater in {sum(gap > 0 for gap in gaps)} of {len(gaps)} columns, significantly in {won}"
    counts += f"; not on {', '.join(behind)}" if behind else ""
    fewest, p = (pick(getattr(result, name) for result in found.values())
                 for pick, name in ((min, "n"), (max, "p")))
    if lost:
        p = len(found) * min(result.p for result in found.values() if result.status == "fails")
    return ClaimResult(status, counts, float(min(gaps)), fewest, p)


def relative_gain(frame, method_a, method_b, metric, dataset, low, high, task="") -> ClaimResult:
    """Is one method better than another by about so many percent? Holds if the 95 % interval (Fieller, runs
    paired) lies within [low, high], fails if it lies outside; ``statistic`` is the gain in percent."""
    rows = frame[(frame["dataset"] == dataset) & (frame["metric"] == metric) & (frame["task"] == task)]
    table = rows.pivot(index="run", columns="method", values="value")
    absent = sorted({method_a, method_b} - set(table.columns))
    if absent:
        raise ValueError(f"frame: no {metric} of {', '.join(absent)} on {dataset!r}")
    a, b = table[[method_a, method_b]].dropna().to_numpy().T
    n = len(a)
    if n < FEWEST:
        return ClaimResult("undecided", f"{n} runs", float("nan"), n)
    ends = 100 * (_fieller(a, b) - 1)
    gain = 100 * (a.mean() / b.mean() - 1)
    counts = f"{gain:+.0f} % (95 % interval {ends[0]:+.0f} to {ends[1]:+.0f}); claimed {low:+g} to {high:+g}"
    return ClaimResult(inside(ends, low, high, n), counts, float(gain), n)


def _fieller(a, b):
    """95 % interval of the ratio of two means of paired values."""
    n = len(a)
    t = stats.t.ppf(1 - ALPHA / 2, n - 1)
    (saa, sab), (_, sbb) = t**2 * np.cov(a, b) / n
    square = b.mean() ** 2 - sbb
    if square <= 0:
        raise ValueError("frame: the scores of method_b do not differ from 0; a ratio to them means nothing")
    middle = a.mean() * b.mean() - sab
    width = np.sqrt(max(middle**2 - square * (a.mean() ** 2 - saa), 0.0))
    return (middle + np.array([-width, width])) / square


def tasks_correlate(frame, method, metric, dataset, low=-1.0, high=1.0) -> ClaimResult:
    """Do the scores of the two tasks of a run rise together? Holds if the 95 % interval (Fisher's
    transformation) lies within [low, high], fails if it lies outside; ``statistic`` is Pearson's
    correlation."""
    table = score_pairs(frame[frame["dataset"] == dataset], metric)
    table = table[table["method"] == method]
    if len(table) < 4 or table[["1", "2"]].std().min() == 0:
        raise ValueError(f"frame: {method!r} on {dataset!r} needs four runs whose {metric} differs")
    r, n = float(np.corrcoef(table["1"], table["2"])[0, 1]), len(table)
    width = stats.norm.ppf(1 - ALPHA / 2) / np.sqrt(n - 3)
    ends = np.tanh(np.arctanh(np.clip(r, -1 + 1e-12, 1 - 1e-12)) + np.array([-width, width]))
    counts = f"r = {r:.2f} (95% interval {ends[0]:.2f} to {ends[1]:.2f}); claimed {low:g} to {high:g}"
    return ClaimResult(inside(ends, low, high, n), counts, r, n)


def score_pairs(frame, metric):
    """Scores of tasks 1 and 2 of each run side by side: ``dataset, method, run, 1, 2``."""
    rows = frame[(frame["metric"] == metric) & frame["task"].isin(["1", "2"])]
    keys = ["dataset", "method", "run"]
    table = pd.pivot_table(rows, "value", keys, "task", sort=False).dropna().reset_index()
    return table.rename_axis(columns=None)
