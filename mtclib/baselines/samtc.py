"""SAMTC: self-adapted multi-task clustering (Zhang, Zhang, Liu, IJCAI 2016), a reconstruction.

Which clusters of two tasks are related is told by a divergence, and how much by kernel mean matching (Huang,
Smola, Gretton, Borgwardt, Schoelkopf, NIPS 2006) with the cosine kernel.
"""

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.special import entr
from sklearn.preprocessing import normalize

from mtclib.core.base import DegenerateSubspaceWarning, Fit, MultiTaskClusterer, Traits, spawn_seeds
from mtclib.core.checks import COUNT, NONNEGATIVE
from mtclib.core.errors import tell
from mtclib.core.starts import best_kmeans, one_hot
from mtclib.maths.eigen import spectral_embedding
from mtclib.maths.graphs import NormalizedMatrix
from mtclib.maths.linalg import unit_rows, unit_samples
from mtclib.maths.neighbours import nearest, shared
from mtclib.maths.simplex import gap, project_capped

# Divergences that agree to so many decimals are equal: rounding must not pair clusters.
DECIMALS = 10
# As in the experiments of Huang et al.: largest weight of a sample, and their rule for the total.
LARGEST_WEIGHT = 1000.0
ACCURACY = 1e-7
LARGEST_ITERATIONS = 50_000
CHECK_EVERY = 10
ROUNDING = 1e-12


def match_mean(U, target):
    r"""Weights under which the mean of some samples comes nearest to a given mean, and the distance left.

    With n rows u_i, minimises :math:`\|\frac1n \sum_i b_i u_i - m\|^2` over :math:`0 \le b_i \le 1000`
    and :math:`|\sum_i b_i - n| \le n \epsilon` with :math:`\epsilon = 1 - 1/\sqrt n`.  Solved for
    w = b / n by accelerated projected gradients with restarts, until the Frank-Wolfe gap proves that the
    squared distance is within 1e-7 of its minimum, relative to the squared length of the target;
    FloatingPointError if that is not reached in 50,000 iterations.  U, (n, d), is CSR and nonnegative, with
    rows of unit length, or zero, but not all zero; nor is the target m, (d,).
    """
    n, UT = U.shape[0], U.T.tocsr()
    slack = 1.0 - n**-0.5
    bounds = (LARGEST_WEIGHT / n, 1.0 - slack, 1.0 + slack)
    # Of a nonnegative matrix the largest row sum is no less than the largest eigenvalue.
    step = 1.0 / (U @ (UT @ np.ones(n))).max()
    enough = 0.5 * ACCURACY * (target @ target)
    w = ahead = project_capped(np.full(n, 1.0 / n), *bounds)
    inertia = 1.0
    for i in range(LARGEST_ITERATIONS):
        gradient = U @ (UT @ ahead - target)
        new = project_capped(ahead - step * gradient, *bounds)
        if i % CHECK_EVERY == 0 and gap(U @ (UT @ new - target), new, *bounds) <= enough:
            return n * new, float(np.linalg.norm(UT @ new - target))
        turned = gradient @ (new - w) > 0
        inertia, last = (1.0, 1.0) if turned else ((1.0 + np.sqrt(1.0 + 4.0 * inertia**2)) / 2.0, inertia)
        ahead, w = new + (last - 1.0) / inertia * (new - w), new
    raise FloatingPointError(f"kernel mean matching of {n} samples did not converge; use fewer samples, or "
                             f"leave out near copies")


Part = namedtuple("Part", ["labels", "embedding", "inertia", "n_iter"])  # of the clustering of one task


@dataclass
class Link:
    """What task t takes from task s: pairs of related clusters, rows of the subtask (t|s), and e_ts."""

    clusters: np.ndarray
    rows: np.ndarray
    relatedness: float = 0.0


def relate_tasks(Us, indicators):
    """Steps 1 and 2 for all ordered pairs of tasks: a dict from (t, s) to Link.  U_t, (n_t, d), are CSR and
    nonnegative, with rows of unit length, or zero; indicators (n_t, k_t) one-hot."""
    sums = [H.T @ U for H, U in zip(indicators, Us)]
    pairs = [(t, s) for t in range(len(Us)) for s in range(len(Us)) if t != s]
    links = {}
    for t, s in pairs:
        clusters = mutual_nearest(jensen_shannon(sums[t], sums[s]))
        links[t, s] = Link(clusters, np.flatnonzero(indicators[t][:, clusters[:, 0]].any(axis=1)))
    for t, s in pairs:
        links[t, s].relatedness = relatedness(Us[t][links[t, s].rows], Us[s][links[s, t].rows])
    return links


def jensen_shannon(P, Q):
    """Jensen-Shannon divergences, with natural logarithms, between distributions given by their weights.
    Rows of P, (k, d), and Q, (m, d), nonnegative, need not sum to 1.  The result, (k, m), is in 0 .. ln 2;
    infinite where a row is zero."""
    P, Q = (normalize(np.asarray(A), norm="l1") for A in (P, Q))
    own = entr(P).sum(axis=1)[:, None] + entr(Q).sum(axis=1)
    mixed = np.array([[entr((p + q) / 2.0).sum() for q in Q] for p in P])
    known = P.any(axis=1)[:, None] & Q.any(axis=1)
    return np.where(known, np.maximum(mixed - own / 2.0, 0.0), np.inf)


