"""S-MBC: smart multitask Bregman clustering (Zhang, Zhang, AAAI 2013)."""

from dataclasses import replace

import numpy as np

from mtclib import mbc_steps
from mtclib.anchored import Anchored
from mtclib.base import Fit, Traits
from mtclib.mbc import MBC
from mtclib.mbc_steps import assignment_step, centroid_step, local_losses
from mtclib.smart import boost_where_it_helps, solve_alone
from mtclib.validation import check_option


class SMBC(MBC):
    """Smart multitask Bregman clustering: MBC, except for tasks that do better alone.

    Reconstruction from the abstract and from descriptions of the paper: whether boosting harms a task is
    told by its local loss, against that of single-task Bregman clustering (SBC).  Which losses are compared,
    and when, is not established; see ``rule``.

    Parameters
    ----------
    n_clusters : int or list of int
        Clusters of each task.
    lam : float, >= 0, default 0.5
        Strength of the boosting, as in `mtclib.MBC`.  The MTCMRL paper searches 0.1, 0.2, ..., 1.
    rule : {'partition', 'centroids', 'step'}, default 'partition'
        'partition', 'centroids': MBC and SBC run from the same start until they converge; a task that is
        worse off than alone takes its SBC solution and keeps it, and the others continue.  Worse off means a
        larger mean divergence of the samples from the means of their clusters, or from the centroids of
        the model.  The latter, the papers' local loss, counts against boosting that it draws centroids to
        other tasks, even if the partition is the better one: boosting then hardly ever passes.
        'step': in every sweep each task gets both centroids from its present labels, reassigns its samples
        to each, and keeps the better; so its local loss never rises.  As SBC's centroids minimise the loss
        of the present labels, this is nearly always SBC.
    divergence, metric, smoothing, centroid, init, n_init, max_iter, tol, random_state
        As in `mtclib.MBC`.  ``max_iter`` bounds the sweeps of all phases together.

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
    cluster_centers_ : list of ndarray of shape (K_t, d)
    relation_ : dict from (t, s), t != s, to ndarray of shape (K_t, K_s)
    local_loss_ : ndarray of shape (T,)
        Mean divergence of the samples of each task from their centroids.
    compared_loss_, single_task_loss_ : ndarray of shape (T,)
        Loss that ``rule`` names, and that of SBC from the same start.  The former is never larger, up to
        rounding, except for 'step'.
    boosted_ : ndarray of shape (T,), bool
        Whether the task ended with boosted centroids.
    phases_ : list of int
        Sweeps between changes of ``boosted_``; one phase for 'step'.
    objective_ : ndarray of shape (n_iter_,)
        MBC's J after each sweep, which may rise only where a phase ends; for 'step' the sum of the local
        losses, which never rises.
    n_iter_ : int
    converged_ : bool

    References
    ----------
    X. Zhang, X. Zhang. Smart Multi-Task Bregman Clustering and Multi-Task Kernel Clustering. AAAI 2013.
    X. Zhang, X. Zhang, H. Liu. Smart Multitask Bregman Clustering and Multitask Kernel Clustering. ACM
    TKDD 10(1), 2015.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> shared = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])[np.arange(60) % 3]
    >>> tasks = [shared + rng.normal(size=(60, 2)) for _ in range(2)]
    >>> model = SMBC(n_clusters=3, init="samples", n_init=5, random_state=0).fit(tasks)
    >>> bool((model.compared_loss_ <= model.single_task_loss_ + 1e-9).all())
    True
    """

    traits = Traits(kind="multitask", paper="Zhang, Zhang, AAAI 2013", monotone=False, reconstruction=True)

    def __init__(self, n_clusters, *, lam=0.5, rule="partition", divergence="sqeuclidean", metric=None,
                 smoothing=0.0, centroid="exact", init="random", n_init=1, max_iter=300, tol=1e-6,
                 random_state=None):
        super().__init__(n_clusters, lam=lam, divergence=divergence, metric=metric, smoothing=smoothing,
                         centroid=centroid, init=init, n_init=n_init, max_iter=max_iter, tol=tol,
                         random_state=random_state)
        self.rule = rule

    def _check_parameters(self):
        super()._check_parameters()
        check_option("rule", self.rule, ("partition", "centroids", "step"))

    def _descend(self, problem, labels, n_clusters):
        limits = {"max_iter": self.max_iter, "tol": self.tol, "exact": self.centroid == "exact"}
        if self.rule == "step":
            return self._descend_by_steps(problem, labels, n_clusters, limits)
        found = boost_where_it_helps(mbc_steps, problem, labels, n_clusters, rule=self.rule, **limits)
        return Fit(found.state.labels, found.history, found.converged,
                   self._attributes(problem, found.state) | found.attributes)

    def _descend_by_steps(self, problem, labels, n_clusters, limits):
        alone = solve_alone(mbc_steps, problem, labels, n_clusters, **limits)[1]
        state, taken = mbc_steps.begin(problem, labels, n_clusters), []
        history, converged = mbc_steps.descend(problem, state, step=smart_sweep, value=total_loss,
                                               taken=taken, **limits)
        model = self._attributes(problem, state)
        return Fit(state.labels, history, converged, {
            **model, "compared_loss_": model["local_loss_"], "single_task_loss_": alone,
            "boosted_": taken[-1], "phases_": [len(history)]})


def total_loss(problem, state):
    """Sum of the local losses."""
    return float(local_losses(problem, state).sum())


def smart_sweep(problem, state, *, taken, exact=True):
    """Relations, assignments, and for one task after the other the better of both centroids.

    Appends to ``taken`` which tasks took the boosted centroids, an array of bool.
    """
    state.relation = mbc_steps.relation_step(state.costs, problem.divergence.symmetric)
    mbc_steps.assign(problem, state, fill=True)
    alone = replace(problem, coupling=0.0)
    taken.append(np.zeros(len(state.centres), dtype=bool))
    for t in range(len(state.centres)):
        boosted, plain = (Anchored(problem.divergence, centroid_step(each, state, t, exact), problem.anchor)
                          for each in (problem, alone))
        better = reassigned_loss(problem, t, boosted) <= reassigned_loss(problem, t, plain)
        state.centres[t], taken[-1][t] = (boosted if better else plain), better
    mbc_steps.measure(problem, state)
    mbc_steps.assign(problem, state, fill=False)


def reassigned_loss(problem, t, centres):
    """Local loss of a task once each sample has its nearest centroid."""
    gains = assignment_step(problem.tasks[t], centres)[1]
    return float((problem.from_anchor[t] - gains).mean())
