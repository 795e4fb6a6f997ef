"""Starting partitions that several methods share."""

import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from mtclib.threads import one_thread


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
    """The run of k-means++ with the lowest inertia, one run a seed; see :func:`kmeans_once`.

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


def check_initial_labels(init, Xs, n_clusters):
    """Initial partitions given by the user: a list with one int array a task.

    Raises
    ------
    ValueError
        Wrong number of arrays, wrong length, or labels outside 0 .. n_clusters[t] - 1.
    """
    if not isinstance(init, (list, tuple)) or len(init) != len(Xs):
        raise ValueError(f"init must be a named start or a list with one label array a task "
                         f"({len(Xs)} of them)")
    labels = []
    for t, (given, X, k) in enumerate(zip(init, Xs, n_clusters)):
        try:
            h = np.asarray(given)
        except ValueError as error:
            raise ValueError(f"init[{t}] cannot be read as an array ({error}); pass one integer a sample of "
                             f"task {t + 1}") from error
        if h.shape != (X.shape[0],) or h.dtype.kind not in "iu" or h.min() < 0 or h.max() >= k:
            raise ValueError(f"init[{t}] must hold {X.shape[0]} integers in 0..{k - 1}, one a sample of "
                             f"task {t + 1}; got shape {h.shape} and dtype {h.dtype}")
        labels.append(h.astype(np.intp))
    return labels
