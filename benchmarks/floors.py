"""What a method cannot avoid: its products, decompositions and searches as bare calls, beside its own time.

    python -m benchmarks floors                                        all methods, minutes
    python -m benchmarks floors --only MBC --output FILE               other rows of FILE stay

A fit at the defaults on real data is watched: which part of it iterates, how often, on which arrays, and how
many columns its block eigensolvers multiplied.  The floor makes the same steps with numpy, scipy and
scikit-learn alone: thin products, symmetric routines, leading eigenvectors only, and of elementwise work only
what touches all pairs of samples (a median, an exponential, a selection of neighbours) and the scaling of
views; starts of k-means go at once where that is faster, as ours do.  What a definition asks for once counts
as well: principal components or k-means at the start, eigenvectors and k-means of an embedding at the end.
Fit, floor and the routine that a user would take instead are called in turn; of each the least of several is
kept, in seconds of the processor.  Where nothing but k-means on an embedding iterates, an iteration is one of
its starts.
"""

import argparse
import sys
import warnings
from collections import Counter
from contextlib import ExitStack, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from time import process_time
from unittest.mock import patch

import numpy as np
import pandas as pd
import scipy.sparse as sp
from scipy.cluster.hierarchy import linkage
from scipy.linalg import cho_factor, cho_solve, eigh, lapack, lu_factor, lu_solve, svd
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh
from scipy.spatial.distance import squareform
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.decomposition import PCA
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.neighbors import NearestNeighbors

from mtclib.baselines import landmark_spectral
from mtclib.baselines.registry import all_estimators
from mtclib.core.starts import best_kmeans
from mtclib.datasets import load
from mtclib.maths import graphs, linalg, simplex

from .record import merge
from .routines import kmeans, spectral, spectral_on_neighbours, with_short_indices
from .timing import one_thread, timed

ROUNDS, BUDGET = 8, 12.0
"""Fits and floors are called in turn so often, but no more than twice where a fit takes so many seconds."""

LONG_ENOUGH = 0.005
"""Seconds for which a part of a floor is called again and again."""

WANTED = {"floor, iteration": 1.5, "floor, fit": 2.0}
_BEYOND = "the step beyond each sweep goes through the embeddings of the last eight, and starts compete"
_POLAR = "calls on (k, k) arrays, and in each polar factor a Newton step that brings back its digits"
_SMALL = "at 200 samples graphs, simplex projections and components take as long as decompositions"
_MEMBERSHIPS = "elementwise steps, slopes and losses of (n, k) memberships, and checks of (k, k) arrays"
_SIMPLEX = "the projections of memberships on the simplex sum and compare as well as sort"
WHY = {
    "ASI": "the nearest centroid of each sample, with ties, takes as long as products with so few columns",
    "CLR": "the block eigensolver goes in many small steps, whose blocks it makes orthonormal",
    "ConvexSub": "the duality gap, its stopping rule, takes another whole decomposition in some steps",
    "CoregSpectral": _BEYOND,
    "L2SC": _POLAR, "LLMC": _SMALL, "LMSC": _POLAR,
    "MKC": _SIMPLEX,
    "MultiViewSNMF": "elementwise steps and norms of memberships beside the product with a sparse graph",
    "OneView": _SMALL, "PerTask": _BEYOND,
    "SMKC": _SIMPLEX, "SPMTC": _MEMBERSHIPS,
    "SingleView": "each step is shown to be that of sparse data, and its calls take as long as products",
}  # fmt: skip
"""Why a method is above a wanted ratio."""

LARGE, SMALL, VIEWS = "mtcmrl-20newsgroups", "mtcmrl-reuters", "handwritten"
ON_SMALL = ("LLMC", "OneView")
"""Methods whose fits of 20 Newsgroups take minutes."""

EVERY = {"ConvexSub": 4, "DiMSC": 4, "LatentMSC": 4}
"""Every so many samples of the views, where time grows with their cube."""

# ---- a fit, watched ----------------------------------------------------------------------------------------


class Watch:
    """Calls of functions below mtclib, ``module:name``, and the seconds in them; inner calls count once."""

    def __init__(self, targets):
        self.targets, self.seconds, self.calls, self._depth = targets, 0.0, [], 0

    def start(self, stack):
        """Replace the functions until the stack is closed."""
        for target in self.targets:
            module, _, name = target.partition(":")
            owner, (*parts, last) = import_module(f"mtclib.{module}"), name.split(".")
            for part in parts:
                owner = getattr(owner, part)
            stack.enter_context(patch.object(owner, last, self.wrapped(getattr(owner, last))))

    def wrapped(self, function):
        def wrapper(*args, **kwargs):
            self._depth += 1
            result, seconds = timed(lambda: function(*args, **kwargs))
            self._depth -= 1
            self.seconds += 0.0 if self._depth else seconds
            self.calls.append((args, result))
            return result
        return wrapper


