"""Starting partitions that several methods share, and one thread for what must add in the same order."""

import sys
import warnings
from contextlib import ExitStack, contextmanager, nullcontext
from functools import lru_cache
from threading import Lock

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from threadpoolctl import OpenBLASController, ThreadpoolController  # comes with scikit-learn

SEEDINGS = ("greedy", "plain", "random")
# Beyond so many samples starts compete on half as many, and eigenvectors are those that k-means rounds.
MANY = 20_000
# Inertias closer than this share of the squared length of all rows may differ by rounding alone.
ROUNDING = 1e-12
# Columns, and products of a k-means iteration, from which its dense form pays.
WIDE, WORTHWHILE = 10, 1e5
# Distances nearer than this, times the number of columns and the largest square, are chosen by rounding.
UNSURE = 8 * np.finfo(float).eps
# As a share of the largest square: nearer distances might be told apart by rounding, of sums too.
DECIDED = 1e-11
# Entries of all distances up to which starts run at once.
AT_ONCE = 2e5
# Shares of a tolerance that are equal but for rounding.
EVEN = 1e-9


class _Shared:
    """A setting of the whole process that holds while any thread is inside.  Threads leave in any order: a
    context of their own each would put back what another had set, for good."""

    def __init__(self, setting):
        self.setting, self.lock, self.inside, self.seen, self.entered = setting, Lock(), 0, 0, ExitStack()

    def __enter__(self):
        with self.lock:
            if not self.inside or self.seen != len(sys.modules):  # another library comes with a module
                self.entered.enter_context(self.setting())
                self.seen = len(sys.modules)
            self.inside += 1

    def __exit__(self, *_):
        with self.lock:
            self.inside -= 1
            if not self.inside:
                self.entered.close()


@contextmanager
def one_thread(user_api=None):
    """A context in which all libraries, or only those of ``user_api`` 'blas', use one thread.  Libraries
    count that are loaded when the context is entered."""
    others = _libraries(len(sys.modules))[1]
    with _ONE_BLAS, nullcontext() if user_api == "blas" else others.limit(limits=1):
        yield


@lru_cache(maxsize=1)
def _libraries(n_modules):
    """Those of BLAS, whose threads are the whole process's, and the controller of those with own threads."""
    # To look through the libraries of the process takes 5 ms, more than many a k-means run.
    found = ThreadpoolController()
    others = {library.user_api for library in found.lib_controllers} - {"blas"}
    return found.select(user_api="blas").lib_controllers, found.select(user_api=list(others))


@contextmanager
def _few_rows():
    with warnings.catch_warnings():
        # Fewer distinct rows than clusters leaves clusters empty; the contract allows that.
        warnings.filterwarnings("ignore", "Number of distinct clusters", ConvergenceWarning)
        yield


@contextmanager
def _one_blas():
    found = _libraries(len(sys.modules))[0]
    before = [library.get_num_threads() for library in found]
    _set_threads(found, [1] * len(found))
    yield
    _set_threads(found, before)


def _set_threads(libraries, numbers):
    # Of threads that limit OpenBLAS, threadpoolctl hears the first alone; the last to leave may be another.
    leave = getattr(OpenBLASController, "clear_controlling_thread", lambda force: None)
    leave(force=True)
    for library, number in zip(libraries, numbers):
        library.set_num_threads(number)
    leave(force=True)


_ONE_BLAS = _Shared(_one_blas)
_FEW_ROWS = _Shared(_few_rows)


