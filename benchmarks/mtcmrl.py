"""MTCMRL: how much faster than the paper's algorithm as printed?

    python -m benchmarks.mtcmrl
    python -m benchmarks.mtcmrl --only relation --output FILE   the relation step (Figure 3)

The literal fit forms the dense similarity, solves Eq. (13) with a Sylvester solver and Eq. (5) with a
quadratic programming solver in every iteration; ours includes all its set-up.  Few iterations therefore
understate the ratio: our set-up is paid once, the literal cost in each iteration.
"""

import numpy as np
from literal import mtcmrl as literal
from scipy.linalg import cho_factor, cho_solve

from mtclib import MTCMRL
from mtclib.core.starts import kmeans_once
from mtclib.datasets import load
from mtclib.maths import linalg
from mtclib.mtcmrl import model_distances, relation_step

from .timing import compare, main, timed

BETA = 0.5


def against_literal():
    """A fixed number of iterations of a whole fit."""
    for name, iterations in (("mtcmrl-reuters", 100), ("mtcmrl-20newsgroups", 10)):
        data = load(name, edition="wheel")
        ks = data.n_clusters
        init = [kmeans_once(X, k, 0).labels_ for X, k in zip(data.Xs, ks)]
        Ys0 = [literal.start(h, k) for h, k in zip(init, ks)]
        model = MTCMRL(ks, init=init, max_iter=iterations, tol=0.0)

        def ours(model=model, data=data):
            linalg._SPECTRA.clear()
            return float(model.fit(data.Xs).objective_[-1])

        yield compare(f"MTCMRL, {iterations} iterations", name, sum(X.shape[0] for X in data.Xs), ours,
                      lambda data=data, ks=ks, Ys0=Ys0, iterations=iterations: literal.fit(
                          data.Xs, ks, Ys0, 4.0, 0.5, 4.0, 0.5, coupling="full", n_iter=iterations,
                          relation=quadratic_programme)["objective"][-1])


def model_costs(h, data):
    """A^(1,2) of Tasks 1 and 2 with h clusters each, after three sweeps: the setting of Figure 3."""
    model = MTCMRL(h, max_iter=3, tol=0.0, random_state=0)
    return model_distances(*model.fit(data.Xs[:2]).coef_)


def relation_solvers(A, gap=1e-4, max_steps=10**5):
    """Frank-Wolfe stops at a duality gap or at a step limit, quadratic programming at a gap of 1e-8."""
    return {"projection": lambda: relation_step(A, BETA),
            "Frank-Wolfe": lambda: literal.relation_frank_wolfe(A, BETA, n_iter=max_steps, tol=gap)[0],
            "quadratic programming": lambda: quadratic_programme(A, BETA, tol=1e-8)}


def relation(sizes=range(5, 100, 10), repeats=6):
    """Figure 3: seconds of the relation step by each solver; `excess` is above the lowest objective.

    The costs are the models of Tasks 1 and 2 on unnormalised tf-idf, where the relation spreads over many
    pairs as in the paper's printed matrices, and random ones, uniform on [0, 2].
    """
    rng = np.random.default_rng(0)
    data = load("mtcmrl-20newsgroups", edition="wheel", weighting="tfidf")
    for h in sizes:
        costs = {"models": model_costs(h, data), "random": rng.uniform(0.0, 2.0, (h, h))}
        for repeat in range(repeats):
            for name in costs if repeat == 0 else ["models"]:
                where = {"costs": name, "n_clusters": h, "repeat": repeat}
                yield from (where | row for row in one_comparison(costs[name]))


def one_comparison(A):
    """The three solvers on one cost matrix."""
    found = {}
    for name, solver in relation_solvers(A).items():
        turns = [timed(solver) for _ in range(21 if name == "projection" else 1)]
        found[name] = turns[0][0], float(np.median([seconds for _, seconds in turns]))
    values = {name: float(np.vdot(A, G) + BETA * np.sum(G * G)) for name, (G, _) in found.items()}
    fastest, best = found["projection"][1], min(values.values())
    return [{"solver": name, "seconds": seconds, "ratio": seconds / fastest, "excess": values[name] - best,
             "pairs": int(np.count_nonzero(G > 1e-9))} for name, (G, seconds) in found.items()]


def quadratic_programme(A, beta, tol=1e-14):
    """Eq. (5) by a general solver of quadratic programmes.

    The vector g stacks the rows of G; P = 2 beta I is built and used as a full matrix, as a general solver
    does.  `tol` is the square of the wanted precision of G.  Programmes in common use stop near 1e-8.
    """
    f = np.ravel(A).astype(float)
    return interior_point(2 * beta * np.eye(f.size), f, tol).reshape(np.shape(A))


def interior_point(P, f, tol=1e-14, max_iter=100):
    """min 1/2 g'Pg + f'g subject to sum(g) = 1, g >= 0, by Mehrotra's predictor-corrector method.

    P is any symmetric positive semidefinite matrix.  Each iteration factorises P + diag(z / g) once.
    The upper bounds g <= 1 of Eq. (5) follow from the other constraints.  `tol` bounds the duality
    gap relative to the largest entry of P and f; the residuals end far lower.
    """
    m = f.size
    scale = max(np.abs(f).max(), np.abs(P).max())
    feasible = max(tol, 1e-12)
    g, y, z = np.full(m, 1 / m), 0.0, np.full(m, scale)
    for _ in range(max_iter):
        dual, primal, gap = P @ g + f - y - z, 1 - g.sum(), g @ z
        if gap < tol * scale and abs(primal) < feasible and np.abs(dual).max() < feasible * scale:
            return g
        H = P.copy(order="F")
        H[np.diag_indices(m)] += z / g
        factor = cho_factor(H, overwrite_a=True, check_finite=False)
        dg, dy, dz = newton_step(factor, g, z, dual, primal, -g * z)
        length = step_length(g, dg, z, dz)
        centring = ((g + length * dg) @ (z + length * dz) / gap) ** 3
        dg, dy, dz = newton_step(factor, g, z, dual, primal, centring * gap / m - g * z - dg * dz)
        length = 0.995 * step_length(g, dg, z, dz)
        g, y, z = g + length * dg, y + length * dy, z + length * dz
    raise RuntimeError(f"no solution of the quadratic programme after {max_iter} iterations")


def newton_step(factor, g, z, dual, primal, complementarity):
    """Steps of g, y and z that remove the three residuals to first order; `factor` is P + diag(z / g)."""
    ones = cho_solve(factor, np.ones(g.size), check_finite=False)
    free = cho_solve(factor, complementarity / g - dual, check_finite=False)
    dy = (primal - free.sum()) / ones.sum()
    dg = free + dy * ones
    return dg, dy, (complementarity - z * dg) / g


def step_length(g, dg, z, dz):
    """The longest step, at most 1, that keeps g and z nonnegative."""
    length = 1.0
    for value, change in ((g, dg), (z, dz)):
        shrinking = change < 0
        length = min(length, np.min(-value[shrinking] / change[shrinking], initial=1.0))
    return length


RATIOS = (against_literal,)

if __name__ == "__main__":
    main(__doc__, RATIOS, relation=relation)
