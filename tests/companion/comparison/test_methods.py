"""The methods page: its file agrees with the classes, the printed tables and what was measured."""

import functools
import math
import re
import tomllib

import nbformat
import numpy as np
import pytest

from mtclib.baselines.registry import all_estimators, estimator
from mtclib.companion.claims import columns
from mtclib.companion.comparison import costs, methods
from mtclib.companion.comparison.methods import KINDS, MethodsFileError, planted
from mtclib.companion.papers.study import Study, mean_scores
from mtclib.companion.runs import load_protocol
from mtclib.companion.runs.papers import papers
from mtclib.companion.verdicts import leverage, published
from mtclib.core import paths

FILE = paths.paper_dir("methods") / "methods.toml"
ENTRIES = methods.read()["methods"]
SYMBOLS = methods.read()["symbols"]
RUNNERS = ("Stacked", "PerTask", "OneView")
"""Estimators that run another one."""


def changed(tmp_path, old, new):
    text = FILE.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path = tmp_path / "methods.toml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def test_every_exported_estimator_has_an_entry_and_none_is_left_over():
    raw = tomllib.loads(FILE.read_text(encoding="utf-8"))
    assert set(raw["methods"]) == set(all_estimators())


@pytest.mark.parametrize(("old", "new", "message"), [
    ("[methods.MBC]", "[methods.MBCC]", "missing MBC"),
    ("[methods.ASI]", '[methods.KMedoids]\ntitle = "x"\n\n[methods.ASI]', "unknown KMedoids"),
    ('title = "Multitask Bregman clustering"', "", "methods.MBC: missing title"),
    ('title = "Multitask Bregman clustering"', 'title = "x"\nnote = "y"', "methods.MBC: unknown note"),
    ('title = "Multitask Bregman clustering"', 'title = " "', "methods.MBC.title must be a text"),
    ('names = ["IND", "MBC"]', 'names = ["IND", "MTBC"]', "table 3 of mbc has no row MTBC"),
    ('divergence = "what the data are like"', 'divergenz = "what"', "MBC has no parameter 'divergenz'"),
    ('cost = "V n^3 + V^2 n^2"', 'cost = "V n^3 + W^2"', "methods.DiMSC.cost: .* symbol 'W'"),
    ('cost = "V n^3 + V^2 n^2"', 'cost = "V (n^3 + n"', "methods.DiMSC.cost: .* not a sum"),
])  # fmt: skip
def test_a_faulty_file_is_refused_with_the_place(tmp_path, old, new, message):
    with pytest.raises(MethodsFileError, match=message):
        methods.read(changed(tmp_path, old, new))


@pytest.mark.parametrize("kind", ["cost", "setup", "memory"])
def test_costs_use_only_symbols_that_the_legend_explains(kind):
    shown = {row[0].lines[0] for row in methods.legend().rows}
    for name, entry in ENTRIES.items():
        used = set(re.findall("[A-Za-z]+", entry[kind])) - {"log", "min"}
        assert used <= shown, name
        assert math.isfinite(costs.compiled(entry[kind], shown)(**dict.fromkeys(shown, 3.0)))


def test_every_symbol_of_the_legend_is_used():
    texts = " ".join(entry[key] for entry in ENTRIES.values() for key in methods.COSTS)
    assert set(SYMBOLS) <= set(re.findall("[A-Za-z]+", texts))


@pytest.mark.parametrize(("cost", "value"), [
    ("T k (nnz + d)", 2 * 3 * (50 + 7)), ("n^2 k", 300), ("2 n log(n)", 20 * math.log(10)),
    ("T min(n, d)^2", 98), ("(n + d) (n + 2 d)", 408), ("n", 10)])  # fmt: skip
def test_a_cost_is_evaluated_as_it_reads(cost, value):
    sizes = {"T": 2, "k": 3, "nnz": 50, "d": 7, "n": 10}
    assert costs.compiled(cost, sizes)(**sizes) == pytest.approx(value)


@pytest.mark.parametrize("cost", ["", "n +", "n)", "(n", "n ** 2", "n.real", "__import__", "n, d", "log n",
                                  "log", "x"])  # fmt: skip
def test_what_is_no_cost_is_refused(cost):
    with pytest.raises(ValueError, match="cost "):
        costs.compiled(cost, ["n", "d"])


