"""The five papers in one picture: every printed cell by its verdict, and how many cells and claims hold."""

import re

import matplotlib.pyplot as plt
from matplotlib.patches import Patch

from mtclib.plots.look import figure
from mtclib.plots.scores import fill, squares, wide_verdicts
from mtclib.tables import MEANINGS, label

CELL = 0.145
"""Side of a cell, inches."""
NAMES = 8.5
"""Room for the names of the methods, in cells."""
HEAD = 4.0
FOOT = 3.0
WIDTH = 88
NARROW = 4
"""Data sets with fewer columns have their name written upright."""
LINES = ((("lmsc", "mbc"), ("mspl",)), (("spmtc",), ("mtcmrl",)))
"""Which panels stand beside and under each other, so that the page is full."""


@figure
def scoreboard(verdicts, heads):
    """Every printed cell of every paper as a small square with the symbol of its verdict.

    Parameters
    ----------
    verdicts : DataFrame
        From ``mtclib.scoreboard.all_verdicts``.
    heads : mapping of str to str
        Paper to the heading of its panel: its name, a new line, and what is to be said of it.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        `verdicts` has no cell of one of the papers.

    Examples
    --------
    >>> import pandas as pd
    >>> cells = pd.DataFrame([("mbc", "3", "toy", "1", "IND", "NMI", "agrees")],
    ...     columns=["paper", "table", "dataset", "task", "method", "metric", "verdict"])
    >>> scoreboard(cells, {"mbc": "MBC\\n1 of 1 cells agree"}).axes[0].get_title(loc="left")
    '1 of 1 cells agree'
    """
    panels = {}
    for paper in heads:
        cells = verdicts[verdicts["paper"] == paper]
        if cells.empty:
            raise ValueError(f"verdicts: no cell of {paper!r}")
        panels[paper] = wide_verdicts(cells)
    places, height = _places({paper: wide.shape for paper, wide in panels.items()})
    fig = plt.figure(figsize=(CELL * WIDTH, CELL * height))
    fig.set_layout_engine("none")
    for paper, (left, top) in places.items():
        wide = panels[paper]
        rows, columns = wide.shape
        box = [left / WIDTH, 1 - (top + rows) / height, columns / WIDTH, rows / height]
        _panel(fig.add_axes(box), wide, heads[paper])
    counts = verdicts["verdict"].value_counts()
    handles = [Patch(facecolor=fill(verdict), edgecolor="0.5", label=f"{label(verdict)} ({counts[verdict]})")
               for verdict in MEANINGS if verdict in counts]
    fig.legend(handles=handles, loc="lower center", ncols=len(handles), fontsize=8, frameon=False,
               handlelength=1.2, columnspacing=1.4)  # fmt: skip
    return fig


def _places(shapes):
    """Left and upper end of the cells of each panel, in cells, and the height of the page.

    Lines hold stacks of panels, after `LINES`; a paper that is not named there gets a line of its own.
    """
    named = {paper for line in LINES for stack in line for paper in stack}
    lines = [*LINES, *(((paper,),) for paper in shapes if paper not in named)]
    places, top = {}, 0.0
    for line in lines:
        left, lowest = NAMES, top
        for stack in line:
            stack, end = [paper for paper in stack if paper in shapes], top
            for paper in stack:
                places[paper] = left, end + HEAD
                end += HEAD + shapes[paper][0] + FOOT
            left += max((shapes[paper][1] for paper in stack), default=0) + NAMES + 1
            lowest = max(lowest, end)
        top = lowest
    return places, top + 2


def _panel(ax, wide, head):
    squares(ax, wide, fontsize=6, edgecolors="white", linewidth=0.4)
    name, _, counts = head.partition("\n")
    ax.set_title(counts, loc="left", fontsize=8)
    ax.annotate(name, (0, 1), (0, 18), textcoords="offset points", xycoords="axes fraction", fontsize=10,
                fontweight="bold")  # fmt: skip
    names = [column[1] for column in wide.columns]
    starts = [place for place, name in enumerate(names) if place == 0 or name != names[place - 1]]
    ends = [*starts[1:], len(names)]
    upright = min(end - start for start, end in zip(starts, ends)) < NARROW
    for start, end in zip(starts, ends):
        if start:
            ax.axvline(start, color="black", linewidth=0.9, linestyle="-", marker="")
        text = names[start] if upright else _short(names[start], end - start)
        ax.text((start + end) / 2, len(wide) + 0.35, text, fontsize=7, va="top", ha="center",
                rotation=90 if upright else 0, linespacing=1.1)  # fmt: skip
    ax.set_xticks([])
    ax.tick_params(labelsize=7)


def _short(name, room):
    """A name of a data set on as many lines as its columns need; about 1.6 letters fit a cell."""
    width, lines = int(1.6 * room), [""]
    for word in re.split(r"(?<=vs)|(?<=[- ])", name):
        if lines[-1] and len(lines[-1] + word) > max(width, 4):
            lines.append("")
        lines[-1] += word
    return "\n".join(line.strip() for line in lines)
