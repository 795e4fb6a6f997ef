"""Synthetic spectra: positive, reproducible, and noise of mean one around the envelopes."""

import numpy as np
import pytest

from mtclib.datasets import load


def test_spectra_are_positive_and_the_same_for_the_same_seed():
    one, again, other = (load("mbc-spectra", random_state=seed) for seed in (0, 0, 1))
    assert one.sha256 == again.sha256 != other.sha256
    assert min(X.min() for X in one.Xs) > 0 and one.n_clusters == [4, 4]


def test_the_noise_has_mean_one_and_the_variance_of_its_looks():
    data = load("mbc-spectra", n_samples=(4000, 4), n_classes=1, n_bands=8, looks=2)
    X = data.Xs[0]
    relative = X / X.mean(axis=0)
    np.testing.assert_allclose(relative.var(axis=0), 0.5, atol=0.08)
    first, second = data.Xs[0].mean(axis=0)[[0, -1]]
    assert first > 20 * second, "the envelopes fall with frequency"


@pytest.mark.parametrize("wrong", [{"looks": 0}, {"n_bands": -1}, {"n_samples": (3, 9)}])
def test_bad_numbers_are_named(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        load("mbc-spectra", **wrong)
