"""Data made here: they follow their recipes, and are pinned or reproducible."""

import numpy as np
import pytest
import scipy.sparse as sp

from mtclib.datasets import load, synthetic
from mtclib.datasets.synthetic import noise_documents, with_noise


@pytest.mark.parametrize("name", ["toy-multitask", "mspl-toy", "mbc-spectra"])
def test_the_seed_decides(name):
    one, again, other = (load(name, random_state=seed).sha256 for seed in (0, 0, 1))
    assert one == again != other
    if name == "toy-multitask":
        one, again, other = (with_noise(load(name), 0.2, random_state=seed).sha256 for seed in (0, 0, 1))
        assert one == again != other


def test_the_toy_data_follow_the_recipe():
    clean, wide = (load("mspl-toy", separation=s, noise=False).Xs for s in (4.0, 6.0))
    corners = np.repeat([(-1, -1), (1, -1), (-1, 1), (1, 1)], 100, axis=0)
    deviations = [[0.4, 0.8, 1.2], [1.2, 0.4, 0.8], [0.8, 1.2, 0.4], [0.8, 0.8, 0.8]]
    for v, noisy in enumerate(load("mspl-toy").Xs):
        np.testing.assert_allclose(wide[v] - clean[v], corners, atol=1e-12)
        spread = (clean[v] - 2 * corners).reshape(4, 200).std(axis=1)
        np.testing.assert_allclose(spread, [row[v] for row in deviations], rtol=0.15)
        # A fifth of the entries has noise between -8 and 8, of which three in four are beyond 2.
        assert (np.abs(noisy - clean[v]) > 2).mean() == pytest.approx(0.15, abs=0.04)
    assert load("mspl-toy").labels.tolist() == np.repeat(range(4), 100).tolist()


def test_the_noise_of_spectra_has_the_variance_of_a_periodogram_and_envelopes_fall(monkeypatch):
    monkeypatch.setattr(synthetic, "SPECTRA", (4_000, 4))
    data = load("mbc-spectra")
    assert min(X.min() for X in data.Xs) > 0
    X = data.Xs[0][data.labels[0] == 1]
    np.testing.assert_allclose((X / X.mean(axis=0)).var(axis=0), 1.0, atol=0.2)
    first, second = X.mean(axis=0)[[0, -1]]
    assert first > 20 * second


@pytest.mark.parametrize("share", [0.1, 0.4])
def test_the_share_of_noise_is_that_of_the_new_tasks_and_real_documents_stay_as_they_were(share):
    data = load("toy-multitask")
    noisy = with_noise(data, share, random_state=3)
    for X, y, X_before, y_before in zip(noisy.Xs, noisy.labels, data.Xs, data.labels):
        n = len(y_before)
        assert (y[n:] == -1).all()
        assert (y[n:].size / y.size) == pytest.approx(share, abs=0.01)
        np.testing.assert_array_equal(y[:n], y_before)
        assert (sp.csr_array(X)[:n] != sp.csr_array(X_before)).nnz == 0
    assert noisy.n_clusters == data.n_clusters
    assert noisy.sha256 != data.sha256
    for word, wrong in (("share", {"share": 1.0}), ("share", {"share": "x"}),
                        ("kind", {"share": 0.1, "kind": "loud"}),
                        ("random_state", {"share": 0.1, "random_state": -1})):
        with pytest.raises(ValueError, match=f"{word} must be"):
            with_noise(data, **wrong)


def test_planted_documents_have_usual_lengths_and_the_words_of_the_collection():
    counts = sp.csr_array(np.random.default_rng(0).poisson(1.0, (300, 20)).astype(float))
    terms = np.arange(20) / np.arange(20).sum()
    planted = noise_documents(counts, 4000, terms, 1, 0)
    lengths = np.asarray(planted.sum(axis=1)).ravel()
    assert set(lengths) <= set(np.asarray(counts.sum(axis=1)).ravel())
    np.testing.assert_allclose(np.asarray(planted.sum(axis=0)).ravel() / planted.sum(), terms, atol=0.005)
    long = noise_documents(counts, 4000, terms, 5, 0)
    np.testing.assert_array_equal(np.asarray(long.sum(axis=1)).ravel(), 5 * lengths)
