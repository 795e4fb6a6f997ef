"""Scaling of views: what makes distances in different views comparable, as an explicit parameter.

A view enters a sum of squared distances with the square of its scale, so the scale of a view is its weight.
Every scaling here is one factor per feature or sample, times one factor for the whole view.  Shifts do not
change distances; a feature of one sign is moved to start at 0, which keeps zeros where they are and digits
where they matter.
"""

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler
from sklearn.utils.sparsefuncs import mean_variance_axis, min_max_axis

from mtclib.core.base import ConstantViewWarning
from mtclib.core.checks import check_option, check_views
from mtclib.core.errors import tell
from mtclib.core.large import let_go, room, row_blocks

FEATURE_STEPS = ("minmax", "zscore", "rows")
VIEW_STEPS = ("variance", "dimension", "range")
SCALINGS = ("none", *FEATURE_STEPS, *VIEW_STEPS,
            *(f"{first}+{second}" for first in FEATURE_STEPS for second in VIEW_STEPS[:2]))


@dataclass(frozen=True)
class Scale:
    """The scaled view is ``(X - shift) * factor``, each row times its entry of ``rows`` where given."""

    shift: np.ndarray  # (d,)
    factor: np.ndarray  # (d,)
    rows: np.ndarray | None  # (n,)
    constant: bool  # all samples are equal after scaling: the view says nothing about clusters

    def first_row(self):
        """The scale of the first row alone."""
        return self if self.rows is None else replace(self, rows=self.rows[:1])

    def restore(self, Z):
        """Points in the units of the input, but for ``rows``, from scaled ones; (m, d)."""
        return np.divide(Z, self.factor, out=np.zeros_like(Z), where=self.factor > 0) + self.shift


def find_scale(X, scaling):
    """The ``Scale`` of a view by one of ``SCALINGS``; blocks of X are read, X is not copied."""
    feature, _, whole = scaling.partition("+")
    if feature in VIEW_STEPS:
        feature, whole = "none", feature
    low, high, variance = _statistics(X)
    # Of a smaller variance digits are lost, and the square of a factor is no number.
    varies = (high > low) & (variance > np.finfo(float).tiny)
    if feature == "rows":
        rows = _row_factors(X)
        total = _row_scaled_variance(X, rows)
        factor, shift = np.ones(X.shape[1]), np.zeros(X.shape[1])
    else:
        rows = None
        factor = np.ones(X.shape[1])
        if feature == "minmax":
            factor = np.divide(2.0, high - low, out=np.zeros_like(high), where=varies)
        elif feature == "zscore":
            factor = np.divide(1.0, np.sqrt(variance), out=np.zeros_like(high), where=varies)
        total = float(np.where(varies, variance * factor**2, 0.0).sum())
        shift = np.where(low > 0, low, np.where(high < 0, high, 0.0))
    if total > 0:
        factor = factor * {"variance": total**-0.5, "dimension": X.shape[1]**-0.5,
                           "range": 2.0 / (high.max() - low.min()), "": 1.0}[whole]
    return Scale(shift, factor, rows, not total > 0)


def _statistics(X):
    """Smallest and largest entry and variance of each feature, in float64."""
    if sp.issparse(X):
        low, high = min_max_axis(X, axis=0)
        return low, high, mean_variance_axis(X, axis=0)[1]
    low, high, moments = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf), StandardScaler()
    for rows in row_blocks(X):
        block = np.asarray(X[rows])
        np.minimum(low, block.min(axis=0), out=low)
        np.maximum(high, block.max(axis=0), out=high)
        moments.partial_fit(block)
    return low, high, moments.var_


def _row_factors(X):
    """1 / length of each row; 1 for an empty row."""
    if sp.issparse(X):
        squares = np.asarray((X * X).sum(axis=1), dtype=float).ravel()
    else:
        squares = np.concatenate([np.einsum("ij,ij->i", X[rows], X[rows], dtype=float)
                                  for rows in row_blocks(X)])
    return 1.0 / np.sqrt(np.where(squares > 0, squares, 1.0))


