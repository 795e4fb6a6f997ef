"""Which methods fit a user's own data, and why the others do not."""

import numpy as np
import pandas as pd

from mtclib.base import all_estimators
from mtclib.usage import choose
from mtclib.validation import check_n_clusters

TAKES = {"multitask": "tasks", "multiview": "views",
         "lifelong": "a sequence of tasks, each seen in several views"}  # fmt: skip
DEFAULTS = {"multitask": ("KMeans", "SNMF", "MBC", "SPMTC", "MTCMRL"),
            "multiview": ("ConMC", "RMKMC", "CoregSpectral", "MSPL")}  # fmt: skip
"""Methods where none are named: single-task or simple ones, and the papers' own."""

_SET = ("n_clusters", "random_state")


def methods_for(data, n_clusters=None) -> pd.DataFrame:
    """Every method, and why it can or cannot cluster these data.

    Parameters
    ----------
    data : Dataset
    n_clusters : int, list of int or None, default=None
        As in :func:`numbers_of_clusters`.

    Returns
    -------
    DataFrame
        Index: method.  ``fits`` (bool), ``reason`` (a sentence, "" where it fits), ``source`` (its paper).

    Raises
    ------
    ValueError
        If `n_clusters` cannot be had from these data.

    Examples
    --------
    >>> from mtclib.userexample import example
    >>> methods_for(example("tasks")).loc[["MSPL", "MTCMRL"], "reason"].tolist()
    ['MSPL takes views, and these data are tasks.', '']
    """
    ks = numbers_of_clusters(data, n_clusters)
    rows = {name: _reason(name, cls.traits, data, ks) for name, cls in all_estimators().items()}
    frame = pd.DataFrame({"reason": rows}).rename_axis("method")
    frame.insert(0, "fits", frame["reason"] == "")
    return frame.assign(source=[cls.traits.paper for cls in all_estimators().values()])


def _reason(name, traits, data, ks):
    """Why a method does not fit, or ""."""
    if traits.kind != data.kind:
        return f"{name} takes {TAKES[traits.kind]}, and these data are {TAKES[data.kind]}."
    if traits.same_n_clusters and len(set(ks)) > 1:
        return f"{name} needs the same number of clusters in all tasks, and {ks} were asked for."
    if traits.nonnegative and any(X.min() < 0 for X in data.Xs):
        return f"{name} needs data without negative entries, and these have some."
    return ""


def numbers_of_clusters(data, n_clusters=None) -> list[int]:
    """One number of clusters a task, or one in all for views, checked against the data.

    Parameters
    ----------
    data : Dataset
    n_clusters : int, list of int or None, default=None
        A list holds one number for all, or one a task.  None and [] take the numbers of classes.

    Returns
    -------
    list of int

    Raises
    ------
    ValueError
        If there are no labels to take it from, for views if there are several, or if it is not between 1 and
        the number of samples.

    Examples
    --------
    >>> from mtclib.userexample import example
    >>> numbers_of_clusters(example("tasks")), numbers_of_clusters(example("tasks"), [2])
    ([3, 3, 3], [2, 2, 2])
    """
    if n_clusters is None or n_clusters == []:
        if not all(np.any(y >= 0) for y in as_list(data.labels)):
            raise ValueError("n_clusters: without labels the data do not say how many clusters there are; "
                             "give a number")
        n_clusters = data.n_clusters
    if isinstance(n_clusters, list) and len(n_clusters) == 1:
        n_clusters = n_clusters[0]
    if data.kind == "multiview" and isinstance(n_clusters, list):
        raise ValueError(f"n_clusters: views share their clusters; give one number, not {n_clusters}")
    return check_n_clusters(n_clusters, data.Xs[:1] if data.kind == "multiview" else data.Xs)


def as_list(labels) -> list:
    """Labels as a list with one array a task; views share one.

    Examples
    --------
    >>> len(as_list(np.array([0, 1]))), len(as_list([np.array([0, 1]), np.array([0])]))
    (1, 2)
    """
    return labels if isinstance(labels, list) else [labels]


def check_methods(methods, data, n_clusters=None) -> dict:
    """The chosen methods with their parameters; all of them fit the data.

    Parameters
    ----------
    methods : list of str or dict
        Names in :func:`mtclib.base.all_estimators`, or ``{name: {parameter: value}}``; empty for those of
        `DEFAULTS` that fit, ``["all"]`` for every one that fits.
    data : Dataset
    n_clusters : int, list of int or None, default=None
        As in :func:`numbers_of_clusters`.

    Returns
    -------
    dict of str to dict
        Method to its parameters.

    Raises
    ------
    ValueError
        If there is no such method or parameter, or if a method does not fit: why, and which ones do.

    Examples
    --------
    >>> from mtclib.userexample import example
    >>> check_methods(["ConMC", {"MSPL": {"kappa": 2.0}}], example("views"))
    {'ConMC': {}, 'MSPL': {'kappa': 2.0}}
    """
    known = methods_for(data, n_clusters)
    fitting = list(known.index[known["fits"]])
    if isinstance(methods, list | tuple) and list(methods) == ["all"]:
        return {name: {} for name in fitting}
    chosen = _named(methods)
    for name in chosen:
        choose(name, list(known.index), "methods")
    wrong = [known.loc[name, "reason"] for name in chosen if name not in fitting]
    if wrong:
        raise ValueError(f"methods: {' '.join(wrong)} Methods that fit: {', '.join(fitting)}.")
    for name, values in chosen.items():
        parameters = [key for key in all_estimators()[name](2).get_params() if key not in _SET]
        for key in values:
            choose(key, parameters, f"parameters of {name}")
    return chosen or {name: {} for name in DEFAULTS[data.kind] if name in fitting}


def _named(methods):
    """A list of names and of ``{name: parameters}`` as one dict."""
    chosen = {}
    for entry in methods if isinstance(methods, list | tuple) else [methods]:
        found = {entry: {}} if isinstance(entry, str) else entry
        right = isinstance(methods, list | tuple) and isinstance(found, dict)
        if not right or not all(isinstance(values, dict) for values in found.values()):
            raise ValueError(f"methods must be a list of names or of {{name: {{parameter: value}}}}, such as "
                             f"['KMeans', {{'MTCMRL': {{'lam': 1.0}}}}]; got {methods!r}")
        chosen.update(found)
    return chosen
