"""The notebook on a user's own data, run by papermill on files made here."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from structure import ROOT

from mtclib.companion.site.notebooks import execute
from mtclib.companion.userdata.load import write_example

NOTEBOOK = ROOT / "notebooks" / "your_data.ipynb"


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(**values):
    """What happened when the notebook was run, and what its cells showed."""
    done = execute(NOTEBOOK, "done.ipynb", {"n_runs": 1, **values})
    notebook = nbformat.read("done.ipynb", as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    text = "\n".join(o.get("text", "") or o.get("data", {}).get("text/plain", "") for o in outputs)
    data = [output.get("data", {}) for output in outputs]
    shown = "".join(each.get(form, "") for each in data for form in ("text/html", "text/markdown"))
    assert "<img src=x" not in shown  # as a file may be called
    return done, text


def test_tasks_from_csv_files_are_clustered_drawn_and_written(tmp_path):
    paths, options = write_example("tasks", tmp_path, seed=1)
    methods, folder = ["KMeans", {"SNMF": {"exponent": 1.0}}], str(tmp_path / "out")
    done, text = run(paths=paths, methods=methods, output=folder, n_runs=3, **options)
    assert (done.error, done.n_figures) == ("", 2)
    assert re.search(r"south +\| 75 +\| 40", text)
    assert "SNMF" in text
    table = pd.read_csv(Path(folder, "clusters-KMeans.csv"))
    truth = pd.concat([pd.read_csv(path)["class"] for path in paths], ignore_index=True)
    assert table["class"].tolist() == truth.tolist()
    frame = pd.read_csv(Path(folder, "methods.csv"))
    assert len(frame) == 6
    assert frame["ACC"].min() > 0.8
    assert not frame["error"].notna().any()
    assert {"number.png", "embedding.svg", "related.csv", "report.txt"} <= set(os.listdir(folder))


def test_views_from_npz_files_without_labels_are_clustered(tmp_path):
    rng, y = np.random.default_rng(0), np.repeat([0, 1, 2], 12)
    paths = [str(tmp_path / f"{name}.npz") for name in ("<img src=x onerror=alert(1)>", "second")]
    for path, d in zip(paths, (3, 5)):
        np.savez(path, X=rng.normal(size=(36, d)) + 9 * np.eye(3, d)[y])
    methods, folder = ["ConMC", "CoregSpectral"], str(tmp_path / "out")
    done, text = run(kind="views", paths=paths, methods=methods, n_clusters=[3], scaling="minmax",
                     output=folder, n_runs=4)  # fmt: skip
    assert done.error == ""
    assert "No classes are given" in text
    for method in methods:
        clusters = pd.read_csv(Path(folder, f"clusters-{method}.csv"))["cluster"].to_numpy()
        assert len(set(zip(y, clusters))) == 3


def test_the_command_of_the_readme_runs_as_written(tmp_path):
    text = (ROOT / "notebooks" / "README.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^papermill notebooks/your_data.*$", text, re.M)
    write_example("tasks", tmp_path)
    for name in ("north", "south"):
        pd.read_csv(f"{name}.csv").drop(columns="class").to_csv(f"{name}.csv", index=False)
    words = [str(ROOT / word) if word.startswith("notebooks/") else word for word in shlex.split(line)]
    command = [sys.executable, "-m", *words, "-p", "n_runs", "1", "-k", "python3"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(pd.read_csv(tmp_path / "mine" / "clusters-MTCMRL.csv")) == 135
