"""Adaptively weighted Procrustes (Nie, Tian, Li, KDD 2018), as the published algorithm runs it.

Loops over samples, and norms from the (n, k) differences.
"""

import numpy as np

from literal.coreg import leading, normalised
from literal.lmsc import projection


def embedding(A, k):
    """The k smallest eigenvectors of the normalised Laplacian, through all of them."""
    return leading(normalised(A), k)


def awp(Fs, Rs, sweeps):
    """Y, the R_v and the p_v after the sweeps, from given R_v and equal weights; and their sum after each."""
    n, k = Fs[0].shape
    p, history = np.ones(len(Fs)), []
    for _ in range(sweeps):
        Y = np.zeros((n, k))
        for i in range(n):
            Y[i, np.argmax(sum(F[i] @ R / weight for F, R, weight in zip(Fs, Rs, p)))] = 1.0
        Rs = [projection(F.T @ Y) for F in Fs]
        p = np.array([np.sqrt(np.sum((Y - F @ R) ** 2)) for F, R in zip(Fs, Rs)])
        history.append(np.sum(p))
    return Y, Rs, p, history
