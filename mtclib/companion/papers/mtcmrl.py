"""MTCMRL: what its claims are tested on, which classes of its tasks belong together, and what it shows."""

from functools import cache, cached_property

import numpy as np
import pandas as pd

from mtclib.companion import plots, tables
from mtclib.companion.claims import largest_entry_names_counterpart
from mtclib.companion.papers.results import mean_scores
from mtclib.companion.papers.study import Study
from mtclib.companion.runs import our_name
from mtclib.companion.verdicts import numbers
from mtclib.core import paths
from mtclib.datasets.dataset import SETS

UNLABELLED = "20NewsGroups (found, but words by frequency)"
"""The documents behind Table 3 with words that no label chose."""
BY_LABELS = {"20NewsGroups": "20NewsGroups (words by labels)"}
"""What is said beside its results where a figure has no room for the note of the protocol."""
BY_WORDS = ("words by labels", "words by frequency")
STOPS = {"WebKB4": 99, "20NewsGroups": 100, "Reuters": 28}
"""Iterations after which the paper's own runs stop, section 4.7."""
STOPPED = [("MTCMRL", "SNMF+LR"), ("MTCMRL converged", "SNMF+LR converged")]
"""With and without relations, stopped by the paper's threshold and run until they converge."""
TRANSFER = [("MTCMRL", "SNMF+LR"), ("SAMTC", "SAMTC, no transfer"), ("LSSMTC", "LSSMTC, no transfer"),
            ("MBC", "MBC, no transfer"), ("S-MBC", "MBC, no transfer")]
"""Methods with transfer, each with its version that learns every task alone."""
PRINTED_AS = {"MBC": "S-MBC", "MKC": "S-MKC"} | {
    name: name for name in ("S-MBC", "S-MKC", "MTSC", "CLR", "SAMTC", "DMTFC", "DMTRC")}
"""Methods that were run in several readings, with the printed row that each stands beside."""


