"""Matrices as coloured and annotated cells.

How far each open choice moves the number.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib import patheffects
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from mtclib.companion.plots.look import figure, legend
from mtclib.companion.verdicts.intervals import DELTA, RELATIVE


@figure
def relation_matrix(ours, printed=None, row_names=None, col_names=None, titles=("ours", "printed"),
                    tasks=("", "")):
    """Relatedness between the clusters of two tasks, ours beside the printed one, on one colour scale.

    Parameters
    ----------
    ours : array-like of shape (h_t, h_s)
        Our matrix; its rows and columns already matched to the classes.
    printed : array-like of shape (p_t, p_s), optional
        The paper's matrix.
    row_names, col_names : sequence of str, optional
        Names of the classes of the two tasks; numbers by default.
    titles : (str, str), default=("ours", "printed")
        Titles of the panels, where there are two.
    tasks : (str, str), default=("", "")
        Names of the two tasks, for the axes.

    Returns
    -------
    matplotlib.figure.Figure
        The largest entry of each row is outlined.

    Raises
    ------
    ValueError
        A matrix does not have two dimensions or does not fit the names.

    Examples
    --------
    >>> fig = relation_matrix([[0.5, 0.1], [0.0, 0.4]], row_names=["a", "b"], col_names=["c", "d"])
    >>> [text.get_text() for text in fig.axes[0].texts]
    ['0.500', '0.100', '0.000', '0.400']
    """
    given = [(title, matrix) for title, matrix in zip(titles, (ours, printed)) if matrix is not None]
    panels = [(title, np.asarray(matrix, dtype=float)) for title, matrix in given]
    top = max(np.nanmax(matrix) for _, matrix in panels)
    width = sum(0.9 + 0.75 * matrix.shape[1] for _, matrix in panels)
    height = 1.5 + 0.45 * max(len(matrix) for _, matrix in panels)
    fig, axes = plt.subplots(1, len(panels), figsize=(width + 1, height), squeeze=False)
    for ax, (title, matrix) in zip(axes[0], panels):
        rows, cols = _names(matrix, 0, row_names), _names(matrix, 1, col_names)
        frame = pd.DataFrame(matrix, index=rows, columns=cols)
        notes = np.array([[f"{value:.3f}" for value in row] for row in matrix], dtype=object)
        heat(ax, frame, notes, vmin=0, vmax=top, cbar=False)
        for row, values in enumerate(matrix):
            outline(ax, row, int(np.nanargmax(values)))
        ax.set(title=title if len(panels) > 1 else "", xlabel=tasks[1])
        slant = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"} if max(map(len, cols)) > 8 else {}
        ax.set_xticklabels(cols, **({"rotation": 0} | slant))
        ax.set_yticklabels(rows if ax is axes[0][0] else [""] * len(rows), rotation=0)
    axes[0][0].set_ylabel(tasks[0])
    fig.colorbar(axes[0][0].collections[0], ax=list(axes[0]), label="relatedness", shrink=0.9)
    return fig


def heat(ax, frame, notes, **options):
    """Coloured cells with notes; a missing value is a dash on grey.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw; emptied of its grid.
    frame : DataFrame of float, shape (n, m)
        Values, with the names of the rows and columns.
    notes : ndarray of str, shape (n, m)
        Text of each cell that has a value.
    **options
        Passed to ``seaborn.heatmap``.

    Examples
    --------
    >>> ax = plt.Figure().subplots()
    >>> heat(ax, pd.DataFrame([[0.5, np.nan]]), np.array([["0.5", ""]]))
    >>> [text.get_text() for text in ax.texts]
    ['0.5', '–']
    """
    sns.heatmap(frame, annot=notes, fmt="", cmap="cividis", linewidths=1, linecolor="white", ax=ax, **options)
    ax.set_facecolor("#ececec")
    ax.grid(False)
    for row, column in np.argwhere(np.isnan(frame.to_numpy())):
        ax.text(column + 0.5, row + 0.5, "–", ha="center", va="center")


def outline(ax, row, column):
    """A frame around one cell that shows on dark and on light cells.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Axes with the cells of :func:`heat`.
    row, column : int
        The cell, counted from 0.

    Examples
    --------
    >>> ax = plt.Figure().subplots()
    >>> outline(ax, 0, 1)
    >>> round(ax.patches[0].get_x(), 2)
    1.05
    """
    double = [patheffects.Stroke(linewidth=4, foreground="white"), patheffects.Normal()]
    inside = (column + 0.05, row + 0.05)
    ax.add_patch(Rectangle(inside, 0.9, 0.9, fill=False, edgecolor="black", linewidth=2, path_effects=double))


def _names(matrix, axis, names):
    if matrix.ndim != 2 or (names is not None and len(names) != matrix.shape[axis]):
        raise ValueError(f"a matrix of shape {matrix.shape} does not fit {names} along axis {axis}")
    return [str(i + 1) for i in range(matrix.shape[axis])] if names is None else list(names)

MARGIN = 100 * DELTA


@figure
def leverage(table, most=16):
    """Change of the score under each alternative to an open choice, the largest on top.

    Parameters
    ----------
    table : DataFrame
        From ``verdicts.leverage.measured``; a dot a row, a bar the mean of an alternative.  Rows
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
    ax.set_yticks(range(len(order)), _choice_names(order))
    ax.set_ylim(len(order) - 0.5, -0.5)
    ax.set_xlabel("change of the score under the alternative (points)")
    ax.grid(False, axis="y")
    dot = {"color": "#00457c", "marker": "o", "markersize": 3.5, "markerfacecolor": "white"}
    legend(fig, [Patch(facecolor="#a6d3f5", edgecolor="#00457c", label="mean"),
                 Line2D([], [], linestyle="", label="one data set and method", **dot),
                 Patch(color="0.92", label="margin of the verdicts")])  # fmt: skip
    return fig


def _choice_names(groups):
    """Decision and alternative, with what tells two groups of the same alternative apart."""
    shown = [f"{decision}  {alternative}" + ("" if metric in ("ACC", "NMI") else f" ({metric})")
             for decision, alternative, metric, _ in groups]
    return [name + _apart(ours) if shown.count(name) > 1 else name for name, (*_, ours) in zip(shown, groups)]


def _apart(ours):
    bracket = ours.partition(" (")[1:]
    return "".join(bracket) if any(bracket) else f", not {ours}"
