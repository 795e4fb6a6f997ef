"""Symmetric nonnegative matrix factorisation: its matrices, its limits, and its stationary points."""

import numpy as np
import pytest
from planted import fitting, noisy_views as views, quiet_fit
from sklearn.cluster import KMeans

from mtclib import LSSMTC, MBC, MTCMRL, SPMTC
from mtclib.baselines import SNMF, SNMFLR, MultiViewSNMF
from mtclib.maths.graphs import NormalizedMatrix, knn_affinity

fit = fitting(MultiViewSNMF, max_iter=5000)


def normalised(X):
    return NormalizedMatrix(knn_affinity(X, 10)).L.toarray()


def half_residual(K, Y):
    return 0.5 * np.sum((K - Y @ Y.T) ** 2)


@pytest.mark.parametrize("view", [None, 1])
def test_the_objective_is_that_of_one_affinity_or_of_the_mean_of_all(view):
    Xs = views()
    model = fit(Xs, view=view)
    K = np.mean([normalised(X) for X in (Xs if view is None else Xs[view:view + 1])], axis=0)
    assert model.objective_[-1] == pytest.approx(half_residual(K, model.membership_), rel=1e-10)


GRAPHS = {
    "knn": lambda X: knn_affinity(X, 10).toarray(), "normalised": normalised,
    "signed": lambda X: np.corrcoef(X), "block": lambda X: (X[:, :1] > 0) @ (X[:, :1] > 0).T + 0.0}


def residual(Y, slope, *parts):
    """How far a slope is from the optimality conditions for Y >= 0, relative to the parts that balance."""
    return (np.linalg.norm(np.where(Y > 0, slope, np.minimum(slope, 0.0))) / sum(map(np.linalg.norm, parts)))


@pytest.mark.parametrize("init", ["random", "k-means"])
@pytest.mark.parametrize("solver", ["gradient", "multiplicative"])
@pytest.mark.parametrize("graph", GRAPHS)
def test_converged_means_stationary(graph, solver, init):
    X = np.random.default_rng(0).normal(size=(120, 5))
    M = GRAPHS[graph](X)
    model = SNMF(6, solver=solver, similarity=[M], init=init, tol=1e-4, max_iter=50_000, random_state=0)
    Y = model.fit([X]).membership_[0]
    cubic, product = Y @ (Y.T @ Y), M @ Y
    assert model.converged_
    assert residual(Y, cubic - product, cubic, product) <= 1.001e-4
    assert model.objective_[-1] == pytest.approx(half_residual(M, Y), rel=1e-9)
    assert (np.diff(model.objective_) <= 1e-12 * np.sum(M * M)).all()


@pytest.mark.parametrize("solver", ["gradient", "multiplicative"])
@pytest.mark.parametrize("lam", [0.25, 4.0])
def test_converged_means_stationary_with_a_linear_model(lam, solver):
    X = abs(np.random.default_rng(0).normal(size=(60, 8)))
    model = SNMFLR(4, lam=lam, solver=solver, tol=1e-4, max_iter=50_000, random_state=0).fit([X])
    Y, W, U = model.membership_[0], model.coef_[0], X / np.linalg.norm(X, axis=1, keepdims=True)
    left, right = Y @ (Y.T @ Y) + lam * Y, U @ (U.T @ Y) + lam * (X @ W)
    assert model.converged_
    assert residual(Y, left - right, left, right) < 5e-4
    normal, target = lam * X.T @ (X @ W) + 0.5 * W, lam * X.T @ Y
    assert np.linalg.norm(normal - target) < 1e-3 * np.linalg.norm(target)
    value = half_residual(U @ U.T, Y) + lam * np.sum((Y - X @ W) ** 2) + 0.5 * np.sum(W * W)
    assert model.objective_[-1] == pytest.approx(value, rel=1e-6)


def test_gradients_end_as_low_as_multiplicative_steps_in_a_tenth_of_them():
    ends = {}
    for solver in ("gradient", "multiplicative"):
        fits = [fit(views(n=200, noise=(1.5, 1.5)), k=12, solver=solver, n_init=1, tol=1e-4, max_iter=50_000,
                    random_state=seed) for seed in range(2)]
        ends[solver] = [sum(values) for values in zip(*((f.objective_[-1], f.n_iter_) for f in fits))]
    assert ends["gradient"][0] < 1.01 * ends["multiplicative"][0]
    assert 10 * ends["gradient"][1] < ends["multiplicative"][1]


@pytest.mark.parametrize("init", ["random", "k-means"])
@pytest.mark.parametrize("solver", ["gradient", "multiplicative"])
@pytest.mark.parametrize("scale", [1e-149, 1e-30, 3.0, 1e30, 1e149])
def test_the_scale_of_a_similarity_does_not_matter(scale, solver, init):
    X = views(n=90, noise=(0.5,))[0]
    M = knn_affinity(X, 10).toarray()
    plain, scaled = (quiet_fit(SNMF(3, solver=solver, init=init, similarity=[c * M], random_state=0), [X])
                     for c in (1.0, scale))
    np.testing.assert_array_equal(plain.labels_[0], scaled.labels_[0])
    np.testing.assert_allclose(scaled.objective_[-1] / scale**2, plain.objective_[-1], rtol=1e-3)
    assert scaled.converged_


def test_atol_is_in_units_of_the_objective_whatever_the_scale_of_a_similarity():
    (X,) = views(n=90, noise=(0.5,))
    few, same = (quiet_fit(SNMF(3, similarity=[c * knn_affinity(X)], atol=0.01 * c**2, random_state=0), [X])
                 for c in (1.0, 4.0**6))
    assert same.n_iter_ == few.n_iter_ > 1


@pytest.mark.parametrize("estimator", [SNMF, SNMFLR, MTCMRL, LSSMTC, SPMTC, MBC])
def test_memberships_start_from_the_k_means_partition_of_lowest_inertia_of_many(estimator):
    X = np.random.default_rng(4).poisson(1.0, (30, 4)) + 0.1  # one start in five ends lowest
    runs = [KMeans(3, init="random", n_init=1, random_state=seed).fit(X) for seed in range(40)]
    best = min(runs, key=lambda run: run.inertia_)
    assert best.inertia_ < np.median([run.inertia_ for run in runs])
    options = {"max_iter": 3, "tol": 0.0, "random_state": 0}
    many = quiet_fit(estimator(3, init="k-means", starts=60, **options), [X])
    given = quiet_fit(estimator(3, init=[best.labels_], **options), [X])
    np.testing.assert_allclose(many.objective_, given.objective_, rtol=1e-9)
    with pytest.raises(ValueError, match="starts"):
        estimator(3, starts=0).fit([X])


@pytest.mark.parametrize("solver", ["gradient", "multiplicative"])
def test_as_many_clusters_as_samples_take_few_iterations_and_are_one_sample_each(solver):
    X = np.random.default_rng(0).random((60, 4))
    model = MultiViewSNMF(60, solver=solver, random_state=0).fit([X, X**2])
    assert sorted(model.labels_) == list(range(60))
    assert model.n_iter_ <= 100
