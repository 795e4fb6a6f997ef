"""LMSC: lifelong multi-view spectral clustering (Cai, Tan, Huang, Lv, IJCAI 2023), and its parent L2SC.

===========  ======================================  ====================================================
Eq.          what it says                            where
===========  ======================================  ====================================================
(1)          affinities of a view                    :func:`mtclib.maths.graphs.knn_affinity`
(2)          its normalised Laplacian                ``LMSC._view``
(6)          X-hat                                   :func:`mtclib.maths.graphs.normalized_bipartite`
(8)          objective                               ``Task.objective``, ``PrintedTask.objective``
(10)         projection, Theorem 1                   :func:`mtclib.maths.linalg.polar`
(11)-(12)    representation E of a task              ``Task.represent``; as printed ``PrintedTask.sweep``
(14), (16)   basis library B                         ``Task.sweep``; as printed ``PrintedTask.sweep``
(15)         sums over tasks                         ``Task.refresh`` (C), ``Task.spectral_sums`` (M)
(18)         feature embedding library L             ``embedding_step``; as printed ``Text.slopes``
(20)         fusion library D                        ``Task.sweep``; as printed ``_apart``
(21)         weight alpha of a view                  ``distance``
Algorithm 1  tasks one by one                        :class:`mtclib.core.lifelong.LibraryClusterer`
===========  ======================================  ====================================================

Rows are samples, so that H of shape (n, d) stands for the transpose of the paper's X-hat.  E (n, k)
represents a task, B (k, k) is the basis library, L (d, k) the feature embedding library, D (k, k) the fusion
library.  ``Task`` has the updates that never lower the objective, ``PrintedTask`` those of the paper; see
:class:`mtclib.LMSC` for what is wrong with them.  L2SC (Sun et al., AAAI 2020) is LMSC with one view.
"""

from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import cycle

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh, svd
from scipy.sparse.linalg import aslinearoperator

from mtclib.core.base import DegenerateSubspaceWarning, Traits, stops
from mtclib.core.checks import (
    COUNT,
    COUNT_OR_NONE,
    NONNEGATIVE,
    POSITIVE,
    Named,
    Number,
    check_number,
    check_option,
)
from mtclib.core.errors import tell
from mtclib.core.lifelong import Libraries, LibraryClusterer
from mtclib.core.starts import one_thread
from mtclib.maths.eigen import leading, top_eigenvectors
from mtclib.maths.graphs import SCALES, normalized_affinities, normalized_bipartite
from mtclib.maths.linalg import as_dense, polar, thin, unit_rows, unit_samples
from mtclib.maths.neighbours import nearest_distances

__all__ = ["LMSC", "L2SC"]

# Below this distance of a basis from the fusion library its Huber function stands for the norm.
FLOOR = 1e-6
# Inside the row norms of the penalty: sqrt(|l|^2 + SMOOTHING^2).
SMOOTHING = 1e-3
# Shares of the safe shift of the penalty that are tried first: long steps.
BOLD = (0.01, 0.1)
RESIDUAL = 1e-6
# What the authors' code has in place of parameters.
RELEASED = {"max_iter": 200, "tol": 1e-4, "n_neighbors": 20, "partitions": 100}
# Squared ratio of singular values above which the Gram matrix gives a polar factor to 12 digits.
GRAM = 1e-4
# Squared ratio of singular values of the start of a basis below which only rounding is left.
UNSEEN = 1e-12
CHANGES = ("step", "sums", "symmetric", "fusion", "rows", "arrival", "best", "words", "given words", "graph",
           "fresh", "views")
AFFINITIES = ("knn-cosine", "knn", "cosine", "gaussian")
OUTPUTS = ("concat", "aligned", "literal")


@dataclass
class View:
    """One view of the task at hand."""

    K: object  # (n, n), matrix or operator: normalised affinities, or the identity minus them
    H: object  # (n, d), dense or CSR; see mtclib.maths.graphs.normalized_bipartite
    F: np.ndarray  # (n, k), leading eigenvectors of K

    def __post_init__(self):
        self.K, self.H, self.HT = thin(self.K), thin(self.H), thin(self.H.T)

    def pull(self, L, B):
        """X-hat^T L B^T, the direction in which the libraries draw E; (n, k)."""
        return (self.H @ L) @ B.T


def _squares(L):
    """Squared norms of rows, (d,); numpy adds up few columns in this order, too, but row by row, five times
    slower."""
    squares = L * L
    return sum(squares.T) if L.shape[1] < 8 else squares.sum(axis=1)


def _norms(L):
    return np.sqrt(_squares(L))[:, None]


# Each g has a ``value`` at L, and ``slopes``: gradients of minorants at L, (d, k), the last of which is safe.


class Reward:
    """g of l21='reward', the printed sum of row norms: convex, so that its tangent is a minorant."""

    @staticmethod
    def value(L):
        return float(_norms(L).sum())

    @staticmethod
    def slopes(L):
        norms = _norms(L)
        yield np.divide(L, norms, out=np.zeros_like(L), where=norms > 0)


class Text:
    """g of l21='text': its gradient is the Theta^-1 L of Eq. (18), so that g is 2/3 sum |l|^3, convex."""

    @staticmethod
    def value(L):
        return float(2.0 / 3.0 * np.sum(_norms(L) ** 3))

    @staticmethod
    def slopes(L):
        yield 2.0 * _norms(L) * L


