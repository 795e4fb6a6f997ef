"""Figures about pace, rounds, noise and time: what they draw is what they are given."""

import numpy as np
import pandas as pd
import pytest

from mtclib.companion import plots


def test_the_pace_figure_shows_mean_weights_from_small_to_large():
    sizes = np.arange(100)[::-1]
    weights = np.array([(sizes < 50).astype(float), np.ones(100)])
    fig = plots.pace(weights, sizes, [0.5, 1.0])
    image = fig.axes[0].get_images()[0].get_array()
    np.testing.assert_array_equal(image[:, 0], [1] * 5 + [0] * 5)
    np.testing.assert_array_equal(image[:, 1], 1)
    assert fig.axes[0].get_yticklabels()[0].get_text() == "≤ 9"


def test_a_pace_figure_refuses_weights_of_another_shape():
    with pytest.raises(ValueError, match=r"weights must have the shape \(2, 5\)"):
        plots.pace(np.ones((3, 5)), np.arange(5), [0.5, 1.0])


def test_each_round_falls_to_its_own_end():
    fig = plots.rounds({"h": [[10.0, 6.0, 5.0], [8.0, 7.0]]}, [0.5, 1.0])
    first, second = fig.axes[0].get_lines()
    np.testing.assert_allclose(first.get_ydata(), [0.5, 0.1])
    np.testing.assert_allclose(second.get_ydata(), [1 / 8])
    with pytest.raises(ValueError, match="2 rounds"):
        plots.rounds({"h": [[1.0, 0.5]]}, [0.5, 1.0])


def test_a_panel_for_every_data_set_and_kind_of_noise():
    rows = [(d, k, s, m, 0.9 - s * (m == "B") + r / 100) for d in "xy" for k in ("mixed", "long")
            for s in (0.0, 0.4) for m in "AB" for r in (-1, 0, 1)]
    frame = pd.DataFrame(rows, columns=["dataset", "kind", "share", "method", "value"])
    fig = plots.robustness(frame)
    assert [ax.get_title() for ax in fig.axes] == [f"{d}, {k} noise" for d in "xy" for k in ("mixed", "long")]
    steady, falling = fig.axes[0].get_lines()
    np.testing.assert_allclose(steady.get_ydata(), [90, 90])
    np.testing.assert_allclose(falling.get_ydata(), [90, 50])
    with pytest.raises(ValueError, match="no rows"):
        plots.robustness(frame.iloc[:0])


def test_times_stand_beside_the_printed_ones_of_the_methods_shown():
    frame = pd.DataFrame({"method": ["A", "A", "B"], "repeat": [0, 1, 0], "seconds": [1.0, 2.0, 3.0]})
    ours, printed = plots.seconds(frame, {"B": 4.0, "C": 9.0}).axes[0].get_lines()
    assert ours.get_xdata().tolist() == [1.0, 2.0, 3.0] and list(ours.get_ydata()) == [0, 0, 1]
    assert list(printed.get_xdata()) == [4.0] and list(printed.get_ydata()) == [1]
    with pytest.raises(ValueError, match="above 0"):
        plots.seconds(frame.assign(seconds=0.0))


def test_a_sensitivity_figure_can_tell_methods_apart_on_a_linear_axis():
    rows = [("toy", m, "avg", "ACC", f'{{"lam": {v}}}', v + (m == "B"))
            for m in "AB" for v in (0.1, 0.5, 0.9)]
    frame = pd.DataFrame(rows, columns=["dataset", "method", "task", "metric", "params", "value"])
    fig = plots.sensitivity(frame, params=["lam"], base={"lam": 0.5}, by="method", linear=["lam"])
    assert [line.get_label() for line in fig.axes[0].get_lines()[:2]] == ["A", "B"]
    assert fig.axes[0].get_xscale() == "linear"
