"""Our scores beside the printed ones: verdicts, what open choices change, gains, and task against task."""

import re
from collections.abc import Mapping
from itertools import accumulate, chain, groupby

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import Formatter

from mtclib.companion.plots.look import RULE, figure, legend
from mtclib.companion.tables import COLOURS, MEANINGS, label
from mtclib.companion.verdicts.intervals import DELTA, RELATIVE
from mtclib.companion.verdicts.judge import JUDGED

# The page of the scoreboard, in cells, but for the side of a cell, in inches.
CELL = 0.145
NAMES, HEAD, FOOT, WIDTH = 8.5, 4.1, 2.5, 60
MOST = 12  # alternatives that are drawn
NARROW = 4  # columns; data sets with fewer have their name written upright
FAINT = 0.3  # opacity of the cells that do not count: averages, and numbers that chose a pipeline
LETTERS = 2.1  # in the widest line of a heading, for each cell
MEASURES = {"s_nmi": "NMI of the two tasks"}
BLUE, PALE, PRINTED = "#00457c", "#a6d3f5", "#b3400a"


@figure
def scoreboard(verdicts: pd.DataFrame, heads: Mapping) -> plt.Figure:
    """Every printed cell of every paper as a small square with the symbol and the colour of its verdict.

    The legend counts the cells that count, and those that nobody could judge; the others are paler.
    `verdicts` has the columns of ``data/verdicts.csv``; `heads` maps a paper to the heading of its panel: its
    name, a new line, and what is to be said of it."""
    columns = ["table", "dataset", "task", "metric"]
    verdicts = verdicts.assign(shown=verdicts["counted"] | ~verdicts["verdict"].isin(JUDGED))
    cells = {paper: verdicts[verdicts["paper"] == paper].set_index(["method", *columns]) for paper in heads}
    panels, counted = ({paper: part[name].unstack(columns, sort=False) for paper, part in cells.items()}
                       for name in ("verdict", "shown"))
    places, height = _places({paper: panel.shape for paper, panel in panels.items()})
    fig = plt.figure(figsize=(CELL * WIDTH, CELL * height))
    fig.set_layout_engine("none")
    for paper, (left, top) in places.items():
        rows, columns = panels[paper].shape
        box = [left / WIDTH, 1 - (top + rows) / height, columns / WIDTH, rows / height]
        _board_panel(fig.add_axes(box), panels[paper], counted[paper], heads[paper])
    counts = verdicts.loc[verdicts["shown"], "verdict"].value_counts()
    handles = [Patch(facecolor=_colours(verdict)[0], edgecolor="0.6",
                     label=f"{label(verdict)} ({counts[verdict]})")
               for verdict in MEANINGS if verdict in counts]
    if pale := int((~verdicts["shown"]).sum()):
        handles.append(Patch(facecolor="none", edgecolor="none", label=f"pale: not counted ({pale})"))
    fig.legend(handles=handles, loc="lower center", ncols=4, fontsize=8, frameon=False, columnspacing=1.4,
               title="own method and others: agree / undecided / deviate", title_fontsize=8)
    return fig


@figure
def leverage(table: pd.DataFrame) -> plt.Figure:
    """Change of the score under each alternative to an open choice of ours, the largest mean change on top.

    `table` comes from ``verdicts.leverage.measured``: a dot is a row, but for d_M, which has no points, a bar
    an alternative: those with the largest mean size of a change.  The grey band is the margin of the
    verdicts, as a scale: a smaller change, too, can turn the verdict of a cell that lies near it."""
    table = table[~table["metric"].isin(RELATIVE)]
    groups = dict(list(table.groupby(["decision", "alternative", "metric", "ours"], sort=False)["change"]))
    order = sorted(groups, key=lambda name: -groups[name].abs().mean())[:MOST]
    order.sort(key=lambda name: -abs(groups[name].mean()))
    fig, ax = plt.subplots(figsize=(7.2, 1.6 + 0.37 * len(order)))
    ax.axvspan(-100 * DELTA, 100 * DELTA, color="0.92", linewidth=0)
    ax.axvline(0, color="0.3", **RULE)
    dot = {"color": BLUE, "marker": "o", "markersize": 3.5, "markerfacecolor": "white", "linestyle": ""}
    for place, name in enumerate(order):
        changes = groups[name].to_numpy()
        ax.barh(place, changes.mean(), height=0.36, color=PALE, edgecolor=BLUE, linewidth=0.8)
        ax.plot(changes, np.full(len(changes), place), **dot)
        decision, alternative, metric, ours = name
        text = f"{alternative}; ours: {ours} ({MEASURES.get(metric, metric)}, decision {decision})"
        ax.text(0.005, place - 0.25, text, transform=ax.get_yaxis_transform(), va="bottom", fontsize=8)
    ax.set(yticks=[], ylim=(len(order) - 0.6, -0.85), xlabel="change of the score (points); 0 is our choice")
    shown = f"The {len(order)} of {len(groups)} alternatives that change the score most"
    ax.set_title(shown if len(groups) > len(order) else "Alternatives, the largest change first", loc="left")
    ax.grid(False, axis="y")
    ax.spines["left"].set_visible(False)
    return legend(fig, [Patch(facecolor=PALE, edgecolor=BLUE, label="mean"),
                        Line2D([], [], label="one data set and method", **dot),
                        Patch(color="0.92", label="margin of the verdicts")])


