"""The named tests that a claims file may use, and the rule by which every claim is decided.

A claim *holds* or *fails* when a two-sided test at 5% says so in that direction, and is *undecided*
otherwise. With fewer than six independent observations no two-sided test at 5% can reject, so the claim is
undecided. The observations are runs (seeds) on the data sets at hand: a claim that holds, holds for these
data. Where no test in closed form exists the runs are resampled, with a fixed seed.

A column of a table is a task of a data set, scored by one metric; averages over tasks are no further
observation. Whatever function of a frame says that it returns a `ClaimResult` is a test that can be named.
"""

import inspect
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
from scipy import stats

ALPHA = 0.05
FEWEST = 6
ALL_SIGNS = 13  # scipy's own bound: 2**13 sign patterns
SIGN_DRAWS = 9_999
RESAMPLES = 2000
COLUMN = ["dataset", "task"]


@dataclass(frozen=True)
class ClaimResult:
    """Outcome of a claim: "holds", "fails" or "undecided", and what was counted, in words; `statistic` is the
    size of the effect, `n` the independent observations, `p` a two-sided p-value where there is one."""

    status: str
    counts: str
    statistic: float
    n: int
    p: float = float("nan")


def majority(hits: int, n: int) -> tuple[str, float]:
    """Do more than half of the observations support a claim? Exact sign test, two-sided."""
    p = float(stats.binomtest(hits, n).pvalue) if n else float("nan")
    return _status(p, hits - n / 2), p


def mean_greater(frame, method_a, method_b, metric, dataset, tasks=("avg",), deterministic=()) -> ClaimResult:
    """Is the mean score of one method greater than that of another? Wilcoxon signed-rank test over the runs
    that both methods have, paired by run; the counts are wins, ties and losses over runs and tasks."""
    gaps = pd.concat([_gaps(frame, method_a, method_b, metric, dataset, task, deterministic)
                      for task in tasks], axis=1).dropna()
    status, p = wilcoxon(gaps.mean(axis=1).to_numpy())
    mean = float(gaps.to_numpy().mean()) if gaps.size else float("nan")
    return ClaimResult(status, _record(gaps.to_numpy(), "run and task"), mean, len(gaps), p)


def loses_less(frame, method_a, method_b, metric, dataset, clean) -> ClaimResult:
    """Does a method lose less than another from the data set `clean` to the noisy `dataset`? Welch's test of
    how far the first is ahead, run by run, with noise and without."""
    before, after = (_gaps(frame, method_a, method_b, metric, name, "avg", ()) for name in (clean, dataset))
    gain, n = after.mean() - before.mean(), min(len(before), len(after))
    p = float(stats.ttest_ind(after, before, equal_var=False).pvalue) if n >= FEWEST else float("nan")
    counts = f"{100 * before.mean():+.1f} points ahead without noise, {100 * after.mean():+.1f} with it"
    return ClaimResult(_status(p, gain) if p == p else "undecided", counts, float(gain), n, p)


def best_in_each_task(frame, method, others, metric, dataset, tasks, deterministic=(),
                      margin=0.0) -> ClaimResult:
    """Is a method better than every other one on every task, by more than a margin? Holds if each comparison
    is won at 5 %: all must be, so no correction is due. Fails if the worst one is lost at 5 % among as many.
    ``p`` is the largest p-value, or that of the failure; a win in the counts is one of means."""
    columns = [(dataset, task) for task in tasks]
    gaps, found = _compared(frame, method, others, metric, columns, deterministic, margin)
    worst = _chance_of_worst(pd.concat(gaps, axis=1).dropna().to_numpy())
    fails, holds = worst <= ALPHA / 2, (found["status"] == "holds").all()
    lost = [_place(row.other, row.task) for row in found[found["mean"] < -1e-12].itertuples()]
    short = f"less than {100 * margin:g} points ahead of" if margin else "behind"
    counts = _record(found["mean"], "task and rival") + _but(short, lost)
    return ClaimResult("fails" if fails else "holds" if holds else "undecided", counts, found["mean"].min(),
                       int(found["n"].min()), 2 * worst if fails else found["p"].max())


