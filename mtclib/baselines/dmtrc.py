"""DMTRC: convex discriminative multi-task relationship clustering (X.-L. Zhang, TPAMI 2015)."""

import numpy as np
from scipy.linalg import eigh, svd

from mtclib.base import Traits
from mtclib.baselines.dmtc import CoupledClusterer, floored_spectrum

PROCRUSTES_SWEEPS = 50


class DMTRC(CoupledClusterer):
    r"""Clusters that ridge scorers predict well whose relation between tasks is learnt.

    .. math::

        J = \sum_t \Big[\tfrac{1}{n_t} \|F_t - X_t W_t - 1 b_t^T\|^2 + \lambda_2 \|W_t\|^2\Big]
            + \lambda_1 \sum_{ts} (S^{-1})_{ts}\, tr(W_t^T W_s),\quad S \succeq 0,\ tr S = 1,

    over scorers W, b, the relation S between tasks, and relaxed balanced labels F_t^T F_t = n_t/k I,
    F_t^T 1 = 0 (the form of one-hot labels of even clusters, centred and up to rotation; it excludes the
    constant labels that would make J = 0).  The penalty at the best S is the squared sum of the singular
    values of the scorers with each task as one column.

    Reconstruction.  The abstract and the papers that cite it give the two convex parts (multi-task
    relationship learning, maximum margin clustering with even label marginals) and the weights lam1 and lam2.
    The penalty is the known one.  Squared loss in place of the multiclass margin, the relaxation of the
    labels, their rotation to each other at the start (generalised Procrustes), the floor of S, and rounding
    by k-means and transport are ours.  J is convex in (W, b, S) for fixed labels, and the labels without
    coupling, where the iteration starts, solve a convex problem in the label kernels F F^T; J is not jointly
    convex in the label kernels and S.

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
        No eigenvalue of S is below floor / T; 1 fixes S = I/T, which uncouples the tasks.
    marginals : {'even', 'free'}, default 'even'
        Whether all clusters of a task get the same number of samples (up to one), or as many as k-means
        gives them.
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
    relation_ : ndarray of shape (T, T)
        S, positive definite, trace 1; related tasks have large entries.
    coef_ : list of ndarray of shape (d, k)
        W_t, ridge scorers of the final clusters.
    intercept_ : list of ndarray of shape (k,)
        b_t.
    relaxed_labels_ : list of ndarray of shape (n_t, k - 1)
        F_t.
    labels_objective_ : float
        J of the final clusters: its global minimum over scorers and relation.
    objective_ : ndarray of shape (n_iter_,)
        J of the relaxed labels after each iteration; never rises.
    n_iter_ : int
    converged_ : bool

    Examples
    --------
    >>> import numpy as np
    >>> Xs = [np.kron(np.eye(2), np.ones((5, 3))), np.kron(np.eye(2), np.ones((4, 3)))]
    >>> model = DMTRC(n_clusters=2, random_state=0).fit(Xs)
    >>> [np.ptp(labels.reshape(2, -1), axis=1).tolist() for labels in model.labels_]
    [[0, 0], [0, 0]]
    """

    traits = Traits(kind="multitask", paper="X.-L. Zhang, TPAMI 2015", same_n_clusters=True,
                    reconstruction=True)

    def __init__(self, n_clusters, *, lam1=2.0**-6, lam2=2.0**-6, floor=0.1, marginals="even", n_init=10,
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
        return TaskRelation(ridge, floor, np.eye(len(ridge.Xs)) / len(ridge.Xs))


class TaskRelation:
    """S: Omega(W, S) = sum_k tr(V_k S^-1 V_k^T), V_k = [w_1k ... w_Tk], tr S = 1, eigenvalues >= floor / T.

    Parameters
    ----------
    ridge : CoupledRidge
    floor : float in (0, 1]
    S : ndarray of shape (T, T)
    """

    def __init__(self, ridge, floor, S):
        self.ridge, self.floor, self.S = ridge, floor, S
        theta, Q = eigh(S)
        self.mixing = (Q * ridge.strengths(theta)) @ Q.T

    def apply(self, Vs):
        """(lam1 S^-1 + lam2 I)^-1 over the tasks."""
        return list(np.tensordot(self.mixing, np.stack(Vs), axes=1))

    def update(self, Ws):
        """The best relation for given scorers, and Omega at both.

        Parameters
        ----------
        Ws : list of ndarray of shape (d, h)

        Returns
        -------
        TaskRelation
        float
        """
        T = len(Ws)
        # A task's scorers make one column; the Gram matrix would lose the small singular values.
        _, sizes, Q = svd(np.stack([W.ravel() for W in Ws], axis=1), full_matrices=False)
        Q = Q.T
        leading, rest = floored_spectrum(sizes, T, self.floor)
        theta = np.full(len(sizes), rest)
        theta[:len(leading)] = leading
        S = rest * (np.eye(T) - Q @ Q.T) + (Q * theta) @ Q.T
        return TaskRelation(self.ridge, self.floor, S), float(np.sum(sizes**2 / theta))

    def rotations(self, Ws):
        """Orthogonal matrices that bring the scorers W_t R_t of all tasks together (generalised Procrustes).

        Parameters
        ----------
        Ws : list of ndarray of shape (d, h)

        Returns
        -------
        list of ndarray of shape (h, h)
        """
        rotations = [np.eye(Ws[0].shape[1])]
        for W in Ws[1:]:
            rotations.append(_polar(W.T @ sum(V @ R for V, R in zip(Ws, rotations))))
        for _ in range(PROCRUSTES_SWEEPS if len(Ws) > 2 else 0):
            total = sum(W @ R for W, R in zip(Ws, rotations))
            for t, W in enumerate(Ws):
                others = total - W @ rotations[t]
                rotations[t] = _polar(W.T @ others)
                total = others + W @ rotations[t]
        return rotations

    def attributes(self):
        """What the estimator shows of it."""
        return {"relation_": self.S}


def _polar(A):
    """The orthogonal matrix R with the largest tr(R^T A)."""
    left, _, right = svd(A)
    return left @ right
