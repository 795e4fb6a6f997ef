"""DMTFC and DMTRC: every step against its definition, the convex parts, sharing between tasks."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from literal import dmtc as literal
from planted import first_features, quiet_fit
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score

from mtclib.baselines import DMTFC, DMTRC, dmtc
from mtclib.core.starts import one_hot

KINDS = {"features": DMTFC, "relation": DMTRC}
BOTH = pytest.mark.parametrize("cls", [DMTFC, DMTRC])
LAM1, LAM2, FLOOR, SIZES = 0.3, 0.05, 0.2, (14, 11, 12)


def related(seed=0, n_tasks=4, n=45, d=30, noise=1.2):
    """Three classes that all tasks share, under strong variation in directions of each task's own."""
    rng, y = np.random.default_rng(seed), np.arange(n) % 3
    means = np.zeros((3, d))
    means[:, :3] = 2.2 * np.eye(3)
    Xs = []
    for _ in range(n_tasks):
        own = np.vstack([np.zeros((3, 2)), rng.normal(size=(d - 3, 2))])
        variation = noise * rng.normal(size=(n, 2)) @ (own / np.linalg.norm(own, axis=0)).T
        Xs.append(means[y] + 0.6 * rng.normal(size=(n, d)) + variation)
    return Xs, y


def test_scorers_that_are_all_zero_leave_a_uniform_spectrum():
    assert dmtc.floored_spectrum(np.zeros(2), 4, 0.1)[1] == 0.25
    assert dmtc.floored_spectrum(np.array([3.0, 1.0]), 4, 1.0) == (pytest.approx([]), 0.25)


def test_the_start_minimises_the_relaxed_cost_without_coupling():
    X = first_features((20,), 5)[0]
    F = dmtc.start_labels(X, 2)
    np.testing.assert_allclose(F.T @ F, 20 / 3 * np.eye(2), atol=1e-8)
    np.testing.assert_allclose(F.sum(axis=0), 0.0, atol=1e-8)
    for scale in (0.01, 1.0, 100.0):
        A = scale * np.eye(5)
        kernel = dmtc.centred(X) @ A @ dmtc.centred(X).T
        lowest = np.sum(np.sort(1.0 / (np.linalg.eigvalsh(kernel) + 20.0))[:2]) * 20 / 3
        assert literal.label_cost(X, F, A) == pytest.approx(lowest)


@pytest.mark.parametrize("d", [6, 20])
@pytest.mark.parametrize("kind", KINDS)
def test_the_iteration_is_the_literal_one(kind, d):
    Xs, cls = first_features(SIZES, d), KINDS[kind]
    model = quiet_fit(cls(3, lam1=LAM1, lam2=LAM2, floor=FLOOR, max_iter=8, tol=0.0, random_state=0), Xs)
    ridge = dmtc.CoupledRidge(Xs, LAM1, LAM2)
    Fs, start = [dmtc.start_labels(X, 2) for X in Xs], cls(3)._coupling(ridge, FLOOR)
    rotations = start.rotations(ridge.solve(start, Fs)[0])
    Fs = [F @ R for F, R in zip(Fs, rotations)]
    n = d if kind == "features" else len(Xs)
    Fs, *_, history = literal.relax(Xs, Fs, np.eye(n) / n, LAM1, LAM2, FLOOR, kind, 8)
    np.testing.assert_allclose(model.objective_, history, rtol=1e-7)
    for F, expected in zip(model.relaxed_labels_, Fs):
        np.testing.assert_allclose(F, expected, atol=1e-5)


@pytest.mark.parametrize("n_tasks", [2, 3])
def test_labels_are_rotated_so_that_the_scorers_of_each_task_are_nearest_to_those_of_the_others(n_tasks):
    Ws = list(np.random.default_rng(0).normal(size=(n_tasks, 6, 2)))
    rotations = DMTRC(3)._coupling(dmtc.CoupledRidge(Ws, LAM1, LAM2), FLOOR).rotations(Ws)
    rotated = [W @ R for W, R in zip(Ws, rotations)]
    for W, own in zip(Ws, rotated):
        others = sum(rotated) - own
        assert np.vdot(own, others) == pytest.approx(np.linalg.norm(W.T @ others, "nuc"))


@BOTH
def test_for_fixed_labels_any_coupling_to_start_from_ends_at_the_same_value(cls):
    Xs, rng = first_features(SIZES, 6), np.random.default_rng(0)
    ridge, Ys = dmtc.CoupledRidge(Xs, LAM1, LAM2), [one_hot(np.arange(len(X)) % 3, 3) for X in Xs]
    uniform = cls(3)._coupling(ridge, FLOOR)
    starts = [uniform.update(list(rng.normal(size=(3, 6, 3)) ** 5))[0] for _ in range(2)]
    values = [dmtc.fit_scorers(ridge, coupling, Ys, 300, 1e-9)[2] for coupling in starts]
    assert np.ptp(values) <= 1e-6 * values[0]


