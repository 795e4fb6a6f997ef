"""How far open choices move the numbers: read from committed results, refused where nothing is stored."""

import numpy as np
import pandas as pd
import pytest
from experiments_support import DECISION
from scipy import stats

from mtclib.companion import plots
from mtclib.companion.papers import study_of
from mtclib.companion.runs import load_protocol
from mtclib.companion.verdicts import ledger, leverage
from mtclib.companion.verdicts.ledger import LedgerError
from mtclib.companion.verdicts.leverage import by_alternative, entries, measured
from mtclib.core import paths

MEASURED = DECISION + """
[[decision.alternative]]
kind = "preprocessing"
ours = "tf-idf, unit rows"
alternative = "counts, unit rows"
methods = ["MBC"]
datasets = ["tr23"]
other_datasets = ["tr23 (counts-l2)"]
metric = "NMI"
"""


@pytest.fixture(scope="module")
def study():
    found = study_of("mbc")
    assert len(found.results.frame)
    return found


@pytest.fixture
def found(study, write):
    """What alternatives change if these are the decisions of the paper, which has been read before."""
    write("protocol.toml", 'nmi = "geometric"', "mbc")
    return lambda text: write("decisions.toml", text, "mbc") and measured(study)


def test_the_change_is_the_difference_of_the_stored_means(study, found):
    (row,) = found(MEASURED).to_dict("records")
    frame = study.results.frame
    ours, other = (
        100 * frame[(frame["dataset"] == name) & (frame["method"] == "MBC") & (frame["task"] == "avg")
                    & (frame["metric"] == "NMI_geometric")]["value"] for name in ("tr23", "tr23 (counts-l2)"))
    assert (row["n"], row["n_other"]) == (len(ours), len(other))
    assert row["change"] == pytest.approx(other.mean() - ours.mean())
    interval = stats.ttest_ind(other, ours, equal_var=False).confidence_interval(0.9)
    assert [row["low"], row["high"]] == pytest.approx([interval.low, interval.high])


def test_runs_are_compared_one_by_one_where_both_sides_have_the_same():
    ours, other = pd.Series([0.30, 0.50, 0.62, 0.81]), pd.Series([0.33, 0.52, 0.66, 0.80])
    paired = stats.ttest_rel(other, ours).confidence_interval(0.9)
    assert leverage._interval(ours, other, False, False) == pytest.approx(list(paired))
    for unlike in (other[:3], other.set_axis([4, 5, 6, 7])):
        apart = stats.ttest_ind(unlike, ours, equal_var=False).confidence_interval(0.9)
        assert leverage._interval(ours, unlike, False, False) == pytest.approx(list(apart))


def test_a_distance_is_compared_in_percent_of_ours_and_not_drawn_among_scores(study):
    table = measured(study).query("metric == 'd_M'")
    assert len(table)
    assert table["score"].tolist() == pytest.approx([100.0] * len(table))
    assert table["change"].max() > 100
    assert not plots.leverage(table).axes[0].lines[1:]


def test_the_change_of_a_distance_has_the_error_of_both_its_sides(study):
    frame, rng = study.results.frame, np.random.default_rng(0)
    for row in measured(study).query("metric == 'd_M' and n > 50").to_dict("records"):
        fits = frame[(frame["dataset"] == row["dataset"]) & (frame["method"] == row["method"])
                     & frame["task"].isin(["avg", ""])]
        sides = [fits[fits["metric"] == name].sort_values("run")["value"].to_numpy()
                 for name in ("d_M", "d_M_uniform")]
        shares = rng.multinomial(row["n"], np.full(row["n"], 1 / row["n"]), size=4000)
        ours, other = (shares @ side for side in sides)
        low, high = np.quantile(100 * (other / ours - 1), [0.05, 0.95])
        assert row["high"] - row["low"] == pytest.approx(high - low, rel=0.12)
        assert (row["low"] + row["high"]) / 2 == pytest.approx(row["change"])


@pytest.mark.parametrize(("old", "new", "message"), [
    ('"tr23 (counts-l2)"', '"tr23 (runes)"', "no stored fit of 'MBC' on 'tr23 \\(runes\\)'"),
    ('kind = "preprocessing"', 'kind = "weather"', "kind must be one of 'preprocessing'"),
    ('["tr23 (counts-l2)"]', '["tr23 (counts-l2)", "tr11"]', "one name for each of datasets"),
    ('metric = "NMI"', "", "missing metric"),
    ('methods = ["MBC"]', 'methods = ["MBC, lambda"]\npoint = { lam = 77.0 }', "with {'lam': 77.0}")])
def test_an_entry_that_cannot_be_measured_is_refused_with_its_reason(found, old, new, message):
    with pytest.raises(LedgerError, match=message):
        found(MEASURED.replace(old, new))


def test_opposite_changes_do_not_cancel_in_the_order_and_choices_of_ours_are_told_apart(found):
    table = found(MEASURED)
    rows = [table.assign(alternative="a", change=change, low=change - 1, high=change + 1)
            for change in (9.0, -9.0)]
    rows.append(table.assign(alternative="b", change=2.0, low=-1.0, high=5.0))
    lines = by_alternative(pd.concat(rows))
    assert lines["alternative"].tolist() == ["a", "b"]
    assert lines[["mean", "size", "clear"]].values.tolist() == [[0.0, 9.0, 2], [2.0, 2.0, 0]]
    rows = [table.assign(alternative="default", ours=f"chosen ({name})") for name in ("CLR", "LSSMTC")]
    shown = [text.get_text() for text in plots.leverage(pd.concat(rows)).axes[0].texts]
    ours = [f"default; ours: chosen ({name}) (NMI, decision O1)" for name in ("CLR", "LSSMTC")]
    assert sorted(shown) == ours


@pytest.mark.parametrize("paper", paths.papers())
def test_every_open_choice_is_found_in_the_committed_results_or_says_why_not(paper):
    compared, none = entries(paper)
    choices = {entry["id"]: entry["kind"] for entry in ledger.decisions(paper)}
    named = {entry["decision"] for entry in (*compared, *none)}
    assert named <= set(choices), "an entry names no decision"
    assert {name for name, kind in choices.items() if kind == "open choice"} <= named
    table = study_of(paper).changes
    datasets = load_protocol(paper).datasets
    assert set(table["dataset"]) <= {*datasets, *(spec.pool for spec in datasets.values())}
    assert table.loc[table["metric"] != "d_M", "change"].abs().le(100).all()
    assert table["change"].notna().all()
