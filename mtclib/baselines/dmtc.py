"""DMTFC and DMTRC: convex discriminative multi-task clustering (X.-L. Zhang, TPAMI 2015).

Both couple ridge scorers of relaxed labels, by a metric of the features or by a relation between the tasks.
Their objective J is convex in the scorers W and in Theta, what couples the tasks, together; Omega(W, Theta)
is its last sum.  In the code V is a list of arrays, one per task, with one column per label, and H centres
the rows of a task.
"""

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh, svd
from scipy.optimize import linear_sum_assignment
from scipy.sparse.linalg import LinearOperator, cg, lsqr

from mtclib.core.base import Fit, MultiTaskClusterer, Traits, stops
from mtclib.core.checks import NONNEGATIVE, SHARE
from mtclib.core.starts import best_kmeans, one_hot
from mtclib.maths.eigen import top_eigenvectors
from mtclib.maths.linalg import thin

RESIDUAL = 1e-8
# Share of the old labels that enters a polar step: it decides where the fitted values have too small a rank.
INERTIA = 1e-10
BALANCING_ROUNDS = 20
PROCRUSTES_SWEEPS = 50
# Turns in which clusters of even sizes get their first prices; a few paths do the rest.
PRICINGS = 8
# Share of the largest cost below which a path is no shorter than another.
ROUNDING = 1e-12


def centred(Z):
    """H Z: the columns of Z, shape (n, h), without their means."""
    return Z - Z.mean(axis=0)


def floored_spectrum(sizes, dimension, floor):
    r"""Eigenvalues of the Theta that minimises the penalty, with none below a share of the mean.

    .. math:: \min_\delta \sum_i s_i^2 / \delta_i,\quad \sum_i \delta_i = 1,\ \delta_i \ge \varphi = floor/d.

    The minimiser is delta_i = max(s_i / tau, phi); without the floor it is s_i / sum(s), the published one.
    ``sizes`` are the r singular values of the stacked scorers, descending; the other d - r are 0.  Returns
    the eigenvalues above phi, descending, and that of all the others.
    """
    phi = floor / dimension
    counts = np.arange(1, len(sizes) + 1)
    left = 1.0 - (dimension - counts) * phi
    sums = np.cumsum(sizes)
    above = np.flatnonzero(sizes * left > phi * sums * (1.0 + 1e-12))
    if not len(above):
        return np.empty(0), 1.0 / dimension  # floor 1, or scorers that are all 0
    q = above[-1] + 1
    return sizes[:q] * left[q - 1] / sums[q - 1], phi


