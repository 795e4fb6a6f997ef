"""A tiny data set, an estimator that can be told to fail, and a command line for the runner's tests."""

import ctypes
import logging
import os
import signal
import subprocess
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from mtclib.companion import runs
from mtclib.datasets import Dataset, FetchError

DECISION = """
[[decision]]
id = "O1"
place = "section 4"
kind = "open choice"
problem = "The weighting is not given."
evidence = "k-means moves by 47 points."
evidence_type = ["numeric"]
decision = "tf-idf"
cause = "preprocessing"
"""


def tiny(n=30, shift=0.0):
    """Two tasks with three classes each."""
    rng = np.random.default_rng(0)
    labels = [np.arange(n) % 3, np.arange(n + 6) % 3]
    Xs = [rng.normal(size=(len(y), 4)) + 5 * y[:, None] + shift for y in labels]
    return Dataset(name="tiny", kind="multitask", Xs=Xs, labels=labels, edition="made up")


def part_labelled():
    """The two tasks with every fourth sample without a class."""
    data = tiny()
    return replace(data, labels=[np.where(np.arange(len(y)) % 4, y, -1) for y in data.labels])


def views(n=30):
    """One set of samples in two views."""
    y = np.arange(n) % 3
    X = np.random.default_rng(0).normal(size=(n, 4)) + 5 * y[:, None]
    return Dataset(name="views", kind="multiview", Xs=[X, -X], labels=y)


def missing():
    """Data that nobody can have."""
    raise FetchError("missing.tar: no source answered; put the file into the data folder")


class Noisy(BaseEstimator):
    """Classes by the sum of the features, with ``noise`` drawn from the seed.

    ``trouble`` is "raise", "die" (kill the process), "warn", "nan", "time" or "memory" (take too much); the
    environment variable MTCLIB_TEST_PAUSE gives the seconds of a fit, so that it does not enter the job's
    key; MTCLIB_TEST_HOLD names a file that is made by a fit with noise 2, which then holds the interpreter.
    """

    def __init__(self, n_clusters, noise=0.5, trouble="", random_state=None):
        self.n_clusters = n_clusters
        self.noise = noise
        self.trouble = trouble
        self.random_state = random_state

    @classmethod
    def algorithm_version(cls):
        return 7

    def fit(self, Xs):
        time.sleep(float(os.environ.get("MTCLIB_TEST_PAUSE", "0")))
        if self.noise == 2 and (mark := os.environ.get("MTCLIB_TEST_HOLD")):
            Path(mark).touch()
            # With the interpreter held, as LAPACK does, where the kernel ends a process that cannot itself.
            (ctypes.PyDLL if sys.platform == "linux" else ctypes.CDLL)(None).sleep(90)
        if self.trouble == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        held = np.zeros(2**28 if self.trouble == "memory" else 1)
        while self.trouble == "time" or held.size > 1:
            pass
        if self.trouble == "raise":
            raise ValueError("this method\ncannot do that")
        if self.trouble == "warn":
            warnings.warn("stopped early", ConvergenceWarning, stacklevel=2)
        rng = np.random.default_rng(self.random_state)
        means = [X.mean(axis=1) + rng.normal(0, self.noise, len(X)) for X in Xs]
        found = [np.clip(np.round(mean / 5), 0, 2) for mean in means]
        several = isinstance(self.n_clusters, list)
        self.labels_ = [y.astype(int) for y in found] if several else found[0].astype(int)
        self.objective_ = (10.0 / np.arange(1, 4) + rng.random()) * (np.nan if self.trouble == "nan" else 1)
        self.relation_ = {(0, 1): rng.random((3, 3)), (1, 0): rng.random((3, 3))}
        self.n_iter_, self.converged_ = 3, self.trouble != "warn"
        return self


class WatchedStore(runs.RunStore):
    """Notes when each record arrives, and does something at the third."""

    def __init__(self, folder, at_the_third=lambda: None):
        super().__init__(folder)
        self.at_the_third, self.times = at_the_third, []

    def put(self, record):
        super().put(record)
        self.times.append(time.monotonic())
        if len(self.times) == 3:
            self.at_the_third()


def table(**changes):
    """A small protocol, as parsed TOML, with top-level tables replaced by ``changes``."""
    return {
        "paper": "demo", "title": "A demonstration", "root_seed": 1,
        "datasets": {"tiny": {"loader": "experiments_support:tiny", "published": "Tiny"}},
        "methods": {"noisy": {"estimator": "experiments_support:Noisy", "grid": {"noise": [0.5, 1.0, 2.0]},
                              "default": {"noise": 1.0}, "keep": ["relation_"], "keep_history": True},
                    "once": {"estimator": "experiments_support:Noisy", "params": {"noise": 3.0},
                             "deterministic": True}},
        "profiles": quick("noisy", "once", n_runs=4),
        **changes}


def quick(*methods, n_runs=2, datasets=("tiny",), **more):
    """The profile "quick" of a small protocol, as parsed TOML."""
    return {"quick": {"n_runs": n_runs, "datasets": list(datasets), "methods": list(methods), **more}}


def demo_jobs(**changes):
    """13 jobs: a grid of three points in four runs, and a method that is run once."""
    return runs.expand(runs.parse_protocol(table(**changes)), "quick")


def exported(folder, jobs, **options):
    """The store of a finished run of jobs, its frame, and its results as they are read back."""
    store = runs.RunStore(folder / "runs")
    found = runs.run(jobs, store)
    return store, found, runs.read_results(runs.export(jobs, store, folder / "results", **options))


def altered(store, key, *, without="", arrays=None, **info):
    """Give the record of a job other arrays and facts, and take one away from it."""
    record = store.get(key)
    arrays, info = {**record.arrays, **(arrays or {})}, {**record.info, **info}
    for part in (arrays, info):
        part.pop(without, None)
    store.put(replace(record, arrays=arrays, info=info))


def comparable(results, store, jobs):
    """Frame without its cost, and the digests of all records."""
    digests = {job.key: runs.record_digest(store.path(job.key)) for job in jobs}
    return results.drop(columns="seconds"), digests


def start(store, n_jobs=1, pause=0.1):
    """A process that runs the small protocol, in its own process group as a shell would start it."""
    return interruptible([sys.executable, __file__, str(store), str(n_jobs)],
                         env={**os.environ, "MTCLIB_TEST_PAUSE": str(pause)})


def interruptible(command, **options):
    """A command in its own process group, with SIGINT as a terminal leaves it."""
    if os.name == "posix":
        # A job in the background of a script starts with SIGINT ignored; a user's terminal does not.
        options["preexec_fn"] = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True, **options)


def wait_until(condition, seconds=120.0):
    """Wait for something that another process does; fail if it does not happen."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"nothing happened within {seconds} s")
        time.sleep(0.01)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    runs.run(demo_jobs(), runs.RunStore(sys.argv[1]), n_jobs=int(sys.argv[2]))
