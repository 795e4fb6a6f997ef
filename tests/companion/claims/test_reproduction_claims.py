"""Claims as tests: each named test holds, fails and is undecided where it should."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mtclib.companion.claims import curves, methods
from mtclib.companion.papers.results import relation_frame
from mtclib.companion.verdicts import published
from mtclib.core.paths import paper_dir


def results(means, runs=10, sd=0.01, seed=0, metric="ACC"):
    """Tidy results of {(method, task): mean}, with noise shared by nobody."""
    rng = np.random.default_rng(seed)
    rows = [("toy", method, task, metric, run, mean + sd * rng.normal(), "{}")
            for (method, task), mean in means.items() for run in range(runs)]
    return pd.DataFrame(rows, columns=["dataset", "method", "task", "metric", "run", "value", "params"])


def test_six_paired_runs_decide_and_five_do_not():
    assert (methods.majority(6, 6)[0], methods.majority(5, 5)[0]) == ("holds", "undecided")
    frame = results({("A", "avg"): 0.9, ("B", "avg"): 0.5})
    assert methods.mean_greater(frame[frame["run"] < 5], "A", "B", "ACC", "toy").status == "undecided"
    assert methods.mean_greater(frame[frame["run"] < 6], "A", "B", "ACC", "toy").n == 6
    frame.loc[(frame["method"] == "B") & (frame["run"] < 3), "value"] = np.nan
    assert methods.mean_greater(frame, "A", "B", "ACC", "toy").n == 7


@pytest.mark.parametrize(("after", "status"), [(0.05, "holds"), (-0.05, "fails"), (0.0, "undecided")])
def test_who_loses_less_is_decided_by_how_far_it_is_ahead_with_noise_and_without(after, status):
    clean = results({("A", "avg"): 0.9, ("B", "avg"): 0.85})
    noisy = results({("A", "avg"): 0.7 + after, ("B", "avg"): 0.65}, seed=1).assign(dataset="noisy")
    assert methods.loses_less(pd.concat([clean, noisy]), "A", "B", "ACC", "noisy",
                              clean="toy").status == status


@pytest.mark.parametrize(("worst", "status"), [(0.8, "fails"), (0.95, "holds"), (0.9, "undecided")])
def test_ten_runs_decide_among_forty_comparisons_by_the_worst_of_them(worst, status):
    rivals = [f"B{i}" for i in range(40)]
    means = {(name, "1"): 0.6 for name in rivals} | {("A", "1"): 0.9, ("C", "1"): 1.8 - worst}
    found = methods.best_in_each_task(results(means, sd=0.005), "A", ["C", *rivals], "ACC", "toy", ["1"])
    assert found.status == status


@pytest.mark.parametrize(("means", "status"), [
    ((0.5, 0.5, 0.99), "holds"), ((0.99, 0.99, 0.5), "fails"), ((0.5, 0.9, 0.99), "undecided")])
def test_a_method_that_is_better_in_most_cases_wins_more_than_half_of_them(means, status):
    frame = results({("A", "1"): 0.9, **{(name, "1"): mean for name, mean in zip("BCD", means)}}, seed=3)
    assert methods.wins_most(frame, "A", list("BCD"), "ACC", ["toy"]).status == status


def test_the_better_mean_holds_in_one_direction_and_fails_in_the_other():
    frame = results({("A", "1"): 0.9, ("A", "2"): 0.7, ("B", "1"): 0.5, ("B", "2"): 0.71}, sd=0.02)
    better = methods.mean_greater(frame, "A", "B", "ACC", "toy", tasks=["1", "2"])
    assert (better.status, better.n) == ("holds", 10)
    assert better.p < 0.05
    assert better.statistic == pytest.approx(0.195, abs=0.01)
    wins, _, losses = (int(part.split()[0]) for part in better.counts.split(", "))
    assert wins + losses == 20
    assert wins >= 10
    assert losses > 0
    assert methods.mean_greater(frame, "B", "A", "ACC", "toy", tasks=["1", "2"]).status == "fails"


def test_equal_scores_are_undecided_and_others_decided_by_chance_in_about_5_percent():
    tied = methods.mean_greater(results({("A", "avg"): 0.9, ("B", "avg"): 0.9}, sd=0.0), "A", "B", "ACC",
                                "toy")
    assert (tied.status, tied.counts) == ("undecided", "0 wins, 10 ties, 0 losses (run and task)")
    equal = {("A", "avg"): 0.7, ("B", "avg"): 0.7}
    decided = [methods.mean_greater(results(equal, seed=seed), "A", "B", "ACC", "toy").status
               for seed in range(150)]
    assert 0 < sum(status != "undecided" for status in decided) <= 15


def test_one_run_stands_for_all_only_if_deterministic_and_absent_methods_and_doubled_runs_are_refused():
    frame = results({("A", "avg"): 0.9, ("B", "avg"): 0.5})
    single = frame[(frame["method"] == "A") | (frame["run"] == 0)]
    assert methods.mean_greater(single, "A", "B", "ACC", "toy").status == "undecided"
    assert methods.mean_greater(single, "A", "B", "ACC", "toy", deterministic=["B"]).status == "holds"
    with pytest.raises(ValueError, match="no ACC of method 'C'"):
        methods.mean_greater(frame, "A", "C", "ACC", "toy")
    with pytest.raises(ValueError, match="keep one grid point"):
        methods.mean_greater(pd.concat([frame, frame]), "A", "B", "ACC", "toy")


def test_best_in_each_task_needs_every_comparison():
    means = {("A", "1"): 0.9, ("A", "2"): 0.8, ("B", "1"): 0.5, ("B", "2"): 0.6, ("C", "1"): 0.4,
             ("C", "2"): 0.7}  # fmt: skip
    options = dict(method="A", others=["B", "C"], metric="ACC", dataset="toy", tasks=["1", "2"])
    good = methods.best_in_each_task(results(means), **options)
    assert (good.status, good.counts) == ("holds", "4 wins, 0 ties, 0 losses (task and rival)")
    unclear = methods.best_in_each_task(results(means | {("C", "2"): 0.8}, sd=0.05), **options)
    assert unclear.status == "undecided"
    bad = methods.best_in_each_task(results(means | {("C", "2"): 0.95}), **options)
    assert bad.status == "fails"
    assert bad.counts.endswith("; behind C on task 2")
    assert methods.best_in_each_task(results(means), **options, margin=0.2).status == "fails"


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
    return pd.DataFrame(rows, columns=["dataset", "method", "task", "metric", "run", "value", "params"])


def test_a_span_holds_inside_and_fails_outside_and_sensitivities_are_compared_on_the_same_runs():
    frame = swept({"lam": 0.04, "mu": 0.005})
    assert curves.span_within(frame, "lam", "ACC", "toy", low=0.02, high=0.05).status == "holds"
    assert curves.span_within(frame, "mu", "ACC", "toy", high=0.02).status == "holds"
    assert curves.span_within(frame, "lam", "ACC", "toy", high=0.02).status == "fails"
    assert curves._interval(0.10, np.linspace(0.11, 0.13, 201), 10).mean() == pytest.approx(0.08), "bias"
    few = swept({"lam": 0.04}, runs=5)
    assert curves.span_within(few, "lam", "ACC", "toy", high=0.05).status == "undecided"
    result = curves.more_sensitive_than(frame, "lam", "mu", "ACC", "toy")
    assert (result.status, result.statistic) == ("holds", pytest.approx(0.035, abs=0.005))
    assert curves.more_sensitive_than(frame, "mu", "lam", "ACC", "toy").status == "fails"
    with pytest.raises(ValueError, match="no sweep over 'beta'"):
        curves.span_within(frame, "beta", "ACC", "toy")


@pytest.mark.parametrize(("values", "status"), [
    ([0.2, 0.5, 0.6, 0.3], "holds"), ([0.2, 0.5, 0.6, 0.7], "fails"), ([0.5] * 4, "fails")])
def test_a_curve_is_a_bell_if_it_is_higher_between_its_ends(values, status):
    rng = np.random.default_rng(0)
    rows = [("toy", "M", "avg", "ACC", run, value + 0.01 * rng.normal(), json.dumps({"lam": step}))
            for step, value in enumerate(values) for run in range(10)]
    frame = pd.DataFrame(rows, columns=["dataset", "method", "task", "metric", "run", "value", "params"])
    assert curves.rises_then_falls(frame, "lam", "ACC", "toy").status == status


@pytest.mark.parametrize("sd", [0.002, 0.02])
def test_a_span_at_its_limit_and_equal_spans_are_decided_in_about_5_percent_each_way(sd):
    alone = [swept({"lam": 0.02}, sd=sd, seed=seed) for seed in range(25)]
    both = [swept({"lam": 0.01, "mu": 0.01}, sd=sd, seed=seed) for seed in range(25)]
    for outcomes in ([curves.span_within(frame, "lam", "ACC", "toy", high=0.02).status for frame in alone],
                     [curves.more_sensitive_than(frame, "lam", "mu", "ACC", "toy").status for frame in both]):
        assert outcomes.count("holds") <= 4
        assert outcomes.count("fails") <= 4


def converging(iterations, converged=True):
    runs = {"run": range(len(iterations)), "n_iter": iterations, "converged": converged}
    return pd.DataFrame({"dataset": "toy", "method": "M", **runs})


def test_iterations_count_only_runs_that_converged():
    assert curves.iterations_within(converging([90] * 10), "M", "toy", 50, 150).status == "holds"
    late = curves.iterations_within(converging([10] * 9 + [90]), "M", "toy", 50, 150)
    assert late.status == "fails"
    assert late.counts == "1 of 10 runs converge within 50 to 150 iterations; median 10"
    never = converging([90] * 10, converged=False)
    assert curves.iterations_within(never, "M", "toy", 50, 150).status == "fails"
    with pytest.raises(ValueError, match="no run of 'X'"):
        curves.iterations_within(converging([90]), "X", "toy", 50, 150)


def relations(matrices, rows, columns):
    entries = [("toy", 0, "1", str(pair + 2), row, column, matrix[i][j])
               for pair, matrix in enumerate(matrices)
               for i, row in enumerate(rows) for j, column in enumerate(columns)]
    return pd.DataFrame(entries, columns=["dataset", "run", "task", "other", "row", "column", "value"])


def test_the_largest_entry_names_the_counterpart_or_not():
    def found(*matrices):
        frame = relations(matrices, ["comp", "rec"], ["comp", "rec", "talk"])
        return curves.largest_entry_names_counterpart(frame, "toy")

    good, bad = [[3, 1, 0], [0, 2, 1]], [[1, 3, 0], [0, 1, 2]]
    assert (found(*[good] * 4).status, found(*[bad] * 4).status) == ("holds", "fails")
    few = found(good, bad)
    assert (few.status, few.n, few.statistic) == ("undecided", 4, 0.5)
    with pytest.raises(ValueError, match="no cluster of 'toy' has a counterpart"):
        curves.largest_entry_names_counterpart(relations([[[1, 2]]], ["metal"], ["food", "energy"]), "toy")


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
    assert curves.largest_entry_names_counterpart(mapped, "toy").counts.startswith("2 of 2")


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
    assert curves.largest_entry_names_counterpart(frame, "toy").counts.startswith(counts)


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
    assert curves.rises_sharply_after(timings(after=0.2), "qp", 35).status == "holds"
    assert curves.rises_sharply_after(timings(after=0.0), "qp", 35).status == "fails"
    assert curves.rises_slower_than(timings(after=0.2), "fw", "qp", 35).status == "holds"
    assert curves.rises_slower_than(timings(after=0.2), "qp", "fw", 35).status == "fails"
    with pytest.raises(ValueError, match="needs two sizes"):
        curves.rises_sharply_after(timings(after=0.2), "qp", 95)


def test_the_printed_tables_have_their_own_record():
    record = methods.printed_record(published.load("mtcmrl"), "MTCMRL", ["DMTFC", "DMTRC", "CLR"], "ACC",
                                    "WebKB4")
    assert record == "10 wins, 0 ties, 2 losses (task and rival); behind DMTFC on task 1, DMTFC on task 2"


@pytest.mark.parametrize("n_runs", [6, 9, 13, 14])
@pytest.mark.parametrize("decimals", [1, 12], ids=["tied", "distinct"])
def test_the_p_value_of_a_comparison_is_that_of_scipys_signed_rank_test(n_runs, decimals):
    gaps = np.random.default_rng(n_runs).normal(0.2, 0.4, n_runs).round(decimals)
    gaps[2] = 0.0
    assert methods._signed_rank(tuple(gaps)) == pytest.approx(stats.wilcoxon(gaps).pvalue, rel=1e-12)


def test_one_run_that_differs_among_equal_ones_decides_nothing():
    assert methods.wilcoxon(np.eye(10)[0]) == ("undecided", 1.0)
