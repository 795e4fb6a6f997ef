"""Metrics against scikit-learn, brute force, linear programmes written here, and values worked by hand."""

from enum import Enum
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from scipy.optimize import linprog
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score, rand_score

from mtclib import metrics
from mtclib.metrics.scores import LARGEST_DENSE

METHODS = ("max", "geometric", "arithmetic", "min")
SIZES = [(1, 1, 1), (9, 1, 3), (9, 3, 1), (7, 3, 3), (60, 2, 5), (60, 6, 2), (500, 20, 6), (300, 300, 4)]
NOT_LABELS = [
    ("is empty", []),
    ("2 dimensions", [[0, 1], [1, 0]]),
    ("0 dimensions", 3),
    ("1 missing", [0.0, np.nan]),
    ("1 missing", pd.Series(["a", None])),
    ("2 missing", ["a", None, float("nan")]),
    ("cannot be told apart", [[0, 1], [1]]),
    ("masked labels", np.ma.masked_array([0, 1], mask=[True, False]))]


def random_labels(n, k_true, k_pred, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, k_true, n), rng.integers(0, k_pred, n)


def labelled_pairs(max_clusters=5):
    """Two label vectors of one length, 1 to 40 samples."""
    label = st.integers(0, max_clusters - 1)
    return st.lists(st.tuples(label, label), min_size=1, max_size=40).map(lambda pairs: np.array(pairs).T)


def accuracy_by_permutations(labels_true, labels_pred):
    """Best share of hits over every one-to-one naming; spare names stand for 'no class'."""
    clusters = list(np.unique(labels_pred))
    names = list(np.unique(labels_true)) + [None] * len(clusters)
    best = 0
    for naming in permutations(names, len(clusters)):
        named = dict(zip(clusters, naming))
        best = max(best, sum(named[pred] == true for true, pred in zip(labels_true, labels_pred)))
    return best / len(labels_true)


def transport_by_linprog(cost, mass_t, mass_s):
    """The transport problem of Eq. (8) with one equality per row and column."""
    rows, columns = cost.shape
    equalities = np.vstack([np.kron(np.eye(rows), np.ones(columns)), np.kron(np.ones(rows), np.eye(columns))])
    return linprog(cost.ravel(), A_eq=equalities, b_eq=[*mass_t, *mass_s], method="highs").fun


def two_tasks(K_t=4, K_s=3, seed=0, n_t=50, n_s=37, d=5):
    """Data and labels of two tasks; every cluster has a sample."""
    rng = np.random.default_rng(seed)
    labels_t = np.concatenate([np.arange(K_t), rng.integers(0, K_t, n_t - K_t)])
    labels_s = np.concatenate([np.arange(K_s), rng.integers(0, K_s, n_s - K_s)])
    return rng.normal(size=(n_t, d)), labels_t, rng.normal(size=(n_s, d)), labels_s


def means_and_shares(X, labels):
    groups = [X[labels == label] for label in np.unique(labels)]
    return np.array([group.mean(axis=0) for group in groups]), np.array([len(g) for g in groups]) / len(X)


@pytest.mark.parametrize("n, k_true, k_pred", SIZES)
@pytest.mark.parametrize("method", METHODS)
def test_nmi_equals_scikit_learn_unless_both_sides_are_one_cluster(n, k_true, k_pred, method):
    labels_true, labels_pred = random_labels(n, k_true, k_pred)
    expected = normalized_mutual_info_score(labels_true, labels_pred, average_method=method)
    if len(set(labels_true)) == len(set(labels_pred)) == 1:
        assert expected == 1.0
        expected = 0.0
    found = metrics.normalized_mutual_info(labels_true, labels_pred, average_method=method)
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n, k_true, k_pred", SIZES)
def test_ari_and_ri_equal_scikit_learn(n, k_true, k_pred):
    labels = random_labels(n, k_true, k_pred)
    assert metrics.adjusted_rand_index(*labels) == pytest.approx(adjusted_rand_score(*labels), abs=1e-12)
    assert metrics.rand_index(*labels) == pytest.approx(rand_score(*labels), abs=1e-12)


