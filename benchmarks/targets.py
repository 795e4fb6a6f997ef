"""What was promised of speed, memory and quality at scale, measured now: pass or short for each.

    python -m benchmarks targets            what takes about a minute of the processor and 2 GB in all
    python -m benchmarks targets --full     all but ten million samples: 12 GB, about half an hour

What is not asked for, and what needs data that are not here, stands in the table as not measured today.  Both
sides of a ratio are measured in one run, each in a process of its own, with one thread, in seconds of the
processor; memory is the most beside the data (Linux).  Rows on results read what is committed.
"""

import argparse
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp
from scipy import stats
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import normalize

from mtclib import lmsc
from mtclib.baselines import WMSC, CoregSpectral, LandmarkSpectral, SpectralNJW, wmsc
from mtclib.baselines.adapters import side_by_side as joined
from mtclib.baselines.registry import all_estimators
from mtclib.companion.comparison.sources import Sources
from mtclib.companion.runs import load_dataset, load_protocol
from mtclib.companion.userdata import cost
from mtclib.companion.userdata.run import RECOMMENDED
from mtclib.core import paths, starts
from mtclib.core.shield import NumericalError
from mtclib.datasets import FetchError
from mtclib.maths import eigen, graphs, neighbours
from mtclib.maths.linalg import unit_rows

from . import routines
from .timing import in_a_child, one_thread, peak, timed

CLUSTERS, WORDS, MILLION = 10, 60, 1_000_000
TURNS = 3
"""Of short things the least of so many turns."""

REACH = {"n": MILLION, "k": 1000, "d": 100_000}
"""Sizes to which data/growth.csv goes, or to the limit; and 20 views or 100 tasks."""


def measured(make, use):
    """``use(*make())`` in a process of its own: what it returns, seconds, and MB beyond what was made."""
    found = in_a_child(_child, make, use)
    if found is None:
        raise MemoryError("a process ended before it had measured, perhaps for lack of memory")
    return found


def _child(make, use, sender):
    data = make()
    before = peak(forget=True)
    with one_thread():
        result, seconds = timed(lambda: use(*data))
    sender.send((result, seconds, peak() - before))


def texts(n, d=50_000):
    """Counts of n documents, 70 % of whose words are of a topic's own; and the topics."""
    rng, topics = np.random.default_rng(0), np.arange(n) % CLUSTERS
    common = 1.0 / np.arange(10, d + 10) ** 0.7
    words = np.empty((n, WORDS), dtype=np.int32)
    for topic in range(CLUSTERS):
        own = np.where(np.arange(d) % CLUSTERS == topic, common, 0.0)
        share = 0.7 * own / own.sum() + 0.3 * common / common.sum()
        words[topics == topic] = rng.choice(d, (np.sum(topics == topic), WORDS), p=share)
    ends = np.arange(0, WORDS * n + 1, WORDS, dtype=np.int32)
    X = sp.csr_array((np.ones(words.size), words.ravel(), ends), shape=(n, d))
    X.sum_duplicates()
    return X, topics


def points(n, d, dtype=float, folder=None):
    """Three views of n samples in groups, in memory or as files that are mapped; and the groups."""
    rng, groups = np.random.default_rng(0), np.arange(n) % CLUSTERS
    views = []
    for v in range(3):
        means = rng.normal(size=(CLUSTERS, d)) * 6 / d**0.5
        X = (np.empty((n, d), dtype) if folder is None else
             np.lib.format.open_memmap(Path(folder) / f"{v}.npy", "w+", dtype, (n, d)))
        for start in range(0, n, 100_000):
            rows = slice(start, min(start + 100_000, n))
            X[rows] = means[groups[rows]] + rng.normal(size=(rows.stop - start, d))
        views.append(X if folder is None else np.load(Path(folder) / f"{v}.npy", mmap_mode="r"))
    return views, groups


def with_copies(X, topics):
    """The mathematics of SpectralNJW as a user would write it, with copies and to the last digit."""
    n, U = X.shape[0], normalize(X)
    UT = U.T.tocsr()
    root = np.sqrt(U @ (UT @ np.ones(n)) - 1.0)
    connected_components(sp.block_array([[None, U], [UT, None]]), directed=False)
    S = sp.diags_array(1.0 / root)
    L = LinearOperator((n, n), lambda v: S @ (U @ (UT @ (S @ v)) - S @ v), dtype=float)
    V = unit_rows(eigsh(L, CLUSTERS, which="LA", v0=np.ones(n))[1])
    return adjusted_rand_score(topics, KMeans(CLUSTERS, n_init=10, random_state=0).fit(V).labels_)


