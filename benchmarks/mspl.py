"""MSPL and RMKMC: how much faster than the printed updates, what do sweeps cost beside Lloyd's k-means?

    python -m benchmarks.mspl
    python -m benchmarks.mspl --only growth   views as large as those of the AwA data

Drawn views for the transcription; Handwritten for scikit-learn, where all start from the same partition.  The
growth part keeps single precision and prints the largest memory of the process so far, the data included.
"""

import resource

import numpy as np
from literal import mspl as literal
from sklearn.cluster import KMeans
from sklearn.metrics import euclidean_distances

from mtclib import MSPL
from mtclib.baselines import RMKMC
from mtclib.datasets import load

from .timing import compare, main, timed

SCALING = "minmax+variance"
METHODS = {"MSPL-naive": (MSPL, {"weighting": "naive"}), "MSPL-hard": (MSPL, {"weighting": "hard"}),
           "MSPL-smooth": (MSPL, {"weighting": "smooth"}), "RMKMC": (RMKMC, {})}
# Features of the Animals with Attributes data: colour histogram, LSS, PHOG, SIFT, colour SIFT, SURF.
AWA = (2688, 2000, 252, 2000, 2000, 2000)


def against_literal(n=150, sweeps=3):
    """Three views, three clusters: the transcription takes its time."""
    rng = np.random.default_rng(0)
    Xs = [4.0 * rng.normal(size=(3, d))[np.arange(n) % 3] + rng.normal(size=(n, d)) for d in (20, 30, 40)]
    init = rng.integers(0, 3, n)
    for kind in ("hard", "smooth"):
        model = MSPL(3, weighting=kind, scaling="none", init=init, tol=0.0, inner_max_iter=sweeps,
                     max_iter=sweeps).fit(Xs)
        first = [1.0 / model.thresholds_[0]]
        yield compare(f"MSPL-{kind}", "drawn", n, lambda model=model: model.fit(Xs),
                      lambda kind=kind, first=first: literal.mspl(Xs, list(init), 3, kind, first, sweeps))


def beside_library(sweeps=16):
    """As many sweeps as iterations of k-means on all features, ten clusters."""
    Xs = load("handwritten", edition="wheel").Xs
    stack = np.hstack(load("handwritten", edition="wheel", scaling=SCALING).Xs)
    centers = _long_start(stack, sweeps)
    init = euclidean_distances(stack, centers, squared=True).argmin(axis=1)
    for name, (method, parameters) in METHODS.items():
        model = method(10, scaling=SCALING, init=init, tol=0.0, max_iter=sweeps, **parameters)
        yield compare(f"{name}, {sweeps} sweeps", "handwritten", len(stack),
                      lambda model=model: model.fit(Xs), library=lambda: _lloyd(stack, centers, sweeps),
                      routine=f"kmeans of all features, {sweeps} iterations")


def _lloyd(X, centers, limit):
    return KMeans(len(centers), init=centers, n_init=1, tol=0.0, max_iter=limit).fit(X)


def _long_start(X, least):
    """Centroids at random samples from which k-means takes more than so many iterations."""
    starts = (X[np.random.default_rng(seed).choice(len(X), 10, replace=False)] for seed in range(1000))
    return next(centers for centers in starts if _lloyd(X, centers, least + 1).n_iter_ > least)


def growth(n_samples=30475, n_clusters=50, sweeps=3):
    """Seconds per sweep for a third, two thirds and all of generated float32 views, read in blocks."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_clusters, n_samples)
    Xs = []
    for d in AWA:
        X = rng.standard_normal((n_samples, d), dtype=np.float32)
        X += 0.5 * rng.standard_normal((n_clusters, d), dtype=np.float32)[y]
        Xs.append(X)
    for share in (1 / 3, 2 / 3, 1.0):
        part = [X[:int(share * n_samples)] for X in Xs]
        model = MSPL(n_clusters, inner_max_iter=sweeps, tol=0.0, init="points", random_state=0)
        views, init = model._prepare(model._check_input(part)[0], n_clusters)
        taken = []
        for limit in (1, 1 + sweeps):
            model.set_params(max_iter=limit)
            taken.append(timed(lambda: model._fit_once((views, init), n_clusters, 0))[1])  # noqa: B023
        yield {"samples": len(part[0]), "seconds per sweep": (taken[1] - taken[0]) / sweeps,
               "memory [GB]": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20}


RATIOS = against_literal, beside_library

if __name__ == "__main__":
    main(__doc__, RATIOS, growth=growth)
