"""Self-paced learning: weights of samples from their losses, and the pace at which samples join.

For fixed losses L the weights v in [0, 1]^n minimise  sum_i v_i L_i - f(threshold, v).  The two f below
have closed minimisers, one sample at a time.  Thresholds are quantiles of the current losses, because
losses have no natural scale and shrink while a model is fitted.
"""

import math

import numpy as np


def hard_weights(losses, threshold):
    """Minimiser for f = threshold * sum_i v_i: samples with a loss up to the threshold, the others not.

    Parameters
    ----------
    losses : ndarray of shape (n,), nonnegative
    threshold : float, nonnegative

    Returns
    -------
    ndarray of shape (n,)
        0.0 or 1.0.  Kumar, Packer, Koller, NIPS 2010, Eq. (3); SPMTC, Eq. (11).

    Examples
    --------
    >>> hard_weights(np.array([0.5, 2.0, 1.0]), threshold=1.0)
    array([1., 0., 1.])
    """
    return (losses <= threshold).astype(float)


def mixture_weights(losses, threshold, gamma):
    """Minimiser for f = gamma * sum_i ln(v_i + gamma / threshold): hard at both ends, soft between.

    Parameters
    ----------
    losses : ndarray of shape (n,), nonnegative
    threshold : float, nonnegative
        Losses from here on get weight 0.  Where it is 0, losses of 0 have weight 1.
    gamma : float, nonnegative
        Losses up to gamma threshold / (gamma + threshold) get weight 1.

    Returns
    -------
    ndarray of shape (n,)
        In [0, 1].  Zhao et al., AAAI 2015; SPMTC, Eq. (13).

    Examples
    --------
    >>> mixture_weights(np.array([1.0, 2.0, 3.0, 4.0]), threshold=3.0, gamma=1.5)
    array([1.  , 0.25, 0.  , 0.  ])
    """
    if threshold == 0:
        return hard_weights(losses, 0.0)
    # gamma / L - gamma / threshold, with the quotient of losses first: no overflow, and 1 where L = 0.
    relative = np.divide(threshold, losses, out=np.full_like(losses, np.inf), where=losses > 0)
    return np.clip(gamma / threshold * (relative - 1.0), 0.0, 1.0)


def pace_threshold(losses, share):
    """The smallest threshold that lets at least a share of the samples in.

    Parameters
    ----------
    losses : ndarray of shape (n,)
    share : float in (0, 1]

    Returns
    -------
    float
        The ceil(share n)-th smallest loss.

    Examples
    --------
    >>> float(pace_threshold(np.array([4.0, 1.0, 3.0, 2.0]), share=0.5))
    2.0
    """
    # share is a sum of steps such as 0.1, so share * n can end a little above a whole number.
    rank = math.ceil(share * losses.size - 1e-9) - 1
    return np.partition(losses, rank)[rank]


def pace_shares(start, step):
    """Shares of the samples round by round: start, start + step, ..., 1.

    Parameters
    ----------
    start : float in (0, 1]
    step : float in (0, 1]

    Returns
    -------
    list of float

    Examples
    --------
    >>> pace_shares(0.5, 0.2)
    [0.5, 0.7, 0.9, 1.0]
    """
    rounds = math.ceil((1.0 - start) / step - 1e-9)
    return [round(start + step * i, 12) for i in range(rounds)] + [1.0]
