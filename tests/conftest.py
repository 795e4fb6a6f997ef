"""Settings for all tests."""

import matplotlib
from hypothesis import settings

matplotlib.use("Agg")
# A run must not fail for a slow machine, nor for examples that another run has not seen.
settings.register_profile("tests", deadline=None, derandomize=True)
settings.load_profile("tests")

SLOWEST = ("test_execution.py", "test_contract.py", "test_your_data.py")


def pytest_collection_modifyitems(items):
    """Files that take longest come first, or one process would be busy long after the others."""
    items.sort(key=lambda item: item.path.name not in SLOWEST)
