"""Self-paced learning: the weight rules, who joins when, and the descent within each round."""

import matplotlib.pyplot as plt
import numpy as np

from mtclib.companion.plots.look import RULE, figure, legend, panels, plain
from mtclib.maths.selfpaced import hard_weights, smooth_weights

GROUPS = 10
COLOURS = "viridis"


@figure
def weight_functions(thresholds, sharpness=(1.0,), losses=None):
    """Weights against the loss, smooth (lines) and hard (steps), for several 1/lambda: MSPL's Figure 1.

    One panel per kappa in `sharpness`; `losses` reach up to twice the largest threshold by default.
    """
    if not len(thresholds) or min(thresholds) <= 0:
        raise ValueError(f"thresholds must be positive, at least one; got {list(thresholds)}")
    losses = np.linspace(0.0, 2.0 * max(thresholds), 400) if losses is None else losses
    size = (1.2 + 2.8 * len(sharpness), 3.0)
    fig, axes = plt.subplots(1, len(sharpness), figsize=size, sharey=True, squeeze=False)
    for ax, kappa in zip(axes[0], sharpness):
        for number, (threshold, colour) in enumerate(zip(thresholds, _shades(len(thresholds)))):
            # Each threshold has its marker, at places of its own: colour is not alone.
            look = {"color": colour, "marker": "os^Dv"[number % 5],
                    "markevery": (10 * number, max(1, len(losses) // 8))}
            ax.plot(losses, smooth_weights(losses, threshold, kappa), linestyle="-", **look,
                    label=f"smooth, 1/λ = {threshold:g}")
            ax.plot(losses, hard_weights(losses, threshold), linestyle="--", linewidth=1.0, **look,
                    label=f"hard, 1/λ = {threshold:g}")
        ax.set(xlabel="loss", title=f"κ = {kappa:g}" if len(sharpness) > 1 else "")
    axes[0][0].set_ylabel("weight")
    legend(fig, axes[0][0].get_lines()[:])
    return fig


@figure
def pace(weights, sizes, shares, name="length of the document"):
    """Mean weight of the samples in each round, by how large they are: who joins when.

    `weights` of shape (n_rounds, n) are in [0, 1]; samples are put into ten groups of equal number by
    `sizes`, called `name`, the small ones at the bottom.  `shares` are those asked for in each round.
    """
    weights, sizes = np.asarray(weights, dtype=float), np.asarray(sizes)
    if weights.ndim != 2 or weights.shape != (len(shares), sizes.size):
        raise ValueError(f"weights must have the shape ({len(shares)}, {sizes.size}), one row per round and "
                         f"one column per sample; got {weights.shape}")
    groups = np.array_split(np.argsort(sizes, kind="stable"), min(GROUPS, sizes.size))
    means = np.array([weights[:, group].mean(axis=1) for group in groups])
    fig, ax = plt.subplots(figsize=(5.2, 3.6))
    image = ax.imshow(means, origin="lower", aspect="auto", vmin=0, vmax=1, cmap=COLOURS)
    ax.set_xticks(range(len(shares)), [f"{100 * share:.0f} %" for share in shares])
    limits = [sizes[group].max() for group in groups]
    ax.set_yticks(range(len(groups)), [f"≤ {limit:.0f}" for limit in limits])
    ax.set(xlabel="round: share of samples asked for", ylabel=name)
    ax.grid(False)
    fig.colorbar(image, ax=ax, label="mean weight")
    return fig


@figure
def rounds(histories, shares):
    """Descent within each round: excess of the weighted objective over its end, relative to the start.

    `histories` maps a label to the weighted objective of each round, without the warm-up: one panel per
    label, one line per round.  Weights differ between rounds, so that only values of one round compare.
    """
    if any(len(runs) != len(shares) for runs in histories.values()):
        raise ValueError(f"histories: every label needs {len(shares)} rounds, as there are shares")
    size = (max(3.2 * len(histories), 4), 3.2)
    fig, axes = plt.subplots(1, len(histories), figsize=size, sharey=True, squeeze=False)
    for ax, (name, runs) in zip(axes[0], histories.items()):
        for run, share, colour in zip(runs, shares, _shades(len(shares))):
            run = np.asarray(run, dtype=float)
            excess = (run - run[-1]) / abs(run[0])
            look = {"color": colour, "marker": "", "label": f"{100 * share:.0f} % of the samples"}
            ax.plot(np.arange(1, len(run)), np.maximum(excess[:-1], 1e-8), **look)
        ax.set(xscale="log", yscale="log", xlabel="iteration of the round", title=name)
        plain(ax.xaxis)
    axes[0][0].set_ylabel("(J - J_end) / J_start")
    plain(axes[0][0].yaxis)
    legend(fig, axes[0][0].get_lines()[:])
    return fig


@figure
def selection(views, order, labels, n_rounds=None):
    """The round in which each pair of a sample and a view is taken in: MSPL's Figure 2.

    `views` are plane points, one panel each, dark ones first; `order` is ``selection_order_`` of shape
    (n_views, n), -1 for never.  The last panel shows all samples by view, sorted by `labels`.  `n_rounds`
    ends the colour scale; the latest round by default.
    """
    order, labels = np.asarray(order), np.asarray(labels)
    wanted = (len(views), labels.size)
    if order.shape != wanted or any(np.shape(X) != (labels.size, 2) for X in views):
        raise ValueError(f"order must have the shape {wanted} and views {labels.size} rows of two features; "
                         f"got {order.shape} and {[np.shape(X) for X in views]}")
    last = int(order.max()) if n_rounds is None else n_rounds
    rounds = np.where(order < 0, last + 1, order)
    fig, axes = panels(len(views) + 1, 3.5, 2.9, (0, 0.4))
    look = {"cmap": COLOURS, "vmin": 0, "vmax": last + 1}
    edge = 1.05 * max(np.abs(X).max() for X in views)
    for v, (ax, X) in enumerate(zip(axes.flat, views)):
        ax.scatter(*np.asarray(X).T, c=rounds[v], s=9, linewidths=0, **look)
        ax.set(title=f"view {v + 1}", box_aspect=1, xlim=(-edge, edge), ylim=(-edge, edge))
    image = _by_view(axes.flat[len(views)], rounds, labels, look)
    fig.colorbar(image, ax=list(axes.flat), label="taken in at the end of round", shrink=0.8)
    return fig


def _shades(n):
    return plt.get_cmap(COLOURS)(np.linspace(0.0, 0.85, n))


def _by_view(ax, rounds, labels, look):
    """Rounds of all samples, sorted by cluster, one column per view."""
    rows = np.argsort(labels, kind="stable")
    image = ax.imshow(rounds[:, rows].T, aspect="auto", interpolation="nearest", **look)
    ends = np.flatnonzero(np.diff(labels[rows])) + 0.5
    for end in ends:
        ax.axhline(end, color="white", **RULE | {"linewidth": 1.2})
    bounds = np.concatenate([[0], ends, [labels.size]])
    ax.set_yticks((bounds[:-1] + bounds[1:]) / 2, [f"cluster {k + 1}" for k in range(len(bounds) - 1)])
    ax.set_xticks(range(len(rounds)), [str(v + 1) for v in range(len(rounds))])
    ax.set(xlabel="view", title="samples by view", box_aspect=1)
    ax.grid(False)
    return image
