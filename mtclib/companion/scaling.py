"""What a full profile takes on any number of workers, from measured costs.

The committed results hold the seconds of every fit; ``benchmarks/job_memory.py`` measured memory and loading,
``benchmarks/cluster_run.py --overhead`` what handing out a job costs.  From these a run is simulated: jobs in
their order, each to the worker that is free first.
"""

import heapq
import json
import math
from dataclasses import dataclass

import pandas as pd

from mtclib.companion import runs
from mtclib.companion.parameters import choose
from mtclib.core import paths

WORKERS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
HELD = 2
"""Data sets that a worker remembers, see :func:`mtclib.companion.runs.load_dataset`."""
ENOUGH = 1.1
"""More workers have stopped helping where the time is within a tenth of that on the most."""
ORDERS = ("submitted", "longest first")
OTHER_GRIDS = ("grid_cluster_number",)
"""Printed grids of a single experiment about time, not of the tables."""


@dataclass(frozen=True)
class Costs:
    """What the full profile of a paper costs.

    Parameters
    ----------
    paper : str
    fits : DataFrame
        One row a fit, in the order in which they are submitted: ``dataset, published, method, part,
        seconds, loading`` (seconds that a worker needs to load its data set).
    dispatch : float
        Seconds a job that only the submitting process and the scheduler can spend.
    memory : float
        Largest measured peak of a worker, in megabytes.
    data : float
        Largest data set, in megabytes.
    """

    paper: str
    fits: pd.DataFrame
    dispatch: float
    memory: float
    data: float

    @property
    def work(self):
        """Seconds of all fits together."""
        return float(self.fits["seconds"].sum())

    @property
    def planning(self):
        """Seconds in which the submitting process loads each data set once, for its hash."""
        return float(self.fits.drop_duplicates("dataset")["loading"].sum())

    def bounds(self, workers):
        """Seconds that no order of the jobs can beat: the work shared out, the longest fit, handing out."""
        longest = (self.fits["seconds"] + self.fits["loading"]).max()
        return {"work": self.work / workers, "longest fit": float(longest),
                "handing out": len(self.fits) * self.dispatch}


def measured(name):
    """Measurements in ``data/results``: a csv as DataFrame, a json as dict, None if the file is not there."""
    file = paths.data_dir() / ("methods" if name == "cluster.json" else "results") / name
    if not file.exists():
        return None
    return pd.read_csv(file) if file.suffix == ".csv" else json.loads(file.read_text(encoding="utf-8"))


def costs(paper):
    """Read what the full profile of a paper costs.

    Parameters
    ----------
    paper : str

    Returns
    -------
    Costs
        A data set that was not measured itself (a damaged view, say) is given the median of the paper's times
        of loading.

    Examples
    --------
    >>> float(costs("mspl").fits["seconds"].max()) < 10
    True
    """
    jobs = pd.read_csv(paths.results_dir(paper) / "jobs.csv.gz", keep_default_na=False)
    fits = jobs[jobs["status"] == "ok"].drop_duplicates("key").reset_index(drop=True)
    machine = measured("scaling.csv")
    machine = machine[machine["paper"] == paper]
    loading = fits["published"].map(machine.set_index("dataset")["load_seconds"])
    fits = fits[["dataset", "published", "method", "part", "seconds"]]
    overhead = measured("scaling.json")
    return Costs(paper, fits.assign(loading=loading.fillna(machine["load_seconds"].median())),
                 max(overhead["scheduler_ms"], overhead["client_ms"]) / 1000,
                 float(machine["peak_mb"].max()), float(machine["data_mb"].max()))


def makespan(seconds, workers, *, dispatch=0.0, datasets=None, loading=None):
    """Seconds until the last job ends, each going to the worker that is free first, in the given order.

    Parameters
    ----------
    seconds : sequence of float
        Of each job, in the order in which they are handed out.
    workers : int, at least 1
    dispatch : float, default 0
        Job i cannot start before i of these have passed.
    datasets, loading : sequences, optional
        Data set of each job, and what loading it costs a worker that does not hold it; a worker holds `HELD`.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        No worker.

    Examples
    --------
    >>> makespan([1, 1, 2], 2), makespan([2, 1, 1], 2)
    (3.0, 2.0)
    >>> makespan([1, 1], 2, datasets=["a", "a"], loading=[5, 5])
    6.0
    """
    if workers < 1:
        raise ValueError(f"workers must be at least 1, not {workers}")
    datasets = [None] * len(seconds) if datasets is None else datasets
    loading = [0.0] * len(seconds) if loading is None else loading
    free, held, last = [(0.0, worker) for worker in range(workers)], [()] * workers, 0.0
    for number, (cost, dataset, load) in enumerate(zip(seconds, datasets, loading), start=1):
        at, worker = free[0]
        kept = held[worker]
        end = max(at, number * dispatch) + cost + (0.0 if dataset in kept else load)
        held[worker] = (dataset, *(name for name in kept if name != dataset))[:HELD]
        heapq.heapreplace(free, (end, worker))
        last = max(last, end)
    return float(last)


def simulate(costs, workers, order="submitted"):
    """Seconds of a whole run: planning, then all jobs.

    Parameters
    ----------
    costs : Costs
    workers : int
    order : {"submitted", "longest first"}
        "submitted" keeps the jobs of a data set together, as `expand` hands them out.

    Returns
    -------
    float

    Examples
    --------
    >>> paper = costs("mspl")
    >>> simulate(paper, 10) >= paper.planning + max(paper.bounds(10).values())
    True
    """
    choose(order, ORDERS, "order")
    fits = costs.fits
    if order == "longest first":
        fits = fits.sort_values("seconds", ascending=False, kind="stable")
    seconds, datasets, loading = (fits[name].tolist() for name in ("seconds", "dataset", "loading"))
    return costs.planning + makespan(
        seconds, workers, dispatch=costs.dispatch, datasets=datasets, loading=loading)