def kmeans_once(X, n_clusters, seed, init="random", max_iter=300, tol=1e-4, starts=1):
    """One k-means run of scikit-learn (Lloyd) on X (n, d), the same for any number of threads.  ``init`` is
    'random', samples drawn at random, or 'k-means++'; ``tol`` is relative to the mean variance of the
    features.  Of several ``starts`` the one of lowest inertia counts.  Returns the fitted
    ``sklearn.cluster.KMeans``."""
    model = KMeans(n_clusters, init=init, n_init=starts, max_iter=max_iter, tol=tol, random_state=seed)
    # scikit-learn centres dense data, so that equal distances, common among counts, are no longer
    # equal after rounding; as CSR the same data take the same path in either form.
    dense = not sp.issparse(X) and X.dtype == float and starts == 1
    if dense and len(X) > MANY:
        return fit_quietly(model, X)
    dense = dense and X.shape[1] >= WIDE and X.size * n_clusters >= WORTHWHILE
    dense = dense and 2 * np.count_nonzero(X) > X.size
    # Of copies any may be drawn: they are the same centroid.
    if dense and (init == "random" or _differ(X, 1e-10) or _differ(np.unique(X, axis=0), 1e-10)):
        rng = np.random.RandomState(seed)  # drawn from as scikit-learn does
        start = (_seeded(X, n_clusters, [rng], "greedy", True)[0] if init == "k-means++" else
                 X[rng.choice(len(X), n_clusters, replace=False, p=np.full(len(X), 1 / len(X)))])
        if _as_sparse(model, X, start):
            return model
    return fit_quietly(model, sp.csr_array(X))


