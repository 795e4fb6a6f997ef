"""The MBC paper (Zhang, Zhang, AAAI 2010) to the letter: Table 1, Eqs. (3) to (15) and Algorithm 1, in loops.

Rows are samples.  ``hs`` are assignments, ``Us`` centroids (K_t, d), ``Ws`` a dict from ordered pairs (t, s)
to (K_t, K_s).  Natural logarithms throughout, Q for the paper's A in the Mahalanobis distance, and the sum
over features that the Itakura-Saito row leaves out.
"""

import numpy as np
from scipy.optimize import linprog, minimize, minimize_scalar


def sqeuclidean(x, y):
    return sum((a - b) ** 2 for a, b in zip(x, y))


def mahalanobis(Q):
    return lambda x, y: sum((x - y)[i] * Q[i, j] * (x - y)[j] for i in range(len(x)) for j in range(len(x)))


def kl(x, y):
    return sum(a * np.log(a / b) if a > 0 else 0.0 for a, b in zip(x, y))


def i_divergence(x, y):
    return sum((a * np.log(a / b) if a > 0 else 0.0) - a + b for a, b in zip(x, y))


def itakura_saito(x, y):
    return sum(a / b - np.log(a / b) - 1.0 for a, b in zip(x, y))


DIVERGENCES = {"sqeuclidean": sqeuclidean, "kl": kl, "i-divergence": i_divergence,
               "itakura-saito": itakura_saito}


def definition(phi, gradient):
    """Definition 1, for a phi of the whole vector."""
    return lambda x, y: phi(x) - phi(y) - sum((x - y) * gradient(y))


def local_loss(X, h, U, d):
    """Eq. (3)."""
    return sum(d(X[i], U[h[i]]) for i in range(len(X))) / len(X)


def separation(Us, Ws, lam, d):
    """The second sum of Eq. (9) with the relaxed constraints; its unordered pairs hold both directions."""
    return sum(lam / (len(Us) - 1) * W[z, l] * d(Us[t][z], Us[s][l]) for (t, s), W in Ws.items()
               for z in range(len(Us[t])) for l in range(len(Us[s])))


def loss(Xs, hs, Us, Ws, lam, d):
    """Eq. (9)."""
    return sum(local_loss(X, h, U, d) for X, h, U in zip(Xs, hs, Us)) + separation(Us, Ws, lam, d)


def relation(U_t, U_s, d):
    """Eq. (10), one equality per row and per column, by a linear programme."""
    K_t, K_s = len(U_t), len(U_s)
    cost = [d(U_t[z], U_s[l]) for z in range(K_t) for l in range(K_s)]
    rows = [[1.0 if a == z else 0.0 for a in range(K_t) for _ in range(K_s)] for z in range(K_t)]
    columns = [[1.0 if b == l else 0.0 for _ in range(K_t) for b in range(K_s)] for l in range(K_s)]
    return linprog(cost, A_eq=rows + columns, b_eq=[1 / K_t] * K_t + [1 / K_s] * K_s).x.reshape(K_t, K_s)


def relations(Us, d):
    """Eq. (10) for every ordered pair of tasks."""
    return {(t, s): relation(Us[t], Us[s], d) for t in range(len(Us)) for s in range(len(Us)) if s != t}


def assign(X, U, d):
    """Eq. (12)."""
    return np.array([int(np.argmin([d(x, u) for u in U])) for x in X])


def means(t, z, Xs, hs, Us, Ws, lam, gradient, inverse):
    """A, B, mu_L and mu_R below Eq. (14)."""
    T, K, n = len(Xs), len(Us[t]), len(Xs[t])
    members = [x for x, h in zip(Xs[t], hs[t]) if h == z]
    A, B = len(members) / n + lam / K, lam / K
    others = [(s, l) for s in range(T) if s != t for l in range(len(Us[s]))]
    left = (sum(members) / n + lam / (T - 1) * sum(Ws[s, t][l, z] * Us[s][l] for s, l in others)) / A
    right = inverse(lam / (B * (T - 1)) * sum(Ws[t, s][z, l] * gradient(Us[s][l]) for s, l in others))
    return A, B, left, right


