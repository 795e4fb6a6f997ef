"""Consensus of several clusterings, of tasks and of views: spectral clustering of their stacked labels."""

from functools import partial
from typing import ClassVar

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.linalg import svd
from scipy.spatial.distance import squareform
from sklearn.base import BaseEstimator, clone
from sklearn.metrics.pairwise import euclidean_distances

from mtclib.baselines.adapters import side_by_side
from mtclib.baselines.kmeans import KMeans
from mtclib.baselines.spectral_njw import SpectralNJW
from mtclib.baselines.wmsc import WMSC
from mtclib.core.base import LOST_ARE_TOLD, Fit, MultiTaskClusterer, MultiViewClusterer, Traits
from mtclib.core.checks import check_option
from mtclib.core.errors import tell
from mtclib.core.shield import NumericalError
from mtclib.core.starts import best_kmeans, one_hot
from mtclib.maths.graphs import mostly_zero, normalized_bipartite
from mtclib.maths.linalg import near_origin, unit_rows
from mtclib.metrics import adjusted_rand_index, agreement
from mtclib.metrics.scores import encode

MANY = 5_000
"""Samples of a task beyond which Ward's method, which compares all pairs, is left out."""
DECIMALS = 12  # of squared distances and singular values, as shares of the largest; beyond is rounding


class Ward(BaseEstimator):
    """Agglomerative clustering of each task alone, by Ward's criterion; ``labels_`` is a list."""

    def __init__(self, n_clusters, *, random_state=None):
        self.n_clusters, self.random_state = n_clusters, random_state

    def fit(self, Xs, y=None):
        """Cluster each task; ``labels_`` may have fewer clusters than asked for where heights are equal."""
        self.labels_ = [_ward(X, k) for X, k in zip(Xs, self.n_clusters)]
        return self


def _ward(X, k):
    if X.shape[0] == 1:
        return np.zeros(1, dtype=int)
    squares = euclidean_distances(near_origin(X)[0], squared=True)
    squares = np.round(squares / (squares.max() or 1.0), DECIMALS)
    return fcluster(linkage(squareform(np.sqrt(squares), checks=False), "ward"), k, "maxclust") - 1


MEMBERS = {
    "cosine": partial(SpectralNJW, affinity="cosine"),
    "scales": partial(SpectralNJW, affinity="auto", n_neighbors="scales"),
    "scales by cosine": partial(SpectralNJW, affinity="knn-cosine", n_neighbors="scales"),
    "Ward": Ward, "k-means": partial(KMeans, init="k-means++", n_init=10)}
"""Members by name, each of which takes tasks, or views side by side as one task."""


def _alike(member, Xs):
    """The member whose labels it has: on data of mostly zeros both graphs of scales are by cosine."""
    return "scales" if member == "scales by cosine" and all(map(mostly_zero, Xs)) else member


