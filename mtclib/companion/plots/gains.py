"""What one method gains over another, set by set or source by source, and task against task."""

from collections.abc import Mapping
from itertools import chain

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from mtclib.companion.plots.look import RULE, figure, legend

PRINTED, OURS = "#b3400a", "#00457c"


@figure
def forest(frame: pd.DataFrame) -> plt.Figure:
    """Mean gain over each rival, ours with a 95 % interval beside the printed one, in points.

    The grey bar is where a perfect re-run of print would lie, the thin line the range over all pipelines.
    `frame` has ``rival, printed, ours, low, high, least, most, pipelines_least, pipelines_most``.
    """
    fig, ax = plt.subplots(figsize=(7.6, 1.25 + 0.34 * len(frame)))
    places = _lines(ax, frame["rival"], len(frame), "gain over the rival, points")
    perfect = ax.hlines(places, frame["least"], frame["most"], color="0.82", linewidth=9,
                        label="where a perfect re-run would lie")
    pipelines = ax.hlines(places, frame["pipelines_least"], frame["pipelines_most"], color="0.45",
                          linewidth=0.9, label="range over pipelines")
    ax.hlines(places, frame["low"], frame["high"], color=OURS, linewidth=2.4)
    marks = ax.plot(frame["printed"], places, "D", color=PRINTED, markerfacecolor="white", label="printed")
    marks += ax.plot(frame["ours"], places, "o", color=OURS, label="ours, 95 % interval")
    legend(fig, [*marks, perfect, pipelines])
    return fig


@figure
def specification_curve(frame: pd.DataFrame) -> plt.Figure:
    """Mean gain of each printed table on every pipeline, sorted, with its choices as dots below.

    A bar is the printed gain over the same comparisons. `frame` has ``table, pipeline, printed, ours``; a
    pipeline's name lists its choices, with commas between them.
    """
    frame = frame.sort_values("ours", kind="stable").reset_index(drop=True)
    choices = [[f"Table {row.table}", *row.pipeline.split(", ")] for row in frame.itertuples()]
    named = sorted({*chain(*choices)}, key=lambda one: (not one.startswith("Table"), one))
    heights = (2.2, 0.17 * len(named))
    fig, (top, below) = plt.subplots(2, 1, figsize=(7.6, sum(heights) + 0.7), sharex=True,
                                     height_ratios=heights)
    top.axhline(0, color="black", **RULE)
    look = {"linestyle": "", "markersize": 4}
    bars = top.hlines(frame["printed"], frame.index - 0.4, frame.index + 0.4, color=PRINTED, linewidth=1.6,
                      label="printed")
    lines = [bars, *top.plot(frame["ours"], color=OURS, marker="o", label="ours", **look)]
    top.set_ylabel("mean gain, points")
    dots = [(x, named.index(one)) for x, each in enumerate(choices) for one in each]
    below.plot(*zip(*dots), color="0.25", marker="o", **look)
    below.set_yticks(range(len(named)), named)
    below.tick_params(axis="y", length=0)
    below.set(xticks=[], xlabel="pipelines, by our gain", ylim=(len(named) - 0.4, -0.6))
    legend(fig, lines)
    return fig


@figure
def certainty(panels: Mapping) -> plt.Figure:
    """Gain of one method by part of the evidence, with 95 % intervals, a panel for each kind of data.

    `panels` maps a title to a frame ``part, gain, low, high``.
    """
    longest = max(map(len, panels.values()))
    fig, axes = plt.subplots(1, len(panels), figsize=(10.4, 1.1 + 0.2 * longest), squeeze=False)
    for ax, (title, frame) in zip(axes[0], panels.items()):
        places = _lines(ax, frame["part"], longest, "gain over k-means, points")
        ax.hlines(places, frame["low"], frame["high"], color=OURS, linewidth=1.6)
        ax.plot(frame["gain"], places, "o", color=OURS)
        ax.set_title(title)
    return fig


@figure
def sharing(panels: Mapping) -> plt.Figure:
    """Gain of sharing by source, the least related tasks, or least agreeing views, on top.

    `panels` maps a measure to a frame ``source, gain`` of all methods and sets, whose middle half is a line,
    and one of the means, ``measure, gain`` by source; the measure stands behind the name of each.
    """
    longest = max(len(means) for _, means in panels.values())
    fig, axes = plt.subplots(1, len(panels), figsize=(9.2, 1.4 + 0.24 * longest), squeeze=False)
    for ax, (name, (frame, means)) in zip(axes[0], panels.items()):
        means = means.sort_values("measure")
        half = frame.groupby("source")["gain"].quantile([0.25, 0.75]).unstack().loc[means.index]
        names = [f"{source}  {known:.2f}" for source, known in means["measure"].items()]
        places = _lines(ax, names, longest, "gain of sharing, points of ARI")
        ax.hlines(places, half[0.25], half[0.75], color="0.6", label="middle half of methods and sets")
        (marks,) = ax.plot(means["gain"], places, "o", color=OURS, label="mean of methods, one source")
        ax.set_title(name)
    legend(fig, [marks, ax.collections[0]])
    return fig


@figure
def task_pairs(frame: pd.DataFrame, metric: str) -> plt.Figure:
    """Score of task 2 against that of task 1 over runs, one panel per data set, one mark per method.

    `frame` has ``dataset, method, run, 1, 2`` with fractions; titles name the correlation of each method.
    """
    n = frame["dataset"].nunique()
    fig, axes = plt.subplots(1, n, figsize=(max(2.6 * n, 4), 3.4), squeeze=False)
    for ax, (dataset, rows) in zip(axes[0], frame.groupby("dataset", sort=False)):
        lines = []
        for method, runs in rows.groupby("method", sort=False):
            ax.plot(100 * runs["1"], 100 * runs["2"], linestyle="", alpha=0.6, markersize=4, label=method)
            lines.append(f"{method}: r = {runs[['1', '2']].corr(min_periods=3).iat[0, 1]:.2f}")
        ax.set(title="\n".join([dataset, *lines]), xlabel=f"{metric}, task 1 (%)")
    axes[0][0].set_ylabel(f"{metric}, task 2 (%)")
    legend(fig, axes[0][0].get_lines()[:])
    return fig


def _lines(ax, names, longest, what):
    """Places of named lines, of as many as the longest panel has, downwards beside a rule at 0."""
    places = np.arange(len(names))
    ax.axvline(0, color="black", **RULE)
    ax.set_yticks(places, names)
    ax.set(ylim=(longest - 0.4, -0.6), xlabel=what)
    return places
