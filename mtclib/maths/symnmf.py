"""Symmetric nonnegative matrix factorisation with a linear target, the step that SNMF and MTCMRL share.

For fixed Q the functions below decrease

    f(Y) = 1/2 ||M - Y Y^T||^2 + lam ||Y - Q||^2   over Y >= 0,

MTCMRL's Eq. (14) with Q = X W; lam = 0 gives SNMF.
"""

import numpy as np

SMALLEST_SHARE = 1e-300  # of a numerator that a denominator may be, so that no ratio overflows
PROVABLE_EXPONENT = 0.25
OFFSET = 0.2  # added to a one-hot start, since a multiplicative step cannot leave 0 (MTCMRL, section 3.5)


def membership_objective(Y, MY, squared_norm, Q=0.0, lam=0.0):
    """f(Y) of the module docstring, without any (n, n) array.

    Parameters
    ----------
    Y, MY : ndarray of shape (n, h)
        Memberships and the product M Y.
    squared_norm : float
        ||M||^2 (Frobenius).
    Q : ndarray of shape (n, h)
    lam : float

    Returns
    -------
    float
    """
    gram = Y.T @ Y
    # A perfect fit cancels to rounding errors, which may be negative.
    fit = max(0.5 * squared_norm - np.vdot(Y, MY) + 0.5 * np.vdot(gram, gram), 0.0)
    return float(fit + (lam * np.sum((Y - Q) ** 2) if lam else 0.0))


def multiplicative_step(Y, products, Q, lam, exponent):
    """Eq. (19) of MTCMRL: Y * ((M Y + lam Q^+) / (Y Y^T Y + lam Y + lam Q^-)) ** exponent.

    The root is lost in the printed formula; see ``membership_step`` for which exponents descend.

    Parameters
    ----------
    Y : ndarray of shape (n, h), nonnegative
    products : pair of ndarray of shape (n, h)
        M^+ Y and M^- Y.
    Q : ndarray of shape (n, h)
    lam : float, nonnegative
    exponent : float in (0, 1]
    """
    positive, negative = products
    numerator = positive + lam * np.maximum(Q, 0.0)
    denominator = Y @ (Y.T @ Y) + lam * Y + lam * np.maximum(-Q, 0.0) + negative
    return Y * (numerator / np.maximum(denominator, SMALLEST_SHARE * (1.0 + numerator))) ** exponent


def membership_step(similarity, Y, products, Q=0.0, lam=0.0, exponent=0.5, guard=True):
    """One update of Y that does not raise f.

    Exponent 1/4 descends for every symmetric M, 1/3 for positive semidefinite M (majorisation); 1/2 is
    faster and rose in none of our trials, but has no proof; 1 is the formula as printed and can
    oscillate.  With ``guard`` a rise is answered by a step with exponent 1/4 from the same point.

    Parameters
    ----------
    similarity : object with ``split_product`` and ``squared_norm``
    Y : ndarray of shape (n, h), nonnegative
    products : pair of ndarray of shape (n, h)
        M^+ Y and M^- Y at the present Y.
    Q, lam, exponent
        As in ``multiplicative_step``.
    guard : bool
        False takes the step as it is.

    Returns
    -------
    Y : ndarray of shape (n, h)
    products : pair of ndarray
        At the new Y, for the next step.
    value : float
        f at the new Y.
    """
    def value(Y, products):
        return membership_objective(Y, products[0] - products[1], similarity.squared_norm, Q, lam)

    before = value(Y, products) if guard else np.inf
    slack = 1e-13 * (similarity.squared_norm + abs(before)) if guard else 0.0
    for power in (exponent, PROVABLE_EXPONENT):
        candidate = multiplicative_step(Y, products, Q, lam, power)
        candidate_products = similarity.split_product(candidate)
        after = value(candidate, candidate_products)
        if not guard or after <= before + slack:
            return candidate, candidate_products, after
    return Y, products, before


def hard_labels(Y, fallback=None):
    """Row-wise argmax of the memberships; rows that died take the argmax of ``fallback`` (n, h)."""
    labels = Y.argmax(axis=1)
    if fallback is not None:
        labels = np.where(Y.max(axis=1) > 0, labels, fallback.argmax(axis=1))
    return labels.astype(np.intp)
