"""The hunt: attempts of one family, drawn from a seed, in processes of their own, for so many seconds.

An attempt returns "held" (what was promised came out) or "refused" (an error that names what is wrong and
was expected); whatever else happens, a crash and a hang too, is a fault.
"""

import contextlib
import logging
import re
import sys
import tempfile
import warnings
import zlib
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing import get_context
from time import perf_counter

import numpy as np
from adversary import families

PROCESSES = get_context("fork" if sys.platform == "linux" else "spawn")
PATIENCE = 900.0
"""Seconds after which an attempt hangs: many, as a busy machine takes minutes to start a process."""
LEAST = 5
"""Attempts of a process, however long the preparation of the family takes."""


@dataclass
class Hunted:
    """What became of the attempts of a family."""

    tried: int = 0
    refused: int = 0
    seconds: float = 0.0
    faults: Counter = field(default_factory=Counter)  # what went wrong, without its numbers
    first: dict = field(default_factory=dict)  # the first attempt of each


def hunt(name, seconds, seed=0, most=None, attack=None, first=0):
    """Attack for so many seconds, or up to attempt `most`, from the `first` on."""
    found, start = Hunted(tried=first), perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        while (left := seconds - (perf_counter() - start)) > 0 and found.tried != most:
            _go_on(found, (name, seed, found.tried, left, most, folder, attack or families.FAMILIES[name]))
    found.seconds = perf_counter() - start
    return found


def _go_on(found, task):
    """Count what a process reports, until it is done or dead."""
    receiver, sender = PROCESSES.Pipe(duplex=False)
    child = PROCESSES.Process(target=_attack, args=(sender, *task))
    child.start()
    sender.close()
    try:
        while (outcome := receiver.recv() if receiver.poll(PATIENCE) else "the attempt hangs") is not None:
            _count(found, outcome)
            if outcome == "the attempt hangs":
                break
    except EOFError:
        child.join()
        _count(found, f"the process died with code {child.exitcode}")
    child.kill()
    child.join()


def _count(found, outcome):
    if outcome == "refused":
        found.refused += 1
    elif outcome != "held":
        fault = re.sub(r"\d+", "#", outcome)
        found.faults[fault] += 1
        found.first.setdefault(fault, f"attempt {found.tried}: {outcome}")
    found.tried += 1


def _attack(sender, name, seed, number, seconds, most, folder, family):
    warnings.simplefilter("ignore")
    logging.disable()
    start, known = perf_counter(), (seed, zlib.crc32(name.encode()))
    with tempfile.TemporaryDirectory(dir=folder) as own, contextlib.chdir(own), np.errstate(all="ignore"):
        attempt = family(own)
        last = number + LEAST
        while (perf_counter() - start < seconds or number < last) and number != most:
            try:
                outcome = attempt(np.random.default_rng([*known, number]), number)  # can be repeated
            except Exception as error:
                outcome = f"{type(error).__name__}: {error}"[:600]
            sender.send(outcome)
            number += 1
    sender.send(None)
