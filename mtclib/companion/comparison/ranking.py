"""Comparing several methods on several data sets by their ranks, after Demsar.

J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006: mean ranks and
Nemenyi's critical difference.  And a Bayesian test of differences.
"""

import numpy as np
from baycomp import SignedRankTest
from scipy import stats

from mtclib.core.checks import check_number


def ranks(scores):
    """Rank of each method (column) on each data set (row): 1 for the highest score.

    Equal scores share the mean of their ranks, and so do absent methods (NaN), which come last.
    """
    # Scores that differ by rounding only are equal.
    return scores.round(9).rank(axis=1, ascending=False, na_option="bottom", method="average")


def critical_difference(n_methods, n_datasets, alpha=0.05):
    """Nemenyi's critical difference: mean ranks further apart than this differ."""
    check_number("n_methods", n_methods, low=2, integer=True)
    check_number("n_datasets", n_datasets, low=1, integer=True)
    q = stats.studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


def groups(mean_ranks, cd):
    """Maximal groups of methods whose mean ranks lie within the critical difference, from best to worst.

    Groups of one, and groups inside another, are left out.
    """
    ordered = mean_ranks.sort_values(kind="stable")
    found, last = [], 0
    for first, rank in enumerate(ordered):
        end = int(np.searchsorted(ordered.to_numpy(), rank + cd, side="right"))
        if end > last and end - first > 1:
            found.append(list(ordered.index[first:end]))
        last = max(last, end)
    return found


def signed_rank(differences, rope, n_draws, seed=0):
    """Probabilities that a further difference is below, within and above ``rope`` around 0.

    The Bayesian signed-rank test of Benavoli et al. (ICML 2014), as baycomp has it.

    >>> signed_rank([9.0, 8.0, 7.0, 9.5, 8.5, 7.5], 2.0, 1000)
    (0.0, 0.0, 1.0)
    """
    values = np.asarray(differences, dtype=float)
    found = SignedRankTest.probs(np.zeros(len(values)), values, rope, nsamples=n_draws, random_state=seed)
    return tuple(map(float, found))
