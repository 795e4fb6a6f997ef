"""Figures about streams of tasks: what they draw is what they are given."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mtclib.companion import plots


def rows_of(columns, rows):
    return pd.DataFrame(rows, columns=["dataset", "seed", *columns.split()])


def transfer():
    rows = [(d, s, p, k, "NMI_arithmetic", 0.4 + 0.01 * s + 0.1 * (p - 1) * (k == "with libraries"))
            for d in "xy" for s in range(3) for p in (1, 2, 3) for k in ("with libraries", "without")]
    return rows_of("position knowledge metric value", rows)


def test_transfer_has_scores_above_and_paired_gains_below():
    fig = plots.transfer_curve(transfer())
    assert [ax.get_title() for ax in fig.axes] == ["x", "y", "", ""]
    helped, alone = fig.axes[0].get_lines()
    np.testing.assert_allclose(helped.get_ydata(), [41, 51, 61])
    np.testing.assert_allclose(alone.get_ydata(), [41, 41, 41])
    np.testing.assert_allclose(fig.axes[2].get_lines()[0].get_ydata(), [0, 10, 20], atol=1e-9)
    assert fig.axes[0].get_ylabel() == "NMI (%)"


def test_bands_are_t_intervals_over_seeds():
    fig = plots.transfer_curve(transfer())
    edges = fig.axes[0].collections[1].get_paths()[0].vertices[:, 1]
    half = stats.t.ppf(0.975, 2) * 1 / np.sqrt(3)
    np.testing.assert_allclose([edges.min(), edges.max()], [41 - half, 41 + half])
    # All seeds gain alike, so that the interval of the gain is a point.
    gain = fig.axes[2].collections[0].get_paths()[0].vertices[:, 1]
    np.testing.assert_allclose([gain.min(), gain.max()], [0, 20], atol=1e-9)


def test_a_single_seed_has_a_line_without_a_band():
    fig = plots.transfer_curve(transfer().query("seed == 0"))
    edges = fig.axes[0].collections[1].get_paths()[0].vertices[:, 1]
    np.testing.assert_allclose(edges, 40)


def test_forgetting_is_seen_against_the_level_at_arrival():
    rows = [("x", s, t, a, "NMI_arithmetic", 0.9 - 0.1 * t - 0.2 * (a == "classes"), 0.7 + 0.02 * s)
            for s in (0, 1) for t in (1, 2) for a in ("classes", "labels at arrival")]
    fig = plots.forgetting_curve(rows_of("tasks_seen against metric value at_arrival", rows))
    classes, arrival, level = fig.axes[0].get_lines()
    np.testing.assert_allclose(classes.get_ydata(), [60, 50])
    np.testing.assert_allclose(arrival.get_ydata(), [80, 70])
    np.testing.assert_allclose(level.get_ydata(), [71, 71])
    assert [text.get_text() for text in fig.legends[0].get_texts()][0].endswith("against classes")


def test_the_order_figure_removes_how_hard_a_task_is():
    # Task t is worth t tenths, and a later position one point more.
    rows = [("x", s, o, p, t, "NMI_arithmetic", 0.1 * t + 0.01 * p)
            for s in (4, 7) for o, order in enumerate(([1, 2, 3], [2, 3, 1], [3, 1, 2]))
            for p, t in enumerate(order, start=1)]
    fig = plots.order_spread(rows_of("order position task metric value", rows))
    left, right = fig.axes
    dots, line = left.get_lines()
    np.testing.assert_allclose(line.get_ydata(), [-1, 0, 1], atol=1e-9)
    assert len(dots.get_ydata()) == len(rows)
    np.testing.assert_allclose(right.get_lines()[0].get_ydata(), [22] * 6)
    assert [text.get_text() for text in right.get_xticklabels()] == ["4", "7"]


def test_costs_are_drawn_by_method_as_medians():
    rows = [("x", s, m, t, t * (1 + s), 1000.0 * t, 0.5)
            for s in (0, 1, 5) for m in ("LMSC", "all tasks again") for t in (1, 2)]
    fig = plots.stream_costs(rows_of("method tasks_seen seconds bytes value", rows))
    seconds, kept = fig.axes
    assert [line.get_label() for line in seconds.get_lines()] == ["LMSC", "all tasks again"]
    assert seconds.get_lines()[0].get_ydata().tolist() == [2, 4] and seconds.get_yscale() == "log"
    assert kept.get_lines()[1].get_ydata().tolist() == [1, 2]


@pytest.mark.parametrize("draw", [plots.transfer_curve, plots.forgetting_curve, plots.order_spread,
                                  plots.stream_costs])  # fmt: skip
def test_frames_without_rows_or_columns_are_refused(draw):
    with pytest.raises(ValueError, match="frame: it lacks"):
        draw(transfer().drop(columns="seed").rename(columns={"position": "place"}))
    columns = "position knowledge tasks_seen against at_arrival order task method seconds bytes metric value"
    with pytest.raises(ValueError, match="frame: it has no rows"):
        draw(rows_of(columns, []))
