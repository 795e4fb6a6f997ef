"""Which definition of a metric gives the printed digits?

A diagnosis on stored labels, without running anything again; never the headline number.
"""

import pandas as pd

from mtclib.companion.runs import our_name
from mtclib.companion.verdicts.intervals import DELTA

VARIANTS = {"NMI": ("NMI_max", "NMI_geometric", "NMI_arithmetic", "NMI_min"), "ACC": ("ACC", "purity"),
            "purity": ("purity", "ACC"), "ARI": ("ARI", "RI"), "RI": ("RI", "ARI")}


def variant_table(study, metric="NMI") -> pd.DataFrame:
    """Which definition of a metric comes nearest to the printed cells of a paper, misprints left out?
    ``ours`` (is it the one that we take for the printed name?), ``exact`` (our mean rounds to the printed
    digits), ``by luck`` (how many of the cells within five points would do so if their differences were
    spread evenly), ``within 5`` (points), ``shift`` and ``distance`` (mean and mean absolute difference)."""
    cells = study.published[study.published["metric"] == metric]
    cells = cells[~cells["cell"].isin(set(study.misprints))]
    name = our_name(study.paper, metric)
    return pd.DataFrame([{"variant": variant, "ours": variant == name,
                          **_nearness(study, cells, variant, name)} for variant in VARIANTS[metric]])


def _nearness(study, cells, variant, name):
    parts = []
    for dataset in cells["dataset"].unique():
        source = study.headline(dataset)
        if study._spec(source).pipeline == "released":  # by one known definition alone
            source = dataset
        rows = study.judged_rows(source)
        rows = rows[rows["metric"] == variant].assign(metric=name)
        parts.append(study.judged(dataset, source, rows=rows))
    frame = cells[["cell", "half_unit"]].merge(pd.concat(parts, ignore_index=True), on="cell")
    frame = frame.dropna(subset=["difference"])
    size = frame["difference"].abs()
    return {"cells": len(frame), "exact": int((size <= frame["half_unit"] * (1 + 1e-9)).sum()),
            "by luck": float((frame["half_unit"] / DELTA)[size <= DELTA].sum()),
            "within 5": int((size <= DELTA).sum()),
            "shift": 100 * frame["difference"].mean(), "distance": 100 * size.mean()}  # fmt: skip
