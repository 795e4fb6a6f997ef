"""MSPL: Theorem 1 evaluated and tested, damaged views, and what its claims and sentences rest on.

Theorem 1: how far is a partition from the best one?  Per view, delta is how much worse than its spectral
ideal the partition is, in units of an eigenvalue gap, Eq. (19) and (21).  A small delta means that the
partition is close to the k - 1 leading directions of the view, and two partitions that both are close to them
are close to each other.  `survey` asks whether the bound is ever broken where it applies, and whether it
ever says anything.
"""

from collections import namedtuple
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.linalg import svdvals

from mtclib.companion import plots, runs, tables
from mtclib.companion.papers.results import mean_scores
from mtclib.companion.papers.study import Study
from mtclib.companion.runs import results
from mtclib.companion.runs.measures import class_means
from mtclib.companion.verdicts import audit, leverage, numbers
from mtclib.core.checks import check_views
from mtclib.core.starts import one_hot
from mtclib.datasets import load
from mtclib.datasets.synthetic import mspl_toy
from mtclib.maths.linalg import as_dense
from mtclib.metrics import clustering_accuracy, score_all
from mtclib.mspl import MSPL

SEPARATIONS = (4.0, 6.0, 10.0, 20.0)
# Cluster 4 is alike in all views; each of the others is easiest in one of them.
CLUSTERS = ((0, 1, 2, 3), (0, 1, 3), (0, 3))
DIGITS, PAGES = "Handwritten Numerals", ["Cornell", "Texas", "Washington", "Wisconsin"]
METRICS = {"NMI": "NMI_arithmetic", "ACC": "ACC", "purity": "purity"}
PAIRS = [("MSPL", "MSPL-naive"), ("MSPL-hard", "MSPL-naive"), ("MSPL", "MSPL-hard"), ("MSPL", "RMKMC")]
DistortionBound = namedtuple(
    "DistortionBound", "distortion ideal delta printed printed_applies corrected corrected_applies")


def distortion_bound(Xs, labels):
    """Bounds of the share of samples, after the best renaming, on which a partition differs from the one with
    the least distortion over all views together, Eq. (2). The printed bound, p_max * min_v 2 delta_v (1 -
    delta_v / (k - 1)), Eq. (27), which applies if delta_v <= (k - 1) / 2 for all views, does not hold. Eq.
    (31) and (32) fail already for one view: two lines at angles +t and -t to a third, with sin^2 t = delta,
    have squared cosine 1 - 4 delta (1 - delta), not 1 - 2 delta (1 - delta). And that the best partition has
    the least sum of distortions does not make it better in each view. The corrected bound, p_max * min_v
    (sqrt(delta_v) + sqrt(best_v))^2, if at most p_max * p_min, uses the triangle inequality for projections,
    and that no view can be further from its ideal than all together: best_v is the sum of (distortion -
    ideal) over the gap. `delta` is Eq. (21), infinite without a gap, as with fewer than k - 1 features."""
    return _bound(_centred(Xs), labels)


def _centred(Xs):
    """Views about their means, and the squares of their singular values."""
    views = [X - X.mean(axis=0) for X in map(as_dense, check_views(Xs))]
    return [(X, svdvals(X) ** 2) for X in views]


def _bound(views, labels):
    names, labels = np.unique(labels, return_inverse=True)
    k = len(names)
    distortion, ideal, gap = np.array([_spectral(*view, one_hot(labels, k)) for view in views]).T
    excess = np.maximum(distortion - ideal, 0.0)
    delta, best = (np.divide(e, gap, out=np.full(len(gap), np.inf), where=gap > 0)
                   for e in (excess, np.full(len(gap), excess.sum())))
    usable = delta <= (k - 1) / 2
    epsilon = np.full(len(delta), np.inf)
    epsilon[usable] = 2.0 * delta[usable] * (1.0 - delta[usable] / (k - 1))
    corrected = float(np.min((np.sqrt(delta) + np.sqrt(best)) ** 2))
    shares = np.bincount(labels) / len(labels)
    low, high = float(shares.min()), float(shares.max())
    applies = bool(usable.all() and epsilon.min() <= low)
    return DistortionBound(distortion, ideal, delta, high * float(epsilon.min()), applies, high * corrected,
                           corrected <= low)


