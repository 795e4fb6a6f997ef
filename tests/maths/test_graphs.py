"""Similarities: factored and dense forms agree, and bad ones are refused."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import cosine_similarity as dense_cosine

from mtclib.baselines.awp import AWP
from mtclib.maths import graphs


def text_like(n=40, d=25, seed=0):
    return np.random.default_rng(seed).poisson(0.3, (n, d)).astype(float)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_factored_cosine_equals_the_dense_matrix(convert):
    X = text_like(n=1100, d=5)  # more than a block of rows
    M = graphs.cosine_similarity(convert(X))
    assert isinstance(M, graphs.FactoredSimilarity)
    Y = np.random.default_rng(1).random((1100, 3))
    positive, negative = M.split_product(Y)
    np.testing.assert_allclose(positive - negative, dense_cosine(X) @ Y, atol=1e-12)
    assert M.squared_norm == pytest.approx(np.sum(dense_cosine(X) ** 2))


def test_signed_data_are_split_into_positive_and_negative_parts():
    X = np.random.default_rng(0).normal(size=(20, 4))
    M = graphs.cosine_similarity(X)
    assert isinstance(M, graphs.DenseSimilarity)
    positive, negative = M.split_product(np.ones((20, 1)))
    assert positive.min() >= 0
    assert negative.min() >= 0
    np.testing.assert_allclose(positive - negative, dense_cosine(X) @ np.ones((20, 1)), atol=1e-12)


def test_no_square_array_is_formed_for_sparse_text_and_zero_rows_are_similar_to_nothing(monkeypatch):
    monkeypatch.setattr(sp.csr_array, "toarray", lambda *a, **k: pytest.fail("densified"))
    X = sp.csr_array(np.vstack([np.zeros(25), text_like()]))
    positive, _ = graphs.cosine_similarity(X).split_product(np.eye(41))
    assert not positive[0].any()
    assert not positive[:, 0].any()


@pytest.mark.parametrize(("option", "message"), [
    ("euclid", "similarity must be 'cosine'"),
    (3, "similarity must be 'cosine'"),
    ([np.eye(40)], "2 of them"),
    ([np.eye(40), np.eye(39)], r"similarity\[1\].*shape \(40, 40\)"),
    ([np.eye(40), np.triu(np.ones((40, 40)))], r"similarity\[1\].*symmetric"),
    ([np.eye(40), 1e-13 * np.triu(np.ones((40, 40)))], r"similarity\[1\].*symmetric"),
    (np.eye(40), "got ndarray$"),
    ([np.eye(40), np.full((40, 40), np.nan)], r"similarity\[1\].*NaN")])
def test_unusable_similarities_are_refused_by_name(option, message):
    with pytest.raises(ValueError, match=message):
        graphs.similarities([text_like(), text_like()], option)


def test_neighbours_may_have_the_widths_of_the_full_kernel_and_the_logarithm_as_their_number():
    X = np.random.default_rng(0).normal(size=(40, 3))
    every = graphs.knn_affinity(X, 39, "self-tuning").toarray()
    np.testing.assert_allclose(every, graphs.gaussian_affinity(X, "self-tuning"), rtol=1e-7)
    assert (graphs.knn_affinity(X, "log") != graphs.knn_affinity(X, 6)).nnz == 0
    assert (graphs.knn_affinity(X, "log") != graphs.knn_affinity(X, 7)).nnz
    with pytest.raises(ValueError, match="n_neighbors"):
        AWP(3, n_neighbors="lag").fit([X, X])


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_auto_takes_the_cosine_for_mostly_zeros_and_the_distance_else_however_they_are_stored(convert):
    rng = np.random.default_rng(0)
    words, measured = rng.poisson(0.1, (60, 30)).astype(float) + np.eye(60, 30), rng.normal(size=(60, 4))
    words[[3, 9]] = 0.0
    found = graphs.normalized_affinities([convert(words), measured], "auto", what="view")
    by_cosine = graphs.normalized_affinities([convert(words), measured], "knn-cosine", what="view")[0]
    by_distance = graphs.normalized_affinities([convert(words), measured], "knn", what="view")[1]
    assert abs(found[0].L - by_cosine.L).max() == 0 == abs(found[1].L - by_distance.L).max()
    assert found[0].L[[3, 9]].nnz == 0
    assert graphs.mostly_zero(convert(np.eye(5))), "80 % zeros are enough"


def test_scales_are_the_sum_of_the_normalised_graphs_of_10_30_and_100_neighbours():
    X = np.random.default_rng(1).normal(size=(150, 3))
    parts = [graphs.normalized_affinities([X], "knn", n_neighbors=count)[0].L for count in (10, 30, 100)]
    found, = graphs.normalized_affinities([X], "knn", n_neighbors="scales")
    np.testing.assert_allclose(found.block(np.arange(150)).toarray(), sum(parts).toarray() / 3, atol=1e-15)
