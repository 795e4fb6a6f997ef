"""Does LMSC learn from earlier tasks, does their order matter, does it forget, and what does a task cost?

    MTCLIB_DATA=FOLDER python -m benchmarks.lmsc_streams --out data/lmsc/results
    MTCLIB_DATA=FOLDER python -m benchmarks.lmsc_streams --out RESULTS --seeds 1 --only transfer orders

FOLDER holds BBC, 20newsgroups and, for weights, comparison.  Writes one table per part, and streams.json with
what made them:

    transfer.csv       with and without libraries: 8 tasks of BBC, ten cuts; 24 of 20 Newsgroups, ten cuts
    orders.csv         five orders of each of the first three of these sequences
    forgetting.csv     task 1 clustered anew after each task; the sequences of transfer.csv
    formulations.csv   with libraries, by other updates and weights; the same sequences, five cuts
    weights.csv        the same and the default on sets of views of the comparison, cut into tasks; three cuts
    stream_costs.csv   seconds and bytes over 50 tasks of 20 Newsgroups; never in parallel

Default parameters of LMSC; tasks ``tasks[t][v]`` have shape (n_t, d_v) and are counted from 1.  Seconds are
those of one processor; the parts take about three minutes each.
"""

import argparse
import json
import platform
import warnings
from importlib.metadata import version
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from mtclib import LMSC
from mtclib.baselines.coreg import CoregSpectral
from mtclib.companion.comparison.sources import Sources
from mtclib.companion.papers.lmsc import METRIC, WITH, WITHOUT
from mtclib.datasets import load
from mtclib.datasets.lmsc import split_into_tasks
from mtclib.metrics import SCORES

SETS = {"lmsc-bbc": {"n_tasks": 8}, "lmsc-newsgroups": {"n_tasks": 24}}
SEEDS = {"lmsc-bbc": 10, "lmsc-newsgroups": 10}
COSTS = {"lmsc-newsgroups": {"n_tasks": 50}}

UPDATES = {"released": {"formulation": "release", "changes": ("words",)},
           "printed, step 1": {"formulation": "printed", "eta": 1.0},
           "consistent, lam = 10": {"lam": 10.0},
           "printed, step 1, lam = 10": {"formulation": "printed", "eta": 1.0, "lam": 10.0}}  # fmt: skip

WEIGHTS = {"consistent": {}, "consistent, lam = 3": {"lam": 3.0},
           **{name: UPDATES[name] for name in UPDATES if name != "released"}}
FURTHER = {name: {} for name in (
    "NGs", "BBCSport", "Prokaryotic", "BBC", "Reuters-1200", "COIL20", "Handwritten", "BDGP", "Cora",
    "Wikipedia", "ACM", "CiteSeer", "Scene-15", "MNIST-4", "CCV")}
"""Sets of views of the comparison that give at least three tasks of 100 samples, and of 15 a class."""

REFIT, POOLED = "all tasks again", "all tasks pooled"
score = SCORES[METRIC]


def transfer(tasks, labels, n_clusters, *, estimator=LMSC, random_state=0, **parameters):
    """Score of each task learned from the libraries of those before it, and learned from an empty state.
    ``position`` (tasks seen, this one included), ``knowledge`` ('with libraries' or 'without'), ``metric,
    value`` and ``sweeps``. Task 1 has the same value twice."""
    model, rows = estimator(n_clusters, random_state=random_state, **parameters), []
    for position, (views, truth) in enumerate(zip(tasks, labels), start=1):
        alone = estimator(n_clusters, random_state=random_state, **parameters).partial_fit(views)
        rows += [{"position": position, "knowledge": knowledge, "metric": METRIC,
                  "value": score(truth, learned.labels_), "sweeps": learned.n_iter_}
                 for knowledge, learned in ((WITH, model.partial_fit(views)), (WITHOUT, alone))]
    return pd.DataFrame(rows)


