"""Protocol files, what is read and refused; jobs: keys, seeds and the expansion of a protocol; profiles."""

import copy
import json
import os
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
from experiments_support import demo_jobs, quick, table
from hypothesis import given, strategies as st

from mtclib.companion import runs
from mtclib.companion.runs import jobs, profiles
from mtclib.datasets import FetchError

GOLDEN = runs.Job(paper="p", dataset="d", loader="l", loader_params={}, method="m", estimator="MTCMRL",
                  params={"lam": 4.0, "alpha": 0.25, "max_iter": 200}, shown="{}", run=0, seed=12345,
                  data_sha="ab" * 32, algorithm_version=1, keep=("relation_",))
GOLDEN_KEY = "b52c096cd6e28896b0ec4f14"
TEXT = st.text("aZ0. :,[{\"'\\/\n\0\x7fé中\u2028😀")  # of all letters hypothesis first encodes each: seconds


def test_the_key_never_changes_nor_in_a_process_with_another_hash_seed_and_none_imports_dask():
    code = f"from mtclib.companion.runs import Job; import json, sys; job = {GOLDEN!r}; " + (
        "print(json.dumps([job.key, list(sys.modules)]))")
    key, modules = json.loads(subprocess.check_output(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": "99"}, text=True))
    assert GOLDEN.key == key == GOLDEN_KEY
    assert "mtclib.companion.runs" in modules
    assert not {"dask", "distributed"} & set(modules)


@pytest.mark.parametrize("change", [
    {"estimator": "SNMF"}, {"params": {"lam": 4.0}}, {"seed": 1}, {"data_sha": "cd" * 32},
    {"algorithm_version": 2}, {"keep": ()}, {"measures": ("d_M",)}])
def test_whatever_determines_the_result_changes_the_key_and_names_and_the_spelling_of_numbers_do_not(change):
    assert replace(GOLDEN, **change).key != GOLDEN_KEY
    other = replace(GOLDEN, method="MTC-MRL", dataset="other", paper="q", part="figure1", in_grid=False,
                    params={"max_iter": 200.0, "alpha": 0.25, "lam": 4})
    assert other.key == GOLDEN_KEY


@given(st.dictionaries(TEXT, st.one_of(st.booleans(), st.none(), TEXT, st.integers(-2**53, 2**53),
                                       st.floats(allow_nan=False, allow_infinity=False))))
def test_canonical_json_ignores_order_and_loses_nothing(value):
    text = runs.canonical(value)
    assert text == runs.canonical(dict(reversed(value.items())))
    assert json.loads(text) == value
    with pytest.raises(ValueError):
        runs.canonical({**value, "lam": float("nan")})


def test_seeds_depend_on_root_paper_data_set_and_run_alone():
    seeds = {runs.seed_for(*arguments) for arguments in [
        (0, "mtcmrl", "20NewsGroups", 0), (1, "mtcmrl", "20NewsGroups", 0), (0, "spmtc", "20NewsGroups", 0),
        (0, "mtcmrl", "Reuters", 0), (0, "mtcmrl", "20NewsGroups", 1)]}
    assert len(seeds) == 5
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert runs.seed_for(0, "mtcmrl", "20NewsGroups", 0) == 1075107280


def test_all_methods_and_grid_points_share_the_seed_of_a_run_and_a_deterministic_method_is_run_once():
    seeds, jobs = {}, demo_jobs()
    for job in jobs:
        seeds.setdefault(job.run, set()).add(job.seed)
    assert sorted(seeds) == [0, 1, 2, 3]
    assert all(len(found) == 1 for found in seeds.values())
    assert [sum(job.method == name for job in jobs) for name in ("once", "noisy")] == [1, 12]


def _sweep(values, method="noisy", dataset="tiny"):
    return {"figure1": {"method": method, "datasets": [dataset], "base": {"noise": 1.0},
                        "sweep": {"noise": values}}}


def test_a_sweep_point_that_the_grid_has_is_one_job():
    jobs = demo_jobs(sensitivity=_sweep([0.5, 1, 8.0]), profiles=quick("noisy", sensitivity=["figure1"]))
    assert len(jobs) == len({job.key for job in jobs}) == 8
    assert {(job.params["noise"], job.part) for job in jobs if not job.in_grid} == {(8.0, "figure1")}


def test_the_shown_parameters_are_the_grid_and_whatever_departs_from_its_fixed_value():
    methods = {"noisy": {**table()["methods"]["noisy"], "params": {"trouble": ""}}}
    sweep = _sweep([0.5])
    sweep["figure1"]["base"]["trouble"] = ""
    sweep["figure1"]["sweep"]["trouble"] = ["", "warn"]
    profiles = quick("noisy", n_runs=1, sensitivity=["figure1"])
    shown = [job.shown for job in demo_jobs(methods=methods, sensitivity=sweep, profiles=profiles)]
    assert shown == ['{"noise":0.5}', '{"noise":1.0}', '{"noise":2.0}', '{"noise":1.0,"trouble":"warn"}']


def test_a_profile_changes_loader_parameters_fixed_parameters_and_grids():
    (job,) = demo_jobs(profiles=quick(
        "noisy", n_runs=1, grid={"noisy": {"noise": [1.0]}}, params={"noisy": {"trouble": "warn"}},
        loader_params={"tiny": {"n": 12}}))
    assert job.params == {"noise": 1.0, "trouble": "warn"}
    assert job.loader_params == {"n": 12}
    assert job.data_sha != demo_jobs()[0].data_sha


def test_jobs_of_one_data_set_are_neighbours():
    data = {name: {"loader": "experiments_support:tiny", "params": {"shift": shift}}
            for name, shift in (("a", 0.0), ("b", 1.0))}
    profiles = quick("noisy", n_runs=1, datasets="ab", studies=["again"])
    study = {"again": {"datasets": ["a", "b"], "methods": ["once"]}}
    names = [job.dataset for job in demo_jobs(datasets=data, studies=study, profiles=profiles)]
    assert names == ["a"] * 4 + ["b"] * 4


@pytest.mark.parametrize("change, words", [
    ({"estimator": "experiments_support:Nosy"}, "Nosy"), ({"estimator": "MTCMLR"}, "MTCMRL"),
    ({"params": {"nose": 1.0}}, "Did you mean 'noise'")])
def test_an_unknown_estimator_or_parameter_is_refused_before_anything_runs(change, words):
    methods = table()["methods"]
    methods["once"] |= change
    with pytest.raises(runs.ProtocolError, match=words):
        runs.expand(runs.parse_protocol(table(methods=methods)), "quick")


def test_a_study_can_have_a_smaller_grid_and_runs_of_its_own_number():
    study = {"less": {"datasets": ["tiny"], "methods": ["noisy"], "grid": {"noisy": {"noise": [1.0]}},
                      "n_runs": 2}}
    for n_runs in (4, 1):
        jobs = demo_jobs(studies=study, profiles=quick(n_runs=n_runs, datasets=(), studies=["less"]))
        assert [(job.params["noise"], job.run) for job in jobs] == [(1.0, 0), (1.0, 1)]


def test_data_that_could_not_be_had_are_asked_for_again_only_after_a_while(monkeypatch):
    asked = []

    def refuse(loader, params):
        asked.append(params)
        raise FetchError("no network")

    monkeypatch.setattr(jobs, "_load", refuse)
    for wait, name, expected in ((60.0, "a", 1), (60.0, "b", 2), (0.0, "b", 5)):
        monkeypatch.setattr(jobs, "RETRY_AFTER", wait)
        for split in range(3):
            with pytest.raises(FetchError, match="no network"):
                runs.load_dataset("some:loader", {"loader": name, "split": split})
        assert len(asked) == expected


@pytest.mark.parametrize("where, name, value, words", [
    ((), "metods", {}, ["metods", "methods"]),
    (("methods", "noisy"), "gird", {}, ["methods.noisy", "gird", "grid"]),
    (("profiles", "quick"), "n_runs", None, ["profiles.quick: missing n_runs"]),
    (("profiles", "quick"), "methods", ["noizy"], ["noizy", "noisy"]),
    (("profiles", "quick"), "datasets", ["tinny"], ["tinny", "tiny"]),
    (("profiles", "quick"), "n_runs", 0, ["n_runs", "at least 1"]),
    (("profiles", "quick"), "n_runs", "4", ["n_runs", "int", "str"]),
    (("profiles", "quick"), "params", {"nosy": {}}, ["nosy", "noisy"]),
    (("profiles", "quick"), "grid", {"noisy": {"nois": [1.0]}}, ["nois", "noise"]),
    (("profiles", "quick"), "grid", {"noisy": {"noise": [2.0]}}, ["default", "1.0"]),
    (("methods", "noisy"), "default", {"noise": 1.5}, ["default", "1.5"]),
    (("methods", "noisy"), "default", {}, ["default", "noise"]),
    (("methods", "noisy", "grid"), "noise", [], ["noise", "at least one"]),
    (("datasets", "tiny"), "rows_of", "tiny", ["datasets.tiny", "either"]),
    ((), "sensitivity", {"f": {"method": "noisy", "datasets": ["tiny"], "base": {"nois": 1.0},
                               "sweep": {"nois": [1.0]}}}, ["nois", "noise"]),
    ((), "sensitivity", {"f": {"method": "noisy", "datasets": ["tiny"], "base": {},
                               "sweep": {"noise": [1.0]}}}, ["base"]),
    ((), "studies", {"s": {"datasets": ["tiny"], "methods": ["noisy"], "grid": {"noisy": {"nois": [1.0]}}}},
     ["studies.s", "nois", "noise"])])
def test_a_mistake_in_a_protocol_is_named_with_what_was_meant(where, name, value, words):
    wrong = copy.deepcopy(table())
    part = wrong
    for step in where:
        part = part[step]
    part[name] = value
    if value is None:
        del part[name]
    with pytest.raises(runs.ProtocolError) as error:
        runs.parse_protocol(wrong, "demo.toml")
    for word in ["demo.toml", *words]:
        assert word in str(error.value)


def test_an_unknown_protocol_or_profile_is_answered_with_close_matches_and_a_broken_or_absent_file_named(
        tmp_path):
    broken = tmp_path / "broken.toml"
    broken.write_text("paper = [")
    for wrong, message in (("mtcrml", "mtcmrl"), (broken, "broken.toml is not valid TOML"),
                           (tmp_path / "absent.toml", "no protocol file")):  # fmt: skip
        with pytest.raises(runs.ProtocolError, match=message):
            runs.load_protocol(wrong)
    with pytest.raises(runs.ProtocolError, match="quick"):
        runs.parse_protocol(table()).profile("quik")


@pytest.fixture
def protocol():
    data = {name: {"loader": "some-loader", "params": {"edition": name}} for name in "abc"}
    profiles = {**quick("once", datasets=["a"], loader_params={"a": {"edition": "wheel"}}),
                "full": {"n_runs": 2, "datasets": ["a"], "methods": ["once"], "studies": ["s"],
                         "sensitivity": ["figure1"]}}
    study = {"datasets": ["b", "a"], "methods": ["once"], "n_runs": 9}
    return runs.parse_protocol(table(datasets=data, profiles=profiles, studies={"s": study},
                                     sensitivity=_sweep([1.0], "once", "c"), root_seed=5))


def test_a_profile_needs_the_data_of_its_studies_and_sweeps_too_and_may_change_their_edition(protocol):
    needed = [protocol.needed_datasets(profile).values() for profile in ("quick", "full")]
    assert [[params["edition"] for _, params in found] for found in needed] == [["wheel"], ["a", "b", "c"]]


def test_the_files_are_those_that_the_data_were_read_from_and_all_are_tried_before_what_is_missing_is_said(
        protocol, monkeypatch):
    asked = []

    def load(loader, params):
        asked.append(params["edition"])
        if params["edition"] == "wheel":
            return SimpleNamespace(sources=({"file": "y"}, {"file": "x"})), ""
        raise FetchError(f"no edition {params['edition']}")

    monkeypatch.setattr(runs, "load_dataset", load)
    assert profiles.needed_files(protocol, "quick") == ["x", "y"]
    with pytest.raises(FetchError, match="^no edition a\nno edition b\nno edition c$"):
        profiles.needed_files(protocol, "full")
    assert asked == ["wheel", "a", "b", "c"]


@pytest.fixture
def planned(protocol, monkeypatch, tmp_path):
    """`plan` with the sample protocol, and jobs that tell what they were expanded from."""
    monkeypatch.setenv("MTCLIB_RUNS", str(tmp_path))
    monkeypatch.setattr(runs, "load_protocol", {"demo": protocol}.get)
    monkeypatch.setattr(runs, "expand", lambda p, name: [_job(p.root_seed, p.profile(name).n_runs)])
    return profiles.plan


def _job(seed, n_runs, unavailable=""):
    return SimpleNamespace(seed=seed, n_runs=n_runs, dataset="toy", unavailable=unavailable)


def test_seed_and_runs_come_from_the_protocol_unless_given(planned, tmp_path):
    _, jobs, store = planned("demo", "full")
    assert jobs == [_job(5, 2)]
    assert store.folder == tmp_path
    assert planned("demo", "full", seed=0, n_runs=7)[1] == [_job(0, 7)]
    assert [planned("demo", "full", n_runs=n)[0].studies["s"].n_runs for n in (0, 7, 20)] == [9, 7, 9]


def test_committed_results_are_not_replaced_when_data_cannot_be_had(planned, monkeypatch, tmp_path):
    monkeypatch.setenv("MTCLIB_ROOT", str(tmp_path))
    monkeypatch.setattr(runs, "expand", lambda p, name: [_job(1, 1, "no network")])
    calls = []
    monkeypatch.setattr(runs, "run", lambda *given, **named: calls.append(given))
    monkeypatch.setattr(runs, "export", lambda *given, **named: pytest.fail("exported"))
    with pytest.raises(FetchError, match="left as it was, for toy cannot be had: no network"):
        profiles.run_jobs("demo", "full", export=True)
    assert calls == []
    profiles.run_jobs("demo", "full")
    assert len(calls) == 1
    # A cluster may lack data that are here.
    lost = pd.DataFrame({"dataset": ["toy"], "status": ["unavailable"], "error": ["FetchError: no file"]})
    monkeypatch.setattr(runs, "expand", lambda p, name: [_job(1, 1)])
    monkeypatch.setattr(runs, "run", lambda *given, **named: lost)
    with pytest.raises(FetchError, match="left as it was, for toy cannot be had: FetchError: no file"):
        profiles.run_jobs("demo", "full", export=True)


def test_the_data_are_described_beside_the_results(tmp_path):
    toys = {"toy": {"loader": "toy-multitask"}, "spectra": {"loader": "mbc-spectra"}}
    protocol = runs.parse_protocol(table(datasets=toys, profiles=quick("once", datasets=toys),
                                         measures=["d_M", "s_nmi"]))  # fmt: skip
    profiles.describe_data(protocol, "quick", tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {"sizes.csv", "classes.json", "truth.csv"}
    truth = pd.read_csv(tmp_path / "truth.csv")
    assert truth[["dataset", "metric"]].values.tolist() == [["toy", "d_M"], ["spectra", "d_M"]]
    assert (truth["value"] > 0).all()
    names = json.loads((tmp_path / "classes.json").read_text(encoding="utf-8"))
    assert len(names["toy"]) == 3
    assert names["spectra"][0][0] == "source 1"
