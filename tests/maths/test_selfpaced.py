"""Self-paced weights minimise what they say they do; the pace lets in the share it is asked for."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from literal import mspl as literal_mspl, spmtc as literal

from mtclib.maths import selfpaced as paced

GRID = np.linspace(0.0, 1.0, 100001)


@given(loss=st.floats(1e-6, 1e3), threshold=st.floats(1e-3, 1e3), ratio=st.floats(0.01, 10.0))
def test_weights_minimise_their_regularised_loss_over_a_grid(loss, threshold, ratio):
    gamma = ratio * threshold
    for kind, weights in (("hard", paced.hard_weights(np.array([loss]), threshold)),
                          ("soft", paced.mixture_weights(np.array([loss]), threshold, gamma))):
        def value(v, kind=kind):
            return v * loss - literal.regulariser(kind, v, threshold, gamma)
        scale = loss + threshold + gamma * (1.0 + abs(np.log(ratio)))
        assert value(weights[0]) <= value(GRID).min() + 1e-12 * scale


def test_a_sample_without_loss_has_weight_one_at_any_threshold():
    for threshold in (0.0, 1e-300, 1.0):
        assert paced.mixture_weights(np.array([0.0, 2.0]), threshold, threshold / 2).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("n", [1, 2, 7, 10, 1077])
def test_the_threshold_lets_in_the_share_asked_for(n):
    losses = np.random.default_rng(n).random(n)
    for share in paced.pace_shares(0.5, 0.1, 9):
        count = int(paced.hard_weights(losses, paced.pace_threshold(losses, share)).sum())
        assert count == -(-round(share * 10) * n // 10)
    # One sample at least; and 55, although 0.55 * 100 is a little above that.
    assert [paced.pace_threshold(np.arange(1.0, 101.0), share) for share in (1e-12, 0.55)] == [1, 55]
    assert paced.hard_weights(np.ones(9), paced.pace_threshold(np.ones(9), 0.5)).sum() == 9


@pytest.mark.parametrize(("start", "step", "expected"), [
    (0.5, 0.1, [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]), (1.0, 0.1, [1.0]), (0.4, 0.5, [0.4, 0.9, 1.0]),
    (0.1, 0.3, [0.1, 0.4, 0.7, 1.0])])
def test_shares_grow_in_equal_steps_and_end_at_one(start, step, expected):
    assert paced.pace_shares(start, step, 9) == expected
    assert [paced.pace_shares(start, step, most) for most in (1, 2)] == [expected[:1], expected[:2]]
    assert paced.pace_shares(0.5, 5e-324, 3) == [0.5, 0.5, 0.5], "no more than there are rounds"


@given(threshold=st.floats(0.01, 30.0), sharpness=st.sampled_from([0.1, 1.0, 7.0]))
def test_values_are_the_regularised_losses_at_the_weights_that_make_them_least(threshold, sharpness):
    losses = np.linspace(0.0, 60.0, 121)
    given = losses, threshold, sharpness
    for kind, weights, values in (("smooth", paced.smooth_weights(*given), paced.smooth_value(*given)),
                                  ("hard", paced.hard_weights(*given[:2]), paced.hard_value(*given[:2]))):
        regularisers = [float(literal_mspl.regulariser(kind, w, 1.0 / threshold, sharpness)) for w in weights]
        totals = weights * losses + regularisers
        assert np.allclose(values, totals - totals[0], rtol=1e-9, atol=1e-9)
        on_grid = literal_mspl.regulariser(kind, GRID, 1.0 / threshold, sharpness)
        least = np.array([(GRID * loss + on_grid).min() for loss in losses])
        assert (totals <= least + 1e-9 * (1.0 + losses + threshold) / min(sharpness, 1.0)).all()
        assert weights == pytest.approx([literal_mspl.weight(kind, loss, 1.0 / threshold, sharpness)
                                         for loss in losses])


def test_smooth_weights_survive_extreme_losses_and_thresholds():
    losses = np.array([0.0, 1e-300, 1.0, 1e10, 1e300])
    with np.errstate(all="raise", under="ignore"):
        for threshold in (0.0, 1.0, 1e10):
            weights, values = paced.smooth_weights(losses, threshold), paced.smooth_value(losses, threshold)
            assert weights[0] == 1.0
            assert (np.diff(weights) <= 0).all()
            assert weights[-1] < 1e-300
            assert (np.diff(values) >= 0).all()
            assert values[-1] <= threshold + 2 * np.log(2) + 1e-6 * threshold
    assert (paced.smooth_weights(losses, np.inf) == 1.0).all()
    assert (paced.smooth_value(losses, np.inf) == losses).all()
    assert (paced.hard_weights(losses, np.inf) == 1.0).all()
    assert (paced.hard_value(losses, np.inf) == losses).all()


def test_a_raised_threshold_lets_somebody_in_while_there_is_anybody():
    losses = np.array([1.0, 1.1, 5.0])
    assert paced.raised_threshold(losses, 1.0, 1.2) == 1.2
    assert paced.raised_threshold(losses, 1.2, 1.2) == 5.0
    assert paced.raised_threshold(losses, 5.0, 1.2) == 6.0
    assert paced.raised_threshold(np.array([0.0, 3.0]), 0.0, 1.2) == 3.0
