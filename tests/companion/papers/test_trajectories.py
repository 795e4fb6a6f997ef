"""What a fit keeps of its way, as rows: scores by iteration, falls, rounds of selection, pools."""

import numpy as np
import pandas as pd
import pytest

from mtclib.companion.papers import mspl
from mtclib.companion.runs import results
from mtclib.companion.verdicts import audit, leverage
from mtclib.metrics import SCORES

TRUTH = np.random.default_rng(0).integers(0, 3, 20)


def fits(*names):
    return pd.DataFrame({"key": names, "dataset": "toy", "method": "A", "run": range(len(names))})


def test_scores_by_iteration_are_those_of_each_labelling_and_a_stopped_fit_keeps_its_last():
    rng = np.random.default_rng(1)
    history = {"a": rng.integers(0, 3, (4, 20)), "b": rng.integers(0, 3, (2, 20))}
    frame = mspl.score_trajectories(fits("a", "b"), history, {"toy": TRUTH}, ["ACC", "RI"], until=3)
    for run, key in enumerate("ab"):
        for metric in ("ACC", "RI"):
            rows = frame[(frame["run"] == run) & (frame["metric"] == metric)]
            expected = [SCORES[metric](TRUTH, labels) for labels in history[key]]
            expected += expected[-1:] * (4 - len(expected))
            assert (rows["value"].tolist(), rows["iteration"].tolist()) == (expected, [0, 1, 2, 3])
    assert len(mspl.score_trajectories(fits("a"), history, {"toy": TRUTH}, ["ACC"], until=2)) == 3, "cut"


def test_only_falls_count_and_only_up_to_the_last_iteration():
    rows = {"dataset": "toy", "method": "A", "run": 0, "metric": "ACC"}
    frame = pd.DataFrame({**rows, "iteration": range(5), "value": [0.9, 0.7, 0.8, 0.75, 0.1]})
    assert mspl.total_falls(frame, "ACC", until=3)["value"].item() == pytest.approx(0.25)
    rising = frame.assign(value=np.linspace(0, 1, 5))
    assert mspl.total_falls(rising, "ACC", until=4)["value"].item() == 0


def test_pools_number_all_runs_of_their_draws_through_for_every_method_alike():
    rows = pd.DataFrame([(d, m, r) for d in ("t 0", "t 1", "other") for m in "AB" for r in (0, 1)],
                        columns=["dataset", "method", "run"])
    found = results.pooled(rows, {"t 0": "t", "t 1": "t"})
    assert not found.duplicated(["dataset", "method", "run"]).any()
    assert sorted(found.loc[(found["dataset"] == "t") & (found["method"] == "B"), "run"]) == [0, 1, 2, 3]
    first = found[rows["dataset"] == "t 1"].pivot_table("run", "method", aggfunc=list)["run"]
    assert first["A"] == first["B"]
    assert sorted(set(found.loc[found["dataset"] == "other", "run"])) == [0, 1]


def test_pairs_never_taken_in_count_as_one_round_after_the_last():
    order = {"a": np.array([[0, 4, -1]])}
    frame = mspl.selection_rounds(fits("a"), order, np.array([0, 0, 1]))
    assert frame.set_index("dataset")["value"].to_dict() == {"cluster 1": 2.0, "cluster 2": 5.0}
    order, X = {"a": np.array([[0, 1, 5, 2, 3, 9]])}, np.array([[0.0], [1.0], [5.0], [20.0], [21.0], [25.0]])
    halves = mspl.selection_rounds(fits("a"), order, np.array([0, 0, 0, 1, 1, 1]), [X])
    halves = halves[halves["dataset"] == "view 1"]
    assert halves.set_index("method")["value"].to_dict() == {"near": 1.5, "far": 7.0}


def test_undamaged_rows_stand_in_every_panel():
    rows = [(None, None, None, 0.9), ("missing", "rows", 0.1, 0.8), ("missing", "rows", 0.2, 0.7),
            ("outliers", "entries", 0.1, 0.6)]
    rows = pd.DataFrame(rows, columns=["kind", "unit", "share", "value"])
    found = mspl.panels(rows)
    shares = found.groupby("kind")["share"].apply(sorted).to_dict()
    assert shares == {"missing, rows": [0.0, 0.1, 0.2], "outliers, entries": [0.0, 0.1]}
    assert (found.loc[found["share"] == 0, "value"] == 0.9).all()


def test_the_distance_from_print_is_the_mean_over_metrics_of_the_gap_of_the_means():
    rows = [("A", "ACC", "x", 0.5), ("A", "ACC", "x", 0.7), ("A", "NMI", "x", 0.2), ("A", "NMI", "x", 0.2)]
    rows = pd.DataFrame(rows, columns=["method", "metric", "scaling", "value"])
    printed = pd.DataFrame({"method": "A", "metric": ["ACC", "NMI", "RI"], "mean": [0.7, 0.4, 0.9]})
    assert leverage.distance_from_print(rows, printed, "scaling").loc["x", "A"] == pytest.approx(15.0)


@pytest.mark.parametrize(("acc", "purity", "runs"), [
    ((0.80, 0.03), (0.82, 0.03), 1), ((0.80, 0.05), (0.81, 0.02), 7), ((0.874, 0.055), (0.875, 0.033), 111)])
def test_the_runs_that_two_spreads_need_follow_the_argument(acc, purity, runs):
    rows = [("toy", "", "A", "ACC", *acc, 3), ("toy", "", "A", "purity", *purity, 3)]
    names = ["dataset", "task", "method", "metric", "mean", "std", "decimals"]
    assert audit.runs_needed(pd.DataFrame(rows, columns=names))["runs"].item() == runs
