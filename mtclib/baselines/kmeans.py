"""k-means on each task, through scikit-learn."""

import numpy as np

from mtclib.base import Fit, SingleTaskClusterer, Traits
from mtclib.starts import kmeans_once
from mtclib.validation import check_option


class KMeans(SingleTaskClusterer):
    """k-means on each task alone.

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
    n_iter_ : int
        Largest number of iterations over the tasks.
    converged_ : bool

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> [np.bincount(labels).tolist() for labels in KMeans(2, random_state=0).fit([X, X]).labels_]
    [[2, 2], [2, 2]]
    """

    traits = Traits(kind="multitask", paper="Lloyd, IEEE Trans. Inf. Theory 1982", task_order_free=True)

    def __init__(self, n_clusters, *, init="random", n_init=1, max_iter=300, tol=1e-4, random_state=None):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _check_parameters(self):
        super()._check_parameters()
        check_option("init", self.init, ("random", "k-means++"))

    def _fit_task(self, X, n_clusters, seed):
        model = kmeans_once(X, n_clusters, seed, self.init, self.max_iter, self.tol)
        return Fit(model.labels_.astype(np.intp), [float(model.inertia_)], model.n_iter_ < self.max_iter,
                   {"cluster_centers_": model.cluster_centers_, "n_iter_": int(model.n_iter_)})
