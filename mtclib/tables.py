"""Tables that a notebook shows: frames in, one :class:`Table` out.

A `Table` has an HTML form for JupyterLab and a plain text form for a terminal, for nbval and for a screen
reader.  Both are the same from run to run: no random ids, no addresses, no unrounded floats.  Colour is never
alone: each coloured cell has its symbol and its word, and sets text and background together, so that it reads
in a light and in a dark theme.  Scores are shown in percent with one decimal; the paper's numbers as printed.
"""

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from itertools import groupby, zip_longest
from types import MappingProxyType

import numpy as np
import pandas as pd

from mtclib.reproduction.published import PERCENT_OR_FRACTION
from mtclib.reproduction.verdicts import CAUSES, DELTA, QUICK, SYMBOLS

DASH = "–"
PUBLISHED_SD, OURS_SD, OURS_N = "published_std", "ours_std", "n"
VERDICT_COLUMNS = (
    "paper", "table", "dataset", "task", "method", "metric", "printed_mean", "printed_std", "published",
    PUBLISHED_SD, "ours", OURS_SD, OURS_N, "radius", "verdict", "cause", "reason",
)  # fmt: skip
AUDIT_COLUMNS = MappingProxyType({
    "table": "table", "kind": "kind", "where": "where", "printed": "printed", "expected": "expected",
    "text": "finding",
})  # fmt: skip
RESULT_COLUMNS = ("method", "task", "metric", "params", "run", "value", "status")
DECISION_COLUMNS = MappingProxyType({
    "id": "id", "place": "place", "problem": "problem", "decision": "decision", "evidence": "evidence",
    "cause": "cause",
})  # fmt: skip
CLAIM_COLUMNS = MappingProxyType({
    "id": "id", "quote": "the paper says", "place": "place", "status": "status", "counts": "counts",
    "in_print": "in the paper's own numbers", "reason": "reason",
})  # fmt: skip
CLAIM_SYMBOLS = MappingProxyType({
    "holds": "✓", "fails": "✗", "undecided": "?", "no data": "–", "not yet testable": "·",
})  # fmt: skip
TOLD = ("higher", "lower", "failed", "not-run", "unavailable")
MEANINGS = MappingProxyType({
    "exact": "our mean rounds to the printed digits",
    "agrees": "the 90% interval of the difference lies inside ±δ",
    "higher": "the whole interval lies above +δ",
    "lower": "the whole interval lies below -δ",
    "inconclusive": "the interval crosses ±δ: more runs may decide",
    "no margin": "the metric has no scale for a margin",
    QUICK: "the quick profile has too few runs",
    "misprint": "the printed number contradicts its own table; not counted",
    "failed": "every run failed",
    "not-run": "nobody has run it here",
    "unavailable": "data or method cannot be had",
    "holds": "the test supports the sentence",
    "fails": "the test contradicts the sentence",
    "undecided": "the test cannot tell",
    "no data": "the runs that the test needs are missing",
    "not yet testable": "no test has been written",
})
# Background and text.  The five verdicts that are counted differ in lightness too: they survive a grey print.
COLOURS = MappingProxyType({
    "exact": ("#00457c", "#ffffff"), "agrees": ("#a6d3f5", "#000000"), "higher": ("#e69f00", "#000000"),
    "lower": ("#b3400a", "#ffffff"), "inconclusive": ("#ececec", "#000000"),
    "no margin": ("#c8c8c8", "#000000"), QUICK: ("transparent", "inherit"),
    "misprint": ("#d9a3c4", "#000000"), "failed": ("#4a4a4a", "#ffffff"),
    "not-run": ("transparent", "inherit"), "unavailable": ("#9e9e9e", "#000000"),
    "holds": ("#a6d3f5", "#000000"), "fails": ("#b3400a", "#ffffff"), "undecided": ("#ececec", "#000000"),
    "no data": ("transparent", "inherit"), "not yet testable": ("transparent", "inherit"),
})  # fmt: skip
_SYMBOLS = {**SYMBOLS, **CLAIM_SYMBOLS}
# Several classes before each rule: JupyterLab has specific rules for tables, and aligns text to the right.
_CSS = """
.mtclib .mtclib-scroll{overflow-x:auto;max-width:100%}
.mtclib.mtclib p.mtclib-note{font-size:12px;line-height:1.5;margin:2px 0;max-width:110em}
.mtclib .mtclib-key{padding:0 4px;border:1px solid rgba(128,128,128,.6);border-radius:3px;white-space:nowrap}
.mtclib .mtclib-scroll table.mtclib-grid{border-collapse:separate;border-spacing:0;font-size:11px}
.mtclib .mtclib-scroll .mtclib-grid th,.mtclib .mtclib-scroll .mtclib-grid td{padding:3px 5px;text-align:left;
vertical-align:top;max-width:34em;line-height:1.35;overflow-wrap:break-word;
border-bottom:1px solid rgba(128,128,128,.35)}
.mtclib .mtclib-scroll .mtclib-grid .mtclib-lines,.mtclib .mtclib-scores tr>th:first-child{white-space:nowrap}
.mtclib .mtclib-scroll .mtclib-grid tr>th:first-child{position:sticky;left:0;z-index:1;
background:var(--jp-layout-color0,Canvas);color:var(--jp-content-font-color1,CanvasText)}
"""


