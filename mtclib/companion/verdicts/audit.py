"""Read a paper's tables against themselves.

Nothing here knows a paper: each check is arithmetic on printed numbers, with the rounding of the print and,
where a coincidence is possible, the number of coincidences to expect by chance.
"""

from collections.abc import Mapping
from itertools import chain, combinations

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist

from mtclib.companion.verdicts.published import PERCENT_OR_FRACTION

COLUMNS = ("paper", "table", "kind", "where", "printed", "expected", "text", "cells")
BLOCK = ("paper", "table", "dataset", "task", "method")
COINCIDENCES = 0.05
SLIPS = 3
ROW = ("paper", "table", "dataset", "method", "metric")


def audit_tables(published, sizes=None, class_sizes=None, runs=None) -> pd.DataFrame:
    """All checks on one paper, one finding per row: `COLUMNS`; ``cells`` is a tuple of cell ids. Keys of
    ``sizes`` are (data set, task), or a data set whose tasks are all of one size."""
    class_sizes = dict(class_sizes or {})
    sizes = {key: int(np.sum(counts)) for key, counts in class_sizes.items()} | dict(sizes or {})
    found = chain(averages(published), repeated_groups(published), out_of_range(published),
                  majority_rates(published, class_sizes), granularity(published, sizes, runs))
    return pd.DataFrame(found, columns=list(COLUMNS))


def averages(published):
    """Averages (task ``avg``) that are not the mean of the printed tasks, up to rounding of both: "last
    digits" up to `SLIPS` printed units, which sums of rounded steps can reach, and "average" beyond."""
    rows = published.dropna(subset="mean")
    tasks = rows[~rows["task"].isin(["avg", ""])].groupby(list(ROW))
    over = tasks.agg(n=("mean", "size"), over=("mean", "mean"), rounding=("half_unit", "max"))
    cells = rows[rows["task"] == "avg"].merge(over.query("n > 1"), on=list(ROW))
    off = (cells["mean"] - cells["over"]).abs()
    for _, cell in cells[off > (cells["half_unit"] + cells["rounding"]) * (1 + 1e-9)].iterrows():
        slip = abs(cell["mean"] - cell["over"]) <= 2 * SLIPS * cell["half_unit"] * (1 + 1e-9)
        expected = _in_print(cell["over"], cell, extra=1)
        text = f"the mean of the {cell['n']} printed tasks is {expected}, printed {cell['printed_mean']}"
        yield _finding(cell, "last digits" if slip else "average", expected, text)


def out_of_range(published):
    """Scores outside their scale, standard deviations above sqrt(2 m (1 - m)), the most that values in [0, 1]
    with mean m can have, and purity below accuracy, which may map two clusters to one class."""
    scored = published[published["metric"].isin(PERCENT_OR_FRACTION)]
    for _, row in scored.iterrows():
        lowest = -0.5 if row["metric"] == "ARI" else 0.0
        if not lowest <= row["mean"] <= 1 and not np.isnan(row["mean"]):
            text = f"{row['metric']} must lie in [{lowest:g}, 1]"
            yield _finding(row, "range", f"[{lowest:g}, 1]", text)
        elif row["metric"] != "ARI":
            mean = np.clip(0.5, row["mean"] - row["half_unit"], row["mean"] + row["half_unit"])
            most = np.sqrt(2 * mean * (1 - mean))
            if row["std"] < 0 or row["std"] > most + row["half_unit_std"]:
                text = "no set of scores has this spread around this mean"
                yield _finding(row, "range", f"0 to {_in_print(most, row)}", text, "printed_std")
    for _, block in scored.set_index("metric", drop=False).groupby(list(BLOCK), sort=False):
        if {"ACC", "purity"} <= set(block.index):
            accuracy, purity = block.loc["ACC"], block.loc["purity"]
            if purity["mean"] + purity["half_unit"] + accuracy["half_unit"] < accuracy["mean"]:
                text, expected = "purity cannot be below accuracy", f">= {accuracy['printed_mean']}"
                both = {"cells": (purity["cell"], accuracy["cell"])}
                yield _finding(purity, "range", expected, text) | both


def majority_rates(published, class_sizes: Mapping):
    """Accuracies that equal the share of the largest class: findings of kind "majority rate"."""
    for _, row in published[published["metric"].isin(["ACC", "purity"])].iterrows():
        counts = class_sizes.get((row["dataset"], row["task"]))
        if counts is not None and _equal(max(counts) / sum(counts), row):
            text = f"{max(counts)} of {sum(counts)} samples are in the largest class"
            yield _finding(row, "majority rate", "", text)


def granularity(published, sizes: Mapping, runs=None):
    """Accuracies and purities that no whole number of samples gives: a mean of R runs on n samples is a
    multiple of 1/(R n). A printed spread of zero means R = 1; a positive spread is skipped."""
    of_tasks = published[published["metric"].isin(["ACC", "purity"]) & (published["task"] != "avg")]
    for _, row in of_tasks.dropna(subset="mean").iterrows():
        n = sizes.get((row["dataset"], row["task"]), sizes.get(row["dataset"]))
        once = row["std"] == 0
        if n is None or not (once or (np.isnan(row["std"]) and runs)):
            continue
        total = n if once else n * runs
        passing = 2 * row["half_unit"] * total
        nearest = round(row["mean"] * total) / total
        if passing < 1 and not _equal(nearest, row):
            text = f"no multiple of 1/{total}; {passing:.0%} of random values would be"
            text += "; cut off, not rounded" if 0 < nearest - row["mean"] < 2 * row["half_unit"] else ""
            yield _finding(row, "granularity", _in_print(nearest, row), text)


