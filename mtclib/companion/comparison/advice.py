"""Which method to take, for which data: rules that turn the comparison by sources into advice.

For each row of :data:`ROWS` the methods are ranked on its sets alone.  The first of ours that gains over
plain k-means in the mean, else plain k-means, is the advice, if the row has at least :data:`ENOUGH` sources;
a method of another package is named where it is ahead of all of ours on the sets where both were run.
"""

from functools import cache

import pandas as pd

from mtclib.companion import tables
from mtclib.companion.comparison import ranking
from mtclib.companion.comparison.sources import PLAIN, ROPE, Sources, interval, probabilities

ENOUGH = 3
"""Sources that a row needs for advice of its own."""

HURRY = 5.0
"""Who is in a hurry has at most so many times the processor time of plain k-means."""

ANY, IN_A_HURRY = "any", "any, in a hurry"
SIZES = {"up to 1,000 samples": "samples <= 1000", "more samples": "samples > 1000"}
ROWS = {
    "tasks": {ANY: "parts > 0", IN_A_HURRY: "parts > 0", "texts, as counts": "kind == 'texts'",
              "measurements": "kind != 'texts'", **SIZES, "two tasks": "parts == 2",
              "more tasks": "parts > 2", "the same classes in all tasks": "classes == 'same'",
              "other classes in each task": "classes == 'differ'"},
    "views": {ANY: "parts > 0", IN_A_HURRY: "parts > 0", "texts, as counts": "kind == 'texts'",
              "texts and links": "kind == 'texts and links'",
              "measurements": "kind not in ['texts', 'texts and links']", **SIZES, "two views": "parts == 2",
              "more views": "parts > 2"},
}  # fmt: skip
"""Rows of the decision table, and which sets they hold, as a query of ``sets.csv`` and the kind."""

COLUMNS = [
    "sources", "sets", "take", "gain", "low", "high", "p same", "risk", "fails", "followed", "followed low",
    "followed high", "second", "package", "package gain", "package sources",
    "over", "over low", "over high",
]  # fmt: skip
SHOWN = {"data": "your data", "sources": "sources (sets)", "take": "take", "gain": "gain over k-means",
         "followed": "gain if followed", "risk": "chance of a loss", "second": "second choice",
         "package": "a package ahead of ours", "verdict": "how sure"}  # fmt: skip


class Ours(Sources):
    """The comparison by sources among the methods that advice may name first."""

    def scores(self, metric="ARI", k="known", preparation=None):
        """As of `Sources`, of these methods."""
        found = super().scores(metric, k, preparation)
        return found[[name for name in found if ours(self, name)]]


@cache
def evidence(kind, packages=False):
    """What is run for "tasks" or "views", of our methods, or with ``packages`` of all."""
    return (Sources if packages else Ours)(kind)


def _said(sources):
    sets = sources.scores().index
    return f"{sets.unique('source').size} sources ({sets.unique('set').size} sets)"


def decisions(sources, others=None):
    """The decision table: a line for each row of :data:`ROWS`, computed from what is run of `sources`.
    `others` are the scores of all methods, packages too, where they are run. ``followed``: the gain of
    choosing by the other sources and clustering the one left out, none where the chosen one fails; ``fails``
    counts sets."""
    known = pd.read_csv(Sources(sources.kind).folder / "sets.csv", index_col="set")
    scores = sources.scores()
    others = evidence(sources.kind, packages=True).scores() if others is None else others
    described = scores.index.to_frame(index=False).join(known, on="set")
    rows = {}
    for name, query in ROWS[sources.kind].items():
        part = scores[described.index.isin(described.query(query).index)]
        methods = quick(sources) if name == IN_A_HURRY else [*scores, *others]
        rows[name] = _advised(sources, part[[one for one in part if ours(sources, one)]], methods)
        both, advised = others[others.index.isin(part.index)], rows[name].get("take")
        rows[name] |= _package(sources, both, methods, advised)
    return pd.DataFrame.from_dict(rows, orient="index").reindex(columns=COLUMNS).rename_axis("data")


