"""CLR: constrained Laplacian rank (Nie, Wang, Jordan, Huang, AAAI 2016), with squared distances."""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from mtclib.core.base import DegenerateSubspaceWarning, Fit, SingleTaskClusterer, Traits, spawn_seeds
from mtclib.core.checks import COUNT, POSITIVE
from mtclib.core.errors import tell
from mtclib.core.starts import best_kmeans
from mtclib.maths.eigen import EXTRA, top_eigenvectors
from mtclib.maths.graphs import METRICS, among_filled, by_cosine, spread
from mtclib.maths.linalg import unit_samples
from mtclib.maths.neighbours import nearest_distances
from mtclib.maths.simplex import project_stored_rows

# Weights of the graph are of the order 1 / n_neighbors; smaller ones than this are rounding and join nothing.
JOINED = 1e-12
# Residual of the eigenvectors, as a share of the largest eigenvalue.
RESIDUAL = 1e-7
# A larger penalty changes nothing that floating-point numbers can tell.
LARGEST_PENALTY = 1e12
KMEANS_STARTS = 10


class CLR(SingleTaskClusterer):
    r"""Constrained Laplacian rank: the graph with exactly k components that is nearest to a neighbour graph.

    With :math:`A` the initial graph of a task, the method minimises :math:`\|S - A\|^2` over :math:`S` whose
    rows lie on the unit simplex and whose Laplacian has rank n - k, which means that the graph :math:`S` has
    k components: they are the clusters.  The rank is enforced by a penalty,

    .. math:: \|S - A\|^2 + 2 \lambda \operatorname{tr}(F^\top L_S F), \qquad F^\top F = I,

    where :math:`F` holds the k smallest eigenvectors of the Laplacian :math:`L_S` of
    :math:`(S + S^\top) / 2`, and row i of :math:`S` is the projection of :math:`a_i - \lambda f_i / 2`, with
    :math:`f_{ij} = \|F_i - F_j\|^2`, on the simplex.  As in the authors' code, only the edges of :math:`A`
    carry weight, :math:`\lambda`, here ``lam``, doubles while :math:`S` has too few components, and is
    halved, with the last :math:`F`, when it has too many.  Components are counted, not guessed from small
    eigenvalues.

    Three cases have no exact solution.  If :math:`A` itself has more than k components, no :math:`S` on its
    edges has k.  No graph has more than :math:`n_t / 2` components, as each sample is joined to another.  And
    after ``max_iter`` rounds the number of components may still differ from k.  In all of them ``labels_``
    come from k-means on the rows of the last :math:`F`, and ``components_`` holds the components as they are.
    Of more components than k the largest count in :math:`F`; where several are as large as the k-th, those
    whose samples come first, so that the order of samples has a part in it.

    Time grows as n^2: n up to about 40,000 (all tasks together; ten iterations in two minutes).

    Parameters
    ----------
    n_clusters : int, or list of int with one per task
    n_neighbors : int, default 10
        Neighbours in the initial graph; at most n_t - 2 are used.  A cluster should have more samples.
    metric : {'euclidean', 'cosine', 'auto'}, default 'euclidean'
        'cosine' scales the rows to unit length first, 'auto' those of nonnegative tasks with 80 % zeros.
    lam : float > 0, default 0.1
        First value of the penalty.
    max_iter : int, default 30
        Rounds.
    seeding : {'greedy', 'plain', 'random'}, default 'greedy'
        Where k-means starts, in the three cases above; see :func:`mtclib.core.starts.best_kmeans`.
    random_state : None, int, Generator or RandomState
        Of the start vectors of the eigensolver, which change nothing but rounding, and of k-means in the
        three cases above.

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
    graph_ : list of CSR array of shape (n_t, n_t)
        :math:`(S + S^\top) / 2`.
    components_ : list of ndarray of shape (n_t,), int
        Component of each sample in ``graph_``.
    n_components_ : list of int
        Equal to the number of clusters where the method succeeded.
    objective_ : ndarray of shape (n_iter,)
        :math:`\|S - A\|^2`, summed over tasks, after each round; it rises with the penalty.
    n_iter_, converged_ : int and bool
        False if a task has another number of components after ``max_iter`` rounds.

    Warns
    -----
    DegenerateSubspaceWarning
        If the initial graph has more components than clusters, or no graph can have so many.

    References
    ----------
    F. Nie, X. Wang, M. I. Jordan, H. Huang. The Constrained Laplacian Rank Algorithm for Graph-Based
    Clustering. AAAI 2016.

    Examples
    --------
    >>> X = np.vstack([np.arange(12.0)[:, None], 30.0 + np.arange(12.0)[:, None]])
    >>> CLR(n_clusters=2, n_neighbors=5).fit([X]).labels_[0].tolist() == [0] * 12 + [1] * 12
    True
    """

    traits = Traits(kind="multitask", paper="Nie, Wang, Jordan, Huang, AAAI 2016", monotone=False,
                    task_order_free=True, graph=True)
    ALGORITHM_VERSION = 3
    rules = {"n_neighbors": COUNT, "metric": METRICS, "lam": POSITIVE}

    def __init__(self, n_clusters, *, n_neighbors=10, metric="euclidean", lam=0.1, max_iter=30,
                 seeding="greedy", random_state=None):
        self.n_clusters, self.n_neighbors, self.metric, self.lam = n_clusters, n_neighbors, metric, lam
        self.max_iter, self.seeding, self.random_state = max_iter, seeding, random_state

    def _prepare(self, Xs, n_clusters):
        return [among_filled(initial_graph, unit_samples(X) if by_cosine(self.metric, X) else X,
                             int(self.n_neighbors)) for X in Xs]

    def _fit_task(self, A, n_clusters, seed):
        filled = np.flatnonzero(np.diff(A.indptr))
        if 0 < len(filled) < A.shape[0]:
            most = min(n_clusters, len(filled))
            return placed(self._fit_filled(A[filled][:, filled], most, seed), filled, A.shape[0])
        return self._fit_filled(A, n_clusters, seed)

    def _fit_filled(self, A, n_clusters, seed):
        count, components = pieces(A)
        solvable = count == n_clusters or count < n_clusters <= A.shape[0] // 2
        if not solvable:
            tell(f"the neighbour graph falls into {count} components, more than n_clusters={n_clusters}: no "
                 f"weights on its edges join them; use more neighbours than n_neighbors={self.n_neighbors}"
                 if count > n_clusters else
                 f"no graph of {A.shape[0]} samples has n_clusters={n_clusters} components, as each sample "
                 f"is joined to another: labels are of k-means; ask for fewer clusters",
                 DegenerateSubspaceWarning)
        start = np.random.default_rng(seed).standard_normal((A.shape[0], n_clusters + EXTRA))
        F = smallest_eigenvectors(A, components, n_clusters, start)
        S, lam, history = A, float(self.lam), []
        while solvable and count != n_clusters and len(history) < self.max_iter:
            weights = reweighted(A, F, lam)
            history.append(float(np.sum((weights.data - A.data) ** 2)))
            S = sp.csr_array(weights + weights.T) / 2
            count, components = pieces(S)
            if count < n_clusters:
                lam = min(2.0 * lam, LARGEST_PENALTY)
                F = smallest_eigenvectors(S, components, n_clusters, np.hstack([F, start]))
            elif count > n_clusters:
                lam /= 2.0
        labels = (components if count == n_clusters
                  else best_kmeans(F, n_clusters, spawn_seeds(seed, KMEANS_STARTS),
                                   seeding=self.seeding).labels_)
        return Fit(labels.astype(np.intp), history or [0.0], not solvable or count == n_clusters,
                   {"graph_": S, "components_": components.astype(np.intp), "n_components_": int(count)})