def misprints(findings: pd.DataFrame, published: pd.DataFrame) -> set[str]:
    """Cells that are no targets: wrong averages, rows that are impossible for the sizes of their tasks, of a
    group that stands under two data sets the side in such a row, or both. A single odd value may be
    honest."""
    cells = published.set_index("cell")[list(ROW)].apply(tuple, axis=1)
    of_kind = findings.groupby("kind")["cells"].agg(list)
    wrong, odd = (set(chain.from_iterable(of_kind.get(kind, []))) for kind in ("average", "granularity"))
    foreign, copied = _rows_of_other_tasks(odd, cells), set()
    for group in of_kind.get("copied", []):
        sides = {cells[cell][:-1] for cell in group}
        chosen = sides & foreign or sides
        copied |= {cell for cell in group if cells[cell][:-1] in chosen}
    tainted = {cells[cell] for cell in copied}
    over = {cell for cell in published.loc[published["task"] == "avg", "cell"] if cells[cell] in tainted}
    return wrong | copied | over | {cell for cell, row in cells.items() if row[:-1] in foreign}


def repeated_groups(published):
    """Groups of two or more numbers, the scores of one method on one task, that recur, fewer by chance than
    `COINCIDENCES`: that of a score is the share of pairs of printed values within fifty printed units, over
    the hundred units of that window. Scores count as independent, so that the number is a lower estimate."""
    blocks, chance = _blocks(published), {}
    for metric, group in published[published["task"] != "avg"].dropna(subset="mean").groupby("metric"):
        gaps = pdist((group["mean"] / (2 * group["half_unit"])).to_numpy()[:, None], "cityblock")
        chance[metric] = min(max(np.count_nonzero(gaps < 50), 1) / max(len(gaps), 1) / 100, 1.0)
    pairs = len(blocks) * (len(blocks) - 1) / 2
    groups: dict[tuple, list] = {}
    for (one, first), (two, second) in combinations(blocks.items(), 2):
        shared = [name for name in first if name in second]
        if len(shared) < 2 or any(first[name][0] != second[name][0] for name in shared):
            continue
        expected = pairs * float(np.prod([chance[name] for name in shared]))
        if expected < COINCIDENCES:
            groups.setdefault(_group(one, two, first, shared), []).append((one, two, shared, expected))
    return (_repetition(key[0], matches, blocks) for key, matches in groups.items())


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
    cells = tuple(dict.fromkeys(cells))
    return dict(zip(COLUMNS, (*one[:2], kind, where, groups, "", text, cells)))


def runs_needed(published):
    """How many runs the spreads of ACC and purity need at least to be possible together: g = purity - ACC >=
    0, so sd(g) >= sd(ACC) - sd(purity), and sd(g) <= mean(g) sqrt(R); rounding in the paper's favour."""
    rows = published[published["metric"].isin(["ACC", "purity"])]
    rows = rows.set_index(["dataset", "task", "method", "metric"])[["mean", "std", "half_unit"]]
    rows = rows.unstack("metric", sort=False).dropna()
    mean, std, rounding = rows["mean"], rows["std"], 2 * rows["half_unit"]["ACC"]
    spread = (std["ACC"] - std["purity"] - rounding).clip(lower=0)
    gap = mean["purity"] - mean["ACC"] + rounding
    # Digits of the quotient beyond those of the table are rounding of this computation.
    runs = np.ceil(((spread / gap) ** 2).round(9)).clip(lower=1).where(gap > 0, np.inf)
    texts = {name: mean[name].map("{:g}".format) + std[name].map(" ± {:g}".format) for name in mean}
    return pd.DataFrame({**texts, "least spread of g": spread.round(6), "largest mean of g": gap.round(6),
                         "runs": runs}).reset_index().drop(columns="task")


def _rows_of_other_tasks(odd, cells):
    """Rows of a table in which most values are impossible for the sizes of its tasks, three at least. One in
    ten or twenty random values would be possible, so that three odd ones are no slip."""
    counts = pd.Series([cells[cell][:-1] for cell in odd], dtype=object).value_counts()
    checked = cells[[row[-1] in ("ACC", "purity") for row in cells]].map(lambda row: row[:-1]).value_counts()
    return {row for row, n in counts.items() if n >= 3 and 2 * n > checked[row]}


def _finding(row, kind, expected, text, printed="printed_mean"):
    task = f"task {row['task']}" if row["task"] else ""
    where = ", ".join(filter(None, [row["method"], row["dataset"], task, row["metric"]]))
    values = (row["paper"], row["table"], kind, where, row[printed], expected, text, (row["cell"],))
    return dict(zip(COLUMNS, values))


def _equal(value, row):
    return abs(value - row["mean"]) <= row["half_unit"] * (1 + 1e-9)


def _in_print(value, row, extra=0):
    scale = 100 if row["unit"] == "percent" else 1
    return f"{value * scale:.{row['decimals'] + extra}f}"