def _colours(verdict):
    """Background and text, the same as in the tables."""
    return tuple({"transparent": "white", "inherit": "black"}.get(name, name) for name in COLOURS[verdict])


def _board_panel(ax, verdicts, counted, head):
    """One panel of the scoreboard, with the names of the data sets below."""
    known = verdicts.notna().to_numpy()
    ax.set(xlim=(0, verdicts.shape[1]), ylim=(0, len(verdicts)))
    for row, column in np.argwhere(known):
        inside, text = _colours(verdicts.iat[row, column])
        alpha = 1.0 if counted.iat[row, column] else FAINT
        ax.add_patch(Rectangle((column, row), 1, 1, facecolor=to_rgba(inside, alpha), edgecolor="white",
                               linewidth=0.6))
        ax.text(column + 0.5, row + 0.52, label(verdicts.iat[row, column])[0], color=text, alpha=alpha,
                fontsize=8, ha="center", va="center")
    ax.set_yticks(np.arange(len(verdicts)) + 0.5, verdicts.index)
    ax.invert_yaxis()
    ax.grid(False)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    name, _, counts = head.partition("\n")
    for end in ":,":
        if max(map(len, counts.split("\n"))) > LETTERS * (verdicts.shape[1] + 4):
            counts = counts.replace(f"{end} ", f"{end}\n")
    ax.set_title(counts, loc="left", fontsize=8)
    ax.annotate(name, (0, 1), (0, 18 + 9.5 * counts.count("\n")), textcoords="offset points",
                xycoords="axes fraction", fontsize=10, fontweight="bold")
    datasets = verdicts.columns.get_level_values("dataset")
    blocks = [(name, len(list(columns))) for name, columns in groupby(datasets)]
    upright = min(width for _, width in blocks) < NARROW
    start = 0
    for name, width in blocks:
        if start:
            ax.axvline(start, color="black", **RULE | {"linewidth": 0.9})
        text = name if upright else _broken(name, width)
        ax.text(start + width / 2, len(verdicts) + 0.35, text, fontsize=8, va="top", ha="center",
                rotation=90 if upright else 0, linespacing=1.1)
        start += width
    ax.set_xticks([])


def _places(shapes):
    """Left and upper end of the cells of each panel, in cells, and the height of the page. A wide panel has
    a line of its own, the last paper first; the others go below, each to the shorter of two stacks."""
    heights = {paper: HEAD + rows + FOOT for paper, (rows, _) in shapes.items()}
    wide, stacks = [], ([], [])
    for paper, (_, columns) in shapes.items():
        shorter = min(stacks, key=lambda stack: sum(map(heights.get, stack)))
        (wide if columns > WIDTH / 2 else shorter).append(paper)
    places, top = {}, 0.0
    for line in [*([[paper]] for paper in wide[::-1]), stacks]:
        left, ends = NAMES, []
        for stack in line:
            tops = list(accumulate([top, *map(heights.get, stack)]))
            places |= {paper: (left, start + HEAD) for paper, start in zip(stack, tops)}
            left += max((shapes[paper][1] for paper in stack), default=0) + NAMES + 1
            ends.append(tops[-1])
        top = max(ends)
    return places, top + 6


def _broken(name, room):
    """A name of a data set on as many lines as its columns need; about 1.6 letters fit a cell."""
    width, lines = int(1.6 * room), [""]
    for word in re.split(r"(?<=vs)|(?<=[- ])", name):
        if lines[-1] and len(lines[-1] + word) > max(width, 4):
            lines.append("")
        lines[-1] += word
    return "\n".join(line.strip() for line in lines)


@figure
def forest(frame: pd.DataFrame) -> plt.Figure:
    """Mean gain over each rival, ours with a 95 % interval beside the printed one, in points.

    The grey bar is where a perfect re-run of print would lie, the thin line the range over all pipelines.
    `frame` has ``rival, printed, ours, low, high, least, most, pipelines_least, pipelines_most``."""
    fig, ax = plt.subplots(figsize=(7.6, 1.25 + 0.34 * len(frame)))
    places = _lines(ax, frame["rival"], len(frame), "gain over the rival, points")
    perfect = ax.hlines(places, frame["least"], frame["most"], color="0.82", linewidth=9,
                        label="where a perfect re-run would lie")
    pipelines = ax.hlines(places, frame["pipelines_least"], frame["pipelines_most"], color="0.45",
                          linewidth=0.9, label="range over pipelines")
    ax.hlines(places, frame["low"], frame["high"], color=BLUE, linewidth=2.4)
    marks = ax.plot(frame["printed"], places, "D", color=PRINTED, markerfacecolor="white", label="printed")
    marks += ax.plot(frame["ours"], places, "o", color=BLUE, label="ours, 95 % interval")
    return legend(fig, [*marks, perfect, pipelines])


