"""The estimator contract: validation, restarts, history, and warnings that several methods share.

Rows are samples, as in scikit-learn, although the papers put samples into columns: X here is the transpose of
X there.  A multi-task estimator takes a list of tasks, ``Xs[t]`` of shape (n_t, n_features) with one feature
space for all; a multi-view estimator takes a list of views, ``Xs[v]`` of shape (n, n_features_v) with one set
of samples for all; a lifelong one takes a list of tasks, each a list of views, ``Xs[t][v]``.

Lists as input are what differs from scikit-learn: its ``check_estimator`` passes through an adapter with one
input, but for the words of two refusals, and a ``ValueError`` where it wants a ``TypeError``.
``n_features_in_`` and ``feature_names_in_`` are lists as the input is.

An algorithm file supplies ``_fit_once`` (one start, valid input assumed); everything a user can get
wrong is checked here, once.
"""

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import cycle
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning

from mtclib.core.checks import (
    COUNT,
    NONNEGATIVE,
    aligned,
    check_n_clusters,
    check_number,
    check_rule,
    check_sequence,
    check_tasks,
    check_views,
    empty_samples,
    feature_names,
    plain,
)
from mtclib.core.errors import tell
from mtclib.core.shield import check_finite, shield
from mtclib.core.starts import SEEDINGS

LOST_ARE_TOLD = ContextVar("LOST_ARE_TOLD", default=True)
"""Whether a fit warns of fewer clusters than asked for; a filter of warnings would hold for other threads."""


@dataclass(frozen=True)
class Traits:
    """What the contract suite, the tables and a user may rely on for an estimator."""

    kind: str  # 'multitask', 'multiview' or 'lifelong': what Xs holds
    paper: str  # authors, venue and year of the method
    nonnegative: bool = False  # negative entries are refused
    same_n_clusters: bool = False  # all tasks must have the same number of clusters
    monotone: bool = True  # objective_ never rises (by default)
    task_order_free: bool = False  # the partition of a task does not depend on its place in Xs
    reconstruction: bool = False  # details of the original could not be had; see the class docstring
    float32: bool = False  # views in single precision are used as they are, memory maps included
    scale_free: bool = True  # the partition stays when all data are multiplied by one number (by default)
    graph: bool = False  # empty samples have no edges, and get the largest cluster of the others
    may_be_infinite: tuple = ()  # attributes in which NaN or infinity is an answer; elsewhere it is an error


@dataclass
class Fit:
    """Result of one start: what ``fit`` copies onto the estimator."""

    labels: object  # (n,), or a list of (n_t,): int in 0 .. n_clusters - 1
    objective: list  # one float per outer iteration
    converged: bool  # whether the stopping rule was met before a limit
    attributes: dict = field(default_factory=dict)  # the model by the names that the user sees, such as coef_
    limit: str = "max_iter"  # the parameter that ended it where the stopping rule was not met


