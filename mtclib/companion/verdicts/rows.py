"""Rows instead of cells: one method on one data set, all its tasks and metrics, against the printed row.

A row's mean difference is judged as a cell is, by equivalence with the same margin.  Cells of a row share
their runs: our error is that of the mean over the row, run by run, and the printed one has the spreads of the
cells with our correlations between them.  A mean can hide differences that cancel; ``rms`` beside it cannot.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
from scipy import optimize, stats

from mtclib.companion.runs import our_name
from mtclib.companion.verdicts import intervals
from mtclib.companion.verdicts.draws import DRAWS, FIXED, headlines, population

COLUMNS = ("paper", "table", "dataset", "method", "kind", "pipeline", "cells", "difference", "rms", "error",
           "low", "high", "verdict", "conformal_p", "conformal_power", "conformal_pipeline", "draws")
WANTED = {"row_deviating": 0.10, "row_agreeing": 0.05, "row_power_10": np.nan, "row_interval": 0.90}


def rows(study):
    """Every row of a paper that has a cell to judge, with the 90 % interval of its difference in points."""
    found = []
    for scores, method in ((one, name) for one in headlines(study) for name in judged(one)):
        part = Row(scores, method)
        gaps = part.ours.mean(axis=0) - part.printed
        low, high = part.interval(part.ours.mean(axis=1).mean() - part.printed.mean(), part.spread, part.told)
        found.append({
            "paper": study.paper, "table": scores.printed[method].loc[part.kept, "table"].iloc[0],
            "dataset": scores.dataset, "method": method, "kind": study.kinds[method],
            "pipeline": scores.pipeline.name, "cells": int(part.kept.sum()), "difference": 100 * gaps.mean(),
            "rms": 100 * np.sqrt((gaps**2).mean()), "error": 100 * part.error(), "low": 100 * low,
            "high": 100 * high, "verdict": str(intervals.classify(low, high, intervals.DELTA)),
            **(conformal_row(scores, method) if study.n_published(scores.dataset) == 1 else {})})
    return pd.DataFrame(found, columns=list(COLUMNS))


def judged(scores):
    """Methods with a printed cell that can be judged with others."""
    return [method for method in scores.printed if scores.scored(method).any()]


class Row:
    """The cells of a method that can be judged together: scores, without distances."""

    def __init__(self, scores, method):
        self.scores, self.kept = scores, scores.scored(method)
        cells = scores.printed[method][self.kept]
        self.ours, self.printed = scores.chosen(method)[:, self.kept], cells["mean"].to_numpy()
        self.n, self.half_unit = len(self.ours), cells["half_unit"].max()
        self.runs = self.n if self.n > 1 else np.inf
        self.spread = self.ours.mean(axis=1).std(ddof=1) if self.n > 1 else 0.0
        self.told = self.printed_spread(cells["std"].to_numpy()) if scores.n_published > 1 else np.nan
        rng, variance = np.random.default_rng(0), 0.0
        for theirs in (False, True):
            drawn = scores.drawn(DRAWS, rng, theirs)[method]
            variance += drawn.setting[:, self.kept].mean(axis=1).var()
        self.selection = np.sqrt(variance)

    def printed_spread(self, spreads):
        """Spread of the mean of a printed row over runs: its cells' own, with our correlations; (..., cells).
        NaN where the paper prints none."""
        with np.errstate(invalid="ignore", divide="ignore"):
            correlation = np.corrcoef(self.ours.T) if self.n > 1 else np.eye(self.kept.sum())
        correlation = np.nan_to_num(np.atleast_2d(correlation))
        np.fill_diagonal(correlation, 1.0)
        total = np.einsum("...i,ij,...j->...", spreads, correlation, spreads)
        return np.sqrt(np.maximum(total, 0)) / spreads.shape[-1]

    def interval(self, difference, spread, told):
        """90 % interval of a mean difference, elementwise."""
        return intervals.difference_interval(difference, spread, self.runs, 0.0, told,
                                             self.scores.n_published, self.half_unit, self.selection)

    def error(self):
        """Standard error of the mean difference."""
        return intervals.standard_error(self.spread, self.runs, self.told, self.scores.n_published,
                                        self.half_unit, self.selection)


def rates(study, trials=DRAWS):
    """Error rates of the rows' rule by kind of method, simulated as for cells: `WANTED`."""
    found = []
    for number, scores in enumerate(headlines(study)):
        rng = np.random.default_rng(number)
        sides = [scores.drawn(trials, rng, theirs) for theirs in (False, True)]
        for method in judged(scores):
            part = Row(scores, method)
            found.append({"kind": study.kinds[method], **_simulated(part, *(s[method] for s in sides))})
    table = pd.DataFrame(found).groupby("kind", sort=False).mean()
    lines = [(f"{name}, {kind}", nominal, line[name])
             for kind, line in table.iterrows() for name, nominal in WANTED.items()]
    judged_rows = rows(study)
    lines += [(f"between_interval, {kind}", 0.95, _covered(part, trials))
              for kind, part in judged_rows.groupby("kind", sort=False) if part["dataset"].nunique() > 1]
    levels = [level for scores in headlines(study) if study.n_published(scores.dataset) == 1
              for method in judged(scores) if (level := _conformal_level(scores, method)) is not None]
    lines += [("conformal", *np.mean(levels, axis=0))] if levels else []
    frame = pd.DataFrame(lines, columns=["rate", "nominal", "found"]).round(4)
    return frame.assign(paper=study.paper)[["paper", "rate", "nominal", "found"]]