@figure
def specification_curve(frame: pd.DataFrame, plain: Mapping) -> plt.Figure:
    """Mean gain of each printed table on every pipeline, sorted, with its choices as dots below.

    A bar is the printed gain over the same comparisons. `frame` has ``table, pipeline, printed, ours``; a
    pipeline's name lists its choices, with commas between them, which `plain` may put in other words."""
    frame = frame.sort_values("ours", kind="stable").reset_index(drop=True)
    choices = [[f"Table {row.table}", *(plain.get(one, one) for one in row.pipeline.split(", "))]
               for row in frame.itertuples()]
    named = sorted({*chain(*choices)}, key=lambda one: (not one.startswith("Table"), one))
    heights = (2.2, 0.17 * len(named))
    fig, (top, below) = plt.subplots(2, 1, figsize=(7.6, sum(heights) + 0.7), sharex=True,
                                     height_ratios=heights)
    top.axhline(0, color="black", **RULE)
    look = {"linestyle": "", "markersize": 4}
    bars = top.hlines(frame["printed"], frame.index - 0.4, frame.index + 0.4, color=PRINTED, linewidth=1.6,
                      label="printed")
    lines = [bars, *top.plot(frame["ours"], color=BLUE, marker="o", label="ours", **look)]
    top.set_ylabel("mean gain, points")
    dots = [(x, named.index(one)) for x, each in enumerate(choices) for one in each]
    below.plot(*zip(*dots), color="0.25", marker="o", **look)
    below.set_yticks(range(len(named)), named)
    below.tick_params(axis="y", length=0)
    below.set(xticks=[], xlabel="pipelines, by our gain", ylim=(len(named) - 0.4, -0.6))
    return legend(fig, lines)


@figure
def certainty(panels: Mapping) -> plt.Figure:
    """Gain of one method by part of the evidence, with 95 % intervals, a panel for each kind of data.

    `panels` maps a title to a frame ``part, gain, low, high``."""
    longest = max(map(len, panels.values()))
    fig, axes = plt.subplots(1, len(panels), figsize=(10.4, 1.1 + 0.2 * longest), squeeze=False)
    for ax, (title, frame) in zip(axes[0], panels.items()):
        places = _lines(ax, frame["part"], longest, "gain over k-means, points")
        ax.hlines(places, frame["low"], frame["high"], color=BLUE, linewidth=1.6)
        ax.plot(frame["gain"], places, "o", color=BLUE)
        ax.set_title(title)
    return fig


@figure
def sharing(panels: Mapping) -> plt.Figure:
    """Gain of sharing by source, the least related tasks, or least agreeing views, on top.

    `panels` maps a measure to a frame ``source, gain`` of all methods and sets, whose middle half is a line,
    and one of the means, ``measure, gain`` by source; the measure stands behind the name of each."""
    longest = max(len(means) for _, means in panels.values())
    fig, axes = plt.subplots(1, len(panels), figsize=(9.2, 1.4 + 0.24 * longest), squeeze=False)
    for ax, (name, (frame, means)) in zip(axes[0], panels.items()):
        means = means.sort_values("measure")
        half = frame.groupby("source")["gain"].quantile([0.25, 0.75]).unstack().loc[means.index]
        names = [f"{source}  {Formatter.fix_minus(f'{known:.2f}')}"
                 for source, known in means["measure"].items()]
        places = _lines(ax, names, longest, "gain of sharing, points of ARI")
        ax.hlines(places, half[0.25], half[0.75], color="0.6", label="middle half of methods and sets")
        (marks,) = ax.plot(means["gain"], places, "o", color=BLUE, label="mean of methods, one source")
        ax.set_title(name)
    return legend(fig, [marks, ax.collections[0]])


@figure
def task_pairs(frame: pd.DataFrame, metric: str) -> plt.Figure:
    """Score of task 2 against that of task 1 over runs, one panel per data set, one mark per method.

    `frame` has ``dataset, method, run, 1, 2`` with fractions; titles name the correlation of each method."""
    n = frame["dataset"].nunique()
    fig, axes = plt.subplots(1, n, figsize=(max(2.6 * n, 4), 3.4), squeeze=False)
    for ax, (dataset, rows) in zip(axes[0], frame.groupby("dataset", sort=False)):
        lines = []
        for method, runs in rows.groupby("method", sort=False):
            ax.plot(100 * runs["1"], 100 * runs["2"], linestyle="", alpha=0.6, markersize=4, label=method)
            r = f"{runs[['1', '2']].corr(min_periods=3).iat[0, 1]:.2f}"
            lines.append(f"{method}: r = {Formatter.fix_minus(r)}")
        ax.set(title="\n".join([dataset, *lines]), xlabel=f"{metric}, task 1 (%)")
    axes[0][0].set_ylabel(f"{metric}, task 2 (%)")
    return legend(fig, axes[0][0].get_lines()[:])


def _lines(ax, names, longest, what):
    """Places of named lines, of as many as the longest panel has, downwards beside a rule at 0."""
    places = np.arange(len(names))
    ax.axvline(0, color="black", **RULE)
    ax.set_yticks(places, names)
    ax.set(ylim=(longest - 0.4, -0.6), xlabel=what)
    return places
