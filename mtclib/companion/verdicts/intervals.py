"""Intervals of the difference between our number and the printed one, and how they meet a margin.

The margin was fixed before any full run: `DELTA`, five points, for the scores of `DELTAS`.  Two measures of
the MBC paper came later, with their numbers known: `s_nmi`, a score from 0 to 1, got the same five points,
and `d_M`, a distance in the unit of the data, five percent of the printed value.
"""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from scipy import stats

DELTA = 0.05
DELTAS = MappingProxyType({name: DELTA for name in ("ACC", "NMI", "purity", "RI", "ARI", "s_nmi")})
RELATIVE = MappingProxyType({"d_M": 0.05})
LEVEL = 0.90


def difference_interval(mean, sd, n, printed, printed_sd=np.nan, printed_n=np.nan, level=LEVEL):
    """Welch interval of (ours - published), elementwise.

    NaN where there is no interval: our spread is unknown (one run) and not declared zero. With zero
    variance on both sides the interval is the plain difference.

    Degrees of freedom by Welch and Satterthwaite. With ``n = inf`` our side is exact. No transformation is
    made near 0 or 1: there the runs are skewed and the test suite measures what that costs.
    """
    arrays = (np.asarray(a, dtype=float) for a in (mean, sd, n, printed, printed_sd, printed_n))
    mean, sd, n, printed, printed_sd, printed_n = np.broadcast_arrays(*arrays)
    with np.errstate(divide="ignore", invalid="ignore"):
        ours = sd**2 / n
        theirs = np.nan_to_num(printed_sd**2 / printed_n, nan=0.0, posinf=0.0)
        total = ours + theirs
        spread = ours**2 / (n - 1) + np.nan_to_num(theirs**2 / (printed_n - 1), nan=0.0, posinf=np.inf)
        freedom = np.where(total > 0, total**2 / spread, np.inf)
        half = np.where(total > 0, stats.t.ppf(0.5 + level / 2, freedom) * np.sqrt(total), 0.0 * total)
    # Twelve digits: 0.75 - 0.70 must not fall outside a margin of 0.05 by a bit of the last place.
    difference = mean - printed
    return np.round(difference - half, 12), np.round(difference + half, 12)


def classify(low, high, delta):
    """"agrees", "higher", "lower", "inconclusive" or "no margin" for each interval against its margin."""
    low, high, delta = np.broadcast_arrays(*(np.asarray(a, dtype=float) for a in (low, high, delta)))
    tests = [np.isnan(delta), (low >= -delta) & (high <= delta), low > delta, high < -delta]
    return np.select(tests, ["no margin", "agrees", "higher", "lower"], "inconclusive")


def agreement_radius(low, high):
    """Smallest margin at which the interval would count as agreement: its larger absolute end."""
    return np.maximum(np.abs(low), np.abs(high))


def runs_to_decide(difference, sd, printed_sd, printed_n, delta, most=10_000):
    """About how many of our runs would decide the cell, if means and spreads stay as they are.

    None where no number of our runs can decide: the paper's own runs are too few, or the difference is the
    margin itself.
    """
    counts = np.unique(np.geomspace(2, most, 400).astype(int))
    low, high = difference_interval(difference, sd, counts, 0.0, printed_sd, printed_n)
    decided = classify(low, high, delta) != "inconclusive"
    return int(counts[decided][0]) if decided.any() else None


def margin(metric: str, half_unit=0.0, deltas: Mapping | float = DELTAS, published=float("nan")) -> float:
    """Margin of a metric, never below half of the last printed digit; NaN where there is none."""
    if metric in RELATIVE:
        return max(RELATIVE[metric] * abs(published), half_unit)
    if metric not in DELTAS:
        return float("nan")
    value = float(deltas.get(metric, DELTA) if isinstance(deltas, Mapping) else deltas)
    if not 0 < value < 1:
        raise ValueError(f"delta={value} must lie between 0 and 1, in fractions: 0.05 is five points")
    return max(value, half_unit)
