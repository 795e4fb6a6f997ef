"""How much faster than their literal transcriptions are DiMSC and LatentMSC, and at which objective?

    python benchmarks/subspace_clustering.py                 both, sizes of WebKB Cornell
    python benchmarks/subspace_clustering.py --only growth   seconds of whole fits, four sparse views

The transcriptions in tests/literal solve general Sylvester equations with all features in dense matrices.
Both sides get the same scaled views and graphs, make the same number of sweeps from the same start, and form
what their iterations need; graphs and k-means, which are the same for both, are left out.  The data are made
up: words and links of 195 pages in five classes.  Both sides run in turn: the transcription once, ours five
times, of which the mean counts.  Seconds of one processor and ratios are medians over the turns.
"""

import argparse
import sys
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from literal import dimsc as literal_dimsc  # noqa: E402
from literal import latentmsc as literal_latent  # noqa: E402

from mtclib.baselines import DiMSC, LatentMSC
from mtclib.baselines._selfrepresentation import gram, neighbour_laplacian
from mtclib.baselines.dimsc import View, alternate
from mtclib.baselines.latentmsc import root, solve
from mtclib.maths.scaling import scale_views

CLASSES, RUNS = 5, 5


def pages(n=195, words=1703, n_views=1, links=True, seed=0):
    """Views of words, 0 or 1 with Zipf's law, and one of links, as CSR arrays with rows of length 1."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % CLASSES
    Xs = []
    for _ in range(n_views):
        common = 1.0 / np.arange(1, words + 1)
        topics = np.array([0.5 * rng.permutation(common) + 0.5 * common for _ in range(CLASSES)])
        chances = np.minimum(20.0 * topics[labels], 0.9)
        Xs.append(sp.csr_array((rng.random((n, words)) < chances).astype(float)))
    if links:
        A = (rng.random((n, n)) < np.where(labels[:, None] == labels, 0.03, 0.005)) | np.eye(n, dtype=bool)
        Xs.append(sp.csr_array((A | A.T).astype(float)))
    return scale_views(Xs, "rows")


def timed(function, runs=1):
    """Result and mean seconds of the processor."""
    start = process_time()
    for _ in range(runs):
        result = function()
    return result, (process_time() - start) / runs


def row(name, literal, ours, turns):
    """A line of the table, from two functions that return the objectives of their sweeps."""
    seconds = np.empty((turns, 2))
    for turn in seconds:
        (expected, turn[0]), (found, turn[1]) = timed(literal), timed(ours, RUNS)
    low, ratio, high = np.quantile(seconds[:, 0] / seconds[:, 1], [0.25, 0.5, 0.75])
    return {"method": name, "sweeps": len(found), "literal [s]": np.median(seconds[:, 0]),
            "mtclib [s]": np.median(seconds[:, 1]), "ratio": ratio, "quartiles": f"{low:.1f} to {high:.1f}",
            "its objective": expected[-1], "ours": found[-1]}


def dimsc(smoothness=0.1, diversity=0.1, sweeps=10, turns=9):
    """The sweeps of DiMSC."""
    Xs = pages()
    Ls, columns = [neighbour_laplacian(X, 10) for X in Xs], [X.toarray().T for X in Xs]

    def ours():
        views = [View(gram(X), smoothness * L) for X, L in zip(Xs, Ls)]
        return alternate(views, diversity, sweeps, 0.0)[1]

    made = len(ours())  # fewer than asked for where the objective has come to its end
    return row(f"DiMSC {smoothness}, {diversity}",
               lambda: literal_dimsc.dimsc(columns, Ls, smoothness, diversity, made)[1], ours, turns)


def latent(name, sign, lam=0.1, n_components=100, sweeps=60, turns=1):
    """The sweeps of LatentMSC with the number of components of the released code."""
    Xs = pages()
    M = np.vstack([X.toarray().T for X in Xs])
    H = np.random.default_rng(0).random((n_components, M.shape[1]))
    return row(name, lambda: literal_latent.latent(M, H, lam, sweeps, sign)[4],
               lambda: solve(root(Xs), H, lam, float(sign), sweeps, 0.0)[1], turns)


def against_literal():
    """Seconds, ratio and objectives of both methods."""
    return pd.DataFrame([dimsc(), dimsc(0.01, 1.0), dimsc(1.0, 0.01), latent("LatentMSC, correct sign", 1),
                         latent("LatentMSC, released sign", -1)])


def growth():
    """Whole fits with default parameters: 175, 350 and 700 samples, four sparse views of 5,000 words."""
    rows = []
    for n in (175, 350, 700):
        Xs = pages(n, 5000, n_views=4, links=False)
        line = {"samples": n}
        for name, model in (("DiMSC", DiMSC(CLASSES, random_state=0)),
                            ("LatentMSC", LatentMSC(CLASSES, random_state=0)),
                            ("LatentMSC, h = 100", LatentMSC(CLASSES, n_components=100, random_state=0))):
            fitted, line[f"{name} [s]"] = timed(lambda model=model, Xs=Xs: model.fit(Xs))
            line[f"{name} sweeps"] = fitted.n_iter_
        rows.append(line)
    return pd.DataFrame(rows)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("literal", "growth"), default="literal")
    part = {"literal": against_literal, "growth": growth}[parser.parse_args().only]
    with threadpool_limits(limits=1):
        print(part().to_string(index=False), flush=True)


if __name__ == "__main__":
    main()
