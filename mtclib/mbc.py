"""MBC: multitask Bregman clustering (Zhang, Zhang, AAAI 2010).

===========  ======================================  ====================================================
Eq.          what it says                            where
===========  ======================================  ====================================================
Table 1      Bregman divergences                     :mod:`mtclib.maths.bregman`
(2)-(5)      objective J                             ``objective``
(3)          local loss                              ``local_losses``
(8)          distance of two partitions, d_M         :func:`mtclib.metrics.partition_emd`
(10)         relations                               ``relation_step``, :mod:`mtclib.maths.transport`
(12)         assignments                             ``assignment_step``
(14)         centroids, asymmetric divergences       ``centroid_step``, :mod:`mtclib.maths.centroids`
(15)         centroids, symmetric divergences        ``centroid_step``
Algorithm 1  one sweep                               ``sweep``, ``descend``
===========  ======================================  ====================================================

J and its centroids u^t_z, assignments h_t and relations W^ts are those of :class:`mtclib.MBC`; for one task
the second term of J is 0.  Each step minimises J exactly over one block of variables, so a sweep never raises
it.
"""

from dataclasses import dataclass, replace

import numpy as np

from mtclib.core.base import Fit, MultiTaskClusterer, Traits, stops
from mtclib.core.checks import COUNT, NONNEGATIVE, Named, Number, check_initial_labels
from mtclib.core.starts import fill_empty, kmeans_once, one_thread, random_labels
from mtclib.maths import centroids
from mtclib.maths.bregman import Anchored, Smoothed, divergence, mean_entry, pooled_metric
from mtclib.maths.transport import transport_plan

__all__ = ["MBC"]

TIE = 1e-12


@dataclass(frozen=True)
class Problem:
    """What all starts share."""

    tasks: list  # x^t as Smoothed, (n_t, d)
    divergence: object  # mtclib.maths.bregman.Divergence
    anchor: np.ndarray  # (d,), a point amid the data, from which divergences are measured; see Anchored
    from_anchor: list  # d(x^t_i || anchor), (n_t,)
    coupling: float  # lam / (T - 1), or 0 for one task


@dataclass
class State:
    """The variables of J, and the products that the next step needs."""

    centres: list  # u^t as Anchored, (K_t, d)
    labels: list  # h_t (n_t,), int
    sums: list  # of the samples of each cluster, (K_t, d)
    counts: list  # sizes of the clusters, (K_t,)
    relation: dict  # from (t, s), t != s, to W^ts (K_t, K_s)
    costs: dict  # from (t, s), t != s, to d(u^t_z || u^s_l), (K_t, K_s)


def relation_step(costs, symmetric=False):
    """W of all ordered pairs of tasks, Eq. (10): exact transport plans with uniform masses.  For a symmetric
    divergence W^st is the transpose of W^ts; otherwise both directions are solved."""
    plans = {}
    for (t, s), cost in costs.items():
        K_t, K_s = cost.shape
        plans[t, s] = (plans[s, t].T if symmetric and (s, t) in plans else
                       transport_plan(cost, np.full(K_t, 1.0 / K_t), np.full(K_s, 1.0 / K_s)))
    return plans


def assignment_step(task, centres):
    """Nearest centroid of each sample, Eq. (12); ties go to the lowest index.  Returns the labels and the
    gains d(x_i||anchor) - d(x_i||u_h(i)), (n,) each."""
    scores = task.products(centres.tilt)
    offsets = centres.far + centres.level
    scores -= offsets
    best = scores.argmax(axis=1)
    gains = scores[np.arange(len(best)), best]
    # Equal divergences, common among counts, differ after rounding, and not alike for dense and sparse data.
    slack = TIE * (np.abs(gains) + 2.0 * np.abs(offsets[best]))
    return (scores >= (gains - slack)[:, None]).argmax(axis=1), gains


