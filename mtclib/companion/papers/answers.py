"""Does the method win?  One sentence for each paper, computed from the committed gains, and its picture."""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from mtclib.companion import plots, tables
from mtclib.companion.verdicts import gains, intervals, ledger
from mtclib.companion.verdicts.intervals import RELATIVE
from mtclib.core import paths

ALL = gains.ALL
HEADS = ("paper and claim", "printed gain", "our gain (95 % interval)", "recurs in sign",
         "range over pipelines", "answer")


@cache
def _table(name):
    return pd.read_csv(paths.data_dir() / f"{name}.csv", dtype={"table": str, "task": str})


def line(paper, rival=ALL, table=ALL):
    """What `gains.statistics` says of a paper, over one rival or in one table."""
    lines = _table("gain_statistics").query("paper == @paper and rival == @rival and table == @table")
    return lines.iloc[0]


def word(found):
    """The answer in a word, by the data sets on which the mean gain is significantly above or below zero."""
    if found["better"] + found["worse"] == 0:
        return "Undecided"
    if found["better"] == found["sets"]:
        return "Yes"
    ahead = (found["better"] - found["worse"]) / found["sets"]
    return "Mostly yes" if ahead > 0.5 else "No" if ahead < 0 else "In part"


def sentences(study):
    """The answer to the question that a reader of a paper has, in sentences that stay true when results
    change: the size beside print, in bold, data sets, signs beside a perfect re-run, and pipelines."""
    asked, errs = ledger.part(study.paper, "summary"), rates(study.paper)
    found, whole = line(study.paper, asked["rival"]), line(study.paper)
    turning = ", ".join(turns(study.paper, asked["rival"]))
    over = asked["over"] + " on average" * (asked["rival"] == ALL)
    size = (f"{word(found)}: {tables.signed(found['ours'])} points over {over} ({_ends(found)}), where print "
            f"has {tables.signed(found['printed'])}.")
    if whole["best_ours"] != whole["ours"]:
        size += (f" Over the best rival of each column: {tables.signed(whole['best_ours'])} "
                 f"({_ends(whole, 'best_')}), in print {tables.signed(whole['best_printed'])}.")
    signs = (f"It is better on {found['better']:.0f} of {found['sets']:.0f} data sets and worse on "
             f"{found['worse_on'] if found['worse'] else 'none'}. The printed sign recurs in "
             f"{found['recurs']:.0f} of {found['gains']:.0f} comparisons (perfect re-run "
             f"{found['perfect_recurs']:.0f}), and in {found['pipelines_same']:.0f} of "
             f"{found['pipelines']:.0f} pairs of a table and a pipeline.")
    signs += f" It turns with the pipeline on {turning}." if turning else ""
    if errs["interval"] < 0.9:
        signs += (f" Intervals of single gains are too narrow: simulated, {100 * errs['interval']:.0f} % of "
                  f"95 % ones hold the truth; {100 * errs['false_recurs']:.0f} % of zero gains would recur.")
    more = {name: [study.numbers.fill(asked[name])] for name in ("first", "also") if name in asked}
    first = [f"**{one}**" for one in (*more.get("first", ()), size)]
    return [*first, signs, *more.get("also", ())]


def rates(paper):
    return _table("gain_errors").query("paper == @paper").set_index("rate")["found"]


def _ends(found, what=""):
    return f"{tables.signed(found[f'{what}low'])} to {tables.signed(found[f'{what}high'])}"


def turns(paper, rival=ALL):
    """Data sets on which the mean gain has the printed sign under some pipelines and not under others; over
    all rivals, also the rivals for which that is so."""
    rows = _table("multiverse").query("paper == @paper and metric != 'd_M'")
    rows = rows if rival == ALL else rows[rows["rival"] == rival]
    means = rows.groupby(["dataset", "rival", "pipeline"], sort=False)[["printed", "ours"]].mean()
    whole = means.groupby(["dataset", "pipeline"], sort=False).mean()
    named = []
    for dataset, part in means.groupby("dataset", sort=False):
        over = [name for name, each in part.groupby("rival", sort=False) if _both_signs(each)]
        if _both_signs(whole.loc[dataset]):
            named.append(dataset)
        elif over and rival == ALL:
            named.append(f"{dataset} (over {len(over)} of {part.index.unique('rival').size} rivals)")
    return named


def _both_signs(means):
    return len(set(np.sign(means["printed"]) == np.sign(means["ours"]))) == 2


def answer(study: Any) -> tables.Points:
    """The answer, for the top of a paper's notebook."""
    asked = ledger.part(study.paper, "summary")["question"]
    known = study.paper in set(_table("gain_statistics")["paper"])
    told = sentences(study) if known else [f"`python -m mtclib verdicts --paper {study.paper}` will tell."]
    return tables.Points((" ".join(told),), ((asked, "index.ipynb"),))


def forest(study: Any) -> plots.Picture:
    """Gain over each rival."""
    found = _table("gain_statistics").query("paper == @study.paper and rival != 'all' and sets > 0")
    alt = ("For each rival the mean gain in points: ours with its interval, the printed one, where a perfect "
           "re-run would lie, and the range over all pipelines.")
    return study.show(plots.forest(found), f"{study.paper}-gains", alt=alt)


