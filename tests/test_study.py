"""What notebooks show is what the committed results say."""

import pytest

from mtclib import datasets, scoreboard
from mtclib.experiments import oracle
from mtclib.study import Study, families, mean_scores

HEADLINES = ("20NewsGroups", "Reuters")


@pytest.fixture(scope="module")
def study():
    return Study("mtcmrl")


@pytest.mark.parametrize("dataset", HEADLINES)
def test_every_printed_cell_of_a_data_set_that_was_run_has_a_verdict_or_a_reason(study, dataset):
    cells = study.verdicts(dataset)
    run = cells["method"].isin(study.protocol.profile("full").methods)
    assert not cells.loc[run, "verdict"].isin(["not-run", "failed", "unavailable"]).any()
    assert (cells.loc[~run, "verdict"] == "not-run").all()
    assert (cells.loc[~run, "reason"] == "not yet run").all()


def test_settings_are_chosen_by_mean_accuracy_over_tasks(study):
    rows = study.results.frame
    rows = rows[(rows["dataset"] == "Reuters") & (rows["method"] == "MTCMRL") & rows["in_grid"]]
    means = rows[(rows["task"] == "avg") & (rows["metric"] == "ACC")].groupby("params")["value"].mean()
    assert set(oracle(rows)["params"]) == {means.idxmax()}
    assert mean_scores(study.selected("Reuters"))["Reuters", "MTCMRL"] == pytest.approx(100 * means.max())


def test_the_sweep_of_figure_1_names_every_parameter_and_holds_each_run_once(study):
    sweep = study.sweep("figure1")
    one = sweep[(sweep["task"] == "avg") & (sweep["metric"] == "ACC")]
    counts = one.groupby(["dataset", "params"]).size()
    assert set(counts) == {10}
    assert len(counts) == 3 * 17
    assert all(set(name) <= set(text) for text in one["params"] for name in ("alpha", "beta", "lam", "mu"))


def test_relations_are_matched_to_classes_and_sum_to_at_most_one(study):
    names = (("comp.graphics", "rec.autos", "sci.crypt"), ("comp.windows", "rec.cycles", "sci.el", "talk.x"),
             ("comp.pc", "rec.baseball", "sci.med"), ("comp.mac", "rec.hockey", "sci.space", "talk.rel"))
    rows = study.default("20NewsGroups (tfidf)").query("method == 'MTCMRL'")
    relations = study.relations("20NewsGroups (tfidf)", rows, names)
    sums = relations.groupby(["run", "task", "other"])["value"].sum()
    assert (sums <= 1 + 1e-5).all() and sums.max() == pytest.approx(1.0, abs=1e-5)
    ours, printed = study.relation_pair(relations, "1", "2", names)
    assert ours.shape == printed.shape == (3, 4)
    assert printed.to_numpy().sum() == pytest.approx(1.0)
    assert printed.loc[1, 1] == 0.1730


def test_classes_of_one_root_category_share_a_family():
    assert families([("comp.graphics", "sci.med")]) == [["comp", "sci"]]


def test_the_scoreboard_counts_every_published_cell():
    summary = scoreboard.summary(scoreboard.all_verdicts())
    assert summary["cells"].to_dict() == {"lmsc": 432, "mbc": 109, "mspl": 78, "mtcmrl": 240, "spmtc": 252}
    assert summary.loc["mtcmrl", "judged"] == 4 * 8 + 4 * 6
    assert summary.loc["spmtc", "judged"] == 252
    kinds = ["agreeing", "higher", "lower", "inconclusive"]
    assert (summary[kinds].sum(axis=1) == summary["judged"]).all()


def test_the_quick_data_are_not_those_of_the_committed_results(study):
    committed = set(study.results.frame["edition"])
    assert study.data("20NewsGroups").edition == "wheel"
    assert "wheel" not in committed
    assert isinstance(study.data("20NewsGroups"), datasets.Dataset)


def test_the_findings_in_the_notebooks_first_cell_are_those_of_the_results(study):
    printed = 100 * study.printed("20NewsGroups", "k-means", "ACC")["mean"].mean()
    unit, plain = (study.selection_gap([name]).set_index("method")["default"]
                   for name in ("20NewsGroups", "20NewsGroups (tfidf)"))
    assert 45 < unit["k-means"] - printed < 55
    assert 0.5 < unit["MTCMRL"] - unit["SNMF"] < 1.5
    chosen = study.selection_gap(["20NewsGroups (tfidf)"]).set_index("method")["chosen with labels"]
    assert 12.5 < chosen["MTCMRL"] - chosen["SNMF"] < 13.5
    assert abs(plain["MTCMRL converged"] - plain["SNMF converged"]) < 1
    cells = study.verdicts("20NewsGroups", "20NewsGroups (tfidf)")
    assert (cells.loc[cells["method"] == "k-means", "verdict"] == "agrees").sum() == 7
    reuters = study.weighting_table("preprocessing-reuters", ["k-means"]).set_index("weighting")["distance"]
    assert reuters.drop("printed").idxmin() == "counts" and reuters.drop("printed").min() > 5
    iterations = study.selected("20NewsGroups (tfidf)").query("method == 'MTCMRL'")["n_iter"].median()
    assert 80 < iterations < 125
