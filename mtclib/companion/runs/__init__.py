"""Experiments: protocol -> jobs -> run store -> results."""

from mtclib.companion.runs.committed import Results, export, read_results
from mtclib.companion.runs.fit import execute, flatten
from mtclib.companion.runs.jobs import Job, canonical, expand, load_dataset, seed_for
from mtclib.companion.runs.protocol import Protocol, ProtocolError, load_protocol, parse_protocol
from mtclib.companion.runs.results import best_objective, fixed, frame, oracle, sweep_rows
from mtclib.companion.runs.runner import run
from mtclib.companion.runs.store import Record, RunStore, record_digest

__all__ = ["Job", "Protocol", "ProtocolError", "Record", "Results", "RunStore", "best_objective",
           "canonical", "execute", "expand", "export", "fixed", "flatten", "frame", "load_dataset",
           "load_protocol", "oracle", "parse_protocol", "read_results", "record_digest", "run", "seed_for",
           "sweep_rows"]
