"""Spectral clustering: the graph operators and the eigenvectors against dense oracles, and hard cases."""

import tracemalloc
from unittest.mock import Mock

import numpy as np
import pytest
import scipy.sparse as sp
from literal import coreg as literal
from scipy.linalg import block_diag, eigh
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, eigsh
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import cosine_similarity

from mtclib.baselines import SpectralNJW
from mtclib.core.base import DegenerateSubspaceWarning
from mtclib.core.starts import firsts
from mtclib.maths import eigen, graphs
from mtclib.maths.eigen import leading_eigenvectors, spectral_embedding
from mtclib.maths.graphs import NormalizedCosine, NormalizedMatrix, gaussian_affinity, normalized_affinities


def text_like(n=40, d=25, seed=0):
    return np.random.default_rng(seed).poisson(0.5, (n, d)) + np.eye(n, d) + 0.01


def normalised(A):
    """D^-1/2 A D^-1/2 with a zero diagonal."""
    return literal.normalised(A - np.diag(np.diag(A)))


def chain(n=150, seed=0):
    """Affinity of points along a line: its second eigenvalue is near the first."""
    place = np.random.default_rng(seed).uniform(0, 10, n)[:, None]
    return gaussian_affinity(place, 0.1)


@pytest.mark.parametrize("many", [0, 100])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("shortest, alone", [(1.0, 0.0), (1e-20, 0.0), (1e-200, 0.0), (1.0, 1e6)])
def test_the_cosine_operator_equals_the_explicit_matrix(many, convert, shortest, alone, monkeypatch):
    monkeypatch.setattr(graphs, "MANY_ROWS", many)
    X = np.hstack([text_like(), alone * np.eye(40)[:, 20:21]])
    expected = normalised(cosine_similarity(X))
    graph, = normalized_affinities([convert(X * np.linspace(shortest, 1, 40)[:, None])], "cosine")
    assert isinstance(graph, NormalizedCosine)
    for rows in (np.arange(40), np.arange(3, 35), np.arange(7)):
        part, L = expected[np.ix_(rows, rows)], graph.block(rows)
        single = not many and (shortest != 1e-20 or rows[0] > 0) and (not alone or len(rows) == 7)
        assert L.dtype == (np.float32 if single else float)
        atol = 1e-6 if single else 1e-11 if alone else 1e-13
        np.testing.assert_allclose(L @ np.eye(len(rows)), part, atol=atol)
        np.testing.assert_allclose(L @ part[:, 0], part @ part[:, 0], atol=atol)


def test_samples_are_joined_by_words_whatever_the_number_of_rows_looked_at(monkeypatch):
    monkeypatch.setattr(graphs, "JOINED_ROWS", 7)
    for seed in range(20):
        X = sp.random_array((60, 70), density=0.02, rng=np.random.default_rng(seed), format="csr")
        X.data[:5] = 0.0
        expected = connected_components(X @ X.T > 0, directed=False)[1]
        assert NormalizedCosine(X).components().tolist() == firsts(expected).tolist()


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_an_affinity_in_memory_is_normalised_without_its_diagonal(convert):
    A = cosine_similarity(text_like()) + np.diag(np.arange(40.0))
    with pytest.warns(UserWarning, match=r"diagonal of affinity\[0\] \(task 1\) is left out"):
        graph, = normalized_affinities([text_like()], [convert(A)])
    np.testing.assert_allclose(graph.block(np.arange(40)) @ np.eye(40), normalised(A), atol=1e-13)
    assert sp.issparse(graph.L) == (convert is sp.csr_array)
    X = np.random.default_rng(0).normal(size=(30, 4))  # negative cosines count as zero
    graph, = normalized_affinities([convert(X)], "cosine")
    np.testing.assert_allclose(graph.L, normalised(np.maximum(cosine_similarity(X), 0.0)), atol=1e-13)


