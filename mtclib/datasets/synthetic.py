"""Data made here, with known clusters: no download but for the sets to which noise is added."""

from dataclasses import replace

import numpy as np
from scipy import sparse

from mtclib.core.checks import check_flag, check_number, check_option
from mtclib.datasets.dataset import LOADERS, Dataset, loader, with_printed
from mtclib.datasets.text import WEIGHT_OPTIONS, weigh

# Related tasks of text.

_TOPICS = ((0, 1, 2), (0, 1, 3), (2, 3, 4))
_SIZES = (20, 25, 20)
_WORDS = 8


def _documents(rng, topics, size, length, sharpness):
    """Word counts: each topic has its own words, and shares the rest of the vocabulary with all topics."""
    d = _WORDS * (1 + max(map(max, _TOPICS)))
    blocks = []
    for topic in topics:
        p = np.full(d, (1 - sharpness) / d)
        p[topic * _WORDS : (topic + 1) * _WORDS] += sharpness / _WORDS
        blocks.append(rng.multinomial(length, p, size=size))
    return sparse.csr_array(np.vstack(blocks))


@loader()
def toy_multitask(random_state=0, length=30, sharpness=0.5, weighting="tfidf-l2") -> Dataset:
    """Three tasks of three clusters each, drawn from five topics, so that the tasks are partly related.

    Parameters
    ----------
    random_state : int, default=0
    length : int, default=30
        Words per document.
    sharpness : float in [0, 1], default=0.5
        Share of a document's words that come from its topic's own eight words.
    weighting : str, default="tfidf-l2"
        As in :func:`mtclib.datasets.text.weigh`.

    Returns
    -------
    Dataset
        Sparse tasks of 60, 75 and 60 documents over 40 words.

    Examples
    --------
    >>> toy_multitask().class_names
    (('topic 0', 'topic 1', 'topic 2'), ('topic 0', 'topic 1', 'topic 3'), ('topic 2', 'topic 3', 'topic 4'))
    """
    check_number("sharpness", sharpness, low=0, high=1)
    check_number("length", length, low=1, integer=True)
    check_number("random_state", random_state, low=0, integer=True)
    rng = np.random.default_rng(random_state)
    counts = [_documents(rng, t, size, length, sharpness) for t, size in zip(_TOPICS, _SIZES)]
    drawn = {"step": "draw", "random_state": random_state, "length": length, "sharpness": sharpness}
    return Dataset(
        name="toy-multitask", kind="multitask", Xs=weigh(counts, weighting),
        labels=[np.repeat(np.arange(len(t)), size) for t, size in zip(_TOPICS, _SIZES)],
        class_names=tuple(tuple(f"topic {k}" for k in t) for t in _TOPICS),
        edition="planted", preprocessing=(drawn, {"step": "weigh", "weighting": weighting}))


# The toy data of the MSPL paper (section 5.1): four clusters, each easiest in another view.

CENTRES = np.array([(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)])
"""Centres of the clusters, in units of half the separation; the same in all views."""

DEVIATIONS = np.array([(0.4, 0.8, 1.2), (1.2, 0.4, 0.8), (0.8, 1.2, 0.4), (0.8, 0.8, 0.8)])
"""Standard deviation of each cluster (rows) in each view."""

SIZE = 100
GAUSSIAN_SHARE, GAUSSIAN_NOISE, UNIFORM_NOISE = 0.8, 0.5, 8.0


def _view(rng, labels, deviations, separation, noise):
    """One view; the noise is drawn in any case, so that clean and noisy data have the same points."""
    shape = (len(labels), CENTRES.shape[1])
    points = CENTRES[labels] * separation / 2 + rng.normal(size=shape) * deviations[labels, None]
    gaussian = rng.random(shape) < GAUSSIAN_SHARE
    small = rng.normal(size=shape) * GAUSSIAN_NOISE
    large = rng.uniform(-UNIFORM_NOISE, UNIFORM_NOISE, size=shape)
    return points + np.where(gaussian, small, large) if noise else points


@loader()
def mspl_toy(random_state=0, *, separation=4.0, noise=True) -> Dataset:
    """Toy data of the MSPL paper: 400 points in three views and four clusters, with noise.

    The paper gives the numbers of points, views and clusters; which cluster is easiest in which view (the
    first in view 1, the second in view 2, the third in view 3, the fourth in none); and that 80% of the
    entries have Gaussian noise and the others uniform noise.  Dimension (2), centres, deviations and sizes of
    the noise are chosen here.

    Parameters
    ----------
    random_state : int, default=0
    separation : float > 0, default=4.0
        Distance between neighbouring centres; 6 is easier.
    noise : bool, default=True
        False gives the same points without noise, as for the paper's Figure 2; True is for its Figure 3.

    Returns
    -------
    Dataset
        Three dense views of two features, rows in the order of the clusters.

    Examples
    --------
    >>> [X.shape for X in mspl_toy().Xs]
    [(400, 2), (400, 2), (400, 2)]
    """
    check_number("random_state", random_state, low=0, integer=True)
    check_number("separation", separation, low=0, open_low=True)
    check_flag("noise", noise)
    rng = np.random.default_rng(random_state)
    labels = np.repeat(np.arange(len(CENTRES)), SIZE)
    drawn = {"step": "draw", "random_state": random_state, "separation": separation, "noise": bool(noise)}
    data = Dataset(
        name="mspl-toy", kind="multiview", edition="planted", preprocessing=(drawn,), labels=labels,
        Xs=[_view(rng, labels, column, separation, noise) for column in DEVIATIONS.T],
        class_names=(tuple(f"cluster {k + 1}" for k in range(len(CENTRES))),))
    return with_printed(data)


