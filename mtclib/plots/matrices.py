"""Matrices as coloured and annotated cells."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib import patheffects
from matplotlib.patches import Rectangle

from mtclib.plots.look import figure


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
