"""Canonical variates against scikit-learn and direct eigenproblems; limits, sparse data, bad input."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from planted import signal_views
from scipy.linalg import block_diag, eigh
from sklearn.cross_decomposition import CCA

from mtclib.baselines import CCAClustering
from mtclib.baselines.cca import canonical_variates, maxvar_variates
from mtclib.core.base import DegenerateSubspaceWarning
from mtclib.maths import projections
from mtclib.maths.projections import IterativeProjection, projection


def views(n=80, widths=(6, 5), seed=0):
    return [X + 5.0 for X in signal_views(n, widths, seed)]


def parts(Xs, ridge):
    """Centred views, and the covariances with their ridges."""
    Xs = [X - X.mean(axis=0) for X in Xs]
    return Xs, [X.T @ X + ridge * np.linalg.norm(X, 2) ** 2 * np.eye(X.shape[1]) for X in Xs]


def find(Xs, p, ridge, method=canonical_variates):
    return method([projection(X, ridge) for X in Xs], p, 0)


def aligned(Z, W):
    """Largest difference of columns that may differ in sign."""
    return np.abs(Z * np.sign(np.sum(Z * W, axis=0)) - W).max()


def test_correlations_and_variates_are_those_of_scikit_learn():
    Xs = views()
    variates, correlations = find(Xs, 3, 0.0)
    theirs = CCA(3, max_iter=10_000, tol=1e-12).fit(*Xs).transform(*Xs)
    expected = [np.corrcoef(a, b)[0, 1] for a, b in zip(*(Z.T for Z in theirs))]
    np.testing.assert_allclose(correlations, expected, atol=1e-8)
    for Z, their in zip(variates, theirs):
        assert aligned(Z, their / np.linalg.norm(their, axis=0)) < 1e-4  # theirs is iterative


@given(st.integers(0, 10**6), st.integers(12, 40), st.integers(4, 60), st.integers(4, 60),
       st.floats(0.01, 10.0))
def test_ridge_cca_solves_its_generalised_eigenproblem(seed, n, d1, d2, ridge):
    Xs = views(n, (d1, d2), seed)
    (X, Y), (A, B) = parts(Xs, ridge)
    cross = np.block([[np.zeros((d1, d1)), X.T @ Y], [Y.T @ X, np.zeros((d2, d2))]])
    values, W = eigh(cross, block_diag(A, B))
    variates, correlations = find(Xs, 2, ridge)
    np.testing.assert_allclose(correlations, values[::-1][:2], atol=1e-9)
    first = W[:, -1] * 2**0.5
    for Z, expected in zip(variates, (X @ first[:d1], Y @ first[d1:])):
        assert aligned(Z[:, :1], expected[:, None]) < 1e-5


@pytest.mark.parametrize(("n", "widths", "ridge"), [
    (60, (5, 7, 4), 0.2), (20, (30, 8, 50), 0.2), (15, (40, 50, 60), 0.2), (60, (6,), 0.1),
    (60, (6, 5), 0.0)])  # fmt: skip
def test_maxvar_solves_its_generalised_eigenproblem(n, widths, ridge):
    Xs = views(n, widths)
    centred, ridged = parts(Xs, ridge)
    X = np.hstack(centred)
    values, W = eigh(X.T @ X, block_diag(*ridged))
    variates, eigenvalues = find(Xs, 3, ridge, maxvar_variates)
    np.testing.assert_allclose(eigenvalues, values[::-1][:3], atol=1e-9)
    # A direct eigenvector has w^T (S + r) w = 1, so that the sum of its variates has length sqrt(eigenvalue).
    total = sum(variates) / np.sqrt(eigenvalues)
    assert aligned(total, (X @ W)[:, ::-1][:, :3]) < 1e-6


@pytest.mark.parametrize("n_views", [2, 3])
def test_a_ridge_that_dwarfs_the_data_makes_correlations_small_but_leaves_the_directions(n_views):
    Xs = views(310, (320, 330, 340)[:n_views])
    few, many = (r * CCAClustering(3, ridge=r, random_state=0).fit(Xs).correlations_ for r in (1e4, 1e15))
    np.testing.assert_allclose(many, few, rtol=1e-3)


@pytest.mark.parametrize("widths", [(6, 5), (100, 130), (100, 5), (5, 100, 40)])
def test_sparse_views_stay_sparse_and_give_the_same(widths, monkeypatch):
    rng = np.random.default_rng(0)
    Xs = [rng.poisson(0.3 + rng.random((60, 2)) @ rng.random((2, d))).astype(float) for d in widths]
    dense, toarray = CCAClustering(3, random_state=0).fit(Xs), sp.csr_array.toarray
    monkeypatch.setattr(sp.csr_array, "toarray", lambda X: pytest.fail("densified")
                        if X.shape in [view.shape for view in Xs] else toarray(X))
    sparse = CCAClustering(3, random_state=0).fit([sp.csr_array(X) for X in Xs])
    np.testing.assert_allclose(sparse.correlations_, dense.correlations_, atol=1e-9)
    assert aligned(sparse.embedding_, dense.embedding_) < 1e-6
    assert (sparse.labels_ == dense.labels_).all()


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("widths", [(30, 40), (30, 40, 50)])
def test_conjugate_gradients_give_what_eigenvectors_give(widths, convert, monkeypatch):
    Xs = [convert(X) for X in views(35, widths)]
    expected = CCAClustering(3, random_state=0).fit(Xs)
    monkeypatch.setattr(projections, "LARGEST_DENSE", 20)
    assert isinstance(projection(Xs[0], 0.1), IterativeProjection)
    found = CCAClustering(3, random_state=0).fit(Xs)
    np.testing.assert_allclose(found.correlations_, expected.correlations_, atol=1e-8)
    assert aligned(found.embedding_, expected.embedding_) < 1e-6


def test_conjugate_gradients_that_do_not_converge_are_reported(monkeypatch):
    monkeypatch.setattr(projections, "LARGEST_DENSE", 20)
    monkeypatch.setattr(projections, "SOLVER_ITERATIONS", 5)
    with pytest.raises(FloatingPointError, match="raise ridge"):
        CCAClustering(3, ridge=1e-6).fit(views(35, (30, 40)))


def test_the_projected_view_is_what_is_clustered():
    Xs = views()
    for project, pick in (("mean", lambda Z: (Z[0] + Z[1]) / 2), (0, lambda Z: Z[0]), (1, lambda Z: Z[1])):
        model = CCAClustering(3, project=project, random_state=0).fit(Xs)
        np.testing.assert_array_equal(model.embedding_, pick(model.variates_))
        assert model.embedding_.shape == (80, 2)


@pytest.mark.parametrize(("Xs", "parameters"), [
    ([np.random.default_rng(v).standard_normal((20, 30)) for v in range(2)], {"ridge": 0.0}),
    ([np.ones((20, 3)), views(20)[0]], {}),
    ([np.full((20, 3), 0.1), np.full((20, 2), 0.3)], {}),
    ([sp.csr_array(np.full((20, 3), 0.1)), sp.csr_array(views(20)[0])], {}),
    ([np.ones((20, 3))] * 3, {})])
def test_a_subspace_that_is_not_determined_is_reported(Xs, parameters):
    with pytest.warns(DegenerateSubspaceWarning, match="not determined"):
        model = CCAClustering(3, random_state=0, **parameters).fit(Xs)
    assert model.labels_.shape == (20,)
