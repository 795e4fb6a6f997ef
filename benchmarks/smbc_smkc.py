"""S-MBC and MKC: how much faster than their transcriptions in loops?

    python -m benchmarks.smbc_smkc

A few samples from the same start: for S-MBC ten sweeps on both sides, for MKC one, in which the loops take
two steps of the memberships and ours ten.
"""

import numpy as np
from literal import mbc as literal_mbc, mkc as literal_mkc, smbc as literal_smbc

from mtclib.baselines import MKC, SMBC

from .timing import compare, main


def against_literal(sizes=(14, 12), k=3, sweeps=10):
    """Whole fits."""
    rng = np.random.default_rng(0)
    means = 3.0 * rng.normal(size=(k, 2))
    Xs = [means[np.arange(n) % k] + rng.normal(size=(n, 2)) for n in sizes]
    labels = [np.random.default_rng(t).permutation(np.arange(n) % k) for t, n in enumerate(sizes)]
    stack, d = np.vstack(Xs), literal_mbc.sqeuclidean
    smbc = SMBC(k, lam=0.1, init=labels, max_iter=sweeps, tol=0.0)
    yield compare("S-MBC", "drawn", sum(sizes), lambda: smbc.fit(Xs),
                  lambda: literal_smbc.smart(Xs, labels, [k, k], 0.1, "partition", d, lambda x: 2 * x,
                                             lambda g: g / 2, literal_mbc.symmetric_centroid, sweeps))
    mkc = MKC(k, kernel="linear", init=labels, max_iter=1, tol=0.0)
    yield compare("MKC", "drawn", sum(sizes), lambda: mkc.fit(Xs),
                  lambda: literal_mkc.algorithm(labels, [k, k], 0.5, stack @ stack.T, True, 1, 2))


RATIOS = (against_literal,)

if __name__ == "__main__":
    main(__doc__, RATIOS)
