"""LatentMSC against its literal transcription, with either sign, and what becomes of its constraints."""

import numpy as np
import pytest
from literal import latentmsc as literal
from planted import nonnegative_views
from sklearn.exceptions import ConvergenceWarning

from mtclib.baselines import LatentMSC, latentmsc
from mtclib.baselines.latentmsc import EXACT, polar, root, solve, threshold_singular_values

SIGNS = {"correct": 1, "released": -1}


def views(n=36, widths=(50, 20), seed=0):
    return nonnegative_views(n, widths, seed)


def stacked(Xs):
    return literal.stack([X.T for X in Xs])


def start(h, n, seed=0):
    return np.random.default_rng(seed).random((h, n))


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize(("lam", "h"), [(0.1, 20), (1.0, 6)])
def test_a_fit_is_that_of_the_literal_updates(sign, lam, h):
    with pytest.warns(ConvergenceWarning, match="max_iter=60"):
        model = LatentMSC(3, sign=sign, lam=lam, n_components=h, max_iter=60, random_state=0).fit(views())
    seed = np.random.SeedSequence(0).spawn(1)[0].generate_state(1)[0]
    _, H, Z, _, history, gaps = literal.latent(stacked(views()), start(h, 36, seed), lam, 60, SIGNS[sign])
    np.testing.assert_allclose(model.objective_, history, rtol=1e-6)
    np.testing.assert_allclose(model.coefficients_, Z, atol=1e-5)
    np.testing.assert_allclose(model.latent_.T, H, atol=1e-5)
    np.testing.assert_allclose(model.affinity_, np.abs(Z) + np.abs(Z).T, atol=1e-5)
    assert gaps[-1] > 0.0


@pytest.mark.parametrize(("sign", "stationary"), [(1.0, True), (-1.0, False)])
def test_only_the_correct_sign_of_the_latent_step_is_stationary_for_the_lagrangian(sign, stationary):
    R, mu, directions = root(views()), 0.7, np.random.default_rng(0).normal(size=(5, 6, 36))
    model, *_ = solve(R, start(6, 36), 0.5, 1.0, 3, 0.0)
    P = polar(R[:, :6])

    def lagrangian(H):
        gaps = ((model.Yh, R - P @ H - model.Eh), (model.Yr, H - H @ model.Z - model.Er))
        return sum(np.vdot(Y + mu / 2 * gap, gap) for Y, gap in gaps) + latentmsc.RIDGE / 2 * np.sum(H**2)

    H = latentmsc.update_latent(model, R, P, mu, sign)
    slopes = [lagrangian(H + 1e-3 * D) - lagrangian(H - 1e-3 * D) for D in directions]
    assert (np.abs(slopes).max() < 1e-8 * abs(lagrangian(H))) == stationary


def test_the_end_meets_the_constraints_and_its_objective_is_that_of_the_problem():
    Xs = views()
    model = LatentMSC(3, random_state=0).fit(Xs)
    M, H, Z = stacked(Xs), model.latent_.T, model.coefficients_
    assert model.converged_
    P = polar(M @ H.T)
    assert literal.objective(M, P, H, Z, Z, 1.0) == pytest.approx(model.objective_[-1], rel=2e-2)


@pytest.mark.parametrize("tau", [1e-9, 1e-4, 0.5, 3.0, 100.0])
def test_thresholds_agree_with_all_singular_values(tau):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((20, 4)) @ rng.standard_normal((4, 20)) + 1e-5 * rng.standard_normal((20, 20))
    J, norm = threshold_singular_values(A, tau)
    expected = literal.threshold_singular_values(A, tau)
    assert 1e-9 < EXACT * np.linalg.norm(A) < 1e-4
    np.testing.assert_allclose(J, expected, atol=1e-9)
    assert norm == pytest.approx(np.linalg.svd(expected)[1].sum(), abs=1e-8)


LOW = [np.outer((-1.0) ** np.arange(36), [1.0, 2.0]), np.eye(36)[:, :2] + 1.0]


@pytest.mark.parametrize(("given", "used", "Xs"), [
    (None, 6, views()), (4, 4, views()), (100, 35, views()), (15, 3, LOW)])
def test_components_are_twice_the_clusters_fewer_than_samples_and_no_more_than_the_rank(given, used, Xs):
    model = LatentMSC(3, n_components=given, max_iter=1000, random_state=0).fit(Xs)
    assert model.latent_.shape == (36, used)
