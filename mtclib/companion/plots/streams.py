"""Sequences of tasks: transfer, forgetting, order and cost; frames come from ``benchmarks.lmsc_streams``."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.ticker import MaxNLocator

from mtclib.companion.plots.look import RULE, band_line, figure, legend, mean_interval, plain, score_name


@figure
def transfer_curve(frame: pd.DataFrame) -> plt.Figure:
    """Score of each task learned with and without libraries, and its gain, by the number of tasks seen.

    One column per data set: scores above, paired differences below.  Lines are means over seeds, bands their
    95 % t intervals.
    """
    n = frame["dataset"].nunique()
    fig, axes = plt.subplots(2, n, figsize=(max(4.4, 3.4 * n), 4.4), sharex="col", sharey="row",
                             squeeze=False, height_ratios=(3, 2))
    for (above, below), (name, rows) in zip(axes.T, frame.groupby("dataset", sort=False)):
        for knowledge, runs in rows.groupby("knowledge", sort=False):
            _mean_line(above, runs.pivot(index="position", columns="seed", values="value"), knowledge)
        table = rows.pivot(index=["position", "seed"], columns="knowledge", values="value")
        gain = (table["with libraries"] - table["without"]).unstack("seed")
        _mean_line(below, gain, "difference, of the same tasks", color="0.35", marker="D", linestyle="-")
        below.axhline(0, color="0", **RULE)
        above.set_title(name)
        below.set_xlabel("tasks seen")
        _count_tasks(below)
    axes[0, 0].set_ylabel(score_name(frame["metric"].iloc[0]))
    axes[1, 0].set_ylabel("gain (points)")
    legend(fig, [*axes[0, 0].get_lines(), axes[1, 0].get_lines()[0]])
    return fig


@figure
def forgetting_curve(frame: pd.DataFrame) -> plt.Figure:
    """Task 1 clustered anew after each task: agreement with its classes and with its first labels.

    One panel per data set.  Lines are means over seeds, bands their 95 % t intervals; the one without markers
    is the agreement of the first labels with the classes.
    """
    n = frame["dataset"].nunique()
    fig, axes = plt.subplots(1, n, figsize=(max(4.4, 3.4 * n), 3.2), sharey=True, squeeze=False)
    for ax, (name, rows) in zip(axes[0], frame.groupby("dataset", sort=False)):
        for against, runs in rows.groupby("against", sort=False):
            table = runs.pivot(index="tasks_seen", columns="seed", values="value")
            _mean_line(ax, table, f"clustered anew, against {against}")
        first = rows.loc[rows["against"] == "classes", "at_arrival"].mean()
        ax.axhline(100 * first, color="0", label="labels at arrival, against classes", **RULE)
        ax.set(title=name, xlabel="tasks seen")
        _count_tasks(ax)
    axes[0, 0].set_ylabel(f"{score_name(frame['metric'].iloc[0])} of task 1")
    legend(fig, axes[0, 0].get_lines()[:])
    return fig


@figure
def order_spread(frame: pd.DataFrame) -> plt.Figure:
    """What the order of the tasks changes: the score of a task by its position, and of orders as a whole.

    One row per data set.  Left, by position, how far a task is above its own mean over orders: dots are
    tasks, the line is their mean with its 95 % t interval.  Right, one dot per order, its mean over tasks.
    """
    n = frame["dataset"].nunique()
    fig, axes = plt.subplots(n, 2, figsize=(6.8, 0.6 + 2.2 * n), squeeze=False, width_ratios=(2, 1))
    for (left, right), (name, rows) in zip(axes, frame.groupby("dataset", sort=False)):
        above = rows["value"] - rows.groupby(["seed", "task"])["value"].transform("mean")
        left.plot(rows["position"], 100 * above, linestyle="", marker=".", color="0.7", zorder=1,
                  markeredgewidth=0, label="a task in one order")
        runs = rows.assign(above=above).pivot(index="position", columns=["seed", "order"], values="above")
        _mean_line(left, runs, "mean over tasks")
        left.set(title=name, xlabel="position", ylabel="points above its mean")
        _count_tasks(left)
        means = rows.groupby(["seed", "order"])["value"].mean().reset_index()
        seeds = {seed: place for place, seed in enumerate(dict.fromkeys(means["seed"]))}
        right.plot(means["seed"].map(seeds), 100 * means["value"], linestyle="", marker="o",
                   markerfacecolor="none", markeredgewidth=1)
        right.set_xticks(range(len(seeds)), seeds)
        right.set(title="each order", xlabel="seed of the tasks", xlim=(-0.5, len(seeds) - 0.5),
                  ylabel=f"mean {score_name(frame['metric'].iloc[0])}")
    legend(fig, axes[0, 0].get_lines()[:])
    return fig


@figure
def stream_costs(frame: pd.DataFrame) -> plt.Figure:
    """Seconds for the newest task, and bytes to keep for the next, by the number of tasks seen.

    One line per method, medians where there are several runs, of one data set.
    """
    fig, axes = plt.subplots(1, 2, figsize=(6.8, 3.2))
    for number, (method, runs) in enumerate(frame.groupby("method", sort=False)):
        medians = runs.groupby("tasks_seen")[["seconds", "bytes"]].median()
        # Of many tasks, only some get a mark, which would hide the line; equal lines lie within each other.
        look = {"label": method, "markevery": max(1, len(medians) // 8),
                "linewidth": max(2.6 - 0.8 * number, 1), "markersize": max(7 - 1.5 * number, 3)}
        axes[0].plot(medians.index, medians["seconds"], **look)
        axes[1].plot(medians.index, medians["bytes"] / 1000, **look)
    for ax, name in zip(axes, ("seconds", "kilobytes kept")):
        ax.set(yscale="log", xlabel="tasks seen", ylabel=name)
        _count_tasks(ax)
        plain(ax.yaxis)
    legend(fig, axes[0].get_lines()[:])
    return fig


def _mean_line(ax, table, name, **look):
    """Mean over the columns, in percent, with its t interval; a single column has none."""
    mean, low, high = mean_interval(100 * table)
    return band_line(ax, table.index, mean, low, high.clip(upper=100), name, **look)


def _count_tasks(ax):
    ax.set_xlim(left=0.5)
    ax.xaxis.set_major_locator(MaxNLocator(8, integer=True))

