"""A search for unstated choices: it finds a planted pipeline, and none in print that is shuffled; and what is
said of a winner: planted winners win, ties are ties, noise is noise.
"""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest
from adversary.families import digest

from mtclib.companion import runs
from mtclib.companion.cli import main
from mtclib.companion.papers.study import Study
from mtclib.companion.runs import profiles, store
from mtclib.companion.verdicts import evidence, identify, published
from mtclib.companion.verdicts.published import REQUIRED
from mtclib.core import paths

PROTOCOL = """
paper = "toy"
title = "A toy paper"
root_seed = 1

[datasets]
Tiny = { loader = "experiments_support:tiny", published = "Tiny" }

[datasets.Found]
loader = "experiments_support:tiny"
params = { n = 90 }
published = "Tiny"
pipeline = "identified"
search = "tiny"
scale = { ACC = 0.5 }

[methods]
noisy = { estimator = "experiments_support:Noisy", params = { noise = 4.0 } }
"very noisy" = { estimator = "experiments_support:Noisy", params = { noise = 9.0 } }

[identify.tiny]
datasets = ["Tiny"]
calibration = [{ method = "noisy", table = "1" }]
criterion = "distance"
data = { n = [30, 90, 99], shift = [0.0, 0.0] }
methods = { noisy = ["noisy", "very noisy"] }
metrics = { NMI = ["NMI_max", "NMI_geometric"] }
n_runs = 3
leave_out = ["task", "metric"]
n_permutations = 100

[profiles.full]
n_runs = 3
datasets = ["Tiny", "Found"]
methods = ["noisy"]
"""


@pytest.fixture
def printed(write, own_folder):
    """A repository with a toy paper, in which the test stands; gives means to its table 1."""
    for name, text in (("protocol.toml", PROTOCOL), ("decisions.toml", ""),
                       ("sizes.csv", "table,dataset,task,quantity,value,note\n")):
        write(name, text, "toy")
    metrics = ["ACC", "NMI", "ARI", "RI", "purity"]

    def write_means(means):
        rows = [("toy", "1", "Tiny", task, "noisy", metric, f"{mean:.4f}".replace("nan", ""), "", "fraction")
                for (task, metric), mean in zip(((t, m) for t in "12" for m in metrics), means)]
        rows.append(("toy", "2", "Tiny", "1", "noisy", "ACC", "0.5", "", "fraction"))
        write("published.csv", pd.DataFrame(rows, columns=list(REQUIRED)).to_csv(index=False), "toy")

    write_means(np.linspace(0.1, 0.9, 10))
    return write_means


@pytest.fixture
def toy(printed):
    """The same, and what a pipeline would have printed in its table 1."""
    main(["identify", "toy"])
    table = pd.read_csv(identify.table_file("toy", "tiny"), keep_default_na=False)
    row = table.query("n == 90.0 and noisy == 'very noisy' and NMI == 'NMI_geometric'")
    return printed, row.filter(like="toy:").to_numpy()[0]


def test_a_planted_pipeline_is_found_from_stored_fits_and_its_cells_are_the_calibration(toy, monkeypatch):
    write, ours = toy
    write(ours)
    monkeypatch.setattr(store.RunStore, "put", None)
    assert main(["identify", "toy"]) == 0
    found = identify.summaries("toy")["tiny"]
    assert found["hypotheses"] == 12
    assert found["distance"] < 1e-4
    assert found["winner"] == {"n": "90.0", "shift": "0.0", "noisy": "very noisy", "NMI": "NMI_geometric"}
    assert (found["permutations"]["reached"], found["permutations"]["p"]) == (0, 0.009901)
    assert [fold["rank"] for fold in found["folds"]] == [1] * 7
    protocol, stored = runs.load_protocol("toy"), runs.RunStore(paths.runs_dir())
    assert len(identify.calibration_cells(protocol, "tiny")) == 10
    write(np.where(np.arange(10) % 5, ours, np.nan))  # chooses nothing, and is not held out
    found["cells"] = identify.calibration(protocol, protocol.identify["tiny"])["cell"].tolist()
    assert len(found["cells"]) == 8
    assert identify.held_out(protocol, protocol.identify["tiny"], found, stored)["cells"].item() == 1


