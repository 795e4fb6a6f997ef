"""L2SC is LMSC with one view; methods for a sequence of tasks run as jobs of an experiment."""

import numpy as np
import pytest
from planted import counted_tasks as tasks, equal
from sklearn.metrics import adjusted_rand_score

from mtclib import L2SC, LMSC
from mtclib.companion.runs import expand, parse_protocol
from mtclib.companion.runs.fit import execute
from mtclib.core.lifelong import Libraries
from mtclib.datasets import Dataset

K = 3


def sequence():
    """A sequence of two tasks with two views, for the runner."""
    return Dataset("made-up", "lifelong", tasks(2), [np.arange(24) % K] * 2, edition="made up")


@pytest.mark.parametrize("view", [0, 1])
def test_it_is_lmsc_on_one_view_without_fusion(view):
    Xs = tasks()
    model = L2SC(K, view=view, random_state=0).fit(Xs)
    parent = LMSC(K, beta=0.0, random_state=0).fit([[task[view]] for task in Xs])
    assert equal(model.labels_, parent.labels_)
    assert equal(model.objective_, parent.objective_)
    assert equal(model.libraries_.arrays().values(), parent.libraries_.arrays().values())


def test_fusion_of_one_view_changes_no_partition():
    Xs = [[task[0]] for task in tasks()]
    fused = LMSC(K, beta=1.0, tol=1e-10, max_iter=5000, random_state=0).fit(Xs)
    free = L2SC(K, tol=1e-10, max_iter=5000, random_state=0).fit(Xs)
    assert all(adjusted_rand_score(a, b) == 1.0 for a, b in zip(fused.labels_, free.labels_))
    np.testing.assert_allclose(fused.objective_[-1] - 3e-6, free.objective_[-1], atol=1e-4)


def test_both_outputs_see_the_representation():
    task = L2SC(K)._task([tasks()[0][0]], K, 0, Libraries())
    unit, raw = (L2SC(K, output=output)._represent(task) for output in ("concat", "literal"))
    np.testing.assert_allclose(np.linalg.norm(unit, axis=1), 1.0)
    np.testing.assert_allclose(raw @ raw.T, task.Es[0] @ task.Es[0].T, atol=1e-12)


def test_a_sequence_gives_scores_of_each_task_and_their_mean():
    methods = {"LMSC": {"estimator": "LMSC", "params": {"lam": 0.5}}, "L2SC": {"estimator": "L2SC"},
               "Coreg": {"estimator": "PerTask", "params": {"estimator": "CoregSpectral"}},
               "SNMF": {"estimator": "PerTask", "params": {"estimator": "SNMF", "view": 0}}}
    protocol = parse_protocol({
        "paper": "lmsc", "title": "made up", "root_seed": 1,
        "datasets": {"made-up": {"loader": "core.test_l2sc:sequence"}},
        "methods": {name: {**method, "deterministic": True} for name, method in methods.items()},
        "profiles": {"quick": {"n_runs": 1, "datasets": ["made-up"], "methods": list(methods)}}})
    jobs = expand(protocol, "quick")
    assert len(jobs) == 4
    assert all(job.tasks == ("1", "2", "avg") for job in jobs)
    for job in jobs:
        record = execute(job)
        assert record.info["status"] == "ok", record.info["error"]
        scores = record.info["scores"]
        assert list(scores) == ["1", "2", "avg"]
        assert scores["1"]["ACC"] > 0.7
        assert scores["avg"]["RI"] == pytest.approx((scores["1"]["RI"] + scores["2"]["RI"]) / 2)
        assert [record.arrays[f"labels/{t}"].shape for t in (1, 2)] == [(24,), (24,)]