def _compared(frame, method, others, metric, columns, deterministic, margin=0.0):
    """Differences from each other method in each column by run, and a row of their mean and test for each."""
    frame = frame[frame["metric"] == metric]
    keys, places = [(*column, other) for column in columns for other in others], frame.groupby(COLUMN).indices
    gaps = [_gaps(frame.iloc[places.get((dataset, task), [])], method, other, metric, dataset, task,
                  deterministic) - margin for dataset, task, other in keys]
    rows = [(*key, gap.mean(), len(gap), *wilcoxon(gap.to_numpy())) for key, gap in zip(keys, gaps)]
    return gaps, pd.DataFrame(rows, columns=[*COLUMN, "other", "mean", "n", "status", "p"])


def _chance_of_worst(gaps):
    """Chance of so small a smallest t statistic of the columns of ``gaps`` where no column has a difference.
    Signs are exchanged run by run, for all columns at once: they stay as dependent as they are."""
    n = len(gaps)
    if n < FEWEST:
        return 1.0
    signs = (np.array(list(product((1.0, -1.0), repeat=n))) if n <= ALL_SIGNS else
             np.vstack([np.ones(n), np.random.default_rng(0).choice((1.0, -1.0), (SIGN_DRAWS, n))]))
    means = signs @ gaps / n
    spread = np.sqrt(np.maximum(np.mean(gaps**2, axis=0) - means**2, 1e-24))
    worst = (means / spread).min(axis=1)
    return float(np.mean(worst <= worst[0] + 1e-9))


def wins_most(frame, method, others, metric, datasets, deterministic=()) -> ClaimResult:
    """Is a method better than the others in more than half of all pairs of task and rival, each decided by
    its runs? Holds if more than half are won at 5 %, fails if at least half are lost."""
    frame = _inner(frame, metric, datasets)
    _, found = _compared(frame, method, others, metric, frame.groupby(COLUMN).groups, deterministic)
    (won, lost), n = ((found["status"] == status).sum() for status in ("holds", "fails")), len(found)
    status = "holds" if won > n / 2 else "fails" if lost >= n / 2 else "undecided"
    counts = f"{won} won, {lost} lost, {n - won - lost} undecided (task and rival)"
    return ClaimResult(status, counts, (won - lost) / n, int(found["n"].min()))


def printed_record(published: pd.DataFrame, method: str, others: Iterable[str], metric: str, dataset: str,
                   tasks: Iterable[str] | None = None) -> str:
    """Wins, ties and losses of a method in the paper's own table over tasks and rivals; which are lost."""
    rows = published[(published["dataset"] == dataset) & (published["metric"] == metric)]
    table = rows.pivot(index="task", columns="method", values="mean")
    table = table.loc[[task for task in (tasks or table.index) if task != "avg"]]
    rivals = [other for other in others if other in table]
    gaps = -table[rivals].sub(table[method], axis=0).round(12).stack().dropna()
    lost = [_place(other, task) for (task, other), gap in gaps.items() if gap < 0]
    return _record(gaps.to_numpy(), "task and rival") + _but("behind", lost)


def _inner(frame, metric, datasets):
    """Rows of the tasks of data sets, without averages."""
    rows = frame[frame["dataset"].isin(datasets) & (frame["metric"] == metric) & (frame["task"] != "avg")]
    if absent := sorted(set(datasets) - set(rows["dataset"])):
        raise ValueError(f"frame: no {metric} on {', '.join(absent)}")
    return rows


def _gaps(frame, method_a, method_b, metric, dataset, task, deterministic):
    """Differences between two methods on one task, one per run that both have."""
    where = (frame["dataset"] == dataset) & (frame["metric"] == metric) & (frame["task"] == task)
    methods, runs, values = (frame[name].to_numpy()[where] for name in ("method", "run", "value"))
    scores, sides = pd.Series(values, runs), []
    for name in (method_a, method_b):
        values = scores[methods == name].dropna()
        if values.index.has_duplicates:
            raise ValueError(f"frame: several rows per run on {dataset!r}, task {task}; keep one grid point")
        if values.empty:
            raise ValueError(f"frame: no {metric} of method {name!r} on {dataset!r}, task {task}")
        sides.append(values)
    runs = sides[0].index.union(sides[1].index).sort_values()
    one, two = (pd.Series(values.iloc[0], runs) if name in deterministic and len(values) == 1
                else values.reindex(runs) for name, values in zip((method_a, method_b), sides))
    return (one - two).dropna()


