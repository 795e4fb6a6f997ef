"""News in several views: on tiny made-up files."""

import numpy as np

from mtclib.datasets import load, newsviews

HEADER = "%%MatrixMarket matrix coordinate real general\n"


def test_stories_that_have_all_views_keep_the_order_of_the_first_and_each_view_is_weighed_alone(made_up):
    made_up("BBCSport/bbcsport_seg1of2.docs", "a.2\na.1\nb.1\n")
    made_up("BBCSport/bbcsport_seg2of2.docs", "b.1\nb.9\na.2\n")
    made_up("BBCSport/bbcsport_seg1of2.mtx", HEADER + "2 3 4\n1 1 3.0\n2 2 1.0\n1 3 2.0\n2 3 2.0\n")
    made_up("BBCSport/bbcsport_seg2of2.mtx", HEADER + "3 3 3\n3 1 5.0\n2 2 1.0\n1 3 4.0\n")
    made_up("BBCSport/bbcsport.clist", "b: b.1,b.9\na: a.1,a.2\n")
    data = load("bbcsport")
    assert [X.toarray().tolist() for X in data.Xs] == [[[3, 0], [2, 2]], [[4, 0, 0], [0, 0, 5]]]
    assert (data.labels.tolist(), data.class_names) == ([0, 1], (("a", "b"),))
    assert data.differences == ("samples: 2, printed 544.",) * 2
    assert {source["file"].rpartition(".")[2] for source in data.sources} == {"mtx", "docs", "clist"}
    within = load("bbcsport", weighting="tfidf").Xs
    assert np.allclose(within[0].toarray(), [[0, 0], [0, 2 * np.log(2)]], atol=1e-9)
    over_all = load("bbcsport", weighting="share-idf").Xs
    assert np.allclose(over_all[0].toarray(), [[np.log(1.5), 0], [np.log(1.5) / 2] * 2], atol=1e-9)
    assert np.allclose(over_all[1].toarray(), [[np.log(3), 0, 0], [0, 0, np.log(3)]], atol=1e-9)


def test_the_lost_header_is_put_back_for_the_one_file_that_has_none(made_up, monkeypatch):
    monkeypatch.setattr(newsviews, "HEADERS", {"BBC/bbc_seg1of4.mtx": f"{HEADER}3 2 2\n".encode()})
    made_up("BBC/bbc_seg1of4.mtx", "1 1 2.0\n1 2 7.0\n")
    assert newsviews.read_counts("BBC/bbc_seg1of4.mtx").toarray().tolist() == [[2, 0, 0], [7, 0, 0]]
