"""Every method once, at its defaults, on small planted data: proof that it runs, not a comparison."""

import warnings
from time import process_time

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning

from mtclib.base import all_estimators
from mtclib.datasets import load
from mtclib.methods import kind_of
from mtclib.metrics import adjusted_rand_index
from mtclib.threads import one_thread

EVERY = 4
"""Of the 400 planted points with three views, one of so many is used."""


def planted(kind, seed):
    """Small data with known clusters, for a kind of estimator.

    Parameters
    ----------
    kind : {'multitask', 'multiview', 'lifelong'}
        Three tasks of tf-idf; 100 points in three views; three tasks of counts in two views each.
    seed : int

    Returns
    -------
    Xs : list
    labels : list of ndarray
        One array a task; for views one in all.
    n_clusters : int or list of int

    Examples
    --------
    >>> Xs, labels, n_clusters = planted("lifelong", 0)
    >>> [X.shape for X in Xs[0]], n_clusters
    ([(60, 40), (60, 40)], [3, 3, 3])
    """
    if kind == "multiview":
        data = load("mspl-toy", random_state=seed)
        return [X[::EVERY] for X in data.Xs], [data.labels[::EVERY]], data.n_clusters
    if kind == "multitask":
        data = load("toy-multitask", random_state=seed)
        return data.Xs, data.labels, data.n_clusters
    # Rows stand in the order of the topics, so that two draws are two views of the same clusters.
    first, second = (load("toy-multitask", random_state=draw, weighting="counts")
                     for draw in (2 * seed, 2 * seed + 1))
    return [list(views) for views in zip(first.Xs, second.Xs)], first.labels, first.n_clusters


def trial(seed=0, n_runs=1, n_jobs=1):
    """Fit every method at its defaults.

    Parameters
    ----------
    seed : int, default 0
        Of the data and the methods in the first run; each further run takes the next one.
    n_runs : int, default 1
    n_jobs : int, default 1
        Processes.

    Returns
    -------
    DataFrame
        One row a method, index: kind and method.  ``ARI``, mean over tasks and runs, ``seconds`` of the
        processor a fit, ``iterations``, the mean, and ``converged``, whether all runs did.

    Examples
    --------
    >>> trial().loc[("multi-task", "MBC"), "iterations"] > 0  # doctest: +SKIP
    True
    """
    jobs = [(name, seed + run) for name in all_estimators() for run in range(n_runs)]
    frame = pd.DataFrame(Parallel(n_jobs)(delayed(_fit)(*job) for job in jobs))
    rules = {"ARI": "mean", "seconds": "mean", "iterations": "mean", "converged": "all"}
    return frame.groupby(["kind", "method"]).agg(rules)


def _fit(name, seed):
    cls = all_estimators()[name]
    Xs, labels, n_clusters = planted(cls.traits.kind, seed)
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore", ConvergenceWarning)
        start = process_time()
        model = cls(n_clusters, random_state=seed).fit(Xs)
        seconds = process_time() - start
    found = model.labels_ if isinstance(model.labels_, list) else [model.labels_]
    scores = [adjusted_rand_index(true, h) for true, h in zip(labels, found)]
    return {"kind": kind_of(cls), "method": name, "ARI": float(np.mean(scores)), "seconds": seconds,
            "iterations": int(model.n_iter_), "converged": model.converged_}  # fmt: skip
