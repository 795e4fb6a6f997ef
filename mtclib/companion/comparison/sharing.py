"""When sharing between tasks, or between views, helps at all: the question behind all five papers.

``sets.csv`` says, without labels, how related the tasks of a set are and how far its views agree;
``benchmarks/comparison_sets.py`` explains both and writes it.
"""

from functools import cache

import numpy as np
import pandas as pd
from scipy import stats

from mtclib.companion import tables
from mtclib.companion.comparison.advice import evidence, spread
from mtclib.companion.comparison.sources import Sources, summary

OWN = {"All k-means": "k-means", "MBC": "k-means", "SMBC": "k-means", "MTCMRL": "SNMF+LR",
       "sklearn KMeans, pooled": "sklearn KMeans", "sklearn Spectral, pooled": "sklearn Spectral",
       "sklearn GMM, pooled": "sklearn GMM", "sklearn Agglomerative, pooled": "sklearn Agglomerative"}
"""What a multi-task method is without the other tasks, where that is another method; else the study "alone"
has it on each task by itself."""

POOLED = [name for name in OWN if name == "All k-means" or name.endswith("pooled")]
"""Single-task methods on all tasks as one: what these lose would hide what methods for several tasks gain."""
BY_ITSELF = ", alone"

ALONE = ("SingleView", "sklearn KMeans", "sklearn KMeans, ten starts", "sklearn Spectral",
         "sklearn Spectral, neighbours", "sklearn GMM", "sklearn Agglomerative", "Con-MC")
"""Methods for views that take one alone, or all side by side: no multi-view methods."""

FEWEST = 5
MEASURES = {"tasks": "relatedness", "views": "agreement"}
WORDS = {"tasks": ("each method's own single-task version", "how related the tasks are"),
         "views": ("k-means on one view, chosen without labels", "how far the views agree")}


def own(sources):
    """What each multi-task method of a comparison is without the other tasks."""
    alone = [name for name in sources.protocol.methods if name.endswith(BY_ITSELF)]
    return OWN | {name.removesuffix(BY_ITSELF): name for name in alone}


def gains(kind, sources=None, pooled=False):
    """Gain of each method that shares, in points of ARI: ``source, set, method, measure, gain``. On tasks
    over its own single-task version, on views over k-means on the view with the largest silhouette; first
    preparation, k known. ``measure`` is the relatedness of the tasks, or the agreement of the views. Methods
    of `POOLED` are there if asked for."""
    sources = sources or evidence(kind)
    known = pd.read_csv(Sources(kind).folder / "sets.csv", index_col="set")
    scores = sources.scores(methods=sources.protocol.methods).droplevel(["kind", "preparation"])
    if kind == "tasks":
        found = {name: scores[name] - scores[one] for name, one in own(sources).items()
                 if {name, one} <= set(scores) and (pooled or name not in POOLED)}
    else:
        single = known["single"].reindex(scores.index.get_level_values("set")).to_numpy()
        found = {name: scores[name] - single for name in scores if name not in ALONE}
    frame = pd.DataFrame(found).rename_axis("method", axis=1).stack().rename("gain").dropna().reset_index()
    return frame.assign(measure=frame["set"].map(known[MEASURES[kind]]))


def by_source(frame):
    """Means of ``measure`` and ``gain`` over methods, then over the sets of a source."""
    return frame.groupby(["source", "set"], sort=False)[["measure", "gain"]].mean().groupby("source").mean()


def correlation(frame):
    """Spearman's correlation over sources, at least FEWEST, and its interval (Fieller, Biometrika 1957)."""
    if len(frame) < FEWEST:
        return (np.nan,) * 3
    rho = stats.spearmanr(frame["measure"], frame["gain"]).statistic
    half = stats.norm.ppf(0.975) * np.sqrt(1.06 / (len(frame) - 3))
    low, high = np.tanh(np.arctanh(np.clip(rho, -0.999, 0.999)) + half * np.array([-1, 1]))
    return rho, low, high


def by_parts():
    """Gain of landmarks on views, by source: on the chosen view alone over k-means; what all views add; and
    what of it all columns as one view do not give."""
    sources = evidence("views")
    scores = sources.scores().droplevel(["kind", "preparation"])["LandmarkSpectral"]
    known = pd.read_csv(sources.folder / "sets.csv", index_col="set")
    known = known.loc[scores.index.get_level_values("set")].set_index(scores.index)
    alone, as_one = known["landmarks on one"], known["landmarks side by side"]
    parts = {"alone": alone - known["single"], "views": scores - alone, "over one": scores - as_one}
    return pd.DataFrame(parts).groupby("source").mean()


def by_method(kind):
    """For each method: its gain with interval, sources on which it loses, and the correlation, as a table."""
    rows = []
    for name, part in gains(kind, pooled=True).groupby("method", sort=False):
        found = by_source(part)
        row = summary(found["gain"])
        over = OWN.get(name, "itself on each task alone")
        rows.append({"method": name, "over": over if kind == "tasks" else "the chosen view",
                     "sources": len(found), "gain": spread(row), "loses": row["worse"],
                     "correlation": _said(correlation(found)), "mean": row["gain"]})
    frame = pd.DataFrame(rows).sort_values("mean", ascending=False, kind="stable").drop(columns="mean")
    return tables.frame_table(frame.set_index("method"), f"Many {kind}: gain over {WORDS[kind][0]}",
                              folded=f"each of {len(frame)} methods, and how it goes with {WORDS[kind][1]}")


def _said(found):
    return "" if np.isnan(found[0]) else f"{found[0]:+.2f} ({found[1]:+.2f} to {found[2]:+.2f})"


@cache
def sentences():
    """What there is to say, in three sentences."""
    told, clear = [], []
    for kind in MEASURES:
        frame = gains(kind)
        found = by_source(frame)
        row, rho = summary(found["gain"]), correlation(found)
        methods = frame.groupby(["method", "source"])["gain"].mean().groupby("method").mean()
        text = (f"Many {kind}: over {len(found)} sources, methods that share gain "
                f"{spread(row)} points of ARI in the mean over {WORDS[kind][0]}, "
                f"{(methods > 0).sum()} of {len(methods)} of them gain, ")
        text += (f"and the rank correlation of the gain with {WORDS[kind][1]} is {_said(rho)}."
                 if _said(rho) else f"and so few cannot say how the gain goes with {WORDS[kind][1]}.")
        if kind == "tasks":
            as_one = by_source(gains(kind, pooled=True).query("method in @POOLED"))["gain"]
            text += f" Single-task methods on all tasks as one gain {spread(summary(as_one))}."
        else:
            alone, more, over = (spread(summary(part)) for _, part in by_parts().items())
            text += (f" Not all of it is sharing: LandmarkSpectral gains {alone} on that view alone, all "
                     f"views add {more}, and they are {over} above all columns as one view.")
        told.append(text)
        clear += [kind] * bool(rho[1] * rho[2] > 0)
    last = (f"So far as these sources go, what sharing gains goes with what can be known without labels for "
            f"{' and '.join(clear)}; it is a hint and no forecast of a single set." if clear else
            "These are too few sources to tell, without labels, whether sharing will help: neither of the "
            "two correlations is surely other than zero.")
    return (*told, last)