def formulations(tasks, labels, n_clusters, *, choices=UPDATES, random_state=0):
    """Score of each task learned from the libraries of those before it, by other ``updates``. A stream knows
    no words of later tasks, so that the release weighs those of each task by itself."""
    rows, negative = [], "split" if min(X.min() for views in tasks for X in views) < 0 else "refuse"
    for updates, parameters in choices.items():
        model = LMSC(n_clusters, negative=negative, random_state=random_state, **parameters)
        for position, (views, truth) in enumerate(zip(tasks, labels), start=1):
            rows.append({"position": position, "updates": updates, "metric": METRIC,
                         "value": score(truth, model.partial_fit(views).labels_)})
    return pd.DataFrame(rows)


def orders(tasks, labels, n_clusters, *, n_orders, estimator=LMSC, random_state=0, **parameters):
    """Score of each task at each position, for several orders of the tasks; order 0 is the given one."""
    rng = np.random.default_rng(random_state)
    sequences = [np.arange(len(tasks)), *(rng.permutation(len(tasks)) for _ in range(n_orders - 1))]
    rows = []
    for order, sequence in enumerate(sequences):
        model = estimator(n_clusters, random_state=random_state, **parameters)
        for position, t in enumerate(sequence, start=1):
            value = score(labels[t], model.partial_fit(tasks[t]).labels_)
            rows.append({"order": order, "position": position, "task": int(t) + 1, "metric": METRIC,
                         "value": value})
    return pd.DataFrame(rows)


def forgetting(tasks, labels, n_clusters, *, estimator=LMSC, random_state=0, **parameters):
    """Task 1 clustered anew with the libraries after each task, against its classes and its first labels.
    ``tasks_seen``, ``against`` ('classes' or 'labels at arrival'), ``metric, value``, and ``at_arrival``, the
    value of the labels that task 1 got when it was learned. Forgetting is a ``value`` against classes that
    falls with ``tasks_seen``. The two differ already after task 1: ``predict`` of LMSC starts from the
    spectral embedding again, with the libraries held."""
    model, first, rows = estimator(n_clusters, random_state=random_state, **parameters), None, []
    for seen, views in enumerate(tasks, start=1):
        model.partial_fit(views)
        first = model.labels_ if first is None else first
        again = model.predict(tasks[0])
        rows += [{"tasks_seen": seen, "against": against, "metric": METRIC, "value": score(truth, again),
                  "at_arrival": score(truth, first)}
                 for against, truth in (("classes", labels[0]), ("labels at arrival", first))]
    return pd.DataFrame(rows)


def costs(tasks, labels, n_clusters, *, refit_at, pooled=None, random_state=0, **parameters):
    """Time, memory and score after each task: one more task, all tasks again, or all tasks pooled.
    ``tasks_seen, method``; ``seconds`` of the processor for the labels of the newest task; ``bytes`` that
    must be kept for the next task: the libraries, or the data of all tasks; ``metric`` and ``value``, the
    score of the newest task. Methods are 'LMSC' and, after the tasks `refit_at`, 'all tasks again' (its
    ``fit``) and 'all tasks pooled'."""
    pooled = pooled or CoregSpectral(n_clusters, affinity="cosine", random_state=random_state)
    model, rows = LMSC(n_clusters, random_state=random_state, **parameters), []
    for seen, views in enumerate(tasks, start=1):
        runs = [("LMSC", model.partial_fit, views)]
        if seen in refit_at:
            again = LMSC(n_clusters, random_state=random_state, **parameters)
            runs += [(REFIT, again.fit, tasks[:seen]), (POOLED, pooled.fit, pool(tasks[:seen]))]
        kept, newest = sum(n_bytes(X) for task in tasks[:seen] for X in task), labels[seen - 1]
        for method, learn, data in runs:
            start = process_time()
            found, seconds = learn(data).labels_, process_time() - start
            found = found[-1] if isinstance(found, list) else found[-len(newest):]
            rows.append({"tasks_seen": seen, "method": method, "seconds": seconds,
                         "bytes": kept if data is not views else model.libraries_.nbytes, "metric": METRIC,
                         "value": score(newest, found)})
    return pd.DataFrame(rows)


