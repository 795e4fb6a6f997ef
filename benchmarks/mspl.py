"""MSPL: how much faster than the printed updates?

    python -m benchmarks.mspl
"""


import numpy as np
from literal import mspl as literal

from mtclib import MSPL

from .timing import compare, main


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


RATIOS = (against_literal,)

if __name__ == "__main__":
    main(__doc__, RATIOS)
