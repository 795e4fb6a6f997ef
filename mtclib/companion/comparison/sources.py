"""The comparison by independent sources: every method, ours and others', on sets of many sources.

``data/comparison/many-tasks/`` and ``many-views/`` hold ``protocol.toml``, fixed before the first run,
``sources.csv`` (where each set comes from) and ``results``, which ``python -m mtclib compare`` makes.
"""

from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from mtclib.companion import runs
from mtclib.companion.parameters import choose
from mtclib.companion.runs import profiles
from mtclib.companion.runs.jobs import load_dataset, seed_for
from mtclib.companion.userdata.contents import as_list
from mtclib.core import paths
from mtclib.core.checks import check_number
from mtclib.metrics import adjusted_rand_index

KINDS = ("tasks", "views")
PLAIN = "sklearn KMeans"  # plain k-means, as a user would take it: of each task, or of the views side by side
COLUMNS = ["sources", "gain", "low", "high", "worse", "risk", "fails", "p"]

class Place(NamedTuple):
    """What `Sources.place` finds."""

    scores: pd.Series
    rank: int
    of: int
    overview: pd.DataFrame

    def __repr__(self) -> str:
        sets = self.scores.index.get_level_values("set")
        return f"place {self.rank} of {self.of}: mean ARI {self.scores.mean():.1f} on {', '.join(sets)}"


