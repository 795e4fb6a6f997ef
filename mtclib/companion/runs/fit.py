"""The one place that fits, times and catches; and one job: load, fit, score, in any process."""

import hashlib
import os
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd

from mtclib.companion.runs.jobs import Job, load_dataset, present_version, resolve_estimator
from mtclib.companion.runs.measures import MEASURES
from mtclib.companion.runs.store import Record
from mtclib.core.errors import MtclibError
from mtclib.core.starts import one_thread
from mtclib.datasets import FetchError
from mtclib.metrics import score_all

# Thread limits and recorded warnings belong to the whole process: two jobs in two threads of one process
# (a dask worker started with several) would undo each other's.
_ONE_AT_A_TIME = threading.Lock()

_FIXED = np.random.default_rng(0).random((128, 128))

NO_RESULT = {"scores": {}, "n_iter": 0, "converged": False, "objective": None}


class JobMismatch(MtclibError, RuntimeError):
    """This machine has other data, or another version of the algorithm, than the job was made for."""


@dataclass
class Attempt:
    """What became of a call."""

    value: Any = None
    error: Exception | None = None
    trace: str = ""
    caught: tuple = ()  # warnings, as ``warnings.catch_warnings`` records them
    seconds: float = 0.0  # by the clock
    processor: float = 0.0  # seconds of the processor

    @property
    def message(self):
        """The error in one line, with its type; "" where there is none."""
        return " ".join(f"{type(self.error).__name__}: {self.error}".split()) if self.error else ""


