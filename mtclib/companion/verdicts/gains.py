"""What the paper's method gains over each rival, ours beside print, and whether it comes back.

Gains are in points; of a distance, which has no scale, the reduction in percent of the rival's.  Our runs of
two methods share starts, and splits of the data, so that the interval is over their differences; a ratio of
distances has the error of both by the delta method.  Printed standard deviations count as those of
independent runs; where there are none, ours stand in, and those of one split are shared by the methods.  The
choice of a setting with labels is part of every error.  The unit of a mean is the data set, whatever its
tasks, metrics and rivals.  Beside signs stand those of a perfect re-run, and sizes (Open Science
Collaboration 2015); what a wide interval would let pass is counted by `below_half`.
"""

import numpy as np
import pandas as pd
from scipy import stats

from mtclib.companion.verdicts.draws import DRAWS, Scores, pipelines
from mtclib.companion.verdicts.intervals import RELATIVE

LEVEL = 0.95
ALL = "all"
GAIN = ["dataset", "task", "metric", "method"]
GOLDEN = stats.norm.sf(stats.norm.isf(0.025) / np.sqrt((1 + np.sqrt(5)) / 2))
"""One-sided level of the sceptical p-value at which a replication as large as the original, in effect and in
size, is a success (Held, Micheloud and Pawel 2022): 0.062."""
ONE_SIDED = 0.05
PLACE = ["paper", "table", "dataset", "task", "metric", "method", "rival"]
COLUMNS = (*PLACE, "reconstruction", "pipeline", "printed", "printed_error", "ours", "error", "freedom", "n",
           "low", "high", "least", "most", "within_prediction", "same_sign", "significant", "below_half",
           "sceptical_p")


def multiverse(study):
    """Every printed gain on every committed pipeline: the place, ``pipeline, printed, ours, low, high``."""
    parts = [part for name in study.published["dataset"].unique() for one in pipelines(study, name)
             if len(part := of_set(Scores(study, name, one), whole=False))]
    columns = [*PLACE, "pipeline", "printed", "ours", "low", "high"]
    # An empty part would have made objects of all numbers, which are then written with every digit.
    frame = pd.concat(parts, ignore_index=True)[columns]
    # A pipeline of which a later one has every gain, and more, is that one without some of its rivals.
    again = frame.duplicated([*PLACE, "ours"], keep="last")
    return frame[~again.groupby([frame["dataset"], frame["pipeline"]]).transform("all")]


def of_set(scores, whole=True):
    """The gains of one printed data set on one pipeline, with `COLUMNS` and more; without `whole` the choice
    of settings is no part of the errors. ``least, most``: where 95 % of re-runs would lie if print were the
    truth up to its error (Patil, Peng and Leek 2016). ``below_half``: significantly below half of print
    (Simonsohn 2015), with the errors of both; ``sceptical_p``: Held (2020)."""
    rng = np.random.default_rng(0)
    sides = [scores.drawn(DRAWS, rng, theirs) for theirs in (False, True)] if whole else []
    means = [{method: one.setting for method, one in side.items()} for side in sides]
    parts = [_pair(scores, own, rival, means).assign(method=own, rival=rival)
             for own, rival in scores.rivals()]
    if not parts:
        return pd.DataFrame(columns=list(COLUMNS))
    frame = pd.concat(parts, ignore_index=True)
    again = frame["rival"].map(scores.study.kinds) == "reconstruction"
    columns = frame["spread"], frame["n"], frame["metric"].isin(RELATIVE)
    spread = at_least(*(one.to_numpy() for one in columns))
    return judged(with_error(frame.assign(spread=spread)).assign(
        paper=scores.study.paper, dataset=scores.dataset, pipeline=scores.pipeline.name,
        reconstruction=np.where(again, "yes", "no")))


