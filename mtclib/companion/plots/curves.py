"""Curves: objective, scores and time over iterations, sizes, damage to the data, and parameters."""

import json
import textwrap
from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from mtclib.companion.plots import look
from mtclib.companion.plots.matrices import heat, outline
from mtclib.companion.verdicts.leverage import with_params

# Characters of a title over one of several panels, and quantiles of its band.
TITLE, BAND = 20, (0.1, 0.9)
PARAM_NAMES = {"lam": "λ", "lambda": "λ", "mu": "μ", "alpha": "α", "beta": "β", "gamma": "γ", "kappa": "κ",
               "n_components": "l", "pace_start": "share of pairs in the first round",
               "pace_growth": "growth of the threshold"}


@look.figure
def objective_panels(histories: Mapping, printed_iterations: Mapping | None = None) -> plt.Figure:
    """The objective over the iterations, one column per data set: itself above, its gap to the end below.

    `histories` maps a data set to those of its runs, of which each keeps its last value: median, and a band
    between quantiles.  `printed_iterations` maps it to where the paper's runs stopped.  The gap is
    (J − min J) / J₀ of each run; its end, 0, is not drawn.
    """
    size = (max(4.2, 2.4 * len(histories)), 4.4)
    fig, axes = plt.subplots(2, len(histories), figsize=size, sharex="col", squeeze=False)
    marks = []
    for column, (name, runs) in zip(axes.T, histories.items()):
        stop = (printed_iterations or {}).get(name)
        for ax, relative in zip(column, (False, True)):
            middle, low, high = _quantiles(runs, relative)
            x = np.arange(1, len(middle) + 1)
            line = look.band_line(ax, x, middle, low, high, "median over runs", marker="")
            if stop is not None:
                marks = [ax.axvline(stop, color="0.35", label="the paper stops", **look.MARK)]
        title = textwrap.fill(name, TITLE)
        column[0].set_title(title if stop is None else f"{title}\n(paper: {stop})")
        column[1].set(yscale="log", xlabel="iteration")
        look.plain(column[1].yaxis)
    axes[0, 0].set_ylabel("objective J")
    axes[1, 0].set_ylabel("(J − min J) / J₀")
    look.legend(fig, [line, *marks])
    return fig


@look.figure
def task_objectives(histories: Mapping) -> plt.Figure:
    """The objective of each task of a sequence, sweep by sweep: one panel per run, one line per task.

    `histories` maps the title of a panel to the histories of its tasks.
    """
    fig, axes = look.panels(len(histories), 2.9, 2.0, (0, 0.6))
    for ax, (title, tasks) in zip(axes.flat, histories.items()):
        for t, history in enumerate(tasks):
            ax.plot(np.arange(1, len(history) + 1), history, marker="", label=f"task {t + 1}")
        ax.set(title=title, xlabel="sweep", ylabel="objective")
    look.legend(fig, max((ax.get_lines()[:] for ax in axes.flat), key=len))
    return fig


