"""Co-regularised spectral clustering against its literal transcription, its limits, and hard graphs."""

import numpy as np
import pytest
from literal import coreg as literal
from planted import fitting, noisy_views as views
from scipy.linalg import block_diag
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from mtclib.baselines import CoregSpectral, SpectralNJW
from mtclib.baselines.coreg import Centroid, Pairwise, alternate
from mtclib.maths.eigen import leading
from mtclib.maths.graphs import NormalizedMatrix, gaussian_affinity

fit = fitting(CoregSpectral)
# objective_ of mvlearn 0.5.0 with numpy 2.4 on the data of the test of the transcription.
MVLEARN = [[1.4910891893, 4.3129546961, 4.3350104625, 4.3214714609],
           [1.5115024270, 3.2666973611, 4.2154572909, 4.2212762847],
           [1.5285522698, 3.8635243395, 4.2028710307, 4.2063706357]]
SCHEMES = {"pairwise": Pairwise, "centroid": Centroid}


def affinity(n, seed):
    A = np.random.default_rng(seed).random((n, n)) ** 4
    return A + A.T


def problem(Ks, k, scheme, lams):
    graphs = [NormalizedMatrix(K) for K in Ks]
    Ls = [graph.block(np.arange(len(K))) for graph, K in zip(graphs, Ks)]
    return SCHEMES[scheme](Ls, [leading(graph, k, 0) for graph in graphs], np.array(lams, float))


def spans_agree(U, W):
    return np.abs(U @ U.T - W @ W.T).max()


@pytest.mark.parametrize("n", [40, 400])
@pytest.mark.parametrize("lam", [0.05, 2.0])
def test_sweeps_follow_the_literal_updates(n, lam):
    p = problem([affinity(n, s) for s in range(3)], 3, "pairwise", [lam] * 3)
    Us = p.bases
    expected, history = literal.pairwise(p.Ks, Us, lam, 3)
    for value in history:
        Us, images = p.sweep(Us, 1e-9)
        assert p.objective(Us, images) == pytest.approx(value, rel=1e-10)
    assert max(spans_agree(U, W) for U, W in zip(Us, expected)) < 1e-6
    c, Us = Centroid(p.Ks, p.bases, np.array([lam, 2 * lam, lam / 2])), p.bases
    expected, _, history = literal.centroid(c.Ks, Us, c.lams, 3)
    for value in history:
        Us, images = c.sweep(Us, 1e-9)
        assert c.objective(Us, images) == pytest.approx(value, rel=1e-10)
    assert max(spans_agree(U, W) for U, W in zip(Us, expected)) < 1e-6


def test_the_best_start_is_no_worse_than_either():
    for lam in (1e-3, 1.0):
        first = [fit(views(), scheme="pairwise", lam=lam, init=init, max_iter=300, tol=1e-8).objective_
                 for init in ("best", "views", "average")]
        assert first[0][0] <= min(first[1][0], first[2][0]) + 1e-9


@pytest.mark.parametrize("lam", [0.1, 2.0])
def test_its_objective_is_no_worse_than_that_of_mvlearn(lam):
    Xs = views(n=150, noise=(1.0, 1.5, 2.0, 2.0))
    Ks, Us, _ = literal.mvlearn_pairwise([gaussian_affinity(X) for X in Xs], 3, lam, 10)
    model = fit(Xs, scheme="pairwise", lam=lam)
    assert -model.objective_[:10][-1] >= literal.pairwise_objective(Ks, Us, lam) * (1.0 - 1e-6)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_steps_beyond_the_sweeps_lead_where_many_times_as_many_sweeps_do(scheme):
    p = problem([affinity(40, s) for s in range(3)], 3, scheme, [0.5] * 3)
    found, history, converged = alternate(p, "views", 40, 1e-9)
    assert converged
    assert (np.diff(history) <= 0).all()
    Us, values = p.bases, []
    for _ in range(400):
        Us, images = p.sweep(Us, 1e-8)
        values.append(-p.objective(Us, images))
    assert values[4 * len(history)] > history[-1]
    assert values[-1] == pytest.approx(history[-1], rel=1e-9)
    assert max(spans_agree(U, W) for U, W in zip(found, Us)) < 1e-4