def pool(tasks):
    """One multi-view data set with the samples of all tasks, in their order."""
    return [sp.vstack(parts, format="csr") if all(map(sp.issparse, parts)) else np.vstack(parts)
            for parts in zip(*tasks)]


def n_bytes(X):
    """Bytes of a matrix: of the array, or of the three arrays of a CSR array."""
    return sum(part.nbytes for part in (X.data, X.indices, X.indptr)) if sp.issparse(X) else X.nbytes


PARTS = {
    "transfer": (transfer, {}, SETS, 10),
    "formulations": (formulations, {}, SETS, 5),
    "weights": (formulations, {"choices": WEIGHTS}, FURTHER, 3),
    "orders": (orders, {"n_orders": 5}, SETS, 3),
    "forgetting": (forgetting, {}, SETS, 10),
    "stream_costs": (costs, {"refit_at": (1, 2, 5, 10, 20, 30, 40, 50)}, COSTS, 1),
}  # fmt: skip
"""Function, its options, the sequences and the largest number of seeds of each part."""


def run(part, name, seed):
    """One part on one sequence: its table and the hash of the data.  The seed cuts, and starts LMSC."""
    function, options, sets, _ = PARTS[part]
    data = load(name, split_seed=seed, **sets[name]) if name in SETS else further(name, seed)
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore", ConvergenceWarning)
        frame = function(data.Xs, data.labels, data.n_clusters[0], random_state=seed, **options)
    frame.insert(0, "dataset", name)
    frame.insert(1, "seed", seed)
    return frame, data.sha256


def further(name, seed):
    """A set of views of the comparison, prepared as there and cut into at most eight tasks of at least 100
    samples, and 15 a class."""
    spec = Sources("views").protocol.datasets[name]
    data = load(spec.loader, **spec.params)
    n_tasks = min(8, len(data.labels) // max(100, 15 * data.n_clusters))
    return split_into_tasks(data, n_tasks, seed)


def jobs(part, seeds):
    """Names and seeds of a part, at most ``seeds`` of a sequence."""
    *_, sets, most = PARTS[part]
    return [(name, seed) for name in sets for seed in range(min(SEEDS.get(name, most), most, seeds))]


def write(part, todo, n_jobs, folder):
    """Run a part, write its table, and return its provenance."""
    n_jobs = 1 if part == "stream_costs" else n_jobs
    found = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(run)(part, *job) for job in todo)
    frames, hashes = zip(*tqdm(found, total=len(todo), desc=part, unit="sequence"))
    table = pd.concat(frames, ignore_index=True).round(6)
    table.to_csv(folder / f"{part}.csv", index=False, lineterminator="\n")
    _, options, sets, _ = PARTS[part]
    data = [{"dataset": name, **sets[name], "seed": seed, "sha256": sha}
            for (name, seed), sha in zip(todo, hashes)]
    return {"options": options, "data": data}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder of the tables")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="parts to run")
    parser.add_argument("--seeds", type=int, default=10, help="at most so many seeds of a sequence")
    parser.add_argument("--n-jobs", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.seeds < 1:
        parser.error("--seeds must be at least 1")
    arguments.out.mkdir(parents=True, exist_ok=True)
    record = arguments.out / "streams.json"
    known = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    for part in arguments.only:
        known[part] = {
            **write(part, jobs(part, arguments.seeds), arguments.n_jobs, arguments.out),
            "algorithm_version": LMSC.algorithm_version(), "python": platform.python_version(),
            "packages": {name: version(name) for name in ("mtclib", "numpy", "scipy", "scikit-learn")},
        }  # fmt: skip
        record.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
