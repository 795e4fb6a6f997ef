"""The figure about running on many workers; its frame comes from ``mtclib.companion.scaling``."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, NullLocator

from mtclib.companion.plots.look import RULE, figure

TIMES = {10: "10 s", 60: "1 min", 600: "10 min", 3600: "1 h", 36000: "10 h"}
APART = 0.045
"""Least distance of two labels, as a part of the height of the axes."""


@figure
def makespans(frame):
    """Time of a full run against the number of workers, a line a paper, both axes logarithmic.

    Parameters
    ----------
    frame : DataFrame
        ``paper, workers, seconds, efficiency``, one row a paper and number of workers, as from
        :func:`mtclib.companion.scaling.curve`.

    Returns
    -------
    matplotlib.figure.Figure
        Grey lines are the work shared out evenly, without any loss.

    Raises
    ------
    ValueError
        The frame is empty or lacks a column.

    Examples
    --------
    >>> import pandas as pd
    >>> fig = makespans(pd.DataFrame({"paper": "toy", "workers": [1, 10], "seconds": [90.0, 12.0],
    ...                               "efficiency": [1.0, 0.75]}))
    >>> fig.axes[0].texts[0].get_text(), fig.axes[0].get_lines()[0].get_ydata().tolist()
    ('toy', [90.0, 9.0])
    """
    lacking = {"paper", "workers", "seconds", "efficiency"} - set(frame.columns)
    if lacking:
        raise ValueError(f"frame lacks the columns {sorted(lacking)}")
    if frame.empty:
        raise ValueError("frame is empty: simulate at least one number of workers")
    fig, ax = plt.subplots(figsize=(6.4, 4.2))
    ends = {}
    # Drawn first, in all, so that the lines of the papers lie above them.
    for _, rows in frame.groupby("paper", sort=False):
        ax.plot(rows["workers"], rows["efficiency"] * rows["seconds"], color="0.7", **RULE)
    ax.set_prop_cycle(plt.rcParams["axes.prop_cycle"])
    for paper, rows in frame.groupby("paper", sort=False):
        (line,) = ax.plot(rows["workers"], rows["seconds"])
        ends[paper] = rows["workers"].iloc[-1], rows["seconds"].iloc[-1], line.get_color()
    _axes(ax, frame)
    _labels(ax, ends)
    return fig


def _axes(ax, frame):
    ax.set(xscale="log", yscale="log", xlabel="workers, one thread each", ylabel="time of the whole run")
    workers = [number for number in (1, 10, 100, 1000) if number <= frame["workers"].max()]
    ax.xaxis.set_major_locator(FixedLocator(workers))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    ax.yaxis.set_major_locator(FixedLocator(list(TIMES)))
    ax.yaxis.set_major_formatter(FixedFormatter(list(TIMES.values())))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.set_ylim(frame["seconds"].min() / 3, frame["seconds"].max() * 1.6)


def _labels(ax, ends):
    """Names at the ends of the lines, moved apart where they would cover each other."""
    low, high = np.log(ax.get_ylim())
    at = -np.inf
    for paper, (x, y, color) in sorted(ends.items(), key=lambda item: item[1][1]):
        at = max((np.log(y) - low) / (high - low), at + APART)
        ax.annotate(paper, (x, np.exp(low + at * (high - low))), xytext=(8, 0), textcoords="offset points",
                    va="center", color=color, annotation_clip=False)
