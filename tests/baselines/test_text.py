"""Sparse text is never made dense, nor is a square matrix of many documents, and its topics are found."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from planted import quiet_fit
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import normalize

from mtclib import MBC
from mtclib.baselines import CLR, DMTFC, DMTRC, LLMC, MKC, MTSC, SAMTC, SMKC, CoregSpectral, DiMSC, LatentMSC

LARGEST = 10_000


@pytest.fixture
def refuse_dense(monkeypatch):
    """Let toarray fail for matrices with more than LARGEST entries."""
    for form in (sp.csr_array, sp.csc_array):
        def small(M, *args, dense=form.toarray, **kwargs):
            return dense(M, *args, **kwargs) if np.prod(M.shape) <= LARGEST else pytest.fail("densified")

        monkeypatch.setattr(form, "toarray", small)


@pytest.mark.parametrize(("model", "n"), [
    (CLR(2, n_neighbors=20), 60),
    (CoregSpectral(2, affinity="cosine"), 600),
    (DiMSC(2), 60),
    (DMTFC(2, max_iter=5), 60),
    (DMTRC(2, max_iter=5), 60),
    (LatentMSC(2), 60),
    (LatentMSC(2, sign="released"), 60),
    (LLMC(2, metric="cosine", n_neighbors=15), 60),
    (MTSC(2, beta=4.0, alpha=0.25), 60),
    (SAMTC(2, n_neighbors=15), 60),
], ids=lambda value: getattr(value, "sign", type(value).__name__))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_topics_are_found_in_text_that_stays_sparse(model, n, refuse_dense):
    rng = np.random.default_rng(0)
    topics = np.kron(np.eye(2), np.ones((n // 2, 700)))[:, :1399]
    Xs = [normalize(sp.csr_array(rng.poisson(0.02 + 0.3 * topics))) for _ in range(2)]
    labels = model.set_params(random_state=0).fit(Xs).labels_
    for found in labels if isinstance(labels, list) else [labels]:
        assert adjusted_rand_score(np.repeat([0, 1], n // 2), found) > 0.9


@pytest.mark.parametrize("model", [MKC(2), SMKC(2), *(MBC(2, divergence=name, smoothing=0.2) for name in (
    "sqeuclidean", "kl", "i-divergence", "itakura-saito"))], ids=lambda model: type(model).__name__)
def test_no_array_of_samples_by_features_is_formed(model):
    rng, (n, d) = np.random.default_rng(0), (1500, 20000)
    Xs = [normalize(sp.random_array((n, d), density=1e-3, rng=rng, format="csr"), "l1") for _ in range(2)]
    tracemalloc.start()
    quiet_fit(model.set_params(max_iter=2, random_state=0), Xs)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * n * d / 10
