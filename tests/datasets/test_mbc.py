"""The MBC paper's data: on tiny made-up files, and on the real ones where they are at hand."""

import numpy as np
import pandas as pd
import pytest
from data_support import real_data
from scipy import sparse

from mtclib.core import paths
from mtclib.datasets import load, mbc
from mtclib.datasets.dataset import SETS
from mtclib.metrics import partition_emd

GROUPS = (
    "alt.atheism", "comp.graphics", "misc.forsale", "rec.autos", "sci.med", "soc.religion.christian",
    "talk.politics.guns", "talk.religion.misc")


def matrix_file(write, key, classid):
    """Document i has its own term i times, the term of all documents, and perhaps that of half of them."""
    n = len(classid)
    dtm = sparse.lil_matrix((n, n + 2), dtype=np.uint8)
    dtm.setdiag(np.arange(1, n + 1))
    dtm[:, n] = 1
    dtm[: n // 2, n + 1] = 2
    write(f"cluto-zhong/{key}.mat", {"dtm": dtm.tocsc(), "classid": np.array(classid, np.uint8)[:, None]})


def test_a_shared_category_has_the_same_documents_in_both_tasks_and_keeps_its_number_as_its_name(made_up):
    matrix_file(made_up, "tr45", [10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
    data = load("mbc-tr45", weighting="counts")
    rows = [X[:, :10].toarray().max(axis=1).tolist() for X in data.Xs]
    assert rows == [[4, 5, 6, 7, 8, 9, 10], [1, 2, 3, 4, 5, 6, 7]]
    assert [y.tolist() for y in data.labels] == [[6, 5, 4, 3, 2, 1, 0]] * 2
    assert data.class_names == (tuple("1234567"), ("4", "5", "6", "7", "8", "9", "10"))
    assert (data.edition, data.sources[0]["file"]) == ("cluto-zhong", "cluto-zhong/tr45.mat")


def test_common_terms_are_dropped_before_the_cut_and_a_shared_document_counts_once_for_idf_over_all(made_up):
    matrix_file(made_up, "reviews", [1, 2, 3, 4, 5, 5])
    data = load("mbc-reviews", weighting="counts")
    assert ([X.shape[1] for X in data.Xs], data.Xs[0][:, [6]].sum()) == ([7, 7], 6)
    assert data.preprocessing[1] == {"step": "vocabulary", "max_df": 0.5, "n_terms": 7}
    assert data.differences[0] == "samples: 4, printed 3657; features: 7, printed 18482."
    assert load("mbc-reviews", max_df=1.0).Xs[0].shape[1] == 8
    with pytest.raises(ValueError, match="max_df: no term is in at most 10%"):
        load("mbc-reviews", max_df=0.1)
    over_all = load("mbc-reviews", weighting="tfidf").Xs
    by_task = load("mbc-reviews", weighting="tfidf", idf_scope="task").Xs
    stacked = load("mbc-reviews", weighting="tfidf", idf_scope="stacked").Xs
    assert over_all[0].toarray()[1, 1] == pytest.approx(2 * np.log(6), abs=1e-9)
    assert by_task[0].toarray()[1, 1] == pytest.approx(2 * np.log(4), abs=1e-9)
    assert stacked[0].toarray()[1, 1] == pytest.approx(2 * np.log(9 / 2), abs=1e-9)
    assert by_task[1].toarray()[0, 1] == pytest.approx(2 * np.log(5), abs=1e-9)


@pytest.mark.parametrize(
    ("key", "n", "sizes", "printed"),
    [("ohscal", 10, ("3-10", [8, 8]), ("2-9", [8, 8])), ("tr23", 6, ("3-6", [6, 4]), ("1-6", [6, 6]))])
def test_where_table_2_contradicts_itself_its_sizes_decide_unless_told_otherwise(
    made_up, key, n, sizes, printed
):
    matrix_file(made_up, key, np.arange(n) + 1)
    ours, theirs = load(f"mbc-{key}"), load(f"mbc-{key}", categories="printed")
    assert (f"{ours.class_names[1][0]}-{ours.class_names[1][-1]}", ours.n_clusters) == sizes
    assert (f"{theirs.class_names[1][0]}-{theirs.class_names[1][-1]}", theirs.n_clusters) == printed
    assert f"categories: {sizes[0]}, printed {printed[0]}. The printed categories" in ours.differences[1]
    assert "categories: " not in theirs.differences[1] + ours.differences[0]


def messages():
    """Four messages of each group: a word of the group, one of all messages, one of two; one has no other."""
    files = {}
    for g, group in enumerate(GROUPS):
        for n in range(4):
            rare = " rare" if n == 0 and g < 2 else ""
            body = f"writes we'll {chr(97 + g) * 3}{rare}" if (g, n) != (2, 3) else "writes the"
            files[f"20_newsgroup/{group}/{n}"] = f"Subject: header\n\n{body}".encode()
    return files


@pytest.fixture
def ng20(made_up):
    made_up("20newsgroups/20_newsgroup-19997.tar.xz", messages())
    made_up("20newsgroups/english.stop", "the\nwe\n'll\n")


@pytest.mark.usefixtures("ng20")
def test_ng20_has_no_headers_stop_words_rare_or_common_terms_and_no_empty_messages():
    data = load("mbc-ng20-3", edition="19997", weighting="counts")
    assert ([X.shape for X in data.Xs], {int(n) for n in data.Xs[0].sum(axis=1)}) == ([(31, 8)] * 2, {1})
    assert next(s for s in data.preprocessing if s["step"] == "drop")["n_dropped"] == [1]
    steps = [step["step"] for step in data.preprocessing]
    assert steps == ["choose", "strip", "vocabulary", "drop", "split", "weigh"]


@pytest.mark.usefixtures("ng20")
def test_ng20_1_is_two_random_halves_that_the_seed_decides():
    data = load("mbc-ng20-1", edition="19997", weighting="counts")
    assert [X.shape[0] for X in data.Xs] == [16, 15]
    assert data.differences[1].startswith("samples: 15, printed 9974;")
    groups = [names[code] for names, y in zip(data.class_names, data.labels) for code in y]
    assert [groups.count(group) for group in GROUPS] == [4, 4, 3, 4, 4, 4, 4, 4]
    again = [load("mbc-ng20-1", edition="19997", weighting="counts", random_state=n).sha256 for n in (0, 1)]
    assert again[0] == data.sha256 != again[1]


@pytest.mark.usefixtures("ng20")
def test_ng20_2_leaves_out_talk_in_the_first_task_and_comp_in_the_second():
    data = load("mbc-ng20-2", edition="19997", weighting="counts")
    assert data.class_names == (GROUPS[:6], (GROUPS[0], *GROUPS[2:]))
    assert [np.bincount(y).tolist() for y in data.labels] == [[4, 4, 3, 4, 4, 4], [4, 3, 4, 4, 4, 4, 4]]
    shared = [X[np.isin(y, codes)] for X, y, codes in zip(data.Xs, data.labels, ([0, 2, 3], [0, 1, 2]))]
    assert (shared[0] != shared[1]).nnz == 0


@pytest.mark.usefixtures("ng20")
def test_ng20_3_has_every_message_twice_by_group_and_by_root_and_its_text_options_can_be_changed():
    data = load("mbc-ng20-3", edition="19997")
    assert (data.Xs[0] != data.Xs[1]).nnz == 0
    assert data.class_names == (GROUPS, ("comp", "misc", "politics", "rec", "religion", "sci"))
    assert set(zip(*data.labels)) == {(0, 4), (1, 0), (2, 1), (3, 3), (4, 5), (5, 4), (6, 2), (7, 4)}
    options = {"edition": "19997", "weighting": "counts", "max_df": 1.0}
    assert load("mbc-ng20-3", min_df=2, **options).Xs[0].shape == (32, 10)
    assert load("mbc-ng20-3", remove=(), **options).Xs[0].shape == (32, 11)


def test_the_published_counts_of_ng20_have_groups_by_number_and_lose_common_terms_alone(monkeypatch):
    triplets = np.array([(0, 0, 2), (0, 3, 1), (1, 1, 5), (1, 3, 1), (2, 2, 1)], ">f8")
    monkeypatch.setattr(mbc, "read_rda", lambda *_: (triplets, np.array([20, 12, 2], ">f8")))
    monkeypatch.setattr(mbc, "_ng20_stored", mbc._ng20_stored.__wrapped__)
    data = load("mbc-ng20-3", weighting="counts")
    assert (data.edition, data.Xs[0].toarray().tolist()) == ("counts", [[2, 0, 0], [0, 5, 0], [0, 0, 1]])
    assert [data.class_names[0][code] for code in data.labels[0]] == [
        "talk.religion.misc", "sci.crypt", "comp.graphics"]  # fmt: skip
    assert load("mbc-ng20-3", max_df=1.0).Xs[0].shape == (3, 4)


@real_data
def test_the_published_counts_have_every_printed_size_and_the_groups_of_the_rebuilt_set():
    stored, rebuilt = (load("mbc-ng20-2", edition=edition) for edition in ("counts", "19997"))
    assert (set(stored.differences), stored.class_names) == ({"none"}, rebuilt.class_names)
    for ours, theirs in zip(stored.labels, rebuilt.labels):
        assert (np.bincount(theirs) - np.bincount(ours)).nonzero()[0].size == 1, "sci.crypt"


@real_data
def test_the_published_counts_give_the_printed_distance_of_the_true_classes_of_ng20_2():
    data = load("mbc-ng20-2", weighting="share-idf", max_df=1.0)
    found = partition_emd(data.Xs[0], data.labels[0], data.Xs[1], data.labels[1])
    assert round(1000 * found, 2) == 6.18


def test_a_file_of_sports_with_other_documents_is_refused(made_up):
    matrix_file(made_up, "sports", [1, 2, 3, 4, 5, 6, 7])
    with pytest.raises(ValueError, match="sports.mat has a shape, .* not those of sports"):
        load("mbc-sports")


def test_the_printed_categories_are_those_of_table_2():
    table = pd.read_csv(paths.paper_dir("mbc") / "sizes.csv", dtype={"task": str}).dropna(subset="note")
    known = {name.removeprefix("mbc-"): row for name, row in SETS.items() if "categories" in row}
    printed = {(key, str(t)): f"categories {first}-{last}" for key, row in known.items()
               for t, (first, last) in enumerate(row.get("printed_categories", row["categories"]), 1)}
    assert {(row.dataset, row.task): row.note for row in table.itertuples()} == printed