def curve(costs, workers=WORKERS, order="submitted"):
    """Simulated time by the number of workers.

    Parameters
    ----------
    costs : Costs
    workers : sequence of int
    order : {"submitted", "longest first"}

    Returns
    -------
    DataFrame
        ``paper, order, workers, seconds, efficiency``; efficiency is the work over workers times seconds.

    Examples
    --------
    >>> table = curve(costs("mspl"), workers=(1, 10))
    >>> bool(table["seconds"].is_monotonic_decreasing)
    True
    """
    seconds = [simulate(costs, number, order) for number in workers]
    table = pd.DataFrame({"paper": costs.paper, "order": order, "workers": workers, "seconds": seconds})
    return table.assign(efficiency=costs.work / (table["workers"] * table["seconds"]))


def enough(curve):
    """The fewest workers of a curve that are within a factor `ENOUGH` of its shortest time.

    Examples
    --------
    >>> enough(pd.DataFrame({"workers": [1, 10, 100], "seconds": [90.0, 10.5, 10.0]}))
    10
    """
    return int(curve.loc[curve["seconds"] <= ENOUGH * curve["seconds"].min(), "workers"].min())


def summary(all_costs):
    """One row a paper: jobs, processor hours, fits, data, memory of a worker.

    Parameters
    ----------
    all_costs : list of Costs

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> summary([costs("mspl")])["fits"].item() > 10_000
    True
    """
    rows = []
    for costs in all_costs:
        fits = costs.fits
        longest = fits.loc[fits["seconds"].idxmax()]
        rows.append({"paper": costs.paper, "fits": len(fits), "hours": costs.work / 3600,
                     "median (s)": fits["seconds"].median(), "longest (s)": longest["seconds"],
                     "longest fit": f"{longest['method']} on {longest['dataset']}",
                     "data sets": fits["dataset"].nunique(), "largest (MB)": costs.data,
                     "memory of a worker (MB)": costs.memory})
    return pd.DataFrame(rows).round({"hours": 2, "median (s)": 2, "longest (s)": 1, "largest (MB)": 1})


def on_many(all_costs, workers=1000):
    """One row a paper: the run on many workers, what it cannot beat, and how many would have been enough.

    Parameters
    ----------
    all_costs : list of Costs
    workers : int, default 1000

    Returns
    -------
    DataFrame
        Seconds; "bound by" names the largest part, planning among them.

    Examples
    --------
    >>> on_many([costs("mspl")], workers=500)["paper"].tolist()
    ['mspl']
    """
    rows = []
    for costs in all_costs:
        seconds = {order: simulate(costs, workers, order) for order in ORDERS}
        bounds = {"planning": costs.planning, **costs.bounds(workers)}
        rows.append({"paper": costs.paper, **{f"{order} (s)": value for order, value in seconds.items()},
                     **{f"{name} (s)": value for name, value in bounds.items()},
                     "bound by": max(bounds, key=bounds.get), "enough workers": enough(curve(costs))})
    return pd.DataFrame(rows).round(1)


def printed_hours(costs):
    """Processor hours of the paper's own grids, where they are larger than what was run.

    Points of a printed grid are counted in ``data/<paper>/facts.csv``; each costs the mean of those that
    were run.

    Parameters
    ----------
    costs : Costs

    Returns
    -------
    DataFrame
        ``paper, method, points run, points printed, hours run, hours printed``; empty if none is larger.

    Examples
    --------
    >>> printed_hours(costs("mspl")).empty
    True
    """
    facts = pd.read_csv(paths.paper_dir(costs.paper) / "facts.csv", dtype={"value": str})
    facts = facts[facts["quantity"].str.startswith("grid_")]
    facts = facts[~facts["quantity"].isin(OTHER_GRIDS)]
    points = facts.groupby(["method", "quantity"])["row"].max().groupby("method").prod()
    protocol = runs.load_protocol(costs.paper)
    rows = []
    for method, printed in points.items():
        fits = costs.fits[(costs.fits["method"] == method) & (costs.fits["part"] == "main")]
        grid = protocol.methods[method].grid
        run = math.prod(map(len, grid.values()))
        if len(fits) and run < printed:
            hours = fits["seconds"].sum() / 3600
            rows.append((costs.paper, method, int(run), int(printed), hours, hours * printed / run))
    names = ["paper", "method", "points run", "points printed", "hours run", "hours printed"]
    return pd.DataFrame(rows, columns=names).round(2)


def cluster_run():
    """The recorded run on a cluster that lost a worker, as rows; empty if ``cluster.json`` is not there.

    Returns
    -------
    DataFrame
        ``what, value``; the simulated seconds are of the same number of workers, none of which dies.

    Examples
    --------
    >>> list(cluster_run())
    ['what', 'value']
    """
    found = measured("cluster.json") or {}
    rows = [(name.replace("_", " "), str(value)) for name, value in found.items()]
    if found:
        simulated = simulate(costs(found["paper"]), found["workers"])
        rows.append(("seconds simulated", f"{simulated:.0f}"))
    return pd.DataFrame(rows, columns=["what", "value"])
