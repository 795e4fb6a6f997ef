"""MKC: every step against loops over a Gram matrix, and the reductions."""

import numpy as np
import pytest
import scipy.sparse as sp
from literal import mkc as literal
from planted import equal, even_start as start, first_features, quiet_fit as fit
from scipy.optimize import nnls
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import rbf_kernel

from mtclib import MBC
from mtclib.baselines import MKC, _graded
from mtclib.baselines._kernels import feature_space
from mtclib.core.base import spawn_seeds
from mtclib.core.starts import random_labels


def linear(stack):
    return stack @ stack.T


def gaussian(Xs, s):
    return rbf_kernel(np.vstack(Xs), gamma=1 / (2 * s**2))


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("kernel", ["linear", linear])
def test_hard_memberships_and_a_linear_kernel_are_mbc_with_the_squared_distance(kernel, convert):
    for seed in range(3):
        Xs, Ks = first_features((40, 30, 35), 3, seed=seed), [3, 2, 4]
        labels = start(Xs, Ks, seed)
        mbc = fit(MBC(Ks, init=labels, tol=0.0), Xs)
        ours = fit(MKC(Ks, kernel=kernel, membership="hard", init=labels, tol=0.0), [convert(X) for X in Xs])
        assert all(map(np.array_equal, ours.labels_, mbc.labels_))
        np.testing.assert_allclose(ours.objective_[-1], mbc.objective_[-1], rtol=1e-10)
        np.testing.assert_allclose(ours.relation_[0, 2], mbc.relation_[0, 2], atol=1e-12)
        for U, V in zip(ours.cluster_centers_, mbc.cluster_centers_):
            np.testing.assert_allclose(U if kernel == "linear" else U @ np.vstack(Xs), V, atol=1e-9)


def test_a_random_start_is_one_random_partition_of_each_task():
    Xs, Ks, seed = first_features((12, 9), 3), [3, 2], spawn_seeds(0, 1)[0]
    drawn = [random_labels(len(Xs[t]), k, np.random.default_rng([seed, t])) for t, k in enumerate(Ks)]
    ours, given = (fit(MKC(Ks, init=init, random_state=0), Xs) for init in ("random", drawn))
    assert equal(ours.labels_, given.labels_)
    np.testing.assert_array_equal(ours.objective_, given.objective_)


@pytest.mark.parametrize("membership", ["graded", "nonnegative"])
@pytest.mark.parametrize("kernel", ["gaussian", "linear"])
def test_mkc_equals_the_sweeps_in_loops(kernel, membership):
    Xs, Ks = first_features((6, 5), 2, seed=1), [3, 2]
    G = gaussian(Xs, 2.0) if kernel == "gaussian" else linear(np.vstack(Xs))
    ours = fit(MKC(Ks, lam=0.7, kernel=kernel, scale=2.0, membership=membership, init=start(Xs, Ks),
                   max_iter=2, tol=0.0), Xs)
    Ps, Bs, history = literal.algorithm(start(Xs, Ks), Ks, 0.7, G, membership == "graded", 2)
    np.testing.assert_allclose(ours.objective_[0], history[0], rtol=1e-8)
    for t in range(2):
        np.testing.assert_allclose(ours.membership_[t], Ps[t], atol=1e-7)
        U = ours.cluster_centers_[t]
        np.testing.assert_allclose(*((U, Bs[t]) if kernel == "gaussian" else (U, Bs[t] @ np.vstack(Xs))),
                                   atol=1e-7)
        assert ours.local_loss_[t] == pytest.approx(literal.local_loss(t, Ps, Bs, G))
    assert ours.objective_[-1] == pytest.approx(literal.loss(Ps, Bs, ours.relation_, 0.7, G))


def test_the_gaussian_kernel_takes_its_width_from_all_tasks():
    Xs = first_features((20, 15), 3)
    tasks, _ = feature_space(Xs, "gaussian", "median")
    expected = gaussian(Xs, np.median(pdist(np.vstack(Xs))))
    np.testing.assert_allclose(np.vstack([task.rows_of_K for task in tasks]), expected)
    np.testing.assert_allclose(tasks[1].mean()[:35], np.repeat([0.0, 1 / 15], [20, 15]))


def test_nonnegative_memberships_reach_the_least_squares_solution_even_from_zero():
    rng = np.random.default_rng(0)
    points, centres, P = rng.normal(size=(20, 6)) + 0.3, rng.normal(size=(3, 6)), np.eye(20, 3)
    for _ in range(200):
        P = _graded.membership_steps(P, points @ centres.T, centres @ centres.T, sums_to_one=False, times=1)
    np.testing.assert_allclose(P, [nnls(centres.T, x)[0] for x in points], atol=1e-8)
