"""MBC: multitask Bregman clustering (Zhang, Zhang, AAAI 2010).

The objective and the steps of a sweep are in ``mtclib.mbc_steps``, the divergences in ``mtclib.bregman``, and
the solution of Eq. (14) in ``mtclib.mixed_centroids``.
"""

import numpy as np

from mtclib.anchored import Anchored
from mtclib.base import Fit, MultiTaskClusterer, Traits
from mtclib.bregman import divergence
from mtclib.covariance import pooled_metric
from mtclib.mbc_steps import Problem, assignment_step, begin, descend, local_losses
from mtclib.smoothed import Smoothed, mean_entry
from mtclib.starts import check_initial_labels, kmeans_once
from mtclib.threads import one_thread
from mtclib.validation import check_number, check_option


def random_labels(n, k, rng):
    """Labels of n >= k samples in random order, each cluster as large as the others, or by one larger.

    Examples
    --------
    >>> np.bincount(random_labels(7, 3, np.random.default_rng(0))).tolist()
    [3, 2, 2]
    """
    return rng.permutation(np.arange(n) % k)


class MBC(MultiTaskClusterer):
    """Multitask Bregman clustering.

    k-means of all tasks at once, for any Bregman divergence, whose centroids are drawn to the centroids of
    the other tasks that they are matched with.  The numbers of clusters may differ between tasks.

    Parameters
    ----------
    n_clusters : int or list of int
        Clusters of each task.
    lam : float, >= 0, default 0.5
        lambda of Eq. (2).  0 clusters each task alone: for the squared distance this is Lloyd's k-means, the
        paper's method "IND".  With 0.5 and clusters of equal size the other tasks' centroids weigh as much
        as a cluster's own mean.
    divergence : str, triple of callables, or Divergence, default 'sqeuclidean'
        'sqeuclidean', 'mahalanobis', 'kl' (rows that sum to one), 'i-divergence', 'itakura-saito', or
        elementwise functions (phi, gradient, inverse_gradient); see ``mtclib.bregman``.
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
    n_init : int, default 1
        Starts; the one with the lowest objective is kept.
    max_iter : int, default 300
        Sweeps.
    tol : float, default 1e-6
        Stop when J falls by less than this share.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
        Nearest centroid of each sample.
    cluster_centers_ : list of ndarray of shape (K_t, d)
        u^t, of the smoothed data.
    relation_ : dict from (t, s), t != s, to ndarray of shape (K_t, K_s)
        W^ts, best for the centroids; entries sum to one.
    local_loss_ : ndarray of shape (T,)
        Mean divergence of the samples from their centroids, Eq. (3).
    objective_ : ndarray of shape (n_iter_,)
        J of the module docstring after each sweep, never rising; the last is that of the attributes.
    n_iter_ : int
    converged_ : bool

    References
    ----------
    J. Zhang, C. Zhang. Multitask Bregman Clustering. AAAI 2010. Algorithm 1.

    Examples
    --------
    >>> import numpy as np
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

    def __init__(self, n_clusters, *, lam=0.5, divergence="sqeuclidean", metric=None, smoothing=0.0,
                 centroid="exact", init="random", n_init=1, max_iter=300, tol=1e-6, random_state=None):
        self.n_clusters = n_clusters
        self.lam = lam
        self.divergence = divergence
        self.metric = metric
        self.smoothing = smoothing
        self.centroid = centroid
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _check_parameters(self):
        super()._check_parameters()
        check_number("lam", self.lam, low=0)
        check_number("smoothing", self.smoothing, low=0, high=0.99)
        check_option("centroid", self.centroid, ("exact", "geodesic"))
        if isinstance(self.init, str):
            check_option("init", self.init, ("random", "samples", "k-means"))
        if not self._pooled():
            divergence(self.divergence, self.metric)

    def _pooled(self):
        return isinstance(self.divergence, str) and self.divergence == "mahalanobis" and self.metric is None

    def _prepare(self, Xs, n_clusters):
        starts = None if isinstance(self.init, str) else check_initial_labels(self.init, Xs, n_clusters)
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
        """The fit from one partition a task."""
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
            return kmeans_once(X, k, int(rng.integers(2**32))).labels_.astype(np.intp)
        chosen = task.rows(np.sort(rng.choice(X.shape[0], k, replace=False)))
        return assignment_step(task, Anchored(problem.divergence, chosen, problem.anchor))[0]
