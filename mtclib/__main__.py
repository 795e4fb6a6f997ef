"""``python -m mtclib``: see :mod:`mtclib.companion.cli`."""

import os
import signal
import sys

KERNELS = {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"}
"""Some labels hang on the last digits, and these on the kernels that OpenBLAS and numpy pick for the
processor when numpy is loaded: results are made with one kind, as in the Makefile."""
FOLDERS = {f"MTCLIB_{name}" for name in ("BUILD", "CACHE", "DATA", "FIGURES", "ROOT", "RUNS")}


def hand_down():
    """Set what the processes that this one starts need: the kernels, and whole paths of the folders, for the
    kernel of a notebook stands in another one."""
    os.environ |= KERNELS | os.environ
    for name in FOLDERS & os.environ.keys():
        if os.environ[name] not in ("", "none"):
            os.environ[name] = os.path.abspath(os.path.expanduser(os.environ[name]))


if __name__ == "__main__":
    hand_down()
    # Ctrl-C has nothing to save in the seconds of the imports, and nobody wants to read where it struck.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    from mtclib.companion.cli import main

    sys.exit(main())
