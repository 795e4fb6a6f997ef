"""CCAClustering: k-means on canonical variates (Chaudhuri, Kakade, Livescu, Sridharan, ICML 2009)."""

import numpy as np

from mtclib.core.base import DegenerateSubspaceWarning, Fit, MultiViewClusterer, Traits
from mtclib.core.checks import COUNT_OR_NONE, NONNEGATIVE, Named, check_number
from mtclib.core.errors import tell
from mtclib.core.starts import best_kmeans
from mtclib.maths.eigen import EXTRA, top_eigenvectors
from mtclib.maths.projections import projection
from mtclib.maths.scaling import SCALINGS, scale_views

ACCURACY = 1e-8
# Smaller eigenvalues are rounding.
NULL = 1e-12


class CCAClustering(MultiViewClusterer):
    r"""k-means in the subspace where the views correlate most.

    Two views: canonical correlation analysis with ridge penalties.  With :math:`S_{vw} = X_v^\top X_w` for
    centred views and :math:`r_v` the product of ``ridge`` and the largest eigenvalue of :math:`S_{vv}`, the
    directions solve

    .. math:: \max_{w_1, w_2}\ w_1^\top S_{12} w_2 \quad \text{subject to} \quad
        w_v^\top (S_{vv} + r_v I) w_v = 1.

    Any other number of views: MAXVAR generalised CCA, whose common variates are the leading eigenvectors of
    the sum of the ridge projections

    .. math:: X_v (S_{vv} + r_v I)^{-1} X_v^\top.

    Without a ridge it agrees with CCA for two views.  One view gives its principal components, each scaled to
    a length of at most 1.

    This is the compared method "CCA" of the MSPL paper, which names neither ridge nor the projected view.
    Without a ridge, views with at least as many features as samples correlate perfectly in every direction
    and the result is arbitrary.  Views are never turned into dense (n, d_v) arrays where they are sparse;
    beyond 5,000 samples and features the ridge systems are solved by conjugate gradients.

    Parameters
    ----------
    n_clusters : int
        k.
    n_components : int or None, default None
        Directions; None for k - 1, as in the paper, and at least 1.
    ridge : float >= 0, default 0.1
    project : 'mean' or int, default 'mean'
        What is clustered: the mean of the variates of all views, or those of one view, counted from 0, as in
        the paper.
    scaling : str, default 'none'
        Of features and views, before all else; see :func:`mtclib.maths.scaling.scale_views`.
    n_init, max_iter, seeding : int, int, and {'greedy', 'plain', 'random'}, default 10, 300 and 'greedy'
        Starts of k-means, its iterations, and where it starts; see :func:`mtclib.core.starts.best_kmeans`.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    labels_ : ndarray of shape (n,), int
    embedding_ : ndarray of shape (n, n_components)
        Fewer columns where the views have too small a rank.
    variates_ : list of ndarray of shape (n, n_components)
        The centred views times :math:`w_v`.
    correlations_ : ndarray of shape (n_components,)
        Descending.  Two views: the canonical correlations, :math:`w_1^\top S_{12} w_2`.  Otherwise the
        eigenvalues, from 0 to the number of views.
    objective_ : ndarray of shape (1,)
        Inertia of k-means; there is no history.
    n_iter_, converged_ : int and bool
        Of k-means.

    Warns
    -----
    DegenerateSubspaceWarning
        If the last direction is not determined, as the next one correlates as much, or if there is none.

    References
    ----------
    K. Chaudhuri, S. Kakade, K. Livescu, K. Sridharan. Multi-View Clustering via Canonical Correlation
    Analysis. ICML 2009.  J. R. Kettenring. Canonical analysis of several sets of variables. Biometrika 1971.

    Examples
    --------
    >>> views = 6 * np.eye(3)[np.arange(60) % 3] + np.random.default_rng(0).normal(size=(2, 60, 3))
    >>> np.bincount(CCAClustering(n_clusters=3, random_state=0).fit(views).labels_).tolist()
    [20, 20, 20]
    """

    traits = Traits(kind="multiview", paper="Chaudhuri et al., ICML 2009", monotone=False)
    rules = {"ridge": NONNEGATIVE, "scaling": SCALINGS, "project": Named(("mean",)),
             "n_components": COUNT_OR_NONE}

    def __init__(self, n_clusters, *, n_components=None, ridge=0.1, project="mean", scaling="none", n_init=10,
                 max_iter=300, seeding="greedy", random_state=None):
        self.n_clusters, self.n_components, self.ridge = n_clusters, n_components, ridge
        self.project, self.scaling, self.n_init = project, scaling, n_init
        self.max_iter, self.seeding, self.random_state = max_iter, seeding, random_state

    def _check_input(self, Xs):
        Xs, n_clusters = super()._check_input(Xs)
        if not isinstance(self.project, str):
            check_number("project", self.project, low=0, high=len(Xs) - 1, integer=True)
        widths = [X.shape[1] for X in Xs]
        most = min(min(widths) if len(Xs) == 2 else sum(widths), Xs[0].shape[0] - 1)
        if self.n_components is not None and self.n_components > most:
            raise ValueError(f"n_components is {self.n_components}, but {len(Xs)} view(s) of this size have "
                             f"only {most} direction(s); lower it")
        return Xs, n_clusters

    def _prepare(self, Xs, n_clusters):
        Xs = Xs if self.scaling == "none" else scale_views(Xs, self.scaling)
        return [projection(X, float(self.ridge)) for X in Xs]

    def _fit_best(self, projections, n_clusters, seeds):
        p = self.n_components or max(1, n_clusters - 1)
        find = canonical_variates if len(projections) == 2 else maxvar_variates
        # Correlations fall as the ridge grows, and are to be near 1; a power of two changes no digit.
        variates, correlations = find(projections, p, seeds[0], 2.0 ** int(np.log2(max(self.ridge, 1.0))))
        Z = sum(variates) / len(variates) if isinstance(self.project, str) else variates[self.project]
        # k-means needs a column.
        model = best_kmeans(Z if Z.size else np.zeros((len(Z), 1)), n_clusters, seeds, self.max_iter,
                            self.seeding)
        return Fit(model.labels_.astype(np.intp), [float(model.inertia_)], model.n_iter_ < self.max_iter, {
            "embedding_": Z, "variates_": variates, "correlations_": correlations,
            "n_iter_": int(model.n_iter_)})


