"""Tables read against themselves: planted errors are found, honest and committed tables pass."""

import numpy as np
import pandas as pd
import pytest

from mtclib.companion.verdicts import audit, published
from mtclib.companion.verdicts.published import from_printed

COLUMNS = list(published.REQUIRED)


def table(rows):
    """Rows (table, dataset, task, method, metric, mean, std) as printed numbers."""
    return from_printed(pd.DataFrame([("p", *row, "percent") for row in rows], columns=COLUMNS))


def task_1(*scores):
    """Scores (method, metric, mean, std) on the first task."""
    return table([("1", "A", "1", *score) for score in scores])


def shown(findings, *names):
    """Some columns of findings as lists."""
    return [[one[name] for name in names] for one in findings]


def random_table(seed):
    """Two scores of eight methods on four tasks of three sets, with averages: nothing is wrong with it."""
    rng, rows = np.random.default_rng(seed), []
    for number, dataset in enumerate("ABC"):
        for method in range(8):
            for metric in ("ACC", "NMI"):
                scores = rng.uniform(20, 95, 4).round(4)
                rows += [(str(number), dataset, task, f"m{method}", metric, f"{score:.2f}", "")
                         for task, score in zip(["1", "2", "3", "4", "avg"], [*scores, scores.mean()])]
    return table(rows)


@pytest.mark.parametrize("seed", range(5))
def test_an_honest_table_has_no_findings(seed):
    assert audit.audit_tables(random_table(seed)).empty


@pytest.mark.parametrize(("printed", "findings"), [
    ("20.01", []), ("20.03", [["last digits", "20.03", "20.003"]]),
    ("20.04", [["average", "20.04", "20.003"]])])
def test_a_wrong_average_is_found_and_rounding_is_forgiven(printed, findings):
    means = {"1": "10.00", "2": "20.00", "3": "30.01", "avg": printed}
    rows = [("1", "A", task, "m", "ACC", mean, "") for task, mean in means.items()]
    found = list(audit.averages(table(rows)))
    assert shown(found, "kind", "printed", "expected") == findings
    assert all(one["cells"] == ("p:1:A:avg:m:ACC",) for one in found)


def planted(base, target, source):
    """`base` with the scores of `source` (dataset, task, method) copied to `target`."""
    out = base.set_index(["dataset", "task", "method", "metric"])
    for metric in ("ACC", "NMI"):
        for column in ("mean", "printed_mean"):
            out.loc[(*target, metric), column] = out.loc[(*source, metric), column]
    return out.reset_index()


@pytest.mark.parametrize(("target", "kind"), [
    (("B", "2", "m5"), "copied"), (("A", "3", "m1"), "repeated across tasks"),
    (("A", "1", "m2"), "repeated within a column")])
def test_a_planted_copy_is_found_and_named_by_where_it_stands(target, kind):
    (found,) = audit.repeated_groups(planted(random_table(1), target, ("A", "1", "m1")))
    assert (found["kind"], len(found["cells"])) == (kind, 4)
    assert "m1 " in found["where"]


def test_only_copies_between_data_sets_and_wrong_averages_leave_the_count():
    copied = planted(random_table(1), ("B", "2", "m5"), ("A", "1", "m1"))
    both = planted(copied, ("A", "3", "m2"), ("A", "4", "m2"))
    findings = audit.audit_tables(both)
    assert sorted(set(findings["kind"])) == ["average", "copied", "repeated across tasks"]
    out = audit.misprints(findings, both)
    assert {"p:0:A:1:m1:ACC", "p:1:B:2:m5:NMI", "p:1:B:avg:m5:ACC", "p:0:A:avg:m1:NMI"} <= out
    assert not {"p:0:A:3:m2:ACC", "p:0:A:2:m1:ACC"} & out