def test_nothing_is_found_in_shuffled_print_and_what_is_found_stands_for_the_printed_data_with_its_fits(toy):
    write, ours = toy
    profiles.run_jobs("toy", "full", export=True)
    write(ours[::-1])
    main(["identify", "toy"])
    assert identify.summaries("toy")["tiny"]["permutations"]["p"] > identify.LEVEL
    assert not identify.calibration_cells(runs.load_protocol("toy"), "tiny")
    assert Study("toy").headline("Tiny") == "Tiny"
    write(ours)
    main(["identify", "toy"])
    study = Study("toy")
    assert study.headline("Tiny") == "Found"
    cells, fits = study.all_verdicts().query("metric == 'ACC' and task == '1'"), study.rows("Found")
    mean = fits.query("metric == 'ACC' and task == '1'")["value"].mean()
    assert cells["ours"].tolist() == pytest.approx([mean / 2] * 2)


@pytest.mark.parametrize("paper", [name for name in paths.papers() if identify.summaries(name)])
def test_committed_searches_are_what_their_tables_give_and_an_identified_pipeline_is_a_winner(paper):
    protocol, found = runs.load_protocol(paper), identify.summaries(paper)
    assert set(found) <= set(protocol.identify)
    for name, search in ((name, protocol.identify[name]) for name in found):
        table = pd.read_csv(identify.table_file(paper, name), keep_default_na=False, dtype=str)
        choices = list(table.columns[: table.columns.get_loc("distance")])
        chosen = identify.calibration(protocol, search)
        measured = [*chosen["cell"], *(["noise"] if "noise" in table else [])]
        table[measured] = table[measured].apply(pd.to_numeric)
        assert evidence.summary(table, choices, chosen, search) == found[name]
    for name, spec in protocol.datasets.items():
        if spec.pipeline != "identified" or not identify.holds(found[spec.search]):
            continue
        winner = found[spec.search]["winner"]
        for search, chosen in chain(protocol, spec):
            winners = {choice: found[search.id]["winner"][choice] for choice in chosen}
            assert {choice: identify.as_text(value) for choice, value in chosen.items()} == winners, name
        for printed, own in ((name, own) for name, own in spec.stand_ins.items() if name in winner):
            ours, theirs = protocol.methods[own], protocol.methods[winner[printed]]
            assert {**ours.params, **ours.default} == {**theirs.params, **theirs.default}, (name, printed)


def chain(protocol, spec):
    """The search of an identified pipeline and those before it, as far as they look at the printed set; each
    with those parameters of the loader that it chose."""
    search, params = protocol.identify[spec.search], protocol.datasets[spec.rows_of or spec.id].params
    while search:
        if spec.published in [protocol.datasets[name].published for name in search.datasets]:
            choices = {*search.data, *search.further}
            yield search, {name: value for name, value in params.items() if name in choices}
        search = protocol.identify.get(search.after)


def test_the_pipeline_of_20_newsgroups_is_the_winner_of_four_searches_one_after_the_other():
    protocol = runs.load_protocol("mtcmrl")
    spec = protocol.datasets["20NewsGroups (found; words by labels)"]
    words = {"edition", "stop_words", "min_terms", "select_with_labels"}
    assert [{*chosen} for _, chosen in chain(protocol, spec)] == [set(), {"weighting"}, {"weighting"}, words]


def test_none_is_a_scaling_where_it_is_the_absence_of_other_choices(monkeypatch):
    protocol, tried = runs.load_protocol("mspl"), {}
    monkeypatch.setattr(identify, "_fitted", lambda protocol, search, variants, *rest: tried.update(variants))
    search = dataclasses.replace(
        protocol.identify["digits"], data={"scaling": ["none", "minmax"], "stop_words": ["none"]})
    with pytest.raises(TypeError):  # for nothing is fitted here
        identify._tried(protocol, search, identify.calibration(protocol, search), None, None, 1)
    assert list(tried["Handwritten Numerals"].values()) == [
        {"scaling": name, "stop_words": None} for name in ("none", "minmax")]


def test_the_winner_gives_mbc_true_distances_to_the_last_digit_but_for_the_random_halves_of_ng20():
    table = pd.read_csv(identify.table_file("mbc", "weights"))
    cells = published.load("mbc").set_index("cell")
    ours = (1000 * table.loc[table["distance"].idxmin()].filter(like="mbc:").astype(float)).round(2)
    assert list(ours.index[ours != cells.loc[ours.index, "mean"]]) == list(ours.index[:1])


