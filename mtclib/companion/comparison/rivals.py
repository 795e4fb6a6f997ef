"""What a user would take instead of a method of ours, and what a method is without the other tasks.

Methods of scikit-learn and of the living multi-view packages, each at its own defaults, under the contract
that runs expect of an estimator.  The packages come with the extra ``comparison``.
"""

from importlib import import_module
from pkgutil import resolve_name

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.cluster import spectral_clustering
from sklearn.utils import check_array

from mtclib.baselines import registry
from mtclib.baselines.adapters import side_by_side
from mtclib.maths.linalg import as_dense

TAKE_SPARSE = ("KMeans", "SpectralClustering")


def named(path):
    """What "package.module:attribute" names; the error for a missing package says how to get it."""
    try:
        return resolve_name(path)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{path} needs {error.name}; install mtclib with the extra that brings it: mtclib[comparison]; "
            "mvlearn asks for an old matplotlib: pip install --no-deps mvlearn==0.5.0",
            name=error.name) from error


class Rival(BaseEstimator):
    """Adapter that gives another package's clusterer mtclib's interface, at its defaults but for ``options``.
    ``path`` is its "package.module:Class", or "snf:snf". Methods of scikit-learn see views side by side. A
    list ``n_clusters`` says that ``Xs`` are tasks: each is clustered alone, or with ``pooled`` at once, into
    the largest number of clusters of a task."""

    def __init__(self, n_clusters, *, path="sklearn.cluster:KMeans", pooled=False, options=None,
                 random_state=None):
        self.n_clusters, self.path, self.pooled = n_clusters, path, pooled
        self.options, self.random_state = options, random_state

    @classmethod
    def algorithm_version(cls):
        """Raised if what is asked of the packages changes; pyproject.toml has their versions."""
        return 1

    def fit(self, Xs, y=None):
        """Cluster views, or tasks; ``objective_`` is 0, as packages do not agree on one."""
        self.objective_, self.n_iter_, self.converged_ = np.zeros(1), 1, True
        if not isinstance(self.n_clusters, list):
            self.labels_ = self._labels(Xs, self.n_clusters)
        elif self.pooled:
            stack = sp.vstack(Xs, format="csr") if sp.issparse(Xs[0]) else np.vstack(Xs)
            ends = np.cumsum([X.shape[0] for X in Xs])[:-1]
            self.labels_ = np.split(self._labels([stack], max(self.n_clusters)), ends)
        else:
            self.labels_ = [self._labels([X], k) for X, k in zip(Xs, self.n_clusters)]
        return self

    def _labels(self, Xs, k):
        method = named(self.path)
        if self.path == "snf:snf":
            return _fused(list(map(as_dense, Xs)), k, self.random_state)
        known = method._get_param_names()
        options = {**(self.options or {}), "n_clusters" if "n_clusters" in known else "n_components": k}
        if "random_state" in known:
            options["random_state"] = self.random_state
        data = side_by_side(Xs) if self.path.startswith("sklearn.") else list(map(as_dense, Xs))
        if not isinstance(data, list) and method.__name__ not in TAKE_SPARSE:
            data = as_dense(data)
        return np.asarray(method(**options).fit_predict(data), dtype=int)


class Alone(BaseEstimator):
    """A method that shares between tasks, by its name and with ``parameters``, on each task by itself."""

    def __init__(self, n_clusters, *, estimator="MBC", parameters=None, random_state=None):
        self.n_clusters, self.estimator = n_clusters, estimator
        self.parameters, self.random_state = parameters, random_state

    @classmethod
    def algorithm_version(cls, estimator):
        """That of the method."""
        return registry.estimator(estimator).algorithm_version()

    def fit(self, Xs, y=None):
        """Cluster each task; the largest number of iterations counts, and whether all converged."""
        method, options = registry.estimator(self.estimator), self.parameters or {}
        models = [method(k, random_state=self.random_state, **options).fit([X])
                  for X, k in zip(Xs, self.n_clusters)]
        self.labels_ = [model.labels_[0] for model in models]
        self.objective_ = np.array([sum(model.objective_[-1] for model in models)])
        self.n_iter_ = max(model.n_iter_ for model in models)
        self.converged_ = all(model.converged_ for model in models)
        return self


def _fused(Xs, k, seed):
    """Similarity network fusion and spectral clustering of what it gives, as in the example of snfpy."""
    snf, compute = import_module("snf"), import_module("snf.compute")
    # snfpy 0.2.2 has the name that an option of scikit-learn had until 1.7.
    compute.check_array = lambda X, force_all_finite=True, **more: check_array(
        X, ensure_all_finite=force_all_finite, **more)
    return spectral_clustering(snf.snf(snf.make_affinity(Xs)), n_clusters=k, random_state=seed)