def _pair(scores, own, rival, means):
    """Printed and our gain of one method over another in each place, with their errors."""
    ours = [scores.chosen(name) for name in (own, rival)]
    if len(ours[0]) != len(ours[1]):  # where all runs are equal, one says as much
        ours = [each if np.ptp(each, axis=0).any() else each[:1] for each in ours]
    cells = [scores.printed[name] for name in (own, rival)]
    n = min([len(each) for each in ours if len(each) > 1], default=1)
    if n > 1:
        ours = [each[:n] if len(each) > 1 else np.repeat(each, n, axis=0) for each in ours]
    at_ours, at_print = (slopes(scores, *each) for each in (
        [runs.mean(axis=0) for runs in ours], [cell["mean"].to_numpy() for cell in cells]))
    scale, share = at_ours[0], -at_ours[1] / at_ours[0]
    zero = np.zeros(len(scale))
    # What is left of equal runs by rounding is no spread, and no gain: its sign would depend on the machine.
    spread = (scale * (ours[0] - share * ours[1])).std(axis=0, ddof=1).round(9) if n > 1 else zero
    chosen = [gain(scores, each[own], each[rival]).std(axis=0).round(9) for each in means] or [zero, zero]
    told = [cell["std"].to_numpy() * slope for cell, slope in zip(cells, at_print)]
    alone = [runs.std(axis=0, ddof=1) * slope if n > 1 else zero for runs, slope in zip(ours, at_ours)]
    theirs, shared, doubt = printed_variance(scores.n_published, told, alone, spread, n)
    rounding = sum((slope * cell["half_unit"].to_numpy()) ** 2 / 3 for cell, slope in zip(cells, at_print))
    known = np.hypot(chosen[1], np.sqrt(rounding))
    table = {"table": cells[0]["table"], "task": scores.places["task"], "metric": scores.places["metric"],
             "printed": at_print[0] * (cells[0]["mean"] - cells[1]["mean"]),
             "printed_error": np.hypot(np.sqrt(theirs), known), "shared": shared, "doubt": doubt,
             "ours": ((ours[0] - ours[1]) * scale).mean(axis=0).round(9), "n": n, "spread": spread,
             "chosen": chosen[0], "known": known, "place": np.arange(len(scale))}
    return pd.DataFrame(table).dropna(subset="printed")


def at_least(spreads, n, relative):
    """Spreads of `n` runs of all gains of a data set, the last axis, none less than if one run were off by
    the set's root mean square spread: runs that are equal by chance do not say that further ones will be.
    Gains `relative` to a distance are a kind of their own, and one run has no spread."""
    found = spreads.copy()
    for kind in (relative & (n > 1), ~relative & (n > 1)):
        mean_square = (spreads[..., kind] ** 2).sum(axis=-1, keepdims=True) / max(kind.sum(), 1)
        found[..., kind] = np.maximum(spreads[..., kind], np.sqrt(mean_square / n[kind]))
    return found


def with_error(frame):
    """Add ``error`` and ``freedom`` of our gain from the ``spread`` of the differences over ``n`` runs and
    that of the choice of settings, ``chosen``, which counts as known."""
    frame = frame.assign(error=np.sqrt(frame["spread"] ** 2 / frame["n"] + frame["chosen"] ** 2))
    return frame.assign(freedom=freedom_of(frame, of_print=0.0))


def gain(scores, own, rival):
    """Gain in points; of a distance, of which less is better, the reduction in percent of the rival's."""
    return slopes(scores, own, rival)[0] * (own - rival)


def slopes(scores, own, rival):
    """What an error in each of two scores adds to the gain: 100 and -100, or for a distance the derivatives
    of 100 (1 - own / rival)."""
    over = np.where(scores.relative, rival, 1.0)
    scale = 100 * np.where(scores.relative, -1 / over, 1.0)
    return scale, -scale * np.where(scores.relative, own / over, 1.0)


def printed_variance(n_published, told, alone, paired, n):
    """Squared error of a printed gain from spreads in points; then, for `freedom_of`, the covariance of this
    estimate with that of our squared error, and half its variance. Of the two scores, `told` has the spreads
    that are printed, NaN where ours of `n` runs, `alone`, stand in; `paired` is that of our gain. Covariances
    S of normal runs are Wishart's: half the variance of an estimate tr(W S) is tr(W S W S) / (n - 1), where W
    has 1 / n everywhere for our gain, and 1 / n_published on the diagonal where ours stand in."""
    freedom = np.maximum(n - 1, 1)
    if n_published == 1:
        return paired**2, 2 * paired**4 / n / freedom, paired**4 / freedom
    lent, variances = [np.isnan(one) / n_published for one in told], [ours**2 for ours in alone]
    known = [np.nan_to_num(one) ** 2 / n_published for one in told]
    common = (paired**2 - sum(variances)) / 2
    stand_in = [weight * one for weight, one in zip(lent, variances)]
    shared = sum(weight * (one + common) ** 2 for weight, one in zip(lent, variances)) * 2 / n / freedom
    doubt = (sum(one**2 for one in stand_in) + 2 * lent[0] * lent[1] * common**2) / freedom
    return sum(known) + sum(stand_in), shared, doubt + sum(one**2 for one in known) / (n_published - 1)


