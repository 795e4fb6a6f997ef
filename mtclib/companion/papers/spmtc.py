"""SPMTC: what its claims are tested on, and what its sentences state."""

from functools import cached_property

import pandas as pd
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import confusion_matrix

from mtclib.companion.claims import columns
from mtclib.companion.papers.study import ONE_A_JOB, mean_scores
from mtclib.companion.verdicts import numbers


def frames(study):
    """Rows of committed results that the claims of the paper speak of, by the name of their frame."""
    sets = study.protocol.profile("full").datasets
    noisy = [name for kind in ("mixed", "long") for name in study.protocol.studies[f"{kind}-noise"].datasets]
    frame = study.results.frame
    alone = frame[(frame["part"] == "no-sharing") & frame["dataset"].isin(sets)]
    judged = pd.concat([*map(study.selected, sets), alone])
    noise = pd.concat(map(study.default, [*sets, *noisy]))
    times = study.table("fit_times")
    sweeps = [study.sweep(f"figure1-{name}") for name in ("lssmtc", "hard", "soft")]
    return {"results": judged.drop_duplicates(ONE_A_JOB), "noise": noise.drop_duplicates(ONE_A_JOB),
            "sensitivity": pd.concat(sweeps), "timings": times[times["w_update"] == "mult"]}


class Numbers(numbers.Numbers):
    """Numbers of SPMTC's sentences."""

    @property
    def sets(self):
        """The six data sets."""
        return list(self.study.protocol.profile("full").datasets)

    def paced(self, what, variant=""):
        """Comparisons of SPMTC, or a variant, with LSSMTC from the same starts, by their outcome."""
        return numbers.outcome(self._paced[variant], what)

    @cached_property
    def _paced(self):
        rows = pd.concat([self.study.default(name) for name in self.sets])
        pairs = {variant: [(f"SPMTC-{weights}{variant and f', {variant}'}", "LSSMTC") for weights in "hs"]
                 for variant in ("", "rows kept")}
        return {variant: columns.paired_differences(rows, each, "ACC") for variant, each in pairs.items()}

    def sharing(self):
        """Largest loss of LSSMTC with nothing shared against its best setting, in points."""
        frame, losses = self.study.results.frame, []
        alone = frame[frame["method"] == "LSSMTC, no sharing"]
        for name in self.sets:
            best = self.study.selected(name).query("method == 'LSSMTC'")
            losses.append(mean_scores(best).iloc[0] - mean_scores(alone[alone["dataset"] == name]).iloc[0])
        return max(losses)

    def preprocessing(self, rows="", method="KM"):
        """Mean distance of k-means from print over all cells of all sets, as published or on other rows."""
        parts = [self._gaps(None, f"{name} ({rows})" if rows else None, dataset=name, printed=method)
                 for name in self.sets]
        return pd.concat(parts).abs().mean()

    def better(self):
        """Data sets on which k-means on rows of unit length beats every printed accuracy."""
        ours = {name: 100 * self.score("KM", f"{name} (unit rows)", "ACC") for name in self.sets}
        printed = {name: self.study.printed(name, metric="ACC") for name in self.sets}
        return sum(ours[name] > 100 * cells.groupby("method")["mean"].mean().max()
                   for name, cells in printed.items())

    def one_matching(self, method):
        """Mean loss in points of accuracy if clusters are matched to classes once for all tasks."""
        labels, losses = self.study.results.labels, []
        for name in self.sets:
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
