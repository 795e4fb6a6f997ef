"""MSPL: what a fit keeps of its way, as rows; and Theorem 1 fails as printed, and its correction holds."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st

from mtclib.companion.papers import mspl
from mtclib.companion.runs import results
from mtclib.companion.verdicts import audit, leverage
from mtclib.companion.verdicts.published import REQUIRED, from_printed
from mtclib.metrics import SCORES, clustering_accuracy

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
    rows = [("toy", "1", "A", "", "M", name, *(f"{100 * one:.1f}" for one in pair), "percent")
            for name, pair in (("ACC", acc), ("purity", purity))]
    printed = from_printed(pd.DataFrame(rows, columns=list(REQUIRED)))
    assert audit.runs_needed(printed)["runs"].item() == runs


# Theorem 1.


def partitions(n, k):
    """All partitions of n samples into k clusters, up to names, as rows."""
    rows = [(0,)]
    for _ in range(n - 1):
        rows = [(*row, j) for row in rows for j in range(min(max(row) + 2, k))]
    return np.array([row for row in rows if max(row) == k - 1])


def distortion(X, labels):
    return sum(((X[labels == j] - X[labels == j].mean(axis=0)) ** 2).sum() for j in np.unique(labels))


def data(seed, n_views, n, k):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    Xs = []
    for _ in range(n_views):
        labels = y.copy()
        labels[rng.choice(n, 2, replace=False)] = rng.integers(0, k, 2)
        d = int(rng.integers(k - 1, 5))
        X = rng.choice([3.0, 8.0]) * rng.normal(size=(k, d))[labels] + rng.normal(size=(n, d))
        Xs.append(rng.choice([0.5, 1.0, 2.0]) * X)
    return Xs


def best_of(Xs, candidates):
    return candidates[np.argmin([sum(distortion(X, row) for X in Xs) for row in candidates])]


@given(seed=st.integers(0, 2**31), k=st.integers(2, 4), d=st.integers(1, 15), sparse=st.booleans())
def test_no_partition_is_better_than_the_ideal_and_dense_and_sparse_agree(seed, k, d, sparse):
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.0, (10, d)).astype(float)
    X[0, 0] += 3.0
    labels = rng.permutation(np.arange(10) % k)
    bound = mspl.distortion_bound([sp.csr_array(X) if sparse else X], labels)
    assert bound.distortion[0] == pytest.approx(distortion(X, labels), rel=1e-9)
    values = np.linalg.eigvalsh(np.cov(X.T, bias=True).reshape(d, d) * 10)[::-1]
    assert bound.ideal[0] == pytest.approx(((X - X.mean(axis=0)) ** 2).sum() - values[:k - 1].sum(), abs=1e-8)
    assert bound.distortion[0] >= bound.ideal[0] - 1e-9


@given(seed=st.integers(0, 2**31), n_views=st.integers(1, 3), k=st.integers(2, 3), n=st.integers(5, 7))
def test_the_corrected_bound_holds_for_every_partition(seed, n_views, k, n):
    Xs, candidates = data(seed, n_views, n, k), partitions(n, k)
    best = best_of(Xs, candidates)
    for other, bound in zip(candidates, mspl.check_bounds(Xs, candidates).itertuples()):
        assert not bound.corrected_applies or 1 - clustering_accuracy(best, other) <= bound.corrected + 1e-9


def test_separated_clusters_are_certified_and_a_view_with_too_few_features_has_no_gap():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    Xs = [30.0 * np.eye(3)[y] @ rng.normal(size=(3, 5)) + rng.normal(size=(60, 5)) for _ in range(2)]
    bound = mspl.distortion_bound(Xs, y)
    assert bound.corrected_applies
    assert bound.corrected < 1 / 3
    assert not mspl.distortion_bound(Xs, rng.permutation(y)).corrected_applies
    halves, moved = np.arange(60) % 2, np.arange(60) == 0
    table = mspl.check_bounds([30 * np.eye(2)[halves] + rng.normal(size=(60, 2))], [halves, halves | moved])
    assert table["corrected_applies"].all()
    assert 0 < table["error"][1] <= table["corrected"][1], "of the best alone any bound holds"
    bound = mspl.distortion_bound([Xs[0], rng.normal(size=(60, 1))], y)
    assert bound.delta[0] < np.inf == bound.delta[1]
    assert not bound.printed_applies
    assert np.isfinite(bound.printed)


def test_the_table_of_bounds_counts_what_the_single_bounds_say():
    Xs, candidates = data(3, 2, 7, 2), list(partitions(7, 2))
    table, best = mspl.check_bounds(Xs, candidates), best_of(Xs, candidates)
    assert table["excess"].min() == 0
    assert table.loc[table["excess"] == 0, "error"].tolist() == [0.0]
    assert not table["corrected_broken"].any()
    for row, labels in zip(table.itertuples(), candidates):
        bound, error = mspl.distortion_bound(Xs, labels), 1 - clustering_accuracy(best, labels)
        assert row.error == error
        assert row.delta == bound.delta.min()
        largest, least = np.bincount(labels).max() / 7, bound.delta.min()
        if least <= 0.5:  # Eq. (27) for two clusters
            assert bound.printed == pytest.approx(largest * 2 * least * (1 - least))
        assert row.printed_broken == (bound.printed_applies and error > bound.printed + 1e-12)
        assert row.corrected_informative == (bound.corrected_applies and bound.corrected < 0.5)


def test_the_printed_bound_is_broken_where_it_applies_and_the_corrected_one_is_not():
    table = mspl.all_partitions(random_state=2015)
    assert table["printed_broken"].any()
    assert not table["corrected_broken"].any()
