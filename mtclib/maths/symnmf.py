"""Symmetric nonnegative matrix factorisation with a linear target, the step that SNMF and MTCMRL share.

For fixed Q the functions below decrease

    f(Y) = 1/2 ||M - Y Y^T||^2 + lam ||Y - Q||^2   over Y >= 0,

MTCMRL's Eq. (14) with Q = X W; lam = 0 gives SNMF.  Half its gradient is the *slope*

    S = Y Y^T Y - M Y + lam (Y - Q).

Y, Q and MY, the product of M and Y, are (n, h); lam, tol and floor are nonnegative; norms are Frobenius
norms, and M is a similarity of :mod:`mtclib.maths.graphs`.

**Majoriser and floor.**  A multiplicative step minimises a majoriser of f that is a sum of functions of one
entry each, a y^4 - b log y, which fall up to their minimiser and rise beyond it.  Over Y >= floor > 0 the
minimiser is therefore the same one, clipped at the floor: the clipped step descends as well.  And no entry is
lost, as one that underflows to 0 would be, wherever S is negative (for NMF: Gillis, Glineur, 2008).

**Stationary points** have S = 0 where Y > 0 and S >= 0 where Y = 0.  ``kkt_residual`` measures how far Y is
from that, relative to the parts of S that must balance.  Both solvers stop when it is at most ``tol``, with
exact zeros in Y (``settled``).

``project`` minimises the same f (lam = 0) by projected gradients, in a tenth of the steps.
"""

import numpy as np

SMALLEST_SHARE = 1e-300  # of a numerator that a denominator may be, so that no ratio overflows
PROVABLE_EXPONENT = 0.25
ROUNDING = 1e-13  # rises of f by less, relative to its terms, are none
OFFSET = 0.2  # added to a one-hot start, since a multiplicative step cannot leave 0 (MTCMRL, section 3.5)
FLOOR = 1e-8  # of the root of the typical entry of M, so that the scale of M does not matter


def membership_objective(Y, MY, squared_norm, Q=0.0, lam=0.0, gram=None):
    """f(Y) of the module docstring, without any (n, n) array; ``squared_norm`` is ||M||^2, ``gram`` Y^T Y."""
    gram = Y.T @ Y if gram is None else gram
    # A perfect fit cancels to rounding errors, which may be negative.
    fit = max(0.5 * squared_norm - np.vdot(Y, MY) + 0.5 * np.vdot(gram, gram), 0.0)
    return float(fit + (lam * np.sum((Y - Q) ** 2) if lam else 0.0))


def smallest_membership(M):
    """The floor of the multiplicative steps: 1e-8 times the root of the root mean square entry of M."""
    return FLOOR * np.sqrt(np.sqrt(M.squared_norm) / M.shape[0])


def slope_and_scale(Y, MY, Q=0.0, lam=0.0, cubic=None):
    """S of the module docstring, shape (n, h), and the sum of the norms of its parts, a float.  ``cubic`` is
    Y Y^T Y, where it is known."""
    cubic = Y @ (Y.T @ Y) if cubic is None else cubic
    scale = np.linalg.norm(cubic) + np.linalg.norm(MY)
    if not lam:
        return cubic - MY, float(scale)
    return cubic - MY + lam * (Y - Q), float(scale + lam * (np.linalg.norm(Y) + np.linalg.norm(Q)))


def kkt_residual(Y, MY, Q=0.0, lam=0.0):
    """Norm of the projected slope (S where Y > 0, its negative part where Y = 0) relative to its parts.  In 0
    .. 1, and 0 at stationary points only; for lam = 0 it does not depend on the scale of M."""
    slope, scale = slope_and_scale(Y, MY, Q, lam)
    return float(np.linalg.norm(np.where(Y > 0, slope, np.minimum(slope, 0.0)))) / (scale or 1.0)


def multiplicative_step(Y, products, Q, lam, exponent, floor=0.0):
    """Eq. (19) of MTCMRL: Y * ((M Y + lam Q^+) / (Y Y^T Y + lam Y + lam Q^-)) ** exponent, or the floor.
    ``products`` are M^+ Y and M^- Y; Y is at least ``floor``, ``exponent`` in (0, 1].  The root is lost in
    the printed formula; see ``membership_step`` for which exponents descend."""
    positive, negative = products
    numerator = positive + lam * np.maximum(Q, 0.0)
    denominator = Y @ (Y.T @ Y) + lam * Y + lam * np.maximum(-Q, 0.0) + negative
    ratio = numerator / np.maximum(denominator, SMALLEST_SHARE * (1.0 + numerator))
    return np.maximum(Y * ratio ** exponent, floor)


def membership_step(similarity, Y, products, Q=0.0, lam=0.0, exponent=0.5, guard=True, floor=0.0):
    """One update of Y that does not raise f; returns Y, its M^+ Y and M^- Y for the next step, and f.

    Exponent 1/4 descends for every symmetric M, 1/3 for positive semidefinite M (majorisation); 1/2 is faster
    and rose in none of our trials, but has no proof; 1 is the formula as printed and can oscillate.  With
    ``guard`` a rise is answered by a step with exponent 1/4 from the same point; without, the step is taken
    as it is.
    """
    def value(Y, products):
        return membership_objective(Y, products[0] - products[1], similarity.squared_norm, Q, lam)

    before = value(Y, products) if guard else np.inf
    slack = ROUNDING * (similarity.squared_norm + abs(before)) if guard else 0.0
    for power in (exponent, PROVABLE_EXPONENT):
        candidate = multiplicative_step(Y, products, Q, lam, power, floor)
        candidate_products = similarity.split_product(candidate)
        after = value(candidate, candidate_products)
        if not guard or after <= before + slack:
            return candidate, candidate_products, after
    return Y, products, before


