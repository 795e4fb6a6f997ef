"""Any frame as a table, and the frames that every notebook shows."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from mtclib.companion.tables.table import DASH, MEANINGS, PLURALS, Cell, Table, Tables, label
from mtclib.companion.verdicts.evidence import FEW

AUDIT_COLUMNS = {**dict.fromkeys(("table", "kind", "where", "printed", "expected")), "text": "finding"}
DECISION_COLUMNS = dict.fromkeys(("id", "place", "problem", "decision", "evidence", "leverage", "cause"))
CLAIM_COLUMNS = dict.fromkeys(("id", "quote", "place", "status", "counts", "pipeline", "in_print", "reason"))
CLAIM_COLUMNS |= {"quote": "the paper says", "in_print": "in the paper's own numbers"}

ROWS = {"true": "the true classes", "class_size": "class sizes"}
"""What is searched by, where it is no method."""

_HASH = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{28,}\b")


def frame_table(frame: pd.DataFrame | list, caption: str, columns: Mapping | None = None,
                status: str | None = None, notes: Sequence[str] = (), folded: str = "") -> Table:
    """Any DataFrame or iterable of records as a `Table`; text wraps, missing values are dashes. A named index
    is shown, and so is an index of text. `columns` maps those to show to their headings, None for the name
    itself; those not in the frame, or without a value there, are left out. The values of the column `status`
    get the symbol and colour of a verdict or claim. `notes` stand below. Until the reader opens the table,
    only the line `folded` is shown, where it is given."""
    frame = frame if isinstance(frame, pd.DataFrame) else pd.DataFrame(list(frame))
    if frame.index.names != [None] or not pd.api.types.is_numeric_dtype(frame.index):
        frame = frame.reset_index()
    columns = {name: heading or name for name, heading in (columns or {}).items()}
    if columns and len(frame):
        frame = frame[[name for name in columns if name in frame and {DASH} != set(map(_text, frame[name]))]]
    columns_of_cells = [_cells(frame.iloc[:, i], name == status) for i, name in enumerate(frame.columns)]
    rows = tuple(zip(*columns_of_cells))
    header = tuple((str(name[0]), " ".join(map(str, name[1:]))) if isinstance(name, tuple)
                   else ("", str(columns.get(name, name))) for name in frame.columns)
    return Table(header, rows, caption, tuple(notes), folded)


def decisions_table(frame: pd.DataFrame) -> Table:
    """The decisions of a paper as a `Table`, folded below the number of its errata and open choices."""
    measured = f"the effect of {int((frame['leverage'] != '').sum())} is measured"
    counts = [f"{n} {kind if n == 1 else PLURALS[kind]}" for kind, n in frame["kind"].value_counts().items()]
    table = frame_table(frame, "Choices that the paper leaves open or gets wrong", DECISION_COLUMNS)
    return replace(_short_hashes(table), folded=", ".join([*counts, measured]))


def claims_table(frame: pd.DataFrame, sentences: pd.DataFrame) -> Table:
    """The claims of a paper, each with symbol, word and colour of its ``status``, folded. `sentences`, of
    which claims are parts, come from ``verdicts.ledger.outcomes_of_sentences``."""
    several = sentences[sentences["parts"] > 1]
    notes = [f"{row.hold} of {row.parts} parts hold and {row.fail} fail, so {row.status}: {name}"
             for name, row in several.iterrows()]
    counts = sentences["status"].value_counts()
    sizes = [f"{n} {one}{'s' * (n != 1)}" for n, one in ((len(sentences), "sentence"), (len(frame), "part"))]
    told = f"{' in '.join(sizes)}: " + ", ".join(f"{counts[status]} {status}" for status in counts.index)
    return frame_table(frame, "Sentences of the paper", CLAIM_COLUMNS, "status", notes, told)


def audit_table(findings: pd.DataFrame) -> Table:
    """Findings of the audit of the printed numbers as a `Table`, folded."""
    caption = "What the paper's own tables contradict"
    if findings.empty:
        return frame_table(findings, caption, notes=("No findings.",))
    kinds = ", ".join(f"{kind} ({n})" for kind, n in findings["kind"].value_counts().items())
    told = f"{len(findings)} finding{'s' * (len(findings) > 1)}: {kinds}"
    return frame_table(findings, caption, AUDIT_COLUMNS, folded=told)


def provenance_table(record: Mapping, caption: str = "Provenance") -> Table:
    """What made these numbers, folded: versions, hashes, seeds. A mapping becomes dotted names, one inside it
    a single line, ``data.toy | edition a, sha256 b``; hashes have 12 digits, and all under the mouse."""
    flat = pd.json_normalize(dict(record), max_level=1).iloc[0] if record else {}
    lines = {name: ", ".join(f"{key} {item}" for key, item in value.items()) if isinstance(value, Mapping)
             else value for name, value in flat.items()}
    table = frame_table([{"item": name, "value": value} for name, value in lines.items()], caption)
    return replace(_short_hashes(table), folded="versions, seeds and hashes of what was run")


def search(name: str, found: Mapping, cells: pd.DataFrame | None = None,
           held_out: pd.DataFrame | None = None) -> Tables:
    """What a search found, as from `verdicts.evidence.summary`, in the order of the questions. `cells` are
    the calibration cells with print and ours, `held_out` the rows that did not choose."""
    same, folds, accident = found["not_told_apart"], found["folds"], found["permutations"]
    won = {name: f"{100 * share:.0f} %" for name, share in found["won"].items()}
    others = [f"; without {fold['left out']} rank {fold['rank']}" for fold in folds if not fold["same"]]
    told = "; ".join(f"{choice}: {' or '.join(values)}" for choice, values in same["values"].items())
    told = f"{same['n']} of {found['hypotheses']}" + f": {told}" * (same["n"] > 1)
    unit = {"misses": "cells missed", "distance": "mean distance in points", "log-sd": "spread of log ratios"}
    scale = 100 if found["criterion"] == "distance" else 1
    best, after, median = ("none" if found[name] is None else f"{scale * found[name]:.4g}"
                           for name in ("distance", "next", "median"))  # of one hypothesis there is no next
    band = "not measured" if found["band"] is None else f"{scale * found['band']:.4g} for the next"
    if found["seeds"] and found["seeds"] < FEW:
        band += f"; {found['seeds']} of each is too few to know it, give n_runs = {FEW} or more"
    size = f"{found['hypotheses']} hypotheses, {found['distinct']} of them distinct"
    rows = {"what was compared": f"{len(found['cells'])} printed cells ({found['stage']}), {size}; "
                                 f"{unit[found['criterion']]}",
            "nearest": "; ".join(value if re.match(rf"{re.escape(choice)}(, |_|$)", value)
                                 else f"{choice} {value}" for choice, value in found["winner"].items()),
            "its distance, the next, the median": f"{best}, {after}, {median}",
            "wins, of bootstrap samples of cells": f"{won['winner']}; with those not told apart "
                                                   f"{won['not told apart']}",
            "noise band of repeated seeds": band, "not told apart": told,
            "the same without one part": f"{len(folds) - len(others)} of {len(folds)}{''.join(others)}",
            "permuted print, searched in full": f"{accident['reached']} of {accident['n']} do as well, "
                                                f"p = {accident['p']:.2g}"}
    known_by = dict.fromkeys(cell.split(":")[-2] for cell in found["cells"])
    known_by = ", ".join(ROWS.get(row, row) for row in known_by)
    parts = [frame_table(pd.DataFrame(rows.items(), columns=["question", "answer"]),
                         f"Where printed numbers of {known_by} may come from ({name})")]
    if cells is not None:
        parts.append(frame_table(cells, "Calibration: the printed cells that chose, beside the nearest"))
    if held_out is not None and len(held_out):
        parts.append(frame_table(held_out, "Hold-out rows: printed, and not used to choose",
                                 notes=["Mean distance in points, and cells within five points; methods at "
                                        "their defaults, on the data of the nearest hypothesis."]))
    return Tables(tuple(parts))


def _short_hashes(table):
    """Long hashes cut to 12 digits, in full where the mouse is."""
    def short(cell):
        lines = tuple(_HASH.sub(r"\1", line) for line in cell.lines)
        return cell if lines == cell.lines else replace(cell, lines=lines, title=" ".join(cell.lines))

    return replace(table, rows=tuple(tuple(map(short, row)) for row in table.rows))


def _cells(values, is_status):
    """Cells of a column.  Numbers that were rounded to at most three decimals all show as many."""
    texts = [_text(value) for value in values]
    if is_status:
        return [Cell((label(value),), value) if value in MEANINGS else Cell((text,))
                for text, value in zip(texts, values)]
    if pd.api.types.is_float_dtype(values):
        digits = max((len(text.partition(".")[2]) for text in texts), default=0)
        if 1 <= digits <= 3:
            texts = [f"{value + 0.0:.{digits}f}" if np.isfinite(value) else text
                     for text, value in zip(texts, values)]
    return [Cell((text,)) for text in texts]


def _text(value):
    """A value as short text that does not depend on the machine."""
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ", ".join(map(_text, value)) or DASH
    if value is None or pd.isna(value) or value == "":
        return DASH
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (float, np.floating)):
        if np.isinf(value):
            return "∞" if value > 0 else "-∞"
        if np.isfinite(value) and value == int(value):
            return str(int(value))
        return f"{value:.4g}" if abs(value) < 10_000 else f"{value:.1f}"
    return str(value)
