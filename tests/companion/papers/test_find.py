"""The find of 20 Newsgroups as a reader repeats it, and what is said where the file cannot be had."""

import experiments_support as support
import numpy as np

from mtclib import baselines, datasets
from mtclib.companion.papers import differences
from mtclib.companion.verdicts.published import size_cells


def planted(lost=0, **_):
    """A data set with the printed class sizes of 20 Newsgroups but for `lost` documents of the first."""
    cells = size_cells("mtcmrl").query("dataset == '20NewsGroups' and metric == 'class_size'")
    labels = [np.repeat(np.arange(len(part)), part["mean"].astype(int)) for _, part in cells.groupby("task")]
    labels[0] = labels[0][lost:]
    Xs = [np.eye(5)[y] + 0.01 for y in labels]
    return datasets.Dataset("planted", "multitask", Xs, labels)


def test_rules_are_ordered_by_the_printed_sizes_that_they_give_and_the_first_is_handed_on(monkeypatch):
    monkeypatch.setattr(datasets, "load", lambda name, **rule: planted(**rule))
    table, data = differences.find("any", [{"lost": 3}, {"lost": 0}, {"lost": 1}])
    assert [tuple(cell.lines[0] for cell in row) for row in table.rows] == [
        ("0", "14", "0"), ("1", "13", "1"), ("3", "13", "3")]
    assert len(data.labels[0]) == 387 + 395 + 395


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
