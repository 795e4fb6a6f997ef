"""``python -m mtclib``: see :mod:`mtclib.companion.cli`."""

import os
import signal
import sys

if __name__ == "__main__":
    # Some labels hang on the last digits, and these on the kernels that OpenBLAS picks for the processor when
    # numpy is loaded, and on numpy's own: results are made with one kind, also in the processes that this one
    # starts.
    os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")
    os.environ.setdefault("NPY_DISABLE_CPU_FEATURES", "X86_V4 AVX512_ICL AVX512_SPR")
    # Ctrl-C has nothing to save in the seconds of the imports, and nobody wants to read where it struck.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    from mtclib.companion.cli import main

    sys.exit(main())
