"""Which of a paper's unstated choices give its calibration cells?  A search, recorded whole.

A protocol names the choices, the printed cells that judge them and the criterion (``[identify.NAME]``).  Each
combination of choices is a hypothesis, tried in full.  A search over many choices always finds something, so
two checks stand beside the winner: the same search for permuted printed numbers, and for all cells but those
of one data set, method or row.
"""

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd

from mtclib.companion import runs
from mtclib.companion.runs.committed import TABLE, rounded
from mtclib.companion.runs.jobs import dotted
from mtclib.companion.runs.protocol import DatasetSpec, Profile
from mtclib.companion.runs.runner import make_bar
from mtclib.companion.verdicts import published
from mtclib.core import paths

LEVEL = 0.05
KEY = ["dataset", "task", "method", "metric"]


def _whole(distance):
    return np.where(np.isnan(distance), np.inf, distance)  # a failed fit is no hypothesis to take


CRITERIA = {"log-sd": lambda ours, printed: _whole(np.log(printed / ours).std(axis=1, ddof=1)),
            "distance": lambda ours, printed: _whole(np.abs(ours - printed).mean(axis=1))}
"""How far our values, (hypotheses, cells), are from the printed ones: up to one factor, or as they are."""


# What is committed.


def table_file(paper, search):
    """File with every hypothesis of a search: its choices, its distance, and our value of each cell."""
    return paths.results_dir(paper) / f"identify-{search}.csv.gz"


def summaries(paper):
    """Dict from search to what was found, as :func:`summary` gives it; empty before the first search."""
    path = paths.results_dir(paper) / "identify.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def holds(found):
    """Whether a find is no accident: permuted print rarely does as well, and most folds find the same."""
    same = [fold["same"] for fold in found["folds"]]
    return found["permutations"]["p"] <= LEVEL and sum(same) > len(same) / 2


def calibration_cells(paper):
    """Printed cells (``cell`` of :func:`..published.load`) that chose a pipeline: never counted as agreeing.
    Only those of searches whose find stands (:func:`holds`)."""
    found = summaries(paper).values()
    return frozenset(cell for one in found if holds(one) for cell in one["cells"])


# The search.


def identify(paper, *, n_jobs=1):
    """Run the searches of a paper's protocol, write their results, and return the summaries."""
    protocol = runs.load_protocol(paper)
    for name, search in protocol.identify.items():
        cells = calibration(protocol, search, published.load(paper))
        table, choices = hypotheses(protocol, search, cells, n_jobs=n_jobs)
        table_file(paper, name).parent.mkdir(parents=True, exist_ok=True)
        table.to_csv(table_file(paper, name), index=False, **TABLE)
        found = {**summaries(paper), name: summary(table, choices, cells, search)}
        path = paths.results_dir(paper) / "identify.json"
        path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return summaries(paper)


def calibration(protocol, search, cells):
    """Printed cells of the search, with ``ours``: the data set of the protocol that stands for the cell."""
    wanted = [np.logical_and.reduce([cells[column] == value for column, value in one.items()])
              for one in search.calibration]
    names = {protocol.datasets[name].published: name for name in search.datasets}
    chosen = cells[np.logical_or.reduce(wanted) & cells["dataset"].isin(names)]
    return chosen.assign(ours=chosen["dataset"].map(names)).reset_index(drop=True)


def hypotheses(protocol, search, cells, *, n_jobs=1):
    """Every hypothesis in a line: its choices, its distance, our value of each cell; and the choices' names.
    Those that give the same value of every cell (idf in another way where there is none) are one, the
    first."""
    points = [dict(zip(search.data, values)) for values in product(*search.data.values())]
    variants = {name: {runs.canonical(own): own for own in (_own(search, name, point) for point in points)}
                for name in search.datasets}
    values = (_computed if search.values else _fitted)(protocol, search, variants, n_jobs)
    places = list(cells[["ours", *KEY[1:]]].itertuples(index=False, name=None))
    rows = []
    for point in points:
        found = {name: values[name, runs.canonical(_own(search, name, point))] for name in search.datasets}
        for i, (further, _) in enumerate(next(iter(found.values()))):
            mine = [found[name][i][1].get(tuple(rest), np.nan) for name, *rest in places]
            rows.append({**point, **further} | dict(zip(cells["cell"], rounded(mine, 6))))
    table = pd.DataFrame(rows)
    choices = [name for name in table if name not in set(cells["cell"])]
    table = table.drop_duplicates(list(cells["cell"]), ignore_index=True)
    distance = CRITERIA[search.criterion](table[cells["cell"]].to_numpy(), cells["mean"].to_numpy())
    table.insert(len(choices), "distance", rounded(distance, 6))
    text = table[choices].map(lambda value: value if isinstance(value, str) else runs.canonical(value))
    return table.assign(**text), choices


def _own(search, dataset, point):
    """The choices of a point that the loader of a data set has; "none" stands for None."""
    return {name: None if value == "none" else value for name, value in point.items()
            if dataset in search.only.get(name, search.datasets)}


