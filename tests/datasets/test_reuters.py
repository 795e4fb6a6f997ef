"""The stories of Reuters-21578: on a sample."""

from pathlib import Path

from mtclib.datasets import formats, reuters

SGML = Path(__file__).parents[1] / "data" / "reuters-sample.sgm"


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
