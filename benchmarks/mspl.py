"""What does a sweep of MSPL and RMKMC cost beside an iteration of Lloyd's k-means?  Ratios within one run.

    MTCLIB_DATA=FOLDER python benchmarks/mspl.py                    all three parts
    MTCLIB_DATA=FOLDER python benchmarks/mspl.py --only lloyd       beside scikit-learn, on Handwritten
    python benchmarks/mspl.py --only literal                        beside the printed updates, in loops
    python benchmarks/mspl.py --only growth                         views as large as those of the AwA data

FOLDER holds Handwritten/Handwritten.mat.  Times are those of the processor, one thread; the least of several
for the first part, where the fits take turns, because other load on the machine disturbs that least.  The
growth part keeps single precision and prints the largest memory of the process so far, the data included.
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
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from literal import mspl as literal  # noqa: E402

from mtclib import MSPL  # noqa: E402
from mtclib.baselines import RMKMC  # noqa: E402
from mtclib.viewscaling import scale_views  # noqa: E402

SCALING = "minmax+variance"
METHODS = {"MSPL-naive": (MSPL, {"weighting": "naive"}), "MSPL-hard": (MSPL, {"weighting": "hard"}),
           "MSPL-smooth": (MSPL, {"weighting": "smooth"}), "RMKMC": (RMKMC, {})}
# Features of the Animals with Attributes data: colour histogram, LSS, PHOG, SIFT, colour SIFT, SURF.
AWA = (2688, 2000, 252, 2000, 2000, 2000)


def seconds_a_sweep(prepared, name, init, sweeps):
    """Time of the sweeps after the first, each."""
    method, parameters = METHODS[name]
    taken, counts = [], []
    for limit in (1, sweeps):
        model = method(10, scaling=SCALING, init=init, tol=0.0, max_iter=limit, **parameters)
        start = process_time()
        fit = model._fit_once((prepared, init), 10, 0)
        taken.append(process_time() - start)
        counts.append(len(fit.objective))
    return (taken[1] - taken[0]) / (counts[1] - counts[0])


def seconds_an_iteration(X, centers):
    """Time of the iterations after the first of scikit-learn's k-means, each."""
    taken, counts = [], []
    for limit in (1, 100):
        start = process_time()
        model = KMeans(len(centers), init=centers, n_init=1, tol=0.0, max_iter=limit).fit(X)
        taken.append(process_time() - start)
        counts.append(model.n_iter_)
    return (taken[1] - taken[0]) / (counts[1] - counts[0])


def beside_lloyd(repeats):
    """Handwritten, six views, 2,000 samples, ten clusters, double precision."""
    cells = loadmat(Path(os.environ["MTCLIB_DATA"]) / "Handwritten" / "Handwritten.mat")["X"].ravel()
    Xs = [np.asarray(X, dtype=float) for X in cells]
    stack = np.hstack(scale_views(Xs, SCALING))
    centers = stack[np.random.default_rng(0).choice(len(stack), 10, replace=False)]
    init = ((stack[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    views = MSPL(10, scaling=SCALING)._prepare(Xs, 10)[0]
    times = {name: [] for name in ("Lloyd", *METHODS)}
    for _ in range(repeats):
        times["Lloyd"].append(seconds_an_iteration(stack, centers))
        for name in METHODS:
            times[name].append(seconds_a_sweep(views, name, init, 20))
    least = {name: min(values) for name, values in times.items()}
    frame = pd.DataFrame({"milliseconds a sweep": least}).mul(1e3).rename_axis("method").reset_index()
    frame["ratio"] = frame["milliseconds a sweep"] / (1e3 * least["Lloyd"])
    return frame


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
    parser.add_argument("--repeats", type=int, default=25)
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
