"""Every address, count and size that a paper prints is accounted for: used, tried, or out of reach."""

import pandas as pd
import pytest

from mtclib.core import paths

URLS = {"spmtc": 3, "mspl": 0, "mbc": 1, "mtcmrl": 3, "lmsc": 0}
"""Addresses of data in the text and the footnotes of papers that were read for them."""
every = pytest.mark.parametrize("paper", paths.papers())


def facts(paper):
    return pd.read_csv(paths.paper_dir(paper) / "facts.csv", dtype=str, keep_default_na=False)


@every
def test_every_fact_says_where_it_stands_what_became_of_it_and_what_it_implies(paper):
    rows = facts(paper)
    assert (rows[["where", "quantity", "value", "implies"]] != "").all(axis=None)
    assert set(rows["status"]) <= {"used", "tried", "out of reach"}
    assert not rows.duplicated(["where", "dataset", "task", "method", "quantity", "row", "col"]).any()


@pytest.mark.parametrize("paper", URLS)
def test_every_address_of_data_in_a_paper_is_a_row(paper):
    rows = facts(paper).query("quantity == 'url'")
    assert len(rows) == URLS[paper]
    assert rows["value"].str.startswith("http").all()
    assert rows["where"].str.contains("footnote").all()
    assert (rows["implies"].str.len() > 30).all()


@every
def test_every_printed_size_is_a_row(paper):
    sizes = pd.read_csv(paths.paper_dir(paper) / "sizes.csv", dtype=str, keep_default_na=False)
    place = ["dataset", "task", "quantity"]
    printed = sizes.groupby(place)["value"].agg(" ".join).str.strip()
    rows = facts(paper)[lambda one: one["where"].str.startswith(("table", "text"))]
    assert rows.set_index(place)["value"].to_dict() == printed.to_dict()
