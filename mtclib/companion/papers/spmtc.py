"""SPMTC: what its claims are tested on, what its sentences state, and what its notebook shows."""

import re
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

from mtclib.companion import plots
from mtclib.companion.claims import paired_differences
from mtclib.companion.papers.results import ONE_A_JOB, mean_scores
from mtclib.companion.papers.study import Study
from mtclib.companion.verdicts import numbers

PACED = {variant: [(f"SPMTC-{weights}{variant and f', {variant}'}", "LSSMTC") for weights in "hs"]
         for variant in ("", "rows updated")}
"""SPMTC with both kinds of weights, by what becomes of samples without weight, each against LSSMTC."""
KEPT = "rows kept"
NOISE = ("mixed", "long")


class PaperStudy(Study):
    def gains_table(self):
        """What self-pacing gains over the same method with all weights one."""
        pairs = sum(PACED.values(), [])
        return self.pairs_table(self._fixed, pairs, "ACC", "Accuracy at the default setting")

    def unshared_table(self):
        """What self-pacing gains where nothing is shared, so that only the pace differs."""
        pairs = [(f"{name}, no sharing", "LSSMTC, no sharing") for name in ("SPMTC-h", "SPMTC-s")]
        return self.pairs_table(self._alone, pairs, "ACC", "Accuracy with nothing shared")

    def sharing_table(self):
        """LSSMTC with nothing shared, beside its other settings and print."""
        parts = {"best setting": (self._chosen, "LSSMTC"), "default": (self._fixed, "LSSMTC"),
                 "nothing shared": (self._alone, "LSSMTC, no sharing")}
        table = pd.concat([mean_scores(rows).xs(method, level="method").rename(name)
                           for name, (rows, method) in parts.items()], axis=1)
        printed = self.published[(self.published["method"] == "LSSMTC") & (self.published["metric"] == "ACC")]
        table["printed"] = 100 * printed.groupby("dataset")["mean"].mean()
        return self.scores_table(table.round(1), "LSSMTC, mean accuracy over tasks")

    def sensitivity(self, metric):
        """Figure 1, one metric."""
        rows = self._sweeps[self._sweeps["dataset"] == "PEOPLEvsPLACES"]
        base = self.protocol.sensitivity["figure1-hard"].base
        fig = plots.sensitivity(rows, base, metric, "method", linear=["lam"])
        return self.show(fig, f"spmtc-sensitivity-{metric.partition('_')[0].lower()}")

    @cached_property
    def _sweeps(self):
        rows = pd.concat([self.sweep(f"figure1-{name}") for name in ("lssmtc", "hard", "soft")])
        names = {self.fitted(name): name for name in self.sets}
        rows = rows[rows["dataset"].isin(names)]
        return as_judged(rows.assign(dataset=rows["dataset"].map(names)))

    def noise(self):
        """Accuracy against the share of planted documents of no class."""
        rows = self.with_loader_params(self._noisy, "kind", "share")
        rows["dataset"] = rows["dataset"].str.partition(" ")[0]
        clean = self._fixed[self._fixed["dataset"].isin(rows["dataset"])].assign(share=0.0)
        clean = clean[clean["method"].isin(rows["method"])]
        rows = pd.concat([*(clean.assign(kind=kind) for kind in NOISE), rows])
        rows = rows[(rows["task"] == "avg") & (rows["metric"] == "ACC")]
        return self.show(plots.robustness(rows), "spmtc-noise")

    @cached_property
    def _noisy(self):
        noisy = [name for kind in NOISE for name in self.protocol.studies[f"{kind}-noise"].datasets]
        return as_judged(pd.concat(map(self.default, noisy)))

    def variants_table(self):
        """One other choice at a time."""
        means = mean_scores(self._fixed).unstack("dataset")
        means = means[self.sets].sort_index().round(1)
        return self.scores_table(means, "Mean accuracy, one choice at a time", folded=f"{len(means)} rows")

    @cached_property
    def _fixed(self):
        rows = [self.default(self.fitted(name)).assign(dataset=name) for name in self.sets]
        return as_judged(pd.concat(rows))

    @cached_property
    def _chosen(self):
        chosen = self.on_headlines(self.selected)
        return chosen[chosen["method"].isin(self.protocol.profile("full").methods)]

    @cached_property
    def _alone(self):
        return self._fixed[self._fixed["method"].str.contains("no sharing")]

    def frames(self):
        judged, noise = pd.concat([self._chosen, self._alone]), pd.concat([self._fixed, self._noisy])
        return {"results": judged.drop_duplicates(ONE_A_JOB), "noise": noise.drop_duplicates(ONE_A_JOB),
                "sensitivity": self._sweeps, "timings": self.table("fit_times")}


