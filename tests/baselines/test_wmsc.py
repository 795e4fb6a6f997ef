"""Weighted multi-view spectral clustering against its literal transcription, and its limits."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from literal import wmsc as literal
from literal.coreg import normalised
from planted import fitting, noisy_views as views
from scipy.linalg import block_diag

from mtclib.baselines import WMSC
from mtclib.maths import graphs
from mtclib.maths.simplex import simplex_minimiser

fit = fitting(WMSC)


@pytest.mark.parametrize(("ridge", "smoothness"), [(0.1, 0.1), (1e-3, 0.0), (1e-6, 1e-3), (1.0, 1.0)])
@pytest.mark.parametrize("seed", range(2))
def test_weights_are_those_of_the_literal_problem(seed, ridge, smoothness):
    Xs = views(seed=seed, noise=(0.5, 1.0, 3.0, 6.0))
    model = fit(Xs, affinity="gaussian", ridge=ridge, smoothness=smoothness)
    x, value = literal.weights([normalised(graphs.gaussian_affinity(X)) for X in Xs], 3, ridge, smoothness)
    np.testing.assert_allclose(model.weights_, x, atol=1e-8)
    assert model.weight_objective_ == pytest.approx(value, rel=1e-9)


@given(st.integers(0, 10**6), st.integers(1, 7), st.floats(-3, 3))
def test_the_minimiser_over_the_simplex_meets_the_optimality_conditions(seed, m, size):
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((m, m + 2))
    G, y = B @ B.T + 0.1 * np.eye(m), 10.0**size * rng.standard_normal(m)
    x = simplex_minimiser(G, y)
    assert x.min() >= 0
    assert x.sum() == pytest.approx(1.0, rel=1e-12)
    gradient = G @ x - y
    # No direction to a corner goes down.
    assert (gradient - gradient @ x).min() >= -1e-7 * max(np.abs(gradient).max(), 1.0)


def test_the_embedding_is_that_of_the_weighted_sum():
    Xs = views()
    model = fit(Xs)
    K = sum(x * normalised(graphs.knn_affinity(X, 10).toarray()) for x, X in zip(model.weights_, Xs))
    U = literal.leading(K, 3)[1]
    U = U / np.linalg.norm(U, axis=1, keepdims=True)
    np.testing.assert_allclose(model.embedding_ @ model.embedding_.T, U @ U.T, atol=1e-8)


def test_a_sum_of_graphs_joins_what_any_of_them_joins_be_they_operators_or_arrays():
    rng = np.random.default_rng(0)
    first, second = (block_diag(*[rng.random((s, s)) for s in sizes]) for sizes in ((5, 3, 4), (5, 7)))
    pair = [graphs.NormalizedMatrix(A + A.T) for A in (first, second)]
    assert graphs.WeightedSum(pair, np.array([0.5, 0.5])).components().tolist() == [0] * 5 + [1] * 7
    assert len(set(graphs.WeightedSum(pair, np.array([1.0, 0.0])).components())) == 3
    rows = np.arange(5, 12)
    np.testing.assert_allclose(graphs.WeightedSum(pair, np.array([0.3, 0.7])).block(rows),
                               0.3 * pair[0].block(rows) + 0.7 * pair[1].block(rows))
    # It may mix operators and arrays.
    U = np.abs(np.random.default_rng(0).standard_normal((6, 4)))
    U /= np.linalg.norm(U, axis=1, keepdims=True)
    cosine, matrix = graphs.NormalizedCosine(U), graphs.NormalizedMatrix(U @ U.T)
    mixed = graphs.WeightedSum([cosine, matrix], np.array([0.5, 0.5])).block(np.arange(6)) @ np.eye(6)
    np.testing.assert_allclose(mixed, matrix.L, atol=1e-12)
