"""Curves of one run or one method: the objective over the iterations, the time over the size."""

import textwrap
from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np

from mtclib.plots.look import MARK, band_line, figure, legend, plain, ticks

# Characters of a title over one of several panels.
TITLE = 20


@figure
def convergence(histories, printed_iterations=None, relative=True, band=(0.1, 0.9)):
    """Objective against the number of iterations: the median over runs, with a band.

    Parameters
    ----------
    histories : mapping of str to list of 1-D array-like
        Label to the objective histories of its runs, which may differ in length: a run that has stopped keeps
        its last value.
    printed_iterations : int or mapping of str to int, optional
        Where the paper's own runs stopped; a vertical line each.
    relative : bool, default=True
        Show (J - J_min) / J_0 of each run on a logarithmic axis, with J_0 its first value and J_min its
        smallest; the end of a run, where this is 0, is not drawn.  Otherwise J itself.
    band : (float, float), default=(0.1, 0.9)
        Quantiles of the band.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        No history, or an empty one.

    Examples
    --------
    >>> fig = convergence({"toy": [[4, 2, 1], [4, 1]]}, relative=False)
    >>> fig.axes[0].get_lines()[0].get_ydata().tolist()
    [4.0, 1.5, 1.0]
    """
    _check(histories)
    fig, ax = plt.subplots(figsize=(5.2, 3.3))
    for name, runs in histories.items():
        middle, low, high = _quantiles(runs, relative, band)
        x = np.arange(1, len(middle) + 1)
        band_line(ax, x, middle, low, high, name, markevery=max(1, len(x) // 10))
    handles = ax.get_lines()[:]
    stops = printed_iterations if isinstance(printed_iterations, Mapping) else {"": printed_iterations}
    for name, stop in stops.items():
        if stop is not None:
            colour = next((line.get_color() for line in handles if line.get_label() == name), "0.35")
            text = f"paper stops at {stop}" + (f" ({name})" if name else "")
            handles.append(ax.axvline(stop, color=colour, label=text, **MARK))
    ax.set(xlabel="iteration", ylabel="(J - J_min) / J_0" if relative else "objective J")
    ax.margins(y=0.05)
    if relative:
        ax.set_yscale("log")
        plain(ax.yaxis)
    legend(fig, handles)
    return fig


@figure
def objective_panels(histories, printed_iterations=None, band=(0.1, 0.9)):
    """The objective over the iterations, a column a data set: itself above, its distance from the end below.

    Parameters
    ----------
    histories : mapping of str to list of 1-D array-like
        As in :func:`convergence`.
    printed_iterations : mapping of str to int, optional
        Where the paper's own runs stopped; a vertical line each.
    band : (float, float), default=(0.1, 0.9)
        Quantiles of the band.

    Returns
    -------
    matplotlib.figure.Figure
        Lines are medians over runs; the lower axes are logarithmic, see :func:`convergence`.

    Raises
    ------
    ValueError
        No history, or an empty one.

    Examples
    --------
    >>> fig = objective_panels({"toy": [[4, 2, 1], [4, 1]]}, {"toy": 2})
    >>> fig.axes[0].get_lines()[0].get_ydata().tolist(), fig.axes[1].get_yscale()
    ([4.0, 1.5, 1.0], 'log')
    """
    _check(histories)
    size = (max(4.2, 2.4 * len(histories)), 4.4)
    fig, axes = plt.subplots(2, len(histories), figsize=size, sharex="col", squeeze=False)
    marks = []
    for column, (name, runs) in zip(axes.T, histories.items()):
        stop = (printed_iterations or {}).get(name)
        for ax, relative in zip(column, (False, True)):
            middle, low, high = _quantiles(runs, relative, band)
            x = np.arange(1, len(middle) + 1)
            line = band_line(ax, x, middle, low, high, "median over runs", marker="")
            if stop is not None:
                marks = [ax.axvline(stop, color="0.35", label="the paper stops", **MARK)]
        title = textwrap.fill(name, TITLE)
        column[0].set_title(title if stop is None else f"{title}\n(paper: {stop})")
        column[1].set(yscale="log", xlabel="iteration")
        plain(column[1].yaxis)
    axes[0, 0].set_ylabel("objective J")
    axes[1, 0].set_ylabel("(J - J_min) / J_0")
    legend(fig, [line, *marks])
    return fig


@figure
def runtime(frame, switch_at=None):
    """Seconds against the number of clusters, both axes logarithmic, with the slope of each line.

    Parameters
    ----------
    frame : DataFrame
        ``solver``, ``n_clusters`` (positive int) and ``seconds``; several rows of one solver and size give
        the median and a band from smallest to largest.
    switch_at : int, optional
        Number of clusters at which the paper changes its solver; a vertical line.

    Returns
    -------
    matplotlib.figure.Figure
        Slopes are least squares of log seconds on log clusters over all sizes.

    Raises
    ------
    ValueError
        Empty frame, or a size or time that is not positive.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"solver": "qp", "n_clusters": [5, 10, 20], "seconds": [1.0, 4.0, 16.0]})
    >>> runtime(frame).legends[0].get_texts()[0].get_text()
    'qp (slope 2.0)'
    """
    if frame.empty or (frame[["n_clusters", "seconds"]] <= 0).any(axis=None):
        raise ValueError("frame: needs at least one row, and n_clusters and seconds above 0")
    fig, ax = plt.subplots(figsize=(5.2, 3.3))
    handles = []
    for solver, rows in frame.groupby("solver", sort=False):
        stats = rows.groupby("n_clusters")["seconds"].agg(["median", "min", "max"])
        slope = np.polyfit(np.log(stats.index), np.log(stats["median"]), 1)[0] if len(stats) > 1 else np.nan
        name = solver if np.isnan(slope) else f"{solver} (slope {slope:.1f})"
        handles.append(band_line(ax, stats.index, stats["median"], stats["min"], stats["max"], name))
    if switch_at is not None:
        text = f"paper changes solver at {switch_at}"
        handles.append(ax.axvline(switch_at, color="0.35", label=text, **MARK))
    ax.set(xscale="log", yscale="log", xlabel="clusters in each task", ylabel="seconds")
    ticks(ax.xaxis, _thinned(np.unique(frame["n_clusters"])))
    plain(ax.yaxis)
    legend(fig, handles)
    return fig


def _check(histories):
    if not histories or any(len(run) == 0 for runs in histories.values() for run in runs or [[]]):
        raise ValueError("histories: every label needs at least one run with at least one value")


def _quantiles(runs, relative, band):
    """Median and band over runs of different lengths."""
    runs = [np.asarray(run, dtype=float) for run in runs]
    if relative:
        runs = [(run - run.min()) / abs(run[0]) for run in runs]
    longest = max(map(len, runs))
    padded = np.array([np.pad(run, (0, longest - len(run)), mode="edge") for run in runs])
    middle, low, high = np.quantile(padded, [0.5, *band], axis=0)
    if relative:
        floor = min(middle[middle > 0], default=1.0)
        middle, low = np.where(middle > 0, middle, np.nan), np.maximum(low, floor)
        high = np.maximum(high, floor)
    return middle, low, high


def _thinned(values):
    """Ticks of a logarithmic axis that stay apart: each at least a quarter above the last."""
    kept = []
    for value in values:
        kept += [value] if not kept or value >= 1.25 * kept[-1] else []
    return kept
