"""How much faster than their transcriptions, and how long at the size of text?

    python benchmarks/clr_mtsc.py                 against the transcriptions in tests/literal, small data
    python benchmarks/clr_mtsc.py --only text     four tasks of sparse text
    python benchmarks/clr_mtsc.py --only growth   one task of 250 to 1,500 samples

The data are drawn: documents of three or four topics, words by Zipf's law, tf-idf rows of unit length.
Seconds of one processor.
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
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from literal import clr as literal_clr  # noqa: E402
from literal import mtsc as literal_mtsc  # noqa: E402

from mtclib.baselines import CLR, MTSC
from mtclib.maths.graphs import NormalizedMatrix, knn_affinity


def text(sizes, n_words, n_topics, seed=0, length=120):
    """Tasks with the same topics: list of CSR arrays, and the topic of each document."""
    rng = np.random.default_rng(seed)
    zipf = 1.0 / np.arange(1, n_words + 1)
    topics = zipf * rng.gamma(0.5, 2.0, (n_topics, n_words))
    Xs, labels = [], []
    for n in sizes:
        topic = np.arange(n) % n_topics
        rates = (0.6 * zipf / zipf.sum() + 0.4 * topics[topic] / topics.sum(axis=1)[topic, None]) * length
        counts = sp.csr_array(rng.poisson(rates))
        Xs.append(sp.csr_array(TfidfTransformer().fit_transform(counts)))
        labels.append(topic)
    return Xs, labels


def timed(function):
    """Result and seconds of the processor."""
    start = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        result = function()
    return result, process_time() - start


def against_literal(n=350, n_words=600, rounds=10):
    """Seconds and objectives of both methods and of their transcriptions, on the same problem."""
    Xs, _ = text((n, n), n_words, 3)
    dense = [X.toarray() for X in Xs]
    fits = {"CLR": lambda: CLR(3, n_neighbors=20, random_state=0).fit(Xs),
            "MTSC": lambda: MTSC(3, max_iter=rounds, tol=0.0, random_state=0).fit(Xs)}
    rows = []
    literals = {"CLR": lambda: _literal_clr(dense), "MTSC": lambda: _literal_mtsc(dense, rounds)}
    for name, literal in literals.items():
        timed(fits[name])  # once for imports and memory
        model, seconds = timed(fits[name])
        value, expected = timed(literal)
        rows.append({"method": name, "literal [s]": expected, "mtclib [s]": seconds,
                     "literal / ours": expected / seconds, "its objective": value,
                     "ours": model.objective_[-1]})
    return pd.DataFrame(rows)


def _literal_clr(Xs):
    total = 0.0
    for X in Xs:
        A = literal_clr.initial_graph(X, 20)
        total += np.sum((literal_clr.clr(A, 3)[-1][0] - A) ** 2)
    return total


def _literal_mtsc(Xs, rounds):
    Ls = [np.eye(len(X)) - NormalizedMatrix(knn_affinity(X, 5)).L.toarray() for X in Xs]
    return literal_mtsc.mtsc(Xs, Ls, [3] * len(Xs), 1.0, 1.0, 1.0, rounds)[-1][-1]


def at_the_size_of_text(sizes=(1000,) * 4, n_words=3000):
    """Seconds a fit, iterations and agreement with the topics."""
    Xs, labels = text(sizes, n_words, 4)
    models = [("CLR", {"n_neighbors": m}) for m in (10, 50, 100)]
    models += [("MTSC", {"alpha": a, "beta": b}) for a, b in ((1.0, 1.0), (0.25, 4.0), (4.0, 0.25))]
    rows = []
    for name, parameters in models:
        estimator = {"CLR": CLR, "MTSC": MTSC}[name](4, random_state=0, **parameters)
        model, seconds = timed(lambda estimator=estimator: estimator.fit(Xs))
        ari = np.mean([adjusted_rand_score(a, b) for a, b in zip(labels, model.labels_)])
        rows.append({"method": name, "parameters": parameters, "nnz": sum(X.nnz for X in Xs),
                     "seconds": seconds, "iterations": model.n_iter_, "ARI": ari})
    return pd.DataFrame(rows)


def growth():
    """Seconds of a fit of one task."""
    rows = []
    for n in (250, 500, 1000, 1500):
        Xs, _ = text((n,), 3000, 4)
        rows.append({"samples": n, "CLR [s]": timed(lambda Xs=Xs: CLR(4, n_neighbors=50).fit(Xs))[1],
                     "MTSC [s]": timed(lambda Xs=Xs: MTSC(4, max_iter=10, tol=0.0).fit(Xs))[1]})
    return pd.DataFrame(rows)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("literal", "text", "growth"), default="literal")
    part = {"literal": against_literal, "text": at_the_size_of_text,
            "growth": growth}[parser.parse_args().only]
    with threadpool_limits(limits=1):
        print(part().to_string(index=False), flush=True)


if __name__ == "__main__":
    main()