class CoupledRidge:
    """The ridge problems of all tasks for one coupling; lam1 and lam2 are nonnegative, and not both 0.

    With A the operator (lam1 Theta^-1 + lam2 I)^-1 on stacked scorers, the minimiser of J over W and b is
    W = A X^T H alpha with (H X A X^T H + n) alpha = H F: N unknowns a label, never d.  Scaled by n_t^(-1/2)
    the system is the identity plus a positive semidefinite matrix, and conjugate gradients solve it with
    sparse products alone.  Where large entries leave that without digits, LSQR finds the W = A^(1/2) Z
    instead that minimises ||H F - H X A^(1/2) Z||^2 / n + ||Z||^2: its condition is the root of the other.
    """

    def __init__(self, Xs, lam1, lam2):
        self.Xs, self.lam1, self.lam2 = Xs, lam1, lam2
        self.thin, self.XTs = [thin(X) for X in Xs], [thin(X.T) for X in Xs]
        self.roots = [np.sqrt(X.shape[0]) for X in Xs]
        self.ends = np.cumsum([X.shape[0] for X in Xs])
        self.stiff = False

    def strengths(self, theta):
        """Eigenvalues of A from those of Theta, float or ndarray."""
        return theta / (self.lam1 + self.lam2 * theta)

    def scorers(self, coupling, x, h):
        """W of each task, (d, h), for a solution of the scaled systems of all tasks, one below the other."""
        parts = np.split(x.reshape(-1, h), self.ends[:-1])
        return coupling.apply([XT @ centred(part / root)
                               for XT, part, root in zip(self.XTs, parts, self.roots)])

    def _scaled(self, coupling, x, h):
        Ws = self.scorers(coupling, x, h)
        return x.ravel() + np.vstack([centred(X @ W) / root
                                      for X, W, root in zip(self.thin, Ws, self.roots)]).ravel()

    def solve(self, coupling, Fs, start=None):
        """W (d, h), the fitted values H X W (n_t, h) and their loss, for fixed labels Fs and coupling.

        ``start`` is the solution of a similar system.  The loss is the sum over tasks of
        1/n_t ||H F - H X W||^2; last comes the solution of this system.
        """
        Fs = [centred(F) for F in Fs]
        h, size = Fs[0].shape[1], self.ends[-1] * Fs[0].shape[1]
        system = LinearOperator((size, size), matvec=lambda x: self._scaled(coupling, x, h), dtype=float)
        rhs = np.vstack([F / root for F, root in zip(Fs, self.roots)]).ravel()
        if not self.stiff:
            with np.errstate(all="ignore"):  # where it breaks down, least squares take over
                solution, _ = cg(system, rhs, x0=start, rtol=RESIDUAL, maxiter=10 * size)
            self.stiff = not np.linalg.norm(system @ solution - rhs) <= 1e3 * RESIDUAL * np.linalg.norm(rhs)
        if self.stiff:
            Ws, solution = self._least_squares(coupling, rhs, h), None
        else:
            Ws = self.scorers(coupling, solution, h)
        fits = [centred(X @ W) for X, W in zip(self.thin, Ws)]
        loss = sum(np.sum((F - fit) ** 2) / len(F) for F, fit in zip(Fs, fits))
        return Ws, fits, float(loss), solution

    def _least_squares(self, coupling, rhs, h):
        d, T = self.Xs[0].shape[1], len(self.Xs)
        # At entries near 1 nothing overflows; a power of two changes no digit.
        unit = 2.0 ** max(np.frexp(abs(X).max())[1] for X in self.Xs)

        def forward(z):
            Ws = coupling.apply(np.split(z.reshape(-1, h), T), 0.5)
            return np.vstack([centred(X @ (W / unit)) / root
                              for X, W, root in zip(self.thin, Ws, self.roots)])

        def backward(x):
            parts = np.split(x.reshape(-1, h), self.ends[:-1])
            Vs = [XT @ (centred(part) / (unit * root)) for XT, part, root in zip(self.XTs, parts, self.roots)]
            return np.vstack(coupling.apply(Vs, 0.5))

        system = LinearOperator((rhs.size, T * d * h), matvec=lambda z: forward(z).ravel(),
                                rmatvec=lambda x: backward(x).ravel(), dtype=float)
        z, stop, *_ = lsqr(system, rhs, damp=1.0 / unit, atol=RESIDUAL, btol=RESIDUAL, conlim=0,
                           iter_lim=10 * rhs.size)
        if stop == 7 or not np.isfinite(z).all():
            raise FloatingPointError("the ridge systems were not solved; scale the data, or raise "
                                     "lam1 or lam2")
        return [W / unit for W in coupling.apply(np.split(z.reshape(-1, h), T), 0.5)]

    def value(self, loss, Ws, penalty):
        """J from its parts, float."""
        return loss + self.lam2 * sum(float(np.sum(W * W)) for W in Ws) + self.lam1 * penalty


def start_labels(X, h):
    """Relaxed labels without any coupling: the h < n leading left singular vectors of H X, scaled; (n, h).

    They minimise tr(Z (K + n I)^-1) over the convex set {0 <= Z <= n/k I, Z 1 = 0, tr Z = h n/k} of relaxed
    label kernels Z = F F^T, for K any positive multiple of H X X^T H (Ky Fan).  Then F^T F = n / (h + 1) I.
    """
    n = X.shape[0]
    squares = float(np.sum(X.data**2) if sp.issparse(X) else np.sum(X * X)) or 1.0
    X, XT = thin(X), thin(X.T)

    def product(Z):
        # The constant vector gets the eigenvalue -1, so that it never comes first, not even for K = 0.
        return centred(X @ (XT @ centred(Z))) / squares - Z.mean(axis=0)

    start = np.random.default_rng(0).standard_normal((n, min(n, h + 2)))
    F = top_eigenvectors(product, start, h, tol=1e-10)[1]
    F = F * np.where(np.sum(F**3, axis=0) < 0, -1.0, 1.0)
    return np.sqrt(n / (h + 1.0)) * F


