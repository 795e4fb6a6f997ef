"""WebKB4 of the MTCMRL paper: on a small generated tree of pages, and on the real ones where at hand."""

import csv
from pathlib import Path

import numpy as np
import pytest
from test_datasets_loaders import real_data

from mtclib.datasets import available, fetching, load, tasks, text, webkb

HEAD = b"Server: x\r\n\r\n"
THIN = "student/texas/http:^^texas^thin"
PUBLISHED = Path(__file__).parents[2] / "data" / "mtcmrl" / "sizes.csv"


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Two pages a class and university, which share two words, and one page that has only one of them."""
    for read in (webkb.webkb_pages, webkb.webkb_text):
        monkeypatch.setattr(webkb, read.__name__, read.__wrapped__)
    for module in (tasks, text):
        monkeypatch.setattr(module, "fetch", lambda name: tmp_path / name)
    files = {
        f"webkb/{name}/{place}/http:^^{place}^{n}": HEAD + f"<b>{name}</b> the {place} page server".encode()
        for name in webkb.CLASSES["4"]
        for place in webkb.UNIVERSITIES
        for n in (1, 2)
    }
    files[f"webkb/{THIN}"] = HEAD + b"the page of rareword otherword"
    for folder in ("webkb-cmu", "20newsgroups"):
        (tmp_path / folder).mkdir()
    fetching.write_folders(tmp_path / "webkb-cmu" / "webkb.tar.xz", files)
    (tmp_path / "20newsgroups" / "english.stop").write_text("the\nof\n")


@pytest.mark.usefixtures("tree")
def test_a_page_with_one_common_word_is_left_out_and_named():
    data = load("mtcmrl-webkb4")
    assert data.preprocessing[1]["dropped"] == {"thin": [THIN]}
    assert [np.bincount(y).tolist() for y in data.labels] == [[2] * 4] * 4
    assert data.task_names == webkb.UNIVERSITIES and data.class_names[1][3] == "texas.student"
    assert [source["file"] for source in data.sources] == [webkb.ARCHIVE, webkb.STOP_WORDS]


@pytest.mark.usefixtures("tree")
def test_thin_pages_stay_if_asked_and_their_words_come_with_them():
    kept, fewer = load("mtcmrl-webkb4", drop=()), load("mtcmrl-webkb4")
    assert kept.Xs[1].shape == (9, 12) and fewer.Xs[1].shape == (8, 10)
    assert len(load("mtcmrl-webkb4", drop=(), min_terms=4).Xs[1].indptr) == 9


@pytest.mark.usefixtures("tree")
@pytest.mark.parametrize("weighting", ["counts", "counts-l2", "tfidf", "tfidf-l2"])
def test_each_weighting_gives_its_rows(weighting):
    norms = [np.sqrt(X.power(2).sum(axis=1)) for X in load("mtcmrl-webkb4", weighting=weighting).Xs]
    assert all(np.allclose(norm, 1.0) for norm in norms) == weighting.endswith("l2")
    whole = all((X.data % 1 == 0).all() for X in load("mtcmrl-webkb4", weighting=weighting).Xs)
    assert whole == (weighting == "counts")


@pytest.mark.usefixtures("tree")
def test_bad_options_are_refused_by_name():
    with pytest.raises(ValueError, match="drop must be a list"):
        load("mtcmrl-webkb4", drop="thin")
    with pytest.raises(ValueError, match="weighting must be one of"):
        load("mtcmrl-webkb4", weighting="bm25")
    with pytest.raises(ValueError, match="edition"):
        load("mtcmrl-webkb4", edition="pages")


@pytest.mark.usefixtures("tree")
def test_sizes_stand_beside_the_printed_ones():
    data = load("mtcmrl-webkb4")
    assert data.summary()["samples (paper)"].tolist() == [225, 250, 255, 306]
    assert data.differences[0].startswith("cornell.course: 2, printed 44; cornell.faculty: 2, printed 34")
    assert "WebKB" in available()["mtcmrl-webkb4"]


def test_the_printed_sizes_are_those_of_the_published_table():
    with PUBLISHED.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["dataset"] == "WebKB4"]
    sizes = [[int(r["value"]) for r in rows if r["task"] == str(t) and r["quantity"] == "class_size"]
             for t in range(1, 5)]  # fmt: skip
    assert tuple(map(tuple, sizes)) == webkb.MTCMRL_SIZES
    assert {int(r["value"]) for r in rows if r["quantity"] == "n_features"} == {webkb.MTCMRL_FEATURES}


@real_data
def test_the_real_pages_have_every_size_of_table_1():
    data = load("mtcmrl-webkb4")
    assert set(data.differences) == {"none"} and data.sha256.startswith("e32e4a52a49e")
    assert all((np.diff(X.indptr) > 0).all() for X in data.Xs)
    assert len(data.preprocessing[1]["dropped"]["thin"]) == 5


@real_data
def test_without_the_rule_for_thin_pages_a_page_or_two_remain():
    def sizes(**options):
        return [X.shape[0] for X in load("mtcmrl-webkb4", **options).Xs]

    assert sizes(drop=(), min_terms=0) == [226, 252, 255, 308]
    assert sizes(drop=(), min_terms=2) == [225, 250, 255, 307]
