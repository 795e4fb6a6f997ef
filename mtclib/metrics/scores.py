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
function here asks for it, `score_all` gives all four, and ``nmi`` in a paper's protocol says which one stands
for it.

Label vectors are 1-D, of any hashable values (integers, strings).  Their order and names do not matter.
``SCORES`` holds the measures that compare clusters with classes.  Two compare the partitions of two tasks:
``d_M`` is `partition_emd`, ``s_nmi`` is `normalized_mutual_info` of tasks that hold the same documents.
"""

import math
from contextlib import suppress
from functools import partial

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import min_weight_full_bipartite_matching
from scipy.special import entr
from sklearn.metrics import mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

LARGEST_DENSE = 10**7
"""Cells of a contingency table; larger ones are sparse."""

_MEANS = {"max": max, "geometric": lambda a, b: math.sqrt(a * b), "arithmetic": lambda a, b: (a + b) / 2,
          "min": min}


def encode(labels, name):
    """Position of each label among the sorted distinct labels, and these; `name` is for messages."""
    if np.ma.is_masked(labels):
        raise ValueError(f"{name} has masked labels: drop those samples or label them")
    # An object array keeps a list such as ["a", nan] from turning into strings.
    values = np.asarray(labels if hasattr(labels, "dtype") else np.asarray(labels, dtype=object))
    if values.ndim != 1:
        raise ValueError(f"{name} has {values.ndim} dimensions: pass one label per sample, as in "
                         "memberships.argmax(axis=1)")
    if values.size == 0:
        raise ValueError(f"{name} is empty: pass at least one label")
    missing = [_is_missing(value) for value in values] if values.dtype == object else values != values
    if np.any(missing):
        raise ValueError(f"{name} has {np.count_nonzero(missing)} missing labels (NaN or None): "
                         "drop those samples or label them")
    if values.dtype != object:
        distinct, codes = np.unique(values, return_inverse=True)
        return codes, distinct.tolist()
    try:  # as in a dict: 1, 1.0 and True are one label
        distinct = list(dict.fromkeys(values))
    except TypeError as error:
        raise ValueError(f"{name} has labels that cannot be told apart ({error}): pass integers or strings"
                         ) from error
    with suppress(TypeError):  # labels of some kinds have no order; strings follow what they do not fit in
        distinct.sort(key=lambda label: (isinstance(label, str), label))
    position = {label: code for code, label in enumerate(distinct)}
    return np.array([position[value] for value in values]), distinct


def _is_missing(value):
    """Whether a label is None, or no value at all: NaN and NaT differ from themselves."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # the NA of pandas, which cannot be compared
        return True


def tabulate(labels_true, labels_pred):
    """Contingency table of two label vectors, sparse if large; the sorted labels of rows and of columns."""
    true_codes, classes = encode(labels_true, "labels_true")
    pred_codes, clusters = encode(labels_pred, "labels_pred")
    if len(true_codes) != len(pred_codes):
        raise ValueError(f"labels_true has {len(true_codes)} labels and labels_pred has {len(pred_codes)}: "
                         "pass both for the same samples in the same order")
    shape = len(classes), len(clusters)
    if math.prod(shape) > LARGEST_DENSE:
        return contingency_matrix(true_codes, pred_codes, sparse=True, dtype=np.int64), classes, clusters
    counts = np.bincount(true_codes * shape[1] + pred_codes, minlength=math.prod(shape))
    return counts.reshape(shape), classes, clusters


