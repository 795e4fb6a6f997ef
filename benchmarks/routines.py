"""Whole fits on real data beside the routine of scikit-learn that a user would run instead, at the defaults.

The data come from Python packages: the rows are the same on every machine that has a package index.
"""

import numpy as np
from scipy.sparse import csr_array
from sklearn.cluster import KMeans, SpectralClustering

from mtclib.datasets import load

from .timing import compare


def kmeans(X, k):
    """k-means of the samples."""
    KMeans(k, random_state=0).fit(X)


def spectral(X, k):
    """Spectral clustering of the cosine similarities."""
    SpectralClustering(k, affinity="cosine", random_state=0).fit(X)


def spectral_on_neighbours(X, k):
    """Spectral clustering of a graph of nearest neighbours."""
    SpectralClustering(k, affinity="nearest_neighbors", random_state=0).fit(X)


def with_short_indices(X):
    """The same CSR array with the 32-bit indices that scikit-learn asks for."""
    return csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


def on_tasks(name, models, routine):
    """Rows of multi-task methods, by name, on a data set; the routine has each task alone."""
    data = load(name, edition="wheel")
    n = sum(X.shape[0] for X in data.Xs)

    Xs = list(map(with_short_indices, data.Xs))

    def alone():
        for X, k in zip(Xs, data.n_clusters):
            routine(X, k)

    for method, model in models.items():
        model.set_params(n_clusters=data.n_clusters, random_state=0)
        yield compare(method, name, n, lambda model=model: model.fit(data.Xs), library=alone,
                      routine=f"{routine.__name__} of each task")


def on_handwritten(models, routine):
    """Rows of multi-view methods, by name, on six views; the routine has all features, scaled."""
    data = load("handwritten", edition="wheel")
    stack = np.hstack(load("handwritten", edition="wheel", scaling="minmax").Xs)
    for method, model in models.items():
        model.set_params(n_clusters=data.n_clusters, random_state=0)
        yield compare(method, "handwritten", len(stack), lambda model=model: model.fit(data.Xs),
                      library=lambda: routine(stack, data.n_clusters),
                      routine=f"{routine.__name__} of all features")
