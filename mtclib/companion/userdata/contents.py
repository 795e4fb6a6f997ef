"""What is in the clusters: their sizes, what marks them, and which of different tasks belong together."""

from dataclasses import dataclass
from itertools import chain, combinations, count

import numpy as np
import pandas as pd
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from sklearn.metrics.pairwise import cosine_similarity

from mtclib.core.large import row_blocks
from mtclib.maths.linalg import as_dense

_FEATURES, _LEAST = 5, 0.5
ALIKE = 0.15  # similarity below which clusters of two tasks stay apart


@dataclass(frozen=True)
class Groups:
    """Clusters of different tasks that belong together: one group holds at most one cluster of each task."""

    codes: list  # one array per task: group of each of its clusters, from 0; -1 for clusters without samples
    names: list  # of the groups: the classes that most of their samples have, else numbers from 1
    related: pd.DataFrame  # ``task, cluster, other task, other cluster, group, similarity`` of each pair

    def of(self, labels):
        """Group of each sample: one array per task, in all one for views."""
        found = [codes[each] for codes, each in zip(self.codes, as_list(labels))]
        return found if isinstance(labels, list) else found[0]


def as_list(labels) -> list:
    """Labels as a list with one array per task; views share one."""
    return labels if isinstance(labels, list) else [labels]


def contents(data, labels, groups=None) -> pd.DataFrame:
    """Every cluster in a line; ``labels`` as in `Clusterings`, or the data's own. ``task`` ("" for views),
    ``cluster`` (from 1), ``group`` (see :func:`aligned`), ``samples``, ``most are`` (the largest class among
    the labelled samples and its share, "" without labels), ``high in`` (up to five features whose mean in the
    cluster is highest, at least half a standard deviation above the mean of the task)."""
    views, rows, groups = data.kind == "multiview", [], groups or aligned(data, labels)
    for t, (found, truth) in enumerate(zip(as_list(labels), as_list(data.labels))):
        present, chosen = np.unique(found), range(len(data.Xs)) if views else [t]
        scores = [_above(data.Xs[i], found, present) for i in chosen]
        names = [name for i in chosen for name in _feature_names(data, i)]
        for k, marks in zip(present, np.hstack(scores)):
            inside, known = found == k, truth[(found == k) & (truth >= 0)]
            sizes = np.bincount(known, minlength=1)
            most = f"{data.class_names[t][sizes.argmax()]} ({100 * sizes.max() / len(known):.0f} %)" \
                if len(known) else ""
            order = np.argsort(-marks, kind="stable")[:_FEATURES]
            rows.append({
                "task": "" if views else data.task_names[t], "cluster": int(k) + 1,
                "group": groups.names[groups.codes[t][k]], "samples": int(inside.sum()), "most are": most,
                "high in": ", ".join(names[j] for j in order if marks[j] >= _LEAST)})
    return pd.DataFrame(rows)


def _feature_names(data, i):
    """Names of the features of a task or view, with the view where another has the same; their numbers, from
    1, where it has no names."""
    place, names = f" of {data.task_names[i]}" if data.kind == "multiview" else "", data.feature_names[i]
    if names is None:
        return [f"feature {j + 1}{place}" for j in range(data.Xs[i].shape[1])]
    others = {name for v, known in enumerate(data.feature_names) if v != i for name in known or ()}
    return [name + place if name in others else name for name in names]


def _above(X, found, present):
    """By how many standard deviations each cluster's mean lies above that of all, (clusters, features)."""
    mean, variance, means = _means(X, found, present)
    deviation = np.sqrt(np.maximum(variance, 0))
    return np.divide(means - mean, deviation, out=np.zeros_like(means), where=deviation > 1e-12).round(9)