def curve(study: Any) -> plots.Picture:
    """Gain of every printed table on each pipeline."""
    rows = _table("multiverse").query("paper == @study.paper")
    rival = ledger.part(study.paper, "summary")["rival"]
    rows = rows if rival == ALL else rows[rows["rival"] == rival]
    alt = "Mean gains on all pipelines in order, beside the printed ones; dots name the choices of each."
    return study.show(plots.specification_curve(gains.curve(rows)), f"{study.paper}-pipelines", alt=alt)


def by_table(study):
    """The same for each printed table, folded."""
    found = _table("gain_statistics").query("paper == @study.paper and rival == 'all'")
    taus = [f"{tau:.2f}" + ("" if np.isnan(low) else f" ({low:.2f} to {high:.2f})")
            for tau, low, high in found[["tau", "tau_low", "tau_high"]].to_numpy()]
    best = [f"{tables.signed(one['best_ours'])} ({_ends(one, 'best_')})" for _, one in found.iterrows()]
    found = found.round(1).assign(tau=taus, best_ours=best, perfect_tau=found["perfect_tau"].round(2))
    cells = _table("verdicts").query("paper == @study.paper and counted")
    alike = {name: intervals.agreement(part["ours"], part["printed"])
             for name, part in [(ALL, cells[~cells["metric"].isin(RELATIVE)]), *cells.groupby("table")]}
    found = found.join(pd.DataFrame(alike).T.round({"cv": 1, "pearson": 2, "spearman": 2}), on="table")
    names = {"table": "table", "gains": "gains", "recurs": "recur", "perfect_recurs": "in a perfect re-run",
             "same": "significantly", "reversed": "reversed", "below_half": "below half",
             "printed": "printed", "ours": "ours", "best_ours": "over the best here", "tau": "tau",
             "perfect_tau": "perfect tau", "first_printed": "first in print", "first": "first here",
             "perfect_first": "first in a perfect re-run",
             "cv": "CV*, %", "pearson": "Pearson's r", "spearman": "Spearman's rho"}
    errs = 100 * rates(study.paper)
    note = ("Counts are gains over all rivals; significantly: the 95 % interval excludes zero; below half: "
            "significantly below half of print; tau: Kendall's, of the methods' ranking and the printed one. "
            "CV* (Belz, Popović and Mille 2022) and correlations are of the counted cells, ours and printed. "
            f"Simulated: {errs['interval']:.0f} % of 95 % intervals of a gain hold the truth; of zero "
            f"gains {errs['false_recurs']:.1f} % would recur, {errs['false_reversed']:.1f} % be reversed.")
    return tables.frame_table(found, "Gains by printed table", names, notes=[note],
                              folded="recurrence, sizes and rankings")


def row_verdicts(study):
    """Verdict on each row of the tables, folded."""
    digits = {"difference": 1, "rms": 1, "low": 1, "high": 1, "conformal_p": 2, "conformal_power": 2}
    found = _table("rows").query("paper == @study.paper").round(digits)
    shown = ("table", "dataset", "method", "cells", "difference", "low", "high", "rms", "verdict",
             *(("conformal_p", "conformal_power") if found["conformal_p"].notna().any() else ()))
    note = ("One method on one data set, all tasks and metrics: mean difference in points with its 90 % "
            "interval, judged like a cell; rms: root mean square of the differences, which cannot cancel.")
    between = [f"{one['kind']} {tables.signed(one['mean'])} ({_ends(one)}), tau {one['tau']:.1f}"
               for _, one in _table("row_statistics").query("paper == @study.paper").iterrows()]
    note += f" Means between data sets, by random effects, with 95 % intervals: {'; '.join(between)}."
    return tables.frame_table(found, "Rows", {name: name for name in shown}, "verdict", [note],
                              folded=f"{len(found)} rows judged as wholes: {tables.tally(found['verdict'])}")


def summary(studies):
    """One row a paper: claim, gains, recurrence, range and answer, as records by `HEADS`."""
    for study in studies:
        known, asked = ledger.findings(study.paper), ledger.part(study.paper, "summary")
        found, best = line(study.paper, asked["rival"]), line(study.paper)
        turning = [name for name in turns(study.paper, asked["rival"]) if "(over" not in name]
        said = (f"{word(found)}: better on {found['better']:.0f} of {found['sets']:.0f} data sets, worse on "
                f"{found['worse']:.0f}")
        if best["best_ours"] != best["ours"]:
            said += f"; over the best rival of each column {tables.signed(best['best_ours'])}"
        said += f"; the sign turns with the pipeline on {len(turning)} of its sets" if turning else ""
        printed, ours, least, most = map(tables.signed, found[
            ["printed", "ours", "pipelines_least", "pipelines_most"]])
        recurs = f"{found['recurs']:.0f} of {found['gains']:.0f}"
        cells = (f"{known['name']}: {asked['claim']}", printed, f"{ours} ({_ends(found)})",
                 f"{recurs} (perfect re-run {found['perfect_recurs']:.0f})", f"{least} to {most}", said)
        yield dict(zip(HEADS, cells))
