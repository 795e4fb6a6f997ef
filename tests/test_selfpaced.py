"""Self-paced weights minimise what they say they do; the pace lets in the share it is asked for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from literal import spmtc as literal

from mtclib.selfpaced import hard_weights, mixture_weights, pace_shares, pace_threshold

GRID = np.linspace(0.0, 1.0, 100001)


@settings(max_examples=40, deadline=None)
@given(loss=st.floats(1e-6, 1e3), threshold=st.floats(1e-3, 1e3), ratio=st.floats(0.01, 10.0))
def test_weights_minimise_their_regularised_loss_over_a_grid(loss, threshold, ratio):
    gamma = ratio * threshold
    for kind, weights in (("hard", hard_weights(np.array([loss]), threshold)),
                          ("soft", mixture_weights(np.array([loss]), threshold, gamma))):
        def value(v, kind=kind):
            return v * loss - literal.regulariser(kind, v, threshold, gamma)
        scale = loss + threshold + gamma * (1.0 + abs(np.log(ratio)))
        assert value(weights[0]) <= value(GRID).min() + 1e-12 * scale


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**31), n=st.integers(1, 30), threshold=st.floats(1e-3, 50.0))
def test_weights_equal_the_printed_cases(seed, n, threshold):
    losses = np.random.default_rng(seed).exponential(10.0, n)
    np.testing.assert_array_equal(hard_weights(losses, threshold), literal.hard(losses, threshold))
    np.testing.assert_allclose(mixture_weights(losses, threshold, threshold / 2),
                               literal.soft(losses, threshold, threshold / 2), atol=1e-12)


def test_mixture_weights_are_one_below_a_third_of_the_threshold_and_zero_from_it_on():
    v = mixture_weights(np.array([0.0, 0.999, 1.001, 2.0, 2.999, 3.0, 9.0]), 3.0, 1.5)
    assert v[0] == v[1] == 1.0 and 1.0 > v[2] > v[3] > v[4] > 0.0 and v[5] == v[6] == 0.0


def test_a_sample_without_loss_has_weight_one_at_any_threshold():
    for threshold in (0.0, 1e-300, 1.0):
        assert mixture_weights(np.array([0.0, 2.0]), threshold, threshold / 2).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("n", [1, 2, 7, 10, 1077])
def test_the_threshold_lets_in_the_share_asked_for(n):
    losses = np.random.default_rng(n).random(n)
    for share in pace_shares(0.5, 0.1):
        count = int(hard_weights(losses, pace_threshold(losses, share)).sum())
        assert count == -(-round(share * 10) * n // 10)


def test_equal_losses_come_in_together():
    assert hard_weights(np.ones(9), pace_threshold(np.ones(9), 0.5)).sum() == 9


@pytest.mark.parametrize(("start", "step", "expected"), [
    (0.5, 0.1, [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]), (1.0, 0.1, [1.0]), (0.4, 0.5, [0.4, 0.9, 1.0]),
    (0.1, 0.3, [0.1, 0.4, 0.7, 1.0])])
def test_shares_grow_in_equal_steps_and_end_at_one(start, step, expected):
    assert pace_shares(start, step) == expected
