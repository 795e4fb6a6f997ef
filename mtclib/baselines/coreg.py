"""CoregSpectral: co-regularised spectral clustering (Kumar, Rai, Daume, NIPS 2011)."""

import numpy as np

from mtclib.core.base import Fit, MultiViewClusterer, Traits
from mtclib.core.checks import check_number
from mtclib.core.starts import best_kmeans
from mtclib.maths.eigen import end_of_spectrum, leading, top_eigenvectors
from mtclib.maths.graphs import GRAPH_PARAMETERS, view_graphs
from mtclib.maths.linalg import polar, unit_rows

# Frobenius norm of the residuals of the eigenvectors; an eigenvalue is off by about its square over the gap.
# A start does with the coarse one.
COARSE, RESIDUAL = 1e-3, 1e-5
# Sweeps that a step beyond the last one is made of, and the share below which their changes are dependent.
DEPTH, DEPENDENT = 8, 1e-14
# Condition of a step from which on the images of the sweeps lose too many digits.
STRETCHED = 1e3


class CoregSpectral(MultiViewClusterer):
    r"""Co-regularised spectral clustering: one embedding per view, drawn to agree with the others.

    With :math:`K_v` the normalised affinities of view v and :math:`U_v` of shape (n, k) with orthonormal
    columns, the method maximises, for the scheme 'pairwise',

    .. math:: \sum_v \operatorname{tr}(U_v^\top K_v U_v) + \lambda \sum_{v < w} \|U_v^\top U_w\|^2

    and for the scheme 'centroid', with a consensus :math:`U_*`,

    .. math:: \sum_v \operatorname{tr}(U_v^\top K_v U_v) + \sum_v \lambda_v \|U_v^\top U_*\|^2.

    Given the others, :math:`U_v` is made of the k leading eigenvectors of :math:`K_v` plus the projections
    that it is drawn to, and :math:`U_*` of the k leading eigenvectors of
    :math:`\sum_v \lambda_v U_v U_v^\top`.  These sweeps over the views creep where :math:`\lambda`, here
    ``lam``, is large against the eigenvalues of :math:`K_v`, so that the result depends on the start.  After
    each of them goes Anderson's step (1965), which in a tenth of the sweeps leads to where they lead.  These
    are the compared methods "PairwiseSC" and "CentroidSC" of the MSPL paper and "Coreg" of the LMSC paper,
    which name neither affinity nor ``lam``.

    Beyond a few hundred samples no (n, n) array is decomposed: each :math:`U_v` comes from a block iteration
    that starts from its last value.  Time grows as n^2: n up to about 10,000 (in 8 GB).

    Parameters
    ----------
    n_clusters : int
        k.
    scheme : {'centroid', 'pairwise'}, default 'centroid'
    lam : float > 0, or list with one per view for 'centroid', default 0.1
        Weight of agreement; each pair of views counts once.  The eigenvalues of :math:`K_v` are at
        most 1, those of full Gaussian affinities often far below.
    affinity : {'gaussian', 'cosine', 'auto', 'knn', 'knn-cosine'}, callable or list, default 'gaussian'
        See ``graphs.normalized_affinities``.  'gaussian' is Kumar et al.'s; 'auto', neighbours by cosine
        for views of mostly zeros and by distance for others, is what :mod:`mtclib.companion` takes for a
        user's own data.
    scale : {'median', 'mean', 'self-tuning'} or float > 0, default 'median'
        Width of 'gaussian'; 'self-tuning' also of neighbours.
    n_neighbors : int or 'log', default 10
        Of the affinities of neighbours; 'log' is floor(log2 n) + 1.
    scaling : str, default 'none'
        Of features and views, before the affinities; see :func:`mtclib.maths.scaling.scale_views`.
    init : {'best', 'views', 'average'}, default 'best'
        Start: the eigenvectors of each view, as in the paper; those of the sum of the :math:`K_v` for all
        views; or whichever of the two has the larger objective.
    view : int or None, default None
        Cluster the rows of :math:`U_v` of this view, counted from 0.  None: of :math:`U_*` ('centroid') or of
        all :math:`U_v` side by side ('pairwise').
    n_init, seeding : int, and {'greedy', 'plain', 'random'}, default 10 and 'greedy'
        Starts of k-means, and where; see :func:`mtclib.core.starts.best_kmeans`.
    max_iter : int, default 300
        Sweeps over the views.
    tol : float, default 1e-7
        Stop when three sweeps together raise the sum by less than this share.  On pages of four universities
        and on planted views about that share or less was left.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    labels_ : ndarray of shape (n,), int
    embedding_ : ndarray of shape (n, h)
        What k-means saw: rows of unit length, or zero.
    view_embeddings_ : list of ndarray of shape (n, k)
        :math:`U_v`, determined up to a rotation.
    consensus_ : ndarray of shape (n, k)
        :math:`U_*`; for 'pairwise' the leading eigenvectors of :math:`\sum_v U_v U_v^\top`.
    objective_ : ndarray of shape (n_iter,)
        Minus the sum above, after each sweep; it never rises.
    n_iter_, converged_ : int and bool

    Warns
    -----
    DegenerateSubspaceWarning
        If the graph of a view has more components than clusters.

    References
    ----------
    A. Kumar, P. Rai, H. Daume III. Co-regularized Multi-view Spectral Clustering. NIPS 2011.

    H. F. Walker, P. Ni. Anderson Acceleration for Fixed-Point Iterations. SIAM J. Numer. Anal. 49, 2011.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> means = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])[np.arange(60) % 3]
    >>> views = [means + rng.normal(size=(60, 2)), means + rng.normal(size=(60, 2))]
    >>> np.bincount(CoregSpectral(n_clusters=3, random_state=0).fit(views).labels_).tolist()
    [20, 20, 20]
    """

    traits = Traits(kind="multiview", paper="Kumar, Rai, Daume, NIPS 2011", graph=True)
    ALGORITHM_VERSION = 4
    rules = {**GRAPH_PARAMETERS, "scheme": ("centroid", "pairwise"), "init": ("best", "views", "average")}

    def __init__(self, n_clusters, *, scheme="centroid", lam=0.1, affinity="gaussian", scale="median",
                 n_neighbors=10, scaling="none", init="best", view=None, n_init=10, max_iter=300, tol=1e-7,
                 seeding="greedy", random_state=None):
        self.n_clusters, self.scheme, self.lam, self.affinity = n_clusters, scheme, lam, affinity
        self.scale, self.n_neighbors, self.scaling, self.init = scale, n_neighbors, scaling, init
        self.view, self.n_init, self.max_iter, self.tol = view, n_init, max_iter, tol
        self.seeding, self.random_state = seeding, random_state

    def _check_input(self, Xs):
        Xs, n_clusters = super()._check_input(Xs)
        self._strengths(len(Xs))
        return Xs, n_clusters

    def _strengths(self, n_views):
        """lam of each view, ndarray of shape (n_views,)."""
        several = isinstance(self.lam, (list, tuple)) or (isinstance(self.lam, np.ndarray) and self.lam.ndim)
        if not several:
            check_number("lam", self.lam, low=0, open_low=True)
            return np.full(n_views, float(self.lam))
        if self.scheme == "pairwise" or len(self.lam) != n_views:
            raise ValueError(f"lam must be one number, or for scheme='centroid' a list with one per view "
                             f"({n_views} of them); got {self.lam!r}")
        for v, value in enumerate(self.lam):
            check_number(f"lam[{v}] (view {v + 1})", value, low=0, open_low=True)
        return np.array(self.lam, dtype=float)

    def _prepare(self, Xs, n_clusters):
        return view_graphs(self, Xs)

    def _fit_best(self, graphs, n_clusters, seeds):
        scheme = {"pairwise": Pairwise, "centroid": Centroid}[self.scheme]
        problem = scheme([graph.block(np.arange(graph.shape[0])) for graph in graphs],
                         [leading(graph, n_clusters, seeds[0]) for graph in graphs],
                         self._strengths(len(graphs)))
        Us, history, converged = alternate(problem, self.init, self.max_iter, self.tol)
        consensus = problem.consensus(Us)
        Z = unit_rows(problem.result(Us, consensus) if self.view is None else Us[self.view])
        model = best_kmeans(Z, n_clusters, seeds, seeding=self.seeding)
        return Fit(model.labels_.astype(np.intp), history, converged,
                   {"embedding_": Z, "view_embeddings_": Us, "consensus_": consensus})


