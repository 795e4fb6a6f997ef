"""DMTFC: convex discriminative multi-task feature clustering (X.-L. Zhang, TPAMI 2015)."""

import numpy as np
from scipy.linalg import svd

from mtclib.base import Traits
from mtclib.baselines.dmtc import CoupledClusterer, floored_spectrum


class DMTFC(CoupledClusterer):
    r"""Clusters that ridge scorers with a shared feature metric predict well.

    .. math::

        J = \sum_t \Big[\tfrac{1}{n_t} \|F_t - X_t W_t - 1 b_t^T\|^2 + \lambda_2 \|W_t\|^2\Big]
            + \lambda_1 \sum_t tr(W_t^T D^{-1} W_t),\quad D \succeq 0,\ tr D = 1,

    over scorers W, b, the metric D, which carries what the tasks share, and relaxed balanced labels
    F_t^T F_t = n_t/k I, F_t^T 1 = 0 (the form of one-hot labels of even clusters, centred and up to rotation;
    it excludes the constant labels that would make J = 0).  The penalty at the best D is the squared sum of
    the singular values of [W_1 ... W_T].

    Reconstruction.  The abstract and the papers that cite it give the two convex parts (multi-task feature
    learning, maximum margin clustering with even label marginals) and the weights lam1 and lam2.  The penalty
    is the known one.  Squared loss in place of the multiclass margin, the relaxation of the labels, the floor
    of D, and rounding by k-means are ours.  J is convex in (W, b, D) for fixed labels, and the labels without
    coupling, where the iteration starts, solve a convex problem in the label kernels F F^T; J is not jointly
    convex in the label kernels and D.

    Parameters
    ----------
    n_clusters : int or list of int
        Clusters of each task; the same number in all.
    lam1 : float, nonnegative, default 2**-6
        Weight of the penalty that couples the tasks.  The published grid for both weights is 2**-10, 2**-8,
        ..., 2**-2.
    lam2 : float, nonnegative, default 2**-6
        Weight of the squared norm of the scorers; at least one weight must be positive.
    floor : float in (0, 1], default 0.1
        No eigenvalue of D is below floor / d; 1 fixes D = I/d, which uncouples the tasks.
    marginals : {'even', 'free'}, default 'free'
        Whether all clusters of a task get the same number of samples (up to one), or as many as k-means
        gives them.  Accuracies printed for DMTFC are out of reach of even clusters.
    n_init : int, default 10
        Starts of k-means in the final rounding; the rest is deterministic.
    max_iter : int, default 300
    tol : float, default 1e-5
        Stop when the objective falls by less than ``tol`` times its value.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
        Cluster j means similar scorers in all tasks.
    directions_ : ndarray of shape (d, q)
        Leading eigenvectors of D.
    direction_weights_ : ndarray of shape (q,)
        Their eigenvalues, descending; all the others are equal.
    coef_ : list of ndarray of shape (d, k)
        W_t, ridge scorers of the final clusters.
    intercept_ : list of ndarray of shape (k,)
        b_t.
    relaxed_labels_ : list of ndarray of shape (n_t, k - 1)
        F_t.
    labels_objective_ : float
        J of the final clusters: its global minimum over scorers and metric.
    objective_ : ndarray of shape (n_iter_,)
        J of the relaxed labels after each iteration; never rises.
    n_iter_ : int
    converged_ : bool

    Examples
    --------
    >>> import numpy as np
    >>> Xs = [np.kron(np.eye(2), np.ones((5, 3))), np.kron(np.eye(2), np.ones((4, 3)))]
    >>> model = DMTFC(n_clusters=2, random_state=0).fit(Xs)
    >>> [np.ptp(labels.reshape(2, -1), axis=1).tolist() for labels in model.labels_]
    [[0, 0], [0, 0]]
    """

    traits = Traits(kind="multitask", paper="X.-L. Zhang, TPAMI 2015", same_n_clusters=True,
                    reconstruction=True)

    def __init__(self, n_clusters, *, lam1=2.0**-6, lam2=2.0**-6, floor=0.1, marginals="free", n_init=10,
                 max_iter=300, tol=1e-5, random_state=None):
        self.n_clusters = n_clusters
        self.lam1 = lam1
        self.lam2 = lam2
        self.floor = floor
        self.marginals = marginals
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _coupling(self, ridge, floor):
        return FeatureMetric(ridge, floor)


class FeatureMetric:
    """D: Omega(W, D) = sum_t tr(W_t^T D^-1 W_t), tr D = 1, eigenvalues at least floor / d.

    D is kept as a few directions and one eigenvalue for all the others; nothing of size d x d exists.

    Parameters
    ----------
    ridge : CoupledRidge
    floor : float in (0, 1]
    directions : ndarray of shape (d, q), orthonormal columns, or None for D = I/d
    leading : ndarray of shape (q,)
        Eigenvalues of the directions.
    rest : float
        Eigenvalue of all else.
    """

    def __init__(self, ridge, floor, directions=None, leading=None, rest=None):
        d = ridge.Xs[0].shape[1]
        self.ridge, self.floor = ridge, floor
        self.directions = np.zeros((d, 0)) if directions is None else directions
        self.leading = np.empty(0) if leading is None else leading
        self.rest = 1.0 / d if rest is None else rest

    def apply(self, Vs):
        """(lam1 D^-1 + lam2 I)^-1 V for each task."""
        V, rest = np.hstack(Vs), self.ridge.strengths(self.rest)
        extra = self.ridge.strengths(self.leading) - rest
        out = rest * V + self.directions @ (extra[:, None] * (self.directions.T @ V))
        return np.hsplit(out, len(Vs))

    def update(self, Ws):
        """The best metric for given scorers, and Omega at both.

        Parameters
        ----------
        Ws : list of ndarray of shape (d, h)

        Returns
        -------
        FeatureMetric
        float
        """
        d, W = Ws[0].shape[0], np.hstack(Ws)
        U, sizes, _ = svd(W, full_matrices=False)
        leading, rest = floored_spectrum(sizes, d, self.floor)
        q = len(leading)
        penalty = np.sum(sizes[:q] ** 2 / leading) + np.sum(sizes[q:] ** 2) / rest
        return FeatureMetric(self.ridge, self.floor, U[:, :q], leading, rest), float(penalty)

    def rotations(self, Ws):
        """Identities: Omega does not change when the labels of a task are rotated."""
        return [np.eye(W.shape[1]) for W in Ws]

    def attributes(self):
        """What the estimator shows of it."""
        return {"directions_": self.directions, "direction_weights_": self.leading}
