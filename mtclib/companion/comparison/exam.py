"""The advice on a folder of sets that it has not seen: what it promised, and what it gives.

Each folder inside is a set, whose files are tasks or views with a column of classes; it is prepared as
``python -m mtclib cluster`` prepares a user's files, and the numbers of classes are given.
"""

import re

import numpy as np
import pandas as pd
from scipy import stats

from mtclib.companion.comparison import advice
from mtclib.companion.comparison.advice import TEN_STARTS
from mtclib.companion.comparison.sources import PLAIN, ari, summary
from mtclib.companion.runs import attempt
from mtclib.companion.runs.jobs import resolve_estimator
from mtclib.companion.userdata import load
from mtclib.companion.userdata.contents import as_list
from mtclib.companion.userdata.files import DataFileError, own_path
from mtclib.core import paths
from mtclib.core.base import spawn_seeds

PEERS = (PLAIN, TEN_STARTS, "sklearn Agglomerative", "sklearn Spectral, neighbours")
"""What a user would take instead."""

MEMBERS = {"tasks": ("Spectral NJW, scales", "Spectral NJW, scales by cosine"), "views": ("WMSC",)}
"""What the consensus is of, beside Ward and k-means among the peers."""

_OPTIONS = re.compile(r"(id|text)_column|header=")  # of `cluster`, which there are none of here


def scores(kind, folder, n_runs=3) -> pd.DataFrame:
    """ARI in percent, sets by methods: the advice, the safe choice, the consensus, its members, and peers;
    the mean over seeds.

    NaN where a method fails.  DataFileError if there is no set.
    """
    for _ in _sets(kind, folder):
        pass  # what is wrong with the last is told before the first is clustered; all may be too much to hold
    sources = advice.evidence(kind)
    best, specs = advice.advised(sources), sources.protocol.methods
    names = dict.fromkeys([best["take"], best["safe"], "Consensus", *MEMBERS[kind], *PEERS])
    found = {name: {method: np.mean([score(specs[method], data, own) for own in spawn_seeds(0, n_runs)])
                    for method in names} for name, data in _sets(kind, folder)}
    return pd.DataFrame.from_dict(found, orient="index").rename_axis("set")


def _sets(kind, folder):
    """Name and data of each set."""
    place = own_path(folder, "--data")
    if not place.is_dir():
        raise DataFileError(f"{folder}: is no folder; give one in which each set is a folder of its own")
    sets = sorted(path for path in place.iterdir() if path.is_dir() and path.name[0] != ".")
    if not sets:
        raise DataFileError(f"{folder}: has no folders; each set is a folder with a file per task or view")
    for place in sets:
        files = sorted(str(path) for path in place.iterdir() if path.is_file() and path.name[0] != ".")
        if not files:
            raise DataFileError(f"{place}: has no files; put one per task or view there, or delete it")
        try:
            data = load.scale(load.load(kind, files, "class"))
        except DataFileError as error:
            what, then, remedy = str(error).replace("label_column", "column").partition("; ")
            if _OPTIONS.search(remedy):
                remedy = ("each CSV file begins with a line of names, and holds but features, as numbers, "
                          "and the column 'class'; drop others, and give views the same samples in order")
            raise DataFileError(f"the set {place.name!r}: {what}{then}{remedy}") from error
        if bare := [file for file, y in zip(files, as_list(data.labels)) if not (y >= 0).any()]:
            raise DataFileError(f"the set {place.name!r}: {bare[0]}: no sample has a class, by which "
                                f"clusters could be judged; fill in the column 'class', or drop the file")
        yield place.name, data


def score(spec, data, seed, n_clusters=None):
    """ARI of a method of the protocol in percent, the mean over tasks, with as many clusters as classes
    unless another number is given; NaN where it fails."""
    n = data.n_clusters if n_clusters is None else n_clusters
    model = resolve_estimator(spec.estimator)(n, random_state=seed, **spec.params)
    return np.nan if attempt(model.fit, data.Xs).error else ari(data, model.labels_)


def report(kind, found):
    """Gains over k-means as a table, of what `scores` gives, and what was promised beside what came."""
    best = advice.advised(advice.evidence(kind))
    gains = found.sub(found[PLAIN], axis=0).fillna(0.0)
    table = pd.DataFrame(summary(gains)).rename_axis("method").rename(columns={"sources": "sets"})
    came = table.loc[best["take"]]
    promised, given = map(advice.spread, (best, came))
    text = (f"{best['take']}: promised {promised} points of ARI over k-means, and a loss on "
            f"{100 * best['risk']:.0f} % of sources; came {given}, with a loss on {came['worse']:.0f} of "
            f"{len(gains)} sets.")
    return table.drop(columns="risk").round(1).sort_values("gain", ascending=False), text


def passed():
    """What came of the exam of the advice for views, on sets of other sources that were named before any
    method ran on them: its committed scores in a few sentences."""
    found = pd.read_csv(paths.paper_dir("comparison") / "exam.csv", index_col="set")
    best = advice.advised(advice.evidence("views"))
    gains, n = best["followed"], len(found)
    half = stats.t.ppf(0.975, len(gains) - 1) * gains.std() * np.sqrt(1 / len(gains) + 1 / n)
    left = [found[best["take"]] - found[peer] for peer in PEERS[1:]]
    over = [f"{advice.signed(gain.mean())} over {peer} (loses on {(gain < 0).sum()})"
            for peer, gain in zip(PEERS[1:], left)]
    return (f"An exam for views, on {n} sets of other sources that were named before any method ran on them "
            f"({', '.join(found.index)}). {report('views', found)[1]} The mean over {n} further sources "
            f"would lie between {advice.signed(best['gain'] - half)} and "
            f"{advice.signed(best['gain'] + half)} in 95 of 100 cases. Readings: {', '.join(over)}.")
