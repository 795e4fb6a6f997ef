"""Intervals of the difference between our number and the printed one, and how they meet a margin.

The margin was fixed before any full run: `DELTA`, five points, for scores.  Two measures of the MBC paper
came later, with their numbers known: `s_nmi`, a score from 0 to 1, got the same five points, and `d_M`, a
distance in the unit of the data, five percent of the printed value.
"""

import numpy as np
from scipy import special, stats

from mtclib.companion.verdicts.published import PERCENT_OR_FRACTION

DELTA = 0.05
RELATIVE = {"d_M": 0.05}
LEVEL = 0.90
MANY = 1e6  # degrees of freedom that stand for infinitely many


def difference_interval(mean, sd, n, printed, printed_sd=np.nan, printed_n=np.nan, half_unit=0.0,
                        selection=0.0):
    """Interval of (ours - published) with the error of both sides, elementwise: Welch's, or Student's where
    the paper prints no spread and ours stands in (``printed_n`` runs, or 1 for one split). Without
    ``printed_n`` print is exact, with ``n = inf`` ours. `half_unit`, what rounding can hide, is added at both
    ends; `selection` comes from `errors.selection_spread`. NaN where our spread is unknown (one run). Nothing
    is transformed near 0 or 1, where runs are skewed: `errors` measures what that costs."""
    mean, printed, half_unit = (np.asarray(a, dtype=float) for a in (mean, printed, half_unit))
    variance, freedom = _variance(sd, n, printed_sd, printed_n, selection)
    half = _half_width(variance, freedom) + half_unit
    # Twelve digits: 0.75 - 0.70 must not fall outside a margin of 0.05 by a bit of the last place.
    difference = mean - printed
    return np.round(difference - half, 12), np.round(difference + half, 12)


def standard_error(sd, n, printed_sd=np.nan, printed_n=np.nan, half_unit=0.0, selection=0.0):
    """Standard error of (ours - published) for `difference_interval`; rounding counts as uniform."""
    return np.sqrt(_variance(sd, n, printed_sd, printed_n, selection)[0] + half_unit**2 / 3)


def _variance(sd, n, printed_sd, printed_n, selection):
    """Variance of (ours - published) and its degrees of freedom."""
    arrays = (np.asarray(a, dtype=float) for a in (sd, n, printed_sd, printed_n, selection))
    sd, n, printed_sd, printed_n, selection = np.broadcast_arrays(*arrays)
    stands_in = np.isnan(printed_sd)
    with np.errstate(divide="ignore", invalid="ignore"):
        ours = sd**2 / n
        theirs = np.nan_to_num(np.where(stands_in, sd, printed_sd) ** 2 / printed_n, nan=0.0, posinf=0.0)
        apart = ours**2 / (n - 1) + np.nan_to_num(theirs**2 / (printed_n - 1), nan=0.0, posinf=np.inf)
        total = ours + theirs + selection**2
        freedom = total**2 / np.where(stands_in, (ours + theirs) ** 2 / (n - 1), apart)
    return total, freedom


def _half_width(variance, freedom):
    with np.errstate(invalid="ignore"):
        student = stats.t.ppf(0.5 + LEVEL / 2, freedom) * np.sqrt(variance)
    return np.where(variance > 0, student, 0.0 * variance)


def expected(sd, n, printed_sd, printed_n, half_unit, delta, selection=0.0):
    """Chance that a cell agrees if print and ours had the same true mean, with normal runs of its spreads."""
    variance, freedom = _variance(sd, n, printed_sd, printed_n, selection)
    half, error, half_unit, delta, finite = np.broadcast_arrays(
        _half_width(variance, freedom), np.sqrt(variance), half_unit, delta,
        np.where(np.isfinite(freedom), freedom, MANY))
    # The spread of another run of the experiment differs from this one: the mean over its quantiles.
    quantiles = np.linspace(0, 1, 41)[1::2].reshape(-1, *[1] * np.ndim(half))
    half = half * np.sqrt(stats.chi2.ppf(quantiles, finite) / finite) + half_unit
    with np.errstate(divide="ignore", invalid="ignore"):
        agree = np.maximum(2 * stats.norm.cdf((delta - half) / error) - 1, 0.0).mean(axis=0)
    return np.where(error == 0, np.where(half_unit <= delta, 1.0, 0.0), agree)


def classify(low, high, delta):
    """"agrees", "higher", "lower", "inconclusive" or "no margin" for each interval against its margin."""
    low, high, delta = np.broadcast_arrays(*(np.asarray(a, dtype=float) for a in (low, high, delta)))
    tests = [np.isnan(delta), (low >= -delta) & (high <= delta), low > delta, high < -delta]
    return np.select(tests, ["no margin", "agrees", "higher", "lower"], "inconclusive")


def margin(metric, half_unit=0.0, published=float("nan")):
    """Margin of a metric, never below half of the last printed digit; NaN where there is none."""
    if metric in RELATIVE:
        return max(RELATIVE[metric] * abs(published), half_unit)
    return max(DELTA, half_unit) if metric in PERCENT_OR_FRACTION else float("nan")


def coefficient_of_variation(scores):
    """CV* of Belz, Popović and Mille (ACL 2022) in percent, of each row of repeated scores: the standard
    deviation without bias, over the mean, corrected for few scores. NaN where the mean is not positive."""
    scores = np.asarray(scores, dtype=float)
    n, mean = scores.shape[1], scores.mean(axis=1)
    unbiased = np.sqrt((n - 1) / 2) * special.gamma((n - 1) / 2) / special.gamma(n / 2)
    spread = unbiased * scores.std(axis=1, ddof=1)
    return 100 * (1 + 1 / (4 * n)) * spread / np.where(mean > 0, mean, np.nan)


def agreement(ours, printed):
    """Agreement of two sets of scores as by Belz, Thomson, Reiter and Mille (2023): the mean of CV*, and the
    correlations of Pearson and Spearman, of the pairs in which both are known."""
    pairs = np.column_stack([ours, printed]).astype(float)
    pairs = pairs[np.isfinite(pairs).all(axis=1)]
    return {"cv": np.nanmean(coefficient_of_variation(pairs)) if len(pairs) else np.nan,
            **{name: test(*pairs.T).statistic if len(pairs) > 2 else np.nan
               for name, test in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr))}}
