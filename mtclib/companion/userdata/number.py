"""How many clusters?  Three criteria that need no labels, and the numbers that they propose.

Every number is tried by spectral clustering of the samples of one task, or of all views side by side:

*silhouette*: how much nearer samples are to their own cluster than to the next one (Rousseeuw 1987);
*stability*: how alike the clusters of two random subsamples are, as the adjusted Rand index of the samples
that are in both (Ben-Hur, Elisseeff and Guyon 2002);
*eigengap*: by how much the k-th eigenvalue of the similarity graph exceeds the next (von Luxburg 2007).

All three favour few, large, well separated clusters, and none can tell a right number from a useful one.
"""

import warnings

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

from mtclib.companion.runs.runner import make_bar
from mtclib.core.base import DegenerateSubspaceWarning, spawn_seeds
from mtclib.maths.eigen import spectral_embedding
from mtclib.maths.graphs import normalized_affinities
from mtclib.maths.scaling import scale_views
from mtclib.metrics import adjusted_rand_index

CRITERIA = ("silhouette", "stability", "eigengap")
CAPTION = "Numbers of clusters that three criteria propose"
ALL = "all together"
"""Name of the line that holds for all tasks."""
LARGEST, SAMPLES, PAIRS, SHARE, STARTS = 10, 1000, 5, 0.8, 3


def criteria(data, largest=LARGEST, seed=0) -> pd.DataFrame:
    """The three criteria for 2 to ``largest`` clusters: columns ``task, k`` and `CRITERIA`. Views are one
    task, "all views". A random thousand of the samples of a task stands for more."""
    tasks = dict(zip(data.task_names, data.Xs)) if data.kind == "multitask" else {"all views": _joined(data)}
    rows = []
    with make_bar(len(tasks) * (PAIRS + 1)) as bar:
        for (name, X), own in zip(tasks.items(), spawn_seeds(seed, len(tasks))):
            rows += [{"task": name} | row for row in _of_task(X, largest, own, bar.update)]
    return pd.DataFrame(rows, columns=["task", "k", *CRITERIA])


def proposals(frame) -> pd.DataFrame:
    """The number that each criterion proposes per task, and what to take; from :func:`criteria`. ``proposed``
    is the number that two criteria or more name, else the middle one; ``named by`` says how many name it. The
    last of several lines is for all tasks together, by the mean of the criteria over tasks."""
    tasks = [(name, part) for name, part in frame.groupby("task", sort=False)]
    if len(tasks) > 1:
        means = frame.groupby("k")[list(CRITERIA)].mean().reset_index()
        tasks.append((ALL, means[means["k"] <= frame.groupby("task")["k"].max().min()]))
    rows = {}
    for name, part in tasks:
        named = {criterion: int(part.loc[part[criterion].idxmax(), "k"]) for criterion in CRITERIA}
        taken = int(np.median(list(named.values())))
        count = list(named.values()).count(taken)
        rows[name] = named | {"proposed": taken, "named by": f"{count} of {len(CRITERIA)}"}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("task")


def proposed(frame) -> list[int]:
    """One number for each task of four samples or more, or for all views, as ``n_clusters``."""
    return [int(k) for k in proposals(frame).drop(index=ALL, errors="ignore")["proposed"]]


def _joined(data):
    Xs = scale_views(data.Xs, "variance")
    return sp.hstack(Xs, format="csr") if any(map(sp.issparse, Xs)) else np.hstack(Xs)


def _of_task(X, largest, seed, step):
    """One line for each number of clusters."""
    rng = np.random.default_rng(seed)
    X = X[np.sort(rng.permutation(X.shape[0])[:SAMPLES])]
    n, size = X.shape[0], int(SHARE * X.shape[0])
    ks = range(2, min(largest, size - 1) + 1)
    if not ks:
        return []
    cosine = X.min() >= 0
    labels, values = _clusters(X, ks, cosine, seed)
    step()
    stability = np.zeros((PAIRS, len(ks)))
    for pair in range(PAIRS):
        draws = [np.sort(rng.permutation(n)[:size]) for _ in range(2)]
        one, two = (_clusters(X[rows], ks, cosine, seed)[0] for rows in draws)
        _, left, right = np.intersect1d(*draws, return_indices=True)
        stability[pair] = [adjusted_rand_index(one[k][left], two[k][right]) for k in ks]
        step()
    metric = "cosine" if cosine and abs(X).sum(axis=1).min() > 0 else "euclidean"
    silhouette = {k: float(silhouette_score(X, labels[k], metric=metric)) if len(set(labels[k])) > 1 else 0.0
                  for k in ks}
    return [{"k": k, "silhouette": silhouette[k], "stability": stability[:, i].mean(),
             "eigengap": values[k - 1] - values[k]} for i, k in enumerate(ks)]  # fmt: skip


def _clusters(X, ks, cosine, seed):
    """Clusters for each number, by k-means on unit rows of the leading eigenvectors; and the eigenvalues."""
    (graph,) = normalized_affinities([X], "cosine" if cosine else "gaussian")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateSubspaceWarning)  # for few clusters of many, as it must be
        values, V = spectral_embedding(graph, ks[-1] + 1, seed)
    labels = {}
    for k in ks:
        lengths = np.linalg.norm(V[:, :k], axis=1, keepdims=True)
        rows = np.divide(V[:, :k], lengths, out=np.zeros_like(V[:, :k]), where=lengths > 0)
        labels[k] = KMeans(k, n_init=STARTS, random_state=seed % 2**32).fit_predict(rows)
    return labels, np.nan_to_num(values)
