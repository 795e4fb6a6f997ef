"""One method against another in every column, and the correlation of two tasks over runs."""

import numpy as np
import pandas as pd
import pytest

from mtclib.companion import plots
from mtclib.companion.claims.columns import greater_in_each_column, score_pairs, tasks_correlate


def scores(gain, n_runs=20, tasks=("1", "2"), metric="NMI", seed=0):
    rng = np.random.default_rng(seed)
    rows = [(d, m, t, metric, run, rng.normal(0, 0.01) + (gain[d] if m == "new" else 0.0))
            for d in gain for t in tasks for m in ("new", "old") for run in range(n_runs)]
    return pd.DataFrame(rows, columns=["dataset", "method", "task", "metric", "run", "value"])


def test_every_column_must_be_won():
    assert greater_in_each_column(scores({"a": 1, "b": 1}), "new", "old", "NMI", ["a", "b"]).status == "holds"
    result = greater_in_each_column(scores({"a": 1, "b": -1}), "new", "old", "NMI", ["a", "b"])
    assert result.status == "fails"
    assert result.counts == "greater in 2 of 4 columns, significantly in 2; not on b task 1, b task 2"
    tied = greater_in_each_column(scores({"a": 1, "b": 0}), "new", "old", "NMI", ["a", "b"])
    assert tied.status == "undecided"


def test_a_measure_of_the_whole_fit_has_one_column_and_a_fixed_value_may_stand_for_a_method():
    frame = scores({"a": 1.0}, tasks=("",), metric="d_M")
    fixed = pd.DataFrame([("a", "true", "", "d_M", 0, 0.5)], columns=frame.columns)
    both = pd.concat([frame, fixed])
    assert greater_in_each_column(both, "new", "true", "d_M", ["a"], ["true"]).status == "holds"
    assert greater_in_each_column(both, "old", "true", "d_M", ["a"], ["true"]).status == "fails"
    with pytest.raises(ValueError, match="no d_M on b"):
        greater_in_each_column(both, "new", "old", "d_M", ["a", "b"])


@pytest.mark.parametrize(("coupling", "bounds", "status"), [
    (0.95, {"low": 0.5}, "holds"), (0.0, {"low": 0.5}, "fails"), (0.0, {"low": -0.5, "high": 0.5}, "holds"),
    (0.95, {"low": -0.5, "high": 0.5}, "fails")])
def test_correlations_hold_inside_and_fail_outside_their_bounds(coupling, bounds, status):
    rng = np.random.default_rng(1)
    common = rng.normal(size=80)
    parts = {t: coupling * common + np.sqrt(1 - coupling**2) * rng.normal(size=80) for t in "12"}
    rows = [("a", "m", t, "NMI", run, value) for t in "12" for run, value in enumerate(parts[t])]
    frame = pd.DataFrame(rows, columns=["dataset", "method", "task", "metric", "run", "value"])
    result = tasks_correlate(frame, "m", "NMI", "a", **bounds)
    assert result.status == status and result.n == 80
    assert result.statistic == pytest.approx(np.corrcoef(parts["1"], parts["2"])[0, 1])


def test_the_figure_of_pairs_shows_every_run():
    pairs = score_pairs(scores({"a": 0.1, "b": 0.2}), "NMI")
    assert len(pairs) == 80
    fig = plots.task_pairs(pairs, "NMI")
    assert len(fig.axes) == 2 and [len(line.get_xdata()) for line in fig.axes[0].get_lines()] == [20, 20]
    with pytest.raises(ValueError, match="no rows"):
        plots.task_pairs(pairs.iloc[:0], "NMI")
