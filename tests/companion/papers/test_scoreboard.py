"""The front page: README and committed results say the same; stored notebooks are compared when run."""

import html
import inspect
import re
from urllib.parse import unquote_plus

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mtclib.companion import tables
from mtclib.companion.claims import signed
from mtclib.companion.papers import answers, citations, differences, in_order, scoreboard, study_of
from mtclib.companion.papers.study import Study
from mtclib.companion.runs import load_protocol
from mtclib.companion.verdicts import errors, intervals, ledger, leverage, numbers, published
from mtclib.companion.verdicts.judge import SYMBOLS
from mtclib.core import paths

PAPERS = in_order()


@pytest.fixture(scope="module")
def verdicts():
    return pd.concat(map(scoreboard.judged, PAPERS), ignore_index=True)


@pytest.fixture(scope="module")
def summary(verdicts):
    return scoreboard.by_paper(verdicts)


def test_every_printed_cell_has_a_verdict_that_says_something(verdicts):
    assert len(verdicts) == sum(len(published.load(paper)) for paper in PAPERS)
    allowed = {"exact", "agrees", "higher", "lower", "inconclusive", "misprint", "not-run"}
    assert set(verdicts["verdict"]) <= allowed < set(SYMBOLS)
    lacking = verdicts[verdicts["verdict"] == "not-run"]
    assert {"Animal with attribute", "sports"} <= set(lacking["dataset"])
    assert lacking["reason"].all()


def test_every_deviating_cell_has_a_cause_and_a_sentence(verdicts, summary):
    deviating = verdicts[verdicts["verdict"].isin(["higher", "lower"])]
    silent = deviating[deviating["reason"].str.len() < 20]
    assert silent.empty, ("each needs a [[deviation]] in the decisions.toml of its paper:\n"
                          + silent[["paper", "dataset", "method"]].drop_duplicates().to_string())
    assert leverage.by_cause(deviating)["cells"].sum() == len(deviating)
    shown = [differences.causes(paper).tables[1].rows for paper in PAPERS]
    assert sum(int(row[1].lines[0]) for rows in shown for row in rows) == summary["deviating"].sum()
    for paper in PAPERS:
        told = set(study_of(paper).numbers.judged()["reason"])
        idle = [one["evidence"] for one in ledger.deviations(paper)
                if not any(reason.startswith(one["evidence"]) for reason in told)]
        assert not idle, f"{paper}: no cell deviates for which this is said: {idle}"
    assert (summary[["agreeing", "undecided", "deviating"]].sum(axis=1) == summary["counted"]).all()
    assert (summary["ceiling"] <= summary["counted"]).all()


def test_the_committed_verdicts_are_those_of_the_committed_results(verdicts):
    table = scoreboard.verdict_file(PAPERS).to_csv(index=False, lineterminator="\n")
    assert len(verdicts) == len(table.splitlines()) - 1
    assert table == (paths.data_dir() / "verdicts.csv").read_text(encoding="utf-8")


def test_one_paper_is_renewed_and_the_lines_of_the_others_stay(tmp_path, monkeypatch):
    committed = (paths.data_dir() / "rows.csv").read_text(encoding="utf-8")
    monkeypatch.setattr(scoreboard, "in_order", lambda: PAPERS)
    monkeypatch.setattr(paths, "data_dir", lambda: tmp_path)
    (tmp_path / "rows.csv").write_text(committed, encoding="utf-8")
    lines = pd.read_csv(tmp_path / "rows.csv", dtype=str, keep_default_na=False)
    scoreboard._write("rows", ["mbc"], lines[lines["paper"] == "mbc"])
    assert (tmp_path / "rows.csv").read_text(encoding="utf-8") == committed
    scoreboard._write("rows", ["mbc"], lines[lines["paper"] == "mbc"].head(1))
    assert pd.read_csv(tmp_path / "rows.csv")["paper"].value_counts()["mbc"] == 1


def test_the_numbers_of_a_row_of_the_verdicts_have_one_unit_and_as_printed_is_what_the_paper_has():
    rows = scoreboard.all_verdicts().dropna(subset="ours")
    assert np.allclose(rows["ours"] - rows["printed"], rows["difference"], atol=2e-6)
    factor = pd.to_numeric(rows["as_printed"]) / rows["printed"].where(rows["printed"] != 0)
    assert set(factor.dropna().round(3)) == {1, 100}
    assert set(factor[rows["metric"] == "d_M"]) == {1}


