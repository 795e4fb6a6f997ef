"""CLR and MTSC: how much faster than their transcriptions?

    python -m benchmarks.clr_mtsc

The data are drawn text.
"""

import numpy as np
from literal import clr as literal_clr, mtsc as literal_mtsc

from mtclib.baselines import CLR, MTSC
from mtclib.maths.graphs import NormalizedMatrix, knn_affinity

from .drawn import text
from .timing import compare, main


def against_literal(n=350, n_words=600, rounds=10):
    """Both methods and their transcriptions, on the same problem."""
    Xs = text((n, n), n_words, 3)
    dense = [X.toarray() for X in Xs]
    clr, mtsc = CLR(3, n_neighbors=20, random_state=0), MTSC(3, max_iter=rounds, tol=0.0, random_state=0)
    yield compare("CLR", "drawn text", 2 * n, lambda: float(clr.fit(Xs).objective_[-1]),
                  lambda: _literal_clr(dense))
    yield compare("MTSC", "drawn text", 2 * n, lambda: float(mtsc.fit(Xs).objective_[-1]),
                  lambda: _literal_mtsc(dense, rounds))


def _literal_clr(Xs):
    total = 0.0
    for X in Xs:
        A = literal_clr.initial_graph(X, 20)
        total += np.sum((literal_clr.clr(A, 3)[-1][0] - A) ** 2)
    return total


def _literal_mtsc(Xs, rounds):
    Ls = [np.eye(len(X)) - NormalizedMatrix(knn_affinity(X, 5)).L.toarray() for X in Xs]
    return literal_mtsc.mtsc(Xs, Ls, [3] * len(Xs), 1.0, 1.0, 1.0, rounds)[-1][-1]


RATIOS = (against_literal,)

if __name__ == "__main__":
    main(__doc__, RATIOS)
