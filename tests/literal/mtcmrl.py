"""The printed updates of MTCMRL (Zhang, Zhang, Liu and Luo, IJCAI 2018), Eqs. (3) to (19) and Algorithm 1.

Loops, dense matrices and black-box solvers, as in the paper.

Samples come in as rows, (n_t, d); the paper has them as columns.  ``M`` is (n_t, n_t), ``Y`` (n_t, h_t),
``W`` (d, h_t); ``Gs[t, s]`` is the relation matrix (h_t, h_s) of every ordered pair of tasks, from 0.
The constraint of Eq. (2) sums over all i and j: each relation matrix that the paper prints sums to one.
"""

import numpy as np
from scipy.linalg import solve_sylvester
from scipy.optimize import nnls
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


def relation_qp(A, beta):
    """Eq. (5), the point of the simplex nearest to -A / (2 beta), by an active set method for least squares.

    Of the z >= 0 that minimise |z - b 1'z|^2 + (1'z - 1)^2 each is a multiple of it; b may be shifted.
    """
    b = (A.min() - np.ravel(A)) / (2 * beta)
    z = nnls(np.vstack([np.eye(b.size) - b[:, None], np.ones(b.size)]), np.append(np.zeros(b.size), 1.0))[0]
    return (z / z.sum()).reshape(A.shape)


def relation_frank_wolfe(A, beta, n_iter=1000, tol=1e-6):
    """Eq. (5) by the Frank-Wolfe method of section 4.8, with exact line search: G and its duality gap."""
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
    """Eq. (19): the multiplicative update of Y, the ratio raised to `exponent`; its root is lost in print."""
    Q = np.asarray(X) @ W
    Q_plus, Q_minus = (np.abs(Q) + Q) / 2, (np.abs(Q) - Q) / 2
    numerator = M @ Y + lam * Q_plus
    denominator = Y @ Y.T @ Y + lam * Y + lam * Q_minus
    ratio = np.divide(numerator, denominator, out=np.zeros_like(Y), where=denominator > 0)
    return Y * ratio**exponent


def fit(Xs, n_clusters, Ys0, lam, mu, alpha, beta, coupling="printed", exponent=0.5, n_iter=10,
        relation=relation_qp):
    """Algorithm 1, `n_iter` iterations of it, from `Ys0` as it is: see `start` for the paper's.

    With coupling "printed" a visit of task t renews G^(t,s) and its model step uses these alone, Eqs. (6) and
    (7).  With "full" the model step minimises Eq. (3), where G^(s,t) stands too; both are renewed together.
    ``relation`` solves Eq. (5).
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
                Gs[t, s] = relation(model_distances(Ws[t], Ws[s]), beta)
                if coupling == "full":
                    Gs[s, t] = Gs[t, s].T
            pulls = [Gs[t, s] + Gs[s, t].T if coupling == "full" else Gs[t, s] for s in others]
            Ws[t], _ = model_sylvester(Xs[t], Ys[t], [Ws[s] for s in others], pulls, lam, mu, alpha)
            Ys[t] = membership(Ms[t], Ys[t], Xs[t], Ws[t], lam, exponent)
        history.append(objective(Xs, Ms, Ys, Ws, Gs, lam, mu, alpha, beta))
    return {"Ys": Ys, "Ws": Ws, "Gs": Gs, "objective": history}
