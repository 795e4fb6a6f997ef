"""Landmark spectral clustering against the dense mathematics, and what it promises of many samples."""

import warnings
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from mtclib.baselines import WMSC, LandmarkSpectral
from mtclib.baselines.landmark_spectral import Graph, View, number_of_landmarks
from mtclib.baselines.wmsc import MANY, too_many
from mtclib.core import large
from mtclib.core.base import EmptyClusterWarning
from mtclib.maths.graphs import mostly_zero
from mtclib.maths.neighbours import ranks


def blobs(n, n_views=3, d=4, k=5, seed=0, distance=4.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return [rng.normal(scale=distance, size=(k, d))[y] + rng.normal(size=(n, d)) for _ in range(n_views)], y


def words(n, d=400, k=4, seed=0):
    """Documents of four topics, nearly all entries zero."""
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    rates = np.where(np.arange(d) % k == y[:, None], 0.12, 0.02)
    return sp.csr_array(rng.poisson(rates).astype(float)), y


def dense(graph):
    """W of a graph, (n, n)."""
    Z = np.zeros((graph.n, graph.n_landmarks))
    np.put_along_axis(Z, graph.indices.astype(int), graph.weights, axis=1)
    Z *= graph.factors
    return Z @ Z.T


def views(Xs, n_landmarks=60, metric="auto"):
    return [View.of(X, metric, n_landmarks, 8, 0, ranks(Xs)) for X in Xs]


def test_rows_of_the_affinity_sum_to_one_and_eigenvectors_are_those_of_the_dense_one():
    graph = Graph(views(blobs(400, distance=1.5)[0]))
    W = dense(graph)
    np.testing.assert_allclose(W.sum(axis=1), 1.0, atol=1e-6)
    assert W.min() >= 0
    values, V = graph.eigenvectors(5, seed=0)
    exact, vectors = np.linalg.eigh(W)
    np.testing.assert_allclose(values, exact[::-1][:5], atol=1e-5)
    cosines = np.linalg.svd(vectors[:, -5:].T @ V, compute_uv=False)
    np.testing.assert_allclose(cosines, 1.0, atol=1e-3)


def test_weights_fall_with_the_distance_and_their_width_is_that_to_the_last_landmark():
    X = blobs(50, n_views=1)[0][0]
    indices, weights = View.of(X, "euclidean", 50, 8, 0, ranks([X])).weights(slice(0, 50))
    for x, near, w in zip(X, indices, weights):
        squares = ((x - X[near]) ** 2).sum(axis=1)
        expected = np.exp(-squares / squares.max())
        np.testing.assert_allclose(w, expected / expected.sum(), rtol=1e-5)
        assert set(near) == set(np.argsort(((x - X) ** 2).sum(axis=1))[:8])


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_the_order_of_the_samples_decides_no_tie(metric):
    rng = np.random.default_rng(0)
    Xs, order = [rng.integers(0, 2, (120, 12)).astype(float) for _ in range(2)], rng.permutation(120)
    W, other = (dense(Graph(views(each, 120, metric))) for each in (Xs, [X[order] for X in Xs]))
    np.testing.assert_allclose(other, W[np.ix_(order, order)], atol=1e-6)


def test_candidates_hold_nearly_all_of_the_nearest_landmarks():
    X = blobs(3000, n_views=1, d=10, distance=1.0)[0][0]
    view = View.of(X, "euclidean", 500, 8, 0, None)
    found = view.weights(slice(0, 3000))[0]
    squares = ((view.block(slice(0, 3000))[:, None, :] - view.landmarks) ** 2).sum(axis=2)
    exact = np.argsort(squares, axis=1)[:, :8]
    shares = [len(np.intersect1d(one, other)) / 8 for one, other in zip(found, exact)]
    assert np.mean(shares) > 0.95


@pytest.mark.parametrize(("n", "factor"), [(25_000, 1.0), *product((200, 3000), (1e-40, 1e-25, 1e20, 1e36))])
def test_clusters_are_found_at_any_size_and_where_single_precision_does_not_have_the_squares(n, factor):
    Xs, y = blobs(n)
    Xs = [(factor * X).astype(np.float32) for X in Xs]
    assert adjusted_rand_score(y, LandmarkSpectral(5, random_state=0).fit(Xs).labels_) > 0.97


@pytest.mark.parametrize("form", ["mapped views", "graph in a file", "dask"])
def test_what_does_not_fit_into_memory_gives_the_labels_of_what_does(form, tmp_path, monkeypatch):
    Xs, model = [X.astype(np.float32) for X in blobs(3000)[0]], LandmarkSpectral(5, random_state=0)
    expected, given = model.fit(Xs).labels_, Xs
    if form == "mapped views":
        for v, X in enumerate(Xs):
            np.save(tmp_path / f"{v}.npy", X)
        given = [np.load(tmp_path / f"{v}.npy", mmap_mode="r") for v in range(len(Xs))]
    elif form == "dask":
        given = [pytest.importorskip("dask.array").from_array(X, chunks=(700, 4)) for X in Xs]
    else:
        monkeypatch.setattr(large, "IN_MEMORY", 0)
    np.testing.assert_array_equal(model.fit(given).labels_, expected)


def test_clusters_that_nothing_joins_get_an_eigenvector_each_and_more_of_them_than_asked_for_are_said():
    Xs, y = blobs(1500, n_views=1, k=8, distance=1000.0)
    model = LandmarkSpectral(8, random_state=0).fit(Xs)
    np.testing.assert_allclose(model.eigenvalues_, 1.0, atol=1e-5)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    with pytest.warns(UserWarning, match="more components than n_clusters"):
        LandmarkSpectral(3, random_state=0).fit(Xs)


@pytest.mark.parametrize(("Xs", "options"), [(blobs(60)[0], {"n_landmarks": 1}), ([np.eye(12, 20, -9)], {})])
def test_of_fewer_landmarks_than_clusters_the_other_eigenvalues_are_zero(Xs, options):
    with pytest.warns(EmptyClusterWarning):
        model = LandmarkSpectral(5, random_state=0, **options).fit(Xs)
    assert model.embedding_.shape == (len(Xs[0]), 5)
    assert model.eigenvalues_[3:].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("count", [60, 400])
def test_fewer_distinct_samples_than_landmarks_are_no_matter_of_the_user(count):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels = LandmarkSpectral(5, random_state=0).fit([np.repeat(np.eye(5), count, axis=0)]).labels_
    assert adjusted_rand_score(np.repeat(range(5), count), labels) == 1.0


@pytest.mark.parametrize("n", [10, 2000])
def test_stored_zeros_alone_are_empty_samples(n):
    X = sp.csr_array((np.zeros(2 * n), np.tile([0, 1], n), np.arange(0, 2 * n + 1, 2)), shape=(n, 20))
    with pytest.warns(EmptyClusterWarning, match="1 of 2"):
        LandmarkSpectral(2, metric="cosine", random_state=0).fit([X])


def test_wmsc_says_when_it_takes_landmarks_and_can_be_told_not_to():
    Xs, y = blobs(MANY + 1, n_views=2, d=2)
    with pytest.warns(UserWarning, match="landmarks='never'"):
        model = WMSC(5, random_state=0).fit(Xs)
    assert adjusted_rand_score(y, model.labels_) > 0.9
    assert model.weights_.tolist() == [0.5, 0.5]
    assert not too_many(WMSC(5, landmarks="never"), Xs) and not too_many(WMSC(5), [X[:MANY] for X in Xs])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("n", "empty"), [(300, 7), (2500, 800)])
def test_topics_are_found_by_cosine_and_empty_documents_have_no_edges_and_get_the_largest(n, empty, form):
    X, y = words(n)
    X = form(X.toarray() * (np.arange(n) >= empty)[:, None])
    assert mostly_zero(X)
    view = View.of(X, "auto", number_of_landmarks(n, 4), 8, 0, ranks([X]))
    assert not view.weights(slice(0, empty))[1].any()
    assert n < 1000 or np.linalg.norm(view.landmarks + view.centre, axis=1).min() > 0.1, "one for empty ones"
    with pytest.warns(UserWarning, match=f"{empty} in view 1"):
        labels = LandmarkSpectral(4, random_state=0).fit([X]).labels_
    assert adjusted_rand_score(y[empty:], labels[empty:]) > 0.9
    assert set(labels[:empty]) == {np.bincount(labels[empty:]).argmax()}
