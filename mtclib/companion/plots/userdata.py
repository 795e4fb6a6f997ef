"""Clusters of a user's own data: how many there may be, and where the samples lie."""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from matplotlib.lines import Line2D
from sklearn.decomposition import PCA, TruncatedSVD

from mtclib.companion.plots.look import figure, legend

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
def number_of_clusters(frame):
    """What speaks for each number of clusters, one column of panels per task; the highest value is marked.

    `frame` is that of ``userdata.number.criteria``.
    """
    tasks = list(frame["task"].unique())
    if not tasks:
        raise ValueError("frame must have a line for some task; tasks of fewer than four samples have none")
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
            ax.plot(best["k"], best[name], marker="s", markersize=11, markerfacecolor="none", color="0.2")
            ax.set_xticks(part["k"])
            ax.margins(y=0.2)  # room for the mark
    for ax, name in zip(axes[:, 0], names):
        ax.set_ylabel(name)
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
