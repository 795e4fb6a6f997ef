"""Clusters of a user's own data: how many there may be, and where the samples lie."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from matplotlib.lines import Line2D
from sklearn.decomposition import PCA, TruncatedSVD

from mtclib.companion.plots.look import figure, legend, panels
from mtclib.companion.userdata.number import Candidates

_MARKERS = "os^DvP*X"
_DRAWN = 10_000
_TASKS = 60  # a taller picture is more than matplotlib can write


@figure
def embedding(Xs: Sequence, labels: np.ndarray | list, names: Sequence[str], title: str = "",
              groups: Sequence[str] | None = None, agreement: Sequence | None = None) -> plt.Figure:
    """Every task or view in two dimensions, with one colour and marker per cluster or group.

    Dense data by principal components, sparse data by truncated singular vectors, which need no centring.  Of
    many samples a random part is drawn, of more than sixty tasks or views the first.  `labels` are one array
    per task, or one in all for views, with names of `groups` the numbers of these; `names` are the titles of
    the panels.  With the `agreement` of others, arrays like the labels, samples that fewer than half of them
    put there are hollow."""
    each = labels if isinstance(labels, list) else [labels] * len(Xs)
    if [len(y) for y in each] != [X.shape[0] for X in Xs]:
        raise ValueError(f"labels: {[len(y) for y in each]} labels for {[X.shape[0] for X in Xs]} samples")
    if len(Xs) > _TASKS:
        title += f": the first {_TASKS} of {len(Xs)}"
        Xs, each = Xs[:_TASKS], each[:_TASKS]
        agreement = agreement[:_TASKS] if agreement else None
    fig, axes = panels(len(Xs), 3.1, 2.9, (0.2, 0.5), most=3)
    looks = _cluster_looks(max(int(y.max()) for y in each) + 1)
    sure = [np.ones(len(y)) for y in each] if agreement is None else (
        [*agreement] * (len(Xs) // len(agreement)))
    for ax, X, y, share, name in zip(axes.ravel(), Xs, each, sure, names):
        _scatter(ax, X, np.asarray(y), looks, share < 0.5)
        ax.set_title(name)
    fig.suptitle(title)
    used = sorted({int(k) for y in each for k in np.unique(y)})
    called = groups or [f"cluster {k + 1}" for k in range(len(looks))]
    keys = [Line2D([], [], label=called[k], linestyle="", **looks[k]) for k in used]
    if any((share < 0.5).any() for share in sure):
        keys.append(Line2D([], [], label="most others disagree", linestyle="", marker="o", color="0.4",
                           markerfacecolor="none"))
    return legend(fig, keys)


@figure
def number_of_clusters(found: Candidates) -> plt.Figure:
    """The eigengap of each number of clusters, and the clusters that each candidate would give.

    `found` is as from ``userdata.number.candidates``; of views the first is drawn, of tasks the first sixty.
    """
    tasks = list(dict.fromkeys(found.table["task"]))[:_TASKS]
    columns = 1 + found.table["task"].value_counts().max()
    size = (2.4 * columns, 0.5 + 2.1 * len(tasks))
    fig, axes = plt.subplots(len(tasks), columns, figsize=size, squeeze=False)
    for row, task in zip(axes, tasks):
        gaps, marked = (frame[frame["task"] == task] for frame in (found.gaps, found.table))
        row[0].plot(gaps["k"], gaps["gap"], marker="o", markersize=3)
        chosen = gaps[gaps["k"].isin(marked["clusters"])]
        row[0].plot(chosen["k"], chosen["gap"], "s", markersize=9, markerfacecolor="none", color="0.2")
        row[0].set(title=f"{task}: eigengap", xlabel="clusters")
        row[0].locator_params("x", integer=True)
        for ax, k in zip(row[1:], marked["clusters"]):
            _scatter(ax, found.Xs[task], found.labels[task, k], _cluster_looks(k))
            ax.set_title(f"{k} clusters")
        for ax in row[1 + len(marked):]:
            ax.remove()
    return fig


def _cluster_looks(n):
    """Colour and marker of each cluster; the pairs differ for up to 48 clusters."""
    colours = plt.rcParams["axes.prop_cycle"].by_key()["color"]
    return [{"color": colours[k % len(colours)], "marker": _MARKERS[(k + k // len(colours)) % len(_MARKERS)]}
            for k in range(n)]


def _scatter(ax, X, y, looks, hollow=False):
    hollow = np.broadcast_to(hollow, len(y))
    if len(y) > _DRAWN:
        rows = np.sort(np.random.default_rng(0).choice(len(y), _DRAWN, replace=False))
        ax.annotate(f"{_DRAWN:,} of {len(y):,} samples", (0.02, 0.98), xycoords="axes fraction", va="top",
                    fontsize="x-small")
        X, y, hollow = X[rows], y[rows], hollow[rows]
    points, shares = _two_dimensions(X)
    for k in np.unique(y):
        (colour, marker), empty = looks[int(k)].values(), hollow[y == k]
        ax.scatter(*points[y == k].T, s=18, marker=marker, rasterized=True,
                   facecolors=np.where(empty, "none", colour), edgecolors=np.where(empty, colour, "white"),
                   linewidths=np.where(empty, 0.7, 0.3))
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
    model = (TruncatedSVD if sp.issparse(X) else PCA)(width, random_state=0)
    with np.errstate(invalid="ignore"):  # equal samples have no variance to share
        points[:, :width] = model.fit_transform(X)
    shares[:width] = np.nan_to_num(model.explained_variance_ratio_)
    return points, shares
