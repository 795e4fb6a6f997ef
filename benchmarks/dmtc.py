"""DMTFC and DMTRC: how much faster than the literal updates?

    python -m benchmarks.dmtc

The same sweeps from the same start, through the full normal equations of tests/literal, on drawn text.
"""

import numpy as np
from literal import dmtc as literal

from mtclib.baselines import DMTFC, DMTRC
from mtclib.baselines.dmtc import CoupledRidge, relax, start_labels

from .drawn import text
from .timing import compare, main

CLUSTERS, FLOOR = 4, 0.1


def against_literal(sizes=(60, 50, 55), terms=300, sweeps=10, lam=2.0**-6):
    """The relaxed iteration alone, a fixed number of sweeps."""
    Xs, T = text(sizes, terms, CLUSTERS), len(sizes)
    dense = [X.toarray() for X in Xs]
    for cls, kind in ((DMTFC, "features"), (DMTRC, "relation")):
        Theta = np.eye(terms) / terms if kind == "features" else np.eye(T) / T

        def begin(cls=cls):
            ridge = CoupledRidge(Xs, lam, lam)
            return ridge, cls(CLUSTERS)._coupling(ridge, FLOOR)

        ridge, coupling = begin()
        Fs = [start_labels(X, CLUSTERS - 1) for X in Xs]
        Fs = [F @ R for F, R in zip(Fs, coupling.rotations(ridge.solve(coupling, Fs)[0]))]
        yield compare(f"{cls.__name__}, relaxed", "drawn text", sum(sizes),
                      lambda begin=begin: relax(*begin(), CLUSTERS, sweeps, 0.0)[1][-1],
                      lambda kind=kind, Fs=Fs, Theta=Theta: literal.relax(
                          dense, Fs, Theta, lam, lam, FLOOR, kind, sweeps)[-1][-1])


RATIOS = (against_literal,)

if __name__ == "__main__":
    main(__doc__, RATIOS)
