"""A user's own files: what is read, what is matched, and what is refused with which words."""

import csv
import io
import os
import pickle
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp

from mtclib.companion.userdata import contents, files, load as loading
from mtclib.companion.userdata.files import DataFileError, read_table, split_path
from mtclib.companion.userdata.load import load, load_tasks, load_views
from mtclib.companion.userdata.run import cluster
from mtclib.core import large
from mtclib.datasets import comparison

pytestmark = pytest.mark.usefixtures("own_folder")
MATLAB_73 = b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM" + b"\0" * 400
NUMBERS = np.arange(6.0).reshape(3, 2)


def put(name, content):
    """Write text, bytes, a frame, an array, or arrays by name, as the ending asks; the name."""
    if isinstance(content, str | bytes):
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    elif isinstance(content, pd.DataFrame):
        content.to_csv(name, index=False)
    elif isinstance(content, dict):
        scipy.io.savemat(name, content) if name.endswith(".mat") else np.savez(name, **content)
    else:
        sp.save_npz(name, content) if sp.issparse(content) else np.save(name, content)
    return name


def saved(save, *content, **arrays):
    """The bytes that a function of numpy or scipy writes."""
    file = io.BytesIO()
    save(file, *content, **arrays)
    return file.getvalue()


def values(path, **options):
    return load_tasks([path], **options).Xs[0]


def cells(*arrays):
    held = np.empty(len(arrays), dtype=object)
    held[:] = arrays
    return held


def shifted(X, by):
    """A sparse matrix with all of its inner indices moved."""
    (X.coords[1] if X.format == "coo" else X.indices)[:] += by
    return X


def with_readme():
    archive = io.BytesIO(saved(np.savez, X=NUMBERS))
    with zipfile.ZipFile(archive, "a") as members:
        members.writestr("readme.txt", "hello")
    return archive.getvalue()


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_a_csv_file_is_read_whatever_separates_its_columns(separator):
    text = "\ufeffa,b\n0,1\n2,3\n4,5\n".replace(",", separator).replace("b", f'"b{separator} c"')
    data = load_tasks([put("x.csv", text)])
    np.testing.assert_array_equal(data.Xs[0], NUMBERS)
    assert data.feature_names == (("a", f"b{separator} c"),)


@pytest.mark.parametrize(("path", "content", "options", "expected"), [
    ("x.csv", "a,2019,2020\n0,1,2\n5,3,4\n", {}, [[0, 1, 2], [5, 3, 4]]),
    ("x.csv", "a,0,1\n0,1,2\n5,0,4\n", {}, [[0, 1, 2], [5, 0, 4]]),
    ("x.csv", "0,1\n0,1\n2,3\n4,5\n", {"header": True}, NUMBERS),
    ("a::b.csv", "a,b\n1,2\n", {}, [[1, 2]]),
    ("x.npy", np.ones((1, 12)), {}, np.ones((1, 12))),
    ("x.npz", {"data": NUMBERS}, {}, NUMBERS),
    ("x.npz", {"format": NUMBERS[:, 0], "shape": NUMBERS[:, 0], "data": NUMBERS}, {}, NUMBERS),
    ("x.npz", with_readme(), {}, NUMBERS),
    ("x.npz::B", {"A": NUMBERS, "B": -NUMBERS}, {}, -NUMBERS),
    ("x.npz::a::b", {"b": NUMBERS, "a::b": -NUMBERS}, {}, -NUMBERS),
    ("x.mat::X{2}", {"X": cells(NUMBERS, NUMBERS + 1)}, {}, NUMBERS + 1),
    ("sparse.npz", sp.coo_array(NUMBERS), {}, NUMBERS),
    ("sparse.npz", sp.coo_array((np.full(2, 100, np.int8), ([0, 0], [0, 0]))), {}, [[200]]),
    ("sparse.mat", {"fea": sp.csc_array(NUMBERS)}, {}, NUMBERS),
])
def test_an_array_is_read_whatever_stands_beside_it_and_whatever_it_is_called(
        path, content, options, expected):
    put(split_path(path)[0], content)
    found = values(path, **options)
    assert getattr(found, "format", "dense") == ("csr" if "sparse" in path else "dense")
    np.testing.assert_array_equal(plain(found), expected)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", ["tasks", "views"])
def test_files_whose_samples_are_all_equal_are_said_by_name(kind):
    paths = [put("a.npy", NUMBERS), put("b.npy", np.ones((3, 2)))]
    data = loading.scale(load(kind, paths if kind == "views" else paths[1:]))
    equal = "all samples are equal, so that they tell no clusters apart"
    said = [words for words in loading.preparation(data) if words.endswith(equal)]
    assert [words.partition(":")[0] for words in said] == ["b"]


