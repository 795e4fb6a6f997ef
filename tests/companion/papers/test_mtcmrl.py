"""MTCMRL: what its notebook and sentences say, and its find as a reader repeats it."""

import experiments_support as support
import numpy as np
import pandas as pd
import pytest

from mtclib import baselines, datasets
from mtclib.companion.papers import differences, study_of
from mtclib.companion.papers.mtcmrl import UNLABELLED
from mtclib.companion.parameters import UsageError
from mtclib.companion.verdicts import draws, reruns
from mtclib.companion.verdicts.published import size_cells
from mtclib.core import paths


@pytest.fixture(scope="module")
def mtcmrl():
    return study_of("mtcmrl")


def test_what_is_no_printed_data_set_or_has_no_results_is_told_with_what_to_do(mtcmrl, monkeypatch):
    with pytest.raises(UsageError, match="Did you mean 'Reuters'"):
        mtcmrl.printed_tables("reuters")
    monkeypatch.setattr(draws, "headline", lambda study, name: draws.Pipeline("as fixed", f"no {name}"))
    with pytest.raises(UsageError, match="called as in print.* run mtcmrl --profile full --export"):
        draws.headlines.__wrapped__(mtcmrl)
    assert np.isnan(reruns._over_sets([np.zeros(9)])), "one data set has no interval to be covered"


def test_relations_are_matched_to_classes_and_sum_to_at_most_one(mtcmrl):
    names = (("comp.graphics", "rec.autos", "sci.crypt"), ("comp.windows", "rec.cycles", "sci.el", "talk.x"),
             ("comp.pc", "rec.baseball", "sci.med"), ("comp.mac", "rec.hockey", "sci.space", "talk.rel"))
    relations = mtcmrl.relations(mtcmrl.fitted("20NewsGroups"), mtcmrl._fits["20NewsGroups"], names)
    sums = relations.groupby(["run", "task", "other"])["value"].sum()
    assert (sums <= 1 + 1e-5).all()
    assert sums.max() == pytest.approx(1.0, abs=1e-5)
    ours, printed = mtcmrl.relation_pair(relations, "20NewsGroups", names)
    assert ours.shape == printed.shape == (3, 4)
    assert printed.to_numpy().sum() == pytest.approx(1.0)
    assert printed.loc[1, 1] == 0.1730


def test_what_the_labels_buy_is_the_difference_of_two_pipelines_over_the_same_documents(mtcmrl, monkeypatch):
    table = mtcmrl.by_words("ACC")
    for name, words in ((mtcmrl.headline("20NewsGroups"), "labels"), (UNLABELLED, "frequency")):
        rows = mtcmrl.default(name).query("method == 'SNMF' and metric == 'ACC' and task == 'avg'")
        assert table.at["SNMF", f"words by {words}"] == pytest.approx(100 * rows["value"].mean())
    swapped = [(table.loc[one] > table.loc[two]) for one in table.index for two in table.index]
    differ = sum(one["words by labels"] != one["words by frequency"] for one in swapped) / 2
    assert mtcmrl.numbers.order("changed") == differ
    assert mtcmrl.numbers.order("all") == 36
    monkeypatch.setattr(type(mtcmrl), "by_words", lambda *_: table.round(-2))
    assert "place" in str(mtcmrl.labels_tables()), "methods may share a place"


def test_rows_that_chose_nothing_come_out_on_the_found_data_and_not_on_what_was_fixed_before(mtcmrl):
    rows = {"20NewsGroups": ("k-means", "CLR", "SNMF+LR", "MTCMRL"),
            "Reuters": ("k-means", "CLR", "SNMF+LR", "LSSMTC", "MTCMRL")}
    for name, methods in rows.items():
        assert mtcmrl.headline(name) != name
        found, before = ([mtcmrl.numbers.distance(method, source, dataset=name) for method in methods]
                         for source in (name, f"fixed {name}"))
        assert np.mean(found) < 3 < np.mean(before)


def planted(lost=0, **_):
    """A data set with the printed class sizes of 20 Newsgroups but for `lost` documents of the first."""
    cells = size_cells("mtcmrl").query("dataset == '20NewsGroups' and metric == 'class_size'")
    labels = [np.repeat(np.arange(len(part)), part["mean"].astype(int)) for _, part in cells.groupby("task")]
    labels[0] = labels[0][lost:]
    Xs = [np.eye(5)[y] + 0.01 for y in labels]
    return datasets.Dataset("planted", "multitask", Xs, labels)


def test_the_first_screen_tells_the_gain_over_rivals_of_our_own_making_from_that_over_others(mtcmrl):
    told = " ".join(str(mtcmrl.pipelines_of_tables()).split())
    found = pd.read_csv(paths.data_dir() / "gains.csv").query("paper == 'mtcmrl'")
    means = found.groupby(["reconstruction", "dataset"])[["ours", "printed"]].mean().groupby(level=0).mean()
    assert means.loc["yes", "ours"] > means.loc["yes", "printed"]
    assert means.loc["no", "ours"] < means.loc["no", "printed"]
    assert all(f"{value:+.1f}" in told for value in means.to_numpy().ravel())


def test_rules_are_ordered_by_the_printed_sizes_that_they_give_and_the_first_is_handed_on(monkeypatch):
    monkeypatch.setattr(datasets, "load", lambda name, **rule: planted(**rule))
    table, data = differences.find("any", [{"lost": 3}, {"lost": 0}, {"lost": 1}])
    assert [tuple(cell.lines[0] for cell in row) for row in table.rows] == [
        ("0", "14", "0"), ("1", "13", "1"), ("3", "13", "3")]
    assert len(data.labels[0]) == 387 + 395 + 395
    assert len(differences.find("any", [{"lost": 3}, {"lost": 1}])[1].labels[0]) == 386 + 395 + 395


def test_without_the_file_there_is_a_sentence_and_no_data(monkeypatch):
    monkeypatch.setattr(datasets, "load", lambda name, **rule: support.missing())
    told, data = differences.find("any", [{"lost": 0}])
    assert data is None
    assert "cannot be had here" in told.text
    assert "missing.tar" in told.text


def test_models_stand_beside_the_printed_rows_with_their_distance():
    table = differences.beside(planted(), {"k-means": baselines.KMeans(3, n_init=1, random_state=0)})
    texts = [cell.lines[0] for cell in table.rows[0]]
    assert texts[:2] == ["k-means", "ACC"]
    assert "33.9" in texts
    assert float(texts[-1]) > 0
    assert len(table.rows) == 2
