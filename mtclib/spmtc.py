"""SPMTC (Ren, Que, Yao, Xu) and LSSMTC (Gu, Zhou, ICDM 2009): clusters of tasks in a shared subspace.

===========  ======================================  ====================================================
Eq.          what it says                            where
===========  ======================================  ====================================================
(4)          sum of the losses of all samples        ``objective`` with weights of one
(7)          the same, weighted and regularised      ``objective`` with the weights of a round
(8)          loss of a sample                        ``sample_losses``
(11)         hard weights, SPMTC-h                   :func:`mtclib.maths.selfpaced.hard_weights`
(13)         soft weights, SPMTC-s                   :func:`mtclib.maths.selfpaced.mixture_weights`
(16), (18)   shared centroids, centroids of a task   ``centroid_steps``, ``refit``
(22)         memberships                             ``membership_step``, exactly ``coordinate_step``
(25)         subspace                                :class:`mtclib.maths.subspace.SubspaceStep`
Algorithm 1  rounds of growing shares                ``SPMTC._fit_once``, ``sweep``, ``descend``
===========  ======================================  ====================================================

LSSMTC minimises Eq. (4), SPMTC Eq. (7) with the weights v_ti^power from the self-paced regularisers.  The
paper's (7) has the weights inside the norm, which squares them, while its (8)-(13) use them linearly: power 1
is the reading for which both steps decrease one sum.

Rows are samples here; the papers' X^(k) is the transpose of ours, and their centroids M^(k) (d x c) and
M (l x c) are the rows of ``centroids`` and ``shared``.  The loss of sample i of task t is

    L_ti = lam ||x_ti - p_ti C_t||^2 + (1 - lam) ||x_ti W - p_ti S||^2 ,   P_t >= 0,  W^T W = I.

For fixed weights omega the functions below decrease  J = sum_ti omega_ti L_ti.

**Stationary points.**  For fixed centroids and W each row of P_t has a nonnegative least squares problem,
with half its gradient, the *slope*, P_t B_t - A_t (``slope_parts``).  Centroids are exact minimisers for
fixed memberships, and so is W by an eigenvector update ('mult' leaves it as it is); therefore J is stationary
where the slope is 0 for positive memberships and not negative for those that are 0 (``kkt_residual``).
Eq. (22) creeps there, because a membership that has become tiny hardly grows again.  So it decides in which
valley a fit ends, and ``close`` then goes down to the bottom by exact steps.  Exact steps from the first
sweep reach lower sums at once, and lose clusters.

Equation numbers are those of the SPMTC paper.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from mtclib.core.base import DegenerateSubspaceWarning, Fit, MultiTaskClusterer, Traits, stops
from mtclib.core.checks import COUNT, SHARE, Named, Number, check_initial_labels
from mtclib.core.errors import tell
from mtclib.core.starts import kmeans_once, one_hot
from mtclib.maths.linalg import thin
from mtclib.maths.selfpaced import hard_weights, mixture_weights, pace_shares, pace_threshold
from mtclib.maths.subspace import W_UPDATES, SubspaceStep
from mtclib.maths.symnmf import OFFSET, hard_labels

__all__ = ["SPMTC", "LSSMTC"]

SMALLEST = 1e-50  # memberships do not fall below it, or they could not rise again
CLOSING = 2000  # sweeps of ``close`` at most
FREE_ROWS = ("update", "keep")


@dataclass(frozen=True)
class Problem:
    """What all starts share."""

    Xs: list  # of (n_t, d), dense or in the form of `thin`
    XTs: list  # of (d, n_t), their transposes
    X: object  # (n, d), all tasks stacked
    squares: list  # of (n_t,), squared norms of the rows
    starts: list | None  # partitions given by the user


@dataclass
class State:
    """The variables of Eq. (4)."""

    P: list  # of (n_t, c), memberships, nonnegative
    W: np.ndarray  # (d, l), projection
    XW: list  # of (n_t, l), projected samples
    centroids: list | None = None  # C_t, of (c, d)
    XC: list | None = None  # X_t C_t^T, (n_t, c): both the memberships and the losses need them
    shared: np.ndarray | None = None  # S, (c, l)
    slopes: list | None = None  # `slope_parts`


def centroid_steps(XTs, Ps, omegas):
    """Eq. (16) and (18): the C (c, d) of each part that minimises sum_i omega_i ||x_i - p_i C||^2."""
    weighted = [P.copy() if (omega == omega[0]).all() else (omega / omega.max())[:, None] * P
                for P, omega in zip(Ps, omegas)]
    grams = np.stack([P.T @ Q for P, Q in zip(Ps, weighted)])
    # Scaled to a unit diagonal: a cluster that is dying must not pass for a dependent column.
    scales = np.sqrt(np.einsum("tjj->tj", grams))
    scales = np.divide(1.0, scales, out=np.zeros_like(scales), where=scales > 0)
    values, vectors = np.linalg.eigh(grams * (scales[:, :, None] * scales[:, None]))
    values[values <= 1e-12 * values[:, -1:]] = np.inf
    halves = scales[:, :, None] * vectors / np.sqrt(values)[:, None]
    inverses = halves @ halves.transpose(0, 2, 1)
    return [((XT @ Q) @ inverse).T for XT, Q, inverse in zip(XTs, weighted, inverses)]


def slope_parts(state, lam):
    """A_t and B_t of the slope P_t B_t - A_t: a pair for each task.

    A = lam X C^T + (1 - lam) X W S^T has the shape (n_t, c), B = lam C C^T + (1 - lam) S S^T has (c, c).
    Both are divided by a power of two near the largest entry of A: no step sees the scale of the data.
    """
    parts, S, across = [], state.shared, 1.0 - lam
    for C, XC, XW in zip(state.centroids, state.XC, state.XW):
        A, B = lam * XC + across * XW @ S.T, lam * C @ C.T + across * S @ S.T
        unit = np.ldexp(1.0, -max(np.frexp(max(A.max(), -A.min()))[1], -1000))
        A *= unit
        parts.append((A, B * unit))
    return parts


def membership_step(P, A, B):
    """Eq. (22) without its weights: P * sqrt((A^+ + P B^-) / (A^- + P B^+)), with ``slope_parts`` A and B.

    Lowers the loss of every row.  It ends at a small positive number where the formula gives 0: a sample
    far from all centroids of one round must be able to return in the next.

    The printed formula has the weight of a row in numerator and denominator alike, where it cancels,
    unless it is 0; then it makes 0/0.  See ``free_rows`` of SPMTC.
    """
    up, down = P @ np.maximum(-B, 0.0), P @ np.maximum(B, 0.0)
    up += np.maximum(A, 0.0)
    down -= np.minimum(A, 0.0)
    if down.min() <= 0:
        up[down <= 0], down[down <= 0] = 1.0, 1.0
    up /= down
    np.sqrt(up, out=up)
    up *= P
    return np.maximum(up, np.minimum(P, SMALLEST), out=up)


def coordinate_step(P, A, B):
    """Memberships with the lowest loss, one column after the other."""
    P, squares = P.copy(), np.diag(B)
    # Short centroids first: the numbers of the clusters must not matter.
    order = np.argsort(squares)
    for j in order[squares[order] > 0]:
        P[:, j] = np.maximum(P[:, j] + (A[:, j] - P @ B[:, j]) / squares[j], 0.0)
    return P


def kkt_residual(P, A, B):
    """Norm of the projected slope relative to those of its parts P B and A, with columns of P of length 1.

    A float in 0 .. 1; the scales of the clusters, which J does not determine, do not change it.
    """
    lengths, fitted = np.sqrt(np.einsum("ij,ij->j", P, P)), P @ B
    slope = fitted - A
    np.minimum(slope, 0.0, out=slope, where=P <= SMALLEST)
    parts = np.linalg.norm(lengths * fitted) + np.linalg.norm(lengths * A)
    return float(np.linalg.norm(lengths * slope) / (parts or 1.0))


def sample_losses(problem, state, lam):
    """L_ti of the module docstring, without any (n, d) array: a list of ndarray of shape (n_t,)."""
    losses = []
    for P, XW, C, XC, squares in zip(state.P, state.XW, state.centroids, state.XC, problem.squares):
        within = squares - 2.0 * np.einsum("ij,ij->i", XC, P) + np.einsum("ij,ij->i", P @ (C @ C.T), P)
        apart = XW - P @ state.shared
        across = np.sum(np.square(apart, out=apart), axis=1)
        losses.append(lam * np.maximum(within, 0.0) + (1.0 - lam) * across)
    return losses


def objective(losses, omegas):
    """Sum of the weighted losses: Eq. (7) without the regulariser, Eq. (4) for weights of one; float."""
    return float(sum(np.vdot(omega, loss) for omega, loss in zip(omegas, losses)))


def refit(problem, state, omegas, lam):
    """Eq. (16) and (18): all centroids from the memberships, in place, and the slopes that follow."""
    *state.centroids, state.shared = centroid_steps([*problem.XTs, np.vstack(state.XW).T],
                                                    [*state.P, np.vstack(state.P)],
                                                    [*omegas, np.concatenate(omegas)])
    state.XC = [X @ C.T for X, C in zip(problem.Xs, state.centroids)]
    state.slopes = slope_parts(state, lam)


def sweep(problem, state, subspace, omegas, lam, step=membership_step, free_rows="update"):
    """One iteration, in place: memberships, then W, then all centroids, which W has made stale; J."""
    for t, (A, B) in enumerate(state.slopes):
        P = step(state.P[t], A, B)
        state.P[t] = np.where(omegas[t][:, None] > 0, P, state.P[t]) if free_rows == "keep" else P
    project(problem, state, subspace.step(state.P))
    refit(problem, state, omegas, lam)
    return objective(sample_losses(problem, state, lam), omegas)


def project(problem, state, W):
    """Set W and the projected samples, in place."""
    if W is not state.W:
        state.W = W
        state.XW = [X @ W for X in problem.Xs]


def descend(problem, state, subspace, omegas, lam, max_iter, tol, free_rows="update"):
    """Sweeps by Eq. (22) with fixed weights, in place, until one changes little: J after each, and whether.

    The between-cluster subspace does not descend on the objective; there the memberships decide.
    """
    refit(problem, state, omegas, lam)
    # The first sweep may rise from a W that was learnt with other weights.
    before, history, converged = np.inf, [], False
    by_memberships = subspace.w_update == "eig_between" and lam < 1
    while not converged and len(history) < max_iter:
        previous = np.vstack(state.P) if by_memberships else None
        history.append(sweep(problem, state, subspace, omegas, lam, free_rows=free_rows))
        if by_memberships:
            moved = np.linalg.norm(np.vstack(state.P) - previous)
            converged = bool(moved <= tol * np.linalg.norm(previous))
        else:
            converged = stops(before, history[-1], tol)
        before = history[-1]
    return history, converged


def close(problem, state, subspace, omegas, lam, tol):
    """Sweeps with exact memberships, in place, until the ``kkt_residual`` of every task is at most ``tol``.

    Returns J after each sweep, and whether it came to that.
    """
    history = []
    while not (stationary := max(map(kkt_residual, state.P, *zip(*state.slopes))) <= tol):
        if len(history) == CLOSING:
            break
        history.append(sweep(problem, state, subspace, omegas, lam, coordinate_step))
    return history, stationary


class _SharedSubspaceClusterer(MultiTaskClusterer):
    """Parameters, start and warning that LSSMTC and SPMTC have in common."""

    rules = {"lam": Number(0, 1), "n_components": COUNT, "kkt_tol": SHARE, "w_update": W_UPDATES,
             "init": Named(("random", "k-means")), "starts": COUNT}

    def _check_input(self, Xs):
        Xs, ks = super()._check_input(Xs)
        if self.n_components > Xs[0].shape[1]:
            raise ValueError(f"n_components is {self.n_components} but the tasks have {Xs[0].shape[1]} "
                             f"feature(s); lower it")
        if self.w_update == "eig_between" and self.n_components > ks[0]:
            raise ValueError(f"n_components is {self.n_components} but w_update='eig_between' has only "
                             f"n_clusters = {ks[0]} directions; lower n_components or use another w_update")
        return Xs, ks

    def _prepare(self, Xs, n_clusters):
        starts = check_initial_labels(self.init, Xs, n_clusters)
        X = (sp.vstack([sp.csr_array(X) for X in Xs], format="csr") if any(map(sp.issparse, Xs))
             else np.vstack(Xs))
        squares = [np.asarray((X * X).sum(axis=1)).ravel() for X in Xs]
        return Problem([thin(X) for X in Xs], [thin(X.T) for X in Xs], X, squares, starts)

    def _memberships(self, problem, c, seed):
        if problem.starts is None and self.init == "random":
            # One stream per task, the same for all: a task's start does not depend on its place.
            return [1.0 - np.random.default_rng(seed).random((X.shape[0], c)) for X in problem.Xs]
        labels = problem.starts or [kmeans_once(X, c, seed, starts=self.starts).labels_ for X in problem.Xs]
        return [one_hot(h, c) + OFFSET for h in labels]

    def _start(self, problem, c, seed):
        subspace = SubspaceStep(problem.X, self.n_components, self.w_update)
        subspace.reweigh(np.ones(problem.X.shape[0]))
        state = State(self._memberships(problem, c, seed), None, None)
        project(problem, state, subspace.step(state.P))
        return state, subspace

    def _warn_if(self, degenerate):
        if degenerate and self.lam < 1:
            remedy = ("choose features that occur, or another w_update" if self.w_update == "mult" else
                      "use w_update='eig_range' or 'eig_between'")
            tell(
                f"the subspace of w_update={self.w_update!r} carries nothing (X W = 0): the tasks share "
                f"nothing and lam and n_components have no effect; {remedy}",
                DegenerateSubspaceWarning)

    def _labels(self, state):
        """Largest memberships; samples that every centroid repels go where they are repelled least."""
        return [hard_labels(np.where(P > SMALLEST, P, 0.0), A) for P, (A, _) in zip(state.P, state.slopes)]

    @staticmethod
    def _attributes(state):
        return {"membership_": state.P, "centroids_": state.centroids, "shared_centroids_": state.shared,
                "projection_": state.W}


class LSSMTC(_SharedSubspaceClusterer):
    r"""Shared-subspace multi-task clustering, a baseline: all tasks have the same centroids in a subspace.

    Each task is factorised by semi-nonnegative matrix factorisation, :math:`X_t \approx P_t C_t` with
    :math:`P_t \ge 0`; at the same time its memberships must explain the samples in a subspace of l
    dimensions, where all tasks have the same centroids :math:`S`.  The objective, Eq. (4), is the sum of the
    losses of all samples,

    .. math:: L_{ti} = \lambda \|x_{ti} - p_{ti} C_t\|^2 + (1 - \lambda) \|x_{ti} W - p_{ti} S\|^2,
        \qquad W^\top W = I.

    Sharing needs a subspace that carries something; see ``w_update``.

    Parameters
    ----------
    n_clusters : int
        :math:`c`, clusters of every task.
    n_components : int, default 2
        :math:`l`, dimensions of the subspace, at most the number of features.
    lam : float in [0, 1], default 0.75
        :math:`\lambda` of Eq. (4); 1 means no sharing at all.
    w_update : {'mult', 'eig_small', 'eig_range', 'eig_between'}, default 'mult'
        'mult' is the authors' published code, whose W never leaves its start, the first l features.
        'eig_small' is the paper's update, the l smallest eigenvectors of Eq. (25); :math:`X W = 0` whenever
        the rank of :math:`X` is at most d - l, always so with fewer samples than features.  'eig_range' keeps
        to the row space of :math:`X`; with linearly independent samples and l <= c it can fit any memberships
        there.  'eig_between' takes the l <= c leading directions between clusters; it may raise the
        objective.
    init : {'random', 'k-means'} or list of ndarray of int, default 'random'
        :math:`P_t`: uniform on (0, 1], or one-hot + 0.2.
    starts : int, default 1
        With 'k-means', its runs on each task; :math:`P_t` starts from the partition of lowest inertia.
    n_init : int, default 1
        Starts; the one with the lowest objective is kept.
    max_iter : int, default 300
        Iterations by Eq. (22).
    tol : float, default 1e-4
        They end when the objective (with 'eig_between': the memberships) changes by less than this share.
    kkt_tol : float in (0, 1], default 1e-3
        Iterations with exact memberships follow, until the projected gradient for the memberships of every
        task is at most this share of the norms of its two parts.  1 for none, as printed.
    random_state : None, int, Generator or RandomState

    Warns
    -----
    DegenerateSubspaceWarning
        If :math:`X W = 0` and lam < 1, for each start.

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
        Row-wise argmax of ``membership_``; rows of zeros go to the cluster that repels them least.
    membership_ : list of ndarray of shape (n_t, n_clusters)
        :math:`P_t`.
    centroids_ : list of ndarray of shape (n_clusters, d)
    shared_centroids_ : ndarray of shape (n_clusters, n_components)
    projection_ : ndarray of shape (d, n_components)
        :math:`W`.
    objective_ : ndarray of shape (n_iter,)
        Eq. (4) after each iteration.
    n_iter_, converged_ : int and bool
        Whether ``tol`` and then ``kkt_tol`` were met.  Centroids, and :math:`W` unless it is fixed, are best
        for the memberships after any iteration; so this is a stationary point of Eq. (4).

    References
    ----------
    Q. Gu, J. Zhou. Learning the Shared Subspace for Multi-Task Clustering and Transductive Transfer
    Classification. ICDM 2009.  Equations are numbered as in the SPMTC paper.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> topics = np.kron(np.eye(2), np.ones((1, 10)))
    >>> tasks = [rng.poisson(0.2 + 3 * topics[[0, 1] * n]) for n in (20, 25)]
    >>> model = LSSMTC(n_clusters=2, w_update="eig_between", random_state=0).fit(tasks)
    >>> [sorted(np.bincount(labels).tolist()) for labels in model.labels_]
    [[20, 20], [25, 25]]
    """

    traits = Traits(kind="multitask", paper="Gu, Zhou, ICDM 2009", same_n_clusters=True, task_order_free=True)
    ALGORITHM_VERSION = 2

    def __init__(self, n_clusters, *, n_components=2, lam=0.75, w_update="mult", init="random", starts=1,
                 n_init=1, max_iter=300, tol=1e-4, kkt_tol=1e-3, random_state=None):
        self.n_clusters, self.n_components, self.lam, self.w_update = n_clusters, n_components, lam, w_update
        self.init, self.starts, self.n_init, self.max_iter = init, starts, n_init, max_iter
        self.tol, self.kkt_tol, self.random_state = tol, kkt_tol, random_state

    def _fit_once(self, problem, n_clusters, seed):
        state, subspace = self._start(problem, n_clusters[0], seed)
        omegas = [np.ones(X.shape[0]) for X in problem.Xs]
        history, converged = descend(problem, state, subspace, omegas, self.lam, self.max_iter, self.tol)
        if converged:
            closing, converged = close(problem, state, subspace, omegas, self.lam, self.kkt_tol)
            history += closing
        self._warn_if(subspace.is_degenerate(np.vstack(state.XW)))
        return Fit(self._labels(state), history, converged, self._attributes(state))


class SPMTC(_SharedSubspaceClusterer):
    r"""Self-paced multi-task clustering, where outliers spoil LSSMTC: easy samples first, then more of them.

    After some iterations of LSSMTC on all samples, rounds follow that minimise, with its losses
    :math:`L_{ti}` and a regulariser :math:`f` of the weights, Eq. (7),

    .. math:: \sum_t \sum_i v_{ti} L_{ti} - \sum_t f\big(\lambda_2^{(t)}, v_t\big), \qquad v_{ti} \in [0, 1].

    Each round first sets the weights of every task from its current losses, so that at least a share of its
    samples has weight: half of them at first, all in the last round.  On unscaled counts a loss is close to
    the squared length of a document, and "easy" means short.

    Parameters
    ----------
    n_clusters : int
        Clusters of every task.
    weighting : {'hard', 'soft'}, default 'hard'
        SPMTC-h, Eq. (11), or SPMTC-s, Eq. (13) with gamma = threshold / 2.
    n_components, lam, w_update, init, starts : see LSSMTC
        With hard weights, the eigenvector updates see the selected samples only.
    free_rows : {'update', 'keep'}, default 'update'
        Memberships of samples with weight 0, which Eq. (7) leaves free; Eq. (22) makes 0/0 of them.  'update'
        takes those with the lowest loss: the minimiser of (7) over weights and memberships together, because
        a weight depends on the lowest loss that its sample can have.  'keep' reads 0/0 as 1, as a small
        constant in both parts of the fraction does: a sample keeps what it had when it last had weight.
    weight_power : {1, 2}, default 1
        2 is Eq. (7) as printed, with squared weights in the update of the model alone: no single
        objective for soft weights.
    warm_up : int, default 20
        Iterations of LSSMTC before the first round.
    pace_start, pace_step : float in (0, 1], default 0.5 and 0.1
        Share of samples in the first round, and its increase.
    inner_max_iter : int, default 50
        Iterations of a round by Eq. (22).
    n_init : int, default 1
        Starts; the one with the lowest final objective is kept.
    max_iter : int, default 20
        Rounds.
    tol : float, default 1e-4
        Share of the weighted objective ('eig_between': of the memberships); a smaller change ends a round.
    kkt_tol : float in (0, 1], default 1e-3
        See LSSMTC; for a last round with all samples.
    random_state : None, int, Generator or RandomState

    Warns
    -----
    DegenerateSubspaceWarning
        If, at the end of any round, :math:`X W = 0` for the samples that have weight and lam < 1.

    Attributes
    ----------
    labels_, membership_, centroids_, shared_centroids_, projection_ : see LSSMTC
    weights_ : list of ndarray of shape (n_t,)
        :math:`v_t` of the last round.
    weight_history_ : list of ndarray of shape (n_iter, n_t)
        Weights round by round.
    losses_ : list of ndarray of shape (n_t,)
        :math:`L_t` at the end.
    pace_ : ndarray of shape (n_iter,)
        Share of samples asked for, round by round.
    thresholds_ : ndarray of shape (n_iter, n_tasks)
        :math:`\lambda_2` of each round and task.
    round_objective_ : list of ndarray
        Weighted objective, iteration by iteration: the warm-up, then each round.  Values of different
        rounds cannot be compared.
    objective_ : ndarray of shape (n_iter,)
        Eq. (4), all weights one, after each round: comparable between rounds and starts, and it may rise.
    n_iter_ : int
        Rounds.
    converged_ : bool
        Whether the last round asked for all samples and met ``kkt_tol``, or with ``kkt_tol=1`` met ``tol``.

    References
    ----------
    Y. Ren, X. Que, D. Yao, Z. Xu. Self-Paced Multi-Task Clustering. arXiv:1808.08068, 2018, Algorithm 1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> topics = np.kron(np.eye(2), np.ones((1, 10)))
    >>> tasks = [rng.poisson(0.2 + 3 * topics[[0, 1] * n]) for n in (20, 25)]
    >>> model = SPMTC(n_clusters=2, weighting="soft", random_state=0).fit(tasks)
    >>> [sorted(np.bincount(labels).tolist()) for labels in model.labels_]
    [[20, 20], [25, 25]]
    >>> model.pace_
    array([0.5, 0.6, 0.7, 0.8, 0.9, 1. ])
    """

    traits = Traits(kind="multitask", paper="Ren, Que, Yao, Xu, arXiv 2018", same_n_clusters=True,
                    monotone=False, task_order_free=True)
    ALGORITHM_VERSION = 2
    rules = {"weighting": ("hard", "soft"), "free_rows": FREE_ROWS,
             "weight_power": Number(1, 2, integer=True), "warm_up": COUNT, "inner_max_iter": COUNT,
             "pace_start": SHARE, "pace_step": SHARE}

    def __init__(self, n_clusters, *, weighting="hard", n_components=2, lam=0.75, w_update="mult",
                 weight_power=1, init="random", starts=1, free_rows="update", warm_up=20, pace_start=0.5,
                 pace_step=0.1, inner_max_iter=50, n_init=1, max_iter=20, tol=1e-4, kkt_tol=1e-3,
                 random_state=None):
        self.n_clusters, self.weighting, self.n_components = n_clusters, weighting, n_components
        self.lam, self.w_update, self.weight_power = lam, w_update, weight_power
        self.init, self.starts, self.free_rows, self.warm_up = init, starts, free_rows, warm_up
        self.pace_start, self.pace_step, self.inner_max_iter = pace_start, pace_step, inner_max_iter
        self.n_init, self.max_iter, self.tol = n_init, max_iter, tol
        self.kkt_tol, self.random_state = kkt_tol, random_state

    def _fit_once(self, problem, n_clusters, seed):
        state, subspace = self._start(problem, n_clusters[0], seed)
        ones = [np.ones(X.shape[0]) for X in problem.Xs]
        inner = [descend(problem, state, subspace, ones, self.lam, self.warm_up, 0.0)[0]]
        shares = pace_shares(self.pace_start, self.pace_step, self.max_iter)
        history, weights, thresholds, degenerate = [], [], [], False
        losses = sample_losses(problem, state, self.lam)
        for share in shares:
            thresholds.append([pace_threshold(loss, share) for loss in losses])
            weights.append([self._weigh(loss, threshold) for loss, threshold in zip(losses, thresholds[-1])])
            omegas = [v ** self.weight_power for v in weights[-1]]
            subspace.reweigh(np.concatenate(omegas))
            values, converged = descend(
                problem, state, subspace, omegas, self.lam, self.inner_max_iter, self.tol, self.free_rows)
            if share == 1.0:
                closing, stationary = close(problem, state, subspace, omegas, self.lam, self.kkt_tol)
                values += closing
            inner.append(values)
            losses = sample_losses(problem, state, self.lam)
            history.append(objective(losses, ones))
            degenerate |= subspace.is_degenerate(np.vstack(state.XW))
        self._warn_if(degenerate)
        # A stationary point needs no further rule; where none is asked for, ``tol`` decides.
        done = share == 1.0 and stationary and (converged or self.kkt_tol < 1.0)
        return Fit(self._labels(state), history, done, {
            **self._attributes(state), "weights_": weights[-1], "losses_": losses, "pace_": np.array(shares),
            "weight_history_": [np.array(rounds) for rounds in zip(*weights)],
            "thresholds_": np.array(thresholds), "round_objective_": [np.array(h) for h in inner]},
            limit="inner_max_iter" if share == 1.0 else "max_iter")

    def _weigh(self, losses, threshold):
        if self.weighting == "hard":
            return hard_weights(losses, threshold)
        # A little above, or the hardest sample that is let in would have weight 0.
        threshold *= 1.0 + 1e-9
        return mixture_weights(losses, threshold, gamma=threshold / 2.0)
