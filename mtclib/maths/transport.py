"""Transport of mass between the clusters of two tasks."""

import math

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment, linprog

LARGEST_COPIES = 250


def transport_plan(cost, mass_t, mass_s):
    """The minimiser of <cost, W> over W >= 0 with W 1 = mass_t and W^T 1 = mass_s, exactly.

    The solver was chosen by measurement (``benchmarks/mbc.py``).  Uniform masses are an assignment: each row
    and column is repeated until both sides have lcm(K_t, K_s) of them; beyond `LARGEST_COPIES` of them the
    simplex method of HiGHS is faster.

    Costs (K_t, K_s) are finite and may be negative; masses are nonnegative, each with sum 1.  Of several
    optimal plans it is the one that the solver meets first: the same in each run, but not the same after a
    renumbering.  Raises ``RuntimeError`` if the solver fails, as for uneven masses with different sums.
    """
    copies = math.lcm(*cost.shape)
    uniform = np.ptp(mass_t) == np.ptp(mass_s) == 0
    if uniform and copies <= max(LARGEST_COPIES, *cost.shape):
        return _assignment_plan(cost, copies)
    return _programme_plan(cost, mass_t, mass_s)


def _assignment_plan(cost, copies):
    """Plan for uniform masses, as an assignment of copies."""
    K_t, K_s = cost.shape
    repeated = np.repeat(np.repeat(cost, copies // K_t, axis=0), copies // K_s, axis=1)
    rows, columns = linear_sum_assignment(repeated)
    plan = np.zeros_like(cost)
    np.add.at(plan, (rows * K_t // copies, columns * K_s // copies), 1.0 / copies)
    return plan


def _programme_plan(cost, mass_t, mass_s):
    """Plan for any masses, as a linear programme."""
    # The solver's tolerances are absolute: unscaled, costs near 1e-8 all look optimal to it.
    scale = np.abs(cost).max() or 1.0
    rows, columns = (sparse.eye_array(len(mass)) for mass in (mass_t, mass_s))
    row_sums = sparse.kron(rows, np.ones((1, len(mass_s))))
    column_sums = sparse.kron(np.ones((1, len(mass_t))), columns)
    found = linprog((cost / scale).ravel(), A_eq=sparse.vstack([row_sums, column_sums]),
                    b_eq=np.concatenate([mass_t, mass_s]), method="highs-ds",
                    options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10})
    if not found.success:
        raise RuntimeError(f"the transport problem was not solved: {found.message}")
    return np.maximum(found.x, 0.0).reshape(cost.shape)
