"""MBC: what its claims are tested on, and what its sentences state."""

from itertools import product

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist
from sklearn.preprocessing import normalize

from mtclib.companion.runs.measures import class_means
from mtclib.companion.verdicts import numbers
from mtclib.metrics import partition_emd

SIZES = {
    "none": lambda data: 1.0,
    "n": lambda data: _mean(X.shape[0] for X in data.Xs),
    "1/n": lambda data: 1 / _mean(X.shape[0] for X in data.Xs),
    "sqrt n": lambda data: np.sqrt(_mean(X.shape[0] for X in data.Xs)),
    "K": lambda data: _mean(data.n_clusters),
    "1/K": lambda data: 1 / _mean(data.n_clusters),
    "d": lambda data: data.Xs[0].shape[1],
    "1/d": lambda data: 1 / data.Xs[0].shape[1],
    "sqrt d": lambda data: np.sqrt(data.Xs[0].shape[1]),
    "1/scatter": lambda data: 1 / _mean(map(_scatter, data.Xs)),
}
"""Factors of d_M that differ between data sets; the scatter is the mean squared distance from the mean."""


def _mean(values):
    return float(np.mean(list(values)))


def _scatter(X):
    return X.multiply(X).sum() / X.shape[0] - (np.asarray(X.mean(axis=0)) ** 2).sum()


def distances_of_classes(data, further):
    """d_M, Eq. (8), of the true classes of two tasks under further choices, a search's ``values``.

    Choices: ``centroids`` ("means", or "unit length"), ``masses`` ("empirical", "uniform"), ``cost``
    ("squared", "plain") and ``factor``, one of `SIZES`.  Pairs of choices and values.
    """
    means = [class_means(X, y) for X, y in zip(data.Xs, data.labels)]
    centres = {"means": means, "unit length": [normalize(U) for U in means]}
    costs = {"squared": "sqeuclidean", "plain": cdist}
    for form, masses, kind in product(further["centroids"], further["masses"], further["cost"]):
        value = partition_emd(None, data.labels[0], None, data.labels[1], divergence=costs[kind],
                              centroids=centres[form], marginals=masses)
        for name in further["factor"]:
            choice = {"centroids": form, "masses": masses, "cost": kind, "factor": name}
            yield choice, {("", "true", "d_M"): value * SIZES[name](data)}


def frames(study):
    """Rows of committed results that the claims of the paper speak of, by the name of their frame."""
    judged = pd.concat([study.selected(name) for name in study.protocol.profile("full").datasets])
    return {"results": pd.concat([judged[judged["method"].isin(["IND", "MBC"])], study.truth])}


class Numbers(numbers.Numbers):
    """Numbers of MBC's sentences."""

    def highest_ari(self):
        """Highest ARI of MBC on NG20-1 over all weightings and couplings but the strong one."""
        rows = self.study.results.frame.query("published == 'NG20-1' and metric == 'ARI' and task == 'avg'")
        rows = rows[rows["method"].isin(["MBC", "MBC, lambda"])]
        return rows.groupby(["dataset", "method", "params"])["value"].mean().max()

    def factor(self, how, sets="tr"):
        """Least or largest quotient of a printed distance d_M and ours, on the sets "tr" or the others."""
        cells = self.judged[(self.judged["metric"] == "d_M") & self.judged["ours"].notna()]
        cells = cells[cells["dataset"].str.startswith("tr") == (sets == "tr")]
        return numbers.PICK[how](cells["published"] / cells["ours"])

    def empty(self, method, count="empty"):
        """Partitions of tasks with an empty cluster at the default, or with ``count=all`` all of them."""
        labels, rows = self.study.results.labels, self.study.results.frame.query("method == @method")
        rows = rows[rows["dataset"].isin(self.study.protocol.profile("full").datasets)]
        rows = rows[~rows["task"].isin(["", "avg"])].drop_duplicates(["key", "task"])
        lost = [len(np.unique(labels[f"{row.key}/{row.task}"]))
                < len(np.unique(labels[f"truth/{row.dataset}/{row.task}"])) for row in rows.itertuples()]
        return len(lost) if count == "all" else sum(lost)
