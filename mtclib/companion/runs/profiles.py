"""Whole profiles, as the command line and the notebooks ask for them: their jobs, and the data they need."""

import json
import logging
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd

from mtclib.companion import runs
from mtclib.companion.runs.fit import labels_digest
from mtclib.companion.runs.measures import MEASURES, class_means
from mtclib.companion.runs.results import read_by_labels
from mtclib.core import paths
from mtclib.datasets import FetchError

log = logging.getLogger(__name__)


def plan(paper, profile, *, seed=None, n_runs=0):
    """The protocol of a paper, its jobs, and the store they belong to. A notebook and ``python -m mtclib
    run`` both start here, so that the one finds what the other has done."""
    protocol = runs.load_protocol(paper)
    protocol = protocol if seed is None else replace(protocol, root_seed=seed)
    if n_runs:
        parts = {name: replace(part, n_runs=n_runs) for name, part in protocol.profiles.items()}
        studies = {name: replace(part, n_runs=min(part.n_runs, n_runs))
                   for name, part in protocol.studies.items()}
        protocol = replace(protocol, profiles=parts, studies=studies)
    return protocol, runs.expand(protocol, profile), runs.RunStore(paths.runs_dir())


def run_jobs(paper, profile, *, seed=None, n_runs=0, n_jobs=1, dask=None, export=False) -> None:
    """Run the jobs of a profile that the store does not have yet. With ``export`` the results are written to
    ``data/<paper>/results``, and fits that are committed there are taken from there, not run again."""
    protocol, jobs, store = plan(paper, profile, seed=seed, n_runs=n_runs)
    if not export:
        runs.run(jobs, store, n_jobs=n_jobs, dask=dask)
        return
    folder = paths.results_dir(paper)
    if (folder / "provenance.json").exists():
        runs.restore(jobs, runs.read_results(folder), store)
    run_and_export(jobs, store, folder, protocol, n_jobs=n_jobs, dask=dask)
    describe_data(protocol, profile, folder)


def run_and_export(jobs, store, folder, protocol, *, n_jobs=1, dask=None):
    """Run jobs and write their results to a folder. FetchError if data cannot be had, here before any job
    runs, on the workers of a cluster afterwards: committed results are not replaced by gaps."""
    _refuse_gaps(folder, {job.dataset: job.unavailable for job in jobs if job.unavailable})
    results = runs.run(jobs, store, n_jobs=n_jobs, dask=dask)
    lacking = results[results["status"] == "unavailable"]
    _refuse_gaps(folder, dict(zip(lacking["dataset"], lacking["error"])))
    _bring_labels(jobs, store, results, protocol, n_jobs, dask)
    runs.export(jobs, store, folder, n_jobs=n_jobs, protocol=protocol)


def _bring_labels(jobs, store, results, protocol, n_jobs, dask):
    """Run those restored fits again whose labels are to be committed now, and were not before."""
    read = read_by_labels(results, protocol)
    bare = {job.key: job for job in jobs if job.key in read and not job.unavailable}
    digests = {key: store.get(key, arrays=False).info.get("labels") for key in bare}
    bare = [bare[key] for key, digest in digests.items() if digest]
    for job in bare:
        store.path(job.key).unlink()
    runs.run(bare, store, n_jobs=n_jobs, dask=dask)
    again = {job.key: store.get(job.key) for job in bare}  # without a record where a worker had no data
    differ = [key for key, record in again.items() if not record or labels_digest(record) != digests[key]]
    if differ:
        log.warning("%d of %d fits that were run again for their labels gave others than the committed ones: "
                    "%s", len(differ), len(bare), ", ".join(differ))


def _refuse_gaps(folder, missing):
    if missing:
        name = folder.relative_to(paths.root()).as_posix()
        raise FetchError(f"{name} is left as it was, for {', '.join(missing)} cannot be had: "
                         f"{next(iter(missing.values()))}")


def needed_files(protocol, profile) -> list[str]:
    """Names of the data files of a profile, getting those that are not there yet. The data sets are loaded,
    and say themselves what they were read from: a list of files beside the loaders could go out of date. All
    are tried before FetchError says which cannot be had."""
    files, failed = set(), {}
    for loader, params in protocol.needed_datasets(profile).values():
        try:
            data, _ = runs.load_dataset(loader, params)
        except FetchError as error:
            failed[str(error)] = error
        else:
            files.update(source["file"] for source in data.sources)
    if failed:
        raise FetchError("\n".join(failed))
    return sorted(files)


def describe_data(protocol, profile, folder):
    """Write what readers of results ask about the data: ``sizes.csv``, ``classes.json``, ``truth.csv``."""
    sizes(protocol, profile).to_csv(folder / "sizes.csv", index=False, lineterminator="\n")
    names, rows, needed = {}, [], protocol.needed_datasets(profile)
    found = [name for name in needed if protocol.datasets[name].pipeline == "identified"]
    # Without those of studies, but for an identified pipeline.
    for dataset in dict.fromkeys([*protocol.profile(profile).datasets, *found]):
        data, _ = runs.load_dataset(*needed[dataset])
        names[dataset] = [list(found) for found in data.class_names]
        if protocol.measures:  # of the true classes, as if a method had found them
            means = [class_means(X, y) for X, y in zip(data.Xs, data.labels)]
            model = SimpleNamespace(labels_=data.labels, cluster_centers_=means)
            rows += [(dataset, name, MEASURES[name](data, model)) for name in protocol.measures]
    (folder / "classes.json").write_text(json.dumps(names, indent=1) + "\n", encoding="utf-8")
    if rows:
        truth = pd.DataFrame(rows, columns=["dataset", "metric", "value"]).dropna()
        truth.to_csv(folder / "truth.csv", index=False, lineterminator="\n")


def sizes(protocol, profile) -> pd.DataFrame:
    """Sizes of every data set that stands for a printed one, beside the printed sizes, by data set and task.
    Data sets that differ in their weights only have one row."""
    parts, seen = [], set()
    for name, (loader, params) in protocol.needed_datasets(profile).items():
        data, _ = runs.load_dataset(loader, params)
        parts_of_data = [X for task in data.Xs for X in task] if data.kind == "lifelong" else data.Xs
        shape = protocol.datasets[name].published, tuple(X.shape for X in parts_of_data)
        if data.published and shape not in seen:
            seen.add(shape)
            table = data.summary().reset_index()
            parts.append(table.assign(**{"data set": name, "edition": data.edition}))
    first = ["data set", "edition"]
    table = pd.concat([pd.DataFrame(columns=first), *parts], ignore_index=True)
    return table[[*first, *table.columns.drop(first)]]
