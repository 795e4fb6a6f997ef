"""The LMSC paper (Cai, Tan, Huang, Lv, IJCAI 2023) to the letter: Eqs. (1) to (21) and Algorithm 1, in loops.

As in the paper samples are columns of X (d, n).  Lists run over views; ``tasks`` are lists of (K, X-hat) for
each view.
"""

import numpy as np
from scipy.linalg import eigh, svd

from literal.coreg import normalised  # Eq. (2)

__all__ = ["normalised"]


def neighbours(X, q):
    """Squared distances of samples, rows of X, and the q nearest of each."""
    D = np.array([[sum((x - y) ** 2) for y in X] for x in X])
    return D, [[j for j in np.argsort(row, kind="stable") if j != i][:q] for i, row in enumerate(D)]


def affinity(X, q):
    """Eq. (1), averaged over both directions; sigma is the mean distance of neighbours."""
    n, (squares, near) = X.shape[1], neighbours(X.T, q)
    D = np.sqrt(squares)
    sigma = np.mean([D[i, j] for i in range(n) for j in near[i]])
    W = np.zeros((n, n))
    for i in range(n):
        for j in near[i]:
            W[i, j] = np.exp(-D[i, j] ** 2 / (2 * sigma**2))
    return (W + W.T) / 2


def x_hat(X):
    """Eq. (6), over roots of sums, with 0 for features and samples that are empty."""
    features, samples = X.sum(axis=1), X.sum(axis=0)
    return np.array([[X[i, j] / np.sqrt(features[i] * samples[j]) if X[i, j] else 0.0
                      for j in range(X.shape[1])] for i in range(len(X))])


def projection(P):
    """Theorem 1."""
    U, _, Vt = np.linalg.svd(P, full_matrices=False)
    return U @ Vt


def l21(L):
    return sum(np.sqrt(sum(x * x for x in row)) for row in L)


def objective(tasks, Ess, Bs, Ls, D, alphas, lam, mu, beta):
    """Eq. (8) over all tasks."""
    total = 0.0
    for v in range(len(Bs)):
        for views, Es in zip(tasks, Ess):
            (K, X), F = views[v], Es[v] @ Bs[v]
            total += (np.trace(F.T @ K @ F) + lam * np.trace(Ls[v].T @ X @ F)) / len(tasks)
        total += mu * l21(Ls[v]) - beta * alphas[v] * np.sum((D - Bs[v]) ** 2)
    return total


def consistent_objective(tasks, Ess, Bs, Ls, D, lam, mu, beta, g):
    """The same with g(L) for the row norms and |D - B| without its square."""
    total = objective(tasks, Ess, Bs, Ls, D, [0.0] * len(Bs), lam, 0.0, beta)
    return total + sum(mu * g(L) - beta * np.sqrt(np.sum((D - B) ** 2)) for B, L in zip(Bs, Ls))


def gradient(views, Es, Bs, Ls, lam):
    """Eq. (12)."""
    return sum(2 * K.T @ E @ B @ B.T + lam * X.T @ L @ B.T
               for (K, X), E, B, L in zip(views, Es, Bs, Ls)) / len(views)


def eigenvectors(A):
    """All of the symmetric part, ascending."""
    return eigh((A + A.T) / 2)[1]


def sweep(views, past, m, state, lam, mu, beta, eta, floor=1e-6):
    """Algorithm 1, lines 4 to 8; ``past`` holds (M, C) of Eq. (15) before this task, for each view."""
    Es, Bs, Ls, D, alphas = state
    step, k = gradient(views, Es, Bs, Ls, lam), len(D)
    Es = [projection(E + eta * step) for E in Es]
    sums = [(M + E.T @ K @ E, C + lam * X @ E) for (M, C), (K, X), E in zip(past, views, Es)]
    new = []
    for B, L, (M, C), alpha in zip(Bs, Ls, sums, alphas):
        middle = M / m + B @ L.T @ C / m - beta * alpha * (2 * np.eye(k) - B @ D.T - D @ B.T)
        new.append(eigenvectors(B.T @ middle @ B)[:, ::-1])
    Bs = new
    Ls = [projection(C @ B + mu * np.array([2 * np.sqrt(sum(row**2)) * row for row in L]))
          for (_, C), B, L in zip(sums, Bs, Ls)]
    D = eigenvectors(sum(a * (2 * np.eye(k) - B @ D.T - D @ B.T) for a, B in zip(alphas, Bs)))
    return Es, Bs, Ls, D, [1 / (2 * max(np.sqrt(np.sum((D - B) ** 2)), floor)) for B in Bs], sums


