"""Leading eigenvectors of symmetric operators by blocks: warm starts, repeated eigenvalues, known accuracy.

Lanczos methods with one start vector meet each repeated eigenvalue once.  A block meets an eigenvalue as
often as it has columns, and can start from what is already known.
"""

from contextlib import suppress
from functools import cache

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh, lapack
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh, splu

from mtclib.core.base import DegenerateSubspaceWarning
from mtclib.core.errors import tell
from mtclib.core.starts import MANY

# Up to this size, or this many samples per vector, a dense decomposition takes less time than an iteration
# (1,600 samples: the same time for 20 vectors, a fifth for 100).
SMALL, FEW = 300, 30
LARGEST_DENSE = 10_000
EXPANSIONS = 200
# Of a block of residuals: below this share of the largest square a direction is a combination of the others;
# above the second, all have become orthonormal to 13 digits, and else they are made so once more.
DEPENDENT, APART = 1e-14, 1e-2
ROUNDING = 1e-13
# Of the Lanczos iteration; products with an array are dear, and its dense decomposition is near.
RESTARTS = {True: 30, False: 300}
# Accuracy of the leading eigenvectors of a graph, and columns of their random start beyond the wanted ones.
START = 1e-4
EXTRA = 5
# Accuracy of eigenvectors of many samples, which k-means rounds anyway.
ROUNDED = 1e-5
# Distance from the largest eigenvalue at which a sparse graph is inverted.
SHIFT = 1e-6
# The graph may have more components than clusters if the next eigenvalue is above this.
NEAR_ONE = 0.99


def top_eigenvectors(product, start, n_vectors, tol=1e-8, images=False):
    """Eigenpairs of the largest eigenvalues of a symmetric operator, by Rayleigh-Ritz in a growing space.

    The space begins with ``start`` (n, w), w >= ``n_vectors``, whose columns may depend on each other, and
    grows by the residuals of the wanted pairs.  The sum of the values is never below that of any
    ``n_vectors`` orthonormal columns in the span of ``start``.  A direction that is orthogonal to the start,
    and to all that the operator makes of it, cannot be found: the start must not miss a leading eigenvector.

    The iteration ends when the residuals A U - U diag(values) have a Frobenius norm of ``tol``, or of the
    rounding of the products.  Returns the values, descending, each within the norm of its residual of an
    eigenvalue; orthonormal vectors (n, n_vectors); and a lower bound of the largest eigenvalue not returned,
    -inf if there is none; or with ``images`` instead of the bound what the operator makes of the vectors.
    Raises ``FloatingPointError`` without convergence if n is beyond 10,000, too large for a dense
    decomposition.
    """
    n, width = start.shape
    if n > max(SMALL, 4 * width, FEW * n_vectors):
        found = _expand(product, start, n_vectors, tol, images)
        if found is not None:
            return found
        if n > LARGEST_DENSE:
            raise FloatingPointError(f"the leading {n_vectors} eigenvectors of {n} samples did not converge: "
                                     f"eigenvalues nearly coincide; ask for another number of clusters or "
                                     f"components, or use fewer samples")
    A = product(np.eye(n))
    values, vectors, following = _ordered(*end_of_spectrum(_symmetric(A), min(n_vectors + 1, n)), n_vectors)
    return values, vectors, product(vectors) if images else following


def end_of_spectrum(A, count, largest=True):
    """Eigenvalues (count,), ascending, and vectors (n, count) at one end of a symmetric array A (n, n)."""
    first = len(A) - count if largest else 0
    if np.isfinite(A.sum()):  # else the call below says so, or finds that the sum alone is too large
        values, vectors, found, _, failed = lapack.dsyevr(
            A, range="I", lower=1, il=first + 1, iu=first + count, **_workspace(len(A)))
        if found == count and not failed:
            return values[:count], vectors
    # LAPACK's search for some of the eigenvalues loses repeated ones; that for all does not.
    values, vectors = eigh(A, driver="evd")
    return values[first:first + count], vectors[:, first:first + count]


@cache
def _workspace(n):
    """What LAPACK wants for a symmetric array of n rows; to ask takes as long as to decompose a small one."""
    lwork, liwork, _ = lapack.dsyevr_lwork(n)
    return {"lwork": int(lwork), "liwork": int(liwork)}


def _ordered(values, vectors, n_vectors):
    following = float(values[-n_vectors - 1]) if len(values) > n_vectors else -np.inf
    return values[::-1][:n_vectors], vectors[:, ::-1][:, :n_vectors], following


