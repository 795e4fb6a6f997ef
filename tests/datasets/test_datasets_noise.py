"""Planted outliers: where they stand, what they look like, and that nobody scores them."""

import numpy as np
import pytest
import scipy.sparse as sp

from mtclib.companion.runs.fit import execute
from mtclib.companion.runs.jobs import Job
from mtclib.datasets import Dataset, load
from mtclib.datasets.synthetic import noise_documents, with_noise


def toy():
    return load("toy-multitask", random_state=0)


@pytest.mark.parametrize("share", [0.1, 0.4])
def test_the_share_of_noise_is_that_of_the_new_tasks_and_real_documents_stay_as_they_were(share):
    data = toy()
    noisy = with_noise(data, share, random_state=3)
    for X, y, X_before, y_before in zip(noisy.Xs, noisy.labels, data.Xs, data.labels):
        n = len(y_before)
        assert (y[n:] == -1).all() and (y[n:].size / y.size) == pytest.approx(share, abs=0.01)
        np.testing.assert_array_equal(y[:n], y_before)
        assert (sp.csr_array(X)[:n] != sp.csr_array(X_before)).nnz == 0
    assert noisy.n_clusters == data.n_clusters and noisy.sha256 != data.sha256


def test_planted_documents_have_usual_lengths_and_the_words_of_the_collection():
    counts = sp.csr_array(np.random.default_rng(0).poisson(1.0, (300, 20)).astype(float))
    terms = np.arange(20) / np.arange(20).sum()
    planted = noise_documents(counts, 4000, terms, 1, 0)
    lengths = np.asarray(planted.sum(axis=1)).ravel()
    assert set(lengths) <= set(np.asarray(counts.sum(axis=1)).ravel())
    np.testing.assert_allclose(np.asarray(planted.sum(axis=0)).ravel() / planted.sum(), terms, atol=0.005)
    long = noise_documents(counts, 4000, terms, 5, 0)
    np.testing.assert_array_equal(np.asarray(long.sum(axis=1)).ravel(), 5 * lengths)


def test_the_same_seed_plants_the_same_documents():
    first, again, other = (with_noise(toy(), 0.2, random_state=seed).sha256 for seed in (0, 0, 1))
    assert first == again != other


@pytest.mark.parametrize(
    ("wrong", "word"), [({"share": 1.0}, "share"), ({"share": 0.1, "kind": "loud"}, "kind")])
def test_bad_options_are_named(wrong, word):
    with pytest.raises(ValueError, match=word):
        with_noise(toy(), **wrong)


def test_a_set_without_counts_cannot_be_the_base():
    with pytest.raises(ValueError, match="base"):
        load("spmtc-noisy", base="spmtc-orgsvspeople")


def blobs():
    """Two separate classes in each task and, far off, samples of no class."""
    X = np.concatenate([np.zeros(5), np.full(5, 9.0), np.full(3, 9.5)])[:, None]
    y = np.repeat([0, 1, -1], [5, 5, 3])
    return Dataset(name="blobs", kind="multitask", Xs=[X], labels=[y])


def test_samples_of_no_class_are_not_scored():
    sha = blobs().sha256
    job = Job("p", "d", "test_datasets_noise:blobs", {}, "k-means", "KMeans", {}, "{}", 0, 0, sha, 1)
    record = execute(job)
    assert record.info["status"] == "ok" and len(record.arrays["labels/1"]) == 13
    assert record.info["scores"]["1"]["ACC"] == record.info["scores"]["1"]["NMI_max"] == 1.0