class BaseClusterer(ClusterMixin, BaseEstimator):
    """Common to all estimators: restarts, history and the convergence warning.

    A subclass sets ``traits`` and the ``rules`` of its parameters, and implements ``_check_input(Xs)`` and
    ``_fit_once(prepared, n_clusters, seed)``; ``prepared`` is ``Xs`` unless ``_prepare`` is overridden.
    """

    traits: ClassVar[Traits]
    rules: ClassVar[dict] = {"n_init": COUNT, "max_iter": COUNT, "tol": NONNEGATIVE, "seeding": SEEDINGS}
    #: Raised by one whenever the method's results change; part of the key of every stored fit.
    ALGORITHM_VERSION: ClassVar[int] = 1

    def fit(self, Xs, y=None):
        """Cluster all tasks (or views) together.

        Parameters
        ----------
        Xs : list of {ndarray, sparse matrix}
            Multi-task: one (n_t, n_features) array per task.  Multi-view: one (n, n_features_v) array per
            view.  Lifelong: one list of views per task.  Never modified; integers are converted to float64,
            and so is float32 where ``traits.float32`` is false.  Data frames are aligned with the first:
            views by their index, tasks by their columns; labels are in the order of the first view.
        y : None
            Ignored, for scikit-learn's sake.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or an input is unusable; the message names it and says what to do.
        NumericalError
            If the fit has no finite result; the message names what is extreme in the input.

        Warns
        -----
        ConvergenceWarning
            If the best start met a limit, such as ``max_iter``, before its stopping rule.
        EmptyClusterWarning
            If the labels have fewer clusters than asked for.
        EmptySampleWarning
            If a sample is all zeros, by a method on graphs (``traits.graph``): it has no edges.  Samples that
            are empty in all views get the largest cluster of the others.
        """
        with self._plain_parameters():
            Xs, n_clusters = self._read(Xs)
            seeds = spawn_seeds(self.random_state, getattr(self, "n_init", 1))
            with shield(self, Xs):
                best = self._fit_best(self._prepare(Xs, n_clusters), n_clusters, seeds)
                if self.traits.graph and isinstance(getattr(self, "affinity", ""), str):
                    _settle_empty(Xs, best.labels)
                self._store(best)
        return self

    def _read(self, Xs):
        """Checked input and numbers of clusters; what data frames name is aligned, and features are noted."""
        given, Xs = Xs, aligned(Xs, self.traits.kind)
        if self.traits.kind == "multiview" and isinstance(getattr(self, "affinity", ""), (list, tuple)):
            for v in (v for v, (one, other) in enumerate(zip(given, Xs)) if one is not other):
                raise ValueError(f"affinity: a list of matrices has no names, and Xs[{v}] has its rows in "
                                 f"another order than the first data frame; give both all in one order")
        found = self._check_input(Xs)
        self._note_features(Xs)
        return found

    def _note_features(self, Xs):
        self.n_features_in_ = _each(Xs, lambda X: np.shape(X)[1])
        names = _each(Xs, feature_names)
        vars(self).pop("feature_names_in_", None)
        if any(entry is not None for part in names for entry in (part if isinstance(part, list) else [part])):
            self.feature_names_in_ = names

    def _prepare(self, Xs, n_clusters):
        """What all starts share (similarities, decompositions); handed to ``_fit_once``."""
        return Xs

    def _fit_best(self, prepared, n_clusters, seeds):
        return _best(self._fit_once(prepared, n_clusters, seed) for seed in seeds)

    def _store(self, best):
        check_finite("objective_", best.objective)
        for name, value in best.attributes.items():
            if name not in self.traits.may_be_infinite:
                check_finite(name, value)
        vars(self).update(best.attributes)
        self.labels_ = best.labels
        self.objective_ = np.asarray(best.objective, dtype=float)
        self.n_iter_ = best.attributes.get("n_iter_", len(best.objective))
        self.converged_ = bool(best.converged)
        if not self.converged_:
            tell(f"{type(self).__name__} stopped at {best.limit}={getattr(self, best.limit)} before its "
                 f"stopping rule was met; raise {best.limit} or tol", ConvergenceWarning)
        tasks = self.labels_ if isinstance(self.labels_, list) else [self.labels_]
        counts = [(t, len(np.unique(labels)), k)
                  for t, (labels, k) in enumerate(zip(tasks, cycle(np.ravel(self.n_clusters))), 1)]
        lost = [f"{found} of {k}" + f" in task {t}" * isinstance(self.labels_, list)
                for t, found, k in counts if found < k]
        if lost and LOST_ARE_TOLD.get():
            tell(f"{type(self).__name__} found fewer clusters than n_clusters: {', '.join(lost)}; try other "
                 f"starts or parameters, or ask for fewer", EmptyClusterWarning)

    def _check_parameters(self):
        rules = {name: rule for cls in reversed(type(self).__mro__)
                 for name, rule in vars(cls).get("rules", {}).items()}
        for name, rule in rules.items():
            if hasattr(self, name):
                check_rule(name, getattr(self, name), rule)

    @contextmanager
    def _plain_parameters(self):
        """Checks the parameters; within, scalars of numpy are plain numbers, which neither wrap nor round."""
        self._check_parameters()
        given = {name: value for name, value in self.get_params(deep=False).items()
                 if isinstance(value, np.generic)}
        vars(self).update({name: plain(value) for name, value in given.items()})
        try:
            yield
        finally:
            vars(self).update(given)

    @classmethod
    def algorithm_version(cls):
        """Integer that is raised whenever the mathematics of the method changes."""
        return cls.ALGORITHM_VERSION


class MultiTaskClusterer(BaseClusterer):
    """Base of the multi-task estimators: ``labels_`` is a list, one int array per task."""

    def _check_input(self, Xs):
        Xs = check_tasks(Xs, nonnegative=self.traits.nonnegative)
        same = type(self).__name__ if self.traits.same_n_clusters else None
        return Xs, check_n_clusters(self.n_clusters, Xs, same_for=same)


class MultiViewClusterer(BaseClusterer):
    """Base of the multi-view estimators: ``labels_`` is one int array for the samples all views share."""

    def _check_input(self, Xs):
        Xs = check_views(Xs, nonnegative=self.traits.nonnegative, float32=self.traits.float32)
        check_number("n_clusters", self.n_clusters, low=1, integer=True)
        if self.n_clusters > Xs[0].shape[0]:
            raise ValueError(f"n_clusters is {self.n_clusters} but the views have only {Xs[0].shape[0]} "
                             f"sample(s); ask for fewer clusters or add samples")
        if getattr(self, "view", None) is not None:
            check_number("view", self.view, low=0, high=len(Xs) - 1, integer=True)
        return Xs, int(self.n_clusters)


