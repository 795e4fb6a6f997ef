"""Our scores beside the printed ones, the verdicts on them, and how far each open choice moves them."""

import re
from itertools import groupby

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap, to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from mtclib.companion.plots.look import MARK, RULE, bare, figure, legend
from mtclib.companion.tables import COLOURS, MEANINGS, OURS_SD, PUBLISHED_SD, label, task_name
from mtclib.companion.verdicts.intervals import DELTA, RELATIVE

# The page of the scoreboard, in cells, but for the side of a cell, in inches.
CELL = 0.145
NAMES, HEAD, FOOT, WIDTH = 8.5, 4.0, 3.0, 88
# Data sets with fewer columns have their name written upright.
NARROW = 4
# Which panels of it stand beside and under each other, so that the page is full.
LINES = ((("lmsc", "mbc"), ("mspl",)), (("spmtc",), ("mtcmrl",)))
BLUE, PALE = "#00457c", "#a6d3f5"


@figure
def preprocessing(frame, printed=None, metric="ACC"):
    """Our baseline under each preprocessing, beside the printed value of each task.

    `frame` has ``weighting``, ``task`` and ``value`` (a fraction), one row per run; `printed` maps a task to
    its fraction.  Dots are means over the runs, whiskers reach from the smallest to the largest.
    """
    rows = list(dict.fromkeys(frame["weighting"]))
    fig, axes = _dot_panels(rows, list(dict.fromkeys(frame["task"])), metric)
    handles = {}
    for task, ax in axes.items():
        values = frame[frame["task"] == task].groupby("weighting")["value"]
        stats = values.agg(["mean", "min", "max"]).reindex(rows)
        spread = stats["mean"], stats["min"], stats["max"]
        handles["ours"] = _dots(ax, *spread, 0, "ours, all runs", "C1", "o")
        if printed and not pd.isna(printed.get(task, np.nan)):
            colour = to_hex("C2")
            handles["printed"] = ax.axvline(100 * printed[task], color=colour, label="printed", **MARK)
    legend(fig, list(handles.values()))
    return fig


@figure
def scores_by_method(verdicts, metric="ACC"):
    """Our score and the printed one for each method, one panel per task, with standard deviations.

    `verdicts` has the judged cells of one data set; a method that was not run has the printed mark only.
    """
    chosen = verdicts[verdicts["metric"] == metric]
    rows = list(dict.fromkeys(chosen["method"]))
    fig, axes = _dot_panels(rows, list(dict.fromkeys(chosen["task"])), metric)
    for task, ax in axes.items():
        cells = chosen[chosen["task"] == task].set_index("method").reindex(rows)
        handles = []
        for mean, sd, name, colour, marker, offset in (
            ("published", PUBLISHED_SD, "printed", "C2", "D", -0.16),
            ("ours", OURS_SD, "ours", "C1", "o", 0.16),
        ):
            low, high = cells[mean] - cells[sd].fillna(0), cells[mean] + cells[sd].fillna(0)
            handles.append(_dots(ax, cells[mean], low, high, offset, name, colour, marker))
    legend(fig, handles)
    return fig


@figure
def scoreboard(verdicts, heads):
    """Every printed cell of every paper as a small square with the symbol of its verdict, on one page.

    `verdicts` comes from ``mtclib.companion.papers.scoreboard.all_verdicts``; `heads` maps a paper to the
    heading of its panel: its name, a new line, and what is to be said of it.
    """
    panels = {}
    for paper in heads:
        cells = verdicts[verdicts["paper"] == paper]
        if cells.empty:
            raise ValueError(f"verdicts: no cell of {paper!r}")
        panels[paper] = _wide(cells)
    places, height = _places({paper: wide.shape for paper, wide in panels.items()})
    fig = plt.figure(figsize=(CELL * WIDTH, CELL * height))
    fig.set_layout_engine("none")
    for paper, (left, top) in places.items():
        rows, columns = panels[paper].shape
        box = [left / WIDTH, 1 - (top + rows) / height, columns / WIDTH, rows / height]
        _board_panel(fig.add_axes(box), panels[paper], heads[paper])
    handles = _counted(verdicts)
    fig.legend(handles=handles, loc="lower center", ncols=len(handles), fontsize=8, frameon=False,
               handlelength=1.2, columnspacing=1.4)  # fmt: skip
    return fig


@figure
def leverage(table, most=16):
    """Change of the score under each alternative to an open choice, the largest mean change on top.

    `table` comes from ``verdicts.leverage.measured``: one dot per row, one bar per alternative.  Rows of d_M,
    which has no points, are left out.  The grey band is the margin of the verdicts, as a scale: a smaller
    change, too, can turn the verdict of a cell that lies near the margin.
    """
    table = table[~table["metric"].isin(RELATIVE)]
    if table.empty:
        raise ValueError("table is empty: no alternative was measured")
    groups = dict(list(table.groupby(["decision", "alternative", "metric", "ours"], sort=False)["change"]))
    order = sorted(groups, key=lambda name: -groups[name].abs().mean())[:most]
    fig, ax = plt.subplots(figsize=(7.2, 1.1 + 0.27 * len(order)))
    ax.axvspan(-100 * DELTA, 100 * DELTA, color="0.92", linewidth=0)
    ax.axvline(0, color="0.3", **RULE)
    dot = {"color": BLUE, "marker": "o", "markersize": 3.5, "markerfacecolor": "white", "linestyle": ""}
    for place, name in enumerate(order):
        changes = groups[name].to_numpy()
        ax.barh(place, changes.mean(), height=0.6, color=PALE, edgecolor=BLUE, linewidth=0.8)
        ax.plot(changes, np.full(len(changes), place), **dot)
    ax.set_yticks(range(len(order)), _choice_names(order))
    ax.set_ylim(len(order) - 0.5, -0.5)
    ax.set_xlabel("change of the score under the alternative (points)")
    ax.grid(False, axis="y")
    legend(fig, [Patch(facecolor=PALE, edgecolor=BLUE, label="mean"),
                 Line2D([], [], label="one data set and method", **dot),
                 Patch(color="0.92", label="margin of the verdicts")])  # fmt: skip
    return fig


