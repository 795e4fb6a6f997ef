"""LMSC: what its model can and cannot determine, and what a lifelong method must show.

`basis_cancels` and its neighbours are four facts about Eq. (8), each as a computation: they learn a list of
tasks with :class:`mtclib.LMSC` and look at the last one.  What sequences of tasks show was measured by
``benchmarks/lmsc_streams.py``.
"""

import copy
import json
from dataclasses import replace
from functools import cache, cached_property
from itertools import product
from warnings import catch_warnings

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist
from sklearn.metrics import adjusted_rand_score

from mtclib.companion import plots, tables
from mtclib.companion.claims import mean_interval, signed
from mtclib.companion.papers.results import ONE_A_JOB, mean_scores
from mtclib.companion.papers.study import Study
from mtclib.companion.runs import our_name, results
from mtclib.companion.verdicts import identify, intervals, leverage, numbers
from mtclib.core import paths
from mtclib.core.checks import check_sequence
from mtclib.core.starts import best_kmeans
from mtclib.lmsc import L21, LMSC, OUTPUTS, distance
from mtclib.maths.linalg import polar

SEEDS = range(10)
WITH, WITHOUT = "with libraries", "without"
PLACE = ["method", "dataset", "task", "metric"]
SEEDS_TO_CHOOSE = 3
FOUR_ROWS = ("SNMF", "Coreg", "AWP", "WMSC")
GRAPHS = {"": "cosine neighbours", "raw graph": "Euclidean neighbours", "log graph": "log graph",
          "self-tuned kernel": "self-tuned kernel", "Gaussian kernel": "Gaussian kernel",
          "cosine kernel": "cosine kernel"}
METRIC = "NMI_arithmetic"
MEASURES = {"NMI": {"NMI_arithmetic": "arithmetic mean", "NMI_geometric": "geometric (ours)",
                    "NMI_min": "least", "NMI_max": "largest"},
            "RI": {"RI": "pairs of samples", "pairs": "ordered, with itself (ours)"}}
RELEASED, AS_RELEASED, RANDOM = "{} (release)", "{} (as released)", "random splits of {}"
WITH_MEMORY, NO_MEMORY = "LMSC, release", "LMSC, release, no memory"


@cache
def pipelines(study):
    """Distance of every printed row from ours by graph and weighting, at the defaults, without misprints, of
    what was run on all data sets. Rows without tf-idf are the same under both weightings."""
    cells = study.published[~study.published["cell"].isin(study.misprints)]
    both = _pipeline_means(study).merge(cells[[*PLACE, "mean"]], on=PLACE)
    both["distance"] = 100 * (both["value"] - both["mean"]).abs()
    groups = both.assign(within=both["distance"] <= 5).groupby(["method", "graph", "weighting"], sort=False)
    table = groups.agg(cells=("mean", "size"), distance=("distance", "mean"), within=("within", "sum"))
    return table[table["cells"] == table.groupby("method")["cells"].transform("max")].reset_index()


def _pipeline_means(study):
    """Mean scores of tasks, and those of ``each`` split, by graph and weighting."""
    parts = []
    for name in study.published["dataset"].unique():
        for weighting, pool in (("counts", name), ("tf-idf", f"{name} (tfidf)")):
            known = any(spec.pool == pool for spec in study.protocol.datasets.values())
            parts.append(study.default(pool if known else name).assign(dataset=name, weighting=weighting))
    rows = pd.concat(parts).replace({"metric": {"NMI_arithmetic": "NMI"}}).query("task != 'avg'")
    names = rows["method"].str.partition(", ")
    rows = rows.assign(method=names[0], graph=names[2].map(GRAPHS)).dropna(subset="graph")
    return rows.groupby([*PLACE, "graph", "weighting"], sort=False)["value"].agg(
        value="mean", each=list).reset_index()


@cache
def _rows_of_pipelines():
    """Means of the rows that the search looks at, by method and pipeline, for pipelines run with all four."""
    study = Study("lmsc")
    table = pipelines(study).query("method in @FOUR_ROWS").groupby(["graph", "weighting"])
    whole = table.filter(lambda part: len(part) == len(FOUR_ROWS))[["graph", "weighting"]].drop_duplicates()
    means = _pipeline_means(study).merge(whole)
    return means.assign(pipeline=means["graph"] + ", " + means["weighting"])