BAD_FILES = {
    "no such file": ("none.csv", None, r"none\.csv: there is no such file; relative paths start in"),
    "unknown ending": ("x.xlsx", b"PK", r"'\.xlsx' is not one of \.csv, .*, \.npy"),
    "empty": ("x.csv", "", "the file is empty"),
    "blank": ("x.csv", "\n  \n", "the file is empty"),
    "names only": ("x.csv", "a,b\n", "0 rows and 2 columns"),
    "text": ("x.csv", "a,town\n1,Rome\n", r"'town' does not hold numbers \('Rome' in row 1\); "
             "if it names the samples, give id_column 'town'; if it holds classes, label_column 'town'"),
    "one word among numbers": ("x.csv", "a,b\n1,2\n3,?\n", r"numbers \('\?' in row 2\); write a number"),
    "empty cell": ("x.csv", "a,b\n1,2\n3,\n", "NaN in row 2 of column 'b'.*drop these rows"),
    "infinity": ("x.csv", "a,b\ninf,2\n3,4\n", "infinity in row 1 of column 'a'"),
    "too large": ("x.csv", "a,b\n-1e308,2\n3,4\n", "1e.308, .*divide the columns by a power"),
    "too small": ("x.npz", {"X": NUMBERS * 1e-200}, "e-200, .*divide the columns by a power"),
    "many rows without entries": ("x.npz", {"format": "coo", "shape": (2**40, 9), "data": np.ones(1),
                                  "row": [0], "col": [0]}, "to read it takes 24576.0 GB"),  # fmt: skip
    "blanks between columns": ("x.csv", "a\n1 2\n3 4\n", "separate the columns by commas"),
    "commas between columns": ("x.tsv", "a,b\n1,2\n3,4\n", "commas in a .csv file, by tabs"),
    "UTF-16 without mark": ("x.csv", "a,b\n1,2\n".encode("utf-16-le"), "save it as UTF-8"),
    "infinity in a matrix": ("x.npz", {"X": np.diag([1, np.inf])}, "row 2 of column '2'"),
    "first line counts up": ("x.csv", "1,2,3\n2,3,4\n", "like data.*header=False.*header=True"),
    "first line is counts": ("x.csv", "0,3,0\n2,3,1\n", "looks like data.*header=False"),
    "a name, and a sample": ("x.csv", "anna,3,7\nbob,2,3\n", r"like data \('anna'"),
    "a name, and a sample that counts up": ("x.csv", "anna,0,1\nbob,1,1\neve,0,3\n", "data .'anna', '0'"),
    "a name, and a sample of years": ("x.csv", "anna,1990,2001\nbob,1985,2003\n", "data .'anna', '1990'"),
    "a name, and a sample that is no years": ("x.csv", "anna,1990.5,2001\nbob,1,2\n", "data .'anna', '19"),
    "first line is empty": ("x.csv", "\n0.5,1\n2,3\n", "looks like data.*header=False"),
    "empty line in a column": ("x.csv", "a\n1\n\n3\n", "NaN in row 2 of column 'a'"),
    "for Excel": ("x.csv", "sep=;\na;b\n1;2\n", "Excel what separates columns; delete this"),
    **{f"the number {text}": ("x.csv", f"a;b\n{text};2\n", "decimal point, nothing")
       for text in ("1,5", "1.234,5", "6,37E-01", "1 234", "12 %", "1.5D+01", "$5", "\u22125", "1\u202f234")},
    "sparse vector": ("x.npz", {"format": "coo", "shape": (9,), "data": np.ones(9), "_is_array": True,
                                "coords": np.arange(9)[None]}, "no matrix of numbers"),
    "row numbers of pandas": ("x.csv", ",a\n0,1\n", r"column 1 has no name.*index=False"),
    "separator at the end": ("x.csv", "a,b,\n1,2,\n", "column 3 has no name.*end no line with a separator"),
    "names twice": ("x.csv", "a,b,a\n1,2,3\n", "the same name: 'a'; rename"),
    "longer line": ("x.csv", "a,b\n1,2\n3,4,5\n", "not a table.*as many fields"),
    "title": ("x.csv", "# mine\na,b\n1,2\n", "which has 1, .* delete a title above the names"),
    "not UTF-8": ("x.csv", "größe\n1\n".encode("latin-1"), "save it as UTF-8"),
    "cut archive": ("x.npz", b"PK\x03\x04 cut", "no npz file, or damaged"),
    "objects": ("x.npz", {"X": np.array([{}, {}])}, "Python objects.*save arrays of numbers"),
    "pickle as an array": ("x.npy", pickle.dumps([1, 2]), "Python objects.*numpy.save$"),
    "cut array": ("x.npy", saved(np.save, NUMBERS)[:-1], "no npy file, or"),
    "unending header": ("x.npy", saved(np.save, NUMBERS).replace(b"}", b"{"), "no npy file, or"),
    "cube": ("x.npy", np.zeros((2, 2, 2)), "no matrix of numbers"),
    "NaN in a mapped file": ("x.npy", np.diag([1, np.nan]), "NaN in row 2 of column '2'"),
    "part of an array": ("x.npy::A", NUMBERS, "leave out '::A'"),
    "two matrices": ("x.npz", {"A": NUMBERS, "B": NUMBERS}, r"several matrices: 'A', 'B'; .*::A'"),
    "no such matrix": ("x.npz::Z", {"A": NUMBERS}, "no matrix 'Z'; it has 'A'"),
    "words only": ("x.npz", {"A": np.array(["u", "v"])}, "no matrix of numbers"),
    "complex": ("x.npz", {"A": NUMBERS * 1j}, "complex128; save real numbers"),
    "nothing under a long name": ("x.npz", {"X" * 2000: np.empty((0, 4))}, r"'X{57}\.\.\.' has the shape"),
    "rows of indices from 1": ("x.npz", shifted(sp.csr_array(NUMBERS + 1), 1),
                               r"indices must be < 2.*count from 0.*count from 1: subtract 1"),
    "pairs of indices from 1": ("x.npz", shifted(sp.coo_array(NUMBERS + 1), 1),
                                "exceeds matrix dimension.*indices count from 0"),
    "indices from 1 in MATLAB": ("x.mat", {"X": shifted(sp.csc_array(NUMBERS + 1), 1)}, "count from 1"),
    "negative indices": ("x.npz", shifted(sp.csr_array(NUMBERS + 1), -1), "count from 0$"),
    "MATLAB 7.3": ("x.mat", MATLAB_73, r"7\.3 \(HDF5\).*save\('x\.mat', '-v7'\)"),
    "HDF5": ("x.mat", b"\x89HDF\r\n\x1a\n" + b"\0" * 200, r"HDF5"),
    "cut MATLAB file": ("x.mat", saved(scipy.io.savemat, {"X": NUMBERS})[:-9], "no MATLAB file, or damaged"),
    "no path": (3, None, "paths: 3 is no path"),
    "nothing": (" ", None, "paths: ' ' is no path"),
    "no user": ("~nosuchuser/x.csv", None, "paths: '~nosuchuser/x.csv' cannot be a path here"),
    "long path": ("x" * 300 + ".csv", None, "paths: .* cannot be a path here .*too long"),
    "folder": (".", None, r"\.: is a folder; name the files")}


