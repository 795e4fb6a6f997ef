"""Figures of one paper: curves over iterations, sizes, damage, parameters and tasks; weights; relations."""

import json
import textwrap
from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib import patheffects
from matplotlib.colors import PowerNorm
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from mtclib.companion.plots import look
from mtclib.companion.verdicts.leverage import with_params
from mtclib.maths.selfpaced import hard_weights, smooth_weights

# Characters of a title over one of several panels, and quantiles of its band.
TITLE, BAND = 20, (0.1, 0.9)
DARK = 0.18  # relative luminance from which on black is easier to read than white
SHADES = "viridis"
PARAM_NAMES = {"lam": "λ", "lambda": "λ", "mu": "μ", "alpha": "α", "beta": "β", "gamma": "γ", "kappa": "κ",
               "n_components": "l, size of the shared subspace",
               "pace_start": "share of pairs in the first round", "pace_growth": "growth of the threshold"}


@look.figure
def objective_panels(histories: Mapping, printed_iterations: Mapping) -> plt.Figure:
    """The objective over the iterations, one column per data set: itself above, its gap to the end below.

    `histories` maps a data set to those of its runs, of which each keeps its last value: median, and a band
    between quantiles.  `printed_iterations` maps it to where the paper's runs stopped.  The gap is
    (J − min J) / J₀ of each run; its end, 0, is not drawn."""
    size = (max(4.2, 2.4 * len(histories)), 4.4)
    fig, axes = plt.subplots(2, len(histories), figsize=size, sharex="col", squeeze=False)
    for column, (name, runs) in zip(axes.T, histories.items()):
        stop = printed_iterations[name]
        for ax, relative in zip(column, (False, True)):
            middle, low, high = _quantiles(runs, relative)
            x = np.arange(1, len(middle) + 1)
            line = look.band_line(ax, x, middle, low, high, "median over runs", marker="")
            mark = ax.axvline(stop, color="0.35", label="the paper stops", **look.MARK)
        column[0].set_title(f"{textwrap.fill(name, TITLE)}\n(paper: {stop} iterations)")
        column[1].set(yscale="log", xlabel="iteration")
        look.plain(column[1].yaxis)
    axes[0, 0].set_ylabel("objective J")
    axes[1, 0].set_ylabel("(J − min J) / J₀")
    return look.legend(fig, [line, mark])


@look.figure
def task_objectives(histories: Mapping) -> plt.Figure:
    """The objective of each task of a sequence, sweep by sweep: one panel per run, one line per task.

    `histories` maps the title of a panel to the histories of its tasks."""
    fig, axes = look.panels(len(histories), 2.7, 1.8, (0, 0.6))
    for ax, (title, tasks) in zip(axes.flat, histories.items()):
        for t, history in enumerate(tasks):
            ax.plot(np.arange(1, len(history) + 1), history, marker="", label=f"task {t + 1}")
        ax.set(title=title, xlabel="sweep", ylabel="objective")
    return look.legend(fig, max((ax.get_lines()[:] for ax in axes.flat), key=len))


@look.figure
def trajectories(frame: pd.DataFrame, metrics: Mapping) -> plt.Figure:
    """Scores by iteration, one panel per metric and data set, one line per method: MSPL's Figure 3.

    `metrics` maps a metric to the name on its axis.  Whiskers are 95 % t intervals over the runs, or over the
    means of the draws of a data set where there is a column ``draw``."""
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
    return look.legend(fig, axes[0][0].get_lines()[:])


@look.figure
def runtime(frame: pd.DataFrame, switch_at: float) -> plt.Figure:
    """Seconds against the number of clusters, both axes logarithmic, with the slope of each line.

    `frame` has ``solver, n_clusters, seconds``; several rows of one solver and size give the median and a
    band from smallest to largest.  `switch_at` is where the paper changes its solver."""
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
    return look.legend(fig, handles)


