"""What a user may give: scalars of numpy, data frames, every sparse form; one kind of error for the rest."""

import errno
import gc
import os
import sys
import tempfile
import warnings
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from contract import FORMS, led_astray
from sklearn.base import clone

from mtclib import LMSC, MSPL, baselines
from mtclib.baselines import AWP, RMKMC, ConMC, KMeans, PerTask, SingleView, SpectralNJW
from mtclib.core import checks, large
from mtclib.core.checks import check_matrix


def groups(seed=0, d=6):
    """Three groups of twelve samples, nonnegative."""
    rng = np.random.default_rng(seed)
    return np.kron(np.eye(3), np.ones((12, d // 3))) * 3.0 + rng.random((36, d))


# ---- scalars ---------------------------------------------------------------------------------------------


def test_a_fit_that_is_refused_leaves_the_parameters_as_they_were_given():
    model = MSPL(3, kappa=np.float32(2))
    with pytest.raises(ValueError, match="empty list"):
        model.fit([])
    assert type(model.kappa) is np.float32


# ---- arrays of all kinds ---------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_indices_that_lead_out_of_a_sparse_array_are_refused_before_they_are_followed(form):
    for seed in range(20):
        X = led_astray(np.eye(4), form, np.random.default_rng(seed))
        with pytest.raises(ValueError, match=r"Xs\[0\] is no valid sparse matrix"):
            check_matrix(X, "Xs[0]")


def test_sparse_columns_are_read_whatever_they_leave_out():
    for fill in (np.nan, 0, 1):
        X = pd.DataFrame([[1.0, 0], [2, 1]]).astype(pd.SparseDtype(float, fill))
        assert check_matrix(X, "Xs[0]").sum() == 4


def test_entries_of_one_place_are_added_up_in_double_precision():
    X = sp.coo_array((np.array([100, 100, 1], np.int8), ([0, 0, 1], [0, 0, 1])))
    np.testing.assert_array_equal(check_matrix(X, "Xs[0]").toarray(), [[200, 0], [0, 1]])


@pytest.mark.filterwarnings("error")
def test_sparse_entries_whose_squares_leave_single_precision_are_as_good_as_dense_ones():
    X = (groups() * 1e37).astype(np.float32)
    dense, sparse = (RMKMC(3, random_state=0).fit([form(X), form(X)]) for form in (np.array, sp.csr_array))
    np.testing.assert_allclose(dense.objective_, sparse.objective_)


# ---- data frames -----------------------------------------------------------------------------------------


def frame(X, names="s", columns="w"):
    places = [[f"{name}{i}" for i in range(size)] for name, size in zip((names, columns), X.shape)]
    return pd.DataFrame(X, *places)


class Table:
    """A table as pyarrow has it: its ``columns`` are data, which no set can hold."""

    def __init__(self, X, names="abcdef"):
        self.columns, self.column_names = [list(column) for column in X.T], list(names)

    def select(self, places):
        return Table(np.transpose([self.columns[i] for i in places]), [self.column_names[i] for i in places])

    def __array__(self, dtype=None, copy=None):
        return np.transpose(self.columns)


class Frame(SimpleNamespace):
    """As those of polars: columns, and no index."""

    def __getitem__(self, key):
        rows, columns = key
        return Frame(X=self.X[rows][:, columns], columns=[self.columns[j] for j in columns])

    def __array__(self, dtype=None, copy=None):
        return self.X

    shape = property(lambda self: self.X.shape)


X, Y, Z, V = map(groups, range(4))
ROWS, COLUMNS = np.random.default_rng(0).permutation(36), [3, 0, 1, 5, 4, 2]
# Each: a method, arrays, and the same data with names, mostly in another order.
ALIGNED = {
    "views by their index": (ConMC(3), [X, Y], [frame(X), frame(Y, columns="v").iloc[ROWS]]),
    "tasks by their columns": (KMeans(3), [X, Y], [frame(X), frame(Y).iloc[:, COLUMNS]]),
    "tables of pyarrow": (KMeans(3), [X, Y], [Table(X), Table(Y).select(COLUMNS)]),
    "tables in a sequence": (LMSC(3), [[X], [Y]], [[Table(X)], [Table(Y).select(COLUMNS)]]),
    "frames of another library": (KMeans(3), [X, Y], [Frame(X=X, columns=list("abcdef")),
                                                      Frame(X=Y, columns=list("abcdef"))[:, COLUMNS]]),
    "sequences both ways": (LMSC(3), [[X, Z], [Y, V]], [
        [frame(X), frame(Z, columns="v")],
        [frame(Y).iloc[:, COLUMNS], frame(V, columns="v").iloc[ROWS]]]),
    "frames of dask, which count when asked": (ConMC(3), [X, Y], [
        SimpleNamespace(compute=partial(frame, X)), SimpleNamespace(compute=lambda: frame(Y).iloc[ROWS])]),
    "yes and no, sparse": (ConMC(3), [X > 1, Y > 1], [frame(Z > 1).astype("Sparse[bool]") for Z in (X, Y)]),
    "arrays have no names": (ConMC(3), [X, Y], [frame(X), Y]),
    "names that pandas gives": (ConMC(3), [X, Y], [pd.DataFrame(X), pd.DataFrame(Y)])}


@pytest.mark.parametrize("case", ALIGNED)
def test_what_has_names_is_aligned_by_them_and_what_has_none_is_taken_in_its_order(case):
    model, arrays, named = ALIGNED[case]
    straight, aligned = (clone(model).set_params(random_state=0).fit(Xs).labels_ for Xs in (arrays, named))
    np.testing.assert_array_equal(straight, aligned)


@pytest.mark.parametrize(("model", "other"), [
    (ConMC(3), frame(Y, names="t")), (ConMC(3), frame(Y).reset_index(drop=True)),
    (ConMC(3), frame(Y).rename(index={"s1": "s0"})),
    (KMeans(3), frame(Y, columns="v")), (KMeans(3), frame(Y).rename(columns={"w1": "w0"}))])
def test_other_names_are_refused(model, other):
    with pytest.raises(ValueError, match=r"Xs\[1\] and Xs\[0\] have different names in their"):
        model.fit([frame(X), other])


@pytest.mark.parametrize("name", ["AWP", "CoregSpectral", "MultiViewSNMF", "WMSC"])
def test_matrices_without_names_do_not_go_with_views_in_several_orders(name):
    model = getattr(baselines, name)(3, affinity=[np.kron(np.eye(3), np.ones((12, 12))) - np.eye(36)] * 2)
    model.fit([frame(X), Y])
    with pytest.raises(ValueError, match=r"affinity: .* Xs\[1\] has its rows in another order"):
        model.fit([frame(X), frame(Y).iloc[ROWS]])


def test_a_stream_keeps_the_columns_of_its_first_task(tmp_path):
    for first, turned in ((Table(X), Table(Y).select(COLUMNS)), (frame(X), frame(Y).iloc[:, COLUMNS]),
                          (pd.DataFrame(X), pd.DataFrame(Y).iloc[:, COLUMNS])):
        model = LMSC(3, lam=1e300, random_state=0)
        with pytest.raises(FloatingPointError):  # which leaves no task, and no names
            model.fit([[turned]])
        model.set_params(lam=1.0).partial_fit([first])
        model.save(tmp_path / "state.npz")
        for one in (model, LMSC.load(tmp_path / "state.npz")):
            with pytest.raises(ValueError, match="other columns than in the first task.* begins with [a0w]"):
                one.partial_fit([turned])
    with pytest.raises(ValueError, match="Xs must be a list"):
        LMSC(3).partial_fit(5)


def test_features_are_counted_and_named_as_scikit_learn_has_it():
    views = [frame(X), frame(groups(1, 9), columns="v")]
    model = AWP(3).fit(views)
    assert model.n_features_in_ == [6, 9]
    assert [list(names) for names in model.feature_names_in_] == [list(view.columns) for view in views]
    assert not hasattr(model.fit([X, Y]), "feature_names_in_")
    assert LMSC(3, random_state=0).fit([[X, Z], np.stack([Y, V])]).n_features_in_ == [[6, 6], [6, 6]]
    assert list(LMSC(3).partial_fit([Table(X)]).feature_names_in_[0][0]) == list("abcdef")


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
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(large, "IN_MEMORY", 0)
    monkeypatch.setattr(os, "posix_fallocate", Mock(side_effect=OSError(errno.ENOSPC, "No space left")))
    X = large.room((4, 4), float)
    assert not isinstance(X, np.memmap)
    assert X.shape == (4, 4)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("model, Xs", [
    (ConMC(2, random_state=0), [np.eye(9), np.ones((9, 2))]),
    (SingleView(2, view=1), [np.eye(9), np.ones((9, 2))]),
    (AWP(2, random_state=0), 2 * [np.vstack([np.zeros((2, 3)), np.random.default_rng(0).random((9, 3))])]),
    (SpectralNJW(2, random_state=0), [np.kron(np.eye(3), np.ones((4, 3)))]),
    (PerTask(2, estimator="ConMC"), [[np.eye(9), np.ones((9, 2))]]),
], ids=lambda value: type(value).__name__)  # fmt: skip
def test_warnings_stand_at_the_line_of_the_user(model, Xs):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        model.fit(Xs)
        once = len(caught)
        model.fit_predict(Xs)
    assert (once, {warning.filename for warning in caught}) == (len(caught) // 2, {__file__})
    assert once
