"""Rivals in the LMSC paper on the known split: styles that could have printed a row, and shuffled classes.

    python -m mtclib identify lmsc
    MTCLIB_DATA=FOLDER python -m benchmarks.lmsc_rivals --out data/lmsc/results

AWP and LLMC are deterministic, and their printed purities are whole numbers of samples on a known split: a
style gives them, or it does not.  `awp` and `llmc` yield the values of one data set by every style, for the
searches of these names in the protocol; the first command tries them.

The second writes shuffled_classes.csv: SNMF, LLMC and L2SC on 3Sources at their defaults, scored against the
classes of each task, against these sorted, and against the classes of each task in another order, mean and
spread over 400 orders; and partitions.csv: the rivals that end in k-means, at their defaults on the authors'
split of every set, with one start of k-means (the mean over a hundred), the best of a hundred, and the most
frequent of a hundred, as in the released code; and signs.csv: AWP from the start of its authors, whose result
depends on the signs of eigenvectors, with signs at random.
"""

import argparse
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.metrics.pairwise import euclidean_distances

from mtclib import L2SC
from mtclib.baselines import AWP, OneView, PerTask
from mtclib.baselines.awp import aligned_rotations, alternate
from mtclib.baselines.registry import all_estimators
from mtclib.companion.runs import load_protocol
from mtclib.companion.verdicts import published
from mtclib.core.starts import firsts
from mtclib.datasets import load
from mtclib.datasets.text import weigh
from mtclib.lmsc import kmeans_runs, most_frequent, weigh_words
from mtclib.maths.linalg import as_dense, unit_rows
from mtclib.metrics import SCORES

SWEEPS = 300
SETS = ("3Sources", "BBC", "BBCSport", "Cornell")
IN_KMEANS, STARTS = ("Coreg", "WMSC", "LLMC", "L2SC", "LRMSC", "DiMSC"), 100
NMI, WORDS, KERNELS = "NMI_geometric", ("release",), ("median", "mean", "self-tuning", "cosine")


def awp(data, choices):
    """Pairs of a style and its scores by (task, method, metric); `choices` has the values of each part."""
    k, names = data.n_clusters[0], list(choices)
    for words in choices["words"]:
        tasks = prepared(data.Xs, words)
        for graph, n_neighbors in product(choices["graph"], choices["neighbours"]):
            whole = graph in KERNELS and n_neighbors != choices["neighbours"][0]
            if whole:  # a graph of all pairs has no neighbours
                continue
            graphs = [[affinity(X, graph, n_neighbors) for X in views] for views in tasks]
            for rest in product(*(choices[name] for name in names[3:])):
                labels = [cluster(views, k, *rest) for views in graphs]
                style = dict(zip(names, (words, graph, n_neighbors, *rest)))
                yield style, _scores("AWP", data.labels, labels)


def llmc(data, choices):
    """The same for LLMC on one view, or on all side by side where there is no such view."""
    for words in choices["words"]:
        tasks = prepared(data.Xs, words)
        for view, metric, n_neighbors, gamma in product(*(choices[name] for name in list(choices)[1:])):
            given = {"metric": metric, "n_neighbors": n_neighbors, "gamma": gamma}
            model = OneView(data.n_clusters, estimator="LLMC", parameters=given, random_state=0,
                            view=view if 0 <= view < len(tasks[0]) else None)
            yield (dict(zip(choices, (words, view, metric, n_neighbors, gamma))),
                   _scores("LLMC", data.labels, model.fit(tasks).labels_))


def _scores(method, truth, labels):
    found = {}
    for task, (y, found_labels) in enumerate(zip(truth, labels), start=1):
        scores = {name: SCORES[name](y, found_labels) for name in ("purity", NMI, "RI")}
        found |= {(str(task), method, name): value for name, value in scores.items()}
    return found


def prepared(tasks, words):
    """Dense views of all tasks, weighted over all tasks together."""
    if words in WORDS:
        return [[as_dense(X) for X in views] for views in weigh_words(tasks)]
    weighted = [weigh([sp.csr_array(X) for X in parts], words) for parts in zip(*tasks)]
    return [[as_dense(X) for X in views] for views in zip(*weighted)]


