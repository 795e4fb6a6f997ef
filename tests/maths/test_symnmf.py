"""The membership step descends for the exponents that promise it, and settles at stationary points."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from mtclib.maths import symnmf
from mtclib.maths.graphs import DenseSimilarity


def problem(seed, n, h, signed=False):
    rng = np.random.default_rng(seed)
    factor = rng.random((n, n)) if not signed else rng.normal(size=(n, n))
    M = DenseSimilarity(factor @ factor.T / n)
    Y = rng.uniform(0.01, 2.0, (n, h))
    return M, Y, rng.normal(size=(n, h))


GUARDED = st.tuples(st.sampled_from([0.25, 1 / 3, 0.5, 1.0]), st.booleans(), st.just(True))
PROVABLE = st.tuples(st.sampled_from([0.25, 1 / 3]), st.just(False), st.just(False))


@settings(max_examples=100)
@given(seed=st.integers(0, 2**31), n=st.integers(2, 25), h=st.integers(1, 5), lam=st.floats(0, 8),
       way=GUARDED | PROVABLE, floor=st.sampled_from([0.0, 1e-8, 0.1]))
def test_guarded_steps_and_provable_exponents_never_raise_the_objective(seed, n, h, lam, way, floor):
    exponent, signed, guard = way
    M, Y, Q = problem(seed, n, h, signed)
    Y = np.maximum(Y, floor)
    products = M.split_product(Y)
    before = symnmf.membership_objective(Y, products[0] - products[1], M.squared_norm, Q, lam)
    for _ in range(15):
        Y, products, after = symnmf.membership_step(M, Y, products, Q, lam, exponent, guard, floor)
        assert after <= before + 1e-11 * (M.squared_norm + abs(before))
        assert Y.min() >= floor
        assert np.isfinite(Y).all()
        before = after


def test_the_printed_exponent_can_raise_the_objective():
    M, Y, Q = problem(3, 20, 4)
    Y *= 0.05
    products = M.split_product(Y)
    values = []
    for _ in range(10):
        Y, products, value = symnmf.membership_step(M, Y, products, Q, 1.0, exponent=1.0, guard=False)
        values.append(value)
    assert np.max(np.diff(values)) > 0


@given(seed=st.integers(0, 2**31), n=st.integers(4, 20), h=st.integers(1, 4), lam=st.floats(0, 4))
def test_a_settled_point_satisfies_the_optimality_conditions(seed, n, h, lam):
    M, Y, Q = problem(seed, n, h)
    floor = symnmf.smallest_membership(M)
    products, end = M.split_product(Y), None
    for _ in range(20_000):
        Y, products, value = symnmf.membership_step(M, Y, products, Q, lam, floor=floor)
        end = symnmf.settled(M, Y, products[0], 1e-3, Q, lam)
        if end:
            break
    Y, MY, after = end
    slope = Y @ (Y.T @ Y) - M.positive @ Y + lam * (Y - Q)
    size = np.linalg.norm(Y @ (Y.T @ Y)) + np.linalg.norm(MY) + lam * (np.linalg.norm(Y) + np.linalg.norm(Q))
    assert np.linalg.norm(slope[Y > 0]) <= 1e-3 * size
    assert slope[Y == 0].min(initial=0.0) >= -1e-3 * size
    assert after <= value + 1e-12 * M.squared_norm


def test_an_entry_at_the_floor_grows_again():
    M = DenseSimilarity(np.ones((4, 4)))
    Y = np.array([[1.0], [1.0], [1.0], [0.0]])
    assert symnmf.kkt_residual(Y, M.product(Y)) > 0.1
    lifted, history, converged = symnmf.multiply(M, Y, exponent=0.5, guard=True, max_iter=500, tol=1e-6)
    assert converged
    assert lifted == pytest.approx(1.0, abs=1e-5)
    assert history[-1] < 1e-9


def test_a_vanishing_denominator_neither_overflows_nor_divides_by_zero():
    with np.errstate(all="raise", under="ignore"):
        zero, large, row = np.zeros((2, 2)), np.full((2, 2), 1e8), np.full((1, 3), 1e8)
        rows = symnmf.multiplicative_step(np.array([[0.0, 0.0], [1.0, 0.0]]), (zero, 0.0), zero, 1.0, 0.5)
        step = symnmf.multiplicative_step(np.array([[0.0, 1e-310, 1.0]]), (row, 0.0), row, 0.0, 0.5)
        dead = symnmf.multiplicative_step(zero, (large, 0.0), zero, 1.0, 1.0)
    assert not rows[0].any()
    assert rows[1, 1] == 0
    assert np.isfinite(step).all()
    assert step[0, 0] == 0
    assert not dead.any()


def test_the_objective_of_a_perfect_fit_is_not_negative():
    for seed in range(50):
        Y = np.random.default_rng(seed).random((30, 2))
        M = DenseSimilarity(Y @ Y.T)
        assert 0.0 <= symnmf.membership_objective(Y, M.positive @ Y, M.squared_norm) < 1e-10


def test_dead_rows_take_the_label_of_the_fallback():
    Y = np.array([[0.1, 0.9], [0.0, 0.0]])
    assert symnmf.hard_labels(Y, np.array([[1.0, 0.0], [0.2, 0.3]])).tolist() == [1, 1]
    assert symnmf.hard_labels(Y).tolist() == [1, 0]
