"""The SPMTC paper's data: on tiny made-up files, and on the real ones where they are at hand."""

import numpy as np
import pytest
from data_support import real_data
from scipy import sparse
from scipy.spatial import cKDTree
from sklearn.preprocessing import normalize

from mtclib.datasets import formats, load, load_corpus, text
from mtclib.datasets.spmtc import NEWSGROUPS_TASKS


def lssmtc_files(write):
    write("20news-lssmtc/comp.vs.sci_task1.mat", {
        "fea": sparse.csc_matrix([[3.0, 4, 0], [1, 0, 0], [0, 0, 2]]),
        "gnd": np.array([[1], [2], [1]], np.uint8),
    })  # fmt: skip
    write("20news-lssmtc/comp.vs.sci_task2.mat", {
        "fea": sparse.csc_matrix([[0.0, 1, 1]]), "gnd": np.array([[2]], np.uint8),
    })  # fmt: skip


def test_the_stored_counts_are_read_in_their_order_with_classes_from_zero(made_up):
    lssmtc_files(made_up)
    data = load("spmtc-compvssci")
    assert data.Xs[0].toarray().tolist() == [[3, 4, 0], [1, 0, 0], [0, 0, 2]]
    assert [y.tolist() for y in data.labels] == [[0, 1, 0], [1]]
    assert data.class_names == NEWSGROUPS_TASKS["compvssci"] and data.edition == "lssmtc"
    assert data.differences[0] == "samples: 3, printed 1875; features: 3, printed 2000."
    assert data.summary()["samples (paper)"].tolist() == [1875, 1827]
    assert [source["file"][:27] for source in data.sources] == ["20news-lssmtc/comp.vs.sci_t"] * 2


def test_stored_counts_are_weighed_over_one_task_or_over_all(made_up):
    lssmtc_files(made_up)
    X, _ = load("spmtc-compvssci", weighting="counts-l2").Xs
    assert X.toarray()[0].tolist() == [0.6, 0.8, 0]
    alone = load("spmtc-compvssci", weighting="tfidf", idf_scope="task").Xs[0].toarray()
    shared = load("spmtc-compvssci", weighting="tfidf").Xs[0].toarray()
    assert alone[0] == pytest.approx([3 * np.log(3 / 2), 4 * np.log(3), 0], abs=1e-9)
    assert shared[0] == pytest.approx([3 * np.log(2), 4 * np.log(2), 0], abs=1e-9)


def test_options_that_do_not_go_with_the_stored_counts_are_refused(made_up):
    lssmtc_files(made_up)
    with pytest.raises(ValueError, match="stemming: edition 'lssmtc' has fixed terms"):
        load("spmtc-compvssci", stemming=None)
    with pytest.raises(ValueError, match="edition must be one of"):
        load("spmtc-recvstalk", edition="19997")
    with pytest.raises(ValueError, match="weighting must be one of"):
        load("spmtc-compvssci", weighting="stored")


def test_a_like_for_like_set_is_built_from_the_same_groups(made_up):
    groups = [group for task in NEWSGROUPS_TASKS["recvstalk"] for group in task]
    words = ["engines clutch", "rifles engine", "pitcher bats", "treaty pitchers"]
    files = {
        f"20news-bydate-test/{group}/{n}": f"Subject: x\n\n{word}".encode()
        for group, word in zip(groups, words)
        for n in (1, 2)
    }
    made_up("20newsgroups/20news-bydate.tar.xz", files)
    data = load("spmtc-recvstalk", edition="bydate", remove=("headers",))
    assert data.class_names == NEWSGROUPS_TASKS["recvstalk"] and data.edition == "bydate"
    assert [X.shape for X in data.Xs] == [(4, 6), (4, 6)]
    assert data.differences[1].startswith("samples: 4, printed 1545")
    assert "another selection" in data.differences[1]


def transfer_file(write, name):
    write(f"reuters-transfer/{name}", {
        "Xs": sparse.csc_matrix([[3.0, 0.5], [4, 0]]), "Xt": sparse.csc_matrix([[1.5], [0]]),
        "Ys": sparse.csc_matrix([[1.0], [-1]]), "Yt": sparse.csc_matrix([[-1.0]]),
    })  # fmt: skip


@pytest.mark.parametrize(("name", "file", "classes", "labels"), [
    ("spmtc-orgsvspeople", "org_vs_people_1.mat", ("orgs", "people"), [[0, 1], [1]]),
    ("spmtc-orgsvsplaces", "org_vs_place_1.mat", ("orgs", "places"), [[1, 0], [0]]),
    ("spmtc-peoplevsplaces", "people_vs_place_1.mat", ("people", "places"), [[1, 0], [0]]),
])  # fmt: skip
def test_a_transfer_set_becomes_two_tasks_whose_classes_mean_the_same(made_up, name, file, classes, labels):
    transfer_file(made_up, file)
    data = load(name)
    assert [y.tolist() for y in data.labels] == labels and data.class_names == (classes, classes)
    assert [X.toarray().tolist() for X in data.Xs] == [[[3, 4], [0.5, 0]], [[1.5, 0]]]
    assert load(name, weighting="stored-l2").Xs[0].toarray().tolist() == [[0.6, 0.8], [1, 0]]