def test_the_rule_of_the_verdicts_errs_as_rarely_as_it_says_for_each_paper_and_kind_of_method():
    committed = pd.read_csv(paths.data_dir() / "verdict_errors.csv").set_index(["paper", "kind"])
    assert set(committed.index.unique("paper")) == set(PAPERS)
    # A tenth above: runs that differ in seeds alone have few distinct values, which are not normal.
    # Half above where most of ten runs are one partition: LMSC's own cells on the authors' split of BBC.
    above = pd.Series(1.1, committed.index).mask(committed.index == ("lmsc", "own"), 1.5)
    assert all((committed[rate] <= above * most).all() for rate, most in errors.MOST_FALSE.items())
    anew = errors.table([study_of("spmtc")], trials=60, seed=1)
    anew = anew.set_index(["paper", "kind"])
    there = committed.loc[anew.index]
    # Of 60 trials, whose cells share their runs.
    assert np.allclose(anew["agreeing"] / anew["cells"], there["agreeing"] / there["cells"], atol=0.05)
    assert np.allclose(anew[list(errors.MOST_FALSE)], there[list(errors.MOST_FALSE)], atol=0.025)
    assert np.allclose(anew["power_10"], there["power_10"], atol=0.04)
    assert committed["power_10"].median() > 0.9
    assert np.allclose(there["expected"] / there["cells"], there["agreeing"] / there["cells"], atol=0.05)


def test_reproducibility_is_that_of_all_counted_cells_and_gains_of_a_paper():
    verdicts = scoreboard.all_verdicts()
    found = scoreboard.quantified(verdicts).loc["mbc"]
    cells = verdicts.query("paper == 'mbc' and counted and metric != 'd_M'").astype({"ours": float})
    known = intervals.agreement(cells["ours"].to_numpy(), cells["printed"].to_numpy())
    for name, key in (("mean CV*, %", "cv"), ("Pearson's r", "pearson"), ("Spearman's rho", "spearman")):
        assert found[name] == pytest.approx(known[key], abs=0.005)
    gains = pd.read_csv(paths.data_dir() / "gains.csv").query("paper == 'mbc'")["same_sign"]
    assert found["gains that recur"] == f"{(gains == 'yes').sum()} of {gains.notna().sum()}"


def test_gains_over_all_rivals_and_over_those_of_the_claims_are_told_apart_where_both_are_counted():
    gains = pd.read_csv(paths.data_dir() / "gains.csv")
    rivals = gains["paper"].map({paper: ledger.part(paper, "summary")["rival"] for paper in PAPERS})
    signed = gains["same_sign"].notna()
    claimed = (signed & ((rivals == "all") | (rivals == gains["rival"]))).sum()
    told = scoreboard.over_all_rivals()
    assert f"{signed.sum()} with a sign" in told
    assert f"the {claimed} over the rivals of the claims" in told


def test_causes_of_all_cells_say_that_they_are_not_those_of_the_counted_ones(summary):
    cells = scoreboard.all_verdicts()
    every, counted = (scoreboard.causes(part).sum().sum() for part in (cells, cells[cells["counted"]]))
    assert counted == summary["deviating"].sum()
    assert (every > counted) == ("printed, counted or not" in scoreboard.in_detail().text)


def test_the_board_says_how_much_of_undecided_was_an_unknown_split(verdicts):
    cells = verdicts[verdicts["counted"] & (verdicts["paper"] == "lmsc")]
    before, now = ((cells[name] == "inconclusive").sum() for name in ("verdict_before", "verdict"))
    told = scoreboard.unknown_split(scoreboard.all_verdicts())
    assert f"Of LMSC's {len(cells)} numbers, {before} were undecided" in told
    assert f"split {now} are" in told
    assert set(cells["pipeline"]) == {"released"}
    assert now < before / 2
    assert told in scoreboard.board().text
    fixed = verdicts[verdicts["pipeline"] == "fixed"]
    assert (fixed["verdict_before"] == fixed["verdict"]).all()


def test_the_readme_and_the_front_page_say_what_the_results_say(summary):
    assert scoreboard.front_page() in (paths.root() / "README.md").read_text(encoding="utf-8")
    board, told = scoreboard.board(), scoreboard.summary()
    assert [row[1].lines[0] for row in board.rows] == ["its own", "the others"] * len(PAPERS)
    assert sum(int(row[2].lines[0]) for row in board.rows) == summary["counted"].sum()
    assert len(told.rows) == len(PAPERS)
    assert len(told.header) == 6
    assert not re.search(r"\d+ / \d+ / \d+", told.text), "no fractions with three parts"
    own = summary.loc[("mbc", "its own")]
    wanted = f"MBC\nown {own['agreeing']:g} / {own['undecided']:g} / {own['deviating']:g}, others "
    assert scoreboard.heads(summary)["mbc"].startswith(wanted)


