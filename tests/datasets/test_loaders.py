"""Every data set by its name: the known one, to the last bit, and how its sizes differ from the printed ones.

Hashes are over matrices and labels; where the third column is empty, all sizes are as the paper prints them,
or it prints none.
"""

import pytest
from data_support import digits_at_hand, real_data, wheel_data

from mtclib.datasets import available, load, load_corpus
from mtclib.datasets.comparison import TABLE

IN_A_TASK = "samples are in a task. The cut in four is inferred"
DROPPED = "Which document Zhong and Ghosh dropped"
KNOWN = [
    ("3sources", "cedd9e4d6b89", ""),
    ("bbc", "1091cd01a2e7", ""),
    ("bbcsport", "fc0de1149c3b", ""),
    ("handwritten", "3f692b43073d", ""),
    ("handwritten-corrupted", "c61c90894e82", ""),
    ("lmsc-3sources", "feabbb212881", f"168 of 169 {IN_A_TASK}"),
    ("lmsc-bbc", "a3202be041ab", f"684 of 685 {IN_A_TASK}"),
    ("lmsc-bbcsport", "7f366b1c4907", f"544 of 544 {IN_A_TASK}"),
    ("lmsc-cornell", "5e8ebf537c39", f"192 of 195 {IN_A_TASK}"),
    ("lmsc-newsgroups", "7073f09ab393", ""),
    ("mbc-hitech", "0de79adf2479", ""),
    ("mbc-ng20-1", "4de3e9a9b081", f"samples: 9975, printed 9974. {DROPPED}"),
    ("mbc-ng20-2", "852aa44d46e7", f"samples: 14970, printed 14969. {DROPPED}"),
    ("mbc-ng20-3", "24ef0b2b1873", f"samples: 19950, printed 19949. {DROPPED}"),
    ("mbc-ohscal", "6795b9f7f6b7", "categories: 3-10, printed 2-9. The printed categories"),
    ("mbc-reviews", "8ce9690899ff", ""),
    ("mbc-spectra", "d58fc90d95d6", ""),
    ("mbc-tr11", "6f4528ebe60b", ""),
    ("mbc-tr23", "2a9ed8071372", "classes: 4, printed 6; categories: 3-6, printed 1-6. The printed"),
    ("mbc-tr45", "d251a3f872f2", ""),
    ("mspl-toy", "e89998837091", ""),
    ("mtcmrl-20newsgroups", "353c296b84fe", "rec.sport.baseball: 397, printed 396; sci.med: 390, printed"),
    ("mtcmrl-reuters", "b3e002454035", "features: 6409, printed 6439. The paper does not state"),
    ("mtcmrl-webkb4", "e32e4a52a49e", ""),
    ("newsgroups-shared", "2ea0ebea482a", ""),
    ("spmtc-compvssci", "142eac768f92", ""),
    ("spmtc-noisy", "5ab30c26e854", ""),
    ("spmtc-orgsvspeople", "515193ad1c8f", ""),
    ("spmtc-orgsvsplaces", "4fefb66b7204", "features: 4415, printed 4405. Other papers"),
    ("spmtc-peoplevsplaces", "11134c7251b9", ""),
    ("spmtc-recvstalk", "a74d037acaa4", ""),
    ("spmtc-webkb", "a6f8654f83fa", "classes: 4, printed 6. The printed sizes are those of four classes"),
    ("toy-multitask", "b558558b1304", ""),
    ("webkb-cornell", "99cf564cd5fb", ""),
    ("webkb-texas", "3f81222da412", "staff has a single page."),
    ("webkb-washington", "083b08ad1714", ""),
    ("webkb-wisconsin", "f5e5824b86be", ""),
]
MADE_HERE = ("mbc-spectra", "mspl-toy", "toy-multitask")
IN_WHEELS = [
    pytest.param("lmsc-handwritten", "36e430076699", marks=digits_at_hand),
    pytest.param("handwritten", "597f47b24f9b", marks=digits_at_hand),
    *(pytest.param(name, sha, marks=wheel_data) for name, sha in (
        ("mbc-ng20-2", "71461397d888"), ("mtcmrl-20newsgroups", "2bb1397dc2ca"),
        ("mtcmrl-reuters", "07b17e1dfee4"), ("spmtc-compvssci", "b1c3dd5e8bdc"),
    )),
]  # fmt: skip


