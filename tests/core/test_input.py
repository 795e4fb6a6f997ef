"""What a user may give: scalars of numpy, data frames, every sparse form; one kind of error for the rest."""

import errno
import gc
import os
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mtclib import LMSC, MSPL
from mtclib.baselines import AWP, RMKMC, WMSC, ConMC, KMeans, SpectralNJW
from mtclib.core import checks, large
from mtclib.core.checks import check_matrix


def groups(seed=0, d=6):
    """Three groups of twelve samples, nonnegative."""
    rng = np.random.default_rng(seed)
    return np.kron(np.eye(3), np.ones((12, d // 3))) * 3.0 + rng.random((36, d))


# ---- scalars ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.uint8, np.uint64, np.int16])
def test_whole_numbers_of_numpy_do_not_wrap_around(kind):
    Xs = [groups(), groups(1)]
    numbers = {"n_clusters": 3, "n_neighbors": 10, "n_init": 3, "max_iter": 100, "random_state": 7}
    given = {name: kind(number) for name, number in numbers.items()}
    np.testing.assert_array_equal(WMSC(**given).fit(Xs).labels_, WMSC(**numbers).fit(Xs).labels_)


def test_a_fit_that_is_refused_leaves_the_parameters_as_they_were_given():
    model = MSPL(3, kappa=np.float32(2))
    with pytest.raises(ValueError, match="empty list"):
        model.fit([])
    assert type(model.kappa) is np.float32


@pytest.mark.parametrize(("name", "value"), [
    ("n_init", 10**400), pytest.param("n_init", 10**5000, id="more digits than Python prints"),
    ("max_iter", 2**31), ("n_clusters", 10**400),
    ("n_neighbors", np.uint64(2**63)), ("ridge", np.longdouble("1e400")), ("ridge", 10**400)])
def test_numbers_that_no_computation_can_hold_are_refused_by_name(name, value):
    with pytest.raises(ValueError, match=name):
        WMSC(**{"n_clusters": 3, name: value}).fit([groups(), groups(1)])


# ---- arrays of all kinds ---------------------------------------------------------------------------------


def damaged():
    """Sparse arrays and matrices whose indices lead out of them."""
    for kind in ("array", "matrix"):
        def new(*forms, kind=kind):
            return [getattr(sp, f"{form}_{kind}")(np.eye(4)) for form in forms]

        for value in (4, -5, 2**31 - 1):
            coo, lil, dok = new("coo", "lil", "dok")
            coo.coords[1][1] = value
            lil.rows[1] = [value]
            dok._dict[1, value] = 1.0
            yield from ((f"{X.format} {kind} {value}", X) for X in (coo, lil, dok))
        coo, lil, fewer, more = new("coo", "lil", "dia", "dia")
        coo.data = coo.data[:2]
        lil.rows[2] = [0, 1, 2]
        keys, split = new("dok", "dok")
        keys._dict[0, 1, 2], split._dict[0, 0.5] = 1.0, 1.0
        ends, fractions = getattr(sp, f"csc_{kind}")((4, 4)), new("csr")[0]
        ends.indptr, fractions.indices = np.array([0, 99, 0, 0, 0]), np.array([0.0, np.nan, 2.0, 3.0])
        fewer.offsets, more.offsets = np.zeros(0, dtype=np.int32), np.array([0, 1], dtype=np.int32)
        yield from ((f"{X.format} {kind} {what}", X) for what, X in (
            ("short", coo), ("longer", lil), ("without offsets", fewer), ("more offsets than data", more),
            ("longer keys", keys), ("fractions", split), ("ends beyond", ends), ("not a number", fractions)))


@pytest.mark.parametrize("X", [pytest.param(X, id=name) for name, X in damaged()])
def test_indices_that_lead_out_of_a_sparse_array_are_refused_before_they_are_followed(X):
    with pytest.raises(ValueError, match=r"Xs\[0\] is no valid sparse matrix"):
        check_matrix(X, "Xs[0]")


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dia", "dok", "bsr"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_sound_sparse_arrays_of_every_form_are_read(form, kind):
    X = groups().round()
    np.testing.assert_array_equal(check_matrix(getattr(sp, f"{form}_{kind}")(X), "X").toarray(), X)


@pytest.mark.filterwarnings("error")
def test_sparse_entries_whose_squares_leave_single_precision_are_as_good_as_dense_ones():
    X = (groups() * 1e37).astype(np.float32)
    dense, sparse = (RMKMC(3, random_state=0).fit([form(X), form(X)]) for form in (np.array, sp.csr_array))
    np.testing.assert_allclose(dense.objective_, sparse.objective_)


class OnAnotherDevice:
    shape, ndim = (36, 6), 2

    def __array__(self, dtype=None, copy=None):
        raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy it")


@pytest.mark.parametrize("X", [OnAnotherDevice(), sp.csr_array((36, 2**33)),
                               sp.csr_array(([1.0], ([0], [2**33 - 1])), shape=(36, 2**33))])
def test_what_cannot_be_read_is_refused_by_name(X):
    with pytest.raises(ValueError, match=r"Xs\[1\]"):
        WMSC(3).fit([groups(), X])


# ---- data frames -----------------------------------------------------------------------------------------


def frame(X, names="s", columns="w"):
    places = [[f"{name}{i}" for i in range(size)] for name, size in zip((names, columns), X.shape)]
    return pd.DataFrame(X, *places)


def test_views_are_aligned_by_their_index():
    views = [frame(groups()), frame(groups(1), columns="v")]
    order = np.random.default_rng(0).permutation(36)
    straight, shuffled = (ConMC(3, random_state=0).fit([views[0], view]).labels_
                          for view in (views[1], views[1].iloc[order]))
    np.testing.assert_array_equal(straight, shuffled)
    np.testing.assert_array_equal(straight, ConMC(3, random_state=0).fit([groups(), groups(1)]).labels_)


def test_tasks_are_aligned_by_their_columns():
    tasks = [frame(groups()), frame(groups(1))]
    straight, permuted = (KMeans(3, random_state=0).fit([tasks[0], task]).labels_
                          for task in (tasks[1], tasks[1].iloc[:, ::-1]))
    np.testing.assert_array_equal(straight[1], permuted[1])


class Table:
    """A table as pyarrow has it: its ``columns`` are data, which no set can hold."""

    def __init__(self, X, names="abcdef"):
        self.columns, self.column_names = [list(column) for column in X.T], list(names)

    def select(self, places):
        return Table(np.transpose([self.columns[i] for i in places]), [self.column_names[i] for i in places])

    def __array__(self, dtype=None, copy=None):
        return np.transpose(self.columns)


def test_tables_of_pyarrow_are_aligned_by_the_names_of_their_columns():
    tasks = [Table(groups()), Table(groups(1))]
    for model, turn in ((KMeans(3, random_state=0), lambda Xs: Xs),
                        (LMSC(3, random_state=0), lambda Xs: [[X] for X in Xs])):
        straight = model.fit(turn([groups(), groups(1)])).labels_
        permuted = model.fit(turn([tasks[0], tasks[1].select([5, 4, 3, 2, 1, 0])])).labels_
        np.testing.assert_array_equal(straight, permuted)
    assert list(model.partial_fit([tasks[0]]).feature_names_in_[0][0]) == list("abcdef")
    with pytest.raises(ValueError, match="other columns than in the first task"):
        model.partial_fit([tasks[0].select([5, 4, 3, 2, 1, 0])])


@pytest.mark.parametrize(("model", "other"), [
    (ConMC(3), frame(groups(1), names="t")), (ConMC(3), frame(groups(1)).reset_index(drop=True)),
    (ConMC(3), frame(groups(1)).rename(index={"s1": "s0"})),
    (KMeans(3), frame(groups(1), columns="v")), (KMeans(3), frame(groups(1)).rename(columns={"w1": "w0"}))])
def test_other_names_are_refused(model, other):
    with pytest.raises(ValueError, match=r"Xs\[1\] and Xs\[0\] have different names in their"):
        model.fit([frame(groups()), other])


def test_arrays_and_frames_without_names_of_their_own_are_taken_in_their_order():
    expected = ConMC(3, random_state=0).fit([groups(), groups(1)]).labels_
    for Xs in ([frame(groups()), groups(1)], [pd.DataFrame(groups()), pd.DataFrame(groups(1))]):
        np.testing.assert_array_equal(ConMC(3, random_state=0).fit(Xs).labels_, expected)


def test_sequences_of_tasks_are_aligned_both_ways():
    tasks = [[frame(groups(t)), frame(groups(t + 5), columns="v")] for t in range(2)]
    mixed = [tasks[0], [tasks[1][0].iloc[:, ::-1], tasks[1][1].iloc[::-1]]]
    straight, turned = (LMSC(3, random_state=0).fit(Xs) for Xs in (tasks, mixed))
    np.testing.assert_array_equal(straight.labels_[0], turned.labels_[0])
    np.testing.assert_array_equal(straight.labels_[1], turned.labels_[1])
    assert straight.n_features_in_ == [[6, 6], [6, 6]]
    with pytest.raises(ValueError, match="other columns than in the first task"):
        straight.partial_fit(mixed[1])


def test_features_are_counted_and_named_as_scikit_learn_has_it():
    views = [frame(groups()), frame(groups(1, 9), columns="v")]
    model = AWP(3).fit(views)
    assert model.n_features_in_ == [6, 9]
    assert [list(names) for names in model.feature_names_in_] == [list(view.columns) for view in views]
    model.fit([groups(), groups(1)])
    assert not hasattr(model, "feature_names_in_")


def test_frames_of_another_library_are_aligned_by_what_they_name():
    class Frame(SimpleNamespace):
        """As those of polars: columns, and no index."""

        def __getitem__(self, key):
            rows, columns = key
            return Frame(X=self.X[rows][:, columns], columns=[self.columns[j] for j in columns])

        def __array__(self, dtype=None, copy=None):
            return self.X

        shape = property(lambda self: self.X.shape)

    first, second = (Frame(X=groups(seed), columns=list("abcdef")) for seed in (0, 1))
    turned = second[:, [3, 0, 1, 5, 4, 2]]
    straight, permuted = (KMeans(3, random_state=0).fit([first, X]).labels_[1] for X in (second, turned))
    np.testing.assert_array_equal(straight, permuted)


@pytest.mark.filterwarnings("error")
def test_the_input_is_not_changed():
    view = frame(groups(1)).iloc[::-1]
    before = view.copy()
    SpectralNJW(3, random_state=0).fit([frame(groups()), view])
    pd.testing.assert_frame_equal(view, before)


# ---- large arrays ----------------------------------------------------------------------------------------


def resident_pages_of_files():
    """In MB."""
    return int(Path("/proc/self/status").read_text().partition("RssFile:")[2].split()[0]) / 1024


@pytest.mark.skipif(sys.platform != "linux", reason="counts the pages of files as Linux does")
def test_of_a_mapped_file_only_a_block_is_in_memory_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(large, "BLOCK", 2**18)
    np.save(tmp_path / "X.npy", np.ones((2**15, 128), dtype=np.float32))
    X, before = np.load(tmp_path / "X.npy", mmap_mode="r"), resident_pages_of_files()
    most = max(resident_pages_of_files() for _ in large.row_blocks(np.asarray(X)))
    assert most < before + 8
    check_matrix(X, "X", float32=True)
    checks.empty_samples(X)
    assert resident_pages_of_files() < before + 8


def test_what_was_written_to_a_private_map_stays(tmp_path):
    np.save(tmp_path / "X.npy", np.zeros((4, 2)))
    X = np.load(tmp_path / "X.npy", mmap_mode="c")
    X[:] = 5.0
    check_matrix(X, "X")
    assert (X == 5.0).all()


@pytest.mark.parametrize("worst", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_found_in_any_block(monkeypatch, worst):
    monkeypatch.setattr(large, "BLOCK", 4)
    X = np.arange(20.0).reshape(10, 2)
    X[7, 1] = worst
    with pytest.raises(ValueError, match="NaN or infinity"):
        check_matrix(X, "X")


def test_a_large_array_lies_in_a_file_that_goes_with_the_last_view_of_it(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(large, "IN_MEMORY", 100)
    assert not isinstance(large.room((3, 4), float), np.memmap)
    part = large.room((4, 4), float)[1:]
    part[:] = 2.0
    large.let_go(part)
    assert (part == 2.0).all()
    assert len(list(tmp_path.iterdir())) == 1
    del part
    gc.collect()
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="does not reserve room on a disk")
def test_on_a_full_disk_a_large_array_lies_in_memory(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(large, "IN_MEMORY", 0)
    monkeypatch.setattr(os, "posix_fallocate", full)
    X = large.room((4, 4), float)
    assert not isinstance(X, np.memmap)
    assert X.shape == (4, 4)
    assert not list(tmp_path.iterdir())
