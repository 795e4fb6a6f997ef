"""MultiViewSNMF: symmetric nonnegative matrix factorisation (Kuang, Ding, Park, SDM 2012) of views."""

import numpy as np

from mtclib.base import Fit, MultiViewClusterer, Traits, stops
from mtclib.graphs import DenseSimilarity, WeightedSum
from mtclib.symnmf import hard_labels, membership_objective, membership_step
from mtclib.validation import check_number
from mtclib.viewgraphs import check_graph_parameters, view_graphs


class MultiViewSNMF(MultiViewClusterer):
    """Symmetric nonnegative matrix factorisation of one view's affinities, or of the mean over views.

    Minimises 1/2 |K - Y Y^T|^2 over Y >= 0, where K is a normalised affinity or the mean of several.
    SNMF knows no views: this is the compared method "SNMF" of the LMSC paper, which says neither
    which view it was given nor with which affinity.  :class:`mtclib.baselines.SNMF` takes the cosine
    similarities of tasks instead.  The step is the multiplicative one that both share; the original's is a
    projected Newton step for the same objective.

    Parameters
    ----------
    n_clusters : int
        k.
    view : int or None, default None
        Number of the view, from 0; None for the mean over all views.
    affinity : {'knn', 'knn-cosine', 'gaussian', 'cosine'}, callable or list of arrays, default 'knn'
        See ``graphs.normalized_affinities``; 'knn-cosine' is common for text.
    n_neighbors : int, default 10
        For 'knn' and 'knn-cosine'.
    scale : {'median', 'mean', 'self-tuning'} or float > 0, default 'median'
        Width of 'gaussian'.
    scaling : str, default 'none'
        Of features and views, before the affinities; see :func:`mtclib.viewscaling.scale_views`.
    n_init : int, default 5
        Starts, uniform on [0, 2 sqrt(mean(K) / k)]; the lowest objective wins.
    max_iter : int, default 1000
    tol : float, default 1e-6
        Stop when the objective falls by less than ``tol`` times its value.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    labels_ : ndarray of shape (n,), int
        Largest entry of each row of Y; 0 for a zero row.
    membership_ : ndarray of shape (n, k)
        Y.
    objective_ : ndarray of shape (n_iter_,)
        After each iteration; it never rises.
    n_iter_ : int
    converged_ : bool

    Raises
    ------
    ValueError
        In ``fit``, if there is no such view.

    References
    ----------
    D. Kuang, C. Ding, H. Park. Symmetric Nonnegative Matrix Factorization for Graph Clustering. SDM 2012.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> means = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])[np.arange(60) % 3]
    >>> views = [means + rng.normal(size=(60, 2)), means + rng.normal(size=(60, 2))]
    >>> np.bincount(MultiViewSNMF(n_clusters=3, random_state=0).fit(views).labels_).tolist()
    [20, 20, 20]
    """

    traits = Traits(kind="multiview", paper="Kuang, Ding, Park, SDM 2012")

    def __init__(self, n_clusters, *, view=None, affinity="knn", n_neighbors=10, scale="median",
                 scaling="none", n_init=5, max_iter=1000, tol=1e-6, random_state=None):
        self.n_clusters = n_clusters
        self.view = view
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.scale = scale
        self.scaling = scaling
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _check_parameters(self):
        super()._check_parameters()
        check_graph_parameters(self)

    def _check_input(self, Xs):
        Xs, n_clusters = super()._check_input(Xs)
        if self.view is not None:
            check_number("view", self.view, low=0, high=len(Xs) - 1, integer=True)
        return Xs, n_clusters

    def _prepare(self, Xs, n_clusters):
        graphs = view_graphs(self, Xs)
        shares = np.full(len(Xs), 1.0 / len(Xs)) if self.view is None else np.eye(len(Xs))[self.view]
        n = Xs[0].shape[0]
        return DenseSimilarity(WeightedSum(graphs, shares).block(np.arange(n)) @ np.eye(n))

    def _fit_once(self, K, n_clusters, seed):
        Y = random_membership(K, n_clusters, seed)
        products = K.split_product(Y)
        before = membership_objective(Y, products[0] - products[1], K.squared_norm)
        history, converged = [], False
        while not converged and len(history) < self.max_iter:
            Y, products, value = membership_step(K, Y, products)
            history.append(value)
            converged = stops(before, value, self.tol)
            before = value
        return Fit(hard_labels(Y), history, converged, {"membership_": Y})


def random_membership(K, n_clusters, seed):
    """Kuang's start: uniform on [0, 2 sqrt(mean(K) / k)], but positive; ndarray of shape (n, n_clusters)."""
    n = K.shape[0]
    positive, negative = K.split_product(np.ones((n, 1)))
    mean = max(float(np.sum(positive - negative)) / n**2, np.finfo(float).eps)
    uniform = np.random.default_rng(seed).uniform(size=(n, n_clusters))
    return 2.0 * np.sqrt(mean / n_clusters) * np.maximum(uniform, np.finfo(float).eps)
