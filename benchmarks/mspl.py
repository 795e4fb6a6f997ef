"""What does a sweep of MSPL and RMKMC cost beside an iteration of Lloyd's k-means?  Ratios within one run.

    MTCLIB_DATA=FOLDER python benchmarks/mspl.py                    all three parts
    MTCLIB_DATA=FOLDER python benchmarks/mspl.py --only lloyd       beside scikit-learn, on Handwritten
    python benchmarks/mspl.py --only literal                        beside the printed updates, in loops
    python benchmarks/mspl.py --only growth                         views as large as those of the AwA data

FOLDER holds Handwritten/Handwritten.mat.  Times are those of the processor, one thread.  In the part beside
scikit-learn all methods take turns from the same starts.  A repeat adds up the times of several starts, and a
ratio is one of two sums of the same repeat; printed are medians over the repeats and quartiles.  "sweep" is
what the sweeps after the first take, each; "whole fit / n_iter_" shares out all that a call of ``fit`` does.
The growth part keeps single precision and prints the largest memory of the process so far, the data included.
"""

import argparse
import os
import resource
import sys
import warnings
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
from scipy.io import loadmat
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import euclidean_distances
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from literal import mspl as literal  # noqa: E402

from mtclib import MSPL
from mtclib.baselines import RMKMC
from mtclib.maths.scaling import scale_views

SCALING = "minmax+variance"
METHODS = {"MSPL-naive": (MSPL, {"weighting": "naive"}), "MSPL-hard": (MSPL, {"weighting": "hard"}),
           "MSPL-smooth": (MSPL, {"weighting": "smooth"}), "RMKMC": (RMKMC, {})}
# Sweeps of a start in the part beside scikit-learn.
LAST = 16
# Features of the Animals with Attributes data: colour histogram, LSS, PHOG, SIFT, colour SIFT, SURF.
AWA = (2688, 2000, 252, 2000, 2000, 2000)


def handwritten():
    """Six views of 2,000 samples, double precision."""
    cells = loadmat(Path(os.environ["MTCLIB_DATA"]) / "Handwritten" / "Handwritten.mat")["X"].ravel()
    return [np.asarray(X, dtype=float) for X in cells]


def lloyd(X, centers, **parameters):
    """scikit-learn's k-means from given centroids: seconds and iterations."""
    model = KMeans(len(centers), init=centers, n_init=1, **parameters)
    start = process_time()
    model.fit(X)
    return process_time() - start, model.n_iter_


def sweeps_of(name, prepared, init, limit):
    """A method from a given partition, data prepared: seconds and sweeps."""
    method, parameters = METHODS[name]
    model = method(10, scaling=SCALING, init=init, tol=0.0, max_iter=limit, **parameters)
    start = process_time()
    fit = model._fit_once((prepared, init), 10, 0)
    return process_time() - start, len(fit.objective)


def whole_fit(name, Xs, init):
    """A method from a given partition, as its user calls it: seconds and sweeps."""
    method, parameters = METHODS[name]
    model = method(10, scaling=SCALING, init=init, **parameters)
    start = process_time()
    model.fit(Xs)
    return process_time() - start, model.n_iter_


def long_starts(X, count):
    """Centroids at random samples, and their partitions, from which k-means takes more than ``LAST``."""
    starts, seed = [], 0
    while len(starts) < count:
        centers = X[np.random.default_rng(seed).choice(len(X), 10, replace=False)]
        if lloyd(X, centers, tol=0.0)[1] > LAST:
            starts.append((centers, euclidean_distances(X, centers, squared=True).argmin(axis=1)))
        seed += 1
    return starts


def marginal_and_whole(Xs, views, stack, starts):
    """Seconds a sweep of every method, (methods,) each: of sweeps 2 .. ``LAST``, and of whole fits."""
    runs = {"Lloyd": (lambda centers, init, limit: lloyd(stack, centers, tol=0.0, max_iter=limit),
                      lambda centers, init: lloyd(stack, centers))}
    for name in METHODS:
        runs[name] = (lambda centers, init, limit, name=name: sweeps_of(name, views, init, limit),
                      lambda centers, init, name=name: whole_fit(name, Xs, init))
    # Both limits are below what any start takes, so that scikit-learn's last assignment is in both.
    marginal = {name: np.zeros(2) for name in runs}
    whole = {name: np.zeros(2) for name in runs}
    for start in starts:
        for name, (limited, free) in runs.items():
            marginal[name] += np.subtract(limited(*start, LAST), limited(*start, 1))
            whole[name] += free(*start)
    return [{name: seconds / count for name, (seconds, count) in kind.items()} for kind in (marginal, whole)]


