"""Co-regularised spectral clustering: how much faster than the paper's updates, and than mvlearn's algorithm?

    python -m benchmarks.coreg
    python -m benchmarks.coreg --only mvlearn   whole fits of all digits, affinities and k-means included

The data are Handwritten, six views of every fourth of 2,000 digits.  The transcription takes all eigenvectors
in every update.
"""

import numpy as np
from literal import coreg as literal
from sklearn.cluster import KMeans

from mtclib.baselines import CoregSpectral
from mtclib.datasets import load
from mtclib.maths.graphs import gaussian_affinity

from .timing import compare, main, timed

CLUSTERS = 10


def against_literal(n=500, lam=0.1, sweeps=2):
    """The same sweeps from the same start, through all eigenvectors and ours."""
    Xs = [X[::2000 // n] for X in load("handwritten", edition="wheel").Xs]
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


def mvlearn(lams=(0.1, 2.0)):
    """Beside the algorithm of mvlearn by tests/literal, which gives its numbers to 12 digits."""
    Xs = load("handwritten", edition="wheel").Xs
    for lam in lams:
        model = CoregSpectral(CLUSTERS, scheme="pairwise", lam=lam, random_state=0)
        _, ours = timed(lambda model=model: model.fit(Xs))
        _, theirs = timed(lambda lam=lam: _as_mvlearn(Xs, lam))
        yield {"lam": lam, "ours [s]": ours, "mvlearn [s]": theirs, "mvlearn / ours": theirs / ours}


def _as_mvlearn(Xs, lam, iterations=10):
    affinities = [gaussian_affinity(X) for X in Xs]
    Z = np.hstack(literal.mvlearn_pairwise(affinities, CLUSTERS, lam, iterations)[1])
    KMeans(CLUSTERS, n_init=10, random_state=0).fit(Z / np.linalg.norm(Z, axis=1, keepdims=True))


RATIOS = (against_literal,)

if __name__ == "__main__":
    main(__doc__, RATIOS, mvlearn=mvlearn)
