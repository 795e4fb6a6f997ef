"""Which definition of a metric gives the printed digits."""

import numpy as np
import pytest
from sklearn.metrics import normalized_mutual_info_score

from mtclib.companion.verdicts.variants import VARIANTS, metric_variants

RNG = np.random.default_rng(3)
TRUE = RNG.integers(3, size=200)
RUNS = [np.where(RNG.random(200) < 0.2, TRUE, 0) for _ in range(5)]


@pytest.mark.parametrize("method", ["max", "geometric", "arithmetic", "min"])
@pytest.mark.parametrize("ddof", [0, 1])
def test_the_definition_behind_the_printed_digits_is_named(method, ddof):
    scores = 100 * np.array([normalized_mutual_info_score(TRUE, run, average_method=method) for run in RUNS])
    found = metric_variants(TRUE, RUNS, {"NMI": (f"{scores.mean():.2f}", f"{scores.std(ddof=ddof):.2f}")})
    assert found.loc[0, ["variant", "ddof", "hits"]].tolist() == [f"NMI_{method}", ddof, True]
    assert found["hits"].sum() == 1 and set(found["tried"]) == {8}


def test_nothing_hits_when_the_numbers_are_from_elsewhere():
    found = metric_variants(TRUE, RUNS, {"NMI": ("12.34", "0.01"), "ACC": "99.99"})
    assert not found["hits"].any()
    assert len(found) == 2 * len(VARIANTS["NMI"]) + len(VARIANTS["ACC"])
    assert set(found.loc[found["metric"] == "ACC", "tried"]) == {2}


def test_fractions_and_percent_are_told_apart_by_the_mean():
    purity = metric_variants(TRUE, [TRUE], {"purity": "1.00"})
    assert purity.loc[0, ["mean", "hits"]].tolist() == [1.0, True]
    assert metric_variants(TRUE, [TRUE], {"purity": "100.0"}).loc[0, "mean"] == 100.0


def test_unknown_metrics_and_missing_runs_are_refused():
    with pytest.raises(ValueError, match="metric 'F1' is unknown"):
        metric_variants(TRUE, RUNS, {"F1": "50.00"})
    with pytest.raises(ValueError, match="labels of at least one run"):
        metric_variants(TRUE, [], {"ACC": "50.00"})
