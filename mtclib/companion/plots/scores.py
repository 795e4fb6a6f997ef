"""Our scores beside the printed ones, the verdicts on them, and how far each open choice moves them."""

import re
from itertools import groupby

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from mtclib.companion.plots.look import MARK, RULE, bare, figure, legend
from mtclib.companion.tables import MEANINGS, OURS_SD, PUBLISHED_SD, label, task_name
from mtclib.companion.verdicts.intervals import DELTA, RELATIVE

# The page of the scoreboard, in cells, but for the side of a cell, in inches.
CELL = 0.145
NAMES, HEAD, FOOT, WIDTH = 8.5, 4.1, 2.5, 60
# Data sets with fewer columns have their name written upright.
NARROW = 4
# Which panels of it stand beside and under each other, so that the page is full.
LINES = ((("lmsc",),), (("mbc",),), (("spmtc", "mtcmrl"), ("mspl",)))
# Widest line of a heading, in characters for each cell.
LETTERS = 2.1
BLUE, PALE = "#00457c", "#a6d3f5"
# Differences of so many points have the full colour; what cannot differ is grey.
FULL, GREY = 20, "#d0d0d0"
DIFFERENCES = LinearSegmentedColormap.from_list("differences", ["#b3400a", "#f0b090", "white", PALE, BLUE])


@figure
def preprocessing(frame, printed):
    """Our baseline under each preprocessing, beside the printed value of each task.

    `frame` has ``weighting``, ``task`` and ``value`` (a fraction), one row per run; `printed` maps a task to
    its fraction.  Dots are means over the runs, whiskers reach from the smallest to the largest.
    """
    rows = list(dict.fromkeys(frame["weighting"]))
    fig, axes = _dot_panels(rows, list(dict.fromkeys(frame["task"])))
    handles = {}
    for task, ax in axes.items():
        values = frame[frame["task"] == task].groupby("weighting")["value"]
        stats = values.agg(["mean", "min", "max"]).reindex(rows)
        spread = stats["mean"], stats["min"], stats["max"]
        handles["ours"] = _dots(ax, *spread, 0, "ours, all runs", "C1", "o")
        if not pd.isna(printed.get(task, np.nan)):
            colour = to_hex("C2")
            handles["printed"] = ax.axvline(100 * printed[task], color=colour, label="printed", **MARK)
    legend(fig, list(handles.values()))
    return fig


@figure
def scores_by_method(verdicts):
    """Our score and the printed one for each method, one panel per task, with standard deviations.

    `verdicts` has the judged cells of one data set; a method that was not run has the printed mark only.
    """
    chosen = verdicts[verdicts["metric"] == "ACC"]
    rows = list(dict.fromkeys(chosen["method"]))
    fig, axes = _dot_panels(rows, list(dict.fromkeys(chosen["task"])))
    for task, ax in axes.items():
        cells = chosen[chosen["task"] == task].set_index("method").reindex(rows)
        handles = []
        for mean, sd, name, colour, marker, offset in (
            ("published", PUBLISHED_SD, "printed", "C2", "D", -0.16),
            ("ours", OURS_SD, "ours", "C1", "o", 0.16)):
            low, high = cells[mean] - cells[sd].fillna(0), cells[mean] + cells[sd].fillna(0)
            handles.append(_dots(ax, cells[mean], low, high, offset, name, colour, marker))
    legend(fig, handles)
    return fig


