"""Words, symbols and colours of the verdicts and of the status of a claim."""

from types import MappingProxyType

from mtclib.reproduction.verdicts import QUICK, SYMBOLS

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
