"""Nearest neighbours by cosine and by distance; ties are broken by rule, not by rounding or storage."""

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances_chunked

# Decimals of squared distances, in units of the largest squared length; beyond is rounding.
SQUARE_DECIMALS = 12
BLOCK = 512
# Similarities that agree to so many decimals are equal: rounding must not choose neighbours.
DECIMALS = 10


def nearest(U, V, n_neighbors, *, same=False):
    """Indicator of the nearest rows of ``V`` for each row of ``U``.

    Parameters
    ----------
    U, V : CSR arrays of shape (n, d) and (m, d), nonnegative
        Rows of unit length, or zero.
    n_neighbors : int
        At most m (with ``same``, m - 1) are found.  Only rows of positive cosine count.
    same : bool, default False
        ``V`` is ``U``, and no row is its own neighbour.

    Returns
    -------
    CSR array of shape (n, m), float64
        Ones for neighbours.  Of equally similar rows, those that come first in ``V``.

    Examples
    --------
    >>> U = sp.csr_array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    >>> nearest(U, U, 1, same=True).toarray()
    array([[0., 1., 0.],
           [0., 0., 1.],
           [0., 1., 0.]])
    """
    VT = V.T.tocsr()
    blocks = []
    for start in range(0, U.shape[0], BLOCK):
        cosines = (U[start:start + BLOCK] @ VT).toarray().round(DECIMALS)
        if same:
            rows = np.arange(len(cosines))
            cosines[rows, start + rows] = 0.0
        blocks.append(sp.csr_array(_largest(cosines, n_neighbors).astype(float)))
    return sp.csr_array(sp.vstack(blocks))


def _largest(values, count):
    """Mask of the ``count`` largest positive entries of each row, the first ones among equals."""
    if count < values.shape[1]:
        threshold = np.partition(values, -count, axis=1)[:, -count, None]
        above, level = values > threshold, values == threshold
        missing = count - above.sum(axis=1, keepdims=True)
        return (above | (level & (np.cumsum(level, axis=1) <= missing))) & (values > 0)
    return values > 0


def shared(neighbours):
    """Numbers of neighbours that two samples have in common.

    Parameters
    ----------
    neighbours : CSR array of shape (n, m)
        Of :func:`nearest`.

    Returns
    -------
    CSR array of shape (n, n)

    Examples
    --------
    >>> shared(sp.csr_array([[1.0, 1.0], [0.0, 1.0]])).toarray()
    array([[2., 1.],
           [1., 1.]])
    """
    return sp.csr_array(neighbours @ neighbours.T)


def nearest_distances(X, n_neighbors):
    """The nearest other samples of each sample; equal distances are taken in the order of the samples.

    Parameters
    ----------
    X : {ndarray, CSR array} of shape (n, d)
    n_neighbors : int
        At most n - 1.

    Returns
    -------
    squares : ndarray of shape (n, n_neighbors)
        Squared Euclidean distances, ascending.
    indices : ndarray of shape (n, n_neighbors), int

    Examples
    --------
    >>> squares, indices = nearest_distances(np.array([[0.0], [1.0], [3.0]]), 2)
    >>> squares.round(6).tolist(), indices.tolist()
    ([[1.0, 9.0], [1.0, 4.0], [4.0, 9.0]], [[1, 2], [0, 2], [1, 0]])
    """
    # Far from the origin the distances would drown in the rounding of the squared lengths.
    X = X if sp.issparse(X) else X - X.mean(axis=0)
    values = X.multiply(X) if sp.issparse(X) else X * X
    unit = values.sum(axis=1).max() or 1.0

    def first(squares, start):
        squares = np.maximum(np.round(squares / unit, SQUARE_DECIMALS), 0.0)
        rows = np.arange(len(squares))
        squares[rows, start + rows] = np.inf
        order = np.argsort(squares, axis=1, kind="stable")[:, :n_neighbors]
        return unit * np.take_along_axis(squares, order, axis=1), order

    parts = list(pairwise_distances_chunked(X, reduce_func=first, metric="euclidean", squared=True))
    return np.vstack([squares for squares, _ in parts]), np.vstack([indices for _, indices in parts])
