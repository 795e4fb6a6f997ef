"""Which methods are here, what each needs and costs, and which can take given data.

What a class knows of itself comes from its traits, sentences and costs from ``data/methods/methods.toml``,
seconds from ``data/methods/costs.csv``, which ``benchmarks/method_costs.py`` writes.
"""

import json
from functools import cache
from pathlib import Path

import pandas as pd

from mtclib.baselines.registry import all_estimators
from mtclib.companion import schema, tables
from mtclib.companion.parameters import choose
from mtclib.companion.runs import calibrated
from mtclib.companion.userdata.run import shown_name
from mtclib.core import paths
from mtclib.core.base import SingleTaskClusterer
from mtclib.core.errors import MtclibError

KINDS = {"multi-task": "tasks with the same features", "single-task": "tasks, each clustered alone",
         "multi-view": "views of the same samples", "lifelong": "tasks of views, the same views in all"}
"""Kinds of methods, and what they take."""

TEXTS = ("title", "idea", "use_when", "avoid_when", "step", "cost", "setup", "memory", "citation")
NEGATIVE = "memory_negative"  # optional key: memory for data with negative entries, where it is another
ENTRY = schema.table(
    (*TEXTS, "order_n", "parameters", "appears_in"), **dict.fromkeys((*TEXTS, NEGATIVE), schema.TEXT),
    order_n=schema.one_of((1, 2, 3)), parameters={"type": "object"},
    appears_in={"items": schema.table(("paper", "tables", "names"))})
POWER = "n^"  # in a cost that grows faster than n log n
OVERVIEW = {"method": "class", "what": "method", "source": "paper", "needs": "needs",
            "order": "cost of an iteration", "time": "iteration [ms]", "fit": "fit [s] (iterations)",
            "peak": "peak [MB]", "growth": "grows as n^", "edition": "edition"}
GROWS = {"n": "samples", "d": "features", "k": "clusters", "parts": "tasks or views"}
"""What is varied in data/growth.csv, and its heading."""


class MethodsFileError(MtclibError, ValueError):
    """data/methods/methods.toml and the estimators do not agree; the message says where."""


@cache
def read(path=None) -> dict:
    """Sentences and costs of all methods, checked: ``symbols`` with their meaning, ``methods`` by class."""
    path = Path(path or paths.paper_dir("methods") / "methods.toml")
    found = schema.read_toml(path, path.name, MethodsFileError)
    entries = schema.table(all_estimators(), **dict.fromkeys(all_estimators(), ENTRY))
    schema.check(found, schema.table(("symbols",), methods=entries), path.name, MethodsFileError)
    return found


def methods_table(kind=None) -> pd.DataFrame:
    """Traits, sentences, costs and measured seconds of every method, or of those of a kind, by class name.
    ``large``: neither an iteration nor memory grows faster than n log n; ``large_negative``: nor does it with
    negative entries."""
    rows = {}
    for name, cls in all_estimators().items():
        entry, traits, single = read()["methods"][name], cls.traits, issubclass(cls, SingleTaskClusterer)
        rows[name] = {
            "kind": "single-task" if single else traits.kind.replace("multi", "multi-"),
            "source": traits.paper,
            "numbers of clusters": "equal in all tasks" if traits.same_n_clusters else "may differ",
            "data": "nonnegative" if traits.nonnegative else "any sign",
            "edition": "reconstruction" if traits.reconstruction else "original",
            "file": f"{cls.__module__.replace('.', '/')}.py", **entry,
            "large": POWER not in entry["cost"] + entry["memory"],
            "large_negative": POWER not in entry["cost"] + entry.get(NEGATIVE, entry["memory"])}
    costs = pd.read_csv(paths.paper_dir("methods") / "costs.csv", index_col="method")
    frame = pd.DataFrame.from_dict(rows, orient="index").rename_axis("method").join(costs)
    return frame if kind is None else frame[frame["kind"] == choose(kind, KINDS, "kind")]


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
            for part in ("time", "memory"):
                told = f"{found[part]:z.1f} ({found[f'{part} on paper']:.0f})"
                row[f"{head}: {part}"] = "" if pd.isna(found[part]) else told
        rows.append(row | {"why": "; ".join(frame.loc[name, "why"].dropna())})
    seconds, memory = frame["limit [s]"], frame["limit [GB]"]
    return tables.frame_table(rows, f"Exponents of time and memory, on paper in brackets; fits of at most "
                              f"{memory.max():g} GB and {seconds.min():g} to {seconds.max():g} s, as "
                              f"data/growth.csv has it for each", folded=f"{len(rows)} methods")


def recorded(name) -> dict:
    """Sizes of the data, versions and machine behind the measured seconds ("costs"), or the run on a cluster
    that lost a worker, by ``benchmarks/cluster_run.py`` ("cluster")."""
    found = json.loads((paths.paper_dir("methods") / f"{name}.json").read_text(encoding="utf-8"))
    return {name.replace("_", " "): value for name, value in found.items()}


