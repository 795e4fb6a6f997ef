"""Committed results: whole, recomputable from the labels, reproduced; and whether a run agrees with them."""

import os
import random
from dataclasses import replace

import numpy as np
import pytest
from experiments_support import Noisy, altered, demo_jobs, exported, table

from benchmarks import recreate
from benchmarks.recreate import agreement
from mtclib.companion import runs
from mtclib.companion.comparison.sources import KINDS, Sources
from mtclib.companion.papers import study_of
from mtclib.companion.runs import jobs, profiles
from mtclib.companion.runs.fit import labels_digest
from mtclib.companion.verdicts import ledger
from mtclib.core import paths
from mtclib.metrics import SCORES, score_all

SECONDS = 0.3
"""Jobs that took longer are not run again here."""

studies = pytest.mark.parametrize("paper", paths.papers())
everything = pytest.mark.parametrize("name", [*paths.papers(), *KINDS])


@pytest.fixture(scope="module")
def opened():
    return {**{paper: study_of(paper) for paper in paths.papers()}, **{kind: Sources(kind) for kind in KINDS}}


@studies
def test_scores_follow_from_the_labels(opened, paper):
    results = opened[paper].results
    fits = [name.partition("/") for name in results.labels if not name.startswith("truth/")]
    fits = random.Random(0).sample(fits, min(60, len(fits)))
    rows = results.frame[results.frame["key"].isin([key for key, *_ in fits])]
    # One fit may stand under two names: IND is also lambda = 0 of a sweep.
    names = ["key", "task", "metric"]
    rows = rows.drop_duplicates(names).set_index(names).sort_index()
    for key, _, task in fits:
        mine = rows.loc[(key, task)]
        truth = results.labels[f"truth/{mine['dataset'].iloc[0]}/{task}"]
        scores = score_all(truth[truth >= 0], results.labels[f"{key}/{task}"][truth >= 0])
        assert mine["value"][list(SCORES)].to_dict() == pytest.approx(scores, abs=1e-6)


@studies
def test_the_whole_protocol_is_there_and_nothing_failed(opened, paper):
    frame, protocol = opened[paper].results.frame, opened[paper].protocol
    assert set(frame["status"]) <= {"ok", "unavailable"}
    profile = protocol.profile("full")
    fits = frame.drop_duplicates(["dataset", "method", "key"]).groupby(["dataset", "method"]).size()
    for dataset in profile.datasets:
        for method in profile.methods:
            spec = protocol.methods[method]
            grid = {**spec.grid, **profile.grid.get(method, {})}
            points = int(np.prod([len(values) for values in grid.values()]))
            assert fits[dataset, method] >= points * (1 if spec.deterministic else profile.n_runs)


@pytest.mark.skipif("MTCLIB_DATA" not in os.environ, reason="the committed runs use the original archives")
@studies
def test_a_sample_of_rows_is_reproduced_label_for_label(opened, paper, monkeypatch):
    results, requests = opened[paper].results, jobs._requests
    frame = results.frame.drop_duplicates("key").set_index("key")
    frame = frame[frame["seconds"] < SECONDS]
    # To plan a job its data set is loaded: four with fast fits, which are small, are enough.
    fits = frame.groupby("dataset").agg(methods=("method", "nunique"), seconds=("seconds", "mean"))
    names = fits[fits["methods"] > 3]["seconds"].nsmallest(4).index
    monkeypatch.setattr(jobs, "_requests", lambda *given: (
        one for one in requests(*given) if one[0] in names))
    # Jobs of a later version of an algorithm have other keys: nothing is committed for them yet.
    quick = [job for job in jobs.expand(opened[paper].protocol, "full") if job.key in frame.index]
    if not quick:
        pytest.skip("every committed fit is of an earlier version; the provenance names them")
    sample = random.Random(0).sample(quick, 12)
    assert len({job.method for job in sample}) > 2
    for job in sorted(sample, key=lambda job: job.dataset):
        assert labels_digest(runs.execute(job)) == results.digests[job.key], job.key


