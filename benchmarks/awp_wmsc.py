"""AWP, WMSC and LLMC: how much faster than their transcriptions?

    python -m benchmarks.awp_wmsc

The data are clusters around corners.
"""

import numpy as np
from literal import awp as literal_awp, llmc as literal_llmc, wmsc as literal_wmsc
from literal.coreg import normalised

from mtclib.baselines import LLMC
from mtclib.baselines.awp import aligned_rotations, alternate
from mtclib.baselines.wmsc import weight_problem
from mtclib.maths.eigen import spectral_embedding
from mtclib.maths.graphs import NormalizedMatrix, gaussian_affinity
from mtclib.maths.simplex import simplex_minimiser

from .timing import compare, main

CLUSTERS = 4


def corners(n, d, n_parts, seed=0):
    """Noisy clusters of equal size, drawn once for each part."""
    rng = np.random.default_rng(seed)
    means = 3.0 * np.eye(CLUSTERS, d)[np.arange(n) % CLUSTERS]
    return [means + rng.standard_normal((n, d)) for _ in range(n_parts)]


def against_literal(n=320):
    """The iterations of each method and of its transcription, on the same problem."""
    As, Xs = [gaussian_affinity(X) for X in corners(n, 12, 4)], corners(60, 12, 2)
    yield compare("AWP, rotations", "corners", n, lambda: _awp(As), lambda: _literal_awp(As))
    yield compare("WMSC, weights", "corners", n, lambda: _weights(As), lambda: _literal_weights(As))
    model = LLMC(CLUSTERS, adapt=False, max_iter=8, tol=0.0)
    yield compare("LLMC", "corners", 120, lambda: model.fit(Xs).objective_[-1],
                  lambda: literal_llmc.llmc(Xs, [CLUSTERS] * 2, rounds=8)[-1][3])


def _awp(As, sweeps=300):
    Fs = [spectral_embedding(NormalizedMatrix(A), CLUSTERS, 0)[1] for A in As]
    return alternate(Fs, aligned_rotations(Fs, 0), sweeps)[3][-1]


def _literal_awp(As):
    Fs = [literal_awp.embedding(A, CLUSTERS) for A in As]
    history = []
    while len(history) < 2 or history[-1] != history[-2]:
        history = literal_awp.awp(Fs, aligned_rotations(Fs, 0), len(history) + 1)[3]
    return history[-1]


def _weights(As):
    graphs = [NormalizedMatrix(A) for A in As]
    G, y, constant = weight_problem(graphs, [spectral_embedding(g, CLUSTERS, 0) for g in graphs], 0.1, 0.1)
    x = simplex_minimiser(G, y)
    return 0.5 * x @ G @ x - y @ x + constant


def _literal_weights(As):
    return literal_wmsc.weights([normalised(A) for A in As], CLUSTERS)[1]


RATIOS = (against_literal,)

if __name__ == "__main__":
    main(__doc__, RATIOS)
