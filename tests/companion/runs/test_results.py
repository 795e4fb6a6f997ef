"""Selections from results, and committed results."""

import json
import lzma
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from experiments_support import demo_jobs, exported, quick, table
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from mtclib.companion.runs import RunStore, canonical, committed, expand, export, parse_protocol, run
from mtclib.companion.runs.committed import pack_arrays, rounded, unpack_arrays
from mtclib.companion.runs.results import fixed, oracle, sweep_rows


def _results(points):
    """Hand-made frame: {params: [(accuracy of task 1, of task 2) per run]}; 9.0 is no point of the grid."""
    rows = []
    for params, runs in points.items():
        for one, two in runs:
            for task, value in (("1", one), ("2", two), ("avg", (one + two) / 2)):
                rows += [{"dataset": "d", "method": "m", "params": params, "task": task, "metric": metric,
                          "value": score, "in_grid": "9" not in params}
                         for metric, score in (("ACC", value), ("NMI_max", 1 - value))]
    return pd.DataFrame(rows)


HAND_MADE = _results({'{"a":1.0}': [(0.2, 0.8), (0.4, 0.8)], '{"a":2.0}': [(0.9, 0.3), (0.9, 0.3)],
                      '{"a":3.0}': [(1.0, 1.0), (np.nan, np.nan)], '{"a":9.0}': [(1.0, 1.0), (1.0, 1.0)]})


def test_the_oracle_takes_one_point_for_all_tasks_and_metrics_by_the_mean_over_runs():
    chosen = oracle(HAND_MADE)
    assert (set(chosen["params"]), len(chosen)) == ({'{"a":2.0}'}, 2 * 3 * 2)
    assert set(oracle(HAND_MADE, metric="NMI_max")["params"]) == {'{"a":1.0}'}
    # Points with failed runs and points outside the grid are left out.
    assert set(oracle(HAND_MADE[HAND_MADE["params"] != '{"a":2.0}'])["params"]) == {'{"a":1.0}'}
    assert oracle(HAND_MADE[HAND_MADE["value"].isna()]).empty


def test_the_oracle_chooses_for_each_data_set_alone_and_fixed_the_default():
    other = HAND_MADE.assign(dataset="e", value=1 - HAND_MADE["value"])
    chosen = oracle(pd.concat([HAND_MADE, other]))
    assert dict(chosen.groupby("dataset")["params"].first()) == {"d": '{"a":2.0}', "e": '{"a":1.0}'}
    found = fixed(HAND_MADE, {"m": {"a": 1}})
    assert (set(found["params"]), len(found)) == ({'{"a":1.0}'}, 12)
    assert fixed(HAND_MADE, {"m": {"a": 9}}).empty
    assert fixed(HAND_MADE, {"other": {"a": 1}}).empty


def test_a_sweep_is_gathered_from_grid_points_and_its_own(tmp_path):
    methods = {"noisy": {**table()["methods"]["noisy"], "params": {"trouble": ""}}}
    sweep = {"method": "noisy", "datasets": ["tiny"], "base": {"noise": 1.0, "trouble": ""},
             "sweep": {"noise": [0.5, 1.0, 8.0], "trouble": ["", "warn"]}}
    profiles = quick("noisy", sensitivity=["figure1"])
    protocol = parse_protocol(table(methods=methods, sensitivity={"figure1": sweep}, profiles=profiles))
    rows = sweep_rows(run(expand(protocol, "quick"), RunStore(tmp_path)), protocol, "figure1", "quick")
    runs = rows.query("task == 'avg' and metric == 'ACC'").groupby("params")["run"].nunique()
    points = [(0.5, ""), (1.0, ""), (8.0, ""), (1.0, "warn")]
    assert runs.to_dict() == {canonical({"noise": noise, "trouble": told}): 2 for noise, told in points}
    assert rows.loc[rows["params"].str.contains("8.0"), "in_grid"].eq(False).all()


