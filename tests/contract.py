"""The contract of every estimator, as checks that take a class and raise AssertionError.

`core/test_contract.py` runs them over all estimators of the library and, to show that they can fail, over
estimators that break the contract on purpose.  What differs between methods is read from `traits`; `applies`
says which checks concern a class at all.
"""

import inspect
import pickle
import re
import warnings
from collections import ChainMap
from fractions import Fraction
from functools import cache

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from planted import equal, quiet_fit as fit
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from mtclib.core.base import EmptyClusterWarning
from mtclib.core.checks import Named, Number
from mtclib.core.shield import NumericalError

SIZES = (30, 24, 27)
# Of two tasks, where many fits of a method are only to be valid.
FEW = (15, 14)
# Enough iterations and starts to tell right from wrong; some methods would go on, for the same answer.
LONGEST = {"max_iter": 12, "n_init": 2, "n_starts": 2, "warm_up": 5, "inner_max_iter": 10}


def planted(estimator_class, seed=0, sizes=SIZES, k=3, d=12):
    """Nonnegative data with k planted clusters: tasks with shared features, or views with shared samples.

    For the lifelong kind two views per task.
    """
    rng = np.random.default_rng(seed)
    if estimator_class.traits.kind == "multiview":
        sizes = (sizes[0],) * len(sizes)
    means = rng.uniform(0.0, 1.0, (k, d)) + 6.0 * np.kron(np.eye(k), np.ones(d // k))
    shape = [[n, n] for n in sizes] if estimator_class.traits.kind == "lifelong" else list(sizes)
    return mapped(lambda n: rng.poisson(means[np.arange(n) % k]).astype(float) + 0.0, shape)


def mapped(function, Xs):
    """The same data with ``function`` of every array, whether tasks hold arrays or lists of views."""
    return [[function(X) for X in item] if isinstance(item, list) else function(item) for item in Xs]


def arrays(Xs):
    """All arrays, one after the other."""
    return [X for item in Xs for X in (item if isinstance(item, list) else [item])]


def _read_only(X):
    X = X.copy()
    for part in (X.data, X.indices, X.indptr) if sp.issparse(X) else (X,):
        part.flags.writeable = False
    return X


def _uncanonical(X):
    """A CSR array whose column indices are in descending order."""
    X = sp.csr_array(X)
    order = np.concatenate([np.arange(a, b)[::-1] for a, b in zip(X.indptr, X.indptr[1:])])
    return sp.csr_array((X.data[order], X.indices[order], X.indptr), shape=X.shape)


def _with_long_indices(X):
    X = sp.csr_array(X)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def _with_strides(X):
    X = sp.csr_array(X)
    X.data, X.indptr = np.repeat(X.data, 2)[::2], np.repeat(X.indptr, 2)[::2]
    return X


FORMS = [f"{form}_{kind}" for form in ("csr", "csc", "coo", "lil", "dia", "dok", "bsr")
         for kind in ("array", "matrix")]
DENSE = (np.array, np.asfortranarray, np.ndarray.tolist, _read_only, pd.DataFrame,
         lambda X: X.astype(object), lambda X: np.ma.masked_array(X, mask=False), lambda X: X.astype(">f8"),
         lambda X: np.repeat(X, 2, axis=0)[::2], lambda X: X.astype(np.float32), lambda X: X.astype(np.uint8),
         lambda X: pd.DataFrame(X).astype("Int64"))
SPARSE = (*(getattr(sp, form) for form in FORMS), _uncanonical, _with_long_indices, _with_strides)
"""What turns counts into other containers and types."""


class Elsewhere:
    """An array that another device holds."""

    def __init__(self, X, error):
        self.shape, self.ndim, self.error = X.shape, 2, error

    def __array__(self, dtype=None, copy=None):
        raise self.error("can't convert cuda:0 device type tensor to numpy")


def led_astray(X, form, rng):
    """A sparse array whose indices lead out of it, are no whole numbers, too few or too many."""
    X, way = getattr(sp, form)(X), rng.integers(4)
    far = int(rng.choice([max(X.shape), 2**31 - 1, -1]))
    if form.startswith("coo") and way == 0:
        X.data = X.data[:2]
    elif form.startswith("coo") and way == 1:
        X.coords = tuple(list(places) for places in X.coords)
    elif form.startswith("coo"):
        X.coords[rng.integers(2)][rng.integers(X.nnz)] = far
    elif form.startswith("lil"):
        X.rows[0] = X.rows[0][1:] if way == 0 else [far] * len(X.rows[0])
    elif form.startswith("dia"):
        X.offsets = (X.offsets[:-1], X.offsets[:0], np.append(X.offsets, 99), X.offsets.astype(float),
                     X.offsets + np.int64(2**32))[rng.integers(5)]
    elif form.startswith("dok"):
        X._dict[((0, far), (far, 0), (0, 1, 2), (0, 0.5))[way]] = 1.0
    elif way == 0:
        X = type(X)(X.shape)
        X.indptr[1] = 99
    elif way == 1:
        X.indptr[-1] += 5
    elif way == 2:
        X.indices = np.append(X.indices[:-1], np.nan).astype(rng.choice([float, str]))
    else:
        X.indices[rng.integers(len(X.indices))] = far
    return X


def _entry(value):
    def spoil(X, rng):
        X = X.astype(type(value) if isinstance(value, float | complex) else object)
        X[rng.integers(len(X)), rng.integers(X.shape[1])] = value
        return X

    return spoil


SPOILED = (
    (_entry(np.nan), "contains NaN or infinity; remove or impute"),
    (_entry(-np.inf), "contains NaN or infinity; remove or impute"),
    (_entry(1j), "complex"), (lambda X, rng: sp.csr_array(X.astype(complex)), "complex"),
    (lambda X, rng: X.astype("datetime64[s]"), "date"), (_entry(np.datetime64("2020")), "date"),
    (lambda X, rng: pd.to_datetime(X[:, 0], utc=True).to_frame(index=False), "date"),
    (_entry("many"), "numbers"), (_entry(10**400), "numbers"),
    (lambda X, rng: np.ones(X.shape, dtype=[("a", float)]), "composite"),
    (_entry(1e200), "rescale"), (lambda X, rng: X * 1e-200, "rescale"),
    (lambda X, rng: X[0], "two-dimensional"), (lambda X, rng: X[None], "two-dimensional"),
    (lambda X, rng: "Xs", "two-dimensional"), (lambda X, rng: pd.DataFrame(X).iloc[:, :0], "empty"),
    (lambda X, rng: X[:0], "empty"), (lambda X, rng: np.ma.masked_greater(X, X.max() - 1), "masked"),
    (lambda X, rng: [[1.0, 2.0], [3.0]], "equally long"), (lambda X, rng: Elsewhere(X, OSError), "device"),
    (lambda X, rng: Elsewhere(X, TypeError), "another device"),
    (lambda X, rng: sp.csr_array((X.shape[0], 2**33)), "32 bits"),
    (lambda X, rng: led_astray(X, rng.choice(FORMS), rng), "no valid sparse matrix"))
"""What makes an array useless, and what a refusal of it says."""


def build(estimator_class, n_clusters=3, **parameters):
    given = defaults(estimator_class)
    short = {name: min(given[name], limit) for name, limit in LONGEST.items() if name in given}
    return estimator_class(n_clusters, **{"random_state": 0, **short, **parameters})


@cache
def defaults(estimator_class):
    """Parameters with the values that the class gives them."""
    parameters = inspect.signature(estimator_class).parameters.values()
    return {parameter.name: parameter.default for parameter in parameters}


@cache
def reference(estimator_class):
    """The fit of the planted data that many checks compare others with; nobody changes it."""
    return fit(build(estimator_class), planted(estimator_class))


def partitions(estimator):
    """The labels as a list of arrays, for both kinds of estimator."""
    return estimator.labels_ if isinstance(estimator.labels_, list) else [estimator.labels_]


def same(first, second):
    return equal(partitions(first), partitions(second))


def otherwise(cls, Xs, conversions):
    """The data in other forms, but for those that are read as the very same arrays as they or an earlier
    form, which need not be fitted once more."""
    forms = [Xs, *(mapped(convert, Xs) for convert in conversions)]
    read = [[_seen(X) for X in arrays(build(cls)._check_input(data)[0])] for data in forms]
    return [data for n, data in enumerate(forms) if read[n] not in read[:n]][1:]


def _seen(X):
    """Everything about an array that a method could see."""
    if sp.issparse(X):
        return [type(X), X.shape, *map(_seen, (X.data, X.indices, X.indptr))]
    return X.dtype, X.shape, X.flags.c_contiguous, X.flags.writeable, X.tobytes()


def is_valid(estimator, Xs, n_clusters):
    """Labels, history and flags have the promised types, shapes and ranges."""
    tasks = estimator.traits.kind != "multiview"
    assert isinstance(estimator.labels_, list) == tasks
    expected = [arrays([item])[0].shape[0] for item in Xs] if tasks else [Xs[0].shape[0]]
    assert [len(labels) for labels in partitions(estimator)] == expected
    for labels in partitions(estimator):
        assert (labels.dtype.kind, labels.ndim) == ("i", 1)
        assert labels.min() >= 0
        assert labels.max() < n_clusters
    assert np.isfinite(estimator.objective_).all()
    assert len(estimator.objective_) >= 1
    assert isinstance(estimator.n_iter_, int)
    assert estimator.n_iter_ >= 1
    assert isinstance(estimator.converged_, bool)


def check_parameters_round_trip_and_clone(cls):
    parameters = build(cls).get_params()
    assert {"n_clusters", "random_state"} <= set(parameters)
    assert clone(build(cls, n_clusters=2)).get_params() == build(cls, n_clusters=2).get_params()
    assert cls(5).set_params(**parameters).get_params() == parameters
    assert pickle.loads(pickle.dumps(build(cls))).get_params() == parameters
    assert isinstance(cls.algorithm_version(), int)


def check_fit_returns_self_with_valid_results_that_the_seed_alone_decides(cls):
    Xs, first, second = planted(cls), reference(cls), build(cls)
    is_valid(first, Xs, 3)
    assert fit(second, Xs[:1]) is second
    np.random.seed(3)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    with np.errstate(all="raise"), config_context(transform_output="pandas"):  # whatever the caller has set
        labels = second.fit_predict(Xs)
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002
    assert equal(labels if isinstance(labels, list) else [labels], partitions(first))
    assert np.array_equal(first.objective_, second.objective_)


def check_one_and_two_threads_agree(cls):
    Xs, fits = planted(cls, sizes=(90, 80, 70)), []
    for limit in (1, 2):
        with threadpool_limits(limits=limit):
            fits.append(fit(brief(cls), Xs))
    assert same(*fits)


def check_input_is_not_mutated(cls):
    for convert in (np.array, sp.csr_array, sp.csr_matrix, _uncanonical):
        Xs = mapped(convert, planted(cls, sizes=FEW))
        before = list(map(_seen, arrays(Xs)))
        fit(brief(cls), Xs)
        assert list(map(_seen, arrays(Xs))) == before


def alike(one, two):
    """Whether two fits have the same partitions: sums of sparse and of dense rows differ in their last bit,
    which may name clusters where a method's starts tie (AWP), and must not choose them."""
    return all(adjusted_rand_score(a, b) == 1 for a, b in zip(partitions(one), partitions(two), strict=True))


def check_csr_and_dense_agree(cls):
    Xs, dense = planted(cls), reference(cls)
    for other in otherwise(cls, Xs, SPARSE):
        sparse = fit(build(cls), other)
        assert alike(dense, sparse)
        np.testing.assert_allclose(dense.objective_[-1], sparse.objective_[-1], rtol=1e-8)
    for seed in range(3):
        ties = mapped(lambda X: np.random.default_rng(seed).integers(0, 2, X.shape) * 1.0, Xs[:2])  # noqa: B023
        assert alike(fit(brief(cls), ties), fit(brief(cls), mapped(sp.csr_array, ties)))


def check_type_layout_and_container_do_not_matter(cls):
    assert all(same(reference(cls), fit(build(cls), other)) for other in otherwise(cls, planted(cls), DENSE))
    assert alike(reference(cls), fit(build(cls), mapped(_read_only, mapped(_uncanonical, planted(cls)))))


def check_numpy_scalars_are_accepted(cls):
    Xs, names = planted(cls), build(cls).get_params()
    for kinds in ({int: _small, float: _small}, {int: np.int16, float: np.float32}):
        values = {name: kinds[type(value)](value) for name, value in names.items() if type(value) in kinds}
        other = fit(build(cls, **values), Xs)
        kept = other.get_params()
        assert all((type(kept[name]), kept[name]) == (type(value), value) for name, value in values.items())
        if kinds[float] is _small:
            assert same(reference(cls), other)
            assert np.array_equal(reference(cls).objective_, other.objective_)


def _small(number):
    """A whole number as the shortest scalar of numpy that holds it, whose sums and products wrap around."""
    return np.float64(number) if number % 1 else np.min_scalar_type(int(number)).type(number)


def check_planted_clusters_are_recovered(cls):
    Xs = planted(cls, sizes=(60, 60, 60))
    whole = {"n_init": 5, "max_iter": min(defaults(cls).get("max_iter") or 0, 60)}
    estimator = fit(build(cls, **{name: value for name, value in whole.items() if _has(cls, name)}), Xs)
    for labels in partitions(estimator):
        assert adjusted_rand_score(np.arange(60) % 3, labels) > 0.9


def check_label_names_of_the_start_do_not_matter(cls):
    Xs = planted(cls)
    start = [np.random.default_rng(1).integers(0, 3, X.shape[0]) for X in Xs]
    try:
        first = fit(build(cls, init=start), Xs)
    except ValueError as error:
        assert "init must be one of" in str(error)  # the method has named starts only
        return
    renamed = fit(build(cls, init=[np.array([2, 0, 1])[h] for h in start]), Xs)
    for a, b in zip(first.labels_, renamed.labels_):
        assert np.array_equal(np.array([2, 0, 1])[a], b)


def check_task_order_does_not_matter(cls):
    forward, backward = reference(cls), fit(build(cls), planted(cls)[::-1])
    assert equal(forward.labels_, backward.labels_[::-1])


def check_objective_never_rises(cls):
    for seed in range(3):
        history = fit(build(cls, random_state=seed), planted(cls, seed)).objective_
        assert (np.diff(history) <= 1e-9 * np.abs(history[:-1])).all()


def check_edge_cases_give_valid_results(cls):
    Xs = planted(cls, sizes=FEW)
    n = min(X.shape[0] for X in arrays(Xs))
    small = mapped(lambda X: X[:6], Xs)
    zero_row = mapped(lambda X: np.vstack([np.zeros((1, X.shape[1])), X]), Xs)
    duplicates = mapped(lambda X: np.repeat(np.c_[X[:9], np.full(9, 2.0)], 3, axis=0), Xs)
    equal = mapped(lambda X: np.ones((n, 4)), Xs)
    for data, k in ((small, 6), (Xs[:1], 3), (zero_row, 3), (zero_row, 1), (duplicates, 3), (duplicates, 20),
                    (equal, 2), (mapped(lambda X: X[:1], Xs[:1]), 1)):
        for convert in (np.array, sp.csr_array):
            is_valid(fit(brief(cls, n_clusters=k), mapped(convert, data)), data, k)


def check_a_warning_tells_how_many_clusters_were_lost(cls):
    equal = [mapped(np.ones_like, planted(cls))[0]]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        labels = partitions(build(cls).fit(equal))[0]
    told = [str(w.message) for w in caught if w.category is EmptyClusterWarning]
    found = len(np.unique(labels))
    assert [f"{found} of 3" in message for message in told] == [True] * (found < 3)
    assert not [w for w in caught if w.category is RuntimeWarning], "no raw warning of numpy"


def check_one_iteration_warns_and_is_not_converged(cls):
    # Principal components give the planted clusters at once.
    estimator = build(cls, max_iter=1, **({"init": "random"} if cls.__name__ == "ASI" else {}))
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        estimator.fit(planted(cls))
    assert estimator.converged_ is False
    assert estimator.n_iter_ == 1


def check_converged_fit_is_silent(cls):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert build(cls, max_iter=5000, **({"tol": 1e-3} if "tol" in build(cls).get_params() else {})).fit(
            planted(cls, sizes=(34, 32, 33))).converged_ is True


def check_scale_of_the_data_does_not_matter(cls):
    """To the label; powers of two change no digit, so that rounding is no excuse."""
    rng = np.random.default_rng(4)
    Xs = mapped(lambda X: X * rng.gamma(1.0, size=X.shape) * 10.0 ** rng.uniform(-3, 0, (X.shape[0], 1)),
                planted(cls, sizes=(20, 24)))
    Xs = mapped(lambda X: X / X.max(), Xs)
    expected = fit(brief(cls), Xs)
    for scale in (2.0**-498, 2.0**-100, 2.0**498):  # 1e-150 .. 1e150
        assert same(expected, fit(brief(cls), mapped(lambda X: X * scale, Xs)))  # noqa: B023


def brief(cls, **parameters):
    short = {"max_iter": 8, "n_init": 1, "n_starts": 1, "parameters": {"max_iter": 8}}
    return build(cls, **{name: value for name, value in short.items() if _has(cls, name)}, **parameters)


def check_extremes_give_finite_results_or_are_named(cls):
    Xs = planted(cls, sizes=(9, 8), d=6)
    spike = np.zeros((9, 6))
    spike[0, 0] = 1e20
    cases = [(mapped(change, Xs), {}) for change in (
        lambda X: X + 1e8, lambda X: X + spike[:X.shape[0]], lambda X: X * 1e-150, lambda X: X * 1e148,
        lambda X: X * np.logspace(-100, 100, 6), lambda X: X * np.logspace(-100, 100, X.shape[0])[:, None])]
    cases += [([mapped(lambda X: X * scale, Xs[:1])[0], *Xs[1:]], {}) for scale in (1e-140, 1e148)]  # noqa: B023
    cases += [(Xs, {name: value}) for name, default in defaults(cls).items() if isinstance(default, float)
              for value in (1.7e308, 1e-300, 0.0, 1.0)]
    for data, parameters in cases:
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                is_valid(brief(cls, **parameters).fit(data), data, 3)
        except NumericalError as error:
            assert "broke down" in str(error)
            assert error.__cause__ is not None
        except ValueError as error:
            assert type(error) is ValueError
            assert re.match("|".join(parameters) or "-", str(error))


def check_bad_input_is_refused_by_name(cls):
    (first, second, *others), kind, rng = planted(cls), cls.traits.kind, np.random.default_rng(0)
    sequence, what = kind == "lifelong", "view" if kind == "multiview" else "task"
    place = r"Xs\[1\]\[0\] \(task 2, view 1\)" if sequence else rf"Xs\[1\] \({what} 2\)"
    negative = [(lambda X, rng: X - 1.0, "negative")] * cls.traits.nonnegative
    for spoil, message in (*SPOILED, *negative):
        bad = [spoil(second[0], rng), second[1]] if sequence else spoil(second, rng)
        _refused(cls, [first, bad, *others], f"{place}.*{message}")
    one = second[0] if sequence else second
    for data, message in (([], "empty list"), (np.empty((0, 3, 4)), "empty list"), (None, "must be a list"),
                          (one, "must be a list")):
        _refused(cls, data, message)
    for bad, message in UNEQUAL[kind]:
        _refused(cls, [first, bad(second), *others], message)


UNEQUAL = {
    "multitask": [(lambda X: X[:, 1:], r"Xs\[1\] \(task 2\) has 11 features but Xs\[0\] has 12")],
    "multiview": [(lambda X: X[1:], r"Xs\[1\] \(view 2\) has 29 samples but Xs\[0\] has 30")],
    "lifelong": [
        (lambda views: [views[0], views[1][1:]],
         r"Xs\[1\]\[1\] \(task 2, view 2\) has 23 samples but Xs\[1\]\[0\]"),
        (lambda views: views[:1], r"Xs\[1\] \(task 2\) has 1 view\(s\) but Xs\[0\] has 2"),
        (lambda views: [views[0], views[1][:, 1:]],
         r"Xs\[1\] \(task 2\), view 2, has 11 features but Xs\[0\] has 12"),
        (lambda views: views[0], r"Xs\[1\] \(task 2\) must be a list.*got ndarray"),
        (lambda views: [], r"Xs\[1\] \(task 2\) must be a list.*an empty list")]}
"""Parts that do not fit to the others."""


def _refused(cls, Xs, message, **parameters):
    with pytest.raises(ValueError, match=message):
        build(cls, **parameters).fit(Xs)


def check_bad_parameters_are_refused_by_name(cls):
    Xs = planted(cls)
    for n_clusters in (0, -1, 2.5, "3", None, True, np.array(3), np.float64(3), np.timedelta64(3, "s")):
        _refused(cls, Xs, "n_clusters", n_clusters=n_clusters)
    _refused(cls, Xs, "n_clusters is 31 .*sample", n_clusters=31)
    for value in (-1, "zero"):
        _refused(cls, Xs, "random_state", random_state=value)
    for name, default in build(cls).get_params().items():
        if isinstance(default, str):
            _refused(cls, Xs, name, **{name: "no-such-option"})
        if isinstance(default, bool):
            _refused(cls, Xs, f"{name} must be True or False", **{name: "no"})
        if isinstance(default, float):
            for value in (Fraction(1, 2), 10**400, np.longdouble("1e400"), np.inf, None):
                _refused(cls, Xs, name, **{name: value})
        if type(default) is int and name != "random_state":
            for value in (2**31, np.uint64(2**63), 10**5000):  # which has more digits than Python prints
                _refused(cls, Xs, name, **{name: value})


def check_numbers_outside_their_range_are_refused_with_the_range_that_is_documented(cls):
    Xs, rules = planted(cls), dict(_numbers(cls))
    numbers = {name for name, default in defaults(cls).items() if type(default) in (int, float)}
    assert numbers - rules.keys() <= ({"lam"} if cls.__name__ == "CoregSpectral" else set())
    for name, rule in rules.items():
        kind, bounds = ("an integer" if rule.integer else "a number"), f">= {rule.low}"
        beyond, stated = [rule.low - (1 if rule.integer else 0.1), np.nan], f"in [{rule.low}, {rule.high}]"
        if rule.open_low:
            beyond[0], bounds, stated = rule.low, bounds.replace("=", ""), stated.replace("[", "(")
        if rule.high is not None:
            beyond, bounds = [*beyond, rule.high + 1], f"{bounds} and <= {rule.high}"
        for value in beyond + [1.5] * rule.integer:
            _refused(cls, Xs, f"{name} must be {kind} {bounds}; got", **{name: value})
        entry = re.search(rf"^{name} : .*float.*\n(    .*\n)*", inspect.getdoc(cls), re.M)
        if rule.integer:
            assert (rule.low, rule.open_low) == (0 if name == "view" else 1, False)
        elif entry and name not in ("tol", "atol"):
            assert (bounds if rule.high is None else stated) in entry.group()


def _numbers(cls):
    """Parameters that may be numbers, and the rule that these have to keep."""
    rules = ChainMap(*(vars(base).get("rules", {}) for base in cls.__mro__))
    for name, rule in sorted(rules.items()):
        rule = rule.other if isinstance(rule, Named) else rule
        if isinstance(rule, Number) and _has(cls, name):
            yield name, rule


def check_n_clusters_may_differ_between_tasks(cls):
    Xs = planted(cls)
    if cls.traits.same_n_clusters:
        _refused(cls, Xs, "n_clusters differs between tasks", n_clusters=[2, 3, 2])
        return
    estimator = fit(build(cls, n_clusters=[2, 3, 4]), Xs)
    assert all(labels.max() < k for labels, k in zip(estimator.labels_, (2, 3, 4)))
    _refused(cls, Xs, "n_clusters has 2 entries for 3 task", n_clusters=[2, 3])


def check_pickling_round_trips(cls):
    estimator = reference(cls)
    again = pickle.loads(pickle.dumps(estimator))
    assert same(estimator, again)
    assert np.array_equal(estimator.objective_, again.objective_)


def check_generators_and_fresh_entropy_are_accepted(cls):
    Xs = planted(cls, sizes=FEW)
    first = fit(brief(cls, random_state=np.random.default_rng(5)), Xs)
    assert same(first, fit(brief(cls, random_state=np.random.default_rng(5)), Xs))
    fit(brief(cls, random_state=np.random.RandomState(5)), Xs)  # noqa: NPY002
    fit(brief(cls, random_state=None), Xs)


def check_more_starts_never_worsen_the_objective(cls):
    Xs = planted(cls)
    ends = [fit(build(cls, n_init=n, n_clusters=5), Xs).objective_[-1] for n in (1, 4)]
    assert ends[1] <= ends[0] + 1e-9 * abs(ends[0])


CHECKS = {name.removeprefix("check_"): check
          for name, check in globals().items() if name.startswith("check_")}

CONDITIONS = {"label_names_of_the_start_do_not_matter":
                  lambda cls: cls.traits.kind == "multitask" and _has(cls, "init"),
              "scale_of_the_data_does_not_matter": lambda cls: cls.traits.scale_free,
              "task_order_does_not_matter": lambda cls: cls.traits.task_order_free,
              "objective_never_rises": lambda cls: cls.traits.monotone,
              "one_iteration_warns_and_is_not_converged": lambda cls: _has(cls, "max_iter"),
              "converged_fit_is_silent": lambda cls: _has(cls, "max_iter"),
              "n_clusters_may_differ_between_tasks": lambda cls: cls.traits.kind != "multiview",
              "more_starts_never_worsen_the_objective": lambda cls: _has(cls, "n_init")}


def _has(cls, parameter):
    return parameter in defaults(cls)


def applies(name, cls):
    """Whether a check, by its name in CHECKS, concerns a class."""
    return CONDITIONS.get(name, lambda cls: True)(cls)
