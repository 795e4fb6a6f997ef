"""The comparison by sources: fits within limits, what follows from them, the place of a further method."""

import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import sklearn.cluster
from data_support import real_data

from mtclib import MSPL
from mtclib.baselines import KMeans
from mtclib.baselines.registry import all_estimators
from mtclib.companion import place
from mtclib.companion.comparison import runner as script
from mtclib.companion.comparison.rivals import named
from mtclib.companion.comparison.sources import KINDS, PLAIN, Sources, above, against_the_first, summary
from mtclib.companion.parameters import UsageError
from mtclib.companion.runs import RunStore, expand, parse_protocol
from mtclib.companion.userdata.run import GRAPHS

PROTOCOL = Path(__file__).parents[2] / "data" / "comparison_toys.toml"
TABLE = """dataset,set,preparation,number of clusters,source,kind
a,a,first,known,one,toys
c,c,first,known,one,toys
b,b,first,known,another,toys
"b, k unknown",b,first,unknown,another,toys
"""


@pytest.fixture(scope="module")
def toys(tmp_path_factory):
    folder = tmp_path_factory.mktemp("toys")
    shutil.copy(PROTOCOL, folder / "protocol.toml")
    (folder / "sources.csv").write_text(TABLE, encoding="utf-8")
    store = RunStore(folder / "store")
    for part, whole in ((["a"], ["a"]), (["a", "b", "c"], ["a", "c", "b"])):
        sources = Sources("tasks", folder)
        script.run(sources, store, part)
        assert script.write(sources, store, sources.sets) == whole, "a set that is not run is left out"
    return Sources("tasks", folder)


def test_gains_and_sensitivity_follow_from_what_is_run_and_who_refuses_the_data_is_plain_k_means(toys):
    scores, table, found = toys.scores(), toys.overview(), toys.sensitivity()
    assert scores["refused"].isna().all()
    assert table.loc["refused", ["gain", "fails"]].tolist() == [0, 3]
    gains = scores["pooled"] - scores[PLAIN]
    assert table.loc["pooled", "gain"] == pytest.approx(gains.groupby("source").mean().mean())
    assert table.loc["pooled", "gain"] != pytest.approx(gains.mean()), "sources count, not sets"
    assert toys.scores(k="unknown").index.unique("set") == ["b"]
    assert (toys.costs()["seconds"].dropna() > 0).all()
    once = Sources("tasks", toys.folder)
    once.rows.loc[once.rows.eval("method == 'pooled' and set == 'a' and run == 0"), "value"] = np.nan
    assert once.scores()["pooled"].isna().sum() == 1, "a method that failed with one seed is absent"
    assert found.loc["all", "gain"] == table["gain"].iloc[0]
    assert "by ACC" in found.index


def test_summaries_are_those_of_a_t_distribution_and_holm_s_correction_is_that_of_the_book():
    gains = pd.DataFrame({"a": [4.0, 6.0, 5.0, 9.0, 3.0, 7.0, 8.0, 2.0], "b": 0.0, "c": 3.9}).assign(
        b=lambda frame: frame["a"] - np.arange(1, 9), d=lambda frame: frame["a"])
    found = summary(gains["a"])
    low, high = scipy.stats.ttest_1samp(gains["a"], 0).confidence_interval(0.95)
    assert (found["low"], found["high"]) == pytest.approx((low, high))
    assert above(gains["a"], found["low"]) == pytest.approx(0.975)
    assert above(gains["b"] * 0 + 1, 0.5) == 1
    p = against_the_first(gains)
    raw = [scipy.stats.wilcoxon(gains["a"] - gains[name]).pvalue for name in "bc"]
    assert p["b"] == pytest.approx(3 * raw[0])
    assert p["c"] == pytest.approx(2 * raw[1])
    assert p["d"] == 1


def test_every_score_is_a_line_of_the_table_for_everyone(toys):
    lines = pd.read_csv(toys.folder / "results" / "all_scores.csv")
    kept = lines.query("metric == 'ARI' and `number of clusters` == 'known' and method == 'pooled'")
    assert kept.set_index("set")["score"].to_dict() == pytest.approx(
        toys.scores()["pooled"].droplevel(["source", "kind", "preparation"]).to_dict(), abs=1e-3)
    assert set(kept["seeds"]) == {2}
    lost = lines[["score", "seconds"]].isna()
    assert lost.loc[lines["method"] == "refused"].all(axis=None)
    assert (lost["score"] == lost["seconds"]).all(), "a fit that failed took no time that counts"


def test_committed_results_are_enough_to_go_on_from_and_stay_until_a_run_is_on_all_their_sets(toys, tmp_path):
    def written():
        return {file.name: file.read_bytes() for file in results.iterdir() if file.suffix != ".json"}

    results, store = toys.folder / "results", RunStore(tmp_path)
    before, there = written(), script.restore(toys, store)
    assert there == len(store.keys()) > 0
    lost = next(job for job in script.jobs_of(toys, "a") if job.method == "pooled")
    (tmp_path / f"{lost.key}.npz").unlink()
    with pytest.raises(UsageError, match="left as they are, have a as well"):
        script.write(toys, store, toys.sets)
    assert written() == before
    assert script.restore(toys, store) == 1, "what is there already stays"
    assert script.write(toys, store, toys.done) == toys.done
    assert written() == before


def test_a_set_whose_data_cannot_be_had_is_not_run_and_replaces_nothing(toys, capsys):
    sources, store = Sources("tasks", toys.folder), RunStore(toys.folder / "store")
    gone = replace(sources.protocol.datasets["c"], loader="experiments_support:missing", params={})
    sources.protocol.datasets["c"] = gone
    script.run(sources, store, ["c", "b"])
    assert capsys.readouterr().out.startswith("c is not run: missing.tar: no source answered")
    with pytest.raises(UsageError, match="have c as well"):
        script.write(sources, store, sources.sets)


