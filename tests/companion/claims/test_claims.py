"""Claims as tests: each named test holds, fails and is undecided where it should, on one pair of methods, on
whole tables (columns, the bold rule, paired differences, correlations), on curves, matrices and times."""

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mtclib.companion import claims
from mtclib.companion.papers.results import relation_frame
from mtclib.companion.verdicts import published
from mtclib.core.paths import paper_dir


def tidy(rows):
    names = ["dataset", "method", "task", "metric", "run", "value", "params"]
    return pd.DataFrame(rows, columns=names[:len(rows[0])])


def results(means, runs=10, sd=0.01, seed=0):
    """Tidy results of {(method, task): mean}, with noise shared by nobody."""
    rng = np.random.default_rng(seed)
    return tidy([("toy", method, task, "ACC", run, mean + sd * rng.normal())
                 for (method, task), mean in means.items() for run in range(runs)])


def test_six_paired_runs_decide_and_five_do_not():
    assert (claims.majority(6, 6)[0], claims.majority(5, 5)[0]) == ("holds", "undecided")
    frame = results({("A", "avg"): 0.9, ("B", "avg"): 0.5})
    assert claims.mean_greater(frame[frame["run"] < 5], "A", "B", "ACC", "toy").status == "undecided"
    assert claims.mean_greater(frame[frame["run"] < 6], "A", "B", "ACC", "toy").n == 6
    frame.loc[(frame["method"] == "B") & (frame["run"] < 3), "value"] = np.nan
    assert claims.mean_greater(frame, "A", "B", "ACC", "toy").n == 7


@pytest.mark.parametrize(("after", "status"), [(0.05, "holds"), (-0.05, "fails"), (0.0, "undecided")])
def test_who_loses_less_is_decided_by_how_far_it_is_ahead_with_noise_and_without(after, status):
    clean = results({("A", "avg"): 0.9, ("B", "avg"): 0.85})
    noisy = results({("A", "avg"): 0.7 + after, ("B", "avg"): 0.65}, seed=1).assign(dataset="noisy")
    assert claims.loses_less(pd.concat([clean, noisy]), "A", "B", "ACC", "noisy", "toy").status == status


@pytest.mark.parametrize(("worst", "status"), [(0.8, "fails"), (0.95, "holds"), (0.9, "undecided")])
def test_ten_runs_decide_among_forty_comparisons_by_the_worst_of_them(worst, status):
    rivals = [f"B{i}" for i in range(40)]
    means = {(name, "1"): 0.6 for name in rivals} | {("A", "1"): 0.9, ("C", "1"): 1.8 - worst}
    found = claims.best_in_each_task(results(means, sd=0.005), "A", ["C", *rivals], "ACC", "toy", ["1"])
    assert found.status == status


@pytest.mark.parametrize(("means", "status"), [
    ((0.5, 0.5, 0.99), "holds"), ((0.99, 0.99, 0.5), "fails"), ((0.5, 0.9, 0.99), "undecided")])
def test_a_method_that_is_better_in_most_cases_wins_more_than_half_of_them(means, status):
    frame = results({("A", "1"): 0.9, **{(name, "1"): mean for name, mean in zip("BCD", means)}}, seed=3)
    assert claims.wins_most(frame, "A", list("BCD"), "ACC", ["toy"]).status == status


def test_the_better_mean_holds_in_one_direction_and_fails_in_the_other():
    frame = results({("A", "1"): 0.9, ("A", "2"): 0.7, ("B", "1"): 0.5, ("B", "2"): 0.71}, sd=0.02)
    better = claims.mean_greater(frame, "A", "B", "ACC", "toy", tasks=["1", "2"])
    assert (better.status, better.n) == ("holds", 10)
    assert better.p < 0.05
    assert better.statistic == pytest.approx(0.195, abs=0.01)
    wins, _, losses = (int(part.split()[0]) for part in better.counts.split(", "))
    assert (wins + losses, 10 <= wins < 20) == (20, True)
    assert claims.mean_greater(frame, "B", "A", "ACC", "toy", tasks=["1", "2"]).status == "fails"


