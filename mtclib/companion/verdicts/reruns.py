"""What a perfect re-run would give, and how often the statistics of gains err: both simulated on our runs.

A perfect re-run starts from print, off by an error of the paper and one of ours, drawn from the committed
runs of a method with its whole grid, the paper's at the spread that it prints.  For the error rates both
sides are drawn from these runs as they are, so that the truth is known.
"""

import warnings
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import stats

from mtclib.companion.verdicts import gains
from mtclib.companion.verdicts.draws import Scores, headlines, pipelines
from mtclib.companion.verdicts.intervals import RELATIVE, agreement

TRIALS = 500
WANTED = {"interval": 0.95, "mean_interval": 0.95, "best_interval": 0.95, "prediction": 0.95,
          "false_recurs": 0.025, "false_reversed": 0.025, "power_half": np.nan, "false_below_half": 0.05,
          "power_below_half": np.nan, "ratio_one": 0.95, "ratio_half": 0.95,
          "false_convincing": gains.GOLDEN, "power_convincing": np.nan, "sets_interval": 0.95,
          "tau_interval": 0.95, "other_sign": np.nan, "noise_turns": np.nan, "perfect_cv": np.nan,
          "perfect_pearson": np.nan, "perfect_spearman": np.nan}
"""The error rates of gains, with the level that each should have: of single gains, of means and ratios, of
means and Kendall's tau over data sets that differ as ours do, of signs and their turning where all pipelines
have half of the printed gain; then what a perfect re-run has of CV*, in percent, and of correlations."""
UNEQUAL = 0.3  # standard deviation between sets of the true ratio, where it is one half on average


@dataclass(frozen=True)
class Again:
    """The gains of one printed data set with draws of them."""

    frame: pd.DataFrame  # as from `gains.of_set`
    ours: np.ndarray  # errors of our gains, (draws, gains)
    perfect: np.ndarray  # gains of a perfect re-run, (draws, gains)
    tau: np.ndarray  # of our ranking and the printed one, by place
    perfect_tau: np.ndarray  # (draws, places)
    tables: np.ndarray  # by place


def again(study):
    """An `Again` for each printed data set of a paper on its headline pipeline."""
    return [_again(scores, frame, TRIALS, np.random.default_rng(number))
            for number, scores in enumerate(headlines(study)) if len(frame := gains.of_set(scores))]


def _again(scores, frame, trials, rng):
    ours, theirs = (scores.drawn(trials, rng, side) for side in (False, True))
    own = {method: one.mean for method, one in ours.items()}
    both = {method: _printed(scores, method, theirs[method], rng) + _centred(mean) * _unit(scores, method)
            for method, mean in own.items()}
    means = {method: scores.chosen(method).mean(axis=0) for method in scores.by}
    printed = {method: cells["mean"].to_numpy() for method, cells in scores.printed.items()}
    tau, perfect_tau = (kendall(*(np.stack([side[name] for name in scores.by], axis=-1)
                                  for side in (printed, sides))) for sides in (means, both))
    return Again(frame, _centred(_gaps(scores, frame, own)), _gaps(scores, frame, both), tau,
                 np.atleast_2d(perfect_tau), scores.tables)


def _centred(drawn):
    return drawn - drawn.mean(axis=0)


def _printed(scores, method, drawn, rng):
    """Printed scores with the paper's own error on them, (draws, places): a printed spread is that of runs at
    the setting of a draw; what the choice of a setting adds stays as it is."""
    cells, unit = scores.printed[method], _unit(scores, method)
    told = cells["std"].to_numpy()
    error, runs = (drawn.mean - drawn.setting) * unit, drawn.values.shape[1]
    if scores.n_published > 1:
        spread = drawn.values.std(axis=1, ddof=1) if runs > 1 else np.zeros_like(drawn.values[:, 0])
        usual = spread[drawn.best] * unit
        with np.errstate(divide="ignore", invalid="ignore"):
            scaled = error * np.where(usual > 1e-9, told / usual, 0.0)
        normal = rng.standard_normal(error.shape) * told / np.sqrt(scores.n_published)
        error = np.where(np.isnan(told), error, np.where(usual > 1e-9, scaled, normal))
    return cells["mean"].to_numpy() + _centred(error + drawn.setting * unit)


