"""The Dataset record, its content hash, and tasks built from texts."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from mtclib.datasets import Corpus, Dataset, build_tasks, from_texts
from mtclib.datasets.dataset import with_printed

Y = [np.array([0, 1, 1]), np.array([1, 0])]
DENSE = [np.arange(6.0).reshape(3, 2), np.ones((2, 2))]

DENSE_SHA = "5d46f2b3e3a47f0a1dbf2be9ca0a1d8aade1a24ebb95363dfa7b8aa8adf00ea3"
SPARSE_SHA = "b505a41a0c63a19a47e8ff6104ebb3b4998d4b720bd32fcd1a9fb275ecb2ec72"


def tasks(Xs=DENSE, labels=Y, **more):
    return Dataset("x", "multitask", list(Xs), labels, **more)


def test_the_hash_is_the_known_one_on_every_platform_whatever_the_storage_order_types_and_explicit_zeros():
    others = (np.asarray, np.asfortranarray, lambda X: X.astype(">f8"), lambda X: X.astype(np.float32))
    assert {tasks(map(other, DENSE)).sha256 for other in others} == {DENSE_SHA}
    assert tasks(labels=[y.astype(np.int8) for y in Y]).sha256 == DENSE_SHA
    assert tasks([sparse.csr_array(X) for X in DENSE]).sha256 == SPARSE_SHA
    tidy = sparse.csr_array(np.array([[1.0, 2.0], [0.0, 3.0]]))
    untidy = sparse.csr_array((np.array([2.0, 1.0, 0.0, 3.0]), [1, 0, 0, 1], [0, 2, 4]), shape=(2, 2))
    assert (tasks([tidy], [Y[1]]).sha256, untidy.nnz) == (tasks([untidy], [Y[1]]).sha256, 4)


def sequence(**changes):
    tasks = [[np.ones((n, 2)), sparse.csr_array(np.eye(n, 3))] for n in (3, 2)]
    return Dataset("x", "lifelong", **{"Xs": tasks, "labels": Y, **changes})


def test_any_change_of_values_shapes_labels_tasks_views_or_kind_changes_the_hash():
    changed, doubled = [X.copy() for X in DENSE], sequence()
    changed[1][0, 0] = np.nextafter(1.0, 2.0)
    doubled.Xs[1][1] = 2 * doubled.Xs[1][1]
    one, two, other = [np.ones((2, 3))], np.array([0, 1]), [np.array([0, 1, 0]), Y[1]]
    first = [task[:1] for task in sequence().Xs]
    different = [
        tasks(), tasks(changed), tasks(labels=other), tasks(one, [two]), Dataset("x", "multiview", one, two),
        tasks([np.ones((3, 2))], Y[:1]), sequence(), doubled, sequence(labels=other), sequence(Xs=first),
        tasks([X for X, in first]), sequence(Xs=[task[::-1] for task in sequence().Xs])]
    assert len({data.sha256 for data in different}) == len(different)
    dense = sequence(Xs=[[np.asfortranarray(X), Z.tocsc()] for X, Z in sequence().Xs])
    assert dense.sha256 == sequence().sha256


def test_the_summary_shows_ours_beside_the_papers_and_explains_differences():
    printed = tuple({"n_samples": 3, "n_features": 2, "class_sizes": sizes} for sizes in ([1, 2], [2, 1]))
    frame = with_printed(tasks(class_names=(("a", "b"),) * 2, published=printed), "Because.").summary()
    assert frame["class sizes"].tolist() == ["1 2", "1 1"]
    assert frame["class sizes (paper)"].tolist() == ["1 2", "2 1"]
    assert (frame["samples (paper)"].tolist(), frame.index.name) == ([3, 3], "task")
    assert frame["difference"].tolist() == ["none", "a: 1, printed 2. Because."]


def test_a_summary_of_views_has_a_row_per_view_and_a_number_of_clusters_for_all():
    views = [np.ones((3, 2)), np.ones((3, 4))]
    data = Dataset("x", "multiview", views, np.array([0, 1, 1]), ("p", "q"), (("a", "b"),))
    assert data.n_clusters == 2
    assert tasks().n_clusters == sequence().n_clusters == [2, 2]
    frame = data.summary()
    assert (frame.index.tolist(), frame["features"].tolist()) == (["p", "q"], [2, 4])
    assert frame["class sizes"].tolist() == ["1 2", "1 2"]
    # Of figures, only those that are printed.
    data = replace(data, published=({"n_classes": 4},) * 2)
    frame = with_printed(data, "Because.").summary()
    assert (frame["classes"].tolist(), frame["classes (paper)"].tolist()) == ([2, 2], [4, 4])
    assert frame["difference"].tolist() == ["classes: 2, printed 4. Because."] * 2
    assert not [column for column in frame if column.startswith(("samples (", "features (", "class sizes ("))]
    agreeing = replace(data, published=({"n_samples": 3},) * 2)
    assert [with_printed(agreeing, reason).differences[1] for reason in ("", "So.")] == ["none", "So."]


def test_the_summary_of_a_sequence_has_a_row_per_task():
    printed = ({"n_samples_in_all": 6, "scores": "Table 1"}, {"n_samples_in_all": 6, "scores": "none"})
    data = sequence(class_names=(("a", "b"),) * 2, published=printed, differences=("One left.",) * 2)
    frame = data.summary()
    assert (frame.index.name, frame["features"].tolist()) == ("task", ["2 3", "2 3"])
    assert (frame["class sizes"].tolist(), frame["samples"].tolist()) == (["1 2", "1 1"], [3, 2])
    assert frame["samples in all tasks"].tolist() == [5, 5]
    assert frame["samples in all tasks (paper)"].tolist() == [6, 6]
    assert frame["scores (paper)"].tolist() == ["Table 1", "none"]
    assert "features (paper)" not in frame


CORPUS = Corpus("c", "e", ("red ink", "blue ink", "red sky", "sea blue"), ("a", "b", "a", "b"), tuple("1234"),
                ("train", "train", "test", "test"), ({"file": "f", "sha256": "0"},))


def test_tasks_are_built_from_classes_of_a_corpus():
    data = build_tasks(CORPUS, [["b", "a"], ["a"]], weighting="counts")
    assert [y.tolist() for y in data.labels] == [[0, 0, 1, 1], [0, 0]]
    assert (data.class_names, data.edition, data.sources) == ((("b", "a"), ("a",)), "e", CORPUS.sources)
    assert "red" not in repr(CORPUS)  # which may be megabytes
    blue_ink = [[1, 1, 0, 0, 0]]
    assert data.Xs[0][[0]].toarray().tolist() == blue_ink
    assert build_tasks(CORPUS, [["a"]], split="test", weighting="counts").Xs[0].toarray().tolist() == [[1, 1]]


def test_own_texts_become_a_dataset_with_coded_labels():
    texts = [["red ink", "the", "sea"], ["red sky"]]
    data = from_texts(texts, [["q", "p", "p"], ["q"]], task_names=("x", "y"))
    assert [y.tolist() for y in data.labels] == [[1, 0, 0], [0]]
    assert (data.class_names, data.task_names) == ((("p", "q"), ("q",)), ("x", "y"))
    assert [y.tolist() for y in from_texts([["red ink"], ["sea"]]).labels] == [[-1], [-1]]
    # By position, whatever the names of rows; a class may not be known.
    column = pd.Series(["q", None, "p"], index=[2, 1, 0])
    assert from_texts([pd.Series(texts[0], index=column.index)], [column]).labels[0].tolist() == [1, -1, 0]
    # Rows are the documents that were given, unless dropping is asked for.
    assert ([X.shape[0] for X in data.Xs], data.Xs[0][[1]].nnz) == ([3, 1], 0)
    assert [X.shape[0] for X in from_texts(texts, min_terms=1).Xs] == [2, 1]


FIRST, SECOND = sequence().Xs


@pytest.mark.parametrize(("make", "message"), [
    (lambda: tasks(labels=[Y[0], Y[0]]), r"labels: 3 labels for the 2 samples of Xs\[1\]"),
    (lambda: Dataset("x", "streaming", DENSE, Y), "kind must be one of"),
    *((lambda y=y: tasks(labels=[Y[0], y], class_names=(("a", "b"),) * 2), r"labels\[1\] must number the")
      for y in (["u", "v"], [1, 2], [-2, 0], [0, np.nan], [[1], [0]])),
    *((lambda more=more: tasks(**more), "give 2 of each, all labels or names of a task")
      for more in ({"labels": Y[0]}, {"class_names": ("a", "b")}, {"class_names": (("a", "b"),)})),
    (lambda: sequence(labels=[Y[1], Y[1]]), r"labels: 2 labels for the 3 samples of Xs\[0\]\[0\]"),
    (lambda: sequence(Xs=[FIRST, SECOND[:1]]), r"views of task 2 have \[2\] features, .* task 1 \[2, 3\]"),
    (lambda: sequence(Xs=[FIRST, [np.ones((2, 3)), SECOND[1]]]), r"task 2 have \[3, 3\]"),
    *((lambda wrong=wrong: sequence(Xs=[wrong, SECOND]), r"Xs\[0\] must be a list with the views of task 1")
      for wrong in (np.ones((3, 2)), [])),
    (lambda: from_texts([]), "at least one task"), (lambda: from_texts("red ink"), "tasks must be a list"),
    (lambda: from_texts([["red"], []]), "task 2 must be"),
    (lambda: from_texts(["red ink", "sky"]), "task 1 must be a list"),
    *((lambda task=task: from_texts([task]), "document 1 of task 1 is None")
      for task in (["red", None], pd.Series(["red", None], [7, 8], object))),
    (lambda: from_texts([["red ink"]], [["p", "q"]]), "one label for each document"),
    (lambda: from_texts([["red ink"]], remove=None), "remove must be"),
    (lambda: from_texts([["red ink"]], min_terms=None), "min_terms must be an integer"),
    (lambda: from_texts([["red ink"]], min_words="1"), "min_words must be an integer"),
    (lambda: from_texts([["red ink"], ["sea"]], task_names=["x"]), "task_names: 1 names for 2 tasks"),
    (lambda: build_tasks(CORPUS, [["a", "z"]]), r"class 'z' .*It has: a, b"),
    (lambda: build_tasks(CORPUS, [["a"]], split="testing"), "split must be one of"),
    (lambda: CORPUS.select("a", "tests"), "split must be one of"),
    (lambda: build_tasks(CORPUS, [["b"], ["a", "b", "a"]]), "task 2 has a class twice among a, b, a"),
    *((lambda tasks=tasks: build_tasks(CORPUS, tasks), "class names of each task")
      for tasks in ([], [["a"], []], ["a"]))])
def test_labels_views_texts_classes_names_and_splits_that_do_not_fit_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
