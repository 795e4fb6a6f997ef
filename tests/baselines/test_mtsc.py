"""MTSC against its literal transcription, and planted features that tasks share."""


import numpy as np
import pytest
from literal import mtsc as literal
from planted import first_features, quiet_fit
from sklearn.metrics import adjusted_rand_score

from mtclib.baselines import MTSC
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


def test_the_shared_features_are_the_planted_ones():
    Xs = tasks((60, 50, 40), d=40, noise=0.5)
    model = fit(Xs, beta=2.0)
    assert model.feature_norms_[:3].min() > 100 * model.feature_norms_[3:].max()
    for labels, X in zip(model.labels_, Xs):
        assert adjusted_rand_score(np.arange(len(X)) % 3, labels) > 0.9
        assert np.bincount(labels, minlength=3).min() > len(X) / 5