def paired_pipelines(data, _):
    """SNMF and Coreg on one pipeline, AWP and WMSC on another, by split: a search's ``values``."""
    means = _rows_of_pipelines()
    here = means[means["dataset"].str.lower() == data.name.removeprefix("lmsc-")]
    rows = {key: part.set_index(["task", "method", "metric"])["each"].to_dict()
            for key, part in here.groupby(["method", "pipeline"])}
    for one, other in product(means["pipeline"].unique(), repeat=2):
        yield {"SNMF and Coreg": one, "AWP and WMSC": other}, {
            **rows["SNMF", one], **rows["Coreg", one], **rows["AWP", other], **rows["WMSC", other]}


def learn(Xs, n_clusters, **given):
    """The model after all tasks but the last, and the last task as :class:`mtclib.lmsc.Task`, learned."""
    *earlier, last = check_sequence(Xs)
    with catch_warnings(action="ignore"):  # it may be told to stop early
        model = LMSC(n_clusters, random_state=0, **given).fit(earlier)
    task = model._task(last, n_clusters, 0, model.libraries_)
    task.run()
    return model, task


def random_orthogonal(k, rng):
    return polar(rng.standard_normal((k, k)), np.eye(k))


def replaced(task, **variables):
    """A copy of a task with other variables: ``Es``, ``Bs``, ``Ls``, ``D``."""
    other = copy.copy(task)
    vars(other).update(variables)
    other.refresh()
    return other


def _without_basis(task):
    """The same point with the basis taken out: (E, I, L B^T, I) for (E, B, L, D)."""
    I = np.eye(len(task.D))
    return replaced(task, Bs=[I] * len(task.Bs), Ls=[L @ B.T for L, B in zip(task.Ls, task.Bs)], D=I)


def terms(task):
    """The terms of the objective, summed over views. 'spectral' with B as printed, tr((E B)^T K E B);
    'co-clustering'; 'row norms', sum |l|; 'fusion', |D - B|. Of the last task alone, without weights."""
    parts = list(zip(task.views, task.Es, task.KEs, task.Ls, task.Bs))
    return {"spectral": sum(float(np.vdot(E @ B, KE @ B)) for _, E, KE, _, B in parts),
            "co-clustering": sum(float(np.vdot(view.HT @ E @ B, L)) for view, E, _, L, B in parts),
            "row norms": sum(L21["reward"].value(L) for *_, L, _ in parts),
            "fusion": sum(float(np.linalg.norm(task.D - B)) for *_, B in parts)}


def basis_cancels(task):
    """The basis library does nothing: (E, I, L B^T, I) is as good as (E, B, L, D), and never penalised. Two
    rows per draw: index (draw, 'drawn') and (draw, 'basis taken out'); columns as :func:`terms`."""
    rng, k, rows = np.random.default_rng(0), len(task.D), {}
    for draw in range(3):
        Bs = [random_orthogonal(k, rng) for _ in task.Bs]
        Ls = [polar(rng.standard_normal(L.shape), L) for L in task.Ls]
        drawn = replaced(task, Bs=Bs, Ls=Ls, D=random_orthogonal(k, rng))
        rows[draw, "drawn"], rows[draw, "basis taken out"] = terms(drawn), terms(_without_basis(drawn))
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["draw", "point"])


def fusion_never_changes_labels(task):
    """k-means sees distances, and E D has the distances of E: D never changes labels. 'distances' is the
    largest change of a distance, 'agreement' the adjusted Rand index of the labels with and without D."""
    rng, k, E = np.random.default_rng(0), len(task.D), sum(task.Es) / len(task.Es)
    labels, rows = best_kmeans(E, k, SEEDS).labels_, []
    for _ in range(3):
        ED = E @ random_orthogonal(k, rng)
        rows.append({"distances": np.abs(pdist(ED) - pdist(E)).max(),
                     "agreement": adjusted_rand_score(labels, best_kmeans(ED, k, SEEDS).labels_)})
    return pd.DataFrame(rows).rename_axis("draw")


