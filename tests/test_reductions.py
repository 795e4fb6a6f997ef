"""Settings and data that mean the same give the same, and without coupling each task stands alone."""

import numpy as np
import pytest
import scipy.sparse as sp
from contract import partitions
from planted import even_start, noisy_views, nonnegative_views, quiet_fit, signal_views, skewed
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.preprocessing import normalize

from mtclib import LSSMTC, MBC, MSPL, MTCMRL, SPMTC, baselines as by
from mtclib.maths.bregman import divergence


def counts(sizes=(36, 30, 27), d=12, seed=0):
    """Nonnegative tasks with three planted clusters."""
    rng = np.random.default_rng(seed)
    means = 0.3 + 3.0 * np.kron(np.eye(3), np.ones(d // 3))
    return [rng.poisson(means[np.arange(n) % 3]) + 0.5 for n in sizes]


def lengthened(Xs):
    return [np.random.default_rng(5).uniform(0.5, 3.0, (len(X), 1)) * X for X in Xs]


def mixed(Xs):
    """The first in sparse form, the others dense."""
    return [sp.csr_array(Xs[0]), *Xs[1:]]


def rotated(Xs):
    d = Xs[1].shape[1]
    return [Xs[0], Xs[1] @ np.linalg.qr(np.random.default_rng(0).standard_normal((d, d)))[0], *Xs[2:]]


Q = np.array([[2.0, 0.5, 0.0, 0.0], [0.5, 1.0, -0.3, 0.0], [0.0, -0.3, 0.7, 0.1], [0.0, 0.0, 0.1, 1.5]])
OWN = (lambda x: x * np.log(x) - x, np.log, np.exp)
TASKS, SKEWED, VIEWS = counts(), skewed(sizes=(60, 50)), noisy_views(noise=(1.0, 1.3, 1.6))
EMPTIED = [np.vstack([0.0 * X[:1], X]) for X in TASKS]
POSITIVE, SIGNALS = [np.maximum(X, 0.0) for X in VIEWS], signal_views(80, (6, 5))
START, TWINS = even_start(TASKS, [3] * 3), [TASKS[0], TASKS[0]]
ITAKURA, POOLED = MBC(3, divergence="itakura-saito"), MBC(3, divergence="mahalanobis")
COSINE = [by.MKC(3, membership=name, max_iter=20) for name in ("graded", "hard", "nonnegative")]
LOCAL, NEAREST = by.LLMC(3, n_neighbors=6), by.SAMTC(3, n_neighbors=8, n_neighbors_across=8)
PLAIN = {"max_iter": 30, "tol": 0.0}
# Each: an estimator, its data, another, its data, the tolerance, and what is compared if not objectives.
SAME = {
    **{f"far from the origin, {type(model).__name__}": (model, SKEWED, None, [X + far for X in SKEWED], 1e-6)
       for model, far in ((MBC(3), 1e6), (by.MTSC(3), 1e8), (by.MKC(3, kernel="gaussian"), 1e8),
                          (by.ConsensusClustering(3, members=["Ward", "k-means"]), 1e8))},
    # The ridge of the pooled metric is a share of the mean variance: only moderate units do not matter.
    "units, pooled metric": (POOLED, SKEWED, POOLED, [X * [0.5, 1.0, 2.0, 4.0] for X in SKEWED], 1e-3),
    "units, Itakura-Saito": (ITAKURA, SKEWED, ITAKURA, [X * [1e-3, 1.0, 50.0, 1e4] for X in SKEWED], 1e-9),
    "a metric or transformed samples": (MBC(3, divergence="mahalanobis", metric=Q), SKEWED, MBC(3),
                                        [X @ np.linalg.cholesky(Q) for X in SKEWED], 1e-10),
    "a Divergence": (MBC(3, divergence="mahalanobis", metric=Q), SKEWED,
                     MBC(3, divergence=divergence("mahalanobis", Q)), SKEWED, 0.0),
    "three functions of the user": (MBC(3, divergence="i-divergence"), SKEWED, MBC(3, divergence=OWN), SKEWED,
                                    1e-8),
    "Eq. (15) has no other centroid": (MBC(3), SKEWED, MBC(3, centroid="geodesic"), SKEWED, 0.0),
    **{f"cosine kernel, {model.membership}": (model, TASKS, clone(model).set_params(kernel="linear"),
                                              [normalize(X) for X in TASKS], 1e-10) for model in COSINE},
    "graded memberships, origin": (by.MKC(3, kernel="linear", init=START, max_iter=40), TASKS, None,
                                   [X + 1e4 for X in TASKS], 1e-6),
    "all tasks boosted, S-MBC": (by.SMBC(3, lam=0.05, init=[START[0]] * 2), TWINS,
                                 MBC(3, lam=0.05, init=[START[0]] * 2), TWINS, 0.0),
    "all tasks boosted, S-MKC": (by.SMKC(3, lam=0.05, kernel="linear", init=[START[0]] * 2), TWINS,
                                 by.MKC(3, lam=0.05, kernel="linear", init=[START[0]] * 2), TWINS, 0.0),
    **{f"S-MKC without coupling, {name}": (by.SMKC(3, lam=0.0, membership=name), TASKS,
                                           by.MKC(3, lam=0.0, membership=name), TASKS, 1e-9, ("local_loss_",))
       for name in ("graded", "hard")},
    **{f"sparse tasks, {rule}": (by.SMBC([3, 4, 3], rule=rule), TASKS, None, [sp.csr_array(X) for X in TASKS],
                                 1e-10) for rule in ("partition", "centroids", "step")},
    **{f"no coupling of models, {beta}": (MTCMRL([2, 3, 4], alpha=0.0, beta=beta, **PLAIN), TASKS,
                                          by.SNMFLR([2, 3, 4], solver="multiplicative", **PLAIN), TASKS,
                                          1e-10, ("membership_", "coef_"))
       for beta in (0.1, 2.0)},
    "no linear model": (by.SNMFLR(3, lam=0.0, **PLAIN), TASKS, by.SNMF(3, **PLAIN), TASKS, 1e-9,
                        ("membership_",)),
    "sparse beside dense tasks": (by.Stacked(3), TASKS, None, mixed(TASKS), 1e-10),
    "a nested method by name": (by.Stacked(3, estimator="SpectralNJW", parameters={"affinity": "gaussian"}),
                                TASKS, by.Stacked(3, estimator=by.SpectralNJW(3, affinity="gaussian")), TASKS,
                                0.0),
    "a callable affinity": (by.SpectralNJW(3), TASKS, by.SpectralNJW(3, affinity=cosine_similarity), TASKS,
                            1e-6),
    "affinities in memory": (by.SpectralNJW(3), TASKS, by.SpectralNJW(3, affinity=[
        sp.csr_array(cosine_similarity(X)) for X in TASKS]), TASKS, 1e-6),
    "lengths of rows, LLMC": (clone(LOCAL).set_params(metric="cosine"), TASKS, None, lengthened(TASKS), 1e-9),
    "units, LLMC": (LOCAL, TASKS, None, [1e3 * X for X in TASKS], 1e-6),
    "origin, LLMC": (LOCAL, TASKS, None, [X + 100.0 for X in TASKS], 1e-6),
    "an empty sample, LLMC": (LOCAL, EMPTIED, None, [sp.csr_array(X) for X in EMPTIED], 1e-6),
    "lengths of rows, CLR": (by.CLR(3, metric="cosine"), TASKS, None, lengthened(TASKS), 1e-8),
    "unit rows, CLR": (by.CLR(3, metric="cosine"), TASKS, by.CLR(3), [normalize(X) for X in TASKS], 1e-8),
    "lengths of documents": (NEAREST, TASKS, None, lengthened(TASKS), 1e-6, ("relatedness_",)),
    "sparse beside dense views": (MSPL(3), POSITIVE, None, mixed(POSITIVE), 1e-9, ("objective_", "centers_")),
    "units of views": (by.RMKMC(3, scaling="none"), VIEWS, None, [1e6 * X for X in VIEWS], 1e-9,
                       ("view_weights_", "label_history_")),
    **{f"origin, an empty cluster of the start, {cls.__name__}": (
        cls(3, scaling="none", init=np.arange(80) % 2), SIGNALS, None, [X + 100.0 for X in SIGNALS], 1e-6)
       for cls in (MSPL, by.RMKMC)},
    "scale of the data": (by.ConvexSub(3, scaling="none"), SIGNALS, None, [1e6 * X for X in SIGNALS], 1e-9),
    "features always zero": (by.ConvexSub(3, tol=1e-9), SIGNALS, None,
                             [np.pad(X, ((0, 0), (0, 40))) for X in SIGNALS], 1e-8),
    "rotated features": (by.LatentMSC(3), nonnegative_views(), None, rotated(nonnegative_views()), 1e-6,
                         ("coefficients_",)),
    "mixed features": (by.CCAClustering(3, ridge=0.0), SIGNALS, None, [
        1e3 * X @ np.random.default_rng(1).standard_normal((X.shape[1],) * 2) - 7.0 for X in SIGNALS], 1e-7,
        ("correlations_",)),
    "scaled views": (by.CCAClustering(3, ridge=0.3), SIGNALS, None, [1e5 * SIGNALS[0] + 3.0,
                     1e-5 * SIGNALS[1]], 1e-7, ("correlations_",)),
    "lengths of rows, AWP": (by.AWP(3, affinity="knn-cosine"), POSITIVE, None,
                             [sp.csr_array(X) for X in lengthened(POSITIVE)], 1e-8),
    "unit rows, AWP": (by.AWP(3, affinity="knn-cosine"), POSITIVE, by.AWP(3, scaling="rows"), POSITIVE,
                       0.0, ()),
    "order of views, AWP": (by.AWP(3), VIEWS, None, VIEWS[::-1], 1e-9),
    "order of views, WMSC": (by.WMSC(3), VIEWS, None, VIEWS[::-1], 1e-6),
    "order of views, co-regularised": (by.CoregSpectral(3, lam=[0.1, 0.2, 0.3]), VIEWS,
                                       by.CoregSpectral(3, lam=[0.3, 0.2, 0.1]), VIEWS[::-1], 1e-9),
    "one view": (by.WMSC(3, affinity="gaussian"), VIEWS[:1], by.SpectralNJW(3, affinity="gaussian"),
                 VIEWS[:1], 1e-6)}


@pytest.mark.parametrize("case", SAME)
def test_what_means_the_same_gives_the_same(case):
    first, Xs, second, Ys, rtol, *names = SAME[case]
    ours, theirs = (quiet_fit(clone(model).set_params(random_state=0), data)
                    for model, data in ((first, Xs), (second or first, Ys)))
    for labels, other in zip(partitions(ours), partitions(theirs), strict=True):
        assert adjusted_rand_score(labels, other) == 1.0
    for name in names[0] if names else ("objective_",):
        last = slice(-1, None) if name == "objective_" else slice(None)
        for a, b in zip(*(value if isinstance(value, list) else [value[last]]
                          for value in (getattr(ours, name), getattr(theirs, name))), strict=True):
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * np.abs(b).max())


def alone(model, t):
    """The same for one task: of what is given task by task, that of task ``t``."""
    given = {name: value for name, value in model.get_params(deep=False).items() if isinstance(value, list)}
    own = {name: [value[t]] if name == "init" else value[t] for name, value in given.items()}
    return clone(model).set_params(random_state=0, **own)


KS = [3, 2, 4]
STARTED = {"init": even_start(TASKS, KS), "tol": 0.0}
# Each: an estimator with its coupling off, the tolerance of objectives if they add up, and what else agrees.
ALONE = {
    "LSSMTC": (LSSMTC(3, lam=1.0, max_iter=20, tol=0.0), 1e-8, "membership_"),
    "SPMTC": (SPMTC(3, lam=1.0, warm_up=5, inner_max_iter=5, tol=0.0, kkt_tol=1), 1e-8, "membership_"),
    "MBC": (MBC(KS, lam=0.0, **STARTED), 1e-9, "cluster_centers_"),
    **{f"MKC, {name}": (by.MKC(KS, lam=0.0, membership=name, max_iter=15, **STARTED), 1e-8, "local_loss_")
       for name in ("graded", "hard", "nonnegative")},
    **{f"{cls.__name__}, {off}": (cls(3, n_init=2, **off), None, None)
       for cls in (by.DMTFC, by.DMTRC) for off in ({"floor": 1.0}, {"lam1": 0.0})},
    "MTSC": (by.MTSC(KS, p=2.0, tol=1e-6, max_iter=500), 1e-4, None),
    "CLR": (by.CLR(KS), 1e-9, None),
    "SAMTC": (clone(NEAREST).set_params(transfer=0.0), 1e-9, "embedding_")}


@pytest.mark.parametrize("case", ALONE)
def test_without_coupling_each_task_is_clustered_alone(case):
    model, rtol, name = ALONE[case]
    together = quiet_fit(clone(model).set_params(random_state=0), TASKS)
    each = [quiet_fit(alone(model, t), [X]) for t, X in enumerate(TASKS)]
    if rtol:
        assert together.objective_[-1] == pytest.approx(sum(one.objective_[-1] for one in each), rel=rtol)
    for t, one in enumerate(each):
        assert adjusted_rand_score(together.labels_[t], one.labels_[0]) == 1.0
        if name:
            ours, theirs = getattr(together, name)[t], getattr(one, name)[0]
            np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)


