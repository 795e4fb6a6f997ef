"""The estimator contract: validation, restarts, history, and the registry of estimators.

Rows are samples, as in scikit-learn, although the papers put samples into columns: X here is the
transpose of X there.  A multi-task estimator takes a list of tasks, ``Xs[t]`` of shape
(n_t, n_features) with one feature space for all; a multi-view estimator takes a list of views,
``Xs[v]`` of shape (n, n_features_v) with one set of samples for all.

An algorithm file supplies ``_fit_once`` (one start, valid input assumed); everything a user can get
wrong is checked here, once.
"""

import math
import sys
import warnings
from dataclasses import dataclass, field
from importlib import import_module
from numbers import Integral
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

# Beyond these sizes squares, and sums of many squares, overflow or vanish.
SMALLEST, LARGEST = 1e-150, 1e150


@dataclass(frozen=True)
class Traits:
    """What the contract suite, the tables and a user may rely on for an estimator.

    Parameters
    ----------
    kind : {'multitask', 'multiview'}
        What ``Xs`` holds.
    paper : str
        Authors, venue and year of the method.
    nonnegative : bool
        Negative entries are refused.
    sparse : bool
        CSR input is accepted and never turned into a dense (n, n_features) array.
    same_n_clusters : bool
        All tasks must have the same number of clusters.
    monotone : bool
        ``objective_`` never rises (default parameters).
    task_order_free : bool
        The partition of a task does not depend on its place in ``Xs``.
    reconstruction : bool
        Details of the original could not be had; see the class docstring.
    """

    kind: str
    paper: str
    nonnegative: bool = False
    sparse: bool = True
    same_n_clusters: bool = False
    monotone: bool = True
    task_order_free: bool = False
    reconstruction: bool = False


@dataclass
class Fit:
    """Result of one start: what ``fit`` copies onto the estimator.

    Parameters
    ----------
    labels : list of ndarray of shape (n_t,), or ndarray of shape (n,)
        Cluster indices in 0 .. n_clusters - 1.
    objective : list of float
        One value an outer iteration.
    converged : bool
        Whether the stopping rule was met before ``max_iter``.
    attributes : dict
        The model under the names that the user sees (``coef_``, ``relation_``, ...).
    """

    labels: object
    objective: list
    converged: bool
    attributes: dict = field(default_factory=dict)


class BaseClusterer(ClusterMixin, BaseEstimator):
    """Common to all estimators: restarts, history and the convergence warning.

    A subclass sets ``traits`` and implements ``_check_parameters()``, ``_check_input(Xs)`` and
    ``_fit_once(prepared, n_clusters, seed)``; ``prepared`` is ``Xs`` unless ``_prepare`` is overridden.
    """

    traits: ClassVar[Traits]

    def fit(self, Xs, y=None):
        """Cluster all tasks (or views) together.

        Parameters
        ----------
        Xs : list of {ndarray, sparse matrix}
            Multi-task: one (n_t, n_features) array a task.  Multi-view: one (n, n_features_v) array a
            view.  Never modified; float32 and integers are converted to float64.
        y : None
            Ignored, for scikit-learn's sake.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or an input is unusable; the message names it and says what to do.

        Warns
        -----
        ConvergenceWarning
            If the best start stopped at ``max_iter``.
        """
        self._check_parameters()
        Xs, n_clusters = self._check_input(Xs)
        seeds = spawn_seeds(self.random_state, getattr(self, "n_init", 1))
        self._store(self._fit_best(self._prepare(Xs, n_clusters), n_clusters, seeds))
        return self

    def _prepare(self, Xs, n_clusters):
        """What all starts share (similarities, decompositions); handed to ``_fit_once``."""
        return Xs

    def _fit_best(self, prepared, n_clusters, seeds):
        return _best(self._fit_once(prepared, n_clusters, seed) for seed in seeds)

    def _store(self, best):
        if not np.isfinite(best.objective[-1]):
            raise FloatingPointError(
                f"{type(self).__name__} diverged: its objective is {best.objective[-1]} after "
                f"{len(best.objective)} iterations; scale the data or use a smaller exponent or step")
        for name, value in best.attributes.items():
            setattr(self, name, value)
        self.labels_ = best.labels
        self.objective_ = np.asarray(best.objective, dtype=float)
        self.n_iter_ = best.attributes.get("n_iter_", len(best.objective))
        self.converged_ = bool(best.converged)
        if not self.converged_:
            warnings.warn(
                f"{type(self).__name__} stopped at max_iter={self.max_iter} before its stopping rule was "
                f"met; raise max_iter or tol", ConvergenceWarning, stacklevel=3)

    def _check_parameters(self):
        for name in ("n_init", "max_iter"):
            if hasattr(self, name):
                check_number(name, getattr(self, name), low=1, integer=True)
        if hasattr(self, "tol"):
            check_number("tol", self.tol, low=0)

    @classmethod
    def algorithm_version(cls):
        """Integer that is raised whenever the mathematics of the method's file changes."""
        return sys.modules[cls.__module__].ALGORITHM_VERSION


