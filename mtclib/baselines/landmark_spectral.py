"""LandmarkSpectral: spectral clustering of many samples in several views through landmarks."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import gen_batches
from sklearn.utils.extmath import randomized_svd

from mtclib.core.base import DegenerateSubspaceWarning, Fit, MultiViewClusterer, Traits
from mtclib.core.checks import COUNT, Named, empty_samples
from mtclib.core.errors import tell
from mtclib.core.large import extremes, let_go, room
from mtclib.core.starts import best_kmeans, firsts, fit_quietly, one_thread
from mtclib.maths.eigen import EXTRA, top_eigenvectors
from mtclib.maths.graphs import by_cosine
from mtclib.maths.linalg import as_dense, unit_rows, unit_samples
from mtclib.maths.neighbours import nearest_distances, ranks

MOST = 1000
"""Up to so many samples each is a landmark; beyond so many landmarks suffice, or five a cluster if more."""
SAMPLES = 10  # of a landmark
CANDIDATES = 8  # landmarks looked at for each that is wanted
COMPONENTS = 64  # of a view by cosine
ENTRIES, FEWEST_ROWS, MOST_ROWS = 2**23, 2**8, 2**18  # of a block of a view
PARTS = 16  # in which a sample is read
STRIP = 2**14  # rows of the graph that stay in the processor's cache
SINGLE = (1e-10, 1e15)  # sizes of entries whose squares, and those of their differences, single precision has
ACCURACY = 1e-3  # of eigenvectors that k-means rounds anyway


class LandmarkSpectral(MultiViewClusterer):
    r"""Spectral clustering of the mean of the views' landmark graphs, in time and memory linear in samples.

    Each view has p landmarks, the centroids of k-means on a sample.  :math:`Z_v` (n, p) holds for each sample
    the Gaussian weights of its s nearest landmarks, their width the distance to the last of them; rows sum
    to 1.  With :math:`\Lambda_v = \operatorname{diag}(Z_v^\top 1)`

    .. math:: W = \frac{1}{V} \sum_v Z_v \Lambda_v^{-1} Z_v^\top = \hat Z \hat Z^\top, \qquad
        \hat Z = V^{-1/2} [Z_1 \Lambda_1^{-1/2}, \dots, Z_V \Lambda_V^{-1/2}]

    is the affinity: symmetric, nonnegative, its rows sum to 1.  Its k leading eigenvectors are the left
    singular vectors of :math:`\hat Z`, which follow from the (Vp, Vp) matrix :math:`\hat Z^\top \hat Z`; no
    (n, n) array is formed.  Their rows, at unit length, are clustered by k-means.

    The graph of a view is that of Chen and Cai; views are joined side by side as in Kang et al., and the
    landmarks nearest to a sample are looked for among those nearest to the nearest one, as in Huang et al.
    By cosine, rows are brought to unit length; with more samples than landmarks they are then projected onto
    their 64 leading singular vectors, and brought to unit length again (latent semantic analysis).

    Parameters
    ----------
    n_clusters : int
        :math:`k`.
    n_landmarks : 'auto' or int > 0, default 'auto'
        :math:`p`, at most n.  'auto' takes all samples up to 1,000, beyond :math:`10 \sqrt n`, at most 1,000
        and at least :math:`5 k`.
    n_neighbors : int, default 8
        :math:`s`: the landmarks of a sample.
    metric : {'auto', 'euclidean', 'cosine'}, default 'auto'
        What is near.  'auto' takes the cosine for views that are nonnegative and at least 80 % zeros, such as
        words and links.
    n_init, max_iter, seeding : int, int, and {'greedy', 'plain', 'random'}, default 10, 300 and 'greedy'
        Starts of k-means, its iterations, and where it starts; see :func:`mtclib.core.starts.best_kmeans`.
    random_state : None, int, Generator or RandomState
        Draws the sample of the landmarks and starts k-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n,), int
        Clusters are numbered in the order of their first samples.
    embedding_ : ndarray of shape (n, k), float32
        What k-means saw: rows of unit length.
    eigenvalues_ : ndarray of shape (k,)
        Of :math:`W`, descending, in 0 .. 1.
    landmarks_ : list of {ndarray, CSR array} of shape (p, d_v)
        In the units of the input; by cosine at unit length, or in the projection.
    objective_ : ndarray of shape (1,)
        Inertia of k-means; there is no history.
    n_iter_, converged_ : int and bool
        Of k-means.

    Warns
    -----
    DegenerateSubspaceWarning
        If the landmark graph has more components than clusters.

    Notes
    -----
    Time grows as n V (d p + s k), memory beyond the data as n (V s + k), by cosine as n (64 V + k); a large
    graph lies in a temporary file.  Dense views are read in blocks of rows, memory maps in single or double
    precision from where they lie: three views of 10,000,000 samples and 10 features took two minutes of one
    processor and 0.9 GB, pages of the files included.

    References
    ----------
    X. Chen, D. Cai. Large Scale Spectral Clustering with Landmark-Based Representation. AAAI 2011.

    Z. Kang, W. Zhou, Z. Zhao, J. Shao, M. Han, Z. Xu. Large-Scale Multi-View Subspace Clustering in Linear
    Time. AAAI 2020.

    D. Huang, C.-D. Wang, J.-S. Wu, J.-H. Lai, C.-K. Kwoh. Ultra-Scalable Spectral Clustering and Ensemble
    Clustering. IEEE TKDE 32(6), 2020.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> means = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])[np.arange(60) % 3]
    >>> views = [means + rng.normal(size=(60, 2)), means + rng.normal(size=(60, 2))]
    >>> np.bincount(LandmarkSpectral(n_clusters=3, random_state=0).fit(views).labels_).tolist()
    [20, 20, 20]
    """

    traits = Traits(kind="multiview", paper="Chen, Cai, AAAI 2011", monotone=False, float32=True, graph=True)
    ALGORITHM_VERSION = 3
    rules = {"n_landmarks": Named(("auto",), COUNT), "n_neighbors": COUNT,
             "metric": ("auto", "euclidean", "cosine")}

    def __init__(self, n_clusters, *, n_landmarks="auto", n_neighbors=8, metric="auto", n_init=10,
                 max_iter=300, seeding="greedy", random_state=None):
        self.n_clusters, self.n_landmarks, self.n_neighbors = n_clusters, n_landmarks, n_neighbors
        self.metric, self.n_init, self.max_iter = metric, n_init, max_iter
        self.seeding, self.random_state = seeding, random_state

    def _fit_best(self, Xs, n_clusters, seeds):
        n = Xs[0].shape[0]
        count = number_of_landmarks(n, n_clusters) if self.n_landmarks == "auto" else self.n_landmarks
        count, rank = min(int(count), n), ranks(Xs) if count >= n else None
        # OpenMP, which only looks for nearest landmarks here, adds nothing up.
        with one_thread("blas"):
            views = [View.of(X, self.metric, count, int(self.n_neighbors), seeds[0], rank) for X in Xs]
            values, V = Graph(views).eigenvectors(n_clusters, seeds[0])
            V = unit_rows(V)
            model = best_kmeans(V, n_clusters, seeds, self.max_iter, self.seeding)
        # Eigenvectors of one eigenvalue are determined up to a rotation, which must not number the clusters.
        labels = np.unique(firsts(model.labels_), return_inverse=True)[1]
        return Fit(labels, [float(model.inertia_)], model.n_iter_ < self.max_iter, {
            "embedding_": V, "eigenvalues_": values, "n_iter_": int(model.n_iter_),
            "landmarks_": [view.landmarks if view.centre is None else view.landmarks + view.centre
                           for view in views]})


def number_of_landmarks(n, n_clusters):
    """Landmarks of n samples.

    >>> [number_of_landmarks(*each) for each in ((500, 9), (2000, 9), (10**6, 9), (10**6, 1000), (1001, 900))]
    [500, 447, 1000, 5000, 1001]
    """
    return n if n <= MOST else min(n, max(min(MOST, int(10 * n**0.5)), 5 * n_clusters))


@dataclass(frozen=True)
class View:
    """A view with its landmarks."""

    X: np.ndarray  # {ndarray, memory map, CSR array} (n, d)
    centre: np.ndarray | None  # (d,): distances far from the origin would drown in rounding
    landmarks: np.ndarray  # {ndarray, CSR array} (p, d), centred
    nearest: KMeans | tuple  # its ``predict`` finds the nearest; or squares and indices of all samples
    n_neighbors: int
    cosine: bool = False  # rows have unit length, or are zero: such samples have no edges

    @classmethod
    def of(cls, X, metric, n_landmarks, n_neighbors, seed, rank):
        """Landmarks by k-means on a sample, or all samples where as many are wanted; then ``rank`` tells
        copies apart, see ``nearest_distances``."""
        pool = many = n = X.shape[0]
        if cosine := by_cosine(metric, X):
            U = unit_samples(sp.csr_array(X))
            filled = np.flatnonzero(~empty_samples(U))
            if n_landmarks == n:
                # An empty sample would be nearer to all others than most of them are to each other.
                filled = filled if len(filled) else np.arange(n)
                lists = nearest_of_all(U[filled], n_neighbors, rank[filled])
                squares, indices = (np.zeros((n, one.shape[1]), one.dtype) for one in lists)
                squares[filled], indices[filled] = lists
                return cls(U, None, U[filled], (squares, indices), squares.shape[1], True)
            X = projected(U, seed)
            if 0 < len(filled) < n - 1:  # several copies, in whose place k-means would start many landmarks
                pool, many = filled, len(filled)
        n_landmarks = min(n_landmarks, many)
        rows = np.random.default_rng(seed).choice(pool, min(many, SAMPLES * n_landmarks), replace=False)
        sample = read(X, np.sort(rows))
        if X.dtype == np.float32 and not SINGLE[0] < np.abs(extremes(X)).max() < SINGLE[1]:
            sample = sample.astype(float)  # and so are the centre, and what is centred by it
        centre = sample.mean(axis=0)
        landmarks = sample - centre
        if n_landmarks == n:
            nearest = nearest_of_all(landmarks.astype(float), n_neighbors, rank)
        else:
            nearest = KMeans(n_landmarks, init="random", n_init=1, max_iter=20, random_state=seed)
            landmarks = fit_quietly(nearest, landmarks).cluster_centers_
        return cls(X, centre, landmarks, nearest, min(n_neighbors, n_landmarks), cosine)

    def block(self, rows):
        """Some rows, centred."""
        return self.X[rows] if self.centre is None else as_dense(self.X[rows]) - self.centre

    def weights(self, rows):
        """Z_v of some rows: indices and weights, (m, n_neighbors) each."""
        squares, indices = ((one[rows] for one in self.nearest) if isinstance(self.nearest, tuple)
                            else self._near(self.block(rows)))
        width = squares.max(axis=1, keepdims=True)
        weights = np.exp(-np.divide(squares, width, out=np.zeros_like(squares), where=width > 0))
        weights /= weights.sum(axis=1, keepdims=True)
        if self.cosine:
            weights[empty_samples(self.X[rows])] = 0.0
        return indices, weights

    def _near(self, block):
        """The nearest of the landmarks that are nearest to the nearest one."""
        n_candidates = min(CANDIDATES * self.n_neighbors, len(self.landmarks))
        search = NearestNeighbors(n_neighbors=n_candidates, algorithm="brute").fit(self.landmarks)
        first = self.nearest.predict(block)
        candidates = search.kneighbors(self.landmarks, return_distance=False)
        order = np.argsort(first, kind="stable")
        lengths = np.einsum("ij,ij->i", self.landmarks, self.landmarks)
        indices = np.empty((len(block), self.n_neighbors), dtype=np.intp)
        squares = np.empty((len(block), self.n_neighbors), dtype=block.dtype)
        for rows in np.split(order, np.flatnonzero(np.diff(first[order])) + 1):
            near, own = candidates[first[rows[0]]], block[rows]
            found = lengths[near] - 2 * (own @ self.landmarks[near].T)
            chosen = np.argpartition(found, self.n_neighbors - 1, axis=1)[:, :self.n_neighbors]
            indices[rows] = near[chosen]
            squares[rows] = np.take_along_axis(found, chosen, axis=1)
        squares += np.einsum("ij,ij->i", block, block)[:, None]
        return np.maximum(squares, 0.0, out=squares), indices


def nearest_of_all(X, count, rank):
    """Each of n samples and its nearest others, at most ``count`` in all: squared distances, ascending, and
    indices, (n, count) each."""
    own, count = np.arange(X.shape[0])[:, None], min(count, X.shape[0])
    if count == 1:
        return np.zeros(own.shape), own
    squares, indices = nearest_distances(X, count - 1, rank)
    return np.hstack([np.zeros(own.shape), squares]), np.hstack([own, indices])


def projected(U, seed):
    """Rows of U (n, d), of unit length, in its leading singular vectors, at unit length again."""
    count = min(COMPONENTS, *U.shape)
    left, values, _ = randomized_svd(U, count, random_state=seed)
    projections = unit_rows(left * values).astype(np.float32)
    projections[empty_samples(U)] = 0.0
    return projections


class Graph:
    """The matrix Z-hat (n, P) of the class docstring; only entries that are not zero are kept."""

    def __init__(self, views):
        self.n, widths = views[0].X.shape[0], [view.n_neighbors for view in views]
        offsets = np.cumsum([0, *(view.landmarks.shape[0] for view in views)])
        self.n_landmarks, self.width = int(offsets[-1]), sum(widths)
        kind = np.min_scalar_type(self.n_landmarks)
        self.indices, self.weights = (room((self.n, self.width), dtype) for dtype in (kind, np.float32))
        for view, offset, end in zip(views, offsets, np.cumsum(widths)):
            columns = slice(end - view.n_neighbors, end)
            for rows in gen_batches(self.n, int(np.clip(ENTRIES // view.X.shape[1], FEWEST_ROWS, MOST_ROWS))):
                indices, weights = view.weights(rows)
                self.indices[rows, columns], self.weights[rows, columns] = indices + offset, weights
                let_go(view.X)
                self._let_go()
        sums = np.zeros(self.n_landmarks)
        for rows in gen_batches(self.n, MOST_ROWS):
            sums += np.bincount(self.indices[rows].ravel(), self.weights[rows].ravel(), self.n_landmarks)
            self._let_go()
        self.factors = 1.0 / np.sqrt(len(views) * np.where(sums > 0, sums, 1.0))
        # To make a strip takes longer than a product with it.
        self.only = list(self._strips()) if self.n <= STRIP else None

    def _let_go(self):
        let_go(self.indices)
        let_go(self.weights)

    def strips(self):
        """Slices of rows, Z as CSR (m, P) of them, columns not yet scaled, and its transpose."""
        return self.only or self._strips()

    def _strips(self):
        for rows in gen_batches(self.n, STRIP):
            indices, weights = self.indices[rows].astype(np.int32), self.weights[rows]
            ends = np.arange(0, indices.size + 1, self.width, dtype=np.int32)
            shape = len(indices), self.n_landmarks
            Z = sp.csr_array((weights.ravel(), indices.ravel(), ends), shape=shape)
            yield rows, Z, Z.T
            self._let_go()

    def product(self, S):
        """Z-hat^T Z-hat S for S of shape (P, h)."""
        scaled = (self.factors[:, None] * S).astype(np.float32)
        total = np.zeros(S.shape)
        for _, Z, ZT in self.strips():
            total += ZT @ (Z @ scaled)
        return self.factors[:, None] * total

    def eigenvectors(self, n_vectors, seed):
        """The leading eigenvalues of W, descending, and eigenvectors (n, n_vectors), float32."""
        count = min(n_vectors + 1, self.n_landmarks)
        start = np.random.default_rng(seed).standard_normal((self.n_landmarks, count + EXTRA))
        values, right, _ = top_eigenvectors(self.product, start, count, ACCURACY)
        if count > n_vectors and values[-1] > 1 - ACCURACY:
            tell("the landmark graph falls into more components than n_clusters, and which of them "
                 "get an eigenvector is not determined; ask for more clusters, or raise n_neighbors",
                 DegenerateSubspaceWarning)
        values, right = values[:n_vectors], right[:, :n_vectors]
        scaled = (self.factors[:, None] * right / np.sqrt(np.maximum(values, ACCURACY))).astype(np.float32)
        # Beyond the landmarks eigenvalues are 0, and their vectors say nothing.
        V, found = np.zeros((self.n, n_vectors), dtype=np.float32), len(values)
        for rows, Z, _ in self.strips():
            V[rows, :found] = Z @ scaled
        return np.pad(np.clip(values, 0.0, 1.0), (0, n_vectors - found)), V


def read(X, rows):
    """Some rows, dense; of a mapped file only a part is in memory at a time."""
    parts = []
    for chosen in np.array_split(rows, PARTS):
        parts.append(as_dense(X[chosen]))
        let_go(X)
    return np.concatenate(parts)
