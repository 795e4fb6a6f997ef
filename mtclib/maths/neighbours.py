"""Nearest neighbours by cosine and by distance; ties are broken by content, not by order or rounding."""

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances_chunked
from sklearn.utils.sparsefuncs import mean_variance_axis

from mtclib.maths.linalg import dense_product, near_origin

# Decimals of squared distances, in units of the largest squared length; beyond is rounding.
SQUARE_DECIMALS = 12
# Dense samples from which neighbours are chosen among candidates, and candidates beyond the neighbours; for
# each candidate so many groups of samples, whose nearest are compared.
MANY, SPARE, GROUPS = 5000, 9, 16
# Products at a time, so that they stay in the processor's cache, for at least so many rows.
ENTRIES, FEWEST_ROWS = 2**21, 32
# Numbers nearer to each other than this share of the largest are equal.
EQUAL = 1e-12
# Decimals to which two samples are equally far from the mean of all, in units of the largest distance.
CONTENT_DECIMALS = 8
# Added before this rounding: whole numbers give fractions that lie just where it turns, such as .287109375.
ASIDE = 3.14159e-9
BLOCK = 512
# MiB of distances at a time; beyond that, memory grows no faster than the number of samples.
LARGEST_BLOCK = 64
# Similarities that agree to so many decimals are equal: rounding must not choose neighbours.
DECIMALS = 10


def nearest(U, V, n_neighbors, *, same=False):
    """Indicator of the nearest rows of V (m, d) for each row of U (n, d), by cosine: CSR (n, m) in 0 .. 1.  U
    and V are CSR and nonnegative, with rows of unit length or zero.  Only rows of positive cosine count;
    equally similar rows share the places that are left, as they do in the mean if chance decides.  With
    ``same``, V is U, and no row is its own neighbour."""
    VT = V.T.tocsr()
    blocks = []
    for start in range(0, U.shape[0], BLOCK):
        cosines = dense_product(U[start:start + BLOCK], VT).round(DECIMALS)
        if same:
            rows = np.arange(len(cosines))
            cosines[rows, start + rows] = 0.0
        blocks.append(_largest(cosines, n_neighbors))
    return sp.csr_array(sp.vstack(blocks))


def _largest(values, count):
    """Which entries of each row are among the ``count`` largest and positive: 1, or a share of equals."""
    least = np.full((len(values), 1), np.nextafter(0.0, 1.0))
    if count < values.shape[1]:
        least = np.maximum(np.partition(values, -count, axis=1)[:, -count, None], least)
    row, column = _places(values >= least)
    level = values[row, column] == least[row, 0]
    ties, found = np.bincount(row[level], minlength=len(values)), np.bincount(row, minlength=len(values))
    share = (count - found + ties) / np.maximum(ties, 1)
    return sp.csr_array((np.where(level, share[row], 1.0), column, np.append(0, np.cumsum(found))),
                        shape=values.shape)


def shared(neighbours):
    """Numbers of neighbours that two samples have in common, (n, n), from what :func:`nearest` gives."""
    return dense_product(neighbours, neighbours.T)


def nearest_distances(X, n_neighbors, rank=None):
    """The nearest other samples of each sample; ties are broken by content, see :func:`content`.

    Returns squared Euclidean distances, ascending, and indices, (n, n_neighbors) each; n_neighbors < n.  Of
    samples equally near to sample i come first those whose distance to the mean of all is most like that of
    i, then those of lower ``rank``, (n,) int: that of :func:`content`, or for one view of several that of
    :func:`ranks`, which tells copies in one view apart by the others.  With another order of the rows the
    lists are the same, but for copies of whole samples: these change places, in all lists alike.
    """
    X = near_origin(X)[0] if sp.issparse(X) else X
    n, (spread, own) = X.shape[0], content(X)
    rank = own if rank is None else rank
    # Far from the origin the distances would drown in the rounding of the squared lengths.
    X = X if sp.issparse(X) else X - X.mean(axis=0)
    values = X.multiply(X) if sp.issparse(X) else X * X
    unit = values.sum(axis=1).max() or 1.0

    def choose(samples, row, column, squares):
        """The first of candidates: ``column`` for ``samples[row]``, at ``squares``, (r,) each, row by row."""
        order = np.argsort(squares)
        # 16 bits hold the rows of a block, and are sorted in one pass.
        order = order[np.argsort(row[order].astype(np.uint16), kind="stable")]
        row, column, squares = row[order], column[order], squares[order]
        apart = np.diff(squares, prepend=squares[:1]) > EQUAL
        starts = np.searchsorted(row, np.arange(len(samples)))
        chosen = starts[:, None] + np.arange(n_neighbors)
        if np.count_nonzero(apart | (np.diff(row, prepend=-1) > 0)) < len(row):  # some are equally near
            apart |= squares > squares[chosen[row, -1]] + EQUAL  # cannot be among the first
            unlike = np.round(ASIDE + np.abs(spread[samples[row]] - spread[column]), CONTENT_DECIMALS)
            chosen = np.lexsort((rank[column], unlike, np.cumsum(apart), row))[chosen]
        squares = np.sort(np.maximum(np.round(squares[chosen], SQUARE_DECIMALS), 0.0), axis=1)
        return unit * squares, column[chosen]

    def search(samples):
        """As ``choose``, among all others."""
        def first(squares, start):
            squares /= unit
            rows = samples[start:start + len(squares)]
            squares[np.arange(len(rows)), rows] = np.inf
            # Only the samples that can be among the first are sorted; NaN stays, and comes last.
            limit = np.partition(squares, n_neighbors - 1, axis=1)[:, n_neighbors - 1, None]
            row, column = _places(~(squares > limit + EQUAL))
            return choose(rows, row, column, squares[row, column])

        parts = pairwise_distances_chunked(X if len(samples) == n else X[samples], X, reduce_func=first,
                                           metric="euclidean", squared=True, working_memory=LARGEST_BLOCK)
        return [np.vstack(part) for part in zip(*parts)]

    if sp.issparse(X) or n < MANY or n_neighbors + SPARE >= n:
        return search(np.arange(n))
    # The same lists from a few candidates each; where others might be as near, from all.
    squares, indices = np.empty((n, n_neighbors)), np.empty((n, n_neighbors), dtype=np.intp)
    sure = np.zeros(n, dtype=bool)
    for samples, candidates, beyond in _candidates(X / unit**0.5, n_neighbors + SPARE):
        squares[samples], indices[samples] = choose(samples, *candidates)
        sure[samples] = beyond(squares[samples, -1] / unit + 4 * EQUAL)
    if not sure.all():
        squares[~sure], indices[~sure] = search(np.flatnonzero(~sure))
    return squares, indices


