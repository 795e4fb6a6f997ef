"""How far does an open choice move the number?

A ``[[decision.alternative]]`` in ``data/<paper>/decisions.toml`` says which rows of the committed results are
ours, and which are those of the alternative: the means, the change and its interval are computed from them.
A choice that no run can decide has ``[decision.unmeasured]`` with the reason instead.
"""

import json
from functools import cache
from itertools import product

import numpy as np
import pandas as pd

from mtclib.companion.claims import signed
from mtclib.companion.runs import our_name
from mtclib.companion.runs.jobs import canonical
from mtclib.companion.verdicts import ledger
from mtclib.companion.verdicts.intervals import RELATIVE, difference_interval
from mtclib.companion.verdicts.ledger import LedgerError

COLUMNS = ("decision", "kind", "ours", "alternative", "method", "dataset", "metric", "n", "n_other",
           "score", "other_score", "change", "low", "high")
KEYS = ("decision", "kind", "ours", "alternative", "metric")


def entries(paper):
    """Alternatives of a paper's decisions with the id of the decision, and the choices without a run."""
    known = ledger.decisions(paper)
    compared = [{"decision": one["id"], **{f"other_{name}": other.get(name) for name in ledger.SIDE}, **other}
                for one in known for other in one.get("alternative", [])]
    return compared, [{"decision": one["id"], **one["unmeasured"]} for one in known if "unmeasured" in one]


def measured(study):
    """What each alternative does to the score, in percent (d_M of our mean). The 90 % interval of ``change``
    is over runs of the same numbers, which share seeds and splits, else by Welch; NaN where a side has one
    run."""
    rows = []
    once = {name for name, spec in study.protocol.methods.items() if spec.deterministic}
    for entry in entries(study.paper)[0]:
        methods, datasets = (zip(entry[name], entry[f"other_{name}"]) for name in ("methods", "datasets"))
        relative = entry["metric"] in RELATIVE
        for (dataset, other_dataset), (method, other_method) in product(datasets, methods):
            ours = _values(study, entry, dataset, method, entry["metric"], entry.get("point"))
            other = _values(study, entry, other_dataset, other_method, entry["other_metric"],
                            entry["other_point"])
            # Ours errs as well: the error of a ratio is that of other - ratio ours, by the delta method.
            ratio = other.mean() / ours.mean() if relative else 1.0
            interval = _interval(ratio * ours, other, method in once, other_method in once)
            ends = (end + (ratio - 1) * ours.mean() for end in interval)
            scale = 100 / abs(ours.mean()) if relative else 100
            score, other_score, low, high = (
                scale * float(value) for value in (ours.mean(), other.mean(), *ends))
            rows.append({**{name: entry[name] for name in KEYS}, "method": method, "dataset": dataset,
                         "n": len(ours), "n_other": len(other), "score": score, "other_score": other_score,
                         "change": other_score - score, "low": low, "high": high})
    return pd.DataFrame(rows, columns=list(COLUMNS))


@cache
def _fits(study, dataset, chosen):
    """Fits of a data set, or those ``selected``, averaged over tasks: params, runs, values; their places by
    (method, metric)."""
    rows = study.selected(dataset) if chosen else study.rows(dataset)
    rows = rows.loc[rows["task"].isin(["avg", ""]) & (rows["status"] == "ok"),
                    ["key", "method", "metric", "params", "run", "value"]]
    fits = rows.drop_duplicates(["key", "method", "metric"]).sort_values("run", kind="stable")
    columns = [fits[name].to_numpy() for name in ("params", "run", "value")]
    return columns, fits.groupby(["method", "metric"], observed=True).indices


def _values(study, entry, dataset, method, metric, point):
    """Scores of one side by run, at a `point` as by ``PaperResults.at``."""
    columns, places = _fits(study, dataset, point == "chosen")
    own = places.get((method, our_name(study.paper, metric)), [])
    params, runs, values = (column[own] for column in columns)
    point = study.protocol.defaults.get(method) if point is None else point
    kept = params == canonical(point) if point and point != "chosen" else np.full(len(params), True)
    if len(settings := set(params[kept])) != 1:
        told = "several settings (name one in 'point')" if settings else "no stored fit"
        raise LedgerError(f"{study.paper}: leverage of {entry['decision']}: {told} of {method!r} on "
                          f"{dataset!r} with {point or 'its default'} and {metric}")
    return pd.Series(values[kept], index=runs[kept])


