"""MTSC: multitask spectral clustering with shared features (Yang, Ma, Yang, Nie, Shen, 2015)."""

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve

from mtclib.core.base import Fit, MultiTaskClusterer, Traits, stops
from mtclib.core.checks import COUNT, POSITIVE, Named, Number
from mtclib.core.starts import best_kmeans
from mtclib.maths.eigen import EXTRA, top_eigenvectors
from mtclib.maths.graphs import NEIGHBOURS, SCALES, knn_affinity, normalized_affinities
from mtclib.maths.linalg import dense_product, near_origin, unit_rows

# Of the squared length of a row: below its root the penalty is quadratic.
SMOOTHING = 1e-8
# Frobenius norm of the residuals of the eigenvectors; the first rounds do with the coarse one.
COARSE, RESIDUAL = 1e-2, 1e-4


class MTSC(MultiTaskClusterer):
    r"""Multitask spectral clustering: linear maps predict the cluster indicators, and share their features.

    Reconstruction: of the original only the abstract could be had.  From it are the parts of the model:
    spectral clustering of each task, an explicit map that predicts its indicators, and an :math:`\ell_{2,p}`
    norm over the maps of all tasks.  The scaling of the parts, the graph and the steps are ours.  With
    :math:`L_t` the normalised Laplacian of task t and :math:`w^j` row j of :math:`[W_1 \dots W_T]`, the
    coefficients of feature j in all tasks, it minimises

    .. math:: \sum_t \Big[\operatorname{tr}(F_t^\top L_t F_t) + \alpha \|X_t W_t + 1 b_t^\top - F_t\|^2\Big]
        + \beta \sum_j \|w^j\|^p

    over :math:`F_t` with orthonormal columns, :math:`W_t` and :math:`b_t`.  Tasks meet in the rows
    :math:`w^j` alone, so that their numbers of clusters may differ.  :math:`\|w^j\|^p` is smoothed to
    :math:`(\|w^j\|^2 + 10^{-8})^{p/2} - 10^{-4p}`, which the step below majorises by a weighted square: then
    :math:`F_t`, :math:`W_t` and :math:`b_t` are exact together, :math:`F_t` as the :math:`k_t` smallest
    eigenvectors of

    .. math:: L_t + \alpha \big(H - K (K + \rho I)^{-1}\big), \qquad
        K = H X_t D^{-1} X_t^\top H, \qquad \rho = \beta / \alpha,

    with :math:`H` the centring matrix and :math:`D` the weights of the features, and the objective never
    rises.

    Time grows as n^3, while samples are fewer than features: n up to about 10,000 (all tasks together; ten
    iterations in two minutes).

    Parameters
    ----------
    n_clusters : int or list of int
        :math:`k_t`, clusters of each task.
    alpha : float > 0, default 1
        Weight of the linear maps.
    beta : float > 0, default 1
        Weight of the norm.  Where it is large all maps vanish and each task stands alone.
    p : float in (0, 2], default 1
        Smaller values leave fewer features; with 2 the tasks stand alone.
    affinity : {'knn', 'auto', 'knn-cosine', 'cosine', 'gaussian'}, callable or list, default 'knn'
        See ``graphs.normalized_affinities``; 'auto' takes neighbours by cosine for tasks of mostly zeros and
        by distance for others.
    n_neighbors : int, default 5
        Of the affinities of neighbours.
    scale : {'median', 'mean', 'self-tuning'} or float > 0, default 'median'
        Width of 'gaussian'; 'self-tuning' also of neighbours by 'auto' and 'knn-cosine'.
    n_init, seeding : int, and {'greedy', 'plain', 'random'}, default 10 and 'greedy'
        Starts of k-means, and where; see :func:`mtclib.core.starts.best_kmeans`.
    max_iter : int, default 100
    tol : float, default 1e-4
        Stop when the objective falls by less than ``tol`` times its value.
    random_state : None, int, Generator or RandomState
        Of k-means; on the way to the embedding it changes nothing but rounding.

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
    embedding_ : list of ndarray of shape (n_t, k_t)
        :math:`F_t` with rows of unit length, or zero: what k-means saw; determined up to a rotation.
    coef_ : list of ndarray of shape (d, k_t)
        :math:`W_t`, up to the same rotation.
    intercept_ : list of ndarray of shape (k_t,)
        :math:`b_t`.
    feature_norms_ : ndarray of shape (d,)
        :math:`\|w^j\|`.
    objective_ : ndarray of shape (n_iter,)
        After each iteration; it never rises.
    n_iter_, converged_ : int and bool

    References
    ----------
    Y. Yang, Z. Ma, Y. Yang, F. Nie, H. T. Shen. Multitask Spectral Clustering by Exploring Intertask
    Correlation. IEEE Transactions on Cybernetics 45(5), 2015.

    Examples
    --------
    >>> X = np.kron(np.eye(2), np.ones((8, 3))) + 0.1 * np.random.default_rng(0).random((16, 6))
    >>> labels = MTSC(n_clusters=2, random_state=0).fit([X, X[::-1]]).labels_
    >>> [np.ptp(h.reshape(2, 8), axis=1).tolist() for h in labels]
    [[0, 0], [0, 0]]
    """

    traits = Traits(kind="multitask", paper="Yang, Ma, Yang, Nie, Shen, IEEE Trans. Cybernetics 2015",
                    task_order_free=True, reconstruction=True, scale_free=False, graph=True)
    ALGORITHM_VERSION = 2
    rules = {"alpha": POSITIVE, "beta": POSITIVE, "p": Number(0, 2, open_low=True), "n_neighbors": COUNT,
             "affinity": Named((*NEIGHBOURS, "cosine", "gaussian")), "scale": Named(SCALES, POSITIVE)}

    def __init__(self, n_clusters, *, alpha=1.0, beta=1.0, p=1.0, affinity="knn", n_neighbors=5,
                 scale="median", n_init=10, max_iter=100, tol=1e-4, seeding="greedy", random_state=None):
        self.n_clusters, self.alpha, self.beta, self.p = n_clusters, alpha, beta, p
        self.affinity, self.n_neighbors, self.scale, self.n_init = affinity, n_neighbors, scale, n_init
        self.max_iter, self.tol, self.seeding, self.random_state = max_iter, tol, seeding, random_state

    def _prepare(self, Xs, n_clusters):
        affinity, m = self.affinity, int(self.n_neighbors)
        if isinstance(affinity, str) and affinity == "knn":
            affinity = [knn_affinity(X, m) for X in Xs]
        return list(zip(Xs, normalized_affinities(Xs, affinity, self.scale, n_neighbors=m)))

    def _fit_best(self, prepared, n_clusters, seeds):
        tasks = [Task(X, graph.block(np.arange(graph.shape[0])), k, seeds[0])
                 for (X, graph), k in zip(prepared, n_clusters)]
        history, norms, converged = alternate(tasks, float(self.alpha), float(self.beta), float(self.p),
                                              self.max_iter, self.tol)
        embedding = [unit_rows(task.F) for task in tasks]
        labels = [best_kmeans(E, k, seeds, seeding=self.seeding).labels_.astype(np.intp)
                  for E, k in zip(embedding, n_clusters)]
        return Fit(labels, history, converged, {
            "embedding_": embedding, "coef_": [task.W for task in tasks], "feature_norms_": norms,
            "intercept_": [task.F.mean(axis=0) - (task.mean + task.origin) @ task.W for task in tasks]})


