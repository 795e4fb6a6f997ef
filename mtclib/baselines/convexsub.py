"""ConvexSub: convex subspace representation of several views (after Guo, AAAI 2013), a reconstruction."""

import warnings

import numpy as np

from mtclib.base import Fit, MultiViewClusterer, Traits
from mtclib.exceptions import DegenerateSubspaceWarning
from mtclib.ridgeprojections import Centred
from mtclib.sharedsubspace import compact, solve
from mtclib.starts import best_kmeans
from mtclib.validation import check_number, check_option
from mtclib.viewscaling import SCALINGS, scale_views


class ConvexSub(MultiViewClusterer):
    """k-means in a subspace that all views share, found by convex optimisation.  A reconstruction.

    Known of the original is its abstract: a common subspace representation with a group-sparsity norm,
    turned by duality into a convex min-max problem with a trace norm, solved by a proximal bundle method.
    The published two-view code of convex multi-view subspace learning (White, Yu, Zhang, Schuurmans, NIPS
    2012) has that shape.  The problem below was derived to have it for any number of views; its relaxation
    for three and more, the solver, scaling, ``alpha`` and the final step are ours.

    Model: X_v = Phi B_v for all centred views with a common Phi, rows of each B_v no longer than 1, and the
    penalty alpha times the sum of the lengths of the columns of Phi, any number of them.  For
    M = (Phi B_1, ..., Phi B_V) the dual norm is the largest |Gamma b| over b with |b_v| <= 1.  Its Lagrangian
    relaxation, exact for up to two views, is the smallest spectral norm of (rho_v^-1/2 Gamma_v) over weights
    rho of the views on the simplex, and gives

        min_M max_rho  sum_v |X_v - M_v|^2 / 2 + alpha |(rho_1^1/2 M_1, ..., rho_V^1/2 M_V)|_trace.

    Its dual, the projection of X onto Gamma_v = rho_v^1/2 Z_v with the spectral norm of Z at most alpha, is
    convex in (Gamma, rho).  See :mod:`mtclib.sharedsubspace` for the solver: its optimum does not depend on a
    start, and the gap to it is known.  One view: principal components with soft-thresholded singular values.

    An iteration costs O(m^3) with m the smaller of the numbers of samples and of all features.

    Parameters
    ----------
    n_clusters : int
        k.
    alpha : float > 0, default 0.3
        Penalty, as a share of the largest singular value of all views side by side.  From the square root of
        the number of views on, nothing is left of the data.
    n_components : int or None, default None
        Columns of Phi that are clustered, largest first; None for k.
    embedding : {'scaled', 'orthonormal'}, default 'scaled'
        Columns of Phi with their lengths, or of length 1.
    scaling : str, default 'variance'
        Of features and views; see :func:`mtclib.viewscaling.scale_views`.
    n_init : int, default 10
        Starts of k-means.
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
        Lengths of the columns of Phi.
    rank_ : int
        Columns of Phi at the optimum.
    view_weights_ : ndarray of shape (n_views,)
        rho.
    gap_ : float
        Bound of the relative distance of ``-objective_[-1]`` to the optimum.
    objective_ : ndarray of shape (n_iter_,)
        Minus the dual objective after each iteration, in units of the squared largest singular value; it
        never rises, and ends at minus the optimum.
    n_iter_ : int
    converged_ : bool

    Warns
    -----
    DegenerateSubspaceWarning
        If nothing is left of the data.

    References
    ----------
    Y. Guo. Convex Subspace Representation Learning from Multi-View Data. AAAI 2013.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> means = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])[np.arange(60) % 3]
    >>> views = [means + rng.normal(size=(60, 2)), means + rng.normal(size=(60, 2))]
    >>> np.bincount(ConvexSub(n_clusters=3, random_state=0).fit(views).labels_).tolist()
    [20, 20, 20]
    """

    traits = Traits(kind="multiview", paper="Guo, AAAI 2013", reconstruction=True)

    def __init__(self, n_clusters, *, alpha=0.3, n_components=None, embedding="scaled", scaling="variance",
                 n_init=10, max_iter=500, tol=1e-5, random_state=None):
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.n_components = n_components
        self.embedding = embedding
        self.scaling = scaling
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _check_parameters(self):
        super()._check_parameters()
        check_number("alpha", self.alpha, low=0, open_low=True)
        check_option("embedding", self.embedding, ("scaled", "orthonormal"))
        check_option("scaling", self.scaling, SCALINGS)
        if self.n_components is not None:
            check_number("n_components", self.n_components, low=1, integer=True)

    def _prepare(self, Xs, n_clusters):
        return compact([Centred(X) for X in scale_views(Xs, self.scaling)])

    def _fit_best(self, problem, n_clusters, seeds):
        basis, As = problem
        found = solve(As, float(self.alpha), self.max_iter, self.tol)
        if not found.rank:
            warnings.warn("nothing is left of the data; lower alpha", DegenerateSubspaceWarning, stacklevel=2)
        columns = min(self.n_components or n_clusters, max(found.rank, 1))
        lengths = found.singular_values[:columns] * (found.rank > 0)
        Z = basis @ (found.vectors[:, :columns] * (lengths if self.embedding == "scaled" else lengths > 0.0))
        Z /= np.maximum(np.linalg.norm(Z, axis=1, keepdims=True), 1e-12)
        model = best_kmeans(Z, n_clusters, seeds)
        return Fit(model.labels_.astype(np.intp), found.history, found.gap <= self.tol, {
            "embedding_": Z, "singular_values_": lengths, "rank_": found.rank,
            "view_weights_": found.weights, "gap_": found.gap})
