"""ASI: adaptive subspace iteration (Li, Ma, Ogihara, SIGIR 2004), and ADR (Ding et al., ICDM 2002)."""

from contextlib import suppress

import numpy as np
import scipy.sparse as sp
from scipy.linalg import svd
from scipy.sparse.linalg import ArpackError
from sklearn.decomposition import PCA

from mtclib.core.base import DegenerateSubspaceWarning, Fit, SingleTaskClusterer, Traits
from mtclib.core.checks import COUNT_OR_NONE, Named, check_initial_labels
from mtclib.core.errors import tell
from mtclib.core.starts import fill_empty, kmeans_once, one_hot, random_labels
from mtclib.maths.linalg import as_dense
from mtclib.maths.subspace import RowSpace

SUBSPACES = ("smallest", "smallest_in_range", "largest", "adr")
# Of principal components, where fewer samples than clusters differ: rounding must not part copies.
DECIMALS = 9


class ASI(SingleTaskClusterer):
    r"""Adaptive subspace iteration on each task: clusters and a subspace for them, in turn.

    The model of a task is

    .. math:: X F = D S

    with one-hot memberships :math:`D`, an orthonormal projection :math:`F` of shape (d, l) and centroids
    :math:`S`.  Given :math:`D`, :math:`F` consists of l eigenvectors of a scatter matrix; given :math:`F`,
    each row goes to the nearest centroid of the projected rows.  A row that is not strictly nearer to another
    centroid stays; an empty cluster takes the row farthest from its centroid.

    ASI itself ('smallest') minimises the within-cluster scatter :math:`\operatorname{tr}(F^\top S_w F)`.
    Whenever :math:`X` has rank at most d - l, as with fewer samples than words, its minimum is 0 with
    :math:`X F = 0`, and the start is the result: k-means on principal components.  'smallest_in_range' has
    the same fate when the rank is at least n - k + l, as with independent rows.  'adr', adaptive dimension
    reduction, maximises :math:`\operatorname{tr}(F^\top S_b F)`, which is the alternating minimisation of

    .. math:: \|X - D S F^\top\|^2

    (reduced k-means); with l = k each iteration is one of Lloyd's k-means.  Reconstruction: the SPMTC paper
    leaves open which of them it ran.

    Parameters
    ----------
    n_clusters : int, or list of int with one per task
    which : {'adr', 'smallest', 'smallest_in_range', 'largest'}, default 'adr'
        Eigenvectors that span the subspace: those of the largest eigenvalues of :math:`S_b` ('adr') or
        :math:`S_w` ('largest'), of the smallest of :math:`S_w`, or of the smallest of :math:`S_w` within the
        row space of :math:`X`.
    n_components : int or None, default None
        l; None for as many as there are clusters, and at most d.
    init : {'pca', 'random', 'k-means'} or list of ndarray of int, default 'pca'
        'pca': k-means on the first l principal components, as the R package Rdimtools begins; 'random':
        labels at random, clusters of equal size.
    n_init : int, default 1
        Starts; each task keeps the one with its lowest objective.
    max_iter : int, default 50
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
    projection_ : list of ndarray of shape (d, l)
        :math:`F`, orthonormal columns; fewer than l where the matrix has too small a rank.
    objective_ : ndarray of shape (n_iter,)
        :math:`\|X - D S F^\top\|^2` ('adr') or :math:`\|X F - D S\|^2` (the others), summed over tasks,
        after each iteration.  It never rises, except with 'largest', which optimises no single function.
    n_iter_, converged_ : int and bool
        Whether an iteration left all labels as they were.

    Warns
    -----
    DegenerateSubspaceWarning
        If nothing is left in the subspace, or if every partition fits it perfectly.

    Examples
    --------
    >>> X = np.kron(np.eye(2), np.ones((5, 3)))
    >>> labels = ASI(n_clusters=2, random_state=0).fit([X]).labels_[0]
    >>> np.ptp(labels.reshape(2, 5), axis=1).tolist()
    [0, 0]
    """

    traits = Traits(kind="multitask", paper="Li, Ma, Ogihara, SIGIR 2004", task_order_free=True,
                    reconstruction=True)
    ALGORITHM_VERSION = 2
    rules = {"which": SUBSPACES, "n_components": COUNT_OR_NONE, "init": Named(("pca", "random", "k-means"))}

    def __init__(self, n_clusters, *, which="adr", n_components=None, init="pca", n_init=1,
                 max_iter=50, random_state=None):
        self.n_clusters, self.which, self.n_components, self.init = n_clusters, which, n_components, init
        self.n_init, self.max_iter, self.random_state = n_init, max_iter, random_state

    def _check_input(self, Xs):
        Xs, n_clusters = super()._check_input(Xs)
        l = self.n_components or 1
        if l > Xs[0].shape[1]:
            raise ValueError(f"n_components is {l} but there are only {Xs[0].shape[1]} features; lower it")
        if self.which == "adr" and l > min(n_clusters):
            raise ValueError(f"n_components is {l}, but which='adr' finds at most one per cluster "
                             f"(n_clusters={min(n_clusters)}); ask for fewer")
        return Xs, n_clusters

    def _prepare(self, Xs, n_clusters):
        starts = check_initial_labels(self.init, Xs, n_clusters) or [
            _to_cluster(X, self.init, self.n_components or k, k) for X, k in zip(Xs, n_clusters)]
        spaces = [None if self.which == "adr" else Occurring(X) for X in Xs]
        return list(zip(Xs, spaces, starts))

    def _fit_task(self, task, n_clusters, seed):
        X, space, start = task
        labels = _initial_labels(X, n_clusters, start, seed)
        l = min(self.n_components or n_clusters, X.shape[1])
        values = X.data if sp.issparse(X) else X
        squared_norm, rounding = float(np.sum(values ** 2)), 1e-6 * np.abs(values).max(initial=0.0)
        history, converged = [], False
        while not converged and len(history) < self.max_iter:
            D = one_hot(labels, n_clusters)
            F = subspace(X, D, l, self.which, space)
            Z = X @ F
            before, labels = labels, labels if _nothing_left(Z, rounding) else assign(Z, labels, n_clusters)
            between = between_scatter(Z, labels, n_clusters)
            history.append((squared_norm if self.which == "adr" else float(np.sum(Z * Z))) - between)
            converged = np.array_equal(before, labels)
        return Fit(labels, history, converged, {"projection_": F})


