"""How do time and memory of a fit grow with samples, features, clusters, and tasks or views?

    python -m benchmarks growth                                     all methods, to the limits below
    python -m benchmarks growth --seconds 6 --largest 50000         a shorter run
    python -m benchmarks growth --varied n                          samples alone
    python -m benchmarks growth --only MBC --output data/growth.csv     other rows stay

Planted text for tasks (sparse, 60 words per document), planted dense views otherwise; n counts the samples
of all tasks.  Each fit makes one start and at most ten iterations, so that exponents are of the algorithm and
not of its convergence.  It runs in a process of its own that may have so many seconds of the processor and
so much memory; seconds are calibrated by a fixed matrix product beside it, as those of committed fits are.
Sizes are doubled, the last step perhaps less, until the next fit would not end in time.  Exponents are slopes
over the last two steps; ``memory`` is the most beside the data.  ``on paper``: the most that cost and set-up
in data/methods/methods.toml allow at these sizes.
"""

import argparse
import math
import re
import sys
import warnings
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd

from mtclib.baselines.registry import all_estimators
from mtclib.companion.comparison.methods import read
from mtclib.companion.runs import calibrated, fit
from mtclib.core import paths
from mtclib.maths import linalg

from .drawn import WORDS, documents
from .method_costs import limited
from .record import merge
from .timing import in_a_child, one_thread, peak

ITERATIONS = 10
SECONDS, MEMORY, LARGEST = 120.0, 8.0, 1_000_000
SMALLEST, LARGEST_FACTOR = 500, 16
BASE = {"k": 4, "parts": 2, "d": 2000}
VIEWS = {"k": 4, "parts": 3, "d": 50}
SHARE = 15.0
"""What varies beside the samples starts where a fit takes at most this part of the seconds."""

BRIEF, SMALL = 0.004, 2.0
"""Seconds and MB below which overhead would be measured."""

PRODUCTS = 9
"""Calibrations before and after each fit."""

ALL_PAIRS = {"WMSC": {"landmarks": "never"}}
"""Parameters without which another method would be fitted above a size."""

SLACK = 0.35
"""How far a measured exponent may lie above the one on paper."""

_BLOCKS = "blocks of distances between samples, which grow to 64 MiB and no further"
_COLUMNS = "orthogonalising blocks of k columns, and dense decompositions once n < 30 k"
_SOONER = "at the smaller sizes k-means converges in fewer than ten iterations"
_CACHE = "what samples are compared with outgrows the processor's cache"
_FREED = "making the data takes memory, too, which hides a part of what the smaller sizes need"
_READ = "views of more than 2^24 entries are not copied, but scaled anew each time that they are read"
WHY = {
    ("CLR", "n"): _BLOCKS, ("WMSC", "n"): _BLOCKS,
    ("ConMC", "d"): _SOONER, ("ConMC", "parts"): _SOONER,
    ("KMeans", "k"): _CACHE, ("SingleView", "k"): _CACHE, ("Stacked", "k"): _CACHE,
    ("LSSMTC", "k"): _FREED, ("SPMTC", "k"): _FREED,
    ("MSPL", "n"): _READ, ("RMKMC", "n"): _READ,
    ("ConvexSub", "k"): "k-means on an embedding of k columns, which the cost leaves out",
    ("CoregSpectral", "k"): _COLUMNS, ("OneView", "k"): _COLUMNS, ("PerTask", "k"): _COLUMNS,
    ("MultiViewConsensus", "k"): "labels of members as indicators, which the cost leaves out beside n^2",
    ("LandmarkSpectral", "k"): "dense decompositions in the space of landmarks once they are fewer than 30 k",
    ("MultiViewSNMF", "k"): "memberships of samples, which the cost leaves out beside n^2",
    ("LatentMSC", "k"): "2 k components, whose products the cost leaves out beside n^3",
}  # fmt: skip
"""By method and what varies: why it grows faster than on paper."""


class Power:
    """The exponent of a positive expression in one of its symbols, and its value at the largest size."""

    def __init__(self, exponent, value):
        self.exponent, self.value = int(exponent), value

    def __add__(self, other):
        return Power(max(self.exponent, other.exponent), self.value + other.value)

    def __mul__(self, other):
        return Power(self.exponent + other.exponent, self.value * other.value)

    def __pow__(self, times):
        return Power(self.exponent * times, self.value**times)