ON_TINY = """datasets = ["Tiny"]
data = { n = [30, 90, 99], shift = [0.0, 7.0] }
n_permutations = 20
"""
STAGES = f"""
[identify.counts]
stage = "sizes"
calibration = [{{ metric = "class_size" }}]
{ON_TINY}
[identify.prints]
stage = "fingerprints"
after = "counts"
calibration = [{{ method = "once" }}]
methods = {{ once = ["noisy", "once"] }}
{ON_TINY}
[identify.rest]
after = "prints"
calibration = [{{ method = "noisy", metric = "ACC" }}]
methods = {{ noisy = ["noisy", "very noisy"], once = ["noisy", "once"] }}
n_runs = 3
{ON_TINY}
[profiles.full]"""


@pytest.fixture
def staged(printed, write):
    """The toy paper with sizes of n = 90, a row of one deterministic partition, and three searches."""
    protocol = PROTOCOL[:PROTOCOL.index("[identify.tiny]")] + PROTOCOL[PROTOCOL.index("[profiles.full]"):]
    once = '\nonce = { estimator = "experiments_support:Noisy", params = { noise = 0.1 } }'
    protocol = protocol.replace("[methods]", "[methods]" + once).replace("\n[profiles.full]", STAGES)
    write("protocol.toml", protocol.replace('pipeline = "identified"\nsearch = "tiny"\n', ""), "toy")
    sizes = [f"1,Tiny,{task},class_size,{n}," for task, n in zip("111222", [30, 30, 30, 32, 32, 32])]
    write("sizes.csv", "\n".join(["table,dataset,task,quantity,value,note", *sizes, ""]), "toy")
    rows = [("toy", "1", "Tiny", task, "once", "ACC", "1.0000", "0.0000", "fraction") for task in "12"]
    rows += [("toy", "1", "Tiny", task, "noisy", metric, "0.4", "0.1", "fraction")
             for task in "12" for metric in ("ACC", "NMI")]
    write("published.csv", pd.DataFrame(rows, columns=list(REQUIRED)).to_csv(index=False), "toy")
    return write


