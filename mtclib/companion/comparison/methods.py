"""Which methods are here, what each needs and costs, which can take given data; and each of them run once.

What a class knows of itself comes from its traits, sentences and costs from ``data/methods/methods.toml``,
seconds from ``data/methods/costs.csv``, which ``benchmarks/method_costs.py`` writes.
"""

import inspect
import json
import textwrap
import tomllib
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import delayed

from mtclib.baselines.registry import all_estimators
from mtclib.companion import schema, tables
from mtclib.companion.parameters import choose
from mtclib.companion.runs import attempt, calibrated
from mtclib.companion.runs.runner import processes
from mtclib.companion.tables.mathematics import set_mathematics
from mtclib.companion.userdata.run import SHOWN, shown_name
from mtclib.companion.verdicts import published
from mtclib.core import paths
from mtclib.core.base import SingleTaskClusterer
from mtclib.core.errors import MtclibError
from mtclib.datasets import load
from mtclib.metrics import adjusted_rand_index

KINDS = {
    "multi-task": "tasks with the same features", "single-task": "tasks, each clustered alone",
    "multi-view": "views of the same samples", "lifelong": "tasks of views, the same views in all",
}  # fmt: skip
"""Kinds of methods, and what they take."""

TEXTS = ("title", "idea", "use_when", "avoid_when", "step", "cost", "setup", "memory", "citation")
NEGATIVE = "memory_negative"
"""Optional key: memory for data with negative entries, where it is another."""
ENTRY = schema.table(
    (*TEXTS, "order_n", "parameters", "appears_in"), **dict.fromkeys((*TEXTS, NEGATIVE), schema.TEXT),
    order_n=schema.one_of((1, 2, 3)), parameters={"type": "object"},
    appears_in={"items": schema.table(("paper", "tables", "names"))})
POWER = "n^"
"""What a cost that grows faster than n log n contains."""
SLACK = 0.5
"""How far a timed exponent may lie above the order in n that is stated."""
MEASURED = ("seconds_per_iteration", "iterations", "seconds_per_fit", "peak_mb", "grows", "samples",
            "exponent_n", "exponent_d")  # fmt: skip
OVERVIEW = {
    "method": "class", "what": "method", "source": "paper", "needs": "needs", "order": "cost of an iteration",
    "time": "iteration [ms]", "fit": "fit [s] (iterations)", "peak": "peak [MB]", "growth": "grows as n^",
    "edition": "edition",
}  # fmt: skip
GROWS = {"n": "samples", "d": "features", "k": "clusters", "parts": "tasks or views"}
"""What is varied in data/growth.csv, and its heading."""
EVERY = 4
"""Of the 400 planted points with three views, every fourth is used."""
_STYLE = """
.mtclib-cards{font-size:13px;line-height:1.45;max-width:60em;overflow-wrap:break-word}
.mtclib-cards div{margin:0 0 10px;padding:4px 0 4px 10px;border-left:3px solid rgba(128,128,128,.5)}
.mtclib-cards p{margin:0 0 2px}
.mtclib-cards summary{cursor:pointer;font-size:14px;padding:4px 0 8px}
"""


class MethodsFileError(MtclibError, ValueError):
    """data/methods/methods.toml and the estimators do not agree; the message says where."""


# ---- the file --------------------------------------------------------------------------------------------


def read(path=None) -> dict:
    """Sentences and costs of all methods, checked: ``symbols`` with their meaning, ``methods`` by class."""
    return _read(Path(path or paths.paper_dir("methods") / "methods.toml"))


@cache
def _read(path):
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    entries = schema.table(all_estimators(), **dict.fromkeys(all_estimators(), ENTRY))
    schema.check(found, schema.table(("symbols",), methods=entries), path.name, MethodsFileError)
    for name, entry in found["methods"].items():
        _check_entry(f"{path.name}: methods.{name}", entry, all_estimators()[name])
    return found


def _check_entry(place, entry, cls):
    for name in entry["parameters"]:
        if name not in inspect.signature(cls).parameters:
            raise MethodsFileError(f"{place}.parameters: {cls.__name__} has no parameter {name!r}")
    for row in entry["appears_in"]:
        for table in row["tables"]:
            wrong = sorted(set(row["names"]) - _printed_names(row["paper"], table))
            if wrong:
                raise MethodsFileError(f"{place}.appears_in: table {table} of {row['paper']} has no row "
                                       f"{', '.join(wrong)}")


@cache
def _printed_names(paper, table):
    cells = published.load(paper)
    return frozenset(cells.loc[cells["table"].astype(str) == table, "method"])