def label_step(F, fit):
    """The relaxed labels nearest to fitted values: argmin ||F - fit||^2 over F^T F = n/k I, F^T 1 = 0.

    Fitted values are centred; the current labels F stay wherever these say nothing.
    """
    scale = np.linalg.norm(fit)
    if scale == 0:
        return F
    return np.sqrt(len(F) / (F.shape[1] + 1.0)) * _polar(fit / scale + INERTIA * F / np.linalg.norm(F))


def relax(ridge, coupling, k, max_iter, tol):
    """Minimise J over relaxed labels, scorers and coupling in turn; each step is exact, so J never rises.

    Label steps are power iterations, slow where scorers fit nearly any labels.  They are therefore taken from
    fitted values with momentum; a step that raises J is taken again without.  ``coupling`` is that of
    uncoupled tasks.  Returns the labels, (n_t, k - 1) each, the history of J, and whether it converged.
    """
    if k == 1:
        return [np.zeros((X.shape[0], 0)) for X in ridge.Xs], [0.0], True
    Fs = [start_labels(X, k - 1) for X in ridge.Xs]
    Ws, fits, _, _ = ridge.solve(coupling, Fs)
    Fs, fits = ([Z @ R for Z, R in zip(Zs, coupling.rotations(Ws))] for Zs in (Fs, fits))
    state, before, history, converged, age = (Fs, fits, coupling, None), fits, [], False, 0
    while not converged and len(history) < max_iter:
        following, value = _sweep(ridge, state, before, age / (age + 3.0))
        if age and value > history[-1]:
            age = 0
            following, value = _sweep(ridge, state, before, 0.0)
        before, state, age = state[1], following, age + 1
        history.append(value)
        converged = len(history) > 1 and stops(history[-2], value, tol)
    return state[0], history, converged


def _sweep(ridge, state, before, momentum):
    """Labels, scorers and coupling, once each: the next state and J."""
    Fs, fits, coupling, solution = state
    Fs = [label_step(F, fit + momentum * (fit - old)) for F, fit, old in zip(Fs, fits, before)]
    Ws, fits, loss, solution = ridge.solve(coupling, Fs, solution)
    coupling, penalty = coupling.update(Ws)
    return (Fs, fits, coupling, solution), ridge.value(loss, Ws, penalty)


def fit_scorers(ridge, coupling, Ys, max_iter, tol):
    """Coupling, scorers and J at its minimum for fixed labels: a convex problem, whatever the start."""
    values, solution = [], None
    for _ in range(max_iter):
        Ws, _, loss, solution = ridge.solve(coupling, Ys, solution)
        coupling, penalty = coupling.update(Ws)
        values.append(ridge.value(loss, Ws, penalty))
        if len(values) > 1 and stops(values[-2], values[-1], tol):
            break
    return coupling, Ws, values[-1]


def discretise(F, k, seeds, marginals, seeding="greedy"):
    """Clusters of the rows of F, (n, k - 1), by k-means with one start per seed.

    With 'even' marginals sizes are n/k rounded up or down, by exact transport to the centroids, in turn with
    the centroids.
    """
    if k == 1:
        return np.zeros(len(F), dtype=np.intp)
    model = best_kmeans(F, k, seeds, seeding=seeding)
    labels, centroids = model.labels_.astype(np.intp), model.cluster_centers_
    for _ in range(BALANCING_ROUNDS if marginals == "even" else 0):
        before, labels = labels, even_assignment(np.sum(centroids**2, axis=1) - 2.0 * F @ centroids.T)
        if np.array_equal(before, labels):
            break
        centroids = one_hot(labels, k).T @ F / np.bincount(labels, minlength=k)[:, None]
    return labels