class Penalty:
    """g of l21='penalty', minus the smoothed sum of row norms, which few large rows make largest.

    The square root is concave: -sqrt(|l|^2 + e^2) >= constant - theta |l|^2.  Adding c |L|^2, a constant on
    the feasible set, makes that convex for c = max theta, so that its tangent is a minorant.  That c is set
    by the smallest row and gives short steps; smaller ones are tried first.
    """

    @staticmethod
    def value(L):
        return -float(np.sqrt(_squares(L) + SMOOTHING**2).sum())

    @staticmethod
    def slopes(L):
        theta = 0.5 / np.sqrt(_squares(L)[:, None] + SMOOTHING**2)
        for share in (*BOLD, 1.0):
            yield 2.0 * (share * theta.max() - theta) * L


L21 = {"penalty": Penalty, "reward": Reward, "text": Text}


def embedding_step(G, L, mu, g):
    """An L that does not lower tr(L^T G) + mu g(L), by minorise-maximise; (d, k)."""
    if mu == 0:
        return polar(G, L)
    before = np.vdot(L, G) + mu * g.value(L)
    for slope in g.slopes(L):
        new = polar(G + mu * slope, L)
        if np.vdot(new, G) + mu * g.value(new) > before:
            return new
    return L


def distance(D, B):
    """|D - B|, or its Huber function below ``FLOOR``, and the weight alpha of its quadratic majorant."""
    norm = float(np.linalg.norm(D - B))
    return (norm if norm > FLOOR else norm**2 / (2 * FLOOR) + FLOOR / 2), 0.5 / max(norm, FLOOR)


class Task:
    """One task while it is learned, by updates that never lower the objective; see :class:`mtclib.LMSC`.

    ``past`` holds the Libraries of the tasks before this one; it is never modified.  ``settings`` is the
    estimator, for its parameters.
    """

    def __init__(self, views, past, settings):
        self.views, self.past, self.settings = views, past, settings
        self.m, k = past.n_tasks + 1, views[0].F.shape[1]
        if past.n_tasks:
            self.Bs, self.Ls, self.D, self.alphas = past.basis, past.embedding, past.fusion, past.weights
        else:
            self.Bs, self.D, self.alphas = [np.eye(k)] * len(views), np.eye(k), [0.5 / FLOOR] * len(views)
            self.Ls = [polar(view.HT @ view.F, np.eye(view.H.shape[1], k)) for view in views]
        # Eigenvectors turned towards the libraries: tr(E^T K E) stays, the other term becomes largest.
        self.Es = [view.F @ polar(settings.lam * (view.F.T @ view.pull(L, B)), np.eye(k))
                   for view, L, B in zip(views, self.Ls, self.Bs)]
        self.refresh()

    def refresh(self):
        """What depends on E alone: K E, and lam times the sum of X-hat E over all tasks so far."""
        lam, past = self.settings.lam, self.past.coclustering or [0.0] * len(self.views)
        self.KEs = [view.K @ E for view, E in zip(self.views, self.Es)]
        self.Cs = [C + lam * (view.HT @ E) for C, view, E in zip(past, self.views, self.Es)]

    def sweep(self):
        """All variables once, in the order of Algorithm 1."""
        beta, g = self.settings.beta, L21[self.settings.l21]
        self.represent()
        self.Bs = [polar(C.T @ L / self.m + 2.0 * beta * distance(self.D, B)[1] * self.D, B)
                   for C, L, B in zip(self.Cs, self.Ls, self.Bs)]
        self.Ls = [embedding_step(C @ B / self.m, L, self.settings.mu, g)
                   for C, L, B in zip(self.Cs, self.Ls, self.Bs)]
        self.D = polar(sum(distance(self.D, B)[1] * B for B in self.Bs), self.D)
        self.alphas = [distance(self.D, B)[1] for B in self.Bs]

    def represent(self):
        """E of all views: K + I is positive semidefinite and |E| constant; the tangent is a minorant."""
        lam = self.settings.lam
        self.Es = [polar(2.0 * (KE + E) + lam * view.pull(L, B), E)
                   for view, E, KE, L, B in zip(self.views, self.Es, self.KEs, self.Ls, self.Bs)]
        self.refresh()

    def objective(self):
        """The objective of :class:`mtclib.LMSC`, to be maximised; earlier tasks enter through their sums."""
        g = L21[self.settings.l21]
        return self.fit_of_tasks() + sum(self.settings.mu * g.value(L) - self.settings.beta
                                         * distance(self.D, B)[0] for L, B in zip(self.Ls, self.Bs))

    def fit_of_tasks(self):
        """The mean over all tasks of the spectral and co-clustering terms, summed over views."""
        before = sum(float(np.trace(M)) for M in self.past.spectral)
        return (before + sum(float(np.vdot(E, KE) + np.vdot(L, C @ B)) for E, KE, L, C, B in zip(
            self.Es, self.KEs, self.Ls, self.Cs, self.Bs))) / self.m

    def run(self, sweep=None):
        """Sweep until the objective converges: minus the objective after each sweep, and whether it did."""
        history, converged, before = [], False, -self.objective()
        while not converged and len(history) < self.settings.max_iter:
            (sweep or self.sweep)()
            history.append(-self.objective())
            converged = self.stands(before, history[-1])
            before = history[-1]
        return history, converged

    def stands(self, before, after):
        """Whether minus the objective has fallen by less than ``tol`` times its value."""
        return stops(before, after, self.settings.tol)

    def libraries(self):
        """The libraries with this task counted in."""
        return Libraries(self.m, self.Bs, self.Ls, self.D, list(self.alphas), self.spectral_sums(), self.Cs)

    def spectral_sums(self):
        """The sum of E^T K E over all tasks, this one included, list of (k, k)."""
        own = [E.T @ KE for E, KE in zip(self.Es, self.KEs)]
        return [M + new for M, new in zip(self.past.spectral, own)] if self.past.n_tasks else own


