"""Sequences of multi-view tasks: the cut, and the sets of the LMSC paper."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from data_support import real_data
from hypothesis import given, strategies as st
from scipy import sparse

from mtclib.core import paths
from mtclib.datasets import Dataset, load, split_into_tasks
from mtclib.datasets.dataset import SETS
from mtclib.datasets.lmsc import RELEASED, draw_groups, every_nth, hold_to_release

BBC = 134, 82, 226, 70, 173


@given(st.lists(st.integers(8, 30), min_size=1, max_size=5), st.integers(1, 4), st.integers(0, 2**32))
def test_groups_are_equal_disjoint_and_complete(sizes, n_tasks, seed):
    labels = np.repeat(np.arange(len(sizes)) * 3, sizes)
    groups, left, _ = draw_groups(labels, n_tasks, seed)
    assert {len(group) for group in groups} == {len(labels) // n_tasks}
    assert len(left) < n_tasks
    assert sorted(np.concatenate([*groups, left])) == list(range(len(labels)))
    assert all(set(labels[group]) == set(labels) for group in groups)


def test_groups_are_random_orders_that_the_seed_decides_not_blocks_of_classes():
    labels = np.repeat(np.arange(len(BBC)), BBC)
    groups, again, other = (draw_groups(labels, 4, seed)[0] for seed in (7, 7, 8))
    assert all(map(np.array_equal, groups, again))
    assert not np.array_equal(groups[0], other[0])
    assert all((np.diff(labels[group]) < 0).mean() > 0.2 for group in draw_groups(labels)[0])


def test_classes_too_small_for_the_tasks_are_refused():
    texas = np.repeat(np.arange(5), (34, 31, 18, 1, 103))
    with pytest.raises(ValueError, match="n_tasks: class 3 has 1 samples, too few for 4 tasks"):
        draw_groups(texas)
    assert len(draw_groups(texas, 1)[0][0]) == len(texas)
    assert len(draw_groups(np.array([0, 0, 1, 1, -1]), 2)[0]) == 2, "-1 is no class"
    with pytest.raises(ValueError, match="none gives 20 tasks of 20 samples with all 20 classes"):
        draw_groups(np.repeat(np.arange(20), 20), 20)
    for name, value in (("n_tasks", 0), ("n_tasks", 2.0), ("split_seed", -1), ("split_seed", "a")):
        with pytest.raises(ValueError, match=f"{name} must be an integer >="):
            draw_groups(np.array([0, 0, 1, 1]), **{"n_tasks": 2, name: value})


def test_every_view_is_cut_alike_and_keeps_its_form():
    rng = np.random.default_rng(0)
    dense, y = rng.normal(size=(21, 3)), np.arange(21) % 3
    data = Dataset("d", "multiview", [dense, sparse.csr_array(dense)], y, ("p", "q"), (("a", "b", "c"),))
    cut = split_into_tasks(data, 2, split_seed=5)
    groups, left, n_draws = draw_groups(y, 2, 5)
    for task, labels, group in zip(cut.Xs, cut.labels, groups):
        assert np.array_equal(task[0], dense[group])
        assert np.array_equal(task[1].toarray(), dense[group])
        assert isinstance(task[1], sparse.csr_array)
        assert np.array_equal(labels, y[group])
    step = {"step": "split", "n_tasks": 2, "split_seed": 5, "n_draws": n_draws, "samples_each": 10,
            "left_over": left.tolist()}  # fmt: skip
    assert (cut.kind, cut.preprocessing, cut.class_names) == ("lifelong", (step,), (("a", "b", "c"),) * 2)
    assert (cut.view_names, cut.task_names) == (("p", "q"), ("1", "2"))
    with pytest.raises(ValueError, match="data must be of kind 'multiview', not 'lifelong'"):
        split_into_tasks(cut)
    whole = split_into_tasks(data, 1)
    whole.Xs[0][0][:] = -9
    assert dense.min() > -9, "changing a task leaves the data alone"


@given(st.integers(1, 60), st.data())
def test_the_release_takes_every_nth_sample_and_drops_the_remainder(n, data):
    n_tasks = data.draw(st.integers(1, n))
    groups, left = every_nth(n, n_tasks)
    assert [group.tolist() for group in groups] == [
        [t + n_tasks * i for i in range(n // n_tasks)] for t in range(n_tasks)]
    assert sorted(np.concatenate([*groups, left])) == list(range(n))
    assert len(left) == n % n_tasks


@real_data
def test_the_authors_tasks_of_3sources_are_every_fourth_story():
    tasks, plain = load("lmsc-3sources", split="release"), load("3sources")
    assert [task[1].shape for task in tasks.Xs] == [(42, 3631)] * 4
    assert np.array_equal(tasks.labels[2], plain.labels[2:168:4])
    assert RELEASED in str(tasks.sources)
    assert (tasks.Xs[2][1] != plain.Xs[1][2:168:4]).nnz == 0
    assert tasks.preprocessing[-1]["left_over"] == [168]
    ours = split_into_tasks(plain, split="release")
    for other in (replace(ours, labels=ours.labels[::-1]), replace(ours, Xs=ours.Xs[::-1]),
                  split_into_tasks(load("3sources", weighting="sqrt-l2"), split="release")):  # fmt: skip
        with pytest.raises(ValueError, match=f"{RELEASED} has not the stories of the rule t, t [+] 4"):
            hold_to_release(other)
    assert all("by inference" in load(f"lmsc-{name}", split="release").differences[0]
               for name in ("bbc", "bbcsport", "cornell"))


def test_most_printed_purities_fit_four_equal_groups():
    table = pd.read_csv(paths.paper_dir("lmsc") / "published.csv", dtype=str)
    table = table[(table.metric == "purity") & (table.task != "avg")]
    found, by_chance = 0, 0.0
    for name in ("3sources", "bbc", "bbcsport", "cornell"):
        cells, known = table[table.dataset.str.lower() == name], SETS[f"lmsc-{name}"]
        assert set(cells.task) == {str(t + 1) for t in range(known["scores"].index("none"))}
        steps = 10 * (known["n_samples_in_all"] // 4)
        nearest = np.round(cells["mean"].astype(float) * steps / 100)
        found += int((np.abs(100 * nearest / steps - cells["mean"].astype(float)) < 0.005001).sum())
        by_chance += len(cells) * len(np.unique(np.round(100 * np.arange(steps + 1) / steps, 2))) / 10_001
    assert (found, len(table), round(by_chance)) == (94, 108, 11)
