"""How long fits take and what memory they need on a user's data, from the growth that was measured.

``data/growth.csv`` has a fit of ten iterations and how it grows; ``data/methods/costs.csv`` the number of
iterations of a whole fit, the seconds of each, and those of a fit of few samples, of which fewer samples or
features need about half.  Memory is at least what a fit holds on paper.  Expect a factor of about two either
way, and up to four where views or clusters are many.
"""

import math
import os

import numpy as np
import pandas as pd
import psutil
import scipy.sparse as sp

from mtclib.baselines.landmark_spectral import COMPONENTS
from mtclib.baselines.registry import all_estimators
from mtclib.baselines.wmsc import WMSC, too_many
from mtclib.companion.userdata.run import RECOMMENDED, check_methods, methods_for, numbers_of_clusters
from mtclib.core import paths
from mtclib.core.large import IN_MEMORY

WORTH_SAYING, TOO_LONG = 60, 600
"""Seconds of all fits from which the estimate is printed, and from which the command asks."""

# At which sizes the two files were measured, samples of all tasks together; in the first n varies.
_GROWTH = {"multitask": {"d": 2000, "k": 4, "parts": 2}, "multiview": {"d": 50, "k": 4, "parts": 3}}
_SAMPLES = {"multitask": 2000, "multiview": 500}
_ITERATIONS, _WORDS = 10, 60
_READ, _FACTORED = 4e-9, 6e-10  # seconds of an entry of a dense matrix, and for a cube of its shorter side

# LandmarkSpectral has numbers of its own: growth.csv varies all but n at 500 samples, all of them landmarks,
# and has one exponent of n.  By it seven fits of 2,000 to 128,000 samples took .16 to 9.4 times the estimate,
# by these .3 to 1.4 times: an exponent of k, and the share of 1,000 landmarks, as many as there are from
# 10,000 samples on, in its time with 1,000,000.
_OF_MANY, _LANDMARKS, _ENOUGH = 0.45, 0.2, 10_000

# What WMSC and a consensus with it fit in its place where samples are too many to compare all pairs.
_INSTEAD = {"WMSC": ["LandmarkSpectral"], "MultiViewConsensus": ["LandmarkSpectral", "ConMC"]}


def estimates(data, methods, n_clusters, n_runs=1, n_jobs=1) -> pd.DataFrame:
    """``seconds`` of all runs and ``megabytes`` of fits at a time, by method; NaN where growth is unknown.

    ``methods`` are names, or names to parameters as :func:`check_methods` returns them.
    """
    growth = pd.read_csv(paths.data_dir() / "growth.csv").set_index(["method", "varied"])
    costs = pd.read_csv(paths.paper_dir("methods") / "costs.csv", index_col="method").fillna(0.0)
    chosen, rows = methods if isinstance(methods, dict) else dict.fromkeys(methods, {}), {}
    for name, parameters in chosen.items():
        fitted = [_one(data, each, growth.loc[each], costs.loc[each], max(n_clusters))
                  for each in _fitted(name, parameters, data) if each in growth.index]
        if fitted:  # one after the other
            seconds, megabytes = zip(*fitted)
            rows[name] = sum(seconds), max(megabytes)
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=["seconds", "megabytes"])
    return frame.reindex(list(chosen)) * [n_runs / _at_once(n_jobs, n_runs), _at_once(n_jobs, n_runs)]


def _at_once(n_jobs, fits):
    return min(n_jobs, fits, os.cpu_count() or 1)


def _fitted(name, parameters, data):
    """The methods that are fitted where one of these parameters is asked for."""
    with_wmsc = name == "WMSC" or (name in _INSTEAD and parameters.get("members") is None)
    wmsc = WMSC(2, **parameters) if name == "WMSC" else WMSC(2)
    return _INSTEAD[name] if with_wmsc and too_many(wmsc, data.Xs) else [name]


def _held(name, n, size):
    """Bytes that a fit holds beside the data, on paper, at the least.

    k-means of n samples has their labels, those of the step before, and a weight of each.  Landmarks add the
    embedding and a graph of 8 neighbours a view, indices and weights, unless it lies in a file (`room`); of
    sparse views components, and while those of one are found ten more in double precision, three times.
    """
    held, sparse = n * (4 + 4 + 8), size.get("sparse", 0)
    if name == "LandmarkSpectral":
        graph = (8 * n * size["parts"] * width for width in (2, 4))
        held += 4 * n * size["k"] + sum(array for array in graph if array <= IN_MEMORY)
        held += n * (4 * COMPONENTS * sparse + 3 * 8 * (COMPONENTS + 10) * (sparse > 0))
    return held


