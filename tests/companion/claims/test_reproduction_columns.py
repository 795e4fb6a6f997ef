"""Claims about whole tables: columns, the bold rule, gains, paired differences, correlations, times."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mtclib.companion.claims import columns, curves


def scores(means, n_runs=20, sd=1.0, seed=0):
    """Runs around the mean of each (dataset, task, method), and their averages over tasks."""
    rng = np.random.default_rng(seed)
    rows = [(d, m, t, "ACC", run, mean + sd * rng.standard_normal())
            for (d, t, m), mean in means.items() for run in range(n_runs)]
    frame = pd.DataFrame(rows, columns=["dataset", "method", "task", "metric", "run", "value"])
    mean = frame.groupby(["dataset", "method", "metric", "run"], as_index=False)["value"].mean()
    return pd.concat([frame, mean.assign(task="avg")], ignore_index=True)


def test_columns_are_counted_and_not_the_averages_over_tasks_and_five_decide_nothing():
    means = {("a", str(t), m): 10.0 * t + 5 * (m == "good") for t in range(7) for m in ("good", "bad")}
    frame = scores(means)
    result = columns.better_in_most_columns(frame, ["good"], ["bad"], "ACC", ["a"])
    assert (result.status, result.n, result.counts) == ("holds", 7, "better in 7 of 7 columns")
    turned = columns.better_in_most_columns(frame, ["bad"], ["good"], "ACC", ["a"])
    assert turned.status == "fails"
    assert "not in task 0 of a" in turned.counts
    few = frame[frame["task"].isin(list("01234"))]
    assert columns.better_in_most_columns(few, ["good"], ["bad"], "ACC", ["a"]).status == "undecided"
    with pytest.raises(ValueError, match="y"):
        columns.better_in_most_columns(frame, ["good"], ["y"], "ACC", ["a"])
    with pytest.raises(ValueError, match="b"):
        columns.best_or_comparable(frame, "good", [], "ACC", ["a", "b"])


def test_few_columns_are_decided_run_by_run():
    frame = scores({("a", str(t), m): v for t in range(3) for m, v in {"x": 90, "y": 80, "z": 70}.items()})
    assert columns.among_best(frame, "y", ["x", "z"], "ACC", ["a"]).status == "holds"
    assert columns.among_best(frame, "z", ["x", "y"], "ACC", ["a"]).status == "fails"


def test_groups_of_methods_are_compared_by_their_mean():
    means = {("a", str(t), m): v for t in range(6) for m, v in (("x", 10.0), ("y", 0.0), ("z", 4.0))}
    assert columns.better_in_most_columns(scores(means, sd=0.01), ["x", "y"], ["z"], "ACC",
                                          ["a"]).status == "holds"


def test_the_bold_rule_marks_the_best_and_what_a_t_test_cannot_tell_from_it_and_leaves_out_few_equals():
    frame = scores({("a", "1", "best"): 10.0, ("a", "1", "near"): 9.9, ("a", "1", "far"): 5.0})
    marked = columns.comparable_to_best(frame, "ACC").set_index("method")
    assert (set(marked.index[marked["comparable"]]), marked["best"].sum()) == ({"best", "near"}, 1)
    marks = [columns.comparable_to_best(scores({("a", "1", "x"): 0.0, ("a", "1", "y"): 0.0}, seed=seed),
                                        "ACC")
             for seed in range(100)]
    assert 0.0 < np.mean([(~mark["comparable"]).any() for mark in marks]) < 0.12


def test_always_best_or_comparable_needs_every_column():
    means = {("a", str(t), m): 10.0 * (m == "good") for t in range(4) for m in ("good", "bad")}
    assert columns.best_or_comparable(scores(means), "good", ["bad"], "ACC", ["a"]).status == "holds"
    lost = scores(means | {("a", "3", "bad"): 30.0})
    result = columns.best_or_comparable(lost, "good", ["bad"], "ACC", ["a"])
    assert result.status == "fails"
    assert "best or comparable in 3 of 4 columns (best in 3)" in result.counts


@pytest.mark.parametrize("task", ["avg", ""], ids=["tasks", "views"])
def test_paired_differences_see_what_unpaired_ones_would_not(task):
    rng = np.random.default_rng(0)
    start = rng.normal(0, 10, 20)
    frame = pd.concat([pd.DataFrame({"dataset": "a", "method": m, "task": task, "metric": "ACC",
                                     "run": range(20), "value": (start + gain) / 100})
                       for m, gain in (("old", 0.0), ("new", 0.5 + rng.normal(0, 0.2, 20)))])
    (row,) = columns.paired_differences(frame, [("new", "old")], "ACC").itertuples()
    assert row.status == "holds"
    assert 0.3 < row.low < row.difference < row.high < 0.7
    assert (row.comparison, row.record) == ("new - old", "20 wins, 0 ties, 0 losses")


@pytest.mark.parametrize(("factor", "status"), [(1.3, "holds"), (4.0, "fails")])
def test_times_are_compared_repeat_by_repeat(factor, status):
    load = np.random.default_rng(0).uniform(1, 5, 10)
    rows = [(m, r, load[r] * (factor if m == "b" else 1.0)) for m in "ab" for r in range(10)]
    frame = pd.DataFrame(rows, columns=["method", "repeat", "seconds"])
    result = curves.time_ratio_within(frame, "b", "a", 0.5, 2.0)
    assert (result.status, result.statistic) == (status, pytest.approx(factor))
    with pytest.raises(ValueError, match="'c'"):
        curves.time_ratio_within(frame, "c", "a", 0.5, 2.0)


def test_ends_are_compared_run_by_run_and_ties_left_out():
    rows = [("a", m, run, 5.0 + run - 0.1 * (m == "low") * (run > 1))
            for m in ("low", "high") for run in range(12)]
    frame = pd.DataFrame(rows, columns=["dataset", "method", "run", "objective"])
    result = columns.ends_lower(frame, "low", "high", ["a"])
    assert (result.status, result.n) == ("holds", 10)
    assert result.counts == "lower in 10 of 12 runs, equal in 2"
    assert columns.ends_lower(frame, "high", "low", ["a"]).status == "fails"
    negative = frame.assign(objective=frame["objective"] - 90)
    assert columns.ends_lower(negative, "low", "high", ["a"]).status == "holds"
    with pytest.raises(ValueError, match="'x'"):
        columns.ends_lower(frame, "x", "low", ["a"])


def test_runs_that_all_end_alike_are_compared_without_a_warning(recwarn):
    frame = scores({("a", "1", "x"): 0.9, ("a", "1", "y"): 0.8, ("a", "1", "z"): 0.8}, sd=0.0)
    frame.loc[(frame["method"] == "z") & (frame["run"] % 2 == 0), "value"] = 1.1
    marked = columns.comparable_to_best(frame, "ACC").set_index("method")
    assert marked["comparable"].to_dict() == {"x": True, "y": False, "z": True}
    assert marked["best"].idxmax() == "z"
    assert not recwarn.list


# One method against another.


def two_methods(a, b):
    rows = [("toy", method, "", "NMI", run, value) for method, values in (("A", a), ("B", b))
            for run, value in enumerate(values)]
    return pd.DataFrame(rows, columns=["dataset", "method", "task", "metric", "run", "value"])


def gaining(gain, n=30, sd=0.02, seed=0):
    rng = np.random.default_rng(seed)
    b = rng.normal(0.4, sd, n)
    return two_methods(b * (1 + gain / 100) + rng.normal(0, sd / 4, n), b)


@pytest.mark.parametrize(("gain", "status"), [(26, "holds"), (50, "fails"), (0, "fails"), (32, "undecided")])
def test_a_gain_holds_inside_fails_outside_and_is_undecided_across(gain, status):
    result = columns.relative_gain(gaining(gain), "A", "B", "NMI", "toy", 20, 32)
    assert (result.status, result.statistic) == (status, pytest.approx(gain, abs=2))
    few = columns.relative_gain(gaining(gain, n=5), "A", "B", "NMI", "toy", 20, 32)
    assert few.status == "undecided"


def test_the_interval_covers_the_true_gain_in_about_95_percent():
    rng = np.random.default_rng(1)
    frames = [two_methods(rng.normal(0.6, 0.15, 12), rng.normal(0.4, 0.1, 12)) for _ in range(500)]
    missed = [columns.relative_gain(frame, "A", "B", "NMI", "toy", 50, 50).status == "fails"
              for frame in frames]
    assert 12 <= sum(missed) <= 40
    with pytest.raises(ValueError, match="no NMI of C"):
        columns.relative_gain(frames[0], "A", "C", "NMI", "toy", 20, 32)
    with pytest.raises(ValueError, match="method_b"):
        zero = two_methods(np.ones(8), np.resize([1.0, -1.0], 8))
        columns.relative_gain(zero, "A", "B", "NMI", "toy", 20, 32)


def won(gain, n_runs=20, tasks=("1", "2"), metric="NMI", seed=0):
    rng = np.random.default_rng(seed)
    rows = [(d, m, t, metric, run, rng.normal(0, 0.01) + (gain[d] if m == "new" else 0.0))
            for d in gain for t in tasks for m in ("new", "old") for run in range(n_runs)]
    return pd.DataFrame(rows, columns=["dataset", "method", "task", "metric", "run", "value"])


def test_every_column_must_be_won():
    result = columns.greater_in_each_column(won({"a": 1, "b": 1}), "new", "old", "NMI", ["a", "b"])
    assert result.status == "holds"
    result = columns.greater_in_each_column(won({"a": 1, "b": -1}), "new", "old", "NMI", ["a", "b"])
    assert result.status == "fails"
    assert result.counts == "greater in 2 of 4 columns, significantly in 2; not on b task 1, b task 2"
    tied = columns.greater_in_each_column(won({"a": 1, "b": 0}), "new", "old", "NMI", ["a", "b"])
    assert tied.status == "undecided"
    gaps = np.where(np.isin(np.arange(1, 11), [1, 2, 4]), 1, -1) * np.arange(1, 11) / 100  # p = .037
    frame = won({"a": 0}, 10, list("123456"))
    frame.loc[(frame["task"] == "6") & (frame["method"] == "old"), "value"] = 0.0
    frame.loc[(frame["task"] == "6") & (frame["method"] == "new"), "value"] = gaps
    assert columns.greater_in_each_column(frame, "new", "old", "NMI", ["a"]).status == "undecided"


def test_a_measure_of_the_whole_fit_has_one_column_and_a_fixed_value_may_stand_for_a_method():
    frame = won({"a": 1.0}, tasks=("",), metric="d_M")
    fixed = pd.DataFrame([("a", "true", "", "d_M", 0, 0.5)], columns=frame.columns)
    both = pd.concat([frame, fixed])
    assert columns.greater_in_each_column(both, "new", "true", "d_M", ["a"], ["true"]).status == "holds"
    assert columns.greater_in_each_column(both, "old", "true", "d_M", ["a"], ["true"]).status == "fails"
    with pytest.raises(ValueError, match="no d_M on b"):
        columns.greater_in_each_column(both, "new", "old", "d_M", ["a", "b"])


@pytest.mark.parametrize(("coupling", "bounds", "status"), [
    (0.95, {"low": 0.5}, "holds"), (0.0, {"low": 0.5}, "fails"), (0.0, {"low": -0.5, "high": 0.5}, "holds"),
    (0.95, {"low": -0.5, "high": 0.5}, "fails")])
def test_correlations_hold_inside_and_fail_outside_their_bounds(coupling, bounds, status):
    rng = np.random.default_rng(1)
    common = rng.normal(size=80)
    parts = {t: coupling * common + np.sqrt(1 - coupling**2) * rng.normal(size=80) for t in "12"}
    rows = [("a", "m", t, "NMI", run, value) for t in "12" for run, value in enumerate(parts[t])]
    frame = pd.DataFrame(rows, columns=["dataset", "method", "task", "metric", "run", "value"])
    result = columns.tasks_correlate(frame, "m", "NMI", "a", **bounds)
    assert (result.status, result.n) == (status, 80)
    known = stats.pearsonr(parts["1"], parts["2"])
    assert result.statistic == pytest.approx(known.statistic)
    assert "95% interval {:.2f} to {:.2f}".format(*known.confidence_interval(0.95)) in result.counts


def test_pairs_of_scores_hold_every_run():
    pairs = columns.score_pairs(won({"a": 0.1, "b": 0.2}), "NMI")
    assert pairs.groupby(["dataset", "method"]).size().tolist() == [20] * 4
