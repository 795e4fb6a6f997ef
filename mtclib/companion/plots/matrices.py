"""Matrices as coloured and annotated cells."""

import textwrap
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib import patheffects
from matplotlib.colors import PowerNorm
from matplotlib.patches import Rectangle

from mtclib.companion.plots.look import figure

# Relative luminance from which on black is easier to read than white.
DARK = 0.18


@figure
def relation_matrix(ours: np.ndarray, printed: np.ndarray | None, row_names: Sequence[str],
                    col_names: Sequence[str], tasks: Sequence[str], title: str = "") -> plt.Figure:
    """Relatedness between the clusters of two tasks, ours beside the printed one, on one colour scale.

    Rows and columns are already matched to the classes; `tasks` are the names of the axes.  The largest entry
    of each row is outlined, unless another is written with the same digits.  Colours follow the square root,
    so that one large entry does not make all others look alike.
    """
    panels = [(whose, np.asarray(matrix, dtype=float))
              for whose, matrix in (("ours", ours), ("printed", printed)) if matrix is not None]
    top = max(np.nanmax(matrix) for _, matrix in panels)
    width = sum(0.9 + 0.75 * matrix.shape[1] for _, matrix in panels)
    height = 1.5 + 0.45 * max(len(matrix) for _, matrix in panels)
    fig, axes = plt.subplots(1, len(panels), figsize=(width + 1, height), squeeze=False)
    for ax, (whose, matrix) in zip(axes[0], panels):
        notes = np.char.mod("%.3f", matrix)
        notes[notes == "0.000"] = "0"
        frame = pd.DataFrame(matrix, index=list(row_names), columns=list(col_names))
        heat(ax, frame, notes, norm=PowerNorm(0.5, 0, top), cbar=False)
        for row, values in enumerate(matrix):
            best = int(np.nanargmax(values))
            if (notes[row] == notes[row, best]).sum() == 1:
                outline(ax, row, best)
        ax.set(title=whose if len(panels) > 1 else "", xlabel=tasks[1])
        broken = (textwrap.fill(name.replace(".", ". "), 11).replace(". ", ".") for name in col_names)
        ax.set_xticklabels(list(broken), rotation=0)
        ax.set_yticklabels(row_names if ax is axes[0][0] else [""] * len(row_names), rotation=0)
    axes[0][0].set_ylabel(tasks[0])
    fig.suptitle(title)
    fig.colorbar(axes[0][0].collections[0], ax=list(axes[0]), label="relatedness", shrink=0.9)
    return fig


def heat(ax, frame, notes, **options):
    """Coloured cells with notes (``seaborn.heatmap``); a missing value is a dash on grey."""
    sns.heatmap(frame, annot=notes, fmt="", cmap="cividis", linewidths=1, linecolor="white", ax=ax, **options)
    # Seaborn writes white on cells that are too pale for it.
    missing = np.isnan(frame.to_numpy())
    for note, colour in zip(ax.texts, ax.collections[0].get_facecolors()[~missing.ravel()]):
        note.set_color("black" if sns.utils.relative_luminance(colour) > DARK else "white")
    ax.set_facecolor("#ececec")
    ax.grid(False)
    for row, column in np.argwhere(missing):
        ax.text(column + 0.5, row + 0.5, "–", ha="center", va="center")


def outline(ax, row, column):
    """A frame around one cell of :func:`heat` that shows on dark and on light cells."""
    double = [patheffects.Stroke(linewidth=4, foreground="white"), patheffects.Normal()]
    inside = (column + 0.05, row + 0.05)
    ax.add_patch(Rectangle(inside, 0.9, 0.9, fill=False, edgecolor="black", linewidth=2, path_effects=double))

