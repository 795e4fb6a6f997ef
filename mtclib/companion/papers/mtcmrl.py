"""MTCMRL: what its claims are tested on, which classes of its tasks belong together, and what it shows."""

import pandas as pd

from mtclib.companion import plots, runs, tables
from mtclib.companion.claims.curves import largest_entry_names_counterpart
from mtclib.companion.papers.pairs import outcomes_table, pairs_table
from mtclib.companion.papers.results import mean_scores
from mtclib.companion.papers.study import Study
from mtclib.core import paths
from mtclib.datasets.reuters import MTCMRL_FAMILIES

METRICS = {"ACC": "ACC", "NMI": "NMI_geometric"}
SETS = ["WebKB4", "20NewsGroups", "Reuters"]
PLAIN = "20NewsGroups (tfidf)"
STOPS = {"WebKB4": 99, "20NewsGroups": 100, PLAIN: 100, "Reuters": 28}
"""Iterations after which the paper's own runs stop, section 4.7."""
STOPPED = {"stopped by the paper's threshold": ("MTCMRL", "SNMF+LR"),
           "run until it converges": ("MTCMRL converged", "SNMF+LR converged")}
TRANSFER = [("MTCMRL", "SNMF+LR"), ("SAMTC", "SAMTC, no transfer"), ("LSSMTC", "LSSMTC, no transfer"),
            ("MBC", "MBC, no transfer"), ("S-MBC", "MBC, no transfer")]
"""Methods with transfer, each with its version that learns every task alone."""
VARIED = ("S-MBC", "S-MKC", "MBC", "MKC", "MTSC", "CLR", "SAMTC", "DMTFC", "DMTRC", "k-means")


FOUND = {"20NewsGroups (found; words by labels)": "words by the true labels",
         "20NewsGroups (found, but words by frequency)": "words by frequency", "Reuters (found)": "all words"}
"""Data behind Tables 3 and 4, with how their words were chosen."""


