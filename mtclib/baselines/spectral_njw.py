"""SpectralNJW: spectral clustering after Ng, Jordan and Weiss (NIPS 2001)."""

import numpy as np

from mtclib.core.base import Fit, SingleTaskClusterer, Traits
from mtclib.core.checks import COUNT, POSITIVE, Named
from mtclib.core.starts import best_kmeans
from mtclib.maths.eigen import spectral_embedding
from mtclib.maths.graphs import NEIGHBOURS, SCALES, normalized_affinities
from mtclib.maths.linalg import unit_rows


class SpectralNJW(SingleTaskClusterer):
    r"""Spectral clustering of each task: k-means on the leading eigenvectors of its similarity graph.

    The compared method "SC" of the SPMTC paper, which names neither affinity nor scale.  With :math:`A` the
    affinities, :math:`A_{ii} = 0` and :math:`D = \operatorname{diag}(A 1)`, the rows of the k leading
    eigenvectors of

    .. math:: D^{-1/2} A D^{-1/2}

    are scaled to unit length and clustered by k-means.  A sample without neighbours has a zero row: its label
    carries no information.  ``sklearn.cluster.SpectralClustering`` is another method; it uses random-walk
    vectors and does not scale the rows.

    Parameters
    ----------
    n_clusters : int or list of int
        Clusters of each task.
    affinity : {'cosine', 'gaussian', 'auto', 'knn', 'knn-cosine'}, callable or list, default 'cosine'
        'cosine' never forms an (n, n) array for nonnegative data; see ``graphs.normalized_affinities``.
    scale : {'median', 'mean', 'self-tuning'} or float > 0, default 'median'
        Width of 'gaussian'; see ``graphs.gaussian_affinity``.  'self-tuning' also of neighbours.
    n_neighbors : int, 'log' or 'scales', default 10
        Of the affinities of neighbours; 'log' is floor(log2 n) + 1, 'scales' adds the normalised graphs of
        10, 30 and 100 neighbours up.  A class much smaller than that does not stand alone.
    n_init, max_iter, seeding : int, int, and {'greedy', 'plain', 'random'}, default 10, 300 and 'greedy'
        Starts of k-means, its iterations, and where it starts; see :func:`mtclib.core.starts.best_kmeans`.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
    embedding_ : list of ndarray of shape (n_t, k_t)
        Unit or zero rows; determined up to a rotation.
    eigenvalues_ : list of ndarray of shape (k_t,)
        Descending, at most 1 but for rounding.  NaN, with a zero column of ``embedding_``, where fewer than
        k_t samples have neighbours.
    objective_ : ndarray of shape (1,)
        Total inertia of k-means in the embedding; there is no history.
    n_iter_, converged_ : int and bool
        Largest number of k-means iterations over the tasks, and whether k-means converged.

    Warns
    -----
    DegenerateSubspaceWarning
        If a graph has more components than clusters: the leading eigenvectors are then not determined.

    Examples
    --------
    >>> X = np.kron(np.eye(2), np.ones((5, 3)))
    >>> labels = SpectralNJW(n_clusters=2, random_state=0).fit([X]).labels_[0]
    >>> np.ptp(labels.reshape(2, 5), axis=1).tolist()
    [0, 0]
    """

    traits = Traits(kind="multitask", paper="Ng, Jordan, Weiss, NIPS 2001", monotone=False,
                    task_order_free=True, graph=True, may_be_infinite=("eigenvalues_",))
    rules = {"scale": Named(SCALES, POSITIVE), "affinity": Named((*NEIGHBOURS, "cosine", "gaussian")),
             "n_neighbors": Named(("log", "scales"), COUNT)}

    def __init__(self, n_clusters, *, affinity="cosine", scale="median", n_neighbors=10, n_init=10,
                 max_iter=300, seeding="greedy", random_state=None):
        self.n_clusters, self.affinity, self.scale = n_clusters, affinity, scale
        self.n_neighbors, self.n_init, self.max_iter = n_neighbors, n_init, max_iter
        self.seeding, self.random_state = seeding, random_state

    def _prepare(self, Xs, n_clusters):
        return normalized_affinities(Xs, self.affinity, self.scale, n_neighbors=self.n_neighbors)

    def _fit_best(self, prepared, n_clusters, seeds):
        embedded = [spectral_embedding(graph, k, seeds[0]) for graph, k in zip(prepared, n_clusters)]
        # One call per task, with all seeds.
        return super()._fit_best(embedded, n_clusters, [seeds])

    def _fit_task(self, task, n_clusters, seeds):
        eigenvalues, V = task
        V = unit_rows(V)
        model = best_kmeans(V, n_clusters, seeds, self.max_iter, self.seeding)
        return Fit(model.labels_.astype(np.intp), [float(model.inertia_)], model.n_iter_ < self.max_iter,
                   {"embedding_": V, "eigenvalues_": eigenvalues, "n_iter_": int(model.n_iter_)})
