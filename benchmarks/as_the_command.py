"""Does `cluster` give on raw files what the comparison by sources promises, in whatever order the rows are?

    python -m benchmarks.as_the_command [SET ...]

runs the advised methods and k-means on some sets, or on every one that the comparison was run on, stored as
in a user's file and prepared as the command prepares it, and writes data/comparison/command.csv.  Order 0 is
that of the file; sets below 1,000 samples have five random ones, for the advised methods.  Seeds are those
that the comparison has, so that nothing but the way from the file can differ; a method that was too slow for
it on a set has no line.
"""

import sys
from dataclasses import replace

import numpy as np
import pandas as pd

from mtclib.companion.comparison import advice, exam
from mtclib.companion.comparison.sources import KINDS, PLAIN
from mtclib.companion.runs.jobs import load_dataset
from mtclib.companion.userdata.load import scale
from mtclib.core import paths

STORED = {"tfidf-l2": "counts", "sqrt-l2": "stored", "minmax": "none", "first": "stored"}
"""Of the preparations of the protocols, how the same set is had as it is stored."""

SAMPLES, ORDERS = 1000, 5
"""Of the judgement: below so many samples, so many orders."""


def reordered(data, seed):
    """The same data with the samples in a random order; 0 leaves them."""
    if not seed:
        return data
    rng, views = np.random.default_rng(seed), data.kind == "multiview"
    orders = [rng.permutation(X.shape[0]) for X in data.Xs]
    orders = orders[:1] * len(orders) if views else orders
    labels = data.labels[orders[0]] if views else [y[i] for y, i in zip(data.labels, orders)]
    return replace(data, Xs=[X[i] for X, i in zip(data.Xs, orders)], labels=labels)


def as_stored(spec):
    """A set of the protocols as it is in its file."""
    stored = {key: STORED.get(value, value) for key, value in spec.params.items()}
    if spec.loader.startswith("webkb-"):
        stored["weighting"] = "stored"
    return load_dataset(spec.loader, stored)[0]


def rows(kind, name):
    """Scores on a set."""
    sources = advice.evidence(kind)
    best, known = advice.advised(sources), pd.read_csv(sources.folder / "sets.csv", index_col="set")
    data, few = as_stored(sources.protocol.datasets[name]), int(known["samples"][name]) < SAMPLES
    there = sources.rows[(sources.rows["dataset"] == name) & (sources.rows["metric"] == "ARI")]
    seeds = there[there["status"] == "ok"].groupby("method")["seed"].agg(list)
    for method in dict.fromkeys((best["take"], best["safe"], PLAIN)):
        for order in range((method in seeds) * (1 + ORDERS * (few and method != PLAIN))):
            given, how = scale(reordered(data, order)), sources.protocol.methods[method]
            found = [exam.score(how, given, seed) for seed in seeds[method][: 1 if order else None]]
            yield {"kind": kind, "set": name, "method": method, "order": order,
                   "ARI": round(np.mean(found), 2)}  # fmt: skip


def renew(file, rows, chosen):
    """Write the lines of some sets, of all by default, and keep those of the others that are run."""
    file = paths.paper_dir("comparison") / file
    names = [(kind, name) for kind in KINDS for name in advice.evidence(kind).done]
    table = {key: part for key, part in pd.read_csv(file, dtype={"clusters": str}).groupby(["kind", "set"])}
    for key in names:
        if key[1] in (chosen or [key[1]]):
            table[key] = pd.DataFrame(rows(*key))
            print(table[key].to_string(header=False), flush=True)
    pd.concat([table[key] for key in names]).to_csv(file, index=False, lineterminator="\n")


if __name__ == "__main__":
    renew("command.csv", rows, sys.argv[1:])
