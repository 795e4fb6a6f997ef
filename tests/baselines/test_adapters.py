"""Stacked and PerTask: what the nested method finds, and the nested method stays an ordinary parameter."""

import numpy as np
import pytest
from planted import counted_tasks, equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from mtclib.baselines import ASI, SNMF, ConMC, CoregSpectral, KMeans, OneView, PerTask, SpectralNJW, Stacked
from mtclib.baselines.registry import estimator


def tasks():
    rng = np.random.default_rng(0)
    means = np.kron(np.eye(2), np.full(4, 3.0))
    return [rng.poisson(1.0, (n, 8)) + means[np.arange(n) % 2] for n in (20, 12, 16)]


@pytest.mark.parametrize("nested", [KMeans(2), ASI(2, n_components=1), SpectralNJW(2, n_init=2), SNMF(2)],
                         ids=lambda nested: type(nested).__name__)
def test_the_labels_are_slices_of_one_fit_on_the_stack(nested):
    Xs = tasks()
    alone = clone(nested).set_params(random_state=5).fit([np.vstack(Xs)])
    stacked = Stacked(2, estimator=nested, random_state=5).fit(Xs)
    assert [len(labels) for labels in stacked.labels_] == [20, 12, 16]
    assert np.array_equal(np.concatenate(stacked.labels_), alone.labels_[0])
    assert np.array_equal(stacked.objective_, alone.objective_)
    assert (stacked.n_iter_, stacked.converged_) == (alone.n_iter_, alone.converged_)


@pytest.mark.parametrize(("outer", "ks", "nested", "Xs", "changed"), [
    (Stacked, 2, ASI(7, which="smallest", random_state=9), tasks(), {"which": "largest"}),
    (PerTask, [2, 3], CoregSpectral(7, lam=0.3), [[X - 2.0 for X in views] for views in counted_tasks(2)],
     {"lam": 0.2})])
def test_the_nested_estimator_is_a_parameter_that_fit_leaves_alone(outer, ks, nested, Xs, changed):
    (name, value), before = *changed.items(), nested.get_params()
    model = outer(ks, estimator=nested, random_state=0)
    assert model.get_params()[f"estimator__{name}"] == before[name] != value
    copy = clone(model).set_params(**{f"estimator__{name}": value}).fit(Xs)
    fitted = copy.estimators_ if outer is PerTask else [copy.estimator_]
    assert [one.n_clusters for one in fitted] == np.ravel(ks).tolist()
    assert {getattr(one, name) for one in fitted} == {value}
    assert nested.get_params() == before
    assert not hasattr(nested, "labels_")
    assert not hasattr(copy.estimator, "labels_")


def test_a_nested_fit_that_did_not_converge_warns_and_says_so():
    with pytest.warns(ConvergenceWarning, match="ASI stopped at max_iter=1"):
        model = Stacked(2, estimator=ASI(2, init="random", max_iter=1), random_state=0).fit(tasks())
    assert model.converged_ is False


def test_the_version_rises_with_that_of_the_nested_method_alone(monkeypatch):
    before = Stacked.algorithm_version("ASI"), Stacked.algorithm_version()
    monkeypatch.setattr(ASI, "ALGORITHM_VERSION", ASI.ALGORITHM_VERSION + 1)
    assert (Stacked.algorithm_version("ASI"), Stacked.algorithm_version()) == (before[0] + 1, before[1])


@pytest.mark.parametrize("nested", ["CoregSpectral", CoregSpectral(2, lam=0.5)], ids=["name", "instance"])
def test_a_multi_view_method_clusters_each_task_as_if_alone(nested):
    Xs = counted_tasks(2)
    model = PerTask(3, estimator=nested, parameters={"n_init": 2}, random_state=4).fit(Xs)
    lam = 0.1 if isinstance(nested, str) else 0.5
    alone = [CoregSpectral(3, lam=lam, n_init=2, random_state=4).fit(views) for views in Xs]
    assert equal(model.labels_, [one.labels_ for one in alone])
    assert model.objective_[-1] == pytest.approx(sum(one.objective_[-1] for one in alone), rel=1e-14)
    assert model.n_iter_ == max(one.n_iter_ for one in alone) == len(model.objective_)


def test_a_method_for_one_view_sees_that_view_or_all_side_by_side():
    Xs = counted_tasks(2)
    second = PerTask(3, estimator="SNMF", view=1, random_state=0).fit(Xs)
    beside = PerTask(3, estimator=SNMF(3), random_state=0).fit(Xs)
    assert equal(second.labels_, SNMF(3, random_state=0).fit([views[1] for views in Xs]).labels_)
    assert equal(beside.labels_, SNMF(3, random_state=0).fit([np.hstack(views) for views in Xs]).labels_)


def test_a_generator_is_drawn_from_for_every_task():
    Xs, rng, same = counted_tasks(2), np.random.default_rng(1), np.random.default_rng(1)
    model = PerTask(3, estimator="ConMC", random_state=rng).fit(Xs)
    assert equal(model.labels_, [ConMC(3, random_state=same).fit(views).labels_ for views in Xs])
    assert rng.bit_generator.state == same.bit_generator.state
    with pytest.raises(ValueError, match="random_state must be"):
        PerTask(3, random_state=np.random).fit(Xs)  # which no copy can be made of


@pytest.mark.parametrize("outer", [Stacked, PerTask, OneView])
def test_an_objective_is_said_to_fall_only_where_that_of_the_nested_method_does(outer):
    assert outer.traits.monotone == estimator(outer.default).traits.monotone
