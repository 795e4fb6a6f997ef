"""MTCMRL: every update against its literal transcription, an oracle or finite differences."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from literal import mtcmrl as literal
from planted import equal, quiet_fit

from mtclib import MTCMRL
from mtclib.baselines import SNMF, SNMFLR
from mtclib.maths.linalg import RidgeSystems
from mtclib.mtcmrl import initial_state, model_distances, model_step, objective, relation_step


def texts(sizes=(14, 11, 13), d=9, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.poisson(0.7, (n, d)).astype(float) + (rng.random((n, d)) < 0.1) for n in sizes]


def starts(Xs, ks, seed=0):
    rng = np.random.default_rng(seed)
    return [np.r_[np.arange(k), rng.integers(0, k, X.shape[0] - k)] for X, k in zip(Xs, ks)]


@pytest.mark.parametrize("coupling", ["full", "printed"])
@pytest.mark.parametrize("exponent", [0.5, 0.25, 1.0])
@pytest.mark.parametrize("d", [9, 40])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_fit_equals_algorithm_1_as_printed(coupling, exponent, d, convert):
    Xs, ks = texts(d=d), [2, 3, 4]
    init = starts(Xs, ks)
    Ys0 = [literal.start(h, k) for h, k in zip(init, ks)]
    expected = literal.fit(Xs, ks, Ys0, 2.0, 0.5, 3.0, 0.7, coupling=coupling, exponent=exponent, n_iter=6)
    model = quiet_fit(
        MTCMRL(ks, lam=2.0, mu=0.5, alpha=3.0, beta=0.7, coupling=coupling, exponent=exponent, guard=False,
               init=init, max_iter=6, tol=0.0), [convert(X) for X in Xs])
    np.testing.assert_allclose(model.objective_, expected["objective"], rtol=1e-8)
    for t in range(3):
        np.testing.assert_allclose(model.coef_[t], expected["Ws"][t], atol=1e-7)
        np.testing.assert_allclose(model.membership_[t], expected["Ys"][t], atol=1e-7)
    for pair, G in model.relation_.items():
        np.testing.assert_allclose(G, expected["Gs"][pair], atol=1e-7)


def test_objective_equals_loops_over_every_entry():
    Xs, ks = texts((5, 4)), [2, 3]
    model = quiet_fit(MTCMRL(ks, init=starts(Xs, ks), max_iter=2, tol=0.0), Xs)
    Ms = [literal.similarity(X) for X in Xs]
    expected = literal.objective(Xs, Ms, model.membership_, model.coef_, model.relation_, 4.0, 0.5, 4.0, 0.5)
    assert model.objective_[-1] == pytest.approx(expected, rel=1e-10)


@settings(max_examples=40)
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


@settings(max_examples=40)
@given(seed=st.integers(0, 2**31), T=st.integers(1, 4), lam=st.floats(0, 6), mu=st.floats(0.05, 3),
       alpha=st.floats(0, 6), beta=st.floats(0, 3), d=st.integers(2, 30),
       exponent=st.sampled_from([0.25, 0.5, 1.0]))
def test_full_coupling_never_raises_the_objective(seed, T, lam, mu, alpha, beta, d, exponent):
    rng = np.random.default_rng(seed)
    Xs = texts(rng.integers(5, 20, T), d, seed)
    ks = rng.integers(1, 5, T).tolist()
    model = quiet_fit(MTCMRL(ks, lam=lam, mu=mu, alpha=alpha, beta=beta, exponent=exponent, max_iter=12,
                             tol=0.0, random_state=0), Xs)
    assert (np.diff(model.objective_) <= 1e-9 * np.abs(model.objective_[:-1])).all()


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


@pytest.mark.parametrize("beta", [0.1, 2.0])
def test_without_coupling_every_task_is_snmf_with_linear_regression(beta):
    Xs, ks = texts(), [2, 3, 4]
    joint = quiet_fit(MTCMRL(ks, alpha=0.0, beta=beta, max_iter=30, tol=0.0, random_state=3), Xs)
    alone = quiet_fit(SNMFLR(ks, max_iter=30, tol=0.0, random_state=3), Xs)
    for t in range(3):
        np.testing.assert_allclose(joint.membership_[t], alone.membership_[t], rtol=1e-10)
        np.testing.assert_allclose(joint.coef_[t], alone.coef_[t], atol=1e-10)
    other = quiet_fit(MTCMRL(ks[::-1], alpha=0.0, max_iter=30, tol=0.0, random_state=3), Xs[::-1])
    assert equal(joint.labels_, other.labels_[::-1])


def test_without_linear_model_snmf_lr_is_snmf():
    Xs = texts()
    plain = quiet_fit(SNMF(3, max_iter=30, tol=0.0, random_state=3), Xs)
    model = quiet_fit(SNMFLR(3, lam=0.0, max_iter=30, tol=0.0, random_state=3), Xs)
    for a, b in zip(plain.membership_, model.membership_):
        np.testing.assert_allclose(a, b, rtol=1e-9)


def test_full_coupling_in_step_equals_printed_coupling_of_twice_the_strength():
    Xs, ks = texts(), [2, 3, 4]
    tasks = MTCMRL(ks)._prepare(Xs, ks)
    state = initial_state(tasks, ks, 0)
    full = model_step(tasks[0].system, state.Y, state.W, state.G, 0, 2.0, 0.5, 1.5, "full")
    printed = model_step(tasks[0].system, state.Y, state.W, state.G, 0, 2.0, 0.5, 3.0, "printed")
    np.testing.assert_allclose(full[0], printed[0], atol=1e-12)


def test_relations_are_transposes_of_each_other_and_sum_to_one():
    Xs, ks = texts(), [2, 3, 4]
    model = quiet_fit(MTCMRL(ks, max_iter=20, random_state=0), Xs)
    assert set(model.relation_) == {(t, s) for t in range(3) for s in range(3) if t != s}
    for (t, s), G in model.relation_.items():
        assert G.shape == (ks[t], ks[s]) and G.min() >= 0
        assert G.sum() == pytest.approx(1.0)
        np.testing.assert_array_equal(G, model.relation_[s, t].T)


def test_coupling_pulls_related_models_together():
    rng = np.random.default_rng(0)
    topics = np.kron(np.eye(3), np.full((1, 8), 3.0)) + 0.2
    Xs = [rng.poisson(topics[[0, 1] * 30]).astype(float), rng.poisson(topics[[1, 2] * 30]).astype(float)]
    apart, coupled = (quiet_fit(MTCMRL(2, alpha=alpha, random_state=0), Xs) for alpha in (0, 4))
    assert model_distances(*coupled.coef_).min() < model_distances(*apart.coef_).min()


def test_the_papers_absolute_stopping_rule_stops_at_a_decrease_below_one():
    Xs = texts((60, 50, 40), 30)
    model = MTCMRL(3, atol=1.0, tol=0.0, random_state=0).fit(Xs)
    decreases = -np.diff(model.objective_)
    assert decreases[-1] < 1.0
    assert (decreases[:-1] >= 1.0).all()


@pytest.mark.parametrize(("parameters", "message"), [
    ({"lam": -1}, "lam must be a number >= 0; got -1"),
    ({"mu": 0}, "mu must be a number > 0; got 0"),
    ({"exponent": 1.5}, "exponent must be a number > 0 and <= 1; got 1.5"),
    ({"init": [np.zeros(14, int)]}, "3 of them"),
    ({"init": [np.zeros(14, int), np.zeros(11, int), np.full(13, 2)]}, r"init\[2\] must hold 13 integers"),
])
@pytest.mark.parametrize("cls", [MTCMRL, SNMFLR])
def test_unusable_parameters_are_refused_by_name(cls, parameters, message):
    if not set(parameters) <= set(cls(2).get_params()):
        pytest.skip("not a parameter of this method")
    with pytest.raises(ValueError, match=message):
        cls(2, **parameters).fit(texts())


# The transcription itself.


@pytest.mark.parametrize("shape", [(1, 2), (2, 3), (4, 4)])
@pytest.mark.parametrize("scale", [0.01, 1.0, 50.0])
@pytest.mark.parametrize("beta", [0.05, 0.5])
def test_the_quadratic_programmes_of_the_transcription_agree(shape, scale, beta):
    A = scale * np.random.default_rng(1).uniform(size=shape)
    relation = literal.relation_qp(A, beta)
    assert relation == pytest.approx(literal.relation_qp(A, beta, solver="slsqp"), abs=1e-8)
    walked, gap = literal.relation_frank_wolfe(A, beta, n_iter=200, tol=1e-5)
    excess = np.sum(A * (walked - relation)) + beta * (np.sum(walked**2) - np.sum(relation**2))
    assert -1e-12 <= excess <= gap + 1e-12
    assert beta * np.sum((walked - relation) ** 2) <= excess + 1e-12


@pytest.mark.parametrize("d", [2, 4, 9])
def test_the_sylvester_solution_is_stationary_for_the_printed_model_objective(d):
    rng = np.random.default_rng(0)
    X, Y, others = rng.uniform(size=(7, d)), rng.uniform(0.1, 1, (7, 3)), rng.normal(size=(2, d, 2))
    Gs = rng.dirichlet(np.ones(6), 2).reshape(2, 3, 2)

    def value(W):
        """Eq. (7) as printed, with lam = 1.5, mu = 0.5 and alpha = 2."""
        total = 1.5 * np.sum((Y - X @ W) ** 2) + 0.5 * np.trace(W @ W.T)
        return total + 2 * sum(np.trace(W @ np.diag(G.sum(axis=1)) @ W.T - 2 * W @ G @ W_s.T)
                               for W_s, G in zip(others, Gs))

    W, xi = literal.model_sylvester(X, Y, others, Gs, 1.5, 0.5, 2.0)
    for step in 1e-4 * np.eye(W.size).reshape(-1, *W.shape):
        assert value(W + step) == pytest.approx(value(W - step), abs=1e-9)
        assert value(W) < min(value(W + step), value(W - step))
    assert xi == pytest.approx(Y - X @ W)


def test_the_transcribed_membership_update_equals_eq_19_entry_by_entry():
    rng = np.random.default_rng(0)
    M, Y, X, W = (rng.uniform(size=(7, 7)), rng.uniform(0.1, 1, (7, 3)), rng.uniform(size=(7, 4)),
                  rng.normal(size=(4, 3)))
    updated, Q, YYtY = literal.membership(M, Y, X, W, 1.5, exponent=0.5), X @ W, Y @ (Y.T @ Y)
    assert (Q < 0).any() and (Q > 0).any()
    for p, i in np.ndindex(Y.shape):
        top = M[p] @ Y[:, i] + 1.5 * max(Q[p, i], 0)
        bottom = YYtY[p, i] + 1.5 * Y[p, i] + 1.5 * max(-Q[p, i], 0)
        assert updated[p, i] == pytest.approx(Y[p, i] * (top / bottom) ** 0.5)
