"""ConvexSub: convex subspace representation of several views (after Guo, AAAI 2013), a reconstruction.

The subspace solves ``min_M max_rho |X - M|^2 / 2 + alpha |(rho_v^1/2 M_v)|_trace``, and its gap is known.

In the dual, Z moves by projected gradient steps with extrapolation, and the weights are exact for each Z.
Each of the two is a minimisation over a convex set, so that the distance never rises, and a point where
neither moves is stationary.  For positive weights Z -> Gamma is one to one, and in (Gamma, rho) the problem
is convex: a stationary point is the optimum.  Whatever the way, a certificate bounds the distance to it.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import brentq

from mtclib.core.base import DegenerateSubspaceWarning, Fit, MultiViewClusterer, Traits, stops
from mtclib.core.checks import COUNT_OR_NONE, POSITIVE
from mtclib.core.errors import tell
from mtclib.core.starts import best_kmeans
from mtclib.maths.eigen import end_of_spectrum
from mtclib.maths.linalg import unit_rows
from mtclib.maths.projections import Centred
from mtclib.maths.scaling import SCALINGS, scale_views

# Singular values below this share of the largest are rounding.
NULL = 1e-7


def compact(views):
    """Coordinates of all centred views in one orthonormal basis of no more columns than samples or features.

    Returns the basis, (n, m), and A_v, (m, q_v) each: X_v = basis A_v up to rotations of the features, and
    divided by the largest singular value of all A_v side by side, which is then 1.
    """
    n = views[0].shape[0]
    basis, As = _by_samples(views, n) if n <= sum(view.shape[1] for view in views) else _by_features(views)
    A = np.hstack(As)
    largest = end_of_spectrum(A @ A.T, 1)[0][0] if A.size else 0.0
    return basis, [A / (largest**0.5 if largest > 0 else 1.0) for A in As]


def _by_samples(views, n):
    return np.eye(n), [view.dense() * view.largest if view.shape[1] < n else _rotated(view) for view in views]


def _rotated(view):
    lengths, Q = _spectrum(view.gram(), view.rounding)
    return Q * (lengths * view.largest)


def _by_features(views):
    gram = np.block([[v.cross(w) * v.largest * w.largest for w in views] for v in views])
    lengths, Q = _spectrum(gram, sum(view.rounding * view.largest**2 for view in views))
    ends = np.cumsum([view.shape[1] for view in views])[:-1]
    inverse = Q / np.where(lengths > 0.0, lengths, np.inf)
    basis = sum(view.largest * view.times(part) for view, part in zip(views, np.split(inverse, ends)))
    return basis, np.split(lengths[:, None] * Q.T, ends, axis=1)


def _spectrum(gram, rounding):
    """Square roots of the eigenvalues, and their vectors, without those that are rounding; at least one."""
    squares, Q = eigh(gram)
    kept = squares > max(NULL**2 * squares[-1], rounding)
    kept[-1] = True
    return np.sqrt(np.where(squares > rounding, squares, 0.0)[kept]), Q[:, kept]


@dataclass(frozen=True)
class Solution:
    """Solution of the convex problem.

    ``vectors`` (m, r) are the columns of Phi, of length 1, by descending ``singular_values`` (r,); ``rank``
    is that at the optimum: the other values vanish as the ``gap`` does.  ``weights`` has one entry per view.
    """

    vectors: np.ndarray
    singular_values: np.ndarray
    rank: int
    weights: np.ndarray
    history: list
    gap: float


def solve(As, alpha, max_iter, tol, weights=None):
    """The Solution of the convex problem for views A_v, (m, q_v) each, from any positive weights.

    ``tol`` is a relative duality gap; ``weights``, one per view, are the start, equal ones for None.
    """
    problem = Projection(As, alpha)
    roots = np.sqrt(np.full(len(As), 1.0 / len(As)) if weights is None else weights)
    Z, rank = problem.clip(problem.X / problem.spread(roots))
    roots = problem.best_roots(Z, roots)
    before, momentum, history, gap = Z, 1.0, [problem.value(Z, roots)], np.inf
    while gap > tol and len(history) <= max_iter:
        following = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        new, rank = problem.step(Z + (momentum - 1.0) / following * (Z - before), roots)
        if problem.value(new, roots) > history[-1]:
            following = 1.0
            new, rank = problem.step(Z, roots)
        before, Z, momentum = Z, new, following
        roots = problem.best_roots(Z, roots)
        history.append(problem.value(Z, roots))
        if stops(history[-2], history[-1], tol) and problem.least_gap(Z, roots) <= tol:
            vectors, lengths, gap = problem.certificate(Z, roots)
    if gap > tol:
        vectors, lengths, gap = problem.certificate(Z, roots)
    return Solution(vectors, lengths, rank, roots**2, history[1:], gap)


def _root(falling, low, high):
    """Where a falling function is 0; rounding can put that onto an end, or just beyond."""
    if falling(low) <= 0.0:
        return low
    return high if falling(high) >= 0.0 else brentq(falling, low, high, rtol=1e-14)


class Projection:
    """Projection of X onto Gamma_v = s_v Z_v with |s| = 1 and the spectral norm of Z at most alpha.

    All arrays hold the views A_v, (m, q_v), side by side, shape (m, q); s_v^2 is the weight rho_v.
    """

    def __init__(self, As, alpha):
        self.X, self.alpha, self.n_views = np.hstack(As), alpha, len(As)
        self.owner = np.repeat(np.arange(len(As)), [A.shape[1] for A in As])
        self.total = 0.5 * np.sum(self.X**2)
        self.polar = np.zeros_like(self.X)  # of spectral norm 1, from the last certificate

    def spread(self, values):
        """The value of its view for each column."""
        return values[self.owner]

    def by_view(self, entries):
        """Sums over the entries of each view."""
        return np.bincount(self.owner, weights=entries.sum(axis=0), minlength=self.n_views)

    def value(self, Z, roots):
        """|X - Gamma|^2 / 2 - |X|^2 / 2: minus the dual objective."""
        return 0.5 * np.sum((self.X - Z * self.spread(roots)) ** 2) - self.total

    def clip(self, Z):
        """Z with singular values of at most alpha, and how many were larger."""
        squares, Q = eigh(Z @ Z.T, subset_by_value=[self.alpha**2, np.inf])
        return Z - (Q * (1.0 - self.alpha / np.sqrt(squares))) @ (Q.T @ Z), len(squares)

    def step(self, Z, roots):
        """Projected gradient step of length 1 / max_v s_v^2."""
        factors = self.spread(roots)
        return self.clip(Z + (self.X - Z * factors) * (factors / np.max(roots) ** 2))

    def best_roots(self, Z, roots):
        """The s of length 1 that minimise the distance for given Z.

        With a_v = |Z_v|^2 and b_v = <Z_v, X_v> it is s_v = b_v / (a_v + mu), and mu makes the length 1.
        """
        a, b = self.by_view(Z**2), np.maximum(self.by_view(Z * self.X), 0.0)
        used = b > 0.0
        if not used.any():
            return roots
        a, b = a[used], b[used]
        best = np.zeros(self.n_views)
        best[used] = b / (a + _root(lambda mu: np.sum((b / (a + mu)) ** 2) - 1.0,
                                    np.max(b - a), np.linalg.norm(b) - np.min(a)))
        return best / np.linalg.norm(best)

    def certificate(self, Z, roots):
        """Left singular vectors and values of the primal point, and its relative gap to the dual value.

        For any positive definite W the norm of M is at most (tr W + max_v tr M_v^T W^-1 M_v) / 2; equal to it
        for W = (sum_v rho_v M_v M_v^T)^(1/2) and the best rho.
        """
        factors = self.spread(roots)
        M = self.X - Z * factors
        Q = eigh((M * factors) @ (M * factors).T)[1][:, ::-1]
        parts = Q.T @ M
        squares = parts**2
        # Not the roots of the eigenvalues, which are off by 1e-8 of the largest.
        lengths = np.sqrt(squares @ factors**2)
        with np.errstate(divide="ignore"):
            inner = self.by_view(np.divide(squares, lengths[:, None], out=np.zeros_like(squares),
                                           where=squares > 0.0))
        used = lengths > NULL * lengths.max()
        self.polar = (Q[:, used] / lengths[used]) @ (parts[used] * factors)
        primal = 0.5 * np.sum((self.X - M) ** 2) + 0.5 * self.alpha * (lengths.sum() + inner.max())
        return Q, lengths, float((primal + self.value(Z, roots)) / (primal or 1.0))

    def least_gap(self, Z, roots):
        """A bound from below of what a certificate would find, without a decomposition: the trace norm is no
        less than the inner product with any matrix of spectral norm 1.
        """
        fitted = Z * self.spread(roots)
        weighted = (self.X - fitted) * self.spread(roots)
        primal = 0.5 * np.sum(fitted**2) + self.alpha * np.sum(weighted * self.polar)
        return (primal + self.value(Z, roots)) / (primal or 1.0)


class ConvexSub(MultiViewClusterer):
    r"""k-means in a subspace that all views share, found by convex optimisation.  A reconstruction.

    Known of the original is its abstract: a common subspace representation with a group-sparsity norm,
    turned by duality into a convex min-max problem with a trace norm, solved by a proximal bundle method.
    The published two-view code of convex multi-view subspace learning (White, Yu, Zhang, Schuurmans, NIPS
    2012) has that shape.  The problem below was derived to have it for any number of views; its relaxation
    for three and more, the solver, scaling, ``alpha`` and the final step are ours.

    The model is :math:`X_v = \Phi B_v` for all centred views with a common :math:`\Phi`, rows of each
    :math:`B_v` no longer than 1, and the penalty :math:`\alpha` times the sum of the lengths of the columns
    of :math:`\Phi`, any number of them.  For :math:`M = (\Phi B_1, \dots, \Phi B_V)` the dual norm is the
    largest :math:`\|\Gamma b\|` over b with :math:`\|b_v\| \le 1`.  Its Lagrangian relaxation, exact for up
    to two views, is the smallest spectral norm of :math:`(\rho_v^{-1/2} \Gamma_v)_v` over weights
    :math:`\rho` of the views on the simplex, and gives

    .. math:: \min_M \max_\rho\ \tfrac{1}{2} \sum_v \|X_v - M_v\|^2
        + \alpha \big\|\big(\rho_1^{1/2} M_1, \dots, \rho_V^{1/2} M_V\big)\big\|_{\mathrm{tr}}.

    Its dual, the projection of :math:`X` onto :math:`\Gamma_v = \rho_v^{1/2} Z_v` with the spectral norm of
    :math:`Z` at most :math:`\alpha`, is convex in :math:`(\Gamma, \rho)`.  The optimum does not depend on a
    start, and the gap to it is known.  One view: principal components with soft-thresholded singular values.

    An iteration costs :math:`O(m^3)` with m the smaller of the numbers of samples and of all features.

    Parameters
    ----------
    n_clusters : int
        :math:`k`.
    alpha : float > 0, default 0.3
        Penalty, as a share of the largest singular value of all views side by side.  From the square root of
        the number of views on, nothing is left of the data.
    n_components : int or None, default None
        Columns of :math:`\Phi` that are clustered, largest first; None for k.
    embedding : {'scaled', 'orthonormal'}, default 'scaled'
        Columns of :math:`\Phi` with their lengths, or of length 1.
    scaling : str, default 'variance'
        Of features and views; see :func:`mtclib.maths.scaling.scale_views`.
    n_init, seeding : int, and {'greedy', 'plain', 'random'}, default 10 and 'greedy'
        Starts of k-means, and where; see :func:`mtclib.core.starts.best_kmeans`.
    max_iter : int, default 500
    tol : float, default 1e-5
        Stop when the duality gap is no more than this share of the optimum.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    labels_ : ndarray of shape (n,), int
    embedding_ : ndarray of shape (n, h)
        What k-means saw: rows of unit length, or zero.
    singular_values_ : ndarray of shape (h,)
        Lengths of the columns of :math:`\Phi`.
    rank_ : int
        Columns of :math:`\Phi` at the optimum.
    view_weights_ : ndarray of shape (n_views,)
        :math:`\rho`.
    gap_ : float
        Bound of the relative distance of ``-objective_[-1]`` to the optimum.
    objective_ : ndarray of shape (n_iter,)
        Minus the dual objective after each iteration, in units of the squared largest singular value; it
        never rises, and ends at minus the optimum.
    n_iter_, converged_ : int and bool

    Warns
    -----
    ConstantViewWarning, DegenerateSubspaceWarning
        If all samples are equal in a view; if nothing is left of the data.

    References
    ----------
    Y. Guo. Convex Subspace Representation Learning from Multi-View Data. AAAI 2013.

    Examples
    --------
    >>> views = 6 * np.eye(3)[np.arange(60) % 3] + np.random.default_rng(0).normal(size=(2, 60, 3))
    >>> np.bincount(ConvexSub(n_clusters=3, random_state=0).fit(views).labels_).tolist()
    [20, 20, 20]
    """

    traits = Traits(kind="multiview", paper="Guo, AAAI 2013", reconstruction=True)
    rules = {"alpha": POSITIVE, "embedding": ("scaled", "orthonormal"), "scaling": SCALINGS,
             "n_components": COUNT_OR_NONE}

    def __init__(self, n_clusters, *, alpha=0.3, n_components=None, embedding="scaled", scaling="variance",
                 n_init=10, max_iter=500, tol=1e-5, seeding="greedy", random_state=None):
        self.n_clusters, self.alpha, self.n_components = n_clusters, alpha, n_components
        self.embedding, self.scaling, self.n_init = embedding, scaling, n_init
        self.max_iter, self.tol, self.seeding = max_iter, tol, seeding
        self.random_state = random_state

    def _prepare(self, Xs, n_clusters):
        return compact([Centred(X) for X in scale_views(Xs, self.scaling)])

    def _fit_best(self, problem, n_clusters, seeds):
        basis, As = problem
        found = solve(As, float(self.alpha), self.max_iter, self.tol)
        if not found.rank:
            tell("nothing is left of the data; lower alpha", DegenerateSubspaceWarning)
        columns = min(self.n_components or n_clusters, max(found.rank, 1))
        lengths = found.singular_values[:columns] * (found.rank > 0)
        Z = basis @ (found.vectors[:, :columns] * (lengths if self.embedding == "scaled" else lengths > 0.0))
        Z = unit_rows(Z)
        model = best_kmeans(Z, n_clusters, seeds, seeding=self.seeding)
        return Fit(model.labels_.astype(np.intp), found.history, found.gap <= self.tol, {
            "embedding_": Z, "singular_values_": lengths, "rank_": found.rank,
            "view_weights_": found.weights, "gap_": found.gap})
