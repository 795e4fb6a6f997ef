"""Methods on a user's own data: what fits, what runs, what is kept, and what it looks like."""

from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mtclib import datasets
from mtclib.companion import plots
from mtclib.companion.comparison import advice
from mtclib.companion.userdata import contents, load, number, run
from mtclib.companion.userdata.files import DataFileError
from mtclib.companion.userdata.load import UserData
from mtclib.companion.userdata.run import cluster
from mtclib.metrics import adjusted_rand_index


def data_of(kind, Xs, labels=None):
    sizes = [X.shape[0] for X in Xs][: 1 if kind == "multiview" else None]
    labels = labels or [np.full(n, -1) for n in sizes]
    names = tuple("abcdef"[: len(Xs)])
    return UserData("t", kind, Xs, labels[0] if kind == "multiview" else labels, names, ((),) * len(sizes),
                    feature_names=(None,) * len(Xs), sample_names=(None,) * len(sizes))  # fmt: skip


def blobs(n=10, seed=0):
    rng = np.random.default_rng(seed)
    return np.vstack([rng.normal(size=(n, 3)) + 9 * centre for centre in np.eye(3)[:2]])


@pytest.fixture
def tasks():
    return data_of("multitask", [blobs(seed=0), blobs(seed=1)])


@pytest.fixture
def views():
    return data_of("multiview", [blobs(seed=0), blobs(seed=1)[:, :2]])


def test_methods_that_do_not_fit_say_why_and_usual_ones_and_all_others_fit(tasks, views):
    said = run.methods_for(tasks, [2, 3])
    assert said.loc["MSPL", "reason"] == "MSPL takes views, and these data are tasks."
    assert said.loc["SPMTC", "reason"].startswith("SPMTC needs the same number of clusters in all tasks")
    assert said.loc["SAMTC", "reason"] == "SAMTC needs data without negative entries, and these have some."
    assert "each seen in several views" in said.loc["PerTask", "reason"]
    assert said.loc["MTCMRL", "fits"]
    assert not said.loc["MSPL", "fits"]
    assert run.methods_for(views, 2).loc["MTCMRL", "reason"].endswith("these data are views.")
    assert list(run.check_methods([], tasks, [2, 3])) == ["ConsensusClustering", "MTCMRL", "MBC", "KMeans"]
    given = run.check_methods(["all", {"MBC": {"lam": 0.1}}, "k-means", "mbc"], tasks, [2, 3])
    assert list(given) == list(run.check_methods(["all"], tasks, [2, 3]))
    assert sorted(given) == sorted(said.index[said["fits"]])
    assert next(iter(given)) == "ConsensusClustering", "its clusters are shown, as if none were named"
    assert given["MBC"] == {"lam": 0.1}


@pytest.mark.parametrize(("data", "kind"), [("tasks", "multitask"), ("views", "multiview")])
def test_what_is_advised_for_any_data_is_recommended_and_names_of_the_comparison_are_known(data, kind):
    found = advice.evidence(data)
    spec = found.protocol.methods[advice.advised(found)["take"]]
    assert spec.estimator == run.RECOMMENDED[kind] == run.DEFAULTS[kind][0]
    assert spec.params == run.GRAPHS.get(spec.estimator, {})
    for name, spec in found.protocol.methods.items():
        if ":" not in spec.estimator and "," not in name:
            assert run.class_name(name.casefold(), kind) == spec.estimator


@pytest.mark.parametrize(("kind", "planted"), [("tasks", [3, 3, 3]), ("views", [4])])
def test_the_planted_number_of_clusters_is_among_the_candidates_and_all_are_drawn(kind, planted):
    found = number.candidates(load.scale(load.example(kind)))
    parts = [part for _, part in found.table.groupby("task", sort=False)]
    assert all(k in set(part["clusters"]) for part, k in zip(parts, planted))
    assert [len(part) for part in parts] == [number.CANDIDATES] * len(planted)
    most = [part.loc[part["agreement"] == part["agreement"].max(), "clusters"] for part in parts]
    assert found.agreeing() == [int(ks.iloc[0]) for ks in most]
    assert len(plots.number_of_clusters(found).axes) == len(planted) * (1 + number.CANDIDATES)


@pytest.mark.parametrize(("d", "planted"), [(2, 2), (2, 3), (3, 3), (20, 4)])
def test_of_normal_groups_far_apart_their_number_is_proposed_also_in_the_plane(d, planted):
    centres = np.repeat(8.0 * np.vstack([np.zeros(d), np.eye(d)])[:planted], 100, axis=0)
    tasks = [centres + np.random.default_rng(seed).normal(size=centres.shape) for seed in range(4)]
    assert number.candidates(data_of("multitask", tasks)).agreeing() == [planted] * 4


