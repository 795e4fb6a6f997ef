"""What do an iteration and a fit of each method cost, and how does an iteration grow?

    python -m benchmarks.method_costs                                       all methods, about a minute
    python -m benchmarks.method_costs --only MBC MSPL                       some
    python -m benchmarks.method_costs --output data/methods/costs.csv
    python -m benchmarks.method_costs --only MBC --output data/methods/costs.csv     other rows stay

Made-up text, four clusters: four tasks of 500 samples x 2,000 features, three views of 500 samples x 2,000
features, or four tasks with three such views; CSR, about 55 entries per row.  Default parameters.  Seconds of
one processor, one thread.

seconds_per_fit and iterations are those of one fit.  An iteration is the difference between a fit that is
stopped early and one that is stopped at once, over the iterations between: set-up and final k-means cancel.
Where nothing but k-means on an embedding iterates, that is timed.  exponent_n compares twice ``samples`` with
``samples``: 250, or 500 where the eigensolver is another one up to 300; exponent_d 4,000 features and twice
the entries with 2,000, at 250 samples; of what, says ``grows``: of an iteration, or of a whole fit where
nothing but k-means iterates.  None is given for iterations below 1 ms or below a tenth of a fit.
peak_mb is the most memory beside the data, of 500 samples.  A file beside the table says what made it.
"""

import argparse
import tracemalloc
import warnings
from functools import cache
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from mtclib.baselines.registry import all_estimators
from mtclib.companion.comparison import methods
from mtclib.core.starts import kmeans_once

from .drawn import WORDS, documents
from .record import merge

CLUSTERS, TASKS, VIEWS = 4, 4, 3
SAMPLES, FEATURES = 500, 2000
STARTS = ("n_init", "n_starts")
SLACK = 0.5  # so far a timed exponent may lie above the order in n that is stated
EARLY = {"LatentMSC": 40, "DMTRC": 20}
"""Before that the thresholded copy is zero and iterations are cheap; the time to round to clusters varies."""

BETWEEN, LONG_ENOUGH = (20, 100), 0.1
"""Fewest and most iterations that are timed; as many as take so many seconds, where there are so many."""

MOST_REPEATS, BUDGET = 40, 0.2
"""Timed again and again until the seconds are spent or the repeats are done."""

OTHER_SOLVER = ("CLR", "CoregSpectral", "MTSC", "PerTask")
"""Up to 300 samples they decompose dense matrices."""

SHORT = 0.001
"""Of iterations that take fewer seconds, most is overhead: no exponent is given."""

LEAST_SHARE = 0.1
"""Where all iterations take less of a fit, differences of fits cannot tell how they grow: no exponent."""

NOT_TIMED = {"MKC": {"init": "random"}, "SMKC": {"init": "random"}}
"""Starts that do not iterate themselves."""


@cache
def made_up(kind, n=SAMPLES, d=FEATURES, words=WORDS, seed=0):
    """Xs of the kind that a method takes."""
    rng = np.random.default_rng(seed)
    if kind == "lifelong":
        return [[documents(n, d, CLUSTERS, rng, words) for _ in range(VIEWS)] for _ in range(TASKS)]
    return [documents(n, d, CLUSTERS, rng, words) for _ in range(TASKS if kind == "multitask" else VIEWS)]


def timed(model, Xs):
    """Seconds of a fit."""
    start = process_time()
    model.fit(Xs)
    return process_time() - start


def iterations(model):
    """Iterations of a fitted model, as ``step`` in data/methods/methods.toml counts them."""
    histories = getattr(model, "round_objective_", None) or getattr(model, "histories_", None)
    return sum(map(len, histories)) if histories else int(model.n_iter_)


def has_only_kmeans(model):
    """Whether nothing but k-means on an embedding iterates."""
    return hasattr(model, "embedding_") and len(model.objective_) == 1 and model.n_iter_ > 1


def limited(cls, steps):
    """An estimator that does not stop before ``steps`` iterations, if it has a choice, and starts once."""
    model = cls(CLUSTERS, random_state=0)
    known = model.get_params()
    values = {name: 1 for name in STARTS if name in known} | {"max_iter": steps, "tol": 0.0}
    values |= {"warm_up": steps, "max_iter": 1, "inner_max_iter": 1} if "warm_up" in known else {}
    if "estimator" in known:
        inner = {name: value for name, value in values.items() if name in model._nested().get_params()}
        return model.set_params(parameters=inner)
    values |= NOT_TIMED.get(cls.__name__, {})
    return model.set_params(**{name: value for name, value in values.items() if name in known})


