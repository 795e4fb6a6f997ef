"""What shuffled labels score: a printed number among these tells no method from another.

The classes of a task are shuffled, so that clusters are as large as classes.  The band holds 95 % of single
shuffles; the mean of many runs that know nothing would lie well inside of it.
"""

import zlib

import numpy as np
import pandas as pd

from mtclib.companion.runs import our_name
from mtclib.core import paths
from mtclib.metrics import score_all

N_DRAWS = 1000
PLACE = ["paper", "dataset", "task", "metric"]
SCORES = ["chance", "chance_low", "chance_high"]
COLUMNS = [*PLACE, "sizes", *SCORES]


def load():
    """The committed ``data/chance.csv``: mean and 95 % band of shuffled labels, a row for each printed data
    set, task and measure, with the class sizes that were shuffled; of several draws of the data the first."""
    path = paths.data_dir() / "chance.csv"
    kept = {"dtype": {"task": str, "sizes": str}, "keep_default_na": False}
    return pd.read_csv(path, **kept) if path.exists() else pd.DataFrame(columns=COLUMNS)


def beside(cells):
    """Printed cells with what shuffled labels score, `SCORES`, and whether the number is ``in_band``."""
    found = cells[PLACE].merge(load(), how="left", on=PLACE)[SCORES].astype(float).set_index(cells.index)
    low, high = found["chance_low"], found["chance_high"]
    return cells.assign(**found, in_band=cells["published"].between(low, high))


def rows(study, known=()):
    """What the file says of a study's paper, computed anew but for rows of `known` with the same sizes."""
    cells = study.published[["dataset", "task", "metric"]].drop_duplicates()
    for dataset, places in cells.groupby("dataset", sort=False):
        truth = _truth(study, dataset)
        if not truth:
            continue
        sizes = {task: " ".join(map(str, np.unique(classes, return_counts=True)[1]))
                 for task, classes in truth[0].items()}
        told = {task: sizes.get(task, "; ".join(sizes.values())) for task in places["task"].unique()}
        old = [row for row in known if (row["paper"], row["dataset"]) == (study.paper, dataset)]
        if old and all(row["sizes"] == told.get(row["task"]) for row in old):
            yield from old
            continue
        scores = _shuffled(study, dataset, truth)
        for task, metric in places[["task", "metric"]].itertuples(index=False):
            values = scores.get((task or ("" if "" in sizes else "avg"), our_name(study.paper, metric)))
            if values is not None:
                found = np.round([values.mean(), *np.quantile(values, [0.025, 0.975])], 4)
                yield dict(zip(COLUMNS, (study.paper, dataset, task, metric, told[task], *found)))


def _shuffled(study, dataset, truth):
    """Scores of shuffled labels by (task, measure), with the mean over the printed tasks as "avg"."""
    scores = {}
    for number, labels in enumerate(truth):
        for task, classes in labels.items():
            rng = np.random.default_rng([number, zlib.crc32(f"{study.paper} {dataset} {task}".encode())])
            for _ in range(-(-N_DRAWS // len(truth))):
                for metric, value in score_all(classes, rng.permutation(classes)).items():
                    scores.setdefault((task, metric), []).append(value)
    scores = {place: np.array(values) for place, values in scores.items()}
    tasks = list(truth[0])[: study.protocol.printed_tasks.get(dataset)]
    means = {metric: np.mean([scores[task, metric] for task in tasks], axis=0) for _, metric in scores}
    return {**{("avg", metric): mean for metric, mean in means.items()}, **scores}


def _truth(study, dataset):
    """Classes by task of a printed data set, on the pipeline that stands for it: one dict for each draw."""
    specs, name = study.protocol.datasets, study.headline(dataset)
    name = (specs[name].rows_of if name in specs else "") or name
    draws, labels = [one for one, spec in specs.items() if spec.pool == name] or [name], study.results.labels
    found = []
    for draw in draws:
        tasks = [key.rpartition("/")[2] for key in labels if key.rpartition("/")[0] == f"truth/{draw}"]
        classes = {task: labels[f"truth/{draw}/{task}"] for task in sorted(tasks, key=lambda t: int(t or 0))}
        found.append({task: each[each >= 0] for task, each in classes.items()})
    return [each for each in found if each]