class PaperStudy(Study):
    def gains_table(self):
        """What MTCMRL adds to its single-task version on the judged data, stopped early and late."""
        return self.pairs_table(self.on_headlines(self.default), STOPPED, "ACC",
                                "Accuracy at the default setting")

    @cache
    def by_words(self, metric):
        """Mean scores on 20 Newsgroups in percent, a row for each method: printed, with words that the labels
        chose, and with the most frequent words of the same documents."""
        sources, ours = (self.headline("20NewsGroups"), UNLABELLED), our_name(self.paper, metric)
        found = [mean_scores(self.default(one), ours).droplevel(0) for one in sources]
        cells = self.printed("20NewsGroups", metric=metric).groupby("method", sort=False)
        printed = 100 * cells["mean"].mean()
        return pd.DataFrame(dict(zip(("printed", *BY_WORDS), (printed, *found)))).reindex(printed.index)

    def labels_tables(self):
        """What the labels that chose the words of Table 3 buy each method, and its place among all."""
        return tables.Tables(tuple(
            self.scores_table(table.assign(bought=table[first] - table[second]).round(1).join(places),
                              f"20 Newsgroups: what labels in the choice of words buy, {metric}, percent",
                              of=[self.headline("20NewsGroups"), UNLABELLED])
            for metric in ("ACC", "NMI") for table, (first, second) in [(self.by_words(metric), BY_WORDS)]
            for places in [table.rank(ascending=False, method="min").astype("Int64").add_prefix("place, ")]))

    def preprocessing_tables(self):
        """k-means and SNMF under four weightings of the three sets, beside print: mean accuracies, and
        their mean absolute distance from the printed row."""
        parts = {"preprocessing-webkb4": "WebKB4", "preprocessing": "20 Newsgroups",
                 "preprocessing-reuters": "Reuters"}
        found = []
        for (part, name), printed in zip(parts.items(), self.sets):
            frame = pd.concat([self._by_weighting(part, printed, method) for method in ("k-means", "SNMF")])
            others = frame[frame["weighting"] != "printed"].reset_index(drop=True)
            best = others.loc[others.groupby("method", sort=False)["distance"].idxmin()]
            told = " and ".join(f"{row.method} with {row.weighting} ({row.distance:g} points)"
                                for row in best.itertuples())
            found.append(self.scores_table(
                frame.reset_index(drop=True), f"{name}: accuracy in each task",
                folded=f"nearest to print come {told}", of=self.protocol.studies[part].datasets))
        return tables.Tables(tuple(found))

    def _by_weighting(self, part, dataset, method):
        rows = self.results.frame.query("method == @method and metric == 'ACC' and task != 'avg'")
        rows = rows[rows["dataset"].isin(self.protocol.studies[part].datasets)]
        rows = self.with_loader_params(rows, "weighting")
        ours = rows.pivot_table("value", "weighting", "task", sort=False)
        printed = self.printed(dataset, method, "ACC").set_index("task")["mean"].rename("printed")
        both = 100 * pd.concat([printed.to_frame().T, ours])
        both["distance"] = (both - both.loc["printed"]).abs().mean(axis=1)
        both = both.round(1).rename_axis("weighting").reset_index()
        both.insert(0, "method", method)
        return both

    def transfer(self):
        """Accuracy of the first task by what the second shares with it."""
        rows = self._shared()
        first = rows[(rows["task"] == "1") & (rows["metric"] == "ACC")]
        share = first["dataset"].str.extract(r"(\d)").astype(float)[0] / 3
        first, sides = first.assign(share=share, kind=""), ("with transfer", "single-task version")
        parts = [first[first["method"] == name].assign(dataset=pair[0], method=side)
                 for pair in TRANSFER for name, side in zip(pair, sides)]
        return self.show(plots.robustness(pd.concat(parts), "{dataset}", "common classes"), "mtcmrl-transfer")

    def transfer_table(self):
        """What transfer gains or costs, by the number of shared classes."""
        caption = "Accuracy, points over the single-task version"
        return self.pairs_table(self._shared(), TRANSFER, "ACC", caption,
                                self.protocol.studies["negative-transfer"].datasets)

    def _shared(self):
        return pd.concat(map(self.default, self.protocol.studies["negative-transfer"].datasets))

    def variants_table(self):
        """How far the readings of other methods are from print, on the data that are judged and on others."""
        sources = {source: name for name in self.sets for source in (self.headline(name), name)}
        found = {source: {method: self.numbers.distance(method, f"fixed {source}", dataset=name,
                                                        printed=PRINTED_AS[method.partition(",")[0]])
                          for method in self.default(source)["method"].unique()
                          if PRINTED_AS.get(method.partition(",")[0]) in set(self.printed(name)["method"])}
                 for source, name in sources.items()}
        table = pd.DataFrame(found).sort_index().round(1)
        return self.scores_table(table, "Mean distance from print, at default settings", of=sources,
                                 folded=f"{len(table)} readings of {len(set(PRINTED_AS.values()))} methods")

    def sensitivity(self, metric):
        """Figure 1, one metric."""
        rows = pd.concat(map(self.judged_sweep, self.sets)).replace({"dataset": BY_LABELS})
        fig = plots.sensitivity(rows, self.protocol.sensitivity["figure1"].base, metric)
        return self.show(fig, f"mtcmrl-sensitivity-{metric.partition('_')[0].lower()}")

    def convergence(self):
        """Figure 2."""
        kept = self.results.histories
        histories = {name: [kept[key] for key in rows["key"].unique() if key in kept]
                     for name, rows in self._fits.items()}
        panels, stops = ({BY_LABELS.get(name, name): one for name, one in each.items()}
                         for each in (histories, STOPS))
        return self.show(plots.objective_panels(panels, stops), "mtcmrl-convergence")

    def relation_time(self):
        """Figure 3."""
        timings = self.table("relation_times").query("costs == 'models'")
        return self.show(plots.runtime(timings, switch_at=35), "mtcmrl-relation-time")

    def relation_table(self):
        """How often a relation names the related class."""
        found = {name: largest_entry_names_counterpart(self.judged_relations(name), name)
                 for name in self.sets}
        return self.outcomes_table(found, "Does the relation name the related class?")

    def judged_relations(self, name):
        """Relations of MTCMRL's fits that are judged beside a printed data set, by kinds of classes."""
        rows = self.relations(self.fitted(name), self._fits[name], relation_kinds(self)[name])
        return rows.assign(dataset=name)

    def relation(self, name):
        """The relation of the first two tasks of a data set, beside the printed one."""
        labels = relation_kinds(self)[name] if name == "WebKB4" else self.class_names(name)
        relations = self.relations(self.fitted(name), self._fits[name], labels)
        ours, printed = self.relation_pair(relations, name, labels)
        fig = plots.relation_matrix(ours, printed, ours.index, ours.columns, tasks=("Task 1", "Task 2"),
                                    title=BY_LABELS.get(name, name))
        return self.show(fig, f"mtcmrl-relation-{name.lower()}")

    def relation_pair(self, relations, name, class_names):
        """Our relation matrix of the first two tasks (mean over runs) and the printed one, both by class."""
        rows = relations.query("task == '1' and other == '2'")
        ours = rows.pivot_table("value", "row", "column").reindex(class_names[0]).T.reindex(class_names[1]).T
        facts = pd.read_csv(paths.paper_dir(self.paper) / "facts.csv")
        cells = facts.query("dataset == @name and quantity == 'G' and task == '1-2'")
        return ours, cells.astype({"row": int, "col": int, "value": float}).pivot_table("value", "row", "col")

    @cached_property
    def _fits(self):
        return {name: self.default(self.headline(name)).query("method == 'MTCMRL'") for name in self.sets}

    def judged_sweep(self, name):
        """Figure 1 on the pipeline that is judged, under the printed name."""
        own = self.protocol.datasets[self.headline(name)].stand_ins.get("MTCMRL", "MTCMRL")
        rows = self.sweep(next(one for one, kind in self.protocol.sensitivity.items() if kind.method == own))
        return rows[rows["dataset"] == self.fitted(name)].assign(dataset=name, method="MTCMRL")

    def frames(self):
        return {"results": pd.concat([self.on_headlines(self.selected), self._shared()]),
                "sensitivity": pd.concat(map(self.judged_sweep, self.sets)),
                "relations": pd.concat(map(self.judged_relations, self.sets)),
                "timings": self.table("relation_times").query("costs == 'models'")}


