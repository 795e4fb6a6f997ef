"""All papers at a glance, from committed files only: the front page of the README and the first notebook."""

from functools import cache

import numpy as np
import pandas as pd

from mtclib.companion import plots, tables
from mtclib.companion.comparison import advice
from mtclib.companion.papers.study import Study, show
from mtclib.companion.verdicts import chance, errors, judge, ledger
from mtclib.companion.verdicts.intervals import RELATIVE
from mtclib.companion.verdicts.ledger import MOST_LETTERS, LedgerError
from mtclib.core import paths

START, END = "<!-- scoreboard: written by python -m mtclib scoreboard -->", "<!-- /scoreboard -->"
ORDER = ("spmtc", "mspl", "mbc", "mtcmrl", "lmsc")
STATUSES = ("holds", "fails", "undecided", "not testable")
LINES = {"own": "the paper's own", "compared": "compared", "reconstruction": "reconstructed by us"}
HEADER = ("paper", "methods", "numbers that agree / are undecided / deviate",
          "a perfect re-run would agree in", "pipeline",
          "claims that hold / fail / are undecided / not testable", "what to know")
BOARD = {"paper": "paper", "methods": "methods", "counted": "counted", "ceiling": "could agree",
         "agreeing": "agree", "undecided": "undecided", "deviating": "deviate"}  # fmt: skip
SHOWN = ("counted", "agreeing", "ceiling", "undecided", "deviating")
ROUNDED = ("ours", "sd", "difference", "relative_difference", "selection", "low", "high", "radius",
           "expected", *chance.SCORES)
FILED = ("paper", "table", "dataset", "task", "method", "own", "reconstruction", "metric", "printed",
         "printed_sd", "printed_n", "ours", "sd", "n", "difference", "relative_difference", "uncertainty",
         "selection", "low", "high", "delta", "verdict", "radius", "within_prediction", "expected",
         "pipeline", "source", "calibration", "counted", "cause", *chance.SCORES, "in_band")


@cache
def _study(paper):
    """One study of each paper: its results are read, and judged, once."""
    return Study(paper)


def _ordered(names):
    """Papers in the order of the page; further ones last."""
    return [*(name for name in ORDER if name in names), *(name for name in names if name not in ORDER)]


@cache
def all_verdicts():
    """Every printed cell of every paper with its verdict, as ``python -m mtclib verdicts`` found them."""
    text = {"dtype": {"table": str, "task": str, "cause": str}, "keep_default_na": False, "na_values": {
        name: [""] for name in ("printed", "printed_sd", "printed_n", *ROUNDED)}}
    frame = pd.read_csv(paths.data_dir() / "verdicts.csv", **text)
    return frame.assign(kind=frame["own"].mask(frame["reconstruction"] == "yes", "reconstruction"))


@cache
def judged():
    """The same from the committed results, as from ``judge``."""
    return pd.concat([_study(paper).all_verdicts() for paper in paths.papers()], ignore_index=True)


def claims(paper):
    """Outcome of each claim of a paper, as ``python -m mtclib scoreboard`` last found them."""
    return pd.read_csv(paths.results_dir(paper) / "claims.csv", dtype=str, keep_default_na=False)


def headline(paper):
    """The first finding of a paper in short, with its numbers."""
    short = _study(paper).numbers.fill(ledger.findings(paper)["finding"][0]["short"])
    if len(short) > MOST_LETTERS:
        raise LedgerError(f"{paper}: more than {MOST_LETTERS} letters: {short!r}")
    return short


def by_paper(frame):
    """Counted cells of each paper's own method, of compared ones and of reconstructions of those. Columns as
    in ``judge.verdict_counts``, and which ``pipeline`` they come from."""
    frame = frame.assign(methods=frame["kind"].map(LINES))
    counts = judge.verdict_counts(frame, ["paper", "methods"])
    found = frame.groupby(["paper", "methods"])["pipeline"].unique().map(", ".join)
    lines = [(paper, line) for paper in _ordered(frame["paper"].unique()) for line in LINES.values()
             if (paper, line) in counts.index]
    return counts[[*SHOWN, "misprint", "unavailable"]].assign(pipeline=found).loc[lines]


