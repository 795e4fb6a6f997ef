"""Many methods on many data sets: ranks with their critical difference, all scores."""

import matplotlib.pyplot as plt
import numpy as np

from mtclib.companion.plots.look import RULE, bare, figure, legend

# Inches between two names and between two bars of a critical difference diagram.
ROW, BAR = 0.2, 0.13


@figure
def critical_difference(ranks, cd, groups):
    """Demsar's diagram: methods on an axis of mean ranks, bars over those that do not differ.

    `ranks` are by method, 1 is best; `cd` is the critical difference, drawn to scale; each of `groups` has a
    bar.  The better half of the methods has its names on the left.
    """
    ranks = ranks.sort_values(kind="stable")
    if len(ranks) < 2:
        raise ValueError("ranks: give at least two methods")
    low, high = 1, max(len(ranks), int(np.ceil(ranks.max())))
    half = (len(ranks) + 1) // 2
    top, bars = 0.75, BAR * len(groups) + 0.1
    height = top + bars + ROW * half + 0.15
    fig, ax = plt.subplots(figsize=(8.6, height))
    margin = 0.30 * (high - low)
    ax.set_xlim(low - margin, high + margin)
    ax.set_ylim(height, 0)
    ax.axis("off")
    _rank_axis(ax, low, high, top, cd)
    _bars(ax, ranks, groups, top)
    for place, (name, rank) in enumerate(ranks.items()):
        left = place < half
        row = place if left else len(ranks) - 1 - place
        y = top + bars + ROW * (row + 0.5)
        end = low - 0.03 * (high - low) if left else high + 0.03 * (high - low)
        ax.plot([rank, rank, end], [top, y, y], color="0.35", **RULE)
        text, align = (f"{name}  {rank:.2f} ", "right") if left else (f" {rank:.2f}  {name}", "left")
        ax.text(end, y, text, ha=align, va="center", fontsize=8.5)
    return fig


@figure
def score_table(scores, metric="ARI"):
    """Every score as a coloured square with its number in percent, methods in the order of the columns.

    `scores` are fractions, data sets by methods, NaN where a method is absent (a dash); the best of each data
    set is bold.
    """
    if scores.empty:
        raise ValueError("scores: there is nothing to show")
    values = 100 * scores.T
    size = (2.2 + 0.42 * values.shape[1], 1.6 + 0.24 * values.shape[0])
    fig, ax = plt.subplots(figsize=size)
    look = {"cmap": "cividis", "vmin": 0, "vmax": 100, "edgecolors": "white", "linewidth": 0.6}
    mesh = ax.pcolormesh(np.ma.masked_invalid(values.to_numpy()), **look)
    best = values.eq(values.max())
    for (row, column), value in np.ndenumerate(values.to_numpy()):
        text = "–" if np.isnan(value) else f"{value:.0f}".replace("-0", "0")
        look = {"color": "0.4" if np.isnan(value) else "white" if value < 45 else "black",
                "fontweight": "bold" if best.iat[row, column] else "normal"}  # fmt: skip
        ax.text(column + 0.5, row + 0.5, text, ha="center", va="center", fontsize=8, **look)
    ax.set_xticks(np.arange(values.shape[1]) + 0.5, values.columns, rotation=90)
    bare(ax, values.index)
    fig.colorbar(mesh, ax=ax, label=f"{metric} (%)", fraction=0.03, pad=0.02)
    return fig


@figure
def task_pairs(frame, metric):
    """Score of task 2 against that of task 1 over runs, one panel per data set, one mark per method.

    `frame` has ``dataset, method, run, 1, 2`` with fractions; titles name the correlation of each method.
    """
    datasets = list(dict.fromkeys(frame["dataset"]))
    if not datasets:
        raise ValueError("frame: it has no rows")
    size = (max(2.6 * len(datasets), 4), 3.4)
    fig, axes = plt.subplots(1, len(datasets), figsize=size, squeeze=False)
    for ax, dataset in zip(axes[0], datasets):
        lines = []
        for method, runs in frame[frame["dataset"] == dataset].groupby("method", sort=False):
            ax.plot(100 * runs["1"], 100 * runs["2"], linestyle="", alpha=0.6, markersize=4, label=method)
            flat = len(runs) < 3 or runs[["1", "2"]].std().min() == 0
            r = np.nan if flat else np.corrcoef(runs["1"], runs["2"])[0, 1]
            lines.append(f"{method}: r = {r:.2f}")
        ax.set(title="\n".join([dataset, *lines]), xlabel=f"{metric}, task 1 (%)")
    axes[0][0].set_ylabel(f"{metric}, task 2 (%)")
    legend(fig, axes[0][0].get_lines()[:])
    return fig


def _rank_axis(ax, low, high, y, cd):
    line = {"color": "black", "linestyle": "-", "marker": ""}
    ax.plot([low, high], [y, y], linewidth=1.2, **line)
    for rank in range(low, high + 1):
        ax.plot([rank, rank], [y - 0.06, y], linewidth=1, **line)
        ax.text(rank, y - 0.1, str(rank), ha="center", va="bottom", fontsize=8.5)
    ax.plot([low, low + cd], [0.3, 0.3], linewidth=1.2, **line)
    for end in (low, low + cd):
        ax.plot([end, end], [0.24, 0.36], linewidth=1.2, **line)
    ax.text(low + cd / 2, 0.22, f"critical difference {cd:.2f}", ha="center", va="bottom", fontsize=8.5)
    ax.text(high, 0.3, "mean rank, 1 is best", ha="right", va="center", fontsize=8.5)


def _bars(ax, ranks, groups, top):
    for number, names in enumerate(groups):
        y = top + BAR * (number + 1)
        ends = [ranks[names].min() - 0.08, ranks[names].max() + 0.08]
        ax.plot(ends, [y, y], color="#b3400a", linewidth=3.5, linestyle="-", marker="", solid_capstyle="butt")
