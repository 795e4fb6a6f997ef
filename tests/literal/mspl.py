"""The printed updates of MSPL (Xu, Tao, Xu, IJCAI 2015), Eqs. (2) to (15), and those of RMKMC.

Loops and dense matrices.  Samples come in as rows, (n, d_v); the paper has them as columns.  ``B`` is a list
of labels, ``Cs`` a list of (k, d_v), ``W`` is (n_views, n).
"""

import math

import numpy as np


def losses(Xs, Cs, B):
    """l_vi, entry by entry."""
    return np.array([[sum((X[i, a] - C[B[i], a]) ** 2 for a in range(X.shape[1])) for i in range(len(X))]
                     for X, C in zip(Xs, Cs)])


def regulariser(kind, w, lam, kappa=1.0):
    """f of one weight, Eq. (4) or (6) with the bracket after the logarithm as its factor.

    ``kappa`` multiplies losses and 1 / lam alike; the result is in units of the loss.
    """
    if kind == "hard":
        return -w / lam
    a = math.exp(-kappa / lam)
    rest = 1 + a - w
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = np.where(rest > 0, rest * np.log(rest), 0.0) + np.where(w > 0, w * np.log(w), 0.0)
    return (entropy - kappa * w / lam) / kappa


def weight(kind, loss, lam, kappa=1.0):
    """Eq. (5) or (8)."""
    if kind == "hard":
        return 1.0 if loss <= 1 / lam else 0.0
    return (1 + math.exp(-kappa / lam)) / (1 + math.exp(min(kappa * (loss - 1 / lam), 700)))


def objective(Xs, Cs, B, W, kind, lam, kappa=1.0):
    """Eq. (9)."""
    L = losses(Xs, Cs, B)
    return sum(W[v, i] * L[v, i] + float(regulariser(kind, W[v, i], lam, kappa))
               for v in range(len(Xs)) for i in range(len(B)))


def centroids(X, B, w, previous, printed=False):
    """Eq. (12) by matrices; its second factor lacks a W^v in print.  Clusters without weight keep theirs."""
    H = np.zeros((len(previous), len(B)))
    for i, j in enumerate(B):
        H[j, i] = 1.0
    S = np.diag(np.sqrt(w))
    denominator = H @ S @ H.T if printed else H @ S @ S @ H.T
    filled = np.flatnonzero(np.diag(denominator) > 0)
    C = previous.copy()
    sums = X.T @ S @ S @ H[filled].T
    C[filled] = (sums @ np.linalg.inv(denominator[np.ix_(filled, filled)])).T
    return C


def assignment_costs(Xs, Cs, W, i):
    """The sum in Eq. (15) for each cluster; all views alike for a sample without weight."""
    w = W[:, i] if W[:, i].any() else np.ones(len(Xs))
    return [sum(w[v] * np.sum((X[i] - C[j]) ** 2) for v, (X, C) in enumerate(zip(Xs, Cs)))
            for j in range(len(Cs[0]))]


def mspl(Xs, B, k, kind, lams, inner, kappa=1.0, printed=False):
    """Rounds of C, B, W, ``inner`` times each, from labels; lam 0 means that all weights are one.

    Returns the list of labels after each iteration and that of Eq. (9).
    """
    Cs = [centroids(X, B, np.ones(len(B)), np.zeros((k, X.shape[1]))) for X in Xs]
    history, values = [], []
    for lam in lams:
        def weigh(L, lam=lam):
            return np.array([[weight(kind, l, lam, kappa) if lam else 1.0 for l in row] for row in L])
        W = weigh(losses(Xs, Cs, B))
        for _ in range(inner):
            Cs = [centroids(X, B, w, C, printed) for X, w, C in zip(Xs, W, Cs)]
            B = [int(np.argmin(assignment_costs(Xs, Cs, W, i))) for i in range(len(B))]
            W = weigh(losses(Xs, Cs, B))
            history.append(B)
            values.append(objective(Xs, Cs, B, W, kind, lam, kappa) if lam else losses(Xs, Cs, B).sum())
    return history, values


def rmkmc(Xs, B, k, gamma, n_iter):
    """Centroids, labels, alpha, reweighting, from labels with q = 1 and equal alpha.

    Returns labels, alpha and objective, the sum of alpha^gamma times (2, 1) norms, of each iteration.
    """
    alpha, q = np.full(len(Xs), 1 / len(Xs)), np.ones((len(Xs), len(B)))
    Cs = [np.zeros((k, X.shape[1])) for X in Xs]
    out = []
    for _ in range(n_iter):
        Cs = [centroids(X, B, w, C) for X, w, C in zip(Xs, q, Cs)]
        D = alpha[:, None] ** gamma * q
        B = [int(np.argmin(assignment_costs(Xs, Cs, D, i))) for i in range(len(B))]
        norms = np.sqrt(losses(Xs, Cs, B))
        h = norms.sum(axis=1)
        alpha = (gamma * h) ** (1 / (1 - gamma)) / np.sum((gamma * h) ** (1 / (1 - gamma)))
        q = 1 / (2 * norms)
        out.append((B, alpha, alpha**gamma @ h))
    return out