def at_bandwidth(X, topics):
    return adjusted_rand_score(topics, SpectralNJW(CLUSTERS, random_state=0).fit([X]).labels_[0])


def landmarks(views, groups):
    return adjusted_rand_score(groups, LandmarkSpectral(CLUSTERS, random_state=0).fit(views).labels_)


def side_by_side(views, groups):
    """k-means on all views, from one start."""
    model = KMeans(CLUSTERS, init="random", n_init=1, random_state=0).fit(np.hstack(views))
    return adjusted_rand_score(groups, model.labels_)


def not_today(title, option):
    """The row of what was not asked for."""
    return title, f"not measured today: {option}", None


def data_of(paper, dataset):
    """A data set of a paper's protocol; ``FetchError`` if it cannot be had."""
    spec = load_protocol(paper).datasets[dataset]
    return load_dataset(spec.loader, spec.params)[0]


def least(*functions):
    """What each function returns, and the least seconds of a few turns."""
    turns = [[timed(function) for function in functions] for _ in range(TURNS)]
    return [(found[0][0], min(seconds for _, seconds in found)) for found in zip(*turns)]


# ---- views -------------------------------------------------------------------------------------------------


def _views(options):
    score, seconds, room = measured(lambda: points(MILLION, 10), landmarks)
    plain, shorter, more = measured(lambda: points(MILLION, 10), side_by_side)
    name = f"LandmarkSpectral, {MILLION:,} x 3 x 10"
    yield (f"{name}, against k-means: at most 8 times its time, .6 of its memory",
           f"{seconds:.1f} s ({seconds / shorter:.1f} times), {room:.0f} MB ({room / more:.2f}), "
           f"ARI {plain:.3f} to {score:.3f}", seconds <= 8 * shorter and room <= 0.6 * more)
    yield f"{name}: in a minute", f"{seconds:.1f} s", seconds <= 60

    class Data:
        kind, Xs = "multiview", [np.broadcast_to(0.0, (MILLION, 10))] * 3

    told = cost.estimates(Data, ["LandmarkSpectral"], [CLUSTERS])["seconds"].item()
    yield (f"{name}: what `cluster` estimates from growth.csv, to a factor of two",
           f"{told:.1f} s, measured {seconds:.1f} s", 0.5 <= told / seconds <= 2)


def _mapped(options):
    sizes = [(MILLION, 100, np.float32, 60, 600, "--full"), (10 * MILLION, 10, float, 300, 1000, "--ten")]
    for n, d, dtype, limit, most, option in sizes:
        title = f"LandmarkSpectral, {n:,} x 3 x {d} memory-mapped: {limit} s and {most} MB"
        if not getattr(options, option[2:]):
            yield not_today(title, option)
            continue
        with tempfile.TemporaryDirectory() as folder:
            make = lambda n=n, d=d, dtype=dtype, folder=folder: points(n, d, dtype, folder)  # noqa: E731
            score, seconds, room = measured(make, landmarks)
        yield (title, f"{seconds:.1f} s, {room:.0f} MB with pages of the files, ARI {score:.3f}",
               seconds <= limit and room <= most)


def _quality(options):
    scores = pd.read_csv(paths.data_dir() / "comparison/many-views/results/all_scores.csv")
    samples = pd.read_csv(paths.data_dir() / "comparison/many-views/sets.csv", index_col="set")["samples"]
    scores = scores[(scores["metric"] == "ARI") & (scores["preparation"] == "first")
                    & (scores["number of clusters"] == "known") & (scores["set"].map(samples) >= 500)]
    pairs = scores.pivot_table(index=["source", "set"], columns="method", values="score")
    gains = (pairs["LandmarkSpectral"] - pairs["WMSC"]).dropna().groupby("source").mean()
    low = gains.mean() - stats.t.ppf(0.975, len(gains) - 1) * stats.sem(gains)
    yield ("LandmarkSpectral against WMSC, all sources with 500 samples or more: lower 95 % bound above -2 "
           "points of ARI", f"{gains.mean():+.1f}, bound {low:+.1f}, {len(gains)} sources", low > -2)


