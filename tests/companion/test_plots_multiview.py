"""Figures about views: what they draw, and that wrong frames are refused."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd
import pytest

from mtclib.companion import plots
from mtclib.maths.selfpaced import smooth_weights

pytestmark = pytest.mark.filterwarnings("error")


def lines(fig, panel=0):
    return {line.get_label(): line for line in fig.axes[panel].get_lines()}


def test_weight_functions_draw_both_rules_for_each_threshold_and_a_panel_for_each_sharpness():
    fig = plots.weight_functions([1.0, 4.0], sharpness=(1.0, 10.0), losses=np.linspace(0, 8, 9))
    assert [ax.get_title() for ax in fig.axes] == ["κ = 1", "κ = 10"]
    drawn = lines(fig, 1)["smooth, 1/λ = 4"].get_ydata()
    assert np.array_equal(drawn, smooth_weights(np.linspace(0, 8, 9), 4.0, 10.0))
    assert lines(fig)["hard, 1/λ = 1"].get_ydata().tolist() == [1, 1, 0, 0, 0, 0, 0, 0, 0]


def test_selection_shows_pairs_that_are_never_taken_in_as_the_last_round():
    points = np.random.default_rng(0).normal(size=(5, 2))
    fig = plots.selection([points], np.array([[0, 1, -1, 2, 0]]), np.array([0, 0, 1, 1, 1]))
    assert fig.axes[0].collections[0].get_array().tolist() == [0, 1, 3, 2, 0]
    assert [text.get_text() for text in fig.axes[1].get_yticklabels()] == ["cluster 1", "cluster 2"]


def curves():
    rows = [(d, m, run, i, "ACC", (i + run) / 10) for d in ("toy", "real") for m in "AB" for run in range(3)
            for i in range(4)]
    return pd.DataFrame(rows, columns=["dataset", "method", "run", "iteration", "metric", "value"])


def test_trajectories_draw_the_mean_over_runs_up_to_the_last_iteration():
    fig = plots.trajectories(curves(), {"ACC": "accuracy"}, until=2)
    assert [ax.get_title() for ax in fig.axes] == ["toy", "real"]
    assert lines(fig)["B"].get_ydata() == pytest.approx([10, 20, 30])
    assert fig.axes[0].get_ylabel() == "accuracy (%)"


def test_damaged_view_draws_one_panel_a_kind():
    rows = [(kind, share, "A", 1 - share) for kind in ("missing", "outliers", "both") for share in (0.0, 0.5)]
    fig = plots.damaged_view(pd.DataFrame(rows, columns=["kind", "share", "method", "value"]), "FAC")
    assert [ax.get_title() for ax in fig.axes if ax.axison] == ["missing", "outliers", "both"]
    assert lines(fig)["A"].get_ydata().tolist() == [1.0, 0.5]


def test_task_objectives_draw_a_panel_a_run_and_a_line_a_task():
    fig = plots.task_objectives({"a": [[1, 2], [3, 4, 5]], "b": [[2, 1]], "c": [[0, 1]]})
    assert [ax.get_title() for ax in fig.axes if ax.axison] == ["a", "b", "c"]
    assert lines(fig)["task 2"].get_ydata().tolist() == [3, 4, 5]


@pytest.mark.parametrize("draw", [
    lambda: plots.task_objectives({}), lambda: plots.task_objectives({"a": []}),
    lambda: plots.weight_functions([]), lambda: plots.weight_functions([0.0]),
    lambda: plots.selection([np.ones((3, 2))], np.ones((2, 3)), np.ones(3)),
    lambda: plots.selection([np.ones((3, 3))], np.ones((1, 3)), np.ones(3)),
    lambda: plots.trajectories(curves(), {"RI": "RI"}),
    lambda: plots.damaged_view(pd.DataFrame(columns=["kind", "share", "method", "value"]), "FAC")])
def test_what_cannot_be_drawn_is_refused(draw):
    with pytest.raises(ValueError, match="thresholds|order|frame|histories"):
        draw()
