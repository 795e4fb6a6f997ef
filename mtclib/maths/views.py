"""Weighted k-means on several views, with a weight for every pair of a view and a sample.

A view gives products with centroids and sums by cluster, in memory, sparse or on disk.  Small dense views and
sparse ones are scaled copies.  Dense views of more than ``LARGEST_COPY`` entries stay as they are, memory
maps included, and are scaled block by block as they are read.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from mtclib.core.large import row_blocks
from mtclib.core.starts import random_labels
from mtclib.maths.linalg import as_dense, dense_product
from mtclib.maths.scaling import apply_scale, find_scale, scaled_rows, warn_of_constant_views

LARGEST_COPY = 2**24
# Two distances are equal if they differ by less than this many roundings of their largest terms.
ROUNDINGS = 256


class _DenseView:
    """A scaled copy in float64."""

    def __init__(self, X, squares=None):
        self.X = X
        self.shape, self.dtype = X.shape, X.dtype
        self.squares = np.einsum("ij,ij->i", X, X) if squares is None else squares

    def products(self, centers, out):
        np.matmul(self.X, centers.T, out=out)

    def sums(self, H):
        # One addition per entry, rows in the order of the memory: faster than a product with a dense H.
        return H @ self.X

    def take(self, rows):
        return _DenseView(self.X[rows], self.squares[rows])


class _SparseView(_DenseView):
    """A scaled copy as CSR."""

    def __init__(self, X):
        super().__init__(X, np.asarray((X * X).sum(axis=1)).ravel())

    def products(self, centers, out):
        out[:] = self.X @ centers.T

    def sums(self, H):
        H = H.tocsr()
        H.eliminate_zeros()
        return dense_product(H, self.X)

    def take(self, rows):
        return _SparseView(self.X[rows])


class _StreamedView:
    """A dense view of any size that stays where it is; blocks are scaled as they are read."""

    def __init__(self, X, scale):
        self.X, self.scale = X, scale
        self.shape, self.dtype = X.shape, X.dtype
        self.squares = np.concatenate([
            np.einsum("ij,ij->i", block, block, dtype=float) for _, block in self._blocks()])

    def _blocks(self):
        for rows in row_blocks(self.X):
            yield rows, scaled_rows(self.X, self.scale, rows)

    def products(self, centers, out):
        centers = centers.astype(self.dtype)
        for rows, block in self._blocks():
            out[rows] = block @ centers.T

    def sums(self, H):
        H = H.T.astype(self.dtype)
        return sum((H[rows].toarray().T @ block).astype(float) for rows, block in self._blocks())

    def take(self, rows):
        return _DenseView(scaled_rows(self.X, self.scale, rows, float))


class Views:
    """The views of a data set, ready for the steps below.  ``parts`` are the views that are not constant (the
    first one alone if all are) and ``kept`` their numbers; ``scales`` are those of all views.  ``fixed`` has,
    for each view left out, the scaled row that all its samples equal, and None for the others.  ``squares``
    (n_views, n) are squared lengths of the rows."""

    def __init__(self, parts, scales, kept, fixed):
        self.parts = parts
        self.scales, self.kept, self.fixed = scales, kept, fixed
        self.n_samples = parts[0].shape[0]
        self.squares = np.stack([part.squares for part in parts])
        self.rounding = ROUNDINGS * max(np.finfo(part.dtype).eps for part in parts)
        self._products = None

    def take(self, rows):
        """The views of some samples, by their row numbers here."""
        return Views([part.take(rows) for part in self.parts], self.scales, self.kept, self.fixed)

    def products(self, centers):
        """Inner products of rows and centroids, (n_views, n, k); the array is used again by the next call."""
        shape = (len(self.parts), self.n_samples, len(centers[0]))
        if self._products is None or self._products.shape != shape:
            self._products = np.empty(shape)
        for part, C, out in zip(self.parts, centers, self._products):
            part.products(C, out)
        return self._products

    def sums(self, labels, weights, n_clusters):
        """Weighted sums of the rows of each cluster: a list of (k, d_v) arrays."""
        # Column i of H has one entry, the weight of row i, in the row of its cluster.
        H = sp.csc_array((weights[0], labels, np.arange(self.n_samples + 1)),
                         shape=(n_clusters, self.n_samples))
        out = []
        for part, w in zip(self.parts, weights):
            H.data = w
            out.append(part.sums(H))
        return out

    def means(self):
        """Means of the scaled views."""
        everybody = np.zeros(self.n_samples, dtype=np.intp)
        ones = np.ones((len(self.parts), self.n_samples))
        return [S[0] / self.n_samples for S in self.sums(everybody, ones, 1)]

    def expand(self, values, fill):
        """One row for every view, from one for each view in ``parts``; constant views get ``fill``."""
        out = np.full((len(self.scales), *values.shape[1:]), fill, dtype=values.dtype)
        out[self.kept] = values
        return out

    def restore(self, centers):
        """Centroids of all views in the units of the input, from those of the scaled views in ``parts``."""
        scaled = [None if row is None else np.tile(row, (len(centers[0]), 1)) for row in self.fixed]
        for v, C in zip(self.kept, centers):
            scaled[v] = C
        return [scale.restore(C) for scale, C in zip(self.scales, scaled)]


def prepare_views(Xs, scaling):
    """Validated data, a list of {ndarray, CSR array} of shape (n, d_v), as ``Views`` in a scaling."""
    scales = [find_scale(X, scaling) for X in Xs]
    warn_of_constant_views(scales)
    kept = [v for v, scale in enumerate(scales) if not scale.constant] or [0]
    fixed = [None if v in kept else as_dense(apply_scale(X[:1], scale.first_row()))[0]
             for v, (X, scale) in enumerate(zip(Xs, scales))]
    parts = []
    for v in kept:
        if sp.issparse(Xs[v]):
            parts.append(_SparseView(apply_scale(Xs[v], scales[v])))
        elif Xs[v].size > LARGEST_COPY:
            parts.append(_StreamedView(Xs[v], scales[v]))
        else:
            parts.append(_DenseView(apply_scale(Xs[v], scales[v])))
    return Views(parts, scales, kept, fixed)


@dataclass
class State:
    """Where a fit is."""

    views: Views
    centers: list  # (k, d_v) each
    labels: np.ndarray  # (n,), int
    weights: np.ndarray  # (n_views, n)
    losses: np.ndarray  # (n_views, n), squared distances to the own centroid


def centroids(state, masses=None, means=None):
    """Weighted means of the clusters in each view, (k, d_v); a cluster without weight keeps its centroid.
    With ``masses`` (n_views, n), sums are divided by the masses of a cluster instead of its weights, about
    ``means`` (d_v,) as origin."""
    k = len(state.centers[0])
    sums = state.views.sums(state.labels, state.weights, k)
    out = []
    for v, (total, previous) in enumerate(zip(sums, state.centers)):
        weight = np.bincount(state.labels, state.weights[v], minlength=k)[:, None]
        mass = weight if masses is None else np.bincount(state.labels, masses[v], minlength=k)[:, None]
        mean = total if means is None else total - weight * means[v]
        mean /= np.where(mass > 0, mass, 1.0)
        if means is not None:
            mean += means[v]
        out.append(mean if (mass > 0).all() else np.where(mass > 0, mean, previous))
    return out


def assign(state, weights):
    """Nearest centroids in the weighted sum of all views; sets the labels and losses of the state.  A sample
    stays in its cluster if no other is strictly nearer, and a sample that has no weight in any view counts
    all views alike: its cluster does not change the weighted sum."""
    products, lengths, squares = _expanded(state)
    if np.count_nonzero(weights) < weights.size:
        weights = np.where(weights.any(axis=0), weights, 1.0)
    alike = (weights == 1.0).all()
    total = products.sum(axis=0) if alike else np.einsum("vnk,vn->nk", products, weights)
    total += weights.T @ lengths
    slack = np.einsum("vn,vn->n", weights, squares)
    slack += lengths.max(axis=1) @ weights
    state.labels = _nearest(total, state.labels, state.views.rounding * slack)
    state.losses = _own_losses(products, lengths, squares, state.labels)


def fill_empty_cluster(state, costs):
    """Give the first empty cluster the sample that costs most; whether there were both.  ``costs`` (n,) are
    what each sample adds to the objective; samples that lie on their centroid stay.  A sum of costs that are
    0 on the centroid does not rise, if it is then minimised over the centroids.  One cluster at a time, as
    copies of the sample will follow it."""
    empty = np.setdiff1d(np.arange(len(state.centers[0])), state.labels)
    squares = state.views.squares
    away = (state.losses > state.views.rounding * (squares + squares.mean(axis=1, keepdims=True))).any(axis=0)
    if not (empty.size and away.any()):
        return False
    state.labels = state.labels.copy()
    state.labels[np.where(away, costs, -1.0).argmax()] = empty[0]
    return True


def _expanded(state):
    """The terms of |x - c|^2: -2 x c, (n_views, n, k); c c, (n_views, k); x x, (n_views, n)."""
    lengths = np.stack([np.vecdot(C, C) for C in state.centers])
    return state.views.products([-2.0 * C for C in state.centers]), lengths, state.views.squares


def _nearest(total, labels, slack):
    """The cluster of the smallest entry of each row; among equal ones the present, else the first."""
    starts = np.arange(0, total.size, total.shape[1])
    limit = total.ravel().take(starts + total.argmin(axis=1))
    limit += slack
    leaving = np.flatnonzero(total.ravel().take(starts + labels) > limit)
    labels = labels.copy()
    labels[leaving] = (total[leaving] <= limit[leaving, None]).argmax(axis=1)
    return labels


def _own_losses(products, lengths, squares, labels):
    """Squared distances to the own centroid, from products with -2 times the centroids."""
    n_views, n, k = products.shape
    losses = products.reshape(n_views, -1).take(np.arange(0, n * k, k) + labels, axis=1)
    losses += lengths.take(labels, axis=1)
    losses += squares
    return np.maximum(losses, 0.0, out=losses)


def start(views, n_clusters, init, init_share, seed):
    """The state before the first iteration, with weights one.  ``init`` is 'sample' (k-means from random
    points on a random share, ``init_share``, of the samples, at least three per cluster), 'points' (random
    samples as centroids), 'labels' (random clusters of equal size), or a partition."""
    rng = np.random.default_rng(seed)
    n = views.n_samples
    ones = np.ones((len(views.parts), n))
    state = State(views, [np.zeros((n_clusters, part.shape[1])) for part in views.parts],
                  np.zeros(n, dtype=np.intp), ones, np.zeros_like(ones))
    if isinstance(init, str) and init == "labels":
        init = random_labels(n, n_clusters, rng)
    if isinstance(init, str):
        size = n_clusters if init == "points" else min(n, max(int(init_share * n), 3 * n_clusters))
        state.centers = _sample_centroids(views, n_clusters, rng.choice(n, size, replace=False))
        assign(state, ones)
    else:
        state.labels = init.astype(np.intp)
        if len(np.unique(init)) < n_clusters:  # at 0 an empty cluster would depend on the origin of the data
            state.centers = [np.tile(mean, (n_clusters, 1)) for mean in views.means()]
        state.centers = centroids(state)
        state.losses = _own_losses(*_expanded(state), state.labels)
    return state


def _sample_centroids(views, n_clusters, rows, max_iter=100):
    """Centroids of k-means on some rows, the first of which are the start."""
    sample = views.take(rows)
    ones = np.ones((len(sample.parts), sample.n_samples))
    points = sample.take(np.arange(n_clusters))
    state = State(sample, points.sums(np.arange(n_clusters), ones[:, :n_clusters], n_clusters),
                  np.zeros(sample.n_samples, dtype=np.intp), ones, np.zeros_like(ones))
    for _ in range(max_iter):
        before = state.labels
        assign(state, ones)
        if np.array_equal(before, state.labels):
            break
        state.centers = centroids(state)
    return state.centers
