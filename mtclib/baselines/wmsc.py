"""WMSC: weighted multi-view spectral clustering based on spectral perturbation (Zong et al., AAAI 2018)."""

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from mtclib.baselines.landmark_spectral import LandmarkSpectral
from mtclib.core.base import Fit, MultiViewClusterer, Traits
from mtclib.core.checks import NONNEGATIVE, POSITIVE
from mtclib.core.errors import tell
from mtclib.core.starts import best_kmeans
from mtclib.maths.eigen import spectral_embedding
from mtclib.maths.graphs import GRAPH_PARAMETERS, NEIGHBOURS, WeightedSum, view_graphs
from mtclib.maths.linalg import unit_rows
from mtclib.maths.scaling import scale_views
from mtclib.maths.simplex import simplex_minimiser

MANY = 20_000
"""Samples beyond which every pair is not compared any more; so many take a quarter of a minute."""


class WMSC(MultiViewClusterer):
    r"""Spectral clustering of the one weighted sum of affinities that perturbs the views' eigenpairs least.

    With :math:`K_i` the normalised affinity of view i, :math:`U_i` its k leading eigenvectors and
    :math:`\Lambda_i` their eigenvalues, the weights :math:`x` minimise, over :math:`x \ge 0` with sum 1,

    .. math:: \tfrac{1}{2} \sum_a \Big\|\sum_i x_i K_i U_a - U_a \Lambda_a\Big\|^2
        + \tfrac{\beta}{2} \|x\|^2 + \tfrac{\eta}{2} x^\top Q x
        = \tfrac{1}{2} x^\top (H + \beta I + \eta Q) x - y^\top x + \text{constant},

    where :math:`H_{ij} = \sum_a \operatorname{tr}(U_a^\top K_i K_j U_a)`,
    :math:`y_i = \sum_a \operatorname{tr}(U_a^\top K_i U_a \Lambda_a)`, and
    :math:`Q = \operatorname{diag}(R 1) - R` draws the weights of views together whose eigenvectors span
    similar spaces: :math:`R_{ij}` is :math:`\pi` minus their largest principal angle.  :math:`\beta` is
    ``ridge`` times :math:`\|H + Q\| / \sqrt{V}`, and :math:`\eta` is ``smoothness`` times
    :math:`\|H + I\| / \|Q\|`.  The problem is strictly convex and is solved exactly, as a nonnegative
    least-squares problem.  The labels come from k-means on the k leading eigenvectors of
    :math:`\sum_i x_i K_i`, rows scaled to unit length.

    This is the compared method "WMSC" of the LMSC paper, which names no affinity.  The objective and the
    scale of :math:`\beta` and :math:`\eta` are those of a public implementation, whose author notes that it
    replaced the Laplacian by the affinity and the eigenvalues of largest magnitude by the largest ones.

    Time grows as n^2 without landmarks: n up to about 30,000 in half a minute.

    Parameters
    ----------
    n_clusters : int
        :math:`k`.
    ridge : float > 0, default 0.1
        Share of the ridge on the weights; larger values make them equal.
    smoothness : float >= 0, default 0.1
        Share of the penalty on different weights of similar views.
    affinity, n_neighbors, scale, scaling
        As in :class:`mtclib.baselines.AWP`.
    landmarks : {'auto', 'never'}, default 'auto'
        With 'auto', more than 20,000 samples and an affinity of neighbours, :class:`LandmarkSpectral` is
        fitted instead, with a warning; 'never' compares all pairs of samples, whatever it takes.  Landmarks
        heed neither ``n_neighbors`` nor ``scale``, and with 'knn' compare views of mostly zeros by cosine.
    n_init, max_iter, seeding : int, int, and {'greedy', 'plain', 'random'}, default 10, 300 and 'greedy'
        Starts of k-means, its iterations, and where it starts; see :func:`mtclib.core.starts.best_kmeans`.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    labels_ : ndarray of shape (n,), int
    weights_ : ndarray of shape (n_views,)
        :math:`x`; equal if landmarks were used.
    weight_objective_ : float
        The objective of the weights; NaN if landmarks were used.
    embedding_ : ndarray of shape (n, k)
        What k-means saw: rows of unit length, or zero.
    objective_ : ndarray of shape (1,)
        Inertia of k-means; there is no history.
    n_iter_, converged_ : int and bool
        Of k-means.

    Warns
    -----
    DegenerateSubspaceWarning
        If the graph of a view, or of their sum, has more components than clusters.
    UserWarning
        If landmarks are used.

    References
    ----------
    L. Zong, X. Zhang, X. Liu, H. Yu. Weighted Multi-View Spectral Clustering Based on Spectral Perturbation.
    AAAI 2018.

    Examples
    --------
    >>> views = 6 * np.eye(3)[np.arange(60) % 3] + np.random.default_rng(0).normal(size=(2, 60, 3))
    >>> np.bincount(WMSC(n_clusters=3, random_state=0).fit(views).labels_).tolist()
    [20, 20, 20]
    """

    traits = Traits(kind="multiview", paper="Zong, Zhang, Liu, Yu, AAAI 2018", monotone=False, graph=True,
                    may_be_infinite=("weight_objective_",))
    ALGORITHM_VERSION = 2
    rules = {**GRAPH_PARAMETERS, "ridge": POSITIVE, "smoothness": NONNEGATIVE, "landmarks": ("auto", "never")}

    def __init__(self, n_clusters, *, ridge=0.1, smoothness=0.1, affinity="knn", n_neighbors=10,
                 scale="median", scaling="none", landmarks="auto", n_init=10, max_iter=300,
                 seeding="greedy", random_state=None):
        self.n_clusters, self.ridge, self.smoothness, self.affinity = n_clusters, ridge, smoothness, affinity
        self.n_neighbors, self.scale, self.scaling, self.landmarks = n_neighbors, scale, scaling, landmarks
        self.n_init, self.max_iter, self.seeding, self.random_state = n_init, max_iter, seeding, random_state

    def _prepare(self, Xs, n_clusters):
        return Xs if too_many(self, Xs) else view_graphs(self, Xs)

    def _fit_landmarks(self, Xs, n_clusters, seeds):
        tell(f"{Xs[0].shape[0]} samples are many: LandmarkSpectral is fitted in place of WMSC, with "
             f"equal weights and its own neighbours; landmarks='never' compares all pairs of samples")
        metric = "cosine" if self.affinity == "knn-cosine" else "auto"
        model = LandmarkSpectral(n_clusters, metric=metric, max_iter=self.max_iter, seeding=self.seeding)
        Xs = Xs if self.scaling == "none" else scale_views(Xs, self.scaling)
        best = model._fit_best(Xs, n_clusters, seeds)
        found = {name: best.attributes[name] for name in ("embedding_", "n_iter_")}
        return replace(best, attributes={**found, "weights_": np.full(len(Xs), 1 / len(Xs)),
                                         "weight_objective_": np.nan})

    def _fit_best(self, prepared, n_clusters, seeds):
        if isinstance(prepared[0], (np.ndarray, sp.csr_array)):
            return self._fit_landmarks(prepared, n_clusters, seeds)
        graphs = prepared
        pairs = [spectral_embedding(graph, n_clusters, seeds[0]) for graph in graphs]
        G, y, constant = weight_problem(graphs, pairs, float(self.ridge), float(self.smoothness))
        x = simplex_minimiser(G, y)
        V = unit_rows(spectral_embedding(WeightedSum(graphs, x), n_clusters, seeds[0])[1])
        model = best_kmeans(V, n_clusters, seeds, self.max_iter, self.seeding)
        value = float(0.5 * x @ G @ x - y @ x + constant)
        return Fit(model.labels_.astype(np.intp), [float(model.inertia_)], model.n_iter_ < self.max_iter, {
            "weights_": x, "weight_objective_": value, "embedding_": V, "n_iter_": int(model.n_iter_)})


