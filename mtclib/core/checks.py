"""What a user can get wrong, checked once: parameters, tasks, views, numbers of clusters.

Every check raises ``ValueError`` with the name of the argument, what was found, and the remedy.
"""

import math
from numbers import Integral
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from mtclib.core.errors import check_option
from mtclib.core.large import extremes, row_blocks

# Beyond these sizes squares, and sums of many squares, overflow or vanish.
SMALLEST, LARGEST = 1e-150, 1e150


class Number(NamedTuple):
    """A rule for a parameter: a finite number within the bounds, or None where that is allowed."""

    low: float
    high: float | None = None
    integer: bool = False
    open_low: bool = False
    none: bool = False


class Named(NamedTuple):
    """A rule for a parameter: a text is one of ``options``; other values keep the rule ``other``, if any."""

    options: tuple
    other: Number | None = None


NONNEGATIVE, POSITIVE, SHARE = Number(0), Number(0, open_low=True), Number(0, 1, open_low=True)
COUNT, COUNT_OR_NONE = Number(1, integer=True), Number(1, integer=True, none=True)

LARGEST_INTEGER = 2**31 - 1
"""Of a parameter or a side of an array: compiled code counts in 32 bits."""
SEEDS = ("random_state", "split_seed", "entropy")
"""Parameters that may be larger: nothing counts with them."""


def check_rule(name, value, rule):
    """Raise ``ValueError`` unless ``value`` keeps a rule: `Number`, `Named`, a tuple of texts, or bool."""
    if isinstance(rule, Named):
        rule = rule.options if isinstance(value, str) else rule.other
    if rule is bool:
        check_flag(name, value)
    elif isinstance(rule, Number):
        if value is not None or not rule.none:
            check_number(name, value, rule.low, rule.high, integer=rule.integer, open_low=rule.open_low)
    elif rule is not None:
        check_option(name, value, rule)


def check_number(name, value, low=None, high=None, *, integer=False, open_low=False):
    """Raise ``ValueError`` unless ``value`` is a finite number within the bounds."""
    kind = Integral if integer else (Integral, float, np.floating)
    bounds = f"{'> ' if open_low else '>= '}{low}" + (f" and <= {high}" if high is not None else "")
    wanted = f"{name} must be {'an integer' if integer else 'a number'} {bounds}"
    if isinstance(value, kind) and not isinstance(value, (bool, np.timedelta64)):
        if isinstance(value, Integral) and abs(int(value)) > LARGEST_INTEGER and name not in SEEDS:
            raise ValueError(f"{wanted}, and of fewer than 32 bits; got one of {int(value).bit_length()}")
        value = plain(value)
        below = value <= low if open_low else value < low
        if math.isfinite(value if not integer else 0) and not below and (high is None or value <= high):
            return
    raise ValueError(f"{wanted}; got {value!r}")


def plain(value):
    """The int, float or bool that equals a scalar of numpy; other values as they are.

    >>> plain(np.uint8(200)) + 100, plain(np.float32(0.5)), plain("none")
    (300, 0.5, 'none')
    """
    if isinstance(value, np.floating):  # of a long double, item() is one
        return float(value)
    return value.item() if isinstance(value, (np.integer, np.bool_)) else value


def check_flag(name, value):
    """Raise ``ValueError`` unless ``value`` is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False; got {value!r}")


def call(name, function, X, must="take X and return one row per sample"):
    """``function(X)`` of a parameter that is the user's own function; ``ValueError`` if it fails."""
    try:
        return function(X)
    except Exception as error:
        raise ValueError(f"{name}: {function!r} failed on an array of shape {X.shape} "
                         f"({type(error).__name__}: {error}); it must {must}") from error


