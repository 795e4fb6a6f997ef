"""SpectralNJW: spectral clustering after Ng, Jordan and Weiss (NIPS 2001)."""

import warnings

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackError, eigsh

from mtclib.base import Fit, SingleTaskClusterer, Traits
from mtclib.exceptions import DegenerateSubspaceWarning
from mtclib.graphs import SCALES, normalized_affinities
from mtclib.starts import kmeans_once
from mtclib.validation import check_number, check_option

SMALL = 300
LARGEST_DENSE = 10_000
# Of the Lanczos iteration; products with an array are dear, and its dense decomposition is near.
RESTARTS = {True: 30, False: 300}


class SpectralNJW(SingleTaskClusterer):
    """Spectral clustering of each task: k-means on the leading eigenvectors of its similarity graph.

    The compared method "SC" of the SPMTC paper, which names neither affinity nor scale.  With A the
    affinities, A_ii = 0 and D = diag(A 1), the rows of the k leading eigenvectors of D^-1/2 A D^-1/2 are
    scaled to unit length and clustered by k-means.  A sample without neighbours has a zero row: its label
    carries no information.  ``sklearn.cluster.SpectralClustering`` is another method; it uses random-walk
    vectors and does not scale the rows.

    Parameters
    ----------
    n_clusters : int or list of int
        Clusters of each task.
    affinity : 'cosine', 'gaussian', callable or list of arrays, default 'cosine'
        'cosine' never forms an (n, n) array for nonnegative data; see ``graphs.normalized_affinities``.
    scale : {'median', 'mean', 'self-tuning'} or float > 0, default 'median'
        Width of 'gaussian'; see ``graphs.gaussian_affinity``.
    n_init : int, default 10
        Starts of k-means.
    max_iter : int, default 300
        Iterations of k-means.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
    embedding_ : list of ndarray of shape (n_t, k_t)
        Unit or zero rows; determined up to a rotation.
    eigenvalues_ : list of ndarray of shape (k_t,)
        Descending, at most 1.  NaN, with a zero column of ``embedding_``, where fewer than k_t samples
        have neighbours.
    objective_ : ndarray of shape (1,)
        Total inertia of k-means in the embedding; there is no history.
    n_iter_ : int
        Largest number of k-means iterations over the tasks.
    converged_ : bool
        Of k-means.

    Warns
    -----
    DegenerateSubspaceWarning
        If a graph has more components than clusters: the leading eigenvectors are then not determined.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.kron(np.eye(2), np.ones((5, 3)))
    >>> labels = SpectralNJW(n_clusters=2, random_state=0).fit([X]).labels_[0]
    >>> np.ptp(labels.reshape(2, 5), axis=1).tolist()
    [0, 0]
    """

    traits = Traits(kind="multitask", paper="Ng, Jordan, Weiss, NIPS 2001", monotone=False,
                    task_order_free=True)

    def __init__(self, n_clusters, *, affinity="cosine", scale="median", n_init=10, max_iter=300,
                 random_state=None):
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.scale = scale
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _check_parameters(self):
        super()._check_parameters()
        if isinstance(self.scale, str):
            check_option("scale", self.scale, SCALES)
        else:
            check_number("scale", self.scale, low=0, open_low=True)
        if isinstance(self.affinity, str):
            check_option("affinity", self.affinity, ("cosine", "gaussian"))

    def _prepare(self, Xs, n_clusters):
        return normalized_affinities(Xs, self.affinity, self.scale)

    def _fit_best(self, prepared, n_clusters, seeds):
        embedded = [spectral_embedding(graph, k, seeds[0]) for graph, k in zip(prepared, n_clusters)]
        return super()._fit_best(embedded, n_clusters, seeds)

    def _fit_task(self, task, n_clusters, seed):
        eigenvalues, V = task
        V = V / np.maximum(np.linalg.norm(V, axis=1, keepdims=True), 1e-12)
        model = kmeans_once(V, n_clusters, seed, "k-means++", self.max_iter)
        return Fit(model.labels_.astype(np.intp), [float(model.inertia_)], model.n_iter_ < self.max_iter,
                   {"embedding_": V, "eigenvalues_": eigenvalues, "n_iter_": int(model.n_iter_)})


