"""Samples of a task, smoothed without making sparse data dense."""

import numpy as np
import scipy.sparse as sp

BLOCK = 2**20  # entries of a block of rows that is made dense


class Smoothed:
    """The samples x' = (1 - smoothing) x + smoothing * level, as products, sums and divergences.

    The map is the same for all entries, so that with sparse data only the stored entries are touched.

    Parameters
    ----------
    X : {ndarray, CSR array} of shape (n, d)
    smoothing : float in [0, 1)
    level : float
        What all entries are drawn to, the mean entry of all tasks.

    Attributes
    ----------
    shape : (int, int)
    shift : float
        x' where x = 0.

    Examples
    --------
    >>> X = np.array([[0.0, 2.0], [0.0, 4.0]])
    >>> dense, sparse = Smoothed(X, 0.5, 1.0), Smoothed(sp.csr_array(X), 0.5, 1.0)
    >>> dense.sums(np.array([0, 0]), 1), sparse.sums(np.array([0, 0]), 1)
    (array([[1., 4.]]), array([[1., 4.]]))
    """

    def __init__(self, X, smoothing, level):
        self.shape, self.sparse = X.shape, sp.issparse(X)
        self.shift = smoothing * level
        self.X = (1.0 - smoothing) * X if smoothing else X
        if smoothing and not self.sparse:
            self.X = self.X + self.shift
        if self.sparse:
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
        return self.X @ np.ascontiguousarray(directions.T) + self.shift * directions.sum(axis=1)

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
