"""What does a worker need: memory, and time to load data?

    python benchmarks/job_memory.py                     prints a few fits of LMSC's smallest set
    MTCLIB_DATA=FOLDER python benchmarks/job_memory.py --write mspl mbc

For each printed data set of a paper a new process loads it and runs the shortest fit of every method that the
committed results have on it, one after the other, once, as a worker would.  `--write` puts the rows of these
papers (by default all) into data/results/scaling.csv; all five take about ten minutes.  Columns:

    methods        how many, one fit each; those that take more than LONGEST seconds are left out
    load_seconds   of the processor: data set read and prepared in a new process, the files being there
    data_mb        numbers of the data set
    start_mb       peak memory once the packages are imported
    peak_mb        peak memory at the end
    peak_method    the fit that raised it last

Linux only: the peak comes from /proc.  `getrusage` would name the peak of the parent if that was higher.
"""

import argparse
import json
import re
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pandas as pd
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from mtclib.companion import runs
from mtclib.companion.runs import papers
from mtclib.companion.runs.jobs import fixed_params, resolve_estimator
from mtclib.core import paths

COLUMNS = ["paper", "dataset", "methods", "load_seconds", "data_mb", "start_mb", "peak_mb", "peak_method"]


def peak_mb():
    """Largest resident memory of this process so far, in megabytes."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return round(int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024 / 1e6, 1)


def data_bytes(data):
    """Bytes of the numbers of a data set."""
    Xs = [X for task in data.Xs for X in (task if isinstance(task, list | tuple) else [task])]
    parts = [(X.data, X.indices, X.indptr) if sp.issparse(X) else (X,) for X in Xs]
    return sum(part.nbytes for arrays in parts for part in arrays)


def measure(paper, rows):
    """Numbers of one data set, from lines of the committed jobs; to be called in a new process."""
    protocol = runs.load_protocol(paper)
    loader, options = papers.needed_datasets(protocol, "full")[rows[0]["dataset"]]
    # Processor seconds: others may be working on the machine.
    start, begin = peak_mb(), time.process_time()
    data, _ = runs.load_dataset(loader, options)
    loaded, peak, raised_by = time.process_time(), peak_mb(), "loading"
    for row in rows:
        estimator = resolve_estimator(protocol.methods[row["method"]].estimator)
        model = estimator(n_clusters=data.n_clusters, random_state=row["seed"], **parameters(protocol, row))
        with threadpool_limits(limits=1), warnings.catch_warnings(action="ignore"):
            model.fit(data.Xs)
        if peak_mb() > peak:
            peak, raised_by = peak_mb(), row["method"]
    return {"paper": paper, "dataset": rows[0]["published"], "methods": len(rows),
            "load_seconds": round(loaded - begin, 2), "data_mb": round(data_bytes(data) / 1e6, 2),
            "start_mb": start, "peak_mb": peak, "peak_method": raised_by}


def parameters(protocol, row):
    """Parameters of a fit: those of its method, and the grid point as the protocol writes it."""
    profile, method = protocol.profile("full"), row["method"]
    grids = [part.grid.get(method, {}) for part in (profile, *protocol.studies.values())]
    grids.append(protocol.methods[method].grid)
    # The table has each number as a float; the protocol knows which ones are integers.
    point = {name: next(known for grid in grids for known in grid.get(name, ()) if known == value)
             for name, value in json.loads(row["params"]).items()}
    return {**fixed_params(protocol, profile, method), **point}


def chosen(paper, longest):
    """The shortest fit of each method on each printed data set of a paper; no sweeps, no other weightings."""
    jobs = pd.read_csv(paths.results_dir(paper) / "jobs.csv.gz", keep_default_na=False)
    jobs = jobs[(jobs["status"] == "ok") & jobs["in_grid"] & (jobs["published"] != "")]
    jobs = jobs[jobs["dataset"] == jobs.groupby("published")["dataset"].transform("first")]
    jobs = jobs[jobs["seconds"] <= longest].sort_values("seconds", kind="stable")
    jobs = jobs.drop_duplicates(["dataset", "method"]).sort_index()
    names = ["dataset", "published", "method", "params", "seed"]
    return [rows[names].to_dict("records") for _, rows in jobs.groupby("published", sort=False)]


def write(rows):
    """Replace the rows of these papers in the committed table."""
    file = paths.data_dir() / "results" / "scaling.csv"
    table = pd.DataFrame(rows, columns=COLUMNS)
    if file.exists():
        earlier = pd.read_csv(file)
        table = pd.concat([earlier[~earlier["paper"].isin(table["paper"])], table])
    table.sort_values("paper", kind="stable").to_csv(file, index=False, lineterminator="\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("papers", nargs="*", help="default: lmsc, with --write all")
    parser.add_argument("--longest", type=float, help="seconds of a fit (default 1, with --write 60)")
    parser.add_argument("--write", action="store_true", help="keep the numbers in data/results/scaling.csv")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(measure(*json.load(sys.stdin))))
        return
    rows, longest = [], args.longest or (60.0 if args.write else 1.0)
    for paper in args.papers or (papers.papers() if args.write else ["lmsc"]):
        for fits in chosen(paper, longest)[:None if args.write else 1]:
            command, text = [sys.executable, __file__, "--one"], json.dumps([paper, fits])
            done = subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True, text=True)
            rows.append(json.loads(done.stdout))
            print(*rows[-1].values(), flush=True)
    if args.write:
        write(rows)


if __name__ == "__main__":
    main()
