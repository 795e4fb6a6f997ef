"""Many methods on many data sets: ranks with their critical difference, cost against gain, all scores."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D

from mtclib.companion.plots.look import RULE, bare, figure, legend, ticks

# Inches between two names and between two bars of a critical difference diagram.
ROW, BAR = 0.2, 0.13
CLEAR = {"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.85}
FRONT = {"color": "0.45", "linewidth": 1.2, "linestyle": "--", "marker": ""}
# Where a name may stand beside its mark, in points, the first free place being taken.
AROUND = ((8, 0), (-8, 0), (6, -9), (-6, -9), (6, 9), (-6, 9), (0, -12), (0, 12))
PLACES = [(dx * reach, dy * reach) for reach in (1.0, 1.8, 2.8, 4.0) for dx, dy in AROUND]


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
def quality_time(frame, metric="ARI"):
    """Gain over plain k-means against the cost of a fit, one mark per method, with the front of the best.

    `frame` comes from ``Comparison.overview``.  Circles are originals, squares reconstructions; filled marks
    take tasks or views together, the others each task alone, or one view.  The line joins the methods that no
    other beats in both cost and gain.
    """
    if frame.empty:
        raise ValueError("frame: there is no method")
    fig, ax = plt.subplots(figsize=(8.6, 5.4))
    ax.set_xscale("log")
    ax.set_xlabel("time of a fit, times that of plain k-means")
    ax.set_xlim(frame["cost"].min() / 1.6, frame["cost"].max() * 2)
    decades = 10.0 ** np.arange(-3, 6)
    ticks(ax.xaxis, [tick for tick in decades if ax.get_xlim()[0] <= tick <= ax.get_xlim()[1]])
    ax.set_ylabel(f"gain over plain k-means, {metric}, points")
    ax.axhline(0, color="0.5", **RULE)
    front = _front(frame)
    ax.step(front["cost"], front["gain"], where="post", **FRONT)
    for _, row in frame.iterrows():
        ax.plot(row["cost"], row["gain"], **_mark(row["edition"], row["together"]))
    ax.margins(y=0.08)
    _name_points(fig, ax, frame)
    handles = [Line2D([], [], label=f"{edition}, {word}", **_mark(edition, together))
               for edition in ("original", "reconstruction") if (frame["edition"] == edition).any()
               for together, word in ((True, "together"), (False, "each alone"))
               if ((frame["edition"] == edition) & (frame["together"] == together)).any()]  # fmt: skip
    legend(fig, [*handles, Line2D([], [], label="best gain for the time", **FRONT)])
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


def _mark(edition, together):
    return {"marker": "o" if edition == "original" else "s", "color": "#00457c" if together else "white",
            "markeredgecolor": "black", "markeredgewidth": 1.0, "markersize": 7, "linestyle": ""}


def _front(frame):
    ordered = frame.sort_values(["cost", "gain"], ascending=[True, False], kind="stable")
    return ordered[ordered["gain"] > ordered["gain"].cummax().shift(fill_value=-np.inf)]


def _name_points(fig, ax, frame):
    """Names beside their marks, none on another or on a mark, with a thin line to those further away."""
    fig.draw_without_rendering()
    scale = fig.dpi / 72
    points = ax.transData.transform(frame[["cost", "gain"]].to_numpy(dtype=float)) / scale
    left, bottom, right, top = (end / scale for end in ax.get_window_extent().extents)
    taken = [(x - 5, y - 5, x + 5, y + 5) for x, y in points]
    for name, (x, y) in zip(frame.index, points):
        width, height = 4.9 * len(name) + 2, 10
        for dx, dy in PLACES:
            x0 = x + dx - (0 if dx > 0 else width if dx < 0 else width / 2)
            box = (x0, y + dy - height / 2, x0 + width, y + dy + height / 2)
            free = not any(_overlap(box, other) for other in taken)
            if free and left < box[0] and box[2] < right and bottom < box[1] and box[3] < top:
                break
        taken.append(box)
        align = "left" if dx > 0 else "right" if dx < 0 else "center"
        arrow = {"arrowstyle": "-", "color": "0.55", "linewidth": 0.7} if dy or abs(dx) > 12 else None
        ax.annotate(name, frame.loc[name, ["cost", "gain"]], (dx, dy), textcoords="offset points", ha=align,
                    va="center", fontsize=8.5, arrowprops=arrow, bbox=CLEAR)  # fmt: skip


def _overlap(one, two):
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]
