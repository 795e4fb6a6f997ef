"""The transcribed numbers of the five papers: complete, well-formed and within range."""

import re
from pathlib import Path

import pandas as pd
import pytest

DATA = Path(__file__).resolve().parents[3] / "data"
COLUMNS = ["paper", "table", "dataset", "task", "method", "metric", "mean", "std", "decimals", "unit"]
KEY = ["paper", "table", "dataset", "task", "method", "metric"]
CELLS = {
    "spmtc": {"2": 36, "3": 36, "4": 36, "5": 36, "6": 36, "7": 72},
    "mspl": {"1": 27, "2": 27, "3": 24},
    "mbc": {"3": 80, "4": 29},
    "mtcmrl": {"2": 96, "3": 72, "4": 72},
    "lmsc": {"1": 135, "2": 108, "3": 108, "4": 81},
}
TOTALS = {"spmtc": 252, "mspl": 78, "mbc": 109, "mtcmrl": 240, "lmsc": 432}
UNITS = {
    "spmtc": {"percent"},
    "mspl": {"fraction"},
    "mbc": {"fraction", "distance"},
    "mtcmrl": {"percent"},
    "lmsc": {"percent"},
}
UPPER = {"percent": 100.0, "fraction": 1.0, "distance": float("inf")}
METRICS = {
    "spmtc": {"ACC", "NMI"},
    "mspl": {"ACC", "NMI", "purity"},
    "mbc": {"NMI", "ARI", "d_M", "s_nmi"},
    "mtcmrl": {"ACC", "NMI"},
    "lmsc": {"NMI", "purity", "RI"},
}


def read(paper, file="published"):
    """A file of a paper's folder with every cell as text, so that trailing zeros survive."""
    return pd.read_csv(DATA / paper / f"{file}.csv", dtype=str, keep_default_na=False)


@pytest.fixture(params=list(CELLS))
def paper(request):
    return request.param


@pytest.fixture
def frame(paper):
    return read(paper)


def test_the_columns_stand_in_the_agreed_order(frame):
    assert list(frame.columns) == COLUMNS


def test_a_file_holds_one_paper_only(paper, frame):
    assert set(frame["paper"]) == {paper}


def test_every_table_has_all_its_cells(paper, frame):
    assert frame.groupby("table").size().to_dict() == CELLS[paper]
    assert len(frame) == TOTALS[paper]


def test_all_papers_together_print_1111_cells():
    assert sum(len(read(name)) for name in CELLS) == 1111


def test_no_cell_is_transcribed_twice(frame):
    assert not frame.duplicated(KEY).any()


def test_metrics_are_those_the_paper_prints(paper, frame):
    assert set(frame["metric"]) == METRICS[paper]


def test_every_number_is_plain_decimal_digits(frame):
    number = re.compile(r"\d*\.\d+")
    assert all(number.fullmatch(text) for text in frame["mean"])
    assert all(number.fullmatch(text) for text in frame["std"] if text)


def test_the_files_parse_as_numbers_with_the_default_reader(paper):
    parsed = pd.read_csv(DATA / paper / "published.csv")
    assert parsed["mean"].dtype == float and parsed["std"].dtype == float
    assert parsed["mean"].notna().all()
    assert parsed["decimals"].dtype == int


def test_decimals_counts_the_printed_digits_of_mean_and_std(frame):
    for mean, std, decimals in zip(frame["mean"], frame["std"], frame["decimals"]):
        assert len(mean.split(".")[1]) == int(decimals)
        assert not std or len(std.split(".")[1]) == int(decimals)


def test_values_lie_in_the_range_of_their_metric_and_unit(paper, frame):
    assert set(frame["unit"]) == UNITS[paper]
    assert ((frame["unit"] == "distance") == (frame["metric"] == "d_M")).all()
    mean, upper = frame["mean"].astype(float), frame["unit"].map(UPPER)
    lower = -upper.where(frame["metric"] == "ARI", 0.0)
    assert ((mean >= lower) & (mean <= upper)).all()
    spread = frame["std"].replace("", "0").astype(float)
    assert ((spread >= 0) & (spread <= upper / 2)).all()


def test_percent_tables_are_not_transcribed_as_fractions(frame):
    typical = frame.assign(mean=frame["mean"].astype(float)).groupby(["unit", "metric"])["mean"].median()
    if "percent" in typical.index:
        assert (typical["percent"] > 1).all()


