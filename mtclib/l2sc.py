"""L2SC: lifelong spectral clustering of one view (Sun et al., AAAI 2020)."""

from mtclib.base import Traits
from mtclib.lmsc import LMSC
from mtclib.validation import check_number, check_option


class L2SC(LMSC):
    """Lifelong spectral clustering: :class:`mtclib.LMSC` with one view and without fusion.

    Maximises 1/m sum_t [ tr(E^T K E) + lam tr(L^T X-hat E B) ] + mu g(L) over E, B, L with orthonormal
    columns.

    Reconstruction: the formulas are those that the LMSC paper gives for its parent; which of the views of
    multi-view data it should get, that paper does not say.

    Parameters
    ----------
    n_clusters : int, or list of equal ints with one a task
    view : int, default 0
        Which view of each task to use, counted from 0.
    output : {'concat', 'literal'}, default 'concat'
        k-means on the rows of E B at unit length, or as they are.
    lam, mu, l21, affinity, n_neighbors, scale, matrix, negative, formulation, eta, n_init, max_iter, tol
        See :class:`mtclib.LMSC`.
    random_state : None, int, Generator or RandomState
        See :class:`mtclib.LMSC`.

    Attributes
    ----------
    labels_, basis_, embedding_, libraries_, n_tasks_, task_embeddings_, representation_, objective_, n_iter_
        See :class:`mtclib.LMSC`; lists of views have one entry.
    histories_, converged_
        See :class:`mtclib.LMSC`.

    References
    ----------
    G. Sun, Y. Cong, Q. Wang, J. Li, Y. Fu. Lifelong Spectral Clustering. AAAI 2020.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> means = 1.0 + 9.0 * np.kron(np.eye(2), np.ones(4))
    >>> tasks = [[rng.poisson(means[np.arange(30) % 2])] for _ in range(3)]
    >>> [np.bincount(labels).tolist() for labels in L2SC(n_clusters=2, random_state=0).fit(tasks).labels_]
    [[15, 15], [15, 15], [15, 15]]
    """

    traits = Traits(kind="lifelong", paper="Sun et al., AAAI 2020", nonnegative=True, same_n_clusters=True,
                    reconstruction=True)
    beta = 0.0

    def __init__(self, n_clusters, *, view=0, lam=1.0, mu=0.01, l21="penalty", output="concat",
                 affinity="knn-cosine", n_neighbors=10, scale="median", matrix="affinity",
                 negative="refuse", formulation="consistent", eta=0.01, n_init=10, max_iter=500, tol=1e-6,
                 random_state=None):
        self.n_clusters = n_clusters
        self.view = view
        self.lam = lam
        self.mu = mu
        self.l21 = l21
        self.output = output
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.scale = scale
        self.matrix = matrix
        self.negative = negative
        self.formulation = formulation
        self.eta = eta
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _check_parameters(self):
        super()._check_parameters()
        check_option("output", self.output, ("concat", "literal"))
        check_number("view", self.view, low=0, integer=True)

    def _views_of(self, views):
        if self.view >= len(views):
            raise ValueError(f"view is {self.view} but the tasks have {len(views)} view(s), counted from 0; "
                             f"choose one of them")
        return [views[self.view]]
