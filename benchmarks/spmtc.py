"""How much faster than the papers' updates as printed, and how does the cost grow?  Ratios within one run.

    MTCLIB_DATA=FOLDER python benchmarks/spmtc.py                  all three parts
    MTCLIB_DATA=FOLDER python benchmarks/spmtc.py --iterations 2   of the literal LSSMTC (each takes a while)
    MTCLIB_DATA=FOLDER python benchmarks/spmtc.py --only growth
    MTCLIB_DATA=FOLDER python benchmarks/spmtc.py --only fits --output data/spmtc/results/fit_times.csv

FOLDER holds reuters-transfer/people_vs_place_1.mat, the PEOPLEvsPLACES data of the paper's running times.
The literal fit decomposes the (d, d) matrix of Eq. (25) in every iteration; ours pays for its set-up once,
so few iterations understate the ratio.  The paper prints 3.1 s for LSSMTC and 4.2 s for SPMTC-h.
"""

import argparse
import os
import sys
import warnings
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
import scipy.sparse as sp
from scipy.io import loadmat
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from literal import spmtc as literal  # noqa: E402

from mtclib import LSSMTC, SPMTC
from mtclib.core.base import DegenerateSubspaceWarning, spawn_seeds
from mtclib.maths import linalg

PRINTED = {"LSSMTC": 3.1, "SPMTC-h": 4.2}


def timed(function, repeats=1):
    """Result and the median of the wall seconds of ``repeats`` calls, nothing remembered between them."""
    seconds = []
    for _ in range(repeats):
        linalg._SPECTRA.clear()
        start = perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.simplefilter("ignore", DegenerateSubspaceWarning)
            result = function()
        seconds.append(perf_counter() - start)
    return result, float(np.median(seconds))


def load():
    """The two tasks of PEOPLEvsPLACES as CSR arrays."""
    file = loadmat(Path(os.environ["MTCLIB_DATA"]) / "reuters-transfer" / "people_vs_place_1.mat")
    return [sp.csr_array(file[name].T) for name in ("Xs", "Xt")]


def compare_eigenvector_fits(Xs, iterations, l=2, lam=0.75, seed=0):
    """LSSMTC with the paper's update of W: literal seconds, ours, ratio, objectives."""
    model = LSSMTC(2, n_components=l, lam=lam, w_update="eig_small", max_iter=iterations, tol=0.0,
                   random_state=seed)
    problem = model._prepare(Xs, [2, 2])
    start = model._memberships(problem, 2, spawn_seeds(seed, 1)[0])
    fit, seconds = timed(lambda: model.fit(Xs), repeats=3)
    dense = [X.toarray().T for X in Xs]
    ones = [np.ones(X.shape[0]) for X in Xs]
    expected, literal_seconds = timed(
        lambda: literal.lssmtc(dense, start, lam, l, "eig_small", ones, iterations)[-1])
    return pd.DataFrame([{
        "documents": sum(X.shape[0] for X in Xs), "terms": Xs[0].shape[1], "iterations": iterations,
        "literal [s]": literal_seconds, "mtclib [s]": seconds, "ratio": literal_seconds / seconds,
        "relative difference of J": abs(fit.objective_[-1] / expected[-1] - 1.0)}])


def whole_fits(Xs, repeats):
    """Seconds of whole fits, stopped as in the protocol, one row a repeat; a repeat has its own start."""
    rows = []
    for repeat in range(repeats):
        for w_update in ("mult", "eig_small", "eig_between"):
            given = {"w_update": w_update, "lam": 0.5, "tol": 1e-5, "random_state": repeat}
            models = {"LSSMTC": LSSMTC(2, max_iter=300, **given), "SPMTC-h": SPMTC(2, **given),
                      "SPMTC-s": SPMTC(2, weighting="soft", **given)}
            for name, model in models.items():
                seconds = timed(lambda model=model: model.fit(Xs))[1]
                rows.append({"method": name, "w_update": w_update, "repeat": repeat, "seconds": seconds})
    return pd.DataFrame(rows)


def summary(fits):
    """Median seconds of each method beside the printed ones."""
    table = fits.groupby(["method", "w_update"], as_index=False, sort=False)["seconds"].median()
    printed = table["method"].map(PRINTED)
    return table.assign(**{"printed [s]": printed, "ratio": printed / table["seconds"]})


def growth(Xs, iterations=50):
    """Seconds an iteration for 1, 2 and 4 times the documents, the same documents repeated."""
    rows = []
    for times in (1, 2, 4):
        larger = [sp.vstack([X] * times, format="csr") for X in Xs]
        seconds = timed(lambda larger=larger: LSSMTC(
            2, max_iter=iterations, tol=0.0, random_state=0).fit(larger), repeats=5)[1]
        rows.append({"documents": sum(X.shape[0] for X in larger), "nonzeros": sum(X.nnz for X in larger),
                     "seconds an iteration": seconds / iterations})
    frame = pd.DataFrame(rows)
    frame["relative"] = frame["seconds an iteration"] / frame["seconds an iteration"].iloc[0]
    return frame


def fits(Xs, arguments):
    """Whole fits, written to a file if one is given, and their summary."""
    frame = whole_fits(Xs, arguments.repeats)
    if arguments.output:
        frame.to_csv(arguments.output, index=False, float_format="%.4g", lineterminator="\n")
    return summary(frame)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--only", choices=("ratio", "fits", "growth"))
    parser.add_argument("--repeats", type=int, default=10, help="of the whole fits")
    parser.add_argument("--output", help="CSV file for the seconds of every whole fit")
    arguments = parser.parse_args()
    Xs = load()
    parts = {"fits": lambda: fits(Xs, arguments), "growth": lambda: growth(Xs),
             "ratio": lambda: compare_eigenvector_fits(Xs, arguments.iterations)}
    with threadpool_limits(limits=1):
        for name, part in parts.items():
            if arguments.only in (None, name):
                print(part().to_string(index=False), flush=True)


if __name__ == "__main__":
    main()
