"""Symmetric nonnegative matrix factorisation of views: its matrix, its limits, and its stationary points."""

import numpy as np
import pytest
from planted import noisy_views as views

from mtclib.baselines import MultiViewSNMF
from mtclib.baselines.snmf import random_membership
from mtclib.maths.graphs import DenseSimilarity, NormalizedMatrix, knn_affinity


def fit(Xs, k=3, **parameters):
    return MultiViewSNMF(k, **{"random_state": 0, "max_iter": 5000, **parameters}).fit(Xs)


def normalised(X):
    return NormalizedMatrix(knn_affinity(X, 10)).L.toarray()


def half_residual(K, Y):
    return 0.5 * np.sum((K - Y @ Y.T) ** 2)


def test_the_objective_is_that_of_the_mean_of_the_affinities():
    Xs = views()
    model = fit(Xs)
    K = np.mean([normalised(X) for X in Xs], axis=0)
    assert model.objective_[-1] == pytest.approx(half_residual(K, model.membership_), rel=1e-10)
    assert (np.diff(model.objective_) <= 1e-12 * model.objective_[0]).all()


def test_a_view_alone_is_a_fit_of_that_view():
    Xs = views()
    model, alone = fit(Xs, view=1), fit([Xs[1]])
    assert np.array_equal(model.labels_, alone.labels_)
    expected = half_residual(normalised(Xs[1]), model.membership_)
    assert model.objective_[-1] == pytest.approx(expected, rel=1e-10)


def test_the_end_is_a_stationary_point_by_finite_differences():
    Xs = views(n=24, noise=(0.8, 0.8))
    model = fit(Xs, tol=1e-12, max_iter=20_000)
    K, Y = np.mean([normalised(X) for X in Xs], axis=0), model.membership_
    step, slopes = 1e-6, np.zeros_like(Y)
    for i, j in np.ndindex(*Y.shape):
        up, down = Y.copy(), Y.copy()
        up[i, j] += step
        down[i, j] -= step
        slopes[i, j] = (half_residual(K, up) - half_residual(K, down)) / (2 * step)
    assert slopes.min() > -1e-3 and np.abs(slopes * Y).max() < 1e-4


def test_the_start_is_positive_and_as_large_as_the_affinities_ask():
    K = DenseSimilarity(normalised(views()[0]))
    Y = random_membership(K, 3, 0)
    bound = 2.0 * np.sqrt(K.positive.mean() / 3)
    assert 0.0 < Y.min() < 0.1 * bound and 0.9 * bound < Y.max() <= bound