def clustering_accuracy(labels_true, labels_pred):
    r"""Share of samples whose cluster is matched to their class (ACC).

    With :math:`n_{ij}` samples of class i in cluster j, :math:`n` in all, and classes :math:`\pi(j)`,

    .. math:: \mathrm{ACC} = \max_\pi \frac{1}{n} \sum_j n_{\pi(j), j}.

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
    return _accuracy(tabulate(labels_true, labels_pred)[0])


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
    table, classes, clusters = tabulate(labels_true, labels_pred)
    if -1 in classes:
        raise ValueError("labels_true has a class -1, which here means 'no class': rename that class")
    rows, columns = _matching(table)
    matched = {int(column): classes[row] for row, column in zip(rows, columns)}
    return {cluster: matched.get(column, -1) for column, cluster in enumerate(clusters)}


def agreement(labels, others):
    """Share of some other clusterings that put each sample where ``labels`` do, ndarray of shape (n,).

    Clusters of the others correspond to those of ``labels`` as by :func:`match_clusters`; those without a
    counterpart agree in no sample.

    >>> agreement([0, 0, 1, 1], [[5, 5, 2, 2], [7, 7, 8, 8], [0, 1, 1, 1], [0, 1, 2, 2]]).tolist()
    [1.0, 0.5, 1.0, 1.0]
    """
    shares, codes = [], encode(labels, "labels")[0]
    for other in others:
        (their, clusters), matching = encode(other, "others"), _matching(tabulate(labels, other)[0])
        counterpart = np.full(len(clusters), -1)
        counterpart[matching[1]] = matching[0]
        shares.append(counterpart[their] == codes)
    return np.mean(shares, axis=0)


def normalized_mutual_info(labels_true, labels_pred, *, average_method):
    r"""Mutual information over a mean of the two entropies (NMI).

    With shares :math:`p_{ij}` of the samples in class i and cluster j, and their sums :math:`p_i`,
    :math:`q_j` over clusters and classes,

    .. math:: \mathrm{NMI} = \frac{\sum_{ij} p_{ij} \log \frac{p_{ij}}{p_i q_j}}
        {\operatorname{mean}\big(-\sum_i p_i \log p_i,\ -\sum_j q_j \log q_j\big)}.

    Used by all five papers.  For the same labels, max <= arithmetic <= geometric <= min.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Classes and clusters, as in `clustering_accuracy`; the measure is symmetric in them.
    average_method : {"max", "geometric", "arithmetic", "min"}
        The mean in the denominator.  There is no default: papers differ.

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
    return _nmi(tabulate(labels_true, labels_pred)[0], average_method)[0]


def adjusted_rand_index(labels_true, labels_pred):
    r"""Rand index corrected for chance (ARI, Hubert and Arabie); used by MBC.

    With :math:`n_{ij}` samples of class i in cluster j, :math:`a_i` in class i, :math:`b_j` in cluster j,
    :math:`n` in all, and :math:`E = \sum_i \binom{a_i}{2} \sum_j \binom{b_j}{2} / \binom{n}{2}`,

    .. math:: \mathrm{ARI} = \frac{\sum_{ij} \binom{n_{ij}}{2} - E}
        {\tfrac{1}{2} \big[\sum_i \binom{a_i}{2} + \sum_j \binom{b_j}{2}\big] - E}.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Classes and clusters, as in `clustering_accuracy`; the measure is symmetric in them.

    Returns
    -------
    float
        In [-0.5, 1]; near 0 for unrelated partitions, 1 for identical ones (also when both are one
        cluster, or both are all singletons, as in scikit-learn).

    Examples
    --------
    >>> round(adjusted_rand_index([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.5714
    """
    return _ari(tabulate(labels_true, labels_pred)[0])


def purity(labels_true, labels_pred):
    r"""Share of samples in the majority class of their cluster; used by MSPL and LMSC.

    With :math:`n_{ij}` samples of class i in cluster j and :math:`n` in all,

    .. math:: \mathrm{purity} = \frac{1}{n} \sum_j \max_i n_{ij}.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Classes and clusters, as in `clustering_accuracy`; the measure is not symmetric.

    Returns
    -------
    float
        In (0, 1]; never below the share of the largest class nor below the accuracy.  It is 1 for all
        singletons, so compare it between equal numbers of clusters only.

    Examples
    --------
    >>> purity([0, 0, 1, 1], [0, 0, 0, 1])
    0.75
    """
    return _purity(tabulate(labels_true, labels_pred)[0])


