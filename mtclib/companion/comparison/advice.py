"""Which method to take: the rules of ``data/comparison/judgement.md``, which says which of them came later.

The advice is that of our methods whose mean gain over plain k-means has the highest lower end of its 95 %
interval, one for tasks and one for views.  What it promises is the gain if followed: chosen by all other
sources, judged on the one left out.
"""

from functools import cache

import numpy as np
import pandas as pd

from mtclib.companion import tables
from mtclib.companion.claims import signed
from mtclib.companion.comparison.sources import PLAIN, Sources, above, against_the_first, chosen, summary
from mtclib.core import paths

ENOUGH = 3  # sources that a part of the data needs for advice of its own
TEN_STARTS = "sklearn KMeans, ten starts"
SAMPLES, SECONDS = 10_000, 10.0  # advised methods take at most so many seconds for so many samples
LEVEL, SIZES = 0.05, (0.0, 2.0, 5.0)
"""Of significance; points of ARI that a gain is above with a chance that is shown."""

PARTS = {
    "tasks": {"texts": "kind == 'texts'", "measurements": "kind != 'texts'", "up to 1,000 samples":
              "samples <= 1000", "more samples": "samples > 1000", "two tasks": "parts == 2",
              "more tasks": "parts > 2"},
    "views": {"texts": "kind == 'texts'", "texts and links": "kind == 'texts and links'", "measurements":
              "kind not in ['texts', 'texts and links']", "up to 1,000 samples": "samples <= 1000",
              "more samples": "samples > 1000", "two views": "parts == 2", "more views": "parts > 2"},
}
"""Parts of the data that get advice of their own where that gains: queries of ``sets.csv`` and the kind."""


@cache
def evidence(kind):
    """What is run for "tasks" or "views"."""
    return Sources(kind)


def ours(sources, names):
    """Those of some methods that advice may name: of this package and fast enough, and plain k-means."""
    growth = pd.read_csv(paths.data_dir() / "growth.csv").query("varied == 'n'").set_index("method")
    seconds = growth["seconds"] * (SAMPLES / growth["to"]) ** growth["time"]
    fast = {name for name, value in seconds.items() if value <= SECONDS}
    return [name for name in names if name == PLAIN or sources.protocol.methods[name].estimator in fast]


def followed(gains, by=None):
    """Leave-one-source-out: gain on each source of the method chosen by all others, or by those of ``by``."""
    by = gains if by is None else by
    return pd.Series({source: gains.loc[source, chosen(by.drop(index=source))] for source in gains.index})


def advised(sources, k="known"):
    """The advice as a dict: ``take``; its gain if ``followed``, by source, summed up as by ``summary``, with
    k known, or "unknown" as `cluster` estimates it; the ``safe`` choice and its own gain, ``safe row``;
    ``level``, how many of ``others`` do not differ significantly from it; and ``package``, the best method of
    another one if it is ahead, by ``over``."""
    gains = sources.gains(sources.scores())
    own = gains[ours(sources, gains)]
    take = chosen(own)
    found = followed(gains if k == "known" else sources.gains(sources.scores(k=k)), own)
    p = against_the_first(gains[[take, *gains.columns.drop(take)]])
    packages = gains[[name for name in gains if ":" in sources.protocol.methods[name].estimator]]
    first = packages.mean().idxmax()
    over = gains[first] - gains[take]
    table = pd.DataFrame(summary(own))
    # What fails everywhere counts as plain k-means, and is no choice.
    safe = table[table["gain"].round(9) > 0].sort_values(["worse", "gain"], ascending=[True, False]).index
    safe = min([take, *safe[:1]], key=table["risk"].get)
    return {"take": take, "followed": found, **summary(found), "safe": safe, "safe row": table.loc[safe],
            "level": int((p > LEVEL).sum()), "others": len(p), "package": first if over.mean() > 0 else "",
            "over": summary(over)}


def rows(sources):
    """Parts of the data where advice of their own gains over the advice for all: name to what to take."""
    known, scores = pd.read_csv(sources.folder / "sets.csv", index_col="set"), sources.scores()
    table = known.loc[scores.index.get_level_values("set")].assign(kind=scores.index.get_level_values("kind"))
    names, found = ours(sources, scores), {}
    whole = sources.gains(scores)[names]
    for part, query in PARTS[sources.kind].items():
        gains = sources.gains(scores[table.eval(query, engine="python").to_numpy()])[names]
        if len(gains) < ENOUGH or chosen(gains) == chosen(whole):
            continue
        if summary(followed(gains) - followed(gains, whole))["low"] > 0:
            found[part] = {"take": chosen(gains), **summary(followed(gains))}
    return found


def spread(row):
    """The mean gain of a `summary` with its interval, if there is one."""
    found, least, most = (signed(row[name]) for name in ("gain", "low", "high"))
    return found if pd.isna(row["low"]) else f"{found} ({least} to {most})"


