"""Scores over the parameters of a method."""

import json

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D

from mtclib.plots.look import MARK, RULE, band_line, figure, legend, score_name, short, ticks
from mtclib.plots.matrices import heat, outline

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
