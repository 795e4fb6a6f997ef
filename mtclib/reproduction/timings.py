"""Claims about running times: as the number of clusters grows, and of one method beside another."""

import numpy as np
import pandas as pd
from scipy import stats

from mtclib.reproduction.comparisons import ALPHA, FEWEST, ClaimResult, majority


def time_ratio_within(frame, method, than, low, high) -> ClaimResult:
    """Does one method take about as long as another?

    Parameters
    ----------
    frame : DataFrame
        Timings: columns ``method, repeat, seconds``; a repeat measures both methods.
    method, than : str
        The ratio is seconds of `method` over seconds of `than`.
    low, high : float
        "About as long".

    Returns
    -------
    ClaimResult
        Holds if the 95 % t interval of the mean log ratio lies within [low, high], fails if it lies outside;
        ``statistic`` is the geometric mean of the ratios.

    Raises
    ------
    ValueError
        No repeat has both methods.

    Examples
    --------
    >>> rows = [(m, r, 1.0 + r / 100 + (m == "slow")) for m in ("slow", "fast") for r in range(8)]
    >>> frame = pd.DataFrame(rows, columns=["method", "repeat", "seconds"])
    >>> time_ratio_within(frame, "slow", "fast", 0.5, 1.5).status
    'fails'
    """
    table = frame.pivot(index="repeat", columns="method", values="seconds")
    if not {method, than} <= set(table) or table[[method, than]].dropna().empty:
        raise ValueError(f"frame: no repeat has both {method!r} and {than!r}")
    logs = np.log(table[method] / table[than]).dropna()
    ends = np.exp([logs.mean()] * 2)
    if len(logs) > 1 and logs.std() > 0:
        ends = np.exp(stats.t.interval(1 - ALPHA, len(logs) - 1, logs.mean(), stats.sem(logs)))
    inside, outside = low <= ends[0] and ends[1] <= high, ends[1] < low or ends[0] > high
    status = "undecided" if len(logs) < FEWEST else "holds" if inside else "fails" if outside else "undecided"
    ratio = float(np.exp(logs.mean()))
    between = f"95% interval {ends[0]:.2f} to {ends[1]:.2f}"
    counts = f"{ratio:.2f} times as long ({between}); claimed {low:g} to {high:g}"
    return ClaimResult(status, counts, ratio, len(logs))


def rises_sharply_after(frame, solver, knee, factor=3.0) -> ClaimResult:
    """Is a running time much steeper beyond a number of clusters than before it?

    Parameters
    ----------
    frame : DataFrame
        Timings: columns ``solver, n_clusters, repeat, seconds``.
    solver : str
        Which one.
    knee : float
        Number of clusters, part of both sides.
    factor : float, default=3.0
        "Sharply": the slope beyond the knee is more than `factor` times the slope before it.

    Returns
    -------
    ClaimResult
        Sign test over repeats; ``statistic`` is the median ratio of the slopes.

    Raises
    ------
    ValueError
        Fewer than two sizes on a side.

    Examples
    --------
    >>> rows = [("qp", k, r, k + 9.0 * max(k - 35, 0)) for k in (5, 35, 65, 95) for r in range(8)]
    >>> rows += [("fw", k, r, float(k)) for k in (5, 35, 65, 95) for r in range(8)]
    >>> frame = pd.DataFrame(rows, columns=["solver", "n_clusters", "repeat", "seconds"])
    >>> rises_sharply_after(frame, "qp", 35).status, rises_sharply_after(frame, "fw", 35).status
    ('holds', 'fails')
    """
    before, after = (_slopes(frame, solver, side) for side in ((-np.inf, knee), (knee, np.inf)))
    hits = int((after > factor * before.clip(lower=0)).sum())
    status, p = majority(hits, len(after))
    ratio = float((after / before).median())
    counts = f"{hits} of {len(after)} repeats are more than {factor:g} times steeper beyond {knee:g} clusters"
    return ClaimResult(status, counts, ratio, len(after), p)


def rises_slower_than(frame, solver, than, knee, factor=3.0) -> ClaimResult:
    """Is the running time of one solver flatter than that of another beyond a number of clusters?

    Parameters
    ----------
    frame : DataFrame
        As in :func:`rises_sharply_after`.
    solver, than : str
        The claim is that `solver` rises slower.
    knee, factor
        As in :func:`rises_sharply_after`: `than` is more than `factor` times steeper.

    Returns
    -------
    ClaimResult
        Sign test over repeats; ``statistic`` is the median ratio of the slopes (`than` over `solver`).

    Raises
    ------
    ValueError
        As in :func:`rises_sharply_after`.

    Examples
    --------
    >>> rows = [("qp", k, r, k + 9.0 * max(k - 35, 0)) for k in (5, 35, 65, 95) for r in range(8)]
    >>> rows += [("fw", k, r, float(k)) for k in (5, 35, 65, 95) for r in range(8)]
    >>> frame = pd.DataFrame(rows, columns=["solver", "n_clusters", "repeat", "seconds"])
    >>> rises_slower_than(frame, "fw", "qp", 35).status
    'holds'
    """
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
