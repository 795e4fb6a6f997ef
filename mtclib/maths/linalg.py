"""Linear algebra that several methods share: dense forms, polar factors, ridge systems."""

import hashlib
from collections import OrderedDict
from threading import Lock

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import safe_sparse_dot

_SPECTRA = OrderedDict()
_SPECTRA_BYTES = 2**28
_SPECTRA_LOCK = Lock()
CG_RESIDUAL = 1e-6
# Squared ratio of singular values above which a polar factor comes from the small Gram matrix.
WELL_CONDITIONED = 1e-7
SHORTEST = 1e-12
# Of the square of the mean: samples whose variance is smaller are far from 0.
NEAR = 1e-10
# Rows of a product that stay in the processor's cache while it is added up.
CACHED = 20_000


def as_dense(A):
    """The same matrix as an ndarray."""
    return A.toarray() if sp.issparse(A) else A


def dense_product(A, B):
    """A @ B as an ndarray; of two sparse factors it adds up in place, to the same last bit as ``A @ B``."""
    if sp.issparse(A) and sp.issparse(B):
        dtype = np.result_type(A, B)
        A, B = A.tocsr().astype(dtype, copy=False), B.tocsr().astype(dtype, copy=False)
    return safe_sparse_dot(A, B, dense_output=True)


def thin(A):
    """A in the form that multiplies an array (., k) of few columns fastest; dense ones stay as they are.  As
    CSC a sparse array adds to one entry of the product after the other, as CSR to the same one again and
    again, so that each addition waits for the last: with a few columns twice as long.  The sums are the same
    to the last bit; where indices are not sorted they would not be, and A stays as it is."""
    if not sp.issparse(A) or not A.has_sorted_indices:
        return A
    return A.tocsc() if A.shape[0] <= CACHED else A.tocsr()


def near_origin(X):
    """Samples without their mean, dense, and that mean, where they are so far from 0 that distances would
    drown in rounding; else, and where they are mostly zeros in sparse form, as they are, and 0.0."""
    if sp.issparse(X) and 2 * X.nnz < X.shape[0] * X.shape[1]:
        return X, 0.0
    mean, values = np.asarray(X.mean(axis=0)).ravel(), X.data if sp.issparse(X) else X
    square = mean @ mean
    far = np.linalg.norm(values) ** 2 / X.shape[0] - square < NEAR * square
    return (as_dense(X) - mean, mean) if far else (X, 0.0)


def unit_rows(Z):
    """Rows divided by their length; rows of zeros stay as they are."""
    return Z / np.maximum(np.linalg.norm(Z, axis=1, keepdims=True), SHORTEST)