# ---- one table of all, and what it answers ---------------------------------------------------------------


def methods_table(kind=None) -> pd.DataFrame:
    """Traits, sentences, costs and measured seconds of every method, or of those of a kind, by class name.
    ``large``: neither an iteration nor memory grows faster than n log n; ``large_negative``: nor does it with
    negative entries."""
    rows = {name: _needs(cls) | _described(name, cls) for name, cls in all_estimators().items()}
    frame = pd.DataFrame.from_dict(rows, orient="index").rename_axis("method").join(measured())
    return frame if kind is None else frame[frame["kind"] == choose(kind, KINDS, "kind")]


def _needs(cls):
    traits = cls.traits
    single = issubclass(cls, SingleTaskClusterer)
    return {
        "kind": "single-task" if single else {"multitask": "multi-task", "multiview": "multi-view"}.get(
            traits.kind, traits.kind),
        "source": traits.paper,
        "numbers of clusters": "equal in all tasks" if traits.same_n_clusters else "may differ",
        "data": "nonnegative" if traits.nonnegative else "any sign",
        "sparse": "kept sparse" if traits.sparse else "dense only",
        "edition": "reconstruction" if traits.reconstruction else "original"}  # fmt: skip


def _described(name, cls):
    entry = read()["methods"][name]
    negative = entry.get(NEGATIVE, entry["memory"])
    return {"file": f"{cls.__module__.replace('.', '/')}.py", **entry,
            "large": POWER not in entry["cost"] + entry["memory"],
            "large_negative": POWER not in entry["cost"] + negative}  # fmt: skip


def measured() -> pd.DataFrame:
    """What ``benchmarks/method_costs.py`` measured, index: class name; see `measured_on` for the sizes."""
    return pd.read_csv(paths.paper_dir("methods") / "costs.csv", index_col="method")


def beside_floors():
    """Every method beside its transcription, a library routine and what it cannot avoid; ``make bench``."""
    table = pd.read_csv(paths.data_dir() / "bench.csv")
    for name in table.select_dtypes("number"):
        table[name] = table[name].map(_digits)
    return tables.frame_table(table.fillna(""), "Times over ours, and ours over the floor",
                              folded=f"{len(table)} methods")


def measured_growth():
    """Exponents of time and memory, in brackets those on paper; ``python -m benchmarks growth``."""
    rows, frame = [], pd.read_csv(paths.data_dir() / "growth.csv").set_index(["method", "varied"])
    for name in frame.index.unique("method"):
        row = {"method": name, "largest n": f"{frame.loc[(name, 'n'), 'to']:.0f}"}
        for varied, head in GROWS.items():
            found = frame.loc[(name, varied)]
            row |= {f"{head}: {part}": _exponent(found[part], found[f"{part} on paper"])
                    for part in ("time", "memory")}
        rows.append(row | {"why": "; ".join(frame.loc[name, "why"].dropna())})
    most = frame[["limit [s]", "limit [GB]"]].max()
    return tables.frame_table(rows, f"Exponents of time and memory, on paper in brackets; fits of at most "
                              f"{most['limit [s]']:g} s and {most['limit [GB]']:g} GB",
                              folded=f"{len(rows)} methods")


def _exponent(measured, on_paper):
    return "" if pd.isna(measured) else f"{measured:z.1f} ({on_paper:.0f})"


def above_order(measurements) -> list:
    """Methods of a frame like `measured` that grow with n faster than their stated order, and `SLACK`."""
    orders = {name: entry["order_n"] for name, entry in read()["methods"].items()}
    return [name for name, power in measurements["exponent_n"].items() if power > orders[name] + SLACK]


def measured_on() -> dict:
    """Sizes of the data, versions and machine behind `measured`."""
    return json.loads((paths.paper_dir("methods") / "costs.json").read_text(encoding="utf-8"))


def that_take(kind, *, clusters_differ=False, negative=False, large=False) -> list:
    """Methods of a kind that can take such data with their default parameters. Numbers of clusters differ
    between tasks; there are negative entries; there are more than about 5,000 samples. Single-task methods
    take tasks, and are a kind of their own."""
    table = methods_table(kind)
    fits = pd.Series(True, index=table.index)
    if clusters_differ:
        fits &= table["numbers of clusters"] == "may differ"
    if negative:
        fits &= table["data"] == "any sign"
    if large:
        fits &= table["large_negative" if negative else "large"].astype(bool)
    return list(table.index[fits])


