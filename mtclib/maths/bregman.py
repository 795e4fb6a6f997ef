r"""Bregman divergences: MBC paper, Definition 1 and Table 1.

For a strictly convex function :math:`\phi`,

.. math:: d(x \| y) = \phi(x) - \phi(y) - \langle x - y, \nabla \phi(y) \rangle.

================  ==================================  ========================
name              class                               domain
================  ==================================  ========================
'sqeuclidean'     `SquaredEuclidean`                  all vectors
'mahalanobis'     `Mahalanobis`                       all vectors
'kl'              `KullbackLeibler`                   simplex, positive
'i-divergence'    `IDivergence`                       positive
'itakura-saito'   `ItakuraSaito`                      positive
three functions   `UserDivergence`                    of the functions
================  ==================================  ========================

All logarithms are natural; the paper's Table 1 has log2 in :math:`\phi` and log in d for the KL divergence.
Points are rows.  A divergence is convex in its left argument only; the weighted sum of divergences *from*
points has the arithmetic mean as minimiser (Theorem 1), that of divergences *to* points the mean of the
gradients, carried back (Theorem 2).  See ``mtclib.maths.centroids`` for both at once; symmetric divergences
do not need it, since the two means are one.

``Anchored`` holds centroids for fast divergences of many samples, ``Smoothed`` the samples of a task without
making sparse data dense, and ``pooled_metric`` the default matrix of the Mahalanobis divergence.
"""

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve
from scipy.special import kl_div

from mtclib.core.checks import call, check_option
from mtclib.maths import centroids
from mtclib.maths.linalg import dense_product, thin
from mtclib.maths.scaling import apply_scale, find_scale

__all__ = ["Divergence", "IDivergence", "ItakuraSaito", "KullbackLeibler", "Mahalanobis", "SquaredEuclidean",
           "UserDivergence", "divergence"]

BLOCK = 2**20  # entries of a block of rows that is made dense
LARGEST_METRIC = 10_000
RIDGE = 1e-6
SUM_TOLERANCE = 1e-6


class Anchored:
    """Centroids (k, d) with what d(.||u) needs, measured from an anchor c in the domain, (d,).

    The law of cosines d(x||u) = d(x||c) + d(c||u) - <x - c, phi'(u) - phi'(c)> turns all divergences to
    all centroids into one product with the data, which may be sparse.  With c amid the data the terms are
    of the size of the result, so that little is lost by cancellation wherever the data lie.

    ``shifted`` is u - c and ``tilt`` phi'(u) - phi'(c), (k, d) each; ``level`` is <c, tilt>, ``far`` d(c||u)
    and ``near`` d(u||c), (k,) each.
    """

    def __init__(self, divergence, points, anchor):
        self.points, self.shifted = points, points - anchor
        self.tilt = divergence.gradient(points)
        self.tilt -= divergence.gradient(anchor)
        self.level = self.tilt @ anchor
        self.far = divergence.between(anchor, points)
        self.near = np.maximum(np.einsum("zj,zj->z", self.shifted, self.tilt) - self.far, 0.0)

    def divergences(self, shifted, near):
        """Matrix of d(x_i||u_z) from x_i - c, shape (n, d), and d(x_i||c), shape (n,)."""
        return np.maximum(near[:, None] + self.far - shifted @ self.tilt.T, 0.0)