@dataclass(frozen=True)
class Cell:
    """One cell: its lines of text and, for a coloured cell, the key of its look in `COLOURS`."""

    lines: tuple[str, ...]
    look: str = ""


@dataclass(frozen=True, repr=False)
class Table:
    """A finished table; the last expression of a notebook cell.

    Parameters
    ----------
    header : tuple of (str, str)
        Group and name of each column; the group may be empty.
    rows : tuple of tuple of Cell
        Cells, one a column; the first of a row is its heading.
    caption : str
        Title, shown above.
    notes : tuple of str, default=()
        Lines shown below.

    Examples
    --------
    >>> print(Table((("", "method"), ("Task 1", "ACC")), ((Cell(("SNMF",)), Cell(("80.9",))),), "Scores"))
    Scores
    <BLANKLINE>
    method | Task 1
           | ACC
    -------+-------
    SNMF   | 80.9
    """

    header: tuple[tuple[str, str], ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str
    notes: tuple[str, ...] = ()

    @property
    def looks(self) -> tuple[str, ...]:
        """Looks in use, in the order of the legend."""
        used = {cell.look for row in self.rows for cell in row}
        return tuple(look for look in MEANINGS if look in used)

    @property
    def text(self) -> str:
        """Plain text form: deterministic, for a terminal and for comparison."""
        below = [*self._legend(), *self.notes]
        body = list(self._ruled()) if self.rows else []
        return "\n\n".join("\n".join(part) for part in ([self.caption], body, below) if part)

    @property
    def html(self) -> str:
        """HTML form: well-formed, self-contained, without ids."""
        keys = " ".join(
            f'<span class="mtclib-key"{_style(look)}>{escape(label(look))}</span> {escape(MEANINGS[look])}.'
            for look in self.looks
        )
        below = [*([keys] if keys else []), *map(escape, self.notes)]
        return "\n".join([
            f'<div class="mtclib"><style>{_CSS}</style>',
            f'<p class="mtclib-note"><b>{escape(self.caption)}</b></p>',
            *(self._grid() if self.rows else ()),
            *(f'<p class="mtclib-note">{note}</p>' for note in below),
            "</div>",
        ])

    def to_markdown(self) -> str:
        """Markdown form, e.g. for README.

        Returns
        -------
        str
            A pipe table with the caption above and the legend and notes below.
        """
        names = [" ".join(part for part in column if part) for column in self.header]
        rows = [[_markdown(cell.lines) for cell in row] for row in self.rows]
        lines = [[_markdown([name]) for name in names], ["---"] * len(names), *rows]
        table = ["| " + " | ".join(line) + " |" for line in lines] if rows else []
        below = [f"- {_markdown([note])}" for note in (*self._legend(), *self.notes)]
        title = [f"**{_markdown([self.caption])}**"]
        return "\n\n".join("\n".join(part) for part in (title, table, below) if part)

    def _ruled(self):
        """Lines of the text table itself; a rule between rows where a row has several lines."""
        names = [Cell((group, name) if group else (name,)) for group, name in self.header]
        grid = [[_wrapped(cell.lines) for cell in row] for row in (names, *self.rows)]
        widths = [max(len(line) for lines in column for line in lines) for column in zip(*grid)]
        tall = any(len(lines) > 1 for row in grid[1:] for lines in row)
        for number, row in enumerate(grid):
            if number == 1 or (number > 1 and tall):
                yield "-+-".join("-" * width for width in widths)
            for texts in zip_longest(*row, fillvalue=""):
                yield " | ".join(text.ljust(width) for text, width in zip(texts, widths)).rstrip()

    def _legend(self):
        return [f"{label(look)}: {MEANINGS[look]}" for look in self.looks]

    def _grid(self):
        """Lines of the HTML table itself."""
        grouped = any(group for group, _ in self.header)
        spans = [(group, len(list(columns))) for group, columns in groupby(group for group, _ in self.header)]
        top = "".join(f'<th colspan="{span}" scope="colgroup">{escape(group)}</th>' for group, span in spans)
        names = "".join(f'<th scope="col">{escape(name)}</th>' for _, name in self.header)
        yield f'<div class="mtclib-scroll{" mtclib-scores" if grouped else ""}"><table class="mtclib-grid">'
        yield f"<thead>{f'<tr>{top}</tr>' if grouped else ''}<tr>{names}</tr></thead><tbody>"
        for row in self.rows:
            yield f"<tr>{''.join(_td(cell, n == 0) for n, cell in enumerate(row))}</tr>"
        yield "</tbody></table></div>"

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def reproduced(verdicts, dataset=None, metrics=("ACC", "NMI"), delta=DELTA) -> Table:
    """A table of the paper with our numbers and the verdict in each cell.

    Parameters
    ----------
    verdicts : DataFrame
        One row a published cell, columns `VERDICT_COLUMNS`: printed numbers as text, ours as fractions.
    dataset : str, optional
        Data set to show; may be left out if there is only one.
    metrics : sequence of str, default=("ACC", "NMI")
        Metrics to show, by their printed names, in this order.
    delta : float, default=0.05
        Margin of the verdicts, shown in the caption.

    Returns
    -------
    Table
        Methods as rows, task by metric as columns.

    Raises
    ------
    ValueError
        A column is missing, the data set must be named or is unknown, or none of the metrics is there.

    Examples
    --------
    >>> import pandas as pd
    >>> row = ["p", "3", "toy", "1", "SNMF", "ACC", "80.90", "0.00", 0.809, 0.0, 0.81, 0.01, 10, 0.007]
    >>> table = reproduced(pd.DataFrame([[*row, "agrees", "", ""]], columns=VERDICT_COLUMNS))
    >>> table.rows[0][1].lines
    ('paper 80.90 ± 0.00', 'ours  81.0 ± 1.0', '✓ agrees, r 0.7')
    """
    frame = _only(_checked(verdicts, VERDICT_COLUMNS, "verdicts"), "dataset", dataset)
    frame = frame[frame["metric"].isin(list(metrics))]
    if frame.empty:
        known = ", ".join(sorted(set(verdicts["metric"])))
        raise ValueError(f"metrics={list(metrics)}: none is in the frame; it has {known}")
    percent = bool((pd.to_numeric(frame["printed_mean"], errors="coerce") > 2 * frame["published"]).any())
    cells = {(r["method"], r["task"], r["metric"]): _judged(r, percent) for r in frame.to_dict("records")}
    first = frame.iloc[0]
    caption = f"Table {first['table']} of {first['paper']}, {first['dataset']}: printed and ours"
    notes = [
        f"Mean ± standard deviation{' in percent' if percent else ''}; the paper's numbers as printed. "
        f"δ = {100 * delta:g} points. r: agreement radius, the smallest δ at which the cell would agree"
        f"{', in points' if percent else ''}.",
        f"Ours: {_runs(frame[OURS_N])} a cell. {len(frame)} cells: {_tally(frame['verdict'])}.",
        *_reasons(frame),
    ]
    return _scores(cells, frame["method"], frame["task"], metrics, caption, notes)


def side_by_side(results, printed=None, metrics=None, caption="Scores of this run") -> Table:
    """Our scores, beside the printed ones if given, without verdicts: for the quick profile.

    Parameters
    ----------
    results : DataFrame
        Tidy results, columns `RESULT_COLUMNS`, of one data set and one parameter setting a method and task.
    printed : DataFrame, optional
        Printed numbers of the same data set: ``method, task, metric, printed_mean, printed_std``.
    metrics : mapping of str to str, or sequence of str, optional
        Name to show (that of `printed`) to name in `results`, e.g. ``{"NMI": "NMI_max"}``; all by default.
    caption : str, default="Scores of this run"
        Title.

    Returns
    -------
    Table

    Raises
    ------
    ValueError
        A column is missing, or a method and task has several parameter settings.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [["SNMF", "1", "ACC", "{}", run, 0.8 + run / 50, "ok"] for run in range(3)]
    >>> side_by_side(pd.DataFrame(rows, columns=RESULT_COLUMNS)).rows[0][1].lines
    ('82.0 ± 2.0',)
    """
    results = _checked(results, RESULT_COLUMNS, "results")
    metrics = list(dict.fromkeys(results["metric"])) if metrics is None else metrics
    metrics = dict(metrics) if isinstance(metrics, Mapping) else {name: name for name in metrics}
    settings = results.groupby(["method", "task"], sort=False)["params"].nunique()
    if (settings > 1).any():
        method, task = settings.index[(settings > 1).argmax()]
        raise ValueError(f"results: {method} on task {task} has several params; choose one setting before")
    records = [] if printed is None else printed.to_dict("records")
    theirs = {(row["method"], row["task"], row["metric"]): row for row in records}
    groups = dict(list(results.groupby(["method", "task", "metric"], sort=False)))
    cells = {}
    for method, task in settings.index:
        for shown, name in metrics.items():
            paper = theirs.get((method, task, shown))
            ours = groups.get((method, task, name))
            lines = () if paper is None else (f"paper {_pm(paper['printed_mean'], paper['printed_std'])}",)
            lines += (DASH,) if ours is None else _ours(ours, name, bool(lines))
            cells[method, task, shown] = Cell(lines)
    runs = _runs(results.groupby("method")["run"].nunique())
    notes = [f"Mean ± standard deviation in percent, {runs}; no verdict."]
    return _scores(cells, results["method"], results["task"], list(metrics), caption, notes)


def frame_table(frame, caption, columns=None, status=None, notes=()) -> Table:
    """Any frame or list of records as a `Table`; text wraps, missing values are dashes.

    Parameters
    ----------
    frame : DataFrame, or iterable of mappings or dataclass instances
        Rows; a named index is shown, and so is an index of text.
    caption : str
        Title.
    columns : mapping of str to str, optional
        Column to its heading: which to show, in which order; those not in the frame are left out.
    status : str, optional
        Column whose values get the symbol and colour of `CLAIM_SYMBOLS` or of the verdicts.
    notes : sequence of str, default=()
        Lines below.

    Returns
    -------
    Table
        Caption and notes only where `frame` is empty.

    Raises
    ------
    ValueError
        None of `columns`, or not `status`, is in the frame.

    Examples
    --------
    >>> print(frame_table([{"n": 3, "share": 0.25}, {"n": None, "share": 1e-6}], "Counts"))
    Counts
    <BLANKLINE>
    n | share
    --+------
    3 | 0.25
    – | 1e-06
    """
    frame = frame if isinstance(frame, pd.DataFrame) else pd.DataFrame(list(frame))
    if frame.index.names != [None] or not pd.api.types.is_numeric_dtype(frame.index):
        frame = frame.reset_index()
    if columns is not None and len(frame):
        present = [name for name in columns if name in frame.columns]
        if not present or (status and status not in present):
            needed = status or list(columns)
            raise ValueError(f"frame has the columns {list(frame.columns)}; needed: {needed}")
        frame = frame[present]
    columns = columns or {}
    rows = tuple(
        tuple(_plain(value, name == status) for name, value in zip(frame.columns, row))
        for row in frame.itertuples(index=False, name=None)
    )
    return Table(tuple(_heading(name, columns) for name in frame.columns), rows, caption, tuple(notes))


def data_summary(summary, caption="Data, ours beside the paper's") -> Table:
    """The summary of a data set: ``dataset.summary()`` as a `Table`; parameters as in :func:`frame_table`.

    Examples
    --------
    >>> import pandas as pd
    >>> data_summary(pd.DataFrame({"task": ["1"], "n": [450.0], "n (paper)": [450]})).rows[0][1].lines
    ('450',)
    """
    return frame_table(summary, caption)


def decisions(
    frame, caption="Choices that the paper leaves open or gets wrong", columns=DECISION_COLUMNS
) -> Table:
    """The decisions of a paper as a `Table`; parameters as in :func:`frame_table`.

    Examples
    --------
    >>> decisions([{"id": "D1", "decision": "cosine"}]).header
    (('', 'id'), ('', 'decision'))
    """
    return frame_table(frame, caption, columns)


def claims(frame, caption="Claims of the paper", columns=CLAIM_COLUMNS) -> Table:
    """The claims of a paper, each with symbol, word and colour of its ``status``; see :func:`frame_table`.

    Examples
    --------
    >>> claims([{"quote": "best on every task", "status": "holds"}]).rows[0][1]
    Cell(lines=('✓ holds',), look='holds')
    """
    frame = frame if isinstance(frame, pd.DataFrame) else pd.DataFrame(list(frame))
    if frame.empty:
        return frame_table(frame, caption, notes=("No claims.",))
    frame = _checked(frame, ("status",), "claims")
    note = f"{len(frame)} claim{'s' * (len(frame) > 1)}: {_tally(frame['status'])}."
    return frame_table(frame, caption, columns, "status", (note,))


def audit(findings, caption="What the paper's own tables contradict") -> Table:
    """Findings of the audit of the printed numbers as a `Table`; parameters as in :func:`frame_table`.

    Examples
    --------
    >>> audit([]).notes
    ('No findings.',)
    """
    frame = findings if isinstance(findings, pd.DataFrame) else pd.DataFrame(list(findings))
    return frame_table(frame, caption, AUDIT_COLUMNS, notes=() if len(frame) else ("No findings.",))


def provenance(record: Mapping, caption="Provenance") -> Table:
    """What made these numbers: versions, hashes, seeds; nested mappings become dotted names.

    Parameters
    ----------
    record : mapping
        Names to values.
    caption : str, default="Provenance"
        Title.

    Returns
    -------
    Table

    Examples
    --------
    >>> [row[0].lines for row in provenance({"seed": 0, "versions": {"numpy": "2.4.6"}}).rows]
    [('seed',), ('versions.numpy',)]
    """
    flat = pd.json_normalize(dict(record)).iloc[0] if record else {}
    return frame_table([{"item": name, "value": value} for name, value in flat.items()], caption)


def label(verdict: str) -> str:
    """Symbol and word of a verdict or of a claim's status.

    Examples
    --------
    >>> label("agrees"), label("not-run")
    ('✓ agrees', '– not yet run')
    """
    return f"{_SYMBOLS[verdict]} {'not yet run' if verdict == 'not-run' else verdict}"


def task_name(task: str) -> str:
    """Heading of a task.

    Examples
    --------
    >>> task_name("1"), task_name("avg"), task_name("")
    ('Task 1', 'Average', '')
    """
    return {"avg": "Average", "": ""}.get(task, f"Task {task}")


def _tally(verdicts):
    counts = verdicts.value_counts()
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in MEANINGS if verdict in counts)


