"""How many clusters?  The numbers at the three largest eigengaps of the neighbour graph, as equal candidates.

The graph joins each sample to its ten nearest, by cosine where the data are sparse; those of views are added
up.  Its normalised eigenvalues fall after the k-th where k groups hang together better than k + 1 (von
Luxburg 2007).  Which of the three is right the gaps do not say.

``python -m mtclib cluster`` begins with the one whose clusters agree most with those of k-means.  What this
and other rules lose is on the page of the comparison.  The graph was taken unweighted because it did better
than a weighted one on the sets of the comparison, so that what they show is somewhat too good for others.

In the plane a round group has eigenvalues near 1 of its own, and the gaps miss half of well separated normal
groups.  There the logarithm of 1.1 minus the eigenvalue is taken in place of the eigenvalue: one in twenty is
missed.  On the sets of the comparison, which all have more features, that lost more, see ``judgement.md``.
"""

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from mtclib.baselines.adapters import side_by_side
from mtclib.companion.userdata.files import DataFileError
from mtclib.core.base import DegenerateSubspaceWarning, spawn_seeds
from mtclib.maths.eigen import spectral_embedding
from mtclib.maths.graphs import NormalizedMatrix, WeightedSum, among_filled
from mtclib.maths.linalg import unit_rows, unit_samples
from mtclib.maths.neighbours import nearest_distances, ranks
from mtclib.metrics import adjusted_rand_index

CAPTION = "Numbers of clusters: three candidates, none of them more right than the others"
EDGE = "at the edge of the range"
NEIGHBOURS, MOST, SHARE, CANDIDATES, SAMPLES, LEAST, PLANE = 10, 50, 5, 3, 5000, 4, 2
"""Of the graph; largest number of clusters, also as a part of the samples; how many are named; samples that
are looked at, and the fewest; features up to which gaps are those of logarithms."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """What speaks for each number of clusters, and what the candidates would give."""

    gaps: pd.DataFrame  # task, k, gap: by how much the k-th eigenvalue exceeds the next
    table: pd.DataFrame  # task, clusters, sizes, agreement (adjusted Rand index with k-means), note
    labels: dict  # (task, k) to clusters of the samples that were looked at
    Xs: dict  # task to these samples, of views to those of the first

    def agreeing(self, known=()) -> list[int]:
        """The candidate of each task whose clusters agree most with those of k-means, to begin with; of those
        that agree equally the one at the larger gap.  A number of `known`, one per task, stays, but for 0.

        Raises DataFileError where another task has none: fewer than four samples, or equal ones only.
        """
        given = dict(zip(self.Xs, known))
        for task, X in self.Xs.items():
            if not given.get(task) and task not in set(self.table["task"]):
                found = (f"{X.shape[0]} sample{'s' * (X.shape[0] > 1)}, too few" if X.shape[0] < LEAST else
                         "only equal samples, too alike")
                raise DataFileError(f"{task}: has {found} to propose a number of clusters; give n_clusters"
                                    f"{', one for each task' * (len(self.Xs) > 1)}")
        best = self.table.merge(self.gaps, left_on=["task", "clusters"], right_on=["task", "k"])
        best = best.sort_values(["agreement", "gap", "clusters"], ascending=[False, False, True])
        best = best.drop_duplicates("task").set_index("task")["clusters"]
        return [int(given.get(task) or best[task]) for task in self.Xs]


def candidates(data, seed=0) -> Candidates:
    """Candidates for each task, or for all views together; a random 5,000 of its samples stand for more."""
    views = data.kind == "multiview"
    groups = {"all views": data.Xs} if views else {name: [X] for name, X in zip(data.task_names, data.Xs)}
    gaps, rows, labels, seen = [], [], {}, {}
    for (task, Xs), own in zip(groups.items(), spawn_seeds(seed, len(groups))):
        drawn = np.sort(np.random.default_rng(own).permutation(Xs[0].shape[0])[:SAMPLES])
        Xs = [X[drawn].astype(float) for X in Xs]  # squares may leave single precision
        seen[task] = Xs[0]
        if len(drawn) < LEAST or all(abs(X.max(axis=0) - X.min(axis=0)).max() == 0 for X in Xs):
            continue
        part = f"{SAMPLES} of the samples" if groups[task][0].shape[0] > SAMPLES else ""
        values, V = _embedded(Xs, own)
        seen_as = np.log(1.1 - values) if sum(X.shape[1] for X in Xs) <= PLANE else -values
        falls = np.round(np.diff(seen_as[1:]), 9)  # from two clusters on
        gaps += [{"task": task, "k": k, "gap": gap} for k, gap in enumerate(falls, 2)]
        for k in np.sort(2 + np.argsort(-falls, kind="stable")[:CANDIDATES]).tolist():
            kmeans = KMeans(k, n_init=3, random_state=own % 2**32)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # copies of samples; sizes show it
                labels[task, k] = found = kmeans.fit_predict(unit_rows(V[:, :k]))
                plain = kmeans.fit_predict(side_by_side(Xs))
            sizes = " ".join(map(str, sorted(np.bincount(found))[::-1]))
            rows.append({"task": task, "clusters": k, "sizes": sizes,
                         "agreement": round(adjusted_rand_index(found, plain), 2) + 0.0,
                         "note": EDGE if k in (2, len(falls) + 1) else part})
    columns = ["task", "clusters", "sizes", "agreement", "note"]
    return Candidates(pd.DataFrame(gaps), pd.DataFrame(rows, columns=columns), labels, seen)


def _embedded(Xs, seed):
    """Leading eigenvalues, one more than the largest number of clusters, and their vectors."""
    n, rank = Xs[0].shape[0], ranks(Xs)
    Xs = [unit_samples(X) if sp.issparse(X) else X for X in Xs]
    graphs = [NormalizedMatrix(among_filled(_joined, X, rank)) for X in Xs]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateSubspaceWarning)  # for few clusters of many, as it must be
        values, V = spectral_embedding(WeightedSum(graphs, [1 / len(Xs)] * len(Xs)),
                                       max(2, min(MOST, n // SHARE)) + 1, seed)
    return np.nan_to_num(values), V


def _joined(X, rank):
    """The graph of a view, CSR (n, n) of 0 and 1; ties are broken by content, see ``nearest_distances``."""
    n, count = X.shape[0], min(NEIGHBOURS, X.shape[0] - 1)
    if not count:
        return sp.csr_array((1, 1))
    indices, ends = nearest_distances(X, count, rank)[1], count * np.arange(n + 1)
    graph = sp.csr_array((np.ones(n * count), indices.ravel(), ends), shape=(n, n))
    return graph.maximum(graph.T)
