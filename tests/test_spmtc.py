"""LSSMTC and SPMTC: every update against its literal transcription, and the defects of the printed forms."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from data_support import real_data
from hypothesis import given, strategies as st
from literal import spmtc as literal
from planted import quiet_fit
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from mtclib import LSSMTC, SPMTC
from mtclib.core.base import DegenerateSubspaceWarning
from mtclib.datasets import load
from mtclib.metrics import clustering_accuracy
from mtclib.spmtc import centroid_steps, coordinate_step, membership_step


def texts(sizes=(24, 19, 21), d=12, seed=0, c=3):
    """Counts with c topics; the first features occur in all documents."""
    rng = np.random.default_rng(seed)
    means = rng.uniform(0.2, 1.0, (c, d)) + 3.0 * (np.arange(d) % c == np.arange(c)[:, None])
    return [rng.poisson(means[np.arange(n) % c]) + 0.25 * (np.arange(d) < 4) for n in sizes]


def memberships(Xs, c, seed):
    return [1.0 - np.random.default_rng(seed).random((len(X), c)) for X in Xs]


@pytest.mark.parametrize("w_update", ["mult", "eig_small"])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("lam", [0.0, 0.4, 1.0])
def test_lssmtc_equals_the_literal_iterations(w_update, convert, lam, monkeypatch):
    Xs = texts()
    monkeypatch.setattr(LSSMTC, "_memberships", lambda self, problem, c, seed: memberships(Xs, 3, 5))
    model = quiet_fit(LSSMTC(3, w_update=w_update, lam=lam, max_iter=8, tol=0.0), [convert(X) for X in Xs])
    Ps, Ms, M, W, history = literal.lssmtc(
        [X.T for X in Xs], memberships(Xs, 3, 5), lam, 2, w_update, [np.ones(len(X)) for X in Xs], 8)
    np.testing.assert_allclose(model.objective_, history, rtol=1e-7)
    for ours, theirs in zip(model.membership_, Ps):
        np.testing.assert_allclose(ours, theirs, atol=1e-6)
    np.testing.assert_allclose(model.projection_ @ model.shared_centroids_.T, W @ M, atol=1e-5)
    for ours, theirs in zip(model.centroids_, Ms):
        np.testing.assert_allclose(ours, theirs.T, atol=1e-5)


@pytest.mark.parametrize("weighting", ["hard", "soft"])
@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("w_update", ["mult", "eig_small"])
def test_spmtc_equals_algorithm_1(weighting, power, w_update, monkeypatch):
    Xs, shares = texts((30, 27)), [0.5, 0.7, 0.9, 1.0]
    monkeypatch.setattr(SPMTC, "_memberships", lambda self, problem, c, seed: memberships(Xs, 3, 5))
    model = SPMTC(3, weighting=weighting, weight_power=power, w_update=w_update, lam=0.6, warm_up=4,
                  inner_max_iter=5, pace_step=0.2, tol=0.0, kkt_tol=1).fit([sp.csr_array(X) for X in Xs])
    Ps, weights, histories = literal.spmtc(
        [X.T for X in Xs], memberships(Xs, 3, 5), 0.6, 2, w_update, weighting, shares, 4, 5, power)
    for ours, theirs in zip(model.round_objective_[1:], histories):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    for t in range(2):
        np.testing.assert_allclose(model.membership_[t], Ps[t], atol=1e-5)
        np.testing.assert_allclose(model.weight_history_[t], [vs[t] for vs in weights], atol=1e-6)
    np.testing.assert_array_equal(model.pace_, shares)


def test_losses_are_those_of_equation_9():
    Xs = texts((6, 5), d=5)
    model = quiet_fit(SPMTC(2, weighting="soft", lam=0.3, random_state=0), Xs)
    expected = literal.losses([X.T for X in Xs], model.membership_, [C.T for C in model.centroids_],
                              model.shared_centroids_.T, model.projection_, 0.3)
    for ours, theirs in zip(model.losses_, expected):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9)
    assert model.objective_[-1] == pytest.approx(sum(map(np.sum, expected)))
    total = sum(v @ loss for v, loss in zip(model.weights_, expected))
    assert model.round_objective_[-1][-1] == pytest.approx(total)


def test_centroids_of_dead_and_of_equal_clusters_still_minimise_the_loss():
    rng = np.random.default_rng(0)
    X, p, v = rng.normal(size=(12, 5)), rng.random((12, 1)), rng.random(12)
    alone = P = p @ literal.centre(X.T, p, v).T
    for P in (np.hstack([p, 0 * p]), np.hstack([p, p]), np.hstack([p, 1e-60 * p])):
        np.testing.assert_allclose(P @ centroid_steps([X.T], [P], [v])[0], alone, atol=1e-8)


@given(seed=st.integers(0, 2**31), shift=st.floats(0.0, 2.0), lam=st.floats(0.0, 1.0))
def test_the_membership_step_is_the_printed_one_without_weights_and_no_step_raises_a_loss(seed, shift, lam):
    rng = np.random.default_rng(seed)
    X, P, v = rng.poisson(1.0, (9, 6)) - shift, rng.random((9, 3)) + 0.01, rng.random(9) + 0.01
    Mk, M, W = rng.normal(size=(6, 3)), rng.normal(size=(2, 3)), np.linalg.qr(rng.normal(size=(6, 2)))[0]
    A, B = literal.gradient_parts(X.T, P, Mk, M, W, lam)
    new = membership_step(P, A, B)
    np.testing.assert_allclose(new, literal.membership(X.T, P, Mk, M, W, lam, v), rtol=1e-9, atol=1e-49)
    before, *after = (literal.losses([X.T], [Q], [Mk], M, W, lam)[0]
                      for Q in (P, new, coordinate_step(P, A, B)))
    assert (after <= before * (1 + 1e-10) + 1e-12).all()


def test_between_cluster_directions_can_raise_the_objective():
    Xs = list(np.random.default_rng(6).normal(size=(2, 20, 8)))
    model = quiet_fit(LSSMTC(3, w_update="eig_between", lam=0.05, max_iter=30, tol=0.0, random_state=6), Xs)
    assert np.diff(model.objective_).max() > 1e-3


@pytest.mark.parametrize("lam", [0.5, 1.0])
def test_memberships_decide_when_between_cluster_directions_stop_unless_they_count_for_nothing(lam):
    Xs, model = texts(), LSSMTC(3, w_update="eig_between", lam=lam, tol=1e-3, kkt_tol=1, random_state=0)
    n, J = quiet_fit(model, Xs).n_iter_, model.objective_
    P = [np.vstack(quiet_fit(clone(model).set_params(max_iter=i), Xs).membership_) for i in (n - 2, n - 1, n)]
    moved = [np.linalg.norm(new - old) / np.linalg.norm(old) for old, new in zip(P, P[1:])]
    before, last = moved if lam < 1 else -np.diff(J[-3:]) / J[-3:-1]
    assert last <= 1e-3 < before


def test_a_sample_that_no_centroid_attracts_can_return():
    P, B = np.full((1, 2), 0.5), np.eye(2)
    away = membership_step(P, np.array([[-1.0, -2.0]]), B)
    assert (away > 0).all()
    for _ in range(300):
        away = membership_step(away, np.array([[-1.0, -2.0]]), B)
    assert 0 < away.max() < 1e-20
    for _ in range(40):
        away = membership_step(away, np.array([[1.0, 3.0]]), B)
    np.testing.assert_allclose(away, [[1.0, 3.0]], rtol=1e-6)


def test_samples_that_every_centroid_repels_go_where_they_are_repelled_least():
    class Seen(LSSMTC):
        def _labels(self, state):
            self.state = state
            return super()._labels(state)

    X = 2.0 + np.random.default_rng(0).normal(size=(25, 2))
    X[:3] = -3.0
    model = Seen(2, n_components=1, kkt_tol=1, random_state=1).fit([X, X + 0.1])
    for P, (pull, _), labels in zip(model.membership_, model.state.slopes, model.labels_):
        assert (np.flatnonzero(P.max(axis=1) <= 1e-50) == [0, 1, 2]).all()
        assert (labels[:3] == pull[:3].argmax(axis=1)).all()
        assert labels[:3].any(), "the first cluster is not theirs for want of another"


def test_eq_25_without_the_inverse_makes_a_negative_sum_of_squares():
    X, rng = texts((30,))[0].T, np.random.default_rng(0)
    P, v = rng.random((30, 3)), np.ones(30)
    W = np.linalg.qr(rng.normal(size=(12, 2)))[0]
    direct = np.sum((W.T @ X - literal.centre(W.T @ X, P, v) @ P.T) ** 2)
    assert np.trace(W.T @ literal.scatter(X, P, v) @ W) == pytest.approx(direct)
    assert np.trace(W.T @ literal.scatter(X, P, v, printed=True) @ W) < 0


def test_eq_22_as_printed_zeroes_the_rows_that_are_not_selected_for_ever():
    X, rng = texts((20,))[0], np.random.default_rng(0)
    P, v, ones = rng.random((20, 3)), (np.arange(20) < 10).astype(float), np.ones(20)
    W = np.eye(12, 2)
    Mk, M = literal.centre(X.T, P, v), literal.centre(W.T @ X.T, P, v)
    with np.errstate(invalid="ignore"):
        assert np.isnan(literal.membership(X.T, P, Mk, M, W, 0.5, v)[10:]).all()
    locked = literal.membership(X.T, P, Mk, M, W, 0.5, v, eps=1e-9)
    later = literal.membership(X.T, locked, Mk, M, W, 0.5, ones, eps=1e-9)
    assert (locked[10:] == 0).all()
    assert (later[10:] == 0).all()
    assert (later[:10] > 0).any(axis=1).all()


def test_smallest_eigenvectors_with_more_features_than_samples_make_lambda_and_l_idle():
    Xs = texts((14, 11), d=60)
    fits = []
    for lam, l in ((0.1, 2), (0.9, 2), (0.5, 16)):
        fits.append(quiet_fit(LSSMTC(2, w_update="eig_small", lam=lam, n_components=l, random_state=3,
                                     tol=0.0, max_iter=30), Xs))
        assert np.abs(np.vstack(Xs) @ fits[-1].projection_).max() < 1e-8
    alone = [quiet_fit(LSSMTC(2, lam=1.0, random_state=3, tol=0.0, max_iter=30), [X]) for X in Xs]
    for fit in fits:
        np.testing.assert_allclose(fit.objective_ / fit.lam, fits[0].objective_ / fits[0].lam, rtol=1e-6)
        for t in range(2):
            np.testing.assert_allclose(fit.membership_[t], alone[t].membership_[0], rtol=1e-5, atol=1e-8)
            assert np.array_equal(fit.labels_[t], alone[t].labels_[0])


@pytest.mark.parametrize(("parameters", "warned"), [
    ({"w_update": "eig_small"}, True), ({"w_update": "eig_small", "lam": 1.0}, False),
    ({"w_update": "eig_range"}, False), ({"w_update": "eig_between"}, False), ({"w_update": "mult"}, False)])
@pytest.mark.parametrize("cls", [LSSMTC, SPMTC])
def test_only_a_subspace_that_carries_nothing_is_warned_about(cls, parameters, warned):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cls(2, random_state=0, **parameters).fit(texts((14, 11), d=60))
    found = [str(w.message) for w in caught if w.category is DegenerateSubspaceWarning]
    assert bool(found) is warned
    assert all("X W = 0" in text and "use w_update='eig_range' or 'eig_between'" in text for text in found)


def test_first_features_that_never_occur_and_half_of_the_samples_are_degenerate_too():
    with pytest.warns(DegenerateSubspaceWarning, match="choose features that occur"):
        LSSMTC(2, random_state=0, tol=1e-2).fit([np.pad(X, ((0, 0), (2, 0))) for X in texts()])
    Xs = texts((20, 20), d=25)
    assert np.linalg.matrix_rank(np.vstack(Xs)) == 25
    with pytest.warns(DegenerateSubspaceWarning):
        SPMTC(2, w_update="eig_small", random_state=0).fit(Xs)


@pytest.mark.parametrize("w_update", ["mult", "eig_small", "eig_range", "eig_between"])
@pytest.mark.parametrize("d", [12, 100])
def test_projections_are_orthonormal_and_models_have_their_shapes(w_update, d):
    model = quiet_fit(SPMTC(3, w_update=w_update, weighting="soft", random_state=0), texts(d=d))
    assert (model.projection_.shape, model.shared_centroids_.shape) == ((d, 2), (3, 2))
    np.testing.assert_allclose(model.projection_.T @ model.projection_, np.eye(2), atol=1e-8)
    assert [C.shape for C in model.centroids_] == [(3, d)] * 3
    assert (len(model.round_objective_), model.thresholds_.shape) == (7, (6, 3))


def test_weights_follow_the_pace_in_every_task_alike():
    Xs = texts((30, 21))
    Xs[1] = 5.0 * Xs[1]
    hard = quiet_fit(SPMTC(3, random_state=0), Xs)
    soft = quiet_fit(SPMTC(3, weighting="soft", random_state=0), Xs)
    for t, n in enumerate((30, 21)):
        asked = np.ceil(np.round(hard.pace_ * n, 6))
        np.testing.assert_array_equal(hard.weight_history_[t].sum(axis=1), asked)
        np.testing.assert_array_equal((soft.weight_history_[t] > 0).sum(axis=1), asked)
        assert (hard.weights_[t] == 1).all()
        assert (soft.weights_[t] > 0).all()
        assert (soft.weights_[t] < 1).any()


SIGNED = [np.random.default_rng(t).normal(size=(40, 8)) + 2 * np.eye(8)[np.arange(40) % 4] for t in (0, 1)]


@pytest.mark.parametrize("Xs", [texts(), texts((60, 50), 30, 1, 5), SIGNED], ids=["wide", "many", "signed"])
@pytest.mark.parametrize("model", [LSSMTC(4), LSSMTC(4, w_update="eig_range"), SPMTC(4),
                                   SPMTC(4, weighting="soft", free_rows="keep")], ids=str)
def test_converged_means_stationary(model, Xs):
    fit = quiet_fit(clone(model).set_params(random_state=0), Xs)
    S, W, lam = fit.shared_centroids_, fit.projection_, fit.lam
    assert fit.converged_
    for X, P, C in zip(Xs, fit.membership_, fit.centroids_):
        up, down = (np.linalg.norm(P, axis=0) * (lam * Z @ C.T + (1 - lam) * V @ S.T)
                    for Z, V in ((X, X @ W), (P @ C, P @ S)))
        slope = np.where(P > 0, down - up, np.minimum(down - up, 0.0))
        assert np.linalg.norm(slope) <= 1.01 * fit.kkt_tol * (np.linalg.norm(up) + np.linalg.norm(down))


def test_samples_without_weight_have_memberships_and_keep_them_where_they_are_told_to():
    updated, first, second = (
        quiet_fit(SPMTC(3, pace_start=0.3, max_iter=1, random_state=0, **options), texts())
        for options in ({}, *({"inner_max_iter": n, "free_rows": "keep"} for n in (1, 9))))
    assert all((P.max(axis=1) > 0).all() for P in updated.membership_)
    for P, Q, v in zip(first.membership_, second.membership_, first.weights_):
        assert 0 < v.sum() < len(v)
        assert np.array_equal(P[v == 0], Q[v == 0])
        assert not np.array_equal(P[v > 0], Q[v > 0])


def test_an_interrupted_pace_is_not_converged():
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        model = SPMTC(3, max_iter=3, random_state=0).fit(texts())
    assert model.pace_.tolist() == [0.5, 0.6, 0.7]
    assert not model.converged_


def test_a_last_round_that_its_limit_ends_is_not_converged():
    with pytest.warns(ConvergenceWarning, match="inner_max_iter=2 before .* raise inner_max_iter or tol"):
        model = SPMTC(3, inner_max_iter=2, kkt_tol=1, random_state=0).fit(texts())
    assert (model.pace_[-1], len(model.round_objective_[-1])) == (1.0, 2)
    assert model.converged_ is False
    assert quiet_fit(clone(model).set_params(kkt_tol=1e-3), texts()).converged_


@real_data
def test_recvstalk_without_sharing_gives_the_printed_accuracies_of_lssmtc():
    data, scores = load("spmtc-recvstalk"), []
    for seed in range(5):
        model = quiet_fit(LSSMTC(2, lam=1.0, max_iter=50, tol=0.0, random_state=seed), data.Xs)
        scores.append([clustering_accuracy(y, h) for y, h in zip(data.labels, model.labels_)])
    np.testing.assert_allclose(np.mean(scores, axis=0), [0.920, 0.843], atol=0.015)
