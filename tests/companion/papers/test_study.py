"""What notebooks show and say of their papers is what the committed results say."""

import pandas as pd
import pytest

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
    assert families([("comp.graphics", "sci.med")]) == [["comp", "sci"]]
    relations = mtcmrl.relations("20NewsGroups (tfidf)", rows, names)
    sums = relations.groupby(["run", "task", "other"])["value"].sum()
    assert (sums <= 1 + 1e-5).all() and sums.max() == pytest.approx(1.0, abs=1e-5)
    ours, printed = mtcmrl.relation_pair(relations, "1", "2", names)
    assert ours.shape == printed.shape == (3, 4)
    assert printed.to_numpy().sum() == pytest.approx(1.0)
    assert printed.loc[1, 1] == 0.1730


def test_the_tasks_start_from_the_same_partitions_under_both_methods_of_mbc():
    mbc = Study("mbc")
    rows = pd.concat([mbc.selected(name) for name in mbc.protocol.profile("full").datasets])
    seeds = rows[rows["method"].isin(["IND", "MBC"])].groupby(["dataset", "run"])["seed"].nunique()
    assert (seeds == 1).all() and len(seeds) == 900


def test_planted_noise_has_no_class():
    truth = Study("spmtc").results.labels["truth/COMPvsSCI (40 % long noise)/1"]
    assert (truth == -1).mean() == pytest.approx(0.4, abs=0.001)