class MultiTaskClusterer(BaseClusterer):
    """Base of the multi-task estimators: ``labels_`` is a list, one int array a task."""

    def _check_input(self, Xs):
        Xs = check_tasks(Xs, nonnegative=self.traits.nonnegative)
        same = type(self).__name__ if self.traits.same_n_clusters else None
        return Xs, check_n_clusters(self.n_clusters, Xs, same_for=same)


class MultiViewClusterer(BaseClusterer):
    """Base of the multi-view estimators: ``labels_`` is one int array for the samples all views share."""

    def _check_input(self, Xs):
        Xs = check_views(Xs, nonnegative=self.traits.nonnegative)
        check_number("n_clusters", self.n_clusters, low=1, integer=True)
        if self.n_clusters > Xs[0].shape[0]:
            raise ValueError(f"n_clusters is {self.n_clusters} but the views have only {Xs[0].shape[0]} "
                             f"sample(s); ask for fewer clusters or add samples")
        return Xs, int(self.n_clusters)


class SingleTaskClusterer(MultiTaskClusterer):
    """Base of the baselines that cluster each task alone.

    A subclass implements ``_fit_task(prepared[t], n_clusters, seed) -> Fit``.  All tasks get the same
    seeds and each keeps its own best start, so that a task's result does not depend on its place in
    ``Xs`` or on the others.
    """

    def _fit_best(self, prepared, n_clusters, seeds):
        fits = [_best(self._fit_task(task, k, seed) for seed in seeds)
                for task, k in zip(prepared, n_clusters)]
        length = max(len(fit.objective) for fit in fits)
        total = sum(np.pad(fit.objective, (0, length - len(fit.objective)), mode="edge") for fit in fits)
        names = fits[0].attributes
        attributes = {name: [fit.attributes[name] for fit in fits] for name in names if name != "n_iter_"}
        if "n_iter_" in names:
            attributes["n_iter_"] = max(fit.attributes["n_iter_"] for fit in fits)
        return Fit([fit.labels for fit in fits], list(total), all(fit.converged for fit in fits), attributes)


def _best(fits):
    return min(fits, key=lambda fit: fit.objective[-1] if np.isfinite(fit.objective[-1]) else np.inf)


def stops(before, after, tol, atol=0.0):
    """Whether the objective fell by less than ``atol``, by less than ``tol`` times its value, or is NaN."""
    decrease = before - after
    return bool(not decrease >= atol or abs(decrease) <= float(tol) * abs(after))


