"""What the sets of the comparison by sources are like, before any method has seen them.

    python -m benchmarks.comparison_sets tasks
    python -m benchmarks.comparison_sets views

writes data/comparison/many-tasks/sets.csv (or many-views): sizes, whether the tasks have the same classes,
and without labels how related the tasks are, or how far the views agree and which of them k-means would
choose.

Tasks are as related as a classifier fails to tell them apart (proxy A-distance: Ben-David et al., "A theory
of learning from different domains", Machine Learning 79, 2010): 1 where it only guesses, 0 where it never
errs, the mean over pairs.  Views agree as far as k-means finds the same clusters in each: mean adjusted Rand
index over pairs.  The view chosen without labels is that with the largest silhouette (Rousseeuw, J. Comput.
Appl. Math. 20, 1987).  What the method that is advised for views gives on this view alone, and on all columns
as one view, stands beside it: the mean of three seeds of the comparison.
"""

import argparse
import sys
from itertools import combinations

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score, silhouette_score
from sklearn.model_selection import cross_val_score

from mtclib.baselines import LandmarkSpectral
from mtclib.companion.comparison.sources import KINDS, Sources
from mtclib.companion.runs.jobs import load_dataset, seed_for

MOST, SEEN, RUNS = 300, 2000, 3
"""Samples of a task that the classifier sees, and of a view that the silhouette does; seeds on one view."""


def relatedness(Xs) -> float:
    """Mean over pairs of tasks of twice the cross-validated error of telling them apart, at most 1.

    >>> same = np.random.default_rng(0).normal(size=(80, 3))
    >>> relatedness([same, same + 100]), relatedness([same, same[::-1]]) > 0.8
    (0.0, True)
    """
    return float(np.mean([_confusion(one, other) for one, other in combinations(Xs, 2)]))


def _confusion(*pair):
    rng = np.random.default_rng(0)
    parts = [X[np.sort(rng.permutation(X.shape[0])[:MOST])] for X in pair]
    both = sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.vstack(parts)
    which = np.repeat([0, 1], [part.shape[0] for part in parts])
    classifier = LogisticRegression(max_iter=1000, class_weight="balanced")
    accuracy = cross_val_score(classifier, both, which, cv=5, scoring="balanced_accuracy").mean()
    return min(1.0, 2 * (1 - accuracy))


def single_views(Xs, k, labels, seeds=()):
    """How far the views agree, the view chosen without labels, its score, and that of the best view; then
    what landmarks give on the chosen view, and on all as one."""
    found = [KMeans(k, n_init=10, random_state=0).fit_predict(X) for X in Xs]
    clear = [silhouette_score(X, y, sample_size=min(SEEN, len(y)), random_state=0) for X, y in zip(Xs, found)]
    chosen, scored = int(np.argmax(clear)), labels >= 0
    score = [100 * adjusted_rand_score(labels[scored], y[scored]) for y in found]
    agreement = np.mean([adjusted_rand_score(one, other) for one, other in combinations(found, 2)])
    as_one = (sp.hstack(Xs, format="csr") if all(map(sp.issparse, Xs)) else
              np.hstack([X.toarray() if sp.issparse(X) else X for X in Xs]))
    alone, beside = ([LandmarkSpectral(k, random_state=seed).fit([X]).labels_[scored] for seed in seeds]
                     for X in (Xs[chosen], as_one))
    landmarks = {name: 100 * np.mean([adjusted_rand_score(labels[scored], y) for y in each])
                 for name, each in (("landmarks on one", alone), ("landmarks side by side", beside))}
    return {"agreement": agreement, "chosen": chosen + 1, "single": score[chosen], "best": max(score),
            **landmarks}


def described(data, seeds) -> dict:
    """What is known of a data set, most of it without running a method."""
    sizes = [X.shape[0] for X in data.Xs]
    if data.kind == "multiview":
        return {"parts": len(sizes), "samples": sizes[0], "clusters": data.n_clusters,
                **single_views(data.Xs, data.n_clusters, data.labels, seeds)}  # fmt: skip
    # WebKB's classes bear the name of the university: "cornell.course".
    classes = [{names[code].rpartition(".")[2] for code in np.unique(y)}
               for names, y in zip(data.class_names, data.labels)]  # fmt: skip
    return {"parts": len(sizes), "samples": sum(sizes), "clusters": max(data.n_clusters),
            "classes": "same" if set.intersection(*classes) else "differ",
            "relatedness": relatedness(data.Xs)}


def main():
    """Describe all sets of a kind."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    sources, rows = Sources(parser.parse_args().kind), {}
    for name in sources.sets:
        spec = sources.protocol.datasets[name]
        seeds = [seed_for(sources.protocol.root_seed, sources.protocol.paper, name, run)
                 for run in range(RUNS)]
        rows[name] = described(load_dataset(spec.loader, spec.params)[0], seeds)
        print(name, rows[name], flush=True)
    frame = pd.DataFrame.from_dict(rows, orient="index").rename_axis("set").round(4)
    frame.to_csv(sources.folder / "sets.csv", lineterminator="\n")


if __name__ == "__main__":
    sys.exit(main())