def test_equal_scores_are_undecided_and_others_decided_by_chance_in_about_5_percent():
    equal = {("A", "avg"): 0.7, ("B", "avg"): 0.7}
    tied = claims.mean_greater(results(equal, sd=0.0), "A", "B", "ACC", "toy")
    assert (tied.status, tied.counts) == ("undecided", "0 wins, 10 ties, 0 losses (run and task)")
    decided = [claims.mean_greater(results(equal, seed=seed), "A", "B", "ACC", "toy").status
               for seed in range(150)]
    assert 0 < sum(status != "undecided" for status in decided) <= 15


def test_one_run_stands_for_all_only_if_deterministic_and_absent_methods_and_doubled_runs_are_refused():
    frame = results({("A", "avg"): 0.9, ("B", "avg"): 0.5})
    single = frame[(frame["method"] == "A") | (frame["run"] == 0)]
    assert claims.mean_greater(single, "A", "B", "ACC", "toy").status == "undecided"
    assert claims.mean_greater(single, "A", "B", "ACC", "toy", deterministic=["B"]).status == "holds"
    with pytest.raises(ValueError, match="no ACC of method 'C'"):
        claims.mean_greater(frame, "A", "C", "ACC", "toy")
    with pytest.raises(ValueError, match="keep one grid point"):
        claims.mean_greater(pd.concat([frame, frame]), "A", "B", "ACC", "toy")


def test_best_in_each_task_needs_every_comparison():
    means = dict(zip(product("ABC", "12"), (0.9, 0.8, 0.5, 0.6, 0.4, 0.7)))
    options = dict(method="A", others=["B", "C"], metric="ACC", dataset="toy", tasks=["1", "2"])
    good = claims.best_in_each_task(results(means), **options)
    assert (good.status, good.counts) == ("holds", "4 wins, 0 ties, 0 losses (task and rival)")
    unclear = claims.best_in_each_task(results(means | {("C", "2"): 0.8}, sd=0.05), **options)
    assert unclear.status == "undecided"
    bad = claims.best_in_each_task(results(means | {("C", "2"): 0.95}), **options)
    assert bad.status == "fails"
    assert bad.counts.endswith("; behind C on task 2")
    assert claims.best_in_each_task(results(means), **options, margin=0.2).status == "fails"


def swept(spans, runs=10, sd=0.002, seed=0):
    """Sweeps through one common point: the mean rises by the span along each parameter's grid of five."""
    rng, rows = np.random.default_rng(seed), []
    for parameter, span in spans.items():
        for step, value in enumerate([0.25, 0.5, 1.0, 2.0, 4.0]):
            setting = {name: 1.0 for name in spans} | {parameter: value}
            mean = 0.8 + span * (step - 2) / 4
            if value != 1.0 or parameter == next(iter(spans)):
                rows += [("toy", "M", "avg", "ACC", run, mean + sd * rng.normal(), json.dumps(setting))
                         for run in range(runs)]
    return tidy(rows)


def test_a_span_holds_inside_and_fails_outside_and_sensitivities_are_compared_on_the_same_runs():
    frame = swept({"lam": 0.04, "mu": 0.005})
    assert claims.span_within(frame, "lam", "ACC", "toy", low=0.02, high=0.05).status == "holds"
    assert claims.span_within(frame, "mu", "ACC", "toy", high=0.02).status == "holds"
    assert claims.span_within(frame, "lam", "ACC", "toy", high=0.02).status == "fails"
    assert claims._interval(0.10, np.linspace(0.11, 0.13, 201), 10).mean() == pytest.approx(0.08), "bias"
    few = swept({"lam": 0.04}, runs=5)
    assert claims.span_within(few, "lam", "ACC", "toy", high=0.05).status == "undecided"
    result = claims.more_sensitive_than(frame, "lam", "mu", "ACC", "toy")
    assert (result.status, result.statistic) == ("holds", pytest.approx(0.035, abs=0.005))
    assert claims.more_sensitive_than(frame, "mu", "lam", "ACC", "toy").status == "fails"
    with pytest.raises(ValueError, match="no sweep over 'beta'"):
        claims.span_within(frame, "beta", "ACC", "toy")


