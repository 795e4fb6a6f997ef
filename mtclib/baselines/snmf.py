"""Symmetric nonnegative matrix factorisation of tasks and of views (Kuang, Ding, Park, SDM 2012)."""

import numpy as np
from scipy.sparse.linalg import LinearOperator

from mtclib.core.base import Fit, MultiViewClusterer, SingleTaskClusterer, Traits
from mtclib.core.checks import COUNT, NONNEGATIVE, SHARE, Named, check_initial_labels
from mtclib.core.starts import kmeans_once, one_hot
from mtclib.maths.graphs import GRAPH_PARAMETERS, DenseSimilarity, WeightedSum, similarities, view_graphs
from mtclib.maths.symnmf import OFFSET, hard_labels, multiply, project
from mtclib.mtcmrl import MTCMRL, initial_state

SOLVERS = ("gradient", "multiplicative")
# Iterations where there are as many clusters as samples.
KNOWN = 100


def solve(model, M, Y, limit=np.inf, unit=1.0):
    """The solver that an estimator's parameters name; Y, history and whether it converged.  M is in units."""
    stop = {"max_iter": min(model.max_iter, limit), "tol": model.tol,
            "atol": getattr(model, "atol", 0.0) / unit**2}
    if model.solver == "gradient":
        return project(M, Y, **stop)
    exponent, guard = getattr(model, "exponent", 0.5), getattr(model, "guard", True)
    return multiply(M, Y, exponent=exponent, guard=guard, **stop)


class SNMF(SingleTaskClusterer):
    r"""Symmetric nonnegative matrix factorisation of each task's similarity matrix.

    Minimises

    .. math:: \tfrac{1}{2} \|M - Y Y^\top\|^2

    over :math:`Y \ge 0`.  The original paper uses a projected Newton method; all stop at stationary points of
    the same objective.

    Parameters
    ----------
    n_clusters : int, or list of int with one per task
    solver : {'gradient', 'multiplicative'}, default 'gradient'
        'gradient': spectral projected gradients.  'multiplicative': the update that MTCMRL uses, without its
        linear model (lam = 0); it needs ten times as many steps.
    exponent : float in (0, 1], default 0.5
        Root in the multiplicative update; see ``symnmf.membership_step``.
    guard : bool, default True
        Replace a multiplicative update that would raise the objective by one with exponent 1/4.
    similarity : 'cosine', callable or list of ndarray of shape (n_t, n_t), default 'cosine'
    init : 'k-means', 'random' or list of ndarray of int, default 'k-means'
        'k-means': one-hot + 0.2.  'random': uniform on :math:`[0, 2 \sqrt{\operatorname{mean}(M) / k}]`,
        Kuang's start.
    starts : int, default 1
        k-means runs on each task; :math:`Y` starts from the partition of lowest inertia.
    n_init : int, default 1
        Starts; each task keeps the one with its lowest objective.
    max_iter : int, default 5000
    tol : float, default 1e-5
        Stop when the gradient, projected on :math:`Y \ge 0`, is at most ``tol`` times the norms of its two
        parts, :math:`Y Y^\top Y` and :math:`M Y`.
    atol : float, default 0
        Stop when the objective falls by less than ``atol``.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
    membership_ : list of ndarray of shape (n_t, k_t)
        :math:`Y^t`.
    objective_ : ndarray of shape (n_iter,)
        Sum over tasks after each iteration.
    n_iter_, converged_ : int and bool
        Whether ``tol``, or ``atol``, was met.  Only the former speaks of stationary points.

    Examples
    --------
    >>> X = np.kron(np.eye(2), np.ones((5, 3)))
    >>> labels = SNMF(n_clusters=2, random_state=0).fit([X]).labels_[0]
    >>> np.ptp(labels.reshape(2, 5), axis=1).tolist()
    [0, 0]
    """

    traits = Traits(kind="multitask", paper="Kuang, Ding, Park, SDM 2012", task_order_free=True)
    ALGORITHM_VERSION = 2
    rules = {"atol": NONNEGATIVE, "exponent": SHARE, "guard": bool, "solver": SOLVERS,
             "init": Named(("k-means", "random")), "starts": COUNT}

    def __init__(self, n_clusters, *, solver="gradient", exponent=0.5, guard=True, similarity="cosine",
                 init="k-means", starts=1, n_init=1, max_iter=5000, tol=1e-5, atol=0.0, random_state=None):
        self.n_clusters, self.solver, self.exponent, self.guard = n_clusters, solver, exponent, guard
        self.similarity, self.init, self.starts, self.n_init = similarity, init, starts, n_init
        self.max_iter, self.tol, self.atol, self.random_state = max_iter, tol, atol, random_state

    def _prepare(self, Xs, n_clusters):
        starts = check_initial_labels(self.init, Xs, n_clusters) or [self.init] * len(Xs)
        return [(X, *in_units(M), start)
                for X, M, start in zip(Xs, similarities(Xs, self.similarity), starts)]

    def _fit_task(self, task, n_clusters, seed):
        X, M, unit, start = task
        Y = initial_membership(X, M, n_clusters, start, seed, self.starts)
        Y, history, converged = solve(self, M, Y, unit=unit)
        return Fit(hard_labels(Y), [unit**2 * value for value in history], converged,
                   {"membership_": np.sqrt(unit) * Y})


