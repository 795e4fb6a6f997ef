"""The routines of scikit-learn that a user would run instead, at the defaults."""

import numpy as np
from scipy.sparse import csr_array
from sklearn.cluster import KMeans, SpectralClustering


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
