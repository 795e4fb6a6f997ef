"""Samples in the feature space of a kernel, in the form that the steps of MBC work on.

A linear or cosine kernel has the data themselves, or their unit rows, as features; nothing else is needed.
Other kernels give only the Gram matrix K of the N samples of all tasks.  A point sum_i b_i phi(x_i) is then
held as the 2N numbers (b, K b): sums, means and mixtures of points are those of the numbers, and the inner
product of two points (b, e) and (b', e') is b e'.  So the one product with K in a sweep is the sum of its
rows over each cluster.
"""

import numpy as np
import scipy.sparse as sp

from mtclib.core.checks import call
from mtclib.maths.bregman import Divergence, Smoothed, SquaredEuclidean
from mtclib.maths.graphs import check_symmetric, gaussian_affinity
from mtclib.maths.linalg import as_dense, unit_samples

KERNELS = ("cosine", "linear", "gaussian")


class FeatureSamples(Smoothed):
    """The samples of one task in explicit features, a CSR array of shape (n, d)."""

    def __init__(self, X):
        super().__init__(X, 0.0, 0.0)

    def combined(self, weights):
        """sum_i weights[i, z] phi(x_i), shape (k, d)."""
        return np.asarray((self.X.T @ weights).T)


class GramSamples:
    """The samples of one task, rows ``place`` of the Gram matrix K of all tasks, shape (N, N).  ``shape`` is
    (n, 2N): the number of samples, and of the entries of a point."""

    def __init__(self, K, place):
        self.rows_of_K, self.place = K[place], place
        self.shape = (place.stop - place.start, 2 * len(K))

    def products(self, directions):
        """<phi(x_i), g_z> for gradients of `GramDistance`, shape (n, k)."""
        return 2.0 * directions[:, self.place].T

    def sums(self, labels, k):
        """Sum of the samples of each cluster, shape (k, 2N)."""
        n = len(labels)
        return self._combined(sp.csr_array((np.ones(n), (labels, np.arange(n))), shape=(k, n)))

    def combined(self, weights):
        """sum_i weights[i, z] phi(x_i), shape (k, 2N)."""
        return self._combined(weights.T)

    def _combined(self, weights):
        N = self.shape[1] // 2
        points = np.zeros((weights.shape[0], 2 * N))
        points[:, self.place] = as_dense(weights)
        points[:, N:] = weights @ self.rows_of_K
        return points

    def mean(self):
        """Mean of the samples, shape (2N,)."""
        return self._combined(np.full((1, self.shape[0]), 1.0 / self.shape[0]))[0]

    def divergences_from(self, divergence, anchor):
        """|phi(x_i) - anchor|^2, shape (n,)."""
        b, e = np.split(anchor, 2)
        own = np.diagonal(self.rows_of_K[:, self.place])
        return np.maximum(own - 2.0 * e[self.place] + b @ e, 0.0)


class GramDistance(Divergence):
    """The squared distance in the feature space, for points (b, K b) as rows of 2N numbers.

    >>> K = np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> first, second = np.hstack([np.eye(2), K])
    >>> float(GramDistance().between(first, second))
    1.0
    """

    symmetric = True
    separable = False

    def between(self, X, Y):
        b, e = np.split(X - Y, 2, axis=-1)
        return np.maximum(np.einsum("...j,...j->...", b, e), 0.0)

    def gradient(self, x):
        # <x, gradient(u)> = b_x e_u + e_x b_u, twice the inner product.
        return np.concatenate(np.split(x, 2, axis=-1)[::-1], axis=-1)


def feature_space(Xs, kernel, scale):
    """The samples of all tasks in one feature space: FeatureSamples or GramSamples, and the distance.

    ``kernel`` is 'cosine', 'linear', 'gaussian', a callable from the stacked samples, a CSR array of shape
    (N, d), to their (N, N) Gram matrix, or that matrix.  ``scale`` is the width s of 'gaussian',
    exp(-d^2 / (2 s^2)); see `mtclib.maths.graphs.gaussian_affinity`.  ValueError if the matrix has the wrong
    shape, is not finite, not symmetric, or cannot be positive semidefinite, for a pair of samples is not.
    """
    # As CSR the same data take the same path in either form, so that rounding cannot tell them apart.
    Xs = [sp.csr_array(X, copy=True) for X in Xs]
    for X in Xs:
        X.eliminate_zeros()
    if isinstance(kernel, str) and kernel != "gaussian":
        return [FeatureSamples(unit_samples(X) if kernel == "cosine" else X) for X in Xs], SquaredEuclidean()
    stack = sp.csr_array(sp.vstack(Xs, format="csr"))
    if isinstance(kernel, str):
        K = gaussian_affinity(stack, scale)
        np.fill_diagonal(K, 1.0)
    else:
        K = _checked_gram(call("kernel", kernel, stack) if callable(kernel) else kernel, stack.shape[0])
    ends = np.cumsum([0] + [X.shape[0] for X in Xs]).tolist()
    return [GramSamples(K, slice(*place)) for place in zip(ends, ends[1:])], GramDistance()


def _checked_gram(K, N):
    K = as_dense(check_symmetric(K, N, "kernel"))
    size, squares = np.abs(K).max(), np.diagonal(K)
    excess = K * K - np.outer(squares, squares)
    if squares.min() < -1e-10 * size or excess.max() > 1e-8 * size**2:
        raise ValueError("kernel is not positive semidefinite: some |K_ij| is above sqrt(K_ii K_jj); add a "
                         "constant to its diagonal, or use a Mercer kernel such as 'gaussian'")
    return (K + K.T) / 2.0
