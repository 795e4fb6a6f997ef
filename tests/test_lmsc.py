"""LMSC: objective and updates, the stream, saving, reductions, and what the model cannot determine."""

import gc
import json
import pickle
import weakref
import zipfile
from copy import deepcopy

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from literal import lmsc as literal
from planted import counted_tasks as tasks, counted_views as views, equal, orthonormal
from scipy.linalg import orthogonal_procrustes
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import adjusted_rand_score

from mtclib import L2SC, LMSC, lmsc
from mtclib.baselines import SpectralNJW
from mtclib.companion.papers.lmsc import replaced
from mtclib.core import lifelong
from mtclib.core.base import DegenerateSubspaceWarning
from mtclib.core.lifelong import Libraries, StateFileError
from mtclib.core.starts import best_kmeans
from mtclib.maths.graphs import normalized_bipartite

# Most fits below are stopped early.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

K = 3


def fitted(**parameters):
    """Few starts of k-means: these tests are about what comes before."""
    return LMSC(**{"n_clusters": K, "n_init": 2, "random_state": 0, **parameters})


# The steps.


@pytest.mark.parametrize("shape", [(60, 3), (3, 3), (2, 3)])
@pytest.mark.parametrize("scale", [1e-3, 1e-6])
def test_the_polar_factor_is_that_of_the_decomposition(shape, scale):
    k = min(shape)
    A = orthonormal(shape[0], k, 0) @ np.diag([1.0, scale, 0.5][:k]) @ orthonormal(shape[1], k, 1).T
    Q = lmsc.polar(A, None)
    np.testing.assert_allclose(Q, literal.projection(A), atol=1e-8)
    np.testing.assert_allclose(Q.T @ Q if k == 3 else Q @ Q.T, np.eye(k), atol=1e-12)
    assert lmsc.polar(0.0 * A, Q) is Q, "a zero matrix keeps the previous factor"


@pytest.mark.parametrize("g", lmsc.L21.values(), ids=lmsc.L21)
def test_the_last_slope_is_the_tangent_of_a_minorant(g):
    L = orthonormal(20, 3, 0)
    *_, slope = g.slopes(L)
    for seed in range(200):
        step = np.random.default_rng(seed).standard_normal(L.shape)
        other = lmsc.polar(L + 10.0 ** -(seed % 4) * step, None)
        assert g.value(other) - g.value(L) >= np.vdot(slope, other - L) - 1e-10


def test_the_printed_reward_spreads_and_the_penalty_concentrates():
    sparse, flat = np.eye(20)[:, :3], orthonormal(20, 3, 0)
    assert lmsc.Reward.value(flat) == pytest.approx(literal.l21(flat))
    assert lmsc.Reward.value(flat) > lmsc.Reward.value(sparse)
    assert lmsc.Penalty.value(flat) < lmsc.Penalty.value(sparse)
    assert lmsc.Penalty.value(flat) == pytest.approx(-literal.l21(flat), abs=20 * lmsc.SMOOTHING)


@given(st.integers(0, 10**6), st.sampled_from(sorted(lmsc.L21)), st.floats(0, 20), st.floats(0, 100),
       st.floats(0, 20), st.sampled_from(["affinity", "laplacian"]))
@settings(max_examples=12)
def test_the_objective_never_falls_from_any_feasible_point(seed, l21, lam, mu, beta, matrix):
    model = LMSC(K, lam=lam, mu=mu, beta=beta, l21=l21, matrix=matrix, max_iter=20, tol=0.0)
    past = Libraries()
    for t in range(2):
        task = model._task(views(20, seed + t, signal=1.0), K, 0, past)
        elsewhere = replaced(
            task, Es=[orthonormal(20, K, [seed, v]) for v in range(2)], D=orthonormal(K, K, [seed, 9]),
            Bs=[orthonormal(K, K, [seed, 2 + v]) for v in range(2)],
            Ls=[orthonormal(d, K, [seed, d]) for d in (9, 12)])
        for start in (elsewhere, task):
            history = np.array([-start.objective(), *start.run()[0]])
            assert (np.diff(history) <= 1e-9 * np.abs(history[:-1])).all()
        past = task.libraries()


