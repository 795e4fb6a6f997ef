"""What shuffled labels score: a printed number among these tells no method from another.

The classes of a task are shuffled, so that clusters are as large as classes.  The band holds 95 % of single
shuffles; the mean of many runs that know nothing would lie well inside of it.
"""

import zlib
from types import SimpleNamespace

import numpy as np
import pandas as pd

from mtclib.companion import runs
from mtclib.companion.runs.measures import MEASURES
from mtclib.core import paths
from mtclib.metrics import score_all

N_DRAWS = 1000
PLACE = ["paper", "dataset", "task", "metric"]
SCORES = ["chance", "chance_low", "chance_high"]
COLUMNS = [*PLACE, "sizes", *SCORES]


def load():
    """The committed ``data/chance.csv``: mean and 95 % band of shuffled labels, a row for each printed data
    set, task and measure, and for each data set with other classes beside one; with the shuffled sizes."""
    path = paths.data_dir() / "chance.csv"
    kept = {"dtype": {"task": str, "sizes": str}, "keep_default_na": False}
    return pd.read_csv(path, **kept) if path.exists() else pd.DataFrame(columns=COLUMNS)


def beside(cells, known):
    """Printed cells with what shuffled labels score on their ``source``, `SCORES`, and whether the number is
    ``in_band`` of the printed data; ``known`` as from `load`."""
    theirs, ours = (cells[PLACE].assign(dataset=cells[name]).merge(known, how="left", on=PLACE)[SCORES]
                    .astype(float).set_index(cells.index) for name in ("dataset", "source"))
    low, high = theirs["chance_low"], theirs["chance_high"]
    return cells.assign(**ours.fillna(theirs), in_band=cells["published"].round(9).between(low, high))


def rows(study, known=()):
    """What the file says of a study's paper, computed anew but for rows of `known` with the same sizes."""
    cells = study.published[["dataset", "task", "metric"]].drop_duplicates()
    for dataset, source in _sources(study):
        truth, places = _truth(study, source), cells[cells["dataset"] == dataset]
        named = dataset if source == study.headline(dataset) else source
        if not truth:
            continue
        sizes = {task: " ".join(map(str, np.unique(classes, return_counts=True)[1]))
                 for task, classes in truth[0].items()}
        told = {task: sizes.get(task, "; ".join(sizes.values())) for task in places["task"].unique()}
        old = [row for row in known if (row["paper"], row["dataset"]) == (study.paper, named)]
        same = {(row["task"], row["metric"]) for row in old if row["sizes"] == told.get(row["task"])}
        if same == set(places[["task", "metric"]].itertuples(index=False, name=None)):
            yield from old
            continue
        scores = _shuffled(study, source, dataset, truth)
        scores["avg"] |= _between(study, source, set(places["metric"]) & set(MEASURES))
        for task, metric in places[["task", "metric"]].itertuples(index=False):
            place = task or ("" if "" in sizes else "avg")
            values = scores.get(place, {}).get(runs.our_name(study.paper, metric))
            if values is not None:
                found = np.round([values.mean(), *np.quantile(values, [0.025, 0.975])], 4)
                yield dict(zip(COLUMNS, (study.paper, named, task, metric, told[task], *found)))


def _sources(study):
    """Each printed data set with the one that stands for it, and with variants that have other classes."""
    for dataset in study.published["dataset"].unique():
        yield dataset, study.headline(dataset)
        for name, spec in study.protocol.datasets.items():
            if spec.published == dataset and spec.pipeline == "variant":
                numbers = [[len(np.unique(each)) for each in classes.values()]
                           for one in (name, study.headline(dataset)) for classes in _truth(study, one)[:1]]
                if len(numbers) == 2 and numbers[0] != numbers[1]:
                    yield dataset, name


def _between(study, source, metrics):
    """Measures that compare the partitions of two tasks, for classes shuffled in each."""
    if not metrics:
        return {}
    spec, rng, drawn = study._data(source), np.random.default_rng(0), []
    data, scale = runs.load_dataset(spec.loader, spec.params)[0], study._spec(source).scale
    for _ in range(N_DRAWS):
        model = SimpleNamespace(labels_=[rng.permutation(classes) for classes in data.labels])
        drawn.append({name: scale.get(name, 1.0) * MEASURES[name](data, model) for name in metrics})
    return dict(pd.DataFrame(drawn))


def _shuffled(study, source, dataset, truth):
    """Scores of shuffled labels by task and measure of the paper, with the mean over the printed tasks as
    "avg"."""
    drawn = {}
    for number, labels in enumerate(truth):
        for task, classes in labels.items():
            rng = np.random.default_rng([number, zlib.crc32(f"{study.paper} {dataset} {task}".encode())])
            drawn.setdefault(task, []).extend(score_all(classes, rng.permutation(classes))
                                              for _ in range(-(-N_DRAWS // len(truth))))
    tasks = list(drawn)[: study.protocol.printed_tasks.get(dataset)]
    scores = {task: pd.DataFrame(each) for task, each in drawn.items()}
    scores["avg"] = sum(scores[task] for task in tasks) / len(tasks)
    return {task: dict(list(study.as_measured(each.melt(var_name="metric"), source, dataset)
                            .groupby("metric")["value"])) for task, each in scores.items()}


def _truth(study, source):
    """Classes by task of a data set of the protocol: one dict for each draw."""
    specs, name = study.protocol.datasets, study._spec(source).rows_of or source
    draws, labels = [one for one, spec in specs.items() if spec.pool == name] or [name], study.results.labels
    found = []
    for draw in draws:
        tasks = [key.rpartition("/")[2] for key in labels if key.rpartition("/")[0] == f"truth/{draw}"]
        classes = {task: labels[f"truth/{draw}/{task}"] for task in sorted(tasks, key=lambda t: int(t or 0))}
        found.append({task: each[each >= 0] for task, each in classes.items()})
    return [each for each in found if each]
