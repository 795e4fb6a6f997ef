"""What a paper prints, what was run of it, and what follows: verdicts, open choices, outcomes of claims."""

import json
import re
from collections import Counter
from functools import cache, cached_property
from itertools import product

import numpy as np
import pandas as pd

from mtclib.companion import runs
from mtclib.companion.parameters import check_parameters
from mtclib.companion.runs import profiles
from mtclib.companion.runs.jobs import resolve_estimator
from mtclib.companion.runs.protocol import DatasetSpec
from mtclib.companion.runs.results import pooled
from mtclib.companion.verdicts import audit, chance, errors, identify, judge, ledger, leverage, numbers
from mtclib.companion.verdicts.published import class_sizes, load, matching
from mtclib.core import paths
from mtclib.metrics import match_clusters

NOT_YET = "not yet run"
MANY = 16
ONE_A_JOB = ["key", "task", "metric"]
# What tells the scores of one fit from those of others, but for their task.
OF_A_FIT = ("dataset", "method", "params", "run", "metric", "key", "part")


class PaperResults:
    """Protocol, data, printed numbers, live runs and committed results of one paper. A study lives as long as
    its process: what tables and claims ask for again and again is kept."""

    def __init__(self, paper, profile="quick", *, seed=None, n_runs=0, n_jobs=1, dask=None):
        check_parameters(profile=profile, seed=seed or 0, n_runs=n_runs, n_jobs=n_jobs, dask=dask or "")
        self.paper, self.profile, self.n_jobs, self.dask = paper, profile, n_jobs, dask or None
        self.seed, self.n_runs = seed, n_runs
        self.protocol = runs.load_protocol(paper)
        self.published = load(paper)

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
        rows = self.results.frame.iloc[places]
        return pooled(rows, members) if len(members) > 1 else rows

    @cached_property
    def _places(self):
        """Where the rows of each data set stand in ``results``."""
        return self.results.frame.groupby("dataset").indices

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

    @cache
    def by_method(self, dataset, chosen=False):
        """All rows on a data set, or those ``selected``, and where those of each method stand."""
        rows = self.selected(dataset) if chosen else self.rows(dataset)
        return rows, rows.groupby("method").indices

    def at(self, method, dataset, point=None):
        """Rows of a method on a data set at one `point` of its parameters, at that "chosen" with the labels,
        or by default at the one that a user without labels takes."""
        rows, places = self.by_method(dataset, point == "chosen")
        if method not in places:
            raise ledger.LedgerError(f"{self.paper}: no stored fit of {method!r} on {dataset!r}")
        rows = rows.iloc[places[method]]
        if point == "chosen":
            return rows
        point = self.protocol.defaults.get(method) if point is None else point
        rows = rows[rows["params"] == runs.canonical(point)] if point else rows
        if (n := rows["params"].nunique()) != 1:
            raise ledger.LedgerError(f"{self.paper}: {n} settings of {method!r} on {dataset!r} with {point}")
        return rows

    def _suggested(self, rows, default):
        if not (known := self.protocol.suggested):
            return rows
        return pd.concat([rows[~rows["method"].isin(known)], default[default["method"].isin(known)]])

    @cache
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

    def _with_truth(self, rows, dataset):
        truth = self.truth_of(dataset)
        return pd.concat([rows, truth]) if len(truth) else rows

    def grid(self, dataset, printed):
        """Scores of all grid rows of a data set. The accuracies by which a setting is chosen are repeated
        under task "overall", because averaging over the printed tasks would change them."""
        rows = self._with_truth(self.rows(dataset), dataset)
        rows = self._suggested(rows[rows["in_grid"].astype(bool)], self.default(dataset))
        rows = rows[[*OF_A_FIT, "task", "status", "value"]]
        overall = rows["task"].isin(["avg", ""]) & (rows["metric"] == self._data(dataset).chosen_by)
        overall = rows[overall].assign(task="overall")
        return pd.concat([self.as_printed(rows, dataset, printed), overall])

    def printed(self, dataset, method=None, metric=None):
        """Printed cells of a data set, or of one method and metric on it."""
        return matching(self.published, {"dataset": dataset, "method": method, "metric": metric})

    def n_published(self, dataset):
        """Independent draws behind each printed mean, where `dataset` stands for it: splits of the data where
        those are few, else runs."""
        return (self._data(dataset).printed_draws or self.protocol.printed_splits
                or self.protocol.n_published)

    def as_printed(self, rows, dataset, printed):
        """`rows` under the printed name, in its unit, with averages over as many tasks as are printed."""
        rows = self.as_measured(rows.assign(dataset=printed), dataset, printed)
        if not (n_tasks := self.protocol.printed_tasks.get(printed)):
            return rows
        keys = [name for name in rows.columns if name in OF_A_FIT]
        means = rows[rows["task"].isin(map(str, range(1, n_tasks + 1)))]
        values = means.groupby(keys, sort=False, dropna=False)["value"].mean()
        means = means.drop_duplicates(keys).assign(task="avg", value=values.to_numpy())
        return pd.concat([rows[rows["task"] != "avg"], means], ignore_index=True)

    def as_measured(self, rows, dataset, printed):
        """`rows` by the measures of the paper, in their unit."""
        scale = self._spec(dataset).scale
        return rows.assign(value=rows["value"] * rows["metric"].map(scale).fillna(1.0)) if scale else rows

    def table(self, name):
        """A further committed table of the paper, ``data/<paper>/results/<name>.csv``."""
        return pd.read_csv(paths.results_dir(self.paper) / f"{name}.csv")

    def class_names(self, dataset):
        """Names of the classes of each task of a data set of the full profile, from the committed file."""
        path = paths.results_dir(self.paper) / "classes.json"
        return json.loads(path.read_text(encoding="utf-8"))[dataset]

    def with_loader_params(self, rows, *names):
        """``rows`` with parameters of their data sets' loaders as further columns."""
        params = [self.protocol.datasets[dataset].params for dataset in rows["dataset"]]
        return rows.assign(**{name: [given.get(name) for given in params] for name in names})

    def sweep(self, name):
        """As :func:`.sweep_rows`, of the committed results."""
        return runs.sweep_rows(self.results.frame, self.protocol, name)

    def kept(self, rows, attribute):
        """A stored attribute of the fits in ``rows``: dict from key to array."""
        return {key: self.results.models[f"{key}/{attribute}"] for key in rows["key"].unique()}

    def relations(self, dataset, rows, names):
        """Entries of the relation matrices of the runs in ``rows`` by the classes that the clusters stand
        for: as the paper does (MTCMRL, section 4.6), by the permutation of the accuracy measure. `names` are
        those of the classes by task. Clusters without a document or a class are left out."""
        found, labels = [], self.results.labels
        for key, run in rows[["key", "run"]].drop_duplicates().itertuples(index=False):
            own = [{cluster: family[kind] for cluster, kind in match_clusters(
                labels[f"truth/{dataset}/{t}"], labels[f"{key}/{t}"]).items() if kind != -1}
                for t, family in enumerate(names, 1)]
            for name, relation in self.results.models.items():
                if name.startswith(f"{key}/relation_/"):
                    t, s = map(int, name.split("/")[2:])
                    found += [(dataset, run, str(t + 1), str(s + 1), own[t][i], own[s][j], relation[i, j])
                              for i in sorted(own[t]) for j in sorted(own[s])]
        return pd.DataFrame(found, columns=["dataset", "run", "task", "other", "row", "column", "value"])

    @cache
    def headline(self, printed):
        """The data set of the protocol that stands for a printed one in the paper's tables: the released
        one, or the identified one where its search holds, if its fits are committed; else its namesake."""
        found = identify.summaries(self.paper)
        names = [name for name, spec in self.protocol.datasets.items() if spec.published == printed
                 and (spec.pipeline == "released" or (spec.pipeline == "identified" and spec.search in found
                                                      and identify.holds(found[spec.search])))]
        return next((name for name in names if self._is_committed(name)), printed)

    def fitted(self, printed):
        """The data set whose fits are judged beside a printed one."""
        return self._data(self.headline(printed)).id

    def told_pipelines(self, names=()):
        """The data sets that numbers stand on, by default those that stand for the printed ones, and why each
        does, with what must be known of it; of very many, how many have each ending."""
        heads = map(self.headline, self.published["dataset"].unique())
        names = names or [name for name in heads if self._is_committed(name)]
        specs = {name: self._spec(name) for name in names}
        told = [f"{name} ({spec.standing})" for name, spec in specs.items()]
        if len(names) > MANY:
            kinds = Counter((name.partition(" ")[2], spec.standing) for name, spec in specs.items())
            told = [f"{n} data sets {end or 'as named'} ({standing})" for (end, standing), n in kinds.items()]
        notes = [f"{name}: {spec.note}" if len(names) > 1 else spec.note
                 for name, spec in specs.items() if spec.note]
        return " ".join([f"Pipeline{'s' * (len(names) > 1)}: {', '.join(told)}.", *notes])

    def on_headlines(self, which):
        """Rows that ``which`` gives of the data sets that stand for the printed ones, under printed names."""
        return pd.concat([which(self.headline(name)).assign(dataset=name) for name in self.sets])

    def _is_committed(self, dataset):
        spec = self.protocol.datasets[dataset]
        printed = self.published.loc[self.published["dataset"] == spec.published, "method"]
        wanted = {spec.stand_ins.get(name, name) for name in printed if name in self.protocol.methods}
        return wanted <= {*self.rows(spec.rows_of or dataset)["method"].unique()}

    def verdicts(self, printed, dataset=None, rows=None):
        """Every printed cell of a data set beside ours, as from ``judge``, with numbers in the sentences.
        Causes are those of the pipeline that is judged, so that cells on another have none."""
        cells = self.judged(printed, dataset, rows)
        reasons = [self.numbers.fill(row.reason, dataset=row.dataset, printed=row.method)
                   for row in cells[["reason", "dataset", "method"]].itertuples(index=False)]
        # Decisions that a reason names, then those with an alternative that was run for this row.
        ids, others = self._decisions
        told = [[*sorted(ids.intersection(re.findall(r"\w+(?:\.\w+)?", str(reason)))), *others.get(row, ())]
                for row, reason in zip(zip(cells["dataset"], cells["method"]), reasons)]
        return cells.assign(reason=reasons, decisions=[", ".join(dict.fromkeys(each)) for each in told])

    @cached_property
    def _decisions(self):
        """Ids of all decisions, and of those with an alternative by printed data set and method."""
        found = {}
        for entry in leverage.entries(self.paper)[0]:
            for name, method in product(entry["datasets"], entry["methods"]):
                found.setdefault((self._spec(name).published or name, method), []).append(entry["decision"])
        return {one["id"] for one in ledger.decisions(self.paper)}, found

    def judged(self, printed, dataset=None, rows=None):
        """As ``verdicts``, with the sentences as they stand in the decisions file."""
        if rows is None:
            return self._judged(printed, dataset or printed)
        return self._judge(self.printed(printed), rows, dataset or printed, printed)

    @cache
    def _judged(self, printed, dataset):
        rows, cells = self._with_truth(self.judged_rows(dataset), dataset), self.printed(printed)
        cells = cells.assign(selection=self._selection(cells, dataset, printed))
        return self._judge(cells, rows, dataset, printed)

    def _judge(self, cells, rows, dataset, printed):
        rows = self.as_printed(rows, dataset, printed)
        missing = {name: NOT_YET for name in cells["method"].unique() if name not in self.protocol.methods}
        missing |= {name: spec.note for name, spec in self.protocol.datasets.items() if spec.note}
        once = ["true", *(name for name, method in self.protocol.methods.items() if method.deterministic)]
        spec = self._spec(dataset)
        calibration = identify.calibration_cells(self.protocol, spec.search)
        verdicts = judge.judge(
            cells, rows, n_published=self.n_published(dataset), deterministic=once,
            not_run=missing, misprints=self.misprints, calibration=calibration,
            causes=self._deviations if dataset == self.headline(printed) else [{"cause": "", "evidence": ""}])
        known = {"pipeline": spec.standing, "source": dataset, "note": spec.note}
        return chance.beside(verdicts.assign(kind=verdicts["method"].map(self.kinds), **known), chance.load())

    @cached_property
    def _deviations(self):
        return ledger.deviations(self.paper)

    def _selection(self, cells, dataset, printed):
        """Spread that comes from choosing the setting of a method with labels, for each printed cell."""
        parts, n = dict(list(self.grid(dataset, printed).groupby("method"))), self.n_published(dataset)
        spread = pd.Series(0.0, index=cells.index)
        for method, own in cells.groupby("method"):
            if method in parts and parts[method]["params"].nunique() > 1:
                runs = parts[method]["run"].nunique()
                spread[own.index] = errors.selection_spread(self, own, parts[method], runs, n)
        return spread

    def all_verdicts(self):
        """Every printed cell of the paper, on the headline data sets."""
        names = self.published["dataset"].unique()
        return pd.concat([self.verdicts(name, self.headline(name)) for name in names], ignore_index=True)

    @cached_property
    def kinds(self):
        return {name: method_kind(self.protocol, name) for name in self.published["method"].unique()}

    @cached_property
    def misprints(self):
        """Cells that the audit takes out of the counts."""
        return audit.misprints(self.audit, self.published)

    @cached_property
    def audit(self):
        """Findings about the printed tables themselves."""
        return audit.audit_tables(self.published, self.protocol.task_sizes, class_sizes(self.paper),
                                  self.protocol.n_published)

    @cached_property
    def changes(self):
        """How far each open choice moves the numbers, as from ``leverage.measured``."""
        return leverage.measured(self)

    @cached_property
    def numbers(self):
        """What templates in sentences ask for: the paper's own ``Numbers``, or those of all papers."""
        return numbers.Numbers.of_papers.get(self.paper, numbers.Numbers)(self)

    def decisions_frame(self):
        """As ``ledger.decisions_frame``, with the leverage, and with numbers in the sentences."""
        table = ledger.decisions_frame(self.paper, leverage.sentences(self))
        sentences = ["problem", "evidence", "decision"]
        return table.assign(**table[sentences].map(self.numbers.fill))

    @cached_property
    def known(self):
        """Name, venue and findings of the paper, with numbers in the sentences."""
        known = ledger.findings(self.paper)
        filled = [{**one, "text": self.numbers.fill(one["text"])} for one in known["finding"]]
        return {**known, "finding": filled}

    def frames(self):
        """Rows of committed results that the claims of the paper speak of, by the name of their frame."""
        return {"results": pd.concat(map(self.selected, self.protocol.profile("full").datasets))}

    def outcomes(self):
        """The claims of the paper with their outcome, as from ``verdicts.ledger.outcomes``: the data sets of
        each, and in its reason the rivals that we had to reconstruct."""
        found = ledger.outcomes(self.paper, self.frames(), self.published)
        given = [entry.get("params", {}) for entry in ledger.claims(self.paper)]
        sets = [{one.get("dataset"), one.get("clean"), *one.get("datasets", ())} - {None} for one in given]
        named = [{str(name).partition(", ")[0] for value in one.values() for name in np.atleast_1d(value)}
                 for one in given]
        again = [name for name, kind in self.kinds.items() if kind == "reconstruction"]
        rivals = [", ".join(name for name in again if name in own) for own in named]
        reason = [why or f"our reconstruction: {names}" * bool(names)
                  for why, names in zip(found["reason"], rivals)]
        return found.assign(reason=reason, pipeline=[
            "; ".join(sorted(set(map(self.headline, names)))) for names in sets])


def mean_scores(rows, metric="ACC"):
    """Mean over runs, and tasks where there are any, in percent, by data set and method."""
    rows = rows[rows["task"].isin(["avg", ""]) & (rows["metric"] == metric)]
    return 100 * rows.groupby(["dataset", "method"], sort=False)["value"].mean()


def method_kind(protocol, method):
    """Kind of a method: the paper's own, a reconstruction of another, or another that is compared.

    >>> from mtclib.companion.runs import load_protocol
    >>> [method_kind(load_protocol("lmsc"), name) for name in ("LMSC", "AWP", "LLMC")]
    ['own', 'compared', 'reconstruction']
    """
    if method in protocol.own:
        return "own"
    spec = protocol.methods.get(method)
    names = (spec.estimator, spec.params.get("estimator")) if spec else ()  # of a wrapper, and what is inside
    traits = [getattr(resolve_estimator(name), "traits", None) for name in names if name]
    return "reconstruction" if any(one and one.reconstruction for one in traits) else "compared"
