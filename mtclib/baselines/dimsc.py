"""DiMSC: diversity-induced multi-view subspace clustering (Cao, Zhang, Fu, Liu, Zhang, CVPR 2015)."""

from typing import NamedTuple

import numpy as np

from mtclib.baselines._selfrepresentation import ShiftedSolver, cluster_affinity, spectrum
from mtclib.core.base import Fit, MultiViewClusterer, Traits, stops
from mtclib.core.checks import COUNT, NONNEGATIVE
from mtclib.maths.graphs import knn_affinity
from mtclib.maths.linalg import dense_product
from mtclib.maths.neighbours import ranks
from mtclib.maths.scaling import SCALINGS, scale_views


class DiMSC(MultiViewClusterer):
    r"""Spectral clustering by how well samples represent each other, in ways that differ between views.

    With samples of length 1 in the columns of :math:`X_v`, coefficients :math:`Z_v` of shape (n, n),
    :math:`L_v` the Laplacian of a graph of nearest neighbours, :math:`H = I - 1 1^\top / n`, and weights
    :math:`\sigma` (``smoothness``) and :math:`\delta` (``diversity``), the method minimises

    .. math:: \sum_v \|X_v - X_v Z_v\|^2 + \sigma \sum_v \operatorname{tr}(Z_v L_v Z_v^\top)
        + \delta \sum_{v \ne w} \operatorname{tr}(H Z_v^\top Z_v H Z_w^\top Z_w)

    over ordered pairs of views; the last term is the Hilbert-Schmidt independence criterion with inner
    products, and its factor :math:`(n - 1)^{-2}` is part of ``diversity``.  Given the others, :math:`Z_v`
    solves

    .. math:: X_v^\top X_v Z_v + Z_v \Big(\sigma L_v + 2 \delta \sum_{w \ne v} H Z_w^\top Z_w H\Big)
        = X_v^\top X_v,

    the one of least norm where there are several.  The factor 2 comes from the two orders of a pair.  The
    affinity is the sum of :math:`|Z_v| + |Z_v|^\top`, diagonal included.  Large values of ``diversity`` take
    hundreds of sweeps.

    The method needs no more of a view than its Gram matrix and neighbours, so that sparse views stay sparse.
    Instead of a general Sylvester solver in each update, :math:`X_v^\top X_v` is decomposed once, and the
    right coefficient is reduced to a tridiagonal matrix, for which each row is a solution in :math:`O(n)`.
    An update costs :math:`O(n^3)`.

    This is the compared method "DiMSC" of the LMSC paper, which names neither weights nor graph.  The
    authors' code could not be had; a public port uses weights of 0.01 and 40 on standardised features.

    Time grows as n^3: n up to about 3,000 (ten iterations in two minutes).

    Parameters
    ----------
    n_clusters : int
    smoothness : float >= 0, default 0.1
        Weight of the graphs.  Useful are 0.01 to 1.
    diversity : float >= 0, default 0.1
        Weight of the differences between views.  Useful are 0.01 to 10.
    n_neighbors : int, default 10
        Of the graphs; their weights are :math:`\exp(-d^2 / 2 s^2)` with s the mean distance of neighbours.
    scaling : str, default 'rows'
        Of samples or features, and views; see :func:`mtclib.maths.scaling.scale_views`.
    n_init, seeding : int, and {'greedy', 'plain', 'random'}, default 20 and 'greedy'
        Starts of k-means, and where; see :func:`mtclib.core.starts.best_kmeans`.
    max_iter : int, default 100
        Sweeps over the views.
    tol : float, default 1e-5
        Stop when a sweep lowers the objective by less than this share.
    random_state : None, int, Generator or RandomState
        Of k-means; the coefficients do not depend on it.

    Attributes
    ----------
    labels_ : ndarray of shape (n,), int
    coefficients_ : list of ndarray of shape (n, n)
        :math:`Z_v`.
    affinity_ : ndarray of shape (n, n)
    embedding_ : ndarray of shape (n, n_clusters)
        What k-means saw: rows of unit length, or zero.
    objective_ : ndarray of shape (n_iter,)
        After each sweep; it never rises.
    n_iter_, converged_ : int and bool

    Warns
    -----
    ConstantViewWarning
        If all samples are equal in a view.
    DegenerateSubspaceWarning
        If the affinity falls into more components than clusters.

    References
    ----------
    X. Cao, C. Zhang, H. Fu, S. Liu, H. Zhang. Diversity-induced Multi-view Subspace Clustering. CVPR 2015.

    Examples
    --------
    >>> noise = np.random.default_rng(0).normal(size=(2, 60, 12))
    >>> views = np.kron(np.eye(3), np.ones((20, 4))) + 0.2 * noise
    >>> np.bincount(DiMSC(n_clusters=3, random_state=0).fit(views).labels_).tolist()
    [20, 20, 20]
    """

    traits = Traits(kind="multiview", paper="Cao et al., CVPR 2015", graph=True)
    ALGORITHM_VERSION = 2
    rules = {"smoothness": NONNEGATIVE, "diversity": NONNEGATIVE, "n_neighbors": COUNT, "scaling": SCALINGS}

    def __init__(self, n_clusters, *, smoothness=0.1, diversity=0.1, n_neighbors=10, scaling="rows",
                 n_init=20, max_iter=100, tol=1e-5, seeding="greedy", random_state=None):
        self.n_clusters, self.smoothness, self.diversity = n_clusters, smoothness, diversity
        self.n_neighbors, self.scaling, self.n_init = n_neighbors, scaling, n_init
        self.max_iter, self.tol, self.seeding, self.random_state = max_iter, tol, seeding, random_state

    def _prepare(self, Xs, n_clusters):
        Xs = scale_views(Xs, self.scaling)
        rank, smoothness = ranks(Xs), float(self.smoothness)
        graphs = [knn_affinity(X, self.n_neighbors, rank=rank).toarray() for X in Xs]
        return [View(dense_product(X, X.T), smoothness * (np.diag(W.sum(axis=1)) - W))
                for X, W in zip(Xs, graphs)]

    def _fit_best(self, views, n_clusters, seeds):
        Ys, history, converged = alternate(views, float(self.diversity), self.max_iter, float(self.tol))
        Zs = [view.vectors @ Y.T for view, Y in zip(views, Ys)]
        A = sum(np.abs(Z) for Z in Zs)
        A = A + A.T
        labels, embedding = cluster_affinity(A, n_clusters, seeds, self.seeding)
        return Fit(labels, history, converged, {"affinity_": A, "coefficients_": Zs, "embedding_": embedding})


