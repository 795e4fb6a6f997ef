"""Claims about whole tables: columns, the bold rule, paired differences, ratios of times."""

import numpy as np
import pandas as pd
import pytest

from mtclib.companion.claims.columns import (
    best_or_comparable,
    better_in_most_columns,
    comparable_to_best,
    ends_lower,
    paired_differences,
)
from mtclib.companion.claims.curves import time_ratio_within


def scores(means, n_runs=20, sd=1.0, seed=0):
    """Runs around the mean of each (dataset, task, method), and their averages over tasks."""
    rng = np.random.default_rng(seed)
    rows = [(d, m, t, "ACC", run, mean + sd * rng.standard_normal())
            for (d, t, m), mean in means.items() for run in range(n_runs)]
    frame = pd.DataFrame(rows, columns=["dataset", "method", "task", "metric", "run", "value"])
    mean = frame.groupby(["dataset", "method", "metric", "run"], as_index=False)["value"].mean()
    return pd.concat([frame, mean.assign(task="avg")], ignore_index=True)


def test_columns_are_counted_and_not_the_averages_over_tasks():
    means = {("a", str(t), m): 10.0 * t + 5 * (m == "good") for t in range(7) for m in ("good", "bad")}
    result = better_in_most_columns(scores(means), ["good"], ["bad"], "ACC", ["a"])
    assert (result.status, result.n, result.counts) == ("holds", 7, "better in 7 of 7 columns")
    turned = better_in_most_columns(scores(means), ["bad"], ["good"], "ACC", ["a"])
    assert turned.status == "fails" and "not in task 0 of a" in turned.counts


def test_groups_of_methods_are_compared_by_their_mean():
    means = {("a", str(t), m): v for t in range(6) for m, v in (("x", 10.0), ("y", 0.0), ("z", 4.0))}
    assert better_in_most_columns(scores(means, sd=0.01), ["x", "y"], ["z"], "ACC", ["a"]).status == "holds"


def test_five_columns_decide_nothing():
    means = {("a", str(t), m): 5.0 * (m == "good") for t in range(5) for m in ("good", "bad")}
    assert better_in_most_columns(scores(means), ["good"], ["bad"], "ACC", ["a"]).status == "undecided"


def test_a_missing_method_or_data_set_is_refused():
    frame = scores({("a", "1", "x"): 1.0})
    with pytest.raises(ValueError, match="y"):
        better_in_most_columns(frame, ["x"], ["y"], "ACC", ["a"])
    with pytest.raises(ValueError, match="b"):
        best_or_comparable(frame, "x", [], "ACC", ["a", "b"])


def test_the_bold_rule_marks_the_best_and_what_a_t_test_cannot_tell_from_it():
    frame = scores({("a", "1", "best"): 10.0, ("a", "1", "near"): 9.9, ("a", "1", "far"): 5.0})
    marked = comparable_to_best(frame, "ACC").set_index("method")
    assert set(marked.index[marked["comparable"]]) == {"best", "near"} and marked["best"].sum() == 1


def test_without_a_difference_the_bold_rule_leaves_out_few():
    marks = [comparable_to_best(scores({("a", "1", "x"): 0.0, ("a", "1", "y"): 0.0}, seed=seed), "ACC")
             for seed in range(100)]
    assert 0.0 < np.mean([(~mark["comparable"]).any() for mark in marks]) < 0.12


def test_always_best_or_comparable_needs_every_column():
    means = {("a", str(t), m): 10.0 * (m == "good") for t in range(4) for m in ("good", "bad")}
    assert best_or_comparable(scores(means), "good", ["bad"], "ACC", ["a"]).status == "holds"
    lost = scores(means | {("a", "3", "bad"): 30.0})
    result = best_or_comparable(lost, "good", ["bad"], "ACC", ["a"])
    assert result.status == "fails" and "best or comparable in 3 of 4 columns (best in 3)" in result.counts


def test_paired_differences_see_what_unpaired_ones_would_not():
    rng = np.random.default_rng(0)
    start = rng.normal(0, 10, 20)
    frame = pd.concat([pd.DataFrame({"dataset": "a", "method": m, "task": "avg", "metric": "ACC",
                                     "run": range(20), "value": (start + gain) / 100})
                       for m, gain in (("old", 0.0), ("new", 0.5 + rng.normal(0, 0.2, 20)))])
    (row,) = paired_differences(frame, [("new", "old")], "ACC").itertuples()
    assert row.status == "holds" and 0.3 < row.low < row.difference < row.high < 0.7
    assert row.comparison == "new - old" and row.record == "20 wins, 0 ties, 0 losses"


@pytest.mark.parametrize(("factor", "status"), [(1.3, "holds"), (4.0, "fails")])
def test_times_are_compared_repeat_by_repeat(factor, status):
    load = np.random.default_rng(0).uniform(1, 5, 10)
    rows = [(m, r, load[r] * (factor if m == "b" else 1.0)) for m in "ab" for r in range(10)]
    frame = pd.DataFrame(rows, columns=["method", "repeat", "seconds"])
    result = time_ratio_within(frame, "b", "a", 0.5, 2.0)
    assert result.status == status and result.statistic == pytest.approx(factor)
    with pytest.raises(ValueError, match="'c'"):
        time_ratio_within(frame, "c", "a", 0.5, 2.0)


def test_ends_are_compared_run_by_run_and_ties_left_out():
    rows = [("a", m, run, 5.0 + run - 0.1 * (m == "low") * (run > 1))
            for m in ("low", "high") for run in range(12)]
    frame = pd.DataFrame(rows, columns=["dataset", "method", "run", "objective"])
    result = ends_lower(frame, "low", "high", ["a"])
    assert result.status == "holds" and result.n == 10
    assert result.counts == "lower in 10 of 12 runs, equal in 2"
    assert ends_lower(frame, "high", "low", ["a"]).status == "fails"
    with pytest.raises(ValueError, match="'x'"):
        ends_lower(frame, "x", "low", ["a"])


def test_runs_that_all_end_alike_are_compared_without_a_warning(recwarn):
    frame = scores({("a", "1", "x"): 0.9, ("a", "1", "y"): 0.8, ("a", "1", "z"): 0.8}, sd=0.0)
    frame.loc[(frame["method"] == "z") & (frame["run"] % 2 == 0), "value"] = 1.1
    marked = comparable_to_best(frame, "ACC").set_index("method")
    assert marked["comparable"].to_dict() == {"x": True, "y": False, "z": True}
    assert marked["best"].idxmax() == "z" and not recwarn.list