@pytest.mark.parametrize("k_true, k_pred", [(2, 2), (3, 3), (4, 2), (2, 4), (3, 4), (4, 3)])
@pytest.mark.parametrize("seed", range(4))
def test_accuracy_is_the_best_over_every_naming_of_the_clusters(k_true, k_pred, seed):
    labels_true, labels_pred = random_labels(25, k_true, k_pred, seed)
    expected = accuracy_by_permutations(labels_true, labels_pred)
    assert metrics.clustering_accuracy(labels_true, labels_pred) == pytest.approx(expected, abs=1e-15)


def test_pair_counts_do_not_overflow_on_large_label_vectors():
    labels = np.repeat([0, 1], 150_000)
    assert metrics.rand_index(labels, labels) == metrics.adjusted_rand_index(labels, labels) == 1.0
    assert metrics.adjusted_rand_index(labels, np.tile([0, 1], 150_000)) == pytest.approx(0.0, abs=1e-5)


def test_purity_of_worked_examples():
    assert metrics.purity(list("xxxxxooooodddxo"), np.arange(15) // 5) == pytest.approx((5 + 5 + 3) / 15)
    assert metrics.purity([0, 0, 0, 1], [0, 0, 0, 0]) == 0.75
    assert metrics.purity([0, 0, 0, 1], [0, 1, 2, 3]) == 1.0


@given(labelled_pairs())
def test_an_identical_partition_scores_one(pair):
    labels = pair[0]
    scores = metrics.score_all(labels, 10 - labels)
    expected = {name: 1.0 for name in metrics.SCORES}
    if len(np.unique(labels)) == 1:
        expected |= {f"NMI_{method}": 0.0 for method in METHODS}
    assert scores == pytest.approx(expected, abs=1e-12)


def test_nmi_has_no_default_average():
    with pytest.raises(TypeError, match="average_method"):
        metrics.normalized_mutual_info([0, 1], [0, 1])
    with pytest.raises(ValueError, match="average_method='mean' is unknown: choose one of max, geometric"):
        metrics.normalized_mutual_info([0, 1], [0, 1], average_method="mean")
    with pytest.raises(ValueError, match=r"average_method=\[\] is unknown"):
        metrics.normalized_mutual_info([0, 1], [0, 1], average_method=[])


@pytest.mark.parametrize("cells", [LARGEST_DENSE, 0])
@given(labelled_pairs())
def test_the_matching_gives_the_accuracy(cells, pair):
    labels_true, labels_pred = pair
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mtclib.metrics.scores.LARGEST_DENSE", cells)
        matching = metrics.match_clusters(labels_true, labels_pred)
    assert set(matching) == set(labels_pred)
    classes = [name for name in matching.values() if name != -1]
    assert len(classes) == len(set(classes)) == min(len(set(labels_true)), len(set(labels_pred)))
    hits = np.mean([matching[pred] == true for true, pred in zip(labels_true, labels_pred)])
    assert hits == pytest.approx(metrics.clustering_accuracy(labels_true, labels_pred))


def test_a_cluster_without_a_class_is_matched_to_minus_one():
    assert metrics.match_clusters(["x", "x", "y", "y", "y"], [5, 5, 1, 1, 9]) == {1: "y", 5: "x", 9: -1}
    with pytest.raises(ValueError, match="labels_true has a class -1.*rename"):
        metrics.match_clusters([-1, 0], [0, 1])


@given(labelled_pairs())
def test_score_all_equals_the_single_scores_and_those_of_a_sparse_table(pair):
    expected = {name: score(*pair) for name, score in metrics.SCORES.items()}
    assert metrics.score_all(*pair) == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mtclib.metrics.scores.LARGEST_DENSE", 0)
        assert metrics.score_all(*pair) == expected


def test_a_name_for_every_sample_takes_no_square_of_memory():
    names = np.random.default_rng(0).permutation(100_000)
    assert metrics.score_all(names, np.arange(100_000))["ACC"] == 1.0


def test_scores_have_the_names_of_the_result_tables_and_leave_the_labels_alone():
    names = ["ACC", "NMI_max", "NMI_geometric", "NMI_arithmetic", "NMI_min", "ARI", "purity", "RI"]
    labels = np.array([0, 1, 1]), np.array([0, 1, 0])
    scores = metrics.score_all(*labels)
    assert list(metrics.SCORES) == list(scores) == names
    assert all(type(value) is float for value in scores.values())
    assert [one.tolist() for one in labels] == [[0, 1, 1], [0, 1, 0]]


@pytest.mark.parametrize("name", [*metrics.SCORES, "all", "match"])
def test_every_score_refuses_bad_labels_by_name(name):
    score = {"all": metrics.score_all, "match": metrics.match_clusters, **metrics.SCORES}[name]
    for problem, bad in NOT_LABELS:
        with pytest.raises(ValueError, match=f"labels_true .*{problem}.*:"):
            score(bad, [0, 1])
        with pytest.raises(ValueError, match=f"labels_pred .*{problem}.*:"):
            score([0, 1], bad)
    with pytest.raises(ValueError, match="labels_true has 3 labels and labels_pred has 2: pass both"):
        score([0, 1, 1], [0, 1])


@pytest.mark.parametrize("convert", [tuple, pd.Series, pd.Categorical, np.uint8, np.float64])
def test_labels_come_in_any_one_dimensional_container(convert):
    labels_true, labels_pred = [0, 0, 1, 1, 2], [4, 4, 4, 1, 1]
    converted = metrics.score_all(convert(labels_true), convert(labels_pred))
    assert converted == metrics.score_all(labels_true, labels_pred)


@pytest.mark.parametrize("names", [[b"a", 1, (2,)], [1j, 2, "b"], list(Enum("Names", "a b c"))], ids=str)
def test_labels_need_no_order(names):
    labels = [names[i] for i in (0, 0, 1, 2)]
    assert metrics.score_all(labels, [3, 3, 3, 1]) == metrics.score_all([0, 0, 1, 2], [3, 3, 3, 1])
    assert metrics.match_clusters(labels, ["x", "x", "y", "z"]) == dict(zip("xyz", names))
    assert metrics.agreement(labels, [["x", "x", "x", "z"]]).tolist() == [1.0, 1.0, 0.0, 1.0]
    assert metrics.agreement([-1, -1, 0, 1], [["x", "x", "x", "z"]]).tolist() == [1.0, 1.0, 0.0, 1.0]


@pytest.mark.parametrize("K_t, K_s, factor, convert", [
    (4, 3, 1.0, np.asarray), (3, 3, 1.0, sp.csr_matrix), (1, 5, 1.0, sp.csc_array), (20, 6, 1.0, np.asarray),
    (6, 6, 1.0, np.asarray), (7, 5, 1e-6, np.asarray), (7, 5, 1e4, sp.csr_array)])
@pytest.mark.parametrize("marginals", ["empirical", "uniform"])
def test_transport_equals_a_linear_programme_on_any_scale_for_sparse_and_dense_data(K_t, K_s, factor, convert,
                                                                                    marginals):
    X_t, labels_t, X_s, labels_s = two_tasks(K_t, K_s)
    (U_t, share_t), (U_s, share_s) = means_and_shares(X_t, labels_t), means_and_shares(X_s, labels_s)
    if marginals == "uniform":
        share_t, share_s = np.full(K_t, 1 / K_t), np.full(K_s, 1 / K_s)
    expected = transport_by_linprog(cdist(U_t, U_s, "sqeuclidean"), share_t, share_s)
    given = convert(factor * X_t), labels_t, factor * X_s, labels_s
    distance = metrics.partition_emd(*given, marginals=marginals)
    assert distance == pytest.approx(factor**2 * expected, rel=1e-9, abs=0)


def test_a_callable_divergence_keeps_the_order_of_its_arguments():
    rng = np.random.default_rng(1)
    X_t, X_s = rng.uniform(0.5, 2, (12, 3)), rng.uniform(0.5, 2, (9, 3))
    labels_t, labels_s = np.arange(12) % 3, np.arange(9) % 2

    def i_divergence(U, V):
        return np.array([[(u * np.log(u / v) - u + v).sum() for v in V] for u in U])

    (U_t, share_t), (U_s, share_s) = means_and_shares(X_t, labels_t), means_and_shares(X_s, labels_s)
    expected = transport_by_linprog(i_divergence(U_t, U_s), share_t, share_s)
    there = metrics.partition_emd(X_t, labels_t, X_s, labels_s, divergence=i_divergence)
    back = metrics.partition_emd(X_s, labels_s, X_t, labels_t, divergence=i_divergence)
    assert there == pytest.approx(expected) != back


def test_model_centroids_take_the_place_of_the_means():
    X_t, labels_t, X_s, labels_s = two_tasks()
    rng = np.random.default_rng(3)
    model = rng.normal(size=(4, 5)), rng.normal(size=(3, 5))
    shares = means_and_shares(X_t, labels_t)[1], means_and_shares(X_s, labels_s)[1]
    cost = cdist(*model, "sqeuclidean")
    empirical = metrics.partition_emd(None, list(labels_t), None, labels_s, centroids=model)
    assert empirical == pytest.approx(transport_by_linprog(cost, *shares))
    uniform = metrics.partition_emd(X_t, labels_t, X_s, labels_s, centroids=model, marginals="uniform")
    assert uniform == pytest.approx(transport_by_linprog(cost, np.full(4, 1 / 4), np.full(3, 1 / 3)))
    assert uniform == metrics.partition_emd(None, None, None, None, centroids=model, marginals="uniform")


@pytest.mark.parametrize("marginals", ["empirical", "uniform"])
def test_clusters_without_samples_are_dropped(marginals):
    U_t, U_s = np.array([[0.0], [99.0], [2.0]]), np.array([[1.0], [3.0]])
    with_empty = metrics.partition_emd(None, [0, 2], None, [0, 1], centroids=(U_t, U_s), marginals=marginals)
    without = metrics.partition_emd(None, [0, 1], None, [0, 1], centroids=(U_t[::2], U_s),
                                    marginals=marginals)
    assert with_empty == without == pytest.approx(1.0)
    everything = metrics.partition_emd(None, None, None, None, centroids=(U_t, U_s), marginals="uniform")
    assert everything > 1000


@pytest.mark.parametrize(("change", "message"), [
    ({"labels_t": [0, 1]}, r"X_t has shape \(50, 5\) and labels_t has 2 labels: pass"),
    ({"labels_s": [0.0] * 36 + [np.nan]}, "labels_s has 1 missing.*drop"),
    ({"X_s": None}, "X_s and labels_s are needed.*pass"),
    ({"X_t": np.zeros(50)}, r"X_t has shape \(50,\).*2-D"),
    ({"X_t": np.zeros((50, 4))}, "4 and 5 features: give both tasks the same"),
    ({"X_t": np.full((50, 5), np.nan)}, "divergence must give finite.*remove NaN"),
    ({"X_s": np.ma.masked_equal(np.zeros((37, 5)), 0)}, "divergence must give finite.*remove NaN"),
    ({"marginals": "equal"}, "marginals='equal' is unknown: choose 'empirical' or 'uniform'"),
    ({"divergence": "cosine"}, "divergence='cosine' is unknown: pass"),
    ({"divergence": lambda U, V: np.ones((2, 2))}, r"shape \(4, 3\), here \(2, 2\)"),
    ({"centroids": [np.zeros((4, 5))]}, "centroids has 1 entries: pass a pair"),
    ({"centroids": (np.zeros(4), np.zeros((3, 5)))}, "centroids of task t have 1 dimensions: pass"),
    ({"centroids": (np.zeros((3, 5)), np.zeros((3, 5)))}, "labels_t must be integers in 0..2.*re-index"),
    ({"centroids": (np.zeros((4, 5)), np.zeros((3, 5))), "labels_s": None}, "labels_s are needed.*both")])
def test_transport_refuses_bad_input_by_name(change, message):
    arguments = dict(zip(("X_t", "labels_t", "X_s", "labels_s"), two_tasks())) | change
    with pytest.raises(ValueError, match=message):
        metrics.partition_emd(**arguments)
