"""Stacked: a single-task method run once on the samples of all tasks."""

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from mtclib.base import MultiTaskClusterer, SingleTaskClusterer, Traits, estimator, version_of_nested
from mtclib.baselines.kmeans import KMeans


class Stacked(MultiTaskClusterer):
    """A single-task method on the stacked rows of all tasks; each task gets its slice of the labels.

    The compared methods "All KM", "All SC" and "All ASI" of the SPMTC paper.

    Parameters
    ----------
    n_clusters : int
        The same for all tasks; replaces that of the nested estimator.
    estimator : None, str or SingleTaskClusterer, default None
        The method, by name or as an instance, which is cloned; None for ``KMeans``.
    parameters : dict or None, default None
        Set on the nested estimator.
    random_state : None, int, Generator or RandomState
        Replaces that of the nested estimator.

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
        Cluster j is the same cluster in all tasks.
    estimator_ : SingleTaskClusterer
        Fitted on the stack.
    objective_, n_iter_, converged_
        Of the nested estimator.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [5.0]])
    >>> first, second = Stacked(2, estimator="ASI", random_state=0).fit([X, X + 0.1]).labels_
    >>> bool((first == second).all())
    True
    """

    traits = Traits(kind="multitask", paper="Gu, Zhou, ICDM 2009", same_n_clusters=True)
    ALGORITHM_VERSION = 6

    def __init__(self, n_clusters, *, estimator=None, parameters=None, random_state=None):
        self.n_clusters = n_clusters
        self.estimator = estimator
        self.parameters = parameters
        self.random_state = random_state

    def fit(self, Xs, y=None):
        """Cluster the stack of all tasks.

        Parameters
        ----------
        Xs : list of {ndarray, CSR array} of shape (n_t, d)
        y : None
            Ignored, for scikit-learn's sake.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or an input is unusable, here or for the nested estimator.  In the messages of
            the latter the stack is ``Xs[0] (task 1)``.

        Warns
        -----
        ConvergenceWarning
            If the nested estimator stopped at its ``max_iter``.
        """
        nested = self._nested()
        Xs, n_clusters = self._check_input(Xs)
        stack = sp.vstack(Xs, format="csr") if any(map(sp.issparse, Xs)) else np.vstack(Xs)
        nested.set_params(n_clusters=n_clusters[0], random_state=self.random_state)
        self.estimator_ = nested.fit([stack])
        ends = np.cumsum([X.shape[0] for X in Xs])
        self.labels_ = np.split(nested.labels_[0], ends[:-1])
        self.objective_ = nested.objective_
        self.n_iter_, self.converged_ = nested.n_iter_, nested.converged_
        return self

    def _nested(self):
        given = KMeans if self.estimator is None else self.estimator
        if isinstance(given, str):
            given = estimator(given)
        nested = given(self.n_clusters) if isinstance(given, type) else given
        if not isinstance(nested, SingleTaskClusterer):
            raise ValueError(f"estimator must be a single-task method, by name or as an instance, such as "
                             f"'KMeans' or ASI(n_clusters=2); got {self.estimator!r}")
        return clone(nested).set_params(**(self.parameters or {}))

    @classmethod
    def algorithm_version(cls):
        """Integer that is raised with the mathematics of any method that can be nested."""
        return version_of_nested(cls.ALGORITHM_VERSION, SingleTaskClusterer)
