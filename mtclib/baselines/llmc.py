"""LLMC: local learning-based multi-task clustering (Zhong and Pun, 2022), a reconstruction.

``Task`` has the steps for one task: projection, indicators, graph, and the search for components.
"""

import numpy as np
import scipy.sparse as sp
from scipy.linalg import lu_factor, lu_solve

from mtclib.baselines.clr import initial_graph, pieces, placed, smallest_eigenvectors
from mtclib.core.base import DegenerateSubspaceWarning, Fit, MultiTaskClusterer, Traits, stops
from mtclib.core.checks import COUNT, COUNT_OR_NONE, POSITIVE, empty_samples
from mtclib.core.errors import tell
from mtclib.core.shield import check_finite
from mtclib.core.starts import best_kmeans
from mtclib.maths.eigen import EXTRA, top_eigenvectors
from mtclib.maths.graphs import METRICS, by_cosine
from mtclib.maths.linalg import dense_product, unit_samples
from mtclib.maths.simplex import project_stored_rows

# Of the mean squared length of a row w^j: below its root the penalty is quadratic.
SMOOTHING = 1e-8
# Residual of the projected samples, as a share of the largest eigenvalue; below NULL an eigenvalue is zero.
RESIDUAL, NULL = 1e-7, 1e-10
# The search for a strength ends when its step is below the one, or the strength beyond the other.
FINEST, STRONGEST = 1.01, 1e12


class Task:
    """The data of a task, and its part of the model.

    The graph S is a symmetric CSR array (n, n) with ``count`` components; F is (n, n_clusters), W
    (d, <= n_components), Z = centred X times W; ``width`` is a_t.
    """

    def __init__(self, X, n_clusters, n_components, n_neighbors, lam, seed):
        self.X, self.XT = X, X.T.tocsr() if sp.issparse(X) else X.T
        self.n_clusters, self.n_components, self.n_neighbors = n_clusters, n_components, n_neighbors
        self.lam, self.factor, self.direction, self.width = lam, 2.0, 0, None
        self.S = initial_graph(X, n_neighbors)
        self.count, self.components = pieces(self.S)
        self.settled = None
        columns = max(n_clusters, n_components) + EXTRA
        self.start = np.random.default_rng(seed).standard_normal((X.shape[0], columns))
        self.F = self.Z = self.start[:, :0]

    def project(self, norms, gamma):
        """W, Z and F for a given graph, by the majorant at the lengths ``norms`` of the rows w^j."""
        weights = 4.0 / gamma * norms
        C = centred_gram(self.X, self.XT, weights)
        A = np.asarray(self.S.sum(axis=1)).reshape(-1, 1) * C - self.S @ C
        A.flat[::len(A) + 1] += 1.0
        factor = lu_factor(A)

        def product(V):
            return C @ lu_solve(factor, V)

        start = np.linalg.qr(np.hstack([self.Z, self.start]))[0]
        values, U, _ = top_eigenvectors(product, start, min(self.n_components, len(C)),
                                        RESIDUAL * np.linalg.norm(product(start), 2))
        kept = values > NULL * max(values[0], np.finfo(float).tiny)
        T = lu_solve(factor, U[:, kept]) / values[kept]
        self.Z, self.W = C @ T, weights[:, None] * (self.XT @ (T - T.mean(axis=0)))
        self.F = smallest_eigenvectors(self.S, self.components, self.n_clusters,
                                       np.hstack([self.F, self.start]))

    def learn_graph(self):
        """The graph for given Z and F; returns the task's part of the objective."""
        D = squared_distances(self.Z) + self.lam * squared_distances(self.F)
        n = len(D)
        check_finite("the distance between samples", D)
        np.fill_diagonal(D, np.inf if n > 1 else 0.0)
        if self.width is None:
            self.width = mean_width(D, self.n_neighbors)
        # A weight can be positive only where the distance exceeds the least of its row by less than 2 a_t.
        near = D - D.min(axis=1, keepdims=True) < 2.0 * self.width
        indptr = np.append(0, np.cumsum(near.sum(axis=1)))
        values = project_stored_rows(D[near] / (-2.0 * self.width), indptr)
        S = sp.csr_array((values, np.nonzero(near)[1], indptr), shape=(n, n))
        self.S = sp.csr_array(S + S.T) / 2
        self.S.eliminate_zeros()
        self.count, self.components = pieces(self.S)
        return float(D[near] @ values + self.width * (values @ values))

    def settle(self):
        """Whether the search for k components is over; otherwise moves lam."""
        if self.count == self.n_clusters:
            again = self.settled is not None and np.array_equal(self.settled, self.components)
            self.settled = self.components
            return again
        self.settled = None
        direction = 1 if self.count < self.n_clusters else -1
        if direction == -self.direction:
            self.factor **= 0.5
        over = self.factor < FINEST or (self.lam >= STRONGEST if direction > 0 else self.lam <= 1 / STRONGEST)
        if not over:
            self.direction, self.lam = direction, self.lam * self.factor**direction
        return over

    def labels(self, seeds, seeding):
        """Components if there are as many as clusters, else clusters of the rows of F."""
        if self.count == self.n_clusters:
            return self.components.astype(np.intp)
        return best_kmeans(self.F, self.n_clusters, seeds, seeding=seeding).labels_.astype(np.intp)


