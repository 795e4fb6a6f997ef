"""MTCMRL: multi-task clustering with model relation learning (Zhang, Zhang, Liu, Luo, IJCAI 2018).

===========  ======================================  ====================================================
Eq.          what it says                            where
===========  ======================================  ====================================================
(3)          objective J                             ``objective``
(4)-(5)      relations                               ``relation_step``, ``model_distances``
(6)-(13)     models                                  ``model_step``, :class:`mtclib.maths.linalg.RidgeSystems`
(14)         memberships, their part of J            :func:`mtclib.maths.symnmf.membership_objective`
(19)         memberships, update                     :func:`mtclib.maths.symnmf.membership_step`
Algorithm 1  start, one sweep                        ``initial_state``, ``MTCMRL._update_task``
===========  ======================================  ====================================================

Rows are samples here; the paper's X^t is the transpose of ours, so its (X^t)^T W^t is ``X @ W``.  J is
written out in :class:`mtclib.MTCMRL`; every G^(t,s) is on the unit simplex of all its h_t h_s entries.
"""

from dataclasses import dataclass

import numpy as np

from mtclib.core.base import Fit, MultiTaskClusterer, Traits
from mtclib.core.checks import COUNT, NONNEGATIVE, POSITIVE, SHARE, Named, check_initial_labels
from mtclib.core.errors import tell
from mtclib.core.starts import kmeans_once, one_hot
from mtclib.maths.graphs import similarities
from mtclib.maths.linalg import RidgeSystems
from mtclib.maths.simplex import project_simplex
from mtclib.maths.symnmf import (
    OFFSET,
    hard_labels,
    membership_objective,
    membership_step,
    settled,
    smallest_membership,
    without_floor,
)

__all__ = ["MTCMRL"]

LARGEST_CONDITION = 1e13


@dataclass(frozen=True)
class Task:
    """What all starts share for one task."""

    X: object  # (n_t, d), dense or CSR
    M: object  # similarity of the rows, see mtclib.maths.graphs
    system: RidgeSystems  # of X
    start: np.ndarray | None  # (n_t,), a partition given by the user; None for k-means


@dataclass
class State:
    """The variables of Eq. (3), and the products that the next step needs."""

    Y: list  # memberships (cluster indicators), (n_t, h_t), nonnegative
    W: list  # regression models, (d, h_t), one column per cluster
    XW: list  # X^t W^t (n_t, h_t), kept because the W step yields them
    products: list  # M^t Y^t (n_t, h_t), pairs of positive and negative part, kept as XW is
    G: dict  # from (t, s), t != s, to the relations, (h_t, h_s)


def model_distances(W_t, W_s):
    """A^(t,s) of Eq. (5): squared distances between the columns, shape (h_t, h_s)."""
    squares = np.einsum("ij,ij->j", W_t, W_t)[:, None] + np.einsum("ij,ij->j", W_s, W_s)
    return np.maximum(squares - 2.0 * (W_t.T @ W_s), 0.0)


def relation_step(A, beta):
    """Eq. (4)-(5): the minimiser of <A, G> + beta ||G||^2 over the unit simplex; A and G are (h_t, h_s).
    Completing the square turns the quadratic programme into the projection of -A / (2 beta), which a sort
    solves exactly: no QP solver, no Frank-Wolfe (section 4.8 of the paper).  For beta = 0 the mass is spread
    evenly over the smallest entries, the limit of small beta."""
    if beta == 0:
        smallest = A.min() == A
        return smallest / smallest.sum()
    # Entries more than 2 beta above the smallest get no mass; the clip keeps tiny beta from overflowing.
    return project_simplex(np.maximum(A.min() - A, -4.0 * beta) / (2.0 * beta))


def model_step(system, Y, W, G, t, lam, mu, alpha, coupling):
    """Eq. (6)-(13): W^t, columns solve (lam X^T X + (mu + alpha c_i) I) w_i = lam X^T y_i + alpha r_i.  The
    right factor of the Sylvester equation (13) is diagonal, so it decouples into one ridge system per column.
    With ``coupling='full'`` c and r hold all terms of (3) that contain W^t, those with G^(t,s) and those with
    G^(s,t); ``'printed'`` keeps G^(t,s) only, as (6) does.  Returns W^t (d, h_t) and X^t W^t (n_t, h_t)."""
    strength = np.zeros(W[t].shape[1])
    target = np.zeros_like(W[t])
    for s in range(len(W)):
        if s != t and alpha:
            coupled = G[t, s] + G[s, t].T if coupling == "full" else G[t, s]
            strength += coupled.sum(axis=1)
            target += W[s] @ coupled.T
    return system.solve(Y[t], alpha * target, mu + alpha * strength, lam)


def objective(state, squared_norms, lam, mu, alpha, beta):
    """J of Eq. (3), without any (n, n) array; ``squared_norms`` are ||M^t||^2."""
    within = sum(
        membership_objective(Y, positive - negative, norm, XW, lam) + mu * np.sum(W * W)
        for Y, W, XW, (positive, negative), norm in zip(
            state.Y, state.W, state.XW, state.products, squared_norms))
    cross = sum(
        np.vdot(model_distances(state.W[t], state.W[s]), G) + beta * np.sum(G * G)
        for (t, s), G in state.G.items())
    return float(within + alpha * cross)