def _expand(product, start, n_vectors, tol, images):
    """As above, or None without convergence."""
    (n, width), S = start.shape, np.linalg.qr(start)[0]
    widest = min(width + 20 * n_vectors, n // 2)
    # The rows are the directions of the space, and what the operator makes of them.
    space = np.empty((2, widest + n_vectors, n))
    space[:, :width] = S.T, product(S).T
    H, size = np.empty((widest + n_vectors,) * 2), width
    H[:size, :size] = _symmetric(space[0, :size] @ space[1, :size].T)
    for _ in range(EXPANSIONS):
        if size > widest:
            # The leading Ritz vectors alone.
            values, C = end_of_spectrum(H[:size, :size], width + n_vectors)
            space[:, :len(values)], size = C.T @ space[:, :size], len(values)
            H[:size, :size] = np.diag(values)
        S, AS = space[0, :size].T, space[1, :size].T
        values, C = end_of_spectrum(H[:size, :size], min(n_vectors + 1, size))
        U, AU = S @ C[:, -n_vectors:], AS @ C[:, -n_vectors:]
        residuals = AU - U * values[-n_vectors:]
        sizes = np.linalg.norm(residuals, axis=0)
        accuracy = max(tol, ROUNDING * np.abs(values).max())
        if np.linalg.norm(sizes) <= accuracy:
            *found, following = _ordered(values, U, n_vectors)
            return *found, AU[:, ::-1] if images else following
        large = sizes > 0.1 * accuracy / n_vectors**0.5
        new = _new_directions(residuals[:, large] / sizes[large], S)
        products = product(new)
        before, size = size, size + new.shape[1]
        H[:before, before:size] = border = S.T @ products
        H[before:size, :before], H[before:size, before:size] = border.T, _symmetric(new.T @ products)
        space[:, before:size] = new.T, products.T
    return None


def _symmetric(A):
    return (A + A.T) / 2


def _new_directions(R, S):
    """Orthonormal basis of the columns of R without their part in the span of S."""
    for _ in range(2):
        R = R - S @ (S.T @ R)
        squares, V = np.linalg.eigh(R.T @ R)
        most = squares.max(initial=0.0)
        kept = squares > DEPENDENT * most
        R = R @ (V[:, kept] / np.sqrt(squares[kept]))
        if (squares > APART * most).all():
            break
    return R


def extreme_of_downdate(diagonal, Q, count, largest=False):
    """Eigenvectors (r, count) at one end of the spectrum of diag(diagonal) - Q Q^T, positive semidefinite.

    ``diagonal`` (r,) is positive and ascending, Q is (r, c).  Beyond 300 dimensions Lanczos iterations need
    products alone, with the matrix or with its shifted inverse, which follows from the Woodbury identity in
    O(r c).  Where they stall the matrix is formed.
    """
    size = diagonal.size
    if size > max(SMALL, 3 * count):
        matrix = LinearOperator((size, size), dtype=float,
                                matvec=lambda x: diagonal * x.ravel() - Q @ (Q.T @ x.ravel()))
        rng = np.random.default_rng(0)
        start = rng.standard_normal(size)
        with suppress(ArpackError):
            if largest:
                return eigsh(matrix, count, which="LA", v0=start, rng=rng)[1]
            shift = max(diagonal[0], 1e-12 * diagonal[-1])
            values, vectors = eigsh(matrix, count, sigma=-shift, OPinv=_shifted_inverse(diagonal, Q, shift),
                                    v0=start, maxiter=100 * size, rng=rng)
            return vectors[:, np.argsort(values)]
    return end_of_spectrum(np.diag(diagonal) - Q @ Q.T, count, largest)[1]


def _shifted_inverse(diagonal, Q, shift):
    """(diag(diagonal) - Q Q^T + shift)^-1 as an operator; no matrix is formed."""
    shifted = diagonal + shift
    scaled = Q / shifted[:, None]
    core = np.linalg.inv(np.eye(Q.shape[1]) - Q.T @ scaled)
    return LinearOperator((diagonal.size, diagonal.size), dtype=float,
                          matvec=lambda x: x.ravel() / shifted + scaled @ (core @ (scaled.T @ x.ravel())))


def spectral_embedding(graph, n_vectors, seed):
    """Leading eigenvectors of a normalised affinity, its components taken one by one.

    Lanczos methods meet each repeated eigenvalue once, and 1 is an eigenvalue of every component: a graph
    that falls into pieces would silently lose some.  Inside a component it is simple.

    Returns the eigenvalues, descending, NaN where there are too few samples with neighbours, and vectors
    (n, n_vectors): orthonormal or zero columns, zero rows for samples without neighbours.  Of equal
    eigenvalues of different components, that of the larger component comes first.
    """
    component = graph.components()
    order = np.argsort(component, kind="stable")
    pieces = np.split(order, np.flatnonzero(np.diff(component[order])) + 1)
    pieces = sorted((rows for rows in pieces if len(rows) > 1), key=len, reverse=True)
    if len(pieces) > n_vectors:
        tell(f"the similarity graph falls into {len(pieces)} components, more than n_clusters={n_vectors}: "
             f"only the largest get an eigenvector each; use a larger scale or affinity='cosine'",
             DegenerateSubspaceWarning)
    found = []
    for rows in pieces:
        values, vectors = leading_eigenvectors(graph.block(rows), n_vectors, seed)
        found.extend((value, rows, vector) for value, vector in zip(values, vectors.T))
    eigenvalues, V = np.full(n_vectors, np.nan), np.zeros((graph.shape[0], n_vectors))
    # Rounded, because rounding must not decide between components; the sort is stable.
    found.sort(key=lambda item: -round(item[0], 10))
    for i, (value, rows, vector) in enumerate(found[:n_vectors]):
        eigenvalues[i], V[rows, i] = value, vector
    return eigenvalues, V


def leading_eigenvectors(L, k, seed):
    """Eigenpairs of the min(k, n) largest eigenvalues of a symmetric matrix or operator (n, n), descending.

    Of more than 20,000 samples, they are as accurate as k-means needs them: residuals of 1e-5.
    Where eigenvalues nearly coincide, L is decomposed: up to 10,000 samples as a dense matrix, beyond as a
    sparse one.  ``FloatingPointError`` if it then is not sparse.
    """
    n, k = L.shape[0], min(k, L.shape[0])
    if n > max(SMALL, 4 * k):
        try:
            rng = np.random.default_rng(seed)
            start = rng.standard_normal(n).astype(L.dtype)
            restarts = RESTARTS[isinstance(L, np.ndarray)]
            # Where the iteration runs into an invariant subspace it goes on from another random vector.
            tol = ROUNDED if n > MANY else 0
            values, vectors = eigsh(L, k=k, which="LA", v0=start, maxiter=restarts, rng=rng, tol=tol)
            return values[::-1], vectors[:, ::-1]
        except ArpackError as error:
            if n > LARGEST_DENSE and sp.issparse(L):
                return _inverted(L, k, start)
            if n > LARGEST_DENSE:
                raise FloatingPointError(
                    f"the leading eigenvectors of {n} samples did not converge: the similarity graph nearly "
                    f"falls into pieces; use a larger scale or affinity='cosine'") from error
    dense = L.toarray() if sp.issparse(L) else L @ np.eye(n)
    values, vectors = end_of_spectrum(dense, k)
    return values[::-1], vectors[:, ::-1]


def _inverted(L, k, start):
    """Eigenpairs of the largest eigenvalues of a sparse L whose largest eigenvalue is 1, descending.

    Lanczos iterations stall where a graph is long and thin; there the factors of 1 + SHIFT - L are sparse.
    """
    shifted = sp.csc_array((1.0 + SHIFT) * sp.eye_array(L.shape[0]) - L)
    symmetric = {"permc_spec": "MMD_AT_PLUS_A", "diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}}
    factors = splu(shifted, **symmetric)
    inverse = LinearOperator(L.shape, matvec=lambda x: factors.solve(x.ravel()), dtype=float)
    values, vectors = eigsh(inverse, k=k, which="LA", v0=start, rng=np.random.default_rng(0))
    return 1.0 + SHIFT - 1.0 / values[::-1], vectors[:, ::-1]


def leading(graph, n_vectors, seed):
    """The leading eigenvectors (n, n_vectors) of a normalised affinity, repeated ones included.

    Columns are orthonormal.  With more components than vectors, the largest components get one each.
    """
    n = graph.shape[0]
    K = graph.block(np.arange(n))
    start = np.random.default_rng(seed).standard_normal((n, min(n_vectors + EXTRA, n)))
    values, vectors, _ = top_eigenvectors(lambda S: K @ S, start, min(n_vectors + 1, n), START)
    if n_vectors < n and values[-1] > NEAR_ONE and np.sum(np.bincount(graph.components()) > 1) > n_vectors:
        return spectral_embedding(graph, n_vectors, seed)[1]
    return vectors[:, :n_vectors]
