"""Made-up text of any size."""

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer

WORDS = 60


def text(sizes, n_words, n_topics, *, length=120, weigh=True, seed=0):
    """Tasks with the same topics, words by Zipf's law: CSR arrays, tf-idf rows of unit length or counts."""
    rng = np.random.default_rng(seed)
    zipf = 1.0 / np.arange(1, n_words + 1)
    topics = zipf * rng.gamma(0.5, 2.0, (n_topics, n_words))
    Xs = []
    for n in sizes:
        topic = np.arange(n) % n_topics
        rates = (0.6 * zipf / zipf.sum() + 0.4 * topics[topic] / topics.sum(axis=1)[topic, None]) * length
        counts = sp.csr_array(rng.poisson(rates).astype(float))
        Xs.append(sp.csr_array(TfidfTransformer().fit_transform(counts)) if weigh else counts)
    return Xs


def documents(n, d, k, rng, words=WORDS):
    """Counts of documents of so many words on `k` topics, common words by Zipf's law: CSR (n, d)."""
    common = 1.0 / np.arange(1, d + 1) ** 0.7
    drawn = np.empty((n, words), dtype=np.intp)
    for topic in range(k):
        own = rng.permutation(common)
        share = 0.35 * own / own.sum() + 0.65 * common / common.sum()
        drawn[topic::k] = rng.choice(d, drawn[topic::k].shape, p=share)
    return sp.csr_array((np.ones(drawn.size), (np.repeat(np.arange(n), words), drawn.ravel())), shape=(n, d))
