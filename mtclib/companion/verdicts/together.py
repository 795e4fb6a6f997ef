"""What the gains of a paper, of one of its tables, or over one rival say together.

The unit of a mean is the data set: each counts once, whatever its tasks, metrics and rivals.  No single
number decides: a share of recurring signs stands beside that of a perfect re-run, sizes beside signs (Open
Science Collaboration 2015), and what a wide interval would let pass is counted by `gains.below_half`.
"""

import numpy as np
import pandas as pd
from scipy import stats

from mtclib.companion.verdicts import gains
from mtclib.companion.verdicts.intervals import RELATIVE

ALL = "all"
GAIN = ["dataset", "task", "metric", "method"]
GOLDEN = stats.norm.sf(stats.norm.isf(0.025) / np.sqrt((1 + np.sqrt(5)) / 2))
"""One-sided level of the sceptical p-value at which a replication as large as the original, in effect and in
size, is a success (Held, Micheloud and Pawel 2022): 0.062."""


def statistics(found, multiverse):
    """One line for a paper, each of its tables and each rival: ``paper, table, rival`` and `summary`."""
    frame = pd.concat([one.frame for one in found], ignore_index=True)
    errors, perfect = (np.concatenate([getattr(one, name) for one in found], axis=1)
                       for name in ("ours", "perfect"))
    scopes = [(ALL, ALL), *((table, ALL) for table in frame["table"].unique()),
              *((ALL, rival) for rival in frame["rival"].unique())]
    lines = []
    for table, rival in scopes:
        keep, among = ((rows["table"].eq(table) | (table == ALL)) & (rows["rival"].eq(rival) | (rival == ALL))
                       for rows in (frame, multiverse))
        taus = [one for one in found if rival == ALL and table in (ALL, *one.frame["table"])]
        lines.append({"paper": frame["paper"].iloc[0], "table": table, "rival": rival,
                      **summary(frame[keep], errors[:, keep], perfect[:, keep]),
                      **rankings(taus), **over_pipelines(multiverse[among], set(frame.loc[keep, "dataset"]))})
    return pd.DataFrame(lines)


def summary(frame, errors, perfect):
    """Counts, with what a perfect re-run would be expected to have, and means in points.

    ``low, high``: 95 % interval of our mean gain for further runs on these data; ``least, most``: where the
    mean of a perfect re-run lies; ``ratio``: ours over print, its interval over data sets; ``better, worse``:
    data sets on which the mean gain is significantly above and below zero; ``best_*``: over the rival that is
    best in our own runs, or in print.  ``perfect_*``: expectations of a perfect re-run, for ``recurs`` with
    the range of 95 % of re-runs."""
    told = (frame["same_sign"] != "").to_numpy()
    sign = np.sign(frame["printed"].to_numpy())
    again = (np.sign(perfect) == sign)[:, told].sum(axis=1)
    quantile = stats.t.ppf((1 + gains.LEVEL) / 2, frame["freedom"].to_numpy())
    clear = (perfect * sign / (quantile * frame["error"].to_numpy() + 1e-12))[:, told]
    short = [gains.below_half(frame.assign(ours=row)).sum() for row in perfect[:100]]
    low, high = np.quantile(again, [0.025, 0.975])
    counts = {"gains": int(told.sum()), "recurs": int((frame["same_sign"] == "yes").sum()),
              "perfect_recurs": again.mean(), "perfect_low": low, "perfect_high": high,
              "same": int((frame["significant"] == "same").sum()), "perfect_same": (clear > 1).sum(1).mean(),
              "reversed": int((frame["significant"] == "reversed").sum()),
              "perfect_reversed": (clear < -1).sum(1).mean(), "below_half": int(frame["below_half"].sum()),
              "perfect_below_half": np.mean(short),
              "within_prediction": int(frame["within_prediction"].sum()),
              "convincing": int((frame["sceptical_p"] <= GOLDEN).sum())}
    points = ~frame["metric"].isin(RELATIVE).to_numpy()
    return counts | _sizes(frame[points].reset_index(drop=True), errors[:, points], perfect[:, points])