# Against the paper.


def dense(view):
    return view.K.toarray() if sp.issparse(view.K) else view.K @ np.eye(view.K.shape[0])


def as_printed(task):
    return [(dense(view), view.H.T) for view in task.views]


@pytest.mark.parametrize("affinity", ["knn", "knn-cosine"])
def test_the_graphs_equal_the_transcription(affinity):
    X = views(15)[0]
    rows = X if affinity == "knn" else X / np.linalg.norm(X, axis=1, keepdims=True)
    view = LMSC(K, affinity=affinity, n_neighbors=4)._task([sp.csr_array(X)], K, 0, Libraries()).views[0]
    assert sp.issparse(view.K) and sp.issparse(view.H)
    expected = literal.normalised(literal.affinity(rows.T, 4))
    np.testing.assert_allclose(dense(view), expected, atol=1e-10)
    X[:, 2] = 0.0
    np.testing.assert_allclose(normalized_bipartite(X).T, literal.x_hat(X.T), atol=1e-14)


def test_the_objectives_equal_the_sums_over_all_tasks():
    first, second = views(20, 0), views(24, 1)
    for formulation, cls in (("consistent", lmsc.Task), ("printed", lmsc.PrintedTask)):
        model = LMSC(K, formulation=formulation, lam=0.7, mu=0.3, beta=0.4, max_iter=4, tol=0.0, l21="reward")
        one = model._task(first, K, 0, Libraries())
        assert type(one) is cls
        one.run()
        two = model._task(second, K, 0, one.libraries())
        two.run()
        two = replaced(two, D=orthonormal(K, K, 5))
        shared = [[as_printed(one), as_printed(two)], [one.Es, two.Es], two.Bs, two.Ls, two.D]
        expected = (literal.objective(*shared, two.alphas, 0.7, 0.3, 0.4) if formulation == "printed" else
                    literal.consistent_objective(*shared, 0.7, 0.3, 0.4, literal.l21))
        assert two.objective() == pytest.approx(expected, rel=1e-12)


def test_aligned_embeddings_are_turned_towards_the_first_view_and_their_bases_do_not_matter():
    model = LMSC(K, output="aligned")
    task = model._task(views(20), K, 0, Libraries())
    total = sum(E @ orthogonal_procrustes(E, task.Es[0])[0] for E in task.Es)
    Z = model._represent(task)
    np.testing.assert_allclose(Z, total / np.linalg.norm(total, axis=1, keepdims=True))
    turned = replaced(task, Es=[E @ orthonormal(K, K, v) for v, E in enumerate(task.Es)])
    np.testing.assert_allclose(model._represent(turned), Z @ orthonormal(K, K, 0), atol=1e-12)


def test_a_task_starts_from_the_libraries_and_the_basis_follows_the_mean_over_all_tasks():
    model, past, sums = LMSC(K, lam=0.7, beta=0.4), Libraries(), [0.0, 0.0]
    for m in (1, 2, 3):
        task = replaced(model._task(views(20, m), K, 0, past), D=orthonormal(K, K, m))
        Bs, Ls, D = task.Bs, task.Ls, task.D
        assert m == 1 or equal([*Bs, *Ls], [*past.basis, *past.embedding])
        task.sweep()
        sums = [C + 0.7 * view.HT @ E for C, view, E in zip(sums, task.views, task.Es)]
        for B, C, L, before in zip(task.Bs, sums, Ls, Bs):
            pull = 2 * 0.4 * D / (2 * np.linalg.norm(D - before))
            np.testing.assert_allclose(B, literal.projection(C.T @ L / m + pull), atol=1e-10)
        past = task.libraries()


