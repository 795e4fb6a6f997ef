"""Bregman divergences d(x||y) = phi(x) - phi(y) - <x - y, phi'(y)>: MBC paper, Definition 1 and Table 1.

================  ==============  ===================  =======================  =========
name              domain          phi(x)               d(x||y)                  phi'(x)
================  ==============  ===================  =======================  =========
'sqeuclidean'     R^d             |x|^2                |x - y|^2                2 x
'mahalanobis'     R^d             x Q x                (x - y) Q (x - y)        2 x Q
'kl'              simplex, > 0    sum x log x          sum x log(x/y)           1 + log x
'i-divergence'    > 0             sum x log x - x      sum x log(x/y) - x + y   log x
'itakura-saito'   > 0             -sum log x           sum x/y - log(x/y) - 1   -1/x
================  ==============  ===================  =======================  =========

All logarithms are natural; the paper's Table 1 has log2 in phi and log in d for the KL divergence.  Points
are rows.  A divergence is convex in its left argument only; the weighted sum of divergences *from* points
has the arithmetic mean as minimiser (`left_mean`, Theorem 1), that of divergences *to* points the mean of
the gradients, carried back (`right_mean`, Theorem 2).  See ``mtclib.mixed_centroids`` for both at once.
"""

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_solve
from scipy.special import kl_div

from mtclib import mixed_centroids
from mtclib.anchored import Anchored
from mtclib.covariance import checked_metric
from mtclib.validation import check_option

SUM_TOLERANCE = 1e-6


class Divergence:
    """What all divergences have in common; a subclass gives phi's gradient, its inverse and `between`.

    Attributes
    ----------
    symmetric : bool
        d(x||y) = d(y||x).
    separable : bool
        A sum over the features of ``terms(x, y)``.
    """

    symmetric = False
    separable = True

    def between(self, X, Y):
        """d(x_i||y_i) of rows that broadcast; shape (n,), nonnegative up to rounding."""
        return self.terms(X, Y).sum(axis=-1)

    def pairwise(self, X, Y):
        """Matrix of d(x_i||y_j).

        Parameters
        ----------
        X, Y : ndarray of shape (n, d), (m, d)

        Returns
        -------
        ndarray of shape (n, m), nonnegative

        Examples
        --------
        >>> divergence("itakura-saito").pairwise(np.array([[1.0, 2.0]]), np.array([[1.0, 2.0], [1.0, 1.0]]))
        array([[0.        , 0.30685282]])
        """
        anchor = Y.mean(axis=0)
        return Anchored(self, Y, anchor).divergences(X - anchor, self.between(X, anchor))

    def left_mean(self, weights, X):
        """Minimisers of sum_i weights[z, i] d(x_i||u_z) over u_z, Theorem 1: means of the rows of X.

        Parameters
        ----------
        weights : ndarray or sparse array of shape (k, n)
            Nonnegative, no zero rows.
        X : ndarray of shape (n, d)

        Returns
        -------
        ndarray of shape (k, d)
        """
        return (weights @ X) / np.asarray(weights.sum(axis=1)).reshape(-1, 1)

    def right_mean(self, weights, X):
        """Minimisers of sum_i weights[z, i] d(u_z||x_i) over u_z, Theorem 2; parameters as `left_mean`.

        Examples
        --------
        >>> divergence("i-divergence").right_mean(np.ones((1, 2)), np.array([[1.0], [4.0]])).round(12)
        array([[2.]])
        """
        return self.inverse_gradient(self.left_mean(weights, self.gradient(X)))

    def check(self, task, name):
        """Raise ``ValueError`` if the data ``name``, a `mtclib.smoothed.Smoothed`, do not fit."""

    def normalised(self, X, name):
        """The data as the divergence needs them: the same, except for 'kl'."""
        return X