class Sources:
    """Committed results of the comparison for one kind of data, "tasks" or "views", and the statistics
    derived from them; `folder` holds ``protocol.toml``, ``sources.csv`` and ``results``."""

    def __init__(self, kind: str, folder: str | Path | None = None) -> None:
        self.kind = choose(kind, KINDS, "comparison")
        self.folder = Path(folder or paths.paper_dir(f"comparison/many-{kind}"))
        self.protocol = runs.load_protocol(self.folder / "protocol.toml")
        self.table = pd.read_csv(self.folder / "sources.csv", index_col="dataset", dtype=str)
        self.source_of = self.table.drop_duplicates("set").set_index("set")["source"]
        self.sets = list(self.source_of.index)
        self.made = self.folder / "results"

    @cached_property
    def results(self):
        """Committed results, as from :func:`mtclib.companion.runs.read_results`."""
        return runs.read_results(self.made)

    @cached_property
    def rows(self):
        """Committed rows of whole sets, with the columns of ``sources.csv``."""
        frame = self.results.frame
        return frame[frame["task"].isin(["avg", ""])].join(self.table, on="dataset")

    @property
    def done(self):
        """Names of the sets that are run to the end."""
        return self.rows["set"].unique().tolist() if self.made.is_dir() else []

    @property
    def state(self):
        """What is run, in a sentence."""
        found = self.source_of[self.done]
        methods = self.protocol.profile("full").methods if len(found) else []
        there = self.rows["method"].unique() if methods else ()
        absent = {"sets": self.source_of.index.drop(found.index),
                  "methods": [name for name in methods if name not in there]}
        rest = "".join(f"; {what} not run, for want of time: {', '.join(names)}"
                       for what, names in absent.items() if len(names))
        return (f"{self.kind}: ran on {len(found)} of {len(self.sets)} sets, from {found.nunique()} of "
                f"{self.source_of.nunique()} sources{rest}")

    def scores(self, metric: str = "ARI", k: str = "known", preparation: str | None = "first",
               methods: Iterable[str] | None = None) -> pd.DataFrame:
        """Mean over seeds in percent: (source, kind, set, preparation) by methods, those of the full profile
        by default; NaN where one is absent. A method is absent on a set where any of its fits failed.  The
        first preparation is that of `cluster`; None is for both."""
        rows = self.rows[(self.rows["metric"] == metric) & (self.rows["number of clusters"] == k)]
        rows = rows if preparation is None else rows[rows["preparation"] == preparation]
        means = rows.groupby(["source", "kind", "set", "preparation", "method"], sort=False)["value"]
        wide = 100 * means.mean(skipna=False).unstack("method", sort=False)
        names = dict.fromkeys(methods or [*self.protocol.profile("full").methods, PLAIN])
        return wide[[name for name in names if name in wide]]

    def overview(self, scores: pd.DataFrame | None = None) -> pd.DataFrame:
        """All methods, largest mean gain first, as by `summary`; ``fails`` (sets without a result: as plain
        k-means); ``p`` of Wilcoxon's signed-rank test against the first, corrected after Holm."""
        scores = self.scores() if scores is None else scores
        gains = self.gains(scores)
        gains = gains[gains.mean().sort_values(ascending=False, kind="stable").index]
        fails = scores.isna().groupby("set").any().sum()
        found = pd.DataFrame(summary(gains)).assign(fails=fails, p=against_the_first(gains))
        return found[COLUMNS].rename_axis("method")

    def gains(self, scores: pd.DataFrame) -> pd.DataFrame:
        """Points over plain k-means, sources by methods; a method without a result there is plain k-means."""
        found = scores.sub(scores[PLAIN], axis=0).fillna(0.0)
        return found.groupby(["source", "set"], sort=False).mean().groupby("source", sort=False).mean()

    def sensitivity(self, names: Iterable[str] | None = None) -> pd.DataFrame:
        """Which of some methods is first, and what the one that is first over all gains, with a part of the
        evidence: without each source and each kind, by each score, by the other preparation."""
        scores = self.scores()
        parts = {"all": scores, "by NMI": self.scores("NMI_arithmetic"), "by ACC": self.scores("ACC")}
        parts |= {"second preparation": self.scores(preparation="second")}
        for level in ("kind", "source"):
            given = scores.index.get_level_values(level)
            parts |= {f"without {name}": scores[given != name] for name in given.unique()}
        names, rows, best = list(scores) if names is None else names, {}, None
        for part, values in parts.items():
            if values.index.unique("source").size > 1:
                gains = self.gains(values)[names]
                best = best or chosen(gains)
                rows[part] = {"first": chosen(gains), **summary(gains[best])}
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("evidence")

    def unknown_k(self) -> pd.DataFrame:
        """Gains of methods with k known and as the command estimates it, and the points of ARI ``lost``."""
        guessed = self.scores(k="unknown")
        known = self.scores().reindex(guessed.index)[list(guessed)]
        frame = pd.DataFrame({"k known": self.gains(known).mean(), "k unknown": self.gains(guessed).mean(),
                              "lost": (known - guessed).groupby("source").mean().mean()})
        return frame.sort_values("k known", ascending=False).rename_axis("method")

    def estimator(self, method: str) -> type:
        """Class of a method."""
        return runs.jobs.resolve_estimator(self.protocol.methods[method].estimator)

    def seconds(self) -> pd.DataFrame:
        """Median seconds of a fit, data sets by methods."""
        fits = self.rows[self.rows["status"] == "ok"].drop_duplicates(["dataset", "method", "key"])
        seconds = runs.calibrated(fits["seconds"], fits["key"].map(self.results.calibrations))
        return fits.assign(seconds=seconds).groupby(["dataset", "method"])["seconds"].median().unstack()

    def costs(self) -> pd.DataFrame:
        """Median over data sets of each method's ``seconds`` per fit, and the largest ``megabytes``."""
        memory = pd.read_csv(self.made / "memory.csv").groupby("method")["megabytes"].max()
        return pd.DataFrame({"seconds": self.seconds().median(), "megabytes": memory})

    def live(self, *, seed: int | None = None, n_runs: int = 0, n_jobs: int = 1) -> pd.DataFrame:
        """Results of the quick profile, a few cheap methods on data of a Python package, run now."""
        _, jobs, store = profiles.plan(self.folder / "protocol.toml", "quick", seed=seed, n_runs=n_runs)
        return runs.run(jobs, store, n_jobs=n_jobs)

    def place(self, make: Callable, name: str = "mine", n_runs: int = 0,
              on: Iterable[str] | None = None) -> Place:
        """Row of a further method, and its place among those that are run, with k known.

        ``make(n_clusters, random_state)`` gives an estimator with ``fit(Xs)`` and then ``labels_``:
        ``n_clusters`` is an int and ``labels_`` an array for views, both are lists for tasks; a class, or a
        ``functools.partial`` of one, gets both by name.  ``n_runs`` seeds are the first of the protocol's; 0
        takes as many as the others' means are of, as one lucky start may be worth many places.  ``on`` names
        sets, all by default.
        Returns ``scores`` (ARI by set), ``rank`` (1 is best), ``of`` (so many), ``overview`` (with all
        others).  ValueError if there is a method of that name, FetchError if a set cannot be had.
        """
        check_number("n_runs", n_runs, low=0, integer=True)
        if not callable(make):
            raise TypeError(f"make must be a class, or a function that makes an estimator; got {make!r}")
        n_runs = n_runs or self.protocol.profiles["full"].n_runs
        if name in self.protocol.methods:
            raise ValueError(f"name: there is a method {name!r} already; give another")
        scores, sets = self.scores(), [on] if isinstance(on, str) else on or self.done
        for one in sets:
            choose(one, self.done, "on")
        scores = scores[scores.index.get_level_values("set").isin(sets)].copy()
        first = self.table.query("preparation == 'first' and `number of clusters` == 'known'")
        first = first.reset_index().set_index("set")["dataset"]
        scores[name] = [self._scored(make, first[key[2]], n_runs) for key in scores.index]
        table = self.overview(scores)
        return Place(scores[name], table.index.get_loc(name) + 1, len(table), table)

    def _scored(self, make, dataset, n_runs):
        spec = self.protocol.datasets[dataset]
        data, _ = load_dataset(spec.loader, spec.params)
        values, shapes = [], list(map(np.shape, as_list(data.labels)))
        for run in range(n_runs):
            seed = seed_for(self.protocol.root_seed, self.protocol.paper, dataset, run)
            given = {"n_clusters": data.n_clusters, "random_state": seed}
            of_class = isinstance(getattr(make, "func", make), type)
            model = make(**given) if of_class else make(*given.values())
            model.fit([X.copy() for X in data.Xs])  # others get the data, and it may write into its input
            found = model.labels_ if data.kind == "multiview" else list(model.labels_)
            if (got := list(map(np.shape, as_list(found)))) != shapes:
                each = " of each task" * isinstance(data.labels, list)
                raise ValueError(f"labels_ must have one entry for each sample{each}, in the shapes "
                                 f"{shapes}; got {got}")
            values.append(ari(data, found))
        return float(np.mean(values))