def _unit(scores, method):
    """What brings our values of a distance into the unit of the print."""
    return np.where(scores.relative, scores.printed[method]["mean"] / scores.chosen(method).mean(axis=0), 1.0)


def _gaps(scores, frame, sides):
    """Gains, (draws, rows of `frame`), of scores by method."""
    return np.concatenate([
        gains.gain(scores, sides[own], sides[rival])[:, rows["place"]]
        for (own, rival), rows in frame.groupby(["method", "rival"], sort=False)], axis=1)


def kendall(first, second):
    """Kendall's tau-b over the last axis, without missing scores; NaN where all of one side are equal."""
    one, other = np.triu_indices(np.shape(first)[-1], 1)
    signs = [np.sign(np.round(side[..., one] - side[..., other], 9)) for side in (first, second)]
    known = ~np.isnan(signs[0] + signs[1])
    signs = [np.where(known, side, 0.0) for side in signs]
    with np.errstate(divide="ignore", invalid="ignore"):
        return (signs[0] * signs[1]).sum(-1) / np.sqrt((signs[0] ** 2).sum(-1) * (signs[1] ** 2).sum(-1))


def rates(study, trials=TRIALS):
    """Error rates of the gains of a paper, as `WANTED` names them, each with its nominal level."""
    parts = [_Simulated(scores, frame, trials, np.random.default_rng(number))
             for number, scores in enumerate(headlines(study)) if len(frame := gains.of_set(scores))]
    table = pd.concat([part.rates() for part in parts]).mean()
    table["ratio_one"], table["ratio_half"] = _coverage(parts, trials)
    table["mean_interval"], table["best_interval"] = (_of_means(parts, best) for best in (False, True))
    kept = [part for part in parts if part.points.any()]
    table["sets_interval"] = _over_sets([part.ours[:, part.points].mean(axis=1) for part in kept])
    table["tau_interval"] = _over_sets([part.tau for part in parts if np.isfinite(part.tau).all()])
    table["other_sign"], table["noise_turns"] = _over_pipelines(study, trials)
    table = pd.concat([table, pd.DataFrame([part.alike for part in parts]).mean().add_prefix("perfect_")])
    return pd.DataFrame({"paper": study.paper, "rate": list(WANTED), "nominal": list(WANTED.values()),
                         "found": table.reindex(list(WANTED)).round(4).to_numpy()})


def _over_sets(drawn):
    """Share of trials in which `gains.mean_over` covers the mean over data sets. `drawn` has what was drawn
    for each; sets are drawn as well, normal, as far apart as the means of ours. One set has no interval."""
    if len(drawn) < 2:
        return np.nan
    drawn, rng = np.stack(drawn), np.random.default_rng(0)
    means = drawn.mean(axis=1, keepdims=True)
    values = drawn - means + rng.normal(0, means.std(ddof=1), drawn.shape)
    ends = np.array([gains.mean_over(one)[1:] for one in values.T])
    return ((ends[:, 0] <= 0) & (ends[:, 1] >= 0)).mean()


def _over_pipelines(study, trials):
    """Where all pipelines have half of the printed gain of a data set: share of its means that have the other
    sign, and of the data sets with several pipelines on which the sign turns."""
    rng, other, turned = np.random.default_rng(0), [], []
    for name in study.published["dataset"].unique():
        flips = []
        for scores in (Scores(study, name, one) for one in pipelines(study, name)):
            frame = gains.of_set(scores, whole=False).query("metric not in @RELATIVE")
            if len(frame):
                sides = {method: one.mean for method, one in scores.drawn(trials, rng).items()}
                means = _centred(_gaps(scores, frame, sides)).mean(axis=1) + frame["printed"].mean() / 2
                flips.append(np.sign(means) != np.sign(frame["printed"].mean()))
        other += flips
        turned += [np.any(flips, axis=0) & ~np.all(flips, axis=0)] if len(flips) > 1 else []
    return np.mean(other), np.mean(turned)


