"""``python -m mtclib``: see :mod:`mtclib.companion.cli`."""

import sys

from mtclib.companion.cli import main

if __name__ == "__main__":
    sys.exit(main())
