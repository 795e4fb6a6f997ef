"""Tables: what they say in words, that HTML is well-formed, and that both forms are the same every time."""

import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, strategies as st
from seaborn.utils import relative_luminance

from mtclib.companion import tables
from mtclib.companion.tables import COLOURS, MEANINGS, Cell
from mtclib.companion.verdicts.judge import STATUSES, SYMBOLS


class Reader:
    """The tags of HTML in which all nest, the text that is shown, and the number of cells of each row."""

    def __init__(self, html):
        root = ElementTree.fromstring(html.replace("<br>", "<br/>"))
        self.tags = {part.tag for part in root.iter()}
        self.rows = [sum(int(cell.get("colspan", 1)) for cell in row) for row in root.iter("tr")]
        for part in list(root.iter()):
            assert "id" not in part.attrib
            if part.tag == "style" or part.get("class") == "mtclib-card":
                part.clear()
        self.text = "\n".join(root.itertext())


def cell(method="SNMF", task="1", metric="ACC", verdict="agrees", **changes):
    row = {
        "paper": "mtcmrl", "table": "3", "dataset": "toy", "task": task, "method": method, "metric": metric,
        "printed_mean": "80.90", "printed_std": "0.50", "published": 0.809, "published_std": 0.005,
        "ours": 0.8123, "ours_std": 0.0149, "n": 10, "low": -0.01, "high": 0.0234, "radius": 0.0234,
        "verdict": verdict, "cause": "", "reason": ""}
    return row | changes


def runs(values=(0.8, 0.9), method="SNMF", task="1", metric="ACC", params="{}"):
    return pd.DataFrame([
        {"method": method, "task": task, "metric": metric, "params": params, "run": n, "value": value,
         "status": "failed" if np.isnan(value) else "ok"} for n, value in enumerate(values)])


NONE = pd.DataFrame(columns=["method", "task", "metric", "printed_mean"])
SENTENCES = pd.DataFrame({"parts": [3, 1], "hold": [1, 1], "fail": [2, 0], "status": ["fails", "holds"]},
                         index=["q", "r"])
CLAIMS = pd.DataFrame({"quote": "q", "status": [*STATUSES["claims"], "fails"], "statistic": 1.0})


def decided(*problems):
    kinds = ["erratum", "open choice", "erratum"][:len(problems)]
    effects = ["", "ACC +1", ""][:len(problems)]
    return pd.DataFrame({"id": "D", "kind": kinds, "problem": problems, "leverage": effects, "cause": None})


def every_table():
    wide = [cell(f"m{n}", t, m, v) for n, v in enumerate(SYMBOLS) for t in "12" for m in ("ACC", "NMI")]
    return {
        "reproduced": tables.reproduced(pd.DataFrame(wide)),
        "side by side": tables.side_by_side(
            pd.concat([runs(), runs(metric="NMI_max"), runs(task="avg")]), NONE,
            {"ACC": "ACC", "NMI": "NMI_max"}, "Scores"),
        "data": tables.frame_table(pd.DataFrame({"n": [3.0, np.nan]}, index=["a", "b"]).rename_axis("task"),
                                   ""),
        "decisions": tables.decisions_table(decided("x " * 60)),
        "claims": tables.claims_table(CLAIMS, SENTENCES),
        "audit": tables.audit_table(pd.DataFrame({"kind": ["copied"], "where": "a"})),
        "empty audit": tables.audit_table(NONE),
        "provenance": tables.provenance_table({"seed": 0, "versions": {"numpy": "2"}, "sha": "ab" * 32})}


EXAMPLES = every_table()


@pytest.mark.parametrize("name", EXAMPLES)
def test_both_forms_say_the_same_in_well_formed_html_and_without_an_address_or_nan(name):
    table = EXAMPLES[name]
    reader, words = Reader(table.html), re.compile(r"[\w±]+")
    assert len(set(reader.rows)) <= 1
    assert ("table" in reader.tags) == (name != "empty audit")
    assert set(words.findall(reader.text)) <= set(words.findall(table.text))
    assert str(table) == repr(table) == table.text
    assert table._repr_html_() == table.html
    assert not re.search(r"0x[0-9a-f]{6}|\bnan\b|\bNone\b|<NA>", table.html + table.text)
    assert all(line == line.rstrip() for line in table.text.splitlines())


