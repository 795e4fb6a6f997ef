"""Similarities between samples: the only place that builds and normalises them.

A similarity is an object with ``shape``, ``squared_norm``, ``product(Y)`` and ``split_product(Y)``, so that a
method can use M without knowing whether M was ever formed.

Normalised affinities serve the spectral methods; ``view_graphs`` makes them from an estimator's parameters.
"""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, aslinearoperator
from scipy.spatial.distance import squareform
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.extmath import row_norms

from mtclib.core.checks import COUNT, POSITIVE, Named, call, check_matrix, empty_samples
from mtclib.core.errors import tell
from mtclib.core.large import extremes, row_blocks
from mtclib.core.starts import MANY as MANY_ROWS, firsts
from mtclib.maths.linalg import as_dense, dense_product, near_origin, thin, unit_samples
from mtclib.maths.neighbours import nearest_distances, ranks
from mtclib.maths.scaling import SCALINGS, scale_views

SCALES = ("median", "mean", "self-tuning")
NEIGHBOUR = 7
NEIGHBOURS = ("auto", "knn", "knn-cosine")
"""Affinities between neighbours."""
METRICS = ("euclidean", "cosine", "auto")
MANY_SCALES = (10, 30, 100)
"""Numbers of neighbours whose graphs are added up."""
ZEROS = 0.8
"""Share of zeros from which neighbours are those by cosine."""
# A total cosine similarity below this is rounding: the sample has no neighbours.
NO_NEIGHBOURS = 1e-10
# Samples from which the norm of U U^T is taken from U^T U; below, rounding stays what it was.
MANY = 4096
# Rows with smaller squares of lengths may lose entries; rows through which words are joined at a time.
SHORTEST, JOINED_ROWS = 1e-280, 2**10
# Squares of lengths, and shares of a sample's own square in its degree, for which single precision will do.
SINGLE, LARGEST_DIAGONAL = (1e-30, 1e30), 1e3
# Smaller entries of a normalised affinity do not change it beyond rounding.
JOINED = 1e-15


class FactoredSimilarity:
    """M = U U^T for a factor U (n, d), dense or CSR, nonnegative: M is never formed.  Products cost O(nnz(U)
    h) instead of O(n^2 h)."""

    def __init__(self, U):
        self.U, self.UT = thin(U), thin(U.T)
        UT = U.T.tocsr() if sp.issparse(U) else U.T
        self.shape = (U.shape[0], U.shape[0])
        # U^T U has the same norm, and with many samples in few features far fewer entries.
        n, d = U.shape
        fewer = n > max(MANY, 2 * d)
        if n > MANY_ROWS and sp.issparse(U):
            words, samples = np.diff(U.indptr).astype(float), np.diff(UT.indptr).astype(float)
            fewer = words @ words < samples @ samples
        left, right = (UT, U) if fewer else (U, UT)
        self.squared_norm = sum(_block_norm(left[i:i + 512], right) for i in range(0, left.shape[0], 512))

    def product(self, Y):
        """M Y for ``Y`` of shape (n, h)."""
        return self.U @ (self.UT @ Y)

    def split_product(self, Y):
        """M^+ Y and M^- Y, the positive and the negative part of M times ``Y`` of shape (n, h)."""
        return self.product(Y), 0.0


def _block_norm(rows, right):
    block = rows @ right
    values = block.data if sp.issparse(block) else block
    return float(np.sum(values * values))


class DenseSimilarity:
    """A symmetric similarity matrix M (n, n), dense or CSR; entries may be negative.  A factor U (n, d) with
    U U^T = M makes products cheaper if d is small."""

    def __init__(self, M, U=None):
        self.M, self.shape = thin(M), M.shape
        self.U = U if U is not None and 2 * U.shape[1] < U.shape[0] else None
        values = M.data if sp.issparse(M) else M
        self.squared_norm = float(np.sum(values * values))
        signed = values.min(initial=0.0) < 0
        self.positive = (M + abs(M)) / 2.0 if signed else self.M
        self.negative = (abs(M) - M) / 2.0 if signed else None

    def product(self, Y):
        """M Y for ``Y`` of shape (n, h)."""
        return self.M @ Y if self.U is None else self.U @ (self.U.T @ Y)

    def split_product(self, Y):
        """M^+ Y and M^- Y, the positive and the negative part of M times ``Y`` of shape (n, h)."""
        return self.positive @ Y, 0.0 if self.negative is None else self.negative @ Y


