"""S-MKC: smart multitask kernel clustering (Zhang, Zhang, AAAI 2013; Zhang, Zhang, Liu, TKDD 2015)."""

from mtclib.base import Traits
from mtclib.baselines.mkc import MKC
from mtclib.smart import boost_where_it_helps
from mtclib.validation import check_option


class SMKC(MKC):
    """Smart multitask kernel clustering: MKC, except for tasks that do better alone.

    Reconstruction, as `MKC` and `SMBC` are.  MKC and its single-task version, with lam = 0, run from the
    same start until they converge; a task that is worse off than alone takes its single-task solution and
    keeps it, and the others continue.

    Parameters
    ----------
    n_clusters : int or list of int
        Clusters of each task.
    lam : float, >= 0, default 0.5
        Strength of the boosting.  The MTCMRL paper searches 0.1, 0.2, ..., 1.
    rule : {'partition', 'centroids'}, default 'partition'
        Loss that tells whether a task is worse off: the mean squared distance of its samples from the means
        of their clusters, or the local loss of the model.  By the latter boosting hardly ever passes, most
        of all for graded memberships; see `SMBC`.
    kernel, scale, membership, init, n_init, max_iter, tol, random_state
        As in `MKC`.  ``max_iter`` bounds the sweeps of all phases together.

    Attributes
    ----------
    labels_, membership_, cluster_centers_, relation_
        As in `MKC`.
    local_loss_ : ndarray of shape (T,)
        As in `MKC`.
    compared_loss_, single_task_loss_ : ndarray of shape (T,)
        Loss that ``rule`` names, and that of the single-task solution; the former is never larger, up to
        rounding.
    boosted_ : ndarray of shape (T,), bool
        Whether the task kept the boosting.
    phases_ : list of int
        Sweeps between changes of ``boosted_``.
    objective_ : ndarray of shape (n_iter_,)
        After each sweep; it may rise only where a phase ends.
    n_iter_ : int
    converged_ : bool

    References
    ----------
    X. Zhang, X. Zhang. Smart Multi-Task Bregman Clustering and Multi-Task Kernel Clustering. AAAI 2013.
    X. Zhang, X. Zhang, H. Liu. Smart Multitask Bregman Clustering and Multitask Kernel Clustering. ACM
    TKDD 10(1), 2015.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.kron(np.eye(3), np.ones((8, 2))) + 0.1
    >>> model = SMKC(n_clusters=3, n_init=5, random_state=0).fit([X, X])
    >>> [np.ptp(labels.reshape(3, 8), axis=1).tolist() for labels in model.labels_]
    [[0, 0, 0], [0, 0, 0]]
    """

    traits = Traits(kind="multitask", paper="Zhang, Zhang, Liu, TKDD 2015", monotone=False,
                    reconstruction=True)

    def __init__(self, n_clusters, *, lam=0.5, rule="partition", kernel="cosine", scale="median",
                 membership="graded", init="k-means", n_init=1, max_iter=300, tol=1e-6, random_state=None):
        super().__init__(n_clusters, lam=lam, kernel=kernel, scale=scale, membership=membership, init=init,
                         n_init=n_init, max_iter=max_iter, tol=tol, random_state=random_state)
        self.rule = rule

    def _check_parameters(self):
        super()._check_parameters()
        check_option("rule", self.rule, ("partition", "centroids"))

    def _descend(self, steps, problem, labels, n_clusters):
        found = boost_where_it_helps(steps, problem, labels, n_clusters, rule=self.rule,
                                     max_iter=self.max_iter, tol=self.tol)
        return self._fit_of(steps, problem, found.state, found.history, found.converged, **found.attributes)
