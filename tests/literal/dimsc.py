"""DiMSC (Cao et al., CVPR 2015) as written: samples in columns, a general Sylvester solver in each update.

The centring matrix is formed and multiplied, Gram matrices are computed again in every update, and the
objective is a sum of traces.
"""

import numpy as np
from scipy.linalg import solve_sylvester

# Of the right coefficient, as neither coefficient need be regular.
RIDGE = 1e-8


def unit_columns(X):
    """Columns of length 1."""
    lengths = np.sqrt(np.sum(X**2, axis=0))
    return X / np.where(lengths > 0, lengths, 1.0)


def centring(n):
    """H = I - 11^T / n."""
    return np.eye(n) - np.ones((n, n)) / n


def hsic(Z, W):
    """tr(H Z^T Z H W^T W), without the factor (n - 1)^-2."""
    H = centring(len(Z))
    return np.trace(H @ Z.T @ Z @ H @ W.T @ W)


def objective(Xs, Ls, Zs, smoothness, diversity):
    """Over ordered pairs of views."""
    total = 0.0
    for v in range(len(Xs)):
        total += np.sum((Xs[v] - Xs[v] @ Zs[v]) ** 2)
        total += smoothness * np.trace(Zs[v] @ Ls[v] @ Zs[v].T)
        for w in range(len(Xs)):
            if w != v:
                total += diversity * hsic(Zs[v], Zs[w])
    return total


def update(X, L, others, smoothness, diversity):
    """Z_v for given others."""
    n = X.shape[1]
    H = centring(n)
    right = smoothness * L + RIDGE * np.eye(n)
    for W in others:
        right += 2 * diversity * H @ W.T @ W @ H
    return solve_sylvester(X.T @ X, right, X.T @ X)


def dimsc(Xs, Ls, smoothness, diversity, sweeps):
    """The Z_v, from those without diversity, and the objective after each sweep."""
    Zs = [update(X, L, [], smoothness, 0.0) for X, L in zip(Xs, Ls)]
    history = []
    for _ in range(sweeps):
        for v in range(len(Xs)):
            Zs[v] = update(Xs[v], Ls[v], Zs[:v] + Zs[v + 1:], smoothness, diversity)
        history.append(objective(Xs, Ls, Zs, smoothness, diversity))
    return Zs, history


def affinity(Zs):
    """Sum of |Z_v| + |Z_v|^T."""
    return sum(np.abs(Z) + np.abs(Z).T for Z in Zs)