class Widths(Watch):
    """Columns of the blocks that a block eigensolver multiplied."""

    def wrapped(self, function):
        def wrapper(product, start, *args, **kwargs):
            def counted(V):
                self.calls.append(V.shape[1])
                return product(V)
            return function(counted, start, *args, **kwargs)
        return wrapper


class Seen:
    """A fit at the defaults, and what was watched while it ran."""

    def __init__(self, model, Xs, loop, others, widths):
        self.model, self.Xs = model, Xs
        watches = [Watch(loop), Watch(others), Widths(widths), Watch(["maths.eigen:_new_directions"])]
        linalg._SPECTRA.clear()
        with ExitStack() as stack:
            for watch in watches:
                watch.start(stack)
            _, self.seconds = timed(lambda: model.fit(Xs))
        self.looped = watches[0].seconds
        self.loop, self.step, self.widths, self.expansions = (watch.calls for watch in watches)
        self.ks = np.broadcast_to(model.n_clusters, len(Xs)).tolist()


# ---- parts that several floors share -----------------------------------------------------------------------


@cache
def block(n, k):
    """Numbers in [0, 1), (n, k); nobody changes them."""
    return np.random.default_rng(1).random((n, k))


def indicator(n, k):
    """The (k, n) indicator matrix of clusters of equal size, CSR."""
    return sp.csr_array(sp.csc_array((np.ones(n), np.arange(n) % k, np.arange(n + 1)), shape=(k, n)))


def by_columns(A):
    """As CSC, a sparse array multiplies a thin one in half the time: no addition waits for the last."""
    return A.tocsc() if sp.issparse(A) else A


def lloyd(X, k):
    """A step of k-means: products with the centroids, and sums by cluster."""
    C, H, A = block(X.shape[1], k), indicator(X.shape[0], k), by_columns(X)
    return lambda: (A @ C, H @ X)


def in_turn(steps):
    """Steps of all tasks or views one after the other: no part stays in the cache until its next turn."""
    steps = list(steps)
    return lambda: [step() for step in steps]


def factor_step(product, n, k):
    """A step of a symmetric factorisation: a product with M, and the Gram matrices of its line search."""
    Y = block(n, k)
    return lambda: (product(Y), Y @ (Y.T @ Y), Y.T @ Y, Y.T @ Y)


def cosine(X):
    """The product with the cosine similarity, and what gives its norm."""
    U = linalg.unit_samples(X)
    UT, A = U.T.tocsr(), by_columns(U)
    return lambda Y: A @ (U.T @ Y), lambda: U @ UT


def neighbours(X, m):
    """Nearest neighbours: one product, and a selection in each row; or scikit-learn's search, if faster."""
    search = NearestNeighbors(n_neighbors=m + 1, algorithm="brute").fit(X)
    return cheapest(lambda: np.argpartition(linalg.dense_product(X, X.T), -m - 1, axis=1),
                    lambda: search.kneighbors(X))


def gaussian(X):
    """A Gaussian affinity: one product, a median and an exponential of all pairs."""
    def affinity():
        S = linalg.dense_product(X, X.T)
        return np.exp(S / -np.median(S[np.tri(len(S), k=-1, dtype=bool)]))
    return affinity


def gram(X):
    """Decomposition of the smaller Gram matrix."""
    factors = (X, X.T) if X.shape[0] <= X.shape[1] else (X.T, X)
    return lambda: eigh(linalg.dense_product(*factors), driver="evd")


def leading(A, k):
    """Leading eigenvectors of a graph: by Lanczos, or of a dense array, whichever takes less time."""
    v0 = block(A.shape[0], 1)[:, 0] - 0.5

    def lanczos():
        return eigsh(A, k, which="LA", v0=v0, maxiter=100)

    if isinstance(A, LinearOperator):
        return lanczos
    D, n = linalg.as_dense(A), A.shape[0]
    return cheapest(lambda: eigh(D, subset_by_index=[n - k, n - 1]), lanczos)


def cheapest(*forms):
    """The function of several that takes the least time, of those that do not fail."""
    seconds = []
    for form in forms:
        with suppress(ArpackError):
            seconds.append((timed(form)[1], len(seconds), form))
    return min(seconds)[-1]


