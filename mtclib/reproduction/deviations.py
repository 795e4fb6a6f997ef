"""Blocks of cells that deviate from print, each with its cause and a sentence."""

import pandas as pd

from mtclib.reproduction.intervals import RELATIVE


def by_cause(cells):
    """Cells that are higher or lower than printed, one line a cause and sentence of the decisions file.

    Parameters
    ----------
    cells : DataFrame
        From ``mtclib.reproduction.verdicts.judge``.

    Returns
    -------
    DataFrame
        ``cause, cells, points, where, reason``, the largest first; ``points`` is the mean absolute
        difference (NaN for a distance, which has no scale).

    Examples
    --------
    >>> row = dict(dataset="toy", method="A", metric="ACC", cause="stopping", reason="Stops early.",
    ...            verdict="lower", difference=-0.08)
    >>> by_cause(pd.DataFrame([row, {**row, "method": "B"}])).values.tolist()
    [['stopping', 2, 8.0, 'toy: A, B', 'Stops early.']]
    """
    deviating = cells[cells["verdict"].isin(["higher", "lower"])]
    points = (100 * deviating["difference"].abs()).where(~deviating["metric"].isin(RELATIVE))
    groups = deviating.assign(points=points).groupby(["cause", "reason"], sort=False)
    rows = [{"cause": cause, "cells": len(part), "points": round(part["points"].mean(), 1),
             "where": _places(part), "reason": reason} for (cause, reason), part in groups]
    columns = ["cause", "cells", "points", "where", "reason"]
    table = pd.DataFrame(rows, columns=columns).sort_values("cells", ascending=False, kind="stable")
    return table.reset_index(drop=True)


def _places(part):
    methods = part.groupby("dataset", sort=False)["method"].unique()
    return "; ".join(f"{dataset}: {', '.join(names)}" for dataset, names in methods.items())