def as_judged(rows):
    """Rows under the names of the judged pipeline: SPMTC keeps the memberships of samples without weight, and
    what updates them says so.

    >>> names = ["SPMTC-h, rows kept, slow pace", "SPMTC-h, slow pace", "LSSMTC"]
    >>> as_judged(pd.DataFrame({"method": names}))["method"].tolist()
    ['SPMTC-h, slow pace', 'SPMTC-h, rows updated, slow pace', 'LSSMTC']
    """
    names = {name: re.sub(rf"^SPMTC-\w(?!, {KEPT})", r"\g<0>, rows updated", name).replace(f", {KEPT}", "")
             for name in rows["method"].unique()}
    return rows.assign(method=rows["method"].map(names))


class Numbers(numbers.Numbers, paper="spmtc"):
    def paced(self, what, variant=""):
        """Comparisons of SPMTC, or its variant, with LSSMTC from the same starts, by their outcome."""
        return numbers.outcome(self._paced[variant], what)

    @cached_property
    def _paced(self):
        return {variant: paired_differences(self.study._fixed, each, "ACC")
                for variant, each in PACED.items()}

    def unseen(self, method, what="each"):
        """Distance from print on the sets that chose nothing, as chosen with labels on the judged data, with
        rows updated (``before``) and kept (``after``), or how many are ``farther``."""
        sets = [name for name in self.study.sets if name not in self.study.protocol.identify["rows"].datasets]
        pairs = {name: [self.distance(method, source, dataset=name, point="chosen")
                        for source in (f"fixed {self.study.fitted(name)}", name)] for name in sets}
        told = ", ".join(f"{name} {before:.1f} to {after:.1f}" for name, (before, after) in pairs.items())
        before, after = np.transpose(list(pairs.values()))
        return {"each": told, "before": before.mean(), "after": after.mean(), "all": len(pairs),
                "farther": int((after > before).sum())}[what]

    def pace_elsewhere(self, method, pace):
        """Mean distance from print at a pace, on the sets that chose nothing, at the default setting."""
        sets = [name for name in self.study.sets if name not in self.study.protocol.identify["pace"].datasets]
        own = method if pace == "default" else f"{method}, {KEPT}, {pace}"
        return np.mean([self.distance(own, dataset=name, printed=method) for name in sets])

    def sharing(self, but=""):
        """Largest loss of LSSMTC with nothing shared against its best setting, in points, without one set."""
        best, alone = (mean_scores(rows).xs(method, level="method") for rows, method in (
            (self.study._chosen, "LSSMTC"), (self.study._alone, "LSSMTC, no sharing")))
        return (best - alone).drop(but, errors="ignore").max()

    def preprocessing(self, rows="", method="KM"):
        """Mean distance of k-means from print over all cells of all sets, as judged or on other rows."""
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
        """Mean loss in points of accuracy if clusters are matched to classes once for all tasks, on the sets
        whose labels are committed: those that were judged before any run as they are now."""
        labels, losses = self.study.results.labels, {}
        for name in (name for name in self.study.sets if self.study.fitted(name) == name):
            truths = {key.rpartition("/")[2]: y.astype(int) for key, y in labels.items()
                      if key.startswith(f"truth/{name}/")}
            k = 1 + max(y.max() for y in truths.values())
            for key in self.study.default(name).query("method == @method")["key"].unique():
                counts = [np.bincount(k * y + labels[f"{key}/{task}"], minlength=k * k).reshape(k, k) / len(y)
                          for task, y in truths.items()]
                single = sum(each[linear_sum_assignment(-each)].sum() for each in counts)
                joint = sum(counts)[linear_sum_assignment(-sum(counts))].sum()
                losses.setdefault(name, []).append(100 * (joint - single) / len(truths))
        return np.mean([np.mean(each) for each in losses.values()])
