"""A user's own data: which methods fit, which are recommended, their clusters, and how far they agree."""

import csv
import logging
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import delayed
from sklearn.exceptions import ConvergenceWarning

from mtclib import __version__
from mtclib.baselines.registry import all_estimators
from mtclib.companion.parameters import choose
from mtclib.companion.runs import attempt
from mtclib.companion.runs.runner import make_bar, processes
from mtclib.companion.userdata.bundle import MANIFEST, bundle, safe
from mtclib.companion.userdata.contents import aligned, as_list, contents
from mtclib.companion.userdata.load import UserData, preparation, with_names
from mtclib.core import checks
from mtclib.core.base import spawn_seeds
from mtclib.core.checks import check_n_clusters, check_number
from mtclib.datasets import Dataset
from mtclib.metrics import adjusted_rand_index, agreement, score_all

TAKES = {"multitask": "tasks", "multiview": "views",
         "lifelong": "a sequence of tasks, each seen in several views"}
RECOMMENDED = {"multitask": "ConsensusClustering", "multiview": "LandmarkSpectral"}
"""What the committed comparison advises for any data, for tasks and for views."""
DEFAULTS = {"multitask": (RECOMMENDED["multitask"], "MTCMRL", "MBC", "SPMTC", "KMeans"),
            "multiview": (RECOMMENDED["multiview"], "MSPL", "ConMC")}
"""Methods where none are named: the recommended one, the papers' own, and k-means as the yardstick."""
GRAPHS = {**dict.fromkeys(("AWP", "CoregSpectral", "MTSC", "MultiViewSNMF", "WMSC"), {"affinity": "auto"}),
          **dict.fromkeys(("CLR", "LLMC"), {"metric": "auto"}),
          "SpectralNJW": {"affinity": "auto", "n_neighbors": "scales"}}
"""Parameters that differ from the defaults, which are those of the papers: neighbours by cosine for data
of mostly zeros, by distance for others."""
SHOWN = {"SpectralNJW": "Spectral NJW", "KMeans": "k-means", "Stacked": "All k-means", "ConMC": "Con-MC",
         "SNMFLR": "SNMF+LR", "CCAClustering": "CCA", "ConsensusClustering": "Consensus",
         "MultiViewConsensus": "Consensus"}
"""Names that the comparison shows for classes of other names; either may be given."""
SCORES = ("ACC", "NMI_arithmetic", "ARI", "purity")
RUNS = {"quick": 3, "full": 10}  # runs of a method in the profiles of the notebook
RELATED = ("Clusters of one group belong together across tasks and have one colour in the pictures. "
           "related.csv lists such pairs with their similarity, 1 for the same and 0 for nothing in common; "
           "a cluster that is like none of another task is a group of its own.")
READERS = {"multitask": checks.check_tasks, "multiview": partial(checks.check_views, float32=True)}
_SET = ("n_clusters", "random_state")


# ---- which methods fit -------------------------------------------------------------------------------------


def methods_for(data, n_clusters=None) -> pd.DataFrame:
    """Every method, whether it ``fits`` these data, the ``reason`` why not, its ``source`` (paper)."""
    ks = numbers_of_clusters(data, n_clusters)
    frame = pd.DataFrame({"reason": _reasons(data.kind, ks, data.Xs)}).rename_axis("method")
    frame.insert(0, "fits", frame["reason"] == "")
    return frame.assign(source=[cls.traits.paper for cls in all_estimators().values()])


def _reasons(kind, ks=(), Xs=()):
    """Why each method does not fit, or ""."""
    negative, reasons = any(X.min() < 0 for X in Xs), dict.fromkeys(all_estimators(), "")
    for name, traits in ((name, cls.traits) for name, cls in all_estimators().items()):
        if traits.kind != kind:
            reasons[name] = f"{name} takes {TAKES[traits.kind]}, and these data are {TAKES[kind]}."
        elif traits.same_n_clusters and len(set(ks)) > 1:
            reasons[name] = f"{name} needs the same number of clusters in all tasks, and {ks} were asked for."
        elif traits.nonnegative and negative:
            reasons[name] = f"{name} needs data without negative entries, and these have some."
    return reasons