def test_three_stages_each_blind_to_the_next_find_a_planted_pipeline_in_turn(staged, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(runs, "run", None)  # sizes need no fit
        counts = identify.identify("toy", names=["counts"])["counts"]
    assert (counts["winner"]["n"], counts["distance"]) == ("90.0", 0)
    assert counts["not_told_apart"]["values"] == {"n": ["90.0"], "shift": ["0.0", "7.0"]}
    prints = identify.identify("toy", names=["prints"])["prints"]
    assert prints["hypotheses"] == 4
    assert prints["not_told_apart"]["values"]["once"] == ["once"]
    assert [cell.split(":")[4] for cell in prints["cells"]] == ["once", "once"]
    rest = identify.identify("toy", names=["rest"])["rest"]
    table = pd.read_csv(identify.table_file("toy", "rest"), dtype=str)
    tried = [set(table[name]) for name in ("n", "once", "noisy")]
    assert tried == [{"90.0"}, {"once"}, {"noisy", "very noisy"}]
    assert rest["band"] > 0
    assert rest["winner"]["noisy"] == "very noisy"  # as the printed .4 of three classes is
    (tmp_path / "own.toml").write_text(
        'stage = "sizes"\ndatasets = ["Tiny"]\ncalibration = [{ metric = "class_size" }]')
    assert main(["identify", "toy", "--mine", str(tmp_path / "own.toml"), "--output", str(tmp_path)]) == 0


def test_a_strangers_file_is_searched_in_private_and_gives_one_page(printed, tmp_path, capsys, monkeypatch):
    before = digest(paths.data_dir())
    (tmp_path / "own.toml").write_text(
        'datasets = ["Tiny"]\ncalibration = [{ method = "noisy", task = 1 }]\n'
        'loader = "experiments_support:tiny"\nn_runs = 2\n[data]\nn = [30, 90]\n', encoding="utf-8-sig")
    monkeypatch.setattr(paths, "runs_dir", None)
    out = tmp_path / "out"
    assert main(["identify", "toy", "--mine", str(tmp_path / "own.toml"), "--output", str(out)]) == 0
    page = capsys.readouterr().out
    order = ["Where printed numbers of noisy may come from (mine)", "2 hypotheses", "bootstrap",
             "noise band", "2 of each is too few", "\nnot told apart", "without one part", "permuted print",
             "luckiest", "Calibration", "Hold-out rows"]
    assert sorted(order, key=page.index) == order
    found = json.loads((out / "identify.json").read_text(encoding="utf-8"))["mine"]
    assert f"| {100 * found['distance']:.4g}, {100 * found['next']:.4g}, " in page  # points
    assert "; noisy" in page and "noisy noisy" not in page
    assert digest(paths.data_dir()) == before
    assert (out / "mine.html").exists()
    assert len(pd.read_csv(out / "identify-mine.csv.gz")) == 2
    assert main(["identify", "toy", "--output", str(out)]) == 2, "for the committed results it would renew"


def test_a_function_that_yields_data_sets_is_a_search_and_a_protocols_search_runs_in_private(
        printed, tmp_path, capsys):
    (tmp_path / "two_guesses.py").write_text(
        "from dataclasses import replace\nimport experiments_support as s\n"
        "def guesses(sizes=(30, 60, 90)):\n    for n in sizes:\n"
        "        yield replace(s.tiny(n), name='Tiny')\ndef one():\n    yield from guesses([30])\n")
    before = digest(paths.data_dir())
    assert main(["identify", "toy", "--mine", "two_guesses:guesses"]) == 0
    assert "3 hypotheses" in capsys.readouterr().out
    assert main(["identify", "toy", "--mine", "two_guesses:one", "--output", "one"]) == 0
    assert ", none, " in capsys.readouterr().out
    assert main(["identify", "toy", "--search", "tiny"]) == 0
    assert "wrote identified" in capsys.readouterr().out
    assert digest(paths.data_dir()) == before


def test_where_no_data_can_be_clustered_the_error_of_the_fits_is_told(printed, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("experiments_support.Noisy.fit", lambda self, Xs: 1 / 0)
    (tmp_path / "one_guess.py").write_text(
        "from dataclasses import replace\nimport experiments_support as s\n"
        "def f():\n    yield replace(s.tiny(), name='Tiny')\n")
    assert main(["identify", "toy", "--mine", "one_guess:f"]) == 2
    assert "every fit failed: ZeroDivisionError: division by zero" in capsys.readouterr().err


@pytest.mark.parametrize(("means", "cells", "said"), [
    (0.0, "{ m", "no hypothesis gives every cell of its calibration, all above 0"),
    (0.5, '{ metric = "RI", task = 1, m', "its calibration calls 1 printed cells; 2 or more are needed")])
def test_a_spread_of_ratios_needs_two_cells_above_0(means, cells, said, printed, tmp_path, capsys):
    printed(np.full(10, means))
    (tmp_path / "a.toml").write_text(BY_THE_TOY.replace("{ m", cells) + 'criterion = "log-sd"\n'
                                     'loader = "experiments_support:tiny"')
    assert main(["identify", "toy", "--mine", str(tmp_path / "a.toml"), "--output", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("name", ["identify.json", "mine.html"])
def test_a_search_of_one_s_own_replaces_nothing_but_its_own_results(name, printed, tmp_path, capsys):
    (tmp_path / "own.toml").write_text(
        BY_THE_TOY + 'loader = "experiments_support:tiny"\n[data]\nn = [30, 90]\n', encoding="utf-8")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).write_text('["mine"]', encoding="utf-8")
    call = ["identify", "toy", "--mine", "own.toml", "--output"]
    for folder, said in (("out", f"{name} is not of this command"), (" ", "the name of the folder is empty"),
                         (str(paths.data_dir() / "toy"), "is among the committed results"),
                         ("own.toml", "own.toml cannot be written to")):
        assert main([*call, folder]) == 2
        assert said in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "out").iterdir()] == [name]
    (tmp_path / "out" / name).unlink()
    assert main([*call, "out"]) == main([*call, "out"]) == 0


def test_data_may_be_called_by_the_name_of_their_loader_where_it_determines_the_printed_one():
    name, document = identify._printed_name, {"datasets": {
        "Reuters": {"loader": "mtcmrl-reuters", "published": "Reuters"},
        "Reuters (counts)": {"loader": "mtcmrl-reuters", "published": "Reuters"},
        "Reuters (halves)": {"loader": "mtcmrl-reuters"},
        "A": {"loader": "both", "published": "A"}, "B": {"loader": "both", "published": "B"}}}
    assert name("mtcmrl-reuters", document) == name("Reuters", document) == "Reuters"
    assert name("both", document) == "both"


@pytest.mark.parametrize(("name", "metrics"), [("mbc-tr23", {"NMI", "ARI"}),
                                               ("lmsc-cornell", {"NMI", "RI", "purity"})])
def test_what_a_fit_gives_without_classes_and_averages_over_tasks_choose_nothing(name, metrics, monkeypatch):
    data = runs.load_dataset("experiments_support:tiny", {})[0]
    monkeypatch.setattr(identify, "_all_yielded", lambda _: [dataclasses.replace(data, name=name)])
    protocol = identify.mine(name.partition("-")[0], "own:data")
    cells = identify.calibration(protocol, protocol.identify["mine"])
    assert (set(cells["metric"]), set(cells["task"])) == (metrics, {"1", "2"})


BY_THE_TOY = 'datasets = ["Tiny"]\nn_runs = 1\ncalibration = [{ method = "noisy" }]\n'


@pytest.mark.parametrize(("given", "content", "said"), [
    ("nothing", "", "No module named"), ("", "", "give a .toml file, or MODULE:FUNCTION"),
    ("g_mine:absent", "x = 1", "no attribute 'absent'"),
    ("os:getcwd", "", "no mtclib.datasets.Dataset but str"), ("a_mine:f", "f = list", "Dataset but nothing"),
    ("b_mine:f", "1 / 0", "ZeroDivisionError"), ("c_mine:f", "def f(:", "SyntaxError"),
    ("d_mine:f", "def f(): 1 / 0", "ZeroDivisionError"), ("e_mine:f", "raise SystemExit", "SystemExit"),
    ("absent.toml", "", "cannot be read"), ("a.toml", "x = [", "is not valid TOML"),
    ("a.toml", 'datasets = ["Tiny"]\ncalibration = 3', "calibration must be array"),
    ("a.toml", 'datasets = ["Tiny"]\ncalibration = [3]', "calibration 1 must be object"),
    ("a.toml", 'datasets = "Tiny"\ncalibration = []', "datasets must be array"),
    ("a.toml", BY_THE_TOY + 'loader = "f_mine:f"', "No module named"),
    ("h_mine:f", "import itertools\nimport experiments_support as s\nf = lambda: itertools.repeat(s.tiny())",
     "more than 200 data sets"),
    ("i_mine:f", "from dataclasses import replace\nimport experiments_support as s\n"
     "f = lambda: [replace(s.tiny(), name='Tiny'), replace(s.tiny(), name='Other')]", "'Tiny' and 'Other'"),
    ("a.toml", BY_THE_TOY.replace("= 1", "= 0"), "n_runs must be in 1 .. 1,000,000, not 0"),
    ("a.toml", BY_THE_TOY + f"n_permutations = {10**20}", "n_permutations must be in 1 .. 1,000,000"),
    ("a.toml", BY_THE_TOY.replace("{ method", "{ methode"), "column must be one of"),
    ("a.toml", BY_THE_TOY.replace("noisy", "noise"), "calibration: method must be one of 'noisy'"),
    ("a.toml", BY_THE_TOY.replace("{ m", "{ task = 3, m"), "task must be one of '1', '2'; got '3'"),
    ("j_mine:f", "import numpy as np\nfrom mtclib.datasets import Dataset\n"
     "f = lambda: [Dataset('Tiny', 'multitask', [np.eye(9)], [np.arange(9) % 3])]", "data set of yours 1"),
    ("a.toml", BY_THE_TOY.replace("]", ', "Found"]', 1), "printed numbers that no other of them stands for"),
    ("a.toml", BY_THE_TOY + 'permute_within = ["colour"]', "column must be one of"),
    ("a.toml", BY_THE_TOY + 'metrics = { NMI = ["NMI_mean"] }', "metrics must be one of"),
    ("a.toml", BY_THE_TOY + 'only = { weight = ["Tiny"] }', "only has nothing to choose from"),
    ("a.toml", BY_THE_TOY + 'leave_out = ["colour"]', "column must be one of"),
    ("a.toml", f"{BY_THE_TOY}[data]\na = {[*range(2000)]}\nb = {[*range(2000)]}", "4,000,000 combinations"),
    ("k.toml", BY_THE_TOY + 'loader = "builtins:exit"\n[data]\ncode = [1]', "ended in SystemExit")])
def test_what_is_wrong_with_a_search_of_one_s_own_is_told_in_one_sentence(
        given, content, said, printed, tmp_path, capsys):
    if content:
        name = given if given.endswith(".toml") else f"{given.partition(':')[0]}.py"
        (tmp_path / name).write_text(content, encoding="utf-8")
    capsys.readouterr()
    assert main(["identify", "toy", "--mine", given]) == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert told.startswith(f"error: --mine {given}")
    assert said in told


def test_chance_is_no_find_in_a_strangers_search_although_all_track_how_methods_and_metrics_differ(tmp_path):
    (tmp_path / "a.toml").write_text('datasets = ["WebKB4"]\ncalibration = [{ method = "k-means" }, '
                                     '{ method = "SNMF" }]\n', encoding="utf-8")
    protocol = identify.mine("mtcmrl", str(tmp_path / "a.toml"))
    search, rng = dataclasses.replace(protocol.identify["mine"], n_permutations=99), np.random.default_rng(0)
    cells = identify.calibration(protocol, search)
    level = cells.groupby(["method", "metric"])["mean"].transform("mean").to_numpy()
    p = [evidence.permutation_test(level + rng.normal(0, 0.08, (12, len(cells))), cells, search)["p"]
         for _ in range(40)]
    assert np.median(p) > 0.2


@pytest.mark.parametrize(("tied", "least", "most"), [(2, 0.08, 0.25), (10, 0.5, 1.0)])
def test_how_often_the_band_tells_equal_hypotheses_apart_is_what_the_page_says(tied, least, most):
    rng, missed = np.random.default_rng(0), []
    for values in rng.normal(PRINT[None, None, :, None], 0.1, (300, tied, N, evidence.FEW)):
        distance, errors = (measure(of, CELLS, spec()) for measure, of in (
            (evidence.distances, values.mean(axis=2)), (evidence.noise, values)))
        missed.append(not evidence.not_told_apart(distance, errors).all())
    assert least < np.mean(missed) < most


N = 12
CELLS = pd.DataFrame({"cell": [f"c{i}" for i in range(N)], "task": [str(i % 2) for i in range(N)],
                      "metric": "ACC", "mean": np.linspace(0.2, 0.9, N), "half_unit": 0.00005})
PRINT = CELLS["mean"].to_numpy()


def spec(criterion="distance", stage="distances", **further):
    return runs.protocol.SearchSpec("s", ["D"], [{}], stage=stage, criterion=criterion, leave_out=["task"],
                                    n_permutations=200, **further)


def found(offsets, noise=None, search=None):
    """Summary for hypotheses that miss print by these offsets, (hypotheses, cells)."""
    table = pd.DataFrame(np.round(PRINT + offsets, 6), columns=CELLS["cell"])
    table.insert(0, "choice", [f"h{i}" for i in range(len(table))])
    table = table if noise is None else table.assign(noise=noise)
    return evidence.summary(table, ["choice"], CELLS, search or spec())


@pytest.mark.parametrize("criterion", list(evidence.CRITERIA))
def test_each_criterion_is_its_formula_and_a_failed_fit_never_wins(criterion):
    ours = np.stack([PRINT * 1.1, PRINT + 0.01, np.full(N, np.nan), np.minimum(PRINT, np.arange(N))])
    plain = {"distance": np.abs(ours - PRINT).mean(axis=1), "misses": [N, N, np.inf],
             "log-sd": np.log(PRINT / ours[:3]).std(axis=1, ddof=1)}[criterion]
    measured = evidence.distances(ours, CELLS, spec(criterion))
    table = pd.DataFrame(ours, columns=CELLS["cell"]).assign(choice="h")
    alone = evidence.folds(table, ["choice"], CELLS[:2], spec(criterion))
    assert len(alone) == 2 * (criterion != "log-sd"), "one cell has no spread"
    assert measured[:2] == pytest.approx(np.asarray(plain)[:2], abs=1e-12)
    assert np.isinf(measured[2:]).tolist() == [True, criterion == "log-sd"], "0 has no logarithm"


def test_a_planted_winner_wins_every_bootstrap_sample_every_fold_and_no_permutation_reaches_it():
    rng = np.random.default_rng(0)
    result = found(np.vstack([rng.normal(scale=0.1, size=(20, N)), np.zeros(N)]), noise=0.001)
    assert (result["winner"], result["won"]["winner"]) == ({"choice": "h20"}, 1.0)
    assert result["not_told_apart"]["n"] == 1
    assert all(fold["rank"] == 1 for fold in result["folds"])
    assert result["permutations"]["reached"] == 0
    assert result["distance"] < 1e-6 < result["next"]


def test_a_planted_tie_is_reported_as_a_tie_and_a_third_hypothesis_is_told_apart():
    sides = 0.02 * (-1.0) ** np.arange(N)
    result = found(np.stack([sides, -sides * 1.05, 10 * sides]), noise=0.002)
    assert result["not_told_apart"]["values"] == {"choice": ["h0", "h1"]}
    assert result["distance"] < result["next"] < result["distance"] + result["band"]
    assert result["won"]["not told apart"] == 1.0
    uneven = pd.DataFrame({"distance": [0.055, 0.180], "noise": [0.019, 0.100]}).to_numpy()
    assert evidence.not_told_apart(*uneven.T).all()
    assert evidence._bands(*uneven.T)[1] > 0.180 - 0.055
    apart = found(np.stack([sides, -sides * 1.05, 10 * sides]), noise=0.0001)
    assert apart["not_told_apart"]["n"] == 1


def test_hypotheses_that_give_the_same_values_count_once_and_share_what_they_win():
    sides = 0.02 * (-1.0) ** np.arange(N)
    result = found(np.stack([sides, sides, -sides, 5 * sides]))
    assert (result["hypotheses"], result["distinct"]) == (4, 3)
    assert result["not_told_apart"]["values"] == {"choice": ["h0", "h1", "h2"]}
    assert result["won"]["winner"] == pytest.approx(0.5, abs=0.02)
    assert result["band"] is None


def test_the_noise_of_a_distance_is_the_standard_error_over_seeds():
    drawn = np.random.default_rng(1).normal(scale=0.01, size=15)
    values = PRINT[None, :, None] + 0.1 + drawn
    expected = drawn.std(ddof=1) / np.sqrt(15)
    assert evidence.noise(values, CELLS, spec())[0] == pytest.approx(expected)
    assert np.isnan(evidence.noise(values[:, :, :1], CELLS, spec())).all()


def test_sizes_are_permuted_as_what_is_missing_from_the_whole():
    cells = CELLS.assign(mean=1000.0 + np.arange(N), half_unit=0.5)
    dropped = np.arange(N) % 4
    ours = np.stack([cells["mean"].to_numpy(), cells["mean"] + dropped])
    test = evidence.permutation_test(ours, cells, spec("misses", "sizes"))
    assert test["reached"] < 10  # the same drops on other classes fit no rule
    nothing = evidence.permutation_test(ours[:1], cells, spec("misses", "sizes"))
    assert nothing["reached"] == nothing["n"]  # where nothing is missing, permuting says nothing


def test_deterministic_rows_and_whole_numbers_of_samples_are_fingerprints_and_means_of_runs_are_not():
    cells, protocol = published.load("lmsc"), runs.load_protocol("lmsc")
    marked = identify.fingerprints(cells, protocol)
    whole = marked[marked["count"].notna()]
    methods = set(whole.loc[whole["dataset"] == "3Sources", "method"])
    assert {"AWP", "LLMC"} <= methods - {"SNMF"} == methods
    one = whole[(whole["dataset"] == "3Sources") & (whole["method"] == "AWP")].iloc[0]
    assert abs(one["count"] / 42 - one["mean"]) <= one["half_unit"] * 1.0001
    spread = identify.fingerprints(published.load("mtcmrl"), runs.load_protocol("mtcmrl"))
    assert (spread.loc[spread["count"].isna(), "std"] == 0).all()
    assert len(spread) > 5


def test_sizes_are_read_in_the_printed_order_and_taken_from_data_without_clustering():
    cells = published.size_cells("mtcmrl").set_index("cell")["mean"]
    assert (cells["mtcmrl:Reuters:2:class_size:3"], cells["mtcmrl:Reuters:1:n_features:"]) == (37, 6439)
    ((choice, sizes),) = identify.sizes(runs.load_dataset("experiments_support:tiny", {"n": 31})[0], {})
    assert not choice
    assert [sizes["1", str(i), "class_size"] for i in (1, 2, 3)] == [11, 10, 10]
    assert [sizes[where] for where in (("2", "", "n_features"), ("", "", "n_features"))] == [4, 4]
    assert sizes["", "", "n_samples"] == 68
    ((_, sizes),) = identify.sizes(runs.load_dataset("experiments_support:views", {})[0], {})
    assert sizes["", "", "n_classes"] == 3
