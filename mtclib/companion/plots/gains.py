"""What one method gains over another, set by set or source by source, and task against task."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_hex

from mtclib.companion.plots.look import RULE, figure, legend

MARKERS = "osD^"
# Height between the first and the last mark of a data set; the next one is at 1.
SPREAD = 0.5


@figure
def gains(frame, score="accuracy"):
    """Gain in points on each data set, with 95 % intervals: right of the line at zero the method is better.

    `frame` comes from ``mtclib.companion.claims.columns.paired_differences``, with ``comparison`` as the
    legend is to name it; without ``low`` and ``high`` (NaN) a mark has no whisker.  `score` is for the axis.
    """
    sets, names = (list(dict.fromkeys(frame[column])) for column in ("dataset", "comparison"))
    fig, ax = plt.subplots(figsize=(6.8, 1.1 + 0.36 * len(sets)))
    ax.axvline(0, color="black", **RULE)
    for number, (name, marker) in enumerate(zip(names, MARKERS)):
        rows = frame[frame["comparison"] == name].set_index("dataset").reindex(sets)
        # Outside the style, "C0" is another colour.
        colour = to_hex(f"C{number}")
        places = np.arange(len(sets)) + SPREAD * (number / max(len(names) - 1, 1) - 0.5)
        ax.hlines(places, rows["low"], rows["high"], color=colour, linewidth=1.6)
        ax.plot(rows["difference"], places, color=colour, marker=marker, linestyle="", label=name)
    ax.set_yticks(range(len(sets)), sets)
    ax.set_ylim(len(sets) - 0.4, -0.6)
    ax.set_xlabel(f"gain in {score}, points")
    legend(fig, ax.get_legend_handles_labels()[0])
    return fig


@figure
def certainty(panels):
    """Gain of one method by part of the evidence, with 95 % intervals, a panel for each kind of data.

    `panels` maps a title to a frame ``part, gain, low, high``.
    """
    longest = max(map(len, panels.values()))
    fig, axes = plt.subplots(1, len(panels), figsize=(10.4, 1.1 + 0.2 * longest), squeeze=False)
    for ax, (title, frame) in zip(axes[0], panels.items()):
        places = np.arange(len(frame))
        ax.axvline(0, color="black", **RULE)
        ax.hlines(places, frame["low"], frame["high"], color="#00457c", linewidth=1.6)
        ax.plot(frame["gain"], places, color="#00457c", marker="o", linestyle="")
        ax.set_yticks(places, frame["part"])
        ax.set_ylim(longest - 0.4, -0.6)
        ax.set_xlabel("gain over k-means, points")
        ax.set_title(title)
    return fig


@figure
def sharing(panels):
    """Gain of sharing against how related tasks are, or how far views agree: a panel each, a mark per source.

    `panels` maps the name of the horizontal axis to a frame ``source, gain`` of all methods and sets, whose
    middle half is a line, and one of the means, ``measure, gain``, with the sources as its index.
    """
    fig, axes = plt.subplots(1, len(panels), figsize=(8.6, 4.2), squeeze=False, sharey=True)
    for ax, (name, (frame, means)) in zip(axes[0], panels.items()):
        means = means.sort_values("measure")
        half = frame.groupby("source")["gain"].quantile([0.25, 0.75]).unstack().loc[means.index]
        ax.axhline(0, color="black", **RULE)
        look = {"color": "0.6", "label": "middle half of methods and sets"}
        ax.vlines(means["measure"], half[0.25], half[0.75], **look)
        look = {"linestyle": "", "marker": "o", "color": "#00457c", "label": "mean of methods, one source"}
        (marks,) = ax.plot(means["measure"], means["gain"], **look)
        for number, (source, row) in enumerate(means.iterrows()):
            reached = [*half.loc[source], row["gain"]]
            height = max(reached) if number % 2 else min(reached)
            ax.annotate(source, (row["measure"], height), (0, 9 if number % 2 else -9), fontsize=8,
                        textcoords="offset points", ha="center", va="center")  # fmt: skip
        ax.margins(x=0.2, y=0.12)
        ax.set_xlabel(name)
    axes[0][0].set_ylabel("gain of sharing, points of ARI")
    legend(fig, [marks, ax.collections[0]])
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
