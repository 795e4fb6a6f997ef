"""Starting partitions that several methods share, and one thread for what must add in the same order."""

import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import get_cached_controller  # comes with scikit-learn


def one_thread(user_api=None):
    """A context in which OpenMP and BLAS use one thread.

    Libraries count that are loaded when the context is entered.

    Parameters
    ----------
    user_api : {None, 'blas', 'openmp'}
        Limit only these.

    Returns
    -------
    context manager

    Examples
    --------
    >>> from threadpoolctl import threadpool_info
    >>> with one_thread():
    ...     {library["num_threads"] for library in threadpool_info()}
    {1}
    """
    # To look through the libraries of the process takes 5 ms, more than many a k-means run.
    return get_cached_controller().limit(limits=1, user_api=user_api)


def kmeans_once(X, n_clusters, seed, init="random", max_iter=300, tol=1e-4):
    """One k-means run of scikit-learn (Lloyd), the same for any number of threads.

    Parameters
    ----------
    X : {ndarray, CSR array} of shape (n, d)
    n_clusters : int
    seed : int
    init : {'random', 'k-means++'}
        'random' starts from samples drawn at random.
    max_iter : int
    tol : float
        Relative to the mean variance of the features.

    Returns
    -------
    sklearn.cluster.KMeans
        Fitted.
    """
    model = KMeans(n_clusters, init=init, n_init=1, max_iter=max_iter, tol=tol, random_state=seed)
    with one_thread(), warnings.catch_warnings():
        # Fewer distinct rows than clusters leaves clusters empty; the contract allows that.
        warnings.simplefilter("ignore", ConvergenceWarning)
        # scikit-learn centres dense data, so that equal distances, common among counts, are no longer
        # equal after rounding; as CSR the same data take the same path in either form.
        return model.fit(sp.csr_array(X))


def best_kmeans(X, n_clusters, seeds, max_iter=300):
    """The run of k-means++ with the lowest inertia, one run per seed; see :func:`kmeans_once`.

    Examples
    --------
    >>> model = best_kmeans(np.array([[0.0], [1.0], [9.0]]), 2, seeds=[0, 1])
    >>> round(model.inertia_, 6)
    0.5
    """
    runs = (kmeans_once(X, n_clusters, seed, "k-means++", max_iter) for seed in seeds)
    return min(runs, key=lambda model: model.inertia_)


def one_hot(labels, n_clusters):
    """Indicator matrix of shape (n, n_clusters), float64.

    Examples
    --------
    >>> one_hot(np.array([1, 0]), 2)
    array([[0., 1.],
           [1., 0.]])
    """
    return np.eye(n_clusters)[labels]


def random_labels(n, k, rng):
    """Labels of n >= k samples in random order, each cluster as large as the others, or by one larger.

    Examples
    --------
    >>> np.bincount(random_labels(7, 3, np.random.default_rng(0))).tolist()
    [3, 2, 2]
    """
    return rng.permutation(np.arange(n) % k)
