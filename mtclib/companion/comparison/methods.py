"""Which methods are here, what each needs and costs, and which can take given data.

What a class knows of itself comes from its traits, sentences and costs from ``data/methods/methods.toml``,
seconds from ``data/methods/costs.csv``, which ``benchmarks/method_costs.py`` writes.

The methods as a page shows them: an overview a kind, cards, and the answers about one's own data.

Every method once, at its defaults, on small planted data: proof that it runs, not a comparison.
"""

import inspect
import json
import textwrap
import tomllib
import warnings
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning

from mtclib.baselines.registry import all_estimators
from mtclib.companion import tables
from mtclib.companion.comparison import costs
from mtclib.companion.parameters import choose
from mtclib.companion.verdicts import published
from mtclib.core import paths
from mtclib.core.base import SingleTaskClusterer
from mtclib.core.starts import one_thread
from mtclib.datasets import load
from mtclib.metrics import adjusted_rand_index

KINDS = {
    "multi-task": "tasks with the same features", "single-task": "tasks, each clustered alone",
    "multi-view": "views of the same samples", "lifelong": "tasks of views, the same views in all",
}  # fmt: skip
"""Kinds of methods, and what they take."""

TEXTS = ("title", "idea", "use_when", "avoid_when", "step", "cost", "setup", "memory", "citation")
COSTS = ("cost", "setup", "memory")
KEYS = {*TEXTS, "appears_in", "parameters"}
NEGATIVE = "memory_negative"
"""Optional key: memory for data with negative entries, where it is another."""
MEASURED = ("seconds_per_iteration", "iterations", "seconds_per_fit", "peak_mb", "grows", "samples",
            "exponent_n", "exponent_d")  # fmt: skip
ASSUMED = {"l": 2, "m": 10, "q": 30, "i": 20}
"""Symbols that the benchmark does not fix, for the growth that a cost lets expect."""


class MethodsFileError(ValueError):
    """data/methods/methods.toml and the estimators do not agree; the message says where."""


def read(path=None) -> dict:
    """Read and check the sentences and costs of all methods.

    Parameters
    ----------
    path : path-like, optional
        None for ``data/methods/methods.toml``.

    Returns
    -------
    dict
        ``symbols``: name to meaning; ``methods``: class name to its entry.

    Raises
    ------
    MethodsFileError
        A missing or unknown method or key, a cost that cannot be read, a parameter that the class does not
        have, or a printed name that is not in the published tables.

    Examples
    --------
    >>> read()["methods"]["MBC"]["title"]
    'Multitask Bregman clustering'
    """
    return _read(Path(path or paths.paper_dir("methods") / "methods.toml"))


@cache
def _read(path):
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    symbols, entries = found.get("symbols", {}), found.get("methods", {})
    _same(all_estimators(), entries, f"{path.name}: methods")
    for name, entry in entries.items():
        place = f"{path.name}: methods.{name}"
        _same(KEYS, set(entry) - {NEGATIVE}, place)
        for key in TEXTS:
            if not isinstance(entry[key], str) or not entry[key].strip():
                raise MethodsFileError(f"{place}.{key} must be a text that is not empty")
        _check_entry(place, entry, all_estimators()[name], symbols)
    return found


def _same(expected, found, place):
    missing, extra = sorted(set(expected) - set(found)), sorted(set(found) - set(expected))
    if missing:
        raise MethodsFileError(f"{place}: missing {', '.join(missing)}")
    if extra:
        raise MethodsFileError(f"{place}: unknown {', '.join(extra)}")


