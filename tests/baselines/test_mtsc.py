"""MTSC against its literal transcription, its limits, and planted features that tasks share."""


import numpy as np
import pytest
from literal import mtsc as literal
from planted import first_features, quiet_fit
from sklearn.metrics import adjusted_rand_score

from mtclib.baselines import MTSC, SpectralNJW
from mtclib.baselines.mtsc import Task, alternate
from mtclib.maths.graphs import NormalizedMatrix, knn_affinity


def tasks(sizes=(40, 30), d=10, **options):
    return first_features(sizes, d, **options)


def fit(Xs, n_clusters=3, **parameters):
    return quiet_fit(MTSC(n_clusters, **{"random_state": 0, "tol": 1e-6, "max_iter": 500, **parameters}), Xs)


def laplacians(Xs, m=5):
    return [np.eye(len(X)) - NormalizedMatrix(knn_affinity(X, m)).L.toarray() for X in Xs]


def run(Xs, Ls, ks, alpha, beta, p, rounds):
    problem = [Task(X, np.eye(len(L)) - L, k, 0) for X, L, k in zip(Xs, Ls, ks)]
    return problem, *alternate(problem, alpha, beta, p, rounds, 0.0)


@pytest.mark.parametrize("d", [7, 60])
@pytest.mark.parametrize(("alpha", "beta", "p"), [(1.0, 1.0, 1.0), (4.0, 0.25, 1.0), (0.5, 0.1, 0.5)])
def test_rounds_follow_the_literal_equations(d, alpha, beta, p):
    Xs = tasks(d=d, k=3)
    Ls, ks = laplacians(Xs), [3, 2]
    problem, history, norms, _ = run(Xs, Ls, ks, alpha, beta, p, 6)
    Fs, Ws, bs, expected = literal.mtsc(Xs, Ls, ks, alpha, beta, p, 6)
    np.testing.assert_allclose(history, expected, rtol=1e-8)
    np.testing.assert_allclose(norms, np.linalg.norm(np.hstack(Ws), axis=1), atol=1e-7)
    for task, F, W in zip(problem, Fs, Ws):
        np.testing.assert_allclose(task.F @ task.F.T, F @ F.T, atol=1e-7)
        np.testing.assert_allclose(task.W @ task.F.T, W @ F.T, atol=1e-7)


def test_the_fitted_model_has_the_stated_objective():
    Xs = tasks()
    model, Ls = fit(Xs, [3, 2], alpha=2.0, beta=0.3), laplacians(Xs)
    Fs = [X @ W + b for X, W, b in zip(Xs, model.coef_, model.intercept_)]
    directions = [F / np.linalg.norm(F, axis=1, keepdims=True) for F in Fs]
    assert all(np.mean(np.sum(D * E, axis=1)) > 0.8 for D, E in zip(directions, model.embedding_))
    problem, history, norms, _ = run(Xs, Ls, [3, 2], 2.0, 0.3, 1.0, model.n_iter_)
    bs = [task.F.mean(axis=0) - task.mean @ task.W for task in problem]
    value = literal.objective(Xs, Ls, [t.F for t in problem], [t.W for t in problem], bs, 2.0, 0.3, 1.0)
    assert model.objective_[-1] == pytest.approx(value, rel=1e-6) == history[-1]
    np.testing.assert_allclose(model.feature_norms_, norms, atol=1e-4)


def test_tasks_without_common_features_do_not_touch_each_other():
    X, Y = tasks(d=8)
    apart = [np.hstack([X, np.zeros_like(X)]), np.hstack([np.zeros_like(Y), Y])]
    together, alone = fit(apart, beta=0.3), [fit([Z], beta=0.3) for Z in apart]
    np.testing.assert_allclose(together.feature_norms_, sum(m.feature_norms_ for m in alone), atol=1e-3)
    assert together.objective_[-1] == pytest.approx(sum(m.objective_[-1] for m in alone), rel=1e-4)


@pytest.mark.parametrize(("alpha", "beta"), [(1e-4, 1e-4), (1e-2, 100.0)])
def test_without_maps_it_is_spectral_clustering(alpha, beta):
    Xs = tasks(noise=0.8)
    graphs = [knn_affinity(X, 5) for X in Xs]
    model = fit(Xs, alpha=alpha, beta=beta, affinity=graphs)
    expected = SpectralNJW(3, affinity=graphs, random_state=0).fit(Xs)
    for found, wanted in zip(model.embedding_, expected.embedding_):
        np.testing.assert_allclose(found @ found.T, wanted @ wanted.T, atol=0.05)
    for found, wanted in zip(model.labels_, expected.labels_):
        assert adjusted_rand_score(found, wanted) == 1.0
    if beta > 1.0:
        assert model.feature_norms_.max() < 1e-3


def test_the_shared_features_are_the_planted_ones():
    Xs = tasks((60, 50, 40), d=40, noise=0.5)
    model = fit(Xs, beta=2.0)
    assert model.feature_norms_[:3].min() > 100 * model.feature_norms_[3:].max()
    for labels, X in zip(model.labels_, Xs):
        assert adjusted_rand_score(np.arange(len(X)) % 3, labels) > 0.9
        assert np.bincount(labels, minlength=3).min() > len(X) / 5


def test_a_small_task_gains_from_large_ones_that_share_its_features():
    truth, scores = np.arange(45) % 3, []
    for seed in range(4):
        Xs = tasks((45, 120, 120), d=30, noise=1.1, seed=seed)
        scores.append([adjusted_rand_score(truth, fit(given, alpha=4.0, beta=4.0, tol=1e-4).labels_[0])
                       for given in (Xs, Xs[:1])])
    assert np.mean(scores, axis=0) @ [1.0, -1.0] > 0.15
