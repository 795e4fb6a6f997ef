"""Does the method win?  One sentence for each paper, computed from the committed gains, and its picture."""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from mtclib.companion import claims, plots, tables
from mtclib.companion.verdicts import gains, intervals, ledger
from mtclib.companion.verdicts.intervals import RELATIVE
from mtclib.core import paths

ALL = gains.ALL
WORDS = paths.beside(__package__, "answers.toml")
HEADS = tuple(WORDS["heads"].values())


@cache
def _table(name):
    return pd.read_csv(paths.data_dir() / f"{name}.csv", dtype={"table": str, "task": str})


def line(paper, rival=ALL):
    """What `gains.statistics` says of a paper, over one rival or all."""
    return _table("gain_statistics").query("paper == @paper and rival == @rival and table == @ALL").iloc[0]


def word(found):
    """The answer in a word, by the data sets on which the mean gain is significantly above or below zero."""
    if found["better"] + found["worse"] == 0:
        return "Undecided"
    if found["better"] == found["sets"]:
        return "Yes"
    ahead = (found["better"] - found["worse"]) / found["sets"]
    return "Mostly yes" if ahead > 0.5 else "No" if ahead < 0 else "In part"


def _answered(found, whole, turning):
    """The word, and what a reader of a yes would miss: the best rival, and other preparations of the data."""
    said = word(found)
    if said not in ("Yes", "Mostly yes"):
        return said
    if 2 * len(turning) > found["sets"]:
        return WORDS["not_always"]
    return said + (WORDS["not_best"] if found["rival"] == ALL and whole["best_high"] < 0 else "")


def sentences(study):
    """The answers to the questions that a reader of a paper has, each in one sentence that stays true when
    results change: its size beside print, in bold; in the last one, where it turns and what it leaves out."""
    asked = ledger.part(study.paper, "summary")
    found, whole = line(study.paper, asked["rival"]), line(study.paper)
    turning, sure = turns(study.paper, asked["rival"]), surely(study.paper, asked["rival"])
    first = [f"**{study.numbers.fill(asked['first'])}**"] if "first" in asked else []
    size = _say("size", found, word=_answered(found, whole, _whole(turning)), over=asked["over"],
                more=_say("all" if asked["rival"] == ALL else "alone", found, size=abs(found["best_ours"]),
                          side="below" if found["best_ours"] < 0 else "above"))
    named = _say("turning_all", found) if len(_whole(turning)) == found["sets"] else ", ".join(turning)
    more = [*([_say("turning", found, turning=named, sure=sure)] if turning else []),
            *(_say("without", name=name, why=why) for name, why in left_out(study.paper, asked["rival"])),
            *([asked["caveat"]] if "caveat" in asked else [])]
    return [*first, f"**{size}** {'; '.join(more)}." if more else f"**{size}**"]


def left_out(paper, rival=ALL):
    """Data sets of the paper's method that no gain over a rival counts, each with the reason."""
    gained = _table("gains").query("paper == @paper" + " and rival == @rival" * (rival != ALL))
    own = _table("verdicts").query("paper == @paper and own == 'own'")
    own = own[~own["dataset"].isin(gained["dataset"])]
    why = own["verdict"].mask(own["calibration"], "calibration").groupby(own["dataset"], sort=False).unique()
    return [(name, ", ".join(WORDS["left_out"][one] for one in all_of)) for name, all_of in why.items()]


def further(study):
    """What else there is to say of the answer: data sets, signs beside a perfect re-run, the best rivals."""
    if not _is_known(study):
        return []
    asked = ledger.part(study.paper, "summary")
    found, whole = line(study.paper, asked["rival"]), line(study.paper)
    told = [_say("signs", found, worse_sets=found["worse_on"] if found["worse"] else "none",
                 between="" if np.isnan(found["ratio_low"]) else _say("signs_between", found))]
    told += [_say("best", whole)] if whole["best_ours"] != whole["ours"] else []
    return [*told, *([study.numbers.fill(asked["also"])] if "also" in asked else [])]


