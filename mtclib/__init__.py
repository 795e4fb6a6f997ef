"""Multi-task and multi-view clustering: the methods of five papers and of those they compare with."""

from mtclib.baselines.registry import all_estimators
from mtclib.lmsc import L2SC, LMSC
from mtclib.mbc import MBC
from mtclib.mspl import MSPL
from mtclib.mtcmrl import MTCMRL
from mtclib.spmtc import LSSMTC, SPMTC

__all__ = ["L2SC", "LMSC", "LSSMTC", "MBC", "MSPL", "MTCMRL", "SPMTC", "all_estimators"]
__version__ = "0.1.0"
