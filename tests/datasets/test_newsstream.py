"""The stream of tasks from 20 Newsgroups: on made-up messages, and on the real ones if they are at hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_datasets_loaders import real_data

from mtclib.datasets import available, fetching, load, newsgroups, tasks
from mtclib.datasets.newsgroups import GROUPS, draw_stream, halves

PLAIN = {"min_terms": 1, "stemming": None, "n_features": None}


@pytest.fixture
def messages(tmp_path, monkeypatch):
    """Nine messages a group; halves begin and end with its own word; one message has no second half."""
    read = newsgroups.newsgroups_bydate
    monkeypatch.setattr(newsgroups, "EDITIONS", {"bydate": read.__wrapped__})
    monkeypatch.setattr(tasks, "fetch", lambda name: tmp_path / name)
    files = {
        f"20news-bydate-{'train' if n < 6 else 'test'}/{group}/{n}":
            f"Subject: secret\n\nalpha{'x' * g} {'zebra ' * n}{'zinc ' * n}omega{'x' * g}".encode()
        for g, group in enumerate(GROUPS) for n in range(1, 10)
    }  # fmt: skip
    files[f"20news-bydate-train/{GROUPS[2]}/3"] = b"Subject: secret\n\nalphaxx"
    files["20news-bydate-train/sci.space/1"] = b"Subject: secret\n\nrocket moon"
    (tmp_path / "20newsgroups").mkdir()
    fetching.write_folders(tmp_path / "20newsgroups" / "20news-bydate.tar.xz", files)


def stream(**options):
    return load("lmsc-newsgroups", **{"n_tasks": 3, "n_per_class": 2, **PLAIN, **options})


@given(st.text(st.sampled_from("ab \n"), max_size=40))
def test_halves_together_are_the_words_and_differ_by_one_at_most(text):
    first, second = (half.split() for half in halves(text))
    assert first + second == text.split() and len(first) - len(second) in (0, 1)


@settings(max_examples=50)
@given(st.integers(1, 4), st.integers(1, 5), st.integers(1, 5), st.integers(0, 2**32))
def test_a_shorter_stream_is_the_beginning_of_a_longer_one(n_classes, n_tasks, n_per_class, seed):
    labels = np.tile(np.arange(n_classes), n_per_class * (n_tasks + 1))
    tasks = draw_stream(labels, n_tasks, n_per_class, seed)
    longer = draw_stream(labels, n_tasks + 1, n_per_class, seed)
    assert all(np.array_equal(a, b) for a, b in zip(tasks, longer))
    assert len(set(np.concatenate(longer))) == n_classes * n_per_class * (n_tasks + 1)
    assert all(np.bincount(labels[rows]).tolist() == [n_per_class] * n_classes for rows in tasks)


def test_classes_do_not_stand_together_in_a_task():
    labels = np.repeat(np.arange(5), 200)
    assert all((np.diff(labels[rows]) < 0).mean() > 0.2 for rows in draw_stream(labels, 10, 14))


@pytest.mark.usefixtures("messages")
def test_tasks_have_every_group_and_the_same_columns():
    data = stream()
    assert data.kind == "lifelong" and data.n_clusters == [5] * 3 and data.class_names == (GROUPS,) * 3
    assert [np.bincount(y).tolist() for y in data.labels] == [[2] * 5] * 3
    # A half has six words: one of each group, and zebra or zinc; subjects and other groups are not read.
    widths = {tuple(X.shape[1] for X in task) for task in data.Xs}
    assert widths == {(6, 6)} and data.view_names == ("first half", "second half")
    assert all((X.data > 0).all() and X.dtype == np.float64 for task in data.Xs for X in task)


@pytest.mark.usefixtures("messages")
def test_rows_belong_to_their_labels_in_both_views():
    data = stream()
    first, second = (np.vstack([task[v].toarray() for task in data.Xs]) for v in (0, 1))
    labels = np.concatenate(data.labels)
    # In alphabetical order: alpha, alphax, ..., zebra; and omega, omegax, ..., zinc.
    assert np.array_equal(first[:, :5].argmax(axis=1), labels)
    assert np.array_equal(second[:, :5].argmax(axis=1), labels)
    assert np.array_equal(first[:, 5], second[:, 5])


@pytest.mark.usefixtures("messages")
def test_a_task_does_not_depend_on_how_many_follow():
    short, long = stream(n_tasks=2), stream(n_tasks=4)
    assert all((a != b).nnz == 0 for A, B in zip(short.Xs, long.Xs) for a, b in zip(A, B))
    assert stream().sha256 == stream().sha256 != stream(split_seed=1).sha256
    assert stream(n_tasks=4, weighting="tfidf-l2").Xs[0][0].max() <= 1


@pytest.mark.usefixtures("messages")
def test_messages_with_an_empty_half_are_left_out_and_counted():
    data = stream(n_tasks=4)
    drop = next(step for step in data.preprocessing if step["step"] == "drop")
    assert drop == {"step": "drop", "min_terms": 1, "n_dropped": 1}
    assert data.preprocessing[-1] == {"step": "draw", "n_tasks": 4, "n_per_class": 2, "split_seed": 0}
    with pytest.raises(ValueError, match="need 9 of each, but class 2 has 8"):
        stream(n_tasks=9, n_per_class=1)


@pytest.mark.usefixtures("messages")
@pytest.mark.parametrize(("options", "message"), [
    ({"n_tasks": 0}, "n_tasks must be an integer >= 1"), ({"n_tasks": 2.0}, "n_tasks must be an integer"),
    ({"n_per_class": 0}, "n_per_class must be"), ({"split_seed": -1}, "split_seed must be"),
    ({"min_terms": -1}, "min_terms must be"), ({"weighting": "bm25"}, "weighting must be one of"),
    ({"n_tasks": 5}, "n_tasks: 5 tasks with 2 samples a class need 10"), ({"stem": True}, "stem: unknown"),
    ({"edition": "other"}, "edition must be one of"),
])  # fmt: skip
def test_other_values_are_refused_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        stream(**options)


@real_data
def test_the_real_stream_has_70_messages_a_task():
    data = load("lmsc-newsgroups")
    assert [[X.shape for X in task] for task in data.Xs] == [[(70, 3000)] * 2] * 24
    assert [np.bincount(y).tolist() for y in data.labels] == [[14] * 5] * 24
    assert data.edition == "bydate" and data.sha256.startswith("7073f09ab393")
    assert "stream" in available()["lmsc-newsgroups"]
