"""Matrices of the Mahalanobis divergence."""

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve

LARGEST_METRIC = 10_000
RIDGE = 1e-6


def pooled_metric(Xs):
    """Inverse covariance of the samples of all tasks together, the default metric of 'mahalanobis'.

    Before inversion 1e-6 of the mean variance is added to the diagonal.  Directions in which no sample
    varies then weigh a lot, but no two centroids differ in them.

    Parameters
    ----------
    Xs : list of {ndarray, CSR array} of shape (n_t, d)

    Returns
    -------
    ndarray of shape (d, d)

    Raises
    ------
    ValueError
        More than 10,000 features.

    Examples
    --------
    >>> pooled_metric([np.array([[0.0], [2.0]]), np.array([[4.0], [6.0]])]).round(4)
    array([[0.2]])
    """
    n, d = sum(X.shape[0] for X in Xs), Xs[0].shape[1]
    if d > LARGEST_METRIC:
        raise ValueError(f"divergence='mahalanobis' needs a matrix of {d} x {d} entries; reduce the features "
                         f"to {LARGEST_METRIC} or fewer, or use 'sqeuclidean'")
    mean = sum(np.asarray(X.sum(axis=0)).ravel() for X in Xs) / n
    if any(map(sp.issparse, Xs)):
        second = sum((X.T @ X) for X in map(sp.csr_array, Xs)).toarray()
        covariance = second / n - np.outer(mean, mean)
    else:
        covariance = sum((X - mean).T @ (X - mean) for X in Xs) / n
    ridge = RIDGE * np.trace(covariance) / d
    return cho_solve(cho_factor(covariance + (ridge or 1.0) * np.eye(d)), np.eye(d))


def checked_metric(metric):
    """The metric of 'mahalanobis' as a symmetric positive definite array of floats.

    Raises
    ------
    ValueError
        It is not square, finite, symmetric and positive definite.

    Examples
    --------
    >>> checked_metric([[2, 1], [1, 2]])
    array([[2., 1.],
           [1., 2.]])
    """
    try:
        Q = np.asarray(metric, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"metric cannot be read as a matrix ({error})") from error
    if Q.ndim != 2 or Q.shape[0] != Q.shape[1] or not np.isfinite(Q).all():
        raise ValueError(f"metric must be a finite square matrix; got shape {Q.shape}")
    if not np.allclose(Q, Q.T, rtol=1e-8, atol=1e-10 * np.abs(Q).max()):
        raise ValueError("metric must be symmetric; pass (metric + metric.T) / 2")
    smallest, largest = np.linalg.eigvalsh(Q)[[0, -1]]
    if not smallest > np.finfo(float).eps * Q.shape[0] * largest:
        raise ValueError(f"metric must be positive definite, but its smallest eigenvalue is {smallest:.3g}; "
                         f"add a multiple of the identity, or leave it out for the pooled covariance")
    return (Q + Q.T) / 2.0
