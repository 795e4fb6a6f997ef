"""The runner on a dask cluster: the same results, with workers that die."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from experiments_support import comparable, demo_jobs, wait_until

from mtclib.companion.runs import RunStore, run, runner

distributed = pytest.importorskip("distributed")


def _free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


class _Cluster:
    """A scheduler and workers, started as a user would; each test says what it needs."""

    def __init__(self):
        self.scheduler, self.workers = None, []

    def _start(self, part, *options):
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "MTCLIB_TEST_PAUSE": "0.1",
                       "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}
        command = [sys.executable, "-m", f"distributed.cli.dask_{part}", *options, "--no-dashboard"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(command, env=environment, **quiet)

    def need(self, n_workers):
        """Have a scheduler and so many living workers."""
        if self.scheduler is None or self.scheduler.poll() is not None:
            self.stop()
            port = _free_port()
            self.address = f"tcp://127.0.0.1:{port}"
            self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", str(port))
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        for _ in range(n_workers - len(self.workers)):
            options = ("--nthreads", "1", "--no-nanny", "--preload", "experiments_support")
            self.workers.append(self._start("worker", self.address, *options))
        for worker in self.workers[n_workers:]:
            _kill(worker)
        self.workers = self.workers[:n_workers]
        with distributed.Client(self.address, timeout=120, set_as_default=False) as client:
            wait_until(lambda: len(client.scheduler_info(n_workers=-1)["workers"]) == n_workers)

    def stop(self):
        for process in (*self.workers, self.scheduler):
            if process is not None:
                _kill(process)


def _kill(process):
    process.kill()
    process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    cluster = _Cluster()
    before = os.getcwd()
    # Workers leave their scratch folders in the working directory.
    os.chdir(tmp_path_factory.mktemp("scratch"))
    try:
        yield cluster
    finally:
        os.chdir(before)
        cluster.stop()


class _KillingStore(RunStore):
    """Kills a process when the third record arrives."""

    victim = None

    def put(self, record):
        super().put(record)
        if len(self.keys()) == 3:
            self.victim.kill()


def test_a_cluster_that_loses_a_worker_gives_the_results_of_one_process(tmp_path, cluster):
    jobs, alone = demo_jobs(), RunStore(tmp_path / "alone")
    expected, expected_digests = comparable(run(jobs, alone), alone, jobs)
    cluster.need(2)
    store = _KillingStore(tmp_path / "cluster")
    store.victim, survivor = cluster.workers
    found, digests = comparable(run(jobs, store, dask=cluster.address), store, jobs)
    assert store.victim.poll() is not None
    assert survivor.poll() is None
    pd.testing.assert_frame_equal(found, expected, check_exact=True)
    assert digests == expected_digests


def test_a_job_that_kills_every_worker_it_meets_is_a_failed_row(tmp_path, cluster):
    methods = {"fatal": {"estimator": "experiments_support:Noisy", "params": {"trouble": "die"}}}
    profile = {"n_runs": 1, "datasets": ["tiny"], "methods": ["fatal"]}
    cluster.need(2)
    jobs = demo_jobs(methods=methods, profiles={"quick": profile})
    frame = run(jobs, RunStore(tmp_path), dask=cluster.address)
    assert set(frame["status"]) == {"failed"}
    assert frame["error"].str.contains("WorkerDied: KilledWorker").all()


def test_a_cluster_without_workers_or_scheduler_is_an_error_with_the_command_to_start_it(
        tmp_path, cluster, monkeypatch):
    monkeypatch.setattr(runner, "CONNECT_SECONDS", 1)
    cluster.need(0)
    with pytest.raises(ConnectionError, match="dask worker tcp://127.0.0.1:[0-9]+ --nthreads 1"):
        run(demo_jobs(), RunStore(tmp_path), dask=cluster.address)
    with pytest.raises(ConnectionError, match="dask scheduler"):
        run(demo_jobs(), RunStore(tmp_path), dask=f"tcp://127.0.0.1:{_free_port()}")


def test_a_lost_scheduler_ends_the_run_with_one_line_and_what_is_done_stored(tmp_path, cluster, caplog):
    cluster.need(1)
    store = _KillingStore(tmp_path)
    store.victim = cluster.scheduler
    with pytest.raises(ConnectionError, match="run the same command again to resume"):
        run(demo_jobs(), store, dask=cluster.address)
    assert 3 <= len(store.keys()) < 13
    assert not [record for record in caplog.records if not record.name.startswith("mtclib")]


def test_without_dask_the_error_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"pip install 'mtclib\[dask\]'"):
        run(demo_jobs(), RunStore(tmp_path), dask="tcp://127.0.0.1:1")