def check_matrix(X, name, *, nonnegative=False, float32=False):
    """A float64 ndarray or CSR array that equals ``X``; ``X`` itself is left untouched.  With ``float32``,
    single precision is kept as it is: memory maps are not read into memory.  Raises ``ValueError`` if X is
    not two-dimensional, empty, masked, no real numbers, NaN or infinite, with the largest entry outside
    1e-150 .. 1e150, or negative where that is forbidden, and for a sparse array with wrong indices."""
    X = _as_array(X, name)
    check_indices(X, name)
    if X.ndim != 2:
        raise ValueError(f"{name} must be two-dimensional (samples in rows), got {X.ndim} dimension(s); "
                         f"reshape it, or put single arrays into a list: fit([X])")
    if max(X.shape) > LARGEST_INTEGER:
        raise ValueError(f"{name} has the shape {tuple(X.shape)}, more rows or columns than 32 bits can "
                         f"count; keep those that have entries")
    if 0 in X.shape:
        raise ValueError(f"{name} is empty: its shape is {tuple(X.shape)}; drop it from Xs or fill it")
    if _holds(X, "cmMV"):
        raise ValueError(f"{name} has complex, date or composite entries; pass real numbers")
    if sp.issparse(X) and X.dtype.kind in "iuf":  # entries of one place are added up, and small types wrap
        X = X.astype(np.float64, copy=False)
    try:  # in single precision scikit-learn's sums over sparse arrays overflow
        X = check_array(X, accept_sparse="csr", ensure_all_finite=False,
                        dtype=[np.float64, np.float32][:1 + (float32 and not sp.issparse(X))])
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} cannot be read as numbers ({error}); pass a numeric array") from error
    smallest, greatest = extremes(X.data if sp.issparse(X) else X)
    if not (math.isfinite(smallest) and math.isfinite(greatest)):
        raise ValueError(f"{name} contains NaN or infinity; remove or impute these entries")
    largest = max(greatest, -smallest)
    if largest and not SMALLEST <= largest <= LARGEST:
        raise ValueError(f"{name} has entries of size {largest:.1e}, whose squares leave the range of "
                         f"floating-point numbers; rescale the data")
    if nonnegative and smallest < 0:
        raise ValueError(f"{name} has negative entries (smallest {smallest:.3g}), which this method "
                         f"forbids; use counts or tf-idf, or shift each feature to be nonnegative")
    return _canonical(X) if sp.issparse(X) else X


def _holds(X, kinds):
    """Whether entries are of such kinds; numpy would turn dates among objects into numbers, and columns of
    dates with a time zone."""
    if any(getattr(kind, "kind", "") in kinds for kind in getattr(X, "dtypes", ())):
        return True
    X = X if sp.issparse(X) else np.asarray(X)
    return X.dtype.kind in kinds or X.dtype == object and any(
        isinstance(value, np.generic) and value.dtype.kind in kinds
        for value in np.asarray(getattr(X, "data", ()) if sp.issparse(X) else X).flat)


def check_indices(X, name, error=ValueError):
    """Raise ``error`` if a sparse array has indices outside it: compiled code would follow them."""
    try:
        _check_format(X)
    except (ValueError, TypeError, IndexError, AttributeError) as reason:
        indices = np.asarray(getattr(X, "indices", ()))
        one_based = indices.size and indices.dtype.kind in "iu" and indices.min() == 1
        raise error(f"{name} is no valid sparse matrix ({reason}); its indices must count from 0"
                    f"{', and these may count from 1: subtract 1' if one_based else ''}") from reason


def _check_format(X):
    form = X.format if sp.issparse(X) else "dense"
    if form in ("csr", "csc", "bsr"):
        ends = np.asarray(X.indptr)
        # scipy takes fractions for integers, and looks at the order of the ends only where entries are.
        if ends.dtype.kind not in "iu" or np.asarray(X.indices).dtype.kind not in "iu":
            raise ValueError("indices must be integers")
        if ends.ndim != 1 or (ends[1:] < ends[:-1]).any():
            raise ValueError("indptr must not decrease")
        X.check_format(full_check=True)
    elif form == "coo":
        if not all(isinstance(part, np.ndarray) for part in (X.data, *X.coords)):
            raise ValueError("coordinates and data must be arrays")
        _check_places(X.shape, X.coords, len(X.data))
    elif form == "dok":
        _check_places(X.shape, list(zip(*X.keys(), strict=True)) or [()] * X.ndim, len(X))
    elif form == "lil":
        lengths = [list(map(len, lists)) for lists in (X.rows, X.data)]
        columns = np.array([column for row in X.rows for column in row])
        if lengths[0] != lengths[1] or len(lengths[0]) != X.shape[0]:
            raise ValueError("rows and data differ in length")
        _check_places(X.shape[1:], [columns], len(columns))
    elif form == "dia" and (X.data.ndim != 2 or X.offsets.shape != X.data.shape[:1]
                            or X.offsets.dtype.kind != "i" or len(set(X.offsets.tolist())) < len(X.offsets)
                            or np.abs(X.offsets.astype(float)).max(initial=0) > LARGEST_INTEGER):
        raise ValueError("each row of data needs one offset of its own, of 32 bits")


def _check_places(shape, coordinates, count):
    for size, places in zip(shape, coordinates, strict=True):
        places = np.asarray(places)
        if places.shape != (count,) or (count and not (
                places.dtype.kind in "iu" and places.min() >= 0 and places.max() < size)):
            raise ValueError(f"coordinates and data differ in length, or are no integers in 0 .. {size - 1}")