def even_assignment(cost):
    """The cheapest assignment of n rows to k clusters of floor(n/k) or ceil(n/k) rows each, exactly.

    ``cost`` has shape (n, k), n >= k; FloatingPointError if an entry is not finite.  By successive shortest
    paths: with any prices of the clusters, the assignment of each row to its cheapest is the cheapest of its
    sizes, and remains so while rows move along shortest paths from cluster to cluster.  The least total is
    convex in the sizes: where no path lowers it, it is lowest.
    """
    if not np.isfinite(cost).all():  # no path would end
        raise FloatingPointError("distances between samples and centroids are not finite: scale the data")
    n, k = cost.shape
    low, high, rounding = n // k, -(-n // k), ROUNDING * np.abs(cost).max()
    priced, moves, rows = cost.copy(), np.empty((k, k)), np.empty((k, k), dtype=np.intp)
    sizes = np.bincount(priced.argmin(axis=1), minlength=k)
    for j in list(range(k)) * (PRICINGS if sizes.min() < low or sizes.max() > high else 0):
        own = priced[:, j].copy()
        priced[:, j] = np.inf
        priced[:, j] = own + np.partition(priced.min(axis=1) - own, n - high)[n - high]
    labels, path = priced.argmin(axis=1), range(k)
    while len(path):
        for a in path:
            members = np.flatnonzero(labels == a)
            more = cost[members] - cost[members, a, None]
            moves[a] = more.min(axis=0, initial=np.inf)
            rows[a] = members[more.argmin(axis=0)] if len(members) else 0
        path = _shortest_path(moves, np.bincount(labels, minlength=k), low, high, rounding)
        labels[rows[path[:-1], path[1:]]] = path[1:]
    return labels


def _shortest_path(moves, sizes, low, high, rounding):
    """Clusters from one too large to one too small; else from any to any, if that lowers the total, or none.

    ``moves`` (k, k) are the lengths of the steps; no closed path has a negative length.
    """
    over, under = sizes > high, sizes < low
    lengths, before = np.where(over if over.any() else sizes > low, 0.0, np.inf), np.full(len(sizes), -1)
    targets = np.flatnonzero(under if under.any() else sizes < high)
    for _ in sizes:
        through = lengths[:, None] + moves
        shorter = through.min(axis=0) < lengths - rounding
        if not shorter.any():
            break
        lengths = np.where(shorter, through.min(axis=0), lengths)
        before = np.where(shorter, through.argmin(axis=0), before)
    if not (over.any() or under.any()) and lengths[targets].min(initial=0.0) >= -rounding:
        return []
    path = [targets[lengths[targets].argmin()]]
    while before[path[0]] >= 0:
        path.insert(0, before[path[0]])
    return path


def align(labels, Ws, k):
    """Renumber clusters so that number j means similar scorers in all tasks; the first task keeps its own.

    ``Ws`` are the scorers of the clusters, (d, k) for each task.
    """
    total, aligned = Ws[0], [labels[0]]
    for h, W in zip(labels[1:], Ws[1:]):
        number = linear_sum_assignment(W.T @ total, maximize=True)[1]
        aligned.append(number[h])
        total = total + W[:, np.argsort(number)]
    return aligned