def _checked(frame, columns, name):
    missing = [column for column in columns if column not in frame.columns]
    if missing:
        known = ", ".join(map(str, frame.columns))
        raise ValueError(f"{name}: missing column(s) {', '.join(missing)}; it has {known}")
    return frame


def _only(frame, column, value):
    known = list(dict.fromkeys(frame[column]))
    if value is None and len(known) != 1:
        raise ValueError(f"{column}: the frame has {len(known)} of them, name one of {', '.join(known)}")
    if value is not None and value not in known:
        raise ValueError(f"{column}={value!r} is not in the frame; it has {', '.join(known)}")
    return frame if value is None else frame[frame[column] == value]


def _scores(cells, methods, tasks, metrics, caption, notes):
    methods, tasks = dict.fromkeys(methods), dict.fromkeys(tasks)
    filled = {key[1:] for key in cells}
    columns = [(task, metric) for task in tasks for metric in metrics if (task, metric) in filled]
    header = (("", "Method"), *((task_name(task), metric) for task, metric in columns))
    blank = Cell((DASH,))
    rows = [(Cell((str(m),)), *(cells.get((m, *column), blank) for column in columns)) for m in methods]
    return Table(header, tuple(rows), caption, tuple(notes))


def _judged(row, percent):
    """Cell of one published number: printed, ours, verdict, cause."""
    verdict, scale = row["verdict"], _scale(row["metric"]) if percent else 1
    lines = [f"paper {_pm(row['printed_mean'], row['printed_std'])}"]
    if not pd.isna(row["ours"]):
        lines.append(f"ours  {_pm(_number(row['ours'], scale), _number(row[OURS_SD], scale))}")
    radius = "" if pd.isna(row["radius"]) else f", r {_number(row['radius'], scale)}"
    lines.append(label(verdict) + radius)
    lines += [row["cause"]] if isinstance(row["cause"], str) and row["cause"] not in ("", verdict) else []
    return Cell(tuple(lines), verdict)


