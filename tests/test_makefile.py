"""The Makefile, in a copy of the files that it depends on; nothing is installed."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


@pytest.fixture
def folder(tmp_path):
    """A repository with an old lock file and no environment."""
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
        os.utime(tmp_path / name, (1e9, 1e9))
    return tmp_path


def make(folder, *arguments, **environment):
    # The environment of this test may hold the flags of the make that runs it.
    inherited = ("MAKE", "MFLAGS", "PYTHON")
    env = {name: value for name, value in os.environ.items() if not name.startswith(inherited)}
    env.update(environment)
    command = ["make", *arguments]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def install(folder):
    """Pretend that the environment was made."""
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "python").write_text("")
    (folder / ".venv" / "installed").write_text("")


def script(path, body):
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def test_help_is_the_default_and_lists_every_target(folder):
    shown = make(folder).stdout
    targets = re.search(r"^\.PHONY: (.+)$", MAKEFILE, re.M)[1].split()
    assert [target for target in targets if f"make {target} " not in shown] == []


def test_an_unsuitable_interpreter_gives_a_clear_error_and_leaves_nothing(folder):
    done = make(folder, "lint", "PYTHON=python-of-nobody")
    assert done.returncode != 0
    assert "no Python 3.11, 3.12 or 3.13 found under PYTHON=python-of-nobody" in done.stderr
    assert not (folder / ".venv").exists()


def test_an_interpreter_that_is_too_old_is_refused(folder):
    script(folder / "old", "exit 1")
    assert "Install one, or name it" in make(folder, "lint", f"PYTHON={folder / 'old'}").stderr


def test_a_broken_interpreter_on_the_path_is_passed_over(folder):
    tools = folder / "tools"
    tools.mkdir()
    script(tools / "python3.13", "echo 'command not found' >&2; exit 127")
    script(tools / "python3.12", 'case "$1" in -c) exit 0;; --version) echo Fake 3.12;; *) exit 3;; esac')
    done = make(folder, "lint", PATH=f"{tools}:{os.environ['PATH']}")
    assert "Creating .venv with Fake 3.12" in done.stdout
    assert "could not create .venv" in done.stderr
    assert done.returncode != 0


def test_an_installed_environment_is_not_installed_again(folder):
    install(folder)
    planned = make(folder, "--dry-run", "test").stdout
    assert "pip install" not in planned and "-m venv" not in planned
    assert re.search("pytest .* tests mtclib$", planned, re.M) and "--nbval-lax" in planned


@pytest.mark.parametrize("changed", ["requirements.lock", "pyproject.toml"])
def test_a_changed_lock_file_is_installed(folder, changed):
    install(folder)
    os.utime(folder / changed, (4e9, 4e9))
    planned = make(folder, "--dry-run", "test").stdout
    assert "pip install" in planned and "-r requirements.lock" in planned
    assert "-m venv" not in planned


def test_the_whole_test_command_stops_at_the_first_failure(folder):
    install(folder)
    script(folder / ".venv" / "bin" / "python", "echo called: $@; exit 7")
    os.utime(folder / ".venv" / "installed", (4e9, 4e9))
    done = make(folder, "test")
    assert done.returncode != 0
    assert done.stdout.count("called:") == 1


def test_reproduce_gets_the_data_and_runs_every_notebook_in_the_quick_profile(folder):
    install(folder)
    planned = make(folder, "--dry-run", "reproduce").stdout
    assert "mtclib fetch --profile quick" in planned
    assert "mtclib run all --profile quick --report" in planned


def test_the_makefile_needs_nothing_newer_than_make_3_81():
    newer = r"\.ONESHELL|output-sync|\$\(file|&:|::=|^\w+ *!="
    assert re.findall(newer, MAKEFILE, re.M) == []


def test_clean_keeps_the_environment_and_the_data(folder):
    install(folder)
    kept = [folder / name for name in (".venv", "data/cache", "data/runs", "tests", "notebooks")]
    kept.append(folder / "benchmarks")
    made = [folder / "build", folder / "mtclib" / "__pycache__"]
    for path in (*kept, *made):
        path.mkdir(parents=True, exist_ok=True)
    assert make(folder, "clean").returncode == 0
    assert [path for path in kept if not path.is_dir()] == []
    assert [path for path in made if path.exists()] == []


def test_this_python_would_be_accepted(folder):
    check = re.search(r"-c '(import sys; .+?)'", MAKEFILE)[1]
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
