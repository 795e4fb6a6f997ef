"""All papers at a glance, from committed files only: the front page of the README and the first notebook."""

import io
import re
from functools import cache

import numpy as np
import pandas as pd

from mtclib.companion import plots, tables
from mtclib.companion.comparison import advice, methods
from mtclib.companion.comparison.sources import KINDS
from mtclib.companion.papers import answers, in_order, position, study_of
from mtclib.companion.papers.mtcmrl import BY_LABELS
from mtclib.companion.papers.study import show
from mtclib.companion.verdicts import chance, errors, gains, intervals, judge, ledger, reruns, rows
from mtclib.core import paths

START, END = "<!-- scoreboard: written by python -m mtclib scoreboard -->", "<!-- /scoreboard -->"
STATUSES = ("holds", "fails", "undecided", "not testable")
WORDS = paths.beside(__package__, "scoreboard.toml")
SHOWN = ("counted", "agreeing", "ceiling", "undecided", "deviating")
FILED, ROUNDED = WORDS["filed"], WORDS["rounded"]


@cache
def all_verdicts():
    """Every printed cell of every paper with its verdict, as ``python -m mtclib verdicts`` found them."""
    text = {"dtype": dict.fromkeys(["table", "task", "cause", "as_printed"], str), "keep_default_na": False,
            "na_values": {name: [""] for name in ("printed_n", *ROUNDED)}}
    frame = pd.read_csv(paths.data_dir() / "verdicts.csv", **text)
    return frame.assign(kind=frame["own"].mask(frame["reconstruction"] == "yes", "reconstruction"))


@cache
def judged(paper):
    """The same of one paper, as from ``judge``; ``verdict_before`` is that on the pipeline fixed before."""
    before = study_of(paper).numbers.judged("fixed").set_index("cell")["verdict"]
    frame = study_of(paper).all_verdicts()
    return frame.assign(verdict_before=frame["cell"].map(before))


def outcomes(paper):
    """Outcome of each claim of a paper, as ``python -m mtclib scoreboard`` last found them."""
    return pd.read_csv(paths.results_dir(paper) / "claims.csv", dtype=str, keep_default_na=False)


def by_paper(frame):
    """Counted cells of each paper's own method, and of the others."""
    methods = np.where(frame["kind"] == "own", "its own", "the others")
    counts = judge.verdict_counts(frame.assign(methods=methods), ["paper", "methods"])
    return counts.loc[sorted(counts.index, key=lambda line: position(line[0])), list(SHOWN)]


def board():
    """The scoreboard in two lines for each paper: its own method, and those that it compares with."""
    verdicts = all_verdicts()
    counts = by_paper(verdicts).round().astype(int)
    names = {paper: "{name}, {venue}".format(**ledger.findings(paper)) for paper in in_order()}
    table = tables.frame_table(counts.rename(index=names), f"The {len(verdicts):,} printed numbers",
                               WORDS["board"], notes=[WORDS["counted"], unknown_split(verdicts)],
                               folded=WORDS["told"].format(**counts.sum()))
    return tables.linked(table, [printed_on(paper) for paper, _ in counts.index])


def printed_on(paper):
    """Where the notebook of a paper shows its printed numbers: below the first heading that names tables."""
    text = (paths.root() / "notebooks" / f"{paper}.ipynb").read_text(encoding="utf-8")
    found = re.search(r'"#+ (Tables? \d[^"\\]*)', text)
    place = found and re.sub(r"[^\w -]", "", found[1].lower()).replace(" ", "-")
    return f"{paper}.ipynb#{place}" if place else f"{paper}.ipynb"


def picture():
    """Every printed number as a square, drawn."""
    verdicts = all_verdicts()
    fig = plots.scoreboard(verdicts.replace({"dataset": BY_LABELS}), heads(by_paper(verdicts)))
    return show(fig, "scoreboard", "notebooks/index.ipynb", alt=WORDS["picture"])


def recommendation():
    """Which method to take, for many tasks and for many views."""
    return tables.Points(tuple(map(advice.answer, KINDS)),
                         tuple((f"Many {kind}", "comparison.ipynb") for kind in KINDS))


def in_detail():
    """Causes, error rates of the rule, reproducibility, sentences and costs, each folded."""
    verdicts = all_verdicts()
    wrong = pd.read_csv(paths.data_dir() / "verdict_errors.csv")
    shown = (("By cause", causes(verdicts), "cells that are higher or lower than printed, counted or not"),
             ("How sure is a verdict?", wrong, "error rates of the rule on simulated papers"),
             ("Reproducibility", quantified(verdicts), "CV*, correlations and findings of each paper"),
             ("Printed numbers that shuffled labels score", by_chance(verdicts), "those in their 95 % band"),
             ("Sentences and costs", claims_and_costs(), "claims by outcome, the audit, fits and hours"))
    notes = {"Reproducibility": (over_all_rivals(),)}
    return tables.Tables(tuple(tables.frame_table(
        frame, caption, WORDS["rates"] if frame is wrong else None, folded=line, notes=notes.get(caption, ()))
        for caption, frame, line in shown))