def spawn_seeds(random_state, n_starts):
    """Seeds of the restarts; the first ones do not change when ``n_starts`` grows.

    Parameters
    ----------
    random_state : None, int >= 0, numpy.random.Generator or numpy.random.RandomState
        None draws fresh entropy.
    n_starts : int

    Returns
    -------
    list of int
        In 0 .. 2**32 - 1.

    Examples
    --------
    >>> spawn_seeds(0, 3)[:2] == spawn_seeds(0, 2)
    True
    """
    if isinstance(random_state, np.random.Generator):
        random_state = int(random_state.integers(2**63))
    elif isinstance(random_state, np.random.RandomState):
        random_state = int(random_state.randint(2**31))
    elif random_state is not None:
        check_number("random_state", random_state, low=0, integer=True)
    children = np.random.SeedSequence(random_state).spawn(n_starts)
    return [int(child.generate_state(1)[0]) for child in children]


def check_number(name, value, low=None, high=None, *, integer=False, open_low=False):
    """Raise ``ValueError`` unless ``value`` is a finite number within the bounds."""
    kind = Integral if integer else (Integral, float, np.floating)
    bounds = f"{'> ' if open_low else '>= '}{low}" + (f" and <= {high}" if high is not None else "")
    wanted = f"{name} must be {'an integer' if integer else 'a number'} {bounds}"
    try:
        usable = isinstance(value, kind) and not isinstance(value, bool) and (integer or math.isfinite(value))
    except OverflowError:  # an int beyond the range of floats
        usable = False
    if not usable:
        raise ValueError(f"{wanted}; got {value!r}")
    if (value <= low if open_low else value < low) or (high is not None and value > high):
        raise ValueError(f"{wanted}; got {value!r}")


