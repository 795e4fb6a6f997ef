"""Tasks with some classes in common: on made-up messages, and on the real ones where they are at hand."""

import numpy as np
import pytest
from test_datasets_loaders import real_data

from mtclib.datasets import available, fetching, load, newsgroups, tasks
from mtclib.datasets.newsgroups import FIRST, OWN


@pytest.fixture
def messages(tmp_path, monkeypatch):
    """Six messages a half and group: group and half as words, a word n times in message n; one is short."""
    read = newsgroups.newsgroups_bydate
    monkeypatch.setattr(newsgroups, "EDITIONS", {"bydate": read.__wrapped__, "19997": None})
    monkeypatch.setattr(tasks, "fetch", lambda name: tmp_path / name)
    files = {
        f"20news-bydate-{half}/{group}/{n}": f"From: x\n\n{'w' * (g + 3)} {half} {'zebra ' * n}".encode()
        for half in ("train", "test")
        for g, group in enumerate((*FIRST, *OWN))
        for n in range(1, 7)
    }
    files["20news-bydate-train/rec.autos/3"] = b"From: x\n\nthe"
    (tmp_path / "20newsgroups").mkdir()
    fetching.write_folders(tmp_path / "20newsgroups" / "20news-bydate.tar.xz", files)


@pytest.mark.usefixtures("messages")
@pytest.mark.parametrize("n_shared", range(4))
def test_so_many_classes_are_shared_and_the_others_are_task_2s_own(n_shared):
    data = load("newsgroups-shared", n_shared=n_shared)
    assert data.class_names[0] == FIRST and data.n_clusters == [3, 3]
    assert data.class_names[1] == FIRST[:n_shared] + OWN[n_shared:]
    assert len(set(data.class_names[0]) & set(data.class_names[1])) == n_shared
    # The short message is left out where its group is in use.
    assert [np.bincount(y).tolist() for y in data.labels] == [[6] * 3, [6, 5 if n_shared > 1 else 6, 6]]


@pytest.mark.usefixtures("messages")
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


@pytest.mark.usefixtures("messages")
def test_documents_are_evenly_spaced_and_at_most_as_many_as_asked():
    whole = load("newsgroups-shared", n_shared=0, weighting="counts", min_terms=1)
    few = load("newsgroups-shared", n_shared=0, weighting="counts", min_terms=1, n_per_class=3)
    assert [X.shape[0] for X in few.Xs] == [9, 9] and few.preprocessing[0]["n_per_class"] == 3
    assert whole.Xs[0].max(axis=1).toarray()[:6].tolist() == [1, 2, 3, 4, 5, 6]
    assert few.Xs[0].max(axis=1).toarray()[:3].tolist() == [1, 3, 5]
    assert load("newsgroups-shared", n_per_class=99).Xs[0].shape[0] == 18


@pytest.mark.usefixtures("messages")
def test_the_two_halves_are_told_apart():
    data = load("newsgroups-shared", weighting="counts")
    # "test" is in every message of task 1 and "train" in every one of task 2.
    columns = [{j for j in range(X.shape[1]) if (X.toarray()[:, j] > 0).all()} for X in data.Xs]
    assert len(columns[0] - columns[1]) == len(columns[1] - columns[0]) == 1
    assert data.preprocessing[0]["terms and document frequencies"] == "of all nine sets"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_shared": 4}, "n_shared must be 0, 1, 2 or 3"),
        ({"n_shared": True}, "n_shared must be"),
        ({"n_shared": 1.0}, "n_shared must be"),
        ({"n_per_class": 0}, "n_per_class must be an integer of at least 1"),
        ({"edition": "19997"}, "edition must be 'bydate' or 'wheel'"),
    ],
)
def test_other_values_are_refused_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        load("newsgroups-shared", **options)


@pytest.mark.usefixtures("messages")
def test_unknown_options_are_refused_by_name():
    with pytest.raises(ValueError, match="weighting must be one of"):
        load("newsgroups-shared", weighting="bm25")
    with pytest.raises(ValueError, match="stem: unknown option"):
        load("newsgroups-shared", stem=True)
    with pytest.raises(ValueError, match="idf_scope is fixed"):
        load("newsgroups-shared", idf_scope="all")


@real_data
def test_the_real_tasks_have_at_most_300_messages_a_class():
    data = load("newsgroups-shared", n_shared=1)
    assert [np.bincount(y).tolist() for y in data.labels] == [[298, 299, 296], [300, 300, 299]]
    assert data.Xs[0].shape[1] == 3000 and data.sha256.startswith("a66b3e1cc230")
    assert "negative transfer" in available()["newsgroups-shared"]
