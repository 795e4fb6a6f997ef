"""Stacked: a single-task method run once on the samples of all tasks.

PerTask: a method for one set of samples, run on every task of a sequence of multi-view tasks.

OneView: a multi-task method on one view of a sequence of multi-view tasks.
"""

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from mtclib.baselines.kmeans import KMeans
from mtclib.baselines.registry import estimator, version_of_nested
from mtclib.core.base import (
    LifelongClusterer,
    MultiTaskClusterer,
    MultiViewClusterer,
    SingleTaskClusterer,
    Traits,
)
from mtclib.core.checks import check_number


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


class PerTask(LifelongClusterer):
    """A multi-view or single-task method on each task of a sequence alone.

    The independent compared methods of the LMSC paper, such as "Coreg" and "SNMF".  Which view the methods
    for one view got, the paper does not say.

    Parameters
    ----------
    n_clusters : int, or list of int with one a task
        Replaces that of the nested estimator.
    estimator : None, str, MultiViewClusterer or SingleTaskClusterer, default None
        The method, by name or as an instance, which is cloned; None for ``CoregSpectral``.
    parameters : dict or None, default None
        Set on the nested estimator.
    view : int or None, default None
        The method sees this view alone, counted from 0.  None: all views; methods for one view see them side
        by side.
    random_state : None, int, Generator or RandomState
        Replaces that of the nested estimator; an int is used for every task.

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
    estimators_ : list of estimators
        Fitted, one a task.
    objective_ : ndarray of shape (n_iter_,)
        The sum over tasks, each continued with its last value.
    n_iter_ : int
        The largest of all tasks.
    converged_ : bool
        Whether all did.

    Examples
    --------
    >>> import numpy as np
    >>> views = [np.kron(np.eye(2), np.ones((5, 3))), np.kron(np.eye(2), np.ones((5, 2)))]
    >>> model = PerTask(2, estimator="ConMC", random_state=0).fit([views, views])
    >>> [np.bincount(labels).tolist() for labels in model.labels_]
    [[5, 5], [5, 5]]
    """

    traits = Traits(kind="lifelong", paper="Cai, Tan, Huang, Lv, IJCAI 2023", task_order_free=True)
    ALGORITHM_VERSION = 19

    def __init__(self, n_clusters, *, estimator=None, parameters=None, view=None, random_state=None):
        self.n_clusters = n_clusters
        self.estimator = estimator
        self.parameters = parameters
        self.view = view
        self.random_state = random_state

    def fit(self, Xs, y=None):
        """Cluster every task.

        Parameters
        ----------
        Xs : list of list of {ndarray, CSR array} of shape (n_t, d_v)
            ``Xs[t][v]`` is view v of task t.
        y : None
            Ignored, for scikit-learn's sake.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or an input is unusable, here or for the nested estimator; in the messages of the
            latter a task stands alone.

        Warns
        -----
        ConvergenceWarning
            If a nested fit stopped at its ``max_iter``.
        """
        nested = self._nested()
        Xs, n_clusters = self._check_input(Xs)
        if self.view is not None:
            check_number("view", self.view, low=0, high=len(Xs[0]) - 1, integer=True)
        nested.set_params(random_state=self.random_state)
        self.estimators_ = [clone(nested).set_params(n_clusters=k).fit(self._input(nested, views))
                            for views, k in zip(Xs, n_clusters)]
        alone = isinstance(nested, SingleTaskClusterer)
        self.labels_ = [model.labels_[0] if alone else model.labels_ for model in self.estimators_]
        length = max(len(model.objective_) for model in self.estimators_)
        self.objective_ = sum(np.pad(model.objective_, (0, length - len(model.objective_)), mode="edge")
                              for model in self.estimators_)
        self.n_iter_ = max(model.n_iter_ for model in self.estimators_)
        self.converged_ = all(model.converged_ for model in self.estimators_)
        return self

    def _input(self, nested, views):
        views = views if self.view is None else [views[self.view]]
        return views if isinstance(nested, MultiViewClusterer) else [side_by_side(views)]

    def _nested(self):
        given = "CoregSpectral" if self.estimator is None else self.estimator
        if isinstance(given, str):
            given = estimator(given)
        nested = given(2) if isinstance(given, type) else given
        if not isinstance(nested, (MultiViewClusterer, SingleTaskClusterer)):
            raise ValueError(f"estimator must be a multi-view or single-task method, by name or as an "
                             f"instance, such as 'CoregSpectral' or SNMF(2); got {self.estimator!r}")
        return clone(nested).set_params(**(self.parameters or {}))

    @classmethod
    def algorithm_version(cls):
        """Integer that is raised with the mathematics of any method that can be nested."""
        return version_of_nested(cls.ALGORITHM_VERSION, (MultiViewClusterer, SingleTaskClusterer))


