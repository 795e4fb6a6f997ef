"""Self-paced learning: weights of samples from their losses, and the pace at which samples join.

For fixed losses L the weights v in [0, 1]^n minimise  sum_i v_i L_i - f(threshold, v).  Each f below has a
closed minimiser, one sample at a time.  Losses, thresholds and gamma are nonnegative.  Thresholds are
quantiles of the current losses, because losses have no natural scale and shrink while a model is fitted; a
threshold may also grow by a factor from there.  What is left of the sum when the weights are eliminated is a
concave function of each loss.
"""

import math

import numpy as np


def hard_weights(losses, threshold):
    """Minimiser for f = threshold * sum_i v_i: 1.0 for losses up to the threshold, 0.0 for the others.
    Kumar, Packer, Koller, NIPS 2010, Eq. (3); SPMTC, Eq. (11)."""
    return (losses <= threshold).astype(float)


def mixture_weights(losses, threshold, gamma):
    """Minimiser for f = gamma * sum_i ln(v_i + gamma / threshold): hard at both ends, soft between.  Losses
    up to gamma threshold / (gamma + threshold) get weight 1, those from the threshold on 0; where it is 0,
    losses of 0 have weight 1.  Zhao et al., AAAI 2015; SPMTC, Eq. (13)."""
    if threshold == 0:
        return hard_weights(losses, 0.0)
    # gamma / L - gamma / threshold, with the quotient of losses first: no overflow, and 1 where L = 0.
    relative = np.divide(threshold, losses, out=np.full_like(losses, np.inf), where=losses > 0)
    return np.clip(gamma / threshold * (relative - 1.0), 0.0, 1.0)


def smooth_weights(losses, threshold, sharpness=1.0):
    """Minimiser for the logistic regulariser: from 1 at loss 0, along a sigmoid centred at the threshold.

    With s = sharpness, tau = s * threshold and a = exp(-tau), f = -r / s with the convex
    r(v) = (1 + a - v) ln(1 + a - v) + v ln v - tau v.  The threshold may be infinite.

    The weight (1 + a) / (1 + exp(s (loss - threshold))) falls from 0.9 to 0.1 within about 4.4 / s units of
    loss; s = 1 is the printed rule.  MSPL, Eq. (6) and (8).
    """
    if math.isinf(threshold):
        return np.ones_like(losses)
    # exp of more than 700 overflows; the weight is below 1e-304 there.
    above = np.minimum(sharpness * (losses - threshold), 700.0)
    return np.minimum((1.0 + math.exp(-sharpness * threshold)) / (1.0 + np.exp(above)), 1.0)


def hard_value(losses, threshold):
    """Least weighted loss of each sample with hard weights, 0 at loss 0: min(loss, threshold)."""
    return np.minimum(losses, threshold)


def smooth_value(losses, threshold, sharpness=1.0):
    """Least weighted loss of each sample with smooth weights, shifted to 0 at loss 0, with their names
    (1 + a) (loss - ln((1 + exp(s (loss - threshold))) / (1 + a)) / s), from 0 to about the threshold.  Its
    derivative is the weight."""
    if math.isinf(threshold):
        return losses.copy()
    a = math.exp(-sharpness * threshold)
    # loss - ln(1 + exp(s (loss - threshold))) / s is min(loss, threshold) less this; nothing cancels so.
    rounding_off = np.log1p(np.exp(-sharpness * np.abs(losses - threshold))) - math.log1p(a)
    return (1.0 + a) * (np.minimum(losses, threshold) - rounding_off / sharpness)


def pace_threshold(losses, share):
    """The ceil(share n)-th smallest loss: the smallest threshold that lets this share of samples in."""
    # share is a sum of steps such as 0.1, so share * n can end a little above a whole number.
    rank = max(math.ceil(share * losses.size - 1e-9), 1) - 1
    return np.partition(losses, rank)[rank]


def pace_shares(start, step, most):
    """Shares of the samples in the first rounds: start, start + step, ..., 1, at most ``most`` of them.

    >>> pace_shares(0.5, 0.2, 10), pace_shares(0.5, 1e-9, 2)
    ([0.5, 0.7, 0.9, 1.0], [0.5, 0.500000001])
    """
    partial = math.ceil(min((1.0 - start) / step - 1e-9, most))
    return [*(round(start + step * i, 12) for i in range(partial)), 1.0][:most]


def raised_threshold(losses, threshold, growth):
    """growth * threshold, raised to the next larger loss so that at least one more sample joins."""
    larger = losses[losses > threshold]
    return max(growth * threshold, larger.min()) if larger.size else growth * threshold