class CoupledClusterer(MultiTaskClusterer):
    """Base of DMTFC and DMTRC, which differ in ``_coupling`` and in the default of ``marginals``."""

    traits = Traits(kind="multitask", paper="X.-L. Zhang, TPAMI 2015", same_n_clusters=True,
                    reconstruction=True, scale_free=False)
    rules = {"lam1": NONNEGATIVE, "lam2": NONNEGATIVE, "floor": SHARE, "marginals": ("even", "free")}

    def __init__(self, n_clusters, *, lam1=2.0**-6, lam2=2.0**-6, floor=0.1, marginals="free", n_init=10,
                 max_iter=300, tol=1e-5, seeding="greedy", random_state=None):
        self.n_clusters, self.lam1, self.lam2, self.floor = n_clusters, lam1, lam2, floor
        self.marginals, self.n_init, self.max_iter, self.tol = marginals, n_init, max_iter, tol
        self.seeding, self.random_state = seeding, random_state

    def _check_parameters(self):
        super()._check_parameters()
        if not self.lam1 + self.lam2 > 0:
            raise ValueError("lam1 and lam2 are both 0, which lets the scorers fit any labels; raise one")

    def _prepare(self, Xs, n_clusters):
        return CoupledRidge(Xs, float(self.lam1), float(self.lam2))

    def _fit_best(self, ridge, n_clusters, seeds):
        k = n_clusters[0]
        uncoupled = self._coupling(ridge, self.floor)
        Fs, history, converged = relax(ridge, uncoupled, k, self.max_iter, self.tol)
        labels = [discretise(F, k, seeds, self.marginals, self.seeding) for F in Fs]
        labels = align(labels, ridge.solve(uncoupled, _indicators(labels, k))[0], k)
        Ys = _indicators(labels, k)
        coupling, Ws, value = fit_scorers(ridge, uncoupled, Ys, self.max_iter, self.tol)
        return Fit(labels, history, converged, {
            "coef_": Ws, "intercept_": [Y.mean(axis=0) - np.asarray(X.mean(axis=0)).ravel() @ W
                                        for X, Y, W in zip(ridge.Xs, Ys, Ws)],
            "relaxed_labels_": Fs, "labels_objective_": value, **coupling.attributes()})


def _indicators(labels, k):
    return [one_hot(h, k) for h in labels]


class DMTFC(CoupledClusterer):
    r"""Clusters that ridge scorers with a shared feature metric predict well.

    .. math::

        J = \sum_t \Big[\tfrac{1}{n_t} \|F_t - X_t W_t - 1 b_t^\top\|^2 + \lambda_2 \|W_t\|^2\Big]
            + \lambda_1 \sum_t \operatorname{tr}(W_t^\top D^{-1} W_t),
            \quad D \succeq 0,\ \operatorname{tr} D = 1,

    over scorers :math:`W` and :math:`b`, the metric :math:`D`, which carries what the tasks share, and
    relaxed balanced labels, :math:`F_t^\top F_t = \tfrac{n_t}{k} I` and :math:`F_t^\top 1 = 0` (the form of
    one-hot labels of even clusters, centred and up to rotation; it excludes the constant labels that would
    make :math:`J = 0`).  The penalty at the best :math:`D` is the squared sum of the singular values of
    :math:`[W_1 \dots W_T]`.

    Reconstruction.  The abstract and the papers that cite it give the two convex parts (multi-task feature
    learning, maximum margin clustering with even label marginals) and the weights :math:`\lambda_1` and
    :math:`\lambda_2`.  The penalty is the known one.  Squared loss in place of the multiclass margin, the
    relaxation of the labels, the floor of :math:`D`, and rounding by k-means are ours.  :math:`J` is convex
    in :math:`(W, b, D)` for fixed labels, and the labels without coupling, where the iteration starts, solve
    a convex problem in the label kernels :math:`F F^\top`; :math:`J` is not jointly convex in the label
    kernels and :math:`D`.

    Parameters
    ----------
    n_clusters : int or list of int
        Clusters of each task; the same number in all.
    lam1 : float >= 0, default 2**-6
        Weight of the penalty that couples the tasks.  The published grid for both weights is 2**-10, 2**-8,
        ..., 2**-2.
    lam2 : float >= 0, default 2**-6
        Weight of the squared norm of the scorers; at least one weight must be positive.
    floor : float in (0, 1], default 0.1
        No eigenvalue of :math:`D` is below floor / d; 1 fixes :math:`D = I / d`, which uncouples the tasks.
    marginals : {'even', 'free'}, default 'free'
        Whether all clusters of a task get the same number of samples (up to one), or as many as k-means
        gives them.  Accuracies printed for DMTFC are out of reach of even clusters.  Even ones may have to
        part samples that are copies of one another: which of them go where follows their order.
    n_init : int, default 10
        Starts of k-means in the final rounding; the rest is deterministic.
    seeding : {'greedy', 'plain', 'random'}, default 'greedy'
        Where k-means starts; see :func:`mtclib.core.starts.best_kmeans`.
    max_iter : int, default 300
    tol : float, default 1e-5
        Stop when the objective falls by less than ``tol`` times its value.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
        Cluster j means similar scorers in all tasks.
    directions_ : ndarray of shape (d, q)
        Leading eigenvectors of :math:`D`.
    direction_weights_ : ndarray of shape (q,)
        Their eigenvalues, descending; all the others are equal.
    coef_ : list of ndarray of shape (d, k)
        :math:`W_t`, ridge scorers of the final clusters.
    intercept_ : list of ndarray of shape (k,)
        :math:`b_t`.
    relaxed_labels_ : list of ndarray of shape (n_t, k - 1)
        :math:`F_t`.
    labels_objective_ : float
        :math:`J` of the final clusters: its global minimum over scorers and metric.
    objective_ : ndarray of shape (n_iter,)
        :math:`J` of the relaxed labels after each iteration; never rises.
    n_iter_, converged_ : int and bool

    Examples
    --------
    >>> Xs = [np.kron(np.eye(2), np.ones((5, 3))), np.kron(np.eye(2), np.ones((4, 3)))]
    >>> model = DMTFC(n_clusters=2, random_state=0).fit(Xs)
    >>> [np.ptp(labels.reshape(2, -1), axis=1).tolist() for labels in model.labels_]
    [[0, 0], [0, 0]]
    """

    def _coupling(self, ridge, floor):
        d = ridge.Xs[0].shape[1]
        return FeatureMetric(ridge, floor, np.zeros((d, 0)), np.empty(0), 1.0 / d)


