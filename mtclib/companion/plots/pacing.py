"""Figures about self-paced learning: who joins when, each round's descent, and robustness to noise.

Figures about views: weights and losses, who is taken in when, scores by iteration, weights of views.
"""

import matplotlib.pyplot as plt
import numpy as np

from mtclib.companion.plots.look import band_line, figure, legend, plain
from mtclib.maths.selfpaced import hard_weights, smooth_weights

GROUPS = 10


@figure
def pace(weights, sizes, shares, name="length of the document"):
    """Mean weight of the samples in each round, by how large they are: who joins when.

    Parameters
    ----------
    weights : ndarray of shape (n_rounds, n)
        Weights in [0, 1] round by round.
    sizes : ndarray of shape (n,)
        What easiness is set against; samples are put into ten groups of equal number.
    shares : array-like of shape (n_rounds,)
        Share of samples asked for in each round.
    name : str
        What `sizes` are.

    Returns
    -------
    matplotlib.figure.Figure
        Rows from small (bottom) to large (top), columns are rounds.

    Raises
    ------
    ValueError
        Shapes do not fit.

    Examples
    --------
    >>> fig = pace(np.array([[1.0] * 10 + [0.0] * 10, [1.0] * 20]), np.arange(20), [0.5, 1.0])
    >>> fig.axes[0].get_xticklabels()[0].get_text()
    '50 %'
    """
    weights, sizes = np.asarray(weights, dtype=float), np.asarray(sizes)
    if weights.ndim != 2 or weights.shape != (len(shares), sizes.size):
        raise ValueError(f"weights must have the shape ({len(shares)}, {sizes.size}), a row a round and "
                         f"a column a sample; got {weights.shape}")
    groups = np.array_split(np.argsort(sizes, kind="stable"), min(GROUPS, sizes.size))
    means = np.array([weights[:, group].mean(axis=1) for group in groups])
    fig, ax = plt.subplots(figsize=(5.2, 3.6))
    image = ax.imshow(means, origin="lower", aspect="auto", vmin=0, vmax=1, cmap="viridis")
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

    Parameters
    ----------
    histories : mapping of str to list of 1-D array-like
        Label to the weighted objective of each round, without the warm-up.
    shares : array-like
        Share of samples asked for in each round.

    Returns
    -------
    matplotlib.figure.Figure
        One panel a label, one line a round.  Weights differ between rounds, so that only one round's values
        can be compared.

    Raises
    ------
    ValueError
        Another number of rounds than of shares.

    Examples
    --------
    >>> fig = rounds({"hard": [[3, 2, 1], [4, 2]]}, [0.5, 1.0])
    >>> len(fig.axes[0].get_lines())
    2
    """
    if any(len(runs) != len(shares) for runs in histories.values()):
        raise ValueError(f"histories: every label needs {len(shares)} rounds, as there are shares")
    size = (max(3.2 * len(histories), 4), 3.2)
    fig, axes = plt.subplots(1, len(histories), figsize=size, sharey=True, squeeze=False)
    colours = plt.get_cmap("viridis")(np.linspace(0.0, 0.85, len(shares)))
    for ax, (name, runs) in zip(axes[0], histories.items()):
        for run, share, colour in zip(runs, shares, colours):
            run = np.asarray(run, dtype=float)
            excess = (run - run[-1]) / abs(run[0])
            look = {"color": colour, "marker": "", "label": f"{100 * share:.0f} % of the samples"}
            ax.plot(np.arange(1, len(run)), np.maximum(excess[:-1], 1e-8), **look)
        ax.set(yscale="log", xlabel="iteration of the round", title=name)
    axes[0][0].set_ylabel("(J - J_end) / J_start")
    plain(axes[0][0].yaxis)
    legend(fig, axes[0][0].get_lines()[:])
    return fig


@figure
def robustness(frame, metric="ACC", title="{dataset}, {kind} noise", noun="noise", band=True):
    """Score against the share of planted noise: one panel a data set and kind of noise, one line a method.

    Parameters
    ----------
    frame : DataFrame
        ``dataset, kind, share, method, value``; ``value`` a fraction, one row a run.
    metric : str, default="ACC"
        Name on the axis.
    title : str, default="{dataset}, {kind} noise"
        Of a panel.
    noun : str, default="noise"
        What there is a share of.
    band : bool, default=True
        Whether to draw a band of one standard deviation, which hides the lines where there are many.

    Returns
    -------
    matplotlib.figure.Figure
        Lines are means over runs.

    Raises
    ------
    ValueError
        The frame is empty.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("toy", "mixed", s, "A", 0.9 - s) for s in (0.0, 0.2, 0.4) for _ in range(3)]
    >>> frame = pd.DataFrame(rows, columns=["dataset", "kind", "share", "method", "value"])
    >>> robustness(frame).axes[0].get_title()
    'toy, mixed noise'
    """
    panels = list(frame[["dataset", "kind"]].drop_duplicates().itertuples(index=False, name=None))
    if not panels:
        raise ValueError("frame: it has no rows")
    columns = min(2, len(panels))
    shape = (-(-len(panels) // columns), columns)
    size = (2.7 * columns, 0.6 + 1.9 * shape[0])
    fig, axes = plt.subplots(*shape, figsize=size, sharex=True, sharey=True, squeeze=False)
    for ax, (dataset, kind) in zip(axes.flat, panels):
        rows = frame[(frame["dataset"] == dataset) & (frame["kind"] == kind)]
        for method, runs in rows.groupby("method", sort=False):
            values = 100 * runs.groupby("share")["value"].agg(["mean", "std"]).fillna(0)
            spread = values["std"] * bool(band)
            low, high = values["mean"] - spread, values["mean"] + spread
            band_line(ax, 100 * values.index, values["mean"], low, high, method)
        ax.set_title(title.format(dataset=dataset, kind=kind))
    for ax in axes[-1]:
        ax.set_xlabel(f"share of {noun} (%)")
    for ax in axes[:, 0]:
        ax.set_ylabel(f"{metric} (%)")
    for ax in list(axes.flat)[len(panels):]:
        ax.set_axis_off()
    legend(fig, axes.flat[0].get_lines()[:])
    return fig


@figure
def seconds(frame, printed=None):
    """Running times of methods, each repeat a dot, beside the printed ones.

    Parameters
    ----------
    frame : DataFrame
        ``method, repeat, seconds``.
    printed : mapping of str to float, optional
        Method to the paper's time.

    Returns
    -------
    matplotlib.figure.Figure
        Logarithmic axis.

    Raises
    ------
    ValueError
        The frame is empty, or a time is not positive.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"method": ["A", "B"], "repeat": [0, 0], "seconds": [0.1, 0.2]})
    >>> [text.get_text() for text in seconds(frame, {"A": 3.1}).axes[0].get_yticklabels()]
    ['A', 'B']
    """
    if frame.empty or (frame["seconds"] <= 0).any():
        raise ValueError("frame: needs at least one row, and seconds above 0")
    names = list(dict.fromkeys(frame["method"]))
    fig, ax = plt.subplots(figsize=(5.2, 1.4 + 0.35 * len(names)))
    places = frame["method"].map({name: i for i, name in enumerate(names)})
    handles = ax.plot(frame["seconds"], places, linestyle="", alpha=0.5, label="ours, each repeat")
    times = {name: value for name, value in (printed or {}).items() if name in names}
    if times:
        handles += ax.plot(list(times.values()), [names.index(name) for name in times], linestyle="",
                           marker="D", label="printed")
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set(xscale="log", xlabel="seconds a fit")
    plain(ax.xaxis)
    legend(fig, handles)
    return fig

COLOURS = "viridis"


@figure
def weight_functions(thresholds, sharpness=(1.0,), losses=None):
    """Weights against the loss, smooth (lines) and hard (steps), for several thresholds: MSPL's Figure 1.

    Parameters
    ----------
    thresholds : sequence of float, positive
        1/lambda.
    sharpness : sequence of float, default=(1.0,)
        kappa; one panel each.
    losses : ndarray, optional
        Where to draw; up to twice the largest threshold by default.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        No threshold, or one that is not positive.

    Examples
    --------
    >>> fig = weight_functions([1.0, 2.0])
    >>> len(fig.axes[0].get_lines())
    4
    """
    if not len(thresholds) or min(thresholds) <= 0:
        raise ValueError(f"thresholds must be positive, at least one; got {list(thresholds)}")
    losses = np.linspace(0.0, 2.0 * max(thresholds), 400) if losses is None else losses
    size = (1.2 + 2.8 * len(sharpness), 3.0)
    fig, axes = plt.subplots(1, len(sharpness), figsize=size, sharey=True, squeeze=False)
    colours = plt.get_cmap(COLOURS)(np.linspace(0.0, 0.85, len(thresholds)))
    for ax, kappa in zip(axes[0], sharpness):
        for number, (threshold, colour) in enumerate(zip(thresholds, colours)):
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
def selection(views, order, labels, n_rounds=None):
    """The round in which each pair of a sample and a view is taken in: MSPL's Figure 2.

    Parameters
    ----------
    views : list of ndarray of shape (n, 2)
        Points of each view.
    order : ndarray of shape (n_views, n), int
        ``selection_order_``; -1 for never.
    labels : ndarray of shape (n,), int
        Samples of the last panel are sorted by these.
    n_rounds : int, optional
        End of the colour scale; the latest round by default.

    Returns
    -------
    matplotlib.figure.Figure
        A panel a view, dark points first; and all samples by view.

    Raises
    ------
    ValueError
        Shapes do not fit, or views that are not plane.

    Examples
    --------
    >>> points = np.random.default_rng(0).normal(size=(6, 2))
    >>> fig = selection([points, points], np.array([[0, 1, 2, 0, 1, 2], [0] * 6]), np.arange(6) % 2)
    >>> [ax.get_title() for ax in fig.axes[:3]]
    ['view 1', 'view 2', 'samples by view']
    """
    order, labels = np.asarray(order), np.asarray(labels)
    wanted = (len(views), labels.size)
    if order.shape != wanted or any(np.shape(X) != (labels.size, 2) for X in views):
        raise ValueError(f"order must have the shape {wanted} and views {labels.size} rows of two features; "
                         f"got {order.shape} and {[np.shape(X) for X in views]}")
    last = int(order.max()) if n_rounds is None else n_rounds
    rounds = np.where(order < 0, last + 1, order)
    shape = (-(-(len(views) + 1) // 2), 2)
    fig, axes = plt.subplots(*shape, figsize=(7.0, 0.4 + 2.9 * shape[0]), squeeze=False)
    look = {"cmap": COLOURS, "vmin": 0, "vmax": last + 1}
    edge = 1.05 * max(np.abs(X).max() for X in views)
    for v, (ax, X) in enumerate(zip(axes.flat, views)):
        ax.scatter(*np.asarray(X).T, c=rounds[v], s=9, linewidths=0, **look)
        ax.set(title=f"view {v + 1}", box_aspect=1, xlim=(-edge, edge), ylim=(-edge, edge))
    ax = axes.flat[len(views)]
    image = _by_view(ax, rounds, labels, look)
    for spare in axes.flat[len(views) + 1:]:
        spare.set_axis_off()
    fig.colorbar(image, ax=list(axes.flat), label="taken in at the end of round", shrink=0.8)
    return fig


def _by_view(ax, rounds, labels, look):
    """Rounds of all samples, sorted by cluster, a column a view."""
    rows = np.argsort(labels, kind="stable")
    image = ax.imshow(rounds[:, rows].T, aspect="auto", interpolation="nearest", **look)
    ends = np.flatnonzero(np.diff(labels[rows])) + 0.5
    for end in ends:
        ax.axhline(end, color="white", linewidth=1.2, linestyle="-", marker="")
    bounds = np.concatenate([[0], ends, [labels.size]])
    ax.set_yticks((bounds[:-1] + bounds[1:]) / 2, [f"cluster {k + 1}" for k in range(len(bounds) - 1)])
    ax.set_xticks(range(len(rounds)), [str(v + 1) for v in range(len(rounds))])
    ax.set(xlabel="view", title="samples by view", box_aspect=1)
    ax.grid(False)
    return image


@figure
def trajectories(frame, metrics, until=None):
    """Scores by iteration, one panel a metric and data set, one line a method: MSPL's Figure 3.

    Parameters
    ----------
    frame : DataFrame
        ``dataset, method, run, iteration, metric, value``; ``value`` a fraction.  See
        :func:`mtclib.companion.papers.mspl.score_trajectories`.
    metrics : mapping of str to str
        Metric to the name on its axis.
    until : int, optional
        Last iteration to show.

    Returns
    -------
    matplotlib.figure.Figure
        Lines are means over runs, bands one standard deviation.

    Raises
    ------
    ValueError
        The frame has no row of a metric.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("toy", "A", run, i, "ACC", 0.1 * i + 0.01 * run) for i in range(4) for run in range(3)]
    >>> frame = pd.DataFrame(rows, columns=["dataset", "method", "run", "iteration", "metric", "value"])
    >>> trajectories(frame, {"ACC": "ACC"}).axes[0].get_ylabel()
    'ACC (%)'
    """
    absent = sorted(set(metrics) - set(frame["metric"]))
    if absent:
        raise ValueError(f"frame: no rows of {', '.join(absent)}")
    datasets = list(dict.fromkeys(frame["dataset"]))
    shape = (len(datasets), len(metrics))
    size = (2.6 * shape[1] + 0.6, 2.1 * shape[0] + 0.6)
    fig, axes = plt.subplots(*shape, figsize=size, sharex=True, squeeze=False)
    for row, dataset in zip(axes, datasets):
        for ax, (metric, name) in zip(row, metrics.items()):
            part = frame[(frame["dataset"] == dataset) & (frame["metric"] == metric)]
            part = part if until is None else part[part["iteration"] <= until]
            for method, runs in part.groupby("method", sort=False):
                stats = 100 * runs.groupby("iteration")["value"].agg(["mean", "std"]).fillna(0)
                low, high = stats["mean"] - stats["std"], stats["mean"] + stats["std"]
                band_line(ax, stats.index, stats["mean"], low, high, method,
                          markevery=max(1, len(stats) // 8))
            ax.set(ylabel=f"{name} (%)", title=dataset)
    for ax in axes[-1]:
        ax.set_xlabel("iteration")
    legend(fig, axes[0][0].get_lines()[:])
    return fig


@figure
def damaged_view(frame, name):
    """Weight of a damaged view relative to the mean weight of the others, against the damage.

    Parameters
    ----------
    frame : DataFrame
        ``kind, share, method, value``, one row a run; a panel a kind.
    name : str
        The view.

    Returns
    -------
    matplotlib.figure.Figure
        Lines are means over runs, bands one standard deviation.

    Raises
    ------
    ValueError
        The frame is empty.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("missing", s, "A", 1 - s) for s in (0.0, 0.2) for _ in range(3)]
    >>> fig = damaged_view(pd.DataFrame(rows, columns=["kind", "share", "method", "value"]), "FAC")
    >>> fig.axes[0].get_title()
    'missing'
    """
    kinds = list(dict.fromkeys(frame["kind"]))
    if not kinds:
        raise ValueError("frame: it has no rows")
    shape = (-(-len(kinds) // 2), min(2, len(kinds)))
    size = (2.7 * shape[1] + 0.4, 1.9 * shape[0] + 0.6)
    fig, axes = plt.subplots(*shape, figsize=size, sharex=True, sharey=True, squeeze=False)
    for ax, kind in zip(axes.flat, kinds):
        for method, runs in frame[frame["kind"] == kind].groupby("method", sort=False):
            stats = runs.groupby("share")["value"].agg(["mean", "std"]).fillna(0)
            band_line(ax, 100 * stats.index, stats["mean"], stats["mean"] - stats["std"],
                      stats["mean"] + stats["std"], method)
        ax.set_title(kind)
    for ax in axes[-1]:
        ax.set_xlabel("damaged (%)")
    for ax in axes[:, 0]:
        ax.set_ylabel(f"weight of {name} / others")
    for ax in list(axes.flat)[len(kinds):]:
        ax.set_axis_off()
    legend(fig, axes.flat[0].get_lines()[:])
    return fig


@figure
def task_objectives(histories):
    """The objective of each task of a sequence, sweep by sweep: a panel a run, a line a task.

    Parameters
    ----------
    histories : mapping of str to list of 1-D array-like
        Title of the panel to the histories of its tasks.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        No history.

    Examples
    --------
    >>> fig = task_objectives({"toy": [[1.0, 2.0], [2.0, 3.0, 4.0]]})
    >>> [line.get_label() for line in fig.axes[0].get_lines()]
    ['task 1', 'task 2']
    """
    if not histories or not all(histories.values()):
        raise ValueError("histories: every panel needs at least one task")
    columns = min(2, len(histories))
    shape = (-(-len(histories) // columns), columns)
    size = (2.9 * columns, 0.6 + 2.0 * shape[0])
    fig, axes = plt.subplots(*shape, figsize=size, squeeze=False)
    for ax, (title, tasks) in zip(axes.flat, histories.items()):
        for t, history in enumerate(tasks):
            ax.plot(np.arange(1, len(history) + 1), history, marker="", label=f"task {t + 1}")
        ax.set(title=title, xlabel="sweep", ylabel="objective")
    for ax in list(axes.flat)[len(histories):]:
        ax.set_axis_off()
    legend(fig, max((ax.get_lines()[:] for ax in axes.flat), key=len))
    return fig
