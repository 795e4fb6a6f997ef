"""The runner on a dask cluster: the same results, with workers that die."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from experiments_support import WatchedStore, comparable, demo_jobs, quick, wait_until

from mtclib.companion.runs import RunStore, run, runner


@contextlib.contextmanager
def cluster(folder, n_workers):
    """Address of a scheduler, started as a user would, its process and those of its workers."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "MTCLIB_TEST_PAUSE": "0.1",
                   "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}
    # A second of imports, which all but one process of the tests can do without.
    distributed, file, processes = pytest.importorskip("distributed"), folder / "scheduler.json", []

    def start(part, *options):
        command = [sys.executable, "-m", f"distributed.cli.dask_{part}", "--scheduler-file", str(file),
                   "--no-dashboard", *options]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        processes.append(subprocess.Popen(command, env=environment, cwd=folder, **quiet))

    try:
        start("scheduler", "--host", "127.0.0.1", "--port", "0")
        for _ in range(n_workers):
            start("worker", "--nthreads", "1", "--no-nanny", "--preload", "experiments_support")
        wait_until(file.exists)
        with distributed.Client(scheduler_file=str(file), timeout=120, set_as_default=False) as client:
            wait_until(lambda: len(client.scheduler_info(n_workers=-1)["workers"]) == n_workers)
            address = client.scheduler.address
        yield address, *processes
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_a_cluster_that_loses_a_worker_gives_the_results_of_one_process_and_one_that_loses_all_says_so(
        tmp_path, monkeypatch):
    """One cluster, which is slow to start, for each of its workers to die in turn."""
    jobs, alone = demo_jobs(), RunStore(tmp_path / "alone")
    expected, expected_digests = comparable(run(jobs, alone), alone, jobs)
    methods = {"fatal": {"estimator": "experiments_support:Noisy", "params": {"trouble": "die"}}}
    fatal = demo_jobs(methods=methods, profiles=quick("fatal", n_runs=1))
    with cluster(tmp_path, 3) as (address, _, victim, *survivors):
        store = WatchedStore(tmp_path / "cluster", victim.kill)
        found, digests = comparable(run(jobs, store, dask=address), store, jobs)
        assert victim.poll() is not None
        assert [one.poll() for one in survivors] == [None, None]
        frame = run(fatal, store, dask=address)
        monkeypatch.setattr(runner, "CONNECT_SECONDS", 1)
        with pytest.raises(ConnectionError, match="dask worker tcp://127.0.0.1:[0-9]+ --nthreads 1"):
            run(jobs, RunStore(tmp_path), dask=address)
    with pytest.raises(ConnectionError, match="dask scheduler"):
        run(jobs, RunStore(tmp_path), dask=address)
    pd.testing.assert_frame_equal(found, expected, check_exact=True)
    assert digests == expected_digests
    assert set(frame["status"]) == {"failed"}
    assert frame["error"].str.contains("WorkerDied: KilledWorker").all()


def test_a_lost_scheduler_ends_the_run_with_one_line_and_what_is_done_stored(tmp_path, caplog):
    with cluster(tmp_path, 1) as (address, scheduler, _):
        store = WatchedStore(tmp_path / "store", scheduler.kill)
        with pytest.raises(ConnectionError, match="run the same command again to resume"):
            run(demo_jobs(), store, dask=address)
    assert 3 <= len(store.keys()) < 13
    assert not [record for record in caplog.records if not record.name.startswith("mtclib")]


def test_without_dask_the_error_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"pip install 'mtclib\[dask\]'"):
        run(demo_jobs(), RunStore(tmp_path), dask="tcp://127.0.0.1:1")
