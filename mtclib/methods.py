"""Which methods are here, what each needs and costs, and which can take given data.

What a class knows of itself comes from its traits, sentences and costs from ``data/methods.toml``, seconds
from ``data/results/method_costs.csv``, which ``benchmarks/method_costs.py`` writes.
"""

import inspect
import json
import tomllib
from functools import cache
from pathlib import Path

import pandas as pd

from mtclib import costs, paths
from mtclib.base import SingleTaskClusterer, all_estimators
from mtclib.reproduction import published
from mtclib.usage import choose

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
    """data/methods.toml and the estimators do not agree; the message says where."""


def read(path=None) -> dict:
    """Read and check the sentences and costs of all methods.

    Parameters
    ----------
    path : path-like, optional
        None for ``data/methods.toml``.

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
    return _read(Path(path or paths.data_dir() / "methods.toml"))


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
    return pd.read_csv(paths.data_dir() / "results" / "method_costs.csv", index_col="method")


def measured_on() -> dict:
    """Sizes of the data, versions and machine behind `measured`.

    Examples
    --------
    >>> measured_on()["samples"]
    500
    """
    return json.loads((paths.data_dir() / "results" / "method_costs.json").read_text(encoding="utf-8"))


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
