"""The transcribed numbers of the papers: complete, well-formed and within range."""

import re
from pathlib import Path

import pandas as pd
import pytest

from mtclib.companion.verdicts import published
from mtclib.core import paths

DATA = Path(__file__).resolve().parents[3] / "data"
COLUMNS = [*published.REQUIRED, "unit"]
KEY = COLUMNS[:6]
PAPERS = paths.papers()


def read(paper, file="published"):
    """A file of a paper's folder with every cell as text, so that trailing zeros survive."""
    return pd.read_csv(DATA / paper / f"{file}.csv", dtype=str, keep_default_na=False)


every = pytest.mark.parametrize(("paper", "frame"), [(name, read(name)) for name in PAPERS], ids=PAPERS)


@every
def test_a_file_holds_every_cell_of_a_table_once(paper, frame):
    assert (list(frame.columns), set(frame["paper"])) == (COLUMNS, {paper})
    assert not frame.duplicated(KEY).any()
    for place, cells in frame.groupby(["table", "dataset"]):
        columns = cells[["task", "metric"]].drop_duplicates()
        assert len(cells) == len(columns) * cells["method"].nunique(), place
    assert set(frame["metric"]) <= {*published.PERCENT_OR_FRACTION, "d_M"}


@every
def test_a_mean_and_its_std_have_equally_many_digits_and_a_method_has_it_everywhere_or_nowhere(paper, frame):
    for mean, std in zip(frame["mean"], frame["std"]):
        assert re.fullmatch(r"\d*\.\d+", mean), mean
        assert not std or len(std.partition(".")[2]) == len(mean.partition(".")[2]), (mean, std)
    assert frame["std"].eq("").groupby(frame["method"]).nunique().eq(1).all()


@every
def test_units_are_those_of_the_paper_and_metric_and_percents_are_no_fractions(paper, frame):
    assert frame.groupby("metric")["unit"].nunique().eq(1).all()
    assert ((frame["unit"] == "distance") == (frame["metric"] == "d_M")).all()
    typical = frame.astype({"mean": float}).groupby(["unit", "metric"])["mean"].median()
    assert (typical[typical.index.get_level_values("unit") == "percent"] > 1).all()


@every
def test_tasks_are_numbered_from_one_and_averages_are_over_tasks(paper, frame):
    for _, tasks in frame.groupby(["table", "dataset", "metric"])["task"]:
        names = set(tasks) - {"avg"}
        assert set(tasks) == {""} or names == {str(i + 1) for i in range(len(names))}


def test_data_figures_are_whole_numbers_of_known_quantities_for_every_data_set_with_results():
    frame = pd.concat({name: read(name, "sizes") for name in PAPERS}, names=["paper"]).reset_index("paper")
    assert list(frame.columns) == ["paper", "table", "dataset", "task", "quantity", "value", "note"]
    assert set(frame["quantity"]) == {"n_samples", "n_features", "n_classes", "class_size"}
    assert frame["value"].str.fullmatch(r"[1-9]\d*").all()
    assert not frame.duplicated(["paper", "dataset", "task", "quantity", "note"]).any()
    assert (frame.loc[frame["quantity"] == "class_size", "note"] != "").all()
    for name, rows in frame.groupby("paper"):
        assert set(read(name)["dataset"]) <= set(rows["dataset"])


def test_other_printed_facts_are_numbers_and_unique():
    frame = pd.concat([read(name, "facts").assign(paper=name) for name in PAPERS])
    columns = ["where", "dataset", "task", "method", "quantity", "row", "col", "value", "status", "implies",
               "paper"]
    assert list(frame.columns) == columns
    values = frame["value"].astype(str)
    pd.to_numeric(values[~values.str.contains("://")].str.split().explode(), errors="raise")
    assert not frame.drop(columns=["value", "implies"]).duplicated().any()
