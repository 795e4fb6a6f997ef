"""SNMF+LR: symmetric nonnegative matrix factorisation with a linear regression model."""

from mtclib.base import Fit, SingleTaskClusterer, Traits
from mtclib.mtcmrl import MTCMRL


class SNMFLR(SingleTaskClusterer):
    """SNMF with linear regression: MTCMRL on each task alone, without coupling (alpha = 0).

    Minimises 1/2 ||M - Y Y^T||^2 + lam ||Y - X W||^2 + mu ||W||^2 over Y >= 0 and W, the paper's Eq. (1).

    Parameters
    ----------
    n_clusters : int or list of int
        Clusters of each task.
    lam : float, default 4
        Weight of the linear model, >= 0.
    mu : float, default 0.5
        Ridge penalty, > 0.
    exponent, guard, similarity, init, n_init, max_iter, tol, atol, random_state
        As in ``MTCMRL``; with several starts each task keeps its own best one.

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
    membership_ : list of ndarray of shape (n_t, h_t)
    coef_ : list of ndarray of shape (d, h_t)
    objective_ : ndarray of shape (n_iter_,)
        Sum over tasks after each iteration.
    n_iter_ : int
    converged_ : bool

    References
    ----------
    X. Zhang, X. Zhang, H. Liu, J. Luo. Multi-Task Clustering with Model Relation Learning. IJCAI 2018,
    Eq. (1) and section 4.1.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.kron(np.eye(2), np.ones((5, 3)))
    >>> labels = SNMFLR(n_clusters=2, random_state=0).fit([X]).labels_[0]
    >>> np.ptp(labels.reshape(2, 5), axis=1).tolist()
    [0, 0]
    """

    traits = Traits(kind="multitask", paper="Zhang, Zhang, Liu, Luo, IJCAI 2018", task_order_free=True)

    def __init__(self, n_clusters, *, lam=4.0, mu=0.5, exponent=0.5, guard=True, similarity="cosine",
                 init="k-means", n_init=1, max_iter=500, tol=1e-5, atol=0.0, random_state=None):
        self.n_clusters = n_clusters
        self.lam = lam
        self.mu = mu
        self.exponent = exponent
        self.guard = guard
        self.similarity = similarity
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.atol = atol
        self.random_state = random_state

    def _uncoupled(self):
        return MTCMRL(alpha=0.0, **self.get_params(deep=False))

    def _check_parameters(self):
        self._uncoupled()._check_parameters()

    def _prepare(self, Xs, n_clusters):
        return self._uncoupled()._prepare(Xs, n_clusters)

    def _fit_task(self, task, n_clusters, seed):
        fit = self._uncoupled()._fit_once([task], [n_clusters], seed)
        return Fit(fit.labels[0], fit.objective, fit.converged,
                   {name: fit.attributes[name][0] for name in ("membership_", "coef_")})
