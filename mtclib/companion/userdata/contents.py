"""What is in the clusters: their sizes, what marks them, and which of different tasks belong together."""

from itertools import combinations

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.metrics.pairwise import cosine_similarity

_FEATURES, _LEAST = 5, 0.5


def as_list(labels) -> list:
    """Labels as a list with one array per task; views share one."""
    return labels if isinstance(labels, list) else [labels]


def contents(data, labels) -> pd.DataFrame:
    """Every cluster in a line; ``labels`` as in `Clusterings`, or the data's own. ``task`` ("" for views),
    ``cluster`` (from 1), ``samples``, ``most are`` (the largest class among the labelled samples and its
    share, "" without labels), ``high in`` (up to five features whose mean in the cluster is highest, at least
    half a standard deviation above the mean of the task)."""
    views, rows = data.kind == "multiview", []
    for t, (found, truth) in enumerate(zip(as_list(labels), as_list(data.labels))):
        chosen = range(len(data.Xs)) if views else [t]
        named = [(data.Xs[i], _feature_names(data, i)) for i in chosen]
        for k in np.unique(found):
            inside = found == k
            rows.append({
                "task": "" if views else data.task_names[t], "cluster": int(k) + 1,
                "samples": int(inside.sum()), "most are": _largest_class(truth[inside], data.class_names[t]),
                "high in": _high(named, inside)})  # fmt: skip
    return pd.DataFrame(rows)


def _feature_names(data, i):
    """Names of the features of a task or view; their numbers, from 1, where it has no names."""
    if data.feature_names[i] is not None:
        return data.feature_names[i]
    place = f" of {data.task_names[i]}" if data.kind == "multiview" else ""
    return [f"feature {j + 1}{place}" for j in range(data.Xs[i].shape[1])]


def _largest_class(truth, names):
    known = truth[truth >= 0]
    if not len(known):
        return ""
    sizes = np.bincount(known)
    return f"{names[sizes.argmax()]} ({100 * sizes.max() / len(known):.0f} %)"


def _high(named, inside):
    """The features that stand out, largest first."""
    found = []
    for X, names in named:
        mean = np.asarray(X.mean(axis=0)).ravel()
        square = np.asarray((X.multiply(X) if sp.issparse(X) else X * X).mean(axis=0)).ravel()
        deviation = np.sqrt(np.maximum(square - mean**2, 0))
        above = np.asarray(X[inside].mean(axis=0)).ravel() - mean
        score = np.divide(above, deviation, out=np.zeros_like(above), where=deviation > 1e-12)
        found += zip((-score).round(9), names)
    found = sorted((entry for entry in found if entry[0] <= -_LEAST), key=lambda entry: entry[0])
    return ", ".join(name for _, name in found[:_FEATURES])


def related(data, labels) -> pd.DataFrame:
    """Clusters of two tasks that are each other's nearest, most alike first. Columns ``task, cluster, other
    task, other cluster, similarity``: the cosine between the means of the two clusters, each taken from the
    mean of its task; only positive ones are listed."""
    rows, means = [], [_means(X, found) for X, found in zip(data.Xs, as_list(labels))]
    for s, t in combinations(range(len(means)), 2):
        alike = cosine_similarity(means[s][1], means[t][1])
        for i, j in enumerate(alike.argmax(axis=1)):
            if alike[:, j].argmax() == i and alike[i, j] > 0:
                rows.append((data.task_names[s], means[s][0][i] + 1, data.task_names[t], means[t][0][j] + 1,
                             round(float(alike[i, j]), 3)))  # fmt: skip
    columns = ["task", "cluster", "other task", "other cluster", "similarity"]
    return pd.DataFrame(rows, columns=columns).sort_values("similarity", ascending=False, ignore_index=True)


def _means(X, found):
    """Numbers of the clusters, and their means of shape (k, d) around the mean of all samples."""
    numbers, mean = np.unique(found), np.asarray(X.mean(axis=0)).ravel()
    return numbers, np.array([np.asarray(X[found == k].mean(axis=0)).ravel() - mean for k in numbers])