def test_of_an_archive_only_the_matrix_that_is_asked_for_and_what_may_name_its_rows_is_unpacked(monkeypatch):
    monkeypatch.setattr(files, "SMALL", 200)
    put("x.npz", {"A": NUMBERS, "y": np.arange(len(NUMBERS)), "other": np.zeros((100, 100))})
    assert list(read_table("x.npz::A").vectors) == ["y"]
    monkeypatch.setattr(files, "virtual_memory", lambda: SimpleNamespace(available=1000))
    np.testing.assert_array_equal(values("x.npz::A"), NUMBERS)
    for path in ("x.npz", put("x.mat", {"X": NUMBERS})):
        monkeypatch.setattr(files, "virtual_memory", lambda: SimpleNamespace(available=100))
        with pytest.raises(DataFileError, match=rf"{path}: to read it takes 0.0 GB.* save the matrix alone"):
            values(path)


@pytest.mark.parametrize("what", BAD_FILES)
def test_a_bad_file_is_refused_with_its_name_and_a_remedy(what):
    path, content, message = BAD_FILES[what]
    if content is not None:
        put(split_path(path)[0], content)
    with pytest.raises(DataFileError, match=message) as refused:
        load_tasks([path])
    assert str(path).partition("::")[0][:40] in str(refused.value)
    assert len(str(refused.value)) < 999


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes with a name in a folder")
def test_a_pipe_is_not_waited_for():
    os.mkfifo("x.csv")
    with pytest.raises(DataFileError, match="x.csv: is a pipe or a device; write what comes from it to"):
        load_tasks(["x.csv"])


