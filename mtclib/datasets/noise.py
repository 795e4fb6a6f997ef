"""Tasks with planted outliers: documents of no class, clustered with the others but not scored."""

from dataclasses import replace

import numpy as np
from scipy import sparse

from .dataset import Dataset
from .spmtc import spmtc_compvssci, spmtc_recvstalk, spmtc_webkb
from .text import weigh

COUNTS = {"spmtc-compvssci": spmtc_compvssci, "spmtc-recvstalk": spmtc_recvstalk, "spmtc-webkb": spmtc_webkb}
"""Loaders that can give term counts."""

NOISE = {"mixed": 1, "long": 5}
"""Kinds of planted documents: how many times as long as the real ones they are."""


def noise_documents(counts, n_documents, terms, factor, random_state):
    """Documents without a topic: a usual length, words at random.

    Parameters
    ----------
    counts : csr_array of shape (n, d)
        The documents whose lengths are taken.
    n_documents : int
    terms : ndarray of shape (d,)
        Probability of each term.
    factor : int
        The drawn length is multiplied by it.
    random_state : int

    Returns
    -------
    csr_array of shape (n_documents, d)
        Counts.

    Examples
    --------
    >>> counts = sparse.csr_array([[2, 1], [0, 3]])
    >>> noise_documents(counts, 2, np.array([0.5, 0.5]), 2, 0).sum(axis=1).tolist()
    [6.0, 6.0]
    """
    rng = np.random.default_rng(random_state)
    lengths = rng.choice(np.asarray(counts.sum(axis=1)).ravel().astype(int), n_documents)
    return sparse.csr_array(rng.multinomial(factor * lengths, terms).astype(float))


def with_noise(data, share, kind="mixed", random_state=0) -> Dataset:
    """Add documents of no class to every task.

    Parameters
    ----------
    data : Dataset
        Tasks of term counts.
    share : float in [0, 1)
        Of the documents of each new task, as many as ``share`` are noise.
    kind : {"mixed", "long"}, default="mixed"
        Words drawn by their frequency over all tasks; "mixed" documents are as long as real ones, "long"
        ones five times that.
    random_state : int, default=0

    Returns
    -------
    Dataset
        The planted documents stand at the end of each task and have label -1.

    Raises
    ------
    ValueError
        If `share` or `kind` is out of range.

    Examples
    --------
    >>> from mtclib.datasets import load
    >>> noisy = with_noise(load("toy-multitask", random_state=0), 0.2)
    >>> noisy.Xs[0].shape, int((noisy.labels[0] == -1).sum()), noisy.n_clusters[0]
    ((75, 40), 15, 3)
    """
    if not 0 <= share < 1:
        raise ValueError(f"share must be at least 0 and below 1, not {share!r}.")
    if kind not in NOISE:
        raise ValueError(f"kind must be one of {tuple(NOISE)}, not {kind!r}.")
    terms = np.asarray(sum(X.sum(axis=0) for X in data.Xs)).ravel()
    Xs, labels = [], []
    for t, (X, y) in enumerate(zip(data.Xs, data.labels)):
        size = round(share / (1 - share) * X.shape[0])
        planted = noise_documents(X, size, terms / terms.sum(), NOISE[kind], [random_state, t])
        Xs.append(sparse.csr_array(sparse.vstack([X, planted])))
        labels.append(np.concatenate([y, np.full(size, -1)]))
    step = {"step": "add noise documents", "share": share, "kind": kind, "random_state": random_state}
    return replace(data, Xs=Xs, labels=labels, preprocessing=(*data.preprocessing, step), published=(),
                   differences=())  # fmt: skip


def spmtc_noisy(base="spmtc-compvssci", *, share=0.2, kind="mixed", random_state=0, weighting="counts",
                **params) -> Dataset:  # fmt: skip
    """A data set of the SPMTC paper with planted outliers, which its authors do not test.

    Parameters
    ----------
    base : {"spmtc-compvssci", "spmtc-recvstalk", "spmtc-webkb"}, default="spmtc-compvssci"
    share, kind, random_state
        See :func:`with_noise`.
    weighting : str, default="counts"
        One of :data:`mtclib.datasets.text.WEIGHTINGS`.
        Applied to real and planted documents together.
    **params
        Of the loader named by `base`.

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        If an option is unknown or has no such value.
    FetchError
        If the files cannot be had.

    Examples
    --------
    >>> spmtc_noisy(share=0.4).n_clusters  # doctest: +SKIP
    [2, 2]
    """
    if base not in COUNTS:
        raise ValueError(f"base must be a set of counts, one of {tuple(COUNTS)}, not {base!r}.")
    data = with_noise(COUNTS[base](weighting="counts", **params), share, kind, random_state)
    steps = (*data.preprocessing, {"step": "weigh", "weighting": weighting})
    return replace(data, name="spmtc-noisy", Xs=weigh(data.Xs, weighting), preprocessing=steps)
