"""Clusters of a user's own data: how many, where the samples lie, how large they are, which methods agree."""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from matplotlib.lines import Line2D
from sklearn.decomposition import PCA, TruncatedSVD

from mtclib.companion.plots.look import figure, legend
from mtclib.companion.plots.matrices import heat, written

_PANELS = 3
_MARKERS = "os^DvP*X"


@figure
def embedding(Xs, labels, names, title=""):
    """Every task or view in two dimensions, with one colour and marker per cluster.

    Dense data by principal components, sparse data by truncated singular vectors, which need no centring; the
    axes say which share of the variance they show.  `labels` are one array per task, or one in all for views;
    `names` are the titles of the panels.  Clusters of different tasks with one colour need not correspond.
    """
    each = labels if isinstance(labels, list) else [labels] * len(Xs)
    if [len(y) for y in each] != [X.shape[0] for X in Xs]:
        raise ValueError(f"labels: {[len(y) for y in each]} labels for {[X.shape[0] for X in Xs]} samples")
    columns = min(len(Xs), _PANELS)
    rows = -(-len(Xs) // columns)
    fig, axes = plt.subplots(rows, columns, figsize=(3.1 * columns + 0.2, 2.9 * rows + 0.5), squeeze=False)
    for ax in axes.ravel()[len(Xs):]:
        ax.remove()
    looks = _cluster_looks(max(int(y.max()) for y in each) + 1)
    for ax, X, y, name in zip(axes.ravel(), Xs, each, names):
        _scatter(ax, X, np.asarray(y), looks)
        ax.set_title(name)
    fig.suptitle(title)
    used = sorted({int(k) for y in each for k in np.unique(y)})
    legend(fig, [Line2D([], [], label=f"cluster {k + 1}", linestyle="", **looks[k]) for k in used])
    return fig


@figure
def cluster_sizes(labels, names):
    """Sizes of the clusters by method, as shares of a bar, largest first; one panel per task.

    `labels` maps a method to one array per task, or one in all for views; `names` are the titles of the
    panels.  Numbers of samples stand in the parts that are wide enough.
    """
    lists = {method: found if isinstance(found, list) else [found] for method, found in labels.items()}
    if not lists or any(len(found) != len(names) for found in lists.values()):
        raise ValueError("labels must hold a method, and of each method one array for every name")
    size = (max(1.2 + 2.1 * len(names), 4), 1.1 + 0.32 * len(lists))
    fig, axes = plt.subplots(1, len(names), figsize=size, sharey=True, squeeze=False)
    for t, (ax, name) in enumerate(zip(axes[0], names)):
        for row, found in enumerate(lists.values()):
            _parts(ax, row, np.sort(np.unique(found[t], return_counts=True)[1])[::-1])
        ax.set_title(name)
        ax.set_xlabel("samples")
        ax.grid(False, axis="y")
    axes[0][0].set_yticks(range(len(lists)), list(lists))
    axes[0][0].set_ylim(len(lists) - 0.5, -0.5)
    return fig


@figure
def number_of_clusters(frame):
    """What speaks for each number of clusters, one column of panels per task; the highest value is marked.

    `frame` is that of ``userdata.number.criteria``.
    """
    tasks = list(frame["task"].unique())
    if not tasks:
        raise ValueError("frame must have a line for some task; tasks of fewer than five samples have none")
    names = [name for name in frame.columns if name not in ("task", "k")]
    size = (1.4 + 2.2 * len(tasks), 0.9 + 1.4 * len(names))
    fig, axes = plt.subplots(len(names), len(tasks), figsize=size, sharex=True, squeeze=False)
    for column, task in zip(axes.T, tasks):
        column[0].set_title(task)
        column[-1].set_xlabel("clusters")
        part = frame[frame["task"] == task]
        for ax, name in zip(column, names):
            best = part.loc[part[name].idxmax()]
            ax.plot(part["k"], part[name], marker="o", markersize=4)
            ax.plot(best["k"], best[name], marker="o", markersize=11, markerfacecolor="none", color="0.2")
            ax.set_xticks(part["k"])
    for ax, name in zip(axes[:, 0], names):
        ax.set_ylabel(name)
    return fig


@figure
def agreement(matrix):
    """Agreement of each pair of methods: adjusted Rand index, 1 for equal clusters, 0 for chance."""
    if matrix.empty or len(set(matrix.shape)) > 1:
        raise ValueError(f"matrix must be square and not empty; its shape is {matrix.shape}")
    fig, ax = plt.subplots(figsize=(2.4 + 0.62 * len(matrix), 1.4 + 0.42 * len(matrix)))
    heat(ax, matrix, written(matrix, 2), vmin=0, vmax=1, cbar_kws={"label": "adjusted Rand index"})
    ax.set_xticklabels(matrix.columns, rotation=30, ha="right", rotation_mode="anchor")
    ax.set_yticklabels(matrix.index, rotation=0)
    ax.set(xlabel="", ylabel="")
    return fig


def _cluster_looks(n):
    """Colour and marker of each cluster; the pairs differ for up to 48 clusters."""
    colours = plt.rcParams["axes.prop_cycle"].by_key()["color"]
    turns = [k // len(colours) for k in range(n)]
    return [{"color": f"#{colours[k % len(colours)]}".replace("##", "#"),
             "marker": _MARKERS[(k + turns[k]) % len(_MARKERS)]} for k in range(n)]  # fmt: skip


def _scatter(ax, X, y, looks):
    points, shares = _two_dimensions(X)
    for k in np.unique(y):
        look = {"s": 18, "linewidths": 0.3, "edgecolors": "white", "rasterized": True}
        ax.scatter(*points[y == k].T, **look, **looks[int(k)])
    kind = "singular vector" if sp.issparse(X) else "component"
    for axis, number, share in zip((ax.xaxis, ax.yaxis), (1, 2), shares):
        axis.set_label_text(f"{kind} {number} ({100 * share:.0f} %)")
        axis.set_ticklabels([])
        axis.set_tick_params(length=0)


def _two_dimensions(X):
    """Coordinates of shape (n, 2) and the shares of the variance; 0 where there are fewer dimensions."""
    # TruncatedSVD refuses a single feature.
    X = X.toarray() if sp.issparse(X) and X.shape[1] == 1 else X
    width = min(2, *X.shape)
    points, shares = np.zeros((X.shape[0], 2)), np.zeros(2)
    method = TruncatedSVD if sp.issparse(X) else PCA
    model = method(width, random_state=0)
    points[:, :width] = model.fit_transform(X)
    shares[:width] = np.nan_to_num(model.explained_variance_ratio_)
    return points, shares


def _parts(ax, row, sizes):
    """One bar of clusters, alternating between two shades."""
    starts = np.cumsum([0, *sizes[:-1]])
    for number, (start, size) in enumerate(zip(starts, sizes)):
        ax.barh(row, size, left=start, height=0.7, color=("#a6d3f5", "#d9d9d9")[number % 2], edgecolor="0.35",
                linewidth=0.8)  # fmt: skip
        if size >= 0.12 * sizes.sum():
            ax.text(start + size / 2, row, str(size), ha="center", va="center", fontsize=8)
