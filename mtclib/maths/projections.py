"""Ridge projections P = X (X^T X + r I)^-1 X^T of views with centred columns, as operators.

Neither P, nor a dense form of a sparse view, is ever made.  For CCA each P comes with a factor, P = L L^T.
"""

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, cg, eigsh

from mtclib.maths.linalg import as_dense, dense_product

LARGEST_DENSE = 5000
SOLVER_ITERATIONS = 1000
# Variances below this share of the largest are rounding.
NULL = 1e-12
# The same for eigenvalues of a Gram matrix, as shares of its trace before centring.
ROUNDING = {"dense": 1e-24, "sparse": 1e-13}


def projection(X, ridge):
    """The ridge projection of a view X (n, d); by conjugate gradients beyond 5,000 samples and features.
    ``ridge`` >= 0 is r as a share of the largest eigenvalue of X^T X with centred columns."""
    kind = SpectralProjection if min(X.shape) <= LARGEST_DENSE else IterativeProjection
    return kind(Centred(X), ridge)


class Centred:
    """A view, divided by its largest entry, without the means of its columns; sparse views stay sparse."""

    def __init__(self, X):
        self.shape = X.shape
        self.largest = float(abs(X).max()) or 1.0
        self.X = X / self.largest
        self.mean = np.asarray(self.X.mean(axis=0)).ravel()
        if sp.issparse(X):
            self.rounding = ROUNDING["sparse"] * float(np.sum(self.X.data**2))
        else:
            self.rounding = ROUNDING["dense"] * float(np.sum(self.X**2))
            self.X = self.X - self.mean
            self.mean = np.zeros(X.shape[1])

    def times(self, W):
        """X W, (n, h)."""
        return self.X @ W - self.mean @ W

    def transposed(self, G):
        """X^T G, (d, h)."""
        return self.X.T @ G - np.outer(self.mean, G.sum(axis=0))

    def gram(self):
        """The smaller of X X^T and X^T X."""
        if self.shape[0] > self.shape[1]:
            return self.cross(self)
        M = dense_product(self.X, self.X.T)
        if not sp.issparse(self.X):
            return M
        M -= M.mean(axis=0)
        return M - M.mean(axis=1)[:, None]

    def cross(self, other):
        """X^T Y for another view Y of the same samples, (d, d')."""
        return dense_product(self.X.T, other.X) - self.shape[0] * np.outer(self.mean, other.mean)

    def dense(self):
        """X as a dense array, (n, d)."""
        return as_dense(self.X) - self.mean


class SpectralProjection:
    """P through the eigenvectors of the smaller Gram matrix, P = L L^T; X is `Centred`."""

    def __init__(self, X, ridge):
        self.X, self.shape = X, X.shape
        squares, Q = eigh(X.gram())
        kept = squares > max(NULL * squares[-1], X.rounding)
        squares, Q = squares[kept], Q[:, kept]
        self.dual = X.shape[0] <= X.shape[1]
        shrunk = squares + ridge * (squares[-1] if squares.size else 0.0)
        self.factor = Q * np.sqrt(squares / shrunk) if self.dual else Q / np.sqrt(shrunk)

    def lift(self, A):
        """L A, (n, h)."""
        return self.factor @ A if self.dual else self.X.times(self.factor @ A)

    def drop(self, G):
        """L^T G, (rank, h)."""
        return self.factor.T @ (G if self.dual else self.X.transposed(G))

    def fitted(self, G):
        """P G, (n, h)."""
        return self.lift(self.drop(G))


class IterativeProjection:
    """P by conjugate gradients, for a positive ridge; X is `Centred`.  L holds the first n rows of the
    orthogonal projection onto the range of X on top of sqrt(r) I."""

    def __init__(self, X, ridge):
        self.X, self.shape = X, X.shape
        d = X.shape[1]
        covariance = LinearOperator((d, d), matvec=lambda w: self._covariance(w, 0.0), dtype=float)
        rng = np.random.default_rng(0)
        largest = eigsh(covariance, k=1, v0=rng.standard_normal(d), return_eigenvectors=False, rng=rng)
        self.shift = ridge * float(largest[0])

    def _covariance(self, w, shift):
        w = w.reshape(-1, 1)
        return (self.X.transposed(self.X.times(w)) + shift * w).ravel()

    def solve(self, B):
        """(X^T X + r I)^-1 B for B of shape (d, h)."""
        d = len(B)
        system = LinearOperator((d, d), matvec=lambda w: self._covariance(w, self.shift), dtype=float)
        solved = [cg(system, b, rtol=1e-11, maxiter=SOLVER_ITERATIONS) for b in B.T]
        if any(failed for _, failed in solved):
            raise FloatingPointError("conjugate gradients did not converge; raise ridge")
        return np.stack([w for w, _ in solved], axis=1)

    def lift(self, A):
        """L A, (n, h)."""
        n = self.shape[0]
        return self.X.times(self.solve(self.X.transposed(A[:n]) + self.shift**0.5 * A[n:]))

    def drop(self, G):
        """L^T G, (n + d, h)."""
        W = self.solve(self.X.transposed(G))
        return np.vstack([self.X.times(W), self.shift**0.5 * W])

    def fitted(self, G):
        """P G, (n, h)."""
        return self.X.times(self.solve(self.X.transposed(G)))
