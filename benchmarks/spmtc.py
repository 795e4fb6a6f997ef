"""SPMTC and LSSMTC: how much faster than the printed updates?

    python -m benchmarks.spmtc
    python -m benchmarks.spmtc --only fits --output data/spmtc/results/fit_times.csv

The literal fit decomposes the (d, d) matrix of Eq. (25) in every iteration; ours pays for its set-up once,
so few iterations understate the ratio.  "fits" takes PEOPLEvsPLACES, the data of the paper's
running times: it prints 3.1 s for LSSMTC and 4.2 s for SPMTC-h.
"""

import numpy as np
from literal import spmtc as literal

from mtclib import LSSMTC, SPMTC
from mtclib.core.base import spawn_seeds
from mtclib.datasets import load
from mtclib.maths import linalg

from .timing import compare, main, timed


def against_literal(iterations=5, l=2, lam=0.75, seed=0):
    """LSSMTC with the paper's update of W; after a few more iterations the printed one of P has 0 / 0."""
    data = load("spmtc-compvssci", edition="wheel", split="test", weighting="counts-l2")
    model = LSSMTC(2, n_components=l, lam=lam, w_update="eig_small", max_iter=iterations, tol=0.0,
                   random_state=seed)
    start = model._memberships(model._prepare(data.Xs, [2, 2]), 2, spawn_seeds(seed, 1)[0])
    dense, ones = [X.toarray().T for X in data.Xs], [np.ones(X.shape[0]) for X in data.Xs]
    yield compare(f"LSSMTC, {iterations} iterations", data.name, sum(X.shape[0] for X in data.Xs),
                  lambda: float(_afresh(model, data.Xs).objective_[-1]),
                  lambda: literal.lssmtc(dense, start, lam, l, "eig_small", ones, iterations)[-1][-1])


def _afresh(model, Xs):
    """A fit that finds nothing remembered."""
    linalg._SPECTRA.clear()
    return model.fit(Xs)


def fits(repeats=10):
    """Seconds of whole fits as the tables are judged, one row per repeat; a repeat has its own start."""
    Xs = load("spmtc-peoplevsplaces", edition="counts").Xs
    for repeat in range(repeats):
        given = {"w_update": "mult", "lam": 0.5, "tol": 1e-5, "kkt_tol": 1, "random_state": repeat}
        paced = {"free_rows": "keep", **given}
        models = {"LSSMTC": LSSMTC(2, max_iter=300, **given), "SPMTC-h": SPMTC(2, **paced),
                  "SPMTC-s": SPMTC(2, weighting="soft", **paced)}
        for name, model in models.items():
            yield {"pipeline": "PEOPLEvsPLACES (counts, rows kept)", "method": name, "repeat": repeat,
                   "seconds": timed(lambda model=model: _afresh(model, Xs))[1]}


RATIOS = (against_literal,)

if __name__ == "__main__":
    main(__doc__, RATIOS, fits=fits)