@look.figure
def robustness(frame: pd.DataFrame, title: str = "{dataset}, {kind} noise",
               noun: str = "noise") -> plt.Figure:
    """Score against the share of noise: one panel per data set and kind of noise, one line per method.

    `frame` has ``dataset, kind, share, method, value`` (a fraction), one row per run.  Lines are means over
    runs, whiskers their 95 % t intervals."""
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
    return look.legend(fig, axes.flat[0].get_lines()[:])


@look.figure
def sensitivity(frame: pd.DataFrame, base: Mapping, metric: str = "ACC", by: str = "dataset",
                linear: Sequence[str] = ()) -> plt.Figure:
    """Score against each parameter in turn, the others fixed at `base`: one panel per parameter.

    `frame` has tidy results, failed runs with NaN, and `by` the column that tells the lines apart; one with a
    single point of a panel, because its method lacks the parameter, is left out there.  Whiskers are 95 % t
    intervals over runs.  Axes are logarithmic but for the parameters in `linear`."""
    params = list(base)
    rows = _scored(frame, metric).dropna(subset="value")
    rows = with_params(rows, *params).astype(dict.fromkeys(params, float))
    size = (max(2.3 * len(params), 6.6), 2.9)
    fig, axes = plt.subplots(1, len(params), figsize=size, sharey=True, squeeze=False)
    for ax, name in zip(axes[0], params):
        others = [np.isclose(rows[other], base[other]) for other in params if other != name]
        panel = rows[np.all(others, axis=0)] if others else rows
        points = panel.groupby(by)[name].transform("nunique")
        shown = panel[points >= min(2, panel[name].nunique())]
        handles = look.whisker_lines(ax, _tables(shown, name, by, lines=rows[by].unique()))
        ax.axvline(base[name], color="0.5", zorder=0, **look.RULE)
        ax.set(xscale="linear" if name in linear else "log", xlabel=PARAM_NAMES.get(name, name))
        if name not in linear:
            look.ticks(ax.xaxis, np.unique(panel[name]))
    look.widen(axes[0][0])
    axes[0][0].set_ylabel(look.score_name(metric))
    where = "fixed in the other panels" if len(params) > 1 else "default"
    return look.legend(fig, [*handles, Line2D([], [], color="0.5", label=where, **look.RULE)])


@look.figure
def sensitivity_heatmap(frame: pd.DataFrame, x: str, y: str, metric: str = "ACC") -> plt.Figure:
    """Mean score of one data set over a grid of two parameters; a star marks the best, by the labels.

    A cell where every run failed shows a dash; no further parameter may vary."""
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
    fig, ax = plt.subplots(figsize=(1.9 + 0.75 * mean.shape[1], 1.3 + 0.45 * mean.shape[0]))
    heat(ax, mean, notes, vmin=low - spare, vmax=high + spare, cbar_kws={"label": look.score_name(metric)})
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


def _tables(rows, x, by="method", unit="run", lines=()):
    """Values of each line at each `x`, one column per run; of these `lines`, some of which may have none, in
    their order, so that each keeps its look in every panel."""
    return {name: 100 * rows[rows[by] == name].pivot_table("value", x, unit)
            for name in (lines if len(lines) else rows[by].unique())}


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


@look.figure
def weight_functions(thresholds: Sequence[float], sharpness: Sequence[float]) -> plt.Figure:
    """Weights against the loss, smooth (lines) and hard (steps), for several 1/lambda: MSPL's Figure 1.

    One panel per kappa in `sharpness`; the losses reach up to twice the largest threshold."""
    losses = np.linspace(0.0, 2.0 * max(thresholds), 400)
    size = (1.2 + 2.8 * len(sharpness), 3.0)
    fig, axes = plt.subplots(1, len(sharpness), figsize=size, sharey=True, squeeze=False)
    shades = plt.get_cmap(SHADES)(np.linspace(0.0, 0.85, len(thresholds)))
    for ax, kappa in zip(axes[0], sharpness):
        for number, (threshold, colour) in enumerate(zip(thresholds, shades)):
            # Each threshold has its marker, at places of its own: colour is not alone.
            marks = {"color": colour, "marker": "os^Dv"[number % 5], "markevery": (10 * number, 50)}
            ax.plot(losses, smooth_weights(losses, threshold, kappa), linestyle="-", **marks,
                    label=f"smooth, 1/λ = {threshold:g}")
            ax.plot(losses, hard_weights(losses, threshold), linestyle="--", linewidth=1.0, **marks,
                    label=f"hard, 1/λ = {threshold:g}")
        ax.set(xlabel="loss", title=f"κ = {kappa:g}")
    axes[0][0].set_ylabel("weight")
    return look.legend(fig, axes[0][0].get_lines()[:])