class SquaredEuclidean(Divergence):
    """|x - y|^2."""

    symmetric = True

    def terms(self, x, y):
        return np.square(x - y)

    def between(self, X, Y):
        apart = X - Y
        return np.einsum("...j,...j->...", apart, apart)

    def gradient(self, x):
        return 2.0 * x

    def inverse_gradient(self, g):
        return 0.5 * g

    def mixed_centroid(self, left, right, A, B):
        return mixed_centroids.weighted_mean(left, right, A, B)


class Mahalanobis(Divergence):
    """(x - y) Q (x - y) with a fixed symmetric positive definite matrix Q, the ``metric``.

    Raises
    ------
    ValueError
        The metric is not a finite, symmetric, positive definite matrix.
    """

    symmetric = True
    separable = False

    def __init__(self, metric):
        self.metric = checked_metric(metric)
        self.factor = np.linalg.cholesky(self.metric)

    def between(self, X, Y):
        return np.square((X - Y) @ self.factor).sum(axis=-1)

    def gradient(self, x):
        return 2.0 * (x @ self.metric)

    def check(self, task, name):
        if task.shape[1] != len(self.metric):
            raise ValueError(f"metric has shape {self.metric.shape} but {name} has {task.shape[1]} features; "
                             f"give it a row and a column for each feature")

    def inverse_gradient(self, g):
        return 0.5 * cho_solve((self.factor, True), g.T).T

    def mixed_centroid(self, left, right, A, B):
        return mixed_centroids.weighted_mean(left, right, A, B)


class _OfPositives(Divergence):
    """For data without zeros: a centroid without a feature is infinitely far from all that have it."""

    def check(self, task, name):
        values = task.values()
        if values.min() <= 0.0:
            what = "negative entries" if values.min() < 0.0 else "zeros"
            remedy = ("use counts or shares" if values.min() < 0.0 else
                      "pass a smoothing, such as smoothing=0.01, or drop features that are often zero")
            raise ValueError(f"{name} has {what}, which divergence={self.name!r} does not allow; {remedy}")


class IDivergence(_OfPositives):
    """Generalised I-divergence sum x log(x/y) - x + y, the KL divergence of unnormalised data."""

    name = "i-divergence"

    def terms(self, x, y):
        return kl_div(x, y)

    def gradient(self, x):
        return np.log(x)

    def inverse_gradient(self, g):
        return np.exp(g)

    def mixed_centroid(self, left, right, A, B):
        return mixed_centroids.i_divergence(left, right, A, B)


class KullbackLeibler(IDivergence):
    """sum x log(x/y) for points on the simplex, where it equals the I-divergence.

    Constants in the gradient do not matter there, and centroids stay on the simplex.
    """

    name = "kl"

    def inverse_gradient(self, g):
        shares = np.exp(g - g.max(axis=-1, keepdims=True))
        return shares / shares.sum(axis=-1, keepdims=True)

    def mixed_centroid(self, left, right, A, B):
        return mixed_centroids.kullback_leibler(left, right, A, B)

    def normalised(self, X, name):
        sums = np.asarray(X.sum(axis=1)).ravel()
        wrong = np.flatnonzero(~(np.abs(sums - 1.0) <= SUM_TOLERANCE))
        if wrong.size:
            raise ValueError(
                f"{name} has rows that do not sum to one (row {wrong[0]} sums to {sums[wrong[0]]:.6g}), as "
                f"divergence='kl' needs; drop empty rows and divide each by its sum, or use 'i-divergence'")
        return sp.csr_array(sp.diags_array(1.0 / sums) @ X) if sp.issparse(X) else X / sums[:, None]


class ItakuraSaito(_OfPositives):
    """sum x/y - log(x/y) - 1; scaling both arguments changes nothing."""

    name = "itakura-saito"

    def terms(self, x, y):
        ratio = x / y
        return ratio - np.log(ratio) - 1.0

    def gradient(self, x):
        return -1.0 / x

    def inverse_gradient(self, g):
        return -1.0 / g

    def mixed_centroid(self, left, right, A, B):
        return mixed_centroids.itakura_saito(left, right, A, B)


