"""Which definition of a metric gives the printed digits?

A diagnosis on stored labels, without running anything again; never the headline number.  Many definitions are
tried, so a hit on one cell may be luck: the number tried is part of the answer.
"""

import numpy as np
import pandas as pd

from mtclib.companion.verdicts.intervals import DELTA
from mtclib.metrics import SCORES, our_name

VARIANTS = {
    "NMI": ("NMI_max", "NMI_geometric", "NMI_arithmetic", "NMI_min"),
    "ACC": ("ACC", "purity"),
    "purity": ("purity", "ACC"),
    "ARI": ("ARI", "RI"),
    "RI": ("RI", "ARI"),
}


def metric_variants(labels_true, labels_pred_runs, printed) -> pd.DataFrame:
    """Scores of stored labels under every definition that a printed metric name may mean.

    Parameters
    ----------
    labels_true : array-like of shape (n,)
        Classes.
    labels_pred_runs : sequence of array-like of shape (n,)
        Clusters, one vector a run.
    printed : mapping of str to (str, str) or str
        Metric name (a key of `VARIANTS`) to printed mean and standard deviation, as text with the printed
        digits; a mean above 1 is read as percent.  The standard deviation may be left out or empty.

    Returns
    -------
    DataFrame
        One row a definition: ``metric, variant`` (the score), ``ddof`` (0 or 1, divisor n - ddof of the
        standard deviation; "" where none is printed), ``mean, std`` (printed unit), ``printed_mean,
        printed_std, hits_mean, hits_std, hits`` (both) and ``tried``, the number of definitions for that
        metric.  Rows that hit come first, then the nearest mean.

    Raises
    ------
    ValueError
        No run, or an unknown metric name.

    Examples
    --------
    >>> table = metric_variants([0, 0, 1, 1], [[0, 0, 0, 1], [0, 0, 1, 1]], {"ACC": ("87.50", "12.50")})
    >>> table.loc[0, ["variant", "ddof", "tried"]].astype(str).tolist()
    ['ACC', '0', '4']
    """
    if len(labels_pred_runs) == 0:
        raise ValueError("labels_pred_runs is empty: give the labels of at least one run")
    rows = []
    for metric, text in printed.items():
        if metric not in VARIANTS:
            raise ValueError(f"printed: metric {metric!r} is unknown; use one of {', '.join(VARIANTS)}")
        mean, std = (text, "") if isinstance(text, str) else text
        rows += _variants(metric, mean, std, labels_true, labels_pred_runs)
    frame = pd.DataFrame(rows)
    order = frame.assign(gap=(frame["mean"] - frame["printed_mean"].astype(float)).abs(), miss=~frame["hits"])
    return frame.loc[order.sort_values(["miss", "gap"], kind="stable").index].reset_index(drop=True)


def _variants(metric, mean, std, labels_true, runs):
    scale = 100.0 if float(mean) > 1 else 1.0
    options = (0, 1) if std and len(runs) > 1 else ("",)
    rows = []
    for variant in VARIANTS[metric]:
        scores = scale * np.array([SCORES[variant](labels_true, labels) for labels in runs])
        for ddof in options:
            spread = float(scores.std(ddof=ddof)) if ddof != "" else float("nan")
            near = _rounds_to(scores.mean(), mean), ddof == "" or _rounds_to(spread, std)
            rows.append(
                dict(
                    metric=metric,
                    variant=variant,
                    ddof=ddof,
                    mean=float(scores.mean()),
                    std=spread,
                    printed_mean=mean,
                    printed_std=std,
                    hits_mean=near[0],
                    hits_std=near[1],
                    hits=all(near),
                    tried=len(VARIANTS[metric]) * len(options),
                )
            )
    return rows


def _rounds_to(value, printed):
    decimals = len(printed.partition(".")[2])
    return bool(abs(value - float(printed)) <= 0.5 * 10.0**-decimals * (1 + 1e-9))


def variant_table(study, metric="NMI") -> pd.DataFrame:
    """Which definition of a metric comes nearest to the printed cells of a paper?

    The runs are those behind the verdicts (setting chosen with the labels); misprints are left out.  Every
    definition is set against the same cells, so a definition that only sets the level shows as a shift.

    Parameters
    ----------
    study : mtclib.companion.papers.study.Study
    metric : str, default="NMI"
        A key of `VARIANTS`.

    Returns
    -------
    DataFrame
        One row a definition: ``variant, ours`` (is it the one that we take for the printed name?),
        ``cells, exact`` (our mean rounds to the printed digits), ``by luck`` (how many of the cells within
        five points would do so if their differences were spread evenly), ``within 5`` (points), ``shift``
        and ``distance`` (mean difference and mean absolute difference, points).

    Examples
    --------
    >>> from mtclib.companion.papers.study import Study
    >>> table = variant_table(Study("mbc"))
    >>> table.loc[table["ours"], "variant"].tolist()
    ['NMI_geometric']
    """
    cells = study.published[study.published["metric"] == metric]
    cells = cells[~cells["cell"].isin(set(study.misprints))]
    name = our_name(study.paper, metric)
    return pd.DataFrame([{"variant": variant, "ours": variant == name,
                          **_nearness(study, cells, variant, name)} for variant in VARIANTS[metric]])


def _nearness(study, cells, variant, name):
    parts = []
    for dataset in cells["dataset"].unique():
        rows = study.selected(dataset)
        parts.append(study.verdicts(dataset, rows=rows[rows["metric"] == variant].assign(metric=name)))
    frame = cells[["cell", "half_unit"]].merge(pd.concat(parts, ignore_index=True), on="cell")
    frame = frame.dropna(subset=["difference"])
    size = frame["difference"].abs()
    return {"cells": len(frame), "exact": int((size <= frame["half_unit"] * (1 + 1e-9)).sum()),
            "by luck": float((frame["half_unit"] / DELTA)[size <= DELTA].sum()),
            "within 5": int((size <= DELTA).sum()),
            "shift": 100 * frame["difference"].mean(), "distance": 100 * size.mean()}  # fmt: skip
