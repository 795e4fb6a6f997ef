"""Measures that compare the partitions of two tasks."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from mtclib.companion.runs.measures import MEASURES
from mtclib.datasets import Dataset


def made(Xs, labels, centres=()):
    data = Dataset(name="made", kind="multitask", Xs=Xs, labels=labels)
    return data, SimpleNamespace(labels_=labels, cluster_centers_=centres)


def test_equal_partitions_of_equal_data_have_distance_zero_and_agree():
    X, y = np.array([[0.0], [1.0], [5.0]]), np.array([0, 0, 1])
    data, model = made([X, X.copy()], [y, 1 - y], [np.array([[0.5], [5.0]])] * 2)
    assert MEASURES["d_M"](data, model) == pytest.approx(0.0, abs=1e-12)
    assert MEASURES["d_M_uniform"](data, model) == pytest.approx(0.0, abs=1e-12)
    assert MEASURES["s_nmi"](data, model) == pytest.approx(1.0)


def test_distances_are_means_over_pairs_of_tasks():
    X, y = np.array([[0.0], [0.0]]), np.array([0, 0])
    data, model = made([X, X + 1, X + 3], [y, y, y], [np.array([[c]]) for c in (0.0, 1.0, 3.0)])
    assert MEASURES["d_M"](data, model) == pytest.approx((1 + 9 + 4) / 3)
    assert MEASURES["d_M_uniform"](data, model) == pytest.approx((1 + 9 + 4) / 3)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_agreement_is_for_tasks_with_the_same_samples_only(convert):
    X, y = np.arange(6.0).reshape(3, 2), np.array([0, 1, 1])
    same, other = ([convert(X), convert(X + shift)] for shift in (0.0, 1.0))
    assert MEASURES["s_nmi"](*made(same, [y, y])) == 1.0
    assert np.isnan(MEASURES["s_nmi"](*made(other, [y, y])))
