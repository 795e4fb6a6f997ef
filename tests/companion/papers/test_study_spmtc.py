"""What the SPMTC notebook says in its first cell and in the decisions is what the committed results say."""

import pandas as pd
import pytest

from mtclib.companion.claims import columns
from mtclib.companion.papers.study import Study, mean_scores


@pytest.fixture(scope="module")
def study():
    return Study("spmtc")


@pytest.fixture(scope="module")
def sets(study):
    return list(study.protocol.profile("full").datasets)


@pytest.fixture(scope="module")
def fixed(study, sets):
    return pd.concat([study.default(name) for name in sets])


def distances(cells):
    return 100 * cells["difference"].abs().groupby(cells["method"]).mean()


def test_k_means_comes_out_on_the_data_as_published_and_not_on_unit_rows(study, sets):
    raw = distances(study.all_verdicts())
    unit = distances(pd.concat([study.verdicts(name, f"{name} (unit rows)") for name in sets]))
    assert 2.5 < raw["KM"] < 4 and raw["All KM"] < 4
    assert 22 < unit["KM"] < 28 and unit["All KM"] > 15


def test_lssmtc_comes_out_on_recvstalk_with_nothing_shared(study):
    frame = study.results.frame
    alone = frame[(frame["method"] == "LSSMTC, no sharing") & (frame["dataset"] == "RECvsTALK")]
    printed = 100 * study.printed("RECvsTALK", "LSSMTC", "ACC")["mean"].mean()
    assert mean_scores(alone).iloc[0] == pytest.approx(printed, abs=1)


def test_the_papers_subspace_gives_the_partitions_of_no_sharing(study, sets):
    frame = study.results.frame
    rows = frame[frame["run"].lt(5) & (frame["metric"] == "ACC") & frame["dataset"].isin(sets)]
    methods = ("LSSMTC, smallest eigenvectors", "LSSMTC, no sharing")
    literal, alone = (rows[rows["method"] == name].set_index(["dataset", "task", "run"])["value"]
                      for name in methods)
    assert len(literal) == 5 * (5 * 3 + 5)
    pd.testing.assert_series_equal(literal.sort_index(), alone.sort_index(), atol=0.02, check_names=False)


def test_self_pacing_helps_nowhere_significantly_and_costs_most_on_recvstalk(fixed):
    pairs = [("SPMTC-h", "LSSMTC"), ("SPMTC-s", "LSSMTC")]
    table = columns.paired_differences(fixed, pairs, "ACC")
    assert len(table) == 12 and not (table["status"] == "holds").any()
    assert (table["status"] == "fails").sum() >= 5
    costs = -table.loc[table["dataset"] == "RECvsTALK", "difference"]
    assert costs.between(13.5, 15.5).all()


def test_k_means_on_unit_rows_beats_every_printed_mean_on_five_sets(study, sets):
    better = []
    for name in sets:
        ours = mean_scores(study.selected(f"{name} (unit rows)").query("method == 'KM'")).iloc[0]
        printed = study.printed(name, metric="ACC").groupby("method")["mean"].mean().max()
        better.append(ours > 100 * printed)
    assert sum(better) == 5


def test_the_number_of_dimensions_matters_on_the_newsgroups_and_not_where_the_paper_shows_it(study):
    sweep = study.sweep("figure1-hard")
    rows = sweep[(sweep["parameter"] == "n_components") & (sweep["task"] == "avg")]
    means = rows[rows["metric"] == "ACC"].groupby(["dataset", "setting"])["value"].mean().unstack("dataset")
    spans = 100 * (means.max() - means.min())
    assert spans["PEOPLEvsPLACES"] < 2 and spans["COMPvsSCI"] > 6
    assert 14 < 100 * (means.loc[2, "RECvsTALK"] - means.loc[16, "RECvsTALK"]) < 19


def test_noise_has_a_clean_counterpart_and_is_not_scored(study):
    noisy = study.default("COMPvsSCI (40 % long noise)")
    assert set(noisy["method"]) == {"LSSMTC", "SPMTC-h", "SPMTC-s"}
    truth = study.results.labels["truth/COMPvsSCI (40 % long noise)/1"]
    assert (truth == -1).mean() == pytest.approx(0.4, abs=0.001)