def wilcoxon(gaps):
    """Status and p of "the differences are positive", one per run: the signed-rank test. Where few runs give
    the mean the other sign it decides nothing."""
    gaps = np.where(np.abs(gaps) < 1e-12, 0.0, gaps)
    if len(gaps) < FEWEST or not gaps.any():
        return "undecided", 1.0
    p, known = _signed_rank(tuple(gaps.tolist())), gaps[gaps != 0]
    agree = gaps.mean() * (np.sign(known) @ stats.rankdata(np.abs(known))) > 0
    return _status(p, gaps.mean() * agree), p


@cache
def _signed_rank(gaps):
    """Two-sided p of Wilcoxon's test; kept, for several levels ask for it. Of so few runs all signs are gone
    through, as in scipy: `ways` to each sum of twice the ranks, which are whole where ranks are tied, too."""
    if len(gaps) > ALL_SIGNS:
        return float(stats.wilcoxon(gaps).pvalue)
    known = np.array([gap for gap in gaps if gap])
    ranks, ways = (2 * stats.rankdata(np.abs(known))).astype(int), np.ones(1)
    for rank in ranks:
        ways = np.pad(ways, (0, rank)) + np.pad(ways, (rank, 0))
    place = ranks[known > 0].sum()
    return min(1.0, 2 * float(min(ways[:place + 1].sum(), ways[place:].sum()) / ways.sum()))


def _status(p, direction):
    if p > ALPHA or direction == 0:
        return "undecided"
    return "holds" if direction > 0 else "fails"


def signed(value: float) -> str:
    """A number with its sign and one decimal, or with the digit that shows its sign; beyond 4 is rounding.

    >>> [signed(value) for value in (1.26, -0.04, 0.0, -1e-15)]
    ['+1.3', '-0.04', '0.0', '0.0']
    """
    text = f"{value:+.1f}"
    return text if float(text) else f"{value:+.1g}" if abs(value) >= 5e-5 else "0.0"


def mean_interval(values):
    """95 % t interval of the mean of a Series; the mean itself where all are equal."""
    if len(values) < 2 or values.std() == 0:
        return values.mean(), values.mean()
    return stats.t.interval(1 - ALPHA, len(values) - 1, values.mean(), stats.sem(values))


def inside(ends, low, high, n):
    """Status of "it lies in [low, high]" from the ends of its 95 % interval, over n observations."""
    if n >= FEWEST and low <= ends[0] and ends[1] <= high:
        return "holds"
    return "fails" if n >= FEWEST and (ends[1] < low or ends[0] > high) else "undecided"


def _place(method, task):
    return f"{method} on task {task}" if task else method


def _but(told, places):
    """How counts go on where there are such places."""
    return f"; {told} {', '.join(places)}" if places else ""


def _record(gaps, unit):
    wins, losses = int((gaps > 1e-12).sum()), int((gaps < -1e-12).sum())
    ties = gaps.size - wins - losses
    counts = (wins, "win", "wins"), (ties, "tie", "ties"), (losses, "loss", "losses")
    return f"{', '.join(f'{n} {one if n == 1 else more}' for n, one, more in counts)} ({unit})"


def better_in_most_columns(frame, methods_a, methods_b, metric, datasets) -> ClaimResult:
    """Do some methods do better than others in more than half of the columns? Sign test over columns, which
    are what the sentence counts; ``statistic`` is the share of columns."""
    means = _means(frame, [*methods_a, *methods_b], metric, datasets)
    gaps = (means[list(methods_a)].mean(axis=1) - means[list(methods_b)].mean(axis=1)).round(12)
    hits, n = int((gaps > 0).sum()), int((gaps != 0).sum())
    status, p = majority(hits, n)
    behind = [f"{task} of {dataset}" for (dataset, task), gap in gaps.items() if gap < 0]
    counts = f"better in {hits} of {len(gaps)} columns" + _but("not in task", behind)
    return ClaimResult(status, counts, hits / len(gaps), n, p)


