"""Tables that a notebook shows: frames in, one table out.

A table has an HTML form for JupyterLab and a plain text form for a terminal, for nbval and for a screen
reader.  Both are the same from run to run: no random ids, no addresses, no unrounded floats.  Colour is never
alone: each coloured cell has its symbol and its word, and sets text and background together, so that it reads
in a light and in a dark theme.  Scores are shown in percent with one decimal; the paper's numbers as printed.
"""

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from itertools import groupby, zip_longest
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pandas as pd

from mtclib.companion.parameters import HOME
from mtclib.companion.verdicts.chance import SCORES as CHANCE
from mtclib.companion.verdicts.evidence import FEW
from mtclib.companion.verdicts.intervals import DELTA, RELATIVE
from mtclib.companion.verdicts.judge import STATUSES, SYMBOLS
from mtclib.companion.verdicts.published import PERCENT_OR_FRACTION

_LOOKS = {**STATUSES["verdicts"], **STATUSES["claims"]}
COLOURS = {status: tuple(look[1:3]) for status, look in _LOOKS.items()}
MEANINGS = {status: look[3] for status, look in _LOOKS.items()}
PLURALS = {"agrees": "agree", "holds": "hold", "fails": "fail", "misprint": "misprints",
           "erratum": "errata", "open choice": "open choices"}
DASH = "–"
# Formulas in plain sentences: n_t, X^T, 10^-9 and lambda get signs, indices and exponents.
GREEK = {"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eta": "η", "theta": "θ",
         "kappa": "κ", "lambda": "λ", "mu": "μ", "xi": "ξ", "pi": "π", "sigma": "σ", "tau": "τ", "phi": "φ",
         "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Sigma": "Σ", "Phi": "Φ", "Omega": "Ω"}
# Code and names in quotation marks stay as they are; an apostrophe after a letter is none.
QUOTED = re.compile(r"((?<!\w)&#x27;[^&]*&#x27;|&quot;[^&]*&quot;|`[^`]*`)")
RULES = tuple((re.compile(pattern), to) for pattern, to in (
    (r"\b1e-(\d+)\b", r"10^-\1"), (r"(?<=\d)e-(\d+)\b", r"·10^-\1"),
    (r"(?<=\S) - (?=[\w(|])", " − "), (r"(?<![\w)-])-(?=[\d.])", "−"),
    (rf"(?<![\w-])({'|'.join(GREEK)})(?![A-Za-z-])", lambda found: GREEK[found[1]]),
    (r"&lt;=", "≤"), (r"&gt;=", "≥"), (r"(?<=[\w)>]) x (?=[\w(])(?=[a-z]_|[a-z]\b|\d)", " × "),
    (r"\bsqrt\(", "√("),
    # An index belongs to a single letter, so that names of parameters such as max_iter stay.
    (r"(?<![\w-])([A-Za-zα-ωΓ-Ω])_(\{[^{}]*\}|\w{1,3}(?!\w))",
     lambda found: f"<i>{found[1]}</i><sub>{found[2].strip('{}')}</sub>"),
    (r"(?<=[\w)|>\]])\^(\([^()]*\)|\{[^{}]*\}|[-−]?[\w.]*\w)",
     lambda found: f"<sup>{found[1].strip('{}').replace('-', '−')}</sup>"),
    (r"<sup>\((-?\w+/\w+)\)</sup>", r"<sup>\1</sup>")))