@pytest.mark.filterwarnings("error")
def test_squares_beyond_single_precision_change_no_number_of_clusters():
    X = np.random.default_rng(0).normal(np.repeat(8.0 * np.eye(4), 50, axis=0)).astype(np.float32)
    small, large = (number.candidates(data_of("multitask", [part])) for part in (X, X * np.float32(2.0**100)))
    assert small.agreeing() == [4]
    pd.testing.assert_frame_equal(small.table, large.table)


def test_of_candidates_that_agree_equally_with_k_means_the_one_at_the_larger_gap_is_proposed():
    gaps = pd.DataFrame({"task": "a", "k": [2, 3, 4], "gap": [0.1, 0.3, 0.2]})
    table = pd.DataFrame({"task": "a", "clusters": [2, 3, 4], "agreement": [0.9, 0.9, 0.8]})
    assert number.Candidates(gaps, table, {}, {"a": np.ones((9, 2))}).agreeing() == [3]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_the_order_of_the_samples_moves_no_eigengap(form):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (150, 12)).astype(float)
    X, order = X[X.any(axis=1)], rng.permutation(X.any(axis=1).sum())
    one, other = (number.candidates(data_of("multiview", [form(each)])).gaps["gap"] for each in (X, X[order]))
    np.testing.assert_allclose(one, other, atol=1e-7)


def test_candidates_are_at_most_a_fifth_of_the_samples_and_the_edge_is_said():
    spread = data_of("multitask", [np.random.default_rng(0).normal(size=(25, 9)), blobs(3)[:4]])
    found = number.candidates(spread)
    assert found.gaps.groupby("task")["k"].max().tolist() == [5, 2]
    edge = found.table["note"] == "at the edge of the range"
    assert (edge == (found.table["clusters"].isin([2, 5]))).all()
    assert found.table.loc[found.table["task"] == "b", "clusters"].tolist() == [2]
    two = number.candidates(data_of("multitask", [blobs(20)])).table.set_index("clusters").loc[2]
    assert (two["sizes"], two["agreement"]) == ("20 20", 1), "sized, and compared with k-means"


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_for_equal_samples_no_number_of_clusters_is_proposed(form):
    found = number.candidates(data_of("multitask", [form(blobs(20)), form(np.ones((30, 3)))]))
    assert set(found.table["task"]) == {"a"}
    assert found.agreeing([0, 7]) == [2, 7]
    with pytest.raises(DataFileError, match="b: has only equal samples, too alike .* give n_clusters"):
        found.agreeing()


def shared(kinds, d=6, n=15, seed=0):
    """Tasks with some of five well separated clusters each, and these as classes, in the order given."""
    rng = np.random.default_rng(seed)
    Xs = [np.vstack([rng.normal(size=(n, d)) + 12 * np.eye(d)[kind] for kind in of]) for of in kinds]
    return Xs, [np.repeat(np.arange(len(of)), n) for of in kinds]


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1], [1, 2, 0]])
def test_clusters_that_correspond_are_one_group_whatever_their_numbers_and_the_order_of_tasks(order):
    kinds = [[[0, 1, 2], [2, 0, 3], [4, 2, 1, 0]][t] for t in order]
    Xs, labels = shared(kinds)
    groups = contents.aligned(data_of("multitask", Xs), labels)
    of = {}
    for kind, codes in zip(kinds, groups.codes):
        for k, code in zip(kind, codes):
            of.setdefault(k, set()).add(int(code))
    assert all(len(codes) == 1 for codes in of.values())
    assert len(set.union(*of.values())) == 5
    assert groups.names == ["1", "2", "3", "4", "5"]
    assert len(groups.related) == 3 + 1 + 3
    assert groups.related["similarity"].min() > 0.5


def test_the_relation_of_a_method_pairs_clusters_and_dissimilar_ones_stay_apart():
    Xs, labels = shared([[0, 1], [0, 1]])
    data = data_of("multitask", [np.vstack([X, X]) for X in Xs])
    labels = [np.concatenate([y, y]) for y in labels]
    crossed = {(0, 1): np.eye(2)[::-1], (1, 0): np.eye(2)[::-1]}
    assert [codes.tolist() for codes in contents.aligned(data, labels, crossed).codes] == [[0, 1], [2, 3]]
    right = {(0, 1): np.eye(2), (1, 0): np.eye(2)}
    assert [codes.tolist() for codes in contents.aligned(data, labels, right).codes] == [[0, 1], [0, 1]]


