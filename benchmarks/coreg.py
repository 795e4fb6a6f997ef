"""Co-regularised spectral clustering: how much faster than the paper's updates, and than mvlearn?

    python -m benchmarks.coreg

The data are Handwritten, six views of 2,000 digits, or every fourth of them.  The transcription takes all
eigenvectors in every update.  mvlearn's algorithm comes from tests/literal, which gives mvlearn's numbers to
12 digits, so that both solve the same problem: same affinities, same lam, whole fits including affinities and
ten starts of k-means.  Where mvlearn itself can be imported, its own fit is timed in its place.
"""

import numpy as np
from literal import coreg as literal
from sklearn.cluster import KMeans

from mtclib.baselines import CoregSpectral
from mtclib.datasets import load
from mtclib.maths.graphs import gaussian_affinity

from .timing import compare, main

CLUSTERS, ITERATIONS = 10, 10


def views(n=2000):
    """The six views; with `n` below 2,000, every so many samples."""
    return [X[::2000 // n] for X in load("handwritten", edition="wheel").Xs]


def against_literal(n=500, lam=0.1, sweeps=2):
    """The same sweeps from the same start, through all eigenvectors and ours."""
    Xs = views(n)
    for scheme in ("pairwise", "centroid"):
        model = CoregSpectral(CLUSTERS, scheme=scheme, lam=lam, init="views", max_iter=sweeps, n_init=1,
                              random_state=0)
        yield compare(f"CoregSpectral, {scheme}", "handwritten", n,
                      lambda model=model: -float(model.fit(Xs).objective_[-1]),
                      lambda scheme=scheme: _literal_sweeps(Xs, scheme, lam, sweeps)[-1][-1])


def _literal_sweeps(Xs, scheme, lam, sweeps):
    Ks = [literal.normalised(gaussian_affinity(X)) for X in Xs]
    Us = [literal.leading(K, CLUSTERS) for K in Ks]
    if scheme == "pairwise":
        return literal.pairwise(Ks, Us, lam, sweeps)
    return literal.centroid(Ks, Us, [lam] * len(Ks), sweeps)


def beside_mvlearn(lams=(0.1, 2.0)):
    """Whole fits for a small lam and for mvlearn's default."""
    Xs = views()
    for lam in lams:
        model = CoregSpectral(CLUSTERS, scheme="pairwise", lam=lam, random_state=0)
        routine, library = mvlearn(Xs, lam)
        yield compare(f"CoregSpectral, lam = {lam}", "handwritten", 2000, lambda model=model: model.fit(Xs),
                      library=library, routine=routine)


def mvlearn(Xs, lam):
    """Name and function: mvlearn's own class, or its algorithm on our affinities."""
    try:
        from mvlearn.cluster import MultiviewCoRegSpectralClustering
    except ImportError:
        return "mvlearn's algorithm", lambda: _as_mvlearn(Xs, lam)
    model = MultiviewCoRegSpectralClustering(CLUSTERS, v_lambda=lam, random_state=0)
    return "mvlearn", lambda: model.fit(Xs)


def _as_mvlearn(Xs, lam):
    affinities = [gaussian_affinity(X) for X in Xs]
    Z = np.hstack(literal.mvlearn_pairwise(affinities, CLUSTERS, lam, ITERATIONS)[1])
    KMeans(CLUSTERS, n_init=10, random_state=0).fit(Z / np.linalg.norm(Z, axis=1, keepdims=True))


RATIOS = against_literal, beside_mvlearn

if __name__ == "__main__":
    main(__doc__, RATIOS)