def kmeans_start(X, k):
    return lambda: KMeans(k, init="random", n_init=1, random_state=0).fit(X)


def kmeans_runs(calls):
    """All starts of k-means on embeddings."""
    return [all_starts(*args[:3]) for args, _ in calls]


def all_starts(Z, k, seeds):
    """One after the other by scikit-learn on a dense array, or at once by ours, if faster."""
    def one_by_one():
        for seed in seeds:
            KMeans(k, init=kmeans_plusplus(Z, k, random_state=seed)[0], n_init=1).fit(Z)
    return cheapest(one_by_one, lambda: best_kmeans(Z, k, seeds))


def scaled(X, scaling):
    """A dense view with all features in one range, in units of its standard deviation if that is asked."""
    def scale():
        low = X.min(axis=0)
        span = X.max(axis=0) - low
        Z = (X - low) * (2.0 / np.where(span > 0, span, 1.0))
        return Z / np.sqrt(Z.var(axis=0).sum()) if "+" in scaling else Z
    return scale


def rounded(seen):
    """What is watched beside the iteration, once: eigenvectors of graphs, and k-means of embeddings."""
    for args, found in seen.step:
        if hasattr(args[0], "block"):
            yield None, leading(whole(args[0]), args[1])
        elif isinstance(found, KMeans):
            yield None, *kmeans_runs([(args, found)])


def products(widths, apply, n=None):
    """Products of an operator with blocks of as many columns as a fit had: (times, function).

    A product with `n` columns was of a dense decomposition.
    """
    for width in set(widths):
        yield widths.count(width), lambda width=width: apply(width)
        if width == n:
            D = block(n, n)
            yield widths.count(width), lambda D=D: eigh(D + D.T, subset_by_index=[n - 5, n - 1])


def expansions(seen, parts=1):
    """Beside products, of a block eigensolver: one orthogonalisation, the small matrix, Ritz vectors."""
    shapes = np.array([(R.shape[1], S.shape[1], S.shape[0]) for (R, S), _ in seen.expansions]).reshape(-1, 3)
    if len(shapes):
        w, m, n = shapes.mean(axis=0).round().astype(int)
        R, S = block(n, w), block(n, m)
        yield (len(shapes) / parts, lambda: (np.linalg.qr(R - S @ (S.T @ R)), S.T @ R, S @ block(m, w),
                                             eigh(S[:m].T @ S[:m], subset_by_index=[m - 1, m - 1])))


def whole(graph):
    """The graph as an array or operator."""
    return graph.block(np.arange(graph.shape[0]))


# ---- floors: (times, function) of what iterates, with times None for what is made once ---------------------


def lloyd_floor(seen):
    for (X, k, *_), found in seen.loop:
        yield found.n_iter_, lloyd(X, k)
    if hasattr(seen.model, "scaling"):
        view = getattr(seen.model, "view", None)
        for X in seen.Xs if view is None else seen.Xs[view:view + 1]:
            yield None, scaled(X, seen.model.scaling)


def spectral_floor(seen):
    for (graph, k, *_), _ in seen.step:
        yield None, leading(whole(graph), k)
    yield from ((1, run) for run in kmeans_runs(seen.loop))


def neighbour_spectral_floor(seen):
    for X in seen.Xs:
        yield None, neighbours(X, seen.model.n_neighbors)
    yield from spectral_floor(seen)


def landmark_floor(seen):
    sizes, m = [len(landmarks) for landmarks in seen.model.landmarks_], seen.model.n_neighbors
    for X, landmarks, p in zip(seen.Xs, seen.model.landmarks_, sizes):
        sample = X[:landmark_spectral.SAMPLES * p]
        search = NearestNeighbors(algorithm="brute").fit(landmarks)
        yield None, lambda sample=sample, p=p: KMeans(p, init="random", n_init=1, max_iter=20).fit(sample)
        yield None, lambda X=X, search=search: search.kneighbors(X, m)
    shape = len(seen.Xs[0]), sum(sizes)
    Z = sp.random_array(shape, density=m * len(sizes) / shape[1], rng=0, format="csr")
    yield from products(seen.widths, lambda width: Z.T @ (Z @ block(shape[1], width)))
    yield from ((1, run) for run in kmeans_runs(seen.loop))


def consensus_floor(seen):
    """Members search neighbours, in tasks by distance and by cosine, and see all views side by side."""
    views = isinstance(seen.model.labels_, np.ndarray)
    for X in seen.Xs if views else seen.Xs * 2:
        yield None, neighbours(X, 10 if views else graphs.MANY_SCALES[-1])
    for X, k in zip([np.hstack(seen.Xs)] if views else seen.Xs, seen.ks):
        yield None, lambda X=X: linkage(squareform(euclidean_distances(X), checks=False), "ward")
        yield None, lambda X=X, k=k: KMeans(k, n_init=10, random_state=0).fit(X)
    yield from rounded(seen)
    yield from ((1, run) for run in kmeans_runs(seen.loop))


