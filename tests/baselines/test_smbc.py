"""S-MBC and S-MKC: the rule against loops, what it promises, and what it falls back to."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from literal import mbc as literal_mbc, smbc as literal
from planted import even_start as start, quiet_fit as fit, skewed
from sklearn.cluster import KMeans as Lloyd

from mtclib import MBC
from mtclib.baselines import MKC, SMBC, SMKC
from mtclib.maths.bregman import divergence

SIZES = (16, 12, 14)
NAMES = ("sqeuclidean", "mahalanobis", "kl", "i-divergence", "itakura-saito")
METRIC = dict.fromkeys(NAMES) | {"mahalanobis": np.diag([2.0, 1.0, 0.5])}
LOOPS = literal_mbc.DIVERGENCES


def solver(name):
    d = divergence(name)
    return LOOPS[name], d.gradient, d.inverse_gradient, literal_mbc.exact(name)


@pytest.mark.parametrize(("name", "lam", "sizes", "Ks", "seeds"), [
    ("sqeuclidean", 0.1, (12, 9, 10), [3, 2, 3], (3, 6)),
    ("itakura-saito", 0.3, (10, 8, 9), [2, 2, 3], (19,))])
@pytest.mark.parametrize("rule", ["partition", "centroids"])
def test_smbc_equals_the_rule_in_loops(rule, name, lam, sizes, Ks, seeds):
    left = 0
    for seed in seeds:
        Xs = skewed(name, sizes, 2, seed)
        ours = fit(SMBC(Ks, divergence=name, rule=rule, lam=lam, init=start(Xs, Ks, seed), tol=0.0), Xs)
        hs, Us, free, bounds = literal.smart(Xs, start(Xs, Ks, seed), Ks, lam, rule, *solver(name), 16)
        np.testing.assert_array_equal(np.flatnonzero(ours.boosted_), free)
        np.testing.assert_allclose(ours.single_task_loss_, bounds, rtol=1e-8)
        for t, X in enumerate(Xs):
            np.testing.assert_array_equal(ours.labels_[t], hs[t])
            np.testing.assert_allclose(ours.cluster_centers_[t], Us[t], rtol=1e-4)
            loss = (literal.partition_loss(X, hs[t], Ks[t], LOOPS[name]) if rule == "partition" else
                    literal_mbc.local_loss(X, hs[t], Us[t], LOOPS[name]))
            assert ours.compared_loss_[t] == pytest.approx(loss, rel=1e-6)
        left += 3 - ours.boosted_.sum()
    assert left > 0


def test_the_rule_within_a_sweep_equals_loops_and_nearly_always_gives_up_boosting():
    taken = 0
    for seed in range(6):
        Xs, Ks = skewed(sizes=SIZES, d=3, seed=seed), [3, 2, 3]
        ours = fit(SMBC(Ks, rule="step", init=start(Xs, Ks, seed), max_iter=4, tol=0.0), Xs)
        hs, Us, history, choices = literal.step_by_step(Xs, start(Xs, Ks, seed), Ks, 0.5,
                                                        *solver("sqeuclidean"), 4)
        np.testing.assert_allclose(ours.objective_, history[:ours.n_iter_], rtol=1e-9)
        assert (np.diff(history) <= 1e-12).all()
        assert ours.compared_loss_.sum() == pytest.approx(ours.objective_[-1])
        assert ours.boosted_.tolist() == choices[ours.n_iter_ - 1]
        if ours.n_iter_ == 4:
            assert all(map(np.array_equal, ours.labels_, hs))
            np.testing.assert_allclose(ours.cluster_centers_[0], Us[0], rtol=1e-9)
        taken += np.sum(choices)
    assert taken <= 0.15 * 6 * 4 * 3


KERNELS = {f"{membership}, {kernel}": {"membership": membership, "kernel": kernel, "scale": 1.5}
           for membership in ("graded", "hard") for kernel in ("linear", "gaussian")}


@pytest.mark.parametrize("name", [*NAMES, *KERNELS])
@settings(max_examples=5)
@given(lam=st.sampled_from([0.0, 0.1, 1.0, 30.0]), seed=st.integers(0, 2**31),
       max_iter=st.sampled_from([1, 2, 5, 300]), Ks=st.lists(st.integers(1, 5), min_size=3, max_size=3),
       rule=st.sampled_from(["partition", "centroids"]))
def test_no_task_is_worse_off_than_alone(name, lam, seed, max_iter, Ks, rule):
    smart, plain, options = ((SMKC, MKC, KERNELS[name]) if name in KERNELS else
                             (SMBC, MBC, {"divergence": name, "metric": METRIC[name]}))
    options, Xs = {**options, "max_iter": max_iter}, skewed(name, SIZES, 3, seed)
    model = fit(smart(Ks, lam=lam, rule=rule, init=start(Xs, Ks, seed), **options), Xs)
    alone = [fit(plain(k, init=[h], **options), [X]) for X, h, k in zip(Xs, start(Xs, Ks, seed), Ks)]
    assert (model.compared_loss_ <= model.single_task_loss_ * (1 + 1e-9) + 1e-12).all()
    if rule == "centroids":
        np.testing.assert_array_equal(model.compared_loss_, model.local_loss_)
        np.testing.assert_allclose(model.single_task_loss_, [m.local_loss_[0] for m in alone],
                                   rtol=1e-7, atol=1e-12)
    for t in np.flatnonzero(~model.boosted_):
        np.testing.assert_array_equal(model.labels_[t], alone[t].labels_[0])
        assert model.local_loss_[t] == pytest.approx(alone[t].local_loss_[0], rel=1e-7, abs=1e-12)
        if name in NAMES:
            np.testing.assert_allclose(model.cluster_centers_[t], alone[t].cluster_centers_[0], rtol=1e-7)
    assert sum(model.phases_) == model.n_iter_ <= max_iter
    for phase in np.split(model.objective_, np.cumsum(model.phases_)[:-1]):
        # The last value of all is that of the end state, in which a task may just have changed.
        assert (np.diff(phase[:-1] if phase[-1] == model.objective_[-1] else phase) <= 1e-9).all()


def test_without_coupling_mbc_and_every_rule_are_scikit_learns_k_means_from_the_same_start():
    Xs, Ks = skewed(sizes=(50, 40), d=5, seed=3), [4, 3]
    labels = start(Xs, Ks)
    mbc = fit(MBC(Ks, lam=0.0, init=labels, tol=0.0), Xs)
    for rule in ("partition", "centroids", "step"):
        model = fit(SMBC(Ks, lam=0.0, rule=rule, init=labels, tol=0.0), Xs)
        for t, X in enumerate(Xs):
            means = np.array([X[labels[t] == z].mean(axis=0) for z in range(Ks[t])])
            lloyd = Lloyd(Ks[t], init=means, n_init=1, tol=0.0, algorithm="lloyd").fit(X)
            np.testing.assert_array_equal([model.labels_[t], mbc.labels_[t]], [lloyd.labels_] * 2)
            assert model.compared_loss_[t] == pytest.approx(lloyd.inertia_ / len(X))
