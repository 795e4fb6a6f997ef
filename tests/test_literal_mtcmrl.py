"""The transcription of MTCMRL's printed updates, checked piece by piece: an oracle must be right itself."""

import numpy as np
import pytest
from literal import mtcmrl as literal
from scipy.sparse import csr_array

WEIGHTS = {"lam": 1.5, "mu": 0.5, "alpha": 2.0, "beta": 0.25}


def problem(seed=0, sizes=(6, 7, 5), d=4, n_clusters=(2, 3, 2)):
    """Positive data of three small tasks with random memberships, models and relations."""
    rng = np.random.default_rng(seed)
    Xs = [rng.uniform(size=(n, d)) for n in sizes]
    Ms = [literal.similarity(X) for X in Xs]
    Ys = [rng.uniform(0.1, 1, size=(n, h)) for n, h in zip(sizes, n_clusters)]
    Ws = [rng.normal(size=(d, h)) for h in n_clusters]
    Gs = {}
    for t, h in enumerate(n_clusters):
        for s, k in enumerate(n_clusters):
            if s != t:
                Gs[t, s] = rng.dirichlet(np.ones(h * k)).reshape(h, k)
    return Xs, Ms, Ys, Ws, Gs


def two_topics(seed=0, n=30, d=12, T=2):
    """Tasks of sparse counts with two topics each, and a start with a third of the labels at random."""
    rng = np.random.default_rng(seed)
    Xs, starts = [], []
    for _ in range(T):
        labels = np.arange(n) % 2
        rates = np.full((2, d), 0.2)
        rates[0, : d // 2] = rates[1, d // 2 :] = 2.0
        Xs.append(rng.poisson(rates[labels]) + np.eye(n, d))
        noisy = np.where(rng.uniform(size=n) < 1 / 3, rng.integers(0, 2, n), labels)
        starts.append(literal.start(noisy, 2))
    return Xs, starts


def central_differences(function, W, step=1e-4):
    gradient = np.zeros_like(W)
    for place in np.ndindex(W.shape):
        up, down = W.copy(), W.copy()
        up[place] += step
        down[place] -= step
        gradient[place] = (function(up) - function(down)) / (2 * step)
    return gradient


def model_objective(W, X, Y, Ws_others, Gs, lam, mu, alpha):
    """Eq. (7) as printed, with traces."""
    total = lam * np.sum((Y - X @ W) ** 2) + mu * np.trace(W @ W.T)
    for W_s, G in zip(Ws_others, Gs):
        H = np.diag(G.sum(axis=1))
        total += alpha * np.trace(W @ H @ W.T - 2 * W @ G @ W_s.T)
    return total


def relation_value(G, A, beta):
    return np.sum(A * G) + beta * np.sum(G**2)


# ---- objective ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_the_objective_by_loops_equals_the_matrix_form(seed):
    tasks = problem(seed)
    assert literal.objective(*tasks, **WEIGHTS) == pytest.approx(literal.objective_dense(*tasks, **WEIGHTS))


def test_the_objective_of_one_sample_a_task_is_the_sum_of_its_terms():
    one = [np.array([[1.0]])] * 2
    Ys, Ws = [np.array([[0.5]])] * 2, [np.array([[3.0]]), np.array([[1.0]])]
    Gs = {(0, 1): np.array([[1.0]]), (1, 0): np.array([[1.0]])}
    within = 0.5 * 0.75**2 * 2 + 10 * (2.5**2 + 0.5**2) + 100 * (9 + 1)
    across = 1000 * 2 * (4 + 7)
    value = literal.objective(one, one, Ys, Ws, Gs, lam=10, mu=100, alpha=1000, beta=7)
    assert value == pytest.approx(within + across)


def test_a_zero_sample_has_no_similarity_to_any_other():
    cosines = literal.similarity([[3.0, 4.0], [0.0, 0.0], [4.0, 3.0]])
    assert cosines == pytest.approx(np.array([[1, 0, 0.96], [0, 0, 0], [0.96, 0, 1]]))


# ---- relation step -----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(1, 2), (2, 3), (4, 4)])
@pytest.mark.parametrize("scale", [0.01, 1.0, 50.0])
@pytest.mark.parametrize("beta", [0.05, 0.5])
def test_the_interior_point_method_equals_slsqp(shape, scale, beta):
    A = scale * np.random.default_rng(1).uniform(size=shape)
    relation = literal.relation_qp(A, beta)
    assert relation == pytest.approx(literal.relation_qp(A, beta, solver="slsqp"), abs=1e-8)
    assert relation.min() >= 0
    assert relation.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("first, second", [(0.0, 0.0), (0.2, 0.5), (0.9, 0.1), (0.0, 3.0)])
@pytest.mark.parametrize("solver", ["interior-point", "slsqp"])
def test_a_relation_of_two_entries_is_the_best_point_of_a_grid(first, second, solver):
    grid = np.linspace(0, 1, 100_001)
    values = first * grid + second * (1 - grid) + 0.5 * (grid**2 + (1 - grid) ** 2)
    best = grid[values.argmin()]
    A = np.array([[first, second]])
    assert literal.relation_qp(A, 0.5, solver=solver) == pytest.approx(np.array([[best, 1 - best]]), abs=1e-5)
    assert literal.relation_frank_wolfe(A, 0.5)[0] == pytest.approx(np.array([[best, 1 - best]]), abs=1e-5)


def test_equal_distances_give_a_uniform_relation():
    assert literal.relation_qp(np.zeros((3, 4)), 0.5) == pytest.approx(np.full((3, 4), 1 / 12))


@pytest.mark.parametrize("beta", [0.1, 0.5, 4.0])
def test_frank_wolfe_stays_within_its_duality_gap_of_the_minimum(beta):
    A = np.random.default_rng(2).uniform(size=(3, 4))
    best = literal.relation_qp(A, beta)
    G, gap = literal.relation_frank_wolfe(A, beta, n_iter=200, tol=1e-5)
    excess = relation_value(G, A, beta) - relation_value(best, A, beta)
    assert -1e-12 <= excess <= gap
    assert beta * np.sum((G - best) ** 2) <= excess + 1e-12
    assert G.min() >= 0
    assert G.sum() == pytest.approx(1)
    assert gap < 0.02


def test_frank_wolfe_comes_closer_with_more_steps_and_stops_at_its_tolerance():
    A = np.random.default_rng(3).uniform(size=(3, 4))
    gaps = [literal.relation_frank_wolfe(A, 0.5, n_iter=n, tol=0)[1] for n in (1, 30, 1000)]
    assert gaps[2] < gaps[1] < gaps[0]
    loose = literal.relation_frank_wolfe(A, 0.5, n_iter=100_000, tol=0.05)[1]
    assert gaps[2] < loose <= 0.05


def test_the_interior_point_method_takes_any_convex_quadratic():
    rng = np.random.default_rng(4)
    root = rng.normal(size=(6, 6))
    P, f = root @ root.T, rng.normal(size=6)
    g = literal.interior_point(P, f)
    gradient = P @ g + f
    # Optimality: the gradient is least, and level, wherever g is positive.
    assert gradient[g > 1e-6] == pytest.approx(gradient.min(), abs=1e-8)
    assert (g > 1e-6).sum() < 6
    assert g.sum() == pytest.approx(1)


def test_an_unknown_solver_is_refused():
    with pytest.raises(ValueError, match="solver='simplex' is unknown"):
        literal.relation_qp(np.zeros((2, 2)), 0.5, solver="simplex")


# ---- model step --------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 4, 9])
def test_the_sylvester_solution_is_stationary_for_the_printed_model_objective(d):
    Xs, _, Ys, Ws, Gs = problem(d=d)
    data = Xs[1], Ys[1], [Ws[0], Ws[2]], [Gs[1, 0], Gs[1, 2]], 1.5, 0.5, 2.0
    W, xi = literal.model_sylvester(*data)
    at_start = central_differences(lambda V: model_objective(V, *data), Ws[1])
    gradient = central_differences(lambda V: model_objective(V, *data), W)
    assert np.abs(gradient).max() < 1e-6 * np.abs(at_start).max()
    assert xi == pytest.approx(Ys[1] - Xs[1] @ W)


def test_with_both_relations_it_is_stationary_for_the_whole_objective():
    Xs, Ms, Ys, Ws, Gs = problem()
    others, both = [Ws[0], Ws[2]], [Gs[1, s] + Gs[s, 1].T for s in (0, 2)]

    def whole(W):
        return literal.objective_dense(Xs, Ms, Ys, [Ws[0], W, Ws[2]], Gs, **WEIGHTS)

    full, _ = literal.model_sylvester(Xs[1], Ys[1], others, both, 1.5, 0.5, 2.0)
    printed, _ = literal.model_sylvester(Xs[1], Ys[1], others, [Gs[1, 0], Gs[1, 2]], 1.5, 0.5, 2.0)
    assert np.abs(central_differences(whole, full)).max() < 1e-6
    assert np.abs(central_differences(whole, printed)).max() > 1e-2
    assert whole(full) < whole(printed)


def test_without_coupling_the_model_is_ridge_regression():
    Xs, _, Ys, Ws, Gs = problem()
    X = Xs[0]
    model, _ = literal.model_sylvester(X, Ys[0], [Ws[1]], [Gs[0, 1]], lam=2.0, mu=0.5, alpha=0.0)
    assert model == pytest.approx(np.linalg.solve(2 * X.T @ X + 0.5 * np.eye(4), 2 * X.T @ Ys[0]))


# ---- membership step ---------------------------------------------------------------------------------


def test_the_membership_update_equals_eq_19_entry_by_entry():
    Xs, Ms, Ys, Ws, _ = problem()
    M, Y, Q = Ms[1], Ys[1], Xs[1] @ Ws[1]
    assert (Q < 0).any() and (Q > 0).any()
    updated = literal.membership(M, Y, Xs[1], Ws[1], 1.5, exponent=0.5)
    YYtY = Y @ (Y.T @ Y)
    for p, i in np.ndindex(Y.shape):
        top = M[p] @ Y[:, i] + 1.5 * max(Q[p, i], 0)
        bottom = YYtY[p, i] + 1.5 * Y[p, i] + 1.5 * max(-Q[p, i], 0)
        assert updated[p, i] == pytest.approx(Y[p, i] * (top / bottom) ** 0.5)
    assert literal.membership(M, Y, Xs[1], Ws[1], 1.5, exponent=1.0) == pytest.approx(updated**2 / Y)


def test_repeated_membership_updates_reach_a_stationary_point_of_eq_14():
    Xs, Ms, Ys, Ws, _ = problem()
    Y, values = Ys[0], []
    for _ in range(3000):
        Y = literal.membership(Ms[0], Y, Xs[0], Ws[0], 1.5, exponent=0.5)
        values.append(0.5 * np.sum((Ms[0] - Y @ Y.T) ** 2) + 1.5 * np.sum((Y - Xs[0] @ Ws[0]) ** 2))
    assert np.all(np.diff(values) <= 1e-10)
    gradient = 2 * (Y @ Y.T @ Y - Ms[0] @ Y + 1.5 * (Y - Xs[0] @ Ws[0]))
    assert np.abs(gradient * Y).max() < 1e-6
    assert gradient.min() > -1e-6


def test_an_entry_without_denominator_becomes_zero():
    M, X = np.zeros((2, 2)), np.zeros((2, 3))
    Y = literal.membership(M, np.zeros((2, 2)), X, np.zeros((3, 2)), 1.0, exponent=0.5)
    assert (Y == 0).all()


# ---- Algorithm 1 -------------------------------------------------------------------------------------


def test_the_full_coupling_never_raises_the_objective():
    Xs, starts = two_topics(T=3)
    history = literal.fit(Xs, [2] * 3, starts, 4, 0.5, 4, 0.5, coupling="full", n_iter=15)["objective"]
    assert len(history) == 15
    assert np.all(np.diff(history) <= 1e-9 * history[0])
    assert history[-1] < history[0]


@pytest.mark.parametrize("coupling", ["printed", "full"])
def test_the_first_visit_follows_algorithm_1(coupling):
    Xs, starts = two_topics()
    fitted = literal.fit(Xs, [2, 2], starts, 1.0, 0.5, 2.0, 0.5, coupling=coupling, n_iter=1)
    weight = 2 if coupling == "full" else 1
    uniform = weight * np.full((2, 2), 1 / 4)
    first, _ = literal.model_sylvester(Xs[0], starts[0], [np.ones((12, 2))], [uniform], 1.0, 0.5, 2.0)
    assert fitted["Ws"][0] == pytest.approx(first)
    M = literal.similarity(Xs[0])
    assert fitted["Ys"][0] == pytest.approx(literal.membership(M, starts[0], Xs[0], first, 1.0, 0.5))
    second = literal.relation_qp(literal.model_distances(np.ones((12, 2)), first), 0.5)
    assert fitted["Gs"][1, 0] == pytest.approx(second)
    expected = second.T if coupling == "full" else np.full((2, 2), 1 / 4)
    assert fitted["Gs"][0, 1] == pytest.approx(expected)


def test_the_last_objective_is_that_of_the_returned_variables():
    Xs, starts = two_topics()
    fitted = literal.fit(Xs, [2, 2], starts, **WEIGHTS, n_iter=2)
    Ms = [literal.similarity(X) for X in Xs]
    value = literal.objective(Xs, Ms, fitted["Ys"], fitted["Ws"], fitted["Gs"], **WEIGHTS)
    assert fitted["objective"][-1] == pytest.approx(value)


def test_sparse_rows_and_frank_wolfe_give_the_same_fit():
    Xs, starts = two_topics()
    dense = literal.fit(Xs, [2, 2], starts, 1.0, 0.5, 1.0, 0.5, n_iter=5)
    sparse = literal.fit([csr_array(X) for X in Xs], [2, 2], starts, 1.0, 0.5, 1.0, 0.5, n_iter=5)
    walked = literal.fit(Xs, [2, 2], starts, 1.0, 0.5, 1.0, 0.5, n_iter=5, relation="frank-wolfe")
    assert sparse["objective"] == dense["objective"]
    assert walked["objective"] == pytest.approx(dense["objective"], rel=1e-4)


def test_planted_topics_are_found_from_a_noisy_start():
    Xs, starts = two_topics(n=40)
    fitted = literal.fit(Xs, [2, 2], starts, 1.0, 0.5, 1.0, 0.5, coupling="full", n_iter=20)
    for Y, begun in zip(fitted["Ys"], starts):
        truth = np.arange(40) % 2
        assert np.mean(begun.argmax(axis=1) == truth) < 0.95
        assert np.mean(Y.argmax(axis=1) == truth) >= 0.95


def test_an_unknown_coupling_is_refused():
    with pytest.raises(ValueError, match="coupling='half' is unknown"):
        literal.fit([], [], [], 1, 1, 1, 1, coupling="half")