def asi_floor(seen):
    """The start, k-means of principal components, is watched with the steps."""
    for (_, (X, _, start), k, _), fit in seen.loop:
        H, F, A = indicator(X.shape[0], k), block(X.shape[1], k), by_columns(X)
        S = linalg.dense_product(H, X).T
        yield None, lambda X=X, k=k: PCA(k, svd_solver="arpack").fit_transform(X)
        yield 1, kmeans_start(start, k)
        yield len(fit.objective), lambda X=X, A=A, H=H, F=F, S=S: (
            H @ X, svd(S, full_matrices=False), H @ (A @ F))


def snmf_floor(seen):
    for X, k, (_, (_, history, _)) in zip(seen.Xs, seen.ks, seen.loop):
        product, square = cosine(X)
        yield None, kmeans_start(X, k)
        yield None, square
        yield len(history), factor_step(product, X.shape[0], k)
        if hasattr(seen.model, "lam"):
            yield None, gram(X)
            basis, Y = linalg.gram_eigh(X)[1], block(min(X.shape), k)
            yield len(history), lambda basis=basis, Y=Y: basis @ (basis.T @ Y)


def views_snmf_floor(seen):
    for X in seen.Xs:
        yield None, neighbours(X, seen.model.n_neighbors)
    for (M, Y, *_), (_, history, _) in seen.loop:
        yield len(history), factor_step(by_columns(M.M).__matmul__, *Y.shape)


def mtcmrl_floor(seen):
    times, others = len(seen.model.objective_), len(seen.Xs) - 1
    for X, k in zip(seen.Xs, seen.ks):
        product, square = cosine(X)
        yield from ((None, each) for each in (kmeans_start(X, k), gram(X), square))
        basis, A, W, Y = linalg.gram_eigh(X)[1], by_columns(X), block(X.shape[1], k), block(X.shape[0], k)
        yield times, lambda X=X, A=A, W=W, Y=Y, basis=basis: (A @ W, X.T @ Y, basis @ (basis.T @ Y))
        yield times, lambda product=product, Y=Y: (product(Y), Y @ (Y.T @ Y))
        yield times * others, lambda W=W: (W.T @ W, W @ W[:W.shape[1]].T)


def bregman_floor(seen):
    """Each watched step assigns the samples of a problem's tasks; pairs of tasks compare their centroids."""
    counts = {}
    for (problem, state, *_), _ in seen.step:
        for task, centres in zip(problem.tasks, state.centres):
            counts.setdefault(id(task), [task.X, len(centres.points), 0])[2] += 1
    for X, k, times in counts.values():
        C = block(X.shape[1], k)
        yield times, lloyd(X, k)
        yield times * (len(counts) - 1) / 2, lambda C=C: (C.T @ C, C @ C[:C.shape[1]])


def graded_floor(seen):
    """Each watched step multiplies a task with its centroids; ten membership steps sort each sample's.

    As in subspaces, centroids are the solution of a system of their number.
    """
    counts = {}
    for (problem, state, t), _ in seen.step:
        task = problem.tasks[t]
        counts.setdefault(id(task), [task.X, state.memberships[t], 0])[2] += 1
    for X, P, times in counts.values():
        yield None, kmeans_start(X, P.shape[1])
        C, A, G = block(X.shape[1], P.shape[1]), by_columns(X), np.eye(P.shape[1])
        yield times, lambda X=X, A=A, P=P, C=C: (A @ C, C.T @ C, (X.T @ P) @ np.linalg.inv(P.T @ P))
        columns = P.T.copy()
        yield 10 * times, cheapest(lambda P=P, G=G: np.sort(P @ G, axis=1),
                                   lambda V=columns, G=G: simplex.sorted_columns(G @ V))


