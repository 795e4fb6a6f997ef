"""The notebooks under papermill: with parameters of one's own, and refusing what they cannot use."""

import re

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook
from structure import ROOT, checks_parameters, code_cells, is_front, tagged

from mtclib.companion.site.notebooks import QUIET_KERNEL, parameters

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
CHOICES = {"n_runs": 1, "n_jobs": 2}
"""Other than the defaults, with which the notebooks run where their stored outputs are compared."""
OTHER_SEED = ("mspl",)
"""Run from nothing; the others share the fits of their seed with the run that compares stored outputs."""
SAME_SEED = tuple(path.stem for path in NOTEBOOKS if path.stem not in (*OTHER_SEED, "your_data")
                  and not is_front(path.stem))
"""A reader's own data are in a file of their own, test_your_data.py."""
RESET = new_code_cell("%reset -f")


@pytest.fixture(scope="module")
def run():
    """What executes the code of cells and returns them: one kernel for all, as a fresh one each is had where
    stored outputs are compared."""
    client = NotebookClient(new_notebook(), kernel_name="python3", extra_arguments=QUIET_KERNEL,
                            shutdown_kernel="immediate",
                            resources={"metadata": {"path": str(ROOT / "notebooks")}})  # fmt: skip

    def execute(cells):
        cells = [new_code_cell(cell.source, metadata=cell.metadata) for cell in cells]
        client.nb = new_notebook(cells=cells)
        client.reset_execution_trackers()
        for place, cell in enumerate(cells):
            client.execute_cell(cell, place)
        return cells

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MTCLIB_FIGURES", "none")
        patch.setenv("OPENBLAS_NUM_THREADS", "1")
        with client.setup_kernel():
            yield execute


@pytest.mark.parametrize("names", [SAME_SEED, OTHER_SEED], ids=["same seed", "other seed"])
def test_the_notebooks_run_with_other_parameters_than_their_defaults(names, run, tmp_path):
    """The cells that name a parameter or show what is run live; the others do not depend on one."""
    cells, choices = [], CHOICES
    if names == OTHER_SEED:
        cells, choices = [new_code_cell(f"%env MTCLIB_RUNS={tmp_path / 'runs'}")], {**CHOICES, "seed": 7}
    for path in (ROOT / "notebooks" / f"{name}.ipynb" for name in names):
        notebook, known = load_notebook_node(str(path)), parameters(path)
        moved = re.compile(rf"\b({'|'.join(known)}|live\w*)\b")
        notebook.cells = [cell for cell in code_cells(notebook) if moved.search(cell.source)]
        given = {name: value for name, value in choices.items() if name in known}
        cells += [*parameterize_notebook(notebook, given).cells, RESET]
    assert all(cell.execution_count for cell in run(cells) if cell.source)


REFUSED = [({"n_runz": 3}, "there is no parameter 'n_runz'."),
           ({"profile": "quik"}, "profile must be one of 'quick', 'full'; got 'quik'. Did you mean 'quick'?"),
           ({"seed": 1.5}, "seed must be of type int, not 1.5."),
           ({"n_runs": "many"}, "n_runs must be of type int, not 'many'."),
           ({"n_runs": -1}, "n_runs must be an integer of at least 0, not -1"),
           ({"dask": 8786}, "dask must be of type str, not 8786."),
           ({"paths": "a.csv"}, "paths must be of type list, not 'a.csv'.")]


def test_notebooks_refuse_unknown_and_ill_typed_parameters_with_the_list_of_valid_ones(run):
    """What papermill adds, and the check after it, one set of values after the other."""
    cells, expected = [new_code_cell("%xmode Minimal")], []  # IPython's own traceback takes most of the time
    for path in (ROOT / "notebooks" / f"{name}.ipynb" for name in ("mspl", "your_data")):
        notebook, known = nbformat.read(path, as_version=4), parameters(path)
        (declared,) = tagged(notebook, "parameters")
        check = next(filter(checks_parameters, notebook.cells))
        check.metadata.tags = ["raises-exception"]
        names = ", ".join(f"{name} ({entry.type})" for name, entry in known.items())
        for values, message in REFUSED:
            changed = parameterize_notebook(load_notebook_node(str(path)), values)
            (added,) = tagged(changed, "injected-parameters")
            cells += [RESET, declared, added, check]
            absent = values.keys() - known.keys()
            expected.append((f"there is no parameter {absent.pop()!r}." if absent else message, names))
    for (message, names), cell in zip(expected, run(cells)[4::4], strict=True):
        (error,) = [output for output in cell.outputs if output.output_type == "error"]
        assert message in error.evalue
        if message.endswith("."):
            assert f"Parameters: {names}." in error.evalue
