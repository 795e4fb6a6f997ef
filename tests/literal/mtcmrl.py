"""The printed updates of MTCMRL (Zhang, Zhang, Liu and Luo, IJCAI 2018), Eqs. (3) to (19) and Algorithm 1.

Loops, dense matrices and black-box solvers, as in the paper.

Samples come in as rows, (n_t, d); the paper has them as columns.  ``M`` is (n_t, n_t), ``Y`` (n_t, h_t),
``W`` (d, h_t); ``Gs[t, s]`` is the relation matrix (h_t, h_s) of every ordered pair of tasks, from 0.
The constraint of Eq. (2) sums over all i and j: each relation matrix that the paper prints sums to one.
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_sylvester
from scipy.sparse import issparse
from sklearn.metrics.pairwise import cosine_similarity


def objective(Xs, Ms, Ys, Ws, Gs, lam, mu, alpha, beta):
    """Eq. (3), in matrix form."""
    total = 0.0
    for X, M, Y, W in zip(Xs, Ms, Ys, Ws):
        total += 0.5 * np.sum((M - Y @ Y.T) ** 2) + lam * np.sum((Y - X @ W) ** 2) + mu * np.sum(W**2)
    for (t, s), G in Gs.items():
        total += alpha * (np.sum(model_distances(Ws[t], Ws[s]) * G) + beta * np.sum(G**2))
    return float(total)


def model_distances(W_t, W_s):
    """A of Eq. (5): squared distances between the columns of two models."""
    return np.array([[np.sum((w - v) ** 2) for v in W_s.T] for w in W_t.T])


def similarity(X):
    """M^t, the cosine of every two samples; a zero row has similarity zero, with itself too."""
    return cosine_similarity(np.asarray(X, dtype=float))


def start(labels, n_clusters):
    """Y^t before the first iteration: the k-means indicator plus 0.2."""
    return np.eye(n_clusters)[labels] + 0.2


def relation_qp(A, beta, tol=1e-14):
    """Eq. (5) by a general solver of quadratic programmes.

    The vector g stacks the rows of G; P = 2 beta I is built and used as a full matrix, as a general solver
    does.  `tol` is the square of the wanted precision of G.  Programmes in common use stop near 1e-8.
    """
    f = np.ravel(A).astype(float)
    return interior_point(2 * beta * np.eye(f.size), f, tol).reshape(np.shape(A))


def interior_point(P, f, tol=1e-14, max_iter=100):
    """min 1/2 g'Pg + f'g subject to sum(g) = 1, g >= 0, by Mehrotra's predictor-corrector method.

    P is any symmetric positive semidefinite matrix.  Each iteration factorises P + diag(z / g) once.
    The upper bounds g <= 1 of Eq. (5) follow from the other constraints.  `tol` bounds the duality
    gap relative to the largest entry of P and f; the residuals end far lower.
    """
    m = f.size
    scale = max(np.abs(f).max(), np.abs(P).max())
    feasible = max(tol, 1e-12)
    g, y, z = np.full(m, 1 / m), 0.0, np.full(m, scale)
    for _ in range(max_iter):
        dual, primal, gap = P @ g + f - y - z, 1 - g.sum(), g @ z
        if gap < tol * scale and abs(primal) < feasible and np.abs(dual).max() < feasible * scale:
            return g
        H = P.copy(order="F")
        H[np.diag_indices(m)] += z / g
        factor = cho_factor(H, overwrite_a=True, check_finite=False)
        dg, dy, dz = newton_step(factor, g, z, dual, primal, -g * z)
        length = step_length(g, dg, z, dz)
        centring = ((g + length * dg) @ (z + length * dz) / gap) ** 3
        dg, dy, dz = newton_step(factor, g, z, dual, primal, centring * gap / m - g * z - dg * dz)
        length = 0.995 * step_length(g, dg, z, dz)
        g, y, z = g + length * dg, y + length * dy, z + length * dz
    raise RuntimeError(f"no solution of the quadratic programme after {max_iter} iterations")


def newton_step(factor, g, z, dual, primal, complementarity):
    """Steps of g, y and z that remove the three residuals to first order; `factor` is P + diag(z / g)."""
    ones = cho_solve(factor, np.ones(g.size), check_finite=False)
    free = cho_solve(factor, complementarity / g - dual, check_finite=False)
    dy = (primal - free.sum()) / ones.sum()
    dg = free + dy * ones
    return dg, dy, (complementarity - z * dg) / g


def step_length(g, dg, z, dz):
    """The longest step, at most 1, that keeps g and z nonnegative."""
    length = 1.0
    for value, change in ((g, dg), (z, dz)):
        shrinking = change < 0
        length = min(length, np.min(-value[shrinking] / change[shrinking], initial=1.0))
    return length


def relation_frank_wolfe(A, beta, n_iter=1000, tol=1e-6):
    """Eq. (5) by the Frank-Wolfe method of section 4.8, with exact line search.

    Returns G and its duality gap, an upper bound of its excess over the minimum.  Stops when the gap is at
    most `tol`, or after `n_iter` steps.
    """
    A = np.asarray(A, dtype=float)
    G = np.full(A.shape, 1 / A.size)
    for _ in range(n_iter):
        gradient = A + 2 * beta * G
        vertex = np.zeros(A.shape)
        vertex[np.unravel_index(np.argmin(gradient), A.shape)] = 1.0
        direction = vertex - G
        gap = -np.sum(gradient * direction)
        if gap <= tol:
            break
        G = G + min(1.0, gap / (2 * beta * np.sum(direction**2))) * direction
    gradient = A + 2 * beta * G
    return G, float(np.sum(gradient * G) - gradient.min())


def model_sylvester(X, Y, Ws_others, Gs, lam, mu, alpha):
    """W^t and xi^t of Eq. (8): Eq. (13) for the multiplier Gamma, then Eqs. (10) and (11).

    `Ws_others` and `Gs` list W^s and G^(t,s) of the other tasks.  With X as columns, (d, n_t), and
    C = 2 mu I + 2 alpha sum_s H^(t,s), Eq. (13) reads
    ``1/(2 lam) Gamma C + X'X Gamma = Y C - 2 alpha sum_s X' W^s (G^(t,s))'``.
    """
    X = np.asarray(X, dtype=float).T
    C = 2 * mu * np.eye(Y.shape[1])
    pull = np.zeros((X.shape[0], Y.shape[1]))
    for W_s, G in zip(Ws_others, Gs):
        C = C + 2 * alpha * np.diag(G.sum(axis=1))
        pull = pull + 2 * alpha * W_s @ G.T
    Gamma = solve_sylvester(X.T @ X, C / (2 * lam), Y @ C - X.T @ pull)
    W = (pull + X @ Gamma) @ np.linalg.inv(C)
    return W, Gamma / (2 * lam)


def membership(M, Y, X, W, lam, exponent):
    """Eq. (19): the multiplicative update of Y, the ratio raised to `exponent`.

    The printed formula has lost its radical, if it had one.  An entry with a zero denominator becomes zero.
    """
    Q = np.asarray(X) @ W
    Q_plus, Q_minus = (np.abs(Q) + Q) / 2, (np.abs(Q) - Q) / 2
    numerator = M @ Y + lam * Q_plus
    denominator = Y @ Y.T @ Y + lam * Y + lam * Q_minus
    ratio = np.divide(numerator, denominator, out=np.zeros_like(Y), where=denominator > 0)
    return Y * ratio**exponent


def fit(Xs, n_clusters, Ys0, lam, mu, alpha, beta, coupling="printed", exponent=0.5, n_iter=10):
    """Algorithm 1, `n_iter` iterations of it, from `Ys0` as it is: see `start` for the paper's.

    With coupling "printed" a visit of task t renews G^(t,s) and its model step uses these alone, Eqs. (6) and
    (7).  With "full" the model step minimises Eq. (3), where G^(s,t) stands too; both are renewed together.
    Returns a dict: Ys, Ws (lists), Gs (dict of (t, s)) and objective, Eq. (3) after each iteration.
    """
    Xs = [X.toarray() if issparse(X) else np.asarray(X, dtype=float) for X in Xs]
    T = len(Xs)
    Ms = [similarity(X) for X in Xs]
    Ys = [np.array(Y, dtype=float) for Y in Ys0]
    Ws = [np.ones((X.shape[1], h)) for X, h in zip(Xs, n_clusters)]
    Gs, history = {}, []
    for _ in range(n_iter):
        for t in range(T):
            others = [s for s in range(T) if s != t]
            for s in others:
                Gs[t, s] = relation_qp(model_distances(Ws[t], Ws[s]), beta)
                if coupling == "full":
                    Gs[s, t] = Gs[t, s].T
            pulls = [Gs[t, s] + Gs[s, t].T if coupling == "full" else Gs[t, s] for s in others]
            Ws[t], _ = model_sylvester(Xs[t], Ys[t], [Ws[s] for s in others], pulls, lam, mu, alpha)
            Ys[t] = membership(Ms[t], Ys[t], Xs[t], Ws[t], lam, exponent)
        history.append(objective(Xs, Ms, Ys, Ws, Gs, lam, mu, alpha, beta))
    return {"Ys": Ys, "Ws": Ws, "Gs": Gs, "objective": history}
