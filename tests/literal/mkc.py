"""MKC (Zhang, Zhang, AAAI 2013; Zhang, Zhang, Liu, TKDD 2015) as reconstructed, in loops over a Gram matrix.

G is the (N, N) Gram matrix of the samples of all tasks in order; a centroid is its N coefficients, a row of
B_t (K_t, N); ``Ps`` are memberships (n_t, K_t); ``Ws`` as in ``literal.mbc``.
"""

import numpy as np

from literal import mbc
from literal.clr import simplex


def inner(a, b, G):
    return sum(a[i] * G[i, j] * b[j] for i in range(len(a)) for j in range(len(b)))


def distance(a, b, G):
    return inner(a - b, a - b, G)


def unit(i, N):
    return np.array([1.0 if j == i else 0.0 for j in range(N)])


def first_rows(Ps):
    """Row of the Gram matrix with which each task begins."""
    return [sum(len(P) for P in Ps[:t]) for t in range(len(Ps))]


def local_loss(t, Ps, Bs, G):
    """1/n_t |Phi_t - P_t M_t|^2."""
    start, P = first_rows(Ps)[t], Ps[t]
    return sum(distance(unit(start + i, len(G)), sum(P[i, z] * Bs[t][z] for z in range(P.shape[1])), G)
               for i in range(len(P))) / len(P)


def loss(Ps, Bs, Ws, lam, G):
    """J; for one-hot memberships that of MBC."""
    return (sum(local_loss(t, Ps, Bs, G) for t in range(len(Ps)))
            + mbc.separation(Bs, Ws, lam, lambda a, b: distance(a, b, G)))


def centroids(t, Ps, Bs, Ws, lam, G):
    """Stationary point of J in B_t."""
    T, N, P, start = len(Ps), len(G), Ps[t], first_rows(Ps)[t]
    n, K = P.shape
    left = np.array([[sum(P[i, y] * P[i, z] for i in range(n)) / n for z in range(K)] for y in range(K)])
    right = np.array([sum(P[i, z] * unit(start + i, N) for i in range(n)) / n for z in range(K)])
    for s in range(T):
        if s != t and lam:
            for z in range(K):
                for l in range(len(Bs[s])):
                    left[z, z] += 2 * lam / (T - 1) * Ws[t, s][z, l]
                    right[z] += 2 * lam / (T - 1) * Ws[t, s][z, l] * Bs[s][l]
    return np.linalg.solve(left, right)


def membership(i, t, Ps, Bs, G, graded):
    """One step for sample i of task t, on the simplex or on the nonnegative orthant."""
    p, K, own = Ps[t][i], len(Bs[t]), unit(first_rows(Ps)[t] + i, len(G))
    middle = sum(Bs[t]) / K if graded else np.zeros(len(G))
    A = np.array([inner(own - middle, b - middle, G) for b in Bs[t]])
    S = np.array([[inner(a - middle, b - middle, G) for b in Bs[t]] for a in Bs[t]])
    if graded:
        return simplex(p + (A - S @ p) / max(np.linalg.eigvalsh(S)))
    for z in np.argsort(np.diag(S)):
        rest = A[z] - sum(S[z, l] * p[l] for l in range(K) if l != z)
        p = np.where(np.arange(K) == z, max(rest / S[z, z], 0.0), p)
    return p


def algorithm(hs, Ks, lam, G, graded, sweeps, inner_steps=10):
    """From partitions; J after each sweep, with the relations that the sweep used."""
    Ps = [np.eye(K)[h] + 0.2 for h, K in zip(hs, Ks)]
    Ps = [P / P.sum(axis=1, keepdims=True) for P in Ps]
    Bs = [centroids(t, Ps, None, None, 0.0, G) for t in range(len(Ps))]
    history = []
    for _ in range(sweeps):
        Ws = mbc.relations(Bs, lambda a, b: distance(a, b, G))
        for t in range(len(Ps)):
            Bs[t] = centroids(t, Ps, Bs, Ws, lam, G)
            for _ in range(inner_steps):
                Ps[t] = np.array([membership(i, t, Ps, Bs, G, graded) for i in range(len(Ps[t]))])
        history.append(loss(Ps, Bs, Ws, lam, G))
    return Ps, Bs, history
