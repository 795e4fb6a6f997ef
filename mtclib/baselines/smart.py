"""S-MBC and S-MKC: a task goes its own way where the others do it harm.

Boosting, the pull between the centroids of different tasks, may move centroids away from the samples of their
own task.  The papers detect this by the local loss of a task: is it above that of the single-task method,
boosting stops for the task (Zhang, Zhang, AAAI 2013; Zhang, Zhang, Liu, TKDD 2015).  What is compared, and
when, is not known: within one iteration the single-task step nearly always wins, so that here both methods
run until they converge, from the same start; see ``rule`` of `SMBC`.

``steps`` below is a module with the functions ``begin``, ``descend``, ``settle``, ``objective`` and
``local_losses`` of `mtclib.mbc`, whose states have ``labels``.
"""

from dataclasses import replace

import numpy as np

from mtclib import mbc
from mtclib.baselines.mkc import MKC
from mtclib.core.base import Fit, Traits
from mtclib.maths.bregman import Anchored
from mtclib.mbc import MBC, assignment_step, centroid_step, local_losses, single_task

# Local losses that differ by less than this share of the spread of the data are equal.
SLACK = 1e-12


def partition_losses(problem, labels, n_clusters):
    """Mean divergence of the samples of each task from the means of their clusters, shape (T,)."""
    return mbc.local_losses(problem, mbc.begin(problem, list(labels), n_clusters))


def solve_alone(steps, problem, labels, n_clusters, **limits):
    """Every task by the single-task method, from its own partition.  Returns states of one task each, their
    local losses, (T,), and whether all converged."""
    states, losses, converged = [], [], True
    for t, (start, k) in enumerate(zip(labels, n_clusters)):
        alone = single_task(problem, t)
        states.append(steps.begin(alone, [start], [k]))
        converged &= steps.descend(alone, states[-1], **limits)[1]
        losses.append(steps.local_losses(alone, states[-1])[0])
    return states, np.array(losses), converged


def boost_where_it_helps(steps, problem, labels, n_clusters, *, rule, max_iter, tol, **options):
    """Boosted and single-task clustering from the same start, task by task the one with the lower loss.

    Tasks that are worse off take their single-task solution, as sources that no longer move.  ``rule``
    compares the `partition_losses` ('partition') or the local losses ('centroids'); ``max_iter`` counts the
    sweeps of all phases together, and of each task alone; ``options`` go to ``steps.descend``.

    Returns the state of all tasks, the objective after each sweep, which may rise only where a phase ends,
    whether all converged, and the attributes that `SMBC` and `SMKC` have beyond those of MBC and MKC.
    """
    def compared(state):
        return (steps.local_losses(problem, state) if rule == "centroids" else
                partition_losses(problem, state.labels, n_clusters))

    options["tol"] = tol
    alone, bounds, alone_converged = solve_alone(steps, problem, labels, n_clusters, max_iter=max_iter,
                                                 **options)
    if rule == "partition":
        bounds = partition_losses(problem, [state.labels[0] for state in alone], n_clusters)
    bounds_with_slack = bounds + SLACK * np.array([near.mean() for near in problem.from_anchor])
    state, free = steps.begin(problem, list(labels), n_clusters), list(range(len(labels)))
    history, phases, worse = [], [], True
    while worse and free and len(history) < max_iter:
        values, converged = steps.descend(problem, state, max_iter=max_iter - len(history), free=free,
                                          **options)
        history += values
        phases.append(len(values))
        losses = compared(state)
        worse = [t for t in free if losses[t] > bounds_with_slack[t]]
        for t in worse:
            mbc.adopt(problem, state, t, alone[t])
        free = [t for t in free if t not in worse]
    steps.settle(problem, state)
    history[-1] = steps.objective(problem, state)
    # Sweeps may run out before the tasks that are left have followed the last change.
    finished = converged and not (worse and free)
    return state, history, finished and alone_converged, {
        "compared_loss_": compared(state), "single_task_loss_": bounds, "phases_": phases,
        "boosted_": np.isin(np.arange(len(labels)), free)}


