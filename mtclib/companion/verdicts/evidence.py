"""Is the winner of a search better than the next, and is the find no accident?

All is computed from a table of hypotheses by printed cells.  The order is that of the questions: how often
does the winner win when the cells are drawn anew; how far apart must two hypotheses be to be told apart, by
repeated seeds; which ones are not; who wins without one data set, method or task; and, since a search over
many choices always finds something, what does the whole search find for permuted print?
"""

import numpy as np
import pandas as pd

CRITERIA = {"log-sd": lambda ours, printed, _: np.log(printed / ours),
            "distance": lambda ours, printed, _: np.abs(ours - printed),
            "misses": lambda ours, printed, half_unit: 1.0 * (abs(ours - printed) > 1.000001 * half_unit)}
"""What a search makes small, from these: their spread (print up to one factor), their mean, their sum."""
# Standard errors, for 5 % of pairs named beforehand.  But the nearest is the luckiest, and few seeds hardly
# tell their noise: of two equal hypotheses one is told apart in 10 to 20 % of searches, of ten some in most.
BAND = 1.645
TIE = 1e-6  # six digits of our values are kept
N_BOOTSTRAP = 2000
FEW = 3  # seeds: with less, their noise is hardly known
SHOWN = 12


def measure(ours, printed, half_unit, criterion, weights=None):
    """How far each hypothesis, a row of `ours` (hypotheses, cells), is from print, for each column of
    `weights` (cells, draws), all one by default; infinite for one with a failed fit, or without a ratio."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = CRITERIA[criterion](ours, printed, half_unit)
    failed = ~np.isfinite(found).all(axis=1) | np.isnan(ours).any(axis=1)
    found = np.where(failed[:, None], 0.0, found)
    def total(values):  # without BLAS where digits are kept: its order of sums depends on the machine
        return values.sum(axis=1, keepdims=True) if weights is None else values @ weights

    n, sums = total(np.ones((1, len(printed)))), total(found)
    if criterion == "log-sd":
        sums = np.sqrt(np.maximum(total(found**2) - sums**2 / n, 0) / (n - 1))
    elif criterion == "distance":
        sums = sums / n
    return np.where(failed[:, None], np.inf, sums)


def distances(ours, cells, search):
    """`measure` of each hypothesis against the printed cells of a search."""
    return measure(ours, cells["mean"].to_numpy(), cells["half_unit"].to_numpy(), search.criterion)[:, 0]


def noise(values, cells, search):
    """Standard error of each distance by the jackknife over seeds: `values` is (hypotheses, cells, seeds).
    NaN where there is one seed only."""
    n = values.shape[2]
    if n == 1:
        return np.full(len(values), np.nan)
    sums = values.sum(axis=2)
    left = np.stack([distances((sums - values[:, :, i]) / (n - 1), cells, search) for i in range(n)])
    with np.errstate(invalid="ignore"):
        return np.sqrt((n - 1) / n * ((left - left.mean(axis=0)) ** 2).sum(axis=0))


def not_told_apart(distance, errors):
    """Which hypotheses are no farther behind the nearest than seeds move the two; without repeated seeds only
    those at the same distance."""
    return distance <= distance.min() + np.maximum(_bands(distance, errors), TIE)


def _bands(distance, errors):
    """How far behind the nearest seeds may move each hypothesis: the noise of both counts."""
    errors = np.nan_to_num(errors)
    return BAND * np.sqrt(errors**2 + errors[np.argmin(distance)] ** 2)


def summary(table, choices, cells, search):
    """Winner, size of the search and all evidence, as data for JSON. Hypotheses that give the same value of
    every cell (idf in another way where there is none) count as one, and are not told apart."""
    whole, table = table, table.drop_duplicates(list(cells["cell"]), ignore_index=True)
    ours, printed = table[cells["cell"]].to_numpy(float), cells["mean"].to_numpy()
    distance = distances(ours, cells, search)
    errors = np.full(len(table), np.nan) if "noise" not in table else table["noise"].to_numpy(float)
    best, near = int(distance.argmin()), not_told_apart(distance, errors)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.exp(np.log(printed / ours[best]).mean())  # the geometric mean of quotients
    others = np.argsort(distance, kind="stable")[1:]
    won = bootstrap(ours, cells, search, best, near)
    nearest = table.loc[near, cells["cell"]].iloc[np.argsort(distance[near], kind="stable")]
    same = nearest.merge(whole, on=list(cells["cell"]))[choices]
    measured = not np.isnan(errors[best])
    return {"stage": search.stage, "criterion": search.criterion, "hypotheses": len(whole),
            "distinct": len(table), "cells": cells["cell"].tolist(),
            "winner": table.loc[best, choices].to_dict(),
            "distance": _short(distance[best]), "next": _short(distance[others[0]]) if len(others) else None,
            "median": _short(np.median(distance)), "factor": _short(factor) if np.isfinite(factor) else None,
            "won": {name: _short(share) for name, share in won.items()},
            "band": _short(_bands(distance, errors)[others[0]]) if measured and len(others) else None,
            "seeds": search.n_runs if search.methods else None,
            "not_told_apart": {
                "n": len(same), "values": {name: sorted(map(str, set(same[name]))) for name in choices},
                "nearest": same.head(SHOWN).to_dict("records")},
            "folds": folds(table, choices, cells, search),
            "permutations": permutation_test(ours, cells, search)}


def bootstrap(ours, cells, search, best, near):
    """Share of bootstrap samples of cells that the winner wins, and that it wins or one of those `near` it
    does; equal hypotheses share a sample."""
    rng, n = np.random.default_rng(0), len(cells)
    printed, half_unit = cells["mean"].to_numpy(), cells["half_unit"].to_numpy()
    shares = {"winner": 0.0, "not told apart": 0.0}
    for _ in range(N_BOOTSTRAP // 100):  # a hundred at a time: all at once may not fit into memory
        weights = rng.multinomial(n, np.full(n, 1 / n), size=100).T.astype(float)
        found = measure(ours, printed, half_unit, search.criterion, weights)
        first = found <= found.min(axis=0) + TIE
        first = first / first.sum(axis=0) / N_BOOTSTRAP
        shares["winner"] += first[best].sum()
        shares["not told apart"] += first[near].sum()
    return shares


def folds(table, choices, cells, search):
    """The search repeated without the cells of one data set, method or task: each winner, and the rank that
    the overall winner has there."""
    ours, found = table[cells["cell"]].to_numpy(float), []
    best = distances(ours, cells, search).argmin()
    for column, out in ((name, out) for name in search.leave_out for out in cells[name].unique()):
        kept = (cells[column] != out).to_numpy()
        if kept.sum() < 1 + (search.criterion == "log-sd"):  # one cell has no spread
            continue
        distance = distances(ours[:, kept], cells[kept], search)
        rank = 1 + int((distance < distance[best]).sum())
        found.append({"left out": out, "same": rank == 1, "rank": rank,
                      "winner": table.loc[best if rank == 1 else int(distance.argmin()), choices].to_dict()})
    return found


def permutation_test(ours, cells, search):
    """The whole search for permuted print: how many permutations do as well, print itself counted? Numbers
    change places within the blocks of ``permute_within``; sizes change what they lack of the largest."""
    rng, (printed, half_unit) = np.random.default_rng(0), cells[["mean", "half_unit"]].to_numpy().T
    whole = np.nanmax(ours, axis=0) if search.stage == "sizes" else np.zeros(len(printed))
    keys = [cells[name] for name in search.permute_within] or [pd.Series("all", cells.index)]
    blocks = list(cells.groupby(keys).indices.values())
    smallest = np.empty(search.n_permutations)
    for i in range(len(smallest)):
        shuffled = printed.copy()
        for block in blocks:
            shuffled[block] = whole[block] + rng.permutation((printed - whole)[block])
        smallest[i] = measure(ours, shuffled, half_unit, search.criterion).min()
    reached = int((smallest <= distances(ours, cells, search).min() + 1e-12).sum())
    return {"n": len(smallest), "reached": reached, "smallest": _short(smallest.min()),
            "p": _short((1 + reached) / (1 + len(smallest)))}


def _short(value):
    return float(f"{value:.4g}")