def board():
    """The scoreboard in two lines for each paper: its own method, and those that it compares with."""
    verdicts = all_verdicts()
    counts = by_paper(verdicts).drop(columns="pipeline").reset_index()
    own = counts["methods"] == LINES["own"]
    counts = counts.assign(methods=np.where(own, "its own", "the others"))
    counts = counts.groupby(["paper", "methods"], sort=False).sum().reset_index()
    names = {paper: "{name}, {venue}".format(**ledger.findings(paper)) for paper in ORDER}
    counts = counts.assign(paper=counts["paper"].map(names), ceiling=counts["ceiling"].round().astype(int))
    note = ("Counted are numbers with a verdict, without misprints and averages. Could agree: in so many a "
            "perfect re-run, the same experiment with other random starts, would be expected to agree.")
    sums = counts[list(SHOWN)].sum()
    told = ("{agreeing} agree, {undecided} are undecided, {deviating} deviate; a perfect re-run would be "
            "expected to agree in {ceiling}").format(**sums)
    caption = f"The {len(verdicts):,} printed numbers"
    return tables.frame_table(counts, caption, BOARD, notes=[note], folded=told)


def picture():
    """Every printed number as a square, drawn."""
    verdicts = all_verdicts()
    alt = ("Five panels, one for each paper: a row for every method, a square for every printed number, with "
           "the colour and the symbol of its verdict. The legend counts them.")
    return show(plots.scoreboard(verdicts, heads(by_paper(verdicts))), "scoreboard", "notebooks/index.ipynb",
                alt=alt)


def headlines():
    """The first finding of each paper, in short."""
    papers = _ordered(paths.papers())
    return tables.Points(tuple(map(headline, papers)),
                         tuple((ledger.findings(paper)["name"], f"{paper}.ipynb") for paper in papers))


def recommendation():
    """Which method to take, for many tasks and for many views."""
    return tables.Points(tuple(map(advice.answer, advice.ROWS)),
                         tuple((f"Many {kind}", "comparison.ipynb") for kind in advice.ROWS))


RATES = {"paper": "paper", "kind": "methods", "cells": "cells", "agreeing": "agree", "undecided": "undecided",
         "expected": "could agree", "false_deviating": "falsely deviate", "false_agreeing": "falsely agree",
         "worst_deviating": "worst cell: deviates", "worst_agreeing": "worst cell: agrees"}


def in_detail():
    """Agreement by printed table, causes, error rates of the rule, sentences and costs, each folded."""
    verdicts = all_verdicts()
    wrong = pd.read_csv(paths.data_dir() / "verdict_errors.csv")
    shown = (("By printed table", by_table(verdicts), "agreement, and distance in points"),
             ("By cause", causes(verdicts), "cells that are higher or lower than printed"),
             ("How sure is a verdict?", wrong, "error rates of the rule on simulated papers"),
             ("Printed numbers that shuffled labels score", by_chance(verdicts), "those in their 95 % band"),
             ("Sentences and costs", claims_and_costs(), "claims by outcome, the audit, fits and hours"))
    return tables.Tables(tuple(
        tables.frame_table(frame, caption, RATES if frame is wrong else None, folded=line)
        for caption, frame, line in shown))


def sentences(paper):
    """Outcome of each sentence of a paper, one of `STATUSES`. Parts of a sentence, as its measures or data
    sets, are claims of their own. It fails with one of them, holds with all, and is undecided otherwise;
    parts that cannot be tested do not matter beside others."""
    known = {entry["id"]: ledger.sentence_of(entry) for entry in ledger.claims(paper)}
    outcomes = claims(paper).set_index("id")["status"]
    return outcomes.groupby(outcomes.index.map(known), sort=False).agg(_together)


def _together(parts):
    found = (status for status in ("fails", "undecided", "holds") if (parts == status).any())
    return next(found, STATUSES[-1])


def claims_and_costs():
    """One line per paper: its sentences by outcome, what the audit of its tables finds, and what it cost."""
    names = _ordered(paths.papers())
    counts = [sentences(paper).value_counts().reindex(list(STATUSES), fill_value=0) for paper in names]
    jobs = [pd.read_csv(paths.results_dir(paper) / "jobs.csv.xz", usecols=["key", "seconds"])
            .drop_duplicates("key")["seconds"] for paper in names]
    table = pd.DataFrame(counts, index=pd.Index(names, name="paper"))
    return table.assign(**{
        "findings of the audit": [len(_study(paper).audit) for paper in names],
        "fits": [len(seconds) for seconds in jobs],
        "hours": [round(seconds.sum() / 3600, 1) for seconds in jobs]})