def test_a_printed_sweep_equals_the_transcription():
    settings_ = {"lam": 0.7, "mu": 0.0, "beta": 0.4, "eta": 0.05}
    model = LMSC(K, formulation="printed", max_iter=2, tol=0.0, **settings_)
    one = model._task(views(20, 0), K, 0, Libraries())
    one.run()
    two = model._task(views(24, 1), K, 0, one.libraries())
    past = list(zip(two.past.spectral, two.past.coclustering))
    state = two.Es, two.Bs, two.Ls, two.D, two.alphas
    expected = literal.sweep(as_printed(two), past, 2, state, **settings_)
    two.sweep()
    # Signs of eigenvectors are free: compare what does not depend on them.
    for E, other in zip(two.Es, expected[0]):
        np.testing.assert_allclose(E, other, atol=1e-10)
    for B, other in zip(two.Bs, expected[1]):
        np.testing.assert_allclose(np.abs(B.T @ other), np.eye(K), atol=1e-8)
    np.testing.assert_allclose(np.abs(two.D.T @ expected[3]), np.eye(K), atol=1e-8)
    for L, B, other, other_B in zip(two.Ls, two.Bs, expected[2], expected[1]):
        np.testing.assert_allclose(L @ B.T, other @ other_B.T, atol=1e-8)
    # alpha depends on the arbitrary signs; that it follows from D and B does not.
    np.testing.assert_allclose(two.alphas, [1 / (2 * np.linalg.norm(two.D - B)) for B in two.Bs], rtol=1e-12)


def test_the_printed_updates_lower_their_own_objective():
    model = fitted(formulation="printed", max_iter=50, tol=0.0)
    with pytest.warns(ConvergenceWarning, match="max_iter=50"):
        model.fit(tasks(2, signal=2.0))
    falls = [np.diff(history) for history in model.histories_]
    assert max(fall.max() for fall in falls) > 0.1
    assert all(np.sum(fall > 1e-9) >= 5 for fall in falls)


def test_maximising_the_printed_laplacian_takes_the_most_oscillating_vectors():
    Xs, truth = views(30, signal=6.0), np.arange(30) % K
    good = fitted().fit([Xs])
    bad = fitted(matrix="laplacian").fit([Xs])
    scores = [adjusted_rand_score(truth, model.labels_[0]) for model in (good, bad)]
    assert scores[0] > 0.9
    assert scores[1] < 0.5
    values, vectors = np.linalg.eigh(dense(good._task(Xs, K, 0, Libraries()).views[0]))
    F = good.set_params(matrix="laplacian", lam=0.0)._task(Xs, K, 0, Libraries()).Es[0]
    assert np.linalg.norm(vectors[:, :K].T @ F) == pytest.approx(K**0.5, abs=1e-6)
    assert values[0] < 0
    with pytest.warns(DegenerateSubspaceWarning, match="the features say nothing of some eigenvectors"):
        bad.fit([[np.repeat(X[:9], 3, axis=0) for X in Xs]])


# The stream.


def same(first, second):
    return equal(first.libraries_.arrays().values(), second.libraries_.arrays().values())


def test_fit_is_partial_fit_task_by_task_and_forgets_earlier_tasks():
    Xs = tasks(3)
    whole, stream = fitted(random_state=3).fit(Xs), fitted(random_state=3)
    for t, task in enumerate(Xs):
        assert np.array_equal(stream.partial_fit(task).labels_, whole.labels_[t])
        assert np.array_equal(stream.objective_, whole.histories_[t])
        assert stream.n_tasks_ == t + 1
    assert same(whole, stream)
    whole.partial_fit(views(seed=9))
    stream.partial_fit(views(seed=9))
    assert np.array_equal(whole.labels_, stream.labels_)
    assert same(whole, stream)
    assert same(whole.fit(Xs[:2]), fitted(random_state=3).fit(Xs[:2])), "fit forgets"
    assert whole.n_tasks_ == 2, "fit forgets"