# Several classes before each rule: JupyterLab has specific rules for tables, and aligns text to the right.
_CSS = (Path(__file__).parent / "static" / "table.css").read_text(encoding="utf-8")
AUDIT_COLUMNS = {**dict.fromkeys(("table", "kind", "where", "printed", "expected")), "text": "finding"}
DECISION_COLUMNS = dict.fromkeys(("id", "place", "problem", "decision", "evidence", "leverage", "cause"))
CLAIM_COLUMNS = dict.fromkeys(("id", "quote", "place", "status", "counts", "pipeline", "in_print", "reason"))
CLAIM_COLUMNS |= {"quote": "the paper says", "in_print": "in the paper's own numbers"}
ROWS = {"true": "the true classes", "class_size": "class sizes"}
"""What is searched by, where it is no method."""
SHUFFLED, IN_BAND = "labels shuffled", "°"
REPORT = f"{HOME}/issues/new?template=correction.md"
_HASH = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{28,}\b")
_ESTIMATED = re.compile(r"\bsha256 (.+ clusters) (?=[0-9a-f]{64}\b)")
"""How the hash of data begins whose numbers of clusters are estimates."""


def set_mathematics(text: str) -> str:
    """A sentence as HTML, with its formulas set; what begins with "O(" is an order of growth.

    >>> set_mathematics("O(T k (nnz + d^2))")
    '<i>O</i>(<i>T</i>\u2009<i>k</i>\u2009(nnz + <i>d</i><sup>2</sup>))'
    >>> set_mathematics("|X^T E_t|^2 - 1 <= 2e-9, max_iter, 'mu' and lambda")
    '|X<sup>T</sup> <i>E</i><sub>t</sub>|<sup>2</sup> − 1 ≤ 2·10<sup>−9</sup>, max_iter, &#x27;mu&#x27; and λ'
    >>> set_mathematics("the paper's lambda is one's own")
    'the paper&#x27;s λ is one&#x27;s own'
    """
    if text.startswith("O("):
        text = re.sub(r"(?<![+,]) (?!\+)", "\u2009", escape(text))
        return re.sub(r"\b([A-Za-z])\b", r"<i>\1</i>", re.sub(r"\^(\d)", r"<sup>\1</sup>", text))
    parts = QUOTED.split(escape(text))
    for pattern, to in RULES:
        parts[::2] = [pattern.sub(to, part) for part in parts[::2]]
    return "".join(parts)


def label(status: str) -> str:
    """Symbol and word of a verdict or of a claim's status."""
    return f"{_LOOKS[status][0]} {'not run' if status == 'not-run' else status}"


def task_name(task: str) -> str:
    """Heading of a task, which may have a name; "avg" is the average, and the views of "" are no task."""
    return {"avg": "Average"}.get(task, f"Task {task}" if task.isdigit() else task)


def tally(statuses: pd.Series) -> str:
    """How often each verdict or status of a Series occurs, in the order of `MEANINGS`: 1 agrees, 2 fail."""
    counts = statuses.value_counts()
    return ", ".join(f"{counts[status]} {status if counts[status] == 1 else PLURALS.get(status, status)}"
                     for status in dict.fromkeys([*MEANINGS, *counts.index]) if status in counts)


@dataclass(frozen=True)
class Cell:
    """One cell: its lines of text, its verdict or status, if any, and what the mouse shows over it. A cell
    with the focus shows its ``card`` of names and texts, with a link to ``report`` an error; the name that it
    begins with, up to a colon, leads to the page ``link``."""

    lines: tuple[str, ...]
    status: str = ""
    title: str = field(default="", repr=False)
    card: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    report: str = field(default="", repr=False)
    link: str = field(default="", repr=False)


class Shown:
    """What a notebook shows: plain text, and HTML for JupyterLab and the site, made of its `parts`."""

    @property
    def parts(self) -> list[str]:
        """Lines of the HTML form, without the styles."""
        raise NotImplementedError

    @property
    def html(self) -> str:
        """HTML form: well-formed, self-contained, without ids."""
        return "\n".join([f'<div class="mtclib"><style>\n{_CSS}</style>', *self.parts, "</div>"])

    def _repr_html_(self):
        return self.html

    def __repr__(self):
        return self.text