def centroid_step(problem, state, t, exact=True):
    """u^t_z = argmin A d(mu_L||u) + B d(u||mu_R) for all z, Eq. (14); an empty uncoupled cluster stays.
    A = n_z/n + lam/K and B = lam/K; mu_L is the mean of the cluster's samples and of the centroids that W
    matches to it, mu_R the mean of the gradients of those centroids, carried back."""
    n, counts, sums = len(state.labels[t]), state.counts[t], state.sums[t]
    if not problem.coupling:
        return np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], state.centres[t].points)
    foreign = {s: centres for s, centres in enumerate(state.centres) if s != t}
    B = np.full(len(counts), problem.coupling * len(foreign) / len(counts))
    A = counts / n + B
    pulled = problem.coupling * _mix([(state.relation[s, t].T, U.points) for s, U in foreign.items()])
    left = sums / n
    left += pulled
    if problem.divergence.symmetric:
        # Eq. (15): B mu_R is what the centroids add to A mu_L, for W^ts is the transpose of W^st.
        left += pulled
        return left / (A + B)[:, None]
    left /= A[:, None]
    tilt = problem.coupling / B[:, None] * _mix([(state.relation[t, s], U.tilt) for s, U in foreign.items()])
    right = problem.divergence.inverse_gradient(problem.divergence.gradient(problem.anchor) + tilt)
    if exact:
        return problem.divergence.mixed_centroid(left, right, A, B)
    return centroids.geodesic(problem.divergence, left, right, A, B)


def _mix(products):
    """Sum of the products of relations, which have few entries, with (K, d) arrays."""
    parts = []
    for W, rows in products:
        parts.append(np.zeros((len(W), rows.shape[1])))
        for z, l in zip(*np.nonzero(W)):
            parts[-1][z] += W[z, l] * rows[l]
    return sum(parts)


def local_losses(problem, state):
    """Mean divergence of the samples of each task from their centroids, Eq. (3), shape (T,)."""
    losses = []
    for near, centres, sums, counts in zip(problem.from_anchor, state.centres, state.sums, state.counts):
        total = near.sum() + counts @ (centres.far + centres.level) - np.vdot(sums, centres.tilt)
        losses.append(max(total, 0.0) / len(near))
    return np.array(losses)


def objective(problem, state):
    """J of :class:`mtclib.MBC`."""
    return float(local_losses(problem, state).sum() + problem.coupling * separation(state))


def separation(state):
    """Divergences between the centroids of all pairs of tasks, weighted by the relations."""
    return sum(np.vdot(W, state.costs[pair]) for pair, W in state.relation.items())


def begin(problem, labels, n_clusters):
    """State with the means of a partition as centroids; an empty cluster starts amid the data."""
    state = State([], labels, [], [], {}, {})
    for task, h, k in zip(problem.tasks, labels, n_clusters):
        sums, counts = task.sums(h, k), np.bincount(h, minlength=k)
        means = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], problem.anchor)
        state.centres.append(Anchored(problem.divergence, means, problem.anchor))
        state.sums.append(sums)
        state.counts.append(counts)
    measure(problem, state)
    return state


def measure(problem, state):
    """Refresh the divergences between the centroids of all pairs of tasks."""
    for t, centres in enumerate(state.centres):
        for s, others in enumerate(state.centres):
            if s < t and problem.divergence.symmetric:
                state.costs[t, s] = state.costs[s, t].T
            elif s != t:
                state.costs[t, s] = others.divergences(centres.shifted, centres.near)


def assign(problem, state, *, fill):
    """Refresh labels, sums and counts; ``fill`` clusters that are empty.  Only where tasks are not coupled:
    otherwise an empty cluster's centroid follows the other tasks."""
    for t, (task, centres) in enumerate(zip(problem.tasks, state.centres)):
        k = len(centres.points)
        labels, gains = assignment_step(task, centres)
        if fill and not problem.coupling:
            divergences = problem.from_anchor[t] - gains
            labels = fill_empty(labels, divergences, k, TIE * divergences.max())
        state.labels[t], state.counts[t] = labels, np.bincount(labels, minlength=k)
        state.sums[t] = task.sums(labels, k)


def sweep(problem, state, *, exact=True, free=None):
    """Relations, assignments, then the centroids of one task after the other, as in Algorithm 1.  Only the
    centroids of the tasks ``free`` move; by default all do."""
    state.relation = relation_step(state.costs, problem.divergence.symmetric)
    assign(problem, state, fill=True)
    for t in range(len(state.centres)) if free is None else free:
        points = centroid_step(problem, state, t, exact)
        state.centres[t] = Anchored(problem.divergence, points, problem.anchor)
    measure(problem, state)


def settle(problem, state):
    """Relations and assignments that are best for the last centroids."""
    state.relation = relation_step(state.costs, problem.divergence.symmetric)
    assign(problem, state, fill=False)


