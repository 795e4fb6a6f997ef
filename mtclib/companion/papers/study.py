"""A paper's study as its notebook shows it: what is printed, what was run, and what follows.

A notebook makes one ``Study`` and asks it; nothing here is computed twice, and nothing here knows a
particular paper.  Tables with verdicts come from the committed results of the full profile; what runs
live in the quick profile is shown beside the printed numbers without a verdict.

Relation matrices between the clusters of two tasks, renamed by their classes.
"""

import json
from functools import cached_property
from importlib import import_module

import numpy as np
import pandas as pd

from mtclib.companion import plots, runs
from mtclib.companion.runs import papers
from mtclib.companion.runs.results import pooled
from mtclib.companion.verdicts import audit, judge, ledger, published
from mtclib.core import paths
from mtclib.metrics import match_clusters

COLUMNS = ("dataset", "run", "task", "other", "row", "column", "value")


def relation_frame(dataset, relations, labels_true, labels_pred, families, run=0) -> pd.DataFrame:
    """Entries of relation matrices by the classes that the clusters stand for.

    The paper maps clusters to classes by the permutation of the accuracy measure before it prints a relation
    (MTCMRL, section 4.6); so does this function, on both sides.

    Parameters
    ----------
    dataset : str
        Name.
    relations : mapping of (int, int) to array-like of shape (h_t, h_s)
        G^(t,s), tasks counted from 0, as ``MTCMRL.relation_``.
    labels_true : list of array-like of shape (n_t,), int
        Classes of each task, 0 .. number of classes - 1.
    labels_pred : list of array-like of shape (n_t,), int
        Clusters of each task; cluster i is row (column) i of the relation.
    families : list of sequence of str
        For each task the family of each class, equal for related classes of different tasks, e.g. the root
        category of a newsgroup.
    run : int, default=0
        Number of the run.

    Returns
    -------
    DataFrame
        Columns ``dataset, run, task, other, row, column, value``; tasks counted from 1, as text.  Clusters
        without a document or without a class are left out.

    Raises
    ------
    ValueError
        A relation whose shape does not fit the clusters.

    Examples
    --------
    >>> G = {(0, 1): [[0.1, 0.6], [0.3, 0.0]]}
    >>> labels = [[0, 0, 1, 1], [0, 1, 1, 1]]
    >>> frame = relation_frame("toy", G, labels, [[1, 1, 0, 0], [0, 1, 1, 1]], [("comp", "rec")] * 2)
    >>> frame[["row", "column", "value"]].values.tolist()[:2]
    [['rec', 'comp', 0.1], ['rec', 'rec', 0.6]]
    """
    names = [
        {cluster: family[kind] for cluster, kind in match_clusters(true, pred).items() if kind != -1}
        for true, pred, family in zip(labels_true, labels_pred, families)
    ]
    rows = []
    for (t, s), relation in relations.items():
        relation = np.asarray(relation, dtype=float)
        if relation.ndim != 2 or any(max(names[k]) >= size for k, size in zip((t, s), relation.shape)):
            raise ValueError(
                f"relations[{t}, {s}] has shape {relation.shape}: fewer rows or columns than clusters"
            )
        rows += [
            (dataset, run, str(t + 1), str(s + 1), names[t][i], names[s][j], relation[i, j])
            for i in sorted(names[t])
            for j in sorted(names[s])
        ]
    return pd.DataFrame(rows, columns=list(COLUMNS))

NOT_YET = "not yet run"
ONE_A_JOB = ["key", "task", "metric"]