@pytest.mark.parametrize("verdict", SYMBOLS)
def test_each_verdict_shows_symbol_word_and_meaning_besides_its_colour(verdict):
    table = tables.reproduced(pd.DataFrame([cell(verdict=verdict)]))
    word = "not run" if verdict == "not-run" else verdict
    assert table.rows[0][1].lines == (f"81.2 {SYMBOLS[verdict]}", "80.90")
    card = dict(table.rows[0][1].card)
    assert [card[key] for key in ("verdict", "interval", "radius")] == [verdict, "-1.0 to 2.3", "2.3"]
    assert f"{SYMBOLS[verdict]} {word}: {MEANINGS[verdict]}" in table.text
    assert MEANINGS[verdict] in Reader(table.html).text


def test_every_verdict_has_a_meaning_and_colours_with_enough_contrast():
    assert set(COLOURS) == set(MEANINGS) == {*SYMBOLS, *STATUSES["claims"]}
    for status, (background, text) in COLOURS.items():
        if background == "transparent":
            assert text == "inherit", status
        else:
            dark, light = sorted(map(relative_luminance, (background, text)))
            assert (light + 0.05) / (dark + 0.05) >= 4.5, status


FRACTION = {"metric": "NMI", "printed_mean": ".40", "printed_std": "", "published": 0.4, "ours": 0.4321}
DISTANCE = {"metric": "d_M", "printed_mean": "3.67", "published": 3.67, "ours": 3.5, "ours_std": 0.25,
            "low": np.nan, "radius": np.nan, "verdict": "no margin"}  # fmt: skip


@pytest.mark.parametrize(("changes", "known"), [
    ({}, {"ours": "81.2 ± 1.5", "printed": "80.90 ± 0.50", "interval": "-1.0 to 2.3", "radius": "2.3"}),
    (FRACTION | {"ours_std": 0.01},
     {"ours": "0.432 ± 0.010", "interval": "-0.010 to 0.023", "radius": "0.023"}),
    (DISTANCE, {"verdict": "no margin", "ours": "3.500 ± 0.250", "printed": "3.67 ± 0.50"}),
    ({"ours": -0.0001}, {"ours": "0.0 ± 1.5", "interval": "-1.0 to 2.3"}),
    ({"ours_std": np.nan, "n": 1}, {"ours": "81.2", "printed": "80.90 ± 0.50"})])
def test_a_cell_shows_the_printed_number_as_printed_and_ours_in_its_unit(changes, known):
    # The first cell tells percent from fractions; it is the last where the paper prints fractions.
    rows = [cell(**changes)] if changes.get("metric") == "NMI" else [cell(), cell(task="2", **changes)]
    table = tables.reproduced(pd.DataFrame(rows), metrics=("ACC", "NMI", "d_M"))
    shown = table.rows[0][-1]
    assert known.items() <= dict(shown.card).items()
    assert ("interval" in dict(shown.card)) == (not np.isnan(rows[-1]["low"]))
    assert shown.lines[0].partition(" ")[0] == known["ours"].partition(" ")[0]
    assert ("percent" in table.text) == (len(rows) > 1)


def test_a_cell_with_the_focus_shows_its_pipeline_and_decision_and_a_link_that_names_it():
    row = cell(verdict="lower", cause="preprocessing", reason="tf-idf moves it <5>")
    row |= {"cell": "toy:3:a set:1:SNMF:ACC", "pipeline": "fixed", "decisions": "O2"}
    table = tables.reproduced(pd.DataFrame([row]))
    assert {"cause": "preprocessing", "pipeline": "fixed",
            "decision": f"O2: {row['reason']}"}.items() <= dict(table.rows[0][1].card).items()
    parts = ('<td class="mtclib-lines" tabindex="0"', "tf-idf moves it &lt;5&gt;", "td:focus>.mtclib-card",
             "template=correction.md&amp;title=toy%3A3%3Aa+set%3A1%3ASNMF%3AACC",
             "td:focus-within>.mtclib-card")
    assert all(part in table.html for part in parts)
    assert "<td tabindex" not in tables.frame_table([{"n": 1}], "").html


