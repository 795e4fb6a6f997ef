"""Printed numbers: how they are read; those of the papers are complete, well-formed and accounted for."""

import math
import re
from pathlib import Path

import pandas as pd
import pytest

from mtclib.companion import runs
from mtclib.companion.papers import study_of
from mtclib.companion.verdicts import identify, published
from mtclib.companion.verdicts.published import PublishedError, from_printed
from mtclib.core import paths

DATA = Path(__file__).resolve().parents[3] / "data"
COLUMNS = list(published.REQUIRED)
KEY = COLUMNS[:6]
PAPERS = paths.papers()
URLS = {"spmtc": 3, "mspl": 0, "mbc": 1, "mtcmrl": 3, "lmsc": 0}
"""Addresses of data in the text and the footnotes of papers that were read for them."""


def read(paper, file="published"):
    """A file of a paper's folder with every cell as text, so that trailing zeros survive."""
    return pd.read_csv(DATA / paper / f"{file}.csv", dtype=str, keep_default_na=False)


@pytest.mark.parametrize(("paper", "frame"), [(name, read(name)) for name in PAPERS], ids=PAPERS)
def test_a_file_holds_every_cell_of_a_table_once_with_digits_units_and_tasks_as_they_must_be(paper, frame):
    assert (list(frame.columns), set(frame["paper"])) == (COLUMNS, {paper})
    assert not frame.duplicated(KEY).any()
    for place, cells in frame.groupby(["table", "dataset"]):
        columns = cells[["task", "metric"]].drop_duplicates()
        assert len(cells) == len(columns) * cells["method"].nunique(), place
    assert set(frame["metric"]) <= {*published.PERCENT_OR_FRACTION, "d_M"}
    for mean, std in zip(frame["mean"], frame["std"]):
        assert re.fullmatch(r"\d*\.\d+", mean), mean
        assert not std or len(std.partition(".")[2]) == len(mean.partition(".")[2]), (mean, std)
    assert frame["std"].eq("").groupby(frame["method"]).nunique().eq(1).all()
    assert frame.groupby("metric")["unit"].nunique().eq(1).all()
    assert ((frame["unit"] == "distance") == (frame["metric"] == "d_M")).all()
    typical = frame.astype({"mean": float}).groupby(["unit", "metric"])["mean"].median()
    assert (typical[typical.index.get_level_values("unit") == "percent"] > 1).all()
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


@pytest.mark.parametrize("paper", PAPERS)
def test_facts_say_where_they_stand_and_what_became_of_them_and_have_every_size_and_address(paper):
    frame = read(paper, "facts")
    columns = ["where", "dataset", "task", "method", "quantity", "row", "col", "value", "status", "implies"]
    assert list(frame.columns) == columns
    values = frame["value"].astype(str)
    pd.to_numeric(values[~values.str.contains("://")].str.split().explode(), errors="raise")
    assert not frame.drop(columns=["value", "implies", "status"]).duplicated().any()
    assert (frame[["where", "quantity", "value", "implies"]] != "").all(axis=None)
    assert set(frame["status"]) <= {"used", "tried", "out of reach"}
    place = ["dataset", "task", "quantity"]
    sizes = read(paper, "sizes").groupby(place)["value"].agg(" ".join).str.strip()
    rows = frame[frame["where"].str.startswith(("table", "text"))]
    assert rows.set_index(place)["value"].to_dict() == sizes.to_dict()
    addresses = frame[frame["quantity"] == "url"]
    assert len(addresses) == URLS.get(paper, len(addresses))
    assert addresses["value"].str.startswith("http").all()
    assert addresses["where"].str.contains("footnote").all()
    assert (addresses["implies"].str.len() > 30).all()


@pytest.mark.parametrize("paper", PAPERS)
def test_a_size_is_used_where_fits_were_made_and_in_a_search_by_sizes_where_one_has_it(paper):
    rows, protocol = read(paper, "facts")[lambda one: one["status"] == "used"], runs.load_protocol(paper)
    fitted = set(study_of(paper).results.frame["published"])
    lacking = set(read(paper)["dataset"]) - fitted
    assert not lacking & set(rows["dataset"])
    searches = [search for search in protocol.identify.values() if search.stage == "sizes"]
    searched = {(cell.dataset, cell.metric) for search in searches
                for cell in identify.calibration(protocol, search).itertuples()}
    told = rows[rows["implies"].str.contains("stage of sizes")]
    assert set(told[["dataset", "quantity"]].itertuples(index=False, name=None)) == searched


def printed(*rows):
    return from_printed(pd.DataFrame(rows, columns=COLUMNS))


@pytest.mark.parametrize(("texts", "values"), [
    (("ACC", "80.90 ", "0.0", "percent"), (0.809, 0.0, 0.00005, 0.0005)),
    (("NMI", ".40", ".02", "fraction"), (0.4, 0.02, 0.005, 0.005)),
    (("d_M", "27.39", "", "distance"), (27.39, math.nan, 0.005, math.nan))])
def test_percent_becomes_a_fraction_and_half_a_unit_follows_the_printed_digits(texts, values):
    row = printed(("p", "1", "toy", "2", "SNMF", *texts)).iloc[0]
    assert row["cell"] == f"p:1:toy:2:SNMF:{texts[0]}"
    assert row[["printed_mean", "printed_std", "unit"]].tolist() == [texts[1].strip(), *texts[2:]]
    found = row[["mean", "std", "half_unit", "half_unit_std"]].tolist()
    assert found == pytest.approx(values, rel=1e-12, nan_ok=True)


def test_a_missing_column_a_bad_number_or_unit_and_a_doubled_cell_are_refused(write):
    with pytest.raises(PublishedError, match="demo/published.csv: missing column.s. std, unit"):
        published.load(write("published.csv", ",".join(COLUMNS[:-2])))
    with pytest.raises(PublishedError, match="demo/sizes.csv: missing column.s. quantity, value"):
        published.class_sizes(write("sizes.csv", "dataset,task"))
    for wrong in ("", 'a,b\n"', "a,b\n1,2\n1,2,3", "\udcff"):
        with pytest.raises(PublishedError, match="demo/published.csv is no table"):
            published.load(write("published.csv", wrong))
    row = ("p", "1", "toy", "1", "SNMF", "ACC", "80.90", "0.00", "percent")
    for wrong in ("8o.9", "inf"):
        with pytest.raises(PublishedError, match=f"mean='{wrong}' of p:1:toy:1:SNMF:ACC is no number"):
            printed((*row[:6], wrong, *row[7:]))
    with pytest.raises(PublishedError, match="unit must be one of 'percent', .*; got 'permille'"):
        printed((*row[:8], "permille"))
    with pytest.raises(PublishedError, match="more than one row for p:1:toy:1:SNMF:ACC"):
        printed(row, row)


def test_class_sizes_are_grouped_by_task(write):
    rows = "a,1,class_size,3\na,1,class_size,4\nb,,n_samples,9\n"
    paper = write("sizes.csv", f"dataset,task,quantity,value\n{rows}")
    assert published.class_sizes(paper) == {("a", "1"): [3, 4]}