def test_an_earlier_task_can_vanish_and_is_never_touched_again():
    Xs = [[sp.csr_array(X) for X in task] for task in tasks(4)]
    expected = fitted().fit(Xs)
    model = fitted()
    for t in range(4):
        task = [X.copy() for X in Xs[t]]
        model.partial_fit(task)
        dead = [weakref.ref(X) for X in task]
        for X in task:
            X.data[:] = np.nan  # an array that shared this memory would spoil the tasks to come
        del task, X
        gc.collect()
        assert not any(ref() is not None for ref in dead)
    assert same(model, expected)
    assert np.array_equal(model.labels_, expected.labels_[-1])


def test_neither_memory_nor_the_file_grows_with_the_number_of_tasks_and_the_file_has_no_pickle(tmp_path):
    model, sizes, arrays, file, lengths = fitted(n_init=1, max_iter=3), [], [], tmp_path / "state.npz", []
    for seed in range(12):
        model.partial_fit(views(20, seed)).save(file)
        sizes.append(len(pickle.dumps(model)) - model.objective_.nbytes)
        arrays.append(model.libraries_.nbytes)
        lengths.append(file.stat().st_size)
    assert len(set(arrays)) == 1
    assert max(sizes) - min(sizes) < 200
    assert max(lengths) - min(lengths) < 16
    with np.load(file, allow_pickle=False) as members:
        assert all(members[name].dtype != object for name in members.files)
    assert model.libraries_.nbytes == 8 * (2 * 2 * K * K + 2 * (9 + 12) * K + K * K + 2)


def test_libraries_of_other_tasks_help_a_task_with_little_data():
    strong = [views(60, seed, signal=2.0, d=(30, 30)) for seed in range(3)]
    truth, gains = np.arange(12) % K, []
    for seed in range(3):
        weak = views(12, 100 + seed, signal=0.8, d=(30, 30))
        alone = fitted(lam=10.0).fit([weak]).labels_[0]
        helped = fitted(lam=10.0).fit([*strong, weak]).labels_[-1]
        gains.append(adjusted_rand_score(truth, helped) - adjusted_rand_score(truth, alone))
    assert np.mean(gains) > 0.1


def test_without_co_clustering_the_libraries_change_nothing():
    task = views(seed=8)
    alone, later = fitted(lam=0.0).partial_fit(task), fitted(lam=0.0).fit(tasks(2)).partial_fit(task)
    assert adjusted_rand_score(alone.labels_, later.labels_) == 1.0
    for E, F in zip(alone.task_embeddings_, later.task_embeddings_):
        np.testing.assert_allclose(E @ E.T, F @ F.T, atol=1e-6)


def test_earlier_data_can_be_clustered_again_with_the_final_libraries():
    Xs = tasks(3, signal=6.0)
    model = fitted().fit(Xs)
    before = deepcopy(model)
    for task in Xs:
        assert adjusted_rand_score(np.arange(24) % K, model.predict(task)) > 0.9
    assert same(before, model)


# Saving.


@pytest.mark.parametrize(("cls", "parameters"), [(LMSC, {"lam": 2.0}), (L2SC, {"lam": 2.0, "view": 1})])
def test_a_stream_survives_a_restart_bit_for_bit(cls, parameters, tmp_path):
    Xs, file = tasks(4), tmp_path / "state.npz"
    through, stopped = (cls(K, n_init=2, random_state=np.random.default_rng(4), **parameters) for _ in "12")
    through.fit(Xs)
    stopped.fit(Xs[:2]).save(file)
    again = cls.load(file)
    assert parameters.items() <= again.get_params().items()
    assert again.n_tasks_ == 2
    assert same(again, stopped)
    for t in (2, 3):
        assert np.array_equal(again.partial_fit(Xs[t]).labels_, through.labels_[t])
    assert same(again, through)
    assert [path.name for path in tmp_path.iterdir()] == ["state.npz"]


