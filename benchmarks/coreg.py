"""How much faster than mvlearn's co-regularised spectral clustering, and at which objective?

    MTCLIB_DATA=FOLDER python benchmarks/coreg.py              mvlearn's algorithm
    MTCLIB_DATA=FOLDER python benchmarks/coreg.py --only eigh  the paper's updates through all eigenvectors
    MTCLIB_DATA=FOLDER python benchmarks/coreg.py --only growth

FOLDER holds Handwritten/Handwritten.mat (six views of 2,000 digits).  mvlearn's algorithm comes from the
transcription in tests/literal, which gives mvlearn's numbers to 12 digits, so that both solve the same
problem: same affinities, same lam, whole fits including affinities and ten starts of k-means.  Where mvlearn
itself can be imported, its own fit with its own affinities is timed beside it.  Seconds of one processor.
"""

import argparse
import os
import sys
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
from scipy.io import loadmat
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from literal import coreg as literal  # noqa: E402

from mtclib.baselines import CoregSpectral
from mtclib.baselines.coreg import Pairwise
from mtclib.maths.graphs import gaussian_affinity

CLUSTERS, ITERATIONS = 10, 10
try:
    from mvlearn.cluster import MultiviewCoRegSpectralClustering
except ImportError:
    MultiviewCoRegSpectralClustering = None


def load(n=None):
    """The six views; with ``n`` below 2,000, every so many samples."""
    views = loadmat(Path(os.environ["MTCLIB_DATA"]) / "Handwritten" / "Handwritten.mat")["X"][0]
    return [np.asarray(X, float)[::2000 // n if n else 1] for X in views]


def timed(function):
    """Result and seconds of the processor."""
    start = process_time()
    result = function()
    return result, process_time() - start


def as_mvlearn(Xs, lam):
    """mvlearn's fit on our affinities: normalised affinities and embeddings."""
    affinities = [gaussian_affinity(X) for X in Xs]
    Ls, Us, _ = literal.mvlearn_pairwise(affinities, CLUSTERS, lam, ITERATIONS)
    Z = np.hstack(Us)
    KMeans(CLUSTERS, n_init=10, random_state=0).fit(Z / np.linalg.norm(Z, axis=1, keepdims=True))
    return Ls, Us


def against_mvlearn(Xs, lams=(0.1, 0.5, 2.0)):
    """Seconds, ratio and objectives for some lam; mvlearn's default is 2 and ten iterations."""
    rows = []
    # Once on few samples: imports and memory are no part of the comparison.
    as_mvlearn(load(500), 0.1)
    CoregSpectral(CLUSTERS, scheme="pairwise", random_state=0).fit(load(500))
    for lam in lams:
        model, seconds = timed(lambda lam=lam: CoregSpectral(
            CLUSTERS, scheme="pairwise", lam=lam, random_state=0).fit(Xs))
        (Ls, Us), expected = timed(lambda lam=lam: as_mvlearn(Xs, lam))
        its = Pairwise(Ls, Us, np.full(len(Us), lam)).objective(Us)
        row = {"lam": lam, "mvlearn's algorithm [s]": expected, "mtclib [s]": seconds,
               "ratio": expected / seconds, "its objective": its, "ours": -model.objective_[-1],
               "sweeps": model.n_iter_}
        if MultiviewCoRegSpectralClustering is not None:
            own = MultiviewCoRegSpectralClustering(CLUSTERS, v_lambda=lam, random_state=0)
            row["mvlearn [s]"] = timed(lambda own=own: own.fit(Xs))[1]
        rows.append(row)
    return pd.DataFrame(rows)


def against_all_eigenvectors(Xs, lam=0.1, sweeps=2):
    """The same sweeps from the same start, through all eigenvectors and ours: seconds and objectives."""
    rows = []
    for scheme in ("pairwise", "centroid"):
        model = CoregSpectral(CLUSTERS, scheme=scheme, lam=lam, init="views", max_iter=sweeps, n_init=1,
                              random_state=0)
        _, seconds = timed(lambda model=model: model.fit(Xs))
        run, expected = timed(lambda scheme=scheme: _literal_sweeps(Xs, scheme, lam, sweeps))
        rows.append({"scheme": scheme, "literal [s]": expected, "mtclib [s]": seconds,
                     "ratio": expected / seconds, "its objective": run[-1][-1],
                     "ours": -model.objective_[-1]})
    return pd.DataFrame(rows)


def _literal_sweeps(Xs, scheme, lam, sweeps):
    Ks = [literal.normalised(gaussian_affinity(X)) for X in Xs]
    Us = [literal.leading(K, CLUSTERS) for K in Ks]
    if scheme == "pairwise":
        return literal.pairwise(Ks, Us, lam, sweeps)
    return literal.centroid(Ks, Us, [lam] * len(Ks), sweeps)


def growth(lam=0.1, sweeps=5):
    """Seconds for 500, 1,000 and 2,000 samples, both kinds of affinities, a fixed number of sweeps."""
    rows = []
    for n in (500, 1000, 2000):
        Xs = load(n)
        row = {"samples": n}
        for affinity in ("gaussian", "knn"):
            row[f"{affinity} [s]"] = timed(lambda Xs=Xs, affinity=affinity: CoregSpectral(
                CLUSTERS, scheme="pairwise", lam=lam, affinity=affinity, max_iter=sweeps, tol=0.0,
                random_state=0).fit(Xs))[1]
        rows.append(row)
    return pd.DataFrame(rows)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("mvlearn", "eigh", "growth"), default="mvlearn")
    part = {"mvlearn": lambda: against_mvlearn(load()), "eigh": lambda: against_all_eigenvectors(load()),
            "growth": growth}[parser.parse_args().only]
    with threadpool_limits(limits=1):
        print(part().to_string(index=False), flush=True)


if __name__ == "__main__":
    main()
