"""LMSC: how much faster than the paper's updates, and does a task cost the same after 50 tasks?

    python -m benchmarks.lmsc
    python -m benchmarks.lmsc --only size     4 tasks of 1,000 samples in 3,000 sparse features
    python -m benchmarks.lmsc --only stream   50 tasks: seconds of the processor, bytes of the libraries
    python -m benchmarks.lmsc --only falls    how often the printed updates lower their own objective

Made-up counts with five planted clusters, a tenth of the entries not zero; beside scikit-learn, four tasks of
20 Newsgroups in two views; 'falls' takes 3Sources.
"""

import numpy as np
import pandas as pd
import scipy.sparse as sp
from literal import lmsc as literal

from mtclib import LMSC
from mtclib.core.lifelong import Libraries
from mtclib.datasets import load

from .routines import spectral
from .timing import compare, main, timed

K = 5


def task(n, d, seed, n_views=2):
    """Views of one task."""
    rng = np.random.default_rng(seed)
    means = np.where(np.random.default_rng(1).random((K, d)) < 0.1, 0.5, 0.02)
    return [sp.csr_array(rng.poisson(means[np.arange(n) % K]).astype(float)) for _ in range(n_views)]


def against_literal(n=60, d=200):
    """Graphs, X-hat and one sweep of the printed updates."""
    views = task(n, d, 0)
    model = LMSC(K, affinity="knn", formulation="printed", max_iter=1, tol=0.0)
    start = model._task(views, K, 0, Libraries())
    state = start.Es, start.Bs, start.Ls, start.D, start.alphas

    def in_loops():
        Xs = [X.toarray().T for X in views]
        tasks = [(literal.normalised(literal.affinity(X, 10)), literal.x_hat(X)) for X in Xs]
        literal.sweep(tasks, [(0.0, 0.0)] * len(views), 1, state, 1.0, 0.01, 1.0, 0.01)

    yield compare("LMSC, one sweep", "drawn counts", n, lambda: model._task(views, K, 0, Libraries()).run(),
                  in_loops)


def beside_library(n_tasks=4):
    """Whole fits at the defaults."""
    data = load("lmsc-newsgroups", n_tasks=n_tasks, edition="wheel")
    model = LMSC(data.n_clusters, random_state=0)

    def alone():
        for views, k in zip(data.Xs, data.n_clusters):
            spectral(sp.hstack(views, format="csr"), k)

    yield compare("LMSC", "lmsc-newsgroups", sum(views[0].shape[0] for views in data.Xs),
                  lambda: model.fit(data.Xs), library=alone, routine="spectral of each task")


def size(n_tasks=4, n=1000, d=3000):
    """One fit of four tasks with two views, default parameters."""
    model, seconds = timed(lambda: LMSC(K, random_state=0).fit([task(n, d, t) for t in range(n_tasks)]))
    yield {"tasks": n_tasks, "samples": n, "features": d, "seconds": seconds, "sweeps": model.n_iter_}


def stream(n_tasks=50, n=100, d=500):
    """Seconds and kB after ten tasks each; equal numbers of sweeps."""
    model, rows = LMSC(K, n_init=3, max_iter=30, tol=0.0, random_state=0), []
    for t in range(n_tasks):
        views = task(n, d, t)
        _, seconds = timed(lambda views=views: model.partial_fit(views))
        rows.append({"tasks": 10 * (t // 10) + 10, "seconds per task": seconds,
                     "libraries [kB]": model.libraries_.nbytes / 1000})
    return pd.DataFrame(rows).groupby("tasks", as_index=False).median()


def falls(sweeps=200):
    """Share of the sweeps that lower the objective, and the largest fall, on the tasks of 3Sources."""
    data = load("lmsc-3sources")
    for formulation in ("consistent", "printed"):
        model = LMSC(data.n_clusters, formulation=formulation, max_iter=sweeps, tol=0.0, random_state=0)
        for t, history in enumerate(model.fit(data.Xs).histories_):
            change = np.diff(history)
            yield {"formulation": formulation, "task": t + 1, "sweeps": len(history),
                   "falls": int(np.sum(change > 1e-9)), "largest fall": max(change.max(), 0.0),
                   "first": -history[0], "last": -history[-1]}


RATIOS = against_literal, beside_library

if __name__ == "__main__":
    main(__doc__, RATIOS, size=size, stream=stream, falls=falls)
