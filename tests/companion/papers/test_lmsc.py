"""LMSC's tables on the authors' split: metrics, settings and runs as in their code."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from literal.clr import initial_graph

from benchmarks.lmsc_rivals import affinity, drawn, of_each_kind
from mtclib.baselines.awp import alternate
from mtclib.companion.papers import answers, study_of
from mtclib.companion.papers.lmsc import AS_RELEASED, RELEASED, SEEDS_TO_CHOOSE
from mtclib.companion.verdicts import draws
from mtclib.core import paths
from mtclib.metrics import SCORES

SETS = ("3Sources", "BBC", "BBCSport", "Cornell")


def test_measures_are_those_of_the_authors_code_on_their_split():
    a, b = np.random.default_rng(0).integers(3, size=(2, 42))
    pairs = [(a[i] == a[j]) == (b[i] == b[j]) for i, j in product(range(42), repeat=2)]
    rows = pd.DataFrame({"metric": ["RI", "NMI_geometric", "NMI_arithmetic"], "task": "1", "run": 0,
                         "value": [SCORES["RI"](a, b), 0.5, 0.4]})
    found = study_of("lmsc").as_printed(rows, RELEASED.format("3Sources"), "3Sources")
    found = found[found["task"] == "1"].set_index("metric")["value"]
    assert found.to_dict() == pytest.approx({"RI": np.mean(pairs), "NMI_arithmetic": 0.5})


@pytest.mark.parametrize(("metric", "place"), [("NMI", 0), ("RI", 1)])
def test_each_cell_of_the_authors_split_stands_under_the_judged_definition_and_others(metric, place):
    study = study_of("lmsc")
    table = study.definitions().tables[place]
    ours = [name.endswith("(ours)") for _, name in table.header].index(True)
    shown = [tuple(row[i].lines[0] for i in (0, 1, 2, ours)) for row in table.rows]
    cells = pd.concat([study.judged(name, study.headline(name)) for name in study.sets])
    cells = cells[(cells["metric"] == metric) & (cells["task"] != "avg") & (cells["verdict"] != "misprint")]
    judged = [(one.dataset, one.method, one.task, f"{100 * one.ours:.1f}") for one in cells.itertuples()]
    assert shown == judged


def test_a_distance_on_the_authors_split_is_by_their_measures_and_over_cells_that_are_judged():
    study = study_of("lmsc")
    cells = study.verdicts("3Sources", study.headline("3Sources")).query("counted and method == 'LMSC'")
    found = study.numbers.distance("LMSC", dataset="3Sources", point="chosen")
    assert found == pytest.approx(100 * cells["difference"].abs().mean())


def test_it_matters_by_less_than_a_point_which_partition_of_k_means_is_scored():
    table = study_of("lmsc").table("partitions")
    assert set(table["partition"]) == {"single", "best", "most frequent"}
    points = 100 * (table["ours"] - table["printed"]).abs().groupby(table["partition"]).mean()
    assert np.ptp(points) < 1
    assert f"best {points['best']:.1f}" in str(study_of("lmsc").rivals())


def test_of_many_starts_the_best_has_the_lowest_inertia_and_the_most_frequent_is_one_of_them():
    Z = np.random.default_rng(0).normal(size=(30, 2))
    found = of_each_kind(Z, 4)
    inertia = [sum(((Z[y == c] - Z[y == c].mean(axis=0)) ** 2).sum() for c in np.unique(y))
               for y in found["single"]]
    assert (found["best"] == found["single"][np.argmin(inertia)]).all()
    assert any((found["most frequent"] == y).all() for y in found["single"])


def test_draws_of_signs_end_where_some_choice_of_signs_ends_and_the_committed_ones_are_shown():
    rng = np.random.default_rng(0)
    Fs = [np.linalg.qr(rng.normal(size=(12, 2)))[0] for _ in range(2)]
    choices = product(product([-1.0, 1.0], repeat=2), repeat=2)
    ends = {tuple(alternate([F * s for F, s in zip(Fs, signs)], [np.eye(2)] * 2, 300, near=False)[0])
            for signs in choices}
    assert set(map(tuple, drawn(Fs, 200, rng))) == ends
    assert len(ends) > 1
    rows = study_of("lmsc").over_signs
    assert (rows["numbers"].groupby(level=0).sum() == 36).all()
    assert rows["p"].between(0.0019, 1).all()
    assert "signs drawn at random" in str(study_of("lmsc").rivals())


@pytest.mark.parametrize("name", SETS)
def test_the_authors_split_has_the_error_of_ten_seeds_and_random_ones_that_of_a_split(name):
    study, known = study_of("lmsc"), (AS_RELEASED.format(name), RELEASED.format(name), name)
    assert study.headline(name) == known[0]
    assert [study.n_published(one) for one in known] == [10, 10, 1]
    told = ["one split" in set(study.judged(name, one)["uncertainty"]) for one in known]
    assert told == [False, False, True]
    scores = draws.Scores(study, name, draws.headline(study, name))
    assert scores.n_published == 10
    assert scores.by["LMSC"][0].shape[1] == 10
    assert len({one.name for one in draws.pipelines(study, name)}) == len(draws.pipelines(study, name))


@pytest.mark.parametrize("name", SETS)
def test_the_setting_of_the_release_is_the_best_of_those_with_many_seeds_as_the_grids_is(name):
    study = study_of("lmsc")
    rows = study.rows(RELEASED.format(name)).query(
        "method == 'LMSC, release' and task == 'avg' and metric == 'purity'")
    seeds = rows.pivot_table("value", "run", "params", observed=True)
    repeated = seeds.loc[:, seeds.notna().sum() >= SEEDS_TO_CHOOSE].dropna()
    assert len(repeated) == 10
    assert seeds.loc[0].max() in set(repeated.loc[0])
    chosen = study.selected(RELEASED.format(name)).query("method == 'LMSC, release'")["params"].unique()
    assert list(chosen) == [repeated.mean().idxmax()]
    scores = draws.Scores(study, name, draws.headline(study, name))
    assert len(scores.by["LMSC"][0]) == repeated.shape[1], "gains choose among the same settings"


def test_adaptive_neighbours_have_weights_that_fall_linearly_to_the_next_neighbour():
    X = np.array([[0.0], [1.0], [2.0], [4.0], [9.0]])
    np.testing.assert_allclose(affinity(X, "adaptive", 2), initial_graph(X, 2), rtol=1e-12)


def test_what_choosing_its_setting_with_labels_adds_to_the_gain_of_lmsc_is_told():
    study, line = study_of("lmsc"), answers.line("lmsc")
    plain, recur = study.numbers.untuned(), study.numbers.untuned("recur")
    told = f"{plain:+.1f} in place of {line['ours']:+.1f}, and {recur} of {line['gains']:.0f} signs recur"
    assert told in " ".join((paths.data_dir() / "README.md").read_text(encoding="utf-8").split())
    assert f"the mean gain is {plain:+.1f}, and {recur} signs recur" in " ".join(answers.further(study))
