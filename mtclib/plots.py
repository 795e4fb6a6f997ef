"""Figures that a notebook shows: tidy frames in, one closed matplotlib Figure out.

Each function returns its figure and shows nothing.  A notebook displays it by naming it in the last line of a
cell.  The figure is closed for pyplot, so that it appears once and is freed: ``plt.show()`` would do nothing.
Colours, markers and line styles come from ``mtclib.mplstyle`` and differ in lightness and in shape.  Legends
stand outside the axes and never cover data.
"""

import csv
import functools
import hashlib
import json
import os
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib import patheffects
from matplotlib.colors import ListedColormap, to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, NullLocator

from mtclib.paths import root
from mtclib.tables import COLOURS, MEANINGS, OURS_SD, PUBLISHED_SD, label, task_name

GREEK = {"lam": "λ", "lambda": "λ", "mu": "μ", "alpha": "α", "beta": "β", "gamma": "γ"}
PARAMS = ("lam", "mu", "alpha", "beta")
MANIFEST_COLUMNS = ("file", "sha256", "source", "data_key")
# Without dates and program versions, equal figures give equal files.
_METADATA = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
_MARK = {"linewidth": 1.2, "linestyle": (0, (1, 1)), "marker": ""}
_RULE = {"linewidth": 0.8, "linestyle": "-", "marker": ""}


def style():
    """Context manager with the look of all figures, whatever the user's own settings are.

    Examples
    --------
    >>> with style():
    ...     plt.rcParams["axes.grid"]
    True
    """
    return plt.style.context(["default", Path(__file__).with_name("mtclib.mplstyle")])


def _figure(draw):
    """Draw within the style, lay out, and close for pyplot."""

    @functools.wraps(draw)
    def drawn(*args, **kwargs):
        with style():
            before = plt.get_fignums()
            try:
                fig = draw(*args, **kwargs)
                # A notebook draws later and outside the style.  The number of ticks depends on the size of
                # their labels, so that is fixed here, and the layout, once it has settled, is frozen.
                for ax in fig.axes:
                    ax.tick_params(labelsize=plt.rcParams["xtick.labelsize"])
                fig.draw_without_rendering()
                fig.draw_without_rendering()
                fig.set_layout_engine("none")
            finally:
                for number in set(plt.get_fignums()) - set(before):
                    plt.close(number)
        return fig

    return drawn


