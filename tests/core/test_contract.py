"""One contract for every estimator, and proof that the contract can be broken."""

import warnings
from dataclasses import replace
from functools import partial

import contract
import numpy as np
import pytest
from sklearn.cluster import KMeans as SklearnKMeans

from mtclib import spmtc
from mtclib.baselines import KMeans, consensus
from mtclib.baselines.registry import all_estimators, estimator
from mtclib.core.base import Fit, spawn_seeds, stops
from mtclib.core.shield import NumericalError, shield


def cases():
    """Pairs of a class and a check; bad input is named by the base classes, once for each way to read it."""
    told = set()
    for cls in all_estimators().values():
        for name in contract.CHECKS:
            reader = cls.fit, cls._check_input, cls.traits.nonnegative
            if name == "bad_input_is_refused_by_name" and (reader in told or told.add(reader)):
                continue
            if contract.applies(name, cls):
                yield pytest.param(cls, name, id=f"{cls.__name__}-{name}")


@pytest.fixture(autouse=True)
def few_members_starts_and_steps(monkeypatch):
    """What a consensus promises hangs on no number of members and starts, nor SPMTC on closing steps."""
    monkeypatch.setattr(spmtc, "CLOSING", 30)
    monkeypatch.setattr(consensus.ConsensusClustering, "default", ("scales", "Ward", "k-means"))
    for name in ("cosine", "scales", "scales by cosine", "k-means"):
        monkeypatch.setitem(consensus.MEMBERS, name, partial(consensus.MEMBERS[name], n_init=2))


@pytest.mark.parametrize(("cls", "name"), list(cases()))
def test_estimator_keeps_the_contract(cls, name):
    contract.CHECKS[name](cls)


def changed(fit_task):
    """k-means that fits a task by ``fit_task(fit, X, n_clusters, seed)``, where ``fit`` is the right way."""
    class Changed(KMeans):
        def _fit_task(self, X, n_clusters, seed):
            return fit_task(super()._fit_task, X, n_clusters, seed)

    return Changed


def spoiled(change):
    """k-means whose result, one ``Fit`` per task, is what ``change`` makes of it."""
    return changed(lambda fit, *task: replace(found := fit(*task), **change(found)))


GlobalSeed = changed(lambda fit, X, k, seed: fit(X, k, np.random.randint(1000)))  # noqa: NPY002
SeesTheScale = changed(lambda fit, X, k, seed: fit(np.minimum(X, 1.0), k, seed))
RisingObjective = spoiled(lambda fit: {"objective": [*fit.objective, fit.objective[-1] + 1.0]})
LabelsOutOfRange = spoiled(lambda fit: {"labels": fit.labels + 1})
NeverWarns = spoiled(lambda fit: {"converged": True})
IgnoresClusters = spoiled(lambda fit: {"labels": np.zeros_like(fit.labels)})


class MutatesInput(KMeans):
    def fit(self, Xs, y=None):
        if isinstance(Xs, list) and isinstance(Xs[0], np.ndarray) and Xs[0].dtype == float:
            Xs[0][0] += 1.0
        return super().fit(Xs)


class HasNoShield(KMeans):
    def fit(self, Xs, y=None):
        np.linalg.cholesky(Xs[0].T @ Xs[0])
        return super().fit(Xs)


class AcceptsAnything(KMeans):
    def _check_parameters(self):
        pass

    def _fit_task(self, X, n_clusters, seed):
        self.init, kept = "random", self.init
        fit = super()._fit_task(X, n_clusters, seed)
        self.init = kept
        return fit


@changed
def RoundsDenseDataOtherwise(fit, X, n_clusters, seed):
    model = SklearnKMeans(n_clusters, init="random", n_init=1, random_state=seed).fit(X)
    return Fit(model.labels_.astype(int), [model.inertia_], True)


class DependsOnOrder(KMeans):
    def _fit_best(self, prepared, n_clusters, seeds):
        self._place = 0
        return super()._fit_best(prepared, n_clusters, seeds)

    def _fit_task(self, X, n_clusters, seed):
        self._place += 1
        fit = super()._fit_task(X, n_clusters, seed)
        return replace(fit, labels=(fit.labels + self._place) % n_clusters)


