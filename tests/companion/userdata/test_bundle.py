"""Results of a user's own data: one bundle that never destroys, and tables that are safe to open."""

import csv
import errno
import io
import json
import logging
import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from adversary.families import digest

from mtclib.baselines import wmsc
from mtclib.companion.cli import main
from mtclib.companion.comparison import advice
from mtclib.companion.userdata import bundle, cost, load
from mtclib.companion.userdata.run import cluster
from mtclib.core import paths

pytestmark = pytest.mark.usefixtures("own_folder")


@pytest.fixture(scope="module")
def result():
    return cluster(load.example("tasks"), ["KMeans", "SNMF"])


def names(folder):
    return sorted(path.name for path in Path(folder).iterdir())


def test_a_bundle_has_a_manifest_with_version_parameters_and_hashes_of_all_that_was_read_and_written(result):
    result.save("new/folder")
    manifest = json.loads(Path("new/folder/manifest.json").read_text(encoding="utf-8"))
    assert manifest["version"] == bundle.__version__
    assert manifest["parameters"]["n_clusters"] == [3, 3, 3]
    assert [source["file"] for source in manifest["inputs"]] == ["north.csv", "south.csv", "west.csv"]
    assert sorted(manifest["outputs"]) == [name for name in names("new/folder") if name != bundle.MANIFEST]
    assert digest("new/folder").items() >= manifest["outputs"].items()


def test_an_earlier_bundle_is_replaced_as_a_whole_and_it_is_said(result, caplog):
    caplog.set_level("INFO", "mtclib")
    result.save("out", draw=lambda folder: (folder / "older.txt").write_text("x"))
    assert "replaced" not in caplog.text
    result.save("out")
    assert "replaced the earlier results in" in caplog.text
    assert "older.txt" not in names("out")
    assert names(".") == ["out"]


@pytest.mark.parametrize(("make", "message"), [
    (lambda: Path("out/notes.txt").write_text("mine"), "'notes.txt', which this command has not written"),
    (lambda: Path("out/report.txt").write_text("mine"), "'report.txt', changed since this command wrote it"),
    (lambda: Path("out/manifest.json").write_text("{"), "'agreement.csv', .*has not written"),
])
def test_what_is_not_an_earlier_bundle_as_it_was_written_is_refused_by_name(make, message, result):
    result.save("out")
    make()
    before = digest("out")
    with pytest.raises(bundle.BundleError, match=message):
        result.save("out")
    assert digest("out") == before


@pytest.mark.parametrize(("folder", "message"), [
    ("", "the name of the folder is empty"), (".", "is the current folder or holds it"),
    ("..", "is the current folder or holds it"), ("file", "is a file"), ("file/out", "cannot be written"),
    ("~nosuchuser/out", "cannot be a path here"), ("foreign", "holds 'manifest.csv'"),
    ("loop", "cannot be a path here"), ("kept", "may not be changed by you; .* make it writable"),
    ("disk", "is where a disk is mounted.* such as '.*disk.clusters'"),
])  # fmt: skip
def test_no_other_place_is_written_to(folder, message, monkeypatch):
    Path("loop").symlink_to("loop")
    Path("file").write_text("mine")
    Path("foreign").mkdir()
    Path("foreign/manifest.csv").write_text("mine")
    Path("disk").mkdir()
    Path("kept").mkdir()
    monkeypatch.setattr(Path, "is_mount", lambda place: place.name == "disk")
    monkeypatch.setattr(os, "access", lambda place, _: place.name != "kept")
    with pytest.raises(bundle.BundleError, match=message):
        bundle.check(folder)


