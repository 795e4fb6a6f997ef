"""Multi-task and multi-view clustering: the methods of five papers and of those they compare with.

==========================  ===========================================  ==================================
class                       paper                                        notebook
==========================  ===========================================  ==================================
``SPMTC``, ``LSSMTC``       Self-Paced Multi-Task Clustering             ``notebooks/spmtc.ipynb``
``MSPL``                    Multi-View Self-Paced Learning, IJCAI 2015   ``notebooks/mspl.ipynb``
``MBC``                     Multitask Bregman Clustering, AAAI 2010      ``notebooks/mbc.ipynb``
``MTCMRL``                  Model Relation Learning, IJCAI 2018          ``notebooks/mtcmrl.ipynb``
``LMSC``, ``L2SC``          Lifelong Multi-View Spectral Clustering,     ``notebooks/lmsc.ipynb``
                            IJCAI 2023
==========================  ===========================================  ==================================

The compared methods are in :mod:`mtclib.baselines`, scores in :mod:`mtclib.metrics`, data sets in
:mod:`mtclib.datasets`; what makes the notebooks is in :mod:`mtclib.companion`.
"""

# ruff: noqa: E402
import os
import signal
import sys


def _end(*_):
    os._exit(130)


# So argv begins while Python imports this package for `python -m mtclib`.  Ctrl-C has nothing to save in the
# seconds of the imports, and nobody wants to read where it struck.
if sys.argv[:1] == ["-m"] and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, _end)

from mtclib.baselines.registry import all_estimators
from mtclib.lmsc import L2SC, LMSC
from mtclib.mbc import MBC
from mtclib.mspl import MSPL
from mtclib.mtcmrl import MTCMRL
from mtclib.spmtc import LSSMTC, SPMTC

__all__ = ["L2SC", "LMSC", "LSSMTC", "MBC", "MSPL", "MTCMRL", "SPMTC", "all_estimators"]
__version__ = "0.1.0"