class PrintedTask(Task):
    """The same by the printed updates, Eqs. (11), (16), (18), (20) and (21), read to the letter.

    Eigenvectors are those of the symmetric part, in the order of the largest (B) or smallest (D) eigenvalue;
    the gradient of Eq. (12) is the mean over the views.  The start is the one of :class:`Task`, because the
    printed start B = L = 0 is not feasible.
    """

    def sweep(self):
        """All variables once, in the order of Algorithm 1."""
        lam, mu, beta = self.settings.lam, self.settings.mu, self.settings.beta
        gradient = sum(2.0 * KE @ (B @ B.T) + lam * view.pull(L, B) for view, KE, L, B in zip(
            self.views, self.KEs, self.Ls, self.Bs)) / len(self.views)
        self.Es = [polar(E + self.settings.eta * gradient, E) for E in self.Es]
        self.refresh()
        inner = [(M + B @ L.T @ C) / self.m - beta * a * _apart(self.D, B) for B, L, C, M, a in zip(
            self.Bs, self.Ls, self.Cs, self.spectral_sums(), self.alphas)]
        self.Bs = [_eigenvectors(B.T @ A @ B)[:, ::-1] for B, A in zip(self.Bs, inner)]
        self.Ls = [polar(C @ B + mu * next(Text.slopes(L)), L) for C, B, L in zip(self.Cs, self.Bs, self.Ls)]
        self.D = _eigenvectors(sum(a * _apart(self.D, B) for a, B in zip(self.alphas, self.Bs)))
        self.alphas = [distance(self.D, B)[1] for B in self.Bs]

    def objective(self):
        """Eq. (8)."""
        return self.fit_of_tasks() + sum(
            self.settings.mu * Reward.value(L) - self.settings.beta * a * float(np.sum((self.D - B) ** 2))
            for L, B, a in zip(self.Ls, self.Bs, self.alphas))

    def stands(self, before, after):
        """Whether the objective has changed, in either direction, by less than ``tol`` times its value."""
        return abs(after - before) <= self.settings.tol * abs(after)


def _eigenvectors(A):
    """All eigenvectors of the symmetric part, ascending."""
    return eigh((A + A.T) / 2)[1]


class ReleasedTask(Task):
    """The same as the authors' code learns it; transposes are conjugate ones, since iterates turn complex.

    All views share one E.  The sums M and C take the task in once a sweep, and are divided by the number of
    tasks alone.  ``changes`` takes single differences from the paper back; see :data:`CHANGES`.
    """

    def __init__(self, views, past, settings):
        self.views, self.settings, k = views, settings, views[0].F.shape[1]
        self.past = past = Libraries() if "fresh" in settings.changes else past
        self.m, n_views = past.n_tasks + 1, len(views)
        self.Bs = list(past.basis) or [np.eye(k)] * n_views
        self.D = np.eye(k) if past.fusion is None else past.fusion
        self.Ls = list(past.embedding) or [_right_singular(view.H, k) for view in views]
        self.alphas = list(past.weights) or [1.0 / n_views] * n_views
        self.Ms = list(past.spectral) or [np.zeros((k, k))] * n_views
        self.Cs = list(past.coclustering) or [np.zeros(L.shape) for L in self.Ls]
        self.before = self.Ms, self.Cs
        self._follow()
        starts = [view.F * _phases(view.F, HL) for view, HL in zip(views, self.HLs)]
        self.Es = starts if "views" in settings.changes else [sum(starts) / n_views]

    def represent(self):
        """E, the polar factor of the mean gradient, and the sums with it."""
        lam, eta, changes, n_views = self.settings.lam, self.settings.eta, self.settings.changes, len(self.Bs)
        gradients = [(2.0 * view.K @ (E @ B) + lam * HL) @ B.conj().T
                     for view, E, B, HL in zip(self.views, cycle(self.Es), self.Bs, self.HLs)]
        if "views" not in changes:
            gradients = [sum(gradients) / n_views]
        self.Es = [_orthonormal(E + eta * gradient if "step" in changes else gradient)
                   for E, gradient in zip(self.Es, gradients)]
        Ms, Cs = self.before if "sums" in changes else (self.Ms, self.Cs)
        self.Ms = [M + E.conj().T @ (view.K @ E) for M, E, view in zip(Ms, cycle(self.Es), self.views)]
        self.Cs = [C + view.HT @ (lam * E) for C, E, view in zip(Cs, cycle(self.Es), self.views)]

    def _follow(self):
        """What L determines: H L, and the lengths of its rows."""
        self.HLs = [view.H @ L for view, L in zip(self.views, self.Ls)]
        self.norms = [_row_norms(L) for L in self.Ls]

    def sweep(self):
        """All variables once, in the order of Algorithm 1."""
        self.represent()
        beta, D, changes = self.settings.beta, self.D, self.settings.changes
        inner = [(M + B @ (L.conj().T @ C)) / self.m - beta * a * _apart(D, B) for M, B, L, C, a in zip(
            self.Ms, self.Bs, self.Ls, self.Cs, self.alphas)]
        self.Bs = [_by_modulus(B.conj().T @ A @ B, "symmetric" in changes) for B, A in zip(self.Bs, inner)]
        factor = self.settings.mu * (2.0 if "rows" in changes else 1.0)
        self.Ls = [_orthonormal(C @ B + (factor * norms) * L)
                   for C, B, L, norms in zip(self.Cs, self.Bs, self.Ls, self.norms)]
        self._follow()
        if "fusion" in changes:
            self.D = _by_modulus(sum(a * _apart(D, B) for a, B in zip(self.alphas, self.Bs)), True)[:, ::-1]
        else:
            self.D = _by_modulus(sum(a * (2.0 * np.eye(len(D)) - B @ D.conj().T - D @ B)
                                     for a, B in zip(self.alphas, self.Bs)), "symmetric" in changes)
        self.alphas = [distance(self.D, B)[1] for B in self.Bs]

    def value(self):
        """Eq. (8) with the sums as they are kept, complex where the iterates are."""
        mu, beta = self.settings.mu, self.settings.beta
        return sum(np.trace(B.conj().T @ M @ B + (L.conj().T @ C) @ B) / self.m + mu * norms.sum()
                   - beta * a * np.linalg.norm(self.D - B) ** 2 for B, M, L, C, a, norms in zip(
                       self.Bs, self.Ms, self.Ls, self.Cs, self.alphas, self.norms))

    def run(self, sweep=None):
        """Sweep until the objective stands: minus its real part after each sweep, and whether it did."""
        history, converged, before = [], False, None
        most, tol = min(self.settings.max_iter, RELEASED["max_iter"]), max(self.settings.tol, RELEASED["tol"])
        while not converged and len(history) < most:
            with one_thread("blas"):  # the last digit decides the signs of eigenvectors
                (sweep or self.sweep)()
            after = self.value()
            history.append(-float(after.real))
            # The first sweep has nothing to be compared with.
            converged = before is not None and abs(after - before) < tol * abs(before)
            before = after
        return history, converged

    def spectral_sums(self):
        """M of each view, list of (k, k)."""
        return self.Ms


