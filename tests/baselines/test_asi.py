"""Adaptive subspace iteration: each step against an oracle, the objective, and the degenerate cases."""

from unittest.mock import Mock

import numpy as np
import pytest
import scipy.sparse as sp
from literal import spmtc as literal
from scipy.sparse.linalg import ArpackNoConvergence

from mtclib.baselines import ASI, asi
from mtclib.baselines.asi import Occurring, assign, between_scatter, subspace
from mtclib.core.base import DegenerateSubspaceWarning, EmptyClusterWarning
from mtclib.core.starts import kmeans_once, one_hot


def counts(n=30, d=8, seed=0):
    return np.random.default_rng(seed).poisson(2.0, (n, d)).astype(float)


def within_scatter(X, labels):
    return literal.scatter(X.T, one_hot(labels, 3), np.ones(len(X)))


def projected_scatter(X, F, labels):
    return np.trace(F.T @ within_scatter(X, labels) @ F)


@pytest.mark.parametrize("shape", [(30, 8), (12, 20), (20, 20)])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.filterwarnings("ignore::mtclib.core.base.DegenerateSubspaceWarning")
def test_each_subspace_is_that_of_the_explicit_scatter_matrix(shape, convert, dense, monkeypatch):
    monkeypatch.setattr("mtclib.maths.eigen.SMALL", 1000 if dense else 4)
    X, labels, l = counts(*shape), np.arange(shape[0]) % 3, 2
    values = np.linalg.eigvalsh(within_scatter(X, labels))
    V = np.linalg.svd(X, full_matrices=False)[2]
    in_range = np.linalg.eigvalsh(V @ within_scatter(X, labels) @ V.T)
    between = np.linalg.eigvalsh(X.T @ X - within_scatter(X, labels))
    best = {"smallest": values[:l].sum(), "smallest_in_range": in_range[:l].sum(),
            "largest": values[-l:].sum()}
    space = Occurring(convert(X))
    for which in asi.SUBSPACES:
        F = subspace(convert(X), one_hot(labels, 3), l, which, space)
        np.testing.assert_allclose(F.T @ F, np.eye(l), atol=1e-9)
        if which == "adr":
            assert between_scatter(X @ F, labels, 3) == pytest.approx(between[-l:].sum())
        else:
            assert projected_scatter(X, F, labels) == pytest.approx(best[which], abs=1e-8 * values[-1])
        if which == "smallest_in_range":
            np.testing.assert_allclose(V.T @ (V @ F), F, atol=1e-8)


def test_null_directions_fill_the_smallest_subspace_first():
    X = np.hstack([counts(40, 6), np.zeros((40, 2))])
    X = np.hstack([X, X[:, :1]])
    F = subspace(X, one_hot(np.arange(40) % 3, 3), 3, "smallest", Occurring(X))
    assert np.abs(X @ F[:, 0]).max() < 1e-10
    assert np.abs(X @ F[:, 1]).max() > 1e-3
    assert not F[6:8].any(), "features that never occur must not count"
    expected = np.linalg.eigvalsh(within_scatter(X, np.arange(40) % 3))[2:5].sum()
    assert projected_scatter(X, F, np.arange(40) % 3) == pytest.approx(expected)


@pytest.mark.parametrize("which", ["smallest_in_range", "largest"])
def test_a_stalled_iteration_gives_way_to_a_dense_solver(which, monkeypatch):
    X, D = counts(), one_hot(np.arange(30) % 3, 3)
    expected = subspace(X, D, 2, which, Occurring(X))
    monkeypatch.setattr("mtclib.maths.eigen.SMALL", 4)
    gives_up = Mock(side_effect=ArpackNoConvergence("no", np.empty(0), np.empty((0, 0))))
    monkeypatch.setattr("mtclib.maths.eigen.eigsh", gives_up)
    F = subspace(X, D, 2, which, Occurring(X))
    np.testing.assert_allclose(F @ F.T, expected @ expected.T, atol=1e-8)


