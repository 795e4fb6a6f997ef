"""Which of a paper's unstated choices give its calibration cells?  A search, recorded whole.

A protocol names the choices, the printed cells that judge them and the criterion (``[identify.NAME]``).  Each
combination of choices is a hypothesis, tried in full.  There are three stages, each with searches of its own:
"sizes", where nothing is clustered; "fingerprints", cells that one partition gives or not; and "distances".
A search ``after`` another sees only the hypotheses that the other did not tell apart.  What speaks for a
winner is in :mod:`.evidence`.
"""

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd

from mtclib.companion import runs
from mtclib.companion.runs import our_name
from mtclib.companion.runs.committed import TABLE, rounded
from mtclib.companion.runs.jobs import dotted
from mtclib.companion.runs.protocol import DatasetSpec, Profile
from mtclib.companion.runs.runner import make_bar
from mtclib.companion.verdicts import evidence, published
from mtclib.companion.verdicts.fingerprints import fingerprints, size_cells, sizes
from mtclib.core import paths

LEVEL = 0.05
KEY = ["dataset", "task", "method", "metric"]


def table_file(paper, search, folder=None):
    """File with every hypothesis of a search: its choices, its distance, and our value of each cell; the
    committed one, or that in another folder."""
    return (folder or paths.results_dir(paper)) / f"identify-{search}.csv.gz"


def summaries(paper, folder=None):
    """Dict from search to what was found, as :func:`.evidence.summary` gives it; empty before the first. The
    committed ones, or those in another folder."""
    path = (folder or paths.results_dir(paper)) / "identify.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def holds(found):
    """Whether a find is no accident: permuted print rarely does as well, and most folds find the same."""
    same = [fold["same"] for fold in found["folds"]]
    return found["permutations"]["p"] <= LEVEL and sum(same) > len(same) / 2


def calibration_cells(protocol, search):
    """Printed cells (``cell`` of :func:`..published.load`) that chose a pipeline, in a search and in those
    that it continues: never counted as agreeing. Only those of searches whose find stands (:func:`holds`)."""
    found, cells = summaries(protocol.paper), set()
    while search:
        cells |= set(found[search]["cells"]) if search in found and holds(found[search]) else set()
        search = protocol.identify[search].after
    return frozenset(cells)


