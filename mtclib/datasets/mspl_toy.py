"""The toy data of the MSPL paper (section 5.1): four clusters, each easiest in another view."""

from numbers import Integral, Real

import numpy as np

from .dataset import Dataset
from .multiview import with_printed

CENTRES = np.array([(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)])
"""Centres of the clusters, in units of half the separation; the same in all views."""

DEVIATIONS = np.array([(0.4, 0.8, 1.2), (1.2, 0.4, 0.8), (0.8, 1.2, 0.4), (0.8, 0.8, 0.8)])
"""Standard deviation of each cluster (rows) in each view."""

SIZE = 100
GAUSSIAN_SHARE, GAUSSIAN_NOISE, UNIFORM_NOISE = 0.8, 0.5, 8.0


def _view(rng, labels, deviations, separation, noise):
    """One view; the noise is drawn in any case, so that clean and noisy data have the same points."""
    shape = (len(labels), CENTRES.shape[1])
    points = CENTRES[labels] * separation / 2 + rng.normal(size=shape) * deviations[labels, None]
    gaussian = rng.random(shape) < GAUSSIAN_SHARE
    small = rng.normal(size=shape) * GAUSSIAN_NOISE
    large = rng.uniform(-UNIFORM_NOISE, UNIFORM_NOISE, size=shape)
    return points + np.where(gaussian, small, large) if noise else points


def mspl_toy(random_state=0, *, separation=4.0, noise=True) -> Dataset:
    """Toy data of the MSPL paper: 400 points in three views and four clusters, with noise.

    The paper gives the numbers of points, views and clusters; which cluster is easiest in which view (the
    first in view 1, the second in view 2, the third in view 3, the fourth in none); and that 80% of the
    entries have Gaussian noise and the others uniform noise.  Dimension (2), centres, deviations and sizes of
    the noise are chosen here.

    Parameters
    ----------
    random_state : int, default=0
    separation : float > 0, default=4.0
        Distance between neighbouring centres; 6 is easier.
    noise : bool, default=True
        False gives the same points without noise, as for the paper's Figure 2; True is for its Figure 3.

    Returns
    -------
    Dataset
        Three dense views of two features, rows in the order of the clusters.

    Raises
    ------
    ValueError
        If `random_state` or `separation` is out of range.

    Examples
    --------
    >>> [X.shape for X in mspl_toy().Xs]
    [(400, 2), (400, 2), (400, 2)]
    """
    if not isinstance(random_state, Integral) or random_state < 0:
        raise ValueError(f"random_state must be an integer of at least 0, not {random_state!r}.")
    if not isinstance(separation, Real) or not 0 < separation < np.inf:
        raise ValueError(f"separation must be a positive number, not {separation!r}.")
    rng = np.random.default_rng(random_state)
    labels = np.repeat(np.arange(len(CENTRES)), SIZE)
    drawn = {"step": "draw", "random_state": random_state, "separation": separation, "noise": bool(noise)}
    data = Dataset(
        name="mspl-toy", kind="multiview", edition="planted", preprocessing=(drawn,), labels=labels,
        Xs=[_view(rng, labels, column, separation, noise) for column in DEVIATIONS.T],
        task_names=("1", "2", "3"), class_names=(tuple(f"cluster {k + 1}" for k in range(len(CENTRES))),),
    )  # fmt: skip
    return with_printed(data, n_samples=400, n_classes=4)