def affinity(X, graph, n_neighbors):
    """Weights between the samples of a view, (n, n): of all pairs, or of neighbours by a name.

    'adaptive' are the weights of Nie's code, linear in the squared distance up to the next neighbour; 'heat'
    has width 1, 'heat, mean' that of the neighbours, 'binary' ones; 'cosine ' before a name takes unit rows.
    """
    if graph in KERNELS:
        return _kernel(X, graph)
    kind, X = graph.removeprefix("cosine "), unit_rows(X) if graph.startswith("cosine ") else X
    squares = euclidean_distances(X, squared=True)
    np.fill_diagonal(squares, -1.0)
    order = np.argsort(squares, axis=1, kind="stable")[:, 1:n_neighbors + 2]
    near, W = np.take_along_axis(squares, order, axis=1), np.zeros_like(squares)
    inside, next_one = near[:, :-1], near[:, -1:]
    if kind == "adaptive":
        spread = np.sum(next_one - inside, axis=1, keepdims=True)
        weights = (next_one - inside) / np.where(spread > 0, spread, 1.0)
    else:
        width = {"heat": 2.0, "heat, mean": 2.0 * np.sqrt(inside).mean() ** 2, "binary": np.inf}[kind]
        weights = np.exp(-inside / width)
    np.put_along_axis(W, order[:, :-1], weights, axis=1)
    return (W + W.T) / 2 if kind == "adaptive" else np.maximum(W, W.T)


def _kernel(X, graph):
    squares = euclidean_distances(X, squared=True)
    if graph == "cosine":
        W = np.maximum(unit_rows(X) @ unit_rows(X).T, 0.0)
    elif graph == "self-tuning":
        widths = np.sqrt(np.sort(squares, axis=1)[:, min(7, len(X) - 1)]) + 1e-12
        W = np.exp(-squares / np.outer(widths, widths))
    else:
        width = getattr(np, graph)(np.sqrt(squares[np.triu_indices(len(X), 1)]))
        W = np.exp(-squares / (2.0 * width**2))
    return W - np.diag(np.diag(W))


def cluster(graphs, k, laplacian, start, rows):
    """Labels (n,) by AWP from affinities of all views."""
    Fs = [_embedding(W, k, laplacian) for W in graphs]
    Fs = [unit_rows(F) for F in Fs] if rows == "unit" else Fs
    if start == "signed":
        Fs = [np.where(F.max(axis=0) < -F.min(axis=0), -F, F) for F in Fs]
    starts = [aligned_rotations(Fs, v) for v in range(len(Fs))] if start == "aligned" else [
        [np.eye(k)] * len(Fs)]
    runs = [alternate(Fs, Rs, SWEEPS, start == "aligned") for Rs in starts]
    return min(runs, key=lambda run: run[3][-1])[0]


def _embedding(W, k, laplacian):
    degrees = W.sum(axis=1)
    if laplacian == "plain":
        return np.linalg.eigh(np.diag(degrees) - W)[1][:, :k]
    roots = 1.0 / np.sqrt(np.maximum(degrees, 1e-12))
    return np.linalg.eigh(roots[:, None] * W * roots)[1][:, ::-1][:, :k]


MEASURES = {"NMI": NMI, "purity": "purity", "RI": "RI"}


def shuffled_classes(n_draws=400):
    """Printed scores on 3Sources beside ours and those against classes in another order; a row per score."""
    data, methods = load("lmsc-3sources", split="release"), load_protocol("lmsc").methods
    rng, again = np.random.default_rng(0), np.random.default_rng(1)
    printed, rows = published.load("lmsc").query("dataset == '3Sources'"), []
    makers = {"PerTask": PerTask, "OneView": OneView, "L2SC": L2SC}
    for method in ("SNMF", "LLMC", "L2SC"):
        spec = methods[method]
        model = makers[spec.estimator](6, random_state=0, **{**spec.params, **spec.default}).fit(data.Xs)
        for task, (y, labels) in enumerate(zip(data.labels, model.labels_), start=1):
            drawn = {whose: [(rng if whose == task else again).permutation(classes) for _ in range(n_draws)]
                     for whose, classes in enumerate(data.labels, start=1)}
            for (whose, orders), (metric, name) in product(drawn.items(), MEASURES.items()):
                values = np.array([SCORES[name](order, labels) for order in (y, np.sort(y), *orders)])
                if metric == "RI":
                    values = (values * (len(y) - 1) + 1) / len(y)
                cell = printed.set_index(["method", "task", "metric"])["mean"][method, str(task), metric]
                rows.append({"method": method, "task": task, "metric": metric, "classes of task": whose,
                             "printed": cell, "ours": values[0], "sorted": values[1],
                             "shuffled": values[2:].mean(), "spread": values[2:].std()})
    return pd.DataFrame(rows).round(6)


def representations(spec, data):
    """What k-means sees of each task, (n, h), by a rival at its default."""
    given, k = {**spec.params, **spec.default}, data.n_clusters[0]
    if spec.estimator == "PerTask":
        make, options = all_estimators()[given["estimator"]], given.get("parameters", {})
        return [make(k, random_state=0, **options).fit(views).embedding_ for views in data.Xs]
    if spec.estimator == "OneView":
        Xs = [views[given["view"]] for views in data.Xs]
        make, options = all_estimators()[given["estimator"]], given["parameters"]
        return make(data.n_clusters, random_state=0, **options).fit(Xs).embedding_
    model = L2SC(k, random_state=0, **given)
    return [model.partial_fit(views).representation_ for views in data.Xs]


