"""What the notebooks of several papers show alike: methods compared run by run, outcomes by data set."""

from mtclib.companion import tables
from mtclib.companion.claims import paired_differences

HEADS = {"dataset": "data set", "comparison": "comparison", "difference": "points", "low": "low",
         "high": "high", "p": "p", "record": "record", "status": "is the first better?"}
LONG = 8
"""Rows of a table that is folded if it has more."""


def pairs_table(rows, pairs, metric, caption):
    """Differences in points, with 95 % intervals and tests."""
    shown = paired_differences(rows, pairs, metric).round({"difference": 1, "low": 1, "high": 1, "p": 4})
    shown = shown.assign(comparison=shown["comparison"].str.replace(" - ", " against "),
                         p=shown["p"].where(shown["p"] > 0, "< 0.0001"))
    better, worse = ((shown["status"] == status).sum() for status in ("holds", "fails"))
    told = f"the first method is better in {better} of {len(shown)} comparisons and worse in {worse}"
    return tables.frame_table(shown, caption, HEADS, "status", folded=told if len(shown) > LONG else "")


def outcomes_table(found, caption):
    """Outcomes of a claim's test, ``ClaimResult``s by data set."""
    rows = [{"data set": name, "outcome": one.counts, "status": one.status} for name, one in found.items()]
    return tables.frame_table(rows, caption, status="status")
