"""Similarities between samples: the only place that builds and normalises them.

A similarity is an object with ``shape``, ``squared_norm`` and ``split_product(Y)``, so that a method
can use M without knowing whether M was ever formed.
"""

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from mtclib.base import check_matrix


class FactoredSimilarity:
    """M = U U^T for a nonnegative factor U, never formed.

    Products cost O(nnz(U) h) instead of O(n^2 h).

    Parameters
    ----------
    U : {ndarray, CSR array} of shape (n, d), nonnegative

    Examples
    --------
    >>> M = FactoredSimilarity(np.eye(3)[:, :2])
    >>> M.squared_norm
    2.0
    """

    def __init__(self, U):
        self.U = U
        self.UT = U.T.tocsr() if sp.issparse(U) else U.T
        self.shape = (U.shape[0], U.shape[0])
        self.squared_norm = sum(self._block_norm(i) for i in range(0, U.shape[0], 512))

    def _block_norm(self, start):
        block = self.U[start:start + 512] @ self.UT
        values = block.data if sp.issparse(block) else block
        return float(np.sum(values * values))

    def split_product(self, Y):
        """M^+ Y and M^- Y, the positive and the negative part of M times ``Y`` of shape (n, h)."""
        return self.U @ (self.UT @ Y), 0.0


class DenseSimilarity:
    """A similarity matrix held in memory; entries may be negative.

    Parameters
    ----------
    M : ndarray of shape (n, n), symmetric
    """

    def __init__(self, M):
        self.shape = M.shape
        self.squared_norm = float(np.sum(M * M))
        self.positive = np.maximum(M, 0.0)
        self.negative = np.maximum(-M, 0.0) if M.min() < 0 else None

    def split_product(self, Y):
        """M^+ Y and M^- Y, the positive and the negative part of M times ``Y`` of shape (n, h)."""
        return self.positive @ Y, 0.0 if self.negative is None else self.negative @ Y


def cosine_similarity(X):
    """Cosine similarity of the rows; rows of zero norm are similar to nothing, not even themselves.

    Parameters
    ----------
    X : {ndarray, CSR array} of shape (n, d)

    Returns
    -------
    FactoredSimilarity
        If X is nonnegative (text): no (n, n) array is formed.
    DenseSimilarity
        Otherwise: positive and negative entries have to be told apart.
    """
    U = normalize(X)
    values = U.data if sp.issparse(U) else U
    if values.size == 0 or values.min() >= 0:
        return FactoredSimilarity(sp.csr_array(U) if sp.issparse(U) else U)
    M = U @ U.T
    return DenseSimilarity(M.toarray() if sp.issparse(M) else M)


def similarities(Xs, similarity):
    """One similarity a task.

    Parameters
    ----------
    Xs : list of {ndarray, CSR array} of shape (n_t, d)
    similarity : 'cosine', callable or list of arrays
        A callable gets X and returns an (n, n) array; a list holds precomputed (n_t, n_t) arrays.

    Raises
    ------
    ValueError
        Unknown option; a matrix of the wrong shape, not finite, or not symmetric.
    """
    if isinstance(similarity, str) and similarity == "cosine":
        return [cosine_similarity(X) for X in Xs]
    matrices = [similarity(X) for X in Xs] if callable(similarity) else similarity
    if not isinstance(matrices, (list, tuple)) or len(matrices) != len(Xs):
        raise ValueError(f"similarity must be 'cosine', a callable, or a list with one (n_t, n_t) array a "
                         f"task ({len(Xs)} of them); got {similarity!r}")
    return [_precomputed(M, X.shape[0], t) for t, (M, X) in enumerate(zip(matrices, Xs))]


def _precomputed(M, n, t):
    name = f"similarity[{t}] (task {t + 1})"
    M = check_matrix(M, name)
    M = M.toarray() if sp.issparse(M) else M
    if M.shape != (n, n):
        raise ValueError(f"{name} must have shape ({n}, {n}), one row and column a sample; got {M.shape}")
    if not np.allclose(M, M.T, rtol=1e-8, atol=1e-12):
        raise ValueError(f"{name} must be symmetric; use (M + M.T) / 2")
    return DenseSimilarity(M)
