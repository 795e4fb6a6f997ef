"""The run store: whole records or none."""

import json
import os
import time
import tracemalloc

import numpy as np
import pytest
from experiments_support import demo_jobs

from mtclib.companion.runs import Record, RunStore, flatten, record_digest, run, runner

KEY = "0123456789ab0123456789ab"


def _record(seconds=1.0, **info):
    arrays = {"labels/1": np.arange(40, dtype=np.int32) % 3, "objective": np.array([3.0, 0.1 + 0.2]),
              "model/relation_/0/1": np.eye(2)}
    return Record({"key": KEY, "status": "ok", "objective": 0.1 + 0.2, **info}, {"seconds": seconds}, arrays)


@pytest.fixture
def store(tmp_path):
    """A store with one record."""
    store = RunStore(tmp_path)
    store.put(_record())
    return store


def test_a_record_comes_back_bit_for_bit(store):
    found = store.get(KEY)
    assert (found.info, found.cost) == (_record().info, _record().cost)
    assert list(found.arrays) == list(_record().arrays)
    for name, array in _record().arrays.items():
        assert found.arrays[name].dtype == array.dtype
        assert np.array_equal(found.arrays[name], array)
    assert (store.keys(), store.get(KEY, arrays=False).arrays) == ([KEY], {})


def test_the_digest_ignores_the_cost_and_nothing_else_and_equal_records_are_equal_bytes(tmp_path, caplog):
    digests, contents = [], []
    for i, record in enumerate([_record(), _record(seconds=9.0), _record(n_iter=3), _record()]):
        store = RunStore(tmp_path / str(i))
        assert store.get(KEY) is None, "absent, which is no reason for a warning"
        assert not caplog.text, "absent, which is no reason for a warning"
        store.put(record)
        digests.append(record_digest(store.path(KEY)))
        contents.append(store.path(KEY).read_bytes())
    assert digests[0] == digests[1] == digests[3] != digests[2]
    assert contents[0] == contents[3] != contents[1]


def _flipped(content, place, bits):
    return content[:place] + bytes([content[place] ^ bits]) + content[place + 1:]


@pytest.mark.parametrize("damaged", [
    lambda content: content[:-100], lambda content: b"", lambda content: b"hello" * 99,
    lambda content: _flipped(content, content.index(b"record.npy") + 60, 0xFF),
    # The flag of a member that is encrypted.
    lambda content: _flipped(content, content.index(b"PK\x01\x02") + 8, 1),
], ids=["truncated", "empty", "garbage", "flipped", "locked"])
def test_a_damaged_record_counts_as_absent_with_a_warning(store, caplog, damaged):
    store.path(KEY).write_bytes(damaged(store.path(KEY).read_bytes()))
    assert store.get(KEY) is None
    assert f"{KEY}.npz is damaged" in caplog.text


@pytest.mark.parametrize("arrays", [True, False])
def test_a_record_that_would_fill_the_memory_is_not_unpacked(arrays, store, monkeypatch, caplog):
    monkeypatch.setattr("mtclib.companion.runs.store.MOST", 10**6)
    with np.load(store.path(KEY)) as file:
        members = dict(file)
    np.savez_compressed(store.path(KEY), **{**members, "record": np.zeros(10**7, dtype=np.uint8)})
    assert store.path(KEY).stat().st_size < 10**5
    tracemalloc.start()
    assert store.get(KEY, arrays=arrays) is None
    assert tracemalloc.get_traced_memory()[1] < 10**6
    tracemalloc.stop()
    assert "it would take 0.0 GB" in caplog.text


def test_a_record_with_members_or_name_of_another_is_damaged_and_one_without_a_digest_is_read(store, caplog):
    with np.load(store.path(KEY)) as file:
        members = dict(file)
    np.savez(store.path(KEY), **{**members, "labels/1": members["labels/1"][:0]})
    assert store.get(KEY) is None
    assert "does not match its digest" in caplog.text
    np.savez(store.path(KEY), **{**members, "cost": np.frombuffer(b"3", dtype=np.uint8)})
    assert store.get(KEY) is None
    old = json.dumps({"seconds": 1.0}).encode()
    np.savez(store.path(KEY), **{**members, "cost": np.frombuffer(old, dtype=np.uint8)})
    assert (store.get(KEY).cost, len(store.get(KEY).arrays)) == ({"seconds": 1.0}, 3)
    store.path(KEY).rename(store.path("f" * 24))
    assert store.get("f" * 24) is None
    assert f"it holds the record of {KEY}" in caplog.text


@pytest.mark.parametrize("make", [os.mkdir, getattr(os, "mkfifo", os.mkdir)])
def test_a_folder_or_a_pipe_named_like_a_record_is_an_error_before_the_fit(make, tmp_path, monkeypatch):
    jobs, store, ran = demo_jobs(), RunStore(tmp_path), []
    make(store.path(jobs[3].key))
    monkeypatch.setattr(runner, "execute", ran.append)
    with pytest.raises(OSError, match=f"{jobs[3].key}.npz cannot be read .*move away what is there"):
        run(jobs, store)
    assert ran == []


def test_leftovers_of_killed_writers_are_ignored_and_removed_after_a_day(tmp_path):
    old, young, foreign = (tmp_path / f".{name}.tmp" for name in (f"{KEY}.npz.1", f"{KEY}.npz.2", "my"))
    for file in (old, young, foreign):
        file.write_bytes(b"half a record")
        os.utime(file, (time.time() - 90000 * (file != young),) * 2)
    assert RunStore(tmp_path).keys() == []
    assert {*tmp_path.iterdir()} == {young, foreign}


def test_a_failed_write_leaves_nothing_behind(tmp_path):
    store = RunStore(tmp_path)
    with pytest.raises(ValueError):
        store.put(Record({"key": KEY, "status": "ok", "objective": float("nan")}))
    with pytest.raises(ValueError, match="Python objects"):
        store.put(Record({"key": KEY, "status": "ok"}, arrays={"labels/1": np.array([{}])}))
    assert list(tmp_path.iterdir()) == []


def test_nested_models_are_flattened_and_anything_else_is_refused():
    assert list(flatten("coef_", [np.eye(2), {"a": np.ones(1)}])) == ["coef_/0", "coef_/1/a"]
    assert flatten("scale_", 2.0)["scale_"].shape == ()
    with pytest.raises(ValueError, match="name_ cannot be kept"):
        flatten("name_", "text")