def test_growth_counts_the_smaller_side_of_the_data():
    sizes = {"n": 100, "d": 150, "words": 4}
    assert costs.growth("r^3", ["r"], {**sizes, "n": 50}, "n") == pytest.approx(3.0)
    assert costs.growth("r^3", ["r"], {**sizes, "n": 200}, "n") == pytest.approx(0.0)
    assert costs.growth("nnz", ["nnz"], sizes, "words") == pytest.approx(1.0)


def test_every_printed_method_is_named_by_an_entry():
    named = {(part["paper"], table, name) for entry in ENTRIES.values() for part in entry["appears_in"]
             for table in part["tables"] for name in part["names"]}  # fmt: skip
    printed = set()
    for paper in papers():
        cells = published.load(paper)
        rows = cells[cells["method"] != "true"].astype({"table": str})
        printed |= {(paper, *pair) for pair in rows[["table", "method"]].itertuples(index=False)}
    assert named == printed


@pytest.mark.parametrize("paper", papers())
def test_a_printed_name_leads_to_the_estimator_that_the_protocol_runs(paper):
    protocol = load_protocol(paper)
    for name, entry in ENTRIES.items():
        names = {n for part in entry["appears_in"] if part["paper"] == paper for n in part["names"]}
        for printed in names & set(protocol.methods):
            spec = protocol.methods[printed]
            assert name in (spec.estimator, spec.params.get("estimator")), printed


def test_a_row_of_a_runner_is_also_that_of_the_method_inside():
    for runner in ("PerTask", "OneView"):
        for part in ENTRIES[runner]["appears_in"]:
            inside = {name for method, entry in ENTRIES.items() if method not in RUNNERS
                      for other in entry["appears_in"] if other["paper"] == part["paper"]
                      for name in other["names"]}  # fmt: skip
            assert set(part["names"]) <= inside


def test_the_table_joins_traits_sentences_and_seconds():
    table = methods.methods_table()
    assert set(table.index) == set(all_estimators()) and set(table["kind"]) == set(KINDS)
    for name, row in table.iterrows():
        traits = estimator(name).traits
        assert row["source"] == traits.paper and row["idea"] == ENTRIES[name]["idea"]
        assert (row["edition"] == "reconstruction") == traits.reconstruction
        assert (paths.root() / row["file"]).is_file()
        assert row["seconds_per_fit"] > 0 and row["peak_mb"] > 0 and np.isfinite(row["expected_n"])
    parts = [methods.methods_table(kind) for kind in KINDS]
    assert sum(map(len, parts)) == len(table)


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="kind: .*multi-task, single-task, multi-view, lifelong"):
        methods.methods_table("multitask")


def test_who_can_take_data_follows_from_the_traits():
    left = methods.that_take("multi-task", clusters_differ=True, negative=True)
    for name in methods.methods_table("multi-task").index:
        traits = estimator(name).traits
        assert (name in left) == (not traits.same_n_clusters and not traits.nonnegative)
    assert "DiMSC" not in methods.that_take("multi-view", large=True)
    assert {"MSPL", "RMKMC"} <= set(methods.that_take("multi-view", large=True))


def test_negative_entries_make_similarities_dense():
    plain = methods.that_take("single-task", large=True)
    assert set(plain) - set(methods.that_take("single-task", large=True, negative=True)) == {
        "SNMF", "SNMFLR", "SpectralNJW"}  # fmt: skip


@pytest.mark.parametrize("name", sorted(set(all_estimators()) - set(RUNNERS)))
def test_a_method_that_is_said_to_refuse_data_does_and_the_others_take_them(name):
    cls = estimator(name)
    row = methods.methods_table().loc[name]
    Xs, _, _ = planted(cls.traits.kind, 0)
    lifelong = cls.traits.kind == "lifelong"
    negative = [[-X for X in views] for views in Xs] if lifelong else [-X for X in Xs]
    if row["data"] == "nonnegative":
        with pytest.raises(ValueError, match="negative"):
            cls(3, random_state=0).fit(negative)
    else:
        assert hasattr(cls(3, random_state=0).fit(negative), "labels_")
    if row["numbers of clusters"] == "equal in all tasks":
        with pytest.raises(ValueError, match="n_clusters"):
            cls([2, 3, 3], random_state=0).fit(Xs)
    elif cls.traits.kind == "multi-task":
        labels = cls([2, 3, 3], random_state=0).fit(Xs).labels_
        assert [len(np.unique(found)) for found in labels] == [2, 3, 3]


@functools.cache
def study(paper):
    return Study(paper)