def _computed(protocol, search, variants, _):
    """Values by (data set, variant), without fits: pairs of further choices and values by `KEY[1:]`."""
    function, found = dotted(search.values), {}
    work = [(name, key, own) for name, each in variants.items() for key, own in each.items()]
    with make_bar(len(work)) as bar:
        for name, key, own in work:
            spec = protocol.datasets[name]
            data, _ = runs.load_dataset(spec.loader, {**spec.params, **own})
            found[name, key] = list(function(data, search.further))
            bar.update()
    return found


def _fitted(protocol, search, variants, n_jobs):
    """As `_computed`, from fits in the run store: of each variant a data set, by all methods."""
    specs, places = {}, {}
    for name, each in variants.items():
        spec = protocol.datasets[name]
        for key, own in each.items():
            places[name, key] = f"{name} {key}"
            specs[places[name, key]] = DatasetSpec(places[name, key], spec.loader, {**spec.params, **own})
    methods = list(dict.fromkeys(method for stands in search.methods.values() for method in stands))
    profile = Profile("identify", search.n_runs, list(specs), methods)
    wanted = replace(protocol, datasets=specs, profiles={"identify": profile}, measures=[])
    results = runs.run(runs.expand(wanted, "identify"), runs.RunStore(paths.runs_dir()), n_jobs=n_jobs)
    means = results.groupby(KEY)["value"].agg(lambda values: values.mean(skipna=False))
    means = {dataset: part.droplevel(0).to_dict() for dataset, part in means.groupby(level=0)}
    together = zip if search.paired else product
    further = [dict(zip((*search.methods, *search.metrics), (*chosen, *named)))
               for chosen in together(*search.methods.values())
               for named in product(*search.metrics.values())]
    return {place: [(choice, _taken(means[dataset], choice, search)) for choice in further]
            for place, dataset in places.items()}


def _taken(means, choice, search):
    """Values by (task, printed method, printed metric) if the methods and metrics are those of a choice."""
    names = {choice[method]: method for method in search.methods}
    metrics = {choice[metric]: metric for metric in search.metrics}
    return {(task, names[method], metrics.get(metric, metric)): value
            for (task, method, metric), value in means.items()
            if method in names and (metric in metrics or metric not in search.metrics)}


# What follows from it: generic over a table of hypotheses by cells.


def summary(table, choices, cells, search):
    """Winner, size of the search, permutation test and folds, as data for JSON."""
    ours, printed = table[cells["cell"]].to_numpy(), cells["mean"].to_numpy()
    distance = CRITERIA[search.criterion](ours, printed)
    best = int(distance.argmin())
    factor = np.exp(np.log(printed / ours[best]).mean())  # the geometric mean of quotients
    return {"criterion": search.criterion, "hypotheses": len(table), "cells": cells["cell"].tolist(),
            "winner": table.loc[best, choices].to_dict(), "distance": _short(distance[best]),
            "median": _short(np.median(distance)), "factor": _short(factor),
            "permutations": permutation_test(ours, cells, search),
            "folds": folds(table, choices, cells, search)}


def permutation_test(ours, cells, search, seed=0):
    """The whole search for permuted print: how many permutations do as well as print itself? Numbers change
    places within the blocks of cells that ``permute_within`` names. A dict: ``n``, ``reached``, ``smallest``
    (distance) and ``p``, print itself counted among the permutations."""
    rng, criterion = np.random.default_rng(seed), CRITERIA[search.criterion]
    printed = cells["mean"].to_numpy()
    keys = [cells[name] for name in search.permute_within] or [pd.Series("all", cells.index)]
    blocks = list(cells.groupby(keys).indices.values())
    smallest = np.empty(search.n_permutations)
    for i in range(len(smallest)):
        shuffled = printed.copy()
        for block in blocks:
            shuffled[block] = rng.permutation(printed[block])
        smallest[i] = criterion(ours, shuffled).min()
    reached = int((smallest <= criterion(ours, printed).min()).sum())
    return {"n": len(smallest), "reached": reached, "smallest": _short(smallest.min()),
            "p": _short((1 + reached) / (1 + len(smallest)))}


def folds(table, choices, cells, search):
    """Searches without the cells of one data set, method or task: the winner, and the rank of the whole's."""
    ours, printed, found = table[cells["cell"]].to_numpy(), cells["mean"].to_numpy(), []
    criterion = CRITERIA[search.criterion]
    best = criterion(ours, printed).argmin()
    parts = [(column, out) for column in search.leave_out for out in cells[column].unique()]
    for column, out in parts:
        kept = (cells[column] != out).to_numpy()
        distance = criterion(ours[:, kept], printed[kept])
        found.append({"left out": out, "same": bool(distance.argmin() == best),
                      "rank": 1 + int((distance < distance[best]).sum()),
                      "winner": table.loc[int(distance.argmin()), choices].to_dict()})
    return found


def _short(value):
    return float(f"{value:.4g}")
