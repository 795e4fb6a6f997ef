"""Scores of the methods of a printed data set on one pipeline, run by run, and what other runs would give.

A pipeline is a data set of the protocol that stands for the printed one, and perhaps a variant of the
methods that the protocol names: a reading of the text, a scaling of the views, or a graph.
"""

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
import pandas as pd

from mtclib.companion.parameters import UsageError
from mtclib.companion.runs import our_name
from mtclib.companion.verdicts import identify, judge, leverage
from mtclib.companion.verdicts.intervals import RELATIVE

FIXED, FOUND = "as fixed", "found"
OTHER_NAMES = {"MSPL-smooth": "MSPL"}
DRAWS = 500


@dataclass(frozen=True)
class Pipeline:
    """How a printed data set is prepared, and where its fits are."""

    name: str  # the same for all data sets of a paper
    source: str  # data set or pool of the protocol
    variant: str = ""
    value: str = ""  # of the parameter "scaling", where the variant has one
    search: str = ""  # that identified it


def headline(study, printed):
    """The pipeline of the headline verdicts."""
    return _pipeline(study, study.headline(printed))


def pipelines(study, printed):
    """Every committed pipeline of a printed data set on which the paper's own method was run."""
    names = dict.fromkeys(spec.pool or name for name, spec in study.protocol.datasets.items()
                          if spec.published == printed)
    named = [_pipeline(study, name) for name in names]
    found = {(one.source, one.variant, ""): one for one in named}
    for base in (one for one in named if not one.variant):
        rows = study.rows(base.source)[["method", "params"]].drop_duplicates()
        for variant in (*study.protocol.variants_of_all, *study.protocol.variants):
            mine = rows[rows["method"].isin([*_named(rows["method"], variant).values()])]
            values = [""] if len(mine) else []
            if variant.endswith("scaling"):
                values = leverage.with_params(mine, "scaling")["scaling"].dropna().unique()
            for value in values:
                words = " ".join(filter(None, (variant, value)))
                label = words if base.name == FIXED else f"{base.name}, {words}"
                found.setdefault((base.source, variant, value), Pipeline(label, base.source, variant, value))
    return [one for one in found.values()
            if set(_stands(study, study.rows(one.source), one)) & set(study.protocol.own)]


def _pipeline(study, name):
    spec = study._spec(name)
    called = (name.partition(" (")[2].removesuffix(")") or name.partition(", ")[2]
              or (FOUND if spec.pipeline == "identified" else FIXED))
    own = spec.stand_ins.get(next(iter(study.protocol.own), ""), "")
    return Pipeline(called, spec.rows_of or name, own.partition(", ")[2], search=spec.search)


def _named(methods, variant):
    """Dict from the printed name to our method, for those of a variant."""
    parts = [(name, *name.partition(", ")[::2]) for name in methods.unique()]
    return {OTHER_NAMES.get(base, base) if rest else base: name for name, base, rest in parts
            if rest == variant}


def _stands(study, rows, pipeline):
    own, plain = _named(rows["method"], pipeline.variant), _named(rows["method"], "")
    return own if pipeline.variant in study.protocol.variants_of_all else {**plain, **own}


@cache
def headlines(study):
    """`Scores` of every printed data set on its headline pipeline, where the paper's own method has any."""
    found = [Scores(study, name, headline(study, name)) for name in study.published["dataset"].unique()]
    if compared := [one for one in found if one.rivals()]:
        return compared
    raise UsageError(f"{study.paper}: no data set called as in print has results of the paper's method and a "
                     f"rival. Run `python -m mtclib run {study.paper} --profile full --export`.")


@lru_cache(maxsize=1)  # variants of one source follow each other
def _grid(study, source, dataset):
    return study.grid(source, dataset).sort_values("run", kind="stable")


