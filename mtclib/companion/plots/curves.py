"""Curves of one run or one method: the objective over the iterations, the time over the size.

Scores over the parameters of a method.
"""

import json
import textwrap
from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D

from mtclib.companion.plots.look import MARK, RULE, band_line, figure, legend, plain, score_name, short, ticks
from mtclib.companion.plots.matrices import heat, outline

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

GREEK = {"lam": "λ", "lambda": "λ", "mu": "μ", "alpha": "α", "beta": "β", "gamma": "γ", "kappa": "κ",
         "n_components": "l", "pace_start": "share of pairs in the first round",
         "pace_growth": "growth of the threshold"}
PARAMS = ("lam", "mu", "alpha", "beta")


@figure
def sensitivity(frame, params=PARAMS, metric="ACC", base=None, band="sd", printed=None, by="dataset",
                linear=()):
    """Score against each parameter in turn, the others fixed: one panel a parameter, one line a data set.

    Parameters
    ----------
    frame : DataFrame
        Tidy results with ``dataset, task, metric, params, value``; ``params`` is JSON.  The rows of task
        "avg" are used where there are any.  Failed runs (NaN) are left out.
    params : sequence of str, default=("lam", "mu", "alpha", "beta")
        Parameters, one a panel; their values must be positive, for the axis is logarithmic to base 2.
    metric : str, default="ACC"
        Name in `frame`; shown in percent.
    base : mapping of str to float, optional
        Where the other parameters are fixed; by default the most frequent value of each.
    band : {"sd", "range", None}, default="sd"
        Band over the runs: mean plus and minus one standard deviation, or smallest to largest; none where
        there are many lines.
    printed : mapping of str to float, optional
        Line to the paper's value, a fraction; drawn as a thin line.
    by : str, default="dataset"
        Column that tells the lines apart.
    linear : sequence of str, default=()
        Parameters whose axis is linear; all others are logarithmic.

    Returns
    -------
    matplotlib.figure.Figure
        A line that has one point of a panel only, because its method lacks the parameter, is left out there.

    Raises
    ------
    ValueError
        No row fits, a parameter is unknown or not positive, or `base` is needed because two values are
        equally frequent.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("toy", "avg", "ACC", f'{{"lam": {v}}}', 0.8) for v in (0.5, 1, 2)]
    >>> frame = pd.DataFrame(rows, columns=["dataset", "task", "metric", "params", "value"])
    >>> [text.get_text() for text in sensitivity(frame, params=["lam"]).axes[0].get_xticklabels()]
    ['1/2', '1', '2']
    """
    rows = _with_params(_scored(frame, metric), params)
    if (rows[[name for name in params if name not in linear]] <= 0).any(axis=None):
        raise ValueError(f"params: {', '.join(params)} must be positive, the axis is logarithmic")
    base = _base(rows, params) if base is None else base
    size = (max(2.3 * len(params), 4.6), 2.9)
    fig, axes = plt.subplots(1, len(params), figsize=size, sharey=True, squeeze=False)
    for ax, name in zip(axes[0], params):
        fits = [np.isclose(rows[other], base[other]) for other in params if other != name]
        panel = rows[np.logical_and.reduce(fits)] if fits else rows
        handles = _lines(ax, panel, name, by, list(dict.fromkeys(rows[by])), band)
        for line in handles:
            if line.get_label() in (printed or {}):
                ax.axhline(100 * printed[line.get_label()], color=line.get_color(), **MARK)
        ax.axvline(base[name], color="0.5", zorder=0, **RULE)
        ax.set(xscale="linear" if name in linear else "log", xlabel=GREEK.get(name, name))
        if name not in linear:
            ticks(ax.xaxis, np.unique(panel[name]))
    axes[0][0].set_ylabel(f"{score_name(metric)} (%)")
    where = "fixed in the other panels" if len(params) > 1 else "default"
    handles.append(Line2D([], [], color="0.5", label=where, **RULE))
    legend(fig, handles + ([Line2D([], [], color="0.2", label="printed", **MARK)] if printed else []))
    return fig