def _check_entry(place, entry, cls, symbols):
    for key in (*COSTS, *({NEGATIVE} & set(entry))):
        try:
            costs.compiled(entry[key], symbols)
        except ValueError as error:
            raise MethodsFileError(f"{place}.{key}: {error}") from error
    known = inspect.signature(cls).parameters
    for name in entry["parameters"]:
        if name not in known:
            raise MethodsFileError(f"{place}.parameters: {cls.__name__} has no parameter {name!r}")
    for row in entry["appears_in"]:
        _same(("paper", "tables", "names"), row, f"{place}.appears_in")
        for table in row["tables"]:
            wrong = sorted(set(row["names"]) - printed_names(row["paper"], table))
            if wrong:
                raise MethodsFileError(f"{place}.appears_in: table {table} of {row['paper']} has no row "
                                       f"{', '.join(wrong)}")


@cache
def printed_names(paper, table) -> frozenset:
    """Rows of a printed table, of all data sets and metrics.

    Examples
    --------
    >>> sorted(printed_names("mbc", "3"))
    ['IND', 'MBC']
    """
    cells = published.load(paper)
    return frozenset(cells.loc[cells["table"].astype(str) == table, "method"])


def kind_of(cls) -> str:
    """One of `KINDS`.

    Examples
    --------
    >>> kind_of(all_estimators()["KMeans"]), kind_of(all_estimators()["MBC"])
    ('single-task', 'multi-task')
    """
    if issubclass(cls, SingleTaskClusterer):
        return "single-task"
    return {"multitask": "multi-task", "multiview": "multi-view"}.get(cls.traits.kind, cls.traits.kind)


def requirements() -> pd.DataFrame:
    """Every estimator and what it needs.

    Returns
    -------
    DataFrame
        Index: class name.  ``source`` (the paper) and the traits that matter for choosing.

    Examples
    --------
    >>> requirements().loc["MSPL", ["Xs", "data"]].tolist()
    ['views', 'any sign']
    """
    rows = {name: _needs(cls) for name, cls in all_estimators().items()}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("method")


def _needs(cls):
    traits = cls.traits
    return {
        "source": traits.paper,
        "Xs": {"multitask": "tasks", "multiview": "views", "lifelong": "tasks of views"}[traits.kind],
        "numbers of clusters": "equal in all tasks" if traits.same_n_clusters else "may differ",
        "data": "nonnegative" if traits.nonnegative else "any sign",
        "sparse": "kept sparse" if traits.sparse else "dense only",
        "edition": "reconstruction" if traits.reconstruction else "original"}


def measured() -> pd.DataFrame:
    """What ``benchmarks/method_costs.py`` measured, index: class name; see `measured_on` for the sizes.

    Examples
    --------
    >>> set(measured().index) == set(all_estimators())
    True
    """
    return pd.read_csv(paths.paper_dir("methods") / "costs.csv", index_col="method")


def measured_on() -> dict:
    """Sizes of the data, versions and machine behind `measured`.

    Examples
    --------
    >>> measured_on()["samples"]
    500
    """
    return json.loads((paths.paper_dir("methods") / "costs.json").read_text(encoding="utf-8"))


def benchmark_sizes() -> dict:
    """Values of the symbols on the data of `measured`, ``words`` the stored entries of a sample.

    Examples
    --------
    >>> benchmark_sizes()["n"]
    500
    """
    on = measured_on()
    return {"n": on["samples"], "d": on["features"], "k": on["clusters"], "T": on["tasks"], "V": on["views"],
            "words": on["stored"] / on["samples"], **ASSUMED}


def methods_table(kind=None) -> pd.DataFrame:
    """Traits, sentences, costs and measured seconds of every method.

    Parameters
    ----------
    kind : str, optional
        One of `KINDS`; None for all.

    Returns
    -------
    DataFrame
        Index: class name.  Columns of `requirements`, ``kind``, ``file`` (of the source, from the root),
        ``large`` (neither an iteration nor memory grows faster than n log n) and ``large_negative`` (nor does
        it with negative entries), the keys of the file, ``expected_n`` (the exponent that the cost lets
        expect where ``exponent_n`` was measured), and those of `measured`.

    Raises
    ------
    ValueError
        If the kind is not known.

    Examples
    --------
    >>> methods_table("lifelong").index.tolist()
    ['L2SC', 'LMSC', 'OneView', 'PerTask']
    """
    if kind is not None:
        choose(kind, KINDS, "kind")
    frame = requirements().join(measured())
    rows = {name: _described(name, cls, frame.loc[name]) for name, cls in all_estimators().items()}
    frame = frame.join(pd.DataFrame.from_dict(rows, orient="index"))
    return frame if kind is None else frame[frame["kind"] == kind]