def unit_samples(X):
    """Rows of data at length 1, whatever their scale; rows of zeros stay as they are.

    ``sklearn.preprocessing.normalize`` leaves rows shorter than 2e-15 as they are.

    >>> unit_samples(np.array([[3e-100, 4e-100], [0.0, 0.0]])).round(6).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    largest = abs(X).max(axis=1)
    exponents = -np.frexp(largest.toarray().ravel() if sp.issparse(X) else largest)[1]
    # Powers of two change no digit.
    if sp.issparse(X):
        values = np.ldexp(X.data, np.repeat(exponents, np.diff(X.indptr)))
        return normalize(sp.csr_array((values, X.indices, X.indptr), shape=X.shape), copy=False)
    return normalize(np.ldexp(X, exponents[:, None]), copy=False)


def polar(A, previous=None):
    """The Q with orthonormal columns (rows, where A is wide) that maximises tr(Q^T A), of the shape of A.
    Given ``previous``, that is Q where A = 0, and a tall A of good condition is orthogonalised by its small
    Gram matrix: several times faster, with other last digits."""
    if previous is not None and not A.any():
        return previous
    if previous is not None and A.shape[0] > 4 * A.shape[1]:
        values, V = np.linalg.eigh(A.T @ A)
        if values[0] > WELL_CONDITIONED * values[-1]:
            Q = A @ ((V / np.sqrt(values)) @ V.T)
            # One Newton step squares the error that the squared condition number has left.
            return 1.5 * Q - 0.5 * Q @ (Q.T @ Q)
    left, _, right = np.linalg.svd(A, full_matrices=False)
    return left @ right


class RidgeSystems:
    """All ridge systems with one data matrix: (lam X^T X + s_i I) w_i = lam X^T y_i + r_i.

    The matrix is the same for every column and every iteration; only the shift s_i > 0 changes.  One
    eigendecomposition of the smaller Gram matrix therefore serves a whole fit.  With n <= d and
    X X^T = Q diag(e) Q^T (push-through identity)

        v_i = (s_i I + lam X X^T)^{-1} (y_i - X r_i / s_i),   w_i = r_i / s_i + lam X^T v_i,

    and X w_i = y_i - s_i v_i comes for free.  With d < n the eigenbasis of X^T X is used directly.
    Where both are larger than ``max_dense``, conjugate gradients start from the last solution.
    """

    def __init__(self, X, max_dense=5000):
        self.X, self.XT = thin(X), thin(X.T)
        n, d = X.shape
        self.form = "cg" if min(n, d) > max_dense else ("dual" if n <= d else "primal")
        self._last = None
        if self.form != "cg":
            self.eigenvalues, self.basis = gram_eigh(X)

    def condition(self, lam, shift):
        """Upper bound of the condition number of the systems, 1 + lam ||X||^2 / shift (Frobenius)."""
        values = self.X.data if sp.issparse(self.X) else self.X
        return 1.0 + float(np.vdot(values, values)) * float(lam) / float(shift)

    def solve(self, Y, R, shifts, lam):
        """W (d, h) and X W (n, h) for Y (n, h), R (d, h), positive shifts (h,) and lam >= 0.  Raises
        ``FloatingPointError`` if conjugate gradients end with a relative residual above 1e-6."""
        if self.form == "dual":
            V = self._spectral(Y - self.X @ (R / shifts), shifts, lam)
            return R / shifts + lam * (self.XT @ V), Y - shifts * V
        rhs = lam * (self.XT @ Y) + R
        W = self._spectral(rhs, shifts, lam) if self.form == "primal" else self._iterate(rhs, shifts, lam)
        return W, self.X @ W

    def residual(self, Y, shift, lam):
        """Y - X W for R = 0 and one shift, ndarray of shape (n, h); without W where X is wide."""
        if self.form == "dual":
            return shift * self._spectral(Y, shift, lam)
        shifts = np.full(Y.shape[1], shift)
        return Y - self.solve(Y, np.zeros((self.X.shape[1], Y.shape[1])), shifts, lam)[1]

    def _spectral(self, B, shifts, lam):
        return self.basis @ ((self.basis.T @ B) / (lam * self.eigenvalues[:, None] + shifts))

    def _iterate(self, rhs, shifts, lam):
        d = rhs.shape[0]
        start = np.zeros_like(rhs) if self._last is None else self._last
        W = np.empty_like(rhs)
        for i, shift in enumerate(shifts):
            system = LinearOperator(
                (d, d), matvec=lambda w, s=shift: lam * (self.XT @ (self.X @ w)) + s * w, dtype=float)
            W[:, i], _ = cg(system, rhs[:, i], x0=start[:, i], rtol=1e-12, maxiter=10 * d)
            residual = np.linalg.norm(system @ W[:, i] - rhs[:, i])
            if not residual <= CG_RESIDUAL * np.linalg.norm(rhs[:, i]):
                raise FloatingPointError(f"conjugate gradients stopped at a residual of {residual:.1e}; "
                                         f"scale the data or raise the ridge penalty")
        self._last = W
        return W


def gram_eigh(X):
    """Eigendecomposition of the smaller Gram matrix, X X^T or X^T X, remembered by content.  Eigenvalues
    ascend and are clipped at 0; eigenvectors are in columns.  Restarts, grid points and methods ask for the
    same decomposition again and again; the most recent ones (256 MB together) are kept for the life of the
    process."""
    key = _content(X)
    with _SPECTRA_LOCK:
        found = _SPECTRA.get(key)
    if found is None:
        gram = dense_product(X, X.T) if X.shape[0] <= X.shape[1] else dense_product(X.T, X)
        eigenvalues, basis = eigh(gram, driver="evd", overwrite_a=True, check_finite=False)
        found = np.maximum(eigenvalues, 0.0), basis
    with _SPECTRA_LOCK:
        _SPECTRA[key] = found
        _SPECTRA.move_to_end(key)
        while sum(basis.nbytes for _, basis in _SPECTRA.values()) > _SPECTRA_BYTES:
            _SPECTRA.popitem(last=False)
    return found


def _content(X):
    digest = hashlib.blake2b(repr((X.shape, sp.issparse(X))).encode(), digest_size=16)
    for part in (X.data, X.indices, X.indptr) if sp.issparse(X) else (np.ascontiguousarray(X),):
        digest.update(part)
    return digest.digest()
