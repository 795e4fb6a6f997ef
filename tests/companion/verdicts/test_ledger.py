"""Decisions and claims files keep their contract, and every number in their sentences is computed or printed.

Templates are computed from the committed results (`mtclib.companion.verdicts.numbers`); what is left after
them must be a name, a setting, a bound, or stand in the paper's own tables.
"""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from experiments_support import DECISION

from mtclib.companion.papers import study_of as study
from mtclib.companion.verdicts import ledger
from mtclib.companion.verdicts.ledger import LedgerError, claims, decisions, decisions_frame, outcomes
from mtclib.companion.verdicts.numbers import TEMPLATE
from mtclib.core import paths

PAPERS = paths.papers()
NUMBER = re.compile(r"(?<![\w.])\.?\d[\d.,]*\d|(?<![\w.])\d")
# What needs no result: names and places, settings, bounds, and how many things were tried.
KINDS = (
    r"'[^']*'", r"\b[A-Z]\d+(?:\.\d+)?(?: (?:to|and) [A-Z]?\d+)?", r"NG20-\d", r"20 Newsgroups",
    r"\b(?:Tables?|Eq\.|Figures?|sections?|tasks?|views?) \(?\d[\d.]*\)?(?:(?:, | to | and )\d+)*",
    r"\b(?:lambda(?:_1)?|mu|alpha|beta|gamma|m|l|kappa|smoothness|diversity|scale|[Ss]teps?)"
    r"(?: = | of | from |,? )(?:beta = )?\.?\d[\d./e-]*(?:(?:, | to | and | or )\.?\d[\d.]*)*",
    r"1/K|\b\d/\d", r"\d+ ?%", r"\(\d+(?:, \d+)* %\)", r"\b(?:\d\.)?\de-\d+", r"10?\^-?\d+", r"\^\d",
    r"threshold \d", r"(?:times|factor) 1[./][\dK]+(?: to 1\.\d)?", r"\d+Sources", r"views-\d",
    r"\b2 [A-Zb(]",
    r"within (?:\d(?!e)|five|three|four)(?: points)?", r"less than \d+", r"one to two", r"\[-1, 1\]",
    r"\b(?:[Oo]ne of |of )?\d+ (?:other )?(?:settings|choices|starts|runs|weightings|readings|splits|of)\b",
    r"all of the \d+ starts", r"[Oo]f \d+ settings", r"setting of \d+", r"(?:among|as|of) \d+\b",
    r"\d+ in all", r"\b[01]\b(?![.,]\d)", r"\b0\.5\b")
SPENT = re.compile("|".join(KINDS))
# Numbers of a decision that no committed result holds, and how many; they may only become fewer: trials
# outside the protocol that the entry names, formulas and examples worked out by hand, arithmetic on printed
# tables and sizes, documents and words of the data, settings.
OUTSIDE = {
    (paper, one.split(":")[0]): int(one.split(":")[1]) for paper, ones in (
        ("lmsc", "B11:2 B2:1 C1:4 C3:9 B16:3 B19:4"),
        ("mbc", "E11:2 E12:1 E17b:1 E5:1 E6:10 E8:10 O1:15 O3:6 O9:4 E2:1 E15:2 E17:4 E18:1"),
        ("mspl", "A14:5 A16:1 A17:1 A18:2 A19:8 A6:2 O6:1 O8:5 O9:3 A10:1 A3:8 A5:7 A8:1 A11:5 A12:1"),
        ("mtcmrl", "E3:1 E7:2 O14:2 O6b:3 E1:2 O15:2 E14:1 E19:2 E20:8 E21:6 O5:1 O6:2 O8:5 O9:2 "
                   "O11:1"),
        ("spmtc", "E0.1:1 E0.3:1 E0.17:1 E0.18:8 E0.18b:7 E0.9:2 E0.12:1 O1:1 O2:1"))
    for one in ones.split()}


@cache
def printed(paper):
    """Every number in the paper's own tables as printed, and rounded, in percent."""
    cells = study(paper).published
    found = set()
    for text in {*cells["printed_mean"], *cells["printed_std"]} - {""}:
        digits, value = len(text.partition(".")[2]), float(text)
        percent = 100 * value if value <= 1 else value
        found |= {text.removeprefix("0"), *(f"{percent:.{n}f}" for n in (0, 1, max(digits - 2, 0)))}
    return found


