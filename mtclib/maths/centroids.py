"""Centroids between a left and a right mean: the minimiser of A d(left||u) + B d(u||right) over u.

This is Eq. (14) of the MBC paper, which states that there is no closed form for asymmetric divergences.
There is one for the I-divergence and for Itakura-Saito, and one scalar equation per centroid for the KL
divergence on the simplex.  All functions work on rows, one centroid per row: left, right and the result are
(k, d), A and B (k,) and positive; left and right are positive for the three divergences named.

The stationary points solve

    A phi''(u) (u - left) + B (phi'(u) - phi'(right)) = 0 ,

and lie between left and right in every feature.  For the divergences named here there is exactly one: the
left side grows with u for the squared distance and the I-divergence, and over phi''(u) it is a parabola with
one positive root for Itakura-Saito.
"""

import numpy as np

GRID = 32
HALVINGS = 60
MAX_NEWTON = 100
SUM_TOLERANCE = 1e-12  # the rows are normalised afterwards; the objective is flat at its minimum
DIFFERENCE = 6e-6  # cube root of the rounding unit: the best step of a central difference


def i_divergence(left, right, A, B):
    """The minimiser for the generalised I-divergence.  A (1 - left/u) + B log(u/right) = 0; with y = A left /
    (B u) this is y + log y = z, z = A/B + log(A left / (B right)): y is the Wright omega function of z."""
    # Row by row the work stays in the processor's cache: twice as fast for thousands of features.
    return np.stack([_i_divergence_row(*row) for row in zip(left, right, A / B)])


def _i_divergence_row(left, right, ratio):
    scaled = np.log(ratio * left)
    return np.exp(scaled - log_wright_omega(scaled - np.log(right) + ratio))


def kullback_leibler(left, right, A, B):
    """The minimiser on the simplex for the KL divergence; rows of ``left`` and ``right`` sum to one.

    As `i_divergence`, with a multiplier: y + log y = z + tau, z = log(A left / (B right)), and tau such that
    the row sums to one.  log sum(u) is convex and falls with tau.  It is not positive at tau = A/B, so
    Newton's method from there cannot fail: it steps to the left of the root, then rises towards it.  Raises
    ``FloatingPointError`` without convergence, for input off the simplex.
    """
    return np.stack([_simplex_row(*row) for row in zip(left, right, A / B)])


def _simplex_row(left, right, ratio):
    scaled, tau, log_y = np.log(ratio * left), ratio, None
    z = scaled - np.log(right)
    for _ in range(MAX_NEWTON):
        log_y = log_wright_omega(z + tau, log_y)
        u = np.exp(scaled - log_y)
        total = u.sum()
        if abs(total - 1.0) <= SUM_TOLERANCE:
            return u / total
        tau += np.log(total) * total / (u / (1.0 + np.exp(log_y))).sum()
    raise FloatingPointError("the simplex centroid was not found; the rows must be positive and sum to one")


def itakura_saito(left, right, A, B):
    """The minimiser for the Itakura-Saito divergence, positive root of (B/right) u^2 + (A - B) u = A left."""
    a = (A / B)[:, None]
    root = np.hypot(a - 1.0, 2.0 * np.sqrt(a * left / right))
    # The two forms of the root are equal; each is used where it does not subtract like numbers.
    return np.where(a >= 1.0, 2.0 * a * left / (a - 1.0 + root), 0.5 * right * (1.0 - a + root))


def log_wright_omega(z, start=None):
    """log y of the solution of y + log y = z, by Newton's method in log y; ``start`` may be a guess.
    ``scipy.special.wrightomega`` gives y: two to four times slower, and its logarithm is lost where y
    underflows.  Newton's method cannot fail on a convex increasing function; the start given here is already
    at or above the root."""
    above = np.where(z > 1.0, np.log(np.maximum(z, 1.0)), z)
    q = above if start is None else np.minimum(start, above)
    for _ in range(MAX_NEWTON):
        y = np.exp(q)
        step = (y + q - z) / (1.0 + y)
        q = np.minimum(q - step, above)
        # The error after a step is below its square.
        if (np.abs(step) <= 1e-8).all():
            break
    return q


def bisection(divergence, left, right, A, B):
    """The minimiser for any separable divergence without constraints, feature by feature.  Not for 'kl',
    whose centroids stay on the simplex.  The sum of a quasi-convex and a convex function may have several
    minima.  Each shows as a cell of a grid in which the derivative changes its sign; the lowest of these
    cells is halved."""
    A, B = A[:, None], B[:, None]
    low, high = np.minimum(left, right), np.maximum(left, right)

    def falls(u):
        return _slope(divergence, u, left, right, A, B, low, high) <= 0

    a, b, lowest = low, high, np.full(low.shape, np.inf)
    before, fell = low, np.ones(low.shape, bool)
    for i in range(1, GRID + 1):
        u = low + (high - low) * (i / GRID)
        falling = falls(u) if i < GRID else np.zeros(low.shape, bool)
        middle = 0.5 * (before + u)
        value = A * divergence.terms(left, middle) + B * divergence.terms(middle, right)
        better = fell & ~falling & (value < lowest)
        a, b, lowest = np.where(better, before, a), np.where(better, u, b), np.where(better, value, lowest)
        before, fell = u, falling
    for _ in range(HALVINGS):
        u = 0.5 * (a + b)
        falling = falls(u)
        a, b = np.where(falling, u, a), np.where(falling, b, u)
    return 0.5 * (a + b)


def _slope(divergence, u, left, right, A, B, low, high):
    """Derivative of the mixed objective, phi'' by a difference that stays between left and right."""
    step = DIFFERENCE * np.maximum(np.abs(u), 1e-8 * (high - low))
    after, before = np.minimum(u + step, high), np.maximum(u - step, low)
    width = np.where(after > before, after - before, 1.0)
    curvature = (divergence.gradient(after) - divergence.gradient(before)) / width
    return A * curvature * (u - left) + B * (divergence.gradient(u) - divergence.gradient(right))


def geodesic(divergence, left, right, A, B):
    """The geodesic walk of Nielsen and Nock (2009), which the paper proposes; not the minimiser.
    On q(a) = phi'^-1((1 - a) phi'(right) + a phi'(left)), 0 <= a <= 1, the point of A d(left||q) =
    B d(q||right), by halving.  That characterises the symmetrised centroid of *one* set of points with A = B;
    for Eq. (14) the result may even be worse than the centroid it replaces."""
    start, end = divergence.gradient(right), divergence.gradient(left)
    low, high = np.zeros((len(left), 1)), np.ones((len(left), 1))
    for _ in range(HALVINGS):
        a = 0.5 * (low + high)
        q = divergence.inverse_gradient((1.0 - a) * start + a * end)
        walk_on = (A * divergence.between(left, q) > B * divergence.between(q, right))[:, None]
        low, high = np.where(walk_on, a, low), np.where(walk_on, high, a)
    return q