@figure
def sensitivity_heatmap(frame, x, y, metric="ACC", base=None):
    """Mean score over a grid of two parameters, with the best point marked.

    Parameters
    ----------
    frame : DataFrame
        Tidy results of one data set, see :func:`sensitivity`.
    x, y : str
        Parameters of the two axes.
    metric : str, default="ACC"
        Name in `frame`; shown in percent.
    base : mapping of str to float, optional
        Values of further parameters; needed where they vary.

    Returns
    -------
    matplotlib.figure.Figure
        The starred cell is the best one, chosen with the labels.  A cell where every run failed shows a dash.

    Raises
    ------
    ValueError
        No row fits, several data sets, or further parameters vary and `base` does not fix them.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("toy", "avg", "ACC", f'{{"a": {a}, "b": {b}}}', 0.2 * a * b) for a in (1, 2) for b in (1, 2)]
    >>> frame = pd.DataFrame(rows, columns=["dataset", "task", "metric", "params", "value"])
    >>> [text.get_text() for text in sensitivity_heatmap(frame, "a", "b").axes[0].texts]
    ['40.0', '80.0 ★', '20.0', '40.0']
    """
    rows = _with_params(_scored(frame, metric, keep_failed=True), (x, y))
    others = sorted({key for text in rows["params"].unique() for key in json.loads(text)} - {x, y})
    rows = _with_params(rows, others)
    for name, value in (base or {}).items():
        rows = rows[np.isclose(rows[name], value)]
    varying = [name for name in ["dataset", *others] if rows[name].nunique() > 1]
    if rows.empty or varying:
        raise ValueError(f"frame: fix {', '.join(varying)} first" if varying else f"frame: no row at {base}")
    table = rows.pivot_table(index=y, columns=x, values="value", dropna=False)
    mean = 100 * table.sort_index(ascending=False)
    if mean.isna().all(axis=None):
        raise ValueError(f"frame: every run failed, there is no {metric} to show")
    best = np.unravel_index(np.nanargmax(mean.to_numpy()), mean.shape)
    notes = np.array([[f"{value:.1f}" for value in row] for row in mean.to_numpy()], dtype=object)
    notes[best] += " ★"
    fig, ax = plt.subplots(figsize=(1.9 + 0.75 * mean.shape[1], 1.3 + 0.45 * mean.shape[0]))
    heat(ax, mean, notes, cbar_kws={"label": f"{score_name(metric)} (%)"})
    outline(ax, *best)
    ax.set(xlabel=GREEK.get(x, x), ylabel=GREEK.get(y, y))
    ax.set_title(f"{rows['dataset'].iloc[0]}\n★ best, chosen with the labels")
    ax.set_xticklabels([short(value) for value in mean.columns])
    ax.set_yticklabels([short(value) for value in mean.index], rotation=0)
    return fig


def _scored(frame, metric, keep_failed=False):
    """Rows of a metric, averages over tasks where there are any."""
    rows = frame[frame["metric"] == metric]
    rows = rows[rows["task"] == "avg"] if (rows["task"] == "avg").any() else rows
    rows = rows if keep_failed else rows[rows["value"].notna()]
    if rows.empty:
        known = ", ".join(sorted(set(frame["metric"])))
        raise ValueError(f"frame: no row of metric {metric!r}; it has {known or 'none'}")
    return rows


def _with_params(rows, names):
    """Add one float column for each parameter, read from the JSON column."""
    settings = [json.loads(text) for text in rows["params"]]
    missing = [name for name in names if any(name not in setting for setting in settings)]
    if missing:
        known = ", ".join(settings[0]) or "none"
        raise ValueError(f"params: {', '.join(missing)} not in the frame; it has {known}")
    return rows.assign(**{name: [float(setting[name]) for setting in settings] for name in names})


def _base(rows, params):
    modes = {name: rows.groupby("params")[name].first().mode() for name in params}
    tied = [name for name in params if len(modes[name]) > 1]
    if tied and len(params) > 1:
        raise ValueError(f"base: the values of {', '.join(tied)} are equally frequent; name the fixed values")
    return {name: float(modes[name].iloc[0]) for name in params}


def _lines(ax, rows, x, by, names, band):
    """One line a name, in the same order in every panel, so that each keeps its look."""
    lines, looks = [], len(plt.rcParams["axes.prop_cycle"])
    for number, name in enumerate(names):
        values = rows[rows[by] == name].groupby(x)["value"]
        stats = 100 * values.agg(["mean", "std", "min", "max"]).fillna(0)
        if len(stats) == 1 < rows[x].nunique():
            stats = stats.iloc[:0]
        low, high = {"sd": (stats["mean"] - stats["std"], stats["mean"] + stats["std"]),
                     "range": (stats["min"], stats["max"]), None: (stats["mean"], stats["mean"])}[band]
        # The looks of the cycle come back from here on, with open markers.
        again = {"markerfacecolor": "white", "markeredgewidth": 1.2} if number >= looks else {}
        lines.append(band_line(ax, stats.index, stats["mean"], low, high, name, **again))
    return lines
