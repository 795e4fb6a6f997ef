"""The files that set up an environment agree with each other, and name the same repository and versions."""

import os
import re
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

import mtclib

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SUPPORTED = ["3.11", "3.12", "3.13"]
CONDA_NAMES = {"matplotlib-base": "matplotlib", "seaborn-base": "seaborn"}
"""Where conda-forge calls a package otherwise; these leave out the parts that need Qt and statsmodels."""


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def locked(python):
    """Versions that the lock file gives for a Python version on Linux, by package."""
    environment = {"python_version": python, "python_full_version": f"{python}.9", "sys_platform": "linux",
                   "platform_system": "Linux", "os_name": "posix"}  # fmt: skip
    lines = [line for line in text("requirements.lock").splitlines() if re.match(r"\w", line)]
    requirements = [Requirement(line) for line in lines]
    kept = [r for r in requirements if r.marker is None or r.marker.evaluate(environment)]
    return {r.name.lower(): next(iter(r.specifier)).version for r in kept}


def direct():
    """All requirements of pyproject.toml, extras included."""
    extras = [line for lines in PROJECT["optional-dependencies"].values() for line in lines]
    return [Requirement(line) for line in PROJECT["dependencies"] + extras if not line.startswith("mtclib")]


def conda():
    """Pins of environment.yml by package, and the list for pip."""
    entries = yaml.safe_load(text("environment.yml"))["dependencies"]
    pins = dict(entry.split("=") for entry in entries if isinstance(entry, str) and "=" in entry)
    return pins, next(entry["pip"] for entry in entries if isinstance(entry, dict))


def workflow():
    return yaml.safe_load(text(".github/workflows/test.yml"))


def test_every_line_of_the_lock_file_is_one_exact_version():
    lines = [line for line in text("requirements.lock").splitlines() if not line.lstrip().startswith("#")]
    assert len(lines) > 50
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.]+( ; .+)?", line)] == []


def test_the_lock_file_names_no_host():
    assert re.findall(r"://|index-url|find-links|trusted-host|\.\w+/simple", text("requirements.lock")) == []


@pytest.mark.parametrize("python", SUPPORTED)
def test_the_lock_file_has_what_pyproject_asks_for(python):
    versions = locked(python)
    wrong = [str(r) for r in direct() if versions.get(r.name.lower(), "0") not in r.specifier]
    assert wrong == []


def test_the_conda_environment_has_the_minor_versions_of_the_lock_file():
    pins, _ = conda()
    versions = locked(pins.pop("python"))
    found = {name: versions[CONDA_NAMES.get(name, name)] for name in pins}
    assert {name: pin for name, pin in pins.items() if not f"{found[name]}.".startswith(f"{pin}.")} == {}


def test_the_conda_environment_leaves_pip_nothing_but_mtclib_to_install():
    pins, by_pip = conda()
    names = {CONDA_NAMES.get(name, name) for name in pins}
    assert by_pip == ["-e ."]
    assert [line for line in PROJECT["dependencies"] if Requirement(line).name not in names] == []
    assert "setuptools" in names


def test_the_supported_python_versions_are_the_same_everywhere():
    allowed = SpecifierSet(PROJECT["requires-python"])
    assert [v for v in ("3.10", *SUPPORTED, "3.14") if v in allowed] == SUPPORTED
    tried = text("Makefile").partition("$(PY):")[2].partition("; do ")[0]
    assert re.findall(r"python(3\.\d+)", tried) == SUPPORTED[::-1]
    assert workflow()["jobs"]["make"]["strategy"]["matrix"]["python"] == [SUPPORTED[0], SUPPORTED[-1]]
    assert conda()[0]["python"] in SUPPORTED
    assert f"{SUPPORTED[0]} to {SUPPORTED[-1]}" in text("README.md")


def test_continuous_integration_runs_the_command_of_the_readme():
    assert re.search(r"^make test$", text("README.md"), re.M)
    assert len(re.findall(r"^\s*(env -u MTCLIB_DATA )?make test$", text(".ci/run"), re.M)) == 2
    runs = [step.get("run", "") for step in workflow()["jobs"]["make"]["steps"]]
    assert any(run.startswith("make test") for run in runs)


def test_the_workflow_may_only_read_and_its_actions_have_a_version():
    assert workflow()["permissions"] == {"contents": "read"}
    used = re.findall(r"uses: (\S+)", text(".github/workflows/test.yml"))
    assert len(used) >= 4
    assert [action for action in used if not re.fullmatch(r"[\w.-]+/[\w.-]+@v\d+", action)] == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no executable bit")
@pytest.mark.parametrize("name", ["postBuild", "start", ".ci/run"])
def test_scripts_can_be_executed(name):
    assert os.access(ROOT / name, os.X_OK)
    assert text(name).startswith("#!/usr/bin/env bash\n")


def test_every_binder_link_opens_a_notebook_of_this_repository():
    repository = PROJECT["urls"]["Repository"].removeprefix("https://github.com/")
    home = f"https://mybinder.org/v2/gh/{repository}/HEAD?urlpath=lab/tree/notebooks/"
    files = [ROOT / "README.md", *sorted((ROOT / "notebooks").glob("*.ipynb"))]
    everything = "".join(file.read_text(encoding="utf-8") for file in files)
    links = re.findall(r"https://mybinder\.org/v2/[^\s)\"\\]+", everything)
    assert links
    assert [link for link in links if not link.startswith(home)] == []
    assert [link for link in links if not (ROOT / "notebooks" / link.removeprefix(home)).is_file()] == []


def test_the_version_and_the_repository_are_the_same_everywhere():
    citation = yaml.safe_load(text("CITATION.cff"))
    assert PROJECT["version"] == mtclib.__version__ == citation["version"]
    assert citation["repository-code"] == PROJECT["urls"]["Repository"]
    assert citation["license"] == PROJECT["license"] == "MIT"
    assert text("LICENSE").startswith("MIT License")


def test_the_citation_file_names_the_five_papers():
    citation = yaml.safe_load(text("CITATION.cff"))
    assert citation["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= set(citation)
    papers = {reference["abbreviation"].lower(): reference for reference in citation["references"]}
    assert set(papers) == {"spmtc", "mspl", "mbc", "mtcmrl", "lmsc"}
    for reference in papers.values():
        assert reference["type"] in ("article", "conference-paper")
        assert reference["title"] and 2000 < reference["year"] < 2030
        assert all({"family-names", "given-names"} <= set(author) for author in reference["authors"])


@pytest.mark.parametrize("paper", ["spmtc", "mspl", "mbc", "mtcmrl", "lmsc"])
def test_every_cited_paper_has_its_published_numbers(paper):
    assert (ROOT / "data" / "published" / f"{paper}.csv").is_file()
