"""Which of a paper's unstated choices give its calibration cells?  A search, recorded whole.

A protocol names the choices, the printed cells that judge them and the criterion (``[identify.NAME]``).  Each
combination of choices is a hypothesis, tried in full, in one of three stages: "sizes", where nothing is
clustered; "fingerprints", cells that one partition gives or not; and "distances".  A search ``after`` another
sees only the hypotheses that the other did not tell apart.  What speaks for a winner is in :mod:`.evidence`.
"""

import json
import tomllib
from dataclasses import replace
from functools import cache
from itertools import chain, islice, product
from math import prod
from pkgutil import resolve_name

import numpy as np
import pandas as pd

from mtclib.companion import runs, schema
from mtclib.companion.runs.committed import TABLE, rounded
from mtclib.companion.runs.measures import MEASURES
from mtclib.companion.runs.protocol import DatasetSpec, Profile
from mtclib.companion.runs.runner import make_bar
from mtclib.companion.verdicts import evidence, published
from mtclib.companion.verdicts.intervals import DELTA
from mtclib.companion.verdicts.published import size_cells
from mtclib.core import paths
from mtclib.core.checks import check_option
from mtclib.datasets import Dataset

LEVEL = 0.05
COUNTS = ("ACC", "purity")  # shares of the samples of a task
BY_LUCK = 1e-3
MOST_POINTS = 100_000
MOST = 200  # data sets of a reader's function, which are all kept in memory
# What a reader's search has, as far as it is used before it is checked as part of a protocol.
MINE = {"properties": {"datasets": {"type": "array", "items": schema.TEXT}, "loader": schema.TEXT,
                       "calibration": {"type": "array", "items": {"type": "object"}}}}
KEY = ["dataset", "task", "method", "metric"]


def table_file(paper, search, folder=None):
    """File with every hypothesis of a search: its choices, its distance, and our value of each cell; the
    committed one, or that in another folder."""
    return (folder or paths.results_dir(paper)) / f"identify-{search}.csv.gz"


