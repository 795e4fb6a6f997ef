"""How often is the number of classes among the candidates that `cluster` names, and is another rule better?

    python -m benchmarks.candidates [SET ...]

runs :func:`mtclib.companion.userdata.number.candidates` on some sets, or on every one that the comparison by
sources was run on, prepared as the command prepares a user's files, and the advised method with each number,
and writes data/comparison/candidates.csv.  A set of tasks counts as the mean of its tasks.  Beside the three
candidates

- ``stable``: of the three the one whose clusters of random parts of the samples agree most (Ben-Hur,
  Elisseeff and Guyon 2002), ``stablest`` the same of all numbers;
- ``agreeing``: of the three the one whose clusters agree most with those of k-means;
- ``predicted``: the largest number whose prediction strength is at least .8 (Tibshirani and Walther 2005).

All take about half an hour.
"""

import sys

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, pairwise_distances_argmin

from benchmarks.as_the_command import renew
from mtclib.companion.comparison import advice, exam
from mtclib.companion.comparison.command import RULES
from mtclib.companion.runs.jobs import load_dataset
from mtclib.companion.userdata import number

PARTS, SHARE, SAMPLES, STRENGTH, MOST = 6, 0.8, 1000, 0.8, 30
"""Random parts of the samples, and how much of them each is; samples that are looked at; strength that is
enough; largest number that is looked at by these."""


def rows_of(V, k):
    """Leading eigenvectors with rows of unit length."""
    lengths = np.linalg.norm(V[:, :k], axis=1, keepdims=True)
    return np.divide(V[:, :k], lengths, out=np.zeros_like(V[:, :k]), where=lengths > 0)


def stability(V, k, rng):
    """Mean adjusted Rand index of the clusters of pairs of random parts, on the samples that both have."""
    X, n, found = rows_of(V, k), len(V), []
    for _ in range(PARTS):
        part = np.sort(rng.permutation(n)[:int(SHARE * n)])
        labels = np.full(n, -1)
        labels[part] = KMeans(k, n_init=1, random_state=int(rng.integers(2**31))).fit_predict(X[part])
        found.append(labels)
    both = [(one, two, (one >= 0) & (two >= 0)) for one, two in zip(found, found[1:])]
    return np.mean([adjusted_rand_score(one[seen], two[seen]) for one, two, seen in both])


def strength(V, k, rng):
    """Prediction strength: of the pairs that one half clusters together the least share, over its clusters,
    that the centroids of the other half put together; the mean over two halves each way."""
    X, found = rows_of(V, k), []
    for _ in range(2):
        halves = np.array_split(rng.permutation(len(V)), 2)
        for train, test in (halves, halves[::-1]):
            seeds = [int(rng.integers(2**31)) for _ in range(2)]
            centroids = KMeans(k, n_init=2, random_state=seeds[0]).fit(X[train]).cluster_centers_
            own = KMeans(k, n_init=2, random_state=seeds[1]).fit_predict(X[test])
            given = pairwise_distances_argmin(X[test], centroids)
            counts = [np.bincount(given[own == c]) for c in range(k) if (own == c).sum() > 1]
            found.append(min((n * (n - 1)).sum() / (n.sum() * (n.sum() - 1)) for n in counts))
    return np.mean(found)


def guesses(Xs, seed=0):
    """Numbers of clusters of one task, or of all views, by each rule."""
    rng = np.random.default_rng(seed)
    drawn = np.sort(rng.permutation(Xs[0].shape[0])[:SAMPLES])
    _, V = number._embedded([X[drawn] for X in Xs], seed)
    ks = range(2, min(MOST, V.shape[1] - 1) + 1)
    stable = pd.Series({k: stability(V, k, rng) for k in ks})
    strong = [k for k in ks if strength(V, k, rng) >= STRENGTH]
    return stable, max(strong, default=2)


def each_rule(data):
    """Numbers of clusters, a list over tasks (of views a single one) by each rule."""
    tried = number.candidates(data)
    found = tried.table.groupby("task", sort=False)
    groups = [data.Xs] if data.kind == "multiview" else [[X] for X in data.Xs]
    rules = {name: [] for name in RULES}
    for (_, part), Xs, agreeing in zip(found, groups, tried.agreeing()):
        ks, (stable, predicted) = part["clusters"].tolist(), guesses(Xs)
        known = stable.reindex(ks).fillna(-1.0)
        chosen = (ks[0], ks[len(ks) // 2], ks[-1], agreeing, known.idxmax(),
                  stable.idxmax(), predicted)
        for rule, k in zip(RULES, chosen):
            rules[rule].append(int(k))
    return rules


def rows(kind, name):
    """A line for each rule: the factor by which the number is off, the ARI of the advised method."""
    sources = advice.evidence(kind)
    how, views = sources.protocol.methods[advice.advised(sources)["take"]], kind == "views"
    spec = sources.protocol.datasets[name]
    data, _ = load_dataset(spec.loader, spec.params)
    truth = [data.n_clusters] if views else data.n_clusters
    for rule, ks in ({"known": truth} | each_rule(data)).items():
        far, near = np.abs(np.log(np.array(ks) / truth)), abs(np.subtract(ks, truth)) <= 1
        yield {"kind": kind, "set": name, "rule": rule, "clusters": " ".join(map(str, ks)),
               "factor": round(np.exp(far.mean()), 3), "within 1": round(near.mean(), 3),
               "ARI": round(exam.score(how, data, 0, ks[0] if views else ks), 2)}  # fmt: skip


if __name__ == "__main__":
    renew("candidates.csv", rows, sys.argv[1:])
