"""Claims that one method beats another, and the rule by which every claim is decided.

A claim *holds* or *fails* when a two-sided test at 5% says so in that direction, and is *undecided*
otherwise. With fewer than six independent observations no two-sided test at 5% can reject, so the claim is
undecided. The observations are runs (seeds) on the data sets at hand: a claim that holds, holds for these
data.
"""

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


@dataclass(frozen=True)
class ClaimResult:
    """Outcome of one claim: "holds", "fails" or "undecided", and what was counted, in words. `statistic` is
    the size of the effect (a mean difference, a span, a share), `n` the independent observations behind the
    status, `p` a two-sided p-value where the test has one."""

    status: str
    counts: str
    statistic: float
    n: int
    p: float = float("nan")


def majority(hits: int, n: int) -> tuple[str, float]:
    """Do more than half of the observations support a claim? Exact sign test, two-sided."""
    if n == 0:
        return "undecided", float("nan")
    p = float(stats.binomtest(hits, n).pvalue)
    return _status(p, hits - n / 2), p


def mean_greater(frame, method_a, method_b, metric, dataset, tasks=("avg",), deterministic=()) -> ClaimResult:
    """Is the mean score of one method greater than that of another? Wilcoxon signed-rank test over the runs
    that both methods have, paired by run; the counts are wins, ties and losses over runs and tasks."""
    gaps = pd.concat(
        [_gaps(frame, method_a, method_b, metric, dataset, task, deterministic) for task in tasks], axis=1
    ).dropna()
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
    """Is a method better than every other one on every task, by more than a margin?

    Holds if each comparison (task and rival) is won at 5%: all must be, so no correction is due. Fails if
    the worst one is lost at 5% among as many comparisons. ``statistic`` is the smallest mean difference,
    ``n`` the smallest number of paired runs, ``p`` the largest p-value, or that of the failure.

    The counts compare means: a win is a comparison in which the mean of `method` is larger.
    """
    pairs = [(task, other) for task in tasks for other in others]
    gaps = [_gaps(frame, method, other, metric, dataset, task, deterministic) - margin
            for task, other in pairs]
    tests = [wilcoxon(gap.to_numpy()) for gap in gaps]
    status, worst = "undecided", _chance_of_worst(pd.concat(gaps, axis=1).dropna().to_numpy())
    if worst <= ALPHA / 2:
        status = "fails"
    elif all(result == "holds" for result, _ in tests):
        status = "holds"
    means = np.array([gap.mean() for gap in gaps])
    lost = [_place(other, task) for (task, other), mean in zip(pairs, means) if mean < -1e-12]
    short = f"less than {100 * margin:g} points ahead of" if margin else "behind"
    counts = _record(means, "task and rival") + (f"; {short} {', '.join(lost)}" if lost else "")
    worst_p = 2 * worst if status == "fails" else max(p for _, p in tests)
    return ClaimResult(status, counts, float(means.min()), min(map(len, gaps)), worst_p)


def _chance_of_worst(gaps):
    """Chance of so small a smallest t statistic of the columns of ``gaps`` where no column has a difference.
    Signs are exchanged run by run, for all columns at once: they stay as dependent as they are. Ten runs can
    so decide among any number of comparisons, which a level divided by their number does not let them."""
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
    """Is a method better than the others in more than half of all pairs of task and rival? Each pair is
    decided by its runs. Holds if more than half are won at 5%; fails if so many are lost that no more than
    half can be won; ``statistic`` is the share won less the share lost, ``n`` the smallest number of paired
    runs."""
    columns = frame[frame["dataset"].isin(datasets) & (frame["task"] != "avg") & (frame["metric"] == metric)]
    pairs = [(dataset, task, other) for dataset, task in columns.groupby(["dataset", "task"]).groups
             for other in others]
    gaps = [_gaps(frame, method, other, metric, dataset, task, deterministic)
            for dataset, task, other in pairs]
    found = [wilcoxon(gap.to_numpy())[0] for gap in gaps]
    won, lost, half = found.count("holds"), found.count("fails"), len(pairs) / 2
    status = "holds" if won > half else "fails" if lost >= half else "undecided"
    counts = f"{won} won, {lost} lost, {len(pairs) - won - lost} undecided (task and rival)"
    return ClaimResult(status, counts, (won - lost) / len(pairs), min(map(len, gaps)))