def judged(frame):
    """Add what follows from print, ours and their errors."""
    half = stats.t.ppf((1 + LEVEL) / 2, frame["freedom"]) * frame["error"]
    low, high = frame["ours"] - half, frame["ours"] + half
    both = np.hypot(frame["error"], frame["printed_error"])
    reach = stats.t.ppf((1 + LEVEL) / 2, freedom_of(frame)) * both
    least, most = frame["printed"] - reach, frame["printed"] + reach
    sign = np.sign(frame["printed"].round(9))
    outcome = np.select([sign * frame["ours"] - half > 0, sign * frame["ours"] + half < 0],
                        ["same", "reversed"], "no")
    return frame.assign(
        low=low, high=high, least=least, most=most, within_prediction=frame["ours"].between(least, most),
        same_sign=np.where(sign == 0, "", np.where(sign == np.sign(frame["ours"]), "yes", "no")),
        significant=np.where(sign == 0, "", outcome), below_half=below_half(frame),
        sceptical_p=sceptical_p(frame["printed"], frame["printed_error"], frame["ours"], frame["error"]))


def freedom_of(frame, of_print=1.0):
    """Degrees of freedom (Welch and Satterthwaite) of our error and `of_print` times the printed one:
    where our spread stands in for print, both have one estimate. Settings and rounding count as known."""
    total = frame["error"] ** 2 + (of_print * frame["printed_error"]) ** 2
    ours = (frame["spread"] ** 2 / frame["n"]) ** 2 / np.maximum(frame["n"] - 1, 1)
    doubt = ours + of_print**2 * frame["shared"] + of_print**4 * frame["doubt"]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.minimum(np.where(doubt > 0, total**2 / doubt, 1e6), 1e6)


def below_half(frame):
    """Is ours, in the direction of print, below half of it at 5 %, one-sided?"""
    error = np.hypot(frame["error"], frame["printed_error"] / 2)
    short = np.sign(frame["printed"]) * (frame["printed"] / 2 - frame["ours"])
    quantile = stats.t.ppf(1 - ONE_SIDED, freedom_of(frame, of_print=0.5))
    return (short > quantile * error) & (frame["printed"] != 0)


def sceptical_p(printed, printed_error, ours, error):
    """One-sided sceptical p-value of Held (2020), Eq. (6) to (10): how far a re-run convinces a reader whose
    prior makes the printed effect just not significant. At most 1/2 where the directions agree."""
    with np.errstate(divide="ignore", invalid="ignore"):
        first, square = (printed / printed_error) ** 2, ours**2
        harmonic = 2 * first * square / (square + first * error**2)
        excess = 2 * (printed_error**2 - error**2) / (square + first * error**2)
        root = np.where(square > 0, harmonic / (np.sqrt(1 + excess * harmonic) + 1), 0.0)
    tail = stats.norm.sf(np.sqrt(root))
    return np.where(np.sign(printed) == np.sign(ours), tail, 1 - tail)


def ratio(ours, printed):
    """Our mean over the printed mean, and its interval over the units, here data sets: the ratio estimator
    with the jackknife's variance (Quenouille 1956), which few units ask for. One unit has no interval."""
    n, found = len(ours), ours.sum() / printed.sum()
    if n < 2:
        return found, np.nan, np.nan
    left = (ours.sum() - ours) / (printed.sum() - printed)
    half = stats.t.ppf((1 + LEVEL) / 2, n - 1) * np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum())
    return found, found - half, found + half


def mean_over(values):
    """Mean over the units and its interval."""
    n = len(values)
    half = stats.t.ppf((1 + LEVEL) / 2, n - 1) * values.std(ddof=1) / np.sqrt(n) if n > 1 else np.nan
    return values.mean(), values.mean() - half, values.mean() + half


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
        lines.append({"paper": frame["paper"].iloc[0], "table": table, "rival": rival,
                      **summary(frame[keep], errors[:, keep], perfect[:, keep]),
                      **(rankings(found, table) if rival == ALL else {}),
                      **over_pipelines(multiverse[among], frame[keep])})
    return pd.DataFrame(lines)


