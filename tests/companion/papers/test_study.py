"""What notebooks show and say of their papers is what the committed results say."""

import pytest

from mtclib.companion.papers import study_of


@pytest.fixture(scope="module")
def mtcmrl():
    return study_of("mtcmrl")


def test_relations_are_matched_to_classes_and_sum_to_at_most_one(mtcmrl):
    names = (("comp.graphics", "rec.autos", "sci.crypt"), ("comp.windows", "rec.cycles", "sci.el", "talk.x"),
             ("comp.pc", "rec.baseball", "sci.med"), ("comp.mac", "rec.hockey", "sci.space", "talk.rel"))
    rows = mtcmrl.default("20NewsGroups (tfidf)").query("method == 'MTCMRL'")
    relations = mtcmrl.relations("20NewsGroups (tfidf)", rows, names)
    sums = relations.groupby(["run", "task", "other"])["value"].sum()
    assert (sums <= 1 + 1e-5).all()
    assert sums.max() == pytest.approx(1.0, abs=1e-5)
    ours, printed = mtcmrl.relation_pair(relations, "1", "2", names)
    assert ours.shape == printed.shape == (3, 4)
    assert printed.to_numpy().sum() == pytest.approx(1.0)
    assert printed.loc[1, 1] == 0.1730


def test_methods_whose_authors_suggested_settings_are_judged_at_their_defaults_and_others_as_chosen():
    study = study_of("lmsc")
    rows = study.judged_rows("Cornell").groupby("method")["params"].unique()
    assert rows["DiMSC"] == study.default("Cornell").query("method == 'DiMSC'")["params"].unique()
    assert rows["LMSC"] == study.selected("Cornell").query("method == 'LMSC'")["params"].unique()
    assert rows["DiMSC"] != study.selected("Cornell").query("method == 'DiMSC'")["params"].unique()


def test_rows_on_the_found_data_stand_beside_print():
    told = [[cell.lines[0] for cell in row] for row in study_of("mtcmrl").found_table().rows]
    rows = {tuple(row[:3]): row[3:] for row in told}
    kmeans = rows["20NewsGroups", "words by the true labels", "k-means"]
    assert kmeans[0] == "10"
    assert float(kmeans[1]) < 0.5
    assert kmeans[2] == "8 of 8"