def numbers_of_clusters(data, n_clusters=None) -> list[int]:
    """One number of clusters per task, or one in all for views, checked against the data. ``n_clusters`` is a
    number, a list with one for all or one per task; None and [] take as many as classes."""
    if n_clusters is None or np.size(n_clusters) == 0:
        if not all(np.any(y >= 0) for y in as_list(data.labels)):
            raise ValueError("n_clusters: give a number, for without classes the data do not say how many "
                             "clusters there are; mtclib.companion.userdata.number proposes some")
        n_clusters = data.n_clusters
    if isinstance(n_clusters, list) and len(n_clusters) == 1:
        n_clusters = n_clusters[0]
    if data.kind == "multiview" and isinstance(n_clusters, list):
        raise ValueError(f"n_clusters: views share their clusters; give one number, not {n_clusters}")
    try:
        return check_n_clusters(n_clusters, data.Xs[:1] if data.kind == "multiview" else data.Xs)
    except ValueError as error:
        raise ValueError(with_names(error, data.task_names)) from error


def check_methods(methods, data, n_clusters=None) -> dict:
    """The chosen methods with their parameters; an error says why one does not fit, and which ones do.

    ``methods`` holds names of `all_estimators` or names that the comparison shows, such as "Spectral NJW", or
    ``{name: {parameter: value}}``; it is empty for those of `DEFAULTS` that fit, or holds "all" for every one
    that fits, the recommended one first.  Parameters of `GRAPHS` are added where they are not given.

    >>> from mtclib.companion.userdata.load import example
    >>> check_methods(["k-means", {"MSPL": {"kappa": 2.0}}], example("views"))
    {'ConMC': {}, 'MSPL': {'kappa': 2.0}}
    """
    chosen = named(methods, data.kind, numbers_of_clusters(data, n_clusters), data.Xs)
    return {name: GRAPHS.get(name, {}) | values for name, values in chosen.items()}


def named(methods, kind, ks=(), Xs=()) -> dict:
    """The same without the parameters of `GRAPHS`; before the data are read, as far as their kind tells."""
    reasons = _reasons(kind, ks, Xs)
    fitting = [name for name, reason in reasons.items() if not reason]
    if isinstance(methods, list | tuple) and "all" in map(_letters, methods):
        every = sorted(fitting, key=RECOMMENDED[kind].__ne__)
        methods = [*every, *(entry for entry in methods if _letters(entry) != "all")]
    chosen = {}
    for given, values in _entries(methods):
        name = choose(class_name(given, kind), list(reasons), "methods")
        parameters = [key for key in all_estimators()[name](2).get_params() if key not in _SET]
        for key in values:
            choose(key, parameters, f"parameters of {name}")
        if values and chosen.get(name, {}) not in ({}, values):
            raise ValueError(f"methods: {name} has {chosen[name]} and {values}; cluster once with each")
        chosen[name] = values or chosen.get(name, {})
    if wrong := [reasons[name] for name in chosen if reasons[name]]:
        raise ValueError(f"methods: {' '.join(wrong)} Methods that fit: {', '.join(fitting)}.")
    return chosen or {name: {} for name in DEFAULTS[kind] if name in fitting}


def class_name(name, kind) -> str:
    """The class that a name stands for, whatever its capitals, spaces and hyphens; an unknown name as it is.

    >>> class_name("spectral njw", "multitask"), class_name("k-means", "multiview")
    ('SpectralNJW', 'ConMC')
    """
    known = {_letters(given): given for given in all_estimators()}
    # Of two classes with one name that of the kind.
    fitting = sorted(SHOWN, key=lambda given: all_estimators()[given].traits.kind == kind)
    known |= {_letters(SHOWN[given]): given for given in fitting}
    known["kmeans"] = DEFAULTS[kind][-1]
    # A class of that very name comes first: KMeans for views is then refused with the reason.
    return name if name in all_estimators() else known.get(_letters(name), name)


def _letters(name):
    return "".join(filter(str.isalnum, str(name))).casefold()


def shown_name(name) -> str:
    """The name of a class as the comparison shows it."""
    return SHOWN.get(name, name)


def _entries(methods):
    """The pairs of a name and its parameters in a list of names and of ``{name: parameters}``."""
    for entry in methods if isinstance(methods, list | tuple) else [None]:
        found = {entry: {}} if isinstance(entry, str) else entry
        if not isinstance(found, dict) or not all(isinstance(values, dict) for values in found.values()):
            raise ValueError(f"methods must be a list of names or of {{name: {{parameter: value}}}}, such as "
                             f"['KMeans', {{'MTCMRL': {{'lam': 1.0}}}}]; got {methods!r}")
        yield from found.items()