def cosine_similarity(X):
    """Cosine similarity of the rows; rows of zero norm are similar to nothing, not even themselves.  A
    ``FactoredSimilarity`` without any (n, n) array if X is nonnegative (text), else a ``DenseSimilarity``,
    because positive and negative entries have to be told apart."""
    U = unit_samples(X)
    values = U.data if sp.issparse(U) else U
    if values.size == 0 or values.min() >= 0:
        return FactoredSimilarity(sp.csr_array(U) if sp.issparse(U) else U)
    return DenseSimilarity(dense_product(U, U.T), U)


def similarities(Xs, similarity):
    """One similarity per task, by 'cosine', a callable of X, or a list of precomputed (n_t, n_t) arrays.
    Raises ``ValueError`` for an unknown option, and for a matrix of the wrong shape, not finite or not
    symmetric."""
    if isinstance(similarity, str) and similarity == "cosine":
        return [cosine_similarity(X) for X in Xs]
    return [DenseSimilarity(as_dense(M)) for M in _matrices("similarity", "'cosine'", similarity, Xs, "task")]


def _matrices(name, named, value, Xs, what, **rules):
    """What a callable gives for each task or view, or a list of as many: symmetric, one row per sample."""
    matrices = [call(name, value, X) for X in Xs] if callable(value) else value
    if not isinstance(matrices, (list, tuple)) or len(matrices) != len(Xs):
        got = repr(value) if isinstance(value, str) else type(value).__name__
        raise ValueError(f"{name} must be {named}, a callable, or a list with one (n_t, n_t) array per "
                         f"{what} ({len(Xs)} of them); got {got}")
    return [check_symmetric(M, X.shape[0], f"{name}[{t}] ({what} {t + 1})", **rules)
            for t, (M, X) in enumerate(zip(matrices, Xs))]


def check_symmetric(M, n, name, **rules):
    """A matrix as ``check_matrix`` reads it; ``ValueError`` unless it is (n, n) and symmetric."""
    M = check_matrix(M, name, **rules)
    if M.shape != (n, n):
        raise ValueError(f"{name} must have shape ({n}, {n}), one row and column per sample; got {M.shape}")
    if abs(M - M.T).max() > 1e-8 * max(abs(M).max(), np.finfo(float).tiny):
        raise ValueError(f"{name} must be symmetric; use (M + M.T) / 2")
    return M


