"""The weights of weighted multi-view spectral clustering (Zong et al., AAAI 2018), by their definition.

(n, n) arrays, all eigenvectors, and the quadratic problem by trying every set of positive weights.
"""

from itertools import combinations

import numpy as np


def leading(K, k):
    """The k largest eigenvalues and their eigenvectors."""
    values, vectors = np.linalg.eigh(K)
    return values[::-1][:k], vectors[:, ::-1][:, :k]


def angle(U, W):
    """The largest principal angle: the singular values of U^T W are the cosines."""
    return np.arccos(np.clip(np.linalg.svd(U.T @ W)[1].min(), -1.0, 1.0))


def objective(x, Ks, pairs, beta, eta, Q):
    """As it is written, with the residual of each eigenpair."""
    consensus = sum(weight * K for weight, K in zip(x, Ks))
    fit = sum(np.sum((consensus @ U - U @ np.diag(values)) ** 2) for values, U in pairs)
    return 0.5 * fit + 0.5 * beta * np.sum(x**2) + 0.5 * eta * x @ Q @ x


def similarity_penalty(pairs):
    """Q, the Laplacian of R."""
    m = len(pairs)
    R = np.array([[np.pi - (angle(pairs[i][1], pairs[j][1]) if i != j else 0.0) for j in range(m)]
                  for i in range(m)])
    return np.diag(R.sum(axis=1)) - R


def weights(Ks, k, ridge=0.1, smoothness=0.1):
    """x: of the stationary points on the faces of the simplex, the feasible one of the lowest objective."""
    pairs = [leading(K, k) for K in Ks]
    Q = similarity_penalty(pairs)
    H = np.array([[sum(np.trace(U.T @ K @ J @ U) for _, U in pairs) for J in Ks] for K in Ks])
    beta = ridge * np.linalg.norm(H + Q) / np.sqrt(len(Ks))
    eta = smoothness * np.linalg.norm(H + np.eye(len(Ks))) / np.linalg.norm(Q)
    y = np.array([sum(np.trace(U.T @ K @ U @ np.diag(values)) for values, U in pairs) for K in Ks])
    G, best, lowest = H + beta * np.eye(len(Ks)) + eta * Q, None, np.inf
    for size in range(1, len(Ks) + 1):
        for face in map(list, combinations(range(len(Ks)), size)):
            system = np.block([[G[np.ix_(face, face)], np.ones((size, 1))],
                               [np.ones((1, size)), np.zeros((1, 1))]])
            x = np.zeros(len(Ks))
            x[face] = np.linalg.solve(system, np.append(y[face], 1.0))[:size]
            value = objective(x, Ks, pairs, beta, eta, Q)
            if x.min() >= 0 and value < lowest:
                best, lowest = x, value
    return best, lowest