class Pairwise:
    """The pairwise scheme: arrays or operators K_v, their leading eigenvectors (n, k), and lambda_v.

    Embeddings U_v go together with their ``images`` K_v U_v, which the eigensolver knows.
    """

    def __init__(self, Ks, bases, lams):
        self.Ks, self.bases, self.lams = Ks, bases, lams

    def objective(self, Us, images):
        """The sum to be maximised."""
        return sum(map(np.vdot, Us, images)) + self.agreement(Us)

    def agreement(self, Us):
        """The second sum, lambda included."""
        return self.lams[0] * sum(np.sum((Us[v].T @ Us[w]) ** 2) for v in range(len(Us)) for w in range(v))

    def consensus(self, Us):
        """Leading eigenvectors of sum_v lam_v U_v U_v^T, from the thin matrix of all U_v."""
        weighted = np.hstack([lam**0.5 * U for lam, U in zip(self.lams / self.lams.max(), Us)])
        # Its k-th singular value is at least 1, and none is above the root of their number.
        squares, V = end_of_spectrum(weighted.T @ weighted, Us[0].shape[1])
        return weighted @ (V / np.sqrt(squares))[:, ::-1]

    def result(self, Us, consensus):
        """What is clustered: all U_v side by side."""
        return np.hstack(Us)

    def sweep(self, Us, accuracy):
        """All U_v, one after the other, and their images."""
        Us, images = list(Us), []
        for v in range(len(Us)):
            others = np.hstack([Us[v][:, :0], *Us[:v], *Us[v + 1:]])
            Us[v], image = self.update(v, Us[v], others, accuracy)
            images.append(image)
        return Us, images

    def update(self, v, U, F, accuracy):
        """Leading eigenvectors of K_v + lam_v F F^T, from U_v, and their image.

        The trial space holds U_v, so that the objective cannot fall, F, and the leading eigenvectors of K_v.
        A vector orthogonal to the last two and their images is at best as good for the operator as the k-th
        eigenvalue of K_v, which the k-th of the operator is at least: no leading vector is missed.
        """
        K, lam = self.Ks[v], self.lams[v]
        _, U, whole = top_eigenvectors(lambda S: K @ S + lam * (F @ (F.T @ S)),
                                       np.hstack([U, F, self.bases[v]]), U.shape[1], accuracy, images=True)
        return U, whole - lam * (F @ (F.T @ U))