@pytest.mark.parametrize("dtype", ["float64", "float32", ">f8", "int16", "bool"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("most", [0, 2**20])
def test_an_array_in_a_file_gives_what_it_holds_and_a_large_one_of_floats_stays_there(
        dtype, order, most, monkeypatch):
    monkeypatch.setattr(large, "IN_MEMORY", most)
    X = np.arange(60).reshape(20, 3).astype(dtype, order)
    found = values(put("x.npy", X))
    np.testing.assert_array_equal(found, X)
    assert isinstance(found, np.memmap) == (most == 0 and dtype in ("float64", "float32"))
    np.testing.assert_array_equal(values(put("y.npy", X[:, 0])), X[:, :1])


def test_files_that_are_mapped_in_blocks_in_two_processes_give_the_results_of_text_in_one(monkeypatch):
    rng = np.random.default_rng(0)
    Xs = [rng.normal(scale=4, size=(3, d))[np.arange(60) % 3] + rng.normal(size=(60, d)) for d in (3, 5)]
    put("y.csv", pd.DataFrame({"class": np.arange(60) % 3}))
    texts, maps = ([put(f"{v}.csv", pd.DataFrame(X, columns=list("abcde"[:X.shape[1]])))
                    for v, X in enumerate(Xs)], [put(f"{v}.npy", X) for v, X in enumerate(Xs)])
    expected = loading.scale(load_views(texts, labels="y.csv"))
    monkeypatch.setattr(large, "BLOCK", 40)
    monkeypatch.setattr(large, "IN_MEMORY", 0)
    data = loading.scale(load_views(maps, labels="y.csv"))
    assert all(isinstance(X, np.memmap) for X in data.Xs)
    pd.testing.assert_frame_equal(loading.describe(data), loading.describe(expected))
    names = ["LandmarkSpectral", "ConMC"]
    ours = cluster(data, names, 3, n_runs=2, n_jobs=2, progress=False)
    theirs = cluster(expected, names, 3, n_runs=2)
    for name in names:
        np.testing.assert_array_equal(ours.labels[name], theirs.labels[name])
        found, held = (contents.contents(each.data, each.labels[name]) for each in (ours, theirs))
        pd.testing.assert_frame_equal(found.drop(columns="high in"), held.drop(columns="high in"))


def test_parquet_is_read_where_a_package_reads_it_and_elsewhere_it_is_said_what_to_install(monkeypatch):
    with monkeypatch.context() as without:
        for package in ("pyarrow", "fastparquet"):
            without.setitem(sys.modules, package, None)
        with pytest.raises(DataFileError, match="pip install pyarrow; or save the table as CSV"):
            load_tasks([put("x.parquet", b"PAR1")])
    days = files.Table("x", pd.DataFrame({"t": pd.to_timedelta([1, 2], "D")}))  # whose unit would be lost
    with pytest.raises(DataFileError, match="column 't' does not hold numbers .'1 days"):
        loading.numbers(days)
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(NUMBERS, columns=["a", "b"]).assign(y=["u", "v", "u"])
    frame.set_axis(pd.Index(["01", "02", "03"], name="id")).astype({"a": str}).to_parquet("x.parquet")
    data = load_tasks(["x.parquet"], "y", id_column="id")
    np.testing.assert_array_equal(data.Xs[0], NUMBERS)
    assert data.sample_names[0].tolist() == ["01", "02", "03"]
    with pytest.raises(DataFileError, match="no parquet file, or damaged"):
        read_table(put("y.parquet", b"PAR1 cut"))
    monkeypatch.setattr(files, "virtual_memory", lambda: SimpleNamespace(available=50))
    with pytest.raises(DataFileError, match="to read it takes"):
        read_table("x.parquet")


def test_without_other_names_the_index_of_parquet_names_rows_as_that_of_frames_does(monkeypatch):
    frames = {"x": pd.DataFrame({("a", "b"): [1.0, 2]}), "y": pd.DataFrame({"a": [2.0, 1]}, [1, 0]),
              "z": pd.DataFrame({"class": [0, 1]}, [1, 0]), "w": pd.DataFrame({"a": [1.0, 2]}, ["u", "v"]),
              "t": pd.DataFrame({"a": [1.0, 2]}, ["u", "u"]),
              "i": pd.DataFrame({"id": ["u", "v"], "a": [1.0, 2]}).set_index("id", drop=False),
              "j": pd.DataFrame({"class": [0, 1]}, pd.Index(["v", "u"], name="id"))}
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr(pd, "read_parquet", lambda file: frames[file.stem])
    x, y, z, w, t, i, j = (put(f"{name}.parquet", b"PAR1") for name in frames)
    data = load_views([put("n.npy", np.ones((2, 1))), x, y], labels=z)
    assert (plain(data.Xs[1:]), plain(data.labels)) == ([[[1], [2]]] * 2, [1, 0])
    assert plain(load_views([i], labels=j, id_column="id").labels) == [1, 0]
    assert data.feature_names == (None, ("('a', 'b')",), ("a",))
    found = [load_tasks([path]).sample_names[0] for path in (x, y, w, t)]
    assert [None if names is None else names.tolist() for names in found] == [
        None, ["1", "0"], ["u", "v"], None]
    with pytest.raises(DataFileError, match="w.parquet: lacks the samples '0', '1'"):
        load_views([x, w])


NAMED = {"sample_names": [["01", "b"]], "labelled": False}
LOADED = {
    "columns by name": ("tasks", {"x.csv": "a,b,y\n1,2,u\n", "y.csv": "y,b,a\nv,4,3\n"}, {
        "label_column": "y"}, {
        "Xs": [[[1, 2]], [[3, 4]]], "task_names": ["x", "y"], "class_names": [["u"], ["v"]]}),
    "columns by name after a file without": ("tasks", {
        "z.npy": np.ones((1, 2)), "x.csv": "a,b\n1,2\n", "y.csv": "b,a\n4,3\n"}, {"label_column": ""}, {
        "Xs": [[[1, 1]], [[1, 2]], [[3, 4]]]}),
    "rows by name": ("views", {"x.csv": "id,a\nr,1\ns,2\n", "y.csv": "id,b,y\ns,20,v\nr,10,u\n"}, {
        "label_column": "y", "id_column": "id"}, {
        "Xs": [[[1], [2]], [[10], [20]]], "labels": [0, 1], "sample_names": [["r", "s"]]}),
    "columns by number": ("tasks", {"x.csv": "0.5,1,u\n2,3,v\n"}, {"label_column": "3", "header": False}, {
        "Xs": [[[0.5, 1], [2, 3]]], "class_names": [["u", "v"]], "feature_names": [None]}),
    "classes as numbers": ("tasks", {"x.mat": {"fea": NUMBERS, "gnd": np.array([[2], [10], [2]])}}, {
        "label_column": "gnd"}, {
        "Xs": [NUMBERS.tolist()], "labels": [[0, 1, 0]], "class_names": [["2", "10"]]}),
    "classes as words": ("tasks", {"x.mat": {"fea": NUMBERS, "who": cells("u", "v", "u")}}, {
        "label_column": "who"}, {"labels": [[0, 1, 0]], "class_names": [["u", "v"]]}),
    "classes of some": ("tasks", {"x.csv": "a,y\n1,u\n2,\n3,v\n"}, {"label_column": "y"}, {
        "labels": [[0, -1, 1]], "labelled": True, "n_clusters": [2]}),
    "no classes": ("views", {"x.npy": NUMBERS}, {}, {"labels": [-1, -1, -1], "labelled": False}),
    "classes of many digits": ("tasks", {"x.csv": f"a,y\n1,1\n2,{'9' * 400}\n"}, {"label_column": "y"}, {
        "class_names": [["1", "9" * 400]]}),
    "classes beside views": ("views", {
        "x.csv": "id,a,y\nr,1,7\ns,2,9\n", "z.csv": "id,b\nr,1\ns,2\n", "y.csv": "id,y\ns,v\nr,u\n"}, {
        "labels": ["y.csv"], "id_column": "id", "label_column": "y"}, {
        "Xs": [[[1], [2]]] * 2, "labels": [0, 1]}),
    "classes in an archive": ("views", {"x.csv": "id,a\nr,1\ns,2\n", "y.npz": {"id": np.array([*"sr"]),
        "y": np.array([5, 7])}}, {"labels": ["y.npz"], "id_column": "id"}, {"labels": [1, 0]}),
    **{f"classes beside tasks, {column}": ("tasks", {
        "x.npy": NUMBERS, "z.npy": NUMBERS, "y.csv": "class\n01\nNA\n1\n",
        "n.npz": {"class": np.array([5, 7, 5])}}, {
        "labels": ["y.csv", "n.npz"], "label_column": column}, {
        "labels": [[0, 2, 1], [0, 1, 0]], "class_names": [["01", "1", "NA"], ["5", "7"]]})
       for column in (None, "class")},
    "names and classes as written": ("tasks", {
        "x.csv": "id,a,y\n001,0,None\n1e3,0,01\nNA,0,1\nnan,0,NA\n-5,0,\n1.50,0,true\n"}, {
        "label_column": "y", "id_column": "id"}, {
        "sample_names": [["001", "1e3", "NA", "nan", "-5", "1.50"]], "labels": [[3, 0, 1, 2, -1, 4]],
        "class_names": [["01", "1", "NA", "None", "true"]]}),
    "names that no file can hold": ("tasks", {
        "x.npz": {"X": NUMBERS, "i": np.array(["\ud800", "\udcff", "c"])}}, {
        "id_column": "i", "label_column": "i"}, {
        "sample_names": [["\\ud800", "\\udcff", "c"]], "class_names": [["\\ud800", "\\udcff", "c"]]}),
    "empty lines": ("tasks", {"x.csv": "\n\nid;x;y\n01;2;3\n\nb;4;5\n"}, {"id_column": "id"}, NAMED),
    "years as names": ("tasks", {"x.csv": "id,2019,2020\n01,1,2\nb,3,4\n"}, {"id_column": "id"}, NAMED),
    "marks in names": ("tasks", {"x.csv": '"x; z", "height, cm",id \n1, 2, 01\n3, 4, b\n'}, {
        "id_column": "id"}, NAMED),
    "large numbers": ("tasks", {"x.csv": f"id,{'9' * 20}\n01,{'9' * 20}\nb,1\n"}, {
        "id_column": "id", "header": True}, NAMED),
    "words of tasks": ("tasks", {
        "x.csv": 'id,t,y\nr,"Red ink, red",u\ns,7,v\n', "y.csv": "t,y,id\nblue ink,u,r\n"}, {
        "label_column": "y", "id_column": "id", "text_column": "t"}, {
        "Xs": [[[0, 1, 2], [0, 0, 0]], [[1, 1, 0]]], "feature_names": [["blue", "ink", "red"]] * 2,
        "labels": [[0, 1], [0]]}),
    "words of a view": ("views", {"x.csv": 'id,t\nr,"Red ink, red"\ns,7\n', "z.csv": "id,a\ns,2\nr,1\n"}, {
        "id_column": "id", "text_column": "t"}, {
        "Xs": [[[1, 2], [0, 0]], [[1], [2]]], "feature_names": [["ink", "red"], ["a"]]}),
    "words of any alphabet, however accents are written": ("tasks", {
        "x.csv": "t\ngr\u00f6\u00dfer \u00e9t\u00e9 3\nE\u0301TE\u0301 \u65e5\u672c\n"}, {
        "text_column": "t"}, {"Xs": [[[1, 1, 0], [0, 1, 1]]],
                              "feature_names": [["gr\u00f6\u00dfer", "\u00e9t\u00e9", "\u65e5\u672c"]]}),
    "a long text": ("tasks", {"x.csv": f"1,{'word ' * 30_000}\n"}, {"header": False, "text_column": "2"}, {
        "Xs": [[[30_000]]]}),
}  # fmt: skip


def plain(value):
    """Arrays and tuples as lists."""
    value = value.toarray() if sp.issparse(value) else value
    return list(map(plain, value)) if isinstance(value, list | tuple | np.ndarray) else value


@pytest.mark.parametrize("what", LOADED)
def test_what_is_loaded_is_matched_by_name_and_stays_as_written(what):
    kind, contents, options, expected = LOADED[what]
    usual = csv.field_size_limit()
    for name, content in contents.items():
        put(name, content)
    data = load(kind, [name for name in contents if name not in options.get("labels", ())], **options)
    assert {name: plain(getattr(data, name)) for name in expected} == expected
    assert csv.field_size_limit() == usual < 150_000, "it is the whole program's"


@pytest.mark.parametrize("column", ["class", "cluster", "nr", "id"])
def test_numbers_and_classes_of_samples_that_count_as_features_are_told(column, caplog):
    values = {"nr": np.arange(9)[::-1] + 1, "id": np.arange(9) * 7}.get(column, np.arange(9) % 3)
    frame = pd.DataFrame({"a": np.linspace(0, 1, 9), "b": np.arange(9) % 2, column: values})
    frame.to_csv("x.csv", index=False)
    given = {"label_column" if "cl" in column else "id_column": column}
    for options, said in (({}, f"x.csv: the column {column!r}"), (given, "")):
        caplog.clear()
        load_tasks(["x.csv"], **options)
        assert (said in caplog.text) if said else not caplog.text


@pytest.mark.parametrize(("labels", "told"), [
    ([-1, 0, 1], True), (["-1.0", "0.0", "1.0"], True), ([-1, 1, 1], False), ([0, 1, np.nan], False)])
def test_a_label_that_elsewhere_says_unknown_is_told_to_be_a_class(labels, told, caplog):
    data = load_tasks([put("x.npz", {"X": NUMBERS, "y": np.array(labels)})], "y")
    assert (f"the label {labels[0]} counts as a class" in caplog.text) == told
    assert data.n_clusters == [len({*labels} - {np.nan})]


@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_array])
def test_entries_that_are_stored_in_parts_are_of_the_kind_of_their_sums(form):
    parts = sp.csr_array((np.ones(12), np.tile([0, 1, 2], 4), [0, 6, 12]), shape=(2, 10))
    assert loading.scale(load_tasks([put("x.npz", form(parts))])).preprocessing[0]["entries"] == ["counts"]