def check_flag(name, value):
    """Raise ``ValueError`` unless ``value`` is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False; got {value!r}")


def check_option(name, value, options):
    """Raise ``ValueError`` unless ``value`` is one of ``options``."""
    if not isinstance(value, str) or value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}; got {value!r}")


def check_matrix(X, name, *, nonnegative=False):
    """A float64 ndarray or CSR array that equals ``X``; ``X`` itself is left untouched.

    Raises
    ------
    ValueError
        Not two-dimensional, empty, masked, not real numbers, NaN or infinite, the largest entry outside
        1e-150 .. 1e150, or negative where that is forbidden.
    """
    X = _as_array(X, name)
    if X.ndim != 2:
        raise ValueError(f"{name} must be two-dimensional (samples in rows), got {X.ndim} dimension(s); "
                         f"reshape it, or put single arrays into a list: fit([X])")
    if 0 in X.shape:
        raise ValueError(f"{name} is empty: its shape is {tuple(X.shape)}; drop it from Xs or fill it")
    if (X if sp.issparse(X) else np.asarray(X)).dtype.kind in "cmM":
        raise ValueError(f"{name} has complex or date entries; pass real numbers")
    try:
        X = check_array(X, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} cannot be read as numbers ({error}); pass a numeric array") from error
    values = X.data if sp.issparse(X) else X
    if not np.isfinite(values).all():
        raise ValueError(f"{name} contains NaN or infinity; remove or impute these entries")
    largest = max(values.max(), -values.min()) if values.size else 0.0
    if largest and not SMALLEST <= largest <= LARGEST:
        raise ValueError(f"{name} has entries of size {largest:.1e}, whose squares leave the range of "
                         f"floating-point numbers; rescale the data")
    if nonnegative and values.size and values.min() < 0:
        raise ValueError(f"{name} has negative entries (smallest {values.min():.3g}), which this method "
                         f"forbids; use counts or tf-idf, or shift each feature to be nonnegative")
    return _canonical(X) if sp.issparse(X) else X


def _as_array(X, name):
    if np.ma.is_masked(X):
        raise ValueError(f"{name} has masked entries; impute them or drop their rows")
    if sp.issparse(X) or hasattr(X, "iloc"):
        return X
    try:
        return np.asarray(X)
    except ValueError as error:
        raise ValueError(f"{name} cannot be read as an array ({error}); use equally long rows") from error


def _canonical(X):
    X = sp.csr_array(X)
    if X.indices.dtype != np.int32 and max(*X.shape, X.nnz) < 2**31:
        # scikit-learn refuses 64-bit indices, which slicing sparse arrays can leave behind.
        X = sp.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _as_list(Xs, what):
    if isinstance(Xs, np.ndarray) and Xs.ndim == 3:
        Xs = list(Xs)
    if not isinstance(Xs, (list, tuple)):
        raise ValueError(f"Xs must be a list with one two-dimensional array a {what}, got "
                         f"{type(Xs).__name__}; for a single {what} write fit([X])")
    if len(Xs) == 0:
        raise ValueError(f"Xs is an empty list; pass at least one {what}")
    return list(Xs)


def check_tasks(Xs, *, nonnegative=False):
    """Validated tasks: a list of float64 arrays or CSR arrays with equally many columns."""
    Xs = [check_matrix(X, f"Xs[{t}] (task {t + 1})", nonnegative=nonnegative)
          for t, X in enumerate(_as_list(Xs, "task"))]
    for t, X in enumerate(Xs):
        if X.shape[1] != Xs[0].shape[1]:
            raise ValueError(f"Xs[{t}] (task {t + 1}) has {X.shape[1]} features but Xs[0] has "
                             f"{Xs[0].shape[1]}; tasks must share one feature space, for text one vocabulary")
    return Xs


def check_views(Xs, *, nonnegative=False):
    """Validated views: a list of float64 arrays or CSR arrays with equally many rows."""
    Xs = [check_matrix(X, f"Xs[{v}] (view {v + 1})", nonnegative=nonnegative)
          for v, X in enumerate(_as_list(Xs, "view"))]
    for v, X in enumerate(Xs):
        if X.shape[0] != Xs[0].shape[0]:
            raise ValueError(f"Xs[{v}] (view {v + 1}) has {X.shape[0]} samples but Xs[0] has "
                             f"{Xs[0].shape[0]}; views describe the same samples in the same order")
    return Xs


def check_n_clusters(n_clusters, Xs, *, same_for=None):
    """Number of clusters of each task, from an int or a sequence with one int a task."""
    if isinstance(n_clusters, (list, tuple)) or (isinstance(n_clusters, np.ndarray) and n_clusters.ndim):
        ks = list(n_clusters)
        if len(ks) != len(Xs):
            raise ValueError(f"n_clusters has {len(ks)} entries for {len(Xs)} task(s); give one an entry "
                             f"a task, or a single int for all")
    else:
        ks = [n_clusters] * len(Xs)
    for t, (k, X) in enumerate(zip(ks, Xs)):
        check_number(f"n_clusters (task {t + 1})", k, low=1, integer=True)
        if k > X.shape[0]:
            raise ValueError(f"n_clusters is {k} but Xs[{t}] (task {t + 1}) has only {X.shape[0]} sample(s); "
                             f"ask for fewer clusters or add samples")
    if same_for and len(set(ks)) > 1:
        raise ValueError(f"n_clusters differs between tasks ({ks}), but {same_for} needs the same number of "
                         f"clusters in all tasks; use a method with rectangular relations such as MTCMRL")
    return [int(k) for k in ks]


def all_estimators():
    """Every public estimator, as a dict from class name to class, sorted by name.

    Examples
    --------
    >>> "MTCMRL" in all_estimators()
    True
    """
    found = {}
    for module in map(import_module, ("mtclib", "mtclib.baselines")):
        for name in module.__all__:
            value = getattr(module, name)
            if isinstance(value, type) and issubclass(value, BaseClusterer):
                found[name] = value
    return dict(sorted(found.items()))


def estimator(name):
    """The estimator class called ``name``; ``ValueError`` lists the known ones otherwise."""
    known = all_estimators()
    if name not in known:
        raise ValueError(f"unknown estimator {name!r}; known are {', '.join(known)}")
    return known[name]
