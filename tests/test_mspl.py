"""MSPL: its steps against loops, its law of descent, its reductions, its histories, and odd views."""

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from literal import mspl as literal
from planted import blobs, quiet_fit
from sklearn.cluster import KMeans as SklearnKMeans
from sklearn.metrics import adjusted_rand_score

from mtclib import MSPL
from mtclib.baselines import RMKMC, ConMC, SingleView
from mtclib.core import large
from mtclib.core.base import ConstantViewWarning
from mtclib.maths import views
from mtclib.maths.scaling import scale_views
from mtclib.maths.selfpaced import hard_weights, smooth_weights

WEIGHTINGS = ("naive", "hard", "smooth")


def fit(Xs, k=3, cls=MSPL, **parameters):
    return quiet_fit(cls(k, **{"random_state": 0, **parameters}), Xs)


# The methods that read views in blocks and leave out constant ones.
READERS = pytest.mark.parametrize("options", [*({"weighting": name} for name in WEIGHTINGS), {"cls": RMKMC}],
                                  ids=[*WEIGHTINGS, "RMKMC"])


@pytest.mark.parametrize("formulation", ["derived", "printed"])
@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_every_iteration_is_that_of_the_printed_algorithm(weighting, formulation):
    Xs, _ = blobs(n=40, distance=1.5)
    Xs = [X - X.mean(axis=0) for X in Xs]
    init = np.random.default_rng(3).integers(0, 3, 40)
    model = fit(Xs, weighting=weighting, scaling="none", kappa=0.7, inner_max_iter=2, tol=0.0, init=init,
                formulation=formulation, max_iter=40)
    # In the last round all weights are one.
    lams, counts = [0.0 if np.isinf(t) else 1.0 / t for t in model.thresholds_], np.bincount(model.rounds_)
    kept, start = 0, list(init)
    expected, values = literal.mspl(Xs, start, 3, weighting, lams, 2, 0.7, formulation == "printed")
    for number, count in enumerate(counts):
        if count < 2:
            break  # a round that ended early: the transcription went on
        rows = slice(2 * number, 2 * number + 2)
        ours = model.label_history_[1:][model.rounds_ == number][:2]
        assert np.array_equal(ours, expected[rows])
        shift = 0.0 if lams[number] == 0 else Xs[0].shape[0] * len(Xs) * float(
            literal.regulariser(weighting, 1.0, lams[number], 0.7))
        assert np.allclose(model.paced_objective_[model.rounds_ == number][:2] + shift, values[rows])
        kept += 1
    assert kept >= 1
    assert weighting == "naive" or kept >= 3


def test_the_printed_centroids_shrink_towards_the_mean_and_raise_the_objective():
    Xs, _ = blobs(distance=6.0)
    common = {"scaling": "none", "kappa": 0.2, "inner_max_iter": 30, "tol": 0.0, "max_iter": 30}
    derived, printed = (fit(Xs, formulation=form, **common) for form in ("derived", "printed"))
    first = derived.rounds_ == 0
    assert printed.paced_objective_[0] > derived.paced_objective_[0]
    assert (np.diff(derived.paced_objective_[first]) <= 1e-9).all()
    lengths = [sum(np.linalg.norm(C - X.mean(axis=0)) for C, X in zip(model.centers_, Xs))
               for model in (printed, derived)]
    assert lengths[0] < lengths[1]


