"""Damaged views: what is hit, what it becomes, and that the rest stays as it was."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtclib.datasets import load
from mtclib.datasets.fetching import FetchError
from mtclib.datasets.images import KINDS, UNITS, corrupt

X = np.random.default_rng(0).normal(size=(40, 5)) + np.arange(5)


@given(st.sampled_from(KINDS), st.sampled_from(UNITS), st.floats(0, 1), st.integers(0, 5))
def test_exactly_the_asked_share_is_hit_and_nothing_else(kind, unit, share, seed):
    changed = corrupt(X, share, kind, unit, seed) != X
    hit = changed if unit == "entries" else changed.any(axis=1)
    assert hit.sum() == round(share * hit.size)
    assert unit == "entries" or (changed.all(axis=1) == hit).all()


@pytest.mark.parametrize("unit", UNITS)
def test_the_damage_of_a_smaller_share_is_part_of_that_of_a_larger_one(unit):
    less, more = (corrupt(X, share, "outliers", unit) for share in (0.2, 0.4))
    hit = less != X
    assert hit.any() and (less[hit] == more[hit]).all()


def test_lost_entries_take_the_mean_of_what_is_left_of_their_feature():
    found = corrupt(X, 0.3)
    for j in range(X.shape[1]):
        kept = found[:, j] == X[:, j]
        assert np.allclose(found[~kept, j], X[kept, j].mean(), rtol=0, atol=1e-12)


def test_a_view_that_is_lost_as_a_whole_is_zero():
    assert (corrupt(X, 1.0) == 0).all()


def test_outliers_stay_within_the_widened_range_and_leave_the_old_one():
    found = corrupt(X, 0.9, "outliers")
    length = np.ptp(X, axis=0)
    assert (found >= X.min(axis=0) - length).all() and (found <= X.max(axis=0) + length).all()
    assert (found < X.min(axis=0)).any() and (found > X.max(axis=0)).any()


@pytest.mark.parametrize("wrong", [{"share": 1.5}, {"share": -0.1}, {"kind": "gone"}, {"unit": "columns"}])
def test_an_unusable_option_is_named(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        corrupt(X, **{"share": 0.1, **wrong})


def test_only_the_named_view_differs_from_the_whole_data():
    try:
        whole = load("handwritten", edition="wheel", scaling="minmax")
        damaged = load("handwritten-corrupted", view="KAR", share=0.1, edition="wheel")
    except FetchError as error:
        pytest.skip(str(error))
    same = [np.array_equal(a, b) for a, b in zip(whole.Xs, damaged.Xs)]
    assert same == [True, True, False, True, True, True]
    assert damaged.sha256 != whole.sha256
    with pytest.raises(ValueError, match="view"):
        load("handwritten-corrupted", view="SIFT", edition="wheel")