class Smoothed:
    """The samples x' = (1 - smoothing) x + smoothing * level, as products, sums and divergences.
    ``smoothing`` is in [0, 1); ``level``, what all entries are drawn to, is the mean entry of all tasks.  The
    map is the same for all entries, so that with sparse data only the stored entries are touched; ``shift``
    is x' where x = 0."""

    def __init__(self, X, smoothing, level):
        self.shape, self.sparse = X.shape, sp.issparse(X)
        self.shift = smoothing * level
        self.X = (1.0 - smoothing) * X if smoothing else X
        if smoothing and not self.sparse:
            self.X = self.X + self.shift
        if self.sparse:
            self.thin = thin(self.X)
            self.stored, self.columns = np.diff(self.X.indptr), self.X.indices.astype(np.intp)

    def values(self):
        """All entries that occur, as a flat array; of the zeros of sparse data only one."""
        if not self.sparse:
            return self.X.ravel()
        implicit = self.X.nnz < self.shape[0] * self.shape[1]
        return np.concatenate([self.X.data + self.shift, [self.shift] * implicit])

    def products(self, directions):
        """<x'_i, g_z> for directions of shape (k, d); shape (n, k)."""
        if not self.sparse:
            return self.X @ directions.T
        return self.thin @ np.ascontiguousarray(directions.T) + self.shift * directions.sum(axis=1)

    def sums(self, labels, k):
        """Sum of the samples of each cluster, shape (k, d)."""
        n, d = self.shape
        if not self.sparse:
            return sp.csr_array((np.ones(n), (labels, np.arange(n))), shape=(k, n)) @ self.X
        # Counting into flat cells is twice as fast as a product with an indicator matrix.
        cells = np.repeat(labels * d, self.stored)
        cells += self.columns
        sums = np.bincount(cells, self.X.data, k * d).reshape(k, d)
        return sums + self.shift * np.bincount(labels, minlength=k)[:, None] if self.shift else sums

    def mean(self):
        """Mean of the samples, shape (d,)."""
        return np.asarray(self.X.mean(axis=0)).ravel() + (self.shift if self.sparse else 0.0)

    def rows(self, indices):
        """Some samples as a dense array."""
        return self.X[indices].toarray() + self.shift if self.sparse else self.X[indices]

    def divergences_from(self, divergence, anchor):
        """d(x'_i||anchor), shape (n,)."""
        n, d = self.shape
        if self.sparse and divergence.separable:
            return self._stored_divergences(divergence, anchor)
        step = max(BLOCK // d, 1)
        blocks = (self.rows(slice(start, start + step)) for start in range(0, n, step))
        return np.concatenate([divergence.between(rows, anchor) for rows in blocks])

    def _stored_divergences(self, divergence, anchor):
        """Stored entries, and for the others what a sample without entries has beyond them."""
        n, d = self.shape
        rows, at = np.repeat(np.arange(n), self.stored), anchor[self.columns]
        stored = np.bincount(rows, divergence.terms(self.X.data + self.shift, at), n)
        if self.stored.min() == d:
            return stored
        empty = divergence.terms(np.full(d, self.shift), anchor)
        unstored = empty.sum() - np.bincount(rows, empty[self.columns], n)
        return stored + np.where(self.stored < d, np.maximum(unstored, 0.0), 0.0)


def mean_entry(Xs):
    """Mean of all entries of all tasks."""
    return float(sum(X.sum() for X in Xs) / sum(X.shape[0] * X.shape[1] for X in Xs))


def pooled_metric(Xs):
    """Inverse covariance (d, d) of the samples of all tasks together, the default metric of 'mahalanobis'.
    Before inversion 1e-6 of the mean variance is added to the diagonal.  Directions in which no sample varies
    then weigh a lot, but no two centroids differ in them.  Raises ``ValueError`` for more than 10,000
    features."""
    n, d = sum(X.shape[0] for X in Xs), Xs[0].shape[1]
    if d > LARGEST_METRIC:
        raise ValueError(f"divergence='mahalanobis' needs a matrix of {d} x {d} entries; reduce the features "
                         f"to {LARGEST_METRIC} or fewer, or use 'sqeuclidean'")
    if any(map(sp.issparse, Xs)):
        X = sp.csr_array(sp.vstack(Xs))
        X = apply_scale(X, find_scale(X, "none"))  # far from zero moments would be nothing but rounding
        mean = X.mean(axis=0)
        covariance = dense_product(X.T, X) / n - np.outer(mean, mean)
    else:
        mean = sum(X.sum(axis=0) for X in Xs) / n
        covariance = sum((X - mean).T @ (X - mean) for X in Xs) / n
    ridge = RIDGE * np.trace(covariance) / d
    return cho_solve(cho_factor(covariance + (ridge or 1.0) * np.eye(d)), np.eye(d))


def checked_metric(metric):
    """The metric of 'mahalanobis' as floats; ``ValueError`` unless finite, symmetric, positive definite."""
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


class Divergence:
    r"""What all divergences have in common; a subclass gives phi's gradient, its inverse and `between`.

    Attributes
    ----------
    symmetric : bool
        :math:`d(x \| y) = d(y \| x)`.
    separable : bool
        A sum over the features of ``terms(x, y)``.
    """

    symmetric = False
    separable = True

    def between(self, X, Y):
        r"""Vector of :math:`d(x_i \| y_i)` for rows that broadcast, nonnegative up to rounding."""
        return self.terms(X, Y).sum(axis=-1)

    def pairwise(self, X, Y):
        r"""Matrix of :math:`d(x_i \| y_j)`.

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

    def check(self, task, name):
        """Raise ``ValueError`` if the data ``name``, a `mtclib.maths.bregman.Smoothed`, do not fit."""

    def normalised(self, X, name):
        """The data as the divergence needs them: the same, except for 'kl'."""
        return X


class SquaredEuclidean(Divergence):
    r"""Squared Euclidean distance.

    .. math:: \phi(x) = \|x\|^2, \qquad d(x \| y) = \|x - y\|^2, \qquad \nabla \phi(x) = 2 x.
    """

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


class Mahalanobis(Divergence):
    r"""Squared Mahalanobis distance with a fixed symmetric positive definite matrix Q, the ``metric``.

    .. math:: \phi(x) = x^\top Q x, \qquad d(x \| y) = (x - y)^\top Q (x - y), \qquad \nabla \phi(x) = 2 Q x.

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
    r"""Generalised I-divergence, the KL divergence of unnormalised data; sums are over the features.

    .. math:: \phi(x) = \sum (x \log x - x), \qquad d(x \| y) = \sum \big(x \log \tfrac{x}{y} - x + y\big),
        \qquad \nabla \phi(x) = \log x.
    """

    name = "i-divergence"
    mixed_centroid = staticmethod(centroids.i_divergence)

    # The reference cannot show a numpy function as a method.
    def terms(self, x, y):
        return kl_div(x, y)

    def gradient(self, x):
        return np.log(x)

    def inverse_gradient(self, g):
        return np.exp(g)


class KullbackLeibler(IDivergence):
    r"""Kullback-Leibler divergence of points on the simplex, where it equals the I-divergence.

    .. math:: \phi(x) = \sum x \log x, \qquad d(x \| y) = \sum x \log \tfrac{x}{y}, \qquad
        \nabla \phi(x) = 1 + \log x.

    Constants in the gradient do not matter there, and centroids stay on the simplex.
    """

    name = "kl"
    mixed_centroid = staticmethod(centroids.kullback_leibler)

    def inverse_gradient(self, g):
        shares = np.exp(g - g.max(axis=-1, keepdims=True))
        return shares / shares.sum(axis=-1, keepdims=True)

    def normalised(self, X, name):
        sums = np.asarray(X.sum(axis=1)).ravel()
        wrong = np.flatnonzero(~(np.abs(sums - 1.0) <= SUM_TOLERANCE))
        if wrong.size:
            raise ValueError(
                f"{name} has rows that do not sum to one (row {wrong[0]} sums to {sums[wrong[0]]:.6g}), as "
                f"divergence='kl' needs; drop empty rows and divide each by its sum, or use 'i-divergence'")
        return sp.csr_array(sp.diags_array(1.0 / sums) @ X) if sp.issparse(X) else X / sums[:, None]


class ItakuraSaito(_OfPositives):
    r"""Itakura-Saito divergence; scaling both arguments changes nothing.

    .. math:: \phi(x) = -\sum \log x, \qquad
        d(x \| y) = \sum \big(\tfrac{x}{y} - \log \tfrac{x}{y} - 1\big), \quad \nabla \phi(x) = -\tfrac{1}{x}.
    """

    name = "itakura-saito"
    mixed_centroid = staticmethod(centroids.itakura_saito)

    def terms(self, x, y):
        ratio = x / y
        return ratio - np.log(ratio) - 1.0

    def gradient(self, x):
        return -1.0 / x

    def inverse_gradient(self, g):
        return -1.0 / g


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
        return centroids.bisection(self, left, right, A, B)

    def check(self, task, name):
        """Try the functions on up to 1000 of the entries."""
        x = np.unique(task.values())
        x = x[np.unique(np.linspace(0, x.size - 1, 1000).astype(int))]
        with np.errstate(all="ignore"):
            phi, slope = self._tried("phi", x, name), self._tried("gradient", x, name)
            back = self._tried("inverse_gradient", slope, name)
        if not np.allclose(back, x, rtol=1e-6, atol=1e-9 * np.abs(x).max()):
            raise ValueError(f"divergence: inverse_gradient does not undo gradient on the entries of {name}; "
                             f"pass (phi, gradient, inverse_gradient) of one function")
        rise, bound = np.diff(phi), 1e-9 * np.abs(phi).max()
        low, high = slope[:-1] * np.diff(x), slope[1:] * np.diff(x)
        if (low > rise + bound).any() or (rise > high + bound).any():
            raise ValueError(f"divergence: gradient is not the derivative of a convex phi on the entries of "
                             f"{name}; pass (phi, gradient, inverse_gradient) of one convex function")

    def _tried(self, what, values, name):
        # As columns of one row: what takes single numbers or a flat array only would fail amid a fit.
        found = call(f"divergence: {what}", getattr(self, what), values[None], "return as many numbers")
        if not (isinstance(found, np.ndarray) and found.shape == (1, values.size)
                and found.dtype.kind in "iuf" and np.isfinite(found).all()):
            raise ValueError(f"divergence: {what} is not finite and elementwise on the entries of {name} "
                             f"({values.min():.4g} to {values.max():.4g}); keep the data inside its domain, "
                             f"or pass a smoothing to lift zeros")
        return found[0]


_NAMED = {"sqeuclidean": SquaredEuclidean, "mahalanobis": Mahalanobis, "kl": KullbackLeibler,
          "i-divergence": IDivergence, "itakura-saito": ItakuraSaito}


def divergence(which, metric=None):
    """A divergence by name, or from a user's three functions.

    Parameters
    ----------
    which : str, triple of callables, or Divergence
        A name of the table above, or elementwise functions (phi, gradient, inverse_gradient), see
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
        raise ValueError("divergence='mahalanobis' needs a metric, a (d, d) matrix; see mtclib.maths.bregman")
    return Mahalanobis(metric)