@figure
def scoreboard(verdicts, heads):
    """Every printed cell of every paper as a small square: verdicts as symbols, differences as colours.

    Differences are in points, those of d_M in percent of the printed value; misprints and cells without a
    number of ours are grey.  `verdicts` comes from ``mtclib.companion.papers.scoreboard.all_verdicts``;
    `heads` maps a paper to the heading of its panel: its name, a new line, and what is to be said of it.
    """
    panels = {}
    for paper in heads:
        cells = verdicts[verdicts["paper"] == paper]
        panels[paper] = _wide(cells, "verdict"), _wide(cells.assign(points=_points(cells)), "points")
    places, height = _places({paper: verdict.shape for paper, (verdict, _) in panels.items()})
    fig = plt.figure(figsize=(CELL * WIDTH, CELL * height))
    fig.set_layout_engine("none")
    for paper, (left, top) in places.items():
        rows, columns = panels[paper][0].shape
        box = [left / WIDTH, 1 - (top + rows) / height, columns / WIDTH, rows / height]
        mesh = _board_panel(fig.add_axes(box), *panels[paper], heads[paper])
    scale = fig.add_axes([0.59, 4.6 / height, 0.36, 0.8 / height])
    fig.colorbar(mesh, cax=scale, orientation="horizontal", extend="both")
    scale.set_title("ours minus printed, points (d_M: percent)", fontsize=8)
    handles = _counted(verdicts)
    fig.legend(handles=handles, loc="lower center", ncols=len(handles), fontsize=8, frameon=False,
               handlelength=0, handletextpad=0, columnspacing=1.4)  # fmt: skip
    return fig


@figure
def leverage(table, most=12):
    """Change of the score under each alternative to an open choice of ours, the largest mean change on top.

    `table` comes from ``verdicts.leverage.measured``: one dot per row, one bar per alternative, in the order
    of the mean size of the change.  Rows of d_M, which has no points, are left out.  The grey band is the
    margin of the verdicts, as a scale: a smaller change, too, can turn the verdict of a cell that lies near
    the margin.
    """
    table = table[~table["metric"].isin(RELATIVE)]
    groups = dict(list(table.groupby(["decision", "alternative", "metric", "ours"], sort=False)["change"]))
    order = sorted(groups, key=lambda name: -groups[name].abs().mean())[:most]
    fig, ax = plt.subplots(figsize=(7.2, 1.6 + 0.37 * len(order)))
    ax.axvspan(-100 * DELTA, 100 * DELTA, color="0.92", linewidth=0)
    ax.axvline(0, color="0.3", **RULE)
    dot = {"color": BLUE, "marker": "o", "markersize": 3.5, "markerfacecolor": "white", "linestyle": ""}
    for place, name in enumerate(order):
        changes = groups[name].to_numpy()
        ax.barh(place, changes.mean(), height=0.36, color=PALE, edgecolor=BLUE, linewidth=0.8)
        ax.plot(changes, np.full(len(changes), place), **dot)
        text = "{1}, instead of {3} ({2}, {0})".format(*name)
        ax.text(0.005, place - 0.25, text, transform=ax.get_yaxis_transform(), va="bottom", fontsize=8)
    ax.set(yticks=[], ylim=(len(order) - 0.6, -0.85), xlabel="change of the score (points); 0 is our choice")
    shown = f"The {len(order)} of {len(groups)} alternatives that change the score most"
    ax.set_title(shown if len(groups) > len(order) else "Alternatives, the largest change first", loc="left")
    ax.grid(False, axis="y")
    ax.spines["left"].set_visible(False)
    legend(fig, [Patch(facecolor=PALE, edgecolor=BLUE, label="mean"),
                 Line2D([], [], label="one data set and method", **dot),
                 Patch(color="0.92", label="margin of the verdicts")])  # fmt: skip
    return fig


def _dot_panels(rows, tasks):
    """Figure with one panel per task, rows from top to bottom."""
    size = (max(1.2 + 1.75 * len(tasks), 4), 1.3 + 0.27 * len(rows))
    fig, axes = plt.subplots(1, len(tasks), figsize=size, sharey=True, sharex=True, squeeze=False)
    axes[0][0].set_yticks(range(len(rows)), rows)
    axes[0][0].set_ylim(len(rows) - 0.5, -0.5)
    for ax, task in zip(axes[0], tasks):
        ax.set_title(task_name(task))
        ax.set_xlabel("ACC (%)")
    return fig, dict(zip(tasks, axes[0]))