def _row_scaled_variance(X, factors):
    """Total variance of the rows divided by their lengths; 0 if that is rounding."""
    if sp.issparse(X):
        total, empty = X.T @ factors, X.count_nonzero(axis=1) == 0
    else:
        total = sum(factors[rows] @ X[rows] for rows in row_blocks(X))
        empty = np.concatenate([~X[rows].any(axis=1) for rows in row_blocks(X)])
    mean = total / X.shape[0]
    variance = 1.0 - empty.mean() - float(mean @ mean)
    return variance if variance > 1e-12 else 0.0


def scaled_rows(X, scale, rows, dtype=None):
    """The scaled rows of a dense view, a new array; X may be a memory map, and gives the default dtype."""
    dtype = X.dtype if dtype is None else np.dtype(dtype)
    block = np.array(X[rows], dtype=dtype, order="C")
    block -= scale.shift.astype(dtype)
    block *= scale.factor.astype(dtype)
    if scale.rows is not None:
        block *= scale.rows[rows, None].astype(dtype)
    return block


def _scaled_csr(X, scale):
    # A feature with a shift has no zeros, so all its entries are stored.
    values = (X.data - scale.shift[X.indices]) * scale.factor[X.indices]
    if scale.rows is not None:
        values *= np.repeat(scale.rows, np.diff(X.indptr))
    return sp.csr_array((values, X.indices, X.indptr), shape=X.shape)


def warn_of_constant_views(scales, first=0):
    """Warn of views in which all samples are equal; ``first`` is the number of the first one given."""
    names = [f"Xs[{v}] (view {v + 1})" for v, scale in enumerate(scales, first) if scale.constant]
    if names:
        tell(f"all samples are equal in {', '.join(names)}, which has no effect on the clusters; "
             f"drop it from Xs", ConstantViewWarning)


def scale_views(Xs, scaling):
    """Views brought to comparable scales.

    Parameters
    ----------
    Xs : list of {ndarray, CSR array} of shape (n, d_v)
    scaling : str
        What is done to each feature or sample, and then to the whole view, with '+' between them.

        - 'none': nothing.
        - 'minmax': each feature to a range of length 2, as in [-1, 1]; 'zscore': each feature to variance 1;
          'rows': each sample to length 1.  A feature with a standard deviation below 1.5e-154 becomes 0
          in the first two.
        - 'variance': the view to total variance 1; 'dimension': divided by sqrt(d_v); 'range' (alone): the
          view to a range of length 2 between its smallest and largest entry.

    Returns
    -------
    list of {ndarray, CSR array} of shape (n, d_v), float64
        New arrays.  Features of one sign also start at 0, except with 'rows'.

    Raises
    ------
    ValueError
        Unknown scaling, unusable views.

    Warns
    -----
    ConstantViewWarning
        If all samples are equal in a view; its total variance stays 0.

    Examples
    --------
    >>> scale_views([np.array([[1.0, 10.0], [2.0, 40.0], [3.0, 70.0]])], "minmax")[0]
    array([[0., 0.],
           [1., 1.],
           [2., 2.]])
    """
    check_option("scaling", scaling, SCALINGS)
    Xs = check_views(Xs, float32=True)
    scales = [find_scale(X, scaling) for X in Xs]
    warn_of_constant_views(scales)
    return [apply_scale(X, scale) for X, scale in zip(Xs, scales)]


def apply_scale(X, scale):
    """The scaled view, a new float64 array, dense or CSR as it is given; a large one lies in a file."""
    if sp.issparse(X):
        return _scaled_csr(X, scale)
    Z = room(X.shape, float)
    for rows in row_blocks(X):
        Z[rows] = scaled_rows(X, scale, rows, float)
        let_go(Z)
    return Z
