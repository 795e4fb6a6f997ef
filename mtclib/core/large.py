"""Arrays that may be larger than memory: read in blocks of rows, mapped from files, written to files."""

import math
import mmap
import os
import tempfile
import weakref
from contextlib import suppress

import numpy as np

# Entries of a block of rows: few enough to be a small part of the data, many enough for fast products.
BLOCK = 2**22
# Bytes of a new array beyond which it lies in a temporary file.
IN_MEMORY = 2**28


def extremes(values):
    """The smallest and the largest entry of an ndarray, NaN if any is; 0 and 0 if there is none.

    >>> extremes(np.array([3.0, -1.0])), extremes(np.array([]))
    ((-1.0, 3.0), (0.0, 0.0))
    """
    if not values.size:
        return 0.0, 0.0
    low, high = zip(*((values[rows].min(), values[rows].max()) for rows in row_blocks(values)))
    return float(np.min(low)), float(np.max(high))


def row_blocks(X):
    """Slices of about ``BLOCK`` entries that cover X; of a mapped file, each is let go after use.  A sparse
    array, which is in memory, is one block."""
    if not isinstance(X, np.ndarray):
        yield slice(None)
        return
    step = max(1, BLOCK // max(1, math.prod(X.shape[1:])))
    for start in range(0, X.shape[0], step):
        yield slice(start, min(start + step, X.shape[0]))
        let_go(X)


def let_go(X):
    """Give back the memory that the pages of a mapped file take, where X is one; at need they are read again.
    What was written to a map of mode 'c', which its file does not have, stays."""
    while isinstance(X, np.ndarray) and not (isinstance(X, np.memmap) and isinstance(X.base, mmap.mmap)):
        X = X.base
    if isinstance(X, np.memmap) and X.mode != "c" and hasattr(mmap, "MADV_DONTNEED"):
        X.base.madvise(mmap.MADV_DONTNEED)


def room(shape, dtype):
    """An array to fill; a large one lies in a file that goes when no array of this process needs it."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if size <= IN_MEMORY:
        return np.empty(shape, dtype)
    handle, name = tempfile.mkstemp(".mtclib")
    try:
        if hasattr(os, "posix_fallocate"):  # else a disk that fills up later would end the process
            os.posix_fallocate(handle, 0, size)
        array = np.memmap(name, dtype, "r+", shape=shape)
    except OSError:  # no place there
        os.unlink(name)
        return np.empty(shape, dtype)
    finally:
        os.close(handle)
    weakref.finalize(array.base, _remove, name, os.getpid())
    return array


def _remove(name, owner):
    """Of a process's own: one that was forked, or that other processes map, leaves it."""
    if os.getpid() == owner:
        with suppress(OSError):
            os.unlink(name)
