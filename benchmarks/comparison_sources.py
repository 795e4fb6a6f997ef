"""The comparison by independent sources, run within limits: it stops and resumes at any point.

    python -m benchmarks.comparison_sources views              every set that is not run yet
    python -m benchmarks.comparison_sources tasks tr23 Heart   these sets
    python -m benchmarks.comparison_sources views --restore    begin with the committed fits, and run the rest
    python -m benchmarks.comparison_sources views --write      keep the results of the sets that are run

Needs the extra ``comparison``, and Linux: every fit has a process of its own, which ends when it takes more
than 60 s of the processor or 4 GB beyond the data; no further seed is begun once a method's fits on a data
set took 20 s in all, and nothing more of a method that passed a limit on the set.  `--write` makes
data/comparison/many-views/results (or many-tasks) from the store, of the sets that are named or of all, and
runs nothing; all_scores.csv there is for everyone to use.
"""

import argparse
import resource
import sys
from collections import Counter
from dataclasses import dataclass, fields, replace
from multiprocessing import get_context
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh
from sklearn.neighbors import kneighbors_graph

from mtclib.baselines.adapters import side_by_side
from mtclib.companion import runs
from mtclib.companion.comparison.rivals import named
from mtclib.companion.comparison.sources import KINDS, Sources
from mtclib.companion.runs.fit import execute, failed_record
from mtclib.companion.runs.jobs import load_dataset
from mtclib.core import paths
from mtclib.datasets import Dataset, load

SECONDS, GIGABYTES = 60, 4
ENOUGH = 20
"""Processor seconds of a method on a data set after which no further seed is begun."""

TOO_LONG = f"more than {SECONDS} s of processor time"
TOO_LARGE = f"more than {GIGABYTES} GB of memory"
KILLED = (24, 9)  # SIGXCPU, and SIGKILL for what does not heed it
# Of the estimate of k: neighbours of the graph, and the largest k, also as a share of the samples.
NEIGHBOURS, MOST, SHARE = 10, 50, 5


@dataclass(frozen=True, eq=False)
class WithEstimatedK(Dataset):
    """A data set whose ``n_clusters`` are ``estimates``; the classes of the labels stay what they are."""

    estimates: int | list = 0

    @property
    def n_clusters(self):
        """A list of int for tasks, an int for views."""
        return self.estimates

    @property
    def sha256(self):
        """Differs from that of the same data with known numbers of clusters."""
        return f"{self.estimates} clusters {super().sha256}"


def with_estimated_k(loader, **params) -> Dataset:
    """A data set as :func:`mtclib.datasets.load` gives it, but with estimated numbers of clusters."""
    data = load(loader, **params)
    views = data.kind == "multiview"
    found = estimated_k(side_by_side(data.Xs)) if views else [estimated_k(X) for X in data.Xs]
    return WithEstimatedK(**{part.name: getattr(data, part.name) for part in fields(data)}, estimates=found)


