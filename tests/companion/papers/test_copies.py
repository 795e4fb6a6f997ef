"""Tables to copy, and what to cite."""

import re
from functools import cache

import pandas as pd
import pytest

from mtclib import all_estimators
from mtclib.companion.cli import main
from mtclib.companion.papers import citations, copies, study_of
from mtclib.companion.parameters import UsageError
from mtclib.companion.verdicts import published
from mtclib.core import paths
from mtclib.datasets import available, load, registry


def test_a_table_to_copy_has_every_printed_cell_and_says_how_to_load_the_data(capsys, monkeypatch):
    monkeypatch.setattr(published, "load", cache(published.load))
    for name, paper in ((name, paper) for name, papers in copies.datasets().items() for paper in papers):
        table, printed = copies.copy(name, paper), published.load(paper).query("dataset == @name")
        numbers = table.numbers().set_index(["task", "method"])
        assert numbers.filter(like="printed mean").notna().sum().sum() == printed["mean"].notna().sum()
        assert all(pd.api.types.is_numeric_dtype(numbers[one]) for one in numbers)
        assert set(table.as_printed().index.str.rstrip("*†")) == set(printed["method"])
        assert "mtclib.datasets.load('" in table.facts[0]
        assert table.facts[1].startswith(f"Pipeline: {study_of(paper).headline(name)} (")
        distances = numbers.filter(like="d_M printed mean").stack().dropna()
        assert distances.tolist() == printed.loc[printed["metric"] == "d_M", "mean"].tolist(), "no percent"
        keys = re.findall(r"@\w+\{(\w+),", table.bibtex)
        assert len(keys) == len(set(keys)) > 1
    together = copies.copy("Texas").printed
    assert copies.copy("Cornell", "mspl").printed.cells.equals(together.cells)
    assert list(together.as_printed().columns) == [
        (name, "NMI") for name in ("Cornell", "Texas", "Washington", "Wisconsin")], "as its Table 3"
    assert together.as_printed().loc["MSPL", ("Texas", "NMI")] == "18.6 (25.5)"
    latex = copies.copy("Texas").text("latex")
    assert latex.count("% data: ") == 4
    assert r"MSPL & 12.7 (21.5) & 18.6 (25.5) & 25.9 (28.1) & 18.5 (33.7) \\" in latex
    assert copies.copy("WebKB", task=1).cells.equals(copies.copy("WebKB", task="1").cells)
    for ask in (citations.cite, copies.copy):
        with pytest.raises(UsageError, match="None"):
            ask(None)
    assert main(["table", "Cornell"]) == 2
    assert "choose one with --paper" in capsys.readouterr().err


def test_latex_has_both_layouts_labels_marks_and_what_to_cite_and_no_cell_is_lost(capsys):
    assert main(["table", "20NewsGroups", "--format", "latex"]) == 0
    told = capsys.readouterr().out
    assert r"1 & k-means & 33.9 $\pm$ 0.0 & 33.9 $\pm$ 0.0" in told
    assert r"S-MBC$^{*}$$^{\dagger}$ & 34.1 (44.1) & 3.7 (14.6) & 30.4 (46.6)" in told
    assert re.findall(r"\\label\{tab:(.*?)\}", told) == ["mtcmrl-20newsgroups", "mtcmrl-20newsgroups-long"]
    assert told.count("to one decimal") == 2, "82.07 is not printed as 82.1"
    assert told.count(r"\toprule") == told.count(r"\end{table}") == 2
    assert r"$^{*}$~settings chosen with the labels" in told
    assert "% @inproceedings{zhang2018multi," in told
    assert not re.search(r"(?<!\\)[&%](?=\w+ \$)", told)
    distances = re.sub(r"^%.*|\$.*?\$", "", copies.copy("tr11").text("latex"), flags=re.M)
    assert not re.search(r"(?<!\\)[_#^]", distances), "as the name d_M has it"


@pytest.mark.parametrize(("name", "found"), [
    ("mtclib", "@misc{developers"), ("lmsc", "pages = {3488--3496}"), ("WMSC", "zong2018weighted"),
    ("newsgroups-shared", "  author = {K. Lang},\n  title = {{NewsWeeder: Learning"),
    ("SNMFLR", "zhang2018multi"), ("Cornell", "sen2008collective"), ("lmsc-cornell", "sen2008collective"),
    ("cluto-zhong/tr11.mat", "zhong2005generative"), ("CoregSpectral", "Rai and Daume, III, H.}")])
def test_bibtex_of_the_software_a_paper_a_method_a_data_set_and_a_file(name, found, capsys):
    assert main(["cite", name]) == 0
    assert found in capsys.readouterr().out


def test_everything_that_can_be_cited_gives_whole_entries_and_what_is_unknown_is_refused(capsys):
    names = {*all_estimators(), *paths.papers(), *copies.datasets(), *registry()}
    uncited = [name for name in available() if not citations.entries(name)]
    assert not [name for name in uncited if load(name).sources], "enter them in registry.toml"
    for name in names | {*available()} - {*uncited}:
        for entry in citations.entries(name) or [f"nothing for {name}"]:
            fields = dict(re.findall(r"^  (\w+) = \{(.*)\},$", entry, re.M))
            assert {"author", "title", "year"} <= set(fields), entry
            assert fields["year"].isdecimal(), entry
            assert entry.count("{") == entry.count("}"), entry
            assert len(fields["title"]) > 6, entry
    entries = {entry for each in citations.known().values() for entry in each}
    assert len({*map(citations.key, entries)}) == len(entries), "a file of references has each key once"
    assert main(["cite", "mtcrml"]) == 2
    assert "Did you mean 'MTCMRL'" in capsys.readouterr().err
    for name in ("", "nope"):
        assert main(["cite", name]) == 2
        assert len(capsys.readouterr().err) < 100, "not the hundred names, but how to list them"
    assert main(["cite"]) == 0
    assert names - {*paths.papers()} <= {*capsys.readouterr().out.split("\n")}
    for entry in registry().values():
        left = citations.WORK.sub("", entry.citation.replace(" (ed.)", "")).strip()
        assert not left, f"{entry.name}: {left} is in no entry"