def _many(options):
    views, groups = points(wmsc.MANY + 1, 2)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model, seconds = timed(lambda: WMSC(CLUSTERS, random_state=0).fit(views))
    said = any("LandmarkSpectral is fitted in place of WMSC" in str(warning.message) for warning in caught)
    never = not wmsc.too_many(WMSC(CLUSTERS, landmarks="never"), views)
    yield (f"WMSC beyond {wmsc.MANY:,} samples takes landmarks, says so and can be told not to; `cluster` "
           f"takes them by itself", f"{seconds:.1f} s, {'says so' if said else 'is silent'}; `cluster` takes "
           f"{RECOMMENDED['multiview']}", said and never and RECOMMENDED["multiview"] == "LandmarkSpectral")
    title = "LandmarkSpectral on dask arrays: the same labels as on arrays"
    try:
        from dask import array
    except ImportError:
        yield not_today(title, "dask is not installed")
        return
    parts = [array.from_array(X, chunks=(5000, 2)) for X in views]
    one, other = (LandmarkSpectral(CLUSTERS, random_state=0).fit(Xs).labels_ for Xs in (views, parts))
    same = np.array_equal(one, other)
    yield title, "the same" if same else "others", same


def _digits(options):
    """Digits and points between two of a class: the graph that once had no converged eigenvector."""
    title = "WMSC does not fail on 30,000 samples"
    if not options.full:
        yield not_today(title, "--full")
        return
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    first = rng.integers(0, len(X), 30_000)
    second = np.array([rng.choice(np.flatnonzero(y == label)) for label in y[first]])
    share = rng.uniform(size=(30_000, 1))
    Y = share * X[first] + (1 - share) * X[second]
    try:
        model, seconds = timed(
            lambda: WMSC(10, landmarks="never", random_state=0).fit([Y[:, :32], Y[:, 32:]]))
    except NumericalError as error:
        yield title, str(error), False
        return
    score, found = adjusted_rand_score(y[first], model.labels_), len(np.unique(model.labels_))
    yield title, f"{seconds:.0f} s, {found} clusters, ARI {score:.3f}", found == 10


# ---- tasks -------------------------------------------------------------------------------------------------


def _texts(options):
    title = f"SpectralNJW, {MILLION:,} x 50,000 words, against copies: 4 times faster, a tenth of the memory"
    if not options.full:
        yield not_today(title, "--full")
        return
    score, seconds, room = measured(lambda: texts(MILLION), at_bandwidth)
    copied, longer, more = measured(lambda: texts(MILLION), with_copies)
    yield (title, f"{longer:.1f} to {seconds:.1f} s ({longer / seconds:.1f} times), {more:.0f} to {room:.0f} "
           f"MB ({more / room:.1f} times), ARI {copied:.3f} to {score:.3f}",
           longer >= 4 * seconds and more >= 10 * room and score > copied - 0.005)


def _rounded(options):
    """Sparse sets of tasks whose files are here, by the way for many samples and by the exact one."""
    title = "SpectralNJW by the way for many samples on 20 sparse sets of tasks: mean ARI within .5 points"
    if not options.full:
        yield not_today(title, "--full")
        return
    sources, differences, usual = Sources("tasks"), [], (starts.MANY, eigen.MANY, graphs.MANY_ROWS)
    table = sources.table.query("preparation == 'first' and `number of clusters` == 'known'")
    for spec in map(sources.protocol.datasets.get, table.index):
        try:
            data, _ = load_dataset(spec.loader, spec.params)
        except FetchError:
            continue
        if all(map(sp.issparse, data.Xs)):
            scores = []
            for many in ((500, 0, 0), usual):
                starts.MANY, eigen.MANY, graphs.MANY_ROWS = many
                found = SpectralNJW(data.n_clusters, random_state=0).fit(data.Xs).labels_
                scores.append(np.mean(list(map(adjusted_rand_score, data.labels, found))))
            differences.append(100 * (scores[0] - scores[1]))
    if not differences:
        yield not_today(title, "no data")
        return
    yield (title, f"{np.mean(differences):+.2f} ({min(differences):+.2f} to {max(differences):+.2f}) on "
           f"{len(differences)}", abs(np.mean(differences)) <= 0.5)


def _small(options):
    title = "SpectralNJW on the small tasks of WebKB4: no slower than scikit-learn's spectral clustering"
    try:
        data = data_of("mtcmrl", "WebKB4")
    except FetchError:
        yield not_today(title, "no data")
        return
    Xs = list(map(routines.with_short_indices, data.Xs))
    (_, ours), (_, theirs) = least(
        lambda: SpectralNJW(data.n_clusters, random_state=0).fit(data.Xs),
        lambda: [routines.spectral(X, k) for X, k in zip(Xs, data.n_clusters)])
    yield title, f"{1e3 * ours:.0f} ms against {1e3 * theirs:.0f} ms", ours <= theirs