def _as_array(X, name):
    if np.ma.is_masked(X):
        raise ValueError(f"{name} has masked entries; impute them or drop their rows")
    try:  # of a frame of sparse columns scikit-learn leaves bool as it is, with which no arithmetic works
        if hasattr(X, "sparse") and X.ndim == 2 and X.size:  # NaN is not stored, by default
            X = X.sparse.to_coo() if all(kind.fill_value == 0 for kind in X.dtypes) else X.sparse.to_dense()
        return X if sp.issparse(X) or hasattr(X, "iloc") else np.asarray(X)
    except MemoryError:
        raise
    except Exception as error:  # a container of another library may raise anything
        raise ValueError(f"{name} cannot be read as an array ({error}); use equally long rows, and copy what "
                         f"another device holds") from error


def _canonical(X):
    X = sp.csr_array(X)
    # scikit-learn refuses 64-bit indices, which slicing sparse arrays can leave behind, and strides.
    kind = np.int32 if max(*X.shape, X.nnz) < 2**31 else X.indices.dtype
    given = X.data, X.indices, X.indptr
    usual = tuple(map(np.ascontiguousarray, given, (X.dtype, kind, kind)))
    if any(new is not old for new, old in zip(usual, given)):
        X = sp.csr_array(usual, shape=X.shape)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _as_list(Xs, what, name="Xs", single="fit([X])"):
    if isinstance(Xs, np.ndarray) and Xs.ndim == 3:
        Xs = list(Xs)
    if not isinstance(Xs, (list, tuple)) or len(Xs) == 0:
        got = "an empty list" if isinstance(Xs, (list, tuple)) else type(Xs).__name__
        raise ValueError(f"{name} must be a list with one two-dimensional array per {what}, got {got}; for a "
                         f"single {what} write {single}")
    return list(Xs)


def aligned(Xs, kind):
    """The same data with data frames in one order: views of a task by their index, tasks by their columns.
    ``ValueError`` if the names of two data frames are not the same, whatever their order, or repeat."""
    if not isinstance(Xs, (list, tuple)) or kind == "lifelong" and not all(
            isinstance(views, (list, tuple)) and len(views) == len(Xs[0]) for views in Xs):
        return Xs  # which is refused later
    if kind != "lifelong":
        return _in_one_order(Xs, "index" if kind == "multiview" else "columns", "Xs[{}]")
    tasks = [_in_one_order(views, "index", f"Xs[{t}][{{}}]") for t, views in enumerate(Xs)]
    views = [_in_one_order(parts, "columns", f"Xs[{{}}][{v}]") for v, parts in enumerate(zip(*tasks))]
    return [list(parts) for parts in zip(*views)]


def _in_one_order(frames, axis, place):
    first, result = None, []
    for i, X in enumerate(frames):
        X = X.compute() if hasattr(X, "compute") else X  # dask counts and picks no rows before
        known = column_names(X) if axis == "columns" else getattr(X, axis, ())
        names = list(known) if hasattr(X, "columns") else []
        first = first or (names and (i, names)) or None
        if names and names != first[1] and len(names) == len(first[1]):
            where = {name: at for at, name in enumerate(names)}
            if where.keys() != set(first[1]) or len(where) < len(names):
                raise ValueError(f"{place.format(i)} and {place.format(first[0])} have different names in "
                                 f"their {axis}, or repeated ones; give both the same {axis}, in any order, "
                                 f"or pass arrays (to_numpy()) whose order you know to agree")
            order = [where[name] for name in first[1]]
            take = getattr(X, "iloc", X)
            X = (X.select(order) if hasattr(X, "column_names") else
                 take[order] if axis == "index" else take[:, order])
        result.append(X)
    return result


def column_names(X):
    """Names of the columns of a data frame; the ``columns`` of a Table of pyarrow are the data."""
    return getattr(X, "column_names", getattr(X, "columns", ()))


def feature_names(X):
    """Names of the columns of a data frame, ndarray of str objects; None if there are none, or others."""
    names = list(column_names(X))
    return np.array(names, dtype=object) if names and all(isinstance(name, str) for name in names) else None


def check_tasks(Xs, *, nonnegative=False):
    """Validated tasks: a list of float64 arrays or CSR arrays with equally many columns."""
    Xs = [check_matrix(X, f"Xs[{t}] (task {t + 1})", nonnegative=nonnegative)
          for t, X in enumerate(_as_list(Xs, "task"))]
    for t, X in enumerate(Xs):
        if X.shape[1] != Xs[0].shape[1]:
            raise ValueError(f"Xs[{t}] (task {t + 1}) has {X.shape[1]} features but Xs[0] has "
                             f"{Xs[0].shape[1]}; tasks must share one feature space, for text one vocabulary")
    return Xs