@look.figure
def selection(views: Sequence[np.ndarray], order: np.ndarray, labels: np.ndarray) -> plt.Figure:
    """The round in which each pair of a sample and a view is taken in: MSPL's Figure 2.

    `views` are plane points, one panel each, dark ones first; `order` is ``selection_order_`` of shape
    (n_views, n), -1 for never.  The last panel shows all samples by view, sorted by `labels`."""
    order, labels = np.asarray(order), np.asarray(labels)
    last = int(order.max())
    rounds = np.where(order < 0, last + 1, order)
    fig, axes = look.panels(len(views) + 1, 3.5, 2.9, (0, 0.4))
    marks = {"cmap": SHADES, "vmin": 0, "vmax": last + 1}
    edge = 1.05 * max(np.abs(X).max() for X in views)
    for v, (ax, X) in enumerate(zip(axes.flat, views)):
        ax.scatter(*np.asarray(X).T, c=rounds[v], s=9, linewidths=0, **marks)
        ax.set(title=f"view {v + 1}", box_aspect=1, xlim=(-edge, edge), ylim=(-edge, edge))
    ax, rows = axes.flat[len(views)], np.argsort(labels, kind="stable")
    image = ax.imshow(rounds[:, rows].T, aspect="auto", interpolation="nearest", **marks)
    ends = np.flatnonzero(np.diff(labels[rows])) + 0.5
    for end in ends:
        ax.axhline(end, color="white", **look.RULE | {"linewidth": 1.2})
    bounds = np.concatenate([[0], ends, [labels.size]])
    ax.set_yticks((bounds[:-1] + bounds[1:]) / 2, [f"cluster {k + 1}" for k in range(len(bounds) - 1)])
    ax.set_xticks(range(len(rounds)), [str(v + 1) for v in range(len(rounds))])
    ax.set(xlabel="view", title="samples by view", box_aspect=1)
    ax.grid(False)
    fig.colorbar(image, ax=list(axes.flat), label="taken in at the end of round", shrink=0.8)
    return fig


@look.figure
def transfer_curve(frame: pd.DataFrame) -> plt.Figure:
    """Score of each task learned with and without libraries, and its gain, by the number of tasks seen.

    One column per data set: scores above, paired differences below.  Lines are means over seeds, bands their
    95 % t intervals."""
    n = frame["dataset"].nunique()
    fig, axes = plt.subplots(2, n, figsize=(max(4.4, 3.4 * n), 4.4), sharex="col", sharey="row",
                             squeeze=False, height_ratios=(3, 2))
    for (above, below), (name, rows) in zip(axes.T, frame.groupby("dataset", sort=False)):
        for knowledge, runs in rows.groupby("knowledge", sort=False):
            _mean_line(above, runs.pivot(index="position", columns="seed", values="value"), knowledge)
        table = rows.pivot(index=["position", "seed"], columns="knowledge", values="value")
        gain = (table["with libraries"] - table["without"]).unstack("seed")
        _mean_line(below, gain, "difference, of the same tasks", color="0.35", marker="D", linestyle="-")
        below.axhline(0, color="0", **look.RULE)
        above.set_title(name)
        below.set_xlabel("tasks seen")
        _count_tasks(below)
    axes[0, 0].set_ylabel(look.score_name(frame["metric"].iloc[0]))
    axes[1, 0].set_ylabel("gain (points)")
    return look.legend(fig, [*axes[0, 0].get_lines(), axes[1, 0].get_lines()[0]])


