"""Settings for all tests."""
# ruff: noqa: E402
import os
import sys

from mtclib.__main__ import KERNELS

assert "numpy" not in sys.modules or os.environ.keys() >= KERNELS.keys(), "numpy was loaded before this file"
os.environ |= KERNELS | os.environ

import matplotlib
from hypothesis import settings

matplotlib.use("Agg")
# A run must not fail for a slow machine, nor for examples that another run has not seen.
settings.register_profile("tests", deadline=None, derandomize=True)
settings.load_profile("tests")

SLOWEST = ("test_execution.py", "test_contract.py", "test_your_data.py", "test_adversary.py")


def pytest_configure(config):
    """What the settings file cannot say without loading numpy before its kernels are chosen."""
    config.addinivalue_line("filterwarnings", "error::numpy.exceptions.VisibleDeprecationWarning")


def pytest_collection_modifyitems(items):
    """Files that take longest come first, or one process would be busy long after the others."""
    items.sort(key=lambda item: item.path.name not in SLOWEST)
