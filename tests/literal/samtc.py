"""SAMTC as its class docstring writes it down: loops over samples, clusters and tasks, general solvers."""

import math

import numpy as np
from scipy.optimize import minimize

from literal.coreg import leading, normalised


def unit_rows(X):
    """Rows of unit length; zero rows stay."""
    return [[x / (math.sqrt(sum(v * v for v in row)) or 1.0) for x in row] for row in X]


def cosine(u, v):
    """Of unit rows, to ten decimals."""
    return round(sum(a * b for a, b in zip(u, v)), 10)


def neighbours(U, V, k, same=False):
    """For each row of U how often rows of V are among the k nearest of positive cosine, if chance decides
    between equals: a dict from row numbers to 0 .. 1."""
    out = []
    for i, u in enumerate(U):
        cosines = {j: cosine(u, v) for j, v in enumerate(V) if not (same and i == j)}
        last = sorted(cosines.values())[-k:][0] if cosines else 0.0
        level = [j for j in cosines if cosines[j] == last]
        left = k - sum(c > last for c in cosines.values())
        out.append({j: min(1.0, left / len(level)) if c == last else 1.0
                    for j, c in cosines.items() if c >= last and c > 0})
    return out


def word_distribution(U, rows):
    """Sum of some rows, divided by its total; None if that is 0."""
    sums = [sum(U[i][j] for i in rows) for j in range(len(U[0]))]
    total = sum(sums)
    return [x / total for x in sums] if total else None


def jensen_shannon(p, q):
    """Mean of the two divergences from the mixture; infinite if one is None."""
    if p is None or q is None:
        return math.inf
    value = 0.0
    for a, b in zip(p, q):
        m = (a + b) / 2
        value += (a * math.log(a / m) if a else 0.0) / 2 + (b * math.log(b / m) if b else 0.0) / 2
    return value


def related_pairs(P, Q):
    """Clusters of which each is the other's nearest, from lists of word distributions."""
    D = [[round(jensen_shannon(p, q), 10) for q in Q] for p in P]
    pairs = []
    for z, row in enumerate(D):
        column = row.index(min(row))
        if min(range(len(P)), key=lambda m: D[m][column]) == z and row[column] < math.inf:
            pairs.append((z, column))
    return pairs


def mean_matching(V, target):
    """Least distance of a weighted mean of V to the target, by sequential quadratic programming."""
    V, m, n = np.array(V), np.array(target), len(V)
    slack = n * (math.sqrt(n) - 1) / math.sqrt(n)
    result = minimize(
        lambda b: 0.5 * np.sum((b @ V / n - m) ** 2), np.ones(n), jac=lambda b: V @ (b @ V / n - m) / n,
        method="SLSQP", bounds=[(0.0, 1000.0)] * n, options={"ftol": 1e-14, "maxiter": 1000},
        constraints=[{"type": "ineq", "fun": lambda b: n + slack - b.sum(), "jac": lambda b: -np.ones(n)},
                     {"type": "ineq", "fun": lambda b: b.sum() - n + slack, "jac": lambda b: np.ones(n)}])
    return float(np.linalg.norm(result.x @ V / n - m))


def relatedness(U, V):
    """1 - r / r_0, at least 0."""
    target = [sum(column) / len(U) for column in zip(*U)]
    return max(0.0, 1.0 - mean_matching(V, target) / math.sqrt(sum(x * x for x in target)))


def similarities(Xs, labels, ks, k_own, k_across, transfer=1.0):
    """S_t of all tasks, the pairs of related clusters and the relatedness, from labels of each task."""
    Us = [unit_rows(X) for X in Xs]
    T = len(Us)
    words = [[word_distribution(U, [i for i, h in enumerate(y) if h == z]) for z in range(k)]
             for U, y, k in zip(Us, labels, ks)]
    out, pairs, e = [], {}, np.eye(T)
    for t in range(T):
        n = len(Us[t])
        k = min(k_own, n - 1)
        S = shares(neighbours(Us[t], Us[t], k, same=True), k)
        for s in range(T):
            if s == t:
                continue
            pairs[t, s] = related_pairs(words[t], words[s])
            mine = [i for i in range(n) if labels[t][i] in [z for z, _ in pairs[t, s]]]
            theirs = [U for U, h in zip(Us[s], labels[s]) if h in [z for _, z in pairs[t, s]]]
            e[t, s] = relatedness([Us[t][i] for i in mine], theirs)
            k = min(k_across, len(theirs))
            A = shares(neighbours([Us[t][i] for i in mine], theirs, k), k)
            for a, i in enumerate(mine):
                for b, j in enumerate(mine):
                    S[i, j] += transfer * e[t, s] * A[a, b]
        out.append(S)
    return out, pairs, e


def shares(neighbours, k):
    """Share of common neighbours of any two samples."""
    return np.array([[sum(a[j] * b[j] for j in a if j in b) / k for b in neighbours] for a in neighbours])


def embedding(S, k):
    """Rows at unit length of the leading eigenvectors of D^-1/2 S D^-1/2, through all of them."""
    V = leading(normalised(S - np.diag(np.diag(S))), k)
    return V / np.linalg.norm(V, axis=1, keepdims=True)
