"""What do S-MBC, MKC and S-MKC cost beside MBC, and beside their transcriptions in loops?

    python benchmarks/smbc_smkc.py                   both parts
    python benchmarks/smbc_smkc.py --only fits       one of fits, literal

The part "fits" clusters four tasks of 1,000 sparse samples with 3,000 features, which share four clusters;
"literal" a few samples from the same start: for S-MBC ten sweeps on both sides, for MKC one, in which the
loops take two steps of the memberships and ours ten.  One thread each, processor time.
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
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from literal import mbc as literal_mbc  # noqa: E402
from literal import mkc as literal_mkc  # noqa: E402
from literal import smbc as literal_smbc  # noqa: E402

from mtclib import MBC
from mtclib.baselines import MKC, SMBC, SMKC
from mtclib.metrics import clustering_accuracy

TASKS, SAMPLES, FEATURES, K, WORDS, TOPICAL = 4, 1000, 3000, 4, 60, 0.35


def text(seed=0):
    """Unit rows of counts; a third of the words from the sample's cluster, the others from all."""
    rng = np.random.default_rng(seed)
    common = 1.0 / np.arange(1, FEATURES + 1)
    topics = rng.permutation(FEATURES).reshape(K, -1)
    Xs, labels = [], []
    for _ in range(TASKS):
        h = rng.integers(K, size=SAMPLES)
        words = rng.choice(FEATURES, size=(SAMPLES, WORDS), p=common / common.sum())
        topical = topics[h[:, None], rng.integers(topics.shape[1], size=(SAMPLES, WORDS))]
        words = np.where(rng.random((SAMPLES, WORDS)) < TOPICAL, topical, words)
        X = sp.csr_array((np.ones(words.size), (np.repeat(np.arange(SAMPLES), WORDS), words.ravel())),
                         shape=(SAMPLES, FEATURES))
        idf = np.log(SAMPLES / np.maximum((X > 0).sum(axis=0), 1))
        Xs.append(normalize(sp.csr_array(X * idf)))
        labels.append(h)
    return Xs, labels


def fits():
    """Seconds of a whole fit, sweeps, and mean accuracy."""
    Xs, labels = text()
    methods = {"MBC": MBC(K), "S-MBC": SMBC(K), "S-MBC, 'centroids'": SMBC(K, rule="centroids"),
               "S-MBC, 'step'": SMBC(K, rule="step"), "MKC": MKC(K), "MKC, hard": MKC(K, membership="hard"),
               "MKC, nonnegative": MKC(K, membership="nonnegative"), "S-MKC": SMKC(K),
               "MKC, Gaussian": MKC(K, kernel="gaussian"),
               "MKC, Gaussian, hard": MKC(K, kernel="gaussian", membership="hard"),
               "S-MKC, Gaussian": SMKC(K, kernel="gaussian")}
    rows = []
    for name, model in methods.items():
        begin = process_time()
        model.set_params(random_state=0).fit(Xs)
        rows.append({"method": name, "seconds": process_time() - begin, "sweeps": model.n_iter_,
                     "boosted": np.sum(getattr(model, "boosted_", TASKS)),
                     "accuracy": np.mean([*map(clustering_accuracy, labels, model.labels_)])})
    return pd.DataFrame(rows)


def against_literal(sizes=(14, 12), k=3, sweeps=10):
    """Whole fits against the transcriptions."""
    rng = np.random.default_rng(0)
    means = 3.0 * rng.normal(size=(k, 2))
    Xs = [means[np.arange(n) % k] + rng.normal(size=(n, 2)) for n in sizes]
    labels = [np.random.default_rng(t).permutation(np.arange(n) % k) for t, n in enumerate(sizes)]
    stack, d = np.vstack(Xs), literal_mbc.sqeuclidean
    parts = (
        ("S-MBC", lambda: literal_smbc.smart(Xs, labels, [k, k], 0.1, "partition", d, lambda x: 2 * x,
                                             lambda g: g / 2, literal_mbc.symmetric_centroid, sweeps),
         SMBC(k, lam=0.1, init=labels, max_iter=sweeps, tol=0.0)),
        ("MKC", lambda: literal_mkc.algorithm(labels, [k, k], 0.5, stack @ stack.T, True, 1, 2),
         MKC(k, kernel="linear", init=labels, max_iter=1, tol=0.0)))
    rows = []
    for name, loops, model in parts:
        seconds = [timed(loops), timed(lambda model=model: model.fit(Xs))]
        rows.append({"method": name, "literal [s]": seconds[0], "mtclib [s]": seconds[1],
                     "ratio": seconds[0] / seconds[1]})
    return pd.DataFrame(rows)


def timed(function):
    begin = process_time()
    function()
    return process_time() - begin


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("fits", "literal"))
    only = parser.parse_args().only
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for name, part in (("fits", fits), ("literal", against_literal)):
            if only in (None, name):
                print(part().to_string(index=False), flush=True)


if __name__ == "__main__":
    main()
