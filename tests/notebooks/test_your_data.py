"""The notebook on a user's own data, run by papermill on files made here."""

import os
import re
import shlex

import nbformat
import numpy as np
import pandas as pd
import pytest
from papermill.cli import papermill
from structure import ROOT

from mtclib.companion.site.notebooks import execute
from mtclib.companion.userdata.load import write_example

pytestmark = pytest.mark.usefixtures("own_folder")


def shown(path):
    """What the cells of a notebook showed, as text and as pages."""
    cells = nbformat.read(path, as_version=4).cells
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    data = [output.get("data", {}) for output in outputs]
    pages = "".join(each.get(form, "") for each in data for form in ("text/html", "text/markdown"))
    return "\n".join(o.get("text", "") or o.get("data", {}).get("text/plain", "") for o in outputs), pages


def test_views_from_npz_files_are_clustered_drawn_and_written(tmp_path, monkeypatch):
    monkeypatch.setenv("MTCLIB_FIGURES", str(tmp_path / "figures"))
    rng, y = np.random.default_rng(0), np.repeat([0, 1, 2], 12)
    paths = [str(tmp_path / f"{name}.npz") for name in ("<img src=x onerror=alert(1)>", "second")]
    for path, d in zip(paths, (3, 5)):
        np.savez(path, X=rng.normal(size=(36, d)) + 9 * np.eye(3, d)[y], y=y)
    values = {"kind": "views", "paths": paths, "methods": ["ConMC", {"CoregSpectral": {"lam": 0.1}}],
              "label_column": "y", "n_clusters": [3], "scaling": "minmax", "n_runs": 2,
              "output": str(tmp_path / "out")}
    done = execute(ROOT / "notebooks" / "your_data.ipynb", "done.ipynb", values)
    assert (done.error, done.n_figures) == ("", 2)
    text, pages = shown("done.ipynb")
    assert "Scores against the given classes" in text
    assert "<img src=x" not in pages, "as a file may be called"
    frame = pd.read_csv("out/methods.csv")
    assert frame["method"].tolist() == ["ConMC", "CoregSpectral"]
    assert frame["ACC"].tolist() == [1, 1]
    for method in frame["method"]:
        table = pd.read_csv(f"out/clusters-{method}.csv")
        assert table["class"].tolist() == y.tolist()
        assert len(set(zip(y, table["cluster"]))) == 3


def test_the_command_of_the_readme_runs_as_written(tmp_path):
    text = (ROOT / "notebooks" / "README.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^papermill notebooks/your_data.*$", text, re.M)
    write_example("tasks", tmp_path)
    for name in ("north", "south"):
        pd.read_csv(f"{name}.csv").drop(columns="class").to_csv(f"{name}.csv", index=False)
    words = [str(ROOT / word) if word.startswith("notebooks/") else word for word in shlex.split(line)]
    papermill.main([*words[1:], "-p", "n_runs", "1", "-k", "python3"], standalone_mode=False)
    assert len(pd.read_csv("mine/clusters-MTCMRL.csv")) == 135
    assert {"number.png", "embedding.svg", "related.csv", "report.txt"} <= set(os.listdir("mine"))
    text, _ = shown("mine.ipynb")
    assert "No classes are given" in text
    assert re.search(r"south +\| 75 +\| 40", text)
