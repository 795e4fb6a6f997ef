"""CLR against its literal transcription, its optimality conditions, and graphs without exact solution."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from literal import clr as literal
from scipy.linalg import block_diag
from scipy.sparse.csgraph import connected_components
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from mtclib.baselines import CLR
from mtclib.baselines.clr import initial_graph, smallest_eigenvectors
from mtclib.core.base import DegenerateSubspaceWarning
from mtclib.maths.simplex import project_simplex, project_stored_rows


def blobs(seed=0, n=60, k=3, distance=2.0):
    return np.random.default_rng(seed).standard_normal((n, 3)) + distance * np.eye(3)[np.arange(n) % k]


def fit(X, n_clusters=3, **parameters):
    return CLR(n_clusters, **{"random_state": 0, **parameters}).fit([X])


def graph(n, seed, density=0.1):
    A = np.triu(sp.random(n, n, density, rng=np.random.default_rng(seed)).toarray(), 1)
    A[np.arange(n - 1), np.arange(1, n)] += 0.1
    return A + A.T


@pytest.mark.parametrize(("seed", "m", "lam"), [*product(range(4), (4, 9), (0.1,)), (0, 9, 60.0)])
def test_the_graph_is_that_of_the_literal_rounds_and_too_many_components_halve_the_penalty(seed, m, lam):
    X = blobs(seed, distance=1.0 + 0.5 * seed)
    A = literal.initial_graph(X, m)
    model, history = fit(X, n_neighbors=m, lam=lam), literal.clr(A, 3, lam)
    S, counts = history[-1][0], [int(np.sum(values < 1e-10)) for _, values in history]
    assert lam < 1 or counts == [1, 1, 4, 2, 3]
    assert model.n_iter_ == len(history) > 1
    assert model.n_components_ == [3]
    np.testing.assert_allclose(model.graph_[0].toarray(), (S + S.T) / 2, atol=1e-8)
    np.testing.assert_allclose(model.objective_, [np.sum((S - A) ** 2) for S, _ in history], rtol=1e-7)


@pytest.mark.filterwarnings("ignore::UserWarning", "error::RuntimeWarning")
def test_more_clusters_than_samples_that_are_not_empty_leave_clusters_empty():
    labels = fit(np.vstack([[[2.0, 1.0]], np.eye(4, 2)]), 5).labels_[0]
    assert labels[3] == labels[4] == np.bincount(labels[:3]).argmax()


def test_equal_distances_share_the_weight():
    A = initial_graph(np.eye(6), 3).toarray()
    assert A.sum() == pytest.approx(6.0)
    assert set(A[A > 0].round(9)) <= {round(1 / 3, 9), round(1 / 6, 9)}


@given(st.lists(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=9), min_size=1, max_size=6))
def test_rows_are_projected_as_the_simplex_projection_does(rows):
    indptr = np.cumsum([0, *map(len, rows)])
    found = np.split(project_stored_rows(np.concatenate(rows), indptr), indptr[1:-1])
    for row, projected in zip(rows, found):
        np.testing.assert_allclose(projected, project_simplex(np.array(row)), atol=1e-12)


@pytest.mark.parametrize("sizes", [(4,), (60,), (20, 30), (400,), (200, 150), (120, 120, 120)])
def test_eigenvectors_are_those_of_a_full_decomposition(sizes):
    S = block_diag(*[graph(size, i) for i, size in enumerate(sizes)])
    start = np.random.default_rng(0).standard_normal((len(S), 9))
    F = smallest_eigenvectors(sp.csr_array(S), connected_components(S)[1], 4, start)
    expected = np.linalg.eigh(literal.laplacian(S))[1][:, :4]
    assert np.abs(F @ F.T - expected @ expected.T).max() < 1e-5


def test_no_round_misses_an_eigenvector_of_mirrored_data(monkeypatch):
    def checked(S, components, k, start):
        F, L = smallest_eigenvectors(S, components, k, start), literal.laplacian(S.toarray())
        assert np.trace(F.T @ L @ F) == pytest.approx(np.linalg.eigvalsh(L)[:k].sum(), abs=1e-6)
        return F

    monkeypatch.setattr("mtclib.baselines.clr.smallest_eigenvectors", checked)
    X = np.abs(np.random.default_rng(5).standard_normal((76, 2)))
    # From the vectors of the last round alone an iteration keeps their symmetry.
    fit(np.vstack([X, X * [-1, 1], X * [1, -1], -X]), n_neighbors=8, lam=30.0)


def test_a_graph_with_the_components_is_returned_at_once_and_more_are_reported_and_kept():
    X = blobs(distance=30.0)
    model = fit(X, n_neighbors=5)
    assert (model.objective_.tolist(), model.converged_, model.n_components_) == ([0.0], True, [3])
    assert abs(model.graph_[0] - initial_graph(X, 5)).max() == 0.0
    with pytest.warns(DegenerateSubspaceWarning, match="3 components, more than n_clusters=2.*n_neighbors=5"):
        model = fit(X, 2, n_neighbors=5)
    assert (model.n_components_, set(model.labels_[0])) == ([3], {0, 1})
    assert adjusted_rand_score(np.arange(60) % 3, model.components_[0]) == 1.0
    for component in range(3):
        assert len(set(model.labels_[0][model.components_[0] == component])) == 1


def test_more_components_than_a_graph_can_have_are_not_searched_for():
    with pytest.warns(DegenerateSubspaceWarning, match="no graph of 7 samples has n_clusters=4 components"):
        model = fit(np.arange(7.0)[:, None] ** 2, 4)
    assert (model.objective_.tolist(), len(set(model.labels_[0]))) == ([0.0], 4)


def test_labels_come_from_the_eigenvectors_while_the_rank_is_not_reached():
    X = blobs(distance=5.0)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        model = fit(X, n_neighbors=25, max_iter=1)
    assert not model.converged_
    assert model.n_components_[0] < 3
    assert adjusted_rand_score(np.arange(60) % 3, model.labels_[0]) > 0.9


def test_the_seed_does_not_matter():
    first, second = (fit(blobs(n=330), n_neighbors=20, random_state=seed) for seed in range(2))
    assert np.array_equal(first.labels_[0], second.labels_[0])
    assert abs(first.graph_[0] - second.graph_[0]).max() < 1e-5
