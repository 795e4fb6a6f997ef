"""Readings of MBC's coupling, tried side by side: a plain transcription that a search can vary.

`mtclib.mbc` follows the relaxed problem of the paper, Eq. (10)-(15).  The printed rows of MBC are higher on
some sets; each choice here is one that the text leaves open or words in two ways.
"""

from itertools import product

import numpy as np
from scipy.spatial.distance import cdist

from mtclib.core.base import Fit, MultiTaskClusterer, Traits
from mtclib.core.starts import random_labels
from mtclib.maths.transport import transport_plan
from mtclib.metrics import adjusted_rand_index, normalized_mutual_info, partition_emd

TOL = 1e-6
SWEEPS = 100


def values_of_couplings(data, further):
    """Scores and d_M of MBC in each of ``runs`` fits for each coupling, a search's ``values``."""
    names, (n_runs,) = ("masses", "pull", "first", "start"), further["runs"]
    for choice in (dict(zip(names, chosen)) for chosen in product(*(further[name] for name in names))):
        reading = MBCReading(data.n_clusters, **choice)
        runs = [_scores(data, reading._fit_once(data.Xs, data.n_clusters, run).labels)
                for run in range(n_runs)]
        yield choice, {key: [one[key] for one in runs] for key in runs[0]}


def _scores(data, labels):
    found = {("", "MBC", "d_M"): 1000 * partition_emd(data.Xs[0], labels[0], data.Xs[1], labels[1])}
    for t, (truth, mine) in enumerate(zip(data.labels, labels)):
        found[str(t + 1), "MBC", "NMI"] = normalized_mutual_info(truth, mine, average_method="geometric")
        found[str(t + 1), "MBC", "ARI"] = adjusted_rand_index(truth, mine)
    return found


class MBCReading(MultiTaskClusterer):
    """Algorithm 1 for two tasks and the squared Euclidean distance; `mtclib.MBC` is the one to use. ``pull``
    of the other task on a centroid is "mass", the entries of W as in Eq. (14), or "row", entries that sum to
    lambda; with `exchanges` the linear programme of each sweep is stopped after so many steps."""

    traits = Traits(kind="multitask", paper="Zhang, Zhang, AAAI 2010")
    max_iter = SWEEPS

    def __init__(self, n_clusters, *, masses="uniform", pull="mass", first="relations", start="own", lam=0.5,
                 exchanges=None, random_state=None):
        self.n_clusters, self.random_state, self.lam = n_clusters, random_state, lam
        self.masses, self.pull, self.first, self.start, self.exchanges = masses, pull, first, start, exchanges

    def _fit_once(self, Xs, n_clusters, seed):
        rngs = [np.random.default_rng([seed, t * (self.start == "own")]) for t in range(len(Xs))]
        labels = [random_labels(X.shape[0], k, rng) for X, k, rng in zip(Xs, n_clusters, rngs)]
        centroids = [_means(X, h, k, np.zeros((k, X.shape[1]))) for X, h, k in zip(Xs, labels, n_clusters)]
        history, relation = [], None
        for _ in range(SWEEPS):
            if self.first == "relations":
                relation = _relation(centroids, labels, self.masses, self.exchanges, relation)
            labels, loss = _assign(Xs, centroids)
            if self.first == "assignments":
                relation = _relation(centroids, labels, self.masses, self.exchanges, relation)
            for t, W in enumerate((relation, relation.T)):
                centroids[t] = _centroids(
                    Xs[t], labels[t], W, centroids[t], centroids[1 - t], self.lam, self.pull)
            history.append(loss + 2 * self.lam * np.vdot(relation, cdist(*centroids, "sqeuclidean")))
            if len(history) > 1 and abs(history[-2] - history[-1]) <= TOL * abs(history[-1]):
                break
        converged = len(history) < SWEEPS
        return Fit(_assign(Xs, centroids)[0], history, converged, {"cluster_centers_": centroids})


def _relation(centroids, labels, masses, exchanges, before):
    sizes = [np.full(len(U), 1 / len(U)) if masses == "uniform" else np.bincount(h, minlength=len(U)) / len(h)
             for U, h in zip(centroids, labels)]
    cost = cdist(*centroids, "sqeuclidean")
    if exchanges is None:
        return transport_plan(cost, *sizes)
    # Empirical masses move, and the plan of the last sweep no longer has them.
    return exchanged(cost, np.outer(*sizes) if before is None or masses == "empirical" else before, exchanges)


def exchanged(cost, plan, n):
    """A plan of transport after at most `n` steps of descent: of all moves of mass from two of its entries to
    the two that close their rectangle, each takes the one that saves most."""
    plan = plan.copy()
    for _ in range(n):
        saved = cost[:, :, None, None] + cost - cost[:, None, None, :] - cost.T[None, :, :, None]
        moved = np.minimum(plan[:, :, None, None], plan)
        i, k, j, l = np.unravel_index((saved * moved).argmax(), saved.shape)
        mass = moved[i, k, j, l] * (saved[i, k, j, l] > 0)
        plan[[i, j], [k, l]] -= mass
        plan[[i, j], [l, k]] += mass
    return plan


def _assign(Xs, centroids):
    scores = [X @ U.T - 0.5 * np.einsum("ij,ij->i", U, U) for X, U in zip(Xs, centroids)]
    norms = [X.multiply(X).sum() / X.shape[0] for X in Xs]
    return ([each.argmax(axis=1) for each in scores],
            sum(norm - 2 * each.max(axis=1).mean() for norm, each in zip(norms, scores)))


def _sums(X, labels, k):
    return np.asarray((X.T @ np.eye(k)[labels]).T)


def _means(X, labels, k, otherwise):
    counts = np.bincount(labels, minlength=k)[:, None]
    return np.where(counts > 0, _sums(X, labels, k) / np.maximum(counts, 1), otherwise)


def _centroids(X, labels, W, own, foreign, lam, pull):
    """Eq. (15); a centroid that nothing pulls stays."""
    if pull == "row":
        W = W / np.maximum(W.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    weight = np.bincount(labels, minlength=len(own)) / len(labels) + 2 * lam * W.sum(axis=1)
    mixed = _sums(X, labels, len(own)) / len(labels) + 2 * lam * W @ foreign
    return np.where(weight[:, None] > 0, mixed / np.maximum(weight, np.finfo(float).tiny)[:, None], own)
