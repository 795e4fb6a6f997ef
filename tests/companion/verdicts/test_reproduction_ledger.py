"""Decisions and claims files: the contract is checked and the committed ones keep it."""

import pandas as pd
import pytest
from experiments_support import DECISION

from mtclib.companion.verdicts import ledger
from mtclib.companion.verdicts.ledger import LedgerError, claims, decisions, decisions_frame, outcomes

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


@pytest.mark.parametrize(("old", "new", "message"), [
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
    ("[[decision]]", "[[decisions]]", "got 'decisions'. Did you mean 'decision'")])
def test_a_broken_decision_is_refused_with_its_id_and_the_key(write, old, new, message):
    assert old in DECISION
    with pytest.raises(LedgerError, match=message):
        decisions(write("decisions.toml", DECISION.replace(old, new)))


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


@pytest.mark.parametrize(("old", "new", "message"), [
    ('"mean_greater"', '"feels_better"', "claim C1.test must be .*; got 'feels_better'"),
    (', dataset = "toy"', "", "params of mean_greater: missing a required argument: 'dataset'"),
    ('dataset = "toy"', 'dataset = "toy", luck = 1', "unexpected keyword argument 'luck'"),
    ('test = "mean_greater"', 'test = "mean_greater"\nreason = "later"', "either a test or the reason"),
    ('test = "mean_greater"', 'test = "mean_greater"\nframe = "diary"', "claim C1.frame must .* got 'diary'"),
    ('quote = "A beats B"\n', "", "claim C1: missing quote")])
def test_a_broken_claim_is_refused(write, old, new, message):
    with pytest.raises(LedgerError, match=message):
        claims(write("claims.toml", CLAIM.replace(old, new)))


@pytest.mark.parametrize(("left_out", "message"), [
    ('text = "It is so."', "missing text"), ('name = "A"', "missing name"),
    ('sources = ["O1"]', "missing sources")])
def test_a_finding_that_breaks_its_contract_is_refused(write, left_out, message):
    text = 'name = "A"\nvenue = "B"\n[[finding]]\ntext = "It is so."\nsources = ["O1"]\n'
    with pytest.raises(LedgerError, match=message):
        ledger.findings(write("claims.toml", text.replace(left_out, "")))


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
