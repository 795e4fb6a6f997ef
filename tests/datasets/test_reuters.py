"""The stories of Reuters-21578: on a sample."""

from pathlib import Path

import numpy as np

from mtclib.datasets import formats, load, reuters

SGML = Path(__file__).parents[1] / "data" / "reuters-sample.sgm"


def test_the_sgml_reader_finds_every_field():
    sgml = SGML.read_text(encoding="latin-1")
    first, second, third, fourth = formats.parse_stories(sgml)
    assert (first.newid, first.topics, first.modapte) == (5, ("coffee",), "train")
    assert first.title == "COFFEE & <SUGAR> UP"
    assert first.body == "Prices of coffee rose £2 today,\nand <Beans Ltd> sold more.\n Reuter"
    assert (second.topics, second.body, second.modapte) == (("gold", "copper"), "Both rose.", "test")
    assert (third.topics, third.body, third.modapte) == (("gold",), "", "train")
    assert (fourth.topics, fourth.modapte) == ((), "")
    for word, other in (("TRAIN", "NOT-USED"), ("YES", "NO")):
        assert formats.parse_stories(sgml.replace(f'"{word}"', f'"{other}"'))[0].modapte == ""


def test_labels_are_single_topics_of_stories_with_a_body(made_up):
    made_up("reuters21578/reuters21578.tar.xz", {"reuters21578/reut2-000.sgm": SGML.read_bytes()})
    assert (reuters.reuters21578().ids, reuters.reuters21578().labels) == (("5", "6"), ("coffee", ""))


def test_cais_matrix_is_cut_by_class_number_and_loses_the_terms_that_no_task_has(made_up):
    codes = np.repeat(reuters.KNOWN["cai_classes"], 2)
    counts = np.column_stack([np.arange(1, 19), np.zeros(18), np.tile([0, 1], 9)])
    made_up("reuters21578-cai/Reuters21578.mat", {
        "fea": counts, "gnd": codes[:, None], "trainIdx": np.arange(1, 10)[:, None],
        "testIdx": np.arange(10, 19)[:, None]})
    data = load("mtcmrl-reuters", edition="cai", weighting="counts")
    assert [y.tolist() for y in data.labels] == [[0, 0, 1, 1, 2, 2]] * 3
    assert data.Xs[1].toarray().tolist() == [[n, n % 2 == 0] for n in range(7, 13)]
    assert "gnp: 2, printed 63" in data.differences[0]
    assert "features: 2, printed 6439" in data.differences[0]