def ridge_floor(seen):
    """Each watched step multiplies the labels of all tasks by the data and back, and couples the scorers."""
    Xs, k, times = seen.Xs, seen.ks[0] - 1, len(seen.model.objective_)
    Fs, Ws = ([block(X.shape[axis], k) for X in Xs] for axis in (0, 1))
    As = list(map(by_columns, Xs))
    W, features = np.hstack(Ws), hasattr(seen.model, "directions_")
    U = np.linalg.qr(W)[0][:, :max(1, len(getattr(seen.model, "direction_weights_", "")))]
    yield len(seen.step), lambda: ([X.T @ F for X, F in zip(Xs, Fs)], [A @ V for A, V in zip(As, Ws)],
                               U @ (U.T @ W) if features else 0)
    flat = W if features else np.stack([V.ravel() for V in Ws], axis=1)
    yield times, lambda: ([svd(F, full_matrices=False) for F in Fs], svd(flat, full_matrices=False))
    for X, XT in zip(Xs, [X.T.tocsr() for X in Xs]):
        n = X.shape[0]
        yield None, leading(LinearOperator((n, n), lambda x, X=X, XT=XT: X @ (XT @ x), dtype=float), k)
    yield from ((None, run) for run in kmeans_runs([((F, k + 1, range(10)), None) for F in Fs]))


def subspace_floor(seen):
    """Each watched step is a sweep: sums by membership, centroids from these, and products with them."""
    def step(X, k):
        A, P, C = by_columns(X), block(X.shape[0], k), block(X.shape[1], k)
        def both():
            gram = P.T @ P
            return (X.T @ P) @ np.linalg.inv(gram), A @ C, C.T @ C, P @ gram
        return both
    yield len(seen.step), in_turn(map(step, seen.Xs, seen.ks))


def views_floor(seen):
    """Each watched step assigns samples by all views, after sums by cluster."""
    scales = [scaled(X, seen.model.scaling) for X in seen.Xs]
    yield None, in_turn(scales)
    yield len(seen.step), in_turn(lloyd(scale(), seen.ks[0]) for scale in scales)


def cca_floor(seen):
    for X in seen.Xs:
        yield None, gram(X)
        for times, run in products(seen.widths, lambda width, X=X: X @ (X.T @ block(X.shape[0], width))):
            yield None, lambda times=times, run=run: [run() for _ in range(times)]
    for times, run in expansions(seen):
        yield None, lambda times=times, run=run: [run() for _ in range(round(times))]
    yield from ((1, run) for run in kmeans_runs(seen.loop))


def awp_floor(seen):
    for X in seen.Xs:
        yield None, neighbours(X, seen.model.n_neighbors)
    for (graph, k, *_), (_, F) in seen.step:
        R, H = np.eye(k), indicator(len(F), k)
        yield None, leading(whole(graph), k)
        yield (sum(len(run[3]) for _, run in seen.loop),
               lambda F=F, R=R, H=H: (F @ R, np.linalg.svd(H @ F)))