def check_views(Xs, name="Xs", where="", *, nonnegative=False, float32=False):
    """Validated views: a list of float64 arrays or CSR arrays with equally many rows; see check_matrix.  Of
    one task of a sequence, ``name`` is its place and ``where`` says which it is."""
    place = f"{where}, " if where else ""
    Xs = _as_list(Xs, "view", f"{name} ({where})", "[X]") if where else _as_list(Xs, "view")
    Xs = [check_matrix(X, f"{name}[{v}] ({place}view {v + 1})", nonnegative=nonnegative, float32=float32)
          for v, X in enumerate(Xs)]
    for v, X in enumerate(Xs):
        if X.shape[0] != Xs[0].shape[0]:
            raise ValueError(f"{name}[{v}] ({place}view {v + 1}) has {X.shape[0]} samples but {name}[0] has "
                             f"{Xs[0].shape[0]}; views describe the same samples in the same order")
    return Xs


def check_sequence(Xs, *, nonnegative=False):
    """Validated tasks of views: ``Xs[t][v]`` of shape (n_t, d_v), the same views in all tasks."""
    tasks = [check_views(views, f"Xs[{t}]", f"task {t + 1}", nonnegative=nonnegative)
             for t, views in enumerate(_as_list(Xs, "task"))]
    expected = [X.shape[1] for X in tasks[0]]
    for t, views in enumerate(tasks):
        check_same_views(views, expected, f"Xs[{t}] (task {t + 1})", "Xs[0]")
    return tasks


def check_same_views(views, expected, name, reference):
    """Raise ``ValueError`` unless the views have the expected numbers of features."""
    if len(views) != len(expected):
        raise ValueError(f"{name} has {len(views)} view(s) but {reference} has {len(expected)}; all tasks "
                         f"must have the same views in the same order")
    for v, (X, d) in enumerate(zip(views, expected)):
        if X.shape[1] != d:
            raise ValueError(f"{name}, view {v + 1}, has {X.shape[1]} features but {reference} has {d}; a "
                             f"view must have one feature space in all tasks, for text one vocabulary: keep "
                             f"features that are zero throughout a task")


def empty_samples(X):
    """Which rows hold nothing but zeros, bool (n,); of one feature none does, as 0 is a value like others."""
    if X.shape[1] == 1:
        return np.zeros(X.shape[0], dtype=bool)
    if sp.issparse(X):
        return X.count_nonzero(axis=1) == 0
    return np.concatenate([~X[rows].any(axis=1) for rows in row_blocks(X)])


def check_n_clusters(n_clusters, Xs, *, same_for=None):
    """Number of clusters of each task, from an int or a sequence with one int per task."""
    if isinstance(n_clusters, (list, tuple)) or (isinstance(n_clusters, np.ndarray) and n_clusters.ndim):
        ks = list(n_clusters)
        if len(ks) != len(Xs):
            raise ValueError(f"n_clusters has {len(ks)} entries for {len(Xs)} task(s); give one entry "
                             f"per task, or a single int for all")
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


def check_initial_labels(init, Xs, n_clusters):
    """Initial partitions given by the user, a list with one int array per task; None for a named start.
    Raises ``ValueError`` for a wrong number of arrays or length, or labels outside 0 .. n_clusters[t] - 1."""
    if isinstance(init, str):
        return None
    if not isinstance(init, (list, tuple)) or len(init) != len(Xs):
        raise ValueError(f"init must be a named start or a list with one label array per task "
                         f"({len(Xs)} of them)")
    return [_labels(f"init[{t}]", "hold", given, X.shape[0], k, f" of task {t + 1}")
            for t, (given, X, k) in enumerate(zip(init, Xs, n_clusters))]


def check_init(init, n_samples, n_clusters):
    """Raise ``ValueError`` unless ``init`` is a named start or one label in 0 .. k - 1 per sample."""
    if isinstance(init, str):
        check_option("init", init, ("sample", "points", "labels"))
        return init
    return _labels("init", "be 'sample', 'points', 'labels' or", init, n_samples, n_clusters)


def _labels(name, must, given, n, k, where=""):
    try:
        labels = np.asarray(given)
    except ValueError as error:
        raise ValueError(f"{name} cannot be read as an array ({error}); pass one integer per sample"
                         f"{where}") from error
    if labels.shape != (n,) or labels.dtype.kind not in "iu" or labels.min() < 0 or labels.max() >= k:
        raise ValueError(f"{name} must {must} {n} integers in 0..{k - 1}, one per sample{where}; got shape "
                         f"{labels.shape} and dtype {labels.dtype}")
    return labels.astype(np.intp)
