"""One pipeline behind a number: tables, claims and sentences read what the verdicts are on."""

import pandas as pd
import pytest

from mtclib.companion.papers import in_order, scoreboard, study_of
from mtclib.companion.papers.mtcmrl import UNLABELLED
from mtclib.companion.verdicts import ledger


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


def test_every_claim_and_every_table_names_its_pipeline():
    study = study_of("spmtc")
    claims = study.outcomes().set_index("id")
    tested = [entry["id"] for entry in ledger.claims("spmtc") if entry.get("params", {}).get("datasets")]
    named = {name for entry in tested for name in claims.at[entry, "pipeline"].split("; ")}
    assert named == set(map(study.headline, study.sets))
    page = study.printed_tables("RECvsTALK").text
    assert "Pipeline: RECvsTALK (rows kept) (identified)." in page
    before = study.beforehand("RECvsTALK")
    assert "Pipeline: RECvsTALK (fixed)." in before.text
    assert before.tables[0].folded


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
