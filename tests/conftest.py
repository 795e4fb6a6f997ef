"""Settings for all tests."""

import matplotlib

matplotlib.use("Agg")
