"""What the command line and the notebooks ask of a protocol."""

import json
from types import SimpleNamespace

import pandas as pd
import pytest
from experiments_support import quick, table

from mtclib.companion import runs
from mtclib.companion.runs import profiles
from mtclib.datasets import FetchError

SWEEP = {"method": "once", "datasets": ["c"], "base": {"noise": 1.0}, "sweep": {"noise": [1.0]}}


@pytest.fixture
def protocol():
    data = {name: {"loader": "some-loader", "params": {"edition": name}} for name in "abc"}
    profiles = {**quick("once", datasets=["a"], loader_params={"a": {"edition": "wheel"}}),
                "full": {"n_runs": 2, "datasets": ["a"], "methods": ["once"], "studies": ["s"],
                         "sensitivity": ["f"]}}
    study = {"datasets": ["b", "a"], "methods": ["once"], "n_runs": 9}
    return runs.parse_protocol(table(datasets=data, profiles=profiles, studies={"s": study},
                                     sensitivity={"f": SWEEP}, root_seed=5))


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