def test_each_paper_on_the_front_page_leads_to_its_page_and_to_its_printed_numbers():
    rows = scoreboard.summary().rows
    assert [row[0].link for row in rows] == [f"{paper}.ipynb" for paper in PAPERS]
    assert f'<a href="{PAPERS[0]}.ipynb">SPMTC</a>: Learning' in scoreboard.summary().html
    for row, paper in zip(scoreboard.board().rows, np.repeat(PAPERS, 2)):
        page, _, place = row[0].link.partition("#")
        assert page == f"{paper}.ipynb"
        text = (paths.root() / "notebooks" / page).read_text(encoding="utf-8").lower()
        assert f'"### {place.split("-")[0]} {place.split("-")[1]}' in text, place
    folds = re.findall("<summary>(.*)</summary>", citations.box().html)
    assert [fold.partition(":")[0].lower() for fold in folds] == ["mtclib", *PAPERS]
    assert folds[3] == "MBC: J. Zhang, C. Zhang. Multitask Bregman Clustering. AAAI 2010"


def test_the_paper_on_the_package_counts_gains_over_the_rivals_of_the_claims():
    lines = pd.DataFrame([answers.line(paper, ledger.part(paper, "summary")["rival"]) for paper in PAPERS])
    counts = [(lines["recurs"] > lines["gains"] / 2).sum(), (lines["ours"] < lines["printed"]).sum()]
    told = " ".join((paths.root() / "paper" / "paper.md").read_text(encoding="utf-8").split())
    recurs, below, n = (numbers.WORDS[number] for number in (*counts, len(PAPERS)))
    assert f"rivals that its claim names recur in sign for the greater part in {recurs} of {n} papers" in told
    assert f"in {below} of {n} they are smaller" in told


def test_no_choice_of_a_pipeline_is_drawn_under_the_code_that_a_protocol_has_for_it():
    names, plain = pd.read_csv(paths.data_dir() / "multiverse.csv")["pipeline"], answers.WORDS["choices"]
    choices = {choice for name in names.unique() for choice in name.split(", ")}
    assert set(plain) <= choices
    code = re.compile("minmax|zscore|-l2|share-|^(in|out|all|both|raw|log|l1|tfidf|release)$")
    assert not [one for one in choices if code.search(plain.get(one, one))]


