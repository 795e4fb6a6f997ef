"""Chosen methods on a user's own data: their clusters, and how far they agree."""

import time
import warnings
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning

from mtclib.base import all_estimators, spawn_seeds
from mtclib.experiments.bars import is_watched, make_bar
from mtclib.metrics import adjusted_rand_index, score_all
from mtclib.threads import one_thread
from mtclib.usermethods import as_list, check_methods, numbers_of_clusters
from mtclib.validation import check_number

SCORES = ("ACC", "NMI_arithmetic", "ARI", "purity")
RUNS = {"quick": 3, "full": 10}
"""Runs of a method in the profiles of the notebook."""


@dataclass(frozen=True, eq=False)
class Clusterings:
    """Clusters of the same data by several methods.

    Attributes
    ----------
    frame : DataFrame
        One row a method and task (for views one a method): ``method, task, status`` ("ok" or "failed"),
        ``sizes`` (of the clusters, largest first, as text), scores (NaN without labels), ``stability`` (mean
        adjusted Rand index between runs, NaN for one run), ``seconds`` (mean of a run), ``n_iter``,
        ``converged``, ``runs``, ``notes`` (warnings), ``error``.
    labels : dict of str to (list of) ndarray of int
        Method to clusters, of the run with the lowest objective; failed methods are left out.
    data : Dataset
    """

    frame: pd.DataFrame
    labels: dict
    data: object

    def agreement(self) -> pd.DataFrame:
        """Adjusted Rand index of each pair of methods, the mean over tasks; methods by methods."""
        names = list(self.labels)
        frame = pd.DataFrame(np.eye(len(names)), index=names, columns=names).rename_axis("method")
        for one, two in combinations(names, 2):
            frame.loc[one, two] = frame.loc[two, one] = _similarity(self.labels[one], self.labels[two])
        return frame

    def central(self) -> str:
        """The method that agrees best with the others, for want of labels; the first of equal ones."""
        if not self.labels:
            errors = self.frame.drop_duplicates("method").set_index("method")["error"]
            raise ValueError("every method failed: " + "; ".join(f"{m}: {e}" for m, e in errors.items()))
        return str(self.agreement().mean(axis=1).round(9).idxmax())

    def save(self, folder) -> list[Path]:
        """Write ``clusters-METHOD.csv`` (task, sample, class, cluster) and the tables, replacing older ones.

        Parameters
        ----------
        folder : path-like
            Made if missing.

        Returns
        -------
        list of Path
            With ``methods.csv`` (the frame) and ``agreement.csv`` at the end.
        """
        folder = Path(folder).expanduser()
        folder.mkdir(parents=True, exist_ok=True)
        files = []
        for name, labels in self.labels.items():
            files.append(folder / f"clusters-{name}.csv")
            self._table(labels).to_csv(files[-1], index=False)
        files += [folder / "methods.csv", folder / "agreement.csv"]
        self.frame.to_csv(files[-2], index=False)
        self.agreement().to_csv(files[-1])
        return files

    def _table(self, labels):
        """Row i of a task is its sample i, counted from 1 where samples have no names."""
        data, parts = self.data, []
        views = data.kind == "multiview"
        samples = getattr(data, "sample_names", ()) or [None] * len(as_list(labels))
        for t, (found, truth) in enumerate(zip(as_list(labels), as_list(data.labels))):
            names = np.array([*(data.class_names[t] if data.class_names else ()), ""], dtype=object)
            parts.append(pd.DataFrame({
                "task": "" if views else data.task_names[t],
                "sample": np.arange(1, len(found) + 1) if samples[t] is None else samples[t],
                "class": names[truth], "cluster": found + 1}))  # fmt: skip
        return pd.concat(parts, ignore_index=True)