@_figure
def sensitivity(frame, params=PARAMS, metric="ACC", base=None, band="sd", printed=None):
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
    band : {"sd", "range"}, default="sd"
        Band over the runs: mean plus and minus one standard deviation, or smallest to largest.
    printed : mapping of str to float, optional
        Data set to the paper's value, a fraction; drawn as a thin line.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        No row fits, a parameter is unknown or not positive, or `base` is needed because two values are
        equally frequent.

    Examples
    --------
    >>> rows = [("toy", "avg", "ACC", f'{{"lam": {v}}}', 0.8) for v in (0.5, 1, 2)]
    >>> frame = pd.DataFrame(rows, columns=["dataset", "task", "metric", "params", "value"])
    >>> [text.get_text() for text in sensitivity(frame, params=["lam"]).axes[0].get_xticklabels()]
    ['1/2', '1', '2']
    """
    rows = _with_params(_scored(frame, metric), params)
    if (rows[list(params)] <= 0).any(axis=None):
        raise ValueError(f"params: {', '.join(params)} must be positive, the axis is logarithmic")
    base = _base(rows, params) if base is None else base
    size = (max(2.3 * len(params), 4), 2.9)
    fig, axes = plt.subplots(1, len(params), figsize=size, sharey=True, squeeze=False)
    for ax, name in zip(axes[0], params):
        fits = [np.isclose(rows[other], base[other]) for other in params if other != name]
        panel = rows[np.logical_and.reduce(fits)] if fits else rows
        handles = _lines(ax, panel, name, list(dict.fromkeys(rows["dataset"])), band)
        for line in handles:
            if line.get_label() in (printed or {}):
                ax.axhline(100 * printed[line.get_label()], color=line.get_color(), **_MARK)
        ax.axvline(base[name], color="0.5", zorder=0, **_RULE)
        ax.set(xscale="log", xlabel=GREEK.get(name, name))
        _ticks(ax.xaxis, np.unique(panel[name]))
    axes[0][0].set_ylabel(f"{metric} (%)")
    handles.append(Line2D([], [], color="0.5", label="fixed in the other panels", **_RULE))
    _legend(fig, handles + ([Line2D([], [], color="0.2", label="printed", **_MARK)] if printed else []))
    return fig


@_figure
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
    _heat(ax, mean, notes, cbar_kws={"label": f"{metric} (%)"})
    _outline(ax, *best)
    ax.set(xlabel=GREEK.get(x, x), ylabel=GREEK.get(y, y), title="★ best, chosen with the labels")
    ax.set_xticklabels([_short(value) for value in mean.columns])
    ax.set_yticklabels([_short(value) for value in mean.index], rotation=0)
    return fig


@_figure
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
    if not histories or any(len(run) == 0 for runs in histories.values() for run in runs or [[]]):
        raise ValueError("histories: every label needs at least one run with at least one value")
    fig, ax = plt.subplots(figsize=(5.2, 3.3))
    for name, runs in histories.items():
        middle, low, high = _quantiles(runs, relative, band)
        x = np.arange(1, len(middle) + 1)
        _band(ax, x, middle, low, high, name, markevery=max(1, len(x) // 10))
    handles = ax.get_lines()[:]
    stops = printed_iterations if isinstance(printed_iterations, Mapping) else {"": printed_iterations}
    for name, stop in stops.items():
        if stop is not None:
            colour = next((line.get_color() for line in handles if line.get_label() == name), "0.35")
            text = f"paper stops at {stop}" + (f" ({name})" if name else "")
            handles.append(ax.axvline(stop, color=colour, label=text, **_MARK))
    ax.set(xlabel="iteration", ylabel="(J - J_min) / J_0" if relative else "objective J")
    ax.margins(y=0.05)
    if relative:
        ax.set_yscale("log")
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    _legend(fig, handles)
    return fig


@_figure
def relation_matrix(ours, printed=None, row_names=None, col_names=None, titles=("ours", "printed")):
    """Relatedness between the clusters of two tasks, ours beside the printed one, on one colour scale.

    Parameters
    ----------
    ours : array-like of shape (h_t, h_s)
        Our matrix; its rows and columns already matched to the classes.
    printed : array-like of shape (p_t, p_s), optional
        The paper's matrix.
    row_names, col_names : sequence of str, optional
        Names of the classes of the two tasks; numbers by default.
    titles : (str, str), default=("ours", "printed")
        Titles of the panels.

    Returns
    -------
    matplotlib.figure.Figure
        The largest entry of each row is outlined.

    Raises
    ------
    ValueError
        A matrix does not have two dimensions or does not fit the names.

    Examples
    --------
    >>> fig = relation_matrix([[0.5, 0.1], [0.0, 0.4]], row_names=["a", "b"], col_names=["c", "d"])
    >>> [text.get_text() for text in fig.axes[0].texts]
    ['0.500', '0.100', '0.000', '0.400']
    """
    given = [(title, matrix) for title, matrix in zip(titles, (ours, printed)) if matrix is not None]
    panels = [(title, np.asarray(matrix, dtype=float)) for title, matrix in given]
    top = max(np.nanmax(matrix) for _, matrix in panels)
    width = sum(1.2 + 0.85 * matrix.shape[1] for _, matrix in panels)
    height = 1.6 + 0.5 * max(len(matrix) for _, matrix in panels)
    fig, axes = plt.subplots(1, len(panels), figsize=(width + 1, height), squeeze=False)
    for ax, (title, matrix) in zip(axes[0], panels):
        rows, cols = _names(matrix, 0, row_names), _names(matrix, 1, col_names)
        frame = pd.DataFrame(matrix, index=rows, columns=cols)
        notes = np.array([[f"{value:.3f}" for value in row] for row in matrix], dtype=object)
        _heat(ax, frame, notes, vmin=0, vmax=top, cbar=False)
        for row, values in enumerate(matrix):
            _outline(ax, row, int(np.nanargmax(values)))
        ax.set_title(title)
        slant = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"} if max(map(len, cols)) > 8 else {}
        ax.set_xticklabels(cols, **({"rotation": 0} | slant))
        ax.set_yticklabels(rows if ax is axes[0][0] else [""] * len(rows), rotation=0)
    fig.colorbar(axes[0][0].collections[0], ax=list(axes[0]), label="relatedness", shrink=0.9)
    return fig


@_figure
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
        handles.append(_band(ax, stats.index, stats["median"], stats["min"], stats["max"], name))
    if switch_at is not None:
        text = f"paper changes solver at {switch_at}"
        handles.append(ax.axvline(switch_at, color="0.35", label=text, **_MARK))
    ax.set(xscale="log", yscale="log", xlabel="clusters in each task", ylabel="seconds")
    _ticks(ax.xaxis, _thinned(np.unique(frame["n_clusters"])))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    _legend(fig, handles)
    return fig


@_figure
def preprocessing(frame, printed=None, metric="ACC"):
    """Our baseline under each preprocessing, beside the printed value of each task.

    Parameters
    ----------
    frame : DataFrame
        ``weighting`` (name of the preprocessing), ``task`` and ``value`` (fraction), one row a run.
    printed : mapping of str to float, optional
        Task to the paper's value, a fraction; a vertical line.
    metric : str, default="ACC"
        Name on the axis.

    Returns
    -------
    matplotlib.figure.Figure
        Dots are means over the runs, whiskers reach from the smallest to the largest.

    Raises
    ------
    ValueError
        `frame` is empty.

    Examples
    --------
    >>> frame = pd.DataFrame({"weighting": ["tf", "tf-idf"], "task": "1", "value": [0.3, 0.8]})
    >>> [text.get_text() for text in preprocessing(frame, {"1": 0.31}).axes[0].get_yticklabels()]
    ['tf', 'tf-idf']
    """
    rows = list(dict.fromkeys(frame["weighting"]))
    fig, axes = _dot_panels(rows, list(dict.fromkeys(frame["task"])), metric)
    handles = {}
    for task, ax in axes.items():
        values = frame[frame["task"] == task].groupby("weighting")["value"]
        stats = values.agg(["mean", "min", "max"]).reindex(rows)
        spread = stats["mean"], stats["min"], stats["max"]
        handles["ours"] = _dots(ax, *spread, 0, "ours, all runs", "C1", "o")
        if printed and not pd.isna(printed.get(task, np.nan)):
            colour = to_hex("C2")
            handles["printed"] = ax.axvline(100 * printed[task], color=colour, label="printed", **_MARK)
    _legend(fig, list(handles.values()))
    return fig


@_figure
def scores_by_method(verdicts, metric="ACC"):
    """Our score and the printed one for each method, one panel a task, with standard deviations.

    Parameters
    ----------
    verdicts : DataFrame
        Judged cells of one data set: ``method, task, metric, published, ours`` and their standard deviations.
    metric : str, default="ACC"
        Printed name of the metric.

    Returns
    -------
    matplotlib.figure.Figure
        A method that was not run has the printed mark only.

    Raises
    ------
    ValueError
        No cell of this metric.

    Examples
    --------
    >>> cell = {"method": "SNMF", "task": "1", "metric": "ACC", "published": 0.8, "published_std": 0.0}
    >>> fig = scores_by_method(pd.DataFrame([cell | {"ours": 0.82, "ours_std": 0.01}]))
    >>> fig.axes[0].get_title(), [text.get_text() for text in fig.legends[0].get_texts()]
    ('Task 1', ['printed', 'ours'])
    """
    chosen = verdicts[verdicts["metric"] == metric]
    rows = list(dict.fromkeys(chosen["method"]))
    fig, axes = _dot_panels(rows, list(dict.fromkeys(chosen["task"])), metric)
    handles = []
    for task, ax in axes.items():
        cells = chosen[chosen["task"] == task].set_index("method").reindex(rows)
        handles = []
        for mean, sd, name, colour, marker, offset in (
            ("published", PUBLISHED_SD, "printed", "C2", "D", -0.16),
            ("ours", OURS_SD, "ours", "C1", "o", 0.16),
        ):
            low, high = cells[mean] - cells[sd].fillna(0), cells[mean] + cells[sd].fillna(0)
            handles.append(_dots(ax, cells[mean], low, high, offset, name, colour, marker))
    _legend(fig, handles)
    return fig


@_figure
def verdict_grid(verdicts):
    """Every printed cell as a coloured square with the symbol of its verdict; one panel a paper.

    Parameters
    ----------
    verdicts : DataFrame
        Judged cells: ``paper, table, dataset, task, method, metric, verdict``.

    Returns
    -------
    matplotlib.figure.Figure
        The legend names each verdict in use and counts its cells.

    Raises
    ------
    ValueError
        `verdicts` is empty.

    Examples
    --------
    >>> cell = {"paper": "p", "table": "3", "dataset": "toy", "task": "1", "method": "SNMF", "metric": "ACC"}
    >>> fig = verdict_grid(pd.DataFrame([cell | {"verdict": "agrees"}]))
    >>> fig.axes[0].texts[0].get_text(), fig.legends[0].get_texts()[0].get_text()
    ('✓', '✓ agrees (1)')
    """
    if verdicts.empty:
        raise ValueError("verdicts: the frame has no cell")
    papers = {paper: _wide(cells) for paper, cells in verdicts.groupby("paper", sort=False)}
    longest = max(wide.shape[1] for wide in papers.values())
    datasets = max(len(set(wide.columns.get_level_values("dataset"))) for wide in papers.values())
    narrow = longest > 12 or datasets > 1
    heights = [0.27 * len(wide) + (1.9 if narrow else 0.9) for wide in papers.values()]
    size = (max(1.6 + (0.27 if narrow else 0.62) * longest, 5), sum(heights) + 0.8)
    fig, axes = plt.subplots(len(papers), 1, figsize=size, height_ratios=heights, squeeze=False)
    for ax, (paper, wide) in zip(axes[:, 0], papers.items()):
        _squares(ax, wide, narrow)
        ax.set_xlim(0, longest)
        ax.set_title(paper if narrow else f"{paper}: {wide.columns[0][1]}", loc="left")
    counts = verdicts["verdict"].value_counts()
    used = [verdict for verdict in MEANINGS if verdict in counts]
    handles = [Patch(facecolor=_fill(v), edgecolor="0.5", label=f"{label(v)} ({counts[v]})") for v in used]
    if any(wide.isna().any(axis=None) for wide in papers.values()):
        handles.append(Patch(facecolor="none", edgecolor="none", label="empty: not printed"))
    _legend(fig, handles)
    return fig


def save(fig, name, folder=None, manifest=None, source="", data_key="", formats=("png", "svg")):
    """Write a figure so that equal figures give equal files, and record it in the manifest.

    Parameters
    ----------
    fig : matplotlib.figure.Figure
        Figure.
    name : str
        File name without ending: letters, digits, ``-``, ``_`` and ``.``.
    folder : path-like, optional
        Folder of the files, made if missing; the repository's ``figures`` by default.
    manifest : path-like, optional
        Csv with the columns `MANIFEST_COLUMNS`; ``manifest.csv`` in `folder` by default.
    source : str, default=""
        Notebook that drew the figure.
    data_key : str, default=""
        What identifies the data behind it, e.g. a content hash.
    formats : sequence of {"png", "svg", "pdf"}, default=("png", "svg")
        Formats.

    Returns
    -------
    list of pathlib.Path
        The files.

    Raises
    ------
    ValueError
        `name` holds other characters, or a format is unknown.

    Notes
    -----
    The bytes depend on the versions of matplotlib and of its font library, not on the clock or the process.

    Examples
    --------
    >>> import tempfile
    >>> fig = convergence({"toy": [[2.0, 1.0, 0.5]]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in save(fig, "demo", folder, source="demo.ipynb")]
    ['demo.png', 'demo.svg']
    """
    unknown = [ending for ending in formats if ending not in _METADATA]
    if unknown:
        raise ValueError(f"formats: {unknown[0]!r} is unknown; use {', '.join(_METADATA)}")
    if not name.strip(".") or not name.replace("-", "").replace("_", "").replace(".", "").isalnum():
        raise ValueError(f"name={name!r}: use letters, digits, '-', '_' and '.' only, without ending")
    folder = root() / "figures" if folder is None else Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.{ending}" for ending in formats]
    with style():
        for path, ending in zip(paths, formats):
            fig.savefig(path, format=ending, metadata=_METADATA[ending])
    _record(folder / "manifest.csv" if manifest is None else Path(manifest), paths, source, data_key)
    return paths


def _record(manifest, paths, source, data_key):
    """Replace the rows of these files; keep the manifest sorted and never half-written."""
    rows = {}
    if manifest.exists():
        with manifest.open(newline="", encoding="utf-8") as handle:
            rows = {row["file"]: row for row in csv.DictReader(handle)}
    for path in paths:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        rows[path.name] = dict(zip(MANIFEST_COLUMNS, (path.name, digest, source, data_key)))
    partial = manifest.with_suffix(".part")
    with partial.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.DictWriter(handle, MANIFEST_COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[name] for name in sorted(rows))
    os.replace(partial, manifest)


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


def _lines(ax, rows, x, datasets, band):
    """One line a data set, in the same order in every panel, so that each keeps its look."""
    lines = []
    for name in datasets:
        values = rows[rows["dataset"] == name].groupby(x)["value"]
        stats = 100 * values.agg(["mean", "std", "min", "max"]).fillna(0)
        low, high = stats["min"], stats["max"]
        if band == "sd":
            low, high = stats["mean"] - stats["std"], stats["mean"] + stats["std"]
        lines.append(_band(ax, stats.index, stats["mean"], low, high, name))
    return lines


def _band(ax, x, middle, low, high, name, **look):
    (line,) = ax.plot(x, middle, label=name, **look)
    ax.fill_between(x, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
    return line


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


def _heat(ax, frame, notes, **options):
    sns.heatmap(frame, annot=notes, fmt="", cmap="cividis", linewidths=1, linecolor="white", ax=ax, **options)
    ax.set_facecolor("#ececec")
    ax.grid(False)
    for row, column in np.argwhere(np.isnan(frame.to_numpy())):
        ax.text(column + 0.5, row + 0.5, "–", ha="center", va="center")


def _outline(ax, row, column):
    """A frame that shows on dark and on light cells."""
    double = [patheffects.Stroke(linewidth=4, foreground="white"), patheffects.Normal()]
    inside = (column + 0.05, row + 0.05)
    ax.add_patch(Rectangle(inside, 0.9, 0.9, fill=False, edgecolor="black", linewidth=2, path_effects=double))


def _names(matrix, axis, names):
    if matrix.ndim != 2 or (names is not None and len(names) != matrix.shape[axis]):
        raise ValueError(f"a matrix of shape {matrix.shape} does not fit {names} along axis {axis}")
    return [str(i + 1) for i in range(matrix.shape[axis])] if names is None else list(names)


def _dot_panels(rows, tasks, metric):
    if not rows:
        raise ValueError(f"frame: no row of metric {metric!r}")
    size = (max(1.2 + 1.75 * len(tasks), 4), 1.3 + 0.27 * len(rows))
    fig, axes = plt.subplots(1, len(tasks), figsize=size, sharey=True, sharex=True, squeeze=False)
    axes[0][0].set_yticks(range(len(rows)), rows)
    axes[0][0].set_ylim(len(rows) - 0.5, -0.5)
    for ax, task in zip(axes[0], tasks):
        ax.set_title(task_name(task))
        ax.set_xlabel(f"{metric} (%)")
    return fig, dict(zip(tasks, axes[0]))


def _dots(ax, mean, low, high, offset, name, colour, marker):
    mean, low, high = (100 * np.asarray(values, dtype=float) for values in (mean, low, high))
    # A notebook draws outside the style, where "C1" would be another colour.
    look = {"color": to_hex(colour), "marker": marker, "linestyle": "", "elinewidth": 1.2, "capsize": 2}
    spread = (mean - low, high - mean)
    return ax.errorbar(mean, np.arange(len(mean)) + offset, xerr=spread, label=name, **look)


def _wide(cells):
    keys = {"index": "method", "columns": ["table", "dataset", "task", "metric"], "values": "verdict"}
    return cells.pivot_table(**keys, aggfunc="first", sort=False)


def _squares(ax, wide, narrow):
    """The grid of one paper, with a gap after each data set; what is not printed stays empty."""
    used = [verdict for verdict in COLOURS if (wide == verdict).any(axis=None)]
    codes = sum((wide == verdict).to_numpy() * (number + 1) for number, verdict in enumerate(used))
    colours = ListedColormap([_fill(verdict) for verdict in used])
    look = {"vmin": 0.5, "vmax": len(used) + 0.5, "edgecolors": "0.6", "linewidth": 0.6}
    ax.pcolormesh(np.ma.masked_equal(codes, 0), cmap=colours, **look)
    for (row, column), verdict in np.ndenumerate(wide.to_numpy()):
        if isinstance(verdict, str):
            colour = COLOURS[verdict][1].replace("inherit", "black")
            centre = {"ha": "center", "va": "center", "fontsize": 10}
            ax.text(column + 0.5, row + 0.5, label(verdict)[0], color=colour, **centre)
    heads = [(dataset * narrow, task_name(task), metric) for _, dataset, task, metric in wide.columns]
    names = [(" " if narrow else "\n").join(part for part in head if part) for head in heads]
    ax.set_xticks(np.arange(len(names)) + 0.5, names, rotation=90 if narrow else 0)
    ax.set_yticks(np.arange(len(wide)) + 0.5, wide.index)
    for column in np.flatnonzero([one[:2] != two[:2] for one, two in zip(wide.columns, wide.columns[1:])]):
        ax.axvline(column + 1, color="black", linewidth=1.5, linestyle="-", marker="")
    ax.invert_yaxis()
    ax.grid(False)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def _fill(verdict):
    return COLOURS[verdict][0].replace("transparent", "white")


def _legend(fig, handles):
    """One legend below the axes, with as many columns as the figure is wide enough for."""
    longest = max(len(handle.get_label()) for handle in handles)
    columns = int(fig.get_figwidth() // (0.5 + 0.075 * longest))
    fig.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), max(1, columns)))


def _ticks(axis, values):
    axis.set_major_locator(FixedLocator(values))
    axis.set_major_formatter(FixedFormatter([_short(value) for value in values]))
    axis.set_minor_locator(NullLocator())


def _short(value):
    """0.25 as 1/4, 4.0 as 4."""
    fraction = Fraction(float(value)).limit_denominator(1024)
    if 0 < value < 1 and fraction.numerator == 1 and np.isclose(float(fraction), value):
        return str(fraction)
    return f"{value:g}"


def _thinned(values):
    """Ticks of a logarithmic axis that stay apart: each at least a quarter above the last."""
    kept = []
    for value in values:
        kept += [value] if not kept or value >= 1.25 * kept[-1] else []
    return kept