def _to_cluster(X, init, n_components, n_clusters):
    """What k-means is to cluster at the start: X, its principal components, (n, l), or nothing."""
    if init != "pca":
        return X if init == "k-means" else None
    Z = _principal_components(X, min(n_components, *X.shape))
    rounded = np.round(Z / (np.abs(Z).max() or 1.0), DECIMALS)
    return rounded if len(np.unique(rounded, axis=0)) < n_clusters else Z


def _principal_components(X, l):
    with np.errstate(invalid="ignore"):  # all samples are equal
        with suppress(ArpackError):
            if l < min(X.shape):
                return PCA(l, svd_solver="arpack", random_state=0).fit_transform(X)
        return PCA(l, svd_solver="full").fit_transform(as_dense(X))


def _initial_labels(X, n_clusters, start, seed):
    if start is None:
        return random_labels(X.shape[0], n_clusters, np.random.default_rng(seed))
    return start if start.ndim == 1 else kmeans_once(start, n_clusters, seed).labels_.astype(np.intp)


def _nothing_left(Z, rounding):
    nothing = Z.size == 0 or np.abs(Z).max() < rounding
    if nothing:
        tell("all samples are projected to the origin, as the features outnumber the rank of the data; "
             "the result is the start; use which='adr'", DegenerateSubspaceWarning)
    return nothing


def assign(Z, labels, n_clusters):
    """Each row of Z, shape (n, l), to the nearest centroid of the current clusters.  A row leaves its own
    cluster only for one that is nearer by more than rounding.  An empty cluster has taken the row farthest
    from its centroid, if one is not alone and not there."""
    rows = np.arange(len(Z))
    counts = np.bincount(labels, minlength=n_clusters)
    centroids = one_hot(labels, n_clusters).T @ Z / np.maximum(counts, 1)[:, None]
    squares = np.sum(Z * Z, axis=1)
    distances = squares[:, None] - 2.0 * Z @ centroids.T + np.sum(centroids ** 2, axis=1)
    distances[:, counts == 0] = np.inf
    rounding = 1e-12 * squares.max(initial=0.0)
    nearest = distances.argmin(axis=1)
    nearer = distances[rows, nearest] < distances[rows, labels] - rounding
    labels = np.where(nearer, nearest, labels)
    return fill_empty(labels, distances[rows, labels], n_clusters, rounding)


def between_scatter(Z, labels, n_clusters):
    """tr(Z^T D (D^T D)^-1 D^T Z): sum over clusters of size times squared norm of the centroid, float."""
    sums = one_hot(labels, n_clusters).T @ Z
    counts = np.bincount(labels, minlength=n_clusters)
    return float(np.sum(sums ** 2 / np.maximum(counts, 1)[:, None]))


class Occurring:
    """The row space of the features of X that occur; the others could only add trivial null directions."""

    def __init__(self, X):
        self.columns = np.flatnonzero(np.asarray(abs(X).sum(axis=0)).ravel())
        self.space = RowSpace(X[:, self.columns])


def subspace(X, D, n_components, which, space):
    """F for given clusters, (d, <= n_components), orthonormal columns.  D holds one-hot labels, (n, k);
    ``which`` is one of SUBSPACES, ``space`` an Occurring, None for 'adr'."""
    Z = D / np.sqrt(np.maximum(D.sum(axis=0), 1.0))
    if which == "adr":
        left, values, _ = svd(X.T @ Z, full_matrices=False)
        return left[:, :n_components][:, values[:n_components] > 1e-10 * values[0]]
    rows = space.space
    rank = rows.squares.size
    n_null = min(n_components, rows.nullity) if which == "smallest" else 0
    count = min(n_components - n_null, rank)
    if which != "largest" and n_null == 0 and rank + D.shape[1] - len(D) >= n_components:
        tell("the rows of the data are nearly independent: in some subspace every partition fits perfectly; "
             "the result is the start; use which='adr'", DegenerateSubspaceWarning)
    find = rows.largest if which == "largest" else rows.smallest_in_range
    parts = ([rows.null(n_null)] if n_null else []) + ([find(Z, count)] if count else [])
    F = np.zeros((X.shape[1], sum(part.shape[1] for part in parts)))
    F[space.columns] = np.hstack([F[space.columns, :0], *parts])
    return F
