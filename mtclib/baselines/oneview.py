"""OneView: a multi-task method on one view of a sequence of multi-view tasks."""

from sklearn.base import clone

from mtclib.base import (
    LifelongClusterer,
    MultiTaskClusterer,
    Traits,
    estimator,
    version_of_nested,
)
from mtclib.baselines.pertask import side_by_side
from mtclib.validation import check_number


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
