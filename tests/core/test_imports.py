"""A clustering method needs numpy, scipy and scikit-learn; the order of the rooms is in pyproject.toml."""

import os
import re
import subprocess
import sys
from zipfile import ZipFile

import pytest

from mtclib.__main__ import FOLDERS, hand_down
from mtclib.core import paths

# A module of mtclib that names one of these fails; scikit-learn may go on using its own joblib.
BLOCKED = """
import builtins
real = builtins.__import__

def guarded(name, globals=None, locals=None, fromlist=(), level=0):
    origin = (globals or {{}}).get("__name__", "")
    if origin.partition(".")[0] == "mtclib" and name.partition(".")[0] in {blocked!r}:
        raise ImportError(f"{{origin}} imports {{name}}")
    return real(name, globals, locals, fromlist, level)

builtins.__import__ = guarded
{code}
"""
COMPANIONS = ("pandas", "joblib", "matplotlib", "seaborn", "pooch", "requests", "tqdm", "dask", "IPython")


def run(code, blocked=COMPANIONS):
    code = BLOCKED.format(blocked=blocked, code=code)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)


def test_an_estimator_fits_and_is_scored_without_what_the_companion_needs():
    found = run("import sys\n"
                "import numpy as np\n"
                "import mtclib, mtclib.baselines\n"
                "from mtclib.metrics import adjusted_rand_index\n"
                "X = np.repeat(np.eye(4)[:2], 5, axis=0)\n"
                "model = mtclib.MTCMRL(n_clusters=2, random_state=0).fit([X, X])\n"
                "print({'mtclib.datasets', 'mtclib.companion'} & {*sys.modules})\n"
                "print(adjusted_rand_index([0] * 5 + [1] * 5, model.labels_[0]))")
    assert (found.returncode, found.stdout.split()) == (0, ["set()", "1.0"]), found.stderr


def test_all_but_the_companion_is_found_in_a_zip_archive_with_line_ends_of_windows(tmp_path):
    archive, package = tmp_path / "all.zip", paths.HOME / "mtclib"
    with ZipFile(archive, "w") as file:
        for path in [*package.rglob("*.py"), *package.glob("datasets/*.toml")]:
            file.writestr(str(path.relative_to(package.parent)), path.read_bytes().replace(b"\n", b"\r\n"))
    code = ("from mtclib import LMSC\nfrom mtclib.datasets import load, lookup\nimport mtclib\n"
            "print(*load('toy-multitask').n_clusters, lookup('WebKB/texas.cites').bytes, mtclib.__file__)")
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120,
                           cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(archive)})
    assert found.stdout.split() == ["3", "3", "3", "24174", str(archive / "mtclib" / "__init__.py")], found


def test_a_notebook_s_kernel_inherits_the_folders_that_the_command_was_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = {"MTCLIB_DATA": "data", "MTCLIB_CACHE": "~/cache", "MTCLIB_FIGURES": "none", "MTCLIB_RUNS": ""}
    for name, folder in given.items():
        monkeypatch.setenv(name, folder)
    hand_down()
    sources = "".join(path.read_text(encoding="utf-8") for path in (paths.HOME / "mtclib").rglob("*.py"))
    assert {*re.findall(r'told\("(\w+)"\)', sources)} == FOLDERS
    assert [os.environ[name] for name in given] == [
        str(tmp_path / "data"), os.path.expanduser(os.path.join("~", "cache")), "none", ""]


@pytest.mark.parametrize(("words", "said"), [(["cluster", "--help"], "--n-clusters"),
                                             (["list"], "n_jobs: int = 1")])
def test_help_and_lists_come_before_numpy_is_loaded(words, said):
    found = run("import sys\nfrom mtclib.companion.cli import main\n"
                f"try:\n    main({words})\n"
                "finally:\n    print(*{'numpy', 'scipy', 'sklearn'} & {*sys.modules}, file=sys.stderr)")
    assert said in found.stdout
    assert not found.stderr.strip()


def test_a_file_is_refused_before_anything_that_draws_is_loaded():
    found = run("from mtclib.companion.cli import main\nprint(main(['cluster', 'none.csv']))", ["matplotlib"])
    assert "none.csv: there is no such file" in found.stderr
    assert found.stdout == "2\n"


def test_the_block_bites():
    found = run("import mtclib.core.paths", blocked=("subprocess",))
    assert found.returncode != 0
    assert "mtclib.core.paths imports subprocess" in found.stderr


@pytest.mark.parametrize(("code", "extra"), [("import mtclib.datasets", "mtclib[datasets]"),
                                             ("from mtclib.companion import Study", "mtclib[companion]")])
def test_what_needs_an_extra_says_which(code, extra):
    found = subprocess.run([sys.executable, "-c", f"import sys; sys.modules['pandas'] = None; {code}"],
                           capture_output=True, text=True, timeout=120)
    assert found.returncode != 0
    assert extra in found.stderr.splitlines()[-1]
