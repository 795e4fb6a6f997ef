"""The committed figures: every printed one has its counterpart, and none is older than its data."""

import csv
import hashlib
import re

import nbformat
import pytest

from mtclib.companion.papers.study import show
from mtclib.companion.plots import MANIFEST_COLUMNS, convergence, folder_key
from mtclib.core import paths

FOLDER = paths.root() / "figures"
# Every figure of the five papers that shows data; Figure 1 of LMSC is a drawing of the method.
PRINTED = (
    "SPMTC 1", "MSPL 1", "MSPL 2", "MSPL 3", "MBC 1", "MBC 2", "MTCMRL 1", "MTCMRL 2", "MTCMRL 3",
    "LMSC 2", "LMSC 3", "LMSC 4",
)  # fmt: skip
LIVE = re.compile(r"live [0-9a-f]{64}( [0-9a-f]{64})*")


def manifest(folder=FOLDER):
    with (folder / "manifest.csv").open(newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


ROWS = manifest()
STEMS = sorted({row["file"].rpartition(".")[0] for row in ROWS})


def of_stem(stem):
    return [row for row in ROWS if row["file"].rpartition(".")[0] == stem]


def stands_for(row):
    return [name for name in row["printed"].split(", ") if name]


def notebook(row):
    return nbformat.read(paths.root() / row["notebook"], as_version=4)


def test_the_manifest_has_its_columns_and_one_sorted_row_a_file():
    files = [row["file"] for row in ROWS]
    assert list(ROWS[0]) == list(MANIFEST_COLUMNS)
    assert files == sorted(set(files)) and not any(None in row for row in ROWS)


def test_the_manifest_lists_the_files_that_there_are():
    there = {path.name for path in FOLDER.iterdir()} - {"manifest.csv"}
    assert there == {row["file"] for row in ROWS}


@pytest.mark.parametrize("stem", STEMS)
def test_a_figure_is_there_as_vector_and_as_png_with_the_hash_of_the_manifest(stem):
    rows = of_stem(stem)
    assert [row["file"] for row in rows] == [f"{stem}.png", f"{stem}.svg"]
    for row in rows:
        assert hashlib.sha256((FOLDER / row["file"]).read_bytes()).hexdigest() == row["sha256"]
    assert rows[0] | {"file": "", "sha256": ""} == rows[1] | {"file": "", "sha256": ""}


@pytest.mark.parametrize("stem", STEMS)
def test_the_notebook_of_a_figure_names_it(stem):
    code = [cell.source for cell in notebook(of_stem(stem)[0]).cells if cell.cell_type == "code"]
    assert any(f'"{stem}"' in source for source in code)


@pytest.mark.parametrize("stem", STEMS)
def test_a_figure_is_as_new_as_the_data_that_it_was_drawn_from(stem):
    data = of_stem(stem)[0]["data"]
    if data != "formula" and not LIVE.fullmatch(data):
        folder = data.partition(" ")[0]
        assert folder.startswith("data/"), f"{stem} does not say what it was drawn from: {data!r}"
        assert data == folder_key(paths.root(), folder)


@pytest.mark.parametrize("printed", PRINTED)
def test_every_printed_figure_has_its_counterpart_under_a_heading_that_names_it(printed):
    rows = [row for row in ROWS if printed in stands_for(row)]
    paper, _, number = printed.partition(" ")
    assert rows and {row["notebook"] for row in rows} == {f"notebooks/{paper.lower()}.ipynb"}
    texts = "\n".join(cell.source for cell in notebook(rows[0]).cells if cell.cell_type == "markdown")
    headings = re.findall(r"^## Figures? ([\d and]+) of the paper", texts, re.M)
    assert number in " ".join(headings).split()


def test_no_figure_stands_for_one_that_is_not_printed():
    assert {name for row in ROWS for name in stands_for(row)} == set(PRINTED)


def test_a_shown_figure_says_what_it_was_drawn_from(tmp_path, monkeypatch):
    monkeypatch.setenv("MTCLIB_ROOT", str(tmp_path))
    monkeypatch.setenv("MTCLIB_FIGURES", str(tmp_path / "figures"))
    results = tmp_path / "data/toy/results"
    results.mkdir(parents=True)
    keys = []
    for content in ("1", "1", "2"):
        (results / "scores.csv").write_text(content)
        show(convergence({"a": [[2.0, 1.0]]}), "a", "notebooks/x.ipynb", "data/toy/results", "P 1")
        keys.append(manifest(tmp_path / "figures")[0]["data"])
    assert keys[0] == keys[1] != keys[2] == folder_key(tmp_path, "data/toy/results")
    show(convergence({"a": [[2.0, 1.0]]}), "a", "notebooks/x.ipynb", "formula")
    assert [list(row.values())[2:] for row in manifest(tmp_path / "figures")] == [
        ["notebooks/x.ipynb", "formula", ""]] * 2  # fmt: skip
    with pytest.raises(ValueError, match="data/none holds no files"):
        show(convergence({"a": [[2.0, 1.0]]}), "a", "notebooks/x.ipynb", "data/none")
