"""The comparison by independent sources: every method, ours and others', on sets of many sources.

``data/comparison/many-tasks/`` and ``many-views/`` hold ``protocol.toml``, fixed before the first run,
``sources.csv`` (where each set comes from) and ``results``, which ``benchmarks/comparison_sources.py`` makes.
"""

from collections import namedtuple
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from baycomp import SignedRankTest
from scipy import stats

from mtclib.companion import runs
from mtclib.companion.comparison import ranking
from mtclib.companion.parameters import choose
from mtclib.companion.runs import profiles
from mtclib.companion.runs.jobs import load_dataset, seed_for
from mtclib.core import paths
from mtclib.metrics import score_all

KINDS = ("tasks", "views")
PLAIN = "sklearn KMeans"
"""Plain k-means, as a user would take it: of each task, or of the views side by side."""

ROPE = 2.0
"""Points of a score within which two methods count as equally good."""

COLUMNS = ["rank", "sources", "gain", "low", "high", "worse", "p better", "p same", "p worse", "risk"]

Place = namedtuple("Place", ["scores", "rank", "of", "overview"])


class Sources:
    """What is run of the comparison of one kind of data, "tasks" or "views", and what follows from it;
    `folder` holds ``protocol.toml``, ``sources.csv`` and ``results``.

    >>> Sources("views").sets[0]
    'Yale'
    """

    def __init__(self, kind, folder=None):
        self.kind = choose(kind, KINDS, "comparison")
        self.folder = Path(folder or paths.paper_dir(f"comparison/many-{kind}"))
        self.protocol = runs.load_protocol(self.folder / "protocol.toml")
        self.table = pd.read_csv(self.folder / "sources.csv", index_col="dataset", dtype=str)
        self.sets = list(dict.fromkeys(self.table["set"]))

    @cached_property
    def results(self):
        """Committed results, as from :func:`mtclib.companion.runs.read_results`."""
        return runs.read_results(self.folder / "results")

    @cached_property
    def rows(self):
        """Committed rows of whole sets, with the columns of ``sources.csv``."""
        frame = self.results.frame
        return frame[frame["task"].isin(["avg", ""])].join(self.table, on="dataset")

    @property
    def done(self):
        """Names of the sets that are run."""
        there = (self.folder / "results").is_dir()
        return list(dict.fromkeys(self.rows["set"])) if there else []

    @property
    def state(self):
        """What is run, in a sentence."""
        sources = self.table.drop_duplicates("set").set_index("set")["source"]
        found = sources[self.done]
        names = f": {', '.join(found.index)}" if len(found) else ""
        return (f"{self.kind}: ran on {len(found)} of {len(sources)} sets, from {found.nunique()} of "
                f"{sources.nunique()} sources{names}")

    def scores(self, metric="ARI", k="known", preparation=None):
        """Mean over seeds in percent: (source, kind, set, preparation) by methods; NaN where one is absent. A
        method is absent on a set where any of its fits failed."""
        rows = self.rows[(self.rows["metric"] == metric) & (self.rows["number of clusters"] == k)]
        rows = rows if preparation is None else rows[rows["preparation"] == preparation]
        means = rows.groupby(["source", "kind", "set", "preparation", "method"], sort=False)["value"]
        wide = 100 * means.mean(skipna=False).unstack("method", sort=False)
        names = dict.fromkeys([*self.protocol.profile("full").methods, PLAIN])
        return wide[[name for name in names if name in wide]]

    def overview(self, scores=None, tested=True):
        """All methods, best mean rank first, with sources as the units; `scores` as from :meth:`scores`.

        ``rank`` (mean over sources), ``sources`` (where it is present), ``gain`` over plain k-means in points
        (mean over them) with its 95 % interval ``low``, ``high``, ``worse`` (sources where it is below plain
        k-means), ``p better``, ``p same``, ``p worse`` (of the typical source, by the Bayesian signed-rank
        test: better by more than :data:`ROPE`, within it, or worse), and ``risk``, the chance that it is
        below plain k-means on a further source.  Interval and risk take gains to be normal.  The three p
        take seconds and are left out unless `tested`.
        """
        scores = self.scores() if scores is None else scores
        ranks, gains = ranking.by_source(scores), self.gains(scores)
        rows = {name: _judged(gains[name].dropna().to_numpy(), tested) for name in ranks.index}
        frame = pd.DataFrame.from_dict(rows, orient="index").rename_axis("method").assign(rank=ranks)
        return frame.reindex(columns=COLUMNS)

    def gains(self, scores):
        """Points over plain k-means, sources by methods: the mean over sets and preparations."""
        return scores.sub(scores[PLAIN], axis=0).groupby("source").mean()

    def sensitivity(self):
        """Who is first, and what the method that is first over all gains, with a part of the evidence.
        Without each source and each kind, by each score, by each preparation, and with k unknown."""
        scores = self.scores()
        parts = {"all": scores, "by NMI": self.scores("NMI_arithmetic"), "by ACC": self.scores("ACC")}
        parts |= {f"{name} preparation": self.scores(preparation=name) for name in ("first", "second")}
        parts["k unknown"] = self.scores(k="unknown")
        for level in ("kind", "source"):
            names = scores.index.get_level_values(level)
            parts |= {f"without {name}": scores[names != name] for name in names.unique()}
        best, rows = ranking.by_source(scores).index[0], {}
        for part, values in parts.items():
            if values.index.unique("source").size > 1:
                ranks, gains = ranking.by_source(values), self.gains(values)[best].dropna()
                low, high = interval(gains)
                rows[part] = {"first": ranks.index[0], "rank": ranks[best], "gain": gains.mean(), "low": low,
                              "high": high}
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("evidence")

    def critical_difference(self):
        """Nemenyi's critical difference of the mean ranks over sources at the 5 % level."""
        scores = self.scores()
        return ranking.critical_difference(scores.shape[1], scores.index.unique("source").size)

    def unknown_k(self):
        """Mean ranks of methods with k known and unknown, and the points ``lost``, over the same sources."""
        guessed = self.scores(k="unknown")
        known = self.scores(preparation="first").reindex(guessed.index)[list(guessed)]
        ranks = ranking.by_source(known)
        frame = pd.DataFrame({"rank": ranks, "rank, k unknown": ranking.by_source(guessed),
                              "lost": (known - guessed).groupby("source").mean().mean()})  # fmt: skip
        return frame.loc[ranks.index].rename_axis("method")

    def estimator(self, method):
        """Class of a method."""
        return runs.jobs.resolve_estimator(self.protocol.methods[method].estimator)

    def seconds(self):
        """Median seconds of a fit, data sets by methods."""
        fits = self.rows[self.rows["status"] == "ok"].drop_duplicates(["dataset", "method", "key"])
        return fits.groupby(["dataset", "method"])["seconds"].median().unstack()

    def relative_times(self):
        """Seconds of a fit relative to plain k-means on the same data, the median over data sets."""
        seconds = self.seconds()
        return seconds.div(seconds[PLAIN], axis=0).median()

    def costs(self):
        """Median over data sets of each method's ``seconds`` per fit, and the largest ``megabytes``."""
        memory = pd.read_csv(self.folder / "results" / "memory.csv").groupby("method")["megabytes"].max()
        return pd.DataFrame({"seconds": self.seconds().median(), "megabytes": memory})

    def live(self, *, seed=None, n_runs=0, n_jobs=1):
        """Results of the quick profile, a few cheap methods on data of a Python package, run now."""
        file = self.folder / "protocol.toml"
        _, jobs, store = profiles.plan(file, "quick", seed=seed, n_runs=n_runs)
        return runs.run(jobs, store, n_jobs=n_jobs)

    def place(self, make, name="mine", n_runs=1):
        """Row of a further method, and its place among those that are run, with k known.

        Parameters
        ----------
        make : callable
            ``make(n_clusters, random_state)`` gives an estimator with ``fit(Xs)`` and then ``labels_``:
            ``n_clusters`` is an int and ``labels_`` an array for views, both are lists for tasks.
        name : str
        n_runs : int
            Seeds on each set: the first of the protocol's.

        Returns
        -------
        Place
            ``scores`` (ARI by set), ``rank`` (1 is best), ``of`` (so many), ``overview`` (with all others).

        Raises
        ------
        ValueError
            If there is a method of that name.
        FetchError
            If a set that is run cannot be had.

        Examples
        --------
        >>> from mtclib import MSPL
        >>> place = Sources("views").place(lambda k, seed: MSPL(k, random_state=seed))  # doctest: +SKIP
        """
        if name in self.protocol.methods:
            raise ValueError(f"name: there is a method {name!r} already; give another")
        scores = self.scores()
        found = {}
        for key in scores.index:
            row = self.table[(self.table["set"] == key[2]) & (self.table["preparation"] == key[3])]
            found[key] = self._scored(make, row.index[row["number of clusters"] == "known"].item(), n_runs)
        scores[name] = pd.Series(found)
        table = self.overview(scores)
        return Place(scores[name], table.index.get_loc(name) + 1, len(table), table)

    def _scored(self, make, dataset, n_runs):
        spec = self.protocol.datasets[dataset]
        data, _ = load_dataset(spec.loader, spec.params)
        values, views = [], data.kind == "multiview"
        for run in range(n_runs):
            seed = seed_for(self.protocol.root_seed, self.protocol.paper, dataset, run)
            model = make(data.n_clusters, seed)
            model.fit(data.Xs)
            pairs = [(data.labels, model.labels_)] if views else zip(data.labels, model.labels_)
            values += [score_all(truth, labels)["ARI"] for truth, labels in pairs]
        return 100 * float(np.mean(values))


def interval(gains):
    """95 % t interval of the mean of gains, of which each is that of a source."""
    n, spread = len(gains), np.std(gains, ddof=1) if len(gains) > 1 else np.nan
    return gains.mean() + np.array([-1, 1]) * stats.t.ppf(0.975, n - 1) * spread / np.sqrt(n)


def _judged(gains, tested):
    n = len(gains)
    row = {"sources": n, "worse": int((gains.round(9) < 0).sum())}
    if not n:
        return row
    row["gain"], (row["low"], row["high"]) = gains.mean(), interval(gains)
    if n > 1 and (spread := np.std(gains, ddof=1)):
        row["risk"] = stats.t.cdf(-gains.mean() / (spread * np.sqrt(1 + 1 / n)), n - 1)
        if tested:
            row["p worse"], row["p same"], row["p better"] = probabilities(gains)
    return row


def probabilities(gains):
    """How probable it is that the typical source is worse, within :data:`ROPE` of the same, or better."""
    return SignedRankTest.probs(np.zeros(len(gains)), gains, ROPE, nsamples=5000, random_state=0)