class Study:
    """One paper: protocol, data, live runs, committed results, verdicts, claims.

    Parameters
    ----------
    paper : str
        Short name, e.g. "mtcmrl".
    profile : {"quick", "full"}, default "quick"
        "full" computes (or resumes) the whole protocol and judges that instead of the committed results.
    seed : int, optional
        Root seed; None takes the protocol's.
    n_runs : int, default 0
        Runs of each setting; 0 takes the profile's.
    n_jobs : int, default 1
    dask : str, optional
        Address of a scheduler.

    Examples
    --------
    >>> Study("mtcmrl").protocol.title
    'Multi-Task Clustering with Model Relation Learning'
    """

    def __init__(self, paper, profile="quick", *, seed=None, n_runs=0, n_jobs=1, dask=None):
        self.paper, self.profile, self.n_jobs, self.dask = paper, profile, n_jobs, dask
        self.seed, self.n_runs, self._selected = seed, n_runs, {}
        self.protocol = runs.load_protocol(paper)
        self.published = published.load(paper)

    @cached_property
    def _plan(self):
        return papers.plan(self.paper, self.profile, seed=self.seed, n_runs=self.n_runs)

    @property
    def jobs(self):
        """Jobs of this profile; makes sure that its data are there."""
        return self._plan[1]

    @property
    def store(self):
        """The run store."""
        return self._plan[2]

    def data(self, dataset):
        """The ``Dataset`` that this profile uses under a name of the protocol."""
        loader, params = self.protocol.needed_datasets(self.profile)[dataset]
        return runs.load_dataset(loader, params)[0]

    @cached_property
    def live(self):
        """Result frame of this profile's jobs, computed now or taken from the run store."""
        return runs.run(self.jobs, self.store, n_jobs=self.n_jobs, dask=self.dask)

    @cached_property
    def results(self):
        """What is judged: committed ``Results``, or in the full profile those of this run."""
        if self.profile == "full":
            runs.run(self.jobs, self.store, n_jobs=self.n_jobs, dask=self.dask)
            folder = paths.build_dir() / "results" / self.paper
            return runs.read_results(
                runs.export(self.jobs, self.store, folder, n_jobs=self.n_jobs))
        return runs.read_results(paths.results_dir(self.paper))

    def selected(self, dataset):
        """Rows of ``results`` on one data set at the setting chosen with the labels, as the papers do."""
        if dataset not in self._selected:
            self._selected[dataset] = runs.oracle(self.rows(dataset))
        return self._selected[dataset]

    def rows(self, dataset, frame=None):
        """All rows of ``results`` on a data set, or on all members of a pool of the protocol as one."""
        frame = self.results.frame if frame is None else frame
        specs = self.protocol.datasets.items()
        members = {name: dataset for name, spec in specs if spec.pool == dataset} or {dataset: dataset}
        return pooled(frame[frame["dataset"].isin(members)], members)

    @cached_property
    def truth(self):
        """Measures of the true classes as rows of a method "true"; empty where the protocol has none."""
        if not self.protocol.measures:
            return self.results.frame.iloc[:0]
        fixed = {"method": "true", "task": "", "run": 0, "status": "ok", "params": "{}", "in_grid": True}
        return self.table("truth").assign(**fixed).reindex(columns=self.results.frame.columns)

    def default(self, dataset, frame=None):
        """Rows on one data set at the fixed defaults: what a user without labels gets.

        Parameters
        ----------
        dataset : str
        frame : DataFrame, optional
            Result frame; that of ``results`` by default, ``live`` for what this run computed.
        """
        return runs.fixed(self.rows(dataset, frame), self.protocol.defaults)

    def printed(self, dataset, method=None, metric=None):
        """Printed cells of a data set, or of one method and metric on it."""
        wanted = {"dataset": dataset, "method": method, "metric": metric}
        cells = self.published
        for column, value in wanted.items():
            cells = cells if value is None else cells[cells[column] == value]
        return cells

    def table(self, name):
        """A further committed table of the paper, ``data/<paper>/results/<name>.csv``."""
        return pd.read_csv(paths.results_dir(self.paper) / f"{name}.csv")

    def class_names(self, dataset):
        """Names of the classes of each task of a data set of the full profile, from the committed file."""
        path = paths.results_dir(self.paper) / "classes.json"
        return json.loads(path.read_text(encoding="utf-8"))[dataset]

    def by_weighting(self, name, frame, methods, metric="ACC"):
        """Rows of a preprocessing study, one a run and task, with the weighting as a column.

        Parameters
        ----------
        name : str
            Study of the protocol.
        frame : DataFrame
            ``live`` or ``results.frame``.
        methods : list of str
        metric : str
        """
        datasets = self.protocol.studies[name].datasets
        rows = frame[frame["dataset"].isin(datasets) & frame["method"].isin(methods)]
        rows = rows[(rows["metric"] == metric) & (rows["task"] != "avg")]
        return self.with_loader_params(rows, "weighting")

    def with_loader_params(self, rows, *names):
        """``rows`` with parameters of their data sets' loaders as further columns."""
        datasets = self.protocol.datasets
        found = {name: [datasets[dataset].params.get(name) for dataset in rows["dataset"]] for name in names}
        return rows.assign(**found)

    def weighting_table(self, name, methods, metric="ACC"):
        """Mean scores of a preprocessing study beside the printed ones, in percent, a column a task.

        "distance" is the mean absolute difference from the printed row.
        """
        dataset = self.protocol.datasets[self.protocol.studies[name].datasets[0]].published
        rows = self.by_weighting(name, self.results.frame, methods, metric)
        parts = []
        for method in methods:
            printed = self.printed(dataset, method, metric).set_index("task")["mean"].rename("printed")
            ours = rows[rows["method"] == method].pivot_table("value", "weighting", "task", sort=False)
            both = 100 * pd.concat([printed.to_frame().T, ours])
            both["distance"] = (both - both.loc["printed"]).abs().mean(axis=1)
            parts.append(both.round(1).rename_axis("weighting").reset_index().assign(method=method))
        table = pd.concat(parts, ignore_index=True)
        return table[["method", *table.columns.drop("method")]]

    def verdicts(self, printed, dataset=None, rows=None):
        """Every printed cell of a data set beside ours.

        Parameters
        ----------
        printed : str
            Data set as printed.
        dataset : str, optional
            Data set of the protocol that stands for it; the same name by default.
        rows : DataFrame, optional
            Results to judge; ``selected(dataset)`` by default.

        Returns
        -------
        DataFrame
            As from ``mtclib.companion.verdicts.judge.judge``.  Causes of deviation are those of the decisions
            file, which speak of the headline data set (the one named as printed).
        """
        dataset = dataset or printed
        if rows is None:
            rows = pd.concat([self.selected(dataset), self.truth[self.truth["dataset"] == dataset]])
        if printed in self.protocol.printed_tasks:
            rows = with_average(rows, self.protocol.printed_tasks[printed])
        cells = self.published[self.published["dataset"] == printed]
        missing = {name: NOT_YET for name in cells["method"].unique() if name not in self.protocol.methods}
        datasets = self.protocol.datasets.items()
        missing |= {name: spec.not_run for name, spec in datasets if spec.not_run}
        unavailable = {name: spec.unavailable for name, spec in datasets if spec.unavailable}
        once = ["true", *(name for name, method in self.protocol.methods.items() if method.deterministic)]
        return judge.judge(
            cells, rows, profile="full", n_published=self.protocol.n_published, deterministic=once,
            datasets={printed: dataset}, not_run=missing, unavailable=unavailable,
            misprints=self.misprints, causes=ledger.deviations(self.paper) if dataset == printed else ())

    def all_verdicts(self):
        """Every printed cell of the paper, on the headline data sets (those named as printed)."""
        return pd.concat([self.verdicts(name) for name in self.published["dataset"].unique()],
                         ignore_index=True)

    @cached_property
    def audit(self):
        """Findings about the printed tables themselves."""
        tasks = self.published[["dataset", "task"]].drop_duplicates().itertuples(index=False, name=None)
        sizes = self.protocol.task_sizes
        return audit.audit_tables(
            self.published, {key: sizes[key[0]] for key in tasks if key[0] in sizes and key[1] != "avg"},
            published.class_sizes(self.paper), self.protocol.n_published)

    @cached_property
    def misprints(self):
        """Cells that the audit takes out of the counts."""
        return audit.misprints(self.audit, self.published)

    def sweep(self, name):
        """Rows of a sensitivity sweep of the protocol, each point once, with every swept parameter named."""
        base = self.protocol.sensitivity[name].base
        rows = runs.sweep_rows(self.results.frame, self.protocol, name)
        points = [runs.canonical({**base, parameter: setting})
                  for parameter, setting in zip(rows["parameter"], rows["setting"])]
        return rows.assign(params=points).drop_duplicates(["key", "task", "metric"])

    def histories(self, rows):
        """Objective histories of the runs in ``rows``, for which they are kept."""
        return [self.results.histories[key] for key in rows["key"].unique() if key in self.results.histories]

    def relations(self, dataset, rows, names):
        """Relation matrices with clusters matched to classes, one entry a row.

        Parameters
        ----------
        dataset : str
        rows : DataFrame
            Results of one setting.
        names : sequence of sequences of str
            Names of the classes of each task, or of their families.

        Returns
        -------
        DataFrame
            As from ``mtclib.companion.papers.study.relation_frame``, all runs.
        """
        truth = self._labels(f"truth/{dataset}", len(names))
        runs = rows[["key", "run"]].drop_duplicates().itertuples(index=False)
        return pd.concat([
            relation_frame(dataset, self._matrices(key), truth, self._labels(key, len(names)), names, run)
            for key, run in runs], ignore_index=True)

    def kept(self, rows, attribute):
        """A stored attribute of the fits in ``rows``: dict from key to array."""
        return {key: self.results.models[f"{key}/{attribute}"] for key in rows["key"].unique()}

    def classes(self, dataset):
        """Classes of the samples of a multi-view data set of the full profile, from the committed file."""
        return self.results.labels[f"truth/{dataset}/"]

    def _labels(self, key, n_tasks):
        return [self.results.labels[f"{key}/{t}"] for t in range(1, n_tasks + 1)]

    def _matrices(self, key):
        prefix = f"{key}/relation_/"
        return {tuple(map(int, name.removeprefix(prefix).split("/"))): G
                for name, G in self.results.models.items() if name.startswith(prefix)}

    def relation_pair(self, relations, task, other, class_names):
        """Our relation matrix of two tasks (mean over runs) and the printed one, both by class.

        Returns
        -------
        ours : DataFrame
            Classes of the two tasks as index and columns.
        printed : DataFrame of the same shape
        """
        rows = relations[(relations["task"] == task) & (relations["other"] == other)]
        ours = rows.pivot_table("value", "row", "column").reindex(
            index=class_names[int(task) - 1], columns=class_names[int(other) - 1])
        facts = pd.read_csv(paths.paper_dir(self.paper) / "facts.csv", dtype=str, keep_default_na=False)
        dataset = self.protocol.datasets[relations["dataset"].iloc[0]].published
        facts = facts[(facts["dataset"] == dataset) & (facts["quantity"] == "G")
                      & (facts["task"] == f"{task}-{other}")]
        cells = facts.astype({"row": int, "col": int, "value": float})
        return ours, cells.pivot_table("value", "row", "col")

    def selection_gap(self, datasets, metric="ACC"):
        """What tuning on labels is worth: mean score over tasks by how the setting was chosen.

        Returns
        -------
        DataFrame
            One row a data set and method: the setting chosen with labels (oracle), the fixed default, and
            at the default the run with the lowest objective; in percent, one decimal.
        """
        rows = []
        for dataset in datasets:
            chosen = {"chosen with labels": self.selected(dataset), "default": self.default(dataset)}
            chosen["default, lowest objective"] = runs.best_objective(chosen["default"])
            parts = [mean_scores(frame, metric).rename(name) for name, frame in chosen.items()]
            rows.append(pd.concat(parts, axis=1))
        return pd.concat(rows).round(1).reset_index()

    def show(self, fig, name, printed="", data=None):
        """Keep a figure of this paper's notebook and hand it on for display; see ``show``.

        Parameters
        ----------
        fig : matplotlib.figure.Figure
        name : str
        printed : str, default ""
            The figure of the paper that it stands for, as "MBC 1"; none for one of ours alone.
        data : str, optional
            What it was drawn from, where that is not ``results``: "live" and the content hash of the data
            of this run, or "formula".
        """
        if data is None:
            data = f"data/{self.paper}/results"
            if self.profile == "full":
                data = plots.folder_key(paths.build_dir(), f"results/{self.paper}")
        return show(fig, name, f"notebooks/{self.paper}.ipynb", data, printed)

    def claim_frames(self):
        """The frames that the claims file speaks of: ``results`` and, as the paper needs, others.

        Examples
        --------
        >>> list(Study("mbc").claim_frames())
        ['results']
        """
        return import_module(f"mtclib.companion.papers.{self.paper}").frames(self)

    def outcomes(self):
        """The claims of the paper with their outcome, as from ``verdicts.ledger.claims_table``.

        Examples
        --------
        >>> set(Study("mbc").outcomes()["status"]) <= {"holds", "fails", "undecided"}
        True
        """
        return self.claims(**self.claim_frames())

    def claims(self, datasets=None, **frames):
        """Claims of the paper with their outcome.

        Parameters
        ----------
        datasets : mapping of str to str, optional
            Printed data set to the one of the protocol that stands for it, where they differ.
        **frames
            As in ``ledger.claims_table``.
        """
        return ledger.claims_table(self.paper, frames, published=self.published, datasets=datasets)