def descend(problem, state, *, max_iter, tol, step=sweep, value=objective, finish=settle, **options):
    """Sweep, in place, until the objective falls by less than the share ``tol``, then settle.  ``step`` is
    one sweep, which gets the ``options``; ``value`` is what it lowers, and ``finish`` what the end state
    needs.  Returns the objective after each sweep, the last that of the settled state, and whether it
    converged."""
    history, converged = [], False
    while len(history) < max_iter and not converged:
        step(problem, state, **options)
        history.append(value(problem, state))
        converged = len(history) > 1 and stops(*history[-2:], tol)
    finish(problem, state)
    history[-1] = value(problem, state)
    return history, converged


def adopt(problem, state, t, alone):
    """Give task ``t`` the solution that it has alone, a state of one task: what is listed task by task."""
    for name, value in vars(alone).items():
        if isinstance(value, list):
            getattr(state, name)[t] = value[0]
    measure(problem, state)


def single_task(problem, t):
    """The problem of one task alone, a Problem without coupling."""
    return replace(problem, tasks=[problem.tasks[t]], from_anchor=[problem.from_anchor[t]], coupling=0.0)


class MBC(MultiTaskClusterer):
    r"""Multitask Bregman clustering, for tasks that share classes: k-means whose matched centroids attract.

    With a Bregman divergence :math:`d`, centroids :math:`u^t_z`, assignments :math:`h_t` and relations
    :math:`W^{ts}`, which say how far centroids of two tasks are matched, it minimises

    .. math:: J = \sum_t \frac{1}{n_t} \sum_i d\big(x^t_i \,\|\, u^t_{h_t(i)}\big)
        + \frac{\lambda}{T - 1} \sum_{t \ne s} \sum_{zl} w^{ts}_{zl}\, d(u^t_z \,\|\, u^s_l),

    which is T times the paper's Eq. (2)-(5); the second sum is over ordered pairs of tasks, the rows of
    :math:`W^{ts}` sum to :math:`1 / K_t` and its columns to :math:`1 / K_s`, the paper's relaxation of the
    cluster proportions.  The numbers of clusters may differ between tasks.

    Parameters
    ----------
    n_clusters : int, or list of int with one per task
    lam : float, >= 0, default 0.5
        :math:`\lambda` of Eq. (2).  0 clusters each task alone: for the squared distance this is Lloyd's
        k-means, the paper's method "IND".  With 0.5 and clusters of equal size the other tasks' centroids
        weigh as much as a cluster's own mean.
    divergence : str, triple of callables, or Divergence, default 'sqeuclidean'
        'sqeuclidean', 'mahalanobis', 'kl' (rows that sum to one), 'i-divergence', 'itakura-saito', or
        elementwise functions (phi, gradient, inverse_gradient); see ``mtclib.maths.bregman``.
    metric : ndarray of shape (d, d), optional
        Symmetric positive definite matrix of 'mahalanobis'; by default the inverse covariance of the samples
        of all tasks together, with 1e-6 of the mean variance added to the diagonal.  Fixed during the fit.
    smoothing : float in [0, 0.99], default 0.0
        Every entry x is replaced by (1 - smoothing) x + smoothing m, m the mean entry of all tasks; rows
        that sum to one still do.  'kl', 'i-divergence' and 'itakura-saito' need it for data with zeros, for
        a centroid without a feature is infinitely far from what has it.  Sparse data stay sparse.
    centroid : {'exact', 'geodesic'}, default 'exact'
        How Eq. (14) is solved for asymmetric divergences: exactly, or by the walk that the paper cites,
        which does not minimise it, so that the objective may rise.
    init : {'random', 'samples', 'k-means'} or list of ndarray of int, default 'random'
        Partition that gives the first centroids, as their means: at random in equal sizes, by the nearest
        of random samples, by k-means, or given.  It depends on the seed and the data alone, so that fits
        with different parameters start alike.
    starts : int, default 1
        With 'k-means', its runs on each task; the partition of lowest inertia is taken.
    n_init : int, default 1
        Starts; the one with the lowest objective is kept.
    max_iter : int, default 300
        Sweeps.
    tol : float, default 1e-6
        Stop when :math:`J` falls by less than this share.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
        Nearest centroid of each sample.
    cluster_centers_ : list of ndarray of shape (K_t, d)
        :math:`u^t`, of the smoothed data.
    relation_ : dict from (t, s), t != s, to ndarray of shape (K_t, K_s)
        :math:`W^{ts}`, best for the centroids; entries sum to one.
    local_loss_ : ndarray of shape (T,)
        Mean divergence of the samples from their centroids, Eq. (3).
    objective_ : ndarray of shape (n_iter,)
        :math:`J` after each sweep, never rising; the last is that of the attributes.
    n_iter_, converged_ : int and bool

    References
    ----------
    J. Zhang, C. Zhang. Multitask Bregman Clustering. AAAI 2010. Algorithm 1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> centres = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])
    >>> tasks = [centres[np.arange(n) % k] + rng.normal(size=(n, 2)) for n, k in ((30, 3), (40, 2))]
    >>> model = MBC(n_clusters=[3, 2], init="samples", n_init=5, random_state=0).fit(tasks)
    >>> [sorted(np.bincount(labels).tolist()) for labels in model.labels_]
    [[10, 10, 10], [20, 20]]
    >>> model.relation_[0, 1].shape
    (3, 2)
    """

    traits = Traits(kind="multitask", paper="Zhang, Zhang, AAAI 2010")
    rules = {"lam": NONNEGATIVE, "smoothing": Number(0, 0.99), "centroid": ("exact", "geodesic"),
             "init": Named(("random", "samples", "k-means")), "starts": COUNT}

    def __init__(self, n_clusters, *, lam=0.5, divergence="sqeuclidean", metric=None, smoothing=0.0,
                 centroid="exact", init="random", starts=1, n_init=1, max_iter=300, tol=1e-6,
                 random_state=None):
        self.n_clusters, self.lam, self.divergence, self.metric = n_clusters, lam, divergence, metric
        self.smoothing, self.centroid, self.init, self.starts = smoothing, centroid, init, starts
        self.n_init, self.max_iter, self.tol, self.random_state = n_init, max_iter, tol, random_state

    def _check_parameters(self):
        super()._check_parameters()
        if not self._pooled():
            divergence(self.divergence, self.metric)

    def _pooled(self):
        return isinstance(self.divergence, str) and self.divergence == "mahalanobis" and self.metric is None

    def _prepare(self, Xs, n_clusters):
        starts = check_initial_labels(self.init, Xs, n_clusters)
        chosen = divergence(self.divergence, pooled_metric(Xs) if self._pooled() else self.metric)
        names = [f"Xs[{t}] (task {t + 1})" for t in range(len(Xs))]
        Xs = [chosen.normalised(X, name) for X, name in zip(Xs, names)]
        level = mean_entry(Xs)
        tasks = [Smoothed(X, float(self.smoothing), level) for X in Xs]
        for task, name in zip(tasks, names):
            chosen.check(task, name)
        anchor = np.mean([task.mean() for task in tasks], axis=0)
        near = [task.divergences_from(chosen, anchor) for task in tasks]
        coupling = float(self.lam) / (len(Xs) - 1) if len(Xs) > 1 else 0.0
        return Problem(tasks, chosen, anchor, near, coupling), Xs, starts

    def _fit_once(self, prepared, n_clusters, seed):
        problem, Xs, starts = prepared
        # The products are thin, and one thread always adds in the same order.
        with one_thread("blas"):
            labels = starts or [self._start(problem, t, X, k, [seed, t])
                                for t, (X, k) in enumerate(zip(Xs, n_clusters))]
            return self._descend(problem, list(labels), n_clusters)

    def _descend(self, problem, labels, n_clusters):
        """The fit from one partition per task."""
        state = begin(problem, labels, n_clusters)
        history, converged = descend(problem, state, max_iter=self.max_iter, tol=self.tol,
                                     exact=self.centroid == "exact")
        return Fit(state.labels, history, converged, self._attributes(problem, state))

    @staticmethod
    def _attributes(problem, state):
        return {"cluster_centers_": [centres.points for centres in state.centres],
                "relation_": state.relation, "local_loss_": local_losses(problem, state)}

    def _start(self, problem, t, X, k, seeds):
        """A partition of one task, from its own random stream: tasks with the same data start differently."""
        rng = np.random.default_rng(seeds)
        task = problem.tasks[t]
        if self.init == "random":
            return random_labels(X.shape[0], k, rng)
        if self.init == "k-means":
            return kmeans_once(X, k, int(rng.integers(2**32)), starts=self.starts).labels_.astype(np.intp)
        chosen = task.rows(np.sort(rng.choice(X.shape[0], k, replace=False)))
        return assignment_step(task, Anchored(problem.divergence, chosen, problem.anchor))[0]
