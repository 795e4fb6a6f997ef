"""The notebooks run with other parameters than the stored ones, and refuse what they cannot use."""

import pytest
from structure import ROOT

from mtclib.notebooks import execute, parameters

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def run(path, folder, **values):
    known = parameters(path)
    return execute(path, folder / path.name, {name: v for name, v in values.items() if name in known})


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("MTCLIB_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("MTCLIB_FIGURES", str(tmp_path / "figures"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_with_another_seed_and_one_run(path, tmp_path):
    assert run(path, tmp_path, profile="quick", seed=1, n_runs=1).error == ""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_refuses_an_unknown_profile_at_once(path, tmp_path):
    done = run(path, tmp_path, profile="quik")
    assert done.status == "failed"
    assert "Did you mean 'quick'?" in done.error
    assert done.error.startswith(("In [2]", "In [3]"))
