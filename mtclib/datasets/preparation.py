"""What is done to entries before they are clustered, by their kind: one function for the comparison of
methods and for a user's own files."""

import numpy as np
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from mtclib.core.large import row_blocks
from mtclib.datasets.text import WEIGHTINGS, weigh
from mtclib.maths.scaling import SCALINGS, scale_views

AUTOMATIC = {"counts": "tfidf-l2", "weights": "sqrt-l2", "measurements": "minmax"}
"""What is done to each kind of entries where nothing else is asked for."""

CLIPPED = "zscore-clipped"
SCALES = (*SCALINGS, CLIPPED, *(name for name in WEIGHTINGS if name != "counts"))
"""Everything that can be asked for: scales of features, samples or views, and weights of counts."""

# Least shares of zeros, and largest median of the others, of counts; standard deviations; dense entries.
COUNTS, WEIGHTS, MEDIAN, END, DENSE = 0.6, 0.8, 3, 3.0, 2**27


def entries_of(Xs) -> str:
    """Kind of the entries of matrices that share a scale, from these alone; a key of `AUTOMATIC`.

    "counts" are whole, nonnegative, at least 60 % zeros, and the median of the others is at most 3; "weights"
    are nonnegative, not all whole, and at least 80 % zeros; all else are "measurements".

    >>> entries_of([np.eye(5)]), entries_of([np.eye(9) / 2]), entries_of([np.arange(6.0).reshape(3, 2)])
    ('counts', 'weights', 'measurements')
    """
    entries = sum(np.prod(X.shape, dtype=float) for X in Xs)
    held, zeros = [], 1.0
    for values in (X.data if sparse.issparse(X) else X for X in Xs):
        for rows in row_blocks(values):
            block = np.asarray(values[rows])
            held.append(block[block != 0])
            zeros = 1 - sum(map(len, held)) / entries
            if zeros < COUNTS or (block < 0).any():
                return "measurements"
    held = np.concatenate([[], *held])
    if (held % 1 == 0).all():
        return "counts" if zeros < 1 and np.median(held) <= MEDIAN else "measurements"
    return "weights" if zeros >= WEIGHTS else "measurements"


def prepare(Xs, how) -> list:
    """Matrices after one of `SCALES`, with one scale for all; weights are CSR whatever is given.

    Raises ``ValueError`` for an unknown name, for counts below zero, and where z-scores of a sparse matrix,
    which have no zeros, would be too many.

    >>> prepare([np.array([[1.0], [2.0], [3.0]])], "zscore-clipped")[0].ravel().round(3).tolist()
    [-1.225, 0.0, 1.225]
    """
    if how == "none":
        return list(Xs)
    if how in WEIGHTINGS:
        return weigh(Xs, how)
    stack = Xs[0] if len(Xs) == 1 else (
        sparse.vstack(Xs, format="csr") if any(map(sparse.issparse, Xs)) else np.vstack(Xs))
    if how != CLIPPED:
        (Z,) = scale_views([stack], how)
    elif np.prod(stack.shape, dtype=float) > DENSE:
        raise ValueError(f"scaling: z-scores of {stack.shape[0]} x {stack.shape[1]} sparse entries are "
                         f"too many to be held; choose rows or zscore, which keep zeros")
    else:
        stack = stack.toarray() if sparse.issparse(stack) else stack
        Z = np.clip(StandardScaler().set_output(transform="default").fit_transform(stack), -END, END)
    ends = np.cumsum([0, *(X.shape[0] for X in Xs)])
    return [Z[start:end] for start, end in zip(ends, ends[1:])]
