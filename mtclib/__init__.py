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

The same seed gives the same labels for any number of processes or threads, and with the same releases of
numpy and scipy on any x86 processor if all use one kind of kernels: set ``OPENBLAS_CORETYPE=Haswell`` and,
where there is AVX-512, ``NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL AVX512_SPR"`` before numpy is loaded, as
``python -m mtclib`` does.  With another order of the samples it gives other random starts.

The compared methods are in :mod:`mtclib.baselines`, scores in :mod:`mtclib.metrics`, data sets in
:mod:`mtclib.datasets`; what makes the notebooks is in :mod:`mtclib.companion`.
"""

import re
from ast import literal_eval
from importlib import import_module
from pkgutil import get_data, iter_modules

# The methods of a paper are what its module lists; no module is imported before it is asked for.
_MODULES = {found.name: found.ispkg for found in iter_modules(__path__)}
_LISTED = {name: re.findall(r"^__all__ = (\[.*\])\s*$", get_data(__name__, f"{name}.py").decode(), re.M)
           for name, is_room in _MODULES.items() if not is_room}
_HOMES = {name: paper for paper, lists in _LISTED.items() for names in lists for name in literal_eval(names)}
_HOMES = {**dict(sorted(_HOMES.items())), "all_estimators": "baselines.registry"}
_ROOMS = {name for name, is_room in _MODULES.items() if is_room}

__all__ = [*_HOMES]
__version__ = "0.1.0"


def __getattr__(name):
    """A public name, imported when first asked for: scikit-learn alone takes more than a second."""
    if name in _ROOMS:
        return import_module(f"mtclib.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"mtclib.{_HOMES[name]}"), name)


def __dir__():
    return sorted({*globals(), *__all__, *_ROOMS})
