"""L2SC is LMSC with one view; PerTask runs other methods task by task; both run as jobs of an experiment."""

import numpy as np
import pytest
from planted import equal
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from mtclib import L2SC, LMSC
from mtclib.baselines import SNMF, CoregSpectral, PerTask
from mtclib.companion.runs import expand, parse_protocol
from mtclib.companion.runs.fit import execute
from mtclib.core.lifelong import Libraries
from mtclib.datasets import Dataset

K = 3


def tasks(n_tasks=3, n=24, signal=2.0, negative=False):
    rng = np.random.default_rng(0)
    means = 1.0 + signal * np.kron(np.eye(K), np.ones(4))
    shift = 2.0 if negative else 0.0
    return [[rng.poisson(means[np.arange(n) % K]) - shift for _ in range(2)] for _ in range(n_tasks)]


def sequence():
    """A sequence of two tasks with two views, for the runner."""
    return Dataset("made-up", "lifelong", tasks(2), [np.arange(24) % K] * 2, edition="made up")


@pytest.mark.parametrize("view", [0, 1])
def test_it_is_lmsc_on_one_view_without_fusion(view):
    Xs = tasks()
    model = L2SC(K, view=view, random_state=0).fit(Xs)
    parent = LMSC(K, beta=0.0, random_state=0).fit([[task[view]] for task in Xs])
    assert equal(model.labels_, parent.labels_) and equal(model.objective_, parent.objective_)
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


def test_a_stream_of_one_view_can_be_saved_and_goes_on(tmp_path):
    Xs = tasks()
    model = L2SC(K, view=1, random_state=0).fit(Xs[:2])
    model.save(tmp_path / "state.npz")
    again = L2SC.load(tmp_path / "state.npz")
    assert again.view == 1
    assert equal([again.partial_fit(Xs[2]).labels_], [model.partial_fit(Xs[2]).labels_])
    assert equal(again.libraries_.arrays().values(), model.libraries_.arrays().values())
    with pytest.raises(ValueError, match="holds libraries of L2SC; load it with L2SC.load"):
        LMSC.load(tmp_path / "state.npz")


# Task by task.


@pytest.mark.parametrize("nested", ["CoregSpectral", CoregSpectral(2, lam=0.5)], ids=["name", "instance"])
def test_a_multi_view_method_clusters_each_task_as_if_alone(nested):
    Xs = tasks(2)
    model = PerTask(K, estimator=nested, parameters={"n_init": 2}, random_state=4).fit(Xs)
    lam = 0.1 if isinstance(nested, str) else 0.5
    alone = [CoregSpectral(K, lam=lam, n_init=2, random_state=4).fit(views) for views in Xs]
    assert equal(model.labels_, [one.labels_ for one in alone])
    assert model.objective_[-1] == pytest.approx(sum(one.objective_[-1] for one in alone), rel=1e-14)
    assert model.n_iter_ == max(one.n_iter_ for one in alone) == len(model.objective_)


def test_a_method_for_one_view_sees_that_view_or_all_side_by_side():
    Xs = tasks(2)
    second = PerTask(K, estimator="SNMF", view=1, random_state=0).fit(Xs)
    beside = PerTask(K, estimator=SNMF(K), random_state=0).fit(Xs)
    assert equal(second.labels_, SNMF(K, random_state=0).fit([views[1] for views in Xs]).labels_)
    assert equal(beside.labels_, SNMF(K, random_state=0).fit([np.hstack(views) for views in Xs]).labels_)


def test_the_nested_method_is_a_parameter_that_fit_leaves_alone():
    nested = CoregSpectral(7, lam=0.3)
    model = clone(PerTask([2, 3], estimator=nested, random_state=0)).set_params(estimator__lam=0.2)
    model.fit(tasks(2, negative=True))
    assert [one.n_clusters for one in model.estimators_] == [2, 3] and model.estimators_[0].lam == 0.2
    assert nested.n_clusters == 7 and not hasattr(nested, "labels_")


# As jobs.


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
    assert len(jobs) == 4 and all(job.tasks == ("1", "2", "avg") for job in jobs)
    for job in jobs:
        record = execute(job)
        assert record.info["status"] == "ok", record.info["error"]
        scores = record.info["scores"]
        assert list(scores) == ["1", "2", "avg"] and scores["1"]["ACC"] > 0.7
        assert scores["avg"]["RI"] == pytest.approx((scores["1"]["RI"] + scores["2"]["RI"]) / 2)
        assert [record.arrays[f"labels/{t}"].shape for t in (1, 2)] == [(24,), (24,)]