@look.figure
def forgetting_curve(frame: pd.DataFrame) -> plt.Figure:
    """Task 1 clustered anew after each task: agreement with its classes and with its first labels.

    One panel per data set.  Lines are means over seeds, bands their 95 % t intervals; the one without markers
    is the agreement of the first labels with the classes."""
    n = frame["dataset"].nunique()
    fig, axes = plt.subplots(1, n, figsize=(max(4.4, 3.4 * n), 3.2), sharey=True, squeeze=False)
    for ax, (name, rows) in zip(axes[0], frame.groupby("dataset", sort=False)):
        for against, runs in rows.groupby("against", sort=False):
            table = runs.pivot(index="tasks_seen", columns="seed", values="value")
            _mean_line(ax, table, f"clustered anew, against {against}")
        first = rows.loc[rows["against"] == "classes", "at_arrival"].mean()
        ax.axhline(100 * first, color="0", label="labels at arrival, against classes", **look.RULE)
        ax.set(title=name, xlabel="tasks seen")
        _count_tasks(ax)
    axes[0, 0].set_ylabel(f"{look.score_name(frame['metric'].iloc[0])} of task 1")
    return look.legend(fig, axes[0, 0].get_lines()[:])


@look.figure
def order_spread(frame: pd.DataFrame) -> plt.Figure:
    """What the order of the tasks changes: the score of a task by its position, and of orders as a whole.

    One row per data set.  Left, by position, how far a task is above its own mean over orders: dots are
    tasks, the line is their mean with its 95 % t interval.  Right, one dot per order, its mean over tasks."""
    n = frame["dataset"].nunique()
    fig, axes = plt.subplots(n, 2, figsize=(6.8, 0.6 + 2.2 * n), squeeze=False, width_ratios=(2, 1))
    for (left, right), (name, rows) in zip(axes, frame.groupby("dataset", sort=False)):
        above = rows["value"] - rows.groupby(["seed", "task"])["value"].transform("mean")
        left.plot(rows["position"], 100 * above, linestyle="", marker=".", color="0.7", zorder=1,
                  markeredgewidth=0, label="a task in one order")
        runs = rows.assign(above=above).pivot(index="position", columns=["seed", "order"], values="above")
        _mean_line(left, runs, "mean over tasks")
        left.set(title=name, xlabel="position", ylabel="points above its mean")
        _count_tasks(left)
        means = rows.groupby(["seed", "order"])["value"].mean().reset_index()
        seeds = {seed: place for place, seed in enumerate(dict.fromkeys(means["seed"]))}
        right.plot(means["seed"].map(seeds), 100 * means["value"], linestyle="", marker="o",
                   markerfacecolor="none", markeredgewidth=1)
        right.set_xticks(range(len(seeds)), seeds)
        right.set(title="each order", xlabel="seed of the tasks", xlim=(-0.5, len(seeds) - 0.5),
                  ylabel=f"mean {look.score_name(frame['metric'].iloc[0])}")
    return look.legend(fig, axes[0, 0].get_lines()[:])


