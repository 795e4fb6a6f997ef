"""What every process that the tests start reads first: looking for garbage is a seventh of its imports."""

import gc

gc.set_threshold(10_000)