@dataclass(frozen=True, repr=False)
class Table(Shown):
    """A finished table; the last expression of a notebook cell.

    The first cell of a row is its heading; notes stand below.

    >>> print(Table((("", "method"), ("Task 1", "ACC")), ((Cell(("SNMF",)), Cell(("80.9",))),), "Scores"))
    Scores
    <BLANKLINE>
    method | Task 1
           | ACC
    -------+-------
    SNMF   | 80.9
    """

    header: tuple[tuple[str, str], ...]  # group, which may be empty, and name of each column
    rows: tuple[tuple[Cell, ...], ...]
    caption: str
    notes: tuple[str, ...] = ()
    folded: str = ""  # if given, HTML shows this line alone until it is opened; formulas are set

    @property
    def text(self) -> str:
        """Plain text form: deterministic, for a terminal and for comparison."""
        below = [*(f"{label(key)}: {MEANINGS[key]}" for key in self._statuses()), *self.notes]
        body = list(self._ruled()) if self.rows else []
        top = [f"{self.caption}: {self.folded}" if self.folded else self.caption]
        return "\n\n".join("\n".join(part) for part in (top, body, below) if part)

    @property
    def parts(self) -> list[str]:
        keys = " ".join(
            f'<span class="mtclib-key"{_style(key)}>{escape(label(key))}</span> {escape(MEANINGS[key])}.'
            for key in self._statuses())
        below = [keys, *map(set_mathematics if self.folded else escape, self.notes)]
        notes = [f'<p class="mtclib-note">{note}</p>' for note in below if note]
        caption = f"<b>{escape(self.caption)}</b>"
        grid = list(self._grid()) if self.rows else []
        if self.folded:
            top = f'<details class="mtclib-fold"><summary>{caption}: {escape(self.folded)}</summary>'
            return [top, *grid, *notes, "</details>"]
        return [*grid, *notes] if grid else [f'<p class="mtclib-note">{caption}</p>', *notes]

    def _ruled(self):
        """Lines of the text table itself; a rule between rows where a row has several lines."""
        names = [Cell((group, name) if group else (name,)) for group, name in self.header]
        grid = [[[part for line in cell.lines for part in textwrap.wrap(line, 44) or [""]] for cell in row]
                for row in (names, *self.rows)]
        widths = [max(len(line) for lines in column for line in lines) for column in zip(*grid)]
        tall = any(len(lines) > 1 for row in grid[1:] for lines in row)
        for number, row in enumerate(grid):
            if number == 1:
                yield "-+-".join("-" * width for width in widths)
            elif number and tall:
                # Not along the whole line, which would be a tenth of the text that a notebook stores.
                yield "-" * widths[0]
            for texts in zip_longest(*row, fillvalue=""):
                yield " | ".join(text.ljust(width) for text, width in zip(texts, widths)).rstrip()

    def _statuses(self):
        used = {cell.status for row in self.rows for cell in row}
        return [status for status in MEANINGS if status in used]

    def _grid(self):
        grouped = any(group for group, _ in self.header)
        spans = [(group, len(list(columns))) for group, columns in groupby(group for group, _ in self.header)]
        top = "".join(_head(group, f' colspan="{span}"', "colgroup") for group, span in spans)
        names = "".join(_head(name, "", "col") for _, name in self.header)
        kind, caption = "mtclib-scroll mtclib-scores" if grouped else "mtclib-scroll", escape(self.caption)
        # The keyboard scrolls what has the focus.
        name = f' aria-label="{caption}"' if caption else ""
        yield f'<div class="{kind}" tabindex="0" role="group"{name}>'
        yield f'<table class="mtclib-grid">{caption and f"<caption>{caption}</caption>"}'
        yield f"<thead>{f'<tr>{top}</tr>' if grouped else ''}<tr>{names}</tr></thead><tbody>"
        for row in self.rows:
            yield f"<tr>{''.join(self._td(cell, n == 0) for n, cell in enumerate(row))}</tr>"
        yield "</tbody></table></div>"

    def _td(self, cell, heading):
        tag, scope = ("th", ' scope="row"') if heading else ("td", "")
        lines = ' class="mtclib-lines"' if len(cell.lines) > 1 else ""
        texts = [set_mathematics(line) if self.folded or line.startswith("O(") else escape(line)
                 for line in cell.lines]
        if cell.link:
            texts[0] = re.sub("[^:]+", rf'<a href="{escape(cell.link)}">\g<0></a>', texts[0], count=1)
        if lines:
            texts = [text.replace(" ", "\u00a0") for text in texts]
        title = f' title="{escape(cell.title)}"' if cell.title else ""
        focus = ' tabindex="0"' if cell.card else ""
        card = [f"<b>{escape(name)}</b> {escape(text)}<br>" for name, text in cell.card]
        card += [f'<a href="{escape(cell.report)}">report an error</a>'] if card and cell.report else []
        # What a cell shows while it has the focus, by mouse, finger or keyboard.
        shown = "<br>".join(texts) + (f'<span class="mtclib-card">{"".join(card)}</span>' if card else "")
        return f"<{tag}{scope}{lines}{title}{focus}{_style(cell.status)}>{shown}</{tag}>"


