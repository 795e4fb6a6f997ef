"""The same run on a dask cluster, with a worker killed on the way: are the results the same?

    python -m benchmarks.cluster_run                                    quick profile of MSPL, seconds
    MTCLIB_DATA=FOLDER python -m benchmarks.cluster_run mspl --profile full --store FOLDER \\
        --kill-after 300 --replace-after 60 --write
    python -m benchmarks.cluster_run mspl --compare FOLDER               a run that was made by hand

A scheduler and two workers are started on this machine as notebooks/README.md says, the jobs run into a
store of their own, one worker dies by SIGKILL.  The full profile is then compared with the committed results,
every label vector and score; another one with a run in this process.  `--write` keeps what came out in
data/methods/cluster.json.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import distributed

from benchmarks.recreate import agreement
from mtclib.companion import runs
from mtclib.companion.runs import profiles
from mtclib.core import paths

RECORD = ("paper", "jobs", "workers", "killed_after_seconds", "resubmitted", "seconds_dask",
          "seconds_joblib_cpu", "identical_labels", "identical_scores", "identical_objectives")


def compare(paper, store_folder):
    """Every fit in a run store beside the committed results of a paper; see ``agreement``."""
    results = runs.read_results(paths.results_dir(paper))
    return agreement(runs.RunStore(store_folder), results)


def free_port():
    """A port that nobody listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


class Cluster:
    """A scheduler and workers as commands, started in a folder that takes their logs."""

    def __init__(self, folder, n_workers):
        port = free_port()
        self.folder, self.address = Path(folder), f"tcp://127.0.0.1:{port}"
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", str(port))
        self.workers, self.killed = [], []
        for _ in range(n_workers):
            self.add_worker()

    def _start(self, part, *options):
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "dask", part, *options, "--no-dashboard"]
        with open(self.folder / f"{part}.log", "ab") as log:
            return subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log, env=environment,
                                    start_new_session=True)

    def add_worker(self):
        """Start one more worker."""
        name = f"worker-{len(self.workers)}"
        self.workers.append(self._start("worker", self.address, "--nthreads", "1", "--name", name))

    def kill_worker(self):
        """Kill the first worker with all its processes; remember how many jobs it was given."""
        with distributed.Client(self.address, set_as_default=False) as client:
            names = {info["name"]: at for at, info in client.scheduler_info(n_workers=-1)["workers"].items()}
            given = client.processing().get(names.get("worker-0"), ())
        self.killed.append(len(given))
        os.killpg(self.workers[0].pid, signal.SIGKILL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in (*self.workers, self.scheduler):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def run(jobs, store, n_workers=2, kill_after=None, replace_after=None):
    """Run jobs on a new cluster; return seconds, and how many jobs a killed worker had been given."""
    with tempfile.TemporaryDirectory() as folder, Cluster(folder, n_workers) as cluster:
        with distributed.Client(cluster.address, timeout=60, set_as_default=False) as client:
            client.wait_for_workers(n_workers)
        timers = [threading.Timer(kill_after, cluster.kill_worker)] if kill_after is not None else []
        if timers and replace_after is not None:
            timers.append(threading.Timer(kill_after + replace_after, cluster.add_worker))
        for timer in timers:
            timer.start()
        start = time.perf_counter()
        try:
            runs.run(jobs, store, dask=cluster.address)
        finally:
            for timer in timers:
                timer.cancel()
        return time.perf_counter() - start, sum(cluster.killed)


def record(args):
    """The run that was asked for, compared: what data/methods/cluster.json holds."""
    _, jobs, _ = profiles.plan(args.paper, args.profile)
    folder = args.store or tempfile.mkdtemp()
    seconds, lost = run(jobs, runs.RunStore(folder), args.workers, args.kill_after, args.replace_after)
    if args.profile == "full":
        found = compare(args.paper, folder)
        results = runs.read_results(paths.results_dir(args.paper))
        alone = results.frame.drop_duplicates("key")["seconds"].sum()
    else:
        other = runs.RunStore(tempfile.mkdtemp())
        alone = runs.run(jobs, other).drop_duplicates("key")["seconds"].sum()
        paths_of = [[each.path(job.key) for job in jobs] for each in (runs.RunStore(folder), other)]
        digests = [list(map(runs.record_digest, files)) for files in paths_of]
        same = digests[0] == digests[1]
        found = {"jobs": len(digests[0]), "identical_labels": same, "identical_scores": same,
                 "identical_objectives": same}
    found |= {"paper": args.paper, "workers": args.workers, "resubmitted": lost,
              "killed_after_seconds": args.kill_after if seconds > args.kill_after else None,
              "seconds_dask": round(seconds), "seconds_joblib_cpu": round(alone)}
    return {name: found[name] for name in RECORD}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paper", nargs="?", default="mspl")
    parser.add_argument("--profile", default="quick")
    parser.add_argument("--store", help="folder of the records; default: a new one")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kill-after", type=float, default=2.0, help="seconds until a worker is killed")
    parser.add_argument("--replace-after", type=float, help="seconds from then until another one starts")
    parser.add_argument("--compare", metavar="FOLDER", help="run nothing, compare this store")
    parser.add_argument("--write", action="store_true", help="keep the outcome in data/methods")
    args = parser.parse_args()
    if args.compare:
        print(json.dumps(compare(args.paper, args.compare), indent=1))
        return
    text = json.dumps(record(args), indent=1)
    print(text)
    if args.write:
        (paths.data_dir() / "methods" / "cluster.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