def _described(name, cls, row):
    """What the file says of a method, and what follows from its costs."""
    entry, symbols, sizes = read()["methods"][name], read()["symbols"], benchmark_sizes()
    keys = {"large": "memory", "large_negative": NEGATIVE if NEGATIVE in entry else "memory"}
    large = {column: all(costs.is_linear(entry[part], symbols, sizes) for part in ("cost", key))
             for column, key in keys.items()}  # fmt: skip
    grows = entry["setup" if row["grows"] == "fit" else "cost"]
    expected = costs.growth(grows, symbols, {**sizes, "n": row["samples"]}, "n")
    return {"kind": kind_of(cls), "file": f"{cls.__module__.replace('.', '/')}.py", **entry, **large,
            "expected_n": expected}


def that_take(kind, *, clusters_differ=False, negative=False, large=False) -> list:
    """Methods that can take such data with their default parameters.

    Parameters
    ----------
    kind : str
        One of `KINDS`; single-task methods take tasks, and are listed apart.
    clusters_differ : bool, default False
        Tasks have different numbers of clusters.
    negative : bool, default False
        There are negative entries.
    large : bool, default False
        There are many samples: more than about 5,000.

    Returns
    -------
    list of str

    Examples
    --------
    >>> that_take("lifelong", clusters_differ=True)
    ['OneView', 'PerTask']
    """
    table = methods_table(kind)
    fits = pd.Series(True, index=table.index)
    if clusters_differ:
        fits &= table["numbers of clusters"] == "may differ"
    if negative:
        fits &= table["data"] == "any sign"
    if large:
        fits &= table["large_negative" if negative else "large"].astype(bool)
    return list(table.index[fits])


def decision_aid(kind) -> pd.DataFrame:
    """What each answer about the data leaves of the methods of a kind.

    Parameters
    ----------
    kind : str
        One of `KINDS`.

    Returns
    -------
    DataFrame
        One row an answer, from all methods to those that are left when every question is answered with yes.

    Examples
    --------
    >>> decision_aid("lifelong")["n methods"].tolist()
    [4, 2, 2, 2, 0]
    """
    tasks = kind != "multi-view"
    questions = [("any of this kind", {}), ("numbers of clusters differ", {"clusters_differ": True}),
                 ("negative entries", {"negative": True}), ("n > 5,000", {"large": True})]  # fmt: skip
    questions = [(text, asked) for text, asked in questions if tasks or "clusters_differ" not in asked]
    everything = {name: value for _, asked in questions for name, value in asked.items()}
    rows = []
    for text, asked in [*questions, ("all of these", everything)]:
        left = that_take(kind, **asked)
        rows.append({"the data": text, "n methods": len(left), "methods": left})
    return pd.DataFrame(rows)

OVERVIEW = {
    "what": "method", "source": "paper", "needs": "needs", "order": "cost of an iteration",
    "time": "iteration [ms]", "fit": "fit [s] (iterations)", "peak": "peak [MB]", "growth": "grows as n^",
    "edition": "edition",
}  # fmt: skip
_STYLE = """
.mtclib-cards{font-size:13px;line-height:1.45;max-width:60em;overflow-wrap:break-word}
.mtclib-cards div{margin:0 0 10px;padding:4px 0 4px 10px;border-left:3px solid rgba(128,128,128,.5)}
.mtclib-cards p{margin:0 0 2px}
"""


