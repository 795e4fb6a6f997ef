"""Scores by method and task: ours beside the printed ones, with and without verdicts."""

from collections.abc import Mapping, Sequence
from textwrap import shorten
from urllib.parse import urlencode

import pandas as pd

from mtclib.companion.parameters import HOME
from mtclib.companion.tables.table import DASH, Cell, Table, tally, task_name
from mtclib.companion.verdicts.chance import SCORES as CHANCE
from mtclib.companion.verdicts.intervals import DELTA
from mtclib.companion.verdicts.judge import SYMBOLS
from mtclib.companion.verdicts.published import PERCENT_OR_FRACTION

SHUFFLED, IN_BAND = "labels shuffled", "°"
REPORT = f"{HOME}/issues/new?template=correction.md"


def reproduced(verdicts: pd.DataFrame, metrics: Sequence[str] = ("ACC", "NMI")) -> Table:
    """A table of the paper with our numbers and the verdict in each cell: methods by tasks and metrics.
    `verdicts` has one row per published cell of one data set, as from ``judge``; `metrics` are printed names,
    in this order. A cell with the focus shows what else is known of it, and a link to report an error."""
    frame = verdicts[verdicts["metric"].isin(list(metrics))]
    if frame.empty:
        known = ", ".join(sorted(set(verdicts["metric"])))
        raise ValueError(f"metrics={list(metrics)}: none is in the frame; it has {known}")
    percent = bool((pd.to_numeric(frame["printed_mean"], errors="coerce") > 2 * frame["published"]).any())
    cells = {(r["method"], r["task"], r["metric"]): _judged(r, percent) for r in frame.to_dict("records")}
    first = frame.iloc[0]
    caption = f"Table {first['table']}, {first['dataset']}: ours above, printed below"
    notes = [f"Means{' in percent' if percent else ''}; the paper's numbers as printed. "
             f"δ = {100 * DELTA:g} points. Ours: {_runs(frame['n'])}. "
             f"{len(frame)} cells: {tally(frame['verdict'])}."]
    if "source" in frame:
        both = frame[["source", "pipeline", "note"]].drop_duplicates()
        told = ", ".join(f"{row.source} ({row.pipeline})" for row in both.itertuples())
        notes.append(" ".join([f"Pipeline: {told}.", *filter(None, both["note"])]))
    methods, known = list(frame["method"]), frame.reindex(columns=["task", "metric", "in_band", *CHANCE])
    known = known.dropna(subset="chance")
    if len(known):
        bands = known.to_dict("records")
        cells |= {(SHUFFLED, r["task"], r["metric"]): Cell(_band(r, percent)) for r in bands}
        methods.append(SHUFFLED)
        lie = {0: "No printed number lies in its band.",
               1: f"1 printed number lies in its band ({IN_BAND}): it cannot be told from chance."}
        n = int(known["in_band"].sum())
        notes.append(f"{SHUFFLED}: mean and 95 % band of classes shuffled within a task. " + lie.get(
            n, f"{n} printed numbers lie in theirs ({IN_BAND}): they cannot be told from chance."))
    return _scores(cells, methods, frame["task"], metrics, caption, notes)


def side_by_side(results: pd.DataFrame, printed: pd.DataFrame, metrics: Mapping, caption: str,
                 percent: bool = True) -> Table:
    """Our scores, beside the printed ones where there are any, without verdicts: for the quick profile.
    `results` are rows of one data set and one parameter setting per method and task, `printed` the printed
    cells, in `percent` or as fractions; `metrics` maps names to show, those of `printed`, to ours."""
    settings = results.groupby(["method", "task"], sort=False)["params"].nunique()
    if (settings > 1).any():
        method, task = settings.index[(settings > 1).argmax()]
        raise ValueError(f"results: {method} on task {task} has several params; choose one setting before")
    records = printed.to_dict("records")
    theirs = {(row["method"], row["task"], row["metric"]): row for row in records}
    groups = dict(list(results.groupby(["method", "task", "metric"], sort=False)))
    cells = {}
    for method, task in settings.index:
        for shown, name in metrics.items():
            paper = theirs.get((method, task, shown))
            ours = groups.get((method, task, name))
            lines = (DASH,) if ours is None else _ours(ours, _scale(name) if percent else 1)
            lines += () if paper is None else (str(paper["printed_mean"]),)
            cells[method, task, shown] = Cell(lines)
    runs = _runs(results.groupby("method")["run"].nunique())
    below = "; below it the printed mean" if records else ""
    notes = [f"Mean ± standard deviation{' in percent' * percent}, {runs}{below}; no verdict."]
    return _scores(cells, results["method"], results["task"], list(metrics), caption, notes)