def _dot_panels(rows, tasks, metric):
    """Figure with one panel per task, rows from top to bottom."""
    if not rows:
        raise ValueError(f"frame: no row of metric {metric!r}")
    size = (max(1.2 + 1.75 * len(tasks), 4), 1.3 + 0.27 * len(rows))
    fig, axes = plt.subplots(1, len(tasks), figsize=size, sharey=True, sharex=True, squeeze=False)
    axes[0][0].set_yticks(range(len(rows)), rows)
    axes[0][0].set_ylim(len(rows) - 0.5, -0.5)
    for ax, task in zip(axes[0], tasks):
        ax.set_title(task_name(task))
        ax.set_xlabel(f"{metric} (%)")
    return fig, dict(zip(tasks, axes[0]))


def _dots(ax, mean, low, high, offset, name, colour, marker):
    mean, low, high = (100 * np.asarray(values, dtype=float) for values in (mean, low, high))
    # A notebook draws outside the style, where "C1" would be another colour.
    look = {"color": to_hex(colour), "marker": marker, "linestyle": "", "elinewidth": 1.2, "capsize": 2}
    spread = (mean - low, high - mean)
    return ax.errorbar(mean, np.arange(len(mean)) + offset, xerr=spread, label=name, **look)


def _wide(cells):
    """Verdicts with methods as rows and columns (table, dataset, task, metric), as they are printed."""
    keys = {"index": "method", "columns": ["table", "dataset", "task", "metric"], "values": "verdict"}
    return cells.pivot_table(**keys, aggfunc="first", sort=False)


def _squares(ax, wide, fontsize, **edges):
    """Coloured squares with the symbols of the verdicts, methods as rows; what is not printed stays empty."""
    used = [verdict for verdict in COLOURS if (wide == verdict).any(axis=None)]
    codes = sum((wide == verdict).to_numpy() * (number + 1) for number, verdict in enumerate(used))
    colours = ListedColormap([_fill(verdict) for verdict in used])
    ax.pcolormesh(np.ma.masked_equal(codes, 0), cmap=colours, vmin=0.5, vmax=len(used) + 0.5, **edges)
    for (row, column), verdict in np.ndenumerate(wide.to_numpy()):
        if isinstance(verdict, str):
            colour = COLOURS[verdict][1].replace("inherit", "black")
            ax.text(column + 0.5, row + 0.52, label(verdict)[0], color=colour, fontsize=fontsize,
                    ha="center", va="center")  # fmt: skip
    bare(ax, wide.index)


def _fill(verdict):
    """Background of a verdict; white where the tables leave it transparent."""
    return COLOURS[verdict][0].replace("transparent", "white")


def _counted(verdicts):
    """Handles for the legend: each verdict in use and the number of its cells."""
    counts = verdicts["verdict"].value_counts()
    return [Patch(facecolor=_fill(verdict), edgecolor="0.5", label=f"{label(verdict)} ({counts[verdict]})")
            for verdict in MEANINGS if verdict in counts]  # fmt: skip


def _board_panel(ax, wide, head):
    """One panel of the scoreboard, with the names of the data sets below."""
    _squares(ax, wide, fontsize=6, edgecolors="white", linewidth=0.4)
    name, _, counts = head.partition("\n")
    ax.set_title(counts, loc="left", fontsize=8)
    ax.annotate(name, (0, 1), (0, 18), textcoords="offset points", xycoords="axes fraction", fontsize=10,
                fontweight="bold")  # fmt: skip
    blocks = [(name, len(list(columns))) for name, columns in groupby(column[1] for column in wide.columns)]
    upright = min(width for _, width in blocks) < NARROW
    start = 0
    for name, width in blocks:
        if start:
            ax.axvline(start, color="black", **RULE | {"linewidth": 0.9})
        text = name if upright else _broken(name, width)
        ax.text(start + width / 2, len(wide) + 0.35, text, fontsize=7, va="top", ha="center",
                rotation=90 if upright else 0, linespacing=1.1)  # fmt: skip
        start += width
    ax.set_xticks([])
    ax.tick_params(labelsize=7)


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


def _broken(name, room):
    """A name of a data set on as many lines as its columns need; about 1.6 letters fit a cell."""
    width, lines = int(1.6 * room), [""]
    for word in re.split(r"(?<=vs)|(?<=[- ])", name):
        if lines[-1] and len(lines[-1] + word) > max(width, 4):
            lines.append("")
        lines[-1] += word
    return "\n".join(line.strip() for line in lines)


def _choice_names(groups):
    """Decision and alternative, with what tells two groups of the same alternative apart."""
    shown = [f"{decision}  {alternative}" + ("" if metric in ("ACC", "NMI") else f" ({metric})")
             for decision, alternative, metric, _ in groups]
    return [name + _apart(ours) if shown.count(name) > 1 else name for name, (*_, ours) in zip(shown, groups)]


def _apart(ours):
    """Our choice in brackets, as it is named where it is named so."""
    bracket = ours.partition(" (")[1:]
    return "".join(bracket) if any(bracket) else f", not {ours}"
