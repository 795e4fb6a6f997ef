"""Committed results: a paper's full profile as a few small files, and how they go back into a run store, so
that an export after a change runs only what is new.
"""

import json
import lzma
import math
import os
import platform
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import distributions, version
from itertools import cycle
from pathlib import Path

import numpy as np
import pandas as pd

from mtclib.companion.runs.fit import failed_record, labels_digest, lacking
from mtclib.companion.runs.jobs import Job, load_dataset, present_version
from mtclib.companion.runs.protocol import Protocol
from mtclib.companion.runs.results import COLUMNS, JOB_COLUMNS, STATUS_COLUMNS, frame, read_by_labels
from mtclib.companion.runs.store import RunStore
from mtclib.core import paths
from mtclib.datasets import FetchError
from mtclib.metrics import SCORES

JOBS, SCORE_TABLE = "jobs.csv.xz", "scores.npz"
# Text whose half are digests: 3 % smaller than by the defaults.
PACKED = {"method": "xz", "filters": [{"id": lzma.FILTER_LZMA2, "preset": 6 | lzma.PRESET_EXTREME, "lc": 0,
                                       "pb": 0}]}
PACKS = ("labels.npz", "histories.npz", "models.npz")
# Without a time stamp the same tables are the same bytes.
TABLE = {"lineterminator": "\n", "compression": {"method": "gzip", "mtime": 0}}
BITS = "bits"
MILLIONTHS, ABSENT = 1e6, np.iinfo(np.int32).min
"""Scores are committed as whole millionths; this one stands for NaN."""

REPEATED = ("paper", "published", "edition", "data_sha", "params", "status", "key", "part")
"""Columns with few distinct strings; read as pandas categories to save memory."""


def _packed(name):
    """Arrays of a file beside the committed results, a dict."""
    def unpacked(self):
        return unpack_arrays(self.folder / name) if (self.folder / name).exists() else {}

    return cached_property(unpacked)


@dataclass(frozen=True)
class Results:
    """Committed results, as :func:`read_results` finds them; arrays are unpacked when first asked for."""

    frame: pd.DataFrame  # as from :func:`mtclib.companion.runs.frame`, values rounded to 6 decimals
    provenance: dict
    folder: Path
    digests: dict  # by key of a fit that succeeded: 16 hexadecimal digits, from ``fit.labels_digest``
    calibrations: dict  # by key, where one was taken: seconds of a fixed product at the moment of the fit

    labels = _packed("labels.npz")  # by <key>/<task>, of fits in `read_by_labels`, and truth/<dataset>/<task>
    histories = _packed("histories.npz")  # the objective by <key>, for methods flagged ``keep_history``
    models = _packed("models.npz")  # by <key>/<attribute>/...


def export(jobs: Iterable[Job], store: RunStore, folder: str | Path, *, n_jobs: int = 1,
           protocol: Protocol | None = None) -> Path:
    """Write the results of jobs as files that are small enough to commit. Every fit has a digest of its
    labels; the labels stay of the fits that are read by them under ``protocol``. ValueError if a job has no
    whole record."""
    folder = Path(folder)
    wanted = {job.key: job for job in jobs if not job.unavailable}
    records = {key: store.get(key) for key in wanted}
    whole = {key for key, record in records.items() if record and not lacking(record, wanted[key])}
    results = frame([job for job in jobs if job.key in whole or job.unavailable], records)
    if protocol:
        read = read_by_labels(results, protocol)
        whole -= {key for key in read & whole if lacking(records[key], wanted[key], labels=True)}
    if missing := len(records) - len(whole):
        raise ValueError(f"{missing} of {len(records)} jobs are not in the store, or damaged there; the same "
                         f"run again computes them, and leaves the others as they are")
    # All files are whole before the first earlier one is replaced: an interruption leaves those as they were.
    with paths.incoming(folder) as scratch:
        digests = {key: labels_digest(record) for key, record in records.items() if record.status == "ok"}
        calibrations = {key: record.cost.get("calibration") for key, record in records.items()}
        _write_tables(results, digests, calibrations, scratch)
        labels, histories, models = _collect(jobs, records, read if protocol else records.keys())
        for name, arrays in zip(PACKS, ({**_truth(jobs), **labels}, histories, models)):
            if arrays:
                pack_arrays(scratch / name, arrays)
        text = json.dumps(_provenance(jobs, records, n_jobs), indent=2, sort_keys=True)
        (scratch / "provenance.json").write_text(text + "\n", encoding="utf-8")
        written = sorted(scratch.iterdir())
        for file in written:
            os.replace(file, folder / file.name)
    for name in {*PACKS} - {file.name for file in written}:
        (folder / name).unlink(missing_ok=True)
    return folder