def _covered(part, trials):
    """Share of trials in which the interval of `random_effects` covers the mean of data sets as these."""
    variances, rng = _of_sets(part)[1], np.random.default_rng(0)
    spread = np.sqrt(variances + random_effects(*_of_sets(part))["tau"] ** 2)
    found = [random_effects(effects, variances) for effects in rng.normal(0, spread, (trials, len(spread)))]
    return np.mean([one["low"] <= 0 <= one["high"] for one in found])


def _conformal_level(scores, method):
    """How often a draw of our own, at the setting that its labels choose, would be farther than all others at
    the default: the level 1 / n and the share of the n draws."""
    study, rows = scores.study, scores.study.rows(scores.dataset)
    kept = scores.places[scores.scored(method)]
    default = study.default(scores.dataset).query("method == @method")
    sides = [population(study, kept, one) for one in (rows[rows["method"] == method], default)]
    (values, choose), (own, _) = sides
    n = own.shape[1]
    if len(own) != 1 or values.shape[1] != n:
        return None
    draws = values[choose.argmax(axis=0), np.arange(n)]
    far = [conformal(draws[one], np.delete(own[0], one, axis=0)) <= 1 / n + 1e-9 for one in range(n)]
    return 1 / n, np.mean(far)


def _simulated(part, ours, theirs):
    told = np.nan if np.isnan(part.told) else part.printed_spread(theirs.spread[:, part.kept])
    whole = replace(ours, values=ours.values[..., part.kept].mean(axis=-1, keepdims=True))
    gap, spread = (ours.mean - theirs.mean)[:, part.kept].mean(axis=1), whole.spread[:, 0]
    ends = {shift: part.interval(gap + shift * intervals.DELTA, spread, told) for shift in (0, 1, -1, 2, -2)}
    found = {shift: intervals.classify(*each, intervals.DELTA) for shift, each in ends.items()}
    deviates = {shift: np.isin(each, ["higher", "lower"]).mean() for shift, each in found.items()}
    return {"row_deviating": deviates[0], "row_power_10": (deviates[2] + deviates[-2]) / 2,
            "row_agreeing": np.mean([(found[shift] == "agrees").mean() for shift in (1, -1)]),
            "row_interval": ((ends[0][0] <= gap.mean()) & (ends[0][1] >= gap.mean())).mean()}


