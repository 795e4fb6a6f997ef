"""MKC: multitask kernel clustering (Zhang, Zhang, AAAI 2013; Zhang, Zhang, Liu, TKDD 2015)."""

import numpy as np

from mtclib import mbc
from mtclib.baselines import _graded
from mtclib.baselines._kernels import KERNELS, feature_space
from mtclib.core.base import Fit, MultiTaskClusterer, Traits
from mtclib.core.checks import NONNEGATIVE, POSITIVE, Named, check_initial_labels
from mtclib.core.starts import one_hot, one_thread, random_labels
from mtclib.mbc import single_task


class MKC(MultiTaskClusterer):
    r"""Multitask kernel clustering: MBC with the squared distance, in the feature space of a kernel.

    With the samples :math:`\Phi_t` in the feature space of a kernel, centroids :math:`M_t`, memberships
    :math:`P_t` and relations :math:`W^{ts}`, it minimises

    .. math:: \sum_t \frac{1}{n_t} \|\Phi_t - P_t M_t\|^2
        + \frac{\lambda}{T - 1} \sum_{t \ne s} \sum_{zl} w^{ts}_{zl} \|m^t_z - m^s_l\|^2,

    the second sum over ordered pairs of tasks, the rows of :math:`W^{ts}` summing to :math:`1 / K_t` and its
    columns to :math:`1 / K_s`.  Reconstruction from the abstract and from descriptions of the paper, which
    tell of kernel matrices and of a nonnegative partition matrix, but not of the objective's constants or of
    constraints on that matrix; the objective here is MBC's.  The numbers of clusters may differ between
    tasks.

    Parameters
    ----------
    n_clusters : int, or list of int with one per task
    lam : float, >= 0, default 0.5
        Pull between the centroids of different tasks.  0 clusters each task alone: for hard memberships
        that is kernel k-means.  The MTCMRL paper searches 0.1, 0.2, ..., 1 for the smart version.
    kernel : {'cosine', 'linear', 'gaussian'}, callable or ndarray of shape (N, N), default 'cosine'
        A callable gets the stacked samples of all tasks, a CSR array of shape (N, d), and returns the
        (N, N) matrix; it must be symmetric and positive semidefinite.
    scale : {'median', 'mean'} or float > 0, default 'median'
        Width s of 'gaussian', :math:`\exp(-d^2 / 2 s^2)`, in numbers or as a distance of two samples.
    membership : {'graded', 'hard', 'nonnegative'}, default 'graded'
        'hard': each sample belongs to one cluster; with a linear kernel this is `mtclib.MBC`.
        'graded': rows of the partition matrix sum to one.  'nonnegative': they need not, as in
        semi-nonnegative matrix factorisation; then large memberships of small centroids make the pull
        vanish, so that the objective of any ``lam`` falls towards that of 0, slowly.
    init : {'k-means', 'random'} or list of ndarray of int, default 'k-means'
        Partition that gives the first centroids: kernel k-means of each task from a random partition, that
        random partition itself, or given.  It depends on the seed and the data alone.
    n_init : int, default 1
        Starts; the one with the lowest objective is kept.
    max_iter : int, default 300
        Sweeps.
    tol : float, default 1e-6
        Stop when the objective falls by less than this share.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
        Cluster with the largest membership.
    membership_ : list of ndarray of shape (n_t, K_t)
        :math:`P_t`.
    cluster_centers_ : list of ndarray of shape (K_t, d) or (K_t, N)
        For 'cosine' and 'linear' the centroids, of the unit rows or of the data; for other kernels their
        coefficients over the samples of all tasks.
    relation_ : dict from (t, s), t != s, to ndarray of shape (K_t, K_s)
        :math:`W^{ts}`, best for the centroids; entries sum to one.
    local_loss_ : ndarray of shape (T,)
        Mean squared distance of the samples from their mixtures of centroids.
    objective_ : ndarray of shape (n_iter,)
        After each sweep, never rising.
    n_iter_, converged_ : int and bool

    References
    ----------
    X. Zhang, X. Zhang, H. Liu. Smart Multitask Bregman Clustering and Multitask Kernel Clustering. ACM
    TKDD 10(1), 2015.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> angle, radius = rng.uniform(0, 2 * np.pi, 80), np.repeat([0.2, 3.0], 40)
    >>> rings = np.c_[radius * np.cos(angle), radius * np.sin(angle)]
    >>> model = MKC(2, kernel="gaussian", scale=0.7, n_init=5, random_state=0).fit([rings, rings + 0.05])
    >>> [np.ptp(labels.reshape(2, 40), axis=1).tolist() for labels in model.labels_]
    [[0, 0], [0, 0]]
    """

    traits = Traits(kind="multitask", paper="Zhang, Zhang, Liu, TKDD 2015", reconstruction=True)
    ALGORITHM_VERSION = 2
    rules = {"lam": NONNEGATIVE, "membership": ("graded", "hard", "nonnegative"), "kernel": Named(KERNELS),
             "scale": Named(("median", "mean"), POSITIVE), "init": Named(("k-means", "random"))}

    def __init__(self, n_clusters, *, lam=0.5, kernel="cosine", scale="median", membership="graded",
                 init="k-means", n_init=1, max_iter=300, tol=1e-6, random_state=None):
        self.n_clusters, self.lam, self.kernel, self.scale = n_clusters, lam, kernel, scale
        self.membership, self.init, self.n_init, self.max_iter = membership, init, n_init, max_iter
        self.tol, self.random_state = tol, random_state

    def _prepare(self, Xs, n_clusters):
        starts = check_initial_labels(self.init, Xs, n_clusters)
        tasks, distance = feature_space(Xs, self.kernel, self.scale)
        anchor = np.mean([task.mean() for task in tasks], axis=0)
        sums_to_one = self.membership != "nonnegative"
        if not sums_to_one:
            anchor = np.zeros_like(anchor)
        near = [task.divergences_from(distance, anchor) for task in tasks]
        coupling = float(self.lam) / (len(Xs) - 1) if len(Xs) > 1 else 0.0
        return _graded.GradedProblem(tasks, distance, anchor, near, coupling, sums_to_one), starts

    def _fit_once(self, prepared, n_clusters, seed):
        problem, starts = prepared
        # One thread always adds in the same order.
        with one_thread("blas"):
            labels = starts or [self._start(problem, t, k, [seed, t]) for t, k in enumerate(n_clusters)]
            steps = mbc if self.membership == "hard" else _graded
            return self._descend(steps, problem, list(labels), n_clusters)

    def _start(self, problem, t, k, seeds):
        """A partition of one task, from its own random stream."""
        labels = random_labels(problem.tasks[t].shape[0], k, np.random.default_rng(seeds))
        if self.init == "random":
            return labels
        alone = single_task(problem, t)
        state = mbc.begin(alone, [labels], [k])
        mbc.descend(alone, state, max_iter=self.max_iter, tol=0.0)
        return state.labels[0]

    def _descend(self, steps, problem, labels, n_clusters):
        """The fit from one partition per task."""
        state = steps.begin(problem, labels, n_clusters)
        history, converged = steps.descend(problem, state, max_iter=self.max_iter, tol=self.tol)
        return self._fit_of(steps, problem, state, history, converged)

    def _fit_of(self, steps, problem, state, history, converged, **attributes):
        points = [centres.points for centres in state.centres]
        P = ([one_hot(h, len(U)) for h, U in zip(state.labels, points)] if steps is mbc else
             state.memberships)
        explicit = isinstance(self.kernel, str) and self.kernel != "gaussian"
        centers = points if explicit else [U[:, :U.shape[1] // 2] for U in points]
        return Fit(state.labels, history, converged, {
            "cluster_centers_": centers, "membership_": P, "relation_": state.relation,
            "local_loss_": steps.local_losses(problem, state), **attributes})