def summaries(paper, folder=None):
    """Dict from search to what was found, as by :func:`.evidence.summary`; by default the committed one."""
    path = (folder or paths.results_dir(paper)) / "identify.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def not_ours(paper, search, folder):
    """A file that a search would write in a folder and that no search has written, or None."""
    try:
        known = summaries(paper, folder)
        ours = all("winner" in found for found in known.values())
    except (ValueError, TypeError, AttributeError, OSError):
        known, ours = {}, False
    names = ["identify.json"] * (not ours)
    names += [table_file(paper, search, folder).name, f"{search}.html"] * (search not in known)
    return next((folder / name for name in names if (folder / name).exists()), None)


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
        cells = calibration(protocol, search)
        left = _survivors(protocol, search, folder) if search.after else None
        table, choices = hypotheses(protocol, search, cells, left, store, n_jobs=n_jobs)
        table.to_csv(table_file(paper, name, folder), index=False, **TABLE)
        found = {**summaries(paper, folder), name: evidence.summary(table, choices, cells, search)}
        (folder / "identify.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return summaries(paper, folder)


def winner_cells(protocol, name, folder):
    """The calibration cells of a search, printed and as its winner gives them."""
    cells = calibration(protocol, protocol.identify[name])
    table = pd.read_csv(table_file(protocol.paper, name, folder))
    best = table.loc[table["distance"].idxmin(), cells["cell"]]
    return cells[KEY].assign(printed=cells["mean"].round(4), ours=best.astype(float).round(4).to_numpy())


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


def calibration(protocol, search):
    """Printed cells of the search, with ``ours``: the data set of the protocol that stands for the cell."""
    cells = (size_cells if search.stage == "sizes" else published.load)(protocol.paper).dropna(subset="mean")
    if search.stage == "fingerprints":
        cells = fingerprints(cells, protocol)
    if search.methods:  # what a fit gives without classes is in another unit
        cells = cells[~cells["metric"].isin(MEASURES)]
    # An average over tasks says nothing that these do not, unless it alone is asked for.
    wanted = [np.logical_and.reduce([cells[column] == value for column, value in one.items()]
                                    + [cells["task"] != "avg"] * ("task" not in one))
              for one in search.calibration]
    names = {protocol.datasets[name].published: name for name in search.datasets}
    chosen = cells[np.logical_or.reduce(wanted) & cells["dataset"].isin(names)]
    if len(chosen) < (least := 1 + (search.criterion == "log-sd")):
        raise runs.ProtocolError(f"identify.{search.id}: its calibration calls {len(chosen)} printed cells; "
                                 f"{least} or more are needed")
    return chosen.assign(ours=chosen["dataset"].map(names)).reset_index(drop=True)


def hypotheses(protocol, search, cells, left, store, *, n_jobs=1):
    """Every hypothesis in a line: its choices, its distance with the noise of seeds, our value of each cell;
    and the choices' names. `left` has the choices that an earlier search left, or is None."""
    scores, rows = _tried(protocol, search, cells, left, store, n_jobs)
    ours = pd.DataFrame([rounded(mine, 6) for mine in scores.mean(axis=2)], columns=cells["cell"].tolist())
    distance = evidence.distances(ours.to_numpy(), cells, search)
    if np.isinf(distance).all():
        lacking = ours.columns[ours.isna().any()]
        raise runs.ProtocolError(f"identify.{search.id}: no hypothesis gives every cell of its calibration, "
                                 + (f"such as {lacking[0]}" if len(lacking) else "all above 0"))
    text, choices = pd.DataFrame(rows).map(as_text), list(rows[0])
    measured = {"distance": rounded(distance, 6),
                "noise": rounded(evidence.noise(scores, cells, search), 6)}
    table = pd.concat([text.assign(**measured), ours], axis=1)
    return table.drop_duplicates(choices or None, ignore_index=True), choices


def _tried(protocol, search, cells, left, store, n_jobs):
    """Our values of the cells, (hypotheses, cells, seeds), and the choices of each hypothesis."""
    points = [dict(zip(search.data, values)) for values in product(*search.data.values())]
    points = [point for point in points if _stands(point, left)]
    # Of each data set's loader the parameters that it accepts; "none" means None, but names a scaling.
    own = {dataset: [{name: None if value == "none" and name != "scaling" else value
                      for name, value in point.items()
                      if dataset in search.only.get(name, search.datasets)} for point in points]
           for dataset in search.datasets}
    variants = {name: {runs.canonical(one): one for one in each} for name, each in own.items()}
    values = (_computed(protocol, search, variants) if search.values or search.stage == "sizes"
              else _fitted(protocol, search, variants, store, n_jobs))
    places, rows, scores = cells[["ours", *KEY[1:]]].to_numpy(), [], []
    for p, point in enumerate(points):
        found = {name: values[name, runs.canonical(each[p])] for name, each in own.items()}
        for i, (further, _) in enumerate(next(iter(found.values()))):
            if _stands({**point, **further}, left):
                rows.append({**point, **further})
                scores.append([_value(protocol, found[name][i][1], further, *cell) for name, *cell in places])
    n = max(np.size(one) for mine in scores for one in mine)
    return np.array([[np.broadcast_to(one, n) for one in mine] for mine in scores]), rows


def _value(protocol, values, choice, task, method, metric):
    """Value of a cell by the method and the metric that stand for the printed ones; NaN if there is none."""
    method, metric = choice.get(method, method), choice.get(metric, metric)
    if (task, method, metric) not in values:
        metric = runs.our_name(protocol.paper, metric)
    return values.get((task, method, metric), np.nan)


def as_text(value):
    return value if isinstance(value, str) else runs.canonical(value)


def _stands(choice, left):
    """Whether an earlier search left a choice; what it did not vary does not matter."""
    both = [] if left is None else [name for name in choice if name in left]
    return not both or tuple(as_text(choice[name]) for name in both) in set(
        left[both].itertuples(index=False, name=None))


def _computed(protocol, search, variants):
    """Values by (data set, variant), without fits: pairs of further choices and values by `KEY[1:]`."""
    function, found = resolve_name(search.values) if search.values else sizes, {}
    with make_bar(sum(map(len, variants.values()))) as bar:
        for name, each in variants.items():
            spec = protocol.datasets[name]
            for key, own in each.items():
                data, _ = runs.load_dataset(spec.loader, {**spec.params, **own})
                found[name, key] = list(function(data, search.further))
                bar.update()
    return found


def _fitted(protocol, search, variants, store, n_jobs):
    """As `_computed`, from fits in the run store of methods at their defaults, a value for each seed."""
    specs, values = {}, {}
    for name, each in variants.items():
        spec = protocol.datasets[name]
        for key, own in each.items():
            specs[name, key] = DatasetSpec(f"{name} {key}", spec.loader, {**spec.params, **own})
    datasets = {spec.id: spec for spec in specs.values()}
    methods = list(dict.fromkeys(chain.from_iterable(search.methods.values())))
    defaults = {name: {key: [value] for key, value in protocol.defaults[name].items()} for name in methods}
    profile = Profile("identify", search.n_runs, list(datasets), methods, grid=defaults)
    wanted = replace(protocol, datasets=datasets, profiles={"identify": profile}, measures=[])
    results = runs.run(runs.expand(wanted, "identify"), store, n_jobs=n_jobs)
    if (results["status"] != "ok").all():
        raise runs.ProtocolError(f"identify.{search.id}: every fit failed: {results['error'].iloc[0]}")
    for (dataset, *rest), rows in results.groupby(KEY)["value"]:
        values.setdefault(dataset, {})[tuple(rest)] = rows.to_numpy()
    together = zip if search.paired else product
    further = [dict(zip((*search.methods, *search.metrics), (*chosen, *named)))
               for chosen in together(*search.methods.values())
               for named in product(*search.metrics.values())]
    return {place: [(choice, values.get(spec.id, {})) for choice in further] for place, spec in specs.items()}


def sizes(data, _):
    """Sizes of a data set by (task, class, quantity), as a search's ``values``: one hypothesis, no choice."""
    labels = [data.labels] if data.kind == "multiview" else data.labels
    found = {("", "", "n_samples"): sum(map(len, labels))}
    if data.kind == "multitask":
        found["", "", "n_features"] = data.Xs[0].shape[1]
    elif data.kind == "multiview":
        found["", "", "n_classes"] = len(np.unique(data.labels[data.labels >= 0]))
    for t, (X, y) in enumerate(zip(data.Xs, data.labels) if data.kind == "multitask" else ()):
        counts, task = np.bincount(y[y >= 0]), str(t + 1)
        of_task = {"n_samples": len(y), "n_features": X.shape[1], "n_classes": np.count_nonzero(counts)}
        found |= {(task, "", name): value for name, value in of_task.items()}
        found |= {(task, str(i), "class_size"): n for i, n in enumerate(counts, start=1)}
    yield {}, found


def fingerprints(cells, protocol):
    """Printed cells that say more than how near, with ``count``, the samples behind the number, if any: those
    with a spread of 0, and every accuracy or purity of a row (data set and method) whose cells all are whole
    numbers of samples, where fewer than one row in a thousand would be so by luck."""
    printed, place = size_cells(protocol.paper), ["dataset", "task"]
    sums = {name: printed[printed["metric"] == name].groupby(place)["mean"].sum()
            for name in ("class_size", "n_samples")}
    known = {**sums["class_size"].to_dict(), **sums["n_samples"].to_dict()}
    n = pd.Series([known.get(one, protocol.task_sizes.get(one[0], np.nan))
                   for one in cells[place].itertuples(index=False, name=None)], cells.index, dtype=float)
    n = n.where(cells["metric"].isin(COUNTS) & (cells["task"] != "avg"))
    count = (cells["mean"] * n).round()
    whole = (count / n - cells["mean"]).abs() <= cells["half_unit"] * (1 + 1e-9)
    chance = np.minimum(1.0, 2 * cells["half_unit"] * n)  # of a number with so many digits to be one
    rows = [cells["dataset"], cells["method"]]
    all_whole = whole.where(n.notna(), True).groupby(rows).transform("all") & n.notna()
    by_luck = np.exp(np.log(chance.fillna(1.0)).groupby(rows).transform("sum"))
    integers = all_whole & (by_luck < BY_LUCK)
    return cells.assign(count=count.where(integers))[integers | (cells["std"] == 0)]


def mine(paper, given):
    """The protocol of a paper with a reader's search "mine": a TOML file with the fields of ``SearchSpec``,
    or "module:function", which yields data sets, each a hypothesis, called by a printed name or by that of
    the loader."""
    document = tomllib.loads((paths.paper_dir(paper) / "protocol.toml").read_text(encoding="utf-8"))
    printed, params, where = published.load(paper), {}, f"--mine {given}"
    if given.endswith(".toml"):
        try:
            search = schema.check(schema.read_toml(given, where, runs.ProtocolError), MINE, where,
                                  runs.ProtocolError)
        except OSError as error:
            raise runs.ProtocolError(f"{where}: cannot be read ({error.strerror}); give the path of a TOML "
                                     f"file, or MODULE:FUNCTION") from error
        loader = search.pop("loader", "")
    else:
        found, loader, params = _all_yielded(given), f"{__name__}:yielded", {"function": given}
        name, *others = dict.fromkeys(_printed_name(one.name, document) for one in found)
        if others:
            raise runs.ProtocolError(f"{where}: gives data sets of {name!r} and {others[0]!r}; give "
                                     f"those that may stand for one printed data set")
        of_set = printed[printed["dataset"] == name]
        n_tasks = len({*of_set["task"]} - {"", "avg"})
        if n_tasks > (least := min(1 if one.kind == "multiview" else len(one.labels) for one in found)):
            raise runs.ProtocolError(f"{where}: {name!r} has {n_tasks} tasks, a data set of yours {least}")
        named = [{"method": one} for one in of_set["method"].unique()
                 if not document["methods"].get(one, {"grid": True}).get("grid")]
        search = {"datasets": [name], "data": {"number": list(range(len(found)))},
                  "n_runs": evidence.FEW, "calibration": named}
    for i, name in enumerate(search.get("datasets", ()) if loader else ()):
        name = check_option(f"{where}: data set", name, printed["dataset"].unique(), runs.ProtocolError)
        document["datasets"][f"{name} (mine)"] = {"loader": loader, "params": params, "published": name}
        search["datasets"][i] = f"{name} (mine)"
    cells = size_cells(paper) if search.get("stage") == "sizes" else printed
    for one in search.get("calibration", ()):
        for column in set(one) & set(cells):
            one[column] = check_option(f"{where}: calibration: {column}", str(one[column]),
                                       cells[column].unique(), runs.ProtocolError)
    if not search.get("values") and search.get("stage") != "sizes":
        named = [one["method"] for one in search.get("calibration", ()) if "method" in one]
        search.setdefault("methods", {name: [name] for name in named})
    search.setdefault("leave_out", ["dataset", "task", "method", "metric"])
    # Any hypothesis tracks that accuracies are above NMIs, and some methods above others: neither is news.
    tasks = search.get("stage") != "sizes" and printed["task"].nunique() > 1
    search.setdefault("permute_within", ["method", "metric"] if tasks else ["metric"])
    document.setdefault("identify", {})["mine"] = search
    protocol = runs.parse_protocol(document, where)
    if (n := prod(map(len, protocol.identify["mine"].data.values()))) > MOST_POINTS:
        raise runs.ProtocolError(f"{where}: {n:,} combinations of [data]; give at most {MOST_POINTS:,}")
    return protocol


def _printed_name(name, document):
    """The printed name of what is called by that of its loader, where this determines it."""
    printed = {spec["published"] for spec in document["datasets"].values()
               if spec.get("loader") == name and spec.get("published")}
    return printed.pop() if len(printed) == 1 else name


@cache
def _all_yielded(function):
    try:
        found = list(islice(resolve_name(function)(), MOST + 1))
        if len(found) > MOST:
            raise ValueError(f"more than {MOST} data sets; a .toml file with a loader reads one at a time")
        others = [type(one).__name__ for one in found if not isinstance(one, Dataset)]
        if others or not found:
            raise TypeError(f"no mtclib.datasets.Dataset but {others[0] if others else 'nothing'}")
        return found
    except (Exception, SystemExit) as error:  # of the reader's own code, whatever it is
        raise runs.ProtocolError(f"--mine {function}: give a .toml file, or MODULE:FUNCTION that runs and "
                                 f"gives data sets ({type(error).__name__}: {error})") from error


def yielded(function, number):
    """The data set of some number that "module:function" yields, as a loader."""
    return _all_yielded(function)[int(number)]


def held_out(protocol, search, found, store, *, n_jobs=1):
    """The printed rows that did not choose, on the data of the winner with methods at their defaults: their
    mean distance and how many cells come within five points. Empty where nothing was clustered."""
    names = {protocol.datasets[name].published: name for name in search.datasets}
    cells, winner = published.load(protocol.paper).dropna(subset="mean"), found["winner"]
    cells = cells[cells["dataset"].isin(names) & ~cells["cell"].isin(found["cells"])
                  & cells["method"].isin(protocol.methods) & ~cells["metric"].isin(MEASURES)
                  & (cells["task"] != "avg")]
    if not search.methods or cells.empty:
        return pd.DataFrame()
    best = replace(
        search, paired=True, data={name: [next(value for value in values if as_text(value) == winner[name])]
                                   for name, values in search.data.items()},
        methods={name: [winner.get(name, name)] for name in cells["method"].unique()},
        metrics={name: [winner[name]] for name in search.metrics})
    ours, _ = _tried(protocol, best, cells.assign(ours=cells["dataset"].map(names)), None, store, n_jobs)
    gap = 100 * (ours[0].mean(axis=1) - cells["mean"]).abs()
    rows = cells.assign(distance=gap, near=gap <= 100 * DELTA).groupby(["dataset", "method"], sort=False)
    table = rows.agg(cells=("cell", "size"), distance=("distance", "mean"), within_5=("near", "sum"))
    return table.round(1).reset_index()