@BOTH
def test_attributes_are_the_model_of_the_final_clusters(cls):
    Xs = first_features(SIZES, 6)
    options = {"tol": 0.0, "max_iter": 15, "n_init": 1, "random_state": 0}
    model = quiet_fit(cls(3, lam1=LAM1, lam2=LAM2, floor=FLOOR, **options), Xs)
    if cls is DMTRC:
        Theta, kind = model.relation_, "relation"
    else:
        U, weights = model.directions_, model.direction_weights_
        rest = (1.0 - weights.sum()) / (6 - len(weights))
        Theta, kind = (U * weights) @ U.T + rest * (np.eye(6) - U @ U.T), "features"
    Ys = [one_hot(h, 3) for h in model.labels_]
    arguments = (Xs, Ys, model.coef_, model.intercept_, Theta, LAM1, LAM2, kind)
    assert model.labels_objective_ == pytest.approx(literal.objective(*arguments))


@BOTH
def test_shared_clusters_are_found_better_together_than_alone(cls):
    Xs, y = related()
    options = {"lam1": 0.25, "lam2": 0.0625, "max_iter": 100, "n_init": 3, "random_state": 0}
    models = [quiet_fit(cls(3, floor=floor, **options), Xs) for floor in (0.1, 1.0)]
    together, alone = ([adjusted_rand_score(y, h) for h in model.labels_] for model in models)
    assert np.mean(together) > 0.8
    assert np.mean(alone) < 0.6
    for h in models[0].labels_[1:]:
        assert np.mean(h == models[0].labels_[0]) > 0.8, "a cluster must have the same number in all tasks"


def test_the_relationship_method_has_even_clusters_by_default_and_the_feature_method_has_not():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(6, 3)), rng.normal(size=(24, 3)) + 8.0])
    models = DMTRC(2, random_state=0), DMTFC(2, random_state=0), DMTFC(2, marginals="even", random_state=0)
    sizes = [sorted(np.bincount(model.fit([X]).labels_[0])) for model in models]
    assert sizes == [[15, 15], [6, 24], [15, 15]]


@pytest.mark.parametrize("ties", [False, True])
@given(seed=st.integers(0, 2**31), k=st.integers(1, 7), more=st.integers(0, 40), size=st.integers(-8, 8))
def test_an_even_assignment_is_the_cheapest_of_all(ties, seed, k, more, size):
    rng, n = np.random.default_rng(seed), k + more
    cost = 10.0**size * (rng.integers(0, 3, (n, k)) if ties else rng.normal(size=(n, k)))
    places = np.concatenate([np.repeat(range(k), n // k), range(k)])  # the last k may stay empty
    needed = np.arange(len(places)) < k * (n // k)
    rows, taken = linear_sum_assignment(cost[:, places] - 5 * n * np.abs(cost).max() * needed)
    labels = dmtc.even_assignment(cost)
    assert set(np.bincount(labels, minlength=k)) <= {n // k, -(-n // k)}
    best = cost[rows, places[taken]].sum()
    assert cost[np.arange(n), labels].sum() == pytest.approx(best, abs=1e-11 * n * np.abs(cost).max())


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_costs_that_are_not_finite_have_no_even_assignment(bad):
    with pytest.raises(FloatingPointError, match="not finite: scale the data"):
        dmtc.even_assignment(np.array([[0.0, 1.0], [bad, 0.0], [2.0, 0.0], [0.0, 1.0]]))


def test_even_clusters_are_the_nearest_ones_to_their_own_means():
    F = np.random.default_rng(0).normal(size=(31, 2)) ** 3
    labels = dmtc.discretise(F, 3, [0], "even")
    means = np.array([F[labels == z].mean(axis=0) for z in range(3)])
    cost = np.sum((F[:, None] - means) ** 2, axis=2)
    found, best = (cost[np.arange(31), one].sum() for one in (labels, dmtc.even_assignment(cost)))
    assert found == pytest.approx(best)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_ridge_systems_that_stay_unsolved_are_an_error(monkeypatch):
    monkeypatch.setattr("mtclib.baselines.dmtc.cg", lambda system, rhs, **options: (np.zeros_like(rhs), 1))
    monkeypatch.setattr("mtclib.baselines.dmtc.lsqr", lambda system, rhs, **options: (np.zeros(1), 7))
    with pytest.raises(FloatingPointError, match="scale the data, or raise"):
        DMTFC(2).fit(first_features(SIZES, 6))