def _of_means(parts, best):
    """Share of trials in which the interval of a paper's mean gain covers it: over all rivals, or over the
    best of each column. The truth are the means of our runs, so that what choosing costs is understated."""
    parts = [part for part in parts if part.points.any()]
    error, variance = 0.0, 0.0
    for part in parts:
        truth = part.ours.mean(axis=0, keepdims=True)
        weights, right = (part.weights(gaps, best) / len(parts) for gaps in (part.ours, truth))
        error = error + (part.ours * weights).sum(axis=1) - (truth * right).sum()
        variance = variance + part.variance_of_sum(weights, right)
    n = max(min(part.frame.loc[part.points, "n"].min() for part in parts), 2)
    return (np.abs(error) <= stats.t.ppf((1 + gains.LEVEL) / 2, n - 1) * np.sqrt(variance)).mean()


class _Simulated:
    """Gains of both sides drawn from our runs, with squared standard errors: (draws, rows of ``frame``)."""

    def __init__(self, scores, frame, trials, rng):
        self.frame, self.scores = frame.reset_index(drop=True), scores
        self.points = ~frame["metric"].isin(RELATIVE).to_numpy()
        ours, theirs = (scores.drawn(trials, rng, side) for side in (False, True))
        units = {method: 2 * cells["half_unit"].to_numpy() / _unit(scores, method)
                 for method, cells in scores.printed.items()}
        rounded = {name: np.round(one.mean / units[name]) * units[name] for name, one in theirs.items()}
        means = {name: one.mean for name, one in ours.items()}
        self.theirs, self.ours = (_gaps(scores, frame, side).round(9) for side in (rounded, means))
        self.drawn, pairs = ours, self.frame.groupby(["method", "rival"], sort=False)
        parts = [np.stack(self._variances(theirs, *names, rows["n"].iloc[0]))[..., rows["place"]]
                 for names, rows in pairs]
        variance, in_print, self.shared, self.doubt = np.concatenate(parts, axis=-1)
        n = self.frame["n"].to_numpy()
        self.variance = gains.at_least(np.sqrt(variance * n), n, ~self.points) ** 2 / n
        sides = [np.stack([side[name] for name in scores.by], axis=-1)[:, ~scores.relative]
                 for side in (rounded, means)]
        with warnings.catch_warnings():  # a place without a printed number has no unit, and no tau
            warnings.simplefilter("ignore", RuntimeWarning)
            self.tau = np.nanmean(kendall(*sides), axis=-1)
        self.alike = agreement(*(side.ravel() for side in reversed(sides)))
        self.printed_error = np.sqrt(in_print + frame["known"].to_numpy() ** 2)

    def _variances(self, theirs, own, rival, n):
        """Squared error of our gain in each draw, and `gains.printed_variance`: (draws, places) each."""
        scores, names = self.scores, (own, rival)
        one, other = (self.drawn[name] for name in names)
        at_ours, at_print = (gains.slopes(scores, *(side[name].mean for name in names))
                             for side in (self.drawn, theirs))
        paired = one.values.shape[1] == other.values.shape[1]
        share = -at_ours[1] / at_ours[0]
        variance = at_ours[0] ** 2 * (one.variance(other, share) if paired else
                                      one.variance() + share**2 * other.variance())
        told = [np.where(scores.printed[name]["std"].notna(), slope * theirs[name].spread, np.nan)
                for name, slope in zip(names, at_print)]
        alone = [slope * self.drawn[name].spread for name, slope in zip(names, at_ours)]
        found = gains.printed_variance(scores.n_published, told, alone, np.sqrt(variance * n), n)
        return np.broadcast_arrays(variance, *found)

    def weights(self, ours, best):
        """Weight of each gain in the mean of a data set, (draws, rows): equal, or with `best` those over the
        rival against which each place has the least of the gains `ours`, (draws, rows)."""
        found, kept = np.zeros(ours.shape), np.flatnonzero(self.points)
        places = self.frame[self.points].groupby(gains.GAIN + ["rival"] * (not best), sort=False).indices
        for rows in (kept[one] for one in places.values()):
            found[np.arange(len(ours)), rows[ours[:, rows].argmin(axis=1)]] = 1 / len(places)
        return found

    def variance_of_sum(self, weights, fixed):
        """Squared standard error of a weighted sum of gains in points, estimated in each draw from its own
        runs, which methods with as many share; the choice of settings, at the weights `fixed`, is known."""
        sums, each, known = {}, self._by_method(weights), self._by_method(fixed)
        for name, one in self.drawn.items():
            size, runs = one.values.shape[1], np.einsum("dp,drp->dr", each[name], one.values[one.best])
            before = sums[size].values if size in sums else 0.0
            sums[size] = replace(one, values=before + runs[..., None], best=np.arange(len(runs)))
        settings = sum((one.setting * known[name]).sum(axis=1) for name, one in self.drawn.items())
        return sum(one.variance()[:, 0] for one in sums.values()) + settings.var()

    def _by_method(self, weights):
        """What a weighted sum of gains in points takes of each score: (draws, places) by method."""
        found = {name: np.zeros((len(weights), len(self.scores.places))) for name in self.scores.by}
        for (own, rival), rows in self.frame[self.points].groupby(["method", "rival"], sort=False):
            for name, sign in ((own, 100), (rival, -100)):
                found[name][:, rows["place"]] += sign * weights[:, rows.index]
        return found

    def _judged(self, theirs, ours):
        """`gains.judged` of all trials below each other."""
        repeated = {name: np.tile(self.frame[name], len(ours)) for name in ("n", "chosen")}
        drawn = {name: getattr(self, name).ravel() for name in ("printed_error", "shared", "doubt")}
        tiled = pd.DataFrame({"printed": theirs.ravel(), "ours": ours.ravel(), **repeated, **drawn})
        return gains.judged(gains.with_error(
            tiled.assign(spread=np.sqrt(self.variance.ravel() * tiled["n"]))))

    def rates(self):
        """Rates over trials, a row for each gain."""
        # Equal draws are at their mean: what rounding leaves has no sign.
        truth, printed = self.ours.mean(axis=0).round(9), self.theirs.mean(axis=0)
        noise, actual = (self.ours - truth).round(9), self.frame["printed"]
        told, zero, half = (self._judged(self.theirs, ours)
                            for ours in (self.ours, noise, noise + printed / 2))
        power = self._judged(np.broadcast_to(actual, noise.shape), noise + actual.to_numpy() / 2)
        right = np.tile(truth, len(noise))
        table = {"interval": told["low"].le(right) & told["high"].ge(right),
                 "prediction": told["within_prediction"], "false_recurs": zero["significant"] == "same",
                 "false_reversed": zero["significant"] == "reversed",
                 "power_half": power["significant"] == "same", "false_below_half": half["below_half"],
                 "power_below_half": zero["below_half"],
                 **{name: judged["sceptical_p"] <= gains.GOLDEN
                    for name, judged in (("false_convincing", zero), ("power_convincing", power))}}
        shares = {name: np.asarray(flags, dtype=float).reshape(noise.shape).mean(axis=0)
                  for name, flags in table.items()}
        return pd.DataFrame(shares)[(self.frame["same_sign"] != "").to_numpy()]


def _coverage(parts, trials):
    """Share of trials in which the interval of the ratio covers it: for truths equal to the printed gains,
    and for one half of them on average, unequal between sets."""
    rng, hits = np.random.default_rng(0), np.zeros((2, trials))
    theirs, ours = (np.stack([getattr(part, side)[:, part.points].mean(axis=1) for part in parts])
                    for side in ("theirs", "ours"))
    printed = np.array([[part.frame.loc[part.points, "printed"].mean()] for part in parts])
    unequal = rng.normal(0.5, UNEQUAL, ours.shape) * printed
    ours, theirs = (side - side.mean(axis=1, keepdims=True) for side in (ours, theirs))
    for row, (mine, right) in enumerate(((printed, 1.0), (unequal, 0.5))):
        ends = [gains.ratio(*pair)[1:] for pair in zip((ours + mine).T, (theirs + printed).T)]
        hits[row] = [low <= right <= high for low, high in ends]
    return hits.mean(axis=1)