@pytest.mark.parametrize("scale", ["median", "mean", "self-tuning", 0.7])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_gaussian_affinities_follow_their_scale_rule(scale, convert):
    X = text_like()
    distances = cdist(X, X)
    pairs = distances[np.triu_indices(40, 1)]
    s = {"median": np.median(pairs), "mean": pairs.mean(), 0.7: 0.7}.get(scale)
    nearest = np.sort(distances, axis=1)[:, 7]
    width = np.outer(nearest, nearest) if s is None else 2 * s ** 2
    expected = np.exp(-distances ** 2 / width)
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(gaussian_affinity(convert(X), scale), expected, rtol=1e-9)


@pytest.mark.parametrize("scale", ["median", "mean", "self-tuning"])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_copies_do_not_make_a_scale_zero(scale, convert):
    X = np.vstack([np.full((12, 3), 1 / 3), np.eye(3)])
    A = gaussian_affinity(convert(X), scale)
    assert np.isfinite(A).all()
    assert (A[:12, :12] + np.eye(12) == 1.0).all()
    assert (gaussian_affinity(convert(np.full((9, 3), 1 / 3)), scale) + np.eye(9) == 1.0).all()
    assert gaussian_affinity(convert(X[:1]), scale).tolist() == [[0.0]]


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_rows_that_are_equal_up_to_rounding_are_at_distance_zero(convert):
    rng = np.random.default_rng(0)
    X = np.repeat(rng.random((4, 5)), 9, axis=0) * (1 + 1e-10 * rng.random((36, 1)))
    assert gaussian_affinity(convert(X), "self-tuning")[0, 1:9].tolist() == [1.0] * 8


def test_gaussian_affinities_survive_a_far_origin():
    X = np.random.default_rng(0).normal(size=(30, 2))
    np.testing.assert_allclose(gaussian_affinity(X + 1e6), gaussian_affinity(X), rtol=1e-6)


@pytest.mark.parametrize("n", [60, 320])
@pytest.mark.parametrize("affinity", ["cosine", "gaussian"])
def test_the_embedding_is_that_of_a_dense_eigendecomposition(n, affinity):
    X = text_like(n)
    A = cosine_similarity(X) if affinity == "cosine" else gaussian_affinity(X)
    np.fill_diagonal(A, 0.0)
    root = np.sqrt(A.sum(axis=1))
    values, V = eigh(A / np.outer(root, root), subset_by_index=[n - 3, n - 1])
    V /= np.linalg.norm(V, axis=1, keepdims=True)
    for convert in (np.asarray, sp.csr_array):
        model = SpectralNJW(3, affinity=affinity, n_init=1, random_state=0).fit([convert(X)])
        np.testing.assert_allclose(model.eigenvalues_[0], values[::-1], atol=1e-10)
        E = model.embedding_[0]
        np.testing.assert_allclose(E @ E.T, V @ V.T, atol=1e-6)


def test_isolated_samples_leave_the_others_alone():
    X = np.hstack([text_like(30), np.zeros((30, 1))])
    lonely = np.vstack([np.eye(26)[25], X, np.zeros(26)])
    for convert in (np.asarray, sp.csr_array):
        alone = SpectralNJW(2, random_state=0).fit([convert(X)])
        model = SpectralNJW(2, random_state=0).fit([convert(lonely)])
        assert not model.embedding_[0][[0, -1]].any()
        E, F = alone.embedding_[0], model.embedding_[0][1:-1]
        np.testing.assert_allclose(F @ F.T, E @ E.T, atol=1e-10)
        assert adjusted_rand_score(alone.labels_[0], model.labels_[0][1:-1]) == 1.0


@pytest.mark.parametrize("overlap", [1e-13, 1e-15, 1e-17])
def test_a_similarity_within_rounding_counts_as_none(overlap):
    X = np.hstack([text_like(30), np.zeros((30, 3))])
    lonely = np.vstack([np.r_[np.full(25, overlap), 0.1, 0.7, 0.3], X])
    model = SpectralNJW(2, random_state=0).fit([lonely])
    assert not model.embedding_[0][0].any()
    assert model.eigenvalues_[0][0] == pytest.approx(1.0, abs=1e-12)