def check_bounds(Xs, partitions):
    """Both bounds for several partitions, beside how far each is from the best among them. ``delta`` is the
    least over the views; a bound that applies is ``informative`` below 1 - 1/k."""
    views = _centred(Xs)
    table = pd.DataFrame([_bound(views, labels) for labels in partitions])
    totals = table["distortion"].map(np.sum)
    best = partitions[totals.argmin()]
    table = table.assign(excess=totals / totals.min() - 1.0, delta=table["delta"].map(np.min),
                         error=[1.0 - clustering_accuracy(best, labels) for labels in partitions])
    for name in ("printed", "corrected"):
        applies = table[f"{name}_applies"]
        table[f"{name}_broken"] = applies & (table["error"] > table[name] + 1e-12)
        table[f"{name}_informative"] = applies & (table[name] < 1.0 - 1.0 / len(np.unique(best)))
    return table


def _spectral(X, values, H):
    """Distortion of a partition in one view, the lower bound for as many clusters, and the eigenvalue gap."""
    total, k = float((X**2).sum()), H.shape[1]
    values = np.pad(values[:k], (0, max(k - len(values), 0)))
    within = total - float(((H.T @ X) ** 2 / H.sum(axis=0)[:, None]).sum())
    gap = values[k - 2] - values[k - 1]
    return within, total - values[:k - 1].sum(), gap if gap > 1e-12 * total else 0.0


def all_partitions(random_state=0):
    """Both bounds (`check_bounds`) for every partition of seven points in two; the best is known here."""
    rng = np.random.default_rng(random_state)
    halves = [np.array([int(digit) for digit in np.binary_repr(code, 7)]) for code in range(1, 64)]
    parts = []
    for _ in range(40):
        labels = [rng.permutation(np.arange(7) % 2) if misled else np.arange(7) % 2 for misled in (0, 1)]
        scale = rng.choice([3.0, 8.0])
        Xs = [scale * rng.normal(size=(2, 2))[y] + rng.normal(size=(7, 2)) for y in labels]
        parts.append(check_bounds(Xs, halves))
    return pd.concat(parts, ignore_index=True)


def on_the_way(separation, clusters):
    """Both bounds (`check_bounds`) for all partitions of the toy data that k-means on all views passes."""
    data = mspl_toy(separation=separation, noise=False)
    chosen = np.isin(data.labels, clusters)
    Xs = [X[chosen] for X in data.Xs]
    fits = [MSPL(len(clusters), weighting="naive", scaling="none", init="points", random_state=run).fit(Xs)
            for run in range(20)]
    seen = np.unique(np.concatenate([fit.label_history_ for fit in fits]), axis=0)
    return check_bounds(Xs, [labels for labels in seen if len(np.unique(labels)) == len(clusters)])


def survey(random_state=0):
    """How often the bounds, which need delta <= (k - 1) / 2, apply, are broken, and say anything."""
    tables = {("all partitions of 7 points", 2): all_partitions(random_state=random_state)}
    tables |= {(f"toy data, centres {separation:g} apart", len(clusters)): on_the_way(separation, clusters)
               for clusters in CLUSTERS for separation in SEPARATIONS}
    told = {"applies": "applies", "broken": "broken", "says something": "informative"}
    counts = {f"{bound}: {what}": f"{bound}_{column}" for bound in ("printed", "corrected")
              for what, column in told.items()}
    return pd.DataFrame([
        {"data": name, "clusters": k, "partitions": len(table), "least delta": table["delta"].min(),
         **{what: int(table[column].sum()) for what, column in counts.items()}}
        for (name, k), table in tables.items()])


def panels(rows):
    """Rows of damaged data, the undamaged as share 0 of each damage; ``kind`` becomes "<kind>, <unit>"."""
    whole = rows["share"].isna()
    damaged = rows[~whole].assign(kind=rows["kind"] + ", " + rows["unit"])
    kinds = list(dict.fromkeys(damaged["kind"]))
    parts = [rows[whole].assign(kind=kind, share=0.0) for kind in kinds]
    return pd.concat([*parts, damaged.astype({"share": float})], ignore_index=True)


def score_trajectories(rows, arrays, truth, metrics, until):
    """Scores of the labels after each iteration: ``dataset, method, run, iteration, metric, value``."""
    parts, known = [], {}  # methods that start alike pass the same partitions
    for row in rows.itertuples(index=False):
        history, scores = arrays[row.key], []
        for labels in history[np.minimum(np.arange(until + 1), len(history) - 1)]:
            if (key := (row.dataset, labels.tobytes())) not in known:
                known[key] = score_all(truth[row.dataset], labels)
            scores.append(known[key])
        parts += [pd.DataFrame({
            "dataset": row.dataset, "method": row.method, "run": row.run, "iteration": np.arange(until + 1),
            "metric": metric, "value": [one[metric] for one in scores]}) for metric in metrics]
    return pd.concat(parts, ignore_index=True)