def test_with_known_classes_groups_have_their_names():
    Xs, labels = shared([[0, 1, 2], [2, 0]])
    data = replace(data_of("multitask", Xs, labels), class_names=(("b", "a", "c"), ("c", "b")))
    groups = contents.aligned(data, labels)
    assert groups.names == ["b", "a", "c"]
    assert [codes.tolist() for codes in groups.codes] == [[0, 1, 2], [2, 0]]
    assert contents.contents(data, labels, groups)["group"].tolist() == ["b", "a", "c", "c", "b"]
    labels = [np.repeat(np.arange(4), 5)]
    data = data_of("multitask", [blobs(10)], [np.repeat([0, 1, 0, 0], 5)])
    groups = contents.aligned(replace(data, class_names=(("x", "x (3)"),)), labels)
    assert groups.names == ["x", "x (3)", "x (2)", "x (4)"], "names differ whatever classes are called"


@pytest.mark.parametrize(("methods", "options", "message"), [
    (["KMeans", "MSPL"], {}, r"MSPL takes views.*Methods that fit: .*MTCMRL"),
    (["MTCMLR"], {}, "methods must be one of .*; got 'MTCMLR'. Did you mean 'MTCMRL'"),
    ([{"MTCMRL": {"lamb": 1}}], {}, "parameters of MTCMRL must.*; got 'lamb'. Did you mean 'lam'"),
    ([{"KMeans": {"random_state": 1}}], {}, "parameters of KMeans must be one of .*; got 'random_state'"),
    ([{"MBC": {"lam": 1}}, {"mbc": {"lam": 2}}], {}, "MBC has {'lam': 1} and {'lam': 2}; cluster once with"),
    *((wrong, {}, "methods must be a list of names") for wrong in ("KMeans", [3], [{"KMeans": 2}])),
    *((["KMeans"], {name: value}, f"{name} must be an integer")
      for name, value in (("n_runs", 0), ("n_jobs", 0), ("seed", -1))),
])  # fmt: skip
def test_what_does_not_fit_is_refused_with_what_does(methods, options, message, tasks):
    with pytest.raises(ValueError, match=message):
        cluster(tasks, methods, 2, **options)


def test_a_process_that_dies_is_told_with_the_method_and_what_to_do(tasks, monkeypatch):
    monkeypatch.setattr(run, "processes", lambda *_, **__: Mock(side_effect=run.BrokenProcessPool))
    with pytest.raises(MemoryError, match="process of KMeans or a method.* take fewer processes"):
        cluster(tasks, ["KMeans", "MBC"], 2, n_jobs=2)


