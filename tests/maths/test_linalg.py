"""Simplex projection and ridge systems against independent solvers."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from mtclib.maths import linalg
from mtclib.maths.linalg import RidgeSystems, dense_product, gram_eigh, thin
from mtclib.maths.simplex import project_simplex

finite = st.floats(-1e3, 1e3, allow_nan=False)


@given(arrays(float, st.integers(1, 40), elements=finite))
def test_projection_lies_on_the_simplex_and_satisfies_the_optimality_conditions(v):
    g = project_simplex(v)
    assert g.min() >= 0
    assert g.sum() == pytest.approx(1.0, abs=1e-9)
    gradient = g - v
    assert np.ptp(gradient[g > 0]) <= 1e-9 * (1 + np.abs(v).max())
    assert gradient.min() >= gradient[g > 0].min() - 1e-9 * (1 + np.abs(v).max())


def test_projection_survives_huge_offsets():
    np.testing.assert_allclose(project_simplex(np.array([1e12, 1e12 - 0.5])), [0.75, 0.25], atol=1e-3)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_projection_of_diverged_entries_is_refused(bad):
    with pytest.raises(FloatingPointError, match="NaN or infinity"):
        project_simplex(np.array([0.5, bad, 0.1]))


@given(n=st.integers(1, 9), m=st.integers(1, 9), seed=st.integers(0, 2**31), data=st.data())
def test_a_dense_product_is_that_of_scipy_to_the_last_bit(n, m, seed, data):
    rng = np.random.default_rng(seed)
    factors = []
    for shape in [(n, 30), (30, m)]:
        A = np.where(rng.random(shape) < 0.4, rng.normal(size=shape), 0.0)
        form = data.draw(st.sampled_from([sp.csr_array, sp.csc_array, sp.coo_array]))
        factors.append(form(A.astype(data.draw(st.sampled_from([np.float32, np.float64])))))
    expected = factors[0] @ factors[1]
    found = dense_product(*factors)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected.toarray())
    np.testing.assert_allclose(dense_product(factors[0], factors[1].toarray()), found, rtol=1e-5, atol=1e-6)


@given(n=st.integers(1, 12), d=st.integers(1, 12), h=st.integers(1, 4), lam=st.floats(0, 10),
       sparse=st.booleans(), iterative=st.booleans(), seed=st.integers(0, 2**31))
def test_ridge_systems_equal_direct_solves_in_every_form(n, d, h, lam, sparse, iterative, seed):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < 0.5, rng.normal(size=(n, d)), 0.0)
    Y, R, shifts = rng.normal(size=(n, h)), rng.normal(size=(d, h)), rng.uniform(0.1, 5.0, h)
    system = RidgeSystems(sp.csr_array(X) if sparse else X, max_dense=0 if iterative else 5000)
    for _ in range(2):
        W, XW = system.solve(Y, R, shifts, lam)
        direct = [np.linalg.solve(lam * X.T @ X + s * np.eye(d), lam * X.T @ y + r)
                  for y, r, s in zip(Y.T, R.T, shifts)]
        np.testing.assert_allclose(W.T, direct, atol=1e-8, rtol=1e-7)
        np.testing.assert_allclose(XW, X @ W, atol=1e-8, rtol=1e-7)
        Y = Y + 0.1


def test_conjugate_gradients_stay_accurate_for_large_counts():
    rng = np.random.default_rng(0)
    X = sp.csr_array(1000.0 * rng.poisson(0.1, (60, 80)))
    Y, R, shifts = rng.random((60, 2)), rng.normal(size=(80, 2)), np.array([0.5, 2.0])
    W, _ = RidgeSystems(X, max_dense=0).solve(Y, R, shifts, 4.0)
    expected, _ = RidgeSystems(X).solve(Y, R, shifts, 4.0)
    np.testing.assert_allclose(W, expected, atol=1e-6 * np.abs(expected).max())


def test_conjugate_gradients_that_do_not_converge_are_not_a_silent_result():
    ones = np.ones((60, 1))
    with pytest.raises(FloatingPointError, match="conjugate gradients stopped"):
        RidgeSystems(np.diag(np.logspace(-8, 8, 60)), max_dense=0).solve(ones, ones, np.array([1e-6]), 1.0)


def test_condition_bounds_the_condition_number_of_the_systems():
    X = np.random.default_rng(0).normal(size=(5, 8))
    exact = np.linalg.cond(3.0 * X.T @ X + 0.5 * np.eye(8))
    for data in (X, sp.csr_array(X)):
        assert exact <= RidgeSystems(data).condition(3.0, 0.5) <= 5 * exact


def test_threads_may_share_the_remembered_decompositions(monkeypatch):
    monkeypatch.setattr(linalg, "_SPECTRA", linalg.OrderedDict())
    monkeypatch.setattr(linalg, "_SPECTRA_BYTES", 20 * 8 * 3 * 3)
    Xs = [np.random.default_rng(seed).normal(size=(3, 4)) for seed in range(60)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(gram_eigh, Xs * 40))
    finally:
        sys.setswitchinterval(interval)
    for X, (eigenvalues, _) in zip(Xs, found):
        np.testing.assert_allclose(eigenvalues, np.linalg.eigvalsh(X @ X.T), atol=1e-12)


def test_the_decomposition_is_computed_once_for_equal_content_and_few_are_remembered(monkeypatch):
    monkeypatch.setattr(linalg, "_SPECTRA", linalg.OrderedDict())
    monkeypatch.setattr(linalg, "_SPECTRA_BYTES", 3 * 8 * 8 * 8)
    X = np.random.default_rng(0).normal(size=(8, 12))
    first = gram_eigh(X)
    assert all(a is b for a, b in zip(first, gram_eigh(X.copy())))
    assert gram_eigh(X + 1.0)[0] is not first[0]
    for seed in range(10):
        gram_eigh(np.random.default_rng(seed).normal(size=(8, 12)))
    assert len(linalg._SPECTRA) == 3


def test_the_form_for_thin_products_leaves_every_bit_of_them():
    rng = np.random.default_rng(0)
    X, Y = sp.random_array((60, 40), density=0.3, format="csr", rng=rng), rng.normal(size=(40, 3))
    assert thin(X).format == "csc"
    assert np.array_equal(thin(X) @ Y, X @ Y)
    shuffled = sp.csr_array((X.data[::-1], X.indices[::-1], np.append(0, np.cumsum(np.diff(X.indptr)[::-1]))),
                            shape=X.shape)
    assert thin(shuffled) is shuffled
