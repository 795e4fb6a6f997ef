"""Verdicts: the error rate on simulated truth, the rule, and its edge cases."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from mtclib.companion.verdicts import draws, errors, intervals
from mtclib.companion.verdicts.errors import selection_spread
from mtclib.companion.verdicts.intervals import DELTA, classify, difference_interval, expected, margin
from mtclib.companion.verdicts.judge import SYMBOLS, judge, verdict_counts
from mtclib.companion.verdicts.published import REQUIRED, from_printed

TRIALS = 4000
RESULT = ["dataset", "method", "params", "run", "task", "metric", "value", "status", "error"]


def shares(true_difference, ours, theirs=10, sd=0.03, delta=0.03):
    """Shares of each verdict over simulated papers and reproductions."""
    rng = np.random.default_rng([ours, theirs, int(1e6 * abs(true_difference))])
    a, b = rng.normal(0.7 + true_difference, sd, (TRIALS, ours)), rng.normal(0.7, sd, (TRIALS, theirs))
    low, high = difference_interval(a.mean(1), a.std(1, ddof=1), ours, b.mean(1), b.std(1, ddof=1), theirs)
    verdicts = classify(low, high, delta)
    return {name: np.mean(verdicts == name) for name in ("agrees", "higher", "lower", "inconclusive")}


# 4,000 trials: three standard errors of a share of 5% are 1 point.
@pytest.mark.parametrize("ours", [3, 10, 30])
@pytest.mark.parametrize("true", [-0.03, 0.0, 0.02, 0.03])
def test_a_true_difference_within_the_margin_is_called_different_and_one_at_it_agreement_in_5_percent(
        ours, true):
    found = shares(true, ours)
    assert max(found["higher"], found["lower"]) <= 0.06
    assert abs(true) < 0.03 or found["agrees"] <= 0.06


def test_the_interval_widens_with_the_runs_that_vary_and_one_run_has_none():
    low, high = difference_interval(0.80, 0.03, 10, 0.80)
    t_quantile_9 = 1.8331129326536333
    assert math.isclose(high, t_quantile_9 * 0.03 / math.sqrt(10), abs_tol=1e-9)
    assert low == -high
    assert difference_interval(0.75, 0.0, np.inf, 0.70) == (0.05, 0.05)
    assert classify(*difference_interval(0.75, 0.0, np.inf, 0.70), DELTA) == "agrees"
    assert classify(*difference_interval(0.7501, 0.0, np.inf, 0.70), DELTA) == "higher"
    stands_in = difference_interval(0.80, 0.03, 10, 0.80, np.nan, 10)[1]
    assert math.isclose(stands_in, t_quantile_9 * 0.03 * math.sqrt(2 / 10), abs_tol=1e-9)
    assert difference_interval(0.80, 0.03, 10, 0.80, np.nan, 1, 0.005)[1] > stands_in + 0.005
    assert difference_interval(0.80, 0.03, 10, 0.80, np.nan, 10, selection=0.02)[1] > stands_in + 0.005
    ends = difference_interval(0.75, np.nan, 1, 0.70, 0.01, 10)
    assert np.isnan(ends).all()
    assert classify(*ends, DELTA) == "inconclusive"


SPREAD, RUNS = st.floats(1e-6, 0.5), st.integers(2, 60)


@given(st.floats(-1, 1), SPREAD, RUNS, SPREAD, RUNS, st.floats(0.001, 0.5))
def test_the_verdict_follows_the_interval_and_the_radius_decides_agreement(gap, sd, n, their_sd, their_n,
                                                                           delta):
    low, high = difference_interval(0.5 + gap, sd, n, 0.5, their_sd, their_n)
    assert low - 1e-9 <= gap <= high + 1e-9
    verdict = classify(low, high, delta)
    assert (verdict == "agrees") == (max(abs(low), abs(high)) <= delta)
    mirrored = classify(-high, -low, delta)
    assert {"higher": "lower", "lower": "higher"}.get(str(verdict), verdict) == mirrored


def test_what_rounding_hides_of_the_print_leaves_a_perfect_re_run_less_room_to_agree():
    rounded, narrower = expected(0.05, 10, np.nan, 10, 0.02, 0.07), expected(0.05, 10, np.nan, 10, 0.0, 0.05)
    assert rounded == pytest.approx(narrower, abs=1e-12)
    assert rounded < expected(0.05, 10, np.nan, 10, 0.0, 0.07) - 0.1
    assert expected(0.0, 10, 0.0, 10, 0.02, [0.02, 0.01]).tolist() == [1.0, 0.0]


def test_both_sides_choose_their_setting_by_noisy_runs():
    noise = np.tile([-0.1, 0.1], 10)
    rows = pd.concat([runs(mean + noise, params=name).assign(dataset="toy")
                      for name, mean, noise in (("a", 0.8, noise), ("b", 0.79, -noise))])  # fmt: skip
    other = rows.assign(metric="purity", value=np.where(rows["params"] == "a", 0.2, 0.6))
    cells = pd.DataFrame({"task": ["1"], "metric": ["purity"]})
    accuracy = rows.assign(task="overall")
    study = SimpleNamespace(paper="mtcmrl")

    def spread(n, n_published):
        return selection_spread(study, cells, pd.concat([accuracy, other]), n, n_published).item()

    # One run: each setting is chosen half the time, and their purities are 0.4 apart; many runs: always a.
    assert spread(1, 1) == pytest.approx(0.2 * np.sqrt(2), abs=0.005)
    assert [spread(1, 10**7), spread(10**7, 1)] == pytest.approx([0.2, 0.2], abs=0.005)


@pytest.mark.parametrize("told", ["none", "published only"])
def test_a_deterministic_method_ten_points_off_deviates_in_the_simulation(told):
    cells = pd.DataFrame([{"method": "CLR", "metric": "ACC", "n": 1, "published_n": 10, "published": 0.8,
                           "uncertainty": told, "selection": 0.0, "delta": DELTA, "half_unit": 5e-5,
                           "half_unit_std": 5e-5}])
    spreads = (np.nan, 0.01 if told == "published only" else np.nan)
    ours, theirs = ((np.full((20, 1), 0.8), np.full((20, 1), spread)) for spread in spreads)
    assert dict(zip(errors.SHIFTS, errors._outcomes(cells, ours, theirs)))[2][1].item() == 1


def test_a_coarse_print_widens_the_margin():
    assert margin("d_M", half_unit=0.5, published=2.0) == 0.5
    assert margin("ACC", half_unit=0.5 * 0.2) == 0.1


def printed(*rows):
    return from_printed(pd.DataFrame(rows, columns=list(REQUIRED)))


def cell(mean="80.00", std="2.00", method="SNMF", metric="ACC", task="1"):
    return ("mtcmrl", "3", "toy", task, method, metric, mean, std, "percent")


def runs(values, method="SNMF", metric="ACC", task="1", status="ok", params="{}"):
    error = "" if status == "ok" else "ValueError: no"
    rows = [("toy", method, params, run, task, metric, value, status, error)
            for run, value in enumerate(values)]
    return pd.DataFrame(rows, columns=RESULT)


def around(mean, sd, n=10):
    steps = np.arange(n) - (n - 1) / 2
    return mean + sd * steps / steps.std(ddof=1)


def one(published, results, **options):
    return judge(published, results, **{"n_published": 10, **options}).iloc[0]


@pytest.mark.parametrize(("values", "verdict"), [
    (around(0.80004, 0.02), "exact"), (around(0.80006, 0.02), "agrees"), (around(0.81, 0.02), "agrees"),
    (around(0.95, 0.02), "higher"), (around(0.60, 0.02), "lower"),
    (around(0.84, 0.05), "inconclusive"), ([0.81], "inconclusive")])
def test_each_statistical_verdict_is_reached(values, verdict):
    row = one(printed(cell()), runs(values))
    assert row["within_prediction"] == (verdict not in ("higher", "lower") and len(values) > 1)
    assert (row["verdict"], row["n"]) == (verdict, len(values))
    assert row["ours"] == pytest.approx(np.mean(values))


def test_absent_cells_say_why_in_the_order_of_the_rule():
    table = printed(*(cell(method=method) for method in ("CLR", "MTSC", "SNMF", "k-means")))
    table.loc[3, "mean"] = np.nan
    results = pd.concat([runs([np.nan, np.nan], status="failed"), runs([0.8, 0.8], method="k-means")])
    verdicts = judge(table, results, not_run={"CLR": "comes later"})
    assert verdicts["verdict"].tolist() == ["not-run", "not-run", "failed", "unavailable"]
    assert verdicts["reason"].tolist() == ["comes later", "no run of this method, data set and metric",
                                           "ValueError: no", "the paper prints no number here"]
    assert verdicts["ours"].isna()[:3].all()


def test_a_failed_run_is_counted_and_never_a_zero_nor_mistaken_for_data_that_cannot_be_had():
    both = pd.concat([runs(around(0.80, 0.01, 8)), runs([np.nan, 0.0], status="failed").assign(run=[8, 9])])
    row = one(printed(cell(mean="80.50")), both)
    assert row["ours"] == pytest.approx(0.80)
    known = row["n"], row["n_failed"], row["verdict"], row["reason"]
    assert known == (8, 2, "agrees", "2 of 10 runs failed")
    row = one(printed(cell()), runs([np.nan], status="unavailable").assign(error="no source has the file"))
    assert (row["verdict"], row["reason"], row["n_failed"]) == ("unavailable", "no source has the file", 0)


def test_a_misprint_is_shown_but_never_counted():
    table = printed(cell(), cell(method="k-means"))
    results = pd.concat([runs(around(0.8, 0.01)), runs(around(0.9, 0.01), method="k-means")])
    verdicts = judge(table, results, n_published=10, misprints=[table["cell"][1]])
    assert verdicts["verdict"].tolist() == ["exact", "misprint"]
    assert verdicts.loc[1, ["misprint", "cause"]].tolist() == [True, "misprint"]
    assert verdicts.loc[1, "difference"] == pytest.approx(0.1)
    shown = ["counted", "agreeing", "deviating"]
    assert verdict_counts(verdicts, ["method"])[shown].values.tolist() == [[1, 1, 0], [0, 0, 0]]
    assert len(set(SYMBOLS.values())) == len(SYMBOLS)


@pytest.mark.parametrize(("misprint", "counted"), [((), [True, True, False]), ((0,), [False, True, True])])
def test_an_average_counts_only_where_its_tasks_do_not_and_a_calibration_cell_never(misprint, counted):
    table = printed(*(cell(task=task) for task in ("1", "2", "avg")))
    results = pd.concat([runs(around(0.8, 0.01), task=task) for task in ("1", "2", "avg")])
    options = {"n_published": 10, "misprints": table["cell"][list(misprint)]}
    cells = judge(table, results, **options)
    assert cells["counted"].tolist() == counted
    assert verdict_counts(cells, ["paper"])[["counted", "agreeing"]].values.tolist() == [[sum(counted)] * 2]
    assert not judge(table, results, calibration=table["cell"], **options)["counted"].any()


def test_a_deterministic_method_needs_one_run_and_must_not_vary_and_several_grid_points_are_refused():
    table = printed(cell(std="", method="CLR"))
    row = one(table, runs([0.84], method="CLR"), deterministic=["CLR"])
    assert (row["verdict"], row["uncertainty"]) == ("agrees", "none")
    assert row["high"] == pytest.approx(0.04 + 0.00005)
    with pytest.raises(ValueError, match="runs of 'CLR' differ"):
        one(table, runs([0.84, 0.85], method="CLR"), deterministic=["CLR"])
    with pytest.raises(ValueError, match="2 grid points for method 'SNMF' on 'toy'"):
        one(printed(cell()), pd.concat([runs([0.8]), runs([0.9], params='{"lam":1.0}')]))


def test_spreads_not_printed_are_flagged_and_printed_zeros_are_half_a_unit():
    ours = runs(around(0.81, 0.02))
    for std, n, told in (("", 10, "ours for both"), ("", 1, "one split"), ("", None, "one split"),
                         ("2.00", 10, "both"), ("2.00", None, "one split")):
        assert one(printed(cell(std=std)), ours, n_published=n)["uncertainty"] == told
    row = one(printed(cell(std="0.00")), runs([0.85004] * 10))
    assert row["low"] < row["difference"] < row["high"]
    assert row["uncertainty"] == "both"
    assert 1.2e-4 < row["high"] - row["low"] < 2e-4, "half a unit of the spread, and of the mean"


def test_a_deviation_carries_the_first_cause_that_fits_or_unknown():
    rules = [{"cause": "preprocessing", "evidence": "tf-idf", "method": "k-means"},
             {"cause": "stopping", "evidence": "threshold", "method": "SNMF", "task": "1"}]
    row = one(printed(cell()), runs(around(0.95, 0.01)), causes=rules)
    assert (row["cause"], row["reason"]) == ("stopping", "threshold")
    assert one(printed(cell()), runs(around(0.95, 0.01)), causes=rules[:1])["cause"] == "unknown"
    assert one(printed(cell()), runs(around(0.80, 0.01)), causes=rules)["cause"] == ""


def test_nmi_is_mapped_to_ours_and_an_empty_task_is_the_average():
    assert one(printed(cell(task="")), runs(around(0.8, 0.01), task=""))["verdict"] == "exact", "views"
    of_tasks = pd.concat([runs(around(0.8, 0.01), task="avg"), runs([1.0] * 10, task="", metric="d_M")])
    assert one(printed(cell(task="")), of_tasks)["verdict"] == "exact"
    places = pd.DataFrame({"task": "", "metric": ["ACC", "d_M"]})
    scores, _ = draws.population(SimpleNamespace(paper="mtcmrl"), places, of_tasks)
    assert scores.mean(axis=(0, 1)) == pytest.approx([0.8, 1.0])
    table, kind = printed(cell(metric="NMI", mean="40.00")), "geometric"
    results = pd.concat([runs(around(m, 0.01), metric=f"NMI_{n}") for m, n in ((0.4, kind), (0.6, "min"))])
    assert one(table, results)["ours"] == pytest.approx(0.4)


@pytest.mark.parametrize(("metric", "ours", "verdict"), [
    ("d_M", 25.0, "higher"), ("d_M", 20.4, "agrees"), ("d_M", 0.02, "lower"), ("seconds", 25.0, "no margin")])
def test_a_distance_is_judged_by_a_share_of_the_printed_value_and_without_a_margin_not_at_all(
        metric, ours, verdict):
    table = printed(("mbc", "4", "toy", "", "IND", metric, "20.00", "0.10", "distance"))
    row = one(table, runs(around(ours, 0.01), method="IND", metric=metric, task="avg"))
    assert row["verdict"] == verdict
    assert row["relative_difference"] == pytest.approx(ours / 20 - 1)
    assert row["delta"] == pytest.approx(1.0 if metric == "d_M" else np.nan, nan_ok=True)


@pytest.mark.parametrize(("scores", "printed"), [
    ([84.51, 84.50, 87.46, 85.60, 84.20, 86.61, 86.20], 1.562), ([31.11, 30.28, 31.11, 29.12], 3.572)])
def test_the_coefficient_of_variation_is_that_of_table_4_of_belz_popovic_and_mille(scores, printed):
    (found,) = intervals.coefficient_of_variation([scores])
    assert round(found, 3) == printed
    assert np.allclose(intervals.coefficient_of_variation([scores, 3 * np.array(scores)]), found)
    assert np.isnan(intervals.coefficient_of_variation([[-0.1, 0.1]])[0])


def test_two_sets_of_scores_agree_by_size_by_line_and_by_rank():
    ours, printed = np.array([0.2, 0.4, 0.6, np.nan, 0.9]), np.array([0.1, 0.3, 0.5, 0.7, 0.8])
    found = intervals.agreement(ours, printed)
    assert (found["pearson"], found["spearman"]) == pytest.approx((1, 1))
    kept = np.column_stack([ours, printed])[[0, 1, 2, 4]]
    assert found["cv"] == pytest.approx(intervals.coefficient_of_variation(kept).mean())
    curved = intervals.agreement(ours**3, printed)
    assert curved["pearson"] < 0.99 < curved["spearman"] == pytest.approx(1)