class UserDivergence(Divergence):
    """The sum over the features of a divergence that the user gives by three elementwise functions.

    Parameters
    ----------
    phi, gradient, inverse_gradient : callable
        Each takes an array and returns one of the same shape: a strictly convex function, its derivative,
        and the inverse of the derivative.
    """

    def __init__(self, phi, gradient, inverse_gradient):
        self.phi, self.gradient, self.inverse_gradient = phi, gradient, inverse_gradient

    def terms(self, x, y):
        return self.phi(x) - self.phi(y) - (x - y) * self.gradient(y)

    def mixed_centroid(self, left, right, A, B):
        return mixed_centroids.bisection(self, left, right, A, B)

    def check(self, task, name):
        """Try the functions on up to 1000 of the entries."""
        x = np.unique(task.values())
        x = x[np.unique(np.linspace(0, x.size - 1, 1000).astype(int))]
        with np.errstate(all="ignore"):
            phi, slope = self.phi(x), self.gradient(x)
            back = self.inverse_gradient(slope)
        for what, result in (("phi", phi), ("gradient", slope)):
            if np.shape(result) != x.shape or not np.isfinite(result).all():
                raise ValueError(f"divergence: {what} is not finite and elementwise on the entries of {name} "
                                 f"({x[0]:.4g} to {x[-1]:.4g}); keep the data inside its domain, or pass a "
                                 f"smoothing to lift zeros")
        if np.shape(back) != x.shape or not np.allclose(back, x, rtol=1e-6, atol=1e-9 * np.abs(x).max()):
            raise ValueError(f"divergence: inverse_gradient does not undo gradient on the entries of {name}; "
                             f"pass (phi, gradient, inverse_gradient) of one function")
        rise, bound = np.diff(phi), 1e-9 * np.abs(phi).max()
        low, high = slope[:-1] * np.diff(x), slope[1:] * np.diff(x)
        if (low > rise + bound).any() or (rise > high + bound).any():
            raise ValueError(f"divergence: gradient is not the derivative of a convex phi on the entries of "
                             f"{name}; pass (phi, gradient, inverse_gradient) of one convex function")

_NAMED = {"sqeuclidean": SquaredEuclidean, "mahalanobis": Mahalanobis, "kl": KullbackLeibler,
          "i-divergence": IDivergence, "itakura-saito": ItakuraSaito}


def divergence(which, metric=None):
    """A divergence by name, or from a user's three functions.

    Parameters
    ----------
    which : str, triple of callables, or Divergence
        A name of the module's table, or elementwise functions (phi, gradient, inverse_gradient), see
        `UserDivergence`.
    metric : ndarray of shape (d, d), for 'mahalanobis' only
        Symmetric positive definite.

    Returns
    -------
    Divergence

    Raises
    ------
    ValueError
        Unknown name, three things that are not callable, a metric that is missing, not wanted or not
        positive definite.

    Examples
    --------
    >>> divergence("kl").pairwise(np.array([[0.5, 0.5]]), np.array([[0.5, 0.5], [0.1, 0.9]])).round(4)
    array([[0.    , 0.5108]])
    >>> cosh = divergence((np.cosh, np.sinh, np.arcsinh))
    >>> bool(cosh.between(np.array([1.0]), np.array([1.0])) == 0)
    True
    """
    if metric is not None and which != "mahalanobis":
        raise ValueError("metric belongs to divergence='mahalanobis'; leave it out or use that divergence")
    if isinstance(which, Divergence):
        return which
    if isinstance(which, (tuple, list)):
        if len(which) != 3 or not all(map(callable, which)):
            raise ValueError("divergence must be a name or three functions (phi, gradient, inverse_gradient)")
        return UserDivergence(*which)
    check_option("divergence", which, _NAMED)
    if which != "mahalanobis":
        return _NAMED[which]()
    if metric is None:
        raise ValueError("divergence='mahalanobis' needs a metric, a (d, d) matrix; see mtclib.covariance")
    return Mahalanobis(metric)
