"""Scores of a clustering against true classes, and of two partitions against each other.

=====================  =====  ======  ====  ====  ====
measure                SPMTC  MTCMRL  MBC   MSPL  LMSC
=====================  =====  ======  ====  ====  ====
clustering accuracy    x      x             x
NMI                    x      x       x     x     x
adjusted Rand index                   x
purity                                      x     x
Rand index                                        x
``d_M``, ``s_nmi``                    x
=====================  =====  ======  ====  ====  ====

The papers write "NMI" and do not print its denominator.  It moves a score by several points, so every
function here asks for it, `score_all` gives all four, and `NMI_DEFAULT` says which one stands for a paper.

Label vectors are 1-D, of any hashable values (integers, strings).  Their order and names do not matter.
``SCORES`` holds the measures that need two label vectors only: ``d_M`` and ``s_nmi`` compare two tasks.
"""

import math
from functools import partial

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.optimize import linear_sum_assignment, linprog
from scipy.spatial.distance import cdist
from scipy.stats import entropy
from sklearn.metrics import mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

NMI_DEFAULT = {
    "spmtc": "max",
    "mtcmrl": "max",
    "mbc": "geometric",
    "mspl": "arithmetic",
    "lmsc": "arithmetic",
}

_MEANS = {
    "max": max,
    "geometric": lambda a, b: math.sqrt(a * b),
    "arithmetic": lambda a, b: (a + b) / 2,
    "min": min,
}


def clustering_accuracy(labels_true, labels_pred):
    """Share of samples whose cluster is matched to their class (ACC).

    The matching is one to one and the best possible (Hungarian method).  The numbers of clusters and
    classes may differ: the samples of an unmatched cluster are errors.  Used by SPMTC, MSPL and MTCMRL
    (the accuracy of Xu, Liu and Gong, SIGIR 2003).

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Classes and clusters.

    Returns
    -------
    float
        In (0, 1]; 1 for identical partitions.

    Raises
    ------
    ValueError
        If an argument is empty, not 1-D or has a missing label, or if the lengths differ.

    Examples
    --------
    >>> clustering_accuracy(["a", "a", "b", "b"], [1, 1, 0, 1])
    0.75
    """
    return _accuracy(_tabulate(labels_true, labels_pred)[0])


def match_clusters(labels_true, labels_pred):
    """The matching of clusters to classes that `clustering_accuracy` counts.

    MTCMRL (section 4.6) permutes its relation matrices to the true classes by this map.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Classes and clusters.

    Returns
    -------
    dict
        Cluster -> class for every cluster in `labels_pred`; -1 for a cluster without a class, when there
        are more clusters than classes.  A cluster may be matched to a class that it does not meet.

    Raises
    ------
    ValueError
        As `clustering_accuracy`; also if -1 is a class, since -1 means "no class" in the answer.

    Examples
    --------
    >>> match_clusters(["a", "a", "b", "b"], [1, 1, 0, 2])
    {0: 'b', 1: 'a', 2: -1}
    """
    table, classes, clusters = _tabulate(labels_true, labels_pred)
    if -1 in classes:
        raise ValueError("labels_true has a class -1, which here means 'no class': rename that class")
    rows, columns = linear_sum_assignment(table.toarray(), maximize=True)
    matched = {int(column): classes[row] for row, column in zip(rows, columns)}
    return {cluster: matched.get(column, -1) for column, cluster in enumerate(clusters)}


def normalized_mutual_info(labels_true, labels_pred, *, average_method):
    """Mutual information over a mean of the two entropies (NMI).

    Used by all five papers.  For the same labels, max <= arithmetic <= geometric <= min.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Classes and clusters; the measure is symmetric in them.
    average_method : {"max", "geometric", "arithmetic", "min"}
        The mean in the denominator.  There is no default: see `NMI_DEFAULT` for the reading of each paper.

    Returns
    -------
    float
        In [0, 1]; 1 for identical partitions of two or more clusters.  0 where one side is a single
        cluster.  This includes both sides being single clusters, where scikit-learn returns 1: such a
        clustering says nothing about the classes.

    Raises
    ------
    ValueError
        As `clustering_accuracy`; also for an unknown `average_method`.

    Examples
    --------
    >>> round(normalized_mutual_info([0, 0, 1, 1], [0, 0, 1, 2], average_method="max"), 4)
    0.6667
    >>> normalized_mutual_info([0, 0, 0], [5, 5, 5], average_method="max")
    0.0
    """
    return _nmi(_tabulate(labels_true, labels_pred)[0], average_method)