def random_effects(effects, variances):
    """Mean of effects that differ between units, here data sets: heterogeneity by Paule and Mandel (1982),
    interval by Hartung and Knapp (2001), never narrower than the normal one.  A dict: ``mean, low, high``,
    ``tau`` (standard deviation between units), ``i2`` (its share of the spread), ``least, most`` (prediction
    interval of a further unit by Higgins et al. 2009, with the k - 1 degrees of freedom of the mean)."""
    effects, variances = np.asarray(effects, dtype=float), np.maximum(variances, 1e-12)
    k = len(effects)
    if k < 2:
        unknown = ("low", "high", "tau", "i2", "least", "most")
        return {"mean": effects.mean(), **dict.fromkeys(unknown, np.nan)}

    def excess(square):
        weights = 1 / (variances + square)
        return (weights * (effects - weights @ effects / weights.sum()) ** 2).sum() - (k - 1)

    square = optimize.brentq(excess, 0, 10 * effects.var(ddof=1) + 1) if excess(0.0) > 0 else 0.0
    weights = 1 / (variances + square)
    mean = weights @ effects / weights.sum()
    spread = max((weights * (effects - mean) ** 2).sum() / (k - 1), 1.0)
    error = np.sqrt(spread / weights.sum())
    quantile, fixed = stats.t.ppf(0.975, k - 1), 1 / variances
    typical = (k - 1) * fixed.sum() / (fixed.sum() ** 2 - (fixed**2).sum())
    half, reach = quantile * error, quantile * np.sqrt(square + error**2)
    return {"mean": mean, "low": mean - half, "high": mean + half, "tau": np.sqrt(square),
            "i2": square / (square + typical), "least": mean - reach, "most": mean + reach}


def between_sets(table):
    """`random_effects` of the row differences of a paper by kind of method: rows of one data set are one
    effect, their mean, with errors that count as independent. ``conformal_p`` where a set has one row."""
    lines = []
    for (paper, kind), part in table.groupby(["paper", "kind"], sort=False):
        found, counts = random_effects(*_of_sets(part)), part["verdict"].value_counts()
        n_sets = part["dataset"].nunique()
        lines.append({"paper": paper, "kind": kind, "rows": len(part), "sets": n_sets,
                      **{name: int(counts.get(name, 0))
                         for name in ("agrees", "inconclusive", "higher", "lower")}, **found,
                      "conformal_p": combined(part["conformal_p"], part["draws"])
                      if len(part) == n_sets else np.nan})
    return pd.DataFrame(lines)


def _of_sets(part):
    """Mean difference of the rows of each data set, and its squared error."""
    sets = part.assign(variance=part["error"] ** 2).groupby("dataset", sort=False)
    return sets["difference"].mean().to_numpy(), (sets["variance"].sum() / sets.size() ** 2).to_numpy()


def conformal(draw, others):
    """Conformal p-value of a draw among exchangeable ones: the share, itself counted, that lies at least as
    far from the mean of the rest (Vovk, Gammerman and Shafer 2005). At least 1 / (n + 1)."""
    pool = np.vstack([draw, others])
    rest = (pool.sum(axis=0) - pool) / (len(pool) - 1)
    distances = np.linalg.norm(pool - rest, axis=1)
    return float((distances >= distances[0] - 1e-12).mean())


def conformal_row(scores, method):
    """`conformal` of a printed row among our draws of the data, splits, at the default, both fixed before any
    run; and how often a row of another method in its place would be the farthest of all."""
    rows = scores.study.default(scores.dataset)
    kept = scores.places[scores.scored(method)]
    names = [(task, our_name(scores.study.paper, metric)) for task, metric in kept.itertuples(index=False)]
    draws = {name: rows[rows["method"] == name].pivot_table("value", "run", ["task", "metric"])
             for name in scores.by}
    draws = {name: table[names].to_numpy() for name, table in draws.items() if set(names) <= set(table)}
    own = draws.pop(method)
    printed = scores.printed[method].loc[kept.index, "mean"].to_numpy()
    farthest = 1 / (len(own) + 1) + 1e-9
    power = [conformal(row, own) <= farthest for other in draws.values() for row in other]
    return {"conformal_p": conformal(printed, own), "conformal_power": float(np.mean(power)),
            "conformal_pipeline": FIXED, "draws": len(own)}


def combined(p_values, n_draws):
    """One p-value from conformal ones of independent data sets, each a multiple of 1 / (n + 1): the chance of
    so small a sum of ranks, exactly."""
    sizes = np.asarray(n_draws, dtype=float) + 1
    if np.isnan(sizes).any():
        return np.nan
    ranks, chance = np.round(np.asarray(p_values) * sizes).astype(int), np.array([1.0])
    for size in sizes.astype(int):
        chance = np.convolve(chance, np.full(size, 1 / size))
    return float(chance[: ranks.sum() - len(ranks) + 1].sum())