def table(kind, sources=None):
    """The advice for a kind of data, to be read: one row, and one more for each part where that gains."""
    sources = sources or evidence(kind)
    best = advised(sources)
    found = {f"any {kind}": best, **rows(sources)}
    if best["safe"] != best["take"]:
        found["a loss cannot be afforded (its own gain)"] = {"take": best["safe"], **best["safe row"]}
    shown = [{"your data": name, "take": _named(sources, row["take"]), "sources": f"{row['sources']:.0f}",
              "gain if followed": spread(row), "losses": f"{row['worse']:.0f}",
              "chance of a loss": "" if pd.isna(row["risk"]) else f"{100 * row['risk']:.0f} %"}
             for name, row in found.items()]
    note = ("Points of ARI over k-means with 95 % intervals over sources: the method is chosen by the other "
            "sources and judged on the one left out.")
    return tables.frame_table(shown, f"Many {kind}: which method to take", notes=[note])


def promise(kind, k="known"):
    """What to take for "tasks" or "views", and what following that gains and risks, in two sentences."""
    sources = evidence(kind)
    best = advised(sources, k)
    sets = f"{best['sources']} sources ({len(sources.done)} sets)"
    if best["take"] == PLAIN:
        return f"On {sets} nothing of ours is surely ahead of plain k-means."
    given = " with estimated numbers of clusters" * (k == "unknown")
    return (f"Take {_named(sources, best['take'])}: following this advice{given} gains "
            f"{spread(best)} points of ARI over k-means, measured on {sets}, on each by what "
            f"the others choose. It loses on a further source with a chance of {100 * best['risk']:.0f} %.")


@cache
def answer(kind):
    """The answer for "tasks" or "views", in a few sentences."""
    sources = evidence(kind)
    best = advised(sources)
    if best["take"] == PLAIN:
        return promise(kind)
    shares = [100 * above(best["followed"], size) for size in SIZES]
    sizes = ", ".join("over 99 %" if share > 99.5 else f"{share:.0f} %" for share in shares)
    text = (f"{promise(kind)} Chance of a mean gain above {', '.join(f'{size:g}' for size in SIZES)} points: "
            f"{sizes}.")
    ten = summary(best["followed"] - sources.gains(sources.scores())[TEN_STARTS])
    text += (f" Over k-means with ten starts, of which it has as many itself, the gain is {spread(ten)}, and "
             f"the chance of a loss {100 * ten['risk']:.0f} %.")
    if best["safe"] != best["take"]:
        text += (f" If a loss cannot be afforded take {_named(sources, best['safe'])}: "
                 f"{spread(best['safe row'])}, below k-means on "
                 f"{best['safe row']['worse']:.0f} of {best['sources']} sources.")
    if best["package"]:
        text += f" Of another package, {best['package']} is ahead by {spread(best['over'])}."
    return f"{text} {best['level']} of {best['others']} other methods do not differ from it significantly."


def _named(sources, method):
    if method == PLAIN:
        return "plain k-means"
    cls = sources.estimator(method)
    named = method if method == cls.__name__ else f"{method} ({cls.__name__})"
    return named + ", a reconstruction" * cls.traits.reconstruction


def without_k(kind):
    """What it costs that the number of clusters is not known, as a folded table."""
    found = evidence(kind).unknown_k()
    lost = found["lost"].get(advised(evidence(kind))["take"], np.nan)
    told = f"the advised method loses {lost:.1f} points" if lost == lost else "the advised method was not run"
    caption = f"Many {kind}: gain with the number of clusters known, and as the command estimates it"
    return tables.frame_table(found.round(1), caption, folded=told)


@cache
def redrawn(kind, draws=1000):
    """The share of draws of as many sources, with replacement, that choose what is advised, in percent; and
    the mean gain of what each chooses on the sources that it leaves out."""
    sources, rng = evidence(kind), np.random.default_rng(0)
    gains = sources.gains(sources.scores())
    own = gains[ours(sources, gains)]
    drawn = [own.iloc[rng.integers(len(own), size=len(own))] for _ in range(draws)]
    names = [chosen(part) for part in drawn]
    left = [own[name].drop(part.index.unique()).mean() for name, part in zip(names, drawn)]
    return 100 * names.count(chosen(own)) / draws, np.mean(left)


def certainty(kind):
    """The evidence for the advice part by part, as `plots.certainty` takes it, and a sentence on it."""
    sources = evidence(kind)
    found = sources.sensitivity(ours(sources, sources.scores()))
    best, same = found["first"].iloc[0], (found["first"] == found["first"].iloc[0]).sum()
    names = [f"{part}: {first}" if first != best else part for part, first in found["first"].items()]
    gain = f"{signed(found['gain'].min())} to {signed(found['gain'].max())}"
    share, left = redrawn(kind)
    text = (f"Many {kind}: {best} is first of ours in {same} of {len(found)} readings of the evidence, and "
            f"gains {gain} points over k-means. Sources drawn anew, with replacement, choose it in "
            f"{share:.0f} % of draws; what they choose gains {signed(left)} on those not drawn.")
    return found.assign(part=names), text
