"""How long do fits of DMTFC and DMTRC take, and how much faster are they than the literal updates?

    python benchmarks/dmtc.py
    python benchmarks/dmtc.py --only literal

Fits: 4 tasks of 1,000 documents, 3,000 terms, drawn from topics, unit-length tf-idf, for three values of the
weights.  Literal: the same sweeps from the same start through the full normal equations of tests/literal, on
small data.  Seconds of one processor.
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
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from literal import dmtc as literal  # noqa: E402

from mtclib.baselines import DMTFC, DMTRC
from mtclib.baselines.dmtc import CoupledRidge, FeatureMetric, TaskRelation, relax, start_labels

CLUSTERS, WORDS, FLOOR = 4, 80, 0.1


def documents(sizes=(1000,) * 4, terms=3000, seed=0):
    """Tasks that share topics, as tf-idf of unit length in CSR, and the topics."""
    rng = np.random.default_rng(seed)
    shares = 1.0 / np.arange(1, terms + 1) ** 0.8
    topics = [0.75 * shares + 0.25 * rng.permutation(shares) for _ in range(CLUSTERS)]
    Xs, labels = [], []
    for n in sizes:
        y = rng.integers(CLUSTERS, size=n)
        words = np.concatenate([rng.choice(terms, WORDS, p=topics[j] / topics[j].sum()) for j in y])
        X = sp.csr_array((np.ones(n * WORDS), (np.repeat(np.arange(n), WORDS), words)), shape=(n, terms))
        X.sum_duplicates()
        idf = np.log(n / np.maximum((X > 0).sum(axis=0), 1))
        Xs.append(normalize(sp.csr_array(X @ sp.diags_array(idf))))
        labels.append(y)
    return Xs, labels


def fits():
    """Seconds, iterations and agreement with the topics."""
    (Xs, labels), rows = documents(), []
    for cls in (DMTFC, DMTRC):
        for exponent in (-10, -6, -2):
            model = cls(CLUSTERS, lam1=2.0**exponent, lam2=2.0**exponent, random_state=0)
            begin = process_time()
            model.fit(Xs)
            rows.append({"method": cls.__name__, "lam1 = lam2": f"2^{exponent}",
                         "seconds": process_time() - begin, "iterations": model.n_iter_,
                         "ARI": np.mean([adjusted_rand_score(a, b) for a, b in zip(labels, model.labels_)])})
    return pd.DataFrame(rows)


def against_literal(sizes=(60, 50, 55), terms=300, sweeps=10, lam=2.0**-6):
    """The relaxed iteration alone, a fixed number of sweeps."""
    Xs, rows = documents(sizes, terms)[0], []
    dense, T = [X.toarray() for X in Xs], len(sizes)
    for kind in ("features", "relation"):
        ridge = CoupledRidge(Xs, lam, lam)
        start = (FeatureMetric(ridge, FLOOR) if kind == "features"
                 else TaskRelation(ridge, FLOOR, np.eye(T) / T))
        begin = process_time()
        history = relax(ridge, start, CLUSTERS, sweeps, 0.0)[1]
        ours = process_time() - begin
        Fs = [start_labels(X, CLUSTERS - 1) for X in Xs]
        Fs = [F @ R for F, R in zip(Fs, start.rotations(ridge.solve(start, Fs)[0]))]
        Theta = np.eye(terms) / terms if kind == "features" else np.eye(T) / T
        begin = process_time()
        expected = literal.relax(dense, Fs, Theta, lam, lam, FLOOR, kind, sweeps)[-1]
        seconds = process_time() - begin
        rows.append({"coupling": kind, "literal [s]": seconds, "mtclib [s]": ours, "ratio": seconds / ours,
                     "relative difference of J": abs(history[-1] / expected[-1] - 1.0)})
    return pd.DataFrame(rows)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = {"fits": fits, "literal": against_literal}
    parser.add_argument("--only", choices=list(parts))
    only = parser.parse_args().only
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for name, part in parts.items():
            if only in (None, name):
                print(part().to_string(index=False), flush=True)


if __name__ == "__main__":
    main()