def overview(kind):
    """Methods of a kind, what they need and cost.

    Parameters
    ----------
    kind : str
        One of `mtclib.companion.comparison.methods.KINDS`.

    Returns
    -------
    mtclib.companion.tables.Table

    Examples
    --------
    >>> [row[0].lines[0] for row in overview("lifelong").rows]
    ['L2SC', 'LMSC', 'OneView', 'PerTask']
    """
    table = methods_table(kind)
    shown = table.assign(
        what=table["title"], order=table["cost"].map(_powers),
        needs=[_needs_text(row) for _, row in table.iterrows()],
        time=[_digits(1e3 * value) for value in table["seconds_per_iteration"]],
        fit=[f"{_digits(row.seconds_per_fit)} ({row.iterations:.0f})" for row in table.itertuples()],
        peak=[_digits(value) for value in table["peak_mb"]],
        growth=[_growth(row) for row in table.itertuples()],
    )  # fmt: skip
    columns = {"method": "class", **OVERVIEW}
    return tables.frame_table(shown, f"{kind.capitalize()} methods: {KINDS[kind]}", columns)


def _needs_text(row):
    needs = ["same k in all tasks" if row["numbers of clusters"] == "equal in all tasks" else "",
             "no negative entries" if row["data"] == "nonnegative" else "",
             "dense data" if row["sparse"] == "dense only" else ""]  # fmt: skip
    return ", ".join(filter(None, needs)) or "nothing more"


def _powers(cost):
    return cost.replace("^2", "²").replace("^3", "³")


def _growth(row):
    """Measured and, in brackets, expected exponent; "fit" where it is that of a whole fit."""
    if pd.isna(row.exponent_n):
        return ""
    return f"{row.exponent_n:.1f} ({row.expected_n:.1f}){' fit' * (row.grows == 'fit')}"


def _digits(value):
    """Two significant digits, without exponent; "" for what is not known."""
    if pd.isna(value):
        return ""
    return f"{value:.0f}" if value >= 10 else f"{float(f'{value:.2g}'):g}"


def legend():
    """The symbols of the costs as a `mtclib.companion.tables.Table`.

    Examples
    --------
    >>> legend().rows[0][0].lines
    ('n',)
    """
    rows = [{"symbol": name, "meaning": text} for name, text in read()["symbols"].items()]
    return tables.frame_table(rows, "Symbols of the costs")


def answers(kind):
    """What each answer about the data leaves of a kind, as a `mtclib.companion.tables.Table`.

    Examples
    --------
    >>> answers("lifelong").rows[1][1].lines
    ('OneView, PerTask',)
    """
    shown = decision_aid(kind)[["the data", "methods"]]
    return tables.frame_table(shown, f"{kind.capitalize()}: {KINDS[kind]}")


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

    @property
    def text(self) -> str:
        """Plain text form."""
        return "\n\n".join("\n".join([f"{card.name}: {card.title}", *(
            textwrap.fill(f"{head}: {line}", 100, initial_indent="  ", subsequent_indent="    ")
            for head, line in card.lines)]) for card in self.cards)

    def _repr_html_(self) -> str:
        top = f'<div class="mtclib-cards"><style>{_STYLE}</style>'
        return "\n".join([top, *map(_html, self.cards), "</div>"])

    def __repr__(self) -> str:
        return self.text


def _html(card):
    lines = "".join(f"<p><b>{escape(head)}.</b> {escape(line)}</p>" for head, line in card.lines)
    source = f'<a href="../{escape(card.file)}"><b>{escape(card.name)}</b></a>'
    return f"<div><p>{source}: {escape(card.title)}</p>{lines}</div>"


