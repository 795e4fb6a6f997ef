"""Groups of numbers that stand in a paper's tables more than once."""

from itertools import combinations

import numpy as np
import pandas as pd

from mtclib.reproduction.published import PERCENT_OR_FRACTION

COLUMNS = ("paper", "table", "kind", "where", "printed", "expected", "text", "cells")
BLOCK = ("paper", "table", "dataset", "task", "method")
COINCIDENCES = 0.05


def repeated_groups(published: pd.DataFrame, coincidences: float = COINCIDENCES) -> pd.DataFrame:
    """Groups of two or more numbers that recur under another method, task or data set.

    Parameters
    ----------
    published : DataFrame
        Result of :func:`mtclib.reproduction.published.load`.
    coincidences : float, default=0.05
        A repetition is reported only if fewer than this many are expected by chance in the whole paper.

    Returns
    -------
    DataFrame
        Findings of kind "copied", "repeated across tasks" or "repeated within a column", one a pair of rows
        of the print (all their tasks together).

    Notes
    -----
    A group is all scores of one method on one task, standard deviations included.  Two groups are equal if
    they agree in every score that both have, at least two of them; averages and values at the end of their
    scale (0 and 1) are left out.  The chance of a coincidence in one score is the share of pairs of printed
    values within fifty printed units, divided by the hundred units of that window; scores count as
    independent, which they are not, so the expected number is a lower estimate.

    Examples
    --------
    >>> from mtclib.reproduction.published import load
    >>> repeated_groups(load("mtcmrl"))["where"].tolist()
    ['SNMF = SNMF+LR = MTSC = MTCMRL on Reuters (table 4, task 1)']
    """
    blocks = _blocks(published)
    chance = _chance_of_equality(published)
    pairs = len(blocks) * (len(blocks) - 1) / 2
    groups: dict[tuple, list] = {}
    for (one, first), (two, second) in combinations(blocks.items(), 2):
        shared = [name for name in first if name in second]
        if len(shared) < 2 or any(first[name][0] != second[name][0] for name in shared):
            continue
        expected = pairs * float(np.prod([chance[name] for name in shared]))
        if expected < coincidences:
            groups.setdefault(_group(one, two, first, shared), []).append((one, two, shared, expected))
    found = [_repetition(key[0], matches, blocks) for key, matches in groups.items()]
    return pd.DataFrame(found, columns=list(COLUMNS))


def _blocks(published):
    """Scores of one method on one task: {block: {metric: ((printed mean, printed sd), cell)}}."""
    inner = published[published["mean"].notna() & (published["task"] != "avg")]
    informative = inner["mean"].between(0, 1, inclusive="neither")
    inner = inner[~inner["metric"].isin(PERCENT_OR_FRACTION) | informative]
    blocks = {}
    for row in inner.to_dict("records"):
        key = tuple(row[name] for name in BLOCK)
        blocks.setdefault(key, {})[row["metric"]] = ((row["printed_mean"], row["printed_std"]), row["cell"])
    return blocks


def _chance_of_equality(published):
    chance = {}
    for metric, group in published[published["task"] != "avg"].dropna(subset="mean").groupby("metric"):
        values = (group["mean"] / (2 * group["half_unit"])).to_numpy()
        gaps = np.abs(values[:, None] - values)[np.triu_indices(len(values), 1)]
        near = max(np.count_nonzero(gaps < 50), 1)
        chance[metric] = min(near / max(len(gaps), 1) / 100, 1.0)
    return chance


def _group(one, two, first, shared):
    """What makes two repetitions one finding: the pair of rows, or for ties the column and its numbers."""
    if one[2] == two[2] and one[3] == two[3]:
        return "repeated within a column", one[:4], *(first[name][0] for name in shared)
    kind = "repeated across tasks" if one[2] == two[2] else "copied"
    return kind, one[:3], one[4], two[:3], two[4]


def _repetition(kind, matches, blocks):
    one, two, shared, expected = matches[0]
    if kind == "repeated within a column":
        methods = dict.fromkeys(key[4] for match in matches for key in match[:2])
        where = f"{' = '.join(methods)} on {one[2]} (table {one[1]}, task {one[3] or '-'})"
        groups = "/".join(blocks[one][name][0][0] for name in shared)
    else:
        tasks = [", ".join(match[side][3] or "-" for match in matches) for side in (0, 1)]
        sides = zip((one, two), tasks)
        where = " = ".join(f"{key[4]} on {key[2]} (table {key[1]}, task {task})" for key, task in sides)
        groups = "; ".join("/".join(blocks[match[0]][name][0][0] for name in match[2]) for match in matches)
    cells = [blocks[match[side]][name][1] for match in matches for side in (0, 1) for name in match[2]]
    text = f"equal in {', '.join(shared)}; coincidences expected in the paper: {expected:.1g}"
    return dict(
        paper=one[0],
        table=one[1],
        kind=kind,
        where=where,
        printed=groups,
        expected="",
        text=text,
        cells=tuple(dict.fromkeys(cells)),
    )
