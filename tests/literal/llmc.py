"""The reconstruction of local learning-based multi-task clustering, by its definition.

Loops over pairs of samples, (d, d) generalised eigenvalue problems, all eigenvectors.
"""

import numpy as np
from scipy.linalg import eigh

from literal.clr import initial_graph, laplacian, simplex

SMOOTHING = 1e-8


def centred(Xs):
    """Centred tasks, divided by one number."""
    Xs = [X - X.mean(axis=0) for X in Xs]
    return [X / np.sqrt(sum(np.sum(X**2) for X in Xs) / sum(len(X) for X in Xs)) for X in Xs]


def distances(X, W, F, lam):
    """d_ij, pair by pair."""
    n = len(X)
    return np.array([[np.sum((W.T @ (X[i] - X[j])) ** 2) + lam * np.sum((F[i] - F[j]) ** 2) for j in range(n)]
                     for i in range(n)])


def width(D, m):
    """a_t, from the first distances."""
    total = 0.0
    for i, row in enumerate(D):
        d = np.sort(np.delete(row, i))
        total += (m * d[m] - d[:m].sum()) / 2.0
    return total / len(D)


def graph(D, a):
    """Row i is the projection of -d_i / (2 a) on the simplex, without i itself."""
    S = np.zeros_like(D)
    for i in range(len(D)):
        others = [j for j in range(len(D)) if j != i]
        S[i, others] = simplex(-D[i, others] / (2.0 * a))
    return S


def row_norms(Ws, unit):
    """|w^j|, smoothed."""
    return np.sqrt(sum(np.sum(W**2, axis=1) for W in Ws) + SMOOTHING * unit)


def objective(Xs, Ss, Ws, Fs, widths, lam, gamma, unit):
    """The sum, pair by pair."""
    total = gamma * np.sum(row_norms(Ws, unit))
    for X, S, W, F, a in zip(Xs, Ss, Ws, Fs, widths):
        for i in range(len(X)):
            for j in range(len(X)):
                total += np.sum((W.T @ (X[i] - X[j])) ** 2) * S[i, j] + a * S[i, j] ** 2
        total += 2.0 * lam * np.trace(F.T @ laplacian(S) @ F)
    return total


def llmc(Xs, ks, gamma=1.0, lam=1.0, m=10, rounds=5):
    """Graphs, projections, indicators and the objective after each round, for a fixed lam and d < n."""
    Xs = centred(Xs)
    unit = np.mean(ks) / Xs[0].shape[1]
    norms = np.full(Xs[0].shape[1], np.sqrt(unit))
    Ss, widths, history = [initial_graph(X, m) for X in Xs], None, []
    for _ in range(rounds):
        Ws = [eigh(2.0 * X.T @ laplacian(S) @ X + np.diag(gamma / (2.0 * norms)), X.T @ X)[1][:, :k]
              for X, S, k in zip(Xs, Ss, ks)]
        Fs = [np.linalg.eigh(laplacian(S))[1][:, :k] for S, k in zip(Ss, ks)]
        norms = row_norms(Ws, unit)
        Ds = [distances(X, W, F, lam) for X, W, F in zip(Xs, Ws, Fs)]
        widths = widths or [width(D, m) for D in Ds]
        Ss = [graph(D, a) for D, a in zip(Ds, widths)]
        history.append((Ss, Ws, Fs, objective(Xs, Ss, Ws, Fs, widths, lam, gamma, unit)))
    return history