def test_a_further_method_with_nothing_but_fit_and_labels_gets_its_row_and_its_place(toys):
    class Toy:
        def __init__(self, ks, clusters):
            self.ks, self.clusters = ks, clusters

        def fit(self, Xs):
            self.labels_ = [self.clusters(X, k) for X, k in zip(Xs, self.ks)]

    def found(X, k):
        return sklearn.cluster.KMeans(k, n_init=20, random_state=0).fit_predict(np.sqrt(X))

    good = toys.place(lambda ks, seed: Toy(ks, found))
    bad = toys.place(lambda ks, seed: Toy(ks, lambda X, k: np.zeros(X.shape[0], int)))
    assert good.of == 4
    assert good.overview.index[good.rank - 1] == "mine"
    assert (bad.scores == 0).all()
    assert good.rank < bad.rank
    assert good.overview.loc["mine", "gain"] > bad.overview.loc["mine", "gain"]
    with pytest.raises(ValueError, match="there is a method 'sklearn KMeans' already"):
        toys.place(SimpleNamespace, name=PLAIN)
    with pytest.raises(TypeError, match=r"make must be a class, .* got KMeans\("):
        toys.place(KMeans(3))


def test_a_class_gets_its_place_on_one_named_set(toys):
    (first, *_), whole = toys.done, toys.place(KMeans)
    found = toys.place(partial(KMeans, max_iter=300), on=first)
    assert str(found) == f"place {found.rank} of 4: mean ARI {found.scores.item():.1f} on {first}"
    assert found.scores.equals(whole.scores[whole.scores.index.get_level_values("set") == first])
    for refusing, sets in ((toys.place, "nothing like it"), (place, "nothing like it"), (place, [])):
        with pytest.raises(UsageError, match="^on"):
            refusing(KMeans, on=sets)
    with pytest.raises(ValueError, match="n_runs must be an integer >= 0"):
        toys.place(KMeans, n_runs=-1)


@real_data
def test_a_method_that_is_compared_already_gets_the_score_that_it_has():
    scores = Sources("views").scores().query("set == 'Yale'")
    found = place(MSPL, on="Yale")
    assert np.allclose(found.scores, scores["MSPL"], atol=1e-3), "a mean over as many seeds"


def test_labels_of_some_tasks_only_are_refused_and_a_method_that_spoils_its_input_harms_no_other(toys):
    class Spoils(KMeans):
        def fit(self, Xs):
            super().fit(Xs)
            for X in Xs:
                X *= 0.0

    class First(KMeans):
        def fit(self, Xs):
            self.labels_ = super().fit(Xs).labels_[:1]

    first, *_ = toys.done
    with pytest.raises(ValueError, match="labels_ must have one entry for each sample of each task"):
        toys.place(First, on=first)
    assert toys.place(Spoils, on=first).scores.equals(toys.place(KMeans, on=first).scores)


@pytest.mark.parametrize(("trouble", "error"), [
    ("time", script.TOO_LONG), ("memory", script.TOO_LARGE), ("", ""),
    ("die", "the process died with code -9"), ("raise", "ValueError: this method cannot do that"),
])  # fmt: skip
def test_a_fit_that_passes_a_limit_is_a_failed_record_and_ends_the_method_on_the_set(trouble, error):
    job, further = expand(parse_protocol({
        "paper": "p", "title": "t", "root_seed": 0,
        "methods": {"m": {"estimator": "experiments_support:Noisy", "params": {"trouble": trouble}}},
        "datasets": {name: {"loader": "experiments_support:tiny"} for name in "de"},
        "profiles": {"full": {"n_runs": 1, "datasets": ["d", "e"], "methods": ["m"]}}}), "full")  # fmt: skip
    record = script.limited(job, seconds=1, gigabytes=1)
    assert (record.status, record.info["error"]) == ("failed" if error else "ok", error)
    assert error or record.cost["megabytes"] >= 0
    store = SimpleNamespace(get=lambda key, arrays: record if key == job.key else None)
    assert (further in script.needed([job, further], store)) == (not error.startswith("more than"))


@pytest.mark.parametrize("kind", KINDS)
def test_every_method_of_the_kind_takes_part_on_every_set_with_the_graph_of_the_command(kind):
    sources = Sources(kind)
    protocol = sources.protocol
    studies = {name: study for name, study in protocol.studies.items() if name != "alone"}
    parts, compared = [protocol.profile("full"), *studies.values()], protocol.profile("full").methods
    own = [spec for spec in protocol.methods.values() if ":" not in spec.estimator]
    trait = {"tasks": "multitask", "views": "multiview"}[kind]
    wanted = {name for name, cls in all_estimators().items() if cls.traits.kind == trait}
    assert {spec.estimator for spec in own} == wanted
    for name in wanted:
        assert GRAPHS.get(name, {}) in [spec.params for spec in own if spec.estimator == name]
    assert all(set(part.methods) <= set(protocol.methods) for part in parts)
    assert parts[1].methods == compared
    further = [name for name in protocol.methods if name not in compared]
    assert further == ([] if kind == "views" else protocol.studies["alone"].methods)
    assert {protocol.methods[name].params["estimator"] + ", alone" for name in further} == set(further)
    assert sorted(name for part in parts for name in part.datasets) == sorted(sources.table.index)
    assert set(sources.table.index) == set(protocol.datasets)


def test_a_missing_package_is_named_with_the_extra_that_brings_it():
    with pytest.raises(ModuleNotFoundError, match=r"no_such needs no_such.*mtclib\[comparison\]"):
        named("no_such:no_such")
