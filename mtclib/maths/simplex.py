"""Projections onto the simplex: of a vector, of rows, of stored entries, with caps; a minimum over it."""

import numpy as np
from scipy.optimize import nnls


def project_simplex(v):
    """Euclidean projection onto the unit simplex {g >= 0, sum g = 1}.

    The minimiser of ||g - v||^2 is max(v - theta, 0) with the one theta that makes it sum to 1; sorting
    finds it exactly in O(m log m).

    Parameters
    ----------
    v : ndarray of any shape with m entries, float

    Returns
    -------
    ndarray of the same shape
        Nonnegative, sums to 1.

    Raises
    ------
    FloatingPointError
        NaN or infinite entries.

    Examples
    --------
    >>> project_simplex(np.array([0.9, 0.5, -1.0]))
    array([0.7, 0.3, 0. ])
    """
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
    """Euclidean projection onto {0 <= w <= cap, low <= sum w <= high}.

    It is clip(v - theta, 0, cap): theta = 0 if the sum is then within its bounds, and else the theta that
    takes the sum to the nearer bound.  The sum is piecewise linear in theta, so that its kinks give theta.

    Parameters
    ----------
    v : ndarray of shape (n,)
    cap, low, high : float
        0 <= low <= high and low <= n * cap.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> project_capped(np.array([2.0, 0.5, -1.0]), 1.0, 0.0, 1.2).round(3).tolist()
    [1.0, 0.2, 0.0]
    """
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

    Parameters
    ----------
    gradient, w : ndarray of shape (n,)
        Of the function at w, and w within the bounds.
    cap, low, high : float

    Returns
    -------
    float
        The largest decrease of the linear function with this gradient (the Frank-Wolfe gap).

    Examples
    --------
    >>> gap(np.array([-1.0, 2.0]), np.array([0.5, 0.5]), 1.0, 1.0, 1.5)
    1.5
    """
    ascending = np.sort(gradient)
    total = np.clip(cap * np.count_nonzero(ascending < 0), low, high)
    best = np.clip(total - cap * np.arange(len(w)), 0.0, cap)
    return float(gradient @ w - ascending @ best)


def project_rows(V):
    """Euclidean projection of each row on the simplex.

    Examples
    --------
    >>> project_rows(np.array([[0.9, 0.5, -1.0], [0.2, 0.2, 0.6]]))
    array([[0.7, 0.3, 0. ],
           [0.2, 0.2, 0.6]])
    """
    descending = -np.sort(-V, axis=1)
    excess = (np.cumsum(descending, axis=1) - 1.0) / np.arange(1, V.shape[1] + 1)
    last = (descending > excess).sum(axis=1) - 1
    return np.maximum(V - excess[np.arange(len(V)), last, None], 0.0)


def project_stored_rows(values, indptr):
    """Projection of each row of a CSR array on the unit simplex over its stored entries.

    The threshold of a row grows with each entry that falls below it, until none does (Michelot 1986).

    Parameters
    ----------
    values : ndarray of shape (nnz,)
    indptr : ndarray of shape (n + 1,), int
        No row is empty.

    Returns
    -------
    ndarray of shape (nnz,)

    Examples
    --------
    >>> project_stored_rows(np.array([0.9, 0.5, -1.0, 7.0]), np.array([0, 3, 4])).round(6).tolist()
    [0.7, 0.3, 0.0, 1.0]
    """
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
    """The minimiser of x^T G x / 2 - y^T x over x >= 0 with sum 1.

    With G = L L^T this is the point of the simplex for which L^T x is nearest to b = L^-1 y.  Any z >= 0 that
    minimises |(L^T - b 1^T) z|^2 + (1^T z - 1)^2 is a multiple of it.

    Parameters
    ----------
    G : ndarray of shape (m, m), positive definite
    y : ndarray of shape (m,)

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> simplex_minimiser(np.eye(3), np.array([1.0, 0.5, -3.0])).round(6).tolist()
    [0.75, 0.25, 0.0]
    """
    L = np.linalg.cholesky(G)
    A = L.T - np.linalg.solve(L, y)[:, None]
    A = A / (np.linalg.norm(A) or 1.0)
    z = nnls(np.vstack([A, np.ones(len(y))]), np.append(np.zeros(len(y)), 1.0))[0]
    return z / z.sum()
