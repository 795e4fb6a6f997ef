"""Reading printed numbers."""

import math

import pandas as pd
import pytest

from mtclib.companion.verdicts import published
from mtclib.companion.verdicts.published import PublishedError, from_printed

COLUMNS = list(published.REQUIRED)


def frame(*rows, columns=COLUMNS):
    return pd.DataFrame(rows, columns=columns)


def test_percent_becomes_a_fraction_and_the_half_unit_follows_the_printed_digits():
    row = from_printed(frame(("p", "1", "toy", "Task 2", "SNMF", "ACC", "80.90", "0.0"))).iloc[0]
    assert row["cell"] == "p:1:toy:2:SNMF:ACC"
    assert (row["printed_mean"], row["printed_std"], row["unit"]) == ("80.90", "0.0", "percent")
    assert math.isclose(row["mean"], 0.809)
    assert row["std"] == 0.0
    assert math.isclose(row["half_unit"], 0.00005)
    assert math.isclose(row["half_unit_std"], 0.0005)


def test_a_table_of_fractions_stays_and_a_distance_is_left_alone():
    table = from_printed(frame(("p", "1", "toy", "1", "IND", "NMI", ".40", ".02"),
                               ("p", "2", "toy", "", "IND", "d_M", "27.39", "")))
    assert table["mean"].tolist() == [0.40, 27.39]
    assert table["unit"].tolist() == ["fraction", "raw"]
    assert math.isclose(table["half_unit"].iloc[0], 0.005)
    assert math.isnan(table["std"].iloc[1])
    assert math.isnan(table["half_unit_std"].iloc[1])


def test_the_unit_column_of_the_csv_wins_over_the_guess():
    row = ("p", "1", "toy", "1", "SNMF", "ACC", "0.9", "", "percent")
    assert math.isclose(from_printed(frame(row, columns=[*COLUMNS, "unit"]))["mean"].iloc[0], 0.009)
    with pytest.raises(PublishedError, match="unit 'permille' is unknown"):
        from_printed(frame((*row[:-1], "permille"), columns=[*COLUMNS, "unit"]))


def test_a_missing_column_a_bad_number_and_a_doubled_cell_are_refused(write):
    with pytest.raises(PublishedError, match="demo/published.csv: missing column.s. std"):
        published.load(write("published.csv", ",".join(COLUMNS[:-1])))
    row = ("p", "1", "toy", "1", "SNMF", "ACC", "80.90", "0.00")
    for wrong in ("8o.9", "inf"):
        with pytest.raises(PublishedError, match=f"mean='{wrong}' of p:1:toy:1:SNMF:ACC is no number"):
            from_printed(frame((*row[:6], wrong, "")))
    with pytest.raises(PublishedError, match="more than one row for p:1:toy:1:SNMF:ACC"):
        from_printed(frame(row, row))


def test_class_sizes_are_grouped_by_task(write):
    rows = "a,1,class_size,3\na,1,class_size,4\nb,,n_samples,9\n"
    paper = write("sizes.csv", f"dataset,task,quantity,value\n{rows}")
    assert published.class_sizes(paper) == {("a", "1"): [3, 4]}