def test_numbers_of_clusters_come_as_one_as_a_list_or_from_the_classes(tasks, views):
    ask = run.numbers_of_clusters
    assert ask(tasks, 2) == ask(tasks, [2]) == [2, 2]
    assert ask(tasks, [2, 3]) == ask(tasks, np.array([2, 3])) == [2, 3]
    assert ask(views, [2]) == [2]
    assert ask(load.example("tasks"), []) == [3, 3, 3]
    assert ask(load.example("views")) == [4]
    for data, wrong, message in (
        (tasks, None, "without classes"), (tasks, [2, 2, 2], "3 entries for 2 task"),
        (tasks, 99, "only 20 sample"), (tasks, 0, ">= 1"),
        (views, [2, 3], "views share their clusters"), (views, 2.5, "integer"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            ask(data, wrong)


def test_clusters_of_separate_blobs_are_found_and_sized(tasks, views):
    for data, methods in ((tasks, ["KMeans", "MTCMRL"]), (views, ["ConMC", "CoregSpectral"])):
        result = cluster(data, methods, 2, n_runs=2)
        assert set(zip(result.frame["status"], result.frame["sizes"])) == {("ok", "10 10")}
        assert result.frame["ACC"].isna().all()
        assert (result.frame["stability"] == 1).all()
        assert (result.agreement().to_numpy() == 1).all()
        assert result.first() == methods[0]
        assert all(said in run.report(result) for said in (f"with {run.shown_name(methods[0])} (", "10 10"))
    one, two = cluster(tasks, ["MTCMRL"], 2).labels["MTCMRL"]
    found = contents.aligned(tasks, [one, two]).related.set_index("cluster")["other cluster"]
    assert found.to_dict() == {one[0] + 1: two[0] + 1, one[-1] + 1: two[-1] + 1}
    copies = cluster(data_of("multitask", [np.repeat(np.eye(2), 5, axis=0)]), ["KMeans"], 3)
    assert "Fewer clusters than were asked for have samples." in run.report(copies)
    assert "Warnings: KMeans found fewer clusters than n_clusters: 2 of 3 in task 1" in run.report(copies)


@pytest.mark.parametrize("d", [1, 2])
def test_what_is_recommended_finds_blobs_in_few_features_which_a_cosine_cannot_tell_apart(d):
    centroids = np.array([[1.0], [2.0], [3.0]]) * np.ones(d) * 9
    y, rngs = np.arange(300) % 3, map(np.random.default_rng, (0, 1))
    Xs = [rng.normal(size=(300, d)) + centroids[y] for rng in rngs]
    data = load.scale(data_of("multitask", Xs))
    found = next(iter(cluster(data, [run.RECOMMENDED["multitask"]], 3, progress=False).labels.values()))
    assert min(adjusted_rand_index(y, labels) for labels in found) > 0.95
    X = Xs[0][np.argsort(y)][80:]
    X[0] = X.min(axis=0)  # the zeros that it becomes are no empty sample, which the largest cluster gets
    result = cluster(load.scale(data_of("multiview", [X, X])), [run.RECOMMENDED["multiview"]], 3)
    assert (result.frame["sizes"].item(), result.frame["notes"].item()) == ("100 100 20", "")


def test_a_feature_that_two_views_have_is_named_with_its_view(views):
    data = replace(views, feature_names=(("size", "b", "c"), ("size", "d")))
    assert [contents._feature_names(data, v) for v in (0, 1)] == [["size of a", "b", "c"], ["size of b", "d"]]


def test_scores_count_samples_of_known_class_only():
    truth = np.r_[-1, [0] * 9, -1, [1] * 9]
    result = cluster(data_of("multitask", [blobs()], [truth]), ["KMeans"], n_runs=3)
    assert result.frame.loc[0, list(run.SCORES)].tolist() == pytest.approx([1, 1, 1, 1])


def test_an_error_in_one_method_does_not_lose_the_others(tasks):
    result = cluster(tasks, ["KMeans", {"MTCMRL": {"lam": -1.0}}], 2)
    failed = result.frame[result.frame["method"] == "MTCMRL"]
    assert list(result.labels) == ["KMeans"]
    assert set(failed["status"]) == {"failed"}
    assert failed["error"].str.contains("ValueError: lam must be").all() and failed["ACC"].isna().all()
    with pytest.raises(ValueError, match="every method failed: MTCMRL: ValueError: lam must be"):
        cluster(tasks, [{"MTCMRL": {"lam": -1.0}}], 2).first()


def test_the_run_with_the_lowest_objective_is_kept():
    data = load.example("tasks")
    runs = cluster(data, ["KMeans"], n_runs=4, seed=5)
    seeds = run.spawn_seeds(5, 4)
    fits = [run.all_estimators()["KMeans"]([3, 3, 3], random_state=s).fit(data.Xs) for s in seeds]
    best = min(fits, key=lambda fit: fit.objective_[-1])
    pairs = [np.mean([adjusted_rand_index(a, b) for a, b in zip(one.labels_, two.labels_)])
             for i, one in enumerate(fits) for two in fits[i + 1:]]  # fmt: skip
    assert len({float(fit.objective_[-1]) for fit in fits}) > 1
    assert runs.frame["stability"].iloc[0] == pytest.approx(np.mean(pairs))
    for ours, theirs in zip(runs.labels["KMeans"], best.labels_):
        np.testing.assert_array_equal(ours, theirs)


def test_every_method_says_which_share_of_the_others_puts_a_sample_where_it_does(tasks):
    labels = {name: [np.array(one), np.array([0, 1])]
              for name, one in zip("abc", ([0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 1]))}
    result = run.Clusterings(pd.DataFrame(), labels, tasks, sure={"b": [np.full(4, 0.3), np.full(2, 0.4)]})
    assert [share.tolist() for share in result.agreements("a")] == [[1, 0.5, 1, 1], [1, 1]]
    assert result.agreements("b")[0].tolist() == [0.3] * 4, "that of a consensus is that of its members"
    assert run.Clusterings(pd.DataFrame(), {"a": labels["a"]}, tasks).agreements("a") is None


def test_agreement_is_the_mean_index_over_tasks(tasks):
    a, b = np.repeat([0, 1], 10), np.tile([0, 1], 10)
    result = run.Clusterings(pd.DataFrame(), {"A": [a, b], "B": [a, a], "C": [a, a]}, tasks)
    index = (1 + adjusted_rand_index(a, b)) / 2
    assert result.agreement().loc[["A", "C"], "B"].tolist() == [pytest.approx(index), 1]
    assert result.first() == "A"


def test_saved_files_hold_every_sample_once_and_how_many_members_of_a_consensus_agree(tmp_path):
    data, name = load.example("tasks"), "ConsensusClustering"
    result = cluster(data, ["KMeans", {"Consensus": {"members": ["cosine", "Ward", "k-means"]}}])
    assert [path.name for path in result.save(tmp_path / "new" / "folder")] == [
        "clusters-KMeans.csv", f"clusters-{name}.csv", "methods.csv", "agreement.csv", "contents.csv",
        "related.csv", "manifest.json", "report.txt"]
    table = pd.read_csv(tmp_path / "new/folder" / f"clusters-{name}.csv")
    assert table.groupby("task").size().to_dict() == {"north": 60, "south": 75, "west": 60}
    assert table["cluster"].tolist() == (np.concatenate(result.labels[name]) + 1).tolist()
    assert table["class"].tolist() == [data.class_names[t][k] for t in range(3) for k in data.labels[t]]
    assert table["sample"][:3].tolist() == [1, 2, 3]
    grouped = np.concatenate(result.groups(name).of(result.labels[name]))
    assert table["group"].tolist() == [result.groups(name).names[code] for code in grouped]
    sure = np.concatenate(result.sure[name])
    np.testing.assert_allclose(table["agreement"], sure, atol=1e-3)
    assert set(np.round(3 * sure)) <= {0, 1, 2, 3}


FRAME, HALVES = pd.DataFrame(blobs()), np.arange(20) // 10


@pytest.mark.parametrize("data", [
    datasets.load("toy-multitask"), datasets.load("mspl-toy"),
    datasets.Dataset("matrices", "multitask", [sp.csr_matrix(blobs())] * 2, [HALVES] * 2,
                     class_names=(("u", "v"), ())),
    datasets.Dataset("frames", "multiview", [FRAME, FRAME.sort_values(0)], list(HALVES))], ids=str)
def test_data_of_the_library_and_of_one_s_own_are_clustered_and_saved_as_well(data, tmp_path):
    result = cluster(data, ["k-means"])
    assert all(result.frame["ACC"] > 0.7)
    result.save(tmp_path / "new")
    assert len(pd.read_csv(tmp_path / "new" / "contents.csv")) == np.sum(data.n_clusters)


def test_samples_that_most_others_put_elsewhere_are_hollow_and_the_legend_says_so():
    X, labels = np.random.default_rng(0).normal(size=(6, 3)), np.array([0, 0, 0, 1, 1, 1])
    fig = plots.embedding([X, X], labels, ["a", "b"], agreement=[np.array([1, 0.4, 0.5, 1, 1, 1])])
    for ax in fig.axes:
        assert sum((part.get_facecolors()[:, 3] == 0).sum() for part in ax.collections) == 1
        assert sum(len(part.get_offsets()) for part in ax.collections) == 6
    assert fig.legends[0].get_texts()[-1].get_text() == "most others disagree"


def test_every_sample_is_drawn_once_in_the_look_of_its_cluster():
    labels = [np.repeat(np.arange(8), 5), np.repeat([0, 9], 20)]
    fig = plots.embedding([np.random.default_rng(0).normal(size=(40, 5)), sp.random_array((40, 6), rng=1)],
                          labels, ["dense", "sparse"], "KMeans")  # fmt: skip
    assert [sum(len(c.get_offsets()) for c in ax.collections) for ax in fig.axes] == [40, 40]
    handles = fig.legends[0].legend_handles
    assert len({(h.get_color(), h.get_marker()) for h in handles}) == len(handles) == 9
    assert fig.axes[1].get_xlabel().startswith("singular vector 1 (")


def test_of_very_many_tasks_the_first_are_drawn(monkeypatch):
    monkeypatch.setattr(plots.userdata, "_TASKS", 2)
    data = data_of("multitask", [blobs(seed=seed) for seed in range(3)])
    fig = plots.embedding(data.Xs, [np.zeros(20, int)] * 3, data.task_names, "KMeans", ["x"],
                          [np.ones(20)] * 3)
    assert fig.get_suptitle() == "KMeans: the first 2 of 3"
    assert [ax.get_title() for ax in fig.axes] == ["a", "b"]
    assert len(plots.number_of_clusters(number.candidates(data)).axes) == 2 * (1 + number.CANDIDATES)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_data_of_one_feature_are_drawn_on_a_line(form):
    X = form(np.arange(4.0)[:, None])
    points = plots.embedding([X], np.zeros(4, int), ["a"]).axes[0].collections[0].get_offsets()
    assert len(np.unique(points[:, 0])) == 4
    assert (points[:, 1] == 0).all()