@pytest.mark.parametrize(("broken", "check"), [
    (GlobalSeed, "fit_returns_self_with_valid_results_that_the_seed_alone_decides"),
    (MutatesInput, "input_is_not_mutated"),
    (RisingObjective, "objective_never_rises"),
    (LabelsOutOfRange, "fit_returns_self_with_valid_results_that_the_seed_alone_decides"),
    (NeverWarns, "one_iteration_warns_and_is_not_converged"),
    (AcceptsAnything, "bad_parameters_are_refused_by_name"),
    (RoundsDenseDataOtherwise, "csr_and_dense_agree"),
    (DependsOnOrder, "task_order_does_not_matter"),
    (IgnoresClusters, "planted_clusters_are_recovered"),
    (HasNoShield, "extremes_give_finite_results_or_are_named"),
    (SeesTheScale, "scale_of_the_data_does_not_matter")])
def test_the_contract_catches_a_broken_estimator(broken, check):
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        for _ in range(5):
            contract.CHECKS[check](broken)


def test_unknown_estimator_lists_the_known_ones():
    with pytest.raises(ValueError, match="MTCMRL"):
        estimator("MTCMLR")


def test_a_start_that_diverged_is_not_the_best():
    @changed
    def diverges_first(fit, X, n_clusters, seed):
        found = fit(X, n_clusters, seed)
        return replace(found, objective=[np.nan]) if seed == spawn_seeds(0, 1)[0] else found

    Xs = contract.planted(KMeans)
    assert np.isfinite(diverges_first(3, n_init=2, random_state=0).fit(Xs).objective_).all()
    with pytest.raises(NumericalError, match="broke down.*diverged: objective_"):
        diverges_first(3, random_state=0).fit(Xs)


@pytest.mark.parametrize(("method", "parameters", "change", "named"), [
    ("MTSC", {}, lambda X: X * np.logspace(6, 0, 12) + 1e8, r"Xs\[2\], whose largest entry, 1.1e\+08.*mean"),
    ("LLMC", {}, lambda X: np.pad(X[1:], ((1, 0), (0, 0)), constant_values=1e20),
     r"Xs\[2\], whose largest entry, 1.0e\+20"),
    ("LMSC", {"lam": 1e300}, None, r"lam=1e\+300 is extreme: bring it nearer to its default, 1.0"),
    ("ConvexSub", {"alpha": 1e300}, None, r"alpha=1e\+300 is extreme")])
def test_a_breakdown_names_the_method_what_is_extreme_and_the_remedy(method, parameters, change, named):
    *Xs, last = contract.planted(estimator(method))
    with (np.errstate(all="warn"), warnings.catch_warnings(),
          pytest.raises(NumericalError, match=f"{method} broke down .*{named}")):
        warnings.filterwarnings("error", "overflow", RuntimeWarning)
        contract.brief(estimator(method), **parameters).fit([*Xs, change(last) if change else last])


@pytest.mark.parametrize(("said", "kind"), [
    ("array must not contain infs or NaNs", NumericalError),
    ("lam must be a number > 0; got nan", ValueError),
    ("affinity contains NaN or infinity; remove or impute these entries", ValueError)])
def test_a_refusal_is_no_breakdown_even_where_it_quotes_what_is_no_number(said, kind):
    with pytest.raises(kind) as caught, shield(KMeans(3), [np.eye(3)]):
        raise ValueError(said)
    assert caught.type is kind


@pytest.mark.parametrize(("after", "expected"), [(8.0, False), (9.95, True), (11.0, True), (np.nan, True),
                                                 (np.inf, True)])
def test_a_fit_stops_when_it_no_longer_falls_or_has_diverged(after, expected):
    assert stops(10.0, after, tol=0.01) is expected


def test_first_seeds_do_not_change_when_starts_are_added():
    assert spawn_seeds(7, 5)[:3] == spawn_seeds(7, 3)
    assert len(set(spawn_seeds(7, 50))) == 50