def on_paper(expression, powers):
    """The exponent of a cost of methods.toml, given its symbols as `Power`; a logarithm counts as 0."""
    product = re.sub(r"(?<=[\w)]) (?=[\w(])", " * ", expression.replace("^", "**"))
    known = {name: powers.get(name, Power(0, 1)) for name in read()["symbols"]}
    known |= {"log": lambda n: Power(0, math.log(n.value)),
              "min": lambda *values: min(values, key=lambda each: each.value)}
    return eval(product, {"__builtins__": {}}, known).exponent  # noqa: S307


def symbols(kind, sizes, varied, low, high):
    """Symbols of methods.toml where one size goes from `low` to `high`."""
    sizes, views = {**sizes, varied: high}, kind == "multiview"
    parts = 1 if views else sizes["parts"]
    rank, before = (min(each["n"] / parts, each["d"]) for each in (sizes, {**sizes, varied: low}))
    stored = sizes["n"] / parts * (sizes["d"] if views else WORDS)
    known = {name: Power(varied == name, sizes[name]) for name in ("d", "k")}
    return known | {"n": Power(varied == "n", sizes["n"] / parts),
                    "r": Power(varied in "nd" and rank > before, rank),
                    "nnz": Power(varied == "n" or (varied == "d" and views), stored),
                    "V" if views else "T": Power(varied == "parts", sizes["parts"])}


