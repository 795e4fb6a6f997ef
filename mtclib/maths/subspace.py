"""Ways to learn a shared subspace: the orthonormal W (d, l) into which LSSMTC, SPMTC and ASI project.

With memberships P (n, c), weights omega >= 0 and Z an orthonormal basis of the columns of
diag(omega)^(1/2) P, the shared centroids can be eliminated, and what remains to be minimised is
trace(W^T S W) for the scatter around the projected centroids,

    S = B^T (I - Z Z^T) B ,   B = diag(omega)^(1/2) X .

The multiplicative rule of LSSMTC's published code ('mult') starts from the first l columns of the identity
and multiplies by a ratio whose numerator and denominator are there the same sum, C^+ + C^- + D^+ + D^- in the
first l rows, and leaves the zeros of the others: W never moves.  It is therefore not computed here; tests run
the published rule.

For the other ways, B changes with the weights only, Z in every iteration and has c columns.  The smaller
Gram matrix of B is therefore decomposed once, and an iteration works on a diagonal matrix minus one of
rank c.  S itself, (d, d), is never formed.
"""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import lsmr

from mtclib.maths.eigen import extreme_of_downdate
from mtclib.maths.linalg import gram_eigh

W_UPDATES = ("mult", "eig_small", "eig_range", "eig_between")
NEGLIGIBLE = 1e-6


def between_directions(Q, n_components):
    """Directions of the largest scatter between clusters: leading left singular vectors of Q = B^T Z, (d, c).
    For ``n_components`` beyond c, directions that are orthogonal to these are added."""
    missing = max(0, n_components - Q.shape[1])
    return np.linalg.svd(np.pad(Q, ((0, 0), (0, missing))), full_matrices=False)[0][:, :n_components]


def column_basis(P):
    """Orthonormal basis of the columns of P (n, c), rank-deficient or not; shape (n, rank).  Columns are
    scaled first: a cluster that is dying has tiny entries, yet counts as a column."""
    norms = np.linalg.norm(P, axis=0)
    U, s, _ = np.linalg.svd(P / np.where(norms > 0, norms, 1.0), full_matrices=False)
    return U[:, s > 1e-12 * s[0]]


def null_directions(X, count):
    """Orthonormal W (d, count) with X W = 0, for a null space of at least that size; always the same.  What
    the rows of X leave of random vectors, by least squares: far cheaper than a decomposition of X."""
    rows = sp.csr_array(X.T)
    vectors = np.random.default_rng(0).standard_normal((count, X.shape[1]))
    # The rule of lsmr that atol sets bounds ||X r|| / (||X|| ||r||) for the remainder r.
    left = [v - rows @ lsmr(rows, v, atol=1e-11, btol=0.0, conlim=0.0, maxiter=20 * X.shape[0])[0]
            for v in vectors]
    return np.linalg.qr(np.column_stack(left))[0]


class RowSpace:
    """The row space of B (n, d) and its complement, from one decomposition of the smaller Gram matrix.
    ``squares`` (rank,) are the squared singular values above max(n, d) machine epsilons of the largest,
    ascending; ``nullity`` is d - rank."""

    def __init__(self, B):
        self.B, self.n_features = B, B.shape[1]
        self.dual = B.shape[0] <= B.shape[1]
        values, basis = gram_eigh(B)
        kept = values > max(B.shape) * np.finfo(float).eps * values.max(initial=0.0)
        self.squares, self._basis, self._rest = values[kept], basis[:, kept], basis[:, ~kept]
        self.nullity = self.n_features - self.squares.size

    def coordinates(self, Z):
        """B^T Z in the basis of the row space, shape (rank, c)."""
        if self.dual:
            return np.sqrt(self.squares)[:, None] * (self._basis.T @ Z)
        return self._basis.T @ (self.B.T @ Z)

    def _expand(self, coordinates):
        if self.dual:
            # Small singular values lose digits, and with them the columns their right angles.
            W = self.B.T @ (self._basis @ (coordinates / np.sqrt(self.squares)[:, None]))
            return np.linalg.qr(W)[0]
        return self._basis @ coordinates

    def null(self, count):
        """``count`` <= nullity orthonormal directions W with B W = 0, shape (d, count); always the same."""
        return null_directions(self.B, count) if self.dual else self._rest[:, :count]

    def smallest_in_range(self, Z, count):
        """Minimiser of trace(W^T S W) within the row space, shape (d, count), count <= rank."""
        return self._expand(extreme_of_downdate(self.squares, self.coordinates(Z), count))

    def largest(self, Z, count):
        """Maximiser of trace(W^T S W), shape (d, count), count <= rank."""
        return self._expand(extreme_of_downdate(self.squares, self.coordinates(Z), count, largest=True))

    def smallest(self, Z, count):
        """Minimiser of trace(W^T S W) in the whole space, shape (d, count): null directions first."""
        n_null = min(count, self.nullity)
        return self._both(Z, n_null, count - n_null)

    def smallest_nonzero(self, Z, count):
        """As ``smallest_in_range``, filled up with null directions where the rank is below ``count``."""
        n_null = max(0, count - self.squares.size)
        return self._both(Z, n_null, count - n_null)

    def _both(self, Z, n_null, n_range):
        return np.hstack([part(count) for part, count in (
            (self.null, n_null), (lambda count: self.smallest_in_range(Z, count), n_range)) if count])


class SubspaceStep:
    """One of the ``W_UPDATES`` with all that no iteration changes; X (n, d) holds all tasks, stacked."""

    def __init__(self, X, n_components, w_update):
        self.X, self.n_components, self.w_update = X, n_components, w_update
        self._fixed = None
        if w_update == "mult":
            self._fixed = np.eye(X.shape[1], n_components)
        elif w_update == "eig_small":
            # Directions that vanish on all samples are minimisers for all weights and memberships.
            if X.shape[1] - X.shape[0] >= n_components:
                self._fixed = null_directions(X, n_components)
            elif (space := RowSpace(X)).nullity >= n_components:
                self._fixed = space.null(n_components)

    def reweigh(self, omega):
        """Set the weights of the samples, shape (n,), nonnegative and not all zero."""
        self.omega = omega
        if self.w_update in ("eig_small", "eig_range") and self._fixed is None:
            active = np.flatnonzero(omega)
            # Only ratios count; without the division tiny weights would be lost in squares.
            roots = np.sqrt(omega[active] / omega.max())
            self._active, self._roots = active, roots
            rows = self.X[active] if active.size < omega.size else self.X
            self._space = RowSpace(sp.csr_array(rows.multiply(roots[:, None])) if sp.issparse(rows)
                                   else rows * roots[:, None])

    def step(self, P):
        """The W (d, l) for given memberships, a list of (n_t, c), one per task."""
        if self._fixed is not None:
            return self._fixed
        P = np.vstack(P)
        if self.w_update == "eig_between":
            roots = np.sqrt(self.omega)[:, None]
            return between_directions(self.X.T @ (roots * column_basis(roots * P)), self.n_components)
        Z = column_basis(self._roots[:, None] * P[self._active])
        find = self._space.smallest if self.w_update == "eig_small" else self._space.smallest_nonzero
        return find(Z, self.n_components)

    def is_degenerate(self, XW):
        """Whether the projected samples that have weight, rows of XW (n, l), are all zero in effect."""
        values = self.X.data if sp.issparse(self.X) else self.X
        largest = max(values.max(), -values.min()) if values.size else 0.0
        return bool(np.abs(XW[self.omega > 0]).max() <= NEGLIGIBLE * largest)
