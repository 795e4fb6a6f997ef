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


def random_table(seed, methods=8, datasets=("A", "B", "C"), tasks=4):
    """Two scores of random methods with their averages: nothing is wrong with it."""
    rng = np.random.default_rng(seed)
    rows = []
    for number, dataset in enumerate(datasets):
        for method in range(methods):
            for metric in ("ACC", "NMI"):
                scores = rng.uniform(20, 95, tasks).round(4)
                named = [*((str(t + 1), s) for t, s in enumerate(scores)), ("avg", scores.mean())]
                rows += [(str(number), dataset, task, f"m{method}", metric, f"{score:.2f}", "")
                         for task, score in named]
    return table(rows)


@pytest.mark.parametrize("seed", range(5))
def test_an_honest_table_has_no_findings(seed):
    assert audit.audit_tables(random_table(seed)).empty


def test_a_wrong_average_is_found_and_rounding_is_forgiven():
    rows = [("1", "A", str(t), "m", "ACC", mean, "") for t, mean in enumerate(["10.00", "20.00", "30.01"])]
    assert audit.averages(table([*rows, ("1", "A", "avg", "m", "ACC", "20.01", "")])).empty
    for printed, kind in (("20.03", "last digits"), ("20.04", "average")):
        found = audit.averages(table([*rows, ("1", "A", "avg", "m", "ACC", printed, "")])).iloc[0]
        assert (found["kind"], found["printed"], found["expected"]) == (kind, printed, "20.003")
    assert found["cells"] == ("p:1:A:avg:m:ACC",)


def planted(base, target, source):
    """`base` with the scores of `source` (dataset, task, method) copied to `target`."""
    out = base.copy()
    for metric in ("ACC", "NMI"):
        at, origin = (
            (out["dataset"] == d) & (out["task"] == t) & (out["method"] == m) & (out["metric"] == metric)
            for d, t, m in (target, source))
        for column in ("mean", "printed_mean"):
            out.loc[at, column] = out.loc[origin, column].item()
    return out


@pytest.mark.parametrize(("target", "kind"), [
    (("B", "2", "m5"), "copied"), (("A", "3", "m1"), "repeated across tasks"),
    (("A", "1", "m2"), "repeated within a column")])
def test_a_planted_copy_is_found_and_named_by_where_it_stands(target, kind):
    found = audit.repeated_groups(planted(random_table(1), target, ("A", "1", "m1")))
    assert found["kind"].tolist() == [kind]
    assert len(found["cells"][0]) == 4
    assert "m1 " in found["where"][0]


def test_only_copies_between_data_sets_and_wrong_averages_leave_the_count():
    copied = planted(random_table(1), ("B", "2", "m5"), ("A", "1", "m1"))
    both = planted(copied, ("A", "3", "m2"), ("A", "4", "m2"))
    findings = audit.audit_tables(both)
    assert sorted(set(findings["kind"])) == ["average", "copied", "repeated across tasks"]
    out = audit.misprints(findings, both)
    assert {"p:0:A:1:m1:ACC", "p:1:B:2:m5:NMI", "p:1:B:avg:m5:ACC", "p:0:A:avg:m1:NMI"} <= out
    assert "p:0:A:3:m2:ACC" not in out
    assert "p:0:A:2:m1:ACC" not in out


def test_one_equal_number_is_no_finding_and_neither_are_coarse_groups_or_full_scores():
    one = [("1", "A", "1", method, metric, mean, "") for method, metric, mean in (
        ("x", "ACC", "51.57"), ("x", "NMI", "3.10"), ("y", "ACC", "51.57"), ("y", "NMI", "7.20"))]
    rng = np.random.default_rng(0)
    coarse = [("1", "A", str(t), f"m{m}", metric, f"{rng.integers(3, 6) / 10:.1f}", "")
              for t in range(6) for m in range(6) for metric in ("ACC", "NMI")]
    full = [("1", d, "1", "m", metric, "100.00", "") for d in "AB" for metric in ("ACC", "NMI", "purity")]
    assert all(audit.repeated_groups(table(rows)).empty for rows in (one, coarse, full))


@pytest.mark.parametrize(("metric", "mean", "std", "expected"), [
    ("ACC", "101.00", "", "[0, 1]"), ("NMI", "-3.00", "", "[0, 1]"),
    ("ACC", "80.00", "-1.00", "0 to 56.57"), ("ACC", "99.00", "20.00", "0 to 14.08")])
def test_impossible_scores_and_spreads_are_found(metric, mean, std, expected):
    rows = [("1", "A", "1", "m", metric, mean, std), ("1", "A", "2", "m", "ACC", "50.00", "3.00")]
    found = audit.out_of_range(table(rows))
    assert found[["kind", "expected"]].values.tolist() == [["range", expected]]


def test_purity_below_accuracy_and_accuracy_equal_to_the_largest_class_are_found():
    rows = [("1", "A", "1", "m", "ACC", "80.00", ""), ("1", "A", "1", "m", "ARI", "-2.00", "")]
    assert audit.out_of_range(table([*rows, ("1", "A", "1", "m", "purity", "80.00", "")])).empty
    found = audit.out_of_range(table([*rows, ("1", "A", "1", "m", "purity", "79.00", "")]))
    assert found["expected"].tolist() == [">= 80.00"]
    rows = [("1", "A", "1", "m", "ACC", "58.40", ""), ("1", "A", "1", "n", "ACC", "58.80", "")]
    found = audit.majority_rates(table(rows), {("A", "1"): [38, 46, 20, 146]})
    assert found["text"].tolist() == ["146 of 250 samples are in the largest class"]


def test_granularity_knows_runs_zero_spread_and_cut_digits_and_is_silent_where_every_value_would_pass():
    rows = [("1", "A", task, method, "ACC", mean, std) for task, method, mean, std in (
        ("1", "good", "33.90", "0.00"), ("1", "bad", "80.99", "0.00"), ("1", "spread", "80.99", "0.40"),
        ("2", "cut", "71.42", "0.00"))]
    found = audit.granularity(table(rows), {("A", "1"): 1177, ("A", "2"): 42})
    assert found["where"].str.partition(",")[0].tolist() == ["bad", "cut"]
    assert found["expected"].tolist() == ["80.97", "71.43"]
    assert found["text"].str.contains("cut off").tolist() == [False, True]
    cells = pd.Series({n: ("p", "1", "A", "m", "ACC") for n in range(8)})
    assert not audit._rows_of_other_tasks([0, 1, 2, 3], cells)
    assert audit._rows_of_other_tasks(range(5), cells)
    one = table([("1", "A", "1", "m", "purity", "57.92", "")])
    for n, runs, expected in ((42, None, 0), (42, 10, 1), (4200, 10, 0)):
        assert len(audit.granularity(one, {("A", "1"): n}, **({"runs": runs} if runs else {}))) == expected


def test_the_errors_of_the_lmsc_tables_are_found():
    printed = published.load("lmsc")
    findings = audit.audit_tables(printed)
    kinds = findings["kind"].value_counts().to_dict()
    assert kinds == {"average": 1, "last digits": 6, "copied": 3, "repeated across tasks": 1}
    wrong = findings[findings["kind"] == "average"].iloc[0]
    assert (wrong["where"], wrong["printed"], wrong["expected"]) == (
        "LMSC, 3Sources, task avg, NMI", "79.75", "69.745")
    assert {"lmsc:1:3Sources:avg:LMSC:NMI", "lmsc:2:BBC:1:DiMSC:purity"} <= audit.misprints(findings, printed)
