"""How often does the rule of the verdicts err?  Simulated on the committed runs of each printed cell.

Paper and reproduction are drawn from one population, the committed runs of a method with its whole grid:
each side draws its own number of runs and takes the setting that is best by mean accuracy, as the papers do;
the print is rounded to its digits.  Then truth and print are equal, and any "higher" or "lower" is false;
with the print shifted by the margin, any "agrees" is.  The spread that comes from choosing a setting is
taken as known: it is that of the population.
"""

import numpy as np
import pandas as pd

from mtclib.companion.runs import our_name
from mtclib.companion.verdicts.intervals import RELATIVE
from mtclib.companion.verdicts.judge import JUDGED, with_interval

TRIALS, DRAWS = 1000, 500
UNITS = ("half_unit", "half_unit_std")
MOST_FALSE = {"false_deviating": 0.10, "false_agreeing": 0.05}


def table(studies, trials=TRIALS, seed=0):
    """Error rates by paper and kind of method; print is off by the margin for ``false_agreeing``, by twice
    the margin, ten points, for ``power_10``. ``expected`` agree by `intervals.expected`."""
    rates = pd.concat([simulated(study, trials, seed) for study in studies], ignore_index=True)
    groups = rates.groupby(["paper", "kind"], sort=False)
    shares = groups[[*MOST_FALSE, "power_10", "within_prediction"]].mean()
    worst = groups[["false_deviating", "false_agreeing"]].max().add_prefix("worst_").rename(
        columns=lambda name: name.replace("false_", ""))
    sums = groups[["agreeing", "undecided", "expected"]].sum()
    sizes = groups.size().rename("cells")
    return pd.concat([sizes, sums.round(1), shares.round(4), worst.round(4)], axis=1).reset_index()


def simulated(study, trials=TRIALS, seed=0):
    """Rates of each judged cell of a paper: a row with ``paper, cell, kind``, counts and shares."""
    rng, parts = np.random.default_rng(seed), []
    for dataset in study.published["dataset"].unique():
        headline = study.headline(dataset)
        cells = study.judged(dataset, headline)
        cells = cells[cells["verdict"].isin(JUDGED)].merge(study.published[["cell", *UNITS]], on="cell")
        rows = study.grid(headline, dataset)
        for method, own in cells.groupby("method", sort=False):
            parts.append(_rates(study, own, rows[rows["method"] == method], trials, rng))
    return pd.concat(parts, ignore_index=True)


def _rates(study, cells, rows, trials, rng):
    values, scores = population(study, cells, rows)
    scale = np.where(cells["metric"].isin(RELATIVE), cells["published"] / cells["ours"], 1.0)
    values = values * scale  # a distance in the unit of the print
    n_ours, n_theirs = int(cells["n"].iloc[0]), int(cells["published_n"].iloc[0])
    ours, theirs = (_drawn(values, scores, n, trials, rng) for n in (n_ours, n_theirs))
    cells = cells.assign(selection=cells["selection"] * scale)
    found = {shift: _outcomes(cells, ours, theirs, shift) for shift in (0, -1, 1, -2, 2)}
    deviating = found[0][1]
    return pd.DataFrame({
        "paper": study.paper, "cell": cells["cell"], "kind": cells["kind"], "expected": cells["expected"],
        "agreeing": found[0][0], "undecided": 1 - found[0][0] - deviating, "false_deviating": deviating,
        "false_agreeing": (found[-1][0] + found[1][0]) / 2,
        "power_10": (found[-2][1] + found[2][1]) / 2, "within_prediction": found[0][2]})


def selection_spread(study, cells, rows, n, n_published):
    """Standard deviation of (ours - published) caused by tuning on noisy runs, for each cell: redraw `n` runs
    for us and `n_published` for the paper, and select the setting again each time. How runs vary at one
    setting is not included."""
    values, scores = population(study, cells, rows)
    means, variance = values.mean(axis=1), 0.0
    for drawn in (n, n_published):
        best = chosen(scores, weights(scores.shape[1], int(drawn), DRAWS, np.random.default_rng(0)))
        variance = variance + means[best].var(axis=0)
    return np.sqrt(variance)


