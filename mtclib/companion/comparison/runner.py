"""The runner of the comparison by sources, ``python -m mtclib compare``: it stops and resumes at any point.

Every fit has a process of its own, which ends when it takes more than 60 s of the processor or 4 GB beyond
the data; no further seed is begun once a method's fits on a data set took 20 s in all, and nothing more of a
method that passed a limit on the set.  `write` makes data/comparison/many-views/results (or many-tasks) from
the store, and runs nothing; all_scores.csv there is for everyone to use.
"""

import os
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing import get_context
from time import process_time

import numpy as np
import pandas as pd
import psutil

from mtclib.companion import runs
from mtclib.companion.comparison.rivals import named
from mtclib.companion.comparison.sources import Sources
from mtclib.companion.parameters import UsageError
from mtclib.companion.runs.fit import execute, failed_record
from mtclib.companion.runs.jobs import load_dataset
from mtclib.companion.userdata.number import candidates
from mtclib.datasets import Dataset, load

SECONDS, GIGABYTES = 60, 4
ENOUGH = 20  # processor seconds of a method on a data set after which no further seed is begun
TOO_LONG = f"more than {SECONDS} s of processor time"
TOO_LARGE = f"more than {GIGABYTES} GB of memory"
PROCESSES = get_context("fork" if sys.platform == "linux" else "spawn")


@dataclass(frozen=True, eq=False, repr=False)
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
    """A data set as :func:`mtclib.datasets.load` gives it, but with the numbers of clusters that
    ``python -m mtclib cluster`` begins with: of three candidates the one that agrees most with k-means."""
    data = load(loader, **params)
    ks = candidates(data).agreeing()
    return WithEstimatedK(**vars(data), estimates=ks[0] if data.kind == "multiview" else ks)


def limited(job, seconds=SECONDS, gigabytes=GIGABYTES):
    """Record of a job with processor seconds and ``megabytes`` in its cost; failed if it passed a limit."""
    # What a forked child then shares, outside of its limits.
    load_dataset(job.loader, job.loader_params)
    if "path" in job.params:
        named(job.params["path"])
    receiver, sender = PROCESSES.Pipe(duplex=False)
    child = PROCESSES.Process(target=_child, args=(job, sender))
    child.start()
    sender.close()
    record, passed, process = None, "", psutil.Process(child.pid)
    with suppress(EOFError):  # it has died
        start, before = receiver.recv()
        with suppress(psutil.Error):  # it has ended since it was asked
            while not passed and not receiver.poll(0.02):
                if sum(process.cpu_times()[:2]) - start > seconds:
                    passed = TOO_LONG
                elif process.memory_info().vms - before > gigabytes * 2**30:
                    passed = TOO_LARGE
        if passed:
            child.kill()
        else:
            record = receiver.recv()
    child.join()
    if record is None:
        return failed_record(job, passed or f"the process died with code {child.exitcode}")
    return failed_record(job, TOO_LARGE) if "MemoryError" in record.info["error"] else record


def _child(job, sender):
    load_dataset(job.loader, job.loader_params)
    process = psutil.Process()
    sender.send((process_time(), process.memory_info().vms))
    start, before = process_time(), _peak(process)
    record = execute(job)
    record.cost.update(seconds=process_time() - start, megabytes=(_peak(process) - before) / 2**20)
    sender.send(record)


def _peak(process):
    """Largest memory so far in bytes."""
    if os.name == "nt":
        return process.memory_info().peak_wset
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


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
        if spent[case] >= ENOUGH or (job.method in over and record is None):
            continue
        yield job
        if record := record or store.get(job.key, arrays=False):
            passed = record.info["error"] in (TOO_LONG, TOO_LARGE)
            over |= {job.method} if passed else set()
            spent[case] += ENOUGH if passed else record.cost["seconds"]


def restore(sources, store):
    """Put the committed fits that the store does not have into it, and return how many these were."""
    if not sources.done:
        return 0
    jobs = {job.key: job for name in sources.done for job in jobs_of(sources, name)}
    restored = runs.restore(jobs.values(), sources.results, store)
    memory = pd.read_csv(sources.made / "memory.csv").astype({"megabytes": object}).replace(np.nan, None)
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
            if job.unavailable:
                print(f"{name} is not run: {job.unavailable}", flush=True)
                break
            if store.get(job.key, arrays=False) is None:
                store.put(limited(job))
        else:
            print(f"{name} is run", flush=True)


def write(sources, store, sets):
    """Write the results of those of some sets that are run to the end, and return their names."""
    jobs = {name: list(needed(jobs_of(sources, name), store)) for name in sets}
    stored = set(store.keys())
    done = [name for name, wanted in jobs.items() if {job.key for job in wanted} <= stored]
    if not done:
        raise UsageError("--write: none of these sets is run to the end; run them without --write first.")
    if lost := [name for name in sources.done if name not in done]:
        raise UsageError(f"--write: the results, which are left as they are, have {', '.join(lost)} as well; "
                         f"run all of their sets to the end first.")
    chosen, folder = [job for name in done for job in jobs[name]], sources.made
    runs.export(chosen, store, folder, protocol=sources.protocol)
    largest = [(job.dataset, job.method, store.get(job.key, arrays=False).cost.get("megabytes"))
               for job in chosen]
    memory = pd.DataFrame(largest, columns=["dataset", "method", "megabytes"])
    memory = memory.groupby(["dataset", "method"], sort=False)["megabytes"].max()
    memory.to_csv(folder / "memory.csv", lineterminator="\n", float_format="%.1f")
    scores = all_scores(Sources(sources.kind, sources.folder).rows)
    scores.to_csv(folder / "all_scores.csv", index=False, lineterminator="\n")
    return done


def all_scores(rows):
    """Every score as a line, in percent: the mean over seeds, how many there are, and seconds of a fit."""
    rows = rows[rows["metric"].isin(["ARI", "NMI_arithmetic", "ACC"])]
    rows = rows.assign(seconds=rows["seconds"].where(rows["status"] == "ok"))
    names = ["source", "kind", "set", "preparation", "number of clusters", "method", "metric"]
    found = rows.groupby(names, sort=False)
    frame = pd.DataFrame({"score": 100 * found["value"].mean(skipna=False), "seeds": found["run"].nunique(),
                          "seconds": found["seconds"].median()})
    return frame.round({"score": 4, "seconds": 3}).reset_index()