def of_each_kind(Z, k):
    """Partitions (runs, n) by k-means on Z (n, h): all of a hundred starts, the best, the most frequent."""
    found = kmeans_runs(Z, k, STARTS, seed=0)
    best = min(found, key=lambda labels: sum(((Z[labels == c] - Z[labels == c].mean(axis=0)) ** 2).sum()
                                             for c in np.unique(labels)))
    return {"single": found, "best": best[None], "most frequent": most_frequent(found)[None]}


def partitions():
    """Printed scores beside ours by each kind of partition; a row per score."""
    methods, rows = load_protocol("lmsc").methods, []
    printed = published.load("lmsc").set_index(["dataset", "method", "task", "metric"])["mean"]
    for dataset, method in product(SETS, IN_KMEANS):
        data = load(f"lmsc-{dataset.lower()}", split="release")
        for task, (y, Z) in enumerate(zip(data.labels, representations(methods[method], data)), start=1):
            for (kind, found), (metric, name) in product(of_each_kind(Z, data.n_clusters[0]).items(),
                                                         MEASURES.items()):
                value = np.mean([SCORES[name](y, labels) for labels in found])
                value = (value * (len(y) - 1) + 1) / len(y) if metric == "RI" else value
                cell = printed.get((dataset, method, str(task), metric), np.nan)
                rows.append({"dataset": dataset, "method": method, "task": task, "metric": metric,
                             "partition": kind, "printed": cell, "ours": value})
    return pd.DataFrame(rows).dropna().round(6)


GRAPHS = {
    "Euclidean neighbours, counts": ("counts", {"affinity": "knn"}),
    "Gaussian weights of all pairs, counts": ("counts", {"affinity": "gaussian", "scale": "self-tuning"}),
    "cosine neighbours, counts": ("counts", {"affinity": "knn-cosine"}),
    "cosine neighbours, tf-idf": ("release", {"affinity": "knn-cosine"}),
}


def drawn(Fs, n_draws, rng):
    """Labels (n_draws, n) by AWP from R_v = I, each with other signs of the eigenvectors F_v (n, k)."""
    k = Fs[0].shape[1]
    return np.array([alternate([F * rng.choice([-1.0, 1.0], k) for F in Fs], [np.eye(k)] * len(Fs), SWEEPS,
                               near=False)[0] for _ in range(n_draws)])


def signs(n_draws=500):
    """Printed scores of AWP beside those over signs drawn at random; a row per graph and score.

    ``p`` is that of a data set, as if print were one more draw: its distance from the mean of the draws, over
    the scores of all tasks, against theirs.
    """
    printed = published.load("lmsc").query("method == 'AWP'").set_index(["dataset", "task", "metric"])["mean"]
    rows, rng = [], np.random.default_rng(0)
    for dataset, (graph, (words, given)) in product(SETS, GRAPHS.items()):
        data, found = load(f"lmsc-{dataset.lower()}", split="release"), []
        for task, (y, views) in enumerate(zip(data.labels, prepared(data.Xs, words)), start=1):
            if (dataset, str(task), "NMI") not in printed:
                continue
            labels = drawn(AWP(data.n_clusters[0], **given).fit(views).view_embeddings_, n_draws, rng)
            different = len(np.unique(list(map(firsts, labels)), axis=0))
            for metric, name in MEASURES.items():
                found.append([SCORES[name](y, one) for one in labels])
                low, high = np.quantile(found[-1], [0.025, 0.975])
                rows.append({"dataset": dataset, "graph": graph, "task": task, "metric": metric,
                             "printed": printed[dataset, str(task), metric], "mean": np.mean(found[-1]),
                             "spread": np.std(found[-1]), "low": low, "high": high, "partitions": different})
        mine = rows[-len(found):]
        gaps = np.abs(np.array(found) - np.mean(found, axis=1, keepdims=True)).mean(axis=0)
        gap = np.mean([abs(row["printed"] - row["mean"]) for row in mine])
        for row in mine:
            row["p"] = (1 + np.sum(gaps >= gap)) / (1 + n_draws)
    return pd.DataFrame(rows).round(6)


def main():
    """Write the tables of shuffled classes, of partitions and of signs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    folder = parser.parse_args().out
    shuffled_classes().to_csv(folder / "shuffled_classes.csv", index=False)
    partitions().to_csv(folder / "partitions.csv", index=False)
    signs().to_csv(folder / "signs.csv", index=False)


if __name__ == "__main__":
    main()
