"""The transcribed numbers of the five papers: complete, well-formed and within range."""

import re
from pathlib import Path

import pandas as pd
import pytest

from mtclib.companion.verdicts import published

DATA = Path(__file__).resolve().parents[3] / "data"
COLUMNS = [*published.REQUIRED, "unit"]
KEY = COLUMNS[:6]
CELLS = {"spmtc": {"2": 36, "3": 36, "4": 36, "5": 36, "6": 36, "7": 72}, "mspl": {"1": 27, "2": 27, "3": 24},
         "mbc": {"3": 80, "4": 29}, "mtcmrl": {"2": 96, "3": 72, "4": 72},
         "lmsc": {"1": 135, "2": 108, "3": 108, "4": 81}}
UNITS = {"spmtc": {"percent"}, "mspl": {"fraction"}, "mbc": {"fraction", "distance"}, "mtcmrl": {"percent"},
         "lmsc": {"percent"}}  # fmt: skip
METRICS = {"spmtc": {"ACC", "NMI"}, "mspl": {"ACC", "NMI", "purity"}, "mbc": {"NMI", "ARI", "d_M", "s_nmi"},
           "mtcmrl": {"ACC", "NMI"}, "lmsc": {"NMI", "purity", "RI"}}  # fmt: skip


def read(paper, file="published"):
    """A file of a paper's folder with every cell as text, so that trailing zeros survive."""
    return pd.read_csv(DATA / paper / f"{file}.csv", dtype=str, keep_default_na=False)


every = pytest.mark.parametrize(("paper", "frame"), [(name, read(name)) for name in CELLS], ids=list(CELLS))


@every
def test_a_file_holds_every_cell_of_its_paper_once(paper, frame):
    assert (list(frame.columns), set(frame["paper"])) == (COLUMNS, {paper})
    assert frame.groupby("table").size().to_dict() == CELLS[paper]
    assert not frame.duplicated(KEY).any()
    assert set(frame["metric"]) == METRICS[paper]


@every
def test_a_mean_and_its_std_have_equally_many_digits_and_only_some_papers_print_a_std(paper, frame):
    for mean, std in zip(frame["mean"], frame["std"]):
        assert re.fullmatch(r"\d*\.\d+", mean), mean
        assert not std or len(std.partition(".")[2]) == len(mean.partition(".")[2]), (mean, std)
    without = {"mspl": [], "mbc": ["true"], "mtcmrl": ["CLR", "DMTFC", "DMTRC"]}.get(paper, frame["method"])
    assert ((frame["std"] == "") == frame["method"].isin(without)).all()


@every
def test_units_are_those_of_the_paper_and_metric_and_percents_are_no_fractions(paper, frame):
    assert set(frame["unit"]) == UNITS[paper]
    assert ((frame["unit"] == "distance") == (frame["metric"] == "d_M")).all()
    typical = frame.astype({"mean": float}).groupby(["unit", "metric"])["mean"].median()
    assert (typical[typical.index.get_level_values("unit") == "percent"] > 1).all()


@every
def test_tasks_are_numbered_from_one_and_only_lmsc_prints_averages(paper, frame):
    for _, tasks in frame.groupby(["table", "dataset", "metric"])["task"]:
        names = set(tasks) - {"avg"}
        assert names == {""} or names == {str(i + 1) for i in range(len(names))}
    assert ("avg" in set(frame["task"])) == (paper == "lmsc")


def test_data_figures_are_whole_numbers_of_known_quantities_for_every_data_set_with_results():
    frame = pd.concat({name: read(name, "sizes") for name in CELLS}, names=["paper"]).reset_index("paper")
    assert list(frame.columns) == ["paper", "table", "dataset", "task", "quantity", "value", "note"]
    assert set(frame["quantity"]) == {"n_samples", "n_features", "n_classes", "class_size"}
    assert frame["value"].str.fullmatch(r"[1-9]\d*").all()
    assert not frame.duplicated(["paper", "dataset", "task", "quantity", "note"]).any()
    assert (frame.loc[frame["quantity"] == "class_size", "note"] != "").all()
    for name, rows in frame.groupby("paper"):
        assert set(read(name)["dataset"]) <= set(rows["dataset"])


def test_other_printed_facts_are_numbers_and_unique():
    frame = pd.concat([read(name, "facts").assign(paper=name) for name in CELLS])
    columns = ["where", "dataset", "task", "method", "quantity", "row", "col", "value", "status", "implies",
               "paper"]
    assert list(frame.columns) == columns
    values = frame["value"].astype(str)
    pd.to_numeric(values[~values.str.contains("://")].str.split().explode(), errors="raise")
    assert not frame.drop(columns=["value", "implies"]).duplicated().any()
