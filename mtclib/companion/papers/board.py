"""Pages with tables that are filtered, sorted and asked where they are read, without a server."""

import json
from functools import cache
from itertools import chain

import numpy as np
import pandas as pd
from scipy import stats

from mtclib.companion.comparison import advice
from mtclib.companion.comparison.sources import KINDS, PLAIN
from mtclib.companion.papers import citations, copies, study_of
from mtclib.companion.parameters import HOME
from mtclib.companion.site import pages
from mtclib.companion.tables import REPORT
from mtclib.companion.verdicts import ledger
from mtclib.companion.verdicts.intervals import RELATIVE
from mtclib.core import paths

METRICS = {"ARI": "ARI", "NMI_arithmetic": "NMI", "ACC": "ACC"}


def _call(spec) -> str:
    """How to load a data set of a protocol."""
    params = dict(spec.params)
    name = params.pop("loader", spec.loader)
    return f"datasets.load({', '.join([repr(name), *(f'{one}={value!r}' for one, value in params.items())])})"


@cache
def _keys(*names) -> str:
    """BibTeX keys of papers, methods and data sets."""
    return ",".join(dict.fromkeys(map(citations.key, chain.from_iterable(map(citations.entries, names)))))


def scores(kind) -> pd.DataFrame:
    """A row for each data set and method of a comparison that has a score."""
    sources = advice.evidence(kind)
    specs, methods = sources.protocol.datasets, sources.protocol.methods
    known = pd.read_csv(sources.folder / "sets.csv", index_col="set")[["parts", "samples", "clusters"]]
    memory = pd.read_csv(sources.made / "memory.csv", index_col=["dataset", "method"])
    rows = sources.rows[sources.rows["metric"].isin(METRICS)]
    rows = rows[rows["method"].isin(sources.protocol.profile("full").methods)]
    means = rows.groupby(["dataset", "method", "metric"], sort=False)["value"].mean(skipna=False).unstack()
    found = (100 * means.rename(columns=METRICS)).dropna().round(4)
    found = found.assign(seconds=sources.seconds().stack().round(3), MB=memory["megabytes"]).reset_index()
    found = found.join(sources.table, on="dataset").join(known, on="set")
    traits = {name: getattr(sources.estimator(name), "traits", None) for name in methods}
    ours = found["method"].map(lambda name: traits[name] is not None)
    packages = found["method"].str.split(" ").str[0].replace({"sklearn": "scikit-learn", "SNF": "snfpy"})
    again = [name for name, known in traits.items() if known and known.reconstruction]
    names = {"set": "data set", "kind": "kind of data", "parts": "views or tasks"}
    return found.rename(columns=names).assign(
        package=packages.where(~ours, "mtclib"), **{"tasks or views": kind},
        reconstruction=np.where(found["method"].isin(again), "yes", "no"),
        keys=[_keys(specs[data].params.get("loader", specs[data].loader), methods[name].estimator)
              for data, name in zip(found["dataset"], found["method"])],
        load=[_call(specs[data]) for data in found["dataset"]])


def cells() -> pd.DataFrame:
    """A row for each printed number."""
    found = pd.read_csv(paths.data_dir() / "verdicts.csv", dtype={"table": str, "task": str})
    numbers = found[["printed", "ours", "sd"]].mul(np.where(found["metric"].isin(RELATIVE), 1, 100), axis=0)
    places = found[["paper", "table", "dataset", "task", "method", "metric"]].fillna("").agg(":".join, axis=1)
    # Every such set says in its note which of its files could not be had.
    cause = found["cause"].mask(found["verdict"] == "not-run", "files out of reach")
    titles = {paper: ledger.findings(paper)["name"] for paper in found["paper"].unique()}
    return found.rename(columns={"dataset": "data set", "n": "runs"}).assign(
        paper=found["paper"].map(titles), cause=cause, counted=np.where(found["counted"], "yes", "no"),
        cell=places, **numbers.round(4),
        keys=[_keys(paper, name, copies.cited(paper, method))
              for paper, name, method in zip(found["paper"], found["dataset"], found["method"])],
        load=[_call(study_of(paper)._data(name)) for paper, name in zip(found["paper"], found["source"])])


def packed(frame, columns, **further) -> str:
    """A table as ``board.js`` reads it."""
    rows = frame[[column["name"] for column in columns] + ["keys", "load"]].astype(object)
    rows = rows.where(rows.notna() & ~rows.isin([np.inf]), None).to_numpy().tolist()
    used = dict.fromkeys(key for keys in frame["keys"].unique() for key in keys.split(","))
    known = {citations.key(entry): entry for found in citations.known().values() for entry in found}
    data = {"columns": columns, "rows": rows, "bibtex": {key: known[key] for key in used if key}, **further}
    return pages.pack(json.dumps(data, allow_nan=False))


def rules() -> dict:
    """What advice needs beside scores, as in `mtclib.companion.comparison.advice`."""
    names = [name for known in map(advice.evidence, KINDS) for name in advice.ours(known, known.scores())]
    return {"plain": PLAIN, "names": list(dict.fromkeys(names)), "enough": advice.ENOUGH,
            "quantiles": [0, 0, *stats.t.ppf(0.975, range(1, 100))]}


def write(source, found) -> dict[str, str]:
    """Write the pages; return their names and titles. `found` are the notebooks that they may lead to.
    None are written where there are no verdicts."""
    if not (paths.data_dir() / "verdicts.csv").is_file():
        return {}
    known = paths.beside(__package__, "board.toml")
    page = known.pop("page")
    further: dict[str, dict] = {"leaderboard": {"advice": rules()}, "printed": {"report": REPORT}}
    for name, rows in (("leaderboard", pd.concat(map(scores, KINDS))), ("printed", cells())):
        one = known[name]
        data = packed(rows, one["columns"], caption=one["caption"], **further.get(name, {}), **one["packed"])
        about = one["about"].format(seconds=advice.SECONDS, samples=advice.SAMPLES, home=HOME)
        text = pages.settle(page.format(title=one["title"], about=about, data=data), found)
        (source / f"{name}.md").write_text(text, encoding="utf-8")
    return {name: one["title"] for name, one in known.items()}
