"""Block eigensolver: right values, repeated ones included, never below its start, and a stated accuracy."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from planted import orthonormal
from scipy.linalg import eigh

from mtclib.maths import eigen
from mtclib.maths.eigen import end_of_spectrum, leading_eigenvectors, top_eigenvectors


def symmetric(n, seed, spread=1.0):
    Q = orthonormal(n, n, seed)
    return (Q * (spread * np.random.default_rng([seed, 1]).uniform(-1, 1, n))) @ Q.T


def start_of(n, width, seed=0):
    return np.random.default_rng(seed).standard_normal((n, width))


@pytest.mark.parametrize(("n", "width"), [(20, 7), (500, 9)])
def test_the_leading_eigenpairs_are_found_to_the_asked_accuracy(n, width):
    A = symmetric(n, 1)
    values, U, following = top_eigenvectors(lambda S: A @ S, start_of(n, width), 5, tol=1e-9)
    np.testing.assert_allclose(values, eigh(A, eigvals_only=True)[::-1][:5], atol=1e-12)
    np.testing.assert_allclose(U.T @ U, np.eye(5), atol=1e-12)
    assert np.linalg.norm(A @ U - U * values) <= 1.1e-9
    assert values[-1] >= following
    assert following <= eigh(A, eigvals_only=True)[-6] + 1e-12


FALLING = np.linspace(1.0, 0.0, 310)
SPECTRA = {"repeated": np.r_[np.ones(6), 0.5 * FALLING[6:]], "pairs": np.repeat(FALLING[::2], 2),
           "nearly equal": np.r_[1.0 - 1e-9 * np.arange(6), 0.9 * FALLING[6:]], "gaps": np.sqrt(FALLING),
           "low": np.r_[np.linspace(0.3, 0.2, 6), 0.0 * FALLING[6:]], "large": 1e6 * FALLING}


@pytest.mark.parametrize("tol", [1e-7, 1e-15])
@pytest.mark.parametrize("spectrum", SPECTRA.values(), ids=SPECTRA)
def test_hard_spectra_are_solved_from_starts_that_hold_other_eigenvectors_or_all(spectrum, tol):
    n, k, top = 310, 4, spectrum[0]
    Q, R = orthonormal(n, n, 0), start_of(n, 9)
    A = (Q * spectrum) @ Q.T
    for start in (R, np.hstack([Q[:, -k:], R, 0 * R]), np.hstack([Q[:, :k], R])):
        values, U, _ = top_eigenvectors(A.__matmul__, start, k, tol * top)
        np.testing.assert_allclose(values, spectrum[:k], rtol=1e-8)
        np.testing.assert_allclose(U.T @ U, np.eye(k), atol=1e-12)
        assert np.linalg.norm(A @ U - U * values) <= max(tol, 3e-13) * top


def test_new_directions_are_orthonormal_where_those_of_the_block_nearly_coincide():
    S, Q = np.split(orthonormal(400, 26, 0), [20], axis=1)
    R = Q[:, :1] + Q * 10.0 ** -np.arange(6) + 1e-3 * S[:, :6]
    new = eigen._new_directions(np.hstack([R, R[:, :2]]), S)
    np.testing.assert_allclose(new.T @ new, np.eye(6), atol=1e-13)
    np.testing.assert_allclose(S.T @ new, 0.0, atol=1e-13)
    np.testing.assert_allclose(new @ (new.T @ Q), Q, atol=1e-8)


@pytest.mark.parametrize("count", [1, 3, 7])
def test_no_repeated_eigenvalue_at_an_end_is_lost(count):
    for n in range(8, 70):
        centring = np.eye(n) - 1.0 / n
        for A, largest in ((centring, True), (1.0 - np.eye(n), True), (-centring, False)):
            values, V = end_of_spectrum(A, count, largest)
            expected = np.linalg.eigvalsh(A)[-count:] if largest else np.linalg.eigvalsh(A)[:count]
            np.testing.assert_allclose(values, expected, atol=1e-10)
            np.testing.assert_allclose(V.T @ V, np.eye(count), atol=1e-10)
            np.testing.assert_allclose(A @ V, V * values, atol=1e-10)


@settings(max_examples=8)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(0, 5), st.sampled_from([1e-8, 1e-2, 10.0]))
def test_the_sum_of_the_values_is_never_below_that_of_the_start(seed, k, extra, tol):
    A, start = symmetric(320, seed), start_of(320, k + extra, seed)
    values, U, _ = top_eigenvectors(lambda S: A @ S, start, k, tol)
    Q = np.linalg.qr(start)[0][:, :k]
    assert values.sum() >= np.trace(Q.T @ A @ Q) - 1e-12
    np.testing.assert_allclose(np.trace(U.T @ A @ U), values.sum(), atol=1e-11)


def test_columns_of_the_start_may_depend_on_each_other_and_all_pairs_be_asked_for():
    A = symmetric(400, 2)
    column = start_of(400, 1)
    values, _, _ = top_eigenvectors(lambda S: A @ S, np.hstack([column, column, 2 * column, 0 * column]), 3)
    np.testing.assert_allclose(values, eigh(A, eigvals_only=True)[::-1][:3], atol=1e-12)
    A = symmetric(6, 6)
    values, U, following = top_eigenvectors(lambda S: A @ S, np.eye(6), 6)
    np.testing.assert_allclose((U * values) @ U.T, A, atol=1e-12)
    assert following == -np.inf


def test_nearly_equal_eigenvalues_end_in_a_dense_decomposition_or_an_error(monkeypatch):
    monkeypatch.setattr(eigen, "EXPANSIONS", 3)
    A = symmetric(400, 4, spread=1e-3) + np.eye(400)
    values, _, _ = top_eigenvectors(lambda S: A @ S, start_of(400, 4), 4)
    np.testing.assert_allclose(values, eigh(A, eigvals_only=True)[::-1][:4], atol=1e-13)
    monkeypatch.setattr(eigen, "LARGEST_DENSE", 300)
    with pytest.raises(FloatingPointError, match="400 samples did not converge.*fewer samples"):
        top_eigenvectors(lambda S: A @ S, start_of(400, 4), 4)


def test_a_long_iteration_stays_narrow(monkeypatch):
    A = symmetric(600, 5)
    widths, grow = [], eigen._new_directions
    monkeypatch.setattr(eigen, "_new_directions", lambda R, S: widths.append(S.shape[1]) or grow(R, S))
    values, _, _ = top_eigenvectors(lambda S: A @ S, start_of(600, 2), 2, tol=1e-10)
    np.testing.assert_allclose(values, eigh(A, eigvals_only=True)[::-1][:2], atol=1e-12)
    assert max(widths) <= 2 + 20 * 2 + 2 < len(widths) * 2


def test_a_long_ring_of_samples_whose_eigenvalues_nearly_coincide_is_solved():
    n = 10_500
    step = sp.csr_array((np.full(n, 0.5), (np.arange(n), np.roll(np.arange(n), 1))), shape=(n, n))
    L = sp.csr_array(step + step.T)
    values, vectors = leading_eigenvectors(L, 5, 0)
    np.testing.assert_allclose(values, np.cos(2 * np.pi * np.array([0, 1, 1, 2, 2]) / n), atol=1e-14)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(5), atol=1e-9)
    assert np.abs(L @ vectors - vectors * values).max() < 1e-9
