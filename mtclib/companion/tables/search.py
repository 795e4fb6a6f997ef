"""A search for unstated choices on one page: how sure it is, what chose, and what did not."""

from collections.abc import Mapping

import pandas as pd

from mtclib.companion.tables.frames import frame_table
from mtclib.companion.tables.table import Tables


def search(name: str, found: Mapping, cells: pd.DataFrame | None = None,
           held_out: pd.DataFrame | None = None) -> Tables:
    """What a search found, as from `verdicts.evidence.summary`, in the order of the questions. `cells` are
    the calibration cells with print and ours, `held_out` the rows that did not choose."""
    same, folds, accident = found["not_told_apart"], found["folds"], found["permutations"]
    won = {name: f"{100 * share:.0f} %" for name, share in found["won"].items()}
    others = [f"; without {fold['left out']} rank {fold['rank']}" for fold in folds if not fold["same"]]
    told = "; ".join(f"{choice}: {', '.join(values)}" for choice, values in same["values"].items())
    told = f"{same['n']} of {found['hypotheses']}" + f": {told}" * (same["n"] > 1)
    unit = {"misses": "cells missed", "distance": "mean distance", "log-sd": "spread of log ratios"}
    band = "not measured: one seed" if found["band"] is None else f"{found['band']:.4g}"
    size = f"{found['hypotheses']} hypotheses, {found['distinct']} of them distinct"
    rows = [("what was compared", f"{len(found['cells'])} printed cells ({found['stage']}), {size}; "
             f"{unit[found['criterion']]}"),
            ("nearest", ", ".join(f"{choice} {value}" for choice, value in found["winner"].items())),
            ("its distance, the next, the median",
             f"{found['distance']}, {found['next']}, {found['median']}"),
            ("wins, of bootstrap samples of cells", f"{won['winner']}; with those not told apart "
             f"{won['not told apart']}"),
            ("noise band of repeated seeds", band),
            ("not told apart", told),
            ("the same without one part", f"{len(folds) - len(others)} of {len(folds)}"
             + "".join(others)),
            ("permuted print, searched in full", f"{accident['reached']} of {accident['n']} do as well, "
             f"p = {accident['p']:.4g}")]
    parts = [frame_table([{"question": key, "answer": text} for key, text in rows], f"Search {name}")]
    if cells is not None:
        parts.append(frame_table(cells, "Calibration: the printed cells that chose, beside the nearest"))
    if held_out is not None and len(held_out):
        parts.append(frame_table(held_out, "Hold-out rows: printed, and not used to choose",
                                 notes=["Mean distance in points, and cells within five points; methods at "
                                        "their defaults, on the data of the nearest hypothesis."]))
    return Tables(tuple(parts))
