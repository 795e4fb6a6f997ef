"""WebKB: the pages and LINQS's edition of them, on generated files."""

import numpy as np
import pytest
from scipy import sparse

from mtclib.datasets import load, load_corpus, webkb

HEAD = "Server: x\r\n\r\n"
THIN, EMPTY = "student/texas/http:^^texas^thin", "student/texas/http:^^texas^empty"


@pytest.fixture
def tree(made_up):
    """Return how to write two pages per class and university, and others: an address and its content."""

    def write(classes, **others):
        files = {f"{name}/{place}/http:^^{place}^{n}": f"{HEAD}<b>{name}</b> the {place} page host"
                 for name in classes for place in (*webkb.UNIVERSITIES, "misc") for n in (1, 2)}
        files = {f"webkb/{address}": content.encode() for address, content in (files | others).items()}
        made_up("webkb-cmu/webkb.tar.xz", files)
        made_up("20newsgroups/english.stop", "the\nof\n")
        return files

    return write


@pytest.fixture
def thin(tree):
    """Among the pages one that has only one of the words that they share."""
    return tree(webkb.CLASSES["4"], **{THIN: f"{HEAD}the page of rareword otherword"})


@pytest.fixture
def web(tree):
    """All classes, and an empty page."""
    return tree((*webkb.CLASSES["6"], "other"), **{EMPTY: f"{HEAD}<p>The <b>OF</b> 12"})


def test_page_text_has_no_markup_and_keeps_what_is_read():
    page = (
        "HTTP: x\r\nTitle: y\r\n\r\n<TITLE>CS 1</TITLE><!-- no > no --><script>var no = 1;</script>\r\n"
        "<STYLE>no</style ><a href='no'>if a < b</a> &amp; c&eacute;<br>end"
    )
    assert webkb.page_text(page).split() == ["CS", "1", "if", "a", "<", "b", "&", "cé", "end"]
    assert webkb.page_text("HTTP: only\n") == ""


def test_pages_are_labelled_by_university_and_class(web):
    corpus = load_corpus("webkb")
    assert (len(corpus.texts), len(corpus.select("misc.other"))) == (len(web), 2)
    assert corpus.ids[corpus.select("cornell.course")[0]] == "course/cornell/http:^^cornell^1"
    assert " ".join(corpus.texts[corpus.select("texas.project")[0]].split()) == "project the texas page host"
    assert "<b>" in load_corpus("webkb", "pages").texts[0]


@pytest.mark.usefixtures("web")
def test_spmtcs_tasks_are_universities_and_pages_are_dropped_as_asked():
    data = load("spmtc-webkb")
    assert (data.task_names, data.n_clusters) == (webkb.UNIVERSITIES, [4] * 4)
    assert [np.bincount(y).tolist() for y in data.labels] == [[2] * 4] * 4
    assert [source["file"] for source in data.sources] == [webkb.ARCHIVE, webkb.STOP_WORDS]
    assert load("spmtc-webkb", classes="6").n_clusters == [6] * 4
    with pytest.raises(ValueError, match="classes: unknown option"):
        load("mtcmrl-webkb4", classes="6")
    kept = load("spmtc-webkb", drop=(), min_terms=0)
    assert ([X.shape[0] for X in kept.Xs], len(kept.sources)) == ([8, 9, 8, 8], 1)
    assert [each.preprocessing[1]["dropped"] for each in (data, kept)] == [{"empty": [EMPTY]}, {}]


@pytest.mark.usefixtures("thin")
def test_a_page_with_one_common_word_is_left_out_and_named_or_stays_with_its_words_if_asked():
    data, kept = load("mtcmrl-webkb4"), load("mtcmrl-webkb4", drop=())
    assert data.preprocessing[1]["dropped"] == {"thin": [THIN]}
    assert [np.bincount(y).tolist() for y in data.labels] == [[2] * 4] * 4
    assert (data.task_names, data.class_names[1][3]) == (webkb.UNIVERSITIES, "texas.student")
    assert [source["file"] for source in data.sources] == [webkb.ARCHIVE, webkb.STOP_WORDS]
    assert data.summary()["samples (paper)"].tolist() == [225, 250, 255, 306]
    assert data.differences[0].startswith("cornell.course: 2, printed 44; cornell.faculty: 2, printed 34")
    assert (kept.Xs[1].shape, data.Xs[1].shape) == ((9, 12), (8, 10))
    assert len(load("mtcmrl-webkb4", drop=(), min_terms=4).Xs[1].indptr) == 9


def linqs_files(write, cites):
    write("WebKB/texas.content", "a\t1\t0\tstudent\nb\t0\t1\tcourse\nc\t1\t1\tstudent\n")
    write("WebKB/texas.cites", cites)


@pytest.mark.parametrize(("links", "row", "column"), [("out", 1, 0), ("in", 0, 1)])
def test_the_page_that_links_is_the_second_of_a_line(made_up, links, row, column):
    linqs_files(made_up, "a b\n")
    assert [place.tolist() for place in load("webkb-texas", links=links).Xs[1].nonzero()] == [[row], [column]]


def test_links_both_ways_and_to_oneself_count_twice(made_up):
    linqs_files(made_up, "a b\nc c\nb a\n")
    data = load("webkb-texas")
    assert data.Xs[0].toarray().tolist() == [[1, 0], [0, 1], [1, 1]]
    assert data.Xs[1].toarray().tolist() == [[0, 2, 0], [2, 0, 0], [0, 0, 2]]
    assert (data.labels.tolist(), data.class_names) == ([4, 0, 4], (webkb.LINQS_CLASSES,))
    each = [load("webkb-texas", links=links).Xs[1].toarray() for links in ("both", "out", "in")]
    assert np.array_equal(load("webkb-texas", links="all").Xs[1].toarray(), np.hstack(each))
    unit = load("webkb-texas", weighting="stored-l2")
    assert np.allclose(sparse.linalg.norm(unit.Xs[0], axis=1), 1)
    assert unit.Xs[1].max() == 1