class Scores:
    """What was run of a printed data set on one pipeline.

    ``places``: (task, metric) of the printed cells, averages left out, and ``tables``, where they stand.
    ``by``: for each printed method with fits its scores, (settings, runs, places), and the accuracies that
    choose a setting, (settings, runs).
    ``printed``: for each such method its cells by place, NaN where one is a misprint or chose the pipeline.
    """

    def __init__(self, study, dataset, pipeline):
        self.study, self.dataset, self.pipeline = study, dataset, pipeline
        cells = study.published[(study.published["dataset"] == dataset) & (study.published["task"] != "avg")]
        cells = cells.dropna(subset="mean")
        out = study.misprints | identify.calibration_cells(study.protocol, pipeline.search)
        cells_of_places = cells.drop_duplicates(["task", "metric"]).reset_index(drop=True)
        self.places, self.tables = cells_of_places[["task", "metric"]], cells_of_places["table"].to_numpy()
        self.relative = self.places["metric"].isin(RELATIVE).to_numpy()
        self.n_published, self.by, self.printed = study.n_published(pipeline.source), {}, {}
        rows = _grid(study, pipeline.source, dataset)
        groups = rows.groupby("method", sort=False).indices
        stands = _stands(study, rows, pipeline)
        for method, own in cells.groupby("method", sort=False):
            if method in stands and method != "true":
                mine = rows.iloc[groups[stands[method]]]
                if pipeline.value:
                    mine = leverage.with_params(mine, "scaling").query("scaling == @pipeline.value")
                if mine.empty:
                    continue
                fits = population(study, self.places, mine)
                n_settings, n_runs, _ = fits[0].shape
                once = n_settings and study.protocol.methods[stands[method]].deterministic
                if n_runs >= 3 or (n_runs == 1 and once):
                    self.by[method] = fits
                    self.printed[method] = self.places.merge(
                        own[~own["cell"].isin(out)], how="left", on=["task", "metric"])

    def chosen(self, method):
        """Scores at the setting that is best by mean accuracy, (runs, places)."""
        values, choose = self.by[method]
        return values[choose.mean(axis=1).argmax()]

    def scored(self, method):
        """Places of a method with a printed score, which can be averaged with others, unlike a distance."""
        return self.printed[method]["mean"].notna().to_numpy() & ~self.relative

    def rivals(self):
        """Pairs of the paper's own methods and others."""
        own = [name for name in self.by if name in self.study.protocol.own]
        return [(one, other) for one in own for other in self.by if other not in own]

    def drawn(self, n_draws, rng, theirs=False):
        """Runs drawn again, ours or those of the paper, each time with the choice of a setting: a `Drawn` for
        each method. Ours share starts and splits; in print one split is the same for all methods, and starts
        are each method's own."""
        shares, found, apart = {}, {}, theirs and self.n_published > 1
        for method, fits in self.by.items():
            runs = fits[0].shape[1]
            n = self.n_published if theirs else runs
            found[method] = drawn(fits, n, n_draws, rng, None if apart else shares.get(runs))
            shares[runs] = found[method].shares
        return found


def population(study, cells, rows):
    """Scores of all settings, (settings, runs, cells), and accuracies to choose by, (settings, runs)."""
    metrics = [our_name(study.paper, metric) for metric in cells["metric"]]
    rows = rows[(rows["status"] == "ok") & (rows["metric"].isin(metrics) | (rows["task"] == "overall"))]
    found = list(zip(rows["task"].tolist(), rows["metric"].tolist()))
    names = list(zip(judge.tasks_of(cells, metrics, rows), metrics))
    # An array at once: a pivot table, which hundreds of methods would need, takes three times as long.
    (setting, settings), (run, runs) = pd.factorize(rows["params"]), pd.factorize(rows["run"])
    place = {name: number for number, name in enumerate(dict.fromkeys(found))}
    by = next((name for name in place if name[0] == "overall"), names[0])
    scores = np.full((len(settings), len(runs), len(place)), np.nan)
    scores[setting, run, [place[name] for name in found]] = rows["value"]
    scores = scores[..., [place[name] for name in (*names, by)]]
    whole = ~np.isnan(scores).any(axis=(1, 2))  # a setting with a failed run is not chosen
    return scores[whole, :, :-1], scores[whole, :, -1]


def drawn(fits, n, trials, rng, shares=None):
    """A `Drawn` of samples of `n` runs, or of those with given `shares`, each at the setting with the best
    mean accuracy in it."""
    values, accuracies = fits
    if shares is None:
        runs = values.shape[1]
        shares = rng.multinomial(n, np.full(runs, 1 / runs), size=trials) / n
    return Drawn(values, (shares @ accuracies.T).argmax(axis=1), shares, n)


@dataclass(frozen=True)
class Drawn:
    """Draws of the runs of a method: which setting each chooses, and the shares of the runs in it."""

    values: np.ndarray  # (settings, runs, places)
    best: np.ndarray  # (draws,)
    shares: np.ndarray  # (draws, runs)
    n: int  # runs in a draw

    @property
    def mean(self):
        """Mean scores in each draw, (draws, places)."""
        return np.einsum("dr,drp->dp", self.shares, self.values[self.best])

    @property
    def setting(self):
        """Mean over all runs at the setting of each draw, (draws, places)."""
        return self.values.mean(axis=1)[self.best]

    def variance(self, other=None, share=1.0):
        """Squared standard error of each drawn mean, (draws, places); of its difference from `share` of the
        mean of `other`, of the same runs, if that is given."""
        values = self.values[self.best]
        if other is not None:
            values = values - np.atleast_1d(share)[..., None, :] * other.values[other.best]
        mean, square = (np.einsum("dr,drp->dp", self.shares, values**power) for power in (1, 2))
        return np.maximum(square - mean**2, 0) / max(self.n - 1, 1)

    @property
    def spread(self):
        """Standard deviation of the runs in each draw, (draws, places)."""
        return np.sqrt(self.variance() * self.n)