@pytest.mark.parametrize(("name", "sha", "difference"), [
    pytest.param(*row, id=row[0], marks=() if row[0] in MADE_HERE else real_data) for row in KNOWN
])  # fmt: skip
def test_a_data_set_is_the_known_one(name, sha, difference):
    data = load(name)
    others = set(data.differences) - {"none"}
    assert data.name == name and data.sha256.startswith(sha)
    assert any(found.startswith(difference) for found in others) if difference else not others


@pytest.mark.parametrize(("name", "sha"), IN_WHEELS)
def test_an_edition_that_needs_a_package_index_only_is_the_known_one(name, sha):
    data = load(name, edition="wheel")
    assert data.edition.startswith("wheel") and data.sha256.startswith(sha)


def test_every_name_is_known_and_has_a_line():
    unavailable = {"awa", "mbc-sports"}
    assert {name for name, *_ in KNOWN} | {"lmsc-handwritten", *TABLE} == set(available()) - unavailable
    assert all(line and line[-1] == "." for line in available().values())


REFUSED = {
    "mtcmrl-webkb4": [({"drop": "thin"}, "drop must be a list")],
    "spmtc-webkb": [({"drop": ["short"]}, "drop must be"), ({"classes": "7"}, "classes must be one of")],
    "webkb-texas": [({"links": "none"}, "links must be one of"), ({"weighting": "log"}, "weighting must be")],
    "newsgroups-shared": [
        *(({"n_shared": n}, "n_shared must be an integer") for n in (4, True, 1.0)),
        ({"n_per_class": 0}, "n_per_class must be an integer >= 1"),
        ({"edition": "19997"}, "edition must be one of 'bydate', 'wheel'"),
        ({"idf_scope": "all"}, "idf_scope is fixed"),
    ],
    "lmsc-newsgroups": [({"min_terms": -1}, "min_terms must be"), ({"edition": "x"}, "edition must be one")],
    "lmsc-bbc": [({"links": "all"}, "lmsc-bbc: .*'links'.*it takes weighting")],
    "mbc-ohscal": [({"categories": "2-9"}, "categories must be one of")],
    "mbc-tr11": [({"stemming": "porter"}, "mbc-tr11: .*stemming.*it takes categories, max_df, weighting")],
    "mbc-ng20-1": [({"random_state": n}, "random_state must be an integer") for n in (-1, "0", None)],
    "mbc-ng20-3": [({"roots": "prefix"}, "roots must be one of"), ({"edition": "x"}, "edition must be one")],
    "spmtc-compvssci": [({"stemming": None}, "stemming: edition 'lssmtc' has fixed terms")],
    "spmtc-recvstalk": [({"edition": "19997"}, "edition must be one of")],
    "spmtc-orgsvspeople": [({"weighting": "tfidf"}, "the file holds no counts")],
    "handwritten": [({"edition": "uci"}, "edition must be one of")],
    "handwritten-corrupted": [({"view": "SIFT"}, "view must be one of")],
    "bbcsport": [({"weighting": "bm25"}, "weighting must be one of .*'share-idf'")],
    "orl": [({"preparation": "tfidf"}, "preparation must be one of 'stored', 'first', 'second'")],
    "mtcmrl-20newsgroups": [({"edition": "18828"}, "edition must be one of")],
    "mtcmrl-20newsgroup": [({}, "Did you mean 'mtcmrl-20newsgroups'")],
    "toy-multitask": [({"seed": 1}, "toy-multitask: .*'seed'.*random_state")],
}


@pytest.mark.parametrize(("name", "options", "message"), [
    (name, *row) for name, rows in REFUSED.items() for row in rows
])  # fmt: skip
def test_an_unknown_name_or_option_is_refused_by_name_before_any_file_is_read(
        name, options, message, tmp_path, monkeypatch):
    monkeypatch.delenv("MTCLIB_DATA", raising=False)
    monkeypatch.setenv("MTCLIB_CACHE", str(tmp_path))
    monkeypatch.setenv("MTCLIB_OFFLINE", "1")
    with pytest.raises(ValueError, match=message):
        load(name, **options)


@pytest.mark.parametrize(("name", "options"), [("20 news", {}), ("webkb", {"edition": "html"})])
def test_an_unknown_corpus_and_edition_are_refused(name, options):
    with pytest.raises(ValueError, match="(name|edition) must be one of"):
        load_corpus(name, **options)
