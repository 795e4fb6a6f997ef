"""How often is the number of classes among the candidates that `cluster` names where k is unknown, and do
stability or prediction strength tell which of them to take?

    python -m benchmarks.candidates [SAMPLES]

runs :func:`mtclib.companion.userdata.number.candidates` on every set of the comparison by sources, or on
those with at most so many samples, prepared as the command prepares a user's files where the set is stored
raw, and the recommended method with each candidate and with the true number.  A set of tasks counts as the
mean of its tasks.  About half an hour for all.

*Stable* is the candidate whose clusters come out most alike if halves of the samples are clustered alone
(von Luxburg, "Clustering stability", 2010).  *Strong* is that with the largest prediction strength
(Tibshirani and Walther, J. Comput. Graph. Stat. 14, 2005): the clusters of one half are carried to the other
by nearest neighbours, and in the worst cluster of that half this share of the pairs stays together.
"""

import sys

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.neighbors import KNeighborsClassifier

from mtclib.baselines.registry import all_estimators
from mtclib.companion.comparison.sources import KINDS, Sources, summary
from mtclib.companion.runs.jobs import load_dataset
from mtclib.companion.userdata.contents import as_list
from mtclib.companion.userdata.number import _clusters, _embedded, _joined, candidates
from mtclib.companion.userdata.run import GRAPHS, RECOMMENDED
from mtclib.metrics import adjusted_rand_index

DRAWS = 3
RULES = ("smallest", "middle", "largest", "stable", "strong")


def halves(Xs, found, seed):
    """For each number of clusters in ``found``, {k: labels}: stability and prediction strength, means over
    the halves of `DRAWS` draws."""
    rng, n, rows = np.random.default_rng(seed), Xs[0].shape[0], {k: [] for k in found}
    for _ in range(DRAWS):
        order = rng.permutation(n)
        parts = [np.sort(order[: n // 2]), np.sort(order[n // 2 :])]
        maps = [_embedded([X[part] for X in Xs], seed)[1] for part in parts]
        for k, whole in found.items():
            own = [_clusters(V[:, :k], k, seed) for V in maps]
            for i in (0, 1):
                rows[k].append((adjusted_rand_index(whole[parts[i]], own[i]),
                                strength(Xs, parts[1 - i], own[1 - i], parts[i], own[i])))  # fmt: skip
    return {k: np.mean(values, axis=0) for k, values in rows.items()}


def strength(Xs, one, labels_one, other, labels_other):
    """Least share, over clusters of the other part, of pairs that the clusters of the one keep together."""
    metric = "cosine" if any(map(sp.issparse, Xs)) else "euclidean"
    nearest = KNeighborsClassifier(1, metric=metric).fit(_joined([X[one] for X in Xs]), labels_one)
    carried = nearest.predict(_joined([X[other] for X in Xs]))
    sizes = [np.bincount(carried[labels_other == k]) for k in np.unique(labels_other)]
    return min((np.sum(n * (n - 1)) / (n.sum() * (n.sum() - 1)) for n in sizes if n.sum() > 1), default=0.0)


def places(data, found):
    """For each rule which of the candidates it takes, for each task or for all views together."""
    rows = []
    for (task, table), Xs in zip(found.table.groupby("task", sort=False),
                                 [data.Xs] if data.kind == "multiview" else [[X] for X in data.Xs]):
        ks = table["clusters"].tolist()
        stable, strong = np.array(list(halves(Xs, {k: found.labels[task, k] for k in ks}, 0).values())).T
        rows.append({"smallest": 0, "middle": len(ks) // 2, "largest": len(ks) - 1,
                     "stable": stable.argmax(), "strong": strong.argmax()})  # fmt: skip
    return pd.DataFrame(rows)


def scores(data, ks):
    """Adjusted Rand index of the recommended method in percent, of each task."""
    name, k = RECOMMENDED[data.kind], ks[0] if data.kind == "multiview" else ks
    labels = all_estimators()[name](k, random_state=0, **GRAPHS[name]).fit(data.Xs).labels_
    pairs = zip(as_list(data.labels), as_list(labels))
    return np.array([100 * adjusted_rand_index(y[y >= 0], each[y >= 0]) for y, each in pairs])


def judged(data):
    """Shares of tasks with the true number among the candidates, and points of ARI that each rule loses."""
    truth = np.array(as_list(data.n_clusters))
    found = candidates(data)
    ks = [part.tolist() for _, part in found.table.groupby("task", sort=False)["clusters"]]
    known, taken = scores(data, truth.tolist()), places(data, found)
    each = [scores(data, [part[min(i, len(part) - 1)] for part in ks]) for i in range(max(map(len, ks)))]
    lost = known - np.array(each)
    near = [[abs(np.array(part) - true) <= 1, abs(np.log(np.array(part) / true)) <= np.log(1.5)]
            for part, true in zip(ks, truth)]  # fmt: skip
    shares = np.mean([[one.any() for one in pair] for pair in near], axis=0)
    points = {f"lost, {rule}": lost[taken[rule], np.arange(len(ks))].mean() for rule in RULES}
    return {"within 1": shares[0], "within a factor 1.5": shares[1], **points,
            "lost, best": lost.min(axis=0).mean()}  # fmt: skip


def followed(lost):
    """Points gained over the middle candidate if the rule is chosen by all other sources, summed up."""
    gains = -lost.sub(lost["lost, middle"], axis=0)
    chosen = [gains.loc[source, gains.drop(index=source).mean().idxmax()] for source in gains.index]
    return summary(pd.Series(chosen, index=gains.index))


def main(most=np.inf):
    """Print all sets; means over sources; what each rule gains over the middle, and if one were followed."""
    rows = {}
    for kind in KINDS:
        sources = Sources(kind)
        sizes = pd.read_csv(sources.folder / "sets.csv", index_col="set")["samples"]
        for name in sizes.index[sizes <= most]:
            spec = sources.protocol.datasets[name]
            raw = {"preparation": "auto"} if "preparation" in spec.params else {}
            data, _ = load_dataset(spec.loader, spec.params | raw)
            rows[kind, sources.table["source"][name], name] = judged(data)
            print(kind, name, {key: round(float(value), 2) for key, value in
                               rows[kind, sources.table["source"][name], name].items()}, flush=True)
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis(["kind", "source", "set"])
    table = table.groupby(["kind", "source"], sort=False).mean()
    lost = table[[f"lost, {rule}" for rule in RULES]]
    print(table.groupby("kind", sort=False).mean().round(2).to_string(), table.mean().round(2).to_string(),
          *(f"{rule} over the middle: {summary(lost['lost, middle'] - lost[f'lost, {rule}'])}"
            for rule in ("stable", "strong")), f"if followed: {followed(lost)}", sep="\n")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
