"""Measures of a fit that need more than two label vectors: they compare the partitions of two tasks.

An experiment computes those that its protocol names, once per fit; in the result frame they have the task "".
"""

from itertools import combinations

import numpy as np

from mtclib.core.starts import one_hot
from mtclib.metrics import normalized_mutual_info, partition_emd


def partition_distance(data, model):
    """``d_M`` of MBC, Eq. (8), squared Euclidean, with cluster means and shares from the labels. Mean over
    pairs of tasks; ``data`` is a Dataset of tasks, ``model`` an estimator fitted on them."""
    return _mean_over_pairs(data, lambda t, s: partition_emd(
        data.Xs[t], model.labels_[t], data.Xs[s], model.labels_[s]))


def model_distance(data, model):
    """The distance that MBC minimises: the model's centroids, all clusters of equal weight."""
    centres = model.cluster_centers_
    return _mean_over_pairs(data, lambda t, s: partition_emd(
        None, None, None, None, centroids=(centres[t], centres[s]), marginals="uniform"))


def task_agreement(data, model):
    """``s_nmi`` of MBC: NMI of the partitions of two tasks that hold the same samples; NaN for other data."""
    one, *others = data.Xs
    same = [other.shape == one.shape and abs(other - one).max() == 0 for other in others]
    return normalized_mutual_info(*model.labels_, average_method="geometric") if same == [True] else np.nan


MEASURES = {"d_M": partition_distance, "d_M_uniform": model_distance, "s_nmi": task_agreement}


def class_means(X, labels):
    """Means of the samples of each class, shape (n_classes, d); each class has a sample.

    >>> class_means(np.array([[0.0], [2.0], [5.0]]), np.array([0, 0, 1])).tolist()
    [[1.0], [5.0]]
    """
    members = one_hot(labels, labels.max() + 1)
    return (X.T @ members).T / members.sum(axis=0)[:, None]


def _mean_over_pairs(data, distance):
    return float(np.mean([distance(t, s) for t, s in combinations(range(len(data.Xs)), 2)]))