def test_stored_weights_cannot_be_weighed_as_counts(made_up):
    with pytest.raises(ValueError, match="holds no counts"):
        load("spmtc-orgsvspeople", weighting="tfidf")


def test_a_matlab_file_without_the_variable_or_with_strange_labels_is_refused(made_up):
    made_up("20news-lssmtc/comp.vs.sci_task1.mat", {"fea": np.eye(2), "gnd": np.array([[1], [3]])})
    made_up("20news-lssmtc/comp.vs.sci_task2.mat", {"fea": np.eye(2), "gnd": np.array([[1], [2]])})
    with pytest.raises(ValueError, match="no variable 'Xs'"):
        formats.read_mat("20news-lssmtc/comp.vs.sci_task1.mat", "fea", "Xs")
    with pytest.raises(ValueError, match=r"stored labels \[1, 3\]"):
        load("spmtc-compvssci")


def frequencies(blocks):
    """Square roots of the documents and the occurrences of each term, per document, in each block."""
    rows = [(measure(X) / X.shape[0]) for X in blocks for measure in (document_frequency, term_frequency)]
    return np.sqrt(np.array(rows).T)


def document_frequency(X):
    return np.asarray((X > 0).sum(axis=0)).ravel()


def term_frequency(X):
    return np.asarray(X.sum(axis=0)).ravel()


def cosines(block, group, ours, theirs):
    left, right = (normalize(sparse.csr_array(X[:, cols])) for X, cols in ((block, ours), (group, theirs)))
    return (left @ right.T).toarray()


def match_by_frequency(blocks, groups):
    """Columns of the blocks and of the groups that are mutually nearest, and clearly so, by frequency."""
    ours, theirs = frequencies(blocks), frequencies(groups)
    distance, nearest = cKDTree(theirs).query(ours, k=2)
    mutual = cKDTree(ours).query(theirs)[1][nearest[:, 0]] == np.arange(len(ours))
    sure = np.flatnonzero(mutual & (distance[:, 0] < 0.7 * distance[:, 1]))
    return sure, nearest[sure, 0]


def match_by_documents(blocks, groups, ours, theirs):
    """Columns that agree (correlation over 0.9) over the documents that agree on the columns known so far."""
    pairs = []
    for block, group in zip(blocks, groups):
        values = cosines(block, group, ours, theirs)
        good = np.flatnonzero(values.max(axis=1) > 0.9)
        pairs.append((block[good], group[values.argmax(axis=1)[good]]))
    ours, theirs = (normalize(sparse.csr_array(sparse.vstack(side)), axis=0) for side in zip(*pairs))
    agreement = (ours.T @ theirs).toarray()
    known = np.flatnonzero(agreement.max(axis=1) > 0.9)
    return known, agreement.argmax(axis=1)[known]


@real_data
@pytest.mark.parametrize("key", NEWSGROUPS_TASKS)
def test_nine_in_ten_documents_of_a_stored_class_are_in_the_group_that_is_named(key):
    data, corpus = load(f"spmtc-{key}"), load_corpus("20newsgroups")
    subjects = {group.split(".")[0] for group in NEWSGROUPS_TASKS[key][0]}
    names = sorted(g for g in set(corpus.labels) if g.split(".")[0] in subjects)
    positions = [corpus.select(g) for g in names]
    counts, _ = text.count_terms([corpus.texts[i] for p in positions for i in p], stemming="porter", min_df=5)
    ends = np.cumsum([0, *map(len, positions)])
    groups = {g: counts[np.arange(a, b)] for g, a, b in zip(names, ends, ends[1:])}
    blocks = [X[np.flatnonzero(y == c)] for X, y in zip(data.Xs, data.labels) for c in (0, 1)]
    named = [g for task in NEWSGROUPS_TASKS[key] for g in task]
    columns = match_by_frequency(blocks, [groups[g] for g in named])
    for _ in range(3):
        columns = match_by_documents(blocks, [groups[g] for g in named], *columns)
    for right, block in zip(named, blocks):
        best = np.array([cosines(block, groups[g], *columns).max(axis=1) for g in names])
        found = np.array(names)[best.argmax(axis=0)][best.max(axis=0) > 0.95]
        assert (found == right).sum() > 0.9 * block.shape[0] and (found != right).sum() <= 1
