"""Tables that a notebook shows: frames in, one table out.

A table has an HTML form for JupyterLab and a plain text form for a terminal, for nbval and for a screen
reader.  Both are the same from run to run: no random ids, no addresses, no unrounded floats.  Colour is never
alone: each coloured cell has its symbol and its word, and sets text and background together, so that it reads
in a light and in a dark theme.  Scores are shown in percent with one decimal; the paper's numbers as printed.
"""

from mtclib.companion.claims import signed
from mtclib.companion.tables.frames import (
    audit_table,
    claims_table,
    decisions_table,
    frame_table,
    provenance_table,
    reproduced,
    search,
    side_by_side,
)
from mtclib.companion.tables.table import COLOURS, MEANINGS, Points, Tables, label, tally, task_name
