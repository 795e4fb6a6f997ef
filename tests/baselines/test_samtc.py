"""SAMTC against its literal transcription, its limits, and what it is for; kernel mean matching by itself."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from literal import samtc as literal
from planted import fitting
from scipy.optimize import linprog
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import normalize

from mtclib.baselines import SAMTC, samtc
from mtclib.baselines.samtc import match_mean, relate_tasks
from mtclib.core.base import DegenerateSubspaceWarning
from mtclib.core.starts import one_hot
from mtclib.maths.neighbours import nearest, shared
from mtclib.maths.simplex import gap, project_capped

fit = fitting(SAMTC, n_neighbors=8, n_neighbors_across=8)


def words(seed, n, k=3, d=12, length=8, first=0, total=None):
    """Counts of short documents on k topics, each with its own words and a share of common ones."""
    rng = np.random.default_rng(seed)
    topics = np.full((total or k, d), 0.4 / d)
    for z in range(len(topics)):
        topics[z, z * d // len(topics):(z + 1) * d // len(topics)] += 0.6 * len(topics) / d
    return np.array([rng.multinomial(length, topics[first + i % k]) for i in range(n)], float)


def units(X):
    return sp.csr_array(normalize(sp.csr_array(X)))


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(2, 9), st.integers(1, 12), st.booleans(),
       st.sampled_from([512, 3]))
def test_neighbours_are_the_literal_ones_ties_and_zero_rows_included_in_any_block(seed, n, m, k, same, block):
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(0, 2, (n, 4)).astype(float), rng.integers(0, 2, (m, 4)).astype(float)
    Y = X if same else Y
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mtclib.maths.neighbours.BLOCK", block)
        found = nearest(units(X), units(Y), k, same=same)
    expected = literal.neighbours(literal.unit_rows(X), literal.unit_rows(Y), k, same)
    shares = [[row.get(j, 0.0) for j in range(len(Y))] for row in expected]
    np.testing.assert_allclose(found.toarray(), shares)
    np.testing.assert_allclose(shared(found), literal.shares(expected, 1))


@given(st.integers(0, 10**6), st.integers(1, 9), st.floats(0.3, 2.0))
def test_the_projection_is_the_nearest_point_and_the_gap_is_that_of_a_linear_program(seed, n, cap):
    rng = np.random.default_rng(seed)
    low, high = sorted(rng.uniform(0.0, min(2.0, n * cap), 2))
    v = 3.0 * rng.standard_normal(n)
    w = project_capped(v, cap, low, high)
    assert w.min() >= 0
    assert w.max() <= cap
    assert low - 1e-9 <= w.sum() <= high + 1e-9
    # Of the squared distance the gradient at w is w - v; at the minimum the linear function has no decrease.
    assert gap(w - v, w, cap, low, high) <= 1e-8
    g = rng.standard_normal(n)
    program = linprog(g, np.array([np.ones(n), -np.ones(n)]), [high, -low], bounds=[(0.0, cap)] * n)
    assert gap(g, w, cap, low, high) == pytest.approx(g @ w - program.fun, abs=1e-7)


@given(st.integers(0, 10**6), st.integers(1, 14), st.integers(2, 8))
def test_means_are_matched_as_by_quadratic_programming(seed, n, d):
    rng = np.random.default_rng(seed)
    V = units(rng.poisson(0.8, (n, d)) + np.eye(n, d))
    V = V if V.nnz else units(np.ones((n, d)))
    target = units(rng.poisson(0.8, (6, d)) + 0.1).toarray().mean(axis=0)
    weights, distance = match_mean(V, target)
    assert distance == pytest.approx(np.linalg.norm(weights @ V.toarray() / n - target), abs=1e-12)
    expected = literal.mean_matching(V.toarray(), target)
    assert distance**2 <= expected**2 + 1e-6 * (target @ target)
    assert distance**2 >= expected**2 - 1e-6 * (target @ target)
    assert weights.min() >= 0
    assert n**0.5 - 1e-9 <= weights.sum() <= 2 * n - n**0.5 + 1e-9


def test_mean_matching_that_does_not_converge_says_so(monkeypatch):
    monkeypatch.setattr(samtc, "LARGEST_ITERATIONS", 1)
    with pytest.raises(FloatingPointError, match="kernel mean matching of 30 samples did not converge"):
        match_mean(units(words(0, 30)), units(words(1, 30)).toarray().mean(axis=0))


@pytest.mark.parametrize("seed", range(3))
def test_links_and_similarities_are_the_literal_ones(seed):
    Xs = [words(seed, 16), words(seed + 9, 13, k=2), words(seed + 20, 11)]
    Xs[0][3] = 0.0
    ks = [3, 2, 3]
    labels = [np.random.default_rng(seed).integers(0, k, len(X)) for k, X in zip(ks, Xs)]
    S, pairs, e = literal.similarities(Xs, labels, ks, 5, 4, transfer=0.7)
    model = SAMTC(ks, n_neighbors=5, n_neighbors_across=4, transfer=0.7)
    Us, own = model._prepare(Xs, ks)
    links = relate_tasks(Us, [one_hot(h, k) for h, k in zip(labels, ks)])
    assert {pair: [tuple(row) for row in link.clusters] for pair, link in links.items()} == pairs
    for (t, s), link in links.items():
        assert link.relatedness == pytest.approx(e[t, s], abs=1e-4)
        link.relatedness = e[t, s]
    for t in range(3):
        np.testing.assert_allclose(model._similarity(Us, own, links, t), S[t], atol=1e-12)


def test_the_embedding_is_the_literal_one():
    Xs = [words(0, 30), words(1, 24)]
    model = fit(Xs)
    S, _, e = literal.similarities(Xs, model.initial_labels_, [3, 3], 8, 8)
    np.testing.assert_allclose(model.relatedness_, e, atol=1e-3)
    for V, A in zip(model.embedding_, S):
        W = literal.embedding(A, 3)
        assert np.abs(V @ V.T - W @ W.T).max() < 1e-2


@pytest.mark.parametrize("B", [words(1, 30), np.zeros((30, 12))], ids=["words", "none"])
def test_tasks_without_a_common_word_give_each_other_nothing(B):
    A = words(0, 30)
    model = fit([np.hstack([A, 0 * A]), np.hstack([0 * B, B])])
    assert model.relatedness_.tolist() == np.eye(2).tolist()
    assert all(map(np.array_equal, model.labels_, model.initial_labels_))


def test_a_task_with_short_documents_gains_from_one_with_long_documents():
    scores = []
    for seed in range(5):
        Xs = [words(seed, 36, d=60, length=6), words(seed + 50, 90, d=60, length=30)]
        models = (fit(Xs, n_neighbors=6, n_neighbors_across=20, transfer=transfer) for transfer in (1.0, 0.0))
        scores.append([[adjusted_rand_score(np.arange(len(h)) % 3, h) for h in model.labels_]
                       for model in models])
    (short, long), (short_alone, _) = np.mean(scores, axis=0)
    assert short - short_alone > 0.2
    assert long > 0.8  # One seed in ten relates a wrong pair of clusters, and both tasks suffer.


def test_all_neighbours_shared_is_no_failure_and_is_said():
    with pytest.warns(DegenerateSubspaceWarning, match=r"of task\(s\) \[1\] share all neighbours"):
        model = fit([np.ones((27, 12)), words(2, 36)], k=20, n_neighbors=30)
    assert model.labels_[0].shape == (27,)
