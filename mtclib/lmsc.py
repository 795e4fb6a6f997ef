"""LMSC: lifelong multi-view spectral clustering (Cai, Tan, Huang, Lv, IJCAI 2023)."""

import numpy as np
import scipy.sparse as sp

from mtclib.base import Traits
from mtclib.baselines.coreg import leading
from mtclib.eigen import top_eigenvectors
from mtclib.graphs import SCALES, normalized_affinities, normalized_bipartite
from mtclib.lifelong import LibraryClusterer
from mtclib.lmsc_printed import PrintedTask
from mtclib.lmsc_steps import L21, Settings, Task, View, polar
from mtclib.validation import check_number, check_option

AFFINITIES = ("knn-cosine", "knn", "cosine", "gaussian")
OUTPUTS = ("concat", "aligned", "literal")
FORMULATIONS = {"consistent": Task, "printed": PrintedTask}
RESIDUAL = 1e-6


class LMSC(LibraryClusterer):
    """Lifelong multi-view spectral clustering: tasks come one by one, and only libraries are kept of them.

    With K the normalised affinities of a view and a task, and X-hat its entries over the roots of the sums
    of their sample and their feature, the method maximises over E, B, L, D with orthonormal columns

    ``sum_v { 1/m sum_t [ tr(E^T K E) + lam tr(L^T X-hat E B) ] + mu g(L) - beta |D - B| }``,

    where E (n_t, k) belongs to a view v and a task t, B (k, k) and L (d_v, k) to a view, D (k, k) to all, and
    m tasks have been seen.  The E of earlier tasks stay as they were; they enter through sums alone.  This is
    Eq. (8) with three of its parts read so that they agree with the others: K is the affinity, because the
    identity minus it (Eq. 2) would be maximised by the most oscillating vectors; B is left out of the first
    term, where it cancels; and |D - B| stands without a square, which the weight 1 / (2 |D - B|) gives back.

    The updates of 'consistent' never lower the objective.  With polar(A) = U V^T of the thin singular value
    decomposition A = U S V^T, the maximiser of tr(Q^T A), they are, in this order,

    - E = polar(2 (K + I) E + lam X-hat^T L B^T), a tangent of a convex function,
    - B = polar(C^T L / m + 2 beta alpha D) with C = lam sum_t X-hat E,
    - L = polar(C B / m + mu times the gradient of a minorant of g),
    - D = polar(sum_v alpha B) with alpha = 1 / (2 |D - B|), at most 500,000.

    'printed' follows Eqs. (11) to (21): a gradient step with the mean gradient of all views, and eigenvectors
    of matrices that hold the unknown; its objective, Eq. (8), falls.

    The libraries B and D cannot change a result, as :mod:`mtclib.lmsc_findings` shows; from the start B = D =
    I the updates of 'consistent' keep them there.  What tasks learn from each other goes through L.

    Parameters
    ----------
    n_clusters : int, or list of equal ints with one a task
        k.
    lam : float >= 0, default 1.0
        Weight of co-clustering; 0 is spectral clustering of each view.
    mu : float >= 0, default 0.01
        Weight of ``l21``.
    beta : float >= 0, default 1.0
        Weight of fusion.
    l21 : {'penalty', 'reward', 'text'}, default 'penalty'
        g(L): minus the sum of row norms, which makes few rows large; plus that sum, as printed, which makes
        all rows alike; or what the printed update climbs, 2/3 of the sum of cubed row norms.  'printed'
        ignores it.
    output : {'concat', 'aligned', 'literal'}, default 'concat'
        What k-means sees: all E B side by side; the mean of the E turned towards the first view; both with
        rows of unit length; or the paper's mean of E, times D, which depends on the arbitrary bases of the E.
    affinity : {'knn-cosine', 'knn', 'cosine', 'gaussian'} or callable, default 'knn-cosine'
        'knn' takes Euclidean distances of the rows as they are; see ``graphs.normalized_affinities``.
    n_neighbors : int, default 10
        For 'knn-cosine' and 'knn'.
    scale : {'median', 'mean', 'self-tuning'} or float > 0, default 'median'
        Width of 'gaussian'.
    matrix : {'affinity', 'laplacian'}, default 'affinity'
        K; 'laplacian' is the printed identity minus the affinity.
    negative : {'refuse', 'split'}, default 'refuse'
        Negative entries, for which co-clustering has no meaning: an error, or the feature counts as two, one
        with its positive and one with its negative part.  L then has 2 d_v rows.
    formulation : {'consistent', 'printed'}, default 'consistent'
    eta : float > 0, default 0.01
        Step of 'printed'.
    n_init : int, default 10
        Starts of k-means.
    max_iter : int, default 500
        Sweeps a task.
    tol : float, default 1e-6
        Stop when a sweep raises the objective by less than this share.
    random_state : None, int, Generator or RandomState
        Drawn from once, before the first task.

    Attributes
    ----------
    labels_ : ndarray of shape (n,), int, or list of them
        Of the last task after ``partial_fit``; of each task, as of when it arrived, after ``fit``.
    basis_, embedding_ : list of ndarray of shape (k, k) and (d_v, k)
        B and L of each view.  With fewer features than clusters, L has orthonormal rows instead.
    fusion_ : ndarray of shape (k, k)
        D.
    weights_ : list of float
        alpha of each view.
    libraries_ : Libraries
        All that is kept between tasks; the four above and the sums.
    n_tasks_ : int
    task_embeddings_ : list of ndarray of shape (n, k)
        E of each view, last task.
    representation_ : ndarray of shape (n, h)
        What k-means saw, last task.
    objective_ : ndarray of shape (n_iter_,)
        Minus the objective after each sweep of the last task; after ``fit``, the sum of these over tasks,
        each continued with its last value.  For 'consistent' it never rises.
    histories_ : list of ndarray
        After ``fit``: the objective of each task.
    n_iter_ : int
    converged_ : bool

    References
    ----------
    H. Cai, Y. Tan, S. Huang, J. Lv. Lifelong Multi-view Spectral Clustering. IJCAI 2023, Algorithm 1.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> means = 1.0 + 9.0 * np.kron(np.eye(2), np.ones(4))
    >>> model = LMSC(n_clusters=2, random_state=0)
    >>> for _ in range(3):
    ...     views = [rng.poisson(means[np.arange(30) % 2]) for _ in range(2)]
    ...     model = model.partial_fit(views)
    >>> np.bincount(model.labels_).tolist(), model.n_tasks_
    ([15, 15], 3)
    """

    traits = Traits(kind="lifelong", paper="Cai, Tan, Huang, Lv, IJCAI 2023", nonnegative=True,
                    same_n_clusters=True)

    def __init__(self, n_clusters, *, lam=1.0, mu=0.01, beta=1.0, l21="penalty", output="concat",
                 affinity="knn-cosine", n_neighbors=10, scale="median", matrix="affinity",
                 negative="refuse", formulation="consistent", eta=0.01, n_init=10, max_iter=500, tol=1e-6,
                 random_state=None):
        self.n_clusters = n_clusters
        self.lam = lam
        self.mu = mu
        self.beta = beta
        self.l21 = l21
        self.output = output
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.scale = scale
        self.matrix = matrix
        self.negative = negative
        self.formulation = formulation
        self.eta = eta
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _check_parameters(self):
        super()._check_parameters()
        for name in ("lam", "mu", "beta"):
            check_number(name, getattr(self, name), low=0)
        check_number("eta", self.eta, low=0, open_low=True)
        check_number("n_neighbors", self.n_neighbors, low=1, integer=True)
        for name, options in (("l21", L21), ("output", OUTPUTS), ("matrix", ("affinity", "laplacian")),
                              ("negative", ("refuse", "split")), ("formulation", FORMULATIONS)):
            check_option(name, getattr(self, name), options)
        if not callable(self.affinity):
            check_option("affinity", self.affinity, AFFINITIES)
        if isinstance(self.scale, str):
            check_option("scale", self.scale, SCALES)
        else:
            check_number("scale", self.scale, low=0, open_low=True)

    def _task(self, Xs, k, seed, past):
        graphs = normalized_affinities(Xs, self.affinity, self.scale, "view", self.n_neighbors)
        views = [self._view(graph, X, k, seed) for graph, X in zip(graphs, Xs)]
        settings = Settings(float(self.lam), float(self.mu), float(self.beta), self.l21, float(self.eta),
                            int(self.max_iter), float(self.tol))
        return FORMULATIONS[self.formulation](views, past, settings)

    def _view(self, graph, X, k, seed):
        K = graph.block(np.arange(graph.shape[0]))
        if self.matrix == "affinity":
            F = leading(graph, k, seed)
        else:
            K = Complement(K)
            start = np.random.default_rng(seed).standard_normal((K.shape[0], min(k + 5, K.shape[0])))
            F = top_eigenvectors(K.__matmul__, start, k, RESIDUAL)[1]
        # Where a graph has too few samples with neighbours, zero columns become orthonormal ones.
        parts = X if self.negative == "refuse" else split_signs(X)
        return View(K, normalized_bipartite(parts), polar(F, np.eye(*F.shape)))

    def _represent(self, task):
        """What k-means sees; (n, h)."""
        if self.output == "literal":
            return sum(task.Es) / len(task.Es) @ task.D
        if self.output == "aligned":
            first, I = task.Es[0], np.eye(task.D.shape[0])
            return _unit_rows(sum(E @ polar(E.T @ first, I) for E in task.Es))
        return _unit_rows(np.hstack([E @ B for E, B in zip(task.Es, task.Bs)]))


class Complement:
    """The identity minus a matrix or operator, never formed.

    Parameters
    ----------
    S : {ndarray, CSR array, LinearOperator} of shape (n, n)
    """

    def __init__(self, S):
        self.S, self.shape = S, S.shape

    def __matmul__(self, Y):
        return Y - self.S @ Y


def split_signs(X):
    """Positive and negative parts side by side, both nonnegative.

    Parameters
    ----------
    X : {ndarray, CSR array} of shape (n, d)

    Returns
    -------
    {ndarray, CSR array} of shape (n, 2 d)

    Examples
    --------
    >>> split_signs(np.array([[1.0, -2.0]])).tolist()
    [[1.0, 0.0, 0.0, 2.0]]
    """
    if sp.issparse(X):
        return sp.hstack([X.maximum(0.0), (-X).maximum(0.0)], format="csr")
    return np.hstack([np.maximum(X, 0.0), np.maximum(-X, 0.0)])


def _unit_rows(Z):
    return Z / np.maximum(np.linalg.norm(Z, axis=1, keepdims=True), 1e-12)