def identify(paper, *, protocol=None, names=(), folder=None, store=None, n_jobs=1):
    """Run the searches of a paper's protocol, or those called `names`, write their results below `folder`
    (the committed one by default), and return the summaries; fits are kept in `store`."""
    protocol, folder = protocol or runs.load_protocol(paper), folder or paths.results_dir(paper)
    folder.mkdir(parents=True, exist_ok=True)
    store = store or runs.RunStore(paths.runs_dir())
    for name in names or protocol.identify:
        search = protocol.identify[name]
        cells = calibration(protocol, search, printed_cells(paper))
        left = _survivors(protocol, search, folder) if search.after else None
        table, choices = hypotheses(protocol, search, cells, left, store, n_jobs=n_jobs)
        table.to_csv(table_file(paper, name, folder), index=False, **TABLE)
        found = {**summaries(paper, folder), name: evidence.summary(table, choices, cells, search)}
        (folder / "identify.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return summaries(paper, folder)


def winner_cells(protocol, name, folder):
    """The calibration cells of a search, printed and as its winner gives them."""
    cells = calibration(protocol, protocol.identify[name], printed_cells(protocol.paper))
    table = pd.read_csv(table_file(protocol.paper, name, folder))
    best = table.loc[table["distance"].idxmin(), cells["cell"]]
    return cells[KEY].assign(printed=cells["mean"].round(4), ours=best.astype(float).round(4).to_numpy())


def printed_cells(paper):
    """Printed scores and sizes of a paper, in the columns of :func:`..published.load`."""
    return pd.concat([published.load(paper), size_cells(paper)], ignore_index=True)


def _survivors(protocol, search, folder):
    """What an earlier search left: every hypothesis that it did not tell apart, by the choices that both
    searches have, with no value that the earlier one did not try."""
    places = (table_file(protocol.paper, search.after, one) for one in (folder, None))
    path = next((place for place in places if place.exists()), None)
    if path is None:
        raise runs.ProtocolError(f"identify: run the search {search.after!r} first; this one continues it")
    table = pd.read_csv(path, keep_default_na=False, dtype=str)
    measured = table.reindex(columns=["distance", "noise"]).apply(pd.to_numeric).to_numpy(float)
    near = evidence.not_told_apart(*measured.T)
    offered, tried = _offered(search), _offered(protocol.identify[search.after])
    return table.loc[near, [name for name in offered if offered[name] <= tried.get(name, set())]]


def _offered(search):
    choices = {**search.data, **search.further, **search.methods, **search.metrics}
    return {name: set(map(as_text, values)) for name, values in choices.items()}


def calibration(protocol, search, cells):
    """Printed cells of the search, with ``ours``: the data set of the protocol that stands for the cell."""
    if search.stage == "fingerprints":
        cells = fingerprints(cells, protocol)
    wanted = [np.logical_and.reduce([cells[column] == value for column, value in one.items()])
              for one in search.calibration]
    names = {protocol.datasets[name].published: name for name in search.datasets}
    kind = cells["cell"].isin(size_cells(protocol.paper)["cell"]) == (search.stage == "sizes")
    chosen = cells[np.logical_or.reduce(wanted) & kind & cells["dataset"].isin(names)]
    if chosen.empty:
        raise runs.ProtocolError(f"identify.{search.id}: no printed cell is called by its calibration")
    return chosen.assign(ours=chosen["dataset"].map(names)).reset_index(drop=True)


def hypotheses(protocol, search, cells, left, store, *, n_jobs=1):
    """Every hypothesis in a line: its choices, its distance with the noise of seeds, our value of each cell;
    and the choices' names. `left` has the choices that an earlier search left, or is None."""
    points = [dict(zip(search.data, values)) for values in product(*search.data.values())]
    points = [point for point in points if _stands(point, left)]
    own = {name: [own_choices(search, name, point) for point in points] for name in search.datasets}
    variants = {name: {runs.canonical(one): one for one in each} for name, each in own.items()}
    values = (_computed(protocol, search, variants) if search.values or search.stage == "sizes"
              else _fitted(protocol, search, variants, store, n_jobs))
    places, rows, scores = list(cells[["ours", *KEY[1:]]].itertuples(index=False, name=None)), [], []
    names = {name: our_name(protocol.paper, name) for name in cells["metric"].unique()}
    for p, point in enumerate(points):
        found = {name: values[name, runs.canonical(each[p])] for name, each in own.items()}
        for i, (further, _) in enumerate(next(iter(found.values()))):
            if _stands({**point, **further}, left):
                rows.append({**point, **further})
                scores.append([found[name][i][1].get((*rest, metric), found[name][i][1].get(
                    (*rest, names[metric]), np.nan)) for name, *rest, metric in places])
    n = max(np.size(one) for mine in scores for one in mine)
    scores = np.array([[np.broadcast_to(one, n) for one in mine] for mine in scores])
    ours = pd.DataFrame([rounded(mine, 6) for mine in scores.mean(axis=2)], columns=cells["cell"].tolist())
    text, choices = pd.DataFrame(rows).map(as_text), list(rows[0])
    if ours.isna().any(axis=1).all():
        cell = cells["cell"].iloc[int(ours.isna().to_numpy().any(axis=0).argmax())]
        raise runs.ProtocolError(f"identify.{search.id}: no hypothesis gives every cell, such as {cell}")
    measured = {"distance": rounded(evidence.distances(ours.to_numpy(), cells, search), 6),
                "noise": rounded(evidence.noise(scores, cells, search), 6)}
    table = pd.concat([text.assign(**measured), ours], axis=1)
    return table.drop_duplicates(choices, ignore_index=True), choices


def as_text(value):
    return value if isinstance(value, str) else runs.canonical(value)


def _stands(choice, left):
    """Whether an earlier search left a choice; what it did not vary does not matter."""
    both = [] if left is None else [name for name in choice if name in left]
    return not both or tuple(as_text(choice[name]) for name in both) in set(
        left[both].itertuples(index=False, name=None))


def own_choices(search, dataset, point):
    """Parameters of a hypothesis that this data set's loader accepts; the string "none" means None."""
    return {name: None if value == "none" else value for name, value in point.items()
            if dataset in search.only.get(name, search.datasets)}


def _computed(protocol, search, variants):
    """Values by (data set, variant), without fits: pairs of further choices and values by `KEY[1:]`."""
    function, found = dotted(search.values) if search.values else sizes, {}
    with make_bar(sum(map(len, variants.values()))) as bar:
        for name, each in variants.items():
            spec = protocol.datasets[name]
            for key, own in each.items():
                data, _ = runs.load_dataset(spec.loader, {**spec.params, **own})
                found[name, key] = list(function(data, search.further))
                bar.update()
    return found


def _fitted(protocol, search, variants, store, n_jobs):
    """As `_computed`, from fits in the run store, a value for each seed: of each variant a data set, by all
    methods."""
    methods = list(dict.fromkeys(method for stands in search.methods.values() for method in stands))
    scores = scores_of(protocol, search, variants, methods, store, n_jobs)
    together = zip if search.paired else product
    further = [dict(zip((*search.methods, *search.metrics), (*chosen, *named)))
               for chosen in together(*search.methods.values())
               for named in product(*search.metrics.values())]
    return {place: [(choice, _taken(own, choice, search)) for choice in further]
            for place, own in scores.items()}


def scores_of(protocol, search, variants, methods, store, n_jobs):
    """Scores of methods at their defaults, by (data set, variant), then `KEY[1:]`: one for each seed."""
    specs, places = {}, {}
    for name, each in variants.items():
        spec = protocol.datasets[name]
        for key, own in each.items():
            places[name, key] = f"{name} {key}"
            specs[places[name, key]] = DatasetSpec(places[name, key], spec.loader, {**spec.params, **own})
    defaults = {name: {key: [value] for key, value in protocol.defaults[name].items()} for name in methods}
    profile = Profile("identify", search.n_runs, list(specs), methods, grid=defaults)
    wanted = replace(protocol, datasets=specs, profiles={"identify": profile}, measures=[])
    results = runs.run(runs.expand(wanted, "identify"), store, n_jobs=n_jobs)
    found = {place: {} for place in places.values()}
    for (dataset, *rest), rows in results.groupby(KEY)["value"]:
        found[dataset][tuple(rest)] = rows.to_numpy()
    return {place: found[name] for place, name in places.items()}


def _taken(scores, choice, search):
    """Values by (task, printed method, printed metric) if the methods and metrics are those of a choice."""
    names = {choice[method]: method for method in search.methods}
    metrics = {choice[metric]: metric for metric in search.metrics}
    return {(task, names[method], metrics.get(metric, metric)): value
            for (task, method, metric), value in scores.items()
            if method in names and (metric in metrics or metric not in search.metrics)}
