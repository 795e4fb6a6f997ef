"""What does not fit the data is refused by name."""

import contract
import numpy as np
import pytest
import scipy.sparse as sp

from mtclib import MTCMRL
from mtclib.baselines import SAMTC, KMeans
from mtclib.baselines.registry import estimator


def squares(first, *others):
    """One matrix per task of the planted data, of which the first may be wrong."""
    return [first, *(others or (np.eye(24), np.eye(27)))]


@pytest.mark.parametrize(("method", "parameters", "message"), [
    ("ASI", {"n_components": 13}, "n_components is 13 but there are only 12 features; lower it"),
    ("ASI", {"n_components": 4}, "n_components is 4, but which='adr' finds at most one per cluster"),
    ("ASI", {"init": [np.zeros(3, int)] * 3}, r"init\[0\] must hold 30 integers"),
    ("AWP", {"affinity": [np.eye(30)] * 2}, r"one \(n_t, n_t\) array per view \(3 of them\)"),
    ("CCAClustering", {"n_components": 31}, r"n_components is 31, but 3 view.s. of this size have only \d+"),
    ("CCAClustering", {"project": 3}, "project must be an integer .* <= 2"),
    ("CoregSpectral", {"lam": 0.0}, "lam must be a number > 0"),
    ("CoregSpectral", {"lam": [0.1, 0.2]}, r"lam must be one number.*3 of them"),
    ("CoregSpectral", {"lam": sp.csr_array([[0.1]])}, "lam must be a number > 0"),
    ("CoregSpectral", {"lam": [0.1, [0.2, 0.3], 0.2]}, r"lam\[1\] \(view 2\) must be a number > 0"),
    ("CoregSpectral", {"lam": [0.1, 0.2, 0.3], "scheme": "pairwise"}, "lam must be one number"),
    ("CoregSpectral", {"lam": [0.1, -0.2, 0.3]}, r"lam\[1\] \(view 2\)"),
    ("CoregSpectral", {"view": 3}, "view must be an integer .* <= 2"),
    ("DMTFC", {"lam1": 0.0, "lam2": 0.0}, "lam1 and lam2 are both 0, .*raise one"),
    ("DMTRC", {"lam1": 0.0, "lam2": 0.0}, "lam1 and lam2 are both 0, .*raise one"),
    ("L2SC", {"view": 2}, r"view is 2 but the tasks have 2 view\(s\), counted from 0"),
    ("L2SC", {"output": "aligned"}, "output must be one of"),
    ("MBC", {"init": [np.zeros(12, int)]}, "one label array per task"),
    ("MKC", {"init": [np.zeros(12, int)]}, "one label array per task"),
    ("MKC", {"scale": "self-tuning"}, "scale must be one of 'median', 'mean'"),
    ("MKC", {"kernel": np.eye(12)}, r"kernel must have shape \(81, 81\).*got \(12, 12\)"),
    ("MKC", {"kernel": np.triu(np.ones((81, 81)))}, r"kernel must be symmetric; use \(M"),
    ("MKC", {"kernel": -np.eye(81)}, "kernel is not positive semidefinite.*add a constant"),
    ("MKC", {"kernel": 1.0 - np.eye(81)}, "kernel is not positive semidefinite"),
    ("MKC", {"kernel": lambda stack: np.full((81, 81), np.nan)}, "kernel contains NaN"),
    ("MKC", {"kernel": object}, "kernel: <class 'object'> failed on an array of shape .*TypeError"),
    ("MSPL", {"init": np.zeros(29, int)}, "30 integers in 0..2"),
    ("MSPL", {"init": np.full(30, 3)}, "30 integers in 0..2"),
    ("MSPL", {"init": [[1], [1, 2]]}, "init cannot be read"),
    *((method, {"init": init}, message) for method in ("MTCMRL", "SNMFLR") for init, message in (
        ([np.zeros(30, int)], "3 of them"),
        ([np.zeros(30, int), np.zeros(24, int), np.full(27, 3)], r"init\[2\] must hold 27 integers"))),
    ("MTSC", {"affinity": [np.eye(30)]}, r"one \(n_t, n_t\) array per task \(3 of them\)"),
    ("MultiViewSNMF", {"view": 3}, "view must be an integer .* <= 2"),
    ("PerTask", {"estimator": "Coreg"}, "estimator must be one of .*; got 'Coreg'"),
    ("PerTask", {"estimator": SAMTC(2)}, "estimator must be a multi-view or single-task method.*got SAMTC"),
    ("PerTask", {"estimator": "LMSC"}, "estimator must be a multi-view or single-task method"),
    ("PerTask", {"view": 2}, "view must be an integer >= 0 and <= 1; got 2"),
    *(("PerTask", {"parameters": wrong}, "parameters must be None or a dict by names")
      for wrong in (3.7, ["n_init"], {1: 2})),
    ("PerTask", {"parameters": {"sigma": 1}}, "Invalid parameter 'sigma' for estimator CoregSpectral"),
    ("RMKMC", {"init": np.zeros(5)}, "30 integers in 0..2"),
    ("SingleView", {"view": 3}, "view must be an integer .* <= 2"),
    ("SMBC", {"divergence": "kl"}, "rows that do not sum to one"),
    ("SpectralNJW", {"affinity": "precomputed"}, "affinity must be one of .*'cosine', 'gaussian'"),
    ("SpectralNJW", {"affinity": 3},
     "affinity must be 'cosine', 'gaussian', a callable, or a list .* got int"),
    ("SpectralNJW", {"affinity": squares(np.eye(29))}, r"affinity\[0\].*shape \(30, 30\)"),
    ("SpectralNJW", {"affinity": squares(np.triu(np.ones((30, 30))))}, r"affinity\[0\].*symmetric"),
    ("SpectralNJW", {"affinity": squares(-np.ones((30, 30)))}, r"affinity\[0\].*negative"),
    ("SpectralNJW", {"scale": None}, "scale must be a number > 0"),
    ("SPMTC", {"n_components": 13}, "n_components is 13 but the tasks have 12"),
    ("SPMTC", {"n_components": 4, "w_update": "eig_between"}, "n_components is 4 .*n_clusters = 3"),
    ("SPMTC", {"init": [np.zeros(24, int)]}, "3 of them"),
    ("Stacked", {"estimator": "K-means"}, "estimator must be one of .*'KMeans'.*; got 'K-means'"),
    ("Stacked", {"estimator": MTCMRL(2)}, "estimator must be a single-task method.*got MTCMRL"),
    ("Stacked", {"estimator": KMeans(2, init="best")}, "init must be one of")])
def test_what_does_not_fit_the_data_is_refused_by_name(method, parameters, message):
    cls = estimator(method)
    with pytest.raises(ValueError, match=message):
        cls(3, **parameters).fit(contract.planted(cls))