def best_or_comparable(frame, method, others, metric, datasets) -> ClaimResult:
    """Is a method in every column the best, or by Welch's t-test at 5 % not below the best, as the paper
    bolds its tables? Fails if one test says so at 5 % divided by the number of columns; p is 1 where the
    method is the best itself, and NaN where a side has a single run."""
    _means(frame, [method, *others], metric, datasets)
    rows, found = _inner(frame[frame["method"].isin([method, *others])], metric, datasets), []
    for column, part in rows.groupby(COLUMN, sort=False):
        runs = {name: group["value"].dropna() for name, group in part.groupby("method", sort=False)}
        best = max(runs, key=lambda name: (round(runs[name].mean(), 12), name == method))
        p = 1.0 if method == best else _welch(runs[method], runs[best])
        found.append((*column, len(runs[method]), p, method == best))
    rows = pd.DataFrame(found, columns=[*COLUMN, "n", "p", "best"])
    good = rows["p"] > ALPHA
    behind = [f"{row.task} of {row.dataset}" for row in rows[~good].itertuples()]
    counts = f"best or comparable in {good.sum()} of {len(rows)} columns (best in {rows['best'].sum()})"
    counts += _but("not in task", behind)
    lost = rows["p"].min() <= ALPHA / len(rows)
    status = "holds" if good.all() else "fails" if lost else "undecided"
    status = status if rows["n"].min() >= FEWEST else "undecided"
    p = rows["p"].min() * (len(rows) if status == "fails" else 1)
    return ClaimResult(status, counts, float(good.mean()), int(rows["n"].min()), float(p))


def among_best(frame, method, others, metric, datasets) -> ClaimResult:
    """Is a method among the best two in more than half of the columns, run by run? Sign test over runs; just
    half is left out. Counts and ``statistic``, the share of columns, are of the means over runs."""
    scores = [_means(frame, [method, *others], metric, datasets, *each) for each in ((), ("run",))]
    rank, by_run = (1 + means[list(others)].gt(means[method], axis=0).sum(axis=1) for means in scores)
    share = (by_run <= 2).groupby("run").mean()
    told = share[share != 0.5] > 0.5
    status, p = majority(int(told.sum()), len(told))
    hits, n = int((rank <= 2).sum()), len(rank)
    behind = [f"{task} of {dataset} (place {place})" for (dataset, task), place in rank.items() if place > 2]
    counts = (f"among the best 2 of {len(others) + 1} methods in {hits} of {n} columns"
              f"{_but('not in task', behind)}; in most columns in {told.sum()} of {len(share)} runs")
    return ClaimResult(status, counts, hits / n, len(told), p)


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


def paired_differences(frame, pairs, metric):
    """Differences between methods over the same starts, one row per data set and pair. ``dataset, comparison,
    difference`` (points, mean over tasks and runs), ``low, high`` (95 % t interval over runs), ``p``
    (Wilcoxon), ``record`` (wins, ties, losses over runs) and ``status`` of "the first is better"."""
    rows, task = [], "avg" if (frame["task"] == "avg").any() else ""
    scores = frame[(frame["task"] == task) & (frame["metric"] == metric)]
    for dataset, (one, other) in product(frame["dataset"].unique(), pairs):
        result = mean_greater(scores, one, other, metric, dataset, (task,))
        low, high = mean_interval(100 * _gaps(scores, one, other, metric, dataset, task, ()))
        rows.append({"dataset": dataset, "comparison": f"{one} - {other}",
                     "difference": 100 * result.statistic, "low": low, "high": high, "p": result.p,
                     "record": result.counts.partition(" (")[0], "status": result.status})
    return pd.DataFrame(rows)


def _means(frame, methods, metric, datasets, *each):
    """Mean scores, one row per column of the tables (and run, if `each` says so), one column per method."""
    rows = _inner(frame, metric, datasets)
    means = rows.pivot_table("value", [*COLUMN, *each], "method", sort=False)
    missing = [name for name in methods if name not in means or means[name].isna().any()]
    if missing:
        raise ValueError(f"frame: no {metric} of {', '.join(missing)} in some column")
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
    """Does one method have the greater score on every task of every data set? Wilcoxon tests, paired by run.
    Holds if every column is won at 5 %; fails if one is lost at 5 % divided by their number."""
    rows = _inner(frame, metric, datasets)
    columns = rows[COLUMN].drop_duplicates().itertuples(index=False)
    _, found = _compared(rows, method_a, [method_b], metric, columns, deterministic)
    n, won = len(found), (found["status"] == "holds").sum()
    least = found.loc[found["status"] == "fails", "p"].min()
    status = "holds" if won == n else "fails" if n * least <= ALPHA else "undecided"
    behind = [f"{row.dataset}{f' task {row.task}' if row.task else ''}"
              for row in found[found["mean"] <= 0].itertuples()]
    counts = f"greater in {(found['mean'] > 0).sum()} of {n} columns, significantly in {won}"
    return ClaimResult(status, counts + _but("not on", behind), found["mean"].min(), int(found["n"].min()),
                       n * least if status == "fails" else found["p"].max())


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
    found, least, most = map(signed, (gain, *ends))
    counts = f"{found} % (95 % interval {least} to {most}); claimed {low:+g} to {high:+g}"
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
    """Do the scores of the two tasks of a run rise together? Holds if the 95 % interval of Pearson's
    correlation (Fisher's transformation) lies within [low, high], fails if it lies outside."""
    table = score_pairs(frame[frame["dataset"] == dataset], metric)
    table = table[table["method"] == method]
    if len(table) < 4 or table[["1", "2"]].std().min() == 0:
        raise ValueError(f"frame: {method!r} on {dataset!r} needs four runs whose {metric} differs")
    found, n = stats.pearsonr(table["1"], table["2"]), len(table)
    ends = found.confidence_interval(1 - ALPHA)
    counts = "r = {:.2f} (95% interval {:.2f} to {:.2f}); claimed {:g} to {:g}".format(
        found.statistic, *ends, low, high)
    return ClaimResult(inside(ends, low, high, n), counts, float(found.statistic), n)


