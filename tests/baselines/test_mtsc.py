"""MTSC against its literal transcription, its limits, and planted features that tasks share."""

import numpy as np
import pytest
from literal import mtsc as literal
from planted import first_features, fitting
from sklearn.metrics import adjusted_rand_score

from mtclib.baselines import MTSC, SpectralNJW
from mtclib.maths.graphs import NormalizedMatrix, knn_affinity

fit = fitting(MTSC, quiet=True, tol=1e-6, max_iter=500)


def tasks(sizes=(40, 30), d=10, **options):
    return first_features(sizes, d, **options)


@pytest.mark.parametrize("d", [7, 60])
@pytest.mark.parametrize(("alpha", "beta", "p"), [(1.0, 1.0, 1.0), (4.0, 0.25, 1.0), (0.5, 0.1, 0.5)])
def test_a_fit_follows_the_literal_equations(d, alpha, beta, p):
    Xs, ks = tasks(d=d, k=3), [3, 2]
    model = fit(Xs, ks, alpha=alpha, beta=beta, p=p, max_iter=6, tol=0.0)
    Ls = [np.eye(len(X)) - NormalizedMatrix(knn_affinity(X, 5)).L.toarray() for X in Xs]
    Fs, Ws, bs, history = literal.mtsc(Xs, Ls, ks, alpha, beta, p, 6)
    np.testing.assert_allclose(model.objective_, history, rtol=1e-8)
    np.testing.assert_allclose(model.feature_norms_, np.linalg.norm(np.hstack(Ws), axis=1), atol=1e-7)
    for X, F, W, b, *ours in zip(Xs, Fs, Ws, bs, model.embedding_, model.coef_, model.intercept_):
        E, coef, intercept = ours
        unit, predicted = F / np.linalg.norm(F, axis=1, keepdims=True), X @ coef + intercept
        # Up to one rotation of all three.
        np.testing.assert_allclose(E @ E.T, unit @ unit.T, atol=1e-6)
        np.testing.assert_allclose(coef @ E.T, W @ unit.T, atol=1e-6)
        np.testing.assert_allclose(predicted @ E.T, (X @ W + b) @ unit.T, atol=1e-6)


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


def test_a_small_task_gains_from_large_ones_that_share_its_features():
    truth, scores = np.arange(45) % 3, []
    for seed in range(4):
        Xs = tasks((45, 120, 120), d=30, noise=1.1, seed=seed)
        scores.append([adjusted_rand_score(truth, fit(given, alpha=4.0, beta=4.0, tol=1e-4).labels_[0])
                       for given in (Xs, Xs[:1])])
    assert np.mean(scores, axis=0) @ [1.0, -1.0] > 0.15