def _is_known(study):
    return study.paper in set(_table("gain_statistics")["paper"])


def _say(name, numbers=(), /, **more):
    """A sentence of ``answers.toml`` with these numbers; those called GAIN_signed have their sign."""
    signed = {f"{name}_signed": claims.signed(one) for name, one in dict(numbers).items()
              if isinstance(one, float)}
    return WORDS[name].format(**{**dict(numbers), **signed, **more})


def _by_pipeline(paper, rival):
    """Means of gains and of the ends of their intervals by data set, rival and pipeline, and over rivals."""
    rows = _table("multiverse").query("paper == @paper and metric != 'd_M'")
    rows = rows if rival == ALL else rows[rows["rival"] == rival]
    columns = ["printed", "ours", "low", "high"]
    means = rows.groupby(["dataset", "rival", "pipeline"], sort=False)[columns].mean()
    return means, means.groupby(["dataset", "pipeline"], sort=False).mean()


def surely(paper, rival=ALL):
    """On how many of the data sets of `turns`, over all rivals, this is no noise: the mean interval of one
    pipeline lies above zero, and that of another below, each widened for their number (Bonferroni)."""
    rows = _by_pipeline(paper, rival)[1]
    number = rows.groupby("dataset")["ours"].transform("size")
    half = (rows["high"] - rows["low"]) / 2 * stats.norm.isf(0.025 / number) / stats.norm.isf(0.025)
    ends = rows.assign(low=rows["ours"] - half, high=rows["ours"] + half).groupby("dataset")
    return int(((ends["low"].max() > 0) & (ends["high"].min() < 0)).sum())


def turns(paper, rival=ALL):
    """Data sets on which the mean gain has the printed sign under some pipelines and not under others; over
    all rivals, also the rivals for which that is so."""
    means, whole = _by_pipeline(paper, rival)
    named = []
    for dataset, part in means.groupby("dataset", sort=False):
        over = [name for name, each in part.groupby("rival", sort=False) if _both_signs(each)]
        if _both_signs(whole.loc[dataset]):
            named.append(dataset)
        elif over and rival == ALL:
            named.append(f"{dataset} (over {len(over)} of {part.index.unique('rival').size} rivals)")
    return named


def _whole(turning):
    """The data sets among `turns` on which the mean over all rivals turns."""
    return [name for name in turning if "(over" not in name]


def _both_signs(means):
    return len(set(np.sign(means["printed"]) == np.sign(means["ours"]))) == 2


def answer(study: Any) -> tables.Points:
    """The answer, for the top of a paper's notebook."""
    will = f"`python -m mtclib verdicts --paper {study.paper}` will tell."
    told = sentences(study) if _is_known(study) else [will]
    heads = ledger.part(study.paper, "summary")["question"], WORDS["rivals"]
    return tables.Points(tuple(told), tuple((head, "index.ipynb") for head, _ in zip(heads, told)))


def forest(study: Any) -> plots.Picture:
    """Gain over each rival."""
    found = _table("gain_statistics").query("paper == @study.paper and rival != 'all' and sets > 0")
    return study.show(plots.forest(found), f"{study.paper}-gains", alt=WORDS["forest"])


def curve(study: Any) -> plots.Picture:
    """Gain of every printed table on each pipeline."""
    rows = _table("multiverse").query("paper == @study.paper")
    rival = ledger.part(study.paper, "summary")["rival"]
    rows = rows if rival == ALL else rows[rows["rival"] == rival]
    fig = plots.specification_curve(gains.curve(rows), WORDS["choices"])
    return study.show(fig, f"{study.paper}-pipelines", alt=WORDS["curve"])


