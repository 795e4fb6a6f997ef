"""The committed figures: every printed one has its counterpart, and none is older than its data."""

import csv
import functools
import hashlib
import re

import nbformat
import pytest

from mtclib.companion.papers.study import show
from mtclib.companion.plots import MANIFEST_COLUMNS, folder_key, objective_panels
from mtclib.companion.site import pages
from mtclib.core import paths

FOLDER = paths.root() / "figures"
# Every figure of the five papers that shows data; Figure 1 of LMSC is a drawing of the method.
PRINTED = ("SPMTC 1", "MSPL 1", "MSPL 2", "MSPL 3", "MBC 1", "MBC 2", "MTCMRL 1", "MTCMRL 2", "MTCMRL 3",
           "LMSC 2", "LMSC 3", "LMSC 4")
LIVE = re.compile(r"live [0-9a-f]{64}( [0-9a-f]{64})*")


def manifest(folder=FOLDER):
    with (folder / "manifest.csv").open(newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


ROWS = manifest()
STEMS = sorted({row["file"].rpartition(".")[0] for row in ROWS})


@functools.cache
def cells(notebook):
    return nbformat.read(paths.root() / notebook, as_version=4).cells


def test_the_manifest_has_its_columns_and_one_sorted_row_per_file_that_there_is():
    files = [row["file"] for row in ROWS]
    assert list(ROWS[0]) == list(MANIFEST_COLUMNS)
    assert not any(None in row for row in ROWS)
    assert files == sorted(set(files))
    assert {path.name for path in FOLDER.iterdir()} - {"manifest.csv"} == set(files)


@pytest.mark.parametrize("stem", STEMS)
def test_a_figure_is_there_as_png_and_as_vector_drawn_by_its_notebook_from_the_data_of_today(stem):
    rows = [row for row in ROWS if row["file"].rpartition(".")[0] == stem]
    assert [row["file"] for row in rows] == [f"{stem}.png", f"{stem}.svg"]
    for row in rows:
        assert hashlib.sha256((FOLDER / row["file"]).read_bytes()).hexdigest() == row["sha256"]
    assert rows[0] | {"file": "", "sha256": ""} == rows[1] | {"file": "", "sha256": ""}
    assert any(stem in pages.drawn(cell) for cell in cells(rows[0]["notebook"]))
    data = rows[0]["data"]
    if data not in ("formula", "scikit-learn's digits") and not LIVE.fullmatch(data):
        folder = data.partition(" ")[0]
        assert folder.startswith("data/"), f"{stem} does not say what it was drawn from: {data!r}"
        assert data == folder_key(paths.root(), folder)


@pytest.mark.parametrize("printed", PRINTED)
def test_every_printed_figure_has_its_counterpart_under_a_heading_that_names_it(printed):
    rows = [row for row in ROWS if printed in row["printed"].split(", ")]
    paper, _, number = printed.partition(" ")
    assert rows
    assert {row["notebook"] for row in rows} == {f"notebooks/{paper.lower()}.ipynb"}
    texts = "\n".join(cell.source for cell in cells(rows[0]["notebook"]) if cell.cell_type == "markdown")
    headings = re.findall(r"^###? Figures? ([\d and]+) of the paper", texts, re.M)
    assert number in " ".join(headings).split()


def test_no_figure_stands_for_one_that_is_not_printed():
    assert {name for row in ROWS for name in row["printed"].split(", ")} == {*PRINTED, ""}


def test_a_shown_figure_says_what_it_was_drawn_from(tmp_path, monkeypatch):
    monkeypatch.setenv("MTCLIB_ROOT", str(tmp_path))
    monkeypatch.setenv("MTCLIB_FIGURES", str(tmp_path / "figures"))
    results, fig = tmp_path / "data/toy/results", objective_panels({"a": [[2.0, 1.0]]}, {"a": 2})
    results.mkdir(parents=True)
    keys = []
    for content in ("1", "1", "2"):
        (results / "scores.csv").write_text(content)
        show(fig, "a", "notebooks/x.ipynb", "data/toy/results", "P 1")
        keys.append(manifest(tmp_path / "figures")[0]["data"])
    assert keys[0] == keys[1] != keys[2] == folder_key(tmp_path, "data/toy/results")
    show(fig, "a", "notebooks/x.ipynb", "formula")
    assert [list(row.values())[2:] for row in manifest(tmp_path / "figures")] == [
        ["notebooks/x.ipynb", "formula", ""]] * 2  # fmt: skip
    with pytest.raises(ValueError, match="data/none holds no files"):
        show(fig, "a", "notebooks/x.ipynb", "data/none")
    monkeypatch.setenv("MTCLIB_FIGURES", "none")
    assert show(fig, "b", "notebooks/x.ipynb", "formula")._repr_png_() is None
    assert {path.stem for path in tmp_path.rglob("*.*g")} == {"a"}
