"""The runner: resume, workers, failures, progress."""

import contextlib
import itertools
import logging
import os
import re
import signal
import sys
import time
import types
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from experiments_support import WatchedStore, altered, comparable, demo_jobs, quick, start, table, wait_until
from threadpoolctl import threadpool_info, threadpool_limits

from mtclib.companion.runs import RunStore, execute, export, oracle, run, runner
from mtclib.companion.runs.fit import attempt
from mtclib.metrics import SCORES


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """Jobs, frame and digests of an uninterrupted run in one process."""
    jobs, store = demo_jobs(), RunStore(tmp_path_factory.mktemp("reference"))
    return jobs, *comparable(run(jobs, store), store, jobs)


def _assert_resumes(store, reference, **options):
    jobs, expected, digests = reference
    found, found_digests = comparable(run(jobs, store, **options), store, jobs)
    pd.testing.assert_frame_equal(found, expected, check_exact=True)
    assert found_digests == digests
    assert store.keys() == sorted({job.key for job in jobs})


def _methods(**changes):
    """The small protocol's methods and a third one, with ``changes``, that is run once."""
    third = {"estimator": "experiments_support:Noisy", "deterministic": True, **changes}
    return {**table()["methods"], "third": third}


def _run(folder, **changes):
    """The frame of a changed small protocol, its store and its jobs."""
    jobs, store = demo_jobs(**changes), RunStore(folder)
    return run(jobs, store), store, jobs


def test_every_job_task_and_metric_is_a_row(reference):
    jobs, frame, _ = reference
    assert len(frame) == len(jobs) * 3 * len(SCORES)
    assert list(frame["key"].drop_duplicates()) == [job.key for job in jobs]
    assert (set(frame["task"]), set(frame["metric"])) == ({"1", "2", "avg"}, set(SCORES))
    assert (frame["status"] == "ok").all()
    assert frame["value"].between(0, 1).all()
    scores = frame.pivot_table("value", ["key", "metric"], "task")
    np.testing.assert_allclose(scores["avg"], (scores["1"] + scores["2"]) / 2, rtol=1e-15)


def test_a_killed_run_leaves_no_worker_even_in_compiled_code_and_resumes_bit_for_bit(
        tmp_path, monkeypatch, reference):
    store = RunStore(tmp_path / "runs")
    with monkeypatch.context() as patch:
        patch.setenv("MTCLIB_TEST_HOLD", str(tmp_path / "mark"))
        process = start(store.folder, 2)
    wait_until(lambda: (tmp_path / "mark").exists() and len(store.keys()) >= 4)
    process.kill()
    # The pipe closes when the last process that could write to it has ended.
    process.communicate(timeout=60)
    assert 4 <= len(store.keys()) < len(reference[0])
    _assert_resumes(store, reference)


def test_ctrl_c_stops_the_workers_and_says_how_to_resume(tmp_path, reference):
    store = RunStore(tmp_path)
    process = start(tmp_path, 2, pause=0.5)
    wait_until(lambda: len(store.keys()) >= 3)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode != 0
    # A worker may have removed its folder before joblib's tracker, which then says so.
    lines = [line for line in said.rstrip().splitlines() if "resource_tracker" not in line]
    assert lines[-1] == "KeyboardInterrupt"
    done = len(store.keys())
    assert 3 <= done < len(reference[0])
    counted = int(re.search(r"Interrupted: (\d+) of 13 jobs are done and stored", said)[1])
    assert counted in (done - 1, done)
    assert "Run the same command again to resume." in said
    wait_until(lambda: _group_is_gone(process.pid))
    _assert_resumes(store, reference)


def _group_is_gone(group):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, 0)
        return False
    return True


def test_no_more_processes_are_begun_than_there_are_processors():
    assert [runner.processes(n).n_jobs for n in (1, 10**5)] == [1, max(2, runner.joblib.cpu_count())]


def test_two_processes_on_one_store_agree(tmp_path, monkeypatch, reference):
    process, store = start(tmp_path, pause=0.01), RunStore(tmp_path)
    monkeypatch.setenv("MTCLIB_TEST_PAUSE", "0.01")
    wait_until(store.keys)
    _assert_resumes(store, reference)
    assert process.communicate(timeout=120) and process.returncode == 0
    assert not list(tmp_path.glob(".*"))
    _assert_resumes(store, reference)


