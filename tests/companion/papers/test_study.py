"""What notebooks show is what the committed results say."""

import pytest

from mtclib import datasets
from mtclib.companion.papers import scoreboard
from mtclib.companion.papers.study import Study, families, mean_scores
from mtclib.companion.runs import oracle
from mtclib.companion.verdicts import audit

HEADLINES = ("WebKB4", "20NewsGroups", "Reuters")


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
    summary = scoreboard.summary(scoreboard.all_verdicts())
    assert summary["cells"].to_dict() == {"lmsc": 432, "mbc": 109, "mspl": 78, "mtcmrl": 240, "spmtc": 252}
    assert summary["judged"].to_dict() == {"lmsc": 375, "mbc": 98, "mspl": 51, "mtcmrl": 240, "spmtc": 252}
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


def test_the_other_findings_of_the_mtcmrl_notebook(study):
    counts = study.all_verdicts()["verdict"].value_counts()
    assert (counts["agrees"] + counts["exact"], counts["higher"], counts["lower"]) == (30, 110, 35)
    means = {name: study.selection_gap([name]).set_index("method")["default"] for name in HEADLINES}
    printed = [name for name in study.published["method"].unique() if name != "LSSMTC"]
    best = {name: row[row.index.isin(printed)].idxmax() for name, row in means.items()}
    assert best == {"WebKB4": "MTCMRL", "20NewsGroups": "SAMTC", "Reuters": "MTSC"}
    assert all(1 <= row["MTCMRL"] - row["SNMF+LR"] <= 4 for row in means.values())
    gaps = [row["MTCMRL converged"] - row["SNMF+LR converged"] for row in means.values()]
    assert all(0 < gap < 1 for gap in gaps)
    apart = {k: mean_scores(study.default(f"shared classes: {k} of 3")).droplevel("dataset") for k in (0, 3)}
    assert apart[0]["SAMTC"] - apart[0]["SAMTC, no transfer"] == pytest.approx(-20, abs=0.5)
    assert apart[3]["MBC"] - apart[3]["k-means"] == pytest.approx(13, abs=0.5)


def test_the_findings_of_the_mspl_notebook():
    study = Study("mspl")
    first = study.verdicts("Handwritten Numerals")
    assert (first["verdict"] == "agrees").sum() == 24
    assert first.loc[(first["method"] == "MSPL") & (first["metric"] == "ACC"), "verdict"].item() == "lower"
    runs = study.results.frame.query("dataset == 'Handwritten Numerals' and metric == 'ACC'")
    means = runs.groupby("method")["value"].mean()
    assert means["MSPL"] == pytest.approx(0.80, abs=0.005)
    assert means["MSPL, ten starts"] == pytest.approx(0.90, abs=0.01)
    (printed,) = study.printed("Handwritten Numerals", "MSPL", "ACC")["mean"]
    needed = audit.runs_needed(study.published).set_index(["dataset", "method"])["runs"]
    assert (printed, needed["Handwritten Numerals", "MSPL"]) == (0.874, 111)
    raw = study.results.frame.query("part == 'webkb-raw' and metric == 'NMI_arithmetic'")
    table = 100 * raw.pivot_table("value", "dataset", "method")
    gains = table["MSPL, unscaled"] - table["MSPL-naive, unscaled"]
    assert gains.between(9.5, 13.5).all()


def test_the_findings_of_the_lmsc_notebook():
    study = Study("lmsc")
    counts = study.all_verdicts()["verdict"].value_counts().to_dict()
    assert counts == {"higher": 206, "inconclusive": 83, "misprint": 57, "agrees": 46, "lower": 40}
    sets = ("3Sources", "BBC", "BBCSport", "Cornell")
    for name in sets:
        chosen = mean_scores(study.selected(name), "NMI_arithmetic").droplevel("dataset")
        assert 5.5 < chosen["LMSC"] - chosen["Coreg"] < 14
        rows = mean_scores(study.rows(name), "NMI_arithmetic").droplevel("dataset")
        fixed = mean_scores(study.default(name), "NMI_arithmetic").droplevel("dataset")
        assert 8.5 < fixed["LMSC"] - rows["LMSC, literal output"] < 25
