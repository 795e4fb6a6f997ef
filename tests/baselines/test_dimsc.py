"""DiMSC against its literal transcription, its optimality conditions and its limits."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from literal import dimsc as literal
from literal.clr import laplacian
from literal.lmsc import affinity as neighbour_graph
from planted import nonnegative_views as views

from mtclib.baselines import DiMSC
from mtclib.baselines._selfrepresentation import ShiftedSolver


def unit(Xs):
    return [X / np.linalg.norm(X, axis=1, keepdims=True) for X in Xs]


@pytest.mark.parametrize("options", [{}, {"smoothness": 0.01, "diversity": 2.0},
                                     {"smoothness": 1.0, "diversity": 0.5}])
def test_a_fit_is_that_of_the_literal_updates(options):
    model = DiMSC(3, n_neighbors=4, random_state=0, **options).fit(views())
    columns = [literal.unit_columns(X.T) for X in views()]
    Ls = [laplacian(neighbour_graph(X, 4)) for X in columns]
    weights = {"smoothness": 0.1, "diversity": 0.1, **options}
    Zs, history = literal.dimsc(columns, Ls, sweeps=model.n_iter_, **weights)
    np.testing.assert_allclose(model.objective_, history, rtol=1e-6)
    np.testing.assert_allclose(model.coefficients_, Zs, atol=1e-5)
    np.testing.assert_allclose(model.affinity_, literal.affinity(Zs), atol=1e-5)


@given(st.integers(0, 10**6), st.integers(1, 30), st.integers(0, 30), st.integers(1, 30))
def test_shifted_solves_solve_each_shifted_system(seed, n, r, rank):
    rng = np.random.default_rng(seed)
    A, F, shifts = rng.standard_normal((n, rank)), rng.standard_normal((n, r)), rng.uniform(0.01, 2.0, r)
    B = A @ A.T
    solver = ShiftedSolver(n, r + 1)
    for matrix in (np.eye(n), B):  # what an earlier solve left must not matter
        solver.B[:] = matrix
        X = solver.solve(shifts, F)
    assert X.shape == (n, r)
    for i in range(r):
        np.testing.assert_allclose((B + shifts[i] * np.eye(n)) @ X[:, i], F[:, i], atol=1e-8)


def test_without_any_penalty_samples_are_projected_on_their_span():
    X = unit(views(widths=(8,)))[0]
    Z = DiMSC(3, smoothness=0.0, diversity=0.0, random_state=0).fit([X]).coefficients_[0]
    np.testing.assert_allclose(Z, X @ np.linalg.pinv(X), atol=1e-8)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_the_graph_follows_its_rule(convert):
    X = unit(views())[0]
    expected = laplacian(neighbour_graph(X.T, 4))
    model = DiMSC(3, n_neighbors=4, smoothness=1.0, scaling="none")
    np.testing.assert_allclose(model._prepare([convert(X)], 3)[0].smooth, expected, atol=1e-9)


def test_an_empty_view_changes_nothing():
    Xs = views()
    with pytest.warns(UserWarning, match=r"Xs\[3\]"):
        model = DiMSC(3, random_state=0).fit([*Xs, np.zeros((36, 4))])
    np.testing.assert_allclose(model.affinity_, DiMSC(3, random_state=0).fit(Xs).affinity_, atol=1e-12)
    assert not model.coefficients_[3].any()