def estimated_k(X) -> int:
    """Number of clusters at the largest fall of the eigenvalues of the normalised graph of ten neighbours.

    >>> estimated_k(np.repeat(np.eye(3), 12, axis=0) + np.random.default_rng(0).normal(0, 0.01, (36, 3)))
    3
    """
    n = X.shape[0]
    metric = "cosine" if sp.issparse(X) else "euclidean"
    graph = kneighbors_graph(X, min(NEIGHBOURS, n - 1), metric=metric)
    graph = graph.maximum(graph.T)
    scale = sp.diags_array(1 / np.sqrt(np.asarray(graph.sum(axis=1)).ravel()))
    most = min(MOST, n // SHARE)
    values = eigsh(scale @ graph @ scale, most + 1, which="LA", v0=np.ones(n), return_eigenvectors=False)
    falls = -np.diff(np.sort(values)[::-1])[1:]
    return 2 + int(np.argmax(np.round(falls, 9)))


def limited(job, seconds=SECONDS, gigabytes=GIGABYTES):
    """Record of a job with processor seconds and ``megabytes`` in its cost; failed if it passed a limit."""
    # What the child then shares, outside of its limits.
    load_dataset(job.loader, job.loader_params)
    if "path" in job.params:
        named(job.params["path"])
    fork = get_context("fork")
    receiver, sender = fork.Pipe(duplex=False)
    child = fork.Process(target=_child, args=(job, sender, seconds, gigabytes))
    child.start()
    sender.close()
    try:
        record = receiver.recv()
    except EOFError:
        record = None
    child.join()
    if record is None:
        late = -child.exitcode in KILLED
        return failed_record(job, TOO_LONG if late else f"the process died with code {child.exitcode}")
    return failed_record(job, TOO_LARGE) if "MemoryError" in record.info["error"] else record


def _child(job, sender, seconds, gigabytes):
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + gigabytes * 2**30
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    start, before = process_time(), _peak()
    record = execute(job)
    record.cost.update(seconds=process_time() - start, megabytes=(_peak() - before) / 1024)
    sender.send(record)


def _peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def jobs_of(sources, name):
    """All fits of one set: in both preparations, and with k unknown."""
    variants = set(sources.table.index[sources.table["set"] == name])

    def within(part):
        return replace(part, datasets=[dataset for dataset in part.datasets if dataset in variants])

    protocol = sources.protocol
    studies = {key: within(study) for key, study in protocol.studies.items()}
    profiles = {"full": within(protocol.profile("full"))}
    return runs.expand(replace(protocol, profiles=profiles, studies=studies), "full")


def needed(jobs, store):
    """Those of the jobs of a set that take part, each in its turn.

    No further seed once the others took ENOUGH, and nothing more of a method that passed a limit on the set.
    """
    spent, over = Counter(), set()
    for job in jobs:
        case, record = (job.dataset, job.method), store.get(job.key, arrays=False)
        if job.unavailable or spent[case] >= ENOUGH or (job.method in over and record is None):
            continue
        yield job
        if record := record or store.get(job.key, arrays=False):
            passed = record.info["error"] in (TOO_LONG, TOO_LARGE)
            over |= {job.method} if passed else set()
            spent[case] += ENOUGH if passed else record.cost["seconds"]


def restore(sources, store):
    """Put the committed fits that the store does not have into it, and return how many these were."""
    jobs = {job.key: job for name in sources.done for job in jobs_of(sources, name)}
    restored = runs.restore(jobs.values(), sources.results, store)
    memory = pd.read_csv(sources.folder / "results" / "memory.csv")
    memory = memory.astype({"megabytes": object}).replace(np.nan, None)
    memory = memory.set_index(["dataset", "method"])["megabytes"]
    for key in restored:
        record = store.get(key)
        record.cost.update(megabytes=memory[jobs[key].dataset, jobs[key].method])
        store.put(record)
    return len(restored)


def run(sources, store, sets):
    """Run what the store does not have, one fit after another, set by set."""
    for name in sets:
        for job in needed(jobs_of(sources, name), store):
            if store.get(job.key, arrays=False) is None:
                store.put(limited(job))
        print(f"{name} is run", flush=True)


def write(sources, store, sets):
    """Write the results of those of some sets that are run to the end, and return their names."""
    jobs, stored = {name: list(needed(jobs_of(sources, name), store)) for name in sets}, set(store.keys())
    done = [name for name, wanted in jobs.items() if {job.key for job in wanted} <= stored]
    chosen = [job for name in done for job in jobs[name]]
    folder = runs.export(chosen, store, sources.folder / "results", protocol=sources.protocol)
    largest = [(job.dataset, job.method, store.get(job.key, arrays=False).cost.get("megabytes"))
               for job in chosen]
    memory = pd.DataFrame(largest, columns=["dataset", "method", "megabytes"])
    memory = memory.groupby(["dataset", "method"], sort=False)["megabytes"].max()
    memory.to_csv(folder / "memory.csv", lineterminator="\n", float_format="%.1f")
    scores = all_scores(Sources(sources.kind, sources.folder).rows)
    scores.to_csv(folder / "all_scores.csv", index=False, lineterminator="\n")
    return done


def all_scores(rows):
    """Every score as a line, in percent: the mean over seeds, how many there are, seconds of a fit."""
    rows = rows[rows["metric"].isin(["ARI", "NMI_arithmetic", "ACC"])]
    names = ["source", "kind", "set", "preparation", "number of clusters", "method", "metric"]
    found = rows.groupby(names, sort=False)
    means = found["value"].agg(lambda values: 100 * values.mean(skipna=False))
    frame = pd.DataFrame({"score": means, "seeds": found["run"].nunique(),
                          "seconds": found["seconds"].median()})  # fmt: skip
    return frame.round({"score": 4, "seconds": 3}).reset_index()


def main():
    """Run or write, as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--restore", action="store_true")
    arguments = parser.parse_args()
    sources, store = Sources(arguments.kind), runs.RunStore(paths.runs_dir())
    sets = arguments.sets or sources.sets
    if arguments.restore:
        restore(sources, store)
    if arguments.write:
        print("\n".join(write(sources, store, sets)))
    else:
        run(sources, store, sets)


if __name__ == "__main__":
    sys.exit(main())
