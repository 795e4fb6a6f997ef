"""RMKMC (Cai, Nie, Huang, IJCAI 2013): multi-view k-means with plain distances and learnt view weights."""

import numpy as np
from scipy.special import softmax

from mtclib.core.base import Fit, MultiViewClusterer, Traits, stops
from mtclib.core.checks import SHARE, Number, check_init
from mtclib.maths.scaling import SCALINGS
from mtclib.maths.views import assign, centroids, fill_empty_cluster, prepare_views, start

# Added to squared distances, relative to the mean squared length of all samples: |z| becomes smooth at 0.
SMOOTHING = 1e-12


class RMKMC(MultiViewClusterer):
    r"""Robust multi-view k-means, for large data with outliers: unsquared distances, learnt weights of views.

    Minimises

    .. math:: \sum_v \alpha_v^\gamma \sum_i \|x_{vi} - c_{v, b(i)}\|

    over centroids, common labels :math:`b`, and view weights :math:`\alpha \ge 0` that add up to 1.  A
    distance is replaced by its tangent parabola in each iteration, which the steps for centroids and labels
    minimise; :math:`\alpha` has a closed form.  Written from the published equations and a public
    re-implementation.

    Parameters
    ----------
    n_clusters : int
    gamma : float in (1, 100], default 5.0
        Near 1, all weight goes to the view with the smallest sum of distances, good or not; large values give
        all views the same weight.
    scaling : str, default 'minmax'
        See :func:`mtclib.maths.scaling.scale_views`.
    init, init_share : 'labels', 'sample', 'points' or ndarray, and float, default 'labels' and 0.1
        As in :class:`mtclib.MSPL`.
    n_init : int, default 1
        Starts; the one with the lowest objective is kept.
    max_iter : int, default 300
    tol : float, default 1e-5
        Stop when an iteration leaves all labels as they were and lowers the objective by no more than this
        share.
    random_state : None, int, Generator or RandomState

    Warns
    -----
    ConstantViewWarning
        If all samples are equal in a view: it is left out with weight 0, or it would take all weight.

    Attributes
    ----------
    labels_ : ndarray of shape (n,), int
        A cluster that loses all samples keeps its centroid and may win some back.  One that is empty when the
        fit converges is given the sample that adds most to the objective, and the fit goes on.
    centers_, losses_, label_history_ : list of ndarray, and two ndarrays
        As in :class:`mtclib.MSPL`.
    view_weights_ : ndarray of shape (n_views,)
        :math:`\alpha`.
    view_weight_history_ : ndarray of shape (n_iter, n_views)
    objective_ : ndarray of shape (n_iter,)
        After each iteration; it never rises.
    n_iter_, converged_ : int and bool

    References
    ----------
    X. Cai, F. Nie, H. Huang. Multi-View K-Means Clustering on Big Data. IJCAI 2013.

    Examples
    --------
    >>> rng = np.random.default_rng(2)
    >>> means = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])[np.arange(60) % 3]
    >>> views = [means + rng.normal(size=(60, 2)), means + 1.5 * rng.normal(size=(60, 2))]
    >>> model = RMKMC(n_clusters=3, random_state=0).fit(views)
    >>> np.bincount(model.labels_).tolist()
    [20, 20, 20]
    >>> bool(model.view_weights_[0] > model.view_weights_[1])
    True
    """

    traits = Traits(kind="multiview", paper="Cai, Nie, Huang, IJCAI 2013", float32=True)
    ALGORITHM_VERSION = 2
    rules = {"gamma": Number(1, 100, open_low=True), "init_share": SHARE, "scaling": SCALINGS}

    def __init__(self, n_clusters, *, gamma=5.0, scaling="minmax", init="labels", init_share=0.1, n_init=1,
                 max_iter=300, tol=1e-5, random_state=None):
        self.n_clusters, self.gamma, self.scaling = n_clusters, gamma, scaling
        self.init, self.init_share, self.n_init = init, init_share, n_init
        self.max_iter, self.tol, self.random_state = max_iter, tol, random_state

    def _prepare(self, Xs, n_clusters):
        init = check_init(self.init, Xs[0].shape[0], n_clusters)
        return prepare_views(Xs, self.scaling), init

    def _fit_once(self, prepared, n_clusters, seed):
        views, init = prepared
        gamma = float(self.gamma)
        state = start(views, n_clusters, init, self.init_share, seed)
        floor = max(SMOOTHING * views.squares.mean(), np.finfo(float).tiny)
        alpha = np.full(len(views.parts), 1.0 / len(views.parts))
        labels = [state.labels]
        history, alphas, converged = [], [], False
        while len(history) < self.max_iter and not converged:
            before = state.labels
            state.centers = centroids(state)
            # Relative to the largest, or high powers would vanish.
            assign(state, (alpha / alpha.max())[:, None] ** gamma * state.weights)
            distances = np.sqrt(state.losses + floor)
            state.weights = 0.5 / distances
            totals = distances.sum(axis=1)
            alpha = view_weights(totals, gamma)
            history.append(float(alpha**gamma @ totals))
            alphas.append(views.expand(alpha, 0.0))
            labels.append(state.labels)
            converged = len(history) > 1 and np.array_equal(before, state.labels) and stops(
                history[-2], history[-1], self.tol) and not fill_empty_cluster(
                    state, alpha**gamma @ distances)
        return Fit(labels[-1], history, converged, {
            "centers_": views.restore(state.centers), "view_weights_": alphas[-1],
            "view_weight_history_": np.stack(alphas), "losses_": views.expand(state.losses, 0.0),
            "label_history_": np.stack(labels).astype(np.min_scalar_type(n_clusters - 1))})


def view_weights(totals, gamma):
    """Minimiser of sum_v alpha_v^gamma h_v on the simplex: proportional to h_v^(1 / (1 - gamma)), gamma > 1.
    h are positive sums of distances, one per view."""
    return softmax(np.log(totals) / (1.0 - gamma))
