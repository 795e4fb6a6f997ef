"""k-means on embeddings: dense runs that end as sparse ones would, and a choice of seeds in every method."""

import contract
import numpy as np
import pytest
import scipy.sparse as sp
from planted import equal, quiet_fit
from sklearn.cluster import kmeans_plusplus

from mtclib.baselines import KMeans
from mtclib.baselines.registry import all_estimators
from mtclib.core import starts
from mtclib.core.starts import best_kmeans, kmeans_once
from mtclib.maths.linalg import unit_rows

# The members of a consensus start as they will.
METHODS = [cls for cls in all_estimators().values()
           if "seeding" in contract.defaults(cls) and "members" not in contract.defaults(cls)]
# Where there are as many components as clusters, these two need no k-means.
NEEDY = {"CLR": {"max_iter": 1}, "LLMC": {"adapt": False, "lam": 1e-3}}


@pytest.mark.parametrize("noise", [0.0, 1e-9, 0.1, 0.4])
def test_ten_starts_run_at_once_and_end_as_sparse_runs_do(noise, monkeypatch):
    rng = np.random.default_rng(0)
    Z = unit_rows(np.eye(9)[rng.integers(0, 9, 300)] + noise * rng.normal(size=(300, 9)))
    expected = min((kmeans_once(Z, 9, seed, "k-means++") for seed in range(10)), key=lambda m: m.inertia_)
    seen, fit = [], starts.KMeans.fit
    monkeypatch.setattr(starts.KMeans, "fit", lambda model, X: seen.append(type(X)) or fit(model, X))
    found = best_kmeans(Z, 9, range(10))
    assert equal((found.labels_, found.cluster_centers_), (expected.labels_, expected.cluster_centers_))
    assert found.inertia_ == pytest.approx(expected.inertia_, rel=1e-12)
    if noise == 0.4:  # no two rows are equal, and few starts are the best
        assert seen.count(np.ndarray) == 0
        assert len(seen) < 5


@pytest.mark.parametrize(("kind", "decided"), [("measurements", True), ("counts", False), ("empty", False)])
def test_starts_at_once_take_the_steps_of_each_alone_unless_rounding_or_no_sample_decides(kind, decided):
    rng = np.random.default_rng(0)
    Z = {"measurements": rng.normal(size=(200, 3)), "counts": rng.integers(0, 2, (200, 3)).astype(float),
         "empty": rng.normal(size=(200, 3))}[kind]
    begun = Z[rng.choice(200, (6, 4), replace=False)]
    begun[0, 0] += 1e3 * (kind == "empty")
    found = starts._at_once(Z, begun, 300)
    assert (found is not None) == decided
    for start, (labels, inertia) in zip(begun, found or ()):
        expected = starts._lloyd(Z, start, 300)
        assert equal(labels, expected.labels_)
        assert inertia == pytest.approx(expected.inertia_, rel=1e-12)


@pytest.mark.parametrize("init", ["random", "k-means++"])
@pytest.mark.parametrize("kind", ["measurements", "counts"])
def test_one_start_on_dense_rows_takes_every_step_of_one_on_sparse_rows(kind, init, monkeypatch):
    rng, seen, dense = np.random.default_rng(0), [], starts._as_sparse
    monkeypatch.setattr(starts, "WORTHWHILE", 0)
    monkeypatch.setattr(starts, "_as_sparse", lambda *given: seen.append(dense(*given)) or seen[-1])
    X = rng.normal(size=(300, 12)) if kind == "measurements" else rng.integers(0, 3, (300, 12)).astype(float)
    X[:3] = X[3:6]
    for seed in range(6):
        expected, found = (kmeans_once(Z, 5, seed, init) for Z in (sp.csr_array(X), X))
        assert equal((found.labels_, found.cluster_centers_), (expected.labels_, expected.cluster_centers_))
        assert found.n_iter_ == expected.n_iter_
        assert found.inertia_ == pytest.approx(expected.inertia_, rel=1e-12)
    # Among counts distances are equal, and CSR rows decide.
    assert sum(seen) == (6 if kind == "measurements" else 0)


def test_of_many_rows_the_starts_compete_on_some_and_the_best_is_finished_on_all(monkeypatch):
    rng = np.random.default_rng(0)
    Z = (10 * np.eye(4)[rng.integers(0, 4, 900)] + rng.normal(size=(900, 4))).astype(np.float32)
    expected = best_kmeans(Z, 4, range(3))
    monkeypatch.setattr(starts, "MANY", 200)
    (seen, competing), (fit, compete) = ([], []), (starts.KMeans.fit, starts._competing)
    monkeypatch.setattr(starts.KMeans, "fit", lambda model, X: seen.append(X.shape[0]) or fit(model, X))
    monkeypatch.setattr(starts, "_competing", lambda Z, *rest: competing.append(len(Z)) or compete(Z, *rest))
    assert best_kmeans(Z, 4, range(3)).inertia_ == pytest.approx(expected.inertia_, rel=1e-5)
    assert seen.count(900) == 1
    assert competing == [100]


def test_k_means_of_samples_far_from_the_origin_is_that_of_the_same_samples_near_it():
    X = np.kron(6 * np.eye(2, 4), np.ones((20, 1))) + np.random.default_rng(0).normal(size=(40, 4)).round(3)
    near, far = (KMeans(2, random_state=0).fit([X / 64 + shift]) for shift in (0, 2.0**27))
    np.testing.assert_array_equal(near.labels_[0], far.labels_[0])
    np.testing.assert_allclose(near.cluster_centers_[0], far.cluster_centers_[0] - 2.0**27, atol=1e-6)


@pytest.mark.parametrize("at_once", [1, 2e5])
@pytest.mark.parametrize("seeding, candidates", [("greedy", None), ("plain", 1)])
@pytest.mark.parametrize("n, n_clusters", [(60, 5), (40, 40), (500, 1)])
def test_greedy_seeds_are_scikit_learns_and_plain_ones_have_one_candidate(n, n_clusters, seeding, candidates,
                                                                         at_once, monkeypatch):
    monkeypatch.setattr(starts, "AT_ONCE", at_once)
    Z, seeds = np.random.default_rng(0).normal(size=(n, 3)), range(7)
    for form in (np.asarray, sp.csr_array):
        expected = [kmeans_plusplus(form(Z), n_clusters, random_state=seed, n_local_trials=candidates)[0]
                    for seed in seeds]
        assert equal(starts._seeded(Z, n_clusters, seeds, seeding, form is np.asarray), expected)


@pytest.mark.parametrize("cls", METHODS)
def test_every_method_that_ends_in_k_means_starts_it_as_it_is_told(cls, monkeypatch):
    told, draw = set(), starts._seeded
    monkeypatch.setattr(starts, "_seeded", lambda *given: told.add(given[3]) or draw(*given))
    quiet_fit(contract.build(cls, seeding="plain", **NEEDY.get(cls.__name__, {})), contract.planted(cls))
    assert told == {"plain"}
    with pytest.raises(ValueError, match="seeding must be one of"):
        cls(2, seeding="k-means").fit(contract.planted(cls))