@pytest.mark.parametrize("paper", PAPERS)
def test_the_answer_of_a_paper_has_its_gain_its_recurrence_and_where_it_turns(paper):
    study = study_of(paper)
    found = answers.line(paper, ledger.findings(paper)["summary"]["rival"])
    first, told = answers.sentences(study), answers.further(study)
    plain = " ".join([*first, *told[:1]]).replace("**", "")
    assert all(len(one.split()) <= 30 for one in re.split(r"(?<=[a-z)0-9])[.;] ", plain))
    assert len(first) <= 2, "a question each"
    bold = [re.fullmatch(r"\*\*([^*]+)\*\*(.*)", one) for one in first]
    assert all(re.findall(r"[.;?] ", one[1]) in ([], ["; "]) for one in bold), "one sentence answers"
    assert f"{signed(found['ours'])} points" in bold[-1][1]
    assert ("turn the sign on" in bold[-1][2]) == bool(answers.turns(paper))
    assert f"{found['recurs']:.0f} of " in told[0]
    between = "" if np.isnan(found["ratio_low"]) else f" ({found['ratio_low']:.2f} to"
    assert f"{found['ratio']:.2f} of the printed one{between}" in told[0]
    below = study.pipelines_of_tables().text
    drawn = pd.read_csv(paths.data_dir() / "gain_statistics.csv").query("paper == @paper and sets > 0")
    explained = {"all", *re.findall(r"[\w+-]+", below + plain)}
    assert all(explained.issuperset(name.split()) for name in drawn["rival"]), "`rivals` in claims.toml"
    assert all(one in below for one in told)
    whole = answers.line(paper)
    several = whole["best_ours"] < whole["ours"]
    assert several == (f"best rival of each column: {whole['best_ours']:+.1f} (" in " ".join(told))
    covered = pd.read_csv(paths.data_dir() / "gain_errors.csv").set_index(["paper", "rate"])["found"][paper]
    assert f"Simulated: {100 * covered['interval']:.0f} % of 95 % intervals" in answers.by_table(study).text
    between = pd.read_csv(paths.data_dir() / "row_statistics.csv").query("paper == @paper")
    shown = [f"{row.kind} {row.mean:+.1f} ({row.low:+.1f} to {row.high:+.1f}), tau {row.tau:.1f}"
             for row in between.itertuples()]
    rows = answers.row_verdicts(study).text
    assert all(one in rows for one in shown)
    assert study.told_pipelines() in " ".join(rows.split())
    worse = found["worse_on"].split(", ") if found["worse"] else ["none"]
    assert len(worse) == max(found["worse"], 1)
    assert f"worse on {', '.join(worse)}." in " ".join(told)
    rows = pd.read_csv(paths.data_dir() / "multiverse.csv").query("paper == @paper and metric != 'd_M'")
    rival = ledger.part(paper, "summary")["rival"]
    rows = rows[rows["rival"].isin(rows["rival"] if rival == "all" else [rival])]
    means = rows.groupby(["dataset", "rival", "pipeline"])[["printed", "ours", "low", "high"]].mean()
    means = means.groupby(["dataset", "pipeline"]).mean()
    turned = (np.sign(means["printed"]) == np.sign(means["ours"])).groupby("dataset").nunique() == 2
    assert list(turned.index[turned]) == sorted(answers._whole(answers.turns(paper, rival)))
    wide = stats.norm.ppf(1 - 0.025 / means.groupby("dataset")["low"].transform("size")) / 1.959964
    above, below = (side * means["ours"] > wide * (means["high"] - means["ours"]) for side in (1, -1))
    sure = above.groupby("dataset").any() & below.groupby("dataset").any()
    assert not turned.any() or f"(surely on {sure.sum()})" in plain
    readme = " ".join((paths.data_dir() / "README.md").read_text(encoding="utf-8").split())
    name = ledger.findings(paper)["name"]
    told = re.findall(rf"\b(\d+) of (?:the )?(\d+) (?:sets )?of {name}\b", readme)
    # A paper that is new is not yet in that page.
    assert told == [(str(sure.sum()), str(turned.sum()))] * (name in readme)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_number_that_was_judged_stands_on_the_page_of_its_paper_and_deviations_name_decisions(paper):
    page = html.unescape((paths.root() / "notebooks" / f"{paper}.ipynb").read_text(encoding="utf-8"))
    shown = set(map(unquote_plus, re.findall(r'template=correction\.md&title=([^"\\]+)', page)))
    cells = study_of(paper).all_verdicts()
    assert set(cells.loc[cells["verdict"] != "not-run", "cell"]) <= shown
    deviating = cells[cells["verdict"].isin(["higher", "lower"])]
    known = {one["id"] for one in ledger.decisions(paper)}
    unknown = [ids for ids in deviating["decisions"] if not known.issuperset(ids.split(", "))]
    assert not unknown, "the evidence of a [[deviation]] names its decision, such as (O1)"
    assert all(f"<b>decision</b> {ids}: " in page for ids in deviating["decisions"].unique())


def test_an_answer_that_no_gain_gives_stands_first_and_says_what_could_be_chance(monkeypatch):
    asked = {name: text for name, text in ledger.part("lmsc", "summary").items() if name != "also"}
    asked["first"] = ("Keeping is worth {transfer|lmsc-newsgroups|interval} points of NMI on one stream, "
                      "{transfer|lmsc-bbc|interval} on the other.")
    monkeypatch.setattr(ledger, "part", lambda paper, name: asked)
    study = study_of("lmsc")
    told, later = answers.sentences(study)[0], study.table("transfer").query("position > 1")
    for stream, before in (("newsgroups", "worth"), ("bbc", "stream,")):
        runs = later[later["dataset"] == f"lmsc-{stream}"].pivot_table("value", "seed", "knowledge")
        gains = 100 * (runs["with libraries"] - runs["without"])
        ends = stats.ttest_1samp(gains, 0).confidence_interval()
        chance = ", which could be chance" if ends.low < 0 < ends.high else ""
        low, high = signed(ends.low), signed(ends.high)
        assert f"{before} {gains.mean():+.1f} ({low} to {high}{chance})" in told
    less = (later["dataset"] == "lmsc-bbc") & (later["knowledge"] == "with libraries")
    near = later.assign(value=later["value"] - less * gains.mean() / 100 * 0.9)
    monkeypatch.setattr(type(study), "table", lambda self, name: near)
    assert study.numbers.transfer("lmsc-bbc", "interval").endswith(", which could be chance)")
    assert "chance" not in study.numbers.transfer("lmsc-newsgroups", "interval")
    assert "<li><a href=\"index.ipynb\"><b>" in study.answer().html
    assert "<b>Keeping is worth" in study.answer().html


