"""Self-paced learning: the weight rules, and who joins when."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np

from mtclib.companion.plots.look import RULE, figure, legend, panels
from mtclib.maths.selfpaced import hard_weights, smooth_weights

COLOURS = "viridis"


@figure
def weight_functions(thresholds: Sequence[float], sharpness: Sequence[float]) -> plt.Figure:
    """Weights against the loss, smooth (lines) and hard (steps), for several 1/lambda: MSPL's Figure 1.

    One panel per kappa in `sharpness`; the losses reach up to twice the largest threshold.
    """
    losses = np.linspace(0.0, 2.0 * max(thresholds), 400)
    size = (1.2 + 2.8 * len(sharpness), 3.0)
    fig, axes = plt.subplots(1, len(sharpness), figsize=size, sharey=True, squeeze=False)
    shades = plt.get_cmap(COLOURS)(np.linspace(0.0, 0.85, len(thresholds)))
    for ax, kappa in zip(axes[0], sharpness):
        for number, (threshold, colour) in enumerate(zip(thresholds, shades)):
            # Each threshold has its marker, at places of its own: colour is not alone.
            look = {"color": colour, "marker": "os^Dv"[number % 5], "markevery": (10 * number, 50)}
            ax.plot(losses, smooth_weights(losses, threshold, kappa), linestyle="-", **look,
                    label=f"smooth, 1/λ = {threshold:g}")
            ax.plot(losses, hard_weights(losses, threshold), linestyle="--", linewidth=1.0, **look,
                    label=f"hard, 1/λ = {threshold:g}")
        ax.set(xlabel="loss", title=f"κ = {kappa:g}")
    axes[0][0].set_ylabel("weight")
    legend(fig, axes[0][0].get_lines()[:])
    return fig


@figure
def selection(views: Sequence[np.ndarray], order: np.ndarray, labels: np.ndarray) -> plt.Figure:
    """The round in which each pair of a sample and a view is taken in: MSPL's Figure 2.

    `views` are plane points, one panel each, dark ones first; `order` is ``selection_order_`` of shape
    (n_views, n), -1 for never.  The last panel shows all samples by view, sorted by `labels`.
    """
    order, labels = np.asarray(order), np.asarray(labels)
    last = int(order.max())
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