def printed_record(published, method, others, metric, dataset, tasks=None) -> str:
    """Wins, ties and losses of a method in the paper's own table over tasks and rivals; which are lost."""
    rows = published[(published["dataset"] == dataset) & (published["metric"] == metric)]
    table = rows.pivot(index="task", columns="method", values="mean")
    table = table.loc[[task for task in (tasks or table.index) if task != "avg"]]
    rivals = [other for other in others if other in table]
    gaps = -table[rivals].sub(table[method], axis=0).round(12).stack()
    lost = [_place(other, task) for (task, other), gap in gaps.items() if gap < 0]
    return _record(gaps.to_numpy(), "task and rival") + (f"; behind {', '.join(lost)}" if lost else "")


def _gaps(frame, method_a, method_b, metric, dataset, task, deterministic):
    """Differences between two methods on one task, one per run that both have."""
    rows = frame[(frame["dataset"] == dataset) & (frame["metric"] == metric) & (frame["task"] == task)]
    rows = rows[rows["method"].isin([method_a, method_b])]
    if rows.duplicated(["method", "run"]).any():
        raise ValueError(f"frame: several rows per run on {dataset!r}, task {task}; keep one grid point")
    table = rows.pivot(index="run", columns="method", values="value")
    for name in (method_a, method_b):
        if name not in table or table[name].notna().sum() == 0:
            raise ValueError(f"frame: no {metric} of method {name!r} on {dataset!r}, task {task}")
        if name in deterministic and table[name].notna().sum() == 1:
            table[name] = table[name].dropna().iloc[0]
    return (table[method_a] - table[method_b]).dropna()


def wilcoxon(gaps):
    """Status and p of "the differences are positive", one per run: the signed-rank test."""
    gaps = np.where(np.abs(gaps) < 1e-12, 0.0, gaps)
    if len(gaps) < FEWEST or not gaps.any():
        return "undecided", 1.0
    p = _signed_rank(tuple(gaps.tolist()))
    return _status(p, gaps.mean()), p


@cache
def _signed_rank(gaps):
    """Two-sided p of Wilcoxon's test; kept, for several levels ask for it. For so few runs scipy, too, goes
    through all signs where ranks are tied, but one vector after the other."""
    if len(gaps) > ALL_SIGNS:
        return float(stats.wilcoxon(gaps).pvalue)
    known = np.array([gap for gap in gaps if gap])
    if len(known) == 1:  # both signs are as likely, and scipy asks for two
        return 1.0
    ranks = np.copysign(stats.rankdata(np.abs(known)), known)
    return float(stats.permutation_test((ranks,), _sum_of_positive, permutation_type="samples",
                                        vectorized=True, n_resamples=np.inf).pvalue)


def _sum_of_positive(ranks, axis):
    return np.maximum(ranks, 0).sum(axis=axis)


def _status(p, direction):
    if p > ALPHA or direction == 0:
        return "undecided"
    return "holds" if direction > 0 else "fails"


def inside(ends, low, high, n):
    """Status of "it lies in [low, high]" from the ends of its 95 % interval, over n observations."""
    if n >= FEWEST and low <= ends[0] and ends[1] <= high:
        return "holds"
    return "fails" if n >= FEWEST and (ends[1] < low or ends[0] > high) else "undecided"


def _place(method, task):
    return f"{method} on task {task}" if task else method


def _record(gaps, unit):
    wins, losses = int((gaps > 1e-12).sum()), int((gaps < -1e-12).sum())
    ties = gaps.size - wins - losses
    words = (_count(wins, "win", "s"), _count(ties, "tie", "s"), _count(losses, "loss", "es"))
    return f"{', '.join(words)} ({unit})"


def _count(number, word, ending):
    return f"{number} {word}{'' if number == 1 else ending}"