def _interval(ours, other, ours_fixed, other_fixed):
    """90 % interval of the difference of the means."""
    if len(ours) > 1 and ours.index.equals(other.index):
        gaps = other - ours
        return difference_interval(gaps.mean(), gaps.std(), len(gaps), 0.0)
    statistics = [(np.mean(values), 0.0 if fixed else values.std(), np.inf if fixed else len(values))
                  for values, fixed in ((other, other_fixed), (ours, ours_fixed))]
    if any(np.isnan(sd) for _, sd, _ in statistics):
        return np.nan, np.nan
    return difference_interval(*statistics[0], *statistics[1])


def by_alternative(table):
    """One line per alternative of :func:`measured`, largest first, in points (d_M: percent of ours);
    ``clear`` counts the ``pairs``, data sets times methods, in which the interval excludes 0."""
    clear = (table["low"] > 0) | (table["high"] < 0)
    groups = table.assign(clear=clear, size=table["change"].abs()).groupby(list(KEYS), sort=False)
    lines = groups.agg(pairs=("change", "count"), size=("size", "mean"), mean=("change", "mean"),
                       least=("change", "min"), most=("change", "max"), clear=("clear", "sum"),
                       data=("dataset", lambda names: ", ".join(dict.fromkeys(names))))
    return lines.sort_values("size", ascending=False, kind="stable").reset_index()


def sentences(study):
    """What the alternatives to each decision change, in words: a dict from its id."""
    found = {}
    for line in by_alternative(study.changes).sort_values("decision", kind="stable").itertuples():
        span = f" ({signed(line.least)} to {signed(line.most)})" if line.pairs > 1 else ""
        found.setdefault(line.decision, []).append(
            f"{line.metric} {signed(line.mean)}{span} for {line.alternative}")
    trials = {entry["decision"]: [entry["trial"]] for entry in entries(study.paper)[1] if "trial" in entry}
    return {decision: "; ".join(lines) for decision, lines in (found | trials).items()}


def by_cause(cells):
    """Cells that are higher or lower than printed, one line per cause and sentence, the largest first.

    ``points`` is the mean absolute difference (NaN for a distance, which has no scale).

    >>> row = dict(dataset="toy", method="A", metric="ACC", cause="stopping", reason="Stops early.",
    ...            verdict="lower", difference=-0.08)
    >>> by_cause(pd.DataFrame([row, {**row, "method": "B"}])).values.tolist()
    [['stopping', 2, 8.0, 'toy: A, B', 'Stops early.']]
    """
    deviating = cells[cells["verdict"].isin(["higher", "lower"])]
    points = (100 * deviating["difference"].abs()).where(~deviating["metric"].isin(RELATIVE))
    groups = deviating.assign(points=points).groupby(["cause", "reason"], sort=False)
    rows = [{"cause": cause, "cells": len(part), "points": round(part["points"].mean(), 1),
             "where": "; ".join(f"{dataset}: {', '.join(names)}" for dataset, names in
                                part.groupby("dataset", sort=False)["method"].unique().items()),
             "reason": reason} for (cause, reason), part in groups]
    columns = ["cause", "cells", "points", "where", "reason"]
    table = pd.DataFrame(rows, columns=columns).sort_values("cells", ascending=False, kind="stable")
    return table.reset_index(drop=True)


def with_params(rows, *names):
    """``rows`` with parameters of their methods as further columns; missing ones become None."""
    settings = {text: json.loads(text) for text in rows["params"].unique()}
    return rows.assign(**{name: [settings[text].get(name) for text in rows["params"]] for name in names})


def distance_from_print(rows, printed, by):
    """Mean absolute difference between our mean scores and the printed ones, in points: a row per choice (the
    column `by`), a column per method, mean over the metrics."""
    means = rows.groupby([by, "method", "metric"], sort=False)["value"].mean().reset_index()
    both = means.merge(printed[["method", "metric", "mean"]], on=["method", "metric"])
    gaps = both.assign(distance=100 * (both["value"] - both["mean"]).abs())
    table = gaps.pivot_table("distance", by, "method", sort=False)
    return table.assign(mean=table.mean(axis=1))
