"""What the benchmarks share: seconds of one processor, rows of one table, the command line of a script."""

import argparse
import ctypes
import gc
import multiprocessing
import sys
import warnings
from contextlib import contextmanager, suppress
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from mtclib.datasets import FetchError

BUDGET, MOST_TURNS = 1.0, 15
"""Each side of a comparison is called again until it has had so many seconds, or so many turns."""


@contextmanager
def one_thread():
    """One thread, and no warning that a fixed number of iterations was not enough."""
    with threadpool_limits(limits=1), warnings.catch_warnings(action="ignore"):
        yield


def timed(function):
    """Result and seconds of the processor, which other work on the machine hardly touches."""
    start = process_time()
    result = function()
    return result, process_time() - start


def peak(*, forget=False):
    """Most memory of this process in MB, since `forget` where the system counts anew (Linux)."""
    status = Path("/proc/self/status")
    if not status.exists():
        import resource  # missing on Windows, where tests import this file all the same
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # macOS counts bytes
    if forget:
        gc.collect()
        with suppress(AttributeError):  # memory that is free but kept would be used without being seen
            ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return int(status.read_text(encoding="ascii").partition("VmHWM:")[2].split()[0]) / 1024


def in_a_child(function, *arguments):
    """What a function sends from a process of its own, by its last argument; None if it ends before that."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=function, args=(*arguments, sender))
    child.start()
    sender.close()
    try:
        found = receiver.recv()
    except EOFError:
        found = None
    child.join()
    return found


def compare(method, data, n, *sides):
    """A row of the table: median seconds of ours and of the literal transcription, which are called in turn.

    Where both return a number, such as an objective, the row says how far they are apart.
    """
    print(f"{method}: {data}, n = {n}", file=sys.stderr, flush=True)
    seconds, values = ([], []), [None, None]
    for _ in range(MOST_TURNS):
        for side, function in enumerate(sides):
            if sum(seconds[side]) < BUDGET:
                values[side], taken = timed(function)
                seconds[side].append(taken)
    ours, literal = map(float, map(np.median, seconds))
    numbers = all(isinstance(value, float) for value in values)
    return {"method": method, "data": data, "n": n, "ours [s]": ours, "literal [s]": literal,
            "literal / ours": literal / ours,
            "note": f"results {abs(values[0] / values[1] - 1.0):.0e} apart" if numbers else ""}


def collect(parts):
    """Rows of all parts; one that fails, or whose data cannot be had, says so in a row of its own."""
    rows = []
    for part in parts:
        try:
            rows.extend(part())
        except Exception as error:
            name = f"{Path(part.__code__.co_filename).stem}.{part.__name__}"
            rows.append({"method": name, "note": _reason(error)})
    return rows


def _reason(error):
    if isinstance(error, FetchError):
        return f"no data: {str(error).partition(' (')[0]}"
    return f"failed: {type(error).__name__}: {str(error).partition('. ')[0]}"


def main(doc, ratios, **parts):
    """Run one part of a script, by default the functions `ratios`, and print its table."""
    parts = {"ratios": lambda: collect(ratios), **parts}
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=parts, default="ratios")
    parser.add_argument("--output", help="CSV file for the table")
    arguments = parser.parse_args()
    with one_thread():
        table = pd.DataFrame(parts[arguments.only]())
    print(table.to_string(index=False, na_rep=""))
    if arguments.output:
        table.to_csv(arguments.output, index=False, float_format="%.4g", lineterminator="\n")
