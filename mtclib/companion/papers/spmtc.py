"""SPMTC: what its claims are tested on, what its sentences state, and what its notebook shows."""

from functools import cached_property

import pandas as pd
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import confusion_matrix

from mtclib.companion import plots, tables
from mtclib.companion.claims import columns
from mtclib.companion.papers.pairs import gains, pairs_table
from mtclib.companion.papers.study import ONE_A_JOB, Study, mean_scores
from mtclib.companion.verdicts import numbers

PACED = {f"{weights} weights, {fate}": (f"SPMTC-{weights[0]}{variant}", "LSSMTC")
         for fate, variant in (("left-out samples stay", ", rows kept"), ("left-out samples move", ""))
         for weights in ("hard", "soft")}
"""SPMTC with both kinds of weights and both fates of samples without weight, each against LSSMTC."""
NOISE = ("mixed", "long")


class PaperStudy(Study):
    """The study of SPMTC, with its figures and tables."""

    @property
    def sets(self):
        """The six data sets."""
        return list(self.protocol.profile("full").datasets)

    def gains(self):
        """What self-pacing gains over the same method with all weights one."""
        fig = plots.gains(gains(self._fixed, PACED, "ACC"), "accuracy over all weights one")
        return self.show(fig, "spmtc-gains", alt="Gain in accuracy of SPMTC over LSSMTC with intervals: "
                         "mostly about zero, and a large loss on RECvsTALK if left-out samples move.")

    def gains_table(self):
        """The same in numbers."""
        return pairs_table(self._fixed, list(PACED.values()), "ACC", "Accuracy at the default setting")

    def unshared_table(self):
        """What self-pacing gains where nothing is shared, so that only the pace differs."""
        pairs = [(f"{name}, no sharing", "LSSMTC, no sharing") for name in ("SPMTC-h", "SPMTC-s")]
        return pairs_table(self._alone, pairs, "ACC", "Accuracy with nothing shared")

    def sharing_table(self):
        """LSSMTC with nothing shared, beside its other settings and print."""
        parts = {"best setting": (self._chosen, "LSSMTC"), "default": (self._fixed, "LSSMTC"),
                 "nothing shared": (self._alone, "LSSMTC, no sharing")}
        table = pd.concat([mean_scores(rows).xs(method, level="method").rename(name)
                           for name, (rows, method) in parts.items()], axis=1)
        printed = self.published[(self.published["method"] == "LSSMTC") & (self.published["metric"] == "ACC")]
        table["printed"] = 100 * printed.groupby("dataset")["mean"].mean()
        return tables.frame_table(table.round(1), "LSSMTC, mean accuracy over tasks")

    def pipelines_table(self):
        """Distance from print and mean score of each method, on the data as published and on unit rows."""
        unit = pd.concat([self.verdicts(name, f"{name} (unit rows)") for name in self.sets])
        parts = {"as published": self.all_verdicts(), "unit rows": unit}
        cells = pd.concat([rows.assign(pipeline=name) for name, rows in parts.items()])
        cells["distance"] = cells["difference"].abs()
        table = 100 * cells.pivot_table(["distance", "ours"], "method", "pipeline", sort=False)
        table = table.round(1).set_axis([f"{a}, {b}" for a, b in table], axis=1)
        return tables.frame_table(table, "Mean over 14 tasks, ACC and NMI")

    def bold_table(self):
        """In how many columns each method is best, or no worse than the best by a t-test at 5 %."""
        methods = self.protocol.profile("full").methods
        chosen = pd.concat([self.selected(self.headline(name)) for name in self.sets])
        marks = {name: columns.comparable_to_best(chosen, metric, methods)
                 for name, metric in (("ACC", "ACC"), ("NMI", "NMI_max"))}
        marks = pd.concat(marks, names=["metric"]).rename(columns={"comparable": "bold"})
        counts = marks.groupby(["method", "metric"], sort=False)[["best", "bold"]].sum().astype(int).unstack()
        return tables.frame_table(counts.set_axis([f"{metric} {what}" for what, metric in counts], axis=1),
                                  "Columns, of 14")

    def sensitivity(self, metric):
        """Figure 1, one metric."""
        rows = self._sweeps[self._sweeps["dataset"] == "PEOPLEvsPLACES"]
        name = metric.partition("_")[0]
        return self.show(self._swept(rows, metric, "method"), f"spmtc-sensitivity-{name.lower()}", "SPMTC 1",
                         alt=f"{name} on PEOPLEvsPLACES against l and against λ, a line for each method.")

    def sensitivity_of_sets(self):
        """Accuracy of SPMTC-h over its parameters on all six sets."""
        rows = self._sweeps[self._sweeps["method"] == "SPMTC-h"]
        return self.show(self._swept(rows, "ACC", "dataset"), "spmtc-sensitivity-sets",
                         alt="Accuracy of SPMTC-h against l and against λ, a line for each data set.")

    def _swept(self, rows, metric, by):
        base = self.protocol.sensitivity["figure1-hard"].base
        return plots.sensitivity(rows, base, metric, by, linear=["lam"])

    @cached_property
    def _sweeps(self):
        return pd.concat([self.sweep(f"figure1-{name}") for name in ("lssmtc", "hard", "soft")])

    def noise(self):
        """Accuracy against the share of planted documents of no class."""
        noisy = [name for kind in NOISE for name in self.protocol.studies[f"{kind}-noise"].datasets]
        rows = self.with_loader_params(pd.concat([self.default(name) for name in noisy]), "kind", "share")
        rows["dataset"] = rows["dataset"].str.partition(" ")[0]
        clean = self._fixed[self._fixed["dataset"].isin(rows["dataset"])].assign(share=0.0)
        clean = clean[clean["method"].isin(rows["method"])]
        rows = pd.concat([*(clean.assign(kind=kind) for kind in NOISE), rows])
        rows = rows[(rows["task"] == "avg") & (rows["metric"] == "ACC")]
        return self.show(plots.robustness(rows), "spmtc-noise", alt="Accuracy by share of noise: mixed noise "
                         "costs little, long noise brings all methods down to about 55 % on RECvsTALK.")

    def times(self):
        """Running times beside the printed ones."""
        times = self.table("fit_times").query("w_update == 'mult'")
        return self.show(plots.seconds(times, {"LSSMTC": 3.1, "SPMTC-h": 4.2}), "spmtc-times", alt="Seconds "
                         "per fit: ours are below a fifth of a second, the printed ones above three seconds.")

    def variants_table(self):
        """One other choice at a time."""
        frame = self.results.frame
        parts = ["subspace", "row-space", "start", "stopping", "weights", "pace", "asi", "spectral"]
        single = self._fixed[self._fixed["method"].isin(["SC", "ASI", "LSSMTC", "SPMTC-h", "SPMTC-s"])]
        means = mean_scores(pd.concat([single, frame[frame["part"].isin(parts)]])).unstack("dataset")
        means = means[self.sets].sort_index().round(1)
        return tables.frame_table(means, "Mean accuracy, one choice at a time", folded=f"{len(means)} rows")

    @cached_property
    def _fixed(self):
        return pd.concat([self.default(name) for name in self.sets])

    @cached_property
    def _chosen(self):
        return pd.concat([self.selected(name) for name in self.sets])

    @property
    def _alone(self):
        frame = self.results.frame
        return frame[(frame["part"] == "no-sharing") & frame["dataset"].isin(self.sets)]


