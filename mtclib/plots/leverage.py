"""How far each open choice moves the number."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from mtclib.plots.look import figure, legend
from mtclib.reproduction.intervals import DELTA, RELATIVE

MARGIN = 100 * DELTA


@figure
def leverage(table, most=16):
    """Change of the score under each alternative to an open choice, the largest on top.

    Parameters
    ----------
    table : DataFrame
        From ``mtclib.reproduction.leverage.measured``; a dot a row, a bar the mean of an alternative.  Rows
        of d_M, which has no points, are left out.
    most : int, default=16
        Show so many alternatives, those with the largest mean absolute change.

    Returns
    -------
    matplotlib.figure.Figure
        The grey band is the margin of the verdicts, as a scale: a smaller change, too, can turn the verdict
        of a cell that lies near the margin.

    Raises
    ------
    ValueError
        `table` has no row.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame([dict(decision="O1", kind="data", ours="tf", alternative="counts", metric="ACC",
    ...                            change=-4.0)])
    >>> [text.get_text() for text in leverage(table).axes[0].get_yticklabels()]
    ['O1  counts']
    """
    table = table[~table["metric"].isin(RELATIVE)]
    if table.empty:
        raise ValueError("table is empty: no alternative was measured")
    groups = dict(list(table.groupby(["decision", "alternative", "metric", "ours"], sort=False)["change"]))
    order = sorted(groups, key=lambda name: -groups[name].abs().mean())[:most]
    fig, ax = plt.subplots(figsize=(7.2, 1.1 + 0.27 * len(order)))
    ax.axvspan(-MARGIN, MARGIN, color="0.92", linewidth=0)
    ax.axvline(0, color="0.3", linewidth=0.8, linestyle="-", marker="")
    for place, name in enumerate(order):
        changes = groups[name].to_numpy()
        ax.barh(place, changes.mean(), height=0.6, color="#a6d3f5", edgecolor="#00457c", linewidth=0.8)
        ax.plot(changes, np.full(len(changes), place), color="#00457c", marker="o", markersize=3.5,
                linestyle="", markerfacecolor="white")  # fmt: skip
    ax.set_yticks(range(len(order)), _names(order))
    ax.set_ylim(len(order) - 0.5, -0.5)
    ax.set_xlabel("change of the score under the alternative (points)")
    ax.grid(False, axis="y")
    dot = {"color": "#00457c", "marker": "o", "markersize": 3.5, "markerfacecolor": "white"}
    legend(fig, [Patch(facecolor="#a6d3f5", edgecolor="#00457c", label="mean"),
                 Line2D([], [], linestyle="", label="one data set and method", **dot),
                 Patch(color="0.92", label="margin of the verdicts")])  # fmt: skip
    return fig


def _names(groups):
    """Decision and alternative, with what tells two groups of the same alternative apart."""
    shown = [f"{decision}  {alternative}" + ("" if metric in ("ACC", "NMI") else f" ({metric})")
             for decision, alternative, metric, _ in groups]
    return [name + _apart(ours) if shown.count(name) > 1 else name for name, (*_, ours) in zip(shown, groups)]


def _apart(ours):
    bracket = ours.partition(" (")[1:]
    return "".join(bracket) if any(bracket) else f", not {ours}"
