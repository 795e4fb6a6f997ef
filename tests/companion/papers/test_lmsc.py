"""LMSC's tables on the authors' split: metrics, settings and runs as in their code."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from studies import committed

from benchmarks.lmsc_rivals import affinity
from mtclib.companion.papers.lmsc import AS_RELEASED, RELEASED
from mtclib.metrics import SCORES


def test_measures_are_those_of_the_authors_code_on_their_split():
    rng = np.random.default_rng(0)
    a, b = rng.integers(3, size=(2, 42))
    pairs = [(a[i] == a[j]) == (b[i] == b[j]) for i, j in product(range(42), repeat=2)]
    rows = pd.DataFrame({"metric": ["RI", "NMI_geometric", "NMI_arithmetic"], "task": "1", "run": 0,
                         "value": [SCORES["RI"](a, b), 0.5, 0.4]})
    found = committed("lmsc")._as_printed(rows, RELEASED.format("3Sources"), "3Sources")
    found = found[found["task"] == "1"].set_index("metric")["value"]
    assert found.to_dict() == pytest.approx({"RI": np.mean(pairs), "NMI_arithmetic": 0.5})


def test_on_the_authors_split_the_error_is_that_of_the_runs_alone():
    study = committed("lmsc")
    known, random = (study.judged("3Sources", name) for name in (AS_RELEASED.format("3Sources"), "3Sources"))
    assert "one split" not in set(known["uncertainty"]) and "one split" in set(random["uncertainty"])


def test_the_setting_of_the_release_has_the_highest_mean_purity_of_the_first_run():
    study, pool = committed("lmsc"), RELEASED.format("3Sources")
    first = study.rows(pool).query("method == 'LMSC, release' and task == 'avg' and metric == 'purity'")
    first = first[first["run"] == 0]
    chosen = study.selected(pool).query("method == 'LMSC, release'")
    assert chosen["params"].unique() == first.loc[first["value"].idxmax(), "params"]
    assert chosen["run"].nunique() > 1


def test_adaptive_neighbours_have_weights_that_fall_linearly_to_the_next_neighbour():
    X = np.array([[0.0], [1.0], [2.0], [4.0], [9.0]])
    W = np.zeros((5, 5))
    for i in range(5):
        near = sorted((float((X[i, 0] - X[j, 0]) ** 2), j) for j in range(5) if j != i)[:3]
        for square, j in near[:2]:
            W[i, j] = (near[2][0] - square) / sum(near[2][0] - other for other, _ in near[:2])
    np.testing.assert_allclose(affinity(X, "adaptive", 2), (W + W.T) / 2)
