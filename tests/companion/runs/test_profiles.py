"""What the command line and the notebooks ask of a protocol."""

import json
from types import SimpleNamespace

import pandas as pd
import pytest

from mtclib.companion import runs
from mtclib.companion.runs import profiles
from mtclib.datasets import FetchError

SAMPLE = {"paper": "demo", "title": "Demo", "root_seed": 5,
          "datasets": {
              "a": {"loader": "mtcmrl-20newsgroups", "params": {"edition": "bydate", "weighting": "counts"}},
              "b": {"loader": "mtcmrl-20newsgroups"}, "c": {"loader": "mtcmrl-20newsgroups"}},
          "methods": {"k-means": {"estimator": "KMeans", "params": {"n_init": 1}}},
          "studies": {"s": {"datasets": ["b", "a"], "methods": ["k-means"], "n_runs": 9}},
          "sensitivity": {"f": {"method": "k-means", "datasets": ["c"], "base": {"n_init": 1},
                                "sweep": {"n_init": [1]}}},
          "profiles": {"full": {"n_runs": 2, "datasets": ["a"], "methods": ["k-means"], "studies": ["s"],
                                "sensitivity": ["f"]},
                       "quick": {"n_runs": 1, "datasets": ["a"], "methods": ["k-means"],
                                 "loader_params": {"a": {"edition": "wheel"}}}}}


@pytest.fixture
def protocol():
    return runs.parse_protocol(SAMPLE)


def test_a_profile_needs_the_data_of_its_studies_and_sweeps_too_and_may_change_their_edition(protocol):
    quick, full = (protocol.needed_datasets(profile) for profile in ("quick", "full"))
    assert list(full) == ["a", "b", "c"]
    assert list(quick) == ["a"]
    assert quick["a"][1] == {"edition": "wheel", "weighting": "counts"}
    assert full["a"][1] == {"edition": "bydate", "weighting": "counts"}


def test_the_files_are_those_that_the_data_were_read_from_and_all_are_tried_before_what_is_missing_is_said(
        protocol, monkeypatch):
    loaded = SimpleNamespace(sources=({"file": "y", "sha256": ""}, {"file": "x", "sha256": ""}))
    asked = []

    def load(loader, params):
        asked.append((loader, params))
        if params.get("edition") == "wheel":
            return loaded, ""
        raise FetchError(f"no {params.get('edition', 'default')} edition")

    monkeypatch.setattr(runs, "load_dataset", load)
    assert profiles.needed_files(protocol, "quick") == ["x", "y"]
    assert asked == [("mtcmrl-20newsgroups", {"edition": "wheel", "weighting": "counts"})]
    with pytest.raises(FetchError) as caught:
        profiles.needed_files(protocol, "full")
    assert len(asked) == 1 + 3
    assert str(caught.value) == "no bydate edition\nno default edition"


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
    toys = {"toy": {"loader": "toy-multitask", "params": {"random_state": 0}},
            "spectra": {"loader": "mbc-spectra"}}
    table = {"paper": "demo", "title": "Demo", "root_seed": 1, "datasets": toys, "measures": ["d_M", "s_nmi"],
             "methods": {"k-means": {"estimator": "KMeans"}},
             "profiles": {"full": {"n_runs": 1, "datasets": ["toy", "spectra"], "methods": ["k-means"]}}}
    profiles.describe_data(runs.parse_protocol(table), "full", tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {"sizes.csv", "classes.json", "truth.csv"}
    truth = pd.read_csv(tmp_path / "truth.csv")
    assert truth[["dataset", "metric"]].values.tolist() == [["toy", "d_M"], ["spectra", "d_M"]]
    assert (truth["value"] > 0).all()
    names = json.loads((tmp_path / "classes.json").read_text(encoding="utf-8"))
    assert len(names["toy"]) == 3
    assert names["spectra"][0][0] == "source 1"