class MTCMRL(MultiTaskClusterer):
    r"""Multi-task clustering with model relation learning, where it is unknown which clusters of tasks match.

    Each task is clustered by symmetric nonnegative matrix factorisation of its similarity matrix :math:`M^t`,
    with the memberships :math:`Y^t \ge 0` tied to a linear model :math:`W^t` of the features; the models of
    all tasks attract each other through relation matrices :math:`G^{(t,s)}` that are learnt, each on the unit
    simplex.  The objective is Eq. (3),

    .. math:: J = \sum_t \Big[\tfrac{1}{2} \|M^t - Y^t Y^{t\top}\|^2 + \lambda \|Y^t - X^t W^t\|^2
        + \mu \|W^t\|^2\Big] + \alpha \sum_t \sum_{s \ne t} \Big[\sum_{ij} G^{(t,s)}_{ij}
        \|W^t_i - W^s_j\|^2 + \beta \|G^{(t,s)}\|^2\Big],

    with columns :math:`W^t_i`.  Tasks may have different numbers of clusters and share all, some or none of
    their classes.

    Time grows as n^3, while samples are fewer than features: n up to about 10,000 (all tasks together; ten
    iterations in two minutes).

    Parameters
    ----------
    n_clusters : int, or list of int with one per task
    lam : float, default 4
        :math:`\lambda` of Eq. (1), weight of the linear model, >= 0; the paper searches 1/4 .. 4.
    mu : float, default 0.5
        Ridge penalty of the linear model, > 0.
    alpha : float, default 4
        Weight of the coupling between tasks, >= 0; the paper searches 1/4 .. 4.
    beta : float, default 0.5
        Spreads each relation over more cluster pairs, >= 0.
    coupling : {'full', 'printed'}, default 'full'
        'full' minimises (3) exactly over :math:`W^t`; 'printed' is the paper's (6), which leaves out the
        terms with :math:`G^{(s,t)}` and can raise the objective.
    exponent : float in (0, 1], default 0.5
        Root in the membership update (19), lost in print; see ``symnmf.membership_step``.
    guard : bool, default True
        Replace a membership update that would raise the objective by one with exponent 1/4.
    similarity : 'cosine', callable or list of ndarray of shape (n_t, n_t), default 'cosine'
        :math:`M^t`.  'cosine' forms no (n, n) array for nonnegative data.
    init : 'k-means' or list of ndarray of int, default 'k-means'
        Partition from which :math:`Y^t` starts (one-hot + 0.2).
    starts : int, default 1
        k-means runs on each task; :math:`Y^t` starts from the partition of lowest inertia.
    n_init : int, default 1
        Starts; the one with the lowest objective is kept.
    max_iter : int, default 2000
    tol : float, default 1e-3
        Stop when, in a sweep, no model moved by more than ``tol`` times its norm, and the gradient for the
        memberships, projected on :math:`Y \ge 0`, is at most ``tol`` times the norms of its parts
        (``symnmf.kkt_residual``).
    atol : float, default 0
        Stop when the objective falls by less than ``atol``; the paper uses 1.
    random_state : None, int, Generator or RandomState

    Warns
    -----
    RuntimeWarning
        If :math:`\lambda \|X^t\|^2 / \mu` exceeds 1e13, so that few digits of the linear model can be
        trusted.

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
        Row-wise argmax of ``membership_``; rows of zeros take the argmax of :math:`X W`.
    membership_ : list of ndarray of shape (n_t, h_t)
        :math:`Y^t`.
    coef_ : list of ndarray of shape (d, h_t)
        :math:`W^t`.
    relation_ : dict from (t, s), t != s, to ndarray of shape (h_t, h_s)
        :math:`G^{(t,s)}`, tasks counted from 0; entries sum to 1.
    objective_ : ndarray of shape (n_iter,)
        :math:`J` after each iteration.
    n_iter_, converged_ : int and bool
        Whether ``tol``, or ``atol``, was met.  Only the former speaks of stationary points.

    References
    ----------
    X. Zhang, X. Zhang, H. Liu, J. Luo. Multi-Task Clustering with Model Relation Learning. IJCAI 2018,
    Eq. (3), Algorithm 1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> topics = np.kron(np.eye(3), np.ones((1, 10)))
    >>> tasks = [rng.poisson(0.2 + 3 * topics[[0, 1] * 20]), rng.poisson(0.2 + 3 * topics[[1, 2] * 20])]
    >>> model = MTCMRL(n_clusters=2, random_state=0).fit(tasks)
    >>> [sorted(np.bincount(labels).tolist()) for labels in model.labels_]
    [[20, 20], [20, 20]]
    >>> model.relation_[0, 1].shape
    (2, 2)
    """

    traits = Traits(kind="multitask", paper="Zhang, Zhang, Liu, Luo, IJCAI 2018", scale_free=False)
    ALGORITHM_VERSION = 2
    rules = {"lam": NONNEGATIVE, "alpha": NONNEGATIVE, "beta": NONNEGATIVE, "atol": NONNEGATIVE,
             "mu": POSITIVE, "exponent": SHARE, "coupling": ("full", "printed"), "guard": bool,
             "init": Named(("k-means",)), "starts": COUNT}

    def __init__(self, n_clusters, *, lam=4.0, mu=0.5, alpha=4.0, beta=0.5, coupling="full", exponent=0.5,
                 guard=True, similarity="cosine", init="k-means", starts=1, n_init=1, max_iter=2000,
                 tol=1e-3, atol=0.0, random_state=None):
        self.n_clusters, self.lam, self.mu, self.alpha = n_clusters, lam, mu, alpha
        self.beta, self.coupling, self.exponent, self.guard = beta, coupling, exponent, guard
        self.similarity, self.init, self.starts, self.n_init = similarity, init, starts, n_init
        self.max_iter, self.tol, self.atol, self.random_state = max_iter, tol, atol, random_state

    def _prepare(self, Xs, n_clusters):
        starts = check_initial_labels(self.init, Xs, n_clusters) or [None] * len(Xs)
        tasks = [Task(X, M, RidgeSystems(X), start)
                 for X, M, start in zip(Xs, similarities(Xs, self.similarity), starts)]
        for t, task in enumerate(tasks):
            if task.system.condition(self.lam, self.mu) > LARGEST_CONDITION:
                tell(f"lam ||X||^2 / mu exceeds {LARGEST_CONDITION:.0e} for Xs[{t}] (task {t + 1}): "
                     f"the linear model loses most of its digits; centre or scale the features, "
                     f"lower lam or raise mu", RuntimeWarning)
        return tasks

    def _fit_once(self, tasks, n_clusters, seed):
        state = initial_state(tasks, n_clusters, seed, self.starts)
        norms = [task.M.squared_norm for task in tasks]
        first = value = objective(state, norms, self.lam, self.mu, self.alpha, self.beta)
        history, stopped = [], False
        while not stopped and len(history) < self.max_iter and np.isfinite(value):
            before, models = value, list(state.W)
            for t in range(len(tasks)):
                self._update_task(t, tasks[t], state)
            value = objective(state, norms, self.lam, self.mu, self.alpha, self.beta)
            if before - value <= self.tol * first and self._settle(tasks, state, models):
                value, stopped = objective(state, norms, self.lam, self.mu, self.alpha, self.beta), True
            history.append(value)
            stopped = stopped or max(before - value, 0.0) < self.atol
        state.Y = [without_floor(Y, smallest_membership(task.M)) for Y, task in zip(state.Y, tasks)]
        labels = [hard_labels(Y, XW) for Y, XW in zip(state.Y, state.XW)]
        return Fit(labels, history or [value], stopped,
                   {"membership_": state.Y, "coef_": state.W, "relation_": state.G})

    def _settle(self, tasks, state, models):
        """Whether the sweep that began with ``models`` ended at a fixed point; then Y gets exact zeros."""
        if any(np.linalg.norm(W - old) > self.tol * np.linalg.norm(W) for W, old in zip(state.W, models)):
            return False
        ends = [settled(task.M, Y, positive - negative, self.tol, XW, self.lam)
                for task, Y, (positive, negative), XW in zip(tasks, state.Y, state.products, state.XW)]
        if not all(ends):
            return False
        state.Y = [Y for Y, _, _ in ends]
        state.products = [(MY, 0.0) for _, MY, _ in ends]
        return True

    def _update_task(self, t, task, state):
        for s in range(len(state.W)):
            if s != t:
                state.G[t, s] = relation_step(model_distances(state.W[t], state.W[s]), self.beta)
                if self.coupling == "full":
                    state.G[s, t] = state.G[t, s].T
        state.W[t], state.XW[t] = model_step(
            task.system, state.Y, state.W, state.G, t, self.lam, self.mu, self.alpha, self.coupling)
        state.Y[t], state.products[t], _ = membership_step(
            task.M, state.Y[t], state.products[t], state.XW[t], self.lam, self.exponent, self.guard,
            smallest_membership(task.M))


def initial_state(tasks, n_clusters, seed, starts=1):
    """Start of Algorithm 1: Y^t = one-hot + 0.2, W^t = ones, G^(t,s) uniform.  W^t is d x h_t; the n_t x h_t
    of the paper is a misprint."""
    labels = [kmeans_once(task.X, k, seed, starts=starts).labels_ if task.start is None else task.start
              for task, k in zip(tasks, n_clusters)]
    Y = [one_hot(h, k) + OFFSET for h, k in zip(labels, n_clusters)]
    W = [np.ones((task.X.shape[1], k)) for task, k in zip(tasks, n_clusters)]
    G = {(t, s): np.full((h_t, h_s), 1.0 / (h_t * h_s))
         for t, h_t in enumerate(n_clusters) for s, h_s in enumerate(n_clusters) if t != s}
    return State(Y, W, [task.X @ w for task, w in zip(tasks, W)],
                 [task.M.split_product(y) for task, y in zip(tasks, Y)], G)
