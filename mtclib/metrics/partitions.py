"""Distance between the partitions of two tasks: ``d_M`` of MBC."""

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from mtclib.maths.linalg import as_dense
from mtclib.maths.transport import transport_plan
from mtclib.metrics.scores import encode


def partition_emd(X_t, labels_t, X_s, labels_s, *, divergence="sqeuclidean", centroids=None,
                  marginals="empirical"):
    r"""Earth mover's distance between the partitions of two tasks: ``d_M`` of MBC, Eq. (8).

    .. math:: \min_W \sum_{zl} w_{zl}\, d(u^t_z \| u^s_l),\quad W 1 = \pi^t,\ W^\top 1 = \pi^s,\ W \ge 0.

    Two definitions are in use and they differ by an order of magnitude.  The defaults give cluster means
    recomputed from the labels and the empirical proportions of Eq. (6), which compares any two methods, or
    the true classes.  ``marginals="uniform"`` with the `centroids` of a fitted model gives the quantity
    that MBC minimises.  The transport is solved exactly.

    Parameters
    ----------
    X_t, X_s : array-like or sparse array of shape (n_t, d), (n_s, d)
        Samples; not used (None will do) where `centroids` are given.
    labels_t, labels_s : array-like of shape (n_t,), (n_s,)
        Clusters.  With `centroids` they are integers that index the rows of the centroids, and clusters
        without samples are dropped.  None, allowed with `centroids` and uniform marginals, drops none.
    divergence : "sqeuclidean" or callable
        ``divergence(U_t, U_s)`` returns the (K_t, K_s) matrix of ``d(u_z || u_l)``, such as
        ``mtclib.maths.bregman.divergence("kl").pairwise``.  For every Bregman divergence the mean is the
        right centroid.
    centroids : pair of arrays of shape (K_t, d), (K_s, d), optional
        Centroids of a model, in place of the recomputed means.
    marginals : {"empirical", "uniform"}
        Shares of the samples, or 1/K for each cluster.

    Returns
    -------
    float
        The transport cost, in the unit of `divergence`: not negative for a divergence, 0 for equal
        partitions of equal data.

    Raises
    ------
    ValueError
        If a label vector is not valid or does not fit its data or centroids, if the tasks have different
        numbers of features, if the divergence is not finite, or if an option is unknown.

    Examples
    --------
    >>> round(partition_emd([[0.0], [1.0], [1.0]], [0, 1, 1], [[0.0], [3.0]], [0, 1]), 6)
    2.166667
    >>> model = ([[0.0], [1.0]], [[0.0], [3.0]])
    >>> partition_emd(None, None, None, None, centroids=model, marginals="uniform")
    2.0
    """
    if marginals not in ("empirical", "uniform"):
        raise ValueError(f"marginals={marginals!r} is unknown: choose 'empirical' or 'uniform'")
    if centroids is not None and len(centroids) != 2:
        raise ValueError(f"centroids has {len(centroids)} entries: pass a pair, one array (K, d) per task")
    if centroids is None:
        (U_t, sizes_t), (U_s, sizes_s) = _means(X_t, labels_t, "t"), _means(X_s, labels_s, "s")
    else:
        if marginals == "empirical" and (labels_t is None or labels_s is None):
            raise ValueError("labels_t and labels_s are needed for marginals='empirical': pass both vectors")
        (U_t, sizes_t), (U_s, sizes_s) = map(_occupied, centroids, (labels_t, labels_s), "ts")
    if U_t.shape[1] != U_s.shape[1]:
        raise ValueError(f"X_t and X_s (or the centroids) have {U_t.shape[1]} and {U_s.shape[1]} features: "
                         "give both tasks the same features")
    if marginals == "uniform":
        sizes_t, sizes_s = np.ones(len(U_t)), np.ones(len(U_s))
    cost = _cost(divergence, U_t, U_s)
    plan = transport_plan(cost, sizes_t / sizes_t.sum(), sizes_s / sizes_s.sum())
    return float(np.vdot(plan, cost))


def _means(X, labels, task):
    """Mean of every cluster (K, d) and its size (K,), from the data of one task."""
    if X is None or labels is None:
        raise ValueError(f"X_{task} and labels_{task} are needed to compute means: pass them, or centroids")
    codes, distinct = encode(labels, f"labels_{task}")
    X = X if sparse.issparse(X) else np.ma.filled(np.ma.array(X, dtype=float), np.nan)
    if X.ndim != 2 or X.shape[0] != len(codes):
        raise ValueError(f"X_{task} has shape {X.shape} and labels_{task} has {len(codes)} labels: pass a "
                         "2-D array with one row for each label")
    n = len(codes)
    sums = sparse.csr_array((np.ones(n), (codes, np.arange(n))), shape=(len(distinct), n)) @ X
    sizes = np.bincount(codes)
    return as_dense(sums) / sizes[:, None], sizes


def _occupied(centroids, labels, task):
    """Centroids of the clusters that have samples, and their sizes; all centroids where labels are None."""
    U = np.asarray(centroids, dtype=float)
    if U.ndim != 2:
        raise ValueError(f"centroids of task {task} have {U.ndim} dimensions: pass an array (K, d)")
    if labels is None:
        return U, np.ones(len(U))
    _, distinct = encode(labels, f"labels_{task}")
    if not all(isinstance(label, (int, np.integer)) and 0 <= label < len(U) for label in distinct):
        raise ValueError(f"labels_{task} must be integers in 0..{len(U) - 1}, rows of the centroids: "
                         "re-index the labels")
    sizes = np.bincount(np.asarray(labels, dtype=int), minlength=len(U))
    return U[sizes > 0], sizes[sizes > 0]


def _cost(divergence, U_t, U_s):
    """Finite matrix of the divergences between two sets of centroids."""
    if not callable(divergence) and divergence != "sqeuclidean":
        raise ValueError(f"divergence={divergence!r} is unknown: pass 'sqeuclidean' or a callable(U_t, U_s)")
    cost = np.asarray(divergence(U_t, U_s) if callable(divergence) else cdist(U_t, U_s, divergence), float)
    if cost.shape != (shape := (len(U_t), len(U_s))) or not np.isfinite(cost).all():
        raise ValueError(f"divergence must give finite values of shape {shape}, here {cost.shape}: remove "
                         "NaN from the data, or smooth the centroids (no zeros) for a logarithmic divergence")
    return cost
