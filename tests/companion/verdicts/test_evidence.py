"""What is said of the winner of a search: planted winners win, ties are ties, noise is noise."""

import numpy as np
import pandas as pd
import pytest

from mtclib.companion import runs
from mtclib.companion.verdicts import evidence, fingerprints, published

N = 12
CELLS = pd.DataFrame({"cell": [f"c{i}" for i in range(N)], "task": [str(i % 2) for i in range(N)],
                      "metric": "ACC", "mean": np.linspace(0.2, 0.9, N), "half_unit": 0.00005})
PRINT = CELLS["mean"].to_numpy()


def spec(criterion="distance", stage="distances", **further):
    return runs.protocol.SearchSpec("s", ["D"], [{}], stage=stage, criterion=criterion, leave_out=["task"],
                                    n_permutations=200, **further)


def found(offsets, noise=None, search=None):
    """Summary for hypotheses that miss print by these offsets, (hypotheses, cells)."""
    table = pd.DataFrame(np.round(PRINT + offsets, 6), columns=CELLS["cell"])
    table.insert(0, "choice", [f"h{i}" for i in range(len(table))])
    table = table if noise is None else table.assign(noise=noise)
    return evidence.summary(table, ["choice"], CELLS, search or spec())


@pytest.mark.parametrize("criterion", list(evidence.CRITERIA))
def test_each_criterion_is_its_formula_and_a_failed_fit_never_wins(criterion):
    ours = np.stack([PRINT * 1.1, PRINT + 0.01, np.full(N, np.nan)])
    plain = {"distance": np.abs(ours - PRINT).mean(axis=1), "misses": [N, N, np.inf],
             "log-sd": np.log(PRINT / ours).std(axis=1, ddof=1)}[criterion]
    measured = evidence.distances(ours, CELLS, spec(criterion))
    assert measured[:2] == pytest.approx(np.asarray(plain)[:2], abs=1e-12)
    assert np.isinf(measured[2])


def test_a_planted_winner_wins_every_bootstrap_sample_every_fold_and_no_permutation_reaches_it():
    rng = np.random.default_rng(0)
    result = found(np.vstack([rng.normal(scale=0.1, size=(20, N)), np.zeros(N)]), noise=0.001)
    assert (result["winner"], result["won"]["winner"]) == ({"choice": "h20"}, 1.0)
    assert result["not_told_apart"]["n"] == 1
    assert all(fold["rank"] == 1 for fold in result["folds"])
    assert result["permutations"]["reached"] == 0
    assert result["distance"] < 1e-6 < result["next"]


def test_a_planted_tie_is_reported_as_a_tie_and_a_third_hypothesis_is_told_apart():
    sides = 0.02 * (-1.0) ** np.arange(N)
    result = found(np.stack([sides, -sides * 1.05, 10 * sides]), noise=0.002)
    assert result["not_told_apart"]["values"] == {"choice": ["h0", "h1"]}
    assert result["distance"] < result["next"] < result["distance"] + result["band"]
    assert result["won"]["not told apart"] == 1.0
    apart = found(np.stack([sides, -sides * 1.05, 10 * sides]), noise=0.0001)
    assert apart["not_told_apart"]["n"] == 1


def test_hypotheses_that_give_the_same_values_count_once_and_share_what_they_win():
    sides = 0.02 * (-1.0) ** np.arange(N)
    result = found(np.stack([sides, sides, -sides, 5 * sides]))
    assert (result["hypotheses"], result["distinct"]) == (4, 3)
    assert result["not_told_apart"]["values"] == {"choice": ["h0", "h1", "h2"]}
    assert result["won"]["winner"] == pytest.approx(0.5, abs=0.02)
    assert result["band"] is None


def test_the_noise_of_a_distance_is_the_standard_error_over_seeds():
    drawn = np.random.default_rng(1).normal(scale=0.01, size=15)
    values = PRINT[None, :, None] + 0.1 + drawn
    expected = drawn.std(ddof=1) / np.sqrt(15)
    assert evidence.noise(values, CELLS, spec())[0] == pytest.approx(expected)
    assert np.isnan(evidence.noise(values[:, :, :1], CELLS, spec())).all()


def test_sizes_are_permuted_as_what_is_missing_from_the_whole():
    cells = CELLS.assign(mean=1000.0 + np.arange(N), half_unit=0.5)
    dropped = np.arange(N) % 4
    ours = np.stack([cells["mean"].to_numpy(), cells["mean"] + dropped])
    test = evidence.permutation_test(ours, cells, spec("misses", "sizes"))
    assert test["reached"] < 10  # the same drops on other classes fit no rule
    nothing = evidence.permutation_test(ours[:1], cells, spec("misses", "sizes"))
    assert nothing["reached"] == nothing["n"]  # where nothing is missing, permuting says nothing


def test_deterministic_rows_and_whole_numbers_of_samples_are_fingerprints_and_means_of_runs_are_not():
    cells, protocol = published.load("lmsc"), runs.load_protocol("lmsc")
    marked = fingerprints.fingerprints(cells, protocol)
    whole = marked[marked["count"].notna()]
    rows = whole[whole["dataset"] == "3Sources"].groupby("method").size()
    assert {"AWP", "LLMC"} <= set(rows.index)
    assert "SNMF" not in rows.index
    one = whole[(whole["dataset"] == "3Sources") & (whole["method"] == "AWP")].iloc[0]
    assert abs(one["count"] / 42 - one["mean"]) <= one["half_unit"] * 1.0001
    spread = fingerprints.fingerprints(published.load("mtcmrl"), runs.load_protocol("mtcmrl"))
    assert (spread.loc[spread["count"].isna(), "std"] == 0).all()
    assert len(spread) > 5


def test_sizes_are_read_in_the_printed_order_and_taken_from_data_without_clustering():
    cells = fingerprints.size_cells("mtcmrl").set_index("cell")["mean"]
    assert (cells["mtcmrl:Reuters:2:class_size:3"], cells["mtcmrl:Reuters:1:n_features:"]) == (37, 6439)
    data = runs.load_dataset("experiments_support:tiny", {"n": 31})[0]
    ((choice, sizes),) = fingerprints.sizes(data, {})
    assert not choice
    assert [sizes["1", str(i), "class_size"] for i in (1, 2, 3)] == [11, 10, 10]
    assert (sizes["2", "", "n_features"], sizes["", "", "n_samples"]) == (4, 68)
