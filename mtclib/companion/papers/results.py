"""What a paper prints and what was run of it: the rows that judging and display begin with."""

import json
from functools import cache, cached_property

import numpy as np
import pandas as pd

from mtclib.companion import runs
from mtclib.companion.parameters import check_parameters
from mtclib.companion.runs import profiles
from mtclib.companion.runs.protocol import DatasetSpec
from mtclib.companion.runs.results import pooled
from mtclib.companion.verdicts import published
from mtclib.core import paths
from mtclib.metrics import match_clusters

ONE_A_JOB = ["key", "task", "metric"]


class PaperResults:
    """Protocol, data, printed numbers, live runs and committed results of one paper. A study lives as long as
    its process: what tables and claims ask for again and again is kept."""

    def __init__(self, paper, profile="quick", *, seed=None, n_runs=0, n_jobs=1, dask=None):
        check_parameters(profile=profile, seed=seed or 0, n_runs=n_runs, n_jobs=n_jobs, dask=dask or "")
        self.paper, self.profile, self.n_jobs, self.dask = paper, profile, n_jobs, dask or None
        self.seed, self.n_runs = seed, n_runs
        self.protocol = runs.load_protocol(paper)
        self.published = published.load(paper)

    @cached_property
    def _plan(self):
        """Jobs of this profile, with their data there, and the store that they belong to."""
        return profiles.plan(self.paper, self.profile, seed=self.seed, n_runs=self.n_runs)[1:]

    @cached_property
    def sets(self):
        """Printed data sets that the full profile runs."""
        specs = map(self.protocol.datasets.get, self.protocol.profile("full").datasets)
        return list(dict.fromkeys(spec.published for spec in specs))

    def data(self, dataset):
        """The ``Dataset`` that this profile uses under a name of the protocol."""
        loader, params = self.protocol.needed_datasets(self.profile)[dataset]
        return runs.load_dataset(loader, params)[0]

    @cached_property
    def live(self):
        """Result frame of this profile's jobs, computed now or taken from the run store."""
        return runs.run(*self._plan, n_jobs=self.n_jobs, dask=self.dask)

    @cached_property
    def results(self):
        """What is judged: committed ``Results``, or in the full profile those of this run."""
        if self.profile == "full":
            runs.run(*self._plan, n_jobs=self.n_jobs, dask=self.dask)
            folder = paths.build_dir() / "results" / self.paper
            return runs.read_results(runs.export(
                *self._plan, folder, n_jobs=self.n_jobs, protocol=self.protocol))
        return runs.read_results(paths.results_dir(self.paper))

    @cache
    def rows(self, dataset):
        """All rows of ``results`` on a data set, or on all members of a pool of the protocol as one."""
        spec = self._spec(dataset)
        if spec.rows_of:
            names = {own: printed for printed, own in spec.stand_ins.items()}
            rows = self.rows(spec.rows_of)
            rows = rows[~rows["method"].isin([*spec.stand_ins])]
            return rows.assign(dataset=dataset, method=rows["method"].replace(names))
        specs = self.protocol.datasets.items()
        members = {name: dataset for name, one in specs if one.pool == dataset} or {dataset: dataset}
        places = np.sort(np.concatenate([self._places.get(name, []) for name in members])).astype(int)
        return pooled(self.results.frame.iloc[places], members)

    @cached_property
    def _places(self):
        """Where the rows of each data set stand in ``results``."""
        return self.results.frame.groupby("dataset").indices

    @cached_property
    def _committed(self):
        """Pairs of a data set and a method that has fits on it in ``results``."""
        pairs = self.results.frame[["dataset", "method"]].drop_duplicates()
        return {*pairs.itertuples(index=False, name=None)}

    def _spec(self, dataset):
        """What the protocol says of a data set; a pool has nothing of its own."""
        return self.protocol.datasets.get(dataset) or DatasetSpec(dataset)

    def _data(self, dataset):
        """The same of the data set whose fits these are."""
        return self._spec(self._spec(dataset).rows_of or dataset)

    @cache
    def selected(self, dataset):
        """Rows of ``results`` on one data set at the setting chosen with the labels, as the papers do."""
        return runs.oracle(self.rows(dataset), self._data(dataset).chosen_by)

    @cache
    def default(self, dataset):
        """Rows on one data set at the fixed defaults: what a user without labels gets."""
        return runs.fixed(self.rows(dataset), self.protocol.defaults)

    def _suggested(self, rows, default):
        known = self.protocol.suggested
        return pd.concat([rows[~rows["method"].isin(known)], default[default["method"].isin(known)]])

    def judged_rows(self, dataset):
        """Rows that are judged: ``selected``, with the protocol's ``suggested`` methods at their defaults."""
        return self._suggested(self.selected(dataset), self.default(dataset))

    @cache
    def truth_of(self, dataset):
        """Measures of the true classes of a data set as rows of a method "true", if the protocol has any."""
        if not self.protocol.measures:
            return self.results.frame.iloc[:0]
        rows = self.table("truth")
        rows = rows[rows["dataset"] == self._data(dataset).id].assign(
            dataset=dataset, method="true", task="", run=0, status="ok", params="{}", in_grid=True)
        return rows.reindex(columns=self.results.frame.columns)

    def grid(self, dataset, printed):
        """All grid rows of a data set. The accuracies by which a setting is chosen are repeated under task
        "overall", because averaging over the printed tasks would change them."""
        rows = pd.concat([self.rows(dataset), self.truth_of(dataset)])
        rows = self._suggested(rows[rows["in_grid"].astype(bool)], self.default(dataset))
        overall = rows["task"].isin(["avg", ""]) & (rows["metric"] == self._data(dataset).chosen_by)
        overall = rows[overall].assign(task="overall")
        return pd.concat([self.as_printed(rows, dataset, printed), overall])

    def printed(self, dataset, method=None, metric=None):
        """Printed cells of a data set, or of one method and metric on it."""
        return published.matching(self.published, {"dataset": dataset, "method": method, "metric": metric})

    def n_published(self, dataset):
        """Independent draws behind each printed mean, where `dataset` stands for it."""
        return self._data(dataset).printed_draws or self.protocol.n_independent

    def as_printed(self, rows, dataset, printed):
        """`rows` under the printed name, in its unit, with averages over as many tasks as are printed."""
        rows = rows.assign(dataset=printed)
        if scale := self._spec(dataset).scale:
            rows = rows.assign(value=rows["value"] * rows["metric"].map(scale).fillna(1.0))
        n_tasks = self.protocol.printed_tasks.get(printed)
        return with_average(rows, n_tasks) if n_tasks else rows

    def table(self, name):
        """A further committed table of the paper, ``data/<paper>/results/<name>.csv``."""
        return pd.read_csv(paths.results_dir(self.paper) / f"{name}.csv")

    def class_names(self, dataset):
        """Names of the classes of each task of a data set of the full profile, from the committed file."""
        path = paths.results_dir(self.paper) / "classes.json"
        return json.loads(path.read_text(encoding="utf-8"))[dataset]

    def classes(self, dataset):
        """Classes of the samples of a multi-view data set of the full profile, from the committed file."""
        return self.results.labels[f"truth/{dataset}/"]

    def with_loader_params(self, rows, *names):
        """``rows`` with parameters of their data sets' loaders as further columns."""
        params = [self.protocol.datasets[dataset].params for dataset in rows["dataset"]]
        return rows.assign(**{name: [given.get(name) for given in params] for name in names})

    def sweep(self, name):
        """Rows of a sensitivity sweep of the protocol, each point once, with every swept parameter named."""
        base = self.protocol.sensitivity[name].base
        rows = runs.sweep_rows(self.results.frame, self.protocol, name)
        pairs = list(zip(rows["parameter"], rows["setting"]))
        points = {pair: runs.canonical({**base, pair[0]: pair[1]}) for pair in dict.fromkeys(pairs)}
        return rows.assign(params=[points[pair] for pair in pairs]).drop_duplicates(ONE_A_JOB)

    def kept(self, rows, attribute):
        """A stored attribute of the fits in ``rows``: dict from key to array."""
        return {key: self.results.models[f"{key}/{attribute}"] for key in rows["key"].unique()}

    def relations(self, dataset, rows, names):
        """Relation matrices of the runs in ``rows``, as from ``relation_frame``; names of classes by task."""
        truth = self._labels(f"truth/{dataset}", len(names))
        runs = rows[["key", "run"]].drop_duplicates().itertuples(index=False)
        return pd.concat([
            relation_frame(dataset, {
                tuple(map(int, name.split("/")[2:])): G for name, G in self.results.models.items()
                if name.startswith(f"{key}/relation_/")}, truth, self._labels(key, len(names)), names, run)
            for key, run in runs], ignore_index=True)

    def _labels(self, key, n_tasks):
        return [self.results.labels[f"{key}/{t}"] for t in range(1, n_tasks + 1)]


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


def relation_frame(dataset, relations, labels_true, labels_pred, families, run=0):
    """Entries of relation matrices by the classes that the clusters stand for: as the paper does (MTCMRL,
    section 4.6), by the permutation of the accuracy measure. Clusters without a document or a class are left
    out."""
    names = [{cluster: family[kind] for cluster, kind in match_clusters(true, pred).items() if kind != -1}
             for true, pred, family in zip(labels_true, labels_pred, families)]
    rows = []
    for (t, s), relation in relations.items():
        rows += [(dataset, run, str(t + 1), str(s + 1), names[t][i], names[s][j], float(relation[i, j]))
                 for i in sorted(names[t]) for j in sorted(names[s])]
    return pd.DataFrame(rows, columns=["dataset", "run", "task", "other", "row", "column", "value"])