@look.figure
def stream_costs(frame: pd.DataFrame) -> plt.Figure:
    """Seconds for the newest task, and bytes to keep for the next, by the number of tasks seen.

    One line per method, medians where there are several runs, of one data set."""
    fig, axes = plt.subplots(1, 2, figsize=(6.8, 3.2))
    for number, (method, runs) in enumerate(frame.groupby("method", sort=False)):
        medians = runs.groupby("tasks_seen")[["seconds", "bytes"]].median()
        # Of many tasks, only some get a mark, which would hide the line; equal lines lie within each other.
        marks = {"label": method, "markevery": max(1, len(medians) // 8),
                "linewidth": max(2.6 - 0.8 * number, 1), "markersize": max(7 - 1.5 * number, 3)}
        axes[0].plot(medians.index, medians["seconds"], **marks)
        axes[1].plot(medians.index, medians["bytes"] / 1000, **marks)
    for ax, name in zip(axes, ("seconds", "kilobytes kept")):
        ax.set(yscale="log", xlabel="tasks seen", ylabel=name)
        _count_tasks(ax)
        look.plain(ax.yaxis)
    return look.legend(fig, axes[0].get_lines()[:])


def _mean_line(ax, table, name, **marks):
    """Mean over the columns, in percent, with its t interval; a single column has none."""
    mean, low, high = look.mean_interval(100 * table)
    return look.band_line(ax, table.index, mean, low, high.clip(upper=100), name, **marks)


def _count_tasks(ax):
    ax.set_xlim(left=0.5)
    ax.xaxis.set_major_locator(MaxNLocator(8, integer=True))


@look.figure
def relation_matrix(ours: np.ndarray, printed: np.ndarray | None, row_names: Sequence[str],
                    col_names: Sequence[str], tasks: Sequence[str], title: str = "") -> plt.Figure:
    """Relatedness between the clusters of two tasks, ours beside the printed one, on one colour scale.

    Rows and columns are already matched to the classes; `tasks` are the names of the axes.  The largest entry
    of each row is outlined, unless another is written with the same digits.  Colours follow the square root,
    so that one large entry does not make all others look alike."""
    panels = [(whose, np.asarray(matrix, dtype=float))
              for whose, matrix in (("ours", ours), ("printed", printed)) if matrix is not None]
    top = max(np.nanmax(matrix) for _, matrix in panels)
    width = sum(0.9 + 0.75 * matrix.shape[1] for _, matrix in panels)
    height = 1.5 + 0.45 * max(len(matrix) for _, matrix in panels)
    fig, axes = plt.subplots(1, len(panels), figsize=(width + 1, height), squeeze=False)
    for ax, (whose, matrix) in zip(axes[0], panels):
        notes = np.char.mod("%.3f", matrix)
        notes[notes == "0.000"] = "0"
        frame = pd.DataFrame(matrix, index=list(row_names), columns=list(col_names))
        heat(ax, frame, notes, norm=PowerNorm(0.5, 0, top), cbar=False)
        for row, values in enumerate(matrix):
            best = int(np.nanargmax(values))
            if (notes[row] == notes[row, best]).sum() == 1:
                outline(ax, row, best)
        ax.set(title=whose if len(panels) > 1 else "", xlabel=tasks[1])
        broken = (textwrap.fill(name.replace(".", ". "), 11).replace(". ", ".") for name in col_names)
        ax.set_xticklabels(list(broken), rotation=0)
        ax.set_yticklabels(row_names if ax is axes[0][0] else [""] * len(row_names), rotation=0)
    axes[0][0].set_ylabel(tasks[0])
    fig.suptitle(title)
    fig.colorbar(axes[0][0].collections[0], ax=list(axes[0]), label="relatedness", shrink=0.9)
    return fig


def heat(ax, frame, notes, **options):
    """Coloured cells with notes (``seaborn.heatmap``); a missing value is a dash on grey."""
    sns.heatmap(frame, annot=notes, fmt="", cmap="cividis", linewidths=1, linecolor="white", ax=ax, **options)
    # Seaborn writes white on cells that are too pale for it.
    missing = np.isnan(frame.to_numpy())
    for note, colour in zip(ax.texts, ax.collections[0].get_facecolors()[~missing.ravel()]):
        note.set_color("black" if sns.utils.relative_luminance(colour) > DARK else "white")
    ax.set_facecolor("#ececec")
    ax.grid(False)
    for row, column in np.argwhere(missing):
        ax.text(column + 0.5, row + 0.5, "–", ha="center", va="center")


def outline(ax, row, column):
    """A frame around one cell of :func:`heat` that shows on dark and on light cells."""
    double = [patheffects.Stroke(linewidth=4, foreground="white"), patheffects.Normal()]
    inside = (column + 0.05, row + 0.05)
    ax.add_patch(Rectangle(inside, 0.9, 0.9, fill=False, edgecolor="black", linewidth=2, path_effects=double))