def spectral_embedding(graph, n_vectors, seed):
    """Leading eigenvectors of a normalised affinity, its components taken one by one.

    Lanczos methods meet each repeated eigenvalue once, and 1 is an eigenvalue of every component: a graph
    that falls into pieces would silently lose some.  Inside a component it is simple.

    Parameters
    ----------
    graph : NormalizedCosine or NormalizedMatrix, n samples
    n_vectors : int
    seed : int
        Of the start vectors; it changes nothing but rounding.

    Returns
    -------
    eigenvalues : ndarray of shape (n_vectors,)
        Descending; NaN where there are too few samples with neighbours.
    vectors : ndarray of shape (n, n_vectors)
        Orthonormal or zero columns; zero rows for samples without neighbours.  Equal eigenvalues of
        different components: the larger component comes first.
    """
    component = graph.components()
    order = np.argsort(component, kind="stable")
    pieces = np.split(order, np.flatnonzero(np.diff(component[order])) + 1)
    pieces = sorted((rows for rows in pieces if len(rows) > 1), key=len, reverse=True)
    if len(pieces) > n_vectors:
        warnings.warn(
            f"the similarity graph falls into {len(pieces)} components, more than n_clusters={n_vectors}: "
            f"only the largest get an eigenvector each; use a larger scale or affinity='cosine'",
            DegenerateSubspaceWarning, stacklevel=2)
    found = []
    for rows in pieces:
        values, vectors = leading_eigenvectors(graph.block(rows), n_vectors, seed)
        found.extend((value, rows, vector) for value, vector in zip(values, vectors.T))
    eigenvalues, V = np.full(n_vectors, np.nan), np.zeros((graph.shape[0], n_vectors))
    # Rounded, because rounding must not decide between components; the sort is stable.
    found.sort(key=lambda item: -round(item[0], 10))
    for i, (value, rows, vector) in enumerate(found[:n_vectors]):
        eigenvalues[i], V[rows, i] = value, vector
    return eigenvalues, V


def leading_eigenvectors(L, k, seed):
    """Eigenpairs of the largest eigenvalues of a symmetric matrix or operator.

    Parameters
    ----------
    L : {ndarray, CSR array, LinearOperator} of shape (n, n), symmetric
    k : int
        At most n pairs are returned.
    seed : int
        Of the start vector.

    Returns
    -------
    values : ndarray of shape (min(k, n),)
        Descending.
    vectors : ndarray of shape (n, min(k, n))
        Orthonormal columns.

    Raises
    ------
    FloatingPointError
        The iteration does not converge and n is beyond 10,000, too large for a dense decomposition.
    """
    n, k = L.shape[0], min(k, L.shape[0])
    if n > max(SMALL, 4 * k):
        try:
            rng = np.random.default_rng(seed)
            start = rng.standard_normal(n)
            restarts = RESTARTS[isinstance(L, np.ndarray)]
            # Where the iteration runs into an invariant subspace it goes on from another random vector.
            values, vectors = eigsh(L, k=k, which="LA", v0=start, maxiter=restarts, rng=rng)
            return values[::-1], vectors[:, ::-1]
        except ArpackError as error:
            if n > LARGEST_DENSE:
                raise FloatingPointError(
                    f"the leading eigenvectors of {n} samples did not converge: the similarity graph nearly "
                    f"falls into pieces; use a larger scale or affinity='cosine'") from error
    dense = L.toarray() if sp.issparse(L) else L @ np.eye(n)
    values, vectors = eigh(dense, subset_by_index=[n - k, n - 1])
    return values[::-1], vectors[:, ::-1]