def relation_kinds(study):
    """Which kind of document each class of the three sets of MTCMRL is, by task. Root category of a
    newsgroup, kind of a web page, family of a Reuters topic."""
    pages, groups, topics = map(study.class_names, study.sets)
    families = SETS["mtcmrl-reuters"]["families"]
    return {"WebKB4": [[page.partition(".")[2] for page in task] for task in pages],
            "20NewsGroups": [[group.partition(".")[0] for group in task] for task in groups],
            "Reuters": [[families[topic] for topic in task] for task in topics]}


class Numbers(numbers.Numbers, paper="mtcmrl"):
    def order(self, what):
        """How many pairs of methods change their order by accuracy on 20 Newsgroups if no label chooses the
        words, or "all" pairs; or the "first" method with words chosen by labels, or with the "other" ones."""
        table = self.study.by_words("ACC")[list(BY_WORDS)]
        if what in ("first", "other"):
            return table.idxmax().iloc[int(what == "other")]
        pairs = np.triu_indices(len(table), 1)
        signs = [np.sign(np.subtract.outer(*[table[name].to_numpy()] * 2))[pairs] for name in table]
        return len(pairs[0]) if what == "all" else int((signs[0] != signs[1]).sum())

    def gain(self, side, reconstruction):
        """Mean gain over data sets in points, "printed" or "ours", over reconstructed rivals or others."""
        found = pd.read_csv(paths.data_dir() / "gains.csv", dtype={"task": str}).query("paper == 'mtcmrl'")
        return found.query("reconstruction == @reconstruction").groupby("dataset")[side].mean().mean()

    def sweeps(self, method, dataset, what="median"):
        """Median number of sweeps of a method at its default, or of how many "runs" are "capped"."""
        fits = self._setting(method, dataset, None, {}).drop_duplicates("key")
        return f"{fits['n_iter'].median():g}" if what == "median" else str(
            len(fits) if what == "runs" else int((~fits["converged"].astype(bool)).sum()))