def by_table(study):
    """The same for each printed table, folded."""
    found = _table("gain_statistics").query("paper == @study.paper and rival == 'all'")
    between = {name: [_between(*one) for one in found[[name, f"{name}_low", f"{name}_high"]].to_numpy()]
               for name in ("ratio", "tau")}
    best = [_say("best_ours", one) for _, one in found.iterrows()]
    of = {name: [_say(f"{name}_of", one) for _, one in found.iterrows()] for name in ("recurs", "first")}
    found = found.round(1).assign(**between, **of, best_ours=best, perfect_tau=found["perfect_tau"].round(2))
    cells = _table("verdicts").query("paper == @study.paper and counted")
    alike = {name: intervals.agreement(part["ours"], part["printed"])
             for name, part in [(ALL, cells[~cells["metric"].isin(RELATIVE)]), *cells.groupby("table")]}
    found = found.join(pd.DataFrame(alike).T.round({"cv": 1, "pearson": 2, "spearman": 2}), on="table")
    errs = _table("gain_errors").query("paper == @study.paper").set_index("rate")["found"]
    again = {name: errs[f"perfect_{name}"] for name in ("cv", "pearson")}
    notes = [_say("by_table", 100 * errs, golden=gains.GOLDEN, **again), study.told_pipelines()]
    return tables.frame_table(found, "Gains by printed table", WORDS["columns"], notes=notes,
                              folded="recurrence, sizes and rankings")


def _between(found, low, high):
    """A number with its interval over data sets, which one data set does not give."""
    return f"{found:.2f}" + ("" if np.isnan(low) else f" ({low:.2f} to {high:.2f})")


def row_verdicts(study):
    """Verdict on each row of the tables, folded."""
    digits = {"difference": 1, "rms": 1, "low": 1, "high": 1, "conformal_p": 2, "conformal_power": 2}
    found = _table("rows").query("paper == @study.paper").round(digits)
    shown = ("table", "dataset", "method", "cells", "difference", "low", "high", "rms", "verdict",
             *(("conformal_p", "conformal_power") if found["conformal_p"].notna().any() else ()))
    sets = _table("row_statistics").query("paper == @study.paper")
    between = [_say("between", one) for _, one in sets.iterrows()]
    errs = 100 * _table("gain_errors").query("paper == @study.paper").set_index("rate")[["nominal", "found"]]
    covered = errs.loc[errs.index.str.startswith("between_interval"), "found"].mean()
    conformal = _say("conformal", errs.loc["conformal"]) if "conformal" in errs.index else ""
    note = _say("rows", between="; ".join(between), covered=f"{covered:.0f}", conformal=conformal)
    notes = [note, study.told_pipelines()]
    return tables.frame_table(found, "Rows", {name: name for name in shown}, "verdict", notes,
                              folded=f"{len(found)} rows judged as wholes: {tables.tally(found['verdict'])}")


def _in_words(pipeline):
    choices = (WORDS["choices"].get(one, one) for one in pipeline.split(", "))
    return f'"{", ".join(choices)}"'


def summary(studies):
    """One row a paper: claim, gains, recurrence, range and answer, as records by `HEADS`."""
    behind = _table("gains").groupby("paper")["pipeline"].unique().map(list)
    for study in studies:
        known, asked = ledger.findings(study.paper), ledger.part(study.paper, "summary")
        found, best = line(study.paper, asked["rival"]), line(study.paper)
        turning = turns(study.paper, asked["rival"])
        whole = _whole(turning)
        said, short = _answered(found, best, whole), study.numbers.fill(asked.get("short", ""))
        names = ", ".join(name for name, _ in left_out(study.paper, asked["rival"]))
        said = short + _say("said", found, word=said[0].lower() + said[1:] if short else said,
                            without=_say("said_without", names=names) if names else "")
        said += _say("turns", turning=len(whole), sure=surely(study.paper, asked["rival"])) if turning else ""
        said += _say("turns_over_some", turning=len(turning) - len(whole)) if turning != whole else ""
        said += _say("over_best", best) if best["best_ours"] != best["ours"] else ""
        more = {"said": said, "paper": known["name"], "claim": asked["claim"],
                "pipelines_of": ", ".join(map(_in_words, behind[study.paper]))}
        yield {head: _say(name, found, **more) for name, head in WORDS["heads"].items()}
