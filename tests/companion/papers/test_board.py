"""Tables that are asked in the page: what they hold is what is committed, and their advice that of Python."""

import ast
import inspect
import json
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from mtclib.companion.comparison import advice
from mtclib.companion.comparison.sources import KINDS
from mtclib.companion.papers import board, study_of
from mtclib.companion.site import report
from mtclib.companion.verdicts import published
from mtclib.core import paths
from mtclib.datasets.dataset import LOADERS

FIRST = "`number of clusters` == 'known' and preparation == 'first'"
SCRIPT = Path(report.__file__).parent / "static" / "board.js"


@pytest.fixture(scope="module")
def scores():
    """All scores, by kind of data."""
    return {kind: board.scores(kind) for kind in KINDS}


def asked(call, *values):
    """What a function of the page gives, from Node."""
    if shutil.which("node") is None:
        pytest.skip("takes Node")
    answer = f"require({json.dumps(str(SCRIPT))}).{call}(...{json.dumps(values)})"
    script = f"process.stdout.write(JSON.stringify({answer}))".encode()
    return json.loads(subprocess.run(["node", "-"], input=script, check=True, capture_output=True).stdout)


def advised(rows, rules=None):
    wanted = rows[["source", "data set", "preparation", "method", "ARI"]].to_dict("records")
    return asked("advise", wanted, (rules or board.rules())["names"], rules or board.rules())


@pytest.mark.parametrize("part", ["", "texts", "pictures"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_page_gives_the_advice_that_python_gives(kind, part, scores, monkeypatch):
    rows = scores[kind].query(FIRST)
    known, sources = advice.evidence(kind).scores(), advice.evidence(kind)
    if part:
        rows, known = rows[rows["kind of data"] == part], known[known.index.get_level_values("kind") == part]
    monkeypatch.setattr(sources, "scores", lambda: known)
    found, wanted = advised(rows), advice.advised(sources)
    assert found["take"] == wanted["take"]
    for name in ("sources", "gain", "low", "high", "worse"):
        assert found[name] == pytest.approx(wanted[name], abs=0.01), name
    ranking = pd.DataFrame(found["ranking"]).set_index("method")["gain"]
    gains = ranking.reindex(known.columns).fillna(0.0) - sources.gains(known).mean()
    assert gains.abs().max() < 0.01


@pytest.mark.parametrize(("kind", "part"), [("tasks", "medicine"), ("views", "biology")])
def test_where_too_few_sources_are_alike_the_page_says_what_all_together_advise(kind, part, scores):
    rows = scores[kind].query(FIRST)
    found = advised(rows[rows["kind of data"] == part])
    assert "take" not in found
    said = asked("told", found, board.rules(), advised(rows))
    assert "too few sources to tell" in said
    assert said.endswith(f"sources together advise {advice.advised(advice.evidence(kind))['take']}.")


def test_a_gain_whose_interval_has_zero_in_it_is_called_uncertain():
    told = {"sources": 3, "sets": 3, "take": "X", "gain": 1.0, "low": -0.5, "high": 2.5, "worse": 1}
    assert "not certain" in asked("told", told, {"plain": "k-means", "enough": 3})
    assert "not certain" not in asked("told", told | {"low": 0.5}, {"plain": "k-means", "enough": 3})
    worse = asked("told", told | {"gain": -3.9}, {"plain": "k-means", "enough": 3})
    assert "no advice" in worse
    assert "take" not in worse, "what lost where it did not choose is not recommended"
    plain = asked("told", told | {"take": "k-means", "sets": 1, "sources": 1}, {"plain": "k-means"})
    assert plain.startswith("1 set from 1 source like yours: none of our methods below")
    none = asked("told", told | {"gain": 0.0, "low": -0.04, "high": 1e-9}, {"plain": "k-means", "enough": 3})
    assert "gains 0.0 points of ARI over k-means (−0.04 to 0.0)" in none


def test_names_are_written_for_latex_and_what_rounds_to_zero_without_a_sign():
    assert [asked("written", value, 1) for value in (-0.04, -0.06, None)] == ["0.0", "-0.1", None]
    assert asked("tex", "50 % of a_b & {c}~") == r"50 \% of a\_b \& \{c\}\textasciitilde{}"


def test_all_scores_and_all_printed_numbers_are_there(scores):
    for kind, rows in scores.items():
        for k in ("known", "unknown"):
            wanted = advice.evidence(kind).scores(k=k, preparation=None).notna().to_numpy().sum()
            assert (rows["number of clusters"] == k).sum() == wanted
    verdicts, cells = pd.read_csv(paths.data_dir() / "verdicts.csv"), board.cells()
    assert cells["paper"].str.lower().tolist() == verdicts["paper"].tolist()
    assert cells["paper"].str.isupper().all(), "as papers call their methods, not as folders are called"
    printed = pd.concat(map(published.load, verdicts["paper"].unique()))
    assert set(cells["cell"]) == set(printed["cell"]), "a report fills in the id"
    assert cells["verdict"].tolist() == verdicts["verdict"].tolist()
    assert cells.loc[0, ["printed", "ours"]].tolist() == pytest.approx(
        [verdicts["as_printed"][0], 100 * verdicts["ours"][0]], abs=1e-3)
    absent = cells[cells["verdict"] == "not-run"]
    assert set(absent["cause"]) == {"files out of reach"}
    for paper, name in zip(absent["paper"], absent["data set"]):
        assert "out of reach" in study_of(paper.lower()).protocol.datasets[name].note
    distances = cells["metric"] == "d_M"
    assert cells.loc[distances, "printed"].tolist() == verdicts.loc[distances, "printed"].tolist()


def test_every_row_says_how_its_data_are_loaded_and_what_to_cite(scores):
    rows = pd.concat([*scores.values(), cells := board.cells()])
    assert (rows["keys"] != "").all()
    assert cells.query("method == 'PairwiseSC'")["keys"].str.endswith("kumar2011co").all(), "and the method"
    for load in rows["load"].unique():
        call = ast.parse(load, mode="eval").body
        loader = LOADERS[ast.literal_eval(call.args[0])]
        given = {one.arg: None for one in call.keywords}
        inspect.signature(loader.function).bind(*filter(None, [loader.argument]), **given)