def test_columns_beside_the_texts_are_left_out_and_it_is_said(caplog):
    frame = pd.DataFrame({"id": ["u", "v"], "text": ["good film", "bad film"], "stars": [5, 1]})
    frame.to_csv("x.csv", index=False)
    data = load_tasks(["x.csv"], id_column="id", text_column="text")
    assert data.feature_names == (("bad", "film", "good"),)
    assert "x.csv: beside the texts, 'stars' is left out" in caplog.text
    load_tasks([put("x.npz", {"X": NUMBERS, "text": np.array(["good", "bad", "film"])})], text_column="text")
    assert "x.npz: beside the texts, the matrix is left out" in caplog.text


@pytest.mark.parametrize("code, told", [(-999, True), (32767, True), (999999999, True),
                                        (99, False), (1e6, False)])
def test_a_far_code_for_a_missing_value_is_told_once_a_file(code, told, caplog):
    X = np.random.default_rng(0).normal(size=(20, 3))
    X[3, 1] = X[5, 2] = code
    load_views([put("x.npy", X)])
    assert ("x.npy: the column 2, like 1 more, holds" in caplog.text) == told
    load_views([put("x.npy", np.arange(900.0, 1000)[:, None])])
    assert caplog.text.count("far from all its other numbers") == told


def test_twenty_thousand_columns_are_read_and_matched_in_about_the_time_that_pandas_needs():
    for name, columns in (("x.csv", range(20_000)), ("y.csv", range(19_999, -1, -1))):
        pd.DataFrame([range(20_000)] * 3, columns=[f"word {j}" for j in columns]).to_csv(name, index=False)
    start = time.process_time()
    for _ in range(2):
        pd.read_csv("x.csv", low_memory=False)
    plain = time.process_time() - start
    assert load_tasks(["x.csv", "y.csv"]).Xs[1][0].tolist() == list(range(19_999, -1, -1))
    assert time.process_time() - start < 10 * plain + 5  # a product of both numbers of columns takes minutes