def test_names_of_features_are_kept_and_numbers_may_be_those_of_numpy(tmp_path):
    first, second = ([pd.DataFrame(X).add_prefix(name) for X, name in zip(task, "ab")] for task in tasks(2))
    for form in (first, [first[0], first[1].to_numpy()], [X.to_numpy() for X in first]):
        model = LMSC([np.int64(K)], random_state=np.int64(3)).partial_fit(form)
        model.save(tmp_path / "state.npz")
        loaded = LMSC.load(tmp_path / "state.npz")
        assert loaded.n_features_in_ == model.n_features_in_
        np.testing.assert_equal(getattr(loaded, "feature_names_in_", None),
                                getattr(model, "feature_names_in_", None))
        assert np.array_equal(loaded.predict(second), model.predict(second))
        if hasattr(model, "feature_names_in_"):
            with pytest.raises(ValueError, match=r"Xs\[0\] has other columns than in the first task"):
                loaded.predict([X.iloc[:, ::-1] for X in second])


@pytest.fixture
def saved(tmp_path):
    """A file of the libraries after one task, and its members but for the checksum."""
    fitted().fit(tasks(1)).save(tmp_path / "state.npz")
    with np.load(tmp_path / "state.npz") as members:
        return tmp_path / "state.npz", {name: members[name] for name in members.files if name != "digest"}


