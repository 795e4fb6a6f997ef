"""DiMSC and LatentMSC: how much faster than their transcriptions?

    python -m benchmarks.subspace_clustering

The transcriptions in tests/literal solve general Sylvester equations with all features in dense matrices.
Both sides get the same scaled views and graphs, make the same number of sweeps from the same start, and form
what their iterations need; graphs and k-means, which are the same for both, are left out.  The data are made
up: words and links of 195 pages in five classes, the size of WebKB Cornell.
"""

import numpy as np
import scipy.sparse as sp
from literal import dimsc as literal_dimsc, latentmsc as literal_latent

from mtclib.baselines import DiMSC
from mtclib.baselines.dimsc import View, alternate
from mtclib.baselines.latentmsc import root, solve
from mtclib.maths.linalg import dense_product
from mtclib.maths.scaling import scale_views

from .timing import compare, main

CLASSES, PAGES = 5, 195


def pages(n=PAGES, words=1703):
    """A view of words, 0 or 1 with Zipf's law, and one of links, as CSR arrays with rows of length 1."""
    rng, labels, common = np.random.default_rng(0), np.arange(n) % CLASSES, 1.0 / np.arange(1, words + 1)
    topics = np.array([0.5 * rng.permutation(common) + 0.5 * common for _ in range(CLASSES)])
    chances = np.minimum(20.0 * topics[labels], 0.9)
    X = sp.csr_array((rng.random((n, words)) < chances).astype(float))
    A = (rng.random((n, n)) < np.where(labels[:, None] == labels, 0.03, 0.005)) | np.eye(n, dtype=bool)
    return scale_views([X, sp.csr_array((A | A.T).astype(float))], "rows")


def dimsc_against_literal(sweeps=10):
    """The sweeps of DiMSC."""
    Xs = pages()
    model = DiMSC(CLASSES, smoothness=1.0, scaling="none")
    laplacians = [view.smooth for view in model._prepare(Xs, CLASSES)]
    columns = [X.toarray().T for X in Xs]
    for smoothness, diversity in ((0.1, 0.1), (0.01, 1.0), (1.0, 0.01)):

        def ours(smoothness=smoothness, diversity=diversity):
            views = [View(dense_product(X, X.T), smoothness * L) for X, L in zip(Xs, laplacians)]
            return alternate(views, diversity, sweeps, 0.0)[1]

        made = len(ours())  # fewer than asked for where the objective has come to its end
        yield compare(f"DiMSC {smoothness}, {diversity}", "drawn pages", PAGES,
                      lambda ours=ours: float(ours()[-1]),
                      lambda s=smoothness, d=diversity, made=made: float(
                          literal_dimsc.dimsc(columns, laplacians, s, d, made)[1][-1]))


def latent_against_literal(lam=0.1, n_components=100, sweeps=60):
    """The sweeps of LatentMSC with the number of components of the released code."""
    Xs = pages()
    M = np.vstack([X.toarray().T for X in Xs])
    H = np.random.default_rng(0).random((n_components, M.shape[1]))
    for name, sign in (("correct", 1), ("released", -1)):
        yield compare(f"LatentMSC, {name} sign", "drawn pages", PAGES,
                      lambda sign=sign: float(solve(root(Xs), H, lam, float(sign), sweeps, 0.0)[1][-1]),
                      lambda sign=sign: float(literal_latent.latent(M, H, lam, sweeps, sign)[4][-1]))


RATIOS = dimsc_against_literal, latent_against_literal

if __name__ == "__main__":
    main(__doc__, RATIOS)
