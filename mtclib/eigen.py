"""Leading eigenvectors of symmetric operators by blocks: warm starts, repeated eigenvalues, known accuracy.

Lanczos methods with one start vector meet each repeated eigenvalue once.  A block meets an eigenvalue as
often as it has columns, and can start from what is already known.
"""

import numpy as np
from scipy.linalg import eigh, svd

SMALL = 300
LARGEST_DENSE = 10_000
EXPANSIONS = 200
# Directions of a block of residuals below this share of the largest are combinations of the others.
DEPENDENT = 1e-8
ROUNDING = 1e-13


def top_eigenvectors(product, start, n_vectors, tol=1e-8):
    """Eigenpairs of the largest eigenvalues of a symmetric operator, by Rayleigh-Ritz in a growing space.

    The space begins with ``start`` and grows by the residuals of the wanted pairs.  The sum of the values is
    never below that of any ``n_vectors`` orthonormal columns in the span of ``start``.  A direction that is
    orthogonal to the start, and to all that the operator makes of it, cannot be found: the start must not
    miss a leading eigenvector.

    Parameters
    ----------
    product : callable
        Takes an array of shape (n, h) and returns the operator times it.
    start : ndarray of shape (n, w)
        At least ``n_vectors`` columns; they may depend on each other.
    n_vectors : int
        At most n.
    tol : float
        Frobenius norm of the residuals A U - U diag(values) at which the iteration ends; no less than the
        rounding of the products.

    Returns
    -------
    values : ndarray of shape (n_vectors,)
        Descending.  Each is within the norm of its residual of an eigenvalue.
    vectors : ndarray of shape (n, n_vectors)
        Orthonormal columns.
    next_value : float
        A lower bound of the largest eigenvalue not returned; -inf if there is none.

    Raises
    ------
    FloatingPointError
        No convergence, and n is beyond 10,000, too large for a dense decomposition.

    Examples
    --------
    >>> values, vectors, following = top_eigenvectors(lambda S: np.diag([3.0, 1.0, 2.0]) @ S, np.eye(3), 2)
    >>> values.round(6).tolist(), round(following, 6)
    ([3.0, 2.0], 1.0)
    """
    n, width = start.shape
    if n > max(SMALL, 4 * width):
        found = _expand(product, start, n_vectors, tol)
        if found is not None:
            return found
        if n > LARGEST_DENSE:
            raise FloatingPointError(f"the leading {n_vectors} eigenvectors of {n} samples did not converge: "
                                     f"eigenvalues nearly coincide; ask for another number of clusters or "
                                     f"components, or use fewer samples")
    A = product(np.eye(n))
    first = max(n - n_vectors - 1, 0)
    values, vectors = eigh((A + A.T) / 2, subset_by_index=[first, n - 1])
    return _ordered(values, vectors, n_vectors)


def _ordered(values, vectors, n_vectors):
    following = float(values[-n_vectors - 1]) if len(values) > n_vectors else -np.inf
    return values[::-1][:n_vectors], vectors[:, ::-1][:, :n_vectors], following


def _expand(product, start, n_vectors, tol):
    """As above, or None without convergence."""
    S = np.linalg.qr(start)[0]
    AS = product(S)
    H = S.T @ AS
    widest = min(S.shape[1] + 20 * n_vectors, S.shape[0] // 2)
    for _ in range(EXPANSIONS):
        if S.shape[1] > widest:
            S, AS, H = _contract(S, AS, H, start.shape[1] + n_vectors)
        first = max(len(H) - n_vectors - 1, 0)
        values, C = eigh((H + H.T) / 2, subset_by_index=[first, len(H) - 1])
        wanted = C[:, -n_vectors:]
        U = S @ wanted
        residuals = AS @ wanted - U * values[-n_vectors:]
        sizes = np.linalg.norm(residuals, axis=0)
        accuracy = max(tol, ROUNDING * np.abs(values).max())
        if np.linalg.norm(sizes) <= accuracy:
            return _ordered(values, U, n_vectors)
        large = sizes > 0.1 * accuracy / n_vectors**0.5
        new = _new_directions(residuals[:, large] / sizes[large], S)
        products = product(new)
        S, AS = np.hstack([S, new]), np.hstack([AS, products])
        border = S.T @ products
        H = np.block([[H, border[:len(H)]], [border[:len(H)].T, border[len(H):]]])
    return None


def _contract(S, AS, H, width):
    """The leading Ritz vectors alone."""
    values, C = eigh((H + H.T) / 2, subset_by_index=[len(H) - width, len(H) - 1])
    return S @ C, AS @ C, np.diag(values)


def _new_directions(R, S):
    """Orthonormal basis of the columns of R without their part in the span of S."""
    left, sizes, _ = svd(R - S @ (S.T @ R), full_matrices=False)
    left = left[:, sizes > DEPENDENT * sizes[0]]
    return np.linalg.qr(left - S @ (S.T @ left))[0]
