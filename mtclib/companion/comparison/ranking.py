"""Comparing several methods on several data sets by their ranks, after Demsar.

J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006: mean ranks,
Friedman's test, Nemenyi's critical difference, Wilcoxon's signed-rank test with Holm's correction.
"""

import numpy as np
import pandas as pd
from baycomp import SignedRankTest
from scipy import stats

from mtclib.core.checks import check_number


def ranks(scores):
    """Rank of each method (column) on each data set (row): 1 for the highest score.

    Equal scores share the mean of their ranks, and so do absent methods (NaN), which come last.
    """
    # Scores that differ by rounding only are equal.
    return scores.round(9).rank(axis=1, ascending=False, na_option="bottom", method="average")


def friedman(scores):
    """Friedman's test that all methods have the same mean rank, and Iman and Davenport's form of it.

    ``chi2`` with ``p``; ``F`` with ``p_F``, which is less conservative.  Ties are not corrected for, as in
    Demsar's section 3.2.2: with many absent methods, which tie in the last place, the test is the more
    cautious.  At least two data sets and three methods.
    """
    n, k = scores.shape
    check_number("number of data sets", n, low=2, integer=True)
    check_number("number of methods", k, low=3, integer=True)
    means = ranks(scores).mean()
    chi2 = 12 * n / (k * (k + 1)) * float((means**2).sum() - k * (k + 1) ** 2 / 4)
    rest = n * (k - 1) - chi2
    F = (n - 1) * chi2 / rest if rest > 1e-9 else np.inf
    p, p_F = stats.chi2.sf(chi2, k - 1), stats.f.sf(F, k - 1, (k - 1) * (n - 1))
    return {"chi2": chi2, "p": float(p), "F": F, "p_F": float(p_F)}


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


def holm(p_values):
    """Holm's step-down correction of a Series of p values; NaN stays NaN and is not counted."""
    known = p_values.dropna().sort_values(kind="stable")
    corrected = (known * np.arange(len(known), 0, -1)).cummax().clip(upper=1.0)
    return corrected.reindex(p_values.index)


def against(scores, method):
    """Each other method against one, by Wilcoxon's signed-rank test over the data sets that have both.

    ``sets`` compared, ``wins`` and ``losses`` of the other method, ``difference`` (its mean minus that of
    ``method``), ``p`` and ``p_holm``; NaN where nothing can be compared.
    """
    rows = {other: _pair(scores[other] - scores[method]) for other in scores.columns.drop(method)}
    frame = pd.DataFrame.from_dict(rows, orient="index").rename_axis("method")
    return frame.assign(p_holm=holm(frame["p"]))


def _pair(differences):
    known = differences.dropna().round(9)
    p = stats.wilcoxon(known).pvalue if (known != 0).any() else np.nan
    return {"sets": len(known), "wins": int((known > 0).sum()), "losses": int((known < 0).sum()),
            "difference": known.mean(), "p": p}


def mean_interval(values, level=0.95, n_draws=10_000, seed=0):
    """Percentile bootstrap interval of a mean; NaN for fewer than two values."""
    values = np.asarray(values, dtype=float)
    if len(values) < 2:
        return np.nan, np.nan
    drawn = np.random.default_rng(seed).integers(len(values), size=(n_draws, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def signed_rank(differences, rope, n_draws, seed=0):
    """Probabilities that a further difference is below, within and above ``rope`` around 0.

    The Bayesian signed-rank test of Benavoli et al. (ICML 2014), as baycomp has it.

    >>> signed_rank([9.0, 8.0, 7.0, 9.5, 8.5, 7.5], 2.0, 1000)
    (0.0, 0.0, 1.0)
    """
    values = np.asarray(differences, dtype=float)
    found = SignedRankTest.probs(np.zeros(len(values)), values, rope, nsamples=n_draws, random_state=seed)
    return tuple(map(float, found))
