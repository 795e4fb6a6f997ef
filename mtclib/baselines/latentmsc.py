"""LatentMSC: latent multi-view subspace clustering (Zhang, Hu, Fu, Zhu, Cao, CVPR 2017)."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh

from mtclib.baselines._selfrepresentation import cluster_affinity, spectrum
from mtclib.core.base import Fit, MultiViewClusterer, Traits
from mtclib.core.checks import COUNT_OR_NONE, POSITIVE
from mtclib.maths.linalg import dense_product, polar
from mtclib.maths.scaling import SCALINGS, scale_views

# Penalty of the multiplier method: start, growth, limit.
MU, GROWTH, LARGEST_MU = 1e-4, 1.2, 1e6
RIDGE = 1e-6
# Singular values above this share of the norm come out of A^T A to ten digits of the norm.
EXACT = 1e-6


class LatentMSC(MultiViewClusterer):
    r"""Spectral clustering by how well samples represent each other in a space from which all views come.

    With samples in columns and scaled to length 1 in each view, :math:`M` all views of shape (d, n) on top of
    each other, :math:`P` of shape (d, h), a latent :math:`H` of shape (h, n) and coefficients :math:`Z` of
    shape (n, n), the method minimises

    .. math:: \left\|\begin{pmatrix} M - P H \\ H - H Z \end{pmatrix}\right\|_{2,1}
        + \lambda \|Z\|_{\mathrm{tr}} \quad \text{subject to} \quad P^\top P = I,

    where the first norm is the sum of the lengths of the columns of both residuals on top of each other.  It
    starts from a random :math:`H` and takes one step for each block of the augmented Lagrangian in a sweep,
    with a penalty that grows from 1e-4 by 1.2 per sweep.  The affinity is :math:`|Z| + |Z|^\top`.  With many
    components and a small ``lam`` the optimum is near :math:`Z = I`, which says nothing about clusters.

    This is the compared method "LRMSC" of the LMSC paper, which cites a generalised form with networks, but
    names the function of the code of the linear one.  That code has h = 100, lam = 0.1, 100 sweeps, and hands
    its equation for :math:`H` to a solver of :math:`A H + H B + C = 0` where :math:`A H + H B = C` is
    stationary: the sign of :math:`H` is wrong in each sweep.  ``sign='released'`` does the same.  It is no
    minimisation: its objective ends at about that of :math:`H = 0`, or above; what it leaves in :math:`Z`
    still tells clusters apart, in some data better than the optimum does.

    The steps do not change under rotations of the features.  :math:`M` is therefore replaced by a square root
    of the sum of the Gram matrices of the views: sparse views stay sparse, and the cost of a sweep,
    :math:`O(n^3)`, does not depend on their features.

    Time grows as n^3: n up to about 5,000 (ten iterations in two minutes).

    Parameters
    ----------
    n_clusters : int
        :math:`k`.
    lam : float > 0, default 1.0
        Useful are 0.01 to 10.
    n_components : int or None, default None
        :math:`h`; None for 2 k.  No more than n - 1, nor than the rank of :math:`M`, are used: :math:`P`
        would not be determined.
    sign : {'correct', 'released'}, default 'correct'
        Of H, see above.
    scaling : str, default 'rows'
        As in :class:`mtclib.baselines.DiMSC`.
    n_init, seeding : int, and {'greedy', 'plain', 'random'}, default 20 and 'greedy'
        Starts of k-means, and where; see :func:`mtclib.core.starts.best_kmeans`.
    max_iter : int, default 200
        Sweeps.
    tol : float, default 1e-6
        Stop when no constraint is violated by more than this (Frobenius norm).
    random_state : None, int, Generator or RandomState
        Of the start of :math:`H` and of k-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n,), int
    coefficients_ : ndarray of shape (n, n)
        :math:`Z`.
    latent_ : ndarray of shape (n, h)
        :math:`H` with samples in rows.
    affinity_ : ndarray of shape (n, n)
    embedding_ : ndarray of shape (n, k)
        What k-means saw: rows of unit length, or zero.
    objective_ : ndarray of shape (n_iter,)
        The sum above after each sweep, with the trace norm of the thresholded copy of :math:`Z`.  It may
        rise: the multiplier method approaches its constraints from outside.
    n_iter_, converged_ : int and bool

    Warns
    -----
    ConstantViewWarning, DegenerateSubspaceWarning
        As in :class:`mtclib.baselines.DiMSC`.

    References
    ----------
    C. Zhang, Q. Hu, H. Fu, P. Zhu, X. Cao. Latent Multi-view Subspace Clustering. CVPR 2017.

    Examples
    --------
    >>> noise = np.random.default_rng(0).normal(size=(2, 60, 12))
    >>> views = np.kron(np.eye(3), np.ones((20, 4))) + 0.2 * noise
    >>> np.bincount(LatentMSC(n_clusters=3, random_state=0).fit(views).labels_).tolist()
    [20, 20, 20]
    """

    traits = Traits(kind="multiview", paper="Zhang et al., CVPR 2017", monotone=False)
    rules = {"lam": POSITIVE, "sign": ("correct", "released"), "scaling": SCALINGS,
             "n_components": COUNT_OR_NONE}

    def __init__(self, n_clusters, *, lam=1.0, n_components=None, sign="correct", scaling="rows",
                 n_init=20, max_iter=200, tol=1e-6, seeding="greedy", random_state=None):
        self.n_clusters, self.lam, self.n_components = n_clusters, lam, n_components
        self.sign, self.scaling, self.n_init, self.max_iter = sign, scaling, n_init, max_iter
        self.tol, self.seeding, self.random_state = tol, seeding, random_state

    def _prepare(self, Xs, n_clusters):
        return root(scale_views(Xs, self.scaling))

    def _fit_best(self, R, n_clusters, seeds):
        width = min(self.n_components or 2 * n_clusters, len(R), max(R.shape[1] - 1, 1))
        H = np.random.default_rng(seeds[0]).random((width, R.shape[1]))
        sign = {"correct": 1.0, "released": -1.0}[self.sign]
        model, history, converged = solve(R, H, float(self.lam), sign, self.max_iter, float(self.tol))
        A = np.abs(model.Z) + np.abs(model.Z).T
        labels, embedding = cluster_affinity(A, n_clusters, seeds, self.seeding)
        return Fit(labels, history, converged, {
            "affinity_": A, "coefficients_": model.Z, "latent_": model.H.T, "embedding_": embedding})


def root(Xs):
    """All views side by side, samples in columns, up to a rotation of the features: (rank, n).  One row of
    zeros if all samples are zero."""
    squares, Q = spectrum(sum(dense_product(X, X.T) for X in Xs))
    return np.sqrt(squares)[:, None] * Q.T if squares.size else np.zeros((1, len(Q)))


@dataclass
class Model:
    """What a sweep changes: H (h, n), Z and its copy J of small rank (n, n), errors and multipliers.  Eh
    (m, n) and Er (h, n) are the errors of M = P H and H = H Z; Yh, Yr and Yz the multipliers of these two and
    of J = Z."""

    H: np.ndarray
    Z: np.ndarray
    J: np.ndarray
    Eh: np.ndarray
    Er: np.ndarray
    Yh: np.ndarray
    Yr: np.ndarray
    Yz: np.ndarray


def threshold_singular_values(A, tau):
    """The J that minimises tau |J|_trace + |J - A|^2 / 2, and its trace norm.  Through the eigenvectors of
    A^T A, in half the time, where that is exact enough."""
    size = np.linalg.norm(A)
    if size <= tau:
        return np.zeros_like(A), 0.0
    if tau < EXACT * size:
        U, lengths, Vt = np.linalg.svd(A)
        lengths = np.maximum(lengths - tau, 0.0)
        return (U * lengths) @ Vt, float(lengths.sum())
    squares, V = eigh(A.T @ A, driver="evd", check_finite=False, overwrite_a=True)
    first = np.searchsorted(squares, tau**2, side="right")
    lengths, V = np.sqrt(squares[first:]), V[:, first:]
    return (A @ (V * (1.0 - tau / lengths))) @ V.T, float(np.sum(lengths - tau))


def update_latent(model, R, P, mu, sign):
    """H from mu P^T P H + H (mu (I - Z)(I - Z)^T + ridge) = C; as P^T P = I, that is one Cholesky solve."""
    T = np.eye(len(model.Z)) - model.Z
    right = mu * (T @ T.T)
    right[np.diag_indices_from(right)] += mu + RIDGE
    C = P.T @ (model.Yh + mu * (R - model.Eh)) + (mu * model.Er - model.Yr) @ T.T
    factor = cho_factor(right, check_finite=False, overwrite_a=True)
    return sign * cho_solve(factor, C.T, check_finite=False).T


def update_coefficients(model, mu):
    """Z = (I + H^T H)^-1 (N + H^T T) by the Woodbury identity, N + H^T (I + H H^T)^-1 (T - H N)."""
    H, N, T = model.H, model.J + model.Yz / mu, model.H - model.Er + model.Yr / mu
    left = H @ H.T
    left[np.diag_indices_from(left)] += 1.0
    return N + H.T @ cho_solve(cho_factor(left, check_finite=False), T - H @ N, check_finite=False)


def column_lengths(*parts):
    """Of the columns of several arrays on top of each other."""
    return np.sqrt(sum(np.einsum("ij,ij->j", part, part) for part in parts))


def sweep(model, R, lam, mu, sign):
    """One step for each block and the multipliers; returns the objective and the largest violation."""
    P = polar((model.Yh / mu + R - model.Eh) @ model.H.T)
    model.H = update_latent(model, R, P, mu, sign)
    model.J, norm = threshold_singular_values(model.Z - model.Yz / mu, lam / mu)
    model.Z = update_coefficients(model, mu)
    Fh, Fr = R - P @ model.H, model.H - model.H @ model.Z
    Gh, Gr = Fh + model.Yh / mu, Fr + model.Yr / mu
    lengths = mu * column_lengths(Gh, Gr)
    kept = 1.0 - 1.0 / np.maximum(lengths, 1.0)
    model.Eh, model.Er = kept * Gh, kept * Gr
    model.Yh, model.Yr = mu * (Gh - model.Eh), mu * (Gr - model.Er)
    model.Yz = model.Yz + mu * (model.J - model.Z)
    gaps = Fh - model.Eh, Fr - model.Er, model.J - model.Z
    return float(column_lengths(Fh, Fr).sum() + lam * norm), max(map(np.linalg.norm, gaps))


def solve(R, H, lam, sign, max_iter, tol):
    """Sweeps until no constraint is violated by more than ``tol``: Model, history, converged.  R has shape
    (m, n); the start H (h, n), h <= m; ``sign`` is 1.0 or -1.0."""
    n, no_errors, no_rests = R.shape[1], np.zeros_like(R), np.zeros_like(H)
    nothing = np.zeros((n, n))
    model = Model(H, nothing, nothing, no_errors, no_rests, no_errors, no_rests, nothing)
    mu, history, gap = MU, [], np.inf
    while not gap <= tol and len(history) < max_iter:
        value, gap = sweep(model, R, lam, mu, sign)
        history.append(value)
        mu = min(GROWTH * mu, LARGEST_MU)
    return model, history, bool(gap <= tol)
