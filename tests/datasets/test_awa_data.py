"""Animals with Attributes: archives of the official layout, made up and small."""

import io
import json
import tarfile
import tracemalloc

import numpy as np
import pytest

from mtclib.core import paths
from mtclib.datasets import Dataset, FetchError, fetch, fetching, images, load, registry

WIDTHS = {"CH": 6, "LSS": 4, "PHOG": 3, "SIFT": 5, "ColorSIFT": 2, "SURF": 4}
IMAGES = [(label, f"{label}_{i:04d}") for label in ("antelope", "grizzly+bear", "zebra") for i in range(5)]


def values(view, label, image):
    """A row that tells which view, class and image it is of."""
    key = (list(WIDTHS).index(view), IMAGES.index((label, image)))
    return np.random.default_rng(key).integers(0, 90, WIDTHS[view]) / 8


def text_of(row):
    return " ".join(f"{x:g}" for x in row) + "\n"


def write_archive(folder, view, images=IMAGES, text=None, shuffle=0):
    feature = images.FEATURES[view][0]
    path = folder / f"AwA-features-{feature}.tar.bz2"
    path.parent.mkdir(parents=True, exist_ok=True)
    root = "Animals_with_Attributes/Features"
    with tarfile.open(path, "w:bz2") as archive:
        archive.addfile(tarfile.TarInfo("Animals_with_Attributes/README-features.txt"))
        for i in np.random.default_rng(shuffle).permutation(len(images)):
            label, image = images[i]
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
    small = {view: (images.FEATURES[view][0], width) for view, width in WIDTHS.items()}
    monkeypatch.setattr(images, "FEATURES", small)
    monkeypatch.setattr(images, "N_IMAGES", len(IMAGES))
    monkeypatch.setattr(images, "N_CLASSES", 3)
    monkeypatch.setattr(images, "BLOCK", 4)
    return paths.cache_dir() / "AwA"


def write_all(folder, **changed):
    for v, view in enumerate(WIDTHS):
        write_archive(folder, view, shuffle=v, **changed.get(view, {}))


def test_archives_in_any_order_become_mapped_views_of_the_same_images(folder):
    write_all(folder)
    data = load("awa")
    assert [X.shape for X in data.Xs] == [(15, width) for width in WIDTHS.values()]
    for view, X in zip(WIDTHS, data.Xs):
        assert isinstance(X, np.memmap) and X.dtype == np.float32
        assert np.array_equal(X, [values(view, *image) for image in IMAGES])
    assert data.labels.tolist() == np.repeat([0, 1, 2], 5).tolist() and data.task_names == tuple(WIDTHS)
    assert data.class_names == (("antelope", "grizzly+bear", "zebra"),) and data.n_clusters == 3
    assert data.differences[0] == "samples: 15, printed 30475; classes: 3, printed 50."


def test_an_archive_is_read_once_and_again_if_it_changes(folder, monkeypatch):
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


def test_archives_in_the_mirror_folder_are_found_too(folder, tmp_path, monkeypatch):
    write_all(tmp_path / "mirror" / "AwA")
    monkeypatch.setenv("MTCLIB_DATA", str(tmp_path / "mirror"))
    assert load("awa").Xs[0].shape == (15, 6)
    assert not list((tmp_path / "mirror").rglob("*.npy")) and len(list(folder.glob("*.npy"))) == 6


def test_missing_archives_are_named_with_how_to_get_them_and_where_to_put_them(folder):
    write_archive(folder, "CH")
    with pytest.raises(FetchError, match="these files are missing and cannot be fetched") as error:
        load("awa")
    lines = str(error.value).splitlines()
    assert len(lines) == 6 and "AwA-features-cq" not in str(error.value)
    assert all(str(folder) in line and "https://cvml.ista.ac.at/AwA/" in line for line in lines[1:])
    with pytest.raises(FetchError, match="download the pre-extracted surf features"):
        fetch("AwA/AwA-features-surf.tar.bz2")


@pytest.mark.parametrize("changed, message", [
    ({"images": IMAGES[1:]}, "it has 14 images of 3 classes, not 15 of 3"),
    ({"images": IMAGES[:10]}, "it has 10 images of 2 classes"),
    ({"text": "1 2 3"}, "has 3 values, not 5"), ({"text": "1 2 a 4 5"}, "could not convert"),
])  # fmt: skip
def test_another_archive_is_refused_and_leaves_nothing_behind(folder, changed, message):
    write_all(folder, SIFT=changed)
    with pytest.raises(FetchError, match=f"AwA-features-sift.tar.bz2 is not the archive .*{message}"):
        load("awa")
    assert {path.suffix for path in folder.iterdir()} == {".bz2", ".npy", ".json"}
    assert not list(folder.glob("sift-*"))


def test_a_truncated_archive_is_refused(folder):
    write_all(folder)
    path = folder / "AwA-features-phog.tar.bz2"
    path.write_bytes(path.read_bytes()[:-60])
    with pytest.raises(FetchError, match="AwA-features-phog.tar.bz2 is not the archive"):
        load("awa")


def test_archives_with_different_images_are_refused(folder):
    other = [*IMAGES[:-1], ("zebra", "zebra_0099")]
    write_all(folder, SURF={"images": other, "text": "1 2 3 4"})
    with pytest.raises(FetchError, match="SURF: its archive has other images than that of CH"):
        load("awa")


def test_a_run_that_was_killed_between_the_two_files_reads_the_archive_again(folder):
    write_all(folder)
    first = load("awa")
    (matrix,) = folder.glob("cq-*.npy")
    matrix.unlink()
    matrix.with_suffix(".json").write_text(json.dumps([["antelope", "x"]]))
    assert load("awa").sha256 == first.sha256


def test_the_archives_and_widths_are_those_of_the_paper():
    names = {images.archive_name(feature) for feature, _ in images.FEATURES.values()}
    assert names == {name for name in registry() if name.startswith("AwA/")}
    assert sum(width for _, width in images.FEATURES.values()) == 10940
    assert [fetching.cache_path(name).name for name in names] == [name[4:] for name in names]


def test_reading_and_hashing_need_a_fraction_of_the_memory_of_the_matrix(folder, monkeypatch):
    n, width = 400, 4000
    images = [("antelope", f"{i:04d}") for i in range(n)]
    monkeypatch.setattr(images, "N_IMAGES", n)
    monkeypatch.setattr(images, "N_CLASSES", 1)
    monkeypatch.setattr(images, "BLOCK", 32)
    path = write_archive(folder, "CH", images, text=text_of(np.arange(width) % 7))
    tracemalloc.start()
    images.convert(path, "cq", width, folder / "big.npy")
    X = np.load(folder / "big.npy", mmap_mode="r")
    read = tracemalloc.get_traced_memory()[1]
    tracemalloc.reset_peak()
    monkeypatch.setattr("mtclib.datasets.dataset._BLOCK", 10 * width)
    data = Dataset("big", "multiview", [X] * 3, np.zeros(n, dtype=int))
    sha256 = data.sha256
    hashed = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert read < X.nbytes / 2 and hashed < X.nbytes / 2
    monkeypatch.setattr("mtclib.datasets.dataset._BLOCK", 10**9)
    assert data.sha256 == sha256
    assert np.array_equal(X[[0, n - 1]], [np.arange(width) % 7] * 2)
