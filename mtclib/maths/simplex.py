"""Projections onto the simplex: of a vector, of rows, of stored entries, with caps; a minimum over it."""

import numpy as np
from scipy.optimize import nnls

# Entries of columns that are sorted by exchanges, all columns at once; of longer ones each is sorted alone.
EXCHANGED = 6


def project_simplex(v):
    """Euclidean projection onto the unit simplex {g >= 0, sum g = 1} of all entries, of any shape.  The
    minimiser of ||g - v||^2 is max(v - theta, 0) with the one theta that makes it sum to 1; sorting finds it
    exactly in O(m log m).  Raises ``FloatingPointError`` for NaN or infinite entries."""
    if not np.isfinite(v).all():
        raise FloatingPointError("project_simplex met NaN or infinity: the method diverged; scale the data "
                                 "or use a stronger penalty")
    flat = v.ravel() - v.max()
    descending = np.sort(flat)[::-1]
    excess = np.cumsum(descending) - 1.0
    support = np.flatnonzero(descending * np.arange(1, flat.size + 1) > excess)[-1]
    theta = excess[support] / (support + 1)
    return np.maximum(flat - theta, 0.0).reshape(v.shape)


def project_capped(v, cap, low, high):
    """Euclidean projection onto {0 <= w <= cap, low <= sum w <= high}, 0 <= low <= high and low <= n * cap.
    It is clip(v - theta, 0, cap): theta = 0 if the sum is then within its bounds, and else the theta that
    takes the sum to the nearer bound.  The sum is piecewise linear in theta, so that its kinks give theta."""
    w = np.clip(v, 0.0, cap)
    total = w.sum()
    if low <= total <= high:
        return w
    kinks = np.concatenate([v - cap, v])
    order = np.argsort(kinks, kind="stable")
    kinks = kinks[order]
    slopes = np.cumsum(np.where(order < len(v), -1.0, 1.0))[:-1]
    sums = len(v) * cap + np.concatenate([[0.0], np.cumsum(slopes * np.diff(kinks))])
    theta = np.interp(low if total < low else high, sums[::-1], kinks[::-1])
    return np.clip(v - theta, 0.0, cap)


def gap(gradient, w, cap, low, high):
    """Bound of how far a convex function is above its minimum over {0 <= w <= cap, low <= sum w <= high}.
    The largest decrease of the linear function with its gradient at w, a point within the bounds (the
    Frank-Wolfe gap)."""
    ascending = np.sort(gradient)
    total = np.clip(cap * np.count_nonzero(ascending < 0), low, high)
    best = np.clip(total - cap * np.arange(len(w)), 0.0, cap)
    return float(gradient @ w - ascending @ best)


def project_columns(V):
    """Euclidean projection of each column on the simplex.

    >>> project_columns(np.array([[0.9, 0.2], [0.5, 0.2], [-1.0, 0.6]])).round(6).tolist()
    [[0.7, 0.2], [0.3, 0.2], [0.0, 0.6]]
    """
    # The threshold is the largest of the means that a column's first entries leave, of the sums but for 1;
    # columns are short, so that steps over all of them at once, entry by entry, take a fraction of the time.
    rows = sorted_columns(V)
    total = rows[0].copy()
    threshold = total - 1.0
    for place, row in enumerate(rows[1:], start=2):
        total += row
        np.maximum(threshold, (total - 1.0) / place, out=threshold)
    return np.maximum(V - threshold, 0.0)


def sorted_columns(V):
    """Each column of V (k, n) sorted from its largest entry on, as k rows.

    >>> [np.array_equal(sorted_columns(V), -np.sort(-V, axis=0)) for V in (np.eye(3), np.eye(9))]
    [True, True]
    """
    if len(V) > EXCHANGED:
        return np.sort(V, axis=0)[::-1]
    rows = list(V)
    for last in range(len(V) - 1, 0, -1):
        for row in range(last):
            rows[row:row + 2] = np.maximum(*rows[row:row + 2]), np.minimum(*rows[row:row + 2])
    return rows


def project_stored_rows(values, indptr):
    """Projection of each row of a CSR array on the unit simplex over its stored entries; no row is empty.
    The threshold of a row grows with each entry that falls below it, until none does (Michelot 1986)."""
    starts, lengths = indptr[:-1], np.diff(indptr)
    values = values - np.repeat(np.maximum.reduceat(values, starts), lengths)
    kept, fewer = None, np.ones(len(values), dtype=bool)
    while kept is None or not np.array_equal(kept, fewer):
        kept = fewer
        sums, counts = np.add.reduceat(np.where(kept, values, 0.0), starts), np.add.reduceat(1 * kept, starts)
        above = values - np.repeat((sums - 1.0) / counts, lengths)
        fewer = kept & (above > 0.0)
    return np.maximum(above, 0.0)


def simplex_minimiser(G, y):
    """The minimiser of x^T G x / 2 - y^T x over x >= 0 with sum 1, for a positive definite G.  With G = L L^T
    this is the point of the simplex for which L^T x is nearest to b = L^-1 y.  Any z >= 0 that minimises
    |(L^T - b 1^T) z|^2 + (1^T z - 1)^2 is a multiple of it."""
    if len(y) == 1:  # of one sample, G may be 0
        return np.ones(1)
    L = np.linalg.cholesky(G)
    A = L.T - np.linalg.solve(L, y)[:, None]
    A = A / (np.linalg.norm(A) or 1.0)
    z = nnls(np.vstack([A, np.ones(len(y))]), np.append(np.zeros(len(y)), 1.0))[0]
    return z / z.sum()
