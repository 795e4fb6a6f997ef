"""Multi-task and multi-view clustering: the methods of five papers and of those they compare with."""

from mtclib.mtcmrl import MTCMRL

__all__ = ["MTCMRL"]
__version__ = "0.1.0"