CONTENTS = {
    "ab.csv": "a,b\n1,2\n", "ac.csv": "a,c\n1,2\n", "rs.csv": "id,a\nr,1\ns,2\n", "y.csv": "y\n1\n2\n",
    "rt.csv": "id,b\nr,1\nt,2\n", "rr.csv": "id,a\nr,1\nr,2\n", "two.csv": "a\n1\n2\n",
    "fraction.csv": "a,y\n1,0.25\n2,5e-05\n", "u.csv": "a,y\n1,u\n", "v.csv": "b,y\n1,v\n",
    "unnamed.csv": "a,id\n1,r\n2\n", "ids.csv": "id\nr\ns\n", "gap.csv": "id,b\ns,3\nr,\n",
    "wide.csv": f"{','.join(f'word {i}' for i in range(900))}\n{','.join('1' * 900)}\n",
}  # fmt: skip


@pytest.mark.parametrize(("read", "paths", "options", "message"), [
    (load_tasks, "ab.csv ac.csv", {}, r"ac\.csv: lacks the columns 'b' and has the further columns 'c'"),
    (load_tasks, "ab.csv z.npz", {}, r"z\.npz: has 3 columns of features, but ab\.csv has 2"),
    (load_views, "rs.csv rt.csv", {"id_column": "id"},
     r"rt\.csv: lacks the samples 's' and has the further samples 't'"),
    (load_views, "two.csv z.npz", {}, r"z\.npz: has 3 samples, but two\.csv has 2.*transpose"),
    (load_views, "rr.csv", {"id_column": "id"}, r"rr\.csv: names in 'id' occur more than once: 'r'"),
    (load_views, "z.npz", {"labels": "rs.csv"}, r"rs\.csv: has 2 columns .'id', 'a'.; name the one"),
    (load_views, "z.npz", {"labels": "y.csv"}, r"y\.csv: has 2 samples, but z\.npz has 3"),
    (load_tasks, "z.npz z.npz", {"labels": ["y.csv"]}, "labels: 1 file.* one file per task"),
    (load_tasks, "z.npz", {"labels": 3}, "labels: 3 given; pass a list with one file per task"),
    (load_tasks, "z.npz", {"labels": [3]}, "labels: 3 is no path"),
    (load_views, "z.npz", {"id_column": ["y"]}, "id_column must be the name of one column.*got .'y'"),
    (load_tasks, "z.npz", {"label_column": ["y"]}, "label_column must be the name of one column.*got .'y'"),
    (load_tasks, "ab.csv", {"header": 3}, "header must be True, False or None; got 3"),
    (load_tasks, "fraction.csv", {"label_column": "y"}, "the labels are fractional numbers, such as 0.25"),
    (load_tasks, "u.csv", {"label_column": "z"}, "there is no label_column 'z'; it has 'a', 'y'"),
    (load_views, "u.csv", {"label_column": "z"}, "no view has a column 'z'; the first has 'a', 'y'"),
    (load_views, "u.csv v.csv", {"label_column": "y"}, r"v\.csv: the labels in 'y' differ from those of u"),
    (load_tasks, "y.csv", {"label_column": "y"}, "no column of features is left"),
    (load_tasks, "short.npz", {"label_column": "y"}, "'y' has 2 entries for 3 samples; it needs one for"),
    (load_tasks, "short.npz", {"label_column": "pairs"}, "short.npz: there is no label_column 'pairs'"),
    (load_tasks, "unnamed.csv", {"id_column": "id"}, "row 2 has no name in 'id'"),
    (load_views, "u.csv v.csv", {"text_column": "z"}, "there is no text_column 'z'; it has 'a', 'y'"),
    (load_views, "rs.csv", {"labels": "ids.csv", "id_column": "id"}, r"ids\.csv: has 0 columns"),
    (load_views, "rs.csv gap.csv", {"id_column": "id"}, r"gap\.csv: .*NaN in row 2 of column 'b'"),
    (load_tasks, "wide.csv two.csv", {}, r"two\.csv: lacks the columns 'word 0', .*'word 4' and 895 more"),
    (load_tasks, "u.csv", {"text_column": "a"}, r"u\.csv: text_column 'a' has no word beside English stop"),
])  # fmt: skip
def test_files_that_do_not_fit_together_or_whose_labels_are_no_classes_are_refused(
        read, paths, options, message):
    put("z.npz", {"X": np.ones((3, 3))})
    put("short.npz", {"X": NUMBERS, "y": np.arange(2), "pairs": np.zeros(3, [("u", int), ("v", int)])})
    for name, content in CONTENTS.items():
        put(name, content)
    with pytest.raises(DataFileError, match=message):
        read(paths.split(), **options)