def summary(frame, errors, perfect):
    """Counts, with what a perfect re-run would be expected to have, and means in points: ``low, high`` for
    further runs on these data, ``least, most`` for the mean of a perfect re-run, ``ratio`` of ours over print
    with its interval over data sets, ``better, worse`` data sets, significantly; ``best_*``: over the rival
    that is best in our own runs, or in print."""
    told = (frame["same_sign"] != "").to_numpy()
    sign = np.sign(frame["printed"].to_numpy())
    again = (np.sign(perfect) == sign)[:, told].sum(axis=1)
    half = (stats.t.ppf((1 + LEVEL) / 2, frame["freedom"]) * frame["error"]).to_numpy()
    clear = (perfect * sign / (half + 1e-12))[:, told]
    short = [below_half(frame.assign(ours=row)).sum() for row in perfect[:100]]
    low, high = np.quantile(again, [0.025, 0.975])
    counts = {"gains": int(told.sum()), "recurs": int((frame["same_sign"] == "yes").sum()),
              "perfect_recurs": again.mean(), "perfect_low": low, "perfect_high": high,
              "same": int((frame["significant"] == "same").sum()), "perfect_same": (clear > 1).sum(1).mean(),
              "reversed": int((frame["significant"] == "reversed").sum()),
              "perfect_reversed": (clear < -1).sum(1).mean(), "below_half": int(frame["below_half"].sum()),
              "perfect_below_half": np.mean(short),
              "within_prediction": int(frame["within_prediction"].to_numpy()[told].sum()),
              "convincing": int((frame["sceptical_p"] <= GOLDEN).sum())}
    points = ~frame["metric"].isin(RELATIVE).to_numpy()
    if not points.any():
        return counts | {"sets": 0}
    frame, errors, perfect = frame[points].reset_index(drop=True), errors[:, points], perfect[:, points]
    sets = frame.groupby("dataset", sort=False)
    means = sets[["printed", "ours"]].mean()
    weights = 1 / (len(means) * sets["ours"].transform("size").to_numpy())
    found, low, high = ratio(means["ours"].to_numpy(), means["printed"].to_numpy())
    ends = [_interval(frame.iloc[rows], errors[:, rows]) for rows in sets.indices.values()]
    own, alone = _interval(frame, errors, weights), mean_over(means["ours"].to_numpy())
    best = {side: frame.loc[frame.groupby(GAIN, sort=False)[side].idxmin()] for side in ("ours", "printed")}
    at_best = best["ours"].index.to_numpy()
    sizes = best["ours"].groupby("dataset")["ours"].transform("size").to_numpy() * len(means)
    best_low, best_high = _interval(best["ours"], errors[:, at_best], 1 / sizes)
    least, most = np.quantile(perfect @ weights, [0.025, 0.975])
    firsts = [rows.index.to_numpy() for _, rows in frame.groupby(GAIN, sort=False)
              if rows["printed"].min() > 0]
    return {**counts,
            "sets": len(means), "printed": means["printed"].mean(), "ours": means["ours"].mean(),
            "low": own[0], "high": own[1], "sets_low": alone[1], "sets_high": alone[2],
            "least": least, "most": most, "ratio": found, "ratio_low": low, "ratio_high": high,
            "better": sum(one > 0 for one, _ in ends), "worse": sum(one < 0 for _, one in ends),
            "worse_on": ", ".join(name for name, (_, one) in zip(sets.indices, ends) if one < 0),
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
    half = stats.t.ppf((1 + LEVEL) / 2, n - 1) * (errors @ weights).std() * np.sqrt(n / (n - 1))
    mean = frame["ours"].to_numpy() @ weights
    return mean - half, mean + half


def rankings(found, table=ALL):
    """Kendall's tau-b of our ranking of the methods and the printed one in the columns of a table: mean over
    those of a data set and over data sets, its interval over these, and that of a perfect re-run. Without tau
    where all tie."""
    kept = [(one, (one.tables == table) | (table == ALL)) for one in found]
    kept = [(one.tau[here], one.perfect_tau[:, here]) for one, here in kept
            if np.isfinite(one.tau[here]).any()]
    if not kept:
        return {}
    tau, low, high = mean_over(np.array([np.nanmean(ours) for ours, _ in kept]))
    return {"tau": tau, "tau_low": low, "tau_high": high,
            "perfect_tau": np.mean([np.nanmean(perfect) for _, perfect in kept])}


def curve(multiverse):
    """Mean gain of every printed table on each pipeline, ours and printed over the same comparisons."""
    rows = multiverse[~multiverse["metric"].isin(RELATIVE)]
    sets = rows.groupby(["table", "pipeline", "dataset"], sort=False)[["printed", "ours"]].mean()
    return sets.groupby(["table", "pipeline"], sort=False).mean().reset_index()


def over_pipelines(multiverse, frame):
    """Tables times pipelines, on how many the mean gain has the printed sign, and the mean over data sets
    with the least and the most favourable pipeline of each, of those that have all gains of the `frame`."""
    lines = curve(multiverse)
    rows = multiverse[~multiverse["metric"].isin(RELATIVE)].merge(frame[[*GAIN, "rival"]])
    means = rows.groupby(["dataset", "pipeline"])["ours"].agg(["size", "mean"])
    whole = means["size"] == means.groupby("dataset")["size"].transform("max")
    sets = means.loc[whole, "mean"].groupby("dataset")
    same = np.sign(lines["printed"]) == np.sign(lines["ours"])
    return {"pipelines": len(lines), "pipelines_same": int(same.sum()),
            "pipelines_least": sets.min().mean(), "pipelines_most": sets.max().mean()}
