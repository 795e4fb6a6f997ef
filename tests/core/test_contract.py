"""One contract for every estimator."""

import warnings
from dataclasses import replace
from functools import partial

import contract
import numpy as np
import pytest

from mtclib import spmtc
from mtclib.baselines import KMeans, consensus
from mtclib.baselines.registry import all_estimators, estimator
from mtclib.core.base import spawn_seeds, stops
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


def test_a_start_that_diverged_is_not_the_best():
    class DivergesFirst(KMeans):
        def _fit_task(self, X, n_clusters, seed):
            found = super()._fit_task(X, n_clusters, seed)
            return replace(found, objective=[np.nan]) if seed == spawn_seeds(0, 1)[0] else found

    Xs = contract.planted(KMeans)
    assert np.isfinite(DivergesFirst(3, n_init=2, random_state=0).fit(Xs).objective_).all()
    with pytest.raises(NumericalError, match="broke down.*diverged: objective_"):
        DivergesFirst(3, random_state=0).fit(Xs)


@pytest.mark.parametrize(("method", "parameters", "change", "named"), [
    ("MTSC", {}, lambda X: X + 1e8, r"Xs\[2\], whose largest entry, 1.0e\+08, is 1.0e\+08 times.*mean"),
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
