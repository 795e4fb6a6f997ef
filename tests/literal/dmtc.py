"""DMTFC and DMTRC as reconstructed, to the letter, in loops and with full matrices.

Rows are samples.  ``Theta`` is D (d x d) for DMTFC and S (T x T) for DMTRC; the penalties are those of convex
multi-task feature and relationship learning.
"""

import numpy as np
from scipy.linalg import eigh, sqrtm


def feature_penalty(Ws, D):
    """sum_t tr(W_t^T D^-1 W_t)."""
    return sum(np.trace(W.T @ np.linalg.inv(D) @ W) for W in Ws)


def relation_penalty(Ws, S):
    """sum_k tr(V_k S^-1 V_k^T), V_k = [w_1k ... w_Tk]."""
    total = 0.0
    for k in range(Ws[0].shape[1]):
        V = np.array([W[:, k] for W in Ws]).T
        total += np.trace(V @ np.linalg.inv(S) @ V.T)
    return total


PENALTIES = {"features": feature_penalty, "relation": relation_penalty}


def objective(Xs, Fs, Ws, bs, Theta, lam1, lam2, kind):
    """J, sample by sample."""
    total = lam1 * PENALTIES[kind](Ws, Theta)
    for X, F, W, b in zip(Xs, Fs, Ws, bs):
        for i in range(len(X)):
            for k in range(F.shape[1]):
                total += (F[i, k] - X[i] @ W[:, k] - b[k]) ** 2 / len(X)
        total += lam2 * sum(w**2 for w in W.ravel())
    return total


def scorers(Xs, Fs, Theta, lam1, lam2, kind):
    """The W and b that minimise J, from the normal equations of all tasks at once (T d unknowns a label)."""
    T, d, h = len(Xs), Xs[0].shape[1], Fs[0].shape[1]
    inverse = np.linalg.inv(Theta)
    A = lam1 * (np.kron(np.eye(T), inverse) if kind == "features" else np.kron(inverse, np.eye(d)))
    A += lam2 * np.eye(T * d)
    right = np.zeros((T * d, h))
    for t, (X, F) in enumerate(zip(Xs, Fs)):
        H = np.eye(len(X)) - np.ones((len(X), len(X))) / len(X)
        block = slice(t * d, (t + 1) * d)
        A[block, block] += X.T @ H @ X / len(X)
        right[block] = X.T @ H @ F / len(X)
    W = np.linalg.solve(A, right)
    Ws = [W[t * d:(t + 1) * d] for t in range(T)]
    return Ws, [np.mean(F - X @ w, axis=0) for X, F, w in zip(Xs, Fs, Ws)]


def spectrum(sizes, floor):
    """max(s_i / tau, floor / d) with sum 1, tau by bisection."""
    phi, low, high = floor / len(sizes), 1e-12, 1e12
    for _ in range(300):
        tau = np.sqrt(low * high)
        low, high = (tau, high) if np.maximum(sizes / tau, phi).sum() > 1 else (low, tau)
    return np.maximum(sizes / tau, phi)


def best_theta(Ws, floor, kind):
    """The D or S that minimises the penalty: proportional to a square root, but for the floor."""
    if kind == "features":
        Q = sum(W @ W.T for W in Ws)
    else:
        Q = sum(np.array([[W[:, k] @ V[:, k] for V in Ws] for W in Ws]) for k in range(Ws[0].shape[1]))
    values, vectors = eigh(Q)
    return vectors @ np.diag(spectrum(np.sqrt(np.maximum(values, 0.0)), floor)) @ vectors.T


def fitted(Xs, Ws):
    """H X W of each task."""
    return [X @ W - np.mean(X @ W, axis=0) for X, W in zip(Xs, Ws)]


def labels(fit):
    """argmin ||F - fit||^2 over F^T F = n/k I: the polar factor of the centred fitted values."""
    n, h = fit.shape
    return np.sqrt(n / (h + 1)) * fit @ np.linalg.inv(np.real(sqrtm(fit.T @ fit)))


def label_cost(X, F, A):
    """min over W, b of 1/n ||F - X W - 1 b^T||^2 + tr(W^T A^-1 W), as a function of F alone."""
    n = len(X)
    H = np.eye(n) - np.ones((n, n)) / n
    return np.trace(F.T @ H @ np.linalg.inv(H @ X @ A @ X.T @ H + n * np.eye(n)) @ H @ F)


def relax(Xs, Fs, Theta, lam1, lam2, floor, kind, sweeps):
    """From labels and Theta: labels, scorers, Theta in turn; J after each sweep.

    Labels follow fit + m (fit - previous fit) with m = age / (age + 3); where J would rise, age begins anew.
    """
    history, age = [], 0
    Ws, bs = scorers(Xs, Fs, Theta, lam1, lam2, kind)
    fits = previous = fitted(Xs, Ws)
    while len(history) < sweeps:
        m = age / (age + 3)
        new_Fs = [labels(fit + m * (fit - old)) for fit, old in zip(fits, previous)]
        new_Ws, new_bs = scorers(Xs, new_Fs, Theta, lam1, lam2, kind)
        new_Theta = best_theta(new_Ws, floor, kind)
        value = objective(Xs, new_Fs, new_Ws, new_bs, new_Theta, lam1, lam2, kind)
        if age > 0 and value > history[-1]:
            age = 0
            continue
        Fs, Ws, bs, Theta = new_Fs, new_Ws, new_bs, new_Theta
        previous, fits = fits, fitted(Xs, Ws)
        history.append(value)
        age += 1
    return Fs, Ws, bs, Theta, history