def adjusted_rand_index(labels_true, labels_pred):
    """Rand index corrected for chance (ARI, Hubert and Arabie); used by MBC.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Classes and clusters; the measure is symmetric in them.

    Returns
    -------
    float
        In [-0.5, 1]; near 0 for unrelated partitions, 1 for identical ones (also when both are one
        cluster, or both are all singletons, as in scikit-learn).

    Raises
    ------
    ValueError
        As `clustering_accuracy`.

    Examples
    --------
    >>> round(adjusted_rand_index([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.5714
    """
    return _ari(_tabulate(labels_true, labels_pred)[0])


def purity(labels_true, labels_pred):
    """Share of samples in the majority class of their cluster; used by MSPL and LMSC.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Classes and clusters; the measure is not symmetric.

    Returns
    -------
    float
        In (0, 1]; never below the share of the largest class nor below the accuracy.  It is 1 for all
        singletons, so compare it between equal numbers of clusters only.

    Raises
    ------
    ValueError
        As `clustering_accuracy`.

    Examples
    --------
    >>> purity([0, 0, 1, 1], [0, 0, 0, 1])
    0.75
    """
    return _purity(_tabulate(labels_true, labels_pred)[0])


def rand_index(labels_true, labels_pred):
    """Share of pairs of samples on which the partitions agree (RI, not corrected); used by LMSC.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Classes and clusters; the measure is symmetric in them.

    Returns
    -------
    float
        In [0, 1]; 1 for identical partitions and for one sample, which has no pair.  High by chance when
        there are many clusters: do not compare it with the ARI.

    Raises
    ------
    ValueError
        As `clustering_accuracy`.

    Examples
    --------
    >>> round(rand_index([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.8333
    """
    return _rand(_tabulate(labels_true, labels_pred)[0])


def s_nmi(labels_t, labels_s, *, average_method):
    """NMI between the clusterings of two tasks that hold the same documents in the same order.

    ``s_nmi`` of MBC (section Experiments), printed for NG20-3, where 20 and 6 clusters meet.

    Parameters
    ----------
    labels_t, labels_s : array-like of shape (n,)
        Clusters of each document in the two tasks; the numbers of clusters may differ.
    average_method : {"max", "geometric", "arithmetic", "min"}
        As in `normalized_mutual_info`; "geometric" stands for MBC.

    Returns
    -------
    float
        In [0, 1]; degenerate cases as in `normalized_mutual_info`.

    Raises
    ------
    ValueError
        As `normalized_mutual_info`.

    Examples
    --------
    >>> round(s_nmi([0, 0, 1, 1], [0, 1, 2, 3], average_method="geometric"), 4)
    0.7071
    """
    return _nmi(_tabulate(labels_t, labels_s, names=("labels_t", "labels_s"))[0], average_method)


