"""Methods that run another: on the stack of all tasks, on each task of a sequence, or on one view of all."""

from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from mtclib.baselines.registry import estimator
from mtclib.core.base import (
    LifelongClusterer,
    MultiTaskClusterer,
    MultiViewClusterer,
    SingleTaskClusterer,
    Traits,
    summed,
)
from mtclib.core.checks import check_number


class _Nested:
    """What the three have in common: ``estimator``, ``parameters``, ``random_state`` and the version.  A
    subclass names the kinds of methods that it can run, and implements ``_run(nested, Xs, n_clusters)``,
    which sets the labels and returns all fitted estimators."""

    kinds: ClassVar[tuple]
    wanted: ClassVar[str]
    default: ClassVar[str]

    def fit(self, Xs, y=None):
        """Cluster all tasks with the nested method; data, errors and warnings are those of other estimators.
        What the nested method says speaks of what it was given: a stack, or a task of its own, is
        ``Xs[0] (task 1)``."""
        nested = self._nested()
        Xs, n_clusters = self._read(Xs)
        models = self._run(nested, Xs, n_clusters)
        self.objective_ = np.asarray(summed([model.objective_ for model in models]))
        self.n_iter_ = max(model.n_iter_ for model in models)
        self.converged_ = all(model.converged_ for model in models)
        return self

    def _nested(self):
        given = self.default if self.estimator is None else self.estimator
        if isinstance(given, str):
            given = estimator(given)
        nested = given(2) if isinstance(given, type) and issubclass(given, self.kinds) else given
        if not isinstance(nested, self.kinds):
            raise ValueError(f"estimator must be a {self.wanted}, by name or as an instance, such as "
                             f"{self.default!r} or KMeans(2); got {self.estimator!r}")
        parameters = {} if self.parameters is None else self.parameters
        if not isinstance(parameters, dict) or not all(isinstance(name, str) for name in parameters):
            raise ValueError(f"parameters must be None or a dict by names such as {{'n_init': 5}}; got "
                             f"{self.parameters!r}")
        return clone(nested).set_params(**parameters)

    @classmethod
    def algorithm_version(cls, nested=None):
        """Integer that is raised with the mathematics of ``nested``, the name of the method that is run."""
        return cls.ALGORITHM_VERSION + estimator(nested or cls.default).algorithm_version() - 1


class Stacked(_Nested, MultiTaskClusterer):
    """A single-task method on the stacked rows of all tasks, for small tasks with the same distribution.

    Each task gets its slice of the labels.  "All KM", "All SC" and "All ASI" of the SPMTC paper.

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
    >>> X = np.array([[0.0], [5.0]])
    >>> first, second = Stacked(2, estimator="ASI", random_state=0).fit([X, X + 0.1]).labels_
    >>> bool((first == second).all())
    True
    """

    traits = Traits(kind="multitask", paper="Gu, Zhou, ICDM 2009", same_n_clusters=True)
    ALGORITHM_VERSION = 6
    kinds = (SingleTaskClusterer,)
    wanted = "single-task method"
    default = "KMeans"

    def __init__(self, n_clusters, *, estimator=None, parameters=None, random_state=None):
        self.n_clusters, self.estimator = n_clusters, estimator
        self.parameters, self.random_state = parameters, random_state

    def _run(self, nested, Xs, n_clusters):
        stack = sp.vstack(Xs, format="csr") if any(map(sp.issparse, Xs)) else np.vstack(Xs)
        nested.set_params(n_clusters=n_clusters[0], random_state=self.random_state)
        self.estimator_ = nested.fit([stack])
        ends = np.cumsum([X.shape[0] for X in Xs])
        self.labels_ = np.split(nested.labels_[0], ends[:-1])
        return [nested]


class _NestedSequence(_Nested, LifelongClusterer):
    """A method on a sequence of multi-view tasks that sees one view, or all."""

    def __init__(self, n_clusters, *, estimator=None, parameters=None, view=None, random_state=None):
        self.n_clusters, self.estimator, self.parameters = n_clusters, estimator, parameters
        self.view, self.random_state = view, random_state

    def _check_input(self, Xs):
        Xs, n_clusters = super()._check_input(Xs)
        if self.view is not None:
            check_number("view", self.view, low=0, high=len(Xs[0]) - 1, integer=True)
            Xs = [[views[self.view]] for views in Xs]
        return Xs, n_clusters