# ---- running them ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Clusterings:
    """Clusters of the same data by several methods. ``frame`` has one row per method and task (for views one
    per method): ``method, task, status`` ("ok" or "failed"), ``sizes`` (of the clusters, largest first, as
    text), scores (NaN without labels), ``stability`` (mean adjusted Rand index between runs, NaN for one
    run), ``seconds`` (mean of a run), ``n_iter``, ``converged``, ``runs``, ``notes`` (warnings),
    ``error``."""

    frame: pd.DataFrame
    labels: dict  # method to (a list of) arrays, of the run with the lowest objective; failed ones left out
    data: Dataset
    settings: dict = field(default_factory=dict)  # n_clusters, methods with parameters, seed
    relations: dict = field(default_factory=dict)  # method to the relation of its clusters, if it has one
    sure: dict = field(default_factory=dict)  # of a consensus: share of members that agree, like its labels

    def agreement(self) -> pd.DataFrame:
        """Adjusted Rand index of each pair of methods, the mean over tasks; methods by methods."""
        return pd.DataFrame({one: {two: _similarity(labels, others) for two, others in self.labels.items()}
                             for one, labels in self.labels.items()}).rename_axis("method")

    def first(self) -> str:
        """The first method that succeeded: the recommended one where none, or all, were named."""
        if not self.labels:
            errors = self.frame.drop_duplicates("method").set_index("method")["error"]
            raise ValueError("every method failed: " + "; ".join(f"{m}: {e}" for m, e in errors.items()))
        return next(iter(self.labels))

    def agreements(self, name) -> list | None:
        """Share of the members of a consensus, else of the other methods, that put each sample where the
        method does: an array for each task, or one in all for views; None if there is no other."""
        others = [as_list(labels) for other, labels in self.labels.items() if other != name]
        if self.sure.get(name) is not None:
            return as_list(self.sure[name])
        return [agreement(found, parts) for found, *parts in zip(as_list(self.labels[name]), *others)] \
            if others else None

    def groups(self, name):
        """Which of the clusters of different tasks belong together, see :func:`contents.aligned`."""
        return aligned(self.data, self.labels[name], self.relations.get(name))

    def save(self, folder, raw=False, draw=None) -> list[Path]:
        """Write a bundle and return its files, see :func:`bundle.bundle` for what is refused:
        ``clusters-METHOD.csv`` (task, sample, class, cluster, group and agreement, see ``agreements``),
        ``methods.csv`` (the frame), ``agreement.csv``; of the first method ``contents.csv``,
        ``related.csv`` (for tasks) and ``report.txt``; and what ``draw(folder)`` adds.  Unless `raw`, text
        that a spreadsheet would run is marked."""
        tables = {f"clusters-{name}": self._table(name) for name in self.labels}
        tables |= {"methods": self.frame, "agreement": self.agreement().reset_index()}
        if self.labels:
            groups = self.groups(self.first())
            tables["contents"] = contents(self.data, self.labels[self.first()], groups)
            if self.data.kind == "multitask":
                tables["related"] = groups.related
        with bundle(folder, self.settings, self.data.sources, self.data.files) as (place, partial):
            marked = 0
            for name, table in tables.items():
                table, count = (table, 0) if raw else safe(table)
                marked += count
                text = table.to_csv(index=False, lineterminator="\n")
                if "\r" in text:  # in a name, where it would end the line
                    text = table.to_csv(index=False, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
                (partial / f"{name}.csv").write_text(text, encoding="utf-8", newline="")
            if marked:
                logging.getLogger(__name__).info(
                    "%s cells of the CSV files begin like a formula and have ' in front, so that no "
                    "spreadsheet runs them; --raw (raw=True) leaves them as they are", marked)
            if self.labels:
                (partial / "report.txt").write_text(report(self) + "\n", encoding="utf-8")
            if draw:
                draw(partial)
            others = {MANIFEST, *(path.name for path in partial.iterdir() if path.suffix != ".csv")}
        return [place / f"{name}.csv" for name in tables] + [place / name for name in sorted(others)]

    def _table(self, name):
        """Row i of a task is its sample i, counted from 1 where samples have no names."""
        data, parts, labels, groups = self.data, [], self.labels[name], self.groups(name)
        sure = self.agreements(name)
        for t, (found, truth) in enumerate(zip(as_list(labels), as_list(data.labels))):
            names, ids = np.array([*data.class_names[t], ""], dtype=object), data.sample_names[t]
            parts.append(pd.DataFrame({
                "task": "" if data.kind == "multiview" else data.task_names[t],
                "sample": np.arange(1, len(found) + 1) if ids is None else ids,
                "class": names[truth], "cluster": found + 1,
                "group": np.array(groups.names, dtype=object)[groups.codes[t][found]],
                **({} if sure is None else {"agreement": sure[t].round(3)})}))
        return pd.concat(parts, ignore_index=True)


def cluster(data: Dataset, methods: Sequence = (), n_clusters: int | list[int] | None = None, *,
            n_runs: int = 1, seed: int = 0, n_jobs: int = 1, progress: bool | None = None) -> Clusterings:
    """Run methods on the same data; one that fails does not stop the others.

    `methods` and `n_clusters` are as in :func:`check_methods` and :func:`numbers_of_clusters`.  Of `n_runs`
    with different seeds, which are the same for all methods, that with the lowest objective is kept.
    `progress` None shows a bar on a terminal and in JupyterLab.  ValueError before anything runs if a method
    or the name of a parameter is unknown, or a method or a number does not fit; what a method itself refuses
    is its row's ``error``.

    >>> from mtclib.companion.userdata.load import example
    >>> result = cluster(example("tasks"), ["KMeans", "MBC"], 3)
    >>> result.frame["sizes"].notna().all() and list(result.labels) == ["KMeans", "MBC"]
    True
    """
    if not isinstance(data, UserData):
        labels = as_list(data.labels)
        classes = [names or tuple(map(str, range(max(y, default=-1) + 1)))
                   for names, y in zip(data.class_names or [()] * len(labels), labels)]
        data = UserData(**vars(data) | {
            "Xs": READERS[choose(data.kind, READERS, "data: kind")](checks.aligned(data.Xs, data.kind)),
            "class_names": tuple(classes)}, feature_names=(None,) * len(data.Xs),
            sample_names=(None,) * len(labels))
    chosen, ks = check_methods(methods, data, n_clusters), numbers_of_clusters(data, n_clusters)
    for name, value, least in (("n_runs", n_runs, 1), ("n_jobs", n_jobs, 1), ("seed", seed, 0)):
        check_number(name, value, low=least, integer=True)
    jobs = [delayed(_fit)(name, parameters, ks if data.kind == "multitask" else ks[0], run_seed, data.Xs)
            for name, parameters in chosen.items() for run_seed in spawn_seeds(seed, n_runs)]
    done = []
    try:
        with make_bar(len(jobs), progress) as bar:
            for run in processes(n_jobs, return_as="generator")(jobs):
                done.append(run)
                bar.set_postfix_str(run["method"], refresh=False)
                bar.update()
    except BrokenProcessPool as error:
        raise MemoryError(f"a process of {jobs[len(done)][1][0]} or a method after it died, perhaps for lack "
                          f"of memory; take fewer processes (--n-jobs, n_jobs) or other methods") from error
    best, rows = {}, []
    for i, name in enumerate(chosen):
        runs = done[i * n_runs : (i + 1) * n_runs]
        if good := [run for run in runs if not run["error"]]:
            best[name] = min(good, key=lambda run: run["objective"])
        rows += _rows(name, runs, good, best.get(name), data)
    settings = {"n_clusters": ks, "methods": chosen, "seed": seed, "runs": n_runs,
                "preprocessing": list(data.preprocessing)}
    labels, relations, sure = ({name: run[key] for name, run in best.items()}
                               for key in ("labels", "relation", "sure"))
    return Clusterings(pd.DataFrame(rows), labels, data, settings, relations, sure)


def _fit(name, parameters, n_clusters, seed, Xs):
    """One run of one method, in any process; an error becomes a record."""
    done = attempt(_fitted, name, parameters, n_clusters, seed, Xs)
    notes = {str(w.message) for w in done.caught if not issubclass(w.category, ConvergenceWarning)}
    return {"method": name, "seconds": done.seconds, "notes": "; ".join(sorted(notes)),
            "error": done.message, **(done.value or {})}


def _fitted(name, parameters, n_clusters, seed, Xs):
    model = all_estimators()[name](n_clusters, random_state=seed, **parameters).fit(Xs)
    return {"labels": model.labels_, "relation": getattr(model, "relation_", None),
            "sure": getattr(model, "agreement_", None),
            "objective": float(model.objective_[-1]), "n_iter": int(model.n_iter_),
            "converged": bool(model.converged_)}


def _rows(name, runs, good, best, data):
    """Rows of the frame of one method: all its runs, those that ended well, and the best of these."""
    pairs = [_similarity(one["labels"], two["labels"]) for one, two in combinations(good, 2)]
    shared = {
        "stability": float(np.mean(pairs)) if pairs else np.nan,
        "seconds": float(np.mean([r["seconds"] for r in runs])),
        "n_iter": best["n_iter"] if best else 0, "converged": bool(best and best["converged"]),
        "runs": len(good), "notes": "; ".join(sorted({r["notes"] for r in runs} - {""})),
        "error": next((r["error"] for r in runs if r["error"]), ""),
    }
    tasks = ("",) if data.kind == "multiview" else data.task_names
    for t, (task, truth) in enumerate(zip(tasks, as_list(data.labels))):
        row = {"method": name, "task": task, "status": "ok" if best else "failed", "sizes": ""}
        row |= dict.fromkeys(SCORES, np.nan)
        if best:
            found, known = as_list(best["labels"])[t], truth >= 0
            row["sizes"] = " ".join(map(str, sorted(np.unique(found, return_counts=True)[1], reverse=True)))
            scores = score_all(truth[known], found[known]) if known.any() else {}
            row |= {score: scores[score] for score in SCORES if scores}
        yield row | shared


def _similarity(one, two):
    """Mean adjusted Rand index over tasks."""
    return float(np.mean([adjusted_rand_index(a, b) for a, b in zip(as_list(one), as_list(two))]))


# ---- in words ----------------------------------------------------------------------------------------------


def report(result) -> str:
    """A paragraph for one's own report: what the first method of `Clusterings` did, and on what."""
    name, data, settings = result.first(), result.data, result.settings
    traits, rows = all_estimators()[name].traits, result.frame[result.frame["method"] == name]
    given = ", ".join(f"{key} = {value}" for key, value in settings["methods"][name].items())
    sizes = "; ".join(f"{row.task}: {row.sizes}" if row.task else row.sizes for row in rows.itertuples())
    runs = rows["runs"].iloc[0]
    best = "one run" if runs == 1 else f"the best of {runs} runs by the objective"
    n, d = data.Xs[0].shape
    views = data.kind == "multiview"
    parts = ", ".join(f"{name}: {X.shape[1]} features" if views else f"{name}: {X.shape[0]} samples"
                      for name, X in zip(data.task_names, data.Xs))
    what = f"{n} samples in views ({parts})" if views else f"tasks with {d} shared features ({parts})"
    said = [f"We clustered {what} with {shown_name(name)} ({traits.paper}) as implemented in "
            f"mtclib {__version__}. Preparation: {'; '.join(preparation(data))}. "
            f"Numbers of clusters: {', '.join(map(str, settings['n_clusters']))}; parameters: "
            f"{given or 'the defaults'}; {best} (seed {settings['seed']}). Samples per cluster: {sizes}."]
    if rows["stability"].notna().any():
        said.append(f"The mean adjusted Rand index between two runs is {rows['stability'].iloc[0]:.2f}.")
    if rows["ARI"].notna().any():
        said.append(f"Against the given classes the adjusted Rand index is {rows['ARI'].mean():.2f} and the "
                    f"accuracy {rows['ACC'].mean():.2f}.")
    yardstick = DEFAULTS[data.kind][-1]
    if yardstick in result.labels and yardstick != name:
        said.append(f"The adjusted Rand index with the clusters of k-means is "
                    f"{result.agreement().loc[name, yardstick]:.2f}.")
    if [len(sizes.split()) for sizes in rows["sizes"]] != settings["n_clusters"]:
        said.append("Fewer clusters than were asked for have samples.")
    said += ["The method stopped before it converged."] * (not rows["converged"].iloc[0])
    said += [f"Warnings: {notes}." for notes in rows["notes"].iloc[:1] if notes]
    return " ".join(said)
