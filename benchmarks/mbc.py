"""What does a sweep of MBC cost beside an iteration of k-means, and which solvers are worth their price?

    MTCLIB_DATA=FOLDER python benchmarks/mbc.py                  all four parts
    MTCLIB_DATA=FOLDER python benchmarks/mbc.py --only sweeps    one of sweeps, relations, centroids, literal
    python benchmarks/mbc.py --synthetic                         without data: CSR of the size of NG20-1

FOLDER holds the 20 Newsgroups archive.  Ratios within one run, one thread each, of processor time, which
other work on the machine hardly touches; in "sweeps" a figure is the difference of a long and a short fit
over the difference of their iterations, so that set-up does not count.
The part "relations" also times POT where it is installed.
"""

import argparse
import importlib
import importlib.util
import sys
import warnings
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
import scipy.sparse as sp
from scipy.special import wrightomega
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from literal import mbc as literal  # noqa: E402

from mtclib import MBC, datasets
from mtclib.maths import centroids, transport
from mtclib.maths.bregman import divergence

SIZES, TERMS, DENSITY = (9975, 9974), 43585, 78.6 / 43585
K = 20
DIVERGENCES = (("sqeuclidean", 0.0), ("i-divergence", 0.1), ("itakura-saito", 0.1), ("kl", 0.1))


def timed(function, repeats=5):
    """Least processor seconds of ``repeats`` calls: whatever else runs can only add to it."""
    seconds = []
    for _ in range(repeats):
        start = process_time()
        function()
        seconds.append(process_time() - start)
    return min(seconds)


def load(synthetic, seed=0):
    """The two tasks of NG20-1, or two CSR arrays of their size with the word frequencies of a power law."""
    if not synthetic:
        return datasets.load("mbc-ng20-1").Xs
    rng = np.random.default_rng(seed)
    shares = 1.0 / np.arange(1, TERMS + 1)
    Xs = []
    for n in SIZES:
        terms = rng.choice(TERMS, size=int(1.35 * n * DENSITY * TERMS), p=shares / shares.sum())
        X = sp.csr_array((np.ones(len(terms)), (rng.integers(n, size=len(terms)), terms)), shape=(n, TERMS))
        X.sum_duplicates()
        X = X + sp.csr_array((np.ones(n), (np.arange(n), np.arange(n))), shape=(n, TERMS))
        Xs.append(scaled(X, 1.0 / np.sqrt((X * X).sum(axis=1))))
    return Xs


def scaled(X, factors):
    """Rows times factors, with the 32-bit indices that scikit-learn asks for."""
    X = sp.csr_array(sp.diags_array(factors) @ X)
    return sp.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


def start(Xs, seed=0):
    return [np.random.default_rng([seed, t]).permutation(np.arange(X.shape[0]) % K) for t, X in enumerate(Xs)]


def per_iteration(fit, short=2, long=12):
    """Seconds an iteration from two fits; ``fit(max_iter)`` returns the number of iterations it took."""
    begin = process_time()
    few = fit(short)
    middle = process_time()
    many = fit(long)
    return (process_time() - middle - (middle - begin)) / (many - few)


def lloyd(X, labels):
    """One Lloyd iteration of scikit-learn from the means of a partition, as a function of max_iter."""
    means = (sp.csr_array((np.ones(len(labels)), (labels, np.arange(len(labels)))), shape=(K, len(labels)))
             @ X).toarray() / np.bincount(labels)[:, None]
    return lambda m: KMeans(K, init=means, n_init=1, max_iter=m, tol=0.0).fit(X).n_iter_


def sweeps(Xs, repeats=5):
    """A sweep of MBC over both tasks against one Lloyd iteration on each of them."""
    labels, rows = start(Xs), []
    shares = [scaled(X, 1.0 / X.sum(axis=1)) for X in Xs]
    for name, smoothing in DIVERGENCES:
        data = shares if name == "kl" else Xs

        def fit(m, name=name, smoothing=smoothing, data=data):
            return MBC(K, divergence=name, smoothing=smoothing, init=labels, max_iter=m, tol=0.0).fit(
                data).n_iter_

        pairs = [(per_iteration(fit), sum(per_iteration(lloyd(X, h)) for X, h in zip(Xs, labels)))
                 for _ in range(repeats)]
        ours, theirs = np.median(pairs, axis=0)
        rows.append({"divergence": name, "documents": sum(X.shape[0] for X in Xs), "terms": Xs[0].shape[1],
                     "nonzeros": sum(X.nnz for X in Xs), "MBC sweep [ms]": 1e3 * ours,
                     "Lloyd iteration [ms]": 1e3 * theirs,
                     "ratio": np.median([a / b for a, b in pairs]), "worst": max(a / b for a, b in pairs)})
    return pd.DataFrame(rows)