def mutual_nearest(D):
    """Pairs (z, l), (n_pairs, 2), for which D[z, l] is finite and the least of its row and of its column.
    The least entry of D is always such a pair; among equals the first of a row or column counts, so that the
    pairs are a matching."""
    D = D.round(DECIMALS)
    z = np.arange(len(D))
    nearest_column = D.argmin(axis=1)
    chosen = (D.argmin(axis=0)[nearest_column] == z) & np.isfinite(D[z, nearest_column])
    return np.column_stack([z, nearest_column])[chosen]


def relatedness(U, V):
    """e_ts from the samples of two subtasks: how much of the mean of ``U`` a weighted mean of ``V`` meets.
    Both are as in `relate_tasks`.  In 0 .. 1; 0 if either is empty."""
    if not U.nnz or not V.nnz:
        return 0.0
    target = np.asarray(U.sum(axis=0)).ravel() / U.shape[0]
    _, distance = match_mean(V, target)
    return max(0.0, 1.0 - distance / float(np.linalg.norm(target)))


class SAMTC(MultiTaskClusterer):
    r"""Self-adapted multi-task clustering: neighbours in related parts of other tasks join two samples.

    The compared method "SAMTC" of the MTCMRL paper.  Each task is first clustered alone.  Then

    1. for each pair of tasks, clusters z and l are related if each is the other's nearest by the
       Jensen-Shannon divergence of their word distributions; all samples of such clusters form the
       subtasks (t|s) of t and (s|t) of s;
    2. the relatedness :math:`e_{ts}` is :math:`1 - r / r_0`, at least 0: :math:`r` is the distance between
       the mean of (t|s) and the mean of (s|t) under the best weights by kernel mean matching, and
       :math:`r_0` the length of the former;
    3. the similarity

       .. math:: S_t(i, j) = |N_t(i) \cap N_t(j)| / k + \sum_s e_{ts} |N_s(i) \cap N_s(j)| / k'

       counts the neighbours that i and j share: :math:`N_t(i)` holds :math:`k` neighbours in t, and
       :math:`N_s(i)` holds :math:`k'` neighbours in (s|t), for i in (t|s) alone; spectral clustering of
       :math:`S_t` gives the labels of t.  Equally near samples share the last places, so that the order of
       rows decides nothing.

    Reconstruction: the abstract of the 2016 paper and the MTCMRL paper state the steps, not their formulas.
    Of this kind are the word distributions (sums of the rows at unit length; the original cites kernel
    density estimates), mutual nearest clusters, the cosine kernel and the bounds of kernel mean matching,
    :math:`e_{ts}`, :math:`S_t`, and the start (spectral clustering of the first term of :math:`S_t`).  As
    stated are the order of the steps, their tools, cosine neighbours, and the two numbers of neighbours with
    their grid.  Some pair of clusters is always related, and :math:`e_{ts}` is seldom 0 between texts, so
    that tasks with no topic in common still act on each other.  Lengths of rows do not matter.

    Time grows as n^2: n up to about 20,000 (all tasks together; in 8 GB).

    Parameters
    ----------
    n_clusters : int, or list of int with one per task
    n_neighbors : int, default 30
        :math:`k`; at most n_t - 1 are used, and only samples of positive cosine.  The MTCMRL paper searches
        30, 60, 90 and 120.  Near n_t - 1 all samples share all neighbours and :math:`S_t` says nothing.
    n_neighbors_across : int, default 30
        :math:`k'`; at most the samples of (s|t).  Same grid.  Near their number, all of (t|s) share all
        neighbours and clusters of t that were told apart are drawn together.
    transfer : float >= 0, default 1.0
        Factor of all :math:`e_{ts}`.  0 clusters each task alone.
    n_starts, max_iter, seeding : int, int, and {'greedy', 'plain', 'random'}, default 10, 300 and 'greedy'
        Starts of k-means in each spectral clustering, its iterations, and where it starts; see
        :func:`mtclib.core.starts.best_kmeans`.  One start gives the spread over runs that the papers print.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
    initial_labels_ : list of ndarray of shape (n_t,), int
        Each task alone.
    related_clusters_ : dict
        From (t, s) to the pairs (z, l) of related clusters, int array of shape (m, 2), numbers in
        ``initial_labels_``.
    relatedness_ : ndarray of shape (T, T)
        :math:`e_{ts}` before ``transfer``, in 0 .. 1 with a unit diagonal; not symmetric.
    embedding_ : list of ndarray of shape (n_t, k_t)
        Unit or zero rows.
    objective_ : ndarray of shape (1,)
        Total inertia of k-means in the embedding; there is no history.
    n_iter_, converged_ : int and bool
        Largest number of k-means iterations, and whether k-means converged.

    Warns
    -----
    DegenerateSubspaceWarning
        If the graph of a task has more components than clusters, or if all its samples share all neighbours,
        so that its own clusters hang on the last bit of the data.

    References
    ----------
    X. Zhang, X. Zhang, H. Liu. Self-Adapted Multi-Task Clustering. IJCAI 2016, 2357-2363.

    Examples
    --------
    >>> words = np.kron(np.eye(3), np.ones((12, 4))) + 0.1
    >>> model = SAMTC(2, n_neighbors=5, n_neighbors_across=5, random_state=0)
    >>> labels = model.fit([words[:24], words[12:]]).labels_
    >>> np.bincount(labels[0]).tolist(), model.related_clusters_[0, 1].shape
    ([12, 12], (1, 2))
    """

    traits = Traits(kind="multitask", paper="Zhang, Zhang, Liu, IJCAI 2016", nonnegative=True,
                    monotone=False, task_order_free=True, reconstruction=True, graph=True)
    ALGORITHM_VERSION = 2
    rules = {"n_neighbors": COUNT, "n_neighbors_across": COUNT, "n_starts": COUNT, "transfer": NONNEGATIVE}

    def __init__(self, n_clusters, *, n_neighbors=30, n_neighbors_across=30, transfer=1.0, n_starts=10,
                 max_iter=300, seeding="greedy", random_state=None):
        self.n_clusters, self.n_neighbors = n_clusters, n_neighbors
        self.n_neighbors_across, self.transfer, self.n_starts = n_neighbors_across, transfer, n_starts
        self.max_iter, self.seeding, self.random_state = max_iter, seeding, random_state

    def _prepare(self, Xs, n_clusters):
        # One form of the data, so that rounding is the same for dense and sparse input.
        Us = [unit_samples(sp.csr_array(X)) for X in Xs]
        own = [own_neighbours(U, self.n_neighbors) for U in Us]
        flat = [t + 1 for t, (each, k) in enumerate(zip(own, n_clusters))
                if 1 < k < Us[t].shape[0] and all_equal(similarity(*each))]
        if flat:
            tell(f"n_neighbors={self.n_neighbors}: all samples of task(s) {flat} share all "
                 f"neighbours, so that only rounding tells clusters apart; use fewer",
                 DegenerateSubspaceWarning)
        return Us, own

    def _fit_once(self, prepared, n_clusters, seed):
        Us, own = prepared
        seeds = spawn_seeds(seed, self.n_starts)
        initial = [self._cluster(similarity(*each), k, seeds) for each, k in zip(own, n_clusters)]
        links = relate_tasks(Us, [one_hot(part.labels, k) for part, k in zip(initial, n_clusters)])
        parts = [self._cluster(self._similarity(Us, own, links, t), n_clusters[t], seeds)
                 for t in range(len(Us))]
        most, related = max(part.n_iter for part in (*initial, *parts)), np.eye(len(Us))
        for pair, link in links.items():
            related[pair] = link.relatedness
        inertia = sum(part.inertia for part in parts)
        return Fit([part.labels for part in parts], [inertia], most < self.max_iter, {
            "initial_labels_": [part.labels for part in initial],
            "related_clusters_": {pair: link.clusters for pair, link in links.items()},
            "relatedness_": related, "embedding_": [part.embedding for part in parts], "n_iter_": most})

    def _similarity(self, Us, own, links, t):
        """S_t, ndarray of shape (n_t, n_t)."""
        S = similarity(*own[t])
        for (first, s), link in links.items():
            weight = float(self.transfer) * link.relatedness
            if first == t and weight > 0:
                rows, others = link.rows, links[s, t].rows
                k = min(self.n_neighbors_across, len(others))
                places = sp.csr_array((np.ones(len(rows)), (rows, np.arange(len(rows)))), (len(S), len(rows)))
                neighbours = places @ nearest(Us[t][rows], Us[s][others], k)
                neighbours.sort_indices()  # the order in which shares are added decides their last bit
                S += (weight / k) * shared(neighbours)
        return S

    def _cluster(self, S, n_clusters, seeds):
        V = unit_rows(spectral_embedding(NormalizedMatrix(S), n_clusters, seeds[0])[1])
        model = best_kmeans(V, n_clusters, seeds, self.max_iter, self.seeding)
        return Part(model.labels_.astype(np.intp), V, float(model.inertia_), int(model.n_iter_))


def own_neighbours(U, n_neighbors):
    """Neighbours within a task, as :func:`nearest` gives them, and their number k."""
    k = max(min(n_neighbors, U.shape[0] - 1), 1)
    return nearest(U, U, k, same=True), k


def similarity(neighbours, k):
    """The first term of S_t: shares of common neighbours within a task, ndarray of shape (n, n)."""
    return shared(neighbours) * (1.0 / k)


def all_equal(S):
    """Whether the entries of S (n, n), n > 1, beside the diagonal are positive and differ by rounding."""
    others = S[~np.eye(len(S), dtype=bool)]
    return others.all() and np.ptp(others) < ROUNDING
