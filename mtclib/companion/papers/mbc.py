"""MBC: what its claims are tested on, what its sentences state, and what its notebook shows."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist
from sklearn.preprocessing import normalize

from mtclib.companion import plots, tables
from mtclib.companion.claims import largest_entry_names_counterpart, score_pairs
from mtclib.companion.papers.results import mean_scores
from mtclib.companion.papers.study import Study
from mtclib.companion.runs.measures import class_means
from mtclib.companion.verdicts import numbers
from mtclib.metrics import partition_emd

DISTANCES = ["d_M", "s_nmi"]  # of Table 4
BOTH = ["IND", "MBC"]
METRICS = {"NMI": "NMI_geometric", "ARI": "ARI"}


class PaperStudy(Study):
    def preprocessing_table(self):
        """Distance of IND from print under each weighting."""
        keys = ["published", "task", "metric"]
        tried = self.results.frame.query("method == 'IND' and task in ['1', '2'] and published != ''")
        tried = self.with_loader_params(tried, "weighting")
        tried = tried.assign(metric=tried["metric"].map({ours: name for name, ours in METRICS.items()}))
        printed = self.published.rename(columns={"dataset": "published"}).query("method == 'IND'")
        printed = printed.set_index(keys)["mean"]
        ours = tried.pivot_table("value", keys, "weighting", sort=False)
        distance = 100 * ours.sub(printed.reindex(ours.index), axis=0).abs()
        table = distance.groupby("published", sort=False).mean().T.assign(all=distance.mean())
        return self.scores_table(table.round(1).sort_values("all"), "IND: mean distance from print, points",
                                 of=tried["dataset"].unique())

    def weighting_distances_table(self):
        """How many times farther apart IND leaves the partitions than MBC, under each weighting."""
        rows = self.results.frame.query("metric == 'd_M' and method in @BOTH and published != ''")
        apart = self.with_loader_params(rows, "weighting")
        apart = apart.pivot_table("value", ["weighting", "published"], "method", sort=False)
        ratio = (apart["IND"] / apart["MBC"]).unstack("published")
        printed = self._printed_distances
        ratio.loc["printed"] = (printed["IND"] / printed["MBC"]).reindex(ratio.columns)
        return self.scores_table(ratio.round(2), "d_M of IND over d_M of MBC, by weighting",
                                 of=rows["dataset"].unique())

    def distances_table(self):
        """Table 4: distances over those of the true classes, and the distances."""
        rows = self._compared[self._compared["task"] == ""]
        means = rows.pivot_table("value", "dataset", ["metric", "method"], sort=False)
        means = means[["d_M", "d_M_uniform"]]
        parts = {"printed": self._printed_distances, "ours": means["d_M"],
                 "ours, model": means["d_M_uniform"]}
        ratios = pd.DataFrame({f"{name}, {method} / true": part[method] / part["true"]
                               for name, part in parts.items() for method in BOTH})
        ratios = ratios.reindex([name for name in self.sets if name in parts["printed"].index])
        means = (1000 * means).round(2).set_axis([f"{a}, {b}" for a, b in means], axis=1)
        return tables.Tables((
            self.scores_table(ratios.round(2), "Distance over the distance of the true classes"),
            self.scores_table(means, "Distances", folded="ours, in thousandths"),
            *(replace(one, folded="the judged pipeline")
              for one in self.printed_tables(*self.sets, metrics=DISTANCES).tables),
            *self.beforehand(*self.sets, metrics=DISTANCES).tables))

    def pairs(self, metric):
        """Figures 1 and 2: the score of one task against that of the other, a point for each run."""
        rows = self._compared[self._compared["dataset"].isin(self.sets[:3])]
        fig = plots.task_pairs(score_pairs(rows, METRICS[metric]), metric)
        return self.show(fig, f"mbc-pairs-{metric.lower()}")

    def strength(self):
        """NMI against the strength of the coupling."""
        rows = self.sweep("lambda")
        fig = plots.sensitivity(rows[rows["dataset"].isin(self.sets)], {"lam": 0.5}, METRICS["NMI"],
                                linear=["lam"])
        return self.show(fig, "mbc-lambda")

    def divergences_table(self):
        """NMI under divergences that the paper does not test."""
        studies = ("kl", "i-divergence", "itakura-saito")
        sets = {name for part in studies for name in self.protocol.studies[part].datasets}
        rows = self.results.frame[self.results.frame["dataset"].isin(sets)]
        means = mean_scores(rows, METRICS["NMI"]).unstack("method")
        names = [name for name in means if "start" not in name and "lambda" not in name]
        pairs = means[names].stack().rename("NMI").reset_index()
        pairs[["method", "divergence"]] = pairs["method"].str.split(", ", n=1, expand=True)
        pairs = pairs.fillna({"divergence": "squared Euclidean"})
        table = pairs.pivot_table("NMI", ["dataset", "divergence"], "method", sort=False)
        told = f"MBC is ahead of IND in {(table['MBC'] > table['IND']).sum()} of {len(table.dropna())} pairs"
        return self.scores_table(table.round(1), "Other divergences, NMI", folded=told, of=sorted(sets))

    def relation_table(self):
        """How often a relation names the same class of the other task."""
        found = {name: largest_entry_names_counterpart(self._related(name), name)
                 for name in self.sets if name != "NG20-3"}
        return self.outcomes_table(found, "Does the relation name the same class?", of=found)

    def relation(self):
        """The relation of the two tasks of tr45, by class."""
        rows = self._related("tr45").query("task == '1' and other == '2'")
        first, second = self.class_names("tr45")
        matrix = rows.pivot_table("value", "row", "column").loc[first, second]
        tasks = ("class of task 1", "class of task 2")
        return self.show(plots.relation_matrix(matrix, None, first, second, tasks=tasks), "mbc-relation")

    def _related(self, name):
        rows = self.results.frame.query("method == 'MBC, relations' and dataset == @name")
        return self.relations(name, rows, self.class_names(name))

    @property
    def _compared(self):
        """IND, MBC and the true classes on the headline pipelines, by printed data set."""
        rows = self.on_headlines(lambda head: pd.concat([self.selected(head), self.truth_of(head)]))
        return rows[rows["method"].isin([*BOTH, "true"])]

    @property
    def _printed_distances(self):
        rows = self.published[self.published["metric"] == "d_M"]
        return rows.pivot(index="dataset", columns="method", values="mean")

    def frames(self):
        return {"results": self._compared}


def distances_of_classes(data, further):
    """d_M, Eq. (8), of the true classes of two tasks under further choices: a search's ``values``. Factors
    differ between data sets; scatter is the mean squared distance from the mean."""
    n, K, d = np.mean([X.shape[0] for X in data.Xs]), np.mean(data.n_clusters), data.Xs[0].shape[1]
    scatter = np.mean([X.multiply(X).sum() / X.shape[0] - (np.asarray(X.mean(axis=0)) ** 2).sum()
                       for X in data.Xs])
    factors = {"none": 1.0, "n": n, "1/n": 1 / n, "sqrt n": np.sqrt(n), "K": K, "1/K": 1 / K,
               "d": d, "1/d": 1 / d, "sqrt d": np.sqrt(d), "1/scatter": 1 / scatter}
    means = [class_means(X, y) for X, y in zip(data.Xs, data.labels)]
    centres = {"means": means, "unit length": [normalize(U) for U in means]}
    costs = {"squared": "sqeuclidean", "plain": cdist}
    for form, masses, kind in product(further["centroids"], further["masses"], further["cost"]):
        value = partition_emd(None, data.labels[0], None, data.labels[1], divergence=costs[kind],
                              centroids=centres[form], marginals=masses)
        for name in further["factor"]:
            choice = {"centroids": form, "masses": masses, "cost": kind, "factor": name}
            yield choice, {("", "true", "d_M"): value * factors[name]}


class Numbers(numbers.Numbers, paper="mbc"):
    def highest_ari(self):
        """Highest ARI of MBC on NG20-1 over all weightings and couplings but the strong one."""
        rows = self.study.results.frame.query("published == 'NG20-1' and metric == 'ARI' and task == 'avg'")
        rows = rows[rows["method"].isin(["MBC", "MBC, lambda"])]
        return rows.groupby(["dataset", "method", "params"])["value"].mean().max()

    def empty(self, method, count="empty"):
        """Partitions of tasks with an empty cluster at the default, or with ``count=all`` all of them."""
        labels, rows = self.study.results.labels, self.study.results.frame.query("method == @method")
        rows = rows[rows["dataset"].isin(self.study.protocol.profile("full").datasets)]
        rows = rows[~rows["task"].isin(["", "avg"])].drop_duplicates(["key", "task"])
        lost = [len(np.unique(labels[f"{row.key}/{row.task}"]))
                < len(np.unique(labels[f"truth/{row.dataset}/{row.task}"])) for row in rows.itertuples()]
        return len(lost) if count == "all" else sum(lost)
