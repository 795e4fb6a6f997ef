"""The model of MTSC, with (n, n) and (d, d) arrays and inverses.

Centring matrices, the weights of the features as a diagonal matrix, ridge solutions by inverses and all
eigenvectors in every round.
"""

import numpy as np

EPS = 1e-8


def objective(Xs, Ls, Fs, Ws, bs, alpha, beta, p):
    """The smoothed objective, feature by feature."""
    total = 0.0
    for X, L, F, W, b in zip(Xs, Ls, Fs, Ws, bs):
        E = X @ W + np.ones((len(X), 1)) @ b[None, :] - F
        total += np.trace(F.T @ L @ F) + alpha * np.trace(E.T @ E)
    W = np.hstack(Ws)
    for j in range(len(W)):
        total += beta * ((W[j] @ W[j] + EPS) ** (p / 2) - EPS ** (p / 2))
    return total


def round_(X, L, D, alpha, beta, k):
    """F, W and b of a task for given D, together."""
    n = len(X)
    H = np.eye(n) - np.ones((n, n)) / n
    ridge = np.linalg.inv(X.T @ H @ X + beta / alpha * D) @ X.T @ H
    F = np.linalg.eigh(L + alpha * (H - H @ X @ ridge))[1][:, :k]
    return F, ridge @ F, np.mean(F - X @ ridge @ F, axis=0)


def mtsc(Xs, Ls, ks, alpha, beta, p, rounds):
    """F_t, W_t, b_t and the objective after each round."""
    D, history = np.eye(Xs[0].shape[1]), []
    for _ in range(rounds):
        found = [round_(X, L, D, alpha, beta, k) for X, L, k in zip(Xs, Ls, ks)]
        Fs, Ws, bs = zip(*found)
        D = np.diag([p / 2 * (w @ w + EPS) ** ((p - 2) / 2) for w in np.hstack(Ws)])
        history.append(objective(Xs, Ls, Fs, Ws, bs, alpha, beta, p))
    return Fs, Ws, bs, history
