"""What can be compared with print before distances mean anything: sizes, and cells that few numbers could be.

Sizes need no clustering.  A fingerprint is a printed cell that one partition gives or does not give: one
printed with a spread of 0, or a whole number of samples behind an accuracy or a purity.
"""

import numpy as np
import pandas as pd

from mtclib.core.paths import paper_dir

COUNTS = ("ACC", "purity")  # shares of the samples of a task
BY_LUCK = 1e-3


def size_cells(paper):
    """Sizes that a paper prints, in the columns of `published.load`; the n-th class of a task, in the printed
    order, is its "method"."""
    rows = pd.read_csv(paper_dir(paper) / "sizes.csv", dtype=str, keep_default_na=False)
    rows = rows[rows["value"].str.fullmatch(r"\d+")]
    order = rows.groupby(["dataset", "task", "quantity"]).cumcount() + 1
    place = np.where(rows["quantity"] == "class_size", order.astype(str), "")
    cells = rows.assign(paper=paper, method=place, metric=rows["quantity"], mean=rows["value"].astype(float),
                        half_unit=0.5, std=np.nan)
    rest = [cells[name] for name in ("task", "metric", "method")]
    return cells.assign(cell=f"{paper}:" + cells["dataset"].str.cat(rest, sep=":")).drop_duplicates("cell")


def sizes(data, _):
    """Sizes of a data set by (task, class, quantity), as a search's ``values``: one hypothesis, no choice."""
    labels = [data.labels] if data.kind == "multiview" else data.labels
    found = {("", "", "n_samples"): sum(map(len, labels))}
    for t, (X, y) in enumerate(zip(data.Xs, data.labels) if data.kind == "multitask" else ()):
        counts, task = np.bincount(y[y >= 0]), str(t + 1)
        of_task = {"n_samples": len(y), "n_features": X.shape[1], "n_classes": np.count_nonzero(counts)}
        found |= {(task, "", name): value for name, value in of_task.items()}
        found |= {(task, str(i), "class_size"): n for i, n in enumerate(counts, start=1)}
    yield {}, found


def fingerprints(cells, protocol):
    """Printed cells that say more than how near: those with a spread of 0, and every accuracy or purity of a
    row (data set and method) whose cells all are whole numbers of samples, where fewer than one row in a
    thousand would be so by luck. The cells with ``count``, the samples behind the number, if any."""
    n = _samples(cells, protocol).where(cells["metric"].isin(COUNTS) & (cells["task"] != "avg"))
    count = (cells["mean"] * n).round()
    whole = (count / n - cells["mean"]).abs() <= cells["half_unit"] * (1 + 1e-9)
    chance = np.minimum(1.0, 2 * cells["half_unit"] * n)  # of a number with so many digits to be one
    rows = [cells["dataset"], cells["method"]]
    all_whole = whole.where(n.notna(), True).groupby(rows).transform("all") & n.notna()
    by_luck = np.exp(np.log(chance.fillna(1.0)).groupby(rows).transform("sum"))
    integers = all_whole & (by_luck < BY_LUCK)
    return cells.assign(count=count.where(integers))[integers | (cells["std"] == 0)]


def _samples(cells, protocol):
    """Samples of the task of each cell, as far as the paper prints them, or its class sizes."""
    printed, place = size_cells(protocol.paper), ["dataset", "task"]
    sums = {name: printed[printed["metric"] == name].groupby(place)["mean"].sum()
            for name in ("class_size", "n_samples")}
    known = {**sums["class_size"].to_dict(), **sums["n_samples"].to_dict()}
    found = [known.get(one, protocol.task_sizes.get(one[0], np.nan))
             for one in cells[place].itertuples(index=False, name=None)]
    return pd.Series(found, index=cells.index, dtype=float)