def answers(kind):
    """What each answer about the data leaves of a kind, and what all of them together leave."""
    questions = {"any of this kind": {}, "numbers of clusters differ": {"clusters_differ": True},
                 "negative entries": {"negative": True}, "n > 5,000": {"large": True}}  # fmt: skip
    if kind == "multi-view":
        del questions["numbers of clusters differ"]
    questions["all of these"] = {name: True for asked in questions.values() for name in asked}
    rows = [{"the data": text, "methods": map(shown_name, that_take(kind, **asked))}
            for text, asked in questions.items()]
    return tables.frame_table(rows, f"{kind.capitalize()}: {KINDS[kind]}")


# ---- what a page shows -----------------------------------------------------------------------------------


def overview(kind):
    """Methods of a kind, what they need and cost, as a table."""
    table = methods_table(kind)
    shown = table.assign(
        what=table["title"], order=table["cost"].map("O({})".format),
        needs=[_needs_text(row) for _, row in table.iterrows()],
        time=[_digits(1e3 * value) for value in table["seconds_per_iteration"]],
        fit=[f"{_digits(row.seconds_per_fit)} ({row.iterations:.0f})" for row in table.itertuples()],
        peak=[_digits(value) for value in table["peak_mb"]],
        growth=[_growth(row) for row in table.itertuples()],
    )  # fmt: skip
    return tables.frame_table(shown, f"{kind.capitalize()} methods: {KINDS[kind]}", OVERVIEW)


def _needs_text(row):
    needs = ["same k in all tasks" if row["numbers of clusters"] == "equal in all tasks" else "",
             "no negative entries" if row["data"] == "nonnegative" else "",
             "dense data" if row["sparse"] == "dense only" else ""]  # fmt: skip
    return ", ".join(filter(None, needs)) or "nothing more"


def _growth(row):
    """Measured exponent and, in brackets, the stated order; "fit" where they are those of a whole fit."""
    if pd.isna(row.exponent_n):
        return ""
    return f"{row.exponent_n:z.1f} ({row.order_n}){' fit' * (row.grows == 'fit')}"


def _digits(value):
    """Two significant digits, without exponent; "" for what is not known."""
    if pd.isna(value):
        return ""
    return f"{value:.0f}" if value >= 10 else f"{float(f'{value:.2g}'):g}"


def legend():
    """The symbols of the costs as a table."""
    rows = [{"symbol": name, "meaning": text} for name, text in read()["symbols"].items()]
    return tables.frame_table(rows, "Symbols of the costs")


@dataclass(frozen=True)
class Card:
    """What to know of one method: its name, where its source is, and lines of (heading, text)."""

    name: str
    title: str
    file: str
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True, repr=False)
class Cards:
    """Cards below each other; the last expression of a notebook cell."""

    cards: tuple[Card, ...]
    heading: str = "methods"  # what they are: the cards are folded below their number and this

    @property
    def text(self) -> str:
        """Plain text form."""
        return "\n\n".join("\n".join([f"{card.name}: {card.title}", *(
            textwrap.fill(f"{head}: {line}", 100, initial_indent="  ", subsequent_indent="    ")
            for head, line in card.lines)]) for card in self.cards)

    def _repr_html_(self) -> str:
        top = (f'<div class="mtclib-cards"><style>{_STYLE}</style><details><summary>'
               f'{len(self.cards)} {escape(self.heading)}</summary>')
        return "\n".join([top, *map(_html, self.cards), "</details></div>"])

    def __repr__(self) -> str:
        return self.text


def _html(card):
    lines = "".join(f"<p><b>{escape(head)}.</b> {set_mathematics(line)}</p>" for head, line in card.lines)
    source = f'<a href="../{escape(card.file)}"><b>{escape(card.name)}</b></a>'
    return f"<div><p>{source}: {escape(card.title)}</p>{lines}</div>"


def cards(kind):
    """A card for each method of a kind."""
    table = methods_table(kind)
    return Cards(tuple(Card(name, row["title"], row["file"], _lines(row)) for name, row in table.iterrows()),
                 f"methods of {kind} clustering")


def _lines(row):
    parameters = "; ".join(f"{name}: {text}" for name, text in row["parameters"].items())
    printed = "; ".join(f"{', '.join(part['names'])} in {_tables(part)} of the {part['paper'].upper()} paper"
                        for part in row["appears_in"])  # fmt: skip
    other = row.get(NEGATIVE)
    negative = (("Memory with negative entries", f"O({other})"),) if isinstance(other, str) else ()
    return (("Idea", row["idea"]), ("When to take it", row["use_when"]), ("When not", row["avoid_when"]),
            ("An iteration", f"{row['step']}."), ("Cost of an iteration", f"O({row['cost']})"),
            ("Cost of the set-up", f"O({row['setup']})"), ("Memory", f"O({row['memory']})"), *negative,
            ("Parameters", f"{parameters}."),
            ("Printed as", f"{printed}." if printed else "no row of its own."),
            ("Paper", f"{row['citation']} Here: {row['edition']}."))  # fmt: skip


