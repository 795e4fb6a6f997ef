"""Printed cells with our statistics and the interval of the difference: what a verdict is made from."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from mtclib.metrics import NMI_DEFAULT
from mtclib.reproduction.intervals import agreement_radius, classify, difference_interval, margin


def joined(published, results, nmi, methods, datasets):
    """Printed cells with our mean, spread and counts beside them, in the printed order.

    Parameters
    ----------
    published, results, nmi
        As in :func:`mtclib.reproduction.verdicts.judge`.
    methods, datasets : dict of str to str
        Printed name to ours.

    Returns
    -------
    DataFrame
        The cells with ``ours, ours_std, n, n_failed, error, lacking``; NaN where nothing was run.

    Raises
    ------
    ValueError
        Several grid points for one data set and method.
    """
    cells = published.rename(columns={"mean": "published", "std": "published_std"}).reset_index(drop=True)
    key = pd.DataFrame(
        {
            "dataset": cells["dataset"].replace(datasets),
            "method": cells["method"].replace(methods),
            # A method on views has one unnamed task; otherwise a cell without a task is the mean over tasks.
            "task": cells["task"] if (results["task"] == "").any() else cells["task"].replace("", "avg"),
            "metric": _our_metric(cells, nmi),
        }
    )
    ours = _statistics(results)
    return pd.concat([cells, key.merge(ours, how="left", on=list(key)).drop(columns=list(key))], axis=1)


def _our_metric(cells, nmi):
    if nmi is None and (cells["metric"] == "NMI").any():
        return cells["metric"].where(cells["metric"] != "NMI", "NMI_" + cells["paper"].map(NMI_DEFAULT))
    return cells["metric"].replace("NMI", f"NMI_{nmi}")


def _statistics(results):
    grids = results.groupby(["dataset", "method"])["params"].nunique()
    if (grids > 1).any():
        dataset, method = grids[grids > 1].index[0]
        raise ValueError(
            f"results: {grids.max()} grid points for method {method!r} on {dataset!r}; "
            "keep one (chosen with the labels, or the default) before judging"
        )
    ok = (results["status"] == "ok") & results["value"].notna()
    keys = ["dataset", "method", "task", "metric"]
    errors = results["error"].fillna("").where(~ok, "")
    lacking = results["status"] == "unavailable"
    table = results.assign(
        value=results["value"].where(ok), failed=~ok & ~lacking, error=errors, lacking=lacking
    )
    return (
        table.groupby(keys)
        .agg(
            ours=("value", "mean"),
            ours_std=("value", "std"),
            n=("value", "count"),
            n_failed=("failed", "sum"),
            error=("error", "max"),
            lacking=("lacking", "all"),
        )
        .reset_index()
    )


def with_interval(cells, n_published, deterministic, delta):
    """Add the interval of the difference, the margin and what the interval says about it.

    Parameters
    ----------
    cells : DataFrame
        Result of :func:`joined`; gets new columns.
    n_published, deterministic, delta
        As in :func:`mtclib.reproduction.verdicts.judge`.

    Returns
    -------
    DataFrame
        `cells` with ``published_n, sd_used, low, high, difference, relative_difference, radius, delta,
        uncertainty, statistical``.

    Raises
    ------
    ValueError
        A method declared deterministic whose runs differ; a margin outside (0, 1).
    """
    fixed = cells["method"].isin(set(deterministic))
    varies = fixed & (cells["ours_std"] > 1e-12)
    if varies.any():
        raise ValueError(f"deterministic: runs of {cells.loc[varies, 'method'].iloc[0]!r} differ; remove it")
    cells["published_n"] = _published_runs(cells, n_published)
    # A printed 0.00 may hide up to half a unit of the last digit.
    printed_sd = cells["published_std"].where(cells["published_std"] != 0, cells["half_unit_std"])
    sd, n = cells["ours_std"].mask(fixed, 0.0), cells["n"].mask(fixed, np.inf).astype(float)
    theirs = printed_sd.notna() & (cells["published_n"] > 1)
    cells["sd_used"] = printed_sd.where(theirs)
    cells["low"], cells["high"] = difference_interval(
        cells["ours"], sd, n, cells["published"], cells["sd_used"], cells["published_n"]
    )
    cells["difference"] = cells["ours"] - cells["published"]
    cells["relative_difference"] = cells["difference"] / cells["published"].where(cells["published"] != 0)
    cells["radius"] = agreement_radius(cells["low"], cells["high"])
    names = ["metric", "half_unit", "published"]
    cells["delta"] = [margin(m, h, delta, p) for m, h, p in cells[names].itertuples(index=False)]
    cells["uncertainty"] = np.select(
        [~fixed & theirs, ~fixed, theirs], ["both", "ours only", "published only"], "none"
    )
    cells["statistical"] = classify(cells["low"], cells["high"], cells["delta"])
    return cells


def _published_runs(cells, n_published):
    given = cells["method"].map(n_published) if isinstance(n_published, Mapping) else n_published
    runs = pd.Series(np.nan if given is None else given, index=cells.index, dtype=float)
    if "n_runs" in cells:
        runs = pd.to_numeric(cells["n_runs"], errors="coerce").astype(float).fillna(runs)
    return runs.where(cells["published_std"].notna())