@dataclass(frozen=True, repr=False)
class Tables(Shown):
    """Several tables, one below the other; the last expression of a notebook cell."""

    tables: tuple[Table, ...]

    @property
    def text(self) -> str:
        return "\n\n\n".join(table.text for table in self.tables)

    @property
    def parts(self) -> list[str]:
        return [part for table in self.tables for part in table.parts]


@dataclass(frozen=True, repr=False)
class Points(Shown):
    """A few sentences as a list; the last expression of a notebook cell. `heads` are a name before each
    sentence and the page that it leads to; what is ``**strong**`` in a sentence is bold."""

    sentences: tuple[str, ...]
    heads: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        heads = [f"{_before(name)} " for name, _ in self.heads]
        return "\n".join(f"- {head}{one}" for head, one in zip_longest(heads, self.sentences, fillvalue=""))

    @property
    def parts(self) -> list[str]:
        heads = [f'<a href="{escape(page)}"><b>{escape(_before(name))}</b></a> ' for name, page in self.heads]
        both = zip_longest(heads, self.sentences, fillvalue="")
        items = (f"<li>{head}{set_mathematics(one)}</li>" for head, one in both)
        return ["<ul>", *(re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", item) for item in items), "</ul>"]


def _before(name):
    """A name as it stands before a sentence: a question has its own mark."""
    return name if name.endswith("?") else f"{name}:"


def _head(name, span, scope):
    """A heading of columns; where there is no name, none."""
    return f'<th{span} scope="{scope}">{escape(name)}</th>' if name else f"<td{span}></td>"


def _style(status):
    background, text = COLOURS.get(status, ("transparent", ""))
    return "" if background == "transparent" else f' style="background-color:{background};color:{text}"'


def frame_table(frame: pd.DataFrame | list, caption: str, columns: Mapping | None = None,
                status: str | None = None, notes: Sequence[str] = (), folded: str = "") -> Table:
    """Any DataFrame or iterable of records as a `Table`; text wraps, missing values are dashes. A named index
    is shown, and so is an index of text. `columns` maps those to show to their headings, None for the name
    itself; those not in the frame, or without a value there, are left out. The values of the column `status`
    get the symbol and colour of a verdict or claim. `notes` stand below. Until the reader opens the table,
    only the line `folded` is shown, where it is given."""
    frame = frame if isinstance(frame, pd.DataFrame) else pd.DataFrame(list(frame))
    if frame.index.names != [None] or not pd.api.types.is_numeric_dtype(frame.index):
        frame = frame.reset_index()
    columns = {name: heading or name for name, heading in (columns or {}).items()}
    if columns and len(frame):
        frame = frame[[name for name in columns if name in frame and {DASH} != set(map(_text, frame[name]))]]
    rows = tuple(zip(*(_cells(frame.iloc[:, i], name == status) for i, name in enumerate(frame.columns))))
    header = tuple((str(name[0]), " ".join(map(str, name[1:]))) if isinstance(name, tuple)
                   else ("", str(columns.get(name, name))) for name in frame.columns)
    return Table(header, rows, caption, tuple(notes), folded)


def linked(table: Table, pages: Iterable[str]) -> Table:
    """The same table whose rows lead to pages, each from the name that its first cell begins with."""
    rows = zip(table.rows, pages, strict=True)
    return replace(table, rows=tuple((replace(row[0], link=page), *row[1:]) for row, page in rows))


def decisions_table(frame: pd.DataFrame) -> Table:
    """The decisions of a paper as a `Table`, folded below the number of its errata and open choices."""
    measured = f"the effect of {int((frame['leverage'] != '').sum())} is measured"
    table = frame_table(frame, "Choices that the paper leaves open or gets wrong", DECISION_COLUMNS)
    return replace(_short_hashes(table), folded=", ".join(filter(None, (tally(frame["kind"]), measured))))


def claims_table(frame: pd.DataFrame, sentences: pd.DataFrame) -> Table:
    """The claims of a paper, each with symbol, word and colour of its ``status``, folded. `sentences`, of
    which claims are parts, come from ``verdicts.ledger.outcomes_of_sentences``."""
    several = sentences[sentences["parts"] > 1]
    notes = [f"{row.hold} of {row.parts} parts hold and {row.fail} fail, so {row.status}: {name}"
             for name, row in several.iterrows()]
    sizes = [f"{n} {one}{'s' * (n != 1)}" for n, one in ((len(sentences), "sentence"), (len(frame), "part"))]
    told = f"{' in '.join(sizes)}: {tally(sentences['status'])}"
    return frame_table(frame, "Sentences of the paper", CLAIM_COLUMNS, "status", notes, told)


def audit_table(findings: pd.DataFrame) -> Table:
    """Findings of the audit of the printed numbers as a `Table`, folded."""
    caption = "What the paper's own tables contradict"
    if findings.empty:
        return frame_table(findings, caption, notes=("No findings.",))
    kinds = ", ".join(f"{kind} ({n})" for kind, n in findings["kind"].value_counts().items())
    told = f"{len(findings)} finding{'s' * (len(findings) > 1)}: {kinds}"
    return frame_table(findings, caption, AUDIT_COLUMNS, folded=told)


def provenance_table(record: Mapping, caption: str = "Provenance") -> Table:
    """What made these numbers, folded: versions, hashes, seeds. A mapping becomes dotted names, one inside it
    a single line, ``data.toy | edition a, sha256 b``; hashes have 12 digits, and all under the mouse."""
    flat = pd.json_normalize(dict(record), max_level=1).iloc[0] if record else {}
    lines = {name: _ESTIMATED.sub(r"\1 estimated, sha256 ", ", ".join(
        f"{key} {item}" for key, item in value.items())) if isinstance(value, Mapping)
             else value for name, value in flat.items()}
    table = frame_table([{"item": name, "value": value} for name, value in lines.items()], caption)
    return replace(_short_hashes(table), folded="versions, seeds and hashes of what was run")


def search(name: str, found: Mapping, cells: pd.DataFrame | None = None,
           held_out: pd.DataFrame | None = None) -> Tables:
    """What a search found, as from `verdicts.evidence.summary`, in the order of the questions. `cells` are
    the calibration cells with print and ours, `held_out` the rows that did not choose."""
    same, folds, accident = found["not_told_apart"], found["folds"], found["permutations"]
    won = {name: f"{100 * share:.3g} %" for name, share in found["won"].items()}
    others = [f"; without {fold['left out']} rank {fold['rank']}" for fold in folds if not fold["same"]]
    told = "; ".join(f"{choice}: {' or '.join(values)}" for choice, values in same["values"].items())
    told = f"{same['n']} of {found['hypotheses']}" + f": {told}" * (same["n"] > 1)
    unit = {"misses": "cells missed", "distance": "mean distance in points", "log-sd": "spread of log ratios"}
    scale = 100 if found["criterion"] == "distance" else 1
    best, after, median = ("none" if found[name] is None else f"{scale * found[name]:.4g}"
                           for name in ("distance", "next", "median"))  # of one hypothesis there is no next
    band = "not measured" if found["band"] is None else f"{scale * found['band']:.4g} for the next"
    if found["seeds"] and found["seeds"] < FEW:
        band += f"; {found['seeds']} of each is too few to know it, give n_runs = {FEW} or more"
    size = f"{found['hypotheses']} hypotheses, {found['distinct']} of them distinct"
    rows = {"what was compared": f"{len(found['cells'])} printed cells ({found['stage']}), {size}; "
                                 f"{unit[found['criterion']]}",
            "nearest": "; ".join(value if re.match(rf"{re.escape(choice)}(, |_|$)", value)
                                 else f"{choice} {value}" for choice, value in found["winner"].items()),
            "its distance, the next, the median": f"{best}, {after}, {median}",
            "wins, of bootstrap samples of cells": f"{won['winner']}; with those not told apart "
                                                   f"{won['not told apart']}",
            "noise band of repeated seeds": band, "not told apart": told,
            "the same without one part": f"{len(folds) - len(others)} of {len(folds)}{''.join(others)}",
            "permuted print, searched in full": f"{accident['reached']} of {accident['n']} do as well, "
                                                f"p = {accident['p']:.2g}"}
    known_by = dict.fromkeys(cell.split(":")[-2] for cell in found["cells"])
    known_by = ", ".join(ROWS.get(row, row) for row in known_by)
    lucky = ["The nearest is the luckiest: of two equal hypotheses the band tells one apart in 10 to 20 % of "
             "searches, of ten some in most."] * (cells is not None and found["band"] is not None)
    parts = [frame_table(pd.DataFrame(rows.items(), columns=["question", "answer"]),
                         f"Where printed numbers of {known_by} may come from ({name})", notes=lucky)]
    if cells is not None:
        parts.append(frame_table(cells, "Calibration: the printed cells that chose, beside the nearest"))
    if held_out is not None and len(held_out):
        parts.append(frame_table(held_out, "Hold-out rows: printed, and not used to choose",
                                 notes=["Mean distance in points, and cells within five points; methods at "
                                        "their defaults, on the data of the nearest hypothesis."]))
    return Tables(tuple(parts))


def _short_hashes(table):
    """Long hashes cut to 12 digits, in full where the mouse is."""
    def short(cell):
        lines = tuple(_HASH.sub(r"\1", line) for line in cell.lines)
        return cell if lines == cell.lines else replace(cell, lines=lines, title=" ".join(cell.lines))

    return replace(table, rows=tuple(tuple(map(short, row)) for row in table.rows))


def _cells(values, is_status):
    """Cells of a column.  Numbers that were rounded to at most three decimals all show as many."""
    texts = [_text(value) for value in values]
    if is_status:
        return [Cell((label(value),), value) if value in MEANINGS else Cell((text,))
                for text, value in zip(texts, values)]
    if pd.api.types.is_float_dtype(values):
        digits = max((len(text.partition(".")[2]) for text in texts), default=0)
        if 1 <= digits <= 3:
            texts = [f"{value + 0.0:.{digits}f}" if np.isfinite(value) else text
                     for text, value in zip(texts, values)]
    return [Cell((text,)) for text in texts]


def _text(value):
    """A value as short text that does not depend on the machine."""
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ", ".join(map(_text, value)) or DASH
    if value is None or pd.isna(value) or value == "":
        return DASH
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (float, np.floating)):
        if np.isinf(value):
            return "∞" if value > 0 else "-∞"
        if np.isfinite(value) and value == int(value):
            return str(int(value))
        return f"{value:.4g}" if abs(value) < 9_999.5 else f"{value:.1f}"
    return str(value)


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
    caption = "Table {table}, {dataset}: ours above, printed below".format(**frame.iloc[0])
    notes = [f"Means{' in percent' if percent else ''}; the paper's numbers as printed. "
             f"δ = {_margin(frame['metric'].unique())}. Ours: {_runs(frame['n'])}. "
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
    theirs = {(row["method"], row["task"], row["metric"]): [str(row["printed_mean"])] for row in records}
    groups = dict(list(results.groupby(["method", "task", "metric"], sort=False)))
    cells = {}
    for method, task in settings.index:
        for shown, name in metrics.items():
            ours, place = groups.get((method, task, name)), (method, task, shown)
            lines = (DASH,) if ours is None else _ours(ours, name, percent)
            cells[place] = Cell((*lines, *theirs.get(place, ())))
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


def _margin(metrics):
    return " and ".join(dict.fromkeys(f"{100 * RELATIVE[one]:g} % of a printed {one}" if one in RELATIVE else
                                      f"{100 * DELTA:g} points" for one in metrics))


def _judged(row, percent):
    """Cell of one published number: ours with the symbol of the verdict, printed, and what else is known."""
    ours, sd, low, high, radius = _numbers(row, ("ours", "ours_std", "low", "high", "radius"), percent)
    printed, cause = _pm(row["printed_mean"], row["printed_std"]), row["cause"]
    why = row.get("decisions", ""), str(row["reason"] or "")
    known = {"verdict": row["verdict"], "ours": ours and _pm(ours, sd), "printed": printed * ("±" in printed),
             "shuffled": ", ".join(_band(row, percent)) if pd.notna(row.get("chance")) else "",
             "interval": f"{low} to {high}" if low and high else "", "radius": radius,
             "cause": cause if isinstance(cause, str) and cause != row["verdict"] else "",
             "pipeline": row.get("pipeline", ""),
             "decision": textwrap.shorten(": ".join(filter(None, why)), 90, placeholder=" …")}
    lines = f"{ours or DASH} {SYMBOLS[row['verdict']]}", printed.partition(" ± ")[0]
    report = f"{REPORT}&{urlencode({'title': row['cell']})}" if "cell" in row else ""
    return Cell((lines[0], lines[1] + IN_BAND * bool(row.get("in_band"))), row["verdict"],
                card=tuple((name, text) for name, text in known.items() if text), report=report)


def _band(row, percent):
    mean, low, high = _numbers(row, CHANCE, percent)
    return mean, f"{low} to {high}"


def _ours(group, metric, percent):
    """Lines of one cell of results: mean, spread, and how many runs failed."""
    good = group.loc[group["status"] == "ok", "value"].dropna()
    lost = len(group) - len(good)
    mean, sd = _numbers({"metric": metric, "mean": good.mean(), "sd": good.std()}, ("mean", "sd"), percent)
    return (_pm(mean, sd) if len(good) else "✗ failed", *[f"{lost} of {len(group)} runs failed"] * bool(lost))


def _runs(counts):
    counts = counts[counts > 0]
    if counts.empty:
        return "no runs"
    least, most = int(counts.min()), int(counts.max())
    return f"{f'{least} to ' * (least < most)}{most} run{'s' * (most > 1)} per cell"


def _numbers(row, names, percent):
    """Numbers of a row: in percent with one decimal, or with three digits; no negative zero."""
    scored = row["metric"] in PERCENT_OR_FRACTION or row["metric"].startswith("NMI")
    factor, digits = (100, 1) if percent and scored else (1, 3)
    return ["" if pd.isna(row[name]) else f"{round(factor * row[name], digits) + 0.0:.{digits}f}"
            for name in names]


def _pm(mean, std):
    mean, std = ("" if pd.isna(x) else str(x) for x in (mean, std))
    return (f"{mean} ± {std}" if std else mean) or DASH