def test_tasks_have_names_that_differ_and_can_be_shown():
    paths = ["x/a.csv", "y/a.csv", "a (1).csv", "b\udce9.csv"]
    assert loading._names(paths) == ("a (2)", "a (3)", "a (1)", "b?")


@pytest.mark.parametrize(("X", "kind"), [
    ([[0, 0, 0, 1, 5], [0, 0, 0, 3, 3]], "counts"), ([[0, 0, 1, 1, 5], [0, 0, 0, 3, 3]], "measurements"),
    ([[0, 0, 0, 9, 9], [0, 0, 0, 9, 1]], "measurements"), ([[0, 0, 0, -1, 1], [0] * 5], "measurements"),
    ([[0, 0, 0, 0, 0.5], [0, 0, 0, 0, 2]], "weights"), ([[0, 0, 0, 0.5, 1], [0] * 5], "weights"),
    ([[0, 0, 0, 0.5, 1], [0, 0, 0, 0, 1]], "measurements"), ([[0] * 5] * 2, "measurements"),
])  # fmt: skip
def test_the_kind_of_entries_is_told_from_zeros_signs_and_sizes_alone(X, kind):
    data = loading.scale(load_tasks([put("x.npy", np.array(X, dtype=float))]))
    assert data.preprocessing[-1]["entries"] == [kind]
    assert loading.preparation(data)[0].startswith(f"x: {kind}, ")