def _scores(cells, methods, tasks, metrics, caption, notes):
    methods = dict.fromkeys(methods)
    tasks = sorted(dict.fromkeys(tasks), key=lambda task: task != "avg")
    filled = {key[1:] for key in cells}
    columns = [(task, metric) for task in tasks for metric in metrics if (task, metric) in filled]
    header = (("", "Method"), *((task_name(task), metric) for task, metric in columns))
    blank = Cell((DASH,))
    rows = [(Cell((str(m),)), *(cells.get((m, *column), blank) for column in columns)) for m in methods]
    return Table(header, tuple(rows), caption, tuple(notes))


def _judged(row, percent):
    """Cell of one published number: ours with the symbol of the verdict, printed, and what else is known."""
    scale = _scale(row["metric"]) if percent else 1
    ours, sd, low, high, radius = (_number(row[name], scale)
                                   for name in ("ours", "ours_std", "low", "high", "radius"))
    printed, cause = _pm(row["printed_mean"], row["printed_std"]), row["cause"]
    why = row.get("decisions", ""), str(row["reason"] or "")
    known = {"verdict": row["verdict"], "ours": ours and _pm(ours, sd), "printed": printed * ("±" in printed),
             "shuffled": ", ".join(_band(row, percent)) if pd.notna(row.get("chance")) else "",
             "interval": f"{low} to {high}" if low and high else "", "radius": radius,
             "cause": cause if isinstance(cause, str) and cause != row["verdict"] else "",
             "pipeline": row.get("pipeline", ""),
             "decision": shorten(": ".join(filter(None, why)), 90, placeholder=" …")}
    lines = f"{ours or DASH} {SYMBOLS[row['verdict']]}", printed.partition(" ± ")[0]
    report = f"{REPORT}&{urlencode({'title': row['cell']})}" if "cell" in row else ""
    return Cell((lines[0], lines[1] + IN_BAND * bool(row.get("in_band"))), row["verdict"],
                card=tuple((name, text) for name, text in known.items() if text), report=report)


def _band(row, percent):
    mean, low, high = (_number(row[name], _scale(row["metric"]) if percent else 1) for name in CHANCE)
    return mean, f"{low} to {high}"


def _ours(group, scale):
    """Lines of one cell of results: mean, spread, and how many runs failed."""
    good = group.loc[group["status"] == "ok", "value"].dropna()
    lost = len(group) - len(good)
    text = _pm(_number(good.mean(), scale), _number(good.std(), scale)) if len(good) else "✗ failed"
    return (text, *([f"{lost} of {len(group)} runs failed"] if lost else []))


def _runs(counts):
    counts = counts[counts > 0]
    if counts.empty:
        return "no runs"
    least, most = int(counts.min()), int(counts.max())
    return f"{f'{least} to ' * (least < most)}{most} run{'s' * (most > 1)} per cell"


def _scale(metric):
    return 100 if metric in PERCENT_OR_FRACTION or metric.startswith("NMI") else 1


def _number(value, scale):
    """Percent with one decimal, other metrics with three digits; no negative zero."""
    if pd.isna(value):
        return ""
    return f"{round(100 * value, 1) + 0.0:.1f}" if scale == 100 else f"{round(value, 3) + 0.0:.3f}"


def _pm(mean, std):
    mean, std = ("" if pd.isna(x) else str(x) for x in (mean, std))
    return (f"{mean} ± {std}" if std else mean) or DASH