def _ours(group, metric, labelled):
    """Lines of one cell of results: mean, spread, and how many runs failed."""
    good, scale = group.loc[group["status"] == "ok", "value"].dropna(), _scale(metric)
    lost = len(group) - len(good)
    text = _pm(_number(good.mean(), scale), _number(good.std(), scale)) if len(good) else "✗ failed"
    return (("ours  " if labelled else "") + text, *([f"{lost} of {len(group)} runs failed"] if lost else []))


def _reasons(frame):
    """One line for each reason and each cause in use."""
    told = frame[frame["verdict"].isin(TOLD) & (frame["reason"].fillna("") != "")]
    for reason, group in told.groupby("reason", sort=False):
        yield f"{', '.join(dict.fromkeys(group['method']))}: {reason}"
    for cause in dict.fromkeys(frame["cause"]):
        if cause in CAUSES:
            yield f"Cause {cause}: {CAUSES[cause]}"


def _runs(counts):
    counts = sorted({int(n) for n in counts if not pd.isna(n) and n > 0})
    if not counts:
        return "no runs yet"
    if len(counts) > 1:
        return f"{counts[0]} to {counts[-1]} runs"
    return f"{counts[0]} run{'s' * (counts[0] > 1)}"


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


def _heading(name, columns):
    if isinstance(name, tuple):
        return str(name[0]), " ".join(map(str, name[1:]))
    return "", str(columns.get(name, name))