def canonical_variates(projections, n_components, seed, unit=1.0):
    """Ridge CCA of two views: variates of both, (n, <= n_components), and their correlations, descending.
    With L_v L_v^T = P_v, the ridge projection of view v (SpectralProjection or IterativeProjection), the
    canonical correlations are the singular values of L_1^T L_2.  The seed is that of the start vectors; it
    changes nothing but rounding, nor does ``unit``, by which correlations are multiplied on the way."""
    first, second = projections
    start = first.drop(_random(first.shape[0], n_components, seed))
    squares, A = _leading(lambda S: unit**2 * first.drop(second.fitted(first.lift(S))), start, n_components)
    correlations = np.sqrt(squares) / unit
    Z = first.lift(A)
    return [Z, second.fitted(Z) / correlations], correlations


def maxvar_variates(projections, n_components, seed, unit=1.0):
    """MAXVAR generalised CCA of any number of views; as :func:`canonical_variates`, with eigenvalues."""
    start = _random(projections[0].shape[0], n_components, seed)
    eigenvalues, G = _leading(lambda S: unit * sum(P.fitted(S) for P in projections), start, n_components)
    return [P.fitted(G) for P in projections], eigenvalues / unit


def _random(n, n_components, seed):
    return np.random.default_rng(seed).standard_normal((n, min(n_components + EXTRA, n)))


def _leading(product, start, n_components):
    """Positive eigenvalues, at most ``n_components``, and their eigenvectors."""
    wanted = min(n_components, *start.shape)
    if not wanted:
        _warn("a view does not vary")
        return np.zeros(0), start[:, :0]
    values, vectors, following = top_eigenvectors(product, start[:, :len(start)], wanted, ACCURACY)
    positive = values > NULL
    if not positive.any():
        _warn("the views do not correlate")
    elif following > (1.0 - ACCURACY) * values[-1] > NULL:
        _warn(f"direction {wanted} and the next one correlate equally")
    return values[positive], vectors[:, positive]


def _warn(reason):
    tell(f"{reason}: the subspace is not determined; use a ridge, other features, or another "
         f"n_components", DegenerateSubspaceWarning)