def score_pairs(frame, metric):
    """Scores of tasks 1 and 2 of each run side by side: ``dataset, method, run, 1, 2``."""
    rows = frame[(frame["metric"] == metric) & frame["task"].isin(["1", "2"])]
    keys = ["dataset", "method", "run"]
    table = pd.pivot_table(rows, "value", keys, "task", sort=False).dropna().reset_index()
    return table.rename_axis(columns=None)


def span_within(frame, parameter, metric, dataset, method, high, low=0.0) -> ClaimResult:
    """Does the score span a given range while one parameter runs over its grid? By the 95 % bootstrap
    interval of the span over runs. The span of noisy means is too large on average, and that of resampled
    ones more so: (2 x observed - upper, 2 x observed - lower resampled quantile) takes that out once."""
    curve = sweep(frame, parameter, metric, dataset, method)
    observed = float(np.ptp(curve.mean(axis=0)))
    ends = np.clip(_interval(observed, np.ptp(_resampled(curve), axis=1), len(curve)), 0, None)
    counts = (f"span {100 * observed:.1f} points (95% interval {100 * ends[0]:.1f} to {100 * ends[1]:.1f}) "
              f"over {curve.shape[1]} values of {parameter}; claimed {100 * low:g} to {100 * high:g}")
    return ClaimResult(inside(ends, low, high, len(curve)), counts, observed, len(curve))


def rises_then_falls(frame, parameter, metric, dataset, method) -> ClaimResult:
    """Is a score higher between the ends of a parameter's grid than at the better of both ends? Signed-rank
    test over runs of the mean over inner values minus the better end; ``statistic`` is its mean. A flat
    curve, whose better end is better by chance, speaks against the claim, as it should."""
    curve = sweep(frame, parameter, metric, dataset, method, least=3)
    ends, inner = curve.iloc[:, [0, -1]], curve.iloc[:, 1:-1].mean(axis=1)
    gaps = inner - ends.max(axis=1)
    status, p = wilcoxon(gaps.to_numpy())
    first, last = 100 * ends.mean()
    counts = f"{first:.1f} and {last:.1f} at the ends of {parameter}, {100 * inner.mean():.1f} between"
    return ClaimResult(status, counts, float(gaps.mean()), len(gaps), p)


def more_sensitive_than(frame, parameter, than, metric, dataset, method) -> ClaimResult:
    """Does the score move more with one parameter than with another? By the 95 % bootstrap interval of the
    difference of spans over the runs, the same runs for both sweeps."""
    first, second = (sweep(frame, name, metric, dataset, method) for name in (parameter, than))
    runs = first.index.intersection(second.index)
    first, second = first.loc[runs], second.loc[runs]
    gaps = np.ptp(_resampled(first), axis=1) - np.ptp(_resampled(second), axis=1)
    spans = [float(np.ptp(curve.mean(axis=0))) for curve in (first, second)]
    ends = _interval(spans[0] - spans[1], gaps, len(runs))
    status = "holds" if ends[0] > 0 else "fails" if ends[1] < 0 else "undecided"
    status = status if len(runs) >= FEWEST else "undecided"
    counts = f"span {100 * spans[0]:.1f} points for {parameter}, {100 * spans[1]:.1f} for {than}"
    return ClaimResult(status, counts, spans[0] - spans[1], len(runs))


