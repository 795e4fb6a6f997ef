"""Every number in a sentence of the ledger is computed, printed by the paper, or needs neither.

Templates are computed from the committed results (`mtclib.companion.verdicts.numbers`); what is left after
them must be a name, a setting, a bound, or stand in the paper's own tables.
"""

import re
from functools import cache

import pytest

from mtclib.companion.papers import scoreboard
from mtclib.companion.papers.study import Study
from mtclib.companion.verdicts import ledger
from mtclib.companion.verdicts.numbers import TEMPLATE
from mtclib.core import paths

PAPERS = paths.papers()
NUMBER = re.compile(r"(?<![\w.])\.?\d[\d.,]*\d|(?<![\w.])\d")
# What needs no result: names and places, settings, bounds, and how many things were tried.
KINDS = (
    r"'[^']*'", r"\b[A-Z]\d+(?:\.\d+)?(?: (?:to|and) [A-Z]?\d+)?", r"NG20-\d", r"20 Newsgroups",
    r"\b(?:Tables?|Eq\.|Figures?|sections?|tasks?|views?) \(?\d[\d.]*\)?(?:(?:, | to | and )\d+)*",
    r"\b(?:lambda(?:_1)?|mu|alpha|beta|gamma|m|l|kappa|smoothness|diversity|scale)(?: = | of | from |,? )"
    r"(?:beta = )?\.?\d[\d./e-]*(?:(?:, | to | and | or )\.?\d[\d.]*)*",
    r"1/[2K]", r"\d+ %", r"\(\d+(?:, \d+)* %\)", r"1e-\d", r"threshold \d", r"factor 1/K",
    r"within (?:\d|five|three|four)(?: points)?", r"less than \d+", r"one to two", r"\[-1, 1\]",
    r"\b(?:[Oo]ne of |of )?\d+ (?:other )?(?:settings|choices|starts|runs|weightings|readings|splits|of)\b",
    r"all of the \d+ starts", r"[Oo]f \d+ settings", r"setting of \d+", r"(?:among|as|of) \d+\b",
    r"\d+ in all",
)  # fmt: skip
SPENT = re.compile("|".join(KINDS))
# Sentences on causes whose results are still typed: numbers of them that no template computes, by paper.
# They may only become fewer.
TYPED = {"spmtc": 0, "mspl": 30, "mbc": 2, "mtcmrl": 34, "lmsc": 67}


@cache
def study(paper):
    return Study(paper)


@cache
def printed(paper):
    """Every number in the paper's own tables, as text, in both units."""
    cells = study(paper).published
    found = set()
    for text in {*cells["printed_mean"], *cells["printed_std"], *cells["mean"].map("{:.4f}".format)}:
        if text:
            values = float(text), 100 * float(text)
            found |= {f"{value:.{digits}f}".removeprefix("0") for value in values for digits in range(5)}
            found.add(text.removeprefix("0"))
    return found


def sentences():
    """(paper, where, scope, sentence) of every finding, cause and choice without a run."""
    for paper in PAPERS:
        for number, entry in enumerate(ledger.findings(paper)["finding"]):
            yield from ((paper, f"finding {number + 1} {key}", {}, entry[key])
                        for key in ("text", "short") if key in entry)
        for number, entry in enumerate(ledger.deviations(paper)):
            scope = {"dataset": entry.get("dataset"), "printed": entry.get("method")}
            yield paper, f"deviation {number + 1}", scope, entry["evidence"]
        for entry in ledger.decisions(paper):
            if "unmeasured" in entry:
                yield paper, f"unmeasured {entry['id']}", {}, entry["unmeasured"]["reason"]


def typed(paper, sentence):
    """Numbers of a sentence that are neither computed nor printed nor of a kind that needs no result."""
    left = SPENT.sub(" ", TEMPLATE.sub(" ", sentence))
    return [text for text in NUMBER.findall(left) if text.removeprefix("0") not in printed(paper)]


ALL = list(sentences())


@pytest.mark.parametrize(
    ("paper", "where", "scope", "sentence"), ALL, ids=[f"{one[0]}: {one[1]}" for one in ALL])
def test_the_numbers_of_a_sentence_are_computed(paper, where, scope, sentence):
    shown = study(paper).numbers.fill(sentence, **scope)
    assert "{" not in shown and "nan" not in shown
    if not where.startswith("deviation"):
        assert typed(paper, sentence) == []


@pytest.mark.parametrize("paper", PAPERS)
def test_no_further_result_is_typed_into_a_sentence_on_causes(paper):
    left = [text for name, where, _, sentence in ALL if name == paper and where.startswith("deviation")
            for text in typed(paper, sentence)]
    assert len(left) <= TYPED[paper], left


@pytest.mark.parametrize("paper", PAPERS)
def test_the_front_page_states_the_first_finding(paper):
    line = next(line for line in (paths.root() / "README.md").read_text(encoding="utf-8").splitlines()
                if f"(notebooks/{paper}.ipynb)" in line and line.startswith("| ["))
    assert scoreboard.findings(paper)["finding"][0]["short"] in line


def test_a_template_that_names_nothing_is_refused():
    for template, message in (("{luck}", "no quantity"), ("{change|O1|nothing}", "no change of O1"),
                              ("{score|MBC|Atlantis|ACC}", "no stored fit")):
        with pytest.raises(ledger.LedgerError, match=message):
            study("mbc").numbers.fill(template)