def that_take(kind, *, clusters_differ=False, negative=False, large=False) -> list:
    """Methods of a kind that can take such data with their default parameters. Numbers of clusters differ
    between tasks; there are negative entries; there are more than about 5,000 samples. Single-task methods
    take tasks, and are a kind of their own."""
    asked = {"`numbers of clusters` == 'may differ'": clusters_differ, "data == 'any sign'": negative,
             "large_negative" if negative else "large": large}
    wanted = " and ".join(query for query, said in asked.items() if said)
    table = methods_table(kind)
    return list((table.query(wanted) if wanted else table).index)


def answers(kind):
    """What each answer about the data leaves of a kind, and what all of them together leave."""
    questions = {"any of this kind": {}, "numbers of clusters differ": {"clusters_differ": True},
                 "negative entries": {"negative": True}, "n > 5,000": {"large": True}}
    if kind == "multi-view":
        del questions["numbers of clusters differ"]
    questions["all of these"] = {name: True for asked in questions.values() for name in asked}
    rows = [{"the data": text, "methods": map(shown_name, that_take(kind, **asked))}
            for text, asked in questions.items()]
    return tables.frame_table(rows, f"{kind.capitalize()}: {KINDS[kind]}")


def overview(kind):
    """Methods of a kind, what they need and cost, as a table."""
    table = methods_table(kind)
    needs = [filter(None, ["same k in all tasks" * (numbers == "equal in all tasks"),
                           "no negative entries" * (data == "nonnegative")])
             for numbers, data in zip(table["numbers of clusters"], table["data"])]
    shown = table.assign(
        what=table["title"], order=table["cost"].map("O({})".format),
        needs=[", ".join(each) or "nothing more" for each in needs],
        time=(1e3 * table["seconds_per_iteration"]).map(_digits),
        fit=table["seconds_per_fit"].map(_digits) + table["iterations"].map(" ({:.0f})".format),
        peak=table["peak_mb"].map(_digits),
        growth=["" if pd.isna(row.exponent_n) else  # "fit" where it is that of a whole fit
                f"{row.exponent_n:z.1f} ({row.order_n}){' fit' * (row.grows == 'fit')}"
                for row in table.itertuples()])
    return tables.frame_table(shown, f"{kind.capitalize()} methods: {KINDS[kind]}", OVERVIEW)


def _digits(value):
    """Two significant digits, without exponent; "" for what is not known."""
    if pd.isna(value):
        return ""
    return f"{value:.0f}" if value >= 10 else f"{float(f'{value:.2g}'):g}"


def legend():
    """The symbols of the costs as a table."""
    rows = [{"symbol": name, "meaning": text} for name, text in read()["symbols"].items()]
    return tables.frame_table(rows, "Symbols of the costs")


def cards(kind):
    """A folded card for each method of a kind: what to know of it."""
    return tables.Tables(tuple(
        tables.frame_table((), f"{name}: {row['title']}", notes=_lines(row), folded=row["file"])
        for name, row in methods_table(kind).iterrows()))


def _lines(row):
    parameters = "; ".join(f"{name}: {text}" for name, text in row["parameters"].items())
    printed = "; ".join(f"{', '.join(part['names'])} in {_tables(part)} of the {part['paper'].upper()} paper"
                        for part in row["appears_in"])
    other = f", and O({row[NEGATIVE]}) with negative entries" * isinstance(row.get(NEGATIVE), str)
    return [f"Idea: {row['idea']}", f"When to take it: {row['use_when']}", f"When not: {row['avoid_when']}",
            f"An iteration: {row['step']}. O({row['cost']}); the set-up O({row['setup']}).",
            f"Memory: O({row['memory']}){other}.", f"Parameters: {parameters}.",
            f"Printed as: {printed or 'no row of its own'}.",
            f"Paper: {row['citation']} Here: {row['edition']}."]


def _tables(part):
    first, last = part["tables"][0], part["tables"][-1]
    if len(part["tables"]) == 1:
        return f"table {first}"
    whole = [int(table) for table in part["tables"]] == list(range(int(first), int(last) + 1))
    return f"tables {f'{first} to {last}' if whole else ' and '.join(part['tables'])}"


def full_profiles(papers) -> pd.DataFrame:
    """What the committed results of papers took: fits, hours of one core as `calibrated`, the longest fit."""
    rows = []
    for paper in papers:
        jobs = pd.read_csv(paths.results_dir(paper) / "jobs.csv.xz", keep_default_na=False)
        fits = jobs[jobs["status"] == "ok"].drop_duplicates("key")
        fits = fits.assign(seconds=calibrated(fits["seconds"], fits["calibration"]))
        longest = fits.loc[fits["seconds"].idxmax()]
        rows.append({"paper": paper, "data sets": fits["dataset"].nunique(), "fits": len(fits),
                     "hours": round(fits["seconds"].sum() / 3600, 2),
                     "median (s)": round(fits["seconds"].median(), 2),
                     "longest (s)": round(longest["seconds"], 1),
                     "longest fit": f"{longest['method']} on {longest['dataset']}"})
    return pd.DataFrame(rows)