def _apart(D, B):
    """2 I - B D^H - D B^H of Eqs. (14) and (20)."""
    return 2.0 * np.eye(len(D)) - B @ D.conj().T - D @ B.conj().T


def _by_modulus(A, symmetric=False):
    """Eigenvectors of A, or of its Hermitian part, largest modulus first."""
    values, vectors = np.linalg.eigh((A + A.conj().T) / 2) if symmetric else np.linalg.eig(A)
    return vectors[:, np.argsort(-abs(values), kind="stable")]


def _right_singular(H, k):
    """Leading right singular vectors of H (n, d), with the signs of LAPACK's gesvd; (d, k)."""
    found = svd(as_dense(H), full_matrices=False, lapack_driver="gesvd")[2].T
    return found[:, :k] if found.shape[1] >= k else polar(found, None) @ np.eye(found.shape[1], k)


def _orthonormal(P):
    """The polar factor of P (d, k), real or complex; from its small Gram matrix where that is accurate."""
    values, V = np.linalg.eigh(P.conj().T @ P)
    if values[0] <= GRAM * values[-1]:
        return polar(P)
    return P @ ((V / np.sqrt(values)) @ V.conj().T)


def _row_norms(L):
    """Lengths of the rows of L (d, k), real or complex; (d, 1)."""
    parts = np.ascontiguousarray(L).view(float)
    return np.sqrt(np.einsum("ij,ij->i", parts, parts))[:, None]


def _phases(F, S):
    """Phases (1, k) that turn the columns of F towards those of S, signs where both are real."""
    along = np.sum(F * S, axis=0, keepdims=True)
    return np.where(along == 0, 1.0, along / np.where(along == 0, 1.0, abs(along)))


def heat_affinity(X):
    """The normalised affinities of the release: exp(-d^2 / 2) between 20 nearest neighbours; (n, n)."""
    n = X.shape[0]
    squares, indices = nearest_distances(X, min(RELEASED["n_neighbors"], n - 1))
    starts = squares.shape[1] * np.arange(n + 1)
    W = sp.csr_array((np.exp(-squares / 2.0).ravel(), indices.ravel(), starts), shape=(n, n))
    W = W.maximum(W.T).toarray()
    # Each sample has neighbours, near or far; of weights that are all 0 nothing is left to divide.
    roots = np.sqrt(W.sum(axis=1))
    roots[roots == 0] = 1.0
    return W / roots[:, None] / roots


def weigh_words(tasks, keep=False):
    """(1 + log count) log(N / df), rows at unit length; N and df over all tasks.

    Words of no task are left out, unless ``keep``, or if none were left.
    """
    weighted, sizes = [], [task[0].shape[0] for task in tasks]
    for parts in zip(*tasks):
        X = sp.csr_array(sp.vstack([sp.csr_array(part) for part in parts]), dtype=np.float64)
        X.eliminate_zeros()
        counts = np.bincount(X.indices, minlength=X.shape[1])
        X.data = (1.0 + np.log(X.data)) * np.log(X.shape[0] / np.maximum(counts, 1))[X.indices]
        X = unit_samples(X if keep or not X.nnz else X[:, np.flatnonzero(counts)])
        ends = np.cumsum(sizes)
        weighted.append([X[end - size:end] for size, end in zip(sizes, ends)])
    return [list(views) for views in zip(*weighted)]


