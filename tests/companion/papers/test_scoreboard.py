"""The front page: README, notebooks and committed results say the same."""

import json

import pytest

from mtclib.companion import plots, tables
from mtclib.companion.papers import scoreboard
from mtclib.companion.runs import load_protocol
from mtclib.companion.verdicts import ledger, leverage
from mtclib.companion.verdicts.judge import SYMBOLS
from mtclib.companion.verdicts.ledger import LedgerError, findings
from mtclib.core import paths

PAPERS = scoreboard.ORDER
STATUSES = (*scoreboard.TESTED, ledger.NO_DATA, ledger.NOT_YET)


@pytest.fixture(scope="module")
def verdicts():
    return scoreboard.all_verdicts()


@pytest.fixture(scope="module")
def summary(verdicts):
    return scoreboard.by_paper(verdicts)


def stored_text(notebook, source):
    """Plain text that a stored notebook shows for the one cell whose code holds `source`."""
    path = paths.root() / "notebooks" / f"{notebook}.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    (cell,) = [cell for cell in cells if cell["cell_type"] == "code" and source in "".join(cell["source"])]
    return "".join("".join(output["data"]["text/plain"]) for output in cell["outputs"] if "data" in output)


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
    kinds = ["agreeing", "higher", "lower", "inconclusive"]
    assert (summary[kinds].sum(axis=1) == summary["judged"]).all()


def test_the_front_page_of_the_readme_is_that_of_the_results(summary):
    text = (paths.root() / "README.md").read_text(encoding="utf-8")
    assert scoreboard.front_page(summary) in text
    lines = [line for line in text.splitlines() if line.startswith("| [") and ".ipynb" in line]
    assert len(lines) == len(PAPERS)
    for paper, line in zip(PAPERS, lines):
        counts = summary.to_dict("index")[paper]
        assert f"notebooks/{paper}.ipynb" in line
        assert f"| {counts['agreeing']} of {counts['judged']} |" in line


def test_the_first_notebook_shows_the_same_numbers(summary, verdicts):
    assert stored_text("index", '"All papers, full profile"') == str(
        tables.frame_table(summary, "All papers, full profile"))
    assert stored_text("index", "scoreboard.causes(") == str(
        tables.frame_table(scoreboard.causes(verdicts), "Deviating cells by cause"))


@pytest.mark.parametrize("paper", PAPERS)
def test_the_notebook_of_a_paper_finds_the_same_claims_to_hold(paper):
    shown = stored_text(paper, "study.outcomes()").partition("\n\n")[2]
    claims = scoreboard.claims(paper)
    counts = {status: shown.count(f"{tables.label(status)} ") + shown.count(f"{tables.label(status)}\n")
              for status in STATUSES}
    assert counts == {status: (claims["status"] == status).sum() for status in STATUSES}
    assert sum(counts.values()) == len(claims)
    assert set(claims["id"]) == {claim["id"] for claim in ledger.claims(paper)}


@pytest.mark.parametrize("paper", PAPERS)
def test_every_finding_rests_on_entries_that_exist(paper):
    protocol = load_protocol(paper)
    known = {entry["id"] for entry in (*ledger.decisions(paper), *ledger.claims(paper))}
    known |= {f"study {name}" for name in (*protocol.studies, *protocol.sensitivity)} | {"audit"}
    entries = findings(paper)["finding"]
    assert 2 <= len(entries) <= 4
    for entry in entries:
        assert set(entry["sources"]) <= known, set(entry["sources"]) - known


@pytest.mark.parametrize(("change", "message"), [
    ({'short = "Yes."': ""}, "the first finding"),
    ({'name = "A"': ""}, "missing name"),
    ({'sources = ["O1"]': ""}, "missing sources"),
])
def test_a_finding_that_breaks_its_contract_is_refused(tmp_path, monkeypatch, change, message):
    text = 'name = "A"\nvenue = "B"\n[[finding]]\ntext = "It is so."\nshort = "Yes."\nsources = ["O1"]\n'
    for old, new in change.items():
        text = text.replace(old, new)
    monkeypatch.setenv("MTCLIB_ROOT", str(tmp_path))
    (tmp_path / "data" / "toy").mkdir(parents=True)
    (tmp_path / "data" / "toy" / "claims.toml").write_text(text)
    with pytest.raises(LedgerError, match=message):
        findings("toy")


def test_the_picture_has_a_square_for_every_printed_cell_in_panels_that_do_not_overlap(verdicts, summary):
    fig = plots.scoreboard(verdicts, scoreboard.heads(summary))
    heads = scoreboard.heads(summary).values()
    assert {ax.get_title(loc="left") for ax in fig.axes} == {head.partition("\n")[2] for head in heads}
    symbols = [text.get_text() for ax in fig.axes for text in ax.texts if text.get_text() in SYMBOLS.values()]
    assert len(symbols) == len(verdicts)
    assert symbols.count(SYMBOLS["agrees"]) == (verdicts["verdict"] == "agrees").sum()
    boxes = [ax.get_position() for ax in fig.axes]
    for number, one in enumerate(boxes):
        assert one.x0 > 0 and one.x1 < 1 and one.y0 > 0 and one.y1 < 1
        for other in boxes[number + 1:]:
            assert one.x1 < other.x0 or other.x1 < one.x0 or one.y1 < other.y0 or other.y1 < one.y0
