"""Runs, from the ground up: measures, protocol, jobs, store, fit, results, committed, runner, profiles.

What callers need stands here: a protocol is read (`load_protocol`), expanded into jobs (`expand`), run into a
store (`run`, `RunStore`), exported to be committed (`export`), and read again (`read_results`).
"""

from mtclib.companion.runs.committed import Results, export, read_results, restore
from mtclib.companion.runs.fit import attempt, execute, flatten
from mtclib.companion.runs.jobs import Job, canonical, expand, load_dataset, seed_for
from mtclib.companion.runs.protocol import Protocol, ProtocolError, load_protocol, our_name, parse_protocol
from mtclib.companion.runs.results import calibrated, fixed, frame, oracle, sweep_rows
from mtclib.companion.runs.runner import run
from mtclib.companion.runs.store import Record, RunStore, record_digest