def relations(repeats=101):
    """Solvers of the relation step, milliseconds; the costs themselves are one product of (K, d) arrays."""
    pairs = ((20, 20), (20, 6), (20, 15), (16, 15), (20, 19))
    return pd.DataFrame([_relation(*pair, repeats) for pair in pairs])


def _relation(K_t, K_s, repeats):
    rng = np.random.default_rng(0)
    cost = divergence("sqeuclidean").pairwise(rng.random((K_t, 50)), rng.random((K_s, 50)))
    masses, copies = (np.full(K_t, 1 / K_t), np.full(K_s, 1 / K_s)), np.lcm(K_t, K_s)
    solvers = {"chosen": lambda: transport.transport_plan(cost, *masses),
               "assignment of copies": lambda: transport._assignment_plan(cost, copies),
               "HiGHS": lambda: transport._programme_plan(cost, *masses)}
    if importlib.util.find_spec("ot"):
        solvers["POT"] = lambda: importlib.import_module("ot.lp").emd(*masses, cost)
    return {"K": f"{K_t} x {K_s}", "copies": copies,
            **{name: 1e3 * timed(solver, repeats) for name, solver in solvers.items()}}


def centroid_solvers():
    """Solvers of Eq. (14) for 20 centroids of 43,585 features: milliseconds, and what the walk loses."""
    left, right = np.exp(np.random.default_rng(0).normal(size=(2, K, TERMS)))
    z = np.log(3.0 * left / right) + 3.0
    omega = {"Wright omega, log_wright_omega by rows":
             lambda: [centroids.log_wright_omega(row) for row in z],
             "Wright omega, scipy": lambda: wrightomega(z)}
    shares = [U / U.sum(axis=1, keepdims=True) for U in (left, right)]
    return pd.DataFrame([
        _centroid("i-divergence", left, right), _centroid("itakura-saito", left, right),
        _centroid("kl", *shares),
        *({"divergence": name, "exact [ms]": 1e3 * timed(function)} for name, function in omega.items())])


def _centroid(name, left, right):
    d, A, B = divergence(name), np.full(K, 0.075), np.full(K, 0.025)

    def value(u):
        return (A * d.between(left, u) + B * d.between(u, right)).sum()

    solvers = {"exact": lambda: d.mixed_centroid(left, right, A, B),
               "geodesic": lambda: centroids.geodesic(d, left, right, A, B)}
    if name != "kl":
        solvers["bisection"] = lambda: centroids.bisection(d, left, right, A, B)
    return {"divergence": name,
            **{f"{solver} [ms]": 1e3 * timed(run, 5 if solver == "exact" else 1)
               for solver, run in solvers.items()},
            "excess of the walk": value(solvers["geodesic"]()) / value(solvers["exact"]()) - 1.0}


def against_literal(sizes=(60, 50), d=10, k=3, sweep_count=3):
    """Whole fits against the transcription of Algorithm 1, same start, same number of sweeps."""
    rng, rows = np.random.default_rng(0), []
    Xs = [np.exp(rng.normal(size=(n, d))) for n in sizes]
    labels = [np.arange(n) % k for n in sizes]
    for name, loops in (("sqeuclidean", literal.sqeuclidean), ("i-divergence", literal.i_divergence),
                        ("itakura-saito", literal.itakura_saito)):
        d_phi = divergence(name)

        def solve(*means, loops=loops, symmetric=d_phi.symmetric):
            return literal.symmetric_centroid(*means) if symmetric else literal.minimised(loops, *means)

        begin = process_time()
        history = literal.algorithm_1(Xs, labels, [k, k], 0.5, loops, d_phi.gradient, d_phi.inverse_gradient,
                                      solve, sweep_count)[3]
        seconds = process_time() - begin
        model = MBC(k, divergence=name, init=labels, max_iter=sweep_count, tol=0.0)
        ours = timed(lambda model=model: model.fit(Xs))
        rows.append({"divergence": name, "literal [s]": seconds, "mtclib [s]": ours, "ratio": seconds / ours,
                     "relative difference of J": abs(model.objective_[-2] / history[-4] - 1)})
    return pd.DataFrame(rows)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--synthetic", action="store_true")
    parser.add_argument("--repeats", type=int, default=5, help="of the part sweeps")
    parser.add_argument("--only", choices=("sweeps", "relations", "centroids", "literal"))
    arguments = parser.parse_args()
    parts = {"sweeps": lambda: sweeps(load(arguments.synthetic), arguments.repeats), "relations": relations,
             "centroids": centroid_solvers, "literal": against_literal}
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for name, part in parts.items():
            if arguments.only in (None, name):
                print(part().to_string(index=False), flush=True)


if __name__ == "__main__":
    main()