def test_one_equal_number_is_no_finding_and_neither_are_coarse_groups_or_full_scores():
    one = task_1(("x", "ACC", "51.57", ""), ("x", "NMI", "3.10", ""), ("y", "ACC", "51.57", ""),
                 ("y", "NMI", "7.20", ""))
    rng = np.random.default_rng(0)
    coarse = [("1", "A", str(t), f"m{m}", metric, f"{rng.integers(3, 6) / 10:.1f}", "")
              for t in range(6) for m in range(6) for metric in ("ACC", "NMI")]
    full = [("1", d, "1", "m", metric, "100.00", "") for d in "AB" for metric in ("ACC", "NMI", "purity")]
    assert not any(list(audit.repeated_groups(each)) for each in (one, table(coarse), table(full)))


@pytest.mark.parametrize(("score", "expected"), [
    (("ACC", "101.00", ""), "[0, 1]"), (("NMI", "-3.00", ""), "[0, 1]"),
    (("ACC", "80.00", "-1.00"), "0 to 56.57"), (("ACC", "99.00", "20.00"), "0 to 14.11"),
    (("ACC", "100.00", "0.02"), None),  # nine runs at 100 and one at 99.95
    (("ARI", "-2.00", ""), None)])
def test_impossible_scores_and_spreads_are_found(score, expected):
    found = audit.out_of_range(task_1(("m", *score), ("n", "ACC", "50.00", "3.00")))
    assert shown(found, "kind", "expected") == [["range", expected]] * bool(expected)


@pytest.mark.parametrize(("purity", "expected"), [("80.00", []), ("79.00", [[">= 80.00"]])])
def test_purity_below_accuracy_is_found(purity, expected):
    found = audit.out_of_range(task_1(("m", "ACC", "80.00", ""), ("m", "purity", purity, "")))
    assert shown(found, "expected") == expected


def test_accuracy_equal_to_the_share_of_the_largest_class_is_found():
    printed = task_1(("m", "ACC", "58.40", ""), ("n", "ACC", "58.80", ""))
    found = audit.majority_rates(printed, {("A", "1"): [38, 46, 20, 146]})
    assert shown(found, "text") == [["146 of 250 samples are in the largest class"]]


def test_granularity_knows_runs_zero_spread_and_cut_digits_and_is_silent_where_every_value_would_pass():
    rows = [("1", "A", task, method, "ACC", mean, std) for task, method, mean, std in (
        ("1", "good", "33.90", "0.00"), ("1", "bad", "80.99", "0.00"), ("1", "spread", "80.99", "0.40"),
        ("2", "cut", "71.42", "0.00"))]
    bad, cut = audit.granularity(table(rows), {("A", "1"): 1177, ("A", "2"): 42})
    assert shown((bad, cut), "where", "expected") == [["bad, A, task 1, ACC", "80.97"],
                                                      ["cut, A, task 2, ACC", "71.43"]]
    assert ("cut off" in bad["text"], "cut off" in cut["text"]) == (False, True)
    one = task_1(("m", "purity", "57.92", ""))
    for n, runs, expected in ((42, None, 0), (42, 10, 1), (4200, 10, 0)):
        assert len(list(audit.granularity(one, {("A", "1"): n}, runs))) == expected


def test_a_row_is_of_other_tasks_if_most_of_its_accuracies_are_impossible():
    cells = pd.Series({n: ("p", "1", "A", "m", "ACC") for n in range(8)})
    assert not audit._rows_of_other_tasks([0, 1, 2, 3], cells)
    assert audit._rows_of_other_tasks(range(5), cells)


def test_the_errors_of_the_lmsc_tables_are_found():
    printed = published.load("lmsc")
    findings = audit.audit_tables(printed)
    kinds = findings["kind"].value_counts().to_dict()
    assert kinds == {"average": 1, "last digits": 6, "copied": 3, "repeated across tasks": 1}
    wrong = findings[findings["kind"] == "average"].iloc[0]
    assert (wrong["where"], wrong["printed"], wrong["expected"]) == (
        "LMSC, 3Sources, task avg, NMI", "79.75", "69.745")
    assert {"lmsc:1:3Sources:avg:LMSC:NMI", "lmsc:2:BBC:1:DiMSC:purity"} <= audit.misprints(findings, printed)
