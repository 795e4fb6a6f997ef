"""Neighbours do not depend on the order of samples, on the form of the data, or on rounding."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st

from mtclib import LMSC
from mtclib.baselines import AWP, CLR, WMSC, CoregSpectral, MultiViewSNMF, SpectralNJW
from mtclib.core.base import EmptySampleWarning
from mtclib.maths import neighbours
from mtclib.maths.graphs import cosine_knn_affinity, knn_affinity, normalized_affinities
from mtclib.maths.linalg import unit_rows
from mtclib.maths.neighbours import nearest_distances
from mtclib.metrics import adjusted_rand_index


def with_ties(seed, n=40, d=3):
    return np.random.default_rng(seed).integers(0, 3, (n, d)).astype(float)


@given(seed=st.integers(0, 10**6), m=st.integers(1, 12), convert=st.sampled_from([np.asarray, sp.csr_array]),
       affinity=st.sampled_from([knn_affinity, cosine_knn_affinity]))
def test_the_graph_is_the_same_in_every_order_of_the_samples(seed, m, convert, affinity):
    X = with_ties(seed)
    graphs = []
    for order in (np.arange(40), np.random.default_rng(seed).permutation(40)):
        A = affinity(convert(X[order]), m).toarray()
        place = np.lexsort((unit_rows(X[order]).round(9) if affinity is cosine_knn_affinity else X[order]).T)
        graphs.append(A[place][:, place])
    np.testing.assert_allclose(graphs[0], graphs[1], atol=1e-9)


@given(seed=st.integers(0, 10**6), m=st.integers(1, 12))
def test_copies_in_one_view_are_told_apart_by_the_others(seed, m):
    rng = np.random.default_rng(seed)
    views = [with_ties(seed, d=2), rng.normal(size=(40, 2))]
    order = rng.permutation(40)
    straight = normalized_affinities(views, "knn", what="view", n_neighbors=m)
    shuffled = normalized_affinities([X[order] for X in views[::-1]], "knn", what="view", n_neighbors=m)[::-1]
    for graph, other in zip(straight, shuffled):
        np.testing.assert_allclose(graph.L[order][:, order].toarray(), other.L.toarray(), atol=1e-9)


@given(seed=st.integers(0, 10**6), m=st.integers(1, 12), shift=st.sampled_from([0.0, 7.0, -0.3, 1e7]))
def test_ties_do_not_depend_on_the_form_of_the_data_or_on_a_shift(seed, m, shift):
    X = with_ties(seed)
    dense, sparse = (nearest_distances(Z, m)[1] for Z in (X + shift, sp.csr_array(X + (shift > 1) * shift)))
    np.testing.assert_array_equal(dense, sparse)


def test_ties_do_not_depend_on_the_order_of_the_features():
    X = with_ties(0, d=4) * [1.0, 1.0, 1.0, 2.0]
    np.testing.assert_array_equal(nearest_distances(X, 5)[1], nearest_distances(X[:, [3, 1, 0, 2]], 5)[1])


@pytest.mark.parametrize("block", [neighbours.LARGEST_BLOCK, 0.001], ids=["whole", "five rows at a time"])
@given(seed=st.integers(0, 10**6), m=st.integers(1, 8), shift=st.sampled_from([0.0, 1e6, [1e8, 0.0, -9.0]]),
       convert=st.sampled_from([np.asarray, sp.csr_array]))
def test_neighbours_are_the_nearest_others_by_brute_force(block, seed, m, shift, convert):
    X = with_ties(seed, n=25)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbours, "LARGEST_BLOCK", block)
        squares, indices = nearest_distances(convert(X + shift), m)
    assert not (indices == np.arange(25)[:, None]).any()
    D = np.sum((X[:, None] - X) ** 2, axis=2)
    np.testing.assert_allclose(np.take_along_axis(D, indices, axis=1), squares, atol=1e-9)
    np.fill_diagonal(D, np.inf)
    np.testing.assert_allclose(squares, np.sort(D, axis=1)[:, :m], atol=1e-9)


@pytest.mark.parametrize("draw", [
    lambda rng: rng.normal(size=(400, 5)), lambda rng: rng.integers(0, 3, (400, 4)).astype(float),
    lambda rng: np.repeat(rng.normal(size=(25, 3)), 16, axis=0), lambda rng: 1e4 + rng.normal(size=(400, 2)),
    lambda rng: 1e5 + rng.integers(0, 20, (400, 3)) / 7.0, lambda rng: rng.standard_cauchy((400, 3)) ** 3,
    lambda rng: np.repeat(rng.normal(size=(25, 3)), 16, axis=0) + 1e-8 * rng.normal(size=(400, 3))])
def test_a_choice_among_candidates_gives_the_same_lists_for_every_sample(draw, monkeypatch):
    X = draw(np.random.default_rng(0))
    plain = nearest_distances(X, 10)
    monkeypatch.setattr(neighbours, "MANY", 100)
    quick = nearest_distances(X, 10)
    np.testing.assert_array_equal(plain[1], quick[1])
    np.testing.assert_allclose(plain[0], quick[0], atol=1e-11 * np.sum((X - X.mean(axis=0))**2, axis=1).max())


# ---- empty samples ---------------------------------------------------------------------------------------


def with_empty(count=8, seed=0):
    """Three groups of 30 samples by their words, and empty ones."""
    rng = np.random.default_rng(seed)
    means = np.kron(np.eye(3), np.ones((30, 5))) * 2.0 + 0.5
    return np.vstack([rng.poisson(means).astype(float) + 0.1 * rng.random((90, 15)), np.zeros((count, 15))])


@pytest.mark.parametrize("affinity", ["knn", "knn-cosine", "gaussian"])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("cls", [WMSC, AWP, CoregSpectral, MultiViewSNMF])
def test_empty_samples_change_no_other_and_get_the_largest_cluster(cls, convert, affinity):
    X = with_empty()
    model = cls(3, affinity=affinity, random_state=0)
    with pytest.warns(EmptySampleWarning, match="8 in view 1, 8 in view 2"):
        labels = model.fit([convert(X), convert(X)]).labels_
    assert adjusted_rand_index(np.repeat(np.arange(3), 30), labels[:90]) == pytest.approx(1.0)
    assert set(labels[90:]) == {np.bincount(labels[:90]).argmax()}


@pytest.mark.parametrize("model", [CLR(3), CLR(3, metric="cosine"), SpectralNJW(3, random_state=0)])
def test_empty_samples_of_a_task_change_no_other(model):
    X = with_empty()
    with pytest.warns(EmptySampleWarning, match="8 in task 2"):
        labels = model.fit([X[:90], X]).labels_
    np.testing.assert_array_equal(labels[0], labels[1][:90])


def test_empty_samples_of_a_sequence_of_tasks_are_told_with_their_task():
    X = np.abs(with_empty())
    with pytest.warns(EmptySampleWarning, match=r"\(8 in view 1\); in task 1 their place .* is zero"):
        LMSC(3, random_state=0).fit([[X, X + 1.0]])


def test_a_sample_that_one_view_has_keeps_the_cluster_of_that_view():
    X = with_empty(0)
    half = X.copy()
    half[::10] = 0.0
    with pytest.warns(EmptySampleWarning, match=r"\(9 in view 2\)"):
        labels = WMSC(3, random_state=0).fit([X, half]).labels_
    assert adjusted_rand_index(np.repeat(np.arange(3), 30), labels) == pytest.approx(1.0)


@pytest.mark.filterwarnings("error")
def test_zero_is_a_value_like_others_in_data_of_one_feature():
    X = np.r_[np.arange(10.0), 50.0 + np.arange(10.0)][:, None]
    labels = WMSC(2, n_neighbors=3, random_state=0).fit([X, X]).labels_
    np.testing.assert_array_equal(labels[:10], labels[0])