class FeatureMetric:
    """D: Omega(W, D) = sum_t tr(W_t^T D^-1 W_t), tr D = 1, eigenvalues at least floor / d.

    D is kept as a few orthonormal directions, (d, q), none for D = I/d, their eigenvalues ``leading`` and one
    eigenvalue, ``rest``, for all others; nothing of size d x d exists.
    """

    def __init__(self, ridge, floor, directions, leading, rest):
        self.ridge, self.floor = ridge, floor
        self.directions, self.leading, self.rest = directions, leading, rest

    def apply(self, Vs, power=1.0):
        """A power of (lam1 D^-1 + lam2 I)^-1 times V for each task."""
        V, rest = np.hstack(Vs), self.ridge.strengths(self.rest) ** power
        extra = self.ridge.strengths(self.leading) ** power - rest
        out = rest * V + self.directions @ (extra[:, None] * (self.directions.T @ V))
        return np.hsplit(out, len(Vs))

    def update(self, Ws):
        """The best metric for given scorers, and Omega at both."""
        d, W = Ws[0].shape[0], np.hstack(Ws)
        U, sizes, _ = svd(W, full_matrices=False)
        leading, rest = floored_spectrum(sizes, d, self.floor)
        q = len(leading)
        penalty = np.sum(sizes[:q] ** 2 / leading) + np.sum(sizes[q:] ** 2) / rest
        return FeatureMetric(self.ridge, self.floor, U[:, :q], leading, rest), float(penalty)

    def rotations(self, Ws):
        """Identities: Omega does not change when the labels of a task are rotated."""
        return [np.eye(W.shape[1]) for W in Ws]

    def attributes(self):
        """What the estimator shows of it."""
        return {"directions_": self.directions, "direction_weights_": self.leading}