def coreg_floor(seen):
    """The problems of all fits; their views have arrays as affinities, and so has the eigensolver."""
    for X in (X for item in seen.Xs for X in (item if isinstance(item, list) else [item])):
        yield None, gaussian(X)
    for (problem, *_), (Us, *_) in seen.loop:
        yield from ((None, leading(K, U.shape[1])) for K, U in zip(problem.Ks, Us))
        share = seen.widths[:len(seen.widths) // len(seen.loop)]
        yield from products(share, lambda width, K=problem.Ks[0], F=Us[0]: (
            K @ block(len(K), width), F @ (F.T @ block(len(K), width))))
    yield from expansions(seen)
    yield from rounded(seen)


def clr_floor(seen):
    for X in seen.Xs:
        yield None, neighbours(X, seen.model.n_neighbors)
    for (A, *_), found in seen.loop:
        if sp.issparse(found):
            yield 1, lambda A=A: connected_components(A, directed=False)
    graph = by_columns(next(args[0] for args, found in seen.loop if isinstance(found, np.ndarray)))
    yield from products(seen.widths, lambda width: graph @ block(graph.shape[0], width))
    yield from expansions(seen)


def mtsc_floor(seen):
    Xs, times = seen.Xs, len(seen.model.objective_)
    for X in Xs:
        yield None, neighbours(X, seen.model.n_neighbors)
        n, XT = X.shape[0], X.T.tocsr()
        K = linalg.dense_product(X, XT) + n * np.eye(n)
        yield times, lambda X=X, XT=XT, K=K: (linalg.dense_product(X, XT), cho_factor(K, check_finite=False))
        factor = cho_factor(K)
        share = seen.widths[:len(seen.widths) // len(Xs)]
        yield from products(share, lambda w, f=factor, n=n: cho_solve(f, block(n, w), check_finite=False), n)
    yield from expansions(seen)


def llmc_floor(seen):
    lists = isinstance(seen.Xs[0], list)
    Xs = [sp.hstack(views, format="csr") for views in seen.Xs] if lists else seen.Xs
    times = len(seen.model.objective_)
    for X in Xs:
        yield None, neighbours(X, 11)
        n, XT = X.shape[0], X.T.tocsr()
        K = linalg.dense_product(X, XT)
        A, Z = K + n * np.eye(n), block(n, 4)
        yield times, leading(K, 4)
        yield times, lambda X=X, XT=XT, A=A, Z=Z: (
            linalg.dense_product(X, XT), lu_factor(A), Z @ Z.T, Z @ Z.T)
        factor, share = lu_factor(A), seen.widths[:len(seen.widths) // len(Xs)]
        yield from products(share, lambda w, f=factor, n=n, K=K: K @ lu_solve(f, block(n, w)), n)
    yield from expansions(seen)


def library_floor(seen):
    """Each watched task runs its sweeps: products with a graph and a bipartite graph, polar factors."""
    for views in seen.Xs:
        for X in views if seen.model.n_tasks_ and len(seen.loop[0][0][0].views) > 1 else views[:1]:
            yield None, neighbours(X, seen.model.n_neighbors)
    for (task, *_), (history, _) in seen.loop:
        for view, E, L in zip(task.views, task.Es, task.Ls):
            k = E.shape[1]
            yield None, leading(view.K, k)
            K, H, HT = map(by_columns, (view.K, view.H, view.HT))
            yield len(history), lambda K=K, H=H, HT=HT, E=E, L=L: (
                K @ E, HT @ E, H @ L, [(A.T @ A, A @ (A.T @ A)) for A in (E, L)],
                [np.linalg.eigh(L.T @ L) for _ in range(2)], [np.linalg.svd(L.T @ L) for _ in range(2)])


def dimsc_floor(seen):
    """A sweep makes the matrix of each view tridiagonal, turns by its reflectors twice, and solves."""
    n, times = seen.Xs[0].shape[0], len(seen.model.objective_)
    for X in seen.Xs:
        r = min(X.shape)
        B, G, F = block(n, n) + n * np.eye(n), linalg.dense_product(X, X.T), block(r, n)
        B = B + B.T
        yield None, lambda G=G, X=X: (linalg.dense_product(X, X.T), eigh(G, driver="evd"))
        yield None, neighbours(X, seen.model.n_neighbors)
        yield times, lambda B=B, F=F: (lapack.dsytrd(B, lower=1, lwork=64 * n), F @ B, F @ B, F.T @ F)
        yield times, lambda F=F: lapack.dptsv(np.full(F.size, 2.0), np.zeros(F.size - 1), F.reshape(-1, 1))
        yield times, lambda B=B: lapack.dorgqr(B, np.zeros(n), lwork=64 * n)
    yield from rounded(seen)


def latent_floor(seen):
    """Watched steps threshold an (n, n) matrix; those before anything is left need no decomposition."""
    n, times = seen.Xs[0].shape[0], len(seen.model.objective_)
    thresholds = [found for args, found in seen.step if isinstance(args[0], np.ndarray) and len(args) == 2]
    Z, H, real = block(n, n) / n, block(2 * seen.ks[0], n), sum(norm > 0 for _, norm in thresholds)
    A = Z + n * np.eye(n)
    yield None, lambda: eigh(Z @ Z.T, driver="evd")
    yield times, lambda: (Z @ Z.T, cho_factor(A), cho_solve((A, False), H.T), H @ Z, H @ Z, H.T @ H)
    yield real, lambda: eigh(Z.T @ Z, driver="evd")
    yield from rounded(seen)


def convex_floor(seen):
    """Each watched step decomposes a Gram matrix of samples."""
    n, Z = seen.Xs[0].shape[0], np.hstack([scaled(X, "minmax")() for X in seen.Xs])
    r = int(seen.model.rank_)
    yield None, gram(Z)
    G = Z @ Z.T
    steps = [found for _, found in seen.step if not isinstance(found, KMeans)]
    yield len(steps), lambda: (Z @ Z.T, eigh(G, subset_by_index=[n - max(r, 1), n - 1]),
                                   block(n, r) @ (block(n, r).T @ Z))
    yield from rounded(seen)


def relation_floor(seen):
    """SAMTC: neighbours in each pair of tasks, and shared ones, means matched, eigenvectors, then k-means."""
    steps = Counter(len(args[0]) for args, _ in seen.step if isinstance(args[0], np.ndarray))
    for U in (args[0] for args, _ in seen.step if sp.issparse(args[0])):
        UT, w = U.T.tocsr(), np.ones(U.shape[0])
        yield None, in_turn([lambda U=U, UT=UT, w=w: U @ (UT @ w)] * steps.pop(len(w), 0))
    for X in seen.Xs:
        for Y in seen.Xs:
            yield None, lambda X=X, Y=Y: np.argpartition(linalg.dense_product(X, Y.T), -30, axis=1)
            N = sp.random_array((X.shape[0], Y.shape[0]), density=30 / Y.shape[0], rng=0, format="csr")
            yield None, lambda N=N: linalg.dense_product(N, N.T)
    for (graph, k, *_), _ in seen.step:
        if hasattr(graph, "L"):
            yield None, leading(graph.L, k)
    yield from ((1, run) for run in kmeans_runs(seen.loop))


B = "baselines."
ONE = (f"{B}kmeans:kmeans_once",)
MEMBERS = [f"{B}{name}:{part}" for name in ("spectral_njw", "wmsc")
           for part in ("spectral_embedding", "best_kmeans")]
AFFINITY = [f"{B}_selfrepresentation:{part}" for part in ("spectral_embedding", "best_kmeans")]
COREG = coreg_floor, [B + "coreg:alternate"], [B + "coreg:best_kmeans"], [B + "coreg:top_eigenvectors"]
SPECS = {
    "ASI": (asi_floor, [B + "asi:ASI._fit_task"], [], []),
    "AWP": (awp_floor, [B + "awp:alternate"], [B + "awp:spectral_embedding"], []),
    "CCAClustering": (cca_floor, [B + "cca:best_kmeans"], [], [B + "cca:top_eigenvectors"]),
    "CLR": (clr_floor, [B + f"clr:{name}" for name in ("reweighted", "pieces", "smallest_eigenvectors")], [],
            [B + "clr:top_eigenvectors"]),
    "ConMC": (lloyd_floor, ONE, [], []),
    "ConvexSub": (convex_floor, [B + "convexsub:solve"],
                  [B + "convexsub:Projection.clip", B + "convexsub:best_kmeans"], []),
    "ConsensusClustering": (consensus_floor, [B + "consensus:best_kmeans"], MEMBERS, []),
    "CoregSpectral": COREG,
    "DMTFC": (ridge_floor, [B + "dmtc:relax"], [B + "dmtc:CoupledRidge._scaled"], []),
    "DMTRC": (ridge_floor, [B + "dmtc:relax"], [B + "dmtc:CoupledRidge._scaled"], []),
    "DiMSC": (dimsc_floor, [B + "dimsc:alternate"], AFFINITY, []),
    "KMeans": (lloyd_floor, ONE, [], []),
    "L2SC": (library_floor, ["lmsc:Task.run"], [], []),
    "LLMC": (llmc_floor, [B + "llmc:alternate"], [], [B + "llmc:top_eigenvectors"]),
    "LMSC": (library_floor, ["lmsc:Task.run"], [], []),
    "LSSMTC": (subspace_floor, ["spmtc:descend", "spmtc:close"], ["spmtc:sweep"], []),
    "LandmarkSpectral": (landmark_floor, [B + "landmark_spectral:best_kmeans"], [],
                         [B + "landmark_spectral:top_eigenvectors"]),
    "LatentMSC": (latent_floor, [B + "latentmsc:solve"],
                  [B + "latentmsc:threshold_singular_values", *AFFINITY], []),
    "MBC": (bregman_floor, ["mbc:descend"], ["mbc:assign"], []),
    "MKC": (graded_floor, [B + "mkc:MKC._descend"], [B + "_graded:products"], []),
    "MSPL": (views_floor, ["mspl:MSPL._round"], ["mspl:assign"], []),
    "MTCMRL": (mtcmrl_floor, ["mtcmrl:MTCMRL._update_task", "mtcmrl:objective", "mtcmrl:MTCMRL._settle"], [],
               []),
    "MTSC": (mtsc_floor, [B + "mtsc:alternate"], [], [B + "mtsc:top_eigenvectors"]),
    "MultiViewConsensus": (consensus_floor, [B + "consensus:best_kmeans"], MEMBERS, []),
    "MultiViewSNMF": (views_snmf_floor, [B + "snmf:project"], [], []),
    "OneView": (llmc_floor, [B + "llmc:alternate"], [], [B + "llmc:top_eigenvectors"]),
    "PerTask": COREG,
    "RMKMC": (views_floor, [B + "rmkmc:RMKMC._fit_once"], [B + "rmkmc:assign"], []),
    "SAMTC": (relation_floor, [B + "samtc:best_kmeans"],
              [B + f"samtc:{name}" for name in ("spectral_embedding", "match_mean", "project_capped")], []),
    "SMBC": (bregman_floor, [B + "smart:boost_where_it_helps"], ["mbc:assign"], []),
    "SMKC": (graded_floor, [B + "smart:boost_where_it_helps"], [B + "_graded:products"], []),
    "SNMF": (snmf_floor, [B + "snmf:project"], [], []),
    "SNMFLR": (snmf_floor, [B + "snmf:project"], [], []),
    "SPMTC": (subspace_floor, ["spmtc:descend", "spmtc:close"], ["spmtc:sweep"], []),
    "SingleView": (lloyd_floor, ONE, [], []),
    "SpectralNJW": (spectral_floor, [B + "spectral_njw:best_kmeans"],
                    [B + "spectral_njw:spectral_embedding"], []),
    "Stacked": (lloyd_floor, ONE, [], []),
    "WMSC": (neighbour_spectral_floor, [B + "wmsc:best_kmeans"], [B + "wmsc:spectral_embedding"], []),
}
"""By method: its floor, what iterates, what else is watched, and which eigensolvers."""


# ---- the rows ----------------------------------------------------------------------------------------------


def problem(name, cls):
    """Name of the data, Xs, numbers of clusters, the routine that a user would take instead, and its data."""
    if cls.traits.kind == "multiview":
        Xs, scaled = (load(VIEWS, edition="wheel", scaling=scaling).Xs for scaling in ("none", "minmax"))
        every = EVERY.get(name, 1)
        return VIEWS, [X[::every] for X in Xs], 10, spectral_on_neighbours, [np.hstack(scaled)[::every]]
    data = load(SMALL if name in ON_SMALL else LARGE, edition="wheel")
    ks = max(data.n_clusters) if cls.traits.same_n_clusters else data.n_clusters
    alone = list(map(with_short_indices, data.Xs))
    if cls.traits.kind == "multitask":
        return data.name, data.Xs, ks, kmeans, alone
    # Words in turn are one view and the other.
    return f"{data.name}, two views", [[X[:, ::2], X[:, 1::2]] for X in data.Xs], ks, spectral, alone


def least(function):
    """Seconds of a call, over as many as are long enough to be measured."""
    start, calls = process_time(), 0
    while process_time() - start < LONG_ENOUGH:
        function()
        calls += 1
    return (process_time() - start) / calls


def measure(name, cls):
    """A row: seconds of a fit, of the routine instead, and both ratios to the floor."""
    data, Xs, ks, routine, alone = problem(name, cls)
    floor, *watched = SPECS[name]
    block.cache_clear()
    model = cls(ks, random_state=0)
    fits, libraries, parts = [], [], None
    while len(fits) < 2 or (len(fits) < ROUNDS and sum(fit[0] for fit in fits) < BUDGET):
        seen = Seen(model, Xs, *watched)
        fits.append((seen.seconds, seen.looped))
        parts = parts or [(times, function, []) for times, function in floor(seen)]
        for _, function, seconds in parts:
            seconds.append(least(function))
        libraries.append(timed(lambda: [routine(X, k) for X, k in zip(alone, seen.ks)])[1])  # noqa: B023
    fit, loop = (min(each) for each in zip(*fits))
    each = sum(times * min(seconds) for times, _, seconds in parts if times is not None)
    once = sum(min(seconds) for times, _, seconds in parts if times is None)
    row = {"method": name, "data": data, "fit [s]": fit, "floor [s]": float(once + each),
           "floor, iteration": float(loop / each), "floor, fit": float(fit / (once + each)),
           "library": min(libraries) / fit, "library routine": routine.__name__}
    return row | {"why": reason(row)}


def reason(row):
    """Why the method of a row is above a wanted ratio; "" where it is not."""
    return WHY.get(row["method"], "") if any(row[name] > most for name, most in WANTED.items()) else ""


def table(names):
    """The rows of methods, which are printed as they come."""
    rows = []
    with one_thread(), warnings.catch_warnings(action="ignore"):
        for name in names:
            rows.append(measure(name, all_estimators()[name]))
            print({key: value for key, value in rows[-1].items() if value}, file=sys.stderr, flush=True)
    return pd.DataFrame(rows)


def main(arguments):
    parser = argparse.ArgumentParser(prog="python -m benchmarks floors", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=SPECS, default=list(SPECS), metavar="METHOD")
    parser.add_argument("--output", type=Path, help="CSV file; rows of other methods stay")
    options = parser.parse_args(arguments)
    found = table(options.only)
    if options.output:
        merge(found, options.output)
    print(found.to_string(index=False, na_rep="", float_format="{:.3g}".format))
