"""How much faster than their transcriptions are AWP, WMSC and LLMC, and how long at the size of text?

    python benchmarks/awp_wmsc.py                 against the transcriptions in tests/literal, small data
    python benchmarks/awp_wmsc.py --only text     700 samples in four views; four tasks of 1,000 samples

The data are drawn: clusters around corners for the comparison; for text, documents of four topics, words by
Zipf's law, tf-idf rows of unit length.  Seconds of one processor.
"""

import argparse
import sys
import warnings
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
from clr_mtsc import text
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from literal import awp as literal_awp  # noqa: E402
from literal import llmc as literal_llmc  # noqa: E402
from literal import wmsc as literal_wmsc  # noqa: E402

from mtclib.baselines import AWP, LLMC, WMSC, MultiViewSNMF
from mtclib.baselines.awp import aligned_rotations, alternate
from mtclib.baselines.wmsc import weight_problem
from mtclib.maths.eigen import spectral_embedding
from mtclib.maths.graphs import NormalizedMatrix, gaussian_affinity
from mtclib.maths.simplex import simplex_minimiser

CLUSTERS = 4


def timed(function):
    """Result and seconds of the processor."""
    start = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        result = function()
    return result, process_time() - start


def corners(n, d, n_parts, seed=0):
    """Noisy clusters of equal size, drawn once a part."""
    rng = np.random.default_rng(seed)
    means = 3.0 * np.eye(CLUSTERS, d)[np.arange(n) % CLUSTERS]
    return [means + rng.standard_normal((n, d)) for _ in range(n_parts)]


def against_literal(n=320):
    """Seconds and objectives of each method and of its transcription, on the same problem."""
    As = [gaussian_affinity(X) for X in corners(n, 12, 4)]
    Xs = corners(60, 12, 2)
    pairs = {
        "AWP": (lambda: _awp(As), lambda: _literal_awp(As)),
        "WMSC weights": (lambda: _weights(As),
                         lambda: literal_wmsc.weights([literal_wmsc.normalised(A) for A in As], CLUSTERS)[1]),
        "LLMC": (lambda: LLMC(CLUSTERS, adapt=False, max_iter=8, tol=0.0).fit(Xs).objective_[-1],
                 lambda: literal_llmc.llmc(Xs, [CLUSTERS] * 2, rounds=8)[-1][3])}
    rows = []
    for name, (ours, literal) in pairs.items():
        timed(ours)  # once for imports and memory
        value, seconds = timed(ours)
        expected, slow = timed(literal)
        rows.append({"method": name, "literal [s]": slow, "mtclib [s]": seconds,
                     "literal / ours": slow / seconds, "its objective": expected, "ours": value})
    return pd.DataFrame(rows)


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


def at_the_size_of_text():
    """Seconds a fit, iterations and agreement with the topics."""
    views, labels = text((700,) * 4, 5000, CLUSTERS)
    rows = []
    for cls in (AWP, WMSC, MultiViewSNMF):
        model, seconds = timed(lambda cls=cls: cls(CLUSTERS, scaling="rows", random_state=0).fit(views))
        rows.append({"method": cls.__name__, "data": "4 views, 700 x 5000", "seconds": seconds,
                     "iterations": model.n_iter_, "ARI": adjusted_rand_score(labels[0], model.labels_)})
    tasks, labels = text((1000,) * 4, 3000, CLUSTERS)
    for gamma in (0.1, 1.0, 10.0):
        model, seconds = timed(lambda gamma=gamma: LLMC(
            CLUSTERS, gamma=gamma, metric="cosine", max_iter=20, random_state=0).fit(tasks))
        ari = np.mean([adjusted_rand_score(a, b) for a, b in zip(labels, model.labels_)])
        rows.append({"method": f"LLMC gamma={gamma}", "data": "4 tasks, 1000 x 3000", "seconds": seconds,
                     "iterations": model.n_iter_, "ARI": ari})
    return pd.DataFrame(rows)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("literal", "text"), default="literal")
    part = {"literal": against_literal, "text": at_the_size_of_text}[parser.parse_args().only]
    with threadpool_limits(limits=1):
        print(part().to_string(index=False), flush=True)


if __name__ == "__main__":
    main()
