"""Our scores beside the printed ones, and the verdicts on them.

The five papers in one picture: every printed cell by its verdict, and how many cells and claims hold.
"""

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap, to_hex
from matplotlib.patches import Patch

from mtclib.companion.plots.look import MARK, figure, legend
from mtclib.companion.tables import COLOURS, MEANINGS, OURS_SD, PUBLISHED_SD, label, task_name

# Of a panel of the grid of verdicts: as wide as a page of a notebook.
MOST_COLUMNS = 28


@figure
def preprocessing(frame, printed=None, metric="ACC"):
    """Our baseline under each preprocessing, beside the printed value of each task.

    Parameters
    ----------
    frame : DataFrame
        ``weighting`` (name of the preprocessing), ``task`` and ``value`` (fraction), one row a run.
    printed : mapping of str to float, optional
        Task to the paper's value, a fraction; a vertical line.
    metric : str, default="ACC"
        Name on the axis.

    Returns
    -------
    matplotlib.figure.Figure
        Dots are means over the runs, whiskers reach from the smallest to the largest.

    Raises
    ------
    ValueError
        `frame` is empty.

    Examples
    --------
    >>> frame = pd.DataFrame({"weighting": ["tf", "tf-idf"], "task": "1", "value": [0.3, 0.8]})
    >>> [text.get_text() for text in preprocessing(frame, {"1": 0.31}).axes[0].get_yticklabels()]
    ['tf', 'tf-idf']
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
    """Our score and the printed one for each method, one panel a task, with standard deviations.

    Parameters
    ----------
    verdicts : DataFrame
        Judged cells of one data set: ``method, task, metric, published, ours`` and their standard deviations.
    metric : str, default="ACC"
        Printed name of the metric.

    Returns
    -------
    matplotlib.figure.Figure
        A method that was not run has the printed mark only.

    Raises
    ------
    ValueError
        No cell of this metric.

    Examples
    --------
    >>> cell = {"method": "SNMF", "task": "1", "metric": "ACC", "published": 0.8, "published_std": 0.0}
    >>> fig = scores_by_method(pd.DataFrame([cell | {"ours": 0.82, "ours_std": 0.01}]))
    >>> fig.axes[0].get_title(), [text.get_text() for text in fig.legends[0].get_texts()]
    ('Task 1', ['printed', 'ours'])
    """
    chosen = verdicts[verdicts["metric"] == metric]
    rows = list(dict.fromkeys(chosen["method"]))
    fig, axes = _dot_panels(rows, list(dict.fromkeys(chosen["task"])), metric)
    handles = []
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
def verdict_grid(verdicts):
    """Every printed cell as a coloured square with the symbol of its verdict; a panel a paper, or several.

    A paper with more than `MOST_COLUMNS` columns goes on in a further panel, from a data set on.

    Parameters
    ----------
    verdicts : DataFrame
        Judged cells: ``paper, table, dataset, task, method, metric, verdict``.

    Returns
    -------
    matplotlib.figure.Figure
        The legend names each verdict in use and counts its cells.

    Raises
    ------
    ValueError
        `verdicts` is empty.

    Examples
    --------
    >>> cell = {"paper": "p", "table": "3", "dataset": "toy", "task": "1", "method": "SNMF", "metric": "ACC"}
    >>> fig = verdict_grid(pd.DataFrame([cell | {"verdict": "agrees"}]))
    >>> fig.axes[0].texts[0].get_text(), fig.legends[0].get_texts()[0].get_text()
    ('✓', '✓ agrees (1)')
    """
    if verdicts.empty:
        raise ValueError("verdicts: the frame has no cell")
    papers = [(paper, wide_verdicts(cells)) for paper, cells in verdicts.groupby("paper", sort=False)]
    panels = [(f"{paper}, continued" if number else paper, part) for paper, wide in papers
              for number, part in enumerate(_parts(wide))]
    longest = max(wide.shape[1] for _, wide in panels)
    datasets = max(len(set(wide.columns.get_level_values("dataset"))) for _, wide in papers)
    narrow = longest > 12 or datasets > 1
    heights = [0.27 * len(wide) + (1.9 if narrow else 0.9) for _, wide in panels]
    size = (max(1.6 + (0.27 if narrow else 0.62) * longest, 5), sum(heights) + 0.8)
    fig, axes = plt.subplots(len(panels), 1, figsize=size, height_ratios=heights, squeeze=False)
    for ax, (paper, wide) in zip(axes[:, 0], panels):
        _squares(ax, wide, narrow)
        ax.set_xlim(0, longest)
        ax.set_title(paper if narrow else f"{paper}: {wide.columns[0][1]}", loc="left")
    counts = verdicts["verdict"].value_counts()
    used = [verdict for verdict in MEANINGS if verdict in counts]
    handles = [Patch(facecolor=fill(v), edgecolor="0.5", label=f"{label(v)} ({counts[v]})") for v in used]
    if any(wide.isna().any(axis=None) for _, wide in panels):
        handles.append(Patch(facecolor="none", edgecolor="none", label="empty: not printed"))
    legend(fig, handles)
    return fig


def _dot_panels(rows, tasks, metric):
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


def wide_verdicts(cells):
    """Verdicts with methods as rows and columns (table, dataset, task, metric), as they are printed."""
    keys = {"index": "method", "columns": ["table", "dataset", "task", "metric"], "values": "verdict"}
    return cells.pivot_table(**keys, aggfunc="first", sort=False)


def _parts(wide):
    """The columns of a paper in parts that are not too wide, cut between data sets."""
    blocks, parts = list(dict.fromkeys((table, dataset) for table, dataset, *_ in wide.columns)), [[]]
    sizes = pd.Series([column[:2] for column in wide.columns]).value_counts()
    for block in blocks:
        if parts[-1] and sum(sizes[one] for one in parts[-1]) + sizes[block] > MOST_COLUMNS:
            parts.append([])
        parts[-1].append(block)
    chosen = [wide.loc[:, [column[:2] in part for column in wide.columns]] for part in parts]
    return [part.dropna(how="all") for part in chosen]


def _squares(ax, wide, narrow):
    """The grid of one paper, with a gap after each data set; what is not printed stays empty."""
    squares(ax, wide, fontsize=10, edgecolors="0.6", linewidth=0.6)
    heads = [(dataset * narrow, task_name(task), metric) for _, dataset, task, metric in wide.columns]
    names = [(" " if narrow else "\n").join(part for part in head if part) for head in heads]
    ax.set_xticks(np.arange(len(names)) + 0.5, names, rotation=90 if narrow else 0)
    for column in np.flatnonzero([one[:2] != two[:2] for one, two in zip(wide.columns, wide.columns[1:])]):
        ax.axvline(column + 1, color="black", linewidth=1.5, linestyle="-", marker="")


def squares(ax, wide, fontsize, **edges):
    """Coloured squares with the symbols of the verdicts, methods as rows; axes without lines of their own.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    wide : DataFrame
        From :func:`wide_verdicts`.
    fontsize : float
        Of the symbols.
    **edges
        Passed to ``ax.pcolormesh``.
    """
    used = [verdict for verdict in COLOURS if (wide == verdict).any(axis=None)]
    codes = sum((wide == verdict).to_numpy() * (number + 1) for number, verdict in enumerate(used))
    colours = ListedColormap([fill(verdict) for verdict in used])
    ax.pcolormesh(np.ma.masked_equal(codes, 0), cmap=colours, vmin=0.5, vmax=len(used) + 0.5, **edges)
    for (row, column), verdict in np.ndenumerate(wide.to_numpy()):
        if isinstance(verdict, str):
            colour = COLOURS[verdict][1].replace("inherit", "black")
            ax.text(column + 0.5, row + 0.52, label(verdict)[0], color=colour, fontsize=fontsize,
                    ha="center", va="center")  # fmt: skip
    ax.set_yticks(np.arange(len(wide)) + 0.5, wide.index)
    ax.invert_yaxis()
    ax.grid(False)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def fill(verdict):
    """Background of a verdict; white where the tables leave it transparent."""
    return COLOURS[verdict][0].replace("transparent", "white")

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
        From ``mtclib.companion.papers.scoreboard.all_verdicts``.
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