class SMBC(MBC):
    """Smart multitask Bregman clustering: MBC, except for tasks that do better alone.

    Reconstruction from the abstract and from descriptions of the paper: whether boosting harms a task is
    told by its local loss, against that of single-task Bregman clustering (SBC).  Which losses are compared,
    and when, is not established; see ``rule``.

    Parameters
    ----------
    n_clusters : int, or list of int with one per task
    lam : float, >= 0, default 0.5
        Strength of the boosting, as in `mtclib.MBC`.  The MTCMRL paper searches 0.1, 0.2, ..., 1.
    rule : {'partition', 'centroids', 'step'}, default 'partition'
        'partition', 'centroids': MBC and SBC run from the same start until they converge; a task that is
        worse off than alone takes its SBC solution and keeps it, and the others continue.  Worse off means a
        larger mean divergence of the samples from the means of their clusters, or from the centroids of the
        model, the papers' local loss, by which boosting hardly ever passes: it counts that centroids are
        drawn to other tasks, even if the partition is the better one.  'step': in every sweep each task gets
        both centroids from its present labels, reassigns its samples to each, and keeps the better; so its
        local loss never rises.  As SBC's minimise that of the present labels, this is nearly always SBC.
    divergence, metric, smoothing, centroid, init, starts, n_init, max_iter, tol, random_state
        As in `mtclib.MBC`.  ``max_iter`` bounds the sweeps of all phases together.

    Attributes
    ----------
    labels_, cluster_centers_, relation_, local_loss_
        As in `mtclib.MBC`.
    compared_loss_, single_task_loss_ : ndarray of shape (T,)
        Loss that ``rule`` names, and that of SBC from the same start.  The former is never larger, up to
        rounding, except for 'step'.
    boosted_ : ndarray of shape (T,), bool
        Whether the task ended with boosted centroids.
    phases_ : list of int
        Sweeps between changes of ``boosted_``; one phase for 'step'.
    objective_ : ndarray of shape (n_iter,)
        MBC's J after each sweep, which may rise only where a phase ends; for 'step' the sum of the local
        losses, which never rises.
    n_iter_, converged_ : int and bool

    References
    ----------
    X. Zhang, X. Zhang. Smart Multi-Task Bregman Clustering and Multi-Task Kernel Clustering. AAAI 2013.
    X. Zhang, X. Zhang, H. Liu. Smart Multitask Bregman Clustering and Multitask Kernel Clustering. ACM
    TKDD 10(1), 2015.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> shared = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])[np.arange(60) % 3]
    >>> tasks = [shared + rng.normal(size=(60, 2)) for _ in range(2)]
    >>> model = SMBC(n_clusters=3, init="samples", n_init=5, random_state=0).fit(tasks)
    >>> bool((model.compared_loss_ <= model.single_task_loss_ + 1e-9).all())
    True
    """

    traits = Traits(kind="multitask", paper="Zhang, Zhang, AAAI 2013", monotone=False, reconstruction=True)
    rules = {"rule": ("partition", "centroids", "step")}

    def __init__(self, n_clusters, *, lam=0.5, rule="partition", divergence="sqeuclidean", metric=None,
                 smoothing=0.0, centroid="exact", init="random", starts=1, n_init=1, max_iter=300, tol=1e-6,
                 random_state=None):
        super().__init__(n_clusters, lam=lam, divergence=divergence, metric=metric, smoothing=smoothing,
                         centroid=centroid, init=init, starts=starts, n_init=n_init, max_iter=max_iter,
                         tol=tol, random_state=random_state)
        self.rule = rule

    def _descend(self, problem, labels, n_clusters):
        limits = {"max_iter": self.max_iter, "tol": self.tol, "exact": self.centroid == "exact"}
        if self.rule == "step":
            return self._descend_by_steps(problem, labels, n_clusters, limits)
        state, history, converged, more = boost_where_it_helps(
            mbc, problem, labels, n_clusters, rule=self.rule, **limits)
        return Fit(state.labels, history, converged, self._attributes(problem, state) | more)

    def _descend_by_steps(self, problem, labels, n_clusters, limits):
        alone = solve_alone(mbc, problem, labels, n_clusters, **limits)[1]
        state, taken = mbc.begin(problem, labels, n_clusters), []
        history, converged = mbc.descend(
            problem, state, step=smart_sweep, taken=taken,
            value=lambda problem, state: float(local_losses(problem, state).sum()), **limits)
        model = self._attributes(problem, state)
        return Fit(state.labels, history, converged, {
            **model, "compared_loss_": model["local_loss_"], "single_task_loss_": alone,
            "boosted_": taken[-1], "phases_": [len(history)]})


