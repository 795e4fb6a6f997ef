"""The ways to learn a shared subspace: against dense decompositions of the (d, d) scatter matrix."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from literal import spmtc as literal

from mtclib.maths.subspace import SubspaceStep, between_directions, column_basis, null_directions


def weighted(n, d, c=3, seed=0):
    """Data of full rank, memberships, weights with zeros and the root-weighted data and memberships."""
    rng = np.random.default_rng(seed)
    X, P = rng.poisson(1.0, (n, d)) + 0.1 * rng.random((n, d)), rng.random((n, c)) + 0.1
    v = rng.random(n) * (rng.random(n) < 0.7)
    v[:c] = 1.0
    return X, P, v


@given(n=st.integers(6, 40), d=st.integers(4, 40), count=st.integers(1, 4), seed=st.integers(0, 2**31))
def test_smallest_reaches_the_trace_of_a_dense_decomposition(n, d, count, seed):
    X, P, v = weighted(n, d, seed=seed)
    S = literal.scatter(X.T, P, v)
    step = SubspaceStep(sp.csr_array(X), count, "eig_small")
    step.reweigh(v)
    W = step.step([P])
    best = np.sort(np.linalg.eigvalsh(S))[:count].sum()
    np.testing.assert_allclose(W.T @ W, np.eye(count), atol=1e-9)
    assert np.trace(W.T @ S @ W) <= best + 1e-9 * np.sum(v[:, None] * X**2)


def test_between_directions_maximise_the_scatter_between_clusters():
    X, P, v = weighted(40, 12)
    step = SubspaceStep(X, 2, "eig_between")
    step.reweigh(v)
    W = step.step([P])
    between = X.T @ np.diag(v) @ X - literal.scatter(X.T, P, v)
    np.testing.assert_allclose(W.T @ W, np.eye(2), atol=1e-12)
    assert np.trace(W.T @ between @ W) == pytest.approx(np.linalg.eigvalsh(between)[-2:].sum())


def test_between_directions_stay_orthonormal_when_clusters_die():
    X, P, _ = weighted(20, 12)
    P[:, 1:] = 0.0
    W = between_directions(X.T @ column_basis(P), 3)
    np.testing.assert_allclose(W.T @ W, np.eye(3), atol=1e-12)


def test_a_tiny_column_of_the_memberships_counts_as_one():
    P = np.random.default_rng(0).random((9, 3)) * [1.0, 1e-140, 1.0]
    assert column_basis(P).shape == (9, 3)
    assert column_basis(np.ones((9, 3))).shape == (9, 1)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_null_directions_vanish_on_every_sample_and_are_always_the_same(convert):
    X = np.random.default_rng(0).poisson(0.5, (20, 30)).astype(float)
    X[5] = X[4]
    W = null_directions(convert(X), 4)
    np.testing.assert_allclose(X @ W, 0.0, atol=1e-8)
    np.testing.assert_allclose(W.T @ W, np.eye(4), atol=1e-12)
    np.testing.assert_array_equal(W, null_directions(convert(X), 4))


@given(seed=st.integers(0, 2**31), d=st.integers(3, 12), l=st.integers(1, 3),
       shift=st.sampled_from([0.0, 2.0]))
def test_the_published_rule_never_moves_w_from_the_first_features(seed, d, l, shift):
    rng = np.random.default_rng(seed)
    X, P, M = rng.poisson(3.0, (20, d)) - shift + 0.5, rng.random((20, 2)), rng.normal(size=(l, 2))
    start = np.eye(d, l)
    W = start
    for _ in range(5):
        W = literal.multiplicative(X.T, P, M, W, np.ones(20))
    assert (W[start == 0] == 0).all()
    np.testing.assert_allclose(W, start, atol=1e-8)
    step = SubspaceStep(X, l, "mult")
    step.reweigh(np.ones(20))
    np.testing.assert_array_equal(step.step([P]), start)