def read_results(folder: str | Path) -> Results:
    """Read what :func:`export` wrote; FileNotFoundError if there are no committed results."""
    folder = Path(folder)
    types = dict.fromkeys(("dataset", "method", "error", "labels"), str) | dict.fromkeys(REPEATED, "category")
    absent = {"objective": [""], "calibration": [""]}
    jobs = pd.read_csv(folder / JOBS, dtype=types, keep_default_na=False, na_values=absent)
    with np.load(folder / SCORE_TABLE, allow_pickle=False) as members:
        arrays = {name: members[name] for name in members.files}
    values = np.where(arrays["values"] == ABSENT, np.nan, arrays["values"] / MILLIONTHS)
    lines = pd.MultiIndex.from_arrays([arrays["row"], arrays["task"].astype(object)], names=["row", "task"])
    names = pd.Index([*arrays["metrics"], *arrays["measures"]], name="metric")
    scores = pd.DataFrame(np.hstack([values, arrays["measured"]]), lines, names)
    tidy = scores.stack().rename("value").reset_index()
    if len(scores.columns) > len(SCORES):  # measures of a whole fit have a line beside those of its tasks
        alone = ~scores.index.get_level_values("row").duplicated(keep=False)
        of_tasks = tidy["metric"].isin(list(SCORES))
        tidy = tidy[(of_tasks == (tidy["task"] != "")) | alone.repeat(scores.shape[1])]
    provenance = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    present = {name: present_version(name) for name in provenance["algorithm_versions"]}
    if old := [f"{name} by version {made} of the algorithm (version {present[name]} is present)"
               for name, made in provenance["algorithm_versions"].items() if made != present[name]]:
        provenance = {"fits of earlier versions": "; ".join(old), **provenance}
    digests = dict(jobs.loc[jobs["labels"] != "", ["key", "labels"]].itertuples(index=False))
    calibrations = dict(jobs[["key", "calibration"]].dropna().itertuples(index=False))
    tidy = tidy.join(jobs, on="row")[list(COLUMNS)].reset_index(drop=True)
    return Results(tidy, provenance, folder, digests, calibrations)


def _write_tables(results, digests, calibrations, folder):
    results = results.assign(row=results.groupby(["dataset", "method", "key"], sort=False).ngroup())
    jobs = results.drop_duplicates("row")[[*JOB_COLUMNS, *STATUS_COLUMNS]]
    jobs = jobs.assign(objective=rounded(jobs["objective"].to_numpy()), seconds=jobs["seconds"].round(3),
                       labels=jobs["key"].map(digests).fillna(""),
                       calibration=jobs["key"].map(calibrations).astype(float).round(5))
    jobs.to_csv(folder / JOBS, index=False, lineterminator="\n", compression=PACKED)
    lines = pd.MultiIndex.from_frame(results[["row", "task"]].drop_duplicates())
    wide = results.pivot(index=["row", "task"], columns="metric", values="value").reindex(lines)
    measures = [name for name in results["metric"].unique() if name not in SCORES]
    values = np.round(wide[list(SCORES)].to_numpy() * MILLIONTHS)
    values = np.where(np.isnan(values), ABSENT, values).astype(np.int32)
    write_npz(folder / SCORE_TABLE, {
        "row": lines.get_level_values("row").to_numpy(np.int32),
        "task": lines.get_level_values("task").to_numpy(str),
        "metrics": np.array(list(SCORES)), "values": values,
        "measures": np.array(measures, dtype=str), "measured": wide[measures].round(6).to_numpy(float)})


def rounded(values, digits=8):
    """Values rounded to significant digits, as float64.

    >>> rounded([1234.56789], 6).tolist()
    [1234.57]
    """
    return np.array([float(f"{value:.{digits - 1}e}") for value in np.asarray(values, dtype=float)])


def _collect(jobs, records, read):
    labels, histories, models = {}, {}, {}
    for job in jobs:
        record = records.get(job.key)
        for name, array in (record.arrays if record else {}).items():
            kind, _, rest = name.partition("/")
            if kind == "labels" and job.key in read:
                labels[f"{job.key}/{rest}"] = _small(array)
            elif kind == "model":
                models[f"{job.key}/{rest}"] = array.astype(np.float32) if array.dtype == np.float64 else array
            elif kind == "objective" and job.keep_history:
                histories[job.key] = rounded(array)
    return labels, histories, models


def _small(labels):
    return np.asarray(labels, dtype=np.int8 if np.max(labels, initial=0) <= 127 else np.int32)


def _truth(jobs):
    truth = {}
    for job in {job.dataset: job for job in jobs if not job.unavailable}.values():
        try:
            data, _ = load_dataset(job.loader, job.loader_params)
        except FetchError:
            continue
        labels = [data.labels] if data.kind == "multiview" else data.labels
        truth.update({f"truth/{job.dataset}/{name}": _small(y) for name, y in zip(job.tasks, labels)})
    return truth