def centred_gram(X, XT, weights):
    """X diag(weights) X^T for the centred rows of X, ndarray of shape (n, n)."""
    K = dense_product(X * weights, XT)
    means = K.mean(axis=0)
    return K + means.mean() - means - means[:, None]


def squared_distances(Z):
    """Between all rows, ndarray of shape (n, n); no columns count as equal rows."""
    squares = np.sum(Z**2, axis=1)
    return np.maximum(squares[:, None] + squares - 2.0 * (Z @ Z.T), 0.0)


def mean_width(D, n_neighbors):
    """The mean of (m d_(m+1) - d_(1) - ... - d_(m)) / 2 over the rows of distances, m neighbours each.

    D has an infinite diagonal.  Of m = n_neighbors at most n - 2 are used; 1 where the mean would be 0.
    """
    m = min(n_neighbors, len(D) - 2)
    if m < 1:
        return 1.0
    nearest = np.partition(D, m, axis=1)[:, :m + 1]
    return float(np.mean((m + 1) * nearest.max(axis=1) - nearest.sum(axis=1))) / 2.0 or 1.0


class LLMC(MultiTaskClusterer):
    r"""Local learning-based multi-task clustering: projected graphs with k components, and shared features.

    Reconstruction: of the original only the abstract could be had.  From it are the parts of the model: a
    projection of each task, whose joint penalty lets the tasks share features; neighbours that are learned in
    the projection; and the cluster structure of the graph, from which labels are read.  Scaling, graph and
    steps are ours.  With :math:`w^j` row j of :math:`[W_1 \dots W_T]`, the coefficients of feature j in all
    tasks, and centred :math:`X_t`, the method minimises

    .. math:: \sum_t \Big[\sum_{ij} \|W_t^\top (x_i - x_j)\|^2 s_{ij} + a_t \|S_t\|^2
        + 2 \lambda_t \operatorname{tr}(F_t^\top L_t F_t)\Big] + \gamma \sum_j \|w^j\|

    over graphs :math:`S_t` whose rows lie on the unit simplex, with :math:`L_t` the Laplacian of
    :math:`(S_t + S_t^\top) / 2`, and over :math:`W_t` and :math:`F_t` for which :math:`X_t W_t` and
    :math:`F_t` have orthonormal columns.  :math:`\|w^j\|` is smoothed near 0, and a majorant weighs its
    square by :math:`1 / (2 \|w^j\|)`.  Then each part has an exact step: :math:`X_t W_t` holds the leading
    eigenvectors of

    .. math:: C_t (I + L_t C_t)^{-1}, \qquad
        C_t = \tfrac{4}{\gamma} X_t \operatorname{diag}(\|w^j\|) X_t^\top,

    so that no (d, d) array is needed; :math:`F_t` the :math:`k_t` smallest eigenvectors of :math:`L_t`; and
    row i of :math:`S_t` is the projection on the simplex of :math:`-d_i / (2 a_t)` with

    .. math:: d_{ij} = \|W_t^\top (x_i - x_j)\|^2 + \lambda_t \|f_i - f_j\|^2.

    The first :math:`S_t` are neighbour graphs of the samples.  :math:`a_t` is set once: the mean over samples
    of the value with which ``n_neighbors`` of the first :math:`d_{ij}` would get weight.

    A graph with :math:`k_t` components has its clusters as components.  With ``adapt``, :math:`\lambda_t`
    rises while :math:`S_t` has fewer and falls while it has more, by a factor whose root is taken at each
    turn; the objective then is that of another problem after each change.  No graph has more than
    :math:`n_t / 2` components, as each sample is joined to another: for more clusters :math:`\lambda_t` is
    kept.  Of more components than clusters the largest count in :math:`F_t`; where several are as large as
    the k-th, those whose samples come first: the order of samples matters.  All tasks must be had at once.

    Time grows as n^3: n up to about 8,000 (all tasks together; ten iterations in two minutes).

    Parameters
    ----------
    n_clusters : int or list of int
        :math:`k_t`, clusters of each task.
    gamma : float > 0, default 1
        Weight of the joint penalty: larger values leave fewer features.
    lam : float > 0, default 1
        First value of :math:`\lambda_t`, and with ``adapt=False`` the only one.
    n_neighbors : int, default 10
        At most n_t - 2 are used.
    n_components : int or None, default None
        Columns of :math:`W_t`, None for :math:`k_t`; fewer where the samples of a task span fewer dimensions.
    metric : {'euclidean', 'cosine', 'auto'}, default 'euclidean'
        'cosine' scales the rows to unit length first, 'auto' if all tasks are nonnegative with 80 % zeros.
        All tasks are then divided by one number that makes the mean squared length of their centred samples
        1.
    adapt : bool, default True
        Search :math:`\lambda_t` for :math:`k_t` components.  False keeps it, and takes labels from k-means
        unless there are :math:`k_t` components by chance.
    n_init : int, default 10
        Starts of k-means, on the rows of :math:`F_t`, for tasks with another number of components.
    seeding : {'greedy', 'plain', 'random'}, default 'greedy'
        Where k-means starts; see :func:`mtclib.core.starts.best_kmeans`.
    max_iter : int, default 50
    tol : float, default 1e-6
        For ``adapt=False``: stop when the objective falls by less than ``tol`` times its value.
    random_state : None, int, Generator or RandomState
        Of k-means; otherwise of start vectors, which change nothing but rounding.

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
    graph_ : list of CSR array of shape (n_t, n_t)
        :math:`(S_t + S_t^\top) / 2`.
    components_ : list of ndarray of shape (n_t,), int
        Component of each sample in ``graph_``.
    n_components_ : list of int
        Components of the graphs.
    embedding_ : list of ndarray of shape (n_t, k_t)
        :math:`F_t`.
    projected_ : list of ndarray of shape (n_t, r_t)
        :math:`X_t W_t`.
    coef_ : list of ndarray of shape (d, r_t)
        :math:`W_t`, for the scaled samples.
    feature_norms_ : ndarray of shape (d,)
        :math:`\|w^j\|`, smoothed.
    strength_ : ndarray of shape (T,)
        :math:`\lambda_t`.
    objective_ : ndarray of shape (n_iter,)
        With ``adapt=False`` it never rises.
    n_iter_, converged_ : int and bool
        With ``adapt``: each task has :math:`k_t` components that did not change, or its search has ended
        without, of which a warning tells; otherwise ``tol`` decides.

    References
    ----------
    G. Zhong, C.-M. Pun. Local Learning-based Multi-task Clustering. Knowledge-Based Systems 255, 2022.
    F. Nie, X. Wang, H. Huang. Clustering and Projected Clustering with Adaptive Neighbors. KDD 2014.

    Examples
    --------
    >>> X = np.kron(np.eye(2), np.ones((8, 3))) + 0.1 * np.random.default_rng(0).random((16, 6))
    >>> labels = LLMC(n_clusters=2, n_neighbors=5, random_state=0).fit([X, X[::-1]]).labels_
    >>> [np.ptp(h.reshape(2, 8), axis=1).tolist() for h in labels]
    [[0, 0], [0, 0]]
    """

    traits = Traits(kind="multitask", paper="Zhong, Pun, Knowledge-Based Systems 2022", monotone=False,
                    task_order_free=True, reconstruction=True, graph=True)
    rules = {"gamma": POSITIVE, "lam": POSITIVE, "n_neighbors": COUNT, "n_components": COUNT_OR_NONE,
             "metric": METRICS, "adapt": bool}

    def __init__(self, n_clusters, *, gamma=1.0, lam=1.0, n_neighbors=10, n_components=None,
                 metric="euclidean", adapt=True, n_init=10, max_iter=50, tol=1e-6, seeding="greedy",
                 random_state=None):
        self.n_clusters, self.gamma, self.lam, self.n_neighbors = n_clusters, gamma, lam, n_neighbors
        self.n_components, self.metric, self.adapt, self.n_init = n_components, metric, adapt, n_init
        self.max_iter, self.tol, self.seeding, self.random_state = max_iter, tol, seeding, random_state

    def _prepare(self, Xs, n_clusters):
        # A sample that is all zeros would be the neighbour of many.
        filled = [np.flatnonzero(~empty | empty.all()) for empty in map(empty_samples, Xs)]
        cosine, kept = all(by_cosine(self.metric, X) for X in Xs), [X[rows] for X, rows in zip(Xs, filled)]
        scaled = unit_variance([unit_samples(X) for X in kept] if cosine else kept)
        return list(zip(scaled, filled, [X.shape[0] for X in Xs]))

    def _fit_best(self, prepared, n_clusters, seeds):
        tasks = [Task(X, min(k, len(rows)), int(self.n_components or k), int(self.n_neighbors),
                      float(self.lam), seeds[0]) for (X, rows, _), k in zip(prepared, n_clusters)]
        history, norms, converged = alternate(tasks, float(self.gamma), self.adapt, self.max_iter, self.tol)
        missed = [str(t) for t, task in enumerate(tasks, 1) if task.count != task.n_clusters]
        if self.adapt and converged and missed:
            tell(f"no strength gives n_clusters components in task {', '.join(missed)}, where labels are of "
                 f"k-means; ask for fewer clusters, or change n_neighbors", DegenerateSubspaceWarning)
        parts = [placed(Fit(task.labels(seeds, self.seeding), [], True, {
            "graph_": task.S, "components_": task.components.astype(np.intp), "embedding_": task.F,
            "n_components_": int(task.count), "projected_": task.Z}), rows, n)
                 for task, (_, rows, n) in zip(tasks, prepared)]
        return Fit([part.labels for part in parts], history, converged, {
            **{name: [part.attributes[name] for part in parts] for name in parts[0].attributes},
            "coef_": [task.W for task in tasks], "feature_norms_": norms,
            "strength_": np.array([task.lam for task in tasks])})


