"""The front page: README and committed results say the same; stored notebooks are compared when run."""

import itertools

import pytest

from mtclib.companion import plots
from mtclib.companion.papers import scoreboard
from mtclib.companion.runs import load_protocol
from mtclib.companion.verdicts import ledger, leverage
from mtclib.companion.verdicts.judge import SYMBOLS
from mtclib.companion.verdicts.ledger import LedgerError, findings

PAPERS = scoreboard.ORDER
@pytest.fixture(scope="module")
def verdicts():
    return scoreboard.all_verdicts()


@pytest.fixture(scope="module")
def summary(verdicts):
    return scoreboard.by_paper(verdicts)


def test_every_printed_cell_has_a_verdict_that_says_something(verdicts):
    assert len(verdicts) == 1111
    allowed = {"exact", "agrees", "higher", "lower", "inconclusive", "misprint", "unavailable"}
    assert set(verdicts["verdict"]) <= allowed < set(SYMBOLS)
    unavailable = verdicts[verdicts["verdict"] == "unavailable"]
    assert set(unavailable["dataset"]) == {"Animal with attribute", "sports"} and unavailable["reason"].all()


def test_every_deviating_cell_has_a_cause_and_a_sentence(verdicts, summary):
    deviating = verdicts[verdicts["verdict"].isin(["higher", "lower"])]
    silent = deviating[deviating["reason"].str.len() < 20]
    assert silent.empty, silent[["paper", "dataset", "method"]].drop_duplicates().to_string()
    assert leverage.by_cause(deviating)["cells"].sum() == len(deviating)
    for paper in PAPERS:
        told = set(scoreboard._study(paper).numbers.judged["reason"])
        idle = [one["evidence"] for one in ledger.deviations(paper)
                if not any(reason.startswith(one["evidence"]) for reason in told)]
        assert not idle, f"{paper}: no cell deviates for which this is said: {idle}"
    kinds = ["agreeing", "higher", "lower", "inconclusive"]
    assert (summary[kinds].sum(axis=1) == summary["judged"]).all()


@pytest.mark.parametrize("paper", PAPERS)
def test_every_finding_rests_on_entries_that_exist(paper):
    protocol = load_protocol(paper)
    known = {entry["id"] for entry in (*ledger.decisions(paper), *ledger.claims(paper))}
    known |= {f"study {name}" for name in (*protocol.studies, *protocol.sensitivity)} | {"audit"}
    entries = findings(paper)["finding"]
    assert 2 <= len(entries) <= 4
    for entry in entries:
        assert set(entry["sources"]) <= known, set(entry["sources"]) - known


@pytest.mark.parametrize(("left_out", "message"), [
    ('short = "Yes."', "the first finding"), ('name = "A"', "missing name"),
    ('sources = ["O1"]', "missing sources")])
def test_a_finding_that_breaks_its_contract_is_refused(tmp_path, monkeypatch, left_out, message):
    text = 'name = "A"\nvenue = "B"\n[[finding]]\ntext = "It is so."\nshort = "Yes."\nsources = ["O1"]\n'
    monkeypatch.setenv("MTCLIB_ROOT", str(tmp_path))
    (tmp_path / "data" / "toy").mkdir(parents=True)
    (tmp_path / "data" / "toy" / "claims.toml").write_text(text.replace(left_out, ""))
    with pytest.raises(LedgerError, match=message):
        findings("toy")


def test_the_picture_has_a_square_for_every_printed_cell_in_panels_that_do_not_overlap(verdicts, summary):
    few = verdicts[verdicts["paper"].isin(["mspl", "mbc"])]
    heads = {paper: head for paper, head in scoreboard.heads(summary).items() if paper in ("mspl", "mbc")}
    fig = plots.scoreboard(few, heads)
    assert {ax.get_title(loc="left") for ax in fig.axes} == {h.partition("\n")[2] for h in heads.values()}
    symbols = [text.get_text() for ax in fig.axes for text in ax.texts if text.get_text() in SYMBOLS.values()]
    assert sorted(symbols) == sorted(few["verdict"].map(SYMBOLS))
    boxes = [ax.get_position() for ax in fig.axes]
    assert all(box.x0 > 0 and box.x1 < 1 and box.y0 > 0 and box.y1 < 1 for box in boxes)
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