@pytest.mark.parametrize(("values", "status"), [
    ([0.2, 0.5, 0.6, 0.3], "holds"), ([0.2, 0.5, 0.6, 0.7], "fails"), ([0.5] * 4, "fails")])
def test_a_curve_is_a_bell_if_it_is_higher_between_its_ends(values, status):
    rng = np.random.default_rng(0)
    frame = tidy([("toy", "M", "avg", "ACC", run, value + 0.01 * rng.normal(), json.dumps({"lam": step}))
                  for step, value in enumerate(values) for run in range(10)])
    assert claims.rises_then_falls(frame, "lam", "ACC", "toy").status == status


@pytest.mark.parametrize("sd", [0.002, 0.02])
def test_a_span_at_its_limit_and_equal_spans_are_decided_in_about_5_percent_each_way(sd):
    alone = [swept({"lam": 0.02}, sd=sd, seed=seed) for seed in range(25)]
    both = [swept({"lam": 0.01, "mu": 0.01}, sd=sd, seed=seed) for seed in range(25)]
    for outcomes in ([claims.span_within(frame, "lam", "ACC", "toy", high=0.02).status for frame in alone],
                     [claims.more_sensitive_than(frame, "lam", "mu", "ACC", "toy").status for frame in both]):
        assert outcomes.count("holds") <= 4
        assert outcomes.count("fails") <= 4


def converging(iterations, converged=True):
    runs = {"run": range(len(iterations)), "n_iter": iterations, "converged": converged}
    return pd.DataFrame({"dataset": "toy", "method": "M", **runs})


def test_iterations_count_only_runs_that_converged():
    assert claims.iterations_within(converging([90] * 10), "M", "toy", 50, 150).status == "holds"
    late = claims.iterations_within(converging([10] * 9 + [90]), "M", "toy", 50, 150)
    assert late.status == "fails"
    assert late.counts == "1 of 10 runs converge within 50 to 150 iterations; median 10"
    never = converging([90] * 10, converged=False)
    assert claims.iterations_within(never, "M", "toy", 50, 150).status == "fails"
    with pytest.raises(ValueError, match="no run of 'X'"):
        claims.iterations_within(converging([90]), "X", "toy", 50, 150)


def relations(matrices, rows, columns):
    entries = [("toy", 0, "1", str(pair + 2), row, column, matrix[i][j])
               for pair, matrix in enumerate(matrices)
               for i, row in enumerate(rows) for j, column in enumerate(columns)]
    return pd.DataFrame(entries, columns=["dataset", "run", "task", "other", "row", "column", "value"])


def test_the_largest_entry_names_the_counterpart_or_not():
    def found(*matrices):
        frame = relations(matrices, ["comp", "rec"], ["comp", "rec", "talk"])
        return claims.largest_entry_names_counterpart(frame, "toy")

    good, bad = [[3, 1, 0], [0, 2, 1]], [[1, 3, 0], [0, 1, 2]]
    assert (found(*[good] * 4).status, found(*[bad] * 4).status) == ("holds", "fails")
    few = found(good, bad)
    assert (few.status, few.n, few.statistic) == ("undecided", 4, 0.5)
    with pytest.raises(ValueError, match="no cluster of 'toy' has a counterpart"):
        claims.largest_entry_names_counterpart(relations([[[1, 2]]], ["metal"], ["food", "energy"]), "toy")