@studies
def test_claims_name_methods_that_are_run_or_printed(opened, paper):
    known = {*opened[paper].protocol.methods, *opened[paper].published["method"]}
    for claim in ledger.claims(paper):
        params = claim.get("params", {})
        # Views, settings and streams stand in the place of methods elsewhere.
        if claim.get("frame", "results") == "results" and params.get("metric") != "round":
            named = {params.get(name) for name in ("method", "method_a", "method_b")} - {None}
            named.update(*(params.get(name, ()) for name in ("others", "methods_a", "methods_b")))
            assert named <= known, claim["id"]


def test_a_run_again_adds_four_megabytes_at_most_and_all_data_take_25():
    names = [*paths.papers(), *(f"comparison/many-{kind}" for kind in KINDS)]
    again = [[file for file in paths.results_dir(name).iterdir() if not file.name.startswith("identify")]
             for name in names]
    assert max(sum(file.stat().st_size for file in files) for files in again) < 4e6
    fetched = [paths.data_dir() / name for name in ("cache", "runs")]
    kept = [file for file in paths.data_dir().glob("**/*")
            if file.is_file() and not {*fetched} & {*file.parents}]
    assert sum(file.stat().st_size for file in kept) < 25e6


@everything
def test_every_fit_has_a_digest_and_the_labels_that_are_there_are_those_of_the_digests(opened, name):
    results, vectors = opened[name].results, {}
    done = results.frame.loc[results.frame["status"] == "ok", "key"].unique()
    assert results.digests.keys() == set(done)
    for place, vector in results.labels.items():
        key, _, task = place.partition("/")
        vectors.setdefault(key, {})[f"labels/{task}"] = vector
    for key in sorted(vectors.keys() - {"truth"})[::20]:
        assert labels_digest(runs.Record({"key": key}, arrays=vectors[key])) == results.digests[key]


@studies
def test_no_recorded_time_is_far_from_those_of_its_siblings(opened, paper):
    fits = opened[paper].results.frame.drop_duplicates("key")
    usual = fits.groupby(["published", "method"], observed=True)["seconds"].transform("median")
    far = fits[(fits["seconds"] > 60) & (fits["seconds"] > 100 * usual)]
    assert far["key"].tolist() == []


def test_results_were_exported_by_committed_code():
    for file in paths.data_dir().glob("**/results/provenance.json"):
        assert "-dirty" not in file.read_text(encoding="utf-8"), file


FULL = {"n_runs": 2, "datasets": ["tiny"], "methods": ["noisy", "once"]}


@pytest.mark.parametrize("measures", [[], ["d_M", "s_nmi"]])
@pytest.mark.parametrize("keep", [[], ["relation_"]])
def test_restored_fits_with_and_without_labels_are_exported_byte_for_byte(tmp_path, keep, measures):
    broken = {"estimator": "experiments_support:Noisy", "params": {"trouble": "raise"}}
    methods = table()["methods"] | {"broken": broken}
    methods["noisy"] |= {"keep": keep}
    profile = {**FULL, "methods": [*methods]}
    protocol = runs.parse_protocol(table(methods=methods, profiles={"full": profile}, measures=measures))
    wanted = jobs.expand(protocol, "full")
    first, again = (runs.RunStore(tmp_path / name) for name in "12")
    runs.run(wanted, first)
    folder = runs.export(wanted, first, tmp_path / "results", protocol=protocol)
    results = runs.read_results(folder)
    assert results.calibrations.keys() == results.digests.keys()
    assert min(results.calibrations.values()) > 0
    with_labels = {name.partition("/")[0] for name in results.labels} - {"truth"}
    assert (len(with_labels), len(results.digests)) == (7 if keep else 5, 7)
    assert len(runs.restore(wanted, results, again)) == 9
    assert not runs.restore(wanted, results, again)
    runs.run(wanted, again)
    other = runs.export(wanted, again, tmp_path / "other", protocol=protocol)
    assert {file.name for file in folder.iterdir()} == {file.name for file in other.iterdir()}
    for file in folder.iterdir():
        if file.suffix != ".json":
            assert file.read_bytes() == (other / file.name).read_bytes(), file.name
    both = [runs.read_results(each).provenance for each in (folder, other)]
    assert ([one.pop("seconds") for one in both], both[0]) == (pytest.approx([0, 0], abs=1), both[1])


