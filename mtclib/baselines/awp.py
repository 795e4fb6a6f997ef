"""AWP: multi-view clustering by adaptively weighted Procrustes (Nie, Tian, Li, KDD 2018)."""

import numpy as np
from scipy.linalg import qr

from mtclib.core.base import Fit, MultiViewClusterer, Traits, stops
from mtclib.core.starts import one_hot
from mtclib.maths.eigen import spectral_embedding
from mtclib.maths.graphs import GRAPH_PARAMETERS, view_graphs

# A distance below this counts as this, in the weights alone.
SMALLEST_DISTANCE = 1e-12
# Singular values below this share of the largest are rounding.
NULL = 1e-12
# Relative decrease of the objective that is rounding.
ROUNDING = 1e-13


class AWP(MultiViewClusterer):
    r"""Adaptively weighted Procrustes: one indicator matrix near the rotated embeddings of all views.

    With :math:`F_v` of shape (n, k) the leading eigenvectors of the normalised affinity of view v, it
    minimises, in Frobenius norms that are not squared,

    .. math:: \sum_v \|Y - F_v R_v\|

    over indicator matrices :math:`Y` and orthogonal :math:`R_v`.  A sweep takes, in this order, :math:`Y`
    with a one in each row where :math:`\sum_v F_v R_v / p_v` is largest, :math:`R_v` as the orthogonal factor
    of :math:`F_v^\top Y`, and :math:`p_v = \|Y - F_v R_v\|`; it never raises the sum, as :math:`1 / p_v`
    weighs a majorant.  Labels are read from :math:`Y`: there is no k-means.

    Since :math:`\|Y\|^2 = n` and :math:`\|F_v R_v\|^2 = k`, the :math:`p_v` are nearly equal for n far above
    k, and so are the weights.  A cluster may be left empty.  Where it is, :math:`F_v^\top Y` has too small a
    rank, and part of :math:`R_v` is free.  After the start 'aligned' it stays as near to its last value as it
    can; after 'identity' it is made of the null vectors of a singular value decomposition, as in the authors'
    code, which are arbitrary, but leave fewer clusters empty: on planted views 6.73 of 7 were kept, 6.58 by
    the other rule; 'aligned' kept all 7.

    This is the compared method "AWP" of the LMSC paper, which names no affinity.

    Time grows as n^2: n up to about 40,000 (ten iterations in two minutes).

    Parameters
    ----------
    n_clusters : int
        :math:`k`.
    affinity : {'knn', 'auto', 'knn-cosine', 'gaussian', 'cosine'}, callable or list, default 'knn'
        See ``graphs.normalized_affinities``.  'auto', neighbours by cosine for views of mostly zeros and
        by distance for others, is what :mod:`mtclib.companion` recommends and takes for a user's own data.
    n_neighbors : int or 'log', default 10
        Of the affinities of neighbours; 'log' is floor(log2 n) + 1.
    scale : {'median', 'mean', 'self-tuning'} or float > 0, default 'median'
        Width of 'gaussian'; 'self-tuning' also of neighbours.
    scaling : str, default 'none'
        Of features and views, before the affinities; see :func:`mtclib.maths.scaling.scale_views`.
    init : {'aligned', 'identity'}, default 'aligned'
        'identity': :math:`R_v = I`, as in the authors' code; the result then depends on the arbitrary signs
        of eigenvectors, of which each has its largest entry made positive here.  'aligned': the k rows of
        :math:`F_u` that a pivoted QR decomposition finds farthest apart become the corners of the first
        indicators, and :math:`R_v` is the best rotation of :math:`F_v` on :math:`F_u R_u`; each view is u
        once, and the lowest objective wins.
    max_iter : int, default 300
        Sweeps.
    random_state : None, int, Generator or RandomState
        Of the start vectors of the eigensolver, which change nothing but rounding.

    Attributes
    ----------
    labels_ : ndarray of shape (n,), int
    weights_ : ndarray of shape (n_views,)
        :math:`1 / p_v`, divided by their sum.
    rotations_ : list of ndarray of shape (k, k)
        :math:`R_v`.
    view_embeddings_ : list of ndarray of shape (n, k)
        :math:`F_v`.
    objective_ : ndarray of shape (n_iter,)
        The sum after each sweep; it never rises.
    n_iter_, converged_ : int and bool

    Warns
    -----
    DegenerateSubspaceWarning
        If the graph of a view has more components than clusters.

    References
    ----------
    F. Nie, L. Tian, X. Li. Multiview Clustering via Adaptively Weighted Procrustes. KDD 2018.
    A. Damle, V. Minden, L. Ying. Simple, direct and efficient multi-way spectral clustering. Information and
    Inference 2019 (pivots).

    Examples
    --------
    >>> views = 6 * np.eye(3)[np.arange(60) % 3] + np.random.default_rng(0).normal(size=(2, 60, 3))
    >>> np.bincount(AWP(n_clusters=3).fit(views).labels_).tolist()
    [20, 20, 20]
    """

    traits = Traits(kind="multiview", paper="Nie, Tian, Li, KDD 2018", graph=True)
    ALGORITHM_VERSION = 3
    rules = {**GRAPH_PARAMETERS, "init": ("aligned", "identity")}

    def __init__(self, n_clusters, *, affinity="knn", n_neighbors=10, scale="median", scaling="none",
                 init="aligned", max_iter=300, random_state=None):
        self.n_clusters, self.affinity, self.n_neighbors = n_clusters, affinity, n_neighbors
        self.scale, self.scaling, self.init = scale, scaling, init
        self.max_iter, self.random_state = max_iter, random_state

    def _prepare(self, Xs, n_clusters):
        return view_graphs(self, Xs)

    def _fit_once(self, graphs, n_clusters, seed):
        Fs = [spectral_embedding(graph, n_clusters, seed)[1] for graph in graphs]
        if self.init == "identity":
            Fs = [np.where(F.max(axis=0) < -F.min(axis=0), -F, F) for F in Fs]
            starts = [np.array([np.eye(n_clusters)] * len(Fs))]
        else:
            starts = [aligned_rotations(Fs, u) for u in range(len(Fs))]
        runs = [alternate(Fs, Rs, self.max_iter, self.init == "aligned") for Rs in starts]
        labels, Rs, distances, history, converged = min(runs, key=lambda run: run[3][-1])
        weights = 1.0 / np.maximum(distances, SMALLEST_DISTANCE)
        return Fit(labels, history, converged,
                   {"weights_": weights / weights.sum(), "rotations_": Rs, "view_embeddings_": Fs})