def in_units(M):
    """A similarity with entries up to about 1, and its unit, a power of 4: nothing is rounded."""
    largest = abs(M.M).max() if isinstance(M, DenseSimilarity) else 1.0
    unit = 4.0 ** np.round(np.log2(largest) / 2.0) if largest > 0 else 1.0
    return (M if unit == 1.0 else DenseSimilarity(M.M / unit)), unit


def initial_membership(X, M, n_clusters, start, seed, starts):
    """Y before the first step, strictly positive, shape (n, n_clusters)."""
    if isinstance(start, str) and start == "random":
        return random_membership(M, n_clusters, seed)
    labels = kmeans_once(X, n_clusters, seed, starts=starts).labels_ if isinstance(start, str) else start
    return one_hot(labels, n_clusters) + OFFSET


class SNMFLR(SingleTaskClusterer):
    r"""SNMF with linear regression: MTCMRL on each task alone, without coupling (alpha = 0).

    Minimises the paper's Eq. (1),

    .. math:: \tfrac{1}{2} \|M - Y Y^\top\|^2 + \lambda \|Y - X W\|^2 + \mu \|W\|^2,

    over :math:`Y \ge 0` and :math:`W`.

    Time grows as n^3, while samples are fewer than features: n up to about 10,000 (all tasks together; ten
    iterations in two minutes).

    Parameters
    ----------
    n_clusters : int, or list of int with one per task
    lam : float, default 4
        Weight of the linear model, >= 0.
    mu : float, default 0.5
        Ridge penalty, > 0.
    solver : {'gradient', 'multiplicative'}, default 'gradient'
        'gradient' eliminates :math:`W`, which leaves SNMF of :math:`M - \lambda \mu (\mu I + \lambda X
        X^\top)^{-1}`, and minimises by spectral projected gradients.  'multiplicative': MTCMRL's sweeps.
    exponent, guard, similarity, init, starts, n_init, atol, random_state
        As in ``MTCMRL``; with several starts each task keeps its own best one.
    max_iter, tol : int and float, default 5000 and 1e-5
        As in ``SNMF``.

    Warns
    -----
    RuntimeWarning
        As ``MTCMRL``.

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
    membership_ : list of ndarray of shape (n_t, h_t)
    coef_ : list of ndarray of shape (d, h_t)
    objective_ : ndarray of shape (n_iter,)
        Sum over tasks after each iteration.
    n_iter_, converged_ : int and bool

    References
    ----------
    X. Zhang, X. Zhang, H. Liu, J. Luo. Multi-Task Clustering with Model Relation Learning. IJCAI 2018,
    Eq. (1) and section 4.1.

    Examples
    --------
    >>> X = np.kron(np.eye(2), np.ones((5, 3)))
    >>> labels = SNMFLR(n_clusters=2, random_state=0).fit([X]).labels_[0]
    >>> np.ptp(labels.reshape(2, 5), axis=1).tolist()
    [0, 0]
    """

    traits = Traits(kind="multitask", paper="Zhang, Zhang, Liu, Luo, IJCAI 2018", task_order_free=True,
                    scale_free=False)
    ALGORITHM_VERSION = 2
    rules = {**MTCMRL.rules, "solver": SOLVERS}

    def __init__(self, n_clusters, *, lam=4.0, mu=0.5, solver="gradient", exponent=0.5, guard=True,
                 similarity="cosine", init="k-means", starts=1, n_init=1, max_iter=5000, tol=1e-5,
                 atol=0.0, random_state=None):
        self.n_clusters, self.lam, self.mu, self.solver = n_clusters, lam, mu, solver
        self.exponent, self.guard, self.similarity, self.init = exponent, guard, similarity, init
        self.starts, self.n_init, self.max_iter, self.tol = starts, n_init, max_iter, tol
        self.atol, self.random_state = atol, random_state

    def _uncoupled(self):
        parameters = self.get_params(deep=False)
        return MTCMRL(alpha=0.0, **{name: value for name, value in parameters.items() if name != "solver"})

    def _prepare(self, Xs, n_clusters):
        return self._uncoupled()._prepare(Xs, n_clusters)

    def _fit_task(self, task, n_clusters, seed):
        if self.solver == "gradient":
            return self._fit_without_models(task, n_clusters, seed)
        fit = self._uncoupled()._fit_once([task], [n_clusters], seed)
        return Fit(fit.labels[0], fit.objective, fit.converged,
                   {name: fit.attributes[name][0] for name in ("membership_", "coef_")})

    def _fit_without_models(self, task, n_clusters, seed):
        state = initial_state([task], [n_clusters], seed, self.starts)
        M = RegressedSimilarity(task.M, task.system, self.lam, self.mu)
        Y, history, converged = solve(self, M, state.Y[0])
        W, XW = task.system.solve(Y, np.zeros_like(state.W[0]), np.full(n_clusters, self.mu), self.lam)
        return Fit(hard_labels(Y, XW), history, converged, {"membership_": Y, "coef_": W})