def test_committed_results_come_back(tmp_path):
    methods = {**table()["methods"], "broken": {"estimator": "experiments_support:Noisy",
                                                "params": {"trouble": "raise"}}}
    profiles = quick("noisy", "once", "broken", datasets=("tiny", "gone"))
    data = {**table()["datasets"], "gone": {"loader": "experiments_support:missing"}}
    jobs = demo_jobs(methods=methods, datasets=data, profiles=profiles, measures=["d_M", "s_nmi"])
    store, found, results = exported(tmp_path, jobs, n_jobs=2)
    assert found.query("metric == 'd_M' and status == 'ok'")["value"].between(0, np.inf).all()
    assert set(found.query("metric in ['d_M', 's_nmi']")["task"]) == {""}
    expected = found.assign(value=found["value"].round(6), objective=rounded(found["objective"]),
                            seconds=found["seconds"].round(3))
    pd.testing.assert_frame_equal(results.frame.astype(expected.dtypes), expected, check_exact=True)
    noisy = [job for job in jobs if job.method == "noisy" and not job.unavailable]
    for job in noisy:
        record = store.get(job.key)
        for task in ("1", "2"):
            assert np.array_equal(results.labels[f"{job.key}/{task}"], record.arrays[f"labels/{task}"])
            assert results.labels[f"{job.key}/{task}"].dtype == np.int8
        np.testing.assert_allclose(results.histories[job.key], record.arrays["objective"], rtol=5e-8)
        np.testing.assert_allclose(results.models[f"{job.key}/relation_/0/1"],
                                   record.arrays["model/relation_/0/1"], rtol=1e-6)
        assert results.models[f"{job.key}/relation_/0/1"].dtype == np.float32
    assert set(results.histories) == {job.key for job in noisy}
    assert np.array_equal(results.labels["truth/tiny/2"], np.arange(36) % 3)
    assert committed._small([200]).tolist() == [200]
    provenance = results.provenance
    assert (provenance["jobs"], provenance["unavailable"]) == ({"ok": 7, "failed": 2}, 9)
    assert provenance["data"]["tiny"]["edition"] == "made up"
    assert (provenance["algorithm_versions"], provenance["n_jobs"]) == ({"experiments_support:Noisy": 7}, 2)
    jobs_table = lzma.decompress((tmp_path / "results" / "jobs.csv.xz").read_bytes()).decode()
    texts = [jobs_table, json.dumps(provenance)]
    assert not any(str(tmp_path) in text for text in texts)


def test_an_export_that_is_interrupted_leaves_the_earlier_results(tmp_path, monkeypatch):
    store, folder = RunStore(tmp_path / "runs"), tmp_path / "results"
    run(demo_jobs(), store)
    folder.mkdir()
    for name in ("scores.npz", "provenance.json"):
        (folder / name).write_text("as it was")
    monkeypatch.setattr(committed, "_provenance", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        export(demo_jobs(), store, folder)
    assert {file.name: file.read_text() for file in folder.iterdir()} == {
        "scores.npz": "as it was", "provenance.json": "as it was"}


def test_an_empty_pack_is_not_written_and_an_earlier_one_goes(tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "models.npz").write_text("of an earlier export")
    *_, results = exported(tmp_path, demo_jobs(profiles=quick("once", n_runs=1)))
    assert {file.name for file in folder.glob("*.npz")} == {"labels.npz", "scores.npz"}
    assert results.models == results.histories == {}
    assert len(results.labels) == 4


@given(st.dictionaries(st.text("aZ0._-/\\\n\0é中😀", max_size=5), st.one_of(
    arrays(np.int8, st.tuples(st.integers(0, 4), st.integers(0, 4))), arrays(np.float64, st.integers(0, 5)))))
def test_packed_arrays_come_back(tmp_path_factory, value):
    path = tmp_path_factory.mktemp("pack") / "arrays.npz"
    pack_arrays(path, value)
    found = unpack_arrays(path)
    assert list(found) == list(value)
    for name, array in value.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert np.array_equal(found[name], array, equal_nan=array.dtype.kind == "f")