def by_table(frame):
    """Agreement by paper and printed table. Counts as in ``judge.verdict_counts``, and ``distance``: the mean
    absolute difference from print of the counted scores, in points (d_M, which has no scale, is left out)."""
    counts = judge.verdict_counts(frame, ["paper", "table"])
    counts = counts.loc[_ordered(counts.index.unique("paper"))]
    scores = frame[frame["counted"] & ~frame["metric"].isin(RELATIVE)]
    distance = 100 * scores["difference"].abs().groupby([scores["paper"], scores["table"]]).mean()
    shown = counts[["cells", *SHOWN[:-1], "higher", "lower", "misprint"]]
    return shown.assign(distance=distance.round(1))


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
    return table.reindex(rows)[_ordered(table)]


def heads(table):
    """Headings for the picture: name of each paper, and its cells that agree, are undecided and deviate."""
    found = {}
    for paper, lines in table.groupby("paper", sort=False):
        own = lines.index.get_level_values("methods") == LINES["own"]
        found[paper] = (f"{ledger.findings(paper)['name']}\nown {_split(lines[own].sum())}, "
                        f"others {_split(lines[~own].sum())}")
    return found


def _split(line):
    return f"{line['agreeing']} / {line['undecided']} / {line['deviating']}"


def front_page(table):
    """The scoreboard of the README: picture and the lines of `by_paper`, as markdown."""
    lines = [START, "", "![Verdict on every printed number of the five papers](figures/scoreboard.png)", "",
             f"| {' | '.join(HEADER)} |", f"|{'---|' * len(HEADER)}"]
    for (paper, methods), line in table.iterrows():
        name, told = ("", ("", ""))
        if methods == LINES["own"]:
            known, outcomes = ledger.findings(paper), sentences(paper).value_counts()
            name = f"[{known['name']}](notebooks/{paper}.ipynb), {known['venue']}"
            told = (" / ".join(str(outcomes.get(status, 0)) for status in STATUSES),
                    headline(paper))
        ceiling = f"{line['ceiling']:.0f} of {line['counted']}"
        cells = (name, methods, _split(line), ceiling, line["pipeline"], *told)
        lines.append(f"| {' | '.join(cells)} |")
    asked = ("## Which method should I take?\n\n"
             "All methods ran at their defaults, with independent sources as the units\n"
             "([comparison](notebooks/comparison.ipynb), with a table for each kind of data).")
    return "\n".join([*lines, "", asked, "", recommendation().text, "", END])


def write(claims_too=True):
    """Write the committed outcomes of the claims and the front page of the README; return the files. The
    picture is that of ``notebooks/index.ipynb``, drawn when its outputs are stored. Testing the claims anew
    takes a minute or more."""
    written = []
    for paper in _ordered(paths.papers()) if claims_too else ():
        outcomes = _study(paper).outcomes()[["id", "place", "quote", "status", "counts"]]
        written.append(paths.results_dir(paper) / "claims.csv")
        outcomes.to_csv(written[-1], index=False, lineterminator="\n")
    table = by_paper(all_verdicts())
    readme = paths.root() / "README.md"
    text = readme.read_text(encoding="utf-8")
    if START not in text or END not in text:
        raise ValueError(f"README.md needs the lines {START!r} and {END!r} around its scoreboard")
    before, after = text.partition(START)[0], text.partition(END)[2]
    readme.write_text(before + front_page(table) + after, encoding="utf-8")
    return [*written, readme]


def verdict_file():
    """Every printed cell as in ``data/verdicts.csv``, a row each, so that anyone can count differently."""
    frame = judged()
    named = {"printed_mean": "printed", "printed_std": "printed_sd", "published_n": "printed_n",
             "ours_std": "sd"}
    frame = frame.rename(columns=named).assign(
        own=np.where(frame["kind"] == "own", "own", "compared"),
        reconstruction=np.where(frame["kind"] == "reconstruction", "yes", "no"))
    return frame[list(FILED)].round(dict.fromkeys(ROUNDED, 6))


def write_verdicts(errors_too=False):
    """Write ``data/chance.csv``, ``data/verdicts.csv`` and, which takes minutes, ``data/verdict_errors.csv``;
    return the files."""
    known = chance.load().to_dict("records")
    found = [row for paper in _ordered(paths.papers()) for row in chance.rows(_study(paper), known)]
    tables = {"chance": lambda: pd.DataFrame(found, columns=chance.COLUMNS), "verdicts": verdict_file}
    if errors_too:
        tables["verdict_errors"] = lambda: errors.table([_study(paper) for paper in _ordered(paths.papers())])
    files = {paths.data_dir() / f"{name}.csv": table for name, table in tables.items()}
    for path, table in files.items():
        table().to_csv(path, index=False, lineterminator="\n")
    return list(files)