def partition_emd(
    X_t, labels_t, X_s, labels_s, *, divergence="sqeuclidean", centroids=None, marginals="empirical"
):
    r"""Earth mover's distance between the partitions of two tasks: ``d_M`` of MBC, Eq. (8).

    .. math:: \min_W \sum_{zl} w_{zl}\, d(u^t_z \| u^s_l),\quad W 1 = \pi^t,\ W^T 1 = \pi^s,\ W \ge 0.

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
        ``divergence(U_t, U_s)`` returns the (K_t, K_s) matrix of ``d(u_z || u_l)``.  For every Bregman
        divergence the arithmetic mean is the right centroid.
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
        raise ValueError(f"centroids has {len(centroids)} entries: pass a pair, one array (K, d) a task")
    if centroids is None:
        (U_t, sizes_t), (U_s, sizes_s) = _means(X_t, labels_t, "t"), _means(X_s, labels_s, "s")
    else:
        if marginals == "empirical" and (labels_t is None or labels_s is None):
            raise ValueError("labels_t and labels_s are needed for marginals='empirical': pass both vectors")
        U_t, sizes_t = _occupied(centroids[0], labels_t, "t")
        U_s, sizes_s = _occupied(centroids[1], labels_s, "s")
    if U_t.shape[1] != U_s.shape[1]:
        raise ValueError(
            f"X_t and X_s (or the centroids) have {U_t.shape[1]} and {U_s.shape[1]} features: "
            "give both tasks the same features"
        )
    if marginals == "uniform":
        sizes_t, sizes_s = np.ones(len(U_t)), np.ones(len(U_s))
    cost = _cost(divergence, U_t, U_s)
    return _transport(cost, sizes_t / sizes_t.sum(), sizes_s / sizes_s.sum())


def score_all(labels_true, labels_pred):
    """Every measure of `SCORES`, from one contingency table.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Classes and clusters.

    Returns
    -------
    dict of str to float
        Keys in the order of `SCORES`; values as the single functions give.

    Raises
    ------
    ValueError
        As `clustering_accuracy`.

    Examples
    --------
    >>> scores = score_all([0, 0, 1, 1], [1, 1, 0, 0])
    >>> scores["ACC"], scores["RI"]
    (1.0, 1.0)
    """
    table, _, _ = _tabulate(labels_true, labels_pred)
    return {
        "ACC": _accuracy(table),
        **{f"NMI_{method}": _nmi(table, method) for method in _MEANS},
        "ARI": _ari(table),
        "purity": _purity(table),
        "RI": _rand(table),
    }


SCORES = {
    "ACC": clustering_accuracy,
    **{f"NMI_{method}": partial(normalized_mutual_info, average_method=method) for method in _MEANS},
    "ARI": adjusted_rand_index,
    "purity": purity,
    "RI": rand_index,
}


def _codes(labels, name):
    """Codes 0..k-1 of a label vector and the k distinct labels, sorted."""
    # An object array keeps a list such as ["a", nan] from turning into strings.
    values = np.asarray(labels if hasattr(labels, "dtype") else np.asarray(labels, dtype=object))
    if values.ndim != 1:
        raise ValueError(
            f"{name} has {values.ndim} dimensions: pass one label a sample, as in memberships.argmax(axis=1)"
        )
    if values.size == 0:
        raise ValueError(f"{name} is empty: pass at least one label")
    codes, distinct = pd.factorize(values, sort=True)
    if (codes < 0).any():
        count = int((codes < 0).sum())
        raise ValueError(f"{name} has {count} missing labels (NaN or None): drop those samples or label them")
    return codes, distinct.tolist()


def _tabulate(labels_true, labels_pred, names=("labels_true", "labels_pred")):
    """Contingency table (classes x clusters, sparse counts), classes, clusters."""
    true_codes, classes = _codes(labels_true, names[0])
    pred_codes, clusters = _codes(labels_pred, names[1])
    if len(true_codes) != len(pred_codes):
        raise ValueError(
            f"{names[0]} has {len(true_codes)} labels and {names[1]} has {len(pred_codes)}: "
            "pass both for the same samples in the same order"
        )
    return contingency_matrix(true_codes, pred_codes, sparse=True, dtype=np.int64), classes, clusters


def _margins(table):
    """Sizes of the classes and of the clusters."""
    return np.asarray(table.sum(axis=1)).ravel(), np.asarray(table.sum(axis=0)).ravel()


def _accuracy(table):
    """ACC of a contingency table."""
    counts = table.toarray()
    return float(counts[linear_sum_assignment(counts, maximize=True)].sum() / counts.sum())


def _purity(table):
    """Purity of a contingency table."""
    return float(table.max(axis=0).sum() / table.sum())


def _nmi(table, average_method):
    """NMI of a contingency table; 0 where a side is a single cluster."""
    if average_method not in _MEANS:
        raise ValueError(f"average_method={average_method!r} is unknown: choose one of {', '.join(_MEANS)}")
    classes, clusters = _margins(table)
    if len(classes) == 1 or len(clusters) == 1:
        return 0.0
    information = mutual_info_score(None, None, contingency=table)
    return float(np.clip(information / _MEANS[average_method](entropy(classes), entropy(clusters)), 0, 1))


def _pairs(counts):
    """Number of pairs inside groups of the given sizes, a Python integer (no overflow)."""
    return sum(count * (count - 1) // 2 for count in counts.tolist())


def _rand(table):
    """Rand index of a contingency table."""
    classes, clusters = _margins(table)
    together, total = _pairs(table.data), _pairs(np.array([table.sum()]))
    disagreements = _pairs(classes) + _pairs(clusters) - 2 * together
    return 1.0 if total == 0 else (total - disagreements) / total


def _ari(table):
    """Adjusted Rand index of a contingency table."""
    classes, clusters = (_pairs(sizes) for sizes in _margins(table))
    together, total = _pairs(table.data), _pairs(np.array([table.sum()]))
    # Both partitions trivial in the same way: identical, and the correction for chance is 0 / 0.
    if classes == clusters == together:
        return 1.0
    chance = classes * clusters
    return 2 * (total * together - chance) / (total * (classes + clusters) - 2 * chance)


def _means(X, labels, task):
    """Mean of every cluster (K, d) and its size (K,), from the data of one task."""
    if X is None or labels is None:
        raise ValueError(f"X_{task} and labels_{task} are needed to compute means: pass them, or centroids")
    codes, distinct = _codes(labels, f"labels_{task}")
    X = X if sparse.issparse(X) else np.asarray(X, dtype=float)
    if X.ndim != 2 or X.shape[0] != len(codes):
        raise ValueError(
            f"X_{task} has shape {X.shape} and labels_{task} has {len(codes)} labels: "
            "pass a 2-D array with one row a label"
        )
    n = len(codes)
    sums = sparse.csr_array((np.ones(n), (codes, np.arange(n))), shape=(len(distinct), n)) @ X
    sizes = np.bincount(codes)
    return (sums.toarray() if sparse.issparse(sums) else sums) / sizes[:, None], sizes


def _occupied(centroids, labels, task):
    """Centroids of the clusters that have samples, and their sizes; all centroids where labels are None."""
    U = np.asarray(centroids, dtype=float)
    if U.ndim != 2:
        raise ValueError(f"centroids of task {task} have {U.ndim} dimensions: pass an array (K, d)")
    if labels is None:
        return U, np.ones(len(U))
    _, distinct = _codes(labels, f"labels_{task}")
    if not all(isinstance(label, int) and 0 <= label < len(U) for label in distinct):
        raise ValueError(
            f"labels_{task} must be integers in 0..{len(U) - 1}, rows of the centroids: re-index the labels"
        )
    sizes = np.bincount(np.asarray(labels, dtype=int), minlength=len(U))
    return U[sizes > 0], sizes[sizes > 0]


def _cost(divergence, U_t, U_s):
    """Finite matrix of the divergences between two sets of centroids."""
    if not callable(divergence) and divergence != "sqeuclidean":
        raise ValueError(f"divergence={divergence!r} is unknown: pass 'sqeuclidean' or a callable(U_t, U_s)")
    cost = divergence(U_t, U_s) if callable(divergence) else cdist(U_t, U_s, divergence)
    cost = np.asarray(cost, dtype=float)
    if cost.shape != (len(U_t), len(U_s)) or not np.isfinite(cost).all():
        raise ValueError(
            f"divergence must give finite values of shape {(len(U_t), len(U_s))}, here {cost.shape}: "
            "remove NaN from the data, or smooth the centroids (no zeros) for a logarithmic divergence"
        )
    return cost


def _transport(cost, mass_t, mass_s):
    """Least cost of moving `mass_t` to `mass_s`, each of which sums to one."""
    if len(mass_t) == len(mass_s) and np.ptp(mass_t) == np.ptp(mass_s) == 0:
        return float(cost[linear_sum_assignment(cost)].mean())
    # The solver's tolerances are absolute: unscaled, costs near 1e-8 all look optimal to it.
    scale = np.abs(cost).max() or 1.0
    rows, columns = (sparse.eye_array(len(mass)) for mass in (mass_t, mass_s))
    row_sums = sparse.kron(rows, np.ones((1, len(mass_s))))
    column_sums = sparse.kron(np.ones((1, len(mass_t))), columns)
    plan = linprog(
        (cost / scale).ravel(),
        A_eq=sparse.vstack([row_sums, column_sums]),
        b_eq=np.concatenate([mass_t, mass_s]),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if not plan.success:
        raise RuntimeError(f"the transport problem was not solved: {plan.message}")
    return float(plan.fun * scale)
