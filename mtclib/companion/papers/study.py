"""A paper's study as its notebook shows it: what is printed, what was run, and what follows.

A notebook makes one ``Study`` and asks it; nothing here is computed twice, and nothing here knows a
particular paper: what only one paper has is in its ``PaperStudy``.  Tables with verdicts come from the
committed results of the full profile; what runs live in the quick profile is shown beside the printed numbers
without a verdict.
"""

import json
from dataclasses import replace
from functools import cache, cached_property, partial
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pandas as pd

from mtclib.companion import plots, runs, tables
from mtclib.companion.papers import answers
from mtclib.companion.parameters import check_parameters
from mtclib.companion.runs import our_name, profiles
from mtclib.companion.runs.jobs import resolve_estimator
from mtclib.companion.runs.protocol import DatasetSpec
from mtclib.companion.runs.results import pooled
from mtclib.companion.verdicts import (
    audit,
    chance,
    errors,
    identify,
    judge,
    ledger,
    leverage,
    numbers,
    published,
)
from mtclib.core import paths
from mtclib.metrics import match_clusters

NOT_YET = "not yet run"
ONE_A_JOB = ["key", "task", "metric"]


class Study:
    """One paper: protocol, data, live runs, committed results, verdicts, claims.

    A module of `mtclib.companion.papers` may define a subclass ``PaperStudy`` with what only its paper shows;
    ``Study(name)`` then makes one of those.  Methods that show something return it, so that a notebook
    cell can end with the call; the names of those that run something on this machine begin with "live".

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
        Address of a scheduler; None or "" runs without one.

    Raises
    ------
    UsageError
        For parameters that a notebook cannot use, see `check_parameters`.

    Examples
    --------
    >>> Study("mtcmrl").protocol.title
    'Multi-Task Clustering with Model Relation Learning'
    """

    def __new__(cls, paper, *args, **kwargs):
        return super().__new__(getattr(_module(paper), "PaperStudy", cls) if cls is Study else cls)

    def __init__(self, paper, profile="quick", *, seed=None, n_runs=0, n_jobs=1, dask=None):
        check_parameters(profile=profile, seed=seed or 0, n_runs=n_runs, n_jobs=n_jobs, dask=dask or "")
        self.paper, self.profile, self.n_jobs, self.dask = paper, profile, n_jobs, dask or None
        self.seed, self.n_runs = seed, n_runs
        # Cached per instance: every table and claim asks for the same rows.
        self.rows, self.selected, self.default = map(cache, (self.rows, self.selected, self.default))
        self._judged = cache(partial(self._judge, rows=None))
        self.protocol = runs.load_protocol(paper)
        self.published = published.load(paper)

    @cached_property
    def _plan(self):
        """Jobs of this profile, with their data there, and the store that they belong to."""
        return profiles.plan(self.paper, self.profile, seed=self.seed, n_runs=self.n_runs)[1:]

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

    def selected(self, dataset):
        """Rows of ``results`` on one data set at the setting chosen with the labels, as the papers do."""
        return runs.oracle(self.rows(dataset), self._data(dataset).chosen_by)

    def _spec(self, dataset):
        """What the protocol says of a data set; a pool has nothing of its own."""
        return self.protocol.datasets.get(dataset) or DatasetSpec(dataset)

    def _data(self, dataset):
        """The same of the data set whose fits these are."""
        return self._spec(self._spec(dataset).rows_of or dataset)

    def judged_rows(self, dataset):
        """Rows that are judged: ``selected``, with the protocol's ``suggested`` methods at their defaults."""
        return self._suggested(self.selected(dataset), self.default(dataset))

    def _suggested(self, rows, default):
        known = self.protocol.suggested
        return pd.concat([rows[~rows["method"].isin(known)], default[default["method"].isin(known)]])

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

    @cached_property
    def _causes(self):
        return ledger.deviations(self.paper)

    @cached_property
    def truth(self):
        """Measures of the true classes as rows of a method "true"; empty where the protocol has none."""
        if not self.protocol.measures:
            return self.results.frame.iloc[:0]
        fixed = {"method": "true", "task": "", "run": 0, "status": "ok", "params": "{}", "in_grid": True}
        return self.table("truth").assign(**fixed).reindex(columns=self.results.frame.columns)

    def truth_of(self, dataset):
        """Rows of ``truth`` on one data set."""
        return self.truth[self.truth["dataset"] == self._data(dataset).id].assign(dataset=dataset)

    def default(self, dataset):
        """Rows on one data set at the fixed defaults: what a user without labels gets."""
        return runs.fixed(self.rows(dataset), self.protocol.defaults)

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

    def by_weighting(self, name, frame, methods):
        """Rows of a preprocessing study of the protocol, per run and task, with the weighting as a column."""
        datasets = self.protocol.studies[name].datasets
        rows = frame[frame["dataset"].isin(datasets) & frame["method"].isin(methods)]
        rows = rows[(rows["metric"] == "ACC") & (rows["task"] != "avg")]
        return self.with_loader_params(rows, "weighting")

    def with_loader_params(self, rows, *names):
        """``rows`` with parameters of their data sets' loaders as further columns."""
        datasets = self.protocol.datasets
        found = {name: [datasets[dataset].params.get(name) for dataset in rows["dataset"]] for name in names}
        return rows.assign(**found)

    def weighting_table(self, name, methods):
        """Mean accuracies of a preprocessing study beside the printed ones, in percent, a column per task.
        "distance" is the mean absolute difference from the printed row."""
        dataset = self.protocol.datasets[self.protocol.studies[name].datasets[0]].published
        rows = self.by_weighting(name, self.results.frame, methods)
        parts = []
        for method in methods:
            printed = self.printed(dataset, method, "ACC").set_index("task")["mean"].rename("printed")
            ours = rows[rows["method"] == method].pivot_table("value", "weighting", "task", sort=False)
            both = 100 * pd.concat([printed.to_frame().T, ours])
            both["distance"] = (both - both.loc["printed"]).abs().mean(axis=1)
            parts.append(both.round(1).rename_axis("weighting").reset_index().assign(method=method))
        table = pd.concat(parts, ignore_index=True)
        return table[["method", *table.columns.drop("method")]]

    def verdicts(self, printed, dataset=None, rows=None):
        """Every printed cell of a data set beside ours, as from ``judge``, with numbers in the sentences.
        `dataset` is the data set of the protocol that stands for the printed one, `rows` what is judged (by
        default ``judged_rows``). Causes of deviation are attached only to the headline data set and the one
        named as printed."""
        cells = self.judged(printed, dataset, rows)
        reasons = [self.numbers.fill(row.reason, dataset=row.dataset, printed=row.method)
                   for row in cells[["reason", "dataset", "method"]].itertuples(index=False)]
        return cells.assign(reason=reasons)

    def judged(self, printed, dataset=None, rows=None):
        """As ``verdicts``, with the sentences as they stand in the decisions file."""
        place = printed, dataset or printed
        return self._judged(*place) if rows is None else self._judge(*place, rows)

    def _judge(self, printed, dataset, rows):
        cells = self.published[self.published["dataset"] == printed]
        if rows is None:
            rows = pd.concat([self.judged_rows(dataset), self.truth_of(dataset)])
            cells = cells.assign(selection=self._selection(cells, dataset, printed))
        rows = self._as_printed(rows, dataset, printed)
        missing = {name: NOT_YET for name in cells["method"].unique() if name not in self.protocol.methods}
        datasets = self.protocol.datasets.items()
        missing |= {name: spec.not_run or spec.note for name, spec in datasets if spec.not_run or spec.note}
        unavailable = {name: spec.unavailable for name, spec in datasets if spec.unavailable}
        once = ["true", *(name for name, method in self.protocol.methods.items() if method.deterministic)]
        spec = self._spec(dataset)
        calibration = identify.calibration_cells(self.protocol, spec.search)
        verdicts = judge.judge(
            cells, rows, n_published=self.n_published(dataset), deterministic=once,
            datasets={printed: dataset}, not_run=missing, unavailable=unavailable,
            misprints=self.misprints, calibration=calibration,
            causes=self._causes if dataset in (printed, self.headline(printed)) else ())
        kinds = {name: method_kind(self.protocol, name) for name in cells["method"].unique()}
        kind = verdicts["method"].map(kinds)
        return chance.beside(verdicts).assign(kind=kind, pipeline=spec.pipeline, source=dataset)

    def n_published(self, dataset):
        """Independent draws behind each printed mean, where `dataset` stands for it."""
        return self._data(dataset).printed_draws or self.protocol.n_independent

    def _as_printed(self, rows, dataset, printed):
        """`rows` in the unit of the print, with averages over as many tasks as are printed."""
        if scale := self._spec(dataset).scale:
            rows = rows.assign(value=rows["value"] * rows["metric"].map(scale).fillna(1.0))
        n_tasks = self.protocol.printed_tasks.get(printed)
        return with_average(rows, n_tasks) if n_tasks else rows

    def _selection(self, cells, dataset, printed):
        """Spread that comes from choosing the setting of a method with labels, for each printed cell."""
        parts, n = dict(list(self.grid(dataset, printed).groupby("method"))), self.n_published(dataset)
        spread = pd.Series(0.0, index=cells.index)
        for method, own in cells.groupby("method"):
            if method in parts and parts[method]["params"].nunique() > 1:
                runs = parts[method]["run"].nunique()
                spread[own.index] = errors.selection_spread(self, own, parts[method], runs, n)
        return spread

    def grid(self, dataset, printed):
        """All grid rows of a data set. The accuracies by which a setting is chosen are repeated under task
        "overall", because averaging over the printed tasks would change them."""
        rows = pd.concat([self.rows(dataset), self.truth_of(dataset)])
        rows = self._suggested(rows[rows["in_grid"].astype(bool)], self.default(dataset))
        overall = rows["task"].isin(["avg", ""]) & (rows["metric"] == self._data(dataset).chosen_by)
        overall = rows[overall].assign(task="overall")
        return pd.concat([self._as_printed(rows, dataset, printed), overall])

    def headline(self, printed):
        """The data set of the protocol that stands for a printed one in the paper's tables. That of the
        released pipeline, or of the identified one where its search holds, if its fits are committed; else
        the one named as printed."""
        found = identify.summaries(self.paper)
        names = [name for name, spec in self.protocol.datasets.items() if spec.published == printed
                 and (spec.pipeline == "released" or (
                     spec.pipeline == "identified" and spec.search in found
                     and identify.holds(found[spec.search])))]
        return next((name for name in names if self._is_committed(name)), printed)

    def _is_committed(self, dataset):
        spec = self.protocol.datasets[dataset]
        printed = self.published.loc[self.published["dataset"] == spec.published, "method"]
        wanted = {spec.stand_ins.get(name, name) for name in printed if name in self.protocol.methods}
        return {(spec.rows_of or dataset, name) for name in wanted} <= self._committed

    def all_verdicts(self):
        """Every printed cell of the paper, on the headline data sets."""
        names = self.published["dataset"].unique()
        return pd.concat([self.verdicts(name, self.headline(name)) for name in names], ignore_index=True)

    @cached_property
    def audit(self):
        """Findings about the printed tables themselves."""
        tasks = self.published[["dataset", "task"]].drop_duplicates().itertuples(index=False, name=None)
        sizes = self.protocol.task_sizes
        return audit.audit_tables(
            self.published, {key: sizes[key[0]] for key in tasks if key[0] in sizes and key[1] != "avg"},
            published.class_sizes(self.paper), self.protocol.n_published)

    @cached_property
    def changes(self):
        """How far each open choice moves the numbers, as from ``leverage.measured``."""
        return leverage.measured(self)

    @cached_property
    def numbers(self):
        """What templates in sentences ask for: the paper's own ``Numbers``, or those of all papers."""
        return getattr(_module(self.paper), "Numbers", numbers.Numbers)(self)

    def decisions(self):
        """As ``ledger.decisions_table``, with the leverage, and with numbers in the sentences."""
        table = ledger.decisions_table(self.paper, leverage.sentences(self))
        sentences = ["problem", "evidence", "decision"]
        return table.assign(**table[sentences].map(self.numbers.fill))

    def unmeasured(self):
        """Open choices that no run can decide, with numbers in their reasons."""
        _, aside = leverage.entries(self.paper)
        return [{**one, "reason": self.numbers.fill(one["reason"])} for one in aside]

    @cached_property
    def known(self):
        """Name, venue and findings of the paper, with numbers in the sentences."""
        known = ledger.findings(self.paper)
        filled = [{**one, "text": self.numbers.fill(one["text"])} for one in known["finding"]]
        return {**known, "finding": filled}

    def answer(self):
        """Does the method win? The answer, for the top of the notebook."""
        return answers.answer(self)

    def searches(self, *names):
        """What each search for unstated choices found, and how sure it is, folded."""
        found = identify.summaries(self.paper)
        pages = [tables.search(name, found[name]).tables[0] for name in names or found]
        told = "which hypothesis is nearest to print, and how sure that is"
        return tables.Tables(tuple(replace(page, folded=told) for page in pages))

    def forest(self):
        """Gain over each rival, drawn."""
        return answers.forest(self)

    def curve(self):
        """Gain of every printed table on each pipeline, drawn."""
        return answers.curve(self)

    def gain_tables(self):
        """Gains by printed table, and verdicts on whole rows, each folded."""
        return tables.Tables((answers.by_table(self), answers.row_verdicts(self)))

    def pipelines_of_tables(self):
        """Which pipeline printed each table, and how sure that is."""
        found = ledger.findings(self.paper).get("answer")
        if not found:
            raise ledger.LedgerError(f"data/{self.paper}/claims.toml has no [[answer]]; add one a table")
        heads = tuple((f"Pipeline of {_named(one['tables'])}", "differences.ipynb") for one in found)
        return tables.Points(tuple(self.numbers.fill(f"{one['pipeline']} {one['sure']}") for one in found),
                             heads)

    def decisions_table(self):
        """What the paper leaves open or gets wrong, folded."""
        return tables.decisions(self.decisions())

    def audit_table(self):
        """What the paper's own tables contradict, folded."""
        return tables.audit(self.audit)

    def claims_table(self):
        """The claims of the paper with their outcome, folded."""
        outcomes = self.outcomes()
        return tables.claims(outcomes, ledger.sentences(self.paper, outcomes))

    def provenance_table(self):
        """What made the results that are shown, folded."""
        return tables.provenance(self.results.provenance)

    def sizes_table(self, sets=None, caption="Data sets, ours beside the paper's"):
        """Sizes of the data sets of the full profile, beside those that the paper gives."""
        sizes = self.table("sizes")
        sizes = sizes if sets is None else sizes[sizes["data set"].isin(sets)]
        sizes = sizes.drop(columns=["edition", "difference"], errors="ignore")
        told = "samples, features and classes"
        return tables.frame_table(sizes.dropna(axis="columns", how="all"), caption, folded=told)

    def reproduced(self, dataset, source=None, metrics=None):
        """The printed table of a data set, with ours and the verdict in each cell.
        `dataset` may be a list of data sets of one printed table, which then are its columns. `source` is the
        data set of the protocol that stands for the printed one, `metrics` those to show, all by default."""
        names = [dataset] if isinstance(dataset, str) else list(dataset)
        cells = pd.concat([self.verdicts(name, source) for name in names])
        if len(names) > 1:
            cells = cells.assign(task=cells["dataset"], dataset=", ".join(names))
        elif source is not None:
            cells = cells.assign(dataset=source)
        metrics = list(dict.fromkeys(cells["metric"])) if metrics is None else list(metrics)
        return tables.Tables((tables.reproduced(cells, metrics=metrics),))

    def printed_tables(self, *datasets, metrics=None):
        """As ``reproduced`` for several data sets, each on the pipeline that stands for it in the counts."""
        found = [self.reproduced(name, self.headline(name), metrics).tables for name in datasets]
        return tables.Tables(tuple(table for each in found for table in each))

    def beforehand(self, *datasets, metrics=None):
        """As ``printed_tables``, on the pipeline that was chosen before any run, each folded."""
        told = "the pipeline chosen before any run"
        found = [self.reproduced(name, name, metrics).tables[0] for name in datasets]
        return tables.Tables(tuple(replace(table, folded=told) for table in found))

    def live_table(self, *sets, metrics=None):
        """Scores of this run, beside the printed ones of the same name; all of them by default."""
        failed = self.live[self.live["status"] != "ok"]
        if len(failed):
            errors_met = ", ".join(failed["error"].unique())
            raise RuntimeError(f"{failed['key'].nunique()} fits failed: {errors_met}")
        shown = []
        for name in sets or self.live["dataset"].unique():
            rows = self.live[self.live["dataset"] == name]
            known = runs.fixed(rows, self.protocol.defaults)
            rows = rows[rows.index.isin(known.index) | ~rows["method"].isin(known["method"])]
            rows = rows[rows["task"] != "avg"]
            printed = self.printed(name)
            names = {metric: our_name(self.paper, metric) for metric in metrics or self.published["metric"]}
            names = {metric: ours for metric, ours in names.items() if ours in set(rows["metric"])}
            rows = rows[rows["metric"].isin(names.values())]
            shown.append(tables.side_by_side(rows, printed, names, f"This run: {name}"))
        return tables.Tables(tuple(shown))

    @cached_property
    def misprints(self):
        """Cells that the audit takes out of the counts."""
        return audit.misprints(self.audit, self.published)

    def sweep(self, name):
        """Rows of a sensitivity sweep of the protocol, each point once, with every swept parameter named."""
        base = self.protocol.sensitivity[name].base
        rows = runs.sweep_rows(self.results.frame, self.protocol, name)
        pairs = list(zip(rows["parameter"], rows["setting"]))
        points = {pair: runs.canonical({**base, pair[0]: pair[1]}) for pair in dict.fromkeys(pairs)}
        rows = rows.assign(params=[points[pair] for pair in pairs])
        return rows.drop_duplicates(["key", "task", "metric"])

    def relations(self, dataset, rows, names):
        """Relation matrices of the runs in ``rows``, as from ``relation_frame``; names of classes by task."""
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
        """Our relation matrix of two tasks (mean over runs) and the printed one, both by class."""
        rows = relations[(relations["task"] == task) & (relations["other"] == other)]
        ours = rows.pivot_table("value", "row", "column").reindex(
            index=class_names[int(task) - 1], columns=class_names[int(other) - 1])
        facts = pd.read_csv(paths.paper_dir(self.paper) / "facts.csv", dtype=str, keep_default_na=False)
        dataset = self.protocol.datasets[relations["dataset"].iloc[0]].published
        facts = facts[(facts["dataset"] == dataset) & (facts["quantity"] == "G")
                      & (facts["task"] == f"{task}-{other}")]
        cells = facts.astype({"row": int, "col": int, "value": float})
        return ours, cells.pivot_table("value", "row", "col")

    def show(self, fig, name, printed="", data=None, alt=""):
        """Keep a figure of this paper's notebook and hand it on for display; see ``show``. `printed` is the
        figure of the paper that it stands for, as "MBC 1"; `data` what it was drawn from, where that is not
        ``results``: "live" and the content hash of the data of this run, or "formula"; `alt` says in a
        sentence what is seen."""
        if data is None:
            data = f"data/{self.paper}/results"
            if self.profile == "full":
                data = plots.folder_key(paths.build_dir(), f"results/{self.paper}")
        return show(fig, name, f"notebooks/{self.paper}.ipynb", data, printed, alt)

    def frames(self):
        """Rows of committed results that the claims of the paper speak of, by the name of their frame."""
        return {"results": pd.concat(map(self.selected, self.protocol.profile("full").datasets))}

    def outcomes(self):
        """The claims of the paper with their outcome, as from ``verdicts.ledger.claims_table``."""
        frames = self.frames()
        found = ledger.claims_table(self.paper, frames, self.published)
        return found.assign(pipeline=[", ".join(sorted(self._pipelines(entry, frames)))
                                      for entry in ledger.claims(self.paper)])

    def _pipelines(self, entry, frames):
        """Data sets that a claim is tested on; rows of a frame may say so themselves."""
        params, rows = entry.get("params", {}), frames.get(entry.get("frame", "results"))
        names = {params.get("dataset"), params.get("clean"), *params.get("datasets", ())} - {None}
        if rows is not None and "pipeline" in rows:
            return set(rows.loc[rows["dataset"].isin(names), "pipeline"])
        return set(map(self.headline, names))


