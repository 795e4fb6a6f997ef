"""What several test files need: fits without warnings, matrices and comparisons."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mtclib.core.base import DegenerateSubspaceWarning


def quiet_fit(estimator, Xs):
    """The fitted estimator, without the warnings of a fit that is stopped early on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", DegenerateSubspaceWarning)
        return estimator.fit(Xs)


def orthonormal(n, k, seed):
    """A random (n, k) matrix with orthonormal columns."""
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((n, k)))[0]


def equal(first, second):
    """Whether two sequences, equally long, hold equal arrays."""
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