@pytest.mark.parametrize("which", asi.SUBSPACES)
@pytest.mark.filterwarnings("error::mtclib.core.base.DegenerateSubspaceWarning")
def test_the_objective_is_the_documented_one_and_a_healthy_fit_does_not_warn(which):
    X = counts()
    model = ASI(3, which=which, n_components=2, random_state=0).fit([X])
    F, D = model.projection_[0], one_hot(model.labels_[0], 3)
    S = np.linalg.lstsq(D, X @ F, rcond=None)[0]
    residual = X - D @ S @ F.T if which == "adr" else X @ F - D @ S
    assert model.objective_[-1] == pytest.approx(np.sum(residual ** 2))


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("which", "message"), [
    ("smallest", "projected to the origin"), ("smallest_in_range", "every partition fits perfectly")])
def test_more_features_than_samples_leave_nothing_to_the_smallest_eigenvectors(which, message, convert):
    X, start = counts(15, 40), np.arange(15) % 3
    with pytest.warns(DegenerateSubspaceWarning, match=f"{message}.*which='adr'"):
        model = ASI(3, which=which, init=[start], random_state=0).fit([convert(X)])
    assert np.array_equal(model.labels_[0], start)
    assert model.converged_
    assert model.n_iter_ == 1
    assert model.objective_[-1] < 1e-15 * np.sum(X ** 2)
    assert (np.abs(X @ model.projection_[0]).max() > 0.01) == (which == "smallest_in_range")


@pytest.mark.parametrize("n", [3, 9])
@pytest.mark.parametrize("which", asi.SUBSPACES)
def test_samples_without_any_entry_keep_the_start(which, n):
    with pytest.warns(DegenerateSubspaceWarning):
        model = ASI(2, which=which, init=[np.arange(n) % 2]).fit([np.zeros((n, 4))])
    assert model.labels_[0].tolist() == (np.arange(n) % 2).tolist()


def test_rounding_does_not_part_copies_where_fewer_samples_than_clusters_differ():
    X = counts(2, 12)[[0, 1, 1, 1, 1, 1, 1]] * (1.0 + 1e-12 * np.random.default_rng(1).random((7, 1)))
    with pytest.warns(EmptyClusterWarning, match="2 of 3"):
        labels = ASI(3, random_state=0).fit([X]).labels_[0]
    assert set(labels[1:]) == {labels[1]} != {labels[0]}


def test_adr_with_as_many_dimensions_as_clusters_is_lloyds_k_means():
    X = counts(40, 6, seed=3)
    labels = start = np.random.default_rng(0).permutation(np.arange(40) % 3)
    for _ in range(50):
        centroids = np.array([X[labels == j].mean(axis=0) for j in range(3)])
        labels = np.sum((X[:, None] - centroids) ** 2, axis=2).argmin(axis=1)
    assert (labels != start).sum() > 5
    assert np.array_equal(ASI(3, init=[start]).fit([X]).labels_[0], labels)
    model = ASI(3, init="k-means", random_state=0).fit([X])
    assert (model.n_iter_, model.converged_) == (1, True)


@pytest.mark.parametrize(("rows", "labels", "k", "expected"), [
    ([0, 2, 1, 3, -1], [0, 1, 1, 1, 0], 2, [0, 1, 1, 1, 0]),
    ([0, 0, 2, 2], [0, 1, 0, 1], 2, [0, 1, 0, 1]),
    ([0, 1, 10, 11, 17], [0, 0, 1, 1, 1], 3, [0, 0, 1, 1, 2]),
    ([1, 1, 1, 1], [0, 0, 0, 0], 3, [0, 0, 0, 0])])
def test_ties_stay_an_empty_cluster_takes_the_farthest_row_and_copies_none(rows, labels, k, expected):
    assert assign(np.array(rows, float)[:, None], np.array(labels), k).tolist() == expected


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("shape", "l"), [((30, 8), 2), ((12, 20), 3), ((6, 3), 3)])
def test_the_start_is_k_means_on_the_first_principal_components(shape, l, convert):
    X = counts(*shape)
    U, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    Z = asi._to_cluster(convert(X), "pca", l, 3)
    np.testing.assert_allclose(abs(Z), abs(U[:, :l] * s[:l]), atol=1e-8)
    labels = kmeans_once(Z, 3, 0).labels_
    assert np.array_equal(asi._initial_labels(X, 3, Z, 0), labels)