def population(study, cells, rows):
    """Scores of all settings, (settings, runs, cells), and accuracies to choose by, (settings, runs)."""
    rows = rows[rows["status"] == "ok"]
    table = rows.pivot_table("value", ["params", "run"], ["task", "metric"], sort=False)
    tasks = cells["task"] if (rows["task"] == "").any() else cells["task"].replace("", "avg")
    names = [(task, our_name(study.paper, metric)) for task, metric in zip(tasks, cells["metric"])]
    by = next((name for name in table if name[0] == "overall"), names[0])
    settings, runs = rows["params"].unique(), rows["run"].unique()
    table = table[[*names, by]].reindex(pd.MultiIndex.from_product([settings, runs]))
    scores = table.to_numpy().reshape(len(settings), len(runs), -1)
    whole = ~np.isnan(scores).any(axis=(1, 2))  # a setting with a failed run is not chosen
    return scores[whole, :, :-1], scores[whole, :, -1]


def weights(runs, n, trials, rng):
    """Shares of the runs in samples of `n` of them: (trials, runs)."""
    return rng.multinomial(n, np.full(runs, 1 / runs), size=trials) / n


def chosen(scores, weights):
    """Setting with the best mean accuracy in each trial."""
    return (weights @ scores.T).argmax(axis=1)


def _drawn(values, scores, n, trials, rng):
    """Mean and spread of `n` runs at the setting with the best mean accuracy, (trials, cells) each."""
    shares = weights(values.shape[1], n, trials, rng)
    best = chosen(scores, shares)
    mean, square = np.empty((2, trials, values.shape[2]))
    for point in np.unique(best):
        drawn = best == point
        mean[drawn], square[drawn] = (shares[drawn] @ values[point] ** power for power in (1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        return mean, np.sqrt(np.maximum(square - mean**2, 0) * n / np.float64(n - 1))


def _outcomes(cells, ours, theirs, shift):
    """Shares of trials that agree, deviate, and have the print within prediction, for each cell."""
    trials, size = ours[0].shape
    unit, unit_std = 2 * cells["half_unit"].to_numpy(), 2 * cells["half_unit_std"].to_numpy()
    relative = cells["metric"].isin(RELATIVE).to_numpy()
    delta = (cells["delta"] / np.where(relative, cells["published"], 1)).to_numpy()
    shifted = np.where(relative, theirs[0] / (1 - shift * delta), theirs[0] + shift * delta)
    frame = pd.DataFrame({
        "method": np.tile(cells["method"], trials), "metric": np.tile(cells["metric"], trials),
        "ours": ours[0].ravel(), "ours_std": ours[1].ravel(), "n": np.tile(cells["n"], trials),
        "published": (np.round(shifted / unit) * unit).ravel(),
        "selection": np.tile(cells["selection"], trials),
        "published_std": (np.round(theirs[1] / unit_std) * unit_std).ravel(),
        "half_unit": np.tile(unit / 2, trials), "half_unit_std": np.tile(unit_std / 2, trials)})
    fixed = cells["method"][cells["uncertainty"] == "none"].unique()
    judged = with_interval(frame, cells["published_n"].iloc[0], fixed)
    exact = judged["difference"].abs() <= judged["half_unit"] * (1 + 1e-9)
    agree = (exact | (judged["statistical"] == "agrees")).to_numpy().reshape(trials, size)
    deviate = (~exact & judged["statistical"].isin(["higher", "lower"])).to_numpy().reshape(trials, size)
    within = judged["within_prediction"].to_numpy().reshape(trials, size)
    return agree.mean(axis=0), deviate.mean(axis=0), within.mean(axis=0)