def polars(As, previous=None):
    """Orthogonal Q_v with the largest tr(Q_v^T A_v), all of (n_views, k, k), and those traces, (n_views,).

    Of several, they are the nearest to ``previous``, if given.
    """
    U, s, Vt = np.linalg.svd(As)
    Qs, free = U @ Vt, s <= NULL * np.maximum(s[:, :1], 1.0)
    for v in np.flatnonzero(free.any(axis=1)) if previous is not None else ():
        left, right = U[v][:, free[v]], Vt[v][free[v]]
        B, _, Ct = np.linalg.svd(left.T @ previous[v] @ right.T)
        Qs[v] = U[v][:, ~free[v]] @ Vt[v][~free[v]] + left @ (B @ Ct) @ right
    return Qs + 0.0, s.sum(axis=1)


def aligned_rotations(Fs, reference):
    """R_v (n_views, k, k) from the rows of one F (n, k) that are farthest apart; see ``AWP``.

    Another basis of the span of an F_v changes F_v R_v by nothing but rounding.
    """
    F, identities = Fs[reference], np.array([np.eye(Fs[0].shape[1])] * len(Fs))
    pivots = qr(F.T, mode="r", pivoting=True)[1][:F.shape[1]]
    target = F @ polars(F[pivots].T[None], identities)[0][0]
    return polars(np.stack([F.T @ target for F in Fs]), identities)[0]


def alternate(Fs, Rs, max_iter, near=True):
    """Sweeps from the rotations Rs until the labels repeat.

    With ``near`` the free part of R_v stays near to its last value.  Returns labels (n,), the R_v (k, k), the
    distances p_v (n_views,), the history, and whether it converged.
    """
    n, k = Fs[0].shape
    stack = np.hstack(Fs)
    squares = np.array([np.vdot(F, F) for F in Fs]) + n
    labels, distances, history, converged = None, np.ones(len(Fs)), [], False
    while not converged and len(history) < max_iter:
        last = labels
        weighted = Rs / np.maximum(distances, SMALLEST_DISTANCE)[:, None, None]
        labels = (stack @ np.vstack(weighted)).argmax(axis=1)
        Y = one_hot(labels, k)
        Rs, inner = polars(np.stack([F.T @ Y for F in Fs]), Rs if near else None)
        distances = np.sqrt(np.maximum(squares - 2.0 * inner, 0.0))
        history.append(float(distances.sum()))
        still = len(history) > 1 and stops(history[-2], history[-1], ROUNDING)
        converged = still or np.array_equal(last, labels)
    return labels.astype(np.intp), list(Rs), distances, history, converged
