"""The files that set up an environment agree, and the README's example runs."""

import re
import subprocess
import sys
import tomllib
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from shutil import which

import numpy as np
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

import mtclib
from benchmarks import floors, mutants
from mtclib import all_estimators
from mtclib.companion.cli import build_parser
from mtclib.companion.userdata.run import RECOMMENDED
from mtclib.core import paths

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SUPPORTED = ["3.11", "3.12", "3.13", "3.14"]
# Where conda-forge calls a package otherwise; these leave out the parts that need Qt and statsmodels.
CONDA_NAMES = {"matplotlib-base": "matplotlib", "seaborn-base": "seaborn",
               "python-fastjsonschema": "fastjsonschema"}


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def locked(python):
    """Versions that the lock file gives for a Python version on Linux, by package."""
    environment = {"python_version": python, "python_full_version": f"{python}.9", "sys_platform": "linux",
                   "platform_system": "Linux", "os_name": "posix"}  # fmt: skip
    lines = [line.removesuffix(" \\") for line in text("requirements.lock").splitlines()
             if re.match(r"\w", line)]
    kept = [r for r in map(Requirement, lines) if r.marker is None or r.marker.evaluate(environment)]
    return {r.name.lower(): next(iter(r.specifier)).version for r in kept}


def asked_for(*extras):
    lines = [PROJECT["dependencies"], *(PROJECT["optional-dependencies"][name] for name in extras)]
    return [Requirement(line) for line in sum(lines, []) if not line.startswith("mtclib")]


def conda():
    """Pins of environment.yml by package, and the list for pip."""
    entries = yaml.safe_load(text("environment.yml"))["dependencies"]
    pins = dict(entry.split("=") for entry in entries if isinstance(entry, str) and "=" in entry)
    return pins, next(entry["pip"] for entry in entries if isinstance(entry, dict))


def test_a_method_asks_for_three_libraries_and_what_comes_with_them():
    assert [r.name for r in asked_for()] == ["numpy", "scipy", "scikit-learn", "threadpoolctl"]


def test_every_package_of_the_lock_file_has_one_exact_version_with_hashes_and_no_line_names_a_host():
    lines = [line for line in text("requirements.lock").splitlines() if not line.lstrip().startswith("#")]
    packages = "\n".join(lines).replace(" \\\n", "").splitlines()
    assert len(packages) > 50
    pin = re.compile(r"[\w.-]+==[\w.]+( ; [^\\]+?)?(    --hash=sha256:[0-9a-f]{64})+")
    assert [package for package in packages if not pin.fullmatch(package)] == []
    assert re.findall(r"://|index-url|find-links|trusted-host|\.\w+/simple", text("requirements.lock")) == []


@pytest.mark.parametrize("python", SUPPORTED)
def test_the_lock_file_has_what_pyproject_asks_for(python):
    versions = locked(python)
    everything = asked_for(*PROJECT["optional-dependencies"].keys() - {"comparison"})
    assert [str(r) for r in everything if versions.get(r.name.lower(), "0") not in r.specifier] == []


def test_the_conda_environment_has_all_in_the_versions_of_the_lock_file_and_pip_what_the_channel_may_lack():
    pins, (*others, itself) = conda()
    versions, by_pip = locked(pins.pop("python")), [Requirement(line) for line in others]
    pins = {CONDA_NAMES.get(name, name): pin for name, pin in pins.items()}
    assert [name for name, pin in pins.items() if not f"{versions[name]}.".startswith(f"{pin}.")] == []
    assert itself == "-e ."
    assert all(versions[each.name] in each.specifier for each in by_pip)
    assert {r.name for r in asked_for("datasets", "companion")} <= {*pins, *(each.name for each in by_pip)}
    assert "setuptools" in pins


def test_the_supported_python_versions_are_the_same_everywhere():
    allowed = SpecifierSet(PROJECT["requires-python"])
    assert [v for v in ("3.10", *SUPPORTED, "3.15") if v in allowed] == SUPPORTED
    tried = text("Makefile").partition("$(PY):")[2].partition("; do ")[0]
    assert re.findall(r"python(3\.\d+)", tried) == SUPPORTED[::-1]
    jobs = yaml.safe_load(text(".github/workflows/test.yml"))["jobs"]
    assert jobs["make"]["strategy"]["matrix"]["python"] == [SUPPORTED[0], SUPPORTED[-1]]
    assert conda()[0]["python"] in SUPPORTED
    assert f"{SUPPORTED[0]} to {SUPPORTED[-1]}" in README


def test_the_version_and_the_repository_are_the_same_everywhere():
    citation = yaml.safe_load(text("CITATION.cff"))
    assert PROJECT["version"] == mtclib.__version__ == citation["version"]
    assert citation["repository-code"] == PROJECT["urls"]["Repository"]
    assert citation["license"] == PROJECT["license"] == "MIT"
    assert text("LICENSE").startswith("MIT License")


def test_the_citation_file_names_the_five_papers():
    references = yaml.safe_load(text("CITATION.cff"))["references"]
    assert sorted(entry["abbreviation"].lower() for entry in references) == paths.papers()
    for reference in references:
        assert reference["type"] in ("article", "conference-paper")
        assert reference["title"]
        assert 2000 < reference["year"] < 2030
        assert all({"family-names", "given-names"} <= set(author) for author in reference["authors"])