@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_is_left_to_gain_at_the_end_is_about_the_tolerance(scheme):
    found, limit = (fit(views(noise=(1.0, 1.5)), scheme=scheme, lam=2.0, **more).objective_[-1]
                    for more in ({}, {"tol": 1e-11, "max_iter": 2000}))
    assert found <= limit * (1.0 - 2e-7)


def test_the_transcription_gives_the_numbers_of_mvlearn():
    X = np.arange(80.0).reshape(20, 4)
    Xs = [np.sin(X), np.cos(X**2 / 100)[:, :3], np.sin(X * 1.7)[:, 1:]]
    affinities = [rbf_kernel(X, gamma=0.5 / np.median(cdist(X, X)) ** 2) for X in Xs]
    _, _, values = literal.mvlearn_pairwise(affinities, 3, 0.5, 4)
    np.testing.assert_allclose(values, MVLEARN, atol=1e-9)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_one_view_is_spectral_clustering(scheme):
    X = views(n=330)[1]
    expected = SpectralNJW(3, affinity="gaussian", random_state=0).fit([X])
    model = fit([X], scheme=scheme)
    assert adjusted_rand_score(expected.labels_[0], model.labels_) == 1.0
    extra = {"pairwise": 0.0, "centroid": 0.1 * 3}[scheme]
    assert -model.objective_[-1] == pytest.approx(expected.eigenvalues_[0].sum() + extra, abs=1e-6)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_without_agreement_each_view_stands_alone_and_with_nothing_else_all_are_equal(scheme):
    Xs = views()
    alone = [fit([X]).view_embeddings_[0] for X in Xs]
    weak = fit(Xs, scheme=scheme, lam=1e-9, init="views").view_embeddings_
    assert max(spans_agree(U, W) for U, W in zip(weak, alone)) < 1e-4
    strong = fit(Xs, scheme=scheme, lam=1e4).view_embeddings_
    assert max(spans_agree(U, strong[0]) for U in strong) < 1e-2


def components(sizes, seed):
    return block_diag(*[affinity(size, seed + i) for i, size in enumerate(sizes)])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_graphs_in_pieces_lose_no_eigenvector(scheme):
    pieces = [components((200, 100, 60), 0), components((60, 100, 200), 10)]
    p = problem(pieces, 3, scheme, [0.05] * 2)
    for K, U in zip(p.Ks, p.bases):
        np.testing.assert_allclose(np.diag(U.T @ K @ U), np.ones(3), atol=1e-8)
    Us, images = p.sweep(p.bases, 1e-9)
    if scheme == "pairwise":
        _, history = literal.pairwise(p.Ks, p.bases, 0.05, 1)
    else:
        _, _, history = literal.centroid(p.Ks, p.bases, [0.05] * 2, 1)
    assert p.objective(Us, images) == pytest.approx(history[0], rel=1e-9)


def test_an_eigenvector_that_the_last_embedding_missed_comes_back():
    p = problem([components((150, 120, 80), 0)], 2, "pairwise", [1.0])
    K, n = p.Ks[0], 350
    bad = np.zeros((n, 2))
    bad[270:, :] = np.linalg.qr(np.random.default_rng(0).standard_normal((80, 2)))[0]
    U, image = p.update(0, bad, np.zeros((n, 0)), 1e-9)
    np.testing.assert_allclose(image, K @ U, atol=1e-9)
    assert np.trace(U.T @ K @ U) == pytest.approx(2.0, abs=1e-9)


def test_one_view_can_be_clustered_alone_in_the_end():
    model = fit(views(), scheme="pairwise", view=1)
    U = model.view_embeddings_[1]
    np.testing.assert_allclose(model.embedding_, U / np.linalg.norm(U, axis=1, keepdims=True))
    assert fit(views(), scheme="pairwise").embedding_.shape == (60, 9)
    assert fit(views(), scheme="centroid").embedding_.shape == (60, 3)