def over_all_rivals():
    """Why more gains are counted over all rivals than in the summary of findings, in a sentence."""
    papers = in_order()
    claimed = [answers.line(paper, ledger.part(paper, "summary")["rival"]) for paper in papers]
    counts = {"all": sum(answers.line(paper)["gains"] for paper in papers),
              "claimed": sum(line["gains"] for line in claimed)}
    return WORDS["over_all_rivals"].format(**counts)


def quantified(frame):
    """Reproducibility of each paper as by Belz, Thomson, Reiter and Mille (2023): of single scores by CV*, of
    sets of scores by correlations, of findings by the printed gains that recur in sign."""
    cells = frame[frame["counted"] & ~frame["metric"].isin(intervals.RELATIVE)]
    alike = {paper: intervals.agreement(part["ours"], part["printed"])
             for paper, part in cells.groupby("paper")}
    table = pd.DataFrame(alike).T.set_axis(["mean CV*, %", "Pearson's r", "Spearman's rho"], axis=1)
    findings = ["{recurs:.0f} of {gains:.0f}".format(**answers.line(paper)) for paper in table.index]
    return table.round(2).assign(**{"gains that recur": findings}).loc[in_order()].rename_axis("paper")


def claims_and_costs():
    """One line per paper: its sentences by outcome, what the audit of its tables finds, and what it cost."""
    names = in_order()
    sentences = [ledger.outcomes_of_sentences(paper, outcomes(paper))["status"] for paper in names]
    counts = [found.value_counts().reindex(list(STATUSES), fill_value=0) for found in sentences]
    table = pd.DataFrame(counts, index=pd.Index(names, name="paper"))
    table["findings of the audit"] = [len(study_of(paper).audit) for paper in names]
    return table.join(methods.full_profiles(names).set_index("paper")[["fits", "hours"]].round(1))


def by_chance(frame):
    """Printed numbers in the band of shuffled labels, by data set: how many, of how many, and whose."""
    known = frame[frame["chance"].notna()]
    inside = known["in_band"].astype(bool)
    keys = ["paper", "dataset"]
    counts = inside.groupby([known[name] for name in keys]).agg(["sum", "size"])
    methods = known[inside].groupby(keys)["method"].unique().map(", ".join)
    table = counts.assign(methods=methods).set_axis(["in the band", "of", "methods"], axis=1)
    return table[table["in the band"] > 0].sort_values("in the band", ascending=False)


def causes(frame):
    """Why cells deviate: number of cells higher or lower than printed, by cause and paper."""
    deviating = frame[frame["verdict"].isin(["higher", "lower"])]
    table = pd.crosstab(deviating["cause"], deviating["paper"])
    rows = [cause for cause in judge.CAUSES if cause in table.index]
    return table.reindex(rows)[sorted(table, key=position)]


def unknown_split(frame):
    """How much of "undecided" was an unknown split of the data, where the authors have released theirs."""
    known, told = frame[(frame["pipeline"] == "released") & frame["counted"]], []
    for paper, cells in known.groupby("paper", sort=False):
        own = cells["own"] == "own"
        before, now = (cells[name] == "inconclusive" for name in ("verdict_before", "verdict"))
        told.append(WORDS["split"].format(
            cells=len(cells), name=ledger.findings(paper)["name"], own=own.sum(), before=before.sum(),
            own_before=(before & own).sum(), now=now.sum(), own_now=(now & own).sum()))
    return " ".join(told)


def heads(table):
    """Headings for the picture: name of each paper, and its cells that agree, are undecided and deviate."""
    found = {}
    for paper, lines in table.groupby("paper", sort=False):
        own, others = map("{agreeing} / {undecided} / {deviating}".format_map, lines.to_dict("records"))
        found[paper] = f"{ledger.findings(paper)['name']}\nown {own}, others {others}"
    return found


def came_out():
    """What came of all printed numbers, in sentences."""
    verdicts = all_verdicts()
    sums = by_paper(verdicts)[list(SHOWN)].sum().round().astype(int)
    found = causes(verdicts[verdicts["counted"]]).sum(axis=1).sort_values(ascending=False, kind="stable")
    told = {"causes": ", ".join(f"{cause} ({n})" for cause, n in found[:3].items()),
            "others": found[3:].sum(), "all": len(verdicts), "rest": len(verdicts) - sums["counted"]}
    return WORDS["came_out"].format(**told, **sums)


