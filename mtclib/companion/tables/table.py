"""A finished table and its three forms: HTML, plain text, Markdown.

Words, symbols and colours of the verdicts and of the status of a claim.
"""

import textwrap
from dataclasses import dataclass, field
from html import escape
from itertools import groupby, zip_longest
from types import MappingProxyType

from mtclib.companion.verdicts.judge import QUICK, SYMBOLS

CLAIM_SYMBOLS = MappingProxyType({
    "holds": "✓", "fails": "✗", "undecided": "?", "no data": "–", "not yet testable": "·",
})  # fmt: skip
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


def tally(verdicts) -> str:
    """How often each verdict or status occurs, in the order of `MEANINGS`.

    Parameters
    ----------
    verdicts : Series of str
        Verdicts; others are not counted.

    Examples
    --------
    >>> import pandas as pd
    >>> tally(pd.Series(["higher", "agrees", "higher"]))
    '1 agrees, 2 higher'
    """
    counts = verdicts.value_counts()
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in MEANINGS if verdict in counts)

DASH = "–"
# Several classes before each rule: JupyterLab has specific rules for tables, and aligns text to the right.
_CSS = """
.mtclib .mtclib-scroll{overflow-x:auto;max-width:100%}
.mtclib.mtclib p.mtclib-note{font-size:12px;line-height:1.5;margin:2px 0;max-width:110em}
.mtclib .mtclib-fold summary{cursor:pointer;font-size:12px;padding:4px 0}
.mtclib .mtclib-key{padding:0 4px;border:1px solid rgba(128,128,128,.6);border-radius:3px;white-space:nowrap}
.mtclib .mtclib-scroll table.mtclib-grid{border-collapse:separate;border-spacing:0;font-size:11px}
.mtclib .mtclib-scroll .mtclib-grid th,.mtclib .mtclib-scroll .mtclib-grid td{padding:3px 5px;text-align:left;
vertical-align:top;max-width:34em;line-height:1.35;overflow-wrap:break-word;
border-bottom:1px solid rgba(128,128,128,.35)}
.mtclib .mtclib-scroll .mtclib-grid .mtclib-lines,.mtclib .mtclib-scores tr>th:first-child{white-space:nowrap}
.mtclib .mtclib-scroll .mtclib-grid tr>th:first-child{position:sticky;left:0;z-index:1;
background:var(--jp-layout-color0,Canvas);color:var(--jp-content-font-color1,CanvasText)}
"""
# A notebook that is not trusted loses its style sheets, but keeps these.
_PLACED = "text-align:left;vertical-align:top"


@dataclass(frozen=True)
class Cell:
    """One cell: its lines of text, the key of its look in `COLOURS`, and what the mouse shows over it."""

    lines: tuple[str, ...]
    look: str = ""
    title: str = field(default="", repr=False)


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
    fold_after : int, optional
        In HTML, rows from here on are folded away until the reader opens them.

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
    fold_after: int | None = None

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
            *self._grids(),
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
            if number == 1:
                yield "-+-".join("-" * width for width in widths)
            elif number and tall:
                # Not along the whole line, which would be a tenth of the text that a notebook stores.
                yield "-" * widths[0]
            for texts in zip_longest(*row, fillvalue=""):
                yield " | ".join(text.ljust(width) for text, width in zip(texts, widths)).rstrip()

    def _legend(self):
        return [f"{label(look)}: {MEANINGS[look]}" for look in self.looks]

    def _grids(self):
        """Lines of the HTML table; of two, where the end of it is folded away."""
        shown, folded = self.rows[:self.fold_after], self.rows[len(self.rows[:self.fold_after]):]
        if shown:
            yield from self._grid(shown)
        if folded:
            yield f'<details class="mtclib-fold"><summary>{len(folded)} more rows</summary>'
            yield from self._grid(folded)
            yield "</details>"

    def _grid(self, rows):
        """Lines of one HTML table."""
        grouped = any(group for group, _ in self.header)
        spans = [(group, len(list(columns))) for group, columns in groupby(group for group, _ in self.header)]
        place = f' style="{_PLACED}"'
        top = "".join(f'<th colspan="{span}" scope="colgroup"{place}>{escape(group)}</th>'
                      for group, span in spans)
        names = "".join(f'<th scope="col"{place}>{escape(name)}</th>' for _, name in self.header)
        kind = "mtclib-scroll mtclib-scores" if grouped else "mtclib-scroll"
        yield f'<div class="{kind}"><table class="mtclib-grid" style="font-size:11px">'
        yield f"<thead>{f'<tr>{top}</tr>' if grouped else ''}<tr>{names}</tr></thead><tbody>"
        for row in rows:
            yield f"<tr>{''.join(_td(cell, n == 0) for n, cell in enumerate(row))}</tr>"
        yield "</tbody></table></div>"

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True, repr=False)
class Tables:
    """Several tables, one below the other; the last expression of a notebook cell.

    Parameters
    ----------
    tables : tuple of Table

    Examples
    --------
    >>> one = Table((("", "n"),), ((Cell(("3",)),),), "Counts")
    >>> print(Tables((one, one)).text.count("Counts"))
    2
    """

    tables: tuple[Table, ...]

    @property
    def text(self) -> str:
        """Plain text form of all tables."""
        return "\n\n\n".join(table.text for table in self.tables)

    def _repr_html_(self) -> str:
        return "\n".join(table.html for table in self.tables)

    def __repr__(self) -> str:
        return self.text


def _wrapped(lines):
    return [part for line in lines for part in textwrap.wrap(line, 44) or [""]]


def _style(look, placed=""):
    coloured = COLOURS.get(look, ("transparent",))[0] != "transparent"
    colours = f"background-color:{COLOURS[look][0]};color:{COLOURS[look][1]}" if coloured else ""
    style = ";".join(filter(None, [placed, colours]))
    return f' style="{style}"' if style else ""


def _td(cell, heading):
    tag, scope = ("th", ' scope="row"') if heading else ("td", "")
    lines = ' class="mtclib-lines"' if len(cell.lines) > 1 else ""
    texts = [escape(line) for line in cell.lines]
    if lines:
        texts = [text.replace(" ", "\u00a0") for text in texts]
    title = f' title="{escape(cell.title)}"' if cell.title else ""
    return f"<{tag}{scope}{lines}{title}{_style(cell.look, _PLACED)}>{'<br>'.join(texts)}</{tag}>"


def _markdown(lines):
    text = "<br>".join(escape(line, quote=False) for line in lines)
    return text.replace("|", "\\|").replace("\n", " ")
