"""RMKMC: its steps against loops, its law of descent, its view weights, and odd views."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, strategies as st
from literal import mspl as literal
from planted import blobs, fitting
from scipy.optimize import minimize

from mtclib import MSPL
from mtclib.baselines import RMKMC
from mtclib.baselines.rmkmc import view_weights
from mtclib.core.base import EmptyClusterWarning

fit = fitting(RMKMC, quiet=True)


@pytest.mark.parametrize("gamma", [1.3, 2.0, 5.0, 40.0])
def test_every_iteration_is_that_of_the_loops(gamma):
    Xs, _ = blobs(n=40, distance=1.5)
    init = np.random.default_rng(1).integers(0, 3, 40)
    model = fit(Xs, gamma=gamma, scaling="none", init=init, tol=0.0, max_iter=6)
    for number, (B, alpha, value) in enumerate(literal.rmkmc(Xs, list(init), 3, gamma, model.n_iter_)):
        assert np.array_equal(model.label_history_[number + 1], B)
        assert np.allclose(model.view_weight_history_[number], alpha, rtol=1e-6)
        assert model.objective_[number] == pytest.approx(value, rel=1e-5)


@given(seed=st.integers(0, 2**31), gamma=st.floats(1.2, 20.0), n=st.integers(1, 5))
def test_view_weights_minimise_their_sum_on_the_simplex(seed, gamma, n):
    h = np.random.default_rng(seed).uniform(0.5, 2.0, n)
    alpha = view_weights(h, gamma)
    assert alpha.sum() == pytest.approx(1.0)
    free = minimize(lambda z: np.sum((np.exp(z) / np.exp(z).sum()) ** gamma * h), np.zeros(n), tol=1e-12)
    assert alpha**gamma @ h <= free.fun * (1 + 1e-9)
    for other in np.random.default_rng(seed).dirichlet(np.ones(n), 200):
        assert alpha**gamma @ h <= other**gamma @ h * (1 + 1e-12)


@pytest.mark.parametrize("build", [partial(RMKMC, scaling="none"), partial(MSPL, weighting="hard"),
                                   partial(MSPL, weighting="smooth", pace="share")])
def test_clusters_that_are_empty_at_the_end_are_filled_while_samples_differ(build):
    Xs = [5.0 + np.random.default_rng(v).random((30, 3)) for v in range(2)]
    start = np.arange(30) % 2
    model = build(5, init=start, random_state=0).fit(Xs)
    assert len(np.unique(model.labels_)) == 5
    assert model.converged_
    assert model.objective_[-1] < build(2, init=start, random_state=0).fit(Xs).objective_[-1]
    twice = [np.repeat(X[:3], 10, axis=0) for X in Xs]
    with pytest.warns(EmptyClusterWarning, match="found fewer clusters than n_clusters: 3 of 5"):
        build(5, init=start, random_state=0).fit(twice)
