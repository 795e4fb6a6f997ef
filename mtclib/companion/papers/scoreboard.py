"""All papers at a glance, from committed files only: the front page of the README and the first notebook."""

from functools import cache

import pandas as pd

from mtclib.companion.comparison import comparison
from mtclib.companion.comparison.comparison import Comparison
from mtclib.companion.papers.study import Study
from mtclib.companion.verdicts import judge
from mtclib.companion.verdicts.intervals import RELATIVE
from mtclib.companion.verdicts.ledger import MOST_LETTERS, LedgerError
from mtclib.core import paths

START, END = "<!-- scoreboard: written by python -m mtclib scoreboard -->", "<!-- /scoreboard -->"
ORDER = ("spmtc", "mspl", "mbc", "mtcmrl", "lmsc")
TESTED = ("holds", "fails", "undecided")


@cache
def _study(paper):
    """One study of each paper: its results are read, and judged, once."""
    return Study(paper)


def _ordered(names):
    """Papers in the order of the page; further ones last."""
    return [*(name for name in ORDER if name in names), *(name for name in names if name not in ORDER)]


def all_verdicts():
    """Every printed cell of every paper with its verdict, as from ``judge``."""
    return pd.concat([_study(paper).all_verdicts() for paper in paths.papers()], ignore_index=True)


def claims(paper):
    """Outcome of each claim of a paper, as ``python -m mtclib scoreboard`` last found them."""
    return pd.read_csv(_claims_file(paper), dtype=str, keep_default_na=False)


def _claims_file(paper):
    return paths.results_dir(paper) / "claims.csv"


def findings(paper):
    """What a reader must know of a paper, with its numbers; the first is short enough for the README."""
    known = _study(paper).findings
    if len(known["finding"][0]["short"]) > MOST_LETTERS:
        raise LedgerError(f"{paper}: 'short' of the first finding has more than {MOST_LETTERS} letters")
    return known


def by_paper(frame):
    """One line per paper: cells by verdict, claims, what the audit of its tables finds, and what it cost."""
    counts = judge.verdict_counts(frame, ["paper"])
    counts = counts.loc[_ordered(counts.index)]
    shown = counts[["cells", "judged", "agreeing", "higher", "lower", "inconclusive", "misprint",
                    "unavailable"]]
    tested = {paper: claims(paper)["status"] for paper in counts.index}
    costs = {paper: _cost(paper) for paper in counts.index}
    return shown.assign(**{
        "claims tested": [int(tested[paper].isin(TESTED).sum()) for paper in counts.index],
        "claims that hold": [int((tested[paper] == "holds").sum()) for paper in counts.index],
        "findings of the audit": [len(_study(paper).audit) for paper in counts.index],
        "fits": [costs[paper][0] for paper in counts.index],
        "hours": [round(costs[paper][1], 1) for paper in counts.index]})


def _cost(paper):
    jobs = pd.read_csv(paths.results_dir(paper) / "jobs.csv.gz", usecols=["key", "seconds"])
    jobs = jobs.drop_duplicates("key")
    return len(jobs), jobs["seconds"].sum() / 3600


def by_table(frame):
    """Agreement by paper and printed table.

    Counts as in ``judge.verdict_counts``, and ``distance``: the mean absolute difference from print of the
    judged scores, in points (d_M, which has no scale, is left out).
    """
    counts = judge.verdict_counts(frame, ["paper", "table"])
    counts = counts.loc[_ordered(counts.index.unique("paper"))]
    scores = frame[frame["verdict"].isin(judge.JUDGED) & ~frame["metric"].isin(RELATIVE)]
    distance = 100 * scores["difference"].abs().groupby([scores["paper"], scores["table"]]).mean()
    shown = counts[["cells", "judged", "agreeing", "higher", "lower", "inconclusive", "misprint"]]
    return shown.assign(distance=distance.round(1))


def causes(frame):
    """Why cells deviate: number of cells higher or lower than printed, by cause and paper."""
    deviating = frame[frame["verdict"].isin(["higher", "lower"])]
    table = pd.crosstab(deviating["cause"], deviating["paper"])
    rows = [cause for cause in judge.CAUSES if cause in table.index]
    return table.reindex(rows)[_ordered(table)]


def heads(table):
    """Headings for the picture: name of each paper, cells that agree and claims that hold."""
    lines = table.to_dict("index")
    return {paper: f"{findings(paper)['name']}\n{_score(line)}" for paper, line in lines.items()}


def _score(line):
    return (f"{line['agreeing']} of {line['judged']} cells agree,"
            f" {line['claims that hold']} of {line['claims tested']} claims hold")


def front_page(table):
    """The scoreboard of the README: picture and one line per paper of `by_paper`, as markdown."""
    lines = [START, "", "![Verdict on every printed number of the five papers](figures/scoreboard.png)", "",
             "| paper | numbers that agree | claims that hold | what to know |", "|---|---|---|---|"]
    for paper, line in table.to_dict("index").items():
        known = findings(paper)
        lines.append(f"| [{known['name']}](notebooks/{paper}.ipynb), {known['venue']} "
                     f"| {line['agreeing']} of {line['judged']} "
                     f"| {line['claims that hold']} of {line['claims tested']} "
                     f"| {known['finding'][0]['short']} |")
    return "\n".join([*lines, "", *_which_to_take(), "", END])


def _which_to_take():
    """The answers of the comparison, as ``notebooks/comparison.ipynb`` gives them."""
    lines = ["**Which method should I take?** On all data sets of a kind, at one preprocessing and fixed",
             "defaults ([comparison](notebooks/comparison.ipynb)):", ""]
    for kind, noun in (("multitask", "Many tasks"), ("multiview", "Many views")):
        lines.append(f"- {noun}: {comparison.answer(Comparison(kind))}")
    return lines


def write(claims_too=True):
    """Write the committed outcomes of the claims and the front page of the README; return the files.

    The picture is that of ``notebooks/index.ipynb``, drawn when its outputs are stored.  Testing the claims
    anew takes a minute or more.
    """
    written = [_write_claims(paper) for paper in _ordered(paths.papers())] if claims_too else []
    table = by_paper(all_verdicts())
    readme = paths.root() / "README.md"
    text = readme.read_text(encoding="utf-8")
    if START not in text or END not in text:
        raise ValueError(f"README.md needs the lines {START!r} and {END!r} around its scoreboard")
    before, after = text.partition(START)[0], text.partition(END)[2]
    readme.write_text(before + front_page(table) + after, encoding="utf-8")
    return [*written, readme]


def _write_claims(paper):
    path = _claims_file(paper)
    path.parent.mkdir(parents=True, exist_ok=True)
    table = _study(paper).outcomes()[["id", "place", "quote", "status", "counts"]]
    table.to_csv(path, index=False, lineterminator="\n")
    return path