def kmeans_runs(Z, n_clusters, n_runs, seed):
    """Labels (n_runs, n) of that many k-means runs on Z (n, h) at once, each from a plain k-means++ start."""
    rng, lengths = np.random.default_rng(seed), np.sum(Z * Z, axis=1)
    centers, nearest = Z[rng.integers(len(Z), size=n_runs)][:, None], np.full((n_runs, len(Z)), np.inf)
    while centers.shape[1] < n_clusters:
        new = np.sum(centers[:, -1:] ** 2, axis=2) - 2.0 * centers[:, -1] @ Z.T + lengths
        nearest = np.minimum(nearest, np.maximum(new, 0.0))
        sums = np.cumsum(nearest, axis=1)
        drawn = np.sum(sums < rng.random((n_runs, 1)) * sums[:, -1:], axis=1)
        centers = np.concatenate([centers, Z[drawn][:, None]], axis=1)
    labels, before = np.zeros((n_runs, len(Z)), dtype=np.intp), None
    while not np.array_equal(labels, before):
        before = labels
        labels = np.argmin(np.sum(centers**2, axis=2)[..., None] - 2.0 * centers @ Z.T, axis=1)
        members = (labels[:, None] == np.arange(n_clusters)[:, None]).astype(float)
        counts = members.sum(axis=2, keepdims=True)
        centers = np.where(counts > 0, members @ Z / np.maximum(counts, 1.0), centers)
    return labels


def most_frequent(labels):
    """The partition that most rows of labels (n_runs, n) are; of several, the first.

    >>> most_frequent(np.array([[0, 1, 1], [0, 0, 1], [1, 0, 0]])).tolist()
    [0, 1, 1]
    """
    found = [np.unique(row, return_index=True, return_inverse=True)[1:] for row in labels]
    names = [first[inverse].tobytes() for first, inverse in found]
    return labels[names.index(Counter(names).most_common(1)[0][0])]


FORMULATIONS = {"consistent": Task, "printed": PrintedTask, "release": ReleasedTask}


