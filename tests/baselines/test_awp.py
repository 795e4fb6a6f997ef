"""Adaptively weighted Procrustes against its literal transcription, and its limits."""

import numpy as np
import pytest
from literal import awp as literal
from planted import fitting, noisy_views as views, orthonormal

from mtclib.baselines import AWP
from mtclib.baselines.awp import aligned_rotations, alternate, polars
from mtclib.core.starts import one_hot
from mtclib.maths.graphs import knn_affinity

fit = fitting(AWP)


@pytest.mark.parametrize("seed", range(4))
def test_sweeps_follow_the_literal_updates(seed):
    Fs = [literal.embedding(knn_affinity(X, 6).toarray() + 1e-3, 3) for X in views(seed=seed)]
    for Rs in ([np.eye(3)] * 3, aligned_rotations(Fs, 1)):
        labels, ours, distances, history, _ = alternate(Fs, Rs, 20, near=False)
        Y, theirs, p, expected = literal.awp(Fs, Rs, len(history))
        assert np.array_equal(one_hot(labels, 3), Y)
        np.testing.assert_allclose(history, expected, rtol=1e-12)
        np.testing.assert_allclose(distances, p, rtol=1e-10)
        np.testing.assert_allclose(ours, theirs, atol=1e-8)


def test_where_the_rank_is_too_small_the_rotation_stays_near_the_last_one():
    previous = orthonormal(4, 4, 3)
    np.testing.assert_allclose(polars(np.zeros((1, 4, 4)), [previous])[0][0], previous, atol=1e-12)
    A = np.outer(*np.random.default_rng(1).standard_normal((2, 4)))
    (Q,), (total,) = polars(A[None], [previous])
    U, _, Vt = np.linalg.svd(A)
    np.testing.assert_allclose(Q.T @ Q, np.eye(4), atol=1e-12)
    for s in range(200):
        other = np.outer(U[:, 0], Vt[0]) + U[:, 1:] @ orthonormal(3, 3, s) @ Vt[1:]
        assert np.trace(other.T @ A) == pytest.approx(total, rel=1e-9)
        assert np.linalg.norm(Q - previous) <= np.linalg.norm(other - previous) + 1e-12


def test_an_aligned_start_does_not_depend_on_the_basis_of_the_embeddings():
    Fs = [orthonormal(30, 3, v) for v in range(3)]
    turned = [F @ orthonormal(3, 3, 7 + v) for v, F in enumerate(Fs)]
    first, second = (alternate(given, aligned_rotations(given, 0), 50) for given in (Fs, turned))
    assert np.array_equal(first[0], second[0])
    np.testing.assert_allclose(first[3], second[3], rtol=1e-12)


def test_an_aligned_start_wins_over_every_single_reference():
    model = fit(views(noise=(1.2, 1.5, 1.8), seed=2)[::-1])
    ends = [alternate(model.view_embeddings_, aligned_rotations(model.view_embeddings_, u), 300)[3][-1]
            for u in range(3)]
    assert model.objective_[-1] == min(ends) < ends[0]


def test_the_start_of_the_authors_depends_on_no_seed():
    Xs = views(n=320)
    first, second = (fit(Xs, init="identity", random_state=seed) for seed in range(2))
    assert np.array_equal(first.labels_, second.labels_)
    assert all(np.abs(F).max(axis=0) == pytest.approx(F.max(axis=0)) for F in first.view_embeddings_)


def test_null_vectors_leave_fewer_clusters_empty_than_the_rotation_nearest_to_the_last():
    kept = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        means = [rng.normal(size=(7, 10))[np.arange(105) % 7] for _ in range(2)]
        model = fit([M + rng.normal(size=M.shape) for M in means], k=7, init="identity")
        Fs, start = model.view_embeddings_, [np.eye(7)] * 2
        near, null = (alternate(Fs, start, 300, near)[0] for near in (True, False))
        assert np.array_equal(null, model.labels_)
        kept.append((len(np.unique(near)), len(np.unique(null))))
    assert np.diff(np.sum(kept, axis=0))[0] > 0, kept