def mean_scores(rows, metric="ACC"):
    """Mean over runs, and tasks where there are any, in percent, by data set and method."""
    rows = rows[rows["task"].isin(["avg", ""]) & (rows["metric"] == metric)]
    return 100 * rows.groupby(["dataset", "method"], sort=False)["value"].mean()


def with_average(rows, n_tasks):
    """Rows of tasks with their mean over the first ``n_tasks`` tasks in place of that over all."""
    tasks = [str(t) for t in range(1, n_tasks + 1)]
    keys = [name for name in rows.columns if name not in ("task", "value")]
    first = rows[rows["task"].isin(tasks)]
    means = first.groupby(keys, sort=False, dropna=False)["value"].mean().reset_index().assign(task="avg")
    return pd.concat([rows[rows["task"] != "avg"], means[rows.columns]], ignore_index=True)


def families(class_names):
    """Root category of each class, the part before the first dot: "comp.graphics" becomes "comp"."""
    return [[name.split(".")[0] for name in names] for names in class_names]


def show(fig, name, notebook, data="data/*/results", printed=""):
    """Keep a figure under ``paths.figures_dir()`` and hand it on for display, as a ``plots.Picture``.

    Parameters
    ----------
    fig : matplotlib.figure.Figure
    name : str
        File name without ending.
    notebook : str
        Notebook that drew it, from the root of the repository.
    data : str, default "data/*/results"
        What it was drawn from.  A folder below ``data/``, or a pattern of several, gets the hash over its
        files (``plots.folder_key``), so that a figure older than its data can be told; other text stays.
    printed : str, default ""
        The figures of a paper that it stands for.
    """
    if data.startswith("data/"):
        data = plots.folder_key(paths.root(), data)
    plots.save(fig, name, paths.figures_dir(), notebook=notebook, data=data, printed=printed)
    return plots.Picture(fig)