def _means(X, found, present):
    """Means and variances of the features, and their means in each cluster."""
    codes, n = np.searchsorted(present, found), len(found)
    members = sp.csr_array((np.ones(n), codes, np.arange(n + 1)), shape=(n, len(present)))
    sums, squares = np.zeros((len(present), X.shape[1])), np.zeros(X.shape[1])
    # Far from zero squares would lose the digits that differ.
    origin = np.zeros(X.shape[1]) if sp.issparse(X) else np.array(X[0], dtype=float)
    for rows in row_blocks(X):
        block = X[rows] if sp.issparse(X) else X[rows] - origin
        sums += as_dense(members[rows].T @ block)
        squares += np.ravel((block * block).sum(axis=0))
    mean = sums.sum(axis=0) / n
    return mean + origin, squares / n - mean**2, sums / np.bincount(codes)[:, None] + origin


def aligned(data, labels, relation=None) -> Groups:
    """Which clusters of different tasks belong together, whatever their numbers and the order of the tasks.

    Of each two tasks, clusters are paired by the optimal assignment, by the ``relation_`` of the method,
    {(s, t): (k_s, k_t)}, where it has one, else by similarity: the cosine of their means around the mean of
    all tasks.  Pairs less similar than `ALIKE` are dropped, and the others joined, the most similar first,
    unless a group would then hold two clusters of one task.
    """
    labels = as_list(labels)
    present = [np.unique(found) for found in labels]
    joined = {(t, int(k)): {(t, int(k))} for t, numbers in enumerate(present) for k in numbers}
    matrices, pairs = _cosines(data, labels, present), []
    for (s, t), S in matrices.items():
        by = relation[s, t][np.ix_(present[s], present[t])] if isinstance(relation, dict) else S
        pairs += [(S[i, j], (s, int(present[s][i])), (t, int(present[t][j])))
                  for i, j in zip(*linear_sum_assignment(by, maximize=True)) if S[i, j] >= ALIKE]
    for _, one, other in sorted(pairs, key=lambda pair: -pair[0]):
        both = joined[one] | joined[other]
        if len({t for t, _ in both}) == len(both):
            joined.update(dict.fromkeys(both, both))
    groups = list(dict.fromkeys(min(group) for group in joined.values()))
    codes = [np.full(found.max() + 1, -1) for found in labels]
    for t, k in joined:
        codes[t][k] = groups.index(min(joined[t, k]))
    names = _group_names(data, [codes[t][found] for t, found in enumerate(labels)], len(groups))
    rows = [(data.task_names[s], present[s][i] + 1, data.task_names[t], present[t][j] + 1,
             names[codes[s][present[s][i]]], round(float(S[i, j]), 3))
            for (s, t), S in matrices.items() for i, j in np.ndindex(S.shape)
            if codes[s][present[s][i]] == codes[t][present[t][j]]]
    columns = ["task", "cluster", "other task", "other cluster", "group", "similarity"]
    table = pd.DataFrame(rows, columns=columns).sort_values("similarity", ascending=False, ignore_index=True)
    return Groups(codes, names, table)


def _cosines(data, labels, present):
    """Cosines of the means of clusters of each two tasks, around the mean of the means of all tasks."""
    if len(labels) == 1:
        return {}
    whole, _, means = zip(*map(_means, data.Xs, labels, present))
    means = [own - np.mean(whole, axis=0) for own in means]
    return {(s, t): cosine_similarity(means[s], means[t]) for s, t in combinations(range(len(labels)), 2)}


def _group_names(data, grouped, groups):
    """Names that differ: that of the class of most samples of known class, else the number of the group."""
    taken, truths = {}, as_list(data.labels)
    for code in range(groups):
        classes = [data.class_names[t][y] for t, (found, truth) in enumerate(zip(grouped, truths))
                   for y in truth[(found == code) & (truth >= 0)]]
        name = max(sorted(set(classes)), key=classes.count) if classes else str(code + 1)
        numbered = (f"{name} ({i})" for i in count(2))
        taken[next(new for new in chain([name], numbered) if new not in taken)] = code
    return list(taken)
