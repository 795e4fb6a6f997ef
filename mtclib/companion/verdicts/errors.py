"""How often does the rule of the verdicts err?  Simulated on the committed runs of each printed cell.

Paper and reproduction are drawn from the committed runs of a method with its whole grid: each side draws its
own number of runs and takes the setting that is best by mean accuracy; the print is rounded to its digits.
Then any "higher" or "lower" is false, and with the print shifted by the margin, any "agrees" is.  The spread
from choosing a setting is taken as known: it is that of the population.
"""

import numpy as np
import pandas as pd

from mtclib.companion.verdicts.draws import DRAWS, drawn, population
from mtclib.companion.verdicts.intervals import RELATIVE
from mtclib.companion.verdicts.judge import JUDGED, with_interval

TRIALS = 1000
UNITS = ("half_unit", "half_unit_std")
SHIFTS = (0, -1, 1, -2, 2)  # of the print, in margins
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
            values, accuracies = population(study, own, rows[rows["method"] == method])
            scale = np.where(own["metric"].isin(RELATIVE), own["published"] / own["ours"], 1.0)
            fits = values * scale, accuracies  # a distance in the unit of the print
            sides = [_drawn(fits, int(own[name].iloc[0]), trials, rng) for name in ("n", "published_n")]
            own = own.assign(selection=own["selection"] * scale)
            found = dict(zip(SHIFTS, _outcomes(own, *sides)))
            agreeing, deviating, within = found[0]
            parts.append(own[["cell", "kind", "expected"]].assign(
                paper=study.paper, agreeing=agreeing, undecided=1 - agreeing - deviating,
                false_deviating=deviating, false_agreeing=(found[-1][0] + found[1][0]) / 2,
                power_10=(found[-2][1] + found[2][1]) / 2, within_prediction=within))
    return pd.concat(parts, ignore_index=True)


def selection_spread(study, cells, rows, n, n_published):
    """Standard deviation of (ours - published) caused by tuning on noisy runs, for each cell: `n` runs of
    ours and `n_published` of the paper choose the setting again. How runs vary at one setting is left out."""
    fits = population(study, cells, rows)
    return np.sqrt(sum(drawn(fits, int(runs), DRAWS, np.random.default_rng(0)).setting.var(axis=0)
                       for runs in (n, n_published)))


def _drawn(fits, n, trials, rng):
    """Mean and spread of `n` runs at the setting with the best mean accuracy, (trials, cells) each."""
    found = drawn(fits, n, trials, rng)
    mean, square = np.empty((2, trials, found.values.shape[2]))
    # Not `Drawn.mean`: print that is shifted by the margin lies on it, and its last bits decide the verdict.
    for setting in np.unique(found.best):
        at = found.best == setting
        mean[at], square[at] = (found.shares[at] @ found.values[setting] ** power for power in (1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        return mean, np.sqrt(np.maximum(square - mean**2, 0) * n / np.float64(n - 1))


def _outcomes(cells, ours, theirs):
    """Shares of trials that agree, deviate, and have the print within prediction, by shift and cell."""
    unit, unit_std = (2 * cells[name].to_numpy() for name in UNITS)
    relative = cells["metric"].isin(RELATIVE).to_numpy()
    delta = (cells["delta"] / np.where(relative, cells["published"], 1)).to_numpy()
    shift = np.reshape(SHIFTS, (-1, 1, 1))
    shifted = np.where(relative, theirs[0] / (1 - shift * delta), theirs[0] + shift * delta)
    mean, std, printed = (np.broadcast_to(one, shifted.shape).ravel() for one in (
        *ours, np.round(theirs[1] / unit_std) * unit_std))
    known = cells.iloc[np.tile(np.arange(len(cells)), shifted.size // len(cells))].reset_index(drop=True)
    frame = known[["method", "metric", "n", "selection", *UNITS]].assign(
        ours=mean, ours_std=std, published=(np.round(shifted / unit) * unit).ravel(), published_std=printed)
    fixed = cells["method"][cells["uncertainty"].isin(["none", "published only"])].unique()
    judged = with_interval(frame, cells["published_n"].iloc[0], fixed)
    exact = judged["difference"].abs() <= judged["half_unit"] * (1 + 1e-9)
    shares = [exact | (judged["statistical"] == "agrees"),
              ~exact & judged["statistical"].isin(["higher", "lower"]), judged["within_prediction"]]
    return np.reshape(shares, (3, *shifted.shape)).mean(axis=2).swapaxes(0, 1)
