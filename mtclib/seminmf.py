"""Weighted semi-nonnegative factorisation of several tasks in a shared subspace: LSSMTC's and SPMTC's model.

Rows are samples here; the papers' X^(k) is the transpose of ours, and their centroids M^(k) (d x c) and
M (l x c) are the rows of ``centroids`` and ``shared``.  The loss of sample i of task t is

    L_ti = lam ||x_ti - p_ti C_t||^2 + (1 - lam) ||x_ti W - p_ti S||^2 ,   P_t >= 0,  W^T W = I.

For fixed weights omega the functions below decrease  sum_ti omega_ti L_ti.  Equation numbers are those of
the SPMTC paper.
"""

from dataclasses import dataclass

import numpy as np

from mtclib.base import stops

SMALLEST = 1e-50  # memberships do not fall below it, or they could not rise again


@dataclass(frozen=True)
class Problem:
    """What all starts share.

    Parameters
    ----------
    Xs : list of {ndarray, CSR array} of shape (n_t, d)
    X : {ndarray, CSR array} of shape (n, d)
        All tasks, stacked.
    squares : list of ndarray of shape (n_t,)
        Squared norms of the rows.
    starts : list of ndarray of int, or None
        Partitions given by the user.
    """

    Xs: list
    X: object
    squares: list
    starts: list | None


@dataclass
class State:
    """The variables of Eq. (4).

    Parameters
    ----------
    P : list of ndarray of shape (n_t, c)
        Memberships, nonnegative.
    W : ndarray of shape (d, l)
        Projection.
    XW : list of ndarray of shape (n_t, l)
        Projected samples.
    centroids : list of ndarray of shape (c, d)
        C_t.
    XC : list of ndarray of shape (n_t, c)
        Products X_t C_t^T, kept because both the memberships and the losses need them.
    shared : ndarray of shape (c, l)
        S.
    """

    P: list
    W: np.ndarray
    XW: list
    centroids: list | None = None
    XC: list | None = None
    shared: np.ndarray | None = None


def centroid_step(X, P, omega):
    """Eq. (16) and (18): the C that minimises sum_i omega_i ||x_i - p_i C||^2, shape (c, d).

    Parameters
    ----------
    X : {ndarray, CSR array} of shape (n, d)
    P : ndarray of shape (n, c)
    omega : ndarray of shape (n,), nonnegative
    """
    weighted = (omega / omega.max())[:, None] * P
    gram = P.T @ weighted
    # Scaled to a unit diagonal: a cluster that is dying must not pass for a dependent column.
    scale = np.sqrt(np.diag(gram))
    scale = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    inverse = np.linalg.pinv(gram * np.outer(scale, scale), rcond=1e-12, hermitian=True)
    return (inverse * np.outer(scale, scale)) @ (X.T @ weighted).T


def membership_step(P, A, B):
    """Eq. (22) without its weights: P * sqrt((A^+ + P B^-) / (A^- + P B^+)).

    Lowers the loss of every row.  It ends at a small positive number where the formula gives 0: a sample
    far from all centroids of one round must be able to return in the next.

    The printed formula has the weight of a row in numerator and denominator alike, where it cancels,
    unless it is 0; then it makes 0/0, or rows of zeros for ever.  Rows without weight are updated like
    the others.

    Parameters
    ----------
    P : ndarray of shape (n, c), nonnegative
    A : ndarray of shape (n, c)
        lam X C^T + (1 - lam) X W S^T.
    B : ndarray of shape (c, c)
        lam C C^T + (1 - lam) S S^T.

    Returns
    -------
    ndarray of shape (n, c)
        Entries that are positive stay so.
    """
    up = np.maximum(A, 0.0) + P @ np.maximum(-B, 0.0)
    down = np.maximum(-A, 0.0) + P @ np.maximum(B, 0.0)
    moved = P * np.sqrt(np.divide(up, down, out=np.ones_like(P), where=down > 0))
    return np.maximum(moved, np.minimum(P, SMALLEST))


def sample_losses(problem, state, lam):
    """L_ti of the module docstring, without any (n, d) array: a list of ndarray of shape (n_t,)."""
    losses = []
    for P, XW, C, XC, squares in zip(state.P, state.XW, state.centroids, state.XC, problem.squares):
        within = squares - 2.0 * np.einsum("ij,ij->i", XC, P) + np.einsum("ij,ij->i", P @ (C @ C.T), P)
        across = np.sum((XW - P @ state.shared) ** 2, axis=1)
        losses.append(lam * np.maximum(within, 0.0) + (1.0 - lam) * across)
    return losses


def objective(losses, omegas):
    """Sum of the weighted losses: Eq. (7) without the regulariser, Eq. (4) for weights of one; float."""
    return float(sum(np.vdot(omega, loss) for omega, loss in zip(omegas, losses)))


def refit(problem, state, omegas):
    """Eq. (16) and (18): all centroids from the memberships, in place."""
    state.centroids = [centroid_step(X, P, omega) for X, P, omega in zip(problem.Xs, state.P, omegas)]
    state.XC = [X @ C.T for X, C in zip(problem.Xs, state.centroids)]
    state.shared = centroid_step(np.vstack(state.XW), np.vstack(state.P), np.concatenate(omegas))


def sweep(problem, state, subspace, omegas, lam):
    """One iteration, in place: memberships, then W, then all centroids, which W has made stale."""
    for t, (C, XC, XW) in enumerate(zip(state.centroids, state.XC, state.XW)):
        A = lam * XC + (1.0 - lam) * XW @ state.shared.T
        B = lam * C @ C.T + (1.0 - lam) * state.shared @ state.shared.T
        state.P[t] = membership_step(state.P[t], A, B)
    project(problem, state, subspace.step(state.P))
    refit(problem, state, omegas)


def project(problem, state, W):
    """Set W and the projected samples, in place."""
    if W is not state.W:
        state.W = W
        state.XW = [X @ W for X in problem.Xs]


def descend(problem, state, subspace, omegas, lam, max_iter, tol):
    """Sweeps with fixed weights, in place, until one changes little.

    The between-cluster subspace does not descend on the objective; there the memberships decide.

    Returns
    -------
    history : list of float
        The objective after each sweep.
    converged : bool
    """
    refit(problem, state, omegas)
    # The first sweep may rise from a W that was learnt with other weights.
    before, history, converged = np.inf, [], False
    by_memberships = subspace.w_update == "eig_between" and lam < 1
    while not converged and len(history) < max_iter:
        previous = np.vstack(state.P) if by_memberships else None
        sweep(problem, state, subspace, omegas, lam)
        history.append(objective(sample_losses(problem, state, lam), omegas))
        if by_memberships:
            moved = np.linalg.norm(np.vstack(state.P) - previous)
            converged = bool(moved <= tol * np.linalg.norm(previous))
        else:
            converged = stops(before, history[-1], tol)
        before = history[-1]
    return history, converged