class Centroid(Pairwise):
    """The centroid scheme; U* is a function of the U_v, and the objective is the one at that U*."""

    def agreement(self, Us):
        """The second sum at the best U*, lambda included."""
        consensus = self.consensus(Us)
        return sum(lam * np.sum((U.T @ consensus) ** 2) for lam, U in zip(self.lams, Us))

    def result(self, Us, consensus):
        """What is clustered: U*."""
        return consensus

    def sweep(self, Us, accuracy):
        """All U_v for one U*, and their images."""
        consensus = self.consensus(Us)
        return zip(*(self.update(v, U, consensus, accuracy) for v, U in enumerate(Us)))


def alternate(problem, init, max_iter, tol):
    """Sweeps, with a step beyond each: U_v (n, k), minus the objective after each, converged.

    A sweep takes away little of the error in some directions, and much in others; what the last sweeps did
    tells how far to go in each.  Where that step raises the objective by nothing, the sweep alone counts.
    """
    starts = [problem.bases] if init in ("best", "views") else []
    if init in ("best", "average"):
        _, together, _ = top_eigenvectors(lambda S: sum(K @ S for K in problem.Ks), np.hstack(problem.bases),
                                          problem.bases[0].shape[1], COARSE)
        starts.append([together] * len(problem.Ks))
    Us, images = max(((Us, [K @ U for K, U in zip(problem.Ks, Us)]) for Us in starts),
                     key=lambda start: problem.objective(*start))
    values, last, turns, converged = [-problem.objective(Us, images)], None, [], False
    while not converged and len(values) <= max_iter:
        found = []
        for U, new, image in zip(Us, *problem.sweep(Us, RESIDUAL)):
            turn = polar(new.T @ U)
            found.append((new @ turn - U, new @ turn, image @ turn))
        before, last = last, np.stack(found, axis=1)
        turns = [] if before is None else [*turns[-DEPTH + 1:], last - before]
        Us, images = beyond(problem, last, turns)
        values.append(-problem.objective(Us, images))
        if values[-1] > values[-2]:
            (_, Us, images), last = last, None
            values[-1] = -problem.objective(Us, images)
        converged = len(values) > 3 and values[-4] - values[-1] <= tol * abs(values[-1])
    return list(Us), values[1:], converged


def beyond(problem, last, turns):
    """Orthonormal U_v (n, k) beyond the last sweep, and their images.

    ``last`` has what the sweep changed of the U_v, the U_v after it, and their images, (3, V, n, k);
    ``turns`` are the differences of such arrays from one sweep to the next.  Anderson's step: of the
    combinations of all sweeps, with weights of sum 1, the one of the least change.
    """
    moved = last[1:].copy()
    if turns:
        changes = np.array([turn[0].ravel() for turn in turns])
        # Of columns of equal length even the small system keeps the digits that a step needs.
        lengths = np.maximum(np.linalg.norm(changes, axis=1), np.finfo(float).tiny)
        changes /= lengths[:, None]
        weights = np.linalg.lstsq(changes @ changes.T, changes @ last[0].ravel(), rcond=DEPENDENT)[0]
        for weight, turn in zip(weights / lengths, turns):
            moved -= weight * turn[1:]
    Us, images = [], []
    for K, U, image in zip(problem.Ks, *moved):
        Us.append(polar(U, U))
        stretch = Us[-1].T @ U
        exact = np.linalg.cond(stretch) > STRETCHED
        images.append(K @ Us[-1] if exact else np.linalg.solve(stretch.T, image.T).T)
    return Us, images
