"""LMSC: how much faster than the paper's updates, and do these lower what they should?

    python -m benchmarks.lmsc
    python -m benchmarks.lmsc --only falls    how often the printed updates lower their own objective

Made-up counts with five planted clusters, a tenth of the entries not zero; 'falls' takes 3Sources.
"""

import numpy as np
import scipy.sparse as sp
from literal import lmsc as literal

from mtclib import LMSC
from mtclib.core.lifelong import Libraries
from mtclib.datasets import load

from .timing import compare, main

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


RATIOS = (against_literal,)

if __name__ == "__main__":
    main(__doc__, RATIOS, falls=falls)