@look.figure
def trajectories(frame: pd.DataFrame, metrics: Mapping) -> plt.Figure:
    """Scores by iteration, one panel per metric and data set, one line per method: MSPL's Figure 3.

    `metrics` maps a metric to the name on its axis.  Whiskers are 95 % t intervals over the runs, or over the
    means of the draws of a data set where there is a column ``draw``.
    """
    shape = (frame["dataset"].nunique(), len(metrics))
    size = (2.6 * shape[1] + 0.6, 2.1 * shape[0] + 0.6)
    fig, axes = plt.subplots(*shape, figsize=size, sharex=True, squeeze=False)
    for row, (dataset, rows) in zip(axes, frame.groupby("dataset", sort=False)):
        for ax, (metric, name) in zip(row, metrics.items()):
            part = rows[rows["metric"] == metric]
            unit = "draw" if "draw" in part and part["draw"].nunique() > 1 else "run"
            every = max(1, part["iteration"].nunique() // 8)
            look.whisker_lines(ax, _tables(part, "iteration", unit=unit), every)
            look.widen(ax)
            ax.set_ylabel(f"{name} (%)")
        row[0].set_title(dataset, loc="left")
    for ax in axes[-1]:
        ax.set_xlabel("iteration")
    look.legend(fig, axes[0][0].get_lines()[:])
    return fig


@look.figure
def runtime(frame: pd.DataFrame, switch_at: float) -> plt.Figure:
    """Seconds against the number of clusters, both axes logarithmic, with the slope of each line.

    `frame` has ``solver, n_clusters, seconds``; several rows of one solver and size give the median and a
    band from smallest to largest.  `switch_at` is where the paper changes its solver.
    """
    fig, ax = plt.subplots(figsize=(5.2, 3.3))
    handles = []
    for solver, rows in frame.groupby("solver", sort=False):
        stats = rows.groupby("n_clusters")["seconds"].agg(["median", "min", "max"])
        slope = np.polyfit(np.log(stats.index), np.log(stats["median"]), 1)[0] if len(stats) > 1 else np.nan
        name = solver if np.isnan(slope) else f"{solver} (slope {slope:.1f})"
        handles.append(look.band_line(ax, stats.index, stats["median"], stats["min"], stats["max"], name))
    text = f"paper changes solver at {switch_at}"
    handles.append(ax.axvline(switch_at, color="0.35", label=text, **look.MARK))
    ax.set(xscale="log", yscale="log", xlabel="clusters in each task", ylabel="seconds")
    look.ticks(ax.xaxis, _thinned(np.unique(frame["n_clusters"])))
    look.plain(ax.yaxis)
    look.legend(fig, handles)
    return fig


@look.figure
def robustness(frame: pd.DataFrame, title: str = "{dataset}, {kind} noise",
               noun: str = "noise") -> plt.Figure:
    """Score against the share of noise: one panel per data set and kind of noise, one line per method.

    `frame` has ``dataset, kind, share, method, value`` (a fraction), one row per run.  Lines are means over
    runs, whiskers their 95 % t intervals.
    """
    kinds = list(frame.groupby(["dataset", "kind"], sort=False))
    fig, axes = look.panels(len(kinds), 3.3, 2.2, (0, 0.6), sharex=True, sharey=True)
    for ax, ((dataset, kind), rows) in zip(axes.flat, kinds):
        look.whisker_lines(ax, _tables(rows.assign(share=100 * rows["share"]), "share"))
        ax.set_title(title.format(dataset=dataset, kind=kind))
    look.widen(axes.flat[0])
    for ax in axes.flat[:len(kinds)][-2:]:  # the lowest of each column
        ax.set_xlabel(f"share of {noun} (%)")
        ax.tick_params(labelbottom=True)
    for ax in axes[:, 0]:
        ax.set_ylabel("ACC (%)")
    look.legend(fig, axes.flat[0].get_lines()[:])
    return fig


@look.figure
def sensitivity(frame: pd.DataFrame, base: Mapping, metric: str = "ACC", by: str = "dataset",
                linear: Sequence[str] = ()) -> plt.Figure:
    """Score against each parameter in turn, the others fixed at `base`: one panel per parameter.

    `frame` has tidy results, failed runs with NaN, and `by` the column that tells the lines apart; one with a
    single point of a panel, because its method lacks the parameter, is left out there.  Whiskers are 95 % t
    intervals over runs.  Axes are logarithmic but for the parameters in `linear`.
    """
    params = list(base)
    rows = _scored(frame, metric).dropna(subset="value")
    rows = with_params(rows, *params).astype(dict.fromkeys(params, float))
    size = (max(2.3 * len(params), 6.6), 2.9)
    fig, axes = plt.subplots(1, len(params), figsize=size, sharey=True, squeeze=False)
    for ax, name in zip(axes[0], params):
        others = [np.isclose(rows[other], base[other]) for other in params if other != name]
        panel = rows[np.all(others, axis=0)] if others else rows
        handles = look.whisker_lines(ax, _param_tables(panel, name, by, rows[by].unique()))
        ax.axvline(base[name], color="0.5", zorder=0, **look.RULE)
        ax.set(xscale="linear" if name in linear else "log", xlabel=PARAM_NAMES.get(name, name))
        if name not in linear:
            look.ticks(ax.xaxis, np.unique(panel[name]))
    look.widen(axes[0][0])
    axes[0][0].set_ylabel(look.score_name(metric))
    where = "fixed in the other panels" if len(params) > 1 else "default"
    look.legend(fig, [*handles, Line2D([], [], color="0.5", label=where, **look.RULE)])
    return fig


@look.figure
def sensitivity_heatmap(frame: pd.DataFrame, x: str, y: str, metric: str = "ACC") -> plt.Figure:
    """Mean score of one data set over a grid of two parameters; a star marks the best, by the labels.

    A cell where every run failed shows a dash; no further parameter may vary.
    """
    rows = _scored(frame, metric)
    params = sorted({key for text in rows["params"].unique() for key in json.loads(text)})
    rows = with_params(rows, *params).astype({x: float, y: float})
    varying = [name for name in ["dataset", *params] if name not in (x, y) and rows[name].nunique() > 1]
    if varying:
        raise ValueError(f"frame: fix {', '.join(varying)} first")
    mean = 100 * rows.pivot_table("value", y, x, dropna=False).sort_index(ascending=False)
    best = np.unravel_index(np.nanargmax(mean.to_numpy()), mean.shape)
    notes = np.char.mod("%.1f", mean).astype(object)
    notes[best] += " ★"
    low, high = np.nanmin(mean), np.nanmax(mean)
    spare = max(look.LEAST - (high - low), 0) / 2
    scale = {"vmin": low - spare, "vmax": high + spare}
    fig, ax = plt.subplots(figsize=(1.9 + 0.75 * mean.shape[1], 1.3 + 0.45 * mean.shape[0]))
    heat(ax, mean, notes, **scale, cbar_kws={"label": look.score_name(metric)})
    outline(ax, *best)
    ax.set(xlabel=PARAM_NAMES.get(x, x), ylabel=PARAM_NAMES.get(y, y))
    ax.set_title(f"{rows['dataset'].iloc[0]}\n★ best, chosen with the labels")
    ax.set_xticklabels([look.short(value) for value in mean.columns])
    ax.set_yticklabels([look.short(value) for value in mean.index], rotation=0)
    return fig


def _quantiles(runs, relative):
    """Median and band over runs, of which each keeps its last value."""
    runs = pd.DataFrame([pd.Series(run, dtype=float) for run in runs]).ffill(axis=1)
    if relative:
        runs = runs.sub(runs.min(axis=1), axis=0).div(runs[0].abs(), axis=0)
    middle, *band = np.quantile(runs, [0.5, *BAND], axis=0)
    if relative:
        band = np.maximum(band, min(middle[middle > 0], default=1.0))
        middle = np.where(middle > 0, middle, np.nan)
    return middle, *band


def _tables(rows, x, unit="run"):
    """Values of each method at each `x`, one column per run."""
    return {name: 100 * part.pivot_table("value", x, unit)
            for name, part in rows.groupby("method", sort=False)}


def _param_tables(rows, x, by, names):
    """Values of each line, in the same order in every panel, so that each keeps its look."""
    found = {}
    for name in names:
        runs = rows[rows[by] == name]
        if runs[x].nunique() == 1 < rows[x].nunique():
            runs = runs.iloc[:0]
        found[name] = 100 * runs.pivot_table("value", x, "run")
    return found


def _thinned(values):
    """Ticks of a logarithmic axis that stay apart: each at least a quarter above the last."""
    kept = []
    for value in values:
        kept += [value] if not kept or value >= 1.25 * kept[-1] else []
    return kept


def _scored(frame, metric):
    """Rows of a metric, averages over tasks where there are any."""
    rows = frame[frame["metric"] == metric]
    return rows[rows["task"] == "avg"] if (rows["task"] == "avg").any() else rows