def sentences():
    """(paper, where, scope, sentence) of every finding, answer, cause and choice without a run."""
    for paper in PAPERS:
        for number, entry in enumerate(ledger.findings(paper)["finding"]):
            yield paper, f"finding {number + 1}", {}, entry["text"]
        for entry in ledger.findings(paper)["answer"]:
            yield from ((paper, f"answer {entry['tables'][0]} {key}", {}, entry[key])
                        for key in ("pipeline", "sure"))
        for key in ("first", "also"):
            yield paper, f"summary, {key}", {}, ledger.findings(paper)["summary"].get(key, "")
        for number, entry in enumerate(ledger.deviations(paper)):
            scope = {"dataset": entry.get("dataset"), "printed": entry.get("method")}
            yield paper, f"deviation {number + 1}", scope, entry["evidence"]
        for entry in ledger.decisions(paper):
            texts = [entry[key] for key in ("problem", "evidence", "decision")]
            yield paper, entry["id"], {}, " ".join([*texts, *entry.get("alternatives", [])])
            if "unmeasured" in entry:
                yield paper, f"unmeasured {entry['id']}", {}, entry["unmeasured"]["reason"]


ALL = list(sentences())


@pytest.mark.parametrize(
    ("paper", "where", "scope", "sentence"), ALL, ids=[f"{one[0]}: {one[1]}" for one in ALL])
def test_the_numbers_of_a_sentence_are_computed(paper, where, scope, sentence):
    shown = study(paper).numbers.fill(sentence, **scope)
    assert "{" not in shown
    assert "nan" not in shown
    words = SPENT.sub(" ", TEMPLATE.sub(" ", sentence))
    left = [text for text in NUMBER.findall(words) if text.removeprefix("0") not in printed(paper)]
    assert len(left) == OUTSIDE.get((paper, where), 0), left


@pytest.mark.parametrize("paper", PAPERS)
def test_every_printed_table_has_one_answer(paper):
    answered = [number for entry in ledger.findings(paper)["answer"] for number in entry["tables"]]
    assert sorted(answered) == sorted(study(paper).published["table"].unique())


def test_the_tests_that_decisions_speak_of_are_named_and_exist():
    code = "".join(file.read_text(encoding="utf-8") for file in Path(__file__).parents[2].rglob("test_*.py"))
    for paper, where, _, text in ALL:
        if re.search(r"\btests?(?: shows it| of the algorithm)?\)", text):
            (entry,) = (entry for entry in decisions(paper) if entry["id"] == where.split()[-1])
            assert f"\ndef test_{entry['test']}(" in code, (paper, where)


def test_no_stored_fit_of_mtcmrl_on_the_headline_sets_has_an_empty_cluster():
    results, used = study("mtcmrl").results, ("20NewsGroups", "WebKB4", "Reuters")
    rows = results.frame.query("method == 'MTCMRL' and task != 'avg' and metric == 'ACC'")
    rows = rows[rows["dataset"].isin(used)]
    assert len(rows) > 3000
    for key, name, task in zip(rows["key"], rows["dataset"], rows["task"]):
        found, classes = (np.unique(results.labels[f"{of}/{task}"]) for of in (key, f"truth/{name}"))
        assert len(found) == len(classes)


def test_a_template_that_names_nothing_is_refused():
    for template, message in (("{luck}", "no quantity"), ("{change|O1|nothing}", "no change of O1"),
                              ("{score|MBC|Atlantis|ACC}", "no stored fit")):
        with pytest.raises(LedgerError, match=message):
            study("mbc").numbers.fill(template)
    assert study("mbc").numbers.fill("{ahead|MBC|IND|NMI|count=all;word}") == "18"
    assert study("mspl").numbers.raw_gap("method == 'ConvexSub'", "least") == -8, "down from -7.2"
    assert study("lmsc").numbers.ahead("LMSC", "SNMF", "RI", count="all") == 12, "tasks, without averages"


CLAIM = """
[[claim]]
id = "C1"
quote = "A beats B"
place = "section 4.5"
test = "mean_greater"
params = { method_a = "A", method_b = "B", metric = "NMI", dataset = "toy" }
"""


def test_a_decision_is_read_and_shown_with_empty_optional_columns(write):
    table = decisions_frame(write("decisions.toml", DECISION), {})
    shown = table.loc[0, ["id", "evidence_type", "alternatives", "leverage"]]
    assert shown.tolist() == ["O1", "numeric", "", ""]


