"""SAMTC: how much faster than the literal transcription?

    python -m benchmarks.samtc

The transcription in tests/literal goes through samples, clusters and tasks by loops and leaves kernel mean
matching to a general solver.  Both get the same labels and make the same similarities.
"""

import numpy as np
from literal import samtc as literal

from mtclib.baselines import SAMTC
from mtclib.baselines.samtc import relate_tasks
from mtclib.core.starts import one_hot

from .drawn import text
from .timing import compare, main

CLUSTERS = 4


def ours(Xs, labels, k):
    """S_t of all tasks."""
    model = SAMTC(CLUSTERS, n_neighbors=k, n_neighbors_across=k)
    Us, own = model._prepare(Xs, [CLUSTERS] * len(Xs))
    links = relate_tasks(Us, [one_hot(h, CLUSTERS) for h in labels])
    return [model._similarity(Us, own, links, t) for t in range(len(Xs))]


def against_literal():
    """Similarities of two tasks of few words."""
    for n in (30, 90):
        Xs, labels = text((n, n), 40, CLUSTERS, length=20, weigh=False), [np.arange(n) % CLUSTERS] * 2
        dense = [X.toarray() for X in Xs]
        yield compare("SAMTC, similarities", "drawn text", 2 * n,
                      lambda Xs=Xs, labels=labels: float(sum(S.sum() for S in ours(Xs, labels, 10))),
                      lambda dense=dense, labels=labels: float(sum(S.sum() for S in literal.similarities(
                          dense, labels, [CLUSTERS] * 2, 10, 10)[0])))


RATIOS = (against_literal,)

if __name__ == "__main__":
    main(__doc__, RATIOS)
