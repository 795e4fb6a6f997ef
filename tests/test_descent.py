"""No parameters and no data let an objective rise of which the method promises that it falls."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from planted import quiet_fit

from mtclib.baselines import LLMC, MTSC, CoregSpectral
from mtclib.baselines.registry import estimator

SUBSPACES = {"lam": (0.0, 0.2, 0.7, 1.0), "w_update": ("mult", "eig_small", "eig_range"),
             "n_components": (1, 2)}
STARTS = {"init": ("sample", "points", "labels")}
RIDGES = {"lam1": (2.0**-10, 2.0**-2), "lam2": (2.0**-8,), "floor": (0.01, 0.5), "max_iter": (15,),
          "n_init": (1,)}
AFFINITIES = ("knn", "knn-cosine", "cosine", "gaussian")
# The values that a parameter is drawn from; the other parameters have their defaults.
SPACES = {
    "LSSMTC": {**SUBSPACES, "max_iter": (12,)},
    "SPMTC": {**SUBSPACES, "weighting": ("hard", "soft"), "weight_power": (1, 2), "warm_up": (5,),
            "inner_max_iter": (6,)},
    "MSPL": {**STARTS, "weighting": ("naive", "hard", "smooth"), "kappa": (0.1, 1.0, 10.0),
           "pace": ("geometric", "share"), "inner_max_iter": (1, 5, 20)},
    "MBC": {"lam": (0.0, 1e-3, 0.5, 20.0), "init": ("random", "samples", "k-means")},
    "MTCMRL": {"lam": (0.0, 1e-8, 1.0, 6.0, 1e8), "mu": (0.05, 3.0), "alpha": (0.0, 1e-8, 1.0, 1e8),
             "beta": (0.0, 1e-8, 0.5, 1e8), "exponent": (0.25, 0.5, 1.0), "max_iter": (12,)},
    "ASI": {"which": ("smallest", "smallest_in_range", "adr"), "n_components": (1,),
          "init": ("random", "k-means")},
    "AWP": {"affinity": AFFINITIES, "init": ("identity", "aligned")},
    "ConvexSub": {"alpha": (0.02, 0.3, 1.5), "max_iter": (60,)},
    "CoregSpectral": {"scheme": ("pairwise", "centroid"), "lam": (1e-3, 0.5, 50.0), "affinity": AFFINITIES,
                    "init": ("views", "average", "best"), "max_iter": (8,)},
    "DiMSC": {"smoothness": (0.0, 0.1, 10.0), "diversity": (0.0, 1.0, 100.0), "max_iter": (6,)},
    "DMTFC": RIDGES,
    "DMTRC": RIDGES,
    "LLMC": {"adapt": (False,), "gamma": (0.01, 1.0, 100.0), "lam": (0.2, 1.0, 5.0), "n_neighbors": (6,),
           "max_iter": (25,)},
    "MKC": {"lam": (0.0, 1e-3, 0.5, 20.0), "kernel": ("linear", "cosine", "gaussian"),
          "membership": ("graded", "hard", "nonnegative"), "max_iter": (15,)},
    "MTSC": {"alpha": (0.01, 1.0, 30.0), "beta": (1e-3, 1.0, 30.0), "p": (0.2, 1.0, 2.0), "max_iter": (12,),
           "affinity": ("knn", "cosine", "gaussian"), "n_init": (1,)},
    "MultiViewSNMF": {"affinity": AFFINITIES, "max_iter": (30,), "n_init": (1,)},
    "RMKMC": {**STARTS, "gamma": (1.01, 2.0, 100.0)}}
# Where several values stand side by side that cannot be compared, as in the rounds of a pace.
HISTORIES = {"SPMTC": lambda model: model.round_objective_,
             "MSPL": lambda model: [model.paced_objective_[model.rounds_ == r] for r in set(model.rounds_)]}


def drawn(rng, kind):
    """Counts with planted clusters, of one to three tasks or views; some narrow, some wide."""
    sizes, widths = rng.integers(9, 30, 3), rng.integers(3, 40, 3)
    pairs = [(sizes[0], d) for d in widths] if kind == "multiview" else [(n, widths[0]) for n in sizes]
    means = rng.uniform(0.2, 3.0, (3, widths.max()))
    return [rng.poisson(means[np.arange(n) % 3, :d]).astype(float) for n, d in pairs[:rng.integers(1, 4)]]


def falls(model, slack=1e-9):
    """Whether no value of a history is above the one before it."""
    histories = HISTORIES.get(type(model).__name__, lambda model: [model.objective_])(model)
    return all((np.diff(history) <= slack * (1.0 + np.abs(history[0]))).all() for history in histories)


@pytest.mark.parametrize("name", SPACES)
@settings(max_examples=10)
@given(seed=st.integers(0, 2**31))
def test_no_choice_of_parameters_lets_the_objective_rise(name, seed):
    rng, cls = np.random.default_rng(seed), estimator(name)
    Xs = drawn(rng, cls.traits.kind)
    chosen = {option: values[rng.integers(len(values))] for option, values in SPACES[name].items()}
    model = cls(int(rng.integers(2, 6)), random_state=seed, **chosen)
    if hasattr(model, "tol"):
        model.tol = 0.0
    assert falls(quiet_fit(model, Xs)), chosen


@pytest.mark.parametrize("model", [
    CoregSpectral(3, scheme="pairwise", init="views", lam=0.5, tol=1e-7),
    CoregSpectral(3, scheme="centroid", init="views", lam=0.5, tol=1e-7, affinity="gaussian"),
    LLMC(3, adapt=False, tol=1e-7, max_iter=30),
    MTSC(3, tol=1e-7),
], ids=lambda model: type(model).__name__)
def test_the_objective_never_rises_where_no_array_is_decomposed(model):
    rng = np.random.default_rng(0)
    means = 3.0 * np.eye(3, 12)
    Xs = [means[np.arange(340) % 3] + rng.normal(size=(340, 12)) for _ in range(2)]
    fitted = quiet_fit(model.set_params(random_state=0), Xs)
    assert len(fitted.objective_) > 2
    assert falls(fitted, 1e-11)