FINDING = 'name = "A"\nvenue = "B"\n[[finding]]\ntext = "It is so."\nsources = ["O1"]\n'
# Of each file: how it is read, what it has, and rows of a passage, what stands in its place, what is said.
BROKEN = {
    "decisions": (decisions, DECISION, [
    ('evidence = "k-means moves by 47 points."\n', "", "decision O1: missing evidence"),
    ('"k-means moves by 47 points."', '""', "decision O1.evidence is empty"),
    ('["numeric"]', "[]", "decision O1.evidence_type is empty"),
    ('["numeric"]', '["hearsay"]', "evidence_type 1 must .* got 'hearsay'"),
    ('["numeric"]', '"numeric"', "evidence_type must be array, not str"),
    ('cause = "preprocessing"', 'cause = "bad luck"', "cause must be one of .*; got 'bad luck'"),
    ('"open choice"', '"mistake"', "O1.kind must be one of .*; got 'mistake'"),
    ('decision = "tf-idf"', 'decision = "tf-idf"\ncolour = "red"', "O1: key must .* got 'colour'"),
    ('"preprocessing"', '"preprocessing"\nunmeasured = { kind = "data" }', "unmeasured: missing reason"),
    ('id = "O1"', "id = O1", "demo/decisions.toml"),
    ('id = "O1"', "\udcff", "demo/decisions.toml is not valid TOML"),
    ('decision = "tf-idf"', 'decision = "tf-idf"\nalternative = [{ kind = "data", ours = "a", methods = 7,'
     ' alternative = "b", datasets = ["c"], metric = "ACC" }]', "methods must be array, not int"),
    ("[[decision]]", "[[decisions]]", "got 'decisions'. Did you mean 'decision'")]),
    "claims": (claims, CLAIM, [
    ('"mean_greater"', '"feels_better"', "claim C1.test must be .*; got 'feels_better'"),
    (', dataset = "toy"', "", "params of mean_greater: missing a required argument: 'dataset'"),
    ('dataset = "toy"', 'dataset = "toy", luck = 1', "unexpected keyword argument 'luck'"),
    ('test = "mean_greater"', 'test = "mean_greater"\nreason = "later"', "either a test or the reason"),
    ('test = "mean_greater"', 'test = "mean_greater"\nframe = "diary"', "claim C1.frame must .* got 'diary'"),
    ('quote = "A beats B"\n', "", "claim C1: missing quote")]),
    "findings": (ledger.findings, FINDING, [
    ('text = "It is so."', "", "missing text"), ('name = "A"', "", "missing name"),
    ('sources = ["O1"]', "", "missing sources")])}


@pytest.mark.parametrize(("kind", "old", "new", "message"), [
    (kind, *row) for kind, (*_, rows) in BROKEN.items() for row in rows])
def test_a_broken_entry_is_refused_with_its_id_and_the_key(write, kind, old, new, message):
    read, text, _ = BROKEN[kind]
    assert old in text
    with pytest.raises(LedgerError, match=message):
        read(write("decisions.toml" if kind == "decisions" else "claims.toml", text.replace(old, new)))


def test_an_id_used_twice_and_an_unknown_paper_are_refused_and_deviations_checked(write):
    with pytest.raises(LedgerError, match="id O1 is used twice"):
        decisions(write("decisions.toml", DECISION + DECISION))
    with pytest.raises(LedgerError, match="paper='nope': no decisions file"):
        decisions("nope")
    text = '[[deviation]]\ncause = "stopping"\nevidence = "threshold"\nmethod = "SNMF"\n'
    (found,) = ledger.deviations(write("decisions.toml", text))
    assert found == {"cause": "stopping", "evidence": "threshold", "method": "SNMF"}
    with pytest.raises(LedgerError, match="deviation 1: key must be .*; got 'seed'"):
        ledger.deviations(write("decisions.toml", text + "seed = 1\n"))


def scores(metric="NMI_geometric"):
    rows = [("toy", m, "avg", metric, run, 0.5 + 0.1 * (m == "A") + run / 100)
            for m in "AB" for run in range(8)]
    return pd.DataFrame(rows, columns=["dataset", "method", "task", "metric", "run", "value"])


def test_a_claim_is_tested_under_the_printed_name_of_nmi(write):
    write("protocol.toml", 'nmi = "geometric"', "mtcmrl")
    row = outcomes(write("claims.toml", CLAIM, "mtcmrl"), {"results": scores()}).iloc[0]
    assert (row["status"], row["n"]) == ("holds", 8)
    assert outcomes("mtcmrl", {"results": scores("NMI_min")})["status"].item() == "no data"


def test_what_cannot_be_tested_says_why(write):
    later = '[[claim]]\nid = "C2"\nquote = "C"\nplace = "4.5"\nreason = "needs a later method"\n'
    table = outcomes(write("claims.toml", CLAIM + later), {})
    assert table["status"].tolist() == ["no data", "not yet testable"]
    assert table["reason"].tolist() == ["needs the frame 'results'", "needs a later method"]
