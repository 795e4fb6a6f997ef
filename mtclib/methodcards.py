"""The methods as a page shows them: an overview a kind, cards, and the answers about one's own data."""

import textwrap
from dataclasses import dataclass
from html import escape

import pandas as pd

from mtclib import methods, tables

OVERVIEW = {
    "what": "method", "source": "paper", "needs": "needs", "order": "cost of an iteration",
    "time": "iteration [ms]", "fit": "fit [s] (iterations)", "peak": "peak [MB]", "growth": "grows as n^",
    "edition": "edition",
}  # fmt: skip
_STYLE = """
.mtclib-cards{font-size:13px;line-height:1.45;max-width:60em;overflow-wrap:break-word}
.mtclib-cards div{margin:0 0 10px;padding:4px 0 4px 10px;border-left:3px solid rgba(128,128,128,.5)}
.mtclib-cards p{margin:0 0 2px}
"""


def overview(kind):
    """Methods of a kind, what they need and cost.

    Parameters
    ----------
    kind : str
        One of `mtclib.methods.KINDS`.

    Returns
    -------
    mtclib.tables.Table

    Examples
    --------
    >>> [row[0].lines[0] for row in overview("lifelong").rows]
    ['L2SC', 'LMSC', 'OneView', 'PerTask']
    """
    table = methods.methods_table(kind)
    shown = table.assign(
        what=table["title"], order=table["cost"].map(_powers),
        needs=[_needs(row) for _, row in table.iterrows()],
        time=[_digits(1e3 * value) for value in table["seconds_per_iteration"]],
        fit=[f"{_digits(row.seconds_per_fit)} ({row.iterations:.0f})" for row in table.itertuples()],
        peak=[_digits(value) for value in table["peak_mb"]],
        growth=[_growth(row) for row in table.itertuples()],
    )  # fmt: skip
    columns = {"method": "class", **OVERVIEW}
    return tables.frame_table(shown, f"{kind.capitalize()} methods: {methods.KINDS[kind]}", columns)


def _needs(row):
    needs = ["same k in all tasks" if row["numbers of clusters"] == "equal in all tasks" else "",
             "no negative entries" if row["data"] == "nonnegative" else "",
             "dense data" if row["sparse"] == "dense only" else ""]  # fmt: skip
    return ", ".join(filter(None, needs)) or "nothing more"


def _powers(cost):
    return cost.replace("^2", "²").replace("^3", "³")


def _growth(row):
    """Measured and, in brackets, expected exponent; "fit" where it is that of a whole fit."""
    if pd.isna(row.exponent_n):
        return ""
    return f"{row.exponent_n:.1f} ({row.expected_n:.1f}){' fit' * (row.grows == 'fit')}"


def _digits(value):
    """Two significant digits, without exponent; "" for what is not known."""
    if pd.isna(value):
        return ""
    return f"{value:.0f}" if value >= 10 else f"{float(f'{value:.2g}'):g}"


def legend():
    """The symbols of the costs as a `mtclib.tables.Table`.

    Examples
    --------
    >>> legend().rows[0][0].lines
    ('n',)
    """
    rows = [{"symbol": name, "meaning": text} for name, text in methods.read()["symbols"].items()]
    return tables.frame_table(rows, "Symbols of the costs")


def answers(kind):
    """What each answer about the data leaves of a kind, as a `mtclib.tables.Table`.

    Examples
    --------
    >>> answers("lifelong").rows[1][1].lines
    ('OneView, PerTask',)
    """
    shown = methods.decision_aid(kind)[["the data", "methods"]]
    return tables.frame_table(shown, f"{kind.capitalize()}: {methods.KINDS[kind]}")


@dataclass(frozen=True)
class Card:
    """What to know of one method: its name, where its source is, and lines of (heading, text)."""

    name: str
    title: str
    file: str
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True, repr=False)
class Cards:
    """Cards below each other; the last expression of a notebook cell."""

    cards: tuple[Card, ...]

    @property
    def text(self) -> str:
        """Plain text form."""
        return "\n\n".join("\n".join([f"{card.name}: {card.title}", *(
            textwrap.fill(f"{head}: {line}", 100, initial_indent="  ", subsequent_indent="    ")
            for head, line in card.lines)]) for card in self.cards)

    def _repr_html_(self) -> str:
        top = f'<div class="mtclib-cards"><style>{_STYLE}</style>'
        return "\n".join([top, *map(_html, self.cards), "</div>"])

    def __repr__(self) -> str:
        return self.text


def _html(card):
    lines = "".join(f"<p><b>{escape(head)}.</b> {escape(line)}</p>" for head, line in card.lines)
    source = f'<a href="../{escape(card.file)}"><b>{escape(card.name)}</b></a>'
    return f"<div><p>{source}: {escape(card.title)}</p>{lines}</div>"


def cards(kind):
    """A card for each method of a kind.

    Parameters
    ----------
    kind : str
        One of `mtclib.methods.KINDS`.

    Returns
    -------
    Cards

    Examples
    --------
    >>> print(cards("lifelong").text.splitlines()[0])
    L2SC: Lifelong spectral clustering of one view
    """
    table = methods.methods_table(kind)
    return Cards(tuple(Card(name, row["title"], row["file"], _lines(row)) for name, row in table.iterrows()))


def _lines(row):
    parameters = "; ".join(f"{name}: {text}" for name, text in row["parameters"].items())
    printed = "; ".join(f"{', '.join(part['names'])} in {_tables(part)} of the {part['paper'].upper()} paper"
                        for part in row["appears_in"])  # fmt: skip
    return (("Idea", row["idea"]), ("When to take it", row["use_when"]), ("When not", row["avoid_when"]),
            ("An iteration", f"{row['step']}."),
            ("Set-up, memory", f"{_powers(row['setup'])}; {_powers(row['memory'])}{_negative(row)}."),
            ("Parameters", f"{parameters}."),
            ("Printed as", f"{printed}." if printed else "no row of its own."),
            ("Paper", f"{row['citation']} Here: {row['edition']}."))  # fmt: skip


def _negative(row):
    other = row.get(methods.NEGATIVE)
    return f", with negative entries {_powers(other)}" if isinstance(other, str) else ""


def _tables(part):
    first, last = part["tables"][0], part["tables"][-1]
    if len(part["tables"]) == 1:
        return f"table {first}"
    whole = [int(table) for table in part["tables"]] == list(range(int(first), int(last) + 1))
    return f"tables {f'{first} to {last}' if whole else ' and '.join(part['tables'])}"
