"""``python -m mtclib``: see :mod:`mtclib.companion.cli`."""

import os
import signal
import sys

KERNELS = {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"}
"""Some labels hang on the last digits, and these on the kernels that OpenBLAS and numpy pick for the
processor when numpy is loaded: results are made with one kind, as in the Makefile."""

if __name__ == "__main__":
    # In the processes that this one starts, too.
    os.environ |= KERNELS | os.environ
    # Ctrl-C has nothing to save in the seconds of the imports, and nobody wants to read where it struck.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    from mtclib.companion.cli import main

    sys.exit(main())