class DMTRC(CoupledClusterer):
    r"""Clusters that ridge scorers predict well whose relation between tasks is learnt.

    .. math::

        J = \sum_t \Big[\tfrac{1}{n_t} \|F_t - X_t W_t - 1 b_t^\top\|^2 + \lambda_2 \|W_t\|^2\Big]
            + \lambda_1 \sum_{ts} (S^{-1})_{ts} \operatorname{tr}(W_t^\top W_s),
            \quad S \succeq 0,\ \operatorname{tr} S = 1,

    over the scorers :math:`W` and :math:`b`, the relation :math:`S` between tasks, and the relaxed balanced
    labels of :class:`mtclib.baselines.DMTFC`.  The penalty at the best :math:`S` is the squared sum of the
    singular values of the scorers with each task as one column.

    Reconstruction, like DMTFC, with multi-task relationship learning in place of feature learning.  Ours is
    also the rotation of the relaxed labels to each other at the start (generalised Procrustes), and that
    k-means is followed by transport where clusters are to be even.

    Parameters
    ----------
    n_clusters, lam1, lam2, n_init, seeding, max_iter, tol, random_state
        As in :class:`mtclib.baselines.DMTFC`.
    floor : float in (0, 1], default 0.1
        No eigenvalue of :math:`S` is below floor / T; 1 fixes :math:`S = I / T`, which uncouples the tasks.
    marginals : {'even', 'free'}, default 'even'
        As in :class:`mtclib.baselines.DMTFC`, but even by default.

    Attributes
    ----------
    labels_, coef_, intercept_, relaxed_labels_, labels_objective_, objective_, n_iter_, converged_
        As in :class:`mtclib.baselines.DMTFC`.
    relation_ : ndarray of shape (T, T)
        :math:`S`, positive definite, trace 1; related tasks have large entries.

    Examples
    --------
    >>> Xs = [np.kron(np.eye(2), np.ones((5, 3))), np.kron(np.eye(2), np.ones((4, 3)))]
    >>> model = DMTRC(n_clusters=2, random_state=0).fit(Xs)
    >>> [np.ptp(labels.reshape(2, -1), axis=1).tolist() for labels in model.labels_]
    [[0, 0], [0, 0]]
    """

    ALGORITHM_VERSION = 2

    def __init__(self, n_clusters, *, lam1=2.0**-6, lam2=2.0**-6, floor=0.1, marginals="even", n_init=10,
                 max_iter=300, tol=1e-5, seeding="greedy", random_state=None):
        super().__init__(n_clusters, lam1=lam1, lam2=lam2, floor=floor, marginals=marginals, n_init=n_init,
                         seeding=seeding, max_iter=max_iter, tol=tol, random_state=random_state)

    def _coupling(self, ridge, floor):
        return TaskRelation(ridge, floor, np.eye(len(ridge.Xs)) / len(ridge.Xs))


class TaskRelation:
    """S, (T, T): Omega(W, S) = sum_k tr(V_k S^-1 V_k^T), V_k = [w_1k ... w_Tk].

    tr S = 1, and no eigenvalue is below floor / T.
    """

    def __init__(self, ridge, floor, S):
        self.ridge, self.floor, self.S = ridge, floor, S
        self.theta, self.Q = eigh(S)

    def apply(self, Vs, power=1.0):
        """A power of (lam1 S^-1 + lam2 I)^-1 over the tasks."""
        mixing = (self.Q * self.ridge.strengths(self.theta) ** power) @ self.Q.T
        return list(np.tensordot(mixing, np.stack(Vs), axes=1))

    def update(self, Ws):
        """The best relation for given scorers, and Omega at both."""
        T = len(Ws)
        # A task's scorers make one column; the Gram matrix would lose the small singular values.
        _, sizes, Q = svd(np.stack([W.ravel() for W in Ws], axis=1), full_matrices=False)
        Q = Q.T
        leading, rest = floored_spectrum(sizes, T, self.floor)
        theta = np.full(len(sizes), rest)
        theta[:len(leading)] = leading
        S = rest * (np.eye(T) - Q @ Q.T) + (Q * theta) @ Q.T
        return TaskRelation(self.ridge, self.floor, S), float(np.sum(sizes**2 / theta))

    def rotations(self, Ws):
        """Orthogonal R_t that bring the scorers W_t R_t of all tasks together: generalised Procrustes."""
        rotations = [np.eye(Ws[0].shape[1])]
        for W in Ws[1:]:
            rotations.append(_polar(W.T @ sum(V @ R for V, R in zip(Ws, rotations))))
        for _ in range(PROCRUSTES_SWEEPS if len(Ws) > 2 else 0):
            total = sum(W @ R for W, R in zip(Ws, rotations))
            for t, W in enumerate(Ws):
                others = total - W @ rotations[t]
                rotations[t] = _polar(W.T @ others)
                total = others + W @ rotations[t]
        return rotations

    def attributes(self):
        """What the estimator shows of it."""
        return {"relation_": self.S}


def _polar(A):
    """`mtclib.maths.linalg.polar` by the SVD of SciPy, which rounds otherwise than that of NumPy."""
    left, _, right = svd(A, full_matrices=False)
    return left @ right
