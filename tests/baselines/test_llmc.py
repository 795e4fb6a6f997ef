"""The reconstruction of local learning-based multi-task clustering: steps, limits, and what tasks share."""

from contextlib import nullcontext

import numpy as np
import pytest
import scipy.sparse as sp
from literal import llmc as literal
from planted import first_features, fitting
from scipy.linalg import eigh
from sklearn.metrics import adjusted_rand_score

from mtclib.baselines import LLMC
from mtclib.baselines.llmc import Task, unit_variance
from mtclib.core.base import DegenerateSubspaceWarning, EmptySampleWarning

fit = fitting(LLMC, quiet=True, n_neighbors=6)


def tasks(seed=0, sizes=(30, 24), d=8, noise=1.0):
    return first_features(sizes, d, noise=noise, seed=seed, signal=4.0)


def scores(model, k=3):
    return [adjusted_rand_score(np.arange(len(h)) % k, h) for h in model.labels_]


@pytest.mark.parametrize("parameters", [{}, {"gamma": 20.0}, {"lam": 0.2, "gamma": 0.1}])
def test_rounds_follow_the_literal_updates(parameters):
    Xs = tasks(noise=1.5)
    model = fit(Xs, adapt=False, max_iter=4, tol=0.0, **parameters)
    history = literal.llmc(Xs, [3, 3], m=6, rounds=4, **parameters)
    np.testing.assert_allclose(model.objective_, [step[3] for step in history], rtol=1e-7)
    Ss, Ws, Fs, _ = history[-1]
    for X, S, W, F, ours, Z, coef, E in zip(literal.centred(Xs), Ss, Ws, Fs, model.graph_, model.projected_,
                                            model.coef_, model.embedding_):
        np.testing.assert_allclose(ours.toarray(), (S + S.T) / 2, atol=1e-6)
        np.testing.assert_allclose(X @ coef, Z, atol=1e-8)
        np.testing.assert_allclose(Z @ Z.T, X @ W @ W.T @ X.T, atol=1e-6)
        np.testing.assert_allclose(E @ E.T, F @ F.T, atol=1e-6)


@pytest.mark.parametrize("shape", [(25, 6), (12, 40)])
def test_no_other_projection_with_orthonormal_columns_is_better(shape):
    n, d = shape
    rng = np.random.default_rng(0)
    X = unit_variance([rng.standard_normal((n, d))])[0]
    task, norms, gamma = Task(X, 2, 2, 4, 1.0, 0), rng.uniform(0.1, 1.0, d), 0.7
    S = task.S.toarray()
    task.project(norms, gamma)
    L = np.diag(S.sum(axis=1)) - S

    def majorant(W):
        return 2.0 * np.trace(W.T @ X.T @ L @ X @ W) + gamma / 2.0 * np.sum(W**2 / norms[:, None])

    np.testing.assert_allclose(task.W.T @ X.T @ X @ task.W, np.eye(2), atol=1e-9)
    lowest = majorant(task.W)
    for size in 10.0 ** rng.uniform(-3, 0, 100):
        W = task.W + size * np.linalg.norm(task.W) * rng.standard_normal((d, 2)) / d**0.5
        values, Q = eigh(W.T @ X.T @ X @ W)
        assert lowest <= majorant(W @ Q / np.sqrt(values)) + 1e-9


def test_planted_clusters_that_tasks_share_are_the_components():
    model = fit(tasks(sizes=(60, 45, 30)), n_neighbors=8)
    assert model.converged_
    assert model.n_components_ == [3, 3, 3]
    assert min(scores(model)) > 0.9
    for labels, components in zip(model.labels_, model.components_):
        assert np.array_equal(labels, components)


def test_tasks_find_the_few_features_that_tell_clusters_apart_better_together():
    together, alone = [], []
    for seed in range(3):
        Xs = tasks(seed, sizes=(30,) * 6, d=150)
        model = fit(Xs, gamma=10.0)
        together.append(np.mean(scores(model)))
        alone.append(np.mean([scores(fit([X], gamma=10.0)) for X in Xs]))
        assert model.feature_norms_[:3].min() > 100.0 * np.median(model.feature_norms_[3:])
    assert np.mean(together) > np.mean(alone) + 0.03


def test_tasks_without_a_common_feature_stand_alone():
    first, second = tasks(noise=0.7, d=6)
    padded = [np.hstack([first, np.zeros((30, 6))]), np.hstack([np.zeros((24, 6)), second])]
    # One unit for all tasks, so that it is the same for each alone.
    padded = [X / np.sqrt(np.sum((X - X.mean(axis=0)) ** 2) / len(X)) for X in padded]
    together = fit(padded, adapt=False, max_iter=5, tol=0.0)
    for t, X in enumerate(padded):
        alone = fit([X], adapt=False, max_iter=5, tol=0.0)
        assert abs(together.graph_[t] - alone.graph_[0]).max() < 1e-9
        assert np.array_equal(together.labels_[t], alone.labels_[0])
    shared = fit([first, second], adapt=False, max_iter=5, tol=0.0)
    alone = fit([first], adapt=False, max_iter=5, tol=0.0)
    assert not np.allclose(shared.feature_norms_, alone.feature_norms_)


def test_the_search_ends_where_no_strength_gives_the_components():
    task = Task(tasks()[0], 3, 3, 6, 1.0, 0)
    assert any(task.settle() for task.count in 10 * [4, 2]), "the search goes on"
    task.lam, task.count, task.factor = 1e-13, 2, 2.0
    assert not task.settle(), "stronger ones have not been tried"


def test_with_other_numbers_of_components_labels_come_from_the_embedding():
    model = fit(tasks(noise=2.0), adapt=False, lam=1e-3, n_neighbors=15)
    assert max(model.n_components_) < 3
    assert all(set(h) == {0, 1, 2} for h in model.labels_)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_empty_samples_have_no_edges_where_they_would_be_neighbours_of_many(form):
    X = np.vstack([np.zeros((3, 6)), np.kron(np.eye(2), np.ones((8, 3)))])
    X[3:] += 0.1 * np.random.default_rng(0).random((16, 6))
    with pytest.warns(EmptySampleWarning, match="3 in task 1"):
        model = LLMC(n_clusters=2, n_neighbors=5, random_state=0).fit([form(X), X[3:]])
    assert not model.graph_[0][:3].nnz
    assert not model.projected_[0][:3].any()
    assert len(np.unique(model.components_[0])) == 3 + model.n_components_[0] == 5
    assert np.array_equal(model.labels_[0][3:], model.labels_[1])


@pytest.mark.parametrize(("k", "kept"), [(6, False), (13, True), (24, True)])
def test_more_components_than_half_of_the_samples_are_not_searched_for(k, kept):
    X = np.random.default_rng(0).normal(size=(24, 5))
    with nullcontext() if not kept else pytest.warns(DegenerateSubspaceWarning, match="in task 1, where"):
        model = LLMC(k, random_state=0).fit([X])
    assert (model.strength_[0] == 1.0) == kept
    assert model.converged_
    assert len(set(model.labels_[0])) == k
