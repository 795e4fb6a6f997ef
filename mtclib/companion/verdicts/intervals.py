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

    Parameters
    ----------
    mean, sd, n : array-like of float
        Our mean, sample standard deviation (``ddof=1``) and number of runs.
    printed, printed_sd, printed_n : array-like of float
        The paper's mean, standard deviation and number of runs; a NaN in either of the last two means that
        the published mean counts as known without error.
    level : float in (0, 1), default=0.90
        Confidence level.

    Returns
    -------
    low, high : ndarray of float64
        NaN where there is no interval: our spread is unknown (one run) and not declared zero.  With zero
        variance on both sides the interval is the plain difference.

    Notes
    -----
    Degrees of freedom by Welch and Satterthwaite.  With ``n = inf`` our side is exact.  No transformation is
    made near 0 or 1: there the runs are skewed and the test suite measures what that costs.

    Examples
    --------
    >>> low, high = difference_interval(0.82, 0.02, 10, 0.80, 0.03, 10)
    >>> round(float(low), 4), round(float(high), 4)
    (0.0001, 0.0399)
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
    """Verdict of an interval against a margin, elementwise.

    Parameters
    ----------
    low, high : array-like of float
        Ends of the interval of the difference; NaN for none.
    delta : array-like of float
        Margin, positive; NaN for none.

    Returns
    -------
    ndarray of str
        "agrees", "higher", "lower", "inconclusive" or "no margin".

    Examples
    --------
    >>> classify([-0.02, 0.06, 0.03], [0.03, 0.09, 0.08], 0.05).tolist()
    ['agrees', 'higher', 'inconclusive']
    """
    low, high, delta = np.broadcast_arrays(*(np.asarray(a, dtype=float) for a in (low, high, delta)))
    tests = [np.isnan(delta), (low >= -delta) & (high <= delta), low > delta, high < -delta]
    return np.select(tests, ["no margin", "agrees", "higher", "lower"], "inconclusive")


def agreement_radius(low, high):
    """Smallest margin at which the interval would count as agreement: its larger absolute end.

    Parameters
    ----------
    low, high : array-like of float
        Ends of the interval; NaN for none.

    Returns
    -------
    ndarray of float64

    Examples
    --------
    >>> float(agreement_radius(-0.02, 0.03))
    0.03
    """
    return np.maximum(np.abs(low), np.abs(high))


def runs_to_decide(difference, sd, printed_sd, printed_n, delta, most=10_000):
    """About how many of our runs would decide the cell, if means and spreads stay as they are.

    Parameters
    ----------
    difference, sd, printed_sd, printed_n, delta : float
        As in :func:`difference_interval`; `delta` is the margin.
    most : int, default=10000
        Largest number that is tried.

    Returns
    -------
    int or None
        None where no number of our runs can decide: the paper's own runs are too few, or the difference is
        the margin itself.

    Examples
    --------
    >>> runs_to_decide(0.0, 0.03, 0.03, 10, 0.03), runs_to_decide(0.0, 0.03, 0.06, 3, 0.03)
    (6, None)
    """
    counts = np.unique(np.geomspace(2, most, 400).astype(int))
    low, high = difference_interval(difference, sd, counts, 0.0, printed_sd, printed_n)
    decided = classify(low, high, delta) != "inconclusive"
    return int(counts[decided][0]) if decided.any() else None


def margin(metric: str, half_unit=0.0, deltas: Mapping | float = DELTAS, published=float("nan")) -> float:
    """Margin of a metric, never below half of the last printed digit; NaN where there is none.

    Parameters
    ----------
    metric : str
        Name as printed.  Those of `RELATIVE` have no fixed scale: their margin is a share of `published`.
    half_unit : float, default=0.0
        Half of the last printed digit.
    deltas : mapping of str to float, or float
        Margins by metric; one number replaces the margin of every metric that has one on a fixed scale.
    published : float, optional
        The printed number.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the margin is not in (0, 1).

    Examples
    --------
    >>> margin("ACC"), margin("d_M", published=20.0), margin("NMI", deltas=0.02), margin("minutes")
    (0.05, 1.0, 0.02, nan)
    """
    if metric in RELATIVE:
        return max(RELATIVE[metric] * abs(published), half_unit)
    if metric not in DELTAS:
        return float("nan")
    value = float(deltas.get(metric, DELTA) if isinstance(deltas, Mapping) else deltas)
    if not 0 < value < 1:
        raise ValueError(f"delta={value} must lie between 0 and 1, in fractions: 0.05 is five points")
    return max(value, half_unit)