def test_two_workers_give_the_results_of_one_and_records_appear_as_jobs_end(tmp_path, monkeypatch, reference):
    monkeypatch.setenv("MTCLIB_TEST_PAUSE", "0.1")
    # Workers of an earlier test would keep the environment that they were started with.
    runner.get_reusable_executor().shutdown(wait=True, kill_workers=True)
    store = WatchedStore(tmp_path)
    _assert_resumes(store, reference, n_jobs=2)
    assert len(store.times) == 13
    assert store.times[-1] - store.times[0] > 5 * 0.1


@pytest.mark.parametrize("lost", ["", "labels/2", "status"])
def test_a_whole_record_stands_and_a_damaged_one_is_run_again_and_not_exported(
        tmp_path, monkeypatch, caplog, reference, lost):
    jobs, store = reference[0], RunStore(tmp_path / "runs")
    run(jobs, store)
    altered(store, jobs[2].key, without=lost)
    if not lost:
        path = store.path(jobs[2].key)
        path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match="1 of 13 jobs are not in the store, or damaged there; the same run"):
        export(jobs, store, tmp_path / "results")
    assert not (tmp_path / "results").exists()
    store.path(jobs[5].key).unlink()
    ran = []
    monkeypatch.setattr(runner, "execute", lambda job: ran.append(job.key) or execute(job))
    _assert_resumes(store, reference)
    assert ran == [jobs[2].key, jobs[5].key]
    assert jobs[2].key in caplog.text
    export(jobs, store, tmp_path / "results")


def test_a_clock_that_is_set_back_changes_no_result(tmp_path, reference, monkeypatch):
    now = itertools.count(2e9, -3600.0)
    monkeypatch.setattr(time, "time", lambda: next(now))
    for _ in range(2):
        _assert_resumes(RunStore(tmp_path), reference)
    assert attempt(len, "").seconds >= 0.0


def test_a_job_that_two_methods_share_is_run_once_and_shown_for_both(tmp_path):
    frame, store, _ = _run(tmp_path, methods=_methods(params={"noise": 3.0}), profiles=quick("once", "third"))
    assert len(store.keys()) == frame["key"].nunique() == 1
    assert list(frame["method"].drop_duplicates()) == ["once", "third"]


@pytest.mark.parametrize(("trouble", "error"), [
    ("raise", "ValueError: this method cannot do that"), ("nan", "FloatingPointError: objective_ is nan")])
def test_a_failing_job_is_a_row_with_its_error_and_is_retried_only_on_request(
        trouble, error, tmp_path, monkeypatch):
    frame, store, jobs = _run(tmp_path, methods=_methods(params={"trouble": trouble}),
                              profiles=quick("noisy", "third"))  # fmt: skip
    failed = frame[frame["method"] == "third"]
    assert len(failed) == 3 * len(SCORES)
    assert failed[["value", "objective"]].isna().all(axis=None)
    assert set(failed[["status", "error"]].itertuples(index=False, name=None)) == {("failed", error)}
    assert (frame.loc[frame["method"] == "noisy", "status"] == "ok").all()
    assert ("experiments_support.py" in store.get(jobs[-1].key).cost["traceback"]) == (trouble == "raise")
    ran = []
    monkeypatch.setattr(runner, "execute", lambda job: ran.append(job.method) or execute(job))
    pd.testing.assert_frame_equal(run(jobs, store), frame)
    assert ran == []


def test_a_job_that_kills_its_worker_is_a_failed_row_and_the_others_are_not(tmp_path):
    jobs = demo_jobs(methods=_methods(params={"trouble": "die"}), profiles=quick("noisy", "third", "once"))
    frame = run(jobs, RunStore(tmp_path), n_jobs=2)
    status = frame.drop_duplicates("key").set_index("method")["status"]
    assert (status["third"], status.drop("third").tolist()) == ("failed", ["ok"] * 7)
    assert frame.loc[frame["method"] == "third", "error"].str.startswith("WorkerDied").all()


def test_an_interruption_between_two_jobs_says_how_to_resume(tmp_path, reference, capsys):
    with pytest.raises(KeyboardInterrupt):  # raised by hand: in the background the signal may be ignored
        stop = partial(signal.default_int_handler, signal.SIGINT, None)
        run(reference[0], WatchedStore(tmp_path, stop))
    said = capsys.readouterr().err
    assert re.search("Interrupted: [23] of 13 jobs are done and stored.*again to resume", said)
    _assert_resumes(RunStore(tmp_path), reference)