class NormalizedCosine:
    """L = D^-1/2 A D^-1/2 for cosine similarities A of a nonnegative X (n, d), A_ii = 0; never formed.  With
    S the inverse of lengths times roots of degrees, L = S X X^T S but for the diagonal: of many samples only
    entries of X are copied, in single precision."""

    def __init__(self, X):
        squares = row_norms(X, squared=True)
        if X.shape[0] <= MANY_ROWS or ((squares < SHORTEST) & ~empty_samples(X)).any():
            X, lengths = sp.csr_array(unit_samples(X)), np.ones(X.shape[0])
            squares = X.multiply(X).sum(axis=1)
        else:
            X, lengths = sp.csr_array(X), np.sqrt(np.where(squares > 0, squares, 1.0))
        self.X, self.shape, self.diagonal = X, (X.shape[0], X.shape[0]), squares
        self.words = X.T @ (1.0 / lengths)
        degrees = (X @ self.words - self.diagonal / lengths) / lengths
        self.has_neighbours = degrees > NO_NEIGHBOURS
        self.root = np.sqrt(np.where(self.has_neighbours, degrees, 1.0)) * lengths

    def components(self):
        """Component of each sample, named by its first sample, (n,); samples are joined by shared words."""
        component, filled = np.arange(self.shape[0]), np.flatnonzero(self.has_neighbours)
        if 0 < len(filled) <= JOINED_ROWS and self._joined(filled[0])[filled].all():
            component[filled] = filled[0]
            return component
        group = np.arange(self.X.shape[1])
        first, occurring = np.empty_like(filled), np.flatnonzero(self.words)
        for rows in np.split(np.arange(len(filled)), range(JOINED_ROWS, len(filled), JOINED_ROWS)):
            block = self.X[filled[rows]]
            block.eliminate_zeros()  # a stored zero would join
            first[rows] = block.indices[block.indptr[:-1]]
            pairs = np.stack([np.repeat(group[first[rows]], np.diff(block.indptr)), group[block.indices]])
            pairs = pairs[:, pairs[0] != pairs[1]]
            if pairs.size:
                links = sp.coo_array((np.ones(pairs.shape[1]), pairs), shape=2 * group.shape)
                group = connected_components(links, directed=False)[1][group]
            if len(rows) and (group[occurring] == group[occurring[0]]).all():
                first[:] = occurring[0]  # what is left has no other words
                break
        component[filled] = filled[firsts(group[first])]
        return component

    def _joined(self, first):
        """Whether each sample is joined to one of them by shared words, over any number of steps, (n,)."""
        joined, before = np.arange(self.shape[0]) == first, 0
        while before < (before := np.count_nonzero(joined)):
            joined = (self.X @ (self.X.T @ joined > 0) > 0) & self.has_neighbours
        return joined

    def block(self, rows):
        """L for some samples, as an operator; a product costs O(nnz)."""
        n, diagonal, root = self.shape[0], self.diagonal[rows, None], self.root[rows, None]
        X = self.X[rows] if 2 * len(rows) < n else self.X
        if len(rows) > MANY_ROWS and SINGLE[0] < diagonal.min() and diagonal.max() < SINGLE[1] and (
                diagonal < LARGEST_DIAGONAL * root**2).all():
            # Eigenvectors of many samples are rounded by k-means; products take two thirds of the time.
            X = sp.csr_array((X.data.astype(np.float32), X.indices, X.indptr), shape=X.shape)
            diagonal, root = diagonal.astype(np.float32), root.astype(np.float32)
        XT, place = X.T, rows if len(rows) < X.shape[0] else slice(None)

        def product(V):
            spread = scaled = (V.reshape(len(rows), -1) / root).astype(X.dtype, copy=False)
            if place is rows:
                spread = np.zeros((X.shape[0], scaled.shape[1]), X.dtype)
                spread[place] = scaled
            return ((X @ (XT @ spread))[place] - diagonal * scaled) / root

        return LinearOperator((len(rows), len(rows)), matvec=product, matmat=product, dtype=X.dtype)


class NormalizedMatrix:
    """L = D^-1/2 A D^-1/2 for a symmetric nonnegative A (n, n), dense or CSR.  Its diagonal is taken as zero;
    of a dense A it may be kept."""

    def __init__(self, A, keep_diagonal=False):
        self.shape = A.shape
        A = A - sp.diags_array(A.diagonal()) if sp.issparse(A) else A.copy()
        if not (keep_diagonal or sp.issparse(A)):
            np.fill_diagonal(A, 0.0)
        degrees = np.asarray(A.sum(axis=1)).ravel()
        inverse = 1.0 / np.sqrt(np.where(degrees > 0, degrees, 1.0))
        scale = sp.diags_array(inverse)
        self.L = (sp.csr_array(scale @ A @ scale) if sp.issparse(A)
                  else np.multiply(np.multiply(A, inverse[:, None], out=A), inverse, out=A))

    def components(self):
        """Component of each sample, ndarray of shape (n,); entries of L below 1e-15 join nothing."""
        return connected_components(sp.csr_array(self.L > JOINED), directed=False)[1]

    def block(self, rows):
        """L for some samples, {ndarray, CSR array}."""
        return self.L if len(rows) == self.shape[0] else self.L[rows][:, rows]