def test_methods_keep_the_printed_order_and_one_that_was_not_run_shows_the_printed_number_and_says_so():
    keys = [(m, t, k) for m in ("z", "a") for t in ("1", "avg") for k in ("NMI", "ACC", "RI")]
    table = tables.reproduced(pd.DataFrame([cell(*key) for key in keys]))
    assert [row[0].lines[0] for row in table.rows] == ["z", "a"]
    assert table.header[1:] == (("Average", "ACC"), ("Average", "NMI"), ("Task 1", "ACC"), ("Task 1", "NMI"))
    absent = dict.fromkeys(("ours", "ours_std", "low", "high", "radius"), np.nan)
    absent |= {"verdict": "not-run", "method": "CLR", "reason": "no run of this method", "n": 0}
    frame = pd.DataFrame([cell(), cell(**absent)])
    absent = tables.reproduced(frame).rows[1][1]
    assert absent.lines == ("– –", "80.90")
    assert ("decision", "no run of this method") in absent.card
    table = tables.reproduced(pd.DataFrame([cell("a", "1"), cell("a", "2"), cell("b", "1")]))
    assert table.rows[1][2] == Cell(("–",)), "not printed"


def test_the_notes_give_the_margin_the_number_of_runs_and_the_counts():
    rows = [cell(), cell(task="2", verdict="lower", cause="preprocessing", reason="tf-idf moves it", n=30)]
    table = tables.reproduced(pd.DataFrame(rows))
    for said in ("Table 3, toy: ours above", "δ = 5 points", "10 to 30 runs", "2 cells: 1 agrees, 1 lower."):
        assert said in table.text
    assert "Ours: 1 run " in tables.reproduced(pd.DataFrame([cell(n=1)])).text
    distances = tables.reproduced(pd.DataFrame([cell(**DISTANCE)]), metrics=["d_M"])
    assert "δ = 5 % of a printed d_M." in distances.text


def test_what_is_wrong_is_named_with_what_there_is():
    with pytest.raises(ValueError, match="none is in the frame; it has ACC"):
        tables.reproduced(pd.DataFrame([cell()]), ["RI"])
    with pytest.raises(ValueError, match="SNMF on task 1 has several params"):
        several = pd.concat([runs(), runs(params='{"lam": 1}')])
        tables.side_by_side(several, NONE, {"ACC": "ACC"}, "")


def test_quick_results_stand_beside_the_printed_ones_without_a_verdict_and_a_failed_run_is_no_zero():
    printed = pd.DataFrame([{"method": "SNMF", "task": "1", "metric": "NMI", "printed_mean": "48.78",
                             "printed_std": "0.00"}])  # fmt: skip
    results = pd.concat([runs((0.4, 0.6), metric="NMI_max"), runs((0.7,), "KMeans", metric="NMI_max")])
    table = tables.side_by_side(results, printed, {"NMI": "NMI_max"}, "")
    assert [row[1] for row in table.rows] == [Cell(("50.0 ± 14.1", "48.78")), Cell(("70.0",))]
    printed = printed.assign(printed_mean=".488")
    fractions = tables.side_by_side(results, printed, {"NMI": "NMI_max"}, "", percent=False)
    assert fractions.rows[0][1] == Cell(("0.500 ± 0.141", ".488")), "both in the unit of the print"
    assert "no verdict" in table.text
    assert "agrees" not in table.text
    results = pd.concat([runs((0.5, np.nan, 0.5)), runs((np.nan, np.nan), "MTCMRL")])
    table = tables.side_by_side(results, NONE, {"ACC": "ACC"}, "")
    assert [row[1].lines for row in table.rows] == [
        ("50.0 ± 0.0", "1 of 3 runs failed"), ("✗ failed", "2 of 2 runs failed")]


