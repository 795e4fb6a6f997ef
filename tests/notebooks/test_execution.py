"""The notebooks under papermill: with parameters of one's own, and refusing what they cannot use."""

import nbformat
import pytest
from dataflow import reduced
from nbclient import NotebookClient
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook
from structure import ROOT, checks_parameters, is_front, tagged

from mtclib.companion.site.notebooks import QUIET_KERNEL, parameters

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
CHOICES = {"kind": "views", "n_runs": 1, "n_jobs": 2}
"""Other than the defaults, with which the notebooks run where their stored outputs are compared."""
OTHER_SEED = ("mspl", "your_data")
"""Run from nothing; the others share the fits of their seed with the run that compares stored outputs."""
SAME_SEED = tuple(path.stem for path in NOTEBOOKS if not is_front(path.stem) and path.stem not in OTHER_SEED)
WHOLE = ("your_data",)
"""Run with all cells; of the others only what depends on a parameter, and what that needs."""


@pytest.fixture(autouse=True)
def own_figures(monkeypatch):
    monkeypatch.setenv("MTCLIB_FIGURES", "none")
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "1")


def client_of(cells, folder):
    """What executes the code of cells by one kernel, which starts in a folder."""
    code = [nbformat.v4.new_code_cell(cell.source) for cell in cells if cell.cell_type == "code"]
    notebook = nbformat.v4.new_notebook(cells=code)
    return NotebookClient(notebook, kernel_name="python3", extra_arguments=QUIET_KERNEL,
                          resources={"metadata": {"path": str(folder)}})  # fmt: skip


@pytest.mark.parametrize("names", [OTHER_SEED, SAME_SEED], ids=["other seed", "same seed"])
def test_the_notebooks_run_with_other_parameters_than_their_defaults(names, tmp_path, monkeypatch):
    """One kernel for all, as a fresh one each is had where stored outputs are compared."""
    cells, choices = [], CHOICES
    if names == OTHER_SEED:
        monkeypatch.setenv("MTCLIB_RUNS", str(tmp_path / "runs"))
        choices = {**CHOICES, "seed": 7}
    for path in (ROOT / "notebooks" / f"{name}.ipynb" for name in names):
        notebook, known = load_notebook_node(str(path)), parameters(path)
        kept = notebook if path.stem in WHOLE else reduced(notebook)
        given = {name: value for name, value in choices.items() if name in known}
        cells += [*parameterize_notebook(kept, given).cells, nbformat.v4.new_code_cell("%reset -f")]
    done = client_of(cells, ROOT / "notebooks").execute().cells
    assert all(cell.execution_count for cell in done if cell.source)


TOY = """seed = 0  # parameters
study = Study("toy", profile="quick", seed=seed); sets = ["a"]; size = 3
print(study.results)
live = study.live_rows()
print([seed for seed in sets])
data = study.data(sets[0])
size += 1
def share(rows): return rows / size
rows = study.rows; table = rows.mean()
fit = KMeans(random_state=seed).fit(data)
rows = share(live)
print(rows)
fit = rows = 0
print(fit, rows, table)"""


def test_the_cells_that_depend_on_a_parameter_and_all_that_they_need_are_kept():
    cells = [nbformat.v4.new_code_cell(source) for source in TOY.split("\n")]
    cells[0].metadata["tags"] = ["parameters"]
    kept = reduced(nbformat.v4.new_notebook(cells=[*cells, nbformat.v4.new_markdown_cell("The end.")])).cells
    assert [cells.index(cell) for cell in kept[:-1]] == [0, 1, 3, 5, 6, 7, 9, 10, 11]
    for path in NOTEBOOKS:
        notebook = nbformat.read(path, as_version=4)
        texts = [cell.source for cell in reduced(notebook).cells]
        used = [cell.source for cell in notebook.cells if cell.cell_type == "code" and ".live" in cell.source]
        assert set(used) <= set(texts)
        assert any(map(checks_parameters, reduced(notebook).cells))


REFUSED = [({"n_runz": 3}, "there is no parameter 'n_runz'."),
           ({"profile": "quik"}, "profile must be one of 'quick', 'full'; got 'quik'. Did you mean 'quick'?"),
           ({"seed": 1.5}, "seed must be of type int, not 1.5."),
           ({"n_runs": "many"}, "n_runs must be of type int, not 'many'."),
           ({"n_runs": -1}, "n_runs must be an integer of at least 0, not -1"),
           ({"dask": 8786}, "dask must be of type str, not 8786."),
           ({"paths": "a.csv"}, "paths must be of type list, not 'a.csv'.")]


def test_notebooks_refuse_unknown_and_ill_typed_parameters_with_the_list_of_valid_ones():
    """One kernel for all: what papermill adds, and the check after it, one set of values after the other."""
    cells, expected = [], []
    for path in (ROOT / "notebooks" / f"{name}.ipynb" for name in ("mspl", "your_data")):
        notebook, known = nbformat.read(path, as_version=4), parameters(path)
        (declared,) = tagged(notebook, "parameters")
        check = next(filter(checks_parameters, notebook.cells))
        names = ", ".join(f"{name} ({entry.type})" for name, entry in known.items())
        for values, message in REFUSED:
            changed = parameterize_notebook(load_notebook_node(str(path)), values)
            (added,) = tagged(changed, "injected-parameters")
            cells += [nbformat.v4.new_code_cell("%reset -f"), declared, added, check]
            absent = values.keys() - known.keys()
            expected.append((f"there is no parameter {absent.pop()!r}." if absent else message, names))
    client = client_of(cells, ROOT / "notebooks")
    client.allow_errors = True
    for (message, names), cell in zip(expected, client.execute().cells[3::4], strict=True):
        (error,) = [output for output in cell.outputs if output.output_type == "error"]
        assert message in error.evalue
        if message.endswith("."):
            assert f"Parameters: {names}." in error.evalue
