"""Settings for all tests."""
# ruff: noqa: E402
import gc
import os
import sys

from mtclib.__main__ import KERNELS, hand_down

assert "numpy" not in sys.modules or os.environ.keys() >= KERNELS.keys(), "numpy was loaded before this file"
hand_down()

import matplotlib
import pytest
from hypothesis import settings

matplotlib.use("Agg")
# Looking for garbage as often as Python does by itself takes a tenth of the time.
gc.set_threshold(10_000)
# A run must not fail for a slow machine, nor for examples that another run has not seen.
settings.register_profile("tests", deadline=None, derandomize=True, max_examples=25)
settings.load_profile("tests")

SLOWEST = ("test_contract.py", "test_report.py", "test_your_data.py", "test_adversary.py")
COMMITTED = tuple(f"tests/companion/{name}"
                  for name in ("comparison/", "papers/", "runs/test_committed.py", "verdicts/"))
"""These read and judge the committed results of all papers, which one process then does once."""


def pytest_configure(config):
    """What the settings file cannot say without loading numpy before its kernels are chosen."""
    config.addinivalue_line("filterwarnings", "error::numpy.exceptions.VisibleDeprecationWarning")


def pytest_collection_modifyitems(config, items):
    """Among several processes, files that take longest come first, or one would be busy long after the
    others. Notebooks come before the test that runs them with other parameters, which shares their fits."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: item.path.name not in SLOWEST and not item.nodeid.startswith(COMMITTED))


def pytest_collection_finish():
    """Thousands of tests, which stay to the end, are no garbage."""
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """A file at a time, but for those that share committed results, which go to one process."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduler(LoadFileScheduling):
        def _split_scope(self, nodeid):
            return "committed results" if nodeid.startswith(COMMITTED) else super()._split_scope(nodeid)

    return Scheduler(config, log)


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    """An empty folder, in which the test stands."""
    monkeypatch.chdir(tmp_path)
