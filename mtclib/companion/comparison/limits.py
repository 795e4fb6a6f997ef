"""A fit within limits: in a process of its own, which ends when it takes too much time or memory."""

import resource
from multiprocessing import get_context
from pathlib import Path
from time import process_time

from mtclib.companion.comparison.rivals import named
from mtclib.companion.runs.fit import execute, failed_record
from mtclib.companion.runs.jobs import load_dataset

SECONDS, GIGABYTES = 60, 4
"""Seconds of the processor, and memory beyond the data."""

TOO_LONG = f"more than {SECONDS} s of processor time"
TOO_LARGE = f"more than {GIGABYTES} GB of memory"


def limited(job, seconds=SECONDS, gigabytes=GIGABYTES):
    """Record of a job with processor seconds and ``megabytes`` in its cost; failed if it passed a limit.

    Only where processes can be forked and limited, as on Linux.
    """
    # What the child then shares, outside of its limits.
    load_dataset(job.loader, job.loader_params)
    if "path" in job.params:
        named(job.params["path"])
    fork = get_context("fork")
    receiver, sender = fork.Pipe(duplex=False)
    child = fork.Process(target=_child, args=(job, sender, seconds, gigabytes))
    child.start()
    sender.close()
    try:
        record = receiver.recv()
    except EOFError:
        record = None
    child.join()
    if record is None:
        late = -child.exitcode in (24, 9)  # SIGXCPU, and SIGKILL for what does not heed it
        return failed_record(job, TOO_LONG if late else f"the process died with code {child.exitcode}")
    return failed_record(job, TOO_LARGE) if "MemoryError" in record.info["error"] else record


def _child(job, sender, seconds, gigabytes):
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + gigabytes * 2**30
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    start, before = process_time(), _peak()
    record = execute(job)
    record.cost.update(seconds=process_time() - start, megabytes=(_peak() - before) / 1024)
    sender.send(record)


def _peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