def forge(members, **forged):
    """The members with other values in the header or beside it, and the checksum that is right for them."""
    header = json.loads(members["header"].tobytes())
    for name, value in forged.items():
        (header if name in header else members)[name] = value
    members["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    return {"digest": np.array(lifelong.digest(members)), **members}


def test_changed_values_and_other_files_are_refused(saved):
    file, members = saved
    torn = file.with_name("torn.npz")
    with zipfile.ZipFile(torn, "w") as archive, zipfile.ZipFile(file) as whole:
        for name in whole.namelist():
            archive.writestr(name, b"no array" if name == "fusion.npy" else whole.read(name))
    with pytest.raises(StateFileError, match="torn.npz is damaged: its content does not match its checksum"):
        LMSC.load(torn)
    for content, message in (({**forge(members), "fusion": np.zeros((K, K))}, "does not match its checksum"),
                             ({"a": np.eye(2)}, "state.npz is damaged or holds no libraries"),
                             ({"a": np.array([{}], dtype=object)}, "is damaged or holds no libraries"),
                             (forge(members, version=2), "version 2, but .* reads .* version 1; use the")):
        np.savez(file, **content)
        with pytest.raises(StateFileError, match=message):
            LMSC.load(file)
    file.write_text("no archive", encoding="utf-8")
    with pytest.raises(StateFileError, match="state.npz is damaged or .*it is no npz archive"):
        LMSC.load(file)
    with pytest.raises(FileNotFoundError):
        LMSC.load(file.with_name("nothing.npz"))
    with pytest.raises(StateFileError, match="it is no file"):
        LMSC.load(file.parent)
    L2SC(K).fit(tasks(1)).save(file)
    with pytest.raises(ValueError, match="holds libraries of L2SC; load it with L2SC.load"):
        LMSC.load(file)


@pytest.mark.parametrize("forged", [
    {"n_tasks": None}, {"n_tasks": 0}, {"entropy": "x"}, {"parameters": []}, {"parameters": {"lam": "much"}},
    {"parameters": {"n_clusters": 2, "shell": 1}}, {"fusion": np.zeros((1, 1))}, {"weights": np.ones(9)},
    {"features": None}, {"features": [[1]]}, {"embedding/0": np.full((3, K), np.nan)},
    {"basis/0": np.array([["a"] * K] * K)}, {"more": np.eye(2)},
], ids=str)  # fmt: skip
def test_a_forged_file_with_a_right_checksum_is_an_error_of_the_state_file(saved, forged):
    file, members = saved
    np.savez(file, **forge(members, **forged))
    with pytest.raises(StateFileError, match="state.npz .*load another copy"):
        LMSC.load(file)


def test_what_cannot_be_written_is_refused_and_the_old_file_stays(saved):
    file, before = saved[0], saved[0].read_bytes()
    with pytest.raises(ValueError, match="parameters cannot be saved .*no callables"):
        fitted(affinity=lambda X: X @ X.T).fit(tasks(1)).save(file)
    assert (file.read_bytes(), len(list(file.parent.iterdir()))) == (before, 1)


# Reductions.


def test_one_view_one_task_without_co_clustering_is_spectral_clustering():
    X = views(40, signal=2.0)[0]
    model = fitted(lam=0.0, affinity="cosine").fit([[X]])
    plain = SpectralNJW(K, affinity="cosine", random_state=0).fit([X])
    assert adjusted_rand_score(model.labels_[0], plain.labels_[0]) == 1.0
    # With mu = 0 as well nothing is left to alternate between.
    assert fitted(lam=0.0, mu=0.0, affinity="cosine").fit([[X]]).n_iter_ <= 2
    F = LMSC(K, lam=0.0, mu=0.0, affinity="cosine")._task([X], K, 0, Libraries())
    assert -F.run()[0][-1] == pytest.approx(np.sum(plain.eigenvalues_[0]), abs=1e-6)


def test_fewer_features_than_clusters_are_no_obstacle():
    task = LMSC(K)._task(views(d=(3, 12)), K, 0, Libraries())
    task.sweep()
    narrow = fitted(n_clusters=6).fit([views(30, s, d=(3, 12)) for s in range(2)])
    assert narrow.embedding_[0].shape == (3, 6)
    np.testing.assert_allclose(narrow.embedding_[0] @ narrow.embedding_[0].T, np.eye(3), atol=1e-10)
    np.testing.assert_allclose(task.Ls[1].T @ task.Ls[1], np.eye(K), atol=1e-10)


def test_the_updates_leave_basis_and_fusion_at_the_identity():
    model = fitted().fit(tasks(3))
    np.testing.assert_allclose([*model.basis_, model.fusion_], [np.eye(K)] * 3, atol=1e-5)


# Input.


@pytest.mark.parametrize(("task", "message"), [
    (lambda: views()[:1], r"Xs has 1 view\(s\) but the first task has 2"),
    (lambda: views(d=(9, 9)), "Xs, view 2, has 9 features but the first task has 12.*keep features"),
    (lambda: [views()[0], -views()[1]], r"Xs\[1\] \(view 2\) has negative entries.*shift each feature"),
    (lambda: views(2), "n_clusters is 3 but the task has only 2 sample"),
    (lambda: views()[0], "Xs must be a list with one two-dimensional array per view, got ndarray")])
def test_a_task_that_does_not_fit_is_refused_and_the_libraries_stay(task, message):
    model = fitted().fit(tasks(2))
    for method in (model.partial_fit, model.predict):
        with pytest.raises(ValueError, match=message):
            method(task())
    with pytest.raises(FloatingPointError, match="objective_"):
        model.set_params(mu=1.7e308).partial_fit(views())
    assert same(model, fitted().fit(tasks(2)))
    assert model.n_tasks_ == 2


def test_another_number_of_clusters_in_mid_stream_is_refused():
    model = fitted().fit(tasks(1)).set_params(n_clusters=4)
    with pytest.raises(ValueError, match="n_clusters is 4 but the libraries were learned with 3"):
        model.partial_fit(views())
    with pytest.raises(ValueError, match="the same integer for all tasks"):
        LMSC([3, 4]).partial_fit(views())
    assert LMSC([3, 3], random_state=0).partial_fit(views()).fusion_.shape == (3, 3)


def test_before_the_first_task_nothing_can_be_asked(tmp_path):
    model = LMSC(K)
    for call in (lambda: model.predict(views()), lambda: model.save(tmp_path / "x.npz")):
        with pytest.raises(NotFittedError, match="no libraries yet; call partial_fit with"):
            call()
    assert not list(tmp_path.iterdir())


def test_samples_without_neighbours_and_features_without_entries_are_no_obstacle():
    X, Z = views(30, d=(9, 30))
    X[4], Z[:, :3] = 0.0, 0.0
    model = fitted().fit([[X, Z], views(30, 1, d=(9, 30))])
    assert all(np.isfinite(array).all() for array in model.libraries_.arrays().values())
    assert (fitted().fit([[X, Z]]).embedding_[1][:3] == 0.0).all()


def test_negative_entries_may_be_split_into_two_parts():
    Xs = [[X - 2.0 for X in task] for task in tasks(2, signal=6.0)]
    model = fitted(negative="split").fit(Xs)
    assert [L.shape for L in model.embedding_] == [(18, K), (24, K)]
    assert all(adjusted_rand_score(np.arange(24) % K, labels) > 0.9 for labels in model.labels_)
    sparse = fitted(negative="split").fit([[sp.csr_array(X) for X in task] for task in Xs])
    np.testing.assert_allclose(sparse.objective_[-1], model.objective_[-1], rtol=1e-8)
    assert model.partial_fit(Xs[0]).n_tasks_ == 3
    positive = tasks(2)
    split = fitted(negative="split", mu=0.0).fit(positive)
    plain = fitted(mu=0.0).fit(positive)
    np.testing.assert_allclose(split.objective_, plain.objective_, rtol=1e-9)


# What the authors' code does.


def released(data, **parameters):
    return fitted(formulation="release", max_iter=6, **parameters).fit(data)


def test_words_are_weighted_over_all_tasks_together_and_words_of_none_are_left_out_if_there_are_others():
    data = tasks(2)
    data[0][1][:, 3] = data[1][1][:, 3] = data[0][0][:, 2] = 0.0
    found = lmsc.weigh_words(data)
    for v in range(2):
        for t, expected in enumerate(literal.weights_of_words([task[v] for task in data])):
            np.testing.assert_allclose(found[t][v].toarray(), expected, atol=1e-12)
    assert [X.shape[1] for X in found[0]] == [9, 11]
    without = released([[0.0 * X for X in task] for task in data])
    assert [len(labels) for labels in without.labels_] == [24, 24]


def test_the_released_graphs_equal_the_transcription():
    X = np.random.default_rng(0).random((30, 4))
    np.testing.assert_allclose(lmsc.heat_affinity(X), literal.heat_kernel(X), atol=1e-10)
    model = LMSC(K, formulation="release")
    np.testing.assert_allclose(model._released_view(X, K).H, literal.bipartite(X), atol=1e-12)


@pytest.mark.parametrize("rank", [2, 3, 5])
@pytest.mark.parametrize(("lam", "mu", "beta"), [(1.0, 0.01, 1.0), (0.1, 1.0, 10.0), (10.0, 0.1, 0.1)])
def test_released_sweeps_equal_the_transcription(lam, mu, beta, rank):
    data = tasks(2)
    words = [literal.weights_of_words([task[v] for task in data]) for v in range(2)]
    graphs = [[(literal.heat_kernel(X[t]), literal.bipartite(X[t])) for X in words] for t in range(2)]
    model = released(data, lam=lam, mu=mu, beta=beta, rank=rank, tol=0.0)
    state, kept = literal.released_start(graphs, rank), []
    for m, graph in enumerate(graphs, start=1):
        E = literal.released_embedding(graph, state[0], rank)
        for history in -model.histories_[m - 1]:
            E, state, value = literal.released_sweep(graph, m, E, state, lam, mu, beta)
            assert history == pytest.approx(value.real, rel=1e-8)
        kept.append(E)
    E, D = kept[-1], state[4]
    if abs(E.imag + model.task_embeddings_[0].imag).max() < 1e-7:
        E, D = E.conj(), D.conj()  # of real data both are iterates, and rounding chooses
    np.testing.assert_allclose(model.task_embeddings_[0], E, atol=1e-7)
    np.testing.assert_allclose(model.fusion_, D, atol=1e-7)


def test_released_iterates_turn_complex_and_the_libraries_survive_a_restart(tmp_path):
    model = released(tasks(2), rank=5, changes=("given words",))
    assert np.iscomplexobj(model.fusion_)
    assert model.representation_.shape == (24, 10)
    model.save(tmp_path / "state")
    again = LMSC.load(tmp_path / "state")
    assert same(model, again)
    assert again.partial_fit(views(seed=9)).n_tasks_ == 3


def test_released_labels_come_after_the_last_task_from_the_last_fusion_library():
    data = tasks(3)
    late, early = (released(data, changes=changes, rank=5).labels_ for changes in ((), ("arrival",)))
    stepwise = fitted(formulation="release", max_iter=6, rank=5, changes=("given words",))
    embeddings = [stepwise.partial_fit(task).task_embeddings_[0] for task in lmsc.weigh_words(data)]
    seen = [stepwise._parts([E], stepwise.fusion_) for E in embeddings]
    assert equal(late, [stepwise._cluster(Z, K, place) for place, Z in enumerate(seen, start=1)])
    assert equal(late[-1], early[-1])


def test_runs_of_k_means_end_where_scikit_learn_s_do_from_the_same_kind_of_start():
    Z = np.random.default_rng(0).standard_normal((40, 3)) + 4 * np.eye(3)[np.arange(40) % 3]
    found = lmsc.kmeans_runs(Z, 3, 50, seed=1)
    inertia = [sum(np.sum((Z[row == c] - Z[row == c].mean(axis=0)) ** 2) for c in set(row)) for row in found]
    assert min(inertia) == pytest.approx(best_kmeans(Z, 3, range(50)).inertia_)
    for row in found[:5]:
        centers = np.array([Z[row == c].mean(axis=0) for c in range(3)])
        assert np.array_equal(row, np.argmin(((Z[:, None] - centers) ** 2).sum(axis=2), axis=1))
    assert np.array_equal(found, lmsc.kmeans_runs(Z, 3, 50, seed=1))


@pytest.mark.parametrize("name", lmsc.CHANGES)
def test_every_change_of_the_release_runs_and_changes_what_it_names(name):
    data, options = tasks(2), {"rank": 5, "mu": 1.0, "eta": 0.5}
    plain, other = released(data, **options), released(data, changes=(name,), **options)
    same = np.array_equal(plain.objective_, other.objective_)
    assert same == (name in ("arrival", "best"))
    if name == "symmetric":
        assert np.isrealobj(released(data, changes=("symmetric",), **options).fusion_)


def test_without_the_memory_a_task_is_learned_as_a_first_one():
    data = lmsc.weigh_words(tasks(3))
    fresh = released(data, changes=("fresh", "given words"))
    alone = released(data[2:], changes=("given words",))
    np.testing.assert_array_equal(fresh.histories_[2], alone.histories_[0])


def test_views_that_are_alike_have_the_embedding_that_all_views_share():
    alike = [[task[0], task[0]] for task in tasks(2)]
    shared, own = released(alike, rank=5), released(alike, rank=5, changes=("views",))
    np.testing.assert_allclose(own.histories_[1], shared.histories_[1], rtol=1e-6)
    assert len(own.task_embeddings_) == 2
    for E in own.task_embeddings_:
        np.testing.assert_allclose(E, shared.task_embeddings_[0], atol=1e-6)


@pytest.mark.parametrize(("parameters", "message"), [
    *(({"changes": value}, "changes must be a tuple of names") for value in ("step", None, 0)),
    ({"changes": ("steps",)}, "changes must be one of .* Did you mean 'step'"),
    ({"changes": ("step",), "formulation": "printed"}, "empty unless formulation is 'release'"),
    ({"rank": 25}, "rank must be an integer >= 1 and <= 24"),
    ({"negative": "split"}, "negative must be 'refuse' where formulation is 'release'")])
def test_what_the_release_cannot_do_is_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        LMSC(K, **{"formulation": "release", **parameters}).fit(tasks(2))
    with pytest.raises(ValueError, match="weights words over all tasks, which are not at hand here; use fit"):
        LMSC(K, formulation="release").partial_fit(views())