def test_a_relation_is_renamed_on_both_sides_before_it_is_shown():
    true = [np.repeat([0, 1], 5), np.repeat([0, 1, 2], 4)]
    swapped = [1 - true[0], np.array([2, 0, 1])[true[1]]]
    names = [("comp", "rec"), ("comp", "rec", "talk")]
    by_class = np.array([[0.5, 0.1, 0.0], [0.0, 0.3, 0.1]])
    permuted = by_class[::-1][:, [1, 2, 0]]
    key = ["task", "other", "row", "column"]
    plain, mapped = (
        relation_frame("toy", {(0, 1): matrix}, true, found, names).sort_values(key, ignore_index=True)
        for matrix, found in ((by_class, true), (permuted, swapped)))
    pd.testing.assert_frame_equal(mapped, plain)
    assert claims.largest_entry_names_counterpart(mapped, "toy").counts.startswith("2 of 2")


@pytest.mark.parametrize(("dataset", "rows", "columns", "counts"), [
    ("WebKB4", list("1234"), list("1234"), "3 of 4"),
    ("20NewsGroups", ["comp", "rec", "sci"], ["comp", "rec", "sci", "talk"], "3 of 3"),
    ("Reuters", ["economic", "metal", "food"], ["economic", "energy", "metal"], "2 of 2")])
def test_the_printed_relation_matrices_bear_out_the_sentence_in_most_rows(dataset, rows, columns, counts):
    entries = pd.read_csv(paper_dir("mtcmrl") / "facts.csv").query("quantity == 'G' and dataset == @dataset")
    entries = entries.astype({"row": int, "col": int, "value": float})
    matrix = entries.pivot(index="row", columns="col", values="value")
    assert (matrix.shape, matrix.to_numpy().sum()) == ((len(rows), len(columns)), pytest.approx(1.0))
    frame = relations([matrix.to_numpy()], rows, columns)
    assert claims.largest_entry_names_counterpart(frame, "toy").counts.startswith(counts)


def timings(after, slow=0.001):
    sizes = np.arange(5, 100, 10)
    rows = []
    for repeat in range(8):
        bend = np.where(sizes > 35, (sizes - 35) * after, 0.0)
        noise = 1 + 0.01 * np.random.default_rng(repeat).normal(size=len(sizes))
        rows += [("qp", k, repeat, s) for k, s in zip(sizes, (0.01 * sizes + bend) * noise)]
        rows += [("fw", k, repeat, s) for k, s in zip(sizes, slow * sizes * noise)]
    return pd.DataFrame(rows, columns=["solver", "n_clusters", "repeat", "seconds"])


def test_a_sharp_rise_is_a_change_of_slope():
    assert claims.rises_sharply_after(timings(after=0.2), "qp", 35).status == "holds"
    assert claims.rises_sharply_after(timings(after=0.0), "qp", 35).status == "fails"
    assert claims.rises_slower_than(timings(after=0.2), "fw", "qp", 35).status == "holds"
    assert claims.rises_slower_than(timings(after=0.2), "qp", "fw", 35).status == "fails"
    with pytest.raises(ValueError, match="needs two sizes"):
        claims.rises_sharply_after(timings(after=0.2), "qp", 95)


def test_the_printed_tables_have_their_own_record():
    rivals = ["DMTFC", "DMTRC", "CLR"]
    record = claims.printed_record(published.load("mtcmrl"), "MTCMRL", rivals, "ACC", "WebKB4")
    assert record == "10 wins, 0 ties, 2 losses (task and rival); behind DMTFC on task 1, DMTFC on task 2"


@pytest.mark.parametrize("n_runs", [6, 9, 13, 14])
@pytest.mark.parametrize("decimals", [1, 12], ids=["tied", "distinct"])
def test_the_p_value_of_a_comparison_is_that_of_scipys_signed_rank_test(n_runs, decimals):
    gaps = np.random.default_rng(n_runs).normal(0.2, 0.4, n_runs).round(decimals)
    gaps[2] = 0.0
    assert claims._signed_rank(tuple(gaps)) == pytest.approx(stats.wilcoxon(gaps).pvalue, rel=1e-12)