def frames(study):
    """Rows of committed results that the claims of the paper speak of, by the name of their frame."""
    noisy = [name for kind in NOISE for name in study.protocol.studies[f"{kind}-noise"].datasets]
    judged = pd.concat([study._chosen, study._alone])
    noise = pd.concat([study._fixed, *map(study.default, noisy)])
    times = study.table("fit_times")
    return {"results": judged.drop_duplicates(ONE_A_JOB), "noise": noise.drop_duplicates(ONE_A_JOB),
            "sensitivity": study._sweeps, "timings": times[times["w_update"] == "mult"]}


class Numbers(numbers.Numbers):
    """Numbers of SPMTC's sentences."""

    def paced(self, what, variant=""):
        """Comparisons of SPMTC, or a variant, with LSSMTC from the same starts, by their outcome."""
        return numbers.outcome(self._paced[variant], what)

    @cached_property
    def _paced(self):
        rows = pd.concat([self.study.default(name) for name in self.study.sets])
        pairs = {variant: [(f"SPMTC-{weights}{variant and f', {variant}'}", "LSSMTC") for weights in "hs"]
                 for variant in ("", "rows kept")}
        return {variant: columns.paired_differences(rows, each, "ACC") for variant, each in pairs.items()}

    def sharing(self):
        """Largest loss of LSSMTC with nothing shared against its best setting, in points."""
        frame, losses = self.study.results.frame, []
        alone = frame[frame["method"] == "LSSMTC, no sharing"]
        for name in self.study.sets:
            best = self.study.selected(name).query("method == 'LSSMTC'")
            losses.append(mean_scores(best).iloc[0] - mean_scores(alone[alone["dataset"] == name]).iloc[0])
        return max(losses)

    def preprocessing(self, rows="", method="KM"):
        """Mean distance of k-means from print over all cells of all sets, as published or on other rows."""
        parts = [self._gaps(None, f"{name} ({rows})" if rows else None, dataset=name, printed=method)
                 for name in self.study.sets]
        return pd.concat(parts).abs().mean()

    def better(self):
        """Data sets on which k-means on rows of unit length beats every printed accuracy."""
        ours = {name: 100 * self.score("KM", f"{name} (unit rows)", "ACC") for name in self.study.sets}
        printed = {name: self.study.printed(name, metric="ACC") for name in self.study.sets}
        return sum(ours[name] > 100 * cells.groupby("method")["mean"].mean().max()
                   for name, cells in printed.items())

    def one_matching(self, method):
        """Mean loss in points of accuracy if clusters are matched to classes once for all tasks."""
        labels, losses = self.study.results.labels, []
        for name in self.study.sets:
            tasks = [key.rpartition("/")[2] for key in labels if key.rpartition("/")[0] == f"truth/{name}"]
            keys = self.study.default(name).query("method == @method")["key"].unique()
            losses.append(sum(self._loss(name, key, tasks) for key in keys) / len(keys))
        return sum(losses) / len(losses)

    def _loss(self, dataset, key, tasks):
        labels = self.study.results.labels
        pairs = [(labels[f"truth/{dataset}/{task}"], labels[f"{key}/{task}"]) for task in tasks]
        counts = [confusion_matrix(*pair, normalize="all") for pair in pairs]
        single = sum(each[linear_sum_assignment(-each)].sum() for each in counts)
        joint = sum(counts)[linear_sum_assignment(-sum(counts))].sum()
        return 100 * (joint - single) / len(tasks)
