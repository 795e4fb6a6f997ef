"""MBC: every step against Algorithm 1 in loops, the reductions, and what the user can get wrong."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from literal import mbc as literal
from planted import equal, even_start as start, quiet_fit, skewed as data
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans

from mtclib import MBC, mbc
from mtclib.maths.bregman import Anchored, Smoothed, divergence
from mtclib.maths.transport import LARGEST_COPIES, transport_plan

NAMES = ("sqeuclidean", "mahalanobis", "kl", "i-divergence", "itakura-saito")
Q = np.array([[2.0, 0.5, 0.0, 0.0], [0.5, 1.0, -0.3, 0.0], [0.0, -0.3, 0.7, 0.1], [0.0, 0.0, 0.1, 1.5]])
LOOPS = literal.DIVERGENCES | {"mahalanobis": literal.mahalanobis(Q)}


def model(name, Ks, **parameters):
    return MBC(Ks, divergence=name, metric=Q if name == "mahalanobis" else None, **parameters)


def prepared(name, Xs, Ks, lam=0.5, seed=0):
    problem = model(name, Ks, lam=lam)._prepare(Xs, Ks)[0]
    return problem, mbc.begin(problem, start(Xs, Ks, seed), Ks)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("name", "centroid"), [*((name, "exact") for name in NAMES),
                                                ("itakura-saito", "geodesic")])
def test_mbc_equals_algorithm_1(name, centroid, convert):
    Xs, Ks = data(name, (14, 11, 12)), [3, 2, 4]
    ours = quiet_fit(model(name, Ks, centroid=centroid, init=start(Xs, Ks), max_iter=3, tol=0.0),
                     [convert(X) for X in Xs])
    d = divergence(name, Q if name == "mahalanobis" else None)
    functions = LOOPS[name], d.gradient, d.inverse_gradient
    solve = (literal.exact(name) if centroid == "exact" else
             lambda *means: literal.geodesic_walk(*functions, *means))
    hs, Us, _, history = literal.algorithm_1(Xs, start(Xs, Ks), Ks, 0.5, *functions, solve, 3)
    np.testing.assert_allclose(ours.objective_[:-1], history[2:-1:3], rtol=1e-7)
    for t in range(3):
        np.testing.assert_allclose(ours.cluster_centers_[t], Us[t], rtol=1e-5)
        np.testing.assert_array_equal(ours.labels_[t], literal.assign(Xs[t], Us[t], LOOPS[name]))
    assert centroid == "geodesic" or (np.diff(history) <= 1e-12).all()


@pytest.mark.parametrize("name", NAMES)
def test_the_last_objective_is_that_of_the_attributes_and_relations_are_plans_in_both_directions(name):
    Xs, Ks = data(name, (14, 11, 12)), [3, 3, 4]
    for max_iter in (1, 4):
        fit = quiet_fit(model(name, Ks, lam=0.7, max_iter=max_iter, random_state=1), Xs)
        hs, Us, d = fit.labels_, fit.cluster_centers_, LOOPS[name]
        assert fit.objective_[-1] == pytest.approx(literal.loss(Xs, hs, Us, fit.relation_, 0.7, d), rel=1e-10)
        np.testing.assert_allclose(fit.local_loss_, [literal.local_loss(*one, d) for one in zip(Xs, hs, Us)])
        plans = literal.relations(Us, d)
        assert plans.keys() == fit.relation_.keys()
        for (t, s), W in fit.relation_.items():
            cost = [[d(u, v) for v in Us[s]] for u in Us[t]]
            assert np.vdot(W, cost) == pytest.approx(np.vdot(plans[t, s], cost), rel=1e-9)
            np.testing.assert_allclose(W.sum(axis=1), 1 / Ks[t], rtol=1e-12)
            np.testing.assert_allclose(W.sum(axis=0), 1 / Ks[s], rtol=1e-12)
            assert (W >= 0).all()


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=15)
@given(T=st.integers(2, 4), lam=st.sampled_from([0.0, 1e-3, 0.5, 20.0]), seed=st.integers(0, 2**31),
       Ks=st.lists(st.integers(1, 5), min_size=4, max_size=4))
def test_no_half_step_raises_the_objective(name, T, lam, seed, Ks):
    Xs, Ks = data(name, (14, 11, 9, 16)[:T], seed=seed), Ks[:T]
    problem, state = prepared(name, Xs, Ks, lam, seed)

    def renew_relations():
        state.relation = mbc.relation_step(state.costs, problem.divergence.symmetric)

    def renew_labels():
        mbc.assign(problem, state, fill=False)

    renew_relations()
    history = []
    for step in [renew_labels, *4 * [renew_relations, renew_labels, lambda: mbc.sweep(problem, state)]]:
        step()
        history.append(mbc.objective(problem, state))
    assert (np.diff(history) <= 1e-12 * history[0]).all()


@pytest.mark.parametrize(("K_t", "K_s"), [(1, 1), (5, 5), (4, 6), (20, 6), (7, 5), (20, 19), (300, 300)])
def test_transport_plans_are_optimal_for_every_solver(K_t, K_s):
    cost = np.random.default_rng(K_s).random((K_t, K_s)) - 0.3
    plan = transport_plan(cost, np.full(K_t, 1 / K_t), np.full(K_s, 1 / K_s))
    np.testing.assert_allclose(plan.sum(axis=1), 1 / K_t, rtol=1e-12)
    np.testing.assert_allclose(plan.sum(axis=0), 1 / K_s, rtol=1e-12)
    assert (plan >= 0).all()
    copies = np.lcm(K_t, K_s)
    repeated = np.repeat(np.repeat(cost, copies // K_t, axis=0), copies // K_s, axis=1)
    lowest = repeated[linear_sum_assignment(repeated)].sum() / copies
    assert np.vdot(plan, cost) == pytest.approx(lowest, rel=1e-12)
    assert (copies > LARGEST_COPIES) == ((K_t, K_s) in [(20, 19), (300, 300)])


@pytest.mark.parametrize("init", ["random", "samples", "k-means"])
def test_fits_with_different_parameters_start_alike_and_equal_tasks_do_not(init, monkeypatch):
    X, starts, begin = data("sqeuclidean", (40,))[0], [], mbc.begin
    monkeypatch.setattr(mbc, "begin", lambda problem, labels, Ks: (
        starts.append([h.copy() for h in labels]), begin(problem, labels, Ks))[1])
    for lam in (0.0, 0.5):
        quiet_fit(MBC(5, lam=lam, init=init, max_iter=1, random_state=7), [X, X])
    assert equal(*starts)
    assert not np.array_equal(*starts[0])
    assert all(np.bincount(h, minlength=5).min() > 0 for h in starts[0])


def test_samples_between_centroids_go_to_the_lowest_index_whatever_the_rounding():
    rng = np.random.default_rng(0)
    for _ in range(40):
        X = rng.integers(0, 3, (90, 11)) / 10.0
        problem = MBC(4)._prepare([X], [4])[0]
        pair = X[rng.integers(0, 90, (2, 45))]
        # Each sample lies as far from one centroid as from the other: they are its mirror images.
        step = rng.normal(size=(45, 11))
        for x, away in zip(0.5 * (pair[0] + pair[1]), step):
            centres = Anchored(problem.divergence, np.array([x + away, x - away, x + 9.0]), problem.anchor)
            for form in (x[None], sp.csr_array(x[None])):
                assert mbc.assignment_step(Smoothed(form, 0.0, 0.0), centres)[0].tolist() == [0]


def test_an_empty_cluster_of_coupled_tasks_takes_the_centroids_that_it_is_matched_with():
    Xs = [np.array([[0.0], [0.2], [0.1]]), np.array([[0.0], [0.1], [8.0], [8.2]])]
    init = [np.zeros(3, int), np.array([0, 0, 1, 1])]
    fit = MBC(2, lam=0.5, init=init).fit(Xs)
    assert np.bincount(fit.labels_[0], minlength=2).tolist() == [3, 0]
    np.testing.assert_allclose(fit.cluster_centers_[0][1], fit.cluster_centers_[1][1], rtol=1e-3)
    assert (np.diff(fit.objective_) <= 1e-12).all()


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_empty_clusters_of_uncoupled_tasks_take_the_farthest_samples_as_in_scikit_learn(convert):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    means = np.vstack([X[:2], [[50.0, 50.0], [60.0, 60.0]]])
    lloyd = KMeans(4, init=means, n_init=1, tol=0.0).fit(X)
    fit = MBC(4, lam=0.0, tol=0.0)
    problem, Xs, _ = fit._prepare([convert(X)], [4])
    state = mbc.begin(problem, [np.arange(40) % 4], [4])
    state.centres[0] = type(state.centres[0])(problem.divergence, means, problem.anchor)
    for _ in range(100):
        mbc.sweep(problem, state)
    assert mbc.local_losses(problem, state)[0] == pytest.approx(lloyd.inertia_ / 40)
    assert state.counts[0].min() > 0


@pytest.mark.parametrize("name", ["kl", "i-divergence", "itakura-saito"])
def test_sparse_data_with_zeros_equal_dense_data_that_were_smoothed_before(name):
    rng = np.random.default_rng(0)
    Xs = [rng.poisson(0.7 + 3.0 * (np.arange(6) % 3 == (np.arange(n) % 3)[:, None])) + np.eye(n, 6)
          for n in (30, 25)]
    Xs = [X / X.sum(axis=1, keepdims=True) if name == "kl" else X for X in Xs]
    level = sum(X.sum() for X in Xs) / sum(X.size for X in Xs)
    before = [0.9 * X + 0.1 * level for X in Xs]
    dense = MBC(3, divergence=name, random_state=0).fit(before)
    sparse = MBC(3, divergence=name, smoothing=0.1, random_state=0).fit([sp.csr_array(X) for X in Xs])
    np.testing.assert_allclose(sparse.objective_, dense.objective_, rtol=1e-9)
    assert equal(sparse.labels_, dense.labels_)
    if name == "kl":
        np.testing.assert_allclose(sparse.cluster_centers_[0].sum(axis=1), 1.0)


def poisson():
    rng = np.random.default_rng(0)
    return [rng.poisson(1.0, (n, 5)).astype(float) for n in (12, 10)]


@pytest.mark.parametrize(("Xs", "parameters", "message"), [
    (poisson(), {"divergence": "itakura-saito"},
     r"Xs\[0\] \(task 1\) has zeros.*'itakura-saito'.*smoothing=0.01"),
    (poisson(), {"divergence": "i-divergence"}, r"Xs\[0\] \(task 1\) has zeros.*pass a smoothing"),
    ([np.full((4, 2), 0.5), np.array([[1.0, 0.0]] * 4)], {"divergence": "kl"},
     r"Xs\[1\] \(task 2\) has zeros, .*divergence='kl'.*smoothing=0.01"),
    ([sp.csr_array(np.eye(4)), np.full((4, 4), 0.25)], {"divergence": "kl"},
     r"Xs\[0\].*has zeros.*smoothing"),
    (poisson(), {"divergence": "kl", "smoothing": 0.1},
     r"Xs\[0\].*rows that do not sum to one \(row 0 sums to .*divide each"),
    ([np.zeros((4, 2)), np.ones((4, 2))], {"divergence": "kl"}, r"Xs\[0\].*row 0 sums to 0.*drop empty rows"),
    ([-X for X in poisson()], {"divergence": "i-divergence", "smoothing": 0.1}, "negative entries"),
    (poisson(), {"divergence": "mahalanobis", "metric": np.eye(4)},
     r"metric has shape \(4, 4\) but Xs\[0\] \(task 1\) has 5 features; give it"),
    (poisson(), {"divergence": (np.log, np.reciprocal, np.reciprocal)}, "phi is not finite.*smoothing"),
    (poisson(), {"divergence": (str.upper, np.reciprocal, np.reciprocal)}, "divergence: phi: .* failed on"),
    (poisson(), {"divergence": (np.square, lambda x: 2 * x, np.ndarray.tolist)}, "inverse_gradient is not f"),
    (poisson(), {"divergence": (np.square, lambda x: 2 * x, lambda g: g)}, "inverse_gradient does not undo"),
    (poisson(), {"divergence": (np.square, lambda x: 3 * x, lambda g: g / 3)},
     "gradient is not the derivative"),
    ([sp.csr_array((np.ones(4), (np.arange(4), np.arange(4))), shape=(4, 20000))] * 2,
     {"divergence": "mahalanobis"}, "'mahalanobis' needs a matrix of 20000 x 20000 entries; reduce")])
def test_unusable_input_is_refused_by_name_with_a_remedy(Xs, parameters, message):
    with pytest.raises(ValueError, match=message):
        MBC(**{"n_clusters": 2, **parameters}).fit(Xs)


def test_float32_rows_on_the_simplex_are_accepted():
    Xs = [X.astype(np.float32) for X in data("kl", (30, 20), d=50)]
    fit = MBC(2, divergence="kl", random_state=0).fit(Xs)
    np.testing.assert_allclose(fit.cluster_centers_[0].sum(axis=1), 1.0, rtol=1e-12)
