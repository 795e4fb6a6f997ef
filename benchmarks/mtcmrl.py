"""How much faster than the paper's algorithm as printed?  Ratios within one run.

    python benchmarks/mtcmrl.py                 both parts, 100 iterations
    python benchmarks/mtcmrl.py --iterations 5  iterations of both fits (100 take a quarter of an hour)
    python benchmarks/mtcmrl.py --only relation

The literal fit forms the dense similarity, solves Eq. (13) with a Sylvester solver and Eq. (5) with a
quadratic programming solver in every iteration; ours includes all its set-up.  Few iterations therefore
understate the ratio: our set-up is paid once, the literal cost in each iteration.
"""

import argparse
import sys
import warnings
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from literal import mtcmrl as literal  # noqa: E402

from mtclib import MTCMRL, datasets
from mtclib.core.starts import kmeans_once
from mtclib.maths import linalg
from mtclib.mtcmrl import model_distances, relation_step


def timed(function, repeats=1):
    """Result and the median of the wall seconds of ``repeats`` calls."""
    seconds = []
    for _ in range(repeats):
        start = perf_counter()
        result = function()
        seconds.append(perf_counter() - start)
    return result, float(np.median(seconds))


def compare_fits(iterations, edition):
    """A whole fit on the four 20 Newsgroups tasks: literal seconds, ours, ratio, objectives."""
    data = datasets.load("mtcmrl-20newsgroups", edition=edition)
    ks = data.n_clusters
    init = [kmeans_once(X, k, 0).labels_ for X, k in zip(data.Xs, ks)]
    Ys0 = [literal.start(h, k) for h, k in zip(init, ks)]
    model = MTCMRL(ks, init=init, max_iter=iterations, tol=0.0)

    def ours():
        linalg._SPECTRA.clear()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return model.fit(data.Xs).objective_[-1]

    value, seconds = timed(ours, repeats=3)
    expected, literal_seconds = timed(lambda: literal.fit(
        data.Xs, ks, Ys0, 4.0, 0.5, 4.0, 0.5, coupling="full", n_iter=iterations)["objective"][-1])
    return pd.DataFrame([{
        "documents": sum(X.shape[0] for X in data.Xs), "terms": data.Xs[0].shape[1], "iterations": iterations,
        "literal [s]": literal_seconds, "mtclib [s]": seconds, "ratio": literal_seconds / seconds,
        "relative difference of J": abs(value - expected) / abs(expected)}])


def model_costs(h, data):
    """A^(1,2) of Tasks 1 and 2 with h clusters each, after three sweeps: the setting of Figure 3."""
    model = MTCMRL(h, max_iter=3, tol=0.0, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model_distances(*model.fit(data.Xs[:2]).coef_)


def compare_relation_steps(sizes, edition, repeats, beta=0.5, gap=1e-4, max_steps=10**5):
    """Figure 3: seconds of the relation step by QP, by Frank-Wolfe and by projection.

    Frank-Wolfe stops at a duality gap or at a step limit, quadratic programming at a gap of 1e-8.

    Costs: "models" are those of Tasks 1 and 2 on unnormalised tf-idf, where the relation spreads over many
    pairs as in the paper's printed matrices; "random" is uniform on [0, 2].
    """
    rng = np.random.default_rng(0)
    data = datasets.load("mtcmrl-20newsgroups", edition=edition, weighting="tfidf")
    rows = []
    for h in sizes:
        costs = {"models": model_costs(h, data), "random": rng.uniform(0.0, 2.0, (h, h))}
        for repeat in range(repeats):
            for name, A in costs.items() if repeat == 0 else [("models", costs["models"])]:
                rows += one_comparison(A, beta, gap, max_steps, costs=name, n_clusters=h, repeat=repeat)
    return pd.DataFrame(rows)


def one_comparison(A, beta, gap, max_steps, **where):
    """The three solvers on one cost matrix; ``excess`` is above the lowest objective of the three."""
    solvers = {
        "projection": timed(lambda: relation_step(A, beta), repeats=21),
        "Frank-Wolfe": timed(lambda: literal.relation_frank_wolfe(A, beta, n_iter=max_steps, tol=gap)[0]),
        "quadratic programming": timed(lambda: literal.relation_qp(A, beta, tol=1e-8))}
    best = min(value(A, beta, G) for G, _ in solvers.values())
    fastest = solvers["projection"][1]
    return [{**where, "solver": name, "seconds": seconds, "ratio": seconds / fastest,
             "excess": value(A, beta, G) - best, "pairs": int(np.count_nonzero(G > 1e-9))}
            for name, (G, seconds) in solvers.items()]


def value(A, beta, G):
    """The relation objective <A, G> + beta ||G||^2."""
    return float(np.vdot(A, G) + beta * np.sum(G * G))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--edition", choices=("wheel", "bydate"), default="wheel")
    parser.add_argument("--only", choices=("fit", "relation"))
    parser.add_argument("--sizes", type=int, nargs="+", default=list(range(5, 100, 10)))
    parser.add_argument("--repeats", type=int, default=1, help="of the relation step")
    parser.add_argument("--output", type=Path, help="CSV file for the relation step (Figure 3)")
    arguments = parser.parse_args()
    with threadpool_limits(limits=1):
        if arguments.only != "relation":
            print(compare_fits(arguments.iterations, arguments.edition).to_string(index=False), flush=True)
        if arguments.only != "fit":
            frame = compare_relation_steps(arguments.sizes, arguments.edition, arguments.repeats)
            print(frame.to_string(index=False))
            if arguments.output:
                frame.to_csv(arguments.output, index=False, float_format="%.4g")


if __name__ == "__main__":
    main()
