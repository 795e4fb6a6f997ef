"""One pipeline behind a number: tables, claims and sentences read what the verdicts are on."""

import json

import pandas as pd
import pytest

from mtclib.companion.papers import differences, in_order, scoreboard, study_of
from mtclib.companion.papers.mtcmrl import UNLABELLED
from mtclib.companion.verdicts import ledger
from mtclib.core import paths

NOT_OF_FITS = {
    "answer": "names its pipelines on the page that it leads to", "gain_tables": "its first table says so",
    "sizes_table": "of data", "sizes": "of data", "decisions_table": "sentences", "audit_table": "of print",
    "audits": "of print", "claims_table": "has a column", "provenance_table": "has all", "theorem": "drawn",
    "searches": "names its hypotheses", "facts": "of the model", "pipelines_of_tables": "says nothing else"}
"""What a notebook shows without a line on pipelines, and why."""


@pytest.mark.parametrize("paper", in_order())
def test_claims_are_tested_on_fits_of_the_pipeline_that_is_judged(paper):
    study = study_of(paper)
    printed = study.published[["dataset", "method"]].drop_duplicates()
    frames = [rows for rows in study.frames().values() if {"key", "method"} <= set(rows)]
    for (dataset, method), part in pd.concat(frames).merge(printed).groupby(["dataset", "method"]):
        judged = study.rows(study.headline(dataset)).query("method == @method")
        assert set(part["key"].dropna()) <= set(judged["key"]), (dataset, method)


@pytest.mark.parametrize("paper", ["spmtc", "mtcmrl"])
def test_no_claim_hangs_on_rows_that_chose_a_pipeline_and_that_it_does_not_name(paper, monkeypatch):
    study, less = study_of(paper), {}
    chose = set(study.numbers.judged().query("calibration")[["dataset", "method"]].itertuples(False, None))
    searched = {name for name, method in chose if method in study.protocol.own}
    for claim in ledger.claims(paper):
        params = claim.get("params", {})
        name = "datasets" if "datasets" in params else "others"
        kept = [one for one in params.get(name, ()) if one not in searched
                and (params.get("dataset"), one) not in chose]
        if kept and kept != params[name]:
            less[claim["id"]] = {**claim, "params": {**params, name: kept}}
    monkeypatch.setattr(ledger, "claims", lambda _: list(less.values()))
    known = scoreboard.outcomes(paper).set_index("id").loc[list(less)]
    assert study.outcomes()["status"].tolist() == known["status"].tolist()
    assert len(less) >= 8


@pytest.mark.parametrize("paper", in_order())
def test_a_printed_name_in_a_sentence_is_the_pipeline_that_is_judged_and_another_is_named(paper):
    study = study_of(paper)
    for name in study.published["dataset"].unique():
        assert study.numbers._source(name) == study.headline(name)
        assert study.numbers._source(f"fixed {name}") == name


@pytest.mark.parametrize("paper", in_order())
def test_every_stored_table_of_fits_names_its_pipelines(paper):
    cells = json.loads((paths.root() / "notebooks" / f"{paper}.ipynb").read_text(encoding="utf-8"))["cells"]
    shown = {"".join(cell["source"]).partition("(")[0].removeprefix("study."): "".join(text)
             for cell in cells for output in cell.get("outputs", ())
             for text in [output.get("data", {}).get("text/plain", "")] if "-+-" in "".join(text)}
    assert "live_table" in shown
    without = {name: table.partition("\n")[0] for name, text in shown.items() if name not in NOT_OF_FITS
               for table in text.split("\n\n\n") if "Pipeline" not in table}
    searches = {name for name, caption in without.items() if caption.startswith("Where printed numbers of ")}
    assert set(without) == searches


def test_what_is_shown_beside_the_judged_pipeline_has_no_cause_of_its_cells():
    for paper in in_order():
        study = study_of(paper)
        for name in study.published["dataset"].unique():
            if study.headline(name) != name and name in study.protocol.datasets:
                assert set(study.judged(name, name)["cause"]) <= {"", "misprint"}, name


def test_an_open_choice_that_was_measured_on_data_that_are_judged_no_more_says_so():
    study, names = study_of("spmtc"), ("ORGSvsPEOPLE", "ORGSvsPEOPLE (counts)", "COMPvsSCI (unit rows)")
    assert [differences._marked(study, name) for name in names] == [
        "ORGSvsPEOPLE (presence, not judged)", *names[1:]]


def test_readings_of_rivals_have_a_sentence_for_each_printed_set():
    (finding,) = (one for one in study_of("mtcmrl").known["finding"] if "study readings" in one["sources"])
    assert all(name in finding["text"] for name in ("20 Newsgroups", "Reuters", "WebKB4"))


@pytest.mark.parametrize(("paper", "shown", "args", "said"), [
    ("mtcmrl", "printed_tables", ["20NewsGroups"], "(identified by sizes). The true labels chose the words."),
    ("mtcmrl", "printed_tables", ["Reuters"], "(identified by sizes)"),
    ("mtcmrl", "printed_tables", ["WebKB4"],
     "WebKB4 (stemmed counts) (identified in part). Counts; stemming, stop list and mean of NMI not"),
    ("mtcmrl", "reproduced", ["20NewsGroups", UNLABELLED], "no label chose them"),
    *(("spmtc", *one) for name in ("ORGSvsPEOPLE", "ORGSvsPLACES", "PEOPLEvsPLACES") for one in (
        ("printed_tables", [name], f"Pipeline: {name} (counts, rows kept) (identified)."),
        ("beforehand", [name], f"Pipeline: {name} (fixed). Presence only, not counts.")))])
def test_what_must_be_known_of_a_pipeline_stands_beside_its_numbers(paper, shown, args, said):
    assert said in " ".join(getattr(study_of(paper), shown)(*args).text.split())


def test_every_claim_names_its_pipeline():
    study = study_of("spmtc")
    claims = study.outcomes().set_index("id")
    tested = [entry["id"] for entry in ledger.claims("spmtc") if entry.get("params", {}).get("datasets")]
    named = {name for entry in tested for name in claims.at[entry, "pipeline"].split("; ")}
    assert named == set(map(study.headline, study.sets))


def test_spmtc_stands_for_rows_kept_in_its_gains_its_noise_and_its_curves():
    frames, fits = study_of("spmtc").frames(), study_of("spmtc").results.frame
    named = [name for name in fits["method"].unique() if "rows kept" in name]
    kept = fits.loc[fits["method"].isin(named), "key"]
    for name in ("results", "noise", "sensitivity"):
        own = frames[name][frames[name]["method"].isin(["SPMTC-h", "SPMTC-s", "SPMTC-h, no sharing"])]
        assert len(own), name
        assert own["key"].isin(kept).all(), name


def test_words_without_labels_have_the_grids_and_runs_of_those_by_labels_and_mtcmrls_page_says_so():
    study = study_of("mtcmrl")
    own, other = (study.rows(f"20NewsGroups ({words})").query("in_grid")
                  .groupby("method")[["params", "run"]].nunique()
                  for words in ("found; words by labels", "found, but words by frequency"))
    methods = other.index.intersection(study.published["method"].unique())
    pd.testing.assert_frame_equal(own.loc[methods], other.loc[methods])
    text = (paths.root() / "notebooks" / "mtcmrl.ipynb").read_text(encoding="utf-8")
    assert "words chosen without labels, from as many runs and the same grids." in text