def seconds_per_iteration(cls, Xs, guess):
    """Median over repeats; ``guess`` are about the seconds that it is."""
    between = int(np.clip(LONG_ENOUGH / guess, *BETWEEN))
    found, start = [], process_time()
    while not found or (process_time() - start < BUDGET and len(found) < MOST_REPEATS):
        found.append(_one_iteration(cls, Xs, between))
    return float(np.median(found))


def _one_iteration(cls, Xs, between):
    few = EARLY.get(cls.__name__, 1)
    models = [limited(cls, steps) for steps in (few, few + between)]
    seconds = [timed(model, Xs) for model in models]
    done = [iterations(model) for model in models]
    return (seconds[1] - seconds[0]) / max(done[1] - done[0], 1)


def _lloyd(embedding):
    """Seconds of a Lloyd step on all embeddings."""
    parts = embedding if isinstance(embedding, list) else [embedding]
    total = 0.0
    for Z in parts:
        start = process_time()
        steps = sum(kmeans_once(Z, CLUSTERS, seed).n_iter_ for seed in range(5))
        total += (process_time() - start) / steps
    return total


def peak(cls, Xs):
    """Most memory of a fit beside the data, in MB; a few iterations need as much as many."""
    model = limited(cls, 2)
    tracemalloc.start()
    model.fit(Xs)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 1e6


def measure(name, cls):
    """One row of the table."""
    kind = cls.traits.kind
    model = cls(CLUSTERS, random_state=0)
    seconds = timed(model, made_up(kind))
    half = {"n": SAMPLES // 2}
    sizes = [{}, half, {**half, "d": 2 * FEATURES, "words": 2 * WORDS}]
    sizes += [{"n": 2 * SAMPLES}] * (name in OTHER_SOLVER)
    guess = seconds / iterations(model)
    if has_only_kmeans(model):
        each = [timed(cls(CLUSTERS, random_state=0), made_up(kind, **values)) for values in sizes]
        one = _lloyd(model.embedding_)
    else:
        each = [seconds_per_iteration(cls, made_up(kind, **values), guess) for values in sizes]
        one = each[0]
    spent = seconds if has_only_kmeans(model) else one * iterations(model)
    known = each[0] >= SHORT and min(each) > 0 and spent >= LEAST_SHARE * seconds
    high, low = (each[3], each[0]) if name in OTHER_SOLVER else (each[0], each[1])
    return {
        "method": name, "seconds_per_iteration": one if one > 0 else np.nan, "iterations": iterations(model),
        "seconds_per_fit": seconds, "peak_mb": peak(cls, made_up(kind)),
        "grows": "fit" if has_only_kmeans(model) else "iteration",
        "samples": SAMPLES if name in OTHER_SOLVER else SAMPLES // 2,
        "exponent_n": np.log2(high / low) if known else np.nan,
        "exponent_d": np.log2(each[2] / each[1]) if known else np.nan,
    }  # fmt: skip


def sizes_of_data():
    """Sizes of what is made up, for the record."""
    return {"clusters": CLUSTERS, "tasks": TASKS, "views": VIEWS, "samples": SAMPLES, "features": FEATURES,
            "words": WORDS, "stored": int(np.mean([X.nnz for X in made_up("multitask")]))}


def above_order(measurements):
    """Methods of a table like that of `main` that grow with n faster than their stated order, and `SLACK`."""
    orders = {name: entry["order_n"] for name, entry in methods.read()["methods"].items()}
    return [name for name, power in measurements["exponent_n"].items() if power > orders[name] + SLACK]


def main():
    known = all_estimators()
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--only", nargs="+", choices=known, default=list(known), metavar="METHOD")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    rows = []
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")
        for name in tqdm(arguments.only):
            rows.append(measure(name, known[name]))
            if arguments.output:
                merge(pd.DataFrame(rows[-1:]), arguments.output, digits=4, **sizes_of_data())
    table = pd.DataFrame(rows).round(5).set_index("method")
    print(table.to_string())
    print(f"Above the order in n of data/methods/methods.toml: {', '.join(above_order(table)) or 'none'}.")


if __name__ == "__main__":
    main()