def _plain(value, is_status):
    if is_status and value in _SYMBOLS:
        return Cell((label(value),), value)
    return Cell((_text(value),))


def _text(value):
    """A value as short text that does not depend on the machine."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_text(item)}" for key, item in value.items()) or DASH
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ", ".join(map(_text, value)) or DASH
    if value is None or pd.isna(value) or value == "":
        return DASH
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (float, np.floating)):
        if np.isfinite(value) and value == int(value):
            return str(int(value))
        return f"{value:.4g}" if abs(value) < 10_000 else f"{value:.1f}"
    return str(value)


def _wrapped(lines):
    return [part for line in lines for part in textwrap.wrap(line, 44) or [""]]


def _style(look):
    if COLOURS.get(look, ("transparent",))[0] == "transparent":
        return ""
    return f' style="background-color:{COLOURS[look][0]};color:{COLOURS[look][1]}"'


def _td(cell, heading):
    tag, scope = ("th", ' scope="row"') if heading else ("td", "")
    lines = ' class="mtclib-lines"' if len(cell.lines) > 1 else ""
    return f"<{tag}{scope}{lines}{_style(cell.look)}>{'<br>'.join(map(escape, cell.lines))}</{tag}>"


def _markdown(lines):
    text = "<br>".join(escape(line, quote=False) for line in lines)
    return text.replace("|", "\\|").replace("\n", " ")
