"""The steps of multitask kernel clustering with graded memberships, one function per step.

J and its centroids M_t, memberships P_t and relations W^ts are those of `mtclib.baselines.MKC`.  With
memberships of 0 and 1 it is the objective of `mtclib.mbc`, whose functions then solve it.  Here rows of P_t
are nonnegative and sum to one.  Without the latter the coupling is pointless: P_t / s and s M_t have the same
local loss, and the second sum vanishes with s, so that J has the infimum of lam = 0.
"""

from dataclasses import dataclass

import numpy as np

from mtclib import mbc, spmtc
from mtclib.core.starts import one_hot
from mtclib.maths.bregman import Anchored
from mtclib.maths.simplex import project_columns
from mtclib.maths.symnmf import OFFSET, hard_labels
from mtclib.mbc import Problem, measure, relation_step, separation

# Membership steps per sweep; they cost far less than the products with the data.
INNER = 10


@dataclass(frozen=True)
class GradedProblem(Problem):
    """What all starts share: as for `mtclib.mbc.Problem`, with tasks that have ``combined``.
    ``sums_to_one``: rows of P do; if not, the anchor must be the origin."""

    sums_to_one: bool = True


@dataclass
class GradedState:
    """The variables of J, and what the next step needs.  Lists by task: ``centres`` M_t (Anchored),
    ``memberships`` P_t (n_t, K_t), and ``losses`` 1/n_t |Phi_t - P_t M_t|^2.  Dicts from (t, s), t != s, to
    arrays (K_t, K_s): ``relation`` W^ts and ``costs`` |m^t_z - m^s_l|^2."""

    centres: list
    memberships: list
    losses: list
    relation: dict
    costs: dict

    @property
    def labels(self):
        """Cluster with the largest membership, a list of ndarray of shape (n_t,)."""
        return [hard_labels(P) for P in self.memberships]


def begin(problem, labels, n_clusters):
    """State with the indicators of a partition, lifted by 0.2, as memberships, and the centroids for them."""
    state = GradedState([], [], [], {}, {})
    for t, (h, k) in enumerate(zip(labels, n_clusters)):
        P = one_hot(h, k) + OFFSET
        P /= P.sum(axis=1, keepdims=True)
        state.memberships.append(P)
        points = centroid_step(problem, state, t, coupled=False)
        state.centres.append(Anchored(problem.divergence, points, problem.anchor))
        state.losses.append(local_loss(problem, t, P, *products(problem, state, t)))
    measure(problem, state)
    state.relation = relation_step(state.costs, symmetric=True)
    return state


def centroid_step(problem, state, t, coupled=True):
    """The M_t that minimises J, shape (K_t, D), by a linear system of size K_t, measured from the anchor:
    (P^T P / n + 2 lam/K I) M = P^T Phi / n + 2 lam/(T-1) sum_s W^ts M_s."""
    P, pull = state.memberships[t], 2.0 * problem.coupling if coupled else 0.0
    system = P.T @ P / len(P)
    right = (problem.tasks[t].combined(P) - P.sum(axis=0)[:, None] * problem.anchor) / len(P)
    for s in range(len(state.centres)) if pull else ():
        if s != t:
            W = state.relation[t, s]
            system += pull * np.diag(W.sum(axis=1))
            right += pull * (W @ state.centres[s].shifted)
    return np.linalg.pinv(system, rcond=1e-12, hermitian=True) @ right + problem.anchor


def products(problem, state, t):
    """Inner products of the centroids with the samples, (n_t, K_t), and with each other, from the anchor."""
    centres = state.centres[t]
    with_samples = (problem.tasks[t].products(centres.tilt) - centres.level) / 2.0
    return with_samples, centres.shifted @ centres.tilt.T / 2.0


def local_loss(problem, t, P, A, G):
    """1/n |Phi - P M|^2 from the products A and G."""
    total = problem.from_anchor[t].sum() - 2.0 * np.vdot(P, A) + np.vdot(P.T @ P, G)
    return max(float(total), 0.0) / len(P)


def membership_steps(P, A, G, sums_to_one=True, times=INNER):
    """Steps that lower the loss of every sample over its memberships, shape (n, K).  Rows that sum to one:
    projected gradient steps, from the centre of the centroids, where the gradient changes least, with the
    largest length that is sure to go down.  Otherwise the column by column best ones, as in
    `mtclib.spmtc`."""
    if not sums_to_one:
        for _ in range(times):
            P = spmtc.coordinate_step(P, A, G)
        return P
    middle = G.mean(axis=0)
    centred = G - middle - middle[:, None] + middle.mean()
    steepest = np.linalg.eigvalsh(centred)[-1]
    # By columns: steps over all samples at once are longer than steps over the clusters of each.
    columns, shifted = np.ascontiguousarray(P.T), np.ascontiguousarray((A - middle).T)
    for _ in range(times if steepest > 0 else 0):
        moved = np.subtract(shifted, centred.T @ columns)
        moved /= steepest
        moved += columns
        columns = project_columns(moved)
    return np.ascontiguousarray(columns.T)


def sweep(problem, state, *, free=None):
    """Relations, then centroids and memberships of one task after the other, or of the tasks ``free``."""
    state.relation = relation_step(state.costs, symmetric=True)
    for t in range(len(state.centres)) if free is None else free:
        points = centroid_step(problem, state, t)
        state.centres[t] = Anchored(problem.divergence, points, problem.anchor)
        A, G = products(problem, state, t)
        P = membership_steps(state.memberships[t], A, G, problem.sums_to_one)
        state.memberships[t], state.losses[t] = P, local_loss(problem, t, P, A, G)
    measure(problem, state)


def local_losses(problem, state):
    """1/n_t |Phi_t - P_t M_t|^2 of each task, shape (T,)."""
    return np.array(state.losses)


def objective(problem, state):
    """J of `mtclib.baselines.MKC`."""
    return float(sum(state.losses) + problem.coupling * separation(state))


def settle(problem, state):
    """Relations that are best for the last centroids."""
    state.relation = relation_step(state.costs, symmetric=True)


def descend(problem, state, **options):
    """As `mtclib.mbc.descend`, with the steps of this module."""
    return mbc.descend(problem, state, step=sweep, value=objective, finish=settle, **options)
