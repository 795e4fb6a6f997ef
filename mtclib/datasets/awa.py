"""Animals with Attributes: six feature sets of 30,475 images, from their archives, never whole in memory.

An archive has one small text file an image with the values of its row, called
``Animals_with_Attributes/Features/<feature>-hist/<class>/<image>``.  Reading the six takes minutes, so each
is turned once into a float32 matrix in the cache, which is then mapped into memory.
"""

import hashlib
import json
import os
import tarfile
import tempfile
from pathlib import Path, PurePosixPath

import numpy as np

from .archives import DAMAGED
from .dataset import Dataset
from .entries import lookup
from .fetching import FetchError
from .multiview import with_printed
from .sources import cache_path, mirror_dir

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
    """Return the path of each feature's archive.

    Raises
    ------
    FetchError
        If any is missing; the message says how to get it and where to put it.
    """
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

    Parameters
    ----------
    path : path-like
        The archive.
    feature : str
        Its name of the feature, such as "cq".
    width : int
        Number of features.
    target : Path
        The matrix to write; the list is written first, beside it, so that a matrix is always complete.

    Raises
    ------
    ValueError
        If the archive has other images or features than expected, or is damaged.
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
    with open(path, "rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
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

    Raises
    ------
    FetchError
        If an archive is missing, with how to get it and where to put it, or is another or a damaged one.

    Examples
    --------
    >>> awa().Xs[0].shape  # doctest: +SKIP
    (30475, 2688)
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
