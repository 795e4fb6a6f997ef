"""What notebooks show is what the committed results say."""

import pytest

from mtclib import datasets
from mtclib.companion.papers import scoreboard
from mtclib.companion.papers.study import Study, families, mean_scores
from mtclib.companion.runs import oracle


@pytest.fixture(scope="module")
def study():
    return Study("mtcmrl")


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
    assert len(counts) == 4 * 17
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
    summary = scoreboard.by_paper(scoreboard.all_verdicts())
    assert summary["cells"].to_dict() == {"lmsc": 432, "mbc": 109, "mspl": 78, "mtcmrl": 240, "spmtc": 252}
    assert summary["judged"].to_dict() == {"lmsc": 375, "mbc": 98, "mspl": 51, "mtcmrl": 240, "spmtc": 252}
    kinds = ["agreeing", "higher", "lower", "inconclusive"]
    assert (summary[kinds].sum(axis=1) == summary["judged"]).all()


def test_the_quick_data_are_not_those_of_the_committed_results(study):
    committed = set(study.results.frame["edition"])
    assert study.data("20NewsGroups").edition == "wheel"
    assert "wheel" not in committed
    assert isinstance(study.data("20NewsGroups"), datasets.Dataset)