def test_a_warning_is_recorded_and_is_not_a_failure(tmp_path):
    frame, store, (job,) = _run(
        tmp_path, methods=_methods(params={"trouble": "warn"}), profiles=quick("third"))
    assert set(zip(frame["status"], frame["converged"])) == {("ok", False)}
    assert store.get(job.key).info["warnings"] == ["ConvergenceWarning: stopped early"]


@pytest.mark.parametrize("on_a_worker_alone", [False, True])
def test_missing_data_are_rows_with_the_reason_and_are_looked_for_again(tmp_path, on_a_worker_alone):
    jobs = demo_jobs(datasets={"tiny": {"loader": "experiments_support:missing"}})
    if on_a_worker_alone:
        jobs = [replace(demo_jobs()[0], loader="experiments_support:missing")]
    assert bool(jobs[0].unavailable) != on_a_worker_alone
    frame = run(jobs, RunStore(tmp_path))
    assert frame["key"].nunique() == len(jobs)
    assert frame["value"].isna().all()
    assert set(frame["status"]) == {"unavailable"}
    assert frame["error"].str.contains("no source answered").all()
    assert RunStore(tmp_path).keys() == []


@pytest.mark.parametrize("change, words", [({"data_sha": "0" * 64}, "the data set has the content"),
                                           ({"algorithm_version": 6}, "has version 7 here")])
def test_other_data_or_code_than_the_job_was_made_for_is_a_failure(change, words):
    record = execute(replace(demo_jobs()[0], **change))
    assert (record.status, words in record.info["error"]) == ("failed", True)


def test_views_have_one_unnamed_task(tmp_path):
    frame, *_ = _run(tmp_path, datasets={"tiny": {"loader": "experiments_support:views"}})
    assert (set(frame["task"]), set(frame["status"])) == ({""}, {"ok"})
    assert len(oracle(frame)["key"].unique()) == 4 + 1


def test_samples_without_a_class_are_clustered_and_not_scored(tmp_path):
    frame, store, (job,) = _run(
        tmp_path, datasets={"tiny": {"loader": "experiments_support:part_labelled"}},
        methods=_methods(params={"noise": 0.0}), profiles=quick("third"))
    assert set(frame["value"]) == {1.0}
    assert [len(store.get(job.key).arrays[f"labels/{task}"]) for task in "12"] == [30, 36]


def test_a_fit_has_one_thread_and_the_limit_is_lifted_afterwards(monkeypatch):
    from experiments_support import Noisy

    def threads():
        return {library["num_threads"] for library in threadpool_info()}

    during, fit = set(), Noisy.fit
    monkeypatch.setattr(Noisy, "fit", lambda self, Xs: during.update(threads()) or fit(self, Xs))
    # With OMP_NUM_THREADS=1 in the environment there would be nothing to limit.
    with threadpool_limits(limits=2):
        before = threads()
        assert execute(demo_jobs()[0]).status == "ok"
        assert max(before) > 1
        assert during == {1}
        assert threads() == before


def test_a_bar_counts_done_cached_and_failed_and_there_is_none_where_nobody_watches(
        tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    jobs = demo_jobs(methods=_methods(params={"trouble": "raise"}), profiles=quick("once", "third"))
    run(jobs, RunStore(tmp_path))
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    run(jobs + demo_jobs(), RunStore(tmp_path))
    assert "0/12" in (said := capsys.readouterr().err)
    assert "done=0, cached=2, failed=1" in said


def test_the_bar_of_a_notebook_is_gone_when_the_jobs_are_done_and_never_touches_stderr(tmp_path, capsys,
                                                                                       monkeypatch):
    shown = []
    handle = types.SimpleNamespace(update=lambda data, raw: shown.append(data))
    monkeypatch.setenv("JPY_SESSION_NAME", "a.ipynb")
    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    monkeypatch.setattr("IPython.display.display", lambda data, raw, display_id: handle)
    run(demo_jobs(), RunStore(tmp_path))
    assert "0/13" in shown[0]["text/plain"]
    assert shown[-1] == {}
    assert capsys.readouterr() == ("", "")


def test_a_log_line_a_minute_stands_in_for_the_bar(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr(runner, "A_MINUTE", 0.0)
    with caplog.at_level(logging.INFO):
        run(demo_jobs(), RunStore(tmp_path))
    assert "13 of 13 jobs done, 0 cached, 0 failed" in caplog.text