class PaperStudy(Study, paper="mtcmrl"):
    """The study of MTCMRL, with its figures and tables."""

    def found_table(self):
        """Tables 3 and 4 on the data that were found, at default settings, as far as they are run."""
        frame = runs.read_results(paths.paper_dir(self.paper) / "found").frame
        found = pd.DataFrame(
            row for name, words in FOUND.items() for row in self._beside_print(frame, name, words))
        notes = ["Words chosen by the true labels use what a clustering method is not to know; rows with "
                 "words by frequency stand below. Few runs give a first look; verdicts follow when all "
                 "settings are run."]
        return tables.frame_table(found, "On the data found: distance from print", notes=notes)

    def _beside_print(self, frame, name, words):
        spec = self.protocol.datasets[name]
        rows = runs.fixed(frame[frame["dataset"] == spec.rows_of], self.protocol.defaults)
        for method in self.published["method"].unique():
            cells = self.printed(spec.published, method)
            ours = rows[rows["method"] == spec.stand_ins.get(method, method)]
            means = ours.groupby(["task", "metric"], observed=True)["value"].mean()
            places = [(cell.task, METRICS[cell.metric]) for cell in cells.itertuples()]
            if len(ours) and len(cells):
                gaps = 100 * (means.loc[places].to_numpy() - cells["mean"].to_numpy())
                yield {"data": spec.published, "words": words, "method": method,
                       "runs": ours["run"].nunique(), "points from print": round(abs(gaps).mean(), 2),
                       "within 5 points": f"{(abs(gaps) <= 5).sum()} of {len(gaps)}"}

    def gains_table(self):
        """What MTCMRL adds to its single-task version, stopped early and late, and as printed."""
        pairs = [*STOPPED.values(), ("MTCMRL as printed", "MTCMRL")]
        return pairs_table(self._stopping(), pairs, "ACC", "Accuracy at the default setting")

    def _stopping(self):
        frame = self.results.frame
        parts = frame[frame["part"].isin(["formulation", "stopping"])]
        rows = pd.concat([*map(self.default, [*SETS, PLAIN]), parts])
        return rows.drop_duplicates(["key", "method", "task", "metric"])

    def preprocessing_tables(self):
        """k-means and SNMF under four weightings of the three sets, beside print."""
        parts = {"preprocessing-webkb4": "WebKB4", "preprocessing": "20 Newsgroups",
                 "preprocessing-reuters": "Reuters"}
        found = {name: self.weighting_table(part, ["k-means", "SNMF"]) for part, name in parts.items()}
        return tables.Tables(tuple(
            tables.frame_table(frame, f"{name}: accuracy in each task", folded=_nearest(frame))
            for name, frame in found.items()))

    def transfer(self):
        """Accuracy of the first task by what the second shares with it."""
        rows = self._shared()
        first = rows[(rows["task"] == "1") & (rows["metric"] == "ACC")]
        share = first["dataset"].str.extract(r"(\d)").astype(float)[0] / 3
        first, sides = first.assign(share=share, kind=""), ("with transfer", "single-task version")
        parts = [first[first["method"] == name].assign(dataset=pair[0], method=side)
                 for pair in TRANSFER for name, side in zip(pair, sides)]
        fig = plots.robustness(pd.concat(parts), title="{dataset}", noun="common classes")
        return self.show(fig, "mtcmrl-transfer", alt="Accuracy of Task 1 against the share of common "
                         "classes, one panel per method, with transfer beside its single-task version.")

    def transfer_table(self):
        """What transfer gains or costs, by the number of shared classes."""
        return pairs_table(self._shared(), TRANSFER, "ACC", "Accuracy, points over the single-task version")

    def _shared(self):
        return pd.concat(map(self.default, self.protocol.studies["negative-transfer"].datasets))

    def variants_table(self):
        """Reconstructions under one other choice at a time."""
        frame = self.results.frame
        rows = frame[frame["part"].isin(["variants", "variants-equal"])]
        rows = pd.concat([rows, *map(self.default, SETS)])
        names = [name for name in rows["method"].unique() if name.split(",")[0] in VARIED]
        means = mean_scores(rows[rows["method"].isin(names)]).unstack("dataset")[SETS].sort_index()
        return tables.frame_table(means.round(1), "Reconstructions and variants", folded=f"{len(means)} rows")

    def sensitivity(self, metric):
        """Figure 1, one metric."""
        fig = plots.sensitivity(self.sweep("figure1"), self.protocol.sensitivity["figure1"].base, metric)
        name = metric.partition("_")[0]
        return self.show(fig, f"mtcmrl-sensitivity-{name.lower()}", "MTCMRL 1", alt=f"{name} against each of "
                         "the four parameters: nearly flat lines of four data sets.")

    def convergence(self):
        """Figure 2."""
        kept = self.results.histories
        histories = {name: [kept[key] for key in rows["key"].unique() if key in kept]
                     for name, rows in self._fits.items()}
        return self.show(plots.objective_panels(histories, STOPS), "mtcmrl-convergence", "MTCMRL 2")

    def relation_time(self):
        """Figure 3."""
        timings = self.table("relation_times").query("costs == 'models'")
        return self.show(plots.runtime(timings, switch_at=35), "mtcmrl-relation-time", "MTCMRL 3",
                         alt="Seconds against clusters: the projection lies far below Frank-Wolfe and "
                         "quadratic programming, whose lines cross at 35 clusters.")

    def relation_table(self):
        """How often a relation names the related class."""
        kinds = relation_kinds(self)
        kinds[PLAIN] = kinds["20NewsGroups"]
        fitted = {name: name if name == PLAIN else self.fitted(name) for name in self._fits}
        found = {fitted[name]: largest_entry_names_counterpart(
                     self.relations(fitted[name], rows, kinds[name]), fitted[name])
                 for name, rows in self._fits.items()}
        return outcomes_table(found, "Does the relation name the related class?")

    def relation(self, name):
        """The relation of the first two tasks of a data set, beside the printed one."""
        labels = relation_kinds(self)[name] if name == "WebKB4" else self.class_names(name)
        relations = self.relations(self.fitted(name), self._fits[name], labels)
        ours, printed = self.relation_pair(relations, "1", "2", labels)
        fig = plots.relation_matrix(ours, printed, ours.index, ours.columns, tasks=("Task 1", "Task 2"))
        return self.show(fig, f"mtcmrl-relation-{name.lower()}", alt=f"Relations of the classes of Tasks "
                         f"1 and 2 of {name}, ours beside the printed ones.")

    @property
    def _fits(self):
        sets = {name: self.headline(name) for name in SETS} | {PLAIN: PLAIN}
        return {name: self.default(one).query("method == 'MTCMRL'") for name, one in sets.items()}

    def fitted(self, name):
        """The data set whose fits are judged beside a printed one."""
        headline = self.headline(name)
        return self.protocol.datasets[headline].rows_of or headline

    def judged_sweep(self, name):
        """Figure 1 on the pipeline that is judged, under the printed names; as long as it is not whole there,
        on the one fixed before any run. Column "pipeline" says which."""
        own = self.protocol.datasets[self.headline(name)].stand_ins.get("MTCMRL", "MTCMRL")
        sweeps = self.protocol.sensitivity
        rows = self.sweep(next(one for one in ("figure1", "figure1-found") if sweeps[one].method == own))
        judged = rows[rows["dataset"] == self.fitted(name)]
        settings = judged.groupby("parameter")["setting"].nunique()
        if len(settings) == len(sweeps["figure1"].sweep) and settings.min() > 1:
            return judged.assign(dataset=name, method="MTCMRL", pipeline=self.headline(name))
        rows = self.sweep("figure1")
        return rows[rows["dataset"] == name].assign(pipeline=name)

    def frames(self):
        """Rows of committed results that the claims of the paper speak of, by the name of their frame."""
        shared = self.protocol.studies["negative-transfer"].datasets
        kinds = relation_kinds(self)
        judged = [self.selected(self.headline(name)).assign(dataset=name) for name in SETS]
        relations = [self.relations(self.fitted(name), rows, kinds[name]).assign(dataset=name)
                     for name, rows in self._fits.items() if name in SETS]
        return {"results": pd.concat([*judged, *map(self.default, shared)]),
                "sensitivity": pd.concat(map(self.judged_sweep, SETS)),
                "relations": pd.concat(relations),
                "timings": self.table("relation_times").query("costs == 'models'")}


def _nearest(frame):
    """The weighting that is nearest to the printed row of each method, in words."""
    others = frame[frame["weighting"] != "printed"]
    best = others.loc[others.groupby("method", sort=False)["distance"].idxmin()]
    told = [f"{row.method} with {row.weighting} ({row.distance:g} points)" for row in best.itertuples()]
    return "nearest to print come " + " and ".join(told)


def relation_kinds(study):
    """Which kind of document each class of the three sets of MTCMRL is, by task. Root category of a
    newsgroup, kind of a web page, family of a Reuters topic."""
    pages, groups, topics = map(study.class_names, ("WebKB4", "20NewsGroups", "Reuters"))
    return {"WebKB4": [[page.partition(".")[2] for page in task] for task in pages],
            "20NewsGroups": [[group.partition(".")[0] for group in task] for task in groups],
            "Reuters": [[MTCMRL_FAMILIES[topic] for topic in task] for task in topics]}
