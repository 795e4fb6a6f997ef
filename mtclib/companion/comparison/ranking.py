"""Comparing several methods on several data sets by their ranks, after Demsar.

J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006: mean ranks and
Nemenyi's critical difference.
"""

import numpy as np
from scipy import stats

from mtclib.core.checks import check_number


def ranks(scores):
    """Rank of each method (column) on each data set (row): 1 for the highest score. Equal scores share the
    mean of their ranks, and so do absent methods (NaN), which come last."""
    # Scores that differ by rounding only are equal.
    return scores.round(9).rank(axis=1, ascending=False, na_option="bottom", method="average")


def by_source(scores):
    """Mean rank of each method over sources, best first; `scores` has a level "source" in its index."""
    return ranks(scores).groupby("source").mean().mean().sort_values(kind="stable")


def critical_difference(n_methods, n_datasets, alpha=0.05):
    """Nemenyi's critical difference: mean ranks further apart than this differ."""
    check_number("n_methods", n_methods, low=2, integer=True)
    check_number("n_datasets", n_datasets, low=1, integer=True)
    q = stats.studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))