def total_falls(trajectories, metric, until):
    """How unsteady the first iterations are: the sum of all falls of a score. ``dataset, method, run, metric,
    value``, one row per run; the metric is called "fall of <metric>"."""
    rows = trajectories[(trajectories["metric"] == metric) & (trajectories["iteration"] <= until)]
    table = rows.pivot_table("value", ["dataset", "method", "run"], "iteration", sort=False)
    falls = -table.diff(axis=1).clip(upper=0).sum(axis=1)
    return falls.rename("value").reset_index().assign(metric=f"fall of {metric}")


def selection_rounds(rows, arrays, labels, Xs=()):
    """Mean round in which samples are taken in, by class and view, and by their distance from the centre: the
    nearer and the further half of every class, by their features ``Xs[v]``."""
    halves, found = [], []
    for X in Xs:
        far = pd.Series(np.linalg.norm(X - class_means(X, labels)[labels], axis=1))
        near = (far <= far.groupby(labels).transform("median")).to_numpy()
        halves.append({"near": near, "far": ~near})
    for row in rows.itertuples(index=False):
        order = np.asarray(arrays[row.key], dtype=float)
        order = np.where(order < 0, order.max() + 1, order)
        for v, rounds in enumerate(order):
            found += [(f"cluster {k + 1}", f"view {v + 1}", row.run, rounds[labels == k].mean())
                      for k in range(labels.max() + 1)]
        found += [(f"view {v + 1}", name, row.run, order[v][which].mean())
                  for v, parts in enumerate(halves) for name, which in parts.items()]
    return pd.DataFrame(found, columns=["dataset", "method", "run", "value"]).assign(metric="round")