def settled(M, Y, MY, tol, Q=0.0, lam=0.0, cubic=None):
    """The stationary point next to Y, with exact zeros, if there is one: Y, M Y and f(Y), or None.  Entries
    that a short step along the slope takes below 0 become 0.  None if ``kkt_residual`` would be above
    ``tol``, or f would rise."""
    slope, scale = slope_and_scale(Y, MY, Q, lam, cubic)
    relative = scale / (np.linalg.norm(Y) or 1.0)
    if not np.linalg.norm(np.minimum(relative * Y, slope)) <= tol * scale:
        return None
    trimmed = np.where(relative * Y <= slope, 0.0, Y)
    product = M.product(trimmed)
    before = membership_objective(Y, MY, M.squared_norm, Q, lam)
    after = membership_objective(trimmed, product, M.squared_norm, Q, lam)
    if after > before + ROUNDING * (M.squared_norm + before) or kkt_residual(trimmed, product, Q, lam) > tol:
        return None
    return trimmed, product, after


def without_floor(Y, floor):
    """Y with 0 in place of entries at the floor: their share of f is below its rounding errors."""
    return np.where(floor >= Y, 0.0, Y)


def multiply(M, Y, *, exponent, guard, max_iter, tol, atol=0.0):
    """Multiplicative steps for lam = 0; returns Y, f after each step, and whether the iteration converged.
    It stops when ``kkt_residual`` is at most ``tol``, or when a step lowers f by less than ``atol``."""
    floor = smallest_membership(M)
    Y = np.maximum(Y, floor)
    products = M.split_product(Y)
    first = value = membership_objective(Y, products[0] - products[1], M.squared_norm)
    history, stopped = [], False
    while not stopped and len(history) < max_iter and np.isfinite(value):
        before = value
        Y, products, value = membership_step(M, Y, products, exponent=exponent, guard=guard, floor=floor)
        if before - value <= tol * first and (end := settled(M, Y, products[0] - products[1], tol)):
            return end[0], [*history, end[2]], True
        history.append(value)
        stopped = max(before - value, 0.0) < atol
    return without_floor(Y, floor), history or [value], stopped


def project(M, Y, *, max_iter, tol, atol=0.0):
    """Spectral projected gradient steps for lam = 0; parameters and results as for ``multiply``.  Lengths
    alternate between the two of Barzilai and Borwein.  Along the segment to the projected point f is a
    quartic, whose first minimum is taken: so each step costs one product with M, and none raises f.  M need
    not be a similarity: any symmetric matrix will do."""
    MY, gram = M.product(Y), Y.T @ Y
    first = value = membership_objective(Y, MY, M.squared_norm, gram=gram)
    slope = Y @ gram - MY
    length = 1.0 / (np.linalg.norm(gram) or 1.0)
    history, stopped = [], False
    while not stopped and len(history) < max_iter and np.isfinite(value):
        before, last = value, slope
        move = Y - length * slope
        np.maximum(move, 0.0, out=move)
        move -= Y
        Mmove = M.product(move)
        share = first_minimum(quartic(Y, slope, move, Mmove, gram))
        move *= share
        Mmove *= share
        Y, MY = Y + move, MY + Mmove
        np.maximum(Y, 0.0, out=Y)
        gram = Y.T @ Y
        cubic = Y @ gram
        slope = cubic - MY
        value = membership_objective(Y, MY, M.squared_norm, gram=gram)
        if before - value <= tol * first and (end := settled(M, Y, MY, tol, cubic=cubic)):
            return end[0], [*history, end[2]], True
        history.append(value)
        stopped = max(before - value, 0.0) < atol
        length = next_length(move, slope - last, length, short=len(history) % 2 == 0)
    return Y, history or [value], stopped


def quartic(Y, slope, move, Mmove, gram):
    """Coefficients of t, .., t^4 in f(Y + t move) for lam = 0; ``gram`` is Y^T Y."""
    cross, square = Y.T @ move, move.T @ move
    cross = cross + cross.T
    second = np.vdot(gram, square) - np.vdot(move, Mmove) + 0.5 * np.vdot(cross, cross)
    return 2.0 * np.vdot(slope, move), second, np.vdot(cross, square), 0.5 * np.vdot(square, square)


def first_minimum(coefficients):
    """The smallest t > 0 at which the polynomial t c1 + t^2 c2 + .. has slope 0, at most 1."""
    roots = np.roots([c * power for power, c in enumerate(coefficients, 1)][::-1])
    real = roots.real[(np.abs(roots.imag) <= 1e-9 * np.abs(roots)) & (roots.real > 0)]
    return float(real.min(initial=1.0))


def next_length(move, change, length, short):
    """Barzilai and Borwein's step length, the short or the long one; ``length`` where f is not convex."""
    bend = np.vdot(move, change)
    if bend <= 0:
        return length
    return bend / np.vdot(change, change) if short else np.vdot(move, move) / bend


def hard_labels(Y, fallback=None):
    """Row-wise argmax of the memberships; rows that died take the argmax of ``fallback`` (n, h)."""
    labels = Y.argmax(axis=1)
    if fallback is not None:
        labels = np.where(Y.max(axis=1) > 0, labels, fallback.argmax(axis=1))
    return labels.astype(np.intp)