def unit_variance(Xs):
    """All tasks divided by one number, so that centred samples have the mean squared length 1.

    Dense tasks are also centred.
    """
    Xs = [X if sp.issparse(X) else X - X.mean(axis=0) for X in Xs]
    squares = sum(float(np.sum(np.square(X.data if sp.issparse(X) else X))) for X in Xs)
    means = sum(X.shape[0] * float(np.sum(np.square(X.mean(axis=0)))) for X in Xs)
    if squares - means <= NULL * squares:
        return Xs
    root = ((squares - means) / sum(X.shape[0] for X in Xs)) ** 0.5
    return [X / root for X in Xs]


def alternate(tasks, gamma, adapt, max_iter, tol):
    """Rounds over all tasks, which keep their parts of the model: history, smoothed |w^j| (d,), converged."""
    d = tasks[0].X.shape[1]
    # A graph has no more components than half of its samples, unless it has one sample.
    searching = [task for task in tasks if adapt and task.n_clusters <= max(1, len(task.start) // 2)]
    unit = sum(task.n_components for task in tasks) / (len(tasks) * d)
    norms, history, converged = np.full(d, unit**0.5), [], False
    while not converged and len(history) < max_iter:
        for task in tasks:
            task.project(norms, gamma)
        norms = np.sqrt(sum(np.sum(task.W**2, axis=1) for task in tasks) + SMOOTHING * unit)
        history.append(sum(task.learn_graph() for task in tasks) + gamma * float(norms.sum()))
        converged = all([task.settle() for task in searching])
        if len(searching) < len(tasks):
            converged = converged and len(history) > 1 and stops(history[-2], history[-1], tol)
    return history, norms, converged