def pack_arrays(path, arrays):
    """Write many small arrays of numbers as one compressed npz: a member per type, a bit for each of two
    clusters, and arrays of one shape side by side, entry by entry, which takes a third of the room."""
    groups = {}
    for name, array in arrays.items():
        two = array.dtype == np.int8 and array.size and array.min() >= 0 and array.max() <= 1
        kind = BITS if two else array.dtype.str
        groups.setdefault((kind, array.shape, name.partition("/")[2]), []).append(name)
    number = {name: i for i, names in enumerate(groups.values()) for name in names}
    index = {"groups": list(groups), "names": [[name, number[name]] for name in arrays]}
    joined = {}
    for (kind, *_), names in groups.items():
        joined.setdefault(kind, []).append(np.stack([arrays[name] for name in names], axis=-1).ravel())
    joined = {kind: np.concatenate(parts) for kind, parts in joined.items()}
    if BITS in joined:
        joined[BITS] = np.packbits(joined[BITS].astype(bool))
    text = np.frombuffer(json.dumps(index, separators=(",", ":")).encode(), dtype=np.uint8)
    write_npz(path, {"index": text, **joined})


def write_npz(path, members):
    """Write what ``numpy.load`` reads, compressed by LZMA: a third smaller than numpy's own. Without a time
    stamp the same arrays are the same bytes."""
    with zipfile.ZipFile(path, "w") as file:
        for name, array in members.items():
            entry = zipfile.ZipInfo(f"{name}.npy")
            entry.compress_type = zipfile.ZIP_LZMA
            with file.open(entry, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)


def unpack_arrays(path):
    """Dict of arrays that :func:`pack_arrays` wrote."""
    with np.load(path, allow_pickle=False) as members:
        index = json.loads(members["index"].tobytes())
        joined = {kind: members[kind] for kind in members.files if kind != "index"}
    if BITS in joined:
        joined[BITS] = np.unpackbits(joined[BITS]).astype(np.int8)
    count, position, groups = Counter(group for _, group in index["names"]), Counter(), []
    for i, (kind, shape, _) in enumerate(index["groups"]):
        start = position[kind]
        position[kind] += math.prod(shape) * count[i]
        stacked = joined[kind][start:position[kind]].reshape(*shape, count[i])
        groups.append(iter(np.ascontiguousarray(np.moveaxis(stacked, -1, 0))))
    return {name: np.asarray(next(groups[group])) for name, group in index["names"]}


def _provenance(jobs, records, n_jobs):
    statuses = [record.status for record in records.values()]
    costs = [record.cost for record in records.values()]
    return {"paper": jobs[0].paper if jobs else "",
            "data": {job.dataset: {"sha256": job.data_sha, "edition": job.edition} for job in jobs},
            "algorithm_versions": {  # the oldest, where fits of an earlier version are kept beside later ones
                job.algorithm: job.algorithm_version
                for job in sorted(jobs, key=lambda job: -job.algorithm_version)},
            "mtclib": next((found.version for found in distributions(name="mtclib")), ""),
            "commit": paths.git("describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"),
            "python": platform.python_version(),
            "packages": {name: version(name) for name in ("numpy", "scipy", "scikit-learn")},
            "jobs": {status: statuses.count(status) for status in ("ok", "failed")},
            "unavailable": len({job.key for job in jobs if job.unavailable}),
            "n_jobs": n_jobs, "seconds": round(sum(cost["seconds"] for cost in costs), 1),
            "computed": sorted({cost["when"][:10] for cost in costs}),
            "exported": datetime.now(UTC).date().isoformat()}


def restore(jobs: Iterable[Job], results: Results, store: RunStore) -> set[str]:
    """Put those fits of committed results that are among the jobs into a store that lacks them, and return
    their keys. A fit without committed labels brings their digest, and is exported as before."""
    arrays = defaultdict(dict)
    for kind, pack in (("labels", results.labels), ("model", results.models)):
        for name, array in pack.items():
            key, _, rest = name.partition("/")
            arrays[key][f"{kind}/{rest}"] = array
    wanted = {job.key: job for job in jobs if not job.unavailable}
    missing = (set(results.frame["key"]) & wanted.keys()) - {*store.keys()}
    rows = results.frame[results.frame["key"].isin(missing)]
    rows = rows.drop_duplicates(["key", "task", "metric"]).groupby("key", sort=True, observed=True)
    # Which of the days a fit was run on is not committed, and none of them may be lost.
    for (key, fit), day in zip(rows, cycle(results.provenance["computed"])):
        record = _restored(wanted[key], fit, arrays[key], results)
        record.cost.update(seconds=float(fit["seconds"].iloc[0]), when=day,
                           calibration=results.calibrations.get(key))
        store.put(record)
    return missing


def _restored(job, rows, arrays, results):
    fit = rows.iloc[0]
    record = failed_record(job, fit["error"])
    if fit["status"] != "ok":
        return record
    values = rows.pivot(index="task", columns="metric", values="value")
    measures = [name for name in values if name in job.measures]
    scores = values.drop(columns=measures).dropna(how="all")
    record.info.update(status="ok", scores=scores.to_dict("index"), n_iter=int(fit["n_iter"]),
                       objective=float(fit["objective"]), converged=bool(fit["converged"]))
    if job.measures:
        record.info["measures"] = values.loc["", measures].dropna().to_dict()
    if not any(name.startswith("labels/") for name in arrays):
        record.info["labels"] = results.digests[job.key]
    history = results.histories.get(job.key, np.array([fit["objective"]]))
    return replace(record, arrays={**arrays, "objective": history})