def test_samples_without_anything_in_common_get_an_empty_embedding_and_equal_ones_are_a_complete_graph():
    model = SpectralNJW(2, random_state=0).fit([np.eye(4)])
    assert not model.embedding_[0].any()
    assert np.isnan(model.eigenvalues_[0]).all()
    for affinity in ("cosine", "gaussian"):
        model = SpectralNJW(2, affinity=affinity, random_state=0).fit([np.ones((6, 3))])
        np.testing.assert_allclose(model.eigenvalues_[0], [1.0, -0.2], atol=1e-12)


def test_repeated_eigenvalues_are_all_found():
    A = block_diag(*[chain(seed=seed) for seed in range(4)])
    order = np.random.default_rng(0).permutation(len(A))
    A = A[np.ix_(order, order)]
    dense, sparse = (NormalizedMatrix(convert(A)) for convert in (np.asarray, sp.csr_array))
    start = np.random.default_rng(0).standard_normal(len(A))
    plain = eigsh(dense.L, k=4, which="LA", v0=start, tol=1e-9)[0]
    assert plain.min() < 1 - 1e-6, "a plain Lanczos iteration would do; the case is too easy"
    for graph in (dense, sparse):
        values, V = spectral_embedding(graph, 4, seed=0)
        np.testing.assert_allclose(values, 1.0, atol=1e-12)
        np.testing.assert_allclose(V.T @ V, np.eye(4), atol=1e-10)
        np.testing.assert_allclose(graph.L @ V, V, atol=1e-10)


def test_pieces_are_found_through_affinities_that_have_all_but_vanished():
    A = block_diag(chain(seed=0), chain(seed=1))
    A[:150, 150:], A[150:, :150] = 1e-30, 1e-30
    values, V = spectral_embedding(NormalizedMatrix(A), 2, seed=0)
    np.testing.assert_allclose(values, 1.0, atol=1e-12)
    assert set(np.unique(np.count_nonzero(V, axis=1))) == {1}


def test_more_pieces_than_clusters_warn_and_the_largest_lead():
    X = np.kron(np.eye(3), np.ones((1, 2)))[[0, 1, 1, 1, 1, 2, 2, 2, 0]]
    with pytest.warns(DegenerateSubspaceWarning, match="3 components, more than n_clusters=2"):
        model = SpectralNJW(2, random_state=0).fit([X])
    assert np.abs(model.embedding_[0][1:5, 0]).min() == pytest.approx(1.0)
    assert np.abs(model.embedding_[0][5:8, 1]).min() == pytest.approx(1.0)
    assert not model.embedding_[0][[0, 8]].any()


def test_an_iteration_that_does_not_converge_gives_way_to_a_dense_solver(monkeypatch):
    graph, = normalized_affinities([text_like(350)], "cosine")
    L = graph.block(np.arange(350))
    expected = leading_eigenvectors(L, 3, 0)
    gives_up = Mock(side_effect=ArpackNoConvergence("no", np.empty(0), np.empty((0, 0))))
    monkeypatch.setattr(eigen, "eigsh", gives_up)
    for matrix in (L, sp.csr_array(L @ np.eye(350))):
        values, V = leading_eigenvectors(matrix, 3, 0)
        np.testing.assert_allclose(values, expected[0], atol=1e-12)
        np.testing.assert_allclose(V @ V.T, expected[1] @ expected[1].T, atol=1e-8)
    monkeypatch.setattr(eigen, "LARGEST_DENSE", 349)
    with pytest.raises(FloatingPointError, match="350 samples did not converge.*larger scale"):
        leading_eigenvectors(L, 3, 0)


def test_of_many_sparse_texts_only_entries_are_copied_in_single_precision_and_a_piece_of_its_own_is_found():
    X = sp.random_array((25_000, 2000), density=0.04, rng=np.random.default_rng(0), format="csr")
    X = sp.block_diag([np.ones((5, 1)), X], format="csr")
    tracemalloc.start()
    model = SpectralNJW(3, n_init=1, random_state=0).fit([X])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < (X.data.nbytes + X.indices.nbytes) * 2 / 3
    assert model.eigenvalues_[0][:2] == pytest.approx(1.0)
    assert len(set(model.labels_[0][:5])) == 1