def alternate(tasks, alpha, beta, p, max_iter, tol):
    """Rounds of all tasks, which keep F and W: history, |w^j| (d,), whether the objective converged."""
    inverse_weights = np.ones(tasks[0].X.shape[1])
    history, accuracy, converged = [], COARSE, False
    while not converged and len(history) < max_iter:
        smooth = sum(task.step(inverse_weights, alpha, beta, accuracy) for task in tasks)
        squares = sum(np.sum(task.W**2, axis=1) for task in tasks)
        history.append(smooth + beta * penalty(squares, p))
        inverse_weights = 2.0 / p * (squares + SMOOTHING) ** (1.0 - p / 2.0)
        still = len(history) > 1 and stops(history[-2], history[-1], tol)
        converged, accuracy = still and accuracy == RESIDUAL, RESIDUAL if still else accuracy
    return history, np.sqrt(squares), converged


def penalty(squares, p):
    """sum_j |w^j|^p, smoothed, from the squared lengths of the rows."""
    return float(np.sum((squares + SMOOTHING) ** (p / 2.0) - SMOOTHING ** (p / 2.0)))


class Task:
    """The data of a task, and its part of the model.  X has shape (n, d); ``adjacency`` is I - L, an (n, n)
    array or operator.  F, (n, n_clusters), has orthonormal columns; W is (d, n_clusters)."""

    def __init__(self, X, adjacency, n_clusters, seed):
        X, self.origin = near_origin(X)
        self.X, self.XT = X, X.T.tocsr() if sp.issparse(X) else X.T
        self.adjacency, self.n_clusters = adjacency, n_clusters
        self.mean = np.asarray(X.mean(axis=0)).ravel()
        n, d = X.shape
        self.start = np.random.default_rng(seed).standard_normal((n, min(n_clusters + EXTRA, n)))
        self.F, self.W = self.start, None
        self.gram = dense_product(self.XT, X) - n * np.outer(self.mean, self.mean) if d < n else None

    def step(self, inverse_weights, alpha, beta, accuracy):
        """F and W for given weights of the features; returns their part of the objective."""
        rho = beta / alpha
        solve = (self._dual if self.gram is None else self._primal)(inverse_weights, rho)

        def product(V):
            return self.adjacency @ V + alpha * (V - rho * solve(V) + V.mean(axis=0))

        n, k = self.start.shape[0], self.n_clusters
        self.F = top_eigenvectors(product, np.hstack([self.F, self.start]), min(k, n), accuracy)[1]
        residual = rho * solve(self.F - self.F.mean(axis=0))
        self.W = inverse_weights[:, None] / rho * (self.XT @ (residual - residual.mean(axis=0)))
        spectral = k - np.vdot(self.F, self.adjacency @ self.F)
        return float(spectral + alpha * np.sum(residual**2))

    def _dual(self, inverse_weights, rho):
        """(K + rho I)^-1 as a function, from the (n, n) array."""
        K = dense_product(self.X * inverse_weights, self.XT)
        means = K.mean(axis=0)
        offsets = means.mean() - means
        for row, mean in zip(K, means):  # in place: K is large
            row += offsets - mean
        K.flat[::len(K) + 1] += rho
        factor = cho_factor(K.T, lower=True, overwrite_a=True, check_finite=False)  # K.T: LAPACK's order
        return lambda V: cho_solve(factor, V, check_finite=False)

    def _primal(self, inverse_weights, rho):
        """The same from a (d, d) array: with K = G G^T it is (I - G (G^T G + rho I)^-1 G^T) / rho."""
        roots = np.sqrt(inverse_weights)[:, None]
        C = self.gram * roots * roots.T
        C.flat[::len(C) + 1] += rho
        factor = cho_factor(C.T, lower=True, overwrite_a=True, check_finite=False)

        def solve(V):
            U = roots * cho_solve(factor, roots * (self.XT @ (V - V.mean(axis=0))), check_finite=False)
            XU = self.X @ U
            return (V - XU + XU.mean(axis=0)) / rho

        return solve