def planted(kind, n, d, k, parts):
    """Xs of a kind; `n` counts the samples of all tasks, or those that views share."""
    rng = np.random.default_rng(0)
    if kind == "multiview":
        return [0.3 * rng.standard_normal((k, d))[np.arange(n) % k] + rng.standard_normal((n, d))
                for _ in range(parts)]
    if kind == "lifelong":
        return [[documents(n // parts, d, k, rng) for _ in range(2)] for _ in range(parts)]
    return [documents(n // parts, d, k, rng) for _ in range(parts)]


def fitted(cls, sizes, limits):
    """Seconds, MB and what stopped a fit in a process of its own."""
    return in_a_child(_measured, cls, sizes, limits) or {"stopped": "seconds"}


def _measured(cls, sizes, limits, sender):
    """In the child: the least of up to three fits; memory of the first."""
    Xs = planted(cls.traits.kind, **sizes)
    model = limited(cls, ITERATIONS).set_params(n_clusters=sizes["k"], **ALL_PAIRS.get(cls.__name__, {}))
    import resource  # missing on Windows, where tests import this file all the same
    room = int(limits["memory"] * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (room, room))
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(process_time() + limits["seconds"]),) * 2)
    before, seconds, most = peak(forget=True), [], None
    try:
        with one_thread():
            products = [fit._calibration() for _ in range(PRODUCTS)]
            while len(seconds) < 3 and sum(seconds) < 0.3:
                linalg._SPECTRA.clear()
                start = process_time()
                model.fit(Xs)
                seconds.append(process_time() - start)
                most = peak() - before if most is None else most
                products += [fit._calibration() for _ in range(PRODUCTS)]
        quiet = calibrated(pd.Series(min(seconds)), pd.Series(np.median(products)))
        sender.send({"seconds": quiet.item(), "MB": most, "stopped": ""})
    except MemoryError:
        sender.send({"stopped": "memory"})
    except Exception as error:
        sender.send({"stopped": reason(error.__cause__ or error)})


def reason(error):
    """An error as a reason to stop, without the advice that follows it.

    >>> reason(FloatingPointError("3 eigenvectors did not converge; use fewer samples"))
    'FloatingPointError: 3 eigenvectors did not converge'
    """
    return f"{type(error).__name__}: {str(error).partition(';')[0]}"


def doubled(cls, sizes, varied, limits, largest):
    """Fits of doubled sizes until one does not end in time; what stopped."""
    found, size, stopped = [], sizes[varied], ""
    while True:
        row = fitted(cls, {**sizes, varied: size}, limits)
        stopped = row.pop("stopped")
        if stopped:
            break
        found.append({"size": size, **row})
        growth = max(2.0, row["seconds"] / max(found[-2]["seconds"], BRIEF) if len(found) > 1 else 2.0)
        if growth * row["seconds"] > limits["seconds"]:
            stopped = "seconds"
            break
        if size == largest:
            break
        size = min(2 * size, largest)
    return pd.DataFrame(found, columns=["size", "seconds", "MB"]), stopped or "size"


def slope(table, name, least):
    """The exponent over the last two steps of what was large enough to be measured."""
    known = table[table[name] >= least].tail(3)
    if len(known) < 2:
        return np.nan
    return float(np.polyfit(np.log2(known["size"]), np.log2(known[name]), 1)[0])


def rows_of(name, cls, limits, largest, wanted):
    """Rows of a method: samples first; where its fits are short, the other sizes start."""
    kind = cls.traits.kind
    sizes = {"n": SMALLEST, **(VIEWS if kind == "multiview" else BASE)}
    tops = {"n": largest, "d": 2000 if kind == "multiview" else 100_000, "k": 1000,
            "parts": 20 if kind == "multiview" else 100}
    if "n" not in wanted:
        sizes["n"] = _short(name, limits["seconds"] / SHARE)
    for varied, top in tops.items():
        if varied not in wanted:
            continue
        if varied == "k":  # a cluster has two samples
            top = min(top, sizes["n"] // (2 if kind == "multiview" else 2 * sizes["parts"]))
        table, stopped = doubled(cls, sizes, varied, limits, top)
        yield _row(name, kind, sizes, varied, table, stopped) | {
            "limit [s]": limits["seconds"], "limit [GB]": limits["memory"]}
        if varied == "n":
            short = table["size"][table["seconds"] <= limits["seconds"] / SHARE]
            sizes["n"] = int(min(short.max() if len(short) else SMALLEST, LARGEST_FACTOR * SMALLEST))


def _short(name, seconds):
    """Samples, doubled from the smallest, of which a fit takes at most ``seconds`` by the committed row."""
    table = pd.read_csv(paths.data_dir() / "growth.csv").set_index(["method", "varied"])
    known = table.loc[(name, "n")]
    most = known["to"] * (seconds / known["seconds"]) ** (1 / known["time"])
    return SMALLEST * 2 ** int(np.clip(np.log2(most / SMALLEST), 0, np.log2(LARGEST_FACTOR)))


def _row(name, kind, sizes, varied, table, stopped):
    entry = read()["methods"][name]
    row = {"method": name, "varied": varied}
    if table.empty:
        return row | {"stopped by": stopped}
    last = table.iloc[-1]
    powers = symbols(kind, sizes, varied, table["size"].iloc[-3:].min(), last["size"])
    paper = max(on_paper(entry[key], powers) for key in ("cost", "setup"))
    # Of methods that learn task by task, the cost is that of a task.
    paper += varied == "parts" and kind == "lifelong" and "T" not in entry["cost"]
    return row | {
        "from": table["size"].iloc[0], "to": int(last["size"]), "stopped by": stopped,
        "seconds": last["seconds"], "time": slope(table, "seconds", BRIEF), "time on paper": paper,
        "MB": last["MB"], "memory": slope(table, "MB", SMALL),
        "memory on paper": on_paper(entry["memory"], powers), "why": WHY.get((name, varied), "")}


def main(arguments):
    known = all_estimators()
    parser = argparse.ArgumentParser(prog="python -m benchmarks growth", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of the processor, for a fit")
    parser.add_argument("--memory", type=float, default=MEMORY, help="GB that a process may have")
    parser.add_argument("--largest", type=int, default=LARGEST, help="samples")
    parser.add_argument("--only", nargs="+", choices=known, default=list(known), metavar="METHOD")
    parser.add_argument("--varied", nargs="+", choices=[*BASE, "n"], default=["n", *BASE], metavar="SIZE")
    parser.add_argument("--output", type=Path, help="CSV file; rows of other methods stay")
    options = parser.parse_args(arguments)
    limits, tables = {"seconds": options.seconds, "memory": options.memory}, []
    with warnings.catch_warnings(action="ignore"):
        for name in options.only:
            print(name, file=sys.stderr, flush=True)
            rows = rows_of(name, known[name], limits, options.largest, options.varied)
            tables.append(pd.DataFrame(rows))
            if options.output:
                merge(tables[-1], options.output, ["method", "varied"])
    print(pd.concat(tables).to_string(index=False, na_rep="", float_format="{:.2f}".format))