class LifelongClusterer(BaseClusterer):
    """Base of the estimators for a sequence of multi-view tasks, ``Xs[t][v]``; ``labels_`` as multi-task."""

    def _check_input(self, Xs):
        Xs = check_sequence(Xs, nonnegative=self.traits.nonnegative)
        same = type(self).__name__ if self.traits.same_n_clusters else None
        return Xs, check_n_clusters(self.n_clusters, [views[0] for views in Xs], same_for=same)


class SingleTaskClusterer(MultiTaskClusterer):
    """Base of the baselines that cluster each task alone.  A subclass implements
    ``_fit_task(prepared[t], n_clusters, seed) -> Fit``.  All tasks get the same seeds and each keeps its own
    best start, so that a task's result does not depend on its place in ``Xs`` or on the others."""

    def _fit_best(self, prepared, n_clusters, seeds):
        fits = [_best(self._fit_task(task, k, seed) for seed in seeds)
                for task, k in zip(prepared, n_clusters)]
        names = fits[0].attributes
        attributes = {name: [fit.attributes[name] for fit in fits] for name in names if name != "n_iter_"}
        if "n_iter_" in names:
            attributes["n_iter_"] = max(fit.attributes["n_iter_"] for fit in fits)
        return Fit([fit.labels for fit in fits], summed([fit.objective for fit in fits]),
                   all(fit.converged for fit in fits), attributes)


def _each(Xs, function):
    """``function`` of each array in a list, or in a list of lists; views may come as one array, too."""
    return [_each(X, function) if getattr(X, "ndim", 0) == 3 or (
        isinstance(X, (list, tuple)) and np.ndim(X[0]) > 1) else function(X) for X in Xs]


def tell_empty(Xs, what, then):
    """Which samples are all zeros, a mask for each view or task, with a warning if there are any."""
    empty = [empty_samples(X) for X in Xs]
    if found := [f"{mask.sum()} in {what} {i}" for i, mask in enumerate(empty, 1) if mask.any()]:
        tell(f"samples that are all zeros have no neighbours in a graph ({', '.join(found)}); "
             f"{then}: leave them out if you can", EmptySampleWarning)
    return empty


def _settle_empty(Xs, labels):
    """Put samples that are empty in a task, or in all views, into the largest cluster of the others."""
    what = "task" if isinstance(labels, list) else "view"
    where = "their task" if what == "task" else "every view"
    empty = tell_empty(Xs, what, f"empty in {where}, they get the largest cluster")
    pairs = zip(labels, empty) if what == "task" else [(labels, np.logical_and.reduce(empty))]
    for found, mask in pairs:
        if mask.any() and not mask.all():
            found[mask] = np.bincount(found[~mask]).argmax()


def _best(fits):
    return min(fits, key=lambda fit: fit.objective[-1] if np.isfinite(fit.objective[-1]) else np.inf)


def summed(histories):
    """The sum of histories, each continued with its last value, as a list.

    >>> summed([[5.0, 1.0], [3.0, 2.0, 1.0]])
    [8.0, 3.0, 2.0]
    """
    length = max(map(len, histories))
    return sum(np.pad(history, (0, length - len(history)), mode="edge") for history in histories).tolist()


def stops(before, after, tol, atol=0.0):
    """Whether the objective fell by less than ``atol``, by less than ``tol`` times its value, or is NaN."""
    decrease = before - after
    return bool(not decrease >= atol or abs(decrease) <= float(tol) * abs(after))


def spawn_seeds(random_state, n_starts):
    """Seeds of the restarts, in 0 .. 2**32 - 1; the first ones do not change when ``n_starts`` grows.
    ``random_state`` is None, which draws fresh entropy, an int >= 0, a Generator, or a RandomState."""
    if isinstance(random_state, np.random.Generator):
        random_state = int(random_state.integers(2**63))
    elif isinstance(random_state, np.random.RandomState):
        random_state = int(random_state.randint(2**31))
    elif random_state is not None:
        check_number("random_state", random_state, low=0, integer=True)
    children = np.random.SeedSequence(random_state).spawn(n_starts)
    return [int(child.generate_state(1)[0]) for child in children]


class DegenerateSubspaceWarning(UserWarning):
    """The data do not determine the subspace that a method works in, or nothing is left in it.  The result is
    then that of the start, or of a tie broken by rule; the message says why, and which option avoids it."""


class EmptyClusterWarning(UserWarning):
    """The labels have fewer clusters than asked for; the message has the number, and names the tasks."""


class EmptySampleWarning(UserWarning):
    """Samples are all zeros, which says nothing of their cluster; the message has their number."""


class ConstantViewWarning(UserWarning):
    """All samples are equal in a view, so that it cannot tell clusters apart; it is left out."""
