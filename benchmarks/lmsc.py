"""Does a task of LMSC cost the same after 50 tasks, and how much faster is it than the paper's updates?

    python benchmarks/lmsc.py                    50 tasks: seconds of the processor, bytes of the libraries
    python benchmarks/lmsc.py --only size        4 tasks of 1,000 samples in 3,000 sparse features
    python benchmarks/lmsc.py --only literal     a sweep in loops (tests/literal) against ours
    MTCLIB_DATA=FOLDER python benchmarks/lmsc.py --only falls
                                                 how often the printed updates lower their own objective

Seconds of one processor.  Made-up counts with five planted clusters, a tenth of the entries not zero; 'falls'
takes 3Sources.
"""

import argparse
import sys
import warnings
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from literal import lmsc as literal  # noqa: E402

from mtclib import LMSC
from mtclib.core.lifelong import Libraries
from mtclib.datasets import load

K = 5


def task(n, d, seed, n_views=2):
    """Views of one task."""
    rng = np.random.default_rng(seed)
    means = np.where(np.random.default_rng(1).random((K, d)) < 0.1, 0.5, 0.02)
    return [sp.csr_array(rng.poisson(means[np.arange(n) % K]).astype(float)) for _ in range(n_views)]


def timed(function):
    """Result and seconds of the processor."""
    start = process_time()
    result = function()
    return result, process_time() - start


def stream(n_tasks=50, n=100, d=500):
    """Seconds and kB after ten tasks each; equal numbers of sweeps."""
    model, rows = LMSC(K, n_init=3, max_iter=30, tol=0.0, random_state=0), []
    for t in range(n_tasks):
        views = task(n, d, t)
        _, seconds = timed(lambda views=views: model.partial_fit(views))
        rows.append({"tasks": 10 * (t // 10) + 10, "seconds a task": seconds,
                     "libraries [kB]": model.libraries_.nbytes / 1000})
    return pd.DataFrame(rows).groupby("tasks", as_index=False).median()


def size(n_tasks=4, n=1000, d=3000):
    """One fit of four tasks with two views, default parameters."""
    model, seconds = timed(lambda: LMSC(K, random_state=0).fit([task(n, d, t) for t in range(n_tasks)]))
    return pd.DataFrame([{"tasks": n_tasks, "samples": n, "features": d, "seconds": seconds,
                          "sweeps": model.n_iter_}])


def against_literal(n=60, d=200):
    """Graphs, X-hat and one sweep of the printed updates."""
    views = task(n, d, 0)
    model = LMSC(K, affinity="knn", formulation="printed", max_iter=1, tol=0.0)
    model._task(views, K, 0, Libraries()).run()
    ours, seconds = timed(lambda: model._task(views, K, 0, Libraries()))
    _, sweep = timed(ours.run)

    def in_loops():
        Xs = [X.toarray().T for X in views]
        tasks = [(literal.normalised(literal.affinity(X, 10)), literal.x_hat(X)) for X in Xs]
        state = ours.Es, ours.Bs, ours.Ls, ours.D, ours.alphas
        return literal.sweep(tasks, [(0.0, 0.0)] * len(views), 1, state, 1.0, 0.01, 1.0, 0.01)

    _, expected = timed(in_loops)
    return pd.DataFrame([{"literal [s]": expected, "mtclib [s]": seconds + sweep,
                          "ratio": expected / (seconds + sweep)}])


def falls(sweeps=200):
    """Share of the sweeps that lower the objective, and the largest fall, on the tasks of 3Sources."""
    data, rows = load("lmsc-3sources"), []
    for formulation in ("consistent", "printed"):
        model = LMSC(data.n_clusters, formulation=formulation, max_iter=sweeps, tol=0.0, random_state=0)
        for t, history in enumerate(model.fit(data.Xs).histories_):
            change = np.diff(history)
            rows.append({"formulation": formulation, "task": t + 1, "sweeps": len(history),
                         "falls": int(np.sum(change > 1e-9)), "largest fall": max(change.max(), 0.0),
                         "first": -history[0], "last": -history[-1]})
    return pd.DataFrame(rows)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = {"stream": stream, "size": size, "literal": against_literal, "falls": falls}
    parser.add_argument("--only", choices=parts, default="stream")
    warnings.simplefilter("ignore", ConvergenceWarning)
    with threadpool_limits(limits=1):
        print(parts[parser.parse_args().only]().to_string(index=False), flush=True)


if __name__ == "__main__":
    main()
