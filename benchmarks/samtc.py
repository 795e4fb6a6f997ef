"""How much faster than the literal transcription, and how long does a fit of text take?

    python benchmarks/samtc.py                 seconds of the similarities and their ratio, small tasks
    python benchmarks/samtc.py --only growth   seconds of a whole fit, four sparse tasks of 3,000 words

The transcription in tests/literal goes through samples, clusters and tasks by loops and leaves kernel mean
matching to a general solver.  Both get the same labels and make the same similarities; the largest difference
between them is printed.  Seconds of one processor.
"""

import argparse
import sys
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from literal import samtc as literal  # noqa: E402

from mtclib.baselines import SAMTC
from mtclib.baselines.samtc import relate_tasks
from mtclib.core.starts import one_hot

CLUSTERS = 4


def made_up(n, d, n_tasks, length=60, seed=0):
    """Counts of documents on four topics with Zipf's law for common words, one CSR array a task."""
    rng = np.random.default_rng(seed)
    common = 1.0 / np.arange(1, d + 1)
    topics = np.array([rng.permutation(common) for _ in range(CLUSTERS)])
    topics = 0.5 * topics / topics.sum(axis=1, keepdims=True) + 0.5 * common / common.sum()
    return [sp.csr_array(rng.multinomial(length, topics[np.arange(n) % CLUSTERS]).astype(float))
            for _ in range(n_tasks)]


def timed(function):
    """Result and seconds of the processor."""
    start = process_time()
    result = function()
    return result, process_time() - start


def ours(Xs, labels, k):
    """S_t of all tasks."""
    model = SAMTC(CLUSTERS, n_neighbors=k, n_neighbors_across=k)
    Us, own = model._prepare(Xs, [CLUSTERS] * len(Xs))
    links = relate_tasks(Us, [one_hot(h, CLUSTERS) for h in labels])
    return [model._similarity(Us, own, links, t) for t in range(len(Xs))]


def against_literal():
    """Two tasks of few words: seconds, ratio, largest difference between the similarities."""
    rows = []
    for n in (30, 60, 90):
        Xs = made_up(n, 40, 2, length=20)
        labels = [np.arange(n) % CLUSTERS] * 2
        found, seconds = timed(lambda Xs=Xs, labels=labels: ours(Xs, labels, 10))
        dense = [X.toarray() for X in Xs]
        (expected, _, _), slow = timed(lambda dense=dense, labels=labels: literal.similarities(
            dense, labels, [CLUSTERS] * 2, 10, 10))
        difference = max(np.abs(S - A).max() for S, A in zip(found, expected))
        rows.append({"samples": n, "literal [s]": slow, "mtclib [s]": seconds, "ratio": slow / seconds,
                     "difference": difference})
    return pd.DataFrame(rows)


def growth():
    """Four tasks of 250, 500, 1,000 and 1,600 samples: seconds of a whole fit."""
    rows = []
    for n in (250, 500, 1000, 1600):
        Xs = made_up(n, 3000, 4)
        model, seconds = timed(lambda Xs=Xs: SAMTC(CLUSTERS, random_state=0).fit(Xs))
        related = model.relatedness_[~np.eye(4, dtype=bool)]
        rows.append({"samples a task": n, "seconds": seconds, "mean relatedness": related.mean()})
    return pd.DataFrame(rows)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("literal", "growth"), default="literal")
    part = {"literal": against_literal, "growth": growth}[parser.parse_args().only]
    with threadpool_limits(limits=1):
        print(part().to_string(index=False), flush=True)


if __name__ == "__main__":
    main()
