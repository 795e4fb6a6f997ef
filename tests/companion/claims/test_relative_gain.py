"""The claim "better by about so many percent", and comparisons of methods on views."""

import numpy as np
import pandas as pd
import pytest

from mtclib.companion.claims.columns import paired_differences, relative_gain


def frame(a, b):
    rows = [("toy", method, "", "NMI", run, value) for method, values in (("A", a), ("B", b))
            for run, value in enumerate(values)]
    return pd.DataFrame(rows, columns=["dataset", "method", "task", "metric", "run", "value"])


def scores(gain, n=30, sd=0.02, seed=0):
    rng = np.random.default_rng(seed)
    b = rng.normal(0.4, sd, n)
    return frame(b * (1 + gain / 100) + rng.normal(0, sd / 4, n), b)


@pytest.mark.parametrize(("gain", "status"), [(26, "holds"), (50, "fails"), (0, "fails"), (32, "undecided")])
def test_a_gain_holds_inside_fails_outside_and_is_undecided_across(gain, status):
    result = relative_gain(scores(gain), "A", "B", "NMI", "toy", 20, 32)
    assert result.status == status and result.statistic == pytest.approx(gain, abs=2)


def test_the_interval_covers_the_true_gain_in_about_95_percent():
    rng = np.random.default_rng(1)
    outside = 0
    for _ in range(1000):
        b = rng.normal(0.4, 0.1, 12)
        a = rng.normal(0.6, 0.15, 12)
        outside += relative_gain(frame(a, b), "A", "B", "NMI", "toy", 50, 50).status == "fails"
    assert 25 <= outside <= 80


def test_few_runs_decide_nothing():
    assert relative_gain(scores(26, n=5), "A", "B", "NMI", "toy", 20, 32).status == "undecided"


def test_a_missing_method_and_a_score_of_nothing_are_refused():
    with pytest.raises(ValueError, match="no NMI of C"):
        relative_gain(scores(26), "A", "C", "NMI", "toy", 20, 32)
    with pytest.raises(ValueError, match="method_b"):
        relative_gain(frame(np.ones(8), np.resize([1.0, -1.0], 8)), "A", "B", "NMI", "toy", 20, 32)


def test_methods_on_views_are_compared_without_an_average_over_tasks():
    table = paired_differences(scores(25), [("A", "B")], "NMI")
    assert table["difference"].item() == pytest.approx(10, abs=1) and table["status"].item() == "holds"
    assert table["low"].item() < table["difference"].item() < table["high"].item()
