"""What the command line and the notebooks ask of a paper's protocol: which data it needs, and its jobs."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd

from mtclib.companion import runs
from mtclib.companion.runs.measures import MEASURES, class_means
from mtclib.core import paths
from mtclib.datasets import FetchError


def papers() -> list[str]:
    """Return the papers that have a protocol.

    Examples
    --------
    >>> "mtcmrl" in papers()
    True
    """
    return paths.papers()


def needed_datasets(protocol, profile: str) -> dict[str, tuple[str, dict]]:
    """Return the data sets of a profile, its studies and its sweeps.

    Parameters
    ----------
    protocol : mtclib.companion.runs.Protocol
    profile : {"quick", "full"}

    Returns
    -------
    dict of str to (str, dict)
        Name of the data set -> its loader and the loader's parameters.
    """
    chosen = protocol.profile(profile)
    parts = [chosen, *(protocol.studies[name] for name in chosen.studies)]
    parts += [protocol.sensitivity[name] for name in chosen.sensitivity]
    found = {}
    for name in dict.fromkeys(name for part in parts for name in part.datasets):
        spec = protocol.datasets[name]
        found[name] = spec.loader, {**spec.params, **chosen.loader_params.get(name, {})}
    return found


def needed_files(protocol, profile: str) -> list[str]:
    """Return the data files of a profile, getting those that are not there yet.

    The data sets are loaded, and say themselves what they were read from: a list of files beside the loaders
    could go out of date.

    Parameters
    ----------
    protocol : mtclib.companion.runs.Protocol
    profile : {"quick", "full"}

    Returns
    -------
    list of str
        Names in :func:`mtclib.datasets.registry`, sorted.

    Raises
    ------
    mtclib.datasets.FetchError
        If a file cannot be had; the others are fetched first.
    """
    files, failed = set(), {}
    for loader, params in needed_datasets(protocol, profile).values():
        try:
            data, _ = runs.load_dataset(loader, params)
        except FetchError as error:
            failed[str(error)] = error
        else:
            files.update(source["file"] for source in data.sources)
    if failed:
        raise FetchError("\n".join(failed))
    return sorted(files)


def sizes(protocol, profile: str) -> pd.DataFrame:
    """Return the sizes of every data set that stands for a printed one, beside the printed sizes.

    Parameters
    ----------
    protocol : mtclib.companion.runs.Protocol
    profile : {"quick", "full"}

    Returns
    -------
    DataFrame
        One row a data set and task: ``data set, edition``, and the columns of ``Dataset.summary``.  Data sets
        that differ in their weights only have one row.

    Raises
    ------
    mtclib.datasets.FetchError
        If a data set cannot be had.
    """
    parts, seen = [], set()
    for name, (loader, params) in needed_datasets(protocol, profile).items():
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


def class_names(protocol, profile: str) -> dict[str, list[list[str]]]:
    """Return the names of the classes of each task of the profile's own data sets."""
    needed = needed_datasets(protocol, profile)
    return {name: [list(names) for names in runs.load_dataset(*needed[name])[0].class_names]
            for name in protocol.profile(profile).datasets}  # fmt: skip


def truth(protocol, profile: str) -> pd.DataFrame:
    """Return the protocol's measures of the true classes, as if a method had found them.

    Parameters
    ----------
    protocol : mtclib.companion.runs.Protocol
    profile : {"quick", "full"}

    Returns
    -------
    DataFrame
        ``dataset, metric, value``; the data sets of the profile alone, without those of its studies.

    Raises
    ------
    mtclib.datasets.FetchError
        If a data set cannot be had.
    """
    rows, needed = [], needed_datasets(protocol, profile)
    for dataset in protocol.profile(profile).datasets:
        data, _ = runs.load_dataset(*needed[dataset])
        means = [class_means(X, y) for X, y in zip(data.Xs, data.labels)]
        model = SimpleNamespace(labels_=data.labels, cluster_centers_=means)
        rows += [(dataset, name, MEASURES[name](data, model)) for name in protocol.measures]
    return pd.DataFrame(rows, columns=["dataset", "metric", "value"]).dropna()


def plan(paper: str, profile: str, *, seed: int | None = None, n_runs: int = 0):
    """Return the protocol of a paper with its seed and runs replaced, its jobs, and the store they belong to.

    A notebook and ``python -m mtclib run`` both start here, so that the one finds what the other has done.

    Parameters
    ----------
    paper : str
    profile : {"quick", "full"}
    seed : int, optional
        Root seed; None takes the protocol's.
    n_runs : int, default=0
        Runs of each setting; 0 takes the protocol's number.

    Returns
    -------
    Protocol, list of Job, RunStore

    Raises
    ------
    mtclib.companion.runs.ProtocolError
        If there is no such paper or profile, or the protocol cannot be run.
    """
    protocol = runs.load_protocol(paper)
    protocol = protocol if seed is None else replace(protocol, root_seed=seed)
    protocol = protocol if n_runs == 0 else protocol.with_runs(n_runs)
    return protocol, runs.expand(protocol, profile), runs.RunStore(paths.runs_dir())


def run_jobs(paper, profile, *, seed=None, n_runs=0, n_jobs=1, dask=None, export=False) -> None:
    """Run the jobs of a profile that the store does not have yet, with their progress shown.

    Parameters
    ----------
    paper, profile, seed, n_runs
        As in :func:`plan`.
    n_jobs, dask
        As in :func:`mtclib.companion.runs.run`.
    export : bool, default=False
        Write the results to ``data/<paper>/results``, to be committed.

    Raises
    ------
    mtclib.datasets.FetchError
        With `export`, if a data set cannot be had: committed results are not replaced by gaps.  What is
        missing here is said before any job runs, what is missing on the workers of a cluster afterwards.
    """
    protocol, jobs, store = plan(paper, profile, seed=seed, n_runs=n_runs)
    committed = paths.results_dir(paper)
    if export:
        refuse_gaps(committed, {job.dataset: job.unavailable for job in jobs if job.unavailable})
    results = runs.run(jobs, store, n_jobs=n_jobs, dask=dask)
    if export:
        lacking = results[results["status"] == "unavailable"]
        refuse_gaps(committed, dict(zip(lacking["dataset"], lacking["error"])))
        folder = runs.export(jobs, store, committed, n_jobs=n_jobs)
        describe_data(protocol, profile, folder)


def describe_data(protocol, profile, folder):
    """Write what readers of results ask about the data: ``sizes.csv``, ``classes.json``, ``truth.csv``."""
    sizes(protocol, profile).to_csv(folder / "sizes.csv", index=False, lineterminator="\n")
    names = json.dumps(class_names(protocol, profile), indent=1)
    (folder / "classes.json").write_text(names + "\n", encoding="utf-8")
    if protocol.measures:
        truth(protocol, profile).to_csv(folder / "truth.csv", index=False, lineterminator="\n")


def refuse_gaps(folder, missing):
    """Raise FetchError if data sets that committed results need cannot be had.

    Parameters
    ----------
    folder : Path
        Of the committed results.
    missing : dict of str to str
        Data set to the reason.
    """
    if missing:
        name = folder.relative_to(paths.root()).as_posix()
        raise FetchError(f"{name} is left as it was, for {', '.join(missing)} cannot be had: "
                         f"{next(iter(missing.values()))}")
