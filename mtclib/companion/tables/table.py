"""A finished table and its two forms, HTML and plain text; words, symbols and colours of the verdicts."""

import re
import textwrap
from dataclasses import dataclass, field
from html import escape
from itertools import groupby, zip_longest
from pathlib import Path

import pandas as pd

from mtclib.companion.verdicts.judge import STATUSES

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
# Code and names in quotation marks stay as they are.
QUOTED = re.compile(r"(&#x27;[^&]*&#x27;|&quot;[^&]*&quot;|`[^`]*`)")
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


def set_mathematics(text: str) -> str:
    """A sentence as HTML, with its formulas set; what begins with "O(" is an order of growth.

    >>> set_mathematics("O(T k (nnz + d^2))")
    '<i>O</i>(<i>T</i>\u2009<i>k</i>\u2009(nnz + <i>d</i><sup>2</sup>))'
    >>> set_mathematics("|X^T E_t|^2 - 1 <= 2e-9, max_iter, 'mu' and lambda")
    '|X<sup>T</sup> <i>E</i><sub>t</sub>|<sup>2</sup> − 1 ≤ 2·10<sup>−9</sup>, max_iter, &#x27;mu&#x27; and λ'
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
    with the focus shows its ``card`` of names and texts, with a link to ``report`` an error."""

    lines: tuple[str, ...]
    status: str = ""
    title: str = field(default="", repr=False)
    card: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    report: str = field(default="", repr=False)


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
        if lines:
            texts = [text.replace(" ", "\u00a0") for text in texts]
        title = f' title="{escape(cell.title)}"' if cell.title else ""
        focus = ' tabindex="0"' if cell.card else ""
        shown = "<br>".join(texts) + _card(cell)
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


def _card(cell):
    """What a cell shows while it has the focus, by mouse, finger or keyboard."""
    facts = [f"<b>{escape(name)}</b> {escape(text)}<br>" for name, text in cell.card]
    link = [f'<a href="{escape(cell.report)}">report an error</a>'] if cell.report else []
    return f'<span class="mtclib-card">{"".join([*facts, *link])}</span>' if facts else ""


def _style(status):
    background, text = COLOURS.get(status, ("transparent", ""))
    return "" if background == "transparent" else f' style="background-color:{background};color:{text}"'