def cards(kind):
    """A card for each method of a kind.

    Parameters
    ----------
    kind : str
        One of `mtclib.companion.comparison.methods.KINDS`.

    Returns
    -------
    Cards

    Examples
    --------
    >>> print(cards("lifelong").text.splitlines()[0])
    L2SC: Lifelong spectral clustering of one view
    """
    table = methods_table(kind)
    return Cards(tuple(Card(name, row["title"], row["file"], _lines(row)) for name, row in table.iterrows()))


def _lines(row):
    parameters = "; ".join(f"{name}: {text}" for name, text in row["parameters"].items())
    printed = "; ".join(f"{', '.join(part['names'])} in {_tables(part)} of the {part['paper'].upper()} paper"
                        for part in row["appears_in"])  # fmt: skip
    return (("Idea", row["idea"]), ("When to take it", row["use_when"]), ("When not", row["avoid_when"]),
            ("An iteration", f"{row['step']}."),
            ("Set-up, memory", f"{_powers(row['setup'])}; {_powers(row['memory'])}{_negative(row)}."),
            ("Parameters", f"{parameters}."),
            ("Printed as", f"{printed}." if printed else "no row of its own."),
            ("Paper", f"{row['citation']} Here: {row['edition']}."))  # fmt: skip


def _negative(row):
    other = row.get(NEGATIVE)
    return f", with negative entries {_powers(other)}" if isinstance(other, str) else ""


def _tables(part):
    first, last = part["tables"][0], part["tables"][-1]
    if len(part["tables"]) == 1:
        return f"table {first}"
    whole = [int(table) for table in part["tables"]] == list(range(int(first), int(last) + 1))
    return f"tables {f'{first} to {last}' if whole else ' and '.join(part['tables'])}"

EVERY = 4
"""Of the 400 planted points with three views, one of so many is used."""


def planted(kind, seed):
    """Small data with known clusters, for a kind of estimator.

    Parameters
    ----------
    kind : {'multitask', 'multiview', 'lifelong'}
        Three tasks of tf-idf; 100 points in three views; three tasks of counts in two views each.
    seed : int

    Returns
    -------
    Xs : list
    labels : list of ndarray
        One array a task; for views one in all.
    n_clusters : int or list of int

    Examples
    --------
    >>> Xs, labels, n_clusters = planted("lifelong", 0)
    >>> [X.shape for X in Xs[0]], n_clusters
    ([(60, 40), (60, 40)], [3, 3, 3])
    """
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
    """Fit every method at its defaults.

    Parameters
    ----------
    seed : int, default 0
        Of the data and the methods in the first run; each further run takes the next one.
    n_runs : int, default 1
    n_jobs : int, default 1
        Processes.

    Returns
    -------
    DataFrame
        One row a method, index: kind and method.  ``ARI``, mean over tasks and runs, ``seconds`` of the
        processor a fit, ``iterations``, the mean, and ``converged``, whether all runs did.

    Examples
    --------
    >>> trial().loc[("multi-task", "MBC"), "iterations"] > 0  # doctest: +SKIP
    True
    """
    jobs = [(name, seed + run) for name in all_estimators() for run in range(n_runs)]
    frame = pd.DataFrame(Parallel(n_jobs)(delayed(_fit)(*job) for job in jobs))
    rules = {"ARI": "mean", "seconds": "mean", "iterations": "mean", "converged": "all"}
    return frame.groupby(["kind", "method"]).agg(rules)


def _fit(name, seed):
    cls = all_estimators()[name]
    Xs, labels, n_clusters = planted(cls.traits.kind, seed)
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore", ConvergenceWarning)
        start = process_time()
        model = cls(n_clusters, random_state=seed).fit(Xs)
        seconds = process_time() - start
    found = model.labels_ if isinstance(model.labels_, list) else [model.labels_]
    scores = [adjusted_rand_index(true, h) for true, h in zip(labels, found)]
    return {"kind": kind_of(cls), "method": name, "ARI": float(np.mean(scores)), "seconds": seconds,
            "iterations": int(model.n_iter_), "converged": model.converged_}  # fmt: skip
