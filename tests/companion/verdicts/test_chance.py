"""What shuffled labels score: kept class sizes, bands that hold, and marks on printed numbers within them."""

import numpy as np
import pandas as pd
import pytest

from mtclib import metrics
from mtclib.companion.papers import in_order, scoreboard, study_of
from mtclib.companion.tables import IN_BAND, SHUFFLED
from mtclib.companion.verdicts import chance
from mtclib.core import paths

KNOWN = chance.load()


def test_the_committed_bands_are_what_the_committed_classes_give():
    committed, part = (KNOWN.query(f"paper == 'mspl' and dataset {of} 'Cornell'") for of in ("==", "!="))
    part = pd.concat([part, committed.assign(metric="ACC")]).to_dict("records")
    fresh = [row for row in chance.rows(study_of("mspl"), part) if row["dataset"] == "Cornell"]
    pd.testing.assert_frame_equal(pd.DataFrame(fresh), committed.reset_index(drop=True))


@pytest.mark.parametrize("paper", in_order())
def test_every_band_is_of_the_class_sizes_that_the_judged_data_have_today(paper, monkeypatch):
    monkeypatch.setattr(chance, "_shuffled", None)  # a row with other sizes would be shuffled anew
    known = KNOWN[KNOWN["paper"] == paper].to_dict("records")
    assert list(chance.rows(study_of(paper), known)) == known


def test_a_band_holds_nineteen_in_twenty_shuffles_of_the_classes():
    row = KNOWN.query("paper == 'lmsc' and dataset == 'Cornell' and task == '1' and metric == 'NMI'").iloc[0]
    classes = np.repeat(range(5), [int(n) for n in row["sizes"].split()])
    rng = np.random.default_rng(7)
    scores = [metrics.SCORES["NMI_arithmetic"](classes, rng.permutation(classes)) for _ in range(200)]
    assert np.mean((row["chance_low"] <= scores) & (scores <= row["chance_high"])) > 0.85
    assert np.mean(scores) == pytest.approx(row["chance"], abs=0.02)


def test_the_band_of_a_rand_index_is_by_the_pairs_that_the_judged_pipeline_counts():
    row = KNOWN.query("paper == 'lmsc' and dataset == 'BBC' and task == '1' and metric == 'RI'").iloc[0]
    sizes = np.array(row["sizes"].split(), dtype=int)
    n, (together, pairs) = sizes.sum(), ((k * (k - 1) / 2).sum() for k in (sizes, np.array([sizes.sum()])))
    unordered = 1 + 2 * (together / pairs) ** 2 - 2 * together / pairs  # of two independent partitions
    assert row["chance"] == pytest.approx(((n - 1) * unordered + 1) / n, abs=6e-4)


def test_three_methods_of_lmsc_print_what_shuffled_labels_score_on_24_of_27_cells_of_3sources():
    cells = scoreboard.all_verdicts().query("paper == 'lmsc' and dataset == '3Sources' and in_band")
    rows = cells[cells["method"].isin(["SNMF", "L2SC", "LLMC"]) & cells["task"].isin(["1", "2", "3"])]
    assert len(rows) == 24
    counted = scoreboard.by_chance(scoreboard.all_verdicts())["in the band"]
    assert counted["lmsc", "3Sources"] == len(cells)
    page = (paths.root() / "notebooks" / "differences.ipynb").read_text(encoding="utf-8")
    assert f"{counted['lmsc', 'Cornell']} of 81 printed numbers" in page


def test_a_number_printed_in_percent_that_is_an_end_of_its_band_lies_in_it():
    assert 54.17 * 0.01 > 0.5417
    known = pd.DataFrame([["", "a", "1", "ACC", 0.1, 0.0, 0.5417]], columns=[*chance.PLACE, *chance.SCORES])
    cells = pd.DataFrame({"paper": "", "dataset": "a", "source": "a", "task": "1", "metric": "ACC",
                          "published": [54.17 * 0.01, 0.5418]})
    assert chance.beside(cells, known)["in_band"].tolist() == [True, False]


def test_only_the_set_that_nobody_could_run_has_no_band():
    cells = scoreboard.all_verdicts()
    without = cells[cells["chance"].isna() & cells["printed"].notna()]
    assert set(without["dataset"]) == {"sports"}


def test_the_band_beside_a_variant_is_of_its_own_classes_and_the_mark_of_those_of_print():
    study = study_of("mspl")
    whole, part = (study.judged("Animal with attribute", name)
                   for name in ("Animal with attribute", "Animals, 35 classes"))
    assert (part["chance"] > whole["chance"]).sum() == (whole["metric"] != "NMI").sum()
    assert part["in_band"].tolist() == whole["in_band"].tolist()
    assert "No printed number lies in its band." in study.digits_and_animals().tables[0].text


def test_every_printed_table_has_the_shuffled_row_and_marks_the_numbers_within():
    study = study_of("lmsc")
    first = study.reproduced("Cornell")
    assert first.rows[-1][0].lines == (SHUFFLED,)
    assert " to " in first.rows[-1][1].lines[1]
    marked = sum(cell.lines[-1].endswith(IN_BAND) for row in first.rows for cell in row)
    assert marked == study.judged("Cornell")["in_band"].sum() > 30
    assert f"{marked} printed numbers lie in theirs" in first.text