def sweep(frame, parameter, metric, dataset, method, least=2) -> pd.DataFrame:
    """Scores along the grid of one parameter, all other parameters fixed. Complete runs only. Of all settings
    of the other parameters the one with most values of `parameter` is taken: the line of the sweep."""
    rows = frame.query("dataset == @dataset and metric == @metric and task == 'avg' and method == @method")
    settings = [json.loads(text) for text in rows["params"]]
    others = [json.dumps({k: v for k, v in s.items() if k != parameter}, sort_keys=True) for s in settings]
    rows = rows.assign(at=[setting.get(parameter) for setting in settings], rest=others)
    rows = rows.dropna(subset=["at", "value"])
    widths = rows.groupby("rest")["at"].nunique()
    if widths.empty or widths.max() < least:
        raise ValueError(f"frame: no sweep over {parameter!r} on {dataset!r}: {least} values, all else equal")
    line = rows[rows["rest"] == widths.idxmax()]
    return line.pivot_table(index="run", columns="at", values="value").dropna()


def iterations_within(frame, method, dataset, low, high) -> ClaimResult:
    """Do most runs converge after a number of iterations in a given range? Sign test over runs."""
    rows = frame[(frame["method"] == method) & (frame["dataset"] == dataset)].drop_duplicates("run")
    if rows.empty:
        raise ValueError(f"frame: no run of {method!r} on {dataset!r}")
    hits = int((rows["converged"].astype(bool) & rows["n_iter"].between(low, high)).sum())
    status, p = majority(hits, len(rows))
    median = float(rows["n_iter"].median())
    counts = f"{hits} of {len(rows)} runs converge within {low} to {high} iterations; median {median:g}"
    return ClaimResult(status, counts, median, len(rows), p)


def largest_entry_names_counterpart(frame, dataset) -> ClaimResult:
    """Is the largest entry of a row of a relation matrix, averaged over runs, that of the related class? Sign
    test over rows against one half ("generally"). Ties for the largest entry count against the claim."""
    rows = frame[frame["dataset"] == dataset]
    rows, matrix_row = rows[rows["task"].astype(str) < rows["other"].astype(str)], ["task", "other", "row"]
    cells = rows.groupby([*matrix_row, "column"], as_index=False)["value"].mean()
    own = cells["row"] == cells["column"]
    related, rest = cells[own].set_index(matrix_row), cells[~own].groupby(matrix_row)["value"].max()
    if related.empty:
        raise ValueError(f"frame: no cluster of {dataset!r} has a counterpart in another task")
    hits, n = int((related["value"] > rest.reindex(related.index, fill_value=-np.inf)).sum()), len(related)
    status, p = majority(hits, n)
    counts = f"{hits} of {n} rows have their largest entry at the related class"
    return ClaimResult(status, counts, hits / n, n, p)


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
    ends = np.exp(mean_interval(logs))
    status, ratio = inside(ends, low, high, len(logs)), float(np.exp(logs.mean()))
    between = f"95% interval {ends[0]:.2f} to {ends[1]:.2f}"
    counts = f"{ratio:.2f} times as long ({between}); claimed {low:g} to {high:g}"
    return ClaimResult(status, counts, ratio, len(logs))


def rises_sharply(frame, solver, knee, than="") -> ClaimResult:
    """Is a running time more than three times steeper beyond a number of clusters than before it, or than
    that of another solver beyond it? Sign test over repeats; ``statistic`` is the median ratio of slopes."""
    steep = _slopes(frame, solver, (knee, np.inf))
    flat = _slopes(frame, than or solver, (knee, np.inf) if than else (-np.inf, knee))
    hits, n = int((steep > 3 * flat.clip(lower=0)).sum()), len(steep)
    status, p = majority(hits, n)
    counts = (f"in {hits} of {n} repeats {solver} is more than 3 times steeper than {than}" if than else
              f"{hits} of {n} repeats are more than 3 times steeper beyond {knee:g} clusters")
    return ClaimResult(status, counts, float((steep / flat).median()), n, p)


def _slopes(frame, solver, side):
    rows = frame[(frame["solver"] == solver) & frame["n_clusters"].between(*side)]
    if rows["n_clusters"].nunique() < 2:
        raise ValueError(f"frame: {solver!r} needs two sizes between {side[0]:g} and {side[1]:g} clusters")
    repeats = rows.groupby("repeat")
    return pd.Series({name: np.polyfit(r["n_clusters"], r["seconds"], 1)[0] for name, r in repeats})


TESTS = {name: test for name, test in dict(globals()).items()
         if inspect.isfunction(test) and test.__annotations__.get("return") is ClaimResult}
