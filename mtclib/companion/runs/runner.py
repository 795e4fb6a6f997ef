"""Running jobs: in this process, on several cores, or on a dask cluster; always resumable."""

import contextlib
import ctypes
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace

import joblib
import pandas as pd
from joblib.externals.loky import get_reusable_executor
from tqdm import tqdm

from mtclib.companion.runs.fit import execute, failed_record, lacking
from mtclib.companion.runs.jobs import Job
from mtclib.companion.runs.results import frame
from mtclib.companion.runs.store import RunStore

log = logging.getLogger(__name__)

A_MINUTE = 60.0
CONNECT_SECONDS = 30
PR_SET_PDEATHSIG = 1  # of Linux: the signal that a process gets when its parent dies
DIED = "the process that ran the job died, perhaps for lack of memory; without its record it runs again"


def run(jobs: Iterable[Job], store: RunStore, *, n_jobs: int = 1, dask: str | None = None) -> pd.DataFrame:
    """Run all jobs that the store does not have, and return the results of all, as :func:`.results.frame`.
    Each record is written by this process as soon as its job ends, so that stopping at any moment loses only
    the jobs in flight; the same call again continues. ``n_jobs`` processes (-1: one per core), or a dask
    scheduler at an address such as tcp://host:8786, whose workers need this package, the data and one thread
    each, but no shared folder; ConnectionError where it cannot be reached or was lost. A bar shows on a
    terminal and in JupyterLab, and otherwise one log line per minute."""
    jobs, found = list(jobs), {}
    for job in {job.key: job for job in jobs}.values():
        record = store.get(job.key)  # whole, or damage would show only when the results are exported
        if record and (lost := lacking(record, job)):
            log.warning("record %s lacks %s; it will be computed again", job.key, ", ".join(lost))
        elif record:
            found[job.key] = replace(record, arrays={})
    waiting = {job.key: job for job in jobs if job.key not in found and not job.unavailable}
    failed = sum(record.status == "failed" for record in found.values())
    with (_progress(len(waiting), len(found), failed) as count,
          contextlib.closing(_records(list(waiting.values()), n_jobs, dask)) as records):
        for record in records:
            # Data that are missing today may be there tomorrow: not stored, so looked for again.
            if record.status != "unavailable":
                store.put(record)
            found[record.key] = replace(record, arrays={})
            count(record)
    return frame(jobs, found)


def _records(jobs, n_jobs, dask):
    if jobs and dask:
        yield from _on_cluster(jobs, dask)
    elif joblib.effective_n_jobs(n_jobs) == 1:
        yield from map(execute, jobs)
    else:
        yield from _on_cores(jobs, n_jobs)


def _on_cores(jobs, n_jobs):
    """A job whose worker dies (out of memory, a crash in compiled code) becomes a failed record. The pool
    cannot say which job it was, so those that were in flight are run again one by one."""
    waiting = {job.key: job for job in jobs}
    while waiting:
        sent = []
        try:
            for record in _parallel(list(waiting.values()), n_jobs, sent):
                waiting.pop(record.key, None)
                yield record
        except BrokenProcessPool:
            suspects = [waiting.pop(job.key) for job in sent if job.key in waiting]
            log.warning("a worker process died; running the %d jobs in flight one by one", len(suspects))
            for job in suspects:
                try:
                    yield from _parallel([job], 2, [])
                except BrokenProcessPool as error:
                    yield failed_record(job, f"WorkerDied: {type(error).__name__}: {DIED}")


def _parallel(jobs, n_jobs, sent):
    def tasks():
        for job in jobs:
            sent.append(job)
            yield joblib.delayed(execute)(job)

    # One job per batch: joblib would else hold back finished jobs until their batch is complete.
    pool = processes(n_jobs, return_as="generator_unordered", batch_size=1)
    try:
        yield from pool(tasks())
    except (KeyboardInterrupt, GeneratorExit):
        get_reusable_executor(reuse=True).shutdown(wait=True, kill_workers=True)
        raise


def processes(n_jobs, **options):
    """joblib's pool of processes, no more than there are processors, which end with this one however it ends;
    ``n_jobs=1`` is this one alone."""
    return joblib.Parallel(n_jobs=min(n_jobs, max(2, joblib.cpu_count())), backend="loky",
                           initializer=_end_with, initargs=(os.getpid(),), **options)