@pytest.mark.parametrize("entries", ["counts", "ready", "measured"])
def test_the_comparison_prepares_its_sets_as_the_command_does_files(entries):
    X = np.random.default_rng(0).poisson(0.1, (30, 8)) / (1 if entries == "counts" else 3)
    X -= entries == "measured"
    (theirs,) = comparison._prepared([(X, entries)], comparison.PREPARATIONS["first"])
    ours = loading.scale(load_tasks([put("x.npy", X)])).Xs[0]
    assert sp.issparse(ours) == sp.issparse(theirs) == (entries != "measured")
    np.testing.assert_allclose(*(Z.toarray() if sp.issparse(Z) else Z for Z in (theirs, ours)), atol=1e-8)


def test_kinds_options_and_paths_of_another_form_are_refused():
    for kind, paths, options, said in (
            ("task", ["x.csv"], {}, "kind must be one of .*; got 'task'. Did you mean 'tasks'"),
            ("tasks", ["x.csv"], {"label": "y.csv"}, "option must be .*; got 'label'. Did you mean 'labels'"),
            *(("tasks", none, {}, "paths must be a list with one file per") for none in ([], "x.csv", None))):
        with pytest.raises(ValueError, match=said):
            load(kind, paths, **options)


@pytest.mark.parametrize("kind", loading.KINDS)
def test_written_data_are_loaded_as_they_were(kind, tmp_path):
    paths, options = loading.write_example(kind, tmp_path, seed=3)
    assert load(kind, paths, **options).sha256 == loading.example(kind, seed=3).sha256


def test_the_description_counts_what_may_go_wrong_and_the_contents_name_class_and_features():
    data = load_tasks([put("x.npy", np.array([[0.0, 5.0, -1.0], [0.0, 5.0, 1.0], [0.0, 0.0, 0.0]]))])
    row = loading.describe(data).iloc[0].to_dict()
    assert row == {"samples": 3, "features": 3, "sparse": False, "zeros (%)": 55.6, "smallest": -1,
                   "largest": 5, "constant features": 1, "zero rows": 1, "class sizes": ""}
    data = load_tasks([put("x.csv", "low,high,y\n0,9,u\n0,8,u\n9,0,v\n8,0,u\n")], "y")
    for X in (data.Xs[0], data.Xs[0] + 1e9, np.float32(1e30 * data.Xs[0])):
        table = contents.contents(replace(data, Xs=[X]), [np.array([0, 0, 1, 1])])
        assert table["most are"].tolist() == ["u (100 %)", "u (50 %)"]
        assert (table["high in"].tolist(), table["samples"].tolist()) == (["high", "low"], [2, 2])


@pytest.mark.parametrize("scaling", ["minmax", "zscore"])
def test_tasks_get_one_scale_for_all(scaling):
    rng = np.random.default_rng(0)
    dense = load_tasks([put("x.npy", rng.random((9, 3)) * 9), put("y.npy", rng.random((7, 3)))])
    spread, expected = {"minmax": (np.ptp, 2), "zscore": (np.std, 1)}[scaling]
    np.testing.assert_allclose(spread(np.vstack(loading.scale(dense, scaling).Xs), axis=0), expected)


def test_scaling_keeps_sparse_data_sparse_and_is_recorded():
    put("s.npz", sp.csr_array(NUMBERS))
    for kind, scaling in (("tasks", "rows"), ("tasks", "tfidf-l2"), ("views", "log-l2"), ("views", "range")):
        data = loading.scale(load(kind, ["s.npz"]), scaling)
        assert sp.issparse(data.Xs[0])
        assert data.preprocessing[-1] == {"step": "scale", "scaling": scaling}
    with pytest.raises(ValueError, match="scaling must be one of .*; got 'row'"):
        loading.scale(data, "row")
    with pytest.raises(ValueError, match="counts must not be negative"):
        loading.scale(load_tasks([put("x.npy", -NUMBERS)]), "tfidf")