def too_many(model, Xs):
    """Whether a WMSC takes landmarks for these views."""
    return model.landmarks == "auto" and Xs[0].shape[0] > MANY and model.affinity in NEIGHBOURS


def weight_problem(graphs, pairs, ridge, smoothness):
    """The quadratic objective x^T G x / 2 - y^T x + constant of the weights; see ``WMSC``.  ``pairs`` are the
    leading eigenvalues, (k,), and eigenvectors, (n, k), of each graph.  G is (V, V), positive definite, y
    (V,)."""
    # A pair that does not exist has the eigenvalue NaN and a zero vector.
    pairs = [(np.nan_to_num(values), U) for values, U in pairs]
    Ks = [graph.block(np.arange(graph.shape[0])) for graph in graphs]
    n_views = len(Ks)
    H, y = np.zeros((n_views, n_views)), np.zeros(n_views)
    for values, U in pairs:
        products = np.array([(K @ U).ravel() for K in Ks])
        H += products @ products.T
        y += products @ (U * values).ravel()
    R = np.pi - largest_angles([U for _, U in pairs])
    Q = np.diag(R.sum(axis=1)) - R
    beta = ridge * np.linalg.norm(H + Q) / n_views**0.5
    # One view has no other to be like.
    eta = smoothness * np.linalg.norm(H + np.eye(n_views)) / np.linalg.norm(Q) if n_views > 1 else 0.0
    constant = 0.5 * sum(float(values @ values) for values, _ in pairs)
    return H + beta * np.eye(n_views) + eta * Q, y, constant


def largest_angles(bases):
    """Largest principal angle between each two subspaces, in 0 .. pi / 2: (V, V), symmetric, zero diagonal.
    Bases have orthonormal columns, (n, k); a zero column counts as orthogonal to everything."""
    angles = np.zeros((len(bases), len(bases)))
    for i in range(len(bases)):
        for j in range(i):
            cosine = np.linalg.svd(bases[i].T @ bases[j], compute_uv=False)[-1]
            angles[i, j] = angles[j, i] = np.arccos(min(cosine, 1.0))
    return angles