class WeightedSum:
    """A weighted sum of normalised affinities of n samples each.  Weights are nonnegative and not all zero;
    affinities of zero weight are left out."""

    def __init__(self, graphs, weights):
        self.parts = [(graph, float(weight)) for graph, weight in zip(graphs, weights) if weight > 0]
        self.shape = graphs[0].shape

    def components(self):
        """Component of each sample where samples that any of the graphs joins are joined, shape (n,)."""
        labels = [graph.components() for graph, _ in self.parts]
        joints = [sp.csr_array((np.ones(len(h)), h, np.arange(len(h) + 1))) for h in labels]
        return connected_components(sp.block_array([[None, sp.hstack(joints)], [sp.hstack(joints).T, None]]),
                                    directed=False)[1][:self.shape[0]]

    def block(self, rows):
        """The sum for some samples: {ndarray, CSR array}, or an operator if that of a graph is one."""
        blocks = [(graph.block(rows), weight) for graph, weight in self.parts]
        if any(isinstance(block, LinearOperator) for block, _ in blocks):
            blocks = [(aslinearoperator(block), weight) for block, weight in blocks]
        weighted = [weight * block for block, weight in blocks]
        return sum(weighted[1:], start=weighted[0])


def among_filled(affinity, X, *options):
    """``affinity(X, *options)``, an (n, n) array or a list of CSR, where empty samples get no edges.  An
    empty sample, all zeros, is as far from another as that is long: it would be the neighbour of many."""
    empty = empty_samples(X)
    if not empty.any():
        return affinity(X, *options)
    n, rows = len(empty), np.arange(1) if empty.all() else np.flatnonzero(~empty)  # one alone has no edges
    A = affinity(X[rows], *(part[rows] if isinstance(part, np.ndarray) else part for part in options))
    if isinstance(A, list):
        return [spread(part, rows, n) for part in A]
    if sp.issparse(A):
        return spread(A, rows, n)
    whole = np.zeros((n, n))
    whole[np.ix_(rows, rows)] = A
    return whole


def spread(A, rows, n):
    """The sparse matrix A among some of n samples, as one of all."""
    A = A.tocoo()
    return sp.csr_array((A.data, (rows[A.row], rows[A.col])), shape=(n, n))


def gaussian_affinity(X, scale="median"):
    """exp(-d_ij^2 / (2 s^2)) for i != j and zero on the diagonal: an ndarray (n, n) in 0 .. 1.  ``scale`` is
    s, or 'median' or 'mean' of the distances between two samples; 'self-tuning' puts s_i s_j for 2 s^2, with
    s_i the distance to the 7th neighbour (Zelnik-Manor and Perona, NIPS 2004).  Where copies of one sample
    make s zero, the mean and the smallest positive s_i stand in."""
    distances = _distances(X)
    widths = _widths(distances, scale)
    local = isinstance(scale, str) and scale == "self-tuning"
    # In place: for thousands of samples new arrays cost more than the arithmetic.
    with np.errstate(over="ignore"):
        A = distances / widths[:, None]
        np.multiply(A, distances / widths if local else A, out=A)
    if not local:
        A /= 2.0
    np.exp(np.negative(A, out=A), out=A)
    np.fill_diagonal(A, 0.0)
    return A


def knn_affinity(X, n_neighbors=10, scale="mean", rank=None):
    """exp(-d_ij^2 / (2 s^2)) between a sample and its nearest others, averaged over both directions.

    CSR (n, n) in 0 .. 1 with a zero diagonal; s is the mean distance over all pairs of a sample and a
    neighbour, or with 'self-tuning' as in ``gaussian_affinity``.  At most n - 1 neighbours are used; for ties
    see ``nearest_distances``.  'log' is floor(log2 n) + 1, as in the code of symmetric NMF.  Empty samples
    have no edges, and n does not count them.
    """
    return knn_affinities(X, (n_neighbors,), scale, rank)[0]


