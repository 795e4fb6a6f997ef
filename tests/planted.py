"""What several test files need: fits without warnings, matrices and comparisons."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mtclib.core.base import DegenerateSubspaceWarning, EmptyClusterWarning, EmptySampleWarning

EXPECTED = (ConvergenceWarning, DegenerateSubspaceWarning, EmptyClusterWarning, EmptySampleWarning)


def quiet_fit(estimator, Xs):
    """The fitted estimator, without the warnings that a short fit and odd data are known to give."""
    with warnings.catch_warnings():
        for category in EXPECTED:
            warnings.simplefilter("ignore", category)
        return estimator.fit(Xs)


def fitting(cls, quiet=False, **defaults):
    """A function that fits an estimator of a class: ``fit(Xs, k, **parameters)``."""
    def fit(Xs, k=3, **parameters):
        model = cls(k, **{"random_state": 0, **defaults, **parameters})
        return quiet_fit(model, Xs) if quiet else model.fit(Xs)

    return fit


def orthonormal(n, k, seed):
    """A random (n, k) matrix with orthonormal columns."""
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((n, k)))[0]


def equal(first, second):
    """Whether two sequences, equally long, hold equal arrays."""
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def even_start(Xs, Ks, seed=0):
    """Random labels per task with clusters of equal sizes."""
    return [np.random.default_rng([seed, t]).permutation(np.arange(len(X)) % k)
            for t, (X, k) in enumerate(zip(Xs, Ks))]


def noisy_views(n=60, seed=0, noise=(0.6, 1.0, 1.4), k=3):
    """Views of k columns with k shared clusters, sample i in cluster i mod k, under more and more noise."""
    rng = np.random.default_rng(seed)
    means = 3.0 * np.eye(k)[np.arange(n) % k]
    return [means + s * rng.standard_normal((n, k)) for s in noise]


def nonnegative_views(n=36, widths=(50, 8, 20), seed=0):
    """Views with three shared clusters; some have more features than samples, some fewer."""
    rng = np.random.default_rng(seed)
    return [np.abs(rng.random((3, d))[np.arange(n) % 3] + 0.4 * rng.standard_normal((n, d))) for d in widths]


def signal_views(n, widths, seed=0):
    """Views with a shared signal of three dimensions."""
    rng = np.random.default_rng(seed)
    shared = rng.standard_normal((n, 3)) * [3.0, 2.0, 1.0]
    return [shared @ rng.standard_normal((3, d)) + rng.standard_normal((n, d)) for d in widths]


def blobs(seed=0, n=60, k=3, spread=(0.7, 1.0, 1.5), distance=4.0, d=4):
    """Views with the same clusters, further apart in the first views than in the last, and the clusters."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    return [distance * rng.normal(size=(k, d + v))[y] + s * rng.normal(size=(n, d + v))
            for v, s in enumerate(spread)], y


def counted_views(n=24, seed=0, d=(9, 12), signal=4.0, k=3):
    """Views of counts with k planted clusters, sample i in cluster i mod k."""
    rng = np.random.default_rng(seed)
    means = [1.0 + signal * np.kron(np.eye(k), np.ones(size // k)) for size in d]
    return [rng.poisson(mean[np.arange(n) % k]).astype(float) for mean in means]


def counted_tasks(n_tasks=3, **options):
    """Tasks of such views, for the methods that take them one by one."""
    return [counted_views(seed=seed, **options) for seed in range(n_tasks)]


def skewed(name="sqeuclidean", sizes=(14, 11), d=4, seed=0):
    """Positive tasks around three planted means, spread in proportion to them; on the simplex for 'kl'."""
    rng = np.random.default_rng(seed)
    means = 0.5 + 3.0 * rng.random((3, d))
    Xs = [means[np.arange(n) % 3] * np.exp(0.4 * rng.normal(size=(n, d))) for n in sizes]
    return [X / X.sum(axis=1, keepdims=True) for X in Xs] if name == "kl" else Xs


def first_features(sizes, d, k=3, noise=0.6, seed=0, signal=2.0):
    """Tasks whose clusters differ in the first k features, the same in all tasks."""
    rng = np.random.default_rng(seed)
    return [signal * np.eye(k, d)[np.arange(n) % k] + noise * rng.standard_normal((n, d)) for n in sizes]