def _tables(part):
    first, last = part["tables"][0], part["tables"][-1]
    if len(part["tables"]) == 1:
        return f"table {first}"
    whole = [int(table) for table in part["tables"]] == list(range(int(first), int(last) + 1))
    return f"tables {f'{first} to {last}' if whole else ' and '.join(part['tables'])}"


# ---- full profiles, as they were run ---------------------------------------------------------------------


def full_profiles(papers) -> pd.DataFrame:
    """What the committed results of papers took: fits, hours of one core as `calibrated`, the longest fit."""
    rows = []
    for paper in papers:
        jobs = pd.read_csv(paths.results_dir(paper) / "jobs.csv.xz", keep_default_na=False)
        jobs = jobs.reindex(columns=jobs.columns.union(["calibration"]))
        fits = jobs[jobs["status"] == "ok"].drop_duplicates("key")
        fits = fits.assign(seconds=calibrated(fits["seconds"], fits["calibration"]))
        longest = fits.loc[fits["seconds"].idxmax()]
        rows.append({"paper": paper, "data sets": fits["dataset"].nunique(), "fits": len(fits),
                     "hours": round(fits["seconds"].sum() / 3600, 2),
                     "median (s)": round(fits["seconds"].median(), 2),
                     "longest (s)": round(longest["seconds"], 1),
                     "longest fit": f"{longest['method']} on {longest['dataset']}"})  # fmt: skip
    return pd.DataFrame(rows)


def cluster_run() -> dict:
    """The recorded run on a cluster that lost a worker, by ``benchmarks/cluster_run.py``."""
    found = json.loads((paths.paper_dir("methods") / "cluster.json").read_text(encoding="utf-8"))
    return {name.replace("_", " "): value for name, value in found.items()}


# ---- every method once, at its defaults, on small planted data: proof that it runs, not a comparison -----


def planted(kind, seed):
    """Small data with known clusters: Xs, a list of labels (for views one array in all), numbers of clusters.
    For "multitask" three tasks of tf-idf; for "multiview" 100 points in three views; for "lifelong" three
    tasks of counts in two views each."""
    if kind == "multiview":
        data = load("mspl-toy", random_state=seed)
        return [X[::EVERY] for X in data.Xs], [data.labels[::EVERY]], data.n_clusters
    if kind == "multitask":
        data = load("toy-multitask", random_state=seed)
        return data.Xs, data.labels, data.n_clusters
    # Rows stand in the order of the topics, so that two draws are two views of the same clusters.
    first, second = (load("toy-multitask", random_state=draw, weighting="counts")
                     for draw in (2 * seed, 2 * seed + 1))
    return [list(views) for views in zip(first.Xs, second.Xs)], first.labels, first.n_clusters


def trial(seed=0, n_runs=1, n_jobs=1):
    """Fit every method at its defaults; index: kind and method. ``ARI``, mean over tasks and runs,
    ``seconds`` of the processor per fit, mean ``iterations``, and ``converged``, whether all runs did. Each
    run after the first takes the next seed, for the data as well."""
    jobs = [(name, seed + run) for name in all_estimators() for run in range(n_runs)]
    frame = pd.DataFrame(processes(n_jobs)(delayed(_tried)(*job) for job in jobs))
    rules = {"ARI": "mean", "seconds": "mean", "iterations": "mean", "converged": "all"}
    return frame.replace({"method": SHOWN}).groupby(["kind", "method"]).agg(rules)


def _tried(name, seed):
    cls = all_estimators()[name]
    Xs, labels, n_clusters = planted(cls.traits.kind, seed)
    done = attempt(cls(n_clusters, random_state=seed).fit, Xs)
    if done.error:
        raise done.error
    model = done.value
    found = model.labels_ if isinstance(model.labels_, list) else [model.labels_]
    scores = [adjusted_rand_index(true, h) for true, h in zip(labels, found)]
    return {"kind": _needs(cls)["kind"], "method": name, "ARI": float(np.mean(scores)),
            "seconds": done.processor, "iterations": int(model.n_iter_), "converged": model.converged_}
