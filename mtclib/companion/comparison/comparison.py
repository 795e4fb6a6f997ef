"""The comparison that no paper makes: all methods on all data sets, at one preprocessing and their defaults.

``data/comparison/multitask/`` and ``multiview/`` are folders like a paper's: ``protocol.toml`` says what is
run, ``absent.csv`` what is absent and why, ``results`` what came out.  :class:`Comparison` computes
everything that is said of it from results, and :func:`answer` which method a practitioner should take.
"""

from functools import cached_property

import pandas as pd

from mtclib.baselines import SingleView
from mtclib.companion import runs
from mtclib.companion.comparison import ranking
from mtclib.companion.comparison.sources import Sources
from mtclib.companion.parameters import choose
from mtclib.companion.runs import profiles
from mtclib.core import paths
from mtclib.core.base import SingleTaskClusterer

KINDS = ("multitask", "multiview")
REFERENCE = {"multitask": "k-means", "multiview": "Con-MC"}
"""Plain k-means: on each task alone, or on all views side by side."""

METRIC = "ARI"
"""Metric of ranks and gains: the one that is 0 for chance, whatever the numbers of clusters."""

UNSCALED = "(unscaled)"
"""Variant of methods that scale the data by default: without."""

SIMILAR_COST = 2.0
"""A method is about as fast as k-means if its fits take at most so many times as long."""


def protocol_file(kind):
    """File of a comparison's protocol; `UsageError` if there is no such kind."""
    return paths.paper_dir(_folder(kind)) / "protocol.toml"


def absences(kind):
    """Methods that are not run on a data set, and why: ``dataset, method, reason``."""
    return pd.read_csv(protocol_file(kind).with_name("absent.csv"), dtype=str)


def plan(kind, profile="full", *, seed=None, n_runs=0):
    """Jobs of a comparison, without those of absent methods, and the store they belong to."""
    _, jobs, store = profiles.plan(protocol_file(kind), profile, seed=seed, n_runs=n_runs)
    absent = set(absences(kind)[["dataset", "method"]].itertuples(index=False, name=None))
    return [job for job in jobs if (job.dataset, job.method) not in absent], store


def run(kind, profile="full", *, seed=None, n_runs=0, n_jobs=1, export=False):
    """Run what the store does not have yet, and return the results of all.

    With ``export`` they are written to ``data/comparison/<kind>/results``, to be committed.
    """
    jobs, store = plan(kind, profile, seed=seed, n_runs=n_runs)
    folder = results_folder(kind) if export else None
    results = profiles.run_and_export(jobs, store, folder, n_jobs=n_jobs)
    if export:
        data_table(jobs).to_csv(folder / "sizes.csv", index=False, lineterminator="\n")
    return results


def results_folder(kind):
    """Folder of the committed results."""
    return paths.results_dir(_folder(kind))


def _folder(kind):
    return f"comparison/{choose(kind, KINDS, 'comparison')}"


def data_table(jobs):
    """Sizes of the data sets of jobs: ``data set, samples, features, clusters``, one per task or view."""
    rows = []
    for job in {job.dataset: job for job in jobs}.values():
        data, _ = runs.load_dataset(job.loader, job.loader_params)
        samples, features = zip(*(X.shape for X in data.Xs))
        ks = data.n_clusters if data.kind == "multitask" else [data.n_clusters]
        alike = {"samples": samples[:1] if data.kind == "multiview" else samples, "clusters": ks,
                 "features": features if data.kind == "multiview" else features[:1]}
        rows.append({"data set": job.dataset} | {name: " ".join(map(str, v)) for name, v in alike.items()})
    return pd.DataFrame(rows)


