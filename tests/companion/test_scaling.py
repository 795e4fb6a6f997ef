"""Simulated runs on many workers: right on small cases, within their bounds, and fed by measured costs."""

import itertools
import runpy

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtclib.companion import plots, scaling
from mtclib.companion.runs import papers
from mtclib.companion.scaling import Costs, makespan

times = st.lists(st.integers(0, 50).map(lambda n: n / 4), min_size=1, max_size=12)


def second_by_second(seconds, workers, dispatch, datasets, loading):
    """The same, told worker by worker: who is free first takes the next job."""
    free, held = [0.0] * workers, [[] for _ in range(workers)]
    for i, cost in enumerate(seconds):
        worker = free.index(min(free))
        start = max(free[worker], (i + 1) * dispatch)
        if datasets[i] in held[worker]:
            held[worker].remove(datasets[i])
        else:
            start += loading[i]
        held[worker] = [*held[worker], datasets[i]][-scaling.HELD:]
        free[worker] = start + cost
    return max(free)


@given(times, st.integers(1, 5), st.sampled_from([0.0, 0.5, 2.0]), st.data())
@settings(max_examples=60)
def test_the_simulation_is_that_of_a_literal_one(seconds, workers, dispatch, data):
    datasets = data.draw(st.lists(st.sampled_from("abcd"), min_size=len(seconds), max_size=len(seconds)))
    loading = [{"a": 1.0, "b": 2.0, "c": 4.0, "d": 0.5}[name] for name in datasets]
    found = makespan(seconds, workers, dispatch=dispatch, datasets=datasets, loading=loading)
    assert found == second_by_second(seconds, workers, dispatch, datasets, loading)


@given(times, st.integers(1, 8), st.sampled_from([0.0, 0.5]))
@settings(max_examples=60)
def test_no_run_beats_its_bounds_and_more_workers_never_harm(seconds, workers, dispatch):
    found = makespan(seconds, workers, dispatch=dispatch)
    assert found >= max(*seconds, sum(seconds) / workers, len(seconds) * dispatch + seconds[-1])
    assert makespan(seconds, workers + 1, dispatch=dispatch) <= found
    assert makespan(seconds, 1) == pytest.approx(sum(seconds))
    assert makespan(seconds, len(seconds)) == max(seconds)


@given(times.filter(lambda seconds: len(seconds) <= 6), st.integers(1, 3))
@settings(max_examples=30)
def test_longest_first_is_near_the_best_order_by_brute_force(seconds, workers):
    shares = itertools.product(range(workers), repeat=len(seconds))
    best = min(max(sum(s for s, w in zip(seconds, share) if w == worker) for worker in range(workers))
               for share in shares)
    longest_first = makespan(sorted(seconds, reverse=True), workers)
    # Graham's bound, 1969.
    assert best <= longest_first <= (4 / 3 - 1 / (3 * workers)) * best + 1e-9


def test_a_worker_forgets_all_but_two_data_sets():
    names, zeros = list("abcabc"), [0.0] * 6
    assert makespan(zeros, 1, datasets=names, loading=[1.0] * 6) == 6
    assert makespan(zeros, 1, datasets=list("ababab"), loading=[1.0] * 6) == 2


def test_there_must_be_a_worker_and_the_order_must_be_known():
    with pytest.raises(ValueError, match="workers must be at least 1, not 0"):
        makespan([1.0], 0)
    with pytest.raises(ValueError, match="Did you mean 'longest first'"):
        scaling.simulate(toy(), 2, "longest")


def toy(dispatch=0.01):
    rows = [("x", "X", "slow", "main", 8.0, 2.0), *[("x", "X", "quick", "main", 1.0, 2.0)] * 12,
            *[("y", "Y", "quick", "study", 1.0, 4.0)] * 4]
    names = ["dataset", "published", "method", "part", "seconds", "loading"]
    return Costs("toy", pd.DataFrame(rows, columns=names), dispatch, 300.0, 5.0)


def test_a_run_is_planned_then_shared_out_until_the_longest_fit_binds():
    costs = toy()
    assert (costs.work, costs.planning) == (24.0, 6.0)
    # One worker: planning, all fits, each data set once; handed out before it is needed.
    assert scaling.simulate(costs, 1) == pytest.approx(6 + 24 + 6 + 0.01)
    table = scaling.on_many([costs], 100).iloc[0]
    assert table["bound by"] == "longest fit" and table["longest fit (s)"] == 10
    assert table["submitted (s)"] == table["longest first (s)"] == pytest.approx(16.0)
    assert scaling.on_many([toy(dispatch=3.0)], 100)["bound by"].tolist() == ["handing out"]
    curve = scaling.curve(costs, (1, 2, 4, 8))
    np.testing.assert_allclose(curve["efficiency"] * curve["seconds"] * curve["workers"], 24)
    assert curve["seconds"].is_monotonic_decreasing
    assert scaling.enough(curve) == 8


@pytest.fixture(scope="module")
def measured():
    return {paper: scaling.costs(paper) for paper in papers.papers()}


def test_costs_are_those_of_the_committed_results(measured):
    table = scaling.summary(list(measured.values())).set_index("paper")
    assert sorted(table.index) == papers.papers()
    for paper, costs in measured.items():
        jobs = pd.read_csv(scaling.paths.results_dir(paper) / "jobs.csv.gz")
        once = jobs[jobs["status"] == "ok"].drop_duplicates("key")
        assert table.loc[paper, "fits"] == len(once)
        assert table.loc[paper, "hours"] == pytest.approx(once["seconds"].sum() / 3600, abs=0.006)
        assert costs.memory > costs.data and (costs.fits["loading"] > 0).all() and costs.dispatch > 0


def test_the_recorded_cluster_run_is_that_of_its_script_and_of_all_committed_fits(measured):
    found = scaling.measured("cluster.json")
    script = runpy.run_path(str(scaling.paths.root() / "benchmarks" / "cluster_run.py"))
    assert tuple(found) == script["RECORD"]
    assert found["jobs"] == len(measured[found["paper"]].fits)
    assert found["killed_after_seconds"] < found["seconds_dask"] and found["workers"] >= 2
    assert found["identical_labels"] and found["identical_scores"] and found["identical_objectives"]


def test_what_was_left_out_of_printed_grids_is_counted(measured):
    left = pd.concat([scaling.printed_hours(costs) for costs in measured.values()])
    assert left[["paper", "method"]].to_numpy().tolist() == [["lmsc", "LMSC"]]
    row = left.iloc[0]
    assert (row["points run"], row["points printed"]) == (9, 64)
    assert row["hours printed"] == pytest.approx(row["hours run"] * 64 / 9, rel=0.1)


def test_the_figure_draws_the_curve_over_its_ideal_and_names_each_line():
    table = pd.concat([scaling.curve(toy(), (1, 4, 16)).assign(paper=name) for name in ("one", "two")])
    axes = plots.makespans(table).axes[0]
    ideal, _, line, _ = axes.get_lines()
    np.testing.assert_allclose(ideal.get_ydata(), 24 / np.array([1, 4, 16]))
    np.testing.assert_allclose(line.get_ydata(), table["seconds"][:3])
    assert [text.get_text() for text in axes.texts] == ["one", "two"]
    heights = [axes.transData.transform(text.xy)[1] for text in axes.texts]
    assert heights[1] - heights[0] > 10
    with pytest.raises(ValueError, match=r"lacks the columns \['seconds'\]"):
        plots.makespans(table.drop(columns="seconds"))
