"""Settings for all tests."""

import os

import matplotlib
from hypothesis import settings

matplotlib.use("Agg")
# A run must not fail for a slow machine, nor for examples that another run has not seen.
settings.register_profile("tests", deadline=None, derandomize=True)
settings.load_profile("tests")

SLOWEST = ("test_execution.py", "test_contract.py", "test_your_data.py")


def pytest_xdist_auto_num_workers(config):
    """One more than processors: a test that waits for a kernel, a server or a timer needs none."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items):
    """Files that take longest come first, or one process would be busy long after the others."""
    items.sort(key=lambda item: item.path.name not in SLOWEST)
