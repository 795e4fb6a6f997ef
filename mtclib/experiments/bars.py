"""The progress bar over jobs: on stderr, or in JupyterLab as a line that is gone when the work is done."""

import os
import sys

from tqdm import tqdm


class CellLine:
    """A stream that shows its last line below a notebook cell, and nothing once that is blank.

    JupyterLab keeps an empty red box where text on stderr was cleared, so a bar writes here instead.

    Parameters
    ----------
    display : callable, optional
        ``IPython.display.display``, by default.

    Examples
    --------
    >>> shown = []
    >>> class Handle:
    ...     def update(self, data, raw):
    ...         shown.append(data)
    >>> line = CellLine(lambda data, raw, display_id: Handle())
    >>> _ = line.write("\\r1/2"), line.write("\\r   \\r")
    >>> shown
    [{'text/plain': '1/2'}, {}]
    """

    encoding = "utf-8"

    def __init__(self, display=None):
        if display is None:
            from IPython.display import display
        self._handle = display({}, raw=True, display_id=True)

    def write(self, text):
        """Show the last line of `text`; return the number of its characters, as a stream does."""
        if text:
            line = text.strip("\r\n").rpartition("\r")[2].strip()
            self._handle.update({"text/plain": line} if line else {}, raw=True)
        return len(text)

    def flush(self):
        """Nothing is held back."""


def is_watched():
    """Whether somebody sees progress while this runs: on a terminal or in a session of JupyterLab."""
    # JupyterLab names the session in the kernel's environment; papermill and nbconvert do not.
    return sys.stderr.isatty() or "JPY_SESSION_NAME" in os.environ


def make_bar(total):
    """A progress bar over jobs, which clears itself when it is closed.

    Parameters
    ----------
    total : int

    Returns
    -------
    tqdm.tqdm
        On stderr; in a kernel of JupyterLab below the cell.
    """
    file = CellLine() if _in_lab() else sys.stderr
    return tqdm(total=total, unit="job", mininterval=1, leave=False, file=file)


def _in_lab():
    # A command started from a notebook has the variable too, but no kernel.
    return "JPY_SESSION_NAME" in os.environ and "ipykernel" in sys.modules