def at_defaults(dataset):
    """Mean accuracy of MKC and the methods that the MTCMRL paper prints, the best first."""
    means = mean_scores(study("mtcmrl").default(dataset)).droplevel("dataset")
    printed = {"MKC", *study("mtcmrl").published["method"]}
    return means[means.index.isin(printed)].sort_values(ascending=False)


def worth_of_settings(name):
    changes = leverage.measured(study("mtcmrl"))
    return -changes.loc[(changes["decision"] == "O4") & (changes["method"] == name), "change"].min()


def numbers_of_mtsc():
    news = at_defaults("20NewsGroups").drop("MKC")
    first = "first" if at_defaults("Reuters").index[0] == "MTSC" else "not first"
    return round(worth_of_settings("MTSC")), first, round(news.max() - news["MTSC"])


def sets_where_mkc_is_ahead():
    sets = study("mtcmrl").protocol.profile("full").datasets
    heads = [at_defaults(name).index[0] for name in sets]
    return {2: "two"}.get(heads.count("MKC")), {3: "three"}.get(len(heads))


def cases_in_which_pacing_helps():
    frame = study("mspl").results.frame
    frame = frame[frame["dataset"].str.match("FAC (missing|outliers)")]
    found = [columns.paired_differences(frame, [(f"MSPL-{rule}, weights", "MSPL-naive, weights")], "ACC")
             for rule in ("smooth", "hard")]
    gains = [(table["status"] == "holds").sum() for table in found]
    return gains[0] or "none", len(found[0]), gains[1]


@pytest.mark.parametrize(("name", "sentence", "numbers"), [
    ("CLR", "choice of neighbours is worth up to {} points", lambda: [round(worth_of_settings("CLR"))]),
    ("MTSC", "settings are worth {} points, and at defaults it is {} on Reuters and {} points behind the "
     "best of the MTCMRL paper's methods on 20 Newsgroups", numbers_of_mtsc),
    ("MKC", "at defaults it was ahead of all methods of the MTCMRL paper on {} sets of {}",
     sets_where_mkc_is_ahead),
    ("MSPL", "accuracy rose significantly in {} of {} cases with smooth weights and in {} with hard ones",
     cases_in_which_pacing_helps),
])  # fmt: skip
def test_numbers_in_the_sentences_are_those_of_the_committed_results(name, sentence, numbers):
    entry = ENTRIES[name]
    assert sentence.format(*numbers()) in f"{entry['use_when']} {entry['avoid_when']}"


def test_measured_rows_are_those_of_the_estimators_and_say_on_what():
    on, table = methods.measured_on(), methods.measured()
    assert list(table.index) == sorted(all_estimators()) and list(table) == list(methods.MEASURED)
    assert {"machine", "processor", "python", "packages", "threads"} <= set(on)
    assert not (table["seconds_per_iteration"] <= 0).any() and (table["iterations"] >= 1).all()
    assert set(table["grows"]) == {"iteration", "fit"}


def test_measured_memory_is_within_small_factors_of_what_the_costs_say():
    sizes = methods.benchmark_sizes()
    for name, row in methods.methods_table().iterrows():
        # A neighbour graph is built from blocks of rows, which at this size are all rows.
        memory = row["memory"] + (" + n^2" if "log(n)" in row["setup"] else "")
        megabytes = 8e-6 * costs.value(memory, SYMBOLS, sizes)
        assert 0.4 < row["peak_mb"] / megabytes < 15, name


def test_no_method_grows_faster_than_its_cost_says():
    table = methods.methods_table().dropna(subset="exponent_n")
    assert len(table) >= 20
    assert (table["exponent_n"] <= table["expected_n"] + 0.5).all()


def test_all_take_sparse_data_as_the_page_says():
    assert set(methods.requirements()["sparse"]) == {"kept sparse"}


def test_cards_escape_their_text_and_link_to_the_source():
    card = methods.Card("X<", "a & b", "mtclib/mbc.py", (("Idea", "1 < 2"),))
    html = methods.Cards((card,))._repr_html_()
    assert 'href="../mtclib/mbc.py"' in html
    assert all(text in html for text in ("X&lt;", "a &amp; b", "1 &lt; 2"))


def test_the_stored_notebook_shows_what_the_functions_give():
    notebook = nbformat.read(paths.root() / "notebooks" / "methods.ipynb", as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ()) if "data" in output]
    stored = "\n".join(output.data.get("text/plain", "") for output in outputs)
    for kind in KINDS:
        assert methods.overview(kind).text in stored
        assert methods.cards(kind).text in stored
        assert methods.answers(kind).text in stored
    assert methods.legend().text in stored
