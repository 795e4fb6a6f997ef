"""Co-regularised spectral clustering: how much faster than the paper's updates?

    python -m benchmarks.coreg

The data are Handwritten, six views of every fourth of 2,000 digits.  The transcription takes all eigenvectors
in every update.
"""

from literal import coreg as literal

from mtclib.baselines import CoregSpectral
from mtclib.datasets import load
from mtclib.maths.graphs import gaussian_affinity

from .timing import compare, main

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


RATIOS = (against_literal,)

if __name__ == "__main__":
    main(__doc__, RATIOS)