def views_decouple(Xs, n_clusters):
    """All views learned together and each alone, with as many sweeps: the same embeddings. 'embedding' is the
    largest entry of E E^T - E' E'^T, 'objective' that of all views minus the sum of those of each."""
    parts = Xs, *([[view] for view in views] for views in zip(*Xs))
    together, *alone = (learn(each, n_clusters, max_iter=50, tol=0.0)[1] for each in parts)
    gap = together.objective() - sum(task.objective() for task in alone)
    rows = [{"embedding": float(np.abs(E @ E.T - task.Es[0] @ task.Es[0].T).max()),
             "fusion": float(distance(together.D, B)[0]), "objective": gap}
            for E, B, task in zip(together.Es, together.Bs, alone)]
    return pd.DataFrame(rows).rename_axis("view")


def mean_is_undetermined(model, task):
    """(E Q, L B^T Q) of one view is as good as (E, L B^T) for every orthogonal Q; the mean over views is not:
    how the objective changes, and the adjusted Rand index of the labels before and after."""
    rng, task = np.random.default_rng(0), _without_basis(task)
    before, rows = _labels(model, task), []
    for _ in range(5):
        Qs = [random_orthogonal(len(task.D), rng) for _ in task.Es]
        # Earlier tasks turn as well: their sums are lam X-hat E, so that they take the same factor.
        past = copy.copy(task.past)
        past.coclustering = [C @ Q for C, Q in zip(past.coclustering, Qs)]
        turned = replaced(task, Es=[E @ Q for E, Q in zip(task.Es, Qs)],
                          Ls=[L @ Q for L, Q in zip(task.Ls, Qs)], past=past)
        after = _labels(model, turned)
        rows.append({"objective": turned.objective() - task.objective(), **{
            output: adjusted_rand_score(before[output], after[output]) for output in OUTPUTS}})
    return pd.DataFrame(rows).rename_axis("draw")


def _labels(model, task):
    """Labels of a task, read off its embeddings in each way."""
    models = {output: copy.copy(model).set_params(output=output) for output in OUTPUTS}
    return {output: best_kmeans(one._represent(task), len(task.D), SEEDS).labels_
            for output, one in models.items()}


class Numbers(numbers.Numbers, paper="lmsc"):
    def transfer(self, stream, told=""):
        """Mean gain of later tasks from the libraries, in points of NMI; "interval": with that over seeds."""
        later = self.study.table("transfer").query("position > 1 and dataset == @stream")
        means = later.pivot_table("value", "seed", "knowledge")
        gains = 100 * (means[WITH] - means[WITHOUT])
        return _told(gains) if told else gains.mean()

    def untuned(self, what="gain"):
        """Mean gain of LMSC at its default, where its rivals are at theirs, or how many signs "recur"."""
        found = pd.read_csv(paths.data_dir() / "gains.csv", dtype={"task": str}).query("paper == 'lmsc'")
        for name, own in found.groupby("dataset"):
            head, places = self.study.headline(name), [own["task"], own["metric"].replace("NMI", METRIC)]
            rows = [self.study.as_printed(self.study.at("LMSC", head, point), head, name)
                    for point in (self.study.protocol.defaults[WITH_MEMORY], "chosen")]
            plain, best = (part.groupby(["task", "metric"])["value"].mean()[zip(*places)] for part in rows)
            found.loc[own.index, "ours"] += 100 * (plain.to_numpy() - best.to_numpy())
        means = found.groupby("dataset")["ours"].mean()
        return means.mean() if what == "gain" else (found["ours"] * found["printed"] > 1e-3).sum()

    def updates(self, stream, updates):
        """Mean gain of other updates over the consistent ones on a stream, with its interval over seeds; on
        "views", the streams cut from sets of views, with that over the sets."""
        means = self.study.cut_views if stream == "views" else self.study.later_tasks.loc[stream]
        return _told(means[updates] - means["consistent"])

    def pipeline(self, *row):
        """Mean distance of a method's row from print under a graph and a weighting, as in `pipelines`."""
        return pipelines(self.study).set_index(["method", "graph", "weighting"]).at[row, "distance"]

    def styles(self, name, dataset):
        """How many printed purities of a data set a style of a search gives at best: "2 of 4"."""
        table = pd.read_csv(identify.table_file("lmsc", name))
        cells = [cell for cell in table if cell.split(":")[2:3] == [dataset]]
        printed = self.study.published.set_index("cell")["mean"][cells].to_numpy()
        return f"{int((abs(table[cells] - printed) < 6e-5).sum(axis=1).max())} of {len(cells)}"

    def signs(self, graph, dataset, what):
        """What random signs of eigenvectors make of AWP's row under a graph, as `over_signs` has it."""
        return self.study.over_signs.at[(graph, dataset), what]

    def multiples(self, method, side="published"):
        """How many purities of tasks, printed or "ours", are whole multiples of 1 / n: "12 of 12"."""
        cells = self.judged().query("method == @method and metric == 'purity' and task != 'avg'")
        cells = cells[cells["verdict"] != "misprint"]
        sizes = cells["dataset"].map(self.study.protocol.task_sizes)
        places = zip(cells["dataset"], cells["task"])
        values = cells["published"] if side == "published" else np.array([
            self.score(method, RELEASED.format(dataset), "purity", task) for dataset, task in places])
        whole = (values * sizes).round() / sizes
        return f"{int(((whole - values).abs() < 6e-5).sum())} of {len(cells)}"

    def objective(self, method, dataset, what):
        """Share of the sweeps that lower the objective, or of the tasks that "end" below where they began."""
        models, keys = self.study.results.models, self.study.rows(dataset).query("method == @method")["key"]
        paths = [-models[name] for name in models
                 for key in [name.partition("/")[0]] if key in set(keys) and "/histories_/" in name]
        if what == "end":
            return float(np.mean([path[-1] < path[0] for path in paths]))
        return float(np.mean(np.concatenate([np.diff(path) < 0 for path in paths])))


