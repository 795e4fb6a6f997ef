"""What streams of tasks show of a lifelong method: planted tasks, and a method whose answer is known."""

import numpy as np
import pytest
import scipy.sparse as sp
from planted import counted_tasks

from benchmarks import lmsc_streams as streams
from mtclib import LMSC

FAST = {"n_init": 2, "max_iter": 8, "n_neighbors": 5}
pytestmark = pytest.mark.filterwarnings("ignore:LMSC stopped at max_iter")


def planted(n=15):
    """Three small tasks of counts with the same three topics, and their classes."""
    tasks = [[sp.csr_array(X) for X in views] for views in counted_tasks(n=n, signal=1.0)]
    return tasks, [np.arange(n) % 3] * 3


class Counter:
    """Finds nothing with one task seen, and every class from the second on."""

    def __init__(self, n_clusters, random_state=None):
        self.n_clusters, self.seen, self.n_iter_ = n_clusters, 0, 1

    def partial_fit(self, views):
        self.seen += 1
        self.labels_ = self.predict(views)
        return self

    def predict(self, views):
        truth = views[0][:, 0].astype(int)
        return truth if self.seen > 1 else np.arange(len(truth)) // 2


def known(n_tasks=3):
    y = np.array([0, 1, 0, 1])
    return [[y[:, None].astype(float)] for _ in range(n_tasks)], [y] * n_tasks


def test_transfer_compares_a_stream_with_empty_states():
    frame = streams.transfer(*known(), 2, estimator=Counter)
    table = frame.pivot(index="position", columns="knowledge", values="value")
    assert (table["with libraries"].tolist(), table["without"].tolist()) == ([0, 1, 1], [0, 0, 0])
    assert (set(frame["metric"]), list(frame["position"])) == ({streams.METRIC}, [1, 1, 2, 2, 3, 3])


def test_the_first_task_has_nothing_to_learn_from_and_later_ones_are_the_streams_own_in_the_given_order():
    tasks, labels = planted()
    frame = streams.transfer(tasks, labels, 3, **FAST)
    table = frame.pivot(index="position", columns="knowledge", values="value")
    assert table.loc[1, "with libraries"] == table.loc[1, "without"]
    model = LMSC(3, random_state=0, **FAST).fit(tasks)
    scores = [streams.score(y, found) for y, found in zip(labels, model.labels_)]
    assert table["with libraries"].tolist() == scores
    orders = streams.orders(tasks, labels, 3, n_orders=3, **FAST)
    sequences = orders.groupby("order")["task"].agg(list)
    assert sequences[0] == [1, 2, 3]
    assert all(sorted(sequence) == [1, 2, 3] for sequence in sequences)
    assert orders.loc[orders["order"] == 0, "value"].tolist() == scores


def test_a_score_by_order_belongs_to_the_task_at_that_position():
    tasks, labels = known(4)
    labels = [*labels[:3], np.zeros(4, dtype=int)]  # one class alone: nothing to be found in task 4
    frame = streams.orders(tasks, labels, 2, n_orders=6, estimator=Counter, random_state=3)
    later = frame[frame["position"] > 1]
    assert later["value"].tolist() == (later["task"] != 4).astype(float).tolist()
    assert (later["order"].nunique(), later["task"].nunique()) == (6, 4)


def test_task_1_is_clustered_anew_after_each_task():
    frame = streams.forgetting(*known(), 2, estimator=Counter)
    classes = frame[frame["against"] == "classes"]
    assert (classes["tasks_seen"].tolist(), classes["value"].tolist()) == ([1, 2, 3], [0, 1, 1])
    assert (classes["at_arrival"] == 0).all()
    arrival = frame[frame["against"] == "labels at arrival"]
    assert arrival["value"].iloc[0] == 1
    assert arrival["value"].iloc[1] < 1


class Halves:
    def fit(self, views):
        self.labels_ = np.repeat([0, 1], views[0].shape[0] // 2)
        return self


def test_libraries_stay_small_while_data_and_refits_grow_and_another_pooled_method_is_used_as_given():
    tasks, labels = planted(n=12)
    frame = streams.costs(tasks, labels, 3, refit_at=(1, 3), pooled=Halves(), **FAST)
    refitted = ["LMSC", streams.REFIT, streams.POOLED]
    assert frame["method"].tolist() == [*refitted, "LMSC", *refitted]
    libraries = LMSC(3, random_state=0, **FAST).fit(tasks).libraries_
    assert set(frame.loc[frame["method"] == "LMSC", "bytes"]) == {libraries.nbytes}
    pooled = frame[frame["method"] == streams.POOLED]
    kept = [sum(streams.n_bytes(X) for task in tasks[:t] for X in task) for t in (1, 3)]
    assert pooled["bytes"].tolist() == kept
    assert pooled["value"].tolist() == [0.0, streams.score(labels[2], np.ones(12, dtype=int))]
    assert (frame["seconds"] > 0).all()
    assert frame["value"].between(0, 1).all()
    # Learning all tasks again ends where the stream is.
    last = frame[frame["tasks_seen"] == 3].set_index("method")["value"]
    assert last["LMSC"] == last[streams.REFIT]


def test_pooled_views_hold_the_samples_of_all_tasks_in_order():
    tasks, _ = planted(n=6)
    pooled, dense = streams.pool(tasks), streams.pool([[X.toarray() for X in task] for task in tasks])
    assert ([X.shape for X in pooled], (pooled[1][6:12] != tasks[1][1]).nnz) == ([(18, 9), (18, 12)], 0)
    assert np.array_equal(dense[0], pooled[0].toarray())