def test_one_run_that_differs_among_equal_ones_decides_nothing():
    assert claims.wilcoxon(np.eye(10)[0]) == ("undecided", 1.0)


def scores(means, n_runs=20, sd=1.0, seed=0):
    """Runs around the mean of each (dataset, task, method), and their averages over tasks."""
    rng = np.random.default_rng(seed)
    frame = tidy([(d, m, t, "ACC", run, mean + sd * rng.standard_normal())
                  for (d, t, m), mean in means.items() for run in range(n_runs)])
    mean = frame.groupby(["dataset", "method", "metric", "run"], as_index=False)["value"].mean()
    return pd.concat([frame, mean.assign(task="avg")], ignore_index=True)


def test_columns_are_counted_and_not_the_averages_over_tasks_and_five_decide_nothing():
    means = {("a", str(t), m): 10.0 * t + 5 * (m == "good") for t in range(7) for m in ("good", "bad")}
    frame = scores(means)
    result = claims.better_in_most_columns(frame, ["good"], ["bad"], "ACC", ["a"])
    assert (result.status, result.n, result.counts) == ("holds", 7, "better in 7 of 7 columns")
    turned = claims.better_in_most_columns(frame, ["bad"], ["good"], "ACC", ["a"])
    assert turned.status == "fails"
    assert "not in task 0 of a" in turned.counts
    few = frame[frame["task"].isin(list("01234"))]
    assert claims.better_in_most_columns(few, ["good"], ["bad"], "ACC", ["a"]).status == "undecided"
    with pytest.raises(ValueError, match="y"):
        claims.better_in_most_columns(frame, ["good"], ["y"], "ACC", ["a"])
    with pytest.raises(ValueError, match="b"):
        claims.best_or_comparable(frame, "good", [], "ACC", ["a", "b"])


def test_few_columns_are_decided_run_by_run():
    frame = scores({("a", str(t), m): v for t in range(3) for m, v in {"x": 90, "y": 80, "z": 70}.items()})
    assert claims.among_best(frame, "y", ["x", "z"], "ACC", ["a"]).status == "holds"
    assert claims.among_best(frame, "z", ["x", "y"], "ACC", ["a"]).status == "fails"


def test_groups_of_methods_are_compared_by_their_mean():
    means = {("a", str(t), m): v for t in range(6) for m, v in (("x", 10.0), ("y", 0.0), ("z", 4.0))}
    found = claims.better_in_most_columns(scores(means, sd=0.01), ["x", "y"], ["z"], "ACC", ["a"])
    assert found.status == "holds"


def test_the_bold_rule_marks_the_best_and_what_a_t_test_cannot_tell_from_it_and_leaves_out_few_equals():
    frame = scores({("a", "1", "best"): 10.0, ("a", "1", "near"): 9.9, ("a", "1", "far"): 5.0})
    marked = claims.comparable_to_best(frame, "ACC").set_index("method")
    assert (set(marked.index[marked["comparable"]]), marked["best"].sum()) == ({"best", "near"}, 1)
    equal = {("a", "1", "x"): 0.0, ("a", "1", "y"): 0.0}
    marks = [claims.comparable_to_best(scores(equal, seed=seed), "ACC") for seed in range(100)]
    assert 0.0 < np.mean([(~mark["comparable"]).any() for mark in marks]) < 0.12


def test_always_best_or_comparable_needs_every_column():
    means = {("a", str(t), m): 10.0 * (m == "good") for t in range(4) for m in ("good", "bad")}
    assert claims.best_or_comparable(scores(means), "good", ["bad"], "ACC", ["a"]).status == "holds"
    lost = scores(means | {("a", "3", "bad"): 30.0})
    result = claims.best_or_comparable(lost, "good", ["bad"], "ACC", ["a"])
    assert result.status == "fails"
    assert "best or comparable in 3 of 4 columns (best in 3)" in result.counts