def _one(data, name, growth, cost, k):
    n = data.Xs[0].shape[0] if data.kind == "multiview" else sum(X.shape[0] for X in data.Xs)
    # Growth of views is that of dense ones: of sparse ones entries count, but where features are decomposed.
    by_columns = data.kind == "multitask" or growth.loc["d", "time on paper"] > 1
    d = sum(X.shape[1] if by_columns else X.size / n for X in data.Xs) / len(data.Xs)
    size = {"k": k, "parts": len(data.Xs), "d": d, "sparse": sum(map(sp.issparse, data.Xs))}
    most = growth.loc["n"]
    # What is measured above the exponent on paper has its reason at some sizes alone.
    power = most[["time", "time on paper"]].min() if isinstance(most["why"], str) else most["time"]
    more = max(0.0, cost["iterations"] - _ITERATIONS) * cost["seconds_per_iteration"]
    grown = (n / most["to"]) ** power
    if name == "LandmarkSpectral":
        grown = _LANDMARKS * min(1.0, n / _ENOUGH) + (1 - _LANDMARKS) * n / most["to"]
    seconds = most["seconds"] * grown + more * (n / _SAMPLES[data.kind]) ** power
    for varied, base in _GROWTH[data.kind].items():
        power = _OF_MANY if (name, varied) == ("LandmarkSpectral", "k") else growth.loc[varied, "time"]
        seconds *= (size[varied] / base) ** max(0.0, power)
    seconds = max(seconds, cost["seconds_per_fit"] / 2)
    if data.kind == "multitask":  # measured on text of so many words a sample; iterations may read a graph
        passes = cost["iterations"] if growth.loc["d", ["time", "time on paper"]].min() > 0.1 else 1
        seconds += _READ * passes * max(0, sum(X.size - _WORDS * X.shape[0] for X in data.Xs))
        # MTSC factors a matrix in each round, which growth shows of 2,000 rows at most.
        seconds += (name == "MTSC") * _FACTORED * sum(min(X.shape) ** 3 for X in data.Xs)
    # The data and a copy; a mapped file stays where it is in methods that read it in blocks.
    reads = all_estimators()[name].traits.float32
    copies = 2 * sum(X.data.nbytes for X in data.Xs if not (reads and isinstance(X, np.memmap)))
    return seconds, (max(_memory(data, name, growth, n, size) * 2**20, _held(name, n, size)) + copies) / 2**20


def _memory(data, name, growth, n, size):
    """MB of a fit beside the data, from the measured one with most samples."""
    most = growth.loc["n"]
    if name == "LandmarkSpectral":  # few samples, with which other sizes vary, need it for landmarks alone
        return most["MB"] * _held(name, n, size) / _held(name, most["to"], _GROWTH[data.kind])
    # Where blocks are read memory may stand still: few samples fill none, and labels grow with all.
    total = most["MB"] * (n / most["to"]) ** max(1.0, most["memory"])
    for varied, base in _GROWTH[data.kind].items():
        total *= (size[varied] / base) ** max(0.0, growth.loc[varied, ["memory", "memory on paper"]].min())
    return total


def verdict(data, methods, n_clusters, n_runs, n_jobs) -> tuple:
    """What to say of the cost of `methods`, and what speaks against running them; "" for nothing.

    Of the methods that fit, those that end within ten minutes and the memory are proposed instead: the one
    that is recommended, and the fastest.
    """
    methods, fitting = check_methods(methods, data, n_clusters), methods_for(data, n_clusters).query("fits")
    found = estimates(data, dict.fromkeys(fitting.index, {}) | methods,
                      numbers_of_clusters(data, n_clusters), n_runs, n_jobs)
    free = psutil.virtual_memory().available / 2**20
    chosen = found.loc[list(methods)].sort_values("seconds", ascending=False)
    beside = _at_once(n_jobs, n_runs * len(chosen)) / _at_once(n_jobs, n_runs)  # methods share the processes
    seconds = max(chosen["seconds"].max(), chosen["seconds"].sum() / beside)
    together = chosen["megabytes"].nlargest(math.ceil(beside))
    large = [*chosen.index[chosen["megabytes"] > free]] or [*together.index] * bool(together.sum() > free)
    said = f"The fits may take about {in_words(seconds)} ({_listed(chosen)})." * bool(seconds > WORTH_SAYING)
    if seconds <= TOO_LONG and not large:
        return said, ""
    less = found[(found["seconds"] < TOO_LONG) & (found["megabytes"] < free)].sort_values("seconds")
    less = less.sort_index(key=lambda names: names != RECOMMENDED[data.kind], kind="stable")
    most = f"{together.sum() / 1024:.0f} GB of memory, and {free / 1024:.0f} GB are free."
    why = f"{', '.join(large)} may need {most}" if large else f"The fits may take {in_words(seconds)}."
    return said, (f"{why} Of the methods that fit, these take less: {_listed(less) or 'none'}; choose with "
                  f"--method.")


def _listed(table):
    return ", ".join(f"{name} {in_words(value)}" for name, value in table["seconds"].dropna().head(4).items())


def in_words(seconds) -> str:
    """A time as a user would say it.

    >>> in_words(8), in_words(150), in_words(9000)
    ('8 s', '2 min', '2.5 h')
    """
    if seconds < 99:
        return f"{max(1, seconds):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