def _advised(sources, scores, methods):
    """One line of the decision table; without advice if there are too few sources."""
    row = {"sources": scores.index.unique("source").size, "sets": scores.index.unique("set").size}
    if row["sources"] < ENOUGH:
        return row
    table = sources.overview(scores, tested=False)
    first, second = [*_candidates(sources, scores, methods), ""][:2]
    followed = _followed(sources, scores, methods)
    low, high = interval(followed)
    row |= {"take": first, **table.loc[first, ["gain", "low", "high", "risk"]],
            "fails": scores[first].isna().groupby("set").any().sum(), "followed": followed.mean(),
            "followed low": low, "followed high": high, "second": second}  # fmt: skip
    if first != PLAIN:
        row["p same"] = probabilities(sources.gains(scores)[first].dropna().to_numpy())[1]
    return row


def _package(sources, scores, methods, advised):
    """A method of another package that is ahead of all of ours, and its gain over k-means and over what is
    advised (``over``), if there are sources enough."""
    if (n := scores.index.unique("source").size) >= ENOUGH:
        first = next(name for name in ranking.by_source(scores).index if name in methods)
        if not ours(sources, first):
            gains = sources.gains(scores)
            over = (gains[first] - gains[advised]).dropna()
            low, high = interval(over)
            return {"package": first, "package gain": gains[first].mean(), "package sources": n,
                    "over": over.mean(), "over low": low, "over high": high}  # fmt: skip
    return {"package": ""}


def _followed(sources, scores, methods):
    """Gain on each source of the method that is first on the others."""
    gains, names = sources.gains(scores), scores.index.get_level_values("source")
    found = {}
    for source in gains.index:
        first = _candidates(sources, scores[names != source], methods)[0]
        found[source] = gains.fillna(0.0).loc[source, first]
    return pd.Series(found)


def _candidates(sources, scores, methods):
    """Those of some methods that gain over plain k-means in the mean, and this; best mean rank first."""
    gains = sources.gains(scores).mean()
    names = [name for name in ranking.by_source(scores).index if name in methods]
    return [name for name in names if gains[name] > 0 or name == PLAIN]


def ours(sources, name):
    """Whether advice may name a method first: one of this package, or plain k-means."""
    return ":" not in sources.protocol.methods[name].estimator or name == PLAIN


def quick(sources):
    """Methods that take at most :data:`HURRY` times the processor time of k-means, the median of sets."""
    return list(sources.relative_times()[lambda times: times.round(1) <= HURRY].index)


def verdict(row):
    """How sure a line of the decision table is, in a few words."""
    if pd.isna(row["take"]):
        return f"not judged: fewer than {ENOUGH} sources"
    if pd.isna(row["risk"]):
        return "nothing is ahead of k-means"
    if row["low"] > 0:
        return "better than k-means"
    return "it makes no difference" if row["p same"] > 0.95 else "not shown to be better than k-means"


def table(kind, sources=None, others=None):
    """The decision table, to be read."""
    sources = sources or evidence(kind)
    rows = [_read(sources, name, row) for name, row in decisions(sources, others).iterrows()]
    note = (f"Points of ARI with 95 % intervals over sources. A row needs {ENOUGH} sources. Gain if "
            "followed: the method is chosen by the other sources and judged on the one left out.")
    return tables.frame_table(rows, f"Many {kind}: which method to take", SHOWN, notes=[note])


def _read(sources, name, row):
    """A line of the decision table as text."""
    shown = {"data": name, "sources": f"{row['sources']:.0f} ({row['sets']:.0f})", "verdict": verdict(row)}
    if pd.isna(row["take"]):
        return shown
    shown |= {name: _named(sources, row[name]) for name in ("take", "second") if row[name]}
    if row["fails"]:
        shown["verdict"] += f"; no result on {row['fails']:.0f} of {row['sets']:.0f}"
    if row["package"]:
        shown["package"] = f"{row['package']}: {spread(row, 'over', 'over low', 'over high')} over ours"
    if row["take"] != PLAIN:
        shown |= {"gain": spread(row, "gain", "low", "high"), "risk": f"{100 * row['risk']:.0f} %",
                  "followed": spread(row, "followed", "followed low", "followed high")}
    return shown


