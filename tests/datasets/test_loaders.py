"""Every data set by its name: the known one, to the last bit, and how its sizes differ from the printed ones.

Hashes are over matrices and labels; where the third column of the table is empty, all sizes are as the paper
prints them, or it prints none.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from data_support import digits_at_hand, real_data, wheel_data

from mtclib.core import paths
from mtclib.datasets import available, load, load_corpus
from mtclib.datasets.dataset import SETS, printed

DATA = Path(__file__).parents[1] / "data"
KNOWN = pd.read_csv(DATA / "known_data_sets.csv", dtype=str, keep_default_na=False).to_numpy()
MADE_HERE = ("mbc-spectra", "mspl-toy", "toy-multitask")
IN_WHEELS = [
    pytest.param("lmsc-handwritten", "36e430076699", marks=digits_at_hand),
    pytest.param("handwritten", "597f47b24f9b", marks=digits_at_hand),
    *(pytest.param(name, sha, marks=wheel_data) for name, sha in (
        ("mbc-ng20-2", "71461397d888"), ("mtcmrl-20newsgroups", "2bb1397dc2ca"),
        ("mtcmrl-reuters", "07b17e1dfee4"), ("spmtc-compvssci", "b1c3dd5e8bdc"),
    ))]


@pytest.mark.parametrize(("name", "sha", "difference"), [
    pytest.param(*row, id=row[0], marks=() if row[0] in MADE_HERE else real_data) for row in KNOWN
])  # fmt: skip
def test_a_data_set_is_the_known_one(name, sha, difference):
    data = load(name)
    others = set(data.differences) - {"none"}
    assert data.name == name
    assert data.sha256.startswith(sha)
    assert any(found.startswith(difference) for found in others) if difference else not others


@pytest.mark.parametrize(("name", "sha"), IN_WHEELS)
def test_an_edition_that_needs_a_package_index_only_is_the_known_one(name, sha):
    data = load(name, edition="wheel")
    assert data.edition.startswith("wheel")
    assert data.sha256.startswith(sha)


@real_data
@pytest.mark.parametrize(("name", "params", "sha"), [
    ("mtcmrl-20newsgroups", {"edition": "matlab", "stop_words": "smart", "select_with_labels": "root-mi",
                             "min_terms": 1, "weighting": "counts"}, "586b19ba0dcb"),
    ("mtcmrl-reuters", {"edition": "cai", "weighting": "counts"}, "68ba15edfb53")])
def test_the_files_of_mtcmrls_footnotes_have_every_size_of_its_table_1(name, params, sha):
    data = load(name, **params)
    assert set(data.differences) == {"none"}
    assert data.sha256.startswith(sha)
    printed = [(sum(row["class_sizes"]), row["n_features"], row["class_sizes"]) for row in data.published]
    assert [(*X.shape, np.bincount(y).tolist()) for X, y in zip(data.Xs, data.labels)] == printed


@real_data
@pytest.mark.parametrize(("chosen", "met"), [
    ("root-mi", 14), ("root-ig", 13), ("class-mi", 11), ("class-ig", 13), (None, 11)])  # fmt: skip
def test_of_five_ways_to_choose_words_one_has_all_14_class_sizes(chosen, met):
    data = load("mtcmrl-20newsgroups", edition="matlab", stop_words="smart", select="df", min_terms=1,
                select_with_labels=chosen)  # fmt: skip
    sizes = [np.bincount(y) == row["class_sizes"] for y, row in zip(data.labels, data.published)]
    assert np.concatenate(sizes).sum() == met
    words = [step["step"] for step in data.preprocessing if step["step"].startswith("vocabulary")]
    assert words == ["vocabulary, chosen with the true labels" if chosen else "vocabulary"]


@pytest.mark.parametrize("paper", ["mbc", "mtcmrl", "spmtc"])
def test_the_printed_sizes_are_those_of_the_papers_table(paper):
    table = pd.read_csv(paths.paper_dir(paper) / "sizes.csv", dtype={"task": str})
    table["dataset"] = table["dataset"].str.lower()
    known = {name for name in SETS if name.startswith(f"{paper}-")}
    assert known == {f"{paper}-{name}" for name in table["dataset"]}
    for name in known:
        of_set = table[f"{paper}-" + table["dataset"] == name]
        for t, row in enumerate(printed(name, of_set["task"].nunique()), 1):
            of_all = of_set["task"].isna() & (of_set["quantity"] == "n_features")
            of_task = of_set[(of_set["task"] == str(t)) | of_all]
            sizes = of_task.groupby("quantity")["value"].apply(list).to_dict()
            sizes.setdefault("n_samples", [sum(sizes.get("class_size", ()))])
            assert sizes == {key.replace("sizes", "size"): [*np.ravel(value)] for key, value in row.items()}


def test_every_name_is_known_and_has_a_line():
    large = {"awa", "mbc-sports"}
    others = pd.read_csv(DATA / "comparison_figures.csv")["name"]
    assert {name for name, *_ in KNOWN} | {"lmsc-handwritten", *others} == set(available()) - large
    assert all(line and line[-1] == "." for line in available().values())


REFUSED = {
    "mtcmrl-webkb4": [({"drop": drop}, "drop must be a list") for drop in ("thin", None)],
    "spmtc-webkb": [({"drop": ["short"]}, "drop must be"), ({"classes": "7"}, "classes must be one of")],
    "webkb-texas": [({"links": "none"}, "links must be one of"), ({"weighting": "log"}, "weighting must be")],
    "newsgroups-shared": [
        *(({"n_shared": n}, "n_shared must be an integer") for n in (4, True, 1.0)),
        ({"n_per_class": 0}, "n_per_class must be an integer >= 1"),
        ({"edition": "19997"}, "edition must be one of 'bydate', 'wheel'"),
        ({"idf_scope": "all"}, "idf_scope is fixed"),
    ],
    "lmsc-newsgroups": [({"min_terms": -1}, "min_terms must be"), ({"edition": "x"}, "edition must be one"),
                        ({"min_words": 5}, "min_words: unknown option")],
    "lmsc-bbc": [({"links": "all"}, "lmsc-bbc: .*'links'.*it takes weighting")],
    "mbc-ohscal": [({"categories": "2-9"}, "categories must be one of")],
    "mbc-tr11": [({"stemming": "porter"}, "mbc-tr11: .*stemming.*it takes categories, max_df, weighting")],
    "mbc-ng20-1": [({"split": "train"}, "split: edition 'counts' has no texts"),
                   *(({"random_state": n}, "random_state must be an integer") for n in (-1, "0", None))],
    "mbc-ng20-3": [({"edition": "x"}, "edition must be one"),
                   ({"min_df": 2}, "min_df: edition 'counts' has no texts")],
    "mtcmrl-reuters": [({"edition": "cai", "stop_words": "smart"}, "stop_words: edition 'cai' is a matrix")],
    "awa": [({"views": "4"}, "views must be one of"), ({"classes": "40"}, "classes must be one of")],
    "spmtc-compvssci": [({"stemming": None}, "stemming: edition 'lssmtc' has fixed terms")],
    "spmtc-recvstalk": [({"edition": "19997"}, "edition must be one of")],
    "spmtc-orgsvspeople": [({"weighting": "tfidf"}, "edition 'presence' has no counts")],
    "handwritten": [({"edition": "uci"}, "edition must be one of")],
    "handwritten-corrupted": [({"view": "SIFT"}, "view must be one of")],
    "bbcsport": [({"weighting": "bm25"}, "weighting must be one of .*'share-idf'")],
    "orl": [({"preparation": "tfidf"}, "preparation must be one of 'stored', 'first', 'second'")],
    "mtcmrl-20newsgroups": [({"edition": "18828"}, "edition must be one of")],
    "mtcmrl-20newsgroup": [({}, "Did you mean 'mtcmrl-20newsgroups'")],
    "toy-multitask": [({"seed": 1}, "toy-multitask: .*'seed'.*random_state"),
                      ({"sharpness": 2}, "sharpness must be"), ({"length": 0}, "length must be"),
                      *(({"random_state": n}, "random_state must be") for n in (-1, 0.5, None))],
    "mspl-toy": [*(({"random_state": n}, "random_state must be") for n in (-1, 0.5, None)),
                 *(({"separation": n}, "separation must be") for n in (0, -1.0, np.inf, "4")),
                 ({"noise": "no"}, "noise must be")],
    "mbc-spectra": [*(({"random_state": n}, "random_state must be") for n in (-1, None))],
    "spmtc-noisy": [({"base": "spmtc-orgsvspeople"}, "base must be")]}


@pytest.mark.parametrize(("name", "options", "message"), [
    (name, *row) for name, rows in REFUSED.items() for row in rows
])  # fmt: skip
@pytest.mark.usefixtures("nowhere")
def test_an_unknown_name_or_option_is_refused_by_name_before_any_file_is_read(name, options, message):
    with pytest.raises(ValueError, match=message):
        load(name, **options)


@pytest.mark.parametrize(("name", "options"), [("20 news", {}), ("webkb", {"edition": "html"})])
def test_an_unknown_corpus_and_edition_are_refused(name, options):
    with pytest.raises(ValueError, match="(name|edition) must be one of"):
        load_corpus(name, **options)
