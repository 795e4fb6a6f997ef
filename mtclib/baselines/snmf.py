"""SNMF: symmetric nonnegative matrix factorisation (Kuang, Ding, Park, SDM 2012)."""

import numpy as np

from mtclib.base import Fit, SingleTaskClusterer, Traits, stops
from mtclib.graphs import similarities
from mtclib.starts import check_initial_labels, kmeans_once, one_hot
from mtclib.symnmf import OFFSET, hard_labels, membership_objective, membership_step
from mtclib.validation import check_flag, check_number, check_option


class SNMF(SingleTaskClusterer):
    """Symmetric nonnegative matrix factorisation of each task's similarity matrix.

    Minimises 1/2 ||M - Y Y^T||^2 over Y >= 0 by the multiplicative update that MTCMRL uses, without its
    linear model (lam = 0).  The original paper uses a projected Newton method; both stop at stationary
    points of the same objective.

    Parameters
    ----------
    n_clusters : int or list of int
        Clusters of each task.
    exponent : float in (0, 1], default 0.5
        Root in the update; see ``symnmf.membership_step``.
    guard : bool, default True
        Replace an update that would raise the objective by one with exponent 1/4.
    similarity : 'cosine', callable or list of ndarray of shape (n_t, n_t), default 'cosine'
    init : 'k-means', 'random' or list of ndarray of int, default 'k-means'
        'k-means': one-hot + 0.2.  'random': uniform on [0, 2 sqrt(mean(M) / k)], Kuang's start.
    n_init : int, default 1
        Starts; each task keeps the one with its lowest objective.
    max_iter : int, default 500
    tol : float, default 1e-5
        Stop when the objective falls by less than ``tol`` times its value.
    atol : float, default 0
        Stop when the objective falls by less than ``atol``.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
    membership_ : list of ndarray of shape (n_t, k_t)
        Y^t.
    objective_ : ndarray of shape (n_iter_,)
        Sum over tasks after each iteration.
    n_iter_ : int
    converged_ : bool

    Examples
    --------
    >>> import numpy as np
    >>> X = np.kron(np.eye(2), np.ones((5, 3)))
    >>> labels = SNMF(n_clusters=2, random_state=0).fit([X]).labels_[0]
    >>> np.ptp(labels.reshape(2, 5), axis=1).tolist()
    [0, 0]
    """

    traits = Traits(kind="multitask", paper="Kuang, Ding, Park, SDM 2012", task_order_free=True)

    def __init__(self, n_clusters, *, exponent=0.5, guard=True, similarity="cosine", init="k-means", n_init=1,
                 max_iter=500, tol=1e-5, atol=0.0, random_state=None):
        self.n_clusters = n_clusters
        self.exponent = exponent
        self.guard = guard
        self.similarity = similarity
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.atol = atol
        self.random_state = random_state

    def _check_parameters(self):
        super()._check_parameters()
        check_number("atol", self.atol, low=0)
        check_number("exponent", self.exponent, low=0, high=1, open_low=True)
        check_flag("guard", self.guard)
        if isinstance(self.init, str):
            check_option("init", self.init, ("k-means", "random"))

    def _prepare(self, Xs, n_clusters):
        starts = ([self.init] * len(Xs) if isinstance(self.init, str)
                  else check_initial_labels(self.init, Xs, n_clusters))
        return list(zip(Xs, similarities(Xs, self.similarity), starts))

    def _fit_task(self, task, n_clusters, seed):
        X, M, start = task
        Y = initial_membership(X, M, n_clusters, start, seed)
        products = M.split_product(Y)
        before = membership_objective(Y, products[0] - products[1], M.squared_norm)
        history, converged = [], False
        while not converged and len(history) < self.max_iter:
            Y, products, value = membership_step(M, Y, products, exponent=self.exponent, guard=self.guard)
            history.append(value)
            converged = stops(before, value, self.tol, self.atol)
            before = value
        return Fit(hard_labels(Y), history, converged, {"membership_": Y})


def initial_membership(X, M, n_clusters, start, seed):
    """Y before the first step, strictly positive, shape (n, n_clusters)."""
    if isinstance(start, str) and start == "random":
        ones = np.ones((X.shape[0], 1))
        positive, negative = M.split_product(ones)
        mean = max(float(np.sum(positive - negative)) / X.shape[0] ** 2, np.finfo(float).eps)
        uniform = np.random.default_rng(seed).uniform(size=(X.shape[0], n_clusters))
        return 2.0 * np.sqrt(mean / n_clusters) * np.maximum(uniform, np.finfo(float).eps)
    labels = kmeans_once(X, n_clusters, seed).labels_ if isinstance(start, str) else start
    return one_hot(labels, n_clusters) + OFFSET
