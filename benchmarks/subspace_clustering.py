"""DiMSC and LatentMSC: how much faster than their transcriptions, how long beside spectral clustering?

    python -m benchmarks.subspace_clustering

The transcriptions in tests/literal solve general Sylvester equations with all features in dense matrices.
Both sides get the same scaled views and graphs, make the same number of sweeps from the same start, and form
what their iterations need; graphs and k-means, which are the same for both, are left out.  The data are made
up: words and links of 195 pages in five classes, the size of WebKB Cornell.
"""

import numpy as np
import scipy.sparse as sp
from literal import dimsc as literal_dimsc, latentmsc as literal_latent

from mtclib.baselines import DiMSC, LatentMSC
from mtclib.baselines._selfrepresentation import neighbour_laplacian
from mtclib.baselines.dimsc import View, alternate
from mtclib.baselines.latentmsc import root, solve
from mtclib.maths.linalg import dense_product
from mtclib.maths.scaling import scale_views

from .routines import spectral
from .timing import compare, main

CLASSES, PAGES = 5, 195


def pages(n=PAGES, words=1703, n_views=1, links=True, seed=0):
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


def dimsc_against_literal(sweeps=10):
    """The sweeps of DiMSC."""
    Xs = pages()
    laplacians, columns = [neighbour_laplacian(X, 10) for X in Xs], [X.toarray().T for X in Xs]
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


def models():
    """The methods at their defaults, and LatentMSC with the components of the released code."""
    return {"DiMSC": DiMSC(CLASSES, random_state=0), "LatentMSC": LatentMSC(CLASSES, random_state=0),
            "LatentMSC, h = 100": LatentMSC(CLASSES, n_components=100, random_state=0)}


def beside_library():
    """Whole fits of twice as many pages with four views of 5,000 words."""
    Xs = pages(350, 5000, n_views=4, links=False)
    for name, model in models().items():
        yield compare(name, "drawn pages", 350, lambda model=model: model.fit(Xs),
                      library=lambda: spectral(sp.hstack(Xs, format="csr"), CLASSES),
                      routine="spectral of all features")


RATIOS = dimsc_against_literal, latent_against_literal, beside_library

if __name__ == "__main__":
    main(__doc__, RATIOS)