def knn_affinities(X, counts, scale, rank):
    """``knn_affinity`` for several numbers of neighbours, ascending, by one search."""
    return among_filled(_knn_affinities, X, counts, scale, rank)


def _knn_affinities(X, counts, scale, rank):
    n = X.shape[0]
    if n == 1:
        return [sp.csr_array((1, 1)) for _ in counts]
    counts = [min(n.bit_length() if count == "log" else int(count), n - 1) for count in counts]
    squares, indices = nearest_distances(X, counts[-1], rank)
    return [_weighted(X, squares[:, :count], indices[:, :count], scale) for count in counts]


def _weighted(X, squares, indices, scale):
    n, m = indices.shape
    if isinstance(scale, str) and scale == "self-tuning":
        widths = _local_widths(np.sqrt(nearest_distances(X, min(NEIGHBOUR, n - 1))[0][:, -1]))
        weights = np.exp(-squares / (widths[:, None] * widths[indices]))
    else:
        weights = np.exp(-0.5 * squares / (np.sqrt(squares).mean() or 1.0) ** 2)
    A = sp.csr_array((weights.ravel(), indices.ravel(), m * np.arange(n + 1)), shape=(n, n))
    return (A + A.T).tocsr() / 2


def cosine_knn_affinity(X, n_neighbors=10, scale="mean", rank=None):
    """``knn_affinity`` of the rows at unit length, whose squared distances are 2 (1 - cosine).  The result is
    the same for dense and sparse X."""
    return knn_affinity(unit_samples(sp.csr_array(X)), n_neighbors, scale, rank)


def normalized_bipartite(X):
    """R^-1/2 X C^-1/2 with the sums of samples R and of features C: the graph of co-clustering.  X (n, d) is
    nonnegative, and the result as dense or sparse as X.  Its largest singular value is 1; rows and columns
    without entries stay zero."""
    # At a largest entry of 1 no sum can overflow; the factor cancels.
    X = X / (X.max() or 1.0)
    roots = [np.sqrt(np.asarray(X.sum(axis=axis)).ravel()) for axis in (1, 0)]
    left, right = (1.0 / np.where(root > 0, root, 1.0) for root in roots)
    if sp.issparse(X):
        return sp.csr_array(sp.diags_array(left) @ X @ sp.diags_array(right))
    return left[:, None] * X * right


def _distances(X):
    # Far from the origin the distances would drown in the rounding of the squared norms.
    X = near_origin(X)[0] if sp.issparse(X) else X - X.mean(axis=0)
    squares = euclidean_distances(X, squared=True)
    values = X.multiply(X) if sp.issparse(X) else X * X
    squares[squares < 1e-12 * values.sum(axis=1).max()] = 0.0
    return np.sqrt(squares, out=squares)


def _widths(distances, scale):
    """s_i of each sample, positive, shape (n,)."""
    n = distances.shape[0]
    if not isinstance(scale, str):
        return np.full(n, float(scale))
    if scale == "self-tuning":
        place = min(NEIGHBOUR, n - 1)
        return _local_widths(np.partition(distances, place, axis=1)[:, place])
    pairs = squareform(distances, checks=False)
    mean = float(pairs.mean()) if pairs.any() else 1.0
    return np.full(n, (float(np.median(pairs)) if scale == "median" and pairs.size else mean) or mean)


def _local_widths(widths):
    """The smallest positive width stands in for zeros."""
    return np.where(widths > 0, widths, widths[widths > 0].min(initial=np.inf) if widths.any() else 1.0)