def best_kmeans(Z, n_clusters, seeds, max_iter=300, seeding="greedy"):
    """The k-means run with the lowest inertia, one run per seed, on the rows of an embedding Z (n, h).

    ``seeding`` says which rows a run starts from: 'greedy', k-means++ as scikit-learn has it, which draws a
    few candidates for each and takes the best; 'plain', with one candidate, as first published and as in
    MATLAB; or 'random' rows.  Beyond 20,000 rows, or ten per cluster, starts compete on 10,000, or ten per
    cluster, of them, and the best is finished on all.  Returns a fitted ``sklearn.cluster.KMeans``.
    """
    sample = max(MANY // 2, 10 * n_clusters)
    if len(Z) > max(MANY, sample):
        rows = np.sort(np.random.default_rng(seeds[0]).choice(len(Z), sample, replace=False))
        best = best_kmeans(Z[rows], n_clusters, seeds, max_iter, seeding)
        return _lloyd(Z, best.cluster_centers_.astype(Z.dtype), max_iter)
    Z = np.asarray(Z, dtype=float)
    # Dense data are faster, but round otherwise; where many rows are equal, that could change what is drawn.
    fast = _differ(Z, 1e-10, most=0.9)
    starts = _seeded(Z, n_clusters, seeds, seeding, fast)
    apart = all(_differ(start, 1e-6) for start in starts)
    if fast and not apart:
        starts = _seeded(Z, n_clusters, seeds, seeding, False)
    if apart and len(starts) > 1:
        # These runs only tell which starts can be the best.
        runs = _competing(Z, starts, max_iter)
        limit = min(inertia for _, inertia in runs) + ROUNDING * np.vdot(Z, Z)
        near = [(firsts(labels).tobytes(), start) for (labels, inertia), start in zip(runs, starts)
                if inertia <= limit]
        # Those that end in one partition have one inertia, to the last bit: the first stands for all.
        starts = [start for i, (partition, start) in enumerate(near) if partition not in dict(near[:i])]
    if len(starts) == 1 and _as_sparse(model := KMeans(n_clusters, max_iter=max_iter), Z, starts[0]):
        return model
    return min((_lloyd(sp.csr_array(Z), start, max_iter) for start in starts), key=lambda run: run.inertia_)


def _differ(rows, share, most=1.0):
    """True if all or most rows differ, by a random projection and a share of the largest entry."""
    seen = np.sort(rows @ np.random.default_rng(0).standard_normal(rows.shape[1]))
    return len(rows) < 2 or bool(np.mean(np.diff(seen) > share * abs(rows).max()) >= most)


def firsts(labels):
    """For each sample the first one of its cluster: the same for the same partition.

    >>> firsts([7, 7, 2, 7]).tolist()
    [0, 0, 2, 0]
    """
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return first[inverse]


def _seeded(Z, n_clusters, seeds, seeding, fast):
    """Centroids that k-means starts from, (n_clusters, h), for each seed."""
    n = len(Z)
    if seeding == "random":
        return [Z[np.random.default_rng(seed).choice(n, n_clusters, replace=False)] for seed in seeds]
    trials = 2 + int(np.log(n_clusters)) if seeding == "greedy" else 1
    rngs, step = list(map(check_random_state, seeds)), max(1, int(AT_ONCE / (trials * n)))
    parts = (rngs[first:first + step] for first in range(0, len(rngs), step))
    with one_thread():
        return [start for part in parts for start in Z[_spread(Z, n_clusters, part, trials, fast)]]


def _spread(X, n_clusters, rngs, trials, fast):
    """Rows that k-means++ takes with each generator, (s, n_clusters), for all generators at once.  They are
    those of scikit-learn to the last bit, which decides between two rows that are nearest to each other:
    products have the same shapes.  If not ``fast``, they are those of the rows in sparse form, whose products
    add one column after the other."""
    n, s = len(X), len(rngs)
    own, each, ones = np.einsum("ij,ij->i", X, X), np.full(n, 1.0 / n), np.ones(n)
    columns = np.ascontiguousarray(X.T)
    squares = own if fast else sum(columns**2)

    def distances(rows, squared):
        found = (-2.0 * X[rows]) @ X.T if fast else -2.0 * sum(x[rows][..., None] * x for x in columns)
        found += squared[rows, None]
        found += squares
        return np.maximum(found, 0.0, out=found)

    chosen, every = np.empty((s, n_clusters), dtype=np.intp), np.arange(s)
    chosen[:, 0] = [rng.choice(n, p=each) for rng in rngs]
    nearest = distances(chosen[:, :1], own)
    sums = nearest @ ones
    for place in range(1, n_clusters):
        drawn = [row.searchsorted(rng.uniform(size=trials) * total)
                 for row, rng, total in zip(np.cumsum(nearest[:, 0], axis=1), rngs, sums)]
        drawn = np.minimum(drawn, n - 1)
        found = distances(drawn, squares)
        np.minimum(found, nearest, out=found)
        totals = (found @ ones[:, None])[:, :, 0]
        best = totals.argmin(axis=1)
        chosen[:, place], nearest, sums = drawn[every, best], found[every, None, best], totals[every, best]
    return chosen


def _lloyd(X, start, max_iter, tol=1e-4):
    few = X.shape[0] <= MANY
    return fit_quietly(KMeans(len(start), init=start, n_init=1, max_iter=max_iter, tol=tol, copy_x=few), X)


def _competing(Z, starts, max_iter):
    """Labels and inertia of the run from each start."""
    few = len(starts) * len(starts[0]) * len(Z) <= AT_ONCE
    at_once = few and _at_once(Z, np.stack(starts), max_iter)
    return at_once or [(run.labels_, run.inertia_) for run in (_lloyd(Z, one, max_iter) for one in starts)]


def _at_once(X, starts, max_iter, tol=1e-4):
    """Labels and inertia of the run from each of ``starts`` (s, k, h), as from ``_lloyd`` on dense rows; None
    where rounding might decide a step, or a cluster is empty."""
    X, centres = X - X.mean(axis=0), (starts - X.mean(axis=0)).transpose(1, 0, 2).copy()
    tol, unsure = tol * X.var(axis=0).mean(), DECIDED * np.einsum("ij,ij->i", X, X).max()
    (k, s, _), n = centres.shape, len(X)
    members, running = np.zeros((k, s, n), dtype=bool), np.arange(s)
    for _ in range(max_iter):
        found = _members(X, centres[:, running], unsure)
        if found is None:
            return None
        counts = np.count_nonzero(found, axis=2)
        if not counts.all():
            return None
        settled = (found == members[:, running]).all(axis=(0, 2))
        members[:, running] = found
        means = (found.reshape(-1, n).astype(float) @ X).reshape(k, len(running), -1) / counts[:, :, None]
        shifts = ((means - centres[:, running]) ** 2).sum(axis=(0, 2))
        centres[:, running] = means
        if (abs(shifts - tol) <= EVEN * tol)[~settled].any():
            return None
        running = running[~settled & (shifts > tol)]
        if not len(running):
            break
    members = _members(X, centres, unsure)
    if members is None:
        return None
    labels = members.argmax(axis=0)
    return [(one, ((X - own[one]) ** 2).sum()) for one, own in zip(labels, centres.transpose(1, 0, 2))]


def _members(X, centres, unsure):
    """Whether each of the centroids (k, s, h) of a start is the nearest to each row, (k, s, n), or None where
    two are as near."""
    k, s, h = centres.shape
    distances = ((-2.0 * centres).reshape(-1, h) @ X.T).reshape(k, s, -1)
    distances += np.einsum("ksh,ksh->ks", centres, centres)[:, :, None]
    nearest = distances <= distances.min(axis=0) + unsure
    return nearest if np.count_nonzero(nearest) == s * len(X) else None


def _as_sparse(model, X, centres):
    """Fit a k-means model on dense rows from centroids by the very steps that it takes on CSR rows.  Returns
    False where rounding might decide a step, or a cluster is empty."""
    tol, squares = model.tol * X.var(axis=0).mean(), np.einsum("ij,ij->i", X, X)
    unsure = UNSURE * (X.shape[1] + 2) * squares.max()
    model.n_iter_, last, k = 0, None, len(centres)
    # One array for all steps: to check a new one takes as long as to use it.
    members = sp.csr_array((np.ones(len(X)), np.arange(len(X)), [0] * k + [len(X)]), shape=(k, len(X)))
    while model.n_iter_ < model.max_iter:
        model.n_iter_ += 1
        clusters, rows = _nearest(X, centres, unsure)
        counts = np.bincount(clusters, minlength=k)
        if len(rows) != len(X) or not counts.all():
            return False
        # Sums in the order of the rows, as scikit-learn's.
        members.indices[:], members.indptr[1:] = rows, np.cumsum(counts)
        before, centres = centres, (members @ X) * (1.0 / counts)[:, None]
        same, last = last == (found := rows.tobytes() + counts.tobytes()), found
        shift = np.vdot(centres - before, centres - before)
        if same or shift <= (1 - EVEN) * tol:
            break
        if shift <= (1 + EVEN) * tol:
            return False
    clusters, rows = _nearest(X, centres, unsure)
    model.cluster_centers_, model.labels_ = centres, np.empty(len(X), dtype=np.int32)
    model.labels_[rows] = clusters
    model.inertia_ = np.sum((X - centres[model.labels_]) ** 2)
    return len(rows) == len(X)


def _nearest(X, centres, unsure):
    """Clusters and rows of all pairs that may be nearest, by cluster."""
    distances = (-2.0 * centres) @ X.T
    distances += np.einsum("ij,ij->i", centres, centres)[:, None]
    # As ``numpy.nonzero``, which takes several times as long for few of many.
    return np.divmod(np.flatnonzero(distances <= distances.min(axis=0) + unsure), len(X))


def fit_quietly(model, X):
    """Fit a k-means of scikit-learn in one thread, without a word of fewer distinct rows than clusters."""
    with one_thread(), _FEW_ROWS:
        return model.fit(X)


def one_hot(labels, n_clusters):
    """Indicator matrix of shape (n, n_clusters), float64."""
    return np.eye(n_clusters)[labels]


def fill_empty(labels, distances, k, rounding):
    """Labels with the samples farthest from their centroids moved to clusters that are empty.  As in
    scikit-learn's k-means; a sample that is alone, or no farther than rounding, stays."""
    labels, far = labels.copy(), np.where(distances > rounding, distances, 0.0)
    counts = np.bincount(labels, minlength=k)
    for z in np.flatnonzero(counts == 0):
        i = np.where(counts[labels] > 1, far, 0.0).argmax()
        if far[i] == 0.0 or counts[labels[i]] == 1:
            break
        counts[labels[i]] -= 1
        labels[i], counts[z], far[i] = z, 1, 0.0
    return labels


def random_labels(n, k, rng):
    """Labels of n >= k samples in random order, each cluster as large as the others, or by one larger.

    >>> np.bincount(random_labels(7, 3, np.random.default_rng(0))).tolist()
    [3, 2, 2]
    """
    return rng.permutation(np.arange(n) % k)