@given(st.lists(st.text(st.characters(exclude_categories=["C"]), min_size=1), min_size=1, max_size=4))
@example(['<script>alert("1")</script> & a|b'])
def test_any_text_gives_well_formed_html(names):
    table = tables.frame_table([{"name": name} for name in names], names[0], notes=names)
    assert Reader(table.html).rows == [1] * (len(names) + 1)
    assert "<script" not in table.html
    assert isinstance(table.text, str)


@pytest.mark.parametrize(("value", "shown"), [
    (np.nan, "–"), (None, "–"), (pd.NA, "–"), (pd.NaT, "–"), ("", "–"), ([], "–"), (("a", 1.5), "a, 1.5"),
    (0.123456, "0.1235"), (11293.0, "11293"), (12345.678, "12345.7"), (float("inf"), "∞"), (-np.inf, "-∞"),
    (9999.7, "9999.7"), (np.int64(7), "7"), (True, "yes"), (np.bool_(False), "no")])
def test_values_are_shown_short_and_missing_ones_as_a_dash(value, shown):
    table = tables.frame_table(pd.DataFrame({"x": pd.Series([value], dtype=object)}), "t")
    assert table.rows[0][0].lines == (shown,)


def test_claims_show_the_status_with_symbol_word_and_count():
    table = tables.claims_table(CLAIMS, SENTENCES)
    shown = [row[1].lines[0] for row in table.rows]
    assert shown == ["✓ holds", "✗ fails", "? undecided", "– no data", "· not yet testable", "✗ fails"]
    assert ("", "statistic") not in table.header
    assert table.folded == "2 sentences in 6 parts: 1 holds, 1 fails"
    assert table.notes == ("1 of 3 parts hold and 2 fail, so fails: q",)


def test_a_hash_is_cut_to_twelve_digits_with_the_rest_under_the_mouse_and_the_table_is_folded():
    table = tables.provenance_table({"data": {"toy": {"sha256": "ab" * 32, "edition": "1"}}})
    assert "sha256 abababababab, edition 1" in table.text
    assert "ab" * 7 not in table.text
    assert f'title="sha256 {"ab" * 32}, edition 1"' in table.html
    shown, folded = table.html.split("<details")
    assert "<table" not in shown
    assert "<b>Provenance</b>: versions" in folded.partition("</summary>")[0]
    guessed = tables.provenance_table({"data": {"toy": {"sha256": f"[3, 2] clusters {'ab' * 32}"}}})
    assert ">[3, 2] clusters estimated, sha256 abababababab<" in guessed.html


def test_what_is_folded_is_counted_in_one_line_and_formulas_are_set():
    table = tables.decisions_table(decided(*["n_t < X^T"] * 3))
    assert table.folded == "2 errata, 1 open choice, the effect of 1 is measured"
    assert "<i>n</i><sub>t</sub> &lt; X<sup>T</sup>" in table.html
    assert "n_t < X^T" in table.text
    assert "<li>λ</li>" in tables.Points(("lambda",)).html


def test_what_is_not_there_is_said_and_columns_have_headings():
    assert tables.audit_table(NONE).notes == ("No findings.",)
    found = tables.audit_table(pd.DataFrame({"text": ["t"], "kind": "k"}))
    assert found.header == (("", "kind"), ("", "finding"))
    items = [row[0].lines for row in tables.provenance_table({"seed": 0, "versions": {"numpy": "2"}}).rows]
    assert items == [("seed",), ("versions.numpy",)]
    assert tables.task_name("") == ""
    frame = pd.DataFrame({"n": [1]})
    assert tables.frame_table(frame, "t").header == (("", "n"),)
    assert tables.frame_table(frame.rename_axis("task"), "t").header == (("", "task"), ("", "n"))
