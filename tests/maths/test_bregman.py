"""Bregman divergences and their centroids, against Table 1 in loops and against numeric minimisation."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from literal import mbc as literal
from scipy.optimize import approx_fprime
from scipy.spatial.distance import cdist
from scipy.special import wrightomega

from mtclib.maths import centroids
from mtclib.maths.bregman import Smoothed, divergence, mean_entry, pooled_metric

Q = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, -0.3], [0.0, -0.3, 0.7]])
TABLE_1 = {"sqeuclidean": (literal.sqeuclidean, lambda x: x @ x),
           "mahalanobis": (literal.mahalanobis(Q), lambda x: x @ Q @ x),
           "kl": (literal.kl, lambda x: (x * np.log(x)).sum()),
           "i-divergence": (literal.i_divergence, lambda x: (x * np.log(x) - x).sum()),
           "itakura-saito": (literal.itakura_saito, lambda x: -np.log(x).sum())}
ASYMMETRIC = ("kl", "i-divergence", "itakura-saito")


def named(name):
    return divergence(name, Q if name == "mahalanobis" else None)


def points(name, n, d=3, seed=0, spread=1.0):
    """Rows in the domain of every divergence; on the simplex for 'kl'."""
    X = np.exp(spread * np.random.default_rng(seed).normal(size=(n, d)))
    return X / X.sum(axis=1, keepdims=True) if name == "kl" else X


def weights(k, seed):
    rng = np.random.default_rng([seed, 1])
    return np.exp(2 * rng.normal(size=k)), np.exp(2 * rng.normal(size=k))


def value(d, A, B, left, right, u):
    return A * d.between(left, u) + B * d.between(u, right)


@pytest.mark.parametrize("name", TABLE_1)
def test_divergences_equal_table_1_and_definition_1(name):
    X, Y, d = points(name, 4), points(name, 5, seed=1), named(name)
    loops, phi = TABLE_1[name]
    expected = np.array([[loops(x, y) for y in Y] for x in X])
    defined = literal.definition(phi, lambda y: approx_fprime(y, phi, 1e-8))
    np.testing.assert_allclose(d.pairwise(X, Y), expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(d.between(X[:, None], Y[None]), expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose([[defined(x, y) for y in Y] for x in X], expected, rtol=1e-5, atol=1e-6)
    assert d.symmetric == np.allclose(expected[:, :4], d.pairwise(Y[:4], X).T)


@pytest.mark.parametrize("name", TABLE_1)
def test_gradients_are_those_of_phi_and_can_be_undone(name):
    X, d, phi = points(name, 4), named(name), TABLE_1[name][1]
    slopes = np.array([approx_fprime(x, phi, 1e-7) for x in X])
    np.testing.assert_allclose(d.gradient(X) + (name == "kl"), slopes, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(d.inverse_gradient(d.gradient(X)), X, rtol=1e-13)
    np.testing.assert_allclose(d.inverse_gradient(d.gradient(X[0])), X[0], rtol=1e-13)


def test_left_arguments_may_have_zeros_where_the_logarithm_allows():
    x, y = np.array([0.0, 0.5, 0.5]), np.array([0.2, 0.3, 0.5])
    for name in ("kl", "i-divergence"):
        assert named(name).between(x, y) == pytest.approx(literal.kl(x, y))


@pytest.mark.parametrize("name", ASYMMETRIC)
@given(seed=st.integers(0, 2**31), spread=st.sampled_from([0.01, 1.0, 2.0]))
def test_mixed_centroids_equal_a_numeric_minimiser(name, seed, spread):
    d, width = named(name), 5 if name == "kl" else 2
    left, right = points(name, 2, width, seed, spread), points(name, 2, width, seed + 1, spread)
    A, B = weights(2, seed)
    ours = d.mixed_centroid(left, right, A, B)
    theirs = np.array([literal.exact(name)(*row) for row in zip(A, B, left, right)])
    low, found = value(d, A, B, left, right, ours), value(d, A, B, left, right, theirs)
    if name == "kl":
        np.testing.assert_allclose(ours.sum(axis=1), 1.0, rtol=1e-14)
        np.testing.assert_allclose(ours, theirs, atol=1e-5)
        assert (low <= found * (1 + 1e-8) + 1e-12).all()
    else:
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)
        np.testing.assert_allclose(low, found, rtol=1e-8, atol=1e-12)
        np.testing.assert_allclose(ours, centroids.bisection(d, left, right, A, B), rtol=1e-8)


@pytest.mark.parametrize("ratio", [1e-6, 1e-2, 1.0, 1e2, 1e6, 1e12])
@pytest.mark.parametrize("name", ASYMMETRIC)
def test_mixed_centroids_are_stationary_for_any_weights(name, ratio):
    left, right = points(name, 5, 7, 3), points(name, 5, 7, 4)
    A, B = np.full(5, ratio), np.ones(5)
    u = named(name).mixed_centroid(left, right, A, B)
    curvature = u**-2 if name == "itakura-saito" else 1.0 / u
    slopes = named(name).gradient
    pull, push = ratio * curvature * (u - left), slopes(u) - slopes(right)
    residual = pull + push - (pull + push).mean(axis=1, keepdims=True) * (name == "kl")
    assert np.abs(residual).max() <= 1e-11 * max(ratio, 1.0) * np.abs(curvature * left).max()


def test_bisection_finds_the_lowest_of_several_minima():
    quartic = divergence((lambda x: x**4, lambda x: 4 * x**3, np.cbrt))
    grid = np.linspace(-1.0, 1.0, 200001)[:, None]
    for A, B in ((0.05, 1.0), (0.5, 1.0), (2.0, 1.0), (50.0, 1.0)):
        left, right, A, B = np.array([[-1.0]]), np.array([[1.0]]), np.array([A]), np.array([B])
        u = centroids.bisection(quartic, left, right, A, B)
        lowest = value(quartic, A, B, left, right, grid).min()
        assert value(quartic, A, B, left, right, u)[0] <= lowest + 1e-12


@pytest.mark.parametrize("name", ASYMMETRIC)
def test_the_geodesic_walk_equals_the_literal_dichotomy_and_is_not_the_minimiser(name):
    left, right, d = points(name, 20, 4), points(name, 20, 4, seed=1), named(name)
    A, B = weights(20, 3)
    walked = centroids.geodesic(d, left, right, A, B)
    for row in range(3):
        expected = literal.geodesic_walk(TABLE_1[name][0], d.gradient, d.inverse_gradient, A[row], B[row],
                                         left[row], right[row])
        np.testing.assert_allclose(walked[row], expected, rtol=1e-10)
    exact = value(d, A, B, left, right, d.mixed_centroid(left, right, A, B))
    excess = value(d, A, B, left, right, walked) / exact - 1.0
    assert excess.min() >= -1e-9
    assert excess.max() > 0.1


def test_log_wright_omega_equals_scipy_and_goes_on_where_it_underflows():
    z = np.concatenate([np.linspace(-600, 600, 4001), np.geomspace(600, 1e12, 50)])
    np.testing.assert_allclose(centroids.log_wright_omega(z), np.log(wrightomega(z)), atol=1e-13)
    for guess in (-50.0, 0.0, 50.0):
        again = centroids.log_wright_omega(z, np.full_like(z, guess))
        np.testing.assert_allclose(again, np.log(wrightomega(z)), atol=1e-13)
    assert centroids.log_wright_omega(np.array([-1e4]))[0] == -1e4


@pytest.mark.parametrize("offset", [0.0, 1e4, 1e7])
def test_distances_stay_accurate_far_from_the_origin(offset):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(30, 4)) + offset, rng.normal(size=(5, 4)) + offset
    np.testing.assert_allclose(divergence("sqeuclidean").pairwise(X, Y), cdist(X, Y, "sqeuclidean"),
                               rtol=1e-8, atol=1e-8)


def test_the_pooled_metric_whitens_the_samples_of_all_tasks_together():
    rng = np.random.default_rng(0)
    Xs = [rng.normal(size=(n, 3)) @ rng.normal(size=(3, 3)) + [5, 0, 1e8] for n in (30, 50)]
    metric = pooled_metric(Xs)
    np.testing.assert_allclose(metric @ np.cov(np.vstack(Xs).T, bias=True), np.eye(3), atol=1e-4)
    np.testing.assert_allclose(pooled_metric([sp.csr_array(X) for X in Xs]), metric, rtol=1e-6)
    np.testing.assert_allclose(pooled_metric([np.ones((3, 2))]), np.eye(2))


@pytest.mark.parametrize("density", [0.2, 1.0])
@pytest.mark.parametrize("smoothing", [0.0, 0.3])
@pytest.mark.parametrize("name", TABLE_1)
def test_smoothed_sparse_data_equal_the_smoothed_dense_array(name, smoothing, density):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((9, 3)) < density, rng.uniform(0.5, 2, (9, 3)), 0.0)
    if not smoothing and density < 1 and not named(name).symmetric:
        X[X == 0] = 0.25
    if name == "kl":
        X = (X + 1e-3 * (X.sum(axis=1, keepdims=True) == 0)) / (X.sum(axis=1, keepdims=True) + 3e-3 * (
            X.sum(axis=1, keepdims=True) == 0))
    whole = (1 - smoothing) * X + smoothing * X.mean()
    labels, anchor, directions = np.arange(9) % 4, whole.mean(axis=0), rng.normal(size=(2, 3))
    for form in (X, sp.csr_array(X)):
        task = Smoothed(form, smoothing, mean_entry([form]))
        np.testing.assert_allclose(task.sums(labels, 5), [whole[labels == z].sum(axis=0) for z in range(5)])
        np.testing.assert_allclose(task.products(directions), whole @ directions.T)
        np.testing.assert_allclose(task.rows(np.array([3, 1])), whole[[3, 1]])
        np.testing.assert_allclose(task.mean(), anchor)
        np.testing.assert_allclose(np.unique(task.values().round(12)), np.unique(whole.round(12)))
        np.testing.assert_allclose(task.divergences_from(named(name), anchor),
                                   [TABLE_1[name][0](x, anchor) for x in whole], rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize(("arguments", "message"), [
    (("euclidean",), "divergence must be one of 'sqeuclidean'"),
    ((None,), "divergence must be one of"),
    (((np.cosh, np.sinh),), "divergence must be a name or three functions"),
    (((np.cosh, np.sinh, 1.0),), "divergence must be a name or three functions"),
    (("kl", np.eye(2)), "metric belongs to divergence='mahalanobis'; leave it out"),
    (("mahalanobis",), "needs a metric"),
    (("mahalanobis", np.ones(3)), r"metric must be a finite square matrix; got shape \(3,\)"),
    (("mahalanobis", np.diag([1.0, np.nan])), "metric must be a finite square matrix"),
    (("mahalanobis", "eye"), "metric cannot be read as a matrix"),
    (("mahalanobis", [[1.0, 0.5], [0.0, 1.0]]), r"metric must be symmetric; pass \(metric \+ metric.T\) / 2"),
    (("mahalanobis", np.diag([1.0, -0.5])), "metric must be positive definite.*-0.5; add a multiple"),
    (("mahalanobis", np.ones((2, 2))), "metric must be positive definite")])
def test_unusable_divergences_are_refused_by_name(arguments, message):
    with pytest.raises(ValueError, match=message):
        divergence(*arguments)
