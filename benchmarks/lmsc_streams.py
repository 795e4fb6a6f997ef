"""Does LMSC learn from earlier tasks, does their order matter, does it forget, and what does a task cost?

    MTCLIB_DATA=FOLDER python benchmarks/lmsc_streams.py --out data/lmsc/results
    MTCLIB_DATA=FOLDER python benchmarks/lmsc_streams.py --out RESULTS --seeds 1 --only transfer orders

FOLDER holds BBC and 20newsgroups.  Writes one table per part, and streams.json with what made them:

    transfer.csv       with and without libraries: 8 tasks of BBC, ten cuts; 24 of 20 Newsgroups, ten cuts
    orders.csv         five orders of each of the first three of these sequences
    forgetting.csv     task 1 clustered anew after each task; the sequences of transfer.csv
    stream_costs.csv   seconds and bytes over 50 tasks of 20 Newsgroups; never in parallel

Default parameters of LMSC.  Seconds are those of one processor; the parts take about three minutes each.
"""

import argparse
import json
import platform
import warnings
from importlib.metadata import version
from pathlib import Path

import pandas as pd
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from mtclib import LMSC
from mtclib.companion.papers import lmsc
from mtclib.datasets import load

SETS = {"lmsc-bbc": {"n_tasks": 8}, "lmsc-newsgroups": {"n_tasks": 24}}
SEEDS = {"lmsc-bbc": 10, "lmsc-newsgroups": 10}
COSTS = {"lmsc-newsgroups": {"n_tasks": 50}}

PARTS = {
    "transfer": (lmsc.transfer, {}, SETS, 10),
    "orders": (lmsc.orders, {"n_orders": 5}, SETS, 3),
    "forgetting": (lmsc.forgetting, {}, SETS, 10),
    "stream_costs": (lmsc.costs, {"refit_at": (1, 2, 5, 10, 20, 30, 40, 50)}, COSTS, 1),
}  # fmt: skip
"""Function, its options, the sequences and the largest number of seeds of each part."""


def run(part, name, seed):
    """One part on one sequence: its table and the hash of the data.  The seed cuts, and starts LMSC."""
    function, options, sets, _ = PARTS[part]
    data = load(name, split_seed=seed, **sets[name])
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore", ConvergenceWarning)
        frame = function(data.Xs, data.labels, data.n_clusters[0], random_state=seed, **options)
    frame.insert(0, "dataset", name)
    frame.insert(1, "seed", seed)
    return frame, data.sha256


def jobs(part, seeds):
    """Names and seeds of a part, at most ``seeds`` of a sequence."""
    *_, sets, most = PARTS[part]
    return [(name, seed) for name in sets for seed in range(min(SEEDS[name], most, seeds))]


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