@pytest.mark.parametrize("seed", range(5))
def test_without_weights_it_is_lloyds_method_on_the_concatenated_views(seed):
    Xs, _ = blobs(seed, n=90, distance=1.0)
    stack = np.hstack(scale_views(Xs, "minmax+variance"))
    centers = stack[np.random.default_rng(seed).choice(90, 4, replace=False)]
    init = ((stack[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    lloyd = SklearnKMeans(4, init=centers, n_init=1, tol=0.0, algorithm="lloyd").fit(stack)
    model = fit(Xs, 4, weighting="naive", init=init, tol=0.0)
    assert np.array_equal(model.labels_, lloyd.labels_)
    assert model.objective_[-1] == pytest.approx(lloyd.inertia_, rel=1e-10)
    assert np.array_equal(model.objective_, model.paced_objective_)


@pytest.mark.parametrize("weighting", ["hard", "smooth"])
@pytest.mark.parametrize("pace", ["geometric", "share"])
def test_more_than_half_of_the_pairs_start_and_all_end_with_weight(weighting, pace):
    Xs, _ = blobs(n=90)
    model = fit(Xs, weighting=weighting, pace=pace, kappa=20.0, inner_max_iter=1, max_iter=1)
    assert (model.weights_ >= 0.5).mean() > 0.5
    assert not model.converged_
    model = fit(Xs, weighting=weighting, pace=pace, kappa=20.0)
    assert (np.diff(model.thresholds_) > 0).all()
    assert np.isinf(model.thresholds_[-1])
    assert (model.weights_ == 1.0).all()
    assert (model.selection_order_ >= 0).all()


def test_the_smooth_rule_is_between_the_naive_and_the_hard_one():
    Xs, _ = blobs(n=90, distance=1.5)
    naive, dull, hard, sharp = (
        fit(Xs, weighting=weighting, kappa=kappa).label_history_ for weighting, kappa in (
            ("naive", 1.0), ("smooth", 1e-9), ("hard", 1.0), ("smooth", 1e9)))
    assert np.array_equal(naive, dull)
    assert np.array_equal(hard, sharp)
    assert not np.array_equal(naive, hard)


def test_the_share_pace_lets_in_the_shares_asked_for():
    Xs, _ = blobs(n=100)
    model = fit(Xs, weighting="hard", pace="share", pace_start=0.6, pace_step=0.2, inner_max_iter=1,
                init=blobs(n=100)[1])
    assert len(model.thresholds_) == 3
    counts = [(model.selection_order_ <= r).mean() for r in range(3)]
    assert 0.6 <= counts[0] <= 0.65
    assert 0.8 <= counts[1] <= 0.85
    assert counts[2] == 1.0


def test_the_histories_belong_together():
    Xs, _ = blobs(n=90, distance=1.5)
    model = fit(Xs, weighting="hard", kappa=3.0)
    n_rounds = len(model.thresholds_)
    assert (model.label_history_.shape, model.label_history_.dtype) == ((model.n_iter_ + 1, 90), np.uint8)
    assert np.array_equal(model.label_history_[-1], model.labels_)
    assert np.array_equal(np.unique(model.rounds_), np.arange(n_rounds))
    assert len(model.objective_) == len(model.paced_objective_) == len(model.rounds_) == model.n_iter_
    assert model.view_weight_history_.shape == (n_rounds, 3)
    assert (model.view_weight_history_[-1] == 1).all()
    assert model.objective_[-1] == pytest.approx(model.losses_.sum())
    for X, Z, C, losses in zip(Xs, scale_views(Xs, model.scaling), model.centers_, model.losses_):
        expected = np.stack([X[model.labels_ == j].mean(axis=0) for j in range(3)])
        assert np.allclose(C, expected, rtol=1e-9)
        centers = np.stack([Z[model.labels_ == j].mean(axis=0) for j in range(3)])
        assert np.allclose(losses, ((Z - centers[model.labels_]) ** 2).sum(axis=1), atol=1e-12)


@given(seed=st.integers(0, 2**31), weighting=st.sampled_from(WEIGHTINGS), k=st.integers(1, 5))
# A sample that counts in one view alone, where two clusters have the same centroid.
@example(seed=13613, weighting="hard", k=5)
def test_weighted_means_and_labels_minimise_their_steps(seed, weighting, k):
    rng = np.random.default_rng(seed)
    Xs, _ = blobs(seed, 30, distance=1.0)
    state = views.start(views.prepare_views(Xs, "none"), k, "labels", 0.1, seed)
    Xs = scale_views(Xs, "none")  # features of one sign start at 0
    weigh = {"naive": np.ones_like, "hard": lambda l: hard_weights(l, np.median(l)),
             "smooth": lambda l: smooth_weights(l, np.median(l))}[weighting]
    for _ in range(3):
        labels, previous = state.labels.copy(), state.centers
        W = state.weights = weigh(state.losses)
        state.centers = views.centroids(state)
        for X, C, w, old in zip(Xs, state.centers, W, previous):
            assert np.allclose(C, literal.centroids(X, labels, w, old), atol=1e-9)
        views.assign(state, W)
        costs = np.array([literal.assignment_costs(Xs, state.centers, W, i) for i in range(30)])
        # Two clusters can have the same centroid in all views that count: then either label is right.
        assert np.allclose(costs[np.arange(30), state.labels], costs.min(axis=1), atol=1e-9)
        assert np.allclose(state.losses, literal.losses(Xs, state.centers, state.labels))
        state.labels[rng.integers(0, 30, 2)] = rng.integers(0, k, 2)


def test_rows_that_left_a_cluster_of_tiny_weight_do_not_blur_its_centroid():
    X = np.arange(24.0).reshape(12, 2)
    state = views.start(views.prepare_views([X], "none"), 2, np.repeat([0, 1], 6), 0.1, 0)
    state.labels = np.array([0] + [1] * 11)
    state.weights = np.where(np.arange(12) == 0, 1e-14, 1.0)[None]
    zero = state.views.parts[0].X[0]
    assert np.allclose(views.centroids(state)[0][0], zero, rtol=0, atol=1e-12)


def test_a_sample_between_two_equally_near_centroids_stays_in_its_cluster():
    X, labels = np.array([[-1.0], [1.0], [0.0], [0.0]]), np.array([0, 1, 0, 1])
    state = views.start(views.prepare_views([X], "none"), 2, labels, 0.1, 0)
    state.labels, state.centers = labels, [np.array([[-1.0], [1.0]])]
    views.assign(state, np.ones((1, 4)))
    assert np.array_equal(state.labels, labels)


@READERS
def test_large_views_are_read_in_blocks_and_give_the_same_result(options, monkeypatch, tmp_path):
    Xs, _ = blobs(n=200, distance=1.5)
    Xs = [X.astype(np.float32) for X in Xs]
    expected = fit(Xs, **options)
    for v, X in enumerate(Xs):
        np.save(tmp_path / f"{v}.npy", X)
    maps = [np.load(tmp_path / f"{v}.npy", mmap_mode="r") for v in range(len(Xs))]
    monkeypatch.setattr(views, "LARGEST_COPY", 0)
    monkeypatch.setattr(large, "BLOCK", 128)
    model = fit(maps, **options)
    assert np.array_equal(model.labels_, expected.labels_)
    assert np.allclose(model.objective_[-1], expected.objective_[-1], rtol=1e-5)
    doubles = fit([np.asarray(X, float) for X in Xs], **options)
    assert np.array_equal(doubles.label_history_, expected.label_history_)
    assert np.allclose(doubles.objective_, expected.objective_, rtol=1e-12)


def test_a_memory_map_is_neither_copied_nor_converted(monkeypatch, tmp_path):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).random((50, 4), dtype=np.float32))
    X = np.load(tmp_path / "x.npy", mmap_mode="r")
    monkeypatch.setattr(views, "LARGEST_COPY", 0)
    model = MSPL(2, random_state=0)
    checked, _ = model._check_input([X])
    assert np.shares_memory(checked[0], X)
    assert checked[0].dtype == np.float32
    prepared, _ = model._prepare(checked, 2)
    assert np.shares_memory(prepared.parts[0].X, X)


@READERS
@pytest.mark.parametrize("value", [0.0, 5.0])
def test_a_constant_view_is_left_out_with_a_warning(options, value):
    Xs, _ = blobs(distance=1.5)
    with pytest.warns(ConstantViewWarning, match=r"Xs\[1\] \(view 2\)"):
        model = fit([Xs[0], np.full((60, 2), value), *Xs[1:]], **options)
    expected = fit(Xs, **options)
    assert np.array_equal(model.label_history_, expected.label_history_)
    assert np.array_equal(model.objective_, expected.objective_)
    assert (model.centers_[1] == value).all()
    assert model.centers_[2].shape == (3, Xs[1].shape[1])
    if isinstance(model, RMKMC):
        assert np.array_equal(model.view_weights_, np.insert(expected.view_weights_, 1, 0.0))
        return
    assert np.array_equal(model.paced_objective_, expected.paced_objective_)
    assert (model.weights_[1] == 1).all()
    assert not model.losses_[1].any()
    assert np.array_equal(model.selection_order_[[0, 2, 3]], expected.selection_order_)


def test_concatenated_k_means_and_a_single_view_see_the_scaled_views():
    Xs, y = blobs(distance=3.0)
    stack = np.hstack(scale_views(Xs, "minmax"))
    model = ConMC(3, n_init=5, random_state=0).fit(Xs)
    centers = np.stack([stack[model.labels_ == j].mean(axis=0) for j in range(3)])
    assert model.objective_[0] == pytest.approx(((stack - centers[model.labels_]) ** 2).sum(), rel=1e-9)
    alone = SingleView(3, view=1, n_init=5, random_state=0).fit(Xs)
    expected = ConMC(3, n_init=5, random_state=0).fit([Xs[1]])
    assert np.array_equal(alone.labels_, expected.labels_)
    assert adjusted_rand_score(y, alone.labels_) > 0.9