@pytest.mark.parametrize("task", ["avg", ""], ids=["tasks", "views"])
def test_paired_differences_see_what_unpaired_ones_would_not(task):
    rng = np.random.default_rng(0)
    start = rng.normal(0, 10, 20)
    both = {"old": start, "new": start + 0.5 + rng.normal(0, 0.2, 20)}
    frame = tidy([("a", m, task, "ACC", run, value / 100) for m, each in both.items()
                  for run, value in enumerate(each)])
    (row,) = claims.paired_differences(frame, [("new", "old")], "ACC").itertuples()
    assert row.status == "holds"
    assert 0.3 < row.low < row.difference < row.high < 0.7
    assert (row.comparison, row.record) == ("new - old", "20 wins, 0 ties, 0 losses")


@pytest.mark.parametrize(("factor", "status"), [(1.3, "holds"), (4.0, "fails")])
def test_times_are_compared_repeat_by_repeat(factor, status):
    load = np.random.default_rng(0).uniform(1, 5, 10)
    rows = [(m, r, load[r] * (factor if m == "b" else 1.0)) for m in "ab" for r in range(10)]
    frame = pd.DataFrame(rows, columns=["method", "repeat", "seconds"])
    result = claims.time_ratio_within(frame, "b", "a", 0.5, 2.0)
    assert (result.status, result.statistic) == (status, pytest.approx(factor))
    with pytest.raises(ValueError, match="'c'"):
        claims.time_ratio_within(frame, "c", "a", 0.5, 2.0)


def test_ends_are_compared_run_by_run_and_ties_left_out():
    rows = [("a", m, run, 5.0 + run - 0.1 * (m == "low") * (run > 1))
            for m in ("low", "high") for run in range(12)]
    frame = pd.DataFrame(rows, columns=["dataset", "method", "run", "objective"])
    result = claims.ends_lower(frame, "low", "high", ["a"])
    assert (result.status, result.n, result.counts) == ("holds", 10, "lower in 10 of 12 runs, equal in 2")
    assert claims.ends_lower(frame, "high", "low", ["a"]).status == "fails"
    negative = frame.assign(objective=frame["objective"] - 90)
    assert claims.ends_lower(negative, "low", "high", ["a"]).status == "holds"
    with pytest.raises(ValueError, match="'x'"):
        claims.ends_lower(frame, "x", "low", ["a"])


def test_runs_that_all_end_alike_are_compared_without_a_warning(recwarn):
    frame = scores({("a", "1", "x"): 0.9, ("a", "1", "y"): 0.8, ("a", "1", "z"): 0.8}, sd=0.0)
    frame.loc[(frame["method"] == "z") & (frame["run"] % 2 == 0), "value"] = 1.1
    marked = claims.comparable_to_best(frame, "ACC").set_index("method")
    assert marked["comparable"].to_dict() == {"x": True, "y": False, "z": True}
    assert marked["best"].idxmax() == "z"
    assert not recwarn.list


def two_methods(a, b):
    return tidy([("toy", method, "", "NMI", run, value) for method, values in (("A", a), ("B", b))
                 for run, value in enumerate(values)])


def gaining(gain, n=30, sd=0.02, seed=0):
    rng = np.random.default_rng(seed)
    b = rng.normal(0.4, sd, n)
    return two_methods(b * (1 + gain / 100) + rng.normal(0, sd / 4, n), b)


@pytest.mark.parametrize(("gain", "status"), [(26, "holds"), (50, "fails"), (0, "fails"), (32, "undecided")])
def test_a_gain_holds_inside_fails_outside_and_is_undecided_across(gain, status):
    result = claims.relative_gain(gaining(gain), "A", "B", "NMI", "toy", 20, 32)
    assert (result.status, result.statistic) == (status, pytest.approx(gain, abs=2))
    few = claims.relative_gain(gaining(gain, n=5), "A", "B", "NMI", "toy", 20, 32)
    assert few.status == "undecided"