class View:
    """A view in the eigenbasis of its Gram matrix G = P diag(a) P^T, (n, n), where Z = P Y^T.  ``smooth``,
    (n, n), is the Laplacian times its weight."""

    def __init__(self, G, smooth):
        self.values, self.vectors = spectrum(G)
        self.smooth = smooth
        self.target = self.vectors * self.values

    def update(self, solver, others=(), weight=0.0):
        """The solution of G Z + Z B = G with B = smooth + weight sum K, over the parts of others.  Row i of
        P^T Z is a_i p_i^T (a_i I + B)^-1.  Rows where a_i is 0 would be 0: they are left out."""
        np.copyto(solver.B, self.smooth)
        for other in others:
            solver.B += weight * other.K
        Y = solver.solve(self.values, self.target)
        centred, rest = Y - Y.mean(axis=0), self.vectors - Y
        K = centred @ centred.T
        return Part(Y, K, float(np.einsum("ij,ij->j", rest, rest) @ self.values + np.vdot(K, self.smooth)))


class Part(NamedTuple):
    """Coefficients Z = P Y^T of a view, Y of shape (n, r).  K = H Z^T Z H, (n, n), is all that other views
    need.  ``value`` is |X - X Z|^2 for samples in columns, and the smoothness term, which needs no more than
    K."""

    Y: np.ndarray
    K: np.ndarray
    value: float


def alternate(views, diversity, max_iter, tol):
    """Sweeps over the views until the objective converges, from the optimum without diversity.  Returns Y_v,
    (n, r_v) each, the objective after each sweep, and whether it converged."""
    solver = ShiftedSolver(len(views[0].smooth), max(len(view.values) for view in views))
    # The start of the first view is replaced at once: it matters for nothing but the objective of the start.
    start = [None, *(view.update(solver) for view in views[1:])]
    parts, value, history, converged = start.copy(), None, [], False
    while not converged and len(history) < max_iter:
        for v, view in enumerate(views):
            # Each pair of views stands twice in the sum.
            parts[v] = view.update(solver, parts[:v] + parts[v + 1:], 2.0 * diversity)
            if value is None:
                value = objective(parts, diversity)
        history.append(objective(parts, diversity))
        converged = stops(value, history[-1], tol)
        if converged and len(history) == 1:  # so far, without what the update of the first view gained
            start[0] = views[0].update(solver)
            converged = stops(objective(start, diversity), history[-1], tol)
        value = history[-1]
    return [part.Y for part in parts], history, converged


def objective(parts, diversity):
    """The sum to be minimised, over ordered pairs of views."""
    pairs = sum(np.vdot(parts[v].K, parts[w].K) for v in range(len(parts)) for w in range(v))
    return sum(part.value for part in parts) + 2.0 * diversity * float(pairs)
