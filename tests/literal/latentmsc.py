"""Latent multi-view subspace clustering (Zhang et al., CVPR 2017) by multipliers, samples in columns.

All features of all views in one dense matrix, a general Sylvester solver, an inverse and two singular value
decompositions in each sweep.  ``sign`` is that of the solution of the Sylvester equation: 1 for the
stationary point, -1 as released.
"""

import numpy as np
from scipy.linalg import solve_sylvester

from literal.dimsc import unit_columns


def stack(Xs):
    """Views with columns of length 1, one above the other."""
    return np.vstack([unit_columns(X) for X in Xs])


def threshold_singular_values(A, tau):
    """argmin_J tau |J|_* + |J - A|^2 / 2."""
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    return U @ np.diag(np.maximum(s - tau, 0.0)) @ Vt


def shrink_columns(G, tau):
    """argmin_E tau |E|_2,1 + |E - G|^2 / 2, column by column."""
    E = np.zeros_like(G)
    for j in range(G.shape[1]):
        length = np.sqrt(np.sum(G[:, j] ** 2))
        if length > tau:
            E[:, j] = (1.0 - tau / length) * G[:, j]
    return E


def objective(M, P, H, Z, J, lam):
    """Lengths of the columns of both residuals together, and the nuclear norm."""
    residuals = np.vstack([M - P @ H, H - H @ Z])
    return np.sum(np.sqrt(np.sum(residuals**2, axis=0))) + lam * np.sum(np.linalg.svd(J)[1])


def latent(M, H, lam, sweeps, sign=1, mu=1e-4, rho=1.2, mu_max=1e6):
    """P, H, Z, J and, after each sweep, the objective and the largest residual (Frobenius)."""
    K, n = H.shape
    Z, J, Er, Eh = np.zeros((n, n)), np.zeros((n, n)), np.zeros((K, n)), np.zeros(M.shape)
    Y1, Y2, Y3 = np.zeros(M.shape), np.zeros((K, n)), np.zeros((n, n))
    history, residuals = [], []
    for _ in range(sweeps):
        U, _, Vt = np.linalg.svd((Y1 / mu + M - Eh) @ H.T, full_matrices=False)
        P = U @ Vt
        A = mu * P.T @ P
        B = mu * (Z @ Z.T - Z - Z.T + np.eye(n)) + 1e-6 * np.eye(n)
        C = P.T @ Y1 + Y2 @ Z.T - Y2 + mu * (P.T @ M + Er - P.T @ Eh - Er @ Z.T)
        H = sign * solve_sylvester(A, B, C)
        J = threshold_singular_values(Z - Y3 / mu, lam / mu)
        Z = np.linalg.inv(H.T @ H + np.eye(n)) @ (J + H.T @ H - H.T @ Er + (Y3 + H.T @ Y2) / mu)
        E = shrink_columns(np.vstack([M - P @ H + Y1 / mu, H - H @ Z + Y2 / mu]), 1.0 / mu)
        Eh, Er = E[:len(M)], E[len(M):]
        gaps = M - P @ H - Eh, H - H @ Z - Er, J - Z
        Y1, Y2, Y3 = Y1 + mu * gaps[0], Y2 + mu * gaps[1], Y3 + mu * gaps[2]
        mu = min(rho * mu, mu_max)
        history.append(objective(M, P, H, Z, J, lam))
        residuals.append(max(np.sqrt(np.sum(gap**2)) for gap in gaps))
    return P, H, Z, J, history, residuals
