"""Samples as combinations of each other: Gram matrices, their factors, and the clusters of an affinity.

With samples in rows, X = Z^T X up to an error.  All that such methods need of a view is its Gram matrix
X X^T of shape (n, n), so that no dense (n, d) array is made.
"""

import numpy as np
from scipy.linalg import eigh, lapack

from mtclib.core.starts import best_kmeans
from mtclib.maths.eigen import spectral_embedding
from mtclib.maths.graphs import NormalizedMatrix
from mtclib.maths.linalg import unit_rows

# Eigenvalues of a Gram matrix below this share of the largest are rounding.
NULL = 1e-11
# Columns that LAPACK may treat together, for its workspace.
BLOCK = 64


def spectrum(G):
    """Eigenvalues of a Gram matrix that are more than rounding, ascending, and their vectors (n, r)."""
    values, vectors = eigh(G, driver="evd")
    kept = values > NULL * values[-1]
    return values[kept], vectors[:, kept]


class ShiftedSolver:
    """Columns (a_i I + B)^-1 f_i for one matrix B and many shifts, and for one B after another.

    B is reduced to a tridiagonal T once, in a fifth of the time of an eigendecomposition; each shifted T is
    then solved in O(n), and all of them together as one tridiagonal system.  All solves share their memory.
    B, shape (n, n), symmetric and positive semidefinite, is to be filled before each solve, which overwrites
    it; ``most`` is the most shifts of a solve.
    """

    def __init__(self, n, most):
        # LAPACK leaves the reflectors of B one place beside that of factors of a QR decomposition.  With a
        # first reflector that does nothing they are that, and nothing has to be moved.
        self.reflectors, self.tau = np.zeros((n + 1, n)), np.zeros(n)
        self.B = self.reflectors[1:]
        self.bands, self.rows = np.zeros((2, most * n)), np.zeros((most, n))

    def solve(self, shifts, F):
        """The columns, (n, r), for positive shifts (r,), which the rounding of B raises, and F (n, r).
        LinAlgError if B has a negative eigenvalue beyond the smallest shift."""
        n, r = F.shape
        if n < 3 or r == 0:  # there is nothing to reduce
            shifts = shifts + n * np.finfo(float).eps * np.linalg.norm(self.B)
            return np.linalg.solve(self.B + shifts[:, None, None] * np.eye(n), F.T[:, :, None])[:, :, 0].T
        _, diagonal, beside, self.tau[1:], _ = lapack.dsytrd(
            self.B.T, lower=1, lwork=BLOCK * n, overwrite_a=1)
        shifts = shifts + n * np.finfo(float).eps * np.sqrt(diagonal @ diagonal + 2.0 * beside @ beside)
        Q = lapack.dorgqr(self.reflectors[:-1].T, self.tau, lwork=BLOCK * n, overwrite_a=1)[0]
        main, side = self.bands[:, :r * n]
        np.add(diagonal, shifts[:, None], out=main.reshape(r, n))
        side.reshape(r, n)[:, :-1], side[n - 1::n] = beside, 0.0
        rows = np.matmul(F.T, Q, out=self.rows[:r])
        _, _, solved, failed = lapack.dptsv(main, side[:-1], rows.reshape(-1, 1), overwrite_d=1,
                                            overwrite_e=1, overwrite_b=1)
        if failed:
            raise np.linalg.LinAlgError("B must be positive semidefinite")
        return (solved.reshape(r, n) @ Q.T).T


def cluster_affinity(A, n_clusters, seeds, seeding="greedy"):
    """Normalised spectral clustering of a nonnegative symmetric (n, n) affinity matrix: labels and embedding.

    k-means starts once from each seed.  Rows of the embedding, (n, n_clusters), have unit length, or are zero
    for a sample that is like no other.

    >>> labels, _ = cluster_affinity(np.kron(np.eye(2), np.ones((3, 3))), 2, [0])
    >>> np.ptp(labels.reshape(2, 3), axis=1).tolist()
    [0, 0]
    """
    V = unit_rows(spectral_embedding(NormalizedMatrix(A, keep_diagonal=True), n_clusters, seeds[0])[1])
    return best_kmeans(V, n_clusters, seeds, seeding=seeding).labels_.astype(np.intp), V