def _dots(ax, mean, low, high, offset, name, colour, marker):
    mean, low, high = (100 * np.asarray(values, dtype=float) for values in (mean, low, high))
    # A notebook draws outside the style, where "C1" would be another colour.
    look = {"color": to_hex(colour), "marker": marker, "linestyle": "", "elinewidth": 1.2, "capsize": 2}
    spread = (mean - low, high - mean)
    return ax.errorbar(mean, np.arange(len(mean)) + offset, xerr=spread, label=name, **look)


def _wide(cells, values):
    """`values` with methods as rows and columns (table, dataset, task, metric), as they are printed."""
    columns = ["table", "dataset", "task", "metric"]
    return cells.set_index(["method", *columns])[values].unstack(columns, sort=False)


def _points(cells):
    """Ours minus printed, in points or percent; NaN where it says nothing."""
    gap = np.where(cells["metric"].isin(RELATIVE), cells["relative_difference"], cells["difference"])
    return 100 * pd.Series(gap, cells.index).mask(cells["verdict"].eq("misprint"))


def _counted(verdicts):
    """Handles for the legend: each verdict in use and the number of its cells."""
    counts = verdicts["verdict"].value_counts()
    return [Line2D([], [], linestyle="", marker="", label=f"{label(verdict)} ({counts[verdict]})")
            for verdict in MEANINGS if verdict in counts]  # fmt: skip


def _board_panel(ax, verdicts, points, head):
    """One panel of the scoreboard, with the names of the data sets below; returns its coloured cells."""
    known = verdicts.notna().to_numpy()
    mesh = ax.pcolormesh(np.ma.masked_invalid(points.to_numpy(dtype=float)), cmap=DIFFERENCES, vmin=-FULL,
                         vmax=FULL, edgecolors="0.85", linewidth=0.4)  # fmt: skip
    for row, column in np.argwhere(points.isna().to_numpy()):
        shade = GREY if known[row, column] else "white"
        ax.add_patch(Rectangle((column, row), 1, 1, facecolor=shade, edgecolor="white", linewidth=0.6))
    for row, column in np.argwhere(known):
        colour = "white" if abs(points.iat[row, column]) > 0.75 * FULL else "black"
        ax.text(column + 0.5, row + 0.52, label(verdicts.iat[row, column])[0], color=colour, fontsize=7,
                ha="center", va="center")  # fmt: skip
    bare(ax, verdicts.index)
    name, _, counts = head.partition("\n")
    for end in ":,":
        if max(map(len, counts.split("\n"))) > LETTERS * (verdicts.shape[1] + 4):
            counts = counts.replace(f"{end} ", f"{end}\n")
    ax.set_title(counts, loc="left", fontsize=8)
    ax.annotate(name, (0, 1), (0, 18 + 9.5 * counts.count("\n")), textcoords="offset points",
                xycoords="axes fraction", fontsize=10, fontweight="bold")  # fmt: skip
    datasets = verdicts.columns.get_level_values("dataset")
    blocks = [(name, len(list(columns))) for name, columns in groupby(datasets)]
    upright = min(width for _, width in blocks) < NARROW
    start = 0
    for name, width in blocks:
        if start:
            ax.axvline(start, color="black", **RULE | {"linewidth": 0.9})
        text = name if upright else _broken(name, width)
        ax.text(start + width / 2, len(verdicts) + 0.35, text, fontsize=7.5, va="top", ha="center",
                rotation=90 if upright else 0, linespacing=1.1)  # fmt: skip
        start += width
    ax.set_xticks([])
    return mesh


def _places(shapes):
    """Left and upper end of the cells of each panel, in cells, and the height of the page. Lines hold stacks
    of panels, after `LINES`; a paper that is not named there gets a line of its own."""
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
    return places, top + 6


def _broken(name, room):
    """A name of a data set on as many lines as its columns need; about 1.6 letters fit a cell."""
    width, lines = int(1.6 * room), [""]
    for word in re.split(r"(?<=vs)|(?<=[- ])", name):
        if lines[-1] and len(lines[-1] + word) > max(width, 4):
            lines.append("")
        lines[-1] += word
    return "\n".join(line.strip() for line in lines)