class _Consensus:
    """What the two have in common."""

    rules: ClassVar = {"weights": ("equal", "agreement")}

    def __init__(self, n_clusters, *, members=None, weights="equal", n_init=10, max_iter=300,
                 seeding="greedy", random_state=None):
        self.n_clusters, self.members, self.weights, self.n_init = n_clusters, members, weights, n_init
        self.max_iter, self.seeding, self.random_state = max_iter, seeding, random_state

    def _check_parameters(self):
        super()._check_parameters()
        given = self._given()
        if not isinstance(given, (list, tuple)) or len(given) < 2:
            raise ValueError(f"members must be a list of two or more names or estimators; got {given!r}")
        for member in given:
            if not hasattr(member, "fit"):
                check_option("members", member, tuple(self.known))

    def _given(self):
        return self.default if self.members is None else self.members

    def _members(self, Xs):
        given = self._given()
        many = max(X.shape[0] for X in Xs) > MANY
        if many and "Ward" in given:
            tell(f"Ward's method compares all pairs of samples: beyond {MANY:,} it is left out")
        return [member for member in given if not (many and isinstance(member, str) and member == "Ward")]

    def _fit_best(self, Xs, n_clusters, seeds):
        members, found = [_alike(member, Xs) for member in self._members(Xs)], []
        told = LOST_ARE_TOLD.set(False)  # those of the consensus are
        try:
            for member in members:
                known = found[members.index(member):][:1]
                run = self._asked if hasattr(member, "fit") else self._run
                found += known or [run(member, Xs, n_clusters, seeds[0])]
        finally:
            LOST_ARE_TOLD.reset(told)
        several = isinstance(found[0], list)
        parts = [self._agreed(labels, k, seeds) for labels, k in zip(
            *((zip(*found), n_clusters) if several else ([found], [n_clusters])))]
        models, attributes = zip(*parts)
        labels = [model.labels_.astype(np.intp) for model in models]
        named = {name: [part[name] for part in attributes] for name in attributes[0]}
        iterations = max(int(model.n_iter_) for model in models)
        return Fit(labels if several else labels[0], [float(sum(model.inertia_ for model in models))],
                   iterations < self.max_iter, {"n_iter_": iterations, **(
                       named if several else {name: values[0] for name, values in named.items()})})

    def _asked(self, member, Xs, n_clusters, seed):
        """Labels by an estimator of the user's own, which may be for other data."""
        try:
            labels = clone(member).set_params(n_clusters=n_clusters, random_state=seed).fit(Xs).labels_
            parts, wanted = (labels, Xs) if self.traits.kind == "multitask" else ([labels], Xs[:1])
            if [np.shape(part) for part in parts] != [X.shape[:1] for X in wanted]:
                raise ValueError("its labels_ are not one of each sample")
            # Clusters may have any names; -1, for samples in none, would count as the last.
            codes = [encode(part, "labels_")[0] for part in parts]
        except NumericalError:
            raise
        except Exception as error:
            raise ValueError(f"members must be estimators of such data; {member!r} failed "
                             f"({type(error).__name__}: {error})") from error
        return codes if parts is labels else codes[0]

    def _agreed(self, labels, k, seeds):
        """k-means of the samples of one task by what members say, and the attributes."""
        pairs = np.array([[adjusted_rand_index(one, other) for other in labels] for one in labels])
        weights = np.ones(len(labels))
        if self.weights == "agreement":
            # Of many samples a single member may be left, which agrees with itself alone.
            weights = np.maximum((pairs.sum(axis=1) - 1) / max(len(labels) - 1, 1), 0.0)
            weights = weights if weights.any() else np.ones(len(labels))
        B = np.hstack([weight * one_hot(codes, codes.max() + 1) for weight, codes in zip(weights, labels)])
        U, sizes, _ = svd(normalized_bipartite(B), full_matrices=False)
        # Where singular values are 0, vectors tell apart samples that no member does.
        U = U[:, :k] * (sizes[:k].round(DECIMALS) > 0)
        model = best_kmeans(unit_rows(U), k, seeds, self.max_iter, self.seeding)
        return model, {"agreement_": agreement(model.labels_, labels), "member_agreement_": pairs,
                       "member_labels_": list(labels), "weights_": weights / weights.sum()}