def cluster(data, methods=(), n_clusters=None, *, n_runs=1, seed=0, n_jobs=1, progress=None):
    """Run methods on the same data; one that fails does not stop the others.

    Parameters
    ----------
    data : Dataset
    methods : list of str or dict, default=()
        As in :func:`mtclib.usermethods.check_methods`.
    n_clusters : int, list of int or None, default=None
        As in :func:`mtclib.usermethods.numbers_of_clusters`.
    n_runs : int, default=1
        Runs of a method, with different seeds; the run with the lowest objective is kept.
    seed : int, default=0
        Root of all seeds; the same for all methods.
    n_jobs : int, default=1
        Processes.
    progress : bool, optional
        Whether to show a bar; None shows it on a terminal and in JupyterLab.

    Returns
    -------
    Clusterings

    Raises
    ------
    ValueError
        Before anything runs: a method or the name of a parameter is unknown, or a method or a number does not
        fit.  What a method itself refuses is its row's ``error``.

    Examples
    --------
    >>> from mtclib.userexample import example
    >>> result = cluster(example("tasks"), ["KMeans", "MBC"], 3)
    >>> result.frame["sizes"].notna().all() and list(result.labels) == ["KMeans", "MBC"]
    True
    """
    chosen = check_methods(methods, data, n_clusters)
    ks = numbers_of_clusters(data, n_clusters)
    for name, value, least in (("n_runs", n_runs, 1), ("n_jobs", n_jobs, 1), ("seed", seed, 0)):
        check_number(name, value, low=least, integer=True)
    k = ks[0] if data.kind == "multiview" else ks
    jobs = [delayed(_fit)(name, parameters, k, run_seed, data.Xs)
            for name, parameters in chosen.items() for run_seed in spawn_seeds(seed, n_runs)]  # fmt: skip
    done = _run(jobs, n_jobs, is_watched() if progress is None else progress)
    runs = {name: done[i * n_runs : (i + 1) * n_runs] for i, name in enumerate(chosen)}
    best = {name: min((run for run in runs[name] if not run["error"]), key=lambda run: run["objective"],
                      default=None) for name in chosen}  # fmt: skip
    rows = [row for name in chosen for row in _rows(name, runs[name], best[name], data)]
    return Clusterings(pd.DataFrame(rows), {name: run["labels"] for name, run in best.items() if run}, data)


def _run(jobs, n_jobs, watched):
    bar, done = make_bar(len(jobs)) if watched else None, []
    for run in Parallel(n_jobs=n_jobs, return_as="generator")(jobs):
        done.append(run)
        if bar is not None:
            bar.set_postfix_str(run["method"], refresh=False)
            bar.update()
    if bar is not None:
        bar.close()
    return done


def _fit(name, parameters, n_clusters, seed, Xs):
    """One run of one method, in any process; an error becomes a record."""
    with one_thread(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.perf_counter()
        try:
            model = all_estimators()[name](n_clusters, random_state=seed, **parameters).fit(Xs)
            run = {"labels": model.labels_, "objective": float(model.objective_[-1]), "error": "",
                   "n_iter": int(model.n_iter_), "converged": bool(model.converged_)}  # fmt: skip
        except Exception as error:  # whatever it is, the other methods still count
            run = {"error": f"{type(error).__name__}: {' '.join(str(error).split())}"}
    kept = {str(w.message) for w in caught if not issubclass(w.category, ConvergenceWarning)}
    return {"method": name, "seconds": time.perf_counter() - start, "notes": "; ".join(sorted(kept)), **run}


def _rows(name, runs, best, data):
    """Rows of the frame of one method."""
    good = [run for run in runs if not run["error"]]
    pairs = [_similarity(one["labels"], two["labels"]) for one, two in combinations(good, 2)]
    shared = {
        "stability": float(np.mean(pairs)) if pairs else np.nan,
        "seconds": float(np.mean([r["seconds"] for r in runs])),
        "n_iter": best["n_iter"] if best else 0, "converged": bool(best and best["converged"]),
        "runs": len(good), "notes": "; ".join(sorted({r["notes"] for r in runs} - {""})),
        "error": next((r["error"] for r in runs if r["error"]), ""),
    }  # fmt: skip
    tasks = ("",) if data.kind == "multiview" else data.task_names
    for t, (task, truth) in enumerate(zip(tasks, as_list(data.labels))):
        row = {"method": name, "task": task, "status": "ok" if best else "failed", "sizes": ""}
        row |= dict.fromkeys(SCORES, np.nan)
        if best:
            found, known = as_list(best["labels"])[t], truth >= 0
            sizes = np.unique(found, return_counts=True)[1]
            row["sizes"] = " ".join(map(str, sorted(sizes, reverse=True)))
            scores = score_all(truth[known], found[known]) if known.any() else {}
            row |= {score: scores[score] for score in SCORES if scores}
        yield row | shared


def _similarity(one, two):
    """Mean adjusted Rand index over tasks."""
    return float(np.mean([adjusted_rand_index(a, b) for a, b in zip(as_list(one), as_list(two))]))
