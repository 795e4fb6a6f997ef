"""MTCMRL: every update against its literal transcription, an oracle or finite differences."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from literal import mtcmrl as literal
from planted import quiet_fit

from mtclib import MTCMRL
from mtclib.baselines import SNMFLR
from mtclib.maths.linalg import RidgeSystems
from mtclib.mtcmrl import initial_state, model_distances, model_step, objective, relation_step


def texts(sizes=(14, 11, 13), d=9, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.poisson(0.7, (n, d)).astype(float) + (rng.random((n, d)) < 0.1) for n in sizes]


@pytest.mark.parametrize("coupling", ["full", "printed"])
@pytest.mark.parametrize("exponent", [0.5, 0.25, 1.0])
@pytest.mark.parametrize("d", [9, 40])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_fit_equals_algorithm_1_as_printed(coupling, exponent, d, convert):
    Xs, ks, rng = texts(d=d), [2, 3, 4], np.random.default_rng(0)
    init = [np.r_[np.arange(k), rng.integers(0, k, len(X) - k)] for X, k in zip(Xs, ks)]
    Ys0 = [literal.start(h, k) for h, k in zip(init, ks)]
    expected = literal.fit(Xs, ks, Ys0, 2.0, 0.5, 3.0, 0.7, coupling=coupling, exponent=exponent, n_iter=6)
    model = quiet_fit(
        MTCMRL(ks, lam=2.0, mu=0.5, alpha=3.0, beta=0.7, coupling=coupling, exponent=exponent, guard=False,
               init=init, max_iter=6, tol=0.0), [convert(X) for X in Xs])
    np.testing.assert_allclose(model.objective_, expected["objective"], rtol=1e-8)
    for t in range(3):
        np.testing.assert_allclose(model.coef_[t], expected["Ws"][t], atol=1e-7)
        np.testing.assert_allclose(model.membership_[t], expected["Ys"][t], atol=1e-7)
    assert model.relation_.keys() == expected["Gs"].keys()
    for pair, G in model.relation_.items():
        np.testing.assert_allclose(G, expected["Gs"][pair], atol=1e-7)


@given(seed=st.integers(0, 2**31), h=st.integers(1, 5), k=st.integers(1, 5), beta=st.floats(0.05, 5.0))
def test_relation_step_equals_a_quadratic_programming_solver(seed, h, k, beta):
    A = np.random.default_rng(seed).uniform(0.0, 3.0, (h, k))
    np.testing.assert_allclose(relation_step(A, beta), literal.relation_qp(A, beta), atol=2e-7)


def test_equal_models_give_a_uniform_relation_and_beta_zero_the_nearest_pairs():
    np.testing.assert_allclose(relation_step(np.zeros((3, 4)), 0.5), np.full((3, 4), 1 / 12))
    np.testing.assert_allclose(relation_step(np.array([[1.0, 0.5], [0.5, 2.0]]), 0.0), [[0, 0.5], [0.5, 0]])


@pytest.mark.parametrize("d", [6, 30])
def test_a_model_step_minimises_the_whole_objective_and_a_printed_one_can_raise_it(d):
    rng = np.random.default_rng(1)
    Xs, ks = texts(d=d), [2, 3, 4]
    state = initial_state(MTCMRL(ks)._prepare(Xs, ks), ks, 0)
    state.W = [rng.normal(size=W.shape) for W in state.W]
    state.G = {(t, s): rng.dirichlet(np.ones(G.size)).reshape(G.shape) for (t, s), G in state.G.items()}
    state.W[1], state.XW[1] = model_step(
        RidgeSystems(Xs[1]), state.Y, state.W, state.G, 1, 2.0, 0.5, 3.0, "full")

    def value(W):
        state.W[1], state.XW[1] = W, Xs[1] @ W
        return objective(state, [0.0] * 3, 2.0, 0.5, 3.0, 0.7)

    W = state.W[1].copy()
    at_minimum = value(W)
    for _ in range(20):
        step = rng.normal(size=W.shape)
        up, down = value(W + 1e-4 * step), value(W - 1e-4 * step)
        assert abs(up - down) / 2e-4 < 1e-6 * abs(at_minimum)
        assert min(up, down) > at_minimum - 1e-9
    state.W[1], state.XW[1] = W, Xs[1] @ W
    printed = model_step(RidgeSystems(Xs[1]), state.Y, state.W, state.G, 1, 2.0, 0.5, 3.0, "printed")[0]
    assert value(printed) > (1 + 1e-6) * at_minimum


@pytest.mark.parametrize("weights", list(itertools.product((1e-8, 1.0, 1e8), repeat=3)))
def test_extreme_weights_never_raise_the_objective(weights):
    alpha, beta, lam = weights
    Xs = texts(d=20)
    model = quiet_fit(MTCMRL([2, 3, 4], lam=lam, mu=max(1e-8, 1e-6 * lam), alpha=alpha, beta=beta,
                             max_iter=10, tol=0.0, random_state=0), Xs)
    assert (np.diff(model.objective_) <= 1e-7 * model.objective_[:-1]).all()


@pytest.mark.parametrize("cls", [MTCMRL, SNMFLR])
def test_a_linear_model_without_digits_is_announced(cls):
    with pytest.warns(RuntimeWarning, match=r"1e\+13 for Xs\[1\] \(task 2\): the linear model loses"):
        quiet_fit(cls(2, max_iter=2, random_state=0), [texts()[0], 1e7 * texts()[1]])


def test_a_fit_that_diverges_raises():
    Xs = [np.vstack([X, X]) for X in texts(d=30)]
    with pytest.warns(RuntimeWarning), pytest.raises(FloatingPointError, match="diverged"):
        MTCMRL(3, mu=1e-300, alpha=1e-8, beta=1e-8, random_state=0).fit(Xs)


def test_converged_means_that_no_block_can_be_improved():
    Xs, ks = texts((40, 30)), [2, 3]
    model = MTCMRL(ks, tol=1e-3, max_iter=20_000, random_state=0).fit(Xs)
    Ys, Ws, Gs = model.membership_, model.coef_, model.relation_
    assert model.converged_
    for t, (X, Y, W) in enumerate(zip(Xs, Ys, Ws)):
        left, right = Y @ (Y.T @ Y) + 4.0 * Y, literal.similarity(X) @ Y + 4.0 * (X @ W)
        slope = np.where(Y > 0, left - right, np.minimum(left - right, 0.0))
        assert np.linalg.norm(slope) <= 1e-3 * (np.linalg.norm(left) + np.linalg.norm(right))
        best = model_step(RidgeSystems(X), Ys, Ws, Gs, t, 4.0, 0.5, 4.0, "full")[0]
        assert np.linalg.norm(best - W) <= 3e-3 * np.linalg.norm(W)
    np.testing.assert_allclose(relation_step(model_distances(*Ws), 0.5), Gs[0, 1], atol=1e-2)


def test_the_papers_absolute_stopping_rule_stops_at_a_decrease_below_one():
    Xs = texts((60, 50, 40), 30)
    model = MTCMRL(3, atol=1.0, tol=0.0, random_state=0).fit(Xs)
    decreases = -np.diff(model.objective_)
    assert decreases[-1] < 1.0
    assert (decreases[:-1] >= 1.0).all()