class ConsensusClustering(_Consensus, MultiTaskClusterer):
    r"""What several clusterings of each task agree on, and how far they agree on each sample.

    Members cluster the tasks.  With :math:`B` (n, sum of their clusters) their labels as indicators side by
    side, each times the weight of its member, the rows of the k leading left singular vectors of

    .. math:: R^{-1/2} B C^{-1/2}, \qquad R = \operatorname{diag}(B 1),\; C = \operatorname{diag}(B^\top 1),

    are scaled to unit length and clustered by k-means: the bipartite graph of samples and clusters of Fern
    and Brodley, for the problem of Strehl and Ghosh.  A consensus is seldom far below its best member, and
    so the choice of those who cannot afford a loss; tasks do not help each other unless a member lets them.

    Time grows as n^2, with the default members: n up to about 15,000 in half a minute.

    Parameters
    ----------
    n_clusters : int, or list of int with one per task
    members : list of str or estimators, default None
        Two or more of 'cosine', 'scales', 'scales by cosine' (:class:`SpectralNJW` with the cosine graph of
        all pairs, with graphs of 10, 30 and 100 neighbours by cosine where data are mostly zeros, or always),
        'Ward', 'k-means' (ten starts), or any estimator that takes tasks, which is cloned.  None: 'scales',
        'scales by cosine', 'Ward' and 'k-means'.
    weights : {'equal', 'agreement'}, default 'equal'
        Of the members; 'agreement': the mean adjusted Rand index with the others, not below 0.
    n_init, max_iter, seeding : int, int, and {'greedy', 'plain', 'random'}, default 10, 300 and 'greedy'
        Starts of k-means, its iterations, and where it starts; see :func:`mtclib.core.starts.best_kmeans`.
    random_state : None, int, Generator or RandomState
        Also of the members.

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
    agreement_ : list of ndarray of shape (n_t,)
        Share of the members that put a sample where the consensus does, in 0 .. 1; clusters correspond by the
        optimal assignment.
    member_agreement_ : list of ndarray of shape (n_members, n_members)
        Adjusted Rand index of each two members.
    member_labels_ : list of list of ndarray of shape (n_t,), int
        What each member found, numbered from 0; what a member of one's own calls -1 is a cluster like others.
    weights_ : list of ndarray of shape (n_members,)
        They sum to 1.
    objective_ : ndarray of shape (1,)
        Total inertia of k-means in the embedding; there is no history.
    n_iter_, converged_ : int and bool
        Of k-means.

    Warns
    -----
    UserWarning
        If a task has more than 5,000 samples: Ward's method, which compares all pairs, is left out.

    References
    ----------
    A. Strehl, J. Ghosh. Cluster Ensembles: A Knowledge Reuse Framework for Combining Multiple Partitions.
    JMLR 3, 2002.

    X. Z. Fern, C. E. Brodley. Solving Cluster Ensemble Problems by Bipartite Graph Partitioning. ICML 2004.

    Examples
    --------
    >>> X = np.kron(np.eye(2), np.ones((5, 3)))
    >>> model = ConsensusClustering(2, random_state=0).fit([X])
    >>> np.ptp(model.labels_[0].reshape(2, 5), axis=1).tolist(), model.agreement_[0].mean().item()
    ([0, 0], 1.0)
    """

    traits = Traits(kind="multitask", paper="Fern, Brodley, ICML 2004", monotone=False, task_order_free=True)
    known = MEMBERS
    default = ("scales", "scales by cosine", "Ward", "k-means")

    def _run(self, member, Xs, n_clusters, seed):
        return MEMBERS[member](n_clusters=n_clusters, random_state=seed).fit(Xs).labels_


class MultiViewConsensus(_Consensus, MultiViewClusterer):
    """:class:`ConsensusClustering` of views: what several clusterings of the same samples agree on.

    Time grows as n^2, with the default members: n up to about 15,000 in half a minute.

    Parameters
    ----------
    n_clusters : int
    members : list of str or estimators, default None
        As of :class:`ConsensusClustering`, on the views side by side; 'WMSC', with neighbours by cosine for
        views of mostly zeros; or any estimator that takes views.  None: 'WMSC', 'Ward' and 'k-means'.
    weights : {'equal', 'agreement'}, default 'equal'
        Of the members.
    n_init, max_iter, seeding, random_state
        As of :class:`ConsensusClustering`.

    Attributes
    ----------
    labels_ : ndarray of shape (n,), int
    agreement_ : ndarray of shape (n,)
    member_agreement_ : ndarray of shape (n_members, n_members)
    member_labels_ : list of ndarray of shape (n,), int
    weights_ : ndarray of shape (n_members,)
    objective_ : ndarray of shape (1,)
    n_iter_, converged_ : int and bool

    Warns
    -----
    UserWarning
        If there are more than 5,000 samples: Ward's method, which compares all pairs, is left out.

    Examples
    --------
    >>> views = 6 * np.eye(3)[np.arange(60) % 3] + np.random.default_rng(0).normal(size=(2, 60, 3))
    >>> np.bincount(MultiViewConsensus(3, random_state=0).fit(views).labels_).tolist()
    [20, 20, 20]
    """

    traits = Traits(kind="multiview", paper="Fern, Brodley, ICML 2004", monotone=False)
    known = ("WMSC", *MEMBERS)
    default = ("WMSC", "Ward", "k-means")

    def _run(self, member, Xs, n_clusters, seed):
        if member == "WMSC":
            return WMSC(n_clusters, affinity="auto", random_state=seed).fit(Xs).labels_
        model = MEMBERS[member](n_clusters=[n_clusters], random_state=seed)
        return model.fit([side_by_side(Xs)]).labels_[0]
