"""CLR with squared distances (Nie et al., AAAI 2016), as the published algorithm runs it.

(n, n) arrays, loops over rows, all eigenvectors in every round, and the number of components judged from the
eigenvalues.
"""

import numpy as np

ZERO = 10e-11


def initial_graph(X, m):
    """Weights of the m nearest neighbours, symmetrised."""
    n = len(X)
    A = np.zeros((n, n))
    for i in range(n):
        d = np.array([np.sum((X[i] - X[j]) ** 2) for j in range(n)])
        order = [j for j in np.argsort(d, kind="stable") if j != i]
        last = d[order[m]]
        for j in order[:m]:
            A[i, j] = (last - d[j]) / (m * last - sum(d[k] for k in order[:m]) + np.finfo(float).eps)
    return (A + A.T) / 2


def simplex(v):
    """Projection on the unit simplex, by sorting."""
    u = np.sort(v)[::-1]
    rho = max(j for j in range(len(u)) if u[j] - (u[:j + 1].sum() - 1.0) / (j + 1) > 0)
    return np.maximum(v - (u[:rho + 1].sum() - 1.0) / (rho + 1), 0.0)


def laplacian(S):
    """Of the symmetric part of S."""
    W = (S + S.T) / 2
    return np.diag(W.sum(axis=1)) - W


def row_step(A, F, lam):
    """S for given F, row by row."""
    S = np.zeros_like(A)
    for i in range(len(A)):
        support = np.flatnonzero(A[i] > 0)
        f = np.array([np.sum((F[i] - F[j]) ** 2) for j in support])
        S[i, support] = simplex(A[i, support] - 0.5 * lam * f)
    return S


def clr(A, c, lam=0.1, rounds=30):
    """S after each round, and the eigenvalues of its Laplacian; nothing if A has c components already."""
    values, vectors = np.linalg.eigh(laplacian(A))
    if values[:c].sum() < ZERO:
        return []
    F, history = vectors[:, :c], []
    for _ in range(rounds):
        S = row_step(A, F, lam)
        values, vectors = np.linalg.eigh(laplacian(S))
        history.append((S, values))
        if values[:c].sum() > ZERO:
            lam, F = 2 * lam, vectors[:, :c]
        elif values[:c + 1].sum() < ZERO:
            lam = lam / 2
        else:
            break
    return history