def test_a_restored_fit_is_run_again_only_where_its_labels_are_read_now(tmp_path, monkeypatch):
    monkeypatch.setenv("MTCLIB_ROOT", str(tmp_path))
    protocol = runs.parse_protocol(table(methods={"noisy": {**table()["methods"]["noisy"], "keep": []}},
                                         profiles={"full": {**FULL, "methods": ["noisy"]}}))  # fmt: skip
    wanted, store = jobs.expand(protocol, "full"), runs.RunStore(tmp_path / "runs")
    runs.run(wanted, store)
    results = runs.read_results(runs.export(wanted, store, tmp_path / "results", protocol=protocol))
    later, again = replace(protocol, methods={"noisy": replace(
        protocol.methods["noisy"], default={"noise": 2.0})}), runs.RunStore(tmp_path / "again")
    runs.restore(wanted, results, again)
    with pytest.raises(ValueError, match="2 of 6 jobs are not in the store"):
        runs.export(wanted, again, tmp_path / "other", protocol=later)
    profiles.run_and_export(wanted, again, tmp_path / "other", later)
    days = [again.get(job.key).cost["when"] for job in wanted]
    assert sum(day not in results.provenance["computed"] for day in days) == 2
    assert runs.read_results(tmp_path / "other").digests == results.digests


@pytest.fixture
def finished(tmp_path):
    """A store with all records, and the results exported from it."""
    store, _, results = exported(tmp_path, demo_jobs())
    return demo_jobs(), store, results


def test_fits_of_an_earlier_version_are_named_with_the_provenance(finished, tmp_path, monkeypatch):
    *_, results = finished
    assert "fits of earlier versions" not in results.provenance
    monkeypatch.setattr(Noisy, "algorithm_version", lambda: 8)
    named = runs.read_results(tmp_path / "results").provenance["fits of earlier versions"]
    assert named == "experiments_support:Noisy by version 7 of the algorithm (version 8 is present)"


def test_a_store_agrees_with_its_export_until_something_differs_or_is_missing(finished):
    jobs, store, results = finished
    parts = ("labels", "scores", "objectives")
    found = agreement(store, results)
    assert (found["jobs"], found["missing"], *(found[f"identical_{part}"] for part in parts)) == (
        13, 0, True, True, True)
    keys = [job.key for job in jobs]
    labels, scores = store.get(keys[0]).arrays["labels/2"].copy(), store.get(keys[1]).info["scores"]
    labels[4] = (labels[4] + 1) % 3
    altered(store, keys[0], arrays={"labels/2": labels})
    altered(store, keys[1], scores={task: {**row, "ARI": row["ARI"] - 2e-6} for task, row in scores.items()})
    altered(store, keys[2], objective=0.0)
    altered(store, keys[3], without="labels/1")
    found = agreement(store, results)
    assert [found[f"{part}_differ"] for part in parts] == [[keys[0], keys[3]], [keys[1]], [keys[2]]]
    assert not any(found[f"identical_{part}"] for part in parts)
    store.path(keys[0]).unlink()
    altered(store, keys[3], status="failed")
    found = agreement(store, results)
    assert (found["missing"], found["labels_differ"], found["identical_labels"]) == (2, [], False)


def test_a_share_of_the_committed_fits_is_drawn_run_again_and_compared(finished, tmp_path, monkeypatch):
    jobs, store, results = finished
    monkeypatch.setattr(recreate, "plan", lambda *_: (None, jobs, store))
    monkeypatch.setattr(recreate, "read_results", lambda _: results)
    row = recreate.recreated("demo", 0.5, np.random.default_rng(0), runs.RunStore(tmp_path / "again"), 1)
    assert row == {"paper": "demo", "committed": 13, "drawn": 6, "no data": 0, "missing": 0,
                   "labels": 0, "scores": 0, "objectives": 0}
