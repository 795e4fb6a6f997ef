"""Measures that compare the partitions of two tasks."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from mtclib.companion.runs.measures import MEASURES
from mtclib.datasets import Dataset

X, y = np.array([[0.0], [1.0], [5.0]]), np.array([0, 0, 1])


def measured(name, Xs, labels, centres=()):
    data = Dataset(name="made", kind="multitask", Xs=Xs, labels=labels)
    return MEASURES[name](data, SimpleNamespace(labels_=labels, cluster_centers_=centres))


@pytest.mark.parametrize("name", ["d_M", "d_M_uniform"])
def test_distances_are_means_over_pairs_of_tasks_and_zero_between_equal_partitions_of_equal_data(name):
    assert measured(name, [X, X], [y, 1 - y], [np.array([[0.5], [5.0]])] * 2) == pytest.approx(0, abs=1e-12)
    Xs, ones = [np.full((2, 1), place) for place in (0.0, 1.0, 3.0)], np.zeros(2, int)
    assert measured(name, Xs, [ones] * 3, [one[:1] for one in Xs]) == pytest.approx((1 + 9 + 4) / 3)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_agreement_is_for_tasks_with_the_same_samples_only(convert):
    assert measured("s_nmi", [convert(X), convert(X.copy())], [y, 1 - y]) == pytest.approx(1.0)
    assert np.isnan(measured("s_nmi", [convert(X), convert(X + 1.0)], [y, y]))
