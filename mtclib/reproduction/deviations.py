"""Blocks of cells that deviate from print, each with its cause and a sentence."""

import pandas as pd


def blocks(cells):
    """Cells that are higher or lower than printed, by data set, method and cause.

    Parameters
    ----------
    cells : DataFrame
        From ``mtclib.reproduction.verdicts.judge``.

    Returns
    -------
    DataFrame
        ``dataset, method, cause, higher, lower, points, reason``: numbers of cells, their mean difference in
        points (NaN for a distance, which has no scale), and the sentence of the decisions file.

    Examples
    --------
    >>> row = dict(dataset="toy", method="A", metric="ACC", cause="stopping", reason="Stops early.",
    ...            verdict="lower", difference=-0.08)
    >>> blocks(pd.DataFrame([row, {**row, "difference": -0.06}]))[["lower", "points"]].values.tolist()
    [[2.0, -7.0]]
    """
    deviating = cells[cells["verdict"].isin(["higher", "lower"])]
    scores = deviating.assign(
        higher=deviating["verdict"] == "higher", lower=deviating["verdict"] == "lower",
        points=(100 * deviating["difference"]).where(deviating["metric"] != "d_M"))
    groups = scores.groupby(["dataset", "method", "cause", "reason"], sort=False)
    table = groups.agg(higher=("higher", "sum"), lower=("lower", "sum"), points=("points", "mean"))
    names = ["dataset", "method", "cause", "higher", "lower", "points", "reason"]
    return table.round({"points": 1}).reset_index()[names]


def by_cause(cells):
    """The same blocks, one line a cause and sentence: where it applies and how many cells it explains.

    Parameters
    ----------
    cells : DataFrame
        From ``mtclib.reproduction.verdicts.judge``.

    Returns
    -------
    DataFrame
        ``cause, cells, points, where, reason``, the largest first; ``points`` is the mean absolute
        difference.

    Examples
    --------
    >>> row = dict(dataset="toy", method="A", metric="ACC", cause="stopping", reason="Stops early.",
    ...            verdict="lower", difference=-0.08)
    >>> by_cause(pd.DataFrame([row, {**row, "method": "B"}])).values.tolist()
    [['stopping', 2, 8.0, 'toy: A, B', 'Stops early.']]
    """
    deviating = cells[cells["verdict"].isin(["higher", "lower"])]
    points = (100 * deviating["difference"].abs()).where(deviating["metric"] != "d_M")
    groups = deviating.assign(points=points).groupby(["cause", "reason"], sort=False)
    rows = [{"cause": cause, "cells": len(part), "points": round(part["points"].mean(), 1),
             "where": _places(part), "reason": reason} for (cause, reason), part in groups]
    columns = ["cause", "cells", "points", "where", "reason"]
    table = pd.DataFrame(rows, columns=columns).sort_values("cells", ascending=False, kind="stable")
    return table.reset_index(drop=True)


def _places(part):
    methods = part.groupby("dataset", sort=False)["method"].unique()
    return "; ".join(f"{dataset}: {', '.join(names)}" for dataset, names in methods.items())
