"""Co-regularised spectral clustering (Kumar, Rai, Daume, NIPS 2011) as written, and as mvlearn 0.5.0 runs it.

(n, n) arrays everywhere, and all eigenvectors of each of them in every update.
"""

import numpy as np
from scipy.sparse.linalg import svds


def normalised(A):
    """D^-1/2 A D^-1/2."""
    D = np.diag(1.0 / np.sqrt(np.sum(A, axis=1)))
    return D @ A @ D


def leading(M, k):
    """The k leading eigenvectors, through all of them."""
    return np.linalg.eigh(M)[1][:, ::-1][:, :k]


def pairwise_objective(Ks, Us, lam):
    """The sum over views and over unordered pairs of views, with (n, n) projections."""
    total = sum(np.trace(U.T @ K @ U) for K, U in zip(Ks, Us))
    for v in range(len(Us)):
        for w in range(v + 1, len(Us)):
            total += lam * np.trace(Us[v] @ Us[v].T @ Us[w] @ Us[w].T)
    return total


def centroid_objective(Ks, Us, U_star, lams):
    """The sum over views with the consensus."""
    return sum(np.trace(U.T @ K @ U) + lam * np.trace(U @ U.T @ U_star @ U_star.T)
               for K, U, lam in zip(Ks, Us, lams))


def pairwise(Ks, Us, lam, sweeps):
    """U_v of each view in turn; returns the U_v and the objective after each sweep."""
    Us, history = list(Us), []
    for _ in range(sweeps):
        for v in range(len(Us)):
            others = sum(U @ U.T for w, U in enumerate(Us) if w != v)
            Us[v] = leading(Ks[v] + lam * others, Us[v].shape[1])
        history.append(pairwise_objective(Ks, Us, lam))
    return Us, history


def centroid(Ks, Us, lams, sweeps):
    """All U_v for one U*, then U*; returns the U_v, U* and the objective after each sweep."""
    k = Us[0].shape[1]
    U_star, history = leading(sum(lam * U @ U.T for lam, U in zip(lams, Us)), k), []
    for _ in range(sweeps):
        Us = [leading(K + lam * U_star @ U_star.T, k) for K, lam in zip(Ks, lams)]
        U_star = leading(sum(lam * U @ U.T for lam, U in zip(lams, Us)), k)
        history.append(centroid_objective(Ks, Us, U_star, lams))
    return Us, U_star, history


def mvlearn_pairwise(affinities, k, lam, iterations):
    """As mvlearn.cluster.MultiviewCoRegSpectralClustering: singular vectors, the first view last in a sweep.

    Returns the normalised affinities, the U_v, and its ``objective_``: sums of singular values of shape
    (V, iterations).
    """
    Ls, Us = [normalised(A) for A in affinities], []
    values = np.zeros((len(affinities), iterations))
    for v, L in enumerate(Ls):
        U, s, _ = svds(L, k=k)
        Us.append(U)
        values[v, 0] = np.sum(s)
    for iteration in range(1, iterations):
        for v in [*range(1, len(Us)), 0]:
            others = sum(U @ U.T for w, U in enumerate(Us) if w != v)
            Us[v], s, _ = svds(Ls[v] + lam * others, k=k)
            values[v, iteration] = np.sum(s)
    return Ls, Us, values