class LMSC(LibraryClusterer):
    r"""Lifelong multi-view spectral clustering: for tasks that come one by one and cannot be kept.

    With :math:`K` the normalised affinities of a view and a task, and :math:`\hat X` its entries over the
    roots of the sums of their sample and their feature, the method maximises over :math:`E`, :math:`B`,
    :math:`L`, :math:`D` with orthonormal columns

    .. math:: \sum_v \Big\{\frac{1}{m} \sum_t \big[\operatorname{tr}(E^\top K E)
        + \lambda \operatorname{tr}(L^\top \hat X E B)\big] + \mu\, g(L) - \beta \|D - B\|\Big\},

    where :math:`E` (n_t, k) belongs to a view v and a task t, :math:`B` (k, k) and :math:`L` (d_v, k) to a
    view, :math:`D` (k, k) to all, and m tasks have been seen.  The :math:`E` of earlier tasks stay as they
    were; they enter through sums alone.  This is Eq. (8) with three of its parts read so that they agree with
    the others: :math:`K` is the affinity, because the identity minus it (Eq. 2) would be maximised by the
    most oscillating vectors; :math:`B` is left out of the first term, where it cancels; and :math:`\|D - B\|`
    stands without a square, which the weight :math:`1 / (2 \|D - B\|)` gives back.

    The updates of 'consistent' never lower the objective.  With :math:`\operatorname{polar}(A) = U V^\top` of
    the thin singular value decomposition :math:`A = U S V^\top`, the maximiser of
    :math:`\operatorname{tr}(Q^\top A)`, they are, in this order,

    .. math::

        \begin{aligned}
        E &= \operatorname{polar}\big(2 (K + I) E + \lambda \hat X^\top L B^\top\big), \\
        B &= \operatorname{polar}\big(C^\top L / m + 2 \beta \alpha D\big), \quad
            C = \lambda \sum_t \hat X E, \\
        L &= \operatorname{polar}\big(C B / m + \mu \nabla\big), \\
        D &= \operatorname{polar}\Big(\sum_v \alpha B\Big), \quad \alpha = 1 / (2 \|D - B\|),
        \end{aligned}

    with :math:`E` following a tangent of a convex function, :math:`\nabla` the gradient of a minorant of
    :math:`g`, and :math:`\alpha` at most 500,000.

    'printed' follows Eqs. (11) to (21): a gradient step with the mean gradient of all views, and eigenvectors
    of matrices that hold the unknown; none of its steps is sure to raise its objective, Eq. (8).

    'release' is what the authors' code does, which is not what the paper says.  ``fit`` takes counts of words
    and weighs them over all tasks, :math:`(1 + \log c) \log(N / \mathrm{df})`, rows to unit length; :math:`K`
    has 20 neighbours and a heat kernel of width 1, :math:`\hat X` is made of :math:`X` minus its smallest
    entry.  :math:`L` starts from right singular vectors of :math:`\hat X^\top` (n, d), with the signs that
    LAPACK gives, :math:`E` from the mean over views of eigenvectors of :math:`K`, each with the sign of
    :math:`\hat X^\top L`, and :math:`B = D = I`.  A sweep is, eigenvectors in the order of falling modulus,

    .. math::

        \begin{aligned}
        E &= \operatorname{polar}\Big(\frac{1}{V} \sum_v 2 K E B B^* + \lambda \hat X^\top L B^*\Big), \quad
            M \leftarrow M + E^* K E, \quad C \leftarrow C + \lambda \hat X E, \\
        B &= \operatorname{eig}\big(B^* (M / m + B L^* C / m
            - \beta \alpha (2 I - B D^* - D B^*)) B\big), \\
        L &= \operatorname{polar}\big(C B + \mu \operatorname{diag}(|l_i|) L\big), \\
        D &= \operatorname{eig}\Big(\sum_v \alpha (2 I - B D^* - D B)\Big), \quad \alpha = 1 / (2 \|D - B\|),
        \end{aligned}

    with one :math:`E` for all views.  The matrices are not symmetric, so that iterates turn complex; then
    :math:`{}^*` is the conjugate transpose, stopping looks at the modulus, ``objective_`` has the real part,
    and k-means sees real and imaginary parts side by side.

    The libraries :math:`B` and :math:`D` cannot change a result, as the companion's notebook shows; from the
    start :math:`B = D = I` the updates of 'consistent' keep them there.  What tasks learn from each other
    goes through :math:`L`.

    Time grows as n^2: n up to about 50,000 (all tasks together; ten iterations in two minutes).

    Parameters
    ----------
    n_clusters : int, or list of equal ints with one per task
        k.
    lam : float >= 0, default 1.0
        Weight of co-clustering; 0 is spectral clustering of each view.  On two streams of news 10 has better
        scores, by 11 and 12 points of NMI, but not on streams cut from 15 sets of views (in the mean -3.4 to
        +2.3 points; 3 has -1.1 to +2.7).  So 1, fixed beforehand, stays.
    mu : float >= 0, default 0.01
        Weight of ``l21``.
    beta : float >= 0, default 1.0
        Weight of fusion.
    l21 : {'penalty', 'reward', 'text'}, default 'penalty'
        :math:`g(L)`: minus the sum of row norms, which makes few rows large; plus that sum, as printed, which
        makes all rows alike; or what the printed update climbs, 2/3 of the sum of cubed row norms.  'printed'
        ignores it.
    output : {'concat', 'aligned', 'literal'}, default 'concat'
        What k-means sees: all :math:`E B` side by side; the mean of the :math:`E` turned towards the first
        view; both with rows of unit length; or the paper's mean of :math:`E`, times :math:`D`, which depends
        on the arbitrary bases of the :math:`E`.
    affinity : {'knn-cosine', 'knn', 'cosine', 'gaussian'} or callable, default 'knn-cosine'
        'knn' takes Euclidean distances of the rows as they are; see ``graphs.normalized_affinities``.
    n_neighbors : int or 'log', default 10
        For 'knn' and 'knn-cosine'; 'log' is floor(log2 n) + 1.
    scale : {'median', 'mean', 'self-tuning'} or float > 0, default 'median'
        Width of 'gaussian'; 'self-tuning' also of 'knn' and 'knn-cosine'.
    matrix : {'affinity', 'laplacian'}, default 'affinity'
        :math:`K`; 'laplacian' is the printed identity minus the affinity.
    negative : {'refuse', 'split'}, default 'refuse'
        Negative entries, for which co-clustering has no meaning: an error, or the feature counts as two, one
        with its positive and one with its negative part.  :math:`L` then has 2 d_v rows.  Not for 'release'.
    formulation : {'consistent', 'printed', 'release'}, default 'consistent'
        'consistent' is the only one whose steps never lower what it optimises.  'printed' with ``eta=1``
        hardly ever converges; it has better scores on two streams of news, by 3 and 7 points of NMI at
        ``lam=1``, but not on the 15 others (-2.5 to +2.1).  'release' is for comparison with the paper.
    rank : int or None, default None
        Columns of :math:`E, B, L, D`; None is ``n_clusters``.  The released demo sets 20, whatever k.
    changes : tuple of str, default ()
        Parts of 'release' to take back, to see what they do: 'step' (:math:`E` plus ``eta`` times the
        gradient), 'sums' (a task counts once), 'symmetric' (Hermitian parts), 'fusion' (Eq. 20 as printed),
        'rows' (twice their norm), 'arrival' (labels of a task when it comes), 'best' (k-means of lowest
        inertia), 'words' (weighted in each task for itself), 'given words' (rows as they are), 'graph'
        (``affinity``, ``n_neighbors``, ``scale``), 'fresh' (each task without the earlier ones), 'views' (an
        :math:`E` for each view, from its own gradient; labels from their mean).
    eta : float > 0, default 0.01
        Step of 'printed', and of 'release' with 'step'.
    n_init : int, default 10
        Starts of k-means; 'release' takes the most frequent of 100 partitions from plain k-means++ starts,
        whatever ``n_init`` and ``seeding``.
    seeding : {'greedy', 'plain', 'random'}, default 'greedy'
        Where k-means starts; see :func:`mtclib.core.starts.best_kmeans`.
    max_iter : int, default 500
        Sweeps a task; 'release' ends after 200 at the latest.
    tol : float, default 1e-6
        Stop when a sweep raises the objective by less than this share; 'release' when it changes by 1e-4.
    random_state : None, int, Generator or RandomState
        Drawn from once, before the first task.

    Warns
    -----
    DegenerateSubspaceWarning, EmptySampleWarning
        If the graph of a view has more components than columns of :math:`E`, or the features say nothing of
        some eigenvectors of ``matrix='laplacian'``; if a sample is all zeros in a view.

    Attributes
    ----------
    labels_ : ndarray of shape (n,), int, or list of them
        Of the last task after ``partial_fit``; of each task, as of when it arrived, after ``fit``; of
        'release', from its :math:`E` then and :math:`D` after the last task.
    basis_, embedding_ : list of ndarray of shape (k, k) and (d_v, k)
        :math:`B` and :math:`L` of each view.  With fewer features than clusters, :math:`L` has orthonormal
        rows instead.
    fusion_ : ndarray of shape (k, k)
        :math:`D`.
    weights_ : list of float
        :math:`\alpha` of each view.
    libraries_ : Libraries
        All that is kept between tasks; the four above and the sums.
    n_tasks_ : int
    task_embeddings_ : list of ndarray of shape (n, k)
        :math:`E` of each view, last task.
    representation_ : ndarray of shape (n, h)
        What k-means saw, last task.
    objective_ : ndarray of shape (n_iter,)
        Minus the objective after each sweep of the last task; after ``fit``, the sum of these over tasks,
        each continued with its last value.  For 'consistent' it never rises.
    histories_ : list of ndarray
        After ``fit``: the objective of each task.
    n_iter_, converged_ : int and bool

    References
    ----------
    H. Cai, Y. Tan, S. Huang, J. Lv. Lifelong Multi-view Spectral Clustering. IJCAI 2023, Algorithm 1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> means = 1.0 + 9.0 * np.kron(np.eye(2), np.ones(4))
    >>> model = LMSC(n_clusters=2, random_state=0)
    >>> for _ in range(3):
    ...     views = [rng.poisson(means[np.arange(30) % 2]) for _ in range(2)]
    ...     model = model.partial_fit(views)
    >>> np.bincount(model.labels_).tolist(), model.n_tasks_
    ([15, 15], 3)
    """

    traits = Traits(kind="lifelong", paper="Cai, Tan, Huang, Lv, IJCAI 2023", nonnegative=True,
                    same_n_clusters=True)
    ALGORITHM_VERSION = 2
    rules = {"lam": NONNEGATIVE, "mu": NONNEGATIVE, "beta": NONNEGATIVE, "eta": POSITIVE,
             "n_neighbors": Named(("log",), COUNT), "l21": tuple(L21), "output": OUTPUTS,
             "matrix": ("affinity", "laplacian"), "negative": ("refuse", "split"), "rank": COUNT_OR_NONE,
             "formulation": tuple(FORMULATIONS), "scale": Named(SCALES, POSITIVE)}

    def __init__(self, n_clusters, *, lam=1.0, mu=0.01, beta=1.0, l21="penalty", output="concat",
                 affinity="knn-cosine", n_neighbors=10, scale="median", matrix="affinity",
                 negative="refuse", formulation="consistent", rank=None, changes=(), eta=0.01, n_init=10,
                 max_iter=500, tol=1e-6, seeding="greedy", random_state=None):
        self.n_clusters, self.lam, self.mu, self.beta = n_clusters, lam, mu, beta
        self.l21, self.output, self.affinity, self.n_neighbors = l21, output, affinity, n_neighbors
        self.scale, self.matrix, self.negative, self.formulation = scale, matrix, negative, formulation
        self.rank, self.changes, self.eta, self.n_init = rank, changes, eta, n_init
        self.max_iter, self.tol, self.seeding, self.random_state = max_iter, tol, seeding, random_state

    @property
    def _released(self):
        return self.formulation == "release"

    @property
    def _at_arrival(self):
        return not self._released or "arrival" in self.changes

    def _check_parameters(self):
        super()._check_parameters()
        if not callable(self.affinity):
            check_option("affinity", self.affinity, AFFINITIES)
        if not isinstance(self.changes, (tuple, list)) or (self.changes and not self._released):
            raise ValueError(f"changes must be a tuple of names, and empty unless formulation is 'release'; "
                             f"got {self.changes!r}")
        for name in self.changes:
            check_option("changes", name, CHANGES)
        if self._released and self.negative == "split":
            raise ValueError("negative must be 'refuse' where formulation is 'release', which takes the "
                             "logarithms of counts; got 'split'")

    def _check_input(self, Xs):
        Xs, n_clusters = super()._check_input(Xs)
        n = min(views[0].shape[0] for views in Xs)
        check_number("rank", self._rank(n_clusters[0]), 1, n, integer=True)
        if self._released and "given words" not in self.changes:
            parts = [[views] for views in Xs] if "words" in self.changes else [Xs]
            Xs = [views for part in parts for views in weigh_words(part, "words" in self.changes)]
        return Xs, n_clusters

    def _check_task(self, Xs):
        if self._released and not {"words", "given words"} & set(self.changes):
            raise ValueError("formulation='release' weights words over all tasks, which are not at hand "
                             "here; use fit, or changes=('words',) or ('given words',)")
        views, k = super()._check_task(Xs)
        check_number("rank", self._rank(k), 1, views[0].shape[0], integer=True)
        return weigh_words([views], True)[0] if "words" in self.changes else views, k

    def _rank(self, k):
        return k if self.rank is None else self.rank

    def _task(self, Xs, k, seed, past):
        with one_thread("blas") if self._released else nullcontext():
            return self._prepared(Xs, self._rank(k), seed, past)

    def _prepared(self, Xs, k, seed, past):
        if self._released and "graph" not in self.changes:
            views = [self._released_view(X, k) for X in Xs]
        else:
            graphs = normalized_affinities(Xs, self.affinity, self.scale, "view", self.n_neighbors)
            views = [self._view(graph, X, k, seed) for graph, X in zip(graphs, Xs)]
        return FORMULATIONS[self.formulation](views, past, self)

    def _released_view(self, X, k):
        K, low = heat_affinity(X), X.min()
        return View(K, normalized_bipartite(X if low == 0 else as_dense(X) - low), eigh(K)[1][:, ::-1][:, :k])

    def _view(self, graph, X, k, seed):
        K = graph.block(np.arange(graph.shape[0]))
        if self.matrix == "affinity":
            F = leading(graph, k, seed)
        else:
            K = aslinearoperator(sp.eye_array(K.shape[0])) - aslinearoperator(K)  # never formed
            start = np.random.default_rng(seed).standard_normal((K.shape[0], min(k + 5, K.shape[0])))
            F = top_eigenvectors(K.__matmul__, start, k, RESIDUAL)[1]
        # Where a graph has too few samples with neighbours, zero columns become orthonormal ones.
        parts = X if self.negative == "refuse" else split_signs(X)
        view = View(K, normalized_bipartite(parts), polar(F, np.eye(*F.shape)))
        if self.matrix == "laplacian":  # whose vectors may oscillate within copies of samples
            squares = np.linalg.eigvalsh((start := view.HT @ view.F).T @ start)
            if squares[0] < UNSEEN * squares[-1]:
                tell("the features say nothing of some eigenvectors of matrix='laplacian', so that rounding "
                     "decides where the fit starts; use matrix='affinity'", DegenerateSubspaceWarning)
        return view

    def _represent(self, task):
        """What k-means sees; (n, h)."""
        if self._released:
            return self._parts(task.Es, task.D)
        if self.output == "literal":
            return sum(task.Es) / len(task.Es) @ task.D
        if self.output == "aligned":
            first, I = task.Es[0], np.eye(task.D.shape[0])
            return unit_rows(sum(E @ polar(E.T @ first, I) for E in task.Es))
        return unit_rows(np.hstack([E @ B for E, B in zip(task.Es, task.Bs)]))

    def _parts(self, Es, D):
        Z = sum(Es) / len(Es) @ D
        return unit_rows(np.hstack([Z.real, Z.imag]) if np.iscomplexobj(Z) else Z)

    def _labels(self, fits, k):
        if self._at_arrival:
            return super()._labels(fits, k)
        return [self._cluster(self._parts(fit.attributes["task_embeddings_"], self.fusion_), k, place)
                for place, fit in enumerate(fits, start=1)]

    def _cluster(self, Z, k, place):
        if not self._released or "best" in self.changes:
            return super()._cluster(Z, k, place)
        return most_frequent(kmeans_runs(Z, k, RELEASED["partitions"], self._seeds(place)[0]))


