"""The printed updates of SPMTC (Ren et al.), Eqs. (4) to (25) and Algorithm 1, and LSSMTC's published W rule.

Dense matrices with samples in columns, as in the paper.

``Xs`` are (d, n_t), ``Ps`` (n_t, c), ``Ms`` the M^(k), (d, c), ``M`` (l, c), ``W`` (d, l), ``vs`` weights
(n_t,).  ``power`` is that of the weights: V V^T in print is power 2, the reading of (8) to (13) is power 1.
"""

import numpy as np


def losses(Xs, Ps, Ms, M, W, lam):
    """L of Eq. (9); ``W X`` in print does not conform, W^T X is meant."""
    return [lam * np.sum((X - Mk @ P.T) ** 2, axis=0) + (1 - lam) * np.sum((W.T @ X - M @ P.T) ** 2, axis=0)
            for X, P, Mk in zip(Xs, Ps, Ms)]


def hard(L, threshold):
    """Eq. (11)."""
    return np.array([1.0 if x <= threshold else 0.0 for x in L])


def soft(L, threshold, gamma):
    """Eq. (13)."""
    low = gamma * threshold / (gamma + threshold)
    return np.array([1.0 if x <= low else 0.0 if x >= threshold else gamma / x - gamma / threshold
                     for x in L])


def regulariser(kind, v, threshold, gamma):
    """f of one sample, Eq. (10) or (12)."""
    return threshold * v if kind == "hard" else gamma * np.log(v + gamma / threshold)


def centre(X, P, v, power=1):
    """Eq. (16) and (18), the latter with X for the former's W^T X."""
    V = np.diag(v**power)
    return X @ V @ P @ np.linalg.inv(P.T @ V @ P)


def gradient_parts(X, P, Mk, M, W, lam):
    """A and B after Eq. (21) without weights; M^(k) M^(k)T in print is d x d, the transpose is meant."""
    A = lam * X.T @ Mk + (1 - lam) * X.T @ W @ M
    return A, lam * Mk.T @ Mk + (1 - lam) * M.T @ M


def positive(Z):
    return (np.abs(Z) + Z) / 2


def negative(Z):
    return (np.abs(Z) - Z) / 2


def membership(X, P, Mk, M, W, lam, v, power=1, eps=0.0):
    """Eq. (22) as printed, weights included; ``eps`` is added below, as in published code."""
    A, B = gradient_parts(X, P, Mk, M, W, lam)
    V = np.diag(v**power)
    A = V @ A
    return P * np.sqrt((positive(A) + V @ P @ negative(B)) / (negative(A) + V @ P @ positive(B) + eps))


def scatter(X, P, v, power=1, printed=False):
    """Eq. (25), (d, d); in print the inverse is missing."""
    V = np.diag(v ** (power / 2))
    gram = P.T @ V @ V @ P
    middle = np.eye(len(P)) - V @ P @ (gram if printed else np.linalg.inv(gram)) @ P.T @ V
    return X @ V @ middle @ V @ X.T


def smallest(S, n_components):
    """Eigenvectors of the smallest eigenvalues, by a full decomposition."""
    return np.linalg.eigh(S)[1][:, :n_components]


def multiplicative(X, P, M, W, v, eps=1e-9):
    """W of the published code of LSSMTC, from the (d, d) matrix C = X V X^T."""
    C, D = X @ np.diag(v) @ X.T, X @ np.diag(v) @ P @ M.T
    up = negative(C) @ W + W @ W.T @ positive(C) @ W + positive(D) + W @ W.T @ negative(D)
    down = positive(C) @ W + W @ W.T @ negative(C) @ W + negative(D) + W @ W.T @ positive(D)
    return W * np.sqrt(up / (down + eps))


def lssmtc(Xs, Ps, lam, n_components, w_update, vs, n_iter, power=1, W=None):
    """Weighted LSSMTC, in the order M, M^(k), P^(k), W; M and M^(k) are renewed before J is taken.

    Returns Ps, Ms, M, W and the list of J.
    """
    Ps, X, v = list(Ps), np.hstack(Xs), np.concatenate(vs)
    if W is None:
        W = (np.eye(len(X), n_components) if w_update == "mult"
             else smallest(scatter(X, np.vstack(Ps), v, power), n_components))
    history = []
    for _ in range(n_iter):
        M = centre(W.T @ X, np.vstack(Ps), v, power)
        for k in range(len(Xs)):
            Mk = centre(Xs[k], Ps[k], vs[k], power)
            Ps[k] = membership(Xs[k], Ps[k], Mk, M, W, lam, np.ones(len(Ps[k])))
        if w_update == "mult":
            W = multiplicative(X, np.vstack(Ps), M, W, v**power)
        else:
            W = smallest(scatter(X, np.vstack(Ps), v, power), n_components)
        M = centre(W.T @ X, np.vstack(Ps), v, power)
        Ms = [centre(Y, P, u, power) for Y, P, u in zip(Xs, Ps, vs)]
        L = losses(Xs, Ps, Ms, M, W, lam)
        history.append(sum(np.sum(u**power * x) for u, x in zip(vs, L)))
    return Ps, Ms, M, W, history


def spmtc(Xs, Ps, lam, n_components, w_update, weighting, shares, warm_up, inner, power=1):
    """Algorithm 1; thresholds are the losses at the wanted shares, a hair above them for soft weights.

    Returns Ps, the weights and the objective of each round.
    """
    vs = [np.ones(X.shape[1]) for X in Xs]
    Ps, Ms, M, W, _ = lssmtc(Xs, Ps, lam, n_components, w_update, vs, warm_up)
    weights, histories = [], []
    for share in shares:
        vs = []
        for L in losses(Xs, Ps, Ms, M, W, lam):
            threshold = np.sort(L)[int(np.ceil(round(share * len(L), 6))) - 1]
            if weighting == "soft":
                threshold *= 1 + 1e-9
            vs.append(hard(L, threshold) if weighting == "hard" else soft(L, threshold, threshold / 2))
        Ps, Ms, M, W, history = lssmtc(Xs, Ps, lam, n_components, w_update, vs, inner, power, W)
        weights.append(vs)
        histories.append(history)
    return Ps, weights, histories
