"""Settings for all tests."""

import matplotlib
from hypothesis import settings

matplotlib.use("Agg")
# A run must not fail for a slow machine, nor for examples that another run has not seen.
settings.register_profile("tests", deadline=None, derandomize=True)
settings.load_profile("tests")