class PerTask(_NestedSequence):
    """A multi-view or single-task method on each task of a sequence alone, to compare lifelong methods with.

    The independent compared methods of the LMSC paper, such as "Coreg" and "SNMF".  Which view the methods
    for one view got, the paper does not say.

    Time grows as n^2, with the default estimator: n up to about 30,000 (all tasks together; in 8 GB).

    Parameters
    ----------
    n_clusters : int, or list of int with one per task
    estimator : None, str, MultiViewClusterer or SingleTaskClusterer, default None
        None for ``CoregSpectral``.
    parameters, random_state
        As in :class:`Stacked`; an int is used for every task.
    view : int or None, default None
        The method sees this view alone, counted from 0.  None: all views; methods for one view see them side
        by side.

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
    estimators_ : list of estimators
        Fitted, one per task.
    objective_ : ndarray of shape (n_iter,)
        The sum over tasks, each continued with its last value.
    n_iter_, converged_ : int and bool
        The largest of all tasks, and whether all converged.

    Examples
    --------
    >>> views = [np.kron(np.eye(2), np.ones((5, 3))), np.kron(np.eye(2), np.ones((5, 2)))]
    >>> model = PerTask(2, estimator="ConMC", random_state=0).fit([views, views])
    >>> [np.bincount(labels).tolist() for labels in model.labels_]
    [[5, 5], [5, 5]]
    """

    traits = Traits(kind="lifelong", paper="Cai, Tan, Huang, Lv, IJCAI 2023", task_order_free=True)
    ALGORITHM_VERSION = 19
    kinds = (MultiViewClusterer, SingleTaskClusterer)
    wanted = "multi-view or single-task method"
    default = "CoregSpectral"

    def _run(self, nested, Xs, n_clusters):
        alone = isinstance(nested, SingleTaskClusterer)
        inputs = [[side_by_side(views)] if alone else views for views in Xs]
        # A clone has a copy of a generator, and all tasks would get the same numbers.
        self.estimators_ = [clone(nested).set_params(n_clusters=k, random_state=self.random_state).fit(given)
                            for given, k in zip(inputs, n_clusters)]
        self.labels_ = [model.labels_[0] if alone else model.labels_ for model in self.estimators_]
        return self.estimators_


class OneView(_NestedSequence):
    """A multi-task method on all tasks of a sequence at once, by one view or by all side by side.

    The compared method LLMC of the LMSC paper knows tasks but no views.  Which view it got, the paper does
    not say.

    Time grows as n^3, with the default estimator: n up to about 8,000 (all tasks together; ten iterations in
    two minutes).

    Parameters
    ----------
    n_clusters : int, or list of int with one per task
    estimator : None, str or MultiTaskClusterer, default None
        None for ``LLMC``.
    view : int or None, default None
        Counted from 0; None for all views side by side.
    parameters, random_state
        As in :class:`Stacked`.

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_t,), int
    estimator_ : estimator
        Fitted.
    objective_, n_iter_, converged_
        Those of the nested estimator.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> views = [np.kron(np.eye(2), np.ones((9, 3))) + 0.1 * rng.random((18, 6)) for _ in range(2)]
    >>> model = OneView(2, estimator="KMeans", view=1, random_state=0).fit([views, views])
    >>> [np.bincount(labels).tolist() for labels in model.labels_]
    [[9, 9], [9, 9]]
    """

    traits = Traits(kind="lifelong", paper="Cai, Tan, Huang, Lv, IJCAI 2023", monotone=False)
    ALGORITHM_VERSION = 21
    kinds = (MultiTaskClusterer,)
    wanted = "multi-task method"
    default = "LLMC"

    def _run(self, nested, Xs, n_clusters):
        nested.set_params(n_clusters=n_clusters, random_state=self.random_state)
        self.estimator_ = nested.fit([side_by_side(views) for views in Xs])
        self.labels_ = nested.labels_
        return [nested]


def side_by_side(views):
    """The features of all views in one {ndarray, CSR array} of shape (n, sum of d_v)."""
    if len(views) == 1:
        return views[0]
    return sp.hstack(views, format="csr") if any(map(sp.issparse, views)) else np.hstack(views)