def _candidates(X, count):
    """The ``count`` nearest others of each sample, and a few more, by products in single precision.  No row
    of X (n, d) is longer than 1.  Yields, for blocks of samples, which they are, their candidates (places in
    the block, indices, squared distances), and a function: of one squared distance each, whether all others
    are certainly farther.  Samples that have more than ``2 count`` candidates are left out."""
    (n, d), lengths = X.shape, np.linalg.norm(X, axis=1)
    halves = 0.5 * lengths**2
    # Half the squared distances, but for a constant of the sample, as one product.
    left = np.column_stack([-X, np.ones(n)]).astype(np.float32)
    right = np.vstack([X.T, halves]).astype(np.float32)
    groups = min(GROUPS * count, n)
    whole, step = n - n % groups, max(min(ENTRIES // n, 4 * ENTRIES // (count * d)), FEWEST_ROWS)
    room = np.empty((step, n), np.float32)
    for start in range(0, n, step):
        rows = left[start:start + step]
        keys = np.matmul(rows, right, out=room[:len(rows)])
        places = np.arange(len(keys))
        keys[places, start + places] = np.inf
        # So many groups, and as many others, have a member within this limit; few have a second one.
        least = keys[:, :whole].reshape(len(keys), -1, groups).min(axis=1)
        limit = np.partition(least, count - 1, axis=1)[:, count - 1]
        row, column = _places(keys <= limit[:, None])
        found = np.bincount(row, minlength=len(keys))
        if found.max() > 2 * count:
            few = found <= 2 * count
            kept = few[row]
            row, column = (np.cumsum(few) - 1)[row[kept]], column[kept]
            places, limit = places[few], limit[few]
        samples = start + places
        difference = X.take(samples[row], axis=0)
        difference -= X.take(column, axis=0)

        def beyond(distances, samples=samples, limit=limit):
            own = lengths[samples]
            longest = own + np.sqrt(distances)  # longer ones are farther
            error = (d + 4) * np.finfo(np.float32).eps * longest * (own + longest / 2)
            return 2 * (limit + halves[samples] - error) > distances

        yield samples, (row, column, np.einsum("ij,ij->i", difference, difference)), beyond


def _places(chosen):
    """``numpy.nonzero`` of an array (r, c) with few true entries, several times faster."""
    return np.divmod(np.flatnonzero(chosen), chosen.shape[1])


def content(X):
    """What tells equally near samples apart: distances to the mean, (n,) in 0 .. 1, and ranks, (n,) int.

    Distances are squared, as shares of the largest.  Ranks follow the projection on the standard deviations
    of the features.  Neither depends on the order of samples or features, nor on a shift.  What is equal in
    both is ranked by a projection on fixed numbers, one per feature, and copies of one sample by their place.
    """
    mean = np.asarray(X.mean(axis=0)).ravel()
    values = X.multiply(X) if sp.issparse(X) else (X - mean) ** 2
    squares = np.asarray(values.sum(axis=1)).ravel()
    if sp.issparse(X):
        squares = squares - 2.0 * (X @ mean) + mean @ mean
    return squares / (squares.max() or 1.0), ranks([X])


def ranks(Xs):
    """Ranks of samples by what all views say of them, (n,) int; see :func:`content`."""
    own = np.array([_projections(X) for X in Xs])
    rank = np.empty(own.shape[2], dtype=np.intp)
    # Sums first, which do not depend on the order of the views.
    rank[np.lexsort([*own.reshape(-1, len(rank)), *own.sum(axis=0)])] = np.arange(len(rank))
    return rank


def _projections(X):
    """Levels of the projections on fixed numbers and on the standard deviations of the features."""
    mean, variance = mean_variance_axis(X, axis=0) if sp.issparse(X) else (X.mean(axis=0), X.var(axis=0))
    roots = np.sqrt(variance)
    fixed = np.random.default_rng(0).standard_normal(X.shape[1]) * roots
    return [_levels(X @ weights - mean @ weights) for weights in (fixed, roots)]


def _levels(values):
    """Values as their rank, (n,) int; those that only rounding tells apart have one rank."""
    order = np.argsort(values, kind="stable")
    rank = np.empty(len(values), dtype=np.intp)
    rank[order] = np.cumsum(np.diff(values[order], prepend=values[order[:1]]) > EQUAL * np.abs(values).max())
    return rank