@pytest.mark.parametrize(("better", "worse", "said"), [
    (5, 0, "Yes"), (4, 0, "Mostly yes"), (3, 1, "In part"), (2, 2, "In part"), (0, 0, "Undecided"),
    (1, 3, "No")])
def test_the_word_of_an_answer_follows_from_the_data_sets(better, worse, said):
    assert answers.word({"better": better, "worse": worse, "sets": 5}) == said


def test_a_yes_says_where_it_is_none():
    found, lost = {"better": 4, "worse": 0, "sets": 5, "rival": "all"}, {"best_high": -0.1}
    assert answers._answered(found, {"best_high": 0.1}, ["a", "b"]) == "Mostly yes"
    assert answers._answered(found, lost, []) == "Mostly yes on average, but not over the best rival"
    alone = answers._answered({**found, "rival": "LSSMTC"}, lost, ["a", "b", "c"])
    assert alone == "Only with some preparations"
    assert answers._answered({**found, "better": 0, "worse": 4}, lost, ["a", "b", "c"]) == "No"


def test_an_answer_names_the_sets_that_it_leaves_out_and_why():
    found = {paper: answers.left_out(paper) for paper in PAPERS}
    assert found == {**found, "spmtc": [("RECvsTALK", "it chose the pipeline")], "mtcmrl": [],
                     "lmsc": [("BBCSport", "misprints")], "mbc": [("sports", "files out of reach")],
                     "mspl": [("Animal with attribute", "files out of reach")]}
    front = scoreboard.front_page()
    for paper, ((name, why), *_) in {paper: out for paper, out in found.items() if out}.items():
        assert f"{name} is left out ({why})" in answers.sentences(study_of(paper))[-1]
        assert f" sets (without {name}), worse on " in front


def test_no_paper_gives_another_meaning_to_what_every_study_has():
    for own in {type(study_of(paper)) for paper in PAPERS} - {Study}:
        again = [name for name in vars(own) if name in dir(Study) and not name.startswith("__")
                 and name not in ("frames", "definitions")]  # which every study has for its paper to fill
        assert [name for name in again if f"super().{name}(" not in inspect.getsource(vars(own)[name])] == []


def test_a_claim_about_a_rival_that_we_reconstructed_says_so():
    reasons = study_of("mspl").outcomes().set_index("id")["reason"]
    assert reasons[["C35", "C36"]].tolist() == ["", "our reconstruction: ConvexSub"]


def test_a_sentence_counts_its_parts_and_fails_with_one_only_if_that_survives_their_number(monkeypatch):
    known = [{"id": str(n), "quote": f"{text} ({n})"} for n, text in enumerate("aabbccddeefggh")]
    outcomes = pd.DataFrame(
        [("holds", ""), ("fails", "0.02"), ("holds", ""), ("undecided", "0.4"), ("holds", ""),
         ("not yet testable", ""), ("holds", ""), ("fails", "0.04"), ("fails", "0.03"), ("fails", "0.04"),
         ("not yet testable", ""), ("holds", ""), ("fails", ""), ("fails", "")],
        columns=["status", "p"]).assign(id=[one["id"] for one in known])
    monkeypatch.setattr(ledger, "claims", lambda paper: known)
    found = ledger.outcomes_of_sentences("p", outcomes)
    assert found["status"].to_dict() == {"a": "fails", "b": "undecided", "c": "holds", "d": "undecided",
                                         "e": "fails", "f": "not testable", "g": "undecided", "h": "fails"}
    assert found.loc["d", ["parts", "hold", "fail"]].tolist() == [2, 1, 1]
    assert tables.claims_table(outcomes, found).notes[0] == "1 of 2 parts hold and 1 fail, so fails: a"


@pytest.mark.parametrize("paper", PAPERS)
def test_every_finding_rests_on_entries_that_exist(paper):
    protocol = load_protocol(paper)
    known = {entry["id"] for entry in (*ledger.decisions(paper), *ledger.claims(paper))}
    known |= {f"study {name}" for name in (*protocol.studies, *protocol.sensitivity)} | {"audit"}
    entries = ledger.findings(paper)["finding"]
    assert 2 <= len(entries) <= 4
    for entry in entries:
        assert set(entry["sources"]) <= known, set(entry["sources"]) - known
