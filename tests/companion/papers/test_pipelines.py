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
def test_every_cell_of_a_printed_data_set_is_judged_on_the_pipeline_that_stands_for_it(paper):
    study, cells = study_of(paper), scoreboard.all_verdicts().query("paper == @paper")
    shown = cells.groupby("dataset")["source"].unique().map(list)
    assert shown.to_dict() == {name: [study.headline(name)] for name in shown.index}


@pytest.mark.parametrize("paper", in_order())
def test_claims_are_tested_on_fits_of_the_pipeline_that_is_judged(paper):
    study = study_of(paper)
    printed = study.published[["dataset", "method"]].drop_duplicates()
    frames = [rows for rows in study.frames().values() if {"key", "method"} <= set(rows)]
    for (dataset, method), part in pd.concat(frames).merge(printed).groupby(["dataset", "method"]):
        judged = study.rows(study.headline(dataset)).query("method == @method")
        assert set(part["key"].dropna()) <= set(judged["key"]), (dataset, method)


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
    searches = {name for name, caption in without.items() if caption.startswith("Search ")}
    assert set(without) == searches


def test_what_is_shown_beside_the_judged_pipeline_has_no_cause_of_its_cells():
    for paper in in_order():
        study = study_of(paper)
        for name in study.published["dataset"].unique():
            if study.headline(name) != name and name in study.protocol.datasets:
                assert set(study.judged(name, name)["cause"]) <= {"", "misprint"}, name


def test_an_open_choice_that_was_measured_on_data_that_are_judged_no_more_says_so():
    table = differences.in_detail("spmtc").tables[0]
    places = {name.strip() for row in table.rows for name in row[-1].lines[0].split(",")}
    assert {"ORGSvsPEOPLE (presence", "PEOPLEvsPLACES (presence", "ORGSvsPEOPLE (counts)"} <= places
    assert "ORGSvsPEOPLE" not in places


def test_readings_of_rivals_have_a_sentence_for_each_printed_set():
    (finding,) = (one for one in study_of("mtcmrl").known["finding"] if "study readings" in one["sources"])
    assert all(name in finding["text"] for name in ("20 Newsgroups", "Reuters", "WebKB4"))


def test_a_pipeline_that_is_known_in_part_or_from_sizes_alone_says_so():
    study = study_of("mtcmrl")
    told = study.told_pipelines()
    assert "WebKB4 (stemmed counts) (identified in part)" in told
    assert "Counts; stemming, stop list and mean of NMI not decided." in told
    assert "(identified by sizes)" in study.printed_tables("20NewsGroups").text
    cells = scoreboard.all_verdicts().query("paper == 'mtcmrl'").groupby("dataset")["pipeline"].unique()
    assert cells.map(list).to_dict() == {
        "WebKB4": ["identified in part"], "20NewsGroups": ["identified by sizes"],
        "Reuters": ["identified by sizes"]}


def test_every_claim_names_its_pipeline():
    study = study_of("spmtc")
    claims = study.outcomes().set_index("id")
    tested = [entry["id"] for entry in ledger.claims("spmtc") if entry.get("params", {}).get("datasets")]
    named = {name for entry in tested for name in claims.at[entry, "pipeline"].split("; ")}
    assert named == set(map(study.headline, study.sets))


def test_spmtc_stands_for_rows_kept_in_its_gains_its_noise_and_its_curves():
    study = study_of("spmtc")
    frames = study.frames()
    kept = study.results.frame.query("method.str.contains('rows kept')")["key"]
    for name in ("results", "noise", "sensitivity"):
        rows = frames[name]
        own = rows[rows["method"].isin(["SPMTC-h", "SPMTC-s", "SPMTC-h, no sharing"])]
        assert len(own), name
        assert own["key"].isin(kept).all(), name


def test_counts_stand_for_the_reuters_sets_and_what_holds_only_presence_says_so():
    study = study_of("spmtc")
    for name in ("ORGSvsPEOPLE", "ORGSvsPLACES", "PEOPLEvsPLACES"):
        assert study.headline(name) == f"{name} (counts, rows kept)"
        assert "Presence only" not in study.printed_tables(name).text
        assert f"Pipeline: {name} (fixed). Presence only, not counts." in study.beforehand(name).text


def test_words_that_labels_chose_say_so_beside_their_table_and_stand_beside_words_that_none_did():
    study = study_of("mtcmrl")
    assert "The true labels chose the words." in study.printed_tables("20NewsGroups").text
    assert "no label chose them" in study.reproduced("20NewsGroups", UNLABELLED).text