def _sizes(frame, errors, perfect):
    if frame.empty:
        return {"sets": 0}
    sets = frame.groupby("dataset", sort=False)
    means = sets[["printed", "ours"]].mean()
    weights = 1 / (len(means) * sets["ours"].transform("size").to_numpy())
    found, low, high = gains.ratio(means["ours"].to_numpy(), means["printed"].to_numpy())
    ends = [_interval(frame.iloc[rows], errors[:, rows]) for rows in sets.indices.values()]
    own, alone = _interval(frame, errors, weights), gains.mean_over(means["ours"].to_numpy())
    best = {side: frame.loc[frame.groupby(GAIN, sort=False)[side].idxmin()] for side in ("ours", "printed")}
    at_best = best["ours"].index.to_numpy()
    sizes = best["ours"].groupby("dataset")["ours"].transform("size").to_numpy() * len(means)
    best_low, best_high = _interval(best["ours"], errors[:, at_best], 1 / sizes)
    least, most = np.quantile(perfect @ weights, [0.025, 0.975])
    firsts = [rows.index.to_numpy() for _, rows in frame.groupby(GAIN, sort=False)
              if rows["printed"].min() > 0]
    return {"sets": len(means), "printed": means["printed"].mean(), "ours": means["ours"].mean(),
            "low": own[0], "high": own[1], "sets_low": alone[1], "sets_high": alone[2],
            "least": least, "most": most, "ratio": found, "ratio_low": low, "ratio_high": high,
            "better": sum(one > 0 for one, _ in ends), "worse": sum(one < 0 for _, one in ends),
            "best_printed": best["printed"].groupby("dataset")["printed"].mean().mean(),
            "best_ours": best["ours"].groupby("dataset")["ours"].mean().mean(),
            "best_low": best_low, "best_high": best_high, "first_printed": len(firsts),
            "first": sum(bool((frame["ours"].iloc[rows] > 0).all()) for rows in firsts),
            "perfect_first": sum((perfect[:, rows] > 0).all(axis=1).mean() for rows in firsts)}


def _interval(frame, errors, weights=None):
    """95 % interval of a mean of our gains, from drawn errors of them: they keep what the gains share. A draw
    of n runs from n spreads too little by sqrt((n - 1) / n)."""
    weights = np.full(len(frame), 1 / len(frame)) if weights is None else weights
    n = max(frame["n"].min(), 2)
    half = stats.t.ppf((1 + gains.LEVEL) / 2, n - 1) * (errors @ weights).std() * np.sqrt(n / (n - 1))
    mean = frame["ours"].to_numpy() @ weights
    return mean - half, mean + half


def rankings(found):
    """Kendall's tau-b of our ranking of the methods and the printed one: mean over the columns of a data set
    and over data sets, its interval over these, and that of a perfect re-run."""
    if not found:
        return {}
    tau, low, high = gains.mean_over(np.array([np.nanmean(one.tau) for one in found]))
    return {"tau": tau, "tau_low": low, "tau_high": high,
            "perfect_tau": np.mean([np.nanmean(one.perfect_tau) for one in found])}


def curve(multiverse):
    """Mean gain of every printed table on each pipeline, ours and printed over the same comparisons."""
    rows = multiverse[~multiverse["metric"].isin(RELATIVE)]
    sets = rows.groupby(["table", "pipeline", "dataset"], sort=False)[["printed", "ours"]].mean()
    return sets.groupby(["table", "pipeline"], sort=False).mean().reset_index()


def over_pipelines(multiverse, counted):
    """Tables times pipelines, on how many the mean gain has the printed sign, and the mean over the `counted`
    data sets with the least and the most favourable pipeline of each."""
    lines = curve(multiverse)
    rows = multiverse[~multiverse["metric"].isin(RELATIVE) & multiverse["dataset"].isin(counted)]
    sets = rows.groupby(["dataset", "pipeline"])["ours"].mean().groupby("dataset")
    same = np.sign(lines["printed"]) == np.sign(lines["ours"])
    return {"pipelines": len(lines), "pipelines_same": int(same.sum()),
            "pipelines_least": sets.min().mean(), "pipelines_most": sets.max().mean()}
