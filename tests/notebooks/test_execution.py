"""The notebooks under papermill: as the README writes it, refusing what they cannot use, and resuming."""

import os
import subprocess
import sys
import time
from contextlib import suppress

import nbformat
import psutil
import pytest
from nbclient import NotebookClient
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook
from structure import ROOT, tagged

from mtclib.companion import runs
from mtclib.companion.runs import RunStore, profiles, record_digest
from mtclib.companion.site.notebooks import QUIET_KERNEL, parameters

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SETS = ({"seed": "1", "n_runs": "1"}, {"seed": "7", "n_runs": "1", "n_jobs": "2"})
OTHER_SETS = {
    "your_data": ({"kind": "views", "n_runs": "1"}, SETS[1]),
    **dict.fromkeys(("index", "differences"), ({"profile": "quick"}, {"profile": "full"})),
}
"""Where there is more to choose than seeds and runs."""

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    for name in ("runs", "figures"):
        monkeypatch.setenv(f"MTCLIB_{name.upper()}", str(tmp_path / name))
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "1")


def papermill(path, output, *options, **variables):
    """The command of the README, started with further environment variables."""
    command = [sys.executable, "-m", "papermill", str(path), str(output), *options]
    return subprocess.Popen(command, cwd=ROOT, env={**os.environ, **variables}, stderr=subprocess.PIPE,
                            stdout=subprocess.DEVNULL, text=True)


@every_notebook
def test_a_notebook_runs_with_two_sets_of_parameters(path, tmp_path):
    known, running = parameters(path), []
    for number, values in enumerate(OTHER_SETS.get(path.stem, SETS)):
        options = [word for name in values if name in known for word in ("-p", name, values[name])]
        assert options, "a set without a parameter of this notebook"
        # Both run at once and write figures of the same names.
        figures = str(tmp_path / f"figures{number}")
        running.append(papermill(path, tmp_path / f"{number}.ipynb", *options, MTCLIB_FIGURES=figures))
    for number, process in enumerate(running):
        errors = process.communicate()[1]
        assert process.returncode == 0, errors[-2000:]
        cells = nbformat.read(tmp_path / f"{number}.ipynb", as_version=4).cells
        assert all(cell.execution_count for cell in cells if cell.cell_type == "code" and cell.source)


REFUSED = [
    ({"n_runz": 3}, "there is no parameter 'n_runz'."),
    ({"profile": "quik"}, "profile must be one of 'quick', 'full'; got 'quik'. Did you mean 'quick'?"),
    ({"profile": 3}, "profile must be of type str, not 3."),
    ({"seed": 1.5}, "seed must be of type int, not 1.5."),
    ({"seed": "soon"}, "seed must be of type int, not 'soon'."),
    ({"n_runs": "many"}, "n_runs must be of type int, not 'many'."),
    ({"n_runs": -1}, "n_runs must be an integer of at least 0, not -1"),
    ({"n_jobs": True}, "n_jobs must be of type int, not True."),
    ({"n_jobs": None}, "n_jobs must be of type int, not None."),
    ({"dask": 8786}, "dask must be of type str, not 8786."),
    ({"paths": "a.csv"}, "paths must be of type list, not 'a.csv'."),
]


@every_notebook
def test_a_notebook_refuses_unknown_and_ill_typed_parameters_with_the_list_of_valid_ones(path):
    """One kernel for all: what papermill adds, and the check after it, one set of values after the other."""
    notebook = nbformat.read(path, as_version=4)
    known = parameters(path)
    (declared,) = tagged(notebook, "parameters")
    check = next(cell for cell in notebook.cells if "check_parameters(" in cell.source)
    cases, cells = [], []
    for values, message in REFUSED:
        (name,) = values
        if name not in known:
            message = f"there is no parameter {name!r}."
        changed = parameterize_notebook(load_notebook_node(str(path)), values)
        (added,) = tagged(changed, "injected-parameters")
        cases.append(message)
        cells += [nbformat.from_dict(cell) for cell in (declared, added, check)]
    notebook.cells = cells
    NotebookClient(notebook, kernel_name="python3", allow_errors=True, extra_arguments=QUIET_KERNEL,
                   resources={"metadata": {"path": str(path.parent)}}).execute()  # fmt: skip
    names = ", ".join(f"{name} ({entry.inferred_type_name})" for name, entry in known.items())
    for message, cell in zip(cases, notebook.cells[2::3]):
        (error,) = [output for output in cell.outputs if output.output_type == "error"]
        assert message in error.evalue
        if message.endswith("."):
            assert f"Parameters: {names}." in error.evalue


def test_the_command_itself_fails_before_anything_is_computed(tmp_path):
    process = papermill(ROOT / "notebooks" / "mbc.ipynb", tmp_path / "out.ipynb", "-p", "n_runz", "3")
    errors = process.communicate()[1]
    assert process.returncode == 1
    assert "there is no parameter 'n_runz'. Did you mean 'n_runs'? Parameters: profile (str), " in errors
    assert not (tmp_path / "runs").exists()


def cut(name, folder):
    """A paper's notebook down to its parameters, their check and the cell that runs the jobs."""
    notebook = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)
    wanted = ("check_parameters(", "live = study.live")
    notebook.cells = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", ())
                      or cell.cell_type == "code" and any(text in cell.source for text in wanted)]
    nbformat.write(notebook, folder / f"{name}.ipynb")
    return folder / f"{name}.ipynb"


def kill(process):
    """papermill and its kernel, at once."""
    family = [*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)]
    for member in family:
        with suppress(psutil.NoSuchProcess):
            member.kill()
    process.communicate()
    psutil.wait_procs(family, timeout=120)


def written(store):
    """Keys of the records, and when each was written."""
    return {path.stem: path.stat().st_mtime_ns for path in store.folder.glob("*.npz")}


def test_a_killed_notebook_computes_only_what_is_missing_bit_for_bit(tmp_path):
    path, options = cut("mspl", tmp_path), ("-p", "n_runs", "4", "-p", "seed", "5")
    _, jobs, store = profiles.plan("mspl", "quick", seed=5, n_runs=4)
    keys = {job.key for job in jobs}
    process = papermill(path, tmp_path / "out.ipynb", *options)
    end = time.monotonic() + 120
    while len(written(store)) < 3 and process.poll() is None and time.monotonic() < end:
        time.sleep(0.005)
    kill(process)
    before = written(store)
    assert 3 <= len(before) < len(keys)
    again = papermill(path, tmp_path / "out.ipynb", *options)
    errors = again.communicate()[1]
    assert again.returncode == 0, errors[-2000:]
    after, alone = written(store), RunStore(tmp_path / "alone")
    assert after.keys() == keys and {key: after[key] for key in before} == before
    runs.run(jobs, alone, progress=False)
    for key in keys:
        assert record_digest(store.path(key)) == record_digest(alone.path(key))