def test_the_interval_covers_the_true_gain_in_about_95_percent():
    rng = np.random.default_rng(1)
    frames = [two_methods(rng.normal(0.6, 0.15, 12), rng.normal(0.4, 0.1, 12)) for _ in range(500)]
    found = [claims.relative_gain(frame, "A", "B", "NMI", "toy", 50, 50).status for frame in frames]
    assert 12 <= found.count("fails") <= 40
    with pytest.raises(ValueError, match="no NMI of C"):
        claims.relative_gain(frames[0], "A", "C", "NMI", "toy", 20, 32)
    with pytest.raises(ValueError, match="method_b"):
        zero = two_methods(np.ones(8), np.resize([1.0, -1.0], 8))
        claims.relative_gain(zero, "A", "B", "NMI", "toy", 20, 32)


def won(gain, n_runs=20, tasks=("1", "2"), metric="NMI", seed=0):
    rng = np.random.default_rng(seed)
    return tidy([(d, m, t, metric, run, rng.normal(0, 0.01) + (gain[d] if m == "new" else 0.0))
                 for d in gain for t in tasks for m in ("new", "old") for run in range(n_runs)])


def test_every_column_must_be_won():
    result = claims.greater_in_each_column(won({"a": 1, "b": 1}), "new", "old", "NMI", ["a", "b"])
    assert result.status == "holds"
    result = claims.greater_in_each_column(won({"a": 1, "b": -1}), "new", "old", "NMI", ["a", "b"])
    assert result.status == "fails"
    assert result.counts == "greater in 2 of 4 columns, significantly in 2; not on b task 1, b task 2"
    tied = claims.greater_in_each_column(won({"a": 1, "b": 0}), "new", "old", "NMI", ["a", "b"])
    assert tied.status == "undecided"
    gaps = np.where(np.isin(np.arange(1, 11), [1, 2, 4]), 1, -1) * np.arange(1, 11) / 100  # p = .037
    frame = won({"a": 0}, 10, list("123456"))
    frame.loc[(frame["task"] == "6") & (frame["method"] == "old"), "value"] = 0.0
    frame.loc[(frame["task"] == "6") & (frame["method"] == "new"), "value"] = gaps
    assert claims.greater_in_each_column(frame, "new", "old", "NMI", ["a"]).status == "undecided"


def test_a_measure_of_the_whole_fit_has_one_column_and_a_fixed_value_may_stand_for_a_method():
    frame = won({"a": 1.0}, tasks=("",), metric="d_M")
    fixed = pd.DataFrame([("a", "true", "", "d_M", 0, 0.5)], columns=frame.columns)
    both = pd.concat([frame, fixed])
    assert claims.greater_in_each_column(both, "new", "true", "d_M", ["a"], ["true"]).status == "holds"
    assert claims.greater_in_each_column(both, "old", "true", "d_M", ["a"], ["true"]).status == "fails"
    with pytest.raises(ValueError, match="no d_M on b"):
        claims.greater_in_each_column(both, "new", "old", "d_M", ["a", "b"])


@pytest.mark.parametrize(("coupling", "bounds", "status"), [
    (0.95, {"low": 0.5}, "holds"), (0.0, {"low": 0.5}, "fails"), (0.0, {"low": -0.5, "high": 0.5}, "holds"),
    (0.95, {"low": -0.5, "high": 0.5}, "fails")])
def test_correlations_hold_inside_and_fail_outside_their_bounds(coupling, bounds, status):
    rng = np.random.default_rng(1)
    common = rng.normal(size=80)
    parts = {t: coupling * common + np.sqrt(1 - coupling**2) * rng.normal(size=80) for t in "12"}
    frame = tidy([("a", "m", t, "NMI", run, value) for t in "12" for run, value in enumerate(parts[t])])
    result = claims.tasks_correlate(frame, "m", "NMI", "a", **bounds)
    assert (result.status, result.n) == (status, 80)
    known = stats.pearsonr(parts["1"], parts["2"])
    assert result.statistic == pytest.approx(known.statistic)
    assert "95% interval {:.2f} to {:.2f}".format(*known.confidence_interval(0.95)) in result.counts