def rand_index(labels_true, labels_pred):
    r"""Share of pairs of samples on which the partitions agree (RI, not corrected); used by LMSC.

    With :math:`n_{ij}` samples of class i in cluster j, :math:`a_i` in class i, :math:`b_j` in cluster j and
    :math:`n` in all,

    .. math:: \mathrm{RI} = 1 - \frac{\sum_i \binom{a_i}{2} + \sum_j \binom{b_j}{2}
        - 2 \sum_{ij} \binom{n_{ij}}{2}}{\binom{n}{2}}.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Classes and clusters, as in `clustering_accuracy`; the measure is symmetric in them.

    Returns
    -------
    float
        In [0, 1]; 1 for identical partitions and for one sample, which has no pair.  High by chance when
        there are many clusters: do not compare it with the ARI.

    Examples
    --------
    >>> round(rand_index([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.8333
    """
    return _rand(tabulate(labels_true, labels_pred)[0])


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

    Examples
    --------
    >>> scores = score_all([0, 0, 1, 1], [1, 1, 0, 0])
    >>> scores["ACC"], scores["RI"]
    (1.0, 1.0)
    """
    table, _, _ = tabulate(labels_true, labels_pred)
    by_mean = {f"NMI_{method}": score for method, score in zip(_MEANS, _nmi(table, *_MEANS))}
    return {"ACC": _accuracy(table), **by_mean, "ARI": _ari(table), "purity": _purity(table),
            "RI": _rand(table)}


SCORES = {
    "ACC": clustering_accuracy,
    **{f"NMI_{method}": partial(normalized_mutual_info, average_method=method) for method in _MEANS},
    "ARI": adjusted_rand_index, "purity": purity, "RI": rand_index}


def _margins(table):
    """Sizes of the classes and of the clusters."""
    return np.asarray(table.sum(axis=1)).ravel(), np.asarray(table.sum(axis=0)).ravel()


def _matching(table):
    """Classes and clusters of the best matching, as many pairs as there are classes or clusters."""
    if not sp.issparse(table):
        return linear_sum_assignment(table, maximize=True)
    # Each class and cluster may stay alone, with a partner of no weight: all have one then.
    (n, m), ones = table.shape, table.copy()
    ones.data = np.ones(table.nnz)
    whole = sp.block_array([[table + ones, sp.eye_array(n)], [sp.eye_array(m), ones.T]], format="csr")
    partners = min_weight_full_bipartite_matching(whole, maximize=True)[1][:n]
    rows = np.flatnonzero(partners < m)
    left, over = np.setdiff1d(np.arange(n), rows), np.setdiff1d(np.arange(m), partners[rows])
    more = min(len(left), len(over))
    return np.append(rows, left[:more]), np.append(partners[rows], over[:more])


def _accuracy(table):
    """ACC of a contingency table."""
    return float(table[_matching(table)].sum() / table.sum())


def _purity(table):
    """Purity of a contingency table."""
    return float(table.max(axis=0).sum() / table.sum())


def _nmi(table, *methods):
    """NMI of a contingency table by each way to average; 0 where a side is a single cluster."""
    for method in methods:
        if not isinstance(method, str) or method not in _MEANS:
            raise ValueError(f"average_method={method!r} is unknown: choose one of {', '.join(_MEANS)}")
    classes, clusters = _margins(table)
    if len(classes) == 1 or len(clusters) == 1:
        return [0.0] * len(methods)
    information = mutual_info_score(None, None, contingency=table)
    # As scipy.stats.entropy, without its checks.
    entropies = [entr(counts / counts.sum()).sum() for counts in (classes, clusters)]
    return [float(np.clip(information / _MEANS[method](*entropies), 0, 1)) for method in methods]


def _pairs(table):
    """Numbers of pairs in one class, in one cluster, in both, and in all: Python integers (no overflow)."""
    filled = table.data if sp.issparse(table) else table[table > 0]
    groups = *_margins(table), filled, np.array([table.sum()])
    return [sum(count * (count - 1) // 2 for count in counts.tolist()) for counts in groups]


def _rand(table):
    """Rand index of a contingency table."""
    classes, clusters, together, total = _pairs(table)
    return 1.0 if total == 0 else (total - classes - clusters + 2 * together) / total


def _ari(table):
    """Adjusted Rand index of a contingency table."""
    classes, clusters, together, total = _pairs(table)
    # Both partitions trivial in the same way: identical, and the correction for chance is 0 / 0.
    if classes == clusters == together:
        return 1.0
    chance = classes * clusters
    return 2 * (total * together - chance) / (total * (classes + clusters) - 2 * chance)