# What the authors' code does, from a description of it; samples in rows, transposes conjugate.


def heat_kernel(X, q=20):
    """exp(-d^2 / 2) where one of two samples is among the q nearest of the other, over roots of sums."""
    n, (D, near) = len(X), neighbours(X, q)
    K = x_hat(np.array([[np.exp(-D[i, j] / 2) if j in near[i] or i in near[j] else 0.0 for j in range(n)]
                        for i in range(n)]))
    return (K + K.T) / 2


def bipartite(X):
    """X minus its smallest entry, over roots of sums."""
    return x_hat(X - X.min())


def weights_of_words(tasks):
    """(1 + log c) log(N / df) of one view over all tasks, rows to unit length."""
    n, d = sum(map(len, tasks)), tasks[0].shape[1]
    df = [sum(int(row[j] > 0) for X in tasks for row in X) for j in range(d)]
    out = []
    for X in tasks:
        W = np.zeros(X.shape)
        for i in range(len(X)):
            for j in range(d):
                if X[i, j]:
                    W[i, j] = (1 + np.log(X[i, j])) * np.log(n / df[j])
            W[i] /= np.sqrt(sum(W[i] ** 2)) or 1.0
        out.append(W[:, [j for j in range(d) if df[j]]])
    return out


def by_modulus(A):
    values, vectors = np.linalg.eig(A)
    return np.column_stack([vectors[:, i] for i in sorted(range(len(A)), key=lambda i: -abs(values[i]))])


def released_start(tasks, k):
    """F, M, C, B, D and alpha before the first task; ``tasks`` hold (K, A) of each view."""
    views = tasks[0]
    Fs = [svd(A, full_matrices=False, lapack_driver="gesvd")[2][:k].T for _, A in views]
    return (Fs, [np.zeros((k, k))] * len(views), [np.zeros(F.shape) for F in Fs], [np.eye(k)] * len(views),
            np.eye(k), [1 / len(views)] * len(views))


def released_embedding(views, Fs, k):
    """The mean over views of eigenvectors of K, each turned towards A F."""
    E = 0.0
    for (K, A), F in zip(views, Fs):
        U = np.linalg.eigh(K)[1][:, ::-1][:, :k]
        for j in range(k):
            z = U[:, j] @ (A @ F)[:, j]
            E = E + np.outer(U[:, j] * z / abs(z), np.eye(k)[j]) / len(views)
    return E


def released_sweep(views, m, E, state, lam, mu, beta):
    """One sweep; returns E, the state and the objective."""
    Fs, Ms, Cs, Bs, D, alphas = state
    k = len(D)
    G = sum(2 * K @ E @ B @ B.conj().T + lam * A @ F @ B.conj().T for (K, A), F, B in zip(views, Fs, Bs))
    E = projection(G / len(views))
    Ms = [M + E.conj().T @ K @ E for M, (K, _) in zip(Ms, views)]
    Cs = [C + lam * A.T @ E for C, (_, A) in zip(Cs, views)]
    Bs = [by_modulus(B.conj().T @ (M / m + B @ F.conj().T @ C / m - beta * a * (
        2 * np.eye(k) - B @ D.conj().T - D @ B.conj().T)) @ B)
        for B, F, M, C, a in zip(Bs, Fs, Ms, Cs, alphas)]
    Fs = [projection(C @ B + mu * np.diag([np.sqrt(sum(abs(row) ** 2)) for row in F]) @ F)
          for C, B, F in zip(Cs, Bs, Fs)]
    D = by_modulus(sum(a * (2 * np.eye(k) - B @ D.conj().T - D @ B) for a, B in zip(alphas, Bs)))
    alphas = [1 / (2 * np.sqrt(np.sum(abs(D - B) ** 2))) for B in Bs]
    value = sum(np.trace(B.conj().T @ M @ B) / m + np.trace(F.conj().T @ C @ B) / m
                + mu * sum(np.sqrt(sum(abs(row) ** 2)) for row in F) - beta * a * np.sum(abs(D - B) ** 2)
                for B, M, F, C, a in zip(Bs, Ms, Fs, Cs, alphas))
    return E, (Fs, Ms, Cs, Bs, D, alphas), value