def _named(numbers):
    """Tables by their numbers: "Tables 2 to 7"."""
    return f"Table{'s' * (len(numbers) > 1)} {' to '.join(dict.fromkeys((numbers[0], numbers[-1])))}"


def _module(paper):
    """The module of what is a paper's own, or None."""
    name = f"mtclib.companion.papers.{paper}"
    return import_module(name) if find_spec(name) else None


def method_kind(protocol, method):
    """One of ``judge.KINDS``: the paper's own method, a reconstruction of another, or another.

    >>> [method_kind(runs.load_protocol("lmsc"), name) for name in ("LMSC", "AWP", "LLMC")]
    ['own', 'compared', 'reconstruction']
    """
    if method in protocol.own:
        return "own"
    spec = protocol.methods.get(method)
    names = (spec.estimator, spec.params.get("estimator")) if spec else ()  # of a wrapper, and what is inside
    traits = [getattr(resolve_estimator(name), "traits", None) for name in names if name]
    return "reconstruction" if any(one and one.reconstruction for one in traits) else "compared"


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
    """Entries of relation matrices by the classes that the clusters stand for. The paper maps clusters to
    classes by the permutation of the accuracy measure before it prints a relation (MTCMRL, section 4.6); so
    does this function, on both sides. `relations` are the G^(t,s) of ``MTCMRL.relation_``, `families` the
    family of each class of each task, equal for related classes. Tasks count from 1, as text; clusters
    without a document or without a class are left out."""
    names = [{cluster: family[kind] for cluster, kind in match_clusters(true, pred).items() if kind != -1}
             for true, pred, family in zip(labels_true, labels_pred, families)]
    rows = []
    for (t, s), relation in relations.items():
        rows += [(dataset, run, str(t + 1), str(s + 1), names[t][i], names[s][j], float(relation[i, j]))
                 for i in sorted(names[t]) for j in sorted(names[s])]
    return pd.DataFrame(rows, columns=["dataset", "run", "task", "other", "row", "column", "value"])


def show(fig, name, notebook, data="data/*/results", printed="", alt=""):
    """Keep a figure under ``paths.figures_dir()`` and hand it on for display, as a ``plots.Picture``. `name`
    is the file without ending, `notebook` the one that drew it, from the root of the repository, `printed`
    the figures of a paper that it stands for. `data` says what it was drawn from: a folder below ``data/``,
    or a pattern of several, gets the hash over its files (``plots.folder_key``), so that a figure older than
    its data can be told; other text stays. `alt` is for who cannot see the figure."""
    if data.startswith("data/"):
        data = plots.folder_key(paths.root(), data)
    plots.save(fig, name, paths.figures_dir(), notebook=notebook, data=data, printed=printed)
    return plots.Picture(fig, name, alt)
