"""Do stability and prediction strength choose the number of clusters better than the middle candidate?

    python -m benchmarks.choice_of_k

takes the three candidates of `mtclib.companion.userdata.number` on every set of the comparison, and of these
the one whose clusters are most stable (largest mean adjusted Rand index between all samples and random 80 %
of them: Ben-Hur, Elisseeff, Guyon 2002), the largest of prediction strength .8 or more, else the strongest
(Tibshirani, Walther 2005), and the middle.  Writes data/comparison/choice_of_k.csv: points of ARI that each
loses against the number of classes, the mean over tasks, and what a rule chosen by the other sources loses.
"""

import sys

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans

from mtclib.companion.comparison.sources import KINDS, Sources, interval
from mtclib.companion.runs.jobs import load_dataset
from mtclib.companion.userdata.number import CANDIDATES, fused, joined, spectral
from mtclib.core import paths
from mtclib.metrics import adjusted_rand_index

DRAWS, SHARE, STRONG, SAMPLES = 5, 0.8, 0.8, 1000
"""Draws of a rule, and how large each is; what counts as strong; samples that are looked at."""
RULES = ("middle", "stability", "strength")


def strength(X, k, rng):
    """Smallest share of pairs of one cluster of a half that stay together by the centroids of the other."""
    order = rng.permutation(X.shape[0])
    half, other = X[order[: len(order) // 2]], X[order[len(order) // 2 :]]
    one, two = (KMeans(k, n_init=3, random_state=0).fit(part) for part in (half, other))
    shares = []
    for cluster in range(k):
        there = np.bincount(one.predict(other)[two.labels_ == cluster], minlength=k)
        n = there.sum()
        shares.append((there * (there - 1)).sum() / (n * (n - 1)) if n > 1 else 0.0)
    return min(shares)


def lost(Xs, truth, seed):
    """Points that each rule loses on one task, or on all views together."""
    rng = np.random.default_rng(seed)
    drawn = np.sort(rng.permutation(len(truth))[:SAMPLES])
    Xs, truth = [X[drawn] for X in Xs], truth[drawn]
    values, V = fused(Xs, seed)
    falls = np.round(values[1:-1] - values[2:], 9)
    ks = np.sort(2 + np.argsort(-falls, kind="stable")[:CANDIDATES]).tolist()
    true = len(np.unique(truth[truth >= 0]))
    labels = {k: spectral(V[:, :k], k, seed) for k in {*ks, true} if k <= V.shape[1]}
    scores = {k: 100 * adjusted_rand_index(truth[truth >= 0], y[truth >= 0]) for k, y in labels.items()}
    stable, strong = dict.fromkeys(ks, 0.0), dict.fromkeys(ks, 0.0)
    for _ in range(DRAWS):
        part = np.sort(rng.permutation(len(truth))[: int(SHARE * len(truth))])
        _, W = fused([X[part] for X in Xs], seed)
        for k in ks:
            again = spectral(W[:, :k], k, seed) if k <= W.shape[1] else np.zeros(len(part), int)
            stable[k] += adjusted_rand_index(labels[k][part], again) / DRAWS
            strong[k] += strength(joined(Xs), k, rng) / DRAWS
    safe = [k for k in ks if strong[k] >= STRONG]
    chosen = {"middle": ks[len(ks) // 2], "stability": max(ks, key=stable.get),
              "strength": max(safe) if safe else max(ks, key=strong.get)}
    return {rule: scores.get(true, np.nan) - scores[k] for rule, k in chosen.items()}


def left_out(table):
    """Points that the rule with the smallest loss on all other sources loses on each source."""
    means = table.groupby("source", sort=False)[list(RULES)].mean()
    return means.assign(chosen=[means.loc[source, means.drop(index=source).mean().idxmin()]
                                for source in means.index])


def main():
    """Try the rules on all sets, and print what each loses."""
    rows = []
    for kind in KINDS:
        sources = Sources(kind)
        of = sources.table.drop_duplicates("set").set_index("set")["source"]
        for name in sources.done:
            spec = sources.protocol.datasets[name]
            data, _ = load_dataset(spec.loader, spec.params)
            views = data.kind == "multiview"
            parts = [(data.Xs, data.labels)] if views else [([X], y) for X, y in zip(data.Xs, data.labels)]
            found = pd.DataFrame([lost(Xs, y, seed) for seed, (Xs, y) in enumerate(parts)]).mean()
            rows.append({"kind": kind, "source": of[name], "set": name, **found.round(2)})
            print(rows[-1], flush=True)
    table = pd.DataFrame(rows)
    table.to_csv(paths.data_dir() / "comparison" / "choice_of_k.csv", index=False, lineterminator="\n")
    for kind, part in table.groupby("kind"):
        found = left_out(part)
        print(kind, found.mean().round(1).to_dict())
        for rule in (*RULES[1:], "chosen"):
            saved = found["middle"] - found[rule]
            print(f"  {rule} saves {saved.mean():+.1f} ({interval(saved).round(1)}) over the middle")


if __name__ == "__main__":
    sys.exit(main())