def beside_lloyd(repeats, n_starts=4):
    """Median times, and quartiles of the ratios to k-means within a repeat; ten clusters."""
    Xs = handwritten()
    stack = np.hstack(scale_views(Xs, SCALING))
    starts = long_starts(stack, n_starts)
    views = MSPL(10, scaling=SCALING)._prepare(Xs, 10)[0]
    taken = [marginal_and_whole(Xs, views, stack, starts) for _ in range(repeats)]
    rows = []
    for what, kind in (("sweep", 0), ("whole fit / n_iter_", 1)):
        times = pd.DataFrame([repeat[kind] for repeat in taken])
        ratios = times.div(times["Lloyd"], axis=0).quantile([0.5, 0.25, 0.75]).T
        ratios.columns = ["ratio", "lower quartile", "upper quartile"]
        frame = ratios.assign(milliseconds=1e3 * times.median()).rename_axis("method").reset_index()
        rows.append(frame.assign(time=what))
    return pd.concat(rows)[["time", "method", "milliseconds", "ratio", "lower quartile", "upper quartile"]]


def beside_loops(n=150, sweeps=3):
    """Three views, three clusters: the transcription takes its time."""
    rng = np.random.default_rng(0)
    Xs = [4.0 * rng.normal(size=(3, d))[np.arange(n) % 3] + rng.normal(size=(n, d)) for d in (20, 30, 40)]
    init = rng.integers(0, 3, n)
    rows = []
    for kind in ("hard", "smooth"):
        model = MSPL(3, weighting=kind, scaling="none", init=init, tol=0.0, inner_max_iter=sweeps,
                     max_iter=sweeps)
        start = process_time()
        model.fit(Xs)
        ours = process_time() - start
        start = process_time()
        literal.mspl(Xs, list(init), 3, kind, [1.0 / model.thresholds_[0]], sweeps)
        loops = process_time() - start
        rows.append({"weighting": kind, "literal [s]": loops, "mtclib [s]": ours, "ratio": loops / ours})
    return pd.DataFrame(rows)


def growth(n_samples, n_clusters=50, sweeps=3):
    """Seconds a sweep for a third, two thirds and all of generated float32 views, read in blocks."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_clusters, n_samples)
    Xs = []
    for d in AWA:
        X = rng.standard_normal((n_samples, d), dtype=np.float32)
        X += 0.5 * rng.standard_normal((n_clusters, d), dtype=np.float32)[y]
        Xs.append(X)
    rows = []
    for share in (1 / 3, 2 / 3, 1.0):
        part = [X[:int(share * n_samples)] for X in Xs]
        model = MSPL(n_clusters, inner_max_iter=sweeps, max_iter=1 + sweeps, tol=0.0, init="points",
                     random_state=0)
        views, init = model._prepare(model._check_input(part)[0], n_clusters)
        taken = []
        for limit in (1, 1 + sweeps):
            model.set_params(max_iter=limit)
            start = process_time()
            model._fit_once((views, init), n_clusters, 0)
            taken.append(process_time() - start)
        rows.append({"samples": len(part[0]), "seconds a sweep": (taken[1] - taken[0]) / sweeps,
                     "memory [GB]": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20})
    frame = pd.DataFrame(rows)
    frame["relative"] = frame["seconds a sweep"] / frame["seconds a sweep"].iloc[0]
    return frame


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--samples", type=int, default=30475)
    parser.add_argument("--only", choices=("lloyd", "literal", "growth"))
    arguments = parser.parse_args()
    parts = {"literal": beside_loops, "lloyd": lambda: beside_lloyd(arguments.repeats),
             "growth": lambda: growth(arguments.samples)}
    warnings.simplefilter("ignore", ConvergenceWarning)
    with threadpool_limits(limits=1):
        for name, part in parts.items():
            if arguments.only in (None, name):
                print(part().to_string(index=False), flush=True)


if __name__ == "__main__":
    main()
