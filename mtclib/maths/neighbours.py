"""Nearest neighbours by cosine and by distance; ties are broken by rule, not by rounding or storage."""

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances_chunked

# Decimals of squared distances, in units of the largest squared length; beyond is rounding.
SQUARE_DECIMALS = 12
BLOCK = 512
# MiB of distances at a time; beyond that, memory grows no faster than the number of samples.
LARGEST_BLOCK = 64
# Similarities that agree to so many decimals are equal: rounding must not choose neighbours.
DECIMALS = 10


def nearest(U, V, n_neighbors, *, same=False):
    """Indicator of the nearest rows of V (m, d) for each row of U (n, d), by cosine: CSR (n, m) of ones.

    U and V are CSR and nonnegative, with rows of unit length or zero.  Only rows of positive cosine count; of
    equally similar rows, those that come first in V.  With ``same``, V is U, and no row is its own neighbour.
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
    """Numbers of neighbours that two samples have in common, CSR (n, n), from what :func:`nearest` gives."""
    return sp.csr_array(neighbours @ neighbours.T)


def nearest_distances(X, n_neighbors):
    """The nearest other samples of each sample; equal distances are taken in the order of the samples.

    Returns squared Euclidean distances, ascending, and indices, (n, n_neighbors) each; n_neighbors < n.
    """
    # Far from the origin the distances would drown in the rounding of the squared lengths.
    X = X if sp.issparse(X) else X - X.mean(axis=0)
    values = X.multiply(X) if sp.issparse(X) else X * X
    unit = values.sum(axis=1).max() or 1.0

    def first(squares, start):
        squares /= unit
        np.maximum(np.round(squares, SQUARE_DECIMALS, out=squares), 0.0, out=squares)
        rows = np.arange(len(squares))
        squares[rows, start + rows] = np.inf
        # Only the samples that can be among the first are sorted; NaN stays, and comes last.
        limit = np.partition(squares, n_neighbors - 1, axis=1)[:, n_neighbors - 1, None]
        row, column = np.nonzero(~(squares > limit))
        order = np.lexsort((squares[row, column], row))
        chosen = order[np.searchsorted(row, rows)[:, None] + np.arange(n_neighbors)]
        return unit * squares[row, column][chosen], column[chosen]

    parts = list(pairwise_distances_chunked(X, reduce_func=first, metric="euclidean", squared=True,
                                            working_memory=LARGEST_BLOCK))
    return np.vstack([squares for squares, _ in parts]), np.vstack([indices for _, indices in parts])
