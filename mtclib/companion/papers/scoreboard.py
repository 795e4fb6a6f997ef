"""All papers at a glance, from committed files only: the front page of the README and the first notebook."""

import pandas as pd

from mtclib.companion.comparison import comparison
from mtclib.companion.comparison.comparison import Comparison
from mtclib.companion.papers.study import NOT_YET, Study
from mtclib.companion.runs import papers
from mtclib.companion.runs.results import COLUMNS
from mtclib.companion.verdicts import audit, judge, published
from mtclib.companion.verdicts.intervals import RELATIVE
from mtclib.companion.verdicts.ledger import findings
from mtclib.core import paths

START, END = "<!-- scoreboard: written by python -m mtclib scoreboard -->", "<!-- /scoreboard -->"
ORDER = ("spmtc", "mspl", "mbc", "mtcmrl", "lmsc")
TESTED = ("holds", "fails", "undecided")


def _ordered(names):
    """Papers in the order of the page; further ones last."""
    return [*(name for name in ORDER if name in names), *(name for name in names if name not in ORDER)]


def all_verdicts():
    """Every printed cell of every paper with its verdict.

    Returns
    -------
    DataFrame
        As from ``mtclib.companion.verdicts.judge.judge``; papers without a protocol are "not-run" throughout.
    """
    return pd.concat([_verdicts(paper) for paper in published.papers()], ignore_index=True)


def _verdicts(paper):
    if paper in papers.papers():
        return Study(paper).all_verdicts()
    cells = published.load(paper)
    reasons = {dataset: NOT_YET for dataset in cells["dataset"].unique()}
    return judge.judge(cells, pd.DataFrame(columns=list(COLUMNS)), profile="full", not_run=reasons)


def claims(paper):
    """Outcome of each claim of a paper, as ``python -m mtclib scoreboard`` last found them.

    Parameters
    ----------
    paper : str

    Returns
    -------
    DataFrame
        ``id, place, quote, status, counts``; the paper's notebook tests the claims anew, and a test compares.

    Examples
    --------
    >>> set(claims("mbc")["status"]) <= set(TESTED)
    True
    """
    return pd.read_csv(_claims_file(paper), dtype=str, keep_default_na=False)


def _claims_file(paper):
    return paths.results_dir(paper) / "claims.csv"


def summary(frame):
    """One line a paper: cells by verdict, claims, what the audit of its tables finds, and what it cost.

    Parameters
    ----------
    frame : DataFrame
        From :func:`all_verdicts`.

    Returns
    -------
    DataFrame
        Index: paper.
    """
    counts = judge.summary(frame, ["paper"])
    counts = counts.loc[_ordered(counts.index)]
    shown = counts[["cells", "judged", "agreeing", "higher", "lower", "inconclusive", "misprint",
                    "unavailable"]]
    tested = {paper: claims(paper)["status"] for paper in counts.index}
    costs = {paper: _cost(paper) for paper in counts.index}
    return shown.assign(**{
        "claims tested": [int(tested[paper].isin(TESTED).sum()) for paper in counts.index],
        "claims that hold": [int((tested[paper] == "holds").sum()) for paper in counts.index],
        "findings of the audit": [len(_audit(paper)) for paper in counts.index],
        "fits": [costs[paper][0] for paper in counts.index],
        "hours": [round(costs[paper][1], 1) for paper in counts.index]})


def _cost(paper):
    jobs = pd.read_csv(paths.results_dir(paper) / "jobs.csv.gz", usecols=["key", "seconds"])
    jobs = jobs.drop_duplicates("key")
    return len(jobs), jobs["seconds"].sum() / 3600


def by_table(frame):
    """Agreement by printed table.

    Parameters
    ----------
    frame : DataFrame
        From :func:`all_verdicts`.

    Returns
    -------
    DataFrame
        Index: paper, table.  Counts as in ``mtclib.companion.verdicts.judge.summary``, and ``distance``: the
        mean absolute difference from print of the judged scores, in points (d_M, which has no scale, is left
        out).
    """
    counts = judge.summary(frame, ["paper", "table"])
    counts = counts.loc[_ordered(counts.index.unique("paper"))]
    scores = frame[frame["verdict"].isin(judge.JUDGED) & ~frame["metric"].isin(RELATIVE)]
    distance = 100 * scores["difference"].abs().groupby([scores["paper"], scores["table"]]).mean()
    shown = counts[["cells", "judged", "agreeing", "higher", "lower", "inconclusive", "misprint"]]
    return shown.assign(distance=distance.round(1))


def causes(frame):
    """Why cells deviate: number of cells higher or lower than printed, by paper and cause.

    Parameters
    ----------
    frame : DataFrame
        From :func:`all_verdicts`.

    Returns
    -------
    DataFrame
        Index: cause, in the order of ``mtclib.companion.verdicts.judge.CAUSES``; a column a paper.
    """
    deviating = frame[frame["verdict"].isin(["higher", "lower"])]
    table = pd.crosstab(deviating["cause"], deviating["paper"])
    rows = [cause for cause in judge.CAUSES if cause in table.index]
    return table.reindex(rows)[_ordered(table)]


def _audit(paper):
    if paper in papers.papers():
        return Study(paper).audit
    return audit.audit_tables(published.load(paper), class_sizes=published.class_sizes(paper))


def heads(table):
    """Headings for the picture: name of each paper, cells that agree and claims that hold.

    Parameters
    ----------
    table : DataFrame
        From :func:`summary`.

    Returns
    -------
    dict of str to str
    """
    lines = table.to_dict("index")
    return {paper: f"{findings(paper)['name']}\n{_score(line)}" for paper, line in lines.items()}


def _score(line):
    return (f"{line['agreeing']} of {line['judged']} cells agree,"
            f" {line['claims that hold']} of {line['claims tested']} claims hold")


def front_page(table):
    """The scoreboard of the README: picture and one line a paper, as markdown.

    Parameters
    ----------
    table : DataFrame
        From :func:`summary`.

    Returns
    -------
    str
    """
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
    """Write the committed outcomes of the claims and the front page of the README.

    The picture is that of ``notebooks/index.ipynb``, drawn when its outputs are stored.

    Parameters
    ----------
    claims_too : bool, default=True
        Test the claims anew; a minute or more.

    Returns
    -------
    list of pathlib.Path
        The files.

    Raises
    ------
    ValueError
        If the README has lost the marks between which its scoreboard stands.
    """
    written = [_write_claims(paper) for paper in _ordered(papers.papers())] if claims_too else []
    table = summary(all_verdicts())
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
    table = Study(paper).outcomes()[["id", "place", "quote", "status", "counts"]]
    table.to_csv(path, index=False, lineterminator="\n")
    return path