def attempt(function: Callable, *args: object) -> Attempt:
    """Call with one thread, whatever happens; ``KeyboardInterrupt`` alone passes through."""
    done = Attempt()
    with _ONE_AT_A_TIME, one_thread(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start, processor = time.perf_counter(), time.process_time()
        try:
            done.value = function(*args)
        except Exception as error:
            done.error, done.trace = error, traceback.format_exc()
        done.seconds, done.processor = time.perf_counter() - start, time.process_time() - processor
    done.caught = tuple(caught)
    return done


def execute(job: Job) -> Record:
    """Run a job: a record with status "ok", "failed", or "unavailable" if the data cannot be had here."""
    done = attempt(_fit, job)
    nothing: tuple[dict, dict] = {}, {}
    info, arrays = done.value or nothing
    record = failed_record(job, done.message)
    record.cost.update(seconds=info.pop("seconds", done.processor), traceback=done.trace,
                       calibration=info.pop("calibration", None))
    status = "ok" if not done.error else "unavailable" if isinstance(done.error, FetchError) else "failed"
    seen = sorted({f"{w.category.__name__}: {w.message}" for w in done.caught})
    record.info.update(info, status=status, warnings=seen)
    return replace(record, arrays=arrays)


def failed_record(job, error):
    """Record of a job that gave neither a result nor an exception, because its process died."""
    info = {"key": job.key, "job": job.identity(), "status": "failed", "error": error, "warnings": [],
            **NO_RESULT}
    when = datetime.now(UTC).isoformat(timespec="seconds")
    return Record(info, {"seconds": 0.0, "when": when, "cpu_count": os.cpu_count(), "traceback": ""})


def labels_digest(record):
    """Digest of the labels of a fit, 16 hexadecimal digits of SHA-256 over the partitions of its tasks.
    Clusters are numbered by their first sample, so that it does not depend on their numbers. A record that
    was restored without labels has theirs."""
    if "labels" in record.info:
        return record.info["labels"]
    digest = hashlib.sha256()
    for name in sorted(name for name in record.arrays if name.startswith("labels/")):
        clusters = pd.factorize(record.arrays[name])[0]
        digest.update(f"{name} {len(clusters)}\n".encode() + clusters.astype("<i4").tobytes())
    return digest.hexdigest()[:16]


def lacking(record, job, labels=False):
    """Names of the parts that a record of this job must have and lacks, as after damage or by other code.
    The labels themselves are not asked for where their digest is there, unless ``labels``."""
    lost = {"status", "error", "warnings", *NO_RESULT, "seconds", "when"} - {*record.info, *record.cost}
    if record.info.get("status") == "ok":
        arrays = {"objective", *(f"model/{name}" for name in job.keep)}
        if labels or "labels" not in record.info:
            arrays |= {f"labels/{task}" for task in job.tasks if task != "avg"}
        lost |= arrays - {"/".join(name.split("/")[:2]) for name in record.arrays}
        lost |= {f"scores of {task!r}" for task in job.tasks if task not in record.info.get("scores", ())}
    return sorted(lost)


def flatten(name: str, value: object) -> dict:
    """Arrays inside nested dicts, lists and tuples, under names joined by slashes."""
    nested = dict | list | tuple | np.ndarray
    if isinstance(value, list | tuple) and any(isinstance(item, nested) for item in value):
        value = dict(enumerate(value))
    if not isinstance(value, dict):
        array = np.asarray(value)
        if array.dtype.kind not in "biuf":
            raise ValueError(f"{name} cannot be kept: it is {type(value).__name__}, not an array of numbers")
        return {name: array}
    found = {}
    for key, item in value.items():
        suffix = "/".join(map(str, key)) if isinstance(key, tuple) else str(key)
        found.update(flatten(f"{name}/{suffix}", item))
    return found


def _fit(job):
    data, sha = load_dataset(job.loader, job.loader_params)
    cls = resolve_estimator(job.estimator)
    if sha != job.data_sha:
        raise JobMismatch(f"the data set has the content {sha[:12]} here, but the job was made for "
                          f"{job.data_sha[:12]}; use the same data and package versions everywhere")
    if (version := present_version(job.algorithm)) != job.algorithm_version:
        raise JobMismatch(f"{job.algorithm} has version {version} here, but the job was made for "
                          f"{job.algorithm_version}; use the same code everywhere")
    model = cls(**{"n_clusters": data.n_clusters, "random_state": job.seed, **job.params})
    start = time.process_time()  # other work on the machine must not count
    model.fit(data.Xs)
    seconds = time.process_time() - start
    calibration = _calibration()
    objective = np.asarray(model.objective_, dtype=np.float64).ravel()
    if not np.isfinite(objective[-1]):  # no record holds it, and no run could be chosen by it
        raise FloatingPointError(f"objective_ is {objective[-1]}")
    views = data.kind == "multiview"
    names = [""] if views else [str(t + 1) for t in range(len(data.Xs))]
    labels, truth = ([model.labels_], [data.labels]) if views else (model.labels_, data.labels)
    scores = {name: score_all(y[y >= 0], found[y >= 0]) for name, y, found in zip(names, truth, labels)}
    if not views:
        scores["avg"] = {metric: np.mean([scores[name][metric] for name in names]) for metric in scores["1"]}
    info = {"scores": {name: {metric: float(value) for metric, value in row.items()}
                       for name, row in scores.items()},
            "n_iter": int(model.n_iter_), "converged": bool(model.converged_),
            "objective": float(objective[-1]), "seconds": seconds, "calibration": calibration}
    if job.measures:
        values = {name: float(MEASURES[name](data, model)) for name in job.measures}
        info["measures"] = {name: value for name, value in values.items() if not np.isnan(value)}
    arrays = {f"labels/{name}": np.asarray(found, dtype=np.int32) for name, found in zip(names, labels)}
    for name in job.keep:
        arrays.update(flatten(f"model/{name}", getattr(model, name)))
    return info, {**arrays, "objective": objective}


def _calibration():
    """Processor seconds of four fixed matrix products: how fast the machine was at the moment of a fit, which
    other work on it, or its heat, may have slowed."""
    start = time.process_time()
    for _ in range(4):
        _FIXED @ _FIXED
    return time.process_time() - start
