"""The newcomer's first steps, in a copy of the repository: what is written runs, and passes the tests."""

import re
import shutil
import subprocess
import sys
import tomllib

import pytest

from mtclib.companion import skeletons
from mtclib.companion.cli import main
from mtclib.companion.parameters import UsageError
from mtclib.core import paths

FOLDERS = ("mtclib", "tests", "benchmarks", "notebooks", "data")
FILES = ("README.md", "CITATION.cff", "pyproject.toml")
TESTED = ("test_toyp.py", "baselines/test_toyviews.py", "core/test_contract.py",
          "core/test_scikit_learn.py", "core/test_versions.py", "notebooks/test_structure.py",
          "companion/verdicts/test_published.py", "companion/verdicts/test_gains.py",
          "companion/comparison/test_methods.py", "datasets/test_loaders.py",
          "companion/papers/test_pipelines.py", "companion/papers/test_scoreboard.py",
          "companion/papers/test_copies.py")  # fmt: skip
NAMED = "toyp or TOYP or Toyviews or toyviews or test_every_change or every_printed_method or toy-news or " \
        "gains_over_all or can_be_cited or err_about_as_often or leads_to_its_page or leaves_out"


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    root, home = tmp_path_factory.mktemp("copy"), paths.root()
    for name in FOLDERS:
        shutil.copytree(home / name, root / name, ignore=lambda folder, _: (
            {"runs", "cache"} if folder == str(home / "data") else ()))
    for name in FILES:
        shutil.copy(home / name, root)
    return root


def test_a_toy_paper_a_method_and_a_data_set_run_and_pass_the_tests(copy, monkeypatch, capsys):
    for name in ("MTCLIB_ROOT", "PYTHONPATH"):
        monkeypatch.setenv(name, str(copy))
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)  # many processes read the same files
    monkeypatch.setenv("MTCLIB_RUNS", str(copy / "runs"))
    monkeypatch.setenv("MTCLIB_FIGURES", str(copy / "figures"))
    with monkeypatch.context() as patch:
        patch.setattr(skeletons, "_run", lambda *commands: ())  # those of the paper follow
        list(skeletons.new_method("toyviews", "views"))
    list(skeletons.new_data("toy-news"))
    assert main(["new-paper", "TOYP"]) == 0
    told = capsys.readouterr().out
    assert "python -m mtclib verdicts --errors --paper toyp" in told
    assert "every TODO" in told
    assert "| [TOYP](notebooks/toyp.ipynb)" in (copy / "README.md").read_text(encoding="utf-8")
    page = (copy / "notebooks" / "toyp.ipynb").read_text(encoding="utf-8")
    assert "# TODO: the title of the paper (TOYP)" in page, "the site lists it among the papers"
    assert "1 sentence in 1 part: " in page
    assert not re.search(r"\bnan\b", page), "one data set gives no interval"
    command = ["-m", "pytest", "-qx", "-p", "no:cacheprovider", "-p", "mtclib.companion.site", "-k", NAMED]
    done = subprocess.run([sys.executable, *command, *(f"tests/{name}" for name in TESTED)], cwd=copy,
                          capture_output=True, text=True)
    tested = done.stdout + done.stderr
    assert done.returncode == 0, tested[-5000:]
    assert int(re.search(r"(\d+) passed", tested)[1]) > 70, tested


@pytest.mark.parametrize(("make", "name", "said"), [
    (skeletons.new_paper, "MBC", "by mtclib/mbc.py"), (skeletons.new_paper, "Methods", "by data/methods"),
    (skeletons.new_paper, "differences", "by notebooks/"), (skeletons.new_paper, "Core", "by mtclib/core"),
    (skeletons.new_paper, "Project", "by tests/test_proj"), (skeletons.new_paper, "class", "by Python"),
    (skeletons.new_paper, "KMeans", "by mtclib/base"), (skeletons.new_method, "LMSC", "by mtclib/lmsc"),
    (skeletons.new_method, "dmtfc", "by 'DMT"), (skeletons.new_method, "text", "by tests/base"),
    (skeletons.new_method, "none", "by Python"), (skeletons.new_method, "All", "by the commands"),
    (skeletons.new_method, "Mtclib", "by the software itself"),
    (skeletons.new_method, "my-means", "letters and digits"), (skeletons.new_method, "A" * 61, "at most 60"),
    (skeletons.new_data, "News", "lower-case"), (skeletons.new_data, "class", "by Python"),
    (skeletons.new_data, "toy-multitask", "by 'toy-multi"), (skeletons.new_data, "text", "by mtclib/data")])
def test_a_name_that_cannot_be_is_refused_before_anything_is_written(make, name, said, monkeypatch):
    monkeypatch.setattr(skeletons, "_file", None)
    with pytest.raises(UsageError, match=said):
        list(make(name))


def test_if_a_command_fails_at_last_it_is_told_how_to_begin_again(copy, monkeypatch, capsys):
    monkeypatch.setenv("MTCLIB_ROOT", str(copy))
    monkeypatch.setattr(skeletons, "_measured", lambda name: ["-m no_room"])
    (copy / "no_room.py").write_text("raise SystemExit('no room')")
    assert main(["new-method", "Toyfails"]) == 2
    told = capsys.readouterr()
    assert "mtclib/baselines/toyfails.py: new" in told.out
    assert "no room\n\nTo begin again, take back what was written before, which `git status`" in told.err


def test_a_paper_on_views_is_named_beside_its_rival(copy, monkeypatch):
    monkeypatch.setenv("MTCLIB_ROOT", str(copy))
    monkeypatch.setattr(skeletons, "_run", lambda *commands: ())
    list(skeletons.new_paper("VIEWP", "views"))
    known = tomllib.loads((copy / "data" / "methods" / "methods.toml").read_text(encoding="utf-8"))["methods"]
    assert {"paper": "viewp", "tables": ["1"], "names": ["Con-MC"]} in known["ConMC"]["appears_in"]
    assert "than Con-MC?" in (copy / "data" / "viewp" / "claims.toml").read_text(encoding="utf-8")
