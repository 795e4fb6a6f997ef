"""MBC: how much faster than the transcription, and which solvers are worth their price?

    python -m benchmarks.mbc
    python -m benchmarks.mbc --only relations   solvers of the relation step
    python -m benchmarks.mbc --only centroids   solvers of Eq. (14)

Small drawn data for the transcription of Algorithm 1.  "relations" also times POT where it is installed.
"""

import importlib
import importlib.util
from functools import partial

import numpy as np
from literal import mbc as literal
from scipy.special import wrightomega

from mtclib import MBC
from mtclib.maths import centroids, transport
from mtclib.maths.bregman import divergence

from .timing import compare, main, timed

K, TERMS = 20, 43585


def against_literal(sizes=(60, 50), d=10, k=3, sweeps=3):
    """Whole fits from the same start, with the same number of sweeps."""
    rng = np.random.default_rng(0)
    Xs, labels = [np.exp(rng.normal(size=(n, d))) for n in sizes], [np.arange(n) % k for n in sizes]
    for name, loops in (("sqeuclidean", literal.sqeuclidean), ("i-divergence", literal.i_divergence),
                        ("itakura-saito", literal.itakura_saito)):
        d_phi = divergence(name)
        solve = literal.symmetric_centroid if d_phi.symmetric else partial(literal.minimised, loops)
        model = MBC(k, divergence=name, init=labels, max_iter=sweeps, tol=0.0)
        yield compare(f"MBC, {name}", "drawn", sum(sizes),
                      lambda model=model: float(model.fit(Xs).objective_[-2]),
                      lambda loops=loops, d_phi=d_phi, solve=solve: float(literal.algorithm_1(
                          Xs, labels, [k, k], 0.5, loops, d_phi.gradient, d_phi.inverse_gradient, solve,
                          sweeps)[3][-4]))


def _relation_problem(K_t, K_s):
    rng = np.random.default_rng(0)
    cost = divergence("sqeuclidean").pairwise(rng.random((K_t, 50)), rng.random((K_s, 50)))
    return cost, np.full(K_t, 1 / K_t), np.full(K_s, 1 / K_s)


def relations():
    """Solvers of the relation step, milliseconds; the costs themselves are one product of (K, d) arrays."""
    for K_t, K_s in ((20, 20), (20, 6), (20, 15), (16, 15), (20, 19)):
        cost, *masses = _relation_problem(K_t, K_s)
        copies = np.lcm(K_t, K_s)
        solvers = {"chosen": partial(transport.transport_plan, cost, *masses),
                   "assignment of copies": partial(transport._assignment_plan, cost, copies),
                   "HiGHS": partial(transport._programme_plan, cost, *masses)}
        if importlib.util.find_spec("ot"):
            solvers["POT"] = partial(importlib.import_module("ot.lp").emd, *masses, cost)
        yield {"K": f"{K_t} x {K_s}", "copies": copies,
               **{name: _milliseconds(solver, 101) for name, solver in solvers.items()}}


def centroid_solvers():
    """Solvers of Eq. (14) for 20 centroids of 43,585 features: milliseconds, and what the walk loses."""
    left, right = np.exp(np.random.default_rng(0).normal(size=(2, K, TERMS)))
    z = np.log(3.0 * left / right) + 3.0
    shares = [U / U.sum(axis=1, keepdims=True) for U in (left, right)]
    yield _centroid("i-divergence", left, right)
    yield _centroid("itakura-saito", left, right)
    yield _centroid("kl", *shares)
    omega = {"Wright omega, log_wright_omega by rows":
             lambda: [centroids.log_wright_omega(row) for row in z],
             "Wright omega, scipy": lambda: wrightomega(z)}
    for name, function in omega.items():
        yield {"divergence": name, "exact [ms]": _milliseconds(function, 5)}


def _centroid(name, left, right):
    d, A, B = divergence(name), np.full(K, 0.075), np.full(K, 0.025)

    def value(u):
        return (A * d.between(left, u) + B * d.between(u, right)).sum()

    solvers = {"exact": lambda: d.mixed_centroid(left, right, A, B),
               "geodesic": lambda: centroids.geodesic(d, left, right, A, B)}
    if name != "kl":
        solvers["bisection"] = lambda: centroids.bisection(d, left, right, A, B)
    return {"divergence": name,
            **{f"{solver} [ms]": _milliseconds(run, 5 if solver == "exact" else 1)
               for solver, run in solvers.items()},
            "excess of the walk": value(solvers["geodesic"]()) / value(solvers["exact"]()) - 1.0}


def _milliseconds(function, repeats):
    """The least of some calls: whatever else runs can only add to it."""
    return 1e3 * min(timed(function)[1] for _ in range(repeats))


RATIOS = (against_literal,)

if __name__ == "__main__":
    main(__doc__, RATIOS, relations=relations, centroids=centroid_solvers)
