"""What the methods cost, in ratios within one run; ``make bench`` runs all of them.

A script for each method or two has rows of the table: ours and the literal transcription of the paper's
updates in ``tests/literal``.  Other parts of a script are chosen with ``python -m benchmarks.NAME --only
PART``.  `floors` sets every method beside what its mathematics cannot avoid, and beside the library routine
that a user would run instead; `growth` doubles sizes; their tables are committed as ``data/bench.csv`` and
``data/growth.csv``.  `method_costs`, `lmsc_streams`, `lmsc_rivals`, `cluster_run`, `recreate`,
`comparison_sets`, `as_the_command`, `candidates` and `exam` are commands of their own: they make or check
what is committed under ``data``.
"""

import sys
from pathlib import Path

from mtclib.__main__ import hand_down

hand_down()  # before any script loads numpy: what is committed was made with these kernels
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