# Power spectra: strictly positive data, for the Itakura-Saito divergence.

SOURCES, BANDS, SPECTRA = 4, 64, (80, 40)
"""Classes, frequencies, and samples of each task."""


@loader()
def mbc_spectra(random_state=0) -> Dataset:
    """Power spectra of related sources in two tasks, made for MBC with the Itakura-Saito divergence.

    Each class is a smooth positive envelope over the frequencies, with the dynamic range that spectra have.
    A sample is its class's envelope times the exponential noise of a raw periodogram, of mean one, in an
    exponential family whose divergence is that of Itakura and Saito.

    >>> data = mbc_spectra(random_state=1)
    >>> [X.shape for X in data.Xs], bool(min(X.min() for X in data.Xs) > 0)
    ([(80, 64), (40, 64)], True)
    """
    check_number("random_state", random_state, low=0, integer=True)
    rng = np.random.default_rng(random_state)
    # The logarithm of an envelope is a common slope and two broad peaks of its class's own.
    frequencies, peaks = np.linspace(0.0, 1.0, BANDS), rng.uniform(0.0, 1.0, (SOURCES, 2, 1))
    bumps = np.exp(-((frequencies - peaks) ** 2) / (2 * 0.08**2)).sum(axis=1)
    envelopes, Xs, labels = np.exp(-6.0 * frequencies + 1.2 * bumps), [], []
    for n in SPECTRA:
        y = rng.permutation(np.arange(n) % SOURCES)
        X = np.maximum(envelopes[y] * rng.exponential(size=(n, BANDS)), 1e-12)
        # Eight digits: the last bits of numpy's exponential hang on the processor, and with them the hash.
        Xs.append(np.char.mod("%.8g", X).astype(float))
        labels.append(y)
    return Dataset(
        name="mbc-spectra", kind="multitask", Xs=Xs, labels=labels, edition="synthetic",
        class_names=(tuple(f"source {k + 1}" for k in range(SOURCES)),) * len(Xs),
        preprocessing=({"step": "generate", "random_state": random_state},))


# Planted outliers: documents of no class, clustered with the others but not scored.

COUNTS = ("spmtc-compvssci", "spmtc-recvstalk", "spmtc-webkb")
"""Data sets that can be term counts."""

NOISE = {"mixed": 1, "long": 5}
"""Kinds of planted documents: how many times as long as the real ones they are."""


def noise_documents(counts, n_documents, terms, factor, random_state):
    """Counts of documents without a topic: `factor` times a usual length, words drawn by `terms`."""
    rng = np.random.default_rng(random_state)
    lengths = rng.choice(np.asarray(counts.sum(axis=1)).ravel().astype(int), n_documents)
    return sparse.csr_array(rng.multinomial(factor * lengths, terms).astype(float))


def with_noise(data, share, kind="mixed", random_state=0) -> Dataset:
    """Add documents of no class, with label -1, at the end of every task of term counts.  Of the documents of
    each new task, as many as `share` (in [0, 1)) are noise.  Words are drawn by their frequency over all
    tasks; documents of `kind` "mixed" are as long as real ones, "long" ones five times that."""
    check_number("share", share, low=0, high=1)
    check_number("random_state", random_state, low=0, integer=True)
    check_option("kind", kind, NOISE)
    if share == 1:
        raise ValueError("share must be below 1: real documents stay.")
    terms = np.asarray(sum(X.sum(axis=0) for X in data.Xs)).ravel()
    Xs, labels = [], []
    for t, (X, y) in enumerate(zip(data.Xs, data.labels)):
        size = round(share / (1 - share) * X.shape[0])
        planted = noise_documents(X, size, terms / terms.sum(), NOISE[kind], [random_state, t])
        Xs.append(sparse.csr_array(sparse.vstack([X, planted])))
        labels.append(np.concatenate([y, np.full(size, -1)]))
    step = {"step": "add noise documents", "share": share, "kind": kind, "random_state": random_state}
    return replace(data, Xs=Xs, labels=labels, preprocessing=(*data.preprocessing, step), published=(),
                   differences=())


@loader()
def spmtc_noisy(base="spmtc-compvssci", *, share=0.2, kind="mixed", random_state=0, weighting="counts",
                **params) -> Dataset:
    """A data set of the SPMTC paper with planted outliers, which its authors do not test.

    Parameters
    ----------
    base : {"spmtc-compvssci", "spmtc-recvstalk", "spmtc-webkb"}, default="spmtc-compvssci"
    share, kind, random_state
        See :func:`with_noise`.
    weighting : str, default="counts"
        One of :data:`mtclib.datasets.text.WEIGHTINGS`.  Applied to real and planted documents together.
    **params
        Of the loader named by `base`; `idf_scope` and `idf_formula` are of these weights.
    """
    weights = {"weighting": weighting, **{key: params.pop(key) for key in WEIGHT_OPTIONS if key in params}}
    counts = LOADERS[check_option("base", base, COUNTS)](base, {**params, "weighting": "counts"})
    data = with_noise(counts, share, kind, random_state)
    steps = (*data.preprocessing, {"step": "weigh", **weights})
    return replace(data, name="spmtc-noisy", Xs=weigh(data.Xs, **weights), preprocessing=steps)
