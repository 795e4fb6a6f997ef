"""The advice follows from scores by fixed rules, and so does what is said of sharing."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import comparison_sets
from mtclib.companion.comparison import advice, sharing
from mtclib.companion.comparison.sources import PLAIN, Sources

METHODS = {PLAIN: 50.0, "k-means": 45.0, "MBC": 53.0, "SNMF": 60.0, "sklearn GMM": 70.0, "SAMTC": 40.0}


class Toys(Sources):
    """Made-up scores of methods for tasks on a set of each of several sources."""

    def __init__(self, sets, **changed):
        super().__init__("tasks")
        kinds, sources = self.table.drop_duplicates("set").set_index("set")[["kind", "source"]].T.to_numpy()
        known = dict(zip(self.sets, zip(sources, kinds)))
        index = [(*known[name], name, "first") for name in sets]
        self.made = pd.DataFrame(METHODS | changed, pd.MultiIndex.from_tuples(
            index, names=["source", "kind", "set", "preparation"]))
        self.made += np.random.default_rng(0).normal(0, 0.5, self.made.shape)

    def scores(self, *_, **__):
        return self.made

    def relative_times(self):
        return pd.Series({**dict.fromkeys(METHODS, 1.0), "MBC": 5.04, "SNMF": 6.0})


SETS = ["Heart", "Vowel", "tr23", "Reuters"]


def decided(**changed):
    toys = Toys(SETS, **changed)
    return advice.decisions(toys, toys.made), str(advice.table("tasks", toys, toys.made))


def test_a_row_names_the_first_of_ours_the_package_ahead_and_who_is_fast_and_is_empty_without_sources():
    found, text = decided()
    row = found.loc[advice.ANY]
    assert (row["take"], row["second"], row["package"]) == ("SNMF", "MBC", "sklearn GMM")
    assert row["over low"] <= row["over"] <= row["over high"]
    assert row["over"] == pytest.approx(row["package gain"] - row["gain"])
    assert row["low"] < row["gain"] < row["high"] and row["gain"] == pytest.approx(10, abs=1)
    assert row["followed"] == pytest.approx(row["gain"]) and row["risk"] < 0.01
    assert found.loc[advice.IN_A_HURRY, "take"] == "MBC" and pd.isna(found.loc["two tasks", "take"])
    assert found.loc["texts, as counts", "sources"] == 2
    assert "better than k-means" in text and "not judged: fewer than 3 sources" in text


def test_who_follows_advice_pays_where_the_choice_was_luck_and_failures_and_draws_are_said():
    torn, _ = decided(SNMF=[60.0, 60.0, 60.0, 15.0], MBC=[15.0, 60.0, 60.0, 60.0])
    assert torn.loc[advice.ANY, "take"] == PLAIN and torn.loc[advice.ANY, "followed"] < -15
    failing, text = decided(SNMF=[80.0, 80.0, 80.0, np.nan], MBC=[53.0, 45.0, 53.0, 45.0])
    assert failing.loc[advice.ANY, "fails"] == 1 and "no result on 1 of 4" in text
    worse, text = decided(MBC=30.0, SNMF=30.0)
    assert worse.loc[advice.ANY, "take"] == PLAIN and "nothing is ahead of k-means" in text


@pytest.mark.parametrize("kind", advice.ROWS)
def test_advice_is_among_our_methods_and_plain_k_means_on_all_that_is_run(kind):
    ours, wide = advice.evidence(kind), Sources(kind)
    found, everything = ours.scores(), wide.scores()
    pd.testing.assert_frame_equal(found, everything[list(found)])
    others = everything.columns.drop(found.columns)
    assert PLAIN in found and len(others)
    assert all("Rival" in wide.protocol.methods[name].estimator for name in others)


def test_sharing_is_measured_against_a_method_s_own_single_task_version_and_correlated_over_sources():
    found = sharing.gains("tasks", Toys(SETS))
    assert set(found["method"]) == {"MBC", "SAMTC"}
    assert found.query("method == 'MBC'")["gain"].mean() == pytest.approx(8, abs=1)
    frame = pd.DataFrame({"measure": range(8), "gain": [1, 2, 3, 4, 5, 6, 8, 7]})
    rho, low, high = sharing.correlation(frame)
    assert 0 < low < rho < high < 1 and np.isnan(sharing.correlation(frame[:4])[0])


def test_relatedness_and_agreement_find_what_is_planted():
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(2, 90, 4))
    near, far = comparison_sets.relatedness([one, other]), comparison_sets.relatedness([one, other + 9])
    assert near > 0.6 and far == 0
    truth = np.repeat([0, 1, 2], 30)
    clear = np.eye(3)[truth] + rng.normal(0, 0.05, (90, 3))
    found = comparison_sets.single_views([one, clear], 3, truth)
    assert (found["chosen"], found["single"]) == (2, 100.0) and found["agreement"] < 0.2


@pytest.mark.parametrize("kind", advice.ROWS)
def test_every_set_is_described_and_every_method_that_shares_has_a_version_that_does_not(kind):
    sources = Sources(kind)
    known = pd.read_csv(sources.folder / "sets.csv")
    assert list(known["set"]) == sources.sets and known[sharing.MEASURES[kind]].between(-0.1, 1).all()
    pairs, single = sharing.OWN | sharing.NEAREST, {"ASI", "SNMF"}
    names = {name for name in sources.protocol.methods if "sklearn" not in name or "pooled" in name}
    assert kind == "views" or set(pairs) == names - single - set(pairs.values())