def _few(options):
    """The only peer that is as good as what is advised and as fast, by the frontier of the comparison."""
    title = ("LandmarkSpectral on up to 500 samples of views: at most a quarter longer than scikit-learn's "
             "spectral clustering of neighbours (median)")
    sources, shares = Sources("views"), []
    samples = pd.read_csv(sources.folder / "sets.csv", index_col="set")["samples"]
    table = sources.table.query("preparation == 'first' and `number of clusters` == 'known'")
    for spec in map(sources.protocol.datasets.get, table.index[table["set"].map(samples) <= 500]):
        try:
            data, _ = load_dataset(spec.loader, spec.params)
        except FetchError:
            continue
        X = joined(data.Xs)
        (_, ours), (_, theirs) = least(
            lambda data=data: LandmarkSpectral(data.n_clusters, random_state=0).fit(data.Xs),
            lambda data=data, X=X: routines.spectral_on_neighbours(X, data.n_clusters))
        shares.append(ours / theirs)
    if not shares:
        yield not_today(title, "no data")
        return
    yield (title, f"{np.median(shares):.2f} times ({min(shares):.2f} to {max(shares):.2f} on {len(shares)} "
           f"sets)", np.median(shares) <= 1.25)


# ---- exact parts -------------------------------------------------------------------------------------------


def _search(options):
    many = neighbours.MANY
    for n, d in ((8000, 50), (16_000, 8)):
        X, lists, seconds = np.random.default_rng(0).normal(size=(n, d)), {}, {many: [], np.inf: []}
        for neighbours.MANY in list(seconds) * TURNS:  # in turn, the least of each
            (_, lists[neighbours.MANY]), taken = timed(lambda X=X: neighbours.nearest_distances(X, 10))
            seconds[neighbours.MANY].append(taken)
        neighbours.MANY = many
        (ours, all_pairs), same = map(min, seconds.values()), np.array_equal(*lists.values())
        yield (f"neighbours of {n:,} x {d} against all pairs: 3 times faster, the same lists",
               f"{all_pairs / ours:.1f} times, lists {'the same' if same else 'differ'}",
               same and all_pairs >= 3 * ours)


def _dense(options):
    """The way for dense rows against that for sparse ones; samples with groups, as k-means of views has."""
    X = points(2000, 240)[0][0]
    Z = unit_rows(points(2000, CLUSTERS)[0][0])
    runs = {
        "one start, 2,000 x 240 (SingleView, Con-MC)": (
            lambda: starts.kmeans_once(X, CLUSTERS, 0),
            lambda: KMeans(CLUSTERS, init="random", n_init=1, random_state=0).fit(sp.csr_array(X))),
        "ten starts, 2,000 x 10 (CCA)": (
            lambda: starts.best_kmeans(Z, CLUSTERS, range(10)),
            lambda: min((KMeans(CLUSTERS, n_init=1, random_state=seed).fit(sp.csr_array(Z))
                         for seed in range(10)), key=lambda model: model.inertia_)),
    }
    for name, functions in runs.items():
        (ours, seconds), (theirs, longer) = least(*functions)
        same = np.array_equal(*(starts.firsts(model.labels_) for model in (ours, theirs)))
        yield (f"k-means of dense rows, {name}, against sparse ones: 3 times faster, the same labels",
               f"{1e3 * longer:.0f} to {1e3 * seconds:.0f} ms ({longer / seconds:.1f} times), labels "
               f"{'the same' if same else 'differ'}", same and longer >= 3 * seconds)


def _starts(options):
    """Against the way taken before: all starts on all samples, on scikit-learn's path for sparse rows."""
    (X, *_), groups = points(100_000, 10)
    (model, seconds), (plain, longer) = least(
        lambda: starts.best_kmeans(X, CLUSTERS, range(10)),
        lambda: KMeans(CLUSTERS, n_init=10, random_state=0).fit(sp.csr_array(X)))
    ours, theirs = (adjusted_rand_score(groups, found.labels_) for found in (model, plain))
    yield ("k-means of 100,000 x 10, ten starts on a part, against ten on all rows as sparse: 8 times faster",
           f"{longer:.2f} to {seconds:.2f} s ({longer / seconds:.1f} times), ARI {theirs:.3f} to {ours:.3f}",
           longer >= 8 * seconds and ours > theirs - 0.005)


