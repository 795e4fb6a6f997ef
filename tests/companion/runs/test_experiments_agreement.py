"""Does a run agree with committed results?  Yes when it does, and each kind of difference is found."""

from dataclasses import replace

import numpy as np
import pytest
from experiments_support import demo_jobs

from mtclib.companion.runs import RunStore, export, read_results, run
from mtclib.companion.runs.committed import agreement


@pytest.fixture
def finished(tmp_path):
    """A store with all records, and the results exported from it."""
    jobs, store = demo_jobs(), RunStore(tmp_path / "runs")
    run(jobs, store, progress=False)
    return jobs, store, read_results(export(jobs, store, tmp_path / "results"))


def change(store, key, **arrays):
    record = store.get(key)
    store.put(replace(record, arrays={**record.arrays, **arrays}))


def test_a_store_agrees_with_its_own_export(finished):
    jobs, store, results = finished
    found = agreement(store, results)
    assert (found["jobs"], found["missing"], found["vectors"]) == (13, 0, 26)
    assert found["identical_labels"] and found["identical_scores"] and found["identical_objectives"]


def test_one_other_label_one_other_score_and_one_other_objective_are_found(finished):
    jobs, store, results = finished
    first, second, third = (job.key for job in jobs[:3])
    labels = store.get(first).arrays["labels/2"].copy()
    labels[4] = (labels[4] + 1) % 3
    change(store, first, **{"labels/2": labels})
    for key, name, value in ((second, "scores", None), (third, "objective", 0.0)):
        record = store.get(key)
        scores = {task: {**row, "ARI": row["ARI"] - 2e-6} for task, row in record.info["scores"].items()}
        store.put(replace(record, info={**record.info, name: scores if value is None else value}))
    found = agreement(store, results)
    differ = [found[f"{part}_differ"] for part in ("labels", "scores", "objectives")]
    assert differ == [[first], [second], [third]]
    assert not (found["identical_labels"] or found["identical_scores"] or found["identical_objectives"])


def test_a_missing_and_a_failed_record_are_not_agreement(finished):
    jobs, store, results = finished
    store.path(jobs[0].key).unlink()
    record = store.get(jobs[1].key)
    store.put(replace(record, info={**record.info, "status": "failed"}))
    found = agreement(store, results)
    assert found["missing"] == 2 and found["labels_differ"] == []
    assert not found["identical_labels"]


def test_a_task_without_labels_differs(finished):
    jobs, store, results = finished
    record = store.get(jobs[0].key)
    arrays = {name: array for name, array in record.arrays.items() if name != "labels/1"}
    store.put(replace(record, arrays=arrays))
    assert agreement(store, results)["labels_differ"] == [jobs[0].key]
    assert np.array_equal(record.arrays["labels/1"], results.labels[f"{jobs[0].key}/1"])
