"""The convex subspace problem: closed forms, one optimum from any start, its gap, and its relaxation."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from literal.latentmsc import threshold_singular_values
from planted import quiet_fit, signal_views as views
from scipy.optimize import minimize_scalar
from sklearn.metrics import adjusted_rand_score

from mtclib.baselines import ConvexSub, KMeans
from mtclib.baselines.convexsub import Projection, compact, solve
from mtclib.core.base import DegenerateSubspaceWarning
from mtclib.maths.projections import Centred


def scaled(As):
    """Divided by the largest singular value of all side by side."""
    return [A / np.linalg.norm(np.hstack(As), 2) for A in As]


def norm(Ms):
    """max over rho of the trace norm for two views, which is concave in rho."""
    found = minimize_scalar(
        lambda r: -np.linalg.norm(np.hstack([r**0.5 * Ms[0], (1.0 - r)**0.5 * Ms[1]]), "nuc"),
        bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-12})
    return -found.fun


def solution(As, alpha, weights):
    """M from the final weights: soft-thresholding by many plain proximal steps for fixed weights."""
    X, factors = np.hstack(As), np.sqrt(np.repeat(weights, [A.shape[1] for A in As]))
    Y = X * factors
    for _ in range(3000):
        Y = threshold_singular_values(Y + (X - Y / factors) / factors * weights.min(), alpha * weights.min())
    return np.split(Y / factors, np.cumsum([A.shape[1] for A in As])[:-1], axis=1)


@settings(max_examples=8)
@given(st.integers(0, 10**6), st.integers(3, 25), st.lists(st.integers(1, 12), min_size=1, max_size=4),
       st.floats(0.02, 1.5))
def test_the_objective_never_rises_and_the_gap_is_a_bound(seed, n, widths, alpha):
    As = scaled(views(n, widths, seed))
    found = solve(As, alpha, 40, 0.0)
    assert (np.diff(found.history) <= 1e-12).all()
    assert found.gap >= -1e-13
    assert found.weights.sum() == pytest.approx(1.0)
    assert found.weights.min() >= 0.0
    best = solve(As, alpha, 1000, 1e-9)
    assert found.history[-1] - best.history[-1] <= found.gap * abs(best.history[-1]) * 1.01 + 1e-12


@pytest.mark.parametrize("alpha", [0.1, 0.3, 0.8])
def test_only_certificates_that_could_not_stop_it_are_left_out(monkeypatch, alpha):
    As, taken, bounds = scaled(views(60, (20, 30, 8))), [], []
    certificate, least_gap = Projection.certificate, Projection.least_gap
    monkeypatch.setattr(Projection, "certificate",
                        lambda *args: taken.append(certificate(*args)[2]) or certificate(*args))
    some = solve(As, alpha, 1000, 1e-7)
    few = len(taken)
    monkeypatch.setattr(Projection, "least_gap", lambda *args: bounds.append(least_gap(*args)) or -np.inf)
    every = solve(As, alpha, 1000, 1e-7)
    assert few < len(taken) - few
    assert all(bound <= gap for bound, gap in zip(bounds, taken[few:], strict=True))
    assert (some.history, some.gap) == (every.history, every.gap)
    assert (some.vectors == every.vectors).all()


@settings(max_examples=6)
@given(st.integers(0, 10**6), st.floats(0.05, 1.2), st.integers(2, 4))
def test_any_start_ends_at_the_same_objective(seed, alpha, n_views):
    As = scaled(views(20, range(4, 4 + n_views), seed))
    starts = [None, *np.random.default_rng(seed).dirichlet(0.3 * np.ones(n_views), 3).clip(1e-6)]
    ends = [solve(As, alpha, 5000, 1e-9, weights) for weights in starts]
    assert max(found.gap for found in ends) <= 1e-9
    assert np.ptp([found.history[-1] for found in ends]) <= 1e-8 * abs(ends[0].history[-1])


@pytest.mark.parametrize("count", [1, 3])
def test_one_view_is_soft_thresholded_and_its_copies_get_equal_weights(count):
    Xs = scaled(views(30, (10,))) * count
    found, X = solve(Xs, 0.3, 100, 1e-12), np.hstack(Xs)
    np.testing.assert_allclose(found.weights, np.full(count, 1 / count), atol=1e-9)
    # With equal weights M = sqrt(c) Y, and Y solves |X - sqrt(c) Y|^2 / 2 + alpha |Y|.
    Y = threshold_singular_values(X / count**0.5, 0.3 / count)
    expected = 0.5 * np.sum((X - count**0.5 * Y) ** 2) + 0.3 * np.linalg.norm(Y, "nuc")
    assert -found.history[-1] == pytest.approx(expected, rel=1e-10)
    assert found.gap <= 1e-12
    np.testing.assert_allclose(found.singular_values[:10], np.linalg.svd(Y, compute_uv=False)[:10], atol=1e-9)
    assert found.rank == np.linalg.matrix_rank(Y)
    assert count > 1 or len(found.history) == 1


@pytest.mark.parametrize("alpha", [0.1, 0.4, 0.8])
def test_the_optimum_is_that_of_the_min_max_problem(alpha):
    As = scaled(views(15, (6, 4)))
    found = solve(As, alpha, 5000, 1e-11)

    def primal(Ms):
        return 0.5 * sum(np.sum((A - M) ** 2) for A, M in zip(As, Ms)) + alpha * norm(Ms)

    Ms = solution(As, alpha, found.weights)
    assert primal(Ms) == pytest.approx(-found.history[-1], rel=1e-6)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-1, 1.0):
        moved = [M + size * rng.standard_normal(M.shape) / 10 for M in Ms]
        assert primal(moved) >= -found.history[-1] - 1e-9


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("n", "widths"), [(50, (8, 5)), (12, (8, 5)), (12, (30, 5)), (12, (30, 40, 20))])
def test_coordinates_keep_the_views_up_to_rotations(n, widths, convert):
    Xs = views(n, widths)
    basis, As = compact([Centred(convert(X + 1.0)) for X in Xs])
    centred = [X - X.mean(axis=0) for X in Xs]
    m = len(As[0])
    assert m <= min(n, sum(widths))
    assert all(A.shape[1] <= max(n, d) for A, d in zip(As, widths))
    np.testing.assert_allclose(basis.T @ basis, np.eye(m), atol=1e-9)
    largest = np.linalg.norm(np.hstack(centred), 2)
    for A, X in zip(As, centred):
        np.testing.assert_allclose(basis @ A @ A.T @ basis.T, X @ X.T / largest**2, atol=1e-9)


def test_one_view_is_clustered_as_by_k_means_on_its_components():
    rng = np.random.default_rng(0)
    X = 4.0 * np.eye(3)[np.arange(90) % 3] @ rng.standard_normal((3, 8)) + rng.standard_normal((90, 8))
    U, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    for embedding, lengths in (("scaled", np.maximum(s - 0.1 * s[0], 0.0)), ("orthonormal", np.ones(8))):
        model = ConvexSub(3, alpha=0.1, n_components=2, embedding=embedding, random_state=0).fit([X])
        Z = U[:, :2] * lengths[:2]
        expected = KMeans(3, init="k-means++", n_init=10, random_state=0).fit(
            [Z / np.linalg.norm(Z, axis=1, keepdims=True)])
        assert adjusted_rand_score(expected.labels_[0], model.labels_) == 1.0


def test_a_large_penalty_leaves_fewer_columns_than_clusters_and_too_large_a_one_nothing_and_says_so():
    model = ConvexSub(3, alpha=0.95, random_state=0).fit(views(40, (8, 5)))
    assert 1 <= model.rank_ < 3
    assert model.embedding_.shape == (40, model.rank_)
    with pytest.warns(DegenerateSubspaceWarning, match="nothing is left of the data; lower alpha"):
        model = ConvexSub(3, alpha=1.5, random_state=0).fit(views(40, (8, 5)))
    assert model.rank_ == 0
    assert not model.embedding_.any()
    assert model.converged_


def test_it_stops_at_the_asked_gap():
    loose, tight = (ConvexSub(3, tol=tol, random_state=0).fit(views(40, (8, 5))) for tol in (1e-2, 1e-9))
    assert loose.gap_ <= 1e-2
    assert tight.gap_ <= 1e-9
    assert loose.n_iter_ < tight.n_iter_
    assert abs(loose.objective_[-1] / tight.objective_[-1] - 1.0) <= loose.gap_ + 1e-8
    for part, converged in ((1, True), (2, False)):
        cut = quiet_fit(ConvexSub(3, tol=1e-9, max_iter=tight.n_iter_ // part, random_state=0),
                        views(40, (8, 5)))
        assert cut.converged_ == (cut.gap_ <= 1e-9) == converged