class Comparison:
    """What follows from the results of a comparison.

    Parameters
    ----------
    kind : {"multitask", "multiview"}
    frame : DataFrame, optional
        As from :func:`run`; the committed results by default.
    variant : str, default ""
        Takes the rows of "<method> <variant>" for methods that the protocol also has under such a name.

    Examples
    --------
    >>> Comparison("multiview").reference
    'Con-MC'
    """

    def __init__(self, kind, frame=None, variant=""):
        self.kind, self.reference = kind, REFERENCE[choose(kind, KINDS, "comparison")]
        self.protocol = runs.load_protocol(protocol_file(kind))
        self.methods = list(self.protocol.profile("full").methods)
        self._frame, self._variant = frame, variant

    @cached_property
    def results(self):
        """Committed results, as from :func:`mtclib.companion.runs.read_results`."""
        return runs.read_results(results_folder(self.kind))

    @cached_property
    def rows(self):
        """All rows that there are: those given, or the committed ones."""
        return self.results.frame if self._frame is None else self._frame

    @cached_property
    def frame(self):
        """Successful rows of the compared methods, under their plain names."""
        varied = {name: f"{name} {self._variant}" for name in self.methods}
        plain = {longer if longer in self.protocol.methods else name: name for name, longer in varied.items()}
        rows = self.rows[self.rows["method"].isin(plain) & (self.rows["status"] == "ok")]
        return rows.assign(method=rows["method"].map(plain))

    def table(self, name):
        """A further committed table, ``<name>.csv`` beside the results."""
        return pd.read_csv(results_folder(self.kind) / f"{name}.csv", dtype=str)

    def scores(self, metric=METRIC):
        """Mean score over tasks and runs: data sets by methods; NaN where a method is absent."""
        rows = self.frame[self.frame["task"].isin(["avg", ""]) & (self.frame["metric"] == metric)]
        present = [name for name in self.methods if (rows["method"] == name).any()]
        return rows.pivot_table("value", "dataset", "method", sort=False)[present]

    def relative_times(self):
        """Seconds of a fit relative to plain k-means on the same data: median over runs, then data sets.

        Data sets on which a method is absent do not count, and those are the large ones where it took too
        long, so the time of slow methods is rather too low.
        """
        fits = self.frame.drop_duplicates(["dataset", "method", "key"])
        seconds = fits.groupby(["dataset", "method"])["seconds"].median().unstack()
        return seconds.div(seconds[self.reference], axis=0).median()

    def mean_ranks(self, metric=METRIC):
        """Mean rank of each method over data sets, absent methods last; best first."""
        return ranking.ranks(self.scores(metric)).mean().sort_values(kind="stable")

    def critical_difference(self):
        """Nemenyi's critical difference of the mean ranks at the 5 % level."""
        n_datasets, n_methods = self.scores().shape
        return ranking.critical_difference(n_methods, n_datasets)

    def groups(self, metric=METRIC):
        """Groups of methods that Nemenyi's test does not tell apart."""
        return ranking.groups(self.mean_ranks(metric), self.critical_difference())

    def estimator(self, method):
        """Class of a method."""
        return runs.jobs.resolve_estimator(self.protocol.methods[method].estimator)

    def overview(self):
        """All methods, best mean rank first.

        ``rank`` (mean, by :data:`METRIC`), ``sets`` (where it is present), ``gain`` over plain k-means
        (points, mean over these sets), ``worst`` (smallest gain), ``loses`` (sets on which it is below plain
        k-means), ``cost`` (:meth:`relative_times`), ``together`` (takes tasks, or views, together),
        ``edition``.  How sure a gain is, :meth:`Sources.overview` says.
        """
        scores, ranks = self.scores(), self.mean_ranks()
        gains = 100 * scores.sub(scores[self.reference], axis=0).round(9)[ranks.index]
        return pd.DataFrame({
            "rank": ranks, "sets": gains.count(), "gain": gains.mean(), "worst": gains.min(),
            "loses": (gains < 0).sum(), "cost": self.relative_times(),
            "together": [self._together(name) for name in ranks.index],
            "edition": ["reconstruction" if self.estimator(name).traits.reconstruction else "original"
                        for name in ranks.index],
        }, index=ranks.index).rename_axis("method")  # fmt: skip

    def _together(self, name):
        alone = SingleTaskClusterer, SingleView
        return not issubclass(self.estimator(name), alone)

    def level_with_best(self):
        """Methods that Nemenyi's test does not tell from the one with the best mean rank, best first."""
        ranks = self.mean_ranks()
        return list(ranks.index[ranks <= ranks.iloc[0] + self.critical_difference()])


def answer(compared):
    """The answer of a :class:`Comparison`, in a few sentences."""
    overview = compared.overview()
    # To one digit, as it is shown: times are good for factors of two, not for 2.0 against 2.04.
    cheap = overview[overview["cost"].round(1) <= SIMILAR_COST].iloc[0]
    best, alike = overview.iloc[0], compared.level_with_best()[1:]
    text = f"Take {_described(best, compared.reference)}."
    if cheap.name != best.name:
        text += f" In a hurry take {_described(cheap, compared.reference)}."
    text += _without_scaling(compared, best.name) + _by_source(compared, best.name)
    others = f"{len(alike)} of the {len(overview) - 1} others"
    return f"{text} Nemenyi's test does not tell {others} from the first."


def _without_scaling(compared, method):
    """What is left of the gain over k-means where k-means does not scale the data, if that was run."""
    if not (compared.rows["method"] == f"{compared.reference} {UNSCALED}").any():
        return ""
    bare = Comparison(compared.kind, compared.rows, UNSCALED).overview()
    gain = bare.loc[method, "gain"]
    return f" Over {compared.reference} without its default scaling the gain is {gain:+.1f}."


def by_source(kind):
    """The committed results of a comparison with its sources as the units, as ``Sources``."""
    return Sources({"multitask": "tasks", "multiview": "views"}[kind], protocol_file(kind).parent)


def _by_source(compared, method):
    """How sure the gain is, by the committed results."""
    row = by_source(compared.kind).overview().loc[method]
    return (f" With the {row['sources']:.0f} sources of these sets as units the gain is {row['gain']:+.1f} "
            f"(95 % interval {row['low']:+.1f} to {row['high']:+.1f}), and the chance of a loss on a further "
            f"source {100 * row['risk']:.0f} %.")


def _described(row, reference):
    if row.name == reference:
        return "plain k-means" + f" ({reference})" * (reference != "k-means")
    marked = ", a reconstruction" if row["edition"] == "reconstruction" else ""
    gain = f"{row['gain']:+.1f} points of {METRIC} over {reference}"
    return (f"{row.name}{marked} (mean rank {row['rank']:.1f}, {gain}, below it on "
            f"{row['loses']} of {row['sets']} sets, {row['cost']:.1f} times its time)")