def _end_with(main):
    """End this worker when its main process is gone: it would wait for ever to hand over its result."""
    if os.getpid() == main:
        return
    if sys.platform == "linux":
        # The kernel ends it: many routines of LAPACK hold the interpreter, so that no thread could.
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_watch, args=(main,), daemon=True).start()


def _watch(main):
    while os.getppid() == main:
        time.sleep(1)
    os._exit(1)


def _on_cluster(jobs, address):
    """Jobs on a dask cluster, by its own futures. Not through joblib's dask backend: with joblib 1.6 it waits
    forever once a job has killed as many workers as dask allows, because it drops the error."""
    try:
        import distributed
    except ImportError as error:
        raise ImportError("running on a cluster needs dask: pip install 'mtclib[dask]'") from error
    with _without_tracebacks(), _connect(distributed, address) as client:
        pending = {client.submit(execute, job, pure=False): job for job in jobs}
        try:
            done = distributed.as_completed(
                list(pending), loop=client.loop, with_results=True, raise_errors=False)
            for future, result in done:
                job = pending.pop(future)
                if future.status == "finished":
                    yield result
                elif future.status == "error":  # the job killed its workers
                    yield failed_record(job, f"WorkerDied: {type(result[1]).__name__}: {DIED}")
                else:
                    raise ConnectionError(
                        f"lost the dask cluster at {address} (a job is {future.status}); what is done is "
                        f"stored, run the same command again to resume")
        finally:
            client.cancel(list(pending))


@contextlib.contextmanager
def _without_tracebacks():
    """Silence dask, which logs a traceback for every lost connection; we report the loss in one line."""
    names = [name for name in logging.root.manager.loggerDict
             if name.partition(".")[0] in ("distributed", "tornado", "asyncio")]
    with contextlib.ExitStack() as stack:
        for logger in map(logging.getLogger, names):
            stack.callback(logger.setLevel, logger.level)
            logger.setLevel(logging.CRITICAL + 1)
        yield


def _connect(distributed, address):
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise ConnectionError(f"no dask scheduler answers at {address} ({error}); start one with "
                              f"'dask scheduler' and give the address it prints") from error
    try:
        client.wait_for_workers(1, timeout=CONNECT_SECONDS)
    except TimeoutError as error:
        client.close()
        raise ConnectionError(f"the dask scheduler at {address} has no workers; start some with "
                              f"'dask worker {address} --nthreads 1'") from error
    if any(threads > 1 for threads in client.nthreads().values()):
        log.warning("dask workers with several threads run one job at a time; start them with --nthreads 1")
    return client


@contextlib.contextmanager
def _progress(total, cached, failed):
    """What counts a record, on the bar or in the log; an interruption says how to go on."""
    counts, said = {"done": 0, "cached": cached, "failed": failed}, time.monotonic()

    def count(record):
        nonlocal said
        counts.update(done=counts["done"] + 1, failed=counts["failed"] + (record.status == "failed"))
        bar.update()
        bar.set_postfix(counts, refresh=False)
        if bar.disable and time.monotonic() - said > A_MINUTE:
            said = time.monotonic()
            log.info("%d of %d jobs done, %d cached, %d failed",
                     counts["done"], total, cached, counts["failed"])

    try:
        with make_bar(total) as bar:
            bar.set_postfix(counts)
            yield count
    except KeyboardInterrupt:
        print(f"\nInterrupted: {counts['done']} of {total} jobs are done and stored. "
              f"Run the same command again to resume.", file=sys.stderr)
        raise


class CellLine:
    """A stream for tqdm that shows its last line under a notebook cell, and removes it when blank. JupyterLab
    keeps an empty red box where text on stderr was cleared."""

    encoding = "utf-8"

    def __init__(self):
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


def make_bar(total, show=None):
    """A tqdm bar over jobs on stderr, or below the cell in JupyterLab; it clears itself when closed. By
    default it shows only where somebody sees it: on a terminal or in a session of JupyterLab."""
    # JupyterLab names the session in the kernel's environment; papermill and nbconvert do not.
    session = "JPY_SESSION_NAME" in os.environ
    show = sys.stderr.isatty() or session if show is None else show
    # A command started from a notebook has the variable too, but no kernel.
    file = CellLine() if show and session and "ipykernel" in sys.modules else sys.stderr
    return tqdm(total=total, unit="job", mininterval=1, leave=False, file=file, disable=not show)