def _norms(options):
    L = np.random.default_rng(0).normal(size=(20_000, 20))
    (ours, seconds), (theirs, longer) = least(
        lambda: lmsc._row_norms(L), lambda: np.linalg.norm(L, axis=1, keepdims=True))
    same = np.allclose(ours, theirs, rtol=1e-12)
    yield ("row norms of LMSC by `einsum`, 20,000 x 20: faster than `norm`, the same to rounding",
           f"{longer / seconds:.1f} times, {'the same' if same else 'others'}", same and seconds < longer)


def _coregularised(options):
    for scheme, dataset, took, option in (("centroid", "Wisconsin", 17.8, ""),
                                          ("pairwise", "Handwritten Numerals", 269.7, "--full")):
        title = f"CoregSpectral ({scheme}) on {dataset}: converges, and sooner than the {took:g} s it took"
        if option and not options.full:
            yield not_today(title, option)
            continue
        try:
            data = data_of("mspl", dataset)
        except FetchError:
            yield not_today(title, "no data")
            continue
        model, seconds = timed(
            lambda s=scheme, d=data: CoregSpectral(d.n_clusters, scheme=s, random_state=0).fit(d.Xs))
        yield (title, f"{seconds:.1f} s, {model.n_iter_} sweeps" + ", not converged" * (not model.converged_),
               bool(model.converged_) and seconds < took)


# ---- time before the first result, and what costs are told -------------------------------------------------


def _help(options):
    import resource  # missing on Windows
    for wanted, code in [(0.3, ["-m", "mtclib", "--help"]), (0.5, ["-c", "import mtclib"])]:
        seconds = []
        for _ in range(TURNS):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, *code], stdout=subprocess.DEVNULL, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        yield f"python {' '.join(code)}: under {wanted} s", f"{min(seconds):.2f} s", min(seconds) < wanted


def _floors(options):
    bench = pd.read_csv(paths.data_dir() / "bench.csv").set_index("method")
    above = bench.index[(bench["floor, iteration"] > 1.5) | (bench["floor, fit"] > 2)]
    yield ("every method within 1.5 floors an iteration, 2 a fit (bench.csv)",
           f"{len(bench) - len(above)} of {len(bench)}; above: {', '.join(above)}", not len(above))
    reasons = bench["why"].notna().sum()
    yield "fewer than 22 reasons to be above (bench.csv)", f"{reasons}", reasons < 22


def _growth(options):
    growth, known = pd.read_csv(paths.data_dir() / "growth.csv"), all_estimators()
    views = growth["method"].map(lambda name: known[name].traits.kind == "multiview")
    wanted = growth["varied"].map(REACH).where(growth["varied"] != "parts", np.where(views, 20, 100))
    # Dense views have no more than 2,000 features.
    ended = (growth["to"] < wanted) & (growth["stopped by"] == "size") & ~(views & (growth["varied"] == "d"))
    for varied, what in {"n": "1,000,000 samples", "k": "k = 1,000", "parts": "100 tasks or 20 views",
                         "d": "100,000 sparse columns"}.items():
        rows = growth[growth["varied"] == varied]
        before = [f"{row.method} {row.to:,.0f}" for row in rows[ended[rows.index]].itertuples()]
        yield (f"growth.csv to {what}, or to the limit, for every method",
               f"{len(rows) - len(before)} of {len(rows)}; ended before: {', '.join(before) or 'none'}",
               not before)


def _labels(options):
    yield not_today("labels of the committed fits are unchanged", "python -m benchmarks.recreate")


PARTS = (_views, _mapped, _quality, _many, _digits, _texts, _rounded, _small, _few, _search, _dense, _starts,
         _norms, _coregularised, _help, _floors, _growth, _labels)


def options():
    """The options of the table, for the parsers of commands that print it."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--full", action="store_true", help="what takes long or much memory, too")
    parser.add_argument("--ten", action="store_true", help="10,000,000 samples, too")
    return parser


def report(options):
    """Measure and print the table."""
    rows = []
    with one_thread():
        for part in PARTS:
            print(part.__name__[1:], file=sys.stderr, flush=True)
            try:
                rows.extend(part(options))
            except Exception as error:  # the others are measured all the same
                rows.append((part.__name__[1:], f"failed: {type(error).__name__}: {error}", False))
    for target, found, met in rows:
        print(f"{'-' if met is None else 'pass' if met else 'short':6} {target}\n       {found}")
    known = [bool(met) for *_, met in rows if met is not None]
    print(f"{sum(known)} of {len(known)} pass; {len(rows) - len(known)} not measured today")


def main(arguments):
    parser = argparse.ArgumentParser(prog="python -m benchmarks targets", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter,
                                     parents=[options()])
    report(parser.parse_args(arguments))