def centroids(t, Xs, hs, Us, Ws, lam, gradient, inverse, solve):
    """Those of task t that ``solve`` finds from the means of each cluster."""
    return np.array([solve(*means(t, z, Xs, hs, Us, Ws, lam, gradient, inverse)) for z in range(len(Us[t]))])


def symmetric_centroid(A, B, left, right):
    """Eq. (15)."""
    return (A * left + B * right) / (A + B)


def minimised(d, A, B, left, right):
    """Eq. (14) by a library's minimiser, feature by feature; for divergences that are sums over them."""
    u = np.empty(len(left))
    for j in range(len(left)):
        def f(log_u, a=left[j:j + 1], b=right[j:j + 1]):
            return A * d(a, np.exp([log_u])) + B * d(np.exp([log_u]), b)
        ends = sorted(np.log([left[j], right[j]]))
        u[j] = np.exp(minimize_scalar(f, bounds=(ends[0] - 1e-9, ends[1] + 1e-9), method="bounded",
                                      options={"xatol": 1e-13}).x)
    return u


def minimised_on_simplex(A, B, left, right):
    """Eq. (14) for the KL divergence, by a general minimiser over u = softmax(v)."""
    def f(v):
        u = np.exp(v - v.max())
        u /= u.sum()
        value = A * kl(left, u) + B * kl(u, right)
        slope = -A * left / u + B * (np.log(u / right) + 1.0)
        return value, u * (slope - u @ slope)
    v = minimize(f, 0.5 * (np.log(left) + np.log(right)), jac=True, method="BFGS", options={"gtol": 1e-12}).x
    return np.exp(v) / np.exp(v).sum()


def exact(name):
    """What finds the centroid of a divergence from A, B and both means."""
    if name == "kl":
        return minimised_on_simplex
    if name in ("sqeuclidean", "mahalanobis"):
        return symmetric_centroid
    return lambda *means: minimised(DIVERGENCES[name], *means)


def geodesic_walk(d, gradient, inverse, A, B, left, right, steps=60):
    """Nielsen and Nock's dichotomy for one centroid: A d(left||q) = B d(q||right) on the geodesic."""
    low, high = 0.0, 1.0
    for _ in range(steps):
        a = (low + high) / 2
        q = inverse((1 - a) * gradient(right) + a * gradient(left))
        if A * d(left, q) > B * d(q, right):
            low = a
        else:
            high = a
    return q


def cluster_means(X, h, U):
    """Mean of each cluster; an empty one keeps its centroid."""
    return np.array([np.mean([x for x, a in zip(X, h) if a == z], axis=0) if z in h else U[z]
                     for z in range(len(U))])


def initial_centroids(Xs, hs, Ks):
    """Algorithm 1, line 1."""
    return [cluster_means(X, h, np.zeros((K, X.shape[1]))) for X, h, K in zip(Xs, hs, Ks)]


def algorithm_1(Xs, hs, Ks, lam, d, gradient, inverse, solve, sweeps):
    """Algorithm 1 with a fixed number of sweeps; the value of Eq. (9) after every half step."""
    Us, hs, history = initial_centroids(Xs, hs, Ks), [np.array(h) for h in hs], []
    for _ in range(sweeps):
        Ws = relations(Us, d)
        history.append(loss(Xs, hs, Us, Ws, lam, d))
        hs = [assign(X, U, d) for X, U in zip(Xs, Us)]
        history.append(loss(Xs, hs, Us, Ws, lam, d))
        for t in range(len(Us)):
            Us[t] = centroids(t, Xs, hs, Us, Ws, lam, gradient, inverse, solve)
        history.append(loss(Xs, hs, Us, Ws, lam, d))
    return hs, Us, Ws, history
