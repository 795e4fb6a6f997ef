"""Scaling of views: each option does what it says, to dense and sparse views alike."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist

from mtclib.core import large
from mtclib.core.base import ConstantViewWarning
from mtclib.maths.scaling import SCALINGS, apply_scale, find_scale, scale_views


def view(seed=0, n=40, d=7):
    rng = np.random.default_rng(seed)
    X = rng.normal(3.0, [0.1, 1.0, 5.0, 20.0, 1.0, 300.0, 1e-3][:d], (n, d))
    X[:, 4] = np.where(rng.random(n) < 0.6, 0.0, X[:, 4])
    X[:, 0] -= 50.0
    return X


def by_definition(X, scaling):
    """The scaled view with the shifts of the textbook."""
    feature, _, whole = scaling.partition("+")
    Z = X
    if feature == "minmax":
        Z = 2 * (X - X.min(axis=0)) / np.ptp(X, axis=0) - 1
    elif feature == "zscore":
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
    elif feature == "rows":
        Z = X / np.linalg.norm(X, axis=1, keepdims=True)
    if "variance" in (feature, whole):
        Z = Z / np.sqrt(Z.var(axis=0).sum())
    if "dimension" in (feature, whole):
        Z = Z / np.sqrt(Z.shape[1])
    if feature == "range":
        Z = 2 * (X - X.min()) / np.ptp(X) - 1
    return Z


@pytest.mark.parametrize("scaling", SCALINGS)
def test_distances_are_those_of_the_definition_for_dense_and_sparse_views(scaling):
    X = view()
    dense, sparse = scale_views([X, sp.csr_array(X)], scaling)
    expected = pdist(by_definition(X, scaling), "sqeuclidean")
    assert np.allclose(pdist(dense, "sqeuclidean"), expected, rtol=1e-9, atol=1e-12 * expected.max())
    assert np.array_equal(sparse.toarray(), dense) or np.allclose(sparse.toarray(), dense, rtol=1e-13)


@pytest.mark.parametrize("scaling", SCALINGS)
def test_zeros_of_a_sparse_view_stay_zeros(scaling):
    X = sp.random_array((30, 12), density=0.3, format="csr", rng=np.random.default_rng(0))
    assert scale_views([X], scaling)[0].nnz == X.nnz


def test_a_feature_far_from_zero_keeps_its_digits():
    X = 1e9 + np.arange(5.0)[:, None]
    assert scale_views([X], "variance")[0].var() == pytest.approx(1.0, rel=1e-12)


def test_constant_features_become_zero_and_constant_views_are_named():
    X = view()
    for column in (1e-310 * X[:, 2], 1e-170 * X[:, 2], 7.0):
        X[:, 2] = column
        for scaling in ("minmax", "zscore+variance"):
            scaled, = scale_views([X], scaling)
            assert np.isfinite(scaled).all()
            assert not scaled[:, 2].any()
    with pytest.warns(ConstantViewWarning, match=r"Xs\[1\] \(view 2\), Xs\[2\] \(view 3\)"):
        out = scale_views([X, np.zeros((40, 3)), np.full((40, 2), 5.0)], "minmax+variance")
    assert not out[1].any()
    assert np.ptp(out[2]) == 0.0
    rays = np.arange(1.0, 6.0)[:, None] * np.array([[1.0, 2.0, 2.0]])
    assert find_scale(rays, "rows").constant
    assert not find_scale(rays, "none").constant


def test_empty_rows_stay_empty_and_are_so_where_zeros_are_stored():
    X, stored = view(), sp.csr_array(np.ones((40, 7)))
    X[3] = 0.0
    stored.data[:] = X.ravel()
    dense, sparse = scale_views([X, stored], "rows+variance")
    assert not dense[3].any()
    np.testing.assert_allclose(sparse.toarray(), dense, rtol=1e-13)


def test_blocks_give_the_scale_of_the_whole(monkeypatch):
    X = view(n=101)
    whole = [find_scale(X, scaling) for scaling in SCALINGS]
    monkeypatch.setattr(large, "BLOCK", 50)
    for name, expected in zip(SCALINGS, whole):
        scale = find_scale(X, name)
        assert np.allclose(scale.factor, expected.factor, rtol=1e-12, atol=0)
        assert np.array_equal(scale.shift, expected.shift)


def test_restoring_undoes_the_scaling():
    X = view()
    X[:, 2] = 7.0
    for name in ("none", "minmax", "zscore", "variance", "minmax+dimension"):
        scale = find_scale(X, name)
        assert np.allclose(scale.restore(apply_scale(X, scale)), X, rtol=1e-12)