def side_by_side(views):
    """The features of all views in one {ndarray, CSR array} of shape (n, sum of d_v)."""
    if len(views) == 1:
        return views[0]
    return sp.hstack(views, format="csr") if any(map(sp.issparse, views)) else np.hstack(views)


class OneView(LifelongClusterer):
    """A multi-task method on all tasks of a sequence at once, by one view or by all side by side.

    The compared method LLMC of the LMSC paper knows tasks but no views.  Which view it got, the paper does
    not say.

    Parameters
    ----------
    n_clusters : int, or list of int with one a task
        Replaces that of the nested estimator.
    estimator : None, str or MultiTaskClusterer, default None
        The method, by name or as an instance, which is cloned; None for ``LLMC``.
    parameters : dict or None, default None
        Set on the nested estimator.
    view : int or None, default None
        Counted from 0; None for all views side by side.
    random_state : None, int, Generator or RandomState
        Replaces that of the nested estimator.

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
    estimator_ : estimator
        Fitted.
    objective_, n_iter_, converged_
        Those of the nested estimator.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> views = [np.kron(np.eye(2), np.ones((9, 3))) + 0.1 * rng.random((18, 6)) for _ in range(2)]
    >>> model = OneView(2, estimator="KMeans", view=1, random_state=0).fit([views, views])
    >>> [np.bincount(labels).tolist() for labels in model.labels_]
    [[9, 9], [9, 9]]
    """

    traits = Traits(kind="lifelong", paper="Cai, Tan, Huang, Lv, IJCAI 2023")
    ALGORITHM_VERSION = 21

    def __init__(self, n_clusters, *, estimator=None, parameters=None, view=None, random_state=None):
        self.n_clusters = n_clusters
        self.estimator = estimator
        self.parameters = parameters
        self.view = view
        self.random_state = random_state

    def fit(self, Xs, y=None):
        """Cluster all tasks.

        Parameters
        ----------
        Xs : list of list of {ndarray, CSR array} of shape (n_t, d_v)
            ``Xs[t][v]`` is view v of task t.
        y : None
            Ignored, for scikit-learn's sake.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or an input is unusable, here or for the nested estimator.

        Warns
        -----
        ConvergenceWarning
            If the nested fit stopped at its ``max_iter``.
        """
        nested = self._nested()
        Xs, n_clusters = self._check_input(Xs)
        if self.view is not None:
            check_number("view", self.view, low=0, high=len(Xs[0]) - 1, integer=True)
        tasks = [side_by_side(views if self.view is None else [views[self.view]]) for views in Xs]
        self.estimator_ = nested.set_params(n_clusters=n_clusters, random_state=self.random_state).fit(tasks)
        self.labels_ = self.estimator_.labels_
        self.objective_, self.n_iter_ = self.estimator_.objective_, self.estimator_.n_iter_
        self.converged_ = self.estimator_.converged_
        return self

    def _nested(self):
        given = "LLMC" if self.estimator is None else self.estimator
        if isinstance(given, str):
            given = estimator(given)
        nested = given(2) if isinstance(given, type) else given
        if not isinstance(nested, MultiTaskClusterer):
            raise ValueError(f"estimator must be a multi-task method, by name or as an instance, such as "
                             f"'LLMC' or KMeans(2); got {self.estimator!r}")
        return clone(nested).set_params(**(self.parameters or {}))

    @classmethod
    def algorithm_version(cls):
        """Integer that is raised with the mathematics of any method that can be nested."""
        return version_of_nested(cls.ALGORITHM_VERSION, MultiTaskClusterer)