class PaperStudy(Study):
    def selected(self, dataset):
        """On the authors' split the whole grid of their code was run once, and its best settings again: the
        choice is among settings with three seeds or more, by the seeds that all of them have."""
        if not self._data(dataset).printed_draws:
            return super().selected(dataset)
        rows = self.rows(dataset)
        runs = rows.groupby(["method", "params"])["run"].transform("nunique")
        rows, runs = rows[runs >= SEEDS_TO_CHOOSE], runs[runs >= SEEDS_TO_CHOOSE]
        shared = rows[rows["run"] < runs.groupby(rows["method"]).transform("min")]
        return rows.merge(results.oracle(shared, "purity")[["method", "params"]].drop_duplicates())

    def as_in_print(self, name):
        """Rows behind the judged table of a data set, and the release at its default with and without memory,
        of the seeds that all have, with the measures and averages of the print."""
        judged = self.judged_rows(self.headline(name)).query("method in @self._names")
        memory = self.default(RELEASED.format(name)).query("method in [@WITH_MEMORY, @NO_MEMORY]")
        rows = pd.concat([judged, memory])
        rows = rows[rows["run"] < rows.groupby("method")["run"].nunique().min()]
        return self.as_printed(rows, RELEASED.format(name), name)

    def as_measured(self, rows, dataset, printed):
        """On the authors' split measures are those of their code: NMI by the geometric mean, and the Rand
        index over all ordered pairs, each sample with itself included."""
        rows = super().as_measured(rows, dataset, printed)
        if not self._data(dataset).printed_draws:
            return rows
        n, rows = self.protocol.task_sizes[printed], rows[rows["metric"] != METRIC]
        ordered = (rows["value"] * (n - 1) + 1) / n
        return rows.assign(value=rows["value"].mask(rows["metric"] == "RI", ordered),
                           metric=rows["metric"].replace("NMI_geometric", METRIC))

    def sizes(self):
        """Sizes of the tasks of one split."""
        return self.sizes_table([f"{name} 0" for name in self.sets], "First of ten random splits")

    def own_cells(self):
        """LMSC's own cells on the authors' split: by their code, and by the consistent updates."""
        released, consistent = (
            pd.concat([self.judged(name, source.format(name)) for name in self.sets], ignore_index=True)
            .query("method == 'LMSC' and task != 'avg'") for source in (AS_RELEASED, RELEASED))
        sources = [source.format(name) for source in (AS_RELEASED, RELEASED) for name in self.sets]
        table = released[["dataset", "task", "metric"]].assign(**{
            "printed": _percent(released["published"]), "release": _percent(released["ours"]),
            "release, verdict": released["verdict"], "consistent": _percent(consistent["ours"]),
            "consistent, verdict": consistent["verdict"]})
        kept = table[released["verdict"] != "misprint"]
        away = kept[["release", "consistent"]].sub(kept["printed"], axis=0).abs()
        means = away.groupby(kept["dataset"], sort=False).mean().round(1).reset_index()
        return tables.Tables((
            self.scores_table(means, "Mean distance from LMSC's own numbers, points", of=sources),
            self.scores_table(table, "LMSC's own numbers on the authors' split, percent",
                              folded=f"{len(table)} printed numbers of LMSC", of=sources)))

    def judged_tables(self):
        """Tables 1 to 4 on the authors' split, the Rand index of each folded."""
        shown, rest = (self.printed_tables(*self.sets, metrics=names).tables
                       for names in (["NMI", "purity"], ["RI"]))
        folded = [replace(one, folded="the Rand index") for one in rest]
        return tables.Tables(tuple(one for pair in zip(shown, folded) for one in pair))

    def definitions(self):
        """Every printed NMI and Rand index beside ours under each definition, on the authors' split."""
        parts = []
        for name in self.sets:
            rows, n = self.judged_rows(self.headline(name)), self.protocol.task_sizes[name]
            means = rows.pivot_table("value", ["method", "task"], "metric")
            means = means.assign(pairs=((n - 1) * means["RI"] + 1) / n).reset_index()
            parts.append(self.printed(name).rename(columns={"mean": "printed"}).merge(means))
        cells = pd.concat(parts).query("task != 'avg' and cell not in @self.misprints")
        found = []
        for name, names in MEASURES.items():
            own = cells[cells["metric"] == name]
            table = _percent(own[["printed", *names]]).rename(columns=names)
            within = own[[*names]].sub(own["printed"], axis=0).abs().le(intervals.DELTA).sum()
            told = f"{len(table)} cells of {name}, within five points: "
            told += ", ".join(f"{said} {within[one]}" for one, said in names.items())
            found.append(self.scores_table(pd.concat([own[["dataset", "method", "task"]], table], axis=1),
                                           f"{name} by definition, percent", folded=told))
        return tables.Tables(tuple(found))

    def release(self):
        """What the authors' code does otherwise than the paper, and what its memory is worth."""
        return tables.Tables((self._changes(), self._memory(), self._updates()))

    def _changes(self):
        """Distance from LMSC's printed cells with one change of the release at a time, in points: mean and
        standard deviation over the seeds of k-means."""
        parts = {}
        for name in self.sets:
            rows = self.as_printed(self.default(RELEASED.format(name)), RELEASED.format(name), name)
            rows = rows[rows["method"].str.fullmatch("LMSC(, release(, (?!history).*)?)?")]
            cells = self.printed(name, "LMSC").query("task != 'avg' and cell not in @self.misprints")
            cells = cells.assign(metric=[our_name("lmsc", metric) for metric in cells["metric"]])
            both = rows.merge(cells[["task", "metric", "mean"]], on=["task", "metric"])
            both["distance"] = 100 * (both["value"] - both["mean"]).abs()
            seeds = both.pivot_table("distance", "method", "run", sort=False)
            spread = seeds.std(axis=1).map(" ± {:.1f}".format).replace(" ± nan", "")
            parts[name] = seeds.mean(axis=1).map("{:.1f}".format) + spread
        table = pd.DataFrame(parts).dropna(axis=1, how="all").rename_axis("method").reset_index()
        return self.scores_table(table, "Distance from LMSC's printed numbers at one setting, points",
                                 of=map(RELEASED.format, table.columns[1:]))

    def _memory(self):
        """NMI of tasks 2 to 4 by the release with and without what is kept between tasks, in percent."""
        found, pools = {}, []
        for name in self.sets:
            for kind, pool in (("authors' split", RELEASED.format(name)), ("random splits", name)):
                rows = self.default(pool).query("metric == 'NMI_geometric' and task in ['2', '3', '4']")
                means = rows.pivot_table("value", "method", "run")
                if NO_MEMORY in means.index:
                    pair = 100 * means.loc[[WITH_MEMORY, NO_MEMORY]].dropna(axis=1)
                    means = pair.mean(axis=1).to_numpy()
                    pools.append(pool)
                    found[name, kind] = {"with": means[0], "without": means[1],
                                         "gain": means[0] - means[1], "seeds or splits": pair.shape[1]}
        table = pd.DataFrame(found).T.round(1).rename_axis(["data set", "split"]).reset_index()
        return self.scores_table(table, "The memory of the release, NMI, percent", of=pools)

    @cached_property
    def later_tasks(self):
        """Mean NMI of the later tasks in percent, by stream and seed, under each kind of updates."""
        ours = self.table("transfer").query("knowledge == @WITH").assign(updates="consistent")
        later = pd.concat([ours, self.table("formulations")]).query("position > 1")
        return 100 * later.pivot_table("value", ["dataset", "seed"], "updates").dropna()

    @cached_property
    def cut_views(self):
        """Mean NMI of the later tasks in percent, by set of views that was cut into tasks."""
        return 100 * self.table("weights").query("position > 1").pivot_table("value", "dataset", "updates")

    def _updates(self):
        """NMI of the later tasks of streams by our updates, those of the release and the printed ones."""
        streams = [*self.later_tasks.groupby("dataset"), ("sets of views", self.cut_views)]
        rows = [{"stream": _STREAMS[stream], "updates": updates, "NMI": seeds[updates].mean().round(1),
                 "beside consistent": _told(seeds[updates] - seeds["consistent"])}
                for stream, seeds in streams for updates in seeds]
        note = ("The interval is over cuts of a stream; of sets of views, over the sets, each the mean of "
                "three cuts into at most eight tasks.")
        return tables.frame_table(pd.DataFrame(rows), "Later tasks of streams, NMI, percent",
                                  notes=[self.told_pipelines(list(_STREAMS)), note],
                                  folded="consistent, released and printed updates")

    @property
    def _names(self):
        """Methods of the printed tables."""
        return self.protocol.profile("full").methods

    def _beside(self, caption, sets, methods, parts):
        """Mean NMI of methods by data set, one part beside the other: which rows, of which data sets."""
        found = {}
        for part, (which, source) in parts.items():
            rows = pd.concat([which(source.format(name)).assign(dataset=name) for name in sets])
            means = mean_scores(rows, METRIC).unstack("dataset").reindex(methods)
            found |= {f"{name}, {part}": means[name] for name in sets}
        of = dict.fromkeys(source.format(name) for _, source in parts.values() for name in sets)
        return self.scores_table(pd.DataFrame(found).round(1), caption, of=of)

    def pipelines(self):
        """The graph and weighting nearest to each printed row, all others, what tf-idf changes; searches."""
        table = pipelines(self).sort_values(["method", "distance"]).round(1)
        heads = {"method": "method", "graph": "graph", "weighting": "words", "distance": "distance, points",
                 "within": "cells within 5 points", "cells": "of"}
        nearest = table.groupby("method").head(1)
        pools = [*self.sets, *(f"{name} (tfidf)" for name in self.sets[:3])]
        return tables.Tables((
            self.scores_table(nearest, "The choice nearest to each printed row", heads, of=pools),
            self.scores_table(table, "All choices", heads, folded=f"{len(table)} pairs of row and choice",
                              of=pools),
            self._beside("NMI at defaults, percent", self.sets[:3], self._names, {
                "counts": (self.default, "{}"), "tf-idf": (self.default, "{} (tfidf)")}),
            *self.searches().tables))

    def facts(self):
        """The four facts about Eq. (8), on four tasks of Handwritten Numerals."""
        tasks = [[abs(view) for view in task[:2]] for task in self.data("Handwritten").Xs]
        model, task = learn(tasks, 10)
        facts = {
            "The basis library cancels": (basis_cancels(task), "the terms without it are the same"),
            "D never changes labels": (
                fusion_never_changes_labels(task), "it changes no distance between samples"),
            "Views decouple": (
                views_decouple(tasks, 10), "together or alone, each view gets the same embedding"),
            "The mean of embeddings is not determined": (mean_is_undetermined(
                model, task), "turned embeddings reach the same objective, but give other labels")}
        return tables.Tables(tuple(tables.frame_table(fact.round(4), head, folded=told)
                                   for head, (fact, told) in facts.items()))

    def variants(self):
        """Mean NMI with one choice changed at a time, and with settings chosen with labels."""
        parts = ["readings", "step", "kmeans-seeding", "coreg-stop"]
        rows = pd.concat([self.rows(name)[lambda f: f["part"].isin(parts)] for name in self.sets])
        rows = pd.concat([rows, *map(self.default, self.sets)])
        rows = rows[~rows["method"].str.contains("raw") & ~rows["method"].isin(self._names[:-1])]
        table = mean_scores(rows, METRIC).unstack("dataset")[self.sets]
        return tables.Tables((
            self.scores_table(table.round(1).sort_index(), "Variants, NMI, percent", of=self.sets,
                              folded=f"{len(table)} variants on {len(self.sets)} data sets"),
            self._beside("NMI on the authors' split, mean over four tasks, percent", self.sets,
                         [*self._names, WITH_MEMORY], {"chosen with labels": (self.selected, RELEASED),
                                                       "default": (self.default, RELEASED)})))

    def rivals(self):
        """What could stand behind rivals' rows: order of classes, scored partition, signs of eigenvectors."""
        return tables.Tables((self._shuffled_classes(), self._partitions(), self._signs()))

    def _shuffled_classes(self):
        """Single-view rows on 3Sources: printed, ours, and against classes in another order."""
        table = self.table("shuffled_classes")
        table["spreads away"] = ((table["printed"] - table["shuffled"]) / table["spread"]).round(1)
        scores = table.columns.intersection(["printed", "ours", "sorted", "shuffled", "spread"])
        table[scores] = _percent(table[scores])
        return self.scores_table(table, "Single-view rows of Table 1 and classes in another order, percent",
                                 folded=f"{len(table)} printed numbers of three methods",
                                 of=[RELEASED.format("3Sources")])

    def _partitions(self):
        """Distance from print of the rivals that end in k-means, by which of its partitions is scored."""
        table = self.table("partitions")
        table["points"] = 100 * (table["ours"] - table["printed"]).abs()
        wide = table.pivot_table("points", "method", "partition", sort=False)
        wide.loc["all"] = table.groupby("partition")["points"].mean()
        told = ", ".join(f"{kind} {value:.1f}" for kind, value in wide.loc["all"].items())
        caption = "Points from print, by the partition of k-means"
        return self.scores_table(wide.round(1).reset_index(), caption, of=map(RELEASED.format, self.sets),
                                 folded=f"rivals that end in k-means, in the mean: {told}")

    @cached_property
    def over_signs(self):
        """AWP's row over random signs of eigenvectors, by graph and data set: points from print, mean spread,
        printed numbers inside 95 % of the draws, p, and how many partitions there were."""
        table = self.table("signs")
        inside = table["printed"].between(table["low"], table["high"])
        points = 100 * (table["printed"] - table["mean"]).abs()
        table = table.assign(points=points, spread=100 * table["spread"], inside=inside, numbers=1)
        return table.groupby(["graph", "dataset"], sort=False).agg({
            "numbers": "sum", "points": "mean", "spread": "mean", "inside": "sum", "p": "first",
            "partitions": "mean"})

    def _signs(self):
        found = self.over_signs.round({"points": 1, "spread": 1, "p": 3, "partitions": 0})
        best = found.groupby(level=0)[["inside", "numbers"]].sum().max()
        told = f"{best['inside']} of {best['numbers']} numbers inside what signs at random give, at best"
        return self.scores_table(found.reset_index(), "AWP from its authors' start, signs drawn at random",
                                 of=map(RELEASED.format, self.sets), folded=told)

    def sensitivity(self, name):
        """Figure 2 or 3 of the paper, one parameter after the other, by our updates and by the release."""
        rows, base = self._swept, self.protocol.sensitivity["figures-2-3"].base
        released = self.rows(RELEASED.format(name)).query("method == @WITH_MEMORY and run == 0")
        ours = self.sweep("figures-2-3-release").query("dataset == @RELEASED.format(@name)")
        curves = pd.concat([rows[rows["dataset"] == name].assign(updates="ours, random splits"),
                            ours.assign(updates="ours, authors' split"),
                            released.assign(updates="released, authors' split")])
        fig = plots.sensitivity(curves, base, METRIC, by="updates")
        return self.show(fig, f"lmsc-sensitivity-{name.lower()}")

    def heat_map(self, name, kind="surface"):
        """Figure 2 or 3 of the paper, over mu and beta: as printed, or at lambda = 1 by the "release"."""
        part, pool = {"surface": ("part == 'surface'", name),
                      "release": ("method == 'LMSC, release' and run == 0", RELEASED.format(name))}[kind]
        rows = self.rows(pool).query(part)
        if kind == "release":
            fixed = rows["params"].str.contains('"lam":1.0', regex=False)
            rows = rows[fixed].assign(dataset=f"{name}, authors' code")
        return self.show(plots.sensitivity_heatmap(rows, "mu", "beta", METRIC), f"lmsc-{kind}-{name.lower()}")

    def objectives(self):
        """Figure 4 of the paper: the objective of each task, by three algorithms."""
        kinds = {"LMSC, history": "consistent updates", "LMSC as printed": "updates as printed",
                 "LMSC, release, history": "authors' code"}
        kept = self.results.frame.drop_duplicates("key")
        sets = [f"{name}{end}" for name in ("3Sources", "BBCSport") for end in (" 0", RELEASED[2:])]
        kept = kept[kept["method"].isin(kinds) & kept["dataset"].isin(sets)]
        models = self.results.models
        panels = {f"{row.dataset.split()[0]}, {kinds[row.method]}":
                  [-models[f"{row.key}/histories_/{t}"] for t in range(4)] for row in kept.itertuples()}
        return self.show(plots.task_objectives(panels), "lmsc-objectives")

    def stream(self, what):
        """What sequences of tasks show: "transfer" from the libraries, "forgetting" of task 1, the
        "orders" of tasks, the "costs" of one more."""
        table = self.table("stream_costs" if what == "costs" else what).replace({"dataset": _STREAMS})
        return self.show(_DRAWN[what](table), f"lmsc-{what}")

    def frames(self):
        keys = ["dataset", "method", "run", "metric", "task"]
        every = pd.concat(map(self.rows, self.sets))
        grid = leverage.with_params(every[every["method"] == "LMSC"], "lam", "mu").query("mu == 0.01")
        curves = [self._swept, grid.assign(method=[f"lam = {value:g}" for value in grid["lam"]])]
        surface = leverage.with_params(every[every["part"] == "surface"], "mu", "beta")
        for name in ("mu", "beta"):  # a curve over each, the mean over the other one
            means = surface.groupby([*keys, name])["value"].mean().reset_index()
            curves.append(means.assign(params=[json.dumps({name: value}) for value in means[name]]))
        random = pd.concat([every[every["part"].isin(["readings", "step"])], *map(self.default, self.sets)])
        random = random.assign(dataset=random["dataset"].map(RANDOM.format)).drop_duplicates(ONE_A_JOB)
        later = self.table("transfer").query("position > 1").rename(columns={"knowledge": "method"})
        anew = self.table("forgetting").query("against == 'classes'")
        last = anew.groupby("dataset")["tasks_seen"].transform("max")
        kept = [anew[anew["tasks_seen"] == seen].assign(method=f"task 1, {when}")
                for when, seen in (("after itself", 1), ("at the end", last))]
        streams = pd.concat([later, *kept]).assign(task="avg").rename(columns={"seed": "run"})
        return {"results": pd.concat([*map(self.as_in_print, self.sets), random]),
                "streams": streams.groupby(keys)["value"].mean().reset_index(),
                "sensitivity": pd.concat(curves)}

    @property
    def _swept(self):
        """Figures 2 and 3 on random splits, all splits of a data set as one."""
        rows = self.sweep("figures-2-3")
        return results.pooled(rows, {name: name.rpartition(" ")[0] for name in rows["dataset"].unique()})


_STREAMS = {"lmsc-bbc": "BBC, 8 tasks", "lmsc-newsgroups": "20 Newsgroups, 24 tasks",
            "sets of views": "15 sets of views, cut"}
_DRAWN = {"transfer": plots.transfer_curve, "orders": plots.order_spread,
          "forgetting": plots.forgetting_curve, "costs": plots.stream_costs}


def _told(gains):
    """A mean in points with its 95 % interval, and whether it could be chance."""
    low, high = mean_interval(gains)
    chance = ", which could be chance" if low < 0 < high else ""
    return "{} ({} to {}{})".format(*map(signed, (gains.mean(), low, high)), chance)


def _percent(fractions):
    return (100 * fractions).round(1)