def smart_sweep(problem, state, *, taken, exact=True):
    """Relations, assignments, and for one task after the other the better of both centroids.  Appends to
    ``taken`` which tasks took the boosted centroids, an array of bool."""
    state.relation = mbc.relation_step(state.costs, problem.divergence.symmetric)
    mbc.assign(problem, state, fill=True)
    alone = replace(problem, coupling=0.0)
    taken.append(np.zeros(len(state.centres), dtype=bool))
    for t in range(len(state.centres)):
        boosted, plain = (Anchored(problem.divergence, centroid_step(each, state, t, exact), problem.anchor)
                          for each in (problem, alone))
        better = reassigned_loss(problem, t, boosted) <= reassigned_loss(problem, t, plain)
        state.centres[t], taken[-1][t] = (boosted if better else plain), better
    mbc.measure(problem, state)
    mbc.assign(problem, state, fill=False)


def reassigned_loss(problem, t, centres):
    """Local loss of a task once each sample has its nearest centroid."""
    gains = assignment_step(problem.tasks[t], centres)[1]
    return float((problem.from_anchor[t] - gains).mean())


class SMKC(MKC):
    """Smart multitask kernel clustering: MKC, except for tasks that do better alone.

    Reconstruction, as `MKC` and `SMBC` are; the single-task version of MKC has lam = 0.

    Parameters
    ----------
    n_clusters : int, or list of int with one per task
    lam : float, >= 0, default 0.5
        Strength of the boosting.  The MTCMRL paper searches 0.1, 0.2, ..., 1.
    rule : {'partition', 'centroids'}, default 'partition'
        As in `SMBC`, with squared distances; by 'centroids' graded memberships pass least of all.
    kernel, scale, membership, init, n_init, max_iter, tol, random_state
        As in `MKC`.  ``max_iter`` bounds the sweeps of all phases together.

    Attributes
    ----------
    labels_, membership_, cluster_centers_, relation_
        As in `MKC`.
    local_loss_, compared_loss_, single_task_loss_, boosted_, phases_, objective_, n_iter_, converged_
        As in `SMBC`, with the single-task solution in place of SBC's.

    Examples
    --------
    >>> X = np.kron(np.eye(3), np.ones((8, 2))) + 0.1
    >>> model = SMKC(n_clusters=3, n_init=5, random_state=0).fit([X, X])
    >>> [np.ptp(labels.reshape(3, 8), axis=1).tolist() for labels in model.labels_]
    [[0, 0, 0], [0, 0, 0]]
    """

    traits = Traits(kind="multitask", paper="Zhang, Zhang, Liu, TKDD 2015", monotone=False,
                    reconstruction=True)
    rules = {"rule": ("partition", "centroids")}

    def __init__(self, n_clusters, *, lam=0.5, rule="partition", kernel="cosine", scale="median",
                 membership="graded", init="k-means", n_init=1, max_iter=300, tol=1e-6, random_state=None):
        super().__init__(n_clusters, lam=lam, kernel=kernel, scale=scale, membership=membership, init=init,
                         n_init=n_init, max_iter=max_iter, tol=tol, random_state=random_state)
        self.rule = rule

    def _descend(self, steps, problem, labels, n_clusters):
        *fitted, more = boost_where_it_helps(steps, problem, labels, n_clusters, rule=self.rule,
                                             max_iter=self.max_iter, tol=self.tol)
        return self._fit_of(steps, problem, *fitted, **more)