class Numbers(numbers.Numbers, paper="mspl"):
    def runs_needed(self):
        """Runs that the printed spreads need at least."""
        needed = audit.runs_needed(self.study.published)
        return int(needed.query("dataset == @DIGITS and method == 'MSPL'")["runs"].item())

    def scaling(self, how):
        """Mean distance of Con-MC and its six single views from print, with features scaled in one way."""
        rows = ("PIX", "FOU", "FAC", "ZER", "KAR", "MOR", "Con-MC")
        digits = {"other_dataset": "Handwritten (raw)", "dataset": DIGITS, "scaling": how}
        return pd.concat([self._gaps(f"{row}, scaling", printed=row, **digits) for row in rows]).abs().mean()

    @cached_property
    def _raw(self):
        rows = self.study.results.frame.query("part == 'webkb-raw' and metric == 'NMI_arithmetic'")
        return rows.groupby(["dataset", "method"])["value"].mean()

    def raw_gap(self, which, how="largest"):
        """Ours on counts as stored minus printed, of some cells of Table 3: the largest size in points, how
        many are "near", within the margin, or by how many whole points they exceed print at "least"."""
        cells, names = self.judged().query("table == '3'").query(which), {"MSPL": "MSPL, unscaled"}
        ours = [self._raw[f"{cell.dataset} (raw, both)", names.get(cell.method, cell.method)]
                for cell in cells.itertuples()]
        gaps = 100 * (ours - cells["published"])
        size = gaps.abs()
        return {"largest": size.max(), "near": int((size <= 5).sum()), "least": int(gaps.min() // 1)}[how]

    def raw_gain(self, how):
        """Least or largest gain of self-pacing on counts as stored, in points."""
        table = 100 * self._raw.unstack()
        return numbers.PICK[how](table["MSPL, unscaled"] - table["MSPL-naive, unscaled"])

    def toy(self, method, separation, metric="NMI_arithmetic"):
        """Mean score on the noisy toy data, over draws and starts."""
        rows = self.study.frames()["results"].query("metric == @metric and method == @method + ', curves'")
        return rows.loc[rows["dataset"] == f"toy, s = {separation}", "value"].mean()


def _plain(rows):
    """Rows with the bare names of their methods."""
    return rows.assign(method=rows["method"].str.partition(",")[0])


class PaperStudy(Study):
    def audits(self):
        """What the tables contradict, and how many runs their spreads need."""
        needed = audit.runs_needed(self.published).sort_values("runs", ascending=False, kind="stable")
        return tables.Tables((self.audit_table(),
                              tables.frame_table(needed.head(4), "Runs that the printed spreads need")))

    def gain_from_pacing(self):
        """Methods that start from the same centroids, in pairs."""
        rows = pd.concat(map(self.default, [DIGITS, *PAGES]))
        return self.pairs_table(rows, PAIRS, METRICS["NMI"], "NMI, points", of=[DIGITS, *PAGES])

    def digits_and_animals(self):
        """Tables 1 and 2, and two variants of Table 2."""
        pairs = [(DIGITS, DIGITS), *(("Animal with attribute", name) for name in (
            "Animal with attribute", "Animals, five views", "Animals, 35 classes"))]
        return tables.Tables(tuple(self.reproduced(*pair) for pair in pairs))

    def webkb_as_stored(self):
        """Table 3 on words and links as stored with the gain from pacing there, and as Con-MC's row asks."""
        return tables.Tables((*self._stored("both", "webkb-raw"), *self._stored("in", "webkb-in")))

    def _stored(self, links, part):
        rows = _plain(self.results.frame.query("part == @part"))
        cells = pd.concat([self.verdicts(name, own, rows[rows["dataset"] == own])
                           for name in PAGES for own in [f"{name} (raw, {links})"]])
        cells = cells.assign(task=cells["dataset"], dataset=f"WebKB as stored, links {links}")
        return (tables.reproduced(cells, metrics=("NMI",)),
                self.pairs_table(rows, PAIRS[:3], METRICS["NMI"], "NMI, the same starts, points",
                                 of=rows["dataset"].unique()))

    @cached_property
    def _scaled(self):
        rows = self.results.frame.query("part in ['preprocessing', 'view-scaling']")
        rows = _plain(leverage.with_params(rows, "scaling"))
        return rows.assign(metric=rows["metric"].replace("NMI_arithmetic", "NMI"))

    def scalings(self):
        """Distance of the views and of Con-MC from print, by scaling."""
        kinds = ["none", "range", "minmax", "zscore", "rows"]
        views = self.printed(DIGITS)["method"].unique()[:7]
        rows = self._scaled[self._scaled["method"].isin(views) & self._scaled["scaling"].isin(kinds)]
        table = leverage.distance_from_print(rows, self.printed(DIGITS), "scaling")
        return self.scores_table(table.round(1), "Distance from print over NMI, ACC and purity, points",
                                 of=rows["dataset"].unique())

    def gain_from_scaling(self):
        """Scores of all methods by scaling of the views."""
        rows = self._scaled[~self._scaled["method"].isin(self.printed(DIGITS)["method"].unique()[:6])]
        return tables.Tables(tuple(
            self.scores_table((100 * part.pivot_table("value", "scaling", "method", sort=False)).round(1),
                              f"{name} by scaling, percent", folded=folded, of=rows["dataset"].unique())
            for name, folded in (("NMI", ""), ("ACC", "the same runs"))
            for part in [rows[rows["metric"] == name]]))

    def weight_rules(self):
        """Figure 1 of the paper."""
        return self.show(plots.weight_functions([2.0, 5.0, 10.0], (1.0, 0.3)), "mspl-weights", data="formula")

    def live_selection(self):
        """Figure 2 of the paper, from one fit on toy data."""
        toy = load("mspl-toy", noise=False)
        fit = MSPL(4, scaling="variance", random_state=self.seed or 0).fit(toy.Xs)
        fig = plots.selection(toy.Xs, fit.selection_order_, toy.labels)
        return self.show(fig, "mspl-selection", data=f"live {toy.sha256}")

    @cached_property
    def _rounds(self):
        """In which round smooth pacing takes in the samples of the toy data, one row per run and part."""
        kept = self.results.frame.query("part == 'selection'").drop_duplicates("key")
        (name,) = kept["dataset"].unique()
        spec = self.protocol.datasets[name]
        Xs = runs.load_dataset(spec.loader, spec.params)[0].Xs
        labels = self.results.labels[f"truth/{name}/"]
        return selection_rounds(kept, self.kept(kept, "selection_order_"), labels, Xs)

    def rounds(self):
        """Mean round in which samples are taken in, by cluster, and near and far from the centre."""
        of_cluster = self._rounds["dataset"].str.startswith("cluster")
        parts = {"Round in which samples are taken in, mean": self._rounds[of_cluster],
                 "The same for the half next to the centres and the other": self._rounds[~of_cluster]}
        return tables.Tables(tuple(self.scores_table(
            part.pivot_table("value", "dataset", "method").round(1), head, of=["toy, no noise"])
            for head, part in parts.items()))

    @cached_property
    def _pools(self):
        """Toy data sets of one spread are shown as one."""
        sets = self.results.frame.query("part == 'curves'")["dataset"].unique()
        return {name: f"toy, s = {name[4]}" for name in sets if name.startswith("toy")}

    @cached_property
    def _curves(self):
        """NMI, accuracy and purity after each of 30 iterations, from stored histories; draws in ``draw``."""
        kept = self.results.frame.query("part in ['curves', 'curves-handwritten']")
        kept = _plain(kept.drop_duplicates("key"))
        classes = {name: self.results.labels[f"truth/{name}/"] for name in kept["dataset"].unique()}
        curves = score_trajectories(
            kept, self.kept(kept, "label_history_"), classes, METRICS.values(), until=30)
        return results.pooled(curves.assign(draw=curves["dataset"]), self._pools)

    def iterations(self):
        """Figure 3 of the paper."""
        shown = {metric: name for name, metric in METRICS.items()}
        return self.show(plots.trajectories(self._curves, shown), "mspl-iterations")

    def falls(self):
        """How unsteady the first ten iterations are."""
        falls = total_falls(self._curves, "NMI_arithmetic", until=10)
        mean, spread = (100 * falls.pivot_table("value", "dataset", "method", how) for how in ("mean", "std"))
        return self.scores_table(mean.map("{:.1f}".format) + spread.map(" ± {:.1f}".format),
                                 "Falls of NMI in the first ten iterations, summed, points", of=mean.index)

    def pace(self):
        """Sensitivity to the parameters of the pace."""
        hard, smooth = (self.sweep(f"pace-{kind}").query("dataset == @DIGITS") for kind in ("hard", "smooth"))
        hard = hard.assign(params=[text[:-1] + ',"kappa":1.0}' for text in hard["params"]])
        base = {"pace_start": 0.55, "pace_growth": 1.2, "kappa": 1.0}
        fig = plots.sensitivity(_plain(pd.concat([hard, smooth])), base, by="method",
                                linear=["pace_start", "pace_growth"])
        return self.show(fig, "mspl-pace")

    @cached_property
    def _damaged(self):
        """Rows of the study of a damaged view with the kind of damage, its unit and its share as columns."""
        frame, methods = self.results.frame, self.protocol.studies["corruption"].methods
        rows = frame[(frame["part"] == "corruption") | frame["dataset"].eq(DIGITS)]
        return self.with_loader_params(rows[rows["method"].isin(methods)], "kind", "unit", "share")

    def damage(self):
        """Accuracy as one view is damaged."""
        rows = _plain(panels(self._damaged[self._damaged["metric"] == "ACC"])).assign(dataset="FAC")
        kinds = rows["kind"].replace({"outliers, (.*)": r"outlying \1", ", ": " "}, regex=True)
        return self.show(plots.robustness(rows.assign(kind=kinds), "{kind}", "damage"), "mspl-damage")

    def theorem(self):
        """How often the bounds of Theorem 1 apply, are broken, and say anything."""
        found = survey(self.seed or 0)
        told = [f"the {name} one applies to {found[f'{name}: applies'].sum()} partitions and is broken by "
                f"{found[f'{name}: broken'].sum()}" for name in ("printed", "corrected")]
        return tables.frame_table(found, "The bounds of Theorem 1", folded="; ".join(told))

    def variants(self):
        """One choice at a time, on Handwritten."""
        studies = self.protocol.studies
        names = [*studies["variants"].methods, *studies["handwritten-spectral"].methods, "MSPL", "MSPL-hard"]
        rows = self.results.frame.query("dataset == @DIGITS")
        rows = rows[rows["method"].isin(names)]
        table = pd.concat([mean_scores(rows, ours).rename(name) for name, ours in METRICS.items()], axis=1)
        told = "NMI from {:.1f} to {:.1f}".format(*table["NMI"].agg(["min", "max"]))
        return self.scores_table(table.droplevel("dataset").sort_index().round(1), "Variants, percent",
                                 folded=f"{len(table)} rows, {told}", of=[DIGITS])

    def frames(self):
        frame, main = self.results.frame, pd.concat(map(self.default, [DIGITS, *PAGES]))
        ends = main.drop_duplicates("key")
        ends = ends.assign(metric="objective", value=ends["objective"])
        falls = total_falls(self._curves, "NMI_arithmetic", until=10)
        falls = falls.assign(metric="fall of NMI", method=falls["method"] + ", curves")
        parts = [main, ends, self._damaged[self._damaged["share"].notna()], falls, self._rounds,
                 results.pooled(frame[frame["part"] == "curves"], self._pools)]
        return {"results": pd.concat(parts).assign(task="")}
