"""Bregman divergences of many samples to a few centroids."""

import numpy as np


class Anchored:
    """Centroids with what d(.||u) needs, measured from an anchor c in the domain.

    The law of cosines d(x||u) = d(x||c) + d(c||u) - <x - c, phi'(u) - phi'(c)> turns all divergences to
    all centroids into one product with the data, which may be sparse.  With c amid the data the terms are
    of the size of the result, so that little is lost by cancellation wherever the data lie.

    Parameters
    ----------
    divergence : Divergence
    points : ndarray of shape (k, d)
    anchor : ndarray of shape (d,)

    Attributes
    ----------
    shifted, tilt : ndarray of shape (k, d)
        u - c and phi'(u) - phi'(c).
    level : ndarray of shape (k,)
        <c, tilt>.
    far, near : ndarray of shape (k,)
        d(c||u) and d(u||c).
    """

    def __init__(self, divergence, points, anchor):
        self.points, self.shifted = points, points - anchor
        self.tilt = divergence.gradient(points)
        self.tilt -= divergence.gradient(anchor)
        self.level = self.tilt @ anchor
        self.far = divergence.between(anchor, points)
        self.near = np.maximum(np.einsum("zj,zj->z", self.shifted, self.tilt) - self.far, 0.0)

    def divergences(self, shifted, near):
        """Matrix of d(x_i||u_z) from x_i - c, shape (n, d), and d(x_i||c), shape (n,)."""
        return np.maximum(near[:, None] + self.far - shifted @ self.tilt.T, 0.0)