class RegressedSimilarity:
    """M - lam mu (mu I + lam X X^T)^{-1}, never formed: symmetric, and not a similarity.  lam ||Y - X W||^2 +
    mu ||W||^2 has the minimum lam <Y, Y - X W> over W, which is quadratic in Y."""

    def __init__(self, M, system, lam, mu):
        self.M, self.system, self.lam, self.mu = M, system, lam, mu
        self.shape, self.squared_norm = M.shape, M.squared_norm

    def product(self, Y):
        """The product with ``Y`` of shape (n, h)."""
        return self.M.product(Y) - self.lam * self.system.residual(Y, self.mu, self.lam)


class MultiViewSNMF(MultiViewClusterer):
    r"""Symmetric nonnegative matrix factorisation of one view's affinities, or of the mean over views.

    Minimises

    .. math:: \tfrac{1}{2} \|K - Y Y^\top\|^2

    over :math:`Y \ge 0`, where :math:`K` is a normalised affinity or the mean of several.  SNMF knows no
    views: this is the compared method "SNMF" of the LMSC paper, which says neither which view it was given
    nor with which affinity.  :class:`mtclib.baselines.SNMF` takes the cosine similarities of tasks instead.
    The solvers are its own; the original's is a projected Newton method for the same objective.

    Time grows as n^2: n up to about 20,000 (in 8 GB).

    Parameters
    ----------
    n_clusters : int
        :math:`k`.
    view : int or None, default None
        Number of the view, from 0; None for the mean over all views.
    affinity, n_neighbors, scale, scaling
        As in :class:`mtclib.baselines.AWP`.
    solver, max_iter, tol
        As in :class:`mtclib.baselines.SNMF`, with its default ``exponent`` and ``guard``.
    n_init : int, default 5
        Starts, uniform on :math:`[0, 2 \sqrt{\operatorname{mean}(K) / k}]`; the lowest objective wins.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    labels_ : ndarray of shape (n,), int
        Largest entry of each row of :math:`Y`; 0 for a zero row.
    membership_ : ndarray of shape (n, k)
        :math:`Y`.
    objective_ : ndarray of shape (n_iter,)
        After each iteration; it never rises.
    n_iter_, converged_ : int and bool

    Raises
    ------
    ValueError
        In ``fit``, if there is no such view.

    References
    ----------
    D. Kuang, C. Ding, H. Park. Symmetric Nonnegative Matrix Factorization for Graph Clustering. SDM 2012.

    Examples
    --------
    >>> views = 6 * np.eye(3)[np.arange(60) % 3] + np.random.default_rng(0).normal(size=(2, 60, 3))
    >>> np.bincount(MultiViewSNMF(n_clusters=3, random_state=0).fit(views).labels_).tolist()
    [20, 20, 20]
    """

    traits = Traits(kind="multiview", paper="Kuang, Ding, Park, SDM 2012", graph=True)
    ALGORITHM_VERSION = 3
    rules = {**GRAPH_PARAMETERS, "solver": SOLVERS}

    def __init__(self, n_clusters, *, view=None, affinity="knn", n_neighbors=10, scale="median",
                 scaling="none", solver="gradient", n_init=5, max_iter=5000, tol=1e-5, random_state=None):
        self.n_clusters, self.view, self.affinity, self.n_neighbors = n_clusters, view, affinity, n_neighbors
        self.scale, self.scaling, self.solver, self.n_init = scale, scaling, solver, n_init
        self.max_iter, self.tol, self.random_state = max_iter, tol, random_state

    def _prepare(self, Xs, n_clusters):
        graphs = view_graphs(self, Xs)
        shares = np.full(len(Xs), 1.0 / len(Xs)) if self.view is None else np.eye(len(Xs))[self.view]
        n = Xs[0].shape[0]
        K = WeightedSum(graphs, shares).block(np.arange(n))
        return DenseSimilarity(K @ np.eye(n) if isinstance(K, LinearOperator) else K)

    def _fit_once(self, K, n_clusters, seed):
        start = random_membership(K, n_clusters, seed)
        if n_clusters == K.shape[0]:  # the partition is known, and Y would hardly ever converge
            Y, history, _ = solve(self, K, start, limit=KNOWN)
            return Fit(np.arange(n_clusters), history, True, {"membership_": Y})
        Y, history, converged = solve(self, K, start)
        return Fit(hard_labels(Y), history, converged, {"membership_": Y})


def random_membership(K, n_clusters, seed):
    """Kuang's start: uniform on [0, 2 sqrt(mean(K) / k)], but positive; ndarray of shape (n, n_clusters)."""
    n = K.shape[0]
    mean = max(float(np.sum(K.product(np.ones((n, 1))))) / n**2, np.finfo(float).eps)
    uniform = np.random.default_rng(seed).uniform(size=(n, n_clusters))
    return 2.0 * np.sqrt(mean / n_clusters) * np.maximum(uniform, np.finfo(float).eps)