def normalized_affinities(Xs, affinity, scale="median", what="task", n_neighbors=10):
    """One normalised affinity matrix per task or view, as spectral clustering needs it.

    ``affinity`` is 'cosine', 'gaussian' (see ``gaussian_affinity`` for ``scale``), 'knn' or 'knn-cosine'
    (with ``n_neighbors``, and of ``scale`` only 'self-tuning'), 'auto' ('knn-cosine' for those that are
    ``mostly_zero``, 'knn' for the others), a callable of X, or a list of precomputed (n_t, n_t) arrays, dense
    or CSR; ``what`` is what messages call an entry of ``Xs``.  With 'scales' for ``n_neighbors`` the
    normalised graphs of 10, 30 and 100 neighbours are added up.  The diagonal counts as zero in all, so that
    kernels and graphs are treated alike; a list that has one draws a ``UserWarning``.  Negative cosines count
    as 0; only data with negative entries need the (n, n) array.  Raises ``ValueError`` for an unknown option,
    and for a matrix of the wrong shape, not finite, negative, or not symmetric.
    """
    if isinstance(affinity, str) and affinity == "cosine":
        return [_normalized_cosine(X) for X in Xs]
    if isinstance(affinity, str) and affinity == "gaussian":
        return [NormalizedMatrix(among_filled(gaussian_affinity, X, scale)) for X in Xs]
    if isinstance(affinity, str) and affinity in NEIGHBOURS:
        rank = ranks(Xs) if what == "view" else None
        return [_neighbour_graph(X, affinity, n_neighbors, scale, rank) for X in Xs]
    matrices = _matrices("affinity", "'cosine', 'gaussian'", affinity, Xs, what, nonnegative=True)
    kernels = [t for t, A in enumerate(matrices) if not callable(affinity) and A.diagonal().any()]
    if kernels:
        tell(f"the diagonal of affinity[{kernels[0]}] ({what} {kernels[0] + 1}) is left out, as of "
             f"every affinity; set it to 0 to say that you know")
    return [NormalizedMatrix(A) for A in matrices]


def _neighbour_graph(X, affinity, n_neighbors, *options):
    cosine = affinity == "knn-cosine" or (affinity == "auto" and mostly_zero(X))
    if n_neighbors != "scales":
        return NormalizedMatrix((cosine_knn_affinity if cosine else knn_affinity)(X, n_neighbors, *options))
    found = knn_affinities(unit_samples(X) if cosine else X, MANY_SCALES, *options)
    return WeightedSum(list(map(NormalizedMatrix, found)), [1 / len(found)] * len(found))


def by_cosine(metric, X):
    """Whether the neighbours of X (n, d) are those by 'cosine'; 'auto': if X is ``mostly_zero``."""
    return metric == "cosine" or (metric == "auto" and mostly_zero(X))


def mostly_zero(X):
    """Whether data look like words or links: nonnegative, and at least 80 % zeros, dense or sparse."""
    stored = X.data if sp.issparse(X) else X
    left = (size := X.shape[0] * X.shape[1]) - ZEROS * size  # exact, as (1 - ZEROS) * size is not
    for rows in row_blocks(stored):
        left -= np.count_nonzero(stored[rows])
        if left < 0:
            return False
    return extremes(stored)[0] >= 0


def _normalized_cosine(X):
    if (X.data if sp.issparse(X) else X).min(initial=0.0) >= 0:
        return NormalizedCosine(X)
    U = unit_samples(X)
    return NormalizedMatrix(np.maximum(dense_product(U, U.T), 0.0))


GRAPH_PARAMETERS = {
    "scaling": SCALINGS, "n_neighbors": Named(("log",), COUNT), "scale": Named(SCALES, POSITIVE),
    "affinity": Named((*NEIGHBOURS, "gaussian", "cosine"))}
"""Rules for the parameters that :func:`view_graphs` reads."""


def view_graphs(model, Xs):
    """The normalised affinities of all views, built of data scaled as ``model.scaling`` says."""
    Xs = Xs if model.scaling == "none" else scale_views(Xs, model.scaling)
    return normalized_affinities(Xs, model.affinity, model.scale, "view", model.n_neighbors)
