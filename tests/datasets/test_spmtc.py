"""The SPMTC paper's data: on tiny made-up files."""

import numpy as np
import pytest
from data_support import real_data
from scipy import sparse

from mtclib.datasets import formats, load
from mtclib.datasets.dataset import SETS


def lssmtc_files(write, *tasks):
    for file, (fea, gnd) in zip(SETS["spmtc-compvssci"]["files"], tasks):
        write(file, {"fea": sparse.csc_matrix(fea), "gnd": np.array(gnd, np.uint8)[:, None]})


def test_the_stored_counts_are_read_in_their_order_and_weighed_over_one_task_or_over_all(made_up):
    lssmtc_files(made_up, ([[3.0, 4, 0], [1, 0, 0], [0, 0, 2]], [1, 2, 1]), ([[0.0, 1, 1]], [2]))
    data = load("spmtc-compvssci")
    assert data.Xs[0].toarray().tolist() == [[3, 4, 0], [1, 0, 0], [0, 0, 2]]
    assert [y.tolist() for y in data.labels] == [[0, 1, 0], [1]]
    assert data.class_names[1] == ("comp.sys.ibm.pc.hardware", "sci.med")
    assert data.edition == "lssmtc"
    assert data.differences[0] == "samples: 3, printed 1875; features: 3, printed 2000."
    assert data.summary()["samples (paper)"].tolist() == [1875, 1827]
    alone = load("spmtc-compvssci", weighting="tfidf", idf_scope="task").Xs[0].toarray()
    shared = load("spmtc-compvssci", weighting="tfidf").Xs[0].toarray()
    assert alone[0] == pytest.approx([3 * np.log(3 / 2), 4 * np.log(3), 0], abs=1e-9)
    assert shared[0] == pytest.approx([3 * np.log(2), 4 * np.log(2), 0], abs=1e-9)
    assert abs(load("spmtc-noisy", share=0, weighting="tfidf", idf_scope="task").Xs[0] - alone).max() == 0


def test_a_like_for_like_set_is_built_from_the_same_groups(made_up):
    words = {"rec.autos": "engines clutch", "talk.politics.guns": "rifles engine",
             "rec.sport.baseball": "pitcher bats", "talk.politics.mideast": "treaty pitchers"}
    files = {f"20news-bydate-test/{group}/{n}": f"Subject: x\n\n{word}".encode()
             for group, word in words.items() for n in (1, 2)}
    made_up("20newsgroups/20news-bydate.tar.xz", files)
    data = load("spmtc-recvstalk", edition="bydate", remove=("headers",))
    assert ([*sum(data.class_names, ())], data.edition) == ([*words], "bydate")
    assert [X.shape for X in data.Xs] == [(4, 6), (4, 6)]
    assert data.differences[1].startswith("samples: 4, printed 1545")
    assert "another selection" in data.differences[1]


@pytest.mark.parametrize(("name", "file", "classes", "labels"), [
    ("spmtc-orgsvspeople", "org_vs_people_1.mat", ("orgs", "people"), [[0, 1], [1]]),
    ("spmtc-orgsvsplaces", "org_vs_place_1.mat", ("orgs", "places"), [[1, 0], [0]]),
    ("spmtc-peoplevsplaces", "people_vs_place_1.mat", ("people", "places"), [[1, 0], [0]])])
def test_a_transfer_set_becomes_two_tasks_whose_classes_mean_the_same(made_up, name, file, classes, labels):
    content = {"Xs": [[3.0, 0.5], [4, 0]], "Xt": [[1.5], [0]], "Ys": [[1.0], [-1]], "Yt": [[-1.0]]}
    made_up(f"reuters-transfer/{file}", {key: sparse.csc_matrix(X) for key, X in content.items()})
    data = load(name)
    assert ([y.tolist() for y in data.labels], data.class_names) == (labels, (classes, classes))
    assert [X.toarray().tolist() for X in data.Xs] == [[[3, 4], [0.5, 0]], [[1.5, 0]]]
    assert load(name, weighting="stored-l2").Xs[0].toarray().tolist() == [[0.6, 0.8], [1, 0]]


def test_the_transfer_sets_have_term_counts_in_another_file_with_other_numbers_for_the_classes(made_up):
    for part, labels in (("src", [[1.0], [2]]), ("tar", [[2.0], [1]])):
        name, counts = f"OrgsPeople_{part}", sparse.csc_matrix([[3.0, 1], [0, 2]])
        made_up(f"reuters-transfer-counts/{name}.mat", {f"{name}_data": counts, f"{name}_label": labels})
    data = load("spmtc-orgsvspeople", edition="counts")
    assert ([y.tolist() for y in data.labels], data.edition) == ([[1, 0], [0, 1]], "counts")
    assert data.Xs[0].toarray().tolist() == [[3, 1], [0, 2]]
    weighed = load("spmtc-orgsvspeople", edition="counts", weighting="tfidf", idf_scope="task").Xs[0]
    assert weighed.toarray()[0] == pytest.approx([3 * np.log(2), 0], abs=1e-9)


@real_data
@pytest.mark.parametrize("name", ["spmtc-orgsvspeople", "spmtc-orgsvsplaces", "spmtc-peoplevsplaces"])
def test_both_editions_of_a_transfer_set_have_the_same_documents_terms_and_labels(name):
    presence, counts = load(name, weighting="binary"), load(name, edition="counts")
    assert all((Y.sign() != X).nnz == 0 for X, Y in zip(presence.Xs, counts.Xs))
    assert all(map(np.array_equal, presence.labels, counts.labels))
    assert max(X.max() for X in counts.Xs) > 30


def test_a_matlab_file_without_the_variable_or_with_strange_labels_is_refused(made_up):
    lssmtc_files(made_up, (np.eye(2), [1, 3]), (np.eye(2), [1, 2]))
    with pytest.raises(ValueError, match="no variable 'Xs'"):
        formats.read_mat("20news-lssmtc/comp.vs.sci_task1.mat", "fea", "Xs")
    with pytest.raises(ValueError, match=r"stored labels \[1, 3\]"):
        load("spmtc-compvssci")
