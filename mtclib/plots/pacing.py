"""Figures about self-paced learning: who joins when, each round's descent, and robustness to noise."""

import matplotlib.pyplot as plt
import numpy as np

from mtclib.plots.look import band_line, figure, legend, plain

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
