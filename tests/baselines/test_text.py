"""Sparse text is never made dense, nor is a square matrix of many documents, and its topics are found."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import normalize

from mtclib.baselines import CLR, DMTFC, DMTRC, LLMC, MTSC, SAMTC, CoregSpectral, DiMSC, LatentMSC

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