def split_signs(X):
    """Positive and negative parts of X (n, d) side by side, both nonnegative: (n, 2 d), dense or CSR as X."""
    if sp.issparse(X):
        return sp.hstack([X.maximum(0.0), (-X).maximum(0.0)], format="csr")
    return np.hstack([np.maximum(X, 0.0), np.maximum(-X, 0.0)])


class L2SC(LMSC):
    r"""Lifelong spectral clustering: :class:`mtclib.LMSC` with one view and without fusion.

    Maximises

    .. math:: \frac{1}{m} \sum_t \big[\operatorname{tr}(E^\top K E)
        + \lambda \operatorname{tr}(L^\top \hat X E B)\big] + \mu\, g(L)

    over :math:`E`, :math:`B`, :math:`L` with orthonormal columns.

    Reconstruction: the formulas are those that the LMSC paper gives for its parent; which of the views of
    multi-view data it should get, that paper does not say.

    Time grows as n^2: n up to about 60,000 (all tasks together; ten iterations in two minutes).

    Parameters
    ----------
    n_clusters : int, or list of equal ints with one per task
    view : int, default 0
        Which view of each task to use, counted from 0.
    output : {'concat', 'literal'}, default 'concat'
        k-means on the rows of :math:`E B` at unit length, or as they are.
    lam, mu, l21, affinity, n_neighbors, scale, matrix, negative, formulation, eta, n_init, seeding,
    max_iter, tol, random_state
        See :class:`mtclib.LMSC`.

    Attributes
    ----------
    labels_, basis_, embedding_, libraries_, n_tasks_, task_embeddings_, representation_, objective_, n_iter_
        See :class:`mtclib.LMSC`; lists of views have one entry.
    histories_, converged_, fusion_, weights_
        See :class:`mtclib.LMSC`; ``fusion_`` is the basis unless ``formulation='printed'``.

    References
    ----------
    G. Sun, Y. Cong, Q. Wang, J. Li, Y. Fu. Lifelong Spectral Clustering. AAAI 2020.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> means = 1.0 + 9.0 * np.kron(np.eye(2), np.ones(4))
    >>> tasks = [[rng.poisson(means[np.arange(30) % 2])] for _ in range(3)]
    >>> [np.bincount(labels).tolist() for labels in L2SC(n_clusters=2, random_state=0).fit(tasks).labels_]
    [[15, 15], [15, 15], [15, 15]]
    """

    traits = Traits(kind="lifelong", paper="Sun et al., AAAI 2020", nonnegative=True, same_n_clusters=True,
                    reconstruction=True)
    ALGORITHM_VERSION = 2
    rules = {"output": ("concat", "literal"), "view": Number(0, integer=True),
             "formulation": ("consistent", "printed")}

    def __init__(self, n_clusters, *, view=0, lam=1.0, mu=0.01, l21="penalty", output="concat",
                 affinity="knn-cosine", n_neighbors=10, scale="median", matrix="affinity",
                 negative="refuse", formulation="consistent", eta=0.01, n_init=10, max_iter=500, tol=1e-6,
                 seeding="greedy", random_state=None):
        super().__init__(n_clusters, lam=lam, mu=mu, beta=0.0, l21=l21, output=output, affinity=affinity,
                         n_neighbors=n_neighbors, scale=scale, matrix=matrix, negative=negative,
                         formulation=formulation, eta=eta, n_init=n_init, seeding=seeding,
                         max_iter=max_iter, tol=tol, random_state=random_state)
        self.view = view

    def _views_of(self, views):
        if self.view >= len(views):
            raise ValueError(f"view is {self.view} but the tasks have {len(views)} view(s), counted from 0; "
                             f"choose one of them")
        return [views[self.view]]