def place(make: Callable, on: str | Iterable[str], **options: Any) -> Place:
    """Place of a further method among those that are run, as from `Sources.place`, on named sets of one kind.

    >>> from mtclib import MSPL
    >>> place(MSPL, on="Handwritten").rank  # doctest: +SKIP
    """
    sets, known = [on] if isinstance(on, str) else list(on or ()), {kind: Sources(kind) for kind in KINDS}
    of = {name: part for part in known.values() for name in part.done}
    return of[choose(next(iter(sets), None), list(of), "on")].place(make, on=sets, **options)


def ari(data, labels):
    """Adjusted Rand index in percent, the mean over tasks; samples without a class do not count."""
    pairs = zip(as_list(data.labels), map(np.asarray, as_list(labels)))
    return 100 * np.mean([adjusted_rand_index(y[y >= 0], found[y >= 0]) for y, found in pairs])


def interval(gains):
    """95 % t interval of the mean of gains, of which each is that of a source; of each column of a frame."""
    half = stats.t.ppf(0.975, len(gains) - 1) * gains.sem()
    return gains.mean() - half, gains.mean() + half


def chosen(gains):
    """Of methods (columns) the one whose mean gain over sources has the highest lower end of its interval."""
    return interval(gains)[0].fillna(gains.mean()).round(9).idxmax()


@np.errstate(divide="ignore", invalid="ignore")
def summary(gains):
    """Of gains of a method, one for each source: ``sources``, mean ``gain`` with its 95 % interval ``low``,
    ``high``, ``worse`` (sources of a loss), and ``risk``, the chance of one on a further source."""
    n, mean, (low, high) = len(gains), gains.mean(), interval(gains)
    risk = stats.t.cdf(0, n - 1, mean, gains.std() * np.sqrt(1 + 1 / n))  # NaN where all gains are the same
    return {"sources": n, "worse": (gains.round(9) < 0).sum(), "gain": mean, "low": low, "high": high,
            "risk": risk}


@np.errstate(divide="ignore", invalid="ignore")
def above(gains, points):
    """Posterior chance that the mean of gains is above so many points: Student's t, flat priors."""
    chance = stats.t.sf(points, len(gains) - 1, gains.mean(), gains.sem())
    return float(gains.mean() > points if np.isnan(chance) else chance)


def against_the_first(gains):
    """Wilcoxon's signed-rank test of each column against the first, two-sided, corrected after Holm."""
    differences = gains.iloc[:, 1:].rsub(gains.iloc[:, 0], axis=0).round(9)
    p = differences.apply(lambda own: stats.wilcoxon(own).pvalue if own.any() else 1.0).sort_values()
    return (p * np.arange(len(p), 0, -1)).cummax().clip(upper=1.0)