def test_the_readme_s_examples_find_the_digits_in_three_lines_and_the_topics_in_about_ten():
    views, tasks = re.findall(r"```python\n(.*?)```", README, re.S)
    assert len([line for line in views.splitlines() if "=" in line]) == 3
    scope = {}
    exec(compile(views, "README.md", "exec"), scope)
    assert len(scope["views"]) == 3
    assert adjusted_rand_score(load_digits().target, scope["labels"]) > 0.7
    assert len([line for line in tasks.splitlines() if line and not line.startswith(" ")]) <= 10
    exec(compile(tasks, "README.md", "exec"), scope)
    labels = scope["model"].labels_
    for of_task in labels:
        assert [len(set(of_task[:6])), len(set(of_task[6:]))] == [1, 1]
        assert of_task[0] != of_task[6]
    assert type(scope["model"]).__name__ == RECOMMENDED["multitask"]
    model = mtclib.MTCMRL(2, random_state=0).fit([scope["north"], scope["south"]])
    labels = model.labels_
    assert np.diff(model.relation_[0, 1][labels[0][0], [labels[1][0], labels[1][6]]]) > 0


def test_the_recommended_method_for_tasks_is_older_than_all_five_papers_as_the_readme_says():
    year = int(all_estimators()[RECOMMENDED["multitask"]].traits.paper[-4:])
    assert year < min(reference["year"] for reference in yaml.safe_load(text("CITATION.cff"))["references"])


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#:]+)\)", README))))
def test_links_of_the_readme_lead_to_files(link):
    assert (ROOT / link).exists()


def test_the_readme_is_short_and_works_in_a_clone():
    assert f"{len(all_estimators())} tested methods" in README
    prose = re.sub(r"```.*?```|<!--.*?-->|!?\]\([^)]*\)|[*`#\[]", " ", README, flags=re.S)
    assert len(README.split()) <= 720 + 96 * len(paths.papers()), "as `wc -w` counts: 1,200 with five papers"
    sentences = re.split(r"(?<=[.?!])\s|\n\n|\||\n#", prose)
    assert [one for one in sentences if len(one.split()) > 30] == []
    assert re.findall(r"^make \w+$", README, re.M)[:2] == ["make reproduce", "make test"]
    assert not re.findall(r"https?://", README), "an address that may not exist yet"
    commands = {re.search(r"mtclib (\w+)", line)[1] for line in re.findall(r"python -m mtclib \w+", README)}
    assert commands <= set(build_parser()._subparsers._group_actions[0].choices)


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "CHANGELOG.md", ".github/pull_request_template.md"])
def test_what_a_maintainer_s_page_names_is_there(page):
    named = re.findall(r"`([\w./]+(?:\.\w+|/))`", text(page))
    files = [name for name in named if "/" in name and not re.search("PAPER|NAME", name)]
    assert files or page != "CONTRIBUTING.md"
    assert [name for name in files if not (ROOT / name).exists()] == []
    targets = re.findall(r"^([a-z]+):.*##", text("Makefile"), re.M)
    assert [name for name in re.findall(r"make ([a-z]+)", text(page)) if name not in targets] == []


def test_tests_can_be_imported_where_there_is_no_posix():
    files = [file for folder in ("benchmarks", "tests") for file in (ROOT / folder).rglob("*.py")]
    assert [file for file in files if re.search("^import (resource|fcntl)", text(file), re.M)] == []


@pytest.mark.skipif(sys.platform == "win32" or not which("make"), reason="no make, or none with this shell")
def test_a_new_environment_in_place_of_one_whose_python_is_gone_is_filled(tmp_path):
    (tmp_path / ".venv").mkdir()
    for name in ("requirements.lock", "pyproject.toml", ".venv/installed", ".venv/fetched"):
        (tmp_path / name).touch()
    command = ["make", "-n", "-f", ROOT / "Makefile", "lint"]
    assert b"install --quiet" in subprocess.check_output(command, cwd=tmp_path)


def test_hooks_take_the_ruff_of_the_lock_file_and_leave_the_ends_of_files():
    ruff, _ = yaml.safe_load(text(".pre-commit-config.yaml"))["repos"]
    assert ruff["rev"] == f"v{locked(SUPPORTED[0])['ruff']}"
    files = paths.git("ls-files", "*.py", "*.toml", "*.md", "*.yml").splitlines()
    assert [name for name in files if re.search(r"([^\n]|\n\n)\Z", text(name))] == []


def test_what_is_kept_of_a_test_with_coverage_is_not_where_a_later_report_is_written():
    steps = yaml.safe_load(text(".github/workflows/test.yml"))["jobs"]["make"]["steps"]
    (place,) = re.findall(r"html:([\w/]+)", str(steps))
    assert place in steps[-1]["with"]["path"].replace("build/report/", "").split()


def test_a_release_builds_checks_and_uses_the_wheel():
    steps = yaml.safe_load(text(".github/workflows/release.yml"))["jobs"]["wheel"]["steps"]
    told = " ".join(step.get("run", "") for step in steps)
    assert [part for part in ("python -m build", "twine check", "fit(") if part not in told] == []


def test_every_error_to_be_planted_has_one_place_and_every_list_of_its_tests_leads_to_files(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert mutants.stale(tomllib.loads(text("benchmarks/mutants.toml")), "tests") == []


def test_every_function_that_a_floor_watches_is_there():
    with ExitStack() as stack:
        for _, *watched in floors.SPECS.values():
            floors.Watch(chain(*watched)).start(stack)
