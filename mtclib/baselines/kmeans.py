"""k-means through scikit-learn: on each task, on one view, and on all views side by side."""

import numpy as np
import scipy.sparse as sp

from mtclib.core.base import Fit, MultiViewClusterer, SingleTaskClusterer, Traits
from mtclib.core.checks import Number
from mtclib.core.starts import kmeans_once
from mtclib.maths.linalg import near_origin
from mtclib.maths.scaling import SCALINGS, apply_scale, find_scale, warn_of_constant_views


class KMeans(SingleTaskClusterer):
    """k-means on each task alone, the first thing to try.

    The compared method "k-means" of the MTCMRL paper and "KM" of the SPMTC paper; one start by default,
    as those papers average over single starts.

    Parameters
    ----------
    n_clusters : int or list of int
        Clusters of each task.
    init : {'random', 'k-means++'}, default 'random'
    n_init : int, default 1
        Starts; each task keeps the one with its lowest inertia.
    max_iter : int, default 300
    tol : float, default 1e-4
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
    cluster_centers_ : list of ndarray of shape (k_t, d)
    objective_ : ndarray of shape (1,)
        Total inertia of the final partition; scikit-learn keeps no history.
    n_iter_, converged_ : int and bool
        Largest number of iterations over the tasks, and whether all converged.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> [np.bincount(labels).tolist() for labels in KMeans(2, random_state=0).fit([X, X]).labels_]
    [[2, 2], [2, 2]]
    """

    traits = Traits(kind="multitask", paper="Lloyd, IEEE Trans. Inf. Theory 1982", task_order_free=True)
    rules = {"init": ("random", "k-means++")}

    def __init__(self, n_clusters, *, init="random", n_init=1, max_iter=300, tol=1e-4, random_state=None):
        self.n_clusters, self.init, self.n_init = n_clusters, init, n_init
        self.max_iter, self.tol, self.random_state = max_iter, tol, random_state

    def _fit_task(self, X, n_clusters, seed):
        X, origin = near_origin(X)
        model = kmeans_once(X, n_clusters, seed, self.init, self.max_iter, self.tol)
        return Fit(model.labels_.astype(np.intp), [float(model.inertia_)], model.n_iter_ < self.max_iter,
                   {"cluster_centers_": model.cluster_centers_ + origin, "n_iter_": int(model.n_iter_)})


class ConMC(MultiViewClusterer):
    """k-means on the features of all views side by side, which multi-view methods must beat.

    The compared method "Con-MC" of the MSPL paper.  Each view has the weight that its scale gives it.  With
    the same scaling, ``MSPL(weighting='naive')`` minimises the same function without a copy of the data.

    Parameters
    ----------
    n_clusters : int
    scaling : str, default 'minmax'
        See :func:`mtclib.maths.scaling.scale_views`; the default gives the scores printed in the MSPL paper,
        on measurements.  Weights of words need 'none'.
    init, n_init, max_iter, tol, random_state
        As in :class:`KMeans`.

    Warns
    -----
    ConstantViewWarning
        If all samples are equal in a view.

    Attributes
    ----------
    labels_ : ndarray of shape (n,), int
    cluster_centers_ : ndarray of shape (n_clusters, sum of d_v)
        In units of the scaled views; features of one sign start at 0 there.
    objective_, n_iter_, converged_
        As in :class:`KMeans`.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> np.bincount(ConMC(2, random_state=0).fit([X, -X]).labels_).tolist()
    [2, 2]
    """

    traits = Traits(kind="multiview", paper="Xu, Tao, Xu, IJCAI 2015")
    rules = {"scaling": SCALINGS, "init": ("random", "k-means++")}

    def __init__(self, n_clusters, *, scaling="minmax", init="random", n_init=1, max_iter=300, tol=1e-4,
                 random_state=None):
        self.n_clusters, self.scaling, self.init, self.n_init = n_clusters, scaling, init, n_init
        self.max_iter, self.tol, self.random_state = max_iter, tol, random_state

    def _prepare(self, Xs, n_clusters, first=0):
        scales = [find_scale(X, self.scaling) for X in Xs]
        warn_of_constant_views(scales, first)
        scaled = [apply_scale(X, scale) for X, scale in zip(Xs, scales)]
        return sp.hstack(scaled, format="csr") if any(map(sp.issparse, scaled)) else np.hstack(scaled)

    def _fit_once(self, X, n_clusters, seed):
        model = kmeans_once(X, n_clusters, seed, self.init, self.max_iter, self.tol)
        return Fit(model.labels_.astype(np.intp), [float(model.inertia_)], model.n_iter_ < self.max_iter,
                   {"cluster_centers_": model.cluster_centers_, "n_iter_": int(model.n_iter_)})


class SingleView(ConMC):
    """k-means on one of the views alone, to see what each of them is worth.

    The rows of the MSPL paper's tables that bear the name of a view.

    Parameters
    ----------
    n_clusters : int
    view : int, default 0
        Number of the view, from 0.
    scaling, init, n_init, max_iter, tol, random_state : see ConMC

    Raises
    ------
    ValueError
        In ``fit``, if there is no such view.

    Warns
    -----
    ConstantViewWarning
        If all samples are equal in the view.

    Attributes
    ----------
    labels_, cluster_centers_, objective_, n_iter_, converged_ : see ConMC

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> np.bincount(SingleView(2, view=1, random_state=0).fit([X[::-1], X]).labels_).tolist()
    [2, 2]
    """

    traits = Traits(kind="multiview", paper="Lloyd, IEEE Trans. Inf. Theory 1982")
    rules = {"view": Number(0, integer=True)}

    def __init__(self, n_clusters, *, view=0, scaling="minmax", init="random", n_init=1, max_iter=300,
                 tol=1e-4, random_state=None):
        super().__init__(n_clusters, scaling=scaling, init=init, n_init=n_init, max_iter=max_iter, tol=tol,
                         random_state=random_state)
        self.view = view

    def _prepare(self, Xs, n_clusters):
        return super()._prepare([Xs[self.view]], n_clusters, first=self.view)