def test_accuracy_never_exceeds_purity():
    wide = (
        read("mspl")
        .astype({"mean": float})
        .pivot(index=["table", "dataset", "method"], columns="metric", values="mean")
    )
    wide = wide.dropna()
    assert len(wide) == 18
    assert (wide["purity"] >= wide["ACC"]).all()


def test_tasks_are_numbered_from_one_and_only_lmsc_prints_averages(paper, frame):
    for _, tasks in frame.groupby(["table", "dataset", "metric"])["task"]:
        names = set(tasks) - {"avg"}
        assert names == {""} or names == {str(i + 1) for i in range(len(names))}
    assert ("avg" in set(frame["task"])) == (paper == "lmsc")


def test_printed_averages_are_the_means_of_their_tasks_but_for_seven_misprints():
    frame = read("lmsc").astype({"mean": float})
    key = ["table", "method", "metric"]
    tasks = frame[frame["task"] != "avg"].groupby(key)["mean"].mean()
    printed = frame[frame["task"] == "avg"].set_index(key)["mean"]
    # Rounding of the tasks and of the average together allow a difference of 0.01.
    off = (tasks - printed).abs() > 0.011
    expected = {("2", method, "RI") for method in ("Coreg", "LLMC", "L2SC", "DiMSC", "AWP", "WMSC")}
    assert set(off[off].index) == expected | {("1", "LMSC", "NMI")}


def test_standard_deviations_are_missing_only_where_the_paper_prints_none():
    assert (read("spmtc")["std"] == "").all()
    assert (read("lmsc")["std"] == "").all()
    assert (read("mspl")["std"] != "").all()
    mbc, mtcmrl = read("mbc"), read("mtcmrl")
    assert ((mbc["std"] == "") == (mbc["method"] == "true")).all()
    assert ((mtcmrl["std"] == "") == mtcmrl["method"].isin(["CLR", "DMTFC", "DMTRC"])).all()


def test_data_figures_are_whole_numbers_of_known_quantities():
    frames = {name: read(name, "sizes") for name in CELLS}
    frame = pd.concat(frames, names=["paper"]).reset_index("paper")
    assert list(frame.columns) == ["paper", "table", "dataset", "task", "quantity", "value", "note"]
    assert set(frame["quantity"]) == {"n_samples", "n_features", "n_classes", "class_size"}
    assert frame["value"].str.fullmatch(r"[1-9]\d*").all()
    assert not frame.duplicated(["paper", "dataset", "task", "quantity", "note"]).any()
    assert (frame.loc[frame["quantity"] == "class_size", "note"] != "").all()
    assert frame.groupby("paper").size().to_dict() == {
        "lmsc": 5,
        "mbc": 70,
        "mspl": 10,
        "mtcmrl": 50,
        "spmtc": 42,
    }


def test_every_data_set_with_results_has_its_data_figures():
    for name in CELLS:
        assert set(read(name)["dataset"]) <= set(read(name, "sizes")["dataset"])


def test_printed_relation_matrices_are_distributions_over_pairs_of_clusters():
    frame = read("mtcmrl", "facts")
    relation = frame[frame["quantity"] == "G"]
    shapes = {"WebKB4": (4, 4), "20NewsGroups": (3, 4), "Reuters": (3, 3)}
    assert set(relation["dataset"]) == set(shapes)
    for name, entries in relation.groupby("dataset"):
        cells = entries.astype({"row": int, "col": int, "value": float}).pivot(
            index="row", columns="col", values="value"
        )
        assert cells.shape == shapes[name]
        assert cells.notna().all(axis=None)
        assert cells.sum().sum() == pytest.approx(1.0, abs=1e-9)


def test_other_printed_facts_are_numbers_and_unique():
    frame = pd.concat([read(name, "facts").assign(paper=name) for name in CELLS])
    columns = ["where", "dataset", "task", "method", "quantity", "row", "col", "value", "paper"]
    assert list(frame.columns) == columns
    pd.to_numeric(frame["value"], errors="raise")
    assert not frame.drop(columns="value").duplicated().any()


def test_published_sweep_counts_and_running_times_are_present():
    frame = read("mtcmrl", "facts")
    sweeps = frame[frame["quantity"] == "n_iter"]
    assert dict(zip(sweeps["dataset"], sweeps["value"])) == {
        "WebKB4": "99",
        "20NewsGroups": "100",
        "Reuters": "28",
    }
    seconds = read("spmtc", "facts").query("quantity == 'seconds'")
    assert set(seconds["dataset"]) == {"PEOPLEvsPLACES"}
    assert dict(zip(seconds["method"], seconds["value"])) == {"LSSMTC": "3.1", "SPMTC-h": "4.2"}