def placed(fit, filled, n):
    """The fit of some of n samples; the others are components of their own, not counted, in cluster 0, and
    their rows of other arrays are zero."""
    if len(filled) == n:
        return fit
    found, count = fit.attributes, fit.attributes["n_components_"]
    arrays = {"labels": fit.labels, **{name: X for name, X in found.items() if isinstance(X, np.ndarray)}}
    for name, array in arrays.items():
        arrays[name] = np.zeros((n, *array.shape[1:]), array.dtype)
        arrays[name][filled] = array
    fit.labels, components = arrays.pop("labels"), np.arange(n) + count
    components[filled] = found["components_"]
    found |= arrays | {"components_": np.unique(components, return_inverse=True)[1],
                       "graph_": spread(found["graph_"], filled, n)}
    return fit


def initial_graph(X, n_neighbors):
    """The initial graph A: weights of the nearest neighbours that fall to 0 at the next one.

    a_ij = (d_i,m+1 - d_ij) / (m d_i,m+1 - sum_k d_ik) for the m = n_neighbors nearest neighbours of sample i
    by squared distances d, and 1 / m where all of these are equal; then (A + A^T) / 2.  At most n - 2 are
    used.  CSR array of shape (n, n) with zero diagonal and no stored zeros.
    """
    n = X.shape[0]
    if n <= 2:
        return sp.csr_array(1.0 - np.eye(n))
    m = min(n_neighbors, n - 2)
    squares, indices = nearest_distances(X, m + 1)
    gaps = squares[:, m:] - squares[:, :m]
    totals = gaps.sum(axis=1, keepdims=True)
    weights = np.where(totals > 0.0, gaps / np.where(totals > 0.0, totals, 1.0), 1.0 / m)
    A = sp.csr_array((weights.ravel(), indices[:, :m].ravel(), m * np.arange(n + 1)), shape=(n, n))
    A = sp.csr_array(A + A.T) / 2
    A.eliminate_zeros()
    A.sort_indices()
    return A


def pieces(S):
    """Number of components of a symmetric graph, and the component of each sample."""
    return connected_components(sp.csr_array(S > JOINED), directed=False)


def reweighted(A, F, lam):
    """The best S for given F, (n, k), on the edges of A, at least one per row: CSR, not symmetric."""
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    distances = np.sum((F[rows] - F[A.indices]) ** 2, axis=1)
    return sp.csr_array((project_stored_rows(A.data - lam / 2.0 * distances, A.indptr), A.indices, A.indptr),
                        shape=A.shape)


def smallest_eigenvectors(S, components, n_vectors, start):
    """Eigenvectors of the smallest eigenvalues of the Laplacian of a graph, (n, n_vectors), orthonormal.

    Those of eigenvalue 0 are known, one per component, and taken out, so that an iteration has to find only
    the others.  With more components than vectors, the largest components get one each.  S is a symmetric CSR
    array; ``components`` are labels, (n,); ``start`` has at least ``n_vectors`` columns.
    """
    sizes = np.bincount(components)
    largest = np.argsort(-sizes, kind="stable")[:n_vectors]
    Z = (components[:, None] == largest) / np.sqrt(sizes[largest])
    if len(sizes) >= n_vectors:
        return Z
    degrees = np.asarray(S.sum(axis=1)).ravel()
    top = 2.0 * degrees.max()
    A = sp.csr_array(S + sp.diags_array(top - degrees))

    def product(V):
        return A @ V - Z @ (top * (Z.T @ V))

    return np.hstack([Z, top_eigenvectors(product, start, n_vectors - len(sizes), RESIDUAL * top)[1]])