def test_a_full_disk_is_said_with_the_path_and_leaves_what_was_there(result):
    def full(folder):
        (folder / "half.png").write_bytes(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    result.save("out")
    before = digest(".")
    with pytest.raises(bundle.WriteError, match=r"/out: .*No space left on device\); make room"):
        result.save("out", draw=full)
    assert digest(".") == before


@pytest.mark.parametrize("name", ["out", "x" * 250, *["\udcff"] * (sys.platform == "linux")])
@pytest.mark.parametrize("killed", [False, True])
def test_earlier_results_are_in_their_place_again_after_a_writer_was_stopped_between_old_and_new(
        name, killed, result, monkeypatch, caplog):
    caplog.set_level("INFO")
    result.save(name)
    before, rename, calls = Path(name, bundle.MANIFEST).read_bytes(), Path.rename, []

    def stopped(path, target):
        calls.append(path)
        if len(calls) == 2 or killed and len(calls) > 2:
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", stopped)
    with pytest.raises(KeyboardInterrupt):
        result.save(name)
    monkeypatch.setattr(Path, "rename", rename)
    assert Path(name).exists() != killed, "Ctrl-C puts back by itself; after a kill the next run does"
    bundle.check(name)
    assert Path(name, bundle.MANIFEST).read_bytes() == before
    assert [path.name for path in Path().iterdir() if path.name.startswith(".")] == []
    assert caplog.text.encode("utf-8").count(b"put back") == killed


@pytest.mark.parametrize("busy", [False, True])
def test_results_are_kept_elsewhere_if_the_folder_is_busy_or_got_another_file_in_the_meantime(
        busy, result, monkeypatch):
    def move(path, target):
        if busy and path.name == "out":
            raise OSError(errno.EBUSY, "Device or resource busy")
        return rename(path, target)

    def late(folder):
        Path("out/late.txt").write_text("mine")

    result.save("out")
    before, rename = digest("out"), Path.rename
    monkeypatch.setattr(Path, "rename", move)
    why = r"cannot be replaced \(Device" if busy else "holds 'late.txt'"
    with pytest.raises(bundle.BundleError, match=f"{why}.*; the results are in ") as said:
        result.save("out", draw=None if busy else late)
    assert {"report.txt", bundle.MANIFEST} <= set(names(str(said.value).rpartition(" in ")[2]))
    assert digest("out").items() >= before.items()
    assert busy or Path("out/late.txt").read_text() == "mine"


def own_csv(folder=".", stem="own", **columns):
    path = Path(folder, f"{stem}.csv")
    rng = np.random.default_rng(0)
    values = pd.DataFrame(rng.normal(size=(20, 2)) + 9 * (np.arange(20) % 2)[:, None], columns=["a", "b"])
    values.assign(**columns).to_csv(path, index=False, quoting=csv.QUOTE_NONNUMERIC)
    return str(path)


def test_inputs_in_the_output_folder_are_refused_before_anything_runs(capsys):
    Path("here").mkdir()
    path = own_csv("here")
    before = digest(".")
    assert main(["cluster", path, "--output", "here"]) == 2
    assert "--output: here holds the input" in capsys.readouterr().err
    assert digest(".") == before


def test_the_command_marks_formulas_in_its_tables_and_leaves_them_if_asked(capsys):
    ids = ["=1+1", "+cmd", "-x", "@sum", "-5", "1e3", "001", "c\rd", *map(str, range(10, 22))]
    call = ["cluster", own_csv(name=ids), "--id-column", "name", "--n-clusters", "2"]
    call += ["--method", "spectral njw"]
    assert main(call) == 0
    assert "Clusters by Spectral NJW" in capsys.readouterr().out
    table = pd.read_csv("clusters/clusters-SpectralNJW.csv", dtype=str)
    assert table["sample"].tolist() == ["'=1+1", "'+cmd", "'-x", "'@sum", *ids[4:]]
    assert table["cluster"].nunique() == table["cluster"][:2].nunique() == 2
    assert main([*call, "--raw"]) == 0
    assert pd.read_csv("clusters/clusters-SpectralNJW.csv", dtype=str)["sample"].tolist() == ids


def test_numbers_of_clusters_are_proposed_where_a_task_has_no_known_class(capsys):
    files = [own_csv(stem="known", y=[*"uvwx"] * 5), own_csv(stem="bare", y="")]
    assert main(["cluster", *files, "--label-column", "y", "--method", "KMeans", "--n-runs", "1"]) == 0
    assert re.search("three candidates.*Used below: 4, 2:", capsys.readouterr().out, re.DOTALL)


def test_views_are_clustered_with_what_was_done_to_each_file_said_and_reported(capsys):
    words = np.random.default_rng(0).poisson(np.repeat(np.eye(2), 10, axis=0).repeat(5, axis=1))
    pd.DataFrame(words).rename(columns=str).to_csv("words.csv", index=False)
    call = ["cluster", own_csv(), "words.csv", "--kind", "views", "--n-runs", "1", "--header"]
    assert main([*call, "--n-clusters", "2"]) == 0
    printed, report = capsys.readouterr().out, Path("clusters/report.txt").read_text(encoding="utf-8")
    for said in ("own: measurements, each feature scaled to a range of 2", "words: counts, as tf-idf with"):
        assert said in printed
        assert said in report
    assert "--scaling none leaves the entries as they are" in printed
    assert advice.promise("views") in printed
    assert "| task" not in printed
    assert pd.read_csv("clusters/clusters-LandmarkSpectral.csv")["group"].nunique() == 2
    assert main(call) == 0
    assert advice.promise("views", "unknown") in capsys.readouterr().out


def test_results_are_written_even_if_nobody_reads_what_is_printed(monkeypatch):
    class Gone(io.StringIO):
        def write(self, text):
            raise BrokenPipeError
    monkeypatch.setattr(sys, "stdout", Gone())
    assert main(["cluster", own_csv(), "--n-clusters", "2", "--method", "KMeans", "--n-runs", "1"]) == 0
    assert "clusters-KMeans.csv" in names("clusters")


@pytest.mark.parametrize(("options", "said"), [
    (["none.csv", "--seed", "-1"], "--seed must be an integer of at least 0, not -1"),
    (["none.csv", "--kind", "view"], "--kind must be one of 'tasks', 'views'; got 'view'"),
    (["none.csv", "--scaling", "minmx"], "--scaling must be one of .*; got 'minmx'. Did you mean 'minmax'"),
    (["none.csv", "--method", "MTCMLR"], "--method must be one of .*; got 'MTCMLR'. Did you mean 'MTCMRL'"),
    (["none.csv", "--method", "MSPL"], "--method: MSPL takes views, .* Methods that fit: ASI, "),
    (["\x1b[2Jnone.csv"], "error: \ufffd.2Jnone.csv: there is no such file"),
    (["x" * 300 + ".csv"], "paths: .* cannot be a path here .*too long"),
    (["methods.csv"], "error: methods.csv: there is no such file"),
    (["own.csv", "--n-clusters", "2", "3"], "no file '3'; join numbers of clusters by commas, as in 2,3"),
    (["own.csv", "--method", "KMeans", "MBC"], "no file 'MBC'; repeat --method for each"),
    (["own.csv", "--n-clusters", "99"], "--n-clusters is 99 but own has only 10 sample"),
    (["words.csv"], "column 'n_clusters' does not hold numbers .* give --id-column 'n_clusters'"),
    (["bare.csv"], "looks like data.* --no-header if no file has one"),
    (["own.csv", "--n-clusters", "2", "--n-jobs", "9" * 11], "--n-jobs must be an integer >= 1, and of"),
    (["own.csv", "--n-clusters", "9,9"], "--n-clusters has 2 entries for 1 task"),
    (["negative.csv", "--scaling", "tfidf-l2"], "negative: cannot be scaled by 'tfidf-l2': counts must not"),
    (["small.csv"], "small.csv: the largest entry is 1.9e-299, .*divide the columns by a power of ten"),
])  # fmt: skip
def test_what_does_not_suit_is_refused_in_the_words_of_the_command_before_files_are_read(
        options, said, capsys):
    for name, entries in (("own", 1.0), ("negative", -1.0), ("small", 1e-300)):
        table = pd.DataFrame(entries * np.arange(20.0).reshape(10, 2), columns=["a", "b"])
        table.to_csv(f"{name}.csv", index=False)
    pd.DataFrame({"a": [1, 2], "n_clusters": ["u", "v"]}).to_csv("words.csv", index=False)
    Path("bare.csv").write_text("1,5,9\n2,3,4\n", encoding="utf-8")
    assert main(["cluster", *options]) == 2
    assert re.search(said, capsys.readouterr().err)


def test_a_file_that_is_called_like_an_option_is_said_how_to_name(capsys):
    with pytest.raises(SystemExit):
        main(["cluster", own_csv(stem="-x")])
    assert "-x.csv begins like an option; for the file of that name write ./-x.csv" in capsys.readouterr().err
    assert main(["cluster", "./-x.csv", "--method", "KMeans", "--n-clusters", "2", "--id-column", ""]) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there the current folder cannot be removed")
def test_a_current_folder_that_is_gone_is_said(tmp_path, monkeypatch, capsys):
    path = own_csv(tmp_path)
    Path("gone").mkdir()
    monkeypatch.chdir("gone")
    os.rmdir(tmp_path / "gone")
    assert main(["cluster", path, "--output", str(tmp_path / "out")]) == 1
    assert "the current folder was removed; change to another one" in capsys.readouterr().err


def test_what_is_told_on_the_way_steers_no_terminal(capsys, monkeypatch):
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    name = own_csv(stem="\x1b[2J", **{"class": np.arange(20) % 2})
    assert main(["cluster", name, "--method", "KMeans", "--n-clusters", "2"]) == 0
    printed, told = capsys.readouterr()
    assert "\ufffd[2J.csv: the column 'class' counts as a feature" in told
    assert "\x1b" not in printed + told


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_too_few_rows_for_a_proposal_are_a_sentence(rows, capsys):
    Path("x.csv").write_text("a,b\n" + "1,2\n" * rows, encoding="utf-8")
    assert main(["cluster", own_csv(), "x.csv"]) == 2
    assert "too few to propose a number of clusters; give --n-clusters" in capsys.readouterr().err


def test_long_fits_are_announced_and_very_long_ones_wait_for_a_yes(monkeypatch, capsys):
    call = ["cluster", own_csv(), "--n-clusters", "2", "--method", "KMeans", "--n-runs", "1"]
    monkeypatch.setattr(cost, "_one", lambda *args: (100.0, 1.0))
    assert main(call) == 0
    assert "The fits may take about 2 min (KMeans 2 min)" in capsys.readouterr().err
    for found, why in (((1000.0, 1.0), "error: The fits may take 17 min. Of the methods that fit"),
                       ((1.0, 1e9), "error: KMeans may need 976562 GB of memory")):
        monkeypatch.setattr(cost, "_one", lambda *args, found=found: found)
        assert main(call) == 2
        assert why in capsys.readouterr().err
        assert main([*call, "--yes"]) == 0


GROWN = pd.read_csv(paths.data_dir() / "growth.csv", index_col=["method", "varied"]).loc[("WMSC", "n")]


class Views:
    kind, Xs, task_names = "multiview", [np.zeros((GROWN["to"], 50))] * 3, ["a", "b", "c"]


ALL_PAIRS = {"WMSC": {"landmarks": "never"}, "MSPL": {}}
WORDS = sp.csr_array((np.ones(800_000), np.arange(800_000) % 10_000, np.arange(0, 800_001, 40)))


def test_estimates_follow_the_measured_growth_and_files_that_stay_where_they_are_take_no_memory(
        monkeypatch, tmp_path):
    found = cost.estimates(Views, ALL_PAIRS, [4])
    assert cost.estimates(Views, ALL_PAIRS, [4], n_runs=1, n_jobs=1000).equals(found)
    assert found.loc["WMSC", "seconds"] == pytest.approx(GROWN["seconds"], rel=0.2)
    assert found.loc["MSPL", "seconds"] < 5
    few = type("Few", (Views,), {"Xs": [np.zeros((4, 1))] * 3})
    assert 8 < cost.estimates(few, {"MSPL": {}}, [2], n_runs=1000)["seconds"].item() < 80
    monkeypatch.setattr(Views, "Xs", [np.memmap(tmp_path / "X", float, "w+", shape=(GROWN["to"], 50))] * 3)
    mapped = found["megabytes"] - cost.estimates(Views, ALL_PAIRS, [4])["megabytes"]
    assert mapped.to_dict() == {"WMSC": 0, "MSPL": pytest.approx(2 * 3 * GROWN["to"] * 50 * 8 / 2**20)}


def test_memory_is_estimated_as_what_a_fit_holds_at_the_least(monkeypatch, tmp_path):
    """In files, so that neither the data nor copies count."""
    monkeypatch.setattr(Views, "Xs", [np.memmap(tmp_path / "X", np.float32, "w+", shape=(10**6, 10))] * 3)
    measured, many = (cost.estimates(Views, ["LandmarkSpectral"], [k])["megabytes"].item() for k in (10, 50))
    wide = type("Wide", (Views,), {"Xs": [np.broadcast_to(0.0, (300, 20_000))] * 2})
    assert 68 < cost.estimates(wide, ["MSPL"], [5])["megabytes"].item() < 272, "136 were measured"
    wide.Xs = [WORDS] * 2
    told = cost.estimates(wide, ["ConMC", "LandmarkSpectral"], [10])["megabytes"].tolist()
    assert told == pytest.approx([67, 92], rel=0.5), "as was measured"
    read = pd.read_csv
    monkeypatch.setattr(pd, "read_csv", lambda *args, **options: read(*args, **options).assign(MB=0.0))
    held = cost.estimates(Views, ["LandmarkSpectral"], [10])["megabytes"].item()
    assert held == 10**6 * (3 * 8 * (2 + 4) + 10 * 4 + 16) / 2**20 <= measured <= many <= 1000
    tasks = type("Tasks", (), {"kind": "multitask", "Xs": [np.zeros((1000, 1))] * 2})
    assert cost.estimates(tasks, ["KMeans"], [10])["megabytes"].item() == 2000 * (16 + 2 * 8) / 2**20


def test_estimates_are_of_what_is_fitted_where_samples_are_many(monkeypatch):
    names = ["WMSC", "MultiViewConsensus", "LandmarkSpectral", "ConMC"]
    found = cost.estimates(Views, names, [4])
    assert found.loc["WMSC"].equals(found.loc["LandmarkSpectral"])
    both = found.loc[["LandmarkSpectral", "ConMC"]]
    assert found.loc["MultiViewConsensus"].tolist() == [both["seconds"].sum(), both["megabytes"].max()]
    own = cost.estimates(Views, {"MultiViewConsensus": {"members": ["Ward", "k-means"]}}, [4])
    assert not own.loc["MultiViewConsensus"].equals(found.loc["MultiViewConsensus"])
    monkeypatch.setattr(Views, "Xs", [np.zeros((wmsc.MANY, 50))] * 3)
    few = cost.estimates(Views, names, [4])["seconds"]
    assert few["WMSC"] > few["LandmarkSpectral"]


@pytest.mark.parametrize(("kind", "name", "seconds", "factor", "Xs"), [
    *(("multiview", "LandmarkSpectral", seconds, 2, [np.broadcast_to(0.0, (n, 50))] * 3)
      for n, seconds in ((8_000, 3.1), (32_000, 5.9), (128_000, 10.0), (10**6, 20.0))),
    *(("multitask", name, seconds, 5, [np.broadcast_to(0.0, (400, 5000))] * 2) for name, seconds in (
        ("SPMTC", 0.4), ("MTCMRL", 9.1), ("KMeans", 0.09), ("MBC", 0.09), ("ASI", 0.6))),
    ("multitask", "MTSC", 101.0, 5, [WORDS[:3000, :5000]] * 3), ("multiview", "ConMC", 0.3, 5, [WORDS] * 2),
    ("multiview", "MSPL", 0.48, 8, [np.broadcast_to(0.0, (30_000, 10))] * 3)])
def test_time_is_estimated_of_many_samples_of_wide_tasks_and_of_words(kind, name, seconds, factor, Xs):
    data = type("Data", (Views,), {"kind": kind, "Xs": Xs})
    assert 1 / factor < cost.estimates(data, [name], [4])["seconds"].item() / seconds < factor


@pytest.mark.parametrize(("n_jobs", "said"), [(1, "take 33 min"), (2, "take 17 min"), (3, "need 2 GB")])
def test_methods_share_the_processes_and_their_memory(n_jobs, said, monkeypatch):
    monkeypatch.setattr(cost.os, "cpu_count", lambda: 8)
    monkeypatch.setattr(cost.psutil, "virtual_memory", lambda: SimpleNamespace(available=1.7 * 2**30))
    monkeypatch.setattr(cost, "_one", lambda *args: (1000.0 if n_jobs < 3 else 1.0, 800.0))
    assert said in cost.verdict(Views, ["MSPL", "ConMC", "WMSC"][:max(n_jobs, 2)], 4, 1, n_jobs)[1]


def test_the_recommended_method_is_proposed_first_where_one_takes_too_long():
    _, problem = cost.verdict(Views, [{"WMSC": {"landmarks": "never"}}, "CoregSpectral"], 4, 10, 1)
    assert "these take less: LandmarkSpectral" in problem
    assert cost.verdict(Views, ["WMSC"], 4, 10, 1)[1] == ""