def test_without_diversity_views_do_not_know_of_each_other():
    together = by.DiMSC(3, diversity=0.0, random_state=0).fit(nonnegative_views())
    for X, Z in zip(nonnegative_views(), together.coefficients_):
        np.testing.assert_allclose(Z, by.DiMSC(3, random_state=0).fit([X]).coefficients_[0], atol=1e-12)
    assert together.n_iter_ == 1


@pytest.mark.parametrize("model", [by.AWP(3), by.WMSC(3), by.CoregSpectral(3, scheme="pairwise", lam=0.3),
                                   by.CoregSpectral(3, lam=0.3)], ids=["AWP", "WMSC", "pairwise", "centroid"])
def test_copies_of_a_view_have_equal_weights_and_its_labels(model):
    X = noisy_views()[1]
    copies, one = (clone(model).set_params(random_state=0).fit(Xs) for Xs in ([X, X, X], [X]))
    assert adjusted_rand_score(copies.labels_, one.labels_) == 1.0
    np.testing.assert_allclose(getattr(copies, "weights_", 1 / 3), 1 / 3, rtol=1e-8)


@pytest.mark.parametrize("model", [
    by.AWP(3), by.WMSC(3), by.MultiViewSNMF(3), by.CoregSpectral(3, scheme="pairwise"), by.CoregSpectral(3),
], ids=["AWP", "WMSC", "SNMF", "pairwise", "centroid"])
def test_views_that_agree_help_each_other(model):
    truth, Xs = np.arange(150) % 3, noisy_views(n=150, noise=(1.5, 1.5, 1.5))
    scores = [adjusted_rand_score(truth, clone(model).set_params(random_state=0).fit(given).labels_)
              for given in (Xs, *([X] for X in Xs))]
    assert scores[0] > max(*scores[1:], 0.9 if "SNMF" not in type(model).__name__ else 0.0)