def summary():
    """The summary of findings: a row for each paper."""
    names = in_order()
    table = tables.frame_table(answers.summary(map(study_of, names)), "Does the method win?",
                               notes=[WORDS["summary"]])
    return tables.linked(table, [f"{paper}.ipynb" for paper in names])


def front_page():
    """The front page of the README: the summary of findings, as markdown."""
    lines = [START, "", f"| {' | '.join(answers.HEADS)} |", f"|{'---|' * len(answers.HEADS)}"]
    names = in_order()
    for paper, line in zip(names, answers.summary(map(study_of, names))):
        claim, *others = line.values()
        name, _, rest = claim.partition(":")
        lines.append(f"| {' | '.join([f'[{name}](notebooks/{paper}.ipynb):{rest}', *others])} |")
    return "\n".join([*lines, "", WORDS["summary"], "", came_out(), "", END])


def write(papers):
    """Write the committed outcomes of the claims of some papers and the front page of the README; return the
    files. The picture is that of ``notebooks/index.ipynb``, drawn when its outputs are stored."""
    written = []
    for paper in papers:
        outcomes = study_of(paper).outcomes()[["id", "place", "quote", "status", "counts", "p", "pipeline"]]
        written.append(paths.results_dir(paper) / "claims.csv")
        outcomes.to_csv(written[-1], index=False, lineterminator="\n", float_format="%.4g")
    readme = paths.root() / "README.md"
    text = readme.read_text(encoding="utf-8")
    if START not in text or END not in text:
        raise ValueError(f"README.md needs the lines {START!r} and {END!r} around its scoreboard")
    before, after = text.partition(START)[0], text.partition(END)[2]
    readme.write_text(before + front_page() + after, encoding="utf-8")
    return [*written, readme]


def verdict_file(papers):
    """Every printed cell as in ``data/verdicts.csv``, a row each, so that anyone can count differently: the
    number as printed, then all in one unit, fractions for proportions. ``cv`` is CV* of print and ours."""
    frame = pd.concat(map(judged, papers), ignore_index=True)
    named = {"printed_mean": "as_printed", "published": "printed", "published_std": "printed_sd",
             "published_n": "printed_n", "ours_std": "sd"}
    frame = frame.rename(columns=named).drop(columns="printed_std").assign(
        cv=intervals.coefficient_of_variation(frame[["published", "ours"]]),
        own=np.where(frame["kind"] == "own", "own", "compared"),
        reconstruction=np.where(frame["kind"] == "reconstruction", "yes", "no"))
    frame = frame.astype({"n": float, "printed_n": float})  # whole where every cell of some papers has runs
    return frame[FILED].round(dict.fromkeys(ROUNDED, 6))


def gain_files(papers):
    """What `gains` and `rows` find of papers, a frame for each file below ``data/``."""
    names, found = ("gains", "multiverse", "gain_statistics", "rows", "row_statistics"), []
    for study in map(study_of, papers):
        sets, multiverse, lines = reruns.again(study), gains.multiverse(study), rows.rows(study)
        found.append((pd.concat([one.frame for one in sets])[list(gains.COLUMNS)], multiverse,
                      gains.statistics(sets, multiverse), lines, rows.between_sets(lines)))
    return {name: pd.concat(parts, ignore_index=True) for name, parts in zip(names, zip(*found))}


def write_verdicts(papers, errors_too=False):
    """Write the lines of some papers in ``data/chance.csv``, ``data/verdicts.csv`` and what follows from
    gains and rows, and if wanted the error rates, which take minutes; return the files."""
    studies = list(map(study_of, papers))
    known = chance.load().to_dict("records")
    shuffled = [row for study in studies for row in chance.rows(study, known)]
    written = [_write("chance", papers, pd.DataFrame(shuffled, columns=chance.COLUMNS)),
               _write("verdicts", papers, verdict_file(papers)),
               *(_write(name, papers, table, "%.6g") for name, table in gain_files(papers).items())]
    if errors_too:
        of_gains = pd.concat([rates(study) for study in studies for rates in (reruns.rates, rows.rates)])
        written += [_write("verdict_errors", papers, errors.table(studies)),
                    _write("gain_errors", papers, of_gains, "%.6g")]
    return written


def _write(name, papers, table, digits=None):
    """Put the lines of `papers` into a file below ``data/``; those of the others stay."""
    path, as_text = paths.data_dir() / f"{name}.csv", {"dtype": str, "keep_default_na": False}
    new = pd.read_csv(io.StringIO(table.to_csv(index=False, float_format=digits)), **as_text)
    old = pd.read_csv(path, **as_text)
    both = pd.concat([new, old[old["paper"].isin(set(in_order()) - set(papers))]])
    both = both.sort_values("paper", key=lambda names: names.map(position), kind="stable")
    both.to_csv(path, index=False, lineterminator="\n")
    return path