def spread(row, middle, low, high):
    """A mean with its interval, if there is one."""
    return f"{row[middle]:+.1f}" + ("" if pd.isna(row[low]) else f" ({row[low]:+.1f} to {row[high]:+.1f})")


@cache
def answer(kind):
    """The answer for "tasks" or "views", in a few sentences."""
    sources = evidence(kind)
    found = decisions(sources)
    best, fast = found.loc[ANY], found.loc[IN_A_HURRY]
    text = f"Take {_advice(sources, best)} on {_said(sources)}{_gain(best)}."
    if pd.isna(fast["risk"]):
        text += " In a hurry, nothing is ahead of plain k-means."
    elif fast["take"] != best["take"]:
        text += f" In a hurry take {_advice(sources, fast)}{_gain(fast)}."
    if best["package"]:
        text += (f" Of another package, {best['package']} ranks above all of ours: "
                 f"{best['package gain']:+.1f} over k-means, {spread(best, 'over', 'over low', 'over high')} "
                 f"over {best['take']}.")
    alike, others = level_with_best(sources)
    level = (f"None of the other {others} methods is" if alike == others
             else f"{alike} of the other {others} methods are not")
    return f"{text} {level} significantly worse."


def _advice(sources, row):
    """A method and how sure it is, as in "AWP: better than k-means"."""
    sure = verdict(row)
    return _named(sources, row["take"]) + (", though it is " if sure.startswith("not ") else ": ") + sure


def _named(sources, method):
    if method == PLAIN:
        return "plain k-means"
    return method + ", a reconstruction" * sources.estimator(method).traits.reconstruction


def _gain(row):
    if pd.isna(row["risk"]):
        return ""
    ends = f"95 % interval {row['low']:+.1f} to {row['high']:+.1f}"
    return (f", {row['gain']:+.1f} points of ARI ({ends}), with a chance of {100 * row['risk']:.0f} % of "
            "doing worse on a further source")


def without_k(kind):
    """What it costs each method that the number of clusters is not known, as a folded table."""
    sources, caption = Sources(kind), f"Many {kind}: the number of clusters known, and estimated"
    if not sources.done:
        return tables.frame_table([], caption, folded="nothing is run yet")
    found = sources.unknown_k()
    first, then = found.index[0], found["rank, k unknown"].idxmin()
    lost = found["lost"].median()
    told = (f"{first} is first of all with k known, {'and' if first == then else 'but ' + then} without; "
            f"the median method loses {lost:.1f} points")
    return tables.frame_table(found.round(1), caption, folded=told)


def level_with_best(sources):
    """How many of the other methods Nemenyi's test does not tell from the first, and how many there are."""
    ranks = ranking.by_source(sources.scores())
    return int((ranks <= ranks.iloc[0] + sources.critical_difference()).sum()) - 1, len(ranks) - 1


def certainty(kind):
    """The evidence for the first method part by part, as `plots.certainty` takes it, and a sentence on it."""
    sources = evidence(kind)
    found = sources.sensitivity()
    best, same = found["first"].iloc[0], (found["first"] == found["first"].iloc[0]).sum()
    names = [f"{part}: {first}" if first != best else part for part, first in found["first"].items()]
    alike, others = level_with_best(sources)
    gain = f"{found['gain'].min():+.1f} to {found['gain'].max():+.1f}"
    cd = f"critical difference {sources.critical_difference():.1f} ranks"
    text = (f"Many {kind}: {best} is first in {same} of {len(found)} readings of the evidence, and gains "
            f"{gain} points over k-means (within {ROPE:g} counts as equal). Nemenyi's test does not tell "
            f"{alike} of the {others} others from it ({cd}).")
    return found.assign(part=names), text
